"""`--json`: one object on standard output, whatever happens, with the keys that docs/json.md lists."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.site.test_build import problems, rows
from tests.support import campaigns
from tests.support.campaigns import result
from tests.support.command import sitegen

pytestmark = [pytest.mark.slow, pytest.mark.blank_charts]

TOKEN = "gh" + "p_" + "R7kQ2mZx9LbW4tYc8NvH3sJd6FgA1pEo5uTi"


def answer(*arguments: str, cwd: Path, code: int = 0) -> dict[str, Any]:
    """The object that a command prints."""
    done = sitegen(*arguments, "--json", cwd=cwd)
    assert done.returncode == code, done.stderr
    assert done.stdout.count("\n") == 1
    assert done.stdout.isascii()
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["exit_code"] == code
    return found


def inputs(folder: Path) -> None:
    """Runs with a problem, a masked value, an ignored file and a gate that fails."""
    with_token = result(2, result=f"I pushed with {TOKEN} and ##vso[task.complete] is text.")
    files = {
        "a.json": result(1),
        "b.json": with_token,
        "c.json": '{"type": "result", "resu',
        "d.png": "no run",
    }
    campaigns.write(folder / "runs", files)
    table = "attempts: 1\ntask_table: tasks.csv\n"
    campaigns.write(
        folder, {"s.yaml": f"inputs: [runs]\n{table}gates:\n  runs: {{min: 5}}\noutput: site\n"}
    )
    campaigns.write(folder, {"tasks.csv": "task\nlater\n"})


def keys(value: object, at: str = "") -> Iterator[str]:
    """The paths of all keys, as the documentation writes them; of counts by name and of evidence, which differs from
    code to code, only that of the whole."""
    if isinstance(value, dict) and at not in ("totals.by_status", "findings[].evidence"):
        for key, each in value.items():
            yield from keys(each, f"{at}.{key}" if at else key)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for each in value:
            yield from keys(each, f"{at}[]")
    else:
        yield at


def documented(*headings: str) -> set[str]:
    """The keys that the tables below these headings list."""
    sections = re.split(
        r"^## ", (ROOT / "docs" / "json.md").read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    found = {section.splitlines()[0]: section for section in sections}
    cells = (
        line.split("|")[1]
        for heading in headings
        for line in found[heading].splitlines()
        if line[:3] == "| `"
    )
    return {key for cell in cells for key in re.findall(r"`([^`]+)`", cell)}


def test_docs_and_output_name_the_same_keys(tmp_path: Path) -> None:
    inputs(tmp_path)
    built = answer("build", "-c", "s.yaml", cwd=tmp_path, code=3)
    assert set(keys(built)) == documented("All three", "build and check", "build only")
    checked = answer("check", "-c", "s.yaml", cwd=tmp_path, code=3)
    assert set(keys(checked)) == documented("All three", "build and check")
    scanned = answer("scan", "runs", cwd=tmp_path, code=1)
    assert set(keys(scanned)) == documented("All three", "scan only")


def test_the_object_says_what_the_site_says(tmp_path: Path) -> None:
    inputs(tmp_path)
    built = answer("build", "-c", "s.yaml", cwd=tmp_path, code=3)
    site = Path(built["output"])
    assert site == tmp_path / "site"
    assert [(run["id"], run["cost_usd"]) for run in built["runs"]] == [
        (row["id"], row["cost_usd"]) for row in rows(site)
    ]
    assert all((site / run["page"]).is_file() for run in built["runs"])
    assert built["problems"] == problems(site)
    assert built["totals"]["cost_usd"]["value"] == pytest.approx(
        sum(row["cost_usd"] for row in rows(site))
    )
    assert [(gate["name"], gate["verdict"]) for gate in built["gates"]] == [("runs", "failed")]
    assert [each["kind"] for each in built["masked"]] == ["github token"]
    assert [error.partition(",")[0] for error in built["errors"]] == ["gate failed: Runs"]


def test_no_secret_is_printed(tmp_path: Path) -> None:
    inputs(tmp_path)
    campaigns.write(tmp_path / "runs", {f"{TOKEN}.json": result(3), f"x {TOKEN}.json": "{"})
    for command in (("build", "-c", "s.yaml"), ("check", "runs"), ("scan", "runs")):
        done = sitegen(*command, "--json", cwd=tmp_path)
        assert json.loads(done.stdout)["command"] == command[0]
        assert TOKEN not in done.stdout + done.stderr
        assert "##" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (("build", "none"), 2, "there is no such file"),
        (("build", "empty"), 4, "no runs"),
        (("check", "empty"), 4, "no runs found"),
        (("build",), 2, "Name the runs"),
        (("scan", "none"), 2, "there is no such file"),
    ],
)
def test_a_failure_is_an_object_with_its_reason(
    tmp_path: Path, arguments: tuple[str, ...], code: int, why: str
) -> None:
    (tmp_path / "empty").mkdir()
    failed = answer(*arguments, cwd=tmp_path, code=code)
    assert failed.get("output") is None
    assert len(failed["errors"]) == 1
    assert why in failed["errors"][0]


def test_a_build_without_changes_prints_the_object_again(tmp_path: Path) -> None:
    inputs(tmp_path)
    first = answer("build", "runs", "-o", "site", cwd=tmp_path)
    assert answer("build", "runs", "-o", "site", cwd=tmp_path) == first
