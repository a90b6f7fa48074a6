"""What the tests share: the material beside the clone, a browser, and the demo site, built once.

A test whose surroundings are missing skips and says why. Under CI=true the same is a failure: there nobody
reads skips.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from sitegen.places import CACHE_VARIABLE
from tests import browsers

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all-secrets", action="store_true", help="make 12,000 secrets of today's seed, not a sample")
    parser.addoption("--refresh", action="store_true", help="write the golden files anew, compare nothing")


def pytest_configure(config: pytest.Config) -> None:
    """Builds get a cache folder of the tests' own, also those in other processes, before a test module is loaded."""
    folder = tempfile.TemporaryDirectory(prefix="sitegen-cache-", ignore_cleanup_errors=True)
    os.environ[CACHE_VARIABLE] = folder.name
    config.add_cleanup(folder.cleanup)


def missing(what: str) -> NoReturn:
    """Skip, or fail under CI=true."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} (a failure because CI=true)", pytrace=False)
    pytest.skip(what)


@pytest.fixture(scope="session")
def refresh(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written anew."""
    return bool(request.config.getoption("--refresh"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real runs and hostile inputs, which is not part of the project."""
    folder = Path(os.environ.get("SITEGEN_SHARED") or ROOT.parent / "shared")
    if not folder.is_dir():
        missing(f"no folder {folder}: set SITEGEN_SHARED")
    return folder


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A Chromium without a window."""
    try:
        with browsers.chromium() as running:
            yield running
    except browsers.NoBrowser as reason:
        missing(str(reason))


@pytest.fixture(scope="session")
def demo_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo site, built from config.yaml by the command. Its folder is named "repo" as on GitHub."""
    out = tmp_path_factory.mktemp("demo") / "repo"
    command = [sys.executable, "-m", "sitegen", "build", "-q", "-c", "config.yaml", "-o", str(out)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    assert built.returncode == 0, built.stderr
    return out
