"""The page of a study and its tables: configurations by property of tasks, verdict, observation and reference.

Each table is one `Counted`: the page shows it with a column for each key, a file has a row for each key. That the order
of configurations changes between groups of tasks is said only if a test of the interaction finds it.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate
from statistics import fmean

from sitegen import figures
from sitegen.charts.findings import label
from sitegen.fields import Cell
from sitegen.html.page_names import is_readable, page_id
from sitegen.html.render import Page, View
from sitegen.masking.redact import Numbers, number_masks
from sitegen.model import Entry, Outcome
from sitegen.numbers.comparison import by_list_price
from sitegen.numbers.intervals import Question, paired_shares
from sitegen.numbers.statistics import Measure, dimension_of, spread
from sitegen.numbers.success import Success, consistency, success
from sitegen.numbers.verdicts import agreement
from sitegen.numbers.wording import counts, cut, p_value
from sitegen.outcomes.study import MAX_OBSERVED, Study
from sitegen.pages.text_tables import TextTable, files_of, links_of
from sitegen.pages.views import (
    BlockView,
    CellView,
    DrawnRowView,
    Filter,
    HeadView,
    LinkView,
    group_path,
    mark_of,
    model_class,
    runs_with,
)
from sitegen.publish.files import File
from sitegen.text.names import natural_order, run_path, slug

PATH = "study.html"
CONFIGURATIONS = "configurations"  # the table of which the page shows further columns alone
MAX_GROUPS = 12  # groups of a property that a table shows without cuts
LEVEL = (
    0.05  # the largest corrected p-value of which it is said that an order depends on a property
)
_OTHERS = "others"
MAX_DRAWN = 3  # columns of rates that have a drawing beside them
_KINDS = ("fetch", "edit", "search", "run", "read", "task", "wait", "other")
"""Colours of the page, in the order in which keys take them."""
_BANDS = ("better", "level", "worse", "no score")


@dataclass(frozen=True, slots=True)
class Counted:
    """A table of counts of runs, or of successes, of each configuration by key."""

    name: str
    heading: str
    note: str
    keys: Sequence[str]
    of: Callable[[Sequence[Entry], str], int | Success]  # the figure of runs for a key
    head: str = (
        ""  # the name of the column of keys in a file; empty where a file has the last key only
    )
    further: Mapping[str, Callable[[Sequence[Entry]], CellView]] = field(default_factory=dict)
    """Columns that the page alone has."""
    chosen: Callable[[str], Filter | None] = lambda _: None
    """The filter that leaves the runs that count for a key; None if there is none."""

    def table(self, study: Study) -> TextTable:
        """Return the table as a file has it: what a configuration consists of are the first columns."""
        keys, head = (self.keys, [self.head]) if self.head else (self.keys[-1:], [])
        numbers: Numbers = {}  # before cells are escaped, which would take masks apart
        rows: list[list[Cell]] = []
        chosen = study.named("configuration")
        for values, runs in study.configurations.items():
            for key in keys:
                figure = self.of(runs, key)
                texts = (
                    number_masks(each, numbers) for each in (*values, *([key] if head else ()))
                )
                rows.append(
                    [
                        *texts,
                        *([figure] if isinstance(figure, int) else (figure.passed, figure.judged)),
                    ]
                )
        is_count = isinstance(self.of((), keys[0]), int) if keys else True
        heads = (*chosen, *head, *(("runs",) if is_count else ("passed", "judged")))
        return TextTable(heads, rows, "l" * len(chosen))

    def cells(self, runs: Sequence[Entry], within: Filter) -> tuple[CellView, ...]:
        """Return a row as the page has it; `within` is the filter that leaves these runs."""
        counted = {key: self.of(runs, key) for key in self.keys}
        total = sum(count for count in counted.values() if isinstance(count, int))
        return tuple(self._cell(key, count, total, runs, within) for key, count in counted.items())

    def _cell(
        self, key: str, count: int | Success, total: int, runs: Sequence[Entry], within: Filter
    ) -> CellView:
        """Return a cell of the page; it leads to the runs that it counts."""
        if isinstance(count, Success):
            cell = _rate(count, _css(runs))
        else:
            cell = CellView(figures.count(count), figures.percent(count, total))
        chosen = self.chosen(key)
        is_known = count.judged if isinstance(count, Success) else count
        if not (is_known and within and chosen is not None):
            return cell
        return replace(cell, href=runs_with({**within, **chosen}) or None)


def _who(runs: Sequence[Entry]) -> str | None:
    """Return what all these runs are compared as, if it is one."""
    own = {entry.compared_as for entry in runs}
    return own.pop() if len(own) == 1 else None


def _css(runs: Sequence[Entry]) -> str:
    """Return the class of the colour of a configuration."""
    return f"m-{model_class(who)}" if (who := _who(runs)) else "soft"


def _filter_of_configuration(runs: Sequence[Entry]) -> Filter:
    """Return the filter that leaves the runs of a configuration; empty if no name is theirs alone."""
    who = _who(runs)
    return {dimension_of(runs).value: [who]} if who else {}


def _rate(found: Success, css: str) -> CellView:
    if found.rate is None:
        return CellView(figures.UNKNOWN, "not judged")
    between = found.interval
    ends = f", {figures.from_to(between.low, between.high, figures.share)}" if between else ""
    mark = mark_of(found.rate, between, 1.0, css)
    return CellView(figures.share(found.rate), f"{counts(found)}{ends}", mark=mark)


def _consistency(runs: Sequence[Entry]) -> CellView:
    """Return the share of pairs of attempts of one task with the same verdict, and the rest of it."""
    if (consistent := consistency(runs)) is None:
        return CellView(figures.UNKNOWN, "single attempts")
    note = (
        f"{figures.count(consistent.both)} of {figures.plural(consistent.tasks, 'task')} with both"
    )
    if consistent.cost_ratio is not None:
        note += f"; cost up to {figures.times(consistent.cost_ratio)}× (median, n = {consistent.priced})"
    return CellView(figures.percent(consistent.same_share, 1), note)


def tables(study: Study, question: Question = Question.TASKS_LIKE_THESE) -> dict[str, Counted]:
    """Return the tables that these runs have, by name."""
    return {each.name: each for each in _tables(study, question)}


def _tables(study: Study, question: Question) -> Iterator[Counted]:
    config = study.config
    chosen = "A configuration is what was chosen for a run: agent, model, and each factor below with that role."
    if mixed := study.mixed_versions():
        chosen += f" Several versions of the agent: {'; '.join(mixed)}. As `factors: {{agent_version: configuration}}` "
        chosen += "in the settings they are configurations of their own."
    figures_of: Mapping[str, Callable[[Sequence[Entry]], CellView]] = {
        "Success": lambda runs: _rate(success(runs, question), _css(runs)),
        "Same verdict": _consistency,
        "Cost per run": lambda runs: CellView(_mean_cost(runs)),
        "Runs": lambda runs: CellView(
            figures.count(len(runs)), href=runs_with(_filter_of_configuration(runs)) or None
        ),
    }
    yield Counted(
        CONFIGURATIONS,
        "Configurations",
        chosen,
        ("Runs",),
        lambda runs, _: len(runs),
        further=figures_of,
    )

    def by(name: str) -> Callable[[Sequence[Entry], str], Success]:
        return lambda runs, group: success(
            (run for run in runs if study.group(run, name) == group), question
        )

    for name in study.named("property"):
        groups = _values(study.group(entry, name) for entry in study.entries)
        if name in config.properties or len(groups) <= MAX_GROUPS:
            note = "Share of judged runs that passed, with 95% intervals."
            key = f"group.{name}" if name in config.properties else f"factor.{name}"
            yield Counted(
                f"success-by-{name}",
                f"Success by {name}",
                note,
                groups,
                by(name),
                name,
                chosen=partial(_judged_with, key),
            )
    if config.verdicts:
        note = "All verdicts of the same runs. Runs without a verdict are left out of it."

        def judged(runs: Sequence[Entry], verdict: str) -> Success:
            return success(_judged(study, verdict, runs), question)

        gap = {}
        if config.quadrants:
            first, second = config.quadrants.of
            gap = {f"{second} minus {first}": partial(_gap, study, first, second)}
        yield Counted(
            "verdicts",
            "Verdicts",
            note,
            tuple(config.verdicts),
            judged,
            "verdict",
            gap,
            lambda verdict: {f"verdict.{verdict}": ["pass", "fail"]},
        )
    if named := config.quadrants:
        first, second = named.of
        note = f"{named.both}: {first} and {second} pass. {named.first}: only {first}. {named.second}: only {second}. "
        note = f"{note}{named.none}: neither."
        keys = (named.both, named.first, named.second, named.none)
        yield _counts(
            "quadrants",
            "What two verdicts say together",
            note,
            keys,
            study.quadrant,
            head="quadrant",
            field="quadrant",
        )
    if config.judges:
        yield _judges(study, *config.judges)
    for name in study.observations:
        yield _observed(study, name)
    for score, meaning in study.scores.items():
        if meaning.reference:
            by_first = (
                f"{meaning.reference}, by the first of {', '.join(meaning.of)} that both have"
            )
            against = by_first if meaning.of else f"the {meaning.reference} of the task"
            note = f"Level: within {figures.percent(meaning.band, 1)} of {against}. Relative: geometric mean over "
            note += "tasks (computed); below 1 is worse."
            name = f"reference-{score}"
            heading = f"{score.capitalize()} relative to {meaning.reference}"
            counted = _counts(
                name,
                heading,
                note,
                _BANDS,
                partial(study.band, score=score),
                head="band",
                field=f"band.{score}",
            )
            yield replace(counted, further={"Relative": partial(_relative, study, score)})
    if config.excluded:
        reasons = study.reasons
        listed = (
            "; ".join(f"{reason}: {count}" for reason, count in reasons.most_common(MAX_GROUPS))
            or "none"
        )
        note = f"Excluded runs count everywhere else. Reasons: {listed}."

        def kept(runs: Sequence[Entry], key: str) -> Success:
            return success(
                (run for run in runs if key == "All runs" or study.excluded(run) is None), question
            )

        yield Counted(
            "excluded",
            "Without excluded runs",
            note,
            ("All runs", "Without excluded runs"),
            kept,
            chosen=lambda key: {} if key == "All runs" else _judged_with("excluded", ""),
        )


def _counts(
    name: str,
    heading: str,
    note: str,
    keys: Sequence[str],
    value: Callable[[Entry], str | None],
    *,
    head: str,
    field: str = "",
) -> Counted:
    """Return a table of the runs that have each of these keys as the value of a field."""
    known: dict[str, str | None] = {}

    def count(runs: Sequence[Entry], key: str) -> int:
        for run in runs:
            if run.id not in known:
                known[run.id] = value(run)
        return sum(known[run.id] == key for run in runs)

    def chosen(key: str) -> Filter | None:
        return {field: ["" if key == "no score" else key]} if field and key != _OTHERS else None

    return Counted(name, heading, note, keys, count, head, chosen=chosen)


def _judged_with(key: str, name: str) -> Filter:
    """Return the filter that leaves the judged runs with a name."""
    return {key: [name], "outcome": [Outcome.PASS, Outcome.PARTIAL, Outcome.FAIL]}


def _judges(study: Study, first: str, second: str) -> Counted:
    """Return the table of what two judges of one question say, with their agreement as its note."""
    names = {
        (True, True): "both pass",
        (True, False): f"only {first} passes",
        (False, True): f"only {second} passes",
    }

    def value(entry: Entry) -> str | None:
        one = study.passed(entry, first)
        other = study.passed(entry, second)
        return None if one is None or other is None else names.get((one, other), "neither passes")

    note = "No run has both verdicts."
    found = agreement(list(_by_both(study, first, second, study.entries).values()))
    if found:
        runs = figures.plural(found.runs, "run")
        chance = figures.percent(found.by_chance, 1)
        agreed = f"{first} and {second} agree on {figures.percent(found.share, 1)}"
        note = f"{agreed} of the {runs} that have both verdicts; by chance it would be {chance}."
    if found and found.kappa is not None:
        ends = found.interval
        between = f", 95% interval {ends.low:.2f} to {ends.high:.2f}" if ends else ""
        note += f" Cohen’s kappa: {found.kappa:.2f}{between}.".replace("-", "\u2212")
    keys = (*names.values(), "neither passes")
    counted = _counts("judges", "Do two judges agree?", note, keys, value, head="judges")
    by_key = {key: verdicts for verdicts, key in names.items()} | {keys[-1]: (False, False)}

    def chosen(key: str) -> Filter:
        words = ["pass" if passed else "fail" for passed in by_key[key]]
        return {f"verdict.{first}": words[:1], f"verdict.{second}": words[1:]}

    return replace(counted, chosen=chosen)


def _by_both(
    study: Study, first: str, second: str, runs: Iterable[Entry]
) -> dict[str, list[tuple[bool, bool]]]:
    """Return by task whether each of two verdicts lets a run pass, of the runs that have both."""
    found: dict[str, list[tuple[bool, bool]]] = {}
    for run in runs:
        one = study.passed(run, first)
        other = study.passed(run, second)
        if one is not None and other is not None:
            found.setdefault(run.task or run.id, []).append((one, other))
    return found


def _observed(study: Study, name: str) -> Counted:
    def value(entry: Entry) -> str | None:
        return dict(entry.stated).get(name)

    found = Counter(each for entry in study.entries if (each := value(entry)) is not None)
    missing = len(study.entries) - found.total()
    left = f" {figures.plural(missing, 'run')} without one." if missing else ""
    keys = sorted(found, key=lambda each: (-found[each], natural_order(each)))
    note = f"For information; not tested.{left}"
    rare = frozenset(keys[MAX_OBSERVED:])
    if rare:
        keys = [*keys[:MAX_OBSERVED], _OTHERS]
        note = f"The {MAX_OBSERVED} most frequent values."

    def listed(entry: Entry) -> str | None:
        return _OTHERS if (each := value(entry)) in rare else each

    field = f"observed.{name}"
    return _counts(
        f"observations-{name}", name.capitalize(), note, keys, listed, head="value", field=field
    )


def _values(found: Iterable[str | None]) -> list[str]:
    return sorted({each for each in found if each is not None}, key=natural_order)


def _judged(study: Study, verdict: str, runs: Iterable[Entry]) -> Iterator[Entry]:
    """Yield the runs that a verdict judges, with it as their outcome."""
    for run in runs:
        if (passed := study.passed(run, verdict)) is not None:
            yield replace(run, outcome=Outcome.PASS if passed else Outcome.FAIL)


def _order(study: Study, name: str, p: float | None) -> str:
    """Return a sentence about whether the order of configurations depends on a property, by its corrected p-value."""
    if p is None:
        return ""
    if p <= LEVEL:
        return f"{depends(name, p, study.highest(name), study.not_covered)}. "
    return f"No clear difference in their order by {name} ({p_value(p)}){_without(study.not_covered)}. "


def depends(
    name: str, p: float, highest: Mapping[str, tuple[float, Sequence[str]]], left_out: Sequence[str]
) -> str:
    """Return claim is seen where configurations compare differently by a property of tasks: who is highest in each
    group. Where that is the same one, not the order differs but how far they are apart."""
    names_of = {
        group: figures.sentence_list(list(map(label, names)))
        for group, (_, names) in highest.items()
    }
    seen = "; ".join(
        f"on {group} {names_of[group]}, {figures.percent(rate, 1)}"
        for group, (rate, _) in highest.items()
    )
    is_order = len(set(names_of.values())) > 1
    claim = (
        "Order depends" if is_order else "Success of configurations compares differently depending"
    )
    return f"{claim} on {cut(name, 40)} ({p_value(p)}): highest {seen}{_without(left_out)}"


def _without(left_out: Sequence[str]) -> str:
    return (
        f" (without {figures.sentence_list(list(left_out))}, judged on too few tasks)"
        if left_out
        else ""
    )


def study_page(
    study: Study,
    question: Question,
    effects: LinkView | None = None,
    corrected: Mapping[str, float] | None = None,
) -> Page:
    """Return the page of a study; `corrected` are the p-values of its `breakdowns` among all comparisons."""
    tasks = {entry.task for entry in study.entries if entry.task}
    lead = (
        f"{figures.plural(len(study.entries), 'run')} of {figures.plural(len(study.configurations), 'configuration')} "
        f"on {figures.plural(len(tasks), 'task')}."
    )
    blocks: list[BlockView] = []
    for each in _tables(study, question):
        blocks += (_block(study, each, corrected or {}), *_rows(study, each))
    factors = tuple((each.name, each.role, each.reason) for each in study.factors)
    view = View(lead=lead, factors=factors, blocks=tuple(blocks), effects=effects)
    about = "Configurations by property of tasks, verdict and observation."
    return Page(PATH, "study.html.jinja", "Study", about, "study", view)


def table_files(study: Study) -> Iterator[File]:
    """Yield the tables as CSV and LaTeX."""
    for each in tables(study).values():
        yield from files_of(_id(each.name), partial(each.table, study))


def _id(name: str) -> str:
    """Return a name as part of an address; one that an address cannot show has digits at its end."""
    return name if slug(name) == name and is_readable(name) else page_id(name, name)


def _block(study: Study, counted: Counted, corrected: Mapping[str, float]) -> BlockView:
    """Return a table of the page, the quadrants of observations below the configurations."""
    by = counted.name.removeprefix("success-by-")
    note = (
        counted.note
        if by == counted.name
        else f"{_order(study, by, corrected.get(by))}{counted.note}"
    )
    shown = () if counted.name == CONFIGURATIONS else counted.keys
    is_shares = isinstance(counted.of((), ""), int) and len(counted.keys) > 1
    heads = [
        HeadView(
            key, _kind(at) if is_shares else "", is_drawn=not is_shares and len(shown) <= MAX_DRAWN
        )
        for at, key in enumerate(shown)
    ]
    heads += (HeadView(key, is_drawn=key == "Success") for key in counted.further)
    rows = []
    for values, runs in study.configurations.items():
        cells = (
            *counted.cells(runs, _filter_of_configuration(runs))[: len(shown)],
            *(write(runs) for write in counted.further.values()),
        )
        rows.append(
            replace(
                _row_of(study.names[values], runs, cells),
                bar=_bar(counted, runs) if is_shares else (),
            )
        )
    if counted.name.startswith("observations-") and (named := study.config.quadrants):
        for quadrant in (named.both, named.first, named.second, named.none):
            own = [entry for entry in study.entries if study.quadrant(entry) == quadrant]
            if bar := _bar(counted, own):
                cells = counted.cells(own, {"quadrant": [quadrant]})
                rows.append(DrawnRowView(quadrant, cells, bar=bar))
    heads = [HeadView("Configuration"), *heads]
    name = _id(counted.name)
    return BlockView(name, counted.heading, note, tuple(heads), tuple(rows), links_of(name))


def _row_of(name: str, runs: Sequence[Entry], cells: tuple[CellView, ...]) -> DrawnRowView:
    """Return the row of a configuration, which leads to its page."""
    if (who := _who(runs)) is None:
        return DrawnRowView(name, cells)
    return DrawnRowView(name, cells, group_path(dimension_of(runs).value, who), model_class(who))


def _kind(at: int) -> str:
    """Return the class of the colour of a key."""
    return f"s-{_KINDS[min(at, len(_KINDS) - 1)]}"


def _bar(counted: Counted, runs: Sequence[Entry]) -> tuple[tuple[str, float, float], ...]:
    """Return the counts of a row as shares of a bar."""
    counts = [each for key in counted.keys if isinstance(each := counted.of(runs, key), int)]
    ends = list(accumulate(counts, initial=0))
    return tuple(
        (_kind(at), ends[at] / ends[-1], count / ends[-1])
        for at, count in enumerate(counts)
        if count
    )


def _rows(study: Study, counted: Counted) -> Iterator[BlockView]:
    """Yield what stands behind a table in detail: tasks behind references, and the excluded runs."""
    if counted.name.startswith("reference-"):
        score = counted.name.removeprefix("reference-")
        of_task: dict[str, dict[tuple[str, ...], list[Entry]]] = {}
        for run in study.entries:
            if run.task and study.relative(run, score) is not None:
                of_task.setdefault(run.task, {}).setdefault(study.configuration(run), []).append(
                    run
                )
        known = [
            each for each in study.configurations if any(each in runs for runs in of_task.values())
        ]
        rows = []
        for task in sorted(of_task, key=natural_order):
            own = (
                _relative(study, score, of_task[task].get(each, ()), is_task=True) for each in known
            )
            rows.append(DrawnRowView(task, tuple(own), group_path("task", task)))
        heads = tuple(map(HeadView, ("Task", *(study.names[each] for each in known))))
        told = figures.plural(len(rows), "task")
        note = f"Relative to the reference (computed), with the bands of the runs. {told} with a score."
        yield BlockView(
            _id(f"{counted.name}-tasks"), f"{counted.heading} by task", note, heads, tuple(rows), ()
        )
    if counted.name == "excluded":
        left = [
            (run, reason) for run in study.entries if (reason := study.excluded(run)) is not None
        ]
        rows = [
            DrawnRowView(run.name, (CellView(reason),), run_path(run.id)) for run, reason in left
        ]
        heads = HeadView("Run"), HeadView("Reason")
        yield BlockView("excluded-runs", "Excluded runs", "", heads, tuple(rows), ())


def _gap(study: Study, first: str, second: str, runs: Iterable[Entry]) -> CellView:
    """Return the difference of two verdicts in points, over the runs that have both; each task weighs the same."""
    by_task = _by_both(study, first, second, runs)
    if not by_task:
        return CellView(figures.UNKNOWN, "no run with both")
    rates = [
        (fmean(one for one, _ in told), fmean(other for _, other in told))
        for told in by_task.values()
    ]
    between = paired_shares(rates).difference
    ends = f", {figures.points(between.low)} to {figures.points(between.high)}" if between else ""
    gap = fmean(other - one for one, other in rates)
    return CellView(
        f"{figures.points(gap)} points", f"{sum(map(len, by_task.values()))} with both{ends}"
    )


def _relative(
    study: Study, score: str, runs: Iterable[Entry], *, is_task: bool = False
) -> CellView:
    """Return how many times better than their reference runs are: the geometric mean of tasks; of one, their bands."""
    runs = list(runs)
    of_task: dict[str, list[float]] = {}
    for run in runs:
        if (times := study.relative(run, score)) is not None:
            of_task.setdefault(run.task or run.id, []).append(math.log(times))
    if not of_task:
        return CellView(figures.UNKNOWN, "" if is_task else "no score with a reference")
    mean = math.exp(
        math.fsum(math.fsum(each) / len(each) for each in of_task.values()) / len(of_task)
    )
    bands = Counter(study.band(run, score) for run in runs)
    listed = ", ".join(
        f"{count} {band}" if len(runs) > 1 else band for band in _BANDS if (count := bands[band])
    )
    return CellView(
        figures.score(mean, "x"), listed if is_task else figures.plural(len(of_task), "task")
    )


def _mean_cost(runs: Sequence[Entry]) -> str:
    """Return the mean of reported costs; where none reports one, at list price; each with its mark."""
    reported = spread(runs, Measure.COST)
    shown = reported if reported.known else spread(map(by_list_price, runs), Measure.COST)
    if not shown.known:
        return figures.UNKNOWN
    return ("" if reported.known else "≈ ") + figures.marked(
        figures.money(shown.mean), shown.is_lower_bound
    )
