"""The page of a task, model, campaign or label: the figures and the runs of a part of the campaign.

Everything here follows from the runs of the group alone, so that a new run rewrites the pages of its own groups only.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from sitegen import figures
from sitegen.charts.axes import Axis, tick_label
from sitegen.charts.findings import label
from sitegen.fields import RunFacts, fields_of
from sitegen.figures import StatusView, marked, outcome_view, sentence_list, status_view
from sitegen.html.render import Page, Renderer, View
from sitegen.model import Entry, Outcome, Status, by_key, sum_complete
from sitegen.numbers import statistics
from sitegen.numbers.estimates import GroupFigures, group_figures
from sitegen.numbers.intervals import Question
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
    colour_class,
    filter_of,
    group_path,
    mean_writer,
    model_class,
    run_link,
    score_columns,
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
    runs_table = _table(group)
    name = group.name
    is_first = position == 0
    scripts = tuple(runs_table.scripts()) if is_first else ()
    table = runs_table.page(position, {script.path: script.address for script in scripts})
    kind = group.dimension.value
    description = f"The {kind} {name}: {table.range}, what they cost and how they ended."
    if is_first:
        summary = statistics.summarize(group.runs)
        title = f"{name}: {figures.plural(summary.runs, 'run')}, {cost_text(summary)}"
        template = "group.html.jinja"
        view = _group_view(group, table)
    else:
        heading = f"{name}, page {position + 1}"
        title = f"{heading} of {runs_table.page_count}"
        template = "runs.html.jinja"
        view = View(heading=heading, back=LinkView(f"{group.base}.html", name), table=table)
    page = Page(table.path, template, title, description, "runs", view)
    return Made(renderer.render(page), ((script.path, script.content) for script in scripts))


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
    told = group_figures(runs, group.question, group.measures)
    facts = list(_common_facts(runs))
    if dimension is Dimension.TASK:
        facts += _same_patches(runs)
    outcomes = {run.outcome for run in runs}
    return View(
        kind=dimension.value,
        name=name,
        lead=_lead(dimension, name, runs),
        # What is stated of all these runs alike: the properties and references of a task.
        facts=facts,
        # CSS class suffix of a model's colour.
        key=model_class(name) if dimension in statistics.AGENTS else None,
        figures=summary_figures(told.summary, told.success, next(iter(told.scores.items()), None)),
        spreads=list(spreads(dimension, runs, told, group.question)),
        # The meaning of the marks of the spreads.
        signs=[outcome_view(outcome) for outcome in Outcome if outcome in outcomes],
        causes=causes(runs),
        passes=_passes(runs),
        others=list(_others(dimension, runs)),
        table=table,
    )


def _passes(runs: Sequence[Entry]) -> list[View]:
    """Return what several attempts achieve. Attempts of different models are not attempts of one agent, and one attempt
    says what the success rate says."""
    achieved = passes(runs)
    if len(achieved) < 2 or len({run.compared_as for run in runs}) > 1:
        return []
    rows = []
    for row in achieved:
        any_passes = figures.share(row.pass_at_k)
        all_pass = figures.share(row.pass_hat_k)
        rows.append(View(k=row.k, tasks=row.tasks, any=any_passes, every=all_pass))
    return rows


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
        yield FactView("Same patch", describe_same_patch(alike))


def _lead(dimension: Dimension, name: str, runs: Sequence[Entry]) -> str:
    lead = figures.plural(len(runs), "run")
    tasks = {run.task for run in runs if run.task}
    if dimension is not Dimension.TASK and tasks:
        lead += f" of {figures.plural(len(tasks), 'task')}"
    if dimension is Dimension.MODEL:
        return f"Main model in {lead}.{_share_of_cost(name, runs)}"
    kind = dimension_of(runs)
    if dimension is not kind:
        lead += f" by {figures.plural(len(group_by(runs, kind)), kind.value)}"
    return f"{lead}.{_who_passed(runs) if dimension is Dimension.TASK else ''}"


def _share_of_cost(model: str, runs: Sequence[Entry]) -> str:
    """Return what a model costs, as a sentence; empty where it is the only one. It is a share, since what models add up
    to may differ from what runs report."""
    costs = []
    costs_of_model = []
    for run in runs:
        for name, line in zip(run.ledger_names, run.run.ledger, strict=True):
            costs.append(line.cost_usd)
            if name == model:
                costs_of_model.append(line.cost_usd)
    whole = sum_complete(costs)
    part = sum_complete(costs_of_model)
    if len(costs) == len(costs_of_model) or not part or whole is None:
        return ""
    share = figures.percent(part, whole)
    return (
        f" It accounts for {share} of what models cost in these runs; helper models for the rest."
    )


MAX_WINNERS = 3  # named of those that passed a task equally often


def _who_passed(runs: Sequence[Entry]) -> str:
    """Return who passed a task most often, as a sentence; else how many runs did. Empty where nobody was judged."""
    judged = success(runs)
    if not judged.judged:
        return ""
    by_name = {name: success(part) for name, part in group_by(runs, dimension_of(runs)).items()}
    rates = {name: part.rate for name, part in by_name.items() if part.rate is not None}
    if len(set(rates.values())) < 2:
        return f" {judged.passed} of {figures.plural(judged.judged, 'judged run')} passed."
    best = max(rates.values())
    winners = [f"{label(name)} ({counts(by_name[name])})" for name in rates if rates[name] == best]
    if len(winners) > MAX_WINNERS:
        winners[MAX_WINNERS:] = [f"{in_letters(len(winners) - MAX_WINNERS)} more"]
    return f" Highest pass rate: {sentence_list(winners)}."


def _others(dimension: Dimension, runs: Sequence[Entry]) -> Iterator[LinkView]:
    """Yield the groups of other kinds that these runs are in."""
    for other in Dimension:
        if other is not dimension:
            for name in group_by(runs, other):
                yield LinkView(group_path(other.value, name), name)


# Why runs of a group did not pass: as their files state it, and as whoever judged them noted it.


MAX_RUNS = 8  # listed under one cause


def causes(runs: Sequence[Entry]) -> list[View]:
    """Return the causes, the most frequent first; none where all runs passed, or completed unjudged."""
    by_cause = by_key(runs, _cause)
    rows = []
    for cause in sorted(by_cause, key=lambda cause: (-len(by_cause[cause]), cause)):
        caused = by_cause[cause]
        left = len(caused) - MAX_RUNS
        row = View(
            cause=cause,
            count=figures.count(len(caused)),
            # The filter of the table that leaves these runs; empty if there is none.
            filter=_filter_of(caused, runs),
            # Each with the note of its outcome, which may be empty.
            runs=[(run_link(run), run.note or "") for run in caused[:MAX_RUNS]],
            more=f"{figures.count(left)} more" if left > 0 else "",
        )
        rows.append(row)
    return rows


def _filter_of(some: Sequence[Entry], runs: Sequence[Entry]) -> str:
    """Return the filter that leaves some of these runs by how they ended; empty if it would leave others."""
    chosen: dict[str, set[str]] = {}
    for run in some:
        for key, name in _ending(run).items():
            chosen.setdefault(key, set()).add(name)
    if sum(_is_left(run, chosen) for run in runs) != len(some):
        return ""
    return filter_of({key: sorted(names) for key, names in chosen.items()})


def _is_left(run: Entry, chosen: Mapping[str, set[str]]) -> bool:
    return all(name in chosen[key] for key, name in _ending(run).items())


def _ending(run: Entry) -> dict[str, str]:
    """Return how a run ended, by the keys of its fields."""
    detail = run.run.status_detail or ""
    return {"status": run.run.status, "status_detail": detail, "outcome": run.outcome or ""}


def _cause(run: Entry) -> str | None:
    """Return the cause of failure in two or three words, alike for all codes of one error; None for a run that passed,
    or completed unjudged."""
    if run.outcome is Outcome.PASS:
        return None
    status = run.run.status
    if status not in (Status.OK, Status.UNKNOWN):
        word = status_view(status).word
        cause = (run.run.status_detail or word).rstrip("0123456789 ")
        return figures.capitalized(cause) or word
    return run.outcome and _CAUSES[run.outcome]


_CAUSES = {
    Outcome.ERROR: "Infrastructure error",
    Outcome.FAIL: "Completed, wrong result",
    Outcome.PARTIAL: "Completed, partial result",
}


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
    ticks: Callable[[float], list[tuple[float, str]]]
    """Places from 0 to 1 and labels of a scale up to so much."""


@dataclass(frozen=True, slots=True)
class _Row:
    """The runs of a group, or of one model in it, that know a measure."""

    model: str  # empty where they are of several
    values: list[tuple[Entry, float]]  # the least first
    spread: Spread


def spreads(
    dimension: Dimension, runs: Sequence[Entry], told: GroupFigures, question: Question
) -> Iterator[View]:
    """Yield for each measure, the first score among them, the spread of all runs, and of each model where a task was
    tried by several."""
    parts: Mapping[str, Sequence[Entry]] = group_by(runs, dimension_of(runs))
    if dimension is Dimension.TASK and len(parts) > 1:
        by_part = {name: group_figures(part, question, told.scores) for name, part in parts.items()}
    else:
        models = {run.compared_as or "" for run in runs}
        name = models.pop() if len(models) == 1 else ""
        parts = {name: runs}
        by_part = {name: told}
    is_judged = any(run.outcome for run in runs)
    for kind in _kinds(told, runs):
        rows = []
        for name, part in parts.items():
            known = [(run, value) for run in part if (value := kind.measure.of(run)) is not None]
            if known:
                known.sort(key=lambda pair: (pair[1], pair[0].id))
                rows.append(_Row(name, known, by_part[name].of(kind.measure)))
        top = max((row.values[-1][1] for row in rows), default=0.0)
        has_several = any(len(row.values) > 1 for row in rows)
        if top > 0 and has_several and all(row.values[0][1] >= 0 for row in rows):
            scale = top * 1.02
            views = []
            for row in rows:
                group = row.model if len(parts) > 1 else ""
                views.append(_draw_row(kind, row, group, scale, is_judged))
            views[-1] = views[-1].but(is_last=True)
            yield View(label=kind.label, rows=views)


def _draw_row(kind: _Kind, row: _Row, group: str, scale: float, is_judged: bool) -> View:
    spread = row.spread
    box = median = None
    if spread.known >= MIN_IN_A_BOX and None not in (spread.lower_quartile, spread.upper_quartile):
        low = (spread.lower_quartile or 0.0) / scale
        high = (spread.upper_quartile or 0.0) / scale
        box = low, max(high - low, 0.0)
        median = (spread.median or 0.0) / scale
    marks = []
    for run, value in row.values if spread.known <= MAX_SIGNS else ():
        marks.append((_sign(run, is_judged), value / scale, f"{run.name}: {kind.write(value)}"))
    least = row.values[0][1]
    most = row.values[-1][1]
    strong, note = _describe(kind, spread)
    range_text = f"{kind.write(least)} to {kind.write(most)}" if spread.known > 1 else ""
    of_group = f" of {group}" if group else ""
    return View(
        # The model; empty where it is all runs.
        group=group,
        css=colour_class(row.model),
        ticks=kind.ticks(scale),
        # Whether the labels of the scale are below it.
        is_last=False,
        # Both ends, as shares of the width; the place and the width of the middle half, and the median.
        ends=(least / scale, most / scale),
        box=box,
        median=median,
        # Single runs: sign, place and title.
        marks=marks,
        # The median; of one run its figure.
        strong=strong,
        # The mean, its 95 % interval, and how many runs it rests on.
        note=note,
        # All of that, with both ends, in words.
        label=f"{kind.label}{of_group}: {', '.join(filter(None, (strong, range_text, note)))}",
    )


def _describe(kind: _Kind, spread: Spread) -> tuple[str, str]:
    """Return the median, and the mean with what it rests on."""
    median = kind.write(spread.median)
    if spread.known > 1:
        median = f"median {median}"
    note = figures.plural(spread.known, "run")
    if spread.unknown:
        note += f", {spread.unknown} unknown"
    if spread.interval and spread.mean is not None:
        write = mean_writer(kind.measure, spread.mean, spread.interval)
        mean = marked(write(spread.mean), spread.is_lower_bound)
        note = f"mean {mean} ({spread_ends(kind.measure, spread)}); {note}"
    return marked(median, spread.is_lower_bound), note


def _sign(run: Entry, is_judged: bool) -> StatusView | None:
    """Return the sign of the outcome of a run; where nobody judged, that of its end where it did not complete. Others
    are drawn as dots."""
    if run.outcome is not None:
        return outcome_view(run.outcome)
    if is_judged or run.run.status in (Status.OK, Status.UNKNOWN):
        return None
    return status_view(run.run.status)


def _kinds(told: GroupFigures, runs: Sequence[Entry]) -> Iterator[_Kind]:
    for measure in list(told.scores)[:1]:
        column = score_columns(runs).get(measure.name)
        write: figures.Write = figures.share
        if column and not measure.is_share:
            write = partial(column.in_full, unit=measure.unit)
        ticks = partial(_ticks, write=partial(_score_tick, unit=measure.unit))
        yield _Kind(figures.capitalized(measure.name), measure, write, ticks)
    dollars = partial(_ticks, write=lambda usd: figures.money(usd) if usd else "$0")
    yield _Kind("Cost", Measure.COST, figures.money, dollars)
    tokens = partial(_ticks, write=tick_label)
    yield _Kind("Tokens", Measure.TOKENS, figures.count_short, tokens)
    yield _Kind("Time", Measure.WALL, figures.duration, _time_ticks)


def _ticks(top: float, write: Callable[[float], str]) -> list[tuple[float, str]]:
    return [(value / top, write(value)) for value in Axis(0.0, top, False).ticks()]


def _score_tick(value: float, unit: str | None) -> str:
    return figures.with_unit(f"{value:,.10g}", unit)


def _time_ticks(top: float) -> list[tuple[float, str]]:
    """Return ticks in the largest unit of which the scale has two or more."""
    size, unit = next((size_unit for size_unit in _TIMES if top >= 2 * size_unit[0]), _TIMES[-1])
    return _ticks(top / size, lambda value: figures.with_unit(f"{value:g}", unit))
