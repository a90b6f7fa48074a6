"""Texts of runs that are not masked have a type of their own, which nothing takes that publishes them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from mypy import api

import sitegen
from sitegen.model import Unmasked

PACKAGE = Path(sitegen.__file__).parent
MASKING_PAGE = PACKAGE / "pages" / "masked.py"
PUBLISHING = [
    *(PACKAGE / "api.py", PACKAGE / "figures.py"),
    *(
        file
        for folder in ("numbers", "pages", "charts", "publish", "cli", "outcomes", "html")
        for file in sorted((PACKAGE / folder).rglob("*.py"))
        if file != MASKING_PAGE
    ),
]
OPENED = {"Unmasked", "as_written", "parse_file", "read_new"}
"""The type, what is in it, and the functions of `readers` that give it, or runs that were taken from it."""


def names_in(file: Path) -> set[str]:
    tree = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    return {
        name
        for node in tree
        for name in (
            getattr(node, "id", None),
            getattr(node, "attr", None),
            *(alias.name for alias in getattr(node, "names", ()) if isinstance(alias, ast.alias)),
        )
        if name
    }


def test_nothing_that_publishes_opens_an_unmasked_text() -> None:
    assert len(PUBLISHING) > 80
    opening = {file.name: names & OPENED for file in PUBLISHING if (names := names_in(file))}
    assert {name: opened for name, opened in opening.items() if opened} == {}
    assert names_in(PACKAGE / "inputs" / "steps_again.py") >= {"Unmasked", "as_written"}


LEAKS = {
    "story": """
from sitegen.pages.steps.story import Story
def leak(story: Story, step: Unmasked[Step]) -> None:
    story.add(step)
""",
    "patch": """
from sitegen.pages.run.view import patch_view
from sitegen.readers.common.patches import Patch
def leak(patch: Unmasked[Patch]) -> None:
    patch_view("a.diff", patch, cut_at=None)
""",
    "run": """
from sitegen.numbers.pricing import PriceTable
from sitegen.model import Run
def leak(prices: PriceTable, run: Unmasked[Run]) -> None:
    prices.check(run)
""",
    "text": """
from sitegen.html.markdown import render
def leak(text: Unmasked[str]) -> None:
    render(text, clean=str)
""",
}


@pytest.mark.slow
def test_a_type_checker_sees_each_leak(tmp_path: Path) -> None:
    for name, source in LEAKS.items():
        head = "from sitegen.model import Unmasked\nfrom sitegen.steps import Step\n"
        (tmp_path / f"{name}.py").write_text(head + source, encoding="utf-8")
    found, faults, _ = api.run(
        [str(tmp_path), "--config-file", str(PACKAGE.parent / "pyproject.toml")]
    )
    assert not faults
    wrong = re.findall(
        r"(\w+)\.py:\d+: error: Argument 1 to|(\w+)\.py:\d+: error: Argument 2", found
    )
    assert {first or second for first, second in wrong} == set(LEAKS), found


def test_what_is_unmasked_shows_nothing_where_it_is_written_out() -> None:
    assert "hunter2" not in f"{Unmasked('hunter2')} {Unmasked('hunter2')!r}"
