"""Attempts of one task side by side: their calls, the same ones in one row, and what differs."""

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from difflib import SequenceMatcher
from itertools import islice, zip_longest

from sitegen import figures
from sitegen.errors import ReadError
from sitegen.figures import outcome_view, status_view
from sitegen.html.render import View
from sitegen.model import Entry, Outcome
from sitegen.numbers.wording import capital
from sitegen.pages.steps.strip import KIND_LABELS, KINDS_COUNTED, within
from sitegen.pages.steps.transcript import step_link
from sitegen.pages.views import LinkView, run_link
from sitegen.steps import Step, StepKind, ToolKind
from sitegen.text.names import run_path

# Where time and context went by kind of tool, over all runs whose files tell of steps.


def tools_view(entries: Sequence[Entry]) -> View | None:
    """Return what the calls of all runs come to; None where no file tells of any."""
    counted = [
        entry.run.steps for entry in entries if entry.run.steps and entry.run.steps.tool_calls
    ]
    if not counted:
        return None
    by_kind = {
        kind: [each for run in counted for each in run.by_kind if each.kind == kind]
        for kind in ToolKind
    }
    seconds = {
        kind: math.fsum(each.seconds or 0 for each in found) for kind, found in by_kind.items()
    }
    tokens = {
        kind: sum(each.context_tokens or 0 for each in found) for kind, found in by_kind.items()
    }
    all_seconds = math.fsum(seconds.values())
    all_tokens = sum(tokens.values())
    ordered = sorted(
        (kind for kind in ToolKind if by_kind[kind]),
        key=lambda kind: (-seconds[kind], -tokens[kind]),
    )
    tools = tuple(
        View(
            kind=kind.value,
            label=KIND_LABELS[kind],
            calls=figures.count(sum(each.calls for each in by_kind[kind])),
            failed=figures.count(sum(each.failures for each in by_kind[kind])),
            time=figures.duration(1000 * seconds[kind]) if seconds[kind] else figures.UNKNOWN,
            share_of_time=seconds[kind] / all_seconds if all_seconds else 0.0,
            context=figures.count_short(tokens[kind]) if tokens[kind] else figures.UNKNOWN,
            share_of_context=tokens[kind] / all_tokens if all_tokens else 0.0,
        )
        for kind in ordered
    )
    note = f"{figures.count(len(counted))} of {figures.plural(len(entries), 'run')}; calls may overlap."
    shown = {"has_times": bool(all_seconds), "has_context": bool(all_tokens)}
    return View(finding=_finding(seconds, tokens), note=note, tools=tools, **shown)


def _finding(seconds: dict[ToolKind, float], tokens: dict[ToolKind, int]) -> str:
    """Return which kind took most of either."""
    parts: list[str] = []
    of_time = ("took", "the tools’ time")
    of_context = ("added", "what tools put into the context")
    for amounts, (verb, what) in ((seconds, of_time), (tokens, of_context)):
        if whole := math.fsum(amounts.values()):
            kind, most = max(amounts.items(), key=lambda item: item[1])
            kinds = KINDS_COUNTED[kind][1]
            who = "they" if parts and parts[0].startswith(f"{kinds} ") else kinds
            parts.append(f"{who} {verb} {figures.percent(most, whole)} of {what}")
    return capital("; ".join(parts) or "calls by kind of tool")


ReadSteps = Callable[[Entry], Generator[Step, None, None]]
"""The steps of a run, as far as they are published."""

MAX_ATTEMPTS = 4
MAX_CALLS = 60


def side_by_side(runs: Sequence[Entry], read: ReadSteps) -> View | None:
    """Return the attempts of a task whose files tell of calls; None where there are no two, or where one cannot be
    read."""
    published = (run for run in runs if run.has_published_steps)
    told = [run for run in published if run.run.steps and run.run.steps.tool_calls]
    first_of = {
        run.outcome: run for run in reversed(told)
    }  # so that different endings are beside each other
    ordered = (*(first_of[outcome] for outcome in Outcome if outcome in first_of), *told)
    told = list({run.id: run for run in ordered}.values())[:MAX_ATTEMPTS]
    if len(told) < 2:
        return None
    try:
        columns = [list(_calls(run, read)) for run in told]
    except ReadError:  # the page of the run says so
        return None
    rows = tuple(
        (len({(_what(cell), cell and cell.has_failed) for cell in row}) > 1, row)
        for row in _aligned(columns)
    )
    parted = next((number for number, (differs, _) in enumerate(rows) if differs), None)
    where = (
        f"They part at call {parted + 1}."
        if parted is not None
        else f"Their first {len(rows)} calls are the same."
    )
    apart = sum(differs for differs, _ in rows)
    where += f" The same call is in one row; {figures.plural(apart, 'row differs', 'rows differ')}."
    more = f" Of each, the first {MAX_CALLS} calls." if max(map(len, columns)) == MAX_CALLS else ""
    if any(cell and cell.within != cell.target.text for _, row in rows for cell in row):
        more += " Paths are compared within the folder in which each worked."
    return View(note=where + more, heads=tuple(map(_head, told)), rows=rows, parted=parted)


def _aligned(columns: Sequence[Sequence[View]]) -> Iterator[tuple[View | None, ...]]:
    """Yield rows: a call of the first attempt with the same call of each other, or what is in its place."""
    first, *others = columns
    same: list[list[View | None]] = [[cell, *[None] * len(others)] for cell in first]
    between: list[list[Sequence[View]]] = [[()] * len(columns) for _ in range(len(first) + 1)]
    for number, column in enumerate(others, 1):
        begin = at = 0
        matcher = SequenceMatcher(
            None, list(map(_what, first)), list(map(_what, column)), autojunk=False
        )
        for of_first, of_column, size in matcher.get_matching_blocks():
            other = column[at:of_column]
            for step, cell in enumerate(other[: of_first - begin], begin):
                same[step][number] = cell
            between[of_first][number] = other[of_first - begin :]
            begin = of_first + size
            at = of_column + size
            for step in range(size):
                same[of_first + step][number] = column[of_column + step]
    for number, before in enumerate(between):
        yield from zip_longest(*before)
        yield from map(tuple, same[number : number + 1])


def _calls(run: Entry, read: ReadSteps) -> Iterator[View]:
    """Yield the first calls of the main agent, each with a link into the transcript."""
    with closing(read(run)) as steps:
        calls = (
            (step, step.call)
            for step in steps
            if step.kind is StepKind.TOOL_CALL and step.call and not step.lane
        )
        for step, call in islice(calls, MAX_CALLS):
            text = call.target or call.name
            yield View(
                kind=call.kind.value,
                label=KIND_LABELS[call.kind],
                target=step_link(run.id, step.number, text),
                has_failed=call.failed is True,
                within=within(run.run.cwd, text),
            )


def _what(cell: View | None) -> tuple[str, str] | None:
    return (cell.kind, cell.within) if cell else None


def _head(run: Entry) -> View:
    ending = (
        outcome_view(run.outcome)
        if run.outcome
        else status_view(run.run.status, run.run.status_detail)
    )
    calls = figures.plural(run.run.steps.tool_calls if run.run.steps else 0, "call")
    account = LinkView(f"{run_path(run.id)}#said", run.about or "read it")
    return View(
        link=run_link(run), ending=ending, cost=figures.cost(run.run), calls=calls, account=account
    )
