"""What is said once with its number: problems of one cause, models without a price, what readers do not know."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sitegen import figures
from sitegen.model import Entry, Problem

MOST_ALONE = 4
"""Problems of one cause that have a line each."""
MOST_NAMED = 8
MOST_MODELS = 10
_VARYING = re.compile(r"\S*/\S+|[0-9][0-9,.]*")
"""What tells sentences of one cause apart: paths and numbers."""


@dataclass(frozen=True, slots=True)
class Alike:
    """A problem, and how many there are of its cause."""

    first: Problem
    count: int

    @property
    def name(self) -> str:
        """The file, or the number of files and one of them."""
        return self.first.path if self.count == 1 else f"{figures.count(self.count)} files, such as {self.first.path}"


def grouped(problems: Sequence[Problem]) -> list[Alike]:
    """The problems in their order; where more than MOST_ALONE have one cause, the first of them for all."""
    keys = [(problem.verdict, problem.code, _VARYING.sub("#", problem.reason)) for problem in problems]
    counts: dict[object, int] = {}
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
    told: set[object] = set()
    found: list[Alike] = []
    for problem, key in zip(problems, keys, strict=True):
        if counts[key] <= MOST_ALONE:
            found.append(Alike(problem, 1))
        elif key not in told:
            told.add(key)
            found.append(Alike(problem, counts[key]))
    return found


def unpriced_in_words(entries: Sequence[Entry], priced: Callable[[str], bool]) -> list[str]:
    """Models of runs that count tokens and have no cost, because no price is known: with the line to add."""
    found: Counter[str] = Counter()
    for entry in entries:
        run = entry.run
        if run.spent_usd is None and not run.ledger_is_lower_bound:
            named = {
                line.model or entry.stated_model for line in run.ledger if line.tokens.complete and line.tokens.total
            }
            found.update(model for model in named if model and not priced(model))
    return [
        f"No price is known for {model}, so {figures.plural(count, 'run')} {'has' if count == 1 else 'have'} no cost. "
        f"To compute it, add under `prices` in the settings: {_quoted(model)}: {{input: 1.25, output: 10, cache_read: "
        "0.125}, with its own prices in USD per million tokens."
        for model, count in found.most_common(MOST_MODELS)
    ]


def _quoted(model: str) -> str:
    return model if re.fullmatch(r"[A-Za-z][\w.-]*", model) else json.dumps(model)


def unknown_in_words(entries: Sequence[Entry]) -> list[str]:
    """What readers met that they do not know, by what was read and its version: a format may have changed."""
    found: dict[str, dict[str, None]] = {}
    for part in (part for entry in entries for part in (entry, *entry.lanes)):
        if part.run.unknown:
            version = f" {part.run.agent_version}" if part.run.agent_version else ""
            found.setdefault(part.run.reader + version, {}).update(dict.fromkeys(part.run.unknown))
    return [
        f"{read}: {figures.plural(len(names), 'field or kind of record', 'fields or kinds of records')} not known to "
        f"this version: {', '.join(list(names)[:MOST_NAMED])}{', ...' if len(names) > MOST_NAMED else ''}."
        for read, names in sorted(found.items())
    ]
