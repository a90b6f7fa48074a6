"""Inputs and outputs that cannot be used: each is named, with what to do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from sitegen.model import Entry, ModelUsage, Run, Source, Status, Tokens
from sitegen.pages.data import model_rows
from tests.support import campaigns
from tests.support.campaigns import result
from tests.support.command import sitegen


@pytest.mark.parametrize(
    ("named", "code", "said"),
    [("empty", 4, "no runs found"), ("nowhere", 2, "nowhere: there is no")],
)
def test_serve_ends_where_nothing_is(tmp_path: Path, named: str, code: int, said: str) -> None:
    (tmp_path / "empty").mkdir()
    done = sitegen("serve", named, "--port", "0", "--no-cache", cwd=tmp_path)
    assert done.returncode == code and said in done.stderr


def test_a_site_as_an_input_is_one(tmp_path: Path) -> None:
    campaigns.write(tmp_path / "runs", {"a.json": result(1)})
    assert (
        sitegen("build", "runs", "--cache-dir", "/proc/nowhere", cwd=tmp_path).stderr.count(
            "/proc/nowhere"
        )
        == 1
    )
    done = sitegen("build", "site", "-o", "new", cwd=tmp_path)
    assert done.returncode == 4 and "it is a site that sitegen wrote, not runs" in done.stderr
    both = sitegen("check", "site", "runs", "--json", cwd=tmp_path)
    assert len(json.loads(both.stdout)["runs"]) == 1 and both.returncode == 0
    for packed in (
        shutil.make_archive(str(tmp_path / "a"), form, tmp_path / "site")
        for form in ("zip", "gztar")
    ):
        assert (
            "the archive of a site that sitegen wrote"
            in sitegen("build", packed, cwd=tmp_path).stderr
        )
        assert (
            "unpack a site that is an archive"
            in sitegen("diff", packed, "site", cwd=tmp_path).stderr
        )


def test_scan_names_what_is_not_text(tmp_path: Path) -> None:
    for name, data in (
        ("a.pdf", b"%PDF-1.7 \xff"),
        ("b.bin", b"\0\1"),
        ("c.txt", "schön".encode()),
        ("d.zip", b"PK\3\4\0"),
    ):
        (tmp_path / name).write_bytes(data)
    done = sitegen("scan", ".", cwd=tmp_path)
    assert "2 files are not text, and were searched as bytes only: a.pdf, b.bin." in done.stderr
    assert "1 archive was not opened" in done.stderr and "in 4 files" in done.stdout


def test_markdown_has_tasks_scores_and_labels(tmp_path: Path) -> None:
    rows = "task,attempt,outcome,labels,speedup\nsort,1,pass,new|ly,1.25\n"
    campaigns.write(tmp_path, {"runs/sort/1.json": result(1), "o.csv": rows})
    campaigns.write(
        tmp_path,
        {
            "config.yaml": 'inputs: [{path: runs, pattern: "{task}/{attempt}.json"}]\noutcomes: [o.csv]\n'
        },
    )
    done = sitegen("export", "-o", "x.md", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (heads,) = [
        line
        for line in (tmp_path / "x.md").read_text("utf-8").splitlines()
        if line.startswith("| Run")
    ]
    (row,) = [
        line for line in (tmp_path / "x.md").read_text("utf-8").splitlines() if "sort" in line
    ]
    told = dict(zip(heads.split(" | "), row.replace(r"\|", "/").split(" | "), strict=True))
    assert told["Labels"] == "new/ly"
    assert (told["Task"], told["Outcome"], told["Scores"]) == ("sort", "pass", "speedup 1.25")


@pytest.mark.parametrize(("models", "costs"), [(1, [2.5]), (2, [None, None])])
def test_the_cost_of_a_run_of_one_model_is_that_of_the_model(
    models: int, costs: list[float | None]
) -> None:
    lines = tuple(ModelUsage(f"m{number}", Tokens(input=1)) for number in range(models))
    run = Run("a reader", Status.OK, ledger=lines, cost_usd=2.5)
    entry = Entry(
        "a",
        Source("a", "a", named=True, size=1),
        0,
        "",
        run,
        "a",
        ledger_names=("m0", "m1")[:models],
    )
    assert [row["cost_usd"] for row in model_rows([entry])] == costs
