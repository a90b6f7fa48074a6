"""What Claude Code's tools do, and what their inputs and answers say in few words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from sitegen.readers.common.programs import program
from sitegen.readers.common.tool_names import lines_of
from sitegen.readers.common.values import beginning
from sitegen.steps import ToolKind

_KINDS: dict[str, ToolKind] = {
    **dict.fromkeys(("Read", "NotebookRead", "LS", "View"), ToolKind.READ),
    **dict.fromkeys(("Grep", "Glob", "ToolSearch"), ToolKind.SEARCH),
    **dict.fromkeys(("Edit", "MultiEdit", "Write", "NotebookEdit"), ToolKind.EDIT),
    **dict.fromkeys(("Bash", "PowerShell"), ToolKind.RUN),
    **dict.fromkeys(("WebFetch", "WebSearch"), ToolKind.FETCH),
    **dict.fromkeys(("Task", "Agent"), ToolKind.TASK),
    **dict.fromkeys(("TaskOutput", "BashOutput", "AgentOutputTool", "Monitor", "Sleep"), ToolKind.WAIT),
}
_TARGETS = ("file_path", "notebook_path", "path", "url", "query", "description", "subagent_type", "skill", "name")
_SLEEPS = re.compile(r"\s*sleep [0-9.]")
_WRITE = re.compile(
    r"(?:cat|tee)\b(?=[^|;&]*<<)(?:[^|;&<>]*>>? ?|(?<=tee) +(?:-a +)?|[^|;&>]*>>? ?)(?P<file>[^\s<>|;&]{1,500})"
)
_SETS_UP = re.compile(r"(?:cd|source|export|set|mkdir) [^;&|]*")
_DELIMITER = re.compile(r"<<-?\s*['\"\\]?(\w+)")
_BEFORE_A_WRITE = re.compile(r"#|(?:cd|source|export|set|mkdir) [^\n]*$|$")
_EXIT_CODE = re.compile(r"\s*(?:Error: )?Exit code ([0-9]{1,5})\b")
_IN_BACKGROUND = re.compile(r"\s*Command (?:was )?running in (?:the )?background with ID: ([\w-]{1,64})")
_NOT_PERMITTED = re.compile(
    r"\s*(?:<tool_use_error>|Error: )?(?:The user doesn['’]t want to (?:proceed with|take) this|"
    r"Claude requested permissions? to|This (?:Bash )?command (?:requires|contains [^\n]{0,200} requires?) approval|"
    r"Permission to use [^\n]{0,200} has been denied|[^\n]{0,200}? was blocked\. For security)"
)
MAX_CHANGED_LINES = 2_000
MAX_TARGET = 2_000
"""Characters: it is masked first, and shortened to a line then."""


def kind_of(name: str, given: Mapping[str, Any]) -> ToolKind:
    """What a tool of this name does with this input. A command that begins with `sleep` waits, and one that writes a
    text into a file edits it."""
    if name == "Bash" and isinstance(command := given.get("command"), str):
        if _SLEEPS.match(command):
            return ToolKind.WAIT
        if written_file(command):
            return ToolKind.EDIT
    return _KINDS.get(name, ToolKind.OTHER)


@lru_cache(maxsize=16)  # of a call it is asked several times
def written_file(command: str) -> str | None:
    """The file into which a command does nothing but write a text (`cat > FILE <<EOF`), behind comments and `cd`."""
    if "<<" not in command:
        return None
    for line in map(str.strip, command[:2_000].split("\n")):
        if found := _WRITE.match(line):
            return found["file"].strip("'\"") if _ends_with_text(command, line) else None
        if not _BEFORE_A_WRITE.match(line):
            return None
    return None


def _ends_with_text(command: str, line: str) -> bool:
    """Whether nothing follows the text that this line of a command begins."""
    end = _DELIMITER.search(line)
    _, _, behind = command.partition(f"\n{end[1]}\n") if end else ("", "", "")
    return all(not each.strip() or each.lstrip().startswith(("#", "echo ")) for each in behind.split("\n"))


def first_line(command: str) -> str:
    """The first line of a command that says what it does: no comment, and no `cd` alone."""
    lines = [line.strip() for line in lines_of(command[:2_000]) if line.strip()]
    lines = [line for line in lines if not line.startswith("#")] or lines
    return next((line for line in lines if not _SETS_UP.fullmatch(line)), lines[0] if lines else "")


def target_of(given: Mapping[str, Any]) -> str:
    """The command, path, pattern or address of an input: of a command, the line that says what it does."""
    if isinstance(task := given.get("task_id") or given.get("bash_id"), str):
        return beginning(task, MAX_TARGET)
    if isinstance(pattern := given.get("pattern"), str):
        where = f" in {given['path']}" if isinstance(given.get("path"), str) else ""
        return beginning(f"{pattern}{where}", MAX_TARGET)
    if isinstance(command := given.get("command"), str):
        return beginning(written_file(command) or first_line(command), MAX_TARGET)
    if isinstance(given.get("description"), str) and isinstance(given.get("prompt"), str):  # of a subagent
        return beginning(given["description"], MAX_TARGET)
    found = next((given[key] for key in _TARGETS if isinstance(given.get(key), str)), "")
    return beginning(found, MAX_TARGET)  # any other text may be a prompt, or what a file holds


def purpose_of(given: Mapping[str, Any]) -> str:
    """What the agent says that it does with a command."""
    purpose = given.get("description") if "command" in given else None
    return beginning(purpose, MAX_TARGET) if isinstance(purpose, str) else ""


def program_of(given: Mapping[str, Any]) -> str:
    """The program that a command runs."""
    return program(command) if isinstance(command := given.get("command"), str) else ""


def path_of(given: Mapping[str, Any]) -> str | None:
    """The file that an edit changes."""
    found = given.get("file_path") or given.get("notebook_path")
    return found if isinstance(found, str) else None


def exit_code_of(answer: str, details: object) -> int | None:
    """Of a command: what its answer begins with, or what the program keeps of it."""
    if isinstance(details, dict) and type(code := details.get("exitCode")) is int and 0 <= code < 2**31:
        return code
    stated = _EXIT_CODE.match(answer)
    return int(stated[1]) if stated else None


def background_id(answer: str) -> str | None:
    """Under which id a command runs in the background, where its answer says that it does."""
    stated = _IN_BACKGROUND.match(answer)
    return stated[1] if stated else None


def is_denial(answer: str) -> bool:
    """Whether the answer of a failed call says that it was not permitted."""
    return _NOT_PERMITTED.match(answer) is not None


def changed_lines(given: Mapping[str, Any], details: object) -> tuple[int, int] | None:
    """Lines added and removed by an edit that succeeded, as the program keeps them; None where it does not."""
    if not isinstance(details, dict) or not isinstance(hunks := details.get("structuredPatch"), list):
        return None
    if not hunks and details.get("type") == "create" and isinstance(content := given.get("content"), str):
        return len(content.splitlines()), 0
    added = removed = 0
    for hunk in hunks:
        for line in _lines(hunk):
            added += line.startswith("+")
            removed += line.startswith("-")
    return added, removed


def changes_of(given: Mapping[str, Any], details: object) -> str:
    """The lines that an edit removes and adds, after `-` and `+`: from the patch, else from its input."""
    hunks = details.get("structuredPatch") if isinstance(details, dict) else None
    lines = [line for hunk in hunks for line in _lines(hunk)] if isinstance(hunks, list) else []
    if not lines:
        edits = given.get("edits") if isinstance(given.get("edits"), list) else [given]
        for edit in edits or ():
            old, new = (
                (edit.get("old_string"), edit.get("new_string", edit.get("content")))
                if isinstance(edit, dict)
                else (None, None)
            )
            lines += [f"-{line}" for line in old.splitlines()] if isinstance(old, str) else []
            lines += [f"+{line}" for line in new.splitlines()] if isinstance(new, str) else []
    more = [f"… {len(lines) - MAX_CHANGED_LINES:,} more lines"] if len(lines) > MAX_CHANGED_LINES else []
    return "\n".join(beginning(line, 2_000) for line in (*lines[:MAX_CHANGED_LINES], *more))


def _lines(hunk: object) -> list[str]:
    lines = hunk.get("lines") if isinstance(hunk, dict) else None
    return [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []


def text_of(answer: object) -> str:
    """The text of a tool's answer; of an image only that there is one."""
    if isinstance(answer, str):
        return answer
    if not isinstance(answer, list):
        return ""
    blocks = (block for block in answer if isinstance(block, dict))
    return "\n".join(
        text if isinstance(text := block.get("text"), str) else f"[{block.get('type')}]"[:100] for block in blocks
    )


def size_of(answer: object) -> int:
    """Bytes of a tool's answer, images included."""
    if isinstance(answer, str):
        return bytes_of(answer)
    if not isinstance(answer, list):
        return 0
    return sum(_block_size(block) for block in answer if isinstance(block, dict))


def _block_size(block: Mapping[str, Any]) -> int:
    source = block.get("source")
    data = source.get("data") if isinstance(source, dict) else block.get("text")
    return bytes_of(data) if isinstance(data, str) else 0


def bytes_of(text: str) -> int:
    """Of a text as UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
