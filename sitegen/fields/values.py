"""The facts of a run, and the values of fields in them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from operator import attrgetter

from sitegen.model import TOKEN_KINDS, Entry, Run, Tokens, sum_known
from sitegen.numbers import waste
from sitegen.numbers.pricing import PriceCheck
from sitegen.numbers.signal_rules import signals_of
from sitegen.text.names import run_path

Cell = str | int | float | None | list[str] | dict[str, float]

TESTS = ("none", "passed", "unchecked")
CLAIMS = {True: "yes", False: "no"}

_UNCHECKED = PriceCheck((), None, None, None, None)


def score_key(name: str) -> str:
    """Return the key of a score."""
    return f"score.{name}"


def stated_of(entry: Entry) -> dict[str, str | float]:
    """Return what is stated of a run from outside, and what the settings make of it, by the key of its field."""
    stated: dict[str, str | float] = {score_key(score.name): score.value for score in entry.scores}
    for name, value in entry.factors:
        stated[f"factor.{name}"] = value
    return stated | dict(entry.derived)


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A run prepared for its fields: its tokens are added up once."""

    entry: Entry
    run: Run
    check: PriceCheck
    tokens: Tokens
    gaps: frozenset[str]
    stated: Mapping[str, str | float]

    @classmethod
    def of(cls, entry: Entry, check: PriceCheck | None = None) -> "RunFacts":
        """Return the facts of an entry. Without a check, the fields of list prices are unknown."""
        run = entry.run
        gaps = run.token_gaps | {"cost"} if run.cost_is_lower_bound else run.token_gaps
        return cls(entry, run, check or _UNCHECKED, run.tokens, gaps, stated_of(entry))


def _signals(facts: RunFacts) -> list[str] | None:
    signals = signals_of(facts.entry)
    return None if signals is None else [rule.short for rule in signals]


def _tests(facts: RunFacts) -> str | None:
    state = facts.run.steps.tests if facts.run.steps else None
    return state if state in TESTS else None


_FUNCTIONS: Mapping[str, Callable[[RunFacts], Cell]] = {
    "page": lambda facts: run_path(facts.entry.id),
    "title": lambda facts: facts.entry.about or facts.entry.title,
    "models": lambda facts: list(facts.entry.models),
    "model_ids": lambda facts: [line.model for line in facts.run.ledger if line.model is not None],
    "effort": lambda facts: facts.entry.factor("effort"),
    "total_tokens": lambda facts: facts.tokens.total if facts.tokens.is_total_known else None,
    "token_gaps": lambda facts: [kind for kind in TOKEN_KINDS if kind in facts.gaps],
    "outcome": lambda facts: facts.entry.outcome and facts.entry.outcome.value,
    "scores": lambda facts: {score.name: score.value for score in facts.entry.scores},
    "labels": lambda facts: list(facts.entry.labels),
    "project": lambda facts: facts.entry.factor("project"),
    "person": lambda facts: facts.entry.factor("person"),
    "patch_added_lines": lambda facts: facts.entry.patch_lines and facts.entry.patch_lines[0],
    "patch_removed_lines": lambda facts: facts.entry.patch_lines and facts.entry.patch_lines[1],
    "cost_bound": lambda facts: facts.run.cost_bound or None,
    "judge_tokens": lambda facts: sum_known(line.tokens.total for line in facts.run.judge),
    "cost_without_change_usd": lambda facts: waste.cost_without_change_usd(facts.run),
    "cost_rewritten_cache_usd": (
        lambda facts: waste.cost_rewritten_cache_usd(facts.run, facts.check)
    ),
    "signals": _signals,
    "tests": _tests,
    "claimed": lambda facts: None if facts.entry.claimed is None else CLAIMS[facts.entry.claimed],
    "warnings": lambda facts: sorted({caveat.code for caveat in facts.run.caveats}),
}
"""The values of fields that are more than a part of the facts."""


@cache
def reader(source: str, key: str) -> Callable[[RunFacts], Cell]:
    """Return the function that takes the value of a field from the facts of a run; for `source` see fields.tsv."""
    match source:
        case "stated":
            return lambda facts: facts.stated.get(key)
        case "steps":
            return lambda facts: getattr(facts.run.steps, key, None)
        case "list price":
            kind = key.removesuffix("_usd")
            return lambda facts: (facts.check.by_kind or {}).get(kind)
        case "function":
            return _FUNCTIONS[key]
    return attrgetter(source)
