"""Attempts of one task side by side, call by call, with the first one at which they part."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice, zip_longest

from sitegen import figures
from sitegen.errors import ReadError
from sitegen.figures import StatusView, outcome_view, status_view
from sitegen.model import Entry
from sitegen.names import run_path
from sitegen.pages.steps.strip import KIND_LABELS
from sitegen.pages.steps.transcript import step_link
from sitegen.pages.views import LinkView, run_link
from sitegen.steps import Step, StepKind

ReadSteps = Callable[[Entry], Generator[Step, None, None]]
"""The steps of a run, as far as they are published."""

MOST_ATTEMPTS = 4
MOST_CALLS = 40


@dataclass(frozen=True, slots=True)
class AttemptHead:
    """One attempt: its run, how it came out, what it cost."""

    link: LinkView
    ending: StatusView
    cost: str
    calls: str
    account: LinkView
    """Leads to what the agent said at the end, under the first heading there that says something."""


@dataclass(frozen=True, slots=True)
class CallCell:
    """A call, with a link into the transcript."""

    kind: str
    label: str
    target: LinkView
    has_failed: bool


@dataclass(frozen=True, slots=True)
class SideBySideView:
    """The first calls of some attempts, a row for each position."""

    note: str
    heads: tuple[AttemptHead, ...]
    rows: tuple[tuple[CallCell | None, ...], ...]
    parted: int | None
    """The first row in which they differ."""


def side_by_side(runs: Sequence[Entry], read: ReadSteps) -> SideBySideView | None:
    """The attempts of a task whose files tell of calls; None where there are no two, or where one cannot be read."""
    published = (run for run in runs if run.has_published_steps)
    told = [run for run in published if run.run.steps and run.run.steps.tool_calls][:MOST_ATTEMPTS]
    if len(told) < 2:
        return None
    try:
        columns = [_calls(run, read) for run in told]
    except ReadError:  # the page of the run says so
        return None
    rows = tuple(zip_longest(*columns))
    parted = next((number for number, row in enumerate(rows) if len(set(map(_what, row))) > 1), None)
    where = f"They part at call {parted + 1}." if parted is not None else f"Their first {len(rows)} calls are the same."
    more = f" Of each, the first {MOST_CALLS} calls." if max(map(len, columns)) == MOST_CALLS else ""
    return SideBySideView(where + more, tuple(map(_head, told)), rows, parted)


def _calls(run: Entry, read: ReadSteps) -> list[CallCell]:
    """The first calls of the main agent."""
    with closing(read(run)) as steps:
        calls = (step for step in steps if step.kind is StepKind.TOOL_CALL and step.call and not step.lane)
        return [_cell(run, step) for step in islice(calls, MOST_CALLS)]


def _cell(run: Entry, step: Step) -> CallCell:
    call = step.call
    assert call is not None  # noqa: S101
    target = step_link(run.id, step.number, call.target or call.name)
    return CallCell(call.kind.value, KIND_LABELS[call.kind], target, call.failed is True)


def _what(cell: CallCell | None) -> tuple[str, str] | None:
    return (cell.kind, cell.target.text) if cell else None


def _head(run: Entry) -> AttemptHead:
    ending = outcome_view(run.outcome) if run.outcome else status_view(run.run.status, run.run.status_detail)
    calls = figures.plural(run.run.steps.tool_calls if run.run.steps else 0, "call")
    account = LinkView(f"{run_path(run.id)}#said", run.about or "read it")
    return AttemptHead(run_link(run), ending, figures.cost(run.run), calls, account)
