"""Running totals of a session: whether the total of one process goes on with that of another.

A process that resumes a session counts from zero, or from the totals that the session had. Versions differ, and no
record says which, so the figures decide: a total that goes on is the earlier one and what the process used by itself,
in every kind of tokens and for every model.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cached_property
from operator import lt

from sitegen.model import ModelUsage, Tokens

MIN_SENT = 2_000  # tokens that a turn of Codex sends at least: its instructions alone are more
MAX_SMALL = 1_000  # tokens of a request that each process makes when it starts, at most
_ROUNDING_USD = 1e-6  # sums of costs differ by less


class Relation(Enum):
    """The relation of a running total to an earlier one of the same session."""

    SEPARATE = auto()
    CONTAINS = auto()
    UNDECIDED = auto()
    """It may contain the earlier one, or not."""


@dataclass(frozen=True)
class RunningTotal:
    """The figures of a process, which may include those of earlier ones."""

    ledger: Sequence[ModelUsage]
    cost_usd: float | None
    used: Tokens
    """The tokens that the process used by itself, as far as they are stated: nothing, or those of its main loop."""

    @cached_property
    def size(self) -> int:
        """All its tokens."""
        return sum(map(_size, self.ledger))

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The tokens of each kind."""
        return _counts(sum((line.tokens for line in self.ledger), Tokens()))

    @cached_property
    def main(self) -> ModelUsage:
        """The line of the model that used most."""
        return max(self.ledger, key=_size)


def relation_of(earlier: RunningTotal, later: RunningTotal) -> Relation:
    """Return whether the later total includes the earlier one."""
    used = later.used
    if not earlier.size or earlier.size + (used.total or 0) > later.size:
        return Relation.SEPARATE
    if _falls(earlier.cost_usd, later.cost_usd) or any(map(lt, later.counts, earlier.counts)):
        return Relation.SEPARATE
    lines = grown_ledger(earlier, later)
    if lines is None:
        return Relation.SEPARATE
    grown = sum((line.tokens for line in lines), Tokens())
    if used.total is None:
        is_turn = grown.unsplit or (grown.output and (grown.sent or 0) >= MIN_SENT)
        return Relation.UNDECIDED if is_turn else Relation.SEPARATE
    if min(_counts(grown - used)) < 0:
        return Relation.SEPARATE
    main = earlier.main
    line = next(line for line in lines if line.model == main.model)
    if _size(line):
        # In all it grew by just that; or for the main model, as helpers on other models may have used more.
        is_exact = used.complete and _counts(used) in (_counts(grown), _counts(line.tokens))
        return Relation.CONTAINS if is_exact else Relation.UNDECIDED
    # A model that was replaced used no more. But a small request, such as a check of limits, is the same at each start.
    if main.tokens.cache_read or main.tokens.cache_write:
        return Relation.CONTAINS
    return Relation.UNDECIDED if _size(main) > MAX_SMALL else Relation.SEPARATE


def grown_ledger(earlier: RunningTotal, later: RunningTotal) -> tuple[ModelUsage, ...] | None:
    """Return how much each line of the later ledger has grown, in its order; None where a count or a cost falls."""
    lines = {line.model: line for line in later.ledger}
    for before in earlier.ledger:
        line = lines.get(before.model, ModelUsage(before.model, Tokens()))
        tokens = line.tokens - before.tokens
        if min(_counts(tokens)) < 0 or _falls(before.cost_usd, line.cost_usd):
            return None
        if _falls(before.web_searches, line.web_searches):
            return None
        is_own = tokens.cache_write == later.used.cache_write
        lines[line.model] = replace(
            line,
            tokens=replace(tokens, cache_write_1h=later.used.cache_write_1h if is_own else None),
            cost_usd=grown_usd(before.cost_usd, line.cost_usd),
            web_searches=None
            if line.web_searches is None
            else line.web_searches - (before.web_searches or 0),
        )
    return tuple(lines.values())


def grown_usd(earlier: float | None, later: float | None) -> float | None:
    """Return how much a cost has grown; None where one is unknown."""
    return None if earlier is None or later is None else round(max(later - earlier, 0.0), 10)


def sum_segments(values: Iterable[int]) -> int:
    """Return the sum of a running total that begins at zero again where it falls."""
    total = before = 0
    for value in values:
        total += value - before if value >= before else value
        before = value
    return total


def rank(line: ModelUsage) -> tuple[float, int, str]:
    """Return the sort key of a ledger: the most expensive line first, then most output, then by id."""
    return (
        -(-1.0 if line.cost_usd is None else line.cost_usd),
        -(line.tokens.output or -1),
        line.model or "",
    )


def _size(line: ModelUsage) -> int:
    return line.tokens.total or 0


def _counts(tokens: Tokens) -> tuple[int, ...]:
    kinds = tokens.input, tokens.cache_write, tokens.cache_read, tokens.output, tokens.unsplit
    return tuple(count or 0 for count in kinds)


def _falls(earlier: float | None, later: float | None) -> bool:
    return earlier is not None and later is not None and later < earlier - _ROUNDING_USD
