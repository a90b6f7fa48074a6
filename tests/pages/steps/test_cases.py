"""Steps of a run, and all that its pages say of them: steps in `cases/CASE.yaml`, and beside it the section of the run's
page, the data of its strip, its highlights and its transcript.

A step has a `kind` ("tool call" by default), a time in seconds after ten o'clock (`at`), `tokens` (input, cache writes,
cache reads, output) and the fields of `Step`; its `call` those of `ToolCall`, with `answered` in seconds. `repeat` is how
often it comes, a second later each time. `level` is what of the steps is published.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from sitegen.model import Entry, Level, Outcome, Part, Run, Status, StepCounts, Tokens
from sitegen.pages.steps.section import steps_view
from sitegen.pages.steps.story import Story
from sitegen.pages.steps.strip import strip_data
from sitegen.pages.steps.transcript import transcript_pages
from sitegen.pages.steps.worth import worth_view
from sitegen.steps import Step, StepKind, ToolCall, ToolKind
from tests.conftest import ROOT
from tests.support import cases
from tests.support.chart_runs import entry

CASES = cases.inputs(ROOT / "tests" / "pages" / "steps" / "cases")
TEN_O_CLOCK_MS = 1_777_629_600_000  # 2026-05-01


def price(model: str | None, tokens: Tokens) -> float | None:
    """Return a list price: a dollar for a million tokens of input, two of cache writes, a dime of reads, ten of output."""
    if model == "unpriced":
        return None
    prices = (1.0, 2.0, 0.1, 10.0)
    counts = (tokens.input, tokens.cache_write, tokens.cache_read, tokens.output)
    return sum((count or 0) * usd / 1e6 for count, usd in zip(counts, prices, strict=True))


def steps_of(stated: list[dict[str, Any]]) -> Iterator[Step]:
    """Yield the steps of a case."""
    number = 0
    for facts in stated:
        for time in range(facts.get("repeat", 1)):
            yield step_of(facts, number, time)
            number += 1


def moment(seconds: float | None, later: int) -> int | None:
    """Return a time of a case in milliseconds since 1970."""
    return None if seconds is None else TEN_O_CLOCK_MS + round(1000 * (seconds + later))


def step_of(facts: Mapping[str, Any], number: int, later: int) -> Step:
    """Return a step by its facts."""
    fields = {key: value for key, value in facts.items() if key not in OWN_FIELDS}
    call = call_of(facts.get("call"), number, later)
    kind = StepKind(facts.get("kind", "tool call" if call else "text"))
    tokens = Tokens(*facts["tokens"]) if "tokens" in facts else None
    text = facts.get("text", "")
    sent = None
    if tokens:
        sent = (tokens.input or 0) + (tokens.cache_write or 0) + (tokens.cache_read or 0)
    given = {"context_tokens": sent, "text_bytes": len(text), "text": text, **fields}
    return Step(
        number,
        kind,
        number,
        call=call,
        tokens=tokens,
        at_ms=moment(facts.get("at"), later),
        **given,
    )


OWN_FIELDS = {"kind", "call", "tokens", "at", "repeat"}


def call_of(facts: Mapping[str, Any] | None, number: int, later: int) -> ToolCall | None:
    """Return a call by its facts."""
    if facts is None:
        return None
    given = {"id": f"c{number}", "name": "tool", "target": "", "failed": False, **facts}
    kind = ToolKind(given.pop("kind", "other"))
    answered = moment(given.pop("answered", None), later)
    return ToolCall(kind=kind, answered_ms=answered, **given)


def run_of(facts: Mapping[str, Any], steps: list[Step]) -> Entry:
    """Return the run of a case, about which its file states these facts."""
    calls = [step.call for step in steps if step.call]
    stated = {
        "steps": len(steps),
        "tool_calls": len(calls),
        "tool_failures": 0,
        "edited": None,
        "lines_added": None,
        "lines_removed": None,
        "subagents": 0,
        "compactions": 0,
        "context_peak_tokens": None,
        "commands_seconds": None,
        **facts.get("counts", {}),
    }
    counts = StepCounts(**{key: freeze(value) for key, value in stated.items()})
    parts = tuple(
        Part(Status(part.get("status", "ok")), *(part.get(name) for name in PART_FIELDS))
        for part in facts.get("parts", ())
    )
    run = Run("Claude Code stream", Status.OK, steps=counts, parts=parts, **facts.get("run", {}))
    outcome = Outcome(facts["outcome"]) if "outcome" in facts else None
    made = entry(1)
    return replace(
        made,
        source=replace(made.source, level=Level(facts.get("level", "full"))),
        run=run,
        outcome=outcome,
        stated_claim=facts.get("claimed"),
    )


MAX_END = 15
PART_FIELDS = ("status_detail", "turns", "wall_ms", "cost_usd", "edits")


def freeze(value: Any) -> Any:
    """Return a list as a tuple."""
    return tuple(value) if isinstance(value, list) else value


@pytest.mark.parametrize("case", CASES, ids=cases.name_of)
def test_steps_come_to_a_section_a_strip_and_a_transcript(case: Path, refresh: bool) -> None:
    facts = yaml.safe_load(case.read_text(encoding="utf-8"))
    steps = list(steps_of(facts["steps"]))
    run = run_of(facts, steps)
    story = Story(price, searches_results=facts.get("searches_results", False))
    for step in steps:
        story.add(step)
    strip: dict[str, Any] = strip_data(story, run.run)
    shown = {
        "section": steps_view(run, story),
        "strip": {**strip, "rows": ends_of(strip["rows"])},
        "highlights": worth_view(run, story),
        "search": {"texts": story.said, "acts": story.acts},
        "transcript": [
            page_of_transcript(page) for page in transcript_pages(run, steps, story, str.upper)
        ],
    }
    cases.compare(case, shown, refresh=refresh)


def page_of_transcript(page: Any) -> Any:
    """Return a page of a transcript, of its lines those fields that have values."""
    view = dict(vars(page.view))
    view["items"] = ends_of([line_of(item) for item in view["items"]])
    return {"path": page.path, "title": page.title, "description": page.description, "view": view}


def ends_of(rows: list[Any]) -> list[Any]:
    """Return rows of which the middle says no more than the ends."""
    return rows if len(rows) <= 2 * MAX_END else [*rows[:MAX_END], *rows[-MAX_END:]]


def line_of(item: Any) -> dict[str, Any]:
    """Return the fields of a line that have values."""
    shown = {key: value for key, value in vars(item).items() if value}
    if "items" in shown:
        shown["items"] = [line_of(inner) for inner in shown["items"]]
    return shown
