"""Builds the site of a project's sessions when one ends: `SessionEnd` hook of Claude Code. Standard library only.

The site goes to `~/.claude/sitegen/<project>`, outside the project, so that nobody commits it; SITEGEN_SITES names
another folder. Sessions stay on this machine, and a failure never holds up Claude Code: it goes to sitegen.log beside
the site.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

TIMEOUT_SECONDS = 110


def main() -> int:
    """Build the site of the sessions beside the one that ended. Returns 0 whatever happens."""
    try:
        sessions = Path(json.load(sys.stdin)["transcript_path"]).expanduser().parent
    except (ValueError, KeyError, TypeError):
        print("sitegen: the hook got no transcript_path", file=sys.stderr)
        return 0
    program = shutil.which("sitegen")
    if program is None or not sessions.is_dir():
        reason = "sitegen is not installed" if program is None else f"{sessions} is not a folder"
        print(f"sitegen: {reason}, so no site was built", file=sys.stderr)
        return 0
    sites = Path(os.environ.get("SITEGEN_SITES") or Path.home() / ".claude" / "sitegen").expanduser()
    sites.mkdir(parents=True, exist_ok=True)
    command = [program, "build", str(sessions), "-o", str(sites / sessions.name), "--no-config", "--quiet"]
    with (sites / "sitegen.log").open("w", encoding="utf-8") as log:
        try:
            subprocess.run(command, stdout=log, stderr=log, timeout=TIMEOUT_SECONDS, check=False)  # noqa: S603  a list, no shell
        except (OSError, subprocess.TimeoutExpired) as error:
            log.write(f"{error}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
