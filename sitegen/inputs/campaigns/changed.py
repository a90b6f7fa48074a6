"""Which figures of a run newer versions compute differently than the one that wrote a pack, as CHANGELOG.md has it."""

from __future__ import annotations

import re
from pathlib import Path

import sitegen

HEADING = "**Figures that changed**"
"""Above the items of a version's section that name them."""


def changed_since(version: str) -> list[str]:
    """What versions after this one compute differently, a sentence or two each, the newest first."""
    if _order(sitegen.__version__) <= _order(version):
        return []
    package = Path(sitegen.__file__).parent
    places = (package / "CHANGELOG.md", package.parent / "CHANGELOG.md")  # installed, and in a clone
    text = next((each.read_text(encoding="utf-8") for each in places if each.is_file()), "")
    return in_changelog(text, version)


def in_changelog(text: str, version: str) -> list[str]:
    """The items below HEADING in the sections of versions after this one."""
    items = list[str]()
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        name = section.split(maxsplit=1)[0].strip("[]")
        if name == "Unreleased" or _order(name) > _order(version):
            part = re.split(r"^(?:\*\*|###)", section.partition(HEADING)[2], maxsplit=1, flags=re.MULTILINE)[0]
            items += [" ".join(item.split()) for item in re.findall(r"^- (.+(?:\n  .+)*)", part, re.MULTILINE)]
    return items


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d{1,9}", version)[:3])
