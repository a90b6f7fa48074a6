"""Makes the folder that a workflow needs to use the action, a wheel and a few files, in place of the whole repository.

    python3 .ci/action_folder.py FOLDER

Standard library only; pip builds the wheel.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def copy_files(folder: Path) -> None:
    """Copy the action and its scripts."""
    scripts = folder / ".github" / "action"
    scripts.mkdir(parents=True, exist_ok=True)
    for name in ("action.yml", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    for script in sorted((ROOT / ".github" / "action").glob("*.py")):
        shutil.copy(script, scripts)


def add_wheel(folder: Path) -> None:
    """Build the wheel of this checkout into the folder, in place of an older one."""
    for old in folder.glob("agent_sitegen-*.whl"):
        old.unlink()
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(folder)]
    subprocess.run([*command, str(ROOT)], check=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Name the folder: python3 .ci/action_folder.py FOLDER")
    copy_files(Path(sys.argv[1]))
    add_wheel(Path(sys.argv[1]))
