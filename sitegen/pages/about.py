"""The page that defines the figures and says what the site was made from."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from importlib import metadata

from sitegen import __version__, figures
from sitegen.collect import Facts
from sitegen.fields import fields_of
from sitegen.html.render import Page, View
from sitegen.model import Entry, Level
from sitegen.numbers.pricing import TokenPrice
from sitegen.pages.chart_parts import DrawnCharts
from sitegen.pages.overall import Report
from sitegen.pages.setup import setup_view
from sitegen.pages.site import LICENSES, Site
from sitegen.pages.views import FactView

_LEVELS = {
    Level.NONE: "nothing",
    Level.OUTLINE: "tools, their targets, failures and the agent’s texts; no prompts, thinking, inputs or results",
    Level.TEXTS: "prompts, thinking, the agent’s texts, tools and their targets; no inputs or results",
    Level.FULL: "prompts, thinking, texts, tools, and their inputs and results, shortened",
}


def about_page(site: Site, report: Report, drawn: DrawnCharts) -> Page:
    """Return the page that defines the figures and says what the site was made from."""
    config = site.config
    table = site.prices
    view = View(
        columns=tuple((field.key, field.about) for field in fields_of(report.facts.entries)),
        setup=setup_view(report.setups),
        prices_note=f"List prices of {table.date}, USD per million tokens. They check the reported costs.",
        prices=_price_rows(table.prices),
        # The reasons why charts are left out of the first page, a sentence each.
        chart_remarks=drawn.charts.left_out,
        made=_made_from(site, report.facts),
        licenses=LICENSES if drawn.bundle else None,
        # The question that the intervals of rates and means answer.
        question=config.intervals.value,
        # Whether outcomes are known of any run, so that success has to be defined.
        is_judged=any(entry.outcome for entry in report.facts.entries),
        # Kinds of secrets and personal data that are not masked, each with the reason of the settings.
        shown=tuple(sorted(config.redact.off.items())),
        # The amount of the steps that is published; None where no run has any.
        steps=_published(report.facts.entries),
        # Kinds that are masked only because the settings say so.
        also_masked=tuple(sorted(set(config.redact.also))),
    )
    about = "How the figures are defined, what they were made from, and where the data is."
    return Page("about.html", "about.html.jinja", "About this report", about, "about", view)


def _published(entries: Sequence[Entry]) -> str | None:
    """Return how much of what agents did is published, by level where inputs have their own; None where no run tells of
    it."""
    levels = Counter(entry.level for entry in entries)
    if len(levels) != 1:
        parts = [
            f"of {figures.plural(levels[level], 'run')} {_LEVELS[level]}"
            for level in sorted(levels)
        ]
        return ". ".join(parts)
    (level,) = levels
    has_steps = any(entry.run.steps for entry in entries)
    return _LEVELS[level] if has_steps else None


def _price_rows(prices: Mapping[str, TokenPrice]) -> list[tuple[str, ...]]:
    """Return the list prices by model; in a column all have as many decimals as the one that needs most, two at
    least."""
    models = sorted(prices)
    columns = []
    for kind in _RATES:
        rates = [getattr(prices[model], kind) for model in models]
        columns.append(_aligned(rates))
    return list(zip(models, *columns, strict=True))


_RATES = ("input", "cache_write", "cache_write_1h", "cache_read", "output")


def _aligned(rates: Sequence[float | None]) -> list[str]:
    """Rates as one writes them: to twelve digits, since 0.1 × 0.8 is 0.08000000000000002 to a computer."""
    decimals = 2
    for rate in rates:
        if rate is not None:
            exact = f"{Decimal(f'{rate:.12g}'):f}".rstrip("0")
            decimals = max(decimals, len(exact.partition(".")[2]))
    return [figures.fixed(rate, decimals) for rate in rates]


def _made_from(site: Site, facts: Facts) -> list[FactView]:
    """Return what the site was built from: enough to build the same bytes again."""
    inputs = hashlib.sha256()
    for entry in facts.entries:
        stated = tuple(getattr(entry, name) for name in _STATED)
        facts_of_run = (entry.source.path, entry.digest, entry.patch_digest, stated)
        inputs.update(repr(facts_of_run).encode("utf-8", "replace"))
    pack = facts.pack
    settings = site.settings_digest()
    if pack and site.config.is_of_pack:
        settings = pack.settings_digest
    version = __version__
    if pack and pack.version != __version__:
        version += f"; the figures are those of {pack.version}"
    digest = inputs.hexdigest()[:16]
    return [
        FactView("sitegen", version),
        FactView("Digest of the inputs", digest, "runs, their patches and outcomes"),
        FactView("Digest of the settings", settings, "the files of static and theme included"),
        *(FactView(name, _version_of(name)) for name in _LIBRARIES),
    ]


_STATED = (
    "campaign",
    "task",
    "model",
    "attempt",
    "outcome",
    "note",
    "scores",
    "labels",
    "started_at",
)
"""The fields that are stated of a run besides its file."""

_LIBRARIES = (
    "altair",
    "jinja2",
    "markdown-it-py",
    "mdit-py-plugins",
    "nh3",
    "rcssmin",
    "rjsmin",
    "vl-convert-python",
)
"""Those whose version can change a byte of the site."""


def _version_of(library: str) -> str:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return "not installed"
