"""The pages of a transcript: every step in its order, one line where one line says it, folded where it is long."""

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from itertools import groupby
from typing import Any

from sitegen import figures
from sitegen.html.markdown import render
from sitegen.html.render import Page, View
from sitegen.model import Entry, Level
from sitegen.pages.steps.story import Story, Sum, page_of
from sitegen.pages.steps.strip import KIND_LABELS, step_axis, strip
from sitegen.pages.views import LinkView
from sitegen.steps import Step, StepKind, ToolCall, ToolKind
from sitegen.text.names import run_path

MAX_BYTES = 250_000
"""The limit on the texts of a page, as HTML; what comes after is cut to its first line."""
MIN_FOLDED = 3
_JUMP_TOKENS = 10_000  # a message that sends so many more than the one before says it in words
_LONG_MS = 10_000
_SAID_BYTES = 1_000  # the size below which the outline does not give the size of an answer
_FOLDED = frozenset({ToolKind.READ, ToolKind.SEARCH})
_EVENTS = {
    StepKind.COMPACTION: "Context compacted",
    StepKind.HOOK: "Hook",
    StepKind.DENIAL: "Not permitted",
    StepKind.API_ERROR: "API error",
    StepKind.RETRY: "Retry",
    StepKind.NOTICE: "Notice",
    StepKind.RESULT: "Result",
    StepKind.SUBAGENT: "Subagent",
}
_SHAPES = {StepKind.PROMPT: ("prompt", "Prompt"), StepKind.THINKING: ("think", "Thinking")}


_TEXTS = (
    "label",
    "kind",
    "said",
    "answer",
    "duration",
    "ending",
    "target",
    "given",
    "result",
    "more",
    "who",
    "message",
    "together",
    "html",
)
_LINE = {**dict.fromkeys(_TEXTS, ""), "changes": (), "is_open": False, "failures": (), "items": ()}
"""The fields of a line of a transcript that not every step has, without their values."""


def transcript_path(entry_id: str, page: int) -> str:
    """Return `runs/<id>/steps-1.html`, ..."""
    return f"{run_path(entry_id).removesuffix('.html')}/steps-{page}.html"


def data_path(entry_id: str) -> str:
    """Return the path of the data of a run's strip."""
    return f"{run_path(entry_id).removesuffix('.html')}/steps-data.js"


def transcript_paths(entry: Entry) -> list[str]:
    """Return the paths of all pages of the transcript of a run; none where its file has no steps, or none are
    published."""
    steps = entry.run.steps.steps if entry.run.steps and entry.has_published_steps else 0
    return (
        [transcript_path(entry.id, page) for page in range(1, page_of(steps - 1) + 1)]
        if steps
        else []
    )


def step_link(entry_id: str, number: int, text: str) -> LinkView:
    """Return the link to a step."""
    return LinkView(f"{transcript_path(entry_id, page_of(number))}#s{number + 1}", text)


def transcript_pages(
    entry: Entry, steps: Iterable[Step], story: Story, clean: Callable[[str], str]
) -> Iterator[Page]:
    """Yield the pages, one after the other. What markdown hides passes through `clean`. Raises: whatever reading the
    steps raises."""
    drawn = strip(story, replace(step_axis(story), ticks=()), entry.run.parts, None, "steps-")
    last_context = 0
    for number, group in groupby(steps, key=lambda step: page_of(step.number)):
        on_page = list(group)
        builder = _Items(entry, story, last_context, clean)
        items = tuple(_together(_folded([builder.item(step) for step in on_page])))
        last_context = builder.context
        yield _page(entry, number, on_page, items, story, drawn)


def _page(
    entry: Entry,
    number: int,
    steps: Sequence[Step],
    items: tuple[View, ...],
    story: Story,
    strip: View | None,
) -> Page:
    pages = page_of(max(story.steps - 1, 0))
    first = steps[0].number
    last = steps[-1].number
    shown_range = f"steps {figures.count(first + 1)} to {figures.count(last + 1)} of {figures.count(story.steps)}"
    later = story.failures[bisect_right(story.failures, last) :]
    name = entry.name
    edits, commands = (
        story.by_kind.get(kind, Sum()).calls for kind in (ToolKind.EDIT, ToolKind.RUN)
    )
    counts = (
        ("all", "everything", story.steps),
        ("say", "texts", story.texts),
        ("edit", "edits", edits),
        ("run", "commands", commands),
        ("bad", "failures", len(story.failures)),
    )

    def link(page: int, text: str) -> LinkView | None:
        return LinkView(transcript_path(entry.id, page), text) if 1 <= page <= pages else None

    on_later = f"{figures.plural(len(later), 'more failure')} on later pages"
    whole = max(story.steps, 1)
    view = View(
        heading="Transcript" if pages == 1 else f"Transcript, page {number} of {pages}",
        run=LinkView(run_path(entry.id), name),
        range=shown_range,
        previous=link(number - 1, f"Page {number - 1}"),
        next=link(number + 1, f"Page {number + 1}"),
        note=_NOTES[entry.level],
        # The counts of each filter: its key, label and number of steps in the run.
        counts=tuple((key, label, figures.count(all_steps)) for key, label, all_steps in counts),
        # The first failure behind this page.
        later=step_link(entry.id, later[0], on_later) if later else None,
        strip=strip,
        # The position of this page on the strip: x and width.
        window=(first / whole, (last + 1 - first) / whole),
        items=items,
    )
    path = transcript_path(entry.id, number)
    about = f"What the agent did in {name}, {shown_range}."
    return Page(path, "transcript.html.jinja", f"{name}: {shown_range}", about, "runs", view)


def unread_transcript(entry: Entry, path: str, reason: str) -> Page:
    """Return the page in place of a page of a transcript that could not be read again."""
    name = entry.name
    run = LinkView(run_path(entry.id), name)
    note = f"It is missing: {reason}."
    nothing = {
        "previous": None,
        "next": None,
        "later": None,
        "strip": None,
        "counts": (),
        "items": (),
    }
    view = View(heading="Transcript", run=run, range="", note=note, window=None, **nothing)
    return Page(
        path,
        "transcript.html.jinja",
        f"{name}: transcript",
        f"What the agent did in {name}.",
        "runs",
        view,
    )


_NOTES = {
    Level.NONE: "",
    Level.OUTLINE: "An outline: prompts, thinking, inputs and results are left out (steps: outline).",
    Level.TEXTS: "Inputs and results are left out (steps: texts).",
    Level.FULL: "Long inputs and results are shortened (steps: full).",
}


class _Items:
    """Makes the items of one page."""

    def __init__(
        self, entry: Entry, story: Story, context: int, clean: Callable[[str], str]
    ) -> None:
        self._entry, self._story, self._level, self._clean = entry, story, entry.level, clean
        self.context = context  # the context that the last message sent, tokens
        self._lane = ""
        self._left = MAX_BYTES

    def item(self, step: Step) -> View:
        """Return the line of a step, with what is folded behind it."""
        call, kind, number = step.call, step.kind, str(step.number + 1)
        shared = {
            **_LINE,
            **self._context(step),
            "id": f"s{number}",
            "number": number,
            "time": self._time(step),
        }
        # The subagent whose steps begin here.
        who = self._story.name_of(step.lane) if step.lane not in ("", self._lane) else ""
        self._lane = step.lane

        def line(shape: str, label: str = "", **more: object) -> View:
            """Return it in the form in which the template draws it: prompt, say, think, call, fold, event."""
            css = f"{more.pop('css', shape)}{' lane' if step.lane else ''}"
            return View(
                **{
                    **shared,
                    "lane": step.lane,
                    "who": who,
                    "css": css,
                    "shape": shape,
                    "label": label,
                    **more,
                }
            )

        said = self._taken(step.text.strip()) if step.text else ""
        if call is not None:
            return self._call(step, call, line)
        if kind is StepKind.TEXT:
            return line("say", said=said, html=self._rendered(said, f"s{number}-"))
        if kind in _SHAPES:  # of a text that is not shown, how long it is
            more = _size(step.text_bytes) if step.text_bytes and not step.text else ""
            return line(*_SHAPES[kind], said=said, more=more)
        return line("event", _EVENTS.get(kind, ""), said=said)

    def _call(self, step: Step, call: ToolCall, line: Callable[..., View]) -> View:
        """Return the line of a call, or of a subagent that begins."""
        is_call = step.kind is StepKind.TOOL_CALL
        is_full = self._level is Level.FULL
        took = (call.answered_ms or 0) - step.at_ms if step.at_ms is not None else 0
        is_named = is_call and call.kind is not ToolKind.OTHER
        result = call.result or ""
        answer = next((line.strip()[:160] for line in result.split("\n") if line.strip()), "")
        target = (
            self._taken(call.target)
            if call.purpose and not (is_full and call.kind is ToolKind.RUN)
            else ""
        )
        size = _size(call.result_bytes)
        shown: dict[str, Any] = {"more": size if call.result_bytes >= _SAID_BYTES else ""}
        if is_full:
            lines = self._taken(call.changes).split("\n") if call.changes else []
            changes = tuple((_CHANGE.get(line[:1], "same"), line) for line in lines if line)
            shown = {
                "changes": changes,
                "given": "" if changes or call.kind is ToolKind.READ else self._taken(_given(call)),
                "result": "" if changes and not call.failed else self._taken(result),
                "more": f"{size} in all"
                if result and call.result_bytes > len(result.encode())
                else "",
            }
        return line(
            "call",
            KIND_LABELS[call.kind] if is_named else call.name,
            css=f"call s-{call.kind.value}{' bad' if call.failed else ''}",
            kind=call.kind.value,
            # What the agent says that it does, or the target; the target in full, where that is something else.
            said=call.purpose or call.target or (call.name if is_named else ""),
            target=target,
            answer=answer,
            duration=figures.clock(took) if took >= _LONG_MS else "",
            ending=_ending(call) if call.failed else "",
            is_open=bool(call.failed),
            # The failures before and behind it.
            failures=self._failures(step) if call.failed else (),
            # The agent's message that asks for the call, where the file says which.
            message=f"{step.lane} {step.message_id}" if is_call and step.message_id else "",
            **shown,
        )

    def _taken(self, text: str) -> str:
        """Return a text, as far as the page has room for it."""
        if self._left <= 0:
            text = text.split("\n", 1)[0][:200]
        self._left -= len(escape(text).encode("utf-8", "replace"))
        return text

    def _rendered(self, said: str, within: str) -> str:
        """Return a text of the agent as HTML; "" where there is no markdown in it, or no room for that."""
        if not _MARKDOWN.search(said):
            return ""
        html = render(said, clean=self._clean, within=within).html
        more = len(html) - len(said)
        if more > self._left:
            return ""
        self._left -= more
        return html

    def _context(self, step: Step) -> dict[str, str]:
        """Return the share of the largest context, how much that is, and by how much it jumped. Nothing is called a
        token: the last scan would look behind each for one that is secret."""
        sent, share, title, jump = step.context_tokens, "", "", ""
        if sent is not None and not step.lane and self._story.context.peak:
            grown = sent - self.context
            self.context = sent
            share = f"{100 * sent / self._story.context.peak:.1f}%"
            title = f"Context: {figures.count(sent)}"
            jump = f"+{figures.count_short(grown)}" if grown >= _JUMP_TOKENS else ""
        return {"context": share, "context_title": title, "context_jump": jump}

    def _time(self, step: Step) -> str:
        at = step.at_ms if step.at_ms is not None else step.call.answered_ms if step.call else None
        return (
            ""
            if at is None or self._story.first_ms is None
            else figures.clock(max(at - self._story.first_ms, 0))
        )

    def _failures(self, step: Step) -> tuple[LinkView, ...]:
        failures = self._story.failures
        at = bisect_left(failures, step.number)
        near = [(number, "previous failure") for number in failures[max(at - 1, 0) : at]]
        near += [(number, "next failure") for number in failures[at + 1 : at + 2]]
        return tuple(step_link(self._entry.id, *each) for each in near)


_MARKDOWN = re.compile(r"[*_`|~]|://|\]\(|^ *(?:#|>|[-+] |---|\d+[.)] )", re.MULTILINE)
"""The signs that every text with markdown in it has, but for marks that agents do not write."""
_CHANGE = {"-": "del", "+": "ins"}


def _folded(items: Sequence[View]) -> Iterator[View]:
    """Yield the items, with stretches of reads or searches, and of API errors, each as one. Of a message that asks for
    other things too, the calls are not part of a longer stretch: they are drawn together."""
    kinds: dict[str, set[str]] = {}
    for item in items:
        kinds.setdefault(item.message, set()).add(_fold_key(item))

    def stretch(item: View) -> tuple[str, str]:
        return _fold_key(item), item.message if len(kinds[item.message]) > 1 else ""

    for (key, _), group in groupby(items, key=stretch):
        several = list(group)
        if not key or len(several) < (2 if key == "API" else MIN_FOLDED):
            yield from several
            continue
        first = several[0]
        last = several[-1]
        message = first.message if len({each.message for each in several}) == 1 else ""
        calls = f"{len(several)} calls{' at once' if message else ''}"
        yield first.but(
            id=f"g{first.number}",
            number=f"{first.number}–{last.number}",
            css=f"folded {first.css.removeprefix('call ')}",
            shape="fold",
            said=f"{len(several)} errors and retries" if key == "API" else calls,
            answer=", ".join(
                dict.fromkeys(each.said.rpartition("/")[2] for each in several if each.kind)
            )[:200],
            context_jump="",
            message=message,
            items=(first.but(who=""), *several[1:]),
        )


def _together(items: Iterable[View]) -> Iterator[View]:
    """Yield the items, with calls of one message that follow each other joined."""
    for message, group in groupby(items, key=lambda item: item.message):
        several = list(group)
        if not message or len(several) == 1:
            yield from several
            continue
        calls = sum(len(item.items) or 1 for item in several)
        for at, item in enumerate(several):
            yield item.but(
                css=f"{item.css} joined", together="" if at else f"{calls} calls at once"
            )


def _fold_key(item: View) -> str:
    if item.shape == "call" and item.kind in _FOLDED and not item.is_open:
        return f"{item.kind} {item.lane}"
    return "API" if item.shape == "event" and item.label in ("API error", "Retry") else ""


def _given(call: ToolCall) -> str:
    """Return the input of a call: of a command, the command itself."""
    try:
        given = json.loads(call.input)
        command = given.get("command") if isinstance(given, dict) else None
    except ValueError:  # it was shortened
        command = None
    return command if isinstance(command, str) else call.input


def _ending(call: ToolCall) -> str:
    if call.denied:
        return "not permitted"
    return f"exit {call.exit_code}" if call.exit_code is not None else "failed"


def _size(size: int) -> str:
    return (
        f"{size} B"
        if size < 1000
        else f"{size / 1000:.1f} kB"
        if size < 1_000_000
        else f"{size / 1e6:.1f} MB"
    )
