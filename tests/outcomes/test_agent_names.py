"""Names for an agent and its model at once, as folders of measurements have them."""

from __future__ import annotations

import pytest

from sitegen.inputs.survey import Naming
from sitegen.outcomes.agent_names import find_pairs, fold, split_agents, with_pair
from sitegen.outcomes.models import Models
from sitegen.outcomes.rows import Row
from tests.collect.facts import entry
from tests.outcomes.sources import NO_NAMES

PAIRS = {("TRAE", "gpt-5"), ("TRAE", "Claude Sonnet 4.5"), ("Codex", "gpt-5")}
RUNS = [
    entry(f"{at}.json", model=model, factors=(("agent", agent),))
    for at, (agent, model) in enumerate(sorted(PAIRS))
]


@pytest.mark.parametrize(
    ("stated", "pair"),
    [
        ("trae_gpt5", ("TRAE", "gpt-5")),
        ("trae_sonnet45", ("TRAE", "Claude Sonnet 4.5")),
        ("codex_cli", None),  # the usual spelling of an agent
        ("trae", None),
        ("trae_gpt4", None),
        ("aider_gpt5", None),
    ],
)
def test_a_name_is_split_only_into_an_agent_and_a_model_of_runs(
    stated: str, pair: tuple[str, str] | None
) -> None:
    row = Row("results.json", 1, columns=(("agent", stated),))
    (split,) = split_agents([row], RUNS, NO_NAMES)
    assert split == (with_pair(row, pair) if pair else row)
    known = find_pairs(stated, PAIRS, Models(NO_NAMES))
    assert known == ([pair] if pair else [])


def test_a_model_that_a_row_states_stays() -> None:
    row = Row("results.json", 1, model="m", columns=(("agent", "trae_gpt5"),))
    assert [*split_agents([row], RUNS, NO_NAMES)] == [row]
    assert fold("Claude_Code 2") == "claudecode2"


def test_a_name_that_is_an_agent_of_runs_is_not_split() -> None:
    row = Row("results.json", 1, columns=(("agent", "trae_gpt5"),))
    named = entry("9.json", factors=(("agent", "Trae GPT5"),))
    assert [*split_agents([row], [*RUNS, named], NO_NAMES)] == [row]
    naming = Naming([], {"agent": {"trae_gpt5": "Codex"}})
    assert [*split_agents([row], RUNS, naming)] == [row], "the settings call an agent so"
