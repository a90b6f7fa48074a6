"""Steps of real runs equal what a few lines count in the raw records; and each rule on records of our own."""

from __future__ import annotations

import time
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.model import Run
from sitegen.readers.claude.messages import AnswerIds
from sitegen.readers.claude.transcripts import ClaudeTranscript
from sitegen.readers.common.builder import FilePlace
from sitegen.readers.common.tool_names import first_line
from sitegen.readers.run_file import RunFile
from sitegen.steps import Step, StepKind
from tests.support import campaigns
from tests.support.agent_runs import files, objects
from tests.support.clock import seconds_since
from tests.support.raw_steps import raw_steps
from tests.support.reading import read_source
from tests.support.transcripts import Teller, lines

FAMILIES = ("claude-stream", "claude-array", "claude-transcript")
USAGE = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


# An independent count, which knows nothing of the readers


@dataclass
class Counted:
    """What the raw records of a file hold."""

    calls: dict[str, str] = field(default_factory=dict)
    """Name by id."""
    failed: set[str] = field(default_factory=set)
    answered: set[str] = field(default_factory=set)
    usage: dict[Any, tuple[int, ...]] = field(default_factory=dict)
    """What the last line of each message states."""
    texts: int = 0
    thinking: int = 0
    peak: int | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    """By id of a Bash call."""
    writing_seconds: float = 0.0
    """Of commands that hold a text."""
    edited: set[str] = field(default_factory=set)


def raw_records(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a file, each uuid once."""
    seen = set()
    for record in objects(path):
        if record.get("uuid") not in seen:
            if record.get("uuid"):
                seen.add(record["uuid"])
            yield record


def seconds(time: str) -> float:
    return datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()


def counted(path: Path) -> Counted:
    """What stands in a file, subagents that stand in it as progress not included."""
    found = Counted()
    asked: dict[str, tuple[str, dict[str, Any], str | None]] = {}
    for record in raw_records(path):
        message = record.get("message")
        if record.get("type") not in ("assistant", "user") or not isinstance(message, dict):
            continue
        content = message.get("content")
        blocks = [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []
        if record["type"] == "assistant" and message.get("model") != "<synthetic>":
            is_main = not record.get("isSidechain") and not record.get("parent_tool_use_id")
            if isinstance(usage := message.get("usage"), dict):
                key = (
                    (message["id"], record.get("requestId"))
                    if message.get("id")
                    else len(found.usage)
                )
                if is_main and key not in found.usage:
                    sent = sum(usage.get(name) or 0 for name in USAGE[:3])
                    found.peak = (
                        max(sent, found.peak or 0) or None
                    )  # 0 is a count that is not known
                found.usage[key] = tuple(usage.get(name) or 0 for name in USAGE)
            for block in blocks:
                found.texts += block["type"] == "text" and bool(block["text"].strip())
                found.thinking += block["type"] in ("thinking", "redacted_thinking")
                if block["type"] == "tool_use":
                    found.calls.setdefault(block["id"], block["name"])
                    asked.setdefault(
                        block["id"], (block["name"], block["input"], record.get("timestamp"))
                    )
        for block in blocks if record["type"] == "user" else ():
            if block.get("type") == "tool_result" and (id_ := block["tool_use_id"]) in asked:
                name, given, begun = asked.pop(id_)
                found.answered.add(id_)
                if block.get("is_error"):
                    found.failed.add(id_)
                elif name in ("Edit", "Write", "MultiEdit", "NotebookEdit"):
                    found.edited |= {
                        given[key] for key in ("file_path", "notebook_path", "path") if key in given
                    }
                sleeps = name == "Bash" and given["command"].strip().startswith("sleep ")
                if name == "Bash" and begun and record.get("timestamp") and not sleeps:
                    found.seconds[id_] = seconds(record["timestamp"]) - seconds(begun)
                    if (
                        "<<" in given["command"]
                    ):  # it may do nothing but write a text into a file, which is an edit
                        found.writing_seconds += found.seconds[id_]
    return found


def read(path: Path) -> tuple[Run, list[Step]] | None:
    file = RunFile.of(path.name, path.read_bytes())
    runs = read_source(file, named=False)
    return (runs[0], list(raw_steps(file, runs[0].locator))) if runs else None


@pytest.mark.parametrize("family", FAMILIES)
def test_steps_equal_an_independent_count(shared: Path, family: str) -> None:
    totals = Counter[str]()
    for path in files(shared / "runs" / family):
        found = read(path)
        assert found is not None, path
        run, steps = found
        expected = counted(path)
        kinds = Counter(step.kind for step in steps)
        calls = [step.call for step in steps if step.call and step.kind is StepKind.TOOL_CALL]
        assert {call.id: call.name for call in calls} == expected.calls, path
        assert len(calls) == len(expected.calls), path
        assert {call.id for call in calls if call.failed} == expected.failed, path
        assert {call.id for call in calls if call.failed is not None} == expected.answered, path
        assert (kinds[StepKind.TEXT], kinds[StepKind.THINKING]) == (
            expected.texts,
            expected.thinking,
        ), path
        used = [step.tokens for step in steps if step.tokens]
        sums = tuple(
            sum(getattr(tokens, name) or 0 for tokens in used)
            for name in ("input", "cache_write", "cache_read", "output")
        )
        assert sums == tuple(
            sum(usage[place] for usage in expected.usage.values()) for place in range(4)
        ), path
        if run.steps is None:
            assert not expected.calls and not expected.texts
            continue
        counts = run.steps
        assert counts.steps == len(steps), path
        failures = len(expected.failed) or (0 if expected.answered or not calls else None)
        assert (counts.tool_calls, counts.tool_failures) == (len(calls), failures), path
        assert counts.files_edited == len(expected.edited) or (
            counts.files_edited is None and not expected.edited
        ), path
        assert counts.context_peak_tokens == expected.peak, path
        if counts.commands_seconds is not None:
            most = sum(expected.seconds.values()) + 1e-3
            assert most - expected.writing_seconds - 2e-3 <= counts.commands_seconds <= most, path
        assert sum(each.calls for each in counts.by_kind) == counts.tool_calls
        assert [step.number for step in steps] == list(range(len(steps)))
        totals += Counter(
            calls=len(calls), failures=len(expected.failed), tokens=sum(sums), steps=len(steps)
        )
    assert all(totals[name] > 0 for name in ("calls", "tokens", "steps"))


def test_messages_of_a_stream_add_up_to_its_result_but_for_the_output(shared: Path) -> None:
    """The largest stream: 23 results of one session. What was sent is equal to the token; what was received is stated
    when a message begins, and so is too low."""
    (path,) = (
        p
        for p in files(shared / "runs" / "claude-stream")
        if p.stat().st_size in range(1_600_000, 1_700_000)
    )
    found = read(path)
    assert found is not None
    run, steps = found
    used = [step.tokens for step in steps if step.tokens]
    assert len(run.parts) == 23 and run.steps is not None
    assert (run.steps.tool_calls, run.steps.tool_failures) == (273, 18)
    for kind in ("input", "cache_write", "cache_read"):
        assert sum(tokens.kind(kind) or 0 for tokens in used) == run.tokens.kind(kind)
    assert sum(tokens.output or 0 for tokens in used) == 4790 < (run.tokens.output or 0)
    assert run.cost_usd is not None
    assert sum(part.cost_usd or 0 for part in run.parts) == pytest.approx(run.cost_usd)
    assert (run.parts[0].status.value, run.parts[0].status_detail) == ("failed", "turn limit")
    assert run.parts[0].cost_usd == pytest.approx(22.71, abs=0.005)


# Rules, on records of our own


def told(*records: dict[str, Any], name: str = "a.jsonl") -> tuple[Run, list[Step]]:
    """The run in a file of these records, and its steps."""
    file = RunFile.of(name, lines(*records))
    (run,) = read_source(file, named=False) or ()
    return run, list(raw_steps(file, run.locator))


def shown(steps: list[Step]) -> list[str]:
    """Each step as its kind, with the id of its call."""
    return [step.kind.value + (f" {step.call.id}" if step.call else "") for step in steps]


def test_a_message_in_several_lines_counts_once_with_the_usage_of_its_last_line() -> None:
    t = Teller()
    asked = (
        t.says("I look.", output=3),
        t.calls("c1", "Read", output=3),
        t.calls("c2", "Grep", output=70),
    )
    run, steps = told(
        t.prompt("Mend it."), *asked, t.answers("c1"), t.answers("c2"), t.says("Mended.", "m2", 20)
    )
    assert shown(steps) == ["prompt", "text", "tool call c1", "tool call c2", "text"]
    assert run.tokens.output == 90 and run.tokens.cache_read == 2 * 895
    assert [step.tokens and step.tokens.output for step in steps] == [None, 3, None, 67, 20]
    assert [step.context_tokens for step in steps] == [None, 1000, None, None, 1000]
    assert [step.message_id for step in steps] == [None, "m1", "m1", "m1", "m2"]


def test_parallel_calls_stand_in_the_order_in_which_they_were_asked() -> None:
    t = Teller()
    begun = (
        t.prompt("x"),
        t.calls("a", "Bash", command="make"),
        t.calls("b", "Bash", command="ls"),
    )
    run, steps = told(
        *begun, t.calls("c", "Bash"), t.answers("b"), t.answers("c", is_error=True), t.answers("a")
    )
    assert shown(steps) == ["prompt", "tool call a", "tool call b", "tool call c"]
    calls = [step.call for step in steps if step.call]
    assert [(call.target, call.failed) for call in calls] == [
        ("make", False),
        ("ls", False),
        ("", True),
    ]
    assert [
        (call.answered_ms or 0) - (step.at_ms or 0)
        for call, step in zip(calls, steps[1:], strict=True)
    ] == [
        5000,
        2000,
        2000,
    ]
    assert run.steps is not None and run.steps.commands_seconds == 9.0


def test_a_call_without_an_answer_is_neither_failed_nor_succeeded() -> None:
    t = Teller()
    run, steps = told(t.prompt("x"), t.calls("a", "Bash", command="make"))
    assert (
        steps[-1].call is not None
        and steps[-1].call.failed is None
        and steps[-1].call.result is None
    )
    assert run.steps is not None and (run.steps.tool_calls, run.steps.tool_failures) == (1, None)
    assert run.steps.commands_seconds is None and run.status.value == "interrupted"


def test_what_is_flagged_has_failed_and_what_ended_with_another_exit_code_than_0() -> None:
    t = Teller()
    calls = [t.calls(id_, "Bash", command="diff a b") for id_ in "abcd"]
    answers = (
        t.answers("a", "Error: Reached max turns (3)"),
        t.answers("b", "Exit code 1\n< a", is_error=True),
        t.answers("c", "The user doesn't want to proceed with this tool use.", is_error=True),
        t.answers("d", "Exit code 1", is_error="true"),
    )
    _, steps = told(t.prompt("x"), *calls, *answers)
    assert [(s.call.failed, s.call.exit_code, s.call.denied) for s in steps if s.call] == [
        (False, None, False),
        (True, 1, False),
        (True, None, True),
        (True, 1, False),
    ]


def test_the_steps_of_a_subagent_stand_between_its_beginning_and_the_answer_of_its_call() -> None:
    t = Teller()
    sub = {"isSidechain": True, "parentUuid": None}
    start = t.calls("task", "Task", description="Look around", prompt="Look for it.")
    first = t.prompt("Look for it.", **sub)
    inner = t.calls("in", "Read", "m2", file_path="/srv/demo/a.py")
    inner |= {"isSidechain": True}
    answer = t.answers("in") | {"isSidechain": True}
    run, steps = told(
        t.prompt("Do it."),
        start,
        first,
        inner,
        answer,
        t.answers("task", "found"),
        t.says("Ok.", "m3"),
    )
    assert shown(steps) == [
        "prompt",
        "subagent task",
        "prompt",
        "tool call in",
        "tool call task",
        "text",
    ]
    assert [step.lane for step in steps] == ["", "", "task", "task", "", ""]
    assert steps[1].starts == "task" and steps[1].call is not None and steps[1].call.result is None
    assert run.steps is not None and (run.steps.subagents, run.steps.tool_calls) == (1, 2)
    assert not run.ledger_is_lower_bound and run.turns == 2


def test_a_subagent_whose_call_failed_is_not_counted() -> None:
    t = Teller()
    calls = t.calls("a", "Task", "m1", prompt="Look."), t.calls("b", "Task", "m2", prompt="Seek.")
    run, _ = told(
        t.prompt("x"),
        *calls,
        t.answers("a", "found"),
        t.answers("b", "No such agent", is_error=True),
    )
    assert run.steps is not None and (run.steps.subagents, run.steps.tool_calls) == (1, 2)


def test_in_a_stream_the_call_that_started_a_subagent_is_its_lane() -> None:
    def of(record: dict[str, Any], caller: str | None) -> dict[str, Any]:
        kept = {
            name: value for name, value in record.items() if name in ("type", "uuid", "message")
        }
        return kept | {"session_id": "s", "parent_tool_use_id": caller}

    t = Teller()
    begin = {"type": "system", "subtype": "init", "session_id": "s", "model": "m", "tools": []}
    records = (
        of(t.calls("task", "Agent", prompt="p"), None),
        of(t.calls("one", "Read", "m2"), "task"),
        of(t.answers("one"), "task"),
        of(t.answers("task"), None),
    )
    run, steps = told(begin, *records, campaigns.result(1))
    assert shown(steps) == ["subagent task", "tool call one", "tool call task", "result"]
    assert [step.lane for step in steps] == ["", "task", "", ""]
    assert steps[1].at_ms is None and run.steps is not None and run.steps.commands_seconds is None


def test_a_late_answer_holds_up_nothing() -> None:
    t = Teller()
    many = [t.says(f"Line {number}", f"m{number}") for number in range(2000)]
    _, steps = told(
        t.prompt("x"),
        t.calls("slow", "Bash", "m"),
        *many,
        t.answers("slow", "at last"),
        t.says("y", "z"),
    )
    place = shown(steps).index("tool call slow")
    assert place == len(steps) - 2 and steps[place].place == 1
    assert steps[place].call is not None and steps[place].call.result == "at last"


def test_steps_are_given_while_the_file_is_read_and_few_wait() -> None:
    t = Teller()
    session = ClaudeTranscript(FilePlace(), set(), contents=False)
    waiting = []
    for number in range(1000):
        session.add_record(t.calls(f"c{number}", "Read", f"m{number}"), number)
        session.add_record(t.answers(f"c{number}"), number)
        waiting.append(sum(1 for _ in session.run.steps.ready()))
    assert waiting == [1] * 1000


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["Bash", "Task"])
def test_calls_that_nobody_answers_hold_little_memory_and_little_time(name: str) -> None:
    t = Teller()
    records = [
        t.calls(f"c{n}", name, f"m{n}", command=f"{n} " * 2_000, prompt=f"p{n}")
        for n in range(6_000)
    ]
    sides = [t.prompt(f"q{n}", isSidechain=True, parentUuid=None) for n in range(6_000)]
    data = lines(*records, *sides)
    del records, sides
    file = RunFile.of("a.jsonl", data)
    start = time.process_time()
    assert sum(1 for step in raw_steps(file) if step.kind is StepKind.TOOL_CALL) == 6_000
    assert seconds_since(start) < 10
    tracemalloc.start()  # which makes it take three times as long
    for _ in raw_steps(file):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 70_000_000 < 2 * len(data)


def test_a_late_answer_that_nobody_waits_for_any_more_is_none() -> None:
    t = Teller()
    many = [t.calls(f"c{n}", "Read", f"m{n}") for n in range(2_500)]
    run, steps = told(
        t.prompt("x"), *many, t.answers("c0", is_error=True), t.answers("c2400", is_error=True)
    )
    failed = {step.call.id for step in steps if step.call and step.call.failed}
    assert failed == {"c2400"} and run.steps is not None and run.steps.tool_failures == 1
    assert run.steps.tool_calls == len({step.call.id for step in steps if step.call}) == 2_500


def test_what_the_program_writes_is_free_and_no_prompt() -> None:
    t = Teller()
    error = {
        "id": "e",
        "model": "<synthetic>",
        "content": [{"type": "text", "text": "API Error: 529 overloaded"}],
    }
    records = (
        t.prompt("Do it."),
        t.line(
            "assistant",
            message=error | {"usage": {"input_tokens": 9, "output_tokens": 9}},
            isApiErrorMessage=True,
        ),
        t.prompt("Caveat: written by the program", isMeta=True),
        t.line("system", subtype="compact_boundary", content="Conversation compacted"),
        t.prompt("The story so far.", isCompactSummary=True),
        t.prompt("<local-command-stdout>bye</local-command-stdout>"),
        t.says("Done."),
    )
    run, steps = told(*records)
    assert shown(steps) == ["prompt", "API error", "compaction", "notice", "text"]
    assert run.tokens.output == 10 and [line.model for line in run.ledger] == [
        "claude-sonnet-4-5-20250929"
    ]
    assert run.steps is not None and run.steps.compactions == 1
    assert run.texts.errors == ("API Error: 529 overloaded",)


def test_a_prompt_that_was_queued_is_one() -> None:
    t = Teller()
    queued = t.line("attachment", attachment={"type": "queued_command", "prompt": "And the lexer."})
    _, steps = told(
        t.prompt("Mend the parser."), queued, t.line("attachment", attachment={"type": "other"})
    )
    assert [(step.kind.value, step.text) for step in steps] == [
        ("prompt", "Mend the parser."),
        ("prompt", "And the lexer."),
    ]


def test_lines_of_an_edit_come_from_its_patch_and_are_unknown_without_one() -> None:
    t = Teller()
    patch = {"structuredPatch": [{"lines": [" a", "-b", "+c", "+d"]}]}
    edit = {"file_path": "/srv/demo/a.py", "old_string": "b", "new_string": "c\nd"}
    run, steps = told(t.prompt("x"), t.calls("e", "Edit", **edit), t.answers("e", details=patch))
    assert run.steps is not None
    assert (run.steps.files_edited, run.steps.lines_added, run.steps.lines_removed) == (1, 2, 1)
    assert steps[-1].call is not None and steps[-1].call.changes == " a\n-b\n+c\n+d"
    t = Teller()
    run, steps = told(t.prompt("x"), t.calls("e", "Edit", **edit), t.answers("e"))
    assert run.steps is not None and (run.steps.files_edited, run.steps.lines_added) == (1, None)
    assert steps[-1].call is not None and steps[-1].call.changes == "-b\n+c\n+d"


def test_what_the_context_grew_by_is_shared_by_the_sizes_of_the_answers() -> None:
    t = Teller()
    asked = (t.calls("r", "Read", sent=1000), t.calls("b", "Bash", sent=1000))
    answers = (t.answers("r", "x" * 300), t.answers("b", "y" * 100))
    run, _ = told(
        t.prompt("x"), *asked, *answers, t.calls("z", "Read", "m2", sent=1800), t.answers("z")
    )
    assert run.steps is not None and run.steps.context_peak_tokens == 1800
    grown = {
        each.kind: (each.calls, each.context_tokens, each.result_bytes)
        for each in run.steps.by_kind
    }
    assert grown == {"read": (2, 600, 304), "run": (1, 200, 100)}


def test_messages_that_count_nothing_leave_the_context_unknown() -> None:
    t = Teller()
    asked = t.calls("r", "Read"), t.answers("r", "x"), t.calls("z", "Read", "m2"), t.answers("z")
    for record in asked[::2]:
        record["message"]["usage"] = dict.fromkeys(record["message"]["usage"], 0)
    run, _ = told(t.prompt("x"), *asked)
    assert run.steps is not None and run.steps.context_peak_tokens is None
    assert [each.context_tokens for each in run.steps.by_kind] == [None]


def test_a_stream_with_several_results_is_one_run_with_parts() -> None:
    t = Teller()
    begin = {"type": "system", "subtype": "init", "session_id": "s", "model": "m", "tools": []}
    session: dict[str, Any] = {"session_id": "s"}
    first = (
        campaigns.result(1, subtype="error_max_turns", total_cost_usd=2.0, result=None) | session
    )
    second = campaigns.result(2, total_cost_usd=2.5, usage=first["usage"]) | session
    says = [
        {"type": "assistant", "session_id": "s", "message": t.says("Hm.", f"m{n}")["message"]}
        for n in range(2)
    ]
    run, steps = told(begin, says[0], first, begin, says[1], second, second)
    assert [(part.status.value, part.status_detail, part.cost_usd) for part in run.parts] == [
        ("failed", "turn limit", 2.0),
        ("ok", None, 0.5),
    ]
    assert [(step.kind.value, step.part, step.text[:6]) for step in steps] == [
        ("text", 0, "Hm."),
        ("result", 0, "failed"),
        ("text", 1, "Hm."),
        ("result", 1, "ok"),
    ]
    assert run.cost_usd == 2.5 and run.steps is not None and run.steps.steps == 4


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4)
    ),
    max_leaves=12,
)
FIELDS = (
    "message",
    "content",
    "usage",
    "timestamp",
    "uuid",
    "parentUuid",
    "sessionId",
    "isSidechain",
    "toolUseResult",
)
BLOCK_FIELDS = ("type", "id", "name", "input", "tool_use_id", "content", "is_error", "text")


@settings(derandomize=True)
@given(
    changes=st.dictionaries(st.sampled_from(FIELDS), json_values, max_size=3),
    inner=st.dictionaries(st.sampled_from(BLOCK_FIELDS), json_values, max_size=3),
    kind=st.sampled_from(["assistant", "user", "system", "progress", "cost-state", "result"]),
)
def test_any_field_of_a_line_may_hold_anything(
    changes: dict[str, Any], inner: dict[str, Any], kind: str
) -> None:
    t = Teller()
    odd = t.calls("a", "Edit") | {"type": kind}
    odd["message"]["content"][0] |= inner
    progress = {"type": "agent_progress", "agentId": "g", "message": odd}
    odd_progress = t.line("progress", data=progress, parentToolUseID="a")
    file = RunFile.of(
        "a.jsonl", lines(t.prompt("x"), odd | changes, odd_progress, t.answers("a", **inner))
    )
    for run in read_source(file, named=False) or ():
        steps = list(raw_steps(file, run.locator))
        assert run.steps is None or run.steps.steps == len(steps)


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("# Check it\ncd /srv && make check", "cd /srv && make check"),
        ("cd /srv\nmake check", "make check"),
        ("# a comment alone", "# a comment alone"),
        ("", ""),
    ],
)
def test_the_target_of_a_command_is_its_first_line_that_does_something(
    command: str, line: str
) -> None:
    assert first_line(command) == line


@pytest.mark.parametrize(
    ("other", "is_copy"),
    [
        ({"type": "text", "text": "I look."}, True),
        ({"type": "text", "text": "I look again."}, False),
        ({"type": "thinking", "thinking": "I look."}, False),
        ({"type": "text"}, False),
    ],
)
def test_a_line_is_a_copy_if_its_block_says_the_same(other: dict[str, Any], is_copy: bool) -> None:
    ids, record = AnswerIds(), {"timestamp": "2026-03-01T10:00:00Z"}
    assert not ids.is_repeated(record, "m1", [{"type": "text", "text": "I look."}])
    assert ids.is_repeated(record, "m1", [other]) is is_copy


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"type": "thinking", "thinking": "Hm."}, {"type": "thinking", "thinking": "Oh."}),
        ({"type": "tool_use", "id": "a"}, {"type": "tool_use", "id": "b"}),
    ],
)
def test_blocks_differ_by_what_they_say_or_by_their_ids(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    ids, record = AnswerIds(), {"timestamp": "2026-03-01T10:00:00Z"}
    assert [ids.is_repeated(record, "m1", [block]) for block in (one, other, one)] == [
        False,
        False,
        True,
    ]


def test_lines_without_a_time_or_an_id_are_no_copies() -> None:
    ids, block = AnswerIds(), {"type": "text", "text": "x"}
    timed = {"timestamp": "2026-03-01T10:00:00Z"}
    later = {"timestamp": "2026-03-01T10:00:01Z"}
    asked = [({}, "m1"), ({}, "m1"), (timed, ""), (timed, ""), (timed, "m1"), (later, "m1")]
    assert not any(ids.is_repeated(record, id_, [block]) for record, id_ in asked)
    assert not ids.is_repeated(timed, "m2", [block]) and ids.is_repeated(timed, "m2", [block])
    assert not ids.is_repeated(timed, "m2", []) and ids.is_repeated(timed, "m2", [])
