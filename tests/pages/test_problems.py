"""The page of problems: how it counts and what it leaves out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sitegen.pages import problems
from sitegen.pages.findings import Finding


@pytest.mark.parametrize(
    ("left", "expected"),
    [
        (-1, None),
        (0, None),
        (1, "1 more is in data/findings.json."),
        (2, "2 more are in data/findings.json."),
        (1200, "1,200 more are in data/findings.json."),
    ],
)
def test_it_is_said_how_many_more_there_are(left: int, expected: str | None) -> None:
    assert problems._more(left) == expected


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ([], "No problems"),
        (["masked"], "No problems"),
        (["incomplete"], "No file has a problem; 1 run did not complete"),
        (["incomplete", "incomplete", "lost"], "1 lost run"),
        (["lost", "lost"], "2 lost runs"),
        (["lost", "skipped"], "Problems"),
        (["doubtful"], "Problems"),
    ],
)
def test_the_heading_says_the_worst(groups: Sequence[str], expected: str) -> None:
    findings: list[Finding] = [Finding(group, "text") for group in groups]
    assert problems.heading_of(findings) == expected
