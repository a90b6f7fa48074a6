"""What a reader sees on the demo site and on sites that have little to say, as documents to be read.

Each case is a small campaign; its golden file in tests/golden/ holds the visible text of its pages, in order. After
a change that is meant, `python3 tests tests/site/test_golden.py --refresh` writes them anew: read the difference.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.support import campaigns, site_checks
from tests.support.campaigns import OPUS, SONNET, result
from tests.support.command import sitegen
from tests.support.visible_text import lines_of_page

GOLDEN = ROOT / "tests" / "golden"

NO_COST = {"total_cost_usd": None, "modelUsage": None, "usage": None}

CASES: dict[str, dict[str, dict[str, Any] | str]] = {
    "one run": {"a.json": result(1, SONNET, OPUS)},
    "two runs": {"a.json": result(1), "b.json": result(2)},
    "no cost anywhere": {
        f"{name}.json": result(number, **NO_COST) for number, name in enumerate("abc", 1)
    },
    "one model": {f"{name}.json": result(number) for number, name in enumerate("abcdef", 1)},
    "a run that says nothing": {"a.json": '{"type": "result", "result": ""}'},
    "nothing but failures": {
        "limit.json": result(
            1,
            subtype="error_max_turns",
            result=None,
            errors=["Reached maximum number of turns (4)"],
        ),
        "broken.json": '{"type": "result", "resul',
        "killed.jsonl": '{"type": "system", "subtype": "init", "session_id": "s", "model": "claude-x"}\n',
    },
}


def compare(name: str, text: str, refresh: bool) -> None:
    """Hold a text against its golden file, or write that anew."""
    golden = GOLDEN / f"{name.replace(' ', '-')}.txt"
    if refresh:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text, encoding="utf-8", newline="\n")
    assert text == golden.read_text(encoding="utf-8"), (
        f"{golden.name} differs; --refresh writes it anew"
    )


def document(site: Path, pages: list[Path]) -> str:
    """The visible text of some pages, each under its path."""
    parts = []
    for page in pages:
        lines = (f"==== {page.relative_to(site).as_posix()}", *lines_of_page(page))
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


@pytest.mark.parametrize("name", CASES)
def test_pages_make_sense_when_there_is_little_to_say(
    name: str, tmp_path: Path, refresh: bool
) -> None:
    campaigns.write(tmp_path / "runs", CASES[name])
    site = tmp_path / "site"
    built = sitegen("build", "-q", "--no-config", tmp_path / "runs", "-o", site)
    assert built.returncode == 0, built.stderr
    assert site_checks.findings(site) == []
    pages = [site / "index.html", *sorted((site / "runs").iterdir()), site / "problems.html"]
    compare(name, document(site, pages), refresh)


def test_the_demo_reads_as_it_should(demo_site: Path, refresh: bool) -> None:
    kinds = site_checks.kinds(demo_site)
    pages = [page for kind, page in sorted(kinds.items()) if kind != "about"]
    compare("demo", document(demo_site, pages), refresh)


def test_the_demo_data_is_as_it_should_be(demo_site: Path, refresh: bool) -> None:
    compare("demo-runs", (demo_site / "data" / "runs.csv").read_text(encoding="utf-8"), refresh)
    compare(
        "demo-problems", (demo_site / "data" / "problems.json").read_text(encoding="utf-8"), refresh
    )
