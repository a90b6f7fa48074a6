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
from typing import Any

# Claude Code ends its hooks when it ends, and what they have started in their session.
_DETACHED: dict[str, Any] = (
    {"creationflags": 0x208} if os.name == "nt" else {"start_new_session": True}
)


def main() -> int:
    """Start the build of the sessions beside the one that ended, and do not wait for it. Returns 0 whatever happens."""
    try:
        sessions = Path(json.load(sys.stdin)["transcript_path"]).expanduser().parent
    except (ValueError, KeyError, TypeError, AttributeError, RuntimeError, RecursionError):
        print("sitegen: the hook got no transcript_path", file=sys.stderr)
        return 0
    program = shutil.which("sitegen")
    if program is None or not sessions.is_dir():
        reason = "sitegen is not installed" if program is None else f"{sessions} is not a folder"
        print(f"sitegen: {reason}, so no site was built", file=sys.stderr)
        return 0
    try:
        sites = Path(os.environ.get("SITEGEN_SITES") or "~/.claude/sitegen").expanduser()
        site = str(sites / sessions.name)
        command = [program, "build", str(sessions), "-o", site, "--no-config", "--quiet"]
        sites.mkdir(parents=True, exist_ok=True)
        with (sites / "sitegen.log").open("w", encoding="utf-8") as log:
            subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **_DETACHED)  # noqa: S603  a list, no shell
    except (OSError, RuntimeError, ValueError) as error:  # such as a user without a home
        print(f"sitegen: {error}, so no site was built", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
