"""Specs as files of their own, to be opened in an editor of Vega-Lite and changed there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sitegen.charts import Chart

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"

_AT_RULE = re.compile(r"@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
"""What holds for some readers only, such as those who ask for more contrast."""
_ROOT = re.compile(r"(?<!\w):root\s*\{([^}]*)\}")
_VARIABLE = re.compile(r"(--[\w-]+)\s*:\s*([^;}]+)")
_LIGHT_DARK = re.compile(r"light-dark\(\s*((?:[^(),]|\([^()]*\))+),.*\)")
_USE = re.compile(r"var\((--[\w-]+)\)")


def spec_files(drawn: Iterable[Chart], stylesheet: str) -> dict[str, bytes]:
    """`charts/<id>.vl.json` for each chart: Vega-Lite complete with data, title and legend, and with the colours that
    the stylesheet gives last, in the light scheme. Links are data there, not links."""
    given = ";".join(_ROOT.findall(_AT_RULE.sub("", stylesheet)))
    colors = {name: _LIGHT_DARK.sub(r"\1", value).strip() for name, value in _VARIABLE.findall(given)}
    return {
        f"charts/{chart.id}.vl.json": json.dumps(
            {"$schema": SCHEMA, **_colored(_whole(chart), colors)}, ensure_ascii=False, allow_nan=False, indent=1
        ).encode()
        + b"\n"
        for chart in drawn
    }


def _whole(chart: Chart) -> dict[str, Any]:
    """The spec with what its page says beside it."""
    layers = [
        {**layer, "encoding": {channel: how for channel, how in layer["encoding"].items() if channel != "href"}}
        for layer in (*chart.spec["layer"], *chart.alone["layer"])
    ]
    datasets = {**chart.spec["datasets"], **chart.alone["datasets"]}
    return {**chart.spec, **chart.alone, "layer": layers, "datasets": datasets}


def _colored(value: Any, colors: Mapping[str, str]) -> Any:
    """The value with the colours that its CSS variables stand for."""
    if isinstance(value, dict):
        return {key: _colored(inner, colors) for key, inner in value.items()}
    if isinstance(value, list):
        return [_colored(inner, colors) for inner in value]
    while isinstance(value, str) and (used := _USE.fullmatch(value)) and used[1] in colors:
        value = colors[used[1]]
    return value
