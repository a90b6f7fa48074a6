"""The end of a run of Claude Code, decided from everything its last result says.

No field decides alone: `subtype` was `success` beside `is_error: true` in a tenth of real results, the meaning of
`is_error` for a turn limit flipped between versions, and older versions put the sentence of a usage limit where the
summary stands. The order is: limits the user set, then what the error text says, then the reasons newer versions name,
then the flag.
"""

import re
from collections.abc import Sequence

from sitegen.model import Status
from sitegen.readers.common.endings import Ending, ends_of, limit_in
from sitegen.readers.common.values import Caveats, Fields, brief

_LIMITS = ends_of("subtype")
_KNOWN_SUBTYPES = frozenset({"success", "error", "error_during_execution", *_LIMITS})
# `terminal_reason` of SDK 0.2.90 to 0.3.329. "completed" decides nothing: failed logins are that, too.
_ENDINGS = ends_of("terminal_reason")
# The beginnings of error texts, the most telling first.
_ERRORS = [
    (re.compile(sign, re.IGNORECASE), ending)
    for sign, ending in ends_of("message of Claude Code").items()
]
_MAX_BEGINNING = 1_000  # characters of such a text
_FIRST_HTTP_ERROR = 400
# The `stop_reason` beside an empty result; other reasons are those of a model that has nothing to say.
_NO_ANSWERS = ends_of("stop_reason without an answer")

FIELDS = ("subtype", "is_error", "terminal_reason", "stop_reason", "api_error_status")
"""The fields that decide; they are listed unchanged as well, because only the outcome is shown."""


def decide(last: Fields, errors: Sequence[str], caveats: Caveats) -> Ending:
    """Return the status, and why in two or three words, from the last result and the texts of its errors."""
    subtype = last.text("subtype")
    reason = last.text("terminal_reason")
    is_error = last.flag("is_error")
    is_answered = _is_answered(last)
    _note_unknown(last, subtype, reason, is_answered, caveats)
    if subtype in _LIMITS:
        return _LIMITS[subtype]
    if last.record.get("startup_failure_reason") is not None:
        return Status.STOPPED, "startup failed"
    http = last.count("api_error_status")
    http = http if http is not None and http >= _FIRST_HTTP_ERROR else None
    if found := next(filter(None, map(end_told, errors)), None):
        status, detail = found
        return status, f"API error {http}" if detail == "API error" and http else detail
    ending = _ENDINGS.get(reason or "")
    if ending and ending[0] is not Status.OK:
        return ending
    if http:
        return Status.STOPPED, f"API error {http}"
    if is_error or (subtype or "").startswith("error"):
        limit = next(filter(None, map(limit_in, errors)), None)
        return (Status.FAILED, limit) if limit else _failed(last)
    return ending or _without_reason(last, subtype, is_error, is_answered)


def _is_answered(last: Fields) -> bool:
    text = last.text("result") if last.record.get("structured_output") is None else "structured"
    return bool((text or "").strip())


def _note_unknown(
    last: Fields, subtype: str | None, reason: str | None, is_answered: bool, caveats: Caveats
) -> None:
    if not is_answered and last.record.get("result") is None and subtype in (None, "success"):
        caveats.add("W_MISSING", "The result has no text.")
    if subtype is not None and subtype not in _KNOWN_SUBTYPES:
        caveats.add("W_UNKNOWN", f"The subtype {brief(subtype)} is unknown.")
    if reason not in (None, "completed", *_ENDINGS):
        caveats.add("W_UNKNOWN", f"The terminal_reason {brief(reason)} is unknown.")


def _without_reason(
    last: Fields, subtype: str | None, is_error: bool | None, is_answered: bool
) -> Ending:
    if not isinstance(last.record.get("is_error"), bool | None):
        return Status.UNKNOWN, None
    if subtype not in (None, "success") or (subtype is None and is_error is None):
        return Status.UNKNOWN, None if subtype else "not stated"
    if is_answered:
        return Status.OK, None
    return _NO_ANSWERS.get(last.text("stop_reason") or "", (Status.OK, "no answer"))


def _failed(last: Fields) -> Ending:
    if last.text("subtype") == "error_during_execution":
        return Status.FAILED, "error during execution"
    # As the program's own messages have it.
    if last.text("stop_reason") == "stop_sequence" and last.flag("is_error"):
        return Status.STOPPED, "error message"
    return Status.FAILED, "error"


def end_told(text: str) -> Ending | None:
    """Return how a run ended whose last words are a message of the program: a limit, a failed login, an API error. None
    when the text does not read like one."""
    start = text[:_MAX_BEGINNING].lstrip()
    for pattern, (status, detail) in _ERRORS:
        if match := pattern.match(start):
            http = match.groupdict().get("http")
            return status, f"{detail} {http}" if http else detail
    return None
