"""Which tests use much processor time: `python3 tests -p tests.support.costs` writes them to `tests/long_tests.txt`.

A push runs some of the cases of these, see `tests/conftest.py`. Processes that a test starts count. The machine has to be
quiet: of commands the time counts that a test waits for them.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import command

LONG_TESTS = Path(__file__).resolve().parent.parent / "long_tests.txt"
LEAST_SECONDS = 1.5
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


def pytest_sessionfinish() -> None:
    """Write the names of the tests that used much, with those of earlier runs and of other processes."""
    known = LONG_TESTS.read_text(encoding="utf-8").split() if LONG_TESTS.exists() else []
    long = {name for name, seconds in _seconds.items() if seconds >= LEAST_SECONDS}
    LONG_TESTS.write_text("\n".join(sorted({*known, *long})) + "\n", encoding="utf-8")
