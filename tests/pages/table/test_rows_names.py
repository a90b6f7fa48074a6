"""What rows say of the names of runs, and how the scripts of blocks are named."""

from __future__ import annotations

import json

import pytest

from sitegen.model import Entry, Run, Source, Status
from sitegen.pages.table.rows import Script, _block, _by_stem, rows_paths
from sitegen.pages.table.series import all_series


def entry(number: int, task: str | None = None, suffix: str = "") -> Entry:
    source = Source(f"{number}.json", "", named=False, size=1)
    run = Run("t", Status.OK)
    return Entry(f"r-{number}-0a", source, 0, "", run, f"title {number}", suffix, task=task)


@pytest.mark.parametrize(
    ("are_titled", "are_apart", "names"),
    [
        (False, False, {}),
        (True, False, {"name": ["title 1", None], "about": ["", ""]}),
        (False, True, {"apart": ["", " (x)"]}),
    ],
)
def test_names_are_in_a_block_where_any_run_needs_them(
    are_titled: bool, are_apart: bool, names: dict[str, list[str | None]]
) -> None:
    entries = [entry(1), entry(2, "t", " (x)")]
    first, _ = _block(entries, list(all_series(entries)), 0, are_titled, are_apart)
    told = {key: json.loads(text) for key, text in first.items()}
    assert told["ids"] == ["r- 1-0a 2-0a"]
    assert {key: told.get(key) for key in ("name", "apart") if key in told} == {
        key: value for key, value in names.items() if key != "about"
    }
    assert ("about" in told) is are_titled


def test_columns_that_are_not_shown_come_further() -> None:
    entries = [entry(1, "t"), entry(2, "u")]
    first, further = _block(entries, list(all_series(entries)), 0, False, False)
    assert {"ids", "status", "task", "cost_usd", "turns"} <= set(first)
    assert "total_tokens" not in first
    assert "total_tokens" not in further, "it follows from its parts"
    assert not set(first) & set(further)


@pytest.mark.parametrize(
    ("ids", "packed"),
    [
        ([], []),
        (["a-1-x"], ["a- 1-x"]),
        (["a-b-1-x", "a-b-2-y", "c-1-z"], ["a-b- 1-x 2-y", "c- 1-z"]),
        (["a-1-x", "c-1-z", "a-2-y"], ["a- 1-x", "c- 1-z", "a- 2-y"]),
    ],
)
def test_ids_are_packed_by_what_they_begin_with(ids: list[str], packed: list[str]) -> None:
    assert _by_stem(ids) == packed


@pytest.mark.parametrize("rows", [0, 1, 5])
def test_few_rows_have_two_scripts(rows: int) -> None:
    assert list(rows_paths("data/rows", rows)) == ["data/rows.js", "data/rows-further.js"]


@pytest.mark.parametrize(("rows", "last"), [(5, 1), (6, 2), (10, 2), (11, 3)])
def test_each_block_has_two_scripts(rows: int, last: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitegen.pages.table.rows.ROWS_PER_BLOCK", 5)
    paths = list(rows_paths("r", rows))
    assert len(paths) == 2 * last
    assert paths[2:4] == (["r-2.js", "r-2-further.js"] if last > 1 else [])


def test_an_address_has_the_version_of_its_rows() -> None:
    assert Script("data/rows.js", "0a1b", b"").address == "data/rows.js?v=0a1b"
