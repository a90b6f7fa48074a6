"""Is the dear one worth it? The mean cost of a run against the share that passed, a dot for each model, with the
95 % intervals of both and a dashed line through the models that no cheaper one beats.

Both figures are of the same runs: those whose outcome is about the task, for the mean as far as they report a cost. A
run that its surroundings ended says nothing about the model, and its cost, often near nothing, would make the model
look cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from sitegen import figures
from sitegen.charts.axes import Axis, is_wide
from sitegen.charts.findings import (
    Finding,
    ModelColors,
    Table,
    by_model,
    clipped,
    dollar_ticks,
    interval_ends,
    label,
    tasks_remark,
)
from sitegen.charts.frames import COST_BY_SUCCESS, Row
from sitegen.charts.labels import Place, Plot
from sitegen.model import Entry
from sitegen.numbers.clusters import Question
from sitegen.numbers.intervals import Interval
from sitegen.numbers.statistics import Measure, spread
from sitegen.numbers.success import Judgement, judgement, success

_HEIGHT = 240
_JUDGED = (Judgement.PASSED, Judgement.PARTIAL, Judgement.FAILED)
_MOST_DRAWN = 2
"""An interval is drawn up to so many times its mean, or a model of few runs would press the others to the left."""


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
    def dollars(self) -> tuple[float, ...]:
        """The mean cost, and the ends of its interval where it has one, as far as they are drawn."""
        if self.usd_interval is None:
            return (self.usd,)
        return self.usd, self.usd_interval.low, min(self.usd_interval.high, _MOST_DRAWN * self.usd)

    @property
    def tip(self) -> str:
        """What its tooltip says."""
        cost = f"{figures.money(self.usd)} a run"
        if self.usd_interval:
            cost += f", {figures.from_to(self.usd_interval.low, self.usd_interval.high, figures.money)}"
        passed = f"{self.passed:,} of {len(self.runs):,} passed, {_percents(self.rate_interval)}"
        return f"{label(self.model)}\n{passed}\n{cost}"


def cost_by_success(
    entries: Sequence[Entry], color: Callable[[str], str], question: Question = Question.TASKS_LIKE_THESE
) -> Finding | str | None:
    """A dot for each model with judged runs; None where no run has an outcome, or all have the same model."""
    members = by_model(entries)
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
    front = _front(drawn)
    colors = ModelColors.of({mark.model: len(mark.runs) for mark in drawn}, color)
    x = Axis.over([usd for mark in drawn for usd in mark.dollars if usd or not logarithmic], logarithmic)
    y = Axis(0.0, 1.0, logarithmic=False)
    names = _names(drawn, front, x, y)
    money = figures.money_column(mark.usd for mark in marks)
    return Finding(
        id="cost-by-success",
        frame=COST_BY_SUCCESS,
        title=_title(marks),
        note=_note(marks, drawn, front, names, question, logarithmic=logarithmic),
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
        data=_data(drawn, front, names, colors, x),
        height=_HEIGHT,
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


def _front(marks: Sequence[_Mark]) -> list[_Mark]:
    """The models that no cheaper one beats. `marks` ascend by cost, then descend by success."""
    front: list[_Mark] = []
    for mark in marks:
        if not front or mark.rate > front[-1].rate:
            front.append(mark)
    return front


def _title(marks: Sequence[_Mark]) -> str:
    """The two ends of the frontier; that one is better than the other is for a comparison of the same tasks to say, so
    where intervals overlap, the title speaks of these runs only. `marks` ascend by cost."""
    front = _front(marks)
    cheap, best = front[0], front[-1]
    if cheap is best:
        least, most = ("less", "more") if len(marks) == 2 else ("least", "most")
        usd = figures.money(best.usd)
        where = "In these runs " if any(_overlap(best, mark) for mark in marks if mark is not best) else ""
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


def _percents(interval: Interval) -> str:
    return f"{figures.shares(interval.low, 1.0, 0)} to {figures.percent(interval.high, 1.0)}"


def _note(
    marks: Sequence[_Mark],
    drawn: Sequence[_Mark],
    front: Sequence[_Mark],
    names: Mapping[str, Place],
    question: Question,
    *,
    logarithmic: bool,
) -> str:
    runs = sum(len(mark.runs) for mark in marks)
    unpriced = runs - sum(mark.priced for mark in marks)
    note = f"Passed runs against the mean cost of a run{', log scale' if logarithmic else ''}, "
    note += f"{figures.plural(runs, 'judged run')} of {len(marks)} models, with 95% intervals for {question}"
    if any(_overlap(*pair) for pair in combinations(marks, 2)):
        note += ": where they overlap, other runs could turn the order of the models round"
    if any(mark.usd_interval and mark.usd_interval.high > _MOST_DRAWN * mark.usd for mark in drawn):
        note += "; those of costs are cut at twice the mean, the numbers have them whole"
    if unpriced:
        note += f"; the means are without {unpriced:,} that report{'s' if unpriced == 1 else ''} no cost"
    if len(front) > 1:
        note += ". Dashed: models that no cheaper one beats"
    note += tasks_remark([mark.runs for mark in marks])
    if len(drawn) < len(marks):
        note += f". Not drawn: {figures.plural(len(marks) - len(drawn), 'model')} that cost nothing"
    if unnamed := len(drawn) - len(names):
        note += f". {figures.plural(unnamed, 'dot')} without room for a name"
    return f"{note}."


def _overlap(one: _Mark, other: _Mark) -> bool:
    """Whether the intervals of two models overlap, of their cost or of their success."""
    pairs = [(one.rate_interval, other.rate_interval), (one.usd_interval, other.usd_interval)]
    return any(a and b and a.low <= b.high and b.low <= a.high for a, b in pairs)


def _data(
    drawn: Sequence[_Mark],
    front: Sequence[_Mark],
    names: Mapping[str, Place],
    colors: ModelColors,
    x: Axis,
) -> dict[str, list[Row]]:
    """The frontier, intervals, dots and their names, and the labels of the ticks."""
    data: dict[str, list[Row]] = {
        "frontier": [{"usd": mark.usd, "rate": mark.rate} for mark in front] if len(front) > 1 else [],
        "costs": [], "rates": [], "dots": [], "names_left": [], "names_right": [],
    }  # fmt: skip
    for mark in drawn:
        at: Row = {"usd": mark.usd, "rate": mark.rate, "color": colors.colors[mark.model], "model": mark.model}
        if mark.usd_interval:
            _, *ends = mark.dollars
            low, high = (max(end, x.low) for end in ends)
            data["costs"].append(at | {"start": low, "end": high})
        data["rates"].append(at | {"start": mark.rate_interval.low, "end": mark.rate_interval.high})
        data["dots"].append(at | {"tip": mark.tip})
        if name := names.get(mark.model):
            place: Row = {"usd": mark.usd, "rate": 1 - name.y / _HEIGHT, "text": name.text}
            data[f"names_{name.side}"].append(place | {"model": mark.model})
    data |= COST_BY_SUCCESS.tick_rows("cost_ticks", "usd", dollar_ticks(x), x)
    data["rate_ticks"] = [{"rate": tick / 4, "text": f"{25 * tick}%"} for tick in range(5)]
    return data


def _names(drawn: Sequence[_Mark], front: Sequence[_Mark], x: Axis, y: Axis) -> dict[str, Place]:
    """Places for names, clear of dots, lines and each other, those of the frontier first; none for a dot where there
    is no room."""
    points = [*_points(drawn, front, x, y)]
    plot = Plot(COST_BY_SUCCESS, _HEIGHT)
    placed: dict[str, Place] = {}
    for mark in [*reversed(front), *(mark for mark in drawn if mark not in front)]:
        text, across, down = clipped(label(mark.model), 16), x.share(mark.usd), _HEIGHT * (1 - y.share(mark.rate))
        places = [
            Place(text, side, across, down + shift, 9) for shift in (-10, 10, -26, 26) for side in ("right", "left")
        ]
        if best := plot.best(places, points, list(placed.values())):
            placed[mark.model] = best
    return placed


def _points(drawn: Sequence[_Mark], front: Sequence[_Mark], x: Axis, y: Axis) -> Iterator[tuple[float, float]]:
    """Points of all dots and lines: share of the plot's width, and pixels from its top."""
    lines: list[tuple[float, float, float, float]] = []
    for mark in drawn:
        across, rates = x.share(mark.usd), mark.rate_interval
        lines.append((across, across, rates.low, rates.high))
        if mark.usd_interval:
            _, *ends = mark.dollars
            low, high = (x.share(max(end, x.low)) for end in ends)
            lines.append((low, high, mark.rate, mark.rate))
    for mark, following in pairwise(front):
        start, end = x.share(mark.usd), x.share(following.usd)
        lines += [(start, end, mark.rate, mark.rate), (end, end, mark.rate, following.rate)]
    for left, right, low, high in lines:
        for i in range(41):
            yield left + (right - left) * i / 40, _HEIGHT * (1 - y.share(low + (high - low) * i / 40))
