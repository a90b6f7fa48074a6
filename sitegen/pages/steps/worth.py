"""The highlights of a run: at most five facts of its record, in the order of their rules, each with its steps."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen import figures
from sitegen.html.render import View
from sitegen.model import Entry, Outcome
from sitegen.numbers.signal_rules import SHOWN, is_looked_at
from sitegen.pages.steps.story import Story
from sitegen.pages.steps.transcript import step_link
from sitegen.pages.views import LinkView
from sitegen.readers.common.signals import (
    FAILURES,
    NO_TESTS,
    REPEATS,
    TESTS_EDITED,
    UNCHECKED,
    Span,
)

MAX_FACTS = 5
RULES_PATH = "behaviour.html#rules"


@dataclass(frozen=True, slots=True)
class _Fact:
    """A link to the steps that a fact rests on, between words."""

    span: Span
    before: str
    text: str
    after: str
    note: str
    is_code: bool = False  # whether the link is what the run says: a command, a path


def worth_view(entry: Entry, story: Story) -> View | None:
    """Return what is worth a look; None where nothing was looked for."""
    kept = entry.run.steps.signals if entry.run.steps else None
    if kept is None or not story.calls:
        return None
    spans = {rule: spans for rule, spans in story.signals.found().items() if rule in kept}
    shown = {rule: spans[rule] for rule in spans if rule in SHOWN}
    facts = list(_facts(entry, story, shown))[:MAX_FACTS]
    quiet = []
    for rule in SHOWN.values():
        if rule.key not in spans and is_looked_at(entry, rule):
            quiet.append(rule.name[:1].lower() + rule.name[1:])
    return View(
        facts=tuple(_fact_view(entry, story, fact) for fact in facts),
        quiet=", ".join(quiet),
        rules=LinkView(RULES_PATH, "The rules"),
    )


def _fact_view(entry: Entry, story: Story, fact: _Fact) -> View:
    first = fact.span.first
    last = fact.span.last
    steps = f"Step {figures.count(first + 1)}"
    if last > first:
        steps = f"Steps {figures.count(first + 1)} to {figures.count(last + 1)}"
    whole = max(story.steps, 1)
    return View(
        before=fact.before,
        link=step_link(entry.id, first, fact.text),
        is_code=fact.is_code,
        after=fact.after,
        note=f"{steps}. {fact.note}",
        # The steps that it rests on, along all steps: where they begin, and their share.
        where=(first / whole, max((last + 1 - first) / whole, 0.004)),
    )


_Spans = Mapping[str, Sequence[Span]]


def _facts(entry: Entry, story: Story, spans: _Spans) -> Iterator[_Fact]:
    names = {mark.number: mark.name for mark in story.marks}
    repeats = spans.get(REPEATS, ())
    for span in repeats:
        if span.first in names:
            failed = [number for number in story.failures if span.first <= number <= span.last]
            after = f" {figures.count(span.calls)} times in a row"
            if len(failed) >= span.calls:
                after += ", all failed"
            note = "Same input, same answer, no other call between."
            yield _Fact(span, "", names[span.first], after, note, is_code=True)
    yield from _tests(entry, story, spans)
    edits = spans.get(TESTS_EDITED, ())
    if edits:
        files = {names[span.first] for span in edits if span.first in names}
        others = ""
        if len(files) > 1:
            others = f" and {figures.plural(len(files) - 1, 'more file')}"
        name = names.get(edits[0].first, "a file")
        note = "Changes by commands are not visible."
        yield _Fact(edits[0], "Edited a test: ", name, others, note, is_code=True)
    for span in spans.get(FAILURES, ()):
        if not any(repeat.first <= span.last and span.first <= repeat.last for repeat in repeats):
            text = f"{figures.count(span.calls)} calls failed in a row"
            yield _Fact(span, "", text, "", "Flagged as errors by the tool.")


_TESTS = {
    "none": "no known test command is in the record",
    "unchecked": "no test passed after the last edit",
}


def _tests(entry: Entry, story: Story, spans: _Spans) -> Iterator[_Fact]:
    """Yield what contradicts a claim that the task is done; without such a claim, that no test followed the edits."""
    tests = _TESTS.get(story.signals.state_of_tests or "")
    is_failed = entry.outcome is Outcome.FAIL
    last = story.signals.last_edit
    if entry.claimed is True and (is_failed or tests):
        end = max(story.steps - 1, 0)
        text = tests or "it is judged failed"
        if tests and is_failed:
            text = f"{tests} and it is judged failed"
        note = "The claim is a field of its answer or of a table."
        yield _Fact(Span(end, end), "States that it is done; ", text, "", note)
    elif last is not None and NO_TESTS in spans:
        text = "no known test command ran"
        note = "Edits by commands are not visible."
        yield _Fact(Span(last, last), "It edited, and ", text, "", note)
    elif last is not None and UNCHECKED in spans:
        note = "Tests ran earlier, or failed."
        yield _Fact(Span(last, last), "After the last edit, ", "no test passed", "", note)
