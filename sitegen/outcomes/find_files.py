"""Finds the files that state outcomes: those of the settings, and sidecars beside the runs."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from sitegen.config import Outcomes
from sitegen.errors import ReadError
from sitegen.inputs import discover
from sitegen.inputs.discover import Discovery, Neighbours, shared_stem, unpacked
from sitegen.masking.redact import Redactor
from sitegen.model import Entry, Problem, Source, Verdict
from sitegen.outcomes.parse_files import parse_outcomes_file
from sitegen.outcomes.reasons import Why, because
from sitegen.outcomes.rows import RowSource
from sitegen.text.names import PathPattern, natural_order

SIDECAR_ENDINGS = (".meta.yaml", ".meta.yml", ".meta.json")


def find_named(settings: Sequence[Outcomes]) -> Discovery:
    """Return the files that the settings name. Raises: ConfigError when a path does not exist or a pattern matches
    nothing."""
    discovery = discover.discover([named.path for named in settings])
    sources = list(discovery.sources)
    # A file may hold the rows of several items, and not fit the first.
    if any(named.pattern or named.reference for named in settings):
        sources = list(find_for_each(settings, sources))
    # A pattern such as **/*.json finds sidecars as well.
    sources = [
        source for source in sources if source.named or not source.path.endswith(SIDECAR_ENDINGS)
    ]
    sources.sort(key=lambda source: (source.input, natural_order(source.path)))
    return replace(discovery, sources=tuple(sources))


def find_for_each(settings: Sequence[Outcomes], sources: Sequence[Source]) -> Iterator[Source]:
    """Yield the files of each item of the settings; of items without a reference, each file once."""
    paths = {source.location: source.path for source in sources}
    seen: set[tuple[str, str | None]] = set()
    for number, named in enumerate(settings):
        for source in discover.discover([named.path]).sources:
            key = source.location, named.reference
            if key not in seen and match_path(source, named.pattern) is not None:
                seen.add(key)
                path = paths.get(source.location, source.path)
                yield replace(source, path=path, input=number)


def match_path(source: Source, pattern: str | None) -> dict[str, str] | None:
    """Return what a pattern says of a file by the end of its path; None where it does not fit."""
    if pattern is None:
        return {}
    parts = source.location.replace(os.sep, "/").split("/")
    depth = pattern.count("/") + 1
    match = PathPattern(pattern).match
    return match(source.within) or match("/".join(parts[-depth:])) or None


def find_sidecars(
    entries: Sequence[Entry], clean: Redactor, settings: Outcomes
) -> Iterator[RowSource]:
    """Yield the files beside runs that describe them: `1.meta.yaml` or `1.json.meta.yaml` beside `1.json`, or
    `.json`."""
    neighbours = Neighbours()
    sources: dict[str, Source] = {}
    runs: dict[str, dict[str, None]] = {}
    for entry in entries:
        for place in entry.places:
            for source in neighbours.find(place, sidecar_names(place)):
                sources.setdefault(source.location, source)
                runs.setdefault(source.location, {})[entry.id] = None
    for entry in entries:
        sources.pop(entry.source.location, None)  # a run may be called so
    for location, source in sources.items():
        page_ids = tuple(runs[location])
        yield RowSource(clean(source.path), source, clean, settings=settings, runs=page_ids)


def sidecar_names(place: Source) -> Iterator[str]:
    """Yield the names of files that describe the run in a file."""
    name = place.location.rpartition(os.sep)[2]
    for stem in dict.fromkeys((name, unpacked(name), shared_stem(name))):
        for ending in SIDECAR_ENDINGS:
            yield f"{stem}{ending}"


def report_lost_sidecars(sources: Iterable[Source], clean: Redactor) -> Iterator[Problem]:
    """Yield a problem for each sidecar in the inputs that describes no run that is shown.

    Other programs write files called `.meta.json` as well, so one of those counts as a sidecar only when it states
    something of a run.
    """
    for source in sources:
        if not source.path.endswith(SIDECAR_ENDINGS):
            continue
        if not source.path.endswith(".json") or states_something(source, clean):
            name = source.path.rpartition(".meta.")[0].rpartition("/")[2]
            origin = RowSource(clean(source.path), source, clean)
            yield origin.problem(because(Why.NOTHING_BESIDE, name=name))


def states_something(sidecar: Source, clean: Redactor) -> bool:
    """Return whether a file states something of a run, or means to."""
    origin = RowSource(sidecar.path, sidecar, clean, runs=("",))
    with suppress(ReadError):
        rows, faults = parse_outcomes_file(discover.read_bytes(sidecar), origin)
        stating = (row.outcome or row.scores or row.labels or row.started_at for row in rows)
        return bool(faults) or any(stating)
    return False


def find_tables(
    settings: Sequence[Outcomes],
    named: Discovery,
    entries: Sequence[Entry],
    clean: Redactor,
    problems: list[Problem],
) -> Iterator[RowSource]:
    """Yield the files that the settings name, each with what they and its path say of its rows. Adds to `problems`."""
    for problem in named.problems:
        problems.append(replace(problem, path=clean(problem.path), reason=clean(problem.reason)))
    for source in named.sources:
        outcomes = settings[source.input]
        defaults = find_defaults(source, outcomes, clean)
        origin = RowSource(clean(source.path), source, clean, settings=outcomes, defaults=defaults)
        if not outcomes.beside:
            yield origin
        elif runs := runs_beside(source, entries):
            yield replace(origin, runs=tuple(runs))
        else:
            problems.append(origin.problem(because(Why.NO_RUN_IN_FOLDER)))
    used = {source.input for source in named.sources}
    for number, outcomes in enumerate(settings):
        if outcomes.pattern and number not in used:
            reason = because(Why.UNUSED_PATTERN, pattern=outcomes.pattern)
            file = clean(Path(outcomes.path).name)
            sentence = clean(reason.sentence)
            problems.append(Problem(file, reason.code, Verdict.SKIP, sentence))


def find_defaults(source: Source, settings: Outcomes, clean: Redactor) -> dict[str, str]:
    """Return what the settings and the path of a file say of its rows; the path counts first."""
    defaults = {
        "agent": settings.agent,
        "model": settings.model,
        "campaign": settings.campaign,
        **settings.factors,
        **(match_path(source, settings.pattern) or {}),
    }
    if settings.attempt is not None:
        defaults.setdefault("attempt", str(settings.attempt))
    return {name: clean(text) for name, text in defaults.items() if text}


def runs_beside(source: Source, entries: Sequence[Entry]) -> list[str]:
    """Return the page ids of the runs that a file is about by its place: those of the file beside it with its name, of
    the only file beside it, or of the only one below its folder."""
    folder = os.path.dirname(os.path.abspath(source.location))  # noqa: PTH100, PTH120
    runs: dict[str, list[str]] = {}
    for entry in entries:
        if entry.source.member is None and entry.source.location != source.location:
            runs.setdefault(os.path.abspath(entry.source.location), []).append(entry.id)  # noqa: PTH100
    stem = shared_stem(Path(source.location).name)
    near = [path for path in runs if os.path.dirname(path) == folder]  # noqa: PTH120
    alike = [path for path in near if shared_stem(Path(path).name) == stem]
    below = [path for path in runs if path.startswith(folder + os.sep)]
    for paths in (alike, near, below):
        if len(paths) == 1:
            return runs[paths[0]]
    return []
