"""The cells, heads and columns of exported runs."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from sitegen.cli import formats
from sitegen.cli.formats import _chosen, _fitting, _head, _quoted, _sqlite, _written
from sitegen.config import Config
from sitegen.errors import ConfigError
from sitegen.fields import BUILT_IN, find_field

ROW: dict[str, Any] = {"token_gaps": [], "cost_bound": None}


@pytest.mark.parametrize(
    ("row", "key", "cell"),
    [
        ({"cost_usd": 1.23456}, "cost_usd", "1.2346"),
        ({"cost_usd": 0, "cost_bound": "lower"}, "cost_usd", "0.0000+"),
        ({"computed_cost_usd": 2.0}, "computed_cost_usd", "≈ 2.0000"),
        ({"computed_cost_usd": None}, "computed_cost_usd", "–"),
        ({"task": None}, "task", None),
        ({"task": "a" * 80}, "task", "a" * 80),
        ({"labels": ["a", "b"]}, "labels", "a, b"),
        ({"scores": {"speed": 1.5}}, "scores", "speed 1.50"),
        ({"total_tokens": 7}, "total_tokens", "7"),
        ({"total_tokens": 7, "token_gaps": ["x"]}, "total_tokens", "7+"),
        ({"turns": 3}, "turns", "3"),
    ],
)
def test_a_cell_is_written_with_its_marks(row: dict[str, Any], key: str, cell: str | None) -> None:
    assert _written(ROW | row, key) == cell


def test_a_long_text_is_cut() -> None:
    cut = _written(ROW | {"task": "a" * 81}, "task")
    assert cut is not None
    assert len(cut) == 80


def test_columns_are_fields_in_the_order_they_are_asked_for() -> None:
    assert [field.key for field in _chosen(BUILT_IN, " model, task ,,")] == ["model", "task"]
    assert _chosen(BUILT_IN, None) == []


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("task,modl", "--columns: runs have no 'modl', did you mean model"),
        ("qqqq", "--columns: runs have no 'qqqq'; data/README.md lists them."),
    ],
)
def test_a_column_that_runs_do_not_have_is_an_error(columns: str, message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        _chosen(BUILT_IN, columns)
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize(
    ("value", "fitting"),
    [
        (2**63 - 1, 9_223_372_036_854_775_807),
        (2**63, 9.223372036854775808e18),
        (-(2**63), -9.223372036854775808e18),
        ("a", "a"),
        (None, None),
    ],
)
def test_a_whole_number_beyond_64_bits_is_a_float(value: object, fitting: object) -> None:
    assert (type(_fitting(value)), _fitting(value)) == (type(fitting), fitting)


def test_a_name_is_quoted_for_sql() -> None:
    assert _quoted('a"b') == '"a""b"'


def test_records_need_a_verdict_or_a_score() -> None:
    with pytest.raises(ConfigError, match="no run has a verdict or a score; name files of"):
        formats.records([], Config())


def test_a_head_is_the_title_of_a_field_without_a_unit() -> None:
    task = find_field(BUILT_IN, "task")
    assert task is not None
    assert _head(task) == "Task"


def test_a_database_has_a_table_of_runs_and_of_each_list() -> None:
    field = find_field(BUILT_IN, "task")
    assert field is not None
    tables: dict[str, Any] = {name: [] for name in ("runs", *formats._SHAPES)}
    tables["runs"] = [{"id": "r1", "task": "t"}]
    tables["labels"] = [{"run_id": "r1", "label": "slow"}]
    database = sqlite3.connect(":memory:")
    database.deserialize(_sqlite(tables, [field]))
    assert database.execute("SELECT id, task FROM runs").fetchall() == [("r1", "t")]
    assert database.execute("SELECT run_id, label FROM labels").fetchall() == [("r1", "slow")]
    declared = {row[0]: row[1] for row in database.execute("SELECT name, sql FROM sqlite_master")}
    assert declared["runs"] == ('CREATE TABLE "runs" ("id" TEXT PRIMARY KEY NOT NULL, "task" TEXT)')
    assert declared["labels"] == (
        'CREATE TABLE "labels" ("run_id" TEXT NOT NULL REFERENCES runs (id), "label" TEXT)'
    )
    assert declared["labels_run_id"] == 'CREATE INDEX "labels_run_id" ON "labels" (run_id)'
    database.close()
