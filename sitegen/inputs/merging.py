"""One entry for each run, by path: the same run in two files is one, and names that are alike are told apart."""

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sitegen.errors import PublishError
from sitegen.model import BEGINNING, Caveat, Entry, Problem, ResultKey, Run, Status, Verdict
from sitegen.text import names


def merged(entries: Sequence[Entry]) -> tuple[list[Entry], list[Problem]]:
    """Return one entry for each run: a file that holds nothing but results of another file is that file again.

    A run is known by the ids of its results, answers and prompts; without any, by the records it begins with, or by the
    digest of its file. Results count as the same only when their figures are, so that a file cannot make another run
    disappear by naming its ids. Runs that share an id and differ are all shown, and each says so.
    """
    ranked = sorted(entries, key=_poverty)
    holders: dict[str, list[Entry]] = {}
    kept: list[Entry] = []
    problems: list[Problem] = []
    copies: dict[str, list[Entry]] = {}
    disputed: dict[str, str] = {}  # page id -> path of another file with one of its ids
    for entry in ranked:
        own = f"{entry.digest}#{entry.number}"
        if entry.run.folder is not None:  # what it says is of its folder
            own += os.path.dirname(entry.source.path)  # noqa: PTH120  Path's is slow for ten thousand
        keys = list(dict.fromkeys(result.uuid for result in entry.run.results)) or [own]
        others = {other.id: other for key in keys for other in holders.get(key, ())}
        identified = set(_identified(entry))
        fitting = (
            other for other in others.values() if identified or _may_be_part(entry.run, other.run)
        )
        own_results = identified or set(entry.run.results)
        same = next((other for other in fitting if own_results <= set(other.run.results)), None)
        if same:
            problems.append(told_same(entry, same))
            copies.setdefault(same.id, []).append(entry)
            continue
        kept.append(entry)
        for key in keys:
            for other in holders.get(key, ()) if not key.startswith(BEGINNING) else ():
                disputed.setdefault(entry.id, other.source.path)
                disputed.setdefault(other.id, entry.source.path)
            holders.setdefault(key, []).append(entry)
    for at, entry in enumerate(kept):
        if other_path := disputed.get(entry.id):
            text = f"{other_path} has a record with the same id, but the runs differ; both are counted."
            kept[at] = replace(
                entry, run=replace(entry.run, caveats=(*entry.run.caveats, Caveat("W_UUID", text)))
            )
    found = (
        with_copies(entry, (entry, *copies[entry.id])) if entry.id in copies else entry
        for entry in kept
    )
    return sorted(
        found, key=lambda entry: (names.natural_order(entry.source.path), entry.number)
    ), problems


def with_copies(entry: Entry, copies: Sequence[Entry]) -> Entry:
    """Return the entry with where its copies lie, and with what the path of the first of them that says something says:
    which of them is shown must not decide what its run belongs to. It may be one of them itself."""

    def of_path(each: Entry) -> dict[str, Any]:
        facts = {
            name: getattr(each, name) for name in ("campaign", "stated_model", "factors", "labels")
        }
        facts |= {} if each.task == each.run.task else {"task": each.task}
        facts |= {} if each.attempt == each.run.attempt else {"attempt": each.attempt}
        return {name: value for name, value in facts.items() if value}

    told = next((each for each in copies if of_path(each)), entry)
    sources = dict.fromkeys(each.source for each in copies if each.source.path != entry.source.path)
    return replace(
        entry, **of_path(told), model=entry.model or told.model, stated_in=tuple(sources)
    )


def _may_be_part(run: Run, other: Run) -> bool:
    """Return whether a run that begins as another one may be the same: one that ended with another sum is not."""
    has_sum = run.is_total_exact or run.tokens.unsplit is not None
    return run.status is not Status.OK or not has_sum or run.tokens.total == other.tokens.total


def _identified(entry: Entry) -> list[ResultKey]:
    """Return what is known of a run's results, without the marks of its beginning."""
    return [result for result in entry.run.results if not result.uuid.startswith(BEGINNING)]


def _poverty(entry: Entry) -> tuple[object, ...]:
    """Return the sort key by which the file that has the most of a run comes first."""
    run = entry.run
    steps = run.steps.steps if run.steps else 0
    counts = (
        len(_identified(entry)),
        run.tokens.total or 0,
        steps,
        -len(run.caveats),
        entry.source.size,
    )
    return *(-count for count in counts), entry.source.path


def told_same(entry: Entry, other: Entry) -> Problem:
    """Return what is said of a run that is the same as another one."""
    reason = f"The same run as {other.source.path}, which is shown; its cost is counted once."
    return merged_with(entry.source.path, reason, other.id)


def merged_with(path: str, reason: str, page_id: str) -> Problem:
    """Return what is said of a file whose run is a part, or a copy, of that of a page."""
    return Problem(path, "W_DUPLICATE", Verdict.MERGE, reason, page_id=page_id)


def refuse_same_ids(entries: Sequence[Entry]) -> None:
    """Refuse runs with the same page id: two of them would overwrite each other's page.

    Raises: PublishError, naming both.
    """
    seen: dict[str, Entry] = {}
    for entry in entries:
        other = seen.setdefault(entry.id, entry)
        if other is not entry:
            raise PublishError(
                f"{other.source.path} and {entry.source.path} would share one page; rename one of them"
            )


def in_order(problem: Problem) -> tuple[object, int, str, str]:
    """Return the sort key of a problem: by path as runs are, so that 2.csv comes before 10.csv; then as one reads the
    file."""
    return names.natural_order(problem.path), problem.line, problem.code, problem.reason
