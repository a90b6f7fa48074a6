"""Draws charts with vl-convert, and takes from it the JavaScript of the live charts.

It is the heaviest thing that sitegen uses, so it may be missing or fail: then every chart keeps its title and its
table.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

from sitegen.cache.seal import read_sealed, signing_key, write_sealed
from sitegen.charts import converter
from sitegen.charts.drawing import compact
from sitegen.places import cache_folder, is_own_folder

_SNIPPET = "window.sitegenVega = vegaEmbed;"
_MAX_BYTES = 8_000_000
_HEAD = "/*! Vega, Vega-Lite and Vega-Embed; licences: vega-licenses.txt */"


def drawing(vega: Mapping[str, Any], width: int, css_class: str, links: Mapping[str, str]) -> str | None:
    """Return the chart as an SVG element, so many pixels wide; None where it cannot be drawn."""
    padding = vega["padding"]
    sized = {**vega, "width": width - padding["left"] - padding["right"]}
    return compacted(converter.call("vega_to_svg", sized, allowed_base_urls=[]), css_class, links)


def compacted(svg: str | None, css_class: str, links: Mapping[str, str], further: Sequence[str] = ()) -> str | None:
    """Return the SVG of a Vega renderer as an element for a page; None for what is none."""
    try:
        return svg and compact(svg, css_class, links, further)
    except (ParseError, ValueError):
        return None


def vega_bundle(folder: Path | None = None) -> bytes | None:
    """Return the JavaScript that draws live charts, defining `sitegenVega` and nothing else; None when it cannot be
    made.

    vega-embed and not Vega alone, because only it brings the interpreter that a page without `unsafe-eval` needs.
    Making it takes more than a second, so it is kept in `folder`, by default the user's cache, until vl-convert
    changes. A copy is used only where it is signed, and a folder that cannot be written is no fault.
    """
    try:
        version = metadata.version("vl-convert-python")  # without loading it
    except metadata.PackageNotFoundError:
        return None
    folder = folder or Path(cache_folder())
    key = hashlib.sha256(f"{version}\n{_HEAD}\n{_SNIPPET}".encode()).hexdigest()[:16]
    path = folder / f"vega-{key}.js"
    is_ours = is_own_folder(str(folder)) and signing_key() is not None
    parts = b"vega", key.encode()
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
