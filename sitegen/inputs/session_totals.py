"""Results of one session in several files: what each run used, where its totals go on with those of another file.

The arithmetic of `running_totals` decides, for all agents alike. A file that only names the session of another one
hides nothing of it: of two totals the larger one is reduced, by what is shown of the smaller one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sitegen import figures
from sitegen.inputs.run_reader import Refresh
from sitegen.model import Caveat, Entry, Run, Tokens, by_key, sum_complete
from sitegen.readers.common.identity import MIN_ID
from sitegen.readers.common.running_totals import (
    Relation,
    RunningTotal,
    grown_ledger,
    grown_usd,
    rank,
    relation_of,
    sum_segments,
)
from sitegen.text.names import natural_order

MAX_LINES = 200  # of the ledgers of a session whose totals are compared
_Result = tuple[Entry, RunningTotal]
_Earlier = tuple[Entry, Relation]


def reduce_to_own_parts(entries: Sequence[Entry], refresh: Refresh) -> list[Entry]:
    """Return the entries in their order, each with what its own process used: a total that goes on with that of another
    file without it."""
    reduced: dict[str, Entry] = {}
    for of_session in by_key(entries, _session_of).values():
        if len(of_session) > 1:
            reduced |= {entry.id: entry for entry in _reduce_session(of_session, refresh)}
    return [reduced.get(entry.id, entry) for entry in entries]


def _session_of(entry: Entry) -> tuple[str, str, bool] | None:
    """Return the agent, the session and whether kinds of tokens are known, where figures may be those of several
    processes."""
    run = entry.run
    session = entry.run.session_id or ""
    is_total = run.process_usage is not None and bool(run.tokens.total) and len(session) >= MIN_ID
    return (run.agent, session, run.tokens.unsplit is None) if is_total else None


def _reduce_session(entries: Sequence[Entry], refresh: Refresh) -> Iterator[Entry]:
    """Yield the runs of a session that change."""
    if sum(len(entry.run.ledger) for entry in entries) > MAX_LINES:
        text = "Its totals are not compared with those of the many other runs of its session: they may count twice."
        yield from (
            replace(entry, run=_with_note(entry.run, "W_TOTALS", text)) for entry in entries
        )
        return
    results = sorted(((entry, _total_of(entry)) for entry in entries), key=_smallest_first)
    earlier = [_find_earlier(total, results[:number]) for number, (_, total) in enumerate(results)]
    is_restored = any(relation is Relation.CONTAINS for _, relation in filter(None, earlier))
    # Several parts that include no other one show that this agent counts from zero, unless an exact sum shows more.
    if earlier.count(None) > 1 and not is_restored:
        return
    for (entry, total), known in zip(results, earlier, strict=True):
        if known:
            yield refresh(entry, _reduce(known[0], entry, is_certain=known[1] is Relation.CONTAINS))
        elif is_restored and total.main.tokens.total != total.used.total:
            text = "Its totals may include those of earlier parts of its session, whose files are not here."
            yield replace(entry, run=_with_note(entry.run, "W_TOTALS", text))


def _total_of(entry: Entry) -> RunningTotal:
    return RunningTotal(entry.run.ledger, entry.run.cost_usd, entry.run.process_usage or Tokens())


def _smallest_first(result: _Result) -> tuple[object, ...]:
    """Return the sort key by which a total comes after those that it includes."""
    entry, total = result
    return total.size, -(total.used.total or 0), natural_order(entry.source.path), entry.number


def _find_earlier(later: RunningTotal, smaller: Sequence[_Result]) -> _Earlier | None:
    """Return the largest result that a total includes, else the largest one that it may include."""
    possible: _Earlier | None = None
    for entry, total in reversed(smaller):
        relation = relation_of(total, later)
        if relation is Relation.CONTAINS:
            return entry, relation
        if relation is Relation.UNDECIDED:
            possible = possible or (entry, relation)
    return possible


def _reduce(earlier: Entry, later: Entry, *, is_certain: bool) -> Run:
    """Return the later run with what it adds to the earlier total."""
    before, run, path = earlier.run, later.run, earlier.source.path
    grown = grown_ledger(_total_of(earlier), _total_of(later)) or run.ledger
    ledger = [line for line in grown if line.tokens.total or line.cost_usd] or grown[:1]
    cost = grown_usd(before.cost_usd, run.cost_usd)
    if before.cost_usd is None and run.cost_usd is not None:
        cost = sum_complete(line.cost_usd for line in ledger)
    api_ms = run.api_ms
    if api_ms is not None and before.api_ms is not None:
        api_ms = sum_segments((before.api_ms, api_ms)) - before.api_ms
    parts = [
        replace(part, cost_usd=grown_usd(before.cost_usd, part.cost_usd)) for part in run.parts[:1]
    ]
    code = "W_COPY"
    text = f"Its totals go on from those of {path}, which count there; it shows what it added{_sum(before, run, cost)}."
    if not is_certain:
        code = "W_TOTALS"
        text = f"Its totals may go on from those of {path}. These are left out, so what is shown is a lower bound."
    return replace(
        _with_note(run, code, text),
        ledger=tuple(sorted(ledger, key=rank)),
        cost_usd=cost,
        api_ms=api_ms,
        web_searches=sum_complete(line.web_searches for line in ledger),
        parts=(*parts, *run.parts[1:]),
        ledger_is_lower_bound=run.ledger_is_lower_bound or not is_certain,
        cost_is_lower_bound=run.cost_is_lower_bound or not is_certain,
    )


def _sum(before: Run, run: Run, added_usd: float | None) -> str:
    """Return how the cost that is shown comes about; empty where one of the costs is unknown."""
    if None in (before.cost_usd, run.cost_usd, added_usd):
        return ""
    reported, earlier, added = map(figures.money_exact, (run.cost_usd, before.cost_usd, added_usd))
    return f" ({reported} as reported, without {earlier}: {added})"


def _with_note(run: Run, code: str, text: str) -> Run:
    return replace(run, caveats=(*run.caveats, Caveat(code, text)))
