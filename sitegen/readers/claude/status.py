"""How a run of Claude Code ended, decided from everything its last result says.

No field decides alone: `subtype` was `success` beside `is_error: true` in a tenth of real results, the meaning of
`is_error` for a turn limit flipped between versions, and older versions put the sentence of a usage limit where the
summary stands. The order here is: limits the user set, then what the error text says, then the reasons newer
versions name, then the flag.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sitegen.model import Status
from sitegen.readers.common.values import Caveats, Fields, brief

_LIMITS = {
    "error_max_turns": "turn limit",
    "error_max_budget_usd": "budget limit",
    "error_max_structured_output_retries": "structured output",
}
_KNOWN_SUBTYPES = frozenset({"success", "error", "error_during_execution", *_LIMITS})

_ENDINGS = {
    "completed": None,
    "tool_deferred": (Status.OK, "tool deferred"),
    "background_requested": (Status.INTERRUPTED, "moved to background"),
    "aborted_streaming": (Status.INTERRUPTED, "aborted"),
    "aborted_tools": (Status.INTERRUPTED, "aborted"),
    "max_turns": (Status.FAILED, "turn limit"),
    "budget_exhausted": (Status.FAILED, "budget limit"),
    "structured_output_retry_exhausted": (Status.FAILED, "structured output"),
    "prompt_too_long": (Status.FAILED, "prompt too long"),
    "rapid_refill_breaker": (Status.FAILED, "context refilled"),
    "image_error": (Status.FAILED, "image error"),
    "malformed_tool_use_exhausted": (Status.FAILED, "malformed tool use"),
    "tool_deferred_unavailable": (Status.FAILED, "tool unavailable"),
    "blocking_limit": (Status.STOPPED, "usage limit"),
    "api_error": (Status.STOPPED, "API error"),
    "model_error": (Status.STOPPED, "model error"),
    "stop_hook_prevented": (Status.STOPPED, "stopped by hook"),
    "hook_stopped": (Status.STOPPED, "stopped by hook"),
    "turn_setup_failed": (Status.STOPPED, "setup failed"),
}
"""`terminal_reason` of SDK 0.2.90 to 0.3.329. None decides nothing: failed logins are "completed" too."""

_SAID = (
    (
        re.compile(
            r"(?:you['’]ve|you have) (?:hit|reached) your\b[^\n]{0,40}\blimit\b|[^\n]{0,40}\blimit reached\b|"
            r"you['’]re out of extra usage\b",
            re.IGNORECASE,
        ),
        Status.STOPPED,
        "usage limit",
    ),
    (
        re.compile(
            r"[^\n]{0,200}?(?:\bnot logged in\b|please run /login\b|\binvalid (?:x-)?api[ -]key\b|"
            r"\bauthentication_error\b|\boauth token (?:has )?(?:expired|revoked)|\bfailed to authenticate\b)",
            re.IGNORECASE,
        ),
        Status.STOPPED,
        "not logged in",
    ),
    (re.compile(r"[^\n]{0,200}?\bcredit balance is too low\b", re.IGNORECASE), Status.STOPPED, "no credit"),
    (re.compile(r"prompt is too long\b|conversation too long\b", re.IGNORECASE), Status.FAILED, "prompt too long"),
    (
        re.compile(r"(?:api error: )?request was aborted\b|\[?request interrupted\b", re.IGNORECASE),
        Status.INTERRUPTED,
        "aborted",
    ),
    (re.compile(r"api error\b(?:[: (]{1,3}(?P<http>[1-5][0-9]{2})\b)?", re.IGNORECASE), Status.STOPPED, "API error"),
)
"""How error texts begin, the most telling first."""


FIELDS = ("subtype", "is_error", "terminal_reason", "stop_reason", "api_error_status")
"""What decides; listed as it is besides, because only the outcome is shown."""


def decide(last: Fields, said: Sequence[str], caveats: Caveats) -> tuple[Status, str | None]:
    """The status, and why in two or three words, from the last result and the texts of its errors."""
    record = last.record
    subtype, reason, is_error = last.text("subtype"), last.text("terminal_reason"), last.flag("is_error")
    answered = record.get("structured_output") is not None or bool((last.text("result") or "").strip())
    if not answered and record.get("result") is None and subtype in (None, "success"):
        caveats.add("W_MISSING", "The result has no text.")
    if subtype is not None and subtype not in _KNOWN_SUBTYPES:
        caveats.add("W_UNKNOWN", f"The subtype {brief(subtype)} is unknown.")
    if reason is not None and reason not in _ENDINGS:
        caveats.add("W_UNKNOWN", f"The terminal_reason {brief(reason)} is unknown.")
    if subtype in _LIMITS:
        return Status.FAILED, _LIMITS[subtype]
    if record.get("startup_failure_reason") is not None:
        return Status.STOPPED, "startup failed"
    http = last.count("api_error_status")
    http = http if http is not None and http >= 400 else None
    if found := _said(said):
        status, detail = found
        return status, f"API error {http}" if detail == "API error" and http else detail
    ending = _ENDINGS.get(reason or "")
    if ending and ending[0] is not Status.OK:
        return ending
    if http:
        return Status.STOPPED, f"API error {http}"
    if is_error or (subtype or "").startswith("error"):
        return _failed(last)
    if ending:
        return ending
    if not isinstance(record.get("is_error"), bool | None):
        return Status.UNKNOWN, None
    if subtype not in (None, "success") or (subtype is None and is_error is None):
        return Status.UNKNOWN, None if subtype else "not stated"
    return Status.OK, None if answered else "no answer"


def _said(texts: Sequence[str]) -> tuple[Status, str] | None:
    for text in texts:
        start = text[:1000].lstrip()
        for pattern, status, detail in _SAID:
            if found := pattern.match(start):
                http = found.groupdict().get("http")
                return status, f"{detail} {http}" if http else detail
    return None


def _failed(last: Fields) -> tuple[Status, str]:
    if last.text("subtype") == "error_during_execution":
        return Status.FAILED, "error during execution"
    if last.text("stop_reason") == "stop_sequence" and last.flag("is_error"):  # as the program's own messages have it
        return Status.STOPPED, "error message"
    return Status.FAILED, "error"


def of_message(text: str) -> tuple[Status, str] | None:
    """How a run ended whose last words are a message of the program; None when the text is none."""
    return _said((text,))


def is_message_of_the_program(text: str) -> bool:
    """Whether a text reads like one that no model wrote: a limit, a failed login, an API error."""
    return of_message(text) is not None
