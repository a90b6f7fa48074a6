"""What all runs together come to: figures, checked costs, comparisons and gates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sitegen.config import Config
from sitegen.inputs.survey import Survey
from sitegen.numbers import gates
from sitegen.numbers.gates import GateResult, Limits
from sitegen.numbers.pricing import PriceCheck
from sitegen.numbers.statistics import CampaignSummary, summarize
from sitegen.pages import compare


@dataclass(frozen=True, slots=True)
class Report:
    """What all runs together come to."""

    survey: Survey
    summary: CampaignSummary
    checks: Mapping[str, PriceCheck]
    compared: compare.Comparisons
    gates: tuple[GateResult, ...]


def analyse(config: Config, surveyed: Survey, checks: Mapping[str, PriceCheck]) -> Report:
    entries, summary = surveyed.entries, summarize(surveyed.entries)
    limits = {name: Limits(gate.min, gate.max) for name, gate in config.gates if gate}
    return Report(
        surveyed,
        summary,
        checks,
        compare.comparisons(entries, [(pair.by, pair.a, pair.b) for pair in config.compare]),
        gates.evaluate(limits, entries, summary, checks, surveyed.problems),
    )
