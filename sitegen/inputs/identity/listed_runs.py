"""Runs that one file lists, and the folders below in which their sessions are.

A folder is that of a listed run by the id of its session, by what a file in it states of the trial, or by the names of
its folders. One that fits several of them is none of theirs.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence

from sitegen.model import Entry

_OTHER = re.compile(r"[^a-z0-9]+")
_LEVELS = 4  # folders between a list and a session: evaluation, task, model and attempt


def find_listed(
    path: str, listed: Sequence[Entry], entries: Sequence[Entry]
) -> Iterator[tuple[str, Entry]]:
    """Yield the folders below this path that have the record of one of the listed runs, each with that run."""
    if not listed:
        return
    by_key: dict[object, list[Entry]] = {}
    for run in listed:
        for key in (run.run.session_id, stated_trial(run), named_trial(run)):
            by_key.setdefault(key, []).append(run)
    ids = {run.id for run in listed}
    claimed: set[str] = set()
    inside = f"{path}/" if path else ""
    for entry in entries:
        folder = posixpath.dirname(entry.source.path)
        if entry.id in ids or not f"{folder}/".startswith(inside) or folder in claimed:
            continue
        matches = by_key.get(entry.run.session_id or "", [])
        if not matches:
            is_statement = entry.run.folder is not None
            key = stated_trial(entry) if is_statement else trial_in_path(folder[len(inside) :])
            matches = [run for run in by_key.get(key, ()) if not have_other_sessions(run, entry)]
        if len(matches) == 1:
            claimed.add(folder)
            yield folder, matches[0]


def have_other_sessions(run: Entry, entry: Entry) -> bool:
    """Return whether two files name different sessions."""
    sessions = {run.run.session_id, entry.run.session_id} - {None}
    return len(sessions) > 1


def stated_trial(entry: Entry) -> tuple[object, ...]:
    """Return what a file states of which trial it is about."""
    run = entry.run
    return run.evaluation, run.task, run.attempt, run.model, run.factors


def named_trial(entry: Entry) -> tuple[str, ...]:
    """Return what the folders of a trial are called."""
    run = entry.run
    names = (run.evaluation, run.task, run.model, str(run.attempt))
    return tuple(_plain(name or "") for name in names)


def trial_in_path(folders: str) -> tuple[str, ...]:
    """Return the same by the names of folders."""
    return tuple(map(_plain, folders.split("/")[-_LEVELS:]))


def _plain(name: str) -> str:
    """Return a name as a folder may be called after it."""
    return _OTHER.sub("-", name.lower())
