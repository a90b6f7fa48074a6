"""Readers of agents other than Claude Code. What tells their files is here; the rest is loaded when a file has it.

A row is the name of the reader, what stands at the beginning of each of its files and of as few others as possible, and
the `Trace` that takes the records.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Generator, Iterable, Iterator, Set
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from sitegen.automaton import automaton
from sitegen.model import Run
from sitegen.readers.common.json_text import JsonText
from sitegen.readers.common.values import Caveats
from sitegen.readers.folders import FOLDERS, RunFolder
from sitegen.readers.run_file import RunFile
from sitegen.steps import Step

if TYPE_CHECKING:
    from sitegen.readers.common.trace import Trace


@dataclass(frozen=True, slots=True)
class AgentReader:
    """Reads files of one form."""

    name: str
    mark: bytes
    trace: str
    """Module below `sitegen.readers`, and class."""
    foreign: tuple[bytes, ...] = ()
    """The text in files of others that have the mark."""

    @property
    def folder(self) -> RunFolder | None:
        """The folders in which its files lie."""
        return FOLDERS.get(self.name)

    @property
    def title(self) -> str:
        """The kind of record it reads, in words."""
        return self._load().title

    def matches(self, file: RunFile) -> bool:
        """Return whether the mark stands at its beginning."""
        head = file.plain_head
        is_marked = _has_mark(head) and re.search(self.mark, head) is not None
        return is_marked and not any(mark in head for mark in self.foreign)

    def read(self, file: RunFile, locator: str | None = None) -> Iterator[Run]:
        """Yield the runs; none when the records are those of another program."""
        caveats = Caveats()
        held: Run | None = None
        for part, values in self._parts(file, locator, caveats):
            traces = list(self._new(file).sessions(partial(self._new, file), values))
            for number, trace in traces:
                place = part or (f"{_SESSION}{number}" if len(traces) > 1 else None)
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
        is_session = locator is not None and locator.startswith(_SESSION)
        number = int(locator.removeprefix(_SESSION)) if locator and is_session else None
        for _, values in self._parts(file, locator, Caveats(), is_known=True):
            return (yield from self._new(file).steps(values, contents=contents, session=number))
        return None

    def _parts(
        self, file: RunFile, locator: str | None, caveats: Caveats, *, is_known: bool = False
    ) -> Iterator[tuple[str | None, Iterable[Any]]]:
        """Yield the values of each run, with its locator. `is_known` says that the file was read before."""
        if (parts := self._load().parts) is None:
            yield None, JsonText(file, caveats, is_known=is_known)
            return
        for number, values in parts(file, caveats):
            if locator is None or locator == f"run {number}":
                yield f"run {number}", values

    def _new(self, file: RunFile) -> Trace:
        trace = self._load()()
        trace.name, trace.above = file.stem, posixpath.basename(posixpath.dirname(file.name))
        return trace

    def _load(self) -> type[Trace]:
        module, _, name = self.trace.partition(":")
        return cast("type[Trace]", getattr(import_module(f"sitegen.readers.{module}"), name))


_SESSION = "session "
"""The beginning of the locator of a run whose file has several sessions, before its number."""
AGENTS = (
    AgentReader("codex-exec", rb'"type"\s*:\s*"thread\.started"', "codex:CodexExec"),
    AgentReader("codex-rollout", rb'"(?:session_meta"|instructions"\s*:)', "codex:Rollout"),
    AgentReader("codex-log", rb"(?m)^(?:\[[^\]\n]{19,30}\] )?OpenAI Codex v[0-9]", "codex:CodexLog"),
    AgentReader("codex-packed", rb"\A\x28\xb5\x2f\xfd", "codex:PackedRollout"),
    AgentReader("gemini-json", rb'\{\s*"(?:session_id|response|stats|error)"\s*:', "gemini:GeminiJson"),
    AgentReader("gemini-stream", rb'"type"\s*:\s*"init"', "gemini:GeminiStream"),
    AgentReader("gemini-chat", rb'"projectHash"\s*:', "gemini:GeminiChat"),
    AgentReader("opencode-stream", rb'"sessionID"\s*:', "opencode:OpencodeStream"),
    AgentReader(
        "opencode-export",
        rb'"info"\s*:\s*\{|"messageID"\s*:',
        "opencode:OpencodeExport",
        foreign=(b'"model_stats"', b"SQLite format 3"),
    ),
    AgentReader("opencode-db", rb"\ASQLite format 3", "opencode_db:OpencodeDatabase"),
    AgentReader(
        "cursor",
        rb'"(?:apiKeySource|request_id)"\s*:',
        "cursor:CursorRun",
        foreign=(b'"mcp_servers"', b'"num_turns"', b'"parent_tool_use_id"'),
    ),
    AgentReader("amp", rb'"session_id"\s*:\s*"T-', "amp:AmpStream"),
    AgentReader("trae", rb'"(?:llm_interactions|agent_steps)"\s*:|\A\s*\{\s*"task"\s*:\s*"', "trae:Trae"),
    AgentReader("copilot", rb'"type"\s*:\s*"session\.start"', "copilot:CopilotSession"),
    AgentReader("cline", rb'(?s)\A\s*\[.*?"(?:say|ask)"\s*:\s*"', "cline:ClineTask"),
    AgentReader("pi", rb'"type"\s*:\s*"session"\s*[,}]', "pi:PiSession"),
    AgentReader(
        "swe-agent",
        rb'"(?:trajectory|history)"\s*:\s*\[|"replay_config"\s*:',
        "harness.swe_agent:SweAgent",
        foreign=(b'"test_result"', b'"instance_id"'),
    ),
    AgentReader(
        "mini-swe-agent",
        rb'"(?:mini_version|trajectory_format|model_stats)"\s*:|\A\s*\[\s*\{\s*"(?:role|content)"\s*:',
        "harness.mini_swe:MiniSwe",
    ),
    AgentReader("openhands", rb'"(?:test_result|agent_class|eval_output_dir)"\s*:', "harness.openhands:OpenHands"),
    AgentReader(
        "openhands-events",
        rb'"timestamp"\s*:\s*"[^"]*",\s*"source"\s*:\s*"(?:agent|user|environment)"|"usage_to_metrics"\s*:'
        rb'|"kind"\s*:\s*"(?:\w{1,80}Event|\w{0,80}Condensation\w{0,80})"',
        "harness.openhands:OpenHandsEvents",
    ),
    AgentReader(
        "inspect-zip",
        rb"(?s)\APK\x03\x04.{0,1000}?(?:_journal/|samples/|header\.json|summaries\.json)",
        "harness.inspect:InspectSample",
    ),
    AgentReader("inspect-json", rb'"(?:eval"\s*:\s*\{|samples"\s*:\s*\[)', "harness.inspect:InspectSample"),
    AgentReader(
        "terminal-bench",
        rb'"(?:trial_name|is_resolved|dataset_name|n_resolved)"\s*:',
        "harness.terminal_bench:Trial",
        foreign=(b'"agent_info"', b'"trial_uri"'),
    ),
    AgentReader("harbor", rb'"trial_name"\s*:', "harness.harbor:HarborTrial"),
    AgentReader("iso-bench", rb'"(?:item_id|agent_branch)"\s*:', "harness.iso_bench:IsoBenchRun"),
    AgentReader(
        "promptfoo",
        rb'"(?:evalId|shareableUrl|gradingResult|promptfooVersion|promptIdx)"\s*:'
        rb'|"results"\s*:\s*\{\s*"(?:results|version|timestamp|prompts|stats|table)"',
        "harness.promptfoo:PromptfooEntry",
    ),
    AgentReader("atif", rb'"schema_version"\s*:\s*"ATIF', "harness.atif:Atif"),
    AgentReader("aider", rb'"(?:tests_outcomes|edit_format)"\s*:', "harness.aider:AiderResult"),
    AgentReader("aider-chat", rb"\A\s*# aider chat started at [0-9]{4}-", "harness.aider:AiderChat"),
)


@lru_cache(maxsize=1)
def _has_mark(head: bytes) -> bool:
    """Return whether any of these marks may stand there: most files are of Claude Code."""
    return automaton(_any_mark())(head.decode("latin-1"))


@cache
def _any_mark() -> str:
    """Fits wherever a mark stands; counts in braces would take too many states."""
    return "|".join(re.sub(r"\{\d+,\d+\}", "*", reader.mark.decode("latin-1")) for reader in AGENTS)
