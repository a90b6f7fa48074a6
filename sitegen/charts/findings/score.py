"""Does a better score cost more? The mean score of each model against the mean cost of its runs, a small dot for each
run, and a dashed line through the models that no cheaper one beats.

Both figures are of the same runs: those that have the score, for the mean cost as far as they report one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sitegen import figures
from sitegen.charts.axes import Axis, is_wide
from sitegen.charts.findings import (
    DRAWN_MARKS,
    LIVE_MARKS,
    Finding,
    ModelColors,
    Table,
    by_model,
    clean,
    clipped,
    dollar_ticks,
    interval_ends,
    label,
    runs_a_dot,
    thinned,
)
from sitegen.charts.findings.points import CUT, HEIGHT, Field, Point, note_of
from sitegen.charts.frames import Frame, Row
from sitegen.figures import outcome_view
from sitegen.model import Entry
from sitegen.names import run_path
from sitegen.numbers.clusters import Question
from sitegen.numbers.scores import ScoreFigure, ScoreMeasure, score_figure, score_measures, scored
from sitegen.numbers.statistics import Measure, Spread, spread

FRAME = Frame(left=52, right=14, top=26, bottom=40)


@dataclass(frozen=True, slots=True)
class _Mark:
    """One model among dollars and scores."""

    point: Point
    runs: tuple[Entry, ...]
    """Those that have the score."""
    score: ScoreFigure
    cost: Spread


def cost_by_score(
    entries: Sequence[Entry], color: Callable[[str], str], question: Question = Question.TASKS_LIKE_THESE
) -> Finding | str | None:
    """A dot for each model with scored runs, of the first score whose direction is known; None where there is none."""
    measure = next((each for each in score_measures(entries) if each.higher_is_better is not None), None)
    members = {model: runs for model, runs in by_model(entries).items() if model}
    if measure is None or len(members) < 2:
        return None
    name = clipped(measure.name, 40)
    marks = [mark for model, group in members.items() if (mark := _mark(model, group, measure, question))]
    if len(marks) < 2:
        return f"Cost against {name}: {'only one model has' if marks else 'no model has'} scored runs with a cost."
    dots = sorted((dot for mark in marks for dot in _dots(mark, measure)), key=lambda dot: dot[:2])
    usd, values = [dot[0] for dot in dots], [dot[1] for dot in dots]
    if min(values) < 0 or not max(values) or not max(usd):
        return f"Cost against {name}: {'some scores are below' if min(values) < 0 else 'all is'} zero."
    log_x, log_y = min(usd) > 0 and is_wide(usd), min(values) > 0 and is_wide(values)
    x, y = Axis.over(usd, log_x), Axis.over(values, log_y)
    marks.sort(key=lambda mark: (mark.point.usd, mark.point.value * (1 if measure.lower_is_better else -1)))
    colors = ModelColors.of({mark.point.model: len(mark.runs) for mark in marks}, color)
    points = [mark.point for mark in marks]
    field = Field.of(FRAME, x, y, points, measure.higher_is_better)
    money, column = figures.money_column(mark.point.usd for mark in marks), _column(measure, values)
    rows: list[Row] = [
        {"usd": usd, "value": value, "href": href, "color": colors.colors[model], "tip": tip}
        for usd, value, href, model, tip in dots
    ]
    live, drawn = ([*thinned(rows, runs_a_dot([len(rows)], most))] for most in (LIVE_MARKS, DRAWN_MARKS))
    ticks = FRAME.tick_rows("cost_ticks", "usd", dollar_ticks(x), x)
    ticks["value_ticks"] = [{"value": tick, "text": f"{tick:,.6g}{_unit(measure)}"} for tick in y.ticks()]
    taken = [(x.share(dot[0]), HEIGHT * (1 - y.share(dot[1]))) for dot in dots]
    return Finding(
        id="cost-by-score",
        frame=FRAME,
        title=_title(marks, measure, name, column),
        note=note_of("Small dots: runs; large: means with 95% intervals", points, [mark.runs for mark in marks]),
        method=_method(marks, measure, name, question, is_cut=field.has_cut),
        description=f"Dots: mean cost of a run against mean {name}, {figures.plural(len(marks), 'model')}.",
        table=Table.of(
            marks,
            {"Model": lambda mark: label(mark.point.model)},
            {
                "Scored": lambda mark: figures.count(mark.score.known),
                column.head(f"Mean {name}"): lambda mark: column.write(mark.score.mean),
                "95% from": lambda mark: column.write(interval_ends(mark.score.interval)[0]),
                "95% to": lambda mark: column.write(interval_ends(mark.score.interval)[1]),
                column.head("Median"): lambda mark: column.write(mark.score.median),
                column.head("Best"): lambda mark: column.write(mark.score.best),
                money.head("Mean cost"): lambda mark: money.write(mark.cost.mean),
                money.head("Cost, 95% from"): lambda mark: money.write(interval_ends(mark.cost.interval)[0]),
                money.head("Cost, 95% to"): lambda mark: money.write(interval_ends(mark.cost.interval)[1]),
            },
        ),
        data={"runs": live, **field.data(colors, field.names(taken)), **ticks},
        drawn={"runs": drawn} if len(drawn) < len(live) else {},
        height=HEIGHT,
        x=x,
        y=y,
        whole="Means of all runs",
        brush_x=("cost_usd",),
    )


def _mark(model: str, group: Sequence[Entry], measure: ScoreMeasure, question: Question) -> _Mark | None:
    """None where no run of the model has the score, or none of those reports a cost."""
    runs = tuple(entry for entry in group if scored(entry, measure) is not None)
    score, cost = score_figure(runs, measure, question), spread(runs, Measure.COST, question)
    if score.mean is None or cost.mean is None:
        return None
    column = _column(measure, [score.mean])
    tip = f"{label(model)}\nmean {column.write(score.mean)}{_unit(measure)}, {figures.plural(score.known, 'run')}"
    tip += f"\n{figures.money(cost.mean)} a run"
    return _Mark(Point(model, cost.mean, cost.interval, score.mean, score.interval, tip), runs, score, cost)


_Dot = tuple[float, float, str, str, str]
"""USD, score, page, model and tooltip of a run."""


def _dots(mark: _Mark, measure: ScoreMeasure) -> list[_Dot]:
    """The runs that report a cost."""
    dots = []
    for entry in mark.runs:
        usd, value = entry.run.cost_usd, scored(entry, measure)
        if usd is not None and value is not None:
            outcome = f", {outcome_view(entry.outcome).word}" if entry.outcome else ""
            tip = f"{clean(entry.name)}\n{value:,.6g}{_unit(measure)}{outcome}"
            tip += f", {figures.money(usd)}"
            dots.append((usd, value, run_path(entry.id), mark.point.model, tip))
    return dots


def _column(measure: ScoreMeasure, values: Sequence[float]) -> figures.Column:
    return figures.score_column(clipped(measure.unit or "", 12), values)


def _unit(measure: ScoreMeasure) -> str:
    unit = clipped(measure.unit or "", 12)
    return unit if unit in ("x", "×", "%") else f" {unit}".rstrip()


def _title(marks: Sequence[_Mark], measure: ScoreMeasure, name: str, column: figures.Column) -> str:
    """The best model and the cheapest one, where they are two."""
    cheap = marks[0].point
    best = (min if measure.lower_is_better else max)((mark.point for mark in marks), key=lambda point: point.value)

    def said(point: Point) -> str:
        return f"{column.write(point.value)}{_unit(measure)} at {figures.money(point.usd)} a scored run"

    if best is cheap:
        return f"{label(best.model)} has the best mean {name} and cost least: {said(best)}"
    return f"{label(best.model)} reached a mean {name} of {said(best)}, {label(cheap.model)} {said(cheap)}"


def _method(marks: Sequence[_Mark], measure: ScoreMeasure, name: str, question: Question, *, is_cut: bool) -> str:
    mean = "Geometric mean" if measure.is_ratio else "Mean"
    runs, priced = (sum(count) for count in zip(*((mark.score.known, mark.cost.known) for mark in marks), strict=True))
    note = f"{mean} {name} against the mean cost of {figures.plural(runs, 'scored run')} of {len(marks)} models, "
    note += f"with 95% intervals for {question}{CUT * is_cut}"
    if runs > priced:
        note += f"; {runs - priced:,} of them report{'s' if runs - priced == 1 else ''} no cost"
    return f"{note}. Dashed: models that no cheaper one beats."
