"""Transcripts belong to the result of their session, which has the figures that a transcript lacks."""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from sitegen import figures
from sitegen.inputs.reconciling import fill_gaps
from sitegen.inputs.run_reader import RunReader
from sitegen.model import Entry, Problem, Verdict, by_key
from sitegen.readers.claude.totals import combined
from sitegen.readers.common.call_counts import added
from sitegen.readers.common.values import Caveats


def attach_transcripts(
    entries: Sequence[Entry], reader: RunReader
) -> tuple[list[Entry], list[Entry], list[Problem]]:
    """Return the entries, with transcripts in the result of their session; the transcripts of sessions with several
    results, of which nobody knows which lines are whose; and what is reported of these."""
    attached: dict[str, Entry] = {}
    gone: set[str] = set()
    unplaced: set[str] = set()
    problems: list[Problem] = []
    records = [entry for entry in entries if not entry.run.is_converted]
    for of_session in by_key(records, lambda entry: entry.run.session_id or None).values():
        transcripts = [entry for entry in of_session if entry.run.root is not None]
        results = [entry for entry in of_session if entry.run.root is None]
        if not transcripts or not results:
            continue
        gone |= {entry.id for entry in transcripts}
        if len(results) == 1:
            attached[results[0].id] = add_transcripts(results[0], transcripts, reader)
        else:
            unplaced |= {entry.id for entry in transcripts}
            problems += [report_unplaced(entry, results) for entry in transcripts]
    kept = [attached.get(entry.id, entry) for entry in entries if entry.id not in gone]
    return kept, [entry for entry in entries if entry.id in unplaced], problems


def report_unplaced(transcript: Entry, results: Sequence[Entry]) -> Problem:
    """Return what is reported of the transcript of a session with several results."""
    count = figures.plural(len(results), "result")
    text = (
        f"It is the transcript of a session with {count}, which have the figures. Which step "
        "belongs to which run is unknown, so they are on the page of the session."
    )
    path = transcript.source.path
    return Problem(path, "W_STEPS", Verdict.MERGE, text, page_id=results[0].id)


def add_transcripts(result: Entry, transcripts: Sequence[Entry], reader: RunReader) -> Entry:
    """Return the result of a session with the steps of its transcripts, and what these alone state; what contradicts it
    is reported."""
    runs = [transcript.run for transcript in transcripts]
    caveats = Caveats()
    whole = replace(
        runs[0],
        ledger=combined((run.ledger for run in runs), caveats),
        ledger_is_lower_bound=any(run.ledger_is_lower_bound for run in runs),
        output_is_lower_bound=any(run.output_is_lower_bound for run in runs),
    )
    of_runs = (caveat for run in runs for caveat in run.caveats)
    run = fill_gaps(result.run, [replace(whole, caveats=(*of_runs, *caveats.all()))])
    run = replace(run, steps=reduce(added, (run.steps for run in runs)))
    lanes: list[Entry] = []
    for transcript in transcripts:
        lanes += [replace(transcript, lanes=()), *transcript.lanes]
    copied_from = tuple(source for entry in transcripts for source in entry.copied_from)
    entry = reader.refresh(result, run)
    return replace(entry, lanes=tuple(lanes), copied_from=copied_from)
