"""The product as it is handed over: sdist, the wheel made from it, installed far away from the checkout.

Only here is it seen whether templates and data files ship. It takes half a minute and the package index.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tarfile
from functools import partial
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.conftest import ROOT, missing
from tests.project.test_skill import follow_skill

pytestmark = pytest.mark.slow


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command, run in `cwd` with nothing of the checkout on Python's path."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(command, cwd=cwd, env=environ, capture_output=True, encoding="utf-8")


def pip(python: str | Path, *arguments: str | Path, cwd: Path) -> None:
    """Run pip quietly.

    Raises: AssertionError, with what pip says.
    """
    done = run(python, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("dist")
    download = ("download", "--quiet", "--no-deps", "--dest", folder / "index", "hatchling")
    if run(sys.executable, "-m", "pip", *download, cwd=folder).returncode:
        missing("the package index cannot be reached")
    built = run(sys.executable, "-m", "build", "--outdir", folder, ROOT, cwd=folder)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


@pytest.fixture(scope="module")
def installed(distributions: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that holds the wheel and what it needs."""
    if not importlib.util.find_spec("vl_convert"):
        missing("there is no vl-convert for this machine, so the wheel cannot be installed whole")
    folder = tmp_path_factory.mktemp("away")
    sys.path.insert(0, str(ROOT / ".ci"))
    import bootstrap  # type: ignore[import-not-found]  # made for the README's commands, not a part of the package

    bootstrap.make(folder / "venv")
    python = folder / "venv" / "bin" / "python"
    pip(python, "install", "-c", ROOT / "constraints.txt", *distributions.glob("*.whl"), cwd=folder)
    return python


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder with three small runs."""
    folder = tmp_path / "runs"
    folder.mkdir()
    for number in range(1, 4):
        usage = {
            "inputTokens": 9,
            "outputTokens": 70,
            "cacheReadInputTokens": 900,
            "cacheCreationInputTokens": 8,
        }
        run_file = {
            "type": "result",
            "subtype": "success",
            "is_error": False,
            "duration_ms": 60_000 * number,
            "duration_api_ms": 50_000 * number,
            "num_turns": 3 * number,
            "result": f"# Part {number}\n\nDone, with `care`.",
            "session_id": f"00000000-0000-4000-8000-00000000000{number}",
            "uuid": f"00000000-0000-4000-8000-00000000001{number}",
            "total_cost_usd": 0.25 * number,
            "modelUsage": {"claude-sonnet-4-5-20250929": {**usage, "costUSD": 0.25 * number}},
        }
        (folder / f"part-{number}.json").write_text(json.dumps(run_file), encoding="utf-8")
    return folder


def test_the_sdist_holds_what_its_tests_and_its_demo_need(distributions: Path) -> None:
    with tarfile.open(next(distributions.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = ("sitegen", "tests", "examples", "benchmarks", ".ci")
    wanted = {
        str(path.relative_to(ROOT)) for folder in needed for path in (ROOT / folder).rglob("*.py")
    }
    wanted |= {
        "README.md",
        "LICENSE",
        "constraints.txt",
        "config.yaml",
        "templates/base.html.jinja",
    }
    assert wanted - names == set()


def test_the_wheel_holds_the_package_its_templates_and_its_licence_only(
    distributions: Path,
) -> None:
    with ZipFile(next(distributions.glob("*.whl"))) as archive:
        names = set(archive.namelist())
    assert {name.split("/")[0].rpartition(".")[2] for name in names} == {"sitegen", "dist-info"}
    files = (path.relative_to(ROOT) for path in (ROOT / "templates").rglob("*") if path.is_file())
    templates = {path for path in files if "__pycache__" not in path.parts}
    assert not any("__pycache__" in name for name in names)
    assert {"sitegen/CHANGELOG.md", *(f"sitegen/{path}" for path in templates)} - names == set()
    assert any(name.endswith("/licenses/LICENSE") for name in names)


@pytest.mark.nightly  # it installs twine
def test_the_index_can_show_both_distributions(distributions: Path, installed: Path) -> None:
    pip(installed, "install", "twine", cwd=distributions)
    done = run(
        installed,
        "-m",
        "twine",
        "check",
        "--strict",
        *distributions.glob("agent_sitegen*"),
        cwd=distributions,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.nightly  # it installs all that sitegen needs
def test_the_installed_wheel_builds_a_site_and_without_vl_convert_too(
    installed: Path, runs: Path
) -> None:
    command = (installed.parent / "sitegen", "build", "runs", "-o")
    whole = run(*command, "whole", cwd=runs.parent)
    assert whole.returncode == 0, whole.stderr
    assert "vl-convert" not in whole.stderr
    site = runs.parent / "whole"
    assert len(list(site.glob("runs/*.html"))) == 3
    assert any(script.stat().st_size > 500_000 for script in site.rglob("*.js")), "no Vega bundle"
    assert "<svg" in (site / "index.html").read_text(encoding="utf-8").partition("<main")[2]

    pip(installed, "uninstall", "--yes", "vl-convert-python", cwd=runs.parent)
    reduced = run(*command, "reduced", cwd=runs.parent)
    assert reduced.returncode == 0, reduced.stderr
    warnings = [
        line for line in reduced.stderr.splitlines() if line not in whole.stderr.splitlines()
    ]
    assert len([line for line in warnings if "vl-convert" in line]) == 1, reduced.stderr
    site = runs.parent / "reduced"
    assert len(list(site.glob("runs/*.html"))) == 3
    assert not any(script.stat().st_size > 500_000 for script in site.rglob("*.js"))


@pytest.mark.nightly  # it installs all that sitegen needs
def test_an_agent_that_follows_the_skill_of_the_wheel_gets_a_checked_page(
    installed: Path, tmp_path: Path
) -> None:
    command = partial(run, installed.parent / "sitegen")
    skill = command("skill", cwd=tmp_path).stdout
    assert skill.startswith("---\nname: sitegen\n")
    follow_skill(skill, command, tmp_path)
