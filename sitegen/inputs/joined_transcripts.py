"""Transcripts and what they belong to: copies of a session that was resumed or forked, records of its subagents, and
the result of the session, which has the figures that a transcript lacks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce

from sitegen import figures
from sitegen.inputs.merging import merged_with, told_same, with_copies
from sitegen.inputs.reconciling import is_more, reconciled
from sitegen.inputs.run_folders import Refresh
from sitegen.model import Caveat, Entry, Problem, Verdict, by_key
from sitegen.readers.claude.results import combined
from sitegen.readers.claude.transcripts import with_subagents
from sitegen.readers.common.call_counts import added
from sitegen.readers.common.trace import MIN_ID
from sitegen.readers.common.values import Caveats

_Kept = tuple[list[Entry], list[Problem]]
_Sent = Mapping[str | None, int | None]
ReadNew = Callable[[Entry, set[str | int]], Sequence[Entry]]
"""The runs in the file of an entry again, without records that are known; the others become known."""


def joined(
    entries: Sequence[Entry], read_new: ReadNew, refresh: Refresh
) -> tuple[list[Entry], list[Entry], list[Problem]]:
    """Return the entries with all that belongs together in one: each session once, with its subagents, and each line of
    a transcript in one of them; the transcripts of sessions with several results, which are not runs; and problems."""
    stated = [entry for entry in entries if entry.run.is_stated]
    sent: _Sent = {e.run.session_id: e.run.tokens.sent for e in stated if e.run.session_id}
    kept, copies = _without_copies(
        [entry for entry in entries if not entry.run.is_stated], read_new, sent
    )
    beside = {
        entry.id: entry
        for entry in kept
        if entry.run.root is not None and entry.run.session_id in sent
    }
    others, more = _without_copies(
        [*stated, *(e for e in kept if e.id not in beside)], read_new, sent
    )
    by_id = beside | {
        entry.id: entry for entry in others
    }  # a transcript goes into the result of its session, whole
    kept = [by_id[entry.id] for entry in entries if entry.id in by_id]
    kept, cut = _without_cut_streams(_with_subagents(kept, refresh), sent)
    kept, printed = _without_printed(kept, refresh)
    placed, unplaced, doubts = _with_results(kept, refresh)
    pages = {part.id: entry.id for entry in placed for part in (entry, *entry.lanes)}
    problems = [
        replace(each, page_id=pages.get(each.page_id or ""))
        for each in (*copies, *more, *cut, *printed, *doubts)
    ]
    return placed, unplaced, problems


def _without_cut_streams(entries: Sequence[Entry], sent: _Sent) -> _Kept:
    """Return the entries without streams that break off before a result, where the session has a transcript, which says
    more, or another file goes on with the stream, without a beginning, up to a result that counts what both used. A
    transcript beside a result, of the sessions in `sent`, says no more: what it counts is not shown."""
    own = [entry for entry in entries if entry.run.session_id]
    transcripts = {
        entry.run.session_id: entry for entry in own if entry.run.root and not entry.run.agent_id
    }
    ends = {e.run.session_id: e for e in own if e.run.is_end}

    def whole_of(entry: Entry) -> Entry | None:
        run = entry.run
        end = ends.get(entry.run.session_id)
        if run.root is not None:
            return None
        breaks_off = not run.is_stated or run.ledger_is_lower_bound
        if (
            end
            and breaks_off
            and run.steps
            and not run.is_end
            and (run.cost_usd or 0) <= (end.run.cost_usd or 0)
        ):
            return end
        has_figures = run.cost_usd is not None or (
            run.tokens.total is not None and (run.is_stated or not run.answers)
        )
        is_own = has_figures or (run.answers and run.session_id in sent)
        return None if is_own else transcripts.get(run.session_id)

    kept: list[Entry] = []
    problems: list[Problem] = []
    gone: dict[str, list[Entry]] = {}
    for entry in entries:
        if whole := whole_of(entry):
            gone.setdefault(whole.id, []).append(entry)
            reason = f"It ends early, and {whole.source.path} has the figures of its session."
            problems.append(merged_with(entry.source.path, reason, whole.id))
        else:
            kept.append(entry)
    return [
        with_copies(each, (each, *gone[each.id])) if each.id in gone else each for each in kept
    ], problems


def _without_printed(entries: Sequence[Entry], refresh: Refresh) -> _Kept:
    """Return the entries without what an agent printed of a session that it also kept, but in transcripts: the kept
    record has the steps, the tokens of whichever has more, and what the path of the printed one says."""

    def session_of(entry: Entry) -> tuple[str, str] | None:
        run = entry.run
        is_own = run.root is None and run.agent_id is None and not run.is_converted
        is_known = is_own and run.session_id is not None and len(run.session_id) >= MIN_ID
        return (run.agent, run.session_id or "") if is_known and run.form != "transcript" else None

    kept = {entry.id: entry for entry in entries}
    problems: list[Problem] = []
    for own in by_key(entries, session_of).values():
        printed = [entry for entry in own if entry.run.form in _PRINTED]
        others = [entry for entry in own if entry not in printed]
        if len(others) != 1:
            continue
        run = others[0].run
        gone: list[Entry] = []
        for each in printed:
            if is_more(each.run.tokens.total, run.tokens.total):
                if len(printed) > 1:
                    continue
                run = replace(run, ledger=())
            run = replace(reconciled(run, [each.run]), reader=run.reader)
            problems.append(told_same(each, others[0]))
            gone.append(kept.pop(each.id))
        if gone:
            kept[others[0].id] = with_copies(refresh(others[0], run), (*gone, others[0]))
    return list(kept.values()), problems


# The forms in which an agent prints a run.
_PRINTED = ("stream", "array", "result", "log")


def _with_results(
    entries: Sequence[Entry], refresh: Refresh
) -> tuple[list[Entry], list[Entry], list[Problem]]:
    """Return the entries, with transcripts in the result of their session; those of sessions with several results, of
    which nobody knows which lines are whose; and what is said of these."""
    attached: dict[str, Entry] = {}
    left: set[str] = set()
    problems: list[Problem] = []
    gone: set[str] = set()
    own = [entry for entry in entries if not entry.run.is_converted]
    for of_session in by_key(own, lambda entry: entry.run.session_id or None).values():
        found = [entry for entry in of_session if entry.run.root is not None]
        results = [entry for entry in of_session if entry.run.root is None]
        if found and len(results) == 1:
            attached[results[0].id] = _attached(results[0], found, refresh)
        for each in found if len(results) > 1 else ():
            text = (
                f"It is the transcript of a session with {figures.plural(len(results), 'result')}, which have the "
                "figures. Which step belongs to which run is unknown, so they are on the page of the session."
            )
            problems.append(
                Problem(each.source.path, "W_STEPS", Verdict.MERGE, text, page_id=results[0].id)
            )
            left.add(each.id)
        gone |= {each.id for each in found if results}
    unplaced = [entry for entry in entries if entry.id in left]
    return (
        [attached.get(entry.id, entry) for entry in entries if entry.id not in gone],
        unplaced,
        problems,
    )


def _attached(result: Entry, transcripts: Sequence[Entry], refresh: Refresh) -> Entry:
    """Return the result of a session with the steps of its transcripts, and what these alone state; what contradicts it
    is said."""
    steps = reduce(added, (each.run.steps for each in transcripts))
    runs = [each.run for each in transcripts]
    caveats = Caveats()
    whole = replace(
        runs[0],
        ledger=combined((run.ledger for run in runs), caveats),
        ledger_is_lower_bound=any(run.ledger_is_lower_bound for run in runs),
        output_is_lower_bound=any(run.output_is_lower_bound for run in runs),
    )
    said = (*(caveat for run in runs for caveat in run.caveats), *caveats.all())
    run = reconciled(result.run, [replace(whole, caveats=said)])
    lanes = tuple(part for each in transcripts for part in (replace(each, lanes=()), *each.lanes))
    copied_from = tuple(source for each in transcripts for source in each.copied_from)
    return replace(refresh(result, replace(run, steps=steps)), lanes=lanes, copied_from=copied_from)


def _without_copies(entries: Sequence[Entry], read_new: ReadNew, sent: _Sent) -> _Kept:
    """Return each answer of a model once: of entries that share some, a result has them, or the session whose result
    has `sent` them all, or the main agent's with most steps; the others have the rest. The last one is a session whose
    result sent less: it was resumed, and the result is that of the later process."""
    kept = {entry.id: entry for entry in entries}
    problems: list[Problem] = []

    def rank(entry: Entry) -> int:
        counted = sent.get(entry.run.session_id)
        own = entry.run.tokens.sent
        return 1 if counted is None else 2 if is_more(own, counted) else 0

    for group in _sharing(entries):
        group.sort(
            key=lambda e: (
                not e.run.is_stated,
                e.run.agent_id is not None,
                rank(e),
                -_steps(e),
                e.source.path,
            )
        )
        known: set[str | int] = set()
        earlier: dict[str, Entry] = {}
        for path, of_file in by_key(group, lambda entry: entry.source.path).items():
            found = {each.run.locator: each for each in read_new(of_file[0], known)}
            # A reader that gives nothing even when nothing is known does not tell copies apart: what it read stays.
            if not found and not read_new(of_file[0], set()):
                continue
            for entry in of_file if earlier else ():
                if entry.run.is_stated:
                    continue
                first = next(iter(earlier.values()))
                new = found.get(entry.run.locator)
                if new is None or (
                    not new.run.answers if entry.run.answers else new.run.steps is None
                ):
                    del kept[entry.id]
                    reason = f"All its lines are in {first.source.path} or in other copies of it, which are shown."
                    problems.append(merged_with(path, reason, first.id))
                    continue
                copied = _steps(entry) - _steps(new)
                if copied > 0:
                    text = f"It continues a copy of {first.source.path}: {figures.plural(copied, 'step')} count there."
                    caveats = (*new.run.caveats, Caveat("W_COPY", text))
                    new = replace(new, run=replace(new.run, caveats=caveats))
                sources = tuple(each.source for each in earlier.values())
                kept[entry.id] = replace(new, id=entry.id, source=entry.source, copied_from=sources)
            earlier |= {path: of_file[0]} if any(entry.id in kept for entry in of_file) else {}
    return list(kept.values()), problems


def _steps(entry: Entry) -> int:
    return entry.run.steps.steps if entry.run.steps else 0


def _sharing(entries: Sequence[Entry]) -> list[list[Entry]]:
    """Return the entries in several files that share answers of models, or the first line of a transcript."""
    above = list(
        range(len(entries))
    )  # of each entry, one of its group; of the first of a group, itself

    def first_of(at: int) -> int:
        while above[at] != at:
            above[at] = at = above[above[at]]
        return at

    known: dict[object, int] = {}
    for at, entry in enumerate(entries):
        run = entry.run
        is_session = run.root is not None and run.agent_id is None
        for key in (*run.answers, *([(run.root, run.started_at, run.given)] if is_session else ())):
            above[first_of(at)] = first_of(known.setdefault(key, at))
    groups = by_key(range(len(entries)), first_of).values()
    return [
        [entries[at] for at in group]
        for group in groups
        if len({entries[at].source.path for at in group}) > 1
    ]


def _with_subagents(entries: Sequence[Entry], refresh: Refresh) -> list[Entry]:
    """Return the entries without those of subagents whose session is among them: it has their figures. Of two records
    of one subagent, a file of its own counts."""
    sessions: dict[tuple[str, bool], Entry] = {}
    agents: dict[tuple[str, str], Entry] = {}
    # Of other agents, a subagent that another one started names that one as its session.
    above = {
        e.run.agent_id: e.run.session_id for e in entries if e.run.agent_id and e.run.root is None
    }
    for entry in sorted(entries, key=lambda e: (e.run.locator is not None, -_steps(e))):
        session = entry.run.session_id
        agent = entry.run.agent_id
        if session is not None and agent is not None:
            for _ in range(MAX_LEVELS if entry.run.root is None else 0):
                session = above.get(session) or session
            agents.setdefault((session, agent), entry)
        elif session is not None:
            sessions.setdefault((session, entry.run.root is None), entry)
    parents = {
        entry.id: sessions.get((at[0], entry.run.root is None))
        for at, entry in sorted(agents.items())
    }
    by_id = {entry.id: entry for entry in agents.values()}
    lanes = by_key(parents, lambda page_id: (parent := parents[page_id]) and parent.id)
    standing = {page_id for page_id, parent in parents.items() if parent is None}
    kept: list[Entry] = []
    for entry in entries:
        if own := [by_id[page_id] for page_id in lanes.get(entry.id, ())]:
            run = with_subagents(entry.run, [lane.run for lane in own])
            kept.append(replace(refresh(entry, run), lanes=tuple(own)))
        elif entry.run.agent_id is None or entry.run.session_id is None or entry.id in standing:
            kept.append(entry)
    return kept


MAX_LEVELS = 20  # the limit on levels of subagents that subagents start
