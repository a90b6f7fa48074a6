"""`python3 examples`: sets up what is missing and builds the demo site; the build's last line is its address."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Never returns: the build takes this process over, so that its exit code and last line are ours."""
    sys.path.insert(0, str(ROOT / ".ci"))
    import bootstrap

    python = bootstrap.environment()
    os.chdir(str(ROOT))
    bootstrap.become(python, "-m", "sitegen", "build", "-c", "config.yaml", *sys.argv[1:])


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
