"""Templates and assets as contents, not as paths.

A `Theme` is a plain value: it can be sent to another process. Stylesheets and scripts are joined and named by their
content, so that a browser never mixes two builds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sitegen.errors import PublishError

STYLES = ("tokens.css", "site.css", "table.css", "charts.css", "compare.css", "code.css")
"""Joined in this order into one stylesheet; colours first."""

SCRIPTS = ("site.js", "table.js", "charts.js")


@dataclass(frozen=True, slots=True)
class Theme:
    """What pages are made of: template sources by name, and assets by their path in the site."""

    templates: Mapping[str, str]
    assets: Mapping[str, bytes]
    asset_paths: Mapping[str, str]
    """Plain name ("site.css") -> path in the site ("assets/site-1a2b3c4d.css")."""
    licenses: bytes
    """Licence texts of the libraries in the Vega bundle."""


def folder() -> Path:
    """The folder that holds the templates: inside the installed package, else beside it in a checkout.

    Raises: PublishError when neither exists.
    """
    package = Path(__file__).parent
    places = (package / "templates", package.parent / "templates")
    for place in places:
        if (place / "base.html.jinja").is_file():
            return place
    raise PublishError(f"The templates of sitegen are missing: neither {places[0]} nor {places[1]} holds them.")


def load() -> Theme:
    """The built-in theme."""
    root = folder()
    templates = {path.name: path.read_text(encoding="utf-8") for path in sorted(root.glob("*.jinja"))}
    static = root / "static"
    contents = {"site.css": b"".join((static / name).read_bytes() for name in STYLES)}
    contents |= {name: (static / name).read_bytes() for name in SCRIPTS}
    paths = {name: hashed_path(name, content) for name, content in contents.items()}
    assets = {paths[name]: content for name, content in contents.items()}
    return Theme(templates, assets, paths, (static / "vega-licenses.txt").read_bytes())


def hashed_path(name: str, content: bytes) -> str:
    """`assets/<stem>-<8 hex of the content>.<extension>`."""
    stem, _, extension = name.rpartition(".")
    return f"assets/{stem}-{hashlib.blake2b(content, digest_size=4).hexdigest()}.{extension}"
