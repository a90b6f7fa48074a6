"""The effects of the agent and of the model: pairs that differ in one of these and agree in all else.

A sentence is written only about a clear difference, and costs are compared only where both are reported, or both by
list price.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from sitegen import figures
from sitegen.html.render import Page, View
from sitegen.masking.redact import Numbers, number_masks
from sitegen.numbers.comparison import Comparison, Contrast
from sitegen.numbers.contrast_parts import comparison_on, describe_opposite
from sitegen.numbers.statistics import Measure
from sitegen.numbers.wording import CLEAR, Claim, Sizes, say, signed
from sitegen.pages.compare import EFFECTS_PATH, MAX_HELD, OVERVIEW_PATH, Comparisons, pair_path
from sitegen.pages.latex_table import block_to_latex
from sitegen.pages.text_tables import TextTable, links_of
from sitegen.pages.views import BlockView, CellView, DrawnRowView, HeadView, Mark
from sitegen.text.names import natural_order

NAME = "agent-and-model"
MAX_SENTENCES = 3
_FIGURES = (HeadView("Success", is_drawn=True), HeadView("Cost"), HeadView("Shared tasks"))
_HEADS = (
    "factor",
    "held",
    "a",
    "b",
    "tasks",
    "success_a",
    "success_b",
    "success_difference",
    "success_low",
    "success_high",
    "cost_tasks",
    "cost_a_usd",
    "cost_b_usd",
    "cost_difference_usd",
    "cost_low_usd",
    "cost_high_usd",
)


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two configurations that differ in one factor."""

    factor: str
    held: str
    a: str
    b: str
    path: str
    comparison: Comparison
    part: str = ""
    """The group of tasks on which they are compared; empty where it is all."""

    @property
    def success(self) -> Contrast:
        return self.comparison.contrasts[Measure.SUCCESS]

    @property
    def cost(self) -> Contrast:
        """The contrast in cost on tasks where both sides are reported, or both at list price."""
        return self.comparison.contrasts[Measure.COST]

    @property
    def clause(self) -> str:
        """The clear differences, as a clause; empty if there are none."""
        contrasts = (self.success, self.cost)
        clear = [contrast for contrast in contrasts if contrast.effect in CLEAR]
        return say([Claim.of(contrast, self.a, self.b) for contrast in clear], Sizes.CLEAR)


def _pairs(compared: Comparisons) -> list[_Pair]:
    factors = compared.chosen.factors
    pairs = []
    for (by, a, b), comparison in compared.held:
        (factor,) = compared.chosen.apart(a, b)
        other = "model" if factor == "agent" else "agent"
        held = []
        for name in factors[a]:
            is_varied = name != factor and len({values[name] for values in factors.values()}) > 1
            if name == other or is_varied:
                held.append(_value(factors[a], name))
        pair = _Pair(
            factor,
            " · ".join(held),
            _value(factors[a], factor),
            _value(factors[b], factor),
            pair_path(by, a, b),
            comparison,
        )
        pairs.append(pair)
    pairs.sort(key=lambda pair: (pair.factor != "agent", not pair.clause, natural_order(pair.held)))
    return pairs


def _value(factors: Mapping[str, str], name: str) -> str:
    value = factors[name]
    return value.removeprefix("Claude ") if name == "model" else value


def _parts(compared: Comparisons, pairs: Sequence[_Pair]) -> list[_Pair]:
    """Return the pairs on the tasks of each group, where the settings split by a property of tasks."""
    groups = compared.chosen.groups
    parts = []
    for group in dict.fromkeys(groups.values()):
        for pair in pairs:
            comparison = comparison_on(pair.comparison, groups, group)
            if comparison.tasks:
                parts.append(replace(pair, comparison=comparison, part=group))
    return parts


def effects_blocks(compared: Comparisons) -> list[BlockView]:
    """Return the tables of the page."""
    pairs = _pairs(compared)
    parts = _parts(compared, pairs)
    pages = {pair_path(*pair) for pair, _ in compared.pairs}
    ends: list[float] = []
    for pair in (*pairs, *parts):
        if interval := pair.success.difference:
            ends += (abs(interval.low), abs(interval.high))
    reach = max(ends, default=0.0) or 1.0
    by = f" by {compared.chosen.split_by}"
    blocks: list[BlockView] = []
    for factor, other in (("agent", "model"), ("model", "agent")):
        names = (HeadView(factor.capitalize()), HeadView(other.capitalize(), is_text=True))
        note = f"With the same {other}."
        heading = f"What the {factor} adds"
        for name, title, listed in (
            (factor, heading, pairs),
            (f"{factor}-by", f"{heading}{by}", parts),
        ):
            rows = tuple(_row(pair, pages, reach) for pair in listed if pair.factor == factor)
            if rows:
                blocks.append(BlockView(name, title, note, (*names, *_FIGURES), rows))
    return blocks


def effects_latex(compared: Comparisons) -> str:
    """Return the tables of the page as LaTeX."""
    return "\n".join(map(block_to_latex, effects_blocks(compared)))


def effects_page(compared: Comparisons) -> Page:
    """Return the page of these effects."""
    pairs = _pairs(compared)
    cut = f"No more than {MAX_HELD} pairs are listed." if len(pairs) == MAX_HELD else ""
    blocks = effects_blocks(compared)
    about = "Configurations that differ in their agent or in their model alone, on shared tasks."
    lead = " ".join([_lead(pairs), *_opposites(compared, pairs)])
    view = View(lead=lead, remark=cut, blocks=blocks, files=links_of(NAME))
    template = "agent-and-model.html.jinja"
    title = compared.overview.effects.text
    return Page(EFFECTS_PATH, template, title, about, "compare", view)


def _lead(pairs: Sequence[_Pair]) -> str:
    """Return the clear differences of these pairs, or how many are clear."""
    clear = [f"With {pair.held}, {pair.clause}." for pair in pairs if pair.clause]
    if len(clear) > MAX_SENTENCES:
        return f"{len(clear)} of {len(pairs)} pairs differ clearly in success or cost."
    if clear:
        return " ".join(clear)
    if not any(pair.success.difference or pair.cost.difference for pair in pairs):
        return "Too few shared tasks with known success or cost."
    names = "this pair" if len(pairs) == 1 else f"any of the {figures.count(len(pairs))} pairs"
    return f"No clear difference in success or cost in {names}."


def _opposites(compared: Comparisons, pairs: Sequence[_Pair]) -> list[str]:
    """Return where differences are opposite in groups of tasks, as sentences."""
    chosen = compared.chosen
    sentences = []
    for pair in pairs:
        sentence = describe_opposite(pair.comparison, chosen.split_by, chosen.groups)
        if sentence:
            sentences.append(f"{pair.b} over {pair.a}, with {pair.held}: {sentence}")
    return sentences[:MAX_SENTENCES]


def _row(pair: _Pair, pages: set[str], reach: float) -> DrawnRowView:
    """Return a row, its drawing on a scale up to `reach`."""
    success, cost = pair.success, pair.cost
    size = f"{figures.points(success.mean_difference)} points"
    passed = _cell(success, size, figures.points, _mark(success, reach))
    dollars = partial(signed, write=figures.money)
    spent = _cell(cost, dollars(cost.mean_difference), dollars)
    tasks = CellView(figures.count(len(success.tasks or pair.comparison.tasks)))
    href = pair.path if pair.path in pages else OVERVIEW_PATH
    cells = (CellView(pair.held), passed, spent, tasks)
    return DrawnRowView(f"{pair.b} over {pair.a}", cells, href, part=pair.part)


def _cell(
    contrast: Contrast, size: str, write: figures.Write, mark: Mark | None = None
) -> CellView:
    if contrast.mean_difference is None:
        return CellView(figures.UNKNOWN)
    ends = contrast.difference
    note = figures.from_to(ends.low, ends.high, write) if ends else "too few tasks"
    return CellView(size, note, mark=mark)


def _mark(contrast: Contrast, reach: float) -> Mark | None:
    """Return the mark of a difference and its interval, on a scale up to `reach`; hollow if it is not clear."""
    mean = contrast.mean_difference
    ends = contrast.difference
    if mean is None or ends is None:
        return None
    low, high, x = ((1 + size / reach) / 2 for size in (ends.low, ends.high, mean))
    return Mark(x, low, high, "t" if contrast.effect in CLEAR else "ring", zero=0.5)


def effects_tables(compared: Comparisons) -> dict[str, Callable[[], TextTable]]:
    """Return the tables of the page by name, as plain numbers."""
    pairs = _pairs(compared)
    tables: dict[str, Callable[[], TextTable]] = {NAME: partial(effects_table, pairs)}
    if parts := _parts(compared, pairs):
        split_by = compared.chosen.split_by
        tables[f"{NAME}-by-{split_by}"] = partial(effects_table, parts, split_by)
    return tables


def effects_table(pairs: Sequence[_Pair], split_by: str = "") -> TextTable:
    """Return pairs as plain numbers; shares of success are from 0 to 1."""
    numbers: Numbers = {}  # before cells are escaped, which would take masks apart
    rows = []
    for pair in pairs:
        names = [pair.part] if pair.part else []
        names += (pair.factor, pair.held, pair.a, pair.b)
        masked = [number_masks(name, numbers) for name in names]
        rows.append([*masked, *_figures(pair.success), *_figures(pair.cost)])
    heads = [split_by, *_HEADS] if split_by else _HEADS
    return TextTable(heads, rows)


def _figures(contrast: Contrast) -> Iterator[float | None]:
    yield len(contrast.tasks)
    ends = contrast.difference
    low, high = (ends.low, ends.high) if ends else (None, None)
    for figure in (contrast.a, contrast.b, contrast.mean_difference, low, high):
        yield None if figure is None else round(figure, 6)
