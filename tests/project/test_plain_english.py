"""Phrases that read like a translation are in no document, page or message."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

PATTERNS = (
    r"(?<!there )(?<!which )\b(?:is|are) no (?:runs?|texts?|numbers?|objects?|files?|secrets?|findings?)\b",
    r"\bstands? (?:in|on|at|before|behind|below|above|beside|there|here|twice|alone)\b",
    r"\b(?:mend|mended|untold)\b|slips? of the pen|net, not a proof|for want of|nobody knows",
    r"\b(?:leads?|lead) nowhere\b|\bbreaks off\b|\bas before or\b|\bgood to know\b|\bagain and again\b",
    r"(?:^|[\"'>] ?)Say (?:what|more|of|where|which)\b|\bsays? of itself\b|\bstops? of Tab\b",
    r"\b(?:holds|keeps|reads) no\b|\ba gate of the settings\b|\bto the content\b",
    r"\b(?:row|column|line|mark|dot|result)s? (?:a|for each) (?:run|model|task|page)\b",
)
LIKE_A_TRANSLATION = re.compile("|".join(PATTERNS), re.IGNORECASE)
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def stilted(text: str) -> list[str]:
    """Return the phrases of a text that match a pattern."""
    return [match[0] for match in LIKE_A_TRANSLATION.finditer(" ".join(text.split()))]


def messages(module: Path) -> Iterator[str]:
    """Yield the string literals of a module, but for docstrings and text below attributes."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    described = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values
            )
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in described
        ):
            yield node.value


@pytest.mark.parametrize(
    "text",
    ["NOTES.md is no run.", "what stands before it", "Say what a build reads", "a dot a run"],
)
def test_patterns_find_stilted_phrases(text: str) -> None:
    assert stilted(text)


def test_documents_are_plain() -> None:
    found = {path.name: stilted(path.read_text(encoding="utf-8")) for path in DOCUMENTS}
    assert {name: phrases for name, phrases in found.items() if phrases} == {}


def test_pages_are_plain() -> None:
    texts = {
        path.name: re.sub(r"\{#.*?#\}", "", path.read_text("utf-8"), flags=re.DOTALL)
        for path in (ROOT / "templates").glob("*.*")
    }
    assert {name: phrases for name, text in texts.items() if (phrases := stilted(text))} == {}


def test_messages_are_plain() -> None:
    found = {
        (path.name, text)
        for path in (ROOT / "sitegen").rglob("*.py")
        for text in messages(path)
        if stilted(text)
    }
    assert found == set()


def test_documents_for_users_are_short() -> None:
    users = [path for path in DOCUMENTS if path.parent.name != "contributing"]
    words = sum(len(path.read_text(encoding="utf-8").split()) for path in users)
    assert words <= 35_600, "cut as many words from docs/*.md as you added"
    assert len((ROOT / "docs/themes.md").read_text(encoding="utf-8").split()) <= 1500


def continued(source: str) -> list[str]:
    """Return the docstrings of a module, and texts of attributes, that continue a name."""
    nodes = list(ast.walk(ast.parse(source)))
    values = [node.value for node in nodes if isinstance(node, ast.Expr)]
    values += [
        arg
        for node in nodes
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "says"
        for arg in node.args
    ]
    strings = [
        " ".join(v.value.split())
        for v in values
        if isinstance(v, ast.Constant) and isinstance(v.value, str)
    ]
    begins = re.compile(
        r"(?:What|Of|By|Which|How|Where|When|Who|(?:Under|Up to|From|After) so many)\b"
    )
    return [text for text in strings if begins.match(text)]


def test_docstrings_do_not_continue_a_name() -> None:
    assert continued('class Built:\n    """What a build came to."""') == ["What a build came to."]
    assert (
        len(continued('a = 1\n"""How many lines there are."""\nb = 2\n"""Number of lines."""')) == 1
    )
    found = [
        (path.name, text)
        for path in (ROOT / "sitegen").rglob("*.py")
        for text in continued(path.read_text("utf-8"))
    ]
    assert found == []
