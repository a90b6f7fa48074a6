"""Several campaigns in figures: those whose runs are read, published sites, and the history of earlier ones."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

from sitegen import figures
from sitegen.config import Campaign as StatedCampaign
from sitegen.config import Config
from sitegen.errors import ConfigError, ReadError
from sitegen.inputs.campaigns import packs, past
from sitegen.inputs.survey import Facts
from sitegen.masking.redact import Redactor
from sitegen.model import Entry, Source, by_key, frozen
from sitegen.numbers.campaigns import BASELINE, RULES, CampaignFigures, campaign
from sitegen.text.names import folder_of_campaign


@frozen
class OverTime:
    """Campaigns of one site, oldest first."""

    campaigns: tuple[CampaignFigures, ...]
    with_runs: frozenset[str]
    """Names of those whose runs have pages in this site."""
    current: str | None
    """Name of the campaign of `inputs`, which is added to the history."""
    history: bytes | None
    """The file that the site carries; None where no history is asked for."""
    keep: int | None
    dropped: int
    """Campaigns that the history no longer holds."""
    at: int
    """Position of the campaign that this site is about: that of `inputs`, else the newest."""
    place: tuple[int, int]
    """Its place among all that are known, also those that are not shown, from 1; and their number."""
    previous: CampaignFigures | None
    """The one before that, also where it is no longer kept; None where that is the first."""


def campaign_of(settings: StatedCampaign, facts: Facts) -> tuple[str, str]:
    """Name and day of the campaign of these runs. Raises: ConfigError where nothing tells its day."""
    packed = facts.pack.settings.get("campaign") if facts.pack else None
    if not isinstance(packed, dict):
        packed = {}
    began = max((entry.started_at for entry in facts.entries if entry.started_at), default="")
    day = settings.date or str(packed.get("date") or "") or began[:10]
    if not day:
        raise ConfigError(
            f"{settings.name or 'campaign'}: no run says when it began, so the day of this campaign is not known. "
            "Add `--date 2026-11-18`, or write `date: 2026-11-18` beside its name."
        )
    return settings.name or str(packed.get("name") or "") or day, day


def this_campaign(name: str, day: str, facts: Facts) -> CampaignFigures:
    """Return the figures of the campaign of the inputs."""
    rules = facts.pack.rules if facts.pack else tuple(RULES.items())
    counted = campaign(name, day, facts.entries)
    return replace(counted, unreadable=facts.lost, rules=rules)


def find_campaigns(
    config: Config, facts: Facts, redactor: Redactor
) -> tuple[OverTime | None, CampaignFigures | None]:
    """Return the campaigns that the settings name, and the one that is the baseline; None where they name none.
    Raises: ConfigError."""
    named = baseline_of(config, redactor)
    past = over_time(config, facts, named, redactor)
    return past, past.previous if past and config.compares_with_previous else named


def over_time(
    config: Config, facts: Facts, before: CampaignFigures | None, redactor: Redactor
) -> OverTime | None:
    """Return the campaigns that the settings name; None where they name none. Without others it is the baseline
    `before` and that of the inputs.

    Raises: ConfigError.
    """
    if not config.follows:
        return None
    campaigns = read_sites(config, redactor)
    with_runs: dict[str, list[Entry]] = {}
    current = None
    if config.campaigns:
        with_runs = by_key(facts.entries, lambda entry: entry.campaign or "")
        campaigns += [count_campaign(facts, name, runs) for name, runs in with_runs.items()]
    else:
        current, day = campaign_of(config.campaign, facts)
        campaigns.append(this_campaign(current, day, facts))
        if before and config.history is None:
            campaigns.append(name_baseline(before, current, day))
    refuse_same_names(campaigns)
    earlier: list[CampaignFigures] = []
    dropped = 0
    history = None
    keep = None
    if config.history is not None:
        keep = config.history.keep
        names = {campaign.name for campaign in campaigns}
        known, dropped = past.read_history(Path(config.history.path), redactor)
        # This build knows its own campaigns better.
        earlier = [campaign for campaign in known if campaign.name not in names]
        history, dropped = past.history([*earlier, *campaigns], keep, dropped)
    ordered = sorted([*earlier, *campaigns], key=lambda campaign: campaign.key)
    position = len(ordered) - 1
    if current is not None:
        position = [campaign.name for campaign in ordered].index(current)
    shown = ordered[-keep:] if keep else ordered
    if ordered[position] not in shown:
        shown = [ordered[position], *shown]
    return OverTime(
        tuple(shown),
        frozenset(with_runs),
        current,
        history,
        keep,
        dropped,
        shown.index(ordered[position]),
        (position + 1, len(ordered)),
        ordered[position - 1] if position else None,
    )


def read_sites(config: Config, redactor: Redactor) -> list[CampaignFigures]:
    """Return the figures of the campaigns that are published sites. Raises: ConfigError."""
    campaigns = []
    for site in config.each_campaign:
        path = Path(site.path)
        if past.is_site(path):
            campaigns.append(past.site_campaign(path, site.name, site.date, redactor))
    return campaigns


def count_campaign(facts: Facts, name: str, runs: list[Entry]) -> CampaignFigures:
    """Return the figures of one of several campaigns whose runs are read."""
    rules = dict(facts.rules).get(name, tuple(RULES.items()))
    unreadable = len(facts.unreadable_in(folder_of_campaign(name)))
    figures_of_runs = campaign(name, dict(facts.days)[name], runs)
    return replace(figures_of_runs, rules=rules, unreadable=unreadable)


def name_baseline(before: CampaignFigures, current: str, day: str) -> CampaignFigures:
    """Return the baseline under a name of its own, unless it has one that is told from that of this campaign."""
    before = replace(before, day=before.day or day)
    is_distinct = before.day != day or before.name < current
    if is_distinct and before.name != current:
        return before
    return replace(before, name=BASELINE)


def refuse_same_names(campaigns: list[CampaignFigures]) -> None:
    """Raises: ConfigError where two campaigns have one name."""
    for name, count in Counter(counted.name for counted in campaigns).items():
        if count > 1:
            raise ConfigError(f"campaigns: two are called {name}; give each a `name` of its own.")


def baseline_of(config: Config, redactor: Redactor) -> CampaignFigures | None:
    """Return the campaign that gates are held against; None where the settings name none. Raises: ConfigError."""
    if config.compares_with_previous and not config.campaigns and config.history is None:
        raise ConfigError("baseline: previous: name the `history` or the `campaigns` that have it.")
    if config.baseline is None or config.compares_with_previous:
        return None
    path = Path(config.baseline.path)
    if packs.is_pack(path):
        try:
            pack = packs.read(
                Source(path.name, str(path), named=True, size=0), redactor, config.limits
            )
        except ReadError as error:
            raise ConfigError(f"{path}: {redactor(error.sentence)}") from None
        if not pack.entries:
            raise ConfigError(
                f"{path}: {pack.faults[0].reason if pack.faults else 'this pack contains no runs.'}"
            )
        lost = {
            problem.path
            for problem in (*pack.head.problems, *pack.faults)
            if problem.is_skipped_file
        }
        try:
            name, day = campaign_of(StatedCampaign(), Facts(pack.entries, pack=pack.head))
        except ConfigError:
            name = BASELINE
            day = ""
        return replace(
            campaign(name, day, pack.entries), unreadable=len(lost), rules=pack.head.rules
        )
    if past.is_site(path):
        return past.site_figures(path, redactor, BASELINE)
    if not path.exists():
        raise ConfigError(
            f"{path}: there is no such file. `baseline` is a pack or a published site."
        )
    raise ConfigError(
        f"{path}: a baseline is a pack, the folder of a published site (unpacked), or its data/runs.json. This is none."
    )


def kept_sentence(campaigns: OverTime) -> str | None:
    """Return what the history keeps, and what it no longer holds; None without one."""
    if campaigns.keep is None:
        return None
    lost = "none has been dropped"
    if campaigns.dropped:
        lost = f"{figures.plural(campaigns.dropped, 'older one')} dropped"
    kept = "newest campaign is"
    if campaigns.keep > 1:
        kept = f"newest {figures.plural(campaigns.keep, 'campaign')} are"
    return f"The {kept} kept; {lost}."
