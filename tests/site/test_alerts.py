"""What a night job says and how it ends: alerts, missing data and updates, by the recipe of docs/nightly.md."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from sitegen.numbers.baseline import Coverage, evaluate
from sitegen.numbers.campaigns import Attempts, CampaignFigures, unify_names
from tests.conftest import ROOT
from tests.support import campaigns
from tests.support.campaigns import result
from tests.support.command import sitegen

SETTINGS = re.search(
    r"```yaml\n(# nightly.yaml\n.*?)```", (ROOT / "docs/nightly.md").read_text("utf-8"), re.DOTALL
)
TASKS = [f"t{number}" for number in range(6)]


@dataclass
class Night:
    """A night as its job sees it."""

    code: int
    errors: str
    summary: str
    answer: dict[str, Any]
    trends: str
    figures: dict[str, Any]

    @property
    def gates(self) -> dict[str, str]:
        """The result of each gate."""
        return {gate["name"]: gate["verdict"] for gate in self.answer["gates"]}

    @property
    def alerts(self) -> list[tuple[str, str]]:
        """Task and verdict of each alert of a task."""
        return [
            (alert["task"], alert["verdict"]) for alert in self.answer["alerts"] if alert["task"]
        ]


class Nights:
    """A folder in which one night after the other is built."""

    def __init__(self, folder: Path) -> None:
        assert SETTINGS
        self.folder = folder
        campaigns.write(folder, {"nightly.yaml": SETTINGS[1]})

    def build(
        self,
        number: int,
        failing: set[str],
        *arguments: str,
        cut: int = 0,
        tasks: list[str] = TASKS,
    ) -> Night:
        """Build a night on which all attempts at some tasks fail; the last `cut` run files are cut off."""
        folder = self.folder
        rows, files = ["task,attempt,outcome"], dict[str, Any]()
        for position, task in enumerate(tasks):
            for attempt in (1, 2, 3):
                rows.append(f"{task},{attempt},{'failed' if task in failing else 'passed'}")
                run = result(10 * position + attempt, session_id=f"{number}-{task}-{attempt}")
                files[f"runs/{task}/{attempt}.json"] = json.dumps(run)
        for path in list(files)[len(files) - cut :]:
            files[path] = files[path][:300]
        for path in sorted((folder / "runs").rglob("*.json")):
            path.unlink()
        campaigns.write(folder, {**files, "runs/outcomes.csv": "\n".join(rows) + "\n"})
        day = f"2026-12-{number:02}"
        options = [
            "-c",
            "nightly.yaml",
            "--date",
            day,
            "--history",
            "history.jsonl",
            "-o",
            "site",
            "--no-cache",
        ]
        (folder / "summary.md").unlink(missing_ok=True)
        done = sitegen(
            "build", *options, "--summary", "summary.md", "--json", *arguments, cwd=folder
        )
        site = folder / "site"
        (folder / "history.jsonl").write_bytes((site / "data/history.jsonl").read_bytes())
        return Night(
            done.returncode,
            done.stderr,
            (folder / "summary.md").read_text("utf-8"),
            json.loads(done.stdout),
            (site / "trends.html").read_text("utf-8"),
            json.loads((site / "data/figures.json").read_text("utf-8")),
        )


@pytest.fixture
def nights(tmp_path: Path) -> Nights:
    """An empty folder with the settings of the recipe."""
    return Nights(tmp_path)


GATE = "success.newly_failing"


def test_an_alert_fails_the_job_until_it_ends(nights: Nights) -> None:
    """One task fails from night 4 to night 8. What is proven is said everywhere on the same night."""
    expected = {
        3: (0, "passed", []),
        4: (0, "undecided", []),
        5: (3, "failed", [("t1", "newly fails")]),
        6: (3, "failed", [("t1", "newly fails")]),
        7: (3, "failed", [("t1", "newly fails")]),
        8: (3, "failed", [("t1", "fails")]),
        9: (0, "passed", [("t1", "newly passes")]),
        10: (0, "passed", [("t1", "newly passes")]),
        11: (0, "passed", [("t1", "newly passes")]),
        12: (0, "passed", []),
    }
    for number in range(1, 13):
        night = nights.build(number, {"t1"} if 4 <= number <= 8 else set())
        if number < 3:
            assert night.code == 0 and not night.alerts
            continue
        assert (night.code, night.gates[GATE], night.alerts) == expected[number], number
        assert [alert["task"] for alert in night.figures["alerts"]] == [
            task for task, _ in night.alerts
        ]
        for task, verdict in night.alerts:
            text = f"{task} (Claude Sonnet 4.5) {verdict}"
            assert f"alert: {text}" in night.errors and text in night.summary
            assert f">{verdict}<" in night.trends
        if number in (5, 8):
            assert (
                "clear since 5 Dec" in night.summary and "t1 (Claude Sonnet 4.5)." in night.errors
            )
        assert "6 of 6 tasks of the baseline were compared" in night.summary


def history_of_an_older_version(folder: Path) -> Iterator[str]:
    """The lines of a history as versions wrote them that did not state their rules, which counted half the cost."""
    head, *lines = (folder / "history.jsonl").read_text("utf-8").splitlines()
    yield head
    for line in lines:
        campaign = json.loads(line)
        campaign.pop("rules")
        for attempts in campaign["attempts"]:
            attempts["costs"] = [cost / 2 for cost in attempts["costs"]]
        yield json.dumps(campaign)


def test_an_update_raises_no_alert(nights: Nights) -> None:
    """After six nights an update counts costs twice as high."""
    for number in range(1, 7):
        assert nights.build(number, set()).code == 0
    text = "".join(f"{line}\n" for line in history_of_an_older_version(nights.folder))
    (nights.folder / "history.jsonl").write_text(text, "utf-8")
    for number in range(7, 13):
        night = nights.build(number, set())
        assert (night.code, night.answer["alerts"]) == (0, []), number
        assert (
            "Counted by other rules since 7 Dec: success and cost. Earlier campaigns are not compared"
            in night.trends
        )
        said = "The baseline counts cost and success by the rules of another version of sitegen, so they are not"
        assert (said in night.errors) is (number == 7)
        assert set(night.gates.values()) == {"incomplete" if number == 7 else "passed"}


def test_a_baseline_of_a_newer_version_passes_no_gate() -> None:
    own = [attempts(task) for task in ("a", "b")]
    now = counted_campaign(2, own)
    newer, older = (
        replace(counted_campaign(1, own), rules=(("cost", version),)) for version in (99, 1)
    )
    for before, fails in ((newer, True), (older, True)):
        (gate,) = evaluate({"cost.increase": 0.1}, before, replace(now, rules=(("cost", 2),)))
        assert (gate.verdict.value, gate.fails_build) == ("incomplete", fails and before is newer)


@pytest.mark.parametrize(
    ("changes", "arguments", "code", "gates"),
    [
        ({}, [], 0, {"passed"}),
        ({"cut": 15}, [], 3, {"incomplete"}),  # one in six is left
        ({"cut": 1}, [], 3, {"incomplete"}),
        (
            {"tasks": ["t0", "t1", "t2", "t3", "t4", "renamed"]},
            [],
            0,
            {"passed"},
        ),  # five of six, which is said
        ({"tasks": ["t0", "t1", "t2", "new", "other", "renamed"]}, [], 3, {"incomplete"}),
        ({"tasks": ["t0", "t1", "t2"]}, [], 3, {"incomplete"}),
    ],
)
def test_no_gate_passes_by_loss(
    nights: Nights, changes: dict[str, Any], arguments: list[str], code: int, gates: set[str]
) -> None:
    nights.build(1, set())
    night = nights.build(2, set(), *arguments, **changes)
    # A cut file is at most a tenth of the runs that may lack a cost: `unknown: 10 %` of the recipe.
    verdicts = {
        name: verdict
        for name, verdict in night.gates.items()
        if name == GATE or changes != {"cut": 1}
    }
    assert (night.code, set(verdicts.values())) == (code, gates)
    if changes.get("cut"):
        assert "could not be read" in night.errors
    if "tasks" in changes:
        compared = len(set(changes["tasks"]) & set(TASKS))
        assert f"{compared} of 6 tasks of the baseline were compared" in night.summary


def test_a_share_of_the_tasks_is_enough_where_the_settings_say_so(nights: Nights) -> None:
    nights.build(1, set())
    settings = (nights.folder / "nightly.yaml").read_text("utf-8")
    assert "baseline: previous" in settings
    allowed = settings.replace("baseline: previous", "baseline: {path: previous, tasks: 20 %}")
    (nights.folder / "nightly.yaml").write_text(allowed, "utf-8")
    few = nights.build(2, set(), tasks=["t0", "t1", "new"])
    assert few.code == 0 and set(few.gates.values()) == {"passed"}


def attempts(task: str, model: str = "m") -> Attempts:
    """Three passed attempts."""
    return Attempts(task, model, 3, 3, 3, (1.0, 1.0, 1.0))


@pytest.mark.parametrize(
    ("now", "left_out", "compared", "tasks"),
    [
        (["a", "b", "c"], [], 3, 3),
        (["A", "b", "c"], [], 3, 3),  # names are compared without regard to case
        (["a", "new"], [], 1, 3),
        (["a"], ["b", "c"], 1, 1),  # left out on purpose
        (["a", "b"], ["b", "C"], 2, 2),  # other runs of a left out task are here
        ([], ["a", "b", "c"], 0, 0),
    ],
)
def test_tasks_of_the_baseline_that_are_compared(
    now: list[str], left_out: list[str], compared: int, tasks: int
) -> None:
    before = counted_campaign(1, [attempts(task) for task in ("a", "b", "c")])
    after = counted_campaign(2, [attempts(task) for task in now])
    assert Coverage.of(before, after, left_out) == Coverage(compared, tasks)


def counted_campaign(day: int, own: list[Attempts]) -> CampaignFigures:
    """A campaign of these attempts."""
    return CampaignFigures(f"c{day}", f"2026-12-{day:02}", 3 * len(own), tuple(own))


def stated(day: int, *names: str, **factors: str) -> CampaignFigures:
    """A campaign of these configurations, which all have these factors; of an older version if there are none."""
    made = counted_campaign(day, [attempts("a", name) for name in names])
    return replace(
        made,
        configurations=tuple((name, tuple(factors.items())) for name in names) if factors else (),
    )


OLD, NEW = stated(1, "Claude Opus 4.5"), stated(2, "Claude Code · Opus 4.5")


@pytest.mark.parametrize(
    ("made", "unified"),
    [
        ([OLD, NEW], [["Claude Code · Opus 4.5"]] * 2),
        ([replace(NEW, day="2026-12-01"), OLD], [["Claude Opus 4.5"]] * 2),  # as the newest has it
        (
            [stated(1, "gpt-5"), stated(2, "gpt-5 · low", "gpt-5 · high")],
            [["gpt-5"], ["gpt-5 · low", "gpt-5 · high"]],
        ),
        (
            [stated(1, "gpt-5", "gpt-5 · high"), stated(2, "gpt-5 · high")],
            [["gpt-5", "gpt-5 · high"], ["gpt-5 · high"]],
        ),
        (
            [stated(1, "gpt-5"), stated(2, "Codex · gpt-5"), stated(3, "Codex · gpt-5 · high")],
            [["Codex · gpt-5 · high"]] * 3,
        ),
        ([stated(1, "gpt-5"), stated(2, "gpt-5-codex")], [["gpt-5"], ["gpt-5-codex"]]),
        (
            [
                stated(1, "gpt-5", agent="Codex", model="gpt-5"),
                stated(2, "Cline · gpt-5", agent="Cline", model="gpt-5"),
            ],
            [["gpt-5"], ["Cline · gpt-5"]],  # another agent
        ),
        (
            [
                stated(1, "gpt-5", agent="Codex", effort="low"),
                stated(2, "gpt-5 · high", agent="Codex", effort="high"),
            ],
            [["gpt-5"], ["gpt-5 · high"]],
        ),
        (
            [
                stated(1, "gpt-5", agent="Codex", model="gpt-5"),
                stated(2, "gpt-5 · high", agent="Codex", model="gpt-5", effort="high"),
            ],
            [["gpt-5 · high"]] * 2,
        ),
    ],
)
def test_a_factor_that_one_side_does_not_state_makes_no_other_series(
    made: list[CampaignFigures], unified: list[list[str]]
) -> None:
    assert [[own.model for own in each.attempts] for each in unify_names(made)] == unified


@pytest.mark.parametrize(
    ("rows", "verdict"),
    [
        (["t0,1,passed", "t0,2,passed"], "passed"),
        (
            ["t0,1,passed", "t0,2,passed", "t0,3,failed"],
            "incomplete",
        ),  # a planned run that is not there
        (["t0,1,passed", "t0,2,passed", "t0,9,failed"], "passed"),  # not planned
        (["t0,1,passed", "t0,2,passed", "other,1,failed"], "passed"),
    ],
)
def test_a_row_about_a_planned_run_that_is_not_there_counts(
    tmp_path: Path, rows: list[str], verdict: str
) -> None:
    files: dict[str, Any] = {f"runs/t0/{attempt}.json": result(attempt) for attempt in (1, 2)}
    settings = {
        "inputs": [{"path": "runs", "pattern": "{task}/{attempt}.json"}],
        "outcomes": ["outcomes.csv"],
        "attempts": 3,
        "gates": {"success_rate": {"min": 0.9}},
    }
    table = "\n".join(["task,attempt,outcome", *rows, ""])
    campaigns.write(tmp_path, {**files, "outcomes.csv": table, "config.yaml": json.dumps(settings)})
    done = sitegen("build", "-o", "site", "--json", "--no-cache", cwd=tmp_path)
    assert [gate["verdict"] for gate in json.loads(done.stdout)["gates"]] == [verdict]
    assert done.returncode == (0 if verdict == "passed" else 3)
