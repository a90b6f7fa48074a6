"""What came of runs, stated from outside: by files that the settings name, and by sidecars beside the runs.

Whether a run did its task is the one figure that no run may state of itself, and a wrong join would be worse than
none. So a row that fits no run, or more than one, is listed with its line and counts for nothing; where two rows
contradict each other the one that ranks higher counts and the other is listed; and words that are not understood are
never guessed. `files` reads tables, `reports` knows the files of benchmarks, `rows` says what a cell means, and
`joining` finds the run. All text is foreign: every string passes through `clean` before it is compared or kept.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from sitegen import discover
from sitegen.beside import Neighbours
from sitegen.config import Outcomes
from sitegen.errors import ReadError
from sitegen.model import Entry, Problem, Score, Source, Verdict
from sitegen.outcomes import files
from sitegen.outcomes.joining import join
from sitegen.outcomes.rows import Origin, OutcomeTable, Row, listed

__all__ = ["OutcomeTable", "join", "load"]


def load(given: Sequence[Outcomes], entries: Iterable[Entry], clean: Callable[[str], str]) -> OutcomeTable:
    """Read the sidecars of `entries` and the files that `given` names.

    What a file holds never stops it. Raises: ConfigError when a path does not exist or a pattern matches nothing.
    """
    meanings = _meanings(given)
    rows: list[Row] = []
    problems: list[Problem] = []
    for origin in (*_sidecars(entries, meanings, clean), *_files(given, meanings, clean, problems)):
        try:
            data = discover.read_bytes(origin.source)
            found, faults = files.read(data, origin)
        except ReadError as error:
            problems.append(Problem(origin.file, error.code, Verdict.SKIP, clean(_sentence(error.reason)), error.place))
            continue
        rows += found
        problems += faults
    return OutcomeTable(tuple(rows), tuple(listed(problems)))


def _meanings(given: Iterable[Outcomes]) -> dict[str, Score]:
    """What the settings say of scores, by name. A name means one thing in a whole site: what is said first."""
    meanings: dict[str, Score] = {}
    for each in given:
        for name, meaning in each.scores.items():
            higher = None if meaning.direction is None else meaning.direction == "higher"
            meanings.setdefault(name, Score(name, 0.0, meaning.unit, higher))
    return meanings


def _sidecars(entries: Iterable[Entry], meanings: dict[str, Score], clean: Callable[[str], str]) -> Iterator[Origin]:
    """The files beside runs that describe them: `1.meta.yaml` or `1.json.meta.yaml` beside `1.json`, or `.json`."""
    neighbours = Neighbours()
    described: dict[Path, tuple[Source, list[str]]] = {}
    entries = list(entries)
    for entry in entries:
        name = entry.source.location.name
        stem = os.path.splitext(name)[0]  # noqa: PTH122  Path.stem is slow for ten thousand
        names = (f"{part}.meta.{kind}" for part in (name, stem) for kind in ("yaml", "json"))
        for source in neighbours.find(entry.source, names):
            described.setdefault(source.location, (source, []))[1].append(entry.id)
    for entry in entries:
        described.pop(entry.source.location, None)  # a run may be called so
    for source, runs in described.values():
        yield Origin(clean(source.path), source, clean, meanings, runs=tuple(runs))


def _files(
    given: Sequence[Outcomes], meanings: dict[str, Score], clean: Callable[[str], str], problems: list[Problem]
) -> Iterator[Origin]:
    found = discover.discover([each.path for each in given])
    problems += (
        Problem(clean(problem.path), problem.code, problem.verdict, clean(problem.reason)) for problem in found.problems
    )
    for source in sorted(found.sources, key=lambda source: (source.input, source.path)):
        if not source.path.endswith(_SIDECAR_ENDINGS):  # a pattern such as **/*.json finds those as well
            yield Origin(clean(source.path), source, clean, meanings, settings=given[source.input])


_SIDECAR_ENDINGS = (".meta.yaml", ".meta.json")


def _sentence(reason: str) -> str:
    return f"{reason[:1].upper()}{reason[1:]}" + ("" if reason.endswith((".", "!", "?")) else ".")
