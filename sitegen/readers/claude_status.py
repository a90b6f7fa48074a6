"""How a run of Claude Code ended, decided from everything its last result says.

No field decides alone: `subtype` was `success` beside `is_error: true` in a tenth of real results, the meaning of
`is_error` for a turn limit flipped between versions, and older versions put the sentence of a usage limit where the
summary stands. The order here is: limits the user set, then what the error text says, then the reasons newer
versions name, then the flag.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sitegen.model import Status
from sitegen.readers.values import Caveats, brief

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


@dataclass(frozen=True, slots=True)
class Ending:
    """What a result says about its end, each field narrowed."""

    subtype: str | None
    is_error: bool | None
    is_error_readable: bool
    terminal_reason: str | None
    stop_reason: str | None
    startup_failure: bool
    http_status: int | None
    said: tuple[str, ...]
    """Texts of errors; and the result's text, where no model wrote it."""
    answered: bool
    """Whether there is a text or a structured output."""


def decide(end: Ending, caveats: Caveats) -> tuple[Status, str | None]:
    """The status, and why in two or three words."""
    if end.subtype is not None and end.subtype not in _KNOWN_SUBTYPES:
        caveats.add("W_UNKNOWN", f"The subtype {brief(end.subtype)} is unknown.")
    if end.terminal_reason is not None and end.terminal_reason not in _ENDINGS:
        caveats.add("W_UNKNOWN", f"The terminal_reason {brief(end.terminal_reason)} is unknown.")
    ending = _ENDINGS.get(end.terminal_reason or "")
    if end.subtype in _LIMITS:
        return Status.FAILED, _LIMITS[end.subtype]
    if end.startup_failure:
        return Status.STOPPED, "startup failed"
    said = _said(end.said)
    http = end.http_status if end.http_status is not None and end.http_status >= 400 else None
    failed = end.is_error or http or (end.subtype or "").startswith("error") or (ending and ending[0] is not Status.OK)
    if said:
        status, detail = said
        return status, f"API error {http}" if detail == "API error" and http else detail
    if failed:
        return _failed(end, ending, http)
    if ending:
        return ending
    if not end.is_error_readable:
        return Status.UNKNOWN, None
    if end.subtype not in (None, "success") or (end.subtype is None and end.is_error is None):
        return Status.UNKNOWN, None if end.subtype else "not stated"
    return Status.OK, None if end.answered else "no answer"


def _said(texts: tuple[str, ...]) -> tuple[Status, str] | None:
    for text in texts:
        start = text[:1000].lstrip()
        for pattern, status, detail in _SAID:
            if found := pattern.match(start):
                http = found.groupdict().get("http")
                return status, f"{detail} {http}" if http else detail
    return None


def _failed(end: Ending, ending: tuple[Status, str] | None, http: int | None) -> tuple[Status, str | None]:
    if ending and ending[0] is not Status.OK:
        return ending
    if http:
        return Status.STOPPED, f"API error {http}"
    if end.subtype == "error_during_execution":
        return Status.FAILED, "error during execution"
    if end.stop_reason == "stop_sequence" and end.is_error:  # the sequence that the program's own messages carry
        return Status.STOPPED, "error message"
    return Status.FAILED, "error"


def is_message_of_the_program(text: str) -> bool:
    """Whether a text reads like one that no model wrote: a limit, a failed login, an API error."""
    return _said((text,)) is not None
