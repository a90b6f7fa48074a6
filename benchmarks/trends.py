"""How many campaigns after a change the page of trends announces it, and how often it announces what is none.

    .venv/bin/python -m benchmarks.trends [--sites 200] [--tasks 12 50 200]

A night is a campaign of three attempts at each task. Nine quiet nights come before each change; where nothing changes,
sixty more. Chances to pass and costs differ from task to task; costs differ from run to run, and from night to night.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from sitegen.numbers.campaigns import Attempts, CampaignFigures
from sitegen.numbers.trends import Trends, trends

ATTEMPTS, BEFORE, AFTER, QUIET = 3, 9, 12, 60
CHANCES = (8 / 9, 0.98, 0.5, 0.9, 0.2, 0.7, 1.0, 0.95, 0.05, 0.8, 0.3, 0.99)
"""To pass, by task, over and over."""
SHOWN = (1, 2, 3, 5, 8)
"""Nights after a change."""


@dataclass(frozen=True)
class Change:
    """What is planted at the first task, or in all costs."""

    label: str
    chances: tuple[float, float] = (CHANCES[0], CHANCES[0])
    """Of the first task, before and after."""
    costs: float = 1.0
    """By how much costs are multiplied."""


CHANGES = (
    Change("a task that passed 8 of 9 attempts fails all", (8 / 9, 0.0)),
    Change("a task that passed all attempts fails all", (1.0, 0.0)),
    Change("a task that passed all attempts becomes flaky: half of them", (1.0, 0.5)),
    Change("a task that passed 8 of 9 attempts becomes flaky: half of them", (8 / 9, 0.5)),
    Change("all costs rise by a quarter", costs=1.25),
    Change("all costs rise by a tenth", costs=1.1),
)


def nights(
    seed: int, tasks: int, count: int, change: Change | None = None, *, noise: float = 0.03
) -> Trends:
    """Generated nights, with a change after BEFORE of them; `noise` is by how much the logarithm of cost differs from
    night to night."""
    chance = random.Random(seed)  # noqa: S311
    return trends([_night(number, chance, tasks, change, noise) for number in range(count)])


def _night(
    number: int, chance: random.Random, tasks: int, change: Change | None, noise: float
) -> CampaignFigures:
    level, is_after = chance.gauss(0, noise), number >= BEFORE
    factor = change.costs if change and is_after else 1.0
    attempts = []
    for task in range(tasks):
        passes = change.chances[is_after] if change and not task else CHANCES[task % len(CHANCES)]
        passed = sum(chance.random() < passes for _ in range(ATTEMPTS))
        costs = sorted(
            (0.3 + 0.15 * (task % 9)) * factor * chance.lognormvariate(level, 0.35)
            for _ in range(ATTEMPTS)
        )
        attempts.append(
            Attempts(f"task-{task:03}", "a model", ATTEMPTS, ATTEMPTS, passed, tuple(costs))
        )
    day = date(2026, 1, 1) + timedelta(days=number)
    return CampaignFigures(f"night {number:02}", day.isoformat(), ATTEMPTS * tasks, tuple(attempts))


def alerts(found: Trends) -> list[tuple[str, int]]:
    """What is announced, and on which night of all."""
    of_tasks = [(each.task, alert.detected) for each in found.tasks for alert in each.alerts]
    return of_tasks + [
        (each.measure, alert.detected) for each in found.measures for alert in each.alerts
    ]


def delay(seed: int, tasks: int, change: Change) -> int | None:
    """How many nights after the change it was announced, the first being 1; None if that took more than AFTER."""
    subject = "cost" if change.costs != 1 else "task-000"
    told = alerts(nights(seed, tasks, BEFORE + AFTER, change))
    return next((at - BEFORE + 1 for name, at in told if name == subject and at >= BEFORE), None)


def false_alerts(seed: int, tasks: int, *, noise: float = 0.03) -> int:
    """How many alerts QUIET nights raise after the first nine."""
    return sum(at >= BEFORE for _, at in alerts(nights(seed, tasks, BEFORE + QUIET, noise=noise)))


def share_by(delays: Sequence[int | None], night: int) -> float:
    """The share of changes that are announced by this night after them."""
    return sum(each is not None and each <= night for each in delays) / len(delays)


def table(sizes: Sequence[int], sites: int, say: Callable[[str], None] = print) -> None:
    """The rows of docs/campaigns.md: in percent, by each night of SHOWN."""
    say(f"| change | {' | '.join(f'{tasks} tasks' for tasks in sizes)} |")
    say(f"|---|{'---|' * len(sizes)}")
    for change in CHANGES:
        cells = []
        for tasks in sizes:
            delays = [delay(seed, tasks, change) for seed in range(sites)]
            cells.append(", ".join(f"{100 * share_by(delays, night):.0f}" for night in SHOWN))
        say(f"| {change.label} | {' | '.join(cells)} |")
    for tasks in sizes:
        quiet = sum(false_alerts(seed, tasks) for seed in range(sites)) / sites
        say(f"{tasks} tasks: {quiet:.2f} false alerts in {QUIET} quiet nights")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sites", type=int, default=200)
    parser.add_argument("--tasks", type=int, nargs="+", default=[12, 50, 200])
    options = parser.parse_args()
    table(options.tasks, options.sites)


if __name__ == "__main__":
    main()
