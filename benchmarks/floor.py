"""How fast a campaign of generated runs becomes a site: the floor below which no change may fall.

    .venv/bin/python benchmarks/floor.py [--runs 1000] [--repeat 3] [--keep FOLDER]

The runs are shaped like real ones (about 3.6 KB of summary with headings, lists, a table and code) and made
of this file's own words; each is seeded by its number, so that the same number always gives the same file.
Every repetition is a whole process that builds into a fresh folder.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODELS = ("claude-sonnet-4-5-20250929", "claude-opus-4-5-20251101", "claude-haiku-4-5-20251001")
PRICES = {
    MODELS[0]: (3, 15, 0.3, 3.75),
    MODELS[1]: (5, 25, 0.5, 6.25),
    MODELS[2]: (1, 5, 0.1, 1.25),
}
"""USD per million tokens: input, output, cache read, cache write."""

NOUNS = [
    "archive",
    "ledger",
    "parcel",
    "route",
    "ticket",
    "invoice",
    "window",
    "quarry",
    "bridge",
    "kettle",
    "compass",
    "almanac",
]
VERBS = [
    "moved",
    "split",
    "renamed",
    "measured",
    "guarded",
    "reordered",
    "cached",
    "trimmed",
    "replaced",
    "documented",
    "verified",
    "joined",
]
QUALITIES = [
    "stale",
    "narrow",
    "repeated",
    "missing",
    "brittle",
    "quiet",
    "nested",
    "shared",
    "early",
    "unordered",
    "redundant",
]


def sentence(rng: random.Random) -> str:
    """One sentence of a report, now and then with code, emphasis or a link."""
    first, second = rng.choice(NOUNS), rng.choice(NOUNS)
    return rng.choice(
        (
            f"The {rng.choice(QUALITIES)} {first} was {rng.choice(VERBS)} before the {second} is read.",
            f"`{first}_{second}` is now {rng.choice(VERBS)} once for each **{second}** and not once for each line.",
            f"See [{first} notes](https://example.org/{first}/{rng.randint(1, 999)}) for the *{second}* question.",
            f"All {rng.randint(3, 400)} checks of `{first}/{second}.py` pass, {rng.randint(1, 9)} of them are new.",
        )
    )


def paragraph(rng: random.Random) -> str:
    """Two to four sentences."""
    return " ".join(sentence(rng) for _ in range(rng.randint(2, 4)))


def bullets(rng: random.Random) -> str:
    """A list, some items with a list of their own."""
    lines = []
    for _ in range(rng.randint(4, 7)):
        lines.append(f"- **{rng.choice(NOUNS)}**: {sentence(rng)}")
        if rng.random() < 0.25:
            lines.append(
                f"  - {rng.choice(VERBS)} `{rng.choice(NOUNS)}` ({rng.randint(1, 90)} lines)"
            )
    return "\n".join(lines)


def table(rng: random.Random) -> str:
    """A table of measurements."""
    rows = [
        f"| `{rng.choice(NOUNS)}` | {rng.uniform(1, 900):.1f} ms | {rng.uniform(1, 90):.1f} ms |"
        for _ in range(5)
    ]
    return "\n".join(["| Part | Before | After |", "|------|-------:|------:|", *rows])


def code(rng: random.Random) -> str:
    """A fence of Python or shell, about 500 characters."""
    if rng.random() < 0.3:
        lines = [
            f"python -m pytest tests/test_{rng.choice(NOUNS)}.py -q  # {sentence(rng)}"
            for _ in range(4)
        ]
        return "\n".join(["```bash", *lines, "```"])
    lines = [
        f'def {rng.choice(NOUNS)}(count: int, *, label: str = "{rng.choice(NOUNS)}") -> list[float]:'
    ]
    for _ in range(8):
        factor, remark = rng.randint(1, 64), rng.choice(VERBS)
        lines.append(f"    {rng.choice(NOUNS)} = [{factor} * x for x in range(count)]  # {remark}")
    return "\n".join(["```python", *lines, "    return [1.5]", "```"])


def summary(rng: random.Random) -> str:
    """Markdown of about 3.6 KB."""
    parts = [
        f"# {rng.choice(VERBS).capitalize()} the {rng.choice(NOUNS)} {rng.choice(NOUNS)}",
        paragraph(rng),
    ]
    blocks: list[Callable[[random.Random], str]] = [
        bullets,
        table,
        code,
        bullets,
        paragraph,
        code,
        bullets,
    ]
    for block in blocks:
        parts += [f"## {rng.choice(VERBS).capitalize()} {rng.choice(NOUNS)}", block(rng)]
        if rng.random() < 0.1:
            parts.append(paragraph(rng))
    return "\n\n".join(parts)


def usage(rng: random.Random, model: str, scale: float) -> dict[str, object]:
    """The ledger line of one model, priced at its list price."""
    price = PRICES[model]
    counts = [
        int(rng.lognormvariate(7, 1) * scale),
        int(rng.lognormvariate(9.4, 0.6) * scale),
        int(rng.lognormvariate(14, 0.7) * scale),
        int(rng.lognormvariate(11.4, 0.6) * scale),
    ]
    names = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
    cost_usd = (
        sum(count * per_million for count, per_million in zip(counts, price, strict=True)) / 1e6
    )
    return {**dict(zip(names, counts, strict=True)), "webSearchRequests": 0, "costUSD": cost_usd}


def run_file(number: int) -> dict[str, object]:
    """Everything that one run file says."""
    rng = random.Random(number)  # noqa: S311  not for secrets: the same number must give the same file
    models = [MODELS[number % 2], MODELS[2]] if rng.random() < 0.5 else [MODELS[number % 2]]
    ledger = {model: usage(rng, model, 1 if model != MODELS[2] else 0.02) for model in models}
    failed = rng.random() < 0.08
    wall_ms = int(rng.lognormvariate(12.3, 0.6))
    return {
        "type": "result",
        "subtype": "error_max_turns" if failed else "success",
        "is_error": failed,
        "duration_ms": wall_ms,
        "duration_api_ms": int(wall_ms * 0.9),
        "num_turns": rng.randint(8, 90),
        "result": summary(rng),
        "session_id": str(uuid.UUID(int=rng.getrandbits(128), version=4)),
        "total_cost_usd": sum(float(str(line["costUSD"])) for line in ledger.values()),
        "permission_denials": [],
        "modelUsage": ledger,
        "uuid": str(uuid.UUID(int=rng.getrandbits(128), version=4)),
    }


def write_campaign(folder: Path, runs: int) -> int:
    """Write the run files as task/attempt and return the mean length of a summary in bytes."""
    length = 0
    for number in range(runs):
        content = run_file(number)
        length += len(str(content["result"]).encode())
        path = folder / f"task-{number // 10:05}" / f"attempt-{number % 10}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")
    return length // runs


def processor() -> str:
    """Model name of the CPU, as far as the system says."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        found = re.search(r"model name\s*: (.+)", information.read_text(encoding="utf-8"))
        if found:
            return found[1]
    return platform.processor() or platform.machine()


def gzipped(*files: Path) -> int:
    """Bytes of the files together, each gzipped."""
    return sum(len(gzip.compress(file.read_bytes(), mtime=0)) for file in files)


def report_sizes(site: Path, runs: int) -> None:
    """Print what the weights of a site are measured by."""
    pages = sorted((site / "runs").glob("*.html"))
    lengths = []
    for page in pages:
        html = page.read_text(encoding="utf-8")
        frame = re.sub(r"<article[^>]*data-untrusted.*?</article>", "", html, flags=re.DOTALL)
        lengths.append(len(frame.encode()))
    scripts = sorted(site.rglob("*.js"))
    named = {kind: [s for s in scripts if kind in s.name] for kind in ("vega", "rows", "data")}
    own = [
        s
        for s in scripts
        if s.parent.name == "assets" and not any(s in files for files in named.values())
    ]
    print(f"index.html                       {(site / 'index.html').stat().st_size:>10,} bytes")
    median = statistics.median(lengths)
    print(f"index.html, gzipped              {gzipped(site / 'index.html'):>10,} bytes")
    print(
        f"run page without its summary     {max(lengths):>10,} bytes at most, {median:,.0f} median"
    )
    print(f"all CSS, gzipped                 {gzipped(*site.rglob('*.css')):>10,} bytes")
    print(
        f"own script, gzipped              {gzipped(*own):>10,} bytes: {', '.join(s.name for s in own)}"
    )
    print(f"Vega bundle, gzipped             {gzipped(*named['vega']):>10,} bytes")
    rows = [
        script for script in named["rows"] if script.parent.name == "data"
    ]  # those of groups are loaded apart
    print(f"rows of the table, gzipped       {gzipped(*rows) / runs:>10,.1f} bytes a run")
    print(
        f"files                            {sum(path.is_file() for path in site.rglob('*')):>10,}"
    )


def main() -> None:
    """Generate, build several times, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument(
        "--keep", type=Path, help="a new folder for the generated runs and the last site"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        mean = write_campaign(folder / "runs", arguments.runs)
        print(f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}")
        print(f"{arguments.runs:,} runs, {mean:,} bytes of summary on average")
        speeds = []
        for repetition in range(arguments.repeat):
            site = folder / f"site-{repetition}"
            command = [
                sys.executable,
                "-m",
                "sitegen",
                "build",
                "-q",
                "--no-config",
                str(folder / "runs"),
            ]
            command += ["-o", str(site)]
            begun = time.perf_counter()
            subprocess.run(command, cwd=ROOT, check=True)
            seconds = time.perf_counter() - begun
            speeds.append(arguments.runs / seconds)
            print(
                f"sitegen build -q runs -o site    {seconds:>10.2f} s, {speeds[-1]:.0f} runs a second"
            )
        spread = f"{min(speeds):.0f} to {max(speeds):.0f}"
        print(
            f"runs a second                    {statistics.median(speeds):>10.0f} median, {spread}"
        )
        unit = 1 if sys.platform == "darwin" else 1024
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit
        print(f"peak memory                      {peak / 2**20:>10.0f} MiB")
        report_sizes(site, arguments.runs)


if __name__ == "__main__":
    main()
