"""What is odd about the characters of a run: control characters, and halves of characters."""

from __future__ import annotations

import re
from dataclasses import replace

from sitegen.model import Run
from sitegen.readers.common.json_text import TERMINAL_CODE
from sitegen.readers.common.values import Caveats

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")


def checked(run: Run, caveats: Caveats) -> Run:
    """The run, with what is odd about its characters said."""
    said = run.texts
    prose = [said.summary or "", *said.errors, *(f"{d.tool} {d.wanted}" for d in said.denials)]
    if any(_CONTROL.search(text) and _CONTROL.search(TERMINAL_CODE.sub("", text)) for text in prose):
        caveats.add("W_CONTROL", "The text contains control characters; they are removed.")
    listed = (text for row in said.fields for text in row)
    everything = "".join((*prose, *listed, *(d.input_json for d in said.denials), said.structured_output or ""))
    try:
        everything.encode("utf-8")
    except UnicodeEncodeError:
        caveats.add("W_SURROGATE", "The text contains halves of characters; they are shown as \ufffd.")
    return replace(run, caveats=caveats.all())
