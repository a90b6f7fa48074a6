"""Which files state outcomes, and what their places and paths say of their rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sitegen.config import Outcomes
from sitegen.masking.redact import Redactor
from sitegen.model import Entry, Problem
from sitegen.outcomes import find_files
from tests.collect.facts import entry
from tests.outcomes.sources import source


def run_at(location: str) -> Entry:
    run = entry(location)
    return replace(run, source=replace(run.source, location=location))


def item(path: str, **known: object) -> Outcomes:
    return Outcomes.model_validate({"path": path, **known})


def test_a_file_is_read_once_for_each_reference_by_the_first_item_that_fits(tmp_path: Path) -> None:
    for name in ("a_1.json", "b_1.json", "c.json", "c.meta.json"):
        (tmp_path / name).write_text("{}")
    folder = str(tmp_path)
    items = [
        item(folder, pattern="a_{attempt}.json"),
        item(folder, pattern="{task}_{attempt}.json"),
        item(folder, pattern="{task}_{attempt}.json", reference="human"),
    ]
    found = [(each.path, each.input) for each in find_files.find_named(items).sources]
    assert found == [("a_1.json", 0), ("b_1.json", 1), ("a_1.json", 2), ("b_1.json", 2)]
    assert [each.path for each in find_files.find_named([item(folder)]).sources] == [
        "a_1.json",
        "b_1.json",
        "c.json",
    ]


def test_a_pattern_fits_the_end_of_a_path() -> None:
    file = source("x/set_ogre/0a1b.json")
    assert find_files.match_path(file, None) == {}
    fields = find_files.match_path(file, "set_{agent}/{commit}.json")
    assert fields == {"agent": "ogre", "commit": "0a1b"}
    assert find_files.match_path(file, "{task}.csv") is None


def test_the_path_of_a_file_counts_before_its_settings() -> None:
    settings = item(
        "o", agent="A", model="M", attempt=2, factors={"skill": "s"}, pattern="{agent}.csv"
    )
    assert find_files.find_defaults(source("ogre.csv"), settings, Redactor()) == {
        "agent": "ogre",
        "model": "M",
        "skill": "s",
        "attempt": "2",
    }


@pytest.mark.parametrize(
    ("runs", "beside"),
    [
        (["/in/o.jsonl", "/in/b.json"], ["/in/o.jsonl"]),
        (["/in/a.json"], ["/in/a.json"]),
        (["/in/a.json", "/in/b.json"], []),
        (["/in/x/a.json"], ["/in/x/a.json"]),
        (["/in/x/a.json", "/in/y/a.json"], []),
        (["/in/o.csv", "/elsewhere/a.json"], []),
    ],
)
def test_a_file_is_about_the_run_beside_it(runs: list[str], beside: list[str]) -> None:
    assert find_files.runs_beside(source("o.csv"), list(map(run_at, runs))) == beside


def test_a_file_beside_no_run_and_a_pattern_without_files_are_reported(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    items = [item(str(tmp_path), beside=True), item(str(tmp_path), pattern="{task}.csv")]
    problems: list[Problem] = []
    named = find_files.find_named(items)
    assert not list(find_files.find_tables(items, named, [], Redactor(), problems))
    assert [each.path for each in problems] == ["a.json", tmp_path.name]
    assert problems[0].reason.startswith("It describes no run")
    assert problems[1].reason.startswith("The pattern {task}.csv matches none")


def test_a_sidecar_describes_the_runs_of_its_file(tmp_path: Path) -> None:
    for name in ("1.json", "1.meta.yaml", "2.meta.json", "3.meta.json", "4.meta.yml"):
        text = '{"outcome": "pass"}' if name == "3.meta.json" else "a: 1"
        (tmp_path / name).write_text(text)
    runs = [
        run_at(str(tmp_path / "1.json")),
        replace(run_at(str(tmp_path / "1.json")), id="second"),
    ]
    (sidecar,) = find_files.find_sidecars(runs, Redactor(), item("."))
    assert Path(sidecar.source.location).name == "1.meta.yaml"
    assert sidecar.runs == (runs[0].id, "second")
    others = find_files.find_named(
        [item(str(tmp_path / name)) for name in ("2.meta.json", "3.meta.json", "4.meta.yml")]
    )
    lost = find_files.report_lost_sidecars(others.sources, Redactor())
    assert [(each.path, each.reason) for each in lost] == [
        ("3.meta.json", "There is no run called 3 beside it."),
        ("4.meta.yml", "There is no run called 4 beside it."),
    ]


def test_sidecars_are_looked_for_among_all_files(tmp_path: Path) -> None:
    texts = {
        "a.json": "{}",
        "b.meta.yaml": "a: 1",
        "c.meta.json": '{"labels": ["x"]}',
        "d.meta.json": '{"started_at": "soon"}',
        "e.meta.json": '{"other": 1}',
        "f.meta.json": "no JSON",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    found = find_files.find_named([item(str(tmp_path / name)) for name in texts])
    lost = find_files.report_lost_sidecars(found.sources, Redactor())
    assert [each.path for each in lost] == ["b.meta.yaml", "c.meta.json", "d.meta.json"]


@pytest.mark.parametrize(
    ("name", "is_found"),
    [
        ("1.meta.yaml", True),
        ("1.meta.yml", True),
        ("1.meta.json", True),
        ("1.json.meta.yaml", True),
        ("1.json.gz.meta.yaml", True),
        ("2.meta.yaml", False),
        ("1.yaml", False),
    ],
)
def test_names_of_sidecars(name: str, is_found: bool, tmp_path: Path) -> None:
    for file in ("1.json.gz", name):
        (tmp_path / file).write_text("{}")
    runs = [run_at(str(tmp_path / "1.json.gz"))]
    found = list(find_files.find_sidecars(runs, Redactor(), item(".")))
    assert bool(found) is is_found


def test_a_run_that_is_called_like_a_sidecar_is_none(tmp_path: Path) -> None:
    for name in ("1.json", "1.meta.json"):
        (tmp_path / name).write_text("{}")
    runs = [run_at(str(tmp_path / name)) for name in ("1.json", "1.meta.json")]
    assert not list(find_files.find_sidecars(runs, Redactor(), item(".")))


def test_files_have_the_order_of_items_and_natural_order_and_no_sidecars(tmp_path: Path) -> None:
    for name in ("10.csv", "9.csv", "a.meta.yaml"):
        (tmp_path / name).write_text("task,outcome\n")
    items = [item(str(tmp_path)), item(str(tmp_path / "a.meta.yaml"))]
    found = [(each.path, each.input) for each in find_files.find_named(items).sources]
    assert found == [("9.csv", 0), ("10.csv", 0), ("a.meta.yaml", 0)]


def test_defaults_that_say_nothing_are_left_out() -> None:
    assert find_files.find_defaults(source("o.csv"), item("o"), Redactor()) == {}
    settings = item("o", campaign="May", attempt=0, pattern="{attempt}.csv")
    assert find_files.find_defaults(source("7.csv"), settings, Redactor()) == {
        "campaign": "May",
        "attempt": "7",
    }
    unnamed = item("o", attempt=0)
    assert find_files.find_defaults(source("o.csv"), unnamed, Redactor()) == {"attempt": "0"}


def test_tables_have_their_settings_and_patterns_without_files_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("task,outcome\n")
    items = [
        item(str(tmp_path), model="m"),
        item(str(tmp_path), pattern="{agent}.json"),
        item(str(tmp_path)),
    ]
    problems: list[Problem] = []
    named = find_files.find_named(items)
    (table,) = find_files.find_tables(items, named, [], Redactor(), problems)
    assert (table.file, table.settings, table.runs) == ("a.csv", items[0], ())
    assert table.defaults == {"model": "m"}
    (problem,) = problems
    assert (problem.path, problem.code, problem.reason) == (
        tmp_path.name,
        "W_OUTCOME_UNMATCHED",
        "The pattern {agent}.json matches none of the files in it that no earlier item reads.",
    )


def test_problems_of_the_files_are_masked(tmp_path: Path) -> None:
    token = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    (tmp_path / token).symlink_to("nowhere")
    items = [item(str(tmp_path / token))]
    problems: list[Problem] = []
    named = find_files.find_named(items)
    assert not list(find_files.find_tables(items, named, [], Redactor(), problems))
    (problem,) = problems
    assert problem.code == "E_READ" and token not in problem.path
    assert problem.path.startswith("[redacted")
