"""Checks that a tag can be released, or prints its notes: version, changelog and documents have to agree.

    python3 .ci/release.py TAG [--notes]
    python3 .ci/release.py --address ADDRESS     writes where the repository is into every file that has it

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
        told.append("pyproject.toml has no [project.urls]: run .ci/release.py --address ADDRESS.")
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    if f"\nversion: {version}\n" not in citation:
        told.append(f"CITATION.cff has another version: write there {version}.")
    return told


def write_address(root: Path, address: str) -> None:
    """Write the address of the repository into the metadata of the package and the citation, in place of an old one."""
    address = address.rstrip("/")
    pages = {
        "Homepage": address,
        "Documentation": f"{address}/tree/main/docs",
        "Changelog": f"{address}/blob/main/CHANGELOG.md",
        "Issues": f"{address}/issues",
    }
    urls = "[project.urls]\n" + "".join(f'{name} = "{page}"\n' for name, page in pages.items())
    project = (root / "pyproject.toml").read_text(encoding="utf-8")
    project = re.sub(r"\[project\.urls\]\n(?:.+\n)*\n", "", project)
    project = project.replace("[project.scripts]\n", f"{urls}\n[project.scripts]\n", 1)
    (root / "pyproject.toml").write_text(project, encoding="utf-8")
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    citation = re.sub(r"repository-code: .*\n", "", citation)
    citation += f'repository-code: "{address}"\n'
    (root / "CITATION.cff").write_text(citation, encoding="utf-8")


def notes(root: Path, tag: str) -> str:
    """The section of the changelog about a version; empty where there is none."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(
        rf"^## \[?{re.escape(tag[1:])}\b[^\n]*\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL
    )
    return found[1].strip() if found else ""


if __name__ == "__main__":
    if sys.argv[1] == "--address":
        write_address(ROOT, sys.argv[2])
    elif "--notes" in sys.argv:
        print(notes(ROOT, sys.argv[1]))
    elif told := faults(ROOT, sys.argv[1]):
        sys.exit("\n".join(told))
