"""Finds the files that may hold runs, and reads their bytes safely.

Folders of runs are where agents worked: they contain links, pipes, virtual environments and names nobody would type.
Nothing found by walking is reached through a link, so nothing outside the inputs is published; what is left out is
listed; and the order, the paths and the prefixes depend on names alone, never on the listing order of a disk.
"""

from __future__ import annotations

import errno
import itertools
import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from sitegen import figures
from sitegen.errors import ConfigError, ReadError, reason_of
from sitegen.model import Level, Problem, Source, Verdict
from sitegen.remote import clients, stored_files
from sitegen.system.address import Address
from sitegen.system.bounds import DEFAULT, IN_MEMORY, MB, Bounds
from sitegen.system.places import (
    MANIFEST,
    absolute,
    is_address,
    is_hidden_file,
    is_not_entered,
    is_pattern,
    is_unread,
)

# Finds the files that lie beside a run: its sidecar, its patch.
# A folder is listed once, however many runs lie in it, and only regular files count: a run was found through no link,
# so what belongs to it is not reached through one either.


def shared_stem(path: str) -> str:
    """Return the stem that a file shares with those beside it: `logs/1` of `logs/1.json` and of `logs/1.json.gz`."""
    return os.path.splitext(unpacked(path))[0]  # noqa: PTH122  Path.stem is slow for ten thousand


def unpacked(path: str) -> str:
    """Return the path of a file that may be packed alone, without `.gz`."""
    return path[:-3] if path.lower().endswith(".gz") else path


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The regular files in the folders of runs, as they were when each folder was first asked for."""

    _folders: dict[str, frozenset[str]] = field(default_factory=dict)

    def names(self, run: Source) -> frozenset[str]:
        """Return names of the regular files in the folder of `run`; none beside a member of an archive."""
        if run.member is not None:
            return frozenset()
        folder = os.path.dirname(run.location)  # noqa: PTH120  ten times as fast, for ten thousand runs
        if folder not in self._folders:
            self._folders[folder] = (
                stored_files.names_beside(run.address) if run.address else _regular_files(folder)
            )
        return self._folders[folder]

    def find(self, run: Source, names: Iterable[str]) -> tuple[Source, ...]:
        """Return those of `names` that lie in the folder of `run`, as sources that nobody named."""
        there = self.names(run)
        return tuple(_beside(run, name) for name in names if name in there)


def _beside(run: Source, name: str) -> Source:
    address = stored_files.beside(run.address, name) if run.address else None
    location = address.as_path if address else Path(os.path.dirname(run.location), name)  # noqa: PTH120  likewise
    parent = run.path.rpartition("/")[0]
    path = f"{parent}/{name}" if parent else name
    return Source(path, str(location), named=False, size=0, input=run.input, address=address)


def _regular_files(folder: str) -> frozenset[str]:
    with suppress(OSError), os.scandir(folder or ".") as entries:
        return frozenset(entry.name for entry in entries if entry.is_file(follow_symlinks=False))
    return frozenset()


# Files that may be streams, a record a line; and archives whose members are read one by one.
_LINES = (".jsonl", ".ndjson", ".log", ".out", ".txt", ".eval")


@dataclass(frozen=True, slots=True)
class Discovery:
    """The contents of the inputs."""

    sources: tuple[Source, ...]
    """The sources by path. Each file is listed once, however many inputs lead to it."""
    ignored: tuple[str, ...]
    """The paths that were left out, by path; folders end in a slash."""
    problems: tuple[Problem, ...]
    ignoring: tuple[re.Pattern[str], ...] = ()
    """The meaning of `ignore` for a path within an input, for what lies within archives."""
    links: int = 0  # that are ignored
    special_files: int = 0  # pipes, sockets and devices that are ignored
    sites: int = 0  # folders that are ignored as published sites, because they hold a manifest
    bounds: Bounds = DEFAULT


@dataclass(frozen=True, slots=True)
class _Found:
    """A path below an input, before it has a public name."""

    within: str
    location: Path | Address
    kind: str  # "file", or why it is none: "ignored", "problem"
    size: int = 0
    named: bool = False
    input: int = 0
    base: str = ""  # the real path of the folder that `within` is relative to
    # The reason: for a problem, why it cannot be read; for what is ignored, _LINK, _SPECIAL or _SITE if it is one.
    reason: str = ""
    level: Level = Level.FULL


# A symbolic link; a pipe, a socket or a device; a folder that holds the manifest of a site.
_LINK, _SPECIAL, _SITE = "link", "special", "site"


def discover(
    inputs: Sequence[str | Path],
    *,
    exclude: Sequence[str | Path] = (),
    ignore: Sequence[str] = (),
    levels: Sequence[Level] = (),
    bounds: Bounds = DEFAULT,
) -> Discovery:
    """Return all files below `inputs`: files, folders and glob patterns (`**` stands for any folders), here or at an
    address.

    Hidden files and folders (but those where agents keep runs), folders of other programs, links and whatever is no
    regular file are left out and listed, and so are published sites. `exclude`d folders (the output) and what matches a
    pattern in `ignore` are not mentioned; a pattern without a slash is held against each name, one with a slash
    against the path in the input. Paths are relative to their input; inputs of one name, and inputs whose paths
    collide, get a prefix. `levels` are those of the inputs.

    Raises: ConfigError when an input does not exist or a pattern matches nothing, for all such inputs at once;
    PublishError when a store does not answer.
    """
    ignoring = tuple(_ignoring(pattern) for pattern in ignore)
    excluded = (
        absolute(path) if is_address(path) else os.path.realpath(path) for path in map(str, exclude)
    )
    walker = _Walker(frozenset(excluded), ignoring)
    try:
        return replace(_discovery(inputs, walker, levels), ignoring=ignoring, bounds=bounds)
    finally:
        clients.close_connections()


def _discovery(
    inputs: Sequence[str | Path], walker: _Walker, levels: Sequence[Level] = ()
) -> Discovery:
    found: list[_Found] = []
    bases: dict[
        str, str | None
    ] = {}  # real path -> name of the folder; None when it holds files named alone
    faults: list[str] = []
    for number, given in enumerate(inputs):
        text = os.fspath(given)
        root, below = _expanded(text, walker)
        if below is None:
            why = f"{_NO_FILE}. Check the spelling."
            if is_pattern(text):
                why = f"{_NO_MATCH}. Check it, and quote it so that the shell does not expand it."
            faults.append(f"{text}: {why}")
            continue
        base = root if is_address(root) else os.path.realpath(root)
        level = levels[number] if levels else Level.FULL
        found += (replace(each, input=number, base=base, level=level) for each in below)
        alone = not is_address(text) and os.path.isfile(text)  # noqa: PTH113  Path's raises where a name is too long
        bases[base] = bases.get(base) or (None if alone else Path(base).name or "input")
    if faults:
        raise ConfigError("\n\n".join(faults))
    return _name_publicly(_once(found), bases)


def all_files(inputs: Sequence[str | Path]) -> Discovery:
    """Return the same of every file: what is hidden, belongs to other programs or is a published site counts as
    well."""
    return _discovery(inputs, _Walker(frozenset(), (), takes_all=True))


def _expanded(text: str, walker: _Walker) -> tuple[str, Iterator[_Found] | None]:
    """Return the folder that an input's paths are relative to, and what lies below it; None when there is nothing."""
    if is_address(text):
        return _expanded_address(clients.checked(text), walker)
    path = Path(text)
    if os.path.isdir(path):  # noqa: PTH112  likewise
        return text, walker.all_in(path)
    if os.path.lexists(path):
        return os.fspath(path.parent), iter((_named(path),))
    if not is_pattern(text):
        return text, None
    root, found = _matches(path, walker)
    matches = list(found)
    return os.fspath(root), iter(matches) if any(
        match.kind != "ignored" for match in matches
    ) else None


def _expanded_address(url: str, walker: _Walker) -> tuple[str, Iterator[_Found] | None]:
    """Return the same of an address. Raises: ConfigError, PublishError."""
    start, *parts = url.split("/")
    fixed = list(itertools.takewhile(lambda part: not is_pattern(part), parts))
    root = "/".join((start, *fixed))
    pattern = tuple(parts[len(fixed) :])
    try:
        if not pattern and (named := stored_files.look_at(url)) and named.kind != "directory":
            kind, reason = (
                ("file", "") if named.kind == "file" else ("problem", "it is not a regular file")
            )
            found = _Found(
                named.name, named.address, kind, named.address.size, named=True, reason=reason
            )
            return root.rpartition("/")[0], iter((found,))
        below = replace(walker, remote=stored_files.Folder(root))
        address = Address(root)
        matches = list(below.expand(address, "", pattern) if pattern else below.walk(address, ""))
    except OSError as error:
        raise ConfigError(f"{url}: {reason_of(error)}.") from None
    is_there = any(match.kind != "ignored" for match in matches) if pattern else matches
    return root, iter(matches) if is_there else None


def _matches(pattern: Path, walker: _Walker) -> tuple[Path, Iterator[_Found]]:
    """Return the folder that a pattern begins with, and what below it matches."""
    root = _fixed(pattern)
    return root, walker.expand(
        root, "", pattern.parts[len(root.parts) :]
    ) if root.is_dir() else iter(())


def _fixed(pattern: Path) -> Path:
    return Path(*itertools.takewhile(lambda part: not is_pattern(part), pattern.parts))


def passed_over(found: Discovery) -> str | None:
    """Return how many links, pipes and the like were not read, and what to do; None where there are none."""
    kinds = [figures.plural(found.links, "link")] if found.links else []
    if found.special_files:
        kinds.append(
            figures.plural(
                found.special_files, "pipe, socket or device", "pipes, sockets or devices"
            )
        )
    were = "was" if found.links + found.special_files == 1 else "were"
    target = " To read a link's target, name that target." if found.links else ""
    return f"{' and '.join(kinds)} in the inputs {were} not read.{target}" if kinds else None


def folders_of(text: str) -> tuple[list[str], bool]:
    """Return the folders that an input leads to, and whether to all below them: a folder, those of a file by its name
    and behind its links, or the one that a pattern begins with. None where it leads to nothing."""
    path = Path(text)
    if is_address(text):
        return [], False
    if os.path.isdir(path):  # noqa: PTH112  likewise
        return [os.fspath(path)], True
    if os.path.lexists(path):
        known = (os.path.abspath(path), os.path.realpath(path))  # noqa: PTH100
        return list(map(os.path.dirname, known)), False
    return ([os.fspath(_fixed(path))], True) if is_pattern(text) else ([], False)


def missing(text: str) -> str | None:
    """Return why a path or a pattern leads to nothing, without a full stop; None where it leads somewhere. Whether an
    address does is for the build to see."""
    if is_address(text) or os.path.lexists(text):
        return None
    if not is_pattern(text):
        return _NO_FILE
    try:
        matches = _matches(Path(text), _Walker(frozenset(), ()))[1]
        return None if any(match.kind != "ignored" for match in matches) else _NO_MATCH
    except ConfigError:
        return _BAD_PATTERN


_NO_FILE = "there is no such file or folder"
_NO_MATCH = "no file matches this pattern"
_BAD_PATTERN = "this pattern cannot be used: a range in [...] runs backwards"


def _named(path: Path) -> _Found:
    """Return a file that the user named. Links are followed: naming is permission."""
    try:
        status = path.stat()
    except OSError as error:
        return _Found(path.name, path, "problem", named=True, reason=reason_of(error))
    if stat.S_ISREG(status.st_mode):
        return _Found(path.name, path, "file", status.st_size, named=True)
    return _Found(path.name, path, "problem", named=True, reason="it is not a regular file")


@dataclass(frozen=True, slots=True)
class _Walker:
    """Lists folders by one set of rules."""

    excluded: frozenset[str]
    ignoring: tuple[re.Pattern[str], ...]
    takes_all: bool = False
    # The folder that is listed in place of folders of this machine.
    remote: stored_files.Folder | None = None

    def all_in(self, folder: Path) -> Iterator[_Found]:
        """Return all that a folder which the user named holds; of a published site, that it is one."""
        if self.takes_all or not self._holds_site(folder):
            return self.walk(folder, "")
        reason = f"it is a site that sitegen wrote, not runs; name the folder of its runs, or remove its {MANIFEST}"
        return iter((_Found(f"{folder.name}/", folder, "problem", named=True, reason=reason),))

    def walk(self, root: Path | Address, below: str) -> Iterator[_Found]:
        """Yield everything below a folder, which is named by its path below the input."""
        waiting = [(root, below)]
        while waiting:
            folder, below = waiting.pop()
            for found in self._list(folder, below):
                if found.kind == "folder":
                    waiting.append((found.location, found.within))
                else:
                    yield found

    def expand(self, root: Path | Address, below: str, parts: tuple[str, ...]) -> Iterator[_Found]:
        """Yield what matches a pattern, given as its parts; a folder that matches stands for all below it."""
        first, *others = parts
        rest = tuple(others)
        if first == "**":
            yield from self.expand(root, below, rest) if rest else self.walk(root, below)
        matches = _pattern(first).fullmatch
        if first == "**" and not rest:
            return
        for found in self._list(root, below, wanted=first):
            if found.kind == "problem":
                yield found
            elif found.kind == "folder" and first == "**":
                yield from self.expand(found.location, found.within, parts)
            elif found.kind == "folder" and matches(found.location.name):
                deeper = self.expand(found.location, found.within, rest) if rest else None
                yield from deeper or self.walk(found.location, found.within)
            elif found.kind != "folder" and not rest and matches(found.location.name):
                yield found

    def _entries(
        self, folder: Path | Address
    ) -> Sequence[os.DirEntry[str] | stored_files.RemoteEntry]:
        """Return the contents of a folder, by name. Raises: OSError, PublishError."""
        if isinstance(folder, Address):
            return self.remote.entries(folder.url) if self.remote else ()
        with os.scandir(folder) as listing:
            return sorted(listing, key=lambda entry: entry.name)

    def _holds_site(self, folder: Path | Address) -> bool:
        if isinstance(folder, Address):
            return self.remote is not None and self.remote.holds(folder.url, MANIFEST)
        return os.path.lexists(folder / MANIFEST)

    def _list(self, folder: Path | Address, below: str, wanted: str = "*") -> Iterator[_Found]:
        """Yield the entries of a folder, by name: files, "folder"s to go into, and what is left out.

        What is hidden is left out unless the `wanted` part of a pattern begins with a dot, as in a shell.
        """
        try:
            entries = self._entries(folder)
        except OSError as error:
            yield _Found(f"{below}/" if below else "./", folder, "problem", reason=reason_of(error))
            return
        at = folder.url if isinstance(folder, Address) else os.path.abspath(folder)  # noqa: PTH100
        for entry in entries:
            if not self.takes_all and is_unread(at, entry.name):
                continue
            within = f"{below}/{entry.name}" if below else entry.name
            path = (
                entry.address if isinstance(entry, stored_files.RemoteEntry) else Path(entry.path)
            )
            if any(pattern.fullmatch(within) for pattern in self.ignoring):
                continue
            try:
                kind, size = _told(entry)
                is_folder = kind == "directory"
                if not self.takes_all and self._is_ours(entry):
                    continue
                if not self.takes_all and self._is_left_out(
                    entry, is_folder, hidden=not wanted.startswith(".")
                ):
                    yield _Found(f"{within}/" if is_folder else within, path, "ignored")
                elif is_folder and not self.takes_all and self._holds_site(path):
                    yield _Found(f"{within}/", path, "ignored", reason=_SITE)
                elif is_folder:
                    yield _Found(within, path, "folder")
                elif kind == "file":
                    yield _Found(within, path, kind, size)
                else:
                    yield _Found(
                        within, path, "ignored", reason=_LINK if kind == "link" else _SPECIAL
                    )
            except OSError as error:
                yield _Found(within, path, "problem", reason=reason_of(error))

    def _is_ours(self, entry: os.DirEntry[str] | stored_files.RemoteEntry) -> bool:
        """Return whether it is the output, or stands beside it while it is written: no word about it, or two builds of
        one input would differ."""
        own = (
            re.fullmatch(r"\.(.+)\.sitegen(?:\.lock|-[0-9a-f]+)", entry.name)
            if entry.name[0] == "."
            else None
        )
        name = own[1] if own else entry.name
        if isinstance(entry, stored_files.RemoteEntry):
            return entry.path in self.excluded
        if not (entry.is_symlink() or any(path.endswith(name) for path in self.excluded)):
            return False  # without asking the file system where each file really lies
        beside = entry.path.removesuffix(entry.name) + name
        return os.path.realpath(beside) in self.excluded

    def _is_left_out(
        self, entry: os.DirEntry[str] | stored_files.RemoteEntry, is_folder: bool, *, hidden: bool
    ) -> bool:
        if is_folder:
            return is_not_entered(entry.name, hidden=not hidden)
        return hidden and is_hidden_file(entry.name)


def _told(entry: os.DirEntry[str] | stored_files.RemoteEntry) -> tuple[str, int]:
    """Return the kind of an entry, without following it, and the size of a file. Raises: OSError."""
    if isinstance(entry, stored_files.RemoteEntry):
        return entry.kind, entry.address.size
    if entry.is_file(follow_symlinks=False):
        return "file", entry.stat(follow_symlinks=False).st_size
    return "directory" if entry.is_dir(
        follow_symlinks=False
    ) else "link" if entry.is_symlink() else "special", 0


def is_left_out(parts: Sequence[str]) -> bool:
    """Return whether a file is hidden or lies in a folder that is not entered, by the parts of its path."""
    *folders, name = parts
    if is_hidden_file(name) or any(map(is_not_entered, folders)):
        return True
    return any(is_unread("/".join(parts[:number]), part) for number, part in enumerate(parts))


def _ignoring(pattern: str) -> re.Pattern[str]:
    """Return what a pattern of `ignore` means for a path within an input; a matching folder is not entered."""
    pattern = pattern.removeprefix("./").rstrip("/")
    return _pattern(pattern if "/" in pattern else f"**/{pattern}")


def _pattern(glob: str) -> re.Pattern[str]:
    """Return a glob pattern as a regular expression: `**/` any folders, `**` anything, `*`, `?` and `[...]` within a
    name."""
    parts: list[str] = []
    for stars, one, signs, literal in _GLOB_PART.findall(glob):
        if stars:
            parts.append({"**/": "(?:[^/]+/)*", "**": ".*"}.get(stars, "[^/]*"))
        elif one:
            parts.append("[^/]")
        elif signs:
            inner = signs[1:-1].replace("\\", r"\\").replace("[", r"\[")
            parts.append(f"[{'^/' + inner[1:] if inner.startswith('!') else inner}]")
        else:
            parts.append(re.escape(literal))
    try:
        return re.compile("".join(parts), re.DOTALL)
    except re.error:
        raise ConfigError(f"{glob}: {_BAD_PATTERN}.") from None


_GLOB_PART = re.compile(r"(\*\*/|\*\*|\*)|(\?)|(\[!?\]?[^\]/]*\])|(.)", re.DOTALL)


def _once(found: list[_Found]) -> list[_Found]:
    """Return each file once: as the first input that leads to it calls it, named when any input named it, and at the
    lowest of their levels."""
    kept: dict[str, _Found] = {}
    for each in found:
        at = each.location
        named = at.url if isinstance(at, Address) else os.path.realpath(at) if each.named else None
        real = named or os.path.normpath(f"{each.base}/{each.within}")
        first = kept.setdefault(real, each)
        level = Level.lowest(first.level, each.level)
        if each.named and not first.named:
            kept[real] = replace(
                each, within=first.within, input=first.input, base=first.base, level=level
            )
        elif level is not first.level:
            kept[real] = replace(first, level=level)
    return list(kept.values())


def _name_publicly(found: list[_Found], bases: dict[str, str | None]) -> Discovery:
    """Return everything under its public path."""
    sources: list[Source] = []
    ignored: list[str] = []
    problems: list[Problem] = []
    taken: set[str] = set()
    by_path = zip(_public_paths(found, bases), found, strict=True)
    for path, file in sorted(by_path, key=lambda pair: (pair[0], pair[1].within)):
        path = _untaken(path, taken)  # two names of bytes can look alike
        if file.kind == "file":
            sources.append(_source(file, path))
        elif file.kind == "ignored":
            ignored.append(path)
        else:
            reason = f"It cannot be read: {file.reason}."
            problems.append(Problem(path, "E_READ", Verdict.SKIP, reason))
    reasons = Counter(file.reason for file in found if file.kind == "ignored")
    counts = reasons[_LINK], reasons[_SPECIAL], reasons[_SITE]
    return Discovery(tuple(sources), tuple(ignored), tuple(problems), (), *counts)


def _public_paths(found: list[_Found], bases: dict[str, str | None]) -> list[str]:
    """Return the path of each file, below the name of its input where inputs share a name or a path."""
    uses = Counter(name for name in bases.values() if name is not None)
    prefixed = {base for base, name in bases.items() if name is not None and uses[name] > 1}
    while True:
        prefixes = _prefixes([base for base in bases if base in prefixed])
        paths = [prefixes.get(file.base, "") + _readable(file.within) for file in found]
        holders: dict[str, set[str]] = {}
        for file, path in zip(found, paths, strict=True):
            holders.setdefault(path, set()).add(file.base)
        colliding: set[str] = set()
        for path_bases in holders.values():
            if len(path_bases) > 1:
                colliding |= path_bases
        if colliding <= prefixed:
            return paths
        prefixed |= colliding


def _source(file: _Found, path: str) -> Source:
    within = _readable(file.within)
    if within == path:
        within = path  # one text, of many runs
    address = file.location if isinstance(file.location, Address) else None
    location = str(address.as_path if address else file.location)
    return Source(
        path,
        location,
        file.named,
        file.size,
        file.input,
        within,
        address=address,
        level=file.level,
    )


def _prefixes(bases: Sequence[str]) -> dict[str, str]:
    """Return `a/runs/`, `b/runs/`, ...: as many folders of the path of each input as tell it from the others."""
    folders = {base: _readable(base).strip("/").split("/") for base in bases}
    prefixes: dict[str, str] = {}
    for base, names in folders.items():
        others = [folders[other] for other in bases if other != base]
        depth = 1
        while depth < len(names) and any(other[-depth:] == names[-depth:] for other in others):
            depth += 1
        prefixes[base] = f"{'/'.join(names[-depth:]) or 'input'}/"
    return prefixes


def _readable(within: str) -> str:
    """Return a path of this machine as text that can be shown."""
    # Names are bytes; taking them for UTF-8 whatever the locale gives one path on every machine.
    return readable(os.fsencode(within).decode("utf-8", "surrogateescape").replace(os.sep, "/"))


def readable(path: str) -> str:
    """Return a path as text that can be shown: what is not a visible character stands as its bytes, `%0A`."""
    if path.isprintable():
        return path
    return "".join(sign if sign.isprintable() else _escaped(sign) for sign in path)


def _escaped(sign: str) -> str:
    code = ord(sign)
    raw = (
        bytes([code - 0xDC00])
        if 0xDC80 <= code <= 0xDCFF
        else sign.encode("utf-8", "surrogatepass")
    )
    return "".join(f"%{byte:02X}" for byte in raw)


def _untaken(path: str, taken: set[str]) -> str:
    stem, dot, extension = path.rpartition(".")
    numbered = (
        f"{stem}~{n}{dot}{extension}" if stem else f"{path}~{n}" for n in itertools.count(2)
    )
    free = next(each for each in itertools.chain((path,), numbered) if each not in taken)
    taken.add(free)
    return free


def read_bytes(source: Source, bounds: Bounds = DEFAULT) -> bytes:
    """Return the content of a file. Only a regular file is read, and one found by walking through no link.

    Raises: ReadError `E_READ` when it cannot be read, `E_LIMIT` when it is too large.
    """
    most = max_bytes_at_once(source.path, bounds)
    try:
        with opened(source) as file:
            data = file.read(most + 1)
    except OSError as error:
        raise ReadError.unreadable(error) from None
    if len(data) > most:
        raise ReadError.too_large(most)
    return data


def max_bytes(path: str, bounds: Bounds) -> int:
    """Return bytes that a file of this name may have, unpacked."""
    return MB * (
        bounds.stream_mb if path.lower().removesuffix(".gz").endswith(_LINES) else bounds.file_mb
    )


def max_bytes_at_once(path: str, bounds: Bounds) -> int:
    """Return the same where it is read into memory as a whole."""
    return min(max_bytes(path, bounds), max(IN_MEMORY, bounds.file_mb * MB))


def size_of(file: BinaryIO) -> int:
    """Return bytes of an open file, which stands at its beginning again. Raises: OSError."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    return size


def opened(source: Source) -> BinaryIO:
    """Return the file of a source. Raises: OSError, PublishError where a store does not answer."""
    if source.address is not None:
        return stored_files.opened(source.address)
    flags = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    flags |= getattr(os, "O_NONBLOCK", 0)  # a pipe that has taken the file's place must not block
    if not source.named:
        flags |= getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(source.location, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.ENODEV, "it is not a regular file")
    return os.fdopen(descriptor, "rb")
