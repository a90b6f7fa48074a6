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
from sitegen.numbers.campaigns import Attempts, CampaignFigures
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
        found = trends(over_time.campaigns)
        own = over_time.campaigns[: over_time.at + 1]
        return cls(
            over_time, found, found if found.campaigns == own else trends(own), tasks_here, deltas
        )

    @property
    def place(self) -> str:
        """The place among all campaigns of the one that the site is about, where it is not the newest; else empty."""
        at, count = self.over_time.place
        ending = "th" if at // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(at % 10, "th")
        is_newest = at == count
        return (
            ""
            if is_newest
            else f"{dated(self.here, self.over_time.at)}, {at}{ending} of {count} campaigns"
        )

    @property
    def lead(self) -> str:
        """Tasks that the campaign of this site announces, and those that are not clear with it."""
        return (
            f"{self.place}. {trend_words.lead(self.here, until='up to it')}"
            if self.place
            else trend_words.lead(self.here)
        )


def neighbours(over_time: OverTime) -> list[tuple[str, str]]:
    """Return names of campaigns that follow each other and have runs here, the newest first."""
    names = [each.name for each in over_time.campaigns]
    pairs = list(pairwise(names))[::-1]
    return [pair for pair in pairs if over_time.with_runs.issuperset(pair)]


def newest(followed: Followed) -> LinkView:
    """Return what moved in the last campaigns up to that of this site, for the index."""
    last = followed.here.campaigns[-1]
    count = figures.plural(len(followed.trends.campaigns), "campaign")
    return LinkView(
        PATH,
        followed.lead if followed.place else f"Newest of {count}: {last.name}. {followed.lead}",
    )


def trends_page(followed: Followed) -> Page:
    """Return the page of all campaigns."""
    found = followed.trends
    title = f"Trends over {figures.plural(len(found.campaigns), 'campaign')}"
    about = "Cost, success and scores over campaigns, and the tasks that newly fail or pass."
    return Page(PATH, "trends.html.jinja", title, about, "trends", _view(followed))


def _view(followed: Followed) -> View:
    found = followed.trends
    here = followed.here
    several = len({each.model for each in found.tasks}) > 1
    shown = slice(max(len(here.campaigns) - MAX_COLUMNS, 0), None)
    judged = [each for each in here.tasks if any(cell and cell.judged for cell in each.cells)]
    models = sorted({each.model for each in found.measures})
    columns = [(measure, model) for measure in _measures(found) for model in models]
    return View(
        heading=trend_words.heading(here),
        lead=followed.lead,
        # Against the baseline: figure, before, now and the change with its interval.
        deltas=tuple((each.label, *each.levels, each.text) for each in followed.deltas),
        charts=tuple(
            chart(found, measure, [each for each in found.measures if each.measure == measure])
            for measure in (_measures(found) if len(found.campaigns) > 1 else ())
        ),
        # Days of the campaigns in the table of tasks.
        columns=tuple(day(each.day) for each in here.campaigns[shown]),
        tasks=tuple(_task(followed, each, shown, with_model=several) for each in judged[:MAX_ROWS]),
        tasks_note=_tasks_note(followed),
        tasks_left=_left(judged[MAX_ROWS:]),
        has_models=several,
        # Width of a cell, pixels.
        cell=CELL,
        heads=tuple(_head(measure, model, several=len(models) > 1) for measure, model in columns),
        # Whether campaigns have names other than their days.
        has_names=any(each.name != each.day for each in found.campaigns),
        has_agents=any(each.agents for each in found.campaigns),
        campaigns=tuple(_campaigns(followed, columns)),
        kept=kept_sentence(followed.over_time),
    )


def _measures(found: Trends) -> list[str]:
    return list(dict.fromkeys(each.measure for each in sorted(found.measures, key=_order)))


def _order(each: MeasureTrend) -> tuple[int, str]:
    return ("success", "cost").index(each.measure) if each.measure in (
        "success",
        "cost",
    ) else 2, each.measure


def _left(tasks: Sequence[TaskTrend]) -> str | None:
    if not tasks:
        return None
    alerts = sum(each.last is not None for each in tasks)
    said = f"{figures.count(alerts)} with" if alerts else "without"
    return f"{figures.plural(len(tasks), 'more task')}, {said} an alert."


def _tasks_note(followed: Followed) -> str:
    here = followed.here
    until = f" up to {dated(here, len(here.campaigns) - 1)}" if followed.place else ""
    are_many = len(here.campaigns) > MAX_COLUMNS
    newest = (
        f"The newest {MAX_COLUMNS} of {len(here.campaigns)} campaigns{until} are shown. "
        if are_many
        else ""
    )
    cells = f"Judged runs of each task, a cell for each campaign{until}, oldest left."
    rules = f" {recounted}" if (recounted := trend_words.recounted(here)) else ""
    return f"{cells} {newest}New alerts first, then what may have changed.{rules}"


def _task(followed: Followed, each: TaskTrend, shown: slice, *, with_model: bool) -> View:
    return View(
        task=each.task,
        # None where there is one model only.
        model=short_model(each.model) if with_model else None,
        # None where no run of the task has a page here.
        href=group_path("task", each.task) if each.task in followed.tasks_here else None,
        # Words, and the pixels of passed runs; None where none is judged.
        cells=tuple(map(_share_passed, each.cells[shown])),
        # CSS class, by the share of runs that pass now; empty where none is judged.
        role=trend_words.role(each),
        verdict=each.verdict.value,
        # Its runs since it is as it is now, and before.
        counts=counts(followed.here, each) if each.now.judged else "",
        certainty=trend_words.certainty(followed.here, each),
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
    what = {"success": "passed, %", "cost": "$ a run"}.get(measure, measure_name(measure))
    return f"{model.removeprefix('Claude ')} {what}" if several else what[:1].upper() + what[1:]


def _campaigns(followed: Followed, columns: Sequence[tuple[str, str]]) -> Iterator[View]:
    found = followed.trends
    pairs = set(neighbours(followed.over_time))
    by_key = {(each.measure, each.model): each for each in found.measures}
    for position in range(len(found.campaigns) - 1, -1, -1):
        each = found.campaigns[position]
        pair = (found.campaigns[position - 1].name, each.name) if position else None
        yield View(
            name=each.name,
            day=day(each.day, with_year=True),
            href=_href(followed.over_time, each),
            agents=", ".join(each.agents) or figures.UNKNOWN,
            # Runs, then measures.
            cells=(
                figures.count(each.runs),
                *(_cell(by_key.get(column), position) for column in columns),
            ),
            # The link to the comparison with the one before; None where one of the two has no runs here.
            compare=pair_path(Dimension.CAMPAIGN, *pair) if pair in pairs and pair else None,
        )


def _href(over_time: OverTime, each: CampaignFigures) -> str | None:
    if each.name in over_time.with_runs:
        return group_path("campaign", each.name)
    return "index.html" if each.name == over_time.current else None


def _cell(trend: MeasureTrend | None, position: int) -> str:
    point = trend.points[position] if trend else None
    if trend is None or point is None:
        return figures.UNKNOWN
    if trend.measure == "success":
        return value(trend.measure, point.value).removesuffix("%").strip()
    return (
        f"{trend.about}{point.value:.2f}"
        if trend.measure == "cost"
        else value(trend.measure, point.value)
    )


# Lines over campaigns with intervals, and shares of passed runs in cells.

_TOP = 12
_BOTTOM = 162
_LINE = 14
_MAX_DAYS = 3
_LONGEST_NAME = 16
MAX_LINES = 4  # models in a chart: as many as have a colour
CELL = 40


def chart(trends: Trends, measure: str, lines: Sequence[MeasureTrend]) -> View:
    """Return a line for each model, those of most runs where there are more than MAX_LINES."""
    lines = sorted(lines, key=lambda each: -sum(point.runs for point in each.points if point))[
        :MAX_LINES
    ]
    lines = sorted(lines, key=lambda each: each.model)
    scale = _Scale.of(measure, [point for each in lines for point in each.points if point])
    said = "; ".join(f"{each.model} {_last(each)}" for each in lines)
    what = trend_words.chart_note(measure, lines)
    return View(
        heading=trend_words.chart_heading(trends, measure, lines),
        note=f"{what}.",
        description=f"{what}. Last: {said}.",
        ticks=tuple((scale.y(tick), scale.label(measure, tick)) for tick in scale.ticks),
        days=tuple(_days(trends)),
        lines=tuple(_line(each, scale) for each in lines),
        # The newest figure of each, and the height of its words.
        labels=tuple(_labels(lines, scale)),
    )


@dataclass(frozen=True, slots=True)
class _Scale:
    low: float
    high: float
    ticks: tuple[float, ...]

    @classmethod
    def of(cls, measure: str, points: Sequence[CampaignPoint]) -> "_Scale":
        if measure == "success":
            return cls(0.0, 1.0, (0.0, 0.5, 1.0))
        values = [point.value for point in points]
        # An open or very wide end goes on beyond the drawing.
        ends = [
            point.interval.high
            for point in points
            if point.interval and point.interval.high < 2 * max(values)
        ]
        low = min(0.0, *values, 0.0)
        high = max([*values, *ends, 0.0])
        if high <= low:
            high = low + 1
        ticks = (
            [tick for tick in Axis(0.0, high, False).ticks() if tick <= high]
            if low == 0
            else [low, 0.0, high]
        )
        step = max(math.ceil((len(ticks) - 1) / 3), 1)
        return cls(low, high, tuple(ticks[::step]))

    def y(self, number: float) -> int:
        share = (number - self.low) / (self.high - self.low)
        return round(_BOTTOM - min(max(share, 0.0), 1.0) * (_BOTTOM - _TOP))

    def label(self, measure: str, tick: float) -> str:
        return "$0" if measure == "cost" and not tick else value(measure, tick)


def _x(position: int, campaigns: int) -> float:
    return position / (campaigns - 1) if campaigns > 1 else 0.5


def _days(trends: Trends) -> Iterator[tuple[float, str]]:
    count = len(trends.campaigns)
    step = max(math.ceil((count - 1) / (_MAX_DAYS - 1)), 1)
    shown = [position for position in range(0, count, step) if count - 1 - position >= step]
    for position in [*shown, count - 1]:
        yield _x(position, count), day(trends.campaigns[position].day)


def _line(each: MeasureTrend, scale: _Scale) -> View:
    count = len(each.points)
    points = tuple(
        _point(_x(position, count), point, scale)
        for position, point in enumerate(each.points)
        if point
    )
    return View(slug=model_class(each.model), points=points)


def _point(x: float, point: CampaignPoint, scale: _Scale) -> View:
    ends = point.interval
    return View(
        x=x,
        y=scale.y(point.value),
        ends=(scale.y(ends.low), scale.y(ends.high)) if ends else None,
        # Whether its interval goes on beyond the drawing.
        is_below=ends and ends.low < scale.low,
        is_above=ends and ends.high > scale.high,
    )


def _labels(lines: Sequence[MeasureTrend], scale: _Scale) -> Iterator[tuple[int, str]]:
    ends = sorted(
        ((scale.y(_newest(each).value), each) for each in lines),
        key=lambda pair: (pair[0], pair[1].model),
    )
    places = spread_out([float(y) for y, _ in ends], _LINE, _TOP, _BOTTOM)
    for place, (_, each) in zip(places, ends, strict=True):
        name = clipped(short_model(each.model), _LONGEST_NAME)
        yield round(place) + 4, f"{name}, {_last(each)}"


def _newest(each: MeasureTrend) -> CampaignPoint:
    return next(point for point in reversed(each.points) if point)


def _last(each: MeasureTrend) -> str:
    return each.about + value(each.measure, _newest(each).value)
