"""What full-text search costs: the size of its index, what a query loads, how fast it answers, what a build pays.

    .venv/bin/python benchmarks/search.py [FOLDER ...] [--runs 10000] [--characters 1000 8000] [--queries 200]
    .venv/bin/python benchmarks/search.py --runs 1000000 --different 2000 --repeat 1 --queries 20

Summaries are drawn line by line from those of the runs in the folders, by default the demo's; each is seeded by its
number. With --different only so many are drawn, and each run has one of them and a word of its own. Queries have one to
four words that stand near each other in one of them, the last one cut short anywhere.
What a query loads is measured on a page that has loaded nothing before; its answer, from the key press to results
laid out, with everything loaded.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.floor import gzipped, processor, run_file  # noqa: E402
from sitegen import load_runs  # noqa: E402
from sitegen.html import markdown  # noqa: E402
from sitegen.inputs.survey import reread_run  # noqa: E402
from sitegen.masking.redact import Redactor  # noqa: E402
from sitegen.model import Entry, Texts  # noqa: E402
from sitegen.pages import search  # noqa: E402
from tests.support.browsers import as_file, chromium  # noqa: E402

ANSWER = """async (query) => {
  const input = document.querySelector("[type=search]"), list = document.querySelector(".hits");
  const shown = () => new Promise((done) => {
    const observer = new MutationObserver(() => { if (list.children.length) { observer.disconnect(); done(); } });
    observer.observe(list, { childList: true });
  });
  const ask = async () => {
    const done = shown(), begun = performance.now();
    input.value = query;
    input.dispatchEvent(new Event("input"));
    await done;
    list.getBoundingClientRect();
    return performance.now() - begun;
  };
  list.replaceChildren();
  await ask();
  list.replaceChildren();
  return ask();
}"""


def summaries(entries: Sequence[Entry], runs: int, shortest: int, longest: int) -> list[str]:
    """HTML of summaries, made of lines of real ones."""
    texts = (reread_run(entry, Redactor()).texts.summary for entry in entries)
    lines = [
        line for text in texts if text for line in markdown.render(text).html.split("\n") if line
    ]
    made = []
    for number in range(runs):
        rng = random.Random(number)  # noqa: S311  not for secrets: the same number must give the same summary
        target = shortest * math.exp(rng.random() * math.log(longest / shortest))
        taken: list[str] = []
        while sum(map(len, taken)) < target:
            taken.append(rng.choice(lines))
        made.append("\n".join(taken))
    return made


def queries(accounts: Sequence[str], count: int) -> list[str]:
    """Words that stand near each other, the last one cut short."""
    rng = random.Random(0)  # noqa: S311
    made: list[str] = []
    while len(made) < count:
        words = search.words(search.shown_text(rng.choice(accounts)))
        place = rng.randrange(len(words)) if words else 0
        near = words[place : place + 8]
        if near:
            chosen = rng.sample(near, min(len(near), rng.randint(1, 4)))
            made.append(" ".join([*chosen[:-1], chosen[-1][: rng.randint(1, len(chosen[-1]))]]))
    return made


def spread(label: str, figures: Sequence[float], unit: str) -> None:
    """Print median, least and most."""
    middle = statistics.median(figures)
    print(f"{label:<38}{middle:>10,.1f} {unit} median, {min(figures):,.1f} to {max(figures):,.1f}")


def documents(entry: Entry, accounts: Sequence[str], runs: int) -> Iterator[search.Document]:
    """The runs as the index takes them."""
    redactor = Redactor()
    if len(accounts) == runs:
        for number, account in enumerate(accounts):
            run = replace(
                entry, id=f"run-{number:012x}", task=f"task {number // 20}", attempt=number % 20
            )
            yield search.document(run, Texts(), account, redactor)
        return
    made = [search.document(entry, Texts(), account, redactor) for account in accounts]
    for number in range(runs):
        run = random.Random(number).choice(made)  # noqa: S311
        shown = (f"run-{number:012x}", *run.shown[1:])
        yield replace(run, words=f"{run.words} own{number}", levels=run.levels + b"\0", shown=shown)


def build_index(entry: Entry, accounts: Sequence[str], runs: int, repeat: int, site: Path) -> None:
    """Build the index several times and print how long it takes."""
    taken = []
    for _ in range(repeat):
        index = search.SearchIndex(lambda _: None)
        begun = time.process_time()  # of this process alone: others may be at work
        files = chain.from_iterable(map(index.add, documents(entry, accounts, runs)))
        for file in chain(files, index.close_texts(), index.finish()):
            (site / file.path).write_bytes(file.make().data)
        taken.append((time.process_time() - begun) / runs * 1e6)
    spread("index of one run, processor time", taken, "µs")


def measure_queries(site: Path, asked: Sequence[str]) -> None:
    """Ask all queries in a browser and print what they loaded and how long they took."""
    loaded, texts_loaded, requests, answers = [], [], [], []
    with chromium() as browser:
        for query in asked:
            page = browser.new_page()
            requested: set[Path] = set()
            page.on(
                "request",
                lambda request, to=requested: to.add(
                    site / request.url.partition("?")[0].split(site.name + "/")[-1]
                ),
            )
            page.goto(f"{as_file(site / 'search.html')}#q={quote(query)}")
            page.wait_for_selector(".hits > li")
            shards = [path for path in requested if path.parent.name == "search"]
            requests.append(len(shards))
            loaded.append(gzipped(*shards) / 1000)
            texts_loaded.append(
                gzipped(*(path for path in shards if path.name.startswith("texts"))) / 1000
            )
            answers.append(page.evaluate(ANSWER, query))
            page.close()
    spread("loaded for a query, gzipped", loaded, "kB")
    spread("  of it texts for excerpts", texts_loaded, "kB")
    spread("  in files", requests, "  ")
    spread("answer after load", answers, "ms")
    print(f"{'slowest query':<38}{asked[loaded.index(max(loaded))]!r}")


def main() -> None:
    """Draw, build, ask, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="*", default=[str(ROOT / "examples" / "runs")])
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument(
        "--characters", type=int, nargs=2, default=(1000, 8000), help="shortest and longest summary"
    )
    parser.add_argument(
        "--different", type=int, help="summaries that are drawn; by default one for each run"
    )
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    print(f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"python {' '.join(['benchmarks/search.py', *sys.argv[1:]])}")
    entries = list(load_runs(*arguments.folders))
    accounts = summaries(
        entries, min(arguments.different or arguments.runs, arguments.runs), *arguments.characters
    )
    lengths = [len(search.shown_text(account)) for account in accounts]
    print(
        f"{arguments.runs:,} runs, {statistics.mean(lengths):,.0f} characters of summary on average"
    )
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "run.json").write_text(json.dumps(run_file(0)), encoding="utf-8")
        command = [
            sys.executable,
            "-m",
            "sitegen",
            "build",
            "-q",
            "--no-config",
            str(folder / "run.json"),
        ]
        command += ["-o", str(folder / "site")]
        subprocess.run(command, cwd=ROOT, check=True)
        shutil.rmtree(folder / "site" / "search")
        (folder / "site" / "search").mkdir()
        build_index(entries[0], accounts, arguments.runs, arguments.repeat, folder / "site")
        kinds = dict[str, list[Path]]()
        for path in sorted((folder / "site" / "search").iterdir()):
            kinds.setdefault(re.sub("-[0-9]+$", "", path.stem), []).append(path)
        for kind, paths in kinds.items():
            sizes, packed = (
                [path.stat().st_size for path in paths],
                [gzipped(path) for path in paths],
            )
            print(
                f"{kind:<18}{len(paths):>9,} files, {sum(sizes):>13,} bytes, {max(sizes):>9,} at most; gzipped "
                f"{sum(packed):>13,}, {max(packed):>9,} at most"
            )
        measure_queries(folder / "site", queries(accounts, arguments.queries))


if __name__ == "__main__":
    main()
