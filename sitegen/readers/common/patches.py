"""The changes of a patch: files, and lines added and removed.

A patch is read by the line counts of its hunks, as `patch` does it, because a removed line that begins with `-- `
looks like the head of a file. It is foreign text all the same: counts that promise more lines than there are, heads
without hunks and paths in quotes are usual, nothing is taken on trust, and no text makes this slow.
"""

import hashlib
import re
from collections.abc import Iterable

from sitegen.model import frozen
from sitegen.readers.common.values import beginning


@frozen
class PatchFile:
    """The changes of a patch to one file, in lines."""

    path: str
    """Foreign text. The new path of a file that is renamed; the old one of a file that is deleted."""
    added: int
    removed: int


@frozen
class Patch:
    """The changes of a patch."""

    files: tuple[PatchFile, ...]
    """The files in the order of the patch; each path once. Binary and renamed files may have no lines."""
    text: str = ""
    """As far as it is shown, where it comes from a pack."""
    digest: str = ""
    """SHA-256 of the whole text, hex."""
    characters: int = 0
    key: str | None = None
    """Digest of the changed lines and their files, without positions and trailing white space; None without any."""

    @property
    def added(self) -> int:
        """Lines."""
        return sum(file.added for file in self.files)

    @property
    def removed(self) -> int:
        """Lines."""
        return sum(file.removed for file in self.files)

    def shown(self, most: int) -> str:
        """So many characters of its text; masks may have made those of a pack longer."""
        return beginning(self.text, most if self.characters == len(self.text) else 2 * most)


def parse(text: str) -> Patch:
    """Return what a git diff or a plain unified diff changes; no files when the text is neither.

    Combined diffs of merges (`@@@`) are not understood. Time is linear in the text.
    """
    counting = _Counting()
    lines = text.split("\n")
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        counting.take(line.removesuffix("\r"), following)
    counting.end_file()
    files = tuple(PatchFile(path, *counts) for path, counts in counting.files.items())
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Patch(files, text, digest, len(text), change_key(lines))


def change_key(lines: Iterable[str]) -> str | None:
    """Return a digest of the changed lines of a patch and their files; None if it changes none."""
    changed = []
    for line in lines:
        if line.startswith(("+", "-")):
            is_file = line.startswith((_OLD, _NEW))
            text = (
                line.partition("\t")[0] if is_file else line
            )  # a time may follow the name of a file
            changed.append(text.rstrip())
    joined = "\n".join(changed).encode("utf-8", "surrogatepass")
    has_change = any(not line.startswith(("+++", "---")) for line in changed)
    return hashlib.sha256(joined).hexdigest()[:16] if has_change else None


_GIT, _OLD, _NEW, _RENAMED = "diff --git ", "--- ", "+++ ", "rename to "
_HUNK = re.compile(r"@@ -[0-9]{1,9}(?:,([0-9]{1,9}))? \+[0-9]{1,9}(?:,([0-9]{1,9}))? @@")


class _Counting:
    """Counts line by line, and knows where in the patch the next line stands."""

    __slots__ = ("_announced", "_counts", "_new", "_old", "_old_path", "files")

    def __init__(self) -> None:
        self.files: dict[str, list[int]] = {}
        self._announced: str | None = (
            None  # by `diff --git`; a binary, renamed or empty file has no other head
        )
        self._old_path: str | None = None
        self._counts: list[int] | None = None  # of the file whose hunks follow
        self._old = self._new = 0  # lines of the hunk that are still to come

    def take(self, line: str, following: str) -> None:
        """Count one line; the one that follows it tells a head from a removed line."""
        if self._counts is not None and self._is_counted(line, self._counts):
            return
        self._old = self._new = 0
        if line.startswith(_GIT):
            self.end_file()
            self._announced = _path_of_git(line.removeprefix(_GIT))
        elif line.startswith(_RENAMED) and self._announced is not None:
            self._announced = _unquoted(line.removeprefix(_RENAMED))
        elif line.startswith(_OLD) and following.startswith(_NEW):
            self._old_path = _path(line.removeprefix(_OLD), "a/")
        elif line.startswith(_NEW) and self._old_path is not None:
            path = _path(line.removeprefix(_NEW), "b/")
            self._announced = self._old_path if path == "/dev/null" else path
            self.end_file()
            self._old_path = None
        elif hunk := _HUNK.match(line):
            self.end_file()
            old, new = hunk.groups()
            self._old = 1 if old is None else int(old)
            self._new = 1 if new is None else int(new)

    def end_file(self) -> None:
        """End the head of a file: the file counts, whether hunks follow or not."""
        if self._announced is not None:
            self._counts = self.files.setdefault(self._announced, [0, 0])
            self._announced = None

    def _is_counted(self, line: str, counts: list[int]) -> bool:
        """Return whether the line belongs to a hunk."""
        match line[:1]:
            case "+" if self._new:
                counts[0] += 1
                self._new -= 1
            case "-" if self._old:
                counts[1] += 1
                self._old -= 1
            case " " | "" if (
                self._old and self._new
            ):  # some programs strip the blank of an empty line
                self._old -= 1
                self._new -= 1
            case "\\" if self._old or self._new:  # "No newline at end of file"
                pass
            case _:
                return False
        return True


_ESCAPED = re.compile(rb"\\([0-3][0-7]{2}|[abtnvfr\"\\])")
_ESCAPES = {
    b"a": b"\a",
    b"b": b"\b",
    b"t": b"\t",
    b"n": b"\n",
    b"v": b"\v",
    b"f": b"\f",
    b"r": b"\r",
}


def _unquoted(path: str) -> str:
    """Return a path as git quotes it when it holds unusual characters: `"\\303\\244.txt"` is `ä.txt`."""
    if len(path) < 2 or path[0] != '"' or path[-1] != '"':
        return path

    def meant(escape: re.Match[bytes]) -> bytes:
        sign = escape[1]
        return bytes([int(sign, 8)]) if sign.isdigit() else _ESCAPES.get(sign, sign)

    return _ESCAPED.sub(meant, path[1:-1].encode("utf-8", "replace")).decode("utf-8", "replace")


def _path(stated: str, prefix: str) -> str:
    """Return the path in a `---` or `+++` line: without the time behind it and git's prefix before it."""
    return _unquoted(stated.partition("\t")[0]).removeprefix(prefix)


def _path_of_git(stated: str) -> str:
    """Return the new path in a `diff --git` line: `a/x b/x` is `x`. Exact where both are the same, else a good
    guess."""
    half = stated[: len(stated) // 2]
    path = half.removeprefix("a/")
    if stated in (
        f"{half} b/{path}",
        f"{half} {half}",
    ):  # git can be told to leave the prefixes out
        return path
    if stated.endswith('"') and ' "' in stated:
        return _path(stated[stated.index(' "') + 1 :], "b/")
    return stated.rpartition(" b/")[2]
