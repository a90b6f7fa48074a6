"""Readers of records: one session after the other, each record once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from sitegen.readers.common import record_reader
from sitegen.readers.common.builder import FilePlace, Format, RunBuilder
from sitegen.readers.common.record_reader import Copies, RecordReader, Sessions, WholeFormat
from sitegen.readers.common.records import Record
from sitegen.steps import StepKind


class Tally(RecordReader):
    """Lines with a session, and texts."""

    format = Format("Tally log", known_kinds=frozenset({"say", "start"}))

    def begin(self) -> None:
        self.copies = 0

    def session_of(self, record: Record) -> str | None:
        return record.get("session")

    def read(self, record: Record) -> None:
        self.is_known |= record.get("type") == "start"
        if "text" in record:
            self.run.add_text(StepKind.TEXT, record["text"])

    def read_copy(self, record: Record) -> None:  # noqa: ARG002
        self.copies += 1

    def finish(self) -> None:
        self.run.add_text(StepKind.NOTICE, "end")


def read(values: Iterable[Any]) -> tuple[Sessions, list[tuple[int, str]]]:
    sessions = Sessions(Tally)
    steps = [(number, step.text) for number, steps in sessions.read(values) for step in steps]
    return sessions, steps


def test_records_of_one_session_are_read_in_order() -> None:
    sessions, steps = read([{"type": "start"}, [{"text": "a"}, "no record"], {"text": "b"}])
    assert list(sessions.readers) == [-1]
    assert steps == [(-1, "a"), (-1, "b"), (-1, "end")]


def test_sessions_may_alternate_and_are_numbered() -> None:
    first, second = ({"session": name, "type": "start"} for name in ("x", "y"))
    sessions, steps = read(
        [first, {"text": "a"}, second, {"text": "b"}, {"session": "x", "text": "c"}]
    )
    assert list(sessions.readers) == [0, 1]
    assert steps == [(0, "a"), (1, "b"), (0, "c"), (0, "end"), (1, "end")]


def test_what_stands_before_the_first_session_may_be_about_it() -> None:
    sessions, steps = read([{"text": "a"}, {"session": "x", "type": "start"}])
    assert list(sessions.readers) == [0] and [text for _, text in steps] == ["a", "end"]
    sessions, _ = read([{"type": "start"}, {"session": "x", "type": "start", "n": 1}])
    assert list(sessions.readers) == [-1, 0]


def test_records_of_another_program_say_nothing() -> None:
    sessions, steps = read([{"text": "a"}])
    assert not sessions.readers[-1].is_known and steps == [(-1, "a")]


def test_a_record_that_counts_and_comes_twice_in_a_row_counts_once() -> None:
    reader = Tally()
    for place, record in enumerate(
        [{"text": "a", "timestamp": 1}] * 2 + [{"text": "b"}] * 2 + [{"text": "a", "timestamp": 1}]
    ):
        reader.add_record(record, place)
    texts = [step.text for step in reader.run.steps.ready()]
    assert (texts, reader.copies, reader.run.place) == (["a", "b", "b", "a"], 1, 4)


def test_a_file_that_begins_again_is_a_copy_as_far_as_it_is_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    records = [{"type": "start"}, {"text": "a"}, {"text": "b"}]
    sessions, steps = read([*records, *records, {"text": "c"}])
    assert [text for _, text in steps] == ["a", "b", "c", "end"]
    assert isinstance(reader := sessions.readers[-1], Tally) and reader.copies == 3
    _, steps = read([*records, records[0], {"text": "x"}, records[2]])
    assert [text for _, text in steps] == ["a", "b", "x", "b", "end"]
    monkeypatch.setattr(record_reader, "MAX_COMPARED", 1)
    copies = Copies()
    assert [copies.is_copy(record) for record in records * 2] == [False] * 3 + [True, False, False]


def test_kinds_of_records_are_counted_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_reader, "MAX_KINDS", 2)
    reader = Tally()
    for place, kind in enumerate(("say", "new", "say", "third", 5, "new")):
        reader.add_record({"type": kind, "n": place}, place)
    assert reader.run.kinds == {"say": 2, "new": 2} and list(reader.run.unknown) == ["new"]
    long = RecordReaderOfAll()
    long.add_record({"type": "x" * 150}, 0)
    assert list(long.run.kinds) == ["x" * 100] and not long.run.unknown


class RecordReaderOfAll(RecordReader):
    """Takes everything, and says nothing."""

    format = Format("All log")

    def read(self, record: Record) -> None:  # noqa: ARG002
        self.is_known = True


@pytest.mark.parametrize(
    "record",
    [
        {"cwd": "/w"},
        {"directory": "/w"},
        {"payload": {"cwd": "/w"}},
        {"info": {"directory": "/w"}},
        {"data": {"cwd": "/w"}},
        {"context": {"cwd": "/w"}},
    ],
)
def test_the_folder_of_a_run_is_the_first_that_a_record_names(record: dict[str, Any]) -> None:
    reader = RecordReaderOfAll()
    reader.add_record({"cwd": 5}, 0)
    reader.add_record(record, 1)
    reader.add_record({"cwd": "/other"}, 2)
    assert reader.run.cwd == "/w"
    late = RecordReaderOfAll()
    late.add_record(record, record_reader.MAX_BEFORE_FOLDER)
    assert late.run.cwd is None
    late.add_record({"cwd": "x" * 2_000}, record_reader.MAX_BEFORE_FOLDER - 1)
    assert late.run.cwd == "x" * record_reader.MAX_FOLDER


def test_records_at_the_beginning_tell_a_run_from_others() -> None:
    reader, same = RecordReaderOfAll(), RecordReaderOfAll()
    for each in (reader, same):
        each.add_record({"a": 1}, 0)
    assert reader.run.beginnings() == same.run.beginnings() != ()
    assert reader.session_of({}) is None and reader.identifies({})


def read_number(record: Record, run: RunBuilder) -> bool:
    run.turns = record.get("turns")
    run.task = run.file.name
    return "turns" in record


def test_a_function_reads_records_that_are_runs() -> None:
    whole = WholeFormat(Format("Number log", is_whole=True), read_number)
    sessions = Sessions(lambda: whole(FilePlace("name")))
    list(sessions.read([{"turns": 1}, {"other": 2}, {"turns": 3}]))
    found = [
        (reader.is_known, reader.run.turns, reader.run.task) for reader in sessions.readers.values()
    ]
    assert found == [(True, 1, "name"), (False, None, "name"), (True, 3, "name")]


def test_of_a_record_that_is_part_of_a_file_the_first_counts() -> None:
    single = WholeFormat(Format("Number log"), read_number)
    sessions = Sessions(single)
    list(sessions.read([{"turns": 1}, {"turns": 3}]))
    assert [reader.run.turns for reader in sessions.readers.values()] == [1]
    named = WholeFormat(
        Format("Number log", is_whole=True), read_number, session_of=lambda record: record.get("id")
    )
    sessions = Sessions(named)
    list(sessions.read([{"id": "a", "turns": 1}, {"id": "b", "turns": 2}, {"id": "a", "turns": 3}]))
    assert [reader.run.turns for reader in sessions.readers.values()] == [1, 2]
