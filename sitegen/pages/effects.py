"""The effects of the agent and of the model: pairs that differ in one of these and agree in all else.

A sentence is written only about a clear difference, and costs are compared only where both are reported, or both by
list price.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from sitegen import figures
from sitegen.html.render import Page, View
from sitegen.masking.redact import number_masks
from sitegen.numbers.comparison import Comparison, Contrast
from sitegen.numbers.statistics import Measure
from sitegen.numbers.wording import CLEAR, Claim, Sizes, say, signed
from sitegen.pages.compare import EFFECTS_PATH, MAX_HELD, OVERVIEW_PATH, Comparisons, pair_path
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


def effects_page(compared: Comparisons) -> Page:
    """Return the page of these effects."""
    pairs = _pairs(compared)
    pages = {pair_path(*pair) for pair, _ in compared.pairs}
    said = [f"With {each.held}, {each.said}." for each in pairs if each.said]
    count = f"{len(said)} of {len(pairs)} pairs differ clearly in success or cost."
    lead = " ".join(said) if len(said) <= MAX_SENTENCES else count
    known = any(contrast.difference for each in pairs for contrast in (each.success, each.cost))
    pair = "this pair" if len(pairs) == 1 else f"any of the {figures.count(len(pairs))} pairs"
    none = f"No clear difference in success or cost in {pair}."
    none = none if known else "Too few shared tasks with known success or cost."
    cut = f"No more than {MAX_HELD} pairs are listed." if len(pairs) == MAX_HELD else ""
    drawn = (each.success.difference for each in pairs)
    reach = (
        max((abs(end) for ends in drawn if ends for end in (ends.low, ends.high)), default=1.0)
        or 1.0
    )
    blocks: list[BlockView] = []
    for factor, other in (("agent", "model"), ("model", "agent")):
        heads = (
            HeadView(factor.capitalize()),
            HeadView(other.capitalize(), is_text=True),
            *_FIGURES,
        )
        if rows := tuple(_view(each, pages, reach) for each in pairs if each.factor == factor):
            blocks.append(
                BlockView(factor, f"What the {factor} adds", f"With the same {other}.", heads, rows)
            )
    about = "Configurations that differ in their agent or in their model alone, on shared tasks."
    view = View(lead=lead or none, remark=cut, blocks=tuple(blocks), files=links_of(NAME))
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
    return DrawnRowView(
        f"{pair.b} over {pair.a}", (CellView(pair.held), passed, spent, tasks), href
    )


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


def effects_table(compared: Comparisons) -> TextTable:
    """Return the page as a table of plain numbers; shares of success are from 0 to 1."""
    masked = partial(
        number_masks, numbers={}
    )  # before cells are escaped, which would take masks apart
    rows = [
        [
            *map(masked, (each.factor, each.held, each.a, each.b)),
            *_figures(each.success),
            *_figures(each.cost),
        ]
        for each in _pairs(compared)
    ]
    return TextTable(_HEADS, rows, "llll" + "r" * (len(_HEADS) - 4))


def _figures(contrast: Contrast) -> Iterator[float | None]:
    yield len(contrast.tasks)
    low, high = (
        (contrast.difference.low, contrast.difference.high) if contrast.difference else (None, None)
    )
    for each in (contrast.a, contrast.b, contrast.mean_difference, low, high):
        yield None if each is None else round(each, 6)
