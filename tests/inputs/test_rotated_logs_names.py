"""The names of parts of logs, and whether the lines of one go on from those of another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sitegen.inputs import rotated_logs as module
from sitegen.model import Source
from sitegen.system.bounds import Bounds
from tests.inputs.test_rotated_logs import OTHER, SESSION


@pytest.mark.parametrize(
    ("path", "name", "number"),
    [
        ("run.log", "run.log", -1),
        ("run.log.1", "run.log", 1),
        ("run.log-12", "run.log", 12),
        ("a/run.LOG.2.gz", "a/run.LOG", 2),
        ("run.jsonl.2026-06-01", "run.jsonl", 20260601),
        ("run.ndjson.0", "run.ndjson", 0),
        ("run.json.1", "run.json", 1),
        ("run.out.1", "run.out", 1),
        ("run.txt.1", "run.txt", 1),
        ("run.csv.1", "run.csv.1", -1),
        ("run.log.1x", "run.log.1x", -1),
        ("run.log.12345678901", "run.log.12345678901", -1),
        ("run.log.1234567890", "run.log", 1234567890),
        (".log.1", ".log.1", -1),
    ],
)
def test_a_part_of_a_log_has_its_name_and_a_number(path: str, name: str, number: int) -> None:
    source = Source(path, path, named=False, size=0)
    assert module._name_and_number(source) == (name, number)


def lines(*records: dict[str, Any] | str) -> list[bytes]:
    return [
        record.encode() if isinstance(record, str) else json.dumps(record).encode()
        for record in records
    ]


IN_SESSION = {"type": "assistant", "session_id": SESSION}
THREAD = {"type": "thread.started"}
ITEM = {"type": "item.completed"}


@pytest.mark.parametrize(
    ("before", "after", "goes_on"),
    [
        ([IN_SESSION], [IN_SESSION], True),
        ([IN_SESSION, "cut {"], ["...}", IN_SESSION], True),
        ([IN_SESSION], [{**IN_SESSION, "session_id": OTHER}], False),
        ([{"type": "assistant", "sessionId": SESSION}], [{"sessionID": SESSION}], True),
        ([IN_SESSION], [{"type": "system", "subtype": "init", "session_id": SESSION}], False),
        ([IN_SESSION], [{"type": "system", "session_id": SESSION}], False),
        ([IN_SESSION], [{"type": "system", "subtype": "hook_1", "session_id": SESSION}], False),
        ([IN_SESSION], [{"type": "system", "subtype": "compact", "session_id": SESSION}], True),
        ([IN_SESSION], [{"type": "init", "session_id": SESSION}], False),
        ([{**IN_SESSION, "type": "result"}], [IN_SESSION], False),
        ([{"session_id": "x" * 7}], [{"session_id": "x" * 7}], False),
        ([THREAD], [ITEM], True),
        ([THREAD], [{"type": "turn.started"}], True),
        ([THREAD], [{"type": "message"}], True),
        ([THREAD], [{"type": "tool_use"}], True),
        ([THREAD], [{"type": "tool_result"}], True),
        ([THREAD], [{"type": "result"}], True),
        ([THREAD], [THREAD], False),
        ([{"type": "turn.completed"}], [ITEM], False),
        ([{"type": "turn.failed"}], [ITEM], False),
        ([{"no": "type"}], [ITEM], False),
        ([IN_SESSION], [ITEM], False),
        ([], [ITEM], False),
        ([THREAD], [], False),
        (["[1]", "no JSON"], [ITEM], False),
    ],
    ids=str,
)
def test_lines_go_on_from_others_within_a_session(
    before: list[Any], after: list[Any], goes_on: bool
) -> None:
    assert module._goes_on(lines(*before), lines(*after)) is goes_on


def test_the_first_record_is_the_first_object_among_lines() -> None:
    found = module._first_record(lines("", "[1]", "1", "{cut", {"a": 1}, {"b": 2}))
    assert found == {"a": 1}
    assert module._first_record([b"[" * 100_000]) == {}


def part_of(folder: Path, name: str, *records: dict[str, Any]) -> Source:
    data = b"".join(line + b"\n" for line in lines(*records))
    (folder / name).write_bytes(data)
    return Source(name, str(folder / name), named=False, size=len(data))


def test_logs_are_compared_up_to_the_bytes_that_fit_into_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = [part_of(tmp_path, name, IN_SESSION) for name in ("run.log", "run.log.1")]
    size = sum(part.size for part in parts)
    for most, joined in ((size, 2), (size - 1, 0)):
        monkeypatch.setattr(module, "max_bytes_at_once", lambda *_, most=most: most)
        assert len(module._joined(parts, Bounds())) == joined


def test_parts_that_cannot_be_read_are_left_out(tmp_path: Path) -> None:
    parts = [part_of(tmp_path, name, IN_SESSION) for name in ("run.log", "run.log.1")]
    gone = Source("run.log.2", str(tmp_path / "gone"), named=False, size=1)
    joined = module._joined([*parts, gone], Bounds())
    assert joined["run.log.1"] is None
    last = joined["run.log"]
    assert last is not None and last.earlier == ("run.log.1",)


def test_the_order_is_the_one_in_which_most_parts_go_on(tmp_path: Path) -> None:
    def opened(number: int) -> dict[str, Any]:
        return {"type": "system", "subtype": "init", "session_id": SESSION, "n": number}

    upwards = [
        part_of(tmp_path, "run.log", opened(0)),
        part_of(tmp_path, "run.log.1", IN_SESSION),
        part_of(tmp_path, "run.log.2", IN_SESSION),
    ]
    last = module._joined(upwards, Bounds())["run.log.2"]
    assert last is not None and last.earlier == ("run.log", "run.log.1")
    downwards = [
        part_of(tmp_path, "run.log", IN_SESSION),
        part_of(tmp_path, "run.log.1", IN_SESSION),
        part_of(tmp_path, "run.log.2", opened(0)),
    ]
    last = module._joined(downwards, Bounds())["run.log"]
    assert last is not None and last.earlier == ("run.log.2", "run.log.1")
