"""`python3 tests`: sets up what is missing and runs the tests, in the clone. Arguments go to pytest.

All that a push is held to; `--quick` leaves out what needs a browser or much time, `--all` adds what only a night has
time for, and reports which lines of sitegen no test runs. `--for sitegen/x.py` runs the tests nearest to a module, and
`--mutants sitegen/x.py` tells which faults in it they miss. A process for each core works, unless arguments name test
files or say otherwise (`-n`).
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Never returns. Unless lines are counted, pytest takes this process over: its exit code and last line are ours."""
    sys.path.insert(0, str(ROOT / ".ci"))
    import bootstrap

    python = bootstrap.environment("test")
    os.chdir(str(ROOT))
    given = sys.argv[1:]
    for option, tool in (("--for", "nearest"), ("--mutants", "mutants")):
        if given[:1] == [option]:
            bootstrap.become(python, "-m", f"tests.support.{tool}", *given[1:])
    is_whole = not any(
        ".py" in each or each.startswith(("-n", "--pdb", "--refresh")) for each in given
    )
    processes = ["-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder"] if is_whole else []
    if is_whole and "--all" in given:
        sys.exit(_counting_lines(python, "-m", "pytest", *processes, *given))
    bootstrap.become(python, "-m", "pytest", *processes, *given)


def _counting_lines(python: str, *tests: str) -> int:
    """Run the tests and report which lines of sitegen ran, also in other processes. The first exit code that is not 0;
    pyproject.toml has the least share of lines."""
    os.environ["COVERAGE_FILE"] = str(
        ROOT / ".venv" / "lines-run"
    )  # also for processes in other folders
    steps = ("run", *tests), ("combine", "-q"), ("report",)
    codes = [subprocess.call([python, "-m", "coverage", *step]) for step in steps]
    return next(filter(None, codes), 0)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
