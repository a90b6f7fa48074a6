"""Counts of tokens as records state them, and how a file's counts are to be read.

Formats differ, and so do versions and routes of one format, in what is part of what: whether the prompt includes what
was read from the cache, whether output includes reasoning. Where records state totals, the reading is the one by which
the parts come to the totals; without totals it is that of the format. What is read from the cache cannot exceed a
prompt that includes it. The records of a file are alike, so one reading holds for all of them.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import NamedTuple

from sitegen.model import Tokens, add_known
from sitegen.readers.common.records import Record, count_of, object_of
from sitegen.readers.common.values import Caveats


class Counts(NamedTuple):
    """The counts that a record states; None where it states nothing."""

    sent: int | None = None
    read: int | None = None
    written: int | None = None
    output: int | None = None
    reasoning: int | None = None
    tools: int | None = None
    """The tokens that the API added to the prompt for its own tools."""
    total: int | None = None


@cache
def _paths(names: str) -> list[tuple[str, str, str]]:
    return [name.rpartition(".") for name in names.split()]


def counts_of(record: Record, names: str) -> Counts:
    """Return the counts that a record states under these names, in the order of `Counts`; `a.b` is the field b of a,
    and `-` one that the format does not have. What includes a count that is refused is unknown."""
    fields = [(object_of(record, outer) if outer else record, name) for outer, _, name in _paths(names)]
    counts = Counts(*(count_of(*field) for field in fields))
    refused = [
        count is None and inner.get(name) is not None for (inner, name), count in zip(fields, counts, strict=False)
    ]
    if any(refused[:3] + refused[5:]):
        counts = counts._replace(sent=None)
    return counts._replace(output=None) if any(refused[3:5] + refused[6:]) else counts


class CountRule(NamedTuple):
    """The way counts include each other."""

    sent_includes_read: bool = True
    sent_includes_written: bool = True
    output_includes_reasoning: bool = True
    sent_includes_tools: bool = False
    total_includes_cache: bool = True

    def fits(self, counts: Counts) -> bool:
        """Return whether the parts come to the total, where one is stated, and no part is larger than the whole."""
        sent, output = self._own(counts)
        reasons = output is not None and self.output_includes_reasoning and (counts.reasoning or 0) > output
        if reasons or (sent is not None and sent < 0):
            return False
        cached = 0 if self.total_includes_cache else (counts.read or 0) + (counts.written or 0)
        return not counts.total or sent is None or output is None or self.parts(counts) - cached == counts.total

    def parts(self, counts: Counts) -> int:
        """Return the sum of the parts."""
        sent, output = self._own(counts)
        return (sent or 0) + (counts.read or 0) + (counts.written or 0) + (output or 0)

    def tokens(self, counts: Counts) -> Tokens:
        """Return the counts by kind, of which none includes another."""
        sent, output = self._own(counts)
        return Tokens(None if sent is None else max(sent, 0), counts.written, counts.read, output)

    def _own(self, counts: Counts) -> tuple[int | None, int | None]:
        """Return what was sent besides the cache, and all that was put out."""
        sent, read, written, output, reasoning, tools, _ = counts
        if sent is not None:
            sent -= (read or 0) if self.sent_includes_read else 0
            sent -= (written or 0) if self.sent_includes_written else 0
            sent += 0 if self.sent_includes_tools else tools or 0
        if output is not None and not self.output_includes_reasoning:
            output += reasoning or 0
        return sent, output


@cache
def _readings(usual: CountRule) -> list[CountRule]:
    """Return all readings: first the usual one, then what differs from it in the fewest respects."""
    readings = (CountRule(*each) for each in product((True, False), repeat=len(usual)))
    return sorted(readings, key=lambda each: sum(a != b for a, b in zip(each, usual, strict=True)))


class Stated:
    """The counts of a file, by model, and the readings that fit all of them."""

    __slots__ = ("_by_model", "_fitting", "_is_revised", "_misfits", "_stated")

    def __init__(self, usual: CountRule) -> None:
        """`usual` is what the format's documents say."""
        self._fitting = _readings(usual)
        self._by_model: dict[str | None, Counts] = {}
        self._is_revised = False
        self._stated = 0
        self._misfits: list[tuple[int, int]] = []

    def take(self, model: str | None, counts: Counts) -> Tokens:
        """Return what a record states of a model, as the records until now are to be read."""
        before = self._fitting[0]
        self._stated += bool(counts.total)
        if fitting := [reading for reading in self._fitting if reading.fits(counts)]:
            self._fitting = fitting
            self._is_revised |= bool(self._by_model) and fitting[0] is not before
        else:
            self._misfits.append((counts.total or 0, before.parts(counts)))
        known = self._by_model.get(model)
        self._by_model[model] = counts if known is None else Counts(*map(add_known, known, counts))
        return self._fitting[0].tokens(counts)

    def revised(self) -> Iterator[tuple[str | None, Tokens]]:
        """Yield what each model used, where records were taken before it was known how to read them."""
        if self._is_revised:
            for model, counts in self._by_model.items():
                yield model, self._fitting[0].tokens(counts)

    def contradict(self, caveats: Caveats) -> bool:
        """Return whether a record fits no reading that fits the others, which is said."""
        if not self._misfits:
            return False
        total, parts = self._misfits[0]
        what = "a total is" if self._stated == 1 else f"{len(self._misfits):,} of {self._stated:,} totals are"
        said = f"{what} not the sum of the parts, such as {total:,} of {parts:,}" if total else "parts exceed the whole"
        caveats.add(
            "W_CONTRADICTION", f"Its counts of tokens contradict each other: {said}. They are shown as a lower bound."
        )
        return True
