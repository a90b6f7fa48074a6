"""Nightly reports by the recipe of docs/nightly.md: what is announced on which night, and what the gates do."""

from __future__ import annotations

import os
import random
import re
import shutil
import stat
import subprocess
import sys
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from sitegen import config
from sitegen.inputs.campaigns import past
from sitegen.masking.redact import Redactor
from tests.conftest import ROOT
from tests.support import campaigns
from tests.support.building import build
from tests.support.campaigns import result

DOCUMENT = (ROOT / "docs/nightly.md").read_text("utf-8")
SETTINGS = re.findall(r"```yaml\n(# nightly.yaml\n.*?)```", DOCUMENT, re.DOTALL)
SCRIPT = re.findall(r"```sh\n(set -eu\n.*?)```", DOCUMENT, re.DOTALL)
TASKS, STEP, FLAKY, BREAK = 8, 6, 5, 8
"""How many tasks there are, and the nights from which costs rise, a task is flaky and another fails."""
AWS = """#!/bin/sh
shift; verb=$1; shift; delete=
[ "${1:-}" = --delete ] && { delete=1; shift; }
case $verb in
sync) [ -d "$1" ] || exit 0; [ $delete ] && rm -rf "$2"; mkdir -p "$2"; cp -R "$1/." "$2" ;;
cp) mkdir -p "$2"; cp "$1" "$2" ;;
ls) for each in "$1"*; do echo "2026-12-01 00:00:00 1 ${each##*/}"; done ;;
rm) rm "$1" ;;
esac
"""
"""As far as the recipe needs the program, with a folder for a bucket."""
posix_only = pytest.mark.skipif(os.name != "posix", reason="the recipe is a script of the shell")


def night(folder: Path, number: int) -> None:
    """The runs of a night, as `claude -p` writes them, which do not say when."""
    shutil.rmtree(folder / "runs", ignore_errors=True)
    chance, rows, files = random.Random(number), ["task,attempt,outcome"], dict[str, Any]()  # noqa: S311
    for task in range(TASKS):
        for attempt in (1, 2, 3):
            fails = (task == 1 and number >= BREAK) or (
                task == 2 and number >= FLAKY and attempt == 1 + number % 3
            )
            rows.append(f"t{task},{attempt},{'failed' if fails else 'passed'}")
            cost = (
                (0.3 + task / 10) * chance.lognormvariate(0, 0.2) * (1.5 if number >= STEP else 1)
            )
            files[f"runs/t{task}/{attempt}.json"] = result(
                100 * number + 10 * task + attempt, total_cost_usd=cost
            )
    campaigns.write(folder, {**files, "runs/outcomes.csv": "\n".join(rows) + "\n"})


def run_nights(folder: Path, nights: int) -> list[tuple[int, str, str]]:
    """The exit code, the page of trends and the feed of each night of the recipe."""
    for name, text in (
        ("aws", AWS),
        ("sitegen", f'#!/bin/sh\nexec "{sys.executable}" -m sitegen "$@"\n'),
    ):
        campaigns.write(folder / "bin", {name: text})
        (folder / "bin" / name).chmod(stat.S_IRWXU)
    (settings,), (script,) = SETTINGS, SCRIPT
    campaigns.write(folder, {"nightly.yaml": settings, "nightly.sh": script.replace("-60", "-5")})
    found, path = list[tuple[int, str, str]](), f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    for number in range(nights):
        night(folder, number)
        own = {"PATH": path, "PYTHONPATH": str(ROOT), "BUCKET": str(folder / "bucket")}
        environment = {**os.environ, **own, "DAY": f"2026-12-{number + 1:02}"}
        done = subprocess.run(
            ["sh", "nightly.sh"], cwd=folder, env=environment, capture_output=True, encoding="utf-8"
        )
        site = folder / "bucket/site"
        page, feed = ((site / name).read_text("utf-8") for name in ("trends.html", "feed.xml"))
        found.append((done.returncode, page, feed))
        assert done.returncode in (0, 3), done.stderr
    return found


@posix_only
def test_the_first_nights_of_the_recipe(tmp_path: Path) -> None:
    (first, page, _), (second, after, _) = run_nights(tmp_path, 2)
    assert (first, second) == (0, 0)
    assert "One campaign: nothing to compare with yet" in page
    assert (
        "Two campaigns since 1 Dec 2026, without an alert" in after
        and "Against the baseline" in after
    )
    assert len(list((tmp_path / "bucket/packs").iterdir())) == 2


@posix_only
@pytest.mark.nightly
def test_twelve_nights_of_the_recipe(tmp_path: Path) -> None:
    """A step in cost by half, a flaky task and a break: each is said when it can be known, and dated for good."""
    nights = run_nights(tmp_path, 12)
    codes = [code for code, _, _ in nights]
    assert (
        codes[:STEP] == [0] * STEP and codes[STEP] == 3 and codes[BREAK] == 3
    )  # dearer, and a break
    dated = [
        re.findall(r"<title>(t1 newly fails|Mean cost[^<]*)</title><updated>(.{10})", feed)
        for _, _, feed in nights
    ]
    assert dated[STEP - 1] == [] and {day for _, day in dated[-1]} <= {
        "2026-12-07",
        "2026-12-08",
        "2026-12-09",
        "2026-12-10",
    }
    assert {title.split()[0] for title, _ in dated[-1]} == {"t1", "Mean"}
    for earlier, later in pairwise(dated):
        assert set(earlier) <= set(later)
    assert "0 of 3 since 9 Dec, 24 of 24 before" in nights[BREAK][1]
    assert "0 of 12 since 9 Dec, 24 of 24 before" in nights[-1][1]
    assert re.search(r"14 of 21 since 6 Dec, 15 of 15 before", nights[-1][1])
    assert min(path.name for path in (tmp_path / "bucket/packs").iterdir()) == "2026-12-08.zip"
    stated = {
        "campaigns": [{"path": str(tmp_path / "bucket/packs/*.zip"), "keep": 3}],
        "output": str(tmp_path / "kept"),
    }
    build(config.Config.model_validate(stated), Redactor(()), lambda _, items: items, print)
    assert len(list((tmp_path / "kept/campaigns").glob("*.html"))) == 3


@posix_only
def test_the_lines_for_cron_run_with_the_path_of_cron(tmp_path: Path) -> None:
    (lines,) = re.findall(r"```text\n(PATH=.*?)```", DOCUMENT, re.DOTALL)
    path, line = lines.replace("/home/me", str(tmp_path)).splitlines()
    program = f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m sitegen "$@"\n'
    campaigns.write(tmp_path / ".local/bin", {"sitegen": program})
    (tmp_path / ".local/bin/sitegen").chmod(stat.S_IRWXU)
    reports = tmp_path / "reports"
    campaigns.write(reports, {"nightly.yaml": SETTINGS[0]})
    night(reports, 0)
    command = line.split(maxsplit=5)[5].replace("\\%", "%")  # as cron does
    cron = {"HOME": str(tmp_path), "PATH": path.removeprefix("PATH=")}
    done = subprocess.run(["/bin/sh", "-c", command], env=cron, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    history = (reports / "site/data/history.jsonl").read_text("utf-8").splitlines()
    assert len(history) == 2 and f'"{datetime.now(UTC):%Y-%m-%d}"' in history[1]


def test_dates_need_no_quotes() -> None:
    text = "inputs: [runs]\ncampaign: {name: 2026-12-01, date: 2026-12-01}\n"
    stated = config.parse(text, "config.yaml").campaign
    assert (stated.name, stated.date) == ("2026-12-01", "2026-12-01")


def test_each_pack_that_a_pattern_matches_is_a_campaign(tmp_path: Path) -> None:
    campaigns.write(tmp_path, {f"packs/{name}": "" for name in ("a.zip", "b.zip", "c.zip")})
    stated = config.Config.model_validate(
        {"campaigns": [{"path": str(tmp_path / "packs/*.zip"), "keep": 2}]}
    )
    assert [Path(each.path).name for each in stated.each_campaign] == ["b.zip", "c.zip"]


def test_a_night_is_compared_with_a_baseline_that_is_no_history(tmp_path: Path) -> None:
    for number, extra in ((0, {}), (1, {"baseline": str(tmp_path / "s0")})):
        night(tmp_path, number)
        stated = {
            "inputs": [{"path": str(tmp_path / "runs"), "pattern": "{task}/{attempt}.json"}],
            "campaign": {"date": f"2026-12-0{number + 1}"},
            "output": str(tmp_path / f"s{number}"),
            **extra,
        }
        build(config.Config.model_validate(stated), Redactor(()), lambda _, items: items, print)
    page = (tmp_path / "s1/trends.html").read_text("utf-8")
    assert "Against the baseline" in page and "Mean cost of a run" in page
    assert (
        not (tmp_path / "s0/trends.html").exists() and not (tmp_path / "s1" / past.HISTORY).exists()
    )


@pytest.mark.parametrize("named", [{}, {"name": "morning"}])
def test_a_baseline_is_the_earlier_campaign_also_on_one_day(
    tmp_path: Path, named: dict[str, str]
) -> None:
    for number, extra in ((0, {}), (1, {"baseline": str(tmp_path / "s0")})):
        campaigns.write(tmp_path / "runs", {"a/1.json": result(1, total_cost_usd=number + 1.0)})
        stated = {
            "inputs": [{"path": str(tmp_path / "runs"), "pattern": "{task}/{attempt}.json"}],
            "campaign": {"date": "2026-12-01", **named},
            "output": str(tmp_path / f"s{number}"),
            **extra,
        }
        build(config.Config.model_validate(stated), Redactor(()), lambda _, items: items, print)
    page = (tmp_path / "s1/trends.html").read_text("utf-8")
    assert "$2.00" in page.partition("Last: ")[2].partition('"')[0]


def test_a_night_that_is_built_again_is_judged_as_the_first_time(tmp_path: Path) -> None:
    """Each night, also one of two on a day, is compared with the one before it, whatever came after."""
    days = [
        ("", "2026-12-01", 1.0),
        ("", "2026-12-02", 1.0),
        ("", "2026-12-03", 1.5),
        ("z", "2026-12-03", 1.5),
    ]
    last = tmp_path / "3" / past.HISTORY

    def judged(
        number: int, output: str, before: Path, keep: int = 9
    ) -> tuple[list[str], list[str], str, str]:
        name, day, cost = days[number]
        files = {
            f"{number}/t{i}/{k}.json": result(9 * i + k, total_cost_usd=cost * (k + 9))
            for i in range(6)
            for k in (1, 2)
        }
        campaigns.write(tmp_path / "runs", files)
        stated = {
            "inputs": [
                {"path": str(tmp_path / f"runs/{number}"), "pattern": "{task}/{attempt}.json"}
            ],
            "campaign": {"date": day, **({"name": name} if name else {})},
            "history": {"path": str(before), "keep": keep},
            "baseline": "previous",
            "gates": {"cost": {"increase": {"max": "20 %"}}},
            "output": str(tmp_path / output),
        }
        found = build(
            config.Config.model_validate(stated), Redactor(()), lambda _, items: items, print
        )
        lead = re.findall(
            r'class="lead">(.*?)</p>', (tmp_path / output / "trends.html").read_text("utf-8")
        )[0]
        index = (tmp_path / output / "index.html").read_text("utf-8")
        return (
            [each.verdict.value for each in found.report.gates],
            list(found.warnings),
            lead,
            index,
        )

    first = [judged(i, str(i), tmp_path / str(i - 1) / past.HISTORY) for i in range(4)]
    assert [gates for gates, *_ in first] == [[], ["passed"], ["failed"], ["passed"]]
    assert ["so 1 gate cannot be evaluated" in str(said) for _, said, *_ in first] == [
        True,
        False,
        False,
        False,
    ]
    places = [
        "1 Dec, campaign 1 of 4. ",
        "2 Dec, campaign 2 of 4. ",
        "3 Dec, campaign 3 of 4. ",
        "",
    ]
    for number, place in enumerate(places):
        gates, said, lead, index = judged(number, "again", last)
        assert (gates, said) == first[number][:2]
        assert lead.replace(" up to it", "") == place + first[number][2].replace(" up to it", "")
        assert (place in index) is (not place or "Newest of" not in index)
    gates, _, lead, _ = judged(2, "few", last, keep=1)
    assert gates == ["failed"] and lead.startswith(
        "3 Dec, campaign 3 of 4. "
    )  # the one before is no longer kept
