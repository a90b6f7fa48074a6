"""Prints of sessions that the agent also kept, but in transcripts."""

from collections.abc import Sequence
from dataclasses import replace

from sitegen.inputs.identity.same_result import add_copies
from sitegen.inputs.reconciling import fill_gaps, is_more
from sitegen.inputs.reported import report_same
from sitegen.inputs.run_reader import RunReader
from sitegen.model import Entry, Problem, by_key
from sitegen.readers.common.identity import MIN_ID

PRINTED_FORMS = frozenset(("stream", "array", "result", "log"))


def merge(entries: Sequence[Entry], reader: RunReader) -> tuple[list[Entry], list[Problem]]:
    """Return the entries without what was printed of sessions that are kept: the kept record has the steps, the tokens
    of whichever has more, and what the path of the printed one says."""
    kept = {entry.id: entry for entry in entries}
    problems: list[Problem] = []
    for of_session in by_key(entries, session_of).values():
        printed = [entry for entry in of_session if entry.run.form in PRINTED_FORMS]
        records = [entry for entry in of_session if entry.run.form not in PRINTED_FORMS]
        if len(records) != 1:
            continue
        (record,) = records
        run = record.run
        merged: list[Entry] = []
        for entry in printed:
            if is_more(entry.run.tokens.total, run.tokens.total):
                if len(printed) > 1:
                    continue
                run = replace(run, ledger=())
            run = replace(fill_gaps(run, [entry.run]), reader=run.reader)
            problems.append(report_same(entry, record))
            merged.append(kept.pop(entry.id))
        if merged:
            kept[record.id] = add_copies(reader.refresh(record, run), [*merged, record])
    return list(kept.values()), problems


def session_of(entry: Entry) -> tuple[str, str] | None:
    """Return the agent and the session of a record; None of transcripts, parts, conversions and short ids."""
    run = entry.run
    session = run.session_id or ""
    is_part = run.root is not None or run.agent_id is not None
    if is_part or run.is_converted or run.form == "transcript" or len(session) < MIN_ID:
        return None
    return run.agent, session
