"""Several campaigns in figures: those whose runs are read, published sites, and the history of earlier ones."""

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


def campaign_of(stated: StatedCampaign, facts: Facts) -> tuple[str, str]:
    """Name and day of the campaign of these runs. Raises: ConfigError where nothing tells its day."""
    packed = facts.pack.settings.get("campaign") if facts.pack else None
    own = packed if isinstance(packed, dict) else {}
    began = max((entry.started_at for entry in facts.entries if entry.started_at), default="")
    day = stated.date or str(own.get("date") or "") or began[:10]
    if not day:
        raise ConfigError(
            f"{stated.name or 'campaign'}: no run says when it began, so the day of this campaign is not known. "
            "Add `--date 2026-11-18`, or write `date: 2026-11-18` beside its name."
        )
    return stated.name or str(own.get("name") or "") or day, day


def this_campaign(name: str, day: str, facts: Facts) -> CampaignFigures:
    """Return the figures of the campaign of the inputs."""
    rules = facts.pack.rules if facts.pack else tuple(RULES.items())
    made = campaign(name, day, facts.entries)
    return replace(made, unreadable=facts.lost, rules=rules)


def over_time(
    config: Config, facts: Facts, before: CampaignFigures | None, redactor: Redactor
) -> OverTime | None:
    """Return the campaigns that the settings name; None where they name none. Without others it is the baseline
    `before` and that of the inputs.

    Raises: ConfigError.
    """
    if not config.follows:
        return None
    sites = ((Path(each.path), each) for each in config.each_campaign)
    found = [
        past.site_campaign(path, each.name, each.date, redactor)
        for path, each in sites
        if past.is_site(path)
    ]
    with_runs: dict[str, list[Entry]] = {}
    current = None
    days = dict(facts.days)
    if config.campaigns:
        with_runs = by_key(facts.entries, lambda entry: entry.campaign or "")
        of_packs = dict(facts.rules)
        counted_now = tuple(RULES.items())
        found += [
            replace(
                campaign(name, days[name], own),
                rules=of_packs.get(name, counted_now),
                unreadable=len(facts.unreadable_in(folder_of_campaign(name))),
            )
            for name, own in with_runs.items()
        ]
    else:
        current, day = campaign_of(config.campaign, facts)
        found.append(this_campaign(current, day, facts))
        if before and config.history is None:
            before = replace(before, day=before.day or day)
            is_told = before.day != day or before.name < current
            found.append(
                before if is_told and before.name != current else replace(before, name=BASELINE)
            )
    names = [each.name for each in found]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ConfigError(f"campaigns: two are called {twice}; give each a `name` of its own.")
    kept: list[CampaignFigures] = []
    dropped = 0
    history = None
    keep = None
    if config.history is not None:
        kept, dropped = past.read_history(Path(config.history.path), redactor)
        kept = [each for each in kept if each.name not in names]  # this build knows them better
        keep = config.history.keep
        history, dropped = past.history([*kept, *found], keep, dropped)
    ordered = sorted([*kept, *found], key=lambda each: each.key)
    of = ordered[-1] if current is None else next(each for each in ordered if each.name == current)
    at = ordered.index(of)
    shown = [of, *ordered[-keep:]] if keep and at < len(ordered) - keep else ordered[-(keep or 0) :]
    place = (at + 1, len(ordered))
    previous = ordered[at - 1] if at else None
    return OverTime(
        tuple(shown),
        frozenset(with_runs),
        current,
        history,
        keep,
        dropped,
        shown.index(of),
        place,
        previous,
    )


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


def kept_sentence(each: OverTime) -> str | None:
    """Return what the history keeps, and what it no longer holds; None without one."""
    if each.keep is None:
        return None
    lost = (
        f"{figures.plural(each.dropped, 'older one')} dropped"
        if each.dropped
        else "none has been dropped"
    )
    return f"The newest {figures.plural(each.keep, 'campaign')} are kept; {lost}."
