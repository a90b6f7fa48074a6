"""How pages look where that can be measured: long names, sums, bars, paper, and words for one thing and for many."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sitegen import pages
from tests import campaigns
from tests.browsers import as_file
from tests.campaigns import OPUS, SONNET, result
from tests.test_build import sitegen

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LONG = "a-task-named-after-its-owner__and-repository-0123456789abcdef-and-nowhere-a-space"
TASKS = (LONG, "join", "merge", "sort", "split")
SETTINGS = """\
inputs:
  - path: runs
    pattern: "{campaign}/{task}/{model}/{attempt}.json"
outcomes: [outcomes.csv]
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two campaigns of five tasks, one of which has a long name; Sonnet tried each once more in the second campaign."""
    files: dict[str, Any] = {"config.yaml": SETTINGS}
    table = io.StringIO()
    outcomes = csv.writer(table)
    outcomes.writerow(("campaign", "task", "model", "attempt", "outcome"))
    verdicts = ("error", "fail", "partial", "pass", "pass", "pass", "pass", "pass")
    number = 0
    for campaign in ("plain", "hints"):
        for task in TASKS:
            for model, run_id in (("opus", OPUS), ("sonnet", SONNET)):
                for attempt in (1, 2) if (campaign, model) == ("hints", "sonnet") else (1,):
                    number += 1
                    files[f"runs/{campaign}/{task}/{model}/{attempt}.json"] = result(number, run_id)
                    outcomes.writerow((campaign, task, model, attempt, verdicts[number % len(verdicts)]))
    doubtful = result(90, OPUS, total_cost_usd=1.5)
    files |= {"outcomes.csv": table.getvalue(), "runs/plain/join/opus/1.json": doubtful}
    line = "x" * 400
    files["runs/plain/join/opus/1.diff"] = f"--- a/x.py\n+++ b/x.py\n@@ -1 +1,2 @@\n-{line}\n+new\n+more\n"
    folder = campaigns.write(tmp_path_factory.mktemp("look"), files)
    done = sitegen("build", "-q", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "site"


@pytest.fixture
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """An empty page; a test that names settings gets a context of them."""
    settings = {"viewport": {"width": 1280, "height": 900}, **getattr(request, "param", {})}
    with browser.new_context(**settings) as context:
        yield context.new_page()


PHONE = {"viewport": {"width": 320, "height": 640}, "device_scale_factor": 1.5}
PAPER = {"viewport": {"width": 686, "height": 1000}}
NO_SCRIPT = {"java_script_enabled": False}


def visit(page: Page, site: Path, path: str) -> None:
    """Open the first page that a pattern finds; where its table has a script, wait until that has drawn it anew."""
    page.goto(as_file(min(site.glob(path))))
    if page.locator("html.script #run-table[data-rows]").count():
        page.locator("#run-table thead button").first.wait_for(state="attached")


def run(site: Path, **wanted: object) -> str:
    """The page of the first run that is as wanted."""
    runs = json.loads((site / "data" / "runs.json").read_text(encoding="utf-8"))["runs"]
    path: str = next(each["page"] for each in runs if all(each[key] == value for key, value in wanted.items()))
    return path


@pytest.mark.parametrize("page", [{}, NO_SCRIPT], indirect=True)
def test_like_attempts_of_two_campaigns_are_told_apart(page: Page, site: Path) -> None:
    visit(page, site, "index.html")
    heads = page.locator("#run-table thead tr > *").all_inner_texts()
    assert heads[:3] == ["Task and attempt", "Campaign", "Model"]
    rows = page.locator("#run-table tbody tr:not(.widest)")
    shown = [tuple(row.locator("th, td").all_inner_texts()[:3]) for row in rows.all()]
    assert len(shown) == len(set(shown)) == 25
    assert {campaign for _, campaign, _ in shown} == {"plain", "hints"}
    visit(page, site, "campaigns/hints*.html")
    assert "Campaign" not in page.locator("#run-table thead tr > *").all_inner_texts()


def test_nothing_ignored_is_said_in_a_word_and_one_thing_in_the_singular(site: Path, tmp_path: Path) -> None:
    assert "Ignored</dt><dd>none</dd>" in (site / "problems.html").read_text(encoding="utf-8")
    campaigns.write(tmp_path, {"runs/1.json": result(1), "runs/photo.png": b"\x89PNG"})
    assert sitegen("build", "-q", "runs", cwd=tmp_path).returncode == 0
    problems = (tmp_path / "site" / "problems.html").read_text(encoding="utf-8")
    assert '1 file or folder <span class="muted">claimed by no reader</span>' in problems


def test_rows_that_are_left_out_are_counted_in_words_that_fit() -> None:
    assert pages._more(0) is None
    assert pages._more(1) == "1 more stands in data/problems.json."
    assert pages._more(1_200) == "1,200 more stand in data/problems.json."


def test_a_column_of_prices_has_as_many_decimals_in_each_row(site: Path) -> None:
    about = (site / "about.html").read_text(encoding="utf-8")
    table = re.search(r"<table>(?:(?!</table>).)*List prices.*?</table>", about, re.DOTALL)
    assert table
    rows = [re.findall(r'<td class="n">([^<]*)</td>', row) for row in table[0].split("<tr>")[2:]]
    assert len(rows) > 10
    for column in zip(*rows, strict=True):
        decimals = {len(price.partition(".")[2]) for price in column if price != "–"}
        assert len(decimals) == 1
        assert min(decimals) >= 2
