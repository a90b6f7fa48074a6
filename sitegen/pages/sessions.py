"""Sessions: runs that were resumed share one, and their costs add up.

A run's page links to its session by the session's own id, whether other runs share it or not, so that a run that
joins a session later rewrites no other page of a run. So every session needs a place: 256 pages at most hold them all,
each the sessions whose digest begins with its two digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sitegen import figures
from sitegen.figures import StatusView, bounded, status_view
from sitegen.html.render import Page
from sitegen.model import Entry, Total
from sitegen.names import campaigns_differ
from sitegen.pages.views import run_link, session_link


@dataclass(frozen=True, slots=True)
class StepView:
    """One run of a session."""

    href: str
    name: str
    status: StatusView
    started: str
    cost: str
    turns: str


@dataclass(frozen=True, slots=True)
class SessionView:
    """One session."""

    id: str
    anchor: str
    sum: str
    steps: tuple[StepView, ...]


@dataclass(frozen=True, slots=True)
class SessionsView:
    """The sessions of one page."""

    heading: str
    has_resumed: bool
    """Whether one of them has several runs."""
    sessions: tuple[SessionView, ...]


def session_pages(entries: Sequence[Entry]) -> Iterator[Page]:
    """The pages of all sessions: those that several runs share first, then the others, by id."""
    pages: dict[str, dict[str, list[Entry]]] = {}
    for entry in entries:
        if session := entry.run.session_id:
            path = session_link(session).href.partition("#")[0]
            pages.setdefault(path, {}).setdefault(session, []).append(entry)
    for path, sessions in sorted(pages.items()):
        ordered = sorted(sessions.items(), key=lambda item: (-len(item[1]), item[0]))
        count = figures.plural(len(ordered), "session")
        yield Page(
            path=path,
            template="sessions.html.jinja",
            title=f"Sessions {path[-7:-5]}: {count}",
            description=f"{count} and the runs that share each.",
            section="runs",
            view=SessionsView(count, len(ordered[0][1]) > 1, tuple(_session(*item) for item in ordered)),
        )


def _session(session: str, runs: Sequence[Entry]) -> SessionView:
    runs = sorted(runs, key=lambda entry: entry.started_at or "")
    cost, with_campaign = Total.of(entry.run.cost_usd for entry in runs), campaigns_differ(runs)
    total = f"{figures.plural(len(runs), 'run')}, {bounded(cost, figures.money)}{' in all' if len(runs) > 1 else ''}"
    steps = tuple(_step(entry, with_campaign) for entry in runs)
    return SessionView(session, session_link(session).href.partition("#")[2], total, steps)


def _step(entry: Entry, with_campaign: bool) -> StepView:
    link = run_link(entry, with_campaign=with_campaign)
    return StepView(
        link.href,
        link.text,
        status_view(entry.run.status, entry.run.status_detail),
        figures.utc(entry.started_at),
        figures.money(entry.run.cost_usd),
        figures.count(entry.run.turns),
    )
