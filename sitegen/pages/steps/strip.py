"""The picture of a run: calls in lanes by kind, parts, failures and compactions, and below them context and cost.

It is drawn along time, steps or cost. Positions are per cent of its width, so that words keep the size of the page.
"""

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from sitegen import figures
from sitegen.html.render import View
from sitegen.masking.redact import in_one_line
from sitegen.model import Part, Run
from sitegen.pages.steps.story import STEPS_PER_PAGE, Mark, Story, page_of
from sitegen.steps import ToolKind

IDLE_MS = 300_000  # a longer idle time is shortened
_SHORTENED = 0.012  # its width, as a share of the active time
MAX_LANES = 8  # the limit on lanes of subagents: of more, the later ones share the last lane
_COLUMNS = 2_000  # the columns of a lane, as its paths count them
_NARROWEST = 3  # columns of a call that took no time: a little more than a pixel
_COLUMNS_PER_LINK = 80
"""Calls of one kind in so many columns of a lane are one link, for readers without scripts."""
MAX_OF_NAME = 80  # characters of a call's name in the data of the strip
_POINTS = 600  # the largest number of points of the curves of context and cost
_ROW = 20
_TOP = 16
_MAX_CROSSES = 1_000
_MAX_LINES = 100  # the largest number of compactions, and of gaps, that are drawn
# The width of a letter below the axis, at most
_LETTER = 0.0115
_LETTER_ON_PHONE = 0.04
KINDS_COUNTED = {
    ToolKind.RUN: ("command", "commands"),
    ToolKind.EDIT: ("edit", "edits"),
    ToolKind.READ: ("read", "reads"),
    ToolKind.SEARCH: ("search", "searches"),
    ToolKind.FETCH: ("fetch", "fetches"),
    ToolKind.TASK: ("subagent", "subagents"),
    ToolKind.WAIT: ("wait", "waits"),
    ToolKind.OTHER: ("other call", "other calls"),
}
KIND_LABELS = {kind: kind.capitalize() for kind in ToolKind}

Label = tuple[float, str, str]
"""A position along the axis, the words there, and their class."""


@dataclass(frozen=True, slots=True)
class StripAxis:
    """The beginning and end of a step along the axis, from 0 to 1."""

    name: str
    ends: Callable[[Mark], tuple[float, float]]
    ticks: Sequence[Label]
    gaps: Sequence[Label] = ()
    per_link: int = _COLUMNS_PER_LINK


Spending = Callable[[float], float]
"""The function from the list price of the steps up to a moment to the reported cost, USD."""


def strips(story: Story, run: Run, base: str) -> tuple[View, ...]:
    """Return the picture of a run along each axis that its file has; the addresses of its steps begin with `base`."""
    spending, axes = _axes(story, run)
    others = (
        replace(axis, per_link=5 * _COLUMNS_PER_LINK) for axis in axes[1:]
    )  # less data for hidden axes
    return tuple(strip(story, axis, run.parts, spending, base) for axis in (*axes[:1], *others))


def _axes(story: Story, run: Run) -> tuple[Spending | None, list[StripAxis]]:
    ends = story.reported(run.parts, run.spent_usd)
    spending = partial(_interpolated, ends) if ends else None
    axes = _time_axis(story), step_axis(story)
    return spending, [axis for axis in axes if axis]


def strip_data(story: Story, run: Run) -> dict[str, object]:
    """Return the steps of the strip for its script, a row for each, with its ends along each axis."""
    spending, axes = _axes(story, run)
    labels = [lane.label for lane in _lanes(story, axes[0], "")]
    rows: list[list[object]] = []
    before = 0.0
    for mark in story.marks:
        lane = labels.index(_lane_of(mark, story)) if mark.kind else None
        ends = (round(end, 4) for axis in axes for end in axis.ends(mark))
        usd = spending(mark.spent) if spending else None
        name = in_one_line(within(run.cwd, mark.name), MAX_OF_NAME)
        rows.append(
            [
                mark.number + 1,
                lane,
                KIND_LABELS[mark.kind] if mark.kind else "",
                name,
                int(mark.failed),
                0 if mark.lane else mark.result_bytes,
                mark.begin_ms,
                mark.end_ms,
                mark.context,
                mark.tokens,
                usd if usd is None else round(usd - before, 6),
                *ends,
            ]
        )
        before = usd or 0.0
    return {
        "axes": [axis.name for axis in axes],
        "lanes": labels,
        "rows": rows,
        "perPage": STEPS_PER_PAGE,
        "start": story.first_ms,
        "isBound": not run.is_total_exact,
        "isCostBound": run.cost_is_lower_bound,
        "compactions": [mark.number + 1 for mark in story.compactions],
    }


def within(folder: str | None, text: str) -> str:
    """Return a path or a command as seen from the folder in which a run worked, the same in each such folder."""
    name = (folder or "").rstrip("/\\")
    if not name:
        return text
    below = rf"(?<![\w.-]){re.escape(name)}([/\\](?=\w)|(?![\w.-]))"
    return re.sub(below, lambda found: "" if found[1] else ".", text)


def _interpolated(ends: Sequence[tuple[float, float]], value: float) -> float:
    """Between two points in proportion."""
    number = min(bisect_right(ends, value, key=lambda end: end[0]), len(ends) - 1)
    (low, at_low), (high, at_high) = ends[number - 1], ends[number]
    return (
        at_low + (at_high - at_low) * (min(value, high) - low) / (high - low)
        if high > low
        else at_high
    )


def strip(
    story: Story, axis: StripAxis, parts: Sequence[Part], spending: Spending | None, base: str
) -> View:
    """Return the picture along one axis; without ticks it is a map, which has lanes alone."""
    lanes = _lanes(story, axis, base)
    y_of = {lane.label: lane.y for lane in lanes}
    crosses = dict.fromkeys(
        (f"{50 * sum(axis.ends(mark)):.1f}%", y_of[_lane_of(mark, story)])
        for mark in story.marks
        if mark.failed
    )
    points = [(axis.ends(mark)[0], mark) for mark in story.marks if mark.context is not None]
    curves = []
    bottom = _TOP + len(lanes) * _ROW
    spend: Spending = spending or (lambda _: 0.0)
    costs = [(x, spend(mark.spent)) for x, mark in points]
    whole = spend(story.spent)
    drawn = (
        (
            "Context",
            "context",
            [(x, mark.context or 0) for x, mark in points],
            story.context.peak,
            figures.count_short,
        ),
        ("Cost", "spent", costs, whole, figures.money),
    )
    for name, css, curve, most, write in drawn if axis.ticks else ():
        if most:
            y = bottom + 6
            path = _curve(curve, most) + ("V100z" if css == "context" else "")
            curves.append(View(name=name, css=css, path=path, y=y, most=write(most)))
            bottom += 56
    compactions = dict.fromkeys(axis.ends(mark)[0] for mark in story.compactions)
    lines = [
        *((x, "compacted") for x in compactions),
        *((x, "gap") for x, *_ in axis.gaps),
    ]
    return View(
        axis=axis.name,
        # The beginning of the addresses of its steps, and of that of its data.
        base=base,
        # The label for those who cannot see it.
        label=f"{figures.plural(story.calls, 'tool call')} in {len(lanes)} lanes along {axis.name}.",
        # The parts of the session, and the lines of compactions and pauses, from the top to the bottom of the picture.
        bands=tuple(_bands(story, axis, parts, spending)),
        lines=tuple(lines[:_MAX_LINES]),
        top=_TOP,
        bottom=bottom,
        # The words below: of the axis, and of pauses.
        words=(*_below(axis.ticks, bottom + 18), *_below(axis.gaps, bottom + 34)),
        lanes=lanes,
        crosses=tuple(crosses)[:_MAX_CROSSES],
        # The idle times that are shortened, longest first.
        gaps=tuple(text for _, text, _ in axis.gaps),
        # The length of the run; 0 where it is unknown.
        minutes=math.ceil(((story.last_ms or 0) - (story.first_ms or 0)) / 60_000),
        # The curves of context and cost.
        curves=tuple(curves),
        height=bottom + (42 if axis.gaps else 26 if axis.ticks else 4),
    )


def _below(wanted: Iterable[Label], y: int) -> Iterator[tuple[str, str, float, int, int]]:
    """Yield the words that have room in a line, the first of them first; some have room on a wide screen alone."""
    on_screen: list[tuple[float, float]] = []
    on_phone: list[tuple[float, float]] = []
    for x, text, css in wanted:
        if _takes(on_screen, (x, text, css), _LETTER):
            more = "" if _takes(on_phone, (x, text, css), _LETTER_ON_PHONE) else " wide"
            yield css + more, text, x, y, {"c": 0, "e": -3}.get(css, 3 if x else 0)


def _takes(taken: list[tuple[float, float]], label: Label, letter_width: float) -> bool:
    """Take the room of a label, if none of it is taken."""
    x, text, css = label
    width = letter_width * (len(text) + 1)
    begin = x - width * {"c": 0.5, "e": 1}.get(css, 0)
    is_free = all(begin + width <= low or high <= begin for low, high in taken)
    if is_free:
        taken.append((begin, begin + width))
    return is_free


def _lanes(story: Story, axis: StripAxis, base: str) -> tuple[View, ...]:
    """Return a lane for each kind of the main agent, and one for each subagent."""
    of_kinds = {mark.kind for mark in story.marks if not mark.lane}
    lanes: dict[str, dict[tuple[str, int], list[tuple[int, int]]]] = {
        label: {} for kind, label in KIND_LABELS.items() if kind in of_kinds
    }
    firsts: dict[tuple[str, str, int], str] = {}
    for mark in story.marks:
        if mark.kind:
            lane = _lane_of(mark, story)
            begin, end = axis.ends(mark)
            column = min(round(begin * _COLUMNS), _COLUMNS - _NARROWEST)
            group = mark.kind.value, column // axis.per_link
            bar = column, max(round((end - begin) * _COLUMNS), _NARROWEST)
            lanes.setdefault(lane, {}).setdefault(group, []).append(bar)
            firsts.setdefault(
                (lane, *group), f"{base}{page_of(mark.number)}.html#s{mark.number + 1}"
            )
    found = []
    for number, (label, groups) in enumerate(lanes.items()):
        drawn = ((group[0], _path(bars), firsts[label, *group]) for group, bars in groups.items())
        found.append(View(label=label, y=_TOP + number * _ROW, bars=tuple(drawn)))
    return tuple(found)


def _lane_of(mark: Mark, story: Story) -> str:
    if mark.lane == 0 and mark.kind:
        return KIND_LABELS[mark.kind]
    if len(story.lanes) == 2:
        return "Subagent"
    several = len(story.lanes) - 1 > MAX_LANES and mark.lane >= MAX_LANES
    return f"{MAX_LANES} to {len(story.lanes) - 1}" if several else f"Subagent {mark.lane}"


def _path(bars: list[tuple[int, int]]) -> str:
    """Return bars as one path; those that touch are one."""
    drawn: list[list[int]] = []
    for column, width in sorted(bars):
        if drawn and column <= drawn[-1][1]:
            drawn[-1][1] = max(drawn[-1][1], column + width)
        else:
            drawn.append([column, column + width])
    return "".join(f"M{start} 5h{end - start}" for start, end in drawn)


def _curve(points: Sequence[tuple[float, float]], most: float) -> str:
    """Return a line that rises in steps, as a path in _POINTS by 100, with the last value of each of its columns."""
    by_column = {round(x * _POINTS): round(100 - 100 * value / most) for x, value in points}
    drawn, at, height = ["M0 100"], 0, 100
    for column, y in sorted(by_column.items()):
        if y != height:
            drawn.append(f"h{column - at}v{y - height}")
            at = column
            height = y
    return f"{''.join(drawn)}H{_POINTS}"


def _bands(
    story: Story, axis: StripAxis, parts: Sequence[Part], spending: Spending | None
) -> Iterator[tuple[float, float, str]]:
    """Yield where each part of the session begins and ends, and its words, where it has several; those that are told
    together are one."""
    sections = [each for each in story.sections(parts) if each[1] < len(story.parts)]
    if len(sections) < 2 or len(sections) > MAX_LETTERS:
        return
    ends = [0.0]
    spent = 0.0
    starts = []
    for first, last in sections:
        part = story.parts[first]
        starts.append(axis.ends(Mark(part.first, part.begin_ms, spent))[0] if first else 0.0)
        spent += sum(each.spent for each in story.parts[first : last + 1])
        ends.append(spent)
    for number, (x, end) in enumerate(zip(starts, [*starts[1:], 1.0], strict=True)):
        label = letter(number)
        if spending and end - x > 0.12:
            label += f" {figures.money(spending(ends[number + 1]) - spending(ends[number]))}"
        yield x, end, label if end - x > 0.025 else ""


MAX_LETTERS = 26


def letter(number: int) -> str:
    """Return what a part is called on the strip and in the table."""
    return chr(ord("A") + number)


def step_axis(story: Story) -> StripAxis:
    last = max(story.steps, 1)
    ticks = [((at - 1) / last, figures.count(at), "c") for at in _round_ticks(last)]
    return StripAxis(
        "steps",
        lambda mark: (mark.number / last, (mark.number + 1) / last),
        [(0, "step 1", ""), *ticks],
    )


def _time_axis(story: Story) -> StripAxis | None:
    """Along time, with what is idle shortened; None where the file states too few times."""
    timed = [mark for mark in story.marks if mark.begin_ms is not None and mark.end_ms is not None]
    if (
        story.first_ms is None
        or story.last_ms is None
        or story.last_ms <= story.first_ms
        or not timed
    ):
        return None
    first = story.first_ms
    last = story.last_ms
    busy = sorted((mark.begin_ms or 0, mark.end_ms or 0) for mark in timed)
    busy += [
        (mark.begin_ms, mark.begin_ms)
        for mark in story.marks
        if mark.context is not None and mark.begin_ms
    ]
    busy.append((last, last))
    idle = []
    until = first
    for begin, end in sorted(busy):
        if begin - until > IDLE_MS:
            idle.append((until, begin))
        until = max(until, end)
    active = (last - first) - sum(end - begin for begin, end in idle)
    points: list[tuple[int, float]] = [(first, 0.0)]
    for begin, end in idle:
        place = points[-1][1] + begin - points[-1][0]
        points += [(begin, place), (end, place + max(_SHORTENED * active, 1_000))]
    points.append((last, points[-1][1] + last - points[-1][0]))

    def position(moment: int | None) -> float:
        return 0.0 if moment is None else _interpolated(points, max(moment, first)) / points[-1][1]

    def of_mark(mark: Mark) -> tuple[float, float]:
        begin = position(mark.begin_ms)
        return begin, max(
            begin, position(mark.end_ms if mark.end_ms is not None else mark.begin_ms)
        )

    idle.sort(key=lambda pause: pause[0] - pause[1])
    edges = [edge for begin, end in idle for edge in ((begin, "e"), (end, ""))]
    step = 60_000 * _round_ticks(active // 60_000).step
    for (begin, _), (end, _) in zip(points[::2], points[1::2], strict=True):
        whole_steps = range(math.ceil((begin - first) / step), (end - first) // step + 1)
        edges += [(first + step * number, "c") for number in whole_steps]
    labels = [(position(at), figures.count(round((at - first) / 60_000)), css) for at, css in edges]
    ticks = [label for label in labels if 0.01 < label[0] < 0.99]
    gaps = [
        ((position(begin) + position(end)) / 2, _pause(end - begin), "c") for begin, end in idle
    ]
    return StripAxis("time", of_mark, [(0.0, "0 min", ""), *ticks], gaps)


def _pause(ms: int) -> str:
    return re.sub(r" 0\s\w+$", "", figures.duration(ms)) + " pause"


def _round_ticks(most: int) -> range:
    """Four to eight round numbers below the most."""
    step = 1
    while most / step > 8:
        step = step * 5 // 2 if str(step)[0] == "2" else step * 2
    return range(step, most + 1, step) if most > step else range(0)
