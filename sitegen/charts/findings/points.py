"""Is the dear model worth it? The mean cost of a run against the share that passed, and against the mean score: a dot
for each model, with the 95 % intervals of both and a dashed line through the models that no cheaper one beats.

Both figures of a dot are of the same runs: those whose outcome is about the task, or that have the score, for the mean
cost as far as they report one. A run that its surroundings ended says nothing about the model, and its cost, often near
nothing, would make the model look cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from typing import Any

from sitegen import figures
from sitegen.charts import findings
from sitegen.charts.axes import FRAME, Axis, Row, Spot, is_wide, offsets_of_names
from sitegen.charts.findings import (
    ChartTable,
    Finding,
    Plot,
    clipped,
    interval_columns,
    interval_ends,
    known,
    label,
)
from sitegen.model import Entry
from sitegen.numbers.intervals import Interval, Question
from sitegen.numbers.statistics import (
    Measure,
    ScoreMeasure,
    Spread,
    dimension_of,
    score_measures,
    spread,
)
from sitegen.numbers.success import is_judged, success

HEIGHT = 240  # the height of the plot, in pixels

MAX_DRAWN = 2
"""The scale has room for so many times the mean of an interval of costs; what goes beyond is drawn up to the edge."""

_UNITS = {"x": ", times", "×": ", times", "%": ", %"}
"""The wording of units on an axis; no other unit is shown, because titles come near expressions."""

Columns = dict[str, Callable[["ModelPoint"], str]]


@dataclass(frozen=True, slots=True)
class ModelPoint:
    """One model."""

    model: str
    runs: Sequence[Entry]  # the runs that were judged, or have the score
    cost: Spread  # of all its runs, as on the leaderboard; not all report one
    value: float  # the share that passed, or the mean score
    interval: Interval | None
    score: Spread | None = None
    name: str = ""  # in the drawing

    @property
    def usd(self) -> float:
        """Mean cost of a run."""
        return self.cost.mean or 0.0

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """The ends of the interval of its value."""
        return interval_ends(self.interval)

    @property
    def price(self) -> str:
        """The same as text, with a plus where it is a lower bound."""
        return figures.marked(figures.money(self.usd), self.cost.is_lower_bound)

    @property
    def is_priced(self) -> bool:
        """Whether any of its `runs` reports a cost."""
        return any(Measure.COST.of(run) is not None for run in self.runs)

    @property
    def passed(self) -> int:
        """The number of its judged runs that passed."""
        return round(self.value * len(self.runs))


def cost_by_success(
    entries: Sequence[Entry],
    color: Callable[[str], str],
    question: Question = Question.TASKS_LIKE_THESE,
) -> Finding | str | None:
    """Return a dot for each model with judged runs; None where no run has an outcome, or all have the same model."""
    if all(entry.outcome is None for entry in entries):
        return None
    points = _points(entries, "success", "judged", partial(_judged_point, question))
    if not isinstance(points, list):
        return points
    positive = [point.usd for point in points if point.usd]
    if not positive:
        return "Cost against success: the judged runs cost nothing."
    logarithmic = is_wide(positive)
    kind = dimension_of(entries).value
    points.sort(key=lambda point: (point.usd, -point.value, point.model))
    drawn = [point for point in points if point.usd or not logarithmic]
    x = Axis.over(_ends_of_costs(drawn, logarithmic), logarithmic)
    field = Field(x, Axis(0.0, 1.0, logarithmic=False), drawn, higher_is_better=True)
    method = "Passed runs against the mean cost of a run, "
    if logarithmic:
        method += "log scale, "
    method += _base(points, field, "judged", kind, question)
    if len(drawn) < len(points):
        method += f" Not drawn: {figures.plural(len(points) - len(drawn), kind)} that cost nothing."
    columns: Columns = {
        "Runs passed": lambda point: figures.count(point.passed),
        "Passed, %": lambda point: figures.shares(point.passed, len(point.runs), 0),
        "Passed, 95% from, %": lambda point: figures.shares(point.ends[0], 1.0, 0),
        "Passed, 95% to, %": lambda point: figures.shares(point.ends[1], 1.0, 0),
    }
    names = field.offsets()
    means = []
    for point in drawn:
        counts = {"passed_runs": point.passed, "judged_runs": len(point.runs)}
        means.append(field.row(point, names, "success_rate", **counts))
    return Finding(
        title=_title_of_success(points, kind),
        note=f"Means with 95% intervals{findings.tasks_remark(point.runs for point in points)}.",
        method=method,
        table=_table(points, "judged", kind, columns),
        data={"means": means},
        **_plot(field, color, names),
    )


def _judged_point(question: Question, model: str, group: Sequence[Entry]) -> ModelPoint:
    runs = [entry for entry in group if is_judged(entry)]
    outcome = success(runs, question)
    # Where too few tasks tell, it may be anything.
    interval = outcome.interval or Interval(0.0, 1.0)
    cost = spread(group, Measure.COST, question)
    return ModelPoint(model, runs, cost, outcome.rate or 0.0, interval)


def _ends_of_costs(points: Sequence[ModelPoint], logarithmic: bool) -> list[float]:
    """Return the costs that a scale has to hold: the means, and the ends of their intervals."""
    costs = [point.usd for point in points]
    for point in points:
        ends = point.cost.interval
        if ends:
            costs += [ends.low, min(ends.high, MAX_DRAWN * point.usd)]
    return [usd for usd in costs if usd] if logarithmic else costs


def cost_by_score(
    entries: Sequence[Entry],
    color: Callable[[str], str],
    question: Question = Question.TASKS_LIKE_THESE,
) -> Finding | str | None:
    """Return a dot for each model with scored runs, of the first score whose direction is known, and a small one for
    each of them; None where there is none."""
    measures = [score for score in score_measures(entries) if score.higher_is_better is not None]
    if not measures:
        return None
    measure = measures[0]
    name = clipped(measure.name, 40)
    kind = dimension_of(entries).value
    points = _points(entries, name, "scored", partial(_scored_point, measure, question))
    if not isinstance(points, list):
        return points
    runs = _scored_runs(points, measure)
    costs = [row["cost_usd"] for row in runs]
    values = [row["score"] for row in runs]
    if min(values) < 0:
        return f"Cost against {name}: some scores are below zero."
    if not max(values) or not max(costs):
        return f"Cost against {name}: all is zero."
    direction = 1 if measure.lower_is_better else -1
    points.sort(key=lambda point: (point.usd, direction * point.value))
    field = Field(_scale(costs), _scale(values), points, not measure.lower_is_better)
    dots: list[Spot] = []
    is_dense = len(runs) > findings.MAX_DOTS
    if is_dense:
        runs = findings.joined(runs, ("configuration",), "cost_usd", "score", field.x, field.y)
    else:
        dots = list(zip(map(field.x.share, costs), map(field.y.share, values), strict=True))
    names = field.offsets(dots)
    column = figures.score_column(clipped(measure.unit or "", 12), values)
    mean = "Geometric mean" if measure.is_ratio else "Mean"
    base = _base(points, field, "scored", kind, question)
    remark = findings.tasks_remark(point.runs for point in points)
    y_title = f"mean score{_UNITS.get(measure.unit or '', '')}"
    return Finding(
        title=_title_of_score(points, measure, column, name),
        note=f"Small dots: runs; large: means with 95% intervals{remark}.",
        method=f"{mean} {name} against the mean cost of a run, {base}",
        table=_table(points, "scored", kind, _score_columns(column, name)),
        data={
            "runs": runs,
            "means": [
                field.row(point, names, "mean_score", scored_runs=len(point.runs))
                for point in points
            ],
        },
        **_plot(field, color, names, is_dense=is_dense, y_title=y_title),
        whole="Means of all runs",
        brush_x=("cost_usd",),
    )


def _scored_point(
    measure: ScoreMeasure, question: Question, model: str, group: Sequence[Entry]
) -> ModelPoint:
    runs = [entry for entry in group if measure.of(entry) is not None]
    score = spread(runs, measure, question)
    cost = spread(group, Measure.COST, question)
    return ModelPoint(model, runs, cost, score.mean or 0.0, score.interval, score)


def _scale(values: Sequence[float]) -> Axis:
    return Axis.over(values, min(values) > 0 and is_wide(values))


def _scored_runs(points: Sequence[ModelPoint], measure: ScoreMeasure) -> list[Row]:
    """Return a row for each run with a cost, in an order that their names do not decide."""
    rows = []
    for point in points:
        for entry in point.runs:
            if entry.run.cost_usd is not None:
                columns: Row = {
                    "configuration": known(point.model),
                    "cost_usd": entry.run.cost_usd,
                    "score": measure.of(entry),
                    "outcome": str(entry.outcome or findings.NOT_KNOWN),
                }
                rows.append(findings.run_row(entry, **columns))
    order = itemgetter("configuration", "cost_usd", "score", "page")
    return sorted(rows, key=order)


def _score_columns(column: figures.FigureFormat, name: str) -> Columns:
    """Return the mean score of each model with its interval, the median and the best one."""
    title = figures.as_title(name)
    return {
        column.head(f"Mean {name}"): lambda point: column.write(point.value),
        column.head(f"{title}, 95% from"): lambda point: column.write(point.ends[0]),
        column.head(f"{title}, 95% to"): lambda point: column.write(point.ends[1]),
        column.head(f"Median {name}"): lambda point: column.write(
            point.score and point.score.median
        ),
        column.head(f"Best {name}"): lambda point: column.write(point.score and point.score.best),
    }


def _title_of_score(
    points: Sequence[ModelPoint], measure: ScoreMeasure, column: figures.FigureFormat, name: str
) -> str:
    unit = clipped(measure.unit or "", 12)
    if unit not in _UNITS:
        unit = f" {unit}".rstrip()
    best, other = _best_and_other(points, min if measure.lower_is_better else max)
    reached = f"{column.write(best.value)}{unit} at {best.price} per run"
    against = f"{column.write(other.value)}{unit} at {other.price} per run"
    return f"{label(best.model)} reached a mean {name} of {reached}, {label(other.model)} {against}"


def _points(
    entries: Sequence[Entry],
    name: str,
    which: str,
    point_of: Callable[[str, Sequence[Entry]], ModelPoint],
) -> list[ModelPoint] | str | None:
    """Return a point for each known model that has any of these runs with a cost; if fewer than two have, a sentence;
    None where the runs have one model."""
    members = findings.by_row(entries)
    members.pop("", None)
    if len(members) < 2:
        return None
    points = [point_of(model, group) for model, group in members.items()]
    points = [point for point in points if point.is_priced]
    if len(points) < 2:
        number = "only one" if points else "no"
        kind = dimension_of(entries).value
        return f"Cost against {name}: {number} {kind} has {which} runs with a cost."
    names = findings.shortened_apart([label(point.model) for point in points], 28)
    return [replace(point, name=shown) for point, shown in zip(points, names, strict=True)]


def _table(points: Sequence[ModelPoint], which: str, kind: str, columns: Columns) -> ChartTable:
    """Return the number of runs of each model, these columns, and the mean cost with the ends of its interval."""
    money = figures.money_column(point.usd for point in points)

    def end(number: int) -> Callable[[ModelPoint], str]:
        return lambda point: money.write(interval_ends(point.cost.interval)[number])

    return ChartTable.of(
        points,
        {kind.capitalize(): lambda point: label(point.model)},
        {
            f"{which.capitalize()} runs": lambda point: figures.count(len(point.runs)),
            **columns,
            money.head("Mean cost of a run"): lambda point: money.write(point.cost.mean),
            money.head("Cost of a run, 95% from"): end(0),
            money.head("Cost of a run, 95% to"): end(1),
        },
    )


def _plot(
    field: Field, color: Callable[[str], str], names: Mapping[str, Row], **more: Any
) -> dict[str, Any]:
    """Return the plot, and the legend where names found no room."""
    colors = findings.ModelColors.of(
        {point.model: len(point.runs) for point in field.points}, color
    )
    money = findings.money_format(point.usd for point in field.points)
    plot = Plot(
        frame=FRAME, height=HEIGHT, x=field.x, y=field.y, colors=colors.named, money=money, **more
    )
    return {"plot": plot, "legend": () if names else colors.legend}


def _base(
    points: Sequence[ModelPoint], field: Field, which: str, kind: str, question: Question
) -> str:
    """Return what the points are based on, as the end of a sentence, and what is drawn beside them."""
    runs = sum(len(point.runs) for point in points)
    priced = sum(point.cost.known for point in points)
    everything = priced + sum(point.cost.unknown for point in points)
    note = f"{figures.plural(runs, f'{which} run')} of {len(points)} {kind}s, with 95% intervals for {question}"
    if field.is_cut:
        note += "; those with an arrow go on beyond the edge"
    if priced < everything:
        note += f"; mean cost of {priced:,} of {figures.plural(everything, 'run')}"
    elif everything != runs:
        note += f"; mean cost of {figures.plural(everything, 'run')}"
    dashed = f" Dashed: {kind}s that no cheaper one beats." if len(field.front) > 1 else ""
    return f"{note}.{dashed}"


def _best_and_other(
    points: Sequence[ModelPoint], better: Callable[..., ModelPoint]
) -> tuple[ModelPoint, ModelPoint]:
    """Return the best model and the cheapest one, or the most expensive one where these are the same. `points` ascend
    by cost."""
    best = better(points, key=lambda point: point.value)
    return best, points[-1] if best is points[0] else points[0]


def _title_of_success(points: Sequence[ModelPoint], kind: str) -> str:
    """That one is better than the other is for a comparison of the same tasks to say."""
    priced = [point for point in points if point.cost.known > point.cost.unknown]
    if len(priced) < 2:
        return f"Too few runs report a cost to rank {kind}s by it"
    best, other = _best_and_other(priced, max)
    # With `unknown: fail` lost runs count too, though nobody judged them.
    counts_lost = any(entry.is_failed_by_rule for point in priced for entry in point.runs)
    judged = "judged or lost" if counts_lost else "judged"
    if not best.passed:
        return f"No {judged} run passed"
    rate = figures.percent(best.passed, len(best.runs))
    other_rate = figures.percent(other.passed, len(other.runs))
    first = f"{label(best.model)} passed {rate} of its {judged} runs at {best.price} per run"
    return f"{first}, {label(other.model)} {other_rate} at {other.price}"


@dataclass(frozen=True, slots=True)
class Field:
    """The plot with its points, which ascend by cost; points of equal cost come in order of what is better."""

    x: Axis
    y: Axis
    points: Sequence[ModelPoint]
    higher_is_better: bool

    @property
    def front(self) -> list[ModelPoint]:
        """The points that no cheaper one beats."""
        front: list[ModelPoint] = []
        for point in self.points:
            if not front or self._is_better(point.value, front[-1].value):
                front.append(point)
        return front

    def _is_better(self, value: float, other: float) -> bool:
        return value > other if self.higher_is_better else value < other

    @property
    def is_cut(self) -> bool:
        """Whether an interval goes on beyond the edge."""
        across = [self.x.holds(point.cost.interval) for point in self.points if point.cost.interval]
        up = [self.y.holds(point.interval) for point in self.points if point.interval]
        return not all(across + up)

    def offsets(self, further: Iterable[Spot] = ()) -> dict[str, Row]:
        """Return where the names of points stand, those of the frontier first, clear of further dots; nowhere where one
        finds no room."""
        front = self.front
        others = [point for point in self.points if point not in front]
        names = []
        lines: list[tuple[Spot, Spot]] = []
        for point in (*reversed(front), *others):
            x = self.x.share(point.usd)
            y = self.y.share(point.value)
            names.append((point.model, point.name, (x, y)))
            if ends := point.cost.interval:
                lines.append(((self.x.held(ends.low), y), (self.x.held(ends.high), y)))
            if ends := point.interval:
                lines.append(((x, self.y.held(ends.low)), (x, self.y.held(ends.high))))
        places = [(align, dy) for dy in (-10, 10, -26, 26) for align in ("left", "right")]
        spots = [spot for _, _, spot in names]
        return offsets_of_names(names, [*spots, *further], lines, places, HEIGHT)

    def row(self, point: ModelPoint, names: Mapping[str, Row], value: str, **counts: int) -> Row:
        """Return a point with its intervals and its name; `value` names its vertical column."""
        front = self.front
        return {
            "configuration": known(point.model),
            "label": point.name,
            "mean_cost_usd": point.usd,
            value: point.value,
            "is_on_frontier": len(front) > 1 and point in front,
            **interval_columns("cost{}_usd", point.cost.interval, self.x),
            **interval_columns(value + "{}", point.interval, self.y),
            **names.get(point.model, {}),
            **counts,
        }
