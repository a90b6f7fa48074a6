"""The page of several campaigns: what moved over them, and what became of each task.

It says no more than `numbers.trends` found.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sitegen import figures
from sitegen.charts.axes import Axis, spread_out
from sitegen.charts.findings import clipped
from sitegen.html.render import Page, View
from sitegen.numbers.baseline import Delta
from sitegen.numbers.campaigns import Attempts
from sitegen.numbers.statistics import Dimension
from sitegen.numbers.trends import CampaignPoint, MeasureTrend, TaskTrend, Trends, trends
from sitegen.numbers.wording import value
from sitegen.outcomes.over_time import OverTime, kept_sentence
from sitegen.pages.compare import pair_path
from sitegen.pages.trends import trend_words
from sitegen.pages.trends.trend_words import counts, dated, day, measure_name
from sitegen.pages.views import LinkView, group_path, model_class
from sitegen.text.names import short_model

PATH = "trends.html"

MAX_COLUMNS = 12  # campaigns in the table of tasks: the newest
MAX_ROWS = 200  # tasks in it: changed ones first


@dataclass(frozen=True, slots=True)
class Followed:
    """Several campaigns, and what changed over them."""

    over_time: OverTime
    trends: Trends
    here: Trends  # the same up to the campaign of this site: what later ones announce is not said of it
    tasks_here: frozenset[str]  # tasks that have a page in this site
    deltas: tuple[Delta, ...] = ()
    """The campaign of this site against the baseline, where the settings name one."""

    @classmethod
    def of(
        cls, over_time: OverTime, tasks_here: frozenset[str], deltas: tuple[Delta, ...]
    ) -> "Followed":
        """Return what changed over these campaigns."""
        changes = trends(over_time.campaigns)
        here = changes
        until = over_time.campaigns[: over_time.at + 1]
        if changes.campaigns != until:
            here = trends(until)
        return cls(over_time, changes, here, tasks_here, deltas)

    @property
    def place(self) -> str:
        """The place among all campaigns of the one that the site is about, where it is not the newest; else empty."""
        number, count = self.over_time.place
        if number == count:
            return ""
        return f"{dated(self.here, self.over_time.at)}, campaign {number} of {count}"

    @property
    def lead(self) -> str:
        """Tasks that the campaign of this site announces, and those that are not clear with it."""
        if not self.place:
            return trend_words.lead(self.here)
        return f"{self.place}. {trend_words.lead(self.here, until='up to it')}"


def neighbours(over_time: OverTime) -> list[tuple[str, str]]:
    """Return names of campaigns that follow each other and have runs here, the newest first."""
    pairs = pairwise(campaign.name for campaign in over_time.campaigns)
    return [pair for pair in pairs if over_time.with_runs.issuperset(pair)][::-1]


def newest(followed: Followed) -> LinkView:
    """Return what moved in the last campaigns up to that of this site, for the index."""
    if followed.place:
        return LinkView(PATH, followed.lead)
    count = figures.plural(len(followed.trends.campaigns), "campaign")
    last = followed.here.campaigns[-1].name
    return LinkView(PATH, f"Newest of {count}: {last}. {followed.lead}")


def trends_page(followed: Followed) -> Page:
    """Return the page of all campaigns."""
    campaigns = figures.plural(len(followed.trends.campaigns), "campaign")
    about = "Cost, success and scores over campaigns, and the tasks that newly fail or pass."
    view = _view(followed)
    return Page(PATH, "trends.html.jinja", f"Trends over {campaigns}", about, "trends", view)


def _view(followed: Followed) -> View:
    changes = followed.trends
    here = followed.here
    has_models = len({task.model for task in changes.tasks}) > 1
    judged = [task for task in here.tasks if any(cell and cell.judged for cell in task.cells)]
    models = sorted({trend.model for trend in changes.measures})
    measures = _measures(changes)
    columns = [(measure, model) for measure in measures for model in models]
    charts = []
    if len(changes.campaigns) > 1:
        charts = [chart(changes, measure) for measure in measures]
    more = len(judged) - MAX_ROWS
    return View(
        heading=trend_words.heading(here),
        lead=followed.lead,
        # Against the baseline: figure, before, now and the change with its interval.
        deltas=tuple((delta.label, *delta.levels, delta.text) for delta in followed.deltas),
        charts=charts,
        # Days of the campaigns in the table of tasks.
        columns=tuple(day(campaign.day) for campaign in here.campaigns[-MAX_COLUMNS:]),
        tasks=tuple(_task(followed, task, with_model=has_models) for task in judged[:MAX_ROWS]),
        tasks_note=_tasks_note(followed),
        tasks_left=f"{figures.plural(more, 'more task')}." if more > 0 else None,
        has_models=has_models,
        # Width of a cell, pixels.
        cell=CELL,
        heads=tuple(_head(measure, model, several=len(models) > 1) for measure, model in columns),
        # Whether campaigns have names other than their days.
        has_names=any(campaign.name != campaign.day for campaign in changes.campaigns),
        has_agents=any(campaign.agents for campaign in changes.campaigns),
        campaigns=tuple(_campaigns(followed, columns)),
        kept=kept_sentence(followed.over_time),
    )


def _measures(changes: Trends) -> list[str]:
    """Return success and cost, where they are known, then the scores by name."""
    measures = {trend.measure for trend in changes.measures}
    scores = sorted(measures - {"success", "cost"})
    return [measure for measure in ("success", "cost", *scores) if measure in measures]


def _tasks_note(followed: Followed) -> str:
    here = followed.here
    count = len(here.campaigns)
    until = f" up to {dated(here, count - 1)}" if followed.place else ""
    note = f"Judged runs of each task, a cell for each campaign{until}, oldest left. "
    if count > MAX_COLUMNS:
        note += f"The newest {MAX_COLUMNS} of {count} campaigns{until} are shown. "
    note += f"New alerts first, then what may have changed. {trend_words.recounted(here)}"
    return note.rstrip()


def _task(followed: Followed, task: TaskTrend, *, with_model: bool) -> View:
    return View(
        task=task.task,
        # None where there is one model only.
        model=short_model(task.model) if with_model else None,
        # None where no run of the task has a page here.
        href=group_path("task", task.task) if task.task in followed.tasks_here else None,
        # Words, and the pixels of passed runs; None where none is judged.
        cells=tuple(map(_share_passed, task.cells[-MAX_COLUMNS:])),
        # CSS class, by the share of runs that pass now; empty where none is judged.
        role=trend_words.role(task),
        verdict=task.verdict.value,
        # Its runs since it is as it is now, and before.
        counts=counts(followed.here, task) if task.now.judged else "",
        certainty=trend_words.certainty(followed.here, task),
    )


def _share_passed(attempts: Attempts | None) -> tuple[str, int | None]:
    if attempts is None:
        return "no run", None
    if not attempts.judged:
        return "not judged", None
    share = figures.percent(attempts.passed, attempts.judged)
    width = round(CELL * attempts.passed / attempts.judged)
    return f"{share} of {figures.plural(attempts.judged, 'run')}", width


def _head(measure: str, model: str, *, several: bool) -> str:
    names = {"success": "passed, %", "cost": "$ a run"}
    name = names.get(measure, measure_name(measure))
    return f"{model.removeprefix('Claude ')} {name}" if several else figures.capitalized(name)


def _campaigns(followed: Followed, columns: Sequence[tuple[str, str]]) -> Iterator[View]:
    """Yield the rows of all campaigns, the newest first."""
    over_time = followed.over_time
    pairs = {later: (earlier, later) for earlier, later in neighbours(over_time)}
    trend_of = {(trend.measure, trend.model): trend for trend in followed.trends.measures}
    for position, campaign in reversed(list(enumerate(followed.trends.campaigns))):
        href = None
        if campaign.name in over_time.with_runs:
            href = group_path("campaign", campaign.name)
        elif campaign.name == over_time.current:
            href = "index.html"
        cells = [_cell(trend_of.get(column), position) for column in columns]
        pair = pairs.get(campaign.name)
        yield View(
            name=campaign.name,
            day=day(campaign.day, with_year=True),
            href=href,
            agents=", ".join(campaign.agents) or figures.UNKNOWN,
            # Runs, then measures.
            cells=(figures.count(campaign.runs), *cells),
            # The link to the comparison with the one before; None where one of the two has no runs here.
            compare=pair_path(Dimension.CAMPAIGN, *pair) if pair else None,
        )


def _cell(trend: MeasureTrend | None, position: int) -> str:
    point = trend.points[position] if trend else None
    if trend is None or point is None:
        return figures.UNKNOWN
    if trend.measure == "cost":
        return f"{trend.about}{point.value:.2f}"
    return value(trend.measure, point.value).removesuffix("%").strip()


# Lines over campaigns with intervals, and shares of passed runs in cells.

_TOP = 12
_BOTTOM = 162
_LINE = 14
_MAX_DAYS = 3
_LONGEST_NAME = 16
MAX_LINES = 4  # models in a chart: as many as have a colour
CELL = 40


def chart(changes: Trends, measure: str) -> View:
    """Return a line for each model, those of most runs where there are more than MAX_LINES."""
    lines = [trend for trend in changes.measures if trend.measure == measure]
    lines = sorted(lines, key=_count_runs, reverse=True)[:MAX_LINES]
    lines = sorted(lines, key=lambda trend: trend.model)
    scale = _Scale.of(measure, [point for trend in lines for point in trend.points if point])
    last = "; ".join(f"{trend.model} {_last(trend)}" for trend in lines)
    note = trend_words.chart_note(measure, lines)
    return View(
        heading=trend_words.chart_heading(changes, measure, lines),
        note=f"{note}.",
        description=f"{note}. Last: {last}.",
        ticks=tuple((scale.y(tick), scale.label(measure, tick)) for tick in scale.ticks),
        days=tuple(_days(changes)),
        lines=tuple(_line(trend, scale) for trend in lines),
        # The newest figure of each, and the height of its words.
        labels=tuple(_labels(lines, scale)),
    )


def _count_runs(trend: MeasureTrend) -> int:
    return sum(point.runs for point in trend.points if point)


@dataclass(frozen=True, slots=True)
class _Scale:
    low: float
    high: float
    ticks: Sequence[float]

    @classmethod
    def of(cls, measure: str, points: Sequence[CampaignPoint]) -> "_Scale":
        if measure == "success":
            return cls(0.0, 1.0, (0.0, 0.5, 1.0))
        values = [point.value for point in points]
        low = min(0.0, *values)
        high = max(0.0, *values)
        for point in points:
            # An open or very wide end goes on beyond the drawing.
            if point.interval and point.interval.high < 2 * max(values):
                high = max(high, point.interval.high)
        if high <= low:
            high = low + 1
        ticks = sorted({low, 0.0, high})
        if low == 0:
            ticks = [tick for tick in Axis(0.0, high, False).ticks() if tick <= high]
        step = max(math.ceil((len(ticks) - 1) / 3), 1)
        return cls(low, high, ticks[::step])

    def y(self, number: float) -> int:
        share = (number - self.low) / (self.high - self.low)
        return round(_BOTTOM - min(max(share, 0.0), 1.0) * (_BOTTOM - _TOP))

    def label(self, measure: str, tick: float) -> str:
        return "$0" if measure == "cost" and not tick else value(measure, tick)


def _x(position: int, campaigns: int) -> float:
    return position / (campaigns - 1) if campaigns > 1 else 0.5


def _days(changes: Trends) -> Iterator[tuple[float, str]]:
    count = len(changes.campaigns)
    step = max(math.ceil((count - 1) / (_MAX_DAYS - 1)), 1)
    for position in [*range(0, count - step, step), count - 1]:
        yield _x(position, count), day(changes.campaigns[position].day)


def _line(trend: MeasureTrend, scale: _Scale) -> View:
    points = []
    for position, point in enumerate(trend.points):
        if point:
            ends = point.interval
            points.append(
                View(
                    x=_x(position, len(trend.points)),
                    y=scale.y(point.value),
                    ends=(scale.y(ends.low), scale.y(ends.high)) if ends else None,
                    # Whether its interval goes on beyond the drawing.
                    is_below=ends and ends.low < scale.low,
                    is_above=ends and ends.high > scale.high,
                )
            )
    return View(slug=model_class(trend.model), points=points)


def _labels(lines: Sequence[MeasureTrend], scale: _Scale) -> Iterator[tuple[int, str]]:
    heights = {trend.model: scale.y(_newest(trend).value) for trend in lines}
    from_top = sorted(lines, key=lambda trend: (heights[trend.model], trend.model))
    ends = [float(heights[trend.model]) for trend in from_top]
    places = spread_out(ends, _LINE, _TOP, _BOTTOM)
    for place, trend in zip(places, from_top, strict=True):
        name = clipped(short_model(trend.model), _LONGEST_NAME)
        yield round(place) + 4, f"{name}, {_last(trend)}"


def _newest(trend: MeasureTrend) -> CampaignPoint:
    return next(point for point in reversed(trend.points) if point)


def _last(trend: MeasureTrend) -> str:
    return trend.about + value(trend.measure, _newest(trend).value)
