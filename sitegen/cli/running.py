"""The way a command runs and exits, whatever it meets."""

import errno
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from sitegen import __version__
from sitegen.cli.options import (
    CONFIG_NAMES,
    EXIT_INTERRUPTED,
    EXIT_NOT_PUBLISHED,
    EXIT_PROBLEMS,
    EXIT_USAGE,
    runs,
)
from sitegen.cli.terminal import terminal
from sitegen.errors import ConfigError, PublishError, RefusedOutput
from sitegen.system import interrupts
from sitegen.system.places import cache_folder
from sitegen.system.system_limits import shortage, why_not_written

if TYPE_CHECKING:
    from sitegen.pages.findings import Finding

NOTHING = "Nothing was published, and an old site is as it was"

NOT_PRINTED = "could not print all of the output"

is_published = False  # whether this call has written the site: what fails then, fails afterwards


SCHEMA = 1  # goes up only when a key changes its meaning or goes; new keys do not raise it

Values = dict[str, object]


@dataclass(slots=True)
class CommandResult:
    """The object that a command prints when it ends."""

    command: str
    values: Values = field(default_factory=dict)
    """The values that the command has found so far; empty where it has failed before."""
    output: str | None = None  # the place where the site is published; None where nothing is

    def set(self, values: Values, output: str | None = None) -> None:
        """Set what the command found, and where the site is."""
        self.values = values
        self.output = output

    def text(self, exit_code: int, errors: Sequence[str]) -> str:
        """Return the object on one line of ASCII, which steers no terminal and no service of CI."""
        values: Values = {
            "schema": SCHEMA,
            "version": __version__,
            "command": self.command,
            "exit_code": exit_code,
        }
        values |= {"errors": list(errors), **_masked(self.values)}
        if self.command == "build":
            values["output"] = None if self.output is None else str(Path(self.output).resolve())
        return json.dumps(values, allow_nan=False).replace("##", "#\\u0023")


def _masked(value: Values) -> Values:
    """Return the same, with every text masked as a message is."""
    masked = cache(terminal.masked)

    def shown(part: object) -> Any:
        if isinstance(part, list):
            return [shown(each) for each in part]
        if isinstance(part, dict):
            return {key: shown(each) for key, each in part.items()}
        return masked(part) if isinstance(part, str) else part

    return dict(shown(value))


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The arguments that a command about runs was called with."""

    runs: tuple[str, ...]
    config_path: Path | None
    no_config: bool
    quiet: bool
    output: str | None = None
    file: Path = Path()
    may_replace: bool = False
    live_charts: bool = False
    index_only: bool = False
    history_path: str | None = None
    campaign_name: str | None = None
    day: str | None = None
    since: str | None = None
    until: str | None = None
    steps: str | None = None
    jobs: int | None = None
    cache_dir: str | None = None
    no_cache: bool = False
    strict: bool = False
    verbose: bool = False
    answer: CommandResult | None = None

    @property
    def cache(self) -> Path | None:
        """The folder of the cache; None where there is to be none."""
        return None if self.no_cache else Path(self.cache_dir or cache_folder())

    @property
    def settings_paths(self) -> tuple[Path, ...]:
        """The files that the settings may be in, there or not."""
        if self.no_config:
            return ()
        return (self.config_path,) if self.config_path else tuple(map(Path, CONFIG_NAMES))


def about_runs(command: Callable[..., int]) -> Callable[..., None]:
    """Make the same of a function that is given its arguments as a `Call`, and those that only it has."""

    @wraps(command)
    def called(**given: Any) -> int:
        own = {name: given.pop(name) for name in given.keys() - Call.__dataclass_fields__.keys()}
        return command(Call(**given), **own)

    return runs(exits(called))


def exits(command: Callable[..., int]) -> Callable[..., None]:
    """Make of a function that returns an exit code what click calls, and exits as `--help` says. In place of the option
    `as_json` it is given the `answer` that is printed when it ends, or None."""

    @wraps(command)
    def called(**given: Any) -> None:
        answer = None
        if "as_json" in given:
            terminal.is_for_programs = given.pop("as_json")
            answer = given["answer"] = (
                CommandResult(command.__name__) if terminal.is_for_programs else None
            )
        shows_faults = given.pop("shows_faults", None) or given.get("verbose", False)
        try:
            code = command(**given)
        except KeyboardInterrupt:
            code = terminal.fail("Interrupted.", EXIT_INTERRUPTED)
        except Exception as error:
            if interrupts.received:  # a library has made another error of it
                code = terminal.fail("Interrupted.", EXIT_INTERRUPTED)
            elif shows_faults and not isinstance(error, (ConfigError, RefusedOutput, PublishError)):
                raise
            else:
                code = terminal.fail(*why_failed(error))
        if answer is not None:
            terminal.write(answer.text(code, terminal.failures))
        if reason := terminal.lost():
            state = (
                "the site is written, but its report could not be printed"
                if is_published
                else NOT_PRINTED
            )
            code = terminal.fail(f"sitegen: {state}: {reason}", code or EXIT_PROBLEMS)
        sys.exit(code)

    return called


def why_failed(error: Exception) -> tuple[str, int]:
    """Return what went wrong, in a sentence or more, and the exit code."""
    match error:
        case ConfigError():  # begins with its place, so that editors can jump to it
            return str(error), EXIT_USAGE
        case RefusedOutput():
            return f"sitegen: {error}", EXIT_USAGE
        case PublishError():
            return f"sitegen: {error}", EXIT_NOT_PUBLISHED
    code, state = (
        (EXIT_PROBLEMS, "The site is written") if is_published else (EXIT_NOT_PUBLISHED, NOTHING)
    )
    if short := shortage(error):
        return f"sitegen: {short}. {state}.", code
    fault = f"sitegen: an internal error: {type(error).__name__}: {error}."
    return f"{fault} {state}; -v shows the traceback, please report it.", code


def apply_strict(
    call: Call,
    findings: "Sequence[Finding]",
) -> int:
    """Return the exit code under --strict; 0 without it."""
    from sitegen import figures
    from sitegen.pages.findings import counts_of

    counts = counts_of(findings, strict=True)
    if not call.strict or not counts:
        return 0
    listed = figures.sentence_list(counts)
    return terminal.fail(f"{listed}, and --strict was given", EXIT_PROBLEMS)


def cannot_print(error: OSError) -> NoReturn:
    """Exit where click could not print a help text or an error. A reader that has gone misses nothing."""
    sys.stdout = None  # or Python complains when it exits
    if error.errno != errno.EPIPE:
        terminal.fail(f"sitegen: {NOT_PRINTED}: {why_not_written(error)}", EXIT_PROBLEMS)
    sys.exit(EXIT_PROBLEMS)
