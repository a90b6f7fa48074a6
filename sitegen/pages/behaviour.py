"""The page of behaviour: what runs do by configuration and by outcome, what agents claim, and the rules behind both."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, product
from operator import attrgetter
from typing import TypeVar

from sitegen import figures
from sitegen.html.render import Page, View
from sitegen.model import Entry, by_key
from sitegen.numbers.families import corrected_ps
from sitegen.numbers.intervals import MIN_CLUSTERS, Interval
from sitegen.numbers.signal_rules import (
    RULES,
    SHOWN,
    Gap,
    Rule,
    gap,
    is_looked_at,
    share,
    signals_of,
)
from sitegen.numbers.statistics import dimension_of
from sitegen.numbers.success import Judgement, is_judged, judgement
from sitegen.numbers.wording import in_letters, p_value
from sitegen.pages.views import (
    BlockView,
    CellView,
    DrawnRowView,
    Filter,
    HeadView,
    group_path,
    model_class,
    runs_with,
)
from sitegen.text.names import natural_order

K = TypeVar("K", bound=Hashable)
PATH = "behaviour.html"
MAX_CONFIGURATIONS = 12
MIN_RUNS = 5  # fewer have counts and no share: one of one is not 100%
LEVEL = 0.05  # the largest corrected p-value of a clear difference
_OUTCOMES: tuple[tuple[bool, Filter], ...] = (
    (True, {"outcome": ["pass"]}),
    (False, {"outcome": ["fail", "partial"]}),
)
"""Whether a run passed, and the filter of the table that leaves such runs."""
_NO_CAUSE = "Hard tasks make runs long and make them fail: a difference is not a cause."

_Gaps = Mapping[K, tuple[Gap, float]]


def behaviour_page(entries: Sequence[Entry]) -> Page:
    """Return the page."""
    known = [entry for entry in entries if signals_of(entry) is not None]
    judged = [entry for entry in known if is_judged(entry)]
    gaps = _gaps(judged)
    blocks = (*_by_outcome(judged, gaps), *_by_configuration(entries, known), *_claims(entries))
    records = "has a record of its steps" if len(entries) == 1 else "have a record of their steps"
    meta = (
        f"{figures.count(len(known))} of {figures.plural(len(entries), 'run')} {records}; the rest are not counted here. "
        "A signal is a fact about the record, found by a rule; it is not a verdict."
    )
    rules = tuple((rule, _ends(rule.precision)) for rule in RULES if rule.precision)
    about = "Signals in the records of runs, by configuration and outcome, and what agents claim."
    view = View(lead=_lead(known, gaps), meta=meta, blocks=blocks, rules=rules)
    return Page(PATH, "behaviour.html.jinja", "Behaviour", about, "behaviour", view)


def _has(rule: Rule, entry: Entry) -> bool:
    return rule in (signals_of(entry) or ())


def _has_passed(entry: Entry) -> bool:
    return judgement(entry) is Judgement.PASSED


def _has_not_passed(entry: Entry) -> bool:
    return not _has_passed(entry)


def _looked_at(entries: Iterable[Entry], rule: Rule) -> list[Entry]:
    return [entry for entry in entries if is_looked_at(entry, rule)]


def _gaps(judged: Sequence[Entry]) -> _Gaps[str]:
    """Return for each rule the difference between failed and passed runs, with its p-value corrected for all rules."""
    gaps: dict[str, Gap] = {}
    for rule in SHOWN.values():
        base = _looked_at(judged, rule)
        passed = sum(map(_has_passed, base))
        if min(passed, len(base) - passed) >= MIN_RUNS:
            within = attrgetter("compared_as")
            difference = gap(base, partial(_has, rule), _has_not_passed, within)
            if difference:
                gaps[rule.key] = difference
    return _correct(gaps)


def _correct(gaps: Mapping[K, Gap]) -> _Gaps[K]:
    """Return differences with p-values that are corrected for all of them."""
    ps = corrected_ps([difference.p for difference in gaps.values()])
    return dict(zip(gaps, zip(gaps.values(), ps, strict=True), strict=True))


def _describe_pairs(known: Sequence[Entry], names: Iterable[str]) -> str:
    """Return which signals pairs of configurations differ in, on the tasks that both attempted, after Holm over all of
    them."""
    gaps: dict[tuple[Rule, str, str], Gap] = {}
    runs = by_key([entry for entry in known if entry.task], attrgetter("compared_as"))
    for rule, (a, b) in product(SHOWN.values(), combinations(names, 2)):
        runs_of_a = _looked_at(runs.get(a, ()), rule)
        runs_of_b = _looked_at(runs.get(b, ()), rule)
        tasks = {run.task for run in runs_of_a} & {run.task for run in runs_of_b}
        on_shared = [run for run in (*runs_of_a, *runs_of_b) if run.task in tasks]
        is_of_b = partial(_is_of, b)
        if difference := gap(on_shared, partial(_has, rule), is_of_b, attrgetter("task")):
            gaps[rule, a, b] = difference
    if not gaps:
        least = f"{in_letters(MIN_CLUSTERS)} tasks or more"
        return f"No two configurations have a signal in unequal shares on {least} that both did."
    clear = []
    for (rule, a, b), (difference, p) in _correct(gaps).items():
        if p < LEVEL:
            points = figures.points(difference.difference)
            ends = f"{_point_ends(difference)}, {p_value(p)}"
            clear.append(f"{rule.name}: {b} {points} points against {a} ({ends})")
    pairs = figures.plural(len(gaps), "pair")
    looked = f"After Holm over {pairs} of a signal and two configurations, on shared tasks"
    return f"{looked}: {'; '.join(clear) or 'no difference beyond chance'}."


def _is_of(configuration: str, entry: Entry) -> bool:
    return entry.compared_as == configuration


def _lead(known: Sequence[Entry], gaps: _Gaps[str]) -> str:
    clear = []
    for key, (difference, p) in gaps.items():
        if p < LEVEL:
            points = f"{figures.points(difference.difference)} points in failed runs"
            clear.append(f"{SHOWN[key].name}: {points} ({_point_ends(difference)})")
    if clear:
        return f"{'; '.join(clear)}. {_NO_CAUSE}"
    if gaps:
        return "No signal sets failed runs apart beyond chance."
    if not known:
        return "No run has a record of its steps."
    return _describe_most_frequent(known)


def _describe_most_frequent(known: Sequence[Entry]) -> str:
    """Return the signal of most runs, and of how many."""
    counts = {
        rule: sum(_has(rule, run) for run in _looked_at(known, rule)) for rule in SHOWN.values()
    }
    rule = max(counts, key=lambda rule: counts[rule])
    if not counts[rule]:
        records = "a record of its steps" if len(known) == 1 else "records of their steps"
        return f"No signal in {figures.plural(len(known), 'run')} with {records}."
    runs = figures.plural(len(_looked_at(known, rule)), "run")
    edited = " that edited" if rule.needs_edit else ""
    return f"{rule.name}: {figures.count(counts[rule])} of {runs}{edited}."


def _by_outcome(judged: Sequence[Entry], gaps: _Gaps[str]) -> Iterator[BlockView]:
    if len(set(map(_has_passed, judged))) < 2:
        return
    rows = []
    for rule in SHOWN.values():
        base = _looked_at(judged, rule)
        cells = []
        for passed, chosen in _OUTCOMES:
            runs = [entry for entry in base if _has_passed(entry) is passed]
            cells.append(_share(runs, rule, chosen))
        if rule.key in gaps:
            difference, p = gaps[rule.key]
            points = figures.points(difference.difference)
            cells.append(CellView(points, _point_ends(difference)))
            cells.append(CellView("clear" if p < LEVEL else "could be chance", p_value(p)))
        else:
            cells += (CellView(figures.UNKNOWN, "not tested"), CellView(figures.UNKNOWN))
        rows.append(_row_of(rule, cells))
    looked = f"After Holm over {in_letters(len(gaps))}" if gaps else "After Holm"
    note = (
        "The difference is within configurations, with 95% intervals and errors clustered by task. "
        f"{_NO_CAUSE}"
    )
    heads = ("Signal", "Passed", "Failed", "Difference, points", looked)
    yield _block("passed", "Passed against failed", note, heads, rows)


def _row_of(rule: Rule, cells: Iterable[CellView]) -> DrawnRowView:
    return DrawnRowView(rule.name, tuple(cells), f"{PATH}#rules")


def _block(
    name: str, heading: str, note: str, heads: Iterable[str], rows: Iterable[DrawnRowView]
) -> BlockView:
    return BlockView(name, heading, note, tuple(map(HeadView, heads)), tuple(rows))


def _configurations(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """Return the runs of the configurations with most of them, in natural order."""
    runs = by_key(entries, lambda entry: entry.compared_as or None)
    most = sorted(runs, key=lambda name: (-len(runs[name]), natural_order(name)))
    return {name: runs[name] for name in sorted(most[:MAX_CONFIGURATIONS], key=natural_order)}


def _by_configuration(entries: Sequence[Entry], known: Sequence[Entry]) -> Iterator[BlockView]:
    if not known:
        return
    have_records = {entry.compared_as for entry in known}
    groups = _configurations(entry for entry in entries if entry.compared_as in have_records)
    by = dimension_of(entries).value
    rows = []
    for rule in SHOWN.values():
        base = _looked_at(known, rule)
        runs = by_key(base, attrgetter("compared_as"))
        cells = [_share(runs.get(name, ()), rule, {by: [name]}) for name in groups]
        rows.append(_row_of(rule, [*cells, _share(base, rule, {})]))
    records = []
    for group in (*groups.values(), entries):
        recorded = sum(signals_of(entry) is not None for entry in group)
        records.append(CellView(f"{recorded} of {len(group)}"))
    rows.append(DrawnRowView("Records of steps", tuple(records)))
    note = (
        "Shares of the runs with a record; of those that edited, where the rule needs an edit. 95% intervals by task. "
        f"{_describe_pairs(known, groups)}"
    )
    lacking = {entry.compared_as for entry in entries} - have_records - {None}
    if lacking:
        note += f" {figures.plural(len(lacking), 'configuration')} without records left out."
    if rest := sum(entry.compared_as not in groups for entry in known):
        note += f" The last column alone has {figures.plural(rest, 'run')} of another or an unknown configuration."
    yield _block("configurations", "By configuration", note, ("Signal", *groups, "All"), rows)


def _claims(entries: Sequence[Entry]) -> Iterator[BlockView]:
    """Yield what agents state against verdicts: over-claimed are those that failed, of the judged ones that say
    done."""
    if all(entry.claimed is None for entry in entries):
        return
    by = dimension_of(entries).value
    rows = []
    for name, runs in _configurations(entries).items():
        cells = _claims_of(runs, {by: [name]})
        rows.append(DrawnRowView(name, tuple(cells), group_path(by, name), model_class(name)))
    heads = (
        "Configuration",
        "State one",
        "Done, passed",
        "Done, failed",
        "Not done, passed",
        "Not done, failed",
        "Not judged",
        "Over-claimed",
    )
    note = (
        "A claim counts only where a field states it: in a structured answer, a column “claimed” or a sidecar. "
        "Words in a text are not read as a claim. Over-claimed: failed, of those that say done and are judged."
    )
    yield _block("claims", "What the agent says against the verdict", note, heads, rows)


def _claims_of(runs: Sequence[Entry], within: Filter) -> Iterator[CellView]:
    """Yield the cells of a configuration, of which this filter leaves the runs."""
    stated = [entry for entry in runs if entry.claimed is not None]
    judged = [entry for entry in stated if is_judged(entry)]
    yield CellView(f"{len(stated)} of {len(runs)}")
    for claimed, (passed, chosen) in product((True, False), _OUTCOMES):
        count = sum(entry.claimed is claimed and _has_passed(entry) is passed for entry in judged)
        href = runs_with({"claimed": ["yes" if claimed else "no"], **chosen, **within})
        yield CellView(figures.count(count) if stated else figures.UNKNOWN, href=href)
    yield CellView(figures.count(len(stated) - len(judged)))
    done = [entry for entry in judged if entry.claimed]
    failed, count, interval = share(done, _has_not_passed)
    if done:
        yield CellView(figures.percent(failed, count), _base(failed, count, interval))
    else:
        yield CellView(figures.UNKNOWN, "" if stated else "no claim is stated")


def _base(found: int, runs: int, interval: Interval | None) -> str:
    """Return what a share rests on, with its interval."""
    return f"{found} of {runs}" + (f", {_ends(interval)}" if interval else "")


def _share(runs: Sequence[Entry], rule: Rule, within: Filter) -> CellView:
    """Return the share of runs with a signal; its count leads to them."""
    found, count, interval = share(runs, partial(_has, rule))
    if not count:
        return CellView(figures.UNKNOWN)
    href = runs_with({"signals": [rule.short], **within})
    if count < MIN_RUNS:
        return CellView(f"{found} of {count}", "", href)
    return CellView(figures.percent(found, count), _base(found, count, interval), href)


def _ends(interval: Interval) -> str:
    return f"{figures.share(interval.low)} to {figures.share(interval.high)}"


def _point_ends(difference: Gap) -> str:
    ends = difference.interval
    return f"{figures.points(ends.low)} to {figures.points(ends.high)}"
