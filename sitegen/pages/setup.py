"""The setup of each configuration: what the files of its runs and the settings state of how the runs were made.

Nothing is inferred: what neither states is listed as not stated.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from sitegen import figures
from sitegen.config import Config
from sitegen.fields import SCHEMA
from sitegen.html.render import View
from sitegen.model import Entry, frozen
from sitegen.numbers.statistics import dimension_of, group_by
from sitegen.pages.views import FactView, RowView
from sitegen.text.names import NO_MODEL

LABELS = {
    "agent_version": "Agent version",
    "model": "Model id",
    "effort": "Effort",
    "prompt": "Prompt or skill",
    "permissions": "Permissions",
    "sandbox": "Sandbox",
    "limits": "Limits",
    "retries": "Retries",
    "network": "Network",
    "judge": "Judge",
    "prices_date": "List prices of",
}
"""The facts of a setup in the order in which pages list them. All but the last are keys of the settings."""
PRICES = "prices_date"
NOT_STATED = "not stated"
MAX_VALUES = 3  # different values of a fact that a page lists


@frozen
class Setup:
    """The facts that are stated of a configuration."""

    configuration: str
    runs: int
    facts: Mapping[str, Mapping[str, int | None]]
    """The values of each fact, with the number of runs whose files state it; None where no file does."""

    def describe(self, key: str) -> str:
        """Return what a page says of a fact."""
        values = self.facts[key]
        if len(values) > MAX_VALUES:
            return f"{len(values)} different"
        return (
            ", ".join(self._describe_value(key, *value) for value in values.items()) or NOT_STATED
        )

    def _describe_value(self, key: str, value: str, runs: int | None) -> str:
        if runs is None and any(self.facts[key].values()):
            return f"{value} (by the settings)"
        if runs in (None, self.runs):
            return value
        return f"{value} ({runs} of {figures.plural(self.runs, 'run')})"


def find_setups(entries: Sequence[Entry], config: Config) -> list[Setup]:
    """Return the setup of each configuration; of all runs together where none is known."""
    groups = group_by(entries, dimension_of(entries)) or {NO_MODEL: tuple(entries)}
    prices_date = config.price_table.date
    setups = []
    for name, runs in groups.items():
        stated = config.setup.facts_of(name) | {PRICES: prices_date}
        setups.append(find_setup(name, runs, stated))
    return setups


def find_setup(name: str, runs: Sequence[Entry], stated: Mapping[str, str]) -> Setup:
    """Return what the files of these runs state, and what is `stated` besides: of runs whose files state nothing, and
    where it contradicts the files."""
    counts = {key: Counter[str]() for key in LABELS}
    for run in runs:
        for key, value in read_setup(run).items():
            if value:
                counts[key][value] += 1
    facts: dict[str, dict[str, int | None]] = {}
    for key, count in counts.items():
        facts[key] = dict(count.most_common())
    for key, value in stated.items():
        facts[key].setdefault(value, None)
    return Setup(name, len(runs), facts)


def read_setup(entry: Entry) -> dict[str, str | None]:
    """Return what the file of a run states, and its place."""
    inputs = dict(entry.run.given)
    judges = [usage.model for usage in entry.run.judge if usage.model]
    prompt = entry.factor("skill") or entry.factor("prompt") or inputs.get("Prompt")
    return {
        "agent_version": entry.run.agent_version,
        "model": entry.run.model,
        "effort": entry.factor("effort"),
        "prompt": prompt,
        "permissions": inputs.get("Permission mode"),
        "judge": ", ".join(judges),
    }


def setup_view(setups: Sequence[Setup]) -> View:
    """Return the setup as pages show it: what all configurations share, and a row for each with what differs."""
    shared: list[FactView] = []
    missing: list[str] = []
    different: list[str] = []
    for key, label in LABELS.items():
        values = {frozenset(setup.facts[key]) for setup in setups}
        described = {setup.describe(key) for setup in setups}
        if key == PRICES:
            continue
        if len(values) > 1 or len(described) > 1:
            different.append(key)
        elif described == {NOT_STATED}:
            missing.append(label.lower())
        else:
            shared.append(FactView(label, described.pop()))
    rows = [RowView(each.configuration, tuple(map(each.describe, different))) for each in setups]
    return View(
        shared=shared,
        # The date of the list prices, which the settings give all configurations.
        prices=FactView(LABELS[PRICES], setups[0].describe(PRICES)),
        # The facts that nobody states of any configuration, as a list in words.
        missing=figures.sentence_list(missing),
        # The facts in which configurations differ, as a list in words, and as heads of their columns.
        different=figures.sentence_list([LABELS[key].lower() for key in different]),
        heads=[LABELS[key] for key in different],
        rows=rows if different else (),
    )


def setup_json(setups: Sequence[Setup]) -> bytes:
    """Return the setup of each configuration for programs; see docs/study.md."""
    document = {"schema": SCHEMA, "configurations": list(map(asdict, setups))}
    return json.dumps(document, ensure_ascii=False, indent=1).encode()
