"""Counts of tokens as records state them, and how a file's counts are to be read.

Formats differ, and so do versions and routes of one format, in what is part of what: whether the prompt includes what
was read from the cache, whether output includes reasoning. Where records state totals, the reading is the one by which
the parts come to the totals; without totals it is that of the format. What is read from the cache cannot exceed a
prompt that includes it. The records of a file are alike, so one reading holds for all of them: that of the format,
unless another one fits more of the records for which it makes a difference. One odd record does not decide.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product
from operator import and_
from typing import NamedTuple

from sitegen import figures
from sitegen.model import Tokens
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
    fields = [
        (object_of(record, outer) if outer else record, name) for outer, _, name in _paths(names)
    ]
    counts = Counts(*(count_of(*field) for field in fields))
    refused = [
        count is None and inner.get(name) is not None
        for (inner, name), count in zip(fields, counts, strict=False)
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
        reasons = (
            output is not None
            and self.output_includes_reasoning
            and (counts.reasoning or 0) > output
        )
        if reasons or (sent is not None and sent < 0):
            return False
        cached = 0 if self.total_includes_cache else (counts.read or 0) + (counts.written or 0)
        return (
            not counts.total
            or sent is None
            or output is None
            or self.parts(counts) - cached == counts.total
        )

    def parts(self, counts: Counts) -> int:
        """Return the sum of the parts."""
        sent, output = self._own(counts)
        return (sent or 0) + (counts.read or 0) + (counts.written or 0) + (output or 0)

    def tokens(self, counts: Counts) -> Tokens:
        """Return the counts by kind, of which none includes another. Where parts exceed the whole, one count is wrong,
        and as much of the parts is counted as the whole has: that was used whichever it is."""
        sent, output = self._own(counts)
        read, written, whole = counts.read, counts.written, counts.sent
        if sent is None or whole is None or sent >= 0:
            return Tokens(sent, written, read, output)
        if self.sent_includes_read and read:
            read = min(read, whole)
            whole -= read
        if self.sent_includes_written and written:
            written = min(written, whole)
        return Tokens(0, written, read, output)

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
    """Return all other readings, those first that differ from the usual one in the fewest respects."""
    readings = (CountRule(*flags) for flags in product((True, False), repeat=len(usual)))
    return sorted(readings, key=lambda reading: sum(_differences(reading, usual)))[1:]


def _differences(reading: CountRule, other: CountRule) -> list[bool]:
    return [a != b for a, b in zip(reading, other, strict=True)]


def _respects(counts: Counts) -> tuple[bool, ...]:
    """Return in which respects, in the order of `CountRule`, another reading would change what a record says."""
    has_cache = bool(counts.read or counts.written)
    kinds = map(bool, (counts.read, counts.written, counts.reasoning, counts.tools))
    return (*kinds, bool(counts.total) and has_cache)


class Stated:
    """The counts of a file, by model, and the reading of all of them."""

    __slots__ = ("_is_revised", "_kept", "_misfits", "_reading", "_usual")

    def __init__(self, usual: CountRule) -> None:
        """`usual` is what the format's documents say."""
        self._usual = self._reading = usual
        self._kept: list[tuple[str | None, Counts]] = []
        self._misfits = 0  # records that did not fit the reading when they came
        self._is_revised = False

    def take(self, model: str | None, counts: Counts) -> Tokens:
        """Return what a record states of a model, as the records until now are to be read."""
        self._kept.append((model, counts))
        if not self._reading.fits(counts):
            self._misfits += 1
            if (
                self._misfits & (self._misfits - 1) == 0
            ):  # a power of two: the first one decides in most files
                self._decide()
        return self._reading.tokens(counts)

    def revised(self) -> Iterator[tuple[str | None, Tokens]]:
        """Yield what each model used, where records were taken before it was known how to read them."""
        if self._misfits:
            self._decide()
        if self._is_revised:
            sums: dict[str | None, Tokens] = {}
            for model, counts in self._kept:
                sums[model] = sums.get(model, Tokens()) + self._reading.tokens(counts)
            yield from sums.items()

    def contradict(self, caveats: Caveats) -> bool:
        """Return whether a record does not fit the reading of the others, which is said."""
        odd = [
            counts for _, counts in self._kept if self._misfits and not self._reading.fits(counts)
        ]
        if not odd:
            return False
        records = sum(any(counts) for _, counts in self._kept)
        said = f"parts exceed the whole in {len(odd):,} of {figures.plural(records, 'record')}"
        if odd[0].total:
            stated = sum(bool(counts.total) for _, counts in self._kept)
            what = "a total is" if stated == 1 else f"{len(odd):,} of {stated:,} totals are"
            said = f"{what} not the sum of the parts, such as {odd[0].total:,} of {self._reading.parts(odd[0]):,}"
        caveats.add(
            "W_CONTRADICTION",
            f"Its counts of tokens contradict each other: {said}. They are shown as a lower bound.",
        )
        return True

    def _decide(self) -> None:
        """Choose the reading: the usual one, unless another one fits as many of the records that contradict it as it
        would read differently of those that do not."""
        odd = [counts for _, counts in self._kept if not self._usual.fits(counts)]
        usual = Counter(_respects(counts) for _, counts in self._kept if self._usual.fits(counts))
        before = self._reading
        most = 0
        self._reading = self._usual
        for reading in _readings(self._usual):
            differs = _differences(reading, self._usual)
            changed = sum(
                number for respects, number in usual.items() if any(map(and_, respects, differs))
            )
            gained = sum(reading.fits(counts) for counts in odd)
            if gained and gained - changed >= most:
                self._reading = reading
                most = gained - changed + 1
        self._is_revised |= self._reading is not before and len(self._kept) > 1
