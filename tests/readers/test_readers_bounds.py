"""What holds for each reader: what is lost is said, why it ended is found, and a file is opened once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from sitegen import readers
from sitegen.errors import ReadError
from sitegen.inputs import discover
from sitegen.inputs.survey import Facts, Naming, survey
from sitegen.masking.redact import Redactor
from sitegen.model import Run, Status
from sitegen.readers import kinds, run_file
from sitegen.readers.kinds import NotARun
from sitegen.readers.run_file import RunFile
from tests.conftest import ROOT
from tests.support import campaigns
from tests.support.agent_runs import run_of
from tests.support.harness_runs import event_folder
from tests.support.reading import read_source

CORPUS = sorted((ROOT / "tests" / "corpus" / "reader").iterdir())


def read(name: str, content: bytes) -> tuple[Run, ...]:
    try:
        return read_source(RunFile.of(name, content), named=False) or ()
    except ReadError:
        return ()


def surveyed(folder: Path) -> Facts:
    found = discover.discover([str(folder)])
    return survey(found, Naming([None]), Redactor(), lambda _, sources: sources)


def sums(runs: tuple[Run, ...]) -> tuple[int, float]:
    return sum(run.tokens.total or 0 for run in runs), sum(run.cost_usd or 0 for run in runs)


@pytest.mark.parametrize(
    "path", [path for path in CORPUS if b"}\n{" in path.read_bytes()], ids=lambda path: path.name
)
def test_figures_that_fall_with_a_broken_line_are_lower_bounds(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    whole = sums(read(path.name, b"".join(lines)))
    for number, line in enumerate(lines):
        runs = read(
            path.name,
            b"".join([*lines[:number], line[: len(line) // 2] + b"\n", *lines[number + 1 :]]),
        )
        if any(map(int.__lt__, sums(runs)[:1], whole[:1])) and any(
            run.tokens.total is not None for run in runs
        ):
            is_run = len(runs) < len(read(path.name, b"".join(lines)))
            assert is_run or any(run.ledger_is_lower_bound for run in runs), line


REPLAYED = {
    "each line twice": lambda data: b"".join(
        line + b"\n" + line + b"\n" for line in data.splitlines()
    ),
    "twice": lambda data: data.rstrip() + b"\n" + data,
    "with a byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "with ends of lines of Windows": lambda data: b"\r\n".join(data.splitlines()),
    "with kinds of records that nobody knows": lambda data: b"\n".join(
        line + b'\n{"type": "an_event_of_tomorrow", "data": {}}' for line in data.splitlines()
    ),
}


@pytest.mark.parametrize("change", REPLAYED.values(), ids=REPLAYED)
@pytest.mark.parametrize(
    "path", [path for path in CORPUS if path.suffix == ".jsonl"], ids=lambda path: path.name
)
def test_what_a_file_says_twice_counts_once(path: Path, change: Callable[[bytes], bytes]) -> None:
    def figures(content: bytes) -> list[tuple[object, ...]]:
        runs = {run.task or run.session_id: run for run in read(path.name, content)}
        return [
            (run.tokens, run.cost_usd, run.turns, run.status, run.outcome) for run in runs.values()
        ]

    content = path.read_bytes()
    assert figures(change(content)) == figures(content)


@pytest.mark.parametrize("name", ["transcript.jsonl", "openhands-events.jsonl"])
def test_the_beginning_of_a_file_is_no_further_run(name: str, tmp_path: Path) -> None:
    (path,) = (path for path in CORPUS if path.name == name)
    lines = [
        line for line in path.read_bytes().splitlines(keepends=True) if b"cost-state" not in line
    ]
    for number, size in product(range(4, len(lines), 3), (0, 40)):
        end = lines[number][:size]
        campaigns.write(
            tmp_path, {name: b"".join(lines), f"z-{name}": b"".join(lines[:number]) + end}
        )
        (entry,) = surveyed(tmp_path).entries
        assert entry.run.tokens == surveyed(tmp_path / name).entries[0].run.tokens, (number, end)


def test_events_beyond_the_limit_make_lower_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaigns.write(
        tmp_path, {path: data for path, data in event_folder().items() if "state" not in path}
    )
    (whole,) = surveyed(tmp_path).entries
    assert not whole.run.ledger_is_lower_bound
    monkeypatch.setattr(run_file, "MAX_LOG_BYTES", 2_000)
    (entry,) = surveyed(tmp_path).entries
    assert entry.run.ledger_is_lower_bound and entry.run.cost_is_lower_bound
    assert any("lower bounds" in said.text for said in entry.run.caveats)


def test_a_file_is_opened_once_whatever_the_number_of_readers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"{path.name}/{path.name}": path.read_bytes() for path in CORPUS} | event_folder()
    campaigns.write(
        tmp_path, files | {"crush.db/crush.db-wal": b"", "empty/a.db": b"", "empty/a.db-wal": b"x"}
    )
    opened, real = Counter[str](), discover.opened

    def counted(source: discover.Source) -> Any:
        opened[source.path] += 1
        return real(source)

    monkeypatch.setattr(discover, "opened", counted)
    found = surveyed(tmp_path)
    assert len(opened) >= len(CORPUS)
    assert not [path for path in found.ignored if path.endswith("-wal")]
    assert {path: count for path, count in opened.items() if count > 1} == {}


EMPTY: dict[str, Any] = {
    "promptfoo": {"results": {"results": [], "timestamp": None}, "evalId": None},
    "inspect": {"version": 2, "status": "success", "eval": {"task": "t"}, "samples": []},
    "terminal-bench": {"id": "x", "results": [], "n_resolved": 0, "n_unresolved": 0},
    "mini-swe": {"info": {"mini_version": "1.0"}, "messages": [], "trajectory_format": "1"},
}


@pytest.mark.parametrize("content", EMPTY.values(), ids=EMPTY)
def test_whole_results_without_an_entry_are_said_to_have_none(content: dict[str, Any]) -> None:
    data = json.dumps(content).encode()
    assert readers.parse_file(RunFile.of("results.json", data), named=False) == NotARun("empty")
    assert "no run in it" in kinds.in_words([("results.json", "empty")])[0]
    with pytest.raises(ReadError, match="without"):
        readers.parse_file(RunFile.of("results.json", data), named=True)


def lines(*records: dict[str, Any]) -> bytes:
    return "".join(f"{json.dumps(record)}\n" for record in records).encode()


def cline(*names: str) -> bytes:
    at = 1_760_000_000_000
    messages = [{"ts": at, "type": "say", "say": "task", "text": "go"}]
    messages += [{"ts": at + 1, "type": "ask", "ask": name, "text": "stopped"} for name in names]
    return json.dumps(messages).encode()


def trae(**fields: Any) -> bytes:
    content = {
        "task": "go",
        "start_time": "2026-05-01T08:00:00",
        "end_time": "2026-05-01T08:01:00",
        "provider": "openai",
    }
    return json.dumps(
        {**content, "model": "moon-1", "llm_interactions": [], "success": False, **fields}
    ).encode()


def mini_swe(calls: int, most: int, usd: float) -> bytes:
    said = [{"role": "user", "content": "go"}, {"role": "assistant", "content": "yes"}]
    config = {"agent": {"step_limit": most, "cost_limit": usd}}
    stats = {"api_calls": calls, "instance_cost": 3.5}
    info = {
        "mini_version": "1.0",
        "exit_status": "LimitsExceeded",
        "config": config,
        "model_stats": stats,
    }
    return json.dumps({"info": info, "messages": said}).encode()


ENDED = {
    "amp": (
        lines(
            {"type": "user", "session_id": "T-1", "message": {"content": "go"}},
            {
                "type": "result",
                "session_id": "T-1",
                "subtype": "error_max_turns",
                "is_error": True,
                "error": "stopped",
            },
        ),
        "turn limit",
    ),
    "cline requests": (cline("auto_approval_max_req_reached"), "turn limit"),
    "cline mistakes": (cline("mistake_limit_reached"), "mistake limit"),
    "trae steps": (
        trae(max_steps=1, agent_steps=[{"step_number": 1, "state": "completed"}]),
        "turn limit",
    ),
    "trae words": (
        trae(
            max_steps=9,
            agent_steps=[],
            final_result="Task execution exceeded maximum steps without completion.",
        ),
        "turn limit",
    ),
    "mini-swe turns": (mini_swe(30, 30, 9.0), "turn limit"),
    "mini-swe cost": (mini_swe(12, 30, 3.0), "cost limit"),
    "mini-swe neither": (mini_swe(12, 0, 0), "turn or cost limit"),
    "gemini": (
        lines(
            {
                "type": "init",
                "session_id": "s",
                "model": "moon-1",
                "timestamp": "2026-05-01T08:00:00Z",
            },
            {
                "type": "result",
                "status": "error",
                "error": {"message": "Reached max session turns for this session."},
            },
        ),
        "turn limit",
    ),
    "gemini chat": (
        json.dumps(
            {
                "sessionId": "s",
                "projectHash": "p",
                "messages": [
                    {"id": "a", "type": "user", "content": "go"},
                    {
                        "id": "b",
                        "type": "info",
                        "content": "The session has reached the maximum number of turns: 9.",
                    },
                ],
            }
        ).encode(),
        "turn limit",
    ),
    "codex": (
        lines(
            {"type": "thread.started", "thread_id": "t"},
            {
                "type": "turn.failed",
                "error": {"message": "Your input exceeds the context window of this model."},
            },
        ),
        "context limit",
    ),
}


@pytest.mark.parametrize(("content", "reason"), ENDED.values(), ids=ENDED)
def test_a_limit_that_ended_a_run_is_its_reason(content: bytes, reason: str) -> None:
    run = run_of(content, "run.json")
    assert (run.status, run.status_detail) == (Status.FAILED, reason)
