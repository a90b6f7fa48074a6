"""Installs sitegen for the action, into an environment of its own: of the wheel beside the
action, of this checkout, or of a version of the index.

Reads PYTHON, VERSION, GITHUB_ACTION_PATH, RUNNER_TEMP. Standard library only; made for any Python 3 of a runner.
"""

import os
import re
import subprocess
import sys
from pathlib import Path


def main() -> int:
    """The exit code; a version that is none is 2."""
    version = os.environ.get("VERSION", "").strip()
    if version and not re.fullmatch(r"[0-9][0-9A-Za-z.+-]*", version):
        print(f"::error::version: {version!r} is no version of agent-sitegen, such as 1.2.0.")
        return 2
    folder_of_action = Path(os.environ["GITHUB_ACTION_PATH"])
    wheels = sorted(map(str, folder_of_action.glob("agent_sitegen-*.whl")))
    what = f"agent-sitegen=={version}" if version else [*wheels, str(folder_of_action)][0]
    folder = Path(os.environ["RUNNER_TEMP"], "sitegen-environment")
    subprocess.run(
        [os.environ.get("PYTHON") or sys.executable, "-m", "venv", "--clear", str(folder)],
        check=True,
    )
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", what]
    return subprocess.run(install).returncode


if __name__ == "__main__":
    sys.exit(main())
