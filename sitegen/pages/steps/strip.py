"""The picture of a run: calls in lanes by kind, parts, failures and compactions, and below them context and cost.

It is drawn along time, steps or cost. Positions are per cent of its width, so that words keep the size of the page.
"""

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

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
_CURVE = 56  # the height of a curve with the space around it
_MAX_CROSSES = 1_000
_MAX_BANDS = 26
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
"""A position along the axis, the words there, and their class: `c` for words in the middle of it."""


@dataclass(frozen=True, slots=True)
class StripAxis:
    """The beginning and end of a step along the axis, from 0 to 1."""

    name: str
    ends: Callable[[Mark], tuple[float, float]]
    ticks: Sequence[Label]
    gaps: Sequence[Label] = ()


Spending = Callable[[float], float]
"""The function from the list price of the steps up to a moment to the reported cost, USD."""


def strips(story: Story, run: Run, base: str) -> tuple[View, ...]:
    """Return the picture of a run along each axis that its file has; the addresses of its steps begin with `base`."""
    spending = _spending(story, run)
    return tuple(strip(story, axis, run.parts, spending, base) for axis in _axes(story))


def _axes(story: Story) -> list[StripAxis]:
    axes = (_time_axis(story), step_axis(story))
    return [axis for axis in axes if axis]


def _spending(story: Story, run: Run) -> Spending | None:
    ends = story.reported(run.parts, run.spent_usd)
    return partial(_interpolated, ends) if ends else None


def strip_data(story: Story, run: Run) -> dict[str, object]:
    """Return the steps of the strip for its script, a row for each, with its ends along each axis."""
    spending = _spending(story, run)
    axes = _axes(story)
    lanes = [lane.label for lane in _lanes(story, axes[0], "")]
    rows: list[list[object]] = []
    before = 0.0
    for mark in story.marks:
        spent = None
        if spending:
            usd = spending(mark.spent)
            spent = round(usd - before, 6)
            before = usd
        row: list[object] = [
            mark.number + 1,
            lanes.index(_lane_of(mark, story)) if mark.kind else None,
            KIND_LABELS[mark.kind] if mark.kind else "",
            in_one_line(within(run.cwd, mark.name), MAX_OF_NAME),
            int(mark.failed),
            0 if mark.lane else mark.result_bytes,
            mark.begin_ms,
            mark.end_ms,
            mark.context,
            mark.tokens,
            spent,
        ]
        for axis in axes:
            row += [round(end, 4) for end in axis.ends(mark)]
        rows.append(row)
    return {
        "axes": [axis.name for axis in axes],
        "lanes": lanes,
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
    low, low_result = ends[number - 1]
    high, high_result = ends[number]
    if high <= low:
        return high_result
    risen = (high_result - low_result) * (min(value, high) - low) / (high - low)
    return low_result + risen


def strip(
    story: Story, axis: StripAxis, parts: Sequence[Part], spending: Spending | None, base: str
) -> View:
    """Return the picture along one axis; without ticks it is a map, which has lanes alone."""
    lanes = _lanes(story, axis, base)
    y_by_lane = {lane.label: lane.y for lane in lanes}
    crosses: dict[tuple[str, int], None] = {}
    for mark in story.marks:
        if mark.failed:
            x = f"{50 * sum(axis.ends(mark)):.1f}%"
            crosses[x, y_by_lane[_lane_of(mark, story)]] = None
    curves = _curves(story, axis, spending, _TOP + len(lanes) * _ROW) if axis.ticks else []
    bottom = _TOP + len(lanes) * _ROW + len(curves) * _CURVE
    compactions = dict.fromkeys(axis.ends(mark)[0] for mark in story.compactions)
    lines = [(x, "compacted") for x in compactions]
    lines += [(x, "gap") for x, _, _ in axis.gaps]
    below = 4
    if axis.ticks:
        below = 42 if axis.gaps else 26
    return View(
        axis=axis.name,
        # The beginning of the addresses of its steps, and of that of its data.
        base=base,
        # The label for those who cannot see it.
        label=f"{figures.plural(story.calls, 'tool call')} in {figures.plural(len(lanes), 'lane')} along {axis.name}.",
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
        minutes=math.ceil(story.lasted_ms / 60_000),
        # The curves of context and cost.
        curves=tuple(curves),
        height=bottom + below,
    )


def _curves(story: Story, axis: StripAxis, spending: Spending | None, top: int) -> list[View]:
    """Return the curves of context and cost, as far as they are known."""
    marks = [mark for mark in story.marks if mark.context is not None]
    curves = []
    if story.context.peak:
        context = [(axis.ends(mark)[0], mark.context or 0) for mark in marks]
        path = f"{_curve(context, story.context.peak)}V100z"
        most = figures.count_short(story.context.peak)
        curves.append(View(name="Context", css="context", path=path, y=top + 6, most=most))
    if spending and spending(story.spent):
        costs = [(axis.ends(mark)[0], spending(mark.spent)) for mark in marks]
        path = _curve(costs, spending(story.spent))
        y = top + 6 + len(curves) * _CURVE
        most = figures.money(spending(story.spent))
        curves.append(View(name="Cost", css="spent", path=path, y=y, most=most))
    return curves


def _below(labels: Iterable[Label], y: int) -> Iterator[tuple[str, str, float, int, int]]:
    """Yield the words that have room in a line, the first of them first; some have room on a wide screen alone."""
    on_screen: list[tuple[float, float]] = []
    on_phone: list[tuple[float, float]] = []
    for label in labels:
        if _takes(on_screen, label, _LETTER):
            more = "" if _takes(on_phone, label, _LETTER_ON_PHONE) else " wide"
            x, text, css = label
            yield css + more, text, x, y, 0


def _takes(taken: list[tuple[float, float]], label: Label, letter_width: float) -> bool:
    """Take the room of a label, if none of it is taken."""
    x, text, css = label
    width = letter_width * (len(text) + 1)
    begin = x - width / 2 if css == "c" else x
    is_free = all(begin + width <= low or high <= begin for low, high in taken)
    if is_free:
        taken.append((begin, begin + width))
    return is_free


def _lanes(story: Story, axis: StripAxis, base: str) -> tuple[View, ...]:
    """Return a lane for each kind of the main agent, and one for each subagent."""
    kinds = {mark.kind for mark in story.marks if not mark.lane}
    lanes: dict[str, dict[tuple[str, int], _Bars]] = {
        label: {} for kind, label in KIND_LABELS.items() if kind in kinds
    }
    for mark in story.marks:
        if mark.kind:
            begin, end = axis.ends(mark)
            column = min(round(begin * _COLUMNS), _COLUMNS - _NARROWEST)
            group = mark.kind.value, column // _COLUMNS_PER_LINK
            href = f"{base}{page_of(mark.number)}.html#s{mark.number + 1}"
            groups = lanes.setdefault(_lane_of(mark, story), {})
            bars = groups.setdefault(group, _Bars(href))
            bars.columns.append((column, max(round((end - begin) * _COLUMNS), _NARROWEST)))
    views: list[View] = []
    for label, groups in lanes.items():
        bars_of_lane = [(kind, bars.path(), bars.href) for (kind, _), bars in groups.items()]
        views.append(View(label=label, y=_TOP + len(views) * _ROW, bars=tuple(bars_of_lane)))
    return tuple(views)


def _lane_of(mark: Mark, story: Story) -> str:
    if mark.lane == 0 and mark.kind:
        return KIND_LABELS[mark.kind]
    subagents = len(story.lanes) - 1
    if subagents == 1:
        return "Subagent"
    if subagents > MAX_LANES and mark.lane >= MAX_LANES:
        return f"{MAX_LANES} to {subagents}"
    return f"Subagent {mark.lane}"


@dataclass(slots=True)
class _Bars:
    """Calls of one kind beside each other, which are one link to the first of them."""

    href: str
    columns: list[tuple[int, int]] = field(default_factory=list)  # where each begins, and its width

    def path(self) -> str:
        """Return bars as one path; those that touch are one."""
        drawn: list[tuple[int, int]] = []
        for column, width in sorted(self.columns):
            start = column
            end = column + width
            if drawn and column <= drawn[-1][1]:
                start, before = drawn.pop()
                end = max(end, before)
            drawn.append((start, end))
        return "".join(f"M{start} 5h{end - start}" for start, end in drawn)


def _curve(points: Sequence[tuple[float, float]], most: float) -> str:
    """Return a line that rises in steps, as a path in _POINTS by 100, with the last value of each of its columns."""
    by_column = {round(x * _POINTS): round(100 - 100 * value / most) for x, value in points}
    drawn = ["M0 100"]
    before = 0
    height = 100
    for column, y in sorted(by_column.items()):
        if y != height:
            drawn.append(f"h{column - before}v{y - height}")
            before = column
            height = y
    return f"{''.join(drawn)}H{_POINTS}"


def _bands(
    story: Story, axis: StripAxis, parts: Sequence[Part], spending: Spending | None
) -> Iterator[tuple[float, float, str]]:
    """Yield where each part of the session begins and ends, and its words, where it has several; those that are told
    together are one."""
    sections = [section for section in story.sections(parts) if section[1] < len(story.parts)]
    if len(sections) < 2 or len(sections) > _MAX_BANDS:
        return
    spent = [0.0]
    starts = []
    for first, last in sections:
        part = story.parts[first]
        mark = Mark(part.first, part.begin_ms, spent[-1])
        starts.append(axis.ends(mark)[0] if first else 0.0)
        spent.append(spent[-1] + sum(each.spent for each in story.parts[first : last + 1]))
    for number, (x, end) in enumerate(pairwise([*starts, 1.0])):
        label = name_parts(*sections[number]) if end - x > 0.05 else ""
        if spending and end - x > 0.15:
            cost = spending(spent[number + 1]) - spending(spent[number])
            label += f": {figures.money(cost)}"
        yield x, end, label


def name_parts(first: int, last: int) -> str:
    """Return what parts that are told together are called on the strip and in the table."""
    return f"{first + 1}" if first == last else f"{first + 1} to {last + 1}"


def step_axis(story: Story) -> StripAxis:
    last = max(story.steps, 1)
    ticks = [((number - 1) / last, figures.count(number), "c") for number in _round_ticks(last)]
    return StripAxis(
        "steps",
        lambda mark: (mark.number / last, (mark.number + 1) / last),
        [(0, "step 1", ""), *ticks],
    )


def _time_axis(story: Story) -> StripAxis | None:
    """Along time, with what is idle shortened; None where the file states too few times."""
    is_timed = any(None not in (mark.begin_ms, mark.end_ms) for mark in story.marks)
    if not story.lasted_ms or not is_timed:
        return None
    first = story.first_ms or 0
    last = first + story.lasted_ms
    pauses = _pauses(story, first, last)
    active = story.lasted_ms - sum(end - begin for begin, end in pauses)
    points = _shorten(pauses, first, last, max(_SHORTENED * active, 1_000))
    length = points[-1][1]

    def position(moment: int | None) -> float:
        return 0.0 if moment is None else _interpolated(points, max(moment, first)) / length

    def ends(mark: Mark) -> tuple[float, float]:
        begin = position(mark.begin_ms)
        end = mark.begin_ms if mark.end_ms is None else mark.end_ms
        return begin, max(begin, position(end))

    ticks: list[Label] = [(0.0, "0 min", "")]
    step = 60_000 * _round_ticks(active // 60_000).step
    for (begin, _), (end, _) in zip(points[::2], points[1::2], strict=True):
        for moment in range(-((first - begin) // step) * step, end - first + 1, step):
            x = position(first + moment)
            if 0.01 < x < 0.99:
                ticks.append((x, figures.count(moment // 60_000), "c"))
    pauses.sort(key=lambda pause: pause[0] - pause[1])
    gaps = [
        ((position(begin) + position(end)) / 2, _pause(end - begin), "c") for begin, end in pauses
    ]
    return StripAxis("time", ends, ticks, gaps)


def _pauses(story: Story, first: int, last: int) -> list[tuple[int, int]]:
    """Return when long idle times begin and end, in their order."""
    busy = [(last, last)]
    for mark in story.marks:
        if mark.begin_ms is not None and mark.end_ms is not None:
            busy.append((mark.begin_ms, mark.end_ms))
        elif mark.begin_ms is not None and mark.context is not None:
            busy.append((mark.begin_ms, mark.begin_ms))
    pauses = []
    until = first
    for begin, end in sorted(busy):
        if begin - until > IDLE_MS:
            pauses.append((until, begin))
        until = max(until, end)
    return pauses


def _shorten(
    pauses: Sequence[tuple[int, int]], first: int, last: int, shortened_ms: float
) -> list[tuple[int, float]]:
    """Return moments with their places along the axis: the first, both ends of each pause, and the last."""
    points: list[tuple[int, float]] = [(first, 0.0)]
    for begin, end in pauses:
        moment, place = points[-1]
        place += begin - moment
        points += [(begin, place), (end, place + shortened_ms)]
    moment, place = points[-1]
    points.append((last, place + last - moment))
    return points


def _pause(ms: int) -> str:
    return re.sub(r" 0\s\w+$", "", figures.duration(ms)) + " pause"


def _round_ticks(most: int) -> range:
    """Four to eight round numbers below the most."""
    step = 1
    while most / step > 8:
        step = step * 5 // 2 if str(step)[0] == "2" else step * 2
    return range(step, most + 1, step) if most > step else range(0)
