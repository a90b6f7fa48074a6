"""How many runs received the treatment of their arm: which skills, plug-ins, servers and tools their calls name."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sitegen.model import Entry, StepCounts
from sitegen.numbers.treatment import Treatment, arm_name, received, tasks_with_other_checks
from sitegen.pages.compare import Chosen
from sitegen.readers.common.call_counts import MAX_CALLED, CallCounts
from sitegen.readers.common.called import names_of_call
from sitegen.readers.common.tool_names import command_of, kind_of
from sitegen.text.names import called_key
from tests.support.chart_runs import entry
from tests.support.command import sitegen
from tests.support.session_runs import PI, lines, pi_answer, pi_call, pi_result

CALLED: list[tuple[str, dict[str, Any], str]] = [
    ("Skill", {"skill": "superpowers:brainstorming"}, "brainstorming"),
    ("Skill", {"skill": "superpowers:brainstorming"}, "superpowers"),
    ("Skill", {"skill": "superpowers:brainstorming"}, "plugin"),
    ("Skill", {"command": "PDF_tools"}, "pdf tools"),
    ("skill", {"name": "pdf"}, "pdf"),
    ("activate_skill", {"name": "pdf"}, "skill"),
    ("Read", {"file_path": "/home/a/.claude/skills/pdf/SKILL.md"}, "pdf"),
    ("shell", {"command": "cat ~/.codex/skills/pdf-tools/SKILL.md"}, "pdf-tools"),
    ("exec_command", {"cmd": ["bash", "-lc", "sed -n 1,9p skills/pdf/SKILL.md"]}, "skill"),
    ("Task", {"subagent_type": "review:critic", "prompt": "Go"}, "critic"),
    ("mcp__github__search_code", {}, "github"),
    ("mcp__github__search_code", {}, "mcp"),
    ("mcp__plugin_context7_context7__query", {}, "context7"),
    ("github_search_code", {}, "github"),
    ("github-mcp-server-search_code", {}, "github-mcp-server"),
    ("Bash", {"command": "cd /w && ast-grep run"}, "ast-grep"),
    ("web_search", {}, "web_search"),
]
NOT_CALLED: list[tuple[str, dict[str, Any], str]] = [
    ("Edit", {"file_path": "skills/pdf/SKILL.md"}, "skill"),
    ("Bash", {"command": "find . -name SKILL.md"}, "skill"),
    ("Read", {"file_path": "docs/pdf/README.md"}, "pdf"),
    ("Bash", {"command": "echo skill"}, "skill"),
    ("Skill", {"skill": "docx"}, "pdf"),
    ("TodoWrite", {"name": "skill"}, "skill"),
]


def keys(name: str, given: dict[str, Any]) -> set[int]:
    names = names_of_call(name, given, kind_of(name, given), command_of(given))
    return set(map(called_key, names))


@pytest.mark.parametrize(("name", "given", "treatment"), CALLED)
def test_a_call_names_what_it_uses(name: str, given: dict[str, Any], treatment: str) -> None:
    assert called_key(treatment) in keys(name, given)


@pytest.mark.parametrize(("name", "given", "treatment"), NOT_CALLED)
def test_a_call_names_nothing_else(name: str, given: dict[str, Any], treatment: str) -> None:
    assert called_key(treatment) not in keys(name, given)


def runs(called: Iterable[tuple[str, ...] | None]) -> list[Entry]:
    """A run for each of these names of calls; None for one whose calls are unknown."""
    entries = []
    for number, names in enumerate(called):
        counts = CallCounts()
        counts.lacks_calls = names is None
        counts.named(names or ())
        run = entry(number)
        steps: StepCounts = counts.counts(steps=1, compactions=0, peak=None)
        entries.append(replace(run, run=replace(run.run, steps=steps)))
    return entries


USED, NOT_USED = ("Bash", "skill", "pdf"), ("Bash",)


@pytest.mark.parametrize(
    ("factor", "values", "text"),
    [
        ("skill", ("without", "with"), "skill used in 2 of 3 with, 1 of 2 without"),
        ("pdf skill", ("off", "on"), "pdf skill used in 2 of 3 on, 1 of 2 off"),
        ("skill", ("none", "pdf"), "skill pdf used in 2 of 3 pdf, 1 of 2 none"),
        ("skill", ("v1", "v2"), "skill used in 2 of 3 v2, 1 of 2 v1"),
        ("skill", ("none", "docx"), "skill docx used in 0 of 3 docx, 0 of 2 none"),
        ("addition", ("none", "pdf"), "addition pdf used in 2 of 3 pdf, 1 of 2 none"),
        ("plug-in", ("no", "yes"), "plug-in used in 0 of 3 yes, 0 of 2 no"),
        ("prompt", ("long", "short"), None),
        ("prompt", ("old", "new"), None),
    ],
)
def test_runs_that_received_the_treatment(
    factor: str, values: tuple[str, str], text: str | None
) -> None:
    arm, control = runs([USED, USED, NOT_USED, None]), runs([NOT_USED, USED, None])
    treatment = received(factor, values, control, arm)
    assert (treatment and treatment.text) == text


def test_nothing_is_said_where_no_steps_are_known() -> None:
    assert received("skill", ("without", "with"), [entry(1)], [entry(2)]) is None


def test_what_was_called_is_unknown_of_a_run_with_too_many_names() -> None:
    (run,) = runs([tuple(map(str, range(MAX_CALLED + 1)))])
    assert run.run.steps is not None and run.run.steps.called is None


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("with", "with", "“with skill”"),
        ("Opus 4.5 · without", "without", "Opus 4.5 · “without skill”"),
        ("on", "on", "skill on"),
        ("pdf", "pdf", "pdf"),
        ("Opus 4.5", "with", "Opus 4.5"),
    ],
)
def test_a_sentence_names_the_factor_of_an_arm(name: str, value: str, said: str) -> None:
    assert arm_name(name, "skill", value) == said


def test_of_two_factors_with_one_value_the_control_alone_is_named() -> None:
    names = ["with · with", "with · without", "without · with", "without · without"]
    factors = {
        name: dict(zip(("model", "plugin", "skill"), ("with", *name.split(" · ")), strict=True))
        for name in names
    }
    chosen = Chosen(factors, control={"skill": "without"})
    assert [chosen.arm_name(name) for name in names] == [
        "with · “with skill”",
        "with · “without skill”",
        "without · “with skill”",
        "without · “without skill”",
    ]


def test_the_leaderboard_the_comparison_and_the_data_have_it(tmp_path: Path) -> None:
    rows = ["path,outcome"]
    for arm, users in (("with", 4), ("without", 1)):
        for task in range(5):
            path = tmp_path / "runs" / arm / f"task-{task}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            tool = "skill" if task < users else "exec"
            asked = {**pi_call("c1", tool), "arguments": {"name": "pdf"}}
            call = pi_answer(f"{arm}{task}", 3, "toolUse", asked)
            end = pi_answer(f"end{arm}{task}", 9, "stop", {"type": "text", "text": "Done."})
            head = {**PI[0], "id": f"{arm}-{task}"}
            path.write_bytes(lines([head, *PI[1:2], call, pi_result("c1", 5, "Read."), end]))
            rows.append(f"{arm}/{path.name},{'pass' if task else 'fail'}")
    (tmp_path / "outcomes.csv").write_text("\n".join(rows))
    (tmp_path / "config.yaml").write_text(
        'inputs: [{path: runs, pattern: "{skill}/{task}.jsonl"}]\noutcomes: [outcomes.csv]\n'
        "control: {skill: without}\n"
    )
    done = sitegen("build", "-o", "site", "--no-cache", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    text = "skill used in 4 of 5 with, 1 of 5 without"
    site = tmp_path / "site"
    assert text in (site / "index.html").read_text()
    data = json.loads((site / "data" / "figures.json").read_text())
    (pair,) = (each for each in data["comparisons"] if each["by"] == "configuration")
    assert pair["treatment"] == {
        "name": "skill",
        "a": "without",
        "b": "with",
        "a_used": 1,
        "a_runs": 5,
        "b_used": 4,
        "b_runs": 5,
    }
    assert text[1:] in (site / pair["page"]).read_text()


def checked(checks: str | None) -> Entry:
    own = entry(0)
    given = (("Checks", checks),) if checks else ()
    return replace(own, run=replace(own.run, given=given))


def test_checks_differ_where_both_sides_state_them() -> None:
    six, two, none = (checked(checks) for checks in ("6 (a)", "2 (b)", None))
    a = {"tide": [six], "pier": [six], "dune": [none], "reef": [six]}
    b = {"tide": [two, none], "pier": [six], "dune": [two]}
    assert tasks_with_other_checks(a, b) == ["tide"]


def test_a_treatment_that_no_run_of_the_arm_called_is_unused() -> None:
    assert Treatment("skill", "without", "with", 0, 4, 0, 4).is_unused
    assert not Treatment("skill", "without", "with", 0, 4, 1, 4).is_unused
    assert not Treatment("skill", "without", "with", 0, 4, 0, 0).is_unused
