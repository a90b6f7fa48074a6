"""Reads the transcripts that Claude Code keeps of its sessions: `~/.claude/projects/<folder>/<session>.jsonl`, and
those of subagents, `agent-<id>.jsonl` beside them or in `<session>/subagents/`.

A transcript has a time on every line and no result. Its figures are those of its messages, each counted once, unless
the program kept a running total (`cost-state`). A session that was resumed or forked goes on in a copy of its file,
with the same uuids: what is `known` of other files is left out, so that it counts once.

Of subagents, some versions keep the lines in a file of their own, some within the main agent's, some both. So what
stands in the main agent's as progress is a run of its own here, and whoever has all files keeps one of the two.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Self

from sitegen.model import Run, Status, sum_complete
from sitegen.readers.claude.claude_steps import ClaudeTrace, SessionReader, Sessions, end_said
from sitegen.readers.claude.results import combined, ledger_of, say_unequal_sums, unknown
from sitegen.readers.common.call_counts import added
from sitegen.readers.common.records import is_true, objects_in, text_of, value_at
from sitegen.readers.common.trace import SESSION, Begun, Record
from sitegen.readers.common.values import Caveats, Fields
from sitegen.readers.run_file import RunFile
from sitegen.steps import StepKind

NAME = "Claude Code transcript"
_MARK = re.compile(
    rb'"(?:parentUuid|leafUuid)"\s*:|"type"\s*:\s*"(?:queue-operation|file-history-snapshot|permission-mode|cost-state)"'
)
_JSON = re.compile(rb"^[ \t]*[{\[]", re.MULTILINE)
_TITLES = {"ai-title": "aiTitle", "custom-title": "customTitle"}
MAX_AGENTS = 1_000  # subagents whose lines stand in the file of the main agent
_AGENT = "agent:"


class _Sessions(Sessions):
    """The session, or the subagent whose file it is; then the subagents whose lines stand in it as progress."""

    def take(self) -> Iterator[tuple[str, Iterable[Begun]]]:
        self.found[""] = _Session(self.known, contents=self.contents)
        self.found[""].lie_at(self.path)
        return (_deal(number, record, self.found) for number, record in _numbered(self.text))

    def runs(self, wanted: str | None) -> Iterator[tuple[str, Run]]:
        if self.found[""].is_beyond:
            said = f"It holds lines of more than {MAX_AGENTS:,} subagents; the others are left out"
            self.found[""].lack_part(said, "W_LIMIT")
        for place, session in self.found.items():
            if session.has_steps and session.is_transcript and wanted in (None, place):
                yield place, session.told_run(place or None, self.caveats)


class TranscriptReader(SessionReader):
    """The reader of Claude Code's transcripts."""

    name, sessions = "claude-transcript", _Sessions

    def matches(self, file: RunFile) -> bool:
        """Return whether lines as transcripts have them are at its beginning; in a `.txt`, nothing before them."""
        find = _JSON.match if file.extension == "txt" else _JSON.search
        return (
            _MARK.search(file.plain_head) is not None and find(file.plain_head.lstrip()) is not None
        )


def _numbered(values: Iterable[Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the records, each with the number of its session: another one begins with a record of another session that
    continues none. What stands before that without a place in a session waits for it."""
    number = 0
    current = None
    waiting: list[dict[str, Any]] = []
    numbers: dict[str, int] = {}
    for record in objects_in(values):
        id_ = record.get("sessionId")
        if isinstance(id_, str) and id_ != current:
            if "parentUuid" not in record and len(waiting) < MAX_AGENTS:
                waiting.append(record)
                continue
            is_continued = (
                record.get("parentUuid")
                or record.get("logicalParentUuid")
                or record.get("isSidechain")
            )
            if not is_continued or current is None:
                number = numbers.setdefault(id_, min(len(numbers), MAX_AGENTS))
            current = id_
        while waiting:
            yield number, waiting.pop(0)
        yield number, record
    for record in waiting:
        yield number, record


class _Session(ClaudeTrace):
    """The facts in the lines of one agent."""

    title = NAME

    root: str | None = None
    cost_state: Record = MappingProxyType({})
    stop_reason: object = None
    is_over = is_transcript = is_progress = is_beyond = False

    def another(self) -> Self:
        """Return a session that follows in the same file."""
        session = type(self)(self.seen, contents=self._contents)
        session.lie_at(self.path)
        return session

    def subagent(self, agent: str) -> Self:
        """Return a subagent whose lines stand in the file of this one."""
        session = self.another()
        session.session_id, session.version, session.is_transcript = (
            self.session_id,
            self.version,
            True,
        )
        session.agent_id = session.main_lane = agent
        session.is_progress = True
        return session

    def is_copy(self, key: str | int) -> bool:
        """Return the same; what stands as progress in the file of the main agent is not a copy of the subagent's own
        file, which may have more."""
        if self.is_progress:
            key = -key if isinstance(key, int) else f"progress {key}"
        return super().is_copy(key)

    def _chain_up(self, record: Record) -> None:
        """Do nothing: its records have ids of their own."""

    def take(self, record: Record) -> None:
        """Take the next record."""
        lane = self._lane_of_record
        kind = record.get("type")
        subtype = record.get("subtype")
        if isinstance(id_ := record.get("sessionId"), str):
            self.session_id = id_
            self.is_transcript |= "parentUuid" in record
        self.version = text_of(record, "version") or self.version
        self.mode = self.mode or text_of(record, "permissionMode")
        if (
            lane is None
            and is_true(record, "isSidechain")
            and (agent := text_of(record, "agentId"))
        ):
            if self._steps == 0:
                self.agent_id = agent
            lane = self._lane_of_record = agent
        if isinstance(kind, str) and kind in _TITLES:
            self.session_title = text_of(record, _TITLES[kind]) or self.session_title
        elif kind == "cost-state":
            self.cost_state = record
        elif kind == "assistant" and not is_true(record, "isSidechain"):
            self.stop_reason = value_at(record, "message.stop_reason")
            self.is_over = False
        elif kind == "system" and subtype in ("turn_duration", "stop_hook_summary"):
            self.is_over = True
        self.root = self.root or text_of(record, "uuid")
        self.main_lane = lane or "" if self.agent_id else ""
        super().take(record)

    def told_run(self, locator: str | None, caveats: Caveats) -> Run:
        """Return the run, when all records have gone by."""
        for said in caveats.all():
            self.caveats.add(said.code, said.text)
        self.allow_for(caveats)
        caveats = self.caveats
        state = Fields(self.cost_state, caveats, "cost-state.")
        by_model = ledger_of(state, caveats)
        lacks_models = state.flag("hasUnknownModelCost") or False
        if lacks_models:
            caveats.add("W_MISSING", "Its cost lacks models whose price the agent does not know.")
        self.cost_usd = state.usd("totalCostUSD")
        self.is_lower_bound |= self._calls.subagents > len(set(self._sidechains.values()))
        totals = [answer.tokens.total for answer in self._answers.values()]
        if by_model:
            self.ledger.clear()
        elif any(totals) and not all(totals):
            self.lack()
        self.turns = None if self.agent_id else self.main_messages
        self.marks.take({"sessionId": self.session_id})
        self.status, self.detail = self._ended(next(iter([*self.rest()][::-1]), self.last))
        run = self.run()
        run = replace(
            run,
            ledger=by_model or run.ledger,
            ledger_is_lower_bound=run.ledger_is_lower_bound and not by_model,
            output_is_lower_bound=run.output_is_lower_bound and not by_model,
            cost_is_lower_bound=lacks_models,
            agent_id=self.agent_id,
            root=self.root,
            answers=tuple(-each for each in run.answers) if self.is_progress else run.answers,
            unknown=unknown(self.kinds, {}),
            locator=locator,
        )
        say_unequal_sums(run, caveats)
        return replace(self.with_writer(run, caveats), caveats=caveats.all())

    def _ended(self, last: Begun | None) -> tuple[Status, str | None]:
        """Return how a session ended, as far as its last lines tell: no line says it."""
        if last is None:
            return Status.UNKNOWN, None
        if last.kind is StepKind.API_ERROR:
            return end_said(last.text) or (Status.STOPPED, "API error")
        if last.kind is StepKind.NOTICE and last.text.lstrip().startswith("[Request interrupted"):
            return Status.INTERRUPTED, "aborted"
        if last.kind in (StepKind.TOOL_CALL, StepKind.PROMPT, StepKind.SUBAGENT):
            return Status.INTERRUPTED, None
        if self.stop_reason == "end_turn" or self.is_over:
            return Status.OK, None
        return Status.UNKNOWN, "not stated"


def _deal(
    number: int, record: dict[str, Any], sessions: dict[str, _Session]
) -> tuple[str, Iterable[Begun]]:
    """Give a record of the session with that number to the agent that it is of; return its place, and the steps that
    are complete with it."""
    place = f"{SESSION}{number}" if number else ""
    lane = None
    main = sessions.get(place)
    if main is None:
        main = sessions[place] = sessions[""].another()
    session = main
    data = record.get("data")
    if (
        record.get("type") == "progress"
        and isinstance(data, dict)
        and data.get("type") == "agent_progress"
    ):
        agent = text_of(data, "agentId")
        inner = data.get("message")
        if not isinstance(inner, dict) or agent is None:
            return place, ()
        place += _AGENT + agent
        if place not in sessions:
            if len(sessions) > MAX_AGENTS:
                sessions[""].is_beyond = True
                return place, ()
            sessions[place] = main.subagent(agent)
        session = sessions[place]
        lane = text_of(record, "parentToolUseID") or agent
        record = inner
    return place, session.feed(record, lane)


def with_subagents(run: Run, others: Sequence[Run]) -> Run:
    """Return the run of a session, with what the records of its subagents count. A cost that Claude Code reports has
    them already, and so have the tokens beside it."""
    caveats = Caveats()
    steps = run.steps
    for other in others:
        steps = added(steps, other.steps)
    ledger = run.ledger
    is_lower_bound = run.ledger_is_lower_bound
    if run.root is None:
        is_lower_bound |= any(other.ledger_is_lower_bound for other in others)
        cost = sum_complete((run.cost_usd, *(other.cost_usd for other in others)))
        said_of_all = dict.fromkeys(said for each in (run, *others) for said in each.caveats)
        run = replace(run, cost_usd=cost, caveats=tuple(said_of_all))
    if run.root is None or run.cost_usd is None:
        ledger = combined([run.ledger, *(other.ledger for other in others)], caveats)
        if run.root is not None:
            lacks = any(
                said.code == "W_MISSING" for each in (run, *others) for said in each.caveats
            )
            is_lower_bound = lacks or (
                is_lower_bound and steps is not None and steps.subagents > len(others)
            )
    said = (*run.caveats, *caveats.all())
    is_placeholder = run.cost_usd is None and any(
        each.output_is_lower_bound for each in (run, *others)
    )
    return replace(
        run,
        ledger=ledger,
        ledger_is_lower_bound=is_lower_bound,
        output_is_lower_bound=is_placeholder,
        steps=steps,
        answers=tuple(answer for each in (run, *others) for answer in each.answers),
        caveats=said,
    )
