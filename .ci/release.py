"""Checks that a tag can be released, or prints its notes (`--notes`): version, changelog and documents have to agree.

Standard library only.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

DOCUMENTS = ("README.md", "docs/ci.md", "docs/publishing.md", "CHANGELOG.md")
"""Files that say how to install it."""


def faults(root: Path, tag: str) -> list[str]:
    """Why this tag is not a release, a sentence each."""
    found = re.search(
        r'^__version__ = "(.+)"$',
        (root / "sitegen/__init__.py").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    version, told = found[1] if found else "", []
    if tag != f"v{version}":
        told.append(
            f"The tag is {tag} and sitegen/__init__.py says {version}: the tag has to be v{version}."
        )
    if not notes(root, tag):
        told.append(
            f"CHANGELOG.md has no section ## [{tag[1:]}]: give the lines under Unreleased this heading."
        )
    early = (
        name
        for name in DOCUMENTS
        if "no release yet" in " ".join((root / name).read_text("utf-8").split())
    )
    told += (
        f"{name} still says that there is no release yet: write there where it is."
        for name in early
    )
    if "[project.urls]" not in (root / "pyproject.toml").read_text(encoding="utf-8"):
        told.append("pyproject.toml has no [project.urls]: write there where the repository is.")
    return told


def notes(root: Path, tag: str) -> str:
    """The section of the changelog about a version; empty where there is none."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(
        rf"^## \[?{re.escape(tag[1:])}\b[^\n]*\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL
    )
    return found[1].strip() if found else ""


if __name__ == "__main__":
    if "--notes" in sys.argv:
        print(notes(ROOT, sys.argv[1]))
    elif told := faults(ROOT, sys.argv[1]):
        sys.exit("\n".join(told))
