"""What a run spent without a visible gain, each by a rule that pages state. A finding, never a verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sitegen.model import Part, Run, Status
from sitegen.numbers.pricing import PriceCheck

LARGE_CONTEXT_TOKENS = 20_000
"""Written to the cache by a run of one turn: then its context was sent as a whole, for one answer."""


def idle_parts(parts: Sequence[Part]) -> tuple[int, ...]:
    """Positions of the parts of a session that ended well and edited no file, behind one that had ended well."""
    done = next((number for number, part in enumerate(parts) if part.status is Status.OK), len(parts))
    return tuple(
        number for number, part in enumerate(parts) if number > done and part.edits == 0 and part.status is Status.OK
    )


def cost_without_change_usd(run: Run) -> float | None:
    """What `idle_parts` cost, as reported; None where the file has no such parts, or does not tell."""
    costs = [run.parts[number].cost_usd for number in idle_parts(run.parts)]
    return math.fsum(cost for cost in costs if cost is not None) if costs and None not in costs else None


def cost_rewritten_cache_usd(run: Run, check: PriceCheck) -> float | None:
    """What a run of one turn spent on writing LARGE_CONTEXT_TOKENS or more to the cache, by list price where that
    reproduces the cost; None for other runs."""
    if run.turns != 1 or (run.tokens.cache_write or 0) < LARGE_CONTEXT_TOKENS or check.by_kind is None:
        return None
    return check.by_kind["cache_write"]
