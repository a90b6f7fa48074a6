"""List prices, as a check on the reported cost and a way to split it: never its source.

An agent computes its cost from a price list of its own, which can lack a model or a rate. So the cost of each
ledger line is computed again from its tokens and compared. Two questions have no sure answer in a run file,
and the check answers them by what reproduces the reported figure: at which rate cache writes were billed
(older agents bill all at the 5-minute rate, whatever their files say), and whether web searches are in it.

All prices are USD per million tokens, all costs USD.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import yaml

from sitegen.model import TOKEN_KINDS, Entry, ModelUsage, Portion, Run, Tokens, frozen, replace
from sitegen.text.names import display_name, price_key

EXACT_USD = 1e-6
"""A list price reproduces a reported cost when they differ by no more: the rest is rounding of floats."""
CLOSE = 0.01
"""The part of the reported cost by which a list price may differ and still explain how it is split."""


class WriteRate(StrEnum):
    """At which price the cache writes of a line were counted."""

    NONE = "no cache writes"
    SPLIT = "each write at its own rate"
    FIVE_MINUTES = "all writes at the 5-minute rate"
    ONE_HOUR = "all writes at the 1-hour rate"


class Reason(StrEnum):
    """A fact stated in a file that explains a cost which its tokens alone do not, in the order in which it is tried."""

    HOURS = (
        "the cache writes for an hour that its main loop reports, and all others for five minutes"
    )
    US_INFERENCE = "the rates of inference in the US alone, which the file reports"
    FAST = "the rates of fast answers, which the file reports"
    LONG_CONTEXT = "the rates above 200,000 tokens, since the model is the long-context one"
    BATCH = "the rates of batches, which the file reports"


@frozen
class TokenPrice:
    """The price of a million tokens of each kind, USD. None: such tokens have no price."""

    input: float
    output: float
    cache_read: float | None
    cache_write: float | None
    cache_write_1h: float | None
    above_tokens: int | None = None
    """Requests of more have the prices `above`; None where length makes no difference."""
    above: "TokenPrice | None" = None

    def times(self, sent: float, output: float) -> "TokenPrice":
        """Return the price with the rates of what is sent, and of output, multiplied."""
        read, write, hour = (
            rate and rate * sent
            for rate in (self.cache_read, self.cache_write, self.cache_write_1h)
        )
        above = self.above and self.above.times(sent, output)
        return TokenPrice(
            self.input * sent, self.output * output, read, write, hour, self.above_tokens, above
        )


ByKind = Mapping[str, float]  # the cost of each of TOKEN_KINDS, in their order


@frozen
class LineCheck:
    """One line of a ledger, computed again."""

    usage: ModelUsage
    list_usd: float | None = None
    """With web searches unless the reported cost leaves them out; None where a rate or a count is unknown."""
    by_kind: ByKind | None = None  # excludes web searches
    write_rate: WriteRate | None = None
    """The rate of cache writes; where the file does not say, or no split reproduces the cost, the 5-minute rate."""
    reproduced: bool | None = None
    """Whether `list_usd` is the reported cost to EXACT_USD; None when one of them is unknown."""
    billed_like: str | None = None
    """Display name of the model whose rates reproduce the reported cost, where the line's own do not."""
    because: tuple[Reason, ...] = ()
    """The facts in the file that `list_usd` includes; empty where tokens alone reproduce the cost, or nothing does."""
    uncached_usd: float = 0.0  # the same tokens at the full input rate; excludes web searches
    is_lower_bound: bool = False
    """Whether the rate of some tokens cannot be determined, and may be higher."""

    def reproduces(self, reported: float) -> bool:
        """Return whether this is what was reported."""
        return self.list_usd is not None and abs(self.list_usd - reported) <= EXACT_USD


@frozen
class PriceCheck:
    """The check of a run against the price table."""

    lines: tuple[LineCheck, ...]
    list_usd: float | None
    """The list price of the whole run; None where a line has none. A lower bound where the ledger is."""
    exact: bool | None
    """Whether `list_usd` is the reported cost to EXACT_USD a line; None when one of them is unknown."""
    by_kind: Mapping[str, float] | None
    """Cost by each of TOKEN_KINDS; None unless the sum is within CLOSE of the reported cost."""
    cache_saving_usd: float | None
    """The same tokens at the full input rate, minus the reported cost; None where `by_kind` is."""


Checks = Mapping[str, PriceCheck]
"""The checks of many runs, by page id, without the lines of their ledgers, which take much memory."""


@frozen
class PriceTable:
    """Prices by model."""

    date: str  # the day on which the table was compared with its sources, YYYY-MM-DD
    prices: Mapping[str, TokenPrice]
    web_search_usd: float
    fallback: str  # key of the model at whose rates Claude Code bills models that it does not know
    factors: Mapping[Reason, Mapping[str, tuple[float, float]]]
    """The factors by what the file states and `names.price_key`, of what is sent and of output."""
    cache_factors: Mapping[str, float]  # the usual rates of the cache, by kind, in input rates

    @staticmethod
    def load(extra: Mapping[str, Mapping[str, Any]] | None = None) -> "PriceTable":
        """Return the table of the package, with the prices in `extra` added or in place of its own.

        `extra` is model id -> the fields of Price. Cache rates that it leaves out follow from the input rate
        by the usual factors.
        """
        table = _shipped()
        own = {
            price_key(model): _price(fields, table.cache_factors)
            for model, fields in (extra or {}).items()
        }
        return replace(table, prices={**table.prices, **own})

    def price_for(self, model_id: str | None) -> TokenPrice | None:
        """Return the price of a model by its raw id: region, cloud, date and `[1m]` make no difference."""
        return None if model_id is None else self.prices.get(price_key(model_id))

    def check(self, run: Run) -> PriceCheck:
        """Return every line of a run's ledger computed again, and what follows for the whole run."""
        lines = tuple(self._check_line(usage, run) for usage in run.ledger)
        known = [
            (line.list_usd, line.by_kind)
            for line in lines
            if line.list_usd is not None and line.by_kind
        ]
        if not lines or len(known) < len(lines):
            return PriceCheck(lines, None, None, None, None)
        list_usd = math.fsum(usd for usd, _ in known)
        reported = run.ledger_cost_usd if run.cost_usd is None else run.cost_usd
        if reported is None:
            return PriceCheck(lines, list_usd, None, None, None)
        exact = abs(list_usd - reported) <= EXACT_USD * len(lines)
        by_kind = {kind: math.fsum(line[kind] for _, line in known) for kind in known[0][1]}
        tokens_usd = math.fsum(by_kind.values())
        if abs(tokens_usd - reported) > CLOSE * reported:
            return PriceCheck(lines, list_usd, exact, None, None)
        uncached_usd = math.fsum(line.uncached_usd for line in lines)
        return PriceCheck(
            lines, list_usd, exact, by_kind, uncached_usd + list_usd - tokens_usd - reported
        )

    def check_all(self, entries: Iterable[Entry]) -> Checks:
        """Return the check of each run."""
        return {entry.id: replace(self.check(entry.run), lines=()) for entry in entries}

    def computed(self, run: Run, stated_model: str | None = None) -> Run:
        """Return the run with its list price, where it counts its tokens and reports no cost. What the file names no
        model of is of the `stated_model`. The price of missing counts, or of some kinds alone, is a lower bound."""
        if run.judge:
            judged = self.check(replace(run, ledger=run.judge, cost_usd=None))
            run = replace(run, judge_list_usd=judged.list_usd)
        if run.cost_usd is not None:
            return run
        ledger = tuple(replace(line, model=line.model or stated_model) for line in run.ledger)
        check = self.check(replace(run, ledger=ledger))
        if check.list_usd is None:
            least = self._least_usd(check.lines, is_batch="batch" in run.billed_as)
            return replace(run, computed_cost_usd=least, cost_is_lower_bound=least is not None)
        of_lines = any(line.is_lower_bound for line in check.lines)
        is_lower_bound = run.ledger_is_lower_bound or run.output_is_lower_bound or of_lines
        return replace(run, computed_cost_usd=check.list_usd, cost_is_lower_bound=is_lower_bound)

    def _least_usd(self, lines: Iterable[LineCheck], *, is_batch: bool) -> float | None:
        """Return what the known tokens cost at least; None where none are known, or those of a model have no price."""
        total = 0.0
        for line in lines:
            price = self.price_for(line.usage.model)
            if line.list_usd is not None:
                total += line.list_usd
            elif price is not None:
                total += _least_cost(line.usage, price) * (0.5 if is_batch else 1)
            elif line.usage.tokens.total:
                return None
        return total or None

    def _check_line(self, usage: ModelUsage, run: Run) -> LineCheck:
        reported = usage.cost_usd
        price = self.price_for(usage.model)
        ways = [*self._portioned(usage, price), *self._ways(usage, price)]
        if reported is not None:
            for way in chain(ways, self._stated_ways(usage, run)):
                if way.reproduces(reported):
                    return replace(way, reproduced=True, is_lower_bound=False)
        elif not usage.portions:  # with all that the file states
            ways = [*list(self._stated_ways(usage, run))[-1:], *ways]
        at_fallback = self._ways(
            usage, _shipped().prices[self.fallback]
        )  # settings do not change this price
        is_like = bool(reported) and any(way.reproduces(reported or 0) for way in at_fallback)
        like = display_name(self.fallback) if is_like else None
        if not ways:
            return LineCheck(usage, billed_like=like)
        first = ways[0]
        is_wrong = None if reported is None else False
        is_bound = first.is_lower_bound or _may_be_long(usage, price, first.because)
        return replace(
            first, reproduced=is_wrong, billed_like=like, because=(), is_lower_bound=is_bound
        )

    def _stated_ways(self, usage: ModelUsage, run: Run) -> Iterator[LineCheck]:
        """Yield the ways to price a line with what the file states besides its tokens, each alone and then all
        together."""
        price = self.price_for(usage.model)
        if price is None or usage.model is None:
            return
        key = price_key(usage.model)
        stated = [reason for billed, reason in _REASONS.items() if billed in run.billed_as]
        factors = {
            reason: self.factors[reason][key] for reason in stated if key in self.factors[reason]
        }
        if price.above and usage.model.lower().endswith("[1m]"):
            factors[Reason.LONG_CONTEXT] = (
                price.above.input / price.input,
                price.above.output / price.output,
            )
        hour = run.hour_writes if usage.tokens.cache_write_1h is None else None
        alone = [(reason,) for reason in factors]
        for reasons in ((), *alone, *([tuple(factors)] if len(factors) > 1 else [])):
            sent, output = (math.prod(factors[reason][end] for reason in reasons) for end in (0, 1))
            if hour is not None:
                yield from self._ways(
                    usage, price.times(sent, output), (Reason.HOURS, *reasons), hour
                )
            if reasons:
                yield from self._ways(usage, price.times(sent, output), reasons)

    def _portioned(self, usage: ModelUsage, price: TokenPrice | None) -> Iterator[LineCheck]:
        """Yield the way to price a line by its portions, each at its own rates."""
        if not usage.portions or price is None or usage.model is None:
            return
        parts = [(each, _filled(each.tokens, usage.tokens)) for each in usage.portions]
        rest = usage.tokens - sum((tokens for _, tokens in parts), Tokens())
        if any((count or 0) < 0 for count in rest.counts):
            return
        priced = [(rest, price)]
        is_lower_bound = False
        for portion, tokens in parts:
            at, is_known = self._price_of(portion, price, price_key(usage.model))
            priced.append((tokens, at))
            is_lower_bound |= not is_known
        found = [next(_costs(tokens, at, tokens.cache_write_1h), None) for tokens, at in priced]
        if None in found:
            return
        by_kind = {
            kind: math.fsum(costs[kind] for _, costs in filter(None, found)) for kind in TOKEN_KINDS
        }
        uncached = (
            sum((each.sent or 0) * at.input + (each.output or 0) * at.output for each, at in priced)
            / 1e6
        )
        usd = math.fsum(by_kind.values()) + (usage.web_searches or 0) * self.web_search_usd
        rate = WriteRate.SPLIT if usage.tokens.cache_write else WriteRate.NONE
        yield LineCheck(
            usage, usd, by_kind, rate, uncached_usd=uncached, is_lower_bound=is_lower_bound
        )

    def _price_of(self, portion: Portion, price: TokenPrice, key: str) -> tuple[TokenPrice, bool]:
        """Return the price of a portion of a model's tokens, and whether all its rates are known."""
        is_long = price.above_tokens is not None and portion.above >= price.above_tokens
        at = price.above if is_long and price.above else price
        is_known = True
        for rate in portion.rates:
            factors = self.factors[_REASONS[rate]].get(key)
            is_known &= factors is not None
            at = at.times(*(factors or ((0.5, 0.5) if rate == "batch" else (1, 1))))
        return at, is_known

    def _ways(
        self,
        usage: ModelUsage,
        price: TokenPrice | None,
        because: tuple[Reason, ...] = (),
        hour: int | None = None,
    ) -> Iterator[LineCheck]:
        """Yield the ways to price a line, the likeliest first; none where a price or a count is unknown. `hour` are
        tokens written for an hour, where the line does not say."""
        tokens = usage.tokens
        uncached = (
            ((tokens.sent or 0) * price.input + (tokens.output or 0) * price.output) / 1e6
            if price
            else 0.0
        )
        for rate, by_kind in _costs(tokens, price, tokens.cache_write_1h if hour is None else hour):
            if hour is not None and rate is not WriteRate.SPLIT:
                continue
            usd = math.fsum(by_kind.values())
            for searches in (usage.web_searches, 0) if usage.web_searches else (0,):
                total = usd + searches * self.web_search_usd
                yield LineCheck(usage, total, by_kind, rate, because=because, uncached_usd=uncached)


_REASONS = {"us": Reason.US_INFERENCE, "fast": Reason.FAST, "batch": Reason.BATCH}


def _filled(part: Tokens, whole: Tokens) -> Tokens:
    """Return a part with nothing of the kinds that it does not count and the whole does."""
    return Tokens(
        *(
            0 if a is None and b is not None else a
            for a, b in zip(part.counts, whole.counts, strict=True)
        )
    )


def _may_be_long(usage: ModelUsage, price: TokenPrice | None, because: tuple[Reason, ...]) -> bool:
    """Return whether a request may have been so long that it has other prices: the file does not tell requests
    apart."""
    if price is None or price.above_tokens is None or Reason.LONG_CONTEXT in because:
        return False
    return usage.longest_request is None and (usage.tokens.sent or 0) > price.above_tokens


def _costs(
    tokens: Tokens, price: TokenPrice | None, hour: int | None
) -> Iterator[tuple[WriteRate, ByKind]]:
    """Yield the ways to price tokens by kind, the likeliest first; none where a price or a count is unknown.

    No tokens cost nothing, whatever the model.
    """
    if not tokens.complete:
        return
    if price is None and tokens.total == 0:
        price = _FREE
    sent, write, read = tokens.input or 0, tokens.cache_write or 0, tokens.cache_read or 0
    if price is None or (read and price.cache_read is None):
        return
    read_usd = read * (price.cache_read or 0) / 1e6
    input_usd = sent * price.input / 1e6
    output_usd = (tokens.output or 0) * price.output / 1e6
    for rate, write_usd in _write_costs(write, hour, price):
        yield (
            rate,
            {
                "cache_read": read_usd,
                "cache_write": write_usd,
                "input": input_usd,
                "output": output_usd,
            },
        )


_FREE = TokenPrice(0, 0, 0, 0, 0)


def _least_cost(usage: ModelUsage, price: TokenPrice) -> float:
    """Return what the tokens that are known cost at least. Where it is unknown how many were read from the cache, they
    may be in the input, unless the file says otherwise."""
    tokens = usage.tokens
    sent_rate = price.input
    if tokens.cache_read is None and not usage.excludes_cache and price.cache_read is not None:
        sent_rate = min(price.input, price.cache_read)
    costs = (
        (tokens.input or 0) * sent_rate,
        (tokens.cache_read or 0) * (price.cache_read or 0),
        (tokens.cache_write or 0) * (price.cache_write or 0),
        (tokens.output or 0) * price.output,
        (tokens.unsplit or 0) * min(price.input, price.output),
    )
    return math.fsum(costs) / 1e6


def _write_costs(write: int, hour: int | None, price: TokenPrice) -> list[tuple[WriteRate, float]]:
    """Return the ways to price cache writes, of which `hour` are known to be for an hour, the likeliest first."""
    if not write:
        return [(WriteRate.NONE, 0.0)]
    if price.cache_write is None or price.cache_write_1h is None:
        return []
    rates = {WriteRate.FIVE_MINUTES: price.cache_write, WriteRate.ONE_HOUR: price.cache_write_1h}
    uniform = [(rate, write * usd / 1e6) for rate, usd in rates.items()]
    if hour == write:
        return uniform[::-1]
    if not hour or hour > write:
        return uniform
    split_usd = ((write - hour) * price.cache_write + hour * price.cache_write_1h) / 1e6
    return [(WriteRate.SPLIT, split_usd), *uniform]


@cache
def _shipped() -> PriceTable:
    """Return the table of the package."""
    document: dict[str, Any] = yaml.safe_load(
        Path(__file__).with_name("prices.yaml").read_text(encoding="utf-8")
    )
    factors = {kind: document[kind] for kind in ("cache_read", "cache_write", "cache_write_1h")}
    prices = {model: _price(fields, factors) for model, fields in document["models"].items()}
    for model, fields in document["models_without_cache_writes"].items():
        prices[model] = replace(_price(fields, factors), cache_write=None, cache_write_1h=None)
    known = {Reason[name.upper()]: stated for name, stated in document["factors"].items()}
    stated = {
        reason: {model: (sent, output) for model, (sent, output) in by.items()}
        for reason, by in known.items()
    }
    fallback = document["unknown_model_billed_as"]
    search_usd = document["web_search"]
    return PriceTable(document["date"], prices, search_usd, fallback, stated, factors)


def _price(fields: Mapping[str, Any], factors: Mapping[str, float]) -> "TokenPrice":
    """Return a price whose missing rates follow from its input rate."""
    rate = fields["input"]
    output = fields["output"]
    if rate is None or output is None:
        raise ValueError("a price needs an input and an output rate")

    def of(kind: str) -> float:
        stated = fields.get(kind)
        return float(rate * factors[kind] if stated is None else stated)

    above = fields.get("above")
    long = (above["tokens"], _price(above, factors)) if isinstance(above, dict) else (None, None)
    return TokenPrice(
        rate, output, of("cache_read"), of("cache_write"), of("cache_write_1h"), *long
    )
