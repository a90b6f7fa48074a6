"""Folders and files that mean something by their names. Imports little, for a build before which nothing changed."""

import os
import stat
import sys
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import lru_cache

MANIFEST = ".sitegen.json"
"""The name of a file in every published site: a folder that holds it is an output, of this build or another."""
NOT_ENTERED = frozenset({"node_modules", "venv", "__pycache__"})
"""Folders of other programs, beside the hidden ones."""
AGENT_FOLDERS = {
    ".claude": ("*",),
    ".codex": ("sessions", "archived_sessions"),
    ".copilot": ("session-state", "history-session-state"),
    ".crush": ("crush*.db", "crush*.db-wal"),
    ".gemini": ("tmp/*/chats",),
    ".local": (
        "share/opencode/opencode*.db",
        "share/opencode/opencode*.db-wal",
        "share/opencode/storage",
    ),
    ".opencode": ("opencode*.db", "opencode*.db-wal"),
    ".ralph": ("*",),
}
"""Hidden folders with results of runs. Only these places in them are looked at: credentials may lie beside them."""

CACHE_VARIABLE = "SITEGEN_CACHE_DIR"


def how_to_install(*packages: str) -> str:
    """Return the command that adds packages to the Python of this program, which may be one of pipx or uv."""
    folders = sys.prefix.replace(os.sep, "/")
    names = " ".join(packages)
    if "/pipx/" in folders:
        return f"pipx inject agent-sitegen {names}"
    if "/uv/tools/" in folders:
        return "uv tool install agent-sitegen " + " ".join(f"--with {name}" for name in packages)
    return f"pip install {names}"


def is_address(text: str) -> bool:
    """Return whether a path names what lies in a store: `s3://bucket/runs`."""
    scheme, separator, _ = text.partition("://")
    return bool(separator) and len(scheme) > 1 and scheme.isalnum()


def absolute(path: str) -> str:
    """Return a path from the root, which keeps `..`; an address as it is."""
    return path.rstrip("/") if is_address(path) else os.path.abspath(path)


def is_pattern(path: str) -> bool:
    """Return whether a path, or a part of one, stands for what matches it."""
    return any(sign in path for sign in "*?[")


def is_not_entered(folder: str, *, hidden: bool = False) -> bool:
    """Return whether no runs are looked for in a folder of this name; `hidden` ones are where a pattern names them."""
    return folder in NOT_ENTERED or (
        not hidden and folder.startswith(".") and folder not in AGENT_FOLDERS
    )


def is_unread(folder: str, name: str) -> bool:
    """Return whether a name in a folder of an agent is none of the places where its runs lie."""
    wanted = _wanted_in(folder)
    return wanted is not None and not any(fnmatchcase(name, each) for each in wanted)


@lru_cache(1024)
def _wanted_in(folder: str) -> tuple[str, ...] | None:
    """Return names, as patterns, of what is read in a folder of an agent; None where that is everything."""
    parts = folder.replace(os.sep, "/").split("/")
    home = max((at for at, part in enumerate(parts) if part in AGENT_FOLDERS), default=-1)
    if home < 0:
        return None
    below = parts[home + 1 :]
    wanted = []
    for place in AGENT_FOLDERS[parts[home]]:
        names = place.split("/")
        if all(map(fnmatchcase, below, names)):
            if len(below) >= len(names):
                return None
            wanted.append(names[len(below)])
    return tuple(wanted) or None  # a folder beside these places was named by the user


def parents(paths: Iterable[str]) -> set[str]:
    """Return all folders above these paths, the root excluded."""
    found: set[str] = set()
    for path in paths:
        parent = path.rpartition("/")[0]
        while parent and parent not in found:
            found.add(parent)
            parent = parent.rpartition("/")[0]
    return found


def is_hidden_file(name: str) -> bool:
    """Return whether a file of this name is passed over, as what begins with a dot is, but for results and chats of
    aider."""
    return name.startswith(".") and not name.startswith(
        (".aider.results.json", ".aider.chat.history")
    )


def is_own_folder(path: str) -> bool:
    """Return whether a folder is there, or could be made, that belongs to this user and that nobody else may write to.

    What a cache holds becomes a part of sites, so it must not come from others. Made with what is above it.
    """
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        status = os.lstat(path)
    except OSError:
        return False
    if not stat.S_ISDIR(status.st_mode):
        return False
    return sys.platform == "win32" or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)


def config_folder() -> str:
    """Return the folder for what the user sets once, where this system has it."""
    variables = ("APPDATA", "XDG_CONFIG_HOME")
    return _own_folder(
        variables, r"~\AppData\Roaming", "~/Library/Application Support", "~/.config"
    )


def cache_folder() -> str:
    """Return where this system keeps what programs can make again: `$SITEGEN_CACHE_DIR`, else a folder of the
    user's."""
    if given := os.environ.get(CACHE_VARIABLE):
        return given
    return _own_folder(
        ("LOCALAPPDATA", "XDG_CACHE_HOME"), r"~\AppData\Local", "~/Library/Caches", "~/.cache"
    )


def _own_folder(variables: tuple[str, str], windows: str, macos: str, others: str) -> str:
    """Our folder below that of a variable, of Windows or of other systems, or else below the usual one."""
    if sys.platform == "darwin":
        return os.path.join(os.path.expanduser(macos), "sitegen")
    variable, usual = (variables[0], windows) if sys.platform == "win32" else (variables[1], others)
    return os.path.join(os.environ.get(variable) or os.path.expanduser(usual), "sitegen")
