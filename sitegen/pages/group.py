"""The page of a task, model, campaign or label: the figures and the runs of a part of the campaign.

Everything here follows from the runs of the group alone, so that a new run rewrites the pages of its own groups only.
"""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from sitegen import figures
from sitegen.charts.axes import Axis, tick_label
from sitegen.charts.findings import label
from sitegen.fields import RunFacts, fields_of
from sitegen.figures import StatusView, marked, outcome_view, sentence_list, status_view
from sitegen.html.render import Page, Renderer, View
from sitegen.model import Entry, Outcome, Status, sum_complete
from sitegen.numbers import statistics
from sitegen.numbers.estimates import GroupFigures, group_figures
from sitegen.numbers.intervals import Interval, Question
from sitegen.numbers.statistics import (
    AnyMeasure,
    Dimension,
    Measure,
    ScoreMeasure,
    Spread,
    dimension_of,
    group_by,
)
from sitegen.numbers.success import passes, success
from sitegen.numbers.wording import cost_text, counts, in_letters
from sitegen.outcomes.same_patch import describe_same_patch, same_patches
from sitegen.pages.summary import summary_figures
from sitegen.pages.table.rows import rows_paths
from sitegen.pages.table.run_table import RunTable, page_count, table_path
from sitegen.pages.views import (
    FactView,
    LinkView,
    filter_of,
    group_path,
    model_class,
    run_link,
    runs_with,
    score_columns,
    score_ends,
    score_writer,
    spread_ends,
)
from sitegen.publish.files import File, Made

MAX_RUNS_ELSEWHERE = 2_000
"""Pages of a group with more runs are made in the process that has the facts: each other would copy all of them."""


@dataclass(frozen=True, slots=True, eq=False)
class RunGroup:
    """The runs of one task, model, campaign or label."""

    dimension: Dimension
    name: str
    runs: Sequence[Entry]
    is_part: bool
    question: Question = Question.TASKS_LIKE_THESE
    measures: tuple[ScoreMeasure, ...] = ()

    @property
    def base(self) -> str:
        """The path of its first page without its ending, which its other files begin with."""
        return group_path(self.dimension.value, self.name).removesuffix(".html")

    def files(self, renderer: Renderer, key: bytes | None) -> Iterator[File]:
        """Yield its pages, the first with the scripts of its table's rows; `key` is that of all that is known of its
        runs."""
        for position in range(page_count(len(self.runs))):
            scripts = () if position else tuple(rows_paths(f"{self.base}.rows", len(self.runs)))
            make = partial(_made, self, renderer, position)
            is_large = len(self.runs) > MAX_RUNS_ELSEWHERE
            yield File(table_path(self.base, position), key, make, scripts, is_made_here=is_large)


def _made(group: RunGroup, renderer: Renderer, position: int) -> Made:
    """Return one page of a group."""
    of_runs, name, base = _table(group), group.name, group.base
    is_first = position == 0
    scripts = tuple(of_runs.scripts()) if is_first else ()
    table = of_runs.page(position, {each.path: each.address for each in scripts})
    description = (
        f"The {group.dimension.value} {name}: {table.range}, what they cost and how they ended."
    )
    if not is_first:
        shown = f"{name}, page {position + 1}"
        title = f"{shown} of {of_runs.page_count}"
        template = "runs.html.jinja"
        view: object = View(heading=shown, back=LinkView(f"{base}.html", name), table=table)
    else:
        summary = statistics.summarize(group.runs)
        title = f"{name}: {figures.plural(summary.runs, 'run')}, {cost_text(summary)}"
        template = "group.html.jinja"
        view = _group_view(group, table)
    page = Page(table.path, template, title, description, "runs", view)
    return Made(renderer.render(page), ((each.path, each.content) for each in scripts))


@lru_cache(maxsize=1)
def _table(group: RunGroup) -> RunTable:
    """Return the table of a group, of which each page is made alone."""
    summary = statistics.summarize(group.runs)
    return RunTable(group.runs, summary, group.base, f"{group.base}.rows", is_part=group.is_part)


def groups(entries: Sequence[Entry], question: Question) -> Iterator[RunGroup]:
    """Yield all groups of the runs."""
    measures = statistics.score_measures(entries)
    for dimension in Dimension:
        for name, runs in group_by(entries, dimension).items():
            yield RunGroup(dimension, name, runs, len(runs) < len(entries), question, measures)


def _group_view(group: RunGroup, table: View) -> View:
    dimension, name, runs = group.dimension, group.name, group.runs
    achieved = passes(runs)
    told = group_figures(runs, group.question, group.measures)
    # Attempts of different models are not attempts of one agent, and one attempt says what the success rate says.
    several = len(achieved) > 1 and len({run.compared_as for run in runs}) == 1
    return View(
        kind=dimension.value,
        name=name,
        lead=_lead(dimension, name, runs),
        # What is stated of all these runs alike: the properties and references of a task.
        facts=(*_common_facts(runs), *(_same_patches(runs) if dimension is Dimension.TASK else ())),
        # CSS class suffix of a model's colour.
        key=model_class(name) if dimension in statistics.AGENTS else None,
        figures=summary_figures(told.summary, told.success, next(iter(told.scores.items()), None)),
        spreads=tuple(spreads(dimension, runs, told, group.question)),
        # The meaning of the marks of the spreads.
        signs=tuple(
            outcome_view(each) for each in Outcome if any(run.outcome is each for run in runs)
        ),
        causes=causes(runs),
        passes=tuple(
            View(
                k=each.k,
                tasks=each.tasks,
                any=figures.share(each.pass_at_k),
                every=figures.share(each.pass_hat_k),
            )
            for each in (achieved if several else ())
        ),
        others=tuple(_others(dimension, runs)),
        table=table,
    )


def _common_facts(runs: Sequence[Entry]) -> Iterator[FactView]:
    """Yield the factors, groups and references that all these runs share."""
    facts = list(map(RunFacts.of, runs))
    for field in fields_of(runs):
        if field.page == "facts" and field.key.startswith(("factor.", "group.", "reference.")):
            texts = {field.text(field.value(run)) for run in facts}
            if len(texts) == 1:
                yield FactView(field.title, texts.pop())


def _same_patches(runs: Sequence[Entry]) -> Iterator[FactView]:
    """Yield which runs of a task left the same patch."""
    for alike in same_patches(runs):
        key = alike[0].patch_key or ""
        yield FactView("Same patch", describe_same_patch(alike), href=runs_with({"patch": [key]}))


def _lead(dimension: Dimension, name: str, runs: Sequence[Entry]) -> str:
    said = figures.plural(len(runs), "run")
    if dimension is not Dimension.TASK and (tasks := {run.task for run in runs if run.task}):
        said += f" of {figures.plural(len(tasks), 'task')}"
    if dimension is not Dimension.MODEL:
        kind = dimension_of(runs)
        by = (
            ""
            if dimension is kind
            else f" by {figures.plural(len(group_by(runs, kind)), kind.value)}"
        )
        return f"{said}{by}.{_who_passed(runs) if dimension is Dimension.TASK else ''}"
    lines = [line for run in runs for line in zip(run.ledger_names, run.run.ledger, strict=True)]
    costs = sum_complete(line.cost_usd for _, line in lines)
    own = sum_complete(line.cost_usd for model, line in lines if model == name)
    said = f"Main model in {said}."
    if all(model == name for model, _ in lines) or not own or costs is None:
        return said
    # A share, since what models add up to may differ from what runs report.
    part = figures.percent(own, costs)
    return f"{said} It accounts for {part} of what models cost in these runs; helper models for the rest."


MAX_WINNERS = 3  # named of those that passed a task equally often


def _who_passed(runs: Sequence[Entry]) -> str:
    """Return who passed a task most often, as a sentence; empty where nobody was judged."""
    told = success(runs)
    if told.judged < 2:
        ended = "passed" if told.passed else "did not pass"
        return f" The one judged run {ended}." if told.judged else ""
    if told.passed in (0, told.judged):
        return f" {'All' if told.passed else 'None of'} {figures.count(told.judged)} judged runs passed."
    by_name = {name: success(own) for name, own in group_by(runs, dimension_of(runs)).items()}
    rates = {name: outcome.rate for name, outcome in by_name.items() if outcome.rate is not None}
    if len(rates) < 2:
        return f" {told.passed} of {told.judged} passed."
    best = max(rates.values())
    winners = [
        f"{label(name)} ({counts(by_name[name])})" for name, rate in rates.items() if rate == best
    ]
    rate = figures.percent(best, 1)
    judged = f"{in_letters(len(rates))} {dimension_of(runs).value}s"
    if len(winners) == len(rates):
        return f" {figures.capitalized(judged)} passed equally often: {rate}."
    who = (
        sentence_list(winners)
        if len(winners) <= MAX_WINNERS
        else f"{rate}, {len(winners)} of {judged}"
    )
    return f" Highest pass rate: {who}."


def _others(dimension: Dimension, runs: Sequence[Entry]) -> Iterator[LinkView]:
    """Yield the groups of other kinds that these runs are in."""
    for other in Dimension:
        if other is not dimension:
            for name in group_by(runs, other):
                yield LinkView(group_path(other.value, name), name)


# Why runs of a group did not pass: as their files state it, and as whoever judged them noted it.


MAX_RUNS = 8  # listed under one cause


def causes(runs: Sequence[Entry]) -> tuple[View, ...]:
    """Return the causes, the most frequent first; none where all runs passed, or completed unjudged."""
    found: dict[str, list[Entry]] = {}
    for run in runs:
        if cause := _cause(run):
            found.setdefault(cause, []).append(run)
    return tuple(
        View(
            cause=cause,
            count=figures.count(len(own)),
            # The filter of the table that leaves these runs; empty if there is none.
            filter=_filter_of(own, runs),
            # Each with the note of its outcome, which may be empty.
            runs=tuple((run_link(run), run.note or "") for run in own[:MAX_RUNS]),
            more=f"{figures.count(len(own) - MAX_RUNS)} more" if len(own) > MAX_RUNS else "",
        )
        for cause, own in sorted(found.items(), key=lambda each: (-len(each[1]), each[0]))
    )


def _filter_of(some: Sequence[Entry], runs: Sequence[Entry]) -> str:
    """Return the filter that leaves some of these runs by how they ended; empty if it would leave others."""
    chosen = [set(names) for names in zip(*map(_ending, some), strict=True)]
    left = sum(all(map(operator.contains, chosen, _ending(run))) for run in runs)
    keys = ("status", "status_detail", "outcome")
    by_key = {key: sorted(names) for key, names in zip(keys, chosen, strict=True)}
    return filter_of(by_key) if left == len(some) else ""


def _ending(run: Entry) -> tuple[str, str, str]:
    return run.run.status, run.run.status_detail or "", run.outcome or ""


def _cause(run: Entry) -> str | None:
    """Return the cause of failure in two or three words, alike for all codes of one error; None for a run that passed,
    or completed unjudged."""
    if run.outcome is Outcome.PASS:
        return None
    status = run.run.status
    detail = run.run.status_detail
    if status not in (Status.OK, Status.UNKNOWN):
        said = (detail or status_view(status).word).rstrip("0123456789 ")
        return (said[:1].upper() + said[1:]) or status_view(status).word
    if run.outcome is Outcome.ERROR:
        return "Infrastructure error"
    return (
        f"Completed, {'wrong' if run.outcome is Outcome.FAIL else 'partial'} result"
        if run.outcome
        else None
    )


# How the runs of a group are spread in each measure: a row for all of them, or for each model, over one scale.


MAX_SIGNS = 40  # runs in a row that are drawn one by one; more are a box alone

MIN_IN_A_BOX = 5  # quartiles of fewer would be made of what lies between them

_TIMES = ((3_600_000.0, "h"), (60_000.0, "min"), (1000.0, "s"), (1.0, "ms"))


@dataclass(frozen=True, slots=True)
class _Kind:
    """The way a measure is taken, worded and written."""

    label: str
    measure: AnyMeasure
    write: figures.Write  # single runs and medians
    mean: figures.Write
    ends: Callable[[Interval], str]
    tick: Callable[[float], list[tuple[float, str]]]
    """Places from 0 to 1 and labels of a scale up to so much."""


_Values = Sequence[tuple[Entry, float]]  # of runs that know them


def spreads(
    dimension: Dimension, runs: Sequence[Entry], told: GroupFigures, question: Question
) -> Iterator[View]:
    """Yield for each measure, the first score among them, the spread of all runs, and of each model where a task was
    tried by several."""
    parts: Mapping[str, Sequence[Entry]] = group_by(runs, dimension_of(runs))
    if dimension is not Dimension.TASK or len(parts) < 2:
        of_models = {run.compared_as for run in runs}
        parts = {(next(iter(of_models)) or "") if len(of_models) == 1 else "": runs}
    of_parts = dict.fromkeys(parts, told)
    if len(parts) > 1:
        of_parts = {
            name: group_figures(part, question, told.scores) for name, part in parts.items()
        }
    judged = any(run.outcome for run in runs)
    for kind in _kinds(told, runs):
        known = {run.id: value for run in runs if (value := kind.measure.of(run)) is not None}
        values = {
            name: [(run, known[run.id]) for run in part if run.id in known]
            for name, part in parts.items()
        }
        top = max((value for each in values.values() for _, value in each), default=0.0)
        if (
            top <= 0
            or max(map(len, values.values())) < 2
            or min(v for each in values.values() for _, v in each) < 0
        ):
            continue
        shown = [name for name in parts if values[name]]
        scale = top * 1.02
        row = partial(_row, kind, scale=scale, judged=judged, is_one=len(parts) == 1)
        told_of = {name: of_parts[name].of(kind.measure) for name in shown}
        rows = [row(name, values[name], told_of[name], is_last=name == shown[-1]) for name in shown]
        yield View(label=kind.label, rows=tuple(rows))


def _row(
    kind: _Kind,
    model: str,
    values: _Values,
    told: Spread,
    *,
    scale: float,
    judged: bool,
    is_one: bool,
    is_last: bool,
) -> View:
    only = sorted(value for _, value in values)
    box = median = None
    if told.known >= MIN_IN_A_BOX and None not in (told.lower_quartile, told.upper_quartile):
        low, high = ((end or 0.0) / scale for end in (told.lower_quartile, told.upper_quartile))
        box = low, max(high - low, 0.0)
        median = (told.median or 0.0) / scale
    drawn = sorted(values, key=lambda pair: (pair[1], pair[0].id))
    if told.known > MAX_SIGNS:
        drawn = []
    is_bound = told.is_lower_bound
    strong = marked(
        f"median {kind.write(told.median)}" if told.known > 1 else kind.write(only[0]), is_bound
    )
    note = figures.plural(told.known, "run") + (f", {told.unknown} unknown" if told.unknown else "")
    if told.interval and told.mean is not None:
        ends = spread_ends(kind.measure, told, kind.mean, kind.ends)
        note = f"mean {marked(kind.mean(told.mean), is_bound)} ({ends}); {note}"
    from_to = f"{kind.write(only[0])} to {kind.write(only[-1])}" if told.known > 1 else ""
    group = "" if is_one else model
    of = f" of {group}" if group else ""
    return View(
        # The model; empty where it is all runs.
        group=group,
        key=model_class(model) if model else "",
        css=f"m-{model_class(model)}" if model else "soft",
        ticks=kind.tick(scale),
        # Whether the labels of the scale are below it.
        is_last=is_last,
        # Both ends, as shares of the width; the place and the width of the middle half, and the median.
        ends=(only[0] / scale, only[-1] / scale),
        box=box,
        median=median,
        # Single runs: sign, place and title.
        marks=tuple(
            (_sign(run, judged), value / scale, f"{run.name}: {kind.write(value)}")
            for run, value in drawn
        ),
        # The median; of one run its figure.
        strong=strong,
        # The mean, its 95 % interval, and how many runs it rests on.
        note=note,
        # All of that, with both ends, in words.
        label=f"{kind.label}{of}: {', '.join(filter(None, (strong, from_to, note)))}",
    )


def _sign(run: Entry, judged: bool) -> StatusView | None:
    """Return the sign of the outcome of a run; where nobody judged, that of its end where it did not complete. Others
    are drawn as dots."""
    if run.outcome is not None:
        return outcome_view(run.outcome)
    if judged or run.run.status in (Status.OK, Status.UNKNOWN):
        return None
    return status_view(run.run.status)


def _kinds(told: GroupFigures, runs: Sequence[Entry]) -> Iterator[_Kind]:
    for measure, figure in list(told.scores.items())[:1]:
        size = figure.mean or 0.0
        column = score_columns(runs).get(measure.name)
        mean = score_writer(measure, size, figure.interval)
        write = (
            partial(column.in_full, unit=measure.unit) if column and not measure.is_share else mean
        )
        ends = partial(score_ends, measure, size=size)
        of_tick = partial(_score_tick, unit=measure.unit)
        label = measure.name[:1].upper() + measure.name[1:]
        yield _Kind(label, measure, write, mean, ends, partial(_ticks, write=of_tick))
    dollars = partial(_ticks, write=lambda usd: figures.money(usd) if usd else "$0")
    for kind, heading, of_kind, tick in (
        (Measure.COST, "Cost", figures.money, dollars),
        (Measure.TOKENS, "Tokens", figures.count_short, partial(_ticks, write=tick_label)),
        (Measure.WALL, "Time", figures.duration, _time_ticks),
    ):
        yield _Kind(heading, kind, of_kind, of_kind, partial(_ends, write=of_kind), tick)


def _ends(interval: Interval, write: figures.Write) -> str:
    return figures.from_to(interval.low, interval.high, write)


def _ticks(top: float, write: Callable[[float], str]) -> list[tuple[float, str]]:
    return [(value / top, write(value)) for value in Axis(0.0, top, False).ticks()]


def _score_tick(value: float, unit: str | None) -> str:
    return figures.with_unit(f"{value:,.10g}", unit)


def _time_ticks(top: float) -> list[tuple[float, str]]:
    """Return ticks in the largest unit of which the scale has two or more."""
    size, unit = next((each for each in _TIMES if top >= 2 * each[0]), _TIMES[-1])
    return [
        (x, f"{label}{figures.UNIT_SPACE}{unit}")
        for x, label in _ticks(top / size, lambda value: f"{value:g}")
    ]
