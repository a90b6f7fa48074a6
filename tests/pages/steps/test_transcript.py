"""Parts of a transcript, by tables; whole transcripts are in `cases/`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.model import Entry, Level, Run, Status, StepCounts
from sitegen.pages.steps import transcript
from sitegen.pages.steps.transcript import (
    data_path,
    step_link,
    transcript_path,
    transcript_paths,
    unread_transcript,
)
from sitegen.steps import ToolCall, ToolKind
from tests.support.chart_runs import entry

FOLDER = "runs/run-000000000001"


def run(steps: int | None, level: Level = Level.FULL) -> Entry:
    """Return a run with so many steps, of which so much is published."""
    counts = None
    if steps is not None:
        counts = StepCounts(steps, 0, 0, None, None, None, 0, 0, None, None)
    made = entry(1)
    return replace(
        made,
        source=replace(made.source, level=level),
        run=Run("Claude Code stream", Status.OK, steps=counts),
    )


@pytest.mark.parametrize(
    ("steps", "level", "pages"),
    [
        (None, Level.FULL, 0),
        (0, Level.FULL, 0),
        (1, Level.FULL, 1),
        (120, Level.OUTLINE, 1),
        (121, Level.OUTLINE, 2),
        (241, Level.TEXTS, 3),
        (121, Level.NONE, 0),
    ],
)
def test_a_transcript_has_a_page_for_120_steps(steps: int | None, level: Level, pages: int) -> None:
    expected = [f"{FOLDER}/steps-{number}.html" for number in range(1, pages + 1)]
    assert transcript_paths(run(steps, level)) == expected


@pytest.mark.parametrize(
    ("number", "href"),
    [(0, "steps-1.html#s1"), (119, "steps-1.html#s120"), (120, "steps-2.html#s121")],
)
def test_a_step_has_an_address(number: int, href: str) -> None:
    link = step_link("run-000000000001", number, "here")
    assert (link.href, link.text) == (f"{FOLDER}/{href}", "here")


def test_pages_and_data_lie_in_the_folder_of_the_run() -> None:
    assert transcript_path("run-000000000001", 3) == f"{FOLDER}/steps-3.html"
    assert data_path("run-000000000001") == f"{FOLDER}/steps-data.js"


def test_a_transcript_that_cannot_be_read_again_says_why() -> None:
    made = run(5)
    page = unread_transcript(made, f"{FOLDER}/steps-1.html", "the file changed")
    assert page.title == f"{made.name}: transcript"
    assert page.description == f"What the agent did in {made.name}, transcript."
    assert (page.view.heading, page.view.note) == (
        "Transcript",
        "It is missing: the file changed.",
    )
    assert (page.view.run.href, page.view.run.text) == (f"{FOLDER}.html", made.name)
    assert (page.view.items, page.view.previous, page.view.next) == ((), None, None)


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (1549, "1.5 kB"),
        (999_949, "999.9 kB"),
        (1_000_000, "1.0 MB"),
        (12_340_000, "12.3 MB"),
    ],
)
def test_a_size_has_its_unit(size: int, expected: str) -> None:
    assert transcript._size(size) == expected


def call(**given: object) -> ToolCall:
    """Return a call."""
    return ToolCall("c1", "Bash", ToolKind.RUN, "ls", **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (call(), "failed"),
        (call(exit_code=0), "exit 0"),
        (call(exit_code=2), "exit 2"),
        (call(denied=True), "not permitted"),
        (call(denied=True, exit_code=2), "not permitted"),
    ],
)
def test_a_failure_says_how_it_ended(made: ToolCall, expected: str) -> None:
    assert transcript._ending(made) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ('{"command": "ls -l"}', "ls -l"),
        ('{"command": ["ls"]}', '{"command": ["ls"]}'),
        ('{"path": "a"}', '{"path": "a"}'),
        ("[1]", "[1]"),
        ('{"command": "l', '{"command": "l'),
    ],
)
def test_of_the_input_of_a_command_the_command_is_shown(given: str, expected: str) -> None:
    assert transcript._input(call(input=given)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", ""), ("\n  \n a \nb", "a"), ("x" * 161, "x" * 160), ("one\ntwo", "one")],
)
def test_an_answer_begins_with_its_first_line(text: str, expected: str) -> None:
    assert transcript._first_line(text) == expected
