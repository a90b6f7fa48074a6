"""Pages of sessions: runs that were resumed share one, and their costs add up."""

from __future__ import annotations

from dataclasses import replace

from sitegen.model import Entry
from sitegen.pages.sessions import session_pages
from sitegen.pages.views import session_link
from tests.support.chart_runs import entry


def run(number: int, session: str | None, *, cost: float | None = 1.0, start: str = "") -> Entry:
    """Return a run of a session."""
    made = entry(number, cost=cost, started_at=start or None)
    return replace(made, run=replace(made.run, session_id=session))


def test_runs_of_a_session_stand_together_from_the_first_and_their_costs_add_up() -> None:
    late = run(1, "s-1", cost=0.25, start="2026-05-01T12:00:00Z")
    early = run(2, "s-1", cost=0.5, start="2026-05-01T09:30:00Z")
    (page,) = session_pages([late, early, run(3, None)], [])
    digits = page.path[-7:-5]
    assert page.path == f"sessions/{digits}.html" == session_link("s-1").href.partition("#")[0]
    assert (page.title, page.description) == (
        f"Sessions {digits}: 1 session",
        "1 session and the runs that share each.",
    )
    assert (page.view.heading, page.view.has_resumed) == ("Session s-1", True)
    (session,) = page.view.sessions
    assert (session.id, session.sum) == ("s-1", "2 runs, $0.75 in all")
    assert session.anchor == session_link("s-1").href.partition("#")[2]
    assert session.transcripts == []
    assert [
        (step.href, step.name, step.started, step.cost, step.turns) for step in session.steps
    ] == [
        ("runs/run-000000000002.html", early.name, "2026-05-01 09:30 UTC", "$0.50", "10"),
        ("runs/run-000000000001.html", late.name, "2026-05-01 12:00 UTC", "$0.25", "10"),
    ]


def test_a_cost_that_is_not_known_makes_the_sum_a_lower_bound() -> None:
    (page,) = session_pages([run(1, "s-1", cost=None), run(2, "s-1", cost=0.5)], [])
    assert page.view.sessions[0].sum == "2 runs, $0.50+ in all"
    (page,) = session_pages([run(1, "s-1", cost=2.0)], [])
    assert (page.view.has_resumed, page.view.sessions[0].sum) == (False, "1 run, $2.00")


def same_page(count: int) -> list[str]:
    """Return ids of so many sessions that share a page, in their order."""
    wanted = session_link("s-0").href.partition("#")[0]
    ids = (f"s-{number}" for number in range(100_000))
    found = [each for each in ids if session_link(each).href.startswith(wanted)]
    return sorted(found[:count])


def test_of_a_page_sessions_of_most_runs_come_first_then_by_id() -> None:
    first, second, third = same_page(3)
    runs = [run(1, second), run(2, first), run(3, third), run(4, third)]
    (page,) = session_pages(runs, [])
    assert [session.id for session in page.view.sessions] == [third, first, second]
    assert page.view.heading == "3 sessions"
    assert page.title.endswith(": 3 sessions")


def test_a_transcript_of_a_session_has_a_link_and_of_several_each_its_path() -> None:
    one = run(8, "s-1")
    other = run(9, "s-1")
    elsewhere = run(10, "s-2")
    (page,) = session_pages([run(1, "s-1")], [one, elsewhere])
    assert [(link.href, link.text) for link in page.view.sessions[0].transcripts] == [
        ("runs/run-000000000008.html", "What happened")
    ]
    (page,) = session_pages([run(1, "s-1")], [one, other])
    assert [link.text for link in page.view.sessions[0].transcripts] == [
        "What happened, 8.json",
        "What happened, 9.json",
    ]
