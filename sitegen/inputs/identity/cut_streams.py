"""Streams that break off before a result, of sessions that another file knows whole."""

from collections.abc import Sequence

from sitegen.inputs.identity.same_result import add_copies
from sitegen.inputs.identity.shared_answers import SentTokens
from sitegen.inputs.reported import report_merged
from sitegen.model import Entry, Problem, Run


def drop(entries: Sequence[Entry], sent: SentTokens) -> tuple[list[Entry], list[Problem]]:
    """Return the entries without streams that break off, where the session has a transcript, which says more, or
    another file goes on with the stream, without a beginning, up to a result that counts what both used."""
    wholes = _Wholes(entries, sent)
    kept: list[Entry] = []
    problems: list[Problem] = []
    parts: dict[str, list[Entry]] = {}
    for entry in entries:
        whole = wholes.find(entry.run)
        if whole is None:
            kept.append(entry)
            continue
        parts.setdefault(whole.id, []).append(entry)
        reason = f"It ends early, and {whole.source.path} has the figures of its session."
        problems.append(report_merged(entry.source.path, reason, whole.id))
    return [add_copies(entry, [entry, *parts.get(entry.id, ())]) for entry in kept], problems


class _Wholes:
    """The transcripts of sessions, and the files that go on with their streams."""

    def __init__(self, entries: Sequence[Entry], sent: SentTokens) -> None:
        self._sent = sent
        self._transcripts: dict[str, Entry] = {}
        self._ends: dict[str, Entry] = {}
        for entry in entries:
            run = entry.run
            if not run.session_id:
                continue
            if run.root and not run.agent_id:
                self._transcripts[run.session_id] = entry
            if run.is_end:
                self._ends[run.session_id] = entry

    def find(self, run: Run) -> Entry | None:
        """Return the file that has the figures of a stream; None of a stream that stands by itself."""
        if run.root is not None or run.session_id is None:
            return None
        end = self._ends.get(run.session_id)
        if end and is_continued(run, end.run):
            return end
        # A transcript beside a result says no more: what it counts is not shown.
        is_beside_result = bool(run.answers) and run.session_id in self._sent
        if has_own_figures(run) or is_beside_result:
            return None
        return self._transcripts.get(run.session_id)


def is_continued(run: Run, end: Run) -> bool:
    """Return whether a stream breaks off, and the end of a stream may be its own."""
    breaks_off = not run.is_stated or run.ledger_is_lower_bound
    if not breaks_off or not run.steps or run.is_end:
        return False
    return (run.cost_usd or 0) <= (end.cost_usd or 0)


def has_own_figures(run: Run) -> bool:
    """Return whether a stream counts by itself what it used."""
    if run.cost_usd is not None:
        return True
    return run.tokens.total is not None and (run.is_stated or not run.answers)
