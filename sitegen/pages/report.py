"""What all runs together come to: figures, checked costs, comparisons and gates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sitegen.config import Config
from sitegen.inputs.survey import Survey
from sitegen.numbers import baseline, gates
from sitegen.numbers.campaigns import Campaign, campaign
from sitegen.numbers.gates import GateResult, Limits
from sitegen.numbers.pricing import PriceCheck
from sitegen.numbers.statistics import CampaignSummary, summarize
from sitegen.outcomes.over_time import OverTime
from sitegen.pages import compare
from sitegen.pages.trends import Followed, follow, neighbours


@dataclass(frozen=True, slots=True)
class Report:
    """What all runs together come to."""

    survey: Survey
    summary: CampaignSummary
    checks: Mapping[str, PriceCheck]
    compared: compare.Comparisons
    gates: tuple[GateResult, ...]
    followed: Followed | None = None
    """Several campaigns, where the settings name them."""
    deltas: tuple[baseline.Delta, ...] = ()
    """Against the baseline, where the settings name one."""


def analyse(
    config: Config,
    surveyed: Survey,
    checks: Mapping[str, PriceCheck],
    over_time: OverTime | None = None,
    before: Campaign | None = None,
) -> Report:
    entries, summary = surveyed.entries, summarize(surveyed.entries)
    limits = {name: Limits(*ends) for name, ends in config.gates.limits.items()}
    pairs = [(pair.by, pair.a, pair.b) for pair in config.compare]
    tasks = frozenset(entry.task for entry in entries if entry.task)
    followed = follow(over_time, tasks) if over_time else None
    also = [("campaign", a, b) for a, b in neighbours(over_time)] if over_time else []
    now = campaign("", "", entries) if before else None
    return Report(
        surveyed,
        summary,
        checks,
        compare.comparisons(entries, pairs, also),
        (
            *gates.evaluate(limits, entries, summary, checks, surveyed.problems),
            *(baseline.evaluate(config.gates.changes, before, now) if before and now else ()),
        ),
        followed,
        baseline.deltas(before, now) if before and now else (),
    )
