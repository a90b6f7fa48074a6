"""What a site has once: the search page, the page for lost addresses, the sitemap, and the colours of models."""

from __future__ import annotations

import html
from collections.abc import Sequence
from urllib.parse import quote

from sitegen.html.render import Page
from sitegen.model import Entry
from sitegen.pages.views import MODEL_COLOURS, model_class, ranked_models

NOT_FOUND_PATH = "404.html"

SITEMAP_PAGES = 50_000


def not_found_page() -> Page:
    """What a server shows for an address that leads nowhere."""
    return Page(
        path=NOT_FOUND_PATH,
        template="404.html.jinja",
        title="Page not found",
        description="There is no page at this address.",
        section="",
        view=None,
    )


def sitemap(address: str, paths: Sequence[str]) -> bytes:
    """The pages for search engines: those of runs last, and no more than a sitemap may hold."""
    ordered = sorted(paths, key=lambda path: (path.startswith("runs/"), path))
    places = "".join(
        f"<url><loc>{html.escape(address + quote(path))}</loc></url>\n" for path in ordered[:SITEMAP_PAGES]
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{places}</urlset>\n'
    ).encode()


def model_styles(entries: Sequence[Entry]) -> bytes:
    """One stylesheet that gives each model its colour: `--m-<name>` for charts and `.m-<name>` for marks.

    Further models share a grey, since a repeated colour would say that two models are one.
    """
    names = ranked_models(entries)
    ranked = [
        (model_class(name), f"model-{rank}" if rank <= MODEL_COLOURS else "muted") for rank, name in enumerate(names, 1)
    ]
    colours = ";".join(f"--m-{name}:var(--{colour})" for name, colour in ranked)
    marks = "".join(f".m-{name}{{fill:var(--m-{name});background:var(--m-{name})}}\n" for name, _ in ranked)
    return (f":root{{{colours}}}\n{marks}" if ranked else "").encode()


def search_page() -> Page:
    """The page for which the search of all runs stands, with or without script."""
    return Page(
        path="search.html",
        template="search.html.jinja",
        title="Search",
        description="Full-text search of titles, tasks, paths, summaries and errors of all runs.",
        section="search",
        view=None,
    )
