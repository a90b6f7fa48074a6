"""What does effort cost? Cost against turns, a dot a run, with what a turn cost as a line for each model.

That is the cost of all turns over their number. The median over runs would be another thing: the first turn of a run
costs most, so where many runs took only one, it says what starting costs, and of no longer run is it true.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from sitegen import figures
from sitegen.charts.axes import Axis, Frame, Row, is_wide, tick_label
from sitegen.charts.findings import (
    DRAWN_MARKS,
    GREY,
    LEAST_FOR_A_TREND,
    LIVE_MARKS,
    Finding,
    ModelColors,
    Table,
    clean,
    clipped,
    dollar_ticks,
    label,
    of_all,
    reported_usd,
    row_of,
)
from sitegen.charts.labels import CHARACTER, Place, Plot
from sitegen.figures import sentence_list
from sitegen.model import Entry, Status
from sitegen.names import run_path
from sitegen.numbers.statistics import dimension_of

FRAME = Frame(left=52, right=14, top=26, bottom=40)
_LEAST_FOR_A_COMPARISON = 5
_LIKE_LENGTH = 2
"""Runs of two models are of like length where the median turns of one are at most so many times those of the other."""
_MOST_LINES = 3
_HEIGHT = 210
_LARGE, _SMALL = 46, 18
"""Square pixels of a dot; those of more runs than a drawing has dots for are small, and show what lies below."""


@dataclass(frozen=True, slots=True)
class _Dot:
    """A run among turns and dollars, or several that lie close together."""

    turns: float
    usd: float
    color: str
    completed: bool
    tip: str
    href: str = ""
    runs: int = 1


def cost_by_turns(entries: Sequence[Entry], color: Callable[[str], str]) -> Finding | str:
    """A dot for each run that has turns and a cost."""
    known = [entry for entry in entries if entry.run.turns is not None and entry.run.cost_usd is not None]
    positive = [entry for entry in known if entry.run.turns and entry.run.cost_usd]
    if len(positive) < LEAST_FOR_A_TREND:
        few = ("no run reports", "one run reports", "two runs report")[len(positive)]
        return f"Cost against turns: {few} both, and fewer than three show no trend."
    turns, costs = [e.run.turns or 0 for e in positive], [reported_usd(e) for e in positive]
    logarithmic = is_wide(turns) or is_wide(costs)
    drawn = positive if logarithmic else known
    by_model: dict[str, list[Entry]] = {row_of(entry): [] for entry in drawn}
    for entry in positive:
        by_model[row_of(entry)].append(entry)
    colors = ModelColors.of({model: len(runs) for model, runs in by_model.items()}, color)
    measured = [model for model in colors.colors if by_model[model]]
    rates = {model: _rate(by_model[model]) for model in measured}
    x, y = Axis.over(turns, logarithmic), Axis.over(costs, logarithmic)
    lines = [
        _Line.across(model, colors.colors[model], rates[model], x, y)
        for model in measured[:_MOST_LINES]
        if len(by_model[model]) >= LEAST_FOR_A_TREND and colors.colors[model] != GREY and rates[model]
    ]
    dots = [_dot(entry, colors.colors[row_of(entry)]) for entry in drawn]
    shown, pictured = _joined(dots, x, y, LIVE_MARKS), _joined(dots, x, y, DRAWN_MARKS)
    medians = {model: median(map(reported_usd, by_model[model])) for model in measured}
    money, fine = figures.money_column(medians.values()), figures.Column("$", 1, decimals=4)
    size = _LARGE if len(dots) == len(pictured) else _SMALL
    names = _names(lines, pictured, x, y)
    left_out = _left_out(len(entries) - len(known), len(known) - len(positive), logarithmic)
    told = "Lines" if len(lines) > 1 else "Line" if lines else ""
    if lines and len(lines) < sum(map(bool, measured)):
        told += f", for {len(lines)} of {figures.plural(sum(map(bool, measured)), dimension_of(entries).value)}"
    texts = {} if names else {colors.labels[line.model]: line.text for line in lines}
    return Finding(
        id="cost-by-turns",
        frame=FRAME,
        title=_title(by_model, {line.model: rates[line.model] for line in lines}),
        note=_note(dots, len(entries), has_lines=bool(lines), are_joined=len(shown) < len(dots)),
        method=_method(dots, pictured, logarithmic, told, left_out),
        description=f"Dots: cost against number of turns, {figures.plural(len(dots), 'run')}.",
        legend=tuple(key._replace(label=texts.get(key.label, key.label)) for key in colors.legend)
        if len(colors.colors) > max(len(names), 1)
        else (),
        table=Table.of(
            measured,
            {dimension_of(entries).value.capitalize(): label},
            {
                "Runs": lambda model: figures.count(len(by_model[model])),
                "Median turns": lambda model: figures.count(median(entry.run.turns or 0 for entry in by_model[model])),
                money.head("Median cost"): lambda model: money.write(medians[model]),
                fine.head("Cost of a turn"): lambda model: fine.write(rates[model]),
            },
        ),
        data=_marks(shown, size, lines, names, x, y),
        drawn=_dots(pictured, size) if len(pictured) < len(shown) else {},
        height=_HEIGHT,
        x=x,
        y=y,
        whole=("Lines of all runs" if lines else "") if len(shown) == len(dots) else "Of all runs",
        brush_x=("turns",),
        brush_y="cost_usd",
    )


def _rate(entries: Sequence[Entry]) -> float:
    """Dollars a turn, over all turns of runs that have turns."""
    return math.fsum(map(reported_usd, entries)) / sum(entry.run.turns or 0 for entry in entries)


def _dot(entry: Entry, color: str) -> _Dot:
    turns, usd, status = entry.run.turns or 0, reported_usd(entry), entry.run.status
    ending = "" if status is Status.OK else f", {status}"
    tip = f"{clean(entry.name)}\n{figures.money(usd)}, {figures.plural(turns, 'turn')}{ending}"
    return _Dot(turns, usd, color, status is Status.OK, tip, run_path(entry.id))


def _title(by_model: Mapping[str, Sequence[Entry]], rates: Mapping[str, float]) -> str:
    """What a turn cost, of the models that have a line. A ratio only where it compares like with like: enough runs of
    both models, on the same tasks, and of like length, since the first turn of a run costs most.
    """
    enough = [model for model in rates if len(by_model[model]) >= _LEAST_FOR_A_COMPARISON]
    ranked = sorted(enough, key=lambda model: (-rates[model], model))
    if len(ranked) < 2:
        return f"A turn cost {_cents(_rate([entry for group in by_model.values() for entry in group]))} on average"
    dear, cheap = ranked[0], ranked[-1]
    tasks = [{entry.task for entry in by_model[model]} for model in (dear, cheap)]
    short, long = sorted(median(entry.run.turns or 0 for entry in by_model[model]) for model in (dear, cheap))
    ratio = rates[dear] / rates[cheap]
    if ratio >= 1.15 and tasks[0] == tasks[1] and None not in tasks[0] and long <= _LIKE_LENGTH * short:
        times = figures.fixed(ratio, 1 if ratio < 9.95 else 0)
        return f"Turn for turn, {label(dear)} cost {times} times as much as {label(cheap)}"
    return f"A turn cost {_cents(rates[dear])} with {label(dear)} and {_cents(rates[cheap])} with {label(cheap)}"


def _note(dots: Sequence[_Dot], runs: int, *, has_lines: bool, are_joined: bool) -> str:
    note = of_all(len(dots), runs)
    if are_joined:
        note += "; larger: more runs"
    if not all(dot.completed for dot in dots):
        note += "; hollow: not completed"
    return f"{note}{'; lines: average' if has_lines else ''}."


def _method(dots: Sequence[_Dot], pictured: Sequence[_Dot], logarithmic: bool, lines: str, left_out: str) -> str:
    method = f"Cost against turns{', log scales' if logarithmic else ''}, "
    if len(pictured) < len(dots):
        method += f"{len(dots):,} runs; those that lie close are one dot, larger for more"
    else:
        method += f"one dot a run, {figures.plural(len(dots), 'run')}"
    method += left_out
    if lines:
        method += f". {lines}: average cost per turn, over all turns"
    return f"{method}."


def _left_out(unknown: int, zero: int, logarithmic: bool) -> str:
    """How many runs have no dot, or a dot and no part in the figures, as the end of a sentence."""
    left_out = [f"{figures.plural(unknown, 'run')} of unknown turns or cost"] if unknown else []
    free = f"{figures.plural(zero, 'run')} of zero turns or cost"
    if zero and logarithmic:
        left_out.append(free)
    said = f"; left out: {sentence_list(left_out)}" if left_out else ""
    return f"{said}; the figures are without {free}" if zero and not logarithmic else said


def _joined(dots: Sequence[_Dot], x: Axis, y: Axis, most: int) -> list[_Dot]:
    """The dots; where they are more than `most`, those of one colour and ending in a field of a grid as one, at their
    mean. The grid grows coarser until at most so many are left; its coarsest has one field."""
    fields: dict[tuple[int, int, str, bool], list[_Dot]] = {}
    if len(dots) <= most:
        return list(dots)
    for columns in (96, 64, 48, 36, 24, 16, 8, 1):
        fields = {}
        for dot in dots:
            across, up = int(x.share(dot.turns) * columns), int(y.share(dot.usd) * columns / 2)
            fields.setdefault((across, up, dot.color, dot.completed), []).append(dot)
        if len(fields) <= most:
            break
    return [_mean(group) for _, group in sorted(fields.items(), key=lambda item: item[0])]


def _mean(group: Sequence[_Dot]) -> _Dot:
    if len(group) == 1:
        return group[0]
    turns = math.fsum(dot.turns for dot in group) / len(group)
    usd = math.fsum(dot.usd for dot in group) / len(group)
    tip = f"{len(group):,} runs\non average {figures.money(usd)}, {turns:.0f} turns"
    return _Dot(turns, usd, group[0].color, group[0].completed, tip, runs=len(group))


def _marks(
    dots: Sequence[_Dot], size: int, lines: Sequence[_Line], names: Sequence[Place], x: Axis, y: Axis
) -> dict[str, list[Row]]:
    """Dots and rings, lines with their names, and the labels of the ticks."""
    data: dict[str, list[Row]] = {**_dots(dots, size), "lines": [], "names_left": [], "names_right": []}
    for number, line in enumerate(lines):
        series: Row = {"color": line.color, "series": str(number), "model": line.model}
        data["lines"] += [series | {"turns": t, "usd": t * line.rate} for t in (line.start, line.end)]
    for line, name in zip(lines, names, strict=False):  # none, where they found no room
        at: Row = {"turns": line.end, "usd": y.value(1 - name.y / _HEIGHT)}
        data[f"names_{name.side}"].append(at | {"text": line.text, "model": line.model})
    data |= FRAME.tick_rows("turn_ticks", "turns", [(t, tick_label(t)) for t in x.ticks(whole=True)], x)
    data["cost_ticks"] = [{"usd": tick, "text": text} for tick, text in dollar_ticks(y)]
    return data


def _dots(dots: Sequence[_Dot], size: int) -> dict[str, list[Row]]:
    """Dots, and rings for runs that did not complete."""
    data: dict[str, list[Row]] = {"dots": [], "rings": []}
    for dot in dots:
        row: Row = {"turns": dot.turns, "usd": dot.usd, "color": dot.color, "size": size + min(3 * (dot.runs - 1), 300)}
        data["dots" if dot.completed else "rings"].append(row | {"tip": dot.tip, "href": dot.href})
    return data


@dataclass(frozen=True, slots=True)
class _Line:
    """All points where a turn costs the same."""

    model: str
    color: str
    rate: float
    """Dollars a turn."""
    start: float
    """Turns at the left end in the plot."""
    end: float

    @classmethod
    def across(cls, model: str, color: str, rate: float, x: Axis, y: Axis) -> _Line:
        """The part that lies in the plot."""
        start = max(x.low, y.low / rate) if x.logarithmic else 0.0
        return cls(model, color, rate, start, min(x.high, y.high / rate))

    @property
    def text(self) -> str:
        return f"{clipped(label(self.model), 24)}, {_cents(self.rate)} a turn"

    def points(self, x: Axis, y: Axis) -> Iterator[tuple[float, float]]:
        """Share of the plot's width and pixels from its top, from the foot of the line to its head."""
        foot, head = ((x.share(t), _HEIGHT * (1 - y.share(t * self.rate))) for t in (self.start, self.end))
        for i in range(81):
            yield tuple(a + (b - a) * i / 80 for a, b in zip(foot, head, strict=True))  # type: ignore[misc]


def _names(lines: Sequence[_Line], dots: Sequence[_Dot], x: Axis, y: Axis) -> list[Place]:
    """Places for the names of the lines, clear of dots and of each other's lines; none where one finds no room."""
    points = [(x.share(dot.turns), _HEIGHT * (1 - y.share(dot.usd))) for dot in dots]
    plot = Plot(FRAME, _HEIGHT)
    placed: list[Place] = []
    for line in lines:
        crossing = [point for other in lines if other is not line for point in other.points(x, y)]
        best = plot.best(_places(line, x, y, min(plot.widths)), [*points, *crossing], placed)
        if best is None:
            return []
        placed.append(best)
    return placed


def _places(line: _Line, x: Axis, y: Axis, plot: int) -> Iterator[Place]:
    """Where the name of a rising line can stand without crossing it, the best first: above its head and to the left,
    right of its head, below it and to the left, as low as it takes. `plot` is the width of the narrowest plot."""
    (foot_x, foot_y), *_, (head_x, head_y) = line.points(x, y)
    yield Place(line.text, "left", head_x, head_y - 8, 2)
    yield Place(line.text, "right", head_x, head_y + 4, 8)
    fall = min((CHARACTER * len(line.text) + 2) / (plot * (head_x - foot_x)), 1) * (foot_y - head_y)
    for lower in (10, 24, 38, 52):
        yield Place(line.text, "left", head_x, head_y + fall + lower, 2)


def _cents(usd: float) -> str:
    """Dollars of a turn with two significant digits, in cents below a dollar: `4.3¢`; next to nothing in dollars."""
    if usd >= 0.995 or usd < 1e-6:
        return figures.money(usd)
    digits = 1 - math.floor(math.log10(100 * usd))
    return f"{100 * usd:.{min(max(digits, 0), 9)}f}¢"
