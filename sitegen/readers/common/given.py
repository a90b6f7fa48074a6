"""The inputs of a run besides its model, as far as its file states it: named as pages show it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

MAX_TOOLS = 1000
"""Characters of the names of all tools."""


def given(*, mode: object = None, tools: object = None, prompt: str | None = None) -> tuple[tuple[str, str], ...]:
    """Return names and values: the permission mode, the tools in order of their names, the digest of the prompt."""
    names = {tool.replace(", ", " ") for tool in tools if isinstance(tool, str)} if isinstance(tools, list) else set()
    stated = (("Permission mode", mode), ("Tools", _listed(sorted(names))), ("Prompt", prompt))
    return tuple((name, value) for name, value in stated if isinstance(value, str) and value)


def _listed(names: Sequence[str]) -> str:
    """Return as many names as have room, then `and 12 more`."""
    listed = ", ".join(names)
    if len(listed) <= MAX_TOOLS:
        return listed
    shown = listed[:MAX_TOOLS].split(", ")[:-1]
    return ", ".join([*shown, f"and {len(names) - len(shown)} more"])


def tools_in(listed: str) -> tuple[frozenset[str], int]:
    """Return the names in such a list, and how many it leaves out."""
    *names, last = listed.split(", ")
    more = _MORE.fullmatch(last)
    return (frozenset(names), int(more[1])) if more else (frozenset((*names, last)), 0)


_MORE = re.compile("and ([0-9]{1,6}) more")


def prompt_digest(text: str) -> str:
    """Return the first twelve digits of its SHA-256: enough to see whether two runs were asked the same."""
    return hashlib.sha256(text.strip().encode("utf-8", "surrogatepass")).hexdigest()[:12]
