"""The section of a run's page that says what happened in it: a finding, the picture, and tables that lead on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sitegen import figures
from sitegen.html.render import View
from sitegen.model import Entry, Part, Status, sum_complete, sum_known
from sitegen.names import begins_with
from sitegen.numbers.waste import idle_parts
from sitegen.pages.steps.context import Carried
from sitegen.pages.steps.story import MAX_DRAWN, PartOfStory, Story, Sum, page_of
from sitegen.pages.steps.strip import KIND_LABELS, KINDS_COUNTED, MAX_LETTERS, letter, strips
from sitegen.pages.steps.transcript import step_link, transcript_path
from sitegen.pages.views import LinkView, RowView
from sitegen.readers.common.values import shortened
from sitegen.steps import ToolKind

MAX_ROWS = 8
MAX_SUBAGENTS = 20
MAX_PARTS = 40
"""Rows of the table of parts."""


@dataclass(frozen=True, slots=True)
class TableView:
    """A table of the section."""

    id: str
    heading: str
    note: str
    head: str
    columns: tuple[str, ...]
    rows: tuple[RowView, ...]
    foot: tuple[str, ...] = ()
    is_code: bool = False


def steps_view(entry: Entry, story: Story) -> View:
    """Return what happened in a run, of all its steps."""
    run = entry.run
    cost = run.spent_usd
    pages = page_of(max(story.steps - 1, 0))
    failures = len(story.failures)
    failed = None
    if failures:
        failed = step_link(entry.id, story.failures[0], f"{figures.count(failures)} failed")
    return View(
        note=_note(story),
        finding=_finding(entry, story),
        sub=_sub(story),
        failed=failed,
        sub_end=_sub_end(entry, story),
        transcript=LinkView(transcript_path(entry.id, 1), "Read the transcript"),
        steps=figures.plural(story.steps, "step") + (f" on {pages} pages" if pages > 1 else ""),
        strips=strips(story, run, f"{entry.id}/steps-"),
        strip_note=_strip_note(story, cost, is_reported=run.cost_usd is not None),
        tables=tuple(filled(table) for table in _tables(entry, story) if table.rows),
    )


def _finding(entry: Entry, story: Story) -> str:
    """Return one sentence: what a reader would act on, else what failed, else what the calls were."""
    cost, idle = entry.run.spent_usd, idle_parts(entry.run.parts)
    costs = story.costs(entry.run.parts, cost)
    wasted = sum_complete(costs[number] for number in idle)
    if wasted and cost and wasted > 0.02 * cost:
        parts = figures.plural(len(idle), "later part")
        return f"{figures.money(wasted)} of {figures.money(cost)} was spent on {parts} without an edit"
    failures = len(story.failures)
    if story.calls and failures:
        return f"{figures.count(failures)} of {figures.plural(story.calls, 'tool call')} failed"
    if not story.calls:
        return "No tool was called"
    kind, most = max(story.by_kind.items(), key=lambda item: item[1].calls)
    one, several = KINDS_COUNTED[kind]
    calls = figures.count(story.calls)
    if story.calls == 1:
        return f"One tool call: {one}"
    if most.calls == story.calls:
        return f"All {calls} tool calls were {several}"
    return (
        f"{figures.count(most.calls)} of {calls} tool calls {f'were {several}' if most.calls > 1 else f'was a {one}'}"
    )


def _sub(story: Story) -> str:
    time = ""
    if story.first_ms is not None and story.last_ms is not None and story.last_ms > story.first_ms:
        time = f" over {figures.duration(story.last_ms - story.first_ms)}, idle times included"
    ordered = sorted(story.by_kind.items(), key=lambda item: -item[1].calls)
    kinds = [figures.plural(each.calls, *KINDS_COUNTED[kind]) for kind, each in ordered]
    return f"{figures.plural(story.calls, 'call')}{time}: {', '.join(kinds)}" if kinds else "No calls"


def _sub_end(entry: Entry, story: Story) -> str:
    parts = []
    run = entry.run
    is_plain = len(story.lanes) == 1 and ToolKind.WAIT not in story.by_kind  # else the model works beside commands
    if is_plain and run.api_ms and run.wall_ms and run.api_ms <= run.wall_ms:
        share = round(100 * run.api_ms / run.wall_ms)
        rest = f"so commands and waiting took at most {100 - share}%"
        parts.append(f"The model worked {share}% of the time (API time as reported), {rest}.")
    first, peak = figures.count_short(story.context_first or 0), figures.count_short(story.context_peak)
    if story.context_peak and story.context_first is not None:
        grew = f"The context stayed at {peak}" if first == peak else f"The context grew from {first} to {peak}"
        compacted = len(story.compactions)
        ending = f"and was compacted {_times(compacted)}" if compacted else "and was never compacted"
        parts.append(f"{grew} tokens {ending}.")
    if story.api_errors:
        parts.append(f"The API failed or was retried {_times(story.api_errors)}.")
    if story.rewrites:
        price = f", for {figures.money(story.rewritten)} by list price" if story.is_priced else ""
        pauses = "After pauses longer than the cache lasts"
        parts.append(f"{pauses}, a large context was written to it anew {_times(len(story.rewrites))}{price}.")
    if run.steps and run.steps.subagents:
        parts.append(f"{figures.plural(run.steps.subagents, 'subagent')} worked for it.")
    return " ".join(parts)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{figures.count(count)} times"


def _note(story: Story) -> str:
    if not story.calls:
        return "From the recording of the run."
    if story.first_ms is None:
        return "From the recording of the run, which has no times."
    if not story.has_question_times:
        bars = "a bar begins at the step before, so it includes the model’s own time"
        return f"From the recording of the run. Only results have a time: {bars}."
    return "From the recording of the run. A bar lasts from a call to its answer."


def _strip_note(story: Story, cost: float | None, *, is_reported: bool) -> str:
    drawn = f" The first {figures.count(MAX_DRAWN)} are drawn." if len(story.marks) == MAX_DRAWN else ""
    if cost is None:
        return drawn.strip()
    if not story.is_priced or not story.spent:
        return "Cost is not drawn: a message has no list price."
    if not is_reported:
        return f"Cost is computed from list prices.{drawn}"
    return f"Cost is the total of the run, spread by the list price of what each message reports.{drawn}"


_NOTHING = (figures.UNKNOWN, "0")


def filled(table: TableView) -> TableView:
    """Return the table without columns that are unknown or zero in each row."""
    kept = [n for n in range(len(table.columns)) if any(row.cells[n] not in _NOTHING for row in table.rows)]

    def of(cells: Sequence[str]) -> tuple[str, ...]:
        return tuple(cells[n] for n in kept)

    rows = tuple(replace(row, cells=of(row.cells)) for row in table.rows)
    foot = (table.foot[0], *of(table.foot[1:])) if table.foot else ()
    return replace(table, columns=of(table.columns), rows=rows, foot=foot)


def _tables(entry: Entry, story: Story) -> Iterator[TableView]:
    yield _parts_table(entry, story)
    yield _tools_table(entry, story)
    yield _subagents_table(entry, story)
    yield _context_table(entry, story)
    yield _files_table(entry, story)
    yield _commands_table(entry, story)
    longest = tuple(
        RowView(target, (figures.clock(ms),), href=step_link(entry.id, number, target).href)
        for ms, number, target in story.longest
    )
    yield TableView(
        "longest", "Longest steps", "Time until the answer.", "Step", ("Time, min:s",), longest, is_code=True
    )


def _parts_table(entry: Entry, story: Story) -> TableView:
    """Return the parts of a session and how each ended; those that follow each other and changed no file are one
    row."""
    rows = []
    parts = entry.run.parts
    sections, costs = story.sections(parts), story.costs(parts, entry.run.spent_usd)
    for at, (first, last) in enumerate(sections if len(parts) > 1 else ()):
        several = parts[first : last + 1]
        of_story = story.parts[first] if first < len(story.parts) else None
        cost = sum_complete(costs[first : last + 1])
        name = f"{letter(at)} " if len(sections) <= MAX_LETTERS else ""
        label = f"{name}{first + 1}" if first == last else f"{name}{first + 1} to {last + 1}"
        href = step_link(entry.id, of_story.first, label).href if of_story else ""
        cells = (
            figures.count(sum_known(part.turns for part in several)),
            figures.clock(sum_known(part.wall_ms for part in several)),
            figures.fixed(cost, 2) if cost is not None else figures.UNKNOWN,
            _ended(several, story.parts[first : last + 1]),
        )
        rows.append(RowView(label, cells, href=href))
    note = "A session goes on after a result. How each part ended, and what it cost"
    note += "." if any(part.cost_usd is not None for part in parts) else " by list price."
    if len(rows) > MAX_PARTS:
        note += f" The first {MAX_PARTS} of {figures.count(len(rows))} rows."
        del rows[MAX_PARTS:]
    return TableView("parts", "Parts", note, "Part", ("Turns", "Time, min:s", "Cost, $", "Ended"), tuple(rows))


def _ended(parts: Sequence[Part], of_story: Sequence[PartOfStory]) -> str:
    detail = parts[-1].status_detail
    if len(parts) > 1 and not any(part.edits for part in of_story):
        return f"{len(parts)} answers, no edit"
    text = of_story[-1].last_text if of_story else ""
    said = shortened(begins_with(text) or text.split("\n", 1)[0], 80)
    return detail or (f"“{said}”" if said else "completed" if parts[-1].status is Status.OK else parts[-1].status.value)


def _tools_table(entry: Entry, story: Story) -> TableView:
    whole = sum(each.ms for each in story.by_kind.values())
    rows = []
    for kind in ToolKind:
        each = story.by_kind.get(kind)
        if each is None:
            continue
        href = step_link(entry.id, each.first, "").href
        rows.append(RowView(KIND_LABELS[kind], _tool_cells(each, whole), f"s-{kind.value}", href=href))
    total = Sum(
        calls=story.calls,
        failed=len(story.failures),
        ms=whole,
        timed=sum(each.timed for each in story.by_kind.values()),
        result_bytes=sum(each.result_bytes for each in story.by_kind.values()),
    )
    note = "Time until the answer. It includes waiting for permission." if whole else ""
    if whole and story.has_overlap:
        note += " Calls overlapped: the time of each counts."
    columns = ("Calls", "Failed", "Time, min:s", "% of time", "Results, kB")
    foot = ("All", *_tool_cells(total, whole))
    return TableView("tools", "Tools", note, "Kind", columns, tuple(rows), foot)


def _tool_cells(each: Sum, whole: int) -> tuple[str, ...]:
    return (
        *_call_cells(each)[:3],
        figures.percent(each.ms, whole) if whole and each.timed else figures.UNKNOWN,
        figures.count(round(each.result_bytes / 1000)) if not 0 < each.result_bytes < 500 else "<1",
    )


def _subagents_table(entry: Entry, story: Story) -> TableView:
    """Return what subagents did, in the order in which they began."""
    rows = tuple(
        RowView(story.name_of(lane), _call_cells(each), href=step_link(entry.id, each.first, "").href)
        for lane, each in list(story.by_lane.items())[:MAX_SUBAGENTS]
    )
    count = len(story.by_lane)
    note = f"The first {MAX_SUBAGENTS} of {figures.count(count)} that called tools." if count > MAX_SUBAGENTS else ""
    columns = ("Calls", "Failed", "Time, min:s", "Longest")
    return TableView("subagents", "Subagents", note, "Subagent", columns, rows)


def _call_cells(each: Sum) -> tuple[str, ...]:
    return (
        figures.count(each.calls),
        figures.count(each.failed),
        figures.clock(each.ms) if each.timed else figures.UNKNOWN,
        figures.clock(each.longest_ms) if each.timed else figures.UNKNOWN,
    )


def _context_table(entry: Entry, story: Story) -> TableView:
    """Return the results that were carried longest, and what stood before all of them."""
    context = story.context.close()
    is_priced = context.is_priced and context.reads_usd > 0

    def row(each: Carried, href: str = "") -> RowView:
        kilobytes = figures.fixed(each.bytes / 1000, 1) if each.bytes else figures.UNKNOWN
        cost = figures.fixed(each.usd, 2) if is_priced else figures.UNKNOWN
        tokens = figures.count_short(round(each.tokens))
        step = figures.count(each.number + 1) if href else figures.UNKNOWN
        return RowView(each.name, (step, kilobytes, tokens, figures.count(each.requests), cost), href=href)

    rows = [row(each, step_link(entry.id, each.number, "").href) for each in context.largest if each.tokens >= 1]
    if rows and context.base.tokens:
        rows.append(row(context.base))
    note = "An estimate: by how much requests grew, shared by bytes among what came in between. Later requests read it "
    note += "from the cache" + (f"; all cache reads cost {figures.money(context.reads_usd)}." if is_priced else ".")
    columns = ("Step", "Size, kB", "Tokens, about", "Later requests", "Cost, about $")
    return TableView("context", "What fills the context", note, "Result", columns, tuple(rows), is_code=True)


def _files_table(entry: Entry, story: Story) -> TableView:
    ordered = sorted(story.by_file.items(), key=lambda item: (-item[1].edits, -item[1].calls, item[0]))
    rows = tuple(
        RowView(
            name,
            (
                figures.count(each.calls - each.edits),
                figures.count(each.edits),
                f"+{figures.count(each.added)}" if each.added else figures.UNKNOWN,
                f"−{figures.count(each.removed)}" if each.removed else figures.UNKNOWN,
            ),
            href=step_link(entry.id, each.first, "").href,
        )
        for name, each in ordered[:MAX_ROWS]
    )
    note = f"The {MAX_ROWS} most used of {figures.count(len(ordered))}." if len(ordered) > MAX_ROWS else ""
    note += " Lines as reported by the edits; changes by commands are not visible."
    return TableView("files", "Files", note.strip(), "File", ("Read", "Edited", "Added", "Removed"), rows, is_code=True)


def _commands_table(entry: Entry, story: Story) -> TableView:
    ordered = sorted(story.by_program.items(), key=lambda item: (-item[1].ms, -item[1].calls, item[0]))
    rows = tuple(
        RowView(name, _call_cells(each), href=step_link(entry.id, each.first, "").href)
        for name, each in ordered[:MAX_ROWS]
    )
    note = "By the first program of each command"
    note += f", {MAX_ROWS} of {figures.count(len(ordered))}." if len(ordered) > MAX_ROWS else "."
    columns = ("Runs", "Failed", "Time, min:s", "Longest")
    return TableView("commands", "Commands", note, "Command", columns, rows, is_code=True)
