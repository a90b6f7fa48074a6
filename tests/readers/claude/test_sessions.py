"""Files of several sessions of Claude Code: each run is found by its locator, and copies are left out."""

from __future__ import annotations

import pytest

from sitegen.readers.claude.sessions import Sessions
from sitegen.readers.claude.transcripts import TranscriptReader
from sitegen.readers.run_file import RunFile
from tests.support.transcripts import Teller, lines

READER = TranscriptReader()


def file_of(*sessions: str) -> RunFile:
    records = []
    for session in sessions:
        t = Teller()
        for record in (t.prompt(f"Go, {session}."), t.says(f"I am {session}.", f"m-{session}")):
            records.append(record | {"sessionId": session, "uuid": f"{session}-{record['uuid']}"})
    return RunFile.of("a.jsonl", lines(*records))


def test_each_session_is_a_run_with_a_place() -> None:
    runs = list(READER.read(file_of("one", "two")))
    assert [run.locator for run in runs] == [None, "session 1"]
    for run in runs:
        (again,) = READER.read(file_of("one", "two"), run.locator or "session 0")
        assert again.texts == run.texts


@pytest.mark.parametrize(
    ("locator", "text"),
    [
        (None, "I am one."),
        ("run", "I am one."),
        ("session 0", "I am one."),
        ("session 1", "I am two."),
    ],
)
def test_steps_are_those_of_the_run_at_a_place(locator: str | None, text: str) -> None:
    steps = READER.steps(file_of("one", "two"), locator, contents=True)
    found = []
    try:
        while True:
            found.append(next(steps))
    except StopIteration as end:
        assert end.value is not None and end.value.texts.summary == text
        assert end.value.locator == locator
    assert [step.text for step in found] == [f"Go, {text[5:]}", text] and found[1].number == 1


def test_a_place_where_no_session_is_has_no_steps() -> None:
    assert list(READER.steps(file_of("one"), "session 9", contents=True)) == []


def test_what_other_files_have_is_left_out() -> None:
    known: set[str | int] = set()
    assert len(list(READER.read_new(file_of("one"), known))) == 1
    assert list(READER.read_new(file_of("one"), known)) == []


def test_sessions_of_a_form_say_how_they_are_read() -> None:
    sessions = Sessions(file_of("one"), set())
    for ask in (sessions.read, lambda: sessions.session_at(""), lambda: sessions.runs(None)):
        with pytest.raises(NotImplementedError):
            ask()
