"""What the answers of Claude Code's tools say, and what the program keeps of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sitegen.readers.common.call_counts import bytes_of
from sitegen.readers.common.values import beginning

_EXIT_CODE = re.compile(r"\s*(?:Error: )?Exit code ([0-9]{1,5})\b")
_IN_BACKGROUND = re.compile(r"\s*Command (?:was )?running in (?:the )?background with ID: ([\w-]{1,64})")
_NOT_PERMITTED = re.compile(
    r"\s*(?:<tool_use_error>|Error: )?(?:The user doesn['’]t want to (?:proceed with|take) this|"
    r"Claude requested permissions? to|This (?:Bash )?command (?:requires|contains [^\n]{0,200} requires?) approval|"
    r"Permission to use [^\n]{0,200} has been denied|[^\n]{0,200}? was blocked\. For security)"
)
MAX_CHANGED_LINES = 2_000


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
