"""Signals of runs, what fills the context, and claims: what rules find, and what they leave alone."""

from __future__ import annotations

import csv
import itertools
import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from sitegen.model import Entry, Level, Outcome, Run, Source, Status, StepCounts, Tokens
from sitegen.numbers.signal_rules import MIN_LABELLED, RULES, SHOWN, Gap, gap
from sitegen.pages.behaviour import behaviour_page
from sitegen.pages.steps.story import Context
from sitegen.readers.common.signals import Signals, traits_of, traits_of_answer
from sitegen.steps import Step, StepKind, ToolCall, ToolKind, Trait
from tests.conftest import ROOT
from tests.support import campaigns
from tests.support.agent_runs import read
from tests.support.command import sitegen

pytestmark = pytest.mark.blank_charts

LABELS = ROOT / "tests" / "fixtures" / "signal-labels.csv"
Call = tuple[str, dict[str, Any], str, bool]
"""Tool, input, answer, and whether it failed."""
READ: Call = ("read", {"file_path": "/w/a.py"}, "x = 1", False)
EDIT: Call = ("edit", {"file_path": "/w/a.py", "old_string": "a", "new_string": "b"}, "ok", False)
TEST_EDIT: Call = (
    "edit",
    {"file_path": "/w/tests/test_a.py", "old_string": "a", "new_string": "b"},
    "ok",
    False,
)
TEST: Call = ("run", {"command": "cd /w && python -m pytest -q"}, "3 passed in 0.1s", False)
RED: Call = ("run", {"command": "npm test"}, "1 failed", True)
APPLY: Call = ("run", {"command": "git apply fix.diff"}, "error: patch does not apply", True)
POLL: Call = ("run", {"command": "tail -3 train.log"}, "step 5", False)


def fails(number: int) -> Call:
    return "run", {"command": f"make part{number}"}, f"error {number}", True


def claude(calls: list[Call]) -> list[dict[str, Any]]:
    names = {"read": "Read", "edit": "Edit", "run": "Bash"}
    records: list[dict[str, Any]] = [
        {"type": "system", "subtype": "init", "session_id": "s", "tools": ["Bash"]}
    ]
    for number, (tool, given, answer, failed) in enumerate(calls):
        block = {"type": "tool_use", "id": f"t{number}", "name": names[tool], "input": given}
        done = {
            "type": "tool_result",
            "tool_use_id": f"t{number}",
            "content": answer,
            "is_error": failed,
        }
        message = {
            "id": f"m{number}",
            "content": [block],
            "usage": {"input_tokens": number + 1, "output_tokens": 1},
        }
        records.append({"type": "assistant", "session_id": "s", "message": message})
        records.append({"type": "user", "session_id": "s", "message": {"content": [done]}})
    return [*records, {**campaigns.result(1), "session_id": "s"}]


def gemini(calls: list[Call]) -> list[dict[str, Any]]:
    names = {"read": "read_file", "edit": "replace", "run": "run_shell_command"}
    records: list[dict[str, Any]] = [{"type": "init", "session_id": "s", "model": "gemini-2.5-pro"}]
    for number, (tool, given, answer, failed) in enumerate(calls):
        records.append(
            {
                "type": "tool_use",
                "tool_name": names[tool],
                "tool_id": f"t{number}",
                "parameters": given,
            }
        )
        status = {"status": "error" if failed else "success", "output": answer}
        records.append({"type": "tool_result", "tool_id": f"t{number}", **status})
    return [*records, {"type": "result", "status": "success", "stats": {"total_tokens": 5}}]


def opencode(calls: list[Call]) -> list[dict[str, Any]]:
    names = {"read": "read", "edit": "edit", "run": "bash"}
    records = []
    for number, (tool, given, answer, failed) in enumerate(calls):
        done: dict[str, Any] = {"status": "completed", "input": given, "output": answer}
        done["metadata"] = {"exit": int(failed)}
        if failed and tool != "run":
            done = {"status": "error", "input": given, "error": answer}
        part = {
            "id": f"p{number}",
            "type": "tool",
            "tool": names[tool],
            "callID": f"t{number}",
            "state": done,
        }
        records.append(
            {"type": "tool_use", "sessionID": "ses_1", "timestamp": 1000 + number, "part": part}
        )
    return records


def codex(calls: list[Call]) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = [
        {"type": "thread.started", "thread_id": "t"},
        {"type": "turn.started"},
    ]
    for number, (tool, given, answer, failed) in enumerate(calls):
        item: dict[str, Any] = {"id": f"i{number}", "type": "command_execution"}
        item |= {
            "command": given.get("command", "cat a.py"),
            "aggregated_output": answer,
            "exit_code": int(failed),
        }
        item["status"] = "failed" if failed else "completed"
        if tool == "edit":
            changes = [{"path": given["file_path"], "kind": "update"}]
            item = {
                "id": f"i{number}",
                "type": "file_change",
                "changes": changes,
                "status": "completed",
            }
        records.append({"type": "item.completed", "item": item})
    return [*records, {"type": "turn.completed", "usage": {"input_tokens": 9, "output_tokens": 1}}]


AGENTS = {"claude": claude, "gemini": gemini, "opencode": opencode, "codex": codex}
PLANTED: list[tuple[list[Call], set[str], str]] = [
    ([READ, EDIT, TEST], set(), "passed"),
    ([READ, EDIT, RED, EDIT, TEST, TEST], set(), "passed"),
    ([READ, TEST, EDIT, POLL, POLL, POLL, POLL, TEST], set(), "passed"),
    ([READ, APPLY, APPLY, READ, APPLY, EDIT, TEST], set(), "passed"),
    ([READ, *[APPLY] * 60, EDIT, TEST], {"repeats", "failures"}, "passed"),
    ([*[READ] * 3, EDIT, TEST], {"repeats"}, "passed"),
    ([fails(1), fails(2), fails(3), EDIT, TEST], {"failures"}, "passed"),
    ([READ, TEST_EDIT, TEST], {"tests-edited"}, "passed"),
    ([READ, TEST, EDIT], {"unchecked"}, "unchecked"),
    ([READ, EDIT, RED], {"unchecked"}, "unchecked"),
    ([READ, EDIT, POLL], {"no-tests"}, "none"),
    ([READ, POLL], set(), "none"),
]


def test_a_run_without_calls_ran_no_tests() -> None:
    said = {"type": "message", "role": "assistant", "content": "Done, and all tests pass."}
    steps = read(gemini([])[0], said, gemini([])[-1]).steps
    assert steps is not None
    assert (steps.tests, steps.signals) == ("none", None)


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize(("calls", "found", "tests"), PLANTED)
def test_planted_signals_are_found_and_no_others(
    agent: str, calls: list[Call], found: set[str], tests: str
) -> None:
    steps = read(*AGENTS[agent](calls)).steps
    assert steps is not None
    assert (set(steps.signals or ()), steps.tests) == (found, tests)


@pytest.mark.parametrize(
    ("command", "is_test"),
    [
        ("pytest", True),
        ("cd x && FOO=1 timeout 60 pytest tests -k a | tail -5", True),
        ("uv run pytest", True),
        ("python3 -m unittest discover", True),
        ("npm run test:unit", True),
        ("cargo nextest run", True),
        ("go test ./...", True),
        ("./gradlew :app:testDebug", True),
        ("mise run test:integration", True),
        ("make -j4 check", True),
        ("python tests/run_all.py", True),
        ("pip install pytest", False),
        ("grep -r pytest .", False),
        ("cat tests/test_a.py", False),
        ("git add tests/test_a.py", False),
        ("pytest --version", False),
        ("ls test", False),
        ("npm install jest", False),
        ("node server.js", False),
        ("python latest.py", False),
        ("yarn -s run test", True),
        ("pnpm run web run test:e2e", True),
        ("nx runner run test", True),
        (f"npm{' run' * 200} latest", False),
        (f"npm{' -s run' * 100} latest", False),
    ],
)
def test_commands_that_run_tests_are_told_from_others(command: str, is_test: bool) -> None:
    assert bool(traits_of(ToolKind.RUN, command) & Trait.TEST) is is_test


@pytest.mark.parametrize(
    ("command", "may_check"),
    [
        ("lake build", True),
        ("cd x && lake env lean a.lean | head", True),
        ("coqc a.v", True),
        ("./verify.sh", True),
        ("timeout 60 bash -c 'cd x && lake env lean a.lean'", True),
        ("~/.elan/bin/lake build", True),
        ("isabelle build -D .", True),
        ("dafny verify a.dfy", True),
        ("python scripts/check_proofs.py", True),
        ("npm run check", True),
        ("opam exec -- coqc a.v", True),
        ("for p in a b; do lake env lean $p.lean; done", True),
        ("lake clean", False),
        ("cd lake && ls", False),
        ("grep -rn lean .lake/a.lean", False),
        ("make clean", False),
        ("pip install coq", False),
        ("git checkout main", False),
        ("cat checklist.md", False),
        ("vim proof.v", False),
    ],
)
def test_what_may_check_a_project_in_its_own_way_leaves_unknown_whether_tests_ran(
    command: str, may_check: bool
) -> None:
    assert (traits_of(ToolKind.RUN, command) == Trait.UNSEEN) is may_check
    found = Signals()
    found.take(1, "", None, Trait.CODE)
    found.take(2, "", None, traits_of(ToolKind.RUN, command))
    assert found.state_of_tests == (None if may_check else "none")
    assert ("no-tests" in found.found()) is not may_check


def test_a_path_of_very_many_folders_takes_no_minutes() -> None:
    for path, is_test in (("/test/" * 200_000, False), ("/test/" * 200_000 + "test_a.py", True)):
        found = traits_of_answer(0, ToolKind.EDIT, "", [path], "", failed=False)
        assert bool(found & Trait.TEST_FILE) is is_test


def test_signals_of_a_prefix_stay_and_those_of_another_agent_do_not_join() -> None:
    calls = [(number, True if number % 2 else None, 0) for number in range(8)]
    alone, mixed = Signals(), Signals()
    for number, failed, traits in calls:
        alone.take(number, "", failed is True, traits)
        mixed.take(number, "a" if number % 2 else "b", bool(number % 2), traits)
    assert "failures" not in alone.found()
    (span,) = mixed.found()["failures"]
    assert (span.first, span.last, span.calls) == (1, 7, 4)


def labels() -> list[dict[str, str]]:
    with LABELS.open(encoding="ascii", newline="") as file:
        return list(csv.DictReader(file))


def test_the_precision_of_each_rule_is_that_of_its_labels() -> None:
    """A hit is right if both readers say so. What one did not read is "-", and no hit; a miss is one if one saw it."""
    assert len({row["run"] for row in labels()}) >= 150
    for rule in RULES:
        marks = Counter[str]()
        for row in labels():
            if row["rule"] == rule.key:
                assert len(row["first"]) == len(row["second"])
                pairs = zip(row["first"], row["second"], strict=True)
                marks.update(next(mark for mark in "m-wr" if mark in pair) for pair in pairs)
        assert (rule.right, rule.hits, rule.present) == (
            marks["r"],
            marks["r"] + marks["w"],
            marks["r"] + marks["m"],
        )
        assert rule.precision is not None
        assert (rule.key in SHOWN) == (rule.hits >= MIN_LABELLED and rule.precision.low >= 0.8)
    assert len(SHOWN) >= 4


def message(number: int, context: int, read: int, size: int) -> Step:
    tokens = Tokens(input=0, cache_write=context - read, cache_read=read, output=10)
    call = ToolCall(
        str(number),
        "Read",
        ToolKind.READ,
        f"f{number}",
        result_bytes=size,
        failed=False,
        input_bytes=40,
    )
    return Step(
        number,
        StepKind.TOOL_CALL,
        number,
        call=call,
        model="m",
        tokens=tokens,
        context_tokens=context,
    )


def price(_: str | None, tokens: Tokens) -> float:
    return (tokens.cache_read or 0) * 0.3 / 1e6


@pytest.mark.parametrize("seed", range(5))
def test_carried_results_are_as_large_as_they_are_and_cost_no_more_than_the_cache_reads(
    seed: int,
) -> None:
    chosen = random.Random(seed)  # noqa: S311
    sizes = [chosen.choice((400, 4_000, 40_000)) for _ in range(60)]
    context, sent, bill = Context(), 20_000, 0.0
    for number, size in enumerate(sizes):
        step = message(number, sent, 18_000 if number == 0 else sent - sizes[number - 1] // 4, size)
        bill += price(None, step.tokens or Tokens())
        context.take(step, price)
        sent += size // 4
        if number == 30:
            context.take(Step(number, StepKind.COMPACTION, number), price)
            sent = 20_000
    context.close()
    at_peak = context.at_peak()
    for each in at_peak:
        assert each.tokens == pytest.approx(sizes[each.number] / 4, rel=0.15)
        assert each.requests == (30 if each.number < 31 else 59) - each.number
    assert sum(each.usd for each in at_peak) + context.base.usd <= bill + 1e-9
    assert context.reads_usd == pytest.approx(bill)
    assert (
        len(at_peak) == 4
        and sum(each.tokens for each in at_peak) + context.base.tokens <= context.peak
    )
    assert len({each.number < 31 for each in at_peak}) == 1, (
        "nothing that a compaction had ended is in it"
    )


def test_the_system_prompt_costs_no_more_than_the_first_request_read() -> None:
    context = Context()
    context.take(message(0, 100_000, 1_000, 400), price)
    assert context.close().base.usd == pytest.approx(context.reads_usd)


def test_nothing_is_carried_where_requests_have_no_sizes() -> None:
    context = Context()
    for number in range(5):
        call = ToolCall(str(number), "Read", ToolKind.READ, "f", result_bytes=50_000, failed=False)
        context.take(Step(number, StepKind.TOOL_CALL, number, call=call), price)
    assert context.close().at_peak() == []


def planted_site(folder: Path, *arguments: str) -> Path:
    runs: dict[str, Any] = {}
    rows = ["path,task,outcome,claimed"]
    for number, (task, passed) in enumerate(itertools.product("abcdefgh", (True, False))):
        hostile: Call = ("edit", {"file_path": "/w/tests/test_<b>go&.py"}, "ok", False)
        calls = [READ, EDIT, TEST] if passed else [READ, hostile, *map(fails, range(5))]
        records = claude(calls)
        for record in records:
            record["session_id"] = f"s{number}"
        records[-1] |= {"uuid": f"u{number}", "structured_output": {"done": True}}
        runs[f"runs/r{number}.jsonl"] = "\n".join(map(json.dumps, records))
        rows.append(
            f"r{number}.jsonl,{task},{'pass' if passed else 'fail'},{'no' if number == 0 else ''}"
        )
    campaigns.write(
        folder,
        {**runs, "o.csv": "\n".join(rows), "c.yaml": "inputs: [runs]\noutcomes: [{path: o.csv}]\n"},
    )
    done = sitegen(
        "build", "-c", folder / "c.yaml", "-o", folder / "site", "--no-cache", *arguments
    )
    assert done.returncode == 0, done.stderr
    return folder / "site"


@pytest.mark.parametrize("level", ["none", "outline", "full"])
def test_facts_of_a_run_lead_to_steps_and_hold_its_level(tmp_path: Path, level: str) -> None:
    site = planted_site(tmp_path, "--steps", level)
    pages = [path.read_text("utf-8") for path in (site / "runs").glob("*.html")]
    told = [page for page in pages if "5 calls failed in a row" in page]
    rows = json.loads((site / "data" / "runs.json").read_text("utf-8"))["runs"]
    found = Counter(tuple(row["signals"]) for row in rows)
    assert found == {(): 8, ("failed calls in a row", "tests edited", "edited without tests"): 8}
    assert Counter(row["tests"] for row in rows) == {"passed": 8, "none": 8}
    assert Counter(row["claimed"] for row in rows) == (
        {"no": 1, None: 15} if level == "none" else {"no": 1, "yes": 15}
    )
    assert len(told) == (0 if level == "none" else 8)
    for page in told:
        assert "test_&lt;b&gt;go&amp;.py" in page
        assert "<b>go" not in page
    behaviour = (site / "behaviour.html").read_text("utf-8")
    assert "+100" in behaviour or "not tested" in behaviour
    assert "signals=tests+edited&amp;outcome=fail" in behaviour


def test_a_claim_in_a_table_counts_before_that_of_the_answer_and_level_none_hides_the_latter() -> (
    None
):
    run = read(
        *[
            *claude([READ])[:-1],
            {**claude([READ])[-1], "structured_output": {"Tests-Passed": False, "x": 1}},
        ]
    )
    assert run.claimed is False
    assert run.at_level(Level.OUTLINE).claimed is False
    assert run.at_level(Level.NONE).claimed is None
    said = {**claude([READ])[-1], "result": "Done. All tests pass."}
    assert read(*claude([READ])[:-1], said).claimed is None


def judged(number: int, *, failed: bool, model: str = "A") -> Entry:
    outcome = Outcome.FAIL if failed else Outcome.PASS
    run = Run("Claude Code stream", Status.OK)
    source = Source(f"{number}", "", named=True, size=0)
    return Entry(
        f"r{number}", source, 0, "", run, "", task=f"t{number // 2}", model=model, outcome=outcome
    )


def of_failed(runs: list[Entry], has: Callable[[Entry], bool]) -> Gap | None:
    return gap(
        runs, has, side=lambda each: each.outcome is Outcome.FAIL, within=lambda each: each.model
    )


def test_the_gap_of_failed_runs_is_within_configurations() -> None:
    runs = [judged(number, failed=bool(number % 2)) for number in range(20)]
    has = {entry.id for entry in runs[1::2]} - {"r1"} | {"r2"}
    found = of_failed(runs, lambda entry: entry.id in has)
    assert found is not None
    assert found.difference == pytest.approx(0.8)
    assert found.interval.low < 0.8 < found.interval.high
    assert found.p < 0.01
    turned = of_failed(runs[::-1], lambda entry: entry.id in has)
    assert turned is not None
    assert turned.difference == pytest.approx(found.difference)
    apart = [
        judged(number, failed=number < 10, model="A" if number < 10 else "B")
        for number in range(20)
    ]
    assert of_failed(apart, lambda entry: entry.model == "A") is None


def test_what_no_run_contradicts_is_as_sure_as_its_tasks_are_many() -> None:
    """Failed runs never have it and passed ones always: a third is no float, and no certainty."""
    runs = [judged(number, failed=number % 3 == 0) for number in range(18)]
    for failed_have_it in (True, False):
        found = of_failed(
            runs, lambda entry, it=failed_have_it: (entry.outcome is Outcome.FAIL) == it
        )  # type: ignore[misc]
        assert found is not None
        assert found.p == 2.0**-8
    assert of_failed(runs, lambda _: True) is None


@pytest.mark.parametrize(("planted", "is_clear"), [(12, True), (3, False)])
def test_pairs_of_configurations_are_corrected_for_all_of_them(
    planted: int, is_clear: bool
) -> None:
    """On twelve tasks, B fails in a row on so many more than A and C do."""
    runs = []
    for task, model in product(range(12), "ABC"):
        counts = StepCounts(
            1,
            1,
            0,
            (0,),
            0,
            0,
            0,
            0,
            None,
            None,
            signals=("failures",) if model == "B" and task < planted else (),
        )
        entry = judged(task, failed=False, model=model)
        runs.append(
            replace(
                entry, id=f"{task}{model}", task=f"t{task}", run=replace(entry.run, steps=counts)
            )
        )
    (block,) = (block for block in behaviour_page(runs).view.blocks if block.id == "configurations")  # type: ignore[attr-defined]
    assert "After Holm over 2 pairs" in block.note
    assert (
        ("B +100 points against A" in block.note)
        == is_clear
        == ("no difference beyond chance" not in block.note)
    )


@pytest.mark.parametrize(("tasks", "recorded"), [(12, 12), (12, 5), (12, 4), (4, 4)])
def test_pairs_of_configurations_with_equal_shares_are_not_tested(
    tasks: int, recorded: int
) -> None:
    """Runs without a record of their steps are in no comparison."""
    counts = StepCounts(1, 1, 0, (0,), 0, 0, 0, 0, None, None, signals=("failures",))
    runs = [
        replace(
            run,
            id=f"{task}{model}",
            task=f"t{task}",
            run=replace(run.run, steps=counts if task < recorded else None),
        )
        for task, model in product(range(tasks), "AB")
        for run in [judged(task, failed=False, model=model)]
    ]
    (block,) = (block for block in behaviour_page(runs).view.blocks if block.id == "configurations")  # type: ignore[attr-defined]
    assert "No two configurations have a signal in unequal shares" in block.note
    unrecorded = [
        replace(run, id=f"C{run.id}", model="C", run=replace(run.run, steps=None)) for run in runs
    ]
    (block,) = (
        each
        for each in behaviour_page([*runs, *unrecorded]).view.blocks
        if each.id == "configurations"
    )  # type: ignore[attr-defined]
    assert [head.text for head in block.heads] == ["Signal", "A", "B", "All"]
    assert " 1 configuration without records left out." in block.note
    unknown = [replace(run, model=None) for run in runs[:1]]
    (block,) = (
        each
        for each in behaviour_page([*runs[1:], *unknown]).view.blocks
        if each.id == "configurations"
    )  # type: ignore[attr-defined]
    assert "last column alone has 1 run of another or an unknown configuration." in block.note


@pytest.mark.parametrize("mark", ["ok", "✓", "\ud800"])
@pytest.mark.parametrize(("words", "passes"), [("3 passed", True), ("1 failed, 2 passed", False)])
def test_what_tests_put_out_is_read_in_any_script(mark: str, words: str, *, passes: bool) -> None:
    output = f"{mark} {words} in 0.2s"
    found = traits_of_answer(0, ToolKind.RUN, "./check.sh", (), output, failed=False)
    assert bool(found & Trait.TEST) and bool(found & Trait.PASSING) is passes
