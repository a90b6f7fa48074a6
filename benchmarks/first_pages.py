"""The share of first pages that claim anything where nothing differs: whole builds, read as their first sentence.

    .venv/bin/python -m benchmarks.first_pages [--builds 200]

Each build has configurations that do not differ in success nor in cost, on tasks of which some are harder for all of
them. Of some builds one in five runs of one configuration is lost to errors, of the others one in fifty.
A page claims something if its leaderboard has a leader, or its first sentence a clear difference.
"""

from __future__ import annotations

import argparse
import math
import re
import time

import numpy
from numpy.random import Generator

from benchmarks.coverage import chances
from sitegen.config import Config
from sitegen.model import Entry, Outcome, Run, Source, Status
from sitegen.numbers.statistics import summarize
from sitegen.numbers.success import success
from sitegen.outcomes.study import Study
from sitegen.pages.headline import headline, text_of
from sitegen.pages.leaderboard import board
from sitegen.pages.overall import compared

CLAIM = re.compile(r"\b(?:leads|than|times)\b")
LOST = (0.2, 0.02)
KINDS = (
    ("tie of 2", 2, False, False),
    ("tie of 4", 4, False, False),
    ("control and four arms", 5, True, False),
    ("tie of 2, errors", 2, False, True),
    ("control and four arms, errors", 5, True, True),
)
SIZES = ((10, 3), (30, 1), (30, 3))


def runs_of(
    size: int, tasks: int, attempts: int, random: Generator, *, has_errors: bool
) -> list[Entry]:
    """Return the runs of a build: half of the variance of success and of the logarithm of costs is between tasks."""
    likely = chances(0.5, 0.5, random.random(tasks))
    levels = random.normal(0, 0.5, tasks)
    entries = []
    for arm in range(size):
        lost = LOST[min(arm, 1)] if has_errors else 0.0
        for task in range(tasks):
            for attempt in range(attempts):
                outcome = Outcome.PASS if random.random() < likely[task] else Outcome.FAIL
                cost = math.exp(levels[task] + random.normal(0, 0.5))
                is_lost = random.random() < lost
                run = Run("", Status.FAILED if is_lost else Status.OK, cost_usd=cost, turns=9)
                entries.append(
                    Entry(
                        f"run-{len(entries):06}",
                        Source("", "", named=False, size=0),
                        0,
                        "",
                        run,
                        "",
                        task=f"task {task}",
                        model="Claude Opus 4.5",
                        attempt=attempt,
                        outcome=None if is_lost else outcome,
                        factors=(("skill", f"s{arm}"),),
                    )
                )
    return entries


def sentence_of(entries: list[Entry], config: Config) -> str:
    """Return the first sentence of the site of these runs."""
    entries = Study(config, entries).configured()
    comparisons = compared(config, entries)
    found = board(entries, config.intervals)
    if found is not None:
        found = found.compared(comparisons.known, comparisons.of_control)
    judged = success(entries)
    return text_of(headline(summarize(entries), judged, found, comparisons, None, entries))


def share_of_claims(
    size: int, tasks: int, attempts: int, builds: int, *, has_control: bool, has_errors: bool
) -> float:
    """Return the share of so many builds, always the same ones, whose first sentence claims something."""
    config = Config(control={"skill": "s0"} if has_control else {})
    random = numpy.random.default_rng(size * 1_000 + tasks * 10 + attempts)
    sentences = (
        sentence_of(runs_of(size, tasks, attempts, random, has_errors=has_errors), config)
        for _ in range(builds)
    )
    return sum(bool(CLAIM.search(sentence)) for sentence in sentences) / builds


def main() -> None:
    """Print a row for each kind of build."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--builds", type=int, default=200, help="of each kind; 200")
    builds = parser.parse_args().builds
    start = time.monotonic()
    heads = [f"{tasks} x {attempts}" for tasks, attempts in SIZES]
    print(f"| builds | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|", sep="\n")
    for name, size, has_control, has_errors in KINDS:
        shares = [
            share_of_claims(size, *each, builds, has_control=has_control, has_errors=has_errors)
            for each in SIZES
        ]
        print(f"| {name} | {' | '.join(f'{100 * share:.1f}' for share in shares)} |", flush=True)
    print(f"\n{builds} builds of each kind, {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
