"""Each file of tests has its place, and the list of modules without tests of their own only gets shorter."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import costs, nearest
from tests.support.nearest import PACKAGE, ROOT, TESTS


def names(tests: list[Path]) -> list[str]:
    return [test.relative_to(TESTS).as_posix() for test in tests]


def test_each_file_of_tests_is_named_after_a_module() -> None:
    assert list(nearest.misplaced_tests()) == [], (
        "name it after the module that it tests, or move it to tests/site, tests/browser, tests/real or tests/project"
    )


def test_the_list_of_modules_without_tests_only_gets_shorter() -> None:
    known = nearest.WITHOUT_TESTS.read_text(encoding="utf-8").splitlines()
    lacking = list(nearest.modules_without_tests())
    assert sorted(set(lacking) - set(known)) == [], "write tests for these modules"
    assert sorted(set(known) - set(lacking)) == [], (
        f"these have tests now: remove them from {nearest.WITHOUT_TESTS.relative_to(ROOT)}"
    )


@pytest.mark.parametrize(
    ("module", "tests"),
    [
        ("figures.py", ["test_figures.py"]),
        ("outcomes/__init__.py", ["outcomes/test_outcomes.py", "outcomes/test_cases.py"]),
        (
            "readers/opencode_databases.py",
            [
                "readers/test_opencode_databases.py",
                "readers/test_opencode_databases_log.py",
                "readers/test_opencode_databases_tables.py",
                "readers/test_cases.py",
            ],
        ),
        ("readers/claude/__init__.py", ["readers/test_cases.py"]),
    ],
)
def test_the_nearest_tests_are_found_by_name(module: str, tests: list[str]) -> None:
    assert names(nearest.nearest_tests(PACKAGE / module)) == tests


def test_each_long_test_is_there() -> None:
    for name in costs.LONG_TESTS.read_text(encoding="utf-8").split():
        file, _, test = name.rpartition("::")
        assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), name


def test_of_two_modules_the_one_with_the_longer_name_has_a_test() -> None:
    test = TESTS / "outcomes" / "test_parse_rows_measurements.py"
    assert nearest.module_of(test) == PACKAGE / "outcomes" / "parse_rows.py"


def test_a_module_without_tests_has_those_of_its_folder() -> None:
    module = PACKAGE / "masking" / "word_lists.py"
    assert nearest.own_tests(module) == []
    assert nearest.nearest_tests(module) == nearest.tests_in(module.parent)


@pytest.mark.parametrize("path", ["sitegen/none.py", "tests/conftest.py"])
def test_what_is_no_module_is_refused(path: str) -> None:
    with pytest.raises(SystemExit, match="no module of sitegen"):
        nearest.module_at(str(ROOT / path))
