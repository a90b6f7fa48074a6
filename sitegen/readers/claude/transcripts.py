"""Reads the transcripts that Claude Code keeps of its sessions: `~/.claude/projects/<folder>/<session>.jsonl`, and
those of subagents, `agent-<id>.jsonl` beside them or in `<session>/subagents/`.

A transcript has a time on every line and no result. Its figures are those of its messages, each counted once, unless
the program kept a running total (`cost-state`). A session that was resumed or forked goes on in a copy of its file,
with the same uuids: what is `known` of other files is left out, so that it counts once.

Of subagents, some versions keep the lines in a file of their own, some within the main agent's, some both. So what
stands in the main agent's as progress is a run of its own here, and whoever has all files keeps one of the two.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Generator, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from typing import Any

from sitegen.model import Run, Status, Texts
from sitegen.readers.claude import ledger as claude_ledger
from sitegen.readers.claude import status as claude_status
from sitegen.readers.claude import texts as claude_texts
from sitegen.readers.claude.counting import added
from sitegen.readers.claude.known import unknown
from sitegen.readers.claude.steps import Begun, Walk, milliseconds_of
from sitegen.readers.common.characters import checked
from sitegen.readers.common.fields import Rows
from sitegen.readers.common.given import given, prompt_digest
from sitegen.readers.common.json_text import JsonText
from sitegen.readers.common.values import Caveats, Fields
from sitegen.readers.run_file import RunFile
from sitegen.steps import Step, StepKind

NAME = "Claude Code transcript"
_MARK = re.compile(
    rb'"(?:parentUuid|leafUuid)"\s*:|"type"\s*:\s*"(?:queue-operation|file-history-snapshot|permission-mode|cost-state)"'
)
MAX_AGENTS = 1_000
"""Subagents whose lines stand in the file of the main agent."""
_AGENT = "agent:"
"""How the locator of a subagent begins, before its id."""


class TranscriptReader:
    """The reader of Claude Code's transcripts."""

    name = "claude-transcript"

    def matches(self, file: RunFile) -> bool:
        """Whether lines as transcripts have them are at its beginning."""
        return file.head.lstrip()[:1] == b"{" and _MARK.search(file.head) is not None

    def read(self, file: RunFile, locator: str | None = None) -> Iterator[Run]:
        """The session, or the subagent whose file it is; then the subagents whose lines stand in it as progress."""
        return self.read_new(file, set(), locator)

    def read_new(self, file: RunFile, known: set[str], locator: str | None = None) -> Iterator[Run]:
        """The same, without the lines that are `known` by their uuids; those that are new become known."""
        caveats = Caveats()
        text = JsonText(file, caveats)
        sessions: dict[str, _Session] = {"": _Session(Walk(known))}
        for record in text:
            if isinstance(record, dict):
                _deal(record, sessions, known)
        if sessions[""].is_beyond:
            caveats.add("W_LIMIT", f"It holds lines of more than {MAX_AGENTS:,} subagents; the others are left out.")
        for agent, session in sessions.items():
            where = _AGENT + agent if agent else None
            if session.walk.has_steps and session.is_transcript and (locator is None or locator == where):
                yield _run(session, agent, where, caveats)

    def steps(
        self, file: RunFile, locator: str | None = None, known: Set[str] = frozenset(), *, contents: bool
    ) -> Generator[Step, None, Run | None]:
        """The steps of the session, or of the subagent at a locator, one after the other; then the run."""
        wanted, taken, caveats = (locator or "").removeprefix(_AGENT), set(known), Caveats()
        sessions: dict[str, _Session] = {"": _Session(Walk(taken))}
        numbers = count()
        for record in JsonText(file, caveats, is_known=True):
            if isinstance(record, dict):
                for begun in _deal(record, sessions, taken, wanted):
                    yield begun.step(next(numbers), contents=contents)
        if wanted not in sessions:
            return None
        for begun in sessions[wanted].walk.rest():
            sessions[wanted].last = begun
            yield begun.step(next(numbers), contents=contents)
        return _run(sessions[wanted], wanted, locator, caveats)

    def uuids(self, file: RunFile) -> Iterator[str]:
        """Of the lines of a file that say something."""
        for record in JsonText(file, Caveats(), is_known=True):
            if isinstance(record, dict) and isinstance(uuid := record.get("uuid"), str):
                yield uuid


@dataclass(slots=True)
class _Session:
    """What is kept of the lines of one agent."""

    walk: Walk
    session_id: str | None = None
    version: str | None = None
    mode: str | None = None
    """Of permissions, as the first line that states one."""
    prompt: str | None = None
    """Its digest."""
    root: str | None = None
    agent_id: str | None = None
    kinds: Counter[str] = field(default_factory=Counter)
    cost_state: dict[str, Any] | None = None
    last: Begun | None = None
    """The last step but hooks."""
    last_text: str | None = None
    errors: list[str] = field(default_factory=list)
    stop_reason: object = None
    is_over: bool = False
    """Whether a line says that the last turn ended."""
    is_transcript: bool = False
    is_beyond: bool = False
    """Whether more than MAX_AGENTS subagents stand in its file."""
    is_own_file: bool = False
    """Whether the file is that of a subagent."""
    idle_ms: int = 0
    """Between the end of a turn and the next prompt."""


def _deal(
    record: dict[str, Any], sessions: dict[str, _Session], known: set[str], wanted: str | None = None
) -> Iterator[Begun]:
    """Give a record to the agent that it is of; the steps of the `wanted` one that are complete with it."""
    main = sessions[""]
    data = record.get("data")
    if record.get("type") == "progress" and isinstance(data, dict) and data.get("type") == "agent_progress":
        agent, caller, inner = data.get("agentId"), record.get("parentToolUseID"), data.get("message")
        if not isinstance(inner, dict) or not isinstance(agent, str) or not agent:
            return iter(())
        if agent not in sessions:
            if len(sessions) > MAX_AGENTS:
                main.is_beyond = True
                return iter(())
            sessions[agent] = _Session(Walk(known), main.session_id, main.version, agent_id=agent, is_transcript=True)
        session = sessions[agent]
        _take(session, inner, caller if isinstance(caller, str) else agent)
        name = agent
    else:
        _take(main, record, None)
        session, name = main, ""
    found = list(_noted(session))
    return iter(found if wanted is None or wanted == name else ())


def _take(session: _Session, record: dict[str, Any], lane: str | None) -> None:
    kind, subtype = record.get("type"), record.get("subtype")
    session.kinds[f"{kind}/{subtype}" if isinstance(subtype, str) else str(kind)] += 1
    if isinstance(id_ := record.get("sessionId"), str):
        session.session_id = id_
        session.is_transcript |= "parentUuid" in record
    if isinstance(version := record.get("version"), str):
        session.version = version
    if session.mode is None and isinstance(mode := record.get("permissionMode"), str):
        session.mode = mode
    if lane is None and record.get("isSidechain") is True and isinstance(agent := record.get("agentId"), str):
        if session.walk.counting.steps == 0:
            session.agent_id, session.is_own_file = agent, True
        lane = agent
    if kind == "cost-state":
        session.cost_state = record
    elif kind == "assistant":
        message = record.get("message")
        if record.get("isSidechain") is not True and isinstance(message, dict):
            session.stop_reason, session.is_over = message.get("stop_reason"), False
    elif kind == "system" and subtype in ("turn_duration", "stop_hook_summary"):
        session.is_over = True
    if session.root is None and isinstance(uuid := record.get("uuid"), str):
        session.root = uuid
    before = session.walk.last_ms
    session.walk.take(record, lane)
    at = milliseconds_of(record.get("timestamp")) if kind == "user" else None
    if at is not None and before is not None and session.walk.is_prompt:
        session.idle_ms += max(at - before, 0)


def _noted(session: _Session) -> Iterator[Begun]:
    """The steps that are complete, and what is kept of them."""
    for begun in session.walk.ready():
        if begun.kind is StepKind.API_ERROR and len(session.errors) < claude_texts.MAX_ERRORS:
            session.errors.append(begun.text)
        elif begun.kind is StepKind.TEXT and (session.is_own_file or not begun.lane or session.agent_id):
            session.last_text = begun.text
        elif begun.kind is StepKind.PROMPT and not begun.lane and session.prompt is None:
            session.prompt = prompt_digest(begun.text)
        if begun.kind is not StepKind.HOOK:
            session.last = begun
        yield begun


def _run(session: _Session, agent: str, locator: str | None, caveats: Caveats) -> Run:
    walk = session.walk
    left = list(walk.rest())
    counting = walk.counting
    state = Fields(session.cost_state or {}, caveats, "cost-state.")
    by_model = claude_ledger.by_model(state, caveats)
    if state.flag("hasUnknownModelCost"):
        caveats.add("W_MISSING", "The cost that it keeps lacks models whose price the agent does not know.")
    status, detail = _ended(session, left[-1] if left else session.last)
    lines = by_model or counting.ledger()
    counts = counting.counts()
    first, last = walk.first_ms, walk.last_ms
    rows = Rows(caveats, {})
    for kind, number in session.kinds.items():
        rows.add(f"records.{kind}", number)
    errors = tuple(dict.fromkeys(session.errors))
    run = Run(
        reader=NAME,
        status=status,
        status_detail=detail,
        ledger=lines,
        ledger_is_lower_bound=not by_model and counts.subagents > walk.sidechains,
        cost_usd=state.usd("totalCostUSD"),
        wall_ms=None if first is None or last is None else max(last - first - session.idle_ms, 0),
        turns=None if agent or session.agent_id else counting.main_messages,
        session_id=session.session_id,
        started_at=None if first is None else f"{datetime.fromtimestamp(first / 1000, UTC):%Y-%m-%dT%H:%M:%SZ}",
        agent_version=session.version,
        given=given(mode=session.mode, prompt=session.prompt),
        steps=counts,
        agent_id=agent or session.agent_id,
        root=session.root,
        unknown=unknown(session.kinds, {}),
        locator=locator,
        texts=Texts(
            session.last_text,
            "the last message" if session.last_text else None,
            errors,
            fields=rows.all(),
            field_kinds=rows.kinds,
        ),
    )
    claude_ledger.say_unequal_sums(run, caveats)
    return checked(run, caveats)


def with_subagents(run: Run, others: Sequence[Run]) -> Run:
    """The run of a session, with what the records of its subagents count. A cost that is reported has them already,
    and so have the tokens beside it."""
    caveats = Caveats()
    steps = run.steps
    for other in others:
        steps = added(steps, other.steps)
    ledger, is_lower_bound = run.ledger, run.ledger_is_lower_bound
    if run.cost_usd is None:
        ledger = claude_ledger.combined([run.ledger, *(other.ledger for other in others)], caveats)
        is_lower_bound = is_lower_bound and steps is not None and steps.subagents > len(others)
    said = (*run.caveats, *caveats.all())
    return replace(run, ledger=ledger, ledger_is_lower_bound=is_lower_bound, steps=steps, caveats=said)


def _ended(session: _Session, last: Begun | None) -> tuple[Status, str | None]:
    """How a session ended, as far as its last lines tell: no line says it."""
    if last is None:
        return Status.UNKNOWN, None
    if last.kind is StepKind.API_ERROR:
        return claude_status.of_message(last.text) or (Status.STOPPED, "API error")
    if last.kind is StepKind.NOTICE and last.text.lstrip().startswith("[Request interrupted"):
        return Status.INTERRUPTED, "aborted"
    if last.kind in (StepKind.TOOL_CALL, StepKind.PROMPT, StepKind.SUBAGENT):
        return Status.INTERRUPTED, None
    if session.stop_reason == "end_turn" or session.is_over:
        return Status.OK, None
    return Status.UNKNOWN, "not stated"
