"""The content of the context of the main agent: the results of tools that later requests carried, and what that cost.

No record states the tokens of a result. By how much a request sends more than the one before is shared by bytes among
what came in between; a compaction ends what was carried until then. What a request read from the cache is an upper
bound of what its results cost, so that their sum never exceeds the bill for cache reads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import nlargest

from sitegen.model import Tokens
from sitegen.steps import Step, StepKind

PriceOf = Callable[[str | None, Tokens], float | None]
"""The list price of what a message used, USD; None where the model has none."""
MAX_CARRIED = 4
"""Results that are listed."""
MIN_BYTES = 1_000
"""The smallest size of a result that is followed."""
MAX_HELD = 20_000
BYTES_PER_TOKEN = 4
"""The bytes per token of a prompt, where only the whole first request is known."""
_SHRUNK = 0.7
"""Share of the context below which something was taken out of it, even if the record does not say so."""


@dataclass(slots=True)
class Carried:
    """A result in the context."""

    number: int
    name: str
    bytes: int
    tokens: float = 0
    requests: int = 0
    """The number of requests that carried it: while it is held, the count of requests before it."""
    usd: float = 0
    """Likewise."""


@dataclass(slots=True)
class Context:
    """The context as far as it is known. `take` gets the steps of a run in their order."""

    largest: list[Carried] = field(default_factory=list)
    """The results whose context is known, most expensive first."""
    base: Carried = field(default_factory=lambda: Carried(0, "System prompt and tools", 0))
    requests: int = 0
    reads_usd: float = 0
    """The bill for cache reads by list price; so much at least."""
    is_priced: bool = True
    _held: list[Carried] = field(default_factory=list)
    _held_tokens: float = 0
    _between: list[tuple[int, Carried | None]] = field(default_factory=list)
    """Bytes since the last request, and the result that they are."""
    _sent: int = 0
    _per_token: float = 0
    """The cost of each held token so far."""
    _is_compacted: bool = False

    def take(self, step: Step, price: PriceOf) -> None:
        """Take the next step."""
        if step.lane:
            return
        if step.context_tokens is not None:
            self._request(step, step.context_tokens, price)
        call = step.call
        if step.kind is StepKind.COMPACTION:
            self._is_compacted = True
        elif call is not None and step.kind is StepKind.TOOL_CALL:
            self._between.append((call.input_bytes, None))
            found = Carried(step.number, call.target or call.name, call.result_bytes)
            self._between.append((call.result_bytes, found if call.result_bytes >= MIN_BYTES else None))
        elif step.kind in (StepKind.TEXT, StepKind.PROMPT):
            self._between.append((step.text_bytes, None))

    def _request(self, step: Step, sent: int, price: PriceOf) -> None:
        """Take a message that sent so much: what was held is read from the cache, and what came in between is new."""
        if self._is_compacted or sent < _SHRUNK * self._sent:
            self._release()
        read = (step.tokens.cache_read if step.tokens else None) or 0
        rate = price(step.model, Tokens(cache_read=1_000_000))
        self.is_priced &= rate is not None and step.tokens is not None and step.tokens.cache_read is not None
        cost = read * (rate or 0) / 1e6
        self.reads_usd += cost
        carried = max(self._held_tokens + self.base.tokens, self._sent, read)
        self._per_token += cost / carried if carried else 0
        whole = sum(size for size, _ in self._between)
        if not self.requests:
            self.base.tokens = max(sent - whole / BYTES_PER_TOKEN, 0)
        elif sent > self._sent and whole and not self._is_compacted:
            for size, found in self._between:
                tokens = (sent - self._sent) * size / whole
                self._held_tokens += tokens
                if found is not None and len(self._held) < MAX_HELD:
                    found.tokens, found.requests, found.usd = tokens, self.requests, self._per_token
                    self._held.append(found)
        self._between, self._sent, self._is_compacted = [], sent, False
        self.requests += 1

    def _release(self) -> None:
        """Release what was carried from the context."""
        for each in self._held:
            each.requests = self.requests - each.requests
            each.usd = each.tokens * (self._per_token - each.usd)
        self.largest = nlargest(MAX_CARRIED, (*self.largest, *self._held), key=lambda each: (each.usd, each.tokens))
        self._held, self._held_tokens = [], 0

    def close(self) -> Context:
        """Return it after the last step."""
        self._release()
        self.base.requests, self.base.usd = self.requests, self.base.tokens * self._per_token
        return self
