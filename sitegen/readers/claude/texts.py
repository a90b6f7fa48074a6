"""What a run of Claude Code says: the summary, its errors, what it was denied, and every field left over.

A result's text is the agent's account, unless the program wrote it: then it is an error, and the account is an earlier
result, or the last message of a stream. That is why the status and the texts are decided together.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from sitegen.model import Denial, Texts
from sitegen.readers.claude import status as claude_status
from sitegen.readers.common.fields import Rows, compact, field_kinds, indented
from sitegen.readers.common.values import Caveats, Fields, beginning, shortened

MAX_DENIALS = 1000
MAX_INPUT = 20_000
"""Characters of one denied tool's input."""
MAX_STRUCTURED = 200_000
MAX_ERRORS = 50

_CLAIMS = (
    "done", "taskdone", "success", "succeeded", "completed", "taskcompleted", "solved", "fixed", "resolved",
    "testspassed", "alltestspassed",
)  # fmt: skip
"""Fields of a structured answer that state whether the task is done; the first counts."""
_SEPARATORS = re.compile(r"[\s_-]+")
_WANTED = ("command", "file_path", "notebook_path", "path", "url", "pattern", "query", "prompt", "description")
KINDS_OF_FIELDS = field_kinds(
    fact="init.tools init.slash_commands init.agents init.skills init.mcp_servers init.plugins.name",
    answer="results.result",
    content="results",
)


def texts(results: Sequence[Fields], last_message: str | None, caveats: Caveats) -> Texts:
    """The summary with its origin, the errors, the denials and the structured output; `fields` come later."""
    last = results[-1]
    structured = last.record.get("structured_output")
    if structured is not None:
        last.use("structured_output")
    summary, origin = _account(last), None
    if summary is None and structured is None:
        summary = next((text for result in reversed(results[:-1]) if (text := _account(result))), None)
        origin = "an earlier result" if summary else "the last message" if last_message else None
        summary = summary or last_message
    errors = tuple(dict.fromkeys(text for result in results for text in errors_of(result)))
    if len(errors) > MAX_ERRORS:
        caveats.add("W_LIMIT", f"The run reports {len(errors):,} errors; the first {MAX_ERRORS} are shown.")
    return Texts(
        summary=summary,
        summary_origin=origin,
        errors=errors[:MAX_ERRORS],
        denials=tuple(_denials(denied(results) or [], caveats)),
        structured_output=None if structured is None else indented(structured, MAX_STRUCTURED),
    )


def claim_of(structured: object) -> bool | None:
    """Return whether a structured answer states that the task is done; None where no field of it says so."""
    if not isinstance(structured, dict):
        return None
    stated = {_SEPARATORS.sub("", str(name).lower()): value for name, value in structured.items()}
    return next((stated[name] for name in _CLAIMS if isinstance(stated.get(name), bool)), None)


def denied(results: Sequence[Fields]) -> list[Any] | None:
    """What was denied in all turns, each once; None when no result says."""
    lists = [found for result in results if (found := result.items("permission_denials")) is not None]
    if not lists:
        return None
    everything = list(lists[0])
    seen = {_id(denial) for denial in everything}
    for later in lists[1:]:
        fresh = [denial for denial in later if _id(denial) is None or _id(denial) not in seen]
        everything += fresh
        seen.update(_id(denial) for denial in fresh)
    return everything


def list_fields(
    rows: Rows,
    shown: Container[str | None],
    results: Sequence[Fields],
    init: Fields,
    kinds: Mapping[str, int],
    unread: Mapping[str, Any],
) -> None:
    """Every field that no section shows: of the last result, of a stream's beginning, and how many records it has.

    `shown` are the texts that sections show, `unread` is what is left of `modelUsage`.
    """
    for number, result in enumerate(results[:-1]):
        said = result.record.get("result")
        rest = {name: v for name, v in result.record.items() if name not in ("type", "result")}
        rows.add(f"results[{number}]", compact(rest))
        if isinstance(said, str) and said not in shown:
            rows.add(f"results[{number}].result", said)
    if results:
        last = results[-1]
        last.use("type")
        for name, value in last.rest(*claude_status.FIELDS).items():
            if name == "modelUsage" and isinstance(value, dict):
                value = unread
            elif name == "usage" and isinstance(value, dict):
                value = {key: inner for key, inner in value.items() if key != "service_tier"}
            if value or not isinstance(value, dict) or not last.record[name]:
                rows.add(name, value)
    for name, value in init.rest().items():
        if name not in ("type", "subtype"):
            rows.add(f"init.{name}", value)
    if len(kinds) > 1:
        for kind, count in kinds.items():
            rows.add(f"records.{kind}", count)
    for number, denial in enumerate((denied(results) or [])[:MAX_DENIALS]):
        if isinstance(denial, dict):
            rest = {name: value for name, value in denial.items() if name not in ("tool_name", "tool_input")}
            if rest:
                rows.add(f"permission_denials[{number}]", rest)


def _account(result: Fields) -> str | None:
    """A result's text, where the agent wrote it and it is not empty."""
    text = result.text("result")
    return text if text and text.strip() and not _is_error_text(result, text) else None


def _is_error_text(result: Fields, text: str) -> bool:
    """Whether the program wrote a result's text: it says so, or no model wrote a word and it reads like one."""
    if result.record.get("is_error") is True:
        return True
    usage = result.record.get("usage")
    silent = isinstance(usage, dict) and usage.get("output_tokens") == 0
    return silent and claude_status.is_message_of_the_program(text)


def errors_of(result: Fields) -> Iterator[str]:
    """The texts of errors in one result, in its order."""
    for error in result.items("errors") or ():
        yield error if isinstance(error, str) else compact(error)
    if isinstance(error := result.record.get("error"), str) and error.strip():
        result.use("error")
        yield error
    text = result.text("result")
    if text and text.strip() and _is_error_text(result, text):
        yield text


def _id(denial: object) -> str | None:
    found = denial.get("tool_use_id") if isinstance(denial, dict) else None
    return found if isinstance(found, str) else None


def _denials(found: Sequence[Any], caveats: Caveats) -> Iterator[Denial]:
    if len(found) > MAX_DENIALS:
        text = f"The run was denied {len(found):,} tool calls; the first {MAX_DENIALS:,} are shown."
        caveats.add("W_LIMIT", text)
    for denial in found[:MAX_DENIALS]:
        entry = denial if isinstance(denial, dict) else {"tool_input": denial}
        tool, wish = entry.get("tool_name"), entry.get("tool_input")
        wanted, is_target = _wanted(wish)
        yield Denial(
            tool=shortened(tool, 200) if isinstance(tool, str) and tool.strip() else "unknown tool",
            wanted=wanted,
            input_json=indented(wish, MAX_INPUT) if wish not in (None, {}) else "",
            is_target=is_target,
        )


def _wanted(wish: object) -> tuple[str, bool]:
    """The command, path or address of a tool's input, else its first text with its name; and which it is."""
    texts = {key: value for key, value in wish.items() if isinstance(value, str)} if isinstance(wish, dict) else {}
    known = next((key for key in _WANTED if key in texts), None)
    said = texts[known] if known else next((f"{key}: {value}" for key, value in texts.items()), "")
    return beginning(said, 2000), known not in (None, "prompt")
