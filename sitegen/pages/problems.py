"""The page of problems: what was skipped, what is doubtful, what was masked, and what was checked."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from sitegen import figures
from sitegen.collect import Facts
from sitegen.figures import status_view
from sitegen.html.render import Page, View
from sitegen.inputs.alike import MAX_ALONE, causes, unknown_in_words
from sitegen.model import INCOMPLETE, Entry, Masked, Problem, Status, T, Verdict, by_key
from sitegen.numbers.gates import reconciles
from sitegen.numbers.pricing import Checks, PriceTable
from sitegen.numbers.statistics import dimension_of
from sitegen.numbers.success import lost_runs
from sitegen.pages.run.money import cost_remarks
from sitegen.pages.views import FactView, LinkView, run_link, runs_with
from sitegen.readers.kinds import in_words
from sitegen.text.names import run_path

ROWS_PER_GROUP = 500  # rows of one table on the problems page; the data file holds them all
MAX_OPEN = 5  # rows that stand open of what was read all the same; more are folded
MAX_LISTED = 100  # runs or files of one row that are listed


@dataclass(frozen=True, slots=True)
class _Group:
    """A table of problems of one kind."""

    id: str
    heading: str
    note: str
    what: str
    done: str


NO_PROBLEMS = "No problems"
# The groups of codes that are no doubt about a figure: what a file does not report, and what is read correctly.
_GROUP_OF_CODE = {"W_MISSING": "missing", "W_MULTI_RESULT": "notes", "W_COPY": "notes"}


def group_of(problem: Problem) -> str:
    """Return the id of the group that a problem is in."""
    if problem.is_about_outcomes:
        return "outcomes"
    if problem.verdict is Verdict.ACCEPT:
        return _GROUP_OF_CODE.get(problem.code, "doubtful")
    return "merged" if problem.verdict is Verdict.MERGE else "skipped"


_GROUPS = (
    _Group("skipped", "Unreadable files", "Not on any other page.", "File", "Skipped."),
    _Group("doubtful", "Doubtful figures", "Shown, with a doubtful part.", "Run", ""),
    _Group("missing", "Missing figures", "Not reported, so unknown or a lower bound.", "Run", ""),
    _Group("notes", "Notes", "Read correctly; for information.", "Run", ""),
    _Group(
        "outcomes",
        "Outcomes",
        "Outcomes that match no run or contradict each other.",
        "Stated in",
        "Not counted.",
    ),
    _Group(
        "merged", "Duplicate files", "Counted once, read from the richer file.", "File", "Merged."
    ),
)


def problems_page(
    facts: Facts, problems: Sequence[Problem], checks: Checks, prices: PriceTable
) -> Page:
    """Return the page of problems, which exists without any; also says what was masked."""
    entries = facts.entries
    names = {entry.id: entry.name for entry in entries}
    found = by_key(problems, group_of)
    groups = tuple(_group(group, found[group.id], names) for group in _GROUPS if group.id in found)
    lost = lost_runs(entries)
    lost_ids = {entry.id for entry in lost}
    groups += (*_lost(lost), *_incomplete([entry for entry in entries if entry.id not in lost_ids]))
    groups += (*_unreconciled(entries, checks, prices), *_masked(facts.masked, names))
    skipped = sum(problem.is_skipped_file for problem in problems)
    heading = heading_of(facts, problems, checks)
    unread = (
        f"{figures.plural(skipped, 'file')} could not be read and {'is' if skipped == 1 else 'are'}"
    )
    rest = (
        f"{unread} on no other page."
        if skipped
        else "Every file that claims to be a run could be read."
    )
    lead = f"{figures.plural(len(entries), 'run')} {'was' if len(entries) == 1 else 'were'} read. {rest}"
    view = View(
        heading=heading,
        lead=lead,
        groups=groups,
        remarks=(*facts.remarks, *unknown_in_words(entries)),
        ignored=tuple(in_words(facts.ignored_files)),
        checked=_checked(facts, problems, checks),
    )
    about = (
        "Files that could not be read, runs that did not complete, and figures that do not agree."
    )
    return Page("problems.html", "problems.html.jinja", heading, about, "problems", view)


def heading_of(facts: Facts, problems: Sequence[Problem], checks: Checks) -> str:
    """Return the heading of the page: NO_PROBLEMS only where nothing on it, but what was masked, is one."""
    if (
        problems
        or facts.remarks
        or any(reconciles(entry.run, checks[entry.id]) is False for entry in facts.entries)
    ):
        return "Problems"
    if lost := lost_runs(facts.entries):
        return f"{figures.plural(len(lost), 'lost run')}"
    if incomplete := sum(entry.run.status in INCOMPLETE for entry in facts.entries):
        return f"No file has a problem; {figures.plural(incomplete, 'run')} did not complete"
    return NO_PROBLEMS


def _group(group: _Group, found: Sequence[Problem], names: Mapping[str, str]) -> View:
    count = figures.count(len(found))
    of_runs = len({problem.page_id or problem.path for problem in found})
    if group.id in ("doubtful", "missing") and of_runs < len(found):
        count = f"{figures.count(of_runs)}, {count} remarks"
    row = partial(_row, group=group, names=names)
    return _table(
        group.id, group.heading, group.note, causes(found), row=row, what=group.what, count=count
    )


_READ_ANYWAY = ("doubtful", "missing", "notes", "merged", "unreconciled", "masked")
"""Groups of what was read all the same."""


def _table(
    group: str,
    heading: str,
    note: str,
    kinds: Sequence[Sequence[T]],
    *,
    row: Callable[[Sequence[T]], View],
    file: str = "problems.json",
    **words: str,
) -> View:
    """Return a row for each kind of problems; `words` are what has them, and how many they are."""
    rows = tuple(map(row, kinds[:ROWS_PER_GROUP]))
    is_read = group in _READ_ANYWAY
    more = _more(sum(map(len, kinds[ROWS_PER_GROUP:])), file)
    folded = figures.plural(len(rows), "cause") if is_read and len(rows) > MAX_OPEN else ""
    words |= {"id": group, "heading": heading, "note": note, "folded": folded}
    return View(rows=rows, more=more, is_read=is_read, **words)


def _apart(alike: Iterable[list[T]]) -> list[list[T]]:
    """Return what is alike in many runs together, else each alone."""
    return [
        part
        for own in alike
        for part in ([own] if len(own) > MAX_ALONE else [[each] for each in own])
    ]


def _found(of: Problem | Masked, names: Mapping[str, str], place: str | None) -> View:
    """Return a run by its name, else a file by its path."""
    name = names.get(of.page_id or "", of.path)
    return View(name=name, href=of.page_id and run_path(of.page_id), place=place)


def _row(own: Sequence[Problem], group: _Group, names: Mapping[str, str]) -> View:
    """Return problems of one cause."""
    first = own[0]
    varies = any(problem.reason != own[0].reason for problem in own)
    found = tuple(
        _found(each, names, each.reason if varies else _place(each)) for each in own[:MAX_LISTED]
    )
    count = figures.plural(len(own), "run" if group.what == "Run" else "file") if own[1:] else ""
    reason = f"For example: {first.reason}" if varies else first.reason
    left = _more(len(own) - MAX_LISTED)
    return View(
        found=found, more=left, count=count, reason=reason, done=group.done, code=first.code, by=()
    )


def _place(problem: Problem) -> str | None:
    return problem.place and figures.capitalized(problem.place)


def _more(left: int, file: str = "problems.json") -> str | None:
    """Return what is said below the rows of a group that are shown."""
    if left <= 0:
        return None
    if file == "runs.csv":
        return f"{figures.count(left)} more; data/runs.csv has all."
    return f"{figures.count(left)} more {'is' if left == 1 else 'are'} in data/{file}."


def _of_runs(
    anchor: str,
    heading: str,
    note: str,
    found: Sequence[Entry],
    said: Callable[[Entry], tuple[str, str]],
) -> Iterator[View]:
    """Yield a table of runs, if there are any; `said` is what is wrong with one and what was done."""
    if not found:
        return
    alike: dict[str, list[tuple[Entry, str, str]]] = {}
    for entry in found:
        reason, done = said(entry)
        alike.setdefault(reason, []).append((entry, reason, done))

    def row(own: Sequence[tuple[Entry, str, str]]) -> View:
        _, reason, done = own[0]
        several = len(own) > 1
        links = [(run_link(entry), done if several else None) for entry, _, done in own]
        runs = tuple(
            View(name=link.text, href=link.href, place=place) for link, place in links[:MAX_LISTED]
        )
        count = figures.plural(len(own), "run") if several else ""
        left = _more(len(own) - MAX_LISTED, "runs.csv")
        return View(
            found=runs,
            more=left,
            count=count,
            reason=reason,
            done="Shown." if several else done,
            code="",
            by=tuple(_by_configuration([entry for entry, *_ in own])) if several else (),
        )

    count = figures.count(len(found))
    yield _table(
        anchor,
        heading,
        note,
        _apart(alike.values()),
        row=row,
        file="runs.csv",
        what="Run",
        count=count,
    )


def _by_configuration(runs: Sequence[Entry]) -> Iterator[LinkView]:
    """Yield how many of these runs each configuration has, with a link to them."""
    dimension = dimension_of(runs)
    statuses = sorted({run.run.status_detail or "" for run in runs})
    counts = Counter(run.compared_as for run in runs)
    for who, count in counts.most_common(MAX_LISTED):
        chosen = {"status_detail": statuses, **({dimension.value: [who]} if who else {})}
        name = f"{figures.plural(count, 'run')} of {who or 'no known model'}"
        yield LinkView(runs_with(chosen), name)


def _incomplete(entries: Sequence[Entry]) -> Iterator[View]:
    """Yield the runs that failed, were stopped or broke off, and how."""

    def said(entry: Entry) -> tuple[str, str]:
        how = [status_view(entry.run.status).word.capitalize(), entry.run.status_detail]
        cost = "not known" if entry.run.spent_usd is None else figures.cost(entry.run)
        return f"{', '.join(filter(None, how))}.", f"Shown; cost {cost}."

    note = "Failed, stopped (by a usage limit or an API error), or interrupted (the recording ends early)."
    found = [entry for entry in entries if entry.run.status in INCOMPLETE]
    yield from _of_runs("incomplete", "Runs that did not complete", note, found, said)


def _lost(lost: Sequence[Entry]) -> Iterator[View]:
    """Yield the runs without a verdict because of errors, by cause."""

    def describe(entry: Entry) -> tuple[str, str]:
        detail = entry.run.status_detail or status_view(entry.run.status).word
        if entry.run.status is Status.OK:
            detail = "the test did not work"
        cause = detail.rstrip("0123456789 ")
        return f"{figures.capitalized(cause)}.", "In one of two countings: as a failure."

    note = "No verdict because of an error, a quota or the environment. Rates are given without them, and with them as "
    yield from _of_runs("lost", "Lost runs", f"{note}failures.", lost, describe)


def _unreconciled(entries: Sequence[Entry], checks: Checks, prices: PriceTable) -> Iterator[View]:
    """Yield the runs whose reported cost, sum over models and list price are not one figure, and what that means."""

    def said(entry: Entry) -> tuple[str, str]:
        reported = figures.money(entry.run.cost_usd)
        ledger = figures.money(entry.run.ledger_cost_usd)
        listed = figures.money(checks[entry.id].list_usd)
        done = f"Reported {reported}, by model {ledger}, at list price {listed}."
        return " ".join(cost_remarks(entry, prices.check(entry.run))), done

    note = "Reported cost, sum over models and list price, compared to half a cent. The list price of a file that "
    note += "lacks tokens is too low: its run is here only if that is still more than it reports. "
    note += "The reported cost is the one used."
    found = [entry for entry in entries if reconciles(entry.run, checks[entry.id]) is False]
    yield from _of_runs("unreconciled", "Costs that do not agree", note, found, said)


def _masked(masked: Sequence[Masked], names: Mapping[str, str]) -> Iterator[View]:
    """Yield how many values of which kind are masked, and where; what is alike in many runs stands in one row."""
    if not masked:
        return
    alike: dict[tuple[str, str], list[Masked]] = {}
    for each in masked:
        alike.setdefault((each.kind, each.place), []).append(each)

    def row(own: Sequence[Masked]) -> View:
        found = tuple(_found(each, names, f"In: {each.place}") for each in own[:MAX_LISTED])
        count = figures.plural(len(own), "run or file", "runs or files") if len(own) > 1 else ""
        what = f"{figures.count(sum(each.count for each in own))} \u00d7 {own[0].kind}"
        left = _more(len(own) - MAX_LISTED)
        return View(
            found=found, more=left, count=count, reason=what, done="Masked.", code="", by=()
        )

    note = "Secrets and personal data, replaced on every page and in every file. Masking catches most secrets, not all."
    count = figures.count(sum(each.count for each in masked))
    yield _table(
        "masked", "Masked", note, _apart(alike.values()), row=row, what="Found in", count=count
    )


def _checked(facts: Facts, problems: Sequence[Problem], checks: Checks) -> tuple[FactView, ...]:
    entries = facts.entries
    both = [agrees for e in entries if (agrees := e.run.sums_agree) is not None]
    priced = [
        check for e in entries if e.run.cost_usd and (check := checks[e.id]).list_usd is not None
    ]
    reproduced = sum(check.by_kind is not None for check in priced)
    merged = sum(problem.verdict is Verdict.MERGE for problem in problems)
    ignored = len(facts.ignored_files)
    files = figures.plural(ignored, "file or folder", "files and folders")
    shares = (
        ("Cost adds up over models", sum(both), len(both), "to half a cent"),
        ("List price reproduces the cost", reproduced, len(priced), "to 1%"),
    )
    return (
        *(
            FactView(what, f"{n} of {figures.plural(runs, 'run')}", how)
            for what, n, runs, how in shares
            if runs
        ),
        FactView("Duplicate files", figures.count(merged) if merged else "none"),
        FactView("Ignored", files if ignored else "none"),
    )
