"""Parts of the picture of a run, by tables; whole pictures are in `cases/`."""

from __future__ import annotations

import pytest

from sitegen.model import Tokens
from sitegen.pages.steps import strip
from sitegen.pages.steps.story import Story
from sitegen.steps import Step, StepKind, ToolCall, ToolKind
from tests.support.chart_runs import entry


@pytest.mark.parametrize(
    ("folder", "text", "expected"),
    [
        ("/srv/app", "/srv/app/a.py", "a.py"),
        ("/srv/app/", "cat /srv/app/a.py /srv/app/b.py", "cat a.py b.py"),
        ("/srv/app", "ls /srv/app", "ls ."),
        ("/srv/app", "ls /srv/app/", "ls ./"),
        ("/srv/app", "/srv/app2/a.py", "/srv/app2/a.py"),
        ("/srv/app", "/srv/app-old/a.py", "/srv/app-old/a.py"),
        ("/srv/app", "/srv/app.old", "/srv/app.old"),
        ("/srv/app", "x/srv/app/a.py", "x/srv/app/a.py"),
        ("C:\\app\\", "type C:\\app\\a.py", "type a.py"),
        (None, "/srv/app/a.py", "/srv/app/a.py"),
        ("/", "/srv", "/srv"),
        ("", "/srv", "/srv"),
    ],
)
def test_paths_are_seen_from_the_folder_of_the_run(
    folder: str | None, text: str, expected: str
) -> None:
    assert strip.within(folder, text) == expected


@pytest.mark.parametrize(
    ("first", "last", "expected"), [(0, 0, "1"), (1, 2, "2 to 3"), (9, 11, "10 to 12")]
)
def test_parts_are_numbered_from_one(first: int, last: int, expected: str) -> None:
    assert strip.name_parts(first, last) == expected


def story_of(calls: int, *, lanes: int = 0, tokens: Tokens | None = None) -> Story:
    """Return a story of so many calls, a second each, dealt out to so many subagents."""
    story = Story(lambda _model, _tokens: 0.001)
    for number in range(calls):
        call = ToolCall(
            str(number), "Read", ToolKind.READ, f"f{number}", answered_ms=1000 * number + 1000
        )
        lane = f"a{number % lanes}" if lanes else ""
        story.add(
            Step(
                number,
                StepKind.TOOL_CALL,
                number,
                call=call,
                at_ms=1000 * number,
                lane=lane,
                tokens=tokens,
                context_tokens=tokens and tokens.input,
            )
        )
    return story


def labels(story: Story) -> list[str]:
    """Return the names of the lanes along the steps."""
    drawn = strip.strip(story, strip.step_axis(story), (), None, "x/")
    return [lane.label for lane in drawn.lanes]


@pytest.mark.parametrize(
    ("lanes", "expected"),
    [
        (0, ["Read"]),
        (1, ["Subagent"]),
        (2, ["Subagent 1", "Subagent 2"]),
        (8, [f"Subagent {number}" for number in range(1, 9)]),
        (9, [*(f"Subagent {number}" for number in range(1, 8)), "8 to 9"]),
        (12, [*(f"Subagent {number}" for number in range(1, 8)), "8 to 12"]),
    ],
)
def test_no_more_than_eight_subagents_have_a_lane_of_their_own(
    lanes: int, expected: list[str]
) -> None:
    assert labels(story_of(24, lanes=lanes)) == expected


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (1, ["step 1"]),
        (2, ["step 1", "1", "2"]),
        (8, ["step 1", "1", "2", "3", "4", "5", "6", "7", "8"]),
        (9, ["step 1", "2", "4", "6", "8"]),
        (16, ["step 1", "2", "4", "6", "8", "10", "12", "14", "16"]),
        (17, ["step 1", "5", "10", "15"]),
        (41, ["step 1", "10", "20", "30", "40"]),
        (81, ["step 1", "20", "40", "60", "80"]),
        (161, ["step 1", "50", "100", "150"]),
        (1700, ["step 1", "500", "1,000", "1,500"]),
    ],
)
def test_the_axis_has_four_to_eight_round_numbers(steps: int, expected: list[str]) -> None:
    axis = strip.step_axis(story_of(steps))
    assert [text for _, text, _ in axis.ticks] == expected


def test_calls_that_touch_are_one_bar_and_of_one_kind_one_link() -> None:
    story = story_of(4)
    drawn = strip.strip(story, strip.step_axis(story), (), None, "x/")
    (lane,) = drawn.lanes
    assert [(kind, path, href) for kind, path, href in lane.bars] == [
        ("read", "M0 5h500", "x/1.html#s1"),
        ("read", "M500 5h500", "x/1.html#s2"),
        ("read", "M1000 5h500", "x/1.html#s3"),
        ("read", "M1500 5h500", "x/1.html#s4"),
    ]
    many = story_of(100)
    drawn = strip.strip(many, strip.step_axis(many), (), None, "x/")
    assert drawn.lanes[0].bars[0] == ("read", "M0 5h80", "x/1.html#s1")
    assert len(drawn.lanes[0].bars) == 25


def test_a_call_without_time_is_three_columns_and_stays_in_the_picture() -> None:
    story = Story(lambda _model, _tokens: None)
    for number, second in enumerate((0, 10)):
        call = ToolCall(str(number), "Read", ToolKind.READ, "f", answered_ms=1000 * second)
        story.add(Step(number, StepKind.TOOL_CALL, number, call=call, at_ms=1000 * second))
    timed = strip.strips(story, entry(1).run, "x/")[0]
    assert timed.axis == "time"
    assert [path for _, path, _ in timed.lanes[0].bars] == ["M0 5h3", "M1997 5h3"]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([(0.0, "0 min", ""), (0.5, "10", "c")], ["0 min", "c 10"]),
        # A letter is at most 1.15 % of the width of a screen, and 4 % of that of a phone.
        ([(0.0, "0 min", ""), (0.2, "10", "c")], ["0 min", "c wide 10"]),
        ([(0.0, "0 min", ""), (0.05, "10", "c")], ["0 min"]),
        (
            [(0.5, "12345", "c"), (0.41, "1", "c"), (0.6, "2", "c")],
            ["c 12345", "c wide 1", "c wide 2"],
        ),
    ],
)
def test_words_that_have_no_room_on_a_phone_are_for_wide_screens(
    labels: list[strip.Label], expected: list[str]
) -> None:
    assert [f"{css} {text}".strip() for css, text, *_ in strip._below(labels, 9)] == expected


def test_a_curve_rises_in_steps_to_the_most() -> None:
    assert strip._curve([(0.0, 1.0), (0.5, 2.0), (0.5, 4.0)], 4.0) == "M0 100h0v-25h300v-75H600"
    assert strip._curve([(0.0, 0.0)], 1.0) == "M0 100H600"


def test_between_two_points_a_figure_is_in_proportion() -> None:
    ends = [(0.0, 0.0), (2.0, 1.0), (4.0, 9.0)]
    assert [strip._interpolated(ends, value) for value in (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)] == [
        0.0,
        0.5,
        1.0,
        5.0,
        9.0,
        9.0,
    ]
    assert strip._interpolated([(0.0, 0.0), (0.0, 3.0)], 0.0) == 3.0
