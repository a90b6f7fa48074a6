"""The documents: short where one enters, complete, and without a link that leads nowhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from sitegen.cli.commands import cli
from sitegen.readers.agents import AGENTS
from tests.conftest import ROOT

FOR_CONTRIBUTORS = sorted((ROOT / "docs" / "contributing").glob("*.md"))
USER_DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
DOCUMENTS = [*USER_DOCUMENTS, *FOR_CONTRIBUTORS]
HOW_TOS = ("campaign", "ci", "mail-and-paper", "daily")


def without_blocks(path: Path) -> str:
    """A document without its blocks of code."""
    return re.sub(
        r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )


def anchors(path: Path) -> set[str]:
    """What a link can lead to within a document, as GitHub has it."""
    headings = re.findall(r"^#+ (.+)$", without_blocks(path), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
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
    documents = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
    missing = documents - set(re.findall(r"\]\((\S+\.md)\)", index))
    assert missing == {"README.md"}


def test_every_command_is_explained() -> None:
    text = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
    assert [name for name in cli.commands if f"`sitegen {name}" not in text] == []


def test_documents_name_the_agents_of_the_table_and_no_others() -> None:
    """`AGENTS` is the one place; what a document lacks is to be written there, in its list of agents."""
    programs = {reader.title.rpartition(" ")[0].lower() for reader in AGENTS}
    for path in (ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "docs/agents.md"):
        text = path.read_text(encoding="utf-8").lower()
        assert {program for program in programs if program not in text} == set(), path.name
    rows = re.findall(
        r"^\| ([^|]+) \|", (ROOT / "docs/agents.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    told = {row.lower() for row in rows if row not in ("agent", "program")} - {""}
    assert {
        row for row in told if not any(program in row for program in (*programs, "claude code"))
    } <= {"any, as atif 1.0 to 1.8"}


def test_what_users_read_names_no_address_that_is_not_there() -> None:
    for path in (*DOCUMENTS, ROOT / "pyproject.toml", ROOT / "CHANGELOG.md"):
        assert "OWNER" not in path.read_text(encoding="utf-8"), path.name


def test_what_others_run_for_us_names_commands_that_are_there() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook["entry"].split()[1] in cli.commands
    (own,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    checked = (ROOT / "tests/project/test_code.py").read_text(encoding="utf-8")
    assert all(
        Path(each["entry"].split()[0]).name.partition("-")[0] in checked for each in own["hooks"]
    )
    assert (ROOT / "sitegen/py.typed").is_file()
    for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"):
        assert yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_the_documents_are_a_site_without_a_warning(tmp_path: Path) -> None:
    """Links, headings and docstrings are checked by Sphinx as users of the site get them."""
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-c",
        "docs",
        ".",
        str(tmp_path / "site"),
    ]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    assert (made.returncode, made.stderr) == (0, "")
    page = (tmp_path / "site/docs/contributing/python-reference.html").read_text(encoding="utf-8")
    assert all(
        f'id="{name}"' in page
        for name in ("sitegen.api.load_runs", "sitegen.readers.Reader", "sitegen.model.Run")
    )
    assert "own-pages" in (tmp_path / "site/searchindex.js").read_text(encoding="utf-8")
