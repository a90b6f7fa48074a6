"""Pages that authors write, figures by name on them and in LaTeX, and what a site has for programs and agents."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from sitegen.config import load
from sitegen.errors import ConfigError
from sitegen.fields import BUILT_IN
from sitegen.pages import own_pages
from sitegen.pages.data import MODEL_COLUMNS
from sitegen.pages.own_pages import Figures, latex_macros
from tests.conftest import ROOT
from tests.readers.claude.test_transcripts import answered
from tests.support import campaigns
from tests.support.campaigns import OPUS, SONNET, result
from tests.support.command import sitegen
from tests.support.transcripts import SESSION, lines

HOOK = ROOT / "integrations" / "claude-code" / "hooks" / "build_site.py"

pytestmark = pytest.mark.blank_charts

METHOD = """# How we *measured*

Opus passed {{ figure("success", model="Claude Opus 4.5") }} and cost
{{figure('total_cost_usd', model="Opus 4.5")}}, all
{{ figure("score.speed") }}, once
{{ figure("tokens", agent="claude code", model='Opus 4.5', task="t1") }}. [Runs](index.html) <script>alert(1)</script>

Of {{ figure("runs") }} runs, {{ figure("judged_runs", task="t1") }} of them of t1, {{ figure("passed_runs", model="Opus 4.5") }}
of Opus and {{ figure("passed_runs", model="Sonnet 4.5") }} of Sonnet passed.
"""


def campaign(folder: Path, **settings: object) -> Path:
    runs = {
        f"t{n}/{name}/1.json": result(10 * n + m, model)
        for n in range(6)
        for m, (name, model) in enumerate(MODELS)
    }
    table = "path,outcome,speed\n" + "".join(
        f"{path},{'pass' if 'opus' in path or '/t1' in path else 'fail'},1.{at}\n"
        for at, path in enumerate(runs)
    )
    campaigns.write(folder / "runs", runs)
    written = {
        "inputs": [{"path": "runs", "pattern": "{task}/{model}/{attempt}.json"}],
        "outcomes": ["o.csv"],
        **settings,
    }
    campaigns.write(
        folder, {"config.yaml": json.dumps(written), "o.csv": table, "method.md": METHOD}
    )
    return folder


MODELS = [("opus", OPUS), ("sonnet", SONNET)]


def main_of(page: Path) -> str:
    return page.read_text(encoding="utf-8").partition("<main")[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = campaign(tmp_path_factory.mktemp("own"), pages=["method.md"], robots="noindex")
    done = sitegen("build", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_a_page_quotes_figures_as_the_data_has_them(built: Path) -> None:
    page = main_of(built / "site" / "method.html")
    groups = json.loads((built / "site" / "data" / "figures.json").read_text(encoding="utf-8"))[
        "groups"
    ]
    opus = next(
        group["figures"]
        for group in groups
        if (group["by"], group["name"]) == ("model", "Claude Opus 4.5")
    )
    assert f"Opus passed {opus['success']['estimate']:.0%} (95% interval" in page
    assert f"cost\n${opus['total_cost_usd']['estimate']:.2f}" in page
    assert (
        "figure(" not in page and "<script" not in page and '<a href="index.html">Runs</a>' in page
    )


def test_a_page_quotes_counts_of_runs(built: Path) -> None:
    page = main_of(built / "site" / "method.html").replace("\n", " ")
    assert "Of 12 runs, 2 of them of t1, 6 of Opus and 0 of Sonnet passed." in page


def test_the_page_is_in_the_navigation_of_all_pages_and_robots_are_asked(built: Path) -> None:
    for page in (built / "site").rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert "How we measured</a>" in text and '<meta name="robots" content="noindex">' in text, (
            page
        )


def test_latex_has_the_same_texts_by_the_same_names(built: Path) -> None:
    done = sitegen("export", "--format", "latex-macros", "-o", "numbers.tex", cwd=built)
    assert done.returncode == 0, done.stderr
    macros = dict(
        re.findall(
            r"csname sitegen@(.+?)\\endcsname\{(.*)\}", (built / "numbers.tex").read_text("utf-8")
        )
    )
    said = macros["success, model=Claude Opus 4.5"].replace("\\%", "%")
    assert said in main_of(built / "site" / "method.html")
    text = macros["tokens, agent=claude code, model=Opus 4.5, task=t1"]  # as a page quotes it
    assert f"once\n{text}. " in main_of(built / "site" / "method.html").replace("\u202f", " ")
    assert {
        "success",
        "success, task=t1",
        "total_cost_usd, model=Claude Sonnet 4.5, task=t1",
    } <= macros.keys()


def test_latex_leaves_out_what_two_names_would_share(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = [
        ("success", {"task": "a%b"}, "1 %"),
        ("success", {"task": "a-b"}, "2 %"),
        ("success", {"task": "c"}, "3 %"),
    ]
    written = latex_macros(cast(Figures, SimpleNamespace(all=lambda: iter(figures))))
    assert re.findall(r"sitegen@(success.+?)\\endcsname", written) == ["success, task=c"]
    assert "% success, task=a-b: left out" in written
    monkeypatch.setattr(own_pages, "MAX_MACROS", 1)
    assert "1 names of figures are here" in latex_macros(
        cast(Figures, SimpleNamespace(all=lambda: iter(figures[1:])))
    )


def test_latex_has_every_name_that_a_page_accepts() -> None:
    where = {"model": "Claude Opus 4.5", "task": "t1"}
    written = latex_macros(
        cast(Figures, SimpleNamespace(all=lambda: iter([("success", where, "1 %")])))
    )
    for name in (
        "model=Claude Opus 4.5, task=t1",
        "task=t1, model=Claude Opus 4.5",
        "model=Opus 4.5, task=t1",
    ):
        assert rf"sitegen@success, {name}\endcsname" in written


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
def test_a_name_in_full_comes_before_a_label_that_is_spelled_so(order: slice) -> None:
    found = [("cost", {"model": "Claude Opus 4.5"}, "1 %"), ("cost", {"model": "Opus 4.5"}, "2 %")]
    written = latex_macros(cast(Figures, SimpleNamespace(all=lambda: iter(found[order]))))
    macros = dict(re.findall(r"csname sitegen@(.+?)\\endcsname\{(.*)\}", written))
    assert macros == {"cost, model=Claude Opus 4.5": "1 \\%", "cost, model=Opus 4.5": "2 \\%"}


def test_pages_gates_and_comparisons_name_groups_in_any_case(tmp_path: Path) -> None:
    """The spelling of most runs is shown; names in the settings need not follow it."""
    models = ("kimi-k2", "Kimi-K2-thinking")
    paths = [f"{task}/{model}/1" for task in ("Fix-Login", "Sort", "Parse") for model in models]
    paths += [
        f"{task}/{model}/2"
        for task in ("fix-login", "sort")
        for model in ("Kimi-K2", "KIMI-k2-Thinking")
    ]
    paths += ["fix-login/KIMI-K2/3"]
    campaigns.write(
        tmp_path / "runs", {f"{path}.json": campaigns.bare(n + 1) for n, path in enumerate(paths)}
    )
    table = "path,outcome\n" + "".join(
        f"{path}.json,{'fail' if '/1' in path else 'pass'}\n" for path in paths
    )
    asked = {"task": ["fix-login", "FIX-Login"], "model": ["kimi-k2", "Kimi-k2"]}
    calls = [
        f'{{{{ figure("success", {by}="{name}") }}}}'
        for by, names in asked.items()
        for name in names
    ]
    written = {
        "inputs": [{"path": "runs", "pattern": "{task}/{model}/{attempt}.json"}],
        "outcomes": ["o.csv"],
        "pages": ["page.md"],
        "gates": {"success_rate": {"min": 0.6, "where": {"task": "FIX-login", "model": "kimi-k2"}}},
        "compare": [
            {"by": "model", "a": "kimi-k2", "b": "KIMI-K2-THINKING"},
            {"by": "model", "a": "kimi-k2", "b": "KIMI-K2"},
        ],
    }
    campaigns.write(
        tmp_path,
        {"config.yaml": json.dumps(written), "o.csv": table, "page.md": "\n\n".join(calls)},
    )
    done = sitegen("build", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (gate,) = json.loads(done.stdout)["gates"]
    assert (gate["verdict"], gate["figure"]) == ("passed", "67% of 3 judged runs")
    said = re.findall(r"<p>([0-9]+)", main_of(tmp_path / "site" / "page.html"))
    assert said == ["60", "60", "50", "50"]
    assert len(list((tmp_path / "site/compare").glob("*.html"))) == 1
    assert "a and b are both the model" in (tmp_path / "site/compare.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ('figure("sucess")', "no figure 'sucess'"),
        ('figure("success", modle="Opus 4.5")', "runs have no 'modle'"),
        ('figure("success", model="GPT")', "no run has the model 'GPT'"),
        (
            'figure("success", model="Claude Opus 4.5", task="t1", configuration="x")',
            "no run has the configuration",
        ),
        ('figure("success", campaign="night 2")', "no run has a campaign."),
        ('__import__("os").system("true")', "is not a figure"),
        ('figure(__import__("os"))', "is not a figure"),
        ("7 * 7", "is not a figure"),
    ],
)
def test_what_is_not_a_figure_ends_the_build_with_its_line(
    built: Path, tmp_path: Path, call: str, reason: str
) -> None:
    folder = shutil.copytree(built, tmp_path / "copy")
    before = (folder / "site" / "method.html").read_bytes()
    (folder / "method.md").write_text(f"# T\n\nwords {{{{ {call} }}}}\n", encoding="utf-8")
    done = sitegen("build", cwd=folder)
    assert (done.returncode, (folder / "site" / "method.html").read_bytes()) == (2, before)
    assert re.search(rf"method\.md:3: .*{re.escape(reason)}", done.stderr), done.stderr


def test_a_chart_and_a_table_are_placed_by_name(tmp_path: Path) -> None:
    written = (
        '# Placed\n\n{{ chart("cost-by-turns") }}\n\nBetween.\n\n{{ table("configurations") }}\n'
    )
    campaign(tmp_path, pages=["placed.md"])
    (tmp_path / "placed.md").write_text(written)
    done = sitegen("build", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    before, _, after = main_of(tmp_path / "site" / "placed.html").partition("Between.")
    assert "<svg" in before and "<table" not in before
    assert re.search(r"<table.*<td[^>]*>Claude Opus 4.5</td>", after, re.DOTALL)


@pytest.mark.parametrize("call", ['chart("speeds")', 'table("speeds")'])
def test_an_unknown_chart_or_table_ends_the_build_with_its_line(tmp_path: Path, call: str) -> None:
    campaign(tmp_path, pages=["placed.md"])
    (tmp_path / "placed.md").write_text(f"# Placed\n\n{{{{ {call} }}}}\n")
    done = sitegen("build", cwd=tmp_path)
    assert done.returncode == 2 and "placed.md:3" in done.stderr and "'speeds'" in done.stderr


def test_a_dead_link_ends_the_build_with_its_line(built: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(built, tmp_path / "copy")
    before = (folder / "site" / "method.html").read_bytes()
    (folder / "method.md").write_text("# T\n\n[all](index.html)\n[x](runs/nope.html)\n")
    done = sitegen("build", cwd=folder)
    assert (done.returncode, (folder / "site" / "method.html").read_bytes()) == (2, before)
    assert "method.md:4: the site has no page runs/nope.html." in done.stderr


def test_build_and_check_name_all_that_leads_nowhere(built: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(built, tmp_path / "copy")
    calls = ['figure("sucess")', 'run("t0")', 'chart("nosuch")', 'table("nosuch")']
    lines_of_page = [
        "# See nosuch.html",
        *(f"{{{{ {call} }}}}" for call in calls),
        "[x](nosuch.html)",
    ]
    (folder / "method.md").write_text("\n".join([*lines_of_page, "[y](nosuch.html)"]) + "\n")
    for command in (["build"], ["check", "--pages"]):
        done = sitegen(*command, cwd=folder)
        places = [line.partition(": ")[0] for line in done.stderr.splitlines() if ".md:" in line]
        assert (done.returncode, places) == (2, [f"method.md:{n}" for n in range(2, 8)]), done
    assert "12 runs" in done.stderr + done.stdout, "the rest of what check found is printed"


def test_check_lists_numbers_that_no_figure_made(built: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(built, tmp_path / "copy")
    text = "# 7 things\n\n1. Opus 4.5 passed 100% `5`\nof {{ figure('success') }} in 999 runs\n"
    (folder / "method.md").write_text(text)
    done = sitegen("check", "--pages", cwd=folder)
    said = [at for at in done.stderr.splitlines() if "typed by hand" in at]
    first, second = (line.partition("method.md")[2] for line in said)
    assert first.startswith(':3: 100% is typed by hand; {{ figure("success", ')
    assert second == ":4: 999 is typed by hand; no figure has this value."
    assert sitegen("check", "--pages", "--strict", cwd=folder).returncode == 1


@pytest.mark.parametrize(
    "name", ["../method.md", "/etc/hostname", "link.md", "runs", "missing.md", "data.csv"]
)
def test_a_page_is_a_markdown_file_below_the_settings(tmp_path: Path, name: str) -> None:
    folder = campaign(tmp_path / "in", pages=[name])
    (tmp_path / "method.md").write_text("# Outside\n", encoding="utf-8")
    (folder / "link.md").symlink_to(tmp_path / "method.md")
    (folder / "data.csv").write_text("a\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"pages\.0"):
        load(folder / "config.yaml")


@pytest.mark.parametrize("name", ["index.md", "about.md"])
def test_a_page_takes_no_other_pages_place(tmp_path: Path, name: str) -> None:
    folder = campaign(tmp_path, pages=[name])
    (folder / name).write_text("# Mine\n", encoding="utf-8")
    done = sitegen("build", cwd=folder)
    assert done.returncode == 2 and "which is another page" in done.stderr


def test_a_comment_in_code_is_no_title_and_a_text_too_long_to_render_says_so(
    tmp_path: Path,
) -> None:
    folder = campaign(tmp_path, pages=["method.md", "long.md"])
    (folder / "method.md").write_text(
        "Setup:\n\n```sh\n# install\nmake\n```\n\n# How\n\nBy hand.\n", encoding="utf-8"
    )
    (folder / "long.md").write_text(f"# Long\n\n{'word ' * 50_000}", encoding="utf-8")
    done = sitegen("build", cwd=folder)
    assert done.returncode == 0, done.stderr
    method, long = (main_of(folder / "site" / f"{name}.html") for name in ("method", "long"))
    assert "<h1>How</h1>" in method and "# install" in method and "# How" not in method
    assert "shown as it is, because it has" in long


def test_a_pack_brings_no_pages(built: Path, tmp_path: Path) -> None:
    assert sitegen("pack", "-o", tmp_path / "runs.zip", cwd=built).returncode == 0
    assert sitegen("build", "runs.zip", "-o", "site", cwd=tmp_path).returncode == 0
    assert not (tmp_path / "site" / "method.html").exists()


def test_programs_are_told_every_file_and_column(built: Path) -> None:
    site = built / "site"
    told = (site / "data" / "README.md").read_text(encoding="utf-8")
    assert {f"`{key}`" for key in (*MODEL_COLUMNS, *(field.key for field in BUILT_IN))} <= set(
        re.findall(r"`\S+`", told)
    )
    listed = re.findall(r"\]\((\S+)\)", (site / "llms.txt").read_text(encoding="utf-8"))
    assert all((site / path).is_file() for path in listed)
    data = {f"data/{path.name}" for path in (site / "data").iterdir() if path.suffix != ".js"}
    assert data <= set(listed), data - set(listed)


def test_five_questions_are_answered_by_small_parts_of_the_data(demo_site: Path) -> None:
    table = (
        (ROOT / "docs" / "own-pages.md")
        .read_text(encoding="utf-8")
        .partition("| question | read |")[2]
    )
    commands = [each.replace("\\|", "|") for each in re.findall(r"\| `(.+)` \|", table)]
    read = [
        subprocess.run(["sh", "-c", each], cwd=demo_site, capture_output=True).stdout
        for each in commands
    ]
    assert len(read) == 6 and all(0 < len(each) <= 20_000 for each in read), [
        len(each) for each in read
    ]
    models, pairs, everything, runs, *_ = (each.decode() for each in read)
    assert (
        '"success": {"estimate"' in models
        and '"corrected_p"' in pairs
        and '"unknown"' in everything
    )
    costs = [
        run["cost_usd"] or 0
        for run in json.loads((demo_site / "data/runs.json").read_text("utf-8"))["runs"]
    ]
    assert [float(line.split()[0]) for line in runs.splitlines()] == sorted(costs, reverse=True)[:3]


def test_the_hook_builds_the_site_of_the_project_and_never_fails(tmp_path: Path) -> None:
    sessions = tmp_path / "projects" / "-work-app"
    campaigns.write(sessions, {f"{SESSION}.jsonl": lines(*answered())})
    said = json.dumps(
        {"hook_event_name": "SessionEnd", "transcript_path": str(sessions / f"{SESSION}.jsonl")}
    )
    bin_folder = Path(sys.executable).parent
    environment = {
        "PATH": f"{bin_folder}:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "SITEGEN_SITES": str(tmp_path / "sites"),
    }
    for text in (said, "not JSON", "[]", '{"transcript_path": "/nowhere/x.jsonl"}'):
        done = subprocess.run(
            [sys.executable, HOOK],
            input=text,
            env=environment,
            encoding="utf-8",
            capture_output=True,
        )
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
    index = tmp_path / "sites" / "-work-app" / "index.html"
    for _ in range(600):  # the hook does not wait for the build
        if index.is_file():
            break
        time.sleep(0.1)
    assert index.is_file()
    for file in ("hooks/hooks.json", ".claude-plugin/plugin.json"):
        json.loads((HOOK.parent.parent / file).read_text(encoding="utf-8"))


def test_the_hook_ends_while_the_build_it_started_goes_on(tmp_path: Path) -> None:
    sessions, programs = tmp_path / "projects" / "app", tmp_path / "bin"
    go, ended = tmp_path / "go", tmp_path / "ended"
    sessions.mkdir(parents=True)
    os.mkfifo(go)
    campaigns.write(programs, {"sitegen": f"#!/bin/sh\ncat '{go}'\necho done > '{ended}'\n"})
    (programs / "sitegen").chmod(0o755)
    for sites in (str(tmp_path / "sites"), "~nobody-of-this-name/sites"):
        done = subprocess.run(
            [sys.executable, HOOK],
            input=json.dumps({"transcript_path": str(sessions / "a.jsonl")}),
            env={"PATH": f"{programs}:/usr/bin:/bin", "SITEGEN_SITES": sites, "HOME": "/"},
            encoding="utf-8",
            capture_output=True,  # waits for all that have these pipes: a build that has them holds up Claude Code
        )
        assert done.returncode == 0
        assert "Traceback" not in done.stderr
    assert "no site was built" in done.stderr
    assert not ended.exists()
    go.write_text("", encoding="utf-8")  # waits until the build reads it
    for _ in range(600):
        if ended.exists():
            break
        time.sleep(0.1)
    assert ended.read_text(encoding="utf-8") == "done\n"


def test_markdown_has_the_comparisons_as_the_pages_have_them(built: Path) -> None:
    done = sitegen("export", "--format", "markdown", "-o", "runs.md", cwd=built)
    assert done.returncode == 0, done.stderr
    table = (built / "runs.md").read_text(encoding="utf-8").partition("## Comparisons")[2]
    said = re.findall(r"\| success \| (\d+) \| (.+?) \|", table)
    pairs = json.loads((built / "site" / "data" / "figures.json").read_text(encoding="utf-8"))[
        "comparisons"
    ]
    wanted = [pair["figures"]["success"] for pair in pairs if "success" in pair["figures"]]
    assert [int(tasks) for tasks, _ in said] == [each["a"]["n"] for each in wanted]
    clear = [each["effect"] in ("lower", "higher") for each in wanted]
    assert ["no clear difference" not in claim for _, claim in said] == clear
