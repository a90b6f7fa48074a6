"""Unpacks the sessions that Codex packs after a week: `rollout-*.jsonl.zst`; never seen on a real file."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.readers.common.json_text import JsonText
from sitegen.readers.common.packed import unzstd
from sitegen.readers.common.values import Caveats
from sitegen.readers.run_file import RunFile


def parts(file: RunFile, caveats: Caveats) -> Iterator[tuple[int, JsonText]]:
    """The records of the one session. Raises: ReadError, which says what to install where it cannot be unpacked."""
    if file.name.endswith(".jsonl.zst"):
        yield 0, JsonText(RunFile.of(file.name, unzstd(file)), caveats)
