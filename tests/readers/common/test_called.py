"""The names of what a call uses."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.readers.common.called import names_of_call
from sitegen.steps import ToolKind

OTHER, TASK, READ, RUN = ToolKind.OTHER, ToolKind.TASK, ToolKind.READ, ToolKind.RUN


@pytest.mark.parametrize(
    ("name", "given", "kind", "command", "names"),
    [
        ("", {}, OTHER, "", []),
        ("Bash", {}, OTHER, "make", ["Bash"]),
        ("mcp__git__log", {}, OTHER, "", ["mcp__git__log", "mcp", "git", "log"]),
        ("hub_find_code", {}, OTHER, "", ["hub_find_code", "hub", "hub_find"]),
        ("a/b.c", {}, OTHER, "", ["a/b.c", "a", "b", "c"]),
        (
            "mcp__plugin_db__q",
            {},
            OTHER,
            "",
            ["mcp__plugin_db__q", "mcp", "db", "q", "plugin"],
        ),
        ("Skill", {"skill": "pdf"}, OTHER, "", ["Skill", "skill", "pdf"]),
        ("Skill", {"skill_name": "a"}, OTHER, "", ["Skill", "skill", "a"]),
        ("Skill", {"skillName": "b"}, OTHER, "", ["Skill", "skill", "b"]),
        ("Skill", {"name": "c", "text": "d"}, OTHER, "", ["Skill", "skill", "c"]),
        ("Skill", {"skill": 5, "command": "/e"}, OTHER, "", ["Skill", "skill", "e"]),
        (
            "use_SKILL",
            {"skill": "p:s"},
            READ,
            "",
            ["use_SKILL", "use", "skill", "p:s", "p", "s", "plugin"],
        ),
        ("Task", {"subagent_type": "x", "name": "y"}, TASK, "", ["Task", "x"]),
        ("Task", {"agent_type": "x"}, TASK, "", ["Task", "x"]),
        ("Task", {"agent_name": "x"}, TASK, "", ["Task", "x"]),
        ("Task", {"agent": "x"}, TASK, "", ["Task", "x"]),
        ("Task", {"agent": "x"}, OTHER, "", ["Task"]),
        ("Read", {"path": "/s/pdf/SKILL.md"}, READ, "", ["Read", "skill", "pdf"]),
        ("Read", {"path": "s\\pdf\\SKILL.md"}, READ, "", ["Read", "skill", "pdf"]),
        ("Read", {"path": "SKILL.md"}, READ, "", ["Read"]),
        ("Read", {}, READ, "", ["Read"]),
        ("Bash", {}, RUN, "git log", ["Bash", "git log"]),
        ("Bash", {}, RUN, "cat a/SKILL.md", ["Bash", "cat", "skill", "a"]),
    ],
)
def test_a_call_uses(
    name: str, given: dict[str, Any], kind: ToolKind, command: str, names: list[str]
) -> None:
    assert list(names_of_call(name, given, kind, command)) == names


def test_eight_parts_skills_and_words_are_looked_at() -> None:
    assert list(names_of_call(".".join("abcdefghi"), {}, OTHER, ""))[1:] == list("abcdefgh")
    words = list(names_of_call("a-b-c-d-e-f-g-h-i-j", {}, OTHER, ""))
    assert (len(words), words[-1]) == (9, "a-b-c-d-e-f-g-h")
    command = "".join(f"{skill}/SKILL.md " for skill in "abcdefghi")
    names = list(names_of_call("Bash", {}, RUN, f"less {command}"))
    assert names[2:] == [name for skill in "abcdefgh" for name in ("skill", skill)]


def test_a_command_is_looked_at_in_its_first_4000_characters() -> None:
    command = "x " + " " * 3987 + "a/SKILL.md"
    assert len(command) == 3999
    for blanks, names in (("", ["skill", "a"]), (" ", ["skill", "a"]), ("  ", [])):
        assert list(names_of_call("Bash", {}, RUN, blanks + command))[2:] == names
