"""The highlights of a run: at most five facts of its record, in the order of their rules, each with its steps."""

from collections.abc import Callable, Iterator

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
CARRIED_FROM = 0.1  # share of the cost of a run from which on a carried result is a fact
RULES_PATH = "behaviour.html#rules"


def worth_view(entry: Entry, story: Story) -> View | None:
    """Return what is worth a look; None where nothing was looked for."""
    kept = entry.run.steps.signals if entry.run.steps else None
    if kept is None or not story.calls:
        return None
    found = {key: spans for key, spans in story.signals.found().items() if key in kept}
    facts = list(_facts(entry, story, {key: spans for key, spans in found.items() if key in SHOWN}))
    looked_at = (
        rule for rule in SHOWN.values() if rule.key not in found and is_looked_at(entry, rule)
    )
    quiet = [rule.name[:1].lower() + rule.name[1:] for rule in looked_at]
    return View(
        facts=tuple(facts[:MAX_FACTS]),
        quiet=", ".join(quiet),
        rules=LinkView(RULES_PATH, "The rules"),
    )


def _facts(entry: Entry, story: Story, found: dict[str, list[Span]]) -> Iterator[View]:
    told = found.get(REPEATS, [])
    by_number = {mark.number: mark for mark in story.marks}

    def fact(
        span: Span,
        before: str,
        text: str,
        after: str,
        note: str,
        *,
        is_code: bool = False,
        name: str = "",
    ) -> View:
        """Return a fact as a link between words; `is_code` where the link is what the run says: a command, a path."""
        steps = f"Step {figures.count(span.first + 1)}"
        if span.last > span.first:
            steps = f"Steps {figures.count(span.first + 1)} to {figures.count(span.last + 1)}"
        link = step_link(entry.id, span.first, text)
        note = f"{steps}{name}. {note}"
        whole = max(story.steps, 1)
        # The steps that it rests on, along all steps: where they begin, and their share.
        where = span.first / whole, max((span.last + 1 - span.first) / whole, 0.004)
        return View(before=before, link=link, is_code=is_code, after=after, note=note, where=where)

    for span in told:
        mark = by_number.get(span.first)
        if mark is None:
            continue
        failed = [number for number in story.failures if span.first <= number <= span.last]
        ended = ", all failed" if len(failed) >= span.calls else ""
        same = "Same input, same answer, no other call between."
        after = f" {figures.count(span.calls)} times in a row{ended}"
        yield fact(span, "", mark.name, after, same, is_code=True)
    state = story.signals.state_of_tests
    last = story.signals.last_edit
    is_claimed = entry.claimed is True and (
        entry.outcome is Outcome.FAIL or state in ("none", "unchecked")
    )
    if is_claimed:
        end = Span(max(story.steps - 1, 0), max(story.steps - 1, 0))
        held = {
            "none": "no known test command is in the record",
            "unchecked": "no test passed after the last edit",
        }
        judged = ["it is judged failed"] * (entry.outcome is Outcome.FAIL)
        said = " and ".join([*([held[state]] if state in held else []), *judged])
        yield fact(
            end,
            "States that it is done; ",
            said,
            "",
            "The claim is a field of its answer or of a table.",
        )
    elif last is not None and (rule := NO_TESTS if NO_TESTS in found else UNCHECKED) in found:
        text = "no known test command ran" if rule == NO_TESTS else "no test passed"
        note = (
            "Edits by commands are not visible."
            if rule == NO_TESTS
            else "Tests ran earlier, or failed."
        )
        before = "After the last edit, " if rule == UNCHECKED else "It edited, and "
        yield fact(Span(last, last), before, text, "", note)
    for span in found.get(TESTS_EDITED, [])[:1]:
        more = (
            len(
                {
                    by_number[each.first].name
                    for each in found[TESTS_EDITED]
                    if each.first in by_number
                }
            )
            - 1
        )
        others = f" and {figures.plural(more, 'more file')}" if more > 0 else ""
        name = by_number[span.first].name if span.first in by_number else "a file"
        yield fact(
            span,
            "Edited a test: ",
            name,
            others,
            "Changes by commands are not visible.",
            is_code=True,
        )
    for span in found.get(FAILURES, []):
        if not any(each.first <= span.last and span.first <= each.last for each in told):
            text = f"{figures.count(span.calls)} calls failed in a row"
            yield fact(span, "", text, "", "Flagged as errors by the tool.")
    yield from _carried(entry, story, fact)


def _carried(entry: Entry, story: Story, fact: Callable[..., View]) -> Iterator[View]:
    """Yield the result that cost most to carry, where that is much of the run's cost."""
    cost = entry.run.spent_usd
    context = story.context
    for each in context.largest[:1] if context.is_priced and cost else ():
        if each.usd >= CARRIED_FROM * (cost or 0):
            text = f"carried through {figures.plural(each.requests, 'request')}"
            share = figures.percent(each.usd, context.reads_usd)
            before = f"One result of {figures.count(round(each.bytes / 1000))} kB was "
            after = figures.money(each.usd)
            note = f"About {figures.count_short(round(each.tokens))} tokens, {share} of the cache reads. "
            note += "An estimate: the record states no tokens of a result."
            span = Span(each.number, each.number)
            yield fact(span, before, text, f": about {after}", note, name=f", {each.name}")
