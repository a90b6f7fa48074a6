"""The content of pages, as frozen values: the small ones that several pages share.

A view holds everything its page may show, already decided; templates only lay it out. Numbers are written here,
by `figures`, so that a template never rounds.
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from urllib.parse import urlencode

from sitegen import figures
from sitegen.html.page_names import page_id
from sitegen.model import Entry, Score
from sitegen.numbers.intervals import Interval
from sitegen.numbers.statistics import AnyMeasure, Dimension, Measure, ScoreMeasure, Spread
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
        if entry.configuration:
            configured[entry.configuration] = (entry.model or "", entry.agent)
    ranked = enumerate(sorted(spent, key=lambda name: (-spent[name], name)), 1)
    found = {
        name: Look(f"model-{rank}" if rank <= MODEL_COLOURS else OTHERS) for rank, name in ranked
    }
    wanted: dict[str, int] = {}
    taken: set[tuple[str, int]] = set()
    for agent in sorted({agent for _, agent in configured.values()}):
        wanted[agent] = _free(
            int(hashlib.blake2b(agent.encode("utf-8", "surrogatepass")).hexdigest(), 16) % 4,
            "",
            taken,
        )
    for name, (model, agent) in sorted(configured.items()):
        at = _free(wanted[agent], model, taken)
        colour = found[model].colour if model in found and at < len(SHAPES) else OTHERS
        found[name] = Look(colour, [*SHAPES, ""][at])
    return found


def _free(wanted: int, among: str, taken: set[tuple[str, int]]) -> int:
    """Return the shape that is wanted, or the next that nothing else has; the number of shapes where none is left."""
    places = (at % len(SHAPES) for at in range(wanted, wanted + len(SHAPES)))
    at = next((at for at in places if (among, at) not in taken), len(SHAPES))
    taken.add((among, at))
    return at


def run_link(entry: Entry) -> LinkView:
    """Return a link to the page of a run."""
    return LinkView(run_path(entry.id), entry.name)


MAX_BESIDE = 72  # characters of what stands beside the name of a run in a list


def beside_name(entry: Entry) -> str | None:
    """Return what tells a run without a task apart: the first words of its account."""
    said = None if entry.task else subtitle(entry)
    if said is None or len(said) <= MAX_BESIDE:
        return said
    return f"{said[: MAX_BESIDE - 1].rstrip()}…"


def subtitle(entry: Entry) -> str | None:
    """Return what the account of a run begins with, where its name does not say it."""
    return entry.about if entry.about not in (entry.title, stem(entry.source.path)) else None


# How scores are written.


def score_writer(
    measure: ScoreMeasure, size: float, interval: Interval | None = None
) -> Callable[[float | None], str]:
    """Writes means of a score with its unit, as exact as the interval or one of this size deserves: `7.2x`, `0.85`."""
    if measure.is_share:
        return lambda value: figures.percent(value, 1)
    size = abs(size)
    decimals = (
        0
        if size >= 100
        else 1
        if size >= 1 or not size
        else min(1 - math.floor(math.log10(size)), 4)
    )
    if interval:
        decimals = max(decimals, figures.decimals_of((interval.low, size, interval.high)))
    unit = measure.unit or ""
    space = "" if unit in figures.BESIDE or not unit else figures.UNIT_SPACE
    return lambda value: f"{figures.fixed(value, decimals)}{space}{unit}"


def score_columns(entries: Iterable[Entry]) -> dict[str, figures.FigureFormat]:
    """Return how each score of single runs is written wherever a page shows these: as in their table."""
    found: dict[str, list[Score]] = {}
    for entry in entries:
        for score in entry.scores:
            found.setdefault(score.name, []).append(score)
    units = {name: {score.unit or "" for score in scores} for name, scores in found.items()}
    return {
        name: figures.score_column(
            units[name].pop() if len(units[name]) == 1 else "", (each.value for each in scores)
        )
        for name, scores in found.items()
    }


def score_text(score: Score, column: figures.FigureFormat | None = None) -> str:
    """Return the score of one run, with its name: `speedup 5.8x`."""
    value = (
        column.in_full(score.value, score.unit)
        if column
        else figures.score(score.value, score.unit)
    )
    return f"{score.name} {value}{' (computed)' if score.is_computed else ''}"


_FARTHEST = {
    Measure.COST: ("least expensive", "most expensive"),
    Measure.TOKENS: ("smallest", "largest"),
    Measure.WALL: ("shortest", "longest"),
}


def spread_ends(
    measure: AnyMeasure,
    spread: Spread,
    write: figures.Write,
    write_ends: Callable[[Interval], str],
    *,
    names_run: bool = True,
) -> str:
    """Return both ends of the interval of a mean; one beyond every run as `less than` the smallest of them or `more
    than` the largest, which run that is only where there is room for it."""
    between, least, most = spread.interval, spread.least, spread.most
    if between is None:
        return ""
    is_within = least is None or most is None or least <= between.low <= between.high <= most
    if measure.is_share or is_within:
        return write_ends(between)
    names = _FARTHEST[measure] if isinstance(measure, Measure) else ("lowest", "highest")
    lowest, highest = (f" (the {name} run)" if names_run else "" for name in names)
    low = write(between.low)
    high = write(between.high)
    if least is not None and between.low < least:
        low = f"less than {write(least)}{lowest}"
    if most is not None and between.high > most:
        high = f"more than {write(most)}{highest}"
    return f"{low} to {high}"


def score_ends(measure: ScoreMeasure, interval: Interval, size: float) -> str:
    """Return both ends of an interval, the unit once: `4.0 to 13.2x`."""
    if math.isinf(interval.high) or math.isinf(interval.low):
        return figures.from_to(interval.low, interval.high, score_writer(measure, size, interval))
    if measure.is_share:
        return f"{figures.shares(interval.low, 1, 0)} to {figures.percent(interval.high, 1)}"
    low = score_writer(ScoreMeasure(measure.name), size, interval)(interval.low)
    return f"{low} to {score_writer(measure, size, interval)(interval.high)}"
