"""Pages of transcripts whose steps belong to several runs: what happened in the session, since nobody knows which steps
are whose. They stand where the page of a run would, and the page of sessions leads there.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from sitegen import figures
from sitegen.errors import ReadError
from sitegen.figures import bounded, status_view
from sitegen.html.render import Page, View
from sitegen.model import Entry, by_key
from sitegen.numbers.success import reported_cost
from sitegen.pages.run.pages import RunPages
from sitegen.pages.steps.section import steps_view
from sitegen.pages.views import LinkView, run_link, session_link
from sitegen.publish.files import File, Made
from sitegen.text.names import run_path

# Sessions: runs that were resumed share one, and their costs add up.
# A run's page links to its session by the session's own id, whether other runs share it or not, so that a run that
# joins a session later rewrites no other page of a run. So every session needs a place: 256 pages at most hold them
# all, each the sessions whose digest begins with its two digits.


def session_pages(entries: Sequence[Entry], unplaced: Sequence[Entry]) -> Iterator[Page]:
    """Yield the pages of all sessions: those that several runs share first, then the others, by id. `unplaced` are the
    transcripts that have a page of their own."""
    runs = by_key(entries, lambda entry: entry.run.session_id or None)
    pages = by_key(runs, lambda session: session_link(session).href.partition("#")[0])
    for path, sessions in sorted(pages.items()):
        sessions.sort(key=lambda session: (-len(runs[session]), session))
        count = figures.plural(len(sessions), "session")
        view = View(
            heading=f"Session {sessions[0][:8]}" if len(sessions) == 1 else count,
            # Whether one of them has several runs.
            has_resumed=len(runs[sessions[0]]) > 1,
            sessions=[_session(session, runs[session], unplaced) for session in sessions],
        )
        title = f"Sessions {path[-7:-5]}: {count}"
        about = f"{count} and the runs that share each."
        yield Page(path, "sessions.html.jinja", title, about, "runs", view)


def _session(session: str, runs: Sequence[Entry], unplaced: Sequence[Entry]) -> View:
    total = f"{figures.plural(len(runs), 'run')}, {bounded(reported_cost(runs), figures.money)}"
    if len(runs) > 1:
        total += " in all"
    transcripts = [entry for entry in unplaced if entry.run.session_id == session]
    links = []
    for entry in transcripts:
        name = f", {entry.source.path}" if len(transcripts) > 1 else ""
        links.append(LinkView(run_path(entry.id), f"What happened{name}"))
    ordered = sorted(runs, key=lambda run: run.started_at or "")
    anchor = session_link(session).href.partition("#")[2]
    steps = list(map(_step, ordered))
    return View(id=session, anchor=anchor, sum=total, steps=steps, transcripts=links)


def _step(entry: Entry) -> View:
    link = run_link(entry)
    run = entry.run
    return View(
        href=link.href,
        name=link.text,
        status=status_view(run.status, run.status_detail),
        started=figures.utc(entry.started_at),
        cost=figures.cost(run),
        turns=figures.count(run.turns),
    )


def unplaced_files(
    pages: RunPages,
    unplaced: Sequence[Entry],
    runs: Sequence[Entry],
    digests: Mapping[str, bytes],
    key: Callable[..., bytes | None],
) -> Iterator[File]:
    """Yield the page of each of these transcripts, and the transcript; `runs` are all runs."""
    by_session = by_key(runs, lambda run: run.run.session_id)
    for entry in unplaced:
        same_session = by_session.get(entry.run.session_id or "", [])
        shown = key(digests[entry.id], [digests[run.id] for run in same_session])
        yield File(run_path(entry.id), shown, partial(_page, pages, entry, same_session))
        yield from pages.transcripts(entry, shown)


def _page(pages: RunPages, entry: Entry, runs: Sequence[Entry]) -> Made:
    steps = None
    missing = ""
    cost = reported_cost(runs)
    usd = None if cost.unknown else cost.value
    run = replace(entry.run, cost_usd=usd)
    try:
        steps = steps_view(replace(entry, run=run), pages.story(entry))
    except ReadError as error:
        missing = pages.redactor(f"Its steps are missing: {error.reason}.")
    session = entry.run.session_id or ""
    about = f"What the agent did in a session with {figures.plural(len(runs), 'result')}."
    title = f"Session {session[:8]}: what happened"
    path = run_path(entry.id)
    link = session_link(session)
    view = View(session=link, runs=list(map(run_link, runs)), missing=missing, steps=steps)
    page = Page(path, "session.html.jinja", title, about, "runs", view)
    return Made(pages.renderer.render(page), is_lasting=not missing)
