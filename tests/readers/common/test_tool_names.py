"""Tools by their names and inputs, and the programs that commands run."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.readers.common import tool_names
from sitegen.readers.common.tool_names import (
    command_of,
    first_line,
    kind_of,
    may_edit,
    path_of,
    paths_of,
    program,
    purpose_of,
    target_of,
    written_file,
)
from sitegen.steps import ToolKind


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("", ""),
        ("# a note", ""),
        ("X=1 Y+=2", ""),
        ("make all", "make all"),
        ("/usr/bin/make", "make"),
        ("'make' x", "make x"),
        ("X=1 sudo make", "make"),
        ("timeout 5s -k 2 make", "make"),
        ("nice -n 5 make", "make"),
        ("if true; then make; fi", "make"),
        ("ls; make", "make"),
        ("ls | cat", "ls"),
        ("rm a && mv b c || make", "make"),
        ("# make\ncargo", "cargo"),
        ("cat <<EOF\nmake\nEOF\nhead x", "cat"),
        ("git -C a log", "git log"),
        ("git -c a=b --no-pager diff", "git diff"),
        ("git", "git"),
        ("git Log", "git"),
        ("python", "python"),
        ("python -m pytest -q", "python -m pytest"),
        ("python -m", "python"),
        ("python -u a/b.py c.py", "python b.py"),
        ("bash -x -e x.sh", "bash x.sh"),
        ("bash -x -e -u x.sh", "bash"),
        ("node -e 'a b'", "node"),
    ],
)
def test_a_command_runs(command: str, name: str) -> None:
    assert program(command) == name


def test_a_program_is_looked_for_in_the_first_4000_characters() -> None:
    assert program(" " * 3996 + "make") == "make"
    assert program(" " * 3997 + "make") == "mak"


@pytest.mark.parametrize(
    ("name", "given", "kind"),
    [
        ("Bash", {}, ToolKind.RUN),
        ("bash", {"command": "make"}, ToolKind.RUN),
        ("Bash", {"command": " sleep 5"}, ToolKind.WAIT),
        ("Bash", {"command": "sleep"}, ToolKind.RUN),
        ("Bash", {"command": "cat > a <<E\nx\nE\n"}, ToolKind.EDIT),
        ("Bash", {"command": 5}, ToolKind.RUN),
        ("Read", {}, ToolKind.READ),
        ("read-ToolCall", {}, ToolKind.READ),
        ("Edit", {"command": "view"}, ToolKind.READ),
        ("Edit", {"command": "sleep 5"}, ToolKind.EDIT),
        ("nobody_knows", {"command": "view"}, ToolKind.OTHER),
    ],
)
def test_a_tool_is_of_a_kind(name: str, given: dict[str, Any], kind: ToolKind) -> None:
    assert kind_of(name, given) is kind


def test_only_a_tool_that_nobody_knows_may_edit() -> None:
    assert may_edit("nobody_knows") is True
    assert (may_edit("Bash"), may_edit("Edit"), may_edit("Read")) == (False, False, False)


@pytest.mark.parametrize(
    ("command", "file"),
    [
        ("cat > a.txt", None),
        ("cat > a.txt <<E\nx\nE\n", "a.txt"),
        ("cat >> 'a.txt' <<'E'\nx\nE\n", "a.txt"),
        ("tee a.txt <<E\nx\nE\n", "a.txt"),
        ("tee -a a.txt <<E\nx\nE\n", "a.txt"),
        ("# note\ncd b\n\ncat <<E > a\nx\nE\n", "a"),
        ("make\ncat > a <<E\nx\nE\n", None),
        ("cat > a <<E\nx\nE\nmake\n", None),
        ("cat > a <<E\nx\nE\n # done\n\n  echo done\n", "a"),
        ("make <<E\nx\nE\n", None),
    ],
)
def test_a_command_writes_a_text_into(command: str, file: str | None) -> None:
    assert written_file(command) == file


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("", ""),
        ("  \n make \n b", "make"),
        ("# a\nmake", "make"),
        ("# a\n# b", "# a"),
        ("cd x\nmake", "make"),
        ("cd x\nexport A=1", "cd x"),
        ("cd x && make", "cd x && make"),
        ("make \\\n all\nb", "make \\\n all"),
    ],
)
def test_the_first_line_of_a_command_that_says_what_it_does(command: str, line: str) -> None:
    assert first_line(command) == line


@pytest.mark.parametrize(
    ("given", "command"),
    [
        ({}, ""),
        ({"command": "make"}, "make"),
        ({"cmd": "make"}, "make"),
        ({"command": " ", "cmd": "b"}, "b"),
        ({"command": ["bash", "-lc", "make all"]}, "make all"),
        ({"command": "/bin/sh -c 'make all'"}, "make all"),
        ({"command": 'zsh -c "a"'}, "a"),
        ({"command": "sh -c 'a\""}, "'a\""),
        ({"command": "sh -c ''"}, "''"),
        ({"command": "sh -c ' '"}, "sh -c ' '"),
        ({"command": ["make", 1]}, ""),
        ({"command": []}, ""),
    ],
)
def test_a_command_is_without_its_shell(given: dict[str, Any], command: str) -> None:
    assert command_of(given) == command


OTHER, READ, EDIT, FETCH = ToolKind.OTHER, ToolKind.READ, ToolKind.EDIT, ToolKind.FETCH


@pytest.mark.parametrize(
    ("given", "kind", "target"),
    [
        ({}, OTHER, ""),
        ({"path": "p", "pattern": "x"}, READ, "p"),
        ({"path": "p", "pattern": "x"}, EDIT, "p"),
        ({"path": "p", "pattern": "x"}, OTHER, "x in p"),
        ({"pattern": "x", "path": 5}, OTHER, "x"),
        ({"pattern": "x"}, READ, "x"),
        ({"command": "cd a\nmake", "description": "d"}, OTHER, "make"),
        ({"command": "cat > a <<E\nx\nE\n"}, OTHER, "a"),
        ({"prompt": "p", "description": "d", "url": "u"}, OTHER, "d"),
        ({"description": "d", "url": "u"}, OTHER, "u"),
        ({"prompt": "p"}, OTHER, ""),
        ({"prompt": "p"}, FETCH, "p"),
        ({"task_id": "1", "bash_id": "2"}, OTHER, "1"),
        ({"bash_id": "2", "query": "q"}, OTHER, "2"),
        ({"query": "q", "name": "n"}, OTHER, "q"),
        ({"subagent_type": "s", "skill": "k"}, OTHER, "s"),
        ({"skill": "k", "name": "n"}, OTHER, "k"),
        ({"name": "n", "text": "t"}, OTHER, "n"),
    ],
)
def test_a_call_is_about(given: dict[str, Any], kind: ToolKind, target: str) -> None:
    assert target_of(given, kind) == target


def test_a_target_is_of_no_kind_unless_one_is_stated() -> None:
    assert target_of({"path": "p", "pattern": "x"}) == "x in p"


def test_the_purpose_is_the_description_of_a_command() -> None:
    assert purpose_of({"command": "a", "description": "d"}) == "d"
    assert purpose_of({"command": "a"}) == ""
    assert purpose_of({"description": "d"}) == ""


def test_the_path_of_an_input_is_the_first_text_under_one_of_its_names() -> None:
    assert path_of({"path": "b", "file_path": "a"}) == "a"
    assert path_of({"file_path": 5, "target_file": "t"}) == "t"
    assert path_of({"other": "a"}) is None


def test_an_input_edits_the_files_of_its_patch_or_the_one_that_it_names() -> None:
    begin = "*** Begin Patch\n"
    patch = f"{begin}*** Add File: a\n*** Update File: b \n*** Move to: c\n*** Delete File: d\n"
    assert paths_of({"input": patch, "path": "e"}, is_edit=True) == {"a", "b", "c", "d"}
    assert paths_of({"input": ["x", patch]}, is_edit=False) == {"a", "b", "c", "d"}
    assert paths_of({"input": patch.removeprefix(begin)}, is_edit=False) == frozenset()
    assert paths_of({"path": "e"}, is_edit=True) == {"e"}
    assert paths_of({"path": "e"}, is_edit=False) == frozenset()
    assert paths_of({"path": ""}, is_edit=True) == frozenset()


def test_targets_are_cut_at_their_limit() -> None:
    for size in (tool_names.MAX_TARGET - 1, tool_names.MAX_TARGET):
        assert target_of({"url": "u" * size}) == "u" * size
    assert len(target_of({"url": "u" * (tool_names.MAX_TARGET + 500)})) < 2_100
