"""The recipes that publish a site with GitHub Pages: their steps are run as a runner of GitHub would run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT
from tests.support import campaigns
from tests.support.campaigns import result

WORKFLOW = ".github/workflows/pages.yml"
DOCUMENTS = ("docs/publishing.md",)

posix_only = pytest.mark.skipif(os.name != "posix", reason="needs the shell of the runners")
pytestmark = posix_only


def steps(name: str) -> list[dict[str, Any]]:
    """The steps of the recipe in a document, or of the workflow."""
    text = (ROOT / name).read_text(encoding="utf-8")
    if name != WORKFLOW:
        (text,) = (
            block
            for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
            if "name: pages" in block
        )
    found: list[dict[str, Any]] = yaml.safe_load(text)["jobs"]["site"]["steps"]
    return found


@dataclass
class Job:
    """The result of the steps."""

    is_deployed: bool = False
    code: int = 0


def run(name: str, folder: Path, command: str) -> Job:
    """Run the steps of a recipe up to the first that fails; `command` stands for `sitegen` and for `python3`."""
    tools = folder / ".tools"
    tools.mkdir()
    for tool, does in {
        "sitegen": command,
        "python3": command,
        "pip": "exit 0",
        "sphinx-build": "exit 0",
    }.items():
        (tools / tool).write_text(f"#!/bin/sh\n{does}\n")
        (tools / tool).chmod(0o755)
    files = {
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
    }
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": path, **files}
    job = Job()
    for step in steps(name):
        if "deploy-pages" in step.get("uses", ""):
            job.is_deployed = True
        if "run" not in step:
            continue
        script, output = step["run"], folder / "output"
        given = {name: str(value) for name, value in step.get("env", {}).items()}
        for line in output.read_text().splitlines() if output.exists() else ():
            key, _, value = line.partition("=")
            given = {
                name: text.replace(f"${{{{ steps.build.outputs.{key} }}}}", value)
                for name, text in given.items()
            }
        given = {name: text for name, text in given.items() if "${{" not in text}
        assert "${{" not in script
        job.code = subprocess.run(
            ["bash", "-e", "-c", script], cwd=folder, env=environment | given
        ).returncode
        if job.code:
            break
    return job


@pytest.mark.parametrize("name", [*DOCUMENTS, WORKFLOW])
@pytest.mark.parametrize("code", [0, 1, 2, 3, 4])
def test_a_site_that_is_written_is_deployed_and_the_job_ends_as_the_build(
    tmp_path: Path, name: str, code: int
) -> None:
    command = f'case "$*" in *over-time) ;; *) exit {code} ;; esac'  # the second site of the demo has no gates
    assert run(name, tmp_path, command) == Job(is_deployed=code in (0, 1, 3), code=code)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_recipe_uses_the_settings_and_adds_to_the_summary(tmp_path: Path, name: str) -> None:
    settings = "redact: {literals: [reused]}\ngates: {runs: {min: 2}}\n"
    campaigns.write(
        tmp_path,
        {"runs/a.json": result(1), "config.yaml": settings, "summary.md": "Of an earlier step"},
    )
    assert run(name, tmp_path, f'exec {sys.executable} -m sitegen "$@"') == Job(
        is_deployed=True, code=3
    )
    assert all(
        "reused" not in path.read_text("utf-8") for path in (tmp_path / "site" / "runs").iterdir()
    )
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert summary.startswith("Of an earlier step\n\n## Agent runs\n")
    assert "0 of 1 gate passed" in summary


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_recipe_that_takes_a_cache_from_elsewhere_has_a_key_for_it(name: str) -> None:
    has_cache = any("actions/cache" in step.get("uses", "") for step in steps(name))
    (build,) = (step for step in steps(name) if step.get("id") == "build")
    assert ("SITEGEN_CACHE_KEY" in build.get("env", {})) == has_cache


def test_a_recipe_without_a_run_deploys_nothing(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    assert run(DOCUMENTS[0], tmp_path, f'exec {sys.executable} -m sitegen "$@"') == Job(
        is_deployed=False, code=4
    )
