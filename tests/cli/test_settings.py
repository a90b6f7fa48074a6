"""Which settings a call reads: those that are named, else those of the working folder, and never those of the runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support import campaigns
from tests.support.campaigns import result
from tests.support.command import sitegen

pytestmark = pytest.mark.blank_charts

STOPPED = "so it is not trusted. If it is yours, add `-c config.yaml`; if not, `--no-config`."


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A working folder with settings that mask more, and a folder of runs."""
    settings = "title: Mine\nredact: {literals: [reused]}\ngates: {runs: {min: 2}}\n"
    return campaigns.write(tmp_path / "work", {"runs/a.json": result(1), "config.yaml": settings})


def index(folder: Path) -> str:
    return (folder / "site" / "index.html").read_text(encoding="utf-8")


def test_runs_replace_the_inputs_and_all_other_settings_of_the_working_folder_count(
    project: Path,
) -> None:
    done = sitegen("build", "runs", cwd=project)
    assert done.stdout.splitlines()[0] == "settings: config.yaml"
    assert done.returncode == 3  # its gate
    assert "<h1>Mine</h1>" in index(project)
    assert all(
        "reused" not in path.read_text("utf-8") for path in (project / "site" / "runs").iterdir()
    )


def test_without_settings_is_said_and_done(project: Path) -> None:
    done = sitegen("build", "--no-config", "runs", cwd=project)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "settings: none")
    assert "Mine" not in index(project)
    assert sitegen("build", "-q", "--no-config", "runs", cwd=project).stdout == ""


def test_check_and_scan_read_the_same_settings(project: Path) -> None:
    for command in ("check", "scan"):
        found, without = (
            sitegen(command, "runs", cwd=project),
            sitegen(command, "--no-config", "runs", cwd=project),
        )
        assert found.stdout.splitlines()[0] == "settings: config.yaml"
        assert ("own literal" in found.stdout, "own literal" in without.stdout) == (True, False)


def test_named_settings_win_and_naming_them_excludes_doing_without(project: Path) -> None:
    campaigns.write(project, {"other.yaml": "title: Other\n"})
    assert sitegen("build", "-c", "other.yaml", "runs", cwd=project).stdout.startswith(
        "settings: other.yaml\n"
    )
    assert "<h1>Other</h1>" in index(project)
    done = sitegen("build", "-c", "other.yaml", "--no-config", "runs", cwd=project)
    assert (done.returncode, done.stderr) == (2, "Use either -c FILE or --no-config, not both.\n")


def test_paths_of_found_settings_are_relative_to_them(project: Path) -> None:
    campaigns.write(
        project, {"own/CNAME": "runs.example", "config.yaml": "static: own\noutput: out\n"}
    )
    assert sitegen("build", "runs", cwd=project).returncode == 0
    assert (project / "out" / "CNAME").exists()


def test_settings_that_cannot_be_read_stop_a_build_of_runs(project: Path) -> None:
    campaigns.write(project, {"config.yaml": "titel: x\n"})
    assert sitegen("build", "runs", cwd=project).returncode == 2
    (project / "config.yaml").unlink()
    (project / "config.yaml").symlink_to("nowhere.yaml")
    assert sitegen("build", "runs", cwd=project).returncode == 2
    assert not (project / "site").exists()


@pytest.mark.parametrize(
    ("command", "run"),
    [("check", "."), ("scan", "."), ("scan", "b.json")]
    + [
        ("build", run)
        for run in (
            ".",
            "..",
            "../work",
            "../link",
            "../*",
            "*.json",
            "b.json",
            "config.yaml",
            "c.json",
        )
    ],
)
def test_settings_that_lie_where_runs_do_are_read_only_when_named(
    project: Path, command: str, run: str
) -> None:
    campaigns.write(project, {"b.json": result(2)})
    (project.parent / "link").symlink_to("work")
    (project / "c.json").symlink_to("runs/a.json")
    done = sitegen(command, run, cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    assert STOPPED in done.stderr
    assert not (project / "site").exists()


def test_settings_that_are_a_link_into_the_runs_are_read_only_when_named(project: Path) -> None:
    (project / "config.yaml").rename(project / "runs" / "theirs.yaml")
    (project / "config.yaml").symlink_to("runs/theirs.yaml")
    done = sitegen("build", "runs", cwd=project)
    assert (done.returncode, STOPPED in done.stderr) == (2, True)
    (project / "runs" / "deep").mkdir()
    assert sitegen("build", "../runs", cwd=project / "runs" / "deep").returncode == 2


def test_a_build_of_the_working_folder_goes_on_once_it_says_which_settings_it_wants(
    project: Path,
) -> None:
    campaigns.write(project, {"b.json": result(2)})
    assert sitegen("build", "-c", "config.yaml", ".", cwd=project).returncode == 0
    assert "<h1>Mine</h1>" in index(project)
    assert sitegen("build", "--no-config", ".", cwd=project).returncode == 0
    assert "Mine" not in index(project)


@pytest.mark.parametrize("run", ["runs/a.json", "runs/*.json", "../else", "runs/link.json"])
def test_settings_beside_the_folder_of_the_runs_are_read(project: Path, run: str) -> None:
    campaigns.write(
        project.parent, {"else/b.json": result(2), "else/config.yaml": "title: Theirs\n"}
    )
    (project / "runs" / "link.json").symlink_to("../../else/b.json")
    sitegen("build", run, cwd=project)
    assert "<h1>Mine</h1>" in index(project)


def test_the_settings_of_a_call_may_name_the_folder_that_they_lie_in(project: Path) -> None:
    campaigns.write(project, {"config.yaml": "title: Mine\ninputs: [.]\n"})
    assert sitegen("build", cwd=project).returncode == 0
    assert "<h1>Mine</h1>" in index(project)


def test_settings_that_appear_change_or_go_are_a_change(project: Path) -> None:
    def build() -> str:
        done = sitegen("build", "runs", "--cache-dir", "../cache", cwd=project)
        return done.stdout.splitlines()[0]

    (project / "config.yaml").unlink()
    assert [build(), build()] == ["settings: none"] * 2
    campaigns.write(project, {"config.yaml": "title: First\n"})
    assert [build(), build()] == ["settings: config.yaml"] * 2
    campaigns.write(project, {"config.yaml": "title: Other\n"})
    assert build() == "settings: config.yaml"
    assert "Other" in index(project)
    (project / "config.yaml").unlink()
    assert build() == "settings: none"


def test_runs_that_are_an_input_of_the_settings_keep_its_pattern(project: Path) -> None:
    settings = "inputs: [{path: runs, pattern: '{task}/{attempt}.*'}, other]\n"
    campaigns.write(project, {"config.yaml": settings, "runs/mend/1.json": result(2)})
    for given in ("runs", "./runs/", str(project / "runs")):
        assert sitegen("build", given, cwd=project).returncode == 0
        assert (project / "site" / "tasks").is_dir()
        shutil.rmtree(project / "site")
    assert sitegen("build", "runs/mend", cwd=project).returncode == 0
    assert not (project / "site" / "tasks").exists()


def test_settings_that_are_a_folder_or_a_link_to_nothing_say_so(project: Path) -> None:
    (project / "config.yaml").unlink()
    (project / "config.yaml").symlink_to("nowhere.yaml")
    done = sitegen("build", "runs", cwd=project)
    assert (done.returncode, done.stderr) == (2, "config.yaml: this is a broken link.\n")
    (project / "config.yaml").unlink()
    (project / "config.yaml").mkdir()
    done = sitegen("build", "runs", cwd=project)
    assert (done.returncode, done.stderr) == (
        2,
        "config.yaml: this is a folder. Name the file with the settings.\n",
    )


@pytest.mark.parametrize(
    "summary",
    ["runs/a.json", "link.json", "config.yaml", "site/index.html", "site/new.md", "o.csv"],
)
def test_a_summary_is_never_appended_to_what_the_build_reads_or_writes(
    project: Path, summary: str
) -> None:
    campaigns.write(
        project, {"config.yaml": "outcomes: [o.csv]\n", "o.csv": "path,outcome\na.json,pass\n"}
    )
    (project / "link.json").symlink_to("runs/a.json")
    assert sitegen("build", "runs", cwd=project).returncode == 0
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    done = sitegen("build", "runs", "--summary", summary, cwd=project)
    assert done.returncode == 2 and done.stderr.startswith(f"--summary {summary}: "), done.stderr
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before


def test_a_summary_may_lie_among_the_runs_and_grow(project: Path) -> None:
    campaigns.write(project, {"config.yaml": "title: Mine\n", "notes.md": "Notes"})
    for summary in ("runs/summary.md", "runs/summary.md", "notes.md"):
        assert sitegen("build", "runs", "--summary", summary, cwd=project).returncode == 0
    assert (project / "runs" / "summary.md").read_text(encoding="utf-8").count("## Mine\n") == 2
    assert (project / "notes.md").read_text(encoding="utf-8").startswith("Notes\n\n## Mine\n")


def test_init_that_cannot_write_leaves_nothing(tmp_path: Path) -> None:
    shell = f"ulimit -f 0; exec {sys.executable} -m sitegen init"
    done = subprocess.run(
        ["bash", "-c", shell],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
        },  # or cut modules stay for others
    )
    assert (done.returncode, done.stdout) == (2, "")
    said = done.stderr.partition("Exception ignored in atexit callback: <bound method Coverage")[
        0
    ]  # at night
    assert said == "config.yaml cannot be written: File too large.\n"
    assert not list(tmp_path.iterdir())


def test_of_other_files_of_the_settings_nothing_is_a_problem_where_one_is_named(
    project: Path,
) -> None:
    """Without their inputs the settings are about the named files, and whatever fits none of them is."""
    outcomes = "path,outcome\n" + "".join(f"{name}.json,pass\n" for name in "abcdef")
    settings = "names: {model: {m: Model}}\noutcomes: [o.csv]\n"
    more = {f"runs/{name}.json": result(ord(name)) for name in "bcdef"}
    campaigns.write(
        project, {**more, "o.csv": outcomes, "config.yaml": f"inputs: [runs]\n{settings}"}
    )
    one = sitegen("check", "runs/a.json", cwd=project)
    assert (one.returncode, one.stdout.splitlines()[-2]) == (0, "1 run; 1 warning, 0 ignored")
    assert one.stderr.count("\n") == 1 and "5 lines of outcomes fit none of the files" in one.stderr
    campaigns.write(project, {"config.yaml": settings})
    alone = sitegen("check", "runs/a.json", cwd=project)
    assert "5 problems" in alone.stdout and "no run has a model m" in alone.stderr


def test_sitegen_yaml_is_read_before_config_yaml_and_says_so(project: Path) -> None:
    campaigns.write(project, {"sitegen.yaml": "title: Ours\n"})
    done = sitegen("build", "runs", cwd=project)
    assert done.stdout.splitlines()[0] == "settings: sitegen.yaml; config.yaml is not read"
    assert "<h1>Ours</h1>" in index(project)
    (project / "config.yaml").unlink()
    done = sitegen("check", "runs", cwd=project)
    assert done.stdout.splitlines()[0] == "settings: sitegen.yaml"


def test_the_config_of_another_program_is_not_read_and_init_writes_beside_it(project: Path) -> None:
    campaigns.write(project, {"config.yaml": "baseURL: x\ntitle: Blog\nparams: !x &a {b: *a}\n"})
    note = "config.yaml is not read: it seems to belong to another program, as sitegen has no baseURL and params"
    for command in ("build", "scan"):
        done = sitegen(command, "runs", cwd=project)
        assert (done.returncode, done.stdout.splitlines()[0]) == (0, f"settings: none; {note}")
    assert sitegen("build", cwd=project).stderr.startswith(f"{note}. Name the runs, or write a ")
    assert sitegen("init", cwd=project).stdout.startswith("sitegen.yaml is written.")


@pytest.mark.parametrize(
    "line", ["inptus: [runs]", "redact: {}", "Redact: {}", "leave-out: [x]", "gates: {}"]
)
def test_settings_with_a_key_that_only_sitegen_has_are_never_passed_over(
    project: Path, line: str
) -> None:
    campaigns.write(project, {"config.yaml": f"{line}\none: 1\ntwo: 2\n"})
    assert sitegen("scan", "runs", cwd=project).returncode == 2
