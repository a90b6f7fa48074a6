"""Files with nothing but results of another file are that file again.

A run is known by the ids of its results, answers and prompts; without any, by the records it begins with, or by the
digest of its file. Results count as the same only when their figures are, so that a file cannot make another run
disappear by naming its ids. Runs that share an id and differ are all shown, and each reports it.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from sitegen.inputs.reported import report_same
from sitegen.model import BEGINNING, Caveat, Entry, Problem, ResultKey, Run, Status
from sitegen.text import names


def merge(entries: Sequence[Entry]) -> tuple[list[Entry], list[Problem]]:
    """Return one entry for each run, by path, and what is reported of the others."""
    holders: dict[str, list[Entry]] = {}  # the runs with each key
    kept: list[Entry] = []
    problems: list[Problem] = []
    copies: dict[str, list[Entry]] = {}
    rivals: dict[str, str] = {}  # page id -> path of another file with one of its ids
    for entry in sorted(entries, key=most_complete_first):
        keys = identifying_keys(entry)
        others = [other for key in keys for other in holders.get(key, ())]
        same = next((other for other in others if has_all_results(other.run, entry.run)), None)
        if same:
            problems.append(report_same(entry, same))
            copies.setdefault(same.id, []).append(entry)
            continue
        kept.append(entry)
        for key in keys:
            if not key.startswith(BEGINNING):
                for other in holders.get(key, ()):
                    rivals.setdefault(entry.id, other.source.path)
                    rivals.setdefault(other.id, entry.source.path)
            holders.setdefault(key, []).append(entry)
    runs = [dispute(entry, rivals[entry.id]) if entry.id in rivals else entry for entry in kept]
    runs = [add_copies(entry, [entry, *copies.get(entry.id, ())]) for entry in runs]
    return sorted(runs, key=by_path), problems


def identifying_keys(entry: Entry) -> list[str]:
    """Return what a run is known by: the ids of its results, else the digest of its file with its place there."""
    results = dict.fromkeys(result.uuid for result in entry.run.results)
    if results:
        return list(results)
    key = f"{entry.digest}#{entry.number}"
    if entry.run.folder is not None:  # what it says is of its folder
        key += os.path.dirname(entry.source.path)  # noqa: PTH120  Path's is slow for ten thousand
    return [key]


def has_all_results(other: Run, run: Run) -> bool:
    """Return whether a run is another one, or a part of it, by its results."""
    identified = {result for result in run.results if is_identified(result)}
    if identified:
        return identified <= set(other.results)
    return may_be_part(run, other) and set(run.results) <= set(other.results)


def is_identified(result: ResultKey) -> bool:
    """Return whether a result has an id of its own, not only the mark of a beginning."""
    return not result.uuid.startswith(BEGINNING)


def may_be_part(run: Run, other: Run) -> bool:
    """Return whether a run that begins as another one may be the same: one that ended with another sum is not."""
    has_sum = run.is_total_exact or run.tokens.unsplit is not None
    return run.status is not Status.OK or not has_sum or run.tokens.total == other.tokens.total


def dispute(entry: Entry, other_path: str) -> Entry:
    """Return a run that reports another file with one of its ids."""
    text = f"{other_path} has a record with the same id, but the runs differ; both are counted."
    caveats = (*entry.run.caveats, Caveat("W_UUID", text))
    return replace(entry, run=replace(entry.run, caveats=caveats))


def most_complete_first(entry: Entry) -> tuple[object, ...]:
    """Return the sort key by which the file that has the most of a run comes first."""
    run = entry.run
    counts = (
        sum(map(is_identified, run.results)),
        run.tokens.total or 0,
        run.steps.steps if run.steps else 0,
        -len(run.caveats),
        entry.source.size,
    )
    return *(-count for count in counts), entry.source.path


def by_path(entry: Entry) -> tuple[object, int]:
    """Return the sort key of runs: by path, then by their place in the file."""
    return names.natural_order(entry.source.path), entry.number


def add_copies(entry: Entry, copies: Sequence[Entry]) -> Entry:
    """Return the entry with where its copies lie, and with what the path of the first of them that states something
    states: which of them is shown must not decide what its run belongs to. It may be one of them itself."""
    if list(copies) == [entry]:
        return entry
    naming = next((copy for copy in copies if facts_from_path(copy)), entry)
    sources = other_sources(entry, copies)
    return replace(
        entry,
        **facts_from_path(naming),
        model=entry.model or naming.model,
        stated_in=sources,
    )


def other_sources(entry: Entry, copies: Iterable[Entry]) -> tuple[Any, ...]:
    """Return the files of copies, each once, without that of the entry."""
    sources = dict.fromkeys(copy.source for copy in copies)
    return tuple(source for source in sources if source.path != entry.source.path)


def facts_from_path(entry: Entry) -> dict[str, Any]:
    """Return what the path of a run states."""
    facts: dict[str, Any] = {
        "campaign": entry.campaign,
        "stated_model": entry.stated_model,
        "factors": entry.factors,
        "labels": entry.labels,
    }
    if entry.task != entry.run.task:
        facts["task"] = entry.task
    if entry.attempt != entry.run.attempt:
        facts["attempt"] = entry.attempt
    return {name: value for name, value in facts.items() if value}
