"""Messages of opencode may stand in the tables of 1.x, in those of 2.x, or in both."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from typing import Any

import pytest

from sitegen.errors import ReadError
from sitegen.model import Run
from sitegen.readers.run_file import RunFile
from tests.support.agent_runs import runs_of
from tests.support.raw_steps import raw_steps

ID = "ses_1"
BEGAN = 1_780_000_000_000


def answer(number: int, output: int) -> dict[str, Any]:
    time = {"created": BEGAN + number * 1000, "completed": BEGAN + number * 1000 + 500}
    tokens = {"input": 10, "output": output, "reasoning": 0, "cache": {"read": 5, "write": 0}}
    return {"cost": output / 100, "tokens": tokens, "time": time, "finish": "stop"}


def database(
    old: Iterable[tuple[int, int]],
    new: Iterable[tuple[int, int]],
    *,
    sessions: Iterable[str] = ("session",),
    more: str = "",
) -> bytes:
    """A database with these answers in the old and the new table of messages, by number, and what they put out."""
    with closing(sqlite3.connect(":memory:")) as made:
        for table in sessions:
            made.execute(
                f"CREATE TABLE {table} (id TEXT, version TEXT, time_created INT, time_updated INT)"
            )
            made.execute(f"INSERT INTO {table} VALUES (?, '1.18.3', ?, ?)", (ID, BEGAN, BEGAN))  # noqa: S608
        made.execute("CREATE TABLE message (id TEXT, session_id TEXT, time_created INT, data TEXT)")
        made.execute("CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT)")
        made.execute(
            "CREATE TABLE session_message (id TEXT, session_id TEXT, type TEXT, seq INT, data TEXT)"
        )
        for number, output in old:
            data = answer(number, output) | {"role": "assistant", "modelID": "moon-1"}
            made.execute(
                "INSERT INTO message VALUES (?, ?, 0, ?)", (f"msg_{number}", ID, json.dumps(data))
            )
            part = {"type": "text", "text": f"So {number}."}
            made.execute(
                "INSERT INTO part VALUES (?, ?, ?, ?)",
                (f"p{number}", f"msg_{number}", ID, json.dumps(part)),
            )
        for seq, (number, output) in enumerate(new):
            content = [{"type": "text", "text": f"So {number}."}]
            data = answer(number, output) | {"model": {"id": "moon-1"}, "content": content}
            row = (f"msg_{number}", ID, "assistant", seq, json.dumps(data))
            made.execute("INSERT INTO session_message VALUES (?, ?, ?, ?, ?)", row)
        made.executescript(more)
        made.commit()
        return bytes(made.serialize())


def run_of(content: bytes) -> Run:
    (run,) = runs_of(content, "opencode.db")
    return run


@pytest.mark.parametrize("sessions", [["session"], ["session_v2"], ["session", "session_v2"]])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ([(1, 20), (2, 30), (3, 40)], []),
        ([], [(1, 20), (2, 30), (3, 40)]),
        ([(1, 20), (2, 30), (3, 40)], [(1, 20), (2, 30), (3, 40)]),
        ([(1, 20), (2, 30), (3, 40)], [(1, 20)]),
        ([(1, 20)], [(2, 30), (3, 40)]),
        ([(2, 30), (3, 40)], [(1, 20)]),
        ([(1, 20), (3, 40)], [(1, 20), (2, 30)]),
        ([(1, 20), (2, 30), (3, 40)], [(1, 20), (2, 4)]),  # moved while it was written
        ([(1, 20), (2, 4)], [(1, 20), (2, 30), (3, 40)]),
    ],
)
def test_each_message_counts_once_whichever_table_has_it(
    old: list[tuple[int, int]], new: list[tuple[int, int]], sessions: list[str]
) -> None:
    content = database(old, new, sessions=sessions)
    run = run_of(content)
    assert (run.cost_usd, run.turns) == (pytest.approx(0.9), 3)
    assert (run.tokens.input, run.tokens.cache_read, run.tokens.output) == (30, 15, 90)
    steps = raw_steps(RunFile.of("opencode.db", content), run.locator)
    assert [step.text for step in steps] == ["So 1.", "So 2.", "So 3."]
    assert not run.caveats


def test_a_session_without_a_message_is_a_problem_and_the_others_are_runs() -> None:
    with pytest.raises(ReadError, match=r"no session in this database .* has a message"):
        runs_of(database([], []), "opencode.db")
    more = "INSERT INTO session SELECT id || '.', version, time_created + 9, 0 FROM session"
    run = run_of(database([(1, 20)], [], more=more))
    assert (run.session_id, run.cost_usd) == (ID, 0.2)
    assert [caveat.text for caveat in run.caveats] == [
        "1 of its 2 sessions has no message and has no page."
    ]


@pytest.mark.parametrize(
    "more",
    [
        "DROP TABLE message; CREATE VIEW message AS SELECT id, session_id, data FROM session_message",
        "DROP TABLE session_message; CREATE VIEW session_message AS SELECT *, 1 seq, 'user' type FROM message",
        "DROP TABLE part",
        "UPDATE session_message SET data = 7, seq = 'x', type = x'00'",
        "UPDATE message SET data = x'ff', id = 7.5",
        "UPDATE session_message SET id = NULL, data = '[]'",
        "UPDATE session_message SET data = json_set(data, '$.time', 'noon', '$.tokens', 'many')",
        "UPDATE message SET data = json_set(data, '$.tokens.input', 9e99)",
    ],
)
def test_hostile_tables_never_fail_and_hide_no_other_message(more: str) -> None:
    run = run_of(database([(1, 20)], [(2, 30)], more=more))
    assert run.session_id == ID
    assert (run.cost_usd or 0) <= 0.5


def test_a_message_whose_cost_only_one_table_has_has_that_cost() -> None:
    for table in ("session_message", "message"):
        more = f"UPDATE {table} SET data = json_set(data, '$.cost', 0)"  # noqa: S608
        assert run_of(database([(1, 20)], [(1, 20)], more=more)).cost_usd == 0.2
