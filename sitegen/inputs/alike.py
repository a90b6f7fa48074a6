"""The things that are reported once with their number: models without a price, what readers do not know."""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence

from sitegen import figures
from sitegen.model import Entry
from sitegen.text.names import natural_order

MAX_NAMED = 8
MAX_MODELS = 10


def unpriced_in_words(entries: Sequence[Entry], priced: Callable[[str], bool]) -> list[str]:
    """Return models of runs that count tokens and have no cost, because no price is known: with the line to add. At
    most one sentence."""
    unpriced: Counter[str] = Counter()
    for entry in entries:
        run = entry.run
        if run.spent_usd is None and not run.ledger_is_lower_bound:
            counted = (line for line in run.ledger if line.tokens.complete and line.tokens.total)
            named = {line.model or entry.stated_model for line in counted}
            unpriced.update(model for model in named if model and not priced(model))
    if not unpriced:
        return []
    runs = unpriced.total()
    models = unpriced.most_common(MAX_MODELS)
    which = first = models[0][0]
    if len(unpriced) > 1:
        others = len(unpriced) - MAX_MODELS
        more = f" and {others:,} more" if others > 0 else ""
        which = f"{len(unpriced):,} models, {', '.join(f'{model} ({count:,})' for model, count in models)}{more}"
    quoted = first if re.fullmatch(r"[A-Za-z][\w.-]*", first) else json.dumps(first)
    prices = "with its own prices" if len(unpriced) == 1 else "each with its own prices"
    return [
        f"No price is known for {which}, so {figures.plural(runs, 'run')} {'has' if runs == 1 else 'have'} no cost. "
        f"To compute it, add under `prices` in the settings: {quoted}: {{input: ..., output: ..., "
        f"cache_read: ...}}, {prices} in USD per million tokens."
    ]


def unknown_in_words(entries: Sequence[Entry]) -> list[str]:
    """Return what readers met that they do not know, once for each reader, with the numbers of runs and the versions of
    the agent: a format may have changed."""
    unknown: dict[str, tuple[Counter[str], set[str]]] = {}
    for run in (part.run for entry in entries for part in (entry, *entry.lanes)):
        if run.unknown:
            names, versions = unknown.setdefault(run.reader, (Counter(), set()))
            names.update(sorted(set(run.unknown)))
            versions.update(filter(None, (run.agent_version,)))
    sentences = []
    for reader, (names, versions) in sorted(unknown.items()):
        fields = figures.plural(len(names), "field or kind of record", "fields or kinds of records")
        counted = [
            f"{name} ({figures.plural(count, 'run')})" for name, count in names.most_common()
        ]
        written_by = ""
        if versions:
            written_by = f" Written by version {_some(sorted(versions, key=natural_order))}."
        sentence = f"{reader}: {fields} not known to this version of sitegen: {_some(counted)}."
        sentences.append(sentence + written_by)
    return sentences


def _some(names: Sequence[str]) -> str:
    more = len(names) - MAX_NAMED
    return ", ".join(names[:MAX_NAMED]) + (f" and {more:,} more" if more > 0 else "")
