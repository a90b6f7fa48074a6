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

import errno
import os
import sys
import time
from collections.abc import Sequence

from sitegen import __version__
from sitegen.cache.seal import blake2b, read_sealed, signing_key, write_sealed
from sitegen.masking.secret_variables import names_a_secret
from sitegen.places import MANIFEST, cache_folder, is_address, is_not_entered, is_own_folder, is_pattern, is_unread

YOUNG_NS = 2_000_000_000
"""The clock of FAT ticks every two seconds, those of other file systems more often."""
RECORDS_KEPT = 100
_RECORD = b"unchanged"
_MAX_RECORD_BYTES = 1_000_000  # a command that says more is not remembered

# The number of files above which inputs are not recorded, such as a pattern that begins in a home folder.
MAX_FILES = 300_000


def answer(arguments: Sequence[str]) -> int | None:
    """Say again what the last build of these arguments said, when all is as it was; its exit code, else None."""
    if sys.platform == "win32" or not arguments or arguments[0] != "build" or "--no-cache" in arguments:
        return None  # on Windows no record is made, and to look at a path that a forged one names can log in to a host
    folder = _given(arguments) or cache_folder()
    path = _record(folder, arguments)
    if not (os.path.exists(path) and is_own_folder(folder)):
        return None
    try:
        fields = read_sealed(path, _MAX_RECORD_BYTES, _RECORD, os.path.basename(path).encode())
        if fields is None:
            return None
        kept, output, code, quiet, count, *rest = fields.decode("utf-8", "surrogateescape").split("\0")
        end = 2 * int(count)
        inputs = list(zip(rest[0:end:2], rest[1:end:2], strict=True))
        said = list(zip(rest[end::2], rest[end + 1 :: 2], strict=True))
        if kept != state(inputs, output):
            return None
        os.utime(path)  # those used least recently go first
    except (OSError, ValueError):
        return None
    if not quiet:
        _print("Nothing has changed since the last build.", is_error=False)
    for kind, line in said:
        _print(line, is_error=kind == _ERROR)
    return int(code)


_ERROR = "error"


def _print(line: str, *, is_error: bool) -> None:
    stream = sys.stderr if is_error else sys.stdout
    if stream is None:  # it is closed
        return
    try:
        print(printable(line, stream.encoding), file=stream, flush=True)
    except OSError:  # whoever read our output has gone, or its disk is full
        give_up(is_error=is_error)


def give_up(*, is_error: bool) -> None:
    """Let go of a stream that cannot be written, or Python complains when it exits."""
    setattr(sys, "stderr" if is_error else "stdout", None)


def printable(text: str, encoding: str | None) -> str:
    """Return the text with a question mark for each sign that a stream of this encoding cannot write, and with a space
    in what a service of CI would obey: `##vso[`, `##[` and `##teamcity[` anywhere, `::` at the start of a line."""
    encoding = encoding or "ascii"
    if "##" in text or "::" in text:
        import re  # rarely needed, and slow to import

        text = re.sub(r"(?m)#(?=#\w*\[)|^[^\S\n]*:(?=:)", r"\g<0> ", text)
    return text.encode(encoding, "replace").decode(encoding)


def _given(arguments: Sequence[str]) -> str | None:
    """Return the cache folder that the arguments name, whichever way."""
    for number, argument in enumerate(arguments):
        if argument == "--cache-dir":
            return arguments[number + 1] if number + 1 < len(arguments) else None
        if argument.startswith("--cache-dir="):
            return argument.partition("=")[2]
    return None


def _record(folder: str, arguments: Sequence[str]) -> str:
    digest = blake2b(_joined([os.getcwd(), *arguments]), digest_size=16)
    return os.path.join(folder, "unchanged", digest.hexdigest())


def _joined(fields: Sequence[str]) -> bytes:
    """Return one text of several: neither a path nor an argument nor a line that is shown holds a NUL.

    JSON would have to be imported, and regular expressions with it.
    """
    return "\0".join(fields).encode("utf-8", "surrogateescape")


Input = tuple[str, str]
"""A file, folder or pattern, and what of it is read: "runs", "all" of a folder, or a file "alone", not those beside."""


class Watch:
    """Makes the record of one build: begin it before runs are read.

    What was read before, the settings, is older than two seconds or no record is made.
    """

    def __init__(self, arguments: Sequence[str], inputs: Sequence[Input], output: str, folder: str) -> None:
        """`output` is the folder that is written, `folder` the cache."""
        self._record = _record(folder, arguments)
        self._inputs, self._output = list(inputs), output
        self._started_ns = time.time_ns()
        looked = look_at(self._inputs, output)
        self._before, self._youngest_ns = _state(surroundings(), looked), looked.youngest_ns

    def remember(self, said: Sequence[tuple[bool, str]], code: int, *, quiet: bool) -> None:
        """Keep what was said, each line with whether it went to standard error, and the exit code.

        Keeps nothing where times could lie, or where there is no cache folder.
        """
        if sys.platform == "win32" or self._youngest_ns > self._started_ns - YOUNG_NS:
            return
        around, looked = surroundings(), look_at(self._inputs, self._output)
        if _state(around, looked) != self._before:
            return
        lines = [(_ERROR if is_error else "", line) for is_error, line in said]
        shown = "quiet" if quiet else ""
        fields = [_state(around, looked.with_output(self._output)), self._output, str(code), shown]
        fields += [str(len(self._inputs)), *(part for given in self._inputs for part in given)]
        fields += [part for line in lines for part in line]
        record = _joined(fields)
        folder = os.path.dirname(self._record)
        if signing_key() is None or not is_own_folder(folder):
            return
        try:
            write_sealed(self._record, record, _RECORD, os.path.basename(self._record).encode())
            with os.scandir(folder) as listing:
                files = sorted((entry.stat().st_mtime_ns, entry.path) for entry in listing)
            for _, path in files[:-RECORDS_KEPT]:  # those used longest ago
                os.unlink(path)
        except OSError:
            return


def state(inputs: Sequence[Input], output: str) -> str:
    """Return a digest over all that a build depends on, with what it wrote."""
    return _state(surroundings(), look_at(inputs, output).with_output(output))


def look_at(inputs: Sequence[Input], output: str) -> FolderState:
    """Return a look at the inputs; the output is passed over. Raises: OSError, also for more files than MAX_FILES."""
    looked = FolderState(os.path.realpath(output))
    for text, read in inputs:
        looked.at_input(text, read)
    return looked


def _state(around: bytes, looked: FolderState) -> str:
    """Return a digest over what was found."""
    digest = blake2b(around, digest_size=16)
    digest.update("".join(looked.lines).encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


class FolderState:
    """The result of a look at files: a line for each, in the order of their names, and the latest of their times."""

    def __init__(self, ours: str) -> None:
        """`ours` is the output: it is passed over, and so is what stands beside it while it is written."""
        self.lines: list[str] = []
        self.youngest_ns = 0
        self._ours, self._name = ours, os.path.basename(ours)
        self._beside = f".{self._name}.sitegen"

    def with_output(self, output: str) -> FolderState:
        """Return the same with the output: its one file, or all that lies in its folder. Raises: OSError."""
        if is_address(output):
            self._at_address(f"{output.rstrip('/')}/index.html")
        elif os.path.isdir(output):
            self.below(output, everything=True, modes=True)
        else:
            self._file(output, os.lstat(output))
        return self

    def at_input(self, text: str, read: str) -> None:
        """Take in everything that an input can lead to, and more: of a pattern the folder that it begins with, of a
        file what lies beside it, which may describe it. Raises: OSError."""
        if is_address(text):
            self._at_address(text)
        elif os.path.isdir(text):
            self.below(text, everything=read == "all")
        elif os.path.lexists(text):
            self._file(text, os.stat(text))
            if read != "alone":
                self.below(os.path.dirname(text) or ".", is_deep=False)
        elif read == "alone" and not is_pattern(text):  # it may be there the next time
            self.lines.append(f"{len(text)} {text}, which is not there\n")
        else:
            signs = [at for sign in "*?[" if (at := text.find(sign)) >= 0]
            folder = os.path.dirname(text[: min(signs)]) if signs else text
            hidden = any(part.startswith(".") for part in text[len(folder) :].split(os.sep))
            self.below(folder or ".", hidden=hidden)

    def _at_address(self, url: str) -> None:
        """Take in everything below the folder that an address, or its pattern, begins with, by what the store says of
        it."""
        from sitegen.errors import SitegenError
        from sitegen.remote import clients, stored_files  # slow to import

        try:
            for each in stored_files.below(url):
                self.lines.append(f"{len(each.url)} {each.version} {each.url}\n")
                if not each.version:  # it is young
                    self.youngest_ns = time.time_ns()
                if len(self.lines) > MAX_FILES:
                    raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        except SitegenError:
            raise OSError(errno.EIO, os.strerror(errno.EIO)) from None
        finally:
            clients.rest()

    def below(
        self, folder: str, *, everything: bool = False, hidden: bool = False, is_deep: bool = True, modes: bool = False
    ) -> None:
        """Take in the files and folders below a folder, without what no build enters; no link is followed.

        With `everything` nothing is passed over, with `modes` those of folders count too.

        Raises: OSError, also for more files than MAX_FILES.
        """
        waiting = [folder]
        while waiting:
            at = waiting.pop()
            if modes:
                self.lines.append(f"{os.lstat(at).st_mode}\n")
            with os.scandir(at) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
            for entry in entries:
                is_folder = entry.is_dir(follow_symlinks=False)
                if not everything and is_unread(at, entry.name):
                    continue
                if not everything and self._is_passed_over(entry, is_folder=is_folder, hidden=hidden):
                    continue
                if not is_folder:
                    self._file(entry.path, entry.stat(follow_symlinks=False))
                    continue
                path = entry.path
                self.lines.append(f"{len(path)} {path}/\n")  # its times change with a site that may lie in it
                if is_deep:
                    waiting.append(entry.path)
            if len(self.lines) > MAX_FILES:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))

    def _file(self, path: str, status: os.stat_result) -> None:
        written_ns, changed_ns = status.st_mtime_ns, status.st_ctime_ns
        if written_ns > self.youngest_ns or changed_ns > self.youngest_ns:
            self.youngest_ns = max(written_ns, changed_ns)
        # With the length of its path, no name can look like another line.
        numbers = f"{status.st_mode} {status.st_ino} {status.st_size} {written_ns} {changed_ns}"
        self.lines.append(f"{len(path)} {numbers} {path}\n")

    def _is_passed_over(self, entry: os.DirEntry[str], *, is_folder: bool, hidden: bool) -> bool:
        """Return whether no build reads it, as `discover` has it: but for hidden files, of which it may read some."""
        name = entry.name
        if name.startswith(self._beside):
            return True
        if not is_folder:
            return False
        if is_not_entered(name, hidden=hidden):
            return True
        is_site = os.path.lexists(f"{entry.path}{os.sep}{MANIFEST}")
        return is_site or (name == self._name and os.path.realpath(entry.path) == self._ours)


def surroundings() -> bytes:
    """Return what decides about the bytes of a site besides inputs and settings; of the program, the times of its
    files."""
    package = os.path.dirname(os.path.dirname(__file__))
    program = FolderState("")
    program.below(package)  # without what Python compiles of it
    if not os.path.isdir(os.path.join(package, "templates")):  # it stands beside the package in a clone
        program.below(os.path.join(os.path.dirname(package), "templates"))
    return "\0".join([*program.lines, *environment()]).encode("utf-8", "surrogateescape")


# Short-lived tokens that GitHub makes for one job: what an earlier one has read cannot hold them, and in what this one
# reads they are masked.
_OF_ONE_JOB = ("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "ACTIONS_RUNTIME_TOKEN")


def environment() -> list[str]:
    """Python, the libraries by the names of their metadata, and what the environment holds of secrets and of names."""
    parts = [__version__, sys.version]
    for folder in sys.path:
        try:
            parts += sorted(name for name in os.listdir(folder or ".") if name.endswith((".dist-info", ".egg-info")))
        except OSError:  # a zip file, or a folder that may only be passed through
            parts.append(folder)
    secrets = sorted(name for name in os.environ if names_a_secret(name) and name not in _OF_ONE_JOB)
    return [*parts, *(f"{name}={os.environ.get(name)}" for name in ("HOME", "USERPROFILE", *secrets))]
