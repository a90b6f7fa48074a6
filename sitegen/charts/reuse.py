"""Charts as pages show them, and their specs as files of their own, to be opened in an editor of Vega-Lite."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sitegen.charts.axes import Frame
from sitegen.charts.findings import Cell, Finding, Key
from sitegen.charts.kept import Drawing, LaidOut

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"

_AT_RULE = re.compile(r"@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
"""What holds for some readers only, such as those who ask for more contrast."""
_ROOT = re.compile(r"(?<!\w):root\s*\{([^}]*)\}")
_VARIABLE = re.compile(r"(--[\w-]+)\s*:\s*([^;}]+)")
_LIGHT_DARK = re.compile(r"light-dark\(\s*((?:[^(),]|\([^()]*\))+),.*\)")
_USE = re.compile(r"var\((--[\w-]+)\)")


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart, ready for its figure."""

    id: str
    title: str
    note: str
    method: str
    """What stands beside the numbers."""
    description: str
    legend: tuple[Key, ...]
    """Empty where marks are labelled directly."""
    columns: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    spec: Mapping[str, Any]
    """Vega-Lite with its data, title and legend."""
    frame: Frame
    """The margins of its plot in pages."""
    wide_svg: str | None
    slim_svg: str | None
    has_links: bool
    """Whether the drawing holds links, so that it is more than a picture."""
    whole: str
    """What of it stays that of all runs when some are filtered out, in a few words."""
    brush_x: str
    """Columns that a drag chooses ranges of, as in `Finding`, joined by spaces."""
    brush_y: str


def ready(finding: Finding, laid: LaidOut, drawing: Drawing) -> Chart:
    """The chart of a finding."""
    return Chart(
        id=finding.id,
        title=finding.title,
        note=finding.note,
        method=finding.method,
        description=finding.description,
        legend=finding.legend,
        columns=finding.table.columns,
        rows=finding.table.rows,
        spec={**laid.spec, **_title(finding), "description": finding.description, "datasets": finding.data},
        frame=finding.plot.frame,
        wide_svg=drawing.wide,
        slim_svg=drawing.slim,
        has_links=bool(finding.links),
        whole=finding.whole,
        brush_x=" ".join(finding.brush_x),
        brush_y=finding.brush_y or "",
    )


def _title(finding: Finding) -> dict[str, Any]:
    """Title and note, in as many lines as they take at this width."""
    return {"title": {"text": textwrap.wrap(finding.title, 54), "subtitle": textwrap.wrap(finding.note, 84)}}


def spec_files(drawn: Iterable[Chart], stylesheet: str) -> dict[str, bytes]:
    """`charts/<id>.vl.json` for each chart: Vega-Lite complete with data, title and legend, and with the colours that
    the stylesheet gives last, in the light scheme. The page of a run is a column. A row of data is a line."""
    given = ";".join(_ROOT.findall(_AT_RULE.sub("", stylesheet)))
    variables = {name: _LIGHT_DARK.sub(r"\1", value).strip() for name, value in _VARIABLE.findall(given)}
    colors = {f"var({name})": _resolved(name, variables) for name in variables}
    return {
        f"charts/{chart.id}.vl.json": _written({"$schema": SCHEMA, **_colored(chart.spec, colors)}).encode()
        for chart in drawn
    }


def _resolved(name: str, variables: Mapping[str, str]) -> str:
    """What a CSS variable comes to, which may be named by another one."""
    value = variables[name]
    for _ in variables:  # which may lead round in a circle
        used = _USE.fullmatch(value)
        if not used or used[1] not in variables:
            break
        value = variables[used[1]]
    return value


def _written(spec: Mapping[str, Any]) -> str:
    """The spec as JSON, its rows by the encoder in C, which cannot indent."""
    rest = {key: value for key, value in spec.items() if key != "datasets"}
    datasets = ",\n".join(
        f"  {json.dumps(name)}: [\n" + ",\n".join(f"   {_json(row)}" for row in rows) + "\n  ]"
        for name, rows in spec["datasets"].items()
    )
    return f'{_json(rest, indent=1)[:-2]},\n "datasets": {{\n{datasets}\n }}\n}}\n'


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)


def _colored(value: Any, colors: Mapping[str, str]) -> Any:
    """The value with the colours that its CSS variables stand for."""
    if isinstance(value, dict):
        return {key: _colored(inner, colors) for key, inner in value.items()}
    if isinstance(value, list):
        return [_colored(inner, colors) for inner in value]
    return colors.get(value, value) if isinstance(value, str) else value
