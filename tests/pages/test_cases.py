"""What readers of a site see: files and settings in `cases/CASE.yaml`, and beside it the text of the pages and the data
that programs read. Of pages of single runs there are the first few, since they differ in little. Charts are blank here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support import cases, scenarios, visible_text

pytestmark = pytest.mark.blank_charts
CASES = cases.inputs(ROOT / "tests" / "pages" / "cases")
MAX_RUN_PAGES = 4
LEFT_OUT = {"about.html", "search.html"}
"""Pages that say the same of all runs."""


def pages_of(site: Path) -> list[Path]:
    """Return the pages of a site that are compared."""
    paths = [path.relative_to(site) for path in sorted(site.rglob("*.html"))]
    run_pages = [path for path in paths if path.parts[0] == "runs" and len(path.parts) == 2]
    gone = {*run_pages[MAX_RUN_PAGES:], *map(Path, LEFT_OUT)}
    return [path for path in paths if path not in gone]


def data_of(site: Path) -> list[str]:
    """Return the files that programs and scripts read, but for rows of tables on single pages and runs as JSON, which
    say the same as others."""
    files = [*site.glob("data/*"), *site.glob("search/*.js"), site / "llms.txt"]
    names = sorted(file.relative_to(site).as_posix() for file in files)
    return [name for name in names if name != "data/runs.json"]


@pytest.mark.parametrize("case", CASES, ids=cases.name_of)
def test_a_site_says_what_its_runs_come_to(case: Path, tmp_path: Path, refresh: bool) -> None:
    site = scenarios.site_of(case, tmp_path)
    shown = {path.as_posix(): visible_text.lines_of_page(site / path) for path in pages_of(site)}
    for path in pages_of(site):
        shown[f"unseen on {path.as_posix()}"] = visible_text.unseen_of_page(site / path)
    shown |= {
        path: (site / path).read_text(encoding="utf-8").splitlines() for path in data_of(site)
    }
    cases.compare(case, shown, refresh=refresh)
