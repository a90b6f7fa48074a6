"""Parses reports of benchmarks: which tasks were solved, as the benchmark's own program says.

Each is known by its content, because they are all called `report.json` or `results.json`. A report speaks of tasks;
which model and attempt it is about stands, if anywhere, in its path. Sources: the report files of SWE-bench (schema
version 2), GSO and terminal-bench 1, compared with published ones.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from sitegen.model import Outcome, Score
from sitegen.outcomes.cells import MAX_TEXT, finite
from sitegen.outcomes.rows import Row, RowSource
from sitegen.readers.harness.terminal_bench import attempt_of, is_trial, outcome_of
from sitegen.readers.kinds import (
    is_gso,
    is_swebench,
    is_swebench_flat,
    is_swebench_instances,
    is_swebench_pro,
    verdicts_by_id,
)
from sitegen.text import times

Document = Mapping[str, Any]

# The verdict of a report on one attempt at a task.
_verdict = partial(Row, "", None, is_report=True)


def parse_report(document: object, text: str, origin: RowSource) -> list[Row] | None:
    """Return the rows of a report; None when the document is none that we know. `text` is what it was read from."""
    verdicts = read_verdicts(document, origin)
    if verdicts is None:
        return None
    lines = first_lines(text, {verdict.task for verdict in verdicts if verdict.task})
    place = origin.source.place
    stated = {"campaign": origin.settings.campaign, "model": origin.settings.model}
    about: dict[str, Any] = {name: origin.clean(value) for name, value in stated.items() if value}
    about |= {"file": origin.file, "input": origin.source.input, "is_found": origin.is_found}
    about["model_hints"] = tuple(map(origin.clean, possible_models(Path(place))))
    rows = []
    for verdict in verdicts:
        task = verdict.task or ""
        if not task.strip() or len(task) > MAX_TEXT:
            continue
        if verdict.attempt is None:
            verdict = replace(verdict, attempt=origin.settings.attempt)
        below = folders_of_runs(place, task) if origin.is_found else ()
        line = lines.get(task)
        rows.append(replace(verdict, line=line, task=origin.clean(task), below=below, **about))
    return rows


def read_verdicts(document: object, origin: RowSource) -> list[Row] | None:
    """Return the verdicts of a report; None when the document is none that we know."""
    if not isinstance(document, dict):
        return None
    if is_swebench_flat(document):
        document = {Path(origin.source.place).parent.name: document}
    for is_one, read_report in _KINDS:
        if is_one(document):
            return list(read_report(document))
    return None


# Folders whose reports are about runs beside them.
_ASIDE = re.compile(r"results|reports|logs|evaluation.*", re.IGNORECASE)
# The folder of a model in which SWE-bench's own program writes its reports, within that of the runs.
_OF_HARNESS = re.compile(r"(.+?)(?:/logs)?/run_evaluation/[^/]+/[^/]+")


def folders_of_runs(location: str, task: str) -> tuple[str, ...]:
    """Return the folders below which a report that lies there is about the runs of a task, each with a slash at its
    end."""
    folder = Path(os.path.abspath(location)).parent  # noqa: PTH100  keeps links
    if folder.name == task:
        folder = folder.parent
    folders = [folder]
    if harness := _OF_HARNESS.fullmatch(folder.as_posix()):
        folders.append(Path(harness[1]))
    elif _ASIDE.fullmatch(folder.name):
        folders.append(folder.parent)
    return tuple(os.path.join(path, "") for path in folders)  # noqa: PTH118  a path has no slash at its end


_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*+)"')


def first_lines(text: str, wanted: set[str]) -> dict[str, int]:
    """Return the line in which each of the wanted strings first stands in a JSON text."""
    lines: dict[str, int] = {}
    line = 1
    counted = 0
    for string in _STRING.finditer(text):
        if string[1] in wanted and string[1] not in lines:
            line = line + text.count("\n", counted, string.start())
            counted = string.start()
            lines[string[1]] = line
    return lines


# A dot, but not that of a version, as in `opus-4.5`.
_BETWEEN_WORDS = re.compile(r"\.(?![0-9])|(?<![0-9])\.")


def possible_models(location: Path) -> Iterator[str]:
    """Yield what may be the name of a model in the path of a report: `<model>.<run>.json`,
    `<model>/<task>/report.json`."""
    yield location.stem
    if dot := _BETWEEN_WORDS.search(location.stem):
        yield location.stem[: dot.start()]
    yield from (folder.name for folder in list(location.parents)[:2])


def read_ids(values: Document, name: str) -> list[str]:
    """Return a list of task names; whatever else it holds is left out."""
    tasks = values.get(name)
    return [task for task in tasks if isinstance(task, str)] if isinstance(tasks, list) else []


def outcomes_by_list(values: Document, *lists: tuple[Outcome, str]) -> dict[str, Outcome]:
    """Return the outcome of each task by the first list that holds it; the names of lists are divided by spaces."""
    outcomes: dict[str, Outcome] = {}
    for outcome, names in lists:
        for name in names.split():
            for task in read_ids(values, name):
                outcomes.setdefault(task, outcome)
    return outcomes


def read_swebench(document: Document) -> Iterator[Row]:
    """Yield a run report, of today or of 2024.

    An empty patch is a failure, a failed evaluation nobody's; what is not evaluated has no outcome.
    """
    outcomes = outcomes_by_list(
        document,
        (Outcome.PASS, "resolved_ids resolved"),
        (Outcome.FAIL, "unresolved_ids empty_patch_ids"),
        (Outcome.ERROR, "error_ids failed_ids install_fail reset_failed test_errored"),
        (Outcome.FAIL, "no_generation no_apply test_timeout applied"),
    )
    yield from (_verdict(task=task, outcome=outcome) for task, outcome in outcomes.items())


def read_swebench_instances(document: Document) -> Iterator[Row]:
    """Yield the `report.json` of single instances."""
    for task, instance in document.items():
        yield _verdict(task=task, outcome=Outcome.PASS if instance["resolved"] else Outcome.FAIL)


def read_swebench_pro(document: Document) -> Iterator[Row]:
    """Yield the verdicts of a report of SWE-bench Pro; an instance that has null was not evaluated."""
    for task, verdict in verdicts_by_id(document).items():
        if verdict is not None:
            yield _verdict(task=task, outcome=Outcome.PASS if verdict else Outcome.FAIL)


def read_gso(document: Document) -> Iterator[Row]:
    """Passed is what GSO counts, as fast as the expert (Opt@1); correct and faster than before is a part of it.

    What GSO found to be a hack passes its tests and is a failure here, with a label.
    """
    sets: Document = document["instance_sets"]
    stats = document.get("opt_stats")
    hacked = set(read_ids(sets, "hacked_ids"))
    outcomes = outcomes_by_list(
        sets,
        (Outcome.FAIL, "hacked_ids"),
        (Outcome.PASS, "opt_commit_ids"),
        (Outcome.PARTIAL, "opt_base_ids"),
        (Outcome.ERROR, "error_ids base_failed_ids"),
        (Outcome.FAIL, "patch_failed_ids test_failed_ids empty_patch_ids passed_ids completed_ids"),
    )
    for task, outcome in outcomes.items():
        figures = stats.get(task) if isinstance(stats, dict) else None
        scores = tuple(read_speedups(figures)) if isinstance(figures, dict) else ()
        labels = ("hacked",) if task in hacked else ()
        yield _verdict(task=task, outcome=outcome, scores=scores, labels=labels)


def read_speedups(figures: Document) -> Iterator[Score]:
    """Yield geometric means over the tests of a task."""
    for name, key in (
        ("speedup", "gm_speedup_patch_base"),
        ("speedup over expert", "gm_speedup_patch_commit"),
    ):
        number = finite(figures.get(key))
        if number is not None and number > 0:
            yield Score(name, number, "x", higher_is_better=True, is_ratio=True)


def is_terminal_bench(document: Document) -> bool:
    """Return whether a document is the results of a run of terminal-bench."""
    is_counted = "n_resolved" in document or "resolved_ids" in document
    return is_counted and isinstance(document.get("results"), list)


def read_terminal_bench(document: Document) -> Iterator[Row]:
    """Yield the trials of a run, or the one that this is. One that was solved is solved, even if the agent's time was
    up; one that was not judged is an error."""
    for trial in document.get("results", [document]):
        if isinstance(trial, dict) and is_trial(trial):
            yield _verdict(
                task=trial["task_id"],
                outcome=outcome_of(trial),
                attempt=attempt_of(trial),
                started_at=times.utc_text(trial.get("trial_started_at")),
            )


_KINDS: tuple[tuple[Callable[[Document], bool], Callable[[Document], Iterator[Row]]], ...] = (
    (is_swebench, read_swebench),
    (is_terminal_bench, read_terminal_bench),
    (is_gso, read_gso),
    (is_trial, read_terminal_bench),
    (is_swebench_instances, read_swebench_instances),
    (is_swebench_pro, read_swebench_pro),
)
