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
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sitegen.charts import converter

FOLDER = "SITEGEN_TESTS_DRAWINGS"
"""The variable with the folder of the answers, which all processes of a session share."""

BLANK = "SITEGEN_TESTS_BLANK"
"""The variable that is set while charts are empty rectangles: their drawings cost more than the build around them."""

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


def _blank_vega(spec: Mapping[str, Any]) -> dict[str, Any]:
    """A chart of nothing, with the data sets of this one."""
    return {
        "padding": {"left": 0, "right": 0},
        "height": 100,
        "data": [{"name": name} for name in spec["datasets"]],
    }


def _blank_svg(vega: Mapping[str, Any]) -> str:
    """An empty rectangle of its size."""
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="{vega["width"]}" height="{vega["height"]}"/>'


_BLANK: dict[str, Callable[..., Any]] = {"vegalite_to_vega": _blank_vega, "vega_to_svg": _blank_svg}


def _remembered(function: str, *arguments: Any, **options: Any) -> Any | None:
    """`converter.call`, unless it has answered this before."""
    if not converter.is_installed():
        return None
    if function in _BLANK and os.environ.get(BLANK):
        return _BLANK[function](*arguments)
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
