"""How a run of Claude Code ended."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.model import Status
from sitegen.readers.claude.endings import decide, end_told
from sitegen.readers.common.values import Caveats, Fields

OK = {"subtype": "success", "is_error": False, "result": "Done."}


@pytest.mark.parametrize(
    ("changes", "errors", "status", "detail"),
    [
        ({}, (), Status.OK, None),
        ({"subtype": "error_max_turns"}, (), Status.FAILED, "turn limit"),
        ({"startup_failure_reason": "x"}, (), Status.STOPPED, "startup failed"),
        ({"is_error": True}, ("API Error: 529 overloaded",), Status.STOPPED, "API error 529"),
        ({"api_error_status": 500}, (), Status.STOPPED, "API error 500"),
        ({"api_error_status": 399}, (), Status.OK, None),
        ({"is_error": True}, (), Status.FAILED, "error"),
        ({"subtype": "error_during_execution"}, (), Status.FAILED, "error during execution"),
        ({"is_error": True}, ("cost limit of $3 exceeded",), Status.FAILED, "cost limit"),
        (
            {"is_error": True, "stop_reason": "stop_sequence"},
            (),
            Status.STOPPED,
            "error message",
        ),
        ({"is_error": "no"}, (), Status.UNKNOWN, None),
        ({"subtype": "novel"}, (), Status.UNKNOWN, None),
        ({"subtype": None, "is_error": None}, (), Status.UNKNOWN, "not stated"),
        ({"subtype": None}, (), Status.OK, None),
        ({"result": " "}, (), Status.OK, "no answer"),
        ({"result": " ", "structured_output": {}}, (), Status.OK, None),
    ],
)
def test_everything_that_a_result_says_decides(
    changes: dict[str, Any], errors: tuple[str, ...], status: Status, detail: str | None
) -> None:
    assert decide(Fields(OK | changes), errors, Caveats()) == (status, detail)


@pytest.mark.parametrize(
    ("changes", "codes"),
    [
        ({}, []),
        ({"result": None}, ["W_MISSING"]),
        ({"result": ""}, []),
        ({"subtype": "novel"}, ["W_UNKNOWN"]),
        ({"terminal_reason": "novel"}, ["W_UNKNOWN"]),
        ({"terminal_reason": "completed"}, []),
    ],
)
def test_what_is_odd_is_said(changes: dict[str, Any], codes: list[str]) -> None:
    caveats = Caveats()
    decide(Fields(OK | changes), (), caveats)
    assert [caveat.code for caveat in caveats.all()] == codes


def test_a_message_of_the_program_tells_an_end_and_an_answer_does_not() -> None:
    assert end_told("All is well.") is None
    ending = end_told("  API Error: 529 overloaded")
    assert ending == (Status.STOPPED, "API error 529")
