"""Is the dear one worth it? The mean cost of a run against the share that passed, a dot for each model, with the
95 % intervals of both and a dashed line through the models that no cheaper one beats.

Both figures are of the same runs: those whose outcome is about the task, for the mean as far as they report a cost. A
run that its surroundings ended says nothing about the model, and its cost, often near nothing, would make the model
look cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sitegen import figures
from sitegen.charts.axes import Axis, is_wide
from sitegen.charts.findings import (
    Finding,
    ModelColors,
    Table,
    by_model,
    dollar_ticks,
    interval_ends,
    label,
)
from sitegen.charts.findings.points import CUT, HEIGHT, Field, Point, note_of
from sitegen.charts.frames import Frame, Row
from sitegen.model import Entry
from sitegen.numbers.clusters import Question
from sitegen.numbers.intervals import Interval
from sitegen.numbers.statistics import Measure, spread
from sitegen.numbers.success import Judgement, judgement, success

FRAME = Frame(left=52, right=14, top=26, bottom=40)
_JUDGED = (Judgement.PASSED, Judgement.PARTIAL, Judgement.FAILED)


@dataclass(frozen=True, slots=True)
class _Mark:
    """One model among dollars and success."""

    model: str
    runs: tuple[Entry, ...]
    """Those that were judged."""
    passed: int
    priced: int
    """How many of those runs report a cost."""
    usd: float
    """Mean cost of these."""
    usd_interval: Interval | None
    rate: float
    rate_interval: Interval

    @property
    def is_priced(self) -> bool:
        """Whether most of its runs report a cost, so that it can be ranked by it."""
        return 2 * self.priced > len(self.runs)

    @property
    def point(self) -> Point:
        """What is drawn of it."""
        return Point(self.model, self.usd, self.usd_interval, self.rate, self.rate_interval, self.tip)

    @property
    def tip(self) -> str:
        """What its tooltip says."""
        cost = f"{figures.money(self.usd)} a run"
        if self.usd_interval:
            cost += f", {figures.from_to(self.usd_interval.low, self.usd_interval.high, figures.money)}"
        passed = f"{self.passed:,} of {len(self.runs):,} passed, "
        passed += f"{figures.shares(self.rate_interval.low, 1.0, 0)} to {figures.percent(self.rate_interval.high, 1.0)}"
        return f"{label(self.model)}\n{passed}\n{cost}"


def cost_by_success(
    entries: Sequence[Entry], color: Callable[[str], str], question: Question = Question.TASKS_LIKE_THESE
) -> Finding | str | None:
    """A dot for each model with judged runs; None where no run has an outcome, or all have the same model."""
    members = {model: runs for model, runs in by_model(entries).items() if model}
    if len(members) < 2 or all(entry.outcome is None for entry in entries):
        return None
    marks = [mark for model, group in members.items() if (mark := _mark(model, group, question))]
    if len(marks) < 2:
        return f"Cost against success: {'only one model has' if marks else 'no model has'} judged runs with a cost."
    positive = [mark.usd for mark in marks if mark.usd]
    if not positive:
        return "Cost against success: the judged runs cost nothing."
    logarithmic = is_wide(positive)
    marks.sort(key=lambda mark: (mark.usd, -mark.rate, mark.model))
    drawn = [mark for mark in marks if mark.usd or not logarithmic]
    colors = ModelColors.of({mark.model: len(mark.runs) for mark in drawn}, color)
    points = [mark.point for mark in drawn]
    x = Axis.over([usd for point in points for usd in point.dollars if usd or not logarithmic], logarithmic)
    y = Axis(0.0, 1.0, logarithmic=False)
    field = Field.of(FRAME, x, y, points, higher_is_better=True)
    names = field.names()
    ticks: dict[str, list[Row]] = {"value_ticks": [{"value": tick / 4, "text": f"{25 * tick}%"} for tick in range(5)]}
    money = figures.money_column(mark.usd for mark in marks)
    return Finding(
        id="cost-by-success",
        frame=FRAME,
        title=_title([mark for mark in marks if mark.is_priced]),
        note=note_of("Means with 95% intervals", [mark.point for mark in marks], [mark.runs for mark in marks]),
        method=_method(marks, field, len(names), question, logarithmic=logarithmic),
        description=f"Dots: mean cost of a run against the share that passed, {figures.plural(len(drawn), 'model')}.",
        table=Table.of(
            marks,
            {"Model": lambda mark: label(mark.model)},
            {
                "Judged": lambda mark: figures.count(len(mark.runs)),
                "Passed": lambda mark: figures.count(mark.passed),
                "Passed, %": lambda mark: figures.shares(mark.passed, len(mark.runs), 0),
                "95% from, %": lambda mark: figures.shares(mark.rate_interval.low, 1.0, 0),
                "95% to, %": lambda mark: figures.shares(mark.rate_interval.high, 1.0, 0),
                money.head("Mean cost"): lambda mark: money.write(mark.usd),
                money.head("95% from"): lambda mark: money.write(interval_ends(mark.usd_interval)[0]),
                money.head("95% to"): lambda mark: money.write(interval_ends(mark.usd_interval)[1]),
            },
        ),
        data=field.data(colors, names) | FRAME.tick_rows("cost_ticks", "usd", dollar_ticks(x), x) | ticks,
        height=HEIGHT,
        x=x,
        y=y,
    )


def _mark(model: str, group: Sequence[Entry], question: Question) -> _Mark | None:
    """None where no run of the model was judged, or none of those reports a cost."""
    runs = tuple(entry for entry in group if judgement(entry) in _JUDGED)
    outcome, cost = success(runs, question), spread(runs, Measure.COST, question)
    if outcome.rate is None or cost.mean is None:
        return None
    rates = outcome.interval or Interval(0.0, 1.0)  # too few tasks to tell: it may be anything
    return _Mark(model, runs, outcome.passed, cost.known, cost.mean, cost.interval, outcome.rate, rates)


def _title(marks: Sequence[_Mark]) -> str:
    """The two ends of the frontier; that one is better than the other is for a comparison of the same tasks to say, so
    where intervals overlap, the title speaks of these runs only. `marks` ascend by cost."""
    if len(marks) < 2:
        return "Too few runs report a cost to rank models by it"
    cheap = best = marks[0]
    for mark in marks:
        best = mark if mark.rate > best.rate else best
    if cheap is best:
        least, most = ("less", "more") if len(marks) == 2 else ("least", "most")
        usd = figures.money(best.usd)
        where = "In these runs " if any(best.point.overlaps(mark.point) for mark in marks if mark is not best) else ""
        cost = f"{where}{label(best.model)} cost {least}, {usd} a judged run"
        if usd == figures.money(marks[1].usd):
            cost = f"A judged run with {label(best.model)} cost {usd}, no more than with any other model"
        if not best.passed:
            return f"{cost}; none passed"
        is_alone = all(_rate(mark) != _rate(best) for mark in marks if mark is not best)
        often = f"passed {most} often," if is_alone else "none passed more often than its"
        return f"{cost}, and {often} {_rate(best)}"
    return (
        f"{label(best.model)} passed {_rate(best)} of its judged runs at {figures.money(best.usd)} each, "
        f"{label(cheap.model)} {_rate(cheap)} at {figures.money(cheap.usd)}"
    )


def _rate(mark: _Mark) -> str:
    return figures.percent(mark.passed, len(mark.runs))


def _method(marks: Sequence[_Mark], field: Field, named: int, question: Question, *, logarithmic: bool) -> str:
    runs = sum(len(mark.runs) for mark in marks)
    unpriced = runs - sum(mark.priced for mark in marks)
    note = f"Passed runs against the mean cost of a run{', log scale' if logarithmic else ''}, "
    note += f"{figures.plural(runs, 'judged run')} of {len(marks)} models, with 95% intervals for {question}"
    if field.has_cut:
        note += CUT
    if unpriced:
        note += f"; the means are without {unpriced:,} that report{'s' if unpriced == 1 else ''} no cost"
    if len(field.front) > 1:
        note += ". Dashed: models that no cheaper one beats"
    if left := len(marks) - len(field.points):
        note += f". Not drawn: {figures.plural(left, 'model')} that cost nothing"
    if unnamed := len(field.points) - named:
        note += f". {figures.plural(unnamed, 'dot')} without room for a name"
    return f"{note}."
