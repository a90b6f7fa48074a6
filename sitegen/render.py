"""From a page's view to its bytes: `render` returns, it never writes.

Escaping is on for everything. The one way past it is the filter `html`, which takes only what `markdown` and
`charts` have made safe; it stands here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

import jinja2
from markupsafe import Markup

from sitegen.theme import Theme


@dataclass(frozen=True, slots=True)
class SiteView:
    """What every page knows of the site. Fixed by settings and version: nothing here depends on a run."""

    title: str
    language: str
    version: str
    stylesheet: str
    script: str
    chart_script: str
    table_script: str
    vega: str | None
    """Path of the Vega bundle; None where it could not be made."""
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """A file of the site that a template makes."""

    path: str
    """Relative to the site's top, with slashes."""
    template: str
    title: str
    description: str
    section: str
    """Which entry of the navigation it belongs to."""
    view: object


@dataclass(frozen=True)
class Renderer:
    """A theme, ready to make pages of one site."""

    theme: Theme
    site: SiteView

    @cached_property
    def _environment(self) -> jinja2.Environment:
        environment = jinja2.Environment(
            loader=jinja2.DictLoader(dict(self.theme.templates)),
            autoescape=True,  # select_autoescape is off for *.html.jinja
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        environment.filters["html"] = Markup  # the one audited way past escaping
        environment.globals["site"] = self.site
        return environment

    def render(self, page: Page, texts: Mapping[str, object] | None = None) -> bytes:
        """The page as UTF-8. `texts` holds what was read again for it and is in no view."""
        depth = len(PurePosixPath(page.path).parts) - 1
        template = self._environment.get_template(page.template)
        context = {"page": page, "view": page.view, "root": "../" * depth, **(texts or {})}
        return template.render(context).encode("utf-8", "replace")
