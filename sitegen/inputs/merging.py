"""One entry for each run, by path: the same run in two files is one, and names that are alike are told apart."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from sitegen.errors import PublishError
from sitegen.figures import sentence_list
from sitegen.model import BEGINNING, Caveat, Entry, Problem, ResultKey, Run, Status, Verdict, by_key
from sitegen.text import names

MAX_NAMED = 3  # spellings that a sentence names; the rest are counted


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


def in_one_case(
    entries: Sequence[Entry], *, with_campaigns: bool
) -> tuple[Sequence[Entry], list[str]]:
    """Return the runs with one spelling for what differs in case alone, of tasks, campaigns, models and factors: that
    of most runs, else the first in order; and a sentence for each of these where there were several."""

    def named(entry: Entry) -> Iterator[tuple[str, str | None]]:
        yield from (("task", entry.task), ("campaign", entry.campaign if with_campaigns else None))
        yield from (("model", name) for name in {entry.model, *entry.ledger_names})
        yield from {
            **dict(entry.factors),
            "agent": entry.agent,
            "effort": entry.factor("effort"),
        }.items()

    uses = Counter((kind, name) for entry in entries for kind, name in named(entry) if name)
    ranked = sorted(uses, key=lambda use: (use[0], -uses[use], names.natural_order(use[1])))
    counts: dict[tuple[str, str], str] = {}
    for spellings in by_key(ranked, lambda use: (use[0], use[1].casefold())).values():
        (kind, name), *others = spellings
        counts |= dict.fromkeys(others, name)
    if not counts:
        return entries, []

    def one(kind: str, name: str | None) -> str | None:
        return counts.get((kind, name or ""), name)

    def factors(entry: Entry) -> Iterator[tuple[str, str]]:
        of_file = {"agent": entry.agent, "effort": entry.factor("effort") or ""}
        merged_names = {kind: name for kind, name in of_file.items() if (kind, name) in counts}
        stated = {**dict(entry.factors), **merged_names}
        return ((kind, counts.get((kind, name), name)) for kind, name in stated.items())

    renamed = [
        replace(
            entry,
            task=one("task", entry.task),
            campaign=one("campaign", entry.campaign),
            model=one("model", entry.model),
            ledger_names=tuple(counts.get(("model", name), name) for name in entry.ledger_names),
            factors=tuple(factors(entry)),
        )
        for entry in entries
    ]
    remarks = []
    for kind, spellings in by_key(counts, lambda use: use[0]).items():
        merges = [f"{name} counts as {counts[kind, name]}" for _, name in spellings[:MAX_NAMED]]
        if len(spellings) > MAX_NAMED:
            merges.append(f"{len(spellings) - MAX_NAMED:,} more")
        remarks.append(f"{kind}: names that differ in case alone are one: {sentence_list(merges)}.")
    return renamed, remarks


def tasks_apart(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yield the runs in their order. Of samples that several evaluations call the same, each task is called by its
    evaluation too."""
    of_tasks = by_key(entries, lambda entry: entry.task or None)
    alike = {
        task for task, own in of_tasks.items() if len({entry.run.evaluation for entry in own}) > 1
    }
    for entry in entries:
        is_alike = entry.run.evaluation and entry.task in alike
        yield replace(entry, task=f"{entry.run.evaluation} {entry.task}") if is_alike else entry


def named_by_paths(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Return the runs in their order. Those that state no task and are called by their file, as others are, are called
    by as many folders of its path as tell them apart: `csv/opus/2` beside `csv/sonnet/2`."""

    def by_file(entry: Entry) -> str | None:
        is_so = not entry.task and entry.title == names.spelled_out(names.stem(entry.source.path))
        return entry.title if is_so else None

    renamed: dict[str, str] = {}
    for found in by_key(entries, by_file).values():
        paths = [names.without_extension(entry.source.path).split("/") for entry in found]
        depths = range(1, max(map(len, paths)) + 1)
        titles = (["/".join(path[-depth:]) for path in paths] for depth in depths)
        whole = ["/".join(path) for path in paths]
        apart = next((each for each in titles if len(set(each)) == len(found)), whole)
        renamed |= {
            entry.id: title
            for entry, title in zip(found, apart, strict=True)
            if title != entry.title
        }
    return (
        replace(entry, title=renamed[entry.id]) if entry.id in renamed else entry
        for entry in entries
    )


def told_apart(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yield the runs in their order. To names that several have is added what differs: the campaign, the configuration
    where the name does not have it, labels, the path, the place in the file; where all that is alike, the end of the
    id."""
    alike = by_key(
        entries, lambda entry: replace(entry, apart="").name if entry.apart else entry.name
    )
    apart: dict[str, str] = {}
    for own in alike.values():
        apart |= _apart(own, _DISTINCTIONS) if len(own) > 1 else {own[0].id: ""}
    named = [
        entry if entry.apart == apart[entry.id] else replace(entry, apart=apart[entry.id])
        for entry in entries
    ]
    uses = Counter(entry.name for entry in named)
    for entry in named:
        is_unique = uses[entry.name] == 1 or not entry.apart
        yield (
            entry
            if is_unique
            else replace(entry, apart=" · ".join(filter(None, (entry.apart, entry.id[-12:]))))
        )


def _apart(
    entries: Sequence[Entry], distinctions: Sequence[Callable[[Sequence[Entry]], list[str]]]
) -> dict[str, str]:
    """Return what to add to the name that all of these have, by page id."""
    if len(entries) == 1 or not distinctions:
        return {entry.id: "" for entry in entries}
    of, *further = distinctions
    parts = dict(zip([entry.id for entry in entries], of(entries), strict=True))
    if len(set(parts.values())) == 1:
        return _apart(entries, further)
    return {
        page_id: " · ".join(filter(None, (parts[page_id], rest)))
        for own in by_key(entries, lambda entry: parts[entry.id]).values()
        for page_id, rest in _apart(own, further).items()
    }


def _folders_apart(entries: Sequence[Entry]) -> list[str]:
    """Return as much of each path as tells it from the others, without what all end with."""
    paths = [names.without_extension(entry.source.path).split("/") for entry in entries]
    while len({path[-1] for path in paths}) == 1 and all(len(path) > 1 for path in paths):
        paths = [path[:-1] for path in paths]
    different = len(set(map(tuple, paths)))
    depths = range(1, max(map(len, paths)) + 1)
    depth = next(
        depth for depth in depths if len({tuple(path[-depth:]) for path in paths}) == different
    )
    return [names.spelled_out("/".join(path[-depth:])) for path in paths]


_DISTINCTIONS: tuple[Callable[[Sequence[Entry]], list[str]], ...] = (
    lambda entries: [entry.campaign or "" for entry in entries],
    lambda entries: [
        "" if entry.task else entry.configuration or entry.model or "" for entry in entries
    ],
    lambda entries: [", ".join(entry.labels) for entry in entries],
    _folders_apart,
    lambda entries: [f"no. {entry.number + 1} in its file" for entry in entries],
    lambda entries: [entry.id[-12:] for entry in entries],
)


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
