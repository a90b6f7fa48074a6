"""What vl-convert makes, kept for the tests of one session: its engine takes more than half of a small build.

Each answer is its own, of the same question asked before. A process in which this is installed starts vl-convert only
for a question that is new. Tests of that process itself `use_the_engine`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import threading
from pathlib import Path
from typing import Any

from sitegen.charts import converter

FOLDER = "SITEGEN_TESTS_DRAWINGS"
"""The variable with the folder of the answers, which all processes of a session share."""

_call, _start = converter.call, converter.start
_asks = threading.local()


def install() -> None:
    """Answer from the folder in this process and in those that are forked from it."""
    converter.call, converter.start = _remembered, _start_on_demand


def use_the_engine() -> None:
    """Undo `install`."""
    converter.call, converter.start = _call, _start


def _start_on_demand() -> None:
    """`converter.start` that waits for a question."""
    if getattr(_asks, "anew", False):
        _start()


def _remembered(function: str, *arguments: Any, **options: Any) -> Any | None:
    """`converter.call`, unless it has answered this before."""
    if not converter.is_installed():
        return None
    asked = pickle.dumps((function, arguments, options))
    kept = Path(os.environ[FOLDER], hashlib.sha256(asked).hexdigest())
    with contextlib.suppress(FileNotFoundError):
        return pickle.loads(kept.read_bytes())  # noqa: S301  of this session
    _asks.anew = True
    try:
        made = _call(function, *arguments, **options)
    finally:
        _asks.anew = False
    if made is not None:
        own = kept.with_suffix(f".{os.getpid()}")  # another process may write the same
        own.write_bytes(pickle.dumps(made))
        own.replace(kept)
    return made
