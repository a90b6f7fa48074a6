"""Headings, banners and tiles of sites agree with their data files and with each other, recounted from the data."""

from __future__ import annotations

import html
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from sitegen import figures
from sitegen.model import Outcome, Status
from sitegen.numbers.success import Judgement, judged_over_time
from tests.support import campaigns
from tests.support.command import sitegen

Runs = list[dict[str, Any]]
SENT = ("input_tokens", "cache_write_tokens", "cache_read_tokens")


def text(markup: str) -> str:
    """What a reader sees of it."""
    visible = re.sub(r"(?s)<(script|style|svg)\b.*?</\1>", " ", markup)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", visible)).split())


@dataclass
class Site:
    """A site, with what its data files have."""

    folder: Path

    def page(self, path: str) -> str:
        return (self.folder / path).read_text(encoding="utf-8")

    @property
    def runs(self) -> Runs:
        found: Runs = json.loads(self.page("data/runs.json"))["runs"]
        return found

    def tile(self, key: str, page: str = "index.html") -> str:
        """A figure with its note; empty where the page has none."""
        found = re.search(rf'(?s)<div data-figure="{key}">(.*?)</div>', self.page(page))
        return text(found[1]) if found else ""

    def title(self, section: str) -> str:
        """The finding of a section of the index."""
        found = re.search(
            rf'(?s)<section class="sec" aria-labelledby="{section}">.*?<h3[^>]*>(.*?)</h3>',
            self.index,
        )
        return text(found[1]) if found else ""

    @property
    def index(self) -> str:
        return self.page("index.html")


def judgement(run: dict[str, Any]) -> Judgement:
    outcome = Outcome(run["outcome"]) if run["outcome"] else None
    stated = {
        Outcome.PASS: Judgement.PASSED,
        Outcome.PARTIAL: Judgement.PARTIAL,
        Outcome.FAIL: Judgement.FAILED,
    }
    return stated.get(outcome) or judged_over_time(Status(run["status"]), run["turns"], outcome)


def is_lost(run: dict[str, Any]) -> bool:
    """Whether a run has no verdict because of an error, a quota or its surroundings."""
    is_at_limit = (run["status_detail"] or "").endswith("limit")
    is_error = run["outcome"] is None and run["status"] == "failed" and not is_at_limit
    return is_error or judgement(run) is Judgement.INFRASTRUCTURE


def judged(runs: Runs) -> tuple[int, int]:
    """Runs that passed, and all that count in rates."""
    found = Counter(map(judgement, runs))
    return found[Judgement.PASSED], sum(found[each] for each in ("passed", "partial", "failed"))


def is_bound(run: dict[str, Any], kinds: tuple[str, ...] = SENT) -> bool:
    return any(kind.removesuffix("_tokens") in (run["token_gaps"] or ()) for kind in kinds)


def contradictions(site: Site) -> Iterator[str]:
    """Yield what a page says that its data do not."""
    for check in (
        success_tile,
        hits_tile,
        banner,
        difficulty_title,
        leaderboard,
        tokens_title,
        groups,
    ):
        for wanted, place in check(site):
            if " ".join(wanted.split()) not in " ".join(place.split()):
                yield f"{check.__name__}: no “{wanted}” in “{place[:300]}”"


Checks = Iterator[tuple[str, str]]


def success_tile(site: Site, page: str = "index.html", runs: Runs | None = None) -> Checks:
    runs = site.runs if runs is None else runs
    passed, known = judged(runs)
    tile = site.tile("success", page)
    if not known:
        assert not tile
        return
    lost = sum(map(is_lost, runs))
    base = figures.plural(known, "judged run")
    if lost:
        base = f"{figures.count(known)} judged; {figures.count(passed)} of {figures.count(known + lost)} counting"
    yield f"{figures.percent(passed, known)} {figures.count(passed)} of {base}", tile
    if none := len(runs) - known - lost:
        yield f"{figures.count(none)} not judged", tile
    assert ("not judged" in tile) == bool(none)


def hits_tile(site: Site) -> Checks:
    runs, tile = site.runs, site.tile("hits")
    sent = sum(run[kind] or 0 for run in runs for kind in SENT)
    read = sum(run["cache_read_tokens"] or 0 for run in runs)
    if "came from the cache" in tile:
        plus = "+" * any(map(is_bound, runs))
        yield f"of {figures.count_short(sent)}{plus} tokens sent", tile
        yield figures.percent(read, sent), tile


def banner(site: Site) -> Checks:
    runs = site.runs
    found = re.search(r'(?s)<p class="alert">(.*?)</p>', site.index)
    alerts = found[1] if found else ""
    problems = text(site.page("problems.html"))
    assert ('href="problems.html"' in alerts) <= ("No problems" not in problems)
    for status, word in (
        ("failed", "failed run"),
        ("stopped", "stopped run"),
        ("interrupted", "interrupted run"),
    ):
        if count := sum(run["status"] == status for run in runs):
            yield figures.plural(count, word), text(alerts)
    incomplete = sum(run["cost_bound"] != "exact" for run in runs)
    if incomplete:
        yield figures.plural(incomplete, "run") + " of ", text(alerts)
    for kind in ("missing", "doubtful"):
        if shown := re.search(rf"([\d,]+) runs? with {kind} figures", text(alerts)):
            yield f"{kind.capitalize()} figures {shown[1]}", problems


def by_task(site: Site) -> dict[str, tuple[int, int, int]]:
    """For each judged task: the runs that passed, those that were judged, and how many configurations they are of."""
    tasks = defaultdict[str, Runs](list)
    for run in site.runs:
        if run["task"] and judged([run])[1]:
            tasks[run["task"]].append(run)
    return {
        task: (*judged(runs), len({r["configuration"] or r["model"] for r in runs}))
        for task, runs in tasks.items()
    }


def difficulty_title(site: Site) -> Checks:
    title = site.title("difficulty")
    tried = [counts for counts in by_task(site).values() if counts[2] > 1]
    alike = sum(passed in (0, known) for passed, known, _ in tried)
    if "no difference" in title:
        tasks = figures.plural(len(tried), "task")
        yield f"on {figures.count(alike)} of {tasks} that several tried", title


def leaderboard(site: Site) -> Checks:
    board = re.search(r'(?s)<table class="leaders" data-by="(\w+)">(.*?)</table>', site.index)
    for name, row in (
        re.findall(r'(?s)<tr[^>]* data-name="([^"]*)">(.*?)</tr>', board[2]) if board else ()
    ):
        cells = {
            key: text(cell)
            for key, cell in re.findall(r'(?s)data-key="(\w+)"[^>]*>(.*?)</td>', row)
        }
        assert board
        runs = [run for run in site.runs if run[board[1]] == html.unescape(name)]
        passed, known = judged(runs)
        if known:
            yield f"{figures.count(passed)} of {figures.count(known)}", cells["passed"]
        a_run, a_success = (
            re.search(r"\$[\d,.]+", cells.get(key, "")) for key in ("cost", "per_success")
        )
        if a_run and a_success:
            dollars = [float(each[0].strip("$").replace(",", "")) for each in (a_run, a_success)]
            assert dollars[0] <= dollars[1] * 1.01, (name, cells)


def tokens_title(site: Site) -> Checks:
    found = re.search(
        r"A typical run (?:reads (\S+ \S+) tokens from the cache and )?writes (\S+ ?[kM]?\w*)",
        site.index,
    )
    if found:
        kinds = ("cache_read_tokens", "output_tokens")
        known = {
            kind: [run[kind] for run in site.runs if run[kind] and not is_bound(run, (kind,))]
            for kind in kinds
        }
        title = text(found[0])
        yield f"writes {figures.count_short(median(known['output_tokens']))}", title
        if found[1]:
            yield f"reads {figures.count_short(median(known['cache_read_tokens']))} tokens", title


def groups(site: Site) -> Checks:
    """The tiles of pages of groups."""
    for key, folder in (
        ("task", "tasks"),
        ("configuration", "configurations"),
        ("model", "models"),
    ):
        for page in sorted((site.folder / folder).glob("*.html"))[:40]:
            markup = page.read_text(encoding="utf-8")
            heading = re.search(r"(?s)<h1[^>]*>(.*?)</h1>", markup)
            runs = [run for run in site.runs if heading and run[key] == text(heading[1])]
            path = page.relative_to(site.folder).as_posix()
            if runs and f"{figures.plural(len(runs), 'run')}" in text(markup):
                yield from success_tile(site, path, runs)


# What the checks are run on: real folders, and invented campaigns of shapes that real ones may have.


@pytest.mark.slow
@pytest.mark.sampled(6)
@pytest.mark.parametrize("group", ["runs", "more-runs", "both", "study"])
@pytest.mark.blank_charts
def test_pages_of_real_sites_agree_with_their_data(
    shared: Path, tmp_path: Path, group: str
) -> None:
    inputs = [shared / "runs", shared / "more-runs"] if group == "both" else [shared / group]
    done = sitegen("build", "-q", "--no-config", *inputs, "-o", "site", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert list(contradictions(Site(tmp_path / "site"))) == []


Shape = Callable[[int, int, int], dict[str, Any]]
"""The changes to the result of a task by a model in an attempt, and its outcome under "outcome"."""

STOPPED = {"is_error": True, "result": "Claude AI usage limit reached|1760000000"}
NO_COST = {"total_cost_usd": None, "modelUsage": None}
SHAPES: dict[str, Shape] = {
    "nobody passed": lambda *_: {"outcome": "fail"},
    "few costs": lambda *at: {"outcome": "pass"} | (NO_COST if at[0] or at[2] == 2 else {}),
    "half not judged": lambda *at: {"outcome": ["pass", "fail", ""][(at[0] + at[1]) % 3]},
    "stopped": lambda *at: {"outcome": ""} | STOPPED if at[2] == 2 else {"outcome": "pass"},
    "each task by one": lambda *at: {"outcome": "pass" if at[0] == at[1] else None},
}


@pytest.mark.blank_charts
@pytest.mark.parametrize("models", [2, 14])
@pytest.mark.parametrize("shape", SHAPES)
def test_pages_agree_with_their_data(tmp_path: Path, shape: str, models: int) -> None:
    results, rows = dict[str, dict[str, Any] | str | bytes](), ["task,model,attempt,outcome"]
    for number, (task, model, attempt) in enumerate(product(range(6), range(models), (1, 2)), 1):
        changes = SHAPES[shape](task, model, attempt)
        outcome = changes.pop("outcome")
        if outcome is not None:
            results[f"task {task}/m{model}/{attempt}.json"] = campaigns.result(number, **changes)
            rows.append(f"task {task},m{model},{attempt},{outcome}")
    campaigns.write(tmp_path / "runs", results)
    (tmp_path / "outcomes.csv").write_text("\n".join(rows), encoding="utf-8")
    settings = "inputs: [{path: runs, pattern: '{task}/{model}/{attempt}.json'}]\noutcomes: [{path: outcomes.csv}]\n"
    (tmp_path / "config.yaml").write_text(settings, encoding="utf-8")
    done = sitegen("build", "-q", "-o", "site", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert list(contradictions(Site(tmp_path / "site"))) == []
