"""Names of configurations: whatever the values of factors are, no two have one name, and neither have their runs."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import pytest

from sitegen.config import Config
from sitegen.model import Entry, ModelUsage, Outcome, Run, Status, Tokens
from sitegen.outcomes.configurations import adopt_unreached, ended_before_model
from sitegen.outcomes.study import Study
from sitegen.pages.views import MODEL_COLOURS, OTHERS, SHAPES, looks
from tests.collect.facts import entry
from tests.pages.compare.test_compare import attempt

VALUES = (
    "a",
    "b",
    "a · b",
    "b · a",
    "A",
    "Claude a",
    "a (2)",
    "a, model unknown",
    "unknown",
    "",
    "agent unknown",
)


def run(number: int, values: tuple[str, ...], task: str | None) -> Entry:
    agent, model, prompt = values
    entry = attempt(model, task, attempt=1)
    factors = tuple(
        (name, value) for name, value in (("agent", agent), ("prompt", prompt)) if value
    )
    return replace(entry, id=f"{number}", model=model or None, factors=factors, title="The same")


@pytest.mark.parametrize("seed", range(60))
def test_no_two_configurations_and_no_two_runs_of_different_ones_have_one_name(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  the same on every machine
    pools = [chance.sample(VALUES, chance.randint(1, 4)) for _ in range(3)]
    combinations = list(product(*pools))
    chosen = chance.sample(combinations, chance.randint(1, min(12, len(combinations))))
    task = chance.choice(("t1", None))
    entries = [run(number, values, task) for number, values in enumerate(chosen)]
    study = Study(Config(factors={"prompt": "configuration"}), entries)
    assert len(set(study.names.values())) == len(study.configurations)
    told = {each.id: each for each in study.configured()}
    of = {entry.id: study.configuration(entry) for entry in entries}
    for kind in ("name", "compared_as") if task else ("name",):
        by_name: dict[str | None, set[tuple[str, ...]]] = {}
        for each in told.values():
            by_name.setdefault(getattr(each, kind), set()).add(of[each.id])
        assert all(len(own) == 1 for own in by_name.values()), by_name
    chance.shuffle(entries)
    again = Study(Config(factors={"prompt": "configuration"}), entries)
    assert again.names == study.names
    assert {each.id: each.name for each in again.configured()} == {
        each.id: each.name for each in told.values()
    }


@pytest.mark.parametrize(
    ("chosen", "names"),
    [
        ([("A", "x"), ("A", "y")], {"x", "y"}),
        ([("A", "Claude x"), ("B", "Claude x")], {"A", "B"}),
        ([("A", "Claude x"), ("B", "Claude x"), ("B", "y")], {"A · x", "B · x", "B · y"}),
        ([("A", "Claude x"), ("A", "x")], {"Claude x", "x"}),
        ([("A", "x"), ("B", "")], {"A · x", "B"}),
        ([("A", "x"), ("B", ""), ("B", "x")], {"A · x", "B, model unknown", "B · x"}),
    ],
)
def test_names_say_what_differs_and_nothing_unknown_that_is_not_needed(
    chosen: list[tuple[str, str]], names: set[str]
) -> None:
    entries = [run(number, (*values, ""), f"t{number}") for number, values in enumerate(chosen)]
    assert set(Study(Config(), entries).names.values()) == names


def test_what_is_unknown_is_said_where_nothing_else_tells_two_apart() -> None:
    chosen = [("A", "x", "high"), ("A", "x", ""), ("A", "high", ""), ("A", "", "high")]
    entries = [run(number, values, f"t{number}") for number, values in enumerate(chosen)]
    names = Study(Config(factors={"prompt": "configuration"}), entries).names
    assert set(names.values()) == {
        "high, prompt unknown",
        "high, model unknown",
        "x · high",
        "x, prompt unknown",
    }


@pytest.mark.parametrize(("agents", "models"), [(2, 2), (4, 4), (6, 4), (9, 3), (1, 12), (12, 1)])
def test_marks_tell_configurations_apart_by_the_colour_of_the_model_and_the_shape_of_the_agent(
    agents: int, models: int
) -> None:
    pairs = list(
        product((f"agent {n}" for n in range(agents)), (f"model {n}" for n in range(models)))
    )
    entries = [run(number, (*pair, ""), f"t{number}") for number, pair in enumerate(pairs)]
    entries = [
        replace(each, configuration=" ".join(pair))
        for each, pair in zip(entries, pairs, strict=True)
    ]
    found = looks(entries)
    own = [found[" ".join(pair)] for pair in pairs if found[" ".join(pair)].is_own]
    assert len(set(own)) == len(own) == min(agents, len(SHAPES)) * min(models, MODEL_COLOURS)
    for agent, model in pairs:
        look = found[f"{agent} {model}"]
        assert look.colour in (found[model].colour, OTHERS)
        if agents <= len(SHAPES):
            assert look.shape == found[f"{agent} {pairs[0][1]}"].shape
    assert looks(entries[::-1]) == found
    assert all(
        not look.shape
        for look in looks([replace(each, configuration=None) for each in entries]).values()
    )


def test_a_run_without_a_model_leaves_the_colour_of_its_configuration() -> None:
    known = replace(run(1, ("A", "x", ""), "t1"), configuration="A")
    unreached = entry("b.json", Run("r", Status.FAILED), configuration="A", factors=known.factors)
    for entries in ([known, unreached], [unreached, known]):
        assert looks(entries)["A"].colour == looks([known])["A"].colour != OTHERS


def test_two_configurations_of_one_agent_and_model_have_marks_of_their_own() -> None:
    entries = [
        replace(run(n, ("A", "x", ""), f"t{n}"), configuration=f"A, prompt {n}")
        for n in range(len(SHAPES))
    ]
    assert len(set(looks(entries).values())) == len(SHAPES) + 1


def test_a_run_that_ended_before_its_model_was_reached_is_no_configuration_of_its_own() -> None:
    lost = Run("r", Status.STOPPED, "not logged in")
    known = [
        entry(f"{model}.json", model=model, outcome=Outcome.PASS, factors=(("agent", agent),))
        for agent, model in (("A", "x"), ("B", "x"), ("B", "y"))
    ]
    fits = entry("fits.json", lost, factors=(("agent", "A"),))
    fits_two = entry("two.json", lost, factors=(("agent", "B"),))
    made = Study(Config(), [*known, fits, fits_two])
    assert list(made.names.values()) == ["A · x", "B · x", "B · y"]
    assert made.configuration_name(fits) == "A · x"
    assert made.configuration_name(fits_two) is None
    assert made.left_out == "1 run that ended before a model was reached"
    assert adopt_unreached({("A", "unknown"): [fits]}, ["agent", "model"]) == {}
    assert ended_before_model(fits) and not ended_before_model(known[0])


@pytest.mark.parametrize(
    ("line", "is_unused"),
    [
        (ModelUsage(None, Tokens(0, 0, 0, 0), cost_usd=0.0), True),
        (ModelUsage(None, Tokens(), cost_usd=None), True),
        (ModelUsage(None, Tokens(0, 0, 0, 1)), False),
        (ModelUsage(None, Tokens(0, 0, 0, 0), cost_usd=0.01), False),
        (ModelUsage("x", Tokens(0, 0, 0, 0), cost_usd=0.0), False),
    ],
)
def test_a_ledger_of_zeros_without_a_model_is_no_use_of_one(
    line: ModelUsage, is_unused: bool
) -> None:
    failed = entry("a.json", Run("r", Status.FAILED, ledger=(line,)))
    assert ended_before_model(failed) is is_unused
