"""What the worst folder costs: many runs, every malformed file, and files that each hold one text of 30 MB.

    .venv/bin/python benchmarks/memory.py BAD_INPUTS [--runs 10000] [--each]

BAD_INPUTS is the folder that the generator of malformed files has written. Prints the peak of the memory of all
processes of the build together (proportional set size, looked at ten times a second; Linux only), and
their processor time. With `--each`, every large file is built alone as well: what one bad run costs.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import string
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from floor import write_campaign  # noqa: E402

from tests.support.campaigns import result  # noqa: E402

RNG = random.Random(1)  # noqa: S311  the same texts each time
MB = 1024 * 1024
LARGEST = 30 * MB
"""Bytes of a text as JSON."""
PIECES = {
    "letters": "x",
    "words": "the loop was moved ",
    "lines": "a\n",
    "emphasis": "**a** ",
    "links": "[a](https://example.org) ",
    "brackets": "[",
    "tags": "<b>",
    "fences": "```js\nlet a\n```\n",
    "tables": "|a|b|\n|-|-|\n",
    "addresses": "ann@host.io ",
    "homes": "/home/ann/x ",
    "passwords": "password=kT8_hunter22 ",
    "escapes": "\\x41&amp;%41\u200b",
    "colours": "\x1b[31ma",
    "base64": "".join(RNG.choices(string.ascii_letters + string.digits + "+/\n", k=MB)),
}


def write_large(folder: Path) -> list[Path]:
    """A run of each piece, as often as the file may hold it."""
    files = []
    for number, (name, piece) in enumerate(PIECES.items(), 1_000_000):
        size = len(json.dumps(piece, ensure_ascii=False).encode()) - 2
        files.append(folder / f"large-{name}.json")
        text = json.dumps(result(number, result=piece * (LARGEST // size)), ensure_ascii=False)
        files[-1].write_text(text, encoding="utf-8")
    return files


def build(inputs: Path, site: Path) -> tuple[int, float]:
    """Peak memory in bytes, and seconds of processor time, of a build into a new folder."""
    before, peak = _processor_seconds(), 0
    command = [
        sys.executable,
        "-m",
        "sitegen",
        "build",
        "-q",
        "--no-config",
        str(inputs),
        "-o",
        str(site),
    ]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while process.poll() is None:
        peak = max(peak, memory_of(process.pid))
        time.sleep(0.1)
    if process.returncode:
        sys.exit(f"the build ended with {process.returncode}")
    return peak, _processor_seconds() - before


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def memory_of(pid: int) -> int:
    """Bytes of a process and all below it; a page that several share counts in parts."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:  # it has ended
        return 0
    own = sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    return own + sum(memory_of(int(child)) for child in children)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("bad_inputs", type=Path)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--each", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, sites = Path(name), Path(name, "sites")
        sites.mkdir()
        shutil.copytree(given.bad_inputs, folder / "all", symlinks=True)
        write_campaign(folder / "all", given.runs)
        (folder / "large").mkdir()
        files = write_large(folder / "large")
        for file in files if given.each else ():
            peak, seconds = build(file, sites / file.stem)
            print(f"{file.stem}: {peak / MB:,.0f} MB, {seconds:.1f} s", flush=True)
        (folder / "large").rename(folder / "all" / "large")
        peak, seconds = build(folder / "all", sites / "all")
        print(f"{given.runs:,} runs and all hostile files: {peak / MB:,.0f} MB, {seconds:.1f} s")


if __name__ == "__main__":
    main()
