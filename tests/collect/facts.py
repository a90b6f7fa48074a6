"""Facts of a few invented runs."""

from __future__ import annotations

from typing import Any

from sitegen.inputs.survey import Facts
from sitegen.model import Entry, Run, Source, Status


def entry(path: str = "1.json", run: Run | None = None, **known: Any) -> Entry:
    """A run in a file."""
    file = Source(path, path, named=True, size=1)
    title = path.removesuffix(".json")
    return Entry(path, file, 0, "", run or Run("a session", Status.OK), title, **known)


def session(path: str, **known: Any) -> Entry:
    """A session in a file; all of them are copies of one."""
    return entry(path, Run("a session", Status.OK, session_id="s", root="r", **known))


def paths(facts: Facts) -> list[str]:
    """The files of the runs."""
    return [run.source.path for run in facts.entries]
