"""The spending of a run without a visible gain, each found by a rule that pages state. A finding, never a verdict."""

from collections.abc import Sequence

from sitegen.model import Part, Run, Status, Tokens, sum_complete
from sitegen.numbers.pricing import PriceCheck

LARGE_CONTEXT_TOKENS = 20_000
"""Written to the cache by a run of one turn: then its context was sent as a whole, for one answer."""


# the time for which cache writes are kept
CACHE_MS = 300_000
HOUR_CACHE_MS = 3_600_000


def idle_parts(parts: Sequence[Part]) -> tuple[int, ...]:
    """Return positions of the parts of a session that ended well and edited no file, behind one that had ended well."""
    ended_well = [number for number, part in enumerate(parts) if part.status is Status.OK]
    return tuple(number for number in ended_well[1:] if parts[number].edits == 0)


def cost_without_change_usd(run: Run) -> float | None:
    """Return what `idle_parts` cost, as reported; None where the file has no such parts, or does not tell."""
    return sum_complete(run.parts[number].cost_usd for number in idle_parts(run.parts))


def cost_rewritten_cache_usd(run: Run, check: PriceCheck) -> float | None:
    """Return what a run of one turn spent on writing LARGE_CONTEXT_TOKENS or more to the cache, at list price where
    that reproduces the cost; None for other runs."""
    is_large = (run.tokens.cache_write or 0) >= LARGE_CONTEXT_TOKENS
    if run.turns != 1 or not is_large or check.by_kind is None:
        return None
    return check.by_kind["cache_write"]


def is_rewritten(tokens: Tokens, context_before: int, pause_ms: int) -> bool:
    """Return whether a message wrote a large context to the cache that had been there: it came later than the cache
    lasts, and read less than half of what the message before had sent."""
    write = tokens.cache_write or 0
    hour = tokens.cache_write_1h or 0
    lifetime = HOUR_CACHE_MS if hour and hour == write else CACHE_MS
    is_late = pause_ms > lifetime and (tokens.cache_read or 0) < context_before / 2
    return is_late and min(write, context_before) >= LARGE_CONTEXT_TOKENS
