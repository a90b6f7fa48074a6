"""Whether the order of configurations depends on the kind of task: a permutation test of the interaction."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from random import Random

MAX_EXACT = 20_000
"""Ways to part the tasks up to which all are tried."""
DRAWS = 2_999
"""Ways that are drawn of more."""


def interaction_p(rates: Mapping[str, Sequence[float]], groups: Mapping[str, str]) -> float | None:
    """Return the p-value of a difference between two groups of tasks in how configurations compare.

    `rates` are by task, one for each configuration, all known; `groups` tell the group of each task. Tasks are
    exchanged between the groups: Edgington and Onghena, "Randomization Tests" (2007). Draws have a seed made of the
    data. None with under four tasks in a group, or other than two groups.
    """
    tasks = sorted(task for task in rates if task in groups)
    names = sorted({groups[task] for task in tasks})
    size = sum(groups[task] == names[0] for task in tasks) if names else 0
    if len(names) != 2 or min(size, len(tasks) - size) < 4:
        return None
    centred = [[rate - sum(rates[task]) / len(rates[task]) for rate in rates[task]] for task in tasks]
    total = [sum(column) for column in zip(*centred, strict=True)]

    def gap(chosen: Sequence[int]) -> float:
        """Return how far the means of two groups of tasks are apart, squared and added up over configurations."""
        sums = [sum(centred[at][column] for at in chosen) for column in range(len(total))]
        rest = len(tasks) - len(chosen)
        return math.fsum(
            (own / len(chosen) - (whole - own) / rest) ** 2 for own, whole in zip(sums, total, strict=True)
        )

    seen = gap([at for at, task in enumerate(tasks) if groups[task] == names[0]]) - 1e-12
    if math.comb(len(tasks), size) <= MAX_EXACT:
        ways = [gap(chosen) >= seen for chosen in combinations(range(len(tasks)), size)]
        return sum(ways) / len(ways)
    random = Random(hashlib.sha256(json.dumps([centred, size]).encode()).hexdigest())  # noqa: S311  of no secret
    found = sum(gap(random.sample(range(len(tasks)), size)) >= seen for _ in range(DRAWS))
    return (found + 1) / (DRAWS + 1)
