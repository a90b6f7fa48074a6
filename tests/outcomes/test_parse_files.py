"""CSV, JSON and YAML become rows with the lines they begin in, or the file is refused."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.errors import ReadError
from sitegen.outcomes.parse_files import MAX_YAML_CHARACTERS, parse_csv, parse_outcomes_file
from tests.outcomes.sources import origin


def parsed(text: str, path: str = "o", **known: Any) -> list[tuple[int | None, str | None, str]]:
    rows, _ = parse_outcomes_file(text.encode(), origin(path, **known))
    return [(row.line, row.task or row.id or row.commit, str(row.outcome)) for row in rows]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("o.csv", "task,outcome\none,pass\n\ntwo,fail\n"),
        ("o.tsv", "task\toutcome\n\none\tpass\ntwo\tfail\t\t\n"),
        ("o", "\ufeffTask;Outcome\none;pass\n\ntwo;fail\n"),
        ("o.jsonl", '{"task": "one", "outcome": "pass"}\n\n{"task": "two", "outcome": "fail"}'),
        ("o", '[\n {"task": "one", "outcome": "pass"},\n {"task": "two", "outcome": "fail"}]'),
        (
            "o.json",
            '{"outcomes": [\n{"task": "one", "outcome": 1}, {"task": "two", "outcome": 0}]}',
        ),
        ("o.yaml", "outcomes:\n- {task: one, outcome: pass}\n- {task: two, outcome: fail}\n"),
    ],
)
def test_all_forms_of_a_table_have_the_same_rows(path: str, text: str) -> None:
    assert [row[1:] for row in parsed(text, path)] == [("one", "pass"), ("two", "fail")]
    lines = [line for line, *_ in parsed(text, path)]
    texts = text.split("\n")
    assert ["one" in texts[lines[0] - 1], "two" in texts[lines[1] - 1]] == [True, True]  # type: ignore[operator]


@pytest.mark.parametrize(
    ("path", "text", "reason", "place"),
    [
        ("o.csv", " \n", "it is empty", None),
        ("o.csv", "task,outcome\n", "it has no rows", None),
        ("o.csv", "name,outcome\na,pass\n", "no column says which run a row is about", "line 1"),
        ("o.csv", "task,a,a\nx,1,2\n", "the column 'a' appears twice", "line 1"),
        ("o.csv", 'task,a\n"x,1\n', "it is not CSV", "line 2"),
        ("o.csv", '"task', "it is not CSV", "line 1"),
        ("o.json", '{"a": 1,\n "a": 2}', "the key 'a' appears twice", None),
        ("o.json", "[\n{]", "it is not JSON: expecting", "line 2, column 2"),
        ("o.jsonl", '{"task": "a"}\n{', "it is not JSON: expecting", "line 2, column 2"),
        ("o.json", "7", "expected a list of objects", None),
        ("o.json", '[\n1, "a"]', "expected a list of objects", "line 2"),
        ("o.yaml", "a: [", "", "line 1, column 5"),
        ("o.yaml", "#" * (MAX_YAML_CHARACTERS + 1), "it is larger than 1 MB", None),
        ("o.json", "[" * 100_000, "it is too large or nested too deeply", None),
    ],
)
def test_a_file_that_is_no_table_is_refused(
    path: str, text: str, reason: str, place: str | None
) -> None:
    with pytest.raises(ReadError) as refused:
        parsed(text, path)
    assert reason in refused.value.sentence and refused.value.code == "E_OUTCOMES"
    assert refused.value.place == place


def test_bytes_that_are_no_text_are_refused_with_their_place() -> None:
    with pytest.raises(ReadError) as refused:
        parse_csv(b"task\n\xff", origin())
    assert refused.value.place == "byte 5"
    rows = parse_csv("task,x\na,1\n".encode("utf-16"), origin())
    assert [cells.values for cells in rows] == [{"task": "a", "x": "1"}]


def test_a_row_of_another_width_costs_only_itself() -> None:
    rows, problems = parse_outcomes_file(b"task,outcome\none,pass,x\ntwo,fail\n", origin())
    assert [row.task for row in rows] == ["two"]
    assert [(p.place, p.reason) for p in problems] == [
        ("line 2", "It has 3 cells and the header has 2. The row is skipped.")
    ]


def test_numbers_have_a_comma_only_between_semicolons() -> None:
    rows, _ = parse_outcomes_file(b"task;speed\none;2,5\n", origin())
    assert [score.value for score in rows[0].scores] == [2.5]


def test_a_column_has_the_name_that_the_settings_give() -> None:
    settings = {"columns": {"task": "Case"}}
    assert parsed("Case,outcome\none,pass\n", settings=settings) == [(2, "one", "pass")]
    with pytest.raises(ReadError, match="task is in the column 'Case', which is not there"):
        parsed("task,outcome\none,pass\n", settings=settings)


def test_the_key_of_an_object_names_its_run_or_its_commit() -> None:
    assert parsed('{"a/1.json": {"outcome": "pass"}}') == [(1, "a/1.json", "pass")]
    assert parsed('{"0a1b2c3d": {"outcome": "pass"}}') == [(1, "0a1b2c3d", "pass")]
    hexadecimal = "0" * 32
    (row,), _ = parse_outcomes_file(
        f'{{"{hexadecimal}": {{"outcome": 1}}}}'.encode(), origin("o.json")
    )
    assert (row.id, row.path, row.uuid, row.commit) == (*[hexadecimal] * 3, None)


def test_one_object_is_a_row_where_it_or_its_path_names_a_run() -> None:
    assert parsed('{"task": "one", "outcome": "pass"}') == [(1, "one", "pass")]
    settings = {"columns": {"task": "about.task"}}
    assert parsed('{"about": {"task": "one"}, "outcome": "pass"}', settings=settings)
    assert parsed('{"outcome": "pass"}', defaults={"task": "one"}) == [(1, "one", "pass")]
    rows, _ = parse_outcomes_file(b'{"outcome": "pass"}', origin("o.json", runs=("page",)))
    assert rows[0].runs == ("page",) and rows[0].is_measurement
    with pytest.raises(ReadError, match="a sidecar is one object"):
        parsed("[]", "o.json", runs=("page",))


def test_what_is_no_object_among_rows_costs_only_itself() -> None:
    text = b'[{"task": "a", "outcome": 1}, 7, {"task": "b", "outcome": 0}]'
    rows, problems = parse_outcomes_file(text, origin("o.json"))
    assert [row.task for row in rows] == ["a", "b"]
    assert [problem.reason for problem in problems] == ["It is not an object. The row is skipped."]


def test_yaml_may_have_a_megabyte() -> None:
    assert MAX_YAML_CHARACTERS == 1_048_576
