"""`python3 tests`: sets up what is missing and runs the tests, in the clone. Arguments go to pytest."""

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
    os.execv(python, [python, "-m", "pytest", *sys.argv[1:]])  # noqa: S606  no shell is meant


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
