"""Streams of Amp."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.model import Run, Status
from sitegen.readers.amp import AmpStream
from sitegen.steps import Step, StepKind
from tests.support.agent_runs import calls, kinds, texts_of, told

BEGIN = {"type": "system", "session_id": "T-thread-1"}


def of(kind: str, session: str = "T-thread-1", **fields: Any) -> dict[str, Any]:
    return {"type": kind, "session_id": session, **fields}


def answer(id_: str | None, *blocks: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return of("assistant", message={"id": id_, "content": list(blocks), **fields})


def user(*blocks: dict[str, Any]) -> dict[str, Any]:
    return of("user", message={"content": list(blocks)})


USAGE = {
    "usage": {
        "input_tokens": 10,
        "cache_read_input_tokens": 60,
        "cache_creation_input_tokens": 5,
        "output_tokens": 20,
    }
}
SAYS = {"type": "text", "text": "Done."}
END = of("result", subtype="success", num_turns=2, duration_ms=900, result="All done.")


def read(*records: dict[str, Any]) -> tuple[Run, list[Step]]:
    return told(AmpStream(), *records)


def test_a_thread_has_its_prompts_and_its_answers() -> None:
    run, found = read(
        BEGIN, user({"type": "text", "text": "Mend it."}), answer("m1", SAYS, model="moon-3"), END
    )
    assert texts_of(found) == [(StepKind.PROMPT, "Mend it."), (StepKind.TEXT, "Done.")]
    assert (run.session_id, run.turns, run.wall_ms) == ("T-thread-1", 2, 900)
    assert (run.status, run.texts.summary) == (Status.OK, "All done.")
    assert [caveat.text for caveat in run.caveats] == ["The run reports no tokens."]
    assert read(BEGIN, answer("m1", SAYS), END | {"result": ""})[0].texts.summary == "Done."


@pytest.mark.parametrize(
    "record", [of("user", "U-1"), of("user", ""), {"type": "user"}, of("other")]
)
def test_what_is_of_no_thread_is_no_run(record: dict[str, Any]) -> None:
    reader = AmpStream()
    told(reader, record)
    assert not reader.is_known


def test_the_usage_of_a_message_counts_once() -> None:
    one = answer("m1", SAYS, **USAGE)
    other = answer("m1", {"type": "text", "text": "More."}, **USAGE)
    assert kinds(read(BEGIN, one)[0]) == kinds(read(BEGIN, one, other)[0]) == (10, 5, 60, 20)
    assert kinds(read(BEGIN, one, answer("m2", SAYS, **USAGE))[0]) == (20, 10, 120, 40)
    nameless = [answer(None, {"type": "text", "text": text}, **USAGE) for text in "ab"]
    assert kinds(read(BEGIN, *nameless)[0]) == (20, 10, 120, 40)
    assert read(BEGIN, one)[0].caveats == ()


@pytest.mark.parametrize(
    ("end", "ended"),
    [
        ({"subtype": "error_max_turns", "is_error": True}, (Status.FAILED, "turn limit")),
        ({"subtype": "error", "error": "429"}, (Status.STOPPED, "usage limit")),
        (
            {"subtype": "success", "is_error": True, "result": "429"},
            (Status.STOPPED, "usage limit"),
        ),
        ({"subtype": "success", "error": "429"}, (Status.OK, None)),
        ({"subtype": "odd"}, (Status.FAILED, "error")),
    ],
)
def test_the_result_says_how_it_ended(
    end: dict[str, Any], ended: tuple[Status, str | None]
) -> None:
    run, _ = read(BEGIN, answer("m1", SAYS), of("result", **end))
    assert (run.status, run.status_detail) == ended


def test_a_thread_without_a_result_was_interrupted() -> None:
    assert read(BEGIN)[0].status is Status.INTERRUPTED
    assert read(BEGIN, END, user({"type": "text", "text": "x"}))[0].status is Status.OK
    assert read(BEGIN, END, answer("m1", SAYS))[0].status is Status.INTERRUPTED


CALL = {"type": "tool_use", "id": "c1", "name": "Bash", "input": {"cmd": "make"}}


@pytest.mark.parametrize(
    ("text", "is_error", "code", "failed"),
    [
        ("ok", False, None, False),
        ("no", True, None, True),
        ('{"output": "", "exitCode": 0}', False, 0, False),
        ('{"output": "", "exitCode" : 2}', False, 2, True),
        ('{"exitCode": 3, "output": "' + "x" * 300 + '"}', False, 3, True),
        ('{"exitCode": 3, "output": "' + "x" * 300 + '", "exitCode": -4}', False, -4, True),
        ('{"output": "' + "x" * 300 + '", "exitCode": 1, "y": "' + "x" * 300, False, None, False),
        ('["exitCode": 2]', False, None, False),
    ],
)
def test_a_call_has_its_result(text: str, is_error: bool, code: int | None, failed: bool) -> None:
    result = {"type": "tool_result", "tool_use_id": "c1", "content": text, "is_error": is_error}
    _, found = read(BEGIN, answer("m1", CALL), user(result, {"type": "text", "text": "x"}))
    (call,) = calls(found)
    assert (call.result, call.exit_code, call.failed) == (text, code, failed)
    assert len(found) == 1
