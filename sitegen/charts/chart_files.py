"""The files of charts: each spec by itself, for an editor of Vega-Lite, all as the data of live charts, and the
JavaScript that draws these, which vl-convert has: it may be missing or fail."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Mapping
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

from sitegen.cache.seal import read_sealed, signing_key, write_sealed
from sitegen.charts import converter
from sitegen.charts.chart_set import in_page, whole
from sitegen.charts.findings import Finding
from sitegen.charts.own import OwnChart
from sitegen.html.data_scripts import script
from sitegen.system.places import cache_folder, is_own_folder

_SNIPPET = "window.sitegenVega = vegaEmbed;"
_MAX_BYTES = 8_000_000
_HEAD = "/*! Vega, Vega-Lite and Vega-Embed; licences: vega-licenses.txt */"

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"

_AT_RULE = re.compile(r"@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
"""The rules for some readers only, such as those who ask for more contrast."""
_ROOT = re.compile(r"(?<!\w):root\s*\{([^}]*)\}")
_VARIABLE = re.compile(r"(--[\w-]+)\s*:\s*([^;}]+)")
_LIGHT_DARK = re.compile(r"light-dark\(\s*((?:[^(),]|\([^()]*\))+),.*\)")


def spec_files(drawn: Iterable[Finding | OwnChart], stylesheet: str) -> dict[str, bytes]:
    """Return `charts/<id>.vl.json` for each chart: Vega-Lite complete with data, title and legend. The page of a run is
    a column. A row of data is a line."""
    colors = light_colors(stylesheet)
    return {
        f"charts/{chart.id}.vl.json": _written(
            {"$schema": SCHEMA, **colored(chart.spec, colors)}
        ).encode()
        for chart in drawn
    }


def live_script(drawn: Iterable[Finding]) -> bytes:
    """Return a classic script that defines `sitegenCharts`: the specs by the ids of charts, and what pages change in
    each."""
    specs = {}
    for chart in drawn:
        page = in_page(chart.spec, chart.plot.frame)
        specs[chart.id] = {
            "spec": chart.spec,
            "page": {key: page[key] for key in ("autosize", "padding", "config")},
        }
    return script("sitegenCharts", specs)


def light_colors(stylesheet: str) -> dict[str, str]:
    """Return what `var(--name)` comes to, as a stylesheet gives it last, in the light scheme."""
    given = ";".join(_ROOT.findall(_AT_RULE.sub("", stylesheet)))
    variables = {
        name: _LIGHT_DARK.sub(r"\1", value).strip() for name, value in _VARIABLE.findall(given)
    }
    for _ in variables:  # one may be named by another one, and they may lead round in a circle
        variables = {name: variables.get(value[4:-1], value) for name, value in variables.items()}
    return {f"var({name})": value for name, value in variables.items()}


def _written(spec: Mapping[str, Any]) -> str:
    """Return the spec as JSON, its rows by the encoder in C, which cannot indent."""
    write = partial(json.dumps, ensure_ascii=False, allow_nan=False)
    rest = {key: value for key, value in spec.items() if key != "datasets"}
    rows = {name: ",\n   ".join(map(write, rows)) for name, rows in spec["datasets"].items()}
    datasets = ",\n".join(f"  {write(name)}: [\n   {each}\n  ]" for name, each in rows.items())
    return f'{write(rest, indent=1)[:-2]},\n "datasets": {{\n{datasets}\n }}\n}}\n'


def colored(value: Any, colors: Mapping[str, str]) -> Any:
    """Return the value with the colours that its CSS variables stand for."""
    if isinstance(value, dict):
        return {key: colored(inner, colors) for key, inner in value.items()}
    if isinstance(value, list):
        return [colored(inner, colors) for inner in value]
    return colors.get(value, value) if isinstance(value, str) else value


def altair_chart(finding: Finding, colors: Mapping[str, str]) -> Any:
    """Return the chart as altair has it, with data and title, and with these colours for CSS variables."""
    from altair import Chart  # it takes a third of a second to import

    from sitegen.charts.specs import spec

    bare_spec = spec(finding.id, finding.plot)
    return Chart.from_dict(colored(whole(bare_spec, finding), colors))


def vega_bundle(folder: Path | None = None) -> bytes | None:
    """Return the JavaScript that draws live charts, defining `sitegenVega` and nothing else; None when it cannot be
    made.

    vega-embed and not Vega alone, because only it brings the interpreter that a page without `unsafe-eval` needs.
    Making it takes more than a second, so it is kept in `folder`, by default the user's cache, until vl-convert
    changes. A copy is used only where it is signed for this version, and a folder that cannot be written does no harm.
    """
    try:
        version = metadata.version("vl-convert-python")  # without loading it
    except metadata.PackageNotFoundError:
        return None
    path = (folder or Path(cache_folder())) / "vega.js"
    parts = b"vega", f"{version}\n{_HEAD}\n{_SNIPPET}".encode()
    is_ours = is_own_folder(str(path.parent)) and signing_key() is not None
    if is_ours and (kept := read_sealed(str(path), _MAX_BYTES, *parts)):
        return kept
    source: str | None = converter.call("javascript_bundle", _SNIPPET)
    if source is None:
        return None
    # The bundle declares its names at the top of the script, where they would be names of the page.
    bundle = f"{_HEAD}\n(function () {{\n{source}\n}})();\n".encode()
    if is_ours:
        with contextlib.suppress(OSError):
            write_sealed(str(path), bundle, *parts)
    return bundle
