"""Results of runs (pass, fail, scores), stated from outside: by files of the settings and by sidecars beside the runs.

Whether a run did its task is the one figure that no run may state of itself, and a wrong join would be worse than
none. So a row that fits no run, or more than one, is listed with its line and counts for nothing; where two rows
contradict each other the one that ranks higher counts and the other is listed; and words that are not understood are
never guessed. `files` reads tables and the reports of benchmarks, `rows` says what a cell means, and
`joining` finds the run, and tells what reports miss. All text is foreign:
every string passes through `clean` before it is compared or kept.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from sitegen.config import Config, Outcomes, ScoreMeaning
from sitegen.errors import ReadError
from sitegen.inputs import discover, source_files
from sitegen.inputs.discover import Neighbours, shared_stem, unpacked
from sitegen.masking.redact import Redactor
from sitegen.model import Entry, Problem, Score, Source, Verdict
from sitegen.outcomes import outcome_files
from sitegen.outcomes.joining import JoinedOutcomes, join, other_models
from sitegen.outcomes.outcome_rows import OutcomeTable, Row, RowSource
from sitegen.readers.kinds import JUDGED
from sitegen.remote.stored_files import prefetch
from sitegen.text.names import PathPattern, natural_order

__all__ = ["JoinedOutcomes", "OutcomeTable", "join", "load", "named_by", "other_models"]


def named_by(given: Sequence[Outcomes]) -> discover.Discovery:
    """Return the files that the settings name. Raises: ConfigError when a path does not exist or a pattern matches
    nothing."""
    found = discover.discover([each.path for each in given])
    sources = list(found.sources)
    if any(
        each.pattern or each.reference for each in given
    ):  # a file may hold several, and not fit the first
        paths = {source.location: source.path for source in sources}
        sources = []
        seen: set[tuple[str, str | None]] = set()
        for number, each in enumerate(given):
            for source in discover.discover([each.path]).sources:
                key = source.location, each.reference
                if key not in seen and _fields(source, each.pattern) is not None:
                    seen.add(key)
                    sources.append(
                        replace(source, path=paths.get(source.location, source.path), input=number)
                    )
    # A pattern such as **/*.json finds sidecars as well.
    sources = [
        source for source in sources if source.named or not source.path.endswith(_SIDECAR_ENDINGS)
    ]
    ordered = sorted(sources, key=lambda source: (source.input, natural_order(source.path)))
    return replace(found, sources=tuple(ordered))


def load(
    config: Config,
    entries: Sequence[Entry],
    clean: Redactor,
    sources: Sequence[Source] = (),
    named: discover.Discovery | None = None,
    *,
    reports: Sequence[tuple[Source, str]] = (),
) -> OutcomeTable:
    """Read the sidecars of `entries` and the files that the settings name; `sources` is all that lies in the inputs,
    `named` what `named_by` found, and `reports` the tables among the inputs with their kinds: of benchmarks, and those
    that a reader of the site saved. An agent can write such a table too, so what the settings name ranks above it.

    What a file holds never stops it. Raises: ConfigError when a path does not exist or a pattern matches nothing.
    """
    scores = config.scores
    columns = _columns_used(config)
    meanings = _meanings(
        [*scores.items(), *(each for own in config.outcomes for each in own.scores.items())]
    )
    given = [
        each.model_copy(update={"scores": {**scores, **each.scores}}) for each in config.outcomes
    ]
    rows: list[Row] = []
    problems: list[Problem] = []
    sidecars = list(
        _sidecars(entries, clean, Outcomes.model_validate({"path": ".", "scores": scores}))
    )
    known = {sidecar.source.location for sidecar in sidecars} | {
        entry.source.location for entry in entries
    }
    problems += _beside_no_run(
        [source for source in sources if source.location not in known], clean
    )
    files_named = _files(given, named or named_by(given), entries, clean, problems)
    found_reports = [
        RowSource(clean(source.path), source, clean, is_found=kind != JUDGED)
        for source, kind in sorted(reports, key=lambda report: report[1] != JUDGED)
    ]
    for origin in prefetch(
        (*sidecars, *files_named, *found_reports), lambda origin: (origin.source.address,)
    ):
        try:
            data = source_files.read_bytes(origin.source)
            found, faults = outcome_files.read(
                data, replace(origin, columns=columns, meanings=meanings)
            )
        except ReadError as error:
            code = "E_OUTCOMES_READ" if error.code == "E_READ" else "E_OUTCOMES"
            problems.append(
                Problem(origin.file, code, Verdict.SKIP, clean(error.sentence), error.place)
            )
            continue
        rows += found
        problems += faults
    return OutcomeTable(tuple(rows), tuple(problems))


def _columns_used(config: Config) -> set[str]:
    """Return the columns of outcomes files that the settings of a study use."""
    of_verdicts = (each.column for each in config.verdicts.values())
    return {
        name
        for name in (*config.observations, *config.factors, config.excluded, *of_verdicts)
        if name is not None
    }


def _meanings(stated: Iterable[tuple[str, ScoreMeaning]]) -> dict[str, Score]:
    """Return what the settings say of scores, by name. A name means one thing in a whole site: what is said first."""
    meanings: dict[str, Score] = {}
    for name, meaning in stated:
        higher = None if meaning.direction is None else meaning.direction == "higher"
        meanings.setdefault(name, Score(name, 0.0, meaning.unit, higher, meaning.scale == "ratio"))
    return meanings


def _sidecars(entries: Sequence[Entry], clean: Redactor, settings: Outcomes) -> Iterator[RowSource]:
    """Yield the files beside runs that describe them: `1.meta.yaml` or `1.json.meta.yaml` beside `1.json`, or
    `.json`."""
    neighbours = Neighbours()
    described: dict[str, tuple[Source, dict[str, None]]] = {}
    for place, page_id in ((place, entry.id) for entry in entries for place in entry.places):
        name = place.location.rpartition(os.sep)[2]
        stems = dict.fromkeys((name, unpacked(name), shared_stem(name)))
        for source in neighbours.find(
            place, (f"{stem}{end}" for stem in stems for end in _SIDECAR_ENDINGS)
        ):
            described.setdefault(source.location, (source, {}))[1][page_id] = None
    for entry in entries:
        described.pop(entry.source.location, None)  # a run may be called so
    for source, runs in described.values():
        yield RowSource(clean(source.path), source, clean, settings=settings, runs=tuple(runs))


def _beside_no_run(unknown: Iterable[Source], clean: Redactor) -> Iterator[Problem]:
    """Yield the sidecars in the inputs that describe no run that is shown.

    Other programs write files called `.meta.json` as well, so one of those counts as a sidecar only when it states
    something of a run.
    """
    for source in unknown:
        if not source.path.endswith(_SIDECAR_ENDINGS):
            continue
        if source.path.endswith(".json") and not _states_something(source, clean):
            continue
        name = source.path.rpartition(".meta.")[0].rpartition("/")[2]
        reason = f"There is no run called {name} beside it."
        yield Problem(clean(source.path), "W_OUTCOME_UNMATCHED", Verdict.SKIP, clean(reason))


def _states_something(sidecar: Source, clean: Redactor) -> bool:
    with suppress(ReadError):
        rows, faults = outcome_files.read(
            discover.read_bytes(sidecar), RowSource(sidecar.path, sidecar, clean, runs=("",))
        )
        return bool(faults) or any(
            row.outcome or row.scores or row.labels or row.started_at for row in rows
        )
    return False


def _files(
    given: Sequence[Outcomes],
    named: discover.Discovery,
    entries: Sequence[Entry],
    clean: Redactor,
    problems: list[Problem],
) -> Iterator[RowSource]:
    problems += (
        Problem(clean(problem.path), problem.code, problem.verdict, clean(problem.reason))
        for problem in named.problems
    )
    for source in named.sources:
        settings = given[source.input]
        fields = _fields(source, settings.pattern) or {}
        stated = {
            "agent": settings.agent,
            "model": settings.model,
            "campaign": settings.campaign,
            **settings.factors,
        }
        said = {name: clean(text) for name, text in {**stated, **fields}.items() if text}
        if settings.attempt is not None:
            said.setdefault("attempt", str(settings.attempt))
        origin = RowSource(clean(source.path), source, clean, settings=settings, said=said)
        if not settings.beside:
            yield origin
        elif runs := _beside(source, entries):
            yield replace(origin, runs=tuple(runs))
        else:
            reason = "It describes no run: its folder has none of its name, and not exactly one, in it or below."
            problems.append(origin.problem("W_OUTCOME_UNMATCHED", None, reason))
    read = {source.input for source in named.sources}
    for each in (each for number, each in enumerate(given) if each.pattern and number not in read):
        reason = f"The pattern {each.pattern} matches none of the files in it that no earlier item reads."
        problems.append(
            Problem(clean(Path(each.path).name), "W_OUTCOME_UNMATCHED", Verdict.SKIP, clean(reason))
        )


def _fields(source: Source, pattern: str | None) -> dict[str, str] | None:
    """Return what a pattern says of a file by the end of its path; None where it does not fit."""
    if pattern is None:
        return {}
    parts = source.location.replace(os.sep, "/").split("/")
    ends = (source.within, "/".join(parts[-pattern.count("/") - 1 :]))
    return next(filter(None, map(PathPattern(pattern).match, ends)), None)


def _beside(source: Source, entries: Sequence[Entry]) -> list[str]:
    """Return the page ids of the runs that a file is about by its place: those of the file beside it with its name, of
    the only file beside it, or of the only one below its folder."""
    folder, files = os.path.dirname(os.path.abspath(source.location)), dict[str, list[str]]()  # noqa: PTH100, PTH120
    for entry in entries:
        if entry.source.member is None and entry.source.location != source.location:
            files.setdefault(os.path.abspath(entry.source.location), []).append(entry.id)  # noqa: PTH100
    near = [path for path in files if os.path.dirname(path) == folder]  # noqa: PTH120
    stem = shared_stem(Path(source.location).name)
    same = [path for path in near if shared_stem(Path(path).name) == stem]
    below = [path for path in files if path.startswith(folder + os.sep)]
    found = next((paths for paths in (same, near, below) if len(paths) == 1), [])
    return [page_id for path in found for page_id in files[path]]


_SIDECAR_ENDINGS = (".meta.yaml", ".meta.yml", ".meta.json")
