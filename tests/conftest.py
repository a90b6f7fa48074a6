"""What the tests share: the material beside the clone, a browser, and the demo site, built once.

A test whose surroundings are missing skips and says why. Under CI=true the same is a failure: there nobody
reads skips.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

import pytest
from hypothesis import settings

from sitegen.system.places import CACHE_VARIABLE
from tests.support import browsers, costs, drawings, site_checks
from tests.support.command import sitegen

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, Page

Item = TypeVar("Item")

ROOT = Path(__file__).resolve().parent.parent
OF_SITES = {"browser", "real", "site"}
"""Folders of tests that build whole sites."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--refresh", action="store_true", help="write the golden files anew, compare nothing"
    )
    parser.addoption(
        "--quick", action="store_true", help="leave out what needs a browser or much time"
    )
    parser.addoption(
        "--all", action="store_true", help="the nightly run: long tests, whole samples"
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """`--quick` does not even load the tests of whole sites, unless they are named."""
    is_of_sites = collection_path.parent == ROOT / "tests" and collection_path.name in OF_SITES
    is_left_out = is_of_sites and config.getoption("--quick") and not names_files(config)
    return True if is_left_out else None


def names_files(config: pytest.Config) -> bool:
    """Return whether the command line names files, which then run whole."""
    return any(".py" in name for name in config.args)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes are named by their argument: those of an archive may hold the time, and each process has to give the same
    names."""
    return argname if isinstance(val, bytes) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What is not asked for is deselected, and counted as such. Of files that are named, all tests run but those of
    the night."""
    are_named = names_files(config)
    left_out = set() if config.getoption("--all") else {"nightly"}
    if config.getoption("--quick"):
        left_out |= {"browser", "slow"} if are_named else {"browser", "slow", "long", "not_quick"}
    marked_tests = {
        "long": costs.names_in(costs.LONG_TESTS),
        "not_quick": costs.names_in(costs.NOT_QUICK_TESTS),
    }
    for item in items:
        for marker, tests in marked_tests.items():
            if costs.name_of(item) in tests:
                item.add_marker(marker)
        if BROWSERS & set(getattr(item, "fixturenames", ())):
            item.add_marker("browser")
        called = set(getattr(getattr(item, "function", None), "__code__", _NO_CODE).co_names)
        if CLOCKS & called:
            item.add_marker("timing")
        if COMMANDS & called:
            item.add_marker("slow")
        if COMMANDS & set(_names_in_fixtures(item)):
            item.add_marker("not_quick")
        if any(item.get_closest_marker(name) for name in ("browser", "timing")):
            item.add_marker(
                pytest.mark.flaky(reruns=1)
            )  # a busy machine; the summary lists each as RERUN
    gone = [item for item in items if any(item.get_closest_marker(name) for name in left_out)]
    if not config.getoption("--all") and not are_named:
        gone += _not_sampled(items)
        if config.getoption("--quick"):
            gone += _left_out_if_quick(items)
    if gone:
        config.hook.pytest_deselected(items=gone)
        left_out_items = set(gone)
        items[:] = [item for item in items if item not in left_out_items]
    _longest_first(items)


def _names_in_fixtures(item: pytest.Item) -> Iterator[str]:
    """Yield the names that the fixtures of a test call."""
    fixtures = getattr(item, "_fixtureinfo", None)
    for definitions in fixtures.name2fixturedefs.values() if fixtures else ():
        for fixture in definitions:
            yield from getattr(fixture.func, "__code__", _NO_CODE).co_names


def _longest_first(items: list[pytest.Item]) -> None:
    """Files with the most tests of seconds come first, or one process would work on the last of them alone."""
    seconds = Counter(
        item.path for item in items if any(map(item.get_closest_marker, ("browser", "slow")))
    )
    items.sort(key=lambda item: -seconds[item.path])


def _not_sampled(items: Sequence[pytest.Item]) -> Iterator[pytest.Item]:
    """Yield the cases that a push leaves out: of each test that takes seconds all but one in 24, or in as many as
    `sampled(share)` says, or one in eight if `long_tests.txt` has it; of a file's tests with one case all but one in
    eight of those that need a browser, one in six of the others. Of a file with few of them often none runs, so that
    what they share need not be built."""
    cases: dict[tuple[str, int], list[pytest.Item]] = {}
    for item in items:
        browser, slow, sampled = map(item.get_closest_marker, ("browser", "slow", "sampled"))
        if sampled or ((browser or slow) and "[" in item.nodeid):
            cases.setdefault(
                (item.nodeid.partition("[")[0], sampled.args[0] if sampled else 24), []
            ).append(item)
        elif browser or slow:
            cases.setdefault((item.nodeid.partition("::")[0], 8 if browser else 6), []).append(item)
        elif item.get_closest_marker("long"):
            cases.setdefault((costs.name_of(item), 8), []).append(item)
    for (name, share), own in cases.items():
        chance = random.Random(f"{commit()} {name}")  # noqa: S311
        yield from set(own) - set(chance.sample(own, int(len(own) / share + chance.random())))


def _left_out_if_quick(items: Sequence[pytest.Item]) -> Iterator[pytest.Item]:
    """Yield all but one in six cases of a test that has many."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(costs.name_of(item), []).append(item)
    for own in cases.values():
        if len(own) > 6:
            yield from set(own) - set(_one_in(6, own))


def _one_in(share: int, items: Sequence[Item]) -> list[Item]:
    """One in so many of them, by chance, at least one. The commit decides which, so that a failure can be repeated and
    each push looks at others."""
    return random.Random(commit()).sample(list(items), -(-len(items) // share))  # noqa: S311


BROWSERS = {"browser", "page", "running"}
"""Fixtures that start one."""

COMMANDS = {"sitegen"}
"""Start the command in a process of its own, which takes a second before it does anything."""

CLOCKS = {"process_time", "seconds_since", "monotonic", "perf_counter"}

_NO_CODE = (lambda: None).__code__


def pytest_configure(config: pytest.Config) -> None:
    """Before a test module is loaded: builds get folders of the tests' own for the cache and its key; compiled modules,
    templates and what vl-convert draws are kept, also in other processes. Without them each build of a test takes
    seconds longer."""
    for variable in (CACHE_VARIABLE, "XDG_CONFIG_HOME", drawings.FOLDER):
        if (
            variable != drawings.FOLDER or variable not in os.environ
        ):  # drawings are for all processes of a session
            folder = tempfile.TemporaryDirectory(
                prefix="sitegen-tests-", ignore_cleanup_errors=True
            )
            os.environ[variable] = folder.name
            config.add_cleanup(folder.cleanup)
    drawings.install()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(ROOT / ".venv" / "compiled")
    sys.dont_write_bytecode = False
    examples = 300 if config.getoption("--all") else 30
    settings.register_profile(
        "tests", deadline=None, max_examples=examples
    )  # a busy machine is no fault of the code
    settings.load_profile("tests")
    if config.getoption("--all"):  # what grammars make, by a seed that another commit changes
        os.environ.setdefault("SITEGEN_SAMPLES", "10000")
        os.environ.setdefault("SITEGEN_SEED", str(int(f"0{commit()[:7]}", 16)))


@cache
def commit() -> str:
    """The commit of the clone; empty where there is none."""
    command = ["git", "rev-parse", "HEAD"]
    try:
        return subprocess.run(
            command, cwd=ROOT, capture_output=True, encoding="utf-8"
        ).stdout.strip()
    except OSError:
        return ""


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
def sample(request: pytest.FixtureRequest) -> Callable[[Sequence[Item], int], list[Item]]:
    """`sample(items, share)`: one in so many of them, see `_one_in`; under --all, all of them."""
    if request.config.getoption("--all"):
        return lambda items, _: list(items)
    return lambda items, share: _one_in(share, items)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real runs and hostile inputs, which is not part of the project."""
    folder = Path(os.environ.get("SITEGEN_SHARED") or ROOT.parent / "shared")
    if not folder.is_dir():
        missing(f"no folder {folder}: set SITEGEN_SHARED")
    return folder


@pytest.fixture(scope="module", autouse=True)
def _blank_charts(request: pytest.FixtureRequest) -> Iterator[None]:
    """Charts are empty rectangles in a module that is marked `blank_charts`."""
    with pytest.MonkeyPatch.context() as patch:
        if request.node.get_closest_marker("blank_charts"):
            patch.setenv(drawings.BLANK, "1")
        yield


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A Chromium without a window."""
    try:
        with browsers.chromium() as running:
            yield running
    except browsers.NoBrowser as reason:
        missing(str(reason))


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page in a context of its own, which must stay free of errors and refusals and ask for nothing but files."""
    with browser.new_context(
        viewport={"width": 1280, "height": 900}, accept_downloads=True
    ) as context:
        watch = site_checks.Watch("file:").over(context)
        yield context.new_page()
    assert watch.findings == [], (
        "the browser said these: open the page of the test and look at its console"
    )


BUILD_SECONDS = 600
"""What a build of the demo takes at most, however busy the machine is."""


@pytest.fixture(scope="session")
def demo_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo site, built from config.yaml by the command, once for all processes that run tests. Its folder is named
    "repo" as on GitHub."""
    own = tmp_path_factory.getbasetemp()
    out = (own.parent if os.environ.get("PYTEST_XDIST_WORKER") else own) / "demo" / "repo"
    try:
        out.parent.mkdir()
    except FileExistsError:
        end = time.monotonic() + BUILD_SECONDS
        while not out.exists():  # it comes whole
            assert time.monotonic() < end, (
                "the process that builds the demo has failed: look at its tests"
            )
            time.sleep(0.1)
        return out
    built = sitegen("build", "-q", "-c", "config.yaml", "-o", out, **{drawings.BLANK: ""})
    assert built.returncode == 0, built.stderr
    return out
