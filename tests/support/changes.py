"""Changes of files that must leave the figures of their runs alone: `check_changes({"a.tally": b"TALLY 3"}, Tally())`.

Files are read as a build reads them, then again in another order, twice, below another folder, with other ends of
lines, in another encoding, with a time before each line, cut in two, one behind the other, with the beginning of their
sessions repeated under other uuids, beside the same in other words of JSON, twice in one file, and beside what was
there of them while they were written. Totals stay the same. Where a change loses what tells whose a record is, they
may become less if something says so; never more. What a change may add to the problems is in `CHANGES`, and it is at
most one for each file.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch
from uuid import UUID

from sitegen import readers
from sitegen.collect import Facts, collect
from sitegen.config import Config
from sitegen.masking.redact import Redactor
from sitegen.model import INCOMPLETE, TOKEN_KINDS, Run
from sitegen.readers import Reader
from sitegen.readers.common.records import words

Files = Mapping[str, bytes]
"""By their paths below one folder."""
Touched = Mapping[str, Run]
"""Those of these files that are runs in JSON, and the last run in each."""
_STAMP = b"2026-05-01T08:00:00.1234567Z "


def check_changes(files: Files, reader: Reader | None = None, *, only: Iterable[str] = ()) -> None:
    """Hold the runs in these files to it, as read by all built-in and installed readers and this one; after the
    changes of these names, or all of them. Raises: AssertionError with each fault."""
    found = list(faults(files, reader, only=only))
    assert not found, "\n".join(found)


def faults(
    files: Files, reader: Reader | None = None, *, only: Iterable[str] = ()
) -> Iterator[str]:
    """What is wrong after each change, a line each."""
    before = _Seen.of(files, reader)
    wanted = set(only)
    for change in CHANGES:
        if not wanted or change.name in wanted:
            changed = dict(
                change.make(
                    files,
                    {
                        path: run
                        for path, run in before.runs.items()
                        if path in files and _is_json(files[path])
                    },
                )
            )
            if changed != dict(files):
                for fault in _faults(change, before, _Seen.of(changed, reader)):
                    yield f"{change.name}: {fault}"


@dataclass(frozen=True, slots=True)
class Change:
    """Something that is done to files."""

    name: str
    make: Callable[[Files, Touched], Iterable[tuple[str, bytes]]]
    codes: frozenset[str] = frozenset()
    """Problems that it may add to a file."""
    loses: bool = False
    """Whether it loses something, so that figures may become less where something says so."""
    free: frozenset[str] = frozenset()
    """Figures that it may change, as the number of runs where files are cut."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a build sees in files."""

    figures: Mapping[str, float | None]
    problems: Counter[tuple[str, str]]
    """By path and code; a code once for each file."""
    runs: Touched
    doubts: int
    """Signs that figures are not whole: files that are ignored, runs without an end, and lower bounds."""

    @classmethod
    def of(cls, files: Files, reader: Reader | None) -> _Seen:
        """What is seen by all readers and this one."""
        with tempfile.TemporaryDirectory() as folder:
            for path, content in files.items():
                place = Path(folder, "in", path)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content)
            config = Config.model_validate({"inputs": [str(Path(folder, "in"))]})
            own = readers.installed() if reader is None else (*readers.installed(), reader)
            with patch.object(readers, "installed", lambda: own):
                facts = collect(config, Redactor(), lambda _, items: items)
        runs = [entry.run for entry in facts.entries]
        doubts = sum(
            run.status in INCOMPLETE or run.ledger_is_lower_bound or not run.tokens.complete
            for run in runs
        )
        paths = {
            entry.source.path: entry.run for entry in (*facts.entries, *facts.shared_transcripts)
        }
        problems = Counter({(problem.path, problem.code) for problem in facts.problems})
        return cls(_figures(facts), problems, paths, doubts + len(facts.ignored))


def _figures(facts: Facts) -> dict[str, float | None]:
    """The totals of all runs; None where no run knows one."""
    runs = [entry.run for entry in facts.entries]
    counts = ("tool_calls", "tool_failures", "files_edited")
    found: dict[str, list[float | None]] = {
        kind: [run.tokens.kind(kind) for run in runs] for kind in TOKEN_KINDS
    }
    found |= {name: [getattr(run, name) for run in runs] for name in ("cost_usd", "turns")}
    spent = [run.spent_usd for run in runs]
    found |= {
        "spent_usd": [] if None in spent else spent
    }  # of a part it may be known where it is not of the whole
    found |= {name: [getattr(run.steps, name) for run in runs if run.steps] for name in counts}
    known = {
        name: [value for value in values if value is not None] for name, values in found.items()
    }
    return {"runs": len(runs)} | {
        name: math.fsum(values) if values else None for name, values in known.items()
    }


def _faults(change: Change, before: _Seen, after: _Seen) -> Iterator[str]:
    added = Counter(code for _, code in after.problems)
    added.subtract(code for _, code in before.problems)
    new = {code: count for code, count in added.items() if count > 0}
    if unexpected := sorted(new.keys() - change.codes - {code for _, code in before.problems}):
        yield f"it adds the problem {', '.join(unexpected)}"
    crowded = Counter(path for path, code in after.problems if code in new)
    if full := sorted(path for path, count in crowded.items() if count > 1):
        yield f"several of the problems {', '.join(sorted(new))} are about {full[0]}"
    is_lossy = change.loses and (bool(new) or after.doubts > before.doubts)
    wrong = [
        f"{name} {value} -> {now}"
        for name, value in before.figures.items()
        if name not in change.free
        and not _fits(value, now := after.figures[name], is_lossy=is_lossy)
    ]
    if wrong:
        yield ", ".join(wrong) + ("; nothing says so" if change.loses and not is_lossy else "")


def _fits(value: float | None, now: float | None, *, is_lossy: bool) -> bool:
    """Whether a total after a change is right, or may be where something is lost and said, of what it was before."""
    if value is None or now is None:
        return value == now or is_lossy
    return math.isclose(value, now, rel_tol=1e-9) or (is_lossy and now < value)


def _is_json(content: bytes) -> bool:
    """Whether it may be JSON as text in UTF-8."""
    try:
        return content.decode("utf-8").lstrip()[:1] in ("{", "[")
    except ValueError:
        return False


def _each(
    change: Callable[[bytes], bytes],
) -> Callable[[Files, Touched], Iterator[tuple[str, bytes]]]:
    """Every touched file changed."""
    return lambda files, touched: (
        (path, change(data) if path in touched else data) for path, data in files.items()
    )


def _reordered(files: Files, _: Touched) -> Iterator[tuple[str, bytes]]:
    """The files, or the first folders that are several, under names in the opposite order."""
    depth = 0
    while len(files) > 1 and len({path.split("/")[depth] for path in files}) == 1:
        depth += 1
    names = sorted({path.split("/")[depth] for path in files})
    for path, content in files.items():
        parts = path.split("/")
        parts[depth] = f"{len(names) - names.index(parts[depth]):04}-{parts[depth]}"
        yield "/".join(parts), content


def _copied(files: Files, _: Touched) -> Iterator[tuple[str, bytes]]:
    yield from files.items()
    yield from ((f"second/{path}", content) for path, content in files.items())


def _moved(files: Files, _: Touched) -> Iterator[tuple[str, bytes]]:
    yield from ((f"outer/inner/{path}", content) for path, content in files.items())


def _split(files: Files, touched: Touched) -> Iterator[tuple[str, bytes]]:
    """Each touched file in two, at the line in its middle."""
    for path, content in files.items():
        lines = content.splitlines(keepends=True)
        if path in touched and len(lines) > 1:
            folder, _, name = path.rpartition("/")
            for part, held in enumerate((lines[: len(lines) // 2], lines[len(lines) // 2 :])):
                yield f"{folder}/part-{part}-{name}".lstrip("/"), b"".join(held)
        else:
            yield path, content


def _joined(files: Files, touched: Touched) -> Iterator[tuple[str, bytes]]:
    """Each two touched files of a folder that follow each other, as one, if one reader reads two sessions there."""
    ordered = sorted(touched)
    pairs = {
        one: other
        for number, (one, other) in enumerate(pairwise(ordered))
        if number % 2 == 0 and _may_be_joined(one, other, touched)
    }
    for path, content in files.items():
        if path not in pairs.values():
            yield path, content + (b"\n" + files[pairs[path]] if path in pairs else b"")


def _may_be_joined(one: str, other: str, touched: Touched) -> bool:
    first, second = touched[one], touched[other]
    is_beside = one.rpartition("/")[0] == other.rpartition("/")[0]
    return (
        is_beside
        and first.reader == second.reader
        and not first.session_id == second.session_id is not None
    )


def _replayed(files: Files, touched: Touched) -> Iterator[tuple[str, bytes]]:
    """In front of each touched file of records with ids, the first third of it: with other uuids, where it has any."""
    for path, content in files.items():
        lines = content.splitlines(keepends=True)
        copies = [_renamed(line) for line in lines[: len(lines) // 3]] if path in touched else []
        yield (
            path,
            b"".join(copies) * any(b'"uuid"' in copy or b'"id"' in copy for copy in copies)
            + content,
        )


def _renamed(line: bytes) -> bytes:
    """A record with other uuids; nothing of a result, or what is no record."""
    try:
        record = json.loads(line)
    except ValueError:
        return b""
    if not isinstance(record, dict) or record.get("type") == "result":
        return b""
    for name in ("uuid", "parentUuid"):
        if isinstance(record.get(name), str):
            record[name] = str(UUID(bytes=sha256(record[name].encode()).digest()[:16], version=4))
    return json.dumps(record).encode() + b"\n"


def _rewritten(files: Files, touched: Touched) -> Iterator[tuple[str, bytes]]:
    """Beside each touched file its values in short, with their keys in order."""
    yield from files.items()
    for path in touched:
        try:
            values = [json.loads(files[path])]
        except ValueError:
            try:
                values = [json.loads(line) for line in files[path].splitlines() if line.strip()]
            except ValueError:
                continue
        lines = (json.dumps(value, sort_keys=True, separators=(",", ":")) for value in values)
        yield f"other/{path}", "\n".join(lines).encode()


def _doubled(files: Files, touched: Touched) -> Iterator[tuple[str, bytes]]:
    """Each touched file with all of it once more behind it, if it has lines."""
    for path, content in files.items():
        yield path, content.rstrip(b"\n") + b"\n" + content if path in touched else content


def _under_way(files: Files, touched: Touched) -> Iterator[tuple[str, bytes]]:
    """Beside each touched file of several lines the first fifth of it, and the first half with half a line more."""
    yield from files.items()
    for path in touched:
        lines = files[path].splitlines(keepends=True)
        if len(lines) > 1:
            yield f"early/{path}", b"".join(lines[: max(len(lines) // 5, 1)])
            half = len(lines) // 2
            yield f"later/{path}", b"".join(lines[:half]) + lines[half][: len(lines[half]) // 2]


def _ends(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def _stamped(content: bytes) -> bytes:
    return b"".join(_STAMP + line for line in content.splitlines(keepends=True))


CHANGES = (
    Change("another order", _reordered),
    Change("copies", _copied, frozenset({"W_DUPLICATE"})),
    Change("another folder", _moved),
    Change("CRLF", _each(_ends)),
    Change("UTF-16", _each(lambda content: content.decode("utf-8").encode("utf-16"))),
    Change("time stamps", _each(_stamped), frozenset({"W_NOISE"})),
    Change(
        "cut in two",
        _split,
        words(
            "E_EMPTY E_NOT_JSON E_TRUNCATED E_NOT_A_RUN W_NO_RESULT W_MISSING W_DUPLICATE W_UUID W_COPY W_AGENT"
        ),
        loses=True,
        free=words("runs turns files_edited"),
    ),
    Change(
        "one behind the other",
        _joined,
        words("W_MULTI_RESULT W_NOISE W_COPY W_OUTCOME_AMBIGUOUS"),
        loses=True,
    ),
    Change("written otherwise", _rewritten, words("W_DUPLICATE W_COPY")),
    Change("twice in one file", _doubled, words("W_MULTI_RESULT W_DUPLICATE W_COPY W_NOISE")),
    Change(
        "still being written",
        _under_way,
        words(
            "E_NOT_JSON E_TRUNCATED E_NOT_A_RUN W_DUPLICATE W_COPY W_NO_RESULT W_MISSING W_BAD_LINE W_NOISE"
        ),
    ),
    Change("a repeated beginning", _replayed, words("W_COPY W_DUPLICATE"), loses=True),
)
"""What is done to files, and what it may add."""
