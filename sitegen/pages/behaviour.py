"""The page of behaviour: what runs do by configuration and by outcome, what agents claim, and the rules behind both."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import combinations, product
from operator import attrgetter
from typing import TypeVar
from urllib.parse import urlencode

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
from sitegen.pages.views import BlockView, CellView, DrawnRowView, HeadView, group_path, model_class
from sitegen.text.names import natural_order

K = TypeVar("K", bound=Hashable)
PATH = "behaviour.html"
MAX_CONFIGURATIONS = 12
MIN_RUNS = 5  # fewer have counts and no share: one of one is not 100%
_FAILED = (Judgement.FAILED, Judgement.PARTIAL)
_OUTCOMES = (["pass"], ["fail", "partial"])
"""The outcomes by which the table is filtered for runs that passed, and for those that did not."""


def behaviour_page(entries: Sequence[Entry]) -> Page:
    """Return the page."""
    known = [entry for entry in entries if signals_of(entry) is not None]
    judged = [entry for entry in known if is_judged(entry)]
    gaps = _gaps(judged)
    blocks = (*_by_outcome(judged, gaps), *_by_configuration(entries, known), *_claims(entries))
    meta = (
        f"{figures.count(len(known))} of {figures.plural(len(entries), 'run')} have a record of their steps; the rest "
        "are not counted here. A signal is a fact about the record, found by a rule; it is not a verdict."
    )
    rules = tuple((rule, _ends(rule.precision, signed=False)) for rule in RULES if rule.precision)
    about = "Signals in the records of runs, by configuration and outcome, and what agents claim."
    view = View(lead=_lead(known, gaps), meta=meta, blocks=blocks, rules=rules)
    return Page(PATH, "behaviour.html.jinja", "Behaviour", about, "behaviour", view)


def _is_of(configuration: str) -> Callable[[Entry], bool]:
    return lambda entry: entry.compared_as == configuration


def _has(rule: Rule) -> Callable[[Entry], bool]:
    return lambda entry: rule in (signals_of(entry) or ())


def _gaps(judged: Sequence[Entry]) -> dict[str, tuple[Gap, float]]:
    """Return for each rule the difference between failed and passed runs, with its p-value corrected for all rules."""
    within = attrgetter("compared_as")
    found: dict[str, Gap] = {}
    for rule in SHOWN.values():
        base = [each for each in judged if is_looked_at(each, rule)]
        passed = sum(judgement(each) is Judgement.PASSED for each in base)
        if min(passed, len(base) - passed) < MIN_RUNS:
            continue
        if of_rule := gap(
            base, _has(rule), lambda entry: judgement(entry) is not Judgement.PASSED, within
        ):
            found[rule.key] = of_rule
    return _corrected(found)


def _corrected(found: dict[K, Gap]) -> dict[K, tuple[Gap, float]]:
    ps = corrected_ps([each.p for each in found.values()])
    return {key: (each, p) for (key, each), p in zip(found.items(), ps, strict=True)}


def _pairs(known: Sequence[Entry], names: Iterable[str]) -> str:
    """Return which signals pairs of configurations differ in, on the tasks that both attempted, after Holm over all of
    them."""
    found: dict[tuple[Rule, str, str], Gap] = {}
    are_alike = False
    runs = by_key((each for each in known if each.task), attrgetter("compared_as"))
    for rule in SHOWN.values():
        own = {
            name: [each for each in runs.get(name, ()) if is_looked_at(each, rule)]
            for name in names
        }
        tasks = {name: {each.task for each in entries} for name, entries in own.items()}
        for a, b in combinations(own, 2):
            shared = tasks[a] & tasks[b]
            on_shared = [each for each in (*own[a], *own[b]) if each.task in shared]
            if of_pair := gap(on_shared, _has(rule), side=_is_of(b), within=attrgetter("task")):
                found[rule, a, b] = of_pair
            are_alike = are_alike or len(shared) >= MIN_CLUSTERS
    if not found:
        least = f"{in_letters(MIN_CLUSTERS)} tasks or more"
        if are_alike:
            both = "both have it in equal shares of each task"
            return f"No signal differs where two configurations share {least}: {both}."
        return f"No two of these configurations share {least} with records of their steps, as a comparison needs."
    looked = f"After Holm over {figures.plural(len(found), 'pair')} of a signal and two configurations, on shared tasks"
    clear = [
        f"{rule.name}: {b} {figures.points(each.difference)} points against {a} ({_ends(each.interval)}, {p_value(p)})"
        for (rule, a, b), (each, p) in _corrected(found).items()
        if p < 0.05
    ]
    return f"{looked}: {'; '.join(clear) or 'no difference beyond chance'}."


def _lead(known: Sequence[Entry], gaps: dict[str, tuple[Gap, float]]) -> str:
    clear = [
        f"{SHOWN[key].name}: {figures.points(each.difference)} points in failed runs ({_ends(each.interval)})"
        for key, (each, p) in gaps.items()
        if p < 0.05
    ]
    if clear:
        return f"{'; '.join(clear)}. Hard tasks make runs long and make them fail: a difference is not a cause."
    if gaps:
        return "No signal sets failed runs apart beyond chance."
    if not known:
        return "No run has a record of its steps."
    if len(known) < MIN_RUNS:
        return f"Too few records to compare: {figures.plural(len(known), 'run')}."
    bases = {
        rule: [entry for entry in known if is_looked_at(entry, rule)] for rule in SHOWN.values()
    }
    found = {rule: sum(map(_has(rule), base)) for rule, base in bases.items()}
    most = max(found, key=lambda rule: found[rule])
    runs = figures.plural(len(bases[most]), "run") + (" that edited" if most.needs_edit else "")
    return f"{most.name}: {figures.count(found[most])} of {runs}."


def _by_outcome(judged: Sequence[Entry], gaps: dict[str, tuple[Gap, float]]) -> Iterator[BlockView]:
    sides = ([Judgement.PASSED], list(_FAILED))
    if not all(any(judgement(entry) in side for entry in judged) for side in sides):
        return
    rows = []
    for rule in SHOWN.values():
        base = [entry for entry in judged if is_looked_at(entry, rule)]
        shares = [
            _share([entry for entry in base if judgement(entry) in side], rule, outcome=words)
            for side, words in zip(sides, _OUTCOMES, strict=True)
        ]
        of_rule, p = gaps.get(rule.key, (None, 1.0))
        cells = (CellView(figures.UNKNOWN, "not tested"), CellView(figures.UNKNOWN))
        if of_rule:
            said = "clear" if p < 0.05 else "could be chance"
            cells = (
                CellView(figures.points(of_rule.difference), _ends(of_rule.interval)),
                CellView(said, p_value(p)),
            )
        rows.append(DrawnRowView(rule.name, (*shares, *cells), f"{PATH}#rules"))
    looked = f"After Holm over {in_letters(len(gaps))}" if gaps else "After Holm"
    heads = tuple(map(HeadView, ("Signal", "Passed", "Failed", "Difference, points", looked)))
    note = (
        "The difference is within configurations, with 95% intervals and errors clustered by task. "
        "Hard tasks make runs long and make them fail: a difference is not a cause."
    )
    yield BlockView("passed", "Passed against failed", note, heads, tuple(rows), ())


def _configurations(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    found = by_key(entries, lambda entry: entry.compared_as or None)
    most = sorted(found, key=lambda name: (-len(found[name]), natural_order(name)))[
        :MAX_CONFIGURATIONS
    ]
    return {name: found[name] for name in sorted(most, key=natural_order)}


def _by_configuration(entries: Sequence[Entry], known: Sequence[Entry]) -> Iterator[BlockView]:
    if not known:
        return
    have_records = {entry.compared_as for entry in known}
    groups = _configurations(entry for entry in entries if entry.compared_as in have_records)
    lacking = Counter(
        entry.compared_as for entry in entries if entry.compared_as not in {None, *have_records}
    )
    by = dimension_of(entries).value
    rows = []
    for rule in SHOWN.values():
        looked_at = [entry for entry in known if is_looked_at(entry, rule)]
        of_groups = (
            _share(
                [entry for entry in looked_at if entry.compared_as == name], rule, **{by: [name]}
            )
            for name in groups
        )
        rows.append(DrawnRowView(rule.name, (*of_groups, _share(looked_at, rule)), f"{PATH}#rules"))
    counts = [*(list(runs) for runs in groups.values()), list(entries)]
    of_records = (
        CellView(f"{sum(signals_of(entry) is not None for entry in runs)} of {len(runs)}")
        for runs in counts
    )
    rows.append(DrawnRowView("Records of steps", tuple(of_records)))
    note = (
        "Shares of the runs with a record; of those that edited, where the rule needs an edit. 95% intervals by task. "
        f"{_pairs(known, groups)}"
    )
    if lacking:
        listed = ", ".join(
            f"{name} ({figures.plural(runs, 'run')})" for name, runs in lacking.most_common(5)
        )
        more = len(lacking) - 5
        note += f" Without records: {listed}{f' and {more} more' if more > 0 else ''}."
    if rest := sum(entry.compared_as not in groups for entry in known):
        note += f" The last column alone has {figures.plural(rest, 'run')} of another or an unknown configuration."
    heads = tuple(map(HeadView, ("Signal", *groups, "All")))
    yield BlockView("configurations", "By configuration", note, heads, tuple(rows), ())


def _claims(entries: Sequence[Entry]) -> Iterator[BlockView]:
    """Yield what agents state against verdicts: over-claimed are those that failed, of the judged ones that say
    done."""
    if all(entry.claimed is None for entry in entries):
        return
    by = dimension_of(entries).value
    rows = []
    for name, runs in _configurations(entries).items():
        stated = [entry for entry in runs if entry.claimed is not None]
        cells: list[CellView] = []
        counted = 0
        for claimed, passed in product((True, False), repeat=2):
            verdicts = [Judgement.PASSED] if passed else _FAILED
            count = sum(
                entry.claimed is claimed and judgement(entry) in verdicts for entry in stated
            )
            href = _runs(
                claimed=["yes" if claimed else "no"], outcome=_OUTCOMES[not passed], **{by: [name]}
            )
            cells.append(CellView(figures.count(count) if stated else figures.UNKNOWN, href=href))
            counted += count
        done = [entry for entry in stated if entry.claimed and is_judged(entry)]
        failed, n, interval = share(done, lambda entry: judgement(entry) in _FAILED)
        note = f"{failed} of {n}" + (f", {_ends(interval, signed=False)}" if interval else "")
        rate = CellView(figures.percent(failed, n), note) if n else CellView(figures.UNKNOWN)
        if not stated:
            rate = CellView(figures.UNKNOWN, "no claim is stated")
        unjudged = len(stated) - counted
        own = (
            CellView(f"{len(stated)} of {len(runs)}"),
            *cells,
            CellView(figures.count(unjudged)),
            rate,
        )
        rows.append(DrawnRowView(name, own, group_path(by, name), model_class(name)))
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
    heading = "What the agent says against the verdict"
    yield BlockView("claims", heading, note, tuple(map(HeadView, heads)), tuple(rows))


def _share(runs: Sequence[Entry], rule: Rule, **chosen: list[str]) -> CellView:
    """Return the share of runs with a signal; its count leads to them."""
    found, n, interval = share(runs, _has(rule))
    if not n:
        return CellView(figures.UNKNOWN)
    ends = f", {_ends(interval, signed=False)}" if interval else ""
    address = _runs(signals=[rule.short], **chosen)
    counts = f"{found} of {n}"
    if n < MIN_RUNS:
        return CellView(counts, "", address)
    return CellView(figures.percent(found, n), counts + ends, address)


def _runs(**chosen: list[str]) -> str:
    """Return the address of the table with these runs alone; empty where a name is masked."""
    if not all(name.isprintable() for names in chosen.values() for name in names):
        return ""
    return f"index.html#{urlencode(chosen, doseq=True)}"


def _ends(interval: Interval, *, signed: bool = True) -> str:
    write = figures.points if signed else figures.share
    return f"{write(interval.low)} to {write(interval.high)}"
