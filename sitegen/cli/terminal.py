"""The output of a command, and the way it gets to a terminal or a log: masked, unable to steer it, and bounded.

The only module of a command that prints. Output that cannot be written stops no work: it is kept in mind, and told at
the end.
"""

import errno
import os
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from sitegen.system.system_limits import why_not_written

if TYPE_CHECKING:
    from sitegen.masking.redact import Redactor

T = TypeVar("T")


class Terminal:
    """The output of a command so far, and the way to add to it."""

    def __init__(self) -> None:
        self.failures: list[str] = []
        self.is_for_programs = False
        """Whether standard output is kept for what a program reads; all that is said goes to standard error then."""
        self._redactor: Redactor | None = None
        self._lost: OSError | None = None

    def mask_with(self, redactor: "Redactor") -> "Redactor":
        """Mask what is said from now on as these settings ask for: messages are masked as pages are."""
        self._redactor = redactor
        return redactor

    def masked(self, text: str) -> str:
        """Return a text as it is said: without what the settings, once they are read, ask to mask."""
        from sitegen.masking.redact import Redactor, number_masks

        return number_masks((self._redactor or Redactor.for_this_machine())(text))

    def say(self, message: str, *, err: bool = False, colour: str | None = None) -> None:
        """Print lines that cannot steer the terminal and show no secret, in colour unless NO_COLOR asks for none."""
        text = self.masked(message)
        err = err or self.is_for_programs
        stream = sys.stderr if err else sys.stdout
        self.write(
            printable(text, stream.encoding if stream else None), err=err, colour=colour
        )  # none when closed

    def write(self, text: str, *, err: bool = False, colour: str | None = None) -> None:
        """Print lines as they are. Where that fails the stream is given up, and `lost` says why."""
        try:
            click.secho(
                text, err=err, fg=colour, color=False if os.environ.get("NO_COLOR") else None
            )
        except OSError as error:
            if error.errno != errno.EPIPE:  # whoever read our output has gone, and misses nothing
                self._lost = error
            give_up(is_error=err)

    def lost(self) -> str | None:
        """Return why something that was to be printed could not be; None where nothing is missed. Asked once: then
        forgotten."""
        error = self._lost
        self._lost = None
        return None if error is None else why_not_written(error)

    def say_settings(self, path: Path | None, note: str = "") -> None:
        """Say which settings count, since they decide what is masked, and which file does not."""
        self.say(line(f"settings: {path or 'none'}{note and '; '}{note}"))

    def say_address(self, path: Path) -> None:
        """Print where a page is. Not through `say`: a shortened home folder would break the address, which is
        percent-encoded ASCII anyway."""
        self.write(path.resolve().as_uri(), err=self.is_for_programs)

    def say_waiting(self, message: str) -> None:
        """Say that another build is waited for."""
        self.say(message, err=True)

    def fail(self, message: str, code: int) -> int:
        """Say what went wrong; the exit code is handed back."""
        self.say(message, err=True, colour="red")
        self.failures.append(self.masked(message))
        return code


terminal = Terminal()


def give_up(*, is_error: bool) -> None:
    """Let go of a stream that cannot be written, or Python complains when it exits."""
    setattr(sys, "stderr" if is_error else "stdout", None)


def printable(text: str, encoding: str | None) -> str:
    """Return the text with a question mark for each sign that a stream of this encoding cannot write, and with a space
    in what a service of CI would obey: `##vso[`, `##[` and `##teamcity[` anywhere, `::` at the start of a line."""
    encoding = encoding or "ascii"
    text = re.sub(r"(?m)#(?=#\w*\[)|^[^\S\n]*:(?=:)", r"\g<0> ", text)
    return text.encode(encoding, "replace").decode(encoding)


def line(text: str) -> str:
    """Return text of a stranger on one line."""
    from sitegen.masking import redact

    return redact.terminal(text)


class Progress:
    """A bar on a terminal, with the time left; nothing elsewhere."""

    def __init__(self, *, quiet: bool) -> None:
        self._shown = (
            not quiet and bool(sys.stderr) and sys.stderr.isatty()
        )  # there is none when it is closed

    def __call__(self, doing: str, items: Sequence[T]) -> Iterable[T]:
        if not self._shown or len(items) < 2:
            yield from items
            return
        with click.progressbar(items, label=f"{doing:<9}", file=sys.stderr, show_pos=True) as bar:
            yield from bar
