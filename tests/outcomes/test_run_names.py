"""Runs are found by id, path, uuid and session, else by the folder that a path names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sitegen.model import Entry, ResultKey, Run, Source, Status
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


def found_beside(
    folder: Path, path: str, *, named: bool, unread: tuple[str, ...] = ()
) -> list[int]:
    """The runs of a row with a path, where one run lies in a folder of this machine."""
    place = Source("1.json", str(folder / "1.json"), named=named, size=1, within="1.json")
    run = Entry("1", place, 0, "", Run("r", Status.OK), "1")
    asked = row(path=path, location=str(folder / path))
    return list(RunNames([run], [asked], set(unread)).find(asked))


def test_a_folder_or_a_file_in_it_means_the_run_there(tmp_path: Path) -> None:
    for name in ("1.json", "notes.txt"):
        (tmp_path / name).write_text("{}")
    for named in (True, False):
        assert found_beside(tmp_path, ".", named=named) == [0]
        assert found_beside(tmp_path, "notes.txt", named=named) == [0]
        assert found_beside(tmp_path, "other.txt", named=named) == []
    assert found_beside(tmp_path, "notes.txt", named=False, unread=("notes.txt",)) == []


def test_beside_a_file_that_was_named_alone_another_of_its_ending_may_be_a_run(
    tmp_path: Path,
) -> None:
    for name in ("1.json", "2.json", "notes.txt"):
        (tmp_path / name).write_text("{}")
    for path in (".", "notes.txt", "2.json"):
        assert found_beside(tmp_path, path, named=True) == []
        assert found_beside(tmp_path, path, named=False) == [0]
    assert found_beside(tmp_path, "1.json", named=True) == [0]


def test_a_run_has_the_uuids_of_all_its_results() -> None:
    results = (ResultKey("old", 1.0, 1, 1), ResultKey("new", 2.0, 2, 2))
    runs = [run_in("a.json", uuid="new", results=results)]
    for uuid, positions in (("old", [0]), ("new", [0]), ("other", [])):
        asked = row(uuid=uuid)
        assert list(RunNames(runs, [asked], frozenset()).find(asked)) == positions
