"""Which tests are nearest to a module, found by their names; `python3 tests --for sitegen/x.py` runs them.

Of `sitegen/inputs/merging.py` they are `tests/inputs/test_merging.py` and those with more words behind that name, such as
`tests/inputs/test_merging_names.py`. Those of a package itself have its last name: `tests/outcomes/test_outcomes.py`. The
cases of a package, `tests/inputs/test_cases.py`, are near to each module in it and below. A module without tests of its
own, where there are no cases either, has those of its folder.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = ROOT / "sitegen"
TESTS = ROOT / "tests"
WITHOUT_TESTS = TESTS / "modules_without_tests.txt"
CASES = "test_cases.py"
OTHER_FOLDERS = {"browser", "project", "real", "site", "support"}
"""Folders of tests that mirror no package."""


def modules() -> list[Path]:
    """Return the modules of sitegen that have any code."""
    return [path for path in sorted(PACKAGE.rglob("*.py")) if path.stat().st_size > 0]


def name_in_tests(module: Path) -> str:
    """Return what the names of a module's tests begin with, after `test_`."""
    return module.parent.name if module.stem == "__init__" else module.stem


def module_of(test: Path) -> Path | None:
    """Return the module that a file of tests is nearest to: of several the one with the longest name."""
    folder = PACKAGE / test.parent.relative_to(TESTS)
    name = test.stem.removeprefix("test_")
    candidates = [
        module
        for module in folder.glob("*.py")
        if f"{name}_".startswith(f"{name_in_tests(module)}_")
    ]
    return max(candidates, key=lambda module: len(name_in_tests(module)), default=None)


def tests_in(folder: Path) -> list[Path]:
    """Return the files of tests in the folder that mirrors a folder of the package."""
    return sorted((TESTS / folder.relative_to(PACKAGE)).glob("test_*.py"))


def own_tests(module: Path) -> list[Path]:
    """Return the files of tests that are named after a module."""
    return [test for test in tests_in(module.parent) if module_of(test) == module]


def cases_of(module: Path) -> list[Path]:
    """Return the tests by cases of the packages that a module is in."""
    folders = [folder for folder in module.parents if folder.is_relative_to(PACKAGE)]
    tests = [TESTS / folder.relative_to(PACKAGE) / CASES for folder in folders]
    return [test for test in tests if test.exists()]


def nearest_tests(module: Path) -> list[Path]:
    """Return the tests of a module and the cases of its packages; where there are none, the tests of its folder, or of
    the next one above that has some."""
    if tests := own_tests(module) + cases_of(module):
        return tests
    folder = module.parent
    while folder != PACKAGE:
        if tests := tests_in(folder):
            return tests
        folder = folder.parent
    return []


def modules_without_tests() -> Iterator[str]:
    """Yield the modules that no file of tests is named after."""
    for module in modules():
        if not own_tests(module):
            yield module.relative_to(ROOT).as_posix()


def misplaced_tests() -> Iterator[str]:
    """Yield the tests whose name is that of no module in the folder that their own mirrors."""
    for test in sorted(TESTS.rglob("test_*.py")):
        folder = test.relative_to(TESTS).parts[0]
        if folder not in OTHER_FOLDERS and test.name != CASES and module_of(test) is None:
            yield test.relative_to(ROOT).as_posix()


def module_at(path: str) -> Path:
    """Return the module that an argument names; exits with a sentence where there is none."""
    module = Path(path).resolve()
    if not module.is_file() or not module.is_relative_to(PACKAGE):
        sys.exit(f"{path} is no module of sitegen.")
    return module


def main(arguments: list[str]) -> None:
    """`--for MODULE ... [--lines] [ARGUMENTS FOR PYTEST]`: run the nearest tests, without a browser or slow ones; `--lines`
    also reports which lines of the modules they reach."""
    named = [module_at(argument) for argument in arguments if argument.endswith(".py")]
    others = [argument for argument in arguments if not argument.endswith(".py")]
    tests: list[Path] = []
    for module in named:
        nearest = nearest_tests(module)
        if not own_tests(module):
            print(f"{module.name} has no tests of its own: these are the nearest.", flush=True)
        tests += [test for test in nearest if test not in tests]
    if not tests:
        sys.exit("No tests are near: name a module, as in --for sitegen/figures.py.")
    pytest = ["-m", "pytest", "--quick", *map(str, tests)]
    if "--lines" not in others:
        os.execv(sys.executable, [sys.executable, *pytest, *others])  # noqa: S606  no shell is meant
    others.remove("--lines")
    os.environ["COVERAGE_FILE"] = str(ROOT / ".venv" / "lines-near")
    code = subprocess.call([sys.executable, "-m", "coverage", "run", *pytest, *others])
    subprocess.call([sys.executable, "-m", "coverage", "combine", "-q"])
    included = ",".join(map(str, named))
    report = ["report", "--fail-under=0", f"--include={included}"]
    subprocess.call([sys.executable, "-m", "coverage", *report])
    sys.exit(code)


if __name__ == "__main__":
    main(sys.argv[1:])
