"""Transcripts that belong together: copies of a session that was resumed or forked, and records of its subagents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sitegen import figures
from sitegen.model import Caveat, Entry, Problem, Run, Verdict
from sitegen.readers.claude.transcripts import with_subagents

ReadNew = Callable[[Entry, set[str]], Sequence[Entry]]
"""The runs in the file of an entry again, without records that are known; the others become known."""
Refresh = Callable[[Entry, Run], Entry]
"""An entry with another run, and with what follows from it."""


def joined(entries: Sequence[Entry], read_new: ReadNew, refresh: Refresh) -> tuple[list[Entry], list[Problem]]:
    """Each session once, with its subagents, and each line of a transcript in one of them."""
    kept, problems = _without_copies(entries, read_new)
    return _with_subagents(kept, refresh), problems


def _without_copies(entries: Sequence[Entry], read_new: ReadNew) -> tuple[list[Entry], list[Problem]]:
    """Sessions that begin with the same line share some: the one with most steps has them, the others the rest."""
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.run.root is not None and entry.run.agent_id is None:
            groups.setdefault(entry.run.root, []).append(entry)
    kept = {entry.id: entry for entry in entries}
    problems: list[Problem] = []
    for group in groups.values():
        if len(group) == 1:
            continue
        first, *others = sorted(group, key=lambda e: (-(e.run.steps.steps if e.run.steps else 0), e.source.path))
        known: set[str] = set()
        read_new(first, known)
        earlier = [first]
        for entry in others:
            new = next((each for each in read_new(entry, known) if each.run.agent_id is None), None)
            if new is None or new.run.steps is None:
                del kept[entry.id]
                reason = f"All its lines are in {first.source.path} or in other copies of it, which are shown."
                problems.append(Problem(entry.source.path, "W_DUPLICATE", Verdict.MERGE, reason, page_id=first.id))
                continue
            copied = (entry.run.steps.steps if entry.run.steps else 0) - new.run.steps.steps
            if copied > 0:
                text = f"It continues a copy of {first.source.path}: {figures.plural(copied, 'step')} count there."
                caveats = (*new.run.caveats, Caveat("W_COPY", text))
                new = replace(new, run=replace(new.run, caveats=caveats))
            kept[entry.id] = replace(
                new, id=entry.id, source=entry.source, copied_from=tuple(each.source for each in earlier)
            )
            earlier.append(entry)
    return list(kept.values()), problems


def _with_subagents(entries: Sequence[Entry], refresh: Refresh) -> list[Entry]:
    """The entries without those of subagents whose session is among them: it has their figures. Of two records of one
    subagent, a file of its own counts."""
    sessions: dict[str, Entry] = {}
    agents: dict[tuple[str, str], Entry] = {}
    for entry in sorted(entries, key=lambda e: (e.run.locator is not None, -(e.run.steps.steps if e.run.steps else 0))):
        session, agent = entry.run.session_id, entry.run.agent_id
        if session is not None and agent is not None:
            agents.setdefault((session, agent), entry)
        elif session is not None and entry.run.root is not None:
            sessions.setdefault(session, entry)
    lanes: dict[str, list[Entry]] = {}
    for (session, _), entry in sorted(agents.items()):
        if session in sessions:
            lanes.setdefault(sessions[session].id, []).append(entry)
    standing = {entry.id for (session, _), entry in agents.items() if session not in sessions}
    kept: list[Entry] = []
    for entry in entries:
        own = lanes.get(entry.id)
        if own:
            run = with_subagents(entry.run, [lane.run for lane in own])
            kept.append(replace(refresh(entry, run), lanes=tuple(own)))
        elif entry.run.agent_id is None or entry.run.session_id is None or entry.id in standing:
            kept.append(entry)
    return kept
