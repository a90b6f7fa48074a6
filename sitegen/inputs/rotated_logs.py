"""Logs that were rotated: `run.log` goes on from `run.log.1`, and that from `run.log.2.gz`; they are read as one."""

import json
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import Any

from sitegen.errors import ReadError
from sitegen.inputs import source_files
from sitegen.inputs.discover import Discovery, max_bytes_at_once
from sitegen.model import Source, by_key
from sitegen.readers.common.identity import MIN_ID
from sitegen.readers.common.records import text_of
from sitegen.readers.run_file import RunFile
from sitegen.system.bounds import Bounds

# The name of a log, and the number or the day of a part.
_PART = re.compile(
    r"(.+\.(?:log|jsonl|ndjson|json|out|txt))[.-]([0-9][0-9-]{0,9})(?:\.gz)?", re.IGNORECASE
)
# Kinds of records that stand within a stream, and ends of streams, of formats that name the session once.
_WITHIN = re.compile(r"(?:item|turn)\.\w+|message|tool_use|tool_result|result")
_ENDS = frozenset({"result", "turn.completed", "turn.failed"})
_SESSION = ("session_id", "sessionID", "sessionId")


def join_logs(found: Discovery) -> Discovery:
    """Return what was found, without parts of logs from which other parts go on: these name them."""
    later: dict[str, Source | None] = {}
    for parts in by_key(found.sources, lambda source: _name_and_number(source)[0]).values():
        if len(parts) > 1:
            with suppress(Exception):  # whatever is in hostile files: these are not joined
                later |= _joined(parts, found.bounds)
    if not later:
        return found
    sources = (later.get(source.path, source) for source in found.sources)
    return replace(found, sources=tuple(filter(None, sources)))


def _name_and_number(source: Source) -> tuple[str, int]:
    """Return the path of the log of which a file is a part, and its number or day; -1 where it has none."""
    part = _PART.fullmatch(source.path)
    return (part[1], int(part[2].replace("-", ""))) if part else (source.path, -1)


def _joined(parts: Sequence[Source], bounds: Bounds) -> dict[str, Source | None]:
    """Return the last part of each log with the names of the earlier ones, and None for these, by their paths. Programs
    count upwards or downwards: the order is the one in which most parts go on."""
    lines: dict[str, list[bytes]] = {}
    left = max_bytes_at_once(parts[0].path, bounds)
    for part in parts:
        with suppress(ReadError, OSError):  # its reader says so
            data = source_files.read_bytes(part, bounds)
            left -= len(data)
            if left < 0:
                return {}
            lines[part.path] = RunFile.of(part.path, data).read().splitlines()
    newest, *numbered = sorted(parts, key=_name_and_number)
    orders = ([*numbered[::-1], newest], [newest, *numbered], [*numbered, newest])
    return max((_chained(order, lines) for order in orders), key=len)


def _chained(order: Iterable[Source], lines: dict[str, list[bytes]]) -> dict[str, Source | None]:
    later: dict[str, Source | None] = {}
    for before, after in pairwise(order):
        if _goes_on(lines.get(before.path, []), lines.get(after.path, [])):
            earlier = (later.get(before.path) or before).earlier
            name = before.path.rpartition("/")[2]
            later |= {before.path: None, after.path: replace(after, earlier=(*earlier, name))}
    return later


def _goes_on(before: Sequence[bytes], after: Sequence[bytes]) -> bool:
    """Return whether lines that begin within a session go on from others."""
    first = _first_record(after)
    last = _first_record(before[::-1])
    kind = text_of(first, "type") or ""
    last_kind = text_of(last, "type")
    if last_kind in _ENDS:
        return False
    session = next((text_of(first, name) or "" for name in _SESSION if name in first), None)
    if session is None:
        is_open = last_kind is not None and last.keys().isdisjoint(_SESSION)
        return is_open and _WITHIN.fullmatch(kind) is not None
    is_beginning = kind in ("system", "init") and str(first.get("subtype", "init")).startswith(
        ("init", "hook")
    )
    if is_beginning or len(session) < MIN_ID:
        return False
    quoted = json.dumps(session).encode()
    return any(quoted in line for line in before)


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
