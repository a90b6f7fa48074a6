"""The documents: short where one enters, complete, and without a link that leads nowhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sitegen.cli.commands import cli
from tests.conftest import ROOT

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
HOW_TOS = ("campaign", "ci", "mail-and-paper", "daily")


def without_blocks(path: Path) -> str:
    """A document without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(path: Path) -> set[str]:
    """What a link can lead to within a document, as GitHub has it."""
    headings = re.findall(r"^#+ (.+)$", without_blocks(path), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", without_blocks(path)):
        if target.startswith(("http:", "https:")) or "`[" in target:
            continue
        name, _, anchor = target.partition("#")
        place = (path.parent / name).resolve() if name else path
        if not place.exists() and target == "about.html":  # an example of a link in a site
            continue
        assert place.exists(), f"{path.name}: {target}"
        assert not anchor or anchor in anchors(place), f"{path.name}: {target}"


def test_the_readme_is_short_and_leads_to_the_how_tos() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.split()) < 700
    assert "agent-sitegen" in text
    assert "The package `sitegen` on the package index belongs to somebody else" in text
    assert all(f"(docs/{name}.md)" in text for name in HOW_TOS)


def test_the_index_names_every_document() -> None:
    index = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    missing = {path.name for path in (ROOT / "docs").glob("*.md")} - set(re.findall(r"\]\((\S+\.md)\)", index))
    assert missing == {"README.md"}


def test_every_command_is_explained() -> None:
    text = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
    assert [name for name in cli.commands if f"`sitegen {name}" not in text] == []
