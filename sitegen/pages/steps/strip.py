"""The picture of a run: calls in lanes by kind, parts, failures and compactions, and below them context and cost.

It is drawn along time, steps or cost. Positions are per cent of its width, so that words keep the size of the page.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sitegen import figures
from sitegen.pages.steps.story import Mark, Story
from sitegen.steps import ToolKind

IDLE_MS = 300_000
"""A longer time in which nothing happens is shortened."""
_SHORTENED = 0.012
"""Its width, as a share of the time in which something happens."""
MOST_LANES = 8
"""Subagents that have a lane of their own."""
_COLUMNS = 10_000
"""Of a lane, as its paths count them."""
_NARROWEST = 12
"""Columns of a call that took no time: a little more than a pixel."""
_POINTS = 600
"""Of the curves of context and cost, at most."""
_ROW, _TOP = 20, 16
_MOST_CROSSES = 200
KIND_LABELS = {
    ToolKind.READ: "Read", ToolKind.SEARCH: "Search", ToolKind.EDIT: "Edit", ToolKind.RUN: "Run",
    ToolKind.FETCH: "Fetch", ToolKind.TASK: "Task", ToolKind.WAIT: "Wait", ToolKind.OTHER: "Other",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class LaneView:
    """A row of calls: its bars as one path for each kind."""

    label: str
    y: int
    bars: tuple[tuple[str, str], ...]
    """Kind and path, in columns and rows of 10."""


@dataclass(frozen=True, slots=True)
class BandView:
    """A part of the session, shaded or not."""

    x: str
    width: str
    middle: str
    label: str
    is_shaded: bool


@dataclass(frozen=True, slots=True)
class TickView:
    """A word at a position; `anchor` is a class."""

    x: str
    text: str
    anchor: str


@dataclass(frozen=True, slots=True)
class StripView:
    """The picture along one axis."""

    axis: str
    label: str
    """For who does not see it."""
    lanes: tuple[LaneView, ...]
    bands: tuple[BandView, ...]
    crosses: tuple[tuple[str, int], ...]
    gaps: tuple[TickView, ...]
    """Where time is shortened, and by how much."""
    compactions: tuple[str, ...]
    context: str | None
    context_label: str
    cost: str | None
    cost_label: str
    ticks: tuple[TickView, ...]
    lanes_height: int
    height: int


@dataclass(frozen=True, slots=True)
class _Axis:
    """Where a step, a time and a cost lie, from 0 to 1."""

    name: str
    of_mark: Callable[[Mark], tuple[float, float]]
    of_point: Callable[[int, int | None, float], float]
    ticks: tuple[TickView, ...]
    gaps: tuple[TickView, ...] = ()


def strips(story: Story, cost_usd: float | None, *, total: int) -> tuple[StripView, ...]:
    """The picture along each axis that the file has; `total` is the number of steps."""
    scale = cost_usd / story.spent if cost_usd and story.spent and story.is_priced else None
    axes = [_time_axis(story), _step_axis(total), _cost_axis(story, scale)]
    return tuple(_strip(story, axis, scale) for axis in axes if axis)


def _strip(story: Story, axis: _Axis, scale: float | None) -> StripView:
    lanes = _lanes(story, axis)
    lanes_height = _TOP + len(lanes) * _ROW
    y_of = {lane.label: lane.y for lane in lanes}
    crosses = dict.fromkeys(
        (_percent(sum(axis.of_mark(mark)) / 2), y_of[_lane_of(mark, story)])
        for mark in story.marks
        if mark.failed and _lane_of(mark, story) in y_of
    )
    points = [(axis.of_point(each.number, each.at_ms, each.spent), each) for each in story.messages]
    context = _curve([(x, each.context) for x, each in points], story.context_peak) if story.context_peak else None
    cost = _curve([(x, each.spent) for x, each in points], story.spent) if scale and axis.name != "cost" else None
    height = lanes_height + 56 * (context is not None) + 56 * (cost is not None) + 26
    return StripView(
        axis=axis.name,
        label=f"{figures.plural(story.calls, 'tool call')} in {len(lanes)} lanes along {axis.name}.",
        lanes=lanes,
        bands=_bands(story, axis, scale),
        crosses=tuple(crosses)[:_MOST_CROSSES],
        gaps=axis.gaps,
        compactions=tuple(_percent(axis.of_point(number, None, 0)) for number in story.compactions)
        if axis.name == "steps"
        else (),
        context=context,
        context_label=figures.count_short(story.context_peak),
        cost=cost,
        cost_label=figures.money(scale * story.spent) if scale else "",
        ticks=axis.ticks,
        lanes_height=lanes_height,
        height=height,
    )


def _lanes(story: Story, axis: _Axis) -> tuple[LaneView, ...]:
    """A lane for each kind of the main agent, and one for each subagent."""
    bars: dict[str, dict[ToolKind, list[tuple[int, int]]]] = {}
    for kind in ToolKind:
        if any(mark.kind is kind and mark.lane == 0 for mark in story.marks):
            bars[KIND_LABELS[kind]] = {}
    for mark in story.marks:
        lane = _lane_of(mark, story)
        if mark.lane and lane not in bars and len(bars) >= len(ToolKind) + MOST_LANES:
            continue
        begin, end = axis.of_mark(mark)
        column = round(begin * _COLUMNS)
        width = max(round((end - begin) * _COLUMNS), _NARROWEST)
        bars.setdefault(lane, {}).setdefault(mark.kind, []).append((min(column, _COLUMNS - _NARROWEST), width))
    return tuple(
        LaneView(label, _TOP + number * _ROW, tuple((kind.value, _path(found)) for kind, found in by_kind.items()))
        for number, (label, by_kind) in enumerate(bars.items())
    )


def _lane_of(mark: Mark, story: Story) -> str:
    if mark.lane == 0:
        return KIND_LABELS[mark.kind]
    return "Subagent" if len(story.lanes) == 2 else f"Subagent {mark.lane}"


def _path(bars: list[tuple[int, int]]) -> str:
    """Bars as one path; those that touch are one."""
    drawn: list[tuple[int, int]] = []
    for column, width in sorted(bars):
        if drawn and column <= sum(drawn[-1]):
            drawn[-1] = drawn[-1][0], max(sum(drawn[-1]), column + width) - drawn[-1][0]
        else:
            drawn.append((column, width))
    return "".join(f"M{column} 0h{width}v10h-{width}z" for column, width in drawn)


def _curve(points: Sequence[tuple[float, float]], most: float) -> str:
    """A line that rises in steps, as a path in 1000 by 100, with the last value of each of its columns."""
    by_column: dict[int, float] = {}
    for x, value in points:
        by_column[round(x * _POINTS)] = value
    drawn = "".join(
        f"H{column * 1000 / _POINTS:.4g}V{100 - 100 * value / most:.4g}" for column, value in sorted(by_column.items())
    )
    return f"M0 100{drawn}H1000"


def _bands(story: Story, axis: _Axis, scale: float | None) -> tuple[BandView, ...]:
    """The parts of the session, where it has several."""
    parts = [part for part in story.parts if part.calls or part.steps > 1]
    if len(parts) < 2 or len(parts) > 26:
        return ()
    bands, spent = [], 0.0
    for number, part in enumerate(parts):
        x = axis.of_point(part.first, part.begin_ms, spent) if number else 0.0
        spent += part.spent
        following = parts[number + 1] if number + 1 < len(parts) else None
        end = axis.of_point(following.first, following.begin_ms, spent) if following else 1.0
        label = chr(ord("A") + number)
        if scale and end - x > 0.1:
            label += f" {figures.money(scale * part.spent)}"
        middle = _percent((x + end) / 2)
        bands.append(BandView(_percent(x), _percent(end - x), middle, label if end - x > 0.02 else "", bool(number % 2)))
    return tuple(bands)


def _step_axis(total: int) -> _Axis:
    last = max(total, 1)
    ticks = [TickView("0%", "step 1", "")] + [TickView(_percent(at / last), figures.count(at), "c") for at in _round_ticks(last)]
    return _Axis(
        "steps",
        lambda mark: (mark.number / last, (mark.number + 1) / last),
        lambda number, at_ms, spent: number / last,
        tuple(ticks),
    )


def _cost_axis(story: Story, scale: float | None) -> _Axis | None:
    if scale is None:
        return None
    whole = story.spent
    at = [step / 4 for step in range(1, 4)]
    ticks = [TickView("0%", "$0", ""), *(TickView(_percent(x), figures.money(x * whole * scale), "c") for x in at)]

    def of_mark(mark: Mark) -> tuple[float, float]:
        return min(mark.spent / whole, 1), min(mark.spent / whole, 1)

    return _Axis("cost", of_mark, lambda number, at_ms, spent: min(spent / whole, 1), tuple(ticks))


def _time_axis(story: Story) -> _Axis | None:
    """Along time, with what is idle shortened; None where the file states too few times."""
    timed = [mark for mark in story.marks if mark.begin_ms is not None and mark.end_ms is not None]
    if story.first_ms is None or story.last_ms is None or story.last_ms <= story.first_ms or not timed:
        return None
    first, last = story.first_ms, story.last_ms
    busy = sorted((mark.begin_ms or 0, mark.end_ms or 0) for mark in timed)
    busy += [(each.at_ms, each.at_ms) for each in story.messages if each.at_ms is not None]
    idle, until = [], first
    for begin, end in sorted(busy):
        if begin - until > IDLE_MS:
            idle.append((until, begin))
        until = max(until, end)
    active = (last - first) - sum(end - begin for begin, end in idle)
    shortened = _SHORTENED * active
    starts, places, place, at = [first], [0.0], 0.0, first
    for begin, end in idle:
        place += begin - at
        starts.append(begin)
        places.append(place)
        place += shortened
        starts.append(end)
        places.append(place)
        at = end
    whole = place + (last - at)

    def position(moment: int | None) -> float:
        if moment is None or moment <= first:
            return 0.0
        number = bisect_right(starts, moment) - 1
        if number % 2:  # within an idle time
            begin, end = starts[number], starts[number + 1]
            return (places[number] + shortened * (moment - begin) / (end - begin)) / whole
        return min((places[number] + moment - starts[number]) / whole, 1)

    def of_mark(mark: Mark) -> tuple[float, float]:
        begin = position(mark.begin_ms)
        return begin, max(begin, position(mark.end_ms if mark.end_ms is not None else mark.begin_ms))

    gaps = [TickView(_percent((position(b) + position(e)) / 2), f"{figures.duration(e - b)} idle", "c") for b, e in idle]
    minutes = [TickView("0%", "0 min", "")]
    for at_minute in _round_ticks(max((last - first) // 60_000, 1)):
        minutes.append(TickView(_percent(position(first + at_minute * 60_000)), figures.count(at_minute), "c"))
    return _Axis("time", of_mark, lambda number, at_ms, spent: position(at_ms), tuple(_apart(minutes)), tuple(gaps))


def _round_ticks(most: int) -> range:
    """Four to eight round numbers below the most."""
    step = 1
    while most / step > 8:
        step = step * 5 if str(step)[0] == "1" and most / (step * 5) > 3 else step * 2
    return range(step, most + 1, step) if most > step else range(0)


def _apart(ticks: Sequence[TickView]) -> list[TickView]:
    """Those that do not run into the one before."""
    kept: list[TickView] = []
    for tick in ticks:
        x = float(tick.x.rstrip("%"))
        if not kept or x - float(kept[-1].x.rstrip("%")) > 7:
            kept.append(tick)
    return [tick for tick in kept if float(tick.x.rstrip("%")) < 99]


def _percent(share: float) -> str:
    return f"{100 * share:.2f}%"
