"""What came of runs, stated from outside: by files that the settings name, and by sidecars beside the runs.

Whether a run did its task is the one figure that no run may state of itself, and a wrong join would be worse than
none. So a row that fits no run, or more than one, is listed with its line and counts for nothing; where two rows
contradict each other the one that ranks higher counts and the other is listed; and words that are not understood are
never guessed. `files` reads tables, `reports` knows the files of benchmarks, `rows` says what a cell means, and
`joining` finds the run, with `models` for their names, and `unjoined` tells what reports miss. All text is foreign:
every string passes through `clean` before it is compared or kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from sitegen.config import Outcomes
from sitegen.errors import ReadError
from sitegen.inputs import discover
from sitegen.inputs.beside import Neighbours, shared_stem, unpacked
from sitegen.model import Entry, Problem, Score, Source, Verdict
from sitegen.names import natural_order
from sitegen.outcomes import files
from sitegen.outcomes.joining import Joined, join
from sitegen.outcomes.rows import Origin, OutcomeTable, Row

__all__ = ["Joined", "OutcomeTable", "join", "load"]


def load(
    given: Sequence[Outcomes], entries: Sequence[Entry], clean: Callable[[str], str], sources: Sequence[Source] = ()
) -> OutcomeTable:
    """Read the sidecars of `entries` and the files that `given` names; `sources` is all that lies in the inputs.

    What a file holds never stops it. Raises: ConfigError when a path does not exist or a pattern matches nothing.
    """
    meanings = _meanings(given)
    rows: list[Row] = []
    problems: list[Problem] = []
    sidecars = list(_sidecars(entries, meanings, clean))
    known = {sidecar.source.location for sidecar in sidecars} | {entry.source.location for entry in entries}
    problems += _beside_no_run([source for source in sources if source.location not in known], sources, clean)
    for origin in (*sidecars, *_files(given, meanings, clean, problems)):
        try:
            data = discover.read_bytes(origin.source)
            found, faults = files.read(data, origin)
        except ReadError as error:
            code = "E_OUTCOMES_READ" if error.code == "E_READ" else "E_OUTCOMES"
            problems.append(Problem(origin.file, code, Verdict.SKIP, clean(error.sentence), error.place))
            continue
        rows += found
        problems += faults
    return OutcomeTable(tuple(rows), tuple(problems))


def _meanings(given: Iterable[Outcomes]) -> dict[str, Score]:
    """What the settings say of scores, by name. A name means one thing in a whole site: what is said first."""
    meanings: dict[str, Score] = {}
    for each in given:
        for name, meaning in each.scores.items():
            higher = None if meaning.direction is None else meaning.direction == "higher"
            meanings.setdefault(name, Score(name, 0.0, meaning.unit, higher))
    return meanings


def _sidecars(entries: Sequence[Entry], meanings: dict[str, Score], clean: Callable[[str], str]) -> Iterator[Origin]:
    """The files beside runs that describe them: `1.meta.yaml` or `1.json.meta.yaml` beside `1.json`, or `.json`."""
    neighbours = Neighbours()
    described: dict[Path, tuple[Source, list[str]]] = {}
    for entry in entries:
        name = entry.source.location.name
        names = (
            f"{part}.meta.{kind}"
            for part in dict.fromkeys((name, unpacked(name), shared_stem(name)))
            for kind in _KINDS
        )
        for source in neighbours.find(entry.source, names):
            described.setdefault(source.location, (source, []))[1].append(entry.id)
    for entry in entries:
        described.pop(entry.source.location, None)  # a run may be called so
    for source, runs in described.values():
        yield Origin(clean(source.path), source, clean, meanings, runs=tuple(runs))


def _beside_no_run(
    unknown: Iterable[Source], sources: Sequence[Source], clean: Callable[[str], str]
) -> Iterator[Problem]:
    """The sidecars in the inputs that describe no run that is shown.

    Other programs write files called `.meta.json` as well, so one of those counts as a sidecar only when it states
    something of a run.
    """
    stray = [source for source in unknown if source.path.endswith(_SIDECAR_ENDINGS)]
    if not stray:
        return
    by_stem: dict[str, str] = {}
    for source in sources:
        if not source.path.endswith((".diff", ".patch")):
            for name in (source.path, unpacked(source.path), shared_stem(source.path)):
                by_stem.setdefault(name, source.path)
    for source in stray:
        if source.path.endswith(".json") and not _states_something(source, clean):
            continue
        name = source.path.rpartition(".meta.")[0]
        if other := by_stem.get(name):
            reason = f"It describes {other}, which is not shown as a run of its own."
        else:
            reason = f"It describes no run: none called {name.rpartition('/')[2]} lies beside it."
        yield Problem(clean(source.path), "W_OUTCOME_UNMATCHED", Verdict.SKIP, clean(reason))


def _states_something(sidecar: Source, clean: Callable[[str], str]) -> bool:
    try:
        rows, faults = files.read(discover.read_bytes(sidecar), Origin(sidecar.path, sidecar, clean, runs=("",)))
    except ReadError:
        return False
    return bool(faults) or any(row.outcome or row.scores or row.labels or row.started_at for row in rows)


def _files(
    given: Sequence[Outcomes], meanings: dict[str, Score], clean: Callable[[str], str], problems: list[Problem]
) -> Iterator[Origin]:
    found = discover.discover([each.path for each in given])
    problems += (
        Problem(clean(problem.path), problem.code, problem.verdict, clean(problem.reason)) for problem in found.problems
    )
    for source in sorted(found.sources, key=lambda source: (source.input, natural_order(source.path))):
        if source.named or not source.path.endswith(_SIDECAR_ENDINGS):  # a pattern such as **/*.json finds those
            yield Origin(clean(source.path), source, clean, meanings, settings=given[source.input])


_KINDS = ("yaml", "yml", "json")
_SIDECAR_ENDINGS = tuple(f".meta.{kind}" for kind in _KINDS)
