"""What rows state of their run: the first counts, and what contradicts it is reported."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sitegen.inputs.survey import Naming
from sitegen.model import Entry, Outcome, Run, Score, Status
from sitegen.outcomes import apply
from sitegen.outcomes.match import Matches
from sitegen.outcomes.models import Models
from sitegen.outcomes.reasons import MAX_LABELS, Why
from sitegen.outcomes.references import Doubt, References
from sitegen.outcomes.rows import Row
from tests.collect.facts import entry
from tests.outcomes.sources import NO_NAMES, row, run_of_model

SONNET = "claude-sonnet-4-5-20250929"
RUN = entry("1.json")


def identified(run: Entry, *rows: Row) -> Entry:
    naming = Naming([], {"task": {"a": "Task A"}})
    return apply.set_identity(run, rows, naming, Models(naming))


def test_rows_say_what_a_run_is_before_its_path() -> None:
    run = entry("1.json", campaign="May", task="path", attempt=3, stated_model="opus")
    made = identified(run, row(campaign="June"), row(task="a", attempt=0, campaign="July"))
    assert (made.campaign, made.task, made.attempt) == ("June", "Task A", 0)
    assert (made.model, made.stated_model) == ("opus", "opus")
    assert identified(run, row()).task == "path"


def test_a_row_that_cannot_be_right_about_the_model_does_not_name_it() -> None:
    known: dict[str, Any] = {"model": "Claude Sonnet 4.5", "ledger_names": ("Claude Sonnet 4.5",)}
    run = entry("1.json", run_of_model(SONNET), **known, stated_model="path")
    assert identified(run, row(model="gpt-5")).stated_model == "path"
    assert identified(run, row(model="sonnet")).stated_model == "sonnet"
    sidecar = identified(run, row(model="gpt-5", runs=("1.json",)))
    assert (sidecar.stated_model, sidecar.model) == ("gpt-5", "Claude Sonnet 4.5")


def test_the_first_row_that_knows_something_counts() -> None:
    rows = [
        row(outcome=None, claimed=False, scores=(Score("a", 1.0),), untested=("hard", "b")),
        row(
            outcome=Outcome.FAIL, claimed=True, note="n", scores=(Score("a", 2.0), Score("b", 3.0))
        ),
        row(outcome=Outcome.PASS, columns=(("hard", "yes"),), started_at="2026"),
    ]
    run = entry("1.json", scores=(Score("b", 9.0), Score("c", 4.0)), outcome=Outcome.ERROR)
    made = apply.apply_to_run(run, rows, ("l",))
    assert (made.outcome, made.stated_claim, made.note) == (Outcome.FAIL, False, "n")
    assert [(score.name, score.value) for score in made.scores] == [
        ("a", 1.0),
        ("b", 3.0),
        ("c", 4.0),
    ]
    assert (made.stated, made.untested, made.labels) == ((("hard", "yes"),), (), ("l",))
    assert made.started_at == "2026"
    assert apply.apply_to_run(RUN, [], ()) is RUN, "copies take memory"


def contradictions(*rows: Row) -> tuple[list[tuple[int | None, Why]], list[Doubt]]:
    doubts: list[Doubt] = []
    found = apply.find_contradictions(RUN, rows, NO_NAMES, doubts)
    return [(conflict.row.line, conflict.reason.why) for conflict in found], doubts


def test_rows_that_contradict_an_earlier_one_are_reported() -> None:
    passed = row(1, outcome=Outcome.PASS, scores=(Score("s", 1.0),))
    assert contradictions(passed, row(2, outcome=Outcome.FAIL)) == ([(2, Why.CONTRADICTION)], [])
    assert contradictions(passed, row(2, outcome=Outcome.PASS)) == ([(2, Why.SAID_TWICE)], [])
    other = Row("p.csv", 2, outcome=Outcome.PASS)
    assert contradictions(passed, other) == ([], []), "two files may agree"
    assert contradictions(passed, row(2, scores=(Score("s", 2.0),)))[0] == [(2, Why.CONTRADICTION)]
    named = [row(line, path="1.json", task=task) for line, task in ((1, "a"), (2, "b"))]
    assert contradictions(*named)[0] == [(2, Why.CONTRADICTION)]
    unnamed = [row(line, task=task) for line, task in ((1, "a"), (2, "b"))]
    assert contradictions(*unnamed) == ([], []), "a task is then a key"
    measured = row(2, commit="0a1b2c3d", scores=(Score("s", 2.0),))
    assert contradictions(passed, measured) == ([], [Doubt(measured, "score s 1.0 and 2.0", RUN)])


def test_labels_are_joined_up_to_their_limit() -> None:
    run = entry("1.json", labels=("a",))
    conflicts: list[apply.Conflict] = []
    assert apply.join_labels(run, [row(labels=("b", "a"))], conflicts) == ("a", "b")
    most = tuple(map(str, range(MAX_LABELS - 1)))
    assert len(apply.join_labels(run, [row(labels=most)], conflicts)) == MAX_LABELS
    assert conflicts == []
    joined = apply.join_labels(run, [row(labels=(*most, "x")), row(labels=("y",))], conflicts)
    assert joined == ("a", *most)
    assert [conflict.reason.why for conflict in conflicts] == [Why.TOO_MANY_LABELS]


@pytest.mark.parametrize(
    ("outcomes", "stated", "kept", "is_reported"),
    [
        (("pass",), None, 1, False),
        (("pass", "pass"), None, 2, False),
        (("pass", "fail"), None, 0, True),
        (("pass", "fail"), "fail", 1, False),
    ],
)
def test_reports_that_nobody_named_count_only_where_they_agree(
    outcomes: tuple[str, ...], stated: str | None, kept: int, is_reported: bool
) -> None:
    rows = [row(outcome=Outcome(each), is_found=True) for each in outcomes]
    rows += [row(outcome=Outcome(stated))] if stated else []
    conflicts: list[apply.Conflict] = []
    assert len(apply.find_undisputed(RUN, rows, conflicts)) == kept
    assert [each.reason.why for each in conflicts] == [Why.REPORTS_DISAGREE] * is_reported


def test_a_model_that_the_file_does_not_name_is_reported() -> None:
    def lines(run: Entry, *rows: Row, path_model: str | None = None) -> list[int | None]:
        found = apply.find_other_models(run, path_model, rows, Models(NO_NAMES))
        return [conflict.row.line for conflict in found]

    run = entry("1.json", run_of_model(SONNET), ledger_names=("Claude Sonnet 4.5",))
    named = [row(line, path="1.json", model=model) for line, model in ((1, "gpt-5"), (2, "sonnet"))]
    assert lines(run, *named) == [1]
    assert lines(run, *named, path_model="gpt-5") == []
    assert lines(run, row(1, model="gpt-5", task="t")) == []
    assert lines(RUN, *named) == [2], "the first row counts where the file names none"


def test_a_column_that_no_row_fills_is_untested() -> None:
    rows = [row(untested=("soft", "hard", "s")), row(scores=(Score("s", 1.0),), untested=("a",))]
    assert apply.apply_to_run(RUN, rows, ()).untested == ("a", "hard", "soft")


def test_a_run_without_rows_takes_the_time_of_its_file() -> None:
    run = entry("1.json", Run("r", Status.OK, started_at="2026-01-31"))
    assert apply.apply_to_run(run, [], ()).started_at == "2026-01-31"
    stated = replace(run, started_at="2025")
    assert apply.apply_to_run(stated, [], ()) is stated
    assert apply.apply_to_run(stated, [row(started_at="2024")], ()).started_at == "2024"


def test_rows_of_a_run_may_repeat_what_its_path_calls_the_model() -> None:
    known: dict[str, Any] = {"model": "Claude Sonnet 4.5", "ledger_names": ("Claude Sonnet 4.5",)}
    run = entry("1.json", run_of_model(SONNET), **known)
    by_path = replace(run, stated_model="gpt-5")
    asked = row(1, path="1.json", model="gpt-5")
    matches = Matches()
    matches._ranked[0] = [(0, asked)]
    applied = [
        apply.apply_rows([run], [described], matches, References(), NO_NAMES)
        for described in (by_path, run)
    ]
    assert [[each.reason.why for each in found.conflicts] for found in applied] == [
        [],
        [Why.OTHER_MODEL],
    ]
    assert applied[1].conflicts[0].reason.sentence == (
        "It says model gpt-5 of 1.json; the run itself names Claude Sonnet 4.5, which counts."
    )


@pytest.mark.parametrize(
    ("stated", "path", "is_possible"),
    [(None, None, True), ("gpt-5", "gpt-5", True), ("gpt-5", None, False), ("sonnet", None, True)],
)
def test_a_row_may_be_right_about_a_model(
    stated: str | None, path: str | None, is_possible: bool
) -> None:
    run = entry(
        "1.json",
        run_of_model(SONNET),
        ledger_names=("Claude Sonnet 4.5",),
        stated_model=path,
    )
    assert apply.may_have_model(run, stated, Models(NO_NAMES)) is is_possible
    assert apply.may_have_model(RUN, stated, Models(NO_NAMES))


def test_a_report_that_is_found_counts_unless_another_row_states_an_outcome() -> None:
    report = row(outcome=Outcome.PASS, is_found=True)
    silent = row(note="n")
    stated = row(outcome=Outcome.FAIL)
    conflicts: list[Any] = []
    assert apply.find_undisputed(RUN, [report, silent], conflicts) == [report, silent]
    assert apply.find_undisputed(RUN, [report, silent, stated], conflicts) == [silent, stated]
    assert conflicts == []


def test_a_run_without_a_model_has_none_unless_a_row_states_one() -> None:
    assert identified(RUN, row()).model is None
    assert identified(RUN, row(model="opus")).model == "opus"
    assert identified(replace(RUN, model="m"), row()).model == "m"


def test_a_report_that_is_found_and_states_no_outcome_keeps_what_it_says() -> None:
    scored = row(is_found=True, scores=(Score("s", 1.0),))
    stated = row(outcome=Outcome.FAIL)
    assert apply.find_undisputed(RUN, [scored, stated], []) == [scored, stated]
    assert apply.find_undisputed(RUN, [stated], []) == [stated]


def test_a_score_may_be_stated_twice_and_an_outcome_may_not() -> None:
    scored = [row(line, scores=(Score("s", 1.0),)) for line in (1, 2)]
    assert contradictions(*scored) == ([], [])
    assert contradictions(row(1, outcome=Outcome.PASS)) == ([], [])


def test_only_tasks_are_compared_by_the_names_of_the_settings() -> None:
    naming = Naming([], {"task": {"a": "b"}})

    def lines(**known: tuple[str, str]) -> list[int | None]:
        ((name, values),) = known.items()
        rows = [row(at, path="1.json", **{name: value}) for at, value in enumerate(values)]
        found = apply.find_contradictions(RUN, rows, naming, [])
        return [conflict.row.line for conflict in found]

    assert lines(task=("a", "b")) == []
    assert lines(campaign=("a", "b")) == [1]
