"""Is the dear model worth it? The mean cost of a run against the share that passed, and against the mean score: a dot
for each model, with the 95 % intervals of both and a dashed line through the models that no cheaper one beats.

Both figures of a dot are of the same runs: those whose outcome is about the task, or that have the score, for the mean
cost as far as they report one. A run that its surroundings ended says nothing about the model, and its cost, often near
nothing, would make the model look cheap.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from sitegen import figures
from sitegen.charts import findings
from sitegen.charts.axes import FRAME, Axis, Row, Spot, is_wide, offsets_of_names
from sitegen.charts.findings import (
    ChartTable,
    Finding,
    ModelColors,
    Plot,
    by_row,
    clipped,
    interval_columns,
    interval_ends,
    known,
    label,
    row_of,
    tasks_remark,
)
from sitegen.figures import FigureFormat, as_title, in_words, percent, plural, shares
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


_PLAIN_WORDS = re.compile(r"[\w .…-]+")


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


@dataclass(frozen=True, slots=True)
class _Subject:
    """The thing that costs are compared with."""

    name: str
    which: str  # the runs that have it: "judged", "scored"
    kind: str  # what is compared: "model", "configuration"
    question: Question

    def too_few(self, points: Sequence[ModelPoint]) -> str:
        """Return why one point, or none, is no comparison."""
        few = f"only one {self.kind} has" if points else f"no {self.kind} has"
        return f"Cost against {self.name}: {few} {self.which} runs with a cost."

    def base(self, points: Sequence[ModelPoint], means: Sequence[Row]) -> str:
        """Return what the points are based on, as the end of a sentence, and what is drawn beside them."""
        runs = sum(len(point.runs) for point in points)
        priced = sum(point.cost.known for point in points)
        everything = priced + sum(point.cost.unknown for point in points)
        base = f"{plural(runs, f'{self.which} run')} of {len(points)} {self.kind}s, with 95% intervals for {self.question}"
        if any(map(_is_cut, means)):
            base += "; those with an arrow go on beyond the edge"
        if not priced == everything == runs:
            base += f"; mean cost of {findings.of_all(priced, everything)}"
        if any(row["is_on_frontier"] for row in means):
            base += f". Dashed: {self.kind}s that no cheaper one beats"
        return f"{base}."

    def table(
        self,
        points: Sequence[ModelPoint],
        heads: Sequence[str],
        texts: Sequence[Sequence[str]],
    ) -> ChartTable:
        """Return the number of runs of each model, these columns, and the mean cost with the ends of its interval."""
        money = figures.money_column(point.usd for point in points)
        rows = []
        for point, own in zip(points, texts, strict=True):
            costs = map(money.write, (point.cost.mean, *interval_ends(point.cost.interval)))
            rows.append([label(point.model), figures.count(len(point.runs)), *own, *costs])
        of_costs = ("Mean cost of a run", "Cost of a run, 95% from", "Cost of a run, 95% to")
        numbers = [f"{self.which.capitalize()} runs", *heads, *map(money.head, of_costs)]
        return ChartTable.of([self.kind.capitalize()], numbers, rows)


def cost_by_success(
    entries: Sequence[Entry],
    color: Callable[[str], str],
    question: Question = Question.TASKS_LIKE_THESE,
) -> Finding | str | None:
    """Return a dot for each model with judged runs; None where no run has an outcome, or all have the same model."""
    members = _by_model(entries)
    if len(members) < 2 or all(entry.outcome is None for entry in entries):
        return None
    subject = _Subject("success", "judged", dimension_of(entries).value, question)
    points = _named([_judged_point(model, runs, question) for model, runs in members.items()])
    if len(points) < 2:
        return subject.too_few(points)
    positive = [point.usd for point in points if point.usd]
    if not positive:
        return "Cost against success: the judged runs cost nothing."
    logarithmic = is_wide(positive)
    points.sort(key=lambda point: (point.usd, -point.value, point.model))
    drawn = [point for point in points if point.usd or not logarithmic]
    x = _cost_axis(drawn, logarithmic)
    field = Field(x, Axis(0.0, 1.0, logarithmic=False), drawn, higher_is_better=True)
    names = field.offsets()
    means = []
    for point in drawn:
        counts = {"passed_runs": point.passed, "judged_runs": len(point.runs)}
        means.append(field.row(point, names, "success_rate") | counts)
    scale = ", log scale" if logarithmic else ""
    method = f"Passed runs against the mean cost of a run{scale}, {subject.base(points, means)}"
    if len(drawn) < len(points):
        left_out = plural(len(points) - len(drawn), subject.kind)
        method += f" Not drawn: {left_out} that cost nothing."
    colors = _colors(drawn, color)
    return Finding(
        title=_title_of_success(points, subject.kind),
        note=f"Means with 95% intervals{tasks_remark(point.runs for point in points)}.",
        method=method,
        legend=() if names else colors.legend,
        table=_table_of_success(points, subject),
        data={"means": means},
        plot=field.plot(colors),
    )


def _judged_point(model: str, entries: Sequence[Entry], question: Question) -> ModelPoint:
    runs = [entry for entry in entries if is_judged(entry)]
    outcome = success(runs, question)
    # Where too few tasks tell, the share may be anything.
    interval = outcome.interval or Interval(0.0, 1.0)
    cost = spread(entries, Measure.COST, question)
    return ModelPoint(model, runs, cost, outcome.rate or 0.0, interval)


def _cost_axis(points: Sequence[ModelPoint], logarithmic: bool) -> Axis:
    """Return a scale of costs with room for intervals, as far as they are not too long."""
    costs = []
    for point in points:
        costs.append(point.usd)
        if ends := point.cost.interval:
            costs += [ends.low, min(ends.high, MAX_DRAWN * point.usd)]
    if logarithmic:
        costs = [usd for usd in costs if usd]
    return Axis.over(costs, logarithmic)


def _table_of_success(points: Sequence[ModelPoint], subject: _Subject) -> ChartTable:
    rows = []
    for point in points:
        rate = shares(point.passed, len(point.runs), 0)
        ends = [shares(end, 1.0, 0) for end in interval_ends(point.interval)]
        rows.append([figures.count(point.passed), rate, *ends])
    heads = ["Runs passed", "Passed, %", "Passed, 95% from, %", "Passed, 95% to, %"]
    return subject.table(points, heads, rows)


def cost_by_score(
    entries: Sequence[Entry],
    color: Callable[[str], str],
    question: Question = Question.TASKS_LIKE_THESE,
) -> Finding | str | None:
    """Return a dot for each model with scored runs, of the first score whose direction is known, and a small one for
    each of them; None where there is none."""
    measures = score_measures(entries)
    measure = next((score for score in measures if score.higher_is_better is not None), None)
    members = _by_model(entries)
    if measure is None or len(members) < 2:
        return None
    name = clipped(measure.name, 40)
    subject = _Subject(name, "scored", dimension_of(entries).value, question)
    points = _named(
        [_scored_point(model, runs, measure, question) for model, runs in members.items()]
    )
    if len(points) < 2:
        return subject.too_few(points)
    runs = _runs_of_score(points, measure)
    costs = [row["cost_usd"] for row in runs]
    values = [row["score"] for row in runs]
    if min(values) < 0:
        return f"Cost against {name}: some scores are below zero."
    if not max(values) or not max(costs):
        return f"Cost against {name}: all is zero."
    sign = 1 if measure.lower_is_better else -1
    points.sort(key=lambda point: (point.usd, sign * point.value))
    field = Field(_axis_over(costs), _axis_over(values), points, not measure.lower_is_better)
    column = figures.score_column(clipped(measure.unit or "", 12), values)
    return _finding_of_score(field, runs, subject, measure, column, _colors(points, color))


def _finding_of_score(
    field: Field,
    runs: list[Row],
    subject: _Subject,
    measure: ScoreMeasure,
    column: FigureFormat,
    colors: ModelColors,
) -> Finding:
    x, y, points = field.x, field.y, field.points
    is_dense = len(runs) > findings.MAX_DOTS
    dots: list[Spot] = []
    if is_dense:
        runs = findings.joined(runs, ("configuration",), "cost_usd", "score", x, y)
    else:
        dots = [(x.share(row["cost_usd"]), y.share(row["score"])) for row in runs]
    names = field.offsets(dots)
    means = []
    for point in points:
        means.append(field.row(point, names, "mean_score") | {"scored_runs": len(point.runs)})
    mean = "Geometric mean" if measure.is_ratio else "Mean"
    against = f"{mean} {subject.name} against the mean cost of a run"
    remark = tasks_remark(point.runs for point in points)
    y_title = f"mean {_name_on_axis(measure)}{_UNITS.get(measure.unit or '', '')}"
    return Finding(
        title=_title_of_score(points, measure, column),
        note=f"Small dots: runs; large: means with 95% intervals{remark}.",
        method=f"{against}, {subject.base(points, means)}",
        legend=() if names else colors.legend,
        table=_table_of_score(points, subject, column),
        data={"runs": runs, "means": means},
        plot=replace(field.plot(colors), is_dense=is_dense, y_title=y_title),
        whole="Means of all runs",
        brush_x=("cost_usd",),
    )


def _name_on_axis(measure: ScoreMeasure) -> str:
    """Return the name of a score where it is plain words, since titles come near expressions; else `score`."""
    words = clipped(in_words(measure.name), 30)
    return words if _PLAIN_WORDS.fullmatch(words) else "score"


def _scored_point(
    model: str, entries: Sequence[Entry], measure: ScoreMeasure, question: Question
) -> ModelPoint:
    runs = [entry for entry in entries if measure.of(entry) is not None]
    score = spread(runs, measure, question)
    cost = spread(entries, Measure.COST, question)
    return ModelPoint(model, runs, cost, score.mean or 0.0, score.interval, score)


def _runs_of_score(points: Sequence[ModelPoint], measure: ScoreMeasure) -> list[Row]:
    """Return a row for each run with a cost and the score."""
    rows = []
    for point in points:
        for entry in point.runs:
            if entry.run.cost_usd is None:
                continue
            row = findings.run_row(
                entry,
                configuration=known(row_of(entry)),
                cost_usd=entry.run.cost_usd,
                score=measure.of(entry),
                outcome=str(entry.outcome or findings.NOT_KNOWN),
            )
            rows.append(row)
    order = ("configuration", "cost_usd", "score", "page")
    return sorted(rows, key=itemgetter(*order))


def _axis_over(values: Sequence[float]) -> Axis:
    return Axis.over(values, min(values) > 0 and is_wide(values))


def _title_of_score(
    points: Sequence[ModelPoint], measure: ScoreMeasure, column: FigureFormat
) -> str:
    unit = clipped(measure.unit or "", 12)
    if unit and unit not in _UNITS:
        unit = f" {unit}"
    best, other = _best_and_other(points, min if measure.lower_is_better else max)
    ends = []
    for point in (best, other):
        ends.append(f"{column.write(point.value)}{unit} at {point.price} per run")
    name = clipped(measure.name, 40)
    first = f"{label(best.model)} reached a mean {name} of {ends[0]}"
    return f"{first}, {label(other.model)} {ends[1]}"


def _table_of_score(
    points: Sequence[ModelPoint], subject: _Subject, column: FigureFormat
) -> ChartTable:
    rows = []
    for point in points:
        numbers = [point.value, *interval_ends(point.interval)]
        if point.score:
            numbers += [point.score.median, point.score.best]
        rows.append(list(map(column.write, numbers)))
    name, title = subject.name, as_title(subject.name)
    heads = [f"Mean {name}", f"{title}, 95% from", f"{title}, 95% to"]
    heads += [f"Median {name}", f"Best {name}"]
    return subject.table(points, list(map(column.head, heads)), rows)


def _is_cut(mean: Row) -> bool:
    """Return whether an interval of a point goes on beyond the edge."""
    ends = [end for column, end in mean.items() if "_below" in column or "_above" in column]
    return any(end is not None for end in ends)


def _by_model(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    """Return runs by what they are compared as, where that is known."""
    members = by_row(entries)
    members.pop("", None)
    return members


def _named(points: Iterable[ModelPoint]) -> list[ModelPoint]:
    """Return those of the points that have any run with a cost, with the names that they have in the drawing."""
    priced = [point for point in points if point.is_priced]
    names = findings.shortened_apart([label(point.model) for point in priced], 28)
    return [replace(point, name=name) for point, name in zip(priced, names, strict=True)]


def _colors(points: Sequence[ModelPoint], color: Callable[[str], str]) -> ModelColors:
    return ModelColors.of({point.model: len(point.runs) for point in points}, color)


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
    rate, other_rate = (percent(point.passed, len(point.runs)) for point in (best, other))
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
        sign = 1 if self.higher_is_better else -1
        front: list[ModelPoint] = []
        for point in self.points:
            if not front or sign * point.value > sign * front[-1].value:
                front.append(point)
        return front

    def plot(self, colors: ModelColors) -> Plot:
        """Return what the spec of the chart needs."""
        money = findings.money_format(point.usd for point in self.points)
        return Plot(
            frame=FRAME, height=HEIGHT, x=self.x, y=self.y, colors=colors.named, money=money
        )

    def offsets(self, further: Iterable[Spot] = ()) -> dict[str, Row]:
        """Return where the names of points stand, those of the frontier first, clear of further dots; nowhere where one
        finds no room."""
        front = self.front
        behind = [point for point in self.points if point not in front]
        names: list[tuple[str, str, Spot]] = []
        lines: list[tuple[Spot, Spot]] = []
        for point in (*reversed(front), *behind):
            x, y = self.x.share(point.usd), self.y.share(point.value)
            names.append((point.model, point.name, (x, y)))
            if ends := point.cost.interval:
                lines.append(((self.x.held(ends.low), y), (self.x.held(ends.high), y)))
            if ends := point.interval:
                lines.append(((x, self.y.held(ends.low)), (x, self.y.held(ends.high))))
        dots = [spot for _, _, spot in names]
        places = [(align, dy) for dy in (-10, 10, -26, 26) for align in ("left", "right")]
        return offsets_of_names(names, [*dots, *further], lines, places, HEIGHT)

    def row(self, point: ModelPoint, names: Mapping[str, Row], value: str) -> Row:
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
        }
