"""Rows are given to the run that they fit; those that fit none or several are kept with the reason."""

from __future__ import annotations

import pytest

from sitegen.inputs.survey import Naming
from sitegen.model import Entry, Outcome
from sitegen.outcomes.match import Matches, match_by_name, match_by_task, several_runs
from sitegen.outcomes.reasons import MAX_LABELS, Why
from sitegen.outcomes.rows import Row
from sitegen.outcomes.run_names import RunNames
from sitegen.outcomes.run_tasks import RunTasks
from tests.collect.facts import entry
from tests.outcomes.sources import NO_NAMES, row

RUNS = [
    entry(f"{task}{attempt}.json", task=task, attempt=attempt)
    for task in "ab"
    for attempt in (1, 2)
]


def matched(*rows: Row) -> Matches:
    matches = Matches()
    match_by_name(matches, rows, RunNames(RUNS, rows, frozenset()))
    match_by_task(matches, rows, RunTasks(RUNS, rows, NO_NAMES, lambda _: False))
    return matches


def lines(matches: Matches) -> list[list[int | None]]:
    """The lines of the rows of each run."""
    return [[row.line for row in matches.rows_of(position)] for position in range(len(RUNS))]


def lost(matches: Matches) -> list[tuple[int | None, Why]]:
    return [(row.line, reason.why) for row, reason in matches.lost]


def test_a_row_is_of_the_run_that_it_fits_in_the_order_of_rows() -> None:
    matches = matched(
        row(1, task="a", attempt=1),
        row(2, id="a1.json"),
        row(3, task="b", attempt=2),
        row(4, task="a", attempt=1),
        row(5, id="b2.json", reference="human"),
        row(6, task="b", attempt=2, reference="human"),
    )
    assert lines(matches) == [[1, 2, 4], [], [], [3]]
    assert lost(matches) == []


def test_a_row_that_fits_none_or_several_is_lost() -> None:
    matches = matched(
        row(1, task="a"), row(2, task="c"), row(3, id="x"), row(4, task="a", attempt=3)
    )
    assert lines(matches) == [[], [], [], []]
    assert lost(matches) == [
        (3, Why.NO_SUCH_NAME),
        (1, Why.SEVERAL_RUNS),
        (2, Why.NO_SUCH_TASK),
        (4, Why.NOT_THAT_ATTEMPT),
    ]


def test_labels_alone_are_of_all_runs_that_a_row_fits_each_once() -> None:
    labels = row(1, task="a", labels=("x", "y"))
    again = row(2, task="a", labels=("y",))
    more = row(3, task="a", labels=("z",))
    verdict = row(4, task="a", labels=("w",), outcome=Outcome.PASS)
    matches = matched(labels, again, more, verdict)
    assert lines(matches) == [[1, 3], [1, 3], [], []]
    assert lost(matches) == [(4, Why.SEVERAL_RUNS)]


def test_labels_of_several_runs_are_bounded() -> None:
    most = row(1, task="a", labels=tuple(map(str, range(MAX_LABELS))))
    further = row(2, task="a", labels=("x",))
    matches = matched(most, row(3, task="a", labels=("1",)), further)
    assert lines(matches)[0] == [1]
    assert lost(matches) == [(2, Why.TOO_MANY_LABELS)]
    nearly = row(1, task="a", labels=tuple(map(str, range(MAX_LABELS - 1))))
    assert lines(matched(nearly, further))[0] == [1, 2]


def test_a_report_that_nobody_named_is_asked_only_about_tasks_of_runs() -> None:
    known = row(1, task="a", attempt=1, is_found=True, is_report=True)
    other = row(2, task="c", is_found=True, is_report=True)
    matches = matched(known, other)
    assert (lines(matches)[0], lost(matches)) == ([1], [])
    assert matches.used_reports == {"o.csv"}
    assert matched(other).used_reports == set()


def test_tasks_of_rows_that_match_no_run_are_by_their_names() -> None:
    naming = Naming([], {"task": {"c": "Sea"}})
    rows = (
        row(1, task="c", attempt=3),
        row(2, task="D"),
        row(3, task="a"),
        row(4, task="e", is_report=True),
        row(5, id="x"),
    )
    assert list(matched(*rows).lost_tasks(naming)) == [("sea", 3), ("d", None)]


@pytest.mark.parametrize(
    ("count", "sentence"),
    [
        (2, "It fits 2 runs (0, 1), so it counts for none: add what distinguishes them."),
        (3, "It fits 3 runs (0, 1, 2), so it counts for none: add what distinguishes them."),
        (
            4,
            "It fits 4 runs (0, 1, 2 and 1 more), so it counts for none: add what distinguishes them.",
        ),
    ],
)
def test_three_runs_that_a_row_fits_are_named(count: int, sentence: str) -> None:
    runs: list[Entry] = [entry(f"{number}") for number in range(count)]
    assert several_runs(range(count), runs).sentence == sentence


def test_labels_of_a_report_are_of_one_run_alone() -> None:
    assert lost(matched(row(1, task="a", labels=("x",), is_report=True))) == [(1, Why.SEVERAL_RUNS)]


def test_sidecars_that_say_the_same_label_count_both() -> None:
    beside = [row(line, runs=("a1.json", "a2.json"), labels=("x",)) for line in (1, 2)]
    assert lines(matched(*beside)) == [[1, 2], [1, 2], [], []]
