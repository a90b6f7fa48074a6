"""A control arm: which configurations are compared with it, what is corrected, and what the first page says."""

from dataclasses import replace

import pytest

from sitegen.config import Config
from sitegen.model import Entry, Outcome, Status
from sitegen.numbers.comparison import Effect
from sitegen.numbers.families import mcnemar
from sitegen.numbers.intervals import Question
from sitegen.numbers.statistics import Measure, summarize
from sitegen.numbers.success import success
from sitegen.outcomes.study import Study
from sitegen.pages.compare import Comparisons
from sitegen.pages.headline import headline, text_of
from sitegen.pages.leaderboard import Board, board, leaderboard_view
from sitegen.pages.overall import _chosen, _compared
from tests.support.chart_runs import OPUS, entry

TASKS = 20


def runs_of(arm: str, first: int, passed: int) -> list[Entry]:
    """A run of each task with this value of the factor `skill`."""
    runs = []
    for number in range(TASKS):
        outcome = Outcome.PASS if number < passed else Outcome.FAIL
        run = entry(
            first + number,
            model=OPUS,
            name=f"task {number}",
            cost=1.0 + number / 100,
            outcome=outcome,
        )
        runs.append(replace(run, factors=(("skill", arm),)))
    return runs


def shown(entries: list[Entry], control: dict[str, str]) -> tuple[str, Board, Comparisons]:
    config = Config(control=control)
    entries = Study(config, entries).configured()
    found = board(entries, Question.TASKS_LIKE_THESE)
    assert found is not None
    chosen = replace(_chosen(Study(config, entries), found), control=control)
    compared = _compared(entries, (), (), chosen)
    found = found.compared(compared.known, compared.of_control)
    return (
        text_of(headline(summarize(entries), success(entries), found, compared, None, entries)),
        found,
        compared,
    )


ARMS = [
    run
    for at, arm in enumerate(("with", "a1", "a2", "without"))
    for run in runs_of(arm, 100 * at, 18 - 4 * at)
]


@pytest.mark.parametrize("value", ["without", "Without"])
def test_each_arm_is_compared_with_the_control_which_comes_first(value: str) -> None:
    text, found, compared = shown(ARMS, {"skill": value})
    assert [pair[1:] for pair in compared.of_control] == [
        ("without", "a1"),
        ("without", "a2"),
        ("without", "with"),
    ]
    assert (
        "“with skill” has a pass rate 60 points higher than “without skill” on the same 20 tasks (+30 to +79)"
        in text
    )
    view = leaderboard_view(found)
    at = [column.text for column in view.columns].index("Against control")
    cells = {row.name: (row.cells[at].text, row.cells[at].note) for row in view.rows}
    assert cells["without"] == ("control", "")
    size, note = cells["with"]
    assert size == "+60 points" and note.endswith("gained 12 tasks, lost 0, p < 0.001"), note


def test_only_comparisons_with_the_control_are_claims() -> None:
    _, _, compared = shown(ARMS, {"skill": "without"})
    of_control = {frozenset(pair[1:]) for pair in compared.of_control}
    for pair, comparison in compared.pairs:
        effect = comparison.contrasts[Measure.SUCCESS].effect
        assert (effect is not Effect.NOT_TESTED) is (frozenset(pair[1:]) in of_control), pair
    contrast = compared.of_control[next(iter(compared.of_control))].contrasts[Measure.SUCCESS]
    assert contrast.p_value is not None and contrast.corrected_p is not None
    assert contrast.corrected_p <= 3 * contrast.p_value


def test_a_control_that_no_configuration_has_is_reported() -> None:
    text, found, compared = shown(ARMS, {"skill": "nothing"})
    assert not compared.of_control
    assert any(
        remark.startswith("control: no two configurations differ") for remark in compared.remarks
    )
    assert "Against control" not in [column.text for column in leaderboard_view(found).columns]
    assert "leads" in text or "No clear leader" in text


def test_arms_without_a_clear_difference_are_named_together() -> None:
    arms = [
        run
        for at, arm in enumerate(("without", "a", "b", "c", "d", "e"))
        for run in runs_of(arm, 100 * at, 10 + at % 2)
    ]
    text, _, _ = shown(arms, {"skill": "without"})
    assert text == "No clear difference between “without skill” and a, b, c or two more."
    text, _, _ = shown([*arms, *runs_of("best", 900, 20)], {"skill": "without"})
    assert text.startswith("best has a pass rate 50 points higher than “without skill” on")
    assert text.endswith("; no clear difference between “without skill” and a, b, c or two more.")


def test_an_arm_with_too_few_tasks_is_not_said_to_be_alike() -> None:
    few = [run for run in runs_of("few", 900, 20) if run.task in ("task 0", "task 1")]
    text, _, _ = shown(
        [*runs_of("without", 0, 10), *runs_of("a", 100, 11), *few], {"skill": "without"}
    )
    assert "few" not in text and "“without skill” and a " in text, text


def test_an_arm_of_which_no_run_is_judged_is_said_to_be_so() -> None:
    lost = [
        replace(run, outcome=None, run=replace(run.run, status=Status.STOPPED))
        for run in runs_of("with", 100, 10)
    ]
    text, _, _ = shown([*runs_of("without", 0, 10), *lost], {"skill": "without"})
    assert "no run of “with skill” is judged: 20 errors" in text and "0 of 0" not in text


@pytest.mark.parametrize(
    ("gained", "lost", "p"),
    [(0, 0, 1.0), (1, 1, 1.0), (5, 0, 0.0625), (0, 5, 0.0625), (9, 1, 0.021484375), (2000, 0, 0.0)],
)
def test_mcnemar(gained: int, lost: int, p: float) -> None:
    assert mcnemar(gained, lost) == pytest.approx(p)


def test_the_test_of_a_property_leaves_out_a_pilot_and_names_it() -> None:
    """With or without a pilot, judged or not, the finding is the same; one without a verdict is not part of the study."""
    entries = []
    for at, (arm, group) in enumerate((("x", "a"), ("y", "b"))):
        for run in runs_of(arm, 100 * at, TASKS):
            codebase = "ab"[int(str(run.task).rpartition(" ")[2]) % 2]
            outcome = Outcome.PASS if codebase == group else Outcome.FAIL
            entries.append(
                replace(run, outcome=outcome, factors=(*run.factors, ("codebase", codebase)))
            )
    config = Config.model_validate({"factors": {"codebase": "property"}})
    alone = Study(config, entries)
    assert alone.breakdowns()["codebase"] < 0.01
    for outcome in (Outcome.PASS, None):
        pilot = replace(
            entries[0], id="pilot", outcome=outcome, factors=(("skill", "z"), ("codebase", "a"))
        )
        study = Study(config, [*entries, pilot])
        assert study.breakdowns() == alone.breakdowns()
        assert (study.not_covered, study.highest("codebase")) == (
            ["z"] if outcome else [],
            {"a": (1.0, ["x"]), "b": (1.0, ["y"])},
        )
