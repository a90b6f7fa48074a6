"""Readers of agents other than Claude Code. What tells their files is here; the rest is loaded when a file has it.

A row is the name of the reader, what stands at the beginning of each of its files and of as few others as possible, and
the `Trace` that takes the records.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from sitegen.model import Run
from sitegen.readers.run_file import RunFile
from sitegen.steps import Step

if TYPE_CHECKING:
    from sitegen.readers.common.trace import Trace


@dataclass(frozen=True, slots=True)
class AgentReader:
    """Reads files of one form: one run a file."""

    name: str
    mark: bytes
    """A regular expression."""
    trace: str
    """Module below `sitegen.readers`, and class."""
    foreign: tuple[bytes, ...] = ()
    """What stands in files of others that have the mark."""

    def matches(self, file: RunFile) -> bool:
        """Whether the mark stands at its beginning."""
        head = file.head.replace(b"\0", b"")  # UTF-16 and UTF-32
        return re.search(self.mark, head) is not None and not any(mark in head for mark in self.foreign)

    def read(self, file: RunFile, locator: str | None = None) -> Iterator[Run]:  # noqa: ARG002  it is the only one
        """The run; none when the records are those of another program."""
        trace = self._new()
        for _ in trace.walk(file):
            pass
        if trace.is_known:
            yield trace.run()

    def steps(
        self,
        file: RunFile,
        locator: str | None,  # noqa: ARG002  it is the only one
        known: Set[str],  # noqa: ARG002  its records have no uuid
    ) -> Iterator[Step]:
        """The steps of the run, one after the other."""
        return self._new().steps(file)

    def _new(self) -> Trace:
        module, _, name = self.trace.partition(":")
        return cast("Trace", getattr(import_module(f"sitegen.readers.{module}"), name)())


AGENTS = (
    AgentReader("codex-exec", rb'"type"\s*:\s*"thread\.started"', "codex.exec:CodexExec"),
    AgentReader("codex-rollout", rb'"(?:session_meta"|instructions"\s*:)', "codex.rollout:Rollout"),
    AgentReader("gemini-json", rb'\{\s*"(?:session_id|response|stats|error)"\s*:', "gemini.results:GeminiJson"),
    AgentReader("gemini-stream", rb'"type"\s*:\s*"init"', "gemini.results:GeminiStream"),
    AgentReader("gemini-chat", rb'"projectHash"\s*:', "gemini.chat:GeminiChat"),
    AgentReader("opencode-stream", rb'"sessionID"\s*:', "opencode:OpencodeStream"),
    AgentReader("opencode-export", rb'\{\s*"info"\s*:\s*\{', "opencode:OpencodeExport"),
    AgentReader(
        "cursor",
        rb'"(?:apiKeySource|request_id)"\s*:',
        "cursor:CursorRun",
        foreign=(b'"mcp_servers"', b'"num_turns"', b'"parent_tool_use_id"'),
    ),
    AgentReader("amp", rb'"session_id"\s*:\s*"T-', "amp:AmpStream"),
    AgentReader("copilot", rb'"type"\s*:\s*"session\.start"', "copilot:CopilotSession"),
)
