"""Reports of benchmarks, read as outcomes: which tasks were solved, as the benchmark's own program says.

Each is known by its content, because they are all called `report.json` or `results.json`. A report speaks of tasks;
which model and attempt it is about stands, if anywhere, in its path. Sources: the report files of SWE-bench (schema
version 2), GSO and terminal-bench 1, compared with published ones.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sitegen import times
from sitegen.model import Outcome, Score
from sitegen.outcomes.rows import MAX_TEXT, Origin, Row, finite
from sitegen.readers.harness.terminal_bench import attempt_of, is_trial, outcome_of
from sitegen.readers.kinds import is_gso, is_swebench, is_swebench_flat, is_swebench_instances

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What a report says of one attempt at a task."""

    task: str
    outcome: Outcome
    attempt: int | None = None
    scores: tuple[Score, ...] = ()
    labels: tuple[str, ...] = ()
    started_at: str | None = None


def read(document: object, text: str, origin: Origin) -> list[Row] | None:
    """The rows of a report; None when the document is none that we know. `text` is what it was read from."""
    if not isinstance(document, dict):
        return None
    if is_swebench_flat(document):
        document = {Path(origin.source.location).parent.name: document}
    verdicts = next((list(read_as(document)) for is_one, read_as in _KINDS if is_one(document)), None)
    if verdicts is None:
        return None
    lines = _first_lines(text, {verdict.task for verdict in verdicts})
    settings = origin.settings
    return [
        Row(
            origin.file,
            lines.get(verdict.task),
            campaign=origin.clean(settings.campaign) if settings and settings.campaign else None,
            task=origin.clean(verdict.task),
            model=origin.clean(settings.model) if settings and settings.model else None,
            attempt=settings.attempt if settings and verdict.attempt is None else verdict.attempt,
            outcome=verdict.outcome,
            scores=verdict.scores,
            labels=verdict.labels,
            started_at=verdict.started_at,
            model_hints=tuple(origin.clean(hint) for hint in _names_in(Path(origin.source.location))),
            is_report=True,
            given=origin.source.input,
            is_found=origin.is_found,
            below=_below(origin.source.location, verdict.task) if origin.is_found else (),
        )
        for verdict in verdicts
        if verdict.task.strip() and len(verdict.task) <= MAX_TEXT
    ]


_ASIDE = re.compile(r"results|reports|logs|evaluation.*", re.IGNORECASE)
"""Folders whose reports are about runs beside them."""


def _below(location: str, task: str) -> tuple[str, ...]:
    """The folders below which a report that lies there is about the runs of a task, each with a slash at its end."""
    folder = Path(os.path.abspath(location)).parent  # noqa: PTH100  keeps links
    folder = folder.parent if folder.name == task else folder
    folders = (folder, folder.parent) if _ASIDE.fullmatch(folder.name) else (folder,)
    return tuple(os.path.join(each, "") for each in folders)  # noqa: PTH118  a path has no slash at its end


_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*+)"')


def _first_lines(text: str, wanted: set[str]) -> dict[str, int]:
    """The line in which each of the wanted strings first stands in a JSON text."""
    lines: dict[str, int] = {}
    line, counted = 1, 0
    for string in _STRING.finditer(text):
        if string[1] in wanted and string[1] not in lines:
            line, counted = line + text.count("\n", counted, string.start()), string.start()
            lines[string[1]] = line
    return lines


_BETWEEN_WORDS = re.compile(r"\.(?![0-9])|(?<![0-9])\.")
"""A dot, but not that of a version, as in `opus-4.5`."""


def _names_in(location: Path) -> Iterator[str]:
    """What may be the name of a model in the path of a report: `<model>.<run>.json`, `<model>/<task>/report.json`."""
    yield location.stem
    if dot := _BETWEEN_WORDS.search(location.stem):
        yield location.stem[: dot.start()]
    yield from (folder.name for folder in list(location.parents)[:2])


def _ids(values: Document, name: str) -> list[str]:
    """A list of task names; whatever else it holds is left out."""
    found = values.get(name)
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _by_lists(values: Document, lists: Iterable[tuple[str, Outcome]]) -> dict[str, Outcome]:
    """The outcome of each task by the first list that holds it."""
    outcomes: dict[str, Outcome] = {}
    for name, outcome in lists:
        for task in _ids(values, name):
            outcomes.setdefault(task, outcome)
    return outcomes


def _swebench(document: Document) -> Iterator[_Verdict]:
    """A run report, of today or of 2024.

    An empty patch is a failure, a failed evaluation nobody's; what is not evaluated has no outcome.
    """
    lists = (
        ("resolved_ids", Outcome.PASS),
        ("resolved", Outcome.PASS),
        ("unresolved_ids", Outcome.FAIL),
        ("empty_patch_ids", Outcome.FAIL),
        ("error_ids", Outcome.ERROR),
        ("failed_ids", Outcome.ERROR),
        *((name, Outcome.ERROR) for name in ("install_fail", "reset_failed", "test_errored")),
        *((name, Outcome.FAIL) for name in ("no_generation", "no_apply", "test_timeout", "applied")),
    )
    yield from (_Verdict(task, outcome) for task, outcome in _by_lists(document, lists).items())


def _swebench_instances(document: Document) -> Iterator[_Verdict]:
    """The `report.json` of single instances."""
    for task, each in document.items():
        yield _Verdict(task, Outcome.PASS if each["resolved"] else Outcome.FAIL)


def _gso(document: Document) -> Iterator[_Verdict]:
    """Passed is what GSO counts, as fast as the expert (Opt@1); correct and faster than before is a part of it.

    What GSO found to be a hack passes its tests and is a failure here, with a label.
    """
    sets: Document = document["instance_sets"]
    stats = document.get("opt_stats")
    hacked = set(_ids(sets, "hacked_ids"))
    lists = (
        ("hacked_ids", Outcome.FAIL),
        ("opt_commit_ids", Outcome.PASS),
        ("opt_base_ids", Outcome.PARTIAL),
        ("error_ids", Outcome.ERROR),
        ("base_failed_ids", Outcome.ERROR),
        ("patch_failed_ids", Outcome.FAIL),
        ("test_failed_ids", Outcome.FAIL),
        ("empty_patch_ids", Outcome.FAIL),
        ("passed_ids", Outcome.FAIL),
        ("completed_ids", Outcome.FAIL),
    )
    for task, outcome in _by_lists(sets, lists).items():
        figures = stats.get(task) if isinstance(stats, dict) else None
        scores = tuple(_speedups(figures)) if isinstance(figures, dict) else ()
        yield _Verdict(task, outcome, scores=scores, labels=("hacked",) if task in hacked else ())


def _speedups(figures: Document) -> Iterator[Score]:
    """Geometric means over the tests of a task."""
    for name, key in (("speedup", "gm_speedup_patch_base"), ("speedup over expert", "gm_speedup_patch_commit")):
        if (number := finite(figures.get(key))) is not None and number > 0:
            yield Score(name, number, "x", higher_is_better=True, is_ratio=True)


def _is_terminal_bench(document: Document) -> bool:
    return isinstance(document.get("results"), list) and ("n_resolved" in document or "resolved_ids" in document)


def _terminal_bench(document: Document) -> Iterator[_Verdict]:
    """The trials of a run."""
    for trial in document["results"]:
        if isinstance(trial, dict) and is_trial(trial):
            yield from _trial(trial)


def _trial(trial: Document) -> Iterator[_Verdict]:
    """A trial that was solved is solved, even if the agent's time was up; one that was not judged is an error."""
    yield _Verdict(
        trial["task_id"], outcome_of(trial), attempt_of(trial), started_at=times.utc_text(trial.get("trial_started_at"))
    )


_KINDS: tuple[tuple[Callable[[Document], bool], Callable[[Document], Iterator[_Verdict]]], ...] = (
    (is_swebench, _swebench),
    (_is_terminal_bench, _terminal_bench),
    (is_gso, _gso),
    (is_trial, _trial),
    (is_swebench_instances, _swebench_instances),
)
