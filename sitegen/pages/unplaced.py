"""Pages of transcripts whose steps belong to several runs: what happened in the session, since nobody knows which steps
are whose. They stand where the page of a run would, and the page of sessions leads there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from sitegen import figures
from sitegen.errors import ReadError
from sitegen.html.render import Page
from sitegen.model import Entry, Total
from sitegen.names import run_path
from sitegen.pages.run.pages import RunPages
from sitegen.pages.steps.section import StepsView, steps_view
from sitegen.pages.views import LinkView, run_link, session_link
from sitegen.publish.files import File, Made


@dataclass(frozen=True, slots=True)
class UnplacedView:
    """What happened in a session with several results."""

    session: LinkView
    runs: tuple[LinkView, ...]
    missing: str
    """Why the steps are not shown; "" where they are."""
    steps: StepsView | None


def unplaced_files(
    pages: RunPages,
    unplaced: Sequence[Entry],
    runs: Sequence[Entry],
    digests: Mapping[str, bytes],
    key: Callable[..., bytes | None],
) -> Iterator[File]:
    """The page of each of these transcripts, and the transcript; `runs` are all runs."""
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
    cost = Total.of(run.run.cost_usd for run in runs)
    steps, missing = None, ""
    try:
        reported = replace(entry.run, cost_usd=None if cost.unknown else cost.value)
        steps = steps_view(replace(entry, run=reported), pages.story(entry))
    except ReadError as error:
        missing = pages.redactor(f"Its steps are missing: {error.reason}.")
    session = entry.run.session_id or ""
    count = figures.plural(len(runs), "result")
    page = Page(
        path=run_path(entry.id),
        template="session.html.jinja",
        title=f"Session {session[:8]}: what happened",
        description=f"What the agent did in a session with {count}.",
        section="runs",
        view=UnplacedView(session_link(session), tuple(map(run_link, runs)), missing, steps),
    )
    return Made(pages.renderer.render(page), is_lasting=not missing)
