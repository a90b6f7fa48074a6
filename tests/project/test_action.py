"""The action for GitHub, the workflows and the recipes of docs/ci.md: checked by schema and by zizmor, scripts run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT
from tests.support import campaigns
from tests.support.campaigns import result

SCRIPTS = ROOT / ".github" / "action"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TEXT = "".join((ROOT / "docs" / name).read_text("utf-8") for name in ("ci.md", "nightly.md"))
BLOCKS = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
RECIPES = [block for block in BLOCKS if "jobs:" in block]
GITLAB = [block for block in BLOCKS if "\n  script:" in block]


def script(name: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A script of the action, run in a folder."""
    given = {
        "RUNNER_TEMP": str(folder / "temp"),
        "GITHUB_OUTPUT": str(folder / "outputs"),
        **environment,
    }
    command = [sys.executable, str(SCRIPTS / name)]
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **given}, capture_output=True, encoding="utf-8"
    )


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """A checkout with runs, and this sitegen and its Python where `install.py` puts them."""
    programs = tmp_path / "temp/sitegen-environment/bin"
    programs.mkdir(parents=True)
    for name, arguments in (("sitegen", "-m sitegen"), ("python", "")):
        (programs / name).write_text(
            f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" {arguments} "$@"\n'
        )
        (programs / name).chmod(0o755)
    campaigns.write(tmp_path, {"runs/a.json": result(1), "runs/b.json": '{"type": "result",\n "x'})
    return tmp_path


def outputs(folder: Path) -> dict[str, str]:
    """The outputs of the step."""
    text = (folder / "outputs").read_text(encoding="utf-8")
    return {
        name: value for name, _, value in re.findall(r"(\S+)<<(\w+)\n(.*?)\n\2\n", text, re.DOTALL)
    }


@contextmanager
def served(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """The address at which this answers."""
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


posix_only = pytest.mark.skipif(
    os.name != "posix", reason="stands in for a program by a script of the shell"
)


@posix_only
def test_a_build_tells_outputs_a_summary_and_problems_with_file_and_line(job: Path) -> None:
    summary = job / "step-summary.md"
    done = script("build.py", job, RUNS="runs\n", OUTPUT="out", GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        "::warning file=runs/b.json,line=2,title=E_TRUNCATED::"
        "The JSON ends early; the file was cut, or is still being written.\n"
    )
    told = outputs(job)
    assert told["exit-code"] == "0"
    assert Path(told["site"]) == job / "out"
    assert (job / "out/index.html").exists()
    assert json.loads(Path(told["json"]).read_text())["totals"]["runs"] == 1
    assert summary.read_text().startswith("## Agent runs\n")
    assert Path(told["summary"]).read_text() in summary.read_text()


@posix_only
def test_a_missed_gate_or_strict_leaves_a_site_and_the_code(job: Path) -> None:
    (job / "config.yaml").write_text("inputs: [runs]\ngates: {runs: {min: 2}}\n")
    done = script("build.py", job, CONFIG="config.yaml", STRICT="true")
    told = outputs(job)
    assert (done.returncode, told["exit-code"]) == (0, "3")
    assert Path(told["site"]) == job / "site"
    assert any(line.startswith("::error") and "gate" in line for line in done.stdout.splitlines())


@posix_only
def test_no_site_is_told_as_such_and_hostile_texts_begin_no_command(job: Path) -> None:
    name = "c%0A\n::set-output name=x::y.json"
    (job / "runs" / name).write_text('{"type": "result",')
    done = script("build.py", job, RUNS="runs", OUTPUT="runs")  # refused: it would be the input
    assert outputs(job)["site"] == ""
    assert outputs(job)["exit-code"] == "2"
    assert done.stdout.startswith("::error::sitegen: ")
    done = script("build.py", job, RUNS="runs")
    assert all(line.startswith("::warning file=") for line in done.stdout.splitlines())
    assert script("build.py", job, STRICT="yes").returncode == 2


class Site(BaseHTTPRequestHandler):
    """A published site: what it answers stands in `told`."""

    told: tuple[int, bytes] = (404, b"")

    def do_GET(self) -> None:
        """Its history."""
        status, data = self.told if self.path == "/report/data/history.jsonl" else (500, b"")
        self.send_response(status)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@posix_only
def test_the_history_of_the_published_site_is_taken_and_kept(job: Path) -> None:
    handler = type("Fresh", (Site,), {})
    with served(handler) as address:
        settings = f"inputs: [runs]\nsite_url: {address}/report\ncampaign: {{date: 2026-05-%s}}\n"
        kept = job / "site/data/history.jsonl"
        for day in (10, 11):  # a first one, then one more
            (job / "config.yaml").write_text(settings % day)
            done = script("build.py", job, HISTORY="true")
            assert done.returncode == 0, done.stdout + done.stderr
            assert ("this is the first campaign" in done.stdout) == (day == 10)
            handler.told = 200, kept.read_bytes()
        assert [json.loads(line)["day"] for line in kept.read_text().splitlines()[1:]] == [
            "2026-05-10",
            "2026-05-11",
        ]
        handler.told = 503, b""
        assert script("build.py", job, HISTORY="true").returncode == 1, (
            "it would publish a site without its history"
        )
        (job / "config.yaml").write_text("inputs: [runs]\n")
        assert "as `site_url`" in script("build.py", job, HISTORY="true").stdout


def test_install_refuses_what_is_no_version(tmp_path: Path) -> None:
    for version in ("1.0 --index-url x", "-r file", "git+x"):
        done = script("install.py", tmp_path, VERSION=version, GITHUB_ACTION_PATH=str(ROOT))
        assert done.returncode == 2
        assert "is no version of agent-sitegen" in done.stdout


def test_the_folder_of_the_action_has_a_few_files(tmp_path: Path) -> None:
    sys.path.insert(0, str(ROOT / ".ci"))
    import action_folder  # type: ignore[import-not-found]  # not a part of the package

    action_folder.copy_files(tmp_path)
    action_folder.copy_files(tmp_path)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    scripts = {path.name for path in files if path.suffix == ".py"}
    assert len(files) < 10 and (tmp_path / "action.yml").exists()
    named = set(re.findall(r"\.github/action/(\w+\.py)", (tmp_path / "action.yml").read_text()))
    assert named and named <= scripts


class GitHub(BaseHTTPRequestHandler):
    """As much of GitHub's interface as the comment needs."""

    comments: list[dict[str, Any]]
    status: int
    asked: list[str]

    def answer(self) -> None:
        """Any request."""
        self.asked.append(f"{self.command} {self.path}")
        size = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(size))["body"] if size else ""
        told: Any = {}
        if self.command == "GET":
            page = int(self.path.rpartition("page=")[2])
            told = self.comments[100 * (page - 1) : 100 * page]
        elif self.command == "POST":
            self.comments.append({"id": len(self.comments), "body": body, "user": {"type": "Bot"}})
        else:
            self.comments[int(self.path.rpartition("/")[2])]["body"] = body
        self.send_response(self.status)
        self.end_headers()
        self.wfile.write(json.dumps(told).encode())

    do_GET = do_POST = do_PATCH = answer  # noqa: N815

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@pytest.fixture
def github() -> Iterator[tuple[type[GitHub], str]]:
    """A GitHub with 100 comments of people, and its address."""
    handler = type("Fresh", (GitHub,), {"status": 200, "asked": []})
    people = {"body": "<!-- sitegen --> I quote it", "user": {"type": "User"}}
    handler.comments = [{"id": n, **people} for n in range(100)]
    with served(handler) as address:
        yield handler, address


def test_one_comment_is_written_and_then_changed(
    tmp_path: Path, github: tuple[type[GitHub], str]
) -> None:
    handler, address = github
    (tmp_path / "summary.md").write_text("## Runs\n", encoding="utf-8")
    given = {
        "GITHUB_API_URL": address,
        "GITHUB_REPOSITORY": "o/r",
        "GITHUB_TOKEN": "t",
        "NUMBER": "7",
    }
    given |= {"SUMMARY": str(tmp_path / "summary.md"), "PREVIEW": "https://host.example/1"}
    assert script("comment.py", tmp_path, **given).returncode == 0
    assert script("comment.py", tmp_path, **given | {"SUMMARY": ""}).returncode == 0
    assert len(handler.comments) == 101
    assert handler.comments[-1]["body"].startswith("<!-- sitegen -->\nNo site was built")
    assert [line.split()[0] for line in handler.asked] == [
        "GET",
        "GET",
        "POST",
        "GET",
        "GET",
        "PATCH",
    ]
    handler.status = 403
    done = script("comment.py", tmp_path, **given)
    assert (done.returncode, done.stdout.partition(":: ")[0][:10]) == (0, "::notice::")
    handler.status = 500
    assert script("comment.py", tmp_path, **given).returncode == 1


@pytest.mark.parametrize("cells", range(1, 9))
def test_a_long_comment_ends_after_a_row(
    tmp_path: Path, github: tuple[type[GitHub], str], cells: int
) -> None:
    handler, address = github
    row = f"| {' | '.join(['a cell of the row'] * cells)} |\n"
    tables = f"### A table\n\n{row}| {' | '.join(['---'] * cells)} |\n{row * 3}\n"
    whole = "## Runs\n\n" + tables * (100_000 // len(tables))
    (tmp_path / "summary.md").write_text(whole, encoding="utf-8")
    given = {
        "GITHUB_API_URL": address,
        "GITHUB_REPOSITORY": "o/r",
        "GITHUB_TOKEN": "t",
        "NUMBER": "7",
    }
    assert (
        script("comment.py", tmp_path, **given, SUMMARY=str(tmp_path / "summary.md")).returncode
        == 0
    )
    body = handler.comments[-1]["body"].removeprefix("<!-- sitegen -->\n")
    shown = body.removesuffix("\nThe summary of the job has the rest.\n")
    assert (
        50_000 < len(shown) < len(body) < 65_536
        and whole.startswith(shown)
        and shown.endswith("\n")
    )
    lines = shown.splitlines()
    assert lines.count(row.strip()) >= 2 * sum(line.startswith("| ---") for line in lines)
    assert not lines[-1].startswith("| ---") and not (
        lines[-1] == row.strip() and not lines[-2].startswith("|")
    )


def test_workflows_the_action_and_recipes_fit_their_schemas(tmp_path: Path) -> None:
    """The schemas come with the checker: no network."""
    for number, recipe in enumerate(RECIPES):
        (tmp_path / f"{number}.yml").write_text(recipe)
    (tmp_path / "gitlab.yml").write_text(GITLAB[0])
    for schema, files in (
        (
            "vendor.github-workflows",
            [*WORKFLOWS, *(tmp_path / f"{number}.yml" for number in range(len(RECIPES)))],
        ),
        ("vendor.github-actions", [ROOT / "action.yml"]),
        ("vendor.dependabot", [ROOT / ".github/dependabot.yml"]),
        ("vendor.gitlab-ci", [tmp_path / "gitlab.yml"]),
    ):
        command = [
            sys.executable,
            "-m",
            "check_jsonschema",
            "--builtin-schema",
            schema,
            *map(str, files),
        ]
        done = subprocess.run(command, capture_output=True, encoding="utf-8")
        assert done.returncode == 0, done.stdout + done.stderr


def test_zizmor_finds_nothing_in_workflows_the_action_and_recipes(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("zizmor")
    for number, recipe in enumerate(RECIPES):
        path = tmp_path / ".github" / "workflows" / f"{number}.yml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(recipe)
    command = [
        program,
        "--offline",
        "--no-progress",
        "--quiet",
        "--config",
        ROOT / ".github/zizmor.yml",
    ]
    done = subprocess.run(
        [*command, ROOT / "action.yml", ROOT / ".github/workflows", tmp_path],
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_recipes_are_short_and_the_table_of_inputs_is_that_of_the_action() -> None:
    assert len(RECIPES) == 4 and len(GITLAB) == 1
    assert [len(block.splitlines()) for block in BLOCKS if len(block.splitlines()) >= 30] == []
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    text = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
    tables = [
        set(re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE))
        for table in text.split("| output |")
    ]
    assert tables == [set(action["inputs"]), set(action["outputs"])]


def test_a_tag_is_released_only_where_all_agrees(tmp_path: Path) -> None:
    sys.path.insert(0, str(ROOT / ".ci"))
    import release  # type: ignore[import-not-found]  # made for the workflow, not a part of the package

    files = {
        "sitegen/__init__.py": '__version__ = "1.2.0"\n',
        "CHANGELOG.md": "## 1.2.0\n\n- New.\n\n## 1.1.0\n\n- Old.\n",
    }
    campaigns.write(
        tmp_path,
        {
            **files,
            **dict.fromkeys(release.DOCUMENTS[:3], "pip install it"),
            "pyproject.toml": '[project]\nname = "x"\n\n[project.scripts]\n',
            "CITATION.cff": "title: x\nversion: 1.2.0\n",
        },
    )
    release.write_address(tmp_path, "https://example.org/a/sitegen/")
    release.write_address(tmp_path, "https://example.org/b/sitegen")
    urls = tomllib.loads((tmp_path / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
    assert urls["Issues"] == "https://example.org/b/sitegen/issues"
    citation = yaml.safe_load((tmp_path / "CITATION.cff").read_text("utf-8"))
    assert citation["repository-code"] == "https://example.org/b/sitegen"
    assert release.faults(tmp_path, "v1.2.0") == []
    assert release.notes(tmp_path, "v1.2.0") == "- New."
    assert len(release.faults(tmp_path, "v1.3.0")) == 2
    campaigns.write(tmp_path, {"CITATION.cff": "title: x\nversion: 1.1.0\n"})
    assert "CITATION.cff has another version" in release.faults(tmp_path, "v1.2.0")[0]
    campaigns.write(tmp_path, {"CITATION.cff": "title: x\nversion: 1.2.0\n"})
    campaigns.write(tmp_path, {"README.md": "There is no release\nyet.", "pyproject.toml": ""})
    assert [fault.split()[0] for fault in release.faults(tmp_path, "v1.2.0")] == [
        "README.md",
        "pyproject.toml",
    ]
    assert release.faults(ROOT, "v0.0.0")
