"""How soon a saved run is on the screen while `sitegen serve` works, and how soon the index after it.

    .venv/bin/python -m benchmarks.preview [--runs 1000 10000] [--repeat 5]

The page of a run is open in a Chromium without a window. Its file is written anew; what counts is the time until the
new text stands in the page, and until the server sends an index with its new cost.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.floor import processor, write_campaign
from tests.support.browsers import chromium
from tests.test_serve import serving

WAIT_MS = 600_000


def main() -> None:
    """Measure and print a line for each number of runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    print(f"{processor()}, Python {platform.python_version()}")
    for count in options.runs:
        with tempfile.TemporaryDirectory() as folder:
            pages, indexes = measured(Path(folder), count, options.repeat)
        page, index = statistics.median(pages), statistics.median(indexes)
        print(f"{count:,} runs: page {page:.2f} s (slowest {max(pages):.2f}), index {index:.1f} s")


def measured(folder: Path, count: int, repeat: int) -> tuple[list[float], list[float]]:
    """Seconds until the page, and until the index, of each saved run."""
    write_campaign(folder / "runs", count)
    file = min(path for path in (folder / "runs").rglob("*.json") if "result" in json.loads(path.read_text()))
    stated = json.loads(file.read_text())
    pages, indexes = [], []
    with serving(folder, "runs", "-q") as served, chromium() as browser, browser.new_page() as page:
        while served.get()[0] != 200:
            time.sleep(0.2)
        runs = json.loads(served.get("data/runs.json")[1])["runs"]
        of_run = next(run["page"] for run in runs if (folder / "runs" / run["path"]) == file)
        page.goto(f"http://127.0.0.1:{served.port}/{of_run}")
        for number in range(repeat):
            time.sleep(3 + count / 5_000)  # until nothing is built any more
            text = f"Saved, number {number + 1}"
            began = time.monotonic()
            saved = {**stated, "result": f"# {text}\n\nDone.", "total_cost_usd": 900 + number}
            file.write_text(json.dumps(saved))
            page.get_by_text(text).first.wait_for(timeout=WAIT_MS)
            pages.append(time.monotonic() - began)
            while f"${900 + number}.00" not in served.get("index.html")[1].decode():  # the most expensive run
                time.sleep(0.2)
            indexes.append(time.monotonic() - began)
    return pages, indexes


if __name__ == "__main__":
    main()
