"""Logs that were rotated: `run.log` goes on from `run.log.1`, and that from `run.log.2.gz`; they are read as one."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from sitegen.bounds import Bounds
from sitegen.errors import ReadError
from sitegen.inputs import archives
from sitegen.inputs.discover import Discovery
from sitegen.model import Source, by_key
from sitegen.readers.run_file import RunFile

# The name of a log, and the number or the day of a part.
_PART = re.compile(r"(.+\.(?:log|jsonl|ndjson|json|out|txt))[.-]([0-9][0-9-]{0,9})(?:\.gz)?", re.IGNORECASE)
MAX_PARTS = 100
# Kinds of records that stand within a stream, and ends of streams, of formats that name the session once.
_WITHIN = re.compile(r"(?:item|turn)\.\w+|message|tool_use|tool_result|result")
_ENDS = frozenset({"result", "turn.completed", "turn.failed"})
_SESSION = ("session_id", "sessionID", "sessionId")


def join_logs(found: Discovery) -> Discovery:
    """Return what was found, without parts of logs from which other parts go on: these name them."""
    parts = [source for source in found.sources if source.path[-1:].isdigit() or source.path.endswith(".gz")]
    logs = {part[1] for source in parts if (part := _PART.fullmatch(source.path))}
    if not logs:
        return found
    later: dict[str, Source | None] = {}
    own = [source for source in found.sources if _name_of_log(source) in logs]
    for of_log in by_key(own, _name_of_log).values():
        if 1 < len(of_log) <= MAX_PARTS:
            later |= _joined(of_log, found.bounds)
    sources = (later.get(source.path, source) for source in found.sources)
    return replace(found, sources=tuple(source for source in sources if source is not None))


def _name_of_log(source: Source) -> str:
    part = _PART.fullmatch(source.path)
    return part[1] if part else source.path


def _number(source: Source) -> int:
    part = _PART.fullmatch(source.path)
    return int(part[2].replace("-", "")) if part else -1


def _joined(parts: Sequence[Source], bounds: Bounds) -> dict[str, Source | None]:
    """Return the last part of each log with the names of the earlier ones, and None for these, by their paths. Programs
    count upwards or downwards: the order is the one in which most parts go on."""
    try:
        lines = {part.path: _lines(part, bounds) for part in parts}
    except (ReadError, OSError):
        return {}  # its reader says so
    newest, *numbered = sorted(parts, key=_number)
    orders = ([*numbered[::-1], newest], [newest, *numbered], [*numbered, newest])
    return max((_chained(order, lines) for order in orders), key=len)


def _lines(part: Source, bounds: Bounds) -> list[bytes]:
    return RunFile.of(part.path, archives.read_bytes(part, bounds)).read().splitlines()


def _chained(order: Iterable[Source], lines: dict[str, list[bytes]]) -> dict[str, Source | None]:
    later: dict[str, Source | None] = {}
    for before, after in pairwise(order):
        if _goes_on(lines[before.path], lines[after.path]):
            earlier = (later.get(before.path) or before).earlier
            name = before.path.rpartition("/")[2]
            later |= {before.path: None, after.path: replace(after, earlier=(*earlier, name))}
    return later


def _goes_on(before: Sequence[bytes], after: Sequence[bytes]) -> bool:
    """Return whether lines that begin within a session go on from others."""
    first, last = _first_record(after), _first_record(before[::-1])
    kind, session = str(first.get("type")), next((first[name] for name in _SESSION if name in first), None)
    if session is None:
        is_open = "type" in last and last["type"] not in _ENDS and last.keys().isdisjoint(_SESSION)
        return is_open and _WITHIN.fullmatch(kind) is not None
    is_beginning = kind in ("system", "init") and str(first.get("subtype", "init")).startswith(("init", "hook"))
    return not is_beginning and any(json.dumps(session).encode() in line for line in before)


def _first_record(lines: Iterable[bytes]) -> dict[str, Any]:
    """Return the first record among lines, of which some may be cut."""
    for line in lines:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            return record
    return {}
