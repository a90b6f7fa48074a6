"""Which tests use much processor time: `python3 tests -p tests.support.costs` adds them to two lists beside this folder.

A push runs some of those in `long_tests.txt`, and `--quick` none of those in either list, see `tests/conftest.py`.
Processes that a test starts count. The machine has to be quiet: of commands the time counts that a test waits for them.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import command

LONG_TESTS = Path(__file__).resolve().parent.parent / "long_tests.txt"
NOT_QUICK_TESTS = LONG_TESTS.with_name("not_quick_tests.txt")
LEAST_SECONDS = {LONG_TESTS: 1.5, NOT_QUICK_TESTS: 0.2}
"""The processor time from which on a test belongs to a list."""
_seconds: Counter[str] = Counter()


def used_seconds() -> float:
    """Return the processor time of this process and of those that it started and that ended, and the time of commands."""
    times = os.times()
    own = times.user + times.system + times.children_user + times.children_system
    return own + command.waited_seconds


def name_of(item: pytest.Item) -> str:
    """Return the name of a test without that of its case."""
    return item.nodeid.partition("[")[0]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    begin = used_seconds()
    yield
    _seconds[name_of(item)] += used_seconds() - begin


def names_in(tests: Path) -> set[str]:
    """Return the names of the tests in a list; none where there is no such file."""
    return set(tests.read_text(encoding="utf-8").split()) if tests.exists() else set()


def pytest_sessionfinish() -> None:
    """Write the names of the tests that used much, with those of earlier runs and of other processes."""
    for tests, least_seconds in LEAST_SECONDS.items():
        found = {name for name, seconds in _seconds.items() if seconds >= least_seconds}
        tests.write_text("\n".join(sorted(names_in(tests) | found)) + "\n", encoding="utf-8")
