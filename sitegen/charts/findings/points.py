"""Is the dear model worth it? The mean cost of a run against the share that passed, and against the mean score: a dot
for each model, with the 95 % intervals of both and a dashed line through the models that no cheaper one beats.

Both figures of a dot are of the same runs: those whose outcome is about the task, or that have the score, for the mean
cost as far as they report one. A run that its surroundings ended says nothing about the model, and its cost, often near
nothing, would make the model look cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sitegen import figures
from sitegen.charts import findings
from sitegen.charts.axes import Axis, Frame, Row, Spot, is_wide, offsets_of_names
from sitegen.charts.findings import ChartTable, Finding, Plot, clipped, interval_columns, interval_ends, known, label
from sitegen.model import Entry
from sitegen.numbers.intervals import Interval, Question
from sitegen.numbers.statistics import Measure, ScoreMeasure, Spread, dimension_of, score_measures, spread
from sitegen.numbers.success import Judgement, judgement, success

FRAME = Frame(left=52, right=14, top=26, bottom=40)

HEIGHT = 240  # the height of the plot, in pixels

LONGEST_NAME = 28

MAX_DRAWN = 2
"""The scale has room for so many times the mean of an interval of costs; what goes beyond is drawn up to the edge."""

CUT = "; those at the edge continue beyond it"  # said of intervals where some do

_JUDGED = (Judgement.PASSED, Judgement.PARTIAL, Judgement.FAILED)


@dataclass(frozen=True, slots=True)
class ModelPoint:
    """One model."""

    model: str
    runs: Sequence[Entry]  # the runs that were judged, or have the score
    cost: Spread  # the cost of the runs that report one; not all do
    value: float  # the share that passed, or the mean score
    interval: Interval | None
    score: Spread | None = None

    @property
    def usd(self) -> float:
        """Mean cost of a run."""
        return self.cost.mean or 0.0

    @property
    def price(self) -> str:
        """The same as text, with a plus where it is a lower bound."""
        runs = [entry.run for entry in self.runs if entry.run.cost_usd is not None]
        return figures.marked(figures.money(self.usd), any(run.cost_is_lower_bound for run in runs))

    @property
    def passed(self) -> int:
        """The number of its judged runs that passed."""
        return round(self.value * len(self.runs))

    @property
    def rate(self) -> str:
        """The share of them."""
        return figures.percent(self.passed, len(self.runs))

    @property
    def dollars(self) -> tuple[float, ...]:
        """The mean cost, and the ends of its interval where it has one, as far as the scale makes room for them."""
        ends = self.cost.interval
        return (self.usd,) if ends is None else (self.usd, ends.low, min(ends.high, MAX_DRAWN * self.usd))


def cost_by_success(
    entries: Sequence[Entry], color: Callable[[str], str], question: Question = Question.TASKS_LIKE_THESE
) -> Finding | str | None:
    """Return a dot for each model with judged runs; None where no run has an outcome, or all have the same model."""
    members, kind = _members(entries), dimension_of(entries).value
    if len(members) < 2 or all(entry.outcome is None for entry in entries):
        return None
    points = [point for model, group in members.items() if (point := _judged(model, group, question))]
    if len(points) < 2:
        few = f"only one {kind} has" if points else f"no {kind} has"
        return f"Cost against success: {few} judged runs with a cost."
    positive = [point.usd for point in points if point.usd]
    if not positive:
        return "Cost against success: the judged runs cost nothing."
    logarithmic = is_wide(positive)
    points.sort(key=lambda point: (point.usd, -point.value, point.model))
    drawn = [point for point in points if point.usd or not logarithmic]
    x = Axis.over([usd for point in drawn for usd in point.dollars if usd or not logarithmic], logarithmic)
    field = Field.of(x, Axis(0.0, 1.0, logarithmic=False), drawn, higher_is_better=True)
    names, remark = field.offsets(), findings.tasks_remark(point.runs for point in points)
    money = figures.money_column(point.usd for point in points)
    ends = {point.model: interval_ends(point.interval) for point in points}
    means = [field.row(p, names, "success_rate", passed_runs=p.passed, judged_runs=len(p.runs)) for p in drawn]
    return Finding(
        title=_title_of_success([point for point in points if 2 * point.cost.known > len(point.runs)], kind),
        note=f"Means with 95% intervals{remark}.",
        method=_method_of_success(points, field, question, kind=kind),
        description=f"Dots: mean cost of a run against the share that passed, {figures.plural(len(drawn), kind)}.",
        table=ChartTable.of(
            points,
            {kind.capitalize(): lambda point: label(point.model)},
            {
                "Judged runs": lambda point: figures.count(len(point.runs)),
                "Runs passed": lambda point: figures.count(point.passed),
                "Passed, %": lambda point: figures.shares(point.passed, len(point.runs), 0),
                "Passed, 95% from, %": lambda point: figures.shares(ends[point.model][0], 1.0, 0),
                "Passed, 95% to, %": lambda point: figures.shares(ends[point.model][1], 1.0, 0),
                **_costs(money, "judged"),
            },
        ),
        data={"means": means},
        **_plot(field, drawn, color, names),
    )


def _plot(
    field: Field, points: Sequence[ModelPoint], color: Callable[[str], str], names: Mapping[str, Row], **more: Any
) -> dict[str, Any]:
    """Return the plot, and the legend where names found no room."""
    colors = findings.ModelColors.of({point.model: len(point.runs) for point in points}, color)
    money = findings.money_format(point.usd for point in points)
    plot = Plot(frame=FRAME, height=HEIGHT, x=field.x, y=field.y, colors=colors.named, money=money, **more)
    return {"plot": plot, "legend": () if names else colors.legend}


def cost_by_score(
    entries: Sequence[Entry], color: Callable[[str], str], question: Question = Question.TASKS_LIKE_THESE
) -> Finding | str | None:
    """Return a dot for each model with scored runs, of the first score whose direction is known, and a small one for
    each of them; None where there is none."""
    measure = next((each for each in score_measures(entries) if each.higher_is_better is not None), None)
    members, kind = _members(entries), dimension_of(entries).value
    if measure is None or len(members) < 2:
        return None
    name = clipped(measure.name, 40)
    points = [point for model, group in members.items() if (point := _scored(model, group, measure, question))]
    if len(points) < 2:
        return f"Cost against {name}: {f'only one {kind} has' if points else f'no {kind} has'} scored runs with a cost."
    runs = list[Row]()
    for entry in (each for point in points for each in point.runs if each.run.cost_usd is not None):
        of: Row = {"configuration": known(entry.compared_as or ""), "cost_usd": entry.run.cost_usd}
        of |= {"score": measure.of(entry), "outcome": str(entry.outcome or findings.NOT_KNOWN)}
        runs.append(findings.run_row(entry, **of))
    runs.sort(key=lambda row: (row["configuration"], row["cost_usd"], row["score"], row["page"]))
    costs, values = [row["cost_usd"] for row in runs], [row["score"] for row in runs]
    if min(values) < 0 or not max(values) or not max(costs):
        return f"Cost against {name}: {'some scores are below' if min(values) < 0 else 'all is'} zero."
    x = Axis.over(costs, min(costs) > 0 and is_wide(costs))
    y = Axis.over(values, min(values) > 0 and is_wide(values))
    points.sort(key=lambda point: (point.usd, point.value * (1 if measure.lower_is_better else -1)))
    field = Field.of(x, y, points, measure.higher_is_better)
    money = figures.money_column(point.usd for point in points)
    column = figures.score_column(clipped(measure.unit or "", 12), values)
    is_dense = len(runs) > findings.MAX_DOTS
    remark = findings.tasks_remark(point.runs for point in points)
    if is_dense:
        runs = findings.joined(runs, ("configuration",), "cost_usd", "score", x, y)
    names = field.offsets(() if is_dense else [(x.share(row["cost_usd"]), y.share(row["score"])) for row in runs])

    means = [field.row(point, names, "mean_score", scored_runs=len(point.runs)) for point in points]
    up = f"mean score{_UNITS.get(measure.unit or '', '')}"

    def of_score(head: str, write: Callable[[Spread], float | None]) -> dict[str, Callable[[ModelPoint], str]]:
        return {column.head(head): lambda point: column.write(point.score and write(point.score))}

    return Finding(
        title=_title_of_score(points, measure, name, column),
        note=f"Small dots: runs; large: means with 95% intervals{remark}.",
        method=_method_of_score(points, measure, name, question, kind=kind, is_cut=field.has_cut),
        description=f"Dots: mean cost of a run against mean {name}, {figures.plural(len(points), kind)}.",
        table=ChartTable.of(
            points,
            {kind.capitalize(): lambda point: label(point.model)},
            {
                "Scored runs": lambda point: figures.count(len(point.runs)),
                **of_score(f"Mean {name}", lambda score: score.mean),
                **of_score(f"{name.capitalize()}, 95% from", lambda score: interval_ends(score.interval)[0]),
                **of_score(f"{name.capitalize()}, 95% to", lambda score: interval_ends(score.interval)[1]),
                **of_score(f"Median {name}", lambda score: score.median),
                **of_score(f"Best {name}", lambda score: score.best),
                **_costs(money, "scored"),
            },
        ),
        data={"runs": runs, "means": means},
        **_plot(field, points, color, names, is_dense=is_dense, y_title=up),
        whole="Means of all runs",
        brush_x=("cost_usd",),
    )


def _members(entries: Iterable[Entry]) -> Mapping[str, list[Entry]]:
    """Return the runs of each known model."""
    return {model: runs for model, runs in findings.by_row(entries).items() if model}


_UNITS = {"x": ", times", "×": ", times", "%": ", %"}
"""The wording of units on an axis; no other unit is shown, because titles come near expressions."""


def _costs(money: figures.FigureFormat, which: str) -> dict[str, Callable[[ModelPoint], str]]:
    """Return the columns of the mean cost of these runs and of the ends of its interval."""
    of = f"of a {which} run"
    return {
        money.head(f"Mean cost {of}"): lambda point: money.write(point.cost.mean),
        money.head(f"Cost {of}, 95% from"): lambda point: money.write(interval_ends(point.cost.interval)[0]),
        money.head(f"Cost {of}, 95% to"): lambda point: money.write(interval_ends(point.cost.interval)[1]),
    }


def _judged(model: str, group: Sequence[Entry], question: Question) -> ModelPoint | None:
    """None where no run of the model was judged, or none of those reports a cost."""
    runs = [entry for entry in group if judgement(entry) in _JUDGED]
    outcome, cost = success(runs, question), spread(runs, Measure.COST, question)
    if outcome.rate is None or cost.mean is None:
        return None
    # Where too few tasks tell, it may be anything.
    return ModelPoint(model, runs, cost, outcome.rate, outcome.interval or Interval(0.0, 1.0))


def _scored(model: str, group: Sequence[Entry], measure: ScoreMeasure, question: Question) -> ModelPoint | None:
    """None where no run of the model has the score, or none of those reports a cost."""
    runs = [entry for entry in group if measure.of(entry) is not None]
    score, cost = spread(runs, measure, question), spread(runs, Measure.COST, question)
    if score.mean is None or cost.mean is None:
        return None
    return ModelPoint(model, runs, cost, score.mean, score.interval, score)


def _title_of_success(points: Sequence[ModelPoint], kind: str) -> str:
    """Return who passed most often, and the cheapest, or where these are the same the most expensive. That one is
    better than the other is for a comparison of the same tasks to say. `points` ascend by cost."""
    if len(points) < 2:
        return f"Too few runs report a cost to rank {kind}s by it"
    best = max(points, key=lambda point: point.value)
    if not best.passed:
        return "No judged run passed"
    other = points[-1] if best is points[0] else points[0]
    first = f"{label(best.model)} passed {best.rate} of its judged runs at {best.price} each"
    return f"{first}, {label(other.model)} {other.rate} at {other.price}"


def _method_of_success(points: Sequence[ModelPoint], field: Field, question: Question, *, kind: str) -> str:
    runs = sum(len(point.runs) for point in points)
    unpriced = runs - sum(point.cost.known for point in points)
    note = f"Passed runs against the mean cost of a run{', log scale' if field.x.logarithmic else ''}, "
    note += f"{figures.plural(runs, 'judged run')} of {len(points)} {kind}s, with 95% intervals for {question}"
    if field.has_cut:
        note += CUT
    if unpriced:
        note += f"; the means exclude {unpriced:,} that report{'s' if unpriced == 1 else ''} no cost"
    if len(field.front) > 1:
        note += f". Dashed: {kind}s that no cheaper one beats"
    if left := len(points) - len(field.points):
        note += f". Not drawn: {figures.plural(left, kind)} that cost nothing"
    return f"{note}."


def _unit(measure: ScoreMeasure) -> str:
    unit = clipped(measure.unit or "", 12)
    return unit if unit in ("x", "×", "%") else f" {unit}".rstrip()


def _title_of_score(
    points: Sequence[ModelPoint], measure: ScoreMeasure, name: str, column: figures.FigureFormat
) -> str:
    """Return the best model and the cheapest one, or the most expensive one where these are the same."""
    best = (min if measure.lower_is_better else max)(points, key=lambda point: point.value)
    other = points[-1] if best is points[0] else points[0]

    def said(point: ModelPoint) -> str:
        return f"{column.write(point.value)}{_unit(measure)} at {point.price} per scored run"

    return f"{label(best.model)} reached a mean {name} of {said(best)}, {label(other.model)} {said(other)}"


def _method_of_score(
    points: Sequence[ModelPoint], measure: ScoreMeasure, name: str, question: Question, *, kind: str, is_cut: bool
) -> str:
    mean = "Geometric mean" if measure.is_ratio else "Mean"
    runs, priced = sum(len(point.runs) for point in points), sum(point.cost.known for point in points)
    note = f"{mean} {name} against the mean cost of {figures.plural(runs, 'scored run')} of {len(points)} {kind}s, "
    note += f"with 95% intervals for {question}{CUT * is_cut}"
    if runs > priced:
        note += f"; {runs - priced:,} of them report{'s' if runs - priced == 1 else ''} no cost"
    return f"{note}. Dashed: {kind}s that no cheaper one beats."


@dataclass(frozen=True, slots=True)
class Field:
    """The plot with its points, which ascend by cost."""

    x: Axis
    y: Axis
    points: Sequence[ModelPoint]
    front: Sequence[ModelPoint]
    """The points that no cheaper one beats; empty where it is not known which is better."""

    @classmethod
    def of(cls, x: Axis, y: Axis, points: Sequence[ModelPoint], higher_is_better: bool | None) -> Field:
        """Return points of equal cost must come in order of what is better."""
        front: list[ModelPoint] = []
        for point in points if higher_is_better is not None else ():
            if not front or (point.value > front[-1].value if higher_is_better else point.value < front[-1].value):
                front.append(point)
        return cls(x, y, points, front)

    @property
    def has_cut(self) -> bool:
        """Whether an interval goes on beyond the edge."""
        ends = [(point.cost.interval, self.x) for point in self.points]
        ends += [(point.interval, self.y) for point in self.points]
        return any(interval and not axis.low <= interval.low <= interval.high <= axis.high for interval, axis in ends)

    def offsets(self, further: Iterable[Spot] = ()) -> dict[str, Row]:
        """Return where the names of points stand, those of the frontier first, clear of further dots; nowhere where one
        finds no room."""
        order = [*reversed(self.front), *(point for point in self.points if point not in self.front)]
        spots = {point.model: (self.x.share(point.usd), self.y.share(point.value)) for point in order}
        names = [(point.model, clipped(label(point.model), LONGEST_NAME), spots[point.model]) for point in order]
        lines: list[tuple[Spot, Spot]] = []
        for point in self.points:
            x, y = spots[point.model]
            if ends := point.cost.interval:
                lines.append(((self.x.held(ends.low), y), (self.x.held(ends.high), y)))
            if ends := point.interval:
                lines.append(((x, self.y.held(ends.low)), (x, self.y.held(ends.high))))
        places = [(align, dy) for dy in (-10, 10, -26, 26) for align in ("left", "right")]
        return offsets_of_names(names, [*spots.values(), *further], lines, places, FRAME, HEIGHT)

    def row(self, point: ModelPoint, names: Mapping[str, Row], value: str, **counts: int) -> Row:
        """Return a point with its intervals and its name; `value` names its vertical column."""
        return {
            "configuration": known(point.model), "label": clipped(label(point.model), LONGEST_NAME),
            "mean_cost_usd": point.usd, value: point.value,
            "is_on_frontier": len(self.front) > 1 and point in self.front,
            **interval_columns("cost{}_usd", point.cost.interval, self.x),
            **interval_columns(value + "{}", point.interval, self.y), **names.get(point.model, {}), **counts,
        }  # fmt: skip
