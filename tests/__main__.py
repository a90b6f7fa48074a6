"""`python3 tests`: sets up what is missing and runs the tests, in the clone. Arguments go to pytest.

All that a push is held to; `--quick` leaves out what needs a browser or much time, `--all` adds what only a night has
time for. A process for each core works, unless arguments name test files or say otherwise (`-n`).
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Never returns: pytest takes this process over, so that its exit code and last line are ours."""
    sys.path.insert(0, str(ROOT / ".ci"))
    import bootstrap

    python = bootstrap.environment("test")
    os.chdir(str(ROOT))
    given = sys.argv[1:]
    is_whole = not any(".py" in each or each.startswith(("-n", "--pdb", "--refresh")) for each in given)
    processes = ["-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder"] if is_whole else []
    bootstrap.become(python, "-m", "pytest", *processes, *given)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
