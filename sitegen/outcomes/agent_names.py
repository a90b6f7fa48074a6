"""Splits names that rows use for an agent and its model at once, such as `trae_gpt5` in the folder of a measurement."""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from sitegen.inputs.survey import Naming
from sitegen.model import Entry
from sitegen.outcomes.models import Models
from sitegen.outcomes.rows import Row

_OTHER_SIGNS = re.compile(r"[\W_]+")

Pair = tuple[str, str]  # an agent and a model, as pages show them


def split_agents(rows: Sequence[Row], entries: Sequence[Entry], naming: Naming) -> Iterator[Row]:
    """Yield the rows; one whose agent is none of the runs' has the agent and the model that its name consists of, where
    these are those of runs and no other two."""
    pairs = {(entry.agent, entry.model) for entry in entries if entry.model}
    agents = {fold(agent) for entry in entries for agent in (entry.agent, entry.run.agent)}
    models = Models(naming)
    for row in rows:
        stated = dict(row.columns).get("agent", "")
        if not stated or row.model or {fold(stated), fold(naming.agent(stated))} & agents:
            yield row
            continue
        fitting = find_pairs(stated, pairs, models)
        yield with_pair(row, fitting[0]) if len(fitting) == 1 else row


def find_pairs(stated: str, pairs: Set[Pair], models: Models) -> list[Pair]:
    """Return the pairs whose agent begins a name and whose model may be the rest of it."""
    name = fold(stated)
    fitting = []
    for agent, model in pairs:
        rest = name.removeprefix(fold(agent))
        if rest and rest != name and models.may_be(rest, model):
            fitting.append((agent, model))
    return fitting


def with_pair(row: Row, pair: Pair) -> Row:
    """Return a row with this agent and this model."""
    agent, model = pair
    columns = tuple((name, agent if name == "agent" else text) for name, text in row.columns)
    return replace(row, model=model, columns=columns)


def fold(name: str) -> str:
    """Return the letters and digits of a name in one case."""
    return _OTHER_SIGNS.sub("", name).casefold()
