"""The pages of a transcript: every step in its order, one line where one line says it, folded where it is long."""

import json
import re
from bisect import bisect_left
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
    "label kind said answer duration ending target given result more message together html "
    "context context_title context_jump"
).split()
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
    pages = page_of(steps - 1) if steps else 0
    return [transcript_path(entry.id, page + 1) for page in range(pages)]


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
    end = steps[-1].number + 1
    later = story.failures[bisect_left(story.failures, end) :]
    on_later = f"{figures.plural(len(later), 'more failure')} on later pages"
    whole = max(story.steps, 1)
    view = View(
        heading="Transcript" if pages == 1 else f"Transcript, page {number} of {pages}",
        run=LinkView(run_path(entry.id), entry.name),
        range=f"steps {figures.count(first + 1)} to {figures.count(end)} of {figures.count(whole)}",
        previous=_page_link(entry, number - 1) if number > 1 else None,
        next=_page_link(entry, number + 1) if number < pages else None,
        note=_NOTES[entry.level],
        # The counts of each filter: its key, label and number of steps in the run.
        counts=_filters(story),
        # The first failure behind this page.
        later=step_link(entry.id, later[0], on_later) if later else None,
        strip=strip,
        # The position of this page on the strip: x and width.
        window=(first / whole, (end - first) / whole),
        items=items,
    )
    return _transcript(entry, transcript_path(entry.id, number), view.range, view)


def _page_link(entry: Entry, page: int) -> LinkView:
    return LinkView(transcript_path(entry.id, page), f"Page {page}")


def _filters(story: Story) -> list[tuple[str, str, str]]:
    nothing = Sum()
    counts = (
        ("all", "everything", story.steps),
        ("say", "texts", story.texts),
        ("edit", "edits", story.by_kind.get(ToolKind.EDIT, nothing).calls),
        ("run", "commands", story.by_kind.get(ToolKind.RUN, nothing).calls),
        ("bad", "failures", len(story.failures)),
    )
    return [(key, label, figures.count(steps)) for key, label, steps in counts]


def _transcript(entry: Entry, path: str, shown: str, view: View) -> Page:
    name = entry.name
    about = f"What the agent did in {name}, {shown}."
    return Page(path, "transcript.html.jinja", f"{name}: {shown}", about, "runs", view)


def unread_transcript(entry: Entry, path: str, reason: str) -> Page:
    """Return the page in place of a page of a transcript that could not be read again."""
    view = View(
        heading="Transcript",
        run=LinkView(run_path(entry.id), entry.name),
        range="",
        previous=None,
        next=None,
        note=f"It is missing: {reason}.",
        items=(),
    )
    return _transcript(entry, path, "transcript", view)


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
        self._entry = entry
        self._story = story
        self._clean = clean
        self.context = context  # the context that the last message sent, tokens
        self._lane = ""
        self._left = MAX_BYTES

    def item(self, step: Step) -> View:
        """Return the line of a step, with what is folded behind it, in the form in which the template draws it: prompt,
        say, think, call, event."""
        shown = self._shown(step)
        css = shown.get("css", shown["shape"])
        number = str(step.number + 1)
        # The subagent whose steps begin here.
        begins = step.lane not in ("", self._lane)
        self._lane = step.lane
        line = {
            **_LINE,
            "id": f"s{number}",
            "number": number,
            "time": self._time(step),
            "lane": step.lane,
            "who": self._story.name_of(step.lane) if begins else "",
            **self._context(step),
            **shown,
            "css": f"{css} lane" if step.lane else css,
        }
        return View(**line)

    def _shown(self, step: Step) -> dict[str, Any]:
        """Return what a step says, and its shape."""
        text = self._taken(step.text.strip()) if step.text else ""
        if step.call is not None:
            return self._call(step, step.call)
        if step.kind is StepKind.TEXT:
            html = self._rendered(text, f"s{step.number + 1}-")
            return {"shape": "say", "said": text, "html": html}
        if step.kind in _SHAPES:
            shape, label = _SHAPES[step.kind]
            # Of a text that is not shown, how long it is.
            more = _size(step.text_bytes) if step.text_bytes and not step.text else ""
            return {"shape": shape, "label": label, "said": text, "more": more}
        return {"shape": "event", "label": _EVENTS.get(step.kind, ""), "said": text}

    def _call(self, step: Step, call: ToolCall) -> dict[str, Any]:
        """Return what a call says, or the beginning of a subagent."""
        is_call = step.kind is StepKind.TOOL_CALL
        is_named = is_call and call.kind is not ToolKind.OTHER
        css = f"call s-{call.kind.value}"
        shown: dict[str, Any] = {
            "shape": "call",
            "label": KIND_LABELS[call.kind] if is_named else call.name,
            "css": css,
            "kind": call.kind.value,
            # What the agent says that it does, or the target; the target in full, where that is something else.
            "said": call.purpose or call.target or (call.name if is_named else ""),
            "answer": _first_line(call.result or ""),
        }
        is_full = self._entry.level is Level.FULL
        if call.purpose and not (is_full and call.kind is ToolKind.RUN):
            shown["target"] = self._taken(call.target)
        if is_full:
            shown |= self._contents(call)
        elif call.result_bytes >= _SAID_BYTES:
            shown["more"] = _size(call.result_bytes)
        if step.at_ms is not None and (call.answered_ms or 0) - step.at_ms >= _LONG_MS:
            shown["duration"] = figures.clock((call.answered_ms or 0) - step.at_ms)
        if call.failed:
            shown |= {
                "css": f"{css} bad",
                "ending": _ending(call),
                "is_open": True,
                # The failures before and behind it.
                "failures": self._failures(step),
            }
        if is_call and step.message_id:
            # The agent's message that asks for the call, where the file says which.
            shown["message"] = f"{step.lane} {step.message_id}"
        return shown

    def _contents(self, call: ToolCall) -> dict[str, Any]:
        """Return the input and the result of a call, or the change that it made."""
        changes = []
        if call.changes:
            for line in self._taken(call.changes).split("\n"):
                if line:
                    changes.append((_CHANGE.get(line[:1], "same"), line))
        shown: dict[str, Any] = {"changes": changes}
        if not changes and call.kind is not ToolKind.READ:
            shown["given"] = self._taken(_input(call))
        result = call.result or ""
        if call.failed or not changes:
            shown["result"] = self._taken(result)
        if result and call.result_bytes > len(result.encode()):
            shown["more"] = f"{_size(call.result_bytes)} in all"
        return shown

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
        sent = step.context_tokens
        peak = self._story.context.peak
        if sent is None or step.lane or not peak:
            return {}
        grown = sent - self.context
        self.context = sent
        return {
            "context": f"{100 * sent / peak:.1f}%",
            "context_title": f"Context: {figures.count(sent)}",
            "context_jump": f"+{figures.count_short(grown)}" if grown >= _JUMP_TOKENS else "",
        }

    def _time(self, step: Step) -> str:
        moment = step.at_ms
        if moment is None and step.call:
            moment = step.call.answered_ms
        if moment is None or self._story.first_ms is None:
            return ""
        return figures.clock(max(moment - self._story.first_ms, 0))

    def _failures(self, step: Step) -> list[LinkView]:
        failures = self._story.failures
        place = bisect_left(failures, step.number)
        links = []
        if place:
            links.append(step_link(self._entry.id, failures[place - 1], "previous failure"))
        if place + 1 < len(failures):
            links.append(step_link(self._entry.id, failures[place + 1], "next failure"))
        return links


_MARKDOWN = re.compile(r"[*_`|~]|://|\]\(|^ *(?:#|>|[-+] |---|\d+[.)] )", re.MULTILINE)
"""The signs that every text with markdown in it has, but for marks that agents do not write."""
_CHANGE = {"-": "del", "+": "ins"}


def _folded(items: Sequence[View]) -> Iterator[View]:
    """Yield the items, with stretches of reads or searches, and of API errors, each as one. Of a message that asks for
    other things too, the calls are not part of a longer stretch: they are drawn together."""
    keys: dict[str, set[str]] = {}
    for item in items:
        keys.setdefault(item.message, set()).add(_fold_key(item))

    def stretch(item: View) -> tuple[str, str]:
        return _fold_key(item), item.message if len(keys[item.message]) > 1 else ""

    for (key, _), group in groupby(items, key=stretch):
        several = list(group)
        fewest = 2 if key == "API" else MIN_FOLDED
        if key and len(several) >= fewest:
            yield _fold(several, key)
        else:
            yield from several


def _fold(items: Sequence[View], key: str) -> View:
    """Return a stretch of items as one."""
    first = items[0]
    messages = {item.message for item in items}
    message = messages.pop() if len(messages) == 1 else ""
    text = f"{len(items)} calls{' at once' if message else ''}"
    if key == "API":
        text = f"{len(items)} errors and retries"
    targets = dict.fromkeys(item.said.rpartition("/")[2] for item in items if item.kind)
    return first.but(
        id=f"g{first.number}",
        number=f"{first.number}–{items[-1].number}",
        css=f"folded {first.css.removeprefix('call ')}",
        shape="fold",
        said=text,
        answer=", ".join(targets)[:200],
        context_jump="",
        message=message,
        items=(first.but(who=""), *items[1:]),
    )


def _together(items: Iterable[View]) -> Iterator[View]:
    """Yield the items, with calls of one message that follow each other joined."""
    for message, group in groupby(items, key=lambda item: item.message):
        several = list(group)
        if not message or len(several) == 1:
            yield from several
            continue
        calls = sum(len(item.items) or 1 for item in several)
        together = f"{calls} calls at once"
        for item in several:
            yield item.but(css=f"{item.css} joined", together=together)
            together = ""


def _fold_key(item: View) -> str:
    if item.shape == "call" and item.kind in _FOLDED and not item.is_open:
        return f"{item.kind} {item.lane}"
    return "API" if item.shape == "event" and item.label in ("API error", "Retry") else ""


def _first_line(text: str) -> str:
    return next((line.strip()[:160] for line in text.split("\n") if line.strip()), "")


def _input(call: ToolCall) -> str:
    """Return the input of a call: of a command, the command itself."""
    try:
        fields = json.loads(call.input)
    except ValueError:  # it was shortened
        return call.input
    command = fields.get("command") if isinstance(fields, dict) else None
    return command if isinstance(command, str) else call.input


def _ending(call: ToolCall) -> str:
    if call.denied:
        return "not permitted"
    return f"exit {call.exit_code}" if call.exit_code is not None else "failed"


def _size(size: int) -> str:
    if size < 1000:
        return f"{size} B"
    return f"{size / 1000:.1f} kB" if size < 1_000_000 else f"{size / 1e6:.1f} MB"
