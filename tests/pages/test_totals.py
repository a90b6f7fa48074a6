"""Totals of sessions: who spent how much, what of it was cut short, and in which order the rows stand."""

from sitegen.html.render import View
from sitegen.model import Entry, Status
from sitegen.pages.totals import session_totals
from tests.support.chart_runs import OPUS, SONNET, entry


def table(entries: list[Entry], label: str) -> View:
    """Return the table with this label."""
    tables: list[View] = session_totals(entries).tables
    return next(view for view in tables if view.label == label)


def test_interrupted_and_stopped_sessions_are_cut_short_and_unknown_ones_make_a_lower_bound() -> (
    None
):
    runs = [
        entry(1, cost=1.0),
        entry(2, cost=2.0, status=Status.INTERRUPTED),
        entry(3, cost=4.0, status=Status.STOPPED),
    ]
    assert session_totals(runs).lead.startswith(
        "$6.00 of $7.00 went into 2 sessions that were interrupted or stopped, – into "
    )
    runs.append(entry(4, cost=8.0, status=Status.UNKNOWN))
    assert session_totals(runs).lead.startswith("$6.00+ of $15.00 went into 2 sessions that were ")
    one = [entry(1, cost=2.0, status=Status.STOPPED)]
    assert session_totals(one).lead.startswith("$2.00 of $2.00 went into 1 session that was ")
    unknown = [entry(1, cost=2.0, status=Status.UNKNOWN)]
    assert session_totals(unknown).lead.startswith("– of $2.00 went into ")


def test_models_stand_by_cost_with_their_share_of_the_highest() -> None:
    runs = [entry(1, cost=1.0, model=SONNET), entry(2, cost=3.0, model=OPUS)]
    runs.append(entry(3, cost=1.0, model=OPUS, status=Status.STOPPED))
    rows = table(runs, "Main model").rows
    assert [
        (row.link.text, row.runs, row.share, row.cost, row.cut_short, row.failing) for row in rows
    ] == [
        ("Claude Opus 4.5", "2", 1.0, "$4.00", "$1.00", "–"),
        ("Claude Sonnet 4.5", "1", 0.25, "$1.00", "$0.00", "–"),
    ]


def test_days_stand_newest_first_and_the_fifteenth_is_only_counted() -> None:
    def days(count: int) -> View:
        """Return the table of so many days with a session each."""
        runs = [
            entry(day, cost=float(day), started_at=f"2026-03-{day:02}T08:00:00Z")
            for day in range(1, count + 1)
        ]
        return table(runs, "Day")

    assert (len(days(14).rows), days(14).more) == (14, "")
    shown = days(15)
    assert (len(shown.rows), shown.more) == (14, "and 1 more")
    newest = shown.rows[0]
    assert (newest.link.text, newest.link.href) == ("2026-03-15", "index.html#day=2026-03-15")
    assert shown.rows[-1].link.text == "2026-03-02"


def test_without_any_cost_no_share_is_drawn() -> None:
    assert table([entry(1, cost=0.0)], "Main model").rows[0].share == 0.0
