"""What a study says of its runs: groups, configurations, verdicts, and what is missing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sitegen.config import Config
from sitegen.inputs.survey import Naming
from sitegen.model import Entry, Outcome, Run, Score, Status
from sitegen.outcomes.study import (
    Study,
    add_factors,
    has_study,
    is_factor,
    is_untested,
    score_of,
)
from tests.collect.facts import entry


def study(settings: dict[str, Any], *runs: Entry) -> Study:
    return Study(Config.model_validate(settings), runs)


def attempt(
    task: str, number: int, model: str = "m", passed: bool | None = None, **known: Any
) -> Entry:
    outcome = {True: Outcome.PASS, False: Outcome.FAIL, None: None}[passed]
    path = f"{task}/{model}/{number}.json"
    return entry(path, task=task, attempt=number, model=model, outcome=outcome, **known)


@pytest.mark.parametrize(
    ("leak", "group"),
    [
        ("0.1", "below 0.25"),
        ("0.25", "0.25 to below 1"),
        ("0.9", "0.25 to below 1"),
        ("1", "from 1"),
        ("much", None),
        ("", ""),
    ],
)
def test_a_number_is_in_the_group_above_its_cut(leak: str, group: str | None) -> None:
    run = entry("1.json", factors=(("leak", leak),)) if leak else entry("1.json")
    made = study({"properties": {"leak": {"cut": [1, 0.25]}}}, run)
    assert made.group(run, "leak") == (group or None)
    assert made.is_in("leak", "from 1", run) == (group == "from 1")
    assert study({}, run).group(run, "leak") == (leak or None)


def test_a_part_is_a_dimension_or_a_group() -> None:
    run = entry("1.json", model="m", factors=(("size", "s"), ("agent", "a")))
    made = study({"campaign": {"name": "May"}}, run)
    names = ("configuration", "model", "agent", "campaign", "task", "size")
    assert [made.part(run, name) for name in names] == ["m", "m", "a", "May", None, "s"]
    several = study({"campaigns": ["a"], "campaign": {"name": "May"}}, run)
    assert several.part(run, "campaign") is None


def test_configurations_are_in_natural_order_of_their_values() -> None:
    runs = [attempt("t", number, model) for number, model in enumerate(("m 10", "m 9", "m 9"))]
    made = study({}, *runs)
    assert [values[1] for values in made.configurations] == ["m 9", "m 10"]
    assert [len(own) for own in made.configurations.values()] == [2, 1]
    assert list(made.names.values()) == ["m 9", "m 10"]


def test_halves_are_those_of_the_settings_or_of_the_first_property_with_two_groups() -> None:
    sizes = {"a": "s", "b": "l"}
    runs = [
        attempt(task, number, factors=(("size", size), ("kind", task * number)))
        for task, size in sizes.items()
        for number in (1, 2)
    ]
    assert study({}, *runs).halves == ("size", ["l", "s"])
    chosen = study({"leaderboard": {"split_by": "kind"}}, *runs)
    assert chosen.halves == ("kind", ["a", "aa", "b", "bb"])
    assert study({"leaderboard": {"split_by": "x"}}, *runs).halves is None


def test_who_is_highest_is_asked_of_those_judged_on_half_of_the_tasks() -> None:
    runs = [attempt(task, 1, "a", passed=True, factors=(("k", "x"),)) for task in "pqrs"]
    runs += [attempt(task, 1, "b", passed=task == "p", factors=(("k", "x"),)) for task in "pq"]
    runs += [attempt("p", 1, "c", passed=True, factors=(("k", "x"),)), attempt("q", 1, "c")]
    made = study({}, *runs)
    assert [made.names[values] for values in made.tested] == ["a", "b"]
    assert made.not_covered == ["c"]
    assert made.highest("k") == {"x": (1.0, ["a"])}
    tied = study({}, *runs[:1], attempt("p", 1, "d", passed=True, factors=(("k", "x"),)))
    assert tied.highest("k") == {"x": (1.0, ["a", "d"])}


def test_planned_runs_that_are_not_there_are_named_with_their_configuration() -> None:
    runs = [attempt("One", 1), attempt("two", 2), attempt("two", 3, "n"), attempt("one", 1, "n")]
    assert list(study({"attempts": 2}, *runs).missing(["one", "three"])) == [
        ("one", "m", 2),
        ("three", "m", 1),
        ("three", "m", 2),
        ("two", "m", 1),
        ("one", "n", 2),
        ("three", "n", 1),
        ("three", "n", 2),
        ("two", "n", 1),
    ]
    assert not list(study({}, *runs).missing(["three"]))
    (first,) = study({"attempts": 2}, attempt("one", 0)).missing([])
    assert first == ("one", "m", 1)
    april = attempt("one", 1, campaign="April")
    assert list(study({"attempts": 2}, april).missing([])) == [("one", "April · m", 2)]


def test_mixed_versions_are_named() -> None:
    runs = [
        attempt("t", number, factors=(("agent_version", version),))
        for number, version in enumerate(("1.10", "1.9", "1.9"))
    ]
    assert study({}, *runs, attempt("t", 9)).mixed_versions() == ["m (1.9, 1.10)"]
    assert study({}, *runs[1:]).mixed_versions() == []


VERDICTS = {
    "hard": {"column": "hard"},
    "soft": {"column": "soft", "pass": ["Right"]},
    "fast": {"score": "speed", "min": 0.5, "max": 1, "of": "limit"},
    "all": {"all": ["hard", "soft"], "main": True},
}


@pytest.mark.parametrize(
    ("stated", "passed"),
    [
        ({"hard": "yes", "soft": "right"}, (True, True, True)),
        ({"hard": "no", "soft": "right"}, (False, True, False)),
        ({"hard": "yes", "soft": "else"}, (True, False, False)),
        ({"hard": "no"}, (False, None, False)),
        ({"hard": "yes"}, (True, None, None)),
        ({"hard": "error", "soft": "right"}, (None, True, None)),
        ({"hard": "partial", "soft": "right"}, (False, True, False)),
        ({"hard": "?"}, (None, None, None)),
    ],
)
def test_verdicts_are_of_columns_and_of_each_other(
    stated: dict[str, str], passed: tuple[bool | None, ...]
) -> None:
    run = entry("1.json", stated=tuple(stated.items()), outcome=Outcome.FAIL)
    made = study({"verdicts": VERDICTS}, run)
    assert tuple(made.passed(run, name) for name in ("hard", "soft", "all")) == passed
    outcome = {True: Outcome.PASS, False: Outcome.FAIL, None: None}[passed[2]]
    assert made.apply_verdicts()[0].outcome is outcome


@pytest.mark.parametrize(
    ("speed", "limit", "passed"),
    [(1.0, "2", True), (2.0, "2", True), (0.9, "2", False), (2.1, "2", False), (1.0, "", None)],
)
def test_a_verdict_of_a_score_is_within_limits_of_its_task(
    speed: float, limit: str, passed: bool | None
) -> None:
    factors = (("limit", limit),) if limit else ()
    run = entry("1.json", scores=(Score("speed", speed),), factors=factors)
    made = study({"verdicts": VERDICTS}, run)
    assert made.passed(run, "fast") is passed
    assert made.passed(entry("2.json", factors=factors), "fast") is None
    plain = study({"verdicts": {"fast": {"score": "speed", "min": 2}}}, run)
    assert plain.passed(run, "fast") is (speed >= 2)


def test_an_unknown_verdict_fails_by_its_rule_where_the_test_did_not_work() -> None:
    rules = {"v": {"column": "hard", "unknown": "fail", "main": True}}
    runs = [
        entry("1.json", untested=("hard",)),
        entry("2.json", stated=(("status", "error"),)),
        entry("3.json"),
        entry("4.json", Run("r", Status.FAILED), outcome=Outcome.ERROR, untested=("hard",)),
        entry("5.json", outcome=Outcome.ERROR, stated=(("hard", "yes"),)),
    ]
    made = study({"verdicts": rules}, *runs)
    assert [made.passed(run, "v") for run in runs] == [False, False, None, False, True]
    decided = made.apply_verdicts()
    assert [run.is_failed_by_rule for run in decided] == [True, True, False, True, False]
    assert [run.outcome for run in decided] == [
        *[Outcome.FAIL] * 2,
        None,
        Outcome.FAIL,
        Outcome.ERROR,
    ]
    rule = made.config.verdicts["v"]
    assert [is_untested(run, rule) for run in runs] == [True, True, False, True, False]


def test_scores_of_verdicts_and_computed_ones_are_not_those_of_files() -> None:
    settings = {
        "scores": {
            "ms": {"direction": "lower"},
            "rate": {"direction": "higher"},
            "gain": {"of": ["ms", "rate"], "reference": "human", "band": 0.1},
        },
        "verdicts": {"hard": {"column": "hard"}},
    }
    scores = (Score("ms", 50.0), Score("gain", 9.0), Score("hard", 1.0))
    run = entry("1.json", scores=scores, factors=(("human ms", "100"), ("human", "1")))
    rated = entry("2.json", scores=(Score("rate", 3.0),), factors=(("human", "2"),))
    made = study(settings, run, rated, entry("3.json"))
    first, second, third = made.apply_verdicts()
    assert first.scores == (Score("ms", 50.0), Score("gain", 2.0, "x", True, True, True))
    assert [score.value for score in second.scores] == [3.0, 1.5] and third.scores == ()
    assert (made.relative(first, "gain"), made.relative(third, "gain")) == (2.0, None)
    assert (made.band(first, "gain"), made.band(third, "gain")) == ("better", "no score")
    assert score_of(first, "ms") == 50.0 and score_of(first, "x") is None


@pytest.mark.parametrize(
    ("value", "direction", "band"),
    [
        (1.06, "higher", "better"),
        (1.04, "higher", "level"),
        (0.96, "higher", "level"),
        (0.94, "higher", "worse"),
        (1.06, "lower", "worse"),
        (0.94, "lower", "better"),
    ],
)
def test_a_score_is_compared_with_its_reference(value: float, direction: str, band: str) -> None:
    meaning = {"reference": "human", "band": 0.05, "direction": direction}
    run = entry("1.json", scores=(Score("s", value),), factors=(("human", "1"),))
    made = study({"scores": {"s": meaning}}, run)
    assert made.band(run, "s") == band
    expected = value if direction == "higher" else 1 / value
    assert made.relative(run, "s") == pytest.approx(expected)
    zero = entry("2.json", scores=(Score("s", 0.0),), factors=(("human", "1"),))
    assert made.relative(zero, "s") is None


def test_quadrants_and_exclusions() -> None:
    quadrants = {"of": ["hard", "soft"], "both": "B", "first": "F", "second": "S", "none": "N"}
    made = study({"verdicts": VERDICTS, "quadrants": quadrants, "excluded": "why"})

    def quadrant(hard: str, soft: str) -> str | None:
        return made.quadrant(entry("1.json", stated=(("hard", hard), ("soft", soft))))

    assert [quadrant(hard, soft) for hard in ("yes", "no") for soft in ("right", "x")] == [*"BFSN"]
    assert quadrant("?", "right") is None and study({}).quadrant(entry("1.json")) is None
    reasons = ("broken", "No", "false", "0", "0.0", "1")
    made.entries = [entry(f"{word}.json", stated=(("why", word),)) for word in reasons]
    assert [made.excluded(run) for run in made.entries] == ["broken", None, None, None, None, "1"]
    assert made.reasons == {"broken": 1, "1": 1} and made.excluded(entry("1.json")) is None


def test_columns_of_tables_are_factors_by_the_names_of_the_settings() -> None:
    naming = Naming([], {"skill": {"x": "Xylo"}, "agent": {"cc": "Claude Code"}})
    run = entry(
        "1.json",
        Run("r", Status.OK, agent_version="1.2"),
        stated=(("skill", "x"), ("hard", "yes"), ("agent", "cc")),
        factors=(("codebase", "c"),),
    )
    config = Config.model_validate({"factors": {"skill": "tag", "hard": "observation"}})
    (made, plain) = add_factors([run, entry("2.json")], config, naming)
    assert dict(made.factors) == {
        "agent_version": "1.2",
        "codebase": "c",
        "skill": "Xylo",
        "agent": "Claude Code",
    }
    assert made.stated == (("hard", "yes"),) and plain.factors == ()
    assert "agent_version" not in dict(add_factors([run], Config(), naming)[0].factors)
    assert is_factor("codebase", run, {}) and not is_factor(
        "codebase", run, {"codebase": "observation"}
    )
    assert is_factor("effort", run, {"effort": "observation"}) and not is_factor("hard", run, {})


def test_titles_of_runs_without_a_task_tell_their_configurations_apart() -> None:
    runs = [entry(f"{number}.json", model=model) for number, model in enumerate(("m", "n", "m"))]
    alike = [
        Entry(f"{n}", run.source, 0, "", run.run, "same", model=run.model)
        for n, run in enumerate(runs)
    ]
    made = study({}, *alike).configured()
    assert [run.title for run in made] == ["same · m", "same · n", "same · m"]
    assert {run.configuration for run in made} == {None}
    agents = [attempt("t", n, factors=(("agent", name),)) for n, name in enumerate("ab")]
    assert [run.configuration for run in study({}, *agents).configured()] == ["a", "b"]


def test_columns_that_repeat_are_observations() -> None:
    words = ["a", "b", "a", "b", "a"]
    runs = [
        entry(f"{n}.json", stated=(("kind", word), ("text", f"t{n}"), ("size", "1"), ("m.x", word)))
        for n, word in enumerate(words)
    ]
    made = study({}, *runs)
    assert study({"observations": ["text"]}, *runs).observations == ("text",)
    assert made.observations == ("kind",) and made.unused_columns == ["kind", "text", "size", "m.x"]
    named = study({"observations": ["text"], "excluded": "kind"}, *runs)
    assert named.observations == ("text",)
    (factor,) = (each for each in named.factors if each.role == "observation")
    assert (factor.name, factor.reason) == ("text", "the settings say so")
    long = [entry(f"{n}.json", stated=(("kind", "x" * 121),)) for n in range(4)]
    assert study({}, *long).is_free_text("kind")


def test_a_study_is_about_configurations_with_a_judged_or_lost_run() -> None:
    lost = Run("r", Status.FAILED, "error")
    runs = [
        attempt("p", 1, "a", passed=True),
        attempt("p", 1, "b"),
        entry("c.json", lost, task="p", model="c"),
    ]
    made = study({"observations": ["approach"]}, *runs)
    assert [made.names[values] for values in made.covered] == ["a · a", "r · c"]
    assert made.covered_runs == [runs[0], runs[2]]
    assert made.left_out == "1 configuration without a verdict"
    assert len(study({}, *runs).covered) == 3  # no study


def test_observations_of_the_settings_replace_the_usual_ones() -> None:
    stated = (("approach", "partial_solution"), ("hard", "pass"), ("kind", "x"))
    runs = [attempt(task, 1, stated=stated) for task in "pqrs"]
    assert study({}, *runs).observations == ("approach", "hard", "kind")
    settings = {
        "observations": ["approach"],
        "verdicts": {"hard": {"column": "hard"}},
        "names": {"approach": {"partial_solution": "Partial"}, "hard": {"pass": "P"}},
    }
    assert study(settings, *runs).observations == ("approach",)
    config = Config.model_validate(settings)
    (named, *_) = add_factors(runs, config, Naming([], config.names))
    assert named.stated[:2] == (("approach", "Partial"), ("hard", "pass"))


def test_a_property_of_the_task_can_exclude_its_runs() -> None:
    runs = [
        attempt("p", 1, factors=(("held", "broken build"),)),
        attempt("q", 1, factors=(("held", "no"),)),
    ]
    made = study({"excluded": "held", "task_table": "tasks.csv"}, *runs)
    assert [made.excluded(run) for run in runs] == ["broken build", None]
    assert "held" not in made.named("property")


def of_arm(skill: str) -> Entry:
    run = entry(f"{skill}.json", task="tide", factors=(("skill", skill),))
    return replace(run, run=replace(run.run, factors=(("skill", skill),)))


def test_runs_without_the_skill_that_others_have_are_the_control() -> None:
    arms = [of_arm("with"), of_arm("without")]
    assert study({}, *arms).control == {"skill": "without"}
    assert study({}, *arms[1:]).control == {}
    assert study({"control": {"skill": "with"}}, *arms).control == {"skill": "with"}
    assert study({"control": {}}, *arms).control == {}


def test_a_factor_that_files_state_is_a_part_of_the_configuration() -> None:
    paths = {"inputs": [{"path": "runs", "pattern": "{lane}/{task}.json"}]}
    roles = {factor.name: factor.role for factor in study(paths, of_arm("with")).factors}
    assert roles["skill"] == "configuration"


def test_efforts_that_files_alone_state_tell_configurations_apart_where_they_differ() -> None:
    def of_efforts(*efforts: str | None) -> Study:
        runs = [
            replace(attempt("t", number), run=Run("r", Status.OK, effort=effort))
            for number, effort in enumerate(efforts)
        ]
        return study({}, *runs)

    mixed = of_efforts("low", "high", "high")
    (factor,) = (each for each in mixed.factors if each.name == "effort")
    assert (factor.role, factor.reason) == (
        "configuration",
        "runs of one agent and model differ in it",
    )
    assert list(mixed.names.values()) == ["m · high", "m · low"]
    assert [mixed.configuration_name(run) for run in mixed.entries] == [
        "m · low",
        "m · high",
        "m · high",
    ]
    for efforts in (("high", None), ("high", "high"), (None, None)):
        assert "effort" not in {each.name for each in of_efforts(*efforts).factors}


def test_an_effort_that_old_files_lack_makes_no_configuration() -> None:
    def run_of(number: int, model: str, effort: str | None) -> Entry:
        return replace(attempt("t", number, model), run=Run("r", Status.OK, effort=effort))

    made = study(
        {},
        run_of(1, "a", "low"),
        run_of(2, "a", "high"),
        run_of(3, "b", "high"),
        run_of(4, "b", None),
        run_of(5, "c", "low"),
        run_of(6, "c", "high"),
        run_of(7, "c", None),
    )
    assert [made.configuration(run) for run in made.entries[2:4]] == [
        ("r", "b", "unknown"),
        ("r", "b", "unknown"),
    ]
    assert made.configuration(made.entries[6]) == ("r", "c", "unknown")
    assert made.configuration(made.entries[0]) == ("r", "a", "low")


def test_a_stated_field_is_a_part_by_its_key_or_its_only_short_name() -> None:
    run = entry("1.json", derived=(("verdict.hard", "pass"), ("observed.kind", "x")))
    stated = (("kind", "x"),)
    other = entry("2.json", derived=(("verdict.hard", "fail"),), stated=stated)
    silent = entry("3.json")
    made = study({}, run, other)
    assert [made.part(run, name) for name in ("hard", "verdict.hard", "kind", "none")] == [
        "pass",
        "pass",
        "x",
        None,
    ]
    assert made.part(other, "kind") == "none", "a run of which something is stated has none"
    assert made.part(silent, "kind") is None and made.part(silent, "hard") is None
    assert sorted(made.categories) == ["hard", "kind", "observed.kind", "verdict.hard"]


def test_runs_match_where_they_have_one_of_the_names_in_each_field() -> None:
    runs = [
        entry("1.json", derived=(("verdict.hard", "pass"), ("quadrant", "A"))),
        entry("2.json", derived=(("verdict.hard", "fail"), ("quadrant", "A"))),
        entry("3.json", derived=(("verdict.hard", "pass"),)),
    ]
    made = study({}, *runs)

    def ids(**chosen: list[str]) -> list[str]:
        named = {key.replace("__", "."): names for key, names in chosen.items()}
        return [run.id for run in made.matching(runs, named)]

    assert ids() == ["1.json", "2.json", "3.json"]
    assert ids(verdict__hard=["pass"]) == ["1.json", "3.json"]
    assert ids(verdict__hard=["pass", "fail"], quadrant=["A"]) == ["1.json", "2.json"]
    assert ids(quadrant=[""]) == ["3.json"]


def test_groups_of_tasks_are_in_natural_order_and_without_runs_that_are_not_covered() -> None:
    runs = [
        attempt("a", 1, factors=(("size", "10"),)),
        attempt("b", 1, factors=(("size", "9"),)),
        attempt("c", 1),
        entry("d.json", factors=(("size", "1"),)),
    ]
    groups = study({}, *runs).groups_of_tasks("size")
    assert list(groups.items()) == [("b", "9"), ("a", "10")]


def test_a_property_may_change_how_configurations_compare() -> None:
    """Of eight tasks, one configuration passes those of one group and the other those of the other: of the 70 ways
    to choose four of them, two are as different."""
    runs = []
    for number, task in enumerate("abcdefgh"):
        group = "small" if number < 4 else "large"
        for model in ("m", "n"):
            is_passed = (model == "m") == (group == "small")
            factors = (("size", group),)
            runs += [attempt(task, n, model, passed=is_passed, factors=factors) for n in (1, 2)]
    made = study({}, *runs)
    assert made.named("property") == ["size"]
    assert made.breakdowns() == {"size": pytest.approx(2 / 70)}
    assert study({}, *runs[:-4]).breakdowns() == {}, "three tasks in a group are too few"


def test_cuts_are_written_with_all_their_digits() -> None:
    run = entry("1.json", factors=(("leak", "0.12345678"),))
    made = study({"properties": {"leak": {"cut": [0.12345678, 2]}}}, run)
    assert made.group(run, "leak") == "0.12345678 to below 2"


def test_of_many_versions_eight_are_named() -> None:
    runs = [attempt("t", n, factors=(("agent_version", str(n)),)) for n in range(1, 11)]
    assert study({}, *runs).mixed_versions() == ["m (1, 2, 3, 4, 5, 6, 7, 8)"]
    empty = [attempt("t", n, factors=(("agent_version", v),)) for n, v in enumerate(("", "1"))]
    assert study({}, *empty).mixed_versions() == []


def test_runs_that_ended_before_a_model_was_reached_are_counted_apart() -> None:
    runs = [
        attempt("p", 1, "a", passed=True),
        attempt("p", 1, "b"),
        attempt("p", 1, "c"),
        entry("d.json", Run("r", Status.FAILED, "error"), task="p"),
    ]
    made = study({"observations": ["approach"]}, *runs)
    assert made.left_out == (
        "2 configurations without a verdict and 1 run that ended before a model was reached"
    )
    assert study({}, *runs[:1]).left_out == ""


def test_texts_are_free_where_they_are_long_numbers_or_varied() -> None:
    def is_free(*values: str, name: str = "kind") -> bool:
        runs = [entry(f"{n}.json", stated=((name, value),)) for n, value in enumerate(values)]
        return study({}, *runs).is_free_text(name)

    assert not is_free("a", "b", "a", "b")
    assert is_free("a", "b", "a")
    assert not is_free("x" * 120, "x" * 120)
    assert is_free("x" * 121, "x" * 121)
    assert is_free("1", "1", "2", "2") and not is_free("1", "1", "b", "b")
    assert is_free("a", "b", "a", "b", name="m.x")
    many = [f"value {number}" for number in range(30)] * 2
    assert not is_free(*many)
    assert is_free(*[f"value {number}" for number in range(31)] * 2)


def test_a_control_needs_runs_without_and_with_a_skill() -> None:
    assert study({}, of_arm("a"), of_arm("b")).control == {}


def test_observations_of_the_settings_are_those_that_some_run_has() -> None:
    run = entry("1.json", stated=(("text", "a"),))
    assert study({"observations": ["gone", "text"]}, run).observations == ("text",)


def test_columns_of_scores_are_used() -> None:
    settings = {"scores": {"s": {"columns": ["x", "y"]}}}
    stated = (("x", "a"), ("speed", "1"), ("z", "c"))
    run = entry("1.json", stated=stated, scores=(Score("speed", 1.0),))
    assert study(settings, run).unused_columns == ["z"]


def test_a_factor_counts_before_what_was_observed() -> None:
    run = entry("1.json", stated=(("skill", "b"), ("kind", "x")), factors=(("skill", "a"),))
    made = study({}, run)
    values = [made.value(run, name) for name in ("skill", "kind", "none", "agent", "model")]
    assert values == ["a", "x", "unknown", "a", "unknown"]


def test_a_study_without_judged_runs_is_about_all_of_them() -> None:
    lost = entry("1.json", Run("r", Status.FAILED, "error"), task="p", model="c")
    runs = [lost, attempt("p", 1, "a")]
    assert len(study({"observations": ["approach"]}, *runs).covered) == 2


def test_one_judged_run_of_a_configuration_is_enough() -> None:
    runs = [attempt("p", 1, "a", passed=True), attempt("p", 2, "a"), attempt("p", 1, "b")]
    made = study({"observations": ["approach"]}, *runs)
    assert [made.names[values] for values in made.covered] == ["a"]
    assert made.covered_runs == runs[:2]


def test_runs_of_no_configuration_are_covered_where_all_configurations_are() -> None:
    unreached = entry("d.json", Run("r", Status.FAILED, "error"), task="p")
    runs = [attempt("p", 1, "a"), attempt("p", 1, "b"), unreached]
    made = study({}, *runs)
    assert made.configuration(unreached) is None
    assert made.covered_runs == runs


def test_titles_of_runs_with_a_task_stay() -> None:
    def titled(path: str, model: str | None, task: str | None = None) -> Entry:
        return replace(entry(path, model=model, task=task), title="same")

    alike = [titled("1", "m"), titled("2", "n", "t")]
    assert [run.title for run in study({}, *alike).configured()] == ["same", "same"]
    unknown = [titled("1", "m"), titled("2", None)]
    assert [run.title for run in study({}, *unknown).configured()] == [
        "same · m",
        "same · model unknown",
    ]


def test_attempts_count_from_zero_where_any_run_does() -> None:
    runs = [attempt("one", 0), attempt("two", 1)]
    assert list(study({"attempts": 2}, *runs).missing([])) == [("one", "m", 1), ("two", "m", 0)]


def test_the_campaign_of_a_run_counts_before_that_of_the_settings() -> None:
    run = entry("1.json", campaign="April")
    assert study({"campaign": {"name": "May"}}, run).part(run, "campaign") == "April"


def test_a_group_counts_before_a_category_of_the_same_name() -> None:
    run = entry("1.json", factors=(("hard", "x"),), derived=(("verdict.hard", "pass"),))
    made = study({}, run)
    assert (made.part(run, "hard"), made.part(run, "verdict.hard")) == ("x", "pass")


def test_a_property_of_four_groups_is_no_halves() -> None:
    runs = [
        attempt(task, number, factors=(("kind", task * number), ("size", task)))
        for task in "ab"
        for number in (1, 2)
    ]
    settings = {"factors": {"kind": "property", "size": "property"}}
    assert study(settings, *runs).halves == ("size", ["a", "b"])


def test_runs_without_a_task_do_not_count_for_who_is_highest() -> None:
    runs = [attempt(task, 1, "a", passed=True, factors=(("k", "x"),)) for task in "pq"]
    untitled = entry("9.json", model="a", outcome=Outcome.FAIL, factors=(("k", "x"),))
    made = study({}, *runs, replace(untitled, run=runs[0].run))
    assert made.highest("k") == {"x": (1.0, ["a"])}


def test_one_part_whose_test_did_not_work_is_enough_for_unknown_to_fail() -> None:
    rules = {
        "hard": {"column": "hard"},
        "soft": {"column": "soft"},
        "all": {"all": ["hard", "soft"], "unknown": "fail"},
    }
    run = entry("1.json", untested=("hard",))
    assert study({"verdicts": rules}, run).passed(run, "all") is False
    silent = entry("2.json")
    assert study({"verdicts": rules}, silent).passed(silent, "all") is None


def test_a_verdict_may_have_a_limit_above_alone() -> None:
    runs = [entry(f"{speed}", scores=(Score("speed", speed),)) for speed in (1.9, 2.0, 2.1)]
    made = study({"verdicts": {"fast": {"score": "speed", "max": 2}}}, *runs)
    assert [made.passed(run, "fast") for run in runs] == [True, True, False]


@pytest.mark.parametrize(
    ("factors", "reference"),
    [
        ((("human s", "2"), ("human", "1")), 2.0),
        ((("human", "1"), ("human t", "3")), 1.0),
        ((("human", "much"),), None),
        ((), None),
    ],
)
def test_what_was_measured_for_a_score_counts_before_a_number_for_all(
    factors: tuple[tuple[str, str], ...], reference: float | None
) -> None:
    run = entry("1.json", factors=factors)
    assert study({}, run).reference(run, "human", "s") == reference


def test_a_reference_of_zero_is_no_reference() -> None:
    run = entry("1.json", scores=(Score("s", 2.0),), factors=(("human", "0"),))
    made = study({"scores": {"s": {"reference": "human", "direction": "higher"}}}, run)
    assert made.relative(run, "s") is None


def test_a_quadrant_needs_both_verdicts() -> None:
    quadrants = {"of": ["hard", "soft"], "both": "B", "first": "F", "second": "S", "none": "N"}
    made = study({"verdicts": VERDICTS, "quadrants": quadrants})
    assert made.quadrant(entry("1.json", stated=(("hard", "yes"),))) is None
    assert made.quadrant(entry("1.json", stated=(("soft", "right"),))) is None


def test_why_a_row_excludes_a_run_counts_before_its_task() -> None:
    made = study({"excluded": "why"})
    run = entry("1.json", stated=(("why", "broken"),), factors=(("why", "slow"),))
    assert made.excluded(run) == "broken"
    assert made.excluded(replace(run, stated=())) == "slow"
    assert made.excluded(replace(run, stated=(("why", "no"),))) is None


def test_verdicts_of_which_none_is_the_main_one_leave_outcomes() -> None:
    scores = (Score("hard", 1.0), Score("s", 2.0))
    run = entry("1.json", outcome=Outcome.FAIL, stated=(("hard", "yes"),), scores=scores)
    settings = {"verdicts": {"hard": {"column": "hard"}, "x": {"column": "x"}}}
    (decided,) = study(settings, run).apply_verdicts()
    assert decided.outcome is Outcome.FAIL
    assert [score.name for score in decided.scores] == ["s"]
    assert study({}, run).apply_verdicts() == [run]


@pytest.mark.parametrize(
    ("settings", "is_study"),
    [
        ({}, False),
        ({"verdicts": {"v": {"column": "v"}}}, True),
        ({"task_table": "t.csv"}, True),
        ({"observations": ["x"]}, True),
        ({"excluded": "x"}, True),
        ({"factors": {"x": "tag"}}, True),
        ({"inputs": [{"path": "a", "pattern": "{arm}/{task}.json"}]}, True),
        ({"inputs": [{"path": "a", "pattern": "{model}/{task}.json"}]}, False),
        ({"scores": {"s": {"reference": "human", "direction": "higher"}}}, True),
        ({"scores": {"s": {"reference": "human", "direction": "higher"}, "t": {}}}, True),
        ({"scores": {"t": {}}}, False),
    ],
)
def test_these_settings_make_a_study(settings: dict[str, Any], is_study: bool) -> None:
    assert has_study(Config.model_validate(settings)) is is_study


def test_factors_of_tables_count_before_those_of_paths() -> None:
    run = entry(
        "1.json",
        Run("r", Status.OK, agent_version="1"),
        stated=(("skill", "table"),),
        factors=(("skill", "path"), ("agent_version", "2")),
    )
    config = Config.model_validate({"factors": {"skill": "configuration"}})
    (made,) = add_factors([run], config, Naming([]))
    assert dict(made.factors) == {"skill": "table", "agent_version": "2"}
    assert made.stated == ()
