"""Files that hold one run. `deduplicate` lists the rules in the order in which they apply; each has its module."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sitegen import readers
from sitegen.errors import PublishError
from sitegen.inputs import session_totals
from sitegen.inputs.identity import (
    cut_streams,
    printed_sessions,
    run_folders,
    same_result,
    session_results,
    shared_answers,
    subagents,
)
from sitegen.inputs.run_reader import RunReader
from sitegen.model import Entry, Problem


@dataclass(frozen=True, slots=True)
class Identified:
    """The runs in some files, each once."""

    entries: list[Entry]
    shared_transcripts: list[Entry]
    """Transcripts whose steps belong to several runs."""
    problems: list[Problem]
    companions: frozenset[str]
    """The files that no reader knows and that are usual in folders of runs."""
    summaries: frozenset[str]
    """The files that only say something of runs that are not here."""


def deduplicate(
    entries: Sequence[Entry],
    problems: Sequence[Problem],
    ignored: Iterable[str],
    reader: RunReader,
) -> Identified:
    """Return each run once, with the parts of it that lie in several files. Raises: PublishError where two runs would
    share a page."""
    entries, same = same_result.merge(entries)
    kinds = readers.run_folders({entry.run.folder for entry in entries})
    sent = shared_answers.sent_by_session(entries)
    entries, copies = shared_answers.count_once(entries, reader, sent)
    entries = subagents.attach(entries, reader)
    entries, cut = cut_streams.drop(entries, sent)
    entries, printed = printed_sessions.merge(entries, reader)
    entries, unplaced, unclear = session_results.attach_transcripts(entries, reader)
    of_sessions = move_to_pages([*copies, *cut, *printed, *unclear], entries)
    entries = session_totals.reduce_to_own_parts(entries, reader.refresh)
    problems = [*problems, *same, *of_sessions]
    runs = run_folders.joined(entries, kinds, problems, ignored, refresh=reader.refresh)
    refuse_same_ids(runs.entries)
    return Identified(runs.entries, unplaced, runs.problems, runs.companions, runs.summaries)


def move_to_pages(problems: Iterable[Problem], entries: Iterable[Entry]) -> list[Problem]:
    """Return problems of parts of runs with the pages of these runs; without a page, if there is none."""
    pages = {part.id: entry.id for entry in entries for part in (entry, *entry.lanes)}
    return [replace(problem, page_id=pages.get(problem.page_id or "")) for problem in problems]


def refuse_same_ids(entries: Sequence[Entry]) -> None:
    """Refuse runs with the same page id: two of them would overwrite each other's page.

    Raises: PublishError, naming both.
    """
    seen: dict[str, Entry] = {}
    for entry in entries:
        other = seen.setdefault(entry.id, entry)
        if other is not entry:
            raise PublishError(
                f"{other.source.path} and {entry.source.path} would share one page; "
                "rename one of them"
            )
