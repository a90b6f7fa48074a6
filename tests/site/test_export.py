"""`sitegen export`: the data of the runs in one file, masked as a site is, whole or not at all."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import jsonschema
import pytest

from sitegen.cli.commands import FORMATS
from sitegen.cli.formats import SCHEMA
from tests.conftest import ROOT, missing
from tests.site.test_build import rows
from tests.support import campaigns
from tests.support.campaigns import OPUS, SONNET, result
from tests.support.command import sitegen

pytestmark = [pytest.mark.slow, pytest.mark.blank_charts]

TOKEN = "gh" + "p_" + "R7kQ2mZx9LbW4tYc8NvH3sJd6FgA1pEo5uTi"
OUTCOMES = "path,outcome,speed,labels\na.json,pass,1.5,first\nb.json,fail,2,first;second\n"


def campaign(folder: Path) -> None:
    """Runs with outcomes, a score, labels, a masked value, a warning and a broken file."""
    files: dict[str, Any] = {
        "a.json": result(1, OPUS, SONNET),
        "b.json": result(2, result=f"## With {TOKEN}\n\n| a | b |"),
        "c.json": result(3, total_cost_usd=None),
        "d.json": '{"type": "result", "resu',
    }
    campaigns.write(folder / "runs", files)
    campaigns.write(
        folder, {"config.yaml": "inputs: [runs]\noutcomes: [o.csv]\n", "o.csv": OUTCOMES}
    )


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the campaign, its site, and its data in each format."""
    folder = tmp_path_factory.mktemp("export")
    campaign(folder)
    assert sitegen("build", cwd=folder).returncode == 0
    for form in FORMATS:
        done = sitegen("export", "--format", form, "-o", f"out/runs.{form}", cwd=folder)
        assert (done.returncode, done.stderr) == (0, "")
    return folder


def asked(exported: Path, query: str) -> list[Any]:
    """What the database answers."""
    with closing(sqlite3.connect(exported / "out" / "runs.sqlite")) as database:
        return database.execute(query).fetchall()


@pytest.mark.parametrize("form", ["csv", "json"])
def test_it_is_the_data_file_of_the_site(exported: Path, form: str) -> None:
    assert (exported / "out" / f"runs.{form}").read_bytes() == (
        exported / "site/data" / f"runs.{form}"
    ).read_bytes()


def test_parquet_holds_what_the_site_says_with_types(exported: Path) -> None:
    from pyarrow import parquet

    table = parquet.read_table(exported / "out" / "runs.parquet")
    site = rows(exported / "site")
    assert [{**run, "scores": None} for run in site] == [
        {**{key: run[key] for key in site[0] if key != "scores"}, "scores": None}
        for run in table.to_pylist()
    ]
    types = {
        name: str(table.schema.field(name).type)
        for name in ("cost_usd", "total_tokens", "labels", "started_at")
    }
    assert types["cost_usd"] == "double"
    assert types["total_tokens"] == "int64"
    assert types["labels"].startswith("list<")
    assert types["started_at"] == "timestamp[ms, tz=UTC]"


def test_without_pyarrow_parquet_says_what_to_install(tmp_path: Path) -> None:
    campaign(tmp_path)
    campaigns.write(tmp_path, {"none/pyarrow.py": "raise ImportError\n"})
    path = f"{tmp_path / 'none'}{os.pathsep}{ROOT}"
    done = subprocess.run(
        [sys.executable, "-m", "sitegen", "export", "--format", "parquet", "-o", "x.parquet"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 2
    assert done.stderr == "--format parquet needs pyarrow: pip install pyarrow.\n"
    assert not (tmp_path / "x.parquet").exists()


def test_the_database_holds_what_the_site_says(exported: Path) -> None:
    site = rows(exported / "site")
    assert asked(exported, "SELECT id, cost_usd, outcome, turns FROM runs ORDER BY path") == [
        (row["id"], row["cost_usd"], row["outcome"], row["turns"]) for row in site
    ]
    assert asked(
        exported, "SELECT r.path, s.name, s.value FROM scores s JOIN runs r ON r.id = s.run_id"
    ) == [
        ("a.json", "speed", 1.5),
        ("b.json", "speed", 2.0),
    ]
    assert asked(exported, "SELECT label, COUNT(*) FROM labels GROUP BY label") == [
        ("first", 2),
        ("second", 1),
    ]
    models = asked(
        exported,
        "SELECT model_id FROM models m JOIN runs r ON r.id = m.run_id WHERE r.path = 'a.json'",
    )
    assert [model for (model,) in models] == site[0]["model_ids"]
    assert asked(exported, "PRAGMA foreign_key_check") == []


def test_each_value_has_the_type_of_its_column(exported: Path) -> None:
    for (table,) in asked(exported, "SELECT name FROM sqlite_master WHERE type = 'table'"):
        for _, column, kind, *_ in asked(exported, f"PRAGMA table_info({table})"):
            types = f'SELECT DISTINCT typeof("{column}") FROM {table}'  # noqa: S608  names of our own
            found = {each for (each,) in asked(exported, types)}
            assert found <= {kind.lower(), "null"}, (table, column)


def test_the_documentation_names_every_table(exported: Path) -> None:
    section = (ROOT / "docs" / "export.md").read_text(encoding="utf-8").partition("## ")[2]
    documented = re.findall(r"^\| `(\w+)` \| ", section, re.MULTILINE)
    tables = asked(exported, "SELECT name FROM sqlite_master WHERE type = 'table'")
    assert {name for (name,) in tables} == set(documented)


def test_the_table_in_markdown_has_a_line_for_each_run(exported: Path) -> None:
    lines = (exported / "out" / "runs.markdown").read_text(encoding="utf-8").splitlines()
    assert lines[:3] == ["# Agent runs", "", "3 runs."]
    table = [line for line in lines if line.startswith("| ")]
    assert len(table) == 2 + 3
    assert "| Cost, USD | At list prices, USD |" in table[0]
    assert "| – | ≈ 0.0437 |" in table[-1]


def test_figures_are_marked_in_markdown_as_on_pages(tmp_path: Path) -> None:
    """Of a record that breaks off, and of one without a cost."""
    usage = {
        "input_tokens": 90,
        "cache_creation_input_tokens": 10,
        "cache_read_input_tokens": 5,
        "output_tokens": 7,
    }
    message = {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": SONNET,
        "content": [],
        "usage": usage,
    }
    cut = [
        {
            "type": "system",
            "subtype": "init",
            "session_id": "s",
            "model": SONNET,
            "cwd": "/w",
            "tools": [],
        },
        {"type": "assistant", "session_id": "s", "parent_tool_use_id": None, "message": message},
    ]
    lines = "".join(f"{json.dumps(line)}\n" for line in cut)
    campaigns.write(
        tmp_path / "runs",
        {"a.jsonl": lines, "b.json": result(3), "c.json": result(4, total_cost_usd=None)},
    )
    for name in ("x.md", "x.json"):
        assert sitegen("export", "runs", "-o", name, cwd=tmp_path).returncode == 0
    table = [
        line
        for line in (tmp_path / "x.md").read_text("utf-8").splitlines()
        if line.startswith("| ")
    ][:5]
    head, _, *told = [[cell.strip() for cell in line.strip("| ").split("|")] for line in table]
    runs = json.loads((tmp_path / "x.json").read_text("utf-8"))["runs"]
    assert {run["cost_bound"] for run in runs} == {"lower", "exact"} and any(
        run["token_gaps"] for run in runs
    )
    for run, cells in zip(runs, told, strict=True):
        shown = dict(zip(head, cells, strict=True))
        assert shown["Agent"] == run["agent"]
        assert shown["Tokens"].endswith("+") == bool(run["token_gaps"])
        costs = [shown["Cost, USD"], shown["At list prices, USD"]]
        assert [cost.startswith("≈ ") for cost in costs] == [
            False,
            run["computed_cost_usd"] is not None,
        ]
        assert any(cost.endswith("+") for cost in costs) == (run["cost_bound"] == "lower")


def test_the_ending_of_the_name_says_the_format(exported: Path, tmp_path: Path) -> None:
    campaign(tmp_path)
    for name, form in (("x.md", "markdown"), ("x.DB", "sqlite"), ("x.csv", "csv")):
        assert sitegen("export", "-o", name, cwd=tmp_path).returncode == 0
        assert (tmp_path / name).read_bytes() == (exported / "out" / f"runs.{form}").read_bytes()
    done = sitegen("export", "-o", "x.txt", cwd=tmp_path)
    assert done.returncode == 2
    assert (
        done.stderr
        == "-o x.txt: this name does not say the format. Add --format: csv, json, markdown, latex, sqlite, parquet, "
        "every-eval-ever, latex-macros.\n"
    )


@pytest.mark.parametrize("form", FORMATS)
def test_no_secret_is_in_it_and_two_exports_are_the_same(
    exported: Path, tmp_path: Path, form: str
) -> None:
    data = (exported / "out" / f"runs.{form}").read_bytes()
    assert TOKEN.encode() not in data
    if form not in ("every-eval-ever", "latex", "latex-macros"):  # these have no text of a run
        assert b"redacted" in data
    campaign(tmp_path)
    assert sitegen("export", "--format", form, "-o", "x", cwd=tmp_path).returncode == 0
    assert (tmp_path / "x").read_bytes() == data
    again = sitegen("export", "--format", form, "-o", "x", cwd=tmp_path)
    assert again.returncode == 0, "nothing is lost where the file is the same"


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (("-o", "mine.csv"), 2, "already exists"),
        (("-o", "runs/a.json", "--replace", "runs/a.json"), 2, "is an input"),
        (("-o", "runs"), 2, "is a link or not a file"),
        (("-o", "mine.csv/x", "--replace"), 4, "could not be written"),
        (("-o", "x", "empty"), 4, "no runs"),
    ],
)
def test_what_cannot_be_written_is_refused_and_nothing_changes(
    tmp_path: Path, arguments: tuple[str, ...], code: int, why: str
) -> None:
    campaigns.write(
        tmp_path, {"runs/a.json": result(1), "mine.csv": "years", "empty/x.png": "no run"}
    )
    given = arguments if {"empty", "runs/a.json"} & set(arguments) else (*arguments, "runs")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    done = sitegen("export", "--no-config", "--format", "csv", *given, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert why in done.stderr
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_counts_beyond_the_database_do_not_end_it(tmp_path: Path) -> None:
    campaigns.write(tmp_path / "runs", {"a.json": result(1, num_turns=10**30, duration_ms=10**400)})
    done = sitegen("export", "runs", "--format", "sqlite", "-o", "x", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


VALID = jsonschema.Draft7Validator(
    json.loads(
        (ROOT / "tests" / "fixtures" / "every-eval-ever.schema.json").read_text(encoding="utf-8")
    )
)


def test_real_records_of_every_eval_ever_fit_the_schema(shared: Path) -> None:
    (path,) = (shared / "more-runs" / "every-eval-ever").rglob("*.json")
    VALID.validate(json.loads(path.read_bytes()))


def test_records_of_every_eval_ever_have_the_figures_of_each_configuration(exported: Path) -> None:
    lines = (exported / "out" / "runs.every-eval-ever").read_text(encoding="utf-8").splitlines()
    groups = json.loads((exported / "site" / "data" / "figures.json").read_bytes())["groups"]
    figures = {each["name"]: each["figures"] for each in groups if each["by"] == "model"}
    found = {}
    for line in lines:
        record = json.loads(line)
        VALID.validate(record)
        for each in record["evaluation_results"]:
            name = each["evaluation_name"]
            told = figures[record["model_info"]["name"]][
                name if name == "success" else f"score.{name}"
            ]
            score = each["score_details"]
            assert score["score"] == told["estimate"]
            ends = score.get("uncertainty", {}).get("confidence_interval", {})
            if told["low"] is not None and told["high"] is not None:
                assert (ends["lower"], ends["upper"], score["uncertainty"]["num_samples"]) == (
                    told["low"],
                    told["high"],
                    told["n"],
                )
            else:
                assert ends == {}
            config = each["metric_config"]
            assert config["min_score"] <= score["score"] <= config["max_score"]
            found[record["model_info"]["name"], name] = score["score"]
    assert len(lines) == 2 and {name for _, name in found} == {"success", "speed"}


@pytest.fixture(scope="module")
def published_schema(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The schema in the wheel of the published package, which itself needs a later Python and much else."""
    folder = tmp_path_factory.mktemp("every-eval-ever")
    wanted = ("--no-deps", "--ignore-requires-python", "--only-binary=:all:")
    package = f"every-eval-ever=={SCHEMA}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", *wanted, "--dest", str(folder)]
    if subprocess.run([*command, package], capture_output=True, cwd=folder).returncode:
        missing("the package index cannot be reached")
    with ZipFile(next(folder.glob("*.whl"))) as wheel:
        schema: dict[str, Any] = json.loads(wheel.read("every_eval_ever/schemas/eval.schema.json"))
    return schema


def test_records_fit_the_schema_of_the_published_package(
    exported: Path, published_schema: dict[str, Any]
) -> None:
    validator = jsonschema.Draft7Validator(published_schema)
    lines = (exported / "out" / "runs.every-eval-ever").read_text("utf-8").splitlines()
    assert lines
    for line in lines:
        validator.validate(json.loads(line))
    record = json.loads(lines[0])
    assert record["schema_version"] == published_schema["version"]
    del record["model_info"]["additional_details"]["deployment_type"]
    assert not validator.is_valid(record)


def test_without_verdicts_and_scores_there_is_no_record(tmp_path: Path) -> None:
    campaigns.write(tmp_path / "runs", {"a.json": result(1)})
    done = sitegen(
        "export",
        "runs",
        "--no-config",
        "--format",
        "every-eval-ever",
        "-o",
        "x.jsonl",
        cwd=tmp_path,
    )
    assert done.returncode == 2 and "no run has a verdict or a score" in done.stderr
    assert not (tmp_path / "x.jsonl").exists()
