"""Answers a build before which nothing has changed, from what the last one said, and imports nothing heavy for it.

When a build has ended, a record of it is put into the cache folder: what it said, how it ended, and one digest, the
state, over names, sizes and times of everything that it depends on: the inputs, the settings, the theme, the site that
it wrote, the program and its libraries, and secrets of the environment, which pages mask. The same command in the same
folder finds the record, and where the state is still the same there is nothing to do.

Times can lie: a file that is written twice within one tick of its file system's clock looks the same after both. So no
record is made while an input is younger than the coarsest of these clocks, nor when the state of the inputs after the
build is not that before it. Inode and time of change of status are compared as well, which no program can set back.
Not covered: file systems without times of their own, and clocks of file servers that are seconds off.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Sequence

try:
    from _blake2 import blake2b  # what hashlib gives, which loads OpenSSL first: longer than all else takes here
except ImportError:
    from hashlib import blake2b

from sitegen import __version__
from sitegen.places import AGENT_FOLDERS, MANIFEST, NOT_ENTERED, cache_folder

YOUNG_NS = 2_000_000_000
"""The clock of FAT ticks every two seconds, those of other file systems more often."""
RECORDS_KEPT = 100

SECRET_NAMES = re.compile(r"(?:TOKEN|KEY|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|CREDENTIALS?)(?:_[0-9]+)?$")
"""Environment variables, in capitals, whose values are secrets."""
_MAGIC = re.compile(r"[*?[]")


def answer(arguments: Sequence[str]) -> int | None:
    """Say again what the last build of these arguments said, when all is as it was; its exit code, else None."""
    if not arguments or arguments[0] != "build" or "--no-cache" in arguments:
        return None
    folder = _given(arguments) or cache_folder()
    try:
        with open(_record(folder, arguments), encoding="utf-8") as file:
            record = json.load(file)
        if record["state"] != state(record["inputs"], record["output"])[0]:
            return None
        said, code = [(bool(error), str(line)) for error, line in record["said"]], int(record["code"])
        quiet = bool(record["quiet"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    try:
        for is_error, line in said if quiet else [(False, "Nothing has changed since the last build."), *said]:
            stream = sys.stderr if is_error else sys.stdout
            if stream:  # there is none when it is closed
                print(line, file=stream)
        if sys.stdout:
            sys.stdout.flush()
    except BrokenPipeError:  # whoever read our output has gone
        sys.stdout = None  # or Python complains when it exits
    return code


def _given(arguments: Sequence[str]) -> str | None:
    """The cache folder that the arguments name, whichever way."""
    for number, argument in enumerate(arguments):
        if argument == "--cache-dir":
            return arguments[number + 1] if number + 1 < len(arguments) else None
        if argument.startswith("--cache-dir="):
            return argument.partition("=")[2]
    return None


def _record(folder: str, arguments: Sequence[str]) -> str:
    key = json.dumps([os.getcwd(), *arguments]).encode()
    return os.path.join(folder, "unchanged", f"{blake2b(key, digest_size=16).hexdigest()}.json")


Input = tuple[str, str]
"""A file, a folder or a pattern, and what of it is read: "runs" as `discover` finds them, "all" of a folder, or a file
"alone", without what lies beside it."""


class Watch:
    """Makes the record of one build: begin it before anything is read."""

    def __init__(self, arguments: Sequence[str], inputs: Sequence[Input], output: str, folder: str) -> None:
        """`output` is the folder that is written, `folder` the cache."""
        self._record = _record(folder, arguments)
        self._inputs, self._output = list(inputs), output
        self._started_ns = time.time_ns()
        self._before, self._youngest_ns = state(self._inputs, None, beside=output)

    def remember(self, said: Sequence[tuple[bool, str]], code: int, *, quiet: bool) -> None:
        """Keep what was said, each line with whether it went to standard error, and the exit code.

        Keeps nothing where times could lie, or where there is no cache folder.
        """
        if sys.platform == "win32" or self._youngest_ns > self._started_ns - YOUNG_NS:
            return
        if state(self._inputs, None, beside=self._output)[0] != self._before:
            return
        record = {
            "state": state(self._inputs, self._output)[0],
            "inputs": self._inputs,
            "output": self._output,
            "said": said,
            "code": code,
            "quiet": quiet,
        }
        folder = os.path.dirname(self._record)
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            written = f"{self._record}.{os.getpid()}"
            with open(os.open(written, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                json.dump(record, file)
            os.replace(written, self._record)
            _forget_oldest(folder)
        except OSError:
            return


def _forget_oldest(folder: str) -> None:
    with os.scandir(folder) as listing:
        files = sorted((entry.stat().st_mtime_ns, entry.path) for entry in listing)
    for _, path in files[:-RECORDS_KEPT]:
        os.unlink(path)


def state(inputs: Sequence[Input], output: str | None, *, beside: str | None = None) -> tuple[str, int]:
    """A digest over all that a build depends on, and the latest time of an input in ns.

    With `output`, what the build wrote is in it as well; `beside` is an output that is not looked at.
    """
    looked = _Look(os.path.realpath(output or beside or ""))
    for text, read in inputs:
        looked.at_input(text, read)
    youngest_ns = looked.youngest_ns
    if output is not None:
        looked.below(output, is_output=True)
    digest = blake2b(surroundings(), digest_size=16)
    digest.update(b"".join(looked.lines))
    return digest.hexdigest(), youngest_ns


class _Look:
    """What a look at files found: a line for each, in the order of their names, and the latest of their times."""

    def __init__(self, ours: str) -> None:
        """`ours` is the output: it is passed over, and so is what stands beside it while it is written."""
        self.lines: list[bytes] = []
        self.youngest_ns = 0
        self._ours, self._name = ours, os.path.basename(ours)
        self._beside = f".{self._name}.sitegen"

    def at_input(self, text: str, read: str) -> None:
        """All that an input can lead to, and more: of a pattern the folder that it begins with, of a file what lies
        beside it, which may describe it. Raises: OSError."""
        if os.path.isdir(text):
            self.below(text, hidden=read == "all")
        elif os.path.lexists(text):
            self._file(text, os.stat(text))
            if read != "alone":
                self.below(os.path.dirname(text) or ".", is_deep=False)
        else:
            folder = text
            while _MAGIC.search(folder):
                folder = os.path.dirname(folder)
            self.below(folder or ".", hidden=f"{os.sep}." in text[len(folder) :])

    def below(self, folder: str, *, hidden: bool = False, is_deep: bool = True, is_output: bool = False) -> None:
        """Files and folders below a folder, without what no build enters; no link is followed. Raises: OSError."""
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=_name_of)
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            if not is_output and self._is_passed_over(entry, is_folder=is_folder, hidden=hidden):
                continue
            if not is_folder:
                self._file(entry.path, entry.stat(follow_symlinks=False))
                continue
            name = os.fsencode(entry.path)
            self.lines.append(b"%d %s/\n" % (len(name), name))  # its times change with a site that may lie in it
            if is_deep:
                self.below(entry.path, hidden=hidden, is_output=is_output)

    def _file(self, path: str, status: os.stat_result) -> None:
        _, inode, _, _, _, _, size, _, _, _ = status
        written_ns, changed_ns = status.st_mtime_ns, status.st_ctime_ns
        self.youngest_ns = max(self.youngest_ns, written_ns, changed_ns)
        # The name is the last of the line, and the number of its bytes the first: no name can look like another line.
        name = os.fsencode(path)
        numbers = len(name), status.st_mode, inode, size, written_ns, changed_ns
        self.lines.append(b"%d %d %d %d %d %d %s\n" % (*numbers, name))

    def _is_passed_over(self, entry: os.DirEntry[str], *, is_folder: bool, hidden: bool) -> bool:
        """Whether no build reads it, as `discover` has it: but for hidden files, of which it may read some."""
        name = entry.name
        if name.startswith(self._beside):
            return True
        if not is_folder:
            return False
        if name in NOT_ENTERED or (name.startswith(".") and not hidden and name not in AGENT_FOLDERS):
            return True
        is_site = os.path.lexists(f"{entry.path}{os.sep}{MANIFEST}")
        return is_site or (name == self._name and os.path.realpath(entry.path) == self._ours)


def _name_of(entry: os.DirEntry[str]) -> str:
    return entry.name


def surroundings() -> bytes:
    """What decides about the bytes of a site besides inputs and settings: the program, its libraries by the names of
    their metadata, and what the environment holds of secrets and of names."""
    parts = [__version__, sys.version]
    package = os.path.dirname(__file__)
    folders = [package]
    if not os.path.isdir(os.path.join(package, "templates")):  # it stands beside the package in a clone
        folders.append(os.path.join(os.path.dirname(package), "templates"))
    program = _Look("")
    for folder in folders:
        program.below(folder)  # without what Python compiles of it
    for folder in sys.path:
        if folder.endswith("-packages") and os.path.isdir(folder):
            parts += sorted(name for name in os.listdir(folder) if name.endswith((".dist-info", ".egg-info")))
    names = ("HOME", "USERPROFILE", *sorted(name for name in os.environ if SECRET_NAMES.search(name.upper())))
    parts += [f"{name}={os.environ.get(name)}" for name in names]
    return b"".join(program.lines) + "\0".join(parts).encode("utf-8", "surrogateescape")
