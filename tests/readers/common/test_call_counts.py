"""Files and lines that a run edited: counted, taken from the final patch, or unknown; and each file once."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from sitegen.model import StepCounts
from sitegen.readers.common.builder import Format, RunBuilder
from sitegen.readers.common.call_counts import CallCounts, one_name_each
from sitegen.readers.common.tool_log import ToolResult
from sitegen.steps import ToolKind
from tests.readers.harness.test_harness import run_of
from tests.support.agent_runs import read
from tests.support.harness_runs import MINI_SWE, OPENHANDS, SWE_AGENT

PATCH = "diff --git a/tide.py b/tide.py\n--- a/tide.py\n+++ b/tide.py\n@@ -1,2 +1,3 @@\n x\n-y\n+z\n+--- z\n"


@pytest.mark.parametrize(
    ("paths", "folder", "files"),
    [
        (
            ["./a.py", "a.py", "/repo/a.py", "/repo/./a.py", "/repo//a.py", "/repo/b/../a.py"],
            None,
            {"/repo/a.py"},
        ),
        (["a.py", "/repo/a.py"], "/repo/", {"/repo/a.py"}),
        (["a.py", "/repo/sub/a.py"], "/repo", {"/repo/a.py", "/repo/sub/a.py"}),
        (["a//b.py", "a/b.py"], None, {"a/b.py"}),
        (["a/main.py", "b/main.py"], None, {"a/main.py", "b/main.py"}),
        (["A.py", "a.py"], "/repo", {"/repo/A.py", "/repo/a.py"}),
        (
            ["main.py", "/x/a/main.py", "/x/b/main.py"],
            None,
            {"main.py", "/x/a/main.py", "/x/b/main.py"},
        ),
        (["src/a.py", "/repo/src/a.py", "/var/a.txt"], None, {"/repo/src/a.py", "/var/a.txt"}),
        (["C:\\repo\\a.py", "a.py", "c:/repo/a.py"], "C:\\repo", {"C:/repo/a.py"}),
        (["../a.py", "/repo/a.py"], "/repo/sub", {"/repo/a.py"}),
        (["/linked/a.py", "/repo/a.py"], "/repo", {"/linked/a.py", "/repo/a.py"}),
        ([], "/repo", set()),
        (["/a.py", "a.py"], None, {"/a.py", "a.py"}),
        (["/d" * 80 + "/a.py", "a.py"], None, {"/d" * 80 + "/a.py"}),
    ],
)
def test_a_file_has_one_name(paths: list[str], folder: str | None, files: set[str]) -> None:
    assert one_name_each(paths, folder) == files
    assert one_name_each(paths[::-1], folder) == files


def counted(
    *edits: tuple[list[str], tuple[int, int] | None], unseen: bool = False
) -> tuple[Any, ...]:
    calls = CallCounts()
    calls.asked(ToolKind.OTHER if unseen else ToolKind.READ, may_edit=unseen)
    for paths, lines in edits:
        calls.edited(paths, lines)
    return figures(calls.counts(steps=1, compactions=0, peak=None))


def figures(steps: StepCounts | None) -> tuple[Any, ...]:
    assert steps is not None
    return steps.files_edited, steps.lines_added, steps.lines_removed


@pytest.mark.parametrize(
    ("edits", "unseen", "expected"),
    [
        ([], False, (0, 0, 0)),
        ([], True, (None, None, None)),
        ([(["a"], (2, 1)), (["b"], (1, 0))], False, (2, 3, 1)),
        ([(["a"], (2, 1)), (["b"], None)], False, (2, None, None)),
        ([(["a"], (2, 1))], True, (1, 2, 1)),
        ([([], None)], False, (None, None, None)),
        ([([], (0, 0))], False, (None, None, None)),
    ],
)
def test_no_line_is_counted_only_where_one_would_have_been_seen(
    edits: list[tuple[list[str], tuple[int, int] | None]],
    *,
    unseen: bool,
    expected: tuple[Any, ...],
) -> None:
    assert counted(*edits, unseen=unseen) == expected


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        (PATCH, (1, 2, 1)),
        (PATCH.partition("\n")[2], (1, 2, 1)),  # without the line of git
        (
            PATCH + "diff --git a/b.bin b/b.bin\nBinary files a/b.bin and b/b.bin differ\n",
            (2, 2, 1),
        ),
        ("", (None, None, None)),
        ("no patch", (None, None, None)),
    ],
)
def test_an_agent_that_has_commands_alone_edited_what_its_patch_says(
    patch: str, expected: tuple[Any, ...]
) -> None:
    trajectory = copy.deepcopy(MINI_SWE)
    trajectory["info"]["submission"] = patch
    assert figures(run_of(trajectory).steps) == expected


def test_a_patch_states_lines_where_no_edit_is_in_the_record() -> None:
    instance = copy.deepcopy(OPENHANDS)
    instance["test_result"]["git_patch"] = PATCH
    assert figures(run_of(instance).steps) == (1, 2, 1)  # those of the edit: /w/a.py, +y, +z, -x
    instance["history"] = [each for each in instance["history"] if "edit" not in each.values()]
    assert figures(run_of(instance).steps) == (1, 2, 1)


def test_a_patch_has_the_lines_of_edits_without_a_path() -> None:
    run = RunBuilder(Format("x"))
    run.add_call("t1", "Edit", {})
    run.add_result(ToolResult("t1", "ok", lines=(2, 1)))
    run.tools.add_patch("no patch")
    assert figures(run.counts()) == (None, 2, 1)
    run.tools.add_patch(PATCH)
    assert figures(run.counts()) == (1, 2, 1)


def test_results_that_were_taken_make_room_for_later_ones() -> None:
    run = RunBuilder(Format("x"))
    for number in range(12):
        run.add_result(ToolResult(f"t{number}", "x" * 1_000_000))
        run.tools.take_early_results()
        run.add_call(f"t{number}", "Bash", {})
        run.tools.take_early_results()
    steps = run.counts()
    assert (steps.tool_calls, steps.tool_failures) == (12, 0)


def trajectory(*turns: tuple[str, str | None, str | None]) -> dict[str, Any]:
    """A trajectory of SWE-agent: actions, with the open file and the folder after each."""
    found = copy.deepcopy(SWE_AGENT)
    found["info"]["submission"] = None
    found["trajectory"] = [
        {
            "action": action,
            "observation": "ok",
            "state": json.dumps({"open_file": file, "working_dir": folder}),
        }
        for action, file, folder in turns
    ]
    return found


@pytest.mark.parametrize(
    ("turns", "files"),
    [
        ([("create a.py", "/r/a.py", "/r"), ("edit 1:1\nx\nend_of_edit", "/r/a.py", "/r")], 1),
        ([("create a.py", "/r/a.py", None), ("edit 1:1\nx\nend_of_edit", "/r/a.py", None)], 1),
        (
            [
                ("edit 1:1\nself.x = 1\nend_of_edit", "/r/a.py", "/r"),
                ("edit 2:2\ny\nend", "/r/a.py", "/r"),
            ],
            1,
        ),
        ([("create a.py", "/r/b/a.py", "/r/b"), ("edit 1:1\nx\nend_of_edit", "/r/a.py", "/r")], 2),
        (
            [
                ("str_replace_editor create /r/a.py --file_text 'x.y'", None, "/r"),
                ("create ./a.py", "n/a", "/r"),
            ],
            1,
        ),
        ([("edit 1:1\nx\nend_of_edit", "n/a", "/r")], None),
    ],
)
def test_sweagent_names_a_file_relatively_and_by_its_folder(
    turns: list[Any], files: int | None
) -> None:
    steps = run_of(trajectory(*turns)).steps
    assert steps is not None
    assert steps.files_edited == files
    assert (steps.lines_added, steps.lines_removed) == (None, None)


@pytest.mark.parametrize("order", [1, -1])
def test_codex_names_a_file_relatively_and_absolutely(order: int) -> None:
    def changed(path: str) -> dict[str, Any]:
        change = {"type": "update", "unified_diff": "@@ -1 +1 @@\n-x\n+y"}
        return {
            "type": "event_msg",
            "payload": {"type": "patch_apply_end", "success": True, "changes": {path: change}},
        }

    meta = {
        "type": "session_meta",
        "payload": {"id": "s1", "cli_version": "0.150.0", "cwd": "/srv/tide"},
    }
    said = {"type": "event_msg", "payload": {"type": "user_message", "message": "Mend the tide"}}
    paths = ["/srv/tide/a.py", "a.py", "./a.py", "b/a.py"][::order]
    run = read({**meta, "timestamp": "2026-05-01T10:00:00Z"}, said, *map(changed, paths))
    assert figures(run.steps) == (2, 4, 4)
