"""Why runs of a group did not pass: as their files state it, and as whoever judged them noted it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sitegen import figures
from sitegen.figures import status_view
from sitegen.model import Entry, Outcome, Status
from sitegen.names import campaigns_differ
from sitegen.pages.views import LinkView, run_link

MOST_RUNS = 8
"""Listed under one cause."""


@dataclass(frozen=True, slots=True)
class CauseView:
    """Runs that ended alike."""

    cause: str
    count: str
    runs: tuple[tuple[LinkView, str], ...]
    """Each with the note of its outcome, which may be empty."""
    more: str


def causes(runs: Sequence[Entry]) -> tuple[CauseView, ...]:
    """The causes, the most frequent first; none where all runs passed, or completed unjudged."""
    found: dict[str, list[Entry]] = {}
    for run in runs:
        if cause := _cause(run):
            found.setdefault(cause, []).append(run)
    with_campaign = campaigns_differ(runs)
    return tuple(
        CauseView(
            cause,
            figures.count(len(own)),
            tuple((run_link(run, with_campaign=with_campaign), run.note or "") for run in own[:MOST_RUNS]),
            f"{figures.count(len(own) - MOST_RUNS)} more" if len(own) > MOST_RUNS else "",
        )
        for cause, own in sorted(found.items(), key=lambda each: (-len(each[1]), each[0]))
    )


def _cause(run: Entry) -> str | None:
    """In two or three words, alike for all codes of one error; None of a run that passed, or completed unjudged."""
    if run.outcome is Outcome.PASS:
        return None
    status, detail = run.run.status, run.run.status_detail
    if status not in (Status.OK, Status.UNKNOWN):
        said = (detail or status_view(status).word).rstrip("0123456789 ")
        return (said[:1].upper() + said[1:]) or status_view(status).word
    words = {
        Outcome.FAIL: "Completed, wrong result",
        Outcome.PARTIAL: "Completed, partial result",
        Outcome.ERROR: "Infrastructure error",
    }
    return words[run.outcome] if run.outcome else None
