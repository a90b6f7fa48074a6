"""How fast the table of runs is in a browser: until it can be used, sorting, filtering, and how many nodes it takes.

    .venv/bin/python benchmarks/table.py [--runs 10000 100000] [--repeat 5]

Runs are made in memory, each from its number, and become the scripts of rows and the index page by the code that every
site is built with. Each repetition opens the page from disk in a fresh window of Chromium that has come to rest. A step
is measured from the click or the key until the browser has laid out what came of it: on the clock, which other work on
the machine makes longer, and as the time that the thread of the page was at work. Not covered: the network, phones,
other browsers.
"""

from __future__ import annotations

import argparse
import gzip
import random
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.paint import SETTLE_MS  # noqa: E402
from sitegen.charts.chart_set import Charts  # noqa: E402
from sitegen.collect import Facts  # noqa: E402
from sitegen.config import Config, Input  # noqa: E402
from sitegen.masking.redact import Redactor  # noqa: E402
from sitegen.model import Entry, ModelUsage, Outcome, Run, Source, Status, Tokens  # noqa: E402
from sitegen.numbers.statistics import summarize  # noqa: E402
from sitegen.pages.index import index_page  # noqa: E402
from sitegen.pages.overall import analyse  # noqa: E402
from sitegen.pages.site import MODEL_STYLES, Site, model_styles  # noqa: E402
from sitegen.pages.site_files import ROWS  # noqa: E402
from sitegen.pages.table import run_table  # noqa: E402
from sitegen.text.names import page_id  # noqa: E402
from tests.support.browsers import as_file, chromium  # noqa: E402

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

MODELS = ("Claude Sonnet 4.5", "Claude Opus 4.5", "Claude Haiku 4.5")
WATCH = """addEventListener("DOMContentLoaded", () => { window.began = performance.now(); });
document.addEventListener("sitegen:shown", () => { window.usable ??= performance.now(); });"""
USABLE = """new Promise((done) => {
    const look = () => (window.usable ? done() : setTimeout(look, 1));
    look();
})"""
MEASURED = """new Promise((done) => {
    const from = performance.now();
    const shown = () => requestAnimationFrame(() => setTimeout(() => done(performance.now() - from)));
    const isScroll = IS_SCROLL;
    if (!isScroll) document.addEventListener("sitegen:shown", shown, { once: true });
    STEP;
    if (isScroll) shown();
})"""
"""From the step to the task that follows the next frame: what came of it is then laid out and painted."""

STEPS = {
    "first filter, and what it loads": "document.querySelector('[data-facet=model] button').click()",
    "clear it": "document.querySelector('#clear').click()",
    "sort by cost": "document.querySelector('#run-table [scope=col]:nth-child(4) button').click()",
    "sort by name, the first time": "document.querySelector('#run-table [scope=col] button').click()",
    "sort by cost, then task": "sitegenTable.filter({sort: ['-cost_usd', 'task']})",
    "filter by text": "const f = document.querySelector('#filter'); f.value = 'task-1 opus';"
    " f.dispatchEvent(new Event('input'))",
    "filter by model": "document.querySelector('[data-facet=model] button').click()",
    "clear filters": "document.querySelector('#clear').click()",
    "scroll to the middle": "document.querySelector('.scroll.long').scrollTop = 1e6",
}


def entry(number: int, runs: int) -> Entry:
    """A run made from its number: ten attempts of three models at each task."""
    rng = random.Random(number)  # noqa: S311  not for secrets: the same number must give the same run
    task, model, attempt = f"task-{number // 30:04}", MODELS[number // 10 % 3], number % 10 + 1
    path = f"{task}/{model.lower().replace(' ', '-')}/{attempt}.json"
    tokens = Tokens(
        input=int(rng.lognormvariate(7, 1)),
        cache_write=int(rng.lognormvariate(11.4, 0.6)),
        cache_read=int(rng.lognormvariate(14, 0.7)),
        output=int(rng.lognormvariate(9.4, 0.6)),
    )
    cost_usd = (
        None
        if rng.random() < 0.01
        else round((tokens.sent or 0) * 3e-7 + (tokens.output or 0) * 15e-6, 8)
    )
    status = rng.choices((Status.OK, Status.FAILED, Status.STOPPED), (92, 5, 3))[0]
    wall_ms = int(rng.lognormvariate(12.3, 0.6))
    run = Run(
        reader="Claude Code result",
        status=status,
        status_detail=None
        if status is Status.OK
        else "turn limit"
        if status is Status.FAILED
        else "usage limit",
        ledger=(ModelUsage(model, tokens, cost_usd),),
        cost_usd=cost_usd,
        wall_ms=wall_ms,
        api_ms=int(wall_ms * 0.9),
        turns=rng.randint(8, 90),
        denials=0,
    )
    return Entry(
        id=page_id(path, path),
        source=Source(path, path, named=False, size=1),
        number=0,
        digest="",
        run=run,
        title=f"Report {number} of {runs}",
        task=task,
        model=model,
        ledger_names=(model,),
        attempt=attempt,
        outcome=rng.choice((Outcome.PASS, Outcome.PASS, Outcome.FAIL, None)),
        labels=("nightly",) if number % 7 == 0 else (),
        started_at=f"2026-06-{number % 28 + 1:02}T{rng.randrange(24):02}:{rng.randrange(60):02}:00Z",
    )


def write_site(folder: Path, runs: int) -> dict[str, bytes]:
    """The index and all that it loads; returns the scripts with its rows by their paths."""
    entries = [entry(number, runs) for number in range(runs)]
    summary = summarize(entries)
    runs_table = run_table.RunTable(entries, summary, "index", ROWS)
    scripts = {script.path: script for script in runs_table.scripts()}
    config = Config(inputs=(Input(path=".", pattern=None),), output=str(folder))
    site = Site.of(config, Redactor(), is_strict=False)
    no_charts = Charts((), (), None, ())
    report = analyse(config, Facts(tuple(entries), files=runs), {}, {})
    index = site.renderer.render(
        index_page(
            config,
            report,
            no_charts,
            runs_table.page(0, {path: each.address for path, each in scripts.items()}),
        )
    )
    files = {**site.style.assets, MODEL_STYLES: model_styles(entries)}
    files |= {path: each.content for path, each in scripts.items()}
    for path, content in {**files, "index.html": index}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return {path: each.content for path, each in scripts.items()}


def opened(browser: Browser, page: Path) -> Iterator[tuple[str, float]]:
    """Open the page once; yields what was measured, in ms or nodes."""
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        context.add_init_script(WATCH)
        tab = context.new_page()
        tab.wait_for_timeout(SETTLE_MS)
        session = context.new_cdp_session(tab)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})

        def thread_ms() -> float:
            metrics = session.send("Performance.getMetrics")["metrics"]
            return next(
                1000.0 * metric["value"] for metric in metrics if metric["name"] == "ThreadTime"
            )

        begun = thread_ms()
        tab.goto(as_file(page))
        tab.evaluate(USABLE)
        yield "until usable, thread", thread_ms() - begun
        yield "first paint", tab.evaluate("performance.getEntriesByType('paint')[0].startTime")
        yield "document read", tab.evaluate("began")
        yield "usable", tab.evaluate("usable")
        yield "usable after the document", tab.evaluate("usable - began")
        tab.wait_for_timeout(
            1000
        )  # what the page does in its idle time comes before the reader's first click
        yield "nodes", nodes(tab)
        for name, step in STEPS.items():
            begun = thread_ms()
            is_scroll = str(name.startswith("scroll")).lower()
            yield name, tab.evaluate(MEASURED.replace("IS_SCROLL", is_scroll).replace("STEP", step))
            if name.startswith("first"):
                tab.wait_for_timeout(
                    5000
                )  # the figures follow, which others than the table wait for
                yield "heap after it, MB", tab.evaluate("performance.memory.usedJSHeapSize / 1e6")
            yield f"{name}, thread", thread_ms() - begun
        yield "nodes at the end", nodes(tab)


def nodes(tab: Page) -> float:
    """Elements of the page."""
    count: float = tab.evaluate("document.querySelectorAll('*').length")
    return count


def main() -> None:
    """Make the pages, open them several times, print medians and spreads."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    with chromium() as browser:
        print(
            f"Chromium {browser.version}, {arguments.repeat} times each; ms unless said; median, least to most"
        )
        for runs in arguments.runs:
            with tempfile.TemporaryDirectory() as folder:
                rows = write_site(Path(folder), runs)
                print(f"\n{runs:,} runs")
                for kind in (False, True):
                    scripts = [
                        script for path, script in rows.items() if ("further" in path) is kind
                    ]
                    sizes, zipped = (
                        list(map(len, scripts)),
                        [len(gzip.compress(script, mtime=0)) for script in scripts],
                    )
                    print(
                        f"{'further columns' if kind else 'first columns'}: {len(scripts)} scripts of at most "
                        f"{max(sizes):,} bytes, {sum(sizes) / runs:.1f} bytes a run, {sum(zipped) / runs:.1f} gzipped"
                    )
                measured: dict[str, list[float]] = {}
                for _ in range(arguments.repeat):
                    for name, value in opened(browser, Path(folder) / "index.html"):
                        measured.setdefault(name, []).append(value)
            for name, values in measured.items():
                print(
                    f"{name:32}{statistics.median(values):>8,.0f}   {min(values):,.0f} to {max(values):,.0f}"
                )


if __name__ == "__main__":
    main()
