"""Finds runs by their names: id, path, uuid, session.

Every name is looked up in a table that is made once, so ten thousand rows and ten thousand runs take as long as both
together.
"""

import os
import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import partial
from itertools import chain

from sitegen.inputs.discover import Neighbours, unpacked
from sitegen.model import Entry, Source
from sitegen.outcomes.reasons import Reason, Why, because
from sitegen.outcomes.rows import NAMES, Row

Name = tuple[str, str]
"""The name of one run: "id", "path", "location", "uuid" or "session", and the value."""


class RunNames:
    """The positions of runs by what these rows name one run by."""

    def __init__(self, entries: Sequence[Entry], rows: Sequence[Row], unread: Set[str]) -> None:
        self.entries = entries
        self._unread = unread
        names = chain.from_iterable(map(names_in, rows))
        self._exact = index_names(entries, names, names_of)
        missed = [row for row in rows if row.path and not self._find_exactly(row)]
        paths = list(chain.from_iterable(map(paths_in, missed)))
        folders = {(kind, posixpath.dirname(path)) for kind, path in paths}
        files = {posixpath.basename(path) for _, path in paths}
        names_near = partial(near_names_of, folders, files, Neighbours(), unread)
        self._near = index_names(entries, paths, names_near)

    def find(self, row: Row) -> Sequence[int]:
        """Return the runs that the first name with any run means, else those in the folder that its path names or its
        file is in; of a sidecar all that it lies beside."""
        if positions := self._find_exactly(row):
            return positions
        near = map(self._near.get, paths_in(row))
        return next(filter(None, near), [])

    def explain(self, row: Row) -> Reason:
        """Return why a row is about no run."""
        path = posixpath.normpath(row.path) if row.path else ""
        if path and any(path == file or path.endswith(f"/{file}") for file in self._unread):
            return because(Why.FILE_UNREADABLE, path=row.path)
        column = next((name for name in NAMES if getattr(row, name)), "id")
        return because(Why.NO_SUCH_NAME, column=column, name=getattr(row, column))

    def _find_exactly(self, row: Row) -> Sequence[int]:
        positions = map(self._exact.__getitem__, names_in(row))
        if row.runs:
            return list(chain.from_iterable(positions))
        return next(filter(None, positions), [])


def index_names(
    entries: Sequence[Entry], wanted: Iterable[Name], names_of: Callable[[Entry], Iterable[Name]]
) -> dict[Name, list[int]]:
    """Return the positions of the runs that have each of some names."""
    positions: dict[Name, list[int]] = {name: [] for name in wanted}
    if positions:
        for position, entry in enumerate(entries):
            for name in positions.keys() & names_of(entry):
                positions[name].append(position)
    return positions


def names_in(row: Row) -> Iterator[Name]:
    """Yield what a row names its run by, or each of its runs, the first before the others."""
    if row.runs:
        for page_id in row.runs:
            yield "id", page_id
        return
    if row.id:
        yield "id", row.id
    yield from paths_in(row)
    if row.uuid:
        yield "uuid", row.uuid
    if row.session:
        yield "session", row.session


def paths_in(row: Row) -> Iterator[Name]:
    """Yield the path of a row, as the site shows it and from the folder of its file; also as Windows writes it."""
    if row.path and row.location:
        for kind, path in (("path", row.path), ("location", row.location)):
            yield kind, posixpath.normpath(path)
            yield kind, posixpath.normpath(path.replace("\\", "/"))


def names_of(entry: Entry) -> Iterator[Name]:
    """Yield all names of a run."""
    yield "id", entry.id
    for place in entry.places:
        yield from paths_of(place)
    for uuid in (entry.run.uuid, *(part.uuid for part in entry.run.results)):
        if uuid:
            yield "uuid", uuid
    if entry.run.session_id:
        yield "session", entry.run.session_id


def paths_of(place: Source) -> Iterator[Name]:
    """Yield the paths of a file, as the site shows it and on this machine."""
    for path in (place.path, place.within):
        yield "path", path
        yield "path", unpacked(path)
    if place.member is None:
        location = os.path.abspath(place.location)  # noqa: PTH100  keeps links, as `path` of a row does
        yield "location", location
        yield "location", unpacked(location)


def near_names_of(
    folders: Set[Name], files: Set[str], neighbours: Neighbours, unread: Set[str], entry: Entry
) -> Iterator[Name]:
    """Yield the folders that a run is in, and those of the files in these folders that lie beside it. One that could
    not be read may have been another run, and so may all that lie beside a file that was named alone."""
    for place in entry.places:
        if place.named and place.member is None and has_others_like_it(place, neighbours):
            continue
        folder = posixpath.dirname(place.path)
        for kind, path in paths_of(place):
            parent = posixpath.dirname(path.replace(os.sep, "/"))
            if (kind, parent) in folders:
                for file in files & neighbours.names(place):
                    if posixpath.join(folder, file) not in unread:
                        yield kind, posixpath.join(parent, file)
            while parent not in ("", "/"):
                yield kind, parent
                parent = posixpath.dirname(parent)


def has_others_like_it(place: Source, neighbours: Neighbours) -> bool:
    """Return whether other files of the same ending lie beside a file."""
    name = posixpath.split(place.path)[1]
    ending = posixpath.splitext(place.path)[1]
    return any(file != name and file.endswith(ending) for file in neighbours.names(place))
