"""Records of subagents belong to the session that started them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sitegen.inputs.identity.shared_answers import count_steps
from sitegen.inputs.run_reader import RunReader
from sitegen.model import Entry, by_key
from sitegen.readers.claude.transcripts import with_subagents

MAX_LEVELS = 20  # the limit on levels of subagents that subagents start

Session = tuple[
    str, bool
]  # its id, and whether its records have no root, as other agents than Claude


def attach(entries: Sequence[Entry], reader: RunReader) -> list[Entry]:
    """Return the entries without those of subagents whose session is among them: it has their figures. Of two records
    of one subagent, a file of its own counts."""
    sessions, subagents = find_sessions(entries)
    parents: dict[str, Entry | None] = {}
    for (session, _), subagent in sorted(subagents.items(), key=lambda pair: pair[0]):
        parents[subagent.id] = sessions.get((session, subagent.run.root is None))
    by_id = {subagent.id: subagent for subagent in subagents.values()}
    lanes = by_key(parents, lambda page_id: parent_id(parents[page_id]))
    kept: list[Entry] = []
    for entry in entries:
        own_lanes = tuple(by_id[page_id] for page_id in lanes.get(entry.id, ()))
        if own_lanes:
            run = with_subagents(entry.run, [lane.run for lane in own_lanes])
            kept.append(replace(reader.refresh(entry, run), lanes=own_lanes))
        elif not is_subagent(entry) or (entry.id in parents and parents[entry.id] is None):
            kept.append(entry)
    return kept


def is_subagent(entry: Entry) -> bool:
    """Return whether a run is that of a subagent whose session is known."""
    return entry.run.agent_id is not None and entry.run.session_id is not None


def parent_id(parent: Entry | None) -> str | None:
    """Return the page id of a session; None where there is none."""
    return parent.id if parent else None


def find_sessions(
    entries: Sequence[Entry],
) -> tuple[dict[Session, Entry], dict[tuple[str, str], Entry]]:
    """Return the main agents by session, and the subagents by session and id."""
    # Of other agents, a subagent that another one started names that one as its session.
    started_by: dict[str, str | None] = {}
    for entry in entries:
        if entry.run.agent_id and entry.run.root is None:
            started_by[entry.run.agent_id] = entry.run.session_id
    sessions: dict[Session, Entry] = {}
    subagents: dict[tuple[str, str], Entry] = {}
    for entry in sorted(entries, key=own_file_first):
        run = entry.run
        if run.session_id is None:
            continue
        if run.agent_id is None:
            sessions.setdefault((run.session_id, run.root is None), entry)
        else:
            session = run.session_id
            if run.root is None:
                session = top_session(session, started_by)
            subagents.setdefault((session, run.agent_id), entry)
    return sessions, subagents


def top_session(session: str, started_by: Mapping[str, str | None]) -> str:
    """Return the session at the top of the subagents that one was started by."""
    for _ in range(MAX_LEVELS):
        session = started_by.get(session) or session
    return session


def own_file_first(entry: Entry) -> tuple[bool, int]:
    """Return the sort key by which a file of its own comes before a place in another one, and most steps come first."""
    return entry.run.locator is not None, -count_steps(entry)
