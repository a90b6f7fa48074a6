"""What a row is: whether it names its run, is summed up with others, or may be said of several runs."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from sitegen.masking.redact import Redactor
from sitegen.model import Outcome, Score, Verdict
from sitegen.outcomes.reasons import Why, because
from sitegen.outcomes.rows import (
    COLUMNS,
    COMMITS,
    NAMES,
    Cells,
    OutcomeTable,
    Row,
    RowSource,
)
from tests.collect.facts import entry
from tests.outcomes.sources import origin, row

COMMIT = "7c4d2e1f"


@pytest.mark.parametrize(
    ("known", "names_run", "is_summed_up", "is_labels_only"),
    [
        ({"task": "t", "labels": ("a",)}, False, False, True),
        ({"path": "a", "labels": ("a",)}, True, False, True),
        ({"path": "a", "labels": ("a",), "attempt": 0}, True, False, False),
        ({"path": "a", "labels": ("a",), "model": "m"}, True, False, False),
        ({"uuid": "u"}, True, False, False),
        ({"session": "s"}, True, False, False),
        ({"runs": ("i",), "labels": ("a",), "outcome": Outcome.PASS}, True, False, False),
        ({"task": "t", "labels": ("a",), "scores": (Score("s", 1.0),)}, False, False, False),
        ({"task": "t", "labels": ("a",), "started_at": "2026"}, False, False, False),
        ({"task": "t", "is_report": True}, False, True, False),
        ({"commit": COMMIT, "is_measurement": True}, False, True, False),
        ({"commit": COMMIT, "is_measurement": True, "path": "a"}, True, False, False),
        ({"commit": COMMIT}, False, False, False),
        ({"task": "t", "is_measurement": True}, False, False, False),
        ({"task": "t", "reference": "human"}, False, True, False),
    ],
)
def test_kinds_of_rows(
    known: dict[str, Any], names_run: bool, is_summed_up: bool, is_labels_only: bool
) -> None:
    made = row(**known)
    kinds = made.names_run, made.is_summed_up, made.is_labels_only
    assert kinds == (names_run, is_summed_up, is_labels_only)


def test_a_problem_with_a_row_names_its_line_and_the_run_that_it_is_about() -> None:
    reason = because(Why.NO_SUCH_NAME, column="id", name="x")
    lost = row(4).problem(reason)
    assert (lost.code, lost.verdict, lost.place) == ("W_OUTCOME_UNMATCHED", Verdict.SKIP, "line 4")
    assert lost.page_id is None and lost.reason == "No run has the id 'x'."
    about = row(None).problem(reason, entry("1.json"))
    assert (about.verdict, about.place, about.page_id) == (Verdict.ACCEPT, None, "1.json")
    of_file = origin().problem(because(Why.NO_RUN_IN_FOLDER))
    assert (of_file.path, of_file.place, of_file.verdict) == ("o.csv", None, Verdict.SKIP)
    assert origin().problem(reason, 3, " Skipped.").reason == "No run has the id 'x'. Skipped."


def test_where_a_row_stands_and_what_it_is_about() -> None:
    assert (row(4).place, row(None).place) == ("o.csv, line 4,", "o.csv")
    assert (row(task="t").subject, row(task="t", commit=COMMIT).subject) == ("t", COMMIT)
    whole = row(task="t", model="m", attempt=1, model_hints=("h",), columns=(("a", "b"),))
    assert whole.for_all_runs() == row(task="t")


def test_the_columns_of_a_table_are_those_that_any_row_fills_in() -> None:
    table = OutcomeTable((row(columns=(("hard", "yes"),)), row(reference="human")), ())
    assert table.columns == {"hard", "human", None}


def test_what_a_row_does_not_state_is_unknown_or_empty() -> None:
    stated = {field.name: getattr(row(None), field.name) for field in fields(Row)}
    assert stated.pop("file") == "o.csv"
    assert {name for name, value in stated.items() if value is not None} == {
        *("scores", "labels", "columns", "untested", "runs", "model_hints", "below"),
        *("served", "input", "is_report", "is_measurement", "is_found"),
    }
    assert {name for name, value in stated.items() if value == ()} == {
        *("scores", "labels", "columns", "untested", "runs", "model_hints", "below"),
    }
    assert (stated["served"], stated["input"]) == ("", 0)
    assert not stated["is_report"] and not stated["is_measurement"] and not stated["is_found"]


def test_a_file_that_nothing_is_said_of_has_no_runs_columns_or_defaults() -> None:
    made = RowSource("o.csv", origin().source, Redactor())
    assert (made.meanings, made.runs, made.is_found) == ({}, (), False)
    assert (made.columns, made.defaults, made.settings.path) == (frozenset(), {}, ".")
    assert Cells(3, {}) == Cells(3, {}, fault=None, is_measurement=False)


def test_columns_have_these_names() -> None:
    assert NAMES == ("id", "path", "uuid", "session")
    assert COMMITS == [
        "commit",
        "human_commit_full",
        "human_commit",
        "commit_full",
        "full_commit",
        "commit_hash",
        "commit_sha",
        "commit_short",
    ]
    assert set(COLUMNS) - set(NAMES) == {
        *("task", "commit", "campaign", "model", "attempt", "outcome", "claimed", "note"),
        *("labels", "started_at"),
    }
