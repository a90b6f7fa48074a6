"""Folders and files that mean something by their names. Imports little, for a build before which nothing changed."""

from __future__ import annotations

import os
import sys

MANIFEST = ".sitegen.json"
"""In every published site: a folder that holds it is an output, of this build or another."""
NOT_ENTERED = frozenset({"node_modules", "venv", "__pycache__"})
"""Folders of other programs, beside the hidden ones."""
AGENT_FOLDERS = frozenset({".claude", ".ralph"})
"""The hidden folders that are entered: agents and their loops keep the results of runs there."""

CACHE_VARIABLE = "SITEGEN_CACHE_DIR"


def cache_folder() -> str:
    """Where this system keeps what programs can make again: `$SITEGEN_CACHE_DIR`, else a folder of the user's."""
    if given := os.environ.get(CACHE_VARIABLE):
        return given
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser(r"~\AppData\Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "sitegen")
