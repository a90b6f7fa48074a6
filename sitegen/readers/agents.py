"""Readers of agents other than Claude Code. What tells their files is here; the rest is loaded when a file has it.

Each is a row of `agents.tsv`: its name, the `Trace` that takes the records, and what stands at the beginning of its
files.
"""

import posixpath
import re
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Set
from functools import cache, lru_cache, partial
from importlib import import_module
from itertools import count
from typing import Any, NamedTuple, cast

from sitegen.masking.automaton import automaton
from sitegen.model import Run, replace
from sitegen.readers.common.json_text import JsonText
from sitegen.readers.common.records import rows
from sitegen.readers.common.trace import SESSION, Trace, walk
from sitegen.readers.common.values import Caveats
from sitegen.readers.run_file import RunFile
from sitegen.steps import Step


class AgentReader(NamedTuple):
    """Reads files of one form."""

    name: str
    trace: str
    """Module below `sitegen.readers`, and class."""
    mark: bytes
    foreign: tuple[bytes, ...]
    """The text in files of others that have the mark."""

    @property
    def title(self) -> str:
        """The kind of record it reads, in words."""
        return self._load().title

    @property
    def reads_json(self) -> bool:
        """Whether its files are JSON."""
        return b'"' in self.mark

    def matches(self, file: RunFile) -> bool:
        """Return whether the mark stands at its beginning."""
        head = file.plain_head
        text, has_any = _first_look(head)
        is_marked = has_any and _fits(self.mark)(text) and re.search(self.mark, head) is not None
        return is_marked and not any(mark in head for mark in self.foreign)

    def read(self, file: RunFile, locator: str | None = None) -> Iterator[Run]:
        """Yield the runs; none when the records are those of another program."""
        caveats = Caveats()
        held: Run | None = None
        for part, values in self._parts(file, locator, caveats):
            traces: dict[int, Trace] = {}
            for _, steps in walk(partial(self._new, file), values, traces):
                deque(steps, 0)
            for number, trace in traces.items():
                place = part or (f"{SESSION}{number}" if len(traces) > 1 else None)
                if not trace.is_known or (locator is not None and place and place != locator):
                    continue
                if held is not None:
                    yield held
                trace.allow_for(caveats)
                held = replace(trace.run(), locator=place) if place else trace.run()
        if held is not None:  # what is said of the whole file is known by now
            yield replace(held, caveats=tuple(dict.fromkeys((*caveats.all(), *held.caveats))))

    def steps(
        self,
        file: RunFile,
        locator: str | None,
        known: Set[str],  # noqa: ARG002  its records have no uuid
        *,
        contents: bool,
    ) -> Generator[Step, None, Run | None]:
        """Yield the steps of the run there, one after the other; then the run."""
        is_session = locator is not None and locator.startswith(SESSION)
        wanted = int(locator.removeprefix(SESSION)) if locator and is_session else None
        traces: dict[int, Trace] = {}
        numbers = count()
        _, values = next(self._parts(file, locator, Caveats(), is_known=True), (None, ()))
        for session, steps in walk(partial(self._new, file), values, traces):
            for begun in steps:
                if wanted in (None, session):
                    yield begun.step(next(numbers), contents=contents)
        trace = next((each for number, each in traces.items() if wanted in (None, number)), None)
        return trace.run() if trace and trace.is_known else None

    def _parts(
        self, file: RunFile, locator: str | None, caveats: Caveats, *, is_known: bool = False
    ) -> Iterator[tuple[str | None, Iterable[Any]]]:
        """Yield the values of each run, with its locator. `is_known` says that the file was read before."""
        if (parts := self._load().parts) is None:
            yield None, JsonText(file, caveats, is_known=is_known)
            return
        for number, values in enumerate(parts(file, caveats)):
            if locator is None or locator == f"run {number}":
                yield f"run {number}", values

    def _new(self, file: RunFile) -> Trace:
        trace = self._load()()
        trace.name, trace.above = file.stem, posixpath.basename(posixpath.dirname(file.name))
        trace.path = file.path
        return trace

    def _load(self) -> type[Trace]:
        module, _, name = self.trace.partition(":")
        return cast("type[Trace]", getattr(import_module(f"sitegen.readers.{module}"), name))


AGENTS = tuple(
    AgentReader(name, trace, mark.encode(), tuple(map(str.encode, foreign)))
    for name, trace, mark, *foreign in rows("agents.tsv")
)


@cache
def _fits(mark: bytes) -> Callable[[str], bool]:
    """Return what says whether a mark may stand in a text, in a tenth of the time of `re`: counts in braces, which take
    too many states, are left out."""
    return automaton(re.sub(r"\{\d+,\d+\}", "*", mark.decode("latin-1")))


@lru_cache(maxsize=1)
def _first_look(head: bytes) -> tuple[str, bool]:
    """Return a beginning as a text, and whether any of these marks may stand there: most files are of Claude Code."""
    text = head.decode("latin-1")
    return text, _fits(b"|".join(reader.mark for reader in AGENTS))(text)
