"""The findings of the charts, in plain values: which runs, which sums, which sentence, which rows.

Python decides all of it, one module a question. It sorts, sums and splits, and writes every number and label as
text, so that the layout (`layouts`) only has to know fixed column names and scales: nothing that came from a run can
become a key, a field, an expression or a format there. The title of a chart is its finding, and it claims only what
the runs carry: no trend from two runs, no ratio of models that did different tasks. Where nothing is left to say, a
sentence stands in place of the finding.
"""

from __future__ import annotations

import hashlib
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sitegen import figures
from sitegen.charts.axes import Axis, Frame, Row
from sitegen.model import Entry, by_key
from sitegen.numbers.intervals import Interval
from sitegen.text.names import run_path, short_model

MAX_DOTS = 200
"""A chart of more marks than these shows how densely they lie: both of its drawings are part of their page."""

MIN_FOR_A_TREND = 3  # fewer runs have no line and no median

GREY = "var(--muted)"
NOT_KNOWN = "not known"


class Key(NamedTuple):
    """A colour and what it stands for."""

    css_class: str
    label: str
    color: str  # the same colour as in rows: `var(--<name>)`
    models: tuple[str, ...] = ()
    """Main models of the runs that it stands for, "" for one not known; empty where it stands for something else."""
    shape: str = "square"


@dataclass(frozen=True, slots=True)
class ChartCell:
    """A cell of a chart's table."""

    text: str
    numeric: bool = False


class ChartTable(NamedTuple):
    """The numbers of a chart."""

    columns: tuple[ChartCell, ...]
    rows: tuple[tuple[ChartCell, ...], ...]

    @classmethod
    def of(
        cls, words: Sequence[str], numbers: Sequence[str], rows: Iterable[Sequence[str]]
    ) -> ChartTable:
        """Return a table of these rows; `words` and `numbers` are the heads of its columns, words first."""
        columns = [ChartCell(head) for head in words]
        columns += [ChartCell(head, numeric=True) for head in numbers]
        filled = []
        for texts in rows:
            cells = [
                ChartCell(text, column.numeric) for text, column in zip(texts, columns, strict=True)
            ]
            filled.append(tuple(cells))
        return cls(tuple(columns), tuple(filled))


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """The data that the spec of a chart has about its runs besides title and rows; charts of one plot share a spec."""

    frame: Frame
    height: int  # without margins, in pixels
    x: Axis
    y: Axis = field(default_factory=lambda: Axis(0.0, 1.0, logarithmic=False))
    rows: tuple[str | int, ...] = ()
    """The values of its vertical axis, where it is not a scale of numbers."""
    y_title: str = ""
    colors: Mapping[str, str]  # the colours by the values of a column, in the order of the legend
    shapes: Mapping[str, str] = field(default_factory=dict)
    """Shapes of marks that are not circles, by colour."""
    money: str = "$,.2f"
    is_dense: bool = False
    """Whether rows are of several runs each, as there are too many for a dot each."""
    most: int = 0  # runs of such a row, at most
    parts: frozenset[str] = frozenset()
    """Data sets that have rows, and columns that have values, as those of a layer must: a scale without has no ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The text and data of a chart; `chart_set` adds its spec and its drawings."""

    id: str = ""
    title: str  # one sentence without a full stop, computed from the data
    note: str  # the facts that a reader needs to read it, in 15 words at most
    method: str
    """The description shown beside the numbers, and to those who cannot see it: the data, the runs, the scale, and what
    is left out."""
    table: ChartTable
    data: Mapping[str, Sequence[Row]]  # rows of the marks, by the name of their data set
    plot: Plot
    legend: tuple[Key, ...] = ()  # empty where marks are labelled directly
    whole: str = "Of all runs"
    """The part of it that still covers all runs when some are filtered out, in a few words."""
    brush_x: tuple[str, ...] = ()
    """Columns of the data files that a drag across chooses a range of: one for each row from the top if they differ."""
    brush_y: str | None = None  # the column that a drag up or down chooses a range of
    spec: Mapping[str, Any] = field(
        default_factory=dict
    )  # Vega-Lite with its data, title and legend, once it is drawn
    wide_svg: str | None = None
    slim_svg: str | None = None


@dataclass(frozen=True, slots=True)
class ModelColors:
    """The colours that distinguish the models of a chart: those with a colour of their own by it, the others share a
    grey and a label, since nobody could tell which grey is which."""

    colors: Mapping[str, str]
    """The colours by display name, in the order in which they are stacked; "" is a model that is not known."""
    labels: Mapping[str, str]

    @classmethod
    def of(cls, sizes: Mapping[str, float], color: Callable[[str], str]) -> ModelColors:
        """Return models by what makes one important; `color` gives `var(--<class>)`, GREY to those without their
        own."""
        colors: dict[str, str] = {}
        grey: list[str] = []
        for model in sorted(sizes, key=lambda model: (-sizes[model], model)):
            model_color = color(model) if model else GREY
            if model_color == GREY:
                grey.append(model)
            else:
                colors[model] = model_color
        labels = {model: label(model) for model in colors}
        labels |= dict.fromkeys(grey, _shared_label(grey))
        return cls(colors | dict.fromkeys(grey, GREY), labels)

    @property
    def named(self) -> dict[str, str]:
        """The colours by the names that rows have."""
        return {known(model): color for model, color in self.colors.items()}

    @property
    def legend(self) -> tuple[Key, ...]:
        """Each colour with its label and its models, once."""
        keys = by_key(self.colors, lambda model: (self.colors[model], self.labels[model]))
        return tuple(
            Key(color.removeprefix("var(--").removesuffix(")"), text, color, tuple(models))
            for (color, text), models in keys.items()
        )


def _shared_label(models: Sequence[str]) -> str:
    """Return the label of models that share a colour, of which "" is one that is not known."""
    known_models = [model for model in models if model]
    if not known_models:
        return label("")
    text = label(known_models[0])
    if len(known_models) > 1:
        text = f"{len(known_models)} others"
    return f"{text}, or not known" if "" in models else text


def row_of(entry: Entry) -> str:
    """Return the row, line or colour of a run: what it is compared as; "" where that is not known."""
    return entry.compared_as or ""


def by_row(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """Return runs by `row_of`."""
    return by_key(entries, row_of)


def reported_usd(entry: Entry) -> float:
    """Return the cost of a run that reports one; to a sum, a run that reports none adds nothing."""
    return entry.run.cost_usd or 0.0


def run_row(entry: Entry, **columns: Any) -> Row:
    """Return the row of a run: these columns, its name and its page."""
    return {"name": clean(entry.name), **columns, "page": run_path(entry.id)}


def joined(
    rows: Sequence[Row], key: Sequence[str], across: str, up: str, x: Axis, y: Axis
) -> list[Row]:
    """Return runs of one key in a field of a grid as one row, at their mean. The grid grows coarser until few enough
    are left; its coarsest has one field."""
    places = [(x.share(row[across]), y.share(row[up])) for row in rows]
    fields: dict[tuple[Any, ...], list[Row]] = {}
    for columns in (96, 64, 48, 36, 24, 16, 8, 1):
        fields = {}
        for row, (right, high) in zip(rows, places, strict=True):
            values = [row[name] for name in key]
            field_of_row = (*values, int(right * columns), int(high * columns / 2))
            fields.setdefault(field_of_row, []).append(row)
        if len(fields) <= MAX_DOTS:
            break
    dots = []
    for _, group in sorted(fields.items()):
        dot: Row = {name: group[0][name] for name in key}
        for name in (across, up):
            dot[name] = math.fsum(row[name] for row in group) / len(group)
        dot["runs"] = len(group)
        dots.append(dot)
    return dots


def money_format(usd: Iterable[float]) -> str:
    """Return the format of amounts in which the least one has two digits: of cents, or finer."""
    least = min((amount for amount in usd if amount > 0), default=1.0)
    digits = 1 - math.floor(math.log10(least))
    return f"$,.{max(2, min(digits, 9))}f"


def jitter(key: str) -> float:
    """Return an offset from -1 to 1 that moves a dot so that equal values do not hide each other: the same for one key
    in every build."""
    digest = hashlib.blake2b(key.encode(), digest_size=4).digest()
    return round(int.from_bytes(digest) / 2**31 - 1, 3)


def interval_ends(interval: Interval | None) -> tuple[float | None, float | None]:
    """Unknown where there is no interval."""
    return (interval.low, interval.high) if interval else (None, None)


def interval_columns(column: str, interval: Interval | None, axis: Axis) -> Row:
    """Return the columns of both ends, named like `cost{}_usd`, and the ends of the axis that they lie beyond, where an
    arrow stands; one that is without a bound ends there too."""
    low, high = interval_ends(interval)
    below = axis.low if low is not None and low < axis.low else None
    above = axis.high if high is not None and high > axis.high else None
    return {
        column.format("_low"): below if low == -math.inf else low,
        column.format("_high"): above if high == math.inf else high,
        column.format("_below"): below,
        column.format("_above"): above,
    }


def of_all(shown: int, runs: int) -> str:
    """Return the base of a chart: `30 runs`, `28 of 30 runs`."""
    base = figures.plural(runs, "run")
    return base if shown == runs else f"{figures.count(shown)} of {base}"


def tasks_remark(groups: Iterable[Iterable[Entry]]) -> str:
    """Return what the end of a note says where the runs of models are not of the same tasks, so that means differ for
    that reason too; empty where they are."""
    tasks = []
    for group in groups:
        tasks.append({entry.task for entry in group})
    if len(tasks) < 2:
        return ""
    if any(None in of_group for of_group in tasks):
        return ". It is not known whether these runs are of the same tasks"
    if any(of_group != tasks[0] for of_group in tasks):
        return ". These runs are not all of the same tasks"
    return ""


def known(model: str) -> str:
    """Return what a run is compared as, as rows and colours name it."""
    return clean(model) or NOT_KNOWN


def label(model: str | None) -> str:
    """Return a model's display name, without its maker's, which the family says already."""
    return short_model(clean(model or "model not known"))


def clean(text: str) -> str:
    """Return one line that XML can hold."""
    line = " ".join(text.split())
    if not line.isprintable():
        for sign in set(line):
            if unicodedata.category(sign) in ("Cc", "Cn", "Cs"):
                line = line.replace(sign, "\ufffd")
    return line


def shortened_apart(texts: Sequence[str], columns: int) -> list[str]:
    """Return names of models cut in the middle; those that would then look the same as others, where they begin to
    differ. If one is too long, the last parts that all have in common are left out first."""
    names = list(map(clean, texts))
    if any(clipped(name, columns) != name for name in names):
        names = _without_shared_end(names)
    short = {name: _cut_within(name, columns) for name in names}
    for name in _look_alike(short):
        short[name] = _from_difference(name, names, columns)
    for name in _look_alike(short):  # they differ in the middle and in the end
        short[name] = clipped(name, columns)
    for number, name in enumerate(_look_alike(short), 1):
        short[name] = f"{clipped(name, columns - len(f' {number}'))} {number}"
    return [short[name] for name in names]


def _look_alike(short: Mapping[str, str]) -> list[str]:
    """Return the names whose short form is that of another."""
    uses = Counter(short.values())
    return [name for name, text in short.items() if uses[text] > 1]


def _without_shared_end(names: Sequence[str]) -> list[str]:
    """Return names without the last parts that all have in common; the first part of each stays."""
    parts = [name.split(" · ") for name in names]
    reversed_ends = [of_name[:0:-1] for of_name in parts]
    shared = _count_alike(*reversed_ends) if len(names) > 1 else 0
    return [" · ".join(of_name[: len(of_name) - shared]) for of_name in parts]


def _from_difference(name: str, names: Sequence[str], columns: int) -> str:
    """Return what follows the longest beginning that a name shares with another."""
    alike = max((_count_alike(name, other) for other in names if other != name), default=0)
    rest = "…" + name[max(0, alike - 2) :]
    return clipped(_REST_OF_MASK.sub("…", rest), columns)


def _count_alike(*texts: Sequence[str]) -> int:
    """Return how many of their first elements are the same."""
    alike = 0
    for elements in zip(*texts, strict=False):
        if len(set(elements)) > 1:
            break
        alike += 1
    return alike


def _cut_within(name: str, columns: int) -> str:
    """Return a name of at most so many columns, two thirds of them for its end, where the model stands; without the
    rest of a mask that begins before it."""
    if clipped(name, columns) == name:
        return name
    head = columns // 3
    backwards = clipped(name[::-1], columns - head)
    end = _REST_OF_MASK.sub("…", backwards[::-1])
    return clipped(name, head) + end.lstrip("…")


_REST_OF_MASK = re.compile("\\A…[^[\U00100000-\U00107fff]*[\U00100000-\U00107fff]+\\]?")
"""The rest of a mask in a cut text, as `masking.redact` writes masks."""


def clipped(text: str, columns: int) -> str:
    """Return text of at most so many columns, its end replaced by an ellipsis."""
    width = 0
    line = clean(text)
    for index, sign in enumerate(line):
        width += _columns_of(sign)
        if width > columns:
            return line[: index - 1].rstrip() + "…"
    return line


def _columns_of(sign: str) -> int:
    """Return how many columns a sign takes."""
    if unicodedata.east_asian_width(sign) in "WF":
        return 2
    return 0 if unicodedata.combining(sign) else 1
