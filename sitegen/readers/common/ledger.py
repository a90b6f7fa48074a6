"""Tokens by model, each answer counted once, with what decides their price; and costs of messages."""

import math
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from sitegen.model import LONG_REQUESTS, ModelUsage, Portion, Tokens
from sitegen.readers.common.stated import CountRule, Counts, Stated
from sitegen.readers.common.values import Caveats

MAX_MODELS = 50


class AnswerUsage(NamedTuple):
    """The usage of one answer of a model, as far as it is known."""

    model: str | None
    tokens: Tokens
    rates: tuple[str, ...] = ()
    """The facts in it that change the price of a token, as in `Run.billed_as`."""
    searches: int | None = None
    is_placeholder: bool = False
    """Whether its output is still to come."""
    digest: int | None = None
    """The digest of what identifies it in other files."""


@dataclass(slots=True)
class Prices:
    """The facts that decide the price of a model's tokens besides their number."""

    portions: dict[tuple[tuple[str, ...], int], Tokens] = field(default_factory=dict)
    longest: int | None = 0
    """The tokens sent with the longest request; None once a record does not tell requests apart."""
    searches: int | None = None

    def add_request(
        self, tokens: Tokens, rates: tuple[str, ...] = (), searches: int | None = None
    ) -> None:
        """Add the figures of one request."""
        sent = tokens.sent or 0
        if self.longest is not None and sent > self.longest:
            self.longest = sent
        if searches:
            self.searches = (self.searches or 0) + searches
        limit = 0
        if sent > LONG_REQUESTS[0]:
            limit = max(limit for limit in LONG_REQUESTS if sent > limit)
        if limit or rates:
            key = rates, limit
            self.portions[key] = self.portions.get(key, Tokens()) + tokens

    def forget_requests(self) -> None:
        """Forget which requests were long: it is not known."""
        self.portions.clear()
        self.longest = self.searches = None

    def line(self, model: str | None, tokens: Tokens, *, excludes_cache: bool) -> ModelUsage:
        """Return the line of the ledger for a model that used so many tokens."""
        portions = tuple(Portion(*key, part) for key, part in sorted(self.portions.items()))
        return ModelUsage(
            model, tokens, None, self.searches, portions, self.longest, excludes_cache
        )


class TokenLedger:
    """The tokens that a run used, by model."""

    def __init__(self, rule: CountRule, caveats: Caveats, *, excludes_cache: bool = False) -> None:
        """`rule` says how the format's counts include each other."""
        self.by_model: dict[str | None, Tokens] = {}
        self.answers: dict[Hashable, AnswerUsage] = {}
        self.is_lower_bound = False
        self.excludes_cache = excludes_cache
        """Whether input has none in it that were read from a cache whose reads are not counted."""
        self._caveats = caveats
        self._stated = Stated(rule)
        self._prices: dict[str | None, Prices] = {}
        # Whether counts lack input, and output: both True and False where some do and some do not.
        self._lack_input: set[bool] = set()
        self._lack_output: set[bool] = set()

    def count_by(self, rule: CountRule) -> None:
        """Read counts by another rule; none was added yet."""
        self._stated = Stated(rule)

    def add_counts(self, model: str | None, counts: Counts, *, is_request: bool) -> Tokens:
        """Add counts as a record states them; return them by kind. The file decides how they are to be read."""
        model = self.line_of(model)
        tokens = self._stated.take(model, counts)
        self.add_tokens(model, tokens, is_request=is_request)
        return tokens

    def add_tokens(self, model: str | None, tokens: Tokens, *, is_request: bool) -> None:
        """Add the tokens of a message, which is one request, or those of a part of the run."""
        model = self.line_of(model)
        prices = self._prices.setdefault(model, Prices())
        if is_request:
            prices.add_request(tokens)
        else:
            prices.longest = None
        self._note_kinds(tokens)
        self._add_to_line(model, tokens)

    def add_answer(
        self, id_: Hashable, answer: AnswerUsage, model: str | None
    ) -> tuple[Tokens, bool] | None:
        """Add what is new about an answer; return it, and whether its input is new. None where nothing is."""
        known = self.answers.get(id_)
        if known is None:
            model = self.line_of(model)
            self.answers[id_] = answer._replace(model=model)
            self._add_to_line(model, answer.tokens)
            return answer.tokens, True
        tokens = self._newer_tokens(known.tokens, answer.tokens)
        self.answers[id_] = answer._replace(model=known.model, tokens=tokens)
        if tokens == known.tokens:
            return None
        grown = tokens - known.tokens
        self._add_to_line(known.model, grown)
        return grown, not known.tokens.sent

    def line_of(self, model: str | None) -> str | None:
        """Return the model whose line counts for a model: those beyond the limit share one."""
        if model in self.by_model or len(self.by_model) < MAX_MODELS:
            return model
        self._caveats.add(
            "W_LIMIT", f"The run names more than {MAX_MODELS} models; the later ones share a line."
        )
        return "other models"

    def has_any(self) -> bool:
        """Return whether any tokens are counted."""
        return any(tokens.total for tokens in self.by_model.values())

    def note_missing(self) -> None:
        """Record that a message counts nothing."""
        self.is_lower_bound = True
        self._caveats.add("W_MISSING", "A message reports no tokens, so usage is a lower bound.")

    def close(self) -> None:
        """Read the counts again, now that all are known, and check whether they fit each other."""
        for model, tokens in self._stated.revised():
            prices = self._prices[model]
            if prices.portions or tokens.sent != self.by_model[model].sent:
                prices.forget_requests()
            self.by_model[model] = tokens
        self.is_lower_bound |= self._stated.contradict(self._caveats)
        if len(self._lack_input) > 1 or len(self._lack_output) > 1:
            self.is_lower_bound = True
            self._caveats.add(
                "W_MISSING", "Some of its counts lack input or output, so usage is a lower bound."
            )

    def lines(self) -> list[ModelUsage]:
        """Return a line for each model."""
        for answer in self.answers.values():
            prices = self._prices.setdefault(answer.model, Prices())
            prices.add_request(answer.tokens, answer.rates, answer.searches)
        return [
            self._prices.get(model, Prices()).line(
                model, tokens, excludes_cache=self.excludes_cache
            )
            for model, tokens in self.by_model.items()
        ]

    def digests(self) -> tuple[int, ...]:
        """Return the digests of its answers, as far as they have one."""
        digests = (answer.digest for answer in self.answers.values())
        return tuple(digest for digest in digests if digest is not None)

    def has_placeholder(self) -> bool:
        """Return whether the output of an answer is still to come."""
        return any(answer.is_placeholder for answer in self.answers.values())

    def _newer_tokens(self, before: Tokens, tokens: Tokens) -> Tokens:
        """Return the later counts of an answer; counts that fall are not believed."""
        tokens = tokens.or_else(before)
        has_less_input = (tokens.sent or 0) < (before.sent or 0)
        has_less_output = (tokens.output or 0) < (before.output or 0)
        if not has_less_input and not has_less_output:
            return tokens
        self.is_lower_bound = True
        self._caveats.add(
            "W_MISSING", "A message is repeated with fewer tokens: its sum is a lower bound."
        )
        return max(before, tokens, key=_total_of)

    def _add_to_line(self, model: str | None, tokens: Tokens) -> None:
        known = self.by_model.get(model)
        self.by_model[model] = tokens if known is None else known + tokens

    def _note_kinds(self, tokens: Tokens) -> None:
        """Note whether counts state input and output: a sum lacks something where some do and some do not."""
        if tokens.total is None or tokens.unsplit is not None:
            return
        is_zero = tokens.sent == 0 and bool(tokens.output)
        self._lack_input.add(tokens.input is None or is_zero)
        self._lack_output.add(tokens.output is None)


def _total_of(tokens: Tokens) -> int:
    return tokens.total or 0


class MessageCosts:
    """The costs of messages, which add up to that of the run."""

    def __init__(self) -> None:
        self._amounts: list[float] = []
        self.lacks_some = False

    def add(self, cost_usd: float | None) -> None:
        """Add the cost of a message; 0 stands for a price that is not known, as it does where nobody is billed."""
        if cost_usd:
            self._amounts.append(cost_usd)
        else:
            self.lacks_some = True

    def total_usd(self) -> float | None:
        """Return their sum; None where none is known."""
        return round(math.fsum(self._amounts), 10) if self._amounts else None


def without_zeros(lines: list[ModelUsage], caveats: Caveats) -> list[ModelUsage]:
    """Return the ledger of a run in which a model answered: counts are unknown where all of them are 0, and so is what
    was sent where that is 0."""
    totals = {line.tokens.total for line in lines}
    if 0 in totals and not any(totals):
        caveats.add(
            "W_MISSING", "All its counts of tokens are 0 beside an answer, so they are unknown."
        )
        return [replace(line, tokens=Tokens(), cost_usd=line.cost_usd or None) for line in lines]
    return [_without_zero_input(line) for line in lines]


def _without_zero_input(line: ModelUsage) -> ModelUsage:
    if line.tokens.sent == 0 and line.tokens.output:
        return replace(line, tokens=Tokens(output=line.tokens.output))
    return line
