"""Databases of Crush, and of the opencode that was written in Go."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sitegen import load_runs
from sitegen.errors import ReadError
from sitegen.model import Run, Status
from sitegen.readers import opencode_databases
from sitegen.readers.common.values import Caveats
from sitegen.readers.run_file import RunFile
from sitegen.steps import StepKind, ToolKind
from tests.support.agent_runs import runs_of
from tests.support.harness_runs import crush_db
from tests.support.raw_steps import raw_steps


def folders(shared: Path) -> Iterator[Path]:
    found = [
        path
        for name in ("crush-sqlite", "opencode-go-sqlite")
        for path in (shared / "more-runs" / name).rglob("*.db")
    ]
    assert found
    yield from found


def counted(path: Path) -> dict[str, dict[str, Any]]:
    """What SQLite itself says of each session that no other one started, with those it started."""
    with closing(sqlite3.connect(path)) as database:
        parents = dict(database.execute("SELECT id, parent_session_id FROM sessions"))
        found: dict[str, dict[str, Any]] = {}
        for id_, parent in parents.items():
            own = found.setdefault(
                parent or id_, {"models": set(), "counts": Counter(), "edited": set()}
            )
            calls = dict[str, Any]()
            rows = database.execute(
                "SELECT role, parts, model FROM messages WHERE session_id = ? ORDER BY rowid",
                (id_,),
            )
            for role, parts, model in rows.fetchall():
                own["counts"]["turns"] += role == "assistant" and parent is None
                own["models"] |= {model} if role == "assistant" else set()
                for part in json.loads(parts):
                    data = part["data"]
                    if part["type"] == "tool_call":
                        own["counts"]["calls"] += 1
                        calls[data["id"]] = data
                    elif part["type"] == "tool_result":
                        own["counts"]["failed"] += data["is_error"]
            paths = database.execute("SELECT DISTINCT path FROM files WHERE session_id = ?", (id_,))
            own["edited"] |= {path for (path,) in paths}
    return found


def test_real_databases_have_the_figures_that_sqlite_gives(shared: Path, tmp_path: Path) -> None:
    totals = Counter[str]()
    for number, path in enumerate(folders(shared)):
        place = tmp_path / str(number) / path.name
        place.parent.mkdir()
        for name in (path.name, f"{path.name}-wal"):
            shutil.copy(path.with_name(name), place.with_name(name))
        runs = {entry.run.session_id: entry.run for entry in load_runs(str(path.parent))}
        expected = counted(place)
        assert runs.keys() == expected.keys()
        for id_, run in runs.items():
            own = expected[str(id_)]
            assert {line.model for line in run.ledger} == own["models"]
            counts = {"turns": run.turns, "calls": run.steps and run.steps.tool_calls}
            assert run.steps and counts | {"failed": run.steps.tool_failures or 0} == own[
                "counts"
            ] | {"failed": own["counts"]["failed"], "calls": own["counts"]["calls"]}
            assert (run.steps.files_edited or 0) == len(own["edited"])
            assert (run.tokens.total, run.cost_usd) == (None, None)
            totals += own["counts"]
        totals["sessions"] += len(runs)
    assert totals == {"sessions": 8, "turns": 301, "calls": 271, "failed": 12}


def run_of(content: bytes) -> Run:
    runs = {run.agent_id: run for run in runs_of(content, "crush.db")}
    return runs[None]


def test_a_session_of_crush_has_its_steps_and_the_cost_of_its_subagents_once(
    tmp_path: Path,
) -> None:
    (tmp_path / "crush.db").write_bytes(crush_db())
    (entry,) = load_runs(str(tmp_path))
    run = entry.run
    assert (run.agent, run.model, run.cost_usd, run.turns) == ("Crush", "moon-3", 0.75, 3)
    assert (run.status, run.session_title, run.tokens.total) == (Status.OK, "Tides", None)
    assert run.steps and (
        run.steps.tool_calls,
        run.steps.tool_failures,
        run.steps.files_edited,
    ) == (3, 1, 1)
    assert (run.steps.lines_added, run.steps.lines_removed, run.steps.subagents) == (3, 1, 1)
    assert run.started_at == "2026-02-02T02:40:00Z"
    assert run_of(crush_db()).texts.summary == "Sorted."


@pytest.mark.parametrize(
    ("reason", "more", "status", "detail"),
    [
        ("end_turn", {}, Status.OK, None),
        ("tool_use", {}, Status.INTERRUPTED, None),
        ("max_tokens", {}, Status.FAILED, "output limit"),
        ("canceled", {"message": "User canceled"}, Status.INTERRUPTED, "aborted"),
        ("permission_denied", {}, Status.INTERRUPTED, "permission denied"),
        (
            "error",
            {"message": "Bad", "details": "429 too many requests"},
            Status.STOPPED,
            "usage limit",
        ),
        ("strange", {}, Status.UNKNOWN, "not stated"),
    ],
)
def test_the_last_answer_says_how_a_session_ended(
    reason: str, more: dict[str, str], status: Status, detail: str | None
) -> None:
    run = run_of(crush_db(reason, **more))
    assert (run.status, run.status_detail) == (status, detail)
    assert run.texts.errors == (("Bad: 429 too many requests",) if reason == "error" else ())


def altered(*statements: str) -> bytes:
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(crush_db())
        for statement in statements:
            database.execute(statement)
        database.commit()
        return bytes(database.serialize())


def test_a_database_without_a_column_of_crush_is_that_of_opencode() -> None:
    assert run_of(altered("ALTER TABLE messages DROP COLUMN provider")).agent == "opencode"


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE goose_db_version",
        "ALTER TABLE messages DROP COLUMN parts",
        "ALTER TABLE sessions RENAME TO other",
    ],
)
def test_tables_of_another_program_are_left_alone(statement: str) -> None:
    assert runs_of(altered(statement), "crush.db") == ()


def test_a_view_or_a_trigger_in_its_place_does_nothing() -> None:
    view = "CREATE VIEW sessions AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    assert runs_of(altered("DROP TABLE sessions", view), "crush.db") == ()
    trigger = "CREATE TRIGGER t AFTER INSERT ON messages BEGIN DELETE FROM messages; END"
    assert run_of(altered(trigger)) == run_of(crush_db())


def test_order_of_rows_and_copies_change_nothing(tmp_path: Path) -> None:
    turned = altered(
        "CREATE TEMP TABLE t AS SELECT * FROM messages ORDER BY created_at DESC, rowid DESC",
        "DELETE FROM messages",
        "INSERT INTO messages SELECT * FROM t",
        "DROP TABLE t",
    )
    assert run_of(turned) == run_of(crush_db())
    for name in ("a/crush.db", "b/crush.db"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(crush_db())
    assert [entry.run.cost_usd for entry in load_runs(str(tmp_path))] == [0.75]


@pytest.mark.parametrize(
    "change",
    [
        *("parts = '['", "parts = '[{}, 1, null]'", "parts = x'00ff'", "role = 9", "model = 1"),
        *("created_at = 'soon'", "created_at = -1", "created_at = 1e300", "finished_at = 'x'"),
    ],
)
def test_hostile_values_in_messages_become_unknown(change: str) -> None:
    runs = runs_of(altered(f"UPDATE messages SET {change}"), "crush.db")  # noqa: S608
    assert sorted(run.cost_usd or 0 for run in runs) == [0.25, 0.5]


@pytest.mark.parametrize("cost", ["-1", "'free'", "1e300", "NULL"])
def test_a_cost_that_cannot_be_right_is_unknown(cost: str) -> None:
    runs = runs_of(altered(f"UPDATE sessions SET cost = {cost}"), "crush.db")  # noqa: S608
    assert [run.cost_usd for run in runs] == [None, None]


def test_a_full_disk_is_said_and_not_a_damaged_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "crush.db").write_bytes(crush_db())

    def full(*_: object, **__: object) -> object:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(opencode_databases, "TemporaryDirectory", full)
    with (
        (tmp_path / "crush.db").open("rb") as file,
        pytest.raises(ReadError, match="no space left on device") as refused,
    ):
        list(
            opencode_databases.parts(
                RunFile("crush.db", file, 10**6, log=lambda: b"x" * 100), Caveats()
            )
        )
    assert refused.value.code == "E_READ"


def test_a_summary_is_a_compaction_and_hidden_text_is_not_a_prompt() -> None:
    content = altered("UPDATE sessions SET summary_message_id = 's1-3'")
    run = run_of(content)
    assert run.steps and run.steps.compactions == 1
    steps = list(raw_steps(RunFile.of("crush.db", crush_db()), run.locator))
    assert [step.kind for step in steps][:2] == [StepKind.PROMPT, StepKind.TOOL_CALL]
    call = steps[1].call
    assert call and (call.kind, call.failed, call.result, call.program) == (
        ToolKind.RUN,
        True,
        "no",
        "make tides",
    )
