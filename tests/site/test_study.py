"""A study: factors and their roles, configurations, several verdicts, properties of tasks, references, exclusions."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from sitegen.numbers.verdicts import agreement, interaction_p
from tests.support import campaigns, site_checks
from tests.support.campaigns import result, usage
from tests.support.command import sitegen

if TYPE_CHECKING:
    from playwright.sync_api import Page

SETTINGS = """
title: Kernels
inputs:
  - {path: runs, pattern: "{area}/{task}/{agent}/{model}/{attempt}.json"}
names: {agent: {crane: The Crane}}
outcomes:
  - path: judged.csv
    scores: {gain: {unit: x, direction: higher, scale: ratio, reference: expert_gain, band: 10 %}}
verdicts:
  fast: {column: fast}
  right: {column: right, pass: ["on target", "nearly"]}
  done: {all: [fast, right], main: true}
  level: {score: gain, min: 0.9, of: expert_gain}
quadrants: {of: [fast, right], both: Good, first: Luck, second: Effort, none: Miss}
observations: [way]
excluded: left_out
task_table: tasks.csv
properties: {size: {cut: [10, 20]}}
"""
AGENTS = (("crane", "m-one"), ("crane", "m-two"), ("heron", "m-one"))
Study = list[dict[str, str]]


def rows_of(seed: int) -> Study:
    """Facts of an invented study, a row for each run."""
    draw = random.Random(seed)  # noqa: S311
    found = []
    for number in range(12):
        task = {
            "task": f"t{number}",
            "area": "north" if number < 7 else "south",
            "size": str(5 + 2 * number),
        }
        task["expert_gain"] = str(round(1 + draw.random(), 2))
        for agent, model in AGENTS:
            for attempt in ("1", "2"):
                gain = "" if draw.random() < 0.1 else str(round(0.8 + draw.random(), 3))
                row = {"agent": agent, "model": model, "attempt": attempt, "gain": gain}
                row["fast"] = draw.choice(("pass", "fail", "pass", ""))
                row["right"] = draw.choice(("on target", "nearly", "beside it"))
                row["way"] = draw.choice(("cache", "batch", "kernel"))
                row["left_out"] = "wrong model" if draw.random() < 0.1 else ""
                found.append({**task, **row})
    return found


def spent(model: str, number: int) -> dict[str, dict[str, float]]:
    return {model: {**usage(campaigns.SONNET, number)}}


def path_of(row: Mapping[str, str]) -> str:
    return "/".join(
        (
            "runs",
            *(row[name] for name in ("area", "task", "agent", "model")),
            f"{row['attempt']}.json",
        )
    )


def csv_of(rows: Iterable[Mapping[str, str]], columns: Sequence[str]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def written(folder: Path, rows: Study, settings: str = SETTINGS) -> Path:
    """A folder with the files of the study."""
    for number, row in enumerate(rows, 1):
        path = folder / path_of(row)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(result(number, modelUsage=spent(row["model"], number))))
    of_runs = [{**row, "path": path_of(row)} for row in rows]
    columns = ("path", "fast", "right", "way", "gain", "left_out")
    (folder / "judged.csv").write_text(csv_of(of_runs, columns))
    (folder / "tasks.csv").write_text(
        csv_of({row["task"]: row for row in rows}.values(), ("task", "size", "expert_gain"))
    )
    (folder / "config.yaml").write_text(settings)
    return folder


def table(folder: Path, name: str, form: str = "csv") -> list[dict[str, str]]:
    output = folder / f"out-{name}.{form}"
    ran = sitegen(
        "export", "--table", name, "--format", form, "-o", output.name, "--replace", cwd=folder
    )
    assert ran.returncode == 0, ran.stderr
    return list(csv.DictReader(io.StringIO(output.read_text("utf-8"))))


def passed(row: Mapping[str, str], verdict: str) -> bool | None:
    """The verdict of a run, as a reader of the settings would find it."""
    fast = {"pass": True, "fail": False}.get(row["fast"])
    right = row["right"] in ("on target", "nearly")
    if verdict == "level":
        return float(row["gain"]) >= 0.9 * float(row["expert_gain"]) if row["gain"] else None
    both = False if fast is False or not right else None if fast is None else True
    return {"fast": fast, "right": right, "done": both}[verdict]


def band(row: Mapping[str, str]) -> str:
    if not row["gain"]:
        return "no score"
    ratio = float(row["gain"]) / float(row["expert_gain"])
    return "better" if ratio > 1.1 else "worse" if ratio < 0.9 else "level"


def quadrant(row: Mapping[str, str]) -> str | None:
    both = (passed(row, "fast"), passed(row, "right"))
    names = {
        (True, True): "Good",
        (True, False): "Luck",
        (False, True): "Effort",
        (False, False): "Miss",
    }
    return names.get(both)  # type: ignore[arg-type]


def who(row: Mapping[str, str]) -> tuple[str, str]:
    return {"crane": "The Crane"}.get(row["agent"], row["agent"]), row["model"]


def size(row: Mapping[str, str]) -> str:
    number = float(row["size"])
    return "below 10" if number < 10 else "from 20" if number >= 20 else "10 to below 20"


def shares(
    rows: Study, key: Callable[[Mapping[str, str]], object], verdict: str
) -> dict[object, tuple[int, int]]:
    known = [(key(row), one) for row in rows if (one := passed(row, verdict)) is not None]
    judged, good = Counter(each for each, _ in known), Counter(each for each, one in known if one)
    return {each: (good[each], count) for each, count in judged.items()}


def found_shares(rows: Sequence[Mapping[str, str]], *names: str) -> dict[object, tuple[int, int]]:
    return {
        tuple(row[name] for name in ("agent", "model", *names)): (
            int(row["passed"]),
            int(row["judged"]),
        )
        for row in rows
        if int(row["judged"])
    }


def found_counts(rows: Sequence[Mapping[str, str]], name: str) -> Counter[tuple[str, ...]]:
    return Counter(
        {
            (row["agent"], row["model"], row[name]): int(row["runs"])
            for row in rows
            if row["runs"] != "0"
        }
    )


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.nightly)])
def test_tables_are_what_a_count_of_the_files_gives(seed: int, tmp_path: Path) -> None:
    rows = rows_of(seed)
    random.Random(seed).shuffle(rows)  # noqa: S311
    folder = written(tmp_path, rows)
    assert {
        (row["agent"], row["model"]): int(row["runs"]) for row in table(folder, "configurations")
    } == Counter(map(who, rows))
    verdicts = table(folder, "verdicts")
    for name in ("fast", "right", "done", "level"):
        assert found_shares([row for row in verdicts if row["verdict"] == name]) == shares(
            rows, who, name
        ), name
    assert found_shares(table(folder, "success-by-area"), "area") == shares(
        rows, lambda row: (*who(row), row["area"]), "done"
    )
    assert found_shares(table(folder, "success-by-size"), "size") == shares(
        rows, lambda row: (*who(row), size(row)), "done"
    )
    quadrants = Counter((*who(row), found) for row in rows if (found := quadrant(row)))
    assert found_counts(table(folder, "quadrants"), "quadrant") == quadrants
    assert found_counts(table(folder, "observations-way"), "value") == Counter(
        (*who(row), row["way"]) for row in rows
    )
    assert found_counts(table(folder, "reference-gain"), "band") == Counter(
        (*who(row), band(row)) for row in rows
    )
    kept = [row for row in rows if not row["left_out"]]
    assert found_shares(table(folder, "excluded")) == shares(kept, who, "done")


KEYS = ("task", "agent", "model", "attempt")
SAID = ("fast", "right", "way", "gain", "left_out")


def objects(rows: Study) -> list[dict[str, Any]]:
    """The rows as another program would write them: nested, with names that pages show."""
    return [
        {
            **{key: row[key] for key in KEYS},
            "agent": who(row)[0],
            "verdict": {name: row[name] or None for name in ("fast", "right")},
            "measured": {"x": {"gain": float(row["gain"]) if row["gain"] else None}},
            "way": row["way"],
            "left_out": bool(row["left_out"]),
        }
        for row in rows
    ]


def in_columns(folder: Path, rows: Study) -> list[Any]:
    of_runs = [{**row, "path": path_of(row)} for row in rows]
    (folder / "a.csv").write_text(csv_of(of_runs, ("right", "path", "gain")))
    (folder / "b.csv").write_text(csv_of(reversed(of_runs), ("left_out", "way", "fast", "path")))
    return ["a.csv", "b.csv"]


def in_rows(folder: Path, rows: Study) -> list[Any]:
    for name, some in (("a.csv", rows[::2]), ("b.csv", rows[1::2])):
        text = csv_of(some, (*SAID, *KEYS) if name == "a.csv" else (*KEYS, *SAID))
        (folder / name).write_text(text.replace("agent", "Agent", 1).replace("task", "TASK", 1))
    return ["*.csv"]


def in_json(folder: Path, rows: Study) -> list[Any]:
    (folder / "all.json").write_text(json.dumps(objects(rows)))
    return ["all.json"]


def in_lines(folder: Path, rows: Study) -> list[Any]:
    (folder / "all.jsonl").write_text("\n".join(map(json.dumps, objects(rows))))
    return ["all.jsonl"]


def in_files(folder: Path, rows: Study) -> list[Any]:
    for number, each in enumerate(objects(rows)):
        (folder / f"of-{number}.json").write_text(json.dumps(each))
    return [{"path": "of-*.json"}]


def in_paths(folder: Path, rows: Study) -> list[Any]:
    for row, each in zip(rows, objects(rows), strict=True):
        path = (
            folder
            / "judged"
            / row["agent"]
            / f"{row['task']}_{row['attempt']}_of_{row['model']}.json"
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({key: value for key, value in each.items() if key not in KEYS}))
    return [{"path": "judged", "pattern": "{agent}/{task}_{attempt}_of_{model}.json"}]


def in_sidecars(folder: Path, rows: Study) -> list[Any]:
    for row, each in zip(rows, objects(rows), strict=True):
        path = (folder / path_of(row)).with_suffix(".meta.json")
        path.write_text(json.dumps({key: value for key, value in each.items() if key not in KEYS}))
    return []


@pytest.mark.parametrize(
    "form", [in_columns, in_rows, in_json, in_lines, in_files, in_paths, in_sidecars]
)
def test_tables_are_the_same_whatever_form_the_verdicts_have(
    form: Callable[[Path, Study], list[Any]], tmp_path: Path
) -> None:
    """One table or two, by path or by task, of names in paths or on pages, nested or not; and the order is nothing."""
    rows = rows_of(21)
    random.Random(3).shuffle(rows)  # noqa: S311
    folder = written(tmp_path, rows)
    (folder / "judged.csv").unlink()
    outcomes = form(folder, rows)
    table_of_tasks = folder / "tasks.csv"
    table_of_tasks.rename(folder / "tasks.tab")
    settings = yaml.safe_load(SETTINGS)
    settings["task_table"] = "tasks.tab"
    (meanings,) = [item["scores"] for item in settings["outcomes"]]
    settings["outcomes"] = outcomes
    if form not in (in_columns, in_rows):
        meanings["gain"]["columns"] = ["measured.x.gain"]
        for name in ("fast", "right"):
            settings["verdicts"][name]["column"] = f"verdict.{name}"
    settings["scores"] = meanings
    if not outcomes:
        del settings["outcomes"]
    (folder / "config.yaml").write_text(yaml.safe_dump(settings, sort_keys=False))
    verdicts = table(folder, "verdicts")
    for name in ("fast", "right", "done", "level"):
        assert found_shares([row for row in verdicts if row["verdict"] == name]) == shares(
            rows, who, name
        ), name
    assert found_counts(table(folder, "observations-way"), "value") == Counter(
        (*who(row), row["way"]) for row in rows
    )
    assert found_counts(table(folder, "reference-gain"), "band") == Counter(
        (*who(row), band(row)) for row in rows
    )
    kept = [row for row in rows if not row["left_out"]]
    assert found_shares(table(folder, "excluded")) == shares(kept, who, "done")
    ran = sitegen("check", "--json", cwd=folder)
    assert json.loads(ran.stdout)["warnings"] == []


def test_its_page_shows_every_table_and_links_to_it(tmp_path: Path) -> None:
    folder = written(tmp_path, rows_of(3))
    ran = sitegen("build", "--no-cache", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    page = (folder / "site/study.html").read_text("utf-8")
    for name in (
        "configurations",
        "success-by-area",
        "success-by-size",
        "verdicts",
        "quadrants",
        "observations-way",
    ):
        assert f'id="{name}"' in page
        assert (folder / f"site/data/study-{name}.csv").read_bytes() == (
            table(folder, name) and (folder / f"out-{name}.csv").read_bytes()
        )
        latex = (folder / f"site/data/study-{name}.tex").read_text("utf-8")
        assert latex.startswith("% Needs ") and latex.count(r"\begin{tabular}") == 1
    assert "The Crane · m-one" in page and "heron · m-one" in page
    assert site_checks.parsed(folder / "site/study.html")
    rows = json.loads((folder / "site/data/runs.json").read_text("utf-8"))["runs"]
    assert {row["agent"] for row in rows} == {"The Crane", "heron"}


def test_two_agents_with_one_model_are_never_one_row(tmp_path: Path) -> None:
    """Nor are two runs of one name, on any page that lists them."""
    folder = written(tmp_path, rows_of(10))
    assert sitegen("build", "--no-cache", cwd=folder).returncode == 0
    runs = json.loads((folder / "site/data/runs.json").read_text("utf-8"))["runs"]
    assert len({run["name"] for run in runs}) == len(runs) == 72
    groups = json.loads((folder / "site/data/figures.json").read_text("utf-8"))["groups"]
    compared = {each["name"]: each["runs"] for each in groups if each["by"] == "configuration"}
    assert compared == {"The Crane · m-one": 24, "The Crane · m-two": 24, "heron · m-one": 24}
    index = (folder / "site/index.html").read_text("utf-8")
    assert all(name in index for name in compared)
    assert "by share passed" in index, "a score leaves failures out"
    assert 'passed means <a href="study.html#verdicts">fast and right</a>' in index
    of_crane = re.search(
        'data-name="The Crane · m-one".*?data-label="north"><strong>.*?<small>(.*?)<', index
    )
    own = [
        row
        for row in rows_of(10)
        if (row["agent"], row["model"], row["area"]) == ("crane", "m-one", "north")
    ]
    judged = [each for row in own if (each := passed(row, "done")) is not None]
    assert of_crane and of_crane[1] == f"{sum(judged)} of {len(judged)}"


@pytest.mark.parametrize(
    "agents", [AGENTS, (("claude", "claude-sonnet-4-5"), ("heron", "claude-sonnet-4-5"))]
)
def test_scripts_tell_configurations_apart(
    agents: tuple[tuple[str, str], ...], tmp_path: Path, page: Page
) -> None:
    """In the table, on the leaderboard and in legends."""
    names = dict(zip(AGENTS, agents, strict=False))
    rows = [dict(row) for row in rows_of(12) if (row["agent"], row["model"]) in names]
    for row in rows:
        row["agent"], row["model"] = names[row["agent"], row["model"]]
    assert sitegen("build", "-o", "site", cwd=written(tmp_path, rows)).returncode == 0
    runs = json.loads((tmp_path / "site/data/runs.json").read_text("utf-8"))["runs"]
    page.goto((tmp_path / "site" / "index.html").as_uri())
    page.locator("#filter").wait_for()
    page.evaluate("sitegenTable.filter({ outcome: ['pass'] })")
    page.locator("#leaderboard .base").wait_for()
    shown = page.locator("table[data-rows] tbody th a").evaluate_all(
        "all => all.map((a) => [a.getAttribute('href'), a.textContent])"
    )
    passed_runs = {run["page"]: run["name"] for run in runs if run["outcome"] == "pass"}
    assert dict(shown) == passed_runs
    legend = page.locator(".legend button").first
    legend.click()
    page.wait_for_function(
        f"document.querySelectorAll('table[data-rows] tbody th a').length < {len(passed_runs)}"
    )
    assert page.evaluate("sitegenTable.state().configuration") == [legend.text_content().strip()]


@pytest.mark.parametrize(
    "rows", [rows_of(11)[:2], [row for row in rows_of(11) if row["agent"] == "crane"]]
)
def test_models_alone_name_runs_where_they_tell_them_apart(rows: Study, tmp_path: Path) -> None:
    folder = written(tmp_path, rows)
    assert sitegen("build", "--no-cache", cwd=folder).returncode == 0
    names = [
        run["name"]
        for run in json.loads((folder / "site/data/runs.json").read_text("utf-8"))["runs"]
    ]
    assert (
        not any("Crane" in name for name in names) and not (folder / "site/configurations").exists()
    )


def test_a_text_of_a_table_is_only_ever_text(tmp_path: Path) -> None:
    rows = rows_of(4)
    for row in rows:
        row["way"] = "<img src=x onerror=alert(1)>" if row["way"] == "cache" else "=1+1"
    folder = written(tmp_path, rows)
    assert sitegen("build", "--no-cache", cwd=folder).returncode == 0
    page = (folder / "site/study.html").read_text("utf-8")
    assert "<img src=x" not in page and "&lt;img src=x" in page
    assert {row["value"] for row in table(folder, "observations-way")} == {
        "<img src=x onerror=alert(1)>",
        "'=1+1",
    }


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"{column: fast}": "{column: fats}"},
            "verdicts: fast: no outcomes file has the column 'fats'",
        ),
        (
            {', pass: ["on target", "nearly"]': ""},
            "are not known outcomes (72 runs); list the words",
        ),
        (
            {'"on target"': '"on taget"'},
            "verdicts: right: no run has 'on taget' in the column 'right', which has '",
        ),
        (
            {"{size: {cut: [10, 20]}}": "{area: {cut: [1]}}"},
            "properties: area: no number is in 'north', 'south'",
        ),
        ({SETTINGS: "inputs: [runs]\noutcomes: [judged.csv]"}, "outcomes: 4 columns ("),
        (
            {"observations: [way]": "observations: [weg]"},
            "observations: no outcomes file has the column 'weg'.",
        ),
        (
            {"excluded: left_out": "excluded: out"},
            "excluded: no outcomes file has the column 'out'.",
        ),
        ({"{size: {cut": "{sise: {cut"}, "properties: neither paths nor tables have 'sise'"),
        (
            {"task_table: tasks.csv": "task_table: tasks.csv\ngates: {runs: {min: 1, by: sise}}"},
            "gates: runs: neither paths nor tables have 'sise'",
        ),
        (
            {"reference: expert_gain": "reference: expert"},
            "scores: gain: neither paths nor tables have 'expert'",
        ),
    ],
)
def test_settings_that_come_to_nothing_are_said(
    change: dict[str, str], said: str, tmp_path: Path
) -> None:
    settings = SETTINGS
    for old, new in change.items():
        assert old in settings
        settings = settings.replace(old, new)
    ran = sitegen("check", cwd=written(tmp_path, rows_of(5), settings))
    assert said in ran.stdout + ran.stderr


def test_another_model_in_the_path_is_said_with_its_count_and_kept_as_a_label(
    tmp_path: Path,
) -> None:
    """The file counts; shorter names of one model, and words for none, are no other."""
    names = ("gpt-5", "sonnet-45", "claude-sonnet-4-5", "default", "opus", "sonnet")
    for number, name in enumerate(names, 1):
        path = tmp_path / "runs" / f"t{number}" / name / "1.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(result(number, campaigns.SONNET)))
    (tmp_path / "config.yaml").write_text(
        'inputs: [{path: runs, pattern: "{task}/{model}/{attempt}.json"}]\n'
    )
    ran = sitegen("check", cwd=tmp_path)
    assert "another model than the files of 2 runs, such as 'gpt-5' of" in ran.stdout + ran.stderr
    assert sitegen("build", "--no-cache", cwd=tmp_path).returncode == 0
    runs = json.loads((tmp_path / "site/data/runs.json").read_text("utf-8"))["runs"]
    assert {run["model"] for run in runs} == {"Claude Sonnet 4.5"}
    assert [run["labels"] for run in runs] == [["gpt-5"], [], [], [], ["opus"], []]


def test_check_says_the_role_of_each_factor(tmp_path: Path) -> None:
    said = sitegen("check", cwd=written(tmp_path, rows_of(6))).stdout
    roles = dict(
        line.removeprefix("factor").strip().split(": ", 1)
        for line in said.splitlines()
        if line.startswith("factor")
    )
    assert {name: role.partition(" ")[0] for name, role in roles.items()} == {
        "agent": "configuration",
        "model": "configuration",
        "area": "property",
        "size": "property",
        "expert_gain": "tag",
        "way": "observation",
    }


def test_a_task_table_has_properties_whatever_the_paths_say_and_its_first_row_of_a_task_counts(
    tmp_path: Path,
) -> None:
    """Also with one run of each task, which alone would not tell; a zero excludes no run, however it is written."""
    rows = [dict(row) for row in rows_of(7) if row["agent"] == "crane" and row["model"] == "m-one"][
        ::2
    ]
    for row in rows:
        row["left_out"] = "0.0"
    settings = SETTINGS.replace("{area}/{task}/{agent}/{model}/{attempt}", "*/{task}/*/*/{attempt}")
    folder = written(tmp_path, rows, settings)
    with (folder / "tasks.csv").open("a", encoding="utf-8") as tasks:
        tasks.write("T3,99,1.5\n")
    ran = sitegen("check", cwd=folder)
    assert "size: property" in ran.stdout and "expert_gain: tag" in ran.stdout, ran.stderr
    assert "'T3' is in an earlier row" in ran.stderr + ran.stdout
    assert len(table(folder, "configurations")) == 1
    (whole,) = table(folder, "excluded")
    (done,) = [row for row in table(folder, "verdicts") if row["verdict"] == "done"]
    assert (whole["passed"], whole["judged"]) == (done["passed"], done["judged"])


def test_a_factor_that_differs_within_a_task_is_part_of_the_configuration(tmp_path: Path) -> None:
    """And so it is if nothing tells; the settings have the last word."""
    settings = """
inputs: [{path: runs, pattern: "{area}/{task}/{agent}/{model}/{attempt}.json"}]
factors: {area: %s}
"""
    rows = [dict(row, area=row["attempt"]) for row in rows_of(7)]
    folder = written(tmp_path, rows, settings.replace("factors: {area: %s}", ""))
    assert {row["area"] for row in table(folder, "configurations")} == {"1", "2"}
    (folder / "config.yaml").write_text(settings % "tag")
    assert "area" not in table(folder, "configurations")[0]


@pytest.mark.parametrize(
    "bad", ["{column: a, score: b, min: 1}", "{}", "{score: gain}", "{columns: a}"]
)
def test_a_verdict_has_one_source(bad: str, tmp_path: Path) -> None:
    folder = written(tmp_path, rows_of(8)[:6], SETTINGS.replace("{column: fast}", bad))
    ran = sitegen("check", cwd=folder)
    assert ran.returncode == 2 and "fast: " in ran.stderr


def test_a_table_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    folder = written(tmp_path, rows_of(9)[:12])
    ran = sitegen("export", "--table", "verdict", "--format", "csv", "-o", "x.csv", cwd=folder)
    assert ran.returncode != 0 and "verdicts" in ran.stderr and not (folder / "x.csv").exists()


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"all: [fast, right]": "all: [done]"}, "needs itself"),
        ({"all: [fast, right]": "all: [fast, rihgt]"}, "there is no verdict 'rihgt'"),
        ({"of: [fast, right]": "of: [fast, rihgt]"}, "there is no verdict 'rihgt'"),
        ({"{column: fast}": "{column: fast, main: true}"}, "only one verdict can be `main`"),
        ({"second: Effort": "second: Luck"}, "four different names"),
    ],
)
def test_verdicts_that_cannot_be_are_errors_of_the_settings(
    bad: dict[str, str], said: str, tmp_path: Path
) -> None:
    settings = SETTINGS
    for old, new in bad.items():
        settings = settings.replace(old, new)
    ran = sitegen("check", cwd=written(tmp_path, rows_of(8)[:6], settings))
    assert ran.returncode == 2 and said in ran.stderr, ran.stderr


def test_a_pack_of_a_study_has_its_tables(tmp_path: Path) -> None:
    folder = written(tmp_path, rows_of(12))
    assert sitegen("pack", "-o", "study.zip", cwd=folder).returncode == 0
    alone = tmp_path / "alone"
    alone.mkdir()
    (folder / "study.zip").rename(alone / "study.zip")
    for name in ("verdicts", "quadrants", "success-by-size", "excluded", "reference-gain"):
        ran = sitegen("export", "study.zip", "--table", name, "-o", f"{name}.csv", cwd=alone)
        assert ran.returncode == 0, ran.stderr
        table(folder, name)
        assert (alone / f"{name}.csv").read_bytes() == (folder / f"out-{name}.csv").read_bytes()


def planned(folder: Path, *arguments: str) -> tuple[list[dict[str, Any]], str]:
    """What `check --json` lists as missing, and the line of the first page of a site."""
    ran = sitegen("check", *arguments, "--json", cwd=folder)
    missing: list[dict[str, Any]] = json.loads(ran.stdout)["missing"]
    assert sitegen("build", *arguments, "--no-cache", cwd=folder).returncode in (0, 3)
    found = re.search('<p class="meta">(.*)</p>', (folder / "site/index.html").read_text("utf-8"))
    assert found
    return missing, found[1]


def test_planned_runs_that_are_missing_are_counted_listed_and_limited(tmp_path: Path) -> None:
    """Also in the site of a pack; of a task that has no run, all of them are missing."""
    rows = rows_of(17)
    lost = [
        row
        for row in rows
        if row["task"] == "t3" or (row["agent"] == "heron" and row["attempt"] == "1")
    ]
    rest = [row for row in rows if row not in lost]
    folder = written(tmp_path, rest, SETTINGS + "attempts: 2\ngates: {missing: {max: 3}}\n")
    (folder / "tasks.csv").write_text(
        csv_of({row["task"]: row for row in rows}.values(), ("task", "size", "expert_gain"))
    )
    missing, meta = planned(folder)
    names = {"crane": "The Crane", "heron": "heron"}
    assert sorted(
        (each["task"], each["configuration"], each["attempt"]) for each in missing
    ) == sorted(
        (row["task"], f"{names[row['agent']]} · {row['model']}", int(row["attempt"]))
        for row in lost
    )
    assert f"{len(lost)} planned runs missing" in meta
    assert sitegen("build", "--no-cache", cwd=folder).returncode == 3
    assert sitegen("pack", "-o", "alone/study.zip", cwd=folder).returncode in (0, 3)
    assert planned(folder / "alone", "study.zip") == (missing, meta)
    (folder / "config.yaml").write_text(SETTINGS + "gates: {missing: {max: 3}}\n")
    ran = sitegen("build", "--no-cache", cwd=folder)
    assert ran.returncode == 3 and "attempts" in ran.stderr, "without a plan nothing is proven"


def test_columns_with_a_meaning_of_their_own_can_be_observed_and_judged(tmp_path: Path) -> None:
    rows = rows_of(18)
    settings = SETTINGS.replace("observations: [way]", "observations: [note]").replace(
        "column: fast", "column: outcome"
    )
    folder = written(tmp_path, rows, settings)
    of_runs = [
        {**row, "path": path_of(row), "note": row["way"], "outcome": row["fast"]} for row in rows
    ]
    columns = ("path", "outcome", "right", "note", "gain", "left_out")
    (folder / "judged.csv").write_text(csv_of(of_runs, columns))
    ran = sitegen("check", cwd=folder)
    assert "no outcomes file has the column" not in ran.stdout + ran.stderr
    assert found_counts(table(folder, "observations-note"), "value") == Counter(
        (*who(row), row["way"]) for row in rows
    )
    verdicts = table(folder, "verdicts")
    assert found_shares([row for row in verdicts if row["verdict"] == "fast"]) == shares(
        rows, who, "fast"
    )


def test_excluded_runs_are_listed_with_reasons_and_tasks_with_references(tmp_path: Path) -> None:
    rows = rows_of(19)
    folder = written(tmp_path, rows)
    assert sitegen("build", "--no-cache", cwd=folder).returncode == 0
    page = (folder / "site/study.html").read_text("utf-8")
    listed = page.partition('id="excluded-runs"')[2].partition("</section>")[0]
    assert (
        listed.count("<strong data-untrusted>wrong model<")
        == sum(row["left_out"] != "" for row in rows)
        > 0
    )
    of_tasks = page.partition('id="reference-gain-tasks"')[2].partition("</section>")[0]
    assert of_tasks.count('<th scope="row"') == len({row["task"] for row in rows if row["gain"]})


def test_costs_of_two_bases_are_never_compared(tmp_path: Path) -> None:
    """Unless `cost_basis: list` prices all runs by one table, whatever their files report."""
    rows = [row for row in rows_of(20) if row["model"] == "m-one"]
    folder = written(tmp_path, rows)
    for number, row in enumerate(rows, 1):
        record = result(number, campaigns.SONNET)
        record["total_cost_usd"] = record["modelUsage"][campaigns.SONNET]["costUSD"] = 5.0 * number
        if row["agent"] == "heron":
            del record["total_cost_usd"], record["modelUsage"][campaigns.SONNET]["costUSD"]
        (folder / path_of(row)).write_text(json.dumps(record))
    assert sitegen("build", "--no-cache", cwd=folder).returncode == 0
    index = (folder / "site/index.html").read_text("utf-8")
    assert "as reported</small>" in index and "list prices</small>" in index
    text = " ".join(path.read_text("utf-8") for path in (folder / "site").glob("**/*.html"))
    claims = (
        "costs less",
        "costs more",
        "cost less",
        " times as much",
        "difference in cost",
        "equal cost",
    )
    assert not [claim for claim in claims if claim in text]
    assert "so costs are not compared" in text
    (folder / "config.yaml").write_text(SETTINGS + "cost_basis: list\n")
    assert sitegen("build", "--no-cache", cwd=folder).returncode == 0
    runs = json.loads((folder / "site/data/runs.json").read_text("utf-8"))["runs"]
    assert {run["cost_usd"] for run in runs} == {None}
    computed = {run["path"]: run["computed_cost_usd"] for run in runs}
    for number, row in enumerate(rows, 1):
        assert computed[path_of(row).removeprefix("runs/")] == pytest.approx(
            usage(campaigns.SONNET, number)["costUSD"]
        )
    index = (folder / "site/index.html").read_text("utf-8")
    assert "as reported</small>" not in index and "reports none" not in index
    pages = [path.read_text("utf-8") for path in (folder / "site/runs").glob("*.html")]
    assert sum("the file reports $" in page for page in pages) == sum(
        row["agent"] == "crane" for row in rows
    )
    pairs = " ".join(path.read_text("utf-8") for path in (folder / "site/compare").glob("*.html"))
    assert any(claim in pairs for claim in claims)


def test_files_of_verdicts_alone_and_one_run_of_each_task(tmp_path: Path) -> None:
    """A table without scores counts, a verdict from a score can be the main one, and a task has its properties."""
    rows = [row for row in rows_of(13) if row["attempt"] == "1" and row["model"] == "m-one"]
    rows = [
        dict(row, agent="crane" if number % 2 else "heron") for number, row in enumerate(rows[::2])
    ]
    settings = SETTINGS + "factors: {area: property}"
    folder = written(tmp_path, rows, settings)
    only = csv_of(
        [{**row, "path": path_of(row)} for row in rows], ("path", "fast", "right", "left_out")
    )
    (folder / "judged.csv").write_text(only.replace("wrong model", "false"))
    verdicts = table(folder, "verdicts")
    assert found_shares([row for row in verdicts if row["verdict"] == "fast"]) == shares(
        rows, who, "fast"
    )
    assert {tuple(row)[:2] for row in table(folder, "configurations")} == {("agent", "model")}
    assert found_shares(table(folder, "excluded")) == shares(rows, who, "done")
    written(
        tmp_path,
        rows,
        settings.replace(", main: true", "").replace(
            "of: expert_gain}", "of: expert_gain, main: true}"
        ),
    )
    assert sitegen("build", "--no-cache", cwd=folder).returncode == 0
    runs = json.loads((folder / "site/data/runs.json").read_text("utf-8"))["runs"]
    judged = Counter({"pass": True, "fail": False, None: None}[run["outcome"]] for run in runs)
    assert judged == Counter(passed(row, "level") for row in rows)


def test_versions_of_an_agent_are_marked_and_can_be_split(tmp_path: Path) -> None:
    rows = [row for row in rows_of(22) if row["agent"] == "crane"]
    folder = written(tmp_path, rows)
    for number, row in enumerate(rows, 1):
        version = {
            "type": "system",
            "subtype": "init",
            "claude_code_version": f"2.0.{row['attempt']}",
        }
        version |= {
            "session_id": result(number)["session_id"],
            "model": campaigns.SONNET,
            "tools": [],
        }
        lines = [version, result(number, modelUsage=spent(row["model"], number))]
        (folder / path_of(row)).write_text("\n".join(map(json.dumps, lines)))
    assert len(table(folder, "configurations")) == 2
    assert sitegen("build", "--no-cache", cwd=folder).returncode == 0
    page = (folder / "site/study.html").read_text("utf-8")
    assert "m-one (2.0.1, 2.0.2); " in page and "agent_version: configuration" in page
    (folder / "config.yaml").write_text(SETTINGS + "factors: {agent_version: configuration}\n")
    found = {
        (row["model"], row["agent_version"]): int(row["runs"])
        for row in table(folder, "configurations")
    }
    assert found == Counter((row["model"], f"2.0.{row['attempt']}") for row in rows)


def test_configurations_never_share_a_name(tmp_path: Path) -> None:
    rows = [dict(row, agent=name) for name in ("x · y", "x") for row in rows_of(14)[:2]]
    rows = [
        dict(row, model="z" if row["agent"] == "x · y" else "y · z", task=f"t{at}")
        for at, row in enumerate(rows)
    ]
    settings = SETTINGS.replace("{agent}/{model}", "{agent}/{model}/{area2}").replace("factors", "")
    for number, row in enumerate(rows):
        path = (
            tmp_path
            / "runs"
            / row["area"]
            / row["task"]
            / row["agent"]
            / row["model"]
            / "a"
            / f"{number}.json"
        )
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(result(number + 1, modelUsage=spent(row["model"], 1))))
    (tmp_path / "judged.csv").write_text("path,fast\n")
    (tmp_path / "tasks.csv").write_text("task,size\nt0,1\n")
    (tmp_path / "config.yaml").write_text(settings)
    assert (
        len({row["agent"] + "|" + row["model"] for row in table(tmp_path, "configurations")}) == 2
    )
    assert sitegen("build", "--no-cache", cwd=tmp_path).returncode == 0
    page = (tmp_path / "site/study.html").read_text("utf-8")
    assert "x · y · z" in page and "x · y · z (2)" in page


@pytest.mark.parametrize("text", ["", "name,size\na,1\n", "task,size\n"])
def test_a_task_table_without_tasks_is_an_error_that_names_it(text: str, tmp_path: Path) -> None:
    folder = written(tmp_path, rows_of(15)[:6])
    (folder / "tasks.csv").write_text(text)
    ran = sitegen("check", cwd=folder)
    assert ran.returncode == 2 and "task_table: tasks.csv" in ran.stderr, ran.stderr


def test_secrets_in_tables_are_masked_in_every_form(tmp_path: Path) -> None:
    rows = rows_of(16)
    secret = "ghp_" + "Zq3xW9vLk2Rt7BnM5cYp8DsF1hGj4KaT6eUo"
    for row in rows:
        row["way"] = f"with {secret}" if row["way"] == "cache" else "without"
    folder = written(tmp_path, rows)
    assert sitegen("build", "--no-cache", cwd=folder).returncode in (0, 1)
    for path in (folder / "site").glob("data/study-observations-way.*"):
        text = path.read_text("utf-8")
        assert secret not in text and "U+10" not in text and "redacted" in text, path


def test_an_interaction_is_found_where_there_is_one_and_seldom_elsewhere() -> None:
    groups = {f"t{number}": "ab"[number % 2] for number in range(12)}
    crossed = {task: [0.9, 0.1] if group == "a" else [0.1, 0.9] for task, group in groups.items()}
    p = interaction_p(crossed, groups)
    assert p is not None and p == pytest.approx(2 / 924)
    assert interaction_p(dict(reversed(crossed.items())), groups) == p
    draw = random.Random(1)  # noqa: S311
    found = [
        interaction_p({task: [draw.random(), draw.random()] for task in groups}, groups) or 0.0
        for _ in range(40)
    ]
    assert sum(p <= 0.05 for p in found) <= 6
    assert interaction_p({task: crossed[task] for task in list(groups)[:7]}, groups) is None


def test_kappa_is_that_of_the_textbook_and_needs_tasks_for_an_interval() -> None:
    told = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15
    found = agreement([told])
    assert found is not None and found.interval is None
    # by hand: 35 of 50 agree, by chance 0.5 * 0.6 + 0.5 * 0.4
    assert (found.runs, found.share, found.by_chance) == (
        50,
        pytest.approx(0.7),
        pytest.approx(0.5),
    )
    assert found.kappa == pytest.approx(0.4)
    parted = agreement([told[at::10] for at in range(10)])
    assert parted is not None and parted.interval is not None and parted.kappa == found.kappa
    assert parted.interval.low < 0.4 < parted.interval.high
    turned = agreement([[(b, a) for a, b in told]])
    assert turned is not None and turned.kappa == found.kappa
    alike = agreement([[(True, True)] * 4] * 6)
    assert alike is not None and (alike.share, alike.kappa) == (1, None), (
        "chance alone agrees on all"
    )
    assert agreement([]) is None


def test_two_judges_have_a_table_and_their_agreement(tmp_path: Path) -> None:
    rows = rows_of(14)
    folder = written(tmp_path, rows, SETTINGS + "judges: [fast, right]\n")
    pairs = [(passed(row, "fast"), row["right"] in ("on target", "nearly")) for row in rows]
    both = Counter(pair for pair in pairs if None not in pair)
    found: Counter[str] = Counter()
    for row in table(folder, "judges"):
        found[row["judges"]] += int(row["runs"])
    assert found == {
        "both pass": both[True, True],
        "only fast passes": both[True, False],
        "only right passes": both[False, True],
        "neither passes": both[False, False],
    }
    assert sitegen("build", "--no-cache", cwd=folder).returncode == 0
    assert f"of the {both.total()} runs that have both verdicts" in (
        folder / "site/study.html"
    ).read_text("utf-8")


def test_the_invented_campaign_has_its_tables(shared: Path, tmp_path: Path) -> None:
    folder = tmp_path / "campaign"
    subprocess.run(
        [sys.executable, shared / "campaign/make.py", folder], check=True, capture_output=True
    )
    (folder / "config.yaml").write_text((shared / "campaign/config.yaml").read_text())
    expected: dict[str, Any] = json.loads((folder / "expected.json").read_text())
    quadrants = table(folder, "quadrants")
    assert sum(int(row["runs"]) for row in quadrants) == sum(expected["configurations"].values())
    found = sorted(
        (int(row["passed"]), int(row["judged"])) for row in table(folder, "success-by-codebase")
    )
    assert found == sorted(
        map(tuple, expected["true_success_by_configuration_and_codebase"].values())
    )
