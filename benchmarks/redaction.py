"""How much of what is secret the redactor masks, how many look-alikes, and what clean text costs.

    .venv/bin/python benchmarks/redaction.py [--seeds 5] [--foreign SECRETS.jsonl] [--site SITE] [--repeat 7]

Sets are those of secret_samples and unseen_samples in tests/support, one of each for each seed; `--foreign` adds a set
of other authors, one JSON object a line with `label`, `parts` and `wrap`; `--site` measures the final scan of the pages
of runs of a site. The cost is that of the redactor and of the final scan of the rendered page, for each kilobyte of the
text, as processor time: least, median and most of the repetitions, after one that makes the rules ready.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from floor import summary  # noqa: E402

from sitegen.html.markdown import render  # noqa: E402
from sitegen.masking.final_scan import FinalScan  # noqa: E402
from sitegen.masking.reading import as_read  # noqa: E402
from sitegen.masking.redact import Redactor, clean_text, number_masks  # noqa: E402
from tests.support import secret_samples, unseen_samples  # noqa: E402
from tests.support.secret_samples import Sample  # noqa: E402

REDACTOR = Redactor(("/home/me",))
SCAN = FinalScan(REDACTOR)


def is_readable(value: str, shown: str) -> bool:
    """Whether the value, or a piece of a long one, can still be read."""
    read, length = as_read(shown), max(6, min(12, len(value) // 2))
    if len(value) < 16:
        return value in read
    return any(value[at : at + length] in read for at in range(len(value) - length + 1))


def own(name: str, samples: Callable[[int], Iterable[Sample]], seeds: Iterable[int]) -> None:
    """Print recall and false masks on one of our own sets, made from each seed."""
    made, failed, kinds = Counter[str](), Counter[str](), Counter[str]()
    for seed in seeds:
        for sample in samples(seed):
            text = clean_text(sample.text)
            shown = number_masks(REDACTOR(text))
            fails = (
                shown != text if sample.label == "lookalike" else is_readable(sample.value, shown)
            )
            made[sample.label] += 1
            failed[sample.label] += fails
            kinds[f"{sample.label} {sample.kind}"] += fails
    report(name, made, failed)
    for kind, count in kinds.most_common(12):
        if count:
            print(f"    {kind}: {count}")


def foreign(path: Path) -> None:
    """Print the same for a file; only the whole value counts, since what of it is secret is not known."""
    made, failed = Counter[str](), Counter[str]()
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        value = "".join(row["parts"])
        text = clean_text(row["wrap"].replace("{}", value))
        shown = number_masks(REDACTOR(text))
        made[row["label"]] += 1
        failed[row["label"]] += (
            shown != text if row["label"] == "lookalike" else as_read(value) in as_read(shown)
        )
    report(path.name, made, failed)


def report(name: str, made: Counter[str], failed: Counter[str]) -> None:
    """Print a line for each label."""
    for label, count in sorted(made.items()):
        what = "masked" if label == "lookalike" else "left"
        print(
            f"{name}: {label}: {count:,} made, {failed[label]:,} {what}, {failed[label] / count:.2%}"
        )


def cost(repeat: int) -> None:
    """Print what clean text costs."""
    rng = random.Random(5)  # noqa: S311  the same text each time
    texts = [summary(rng) for _ in range(40)]
    pages = [render(text).html.encode() for text in texts]
    if any(map(REDACTOR.find, texts)):
        sys.exit("the text is not clean")
    kilobytes = sum(len(text.encode()) for text in texts) / 1024
    both = [0.0] * repeat
    for name, step in (
        ("text", lambda: [REDACTOR(text) for text in texts]),
        ("final scan", lambda: [SCAN.finish("runs/x.html", page) for page in pages]),
    ):
        taken = [spent / kilobytes for spent in timed(step, repeat)]
        both = [one + other for one, other in zip(both, taken, strict=True)]
        print(f"{name}: {spread(taken)} ms per KB of clean text")
    print(f"both: {spread(both)} ms per KB of clean text")


def cost_of_site(site: Path, repeat: int) -> None:
    """Print what the final scan of the finished pages of runs costs."""
    pages = [path.read_bytes() for path in sorted(site.glob("runs/*.html"))]
    taken = [
        spent / len(pages)
        for spent in timed(lambda: [SCAN.finish("runs/x.html", page) for page in pages], repeat)
    ]
    size = sum(map(len, pages)) / len(pages) / 1024
    print(
        f"final scan: {spread(taken)} ms for each of {len(pages):,} pages of runs, {size:.1f} KB each"
    )


def timed(step: Callable[[], object], repeat: int) -> list[float]:
    """Milliseconds of processor time that each repetition takes, after one that makes the rules ready."""
    step()
    taken = []
    for _ in range(repeat):
        start = time.process_time()
        step()
        taken.append((time.process_time() - start) * 1000)
    return taken


def spread(taken: Sequence[float]) -> str:
    """Least, median and most."""
    return f"{min(taken):.4f} / {statistics.median(taken):.4f} / {max(taken):.4f}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--foreign", type=Path)
    parser.add_argument("--site", type=Path)
    parser.add_argument("--repeat", type=int, default=7)
    given = parser.parse_args()
    for name, samples in (
        ("first set", secret_samples.samples),
        ("second set", unseen_samples.samples),
    ):
        own(name, samples, range(100, 100 + given.seeds))
    if given.foreign:
        foreign(given.foreign)
    cost(given.repeat)
    if given.site:
        cost_of_site(given.site, given.repeat)
    if hasattr(os, "getloadavg"):
        print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


if __name__ == "__main__":
    main()
