"""Sessions of a team: totals, days, projects that stay at home, people, and packs of several machines."""

from __future__ import annotations

import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sitegen import config
from sitegen.collect import Facts
from sitegen.collect.filters import drop_projects
from sitegen.collect.packed_runs import drop_repeated_sessions
from sitegen.errors import ConfigError
from sitegen.model import Entry, ModelUsage, Problem, Run, Source, Status, Tokens, Verdict
from sitegen.pages.totals import session_totals
from tests.support import campaigns, chart_runs
from tests.support.campaigns import result
from tests.support.command import sitegen
from tests.support.transcripts import Teller, lines

SESSIONS = {
    "-home-ada-src-lantern/a": ("/home/ada/src/lantern", "2026-03-02", True),
    "-home-ada-src-lantern/b": ("/home/ada/src/lantern/.claude/worktrees/x", "2026-03-09", False),
    "-home-ada-src-client-oak/c": ("/home/ada/src/client-oak", "2026-03-10", True),
}


def session(name: str, folder: str, day: str, *, is_whole: bool = True, further: int = 0) -> bytes:
    """A session of a person, with so many further answers."""
    teller = Teller(f"5e551011-0000-4000-8000-{name.encode().hex():0>12.12}", cwd=folder)
    records: list[dict[str, Any]] = [teller.prompt("Go on."), teller.says("Done.")]
    for number in range(further):
        records += [teller.prompt("More."), teller.says("Again.", message=f"more-{number}")]
    records += [] if is_whole else [teller.prompt("And now?")]
    return lines(*records).replace(b"2026-03-01T", f"{day}T".encode())


def write(folder: Path, *, further: int = 0) -> Path:
    for name, (cwd, day, is_whole) in SESSIONS.items():
        path = folder / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(session(name[-1], cwd, day, is_whole=is_whole, further=further))
    return folder


def settings(folder: Path, runs: object, **more: object) -> Path:
    path = folder / "team.yaml"
    path.write_text(
        json.dumps({"view": "sessions", "inputs": [str(runs)], **more}), encoding="utf-8"
    )
    return path


def rows_of(page: Path, label: str) -> dict[str, list[str]]:
    """The rows of one of the tables of totals."""
    table = (
        page.read_text("utf-8")
        .partition(f"Totals by {label}</caption>")[2]
        .partition("</table>")[0]
    )
    rows = (
        re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)
        for row in re.findall(r"<tr>(<th scope=.?row.*?)</tr>", table)
    )
    cells = ([re.sub("<[^>]*>", "", cell) for cell in row] for row in rows)
    return {name: rest for name, *rest in cells}


def data_of(site: Path) -> list[dict[str, Any]]:
    return json.loads((site / "data/runs.json").read_text("utf-8"))["runs"]


def test_totals_by_project_week_and_day(tmp_path: Path) -> None:
    path = settings(tmp_path, write(tmp_path / "runs"), person="Ada")
    done = sitegen("build", "-c", path, "-o", tmp_path / "site", "--no-cache")
    assert done.returncode == 0, done.stderr
    page = tmp_path / "site/index.html"
    projects = rows_of(page, "project")
    assert {name: row[0] for name, row in projects.items()} == {"lantern": "2", "client-oak": "1"}
    assert (
        projects["client-oak"][-2:] == ["–", "–"]
        and projects["lantern"][-2] == rows_of(page, "day")["2026-03-09"][1]
    )
    assert all(row[1].startswith("≈ $") for row in projects.values())
    assert list(rows_of(page, "week")) == ["2026-W11", "2026-W10"] and list(
        rows_of(page, "person")
    ) == ["Ada"]
    section = (
        page.read_text("utf-8").partition('aria-labelledby="totals"')[2].partition("</section>")[0]
    )
    links = re.findall('href="([^"]*)"', section)
    assert "index.html#day=2026-03-10" in links
    assert all((tmp_path / "site" / link).is_file() for link in links if "#" not in link)
    text = page.read_text("utf-8")
    assert "1 session that was interrupted or stopped" in text and "ada/src" not in text


def test_a_total_that_is_a_lower_bound_for_two_reasons_has_one_plus() -> None:
    stopped, unknown = (
        chart_runs.entry(n, status=status)
        for n, status in enumerate((Status.STOPPED, Status.UNKNOWN))
    )
    bound = replace(stopped, run=replace(stopped.run, cost_is_lower_bound=True))
    for runs, said in (
        ([stopped, unknown], "$1.00+ of $2.00 "),
        ([bound, unknown], "$1.00+ of $2.00+ "),
    ):
        assert session_totals(runs).lead.startswith(said)


@pytest.mark.parametrize(
    ("days", "left"),
    [
        (["--since", "2026-03-09"], 2),
        (["--until", "2026-03-09"], 2),
        (["--since", "9000d"], 3),
        (["--since", "2026-03-03", "--until", "2026-03-09"], 1),
    ],
)
def test_days(tmp_path: Path, days: list[str], left: int) -> None:
    runs = write(tmp_path / "runs")
    done = sitegen("check", runs, "--json", *days, cwd=tmp_path)
    assert len(json.loads(done.stdout)["runs"]) == left
    assert (f"{3 - left} run" in done.stderr + done.stdout) or left == 3


@pytest.mark.parametrize("text", ["yesterday", "2026-02-30", "7", "7w", "d", "", "99999d", "２d"])
def test_days_that_are_none(text: str) -> None:
    with pytest.raises(ConfigError, match="write a day as in 2026-11-18, or 7d"):
        config.Config().with_days(text, None)


@pytest.mark.parametrize(
    ("folder", "project"),
    [
        ("/home/ada/src/lantern", "lantern"),
        ("C:\\Users\\ada\\oak\\", "oak"),
        ("/srv/a/.claude/worktrees/b", "a"),
        ("/srv/a/.worktrees/b/c", "a"),
        ("/home/[user]", "~"),
        ("~", "~"),
        ("/", None),
        ("", None),
        (None, None),
    ],
)
def test_names_of_projects(folder: str | None, project: str | None) -> None:
    assert Run("a session", Status.OK, cwd=folder).project == project


def test_packs_of_two_weeks_count_a_session_once(tmp_path: Path) -> None:
    """A session that went on, one that stays at home, and a pseudonym."""
    packs = tmp_path / "packs"
    for week, further in (("1", 0), ("2", 3)):
        path = settings(tmp_path, write(tmp_path / "runs", further=further), leave_out=["client-*"])
        done = sitegen("pack", "-c", path, "-o", packs / f"{week}.zip")
        assert (
            done.returncode == 0 and "1 run is left out" in sitegen("check", "-c", path).stderr
        ), done.stderr
        with zipfile.ZipFile(packs / f"{week}.zip") as archive:
            members = b"".join(map(archive.read, archive.namelist()))
        assert b"lantern" in members and b"client-oak" not in members and b"/ada/" not in members
    done = sitegen(
        "build", "-c", settings(tmp_path, packs / "*.zip"), "-o", tmp_path / "site", "--no-cache"
    )
    assert done.returncode == 0, done.stderr
    runs = data_of(tmp_path / "site")
    assert [(run["project"], run["turns"]) for run in runs] == [("lantern", 4)] * 2
    assert "2 runs from 4 files" in (tmp_path / "site/index.html").read_text(
        "utf-8"
    )  # as of files that are the same
    (person,) = {run["person"] for run in runs}
    assert re.fullmatch("person [0-9a-f]{6}", person)
    assert (
        sum(
            "counted once" in line["reason"]
            for line in json.loads((tmp_path / "site/data/problems.json").read_text("utf-8"))[
                "problems"
            ]
        )
        == 2
    )
    texts = [
        each.read_text("utf-8", "replace")
        for each in (tmp_path / "site").rglob("*.*")
        if each.is_file()
    ]
    assert not any("client-oak" in text or "/ada/" in text for text in texts)


def test_no_copy_hides_what_costs_more() -> None:
    def entry(name: str, answers: tuple[int, ...], cost: float | None) -> Entry:
        run = Run("a session", Status.OK, session_id="s", root="r", answers=answers, cost_usd=cost)
        return Entry(name, Source(f"{name}.jsonl", name, named=True, size=1), 0, "", run, name)

    def left(*entries: Entry) -> set[str]:
        orders = {
            frozenset(each.id for each in drop_repeated_sessions(Facts(order)).entries)
            for order in (entries, entries[::-1])
        }
        (ids,) = orders
        return set(ids)

    assert left(entry("a", (1, 2), 0.5), entry("b", (1,), 0.25)) == {"a"}
    assert left(entry("a", (1, 2), 0.1), entry("b", (1,), 9.0)) == {"a", "b"}
    assert left(entry("a", (1, 2), 0.5), entry("b", (1, 3), 0.5)) == {"a", "b"}
    assert left(entry("a", (1, 2), 0.5), entry("b", (1, 2), 0.7)) == {"b"}
    assert left(entry("a", (), 0.5), entry("b", (), 0.7)) == {"a", "b"}

    def listed(name: str, answers: tuple[int, ...], output: int, list_usd: float) -> Entry:
        each = entry(name, answers, None)
        ledger = (ModelUsage("m", Tokens(output=output)),)
        return replace(each, run=replace(each.run, ledger=ledger, computed_cost_usd=list_usd))

    assert left(listed("a", (1, 2), 20, 0.1), listed("b", (1,), 10, 0.2)) == {"a"}, (
        "of another price list"
    )
    assert left(listed("a", (1, 2), 5, 0.1), listed("b", (1,), 10, 0.2)) == {"a", "b"}


def test_what_is_said_of_runs_below_a_project_that_is_left_out_stays() -> None:
    def entry(path: str, project: str) -> Entry:
        run = Run("a session", Status.OK, cwd=f"/src/{project}")
        return Entry(path, Source(path, path, named=True, size=1), 0, "", run, path)

    paths = ("a/x.jsonl", "a/notes.md", "a/c/d/z.md", "a/b/y.jsonl", "a/b/e/n.md", "z.md")
    found = Facts(
        (entry("a/x.jsonl", "oak"), entry("a/b/y.jsonl", "lantern")),
        tuple(Problem(path, "W_NOISE", Verdict.ACCEPT, "Noise.") for path in paths),
        tuple((path, "") for path in paths),
    )
    left = drop_projects(found, ("oak",))
    assert [each.path for each in left.problems] == ["a/b/y.jsonl", "a/b/e/n.md", "z.md"]
    assert left.ignored == ("a/b/y.jsonl", "a/b/e/n.md", "z.md")


def test_no_sentence_names_the_model_of_a_project_that_is_left_out(tmp_path: Path) -> None:
    runs = write(tmp_path / "runs")
    (file,) = runs.glob("*client-oak/*")
    file.write_bytes(file.read_bytes().replace(b"claude-sonnet-4-5-20250929", b"oak-1"))
    for left_out, is_named in (([], True), (["client-*"], False)):
        done = sitegen("check", "-c", settings(tmp_path, runs, leave_out=left_out))
        assert ("No price is known for oak-1" in done.stdout + done.stderr) == is_named


def test_the_index_alone(tmp_path: Path) -> None:
    path = settings(tmp_path, write(tmp_path / "runs"))
    done = sitegen("build", "-c", path, "-o", tmp_path / "mail.html", "--index-only", "--no-cache")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "mail.html").read_text("utf-8")
    assert (
        text.count("<main") == 1 and "Totals by project</caption>" in text and ">lantern<" in text
    )
    assert not re.search(r'<a [^>]*href="[^#]', text)
    assert (
        "needs one HTML file"
        in sitegen("build", "-c", path, "--index-only", "-o", tmp_path / "x").stderr
    )


@pytest.mark.parametrize(
    ("limit", "code", "unknown"),
    [(1000, 0, "allow"), (1000, 3, "incomplete"), (0.0001, 3, "allow")],
)
def test_a_budget_of_some_days(tmp_path: Path, limit: float, code: int, unknown: str) -> None:
    gates = {"total_cost_usd": {"max": limit, "unknown": unknown}}
    path = settings(tmp_path, write(tmp_path / "runs"), gates=gates)
    done = sitegen(
        "build", "-c", path, "-o", tmp_path / "site", "--no-cache", "--since", "2026-03-09"
    )
    assert done.returncode == code, done.stderr


@pytest.mark.parametrize("name", ["month_cost_usd", "forecast_cost_usd"])
def test_a_gate_that_was_removed_is_refused_with_what_replaces_it(
    tmp_path: Path, name: str
) -> None:
    path = settings(tmp_path, write(tmp_path / "runs"), gates={name: {"max": 1}})
    done = sitegen("build", "-c", path, "-o", tmp_path / "site")
    assert done.returncode == 2
    assert f"'{name}': this gate was removed. Use `total_cost_usd` with `--since`" in done.stderr
    assert not (tmp_path / "site").exists()


def test_init_suggests_what_it_finds(tmp_path: Path) -> None:
    assert sitegen("init", write(tmp_path / "runs")).returncode == 0
    suggested = config.load(tmp_path / "runs/config.yaml")
    assert (suggested.view, suggested.robots) == ("sessions", "noindex")
    layouts = {
        "{task}/{model}/{attempt}.*": [f"t{n}/opus/{k}.json" for n in (1, 2) for k in (1, 2)],
        "{model}/{task}.*": ["claude-opus/a.json", "claude-opus/b.json"],
        "{campaign}/{task}/{attempt}.*": [
            f"{c}/t{n}/1.json" for c in ("2026-05-01", "2026-06-01") for n in (1, 2)
        ],
        "{_}/{task}/{attempt}.*": ["results/a/1.json", "results/b/1.json"],
        None: ["a.json", "b.json", "c/d.json"],
    }
    for pattern, paths in layouts.items():
        folder = tmp_path / f"{len(list(tmp_path.iterdir()))}"
        campaigns.write(
            folder, {path: result(n, "claude-opus-4-5-20251101") for n, path in enumerate(paths, 1)}
        )
        assert sitegen("init", folder).returncode == 0
        (found,) = config.load(folder / "config.yaml").inputs
        assert found.pattern == pattern and config.load(folder / "config.yaml").view is None
        assert "does not match" not in sitegen("check", "-c", folder / "config.yaml").stderr


@pytest.mark.nightly
def test_weekly_sessions_of_others(shared: Path, tmp_path: Path) -> None:
    """Each project of real sessions, of which a third stays at home, in packs week by week."""
    runs = shared / "runs/claude-transcript"
    whole = sitegen("build", "-c", settings(tmp_path, runs), "-o", tmp_path / "whole", "--no-cache")
    assert whole.returncode == 0, whole.stderr
    weeks = sorted({run["week"] for run in data_of(tmp_path / "whole") if run["week"]})
    for number in range(len(weeks)):
        first = data_of(tmp_path / "whole")
        days = sorted(
            run["day"] for run in first if run["week"] in weeks[max(number - 1, 0) : number + 1]
        )
        done = sitegen(
            "pack",
            "-c",
            tmp_path / "team.yaml",
            "--since",
            days[0],
            "--until",
            days[-1],
            "-o",
            tmp_path / f"packs/{number:02}.zip",
        )
        assert done.returncode == 0, done.stderr
    done = sitegen(
        "build",
        "-c",
        settings(tmp_path, tmp_path / "packs/*.zip"),
        "-o",
        tmp_path / "site",
        "--no-cache",
    )
    assert done.returncode == 0, done.stderr
    assert rows_of(tmp_path / "site/index.html", "project") == rows_of(
        tmp_path / "whole/index.html", "project"
    )
    assert rows_of(tmp_path / "site/index.html", "day") == rows_of(
        tmp_path / "whole/index.html", "day"
    )


def test_groups_without_a_reported_cost_have_that_of_list_prices_everywhere(tmp_path: Path) -> None:
    gates = {"total_cost_usd": {"max": 1000, "unknown": "allow", "by": "project"}}
    path = settings(tmp_path, write(tmp_path / "runs"), gates=gates)
    done = sitegen("build", "-c", path, "-o", tmp_path / "site", "--no-cache")
    assert "neither paths nor tables" not in done.stderr
    for group in json.loads((tmp_path / "site/data/figures.json").read_text("utf-8"))["groups"]:
        assert group["figures"]["total_cost_usd"]["bound"] == "none"
        assert group["figures"]["total_computed_cost_usd"]["estimate"] > 0
        assert {
            group["figures"][name]["bound"]
            for name in ("total_output_tokens", "total_tokens", "tokens")
        } == {"lower"}
    macros = sitegen("export", "--format", "latex-macros", "-c", path, "-o", tmp_path / "m.tex")
    assert macros.returncode == 0, macros.stderr
    assert re.search(
        r"sitegen@total_computed_cost_usd\\endcsname\{.*\\\$0",
        (tmp_path / "m.tex").read_text("utf-8"),
    )
    for page in (tmp_path / "site" / "projects").glob("*.html"):
        assert re.search(r"<title>[^<]*, ≈ \$0", page.read_text("utf-8")), page.name
    text = (tmp_path / "site/index.html").read_text("utf-8")
    assert re.search(r'id="gates"[^>]*>.*gates passed:.* Left out: ', text)


def test_where_all_sessions_are_too_old_that_is_why_there_is_none(tmp_path: Path) -> None:
    path = settings(tmp_path, write(tmp_path / "runs"))
    done = sitegen("build", "-c", path, "-o", tmp_path / "site", "--since", "2026-04-01")
    assert done.returncode == 4 and "3 runs are left out: outside --since 2026-04-01" in done.stderr
    assert "there are no files" not in done.stderr
