"""Two bars of 100 %, tokens over dollars by kind: where their parts lie, and what they say together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate, pairwise

from sitegen import figures
from sitegen.charts.axes import uncrowded
from sitegen.model import TOKEN_KINDS

_SUBJECTS = {
    "cache_read": ("Cache reads", "are", "were"),
    "cache_write": ("Cache writes", "are", "were"),
    "input": ("Input", "is", "was"),
    "output": ("Output", "is", "was"),
}


@dataclass(frozen=True, slots=True)
class BarPart:
    """One kind: where it begins and ends in either bar, from 0 to 1."""

    kind: str
    tokens: tuple[float, float]
    dollars: tuple[float, float]
    share: str
    """The share of the dollars, in words."""

    @property
    def size(self) -> float:
        """Share of the dollars."""
        return self.dollars[1] - self.dollars[0]

    @property
    def middle(self) -> float:
        """The middle of its part of the dollars; its share is shown below it."""
        return sum(self.dollars) / 2


@dataclass(frozen=True, slots=True)
class KindBars:
    """Tokens and dollars by kind, more than none of either."""

    tokens: Mapping[str, int]
    dollars: Mapping[str, float]

    @property
    def count(self) -> int:
        """Tokens of all kinds."""
        return sum(self.tokens.values())

    @property
    def usd(self) -> float:
        """Dollars of all kinds."""
        return math.fsum(self.dollars.values())

    def parts(self) -> list[BarPart]:
        """Return the kinds, from left to right."""
        count, usd = self.count, self.usd
        above = pairwise(accumulate((self.tokens[kind] / count for kind in TOKEN_KINDS), initial=0.0))
        below = pairwise(accumulate((self.dollars[kind] / usd for kind in TOKEN_KINDS), initial=0.0))
        return [
            BarPart(kind, tokens, dollars, figures.percent(self.dollars[kind], usd))
            for kind, tokens, dollars in zip(TOKEN_KINDS, above, below, strict=True)
        ]

    def title(self, *, is_past: bool = False) -> str:
        """Return what the kind of most tokens is of tokens and of dollars."""
        top = max(TOKEN_KINDS, key=lambda kind: self.tokens[kind])
        subject, now, then = _SUBJECTS[top]
        of_tokens, of_bill = figures.percent(self.tokens[top], self.count), figures.percent(self.dollars[top], self.usd)
        return f"{subject} {then if is_past else now} {of_tokens} of the tokens and {of_bill} of the bill"


def labelled(parts: list[BarPart], least: float, pixels: float) -> list[BarPart]:
    """Return the parts of at least this size below which their shares have room, if the bars are so many pixels
    long."""
    large = [part for part in parts if part.size >= least]
    return [large[at] for at in uncrowded([(part.middle, part.size, part.share) for part in large], pixels)]
