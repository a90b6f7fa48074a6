"""Parts of the table of runs: how many pages it has, which are linked, and in which order runs stand."""

from __future__ import annotations

import pytest

from sitegen.pages.table.run_table import MAX_LINKED_PAGES, _linked, page_count, table_path
from sitegen.pages.table.series import longest_bar, short


@pytest.mark.parametrize(("runs", "pages"), [(0, 0), (1, 1), (100, 1), (101, 2), (10_000, 100)])
def test_a_page_has_a_hundred_runs(runs: int, pages: int) -> None:
    assert page_count(runs) == pages


def test_the_first_page_has_no_number() -> None:
    assert [table_path("index", at) for at in (0, 1, 9)] == [
        "index.html",
        "index-2.html",
        "index-10.html",
    ]


def test_a_single_page_links_to_none() -> None:
    assert _linked(0, 1) == []


@pytest.mark.parametrize("pages", [2, MAX_LINKED_PAGES - 1, MAX_LINKED_PAGES])
def test_a_few_pages_are_all_linked(pages: int) -> None:
    assert _linked(0, pages) == list(range(pages))


@pytest.mark.parametrize("pages", [MAX_LINKED_PAGES + 1, 100, 5_000])
@pytest.mark.parametrize("share", [0, 0.5, 1])
def test_of_many_pages_the_ends_and_the_neighbours_are_linked(pages: int, share: float) -> None:
    position = round((pages - 1) * share)
    linked = _linked(position, pages)
    assert {0, position, pages - 1} <= set(linked)
    assert set(range(max(0, position - 1), min(pages, position + 2))) <= set(linked)
    assert linked == sorted(set(linked))
    assert len(linked) <= MAX_LINKED_PAGES
    assert set(range(max(0, position - 3), min(pages, position + 4))) <= set(linked)


@pytest.mark.parametrize(
    ("values", "longest"),
    [
        ([], 0),
        ([None, 0.0], 0),
        ([1.0, 2.0, None], 2),
        ([1.0] * 19 + [2.0], 2),
        ([1.0] * 19 + [2.001], 1),
        ([1.0] * 18 + [3.0, 6.001], 3),
        ([1.0] * 18 + [90.0], 90),
    ],
)
def test_one_large_value_in_twenty_does_not_make_bars_short(
    values: list[float | None], longest: float
) -> None:
    assert longest_bar(values) == longest


@pytest.mark.parametrize(
    ("value", "shortened"),
    [(None, None), (7, 7), (0.1 + 0.2, 0.3), (1.00000000006, 1.0000000001), (1e-11, 0.0)],
)
def test_a_sum_of_floats_loses_its_last_digits(
    value: float | None, shortened: float | None
) -> None:
    assert short(value) == shortened
