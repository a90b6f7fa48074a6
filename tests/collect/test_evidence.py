"""Evidence as a fact of runs: on their pages, masked, counted, and in no pack."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from sitegen.collect.evidence import add_evidence
from sitegen.inputs.survey import Facts
from sitegen.masking.redact import Redactor
from sitegen.model import Source
from tests.collect.facts import entry
from tests.support import campaigns
from tests.support.campaigns import OPUS, result
from tests.support.command import sitegen

TOKEN = "gh" + "p_" + "R7kQ2mZx9LbW4tYc8NvH3sJd6FgA1pEo5uTi"
LOG = f"<script>alert(1)</script>\n{TOKEN}\n1 failed\n"
JUNIT = "<testsuite><testcase><failure/></testcase></testsuite>"


def run_in(folder: Path, path: str) -> Facts:
    run = replace(entry(path), source=Source(path, str(folder / path), named=False, size=1))
    return Facts(entries=(run,), ignored_files=(("t.log", "text"), ("other.log", "text")))


def test_it_is_named_counted_and_no_longer_ignored(tmp_path: Path) -> None:
    campaigns.write(tmp_path, {"1.json": "", "t.log": LOG})
    before = run_in(tmp_path, "1.json")
    facts = add_evidence(before, before.entries, ["t.log"], Redactor())
    (run,) = facts.entries
    assert [source.path for source in run.evidence] == ["t.log"]
    assert len(run.evidence_digests) == 1
    assert [(each.place, each.kind, each.count) for each in facts.masked] == [
        ("evidence", "github token", 1)
    ]
    assert facts.ignored_files == (("other.log", "text"),)


def test_without_the_setting_nothing_is_read(tmp_path: Path) -> None:
    campaigns.write(tmp_path, {"1.json": "", "t.log": LOG})
    facts = run_in(tmp_path, "1.json")
    assert add_evidence(facts, facts.entries, [], Redactor()) == facts


def test_a_file_that_may_be_that_of_a_run_left_out_belongs_to_none(tmp_path: Path) -> None:
    campaigns.write(tmp_path, {"1.json": "", "2.json": "", "t.log": LOG})
    kept, left_out = run_in(tmp_path, "1.json"), run_in(tmp_path, "2.json")
    all_runs = (*kept.entries, *left_out.entries)
    (run,) = add_evidence(kept, all_runs, ["t.log"], Redactor()).entries
    assert not run.evidence
    (run,) = add_evidence(kept, all_runs, ["2.json"], Redactor()).entries
    assert not run.evidence, "it is the file of a run"


@pytest.mark.slow
@pytest.mark.blank_charts
def test_its_page_shows_it_masked_and_a_pack_does_not_hold_it(tmp_path: Path) -> None:
    files = {"a/1.json": result(1, OPUS), "a/t.log": LOG, "a/junit.xml": JUNIT}
    campaigns.write(tmp_path / "runs", files)
    outcomes = [{"path": "runs/*/junit.xml", "beside": True}]
    settings = {"inputs": ["runs"], "evidence": ["t.log"], "outcomes": outcomes}
    campaigns.write(tmp_path, {"config.yaml": json.dumps(settings)})
    first = build(tmp_path)
    assert "a/t.log" in first and "&lt;script&gt;alert(1)" in first and "<script>alert" not in first
    assert "[redacted: github token #1]" in first and TOKEN not in first
    assert "1 of 1 test failed" in first
    log = tmp_path / "runs" / "a" / "t.log"
    log.write_text("all passed\n")
    assert "all passed" in build(tmp_path)
    log.unlink()
    assert "a/t.log" not in build(tmp_path)
    log.write_text("unpacked\n")
    assert sitegen("pack", "-o", "x.zip", cwd=tmp_path).returncode == 0
    with zipfile.ZipFile(tmp_path / "x.zip") as pack:
        packed = b"".join(map(pack.read, pack.namelist()))
    assert b"t.log" not in packed and b"unpacked" not in packed


def build(folder: Path) -> str:
    """The page of the only run, after a build."""
    done = sitegen("build", cwd=folder)
    assert done.returncode == 0, done.stderr
    (page,) = (folder / "site" / "runs").glob("*.html")
    return page.read_text("utf-8")
