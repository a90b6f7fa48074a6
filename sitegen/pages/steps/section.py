"""The section of a run's page that says what happened in it: a finding, the picture, and tables that lead on."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sitegen import figures
from sitegen.html.render import View
from sitegen.model import Entry, Part, Status, T, sum_complete, sum_known
from sitegen.numbers.waste import idle_parts
from sitegen.pages.steps.story import MAX_DRAWN, Carried, PartOfStory, Story, Sum, page_of
from sitegen.pages.steps.strip import KIND_LABELS, KINDS_COUNTED, name_parts, strips
from sitegen.pages.steps.transcript import step_link, transcript_path
from sitegen.pages.views import LinkView, RowView
from sitegen.readers.common.values import shortened
from sitegen.steps import ToolKind
from sitegen.text.names import begins_with

MAX_ROWS = 20  # rows of a table


def steps_view(entry: Entry, story: Story) -> View:
    """Return what happened in a run, of all its steps."""
    run = entry.run
    pages = page_of(max(story.steps - 1, 0))
    failed = None
    if story.failures:
        failed = step_link(
            entry.id, story.failures[0], f"{figures.count(len(story.failures))} failed"
        )
    return View(
        note=_note(story),
        finding=_finding(entry, story),
        sub=_sub(story, run.wall_ms),
        failed=failed,
        sub_end=_sub_end(entry, story),
        transcript=LinkView(transcript_path(entry.id, 1), "Read the transcript"),
        steps=figures.plural(story.steps, "step") + (f" on {pages} pages" if pages > 1 else ""),
        strips=strips(story, run, f"{entry.id}/steps-"),
        strip_note=_strip_note(story, run.spent_usd, is_reported=run.cost_usd is not None),
        tables=tuple(table for table in _tables(entry, story) if table.rows),
    )


def _finding(entry: Entry, story: Story) -> str:
    """Return one sentence: what a reader would act on, else what failed, else what most calls were."""
    parts = entry.run.parts
    cost = entry.run.spent_usd
    idle = idle_parts(parts)
    costs = story.costs(parts, cost)
    wasted = sum_complete(costs[number] for number in idle)
    if wasted and cost and wasted > 0.02 * cost:
        where = f"on {figures.plural(len(idle), 'later part')} without an edit"
        if all(part.edits == 0 for part in parts[idle[0] :]):
            where = "after the last edit"
        return f"{figures.money(wasted)} of {figures.money(cost)} was spent {where}"
    if not story.calls:
        return "No tool was called"
    calls = figures.plural(story.calls, "tool call")
    if story.failures:
        return f"{figures.count(len(story.failures))} of {calls} failed"
    kind, most = max(story.by_kind.items(), key=lambda pair: pair[1].calls)
    return f"{figures.plural(most.calls, *KINDS_COUNTED[kind])} in {calls}"


def _sub(story: Story, wall_ms: float | None) -> str:
    if not story.calls:
        return "No calls"
    time = ""
    if story.lasted_ms:
        time = f" over {figures.duration(story.lasted_ms)}, idle times included"
        if wall_ms and abs(story.lasted_ms - wall_ms) > 0.02 * wall_ms:
            time += f" (time of the run: {figures.duration(wall_ms)})"
    ordered = sorted(story.by_kind.items(), key=lambda pair: -pair[1].calls)
    kinds = [figures.plural(calls.calls, *KINDS_COUNTED[kind]) for kind, calls in ordered]
    return f"{figures.plural(story.calls, 'call')}{time}: {', '.join(kinds)}"


def _sub_end(entry: Entry, story: Story) -> str:
    sentences = []
    run = entry.run
    is_plain = len(story.lanes) == 1 and ToolKind.WAIT not in story.by_kind
    # Else the model works beside commands.
    if is_plain and run.api_ms and run.wall_ms and run.api_ms <= run.wall_ms:
        share = round(100 * run.api_ms / run.wall_ms)
        rest = f"so commands and waiting took at most {100 - share}%"
        sentences.append(f"The model worked {share}% of the time (API time as reported), {rest}.")
    if story.context.peak:
        recorded = run.steps.compactions if run.steps else None
        sentences.append(context_sentence(story, recorded))
    if story.api_errors:
        sentences.append(f"The API failed or was retried {_times(story.api_errors)}.")
    if story.rewrites:
        price = f", for {figures.money(story.rewritten)} at list price" if story.is_priced else ""
        written = f"a large context was written to it anew {_times(len(story.rewrites))}"
        sentences.append(f"After pauses longer than the cache lasts, {written}{price}.")
    if run.steps and run.steps.subagents:
        sentences.append(f"{figures.plural(run.steps.subagents, 'subagent')} worked for it.")
    return " ".join(sentences)


def context_sentence(story: Story, recorded: int | None) -> str:
    """Say how the context grew and fell: "never compacted" only where its format records that and it never fell."""
    context = story.context
    compacted = len(story.compactions)
    first = figures.count_short(context.first)
    peak = figures.count_short(context.peak)
    sentence = f"The context grew from {first} to {peak} tokens"
    if first == peak:
        verb = "began" if compacted or context.falls else "stayed"
        sentence = f"The context {verb} at {peak} tokens"
    if compacted:
        return f"{sentence} and was compacted {_times(compacted)}."
    if context.falls:
        before, after = max(context.falls, key=lambda fall: fall[0] - fall[1])
        fell = f"from {figures.count_short(before)} to {figures.count_short(after)}"
        if len(context.falls) > 1:
            fell = f"{_times(len(context.falls))}, most {fell}"
        return f"{sentence} and fell {fell}; no compaction is recorded."
    return f"{sentence}." if recorded is None else f"{sentence} and was never compacted."


def _times(count: int) -> str:
    return "once" if count == 1 else f"{figures.count(count)} times"


def _note(story: Story) -> str:
    recording = "From the recording of the run"
    if not story.calls:
        return f"{recording}."
    if story.first_ms is None:
        return f"{recording}, which has no times."
    if story.has_question_times:
        return f"{recording}. A bar lasts from a call to its answer."
    bars = "a bar begins at the step before, so it includes the model’s own time"
    return f"{recording}. Only results have a time: {bars}."


def _strip_note(story: Story, cost: float | None, *, is_reported: bool) -> str:
    notes = []
    if cost is not None and not story.is_priced:
        notes.append("Cost is not drawn: a message has no list price.")
    elif cost is not None and not story.spent:
        notes.append("Cost is not drawn: no message reports tokens that cost anything.")
    elif cost is not None and not is_reported:
        notes.append("Cost is computed from list prices.")
    elif cost is not None:
        total = "Cost is the total of the run"
        notes.append(f"{total}, spread by the list price of what each message reports.")
    if len(story.marks) == MAX_DRAWN:
        notes.append(f"The first {figures.count(MAX_DRAWN)} are drawn.")
    return " ".join(notes)


_NOTHING = (figures.UNKNOWN, "0")
Columns = Mapping[str, Callable[[T], str]]


def table(
    name: str,
    words: tuple[str, str, str],
    columns: Columns[T],
    rows: Sequence[tuple[RowView, T]],
    *,
    total: T | None = None,
    is_code: bool = False,
) -> View:
    """Return a table of the first rows, without columns that are unknown or zero in each; `words` are its heading, its
    note and the head of its names. A row is a name, and what the columns write."""
    heading, note, head = words
    if len(rows) > MAX_ROWS:
        note = f"The first {MAX_ROWS} of {figures.count(len(rows))}. {note}"
    shown = rows[:MAX_ROWS]
    kept = dict(columns)
    for column, write in columns.items():
        if all(write(value) in _NOTHING for _, value in shown):
            del kept[column]
    return View(
        id=name,
        heading=heading,
        note=note,
        head=head,
        is_code=is_code,
        columns=tuple(kept),
        rows=tuple(replace(row, cells=_cells(kept, value)) for row, value in shown),
        foot=() if total is None else ("All", *_cells(kept, total)),
    )


def _cells(columns: Columns[T], value: T) -> tuple[str, ...]:
    return tuple(write(value) for write in columns.values())


def _row(entry: Entry, name: str, number: int, kind: str = "") -> RowView:
    """Return a row without its cells, which leads to a step."""
    return RowView(name, (), kind, href=step_link(entry.id, number, "").href)


def _sums(entry: Entry, sums: Iterable[tuple[str, Sum]]) -> list[tuple[RowView, Sum]]:
    return [(_row(entry, name, calls.first), calls) for name, calls in sums]


def _time(ms: int, calls: Sum) -> str:
    return figures.clock(ms) if calls.timed else figures.UNKNOWN


_CALLS: Columns[Sum] = {
    "Calls": lambda calls: figures.count(calls.calls),
    "Failed": lambda calls: figures.count(calls.failed),
    "Time, min:s": lambda calls: _time(calls.ms, calls),
    "Longest": lambda calls: _time(calls.longest_ms, calls),
}
_FILES: Columns[Sum] = {
    "Read": lambda calls: figures.count(calls.calls - calls.edits),
    "Edited": lambda calls: figures.count(calls.edits),
    "Added": lambda calls: f"+{figures.count(calls.added)}" if calls.added else figures.UNKNOWN,
    "Removed": lambda calls: (
        f"−{figures.count(calls.removed)}" if calls.removed else figures.UNKNOWN
    ),
}


def _tables(entry: Entry, story: Story) -> Iterator[View]:
    time_note = _time_note(story)
    yield _parts_table(entry, story)
    yield _tools_table(entry, story)
    lanes = [(story.name_of(lane), calls) for lane, calls in story.by_lane.items()]
    yield table("subagents", ("Subagents", time_note, "Subagent"), _CALLS, _sums(entry, lanes))
    yield _context_table(entry, story)
    files = sorted(
        story.by_file.items(), key=lambda pair: (-pair[1].edits, -pair[1].calls, pair[0])
    )
    note = "Lines as reported by the edits; changes by commands are not visible."
    yield table("files", ("Files", note, "File"), _FILES, _sums(entry, files), is_code=True)
    programs = sorted(
        story.by_program.items(), key=lambda pair: (-pair[1].ms, -pair[1].calls, pair[0])
    )
    words = ("Commands", f"By the first program of each command. {time_note}".rstrip(), "Command")
    yield table("commands", words, _CALLS, _sums(entry, programs), is_code=True)
    longest = [(_row(entry, target, number), ms) for ms, number, target in story.longest]
    words = ("Longest steps", time_note, "Step")
    yield table("longest", words, {"Time, min:s": figures.clock}, longest, is_code=True)


def _time_note(story: Story) -> str:
    """Return what the time of a call is; empty where no time is known."""
    if story.borrowed:
        calls = f" of {figures.plural(story.borrowed, 'call')}" if story.has_question_times else ""
        return f"Time{calls} from the step before to the answer: it includes the model’s own time, and waiting."
    is_timed = any(calls.timed for calls in story.by_kind.values())
    return "Time until the answer. It includes waiting for permission." if is_timed else ""


@dataclass(frozen=True, slots=True)
class _Section:
    """Parts of a session that are told together."""

    parts: Sequence[Part]
    cost_usd: float | None
    stories: Sequence[PartOfStory]

    def ended(self) -> str:
        """Return how it ended: why, or what the agent said last, else its status."""
        last = self.parts[-1]
        if len(self.parts) > 1 and not any(part.edits for part in self.stories):
            return f"{len(self.parts)} answers, no edit"
        if last.status_detail:
            return last.status_detail
        text = self.stories[-1].last_text if self.stories else ""
        first_words = shortened(begins_with(text) or text.split("\n", 1)[0], 80)
        if first_words:
            return f"“{first_words}”"
        return "completed" if last.status is Status.OK else last.status.value


_PARTS: Columns[_Section] = {
    "Turns": lambda section: figures.count(sum_known(part.turns for part in section.parts)),
    "Time, min:s": lambda section: figures.clock(sum_known(part.wall_ms for part in section.parts)),
    "Cost, $": lambda section: figures.fixed(section.cost_usd, 2),
    "Ended": _Section.ended,
}


def _parts_table(entry: Entry, story: Story) -> View:
    """Return the parts of a session and how each ended; those that follow each other and changed no file are one
    row."""
    rows = []
    parts = entry.run.parts
    sections = story.sections(parts) if len(parts) > 1 else []
    costs = story.costs(parts, entry.run.spent_usd)
    for first, last in sections:
        stories = story.parts[first : last + 1]
        name = name_parts(first, last)
        row = _row(entry, name, stories[0].first) if stories else RowView(name, (), href="")
        cost = sum_complete(costs[first : last + 1])
        rows.append((row, _Section(parts[first : last + 1], cost, stories)))
    is_reported = any(part.cost_usd is not None for part in parts)
    note = "A session goes on after a result. How each part ended, and what it cost"
    note += "." if is_reported else " at list price."
    return table("parts", ("Parts", note, "Part"), _PARTS, rows)


def _tools_table(entry: Entry, story: Story) -> View:
    note = _time_note(story)
    if story.has_overlap:
        note += " Calls overlapped: the time of each counts."
    columns = {**_CALLS, "Results, kB": _kilobytes}
    rows = []
    for kind in ToolKind:
        if kind in story.by_kind:
            calls = story.by_kind[kind]
            rows.append((_row(entry, KIND_LABELS[kind], calls.first, f"s-{kind.value}"), calls))
    return table("tools", ("Tools", note, "Kind"), columns, rows, total=story.total)


def _kilobytes(calls: Sum) -> str:
    size = calls.result_bytes
    return "<1" if 0 < size < 500 else figures.count(round(size / 1000))


def _context_table(entry: Entry, story: Story) -> View:
    """Return what the largest context consisted of, as far as it is known."""
    context = story.context.close()
    is_priced = context.is_priced and context.reads_usd > 0
    columns: Columns[Carried] = {
        "Step": lambda result: figures.count(result.number + 1 if result.bytes else None),
        "Size, kB": lambda result: figures.fixed(result.bytes / 1000 if result.bytes else None, 1),
        "Tokens, about": lambda result: figures.count_short(round(result.tokens)),
        "Later requests": lambda result: figures.count(result.requests or None),
        "Cost, about $": lambda result: figures.fixed(result.usd if is_priced else None, 2),
    }
    results = [result for result in context.at_peak() if result.tokens >= 1]
    known = [*results, context.base]
    rest = Carried(0, "Messages, inputs and other results", 0)
    rest.tokens = context.peak - sum(result.tokens for result in known)
    rest.usd = context.reads_usd - sum(result.usd for result in known)
    rows = [(_row(entry, result.name, result.number), result) for result in results]
    total = None
    if rest.tokens >= 0:
        known.append(rest)
        total = Carried(0, "", 0, context.peak, usd=context.reads_usd)
    for result in known[len(results) :]:
        if results and result.tokens:
            rows.append((RowView(result.name, (), href=""), result))
    growth = "Estimate: growth between two requests, split by size among the results in between"
    cost = "Cost: later requests read it from the cache"
    note = f"{growth}. {cost}. A transcript says at each step what its context held."
    words = ("What fills the context", note, "Result")
    return table("context", words, columns, rows, total=total, is_code=True)
