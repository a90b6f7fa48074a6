"""The section of a run's page that says what happened in it: a finding, the picture, and tables that lead on."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from sitegen import figures
from sitegen.html.render import View
from sitegen.model import Entry, Part, Status, T, sum_complete, sum_known
from sitegen.numbers.waste import idle_parts
from sitegen.pages.steps.story import MAX_DRAWN, Carried, PartOfStory, Story, Sum, page_of
from sitegen.pages.steps.strip import KIND_LABELS, KINDS_COUNTED, MAX_LETTERS, letter, strips
from sitegen.pages.steps.transcript import step_link, transcript_path
from sitegen.pages.views import LinkView, RowView
from sitegen.readers.common.values import shortened
from sitegen.steps import ToolKind
from sitegen.text.names import begins_with

MAX_ROWS = 8
MAX_SUBAGENTS = 20
MAX_PARTS = 40  # rows of the table of parts


def steps_view(entry: Entry, story: Story) -> View:
    """Return what happened in a run, of all its steps."""
    run = entry.run
    cost = run.spent_usd
    pages = page_of(max(story.steps - 1, 0))
    failures = story.failures
    failed = None
    if failures:
        failed = step_link(entry.id, failures[0], f"{figures.count(len(failures))} failed")
    return View(
        note=_note(story),
        finding=_finding(entry, story),
        sub=_sub(story, run.wall_ms),
        failed=failed,
        sub_end=_sub_end(entry, story),
        transcript=LinkView(transcript_path(entry.id, 1), "Read the transcript"),
        steps=figures.plural(story.steps, "step") + (f" on {pages} pages" if pages > 1 else ""),
        strips=strips(story, run, f"{entry.id}/steps-"),
        strip_note=_strip_note(story, cost, is_reported=run.cost_usd is not None),
        tables=tuple(table for table in _tables(entry, story) if table.rows),
    )


def _finding(entry: Entry, story: Story) -> str:
    """Return one sentence: what a reader would act on, else what failed, else what the calls were."""
    cost = entry.run.spent_usd
    idle = idle_parts(entry.run.parts)
    costs = story.costs(entry.run.parts, cost)
    wasted = sum_complete(costs[number] for number in idle)
    if wasted and cost and wasted > 0.02 * cost:
        is_end = all(part.edits == 0 for part in entry.run.parts[idle[0] :])
        where = (
            "after the last edit"
            if is_end
            else f"on {figures.plural(len(idle), 'later part')} without an edit"
        )
        return f"{figures.money(wasted)} of {figures.money(cost)} was spent {where}"
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
    were = f"were {several}" if most.calls > 1 else f"was {'an' if one[0] in 'aeio' else 'a'} {one}"
    return f"{figures.count(most.calls)} of {calls} tool calls {were}"


def _sub(story: Story, wall_ms: float | None) -> str:
    time, first, last = "", story.first_ms, story.last_ms
    if first is not None and last is not None and last > first:
        time = f" over {figures.duration(last - first)}, idle times included"
        if wall_ms and abs(last - first - wall_ms) > 0.02 * wall_ms:
            time += f" (time of the run: {figures.duration(wall_ms)})"
    ordered = sorted(story.by_kind.items(), key=lambda item: -item[1].calls)
    kinds = [figures.plural(each.calls, *KINDS_COUNTED[kind]) for kind, each in ordered]
    return (
        f"{figures.plural(story.calls, 'call')}{time}: {', '.join(kinds)}" if kinds else "No calls"
    )


def _sub_end(entry: Entry, story: Story) -> str:
    parts = []
    run = entry.run
    is_plain = (
        len(story.lanes) == 1 and ToolKind.WAIT not in story.by_kind
    )  # else the model works beside commands
    if is_plain and run.api_ms and run.wall_ms and run.api_ms <= run.wall_ms:
        share = round(100 * run.api_ms / run.wall_ms)
        rest = f"so commands and waiting took at most {100 - share}%"
        parts.append(f"The model worked {share}% of the time (API time as reported), {rest}.")
    if story.context.peak:
        parts.append(context_sentence(story, run.steps.compactions if run.steps else None))
    if story.api_errors:
        parts.append(f"The API failed or was retried {_times(story.api_errors)}.")
    if story.rewrites:
        price = f", for {figures.money(story.rewritten)} at list price" if story.is_priced else ""
        pauses = "After pauses longer than the cache lasts"
        parts.append(
            f"{pauses}, a large context was written to it anew {_times(len(story.rewrites))}{price}."
        )
    if run.steps and run.steps.subagents:
        parts.append(f"{figures.plural(run.steps.subagents, 'subagent')} worked for it.")
    return " ".join(parts)


def context_sentence(story: Story, recorded: int | None) -> str:
    """Say how the context grew and fell: "never compacted" only where its format records that and it never fell."""
    context = story.context
    compacted = len(story.compactions)
    first = figures.count_short(context.first)
    peak = figures.count_short(context.peak)
    sentence = f"The context grew from {first} to {peak}"
    if first == peak:
        sentence = f"The context {'began' if compacted or context.falls else 'stayed'} at {peak}"
    if compacted:
        return f"{sentence} tokens and was compacted {_times(compacted)}."
    if context.falls:
        before, after = max(context.falls, key=lambda fall: fall[0] - fall[1])
        largest = f"from {figures.count_short(before)} to {figures.count_short(after)}"
        fell = (
            largest if len(context.falls) == 1 else f"{_times(len(context.falls))}, most {largest}"
        )
        return f"{sentence} tokens and fell {fell}; no compaction is recorded."
    return (
        f"{sentence} tokens." if recorded is None else f"{sentence} tokens and was never compacted."
    )


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
    drawn = (
        f" The first {figures.count(MAX_DRAWN)} are drawn." if len(story.marks) == MAX_DRAWN else ""
    )
    if cost is None:
        return drawn.strip()
    if not story.is_priced:
        return "Cost is not drawn: a message has no list price."
    if not story.spent:
        return f"Cost is not drawn: no message reports tokens that cost anything.{drawn}"
    if not is_reported:
        return f"Cost is computed from list prices.{drawn}"
    return f"Cost is the total of the run, spread by the list price of what each message reports.{drawn}"


_NOTHING = (figures.UNKNOWN, "0")


def table(
    of: str,
    words: tuple[str, str, str],
    columns: Mapping[str, Callable[[T], str]],
    rows: Sequence[tuple[RowView, T]],
    *,
    total: T | None = None,
    is_code: bool = False,
) -> View:
    """Return a table without columns that are unknown or zero in each row; `words` are its heading, its note and the
    head of its names. A row is a name, and what the columns write."""
    kept = {
        head: write
        for head, write in columns.items()
        if any(write(each) not in _NOTHING for _, each in rows)
    }

    def cells(each: T) -> tuple[str, ...]:
        return tuple(write(each) for write in kept.values())

    heading, note, head = words
    found = tuple(replace(row, cells=cells(each)) for row, each in rows)
    foot = () if total is None else ("All", *cells(total))
    told = {"id": of, "heading": heading, "note": note, "head": head, "is_code": is_code}
    return View(**told, columns=tuple(kept), rows=found, foot=foot)


def _row(entry: Entry, name: str, number: int, kind: str = "") -> RowView:
    """Return a row without its cells, which leads to a step."""
    return RowView(name, (), kind, href=step_link(entry.id, number, "").href)


def _sums(entry: Entry, sums: Iterable[tuple[str, Sum]]) -> list[tuple[RowView, Sum]]:
    return [(_row(entry, name, each.first), each) for name, each in sums]


_CALLS: Mapping[str, Callable[[Sum], str]] = {
    "Calls": lambda each: figures.count(each.calls),
    "Failed": lambda each: figures.count(each.failed),
    "Time, min:s": lambda each: figures.clock(each.ms) if each.timed else figures.UNKNOWN,
    "Longest": lambda each: figures.clock(each.longest_ms) if each.timed else figures.UNKNOWN,
}
_FILES: Mapping[str, Callable[[Sum], str]] = {
    "Read": lambda each: figures.count(each.calls - each.edits),
    "Edited": lambda each: figures.count(each.edits),
    "Added": lambda each: f"+{figures.count(each.added)}" if each.added else figures.UNKNOWN,
    "Removed": lambda each: f"−{figures.count(each.removed)}" if each.removed else figures.UNKNOWN,
}


def _tables(entry: Entry, story: Story) -> Iterator[View]:
    yield _parts_table(entry, story)
    yield _tools_table(entry, story)
    lanes = [(story.name_of(lane), each) for lane, each in story.by_lane.items()]
    count = len(story.by_lane)
    note = (
        f"The first {MAX_SUBAGENTS} of {figures.count(count)} that called tools. "
        if count > MAX_SUBAGENTS
        else ""
    )
    note += _time_note(story)
    yield table(
        "subagents", ("Subagents", note, "Subagent"), _CALLS, _sums(entry, lanes[:MAX_SUBAGENTS])
    )
    yield _context_table(entry, story)
    files = sorted(
        story.by_file.items(), key=lambda item: (-item[1].edits, -item[1].calls, item[0])
    )
    note = (
        f"The {MAX_ROWS} most used of {figures.count(len(files))}. "
        if len(files) > MAX_ROWS
        else ""
    )
    note += "Lines as reported by the edits; changes by commands are not visible."
    yield table(
        "files", ("Files", note, "File"), _FILES, _sums(entry, files[:MAX_ROWS]), is_code=True
    )
    programs = sorted(
        story.by_program.items(), key=lambda item: (-item[1].ms, -item[1].calls, item[0])
    )
    note = "By the first program of each command"
    note += f", {MAX_ROWS} of {figures.count(len(programs))}." if len(programs) > MAX_ROWS else "."
    note += f" {_time_note(story)}"
    of_commands = {"Runs" if head == "Calls" else head: write for head, write in _CALLS.items()}
    yield table(
        "commands",
        ("Commands", note, "Command"),
        of_commands,
        _sums(entry, programs[:MAX_ROWS]),
        is_code=True,
    )
    longest = [(_row(entry, target, number), ms) for ms, number, target in story.longest]
    words = ("Longest steps", _time_note(story), "Step")
    yield table("longest", words, {"Time, min:s": figures.clock}, longest, is_code=True)


def _time_note(story: Story) -> str:
    """Return what the time of a call is; empty where no time is known."""
    if not story.borrowed:
        is_timed = any(each.timed for each in story.by_kind.values())
        return "Time until the answer. It includes waiting for permission." if is_timed else ""
    which = f" of {figures.plural(story.borrowed, 'call')}" if story.has_question_times else ""
    return f"Time{which} from the step before to the answer: it includes the model’s own time, and waiting."


def _parts_table(entry: Entry, story: Story) -> View:
    """Return the parts of a session and how each ended; those that follow each other and changed no file are one
    row."""
    rows = []
    parts = entry.run.parts
    sections = story.sections(parts)
    costs = story.costs(parts, entry.run.spent_usd)
    for at, (first, last) in enumerate(sections if len(parts) > 1 else ()):
        of_story = story.parts[first : last + 1]
        name = f"{letter(at)} " if len(sections) <= MAX_LETTERS else ""
        label = f"{name}{first + 1}" if first == last else f"{name}{first + 1} to {last + 1}"
        row = _row(entry, label, of_story[0].first) if of_story else RowView(label, (), href="")
        rows.append(
            (row, (parts[first : last + 1], sum_complete(costs[first : last + 1]), of_story))
        )
    note = "A session goes on after a result. How each part ended, and what it cost"
    note += "." if any(part.cost_usd is not None for part in parts) else " at list price."
    if len(rows) > MAX_PARTS:
        note += f" The first {MAX_PARTS} of {figures.count(len(rows))} rows."
    columns: Mapping[
        str, Callable[[tuple[Sequence[Part], float | None, Sequence[PartOfStory]]], str]
    ] = {
        "Turns": lambda row: figures.count(sum_known(part.turns for part in row[0])),
        "Time, min:s": lambda row: figures.clock(sum_known(part.wall_ms for part in row[0])),
        "Cost, $": lambda row: figures.fixed(row[1], 2),
        "Ended": lambda row: _ended(row[0], row[2]),
    }
    return table("parts", ("Parts", note, "Part"), columns, rows[:MAX_PARTS])


def _ended(parts: Sequence[Part], of_story: Sequence[PartOfStory]) -> str:
    detail = parts[-1].status_detail
    if len(parts) > 1 and not any(part.edits for part in of_story):
        return f"{len(parts)} answers, no edit"
    text = of_story[-1].last_text if of_story else ""
    said = shortened(begins_with(text) or text.split("\n", 1)[0], 80)
    return detail or (
        f"“{said}”"
        if said
        else "completed"
        if parts[-1].status is Status.OK
        else parts[-1].status.value
    )


def _tools_table(entry: Entry, story: Story) -> View:
    sums = story.by_kind.values()
    whole = sum(each.ms for each in sums)
    total = Sum(story.calls, len(story.failures), whole, sum(each.timed for each in sums))
    total.result_bytes = sum(each.result_bytes for each in sums)
    note = _time_note(story)
    if story.has_overlap:
        note += " Calls overlapped: the time of each counts."
    columns = {head: write for head, write in _CALLS.items() if head != "Longest"} | {
        "% of this time": lambda each: (
            figures.percent(each.ms, whole) if whole and each.timed else figures.UNKNOWN
        ),
        "Results, kB": lambda each: (
            figures.count(round(each.result_bytes / 1000))
            if not 0 < each.result_bytes < 500
            else "<1"
        ),
    }
    by_kind = ((kind, story.by_kind[kind]) for kind in ToolKind if kind in story.by_kind)
    rows = [
        (_row(entry, KIND_LABELS[kind], each.first, f"s-{kind.value}"), each)
        for kind, each in by_kind
    ]
    return table("tools", ("Tools", note, "Kind"), columns, rows, total=total)


def _context_table(entry: Entry, story: Story) -> View:
    """Return what the largest context consisted of, as far as it is known."""
    context = story.context.close()
    is_priced = context.is_priced and context.reads_usd > 0
    columns: Mapping[str, Callable[[Carried], str]] = {
        "Step": lambda each: figures.count(each.number + 1) if each.bytes else figures.UNKNOWN,
        "Size, kB": lambda each: (
            figures.fixed(each.bytes / 1000, 1) if each.bytes else figures.UNKNOWN
        ),
        "Tokens, about": lambda each: figures.count_short(round(each.tokens)),
        "Later requests": lambda each: figures.count(each.requests or None),
        "Cost, about $": lambda each: figures.fixed(each.usd, 2) if is_priced else figures.UNKNOWN,
    }
    results = [each for each in context.at_peak() if each.tokens >= 1]
    known = [*results, context.base]
    rest = Carried(
        0,
        "Messages, inputs and other results",
        0,
        context.peak - sum(each.tokens for each in known),
    )
    rest.usd = context.reads_usd - sum(each.usd for each in known)
    whole = Carried(0, "", 0, context.peak, usd=context.reads_usd) if rest.tokens >= 0 else None
    rows = [(_row(entry, each.name, each.number), each) for each in results]
    if rows:
        others = (context.base, rest) if whole else (context.base,)
        rows += [(RowView(each.name, (), href=""), each) for each in others if each.tokens]
    note = (
        "Estimate: growth between two requests, split by size among the results in between. Cost: "
    )
    note += "later requests read it from the cache. A transcript says at each step what its context held."
    words = ("What fills the context", note, "Result")
    return table("context", words, columns, rows, total=whole, is_code=True)
