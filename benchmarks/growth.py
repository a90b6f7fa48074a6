"""How time and memory of a cold build grow with the number of runs, as a table and as a chart.

    .venv/bin/python -m benchmarks.growth [--runs 100 1000 10000] [--jobs 2] [--engine dask] [--output shots/growth.svg]

One build for each number of generated runs, without a cache. The chart has both axes logarithmic, so that a straight
line of slope 1 is linear growth. 100,000 runs need about 6 GB of disk.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
import tempfile
from pathlib import Path

import altair as alt
import vl_convert

from benchmarks.floor import processor, write_campaign
from benchmarks.peers import measured


def main() -> None:
    """Build, print, draw."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, nargs="+", default=[100, 1_000, 10_000, 100_000])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--engine", default="processes", help="what does the work, as `sitegen build` has it"
    )
    parser.add_argument("--output", type=Path, default=Path("shots/growth.svg"))
    arguments = parser.parse_args()
    print(f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(
        f"{'runs':>8}{'seconds':>10}{'CPU s':>10}{'peak MiB':>10}{'ms a run':>10}{'site MB':>10}{'files':>9}"
    )
    rows = []
    for runs in arguments.runs:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            write_campaign(folder / "runs", runs)
            options = [
                "-q",
                "--no-cache",
                "-j",
                str(arguments.jobs),
                "-o",
                "site",
                "--engine",
                arguments.engine,
            ]
            cost = measured([sys.executable, "-m", "sitegen", "build", "runs", *options], folder)
            sizes = [path.stat().st_size for path in (folder / "site").rglob("*") if path.is_file()]
            shutil.rmtree(folder / "runs")
        print(
            f"{runs:>8,}{cost.seconds:>10.1f}{cost.cpu_seconds:>10.1f}{cost.peak_mib or 0:>10,.0f}"
            f"{1000 * cost.seconds / runs:>10.2f}{sum(sizes) / 1e6:>10,.0f}{len(sizes):>9,}",
            flush=True,
        )
        rows += [
            {"runs": runs, "figure": "seconds", "value": cost.seconds},
            {"runs": runs, "figure": "peak memory, MiB", "value": cost.peak_mib},
        ]
    chart = (
        alt.Chart(alt.InlineData(values=rows), width=480, height=320)
        .mark_line(point=True)
        .encode(
            alt.X("runs:Q", scale=alt.Scale(type="log"), title="Runs"),
            alt.Y("value:Q", scale=alt.Scale(type="log"), title=None),
            alt.Color("figure:N", title=None),
        )
    )
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(vl_convert.vegalite_to_svg(chart.to_json()), encoding="utf-8")
    print(f"drawn in {arguments.output}")


if __name__ == "__main__":
    main()
