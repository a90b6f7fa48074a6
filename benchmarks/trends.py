"""Whether the page of trends finds what was planted, and how often it claims something where nothing changed.

    .venv/bin/python -m benchmarks.trends [--sites 200]

A site has 12 campaigns of 60 runs: 12 tasks, five attempts each, whose chance to pass and whose cost differ from task
to task. Planted are a step of a quarter in cost at the eighth campaign, a task that breaks at the tenth, and one that
flips from campaign to campaign. Where nothing is planted, costs differ from run to run, and in a second row from
campaign to campaign as well.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass

from sitegen.numbers.campaigns import Attempts, Campaign
from sitegen.numbers.trends import Trends, Verdict, trends

CAMPAIGNS, ATTEMPTS = 12, 5
CHANCES = (0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.5, 0.7, 0.85, 0.3, 0.1, 0.98)
"""To pass, by task."""
FLIPS, BREAKS, BREAKS_AT, STEP_AT = 4, 5, 9, 7
STEP = 1.25


@dataclass(frozen=True)
class Found:
    """What the page says of what was planted."""

    step: bool
    breaks: bool
    flips: bool
    further: int
    """Claims of what was not planted."""


def site(seed: int, *, is_planted: bool, campaign_noise: float = 0.0) -> Trends:
    """A generated site; `campaign_noise` is by how much the logarithm of cost differs from campaign to campaign."""
    chance = random.Random(seed)  # noqa: S311
    return trends([_campaign(number, chance, is_planted, campaign_noise) for number in range(CAMPAIGNS)])


def _campaign(number: int, chance: random.Random, is_planted: bool, noise: float) -> Campaign:
    level = chance.gauss(0, noise)
    factor = STEP if is_planted and number >= STEP_AT else 1.0
    attempts = []
    for task, usual in enumerate(CHANCES):
        passes = usual
        if is_planted and task == BREAKS and number >= BREAKS_AT:
            passes = 0.03
        if is_planted and task == FLIPS:
            passes = 0.95 if number % 2 else 0.1
        passed = sum(chance.random() < passes for _ in range(ATTEMPTS))
        costs = sorted((0.3 + 0.15 * task) * factor * chance.lognormvariate(level, 0.35) for _ in range(ATTEMPTS))
        attempts.append(Attempts(f"task-{task:02}", "a model", ATTEMPTS, ATTEMPTS, passed, tuple(costs)))
    return Campaign(f"c{number:02}", f"2026-{number + 1:02}-01", ATTEMPTS * len(CHANCES), tuple(attempts))


def found(planted: Trends) -> Found:
    """What a site with planted changes says of them."""
    tasks = {each.task: each for each in planted.tasks}
    steps = {each.measure: each.since for each in planted.measures}
    broken, flipping = tasks.pop(f"task-{BREAKS:02}"), tasks.pop(f"task-{FLIPS:02}")
    return Found(
        steps["cost"] == STEP_AT,
        broken.verdict is Verdict.NEWLY_FAILS and broken.since == BREAKS_AT,
        flipping.verdict is Verdict.FLIPS,
        sum(each.verdict is not Verdict.AS_BEFORE for each in tasks.values()),
    )


def main() -> None:
    """Print both."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sites", type=int, default=200)
    sites = parser.parse_args().sites
    print(f"{sites} sites of {CAMPAIGNS} campaigns of {ATTEMPTS * len(CHANCES)} runs")
    for noise, what in ((0.0, "runs differ"), (0.05, "campaigns differ too, by 5%")):
        claims = sum(site(seed, is_planted=False, campaign_noise=noise).claims > 0 for seed in range(sites))
        print(f"nothing planted, {what}: {claims / sites:.1%} of pages claim something")
    seen = [found(site(seed, is_planted=True)) for seed in range(sites)]
    for label, count in (
        ("step of a quarter in cost, at its campaign", sum(each.step for each in seen)),
        ("task that breaks, at its campaign", sum(each.breaks for each in seen)),
        ("task that flips", sum(each.flips for each in seen)),
    ):
        print(f"{label}: found in {count / sites:.1%}")
    print(f"further tasks called changed: {sum(each.further for each in seen) / sites:.2f} a site")


if __name__ == "__main__":
    main()
