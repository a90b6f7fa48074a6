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
from sitegen.model import Entry
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
    pages: dict[str, dict[str, list[Entry]]] = {}
    for entry in entries:
        if session := entry.run.session_id:
            path = session_link(session).href.partition("#")[0]
            pages.setdefault(path, {}).setdefault(session, []).append(entry)
    for path, sessions in sorted(pages.items()):
        ordered = sorted(sessions.items(), key=lambda item: (-len(item[1]), item[0]))
        count = figures.plural(len(ordered), "session")
        view = View(
            heading=f"Session {ordered[0][0][:8]}" if len(ordered) == 1 else count,
            # Whether one of them has several runs.
            has_resumed=len(ordered[0][1]) > 1,
            sessions=tuple(_session(*item, unplaced) for item in ordered),
        )
        title = f"Sessions {path[-7:-5]}: {count}"
        about = f"{count} and the runs that share each."
        yield Page(path, "sessions.html.jinja", title, about, "runs", view)


def _session(session: str, runs: Sequence[Entry], unplaced: Sequence[Entry]) -> View:
    runs = sorted(runs, key=lambda entry: entry.started_at or "")
    cost = reported_cost(runs)
    total = f"{figures.plural(len(runs), 'run')}, {bounded(cost, figures.money)}{' in all' if len(runs) > 1 else ''}"
    steps = tuple(map(_step, runs))
    own = [each for each in unplaced if each.run.session_id == session]
    names = (
        ["What happened"]
        if len(own) == 1
        else [f"What happened, {each.source.path}" for each in own]
    )
    links = tuple(LinkView(run_path(each.id), name) for each, name in zip(own, names, strict=True))
    anchor = session_link(session).href.partition("#")[2]
    return View(id=session, anchor=anchor, sum=total, steps=steps, transcripts=links)


def _step(entry: Entry) -> View:
    link = run_link(entry)
    status = status_view(entry.run.status, entry.run.status_detail)
    started, cost, turns = (
        figures.utc(entry.started_at),
        figures.cost(entry.run),
        figures.count(entry.run.turns),
    )
    return View(
        href=link.href, name=link.text, status=status, started=started, cost=cost, turns=turns
    )


def unplaced_files(
    pages: RunPages,
    unplaced: Sequence[Entry],
    runs: Sequence[Entry],
    digests: Mapping[str, bytes],
    key: Callable[..., bytes | None],
) -> Iterator[File]:
    """Yield the page of each of these transcripts, and the transcript; `runs` are all runs."""
    of_sessions: dict[str | None, list[Entry]] = {entry.run.session_id: [] for entry in unplaced}
    for run in runs:
        if run.run.session_id in of_sessions:
            of_sessions[run.run.session_id].append(run)
    for entry in unplaced:
        of_session = of_sessions[entry.run.session_id]
        shown = key(digests[entry.id], [digests[run.id] for run in of_session])
        yield File(run_path(entry.id), shown, partial(_page, pages, entry, of_session))
        yield from pages.transcripts(entry, shown)


def _page(pages: RunPages, entry: Entry, runs: Sequence[Entry]) -> Made:
    cost = reported_cost(runs)
    steps = None
    missing = ""
    try:
        reported = replace(entry.run, cost_usd=None if cost.unknown else cost.value)
        steps = steps_view(replace(entry, run=reported), pages.story(entry))
    except ReadError as error:
        missing = pages.redactor(f"Its steps are missing: {error.reason}.")
    session = entry.run.session_id or ""
    about = f"What the agent did in a session with {figures.plural(len(runs), 'result')}."
    title = f"Session {session[:8]}: what happened"
    path = run_path(entry.id)
    view = View(
        session=session_link(session), runs=tuple(map(run_link, runs)), missing=missing, steps=steps
    )
    page = Page(path, "session.html.jinja", title, about, "runs", view)
    return Made(pages.renderer.render(page), is_lasting=not missing)
