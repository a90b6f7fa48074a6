"""The effects of the agent and of the model: pairs that differ in one of these and agree in all else.

A sentence is written only about a clear difference, and costs are compared only where both are reported, or both by
list price.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from sitegen import figures
from sitegen.html.render import Page, View
from sitegen.masking.redact import number_masks
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
    def said(self) -> str:
        """The clear differences, as a clause; empty if there are none."""
        clear = [each for each in (self.success, self.cost) if each.effect in CLEAR]
        return say([Claim.of(each, self.a, self.b) for each in clear], Sizes.CLEAR)


def _pairs(compared: Comparisons) -> list[_Pair]:
    chosen = compared.chosen
    found = []
    values = [
        set(each) for each in zip(*(own.values() for own in chosen.factors.values()), strict=True)
    ]
    for (by, a, b), comparison in compared.held:
        (factor,), own = chosen.apart(a, b), chosen.factors[a]
        other = "model" if factor == "agent" else "agent"
        varied = [
            name
            for name, of in zip(own, values, strict=True)
            if name == other or (len(of) > 1 and name != factor)
        ]
        one, two = (
            chosen.factors[name][factor].removeprefix("Claude " * (factor == "model"))
            for name in (a, b)
        )
        held = " · ".join(own[name].removeprefix("Claude " * (name == "model")) for name in varied)
        found.append(_Pair(factor, held, one, two, pair_path(by, a, b), comparison))
    return sorted(
        found, key=lambda pair: (pair.factor != "agent", not pair.said, natural_order(pair.held))
    )


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
    split_by = compared.chosen.split_by
    parts = _parts(compared, pairs)
    pages = {pair_path(*pair) for pair, _ in compared.pairs}
    drawn = (pair.success.difference for pair in [*pairs, *parts])
    ends = [abs(end) for interval in drawn if interval for end in (interval.low, interval.high)]
    reach = max(ends, default=1.0) or 1.0
    blocks: list[BlockView] = []
    for factor, other in (("agent", "model"), ("model", "agent")):
        heads = (
            HeadView(factor.capitalize()),
            HeadView(other.capitalize(), is_text=True),
            *_FIGURES,
        )
        note = f"With the same {other}."
        for name, listed, suffix in (
            (factor, pairs, ""),
            (f"{factor}-by", parts, f" by {split_by}"),
        ):
            rows = tuple(_view(pair, pages, reach) for pair in listed if pair.factor == factor)
            if rows:
                heading = f"What the {factor} adds{suffix}"
                blocks.append(BlockView(name, heading, note, heads, rows))
    return blocks


def effects_latex(compared: Comparisons) -> str:
    """Return the tables of the page as LaTeX."""
    return "\n".join(map(block_to_latex, effects_blocks(compared)))


def effects_page(compared: Comparisons) -> Page:
    """Return the page of these effects."""
    pairs = _pairs(compared)
    said = [f"With {each.held}, {each.said}." for each in pairs if each.said]
    count = f"{len(said)} of {len(pairs)} pairs differ clearly in success or cost."
    lead = " ".join(said) if len(said) <= MAX_SENTENCES else count
    known = any(contrast.difference for each in pairs for contrast in (each.success, each.cost))
    pair = "this pair" if len(pairs) == 1 else f"any of the {figures.count(len(pairs))} pairs"
    none = f"No clear difference in success or cost in {pair}."
    none = none if known else "Too few shared tasks with known success or cost."
    cut = f"No more than {MAX_HELD} pairs are listed." if len(pairs) == MAX_HELD else ""
    chosen = compared.chosen
    opposite = []
    for each in pairs:
        sentence = describe_opposite(each.comparison, chosen.split_by, chosen.groups)
        if sentence:
            opposite.append(f"{each.b} over {each.a}, with {each.held}: {sentence}")
    lead = " ".join([lead or none, *opposite[:MAX_SENTENCES]])
    blocks = effects_blocks(compared)
    about = "Configurations that differ in their agent or in their model alone, on shared tasks."
    view = View(lead=lead, remark=cut, blocks=tuple(blocks), files=links_of(NAME))
    return Page(
        EFFECTS_PATH,
        "agent-and-model.html.jinja",
        compared.overview.effects.text,
        about,
        "compare",
        view,
    )


def _size(contrast: Contrast) -> str:
    if contrast.measure is Measure.SUCCESS:
        return f"{figures.points(contrast.mean_difference)} points"
    return signed(contrast.mean_difference, figures.money)


def _view(pair: _Pair, pages: set[str], reach: float) -> DrawnRowView:
    success = pair.success
    cost = pair.cost
    passed = _cell(success, figures.points, _mark(success, reach))
    spent = _cell(cost, partial(signed, write=figures.money))
    tasks = CellView(figures.count(len(success.tasks or pair.comparison.tasks)))
    href = pair.path if pair.path in pages else OVERVIEW_PATH
    cells = (CellView(pair.held), passed, spent, tasks)
    return DrawnRowView(f"{pair.b} over {pair.a}", cells, href, part=pair.part)


def _cell(contrast: Contrast, write: figures.Write, mark: Mark | None = None) -> CellView:
    if contrast.mean_difference is None:
        return CellView(figures.UNKNOWN)
    ends = contrast.difference
    note = figures.from_to(ends.low, ends.high, write) if ends else "too few tasks"
    return CellView(_size(contrast), note, mark=mark)


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
    masked = partial(
        number_masks, numbers={}
    )  # before cells are escaped, which would take masks apart
    rows = [
        [
            *map(masked, (*filter(None, [each.part]), each.factor, each.held, each.a, each.b)),
            *_figures(each.success),
            *_figures(each.cost),
        ]
        for each in pairs
    ]
    return TextTable([*filter(None, [split_by]), *_HEADS], rows)


def _figures(contrast: Contrast) -> Iterator[float | None]:
    yield len(contrast.tasks)
    low, high = (
        (contrast.difference.low, contrast.difference.high) if contrast.difference else (None, None)
    )
    for each in (contrast.a, contrast.b, contrast.mean_difference, low, high):
        yield None if each is None else round(each, 6)
