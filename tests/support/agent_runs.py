"""Files of agents other than Claude Code, read as a build reads them, and as a few lines of JSON do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sitegen.model import Run
from sitegen.readers.common.record_reader import RecordReader
from sitegen.readers.run_file import RunFile
from sitegen.steps import Step, StepKind
from tests.support.raw_steps import raw_steps
from tests.support.reading import read_source
from tests.support.transcripts import lines


def read(*records: dict[str, Any]) -> Run:
    """The one run in a file of these records, a line each."""
    return run_of(lines(*records))


def runs_of(content: bytes, name: str = "run.jsonl") -> tuple[Run, ...]:
    return read_source(RunFile.of(name, content), named=False) or ()


def run_of(content: bytes, name: str = "run.jsonl") -> Run:
    (run,) = runs_of(content, name)
    return run


def steps(*records: dict[str, Any]) -> list[Step]:
    """What happened in the run of these records; as many steps as were counted."""
    file = RunFile.of("run.jsonl", lines(*records))
    (run,) = read_source(file, named=False) or ()
    found = list(raw_steps(file, run.locator))
    assert len(found) == (run.steps.steps if run.steps else 0)
    assert [step.number for step in found] == list(range(len(found)))
    return found


def calls(found: list[Step]) -> list[Any]:
    return [step.call for step in found if step.kind is StepKind.TOOL_CALL]


def files(folder: Path) -> list[Path]:
    """All files below a folder that has some."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    assert found
    return found


def real(shared: Path, family: str) -> Iterator[tuple[Path, Run, list[dict[str, Any]]]]:
    """Each real file of a family: its path, its run, and its objects."""
    for path in files(shared / "runs" / family):
        yield path, run_of(path.read_bytes(), path.name), objects(path)


def objects(path: Path) -> list[dict[str, Any]]:
    """The JSON objects of a file, found without the readers: the one it is, those of its list, or one a line."""
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        values = [json.loads(text)]
    except ValueError:
        values = []
        for line in text.split("\n"):
            try:
                values.append(json.loads(line))
            except ValueError:
                continue
    records = [
        record for value in values for record in (value if isinstance(value, list) else [value])
    ]
    return [record for record in records if isinstance(record, dict)]


def kinds(run: Run) -> tuple[int | None, int | None, int | None, int | None]:
    """Input, cache writes, cache reads and output."""
    tokens = run.tokens
    return tokens.input, tokens.cache_write, tokens.cache_read, tokens.output


def told(reader: RecordReader, *records: dict[str, Any]) -> tuple[Run, list[Step]]:
    """What a reader makes of records of its format: the run and its steps."""
    for place, record in enumerate(records):
        reader.add_record(record, place)
    found = list(reader.rest())
    return reader.run.build(), [
        step.built(number, contents=True) for number, step in enumerate(found)
    ]


def texts_of(found: list[Step]) -> list[tuple[StepKind, str]]:
    """The kind of each step, and its text or the name of its tool."""
    return [(step.kind, step.call.name if step.call else step.text) for step in found]
