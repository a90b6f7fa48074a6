"""The names of the agents that Harbor runs, as the readers of their own files call them."""

from __future__ import annotations

from sitegen.readers.common.values import shortened

_NAMES = {
    "claude-code": "Claude Code",
    "codex": "Codex",
    "codex-cli": "Codex",
    "gemini-cli": "Gemini CLI",
    "opencode": "opencode",
    "cursor-cli": "Cursor",
    "copilot-cli": "Copilot",
    "openhands": "OpenHands",
    "swe-agent": "SWE-agent",
    "mini-swe-agent": "mini-SWE-agent",
    "aider": "Aider",
    "terminus": "Terminus",
    "terminus-1": "Terminus 1",
    "terminus-2": "Terminus 2",
    "openhands-sdk": "OpenHands",
    "kimi-cli": "Kimi CLI",
    "kimi-code": "Kimi Code",
    "trae": "TRAE",
    "trae-agent": "TRAE",
    "goose": "Goose",
    "qwen-coder": "Qwen Code",
}


def agent_name(name: str) -> str:
    """Return the display name of an agent; a name that is not known stays as it is."""
    known = name.lower().replace("_", "-").replace(" ", "-")
    return _NAMES.get(known, (shortened(name.strip(), 60) if "\n" not in name else "") or "Unknown agent")
