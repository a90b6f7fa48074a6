"""The order of steps that stand in several files, and what is read of one file again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sitegen.errors import ReadError
from sitegen.inputs import steps_again as module
from sitegen.inputs.discover import discover
from sitegen.inputs.steps_again import published, steps_of
from sitegen.inputs.survey import Naming, survey
from sitegen.masking.redact import Redactor
from sitegen.model import Entry, Level, Run, Status, Unmasked
from sitegen.steps import Step, StepKind, ToolCall, ToolKind
from sitegen.system.bounds import Bounds
from tests.collect import facts

HOUR_MS = 3_600_000


def part(name: str, started_at: str | None) -> Entry:
    return facts.entry(name, Run("Pi", Status.OK, started_at=started_at))


def text_at(words: str, at_ms: int | None) -> Step:
    return Step(0, StepKind.TEXT, 0, words, at_ms=at_ms)


def call_at(words: str, at_ms: int | None, answered_ms: int | None, **known: Any) -> Step:
    call = ToolCall("c", "T", known.pop("tool", ToolKind.TASK), "", answered_ms=answered_ms)
    kind = known.pop("kind", StepKind.TOOL_CALL)
    return Step(0, kind, 0, words, call=call, at_ms=at_ms)


def merged(*parts: tuple[str | None, list[Step]]) -> str:
    """The texts of steps of several files, each with the time at which it began."""
    entries = [part(f"{number}", began) for number, (began, _) in enumerate(parts)]
    steps = {f"{number}": own for number, (_, own) in enumerate(parts)}

    def of(entry: Entry) -> Iterator[Unmasked[Step]]:
        return iter([Unmasked(step) for step in steps[entry.id]])

    return " ".join(step.as_written.text for step in module._merged(entries, of))


ZERO = "1970-01-01T00:00:00Z"


def test_steps_stand_in_the_order_of_their_times() -> None:
    main = [text_at("a", 1), text_at("b", 5), text_at("c", 9)]
    lane = [text_at("x", 2), text_at("y", 6), text_at("z", 10)]
    assert merged((ZERO, main), (ZERO, lane)) == "a x b y c z"
    assert merged((ZERO, lane), (ZERO, main)) == "a x b y c z"
    assert merged((ZERO, main), (ZERO, [])) == "a b c"


def test_of_steps_of_one_time_the_file_named_first_comes_first() -> None:
    assert merged((ZERO, [text_at("a", 3)]), (ZERO, [text_at("b", 3)])) == "a b"
    assert merged((ZERO, [text_at("b", 3)]), (ZERO, [text_at("a", 3)])) == "b a"


def test_a_step_without_a_time_stays_behind_the_one_before() -> None:
    main = [text_at("a", 4), text_at("b", None), text_at("c", 2), text_at("d", 8)]
    assert merged((ZERO, main), (ZERO, [text_at("x", 3), text_at("y", 5)])) == "x a b c y d"
    assert merged((ZERO, [text_at("a", None)]), (ZERO, [text_at("x", 0)])) == "a x"


def test_the_call_of_a_subagent_stands_where_it_is_answered() -> None:
    others: tuple[str | None, list[Step]] = (ZERO, [text_at("x", 5)])
    assert merged((ZERO, [call_at("a", 1, 9)]), others) == "x a"
    assert merged((ZERO, [call_at("a", 1, None)]), others) == "a x"
    assert merged((ZERO, [call_at("a", 1, 9, tool=ToolKind.RUN)]), others) == "a x"
    assert merged((ZERO, [call_at("a", 1, 9, kind=StepKind.SUBAGENT)]), others) == "a x"


def test_a_file_is_opened_when_its_time_has_come() -> None:
    opened: list[str] = []

    def of(entry: Entry) -> Iterator[Unmasked[Step]]:
        opened.append(entry.id)
        at = 0 if entry.id == "a" else HOUR_MS
        return iter([Unmasked(text_at(entry.id, at)), Unmasked(text_at(entry.id, at + 1))])

    entries = [part("late", "1970-01-01T01:00:00Z"), part("a", ZERO), part("b", None)]
    steps = module._merged(entries, of)
    first = next(steps)
    assert (first.as_written.text, opened) == ("a", ["a", "b"])
    next(steps)
    next(steps)
    assert opened == ["a", "b", "late"]


def test_a_hundred_files_are_open_at_once_at_most() -> None:
    open_files = 0
    most = 0

    def of(entry: Entry) -> Iterator[Unmasked[Step]]:
        nonlocal open_files, most
        open_files += 1
        most = max(most, open_files)
        yield Unmasked(text_at(entry.id, 1))
        open_files -= 1

    entries = [part(f"{number}", ZERO) for number in range(103)]
    assert len(list(module._merged(entries, of))) == 103
    assert most == 100


def test_times_of_beginnings_are_in_milliseconds() -> None:
    assert module._start_ms(part("a", "1970-01-01T01:00:00.250Z")) == HOUR_MS + 250
    assert module._start_ms(part("a", None)) == 0


SESSION = "7d0c2b9e-41aa-4a0c-9d52-3f4c1c6f0b77"
USAGE = {
    "input_tokens": 1,
    "output_tokens": 2,
    "cache_read_input_tokens": 0,
    "cache_creation_input_tokens": 0,
}


def transcript(*texts: str) -> bytes:
    """A session with one prompt and these answers."""
    common: dict[str, Any] = {"sessionId": SESSION, "version": "2.0.1", "cwd": "/w"}
    common |= {"parentUuid": None, "isSidechain": False}
    prompt = {"role": "user", "content": "Do it"}
    records: list[dict[str, Any]] = [
        {**common, "type": "user", "uuid": "u", "timestamp": "2026-11-01T08:00:00.000Z"}
        | {"message": prompt}
    ]
    for number, text in enumerate(texts):
        message = {
            "id": f"m{number}",
            "role": "assistant",
            "type": "message",
            "model": "claude-sonnet-4-5-20250929",
            "content": [{"type": "text", "text": text}],
            "usage": USAGE,
        }
        records.append(
            {**common, "type": "assistant", "uuid": f"a{number}", "message": message}
            | {"timestamp": f"2026-11-01T08:0{number + 1}:00.000Z", "requestId": f"r{number}"}
        )
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def run_in(folder: Path, level: Level = Level.FULL) -> Entry:
    found = discover([folder], levels=[level])
    (run,) = survey(found, Naming([None]), Redactor(), lambda _, items: items).entries
    return run


def test_steps_of_a_file_are_numbered_and_the_run_is_given_with_its_texts(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_bytes(transcript("First", "Last"))
    runs: list[Run] = []
    steps = list(steps_of(run_in(tmp_path), Redactor(), take_run=runs.append))
    assert [(step.number, step.text) for step in steps] == [
        (0, "Do it"),
        (1, "First"),
        (2, "Last"),
    ]
    (run,) = runs
    assert run.texts.summary == "Last"


def test_a_level_leaves_texts_out_of_steps_and_of_the_run(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_bytes(transcript("First", "Last"))
    runs: list[Run] = []
    run = run_in(tmp_path, Level.OUTLINE)
    steps = list(steps_of(run, Redactor(), take_run=runs.append))
    assert [step.text for step in steps] == ["", "First", "Last"]
    assert "Do it" not in str(runs[0])
    hidden = replace(run, source=replace(run.source, level=Level.NONE))
    assert list(steps_of(hidden, Redactor(), take_run=runs.append)) == []
    assert len(runs) == 1


def test_texts_that_redaction_changes_are_masked_again(tmp_path: Path) -> None:
    token = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    (tmp_path / "1.jsonl").write_bytes(transcript(f"The key is {token}."))
    runs: list[Run] = []
    run = run_in(tmp_path)
    assert not run.is_untouched
    steps = list(steps_of(run, Redactor(), take_run=runs.append))
    assert token not in steps[-1].text and "redacted" in steps[-1].text
    assert token not in str(runs[0])


def test_answers_that_count_in_another_file_are_no_steps(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_bytes(transcript("First", "Last"))
    (tmp_path / "earlier").write_bytes(transcript("First"))
    run = run_in(tmp_path)
    earlier = replace(run.source, path="earlier", location=str(tmp_path / "earlier"))
    steps = list(steps_of(replace(run, copied_from=(earlier,)), Redactor()))
    assert [step.text for step in steps if step.kind is StepKind.TEXT] == ["Last"]


def test_steps_of_a_subagent_are_in_its_lane(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_bytes(transcript("First"))
    run = run_in(tmp_path)
    lane = replace(run, id="lane", run=replace(run.run, agent_id="helper"))
    steps = list(steps_of(replace(run, lanes=(lane,)), Redactor()))
    assert [(step.lane, step.text) for step in steps if step.kind is StepKind.TEXT] == [
        ("", "First"),
        ("helper", "First"),
    ]


def test_a_transcript_of_the_session_has_its_steps(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_bytes(transcript("First"))
    run = run_in(tmp_path)
    result = replace(run, id="result", source=replace(run.source, location="none"), lanes=(run,))
    assert [step.text for step in steps_of(result, Redactor())] == ["Do it", "First"]


def test_a_file_that_changed_is_told_behind_its_last_step(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_bytes(transcript("First"))
    run = run_in(tmp_path)
    (tmp_path / "1.jsonl").write_bytes(transcript("Other"))
    steps = steps_of(run, Redactor())
    assert [next(steps).text, next(steps).text] == ["Do it", "Other"]
    with pytest.raises(ReadError) as refused:
        next(steps)
    assert refused.value.code == "W_CHANGED"


def test_texts_of_calls_are_cut_at_their_limits() -> None:
    call = ToolCall("i", "Bash", ToolKind.RUN, "ls", input="1\n2\n3", purpose="p" * 400)
    call = replace(call, result="é" * 1001, changes="a\nb\nc", program="ls")
    step = Step(0, StepKind.TOOL_CALL, 0, call=call)
    bounds = Bounds(result_lines=2, result_kb=1)
    made = published(Unmasked(step), 0, Redactor(), Level.FULL, bounds=bounds).call
    assert made is not None and made.result is not None
    assert (made.input, made.changes, made.program) == ("1\n2", "a\nb", "ls")
    assert len(made.result) == 1000 and len(made.purpose) <= 300
    whole = published(Unmasked(step), 0, Redactor(), Level.FULL, bounds=Bounds(result_lines=3)).call
    assert whole is not None and whole.input == "1\n2\n3" and whole.result == "é" * 1001


def test_a_masked_command_is_of_the_program_that_is_shown() -> None:
    token = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    programs = []
    for command in (f"TOKEN={token} curl x", f"export A={token}; npm test", f"{token} x"):
        call = ToolCall("i", "Bash", ToolKind.RUN, command, program=token)
        step = Step(0, StepKind.TOOL_CALL, 0, call=call)
        made = published(Unmasked(step), 0, Redactor(), Level.OUTLINE, bounds=Bounds()).call
        assert made is not None and token not in str(made)
        programs.append(made.program)
    assert programs == ["curl", "npm test", ""]


@pytest.mark.parametrize(
    ("kind", "target", "is_masked"),
    [
        (ToolKind.READ, "/run/secrets/db_password", True),
        (ToolKind.READ, "/srv/notes.txt", False),
        (ToolKind.RUN, "cat /run/secrets/db_password", True),
        (ToolKind.RUN, "stat /run/secrets/db_password", False),
    ],
)
def test_what_a_file_of_secrets_holds_is_masked_however_it_is_read(
    kind: ToolKind, target: str, *, is_masked: bool
) -> None:
    call = ToolCall("i", "T", kind, target, result="plainvalue7xK92mq")
    step = Step(0, StepKind.TOOL_CALL, 0, call=call)
    made = published(Unmasked(step), 0, Redactor(), Level.FULL, bounds=Bounds()).call
    assert made is not None and made.result is not None
    assert ("plainvalue" not in made.result) is is_masked
    bare = published(Unmasked(step), 0, Redactor(), Level.OUTLINE, bounds=Bounds()).call
    assert bare is not None and bare.result is None
