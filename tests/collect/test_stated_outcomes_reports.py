"""Reports that nobody named, files of outcomes by their place, what is ignored, and what is proposed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sitegen.cli.commands import cli
from sitegen.collect import Facts, collect
from sitegen.config import Config, Outcomes, load
from sitegen.masking.redact import Redactor
from sitegen.model import Outcome, Status
from tests.support.harness_runs import ATIF, HARBOR, INSPECT, SAMPLE, SWE_AGENT, TRIAL, TRIALS

REPORT = {
    "resolved_ids": ["tide__tide-1"],
    "unresolved_ids": ["other__other-2"],
    "schema_version": 2,
}


def surveyed(folder: Path, **settings: Any) -> Facts:
    config = Config.model_validate({"inputs": [str(folder)], **settings})
    return collect(config, Redactor(), lambda _, items: items)


def write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")


@pytest.mark.parametrize(
    "place", ["evaluation/gpt-5.json", "logs/run_evaluation/night/gpt-5/report.json"]
)
def test_a_report_among_the_inputs_states_outcomes_without_being_named(
    tmp_path: Path, place: str
) -> None:
    write(tmp_path / "tide.traj", SWE_AGENT)
    write(tmp_path / place, REPORT)
    survey = surveyed(tmp_path)
    (entry,) = survey.entries
    assert entry.outcome is Outcome.PASS
    assert (survey.ignored, survey.problems) == ((), ())


PRO = {"tide__tide-1": True, "instance_a__b-0a1c-v2": False, "instance_a__c.d-0a1d": None}


@pytest.mark.parametrize("verdict", [True, False, None])
@pytest.mark.parametrize("place", ["eval_results.json", "evaluation/eval_results.json"])
@pytest.mark.parametrize("is_nested", [False, True])
def test_report_of_true_and_false_states_outcomes(
    tmp_path: Path, verdict: bool | None, place: str, is_nested: bool
) -> None:
    write(tmp_path / "trajs/tide.traj", SWE_AGENT)
    verdicts = {**PRO, "tide__tide-1": verdict}
    write(tmp_path / place, {"accuracy": 0.5, "results": verdicts} if is_nested else verdicts)
    survey = surveyed(tmp_path)
    (entry,) = survey.entries
    assert entry.outcome is {True: Outcome.PASS, False: Outcome.FAIL, None: None}[verdict]
    assert survey.problems == ()


@pytest.mark.parametrize(
    "flags",
    [
        {"tide": True, "dark_mode": False},
        {"tide__tide-1": True, "dark_mode": False},
        {"tide__tide-1": True, "total": 3},
        {"tide__tide-1": "yes"},
        {"Logging__Console": True},
        {"__init__-1": True},
        {},
    ],
)
def test_flags_are_no_report(tmp_path: Path, flags: object) -> None:
    write(tmp_path / "trajs/tide.traj", SWE_AGENT)
    write(tmp_path / "features.json", flags)
    survey = surveyed(tmp_path)
    assert [entry.outcome for entry in survey.entries] == [None]
    assert survey.problems == () and len(survey.ignored) == 1


def test_reports_of_true_and_false_of_two_submissions(tmp_path: Path) -> None:
    for name, verdict in (("one", True), ("two", False)):
        run = {**SWE_AGENT, "info": {**SWE_AGENT["info"], "submission": name}}
        write(tmp_path / name / "trajs/tide.traj", run)
        write(tmp_path / name / "eval_results.json", {**PRO, "tide__tide-1": verdict})
    stated = {
        entry.source.path.split("/")[0]: entry.outcome for entry in surveyed(tmp_path).entries
    }
    assert stated == {"one": Outcome.PASS, "two": Outcome.FAIL}


@pytest.mark.parametrize("kind", ["zip", "gztar"])
def test_a_report_in_an_archive_is_about_the_runs_of_its_place_there(
    tmp_path: Path, kind: str
) -> None:
    """Of two submissions in one archive, each with its own report of the same task."""
    for name, resolved in (("one", ["tide__tide-1"]), ("two", [])):
        run = {**SWE_AGENT, "info": {**SWE_AGENT["info"], "submission": name}}
        write(tmp_path / "all" / name / "trajs/tide.traj", run)
        unresolved = [] if resolved else ["tide__tide-1"]
        report = {**REPORT, "resolved_ids": resolved, "unresolved_ids": unresolved}
        write(tmp_path / "all" / name / "results/results.json", report)
    (tmp_path / "in").mkdir()
    shutil.make_archive(str(tmp_path / "in/night"), kind, tmp_path / "all")
    survey = surveyed(tmp_path / "in")
    stated = {entry.source.path.split("/")[1]: entry.outcome for entry in survey.entries}
    assert stated == {"one": Outcome.PASS, "two": Outcome.FAIL}
    assert (survey.ignored, survey.problems) == ((), ())


def test_no_outcomes_in_the_settings_leave_reports_alone(tmp_path: Path) -> None:
    write(tmp_path / "tide.traj", SWE_AGENT)
    write(tmp_path / "report.json", REPORT)
    survey = surveyed(tmp_path, outcomes=[])
    assert [entry.outcome for entry in survey.entries] == [None]
    assert survey.ignored_files == (("report.json", "swebench"),)


@pytest.mark.parametrize(("said", "outcome"), [("", Outcome.PASS), ("outcomes: []\n", None)])
def test_a_settings_file_without_outcomes_does_not_turn_found_reports_off(
    tmp_path: Path, said: str, outcome: Outcome | None
) -> None:
    write(tmp_path / "runs/tide.traj", SWE_AGENT)
    write(tmp_path / "runs/report.json", REPORT)
    write(tmp_path / "config.yaml", f"inputs: [runs]\n{said}")
    (entry,) = collect(load(tmp_path / "config.yaml"), Redactor(), lambda _, items: items).entries
    assert entry.outcome is outcome


def test_a_report_of_other_tasks_is_ignored_with_a_sentence(tmp_path: Path) -> None:
    write(tmp_path / "tide.traj", SWE_AGENT)
    for number in range(3):
        write(tmp_path / f"{number}.json", REPORT | {"resolved_ids": ["other__other-1"]})
    survey = surveyed(tmp_path)
    assert [problem.code for problem in survey.problems] == []
    said = CliRunner().invoke(cli, ["check", str(tmp_path), "--no-config"]).output
    assert "3 reports of SWE-bench, such as 0.json. They are not used, since no run" in said


PASSED = {
    "patch_exists": True,
    "patch_successfully_applied": True,
    "resolved": True,
    "tests_status": {},
}
OLD = {
    "no_generation": [],
    "generated": ["tide__tide-1"],
    "applied": ["tide__tide-1"],
    "resolved": ["tide__tide-1"],
}


@pytest.mark.parametrize(
    ("place", "report", "applies"),
    [
        ("a/report.json", REPORT, True),
        ("report.json", REPORT, True),
        ("a/results/results.json", REPORT, True),
        ("a/Reports/deep.json", REPORT, True),
        ("a/evaluation_2/x.json", REPORT, True),
        ("a/eval/x.json", REPORT, False),
        ("a/results/deep/x.json", REPORT, False),
        ("a/trajs/x.json", REPORT, True),
        ("b/report.json", REPORT, False),
        ("b/results/report.json", REPORT, False),
        ("results/report.json", REPORT, True),
        ("a/logs/tide__tide-1/report.json", PASSED, True),
        ("a/tide__tide-1/report.json", PASSED, True),
        ("b/logs/tide__tide-1/report.json", PASSED, False),
        ("a/logs/tide__tide-1/report.json", {"tide__tide-1": PASSED}, True),
        ("a/logs/x.json", {"tide__tide-1": PASSED}, True),
        ("a/logs/other__other-2/report.json", PASSED, False),
        ("a/results/results.json", OLD, True),
        (
            "a/results/results.json",
            {"resolved": ["tide__tide-1"], "unresolved_ids": [], "empty_patch_ids": []},
            True,
        ),
    ],
)
def test_a_report_is_about_the_runs_of_its_place(
    tmp_path: Path, place: str, report: dict[str, Any], *, applies: bool
) -> None:
    write(tmp_path / "a/trajs/tide.traj", SWE_AGENT)
    write(tmp_path / place, report)
    survey = surveyed(tmp_path)
    assert [entry.outcome for entry in survey.entries] == [Outcome.PASS if applies else None]
    assert survey.ignored == (() if applies else (place,))
    named = surveyed(tmp_path, outcomes=[str(tmp_path / place)])
    assert named.entries[0].outcome is (None if "other__other-2" in place else Outcome.PASS)


def test_a_report_beside_an_input_is_about_that_input(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path / name / "trajs/tide.traj", SWE_AGENT | {"environment": name})
    write(tmp_path / "a/results/results.json", REPORT)
    given = [str(tmp_path / folder) for folder in ("a/trajs", "a/results", "b/trajs")]
    found = {
        Path(each.source.location).parts[-3]: each.outcome
        for each in surveyed(tmp_path, inputs=given).entries
    }
    assert found == {"a": Outcome.PASS, "b": None}


def test_lists_of_an_old_report_say_why_a_task_was_not_solved(tmp_path: Path) -> None:
    for name in ("none", "broken", "wrong"):
        write(
            tmp_path / f"trajs/{name}.traj",
            SWE_AGENT | {"replay_config": "{}", "environment": name},
        )
    lists = {
        "no_generation": ["none"],
        "install_fail": ["broken"],
        "applied": ["wrong", "right"],
        "resolved": ["right"],
    }
    write(tmp_path / "results/results.json", lists)
    found = {entry.task: entry.outcome for entry in surveyed(tmp_path).entries}
    assert found == {"none": Outcome.FAIL, "broken": Outcome.ERROR, "wrong": Outcome.FAIL}


def test_real_submissions_have_the_verdicts_of_their_own_reports(shared: Path) -> None:
    folder = shared / "more-runs" / "swebench-submission"
    expected: dict[str, Outcome | None] = {}
    for run in (path for path in folder.rglob("*.traj*") if path.is_file()):
        task = run.name.partition(".")[0]
        if run.name.endswith(".json"):
            report = json.loads(
                (run.parents[2] / "logs" / task / "report.json").read_text(encoding="utf-8")
            )
            verdict = Outcome.PASS if report["resolved"] else Outcome.FAIL
        else:
            lists = json.loads(
                (run.parents[1] / "results" / "results.json").read_text(encoding="utf-8")
            )
            failed = task in lists["unresolved_ids"] or task in lists["empty_patch_ids"]
            verdict = (
                Outcome.PASS if task in lists["resolved"] else Outcome.FAIL if failed else None
            )
        expected[run.relative_to(folder).as_posix()] = verdict
    survey = surveyed(folder)
    assert {entry.source.path: entry.outcome for entry in survey.entries} == expected
    assert len(expected) == 15


def test_a_file_that_the_settings_name_for_outcomes_is_no_run(tmp_path: Path) -> None:
    write(tmp_path / "results.json", TRIAL)
    write(tmp_path / "tide.traj", SWE_AGENT)
    survey = surveyed(tmp_path, outcomes=[str(tmp_path / "results.json")])
    assert [entry.source.path for entry in survey.entries] == ["tide.traj"]


def test_a_file_beside_a_run_is_about_it_by_its_place(tmp_path: Path) -> None:
    for name, speed, passed in (("a", 2.5, True), ("b", 0.5, False)):
        write(tmp_path / name / "log" / "run.traj", SWE_AGENT | {"environment": name})
        write(
            tmp_path / name / "benchmark.json",
            {"result": {"ok": passed}, "speedup": speed, "notes": "x"},
        )
    columns = {"outcome": "result.ok"}
    given = {
        "path": f"{tmp_path}/**/benchmark.json",
        "beside": True,
        "columns": columns,
        "scores": {"speedup": {}},
    }
    survey = surveyed(tmp_path, outcomes=[given])
    found = {
        entry.source.path: (entry.outcome, [score.value for score in entry.scores])
        for entry in survey.entries
    }
    assert found == {
        "a/log/run.traj": (Outcome.PASS, [2.5]),
        "b/log/run.traj": (Outcome.FAIL, [0.5]),
    }
    assert survey.ignored == ()


def test_a_file_beside_several_runs_is_about_the_one_with_its_name_or_none(tmp_path: Path) -> None:
    for name in ("1", "2"):
        write(tmp_path / f"{name}.traj", SWE_AGENT | {"environment": name})
    write(tmp_path / "1.json", {"outcome": "pass"})
    write(tmp_path / "both.json", {"outcome": "fail"})
    given = [Outcomes(path=f"{tmp_path}/*.json", beside=True).model_dump()]
    survey = surveyed(tmp_path, outcomes=given)
    assert [entry.outcome for entry in survey.entries] == [Outcome.PASS, None]
    assert [(problem.path, problem.code) for problem in survey.problems] == [
        ("both.json", "W_OUTCOME_UNMATCHED")
    ]


def test_a_trial_of_harbor_and_the_records_of_its_agent_are_one_run(tmp_path: Path) -> None:
    write(tmp_path / "job/tide__abc/result.json", HARBOR)
    write(tmp_path / "job/tide__abc/agent/trajectory.json", ATIF)
    survey = surveyed(tmp_path)
    (entry,) = survey.entries
    assert entry.source.path == "job/tide__abc/agent/trajectory.json"
    assert (entry.task, entry.outcome, len(entry.scores)) == ("tide", Outcome.PARTIAL, 2)
    assert (entry.run.status, entry.run.status_detail, entry.run.wall_ms) == (
        Status.FAILED,
        "time limit",
        60_000,
    )
    assert entry.run.cost_usd == 0.4
    assert [problem.code for problem in survey.problems] == ["W_CONTRADICTION", "W_COPY"]


def test_samples_that_two_evaluations_call_the_same_are_two_tasks(tmp_path: Path) -> None:
    for evaluation, ids in (("tides", ["default", "own"]), ("moons", ["default"])):
        samples = [SAMPLE | {"id": id_, "uuid": evaluation + id_} for id_ in ids]
        write(
            tmp_path / f"{evaluation}.json",
            INSPECT | {"eval": INSPECT["eval"] | {"task": evaluation}, "samples": samples},
        )
    write(
        tmp_path / "again.json",
        json.loads((tmp_path / "moons.json").read_text()) | {"status": "success", "x": 1},
    )
    tasks = sorted(str(entry.task) for entry in surveyed(tmp_path).entries)
    assert sorted(set(tasks)) == ["moons default", "own", "tides default"]


def test_many_problems_of_one_cause_are_one_line(tmp_path: Path) -> None:
    for number in range(9):
        write(tmp_path / f"{number}.json", HARBOR | {"id": str(number), "agent_result": None})
    said = CliRunner().invoke(cli, ["check", str(tmp_path), "--no-config"]).output
    assert "9 files, such as 0.json: The run reports no tokens. [W_MISSING]" in said
    each = CliRunner().invoke(cli, ["check", "-v", str(tmp_path), "--no-config"]).output
    assert each.count("[W_MISSING]") == 9


def test_a_pointer_in_place_of_a_log_is_said(tmp_path: Path) -> None:
    write(
        tmp_path / "log.eval", "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n"
    )
    said = CliRunner().invoke(cli, ["check", str(tmp_path), "--no-config"]).output
    assert "1 pointer of git-lfs, log.eval. `git lfs pull` fetches the files themselves." in said


def test_labels_come_from_a_path(tmp_path: Path) -> None:
    write(tmp_path / "tide/slow/1.traj", SWE_AGENT)
    given = {"path": str(tmp_path), "pattern": "{task}/{label}/{attempt}.*"}
    (entry,) = surveyed(tmp_path, inputs=[given]).entries
    assert (entry.task, entry.labels, entry.attempt) == ("tide", ("slow",), 1)


def test_runs_of_one_file_are_one_line_unless_all_is_asked_for(tmp_path: Path) -> None:
    write(tmp_path / "results.json", TRIALS)
    said = CliRunner().invoke(cli, ["check", str(tmp_path), "--no-config"]).output
    assert "2 runs   results.json  2 failed, Terminal-Bench trial\n" in said
    said = CliRunner().invoke(cli, ["check", "-v", str(tmp_path), "--no-config"]).output
    assert sum(line.startswith("run      results.json (") for line in said.splitlines()) == 2


def test_what_no_reader_knows_is_said_once_with_its_number(tmp_path: Path) -> None:
    for name, info, text in (
        ("a", {"moon": 1}, "a"),
        ("b", {"moon": 1, "tide": 1}, "b"),
        ("c", {}, "c"),
    ):
        write(
            tmp_path / f"{name}.traj",
            SWE_AGENT | {"info": {**SWE_AGENT["info"], **info}, "environment": text},
        )
    said = CliRunner().invoke(cli, ["check", str(tmp_path), "--no-config"]).output
    (line,) = (line for line in said.splitlines() if "not known to" in line)
    what = "2 fields or kinds of records not known to this version of sitegen: info.moon (2 runs), info.tide (1 run)."
    assert line.endswith(f"SWE-agent trajectory: {what}")


def test_a_model_without_a_price_is_named_with_the_line_to_add(tmp_path: Path) -> None:
    agent = HARBOR["agent_info"] | {"model_info": {"name": "moon/gpt-x"}}
    write(
        tmp_path / "a.json",
        HARBOR | {"agent_info": agent, "agent_result": HARBOR["agent_result"] | {"cost_usd": None}},
    )
    (remark,) = surveyed(tmp_path).remarks
    assert "No price is known for moon/gpt-x, so 1 run has no cost." in remark
    assert '"moon/gpt-x": {input: ..., output: ..., cache_read: ...}, with its own prices' in remark
    assert '"moon/gpt-x": {input:' in remark


def test_reports_that_contradict_each_other_count_for_none_unless_one_is_named(
    tmp_path: Path,
) -> None:
    write(tmp_path / "tide.traj", SWE_AGENT)
    write(tmp_path / "gold.json", REPORT)
    write(
        tmp_path / "other.json", REPORT | {"resolved_ids": [], "unresolved_ids": ["tide__tide-1"]}
    )
    survey = surveyed(tmp_path)
    assert [entry.outcome for entry in survey.entries] == [None]
    (problem,) = survey.problems
    assert problem.code == "W_OUTCOME_AMBIGUOUS" and "None counts" in problem.reason
    named = surveyed(tmp_path, outcomes=[str(tmp_path / "other.json")])
    assert [entry.outcome for entry in named.entries] == [Outcome.FAIL]
    assert named.problems == ()
