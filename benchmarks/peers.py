"""How long whole builds take beside Hugo, Eleventy and the I/O floor: cold, with nothing changed, and with one changed.

    .venv/bin/python -m benchmarks.peers [--runs 100 1000 10000] [--repeat 5] [--jobs 2] [--texts FOLDER]

Each repetition runs all programs in turn, as whole processes, so that a busy moment meets all of them; what counts is
the ratio to Hugo within one repetition. Cold is an empty output; "no cache" has only what builds of *other* outputs
have left, which is the Vega bundle, "cache" also what an earlier build of this output has left, as in a job of CI that
keeps the folder.
Hugo and Eleventy get the same texts as Markdown with front matter and a template with the same facts; Hugo highlights
code and makes no links of plain text, as sitegen does. Neither masks secrets, sanitizes, searches or draws charts. The
floor reads every run and writes one page of 8.5 KB for each, with two processes, and does nothing else. Two more floors
are those of a build after a change: the chart engine started for one small chart, and each file of the site linked into
another folder that is then removed, by programs in C. What is not installed is left out. Memory is the sum over all
processes of a program, shared pages counted once (PSS), where the system tells.

With `--texts`, the summaries are those of the result files below a folder, repeated in turn, instead of generated ones.
Eleventy is looked for in `$ELEVENTY`, a folder with its `node_modules`.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.floor import ROOT, processor, run_file
from sitegen import load_runs
from sitegen.inputs.survey import reread_run
from sitegen.masking.redact import Redactor

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>\
<link rel="stylesheet" href="../style.css"></head><body><nav><a href="../index.html">All runs</a></nav><h1>{title}</h1>\
<dl><dt>Cost</dt><dd>{cost}</dd><dt>Turns</dt><dd>{turns}</dd><dt>Time</dt><dd>{ms}</dd></dl><main>{content}</main>\
</body></html>
"""
HUGO = """baseURL = "/"
title = "runs"
uglyURLs = true
disableKinds = ["taxonomy", "term", "RSS", "sitemap", "robotsTXT", "404", "home"]
[markup.goldmark.extensions]
linkify = false
[markup.highlight]
noClasses = false
codeFences = true
"""
ELEVENTY = """import highlight from "@11ty/eleventy-plugin-syntaxhighlight";
export default function (config) {
  config.addPlugin(highlight);
  config.setQuietMode(true);
  return { dir: { input: "src", includes: "_includes", output: "public" }, markdownTemplateEngine: false };
}
"""
POLL_SECONDS = 0.05
FLOOR_PAGE = b"<p>" + b"x" * 8_500
ONE_CHART = """import vl_convert
place = {"type": "quantitative", "field": "cost"}
vl_convert.vegalite_to_svg({"data": {"values": [{"cost": 1}]}, "mark": "point", "encoding": {"x": place, "y": place}})
"""
LINK_AND_REMOVE = 'cp -al "$0" linked && rm -r linked'


@dataclass(frozen=True, slots=True)
class Cost:
    """What one whole process and its children took."""

    seconds: float
    cpu_seconds: float
    peak_mib: float | None


def measured(command: Sequence[str], folder: Path) -> Cost:
    """Run a command to its end. Raises: CalledProcessError."""
    began = time.perf_counter()
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.DEVNULL, stderr=errors, env=environment
        )
        peaks: list[float] = []
        watch = threading.Thread(target=_watch, args=(process, peaks))
        watch.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        watch.join()
        if process.returncode:
            errors.seek(0)
            raise subprocess.CalledProcessError(
                process.returncode, list(command), stderr=errors.read()
            )
    return Cost(seconds, usage.ru_utime + usage.ru_stime, max(peaks, default=0.0) / 1024 or None)


def _watch(process: subprocess.Popen[bytes], peaks: list[float]) -> None:
    while process.returncode is None:
        began = time.perf_counter()
        with suppress(OSError, ValueError):
            peaks.append(sum(_pss_kib(pid) for pid in _family(process.pid)))
        took = time.perf_counter() - began
        time.sleep(
            max(POLL_SECONDS, 20 * took)
        )  # of large processes each look takes long, and halts them meanwhile


def _family(pid: int) -> Iterator[int]:
    yield pid
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text(encoding="utf-8").split():
            yield from _family(int(child))


def _pss_kib(pid: int) -> int:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    return 0


def write_inputs(folder: Path, runs: int, texts: Sequence[str]) -> None:
    """The runs as files for sitegen, and as Markdown with front matter for the others."""
    (folder / "md").mkdir(parents=True)
    (folder / "runs").mkdir()
    for number in range(runs):
        content = run_file(number)
        if texts:
            content["result"] = texts[number % len(texts)]
        (folder / "runs" / f"run-{number:06}.json").write_text(
            json.dumps(content), encoding="utf-8"
        )
        front = {
            "cost": content["total_cost_usd"],
            "turns": content["num_turns"],
            "ms": content["duration_ms"],
        }
        lines = [f"title: Run {number}", *(f"{key}: {value}" for key, value in front.items())]
        # Their templates would be run in it.
        text = str(content["result"]).replace("{{", "{ {").replace("{%", "{ %")
        (folder / "md" / f"run-{number:06}.md").write_text(
            "\n".join(["---", *lines, "---", text, ""]), encoding="utf-8"
        )


def hugo(folder: Path) -> list[str] | None:
    """Lay out a Hugo site over the texts; the command that builds it."""
    program = shutil.which("hugo")
    if program is None:
        return None
    site = folder / "hugo"
    (site / "layouts" / "_default").mkdir(parents=True)
    (site / "content").mkdir()
    shutil.copytree(folder / "md", site / "content" / "runs")
    (site / "content" / "runs" / "_index.md").write_text(
        "---\ntitle: runs\n---\n", encoding="utf-8"
    )
    (site / "config.toml").write_text(HUGO, encoding="utf-8")
    facts = {name: f"{{{{ .Params.{name} }}}}" for name in ("cost", "turns", "ms")}
    page = PAGE.format(title="{{ .Title }}", content="{{ .Content }}", **facts)
    (site / "layouts" / "_default" / "single.html").write_text(page, encoding="utf-8")
    rows = '{{ range .Pages }}<tr><td><a href="{{ .RelPermalink }}">{{ .Title }}</a><td>{{ .Params.cost }}{{ end }}'
    listed = f"<!doctype html><title>runs</title><table>{rows}</table>"
    (site / "layouts" / "_default" / "list.html").write_text(listed, encoding="utf-8")
    return [program, "--quiet", "--source", str(site), "--destination", "public"]


def eleventy(folder: Path) -> list[str] | None:
    """Lay out an Eleventy site over the texts; the command that builds it."""
    modules = Path(os.environ.get("ELEVENTY", ""), "node_modules")
    if not (modules / "@11ty" / "eleventy").is_dir() or shutil.which("node") is None:
        return None
    site = folder / "eleventy"
    (site / "src" / "_includes").mkdir(parents=True)
    (site / "node_modules").symlink_to(modules.resolve())
    (site / "eleventy.config.mjs").write_text(ELEVENTY, encoding="utf-8")
    facts = {name: f"{{{{ {name} }}}}" for name in ("cost", "turns", "ms", "title", "content")}
    (site / "src" / "_includes" / "run.liquid").write_text(PAGE.format(**facts), encoding="utf-8")
    shutil.copytree(folder / "md", site / "src" / "runs")
    data = '{"layout": "run.liquid", "tags": "run"}'
    (site / "src" / "runs" / "runs.json").write_text(data, encoding="utf-8")
    rows = '{% for r in collections.run %}<tr><td><a href="{{ r.url }}">{{ r.data.title }}</a>{% endfor %}'
    listed = (
        f"---\npermalink: index.html\n---\n<!doctype html><title>runs</title><table>{rows}</table>"
    )
    (site / "src" / "index.liquid").write_text(listed, encoding="utf-8")
    # It takes every path from the folder that it is started in.
    program = modules.resolve() / "@11ty" / "eleventy" / "cmd.cjs"
    return ["sh", "-c", 'cd "$1" && exec node "$0"', str(program), str(site)]


def floor(runs: Path, output: Path) -> None:
    """Read every run and write a page for each."""
    output.mkdir()
    with ProcessPoolExecutor(2) as pool:
        list(
            pool.map(
                _floor_page,
                sorted(runs.iterdir()),
                [output] * len(list(runs.iterdir())),
                chunksize=64,
            )
        )


def _floor_page(run: Path, output: Path) -> None:
    run.read_bytes()
    (output / f"{run.stem}.html").write_bytes(FLOOR_PAGE)


def change_one(folder: Path) -> None:
    """Write another cost and summary into the run in the middle, for all programs."""
    run = sorted((folder / "runs").iterdir())[len(list((folder / "runs").iterdir())) // 2]
    content = json.loads(run.read_text(encoding="utf-8"))
    content["total_cost_usd"] += 0.01
    content["result"] += "\n\nOne more line.\n"
    run.write_text(json.dumps(content), encoding="utf-8")
    for texts in ("hugo/content/runs", "eleventy/src/runs"):
        text = folder / texts / f"{run.stem}.md"
        if text.exists():
            text.write_text(
                text.read_text(encoding="utf-8") + "\nOne more line.\n", encoding="utf-8"
            )


def compare(runs: int, repeat: int, jobs: int, texts: Sequence[str], temporary: Path) -> None:
    """Print a table for one number of runs."""
    folder = temporary / str(runs)
    write_inputs(folder, runs, texts)
    time.sleep(2.5)  # files younger than two seconds are read again
    cache = temporary / "cache"
    costs: dict[str, list[Cost]] = {}
    others = {"Hugo": hugo(folder), "Eleventy": eleventy(folder)}
    floor_code = "from pathlib import Path; from benchmarks.peers import floor; floor(Path('runs'), Path({!r}))"

    def sitegen(output: str) -> list[str]:
        options = ["-q", "-j", str(jobs), "--cache-dir", str(cache), "-o", output]
        return [sys.executable, "-m", "sitegen", "build", "runs", *options]

    def note(name: str, command: Sequence[str]) -> None:
        costs.setdefault(name, []).append(measured(command, folder))

    for turn in range(repeat):
        site = f"site-{turn}"
        for name, command in others.items():
            if command:
                shutil.rmtree(folder / name.lower() / "public", ignore_errors=True)
                note(name, command)
        note("I/O floor", [sys.executable, "-c", floor_code.format(f"floor-{turn}")])
        note("python -c pass", [sys.executable, "-c", "pass"])
        note("sitegen, cold, no cache", sitegen(site))
        note("sitegen, nothing changed", sitegen(site))
        change_one(folder)
        time.sleep(2.5)
        note("sitegen, one changed", sitegen(site))
        note("floor: one chart", [sys.executable, "-c", ONE_CHART])
        if (
            sys.platform == "linux"
        ):  # others have another cp; it changes times by which files are known
            note("floor: links", ["sh", "-c", LINK_AND_REMOVE, site])
        shutil.rmtree(folder / site)
        note("sitegen, cold, cache", sitegen(site))
        for name, command in others.items():
            if command:
                note(f"{name}, one changed", command)
        if turn + 1 < repeat:
            shutil.rmtree(folder / site)
        shutil.rmtree(folder / f"floor-{turn}")
    size = sum(path.stat().st_size for path in (folder / site).rglob("*") if path.is_file())
    print(f"\n{runs:,} runs, {repeat} turns; the site of sitegen has {size / 1e6:,.1f} MB")
    print(
        f"{'':26}{'seconds':>9}{'least to most':>18}{'CPU s':>8}{'MiB':>7}{'of Hugo':>10}{'least to most':>16}"
    )
    for name, found in costs.items():
        report(name, found, costs.get("Hugo"))


def report(name: str, found: Sequence[Cost], base: Sequence[Cost] | None) -> None:
    """Print a line: medians, spreads, and the ratio to Hugo turn by turn."""

    def middle(of: Callable[[Cost], float]) -> float:
        return statistics.median(map(of, found))

    seconds = [cost.seconds for cost in found]
    spread = f"{min(seconds):.2f} to {max(seconds):.2f}"
    peaks = [cost.peak_mib for cost in found if cost.peak_mib]
    line = f"{name:<26}{middle(lambda c: c.seconds):>9.3f}{spread:>18}{middle(lambda c: c.cpu_seconds):>8.2f}"
    line += f"{statistics.median(peaks):>7.0f}" if peaks else f"{'':>7}"
    if base:
        ratios = [one.seconds / other.seconds for one, other in zip(found, base, strict=True)]
        line += f"{statistics.median(ratios):>10.3f}{f'{min(ratios):.3f} to {max(ratios):.3f}':>16}"
    print(line)


def main() -> None:
    """Measure each size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, nargs="+", default=[100, 1_000, 10_000])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--texts", type=Path, help="a folder of result files whose summaries are used"
    )
    arguments = parser.parse_args()
    texts = []
    if arguments.texts:
        read = (reread_run(entry, Redactor()) for entry in load_runs(arguments.texts))
        texts = [run.texts.summary for run in read if run.texts.summary]
    version = "no Hugo"
    if shutil.which("hugo"):
        version = subprocess.run(
            ["hugo", "version"], capture_output=True, encoding="utf-8"
        ).stdout.strip()
    print(f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}; {version}")
    compileall.compile_dir(ROOT / "sitegen", quiet=1)  # as an installer leaves it
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as temporary:
        for runs in arguments.runs:
            compare(runs, arguments.repeat, arguments.jobs, texts, Path(temporary))


if __name__ == "__main__":
    main()
