"""What a run was given besides its model, as far as its file states it: named as pages show it."""

from __future__ import annotations

import hashlib

MAX_TOOLS = 1000
"""Characters of the names of all tools."""


def given(*, mode: object = None, tools: object = None, prompt: str | None = None) -> tuple[tuple[str, str], ...]:
    """Names and values: the permission mode, the tools in order of their names, the digest of the prompt."""
    names = sorted({tool for tool in tools if isinstance(tool, str)}) if isinstance(tools, list) else []
    listed = ", ".join(names)
    if len(listed) > MAX_TOOLS:
        listed = f"{listed[:MAX_TOOLS].rpartition(', ')[0]} and more"
    stated = (("Permission mode", mode), ("Tools", listed), ("Prompt", prompt))
    return tuple((name, value) for name, value in stated if isinstance(value, str) and value)


def prompt_digest(text: str) -> str:
    """The first twelve digits of its SHA-256: enough to see whether two runs were asked the same."""
    return hashlib.sha256(text.strip().encode("utf-8", "surrogatepass")).hexdigest()[:12]
