"""A field is on every surface that shows fields, without an edit of any of them."""

from __future__ import annotations

import csv
import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from sitegen import fields, load_runs
from sitegen.fields import FIELDS, fields_of, find_field
from sitegen.model import Entry
from sitegen.numbers.statistics import summarize
from sitegen.pages import data
from sitegen.pages.programs import data_readme
from sitegen.pages.run.view import run_view
from sitegen.pages.table.run_table import RunTable
from tests.support import campaigns
from tests.support.campaigns import result
from tests.support.command import sitegen

SETTINGS = """
title: Moods
inputs:
  - {path: runs, pattern: "{task}/{agent}/{attempt}.json"}
outcomes:
  - path: v.csv
    scores: {latency: {unit: ms, direction: lower, reference: human}}
verdicts:
  hard: {column: hard}
  soft: {column: soft}
  success: {all: [hard, soft], main: true}
quadrants: {of: [hard, soft], both: Fine, first: Luck, second: Intent, none: Miss}
observations: [mood]
task_table: tasks.csv
pages: [method.md]
gates:
  runs: {where: {mood: very calm}, max: 5}
"""
ROWS = [
    # task, agent, hard, soft, mood, latency
    ("t0", "crane", "pass", "pass", "very calm", 90),
    ("t0", "heron", "fail", "pass", "stormy", 120),
    ("t1", "crane", "pass", "fail", "stormy", 100),
    ("t1", "heron", "fail", "fail", "very calm", 130),
]
VALUES = {
    "verdict.hard": ["pass", "fail", "pass", "fail"],
    "quadrant": ["Fine", "Intent", "Luck", "Miss"],
    "observed.mood": ["very calm", "stormy", "stormy", "very calm"],
    "band.latency": ["better", "worse", "better", "worse"],
    "factor.area": ["north", "north", "south", "south"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with an observation, and its site."""
    folder = tmp_path_factory.mktemp("moods")
    runs = {f"{task}/{agent}/1.json": result(n) for n, (task, agent, *_) in enumerate(ROWS)}
    campaigns.write(folder / "runs", runs)
    verdicts = [f"runs/{row[0]}/{row[1]}/1.json,{','.join(map(str, row[2:]))}" for row in ROWS]
    head = "path,hard,soft,mood,latency"
    (folder / "v.csv").write_text("\n".join([head, *verdicts]), encoding="utf-8")
    (folder / "tasks.csv").write_text("task,human,area\nt0,100,north\nt1,110,south\n")
    (folder / "method.md").write_text(
        '# How\n\n{{ figure("success", mood="very calm") }}, {{ figure("verdict.hard") }}\n'
    )
    (folder / "config.yaml").write_text(SETTINGS, encoding="utf-8")
    done = sitegen("build", "-q", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def text_of(folder: Path, path: str) -> str:
    return (folder / "site" / path).read_text(encoding="utf-8")


def exported(folder: Path, name: str, *options: str) -> Path:
    done = sitegen("export", "--replace", "-o", name, *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / name


def test_data_files_exports_and_data_frames_have_it(folder: Path) -> None:
    as_json = json.loads(text_of(folder, "data/runs.json"))["runs"]
    as_csv = list(csv.DictReader(text_of(folder, "data/runs.csv").splitlines()))
    frame = load_runs(config=folder / "config.yaml").to_pandas()
    database = sqlite3.connect(exported(folder, "runs.sqlite"))
    readme, about = text_of(folder, "data/README.md"), text_of(folder, "about.html")
    for key, values in VALUES.items():
        assert [row[key] for row in as_json] == values
        assert [row[key] for row in as_csv] == values
        assert list(frame[key]) == values
        assert [value for (value,) in database.execute(f'SELECT "{key}" FROM runs')] == values  # noqa: S608
        assert f"`{key}`" in readme
        assert f"<code>{key}</code>" in about
    assert list(frame["reference.human"]) == [100, 100, 110, 110]
    markdown = exported(folder, "runs.md").read_text(encoding="utf-8")
    assert "| Hard | Soft |" in markdown and "| very calm |" in markdown
    records = exported(folder, "records.jsonl", "--format", "every-eval-ever")
    assert "verdict.hard" in records.read_text(encoding="utf-8")


def test_columns_are_chosen_by_key_or_short_name(folder: Path) -> None:
    chosen = exported(folder, "some.csv", "--columns", "agent, hard,observed.mood")
    assert chosen.read_text(encoding="utf-8").splitlines()[:2] == [
        "agent,verdict.hard,observed.mood",
        "crane,pass,very calm",
    ]
    done = sitegen("export", "-o", "x.csv", "--columns", "agent,colour", cwd=folder)
    assert done.returncode == 2 and "runs have no 'colour'" in done.stderr


def test_pages_have_it(folder: Path) -> None:
    run = text_of(folder, load_runs(config=folder / "config.yaml").to_dicts()[1]["page"])
    for words in ("hard", "soft", "Quadrant", "mood", "Human", "Area"):
        assert f"<dt>{words}</dt>" in run
    assert 'href="../index.html#verdict.hard=fail"' in run
    study = text_of(folder, "study.html")
    assert "&amp;quadrant=Luck" in study and "observed.mood=very+calm" in study
    index = text_of(folder, "index.html")
    assert 'data-facet="observed.mood"' in index and 'data-facet="verdict.hard"' in index
    assert 'data-facet="verdict.success"' not in index  # it divides runs as the outcome does
    rows = text_of(folder, "data/rows.js"), text_of(folder, "data/rows-further.js")
    assert "very calm" not in rows[0] and "very calm" in rows[1]
    task = next(folder.glob("site/tasks/t1-*.html")).read_text(encoding="utf-8")
    assert "<dt>Human</dt><dd>110</dd>" in task and "<dt>Area</dt><dd>south</dd>" in task
    assert "50%" in text_of(folder, "method.html")
    assert "verdict.hard" in text_of(folder, "data/figures.json")


def test_a_row_of_the_table_is_enough(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """A number that no surface knows is in data, pages and tables."""
    turns = next(field for field in FIELDS if field.key == "turns")
    shown = {"title": "Odd", "place": 999.0, "page": "facts", "about": "About it"}
    odd = replace(turns, key="odd", source="entry.number", **shown)
    monkeypatch.setattr(fields, "FIELDS", (*FIELDS, odd))
    runs = load_runs(config=folder / "config.yaml")
    entries: list[Entry] = list(runs)
    check = runs.prices.check(entries[0].run)
    assert runs.to_dicts()[0]["odd"] == 0 == runs.to_pandas()["odd"][0]
    assert b",odd\n" in next(data.rows_csv(data.rows(entries, lambda _: check)))
    assert "- `odd`: About it" in data_readme([], entries).decode()
    facts = run_view(entries[0], check, None, None).facts
    assert [(fact.label, fact.value) for fact in facts if fact.label == "Odd"] == [("Odd", "0")]
    table = RunTable(entries, summarize(entries), "index", "data/rows")
    assert any('\\"key\\":\\"odd\\"' in script.content.decode() for script in table.scripts())
    found = find_field(fields_of(entries), "odd")
    assert found is not None and found.is_summed and found.type == "whole"


def test_a_short_name_is_that_of_one_field() -> None:
    hard, other = (
        replace(FIELDS[0], key=key, place=1.0) for key in ("verdict.hard", "observed.hard")
    )
    assert find_field([hard], "hard") is hard
    assert find_field([hard, other], "hard") is None
    assert find_field([hard, other], "observed.hard") is other
