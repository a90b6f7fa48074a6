"""Words about figures of several campaigns, by tables; whole pages are in `cases/`."""

from __future__ import annotations

import pytest

from sitegen.numbers.campaigns import CampaignFigures
from sitegen.numbers.intervals import Interval
from sitegen.numbers.trends import CampaignPoint, Count, MeasureTrend, TaskTrend, Trends
from sitegen.pages.trends import trend_words


@pytest.mark.parametrize(
    ("measure", "before", "after", "expected"),
    [
        ("cost", 1.1, 2.2, ["$1.10", "$2.20"]),
        ("cost", 1.1001, 1.1002, ["$1.1001", "$1.1002"]),
        ("success", 0.5, 0.25, ["50%", "25%"]),
        ("success", 0.5, 0.504, ["50%", "50.4%"]),
        ("score.speedup", 1.5, 1.25, ["1.5", "1.25"]),
        ("score.speedup", 1.50004, 1.50005, ["1.50004", "1.50005"]),
        ("score.speedup", 12345.4, 12345.3, ["12,345.4", "12,345.3"]),
    ],
)
def test_figures_that_differ_are_texts_that_differ(
    measure: str, before: float, after: float, expected: list[str]
) -> None:
    assert trend_words.apart(measure, before, after) == expected


@pytest.mark.parametrize(
    ("iso", "with_year", "expected"),
    [
        ("2026-11-08", False, "8 Nov"),
        ("2026-01-31", True, "31 Jan 2026"),
        ("2025-12-01", True, "1 Dec 2025"),
        ("2025-06-10", False, "10 Jun"),
    ],
)
def test_a_day_is_short(iso: str, with_year: bool, expected: str) -> None:
    assert trend_words.day(iso, with_year=with_year) == expected


@pytest.mark.parametrize(
    ("passed", "judged", "expected"),
    [(8, 9, "8 of 9"), (0, 0, "0 of 0"), (1200, 3400, "1,200 of 3,400")],
)
def test_passed_runs_are_said_of_those_judged(passed: int, judged: int, expected: str) -> None:
    assert trend_words.passed_of(Count(passed, judged)) == expected


@pytest.mark.parametrize(
    ("name", "named", "dated"),
    [
        ("2026-11-08", "8 Nov", "8 Nov"),
        ("second night", "second night", "second night (8 Nov)"),
        ("2026-11-09", "2026-11-09", "2026-11-09 (8 Nov)"),
    ],
)
def test_a_campaign_is_named_by_its_day_where_that_is_its_name(
    name: str, named: str, dated: str
) -> None:
    campaigns = (CampaignFigures("first", "2026-11-01", 1, ()),)
    changes = Trends((*campaigns, CampaignFigures(name, "2026-11-08", 1, ())), (), ())
    assert trend_words.named(changes, 1) == named
    assert trend_words.dated(changes, 1) == dated


def test_a_task_that_nobody_judged_has_no_class_and_passed_no_run() -> None:
    task = TaskTrend("fix-login", "m", (None, None))
    changes = Trends((), (task,), ())
    assert trend_words.role(task) == ""
    assert trend_words.counts(changes, task) == "0 of 0"
    assert trend_words.certainty(changes, task) == ""


def line(tasks: int, *ends: tuple[float, float] | None, measure: str = "cost") -> MeasureTrend:
    """Return the line of a model whose points have these intervals."""
    points = tuple(CampaignPoint(1.0, Interval(*end) if end else None, 5) for end in ends)
    return MeasureTrend(measure, "m", points, tasks)


COST = "Mean cost of a run (at list price where it reports none)"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([line(3, (0.5, 2.0))], f"{COST} on the 3 tasks that all campaigns share, 95% intervals"),
        (
            [line(3, (0.5, 2.0), None)],
            f"{COST} on the 3 tasks that all campaigns share, 95% intervals where enough tasks are known",
        ),
        ([line(1, None)], f"{COST} on the one task that all campaigns share"),
        ([line(2), line(5), line(3)], f"{COST} on the 2 to 5 tasks that all campaigns share"),
        (
            [line(0), line(5)],
            f"{COST} on the tasks that all campaigns share, where they share any",
        ),
        (
            [line(0, (0.5, 2.0)), line(0)],
            f"{COST}, 95% intervals. The campaigns share no task, so they are not compared",
        ),
    ],
)
def test_a_note_says_on_how_many_tasks_a_chart_is(lines: list[MeasureTrend], expected: str) -> None:
    assert trend_words.chart_note("cost", lines) == expected


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("success", "Share of judged runs that passed on the 2 tasks that all campaigns share"),
        ("score.speedup", "Mean speedup of a run on the 2 tasks that all campaigns share"),
    ],
)
def test_a_note_says_what_is_measured(measure: str, expected: str) -> None:
    assert trend_words.chart_note(measure, [line(2, measure=measure)]) == expected


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({}, ""),
        (
            {"cost": 2},
            "Counted by other rules since 8 Nov: cost. Earlier campaigns are not compared in this; CHANGELOG.md says what changed.",
        ),
        (
            {"success": 2, "cost": 2, "score": 3},
            "Counted by other rules since 8 Nov: success, cost and scores. Earlier campaigns are not compared in this; CHANGELOG.md says what changed.",
        ),
    ],
)
def test_it_is_said_since_when_rules_are_others(rules: dict[str, int], expected: str) -> None:
    campaigns = (
        CampaignFigures("2026-11-01", "2026-11-01", 1, ()),
        CampaignFigures("2026-11-08", "2026-11-08", 1, (), rules=tuple(rules.items())),
        CampaignFigures("2026-11-09", "2026-11-09", 1, (), rules=tuple(rules.items())),
    )
    assert trend_words.recounted(Trends(campaigns, (), ())) == expected
