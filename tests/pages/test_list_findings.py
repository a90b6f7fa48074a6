"""The list of findings: what is in it, and that every surface is written from it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
import yaml

from sitegen.masking.redact import Redactor
from sitegen.model import Problem, Verdict
from sitegen.pages.list_findings import find_missing_runs, group_of, list_findings, report_on
from tests.support import campaigns, scenarios
from tests.support.command import sitegen

pytestmark = pytest.mark.blank_charts

STOPPED = {"subtype": "success", "is_error": True, "result": "API Error: 529 overloaded"}
SETTINGS = {
    "title": "Four runs",
    "inputs": [{"path": "runs", "pattern": "{task}/{agent}/{attempt}.json"}],
    "outcomes": ["outcomes.csv"],
    "verdicts": {"hard": {"column": "hard", "main": True}, "soft": {"column": "soft"}},
    "judges": ["hard", "soft"],
    "excluded": "excluded",
    "compare": [{"by": "model", "a": "Nobody", "b": "No one"}],
    "baseline": "previous",
    "history": "history.jsonl",
    "campaign": {"name": "first", "date": "2026-11-18"},
    "names": {"task": {"unused": "Never"}},
    "gates": {"cost": {"increase": {"max": "20 %"}}, "success_rate": {"min": 0.9}},
    "site_url": "https://example.org/",
}
OUTCOMES = """task,agent,attempt,hard,soft,excluded
csv,pi,1,pass,pass,
csv,pi,2,fail,pass,
csv,pi,3,pass,pass,wrong machine
other,pi,1,pass,pass,
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a site with a finding of most kinds."""
    folder = tmp_path_factory.mktemp("findings")
    files = {
        "csv/pi/1.json": campaigns.result(
            1, result="The key is ghp_" + "Zq3xW9vLk2Rt7BnM5cYp8Ds1234"
        ),
        "csv/pi/2.json": campaigns.result(2),
        "csv/pi/3.json": campaigns.result(3),
        "csv/pi/4.json": campaigns.result(4, **STOPPED),
        "csv/pi/5.json": '{"type": "result", "resu',
    }
    campaigns.write(folder / "runs", files)
    (folder / "outcomes.csv").write_text(OUTCOMES, encoding="utf-8")
    (folder / "config.yaml").write_text(yaml.safe_dump(SETTINGS), encoding="utf-8")
    return folder


CODES = {
    "GATE_FAILED",
    "SETTINGS",
    "E_TRUNCATED",
    "RUN_LOST",
    "JUDGES",
    "RUN_EXCLUDED",
    "MASKED",
}


def test_check_and_build_report_the_same_findings_on_every_surface(folder: Path) -> None:
    checked = sitegen("check", "--json", cwd=folder)
    built = sitegen("build", "--json", "--summary", "summary.md", cwd=folder)
    answers = [json.loads(ended.stdout) for ended in (checked, built)]
    assert [answer["exit_code"] for answer in answers] == [3, 3]
    assert answers[0]["findings"] == answers[1]["findings"]
    assert answers[0]["gates"] == answers[1]["gates"]
    site = folder / "site"
    stored = json.loads((site / "data/findings.json").read_text(encoding="utf-8"))
    assert stored["findings"] == answers[1]["findings"]
    assert {finding["code"] for finding in stored["findings"]} >= CODES
    figures = json.loads((site / "data/figures.json").read_text(encoding="utf-8"))
    assert figures["gates"] == answers[1]["gates"]

    texts = {
        "terminal of check": sitegen("check", cwd=folder),
        "terminal of build": sitegen("build", cwd=folder),
    }
    printed = {name: ended.stdout + ended.stderr for name, ended in texts.items()}
    printed["summary"] = (folder / "summary.md").read_text(encoding="utf-8").replace("\\", "")
    printed["problems"] = (site / "problems.html").read_text(encoding="utf-8")
    for name, text in printed.items():
        assert "no run has the model “Nobody”" in text, name
        assert "This is the first campaign, so 1 gate cannot be evaluated." in text, name
        assert "hard and soft agree on" in text, name
        assert "API error" in text, name
    counts = "1 lost run"
    index = (site / "index.html").read_text(encoding="utf-8")
    feed = (site / "feed.xml").read_text(encoding="utf-8")
    for name, text in {**printed, "index": index, "feed": feed}.items():
        assert counts in text or (name == "problems" and "Lost runs" in text), name
        assert "ghp_" not in text, name
    assert "excluded run" in index and "that judges disagree on" in index


@pytest.mark.parametrize(
    ("case", "codes"),
    [
        (
            "problems-copies-and-a-page-of-our-own",
            {"E_TRUNCATED", "E_EMPTY", "RUN_LOST", "RUN_COSTS", "W_DUPLICATE"},
        ),
        ("three-campaigns-the-last-of-them-worse", {"GATE_UNDECIDED", "BASELINE"}),
        ("two-agents-on-five-tasks", {"SETTINGS", "RUN_MISSING", "RUN_LOST", "RUN_FAILED"}),
    ],
)
def test_a_scenario_has_findings(case: str, codes: set[str], tmp_path: Path) -> None:
    config = scenarios.config_of(Path(__file__).parent / "cases" / f"{case}.yaml", tmp_path)
    facts = scenarios.collected(config)
    report = report_on(config, facts, Redactor())
    assert {finding.code for finding in report.findings} >= codes
    assert report.findings == list_findings(report, config.price_table)
    groups = Counter(finding.group_id for finding in report.findings)
    assert groups["planned"] == len(facts.missing)
    assert not any(finding.text == "" for finding in report.findings)


def test_a_missing_run_is_named_by_what_is_planned() -> None:
    (finding,) = find_missing_runs([("csv", "Pi", 2)])
    assert finding.path == "csv, Pi, attempt 2"


@pytest.mark.parametrize(
    ("code", "verdict", "group"),
    [
        ("E_READ", Verdict.SKIP, "skipped"),
        ("W_MISSING", Verdict.ACCEPT, "missing"),
        ("W_COPY", Verdict.ACCEPT, "notes"),
        ("W_OUTCOME_ROW", Verdict.SKIP, "outcomes"),
        ("W_DUPLICATE", Verdict.MERGE, "merged"),
    ],
)
def test_the_group_of_a_problem(code: str, verdict: Verdict, group: str) -> None:
    assert group_of(Problem("run.json", code, verdict, "It is odd.")) == group
