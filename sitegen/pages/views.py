"""The content of pages, as frozen values: the small ones that several pages share.

A view holds everything its page may show, already decided; templates only lay it out. Numbers are written here,
by `figures`, so that a template never rounds.
"""

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from urllib.parse import urlencode

from sitegen import figures
from sitegen.html.page_names import page_id
from sitegen.model import Entry, Score, by_key
from sitegen.numbers.intervals import Interval
from sitegen.numbers.statistics import AnyMeasure, Dimension, ScoreMeasure, Spread
from sitegen.numbers.wording import WRITERS
from sitegen.text.names import run_path, stem


@dataclass(frozen=True, slots=True)
class RowView:
    """A row of a table: what it is about, then its cells as they are written."""

    label: str
    cells: tuple[str, ...]
    kind: str = ""
    raw: str = ""
    href: str | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """A figure and its interval in a drawing, as shares of its width; `zero` is where a line through it stands."""

    x: float
    low: float | None
    high: float | None
    css: str
    zero: float | None = None


def mark_of(value: float, between: Interval | None, top: float, css: str) -> Mark:
    """Return a figure and its interval on a scale from zero to the top."""
    low, high = (between.low / top, between.high / top) if between else (None, None)
    return Mark(value / top, low, high, css)


@dataclass(frozen=True, slots=True)
class CellView:
    """A figure of a table, and quieter what it rests on; without a mark it is not drawn. `key` is the CSS class of a
    colour before it."""

    text: str
    note: str = ""
    href: str | None = None
    mark: Mark | None = None
    title: str = ""
    key: str = ""
    numeric: bool = True


@dataclass(frozen=True, slots=True)
class HeadView:
    """The head of a column. `css` is the class of its colour in the bars of the rows, `about` its tooltip; by `key` the
    script of the table finds its cells."""

    text: str
    css: str = ""
    is_drawn: bool = False
    key: str = ""
    about: str = ""
    is_text: bool = False


@dataclass(frozen=True, slots=True)
class DrawnRowView:
    """A row of figures; `bar` has its counts as colours, places and shares, `slug` is the CSS class suffix of a model or configuration."""

    name: str
    cells: tuple[CellView, ...]
    href: str = ""
    slug: str | None = None
    bar: tuple[tuple[str, float, float], ...] = ()
    part: str = ""
    """The part of the table that it is in: its name stands above its first row."""


@dataclass(frozen=True, slots=True)
class BlockView:
    """A table of figures. The first head is of the names of rows; `files` are the same for other programs."""

    id: str
    heading: str
    note: str
    heads: tuple[HeadView, ...]
    rows: tuple[DrawnRowView, ...]
    files: "tuple[LinkView, ...]" = ()
    folded: "tuple[LinkView, ...]" = ()
    """Rows that only a folded line names: how many they are, and each."""


@dataclass(frozen=True, slots=True)
class FigureView:
    """One big figure: a label, the value, and what it rests on."""

    label: str
    value: str
    note: str
    exact: str | None = None  # the figure in full, for the tooltip
    data: str | None = None  # the bare number, for programs
    lower_bound: bool = False
    datetime: str | None = None  # a duration in ISO 8601, where the figure is one
    is_named_by_runs: bool = False  # whether the label holds a name out of the files
    key: str = (
        ""  # the key by which the script of the table finds it; empty where it follows no filter
    )


@dataclass(frozen=True, slots=True)
class FactView:
    """A name and a value; the note stands behind it, quieter."""

    label: str
    value: str
    note: str = ""
    href: str | None = None


@dataclass(frozen=True, slots=True)
class LinkView:
    """A link within the site; `href` is relative to the site's top."""

    href: str
    text: str


def in_address(key: str) -> str:
    """Return the key of a field as addresses of the table have it, where commas divide columns."""
    return key.replace("%", "%25").replace(",", "%2C")


Filter = Mapping[str, Sequence[str]]
"""The names that runs have one of, by the key of their field; the empty name is that of runs without one."""


def filter_of(chosen: Filter) -> str:
    """Return the part of an address that filters the table of runs; empty for a name with a mask, which has none."""
    if not all(map(str.isprintable, chain.from_iterable(chosen.values()))):
        return ""
    return "#" + urlencode({in_address(key): names for key, names in chosen.items()}, doseq=True)


def runs_with(chosen: Filter) -> str:
    """Return a link to the runs of the site that have these names; empty if there is no such address."""
    address = filter_of(chosen)
    return address and f"index.html{address}"


PLURALS = {
    Dimension.TASK: "Tasks",
    Dimension.CONFIGURATION: "Configurations",
    Dimension.MODEL: "Models",
    Dimension.CAMPAIGN: "Campaigns",
    Dimension.LABEL: "Labels",
    Dimension.PROJECT: "Projects",
    Dimension.PERSON: "People",
}
"""The names of kinds of groups, in the order in which they are listed."""


def group_path(dimension: str, name: str) -> str:
    """Return where the page of a group lies, such as `tasks/csv-split-1a2b3c4d5e6f.html`: it follows from the name
    alone."""
    return f"{PLURALS[Dimension(dimension)].lower()}/{page_id(name, name)}.html"


def session_link(session: str) -> LinkView:
    """Return a link to a session, which follows from its id alone; see `sessions`."""
    digest = hashlib.blake2b(session.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return LinkView(f"sessions/{digest[:2]}.html#s-{digest}", session)


def model_class(name: str) -> str:
    """Return what follows `m-` in the CSS class and `--m-` in the colour of a model.

    Names that differ in a way that a class cannot show, such as those in other scripts, differ in the digits at its
    end; fewer of them could be made to be those of another model.
    """
    return page_id(name, name)


def colour_class(name: str | None) -> str:
    """Return the CSS class of the colour of a model or configuration; a grey one without a name."""
    return f"m-{model_class(name)}" if name else "soft"


MODEL_COLOURS = 4


SHAPES = {
    "circle": "circle(50%)",
    "diamond": "polygon(50% 0,100% 50%,50% 100%,0 50%)",
    "triangle-up": "polygon(50% 0,94% 76%,6% 76%)",
    "square": "polygon(14% 14%,86% 14%,86% 86%,14% 86%)",
    "triangle-down": "polygon(6% 24%,94% 24%,50% 100%)",
    "cross": "polygon(33% 0,67% 0,67% 33%,100% 33%,100% 67%,67% 67%,67% 100%,33% 100%,33% 67%,0 67%,0 33%,33% 33%)",
}
"""The shapes of marks of configurations, as charts name and pages cut them."""


@dataclass(frozen=True, slots=True)
class Look:
    """The mark of a configuration or a model."""

    colour: str  # CSS variable of its model; several may have that of OTHERS
    shape: str = ""  # the shape for configurations, that of their agent

    @property
    def is_own(self) -> bool:
        """Whether nothing else looks so."""
        return self.colour != OTHERS


OTHERS = "muted"


def looks(entries: Iterable[Entry]) -> dict[str, Look]:
    """Return how each configuration and each model is marked, by display name: by colour the models that cost most, by
    shape the agents, whatever else is on the site if no two configurations need the same. Others share a grey."""
    spent: dict[str, float] = {}
    configured: dict[str, tuple[str, str]] = {}
    for entry in entries:
        for name, line in zip(entry.ledger_names, entry.run.ledger, strict=True):
            spent[name] = spent.get(name, 0.0) + (line.cost_usd or 0.0)
        if entry.model:
            spent.setdefault(entry.model, 0.0)
        # A run that ended before its model was reached does not know the model of its configuration.
        if entry.configuration and (entry.model or entry.configuration not in configured):
            configured[entry.configuration] = (entry.model or "", entry.agent)
    ranked = sorted(spent, key=lambda name: (-spent[name], name))
    by_name = dict.fromkeys(ranked, Look(OTHERS))
    for rank, name in enumerate(ranked[:MODEL_COLOURS], 1):
        by_name[name] = Look(f"model-{rank}")
    wanted: dict[str, int] = {}
    taken: set[tuple[str, int]] = set()
    for agent in sorted({agent for _, agent in configured.values()}):
        digest = hashlib.blake2b(agent.encode("utf-8", "surrogatepass")).hexdigest()
        wanted[agent] = _take_shape(int(digest, 16) % 4, "", taken)
    for name, (model, agent) in sorted(configured.items()):
        place = _take_shape(wanted[agent], model, taken)
        colour = by_name[model].colour if model in by_name and place < len(SHAPES) else OTHERS
        by_name[name] = Look(colour, [*SHAPES, ""][place])
    return by_name


def _take_shape(wanted: int, among: str, taken: set[tuple[str, int]]) -> int:
    """Take the shape that is wanted, or the next that nothing else has; the number of shapes where none is left."""
    places = [(wanted + step) % len(SHAPES) for step in range(len(SHAPES))]
    free = [place for place in places if (among, place) not in taken]
    place = free[0] if free else len(SHAPES)
    taken.add((among, place))
    return place


def run_link(entry: Entry) -> LinkView:
    """Return a link to the page of a run."""
    return LinkView(run_path(entry.id), entry.name)


MAX_BESIDE = 72  # characters of what stands beside the name of a run in a list


def beside_name(entry: Entry) -> str | None:
    """Return what tells a run without a task apart: the first words of its account."""
    words = None if entry.task else subtitle(entry)
    if words is None or len(words) <= MAX_BESIDE:
        return words
    return f"{words[: MAX_BESIDE - 1].rstrip()}…"


def subtitle(entry: Entry) -> str | None:
    """Return what the account of a run begins with, where its name does not say it."""
    return entry.about if entry.about not in (entry.title, stem(entry.source.path)) else None


# How scores are written.


def score_writer(
    measure: ScoreMeasure, size: float, interval: Interval | None = None
) -> figures.Write:
    """Writes means of a score with its unit, as exact as the interval or one of this size deserves: `7.2x`, `0.85`."""
    if measure.is_share:
        return figures.share
    size = abs(size)
    decimals = 1
    if size >= 100:
        decimals = 0
    elif 0 < size < 1:
        decimals = min(1 - math.floor(math.log10(size)), 4)
    if interval:
        decimals = max(decimals, figures.decimals_of((interval.low, size, interval.high)))
    return lambda value: figures.with_unit(figures.fixed(value, decimals), measure.unit)


def score_columns(entries: Iterable[Entry]) -> dict[str, figures.FigureFormat]:
    """Return how each score of single runs is written wherever a page shows these: as in their table."""
    columns = {}
    scores = chain.from_iterable(entry.scores for entry in entries)
    for name, named in by_key(scores, lambda score: score.name).items():
        units = {score.unit or "" for score in named}
        unit = units.pop() if len(units) == 1 else ""
        columns[name] = figures.score_column(unit, (score.value for score in named))
    return columns


def score_text(score: Score, column: figures.FigureFormat | None = None) -> str:
    """Return the score of one run, with its name: `speedup 5.8x`."""
    write = column.in_full if column else figures.score
    computed = " (computed)" if score.is_computed else ""
    return f"{score.name} {write(score.value, score.unit)}{computed}"


def spread_ends(measure: AnyMeasure, spread: Spread) -> str:
    """Return both ends of the interval of a mean, one beyond every run as `less than` the smallest of them or `more
    than` the largest; empty without an interval."""
    between, least, most = spread.interval, spread.least, spread.most
    if between is None or spread.mean is None:
        return ""
    is_below = least is not None and between.low < least
    is_above = most is not None and between.high > most
    if measure.is_share or not (is_below or is_above):
        return _ends(measure, between, spread.mean)
    write = mean_writer(measure, spread.mean, between)
    low = f"less than {write(least)}" if is_below else write(between.low)
    high = f"more than {write(most)}" if is_above else write(between.high)
    return f"{low} to {high}"


def mean_writer(
    measure: AnyMeasure, mean: float, interval: Interval | None = None
) -> figures.Write:
    """Return how means of a measure are written: scores as exact as the interval or this mean deserves."""
    if isinstance(measure, ScoreMeasure):
        return score_writer(measure, mean, interval)
    return WRITERS[measure]


def _ends(measure: AnyMeasure, interval: Interval, mean: float) -> str:
    """Return both ends of an interval, the unit of a score once: `4.0 to 13.2x`."""
    if measure.is_share:
        return f"{figures.shares(interval.low, 1, 0)} to {figures.share(interval.high)}"
    write = low = mean_writer(measure, mean, interval)
    if isinstance(measure, ScoreMeasure) and math.isfinite(interval.low + interval.high):
        low = score_writer(ScoreMeasure(measure.name), mean, interval)
        return f"{low(interval.low)} to {write(interval.high)}"
    return figures.from_to(interval.low, interval.high, write)
