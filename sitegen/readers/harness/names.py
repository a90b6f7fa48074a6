"""The names of the agents that Harbor runs, as the readers of their own files call them."""

from __future__ import annotations

from sitegen.readers.common.records import rows
from sitegen.readers.common.values import shortened

_NAMES = dict(rows("names.tsv"))


def agent_name(name: str) -> str:
    """Return the display name of an agent; a name that is not known stays as it is."""
    known = name.lower().replace("_", "-").replace(" ", "-")
    return _NAMES.get(known, (shortened(name.strip(), 60) if "\n" not in name else "") or "Unknown agent")
