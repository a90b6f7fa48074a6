"""Files of a format: their runs, and where each is found again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from sitegen.model import Run
from sitegen.readers.common.builder import Format, RunBuilder
from sitegen.readers.common.format_reader import FormatReader
from sitegen.readers.common.json_text import JsonText
from sitegen.readers.common.record_reader import RecordReader, WholeFormat
from sitegen.readers.common.records import Record
from sitegen.readers.common.values import Caveats
from sitegen.readers.run_file import RunFile
from sitegen.steps import StepKind


class Tally(RecordReader):
    """Lines with a session, and texts."""

    format = Format("Tally log")

    def session_of(self, record: Record) -> str | None:
        return record.get("session")

    def read(self, record: Record) -> None:
        self.is_known |= "session" in record
        self.run.task = self.run.file.folder
        if "text" in record:
            self.run.add_text(StepKind.TEXT, record["text"])


def read_number(record: Record, run: RunBuilder) -> bool:
    run.turns = record.get("turns")
    return "turns" in record


def split(file: RunFile, caveats: Caveats) -> Iterator[Iterable[Any]]:
    for value in JsonText(file, caveats):
        yield [value]


READER = FormatReader("tally", Tally, rb'"session"')
NUMBERS = FormatReader(
    "number", WholeFormat(Format("Number log", is_whole=True), read_number, split)
)


def file_of(*records: dict[str, Any], noise: str = "") -> RunFile:
    text = noise + "".join(json.dumps(record) + "\n" for record in records)
    return RunFile.of("folder/a.jsonl", text.encode())


def texts_of(locator: str | None, *records: dict[str, Any]) -> tuple[list[str], Run | None]:
    steps = READER.steps(file_of(*records), locator, set(), contents=True)
    texts = []
    try:
        while True:
            texts.append(next(steps).text)
    except StopIteration as end:
        return texts, end.value


ONE = [{"session": "x"}, {"text": "a"}]
TWO = [*ONE, {"session": "y", "text": "b"}, {"session": "x", "text": "c"}]


def test_a_file_is_known_by_its_mark() -> None:
    assert READER.matches(file_of(*ONE)) and not READER.matches(file_of({"text": "a"}))
    assert (READER.name, READER.title) == ("tally", "Tally log")


def test_one_session_has_no_place_of_its_own() -> None:
    (run,) = READER.read(file_of(*ONE))
    assert (run.texts.summary, run.locator, run.task) == ("a", "run", "folder")
    assert texts_of("run", *ONE)[0] == texts_of(None, *ONE)[0] == ["a"]
    assert list(READER.read(file_of({"text": "a"}))) == []


def test_each_of_several_sessions_is_found_by_its_number() -> None:
    runs = list(READER.read(file_of(*TWO)))
    assert [(run.locator, run.texts.summary) for run in runs] == [
        ("session 0", "c"),
        ("session 1", "b"),
    ]
    for run, texts in zip(runs, (["a", "c"], ["b"]), strict=True):
        (again,) = READER.read(file_of(*TWO), run.locator)
        assert again == run
        found, told = texts_of(run.locator, *TWO)
        assert found == texts and told is not None and told.texts == run.texts


def test_each_part_of_a_file_is_a_run() -> None:
    records = [{"turns": 1}, {"other": 2}, {"turns": 3}]
    runs = list(NUMBERS.read(file_of(*records)))
    assert [(run.locator, run.turns) for run in runs] == [("run 0", 1), ("run 2", 3)]
    (again,) = NUMBERS.read(file_of(*records), "run 2")
    assert again.turns == 3
    assert list(NUMBERS.steps(file_of(*records), "run 9", set(), contents=True)) == []


def test_what_is_said_of_a_file_is_said_of_its_last_run() -> None:
    broken = '{"session": "x"\n'
    runs = list(READER.read(file_of(*TWO, noise=broken)))
    codes = [[caveat.code for caveat in run.caveats] for run in runs]
    assert "W_BAD_LINE" in codes[1] and "W_BAD_LINE" not in codes[0]
    assert all(run.ledger_is_lower_bound for run in runs)


@pytest.mark.parametrize("locator", ["session 7", None])
def test_steps_of_another_program_give_no_run(locator: str | None) -> None:
    assert texts_of(locator, {"text": "a"})[1] is None
