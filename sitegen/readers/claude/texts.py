"""The texts of a run of Claude Code: the summary, its errors, what it was denied.

A result's text is the agent's account, unless the program wrote it: then it is an error, and the account is an earlier
result, or the last message of a stream. That is why the status and the texts are decided together.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from sitegen.model import Denial, Texts
from sitegen.readers.claude.endings import end_told
from sitegen.readers.common.fields import compact, indented
from sitegen.readers.common.records import is_true, value_at
from sitegen.readers.common.values import Caveats, Fields, beginning, shortened

MAX_DENIALS = 1000
MAX_INPUT = 20_000  # characters of one denied tool's input
MAX_STRUCTURED = 200_000
MAX_WANTED = 2_000  # characters of what such a tool was to work on

_WANTED = "command file_path notebook_path path url pattern query prompt description".split()
# Fields of a structured answer that state whether the task is done; the first counts.
_CLAIMS = (
    "done taskdone success succeeded completed taskcompleted solved fixed resolved "
    "testspassed alltestspassed"
).split()
_SEPARATORS = re.compile(r"[\s_-]+")


def claim_of(structured: object) -> bool | None:
    """Return whether a structured answer states that the task is done; None where no field of it says so."""
    if not isinstance(structured, dict):
        return None
    stated = {_SEPARATORS.sub("", str(name).lower()): value for name, value in structured.items()}
    for name in _CLAIMS:
        claim = stated.get(name)
        if isinstance(claim, bool):
            return claim
    return None


def texts_of_run(results: Sequence[Fields], last_message: str | None, caveats: Caveats) -> Texts:
    """Return the summary with its origin, the errors, the denials and the structured output; `fields` come later."""
    *earlier, last = background_first(results)
    structured = last.record.get("structured_output")
    if structured is not None:
        last.use("structured_output")
    summary = _account(last)
    origin = None if last is results[-1] else "an earlier result"
    if summary is None and structured is None:
        summary = next(filter(None, map(_account, reversed(earlier))), None)
        origin = "an earlier result"
    if summary is None and structured is None:
        summary = last_message
        origin = "the last message" if last_message else None
    errors: dict[str, None] = {}
    for result in results:
        errors |= dict.fromkeys(errors_of(result))
    denials = tuple(_denials(denials_of(results) or [], caveats))
    shown = None if structured is None else indented(structured, MAX_STRUCTURED)
    return Texts(summary, origin, tuple(errors), denials, shown)


def denials_of(results: Sequence[Fields]) -> list[Any] | None:
    """Return what was denied in all turns, each once; None when no result says."""
    denials: list[Any] = []
    seen: set[str | None] = set()
    is_stated = False
    for result in results:
        listed = result.items("permission_denials")
        if listed is None:
            continue
        fresh = [denial for denial in listed if not is_stated or _is_fresh(denial, seen)]
        denials += fresh
        seen.update(map(_id_of, fresh))
        is_stated = True
    return denials if is_stated else None


def _is_fresh(denial: object, seen: set[str | None]) -> bool:
    id_ = _id_of(denial)
    return id_ is None or id_ not in seen


def background_first(results: Sequence[Fields]) -> list[Fields]:
    """Return the results in their order, but those of background tasks first: what the agent says when it is notified
    of the end of one is no answer to its prompt."""
    return sorted(
        results,
        key=lambda result: value_at(result.record, "origin.kind") != "task-notification",
    )


def _account(result: Fields) -> str | None:
    """Return a result's text, where the agent wrote it and it is not empty."""
    text = result.text("result")
    return text if text and text.strip() and not _is_error_text(result, text) else None


def _is_error_text(result: Fields, text: str) -> bool:
    """Return whether the program wrote a result's text: it says so, or no model wrote a word and it reads like one."""
    if is_true(result.record, "is_error"):
        return True
    usage = result.record.get("usage")
    is_silent = isinstance(usage, dict) and usage.get("output_tokens") == 0
    return is_silent and end_told(text) is not None


def errors_of(result: Fields) -> Iterator[str]:
    """Yield the texts of errors in one result, in its order."""
    for error in result.items("errors") or ():
        yield error if isinstance(error, str) else compact(error)
    if isinstance(error := result.record.get("error"), str) and error.strip():
        result.use("error")
        yield error
    text = result.text("result")
    if text and text.strip() and _is_error_text(result, text):
        yield text


def _id_of(denial: object) -> str | None:
    id_ = denial.get("tool_use_id") if isinstance(denial, dict) else None
    return id_ if isinstance(id_, str) else None


def _denials(denials: Sequence[Any], caveats: Caveats) -> Iterator[Denial]:
    if len(denials) > MAX_DENIALS:
        text = (
            f"The run was denied {len(denials):,} tool calls; the first {MAX_DENIALS:,} are shown."
        )
        caveats.add("W_LIMIT", text)
    for denial in denials[:MAX_DENIALS]:
        entry = denial if isinstance(denial, dict) else {"tool_input": denial}
        tool = entry.get("tool_name")
        arguments = entry.get("tool_input")
        name = shortened(tool, 200) if isinstance(tool, str) and tool.strip() else "unknown tool"
        wanted, is_target = _wanted(arguments)
        shown = "" if arguments in (None, {}) else indented(arguments, MAX_INPUT)
        yield Denial(name, wanted, shown, is_target)


def _wanted(arguments: object) -> tuple[str, bool]:
    """Return the command, path or address of a tool's input, else its first text with its name; and which it is."""
    texts: dict[str, str] = {}
    if isinstance(arguments, dict):
        texts = {key: value for key, value in arguments.items() if isinstance(value, str)}
    for key in _WANTED:
        if key in texts:
            return beginning(texts[key], MAX_WANTED), key != "prompt"
    first = next((f"{key}: {value}" for key, value in texts.items()), "")
    return beginning(first, MAX_WANTED), False
