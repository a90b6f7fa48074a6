"""Cells of a table become rows: which columns are scores and outcomes, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.model import Outcome, Score
from sitegen.outcomes import parse_rows
from sitegen.outcomes.cells import Fault
from sitegen.outcomes.parse_rows import MAX_LOG
from sitegen.outcomes.reasons import BadCell, Why
from sitegen.outcomes.rows import Cells, Row
from tests.outcomes.sources import origin

COMMIT = "0a1b2c3d"


def cells(*rows: dict[str, Any]) -> list[Cells]:
    return [Cells(line, values) for line, values in enumerate(rows, 2)]


def parsed(*rows: dict[str, Any], **known: Any) -> list[Row]:
    made, problems = parse_rows.parse_rows(cells(*rows), origin(**known))
    assert problems == []
    return made


def test_values_within_objects_have_dotted_names() -> None:
    values = {"a": {"b": {"c": 1}}, "a.b": 2, "scores": {"x": 1}}
    assert parse_rows.flatten(values) == {**values, "a.b.c": 1, "a.b": 2}
    assert parse_rows.flatten({"a": {"b": 1}}, depth=0) == {"a": {"b": 1}}


@pytest.mark.parametrize(
    ("values", "known", "renamed"),
    [
        ({"Case": "a", "task": "b"}, {"settings": {"columns": {"task": "Case"}}}, {"task": "a"}),
        ({"human_commit": COMMIT, "commit_short": "0"}, {}, {"commit": COMMIT}),
        ({"human_commit": COMMIT}, {"settings": {"columns": {"commit": "c"}}}, {}),
        ({"task": "-"}, {"defaults": {"task": "a", "agent": "x"}}, {"task": "a", "agent": "x"}),
        ({"task": "b"}, {"defaults": {"task": "a"}}, {"task": "b"}),
        ({"path": "p"}, {"defaults": {"task": "a"}}, {}),
        ({"x": 1}, {"runs": ("i",), "defaults": {"task": "a"}}, {}),
        (
            {"m": {"ms": 3}, "t": 2},
            {"settings": {"scores": {"speed": {"columns": ["v", "m.ms", "t"]}}}},
            {"speed": 3},
        ),
    ],
)
def test_columns_get_our_names(
    values: dict[str, Any], known: dict[str, Any], renamed: dict[str, Any]
) -> None:
    made = parse_rows.rename_columns(Cells(1, values), origin(**known))
    others = {name: value for name, value in parse_rows.flatten(values).items() if name in made}
    assert {**others, **renamed} == dict(made)
    assert {name: made[name] for name in renamed} == renamed


@pytest.mark.parametrize(
    ("values", "known", "is_served"),
    [
        ({"commit": COMMIT}, {"settings": {"scores": {"s": {}}}}, True),
        ({"commit": COMMIT}, {}, False),
        ({"commit": COMMIT, "task": "t"}, {"settings": {"scores": {"s": {}}}}, False),
        ({"commit": "main"}, {"settings": {"scores": {"s": {}}}}, False),
        ({"commit": COMMIT, "task": "-"}, {"settings": {"scores": {"s": {}}}}, True),
        ({}, {"settings": {"pattern": "{agent}.json"}, "defaults": {"agent": "x"}}, True),
        ({}, {"settings": {"pattern": "{skill}.json"}, "defaults": {"skill": "x"}}, False),
        ({}, {"defaults": {"agent": "x"}}, False),
    ],
)
def test_the_model_of_a_measurement_may_be_the_one_that_was_served(
    values: dict[str, Any], known: dict[str, Any], is_served: bool
) -> None:
    assert parse_rows.names_served_model(values, origin(**known)) == is_served
    measured = Cells(1, {**values, "model": "m"}, is_measurement=True)
    renamed = parse_rows.rename_columns(measured, origin(**known))
    assert ("model" not in renamed) == is_served
    assert parse_rows.rename_columns(Cells(1, {"model": "m"}), origin(**known))["model"] == "m"


@pytest.mark.parametrize(
    ("rows", "known", "column"),
    [
        ([{"Passed": 1}, {"Passed": ""}], {}, "Passed"),
        ([{"passed": 1}, {"passed": "maybe"}], {}, None),
        ([{"passed": 1, "solved": 1}], {}, None),
        ([{"passed": 1, "solved": "x"}], {}, "passed"),
        ([{"passed": 1, "outcome": "fail"}], {}, None),
        ([{"passed": 1, "commit": COMMIT}], {}, None),
        ([{"passed": 1, "commit": "x"}], {}, "passed"),
        ([{"passed": 1}], {"runs": ("i",)}, None),
        ([{"passed": 1}], {"columns": frozenset({"passed"})}, None),
        ([{"passed": 1}], {"columns": frozenset({"outcome"})}, None),
        ([{"passed": 1}], {"settings": {"scores": {"passed": {}}}}, None),
    ],
)
def test_one_column_of_verdicts_is_that_of_the_outcomes(
    rows: list[dict[str, Any]], known: dict[str, Any], column: str | None
) -> None:
    table = cells(*rows)
    renamed = parse_rows.rename_verdicts(table, origin(**known))
    assert (renamed is not table) == (column is not None)
    if column:
        assert renamed[0].values["outcome"] == 1 and column not in renamed[0].values


@pytest.mark.parametrize(
    ("rows", "known", "scores"),
    [
        ([{"a": 1}, {"a": "x"}], {}, {"a"}),
        ([{"a": 1}, {"a": "x"}, {"a": "y"}], {}, set()),
        ([{"a": 1}, {"a": ""}, {"a": "-"}], {}, {"a"}),
        ([{"attempt": 1, "task": 2}], {}, set()),
        ([{"m": {"a": 1}, "m.a": 1, "n.a": 1}], {}, {"n.a"}),
        ([{"a": "x", "b": ""}], {"settings": {"scores": {"a": {}, "b": {}}}}, {"a"}),
        ([{"a": 1, "commit": COMMIT}], {"settings": {"scores": {"b": {}}}}, {"b"}),
        ([{"a": 1, "commit": COMMIT}], {}, {"a"}),
        ([{"a": 1}], {"runs": ("i",), "settings": {"scores": {"b": {}}}}, {"b"}),
        ([{"a": [1]}, {"a": True}], {}, set()),
    ],
)
def test_a_column_of_numbers_is_a_score(
    rows: list[dict[str, Any]], known: dict[str, Any], scores: set[str]
) -> None:
    assert parse_rows.find_score_columns(cells(*rows), origin(**known)) == scores


@pytest.mark.parametrize(
    ("rows", "known", "is_empty"),
    [
        ([{"task": "t", "outcome": ""}], {}, False),
        ([{"task": "t", "campaign": "c"}], {}, True),
        ([{"task": "t", "commit": "x"}], {}, False),
        ([{"id": "i", "campaign": "c"}], {}, False),
        ([{"id": "i", "word": "c"}], {}, True),
        ([{"id": "i", "word": "c"}], {"columns": frozenset({"word"})}, False),
        ([{"id": "i", "word": "c"}], {"runs": ("i",)}, False),
        ([{"id": "i", "word": "c"}], {"settings": {"scores": {"s": {}}}}, False),
        ([{"id": "i"}, {"id": "j"}], {"settings": {"scores": {"s": {}}}}, True),
        ([], {}, False),
    ],
)
def test_a_table_states_something(
    rows: list[dict[str, Any]], known: dict[str, Any], is_empty: bool
) -> None:
    assert parse_rows.states_nothing(cells(*rows), frozenset(), origin(**known)) == is_empty


def test_a_row_has_what_its_cells_say() -> None:
    (row,) = parsed(
        {
            "path": "a/1.json",
            "commit": COMMIT.upper(),
            "model": "m",
            "attempt": "2",
            "outcome": "ok",
        }
        | {"claimed": "no", "note": " n ", "labels": "a;b", "started_at": "2026-01-31T12:00Z"},
        settings={"reference": "human"},
        runs=("page",),
    )
    assert (row.path, row.location, row.commit) == ("a/1.json", "/in/a/1.json", COMMIT)
    assert (row.model, row.attempt, row.outcome) == ("m", 2, Outcome.PASS)
    assert (row.claimed, row.note, row.labels) == (False, "n", ("a", "b"))
    assert (row.started_at, row.reference, row.runs) == ("2026-01-31T12:00:00Z", "human", ("page",))


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"outcome": 1}, (Why.NAMES_NO_RUN, "")),
        ({"task": ["t"], "outcome": 1}, (Why.NOT_TEXT, " The row is skipped.")),
        ({"task": "t", "attempt": "x"}, (Why.BAD_ATTEMPT, " The row is skipped.")),
        ({"task": "", "outcome": ""}, None),
    ],
)
def test_a_row_without_keys_is_dropped(
    values: dict[str, Any], fault: tuple[Why, str] | None
) -> None:
    faults: list[Fault] = []
    assert parse_rows.parse_row(Cells(2, values), frozenset(), origin(), faults) is None
    assert [(reason.why, effect) for reason, effect in faults] == ([fault] if fault else [])


def test_other_columns_are_kept_as_text() -> None:
    values = {"hard": "yes", "task": "t", "log": "x" * (MAX_LOG + 1), "list": [1], "empty": "-"}
    kept = dict(parse_rows.read_columns({**values, " ": "x", "note": "n"}, origin()))
    assert kept == {"hard": "yes", "log": f"{MAX_LOG + 1:,} characters"}
    used = origin(columns=frozenset({"note", "empty"}), meanings={"speed": Score("speed", 0.0)})
    assert dict(parse_rows.read_columns({"note": "n", "a": "'=1"}, used)) == {
        "note": "n",
        "a": "=1",
    }
    assert parse_rows.find_untested({"empty": "-", "speed": "", "other": ""}, used) == (
        "empty",
        "speed",
    )


def test_a_score_may_be_a_section_with_its_meaning() -> None:
    known = origin(meanings={"speed": Score("speed", 0.0, "x", None, True)})
    section = {"value": "2.5", "direction": "higher", "unit": "s"}
    assert parse_rows.read_score("speed", known, section) == Score("speed", 2.5, "x", True, True)
    section = {"value": -1, "direction": "lower", "scale": "linear", "unit": "s"}
    assert parse_rows.read_score("speed", known, section) == Score("speed", -1, "x", False, False)
    assert parse_rows.read_score("a", known, {"value": 1, "scale": "ratio", "unit": "s"}) == Score(
        "a", 1, "s", None, True
    )
    for value, why in (
        ({"value": 1, "direction": "up"}, Why.BAD_DIRECTION),
        ({"value": 1, "scale": "log"}, Why.BAD_SCALE),
        ("fast", Why.BAD_NUMBER),
        (0, Why.BAD_RATIO),
    ):
        with pytest.raises(BadCell) as refused:
            parse_rows.read_score("speed", known, value)
        assert refused.value.reason.why is why


def test_a_section_of_scores_is_beside_the_columns() -> None:
    faults: list[Fault] = []
    values: dict[str, Any] = {"a": "1", "b": "2", "scores": {"c": 3, "d": "x", "e": ""}}
    scores = list(parse_rows.read_scores(values, frozenset({"a"}), origin(), faults))
    assert [(score.name, score.value) for score in scores] == [("a", 1), ("c", 3)]
    assert [reason.why for reason, _ in faults] == [Why.BAD_NUMBER]
    faults.clear()
    assert not list(parse_rows.read_scores({"scores": "x"}, frozenset(), origin(), faults))
    assert [reason.why for reason, _ in faults] == [Why.BAD_SECTION]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"scores": "x"}, "scores must be a section such as {speedup: 2.5}. It is left out."),
        ({"scores": {"s": "x"}}, "The score 's' must be a number, not 'x'. The cell is ignored."),
        (
            {"scores": {"r": 0}},
            "The score 'r' is a ratio and must be above zero, not '0'. The cell is ignored.",
        ),
        (
            {"scores": {"s": {"value": 1, "direction": "up"}}},
            "The direction of 's' must be higher or lower. The cell is ignored.",
        ),
        (
            {"scores": {"s": {"value": 1, "scale": "log"}}},
            "The scale of 's' must be linear or ratio. The cell is ignored.",
        ),
        (
            {"scores": {"s": {"value": [1]}}},
            "The score 's' must be a number, not a list or an object. The cell is ignored.",
        ),
        (
            {"outcome": "good"},
            "The outcome 'good' is unknown: write pass, fail, partial or error. The cell is ignored.",
        ),
        (
            {"claimed": "maybe"},
            "The claim 'maybe' is unknown: write yes or no. The cell is ignored.",
        ),
        ({"attempt": "x"}, "attempt must be a whole number, not 'x'. The row is skipped."),
        ({"campaign": ["x"]}, "campaign is not text. The row is skipped."),
        ({"model": "x" * 501}, "model is longer than 500 characters. The row is skipped."),
        (
            {"task": None},
            "It names no run: fill in id, path, uuid, session, task or commit.",
        ),
    ],
)
def test_what_is_wrong_with_a_row_is_a_sentence(values: dict[str, Any], sentence: str) -> None:
    meanings = {"r": Score("r", 0.0, is_ratio=True)}
    row = {"task": "t", "note": "n", "labels": "l", **values}
    _, problems = parse_rows.parse_rows(cells(row), origin(meanings=meanings))
    assert [problem.reason for problem in problems] == [sentence]


def test_a_score_has_the_meaning_of_the_settings_or_of_its_own_section() -> None:
    meanings = {"s": Score("s", 0.0, "ms", higher_is_better=False)}
    section = {"value": 2, "unit": "x", "direction": "higher", "scale": "ratio"}
    (row,) = parsed({"task": "t", "scores": {"s": section, "t": section}}, meanings=meanings)
    assert row.scores == (
        Score("s", 2.0, "ms", True, True),
        Score("t", 2.0, "x", True, True),
    )
    (plain,) = parsed(
        {"task": "t", "scores": {"s": "-2.5", "u": {"value": 1, "direction": "lower"}}},
        meanings=meanings,
    )
    assert plain.scores == (Score("s", -2.5, "ms", False), Score("u", 1.0, None, False))


def test_values_of_six_objects_within_each_other_are_columns() -> None:
    values: dict[str, Any] = {"v": 1}
    for _ in range(7):
        values = {"a": values}
    names = list(parse_rows.flatten(values))
    assert names[-1] == "a.a.a.a.a.a.a" and len(names) == 7


def test_columns_are_masked_by_their_names() -> None:
    token = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    (row,) = parsed(
        {"task": "t", "outcome": 1, "kind": f"a {token}", "password": "plainvalueofatoken7"}
    )
    kept = dict(row.columns)
    assert token not in kept["kind"] and kept["kind"].startswith("a [redacted")
    assert "plainvalue" not in kept["password"]


def test_a_column_of_numbers_is_a_score_where_half_of_its_cells_are() -> None:
    rows = [{"task": f"t{n}", "a": value} for n, value in enumerate((1, "x"))]
    made, problems = parse_rows.parse_rows(cells(*rows), origin())
    assert [[score.value for score in row.scores] for row in made] == [[1.0], []]
    assert [(problem.place, problem.reason) for problem in problems] == [
        ("line 3", "The score 'a' must be a number, not 'x'. The cell is ignored.")
    ]


def test_an_empty_column_of_outcomes_gives_way_to_one_of_verdicts() -> None:
    (row,) = parsed({"task": "t", "outcome": "", "passed": 1})
    assert row.outcome is Outcome.PASS


def test_a_commit_that_is_none_is_left_out() -> None:
    (row,) = parsed({"task": "t", "commit": "main", "outcome": "pass"})
    assert (row.task, row.commit) == ("t", None)


def test_the_served_model_is_a_hint_unless_a_pattern_names_the_run() -> None:
    values = {"commit": COMMIT, "model": "m", "s": 1}
    scores: dict[str, Any] = {"scores": {"s": {}}}

    def hints(**more: Any) -> tuple[str, tuple[str, ...]]:
        source = origin(settings={**scores, **more})
        table = [Cells(2, values, is_measurement=True)]
        ((row,), _) = parse_rows.parse_rows(table, source)
        return row.served, row.model_hints

    assert hints() == ("m", ("m",))
    assert hints(pattern="{commit}.json") == ("m", ())
    (plain,) = parsed({"task": "t", "outcome": 1})
    assert (plain.served, plain.model_hints, plain.location) == ("", (), None)
