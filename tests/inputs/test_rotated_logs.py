"""A log that was rotated is read as the one file that it was."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sitegen import load_runs
from sitegen.errors import ReadError
from sitegen.inputs import rotated_logs, source_files
from sitegen.inputs.discover import discover
from sitegen.inputs.rotated_logs import join_logs
from sitegen.model import Status
from tests.readers.claude.test_results_parts import OTHER, SESSION, whole
from tests.support.command import sitegen


def packed(records: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


RECORDS = whole(SESSION, 6)
RECORDS[-1]["num_turns"] = 7
DATA = packed(RECORDS)
FIRST, SECOND, THIRD = packed(RECORDS[:5]), packed(RECORDS[5:9]), packed(RECORDS[9:])
THREAD = {"type": "thread.started", "thread_id": SESSION}
ITEM = {
    "id": "item_",
    "type": "command_execution",
    "aggregated_output": "a",
    "exit_code": 0,
    "status": "completed",
}
ITEMS = [
    {"type": "item.completed", "item": ITEM | {"id": f"item_{at}", "command": f"ls {at}"}}
    for at in range(6)
]
USAGE = {"input_tokens": 20, "cached_input_tokens": 0, "output_tokens": 10}
CODEX = [THREAD, {"type": "turn.started"}, *ITEMS, {"type": "turn.completed", "usage": USAGE}]


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (folder / name).write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)


def docker(data: bytes) -> bytes:
    lines = data.decode().splitlines(keepends=True)
    return packed(
        [{"log": line, "stream": "stdout", "time": "2026-01-01T00:00:00Z"} for line in lines]
    )


@pytest.mark.parametrize(
    "files",
    [
        {"run.log.1": FIRST, "run.log": SECOND + THIRD},
        {"run.log.2": FIRST, "run.log.1": SECOND, "run.log": THIRD},
        {"run.log.2.gz": FIRST, "run.log.1.gz": SECOND, "run.log": THIRD},
        {"run.jsonl.2.gz": FIRST, "run.jsonl.1": SECOND + THIRD},
        {"run.log": FIRST, "run.log.1": SECOND, "run.log.2": THIRD},
        {"run.log-20260601.gz": FIRST, "run.log-20260602": SECOND, "run.log": THIRD},
        {"run.log.2026-06-01": FIRST, "run.log.2026-06-02": SECOND, "run.log": THIRD},
        {"run.log.1": FIRST + SECOND, "run.log": SECOND + THIRD},
        {"run.log.1": DATA[:1500], "run.log": DATA[1500:]},
        {
            "c-json.log.2": docker(FIRST),
            "c-json.log.1": docker(SECOND),
            "c-json.log": docker(THIRD),
        },
        {"codex.jsonl.1": packed(CODEX[:4]), "codex.jsonl": packed(CODEX[4:])},
        {
            "codex.jsonl.2": packed(CODEX[:3]),
            "codex.jsonl.1": packed(CODEX[3:6]),
            "codex.jsonl": packed(CODEX[6:]),
        },
    ],
)
def test_parts_of_a_log_are_one_run(tmp_path: Path, files: dict[str, bytes]) -> None:
    write(tmp_path, files)
    (entry,) = load_runs(str(tmp_path))
    assert entry.run.steps
    assert (entry.run.status, entry.run.steps.tool_calls, entry.run.tokens.total) == (
        Status.OK,
        6,
        30,
    )
    assert not entry.run.ledger_is_lower_bound


@pytest.mark.parametrize(
    ("files", "calls"),
    [
        ({"run.log.1": DATA, "run.log": packed(whole(OTHER, 2))}, [2, 6]),
        ({"run.log.1": DATA, "run.log": packed(whole(OTHER, 2)[1:])}, [2, 6]),
        (
            {
                "run.log.3": packed(whole(OTHER, 1)),
                "run.log.2": FIRST,
                "run.log.1": SECOND,
                "run.log": THIRD,
            },
            [1, 6],
        ),
        ({"a.log.1": FIRST, "b.log": packed(whole(OTHER, 2)[1:])}, [2, 2]),
        (
            {
                "codex.jsonl.1": packed(CODEX),
                "codex.jsonl": packed([THREAD | {"thread_id": OTHER}, *CODEX[1:]]),
            },
            [6, 6],
        ),
    ],
)
def test_logs_that_do_not_go_on_from_each_other_stay_apart(
    tmp_path: Path, files: dict[str, bytes], calls: list[int]
) -> None:
    write(tmp_path, files)
    assert (
        sorted(entry.run.steps.tool_calls for entry in load_runs(str(tmp_path)) if entry.run.steps)
        == calls
    )


@pytest.mark.parametrize("uuid", ["other", RECORDS[-1]["uuid"]])
def test_a_file_that_names_the_session_of_a_run_that_ended_hides_nothing_of_it(
    tmp_path: Path, uuid: str
) -> None:
    later = RECORDS[-1] | {"uuid": uuid, "total_cost_usd": 0.00001}
    write(tmp_path, {"run.log.1": DATA, "run.log": packed([RECORDS[1], later])})
    assert (
        max(entry.run.cost_usd or 0 for entry in load_runs(str(tmp_path)))
        == RECORDS[-1]["total_cost_usd"]
    )


def test_a_site_of_a_rotated_log_shows_all_steps_and_sees_changes(tmp_path: Path) -> None:
    runs, cache = tmp_path / "in", ("--cache-dir", str(tmp_path / "cache"))
    runs.mkdir()
    write(runs, {"run.log.2.gz": FIRST, "run.log.1": SECOND, "run.log": THIRD})
    for files, edited in (
        ({}, "/k/0.py"),
        ({"run.log.2.gz": FIRST.replace(b"/k/0.py", b"/k/new.py")}, "/k/new.py"),
    ):
        write(runs, files)
        done = sitegen("build", "in", "-o", "site", *cache, cwd=tmp_path)
        assert done.returncode == 0, done
        text = "".join(page.read_text() for page in (tmp_path / "site" / "runs").rglob("*.html"))
        assert edited in text and "/k/5.py" in text


def test_of_a_log_without_its_beginning_the_edits_are_unknown(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "runs.zip", "w") as archive:
        archive.writestr("run.log.1", FIRST + SECOND)
        archive.writestr("run.log", THIRD)
    (entry,) = load_runs(str(tmp_path))
    assert entry.run.steps and entry.run.steps.edited is None
    assert any(
        "beginning of its recording is missing" in caveat.text for caveat in entry.run.caveats
    )
    (tmp_path / "runs.zip").unlink()
    write(tmp_path, {"run.log": packed(RECORDS[1:])})
    (entry,) = load_runs(str(tmp_path))
    assert entry.run.steps and entry.run.steps.files_edited == 6 and entry.run.caveats == ()


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ({"type": ["x"]}, {"type": "item.completed", "item": {}}),
        ({"type": {"x": 1}}, {"type": ["item.completed"], "session_id": [1]}),
        ({"session_id": 5}, {"type": "assistant", "session_id": 5}),
        ({"session_id": "short"}, {"type": "assistant", "session_id": "short"}),
    ],
)
def test_records_that_say_nothing_clear_are_not_joined(
    tmp_path: Path, earlier: object, later: object
) -> None:
    (tmp_path / "run.log.1").write_text(json.dumps(earlier))
    (tmp_path / "run.log").write_text(json.dumps(later))
    found = discover([tmp_path])
    assert join_logs(found) == found


def test_a_fault_while_logs_are_compared_leaves_them_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"run.log.1": FIRST, "run.log": SECOND + THIRD})
    found = discover([tmp_path])
    monkeypatch.setattr(rotated_logs, "_goes_on", lambda *_: 1 // 0)
    assert join_logs(found) == found


def test_an_earlier_part_that_is_gone_is_said(tmp_path: Path) -> None:
    write(tmp_path, {"run.log.1": FIRST, "run.log": SECOND + THIRD})
    (source,) = join_logs(discover([tmp_path])).sources
    (tmp_path / "run.log.1").unlink()
    ((_, content),) = source_files.contents(source)
    assert isinstance(content, ReadError) and content.code == "W_CHANGED"
