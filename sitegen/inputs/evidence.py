"""Files beside runs that the settings name as evidence, such as logs of tests: whose they are, and their ends."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from sitegen.errors import ReadError
from sitegen.figures import plural
from sitegen.inputs import discover
from sitegen.inputs.discover import Neighbours, shared_stem
from sitegen.masking.redact import Redactor
from sitegen.model import Entry, Level, Source, frozen
from sitegen.text.names import did_you_mean

READ_BYTES = 64 * 1024
"""The bytes that are read of a file, from its end. More than is shown, as a secret may begin before that."""
MAX_LINES, MAX_CHARACTERS = 100, 10_000
"""The limits of what is shown of a file."""


@frozen
class FileEnd:
    """The end of a file, masked."""

    source: Source
    text: str
    note: str
    """A remark about the file; empty where all of it is shown."""
    digest: str = ""


def find_evidence(
    entries: Sequence[Entry], names: Sequence[str], neighbours: Neighbours
) -> dict[str, list[Source]]:
    """Return the files of these names beside each run that has some, by page id.

    A file that may belong to several runs belongs to none, and neither does the file of a run, of which pages show only
    what its level allows.
    """
    claims: dict[str, dict[str, Source]] = {}
    shown = {entry.id for entry in entries if entry.level is not Level.NONE}
    for entry in entries:
        for source in candidates(entry, names, neighbours):
            claims.setdefault(source.location, {})[entry.id] = source
    for entry in entries:
        lanes = (lane.source for lane in entry.lanes)
        for source in (*entry.places, *entry.copied_from, *lanes):
            claims.pop(source.location, None)
    beside: dict[str, list[Source]] = {}
    for claim in claims.values():
        page_id, source = claim.popitem()
        if not claim and page_id in shown:
            beside.setdefault(page_id, []).append(source)
    return beside


def describe_missing(
    entries: Sequence[Entry], names: Sequence[str], neighbours: Neighbours
) -> Iterator[str]:
    """Yield a sentence about each name that no file beside a run has. Runs that show nothing are not asked."""
    shown = [entry for entry in entries if entry.level is not Level.NONE]
    for name in names if shown else ():
        if not any(any(candidates(entry, [name], neighbours)) for entry in shown):
            files = set[str]().union(
                *(neighbours.names(at) for entry in shown for at in entry.places)
            )
            near = did_you_mean(name, files)
            limits = " Links and files in archives are not taken." if near == "." else ""
            yield f"evidence: no run has a file {name} beside it{near}{limits}"


def candidates(entry: Entry, names: Sequence[str], neighbours: Neighbours) -> Iterator[Source]:
    """Yield the files of these names beside a run; `*` in a name stands for that of its file."""
    for place in entry.places:
        stem = shared_stem(Path(place.location).name)
        yield from neighbours.find(place, [name.replace("*", stem) for name in names])


def read_end(source: Source, redactor: Redactor) -> FileEnd:
    """Return the end of a file, or why there is none to show."""
    shown = replace(source, path=redactor(source.path))
    try:
        with discover.opened(source) as file:
            size = discover.size_of(file)
            file.seek(max(0, size - READ_BYTES))
            data = file.read(READ_BYTES)
    except OSError as error:
        return FileEnd(shown, "", ReadError.unreadable(error).reason)
    digest = hashlib.sha256(b"%d %b" % (size, data)).hexdigest()
    if b"\0" in data:
        return FileEnd(shown, "", "it is not text", digest)
    lines = redactor(data.decode("utf-8", "replace")).rstrip("\n").split("\n")
    if size > len(data):
        lines = lines[2:]  # they may hold the rest of a secret, which may go on in another line
    last = lines[-MAX_LINES:]
    while sum(map(len, last)) > MAX_CHARACTERS:
        last = last[1:]  # whole lines, as half of one may end in half a mask
    if size == len(data) and len(last) == len(lines):
        note = ""
    elif last:
        note = f"its last {plural(len(last), 'line')}"
    else:
        note = "its last line is too long to show"
    return FileEnd(shown, "\n".join(last), note, digest)
