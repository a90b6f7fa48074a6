"""The settings that say what a build does: a pack never holds these."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from sitegen.config.gates import Gates
from sitegen.config.inputs import Baseline, History, Input, OneOfCampaigns, Outcomes
from sitegen.config.redact import Redact
from sitegen.config.values import (
    ChartPath,
    FileName,
    FilledPath,
    PagePath,
    PlacedPath,
    Text,
    Texts,
    check_site_url,
    or_path,
)
from sitegen.model import Level
from sitegen.system.bounds import Bounds, Section


class BuildSettings(Section):
    """Settings that say what to do: what a build reads, masks, checks and writes. A pack holds none of these."""

    inputs: Annotated[tuple[Annotated[Input, or_path(Input)], ...], Field(strict=False)] = ()
    """The runs: files, folders and glob patterns."""
    ignore: Annotated[tuple[str, ...], Field(strict=False)] = ()
    """Glob patterns of files that are not runs and need no mention."""
    outcomes: Annotated[
        tuple[Annotated[Outcomes, or_path(Outcomes)], ...], Field(strict=False)
    ] = ()
    """Files that state how runs turned out; see docs/outcomes.md."""
    task_table: FilledPath | None = None
    """CSV file with one row per task: its properties and references."""
    person: Text | None = None
    """The name of the person whose runs these are; else a pseudonym."""
    leave_out: Texts = ()
    """Projects whose runs are left out, as glob patterns; with them runs of unknown project."""
    patch: FileName = "model_patch.diff"
    """Name of the patch in a folder with one run."""
    evidence: Annotated[tuple[FileName, ...], Field(strict=False, max_length=10)] = ()
    """Names of files beside a run whose ends its page shows; `*` is the name of its file; see docs/outcomes.md."""
    campaigns: Annotated[
        tuple[Annotated[OneOfCampaigns, or_path(OneOfCampaigns)], ...], Field(strict=False)
    ] = ()
    """Several campaigns in one site, in place of `inputs`; see docs/campaigns.md."""
    history: Annotated[History, or_path(History)] | None = None
    """File of earlier campaigns, to which this one is added; see docs/campaigns.md."""
    baseline: Annotated[Baseline, or_path(Baseline)] | None = None
    """Pack or published site of an earlier campaign, for gates against it, or `previous`: the one before in `history`
    or `campaigns`; see docs/gates.md."""
    gates: Gates = Gates()
    """Limits of the campaign; if one is missed, the build exits with 3; see docs/gates.md."""
    limits: Bounds = Bounds()
    """Limits on the size of inputs; see docs/reliability.md."""
    redact: Redact = Redact()
    """Values to mask besides those of the rules, and exceptions; see docs/redaction.md."""
    steps: Annotated[Level, Field(strict=False)] = Level.OUTLINE
    """The part of the agents' steps that is published: none, outline, texts or full; see docs/steps.md."""
    search: Literal["texts", "all"] = "texts"
    """The published steps that the search finds: texts of the agent and prompts, or all, also results of tools."""
    site_url: Annotated[str, AfterValidator(check_site_url)] | None = None
    """Address of the published site: for canonical links, link previews, 404.html, sitemap.xml and a feed."""
    robots: Literal["noindex"] | None = None
    """`noindex` asks search engines to leave the site out."""
    pages: Annotated[tuple[PagePath, ...], Field(strict=False)] = ()
    """Markdown files below the folder of the settings that get a page in the navigation; see docs/own-pages.md."""
    charts: Annotated[tuple[ChartPath, ...], Field(strict=False)] = ()
    """Charts of your own on the index: Vega-Lite files below the folder of the settings; see docs/charts.md."""
    static: PlacedPath | None = None
    """Folder whose files go to the top of the site."""
    theme: PlacedPath | None = None
    """Folder of your own look; see docs/themes.md."""
    output: Annotated[FilledPath, Field(validate_default=True)] = "site"
    """Folder of the site, or one file if the name ends in `.html` or `.zip`; see docs/one-file.md."""
    live_charts: bool = False
    """Whether the charts of one HTML file are interactive; it is then about 1 MB larger."""
    index_only: bool = False
    """Whether one HTML file has the index alone, as for a mail."""
