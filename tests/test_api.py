"""Runs for notebooks: the same as the data files of a site, from an import that stays light."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import sitegen
from sitegen import Entry, Run, Runs, fields, load_runs
from sitegen.errors import ConfigError
from sitegen.fields import BUILT_IN, FIELDS
from tests.support import campaigns, command
from tests.support.campaigns import result
from tests.support.secret_samples import ALNUM, Maker

pytestmark = pytest.mark.blank_charts


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return campaigns.write(
        tmp_path / "runs",
        {
            "task/a/1.json": result(1),
            "task/a/2.json": result(2),
            "broken.json": '{"type": "result", ',
        },
    )


def test_runs_are_a_sequence_by_path(folder: Path) -> None:
    runs = load_runs(folder)
    assert [entry.source.path for entry in runs] == ["task/a/1.json", "task/a/2.json"]
    assert isinstance(runs[0], Entry)
    assert isinstance(runs[0].run, Run)
    assert runs[-1] in runs
    assert isinstance(runs[:1], Runs)
    assert (len(runs), len(runs[:1]), runs[:1].problems) == (2, 1, runs.problems)


def test_masks_have_one_number_for_each_value(tmp_path: Path) -> None:
    maker = Maker(4)
    one, other = ("gh" + "p_" + maker.of(ALNUM, 36) for _ in "ab")
    found = {
        f"{n}.json": result(n, session_id=token) for n, token in enumerate((one, other, one), 1)
    }
    ids = [entry.run.session_id for entry in load_runs(campaigns.write(tmp_path, found))]
    assert ids == [f"[redacted: github token #{number}]" for number in (1, 2, 1)]


def test_dicts_are_those_of_the_data_file(folder: Path) -> None:
    runs = load_runs(folder)
    done = command.sitegen("build", "--no-config", folder, "-o", folder.parent / "site", "-q")
    assert done.returncode == 0, done.stderr
    written = json.loads(
        (folder.parent / "site" / "data" / "runs.json").read_text(encoding="utf-8")
    )["runs"]
    assert runs.to_dicts() == written
    assert list(runs.to_dicts()[0]) == [field.key for field in BUILT_IN]


def test_list_prices_are_those_of_the_settings(folder: Path) -> None:
    (folder.parent / "config.yaml").write_text(
        f"prices: {{{campaigns.SONNET}: {{input: 0, output: 0}}}}", encoding="utf-8"
    )
    rows = load_runs(folder, config=folder.parent / "config.yaml").to_dicts()
    assert [row["list_price_usd"] for row in rows] == [0, 0]


def test_what_cannot_be_read_is_a_problem_and_stops_nothing(folder: Path) -> None:
    assert [(problem.path, problem.code) for problem in load_runs(folder).problems] == [
        ("broken.json", "E_TRUNCATED")
    ]


def test_several_paths_are_read_together(folder: Path) -> None:
    runs = load_runs(str(folder / "task" / "a" / "1.json"), folder / "task" / "a" / "2.json")
    assert [entry.run.turns for entry in runs] == [4, 8]


def test_settings_name_inputs_tasks_and_outcomes(folder: Path) -> None:
    settings = folder.parent / "config.yaml"
    settings.write_text(
        "inputs:\n  - path: runs\n    pattern: '{task}/{model}/{attempt}.json'\noutcomes: [out.csv]\n",
        encoding="utf-8",
    )
    (folder.parent / "out.csv").write_text("path,outcome\ntask/a/1.json,pass\n", encoding="utf-8")
    runs = load_runs(config=settings)
    assert [(entry.task, entry.attempt, entry.outcome) for entry in runs] == [
        ("task", 1, "pass"),
        ("task", 2, None),
    ]
    assert [entry.task for entry in load_runs(folder, config=settings)] == ["task", "task"]
    assert [entry.task for entry in load_runs(folder / "task", config=settings)] == [None, None]


def test_nothing_named_is_an_error() -> None:
    with pytest.raises(ConfigError, match="name files"):
        load_runs()


def test_a_path_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        load_runs(tmp_path / "nowhere")


def test_a_path_of_the_settings_that_does_not_exist_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("title: x\ninputs: [nowhere]\ntheme: look\n", encoding="utf-8")
    with pytest.raises(
        ConfigError,
        match=r"[/\\]c\.yaml:2:10: 'inputs\.0', .*nowhere: there is no such file or folder\n",
    ):
        load_runs(config=tmp_path / "c.yaml")
    assert len(load_runs(tmp_path, config=tmp_path / "c.yaml")) == 0


def test_an_empty_folder_has_no_runs(tmp_path: Path) -> None:
    assert (len(load_runs(tmp_path)), load_runs(tmp_path).to_dicts()) == (0, [])


def test_everything_that_is_offered_is_there_and_nothing_else() -> None:
    assert all(getattr(sitegen, name) for name in sitegen.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = sitegen.nothing  # type: ignore[attr-defined]


def test_a_run_is_offered_without_any_heavy_library() -> None:
    code = "import sys; from sitegen import Run, Entry; print('yaml' in sys.modules, 'altair' in sys.modules)"
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    assert told.stdout.split() == ["False", "False"]


def test_a_table_of_pandas_has_types_moments_and_units(tmp_path: Path) -> None:
    dated = result(2, total_cost_usd=None)
    campaigns.write(tmp_path, {"runs/a.json": result(1), "runs/b.json": dated})
    campaigns.write(tmp_path, {"o.csv": "path,started_at,speed\na.json,2026-01-31T12:00:00Z,1.5\n"})
    campaigns.write(tmp_path, {"config.yaml": "inputs: [runs]\noutcomes: [o.csv]\n"})
    runs = load_runs(config=tmp_path / "config.yaml")
    table = runs.to_pandas()
    assert list(table.columns) == list(runs.to_dicts()[0])
    assert [str(table[key].dtype) for key in ("cost_usd", "turns", "score.speed", "model")] == [
        "Float64",
        "Int64",
        "Float64",
        "string",
    ]
    assert str(table["started_at"].dtype).endswith("UTC]")
    assert table["started_at"][0].isoformat() == "2026-01-31T12:00:00+00:00"
    assert list(table["cost_usd"].isna()) == [False, True]
    assert table.attrs["units"]["cost_usd"] == "US dollars"
    assert list(load_runs(tmp_path / "o.csv")[:0].to_pandas().columns)[:1] == ["id"]


def test_a_column_holds_what_it_states_whatever_its_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaigns.write(tmp_path, {"runs/a.json": result(1)})
    count = next(field for field in FIELDS if field.key == "turns")
    odd = replace(count, key="odd_name", kind="number", source="entry.number")
    monkeypatch.setattr(fields, "FIELDS", (*FIELDS, odd))
    table = load_runs(tmp_path / "runs").to_pandas()
    assert (str(table["odd_name"].dtype), list(table["odd_name"])) == ("Float64", [0.0])
