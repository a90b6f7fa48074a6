"""What remains of a campaign when its runs are gone: attempts, the names of configurations, and how runs are counted."""

from __future__ import annotations

import pytest

from sitegen.model import Entry, Outcome, Run, Score, Source, Status
from sitegen.numbers.campaigns import (
    BASELINE,
    Attempts,
    CampaignFigures,
    Configuration,
    campaign,
    is_share,
    joined,
    scores_of,
    unify_names,
)

SCORES = (("loss", (-1.0, 2.0)), ("tests", (0.0, 1.0, 1.0)))
OWN = Attempts(
    "t", "a", runs=5, judged=3, passed=1, costs=(1.0, 2.0), scores=SCORES, unjudged=1, computed=1
)


@pytest.mark.parametrize(
    ("measure", "values", "unknown"),
    [
        ("cost", [1.0, 2.0], 3),
        ("success", [1.0, 0.0, 0.0], 1),
        ("score.loss", [-1.0, 2.0], 2),
        ("score.tests", [0.0, 1.0, 1.0], 1),
        ("score.other", [], 4),
    ],
)
def test_attempts_have_the_values_of_a_measure(
    measure: str, values: list[float], unknown: int
) -> None:
    assert list(OWN.values(measure)) == values
    assert OWN.unknown(measure) == unknown


@pytest.mark.parametrize(
    ("costs", "computed", "bases"),
    [
        ((1.0, 2.0), None, set()),
        ((1.0, 2.0), 0, {False}),
        ((1.0, 2.0), 1, {False, True}),
        ((1.0, 2.0), 2, {True}),
        ((), 0, set()),
    ],
)
def test_costs_have_the_bases_that_are_known(
    costs: tuple[float, ...], computed: int | None, bases: set[bool]
) -> None:
    assert Attempts("t", "a", 2, 0, 0, costs=costs, computed=computed).bases == bases


def test_attempts_in_several_spellings_are_one_in_the_spelling_of_most_runs() -> None:
    parts = [
        Attempts("fix", "A", 1, 1, 0, (3.0,), (("s", (2.0,)),), "prompt:2", 0, 1),
        Attempts("Fix", "a", 3, 2, 1, (2.0, 5.0), (("r", (0.5,)), ("s", (1.0,))), None, 1, 0),
        Attempts("FIX", "A", 1, 1, 1, (), (), "prompt:1", 0, 0),
        Attempts("other", "A", 1, 0, 0),
    ]
    assert joined(parts) == {
        ("fix", "a"): Attempts(
            "Fix",
            "a",
            runs=5,
            judged=4,
            passed=2,
            costs=(2.0, 3.0, 5.0),
            scores=(("r", (0.5,)), ("s", (1.0, 2.0))),
            prompt="prompt:1 prompt:2",
            unjudged=1,
            computed=1,
        ),
        ("other", "a"): parts[3],
    }
    one, other = Attempts("t", "a", 1, 0, 0, computed=1), Attempts("T", "a", 1, 0, 0)
    whole = joined([one, other])["t", "a"]
    assert (whole.task, whole.prompt, whole.computed) == ("t", None, None)


@pytest.mark.parametrize(
    ("measure", "values", "expected"),
    [
        ("success", (), True),
        ("cost", (), False),
        ("score.s", (0.0, 1.0), True),
        ("score.s", (0.0, 0.5), False),
        ("score.s", (2.0,), False),
        ("score.r", (2.0,), True),
    ],
)
def test_a_score_of_nothing_but_0_and_1_is_a_share(
    measure: str, values: tuple[float, ...], expected: bool
) -> None:
    assert is_share(measure, [Attempts("t", "a", 1, 1, 1, scores=(("s", values),))]) is expected


def test_scores_are_measures_in_order_each_once() -> None:
    other = Attempts("u", "a", 1, 1, 1, scores=(("a", (1.0,)), ("loss", (1.0,))))
    assert scores_of([OWN, other]) == ["score.a", "score.loss", "score.tests"]


def configuration(name: str, **factors: str) -> Configuration:
    return Configuration(name, factors)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (configuration("a", agent="x"), configuration("b", agent="x", effort="low"), True),
        (configuration("a", agent="x", effort="high"), configuration("b", effort="low"), False),
        (configuration("a", agent="x"), configuration("b", effort="low"), True),
        (configuration("Opus 4"), configuration("opus 4 · high"), True),
        (configuration("opus 4 · high"), configuration("Opus 4"), True),
        (configuration("Claude Opus 4"), configuration("Opus 4 · high"), True),
        (configuration("Opus 4 · low"), configuration("Opus 4 · high"), False),
        (configuration("Opus 4", effort="high"), configuration("Opus 4 · high"), True),
        (configuration("Opus 4", effort="low"), configuration("Opus 4 · high"), False),
    ],
)
def test_configurations_may_be_one_if_nothing_that_both_state_differs(
    one: Configuration, other: Configuration, expected: bool
) -> None:
    assert one.may_be(other) is expected


def of_models(*models: str, name: str = "n", day: str = "2026-01-01") -> CampaignFigures:
    return CampaignFigures(name, day, 1, tuple(Attempts("t", model, 1, 1, 1) for model in models))


@pytest.mark.parametrize(
    ("campaigns", "names"),
    [
        ([["a"], ["a · x"]], [["a · x"], ["a · x"]]),
        ([["a · x"], ["a"]], [["a"], ["a"]]),
        ([["a"], ["a · x"], ["a · x · y"]], [["a · x · y"]] * 3),
        ([["a"], ["a · x", "a · y"]], [["a"], ["a · x", "a · y"]]),  # two fit
        ([["a", "a · x"], ["a · x · y"]], [["a", "a · x"], ["a · x · y"]]),  # one for two
        ([["a", "b"], ["b", "a · x"]], [["a · x", "b"], ["b", "a · x"]]),
        ([["a", "a · x"], ["a · x"]], [["a", "a · x"], ["a · x"]]),  # the older one has both
        ([["a"], ["a", "a · x"]], [["a"], ["a", "a · x"]]),  # so has the newer one
        ([["a"], ["b"], ["a · x"]], [["a · x"], ["b"], ["a · x"]]),
        ([], []),
    ],
)
def test_a_configuration_has_its_newest_name_where_one_fits(
    campaigns: list[list[str]], names: list[list[str]]
) -> None:
    unified = unify_names([of_models(*models) for models in campaigns])
    assert [[own.model for own in each.attempts] for each in unified] == names


def test_factors_of_a_campaign_tell_names_apart() -> None:
    old = CampaignFigures(
        "n",
        "2026-01-01",
        1,
        (Attempts("t", "a", 1, 1, 1),),
        configurations=(("a", (("effort", "High"),)),),
    )
    assert old.by_name() == {"a": configuration("a", effort="high")}
    new = of_models("a · x")
    assert [one.attempts[0].model for one in unify_names([old, new])] == ["a", "a · x"]


def test_a_baseline_is_the_first_campaign_of_its_day() -> None:
    campaigns = [
        of_models(name="a", day="2026-01-02"),
        of_models(name="b"),
        of_models(name="a"),
        of_models(name=BASELINE),
        of_models(name=BASELINE, day="2026-01-02"),
    ]
    ordered = [(one.day[-1], one.name) for one in sorted(campaigns, key=lambda one: one.key)]
    assert ordered == [
        ("1", "baseline"),
        ("1", "a"),
        ("1", "b"),
        ("2", "baseline"),
        ("2", "a"),
    ]


@pytest.mark.parametrize(
    ("rules", "cost", "score"),
    [((), 1, 1), ((("cost", 2),), 2, 1), ((("cost", 2), ("score", 3)), 2, 3)],
)
def test_rules_that_are_not_stated_are_the_first(
    rules: tuple[tuple[str, int], ...], cost: int, score: int
) -> None:
    figures = CampaignFigures("n", "2026-01-01", 0, (), rules=rules)
    assert (figures.rule("cost"), figures.rule("score.a.b")) == (cost, score)


@pytest.mark.parametrize(
    ("most", "kept", "left_out"),
    [(0, [], 4), (1, ["a"], 3), (2, ["a", "b"], 2), (3, ["a", "b"], 2)],
)
def test_a_campaign_keeps_so_many_attempts_and_counts_the_others(
    most: int, kept: list[str], left_out: int
) -> None:
    whole = CampaignFigures(
        "n",
        "2026-01-01",
        2,
        of_models("a", "b").attempts,
        left_out=2,
        strays=tuple(Attempts(task, "", 1, 0, 0) for task in "xyz"),
    )
    bounded = whole.bounded(most)
    assert [own.model for own in bounded.attempts] == kept
    assert [own.task for own in bounded.strays] == list("xyz"[:most])
    assert bounded.left_out == left_out


def entry(number: int, run: Run, **place: object) -> Entry:
    source = Source("run.json", "run.json", named=False, size=1)
    return Entry(f"r-{number}", source, number, "", run, "run", **place)  # type: ignore[arg-type]


def test_runs_are_counted_by_task_and_model() -> None:
    ok = Status.OK
    entries = [
        entry(
            0,
            Run("t", ok, cost_usd=1.2345678, turns=2, agent_version="2.1", effort="high"),
            task="t1",
            model="A",
            outcome=Outcome.PASS,
            labels=("prompt:b", "x"),
            scores=(Score("s", 2.0, higher_is_better=False), Score("n", 1.0)),
            factors=(("codebase", "z"), ("agent", "ours")),
        ),
        entry(
            1,
            Run("t", ok, computed_cost_usd=0.5, turns=2, agent_version="2.0", effort="low"),
            task="t1",
            model="A",
            outcome=Outcome.FAIL,
            labels=("prompt:a",),
            scores=(Score("s", 1.0, higher_is_better=False),),
            factors=(("agent", "ours"),),
        ),
        entry(
            2, Run("t", ok, cost_usd=3.0, turns=2, cost_is_lower_bound=True), task="t1", model="A"
        ),
        entry(3, Run("t", ok, cost_usd=4.0, turns=2), task="t1", model="A", outcome=Outcome.ERROR),
        entry(4, Run("t", ok, turns=2), task="t0", model="B", outcome=Outcome.PARTIAL),
        entry(5, Run("t", ok, cost_usd=0.25, turns=2), task="t2", outcome=Outcome.PASS),
        entry(6, Run("t", ok, cost_usd=9.0, turns=2), model="A", outcome=Outcome.PASS),
    ]
    figures = campaign("n", "2026-01-01", entries)
    assert (figures.name, figures.day, figures.runs) == ("n", "2026-01-01", 7)
    assert figures.attempts == (
        Attempts("t0", "B", runs=1, judged=1, passed=0, computed=0),
        Attempts(
            "t1",
            "A",
            runs=4,
            judged=2,
            passed=1,
            costs=(0.5, 1.234568, 4.0),
            scores=(("n", (1.0,)), ("s", (1.0, 2.0))),
            prompt="prompt:a prompt:b",
            unjudged=1,
            computed=1,
        ),
    )
    assert figures.strays == (Attempts("t2", "", 1, 1, 1, costs=(0.25,), computed=0),)
    assert figures.agents == ("2.0", "2.1")
    assert figures.higher_is_better == (("s", False),)
    assert dict(figures.rules) == {"cost": 2, "score": 1, "success": 2}
    assert figures.configurations == (
        ("A", (("model", "A"),)),
        ("B", (("agent", "t"), ("model", "B"))),
    )


def test_a_configuration_has_the_factors_that_all_its_runs_share() -> None:
    run = Run("t", Status.OK, effort="high")
    entries = [
        entry(0, run, model="A", factors=(("codebase", "z"),)),
        entry(1, run, model="A", factors=(("codebase", "y"),)),
    ]
    (only,) = campaign("n", "2026-01-01", entries).configurations
    assert only == ("A", (("agent", "t"), ("effort", "high"), ("model", "A")))
