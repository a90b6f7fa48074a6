"""List prices, as a check on the reported cost and a way to split it: never its source.

An agent computes its cost from a price list of its own, which can lack a model or a rate. So the cost of each
ledger line is computed again from its tokens and compared. Two questions have no sure answer in a run file,
and the check answers them by what reproduces the reported figure: at which rate cache writes were billed
(older agents bill all at the 5-minute rate, whatever their files say), and whether web searches are in it.

All prices are USD per million tokens, all costs USD.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from itertools import chain, islice
from operator import itemgetter
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
        cached = (self.cache_read, self.cache_write, self.cache_write_1h)
        read, write, hour = (rate and rate * sent for rate in cached)
        long = self.above and self.above.times(sent, output)
        return TokenPrice(
            self.input * sent, self.output * output, read, write, hour, self.above_tokens, long
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
    list_usd: float | None = None
    """The list price of the whole run; None where a line has none. A lower bound where the ledger is."""
    exact: bool | None = None
    """Whether `list_usd` is the reported cost to EXACT_USD a line; None when one of them is unknown."""
    by_kind: ByKind | None = None
    """Cost by each of TOKEN_KINDS; None unless the sum is within CLOSE of the reported cost."""
    cache_saving_usd: float | None = None
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
        prices = {**table.prices}
        for model, fields in (extra or {}).items():
            prices[price_key(model)] = _price(fields, table.cache_factors)
        return replace(table, prices=prices)

    def price_for(self, model_id: str | None) -> TokenPrice | None:
        """Return the price of a model by its raw id: region, cloud, date and `[1m]` make no difference."""
        return None if model_id is None else self.prices.get(price_key(model_id))

    def check(self, run: Run) -> PriceCheck:
        """Return every line of a run's ledger computed again, and what follows for the whole run."""
        lines = tuple(self._check_line(usage, run) for usage in run.ledger)
        known = [line.list_usd for line in lines if line.list_usd is not None]
        costs = [line.by_kind for line in lines if line.by_kind]
        if not lines or len(known) < len(lines) or len(costs) < len(lines):
            return PriceCheck(lines)
        list_usd = math.fsum(known)
        reported = run.ledger_cost_usd if run.cost_usd is None else run.cost_usd
        if reported is None:
            return PriceCheck(lines, list_usd)
        exact = abs(list_usd - reported) <= EXACT_USD * len(lines)
        by_kind = _add_by_kind(costs)
        tokens_usd = math.fsum(by_kind.values())
        if abs(tokens_usd - reported) > CLOSE * reported:
            return PriceCheck(lines, list_usd, exact)
        uncached_usd = math.fsum(line.uncached_usd for line in lines)
        saving = uncached_usd + list_usd - tokens_usd - reported
        return PriceCheck(lines, list_usd, exact, by_kind, saving)

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
        stated = self._stated_ways(usage, run)
        if reported is not None:
            for way in chain(ways, stated):
                if way.reproduces(reported):
                    return replace(way, reproduced=True, is_lower_bound=False)
        elif not usage.portions:  # with all that the file states
            ways = [*list(stated)[-1:], *ways]
        # Settings do not change this price.
        at_fallback = self._ways(usage, _shipped().prices[self.fallback])
        like = None
        if reported and any(way.reproduces(reported) for way in at_fallback):
            like = display_name(self.fallback)
        if not ways:
            return LineCheck(usage, billed_like=like)
        return replace(
            ways[0],
            reproduced=None if reported is None else False,
            billed_like=like,
            because=(),
            is_lower_bound=ways[0].is_lower_bound or _may_be_long(usage, price, ways[0].because),
        )

    def _stated_ways(self, usage: ModelUsage, run: Run) -> Iterator[LineCheck]:
        """Yield the ways to price a line with what the file states besides its tokens, each alone and then all
        together."""
        price = self.price_for(usage.model)
        if price is None or usage.model is None:
            return
        key = price_key(usage.model)
        factors: dict[Reason, tuple[float, float]] = {}
        for billed, reason in _REASONS.items():
            if billed in run.billed_as and key in self.factors[reason]:
                factors[reason] = self.factors[reason][key]
        long = price.above
        if long and usage.model.lower().endswith("[1m]"):
            factors[Reason.LONG_CONTEXT] = long.input / price.input, long.output / price.output
        hour = run.hour_writes if usage.tokens.cache_write_1h is None else None
        ways: list[tuple[Reason, ...]] = [] if hour is None else [()]
        ways += [(reason,) for reason in factors]
        if len(factors) > 1:
            ways.append(tuple(factors))
        for reasons in ways:
            sent = math.prod(factors[reason][0] for reason in reasons)
            output = math.prod(factors[reason][1] for reason in reasons)
            rates = price.times(sent, output)
            if hour is not None:
                yield from self._ways(usage, rates, (Reason.HOURS, *reasons), hour)
            if reasons:
                yield from self._ways(usage, rates, reasons)

    def _portioned(self, usage: ModelUsage, price: TokenPrice | None) -> Iterator[LineCheck]:
        """Yield the way to price a line by its portions, each at its own rates."""
        if not usage.portions or price is None or usage.model is None:
            return
        priced: list[tuple[Tokens, TokenPrice]] = []
        is_lower_bound = False
        for portion in usage.portions:
            tokens = _filled(portion.tokens, usage.tokens)
            rates, is_known = self._price_of(portion, price, price_key(usage.model))
            priced.append((tokens, rates))
            is_lower_bound |= not is_known
        rest = usage.tokens - sum((tokens for tokens, _ in priced), Tokens())
        if any((count or 0) < 0 for count in rest.counts):
            return
        priced.insert(0, (rest, price))
        costs: list[ByKind] = []
        for tokens, rates in priced:
            costs += [by_kind for _, by_kind in islice(_costs(tokens, rates), 1)]
        if len(costs) < len(priced):
            return
        by_kind = _add_by_kind(costs)
        usd = math.fsum(by_kind.values()) + (usage.web_searches or 0) * self.web_search_usd
        yield LineCheck(
            usage,
            usd,
            by_kind,
            WriteRate.SPLIT if usage.tokens.cache_write else WriteRate.NONE,
            uncached_usd=sum(_uncached(tokens, rates) for tokens, rates in priced) / 1e6,
            is_lower_bound=is_lower_bound,
        )

    def _price_of(self, portion: Portion, price: TokenPrice, key: str) -> tuple[TokenPrice, bool]:
        """Return the price of a portion of a model's tokens, and whether all its rates are known."""
        is_long = price.above_tokens is not None and portion.above >= price.above_tokens
        rates = price.above if is_long and price.above else price
        is_known = True
        for rate in portion.rates:
            factors = self.factors[_REASONS[rate]].get(key)
            is_known &= factors is not None
            rates = rates.times(*(factors or _USUAL_FACTORS.get(rate, (1, 1))))
        return rates, is_known

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
        uncached = _uncached(tokens, price) / 1e6 if price else 0.0
        counts = (usage.web_searches, 0) if usage.web_searches else (0,)
        for rate, by_kind in _costs(tokens, price, hour):
            if hour is not None and rate is not WriteRate.SPLIT:
                continue
            usd = math.fsum(by_kind.values())
            for searches in counts:
                total = usd + searches * self.web_search_usd
                yield LineCheck(usage, total, by_kind, rate, because=because, uncached_usd=uncached)


_REASONS = {"us": Reason.US_INFERENCE, "fast": Reason.FAST, "batch": Reason.BATCH}


_USUAL_FACTORS = {"batch": (0.5, 0.5)}
"""The factors of rates that the table does not list for a model."""


def _add_by_kind(costs: Sequence[ByKind]) -> ByKind:
    return {kind: math.fsum(map(itemgetter(kind), costs)) for kind in TOKEN_KINDS}


def _uncached(tokens: Tokens, price: TokenPrice) -> float:
    """Return what tokens cost at the full input rate, in millionths of a dollar."""
    return (tokens.sent or 0) * price.input + (tokens.output or 0) * price.output


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
    tokens: Tokens, price: TokenPrice | None, hour: int | None = None
) -> Iterator[tuple[WriteRate, ByKind]]:
    """Yield the ways to price tokens by kind, the likeliest first; none where a price or a count is unknown. `hour` are
    tokens written for an hour, where they do not say.

    No tokens cost nothing, whatever the model.
    """
    if not tokens.complete:
        return
    if price is None and tokens.total == 0:
        price = _FREE
    read = tokens.cache_read or 0
    if price is None or (read and price.cache_read is None):
        return
    known = {
        "cache_read": read * (price.cache_read or 0) / 1e6,
        "cache_write": 0.0,
        "input": (tokens.input or 0) * price.input / 1e6,
        "output": (tokens.output or 0) * price.output / 1e6,
    }
    hour = tokens.cache_write_1h if hour is None else hour
    for rate, write_usd in _write_costs(tokens.cache_write or 0, hour, price):
        yield rate, {**known, "cache_write": write_usd}


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
    short = WriteRate.FIVE_MINUTES, write * price.cache_write / 1e6
    long = WriteRate.ONE_HOUR, write * price.cache_write_1h / 1e6
    if hour == write:
        return [long, short]
    if not hour or hour > write:
        return [short, long]
    split_usd = ((write - hour) * price.cache_write + hour * price.cache_write_1h) / 1e6
    return [(WriteRate.SPLIT, split_usd), short, long]


@cache
def _shipped() -> PriceTable:
    """Return the table of the package."""
    text = Path(__file__).with_name("prices.yaml").read_text(encoding="utf-8")
    document: dict[str, Any] = yaml.safe_load(text)
    factors = {kind: document[kind] for kind in ("cache_read", "cache_write", "cache_write_1h")}
    prices = {model: _price(fields, factors) for model, fields in document["models"].items()}
    for model, fields in document["models_without_cache_writes"].items():
        prices[model] = replace(_price(fields, factors), cache_write=None, cache_write_1h=None)
    return PriceTable(
        document["date"],
        prices,
        document["web_search"],
        document["unknown_model_billed_as"],
        {Reason[name.upper()]: by_model for name, by_model in document["factors"].items()},
        factors,
    )


def _price(fields: Mapping[str, Any], factors: Mapping[str, float]) -> "TokenPrice":
    """Return a price whose missing rates follow from its input rate."""
    rate = fields["input"]
    output = fields["output"]
    if rate is None or output is None:
        raise ValueError("a price needs an input and an output rate")

    def rate_of(kind: str) -> float:
        stated = fields.get(kind)
        return float(rate * factors[kind] if stated is None else stated)

    cached = rate_of("cache_read"), rate_of("cache_write"), rate_of("cache_write_1h")
    long = fields.get("above")
    if not isinstance(long, dict):
        return TokenPrice(rate, output, *cached)
    return TokenPrice(rate, output, *cached, long["tokens"], _price(long, factors))
