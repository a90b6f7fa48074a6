"""The log of an SQLite database is read as SQLite reads it; what is lost of a damaged one is not passed over."""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
import struct
import tarfile
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from sitegen import load_runs
from sitegen.readers.opencode_databases import laid_over
from sitegen.readers.run_file import RunFile
from tests.support.command import sitegen

T = 1_780_300_000_000
TABLES = (
    "CREATE TABLE session(id text, parent_id text, title text, version text, time_created int, time_updated int)",
    "CREATE TABLE message(id text, session_id text, data text)",
    "CREATE TABLE part(id text, message_id text, session_id text, data text)",
)


def add(database: sqlite3.Connection, number: int, text: str = "Done. " * 300) -> None:
    """A session of 10 tokens out and a dollar."""
    id_, at = f"ses_{number}", T + number
    tokens = {"input": 1, "output": 10, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    data = {
        "role": "assistant",
        "time": {"created": at, "completed": at},
        "cost": 1.0,
        "tokens": tokens,
        "finish": "stop",
    }
    database.execute(
        "INSERT INTO session VALUES (?, NULL, ?, '1.18.3', ?, ?)", (id_, f"Kiln {number}", at, at)
    )
    database.execute("INSERT INTO message VALUES (?, ?, ?)", (f"m{number}", id_, json.dumps(data)))
    part = json.dumps({"type": "text", "text": text})
    database.execute(
        "INSERT INTO part VALUES (?, ?, ?, ?)", (f"p{number}", f"m{number}", id_, part)
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A database of one session whose log has five more and, behind the end of an earlier log, an open transaction."""
    live, copy = tmp_path / "live", tmp_path / "copy"
    live.mkdir()
    copy.mkdir()
    with closing(sqlite3.connect(live / "opencode.db", isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode=WAL")
        for table in TABLES:
            database.execute(table)
        for number in range(100, 110):  # the first use of the log is longer than the second one
            add(database, number, "x" * 9_000)
        for table in ("session", "message", "part"):
            database.execute(f"DELETE FROM {table}")  # noqa: S608
        add(database, 0)
        database.execute("PRAGMA wal_checkpoint(RESTART)")
        for number in range(1, 6):
            add(database, number)
        database.execute("PRAGMA cache_size=1")
        database.execute("BEGIN")
        for number in range(6, 40):
            add(database, number)
        for name in ("opencode.db", "opencode.db-wal"):
            shutil.copy(live / name, copy / name)
        database.execute("ROLLBACK")
    return copy


def spent(folder: Path) -> tuple[int, float, bool]:
    """Runs, their cost, and whether all are marked as lower bounds."""
    runs = list(load_runs(str(folder)))
    return (
        len(runs),
        sum(run.run.cost_usd or 0 for run in runs),
        all(run.run.ledger_is_lower_bound for run in runs),
    )


def test_a_log_is_read_as_sqlite_reads_it(folder: Path) -> None:
    data, log = ((folder / name).read_bytes() for name in ("opencode.db", "opencode.db-wal"))
    assert spent(folder) == (6, 6.0, False)
    done = sitegen("check", str(folder), cwd=folder)
    assert done.returncode == 0 and " 0 ignored" in done.stdout + done.stderr, done
    laid, is_damaged = laid_over(data, log)
    assert not is_damaged
    with (
        closing(sqlite3.connect(":memory:")) as ours,
        closing(sqlite3.connect(folder / "opencode.db")) as theirs,
    ):
        ours.deserialize(laid[:18] + b"\1\1" + laid[20:])
        assert list(ours.iterdump()) == list(theirs.iterdump())
        assert ours.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    (folder / "opencode.db-wal").unlink(missing_ok=True)
    assert laid_over(data, b"") == (data, False)


def archive(place: Path, kind: str, files: list[Path]) -> None:
    """Pack files in this order."""
    place.parent.mkdir(parents=True)
    if kind == ".zip":
        with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as packed:
            for file in files:
                packed.write(file, f"home/{file.name}")
    else:
        with tarfile.open(place, "w:gz" if kind == ".tgz" else "w") as tar:
            for file in files:
                tar.add(file, f"home/{file.name}")


@pytest.mark.parametrize("kind", [".zip", ".tar", ".tgz"])
@pytest.mark.parametrize("is_log_first", [False, True])
def test_a_log_in_an_archive_is_read_with_its_database(
    folder: Path, tmp_path: Path, kind: str, *, is_log_first: bool
) -> None:
    for name in ("History.db-wal", "notes.db", "notes.db-wal"):
        (folder / name).write_bytes(b"x" * 4096)
    archive(tmp_path / "in" / f"runs{kind}", kind, sorted(folder.iterdir(), reverse=is_log_first))
    assert spent(tmp_path / "in") == spent(tmp_path / "in" / f"runs{kind}") == (6, 6.0, False)
    assert load_runs(str(tmp_path / "in")).problems == ()
    checked = sitegen("check", str(tmp_path / "in"), cwd=tmp_path)
    assert (
        "History.db-wal" in checked.stdout + checked.stderr
        and "notes.db-wal" not in checked.stdout + checked.stderr
    )
    built = sitegen("build", str(tmp_path / "in"), "-o", str(tmp_path / "site"), cwd=tmp_path)
    assert built.returncode == 0 and "W_CHANGED" not in built.stdout + built.stderr, built


def test_a_log_in_an_archive_that_is_damaged_leaves_lower_bounds(
    folder: Path, tmp_path: Path
) -> None:
    place = tmp_path / "in" / "runs.zip"
    archive(place, ".zip", sorted(folder.iterdir()))
    data = bytearray(place.read_bytes())
    with zipfile.ZipFile(place) as packed:
        data[packed.getinfo("home/opencode.db-wal").header_offset + 200] ^= 0x55
    place.write_bytes(data)
    assert spent(place.parent) == (1, 1.0, True)
    assert [
        problem.path.rpartition("/")[2]
        for problem in load_runs(str(place)).problems
        if problem.code[0] == "E"
    ] == ["opencode.db-wal"]


@pytest.mark.parametrize("at", [0, 3, 9, 17, 25, 40, 57, 5_000, 9_000, 14_000])
def test_what_is_behind_a_damage_is_missing_and_said(folder: Path, at: int) -> None:
    log = bytearray((folder / "opencode.db-wal").read_bytes())
    log[at] ^= 0x55
    (folder / "opencode.db-wal").write_bytes(log)
    count, cost, is_lower = spent(folder)
    assert 1 <= count < 6 and cost <= count
    assert is_lower
    said = [
        c.text for run in load_runs(str(folder)) for c in run.run.caveats if c.code == "W_MISSING"
    ]
    assert len([text for text in said if "damaged or cut" in text]) == count


def test_a_log_that_is_cut_gives_no_more_than_it_has(folder: Path) -> None:
    data, log = ((folder / name).read_bytes() for name in ("opencode.db", "opencode.db-wal"))
    found = set()
    for size in [*range(64), *range(64, len(log), 7_117)]:
        laid, is_damaged = laid_over(data, log[:size])
        with closing(sqlite3.connect(":memory:")) as database:
            database.deserialize(laid[:18] + b"\1\1" + laid[20:])
            count = database.execute("SELECT count(*) FROM session").fetchone()[0]
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert is_damaged == (size > 0 and (size - 32) % (4096 + 24) > 0)
        found.add(count)
    assert {1, 6} <= found


def test_a_page_beyond_the_database_and_its_log_is_not_laid(folder: Path) -> None:
    """A log that promises a terabyte, with sums that are right."""
    data = (folder / "opencode.db").read_bytes()
    first = struct.pack(">6I", 0x377F0682, 3007000, 4096, 0, 1, 2)
    header = first + struct.pack(">2I", *_sums((0, 0), first))
    begin, page = struct.pack(">2I", 2**28, 2**28), bytes(4096)
    sums = _sums(_sums(_sums((0, 0), first), begin), page)
    log = header + begin + struct.pack(">4I", 1, 2, *sums) + page
    try:
        laid, is_damaged = laid_over(data, log)
    except sqlite3.DatabaseError:
        return
    assert is_damaged and len(laid) < len(data) + len(log)


def _sums(sums: tuple[int, int], data: bytes) -> tuple[int, int]:
    """The running checksum of a log."""
    first, second = sums
    words = struct.unpack(f"<{len(data) // 4}I", data)
    for one, other in zip(words[::2], words[1::2], strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return first, second


def test_a_log_that_went_on_makes_another_file_of_its_database() -> None:
    def digest(log: bytes) -> str:
        return RunFile(
            "opencode.db", io.BytesIO(b"SQLite format 3\0"), 99, log=lambda: log
        ).digest()

    assert len({digest(b""), digest(b"one"), digest(b"two")}) == 3
