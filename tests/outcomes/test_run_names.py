"""Runs are found by id, path, uuid and session, else by the folder that a path names."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.model import Entry, Run, Source, Status
from sitegen.outcomes.reasons import Why
from sitegen.outcomes.run_names import RunNames
from tests.outcomes.sources import row


def run_in(path: str, **known: Any) -> Entry:
    place = Source(path, f"/in/{path}", named=False, size=1, within=path)
    return Entry(path, place, 0, "", Run("r", Status.OK, **known), path)


RUNS = [
    run_in("a/1.json.gz", uuid="u1", session_id="s"),
    run_in("b/1.json", uuid="u2", session_id="s"),
]


@pytest.mark.parametrize(
    ("known", "positions"),
    [
        ({"id": "a/1.json.gz"}, [0]),
        ({"id": "gone", "uuid": "u2"}, [1]),
        ({"id": "a/1.json.gz", "uuid": "u2"}, [0]),
        ({"uuid": "u1"}, [0]),
        ({"session": "s"}, [0, 1]),
        ({"path": "a/1.json", "location": "/x/a/1.json"}, [0]),
        ({"path": "b\\1.json", "location": "/x/b\\1.json"}, [1]),
        ({"path": "../in/b/1.json", "location": "/in/b/1.json"}, [1]),
        ({"path": "b", "location": "/x/b"}, [1]),
        ({"path": "in", "location": "/in"}, [0, 1]),
        ({"path": "c", "location": "/x/c"}, []),
        ({"runs": ("b/1.json", "a/1.json.gz"), "uuid": "u1"}, [1, 0]),
    ],
)
def test_a_row_names_its_run(known: dict[str, Any], positions: list[int]) -> None:
    named = row(**known)
    assert list(RunNames(RUNS, [named], frozenset()).find(named)) == positions


@pytest.mark.parametrize(
    ("known", "why", "fields"),
    [
        ({"uuid": "x"}, Why.NO_SUCH_NAME, {"column": "uuid", "name": "x"}),
        (
            {"path": "in/c.json", "location": "/in/c.json"},
            Why.FILE_UNREADABLE,
            {"path": "in/c.json"},
        ),
        (
            {"path": "inc.json", "location": "/inc.json"},
            Why.NO_SUCH_NAME,
            {"column": "path", "name": "inc.json"},
        ),
    ],
)
def test_a_row_without_a_run_says_which_name_no_run_has(
    known: dict[str, Any], why: Why, fields: dict[str, str]
) -> None:
    named = row(**known)
    reason = RunNames(RUNS, [named], {"c.json"}).explain(named)
    assert (reason.why, reason.fields) == (why, fields)
