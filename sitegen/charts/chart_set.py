"""The charts of a set of runs: what `findings` says, as a spec of `specs`, drawn by `chart`, and handed to the page.

A chart is drawn for wide and for narrow columns, and its spec makes the same chart alive. Its title and its table
stand whatever becomes of the drawing.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import Any

from sitegen.cache.memory import NO_MEMORY, Memory, ValueKind
from sitegen.charts import converter
from sitegen.charts.axes import SLIM, WIDE, Frame
from sitegen.charts.drawing import compact
from sitegen.charts.findings import Finding, Key, ModelColors, by_row
from sitegen.charts.findings.money_by_kind import Split, money_by_kind
from sitegen.charts.findings.points import cost_by_score, cost_by_success
from sitegen.charts.findings.spend import spend
from sitegen.charts.findings.token_kinds import tokens_by_kind
from sitegen.charts.findings.turns import cost_by_turns
from sitegen.model import Entry
from sitegen.numbers.intervals import Question

Spec = Mapping[str, Any]
DRAWN = ValueKind[tuple[Spec, str | None, str | None]](
    "drawing", tuple[dict[str, Any], str | None, str | None]
)
"""A spec without data and title, and its drawings, wide and slim; None for what cannot be drawn."""


def chart(finding: Finding, memory: Memory) -> Finding:
    """Return a finding with its spec and its drawings; what the memory has of an earlier build is not made again."""
    stamp = memory.stamp(finding)
    drawn = memory.recall(DRAWN, finding.id, stamp) or drawings(finding)
    memory.keep(DRAWN, finding.id, stamp, drawn)
    return replace(finding, spec=whole(drawn[0], finding), wide_svg=drawn[1], slim_svg=drawn[2])


def whole(spec: Spec, finding: Finding) -> dict[str, Any]:
    """Return a spec with its data, and with its title and note in as many lines as they take at this width."""
    title = {"text": textwrap.wrap(finding.title, 54), "subtitle": textwrap.wrap(finding.note, 84)}
    return {**spec, "title": title, "description": finding.method, "datasets": finding.data}


def drawings(finding: Finding) -> tuple[Spec, str | None, str | None]:
    """Return the spec and the drawings of a finding."""
    from sitegen.charts import specs  # altair takes a third of a second to import

    spec = specs.spec(finding.id, finding.plot)
    no_rows: dict[str, list[Any]] = {name: [] for name in finding.data}
    frame = finding.plot.frame
    vega = converter.call("vegalite_to_vega", {**in_page(spec, frame), "datasets": no_rows})
    if vega is None:
        return spec, None, None
    for dataset in vega["data"]:
        if dataset["name"] in finding.data:
            dataset["values"] = finding.data[dataset["name"]]
    drawn = []
    for width, css_class in ((WIDE, "chart-wide"), (SLIM, "chart-slim")):
        sized = {**vega, "width": frame.plot(width)}
        svg = converter.call("vega_to_svg", sized, allowed_base_urls=[])
        drawn.append(compact(svg, css_class))
    return spec, drawn[0], drawn[1]


def in_page(spec: Spec, frame: Frame) -> dict[str, Any]:
    """Return a spec as pages show it: they have its title and its legend as HTML, and nothing in it may be measured."""
    config = {**spec["config"], "background": "transparent", "legend": {"disable": True}}
    return {**spec, "autosize": "none", "padding": asdict(frame), "config": config}


@dataclass(frozen=True, slots=True)
class Charts:
    """The charts of a set of runs."""

    drawn: tuple[Finding, ...]
    left_out: tuple[str, ...]  # one sentence for each chart that would have said nothing
    problem: str | None  # the reason why drawings are missing, if any is
    models: tuple[Key, ...]
    """The colours of the models of the runs, that of the most runs first; empty where there is one model."""


def charts(
    entries: Sequence[Entry],
    split: Split,
    *,
    color: Callable[[str], str],
    memory: Memory = NO_MEMORY,
    **further: Any,
) -> Charts:
    """Return the charts of these runs; the rest is as in `said_of`. What the `memory` has of an earlier build is not
    made again."""
    drawn = []
    left_out = []
    for made in said_of(entries, split, color=color, **further).values():
        if isinstance(made, Finding):
            drawn.append(chart(made, memory))
        elif made:
            left_out.append(made)
    members = by_row(entries)
    models: tuple[Key, ...] = ()
    if len(members) > 1:
        sizes = {model: len(runs) for model, runs in members.items()}
        models = ModelColors.of(sizes, color).legend
    return Charts(tuple(drawn), tuple(left_out), _problem(drawn), models)


def _problem(drawn: Sequence[Finding]) -> str | None:
    """Return why drawings are missing, if any is."""
    missing = sum(finding.wide_svg is None or finding.slim_svg is None for finding in drawn)
    if not missing:
        return None
    failed = "is not installed"
    if converter.is_installed():
        failed = f"could not draw {missing} of {len(drawn)}"
    return f"Charts are shown as tables only because vl-convert {failed}: {converter.obstacle()}."


def said_of(
    entries: Sequence[Entry],
    split: Split,
    *,
    color: Callable[[str], str],
    shapes: Mapping[str, str] = MappingProxyType({}),
    question: Question = Question.TASKS_LIKE_THESE,
    is_listed: bool = False,
) -> Mapping[str, Finding | str | None]:
    """Return what each chart says of these runs, the first question first: a sentence where it would say nothing, None
    where another one says the same or nothing is known.

    `split[entry.id]` is a run's cost in USD by TOKEN_KINDS, for the runs whose list price reproduces their reported
    cost. `color` gives the colour of a model by its display name, as `var(--m-<slug>)`, or GREY where it has none of
    its own; `shapes` are those of the marks of a colour. `question` is that of the intervals. With `is_listed`, costs
    are at list price, and the charts say so.
    """
    made = {
        "cost-by-score": cost_by_score(entries, color, question),
        "cost-by-success": cost_by_success(entries, color, question),
        "money-by-kind": money_by_kind(entries, split),
        "cost-by-turns": cost_by_turns(entries, color),
        "tokens-by-kind": tokens_by_kind(entries),
        "spend": spend(entries, color),
    }
    for name, finding in made.items():
        if isinstance(finding, Finding):
            if is_listed and name != "tokens-by-kind":
                finding = _at_list_price(finding)
            made[name] = _with_marks(replace(finding, id=name), shapes)
    return made


def _with_marks(finding: Finding, shapes: Mapping[str, str]) -> Finding:
    """Return the same with marks in the shapes of their colours, and with what its layers have values of."""
    legend = []
    for key in finding.legend:
        legend.append(key._replace(shape=shapes.get(key.color, key.shape)))
    used = {color: shapes[color] for color in finding.plot.colors.values() if color in shapes}
    parts = set()
    for name, rows in finding.data.items():
        if rows:
            parts.add(name)
        for row in rows:
            for column, value in row.items():
                if value is not None and value is not False:
                    parts.add(column)
            if "status" in row:
                parts.add("full" if row["status"] == "ok" else "hollow")
    plot = replace(finding.plot, shapes=used, parts=frozenset(parts))
    return replace(finding, legend=tuple(legend), plot=plot)


_MONEY = re.compile(r"\$(?=\d)|(?<![\d.])(?=[\d.]+¢)")


def _at_list_price(finding: Finding) -> Finding:
    """Return the same about costs at list price, which have a column of their own."""
    columns = {"cost_usd": "computed_cost_usd"}
    return replace(
        finding,
        title=_MONEY.sub(r"≈ \g<0>", finding.title),
        note=f"{finding.note.removesuffix('.')}; at list price.",
        method=f"{finding.method} All costs are at list price, not as reported.",
        brush_x=tuple(columns.get(column, column) for column in finding.brush_x),
        brush_y=columns.get(finding.brush_y or "", finding.brush_y),
    )
