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
from sitegen.model import Entry
from sitegen.names import run_path
from sitegen.numbers.statistics import reported_cost
from sitegen.pages.views import LinkView, run_link, session_link


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
    transcripts: tuple[LinkView, ...]
    """Pages of steps of which it is not known which run's they are."""


@dataclass(frozen=True, slots=True)
class SessionsView:
    """The sessions of one page."""

    heading: str
    has_resumed: bool
    """Whether one of them has several runs."""
    sessions: tuple[SessionView, ...]


def session_pages(entries: Sequence[Entry], unplaced: Sequence[Entry]) -> Iterator[Page]:
    """The pages of all sessions: those that several runs share first, then the others, by id. `unplaced` are the
    transcripts that have a page of their own."""
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
            view=SessionsView(
                f"Session {ordered[0][0][:8]}" if len(ordered) == 1 else count,
                len(ordered[0][1]) > 1,
                tuple(_session(*item, unplaced) for item in ordered),
            ),
        )


def _session(session: str, runs: Sequence[Entry], unplaced: Sequence[Entry]) -> SessionView:
    runs = sorted(runs, key=lambda entry: entry.started_at or "")
    cost = reported_cost(runs)
    total = f"{figures.plural(len(runs), 'run')}, {bounded(cost, figures.money)}{' in all' if len(runs) > 1 else ''}"
    steps = tuple(map(_step, runs))
    own = [each for each in unplaced if each.run.session_id == session]
    names = ["What happened"] if len(own) == 1 else [f"What happened, {each.source.path}" for each in own]
    links = tuple(LinkView(run_path(each.id), name) for each, name in zip(own, names, strict=True))
    return SessionView(session, session_link(session).href.partition("#")[2], total, steps, links)


def _step(entry: Entry) -> StepView:
    link = run_link(entry)
    return StepView(
        link.href,
        link.text,
        status_view(entry.run.status, entry.run.status_detail),
        figures.utc(entry.started_at),
        figures.cost(entry.run),
        figures.count(entry.run.turns),
    )
