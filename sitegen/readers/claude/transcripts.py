"""Reads the transcripts that Claude Code keeps of its sessions: `~/.claude/projects/<folder>/<session>.jsonl`, and
those of subagents, `agent-<id>.jsonl` beside them or in `<session>/subagents/`.

A transcript has a time on every line and no result. Its figures are those of its messages, each counted once, unless
the program kept a running total (`cost-state`). A session that was resumed or forked goes on in a copy of its file,
with the same uuids: what is `known` of other files is left out, so that it counts once.

Of subagents, some versions keep the lines in a file of their own, some within the main agent's, some both. So what
stands in the main agent's as progress is a run of its own here, and whoever has all files keeps one of the two.

Lines are those of `messages`, with `uuid`, `parentUuid`, `sessionId` and `version`; besides:

| Line | Meaning |
|--|--|
| `ai-title`, `custom-title` | the title of the session |
| `cost-state` | cost and `modelUsage` of the session so far |
| `progress` with `agent_progress` | a line of a subagent |
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from sitegen.model import Caveat, Run, Status, sum_complete
from sitegen.readers.claude.endings import end_told
from sitegen.readers.claude.fields import unknown_names
from sitegen.readers.claude.messages import MODELS, ClaudeMessages
from sitegen.readers.claude.sessions import ClaudeSession, SessionReader, Sessions
from sitegen.readers.claude.totals import combined, ledger_of, say_unequal_sums
from sitegen.readers.common.builder import FilePlace, Format
from sitegen.readers.common.call_counts import added
from sitegen.readers.common.endings import Ending
from sitegen.readers.common.identity import Known
from sitegen.readers.common.record_reader import SESSION
from sitegen.readers.common.records import Record, is_true, object_of, objects_in, text_of, value_at
from sitegen.readers.common.step_log import PendingStep
from sitegen.readers.common.values import Caveats, Fields
from sitegen.readers.run_file import RunFile
from sitegen.steps import StepKind

NAME = "Claude Code transcript"
_MARK = re.compile(
    rb'"(?:parentUuid|leafUuid)"\s*:|"type"\s*:\s*"(?:queue-operation|file-history-snapshot|permission-mode|cost-state)"'
)
_JSON = re.compile(rb"^[ \t]*[{\[]", re.MULTILINE)
_TITLES = {"ai-title": "aiTitle", "custom-title": "customTitle"}
MAX_AGENTS = 1_000
"""Subagents whose lines stand in the file of the main agent."""
_AGENT = "agent:"


class ClaudeTranscript(ClaudeSession):
    """The lines of one agent."""

    format = Format(NAME, has_lanes=True, usage_follows=True, models=MODELS)

    def __init__(self, file: FilePlace, known: Known, *, contents: bool) -> None:
        super().__init__(file)
        self.is_known = True
        self.is_transcript = False
        """Whether a line is one as transcripts have them."""
        self.is_progress = False
        """Whether it is a subagent whose lines stand in the file of its main agent."""
        self.messages = ClaudeMessages(self.run, known, contents=contents)
        self._cost_state: Record = {}
        self._root: str | None = None
        self._stop_reason: object = None
        self._is_over = False  # whether the program said that the last turn was over

    def be_subagent(self, agent: str, main: "ClaudeTranscript") -> None:
        """Let it be a subagent whose lines stand in the file of the main agent."""
        self.is_transcript = self.is_progress = True
        self.run.identity.session_id = main.run.identity.session_id
        # It is not a copy of the subagent's own file, which may have more.
        self.run.identity.is_apart = True
        self.run.version = main.run.version
        self.run.agent_id = self.run.main_lane = agent

    def identifies(self, record: Record) -> bool:  # noqa: ARG002
        """Return False: its records have ids of their own."""
        return False

    def read(self, record: Record) -> None:
        run = self.run
        lane = self.lane
        session = record.get("sessionId")
        if isinstance(session, str):
            run.identity.session_id = session
            self.is_transcript |= "parentUuid" in record
        run.version = text_of(record, "version") or run.version
        run.mode = run.mode or text_of(record, "permissionMode")
        agent = text_of(record, "agentId")
        if lane is None and agent and is_true(record, "isSidechain"):
            if run.steps.count == 0:
                run.agent_id = agent
            lane = agent
        self._note_end(record)
        self._root = self._root or text_of(record, "uuid")
        run.main_lane = lane or "" if run.agent_id else ""
        self.messages.read(record, lane)

    def transcript_run(self, locator: str | None, caveats: Caveats) -> Run:
        """Return the run, when all records have gone by; `caveats` are those of its file."""
        run = self.run
        for caveat in caveats.all():
            run.caveats.add(caveat.code, caveat.text)
        run.note_damage(caveats)
        state = Fields(self._cost_state, run.caveats, "cost-state.")
        ledger = ledger_of(state, run.caveats)
        lacks_models = state.flag("hasUnknownModelCost") or False
        if lacks_models:
            text = "Its cost lacks models whose price the agent does not know."
            run.caveats.add("W_MISSING", text)
        run.cost_usd = state.usd("totalCostUSD")
        self._note_missing(has_ledger=bool(ledger))
        run.turns = None if run.agent_id else self.messages.main_answers
        run.marks.take({"sessionId": run.identity.session_id})
        run.end(*self._ending([*run.steps.rest()]))
        built = replace(
            run.build(),
            cost_is_lower_bound=lacks_models,
            root=self._root,
            unknown=unknown_names(run.kinds, {}),
            locator=locator,
        )
        if ledger:
            run.reader_of(ledger, run.caveats)  # its models may be those of another program
            built = replace(
                built, ledger=ledger, ledger_is_lower_bound=False, output_is_lower_bound=False
            )
        if self.is_progress:
            built = replace(built, answers=tuple(-answer for answer in built.answers))
        say_unequal_sums(built, run.caveats)
        return replace(built, caveats=run.caveats.all())

    def _note_missing(self, *, has_ledger: bool) -> None:
        tokens = self.run.tokens
        tokens.is_lower_bound |= self.run.tools.counts.subagents > self.messages.lanes.count
        totals = [answer.tokens.total for answer in tokens.answers.values()]
        if has_ledger:
            tokens.by_model.clear()
        elif any(totals) and not all(totals):
            tokens.note_missing()

    def _note_end(self, record: Record) -> None:
        """Note what tells how the session ended, its title, and its running total."""
        kind = record.get("type")
        if isinstance(kind, str) and kind in _TITLES:
            self.run.session_title = text_of(record, _TITLES[kind]) or self.run.session_title
        elif kind == "cost-state":
            self._cost_state = record
        elif kind == "assistant" and not is_true(record, "isSidechain"):
            self._stop_reason = value_at(record, "message.stop_reason")
            self._is_over = False
        elif kind == "system" and record.get("subtype") in ("turn_duration", "stop_hook_summary"):
            self._is_over = True

    def _ending(self, left: Sequence[PendingStep]) -> Ending:
        """Return how the session ended, as far as its last lines tell: no line says it. `left` are the steps that
        wait."""
        last = left[-1] if left else self.run.steps.last
        if last is None:
            return Status.UNKNOWN, None
        if last.kind is StepKind.API_ERROR:
            return end_told(last.text) or (Status.STOPPED, "API error")
        if last.kind is StepKind.NOTICE and last.text.lstrip().startswith("[Request interrupted"):
            return Status.INTERRUPTED, "aborted"
        if last.kind in (StepKind.TOOL_CALL, StepKind.PROMPT, StepKind.SUBAGENT):
            return Status.INTERRUPTED, None
        if self._stop_reason == "end_turn" or self._is_over:
            return Status.OK, None
        return Status.UNKNOWN, "not stated"


class TranscriptSessions(Sessions):
    """The session, or the subagent whose file it is; then the subagents whose lines stand in it as progress."""

    def read(self) -> Iterator[tuple[str, Iterator[PendingStep]]]:
        self._is_beyond = False
        self._sessions = {"": self._new_session()}
        return (self._read_record(number, record) for number, record in _numbered(self.text))

    def session_at(self, place: str) -> ClaudeSession | None:
        return self._sessions.get(place)

    def runs(self, wanted: str | None) -> Iterator[tuple[str, Run]]:
        if self._is_beyond:
            text = f"It holds lines of more than {MAX_AGENTS:,} subagents; the others are left out"
            self._sessions[""].run.note_missing(text, "W_LIMIT")
        for place, session in self._sessions.items():
            if session.has_steps and session.is_transcript and wanted in (None, place):
                yield place, session.transcript_run(place or None, self.caveats)

    def _new_session(self) -> ClaudeTranscript:
        return ClaudeTranscript(self.place, self.known, contents=self.contents)

    def _read_record(self, number: int, record: Record) -> tuple[str, Iterator[PendingStep]]:
        """Give a record of the session with that number to the agent that it is of; return its place, and the steps
        that are complete with it."""
        place = f"{SESSION}{number}" if number else ""
        if place not in self._sessions:
            self._sessions[place] = self._new_session()
        data = object_of(record, "data")
        if record.get("type") == "progress" and data.get("type") == "agent_progress":
            return self._read_progress(place, record, data)
        return place, self._feed(place, record)

    def _read_progress(
        self, place: str, record: Record, data: Record
    ) -> tuple[str, Iterator[PendingStep]]:
        agent = text_of(data, "agentId")
        message = data.get("message")
        if not isinstance(message, dict) or agent is None:
            return place, iter(())
        main = self._sessions[place]
        place += _AGENT + agent
        if place not in self._sessions:
            if len(self._sessions) > MAX_AGENTS:
                self._is_beyond = True
                return place, iter(())
            self._sessions[place] = self._new_session()
            self._sessions[place].be_subagent(agent, main)
        self._sessions[place].lane = text_of(record, "parentToolUseID") or agent
        return place, self._feed(place, message)

    def _feed(self, place: str, record: Record) -> Iterator[PendingStep]:
        session = self._sessions[place]
        session.add_record(record, session.run.place + 1)
        return session.run.steps.ready()


class TranscriptReader(SessionReader):
    """The reader of Claude Code's transcripts."""

    name = "claude-transcript"
    sessions = TranscriptSessions

    def matches(self, file: RunFile) -> bool:
        """Return whether lines as transcripts have them are at its beginning; in a `.txt`, nothing before them."""
        find = _JSON.match if file.extension == "txt" else _JSON.search
        head = file.plain_head
        return _MARK.search(head) is not None and find(head.lstrip()) is not None


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
            if current is None or not _continues(record):
                number = numbers.setdefault(id_, min(len(numbers), MAX_AGENTS))
            current = id_
        while waiting:
            yield number, waiting.pop(0)
        yield number, record
    for record in waiting:
        yield number, record


def _continues(record: Record) -> bool:
    names = ("parentUuid", "logicalParentUuid", "isSidechain")
    return any(record.get(name) for name in names)


def with_subagents(run: Run, others: Sequence[Run]) -> Run:
    """Return the run of a session, with what the records of its subagents count. A cost that Claude Code reports has
    them already, and so have the tokens beside it."""
    caveats = Caveats()
    runs = (run, *others)
    steps = run.steps
    for other in others:
        steps = added(steps, other.steps)
    ledger = run.ledger
    is_lower_bound = run.ledger_is_lower_bound
    if run.root is None:
        is_lower_bound |= any(other.ledger_is_lower_bound for other in others)
        cost = sum_complete((run.cost_usd, *(other.cost_usd for other in others)))
        run = replace(run, cost_usd=cost, caveats=_caveats_of(runs))
    if run.root is None or run.cost_usd is None:
        ledger = combined([run.ledger, *(other.ledger for other in others)], caveats)
        if run.root is not None:
            lacks_some = any(caveat.code == "W_MISSING" for caveat in _caveats_of(runs))
            lacks_subagents = steps is not None and steps.subagents > len(others)
            is_lower_bound = lacks_some or (is_lower_bound and lacks_subagents)
    has_placeholder = any(each_run.output_is_lower_bound for each_run in runs)
    answers: list[int] = []
    for each_run in runs:
        answers += each_run.answers
    return replace(
        run,
        ledger=ledger,
        ledger_is_lower_bound=is_lower_bound,
        output_is_lower_bound=run.cost_usd is None and has_placeholder,
        steps=steps,
        answers=tuple(answers),
        caveats=(*run.caveats, *caveats.all()),
    )


def _caveats_of(runs: Sequence[Run]) -> tuple[Caveat, ...]:
    """Return what was said of any of several runs, each once."""
    caveats: dict[Caveat, None] = {}
    for run in runs:
        caveats |= dict.fromkeys(run.caveats)
    return tuple(caveats)
