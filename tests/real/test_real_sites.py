"""Sites of real files of strangers: data and pages say what a few lines compute from the raw JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sitegen.cli.commands import cli
from tests.real.test_real_runs import KINDS, SEEDS, expected, files, raw_results
from tests.site.test_build import rows
from tests.support import site_checks
from tests.support.command import sitegen

pytestmark = [pytest.mark.slow, pytest.mark.blank_charts]

CLAUDE = ("claude-result", "claude-result-odd", "claude-stream", "claude-array")
FIGURES = {
    "cost": "cost_usd",
    "wall_ms": "wall_ms",
    "turns": "turns",
    **{kind: f"{kind}_tokens" for kind in KINDS},
}
"""Names of the independent computation -> columns of the data."""


def text_of(page: Path) -> str:
    """All text of a page's body, blanks as single spaces."""
    body = site_checks.parsed(page).root.find("body")
    assert body is not None
    return " ".join(" ".join(body.itertext()).split())


def build(folder: Path, *inputs: Path) -> Path:
    """The site that the command makes of real files."""
    done = sitegen("build", "-q", *inputs, "-o", "site", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return folder / "site"


# The seeds


@pytest.fixture(scope="module")
def seeds(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of the three seeds."""
    return build(tmp_path_factory.mktemp("seeds"), shared / "runs" / "seeds")


def test_seeds_are_in_the_data_as_the_acceptance_says(seeds: Path) -> None:
    columns = [
        "cost_usd",
        "input_tokens",
        "cache_write_tokens",
        "cache_read_tokens",
        "output_tokens",
    ]
    columns += ["wall_ms", "api_ms", "turns"]
    found = {row["path"]: tuple(row[column] for column in columns) for row in rows(seeds)}
    assert {name: (round(cost, 9), *counts) for name, (cost, *counts) in found.items()} == SEEDS
    assert math.fsum(cost for cost, *_ in found.values()) == pytest.approx(2.66320715, abs=1e-12)
    assert {tuple(row["models"]) for row in rows(seeds)} == {
        ("Claude Sonnet 4.5", "Claude Opus 4.5")
    }
    assert [row["warnings"] for row in rows(seeds)] == [[], [], []]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("000_5923af64a9601b09.txt", ["$0.88", "3 min 18 s", "4 min 12 s", "32 turns"]),
        ("002_89fb9a76eb7725c5.txt", ["$1.21", "4 min 14 s", "5 min 11 s", "48 turns"]),
        ("003_e68a5f9bc527e952.txt", ["$0.58", "2 min 38 s", "3 min 9 s", "26 turns"]),
    ],
)
def test_the_page_of_a_seed_shows_its_figures_exactly(
    seeds: Path, name: str, shown: list[str]
) -> None:
    page = next(seeds / row["page"] for row in rows(seeds) if row["path"] == name)
    text = text_of(page)
    cost, *kinds, wall_ms, _, _ = SEEDS[name]
    exact = {element.get("title") for element in site_checks.parsed(page).elements}
    assert {f"${cost}", f"{wall_ms:,} ms", f"{sum(kinds):,}"} - exact == set()
    missing = [
        part
        for part in (*shown, *(f"{count:,}" for count in kinds), "Opus 4.5")
        if part not in text
    ]
    assert missing == []


def test_the_index_of_the_seeds_shows_their_sums(seeds: Path) -> None:
    text = text_of(seeds / "index.html")
    missing = [
        part
        for part in ("$2.66", "3 runs", "90,737", "163,673", "3,658,868", "43,910", "106 turns")
        if part not in text
    ]
    assert missing == []
    assert "$2.66+" not in text


# The whole family


def path_of(row: dict[str, Any], known: set[str]) -> str:
    """The path of a row's file below its input, without the prefix that inputs with colliding paths get."""
    path: str = row["path"]
    return path if path in known else path.partition("/")[2]


def distinct_runs(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Key -> result records of every distinct run: one session of files that hold one uuid, with all its results.

    The key is the last uuid, and the path below the family for a file that has none.
    """
    by_path = {
        path.relative_to(folder / family).as_posix(): found
        for family in CLAUDE
        for path in files(folder / family)
        if (found := raw_results(path))
    }
    runs: list[dict[str, dict[str, Any]]] = []
    sessions = [
        (path, [each for each in results if each.get("session_id") == session])
        for path, results in by_path.items()
        for session in dict.fromkeys(each.get("session_id") for each in results)
    ]
    for path, results in sorted(sessions, key=lambda item: -len(item[1])):
        keyed = {
            result.get("uuid") or f"{path}#{number}": result
            for number, result in enumerate(results)
        }
        same = next((run for run in runs if run.keys() & keyed.keys()), None)
        if same is None:
            runs.append(keyed)
        else:
            assert keyed.keys() <= same.keys(), "then neither file tells of the whole run"
    return {list(run)[-1].partition("#")[0]: list(run.values()) for run in runs}


@pytest.fixture(scope="module")
def family(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One site of all that `claude -p` printed."""
    return build(tmp_path_factory.mktemp("family"), *(shared / "runs" / name for name in CLAUDE))


def test_every_distinct_run_has_one_page_and_the_figures_of_its_raw_json(
    shared: Path, family: Path
) -> None:
    raw = {key: expected(results) for key, results in distinct_runs(shared / "runs").items()}
    found = {row["uuid"] or path_of(row, set(raw)): row for row in rows(family)}
    assert len(rows(family)) == len(found) > 200
    assert found.keys() == raw.keys()
    pages = {family / row["page"] for row in found.values()}
    assert pages == set(family.glob("runs/*.html"))
    differences = [
        (row["path"], name, row[column], raw[key][name])
        for key, row in found.items()
        for name, column in FIGURES.items()
        if row[column] != raw[key][name]
    ]
    assert differences == []


def test_sums_of_all_runs_are_those_of_the_raw_json(shared: Path, family: Path) -> None:
    raw = [expected(results) for results in distinct_runs(shared / "runs").values()]
    for name, column in FIGURES.items():
        ours = math.fsum(row[column] or 0 for row in rows(family))
        assert ours == math.fsum(figures[name] or 0 for figures in raw), name
    total = math.fsum(figures["cost"] for figures in raw)
    assert f"${total:,.2f}" in text_of(family / "index.html")
    assert f"{len(raw)} runs" in text_of(family / "index.html")


def test_the_site_of_all_runs_is_sound(family: Path) -> None:
    assert site_checks.findings(family) == []


def test_a_merged_file_is_listed_with_the_run_that_is_shown(family: Path) -> None:
    listed = json.loads((family / "data" / "problems.json").read_text(encoding="utf-8"))["problems"]
    merged = {problem["file"] for problem in listed if problem["verdict"] == "merge"}
    assert merged
    assert merged.isdisjoint(row["path"] for row in rows(family))


# Everything


def test_no_folder_of_any_family_ends_in_a_traceback(
    shared: Path, sample: Callable[[list[Path], int], list[Path]], tmp_path: Path
) -> None:
    """In one process, with warnings as errors: 0 where there is a run, 4 where there is none."""
    codes: dict[str, int] = {}
    for folder in sample(sorted(path for path in (shared / "runs").iterdir() if path.is_dir()), 3):
        done = CliRunner().invoke(
            cli, ["build", "--no-config", str(folder), "-o", str(tmp_path / folder.name)]
        )
        assert isinstance(done.exception, SystemExit | None), (folder.name, done.exception)
        assert done.exit_code == 0 or (done.exit_code == 4 and "no runs found" in done.output), (
            done.output
        )
        assert (done.exit_code == 0) == (tmp_path / folder.name / "index.html").is_file()
        codes[folder.name] = done.exit_code
    assert {name for name, code in codes.items() if code == 0} >= {*CLAUDE, "seeds"} & codes.keys()
