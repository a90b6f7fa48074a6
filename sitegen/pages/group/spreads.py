"""How the runs of a group are spread in each measure: a row for all of them, or for each model, over one scale."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from sitegen import figures
from sitegen.charts.axes import Axis, tick_label
from sitegen.figures import outcome_view, status_view
from sitegen.model import Entry, Status
from sitegen.numbers.clusters import Question
from sitegen.numbers.estimates import GroupFigures, group_figures
from sitegen.numbers.intervals import Interval
from sitegen.numbers.scores import ScoreFigure, ScoreMeasure, scored
from sitegen.numbers.statistics import Dimension, Measure, Spread, group_by, measured
from sitegen.pages import svg
from sitegen.pages.first.scores import score_ends, score_writer
from sitegen.pages.svg import Shape
from sitegen.pages.views import model_class

MOST_SIGNS = 40
"""Runs in a row that are drawn one by one; more are a box alone."""

FEWEST_IN_A_BOX = 5
"""Quartiles of fewer would be made of what lies between them."""

_HEIGHT, _MIDDLE, _SCALE = 26, 13, 22
"""Pixels: a row, its middle, and the labels of the scale below the last."""

_TIMES = ((3_600_000.0, "h"), (60_000.0, "min"), (1000.0, "s"), (1.0, "ms"))


@dataclass(frozen=True, slots=True)
class RowView:
    """The runs of one model, or all: a line from least to most, a box of the middle half, the median, a mark a run."""

    group: str
    """The model; empty where it is all runs."""
    key: str
    height: int
    shapes: tuple[Shape, ...]
    strong: str
    """The median; of one run its figure."""
    note: str
    """The mean, its 95 % interval, and how many runs it rests on."""
    label: str
    """All of that, with both ends, in words."""


@dataclass(frozen=True, slots=True)
class SpreadView:
    """One measure. Zero is at the left, the largest value at the right."""

    label: str
    rows: tuple[RowView, ...]


@dataclass(frozen=True, slots=True)
class _Kind:
    """How a measure is taken, told and written."""

    label: str
    of: Callable[[Entry], float | None]
    told: Callable[[GroupFigures], Spread | ScoreFigure]
    """The figures of one row."""
    write: figures.Write
    ends: Callable[[Interval], str]
    tick: Callable[[float], list[tuple[float, str]]]
    """Places from 0 to 1 and labels of a scale up to so much."""


def spreads(
    dimension: Dimension, runs: Sequence[Entry], told: GroupFigures, question: Question
) -> Iterator[SpreadView]:
    """For each measure, the first score among them, the spread of all runs, and of each model where a task was tried by
    several."""
    parts: Mapping[str, Sequence[Entry]] = group_by(runs, Dimension.MODEL).by_name
    if dimension is not Dimension.TASK or len(parts) < 2:
        of_models = {run.model for run in runs}
        parts = {(next(iter(of_models)) or "") if len(of_models) == 1 else "": runs}
    of_parts = {name: told if len(parts) == 1 else group_figures(part, question) for name, part in parts.items()}
    judged = any(run.outcome for run in runs)
    for kind in _kinds(told):
        values = {
            name: [(run, value) for run in part if (value := kind.of(run)) is not None] for name, part in parts.items()
        }
        top = max((value for each in values.values() for _, value in each), default=0.0)
        if top <= 0 or max(map(len, values.values())) < 2 or min(v for each in values.values() for _, v in each) < 0:
            continue
        shown = [name for name in parts if values[name]]
        scale = top * 1.02
        yield SpreadView(
            kind.label,
            tuple(
                _row(kind, name if len(parts) > 1 else "", name, values[name], of_parts[name], scale, judged, is_last)
                for name, is_last in ((each, each == shown[-1]) for each in shown)
            ),
        )


def _row(
    kind: _Kind,
    group: str,
    model: str,
    values: Sequence[tuple[Entry, float]],
    of_part: GroupFigures,
    scale: float,
    judged: bool,
    is_last: bool,
) -> RowView:
    told = kind.told(of_part)
    only = sorted(value for _, value in values)
    css = f"m-{model_class(model)}" if model else "soft"
    shapes = [svg.line("rule", (x, x), (0, _HEIGHT)) for x, _ in kind.tick(scale)]
    shapes.append(svg.line("tie", (only[0] / scale, only[-1] / scale), (_MIDDLE, _MIDDLE)))
    quartiles = (told.lower_quartile, told.upper_quartile) if isinstance(told, Spread) else (None, None)
    if None not in quartiles and told.known >= FEWEST_IN_A_BOX:
        low, high = ((each or 0.0) / scale for each in quartiles)
        shapes.append(svg.box(f"{css} half", low, max(high - low, 0.0), 6, 14))
    if told.known <= MOST_SIGNS:
        for run, value in sorted(values, key=lambda each: (each[1], each[0].id)):
            shapes.append(_mark(run, value / scale, css, judged, f"{run.name}: {kind.write(value)}"))
    if told.median is not None and told.known >= FEWEST_IN_A_BOX:
        shapes.append(svg.line("tick", (told.median / scale, told.median / scale), (3, 23)))
    if is_last:
        shapes += (svg.words("c" if x else "", label, x, _HEIGHT + 16) for x, label in kind.tick(scale))
    strong = f"median {kind.write(told.median)}" if told.known > 1 else kind.write(only[0])
    note = figures.plural(told.known, "run") + (f", {told.unknown} unknown" if told.unknown else "")
    if told.interval and told.mean is not None:
        note = f"mean {kind.write(told.mean)} ({kind.ends(told.interval)}); {note}"
    from_to = f"{kind.write(only[0])} to {kind.write(only[-1])}" if told.known > 1 else ""
    of = f" of {group}" if group else ""
    return RowView(
        group=group,
        key=model_class(model) if model else "",
        height=_HEIGHT + (_SCALE if is_last else 0),
        shapes=tuple(shapes),
        strong=strong,
        note=note,
        label=f"{kind.label}{of}: {', '.join(filter(None, (strong, from_to, note)))}",
    )


def _mark(run: Entry, x: float, css: str, judged: bool, title: str) -> Shape:
    """A run as the sign of its outcome; where nobody judged, as a dot, and as the sign of its end where it did not
    complete."""
    if run.outcome is not None:
        sign = outcome_view(run.outcome)
    elif judged or run.run.status in (Status.OK, Status.UNKNOWN):
        return svg.dot(css, x, _MIDDLE, 4)
    else:
        sign = status_view(run.run.status)
    return svg.sign(sign.sign, sign.role, x, _MIDDLE, title)


def _kinds(told: GroupFigures) -> Iterator[_Kind]:
    for measure, figure in list(told.scores.items())[:1]:
        size = figure.mean or 0.0
        write = score_writer(measure, size)
        yield _Kind(
            measure.name[:1].upper() + measure.name[1:],
            partial(scored, measure=measure),
            partial(_figure, measure=measure),
            write,
            partial(score_ends, measure, size=size),
            partial(_ticks, write=partial(figures.score, unit=measure.unit)),
        )
    dollars = partial(_ticks, write=lambda usd: figures.money(usd) if usd else "$0")
    for kind, label, of_kind, tick in (
        (Measure.COST, "Cost", figures.money, dollars),
        (Measure.TOKENS, "Tokens", figures.count_short, partial(_ticks, write=tick_label)),
        (Measure.WALL, "Time", figures.duration, _time_ticks),
    ):
        taken, told_by = partial(measured, measure=kind), partial(_figure, measure=kind)
        yield _Kind(label, taken, told_by, of_kind, partial(_ends, write=of_kind), tick)


def _figure(told: GroupFigures, measure: Measure | ScoreMeasure) -> Spread | ScoreFigure:
    if isinstance(measure, Measure):
        return told.spreads[measure]
    return next(figure for each, figure in told.scores.items() if each.name == measure.name)


def _ends(interval: Interval, write: figures.Write) -> str:
    return figures.from_to(interval.low, interval.high, write)


def _ticks(top: float, write: Callable[[float], str]) -> list[tuple[float, str]]:
    return [(value / top, write(value)) for value in Axis(0.0, top, False).ticks()]


def _time_ticks(top: float) -> list[tuple[float, str]]:
    """In the largest unit of which the scale has two or more."""
    size, unit = next((each for each in _TIMES if top >= 2 * each[0]), _TIMES[-1])
    return [(x, f"{label}{figures.UNIT_SPACE}{unit}") for x, label in _ticks(top / size, lambda value: f"{value:g}")]
