"""Trials of Harbor and what their agents wrote themselves: one run, which lies in several files of one folder.

The trial says which task it was and what the verifier found; the record in `agent/` says what was done. Of several
records the agent's own counts before a trajectory, and what has more steps before the others.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import replace

from sitegen.model import Entry, Problem, Verdict


def joined(entries: Sequence[Entry]) -> tuple[list[Entry], list[Problem]]:
    """The entries with each trial in the record of its agent, and what became of the other files."""
    trials = {
        f"{posixpath.dirname(entry.source.path)}/agent/": entry
        for entry in entries
        if entry.run.reader.endswith(" trial") and entry.number == 0
    }
    records: dict[str, list[Entry]] = {}
    for entry in entries if trials else ():
        folder = next((above for above in _above(entry.source.path) if above in trials), None)
        if folder is not None:
            records.setdefault(folder, []).append(entry)
    placed: dict[str, Entry] = {}
    gone: dict[str, tuple[str, Entry]] = {}
    for folder, found in records.items():
        best = max(
            found, key=lambda e: (not e.run.reader.endswith(" trajectory"), e.run.steps.steps if e.run.steps else 0)
        )
        trial = trials[folder]
        placed[best.id] = _told(best, trial)
        gone[trial.id] = (f"The trial of {best.source.path}, which is shown with what the trial says.", best)
        for other in found:
            if other is not best:
                gone[other.id] = (f"Another record of the trial of {best.source.path}, which is shown.", best)
    problems = [
        Problem(entry.source.path, "W_DUPLICATE", Verdict.MERGE, gone[entry.id][0], page_id=gone[entry.id][1].id)
        for entry in entries
        if entry.id in gone
    ]
    return [placed.get(entry.id, entry) for entry in entries if entry.id not in gone], problems


def _above(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:end]) + "/" for end in range(len(parts) - 1, 0, -1)]


def _told(record: Entry, trial: Entry) -> Entry:
    """What an agent wrote, with what its trial says of it."""
    run, said = record.run, trial.run
    cost = said.cost_usd if run.cost_usd is None else run.cost_usd
    run = replace(run, cost_usd=cost, task=said.task, outcome=said.outcome, scores=said.scores)
    return replace(
        record,
        run=run,
        task=trial.task or record.task,
        attempt=trial.attempt if record.attempt is None else record.attempt,
        model=record.model or trial.model,
        outcome=trial.outcome,
        scores=trial.scores,
        campaign=record.campaign or trial.campaign,
    )
