"""How soon a page shows something: first and largest contentful paint of an empty page, the index and a run page.

    .venv/bin/python -m benchmarks.paint [--runs 1000 10000 100000] [--repeat 15]

Pages are opened from file:// in a Chromium without a window, one after the other in turn, so that a busy moment meets
all of them, each in a browser window that has come to rest: while one is being made, Chromium loads pages of its own,
which more than doubles every figure. On a busy machine, put `chrt -r 1` before the command, as root. Up to 1,000 runs
are generated and read; a larger campaign repeats their facts under other names. Of each site only the index, the
table's rows, one run page and the assets are made, by the code that makes them in a build.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.floor import gzipped, processor, write_campaign
from sitegen.cache.memory import NO_MEMORY
from sitegen.config import Config, Input
from sitegen.html import markdown
from sitegen.inputs.survey import reread_run
from sitegen.masking.redact import Redactor
from sitegen.model import Entry
from sitegen.numbers.statistics import summarize
from sitegen.pages.table import run_table
from tests.support.browsers import as_file, chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser
from sitegen.collect import Facts, collect
from sitegen.pages.chart_parts import draw_charts
from sitegen.pages.overall import analyse
from sitegen.pages.run.view import run_page
from sitegen.pages.site import MODEL_STYLES, Site, model_styles
from sitegen.pages.site_files import ROWS, pages_about_charts

READ_RUNS = 1_000
SETTLE_MS = 500
EMPTY = '<!doctype html><html lang="en"><title>Empty</title><p>Empty</p></html>'
MEASURES = """async () => {
  const seen = (type) => new Promise((done) => {
    const entries = performance.getEntriesByType(type);
    if (entries.length) done(entries);
    new PerformanceObserver((list) => done(list.getEntries())).observe({ type, buffered: true });
    setTimeout(() => done([]), 500);
  });
  const paints = await seen("paint"), shifts = await seen("layout-shift");
  const largest = await seen("largest-contentful-paint");
  return {
    largest_ms: largest.at(-1).startTime,
    paint_ms: paints.find((paint) => paint.name === "first-contentful-paint").startTime,
    shift: shifts.reduce((sum, shift) => sum + (shift.hadRecentInput ? 0 : shift.value), 0),
  };
}"""


def repeated(entries: Sequence[Entry], runs: int) -> tuple[Entry, ...]:
    """As many entries, the given ones again and again under other names."""
    return tuple(
        replace(
            entry, id=f"{entry.id}-{n // len(entries)}", title=f"{entry.title} {n // len(entries)}"
        )
        for n in range(runs)
        for entry in [entries[n % len(entries)]]
    )


def write_site(folder: Path, config: Config, facts: Facts) -> tuple[Path, Path]:
    """Write what a reader of the index and of one run page loads; the paths of both."""
    redactor = Redactor()
    site = Site.of(config, redactor, is_strict=False)
    checks = {entry.id: site.prices.check(entry.run) for entry in facts.entries}
    colors = site.colors(facts.entries)
    drawn = draw_charts(
        facts.entries,
        checks,
        site.prices,
        colors,
        question=config.intervals,
        memory=NO_MEMORY,
        cache=None,
    )
    table = run_table.RunTable(facts.entries, summarize(facts.entries), "index", ROWS)
    scripts = list(table.scripts())
    addresses = {each.path: each.address for each in scripts}
    index = next(
        pages_about_charts(site, analyse(config, facts, checks, {}), drawn, table, rows=addresses)
    )
    entry = facts.entries[1]
    texts = reread_run(entry, redactor, config.limits).texts
    account = markdown.render(texts.summary, clean=redactor) if texts.summary else None
    run = run_page(entry, checks[entry.id], facts.entries[0], facts.entries[2])
    run_html = site.renderer.render(
        run, {"texts": texts, "account": account, "late": (), "patch": None}
    )
    files = {
        **site.style.assets,
        MODEL_STYLES: model_styles(facts.entries),
        **drawn.files,
        index.path: index.make().data,
        run.path: run_html,
        **{each.path: each.content for each in scripts},
    }
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder / index.path, folder / run.path


def painted(browser: Browser, page: Path) -> tuple[float, float, float]:
    """First and largest contentful paint in ms and cumulative layout shift, in a context that has seen nothing."""
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        opened = context.new_page()
        opened.wait_for_timeout(SETTLE_MS)
        opened.goto(as_file(page))
        measured = opened.evaluate(MEASURES)
        return float(measured["paint_ms"]), float(measured["largest_ms"]), float(measured["shift"])


def report(browser: Browser, named: dict[str, Path], repeat: int) -> Iterator[str]:
    """A line for each page; the first is what the others are held against."""
    measured: dict[str, list[tuple[float, float, float]]] = {name: [] for name in named}
    for _ in range(repeat):
        for name, page in named.items():
            measured[name].append(painted(browser, page))
    empty_ms = statistics.median(paint_ms for paint_ms, *_ in next(iter(measured.values())))
    for name, values in measured.items():
        paints = sorted(paint_ms for paint_ms, *_ in values)
        low, high = paints[len(paints) // 4], paints[3 * len(paints) // 4]
        median = statistics.median(paints)
        largest = statistics.median(largest_ms for _, largest_ms, _ in values)
        shift = max(shift for *_, shift in values)
        goal = 1.3 * empty_ms + 60
        yield (
            f"{name:<24} {median:>7.0f} ms median, {low:.0f} to {high:.0f} the middle half; "
            f"goal {goal:.0f}: {'kept' if median <= goal else 'MISSED'}; "
            f"largest {largest:.0f}; shift {shift:.3f} at most; "
            f"{named[name].stat().st_size:,} bytes"
        )


def main() -> None:
    """Make the sites, open the pages, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--repeat", type=int, default=15)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary, chromium() as browser:
        folder = Path(temporary)
        print(
            f"{processor()}, {os.cpu_count()} cores, Chromium {browser.version}, Python {platform.python_version()}"
        )
        write_campaign(folder / "runs", min(READ_RUNS, max(arguments.runs)))
        config = Config(
            inputs=(Input(path=str(folder / "runs"), pattern=None),), output=str(folder / "site")
        )
        read = collect(config, Redactor(), lambda _, items: items)
        empty = folder / "empty.html"
        empty.write_text(EMPTY, encoding="utf-8")
        for runs in arguments.runs:
            site = folder / f"site-{runs}"
            index, run = write_site(
                site, config, replace(read, entries=repeated(read.entries, runs))
            )
            print(f"{runs:,} runs")
            for line in report(
                browser, {"empty page": empty, "index": index, "run page": run}, arguments.repeat
            ):
                print(f"  {line}")
        own = [
            path
            for path in site.glob("assets/*.js")
            if not path.name.startswith(("vega", "charts-data"))
        ]
        print(
            f"own script {gzipped(*own):,} bytes, CSS {gzipped(*site.glob('assets/*.css')):,} bytes, gzipped"
        )


if __name__ == "__main__":
    main()
