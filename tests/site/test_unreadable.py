"""Runs that could not be read: sums of the first page are lower bounds then, as gates have them."""

from __future__ import annotations

import json
from pathlib import Path

from tests.site.test_pages_agree import Site
from tests.support.campaigns import SONNET, result, write
from tests.support.command import sitegen


def built(folder: Path, *, is_broken: bool) -> Site:
    files: dict[str, object] = {f"{number}.json": result(number, SONNET) for number in range(1, 5)}
    write(folder / "runs", files)
    if is_broken:
        broken = json.dumps(result(5, SONNET))
        (folder / "runs" / "5.json").write_text(broken[: len(broken) // 2])
    rows = [f"{number}.json,{'pass' if number > 1 else 'fail'}" for number in range(1, 5)]
    (folder / "outcomes.csv").write_text("\n".join(["path,outcome", *rows]))
    (folder / "config.yaml").write_text("inputs: [runs]\noutcomes: [outcomes.csv]\n")
    done = sitegen("build", "-o", "site", "--no-cache", cwd=folder)
    assert done.returncode == 0, done.stderr
    return Site(folder / "site")


def test_sums_are_lower_bounds_where_a_run_could_not_be_read(tmp_path: Path) -> None:
    site = built(tmp_path, is_broken=True)
    for key in ("cost", "time", "tokens"):
        assert "+" in site.tile(key), site.tile(key)
    assert "3 of 4 judged runs" in site.tile("success")
    assert "1 not readable, so at least 60%" in site.tile("success")


def test_sums_are_exact_where_all_runs_could_be_read(tmp_path: Path) -> None:
    site = built(tmp_path, is_broken=False)
    for key in ("cost", "time", "tokens", "success", "runs"):
        assert "+" not in site.tile(key) and "not readable" not in site.tile(key)
