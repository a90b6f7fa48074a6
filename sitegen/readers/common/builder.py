"""The run of a file, made step by step: readers say in plain words what a record means, parts keep what follows.

`Clock` keeps times, `Identity` what distinguishes the run from others, `TokenLedger` and `MessageCosts` what it used,
`ToolLog` its calls, `StepLog` the order of its steps. Nothing of the file is kept but those.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import NamedTuple

from sitegen.model import (
    ModelUsage,
    Outcome,
    ResultKey,
    Run,
    Score,
    Status,
    StepCounts,
    TextKind,
    Texts,
    Tokens,
    replace,
    sum_known,
)
from sitegen.readers.common.clock import Clock
from sitegen.readers.common.endings import OPEN_CALL, ended_by, name_of_error
from sitegen.readers.common.fields import NO_KINDS, Kinds, Rows, given, prompt_digest
from sitegen.readers.common.identity import Identity
from sitegen.readers.common.ledger import AnswerUsage, MessageCosts, TokenLedger, without_zeros
from sitegen.readers.common.records import (
    Record,
    effort_in,
    known,
    object_of,
    rows,
    text_of,
    text_or_empty,
    usd_of,
)
from sitegen.readers.common.sizes import checked
from sitegen.readers.common.stated import CountRule, Counts
from sitegen.readers.common.step_log import PendingCall, PendingStep, StepLog
from sitegen.readers.common.text_pieces import TextPieces
from sitegen.readers.common.tool_log import ToolLog, ToolResult
from sitegen.readers.common.values import Caveats, Fields
from sitegen.readers.common.writers import Marks, writer_of
from sitegen.steps import StepKind, ToolKind
from sitegen.text import times

MAX_ERRORS = 50
MAX_UNKNOWN = 20
MAX_NAME = 100  # characters of a name that nobody knows
MAX_EFFORTS = 20
_USUAL_COUNTS = CountRule()
ONLY = "run"
"""The locator of the only run of a file, where it has steps."""
RECORDS_COMPACTIONS = frozenset(title for title, _ in rows("compactions.tsv"))
"""Titles of the formats whose records say when the context was compacted."""
# Attributes of a builder that are those of its run.
_OF_A_RUN = (
    "status cost_usd cost_is_lower_bound api_ms turns agent_id session_title cwd folder is_shared task evaluation attempt "
    "outcome process_usage judge"
).split()
_FACTS = attrgetter(*_OF_A_RUN)


@dataclass(frozen=True, slots=True)
class Format:
    """The facts about a form of record that hold for all of its files."""

    title: str
    """The kind of record, in words: `Run.reader`."""
    known_kinds: frozenset[str] = frozenset()
    """Kinds of records that are read, or known to say nothing; empty where records have no kind."""
    counts: CountRule = _USUAL_COUNTS
    """The way in which its counts of tokens include each other, unless a file shows otherwise."""
    field_kinds: Kinds = NO_KINDS
    """The kinds of the further fields, where their names do not say it as usual; see `fields.field_kinds`."""
    models: re.Pattern[str] | None = None
    """Parts of the names of the agent's models: others may show that another program wrote the file."""
    folder: str | None = None
    """The key of the folder in which a program leaves such a file, which says something of the run there."""
    has_lanes: bool = False
    """Whether steps of subagents are among the records."""
    usage_follows: bool = False
    """Whether the records state what a message used behind its texts and calls."""
    ends_with_totals: bool = False
    """Whether a record at the end of a run counts all that it used."""
    is_whole: bool = False
    """Whether each record is a run."""
    is_converted: bool = False
    """Whether such files are made from those of other formats."""
    thinks_aloud: bool = False
    """Whether its last thought is its account where it says nothing else."""
    tells_exit_codes: bool = True
    """Whether a command that failed is seen to have."""
    has_edit_tools: bool = True
    """Whether calls can edit otherwise than by a command; else only a patch shows what was edited."""
    tells_commands: bool = True
    """Whether each command that ran is in the record; else nobody knows whether tests did."""


class FilePlace(NamedTuple):
    """The place of a file that is read: programs are known by the names of their folders."""

    name: str = ""
    """Its name without extensions of formats."""
    folder: str = ""
    path: str = ""


class RunBuilder:
    """The run of a file, as far as it is known."""

    place = -1
    """The position of the record that is read among those of its file."""
    lane = ""
    main_lane = ""
    """The lane of the agent whose words are the summary."""
    part = 0
    model: str | None = None
    """The model of what comes next."""
    effort: str | None = None
    """The reasoning effort that is asked for in what comes next."""
    is_wrapped = False
    """Whether its records stand behind prefixes, or between other text."""
    # Facts of the run as `Run` has them.
    agent_id: str | None = None
    session_title: str | None = None
    cwd: str | None = None
    version: str | None = None
    mode: str | None = None
    is_shared = False
    task: str | None = None
    evaluation: str | None = None
    attempt: int | None = None
    outcome: Outcome | None = None
    judge: tuple[ModelUsage, ...] = ()
    status = Status.UNKNOWN
    detail: str | None = None
    turns: int | None = None
    cost_usd: float | None = None
    cost_is_lower_bound = False
    started_ms: int | None = None
    wall_ms: int | None = None
    ended_ms: int | None = None
    """The time at which it ended, where that is known though no time states its zone."""
    api_ms: int | None = None
    process_usage: Tokens | None = None
    leading_model: str | None = None
    """The model whose line of the ledger is the first, whatever others used."""
    summary: str | None = None
    last_thought: str | None = None
    _prompt_digest: str | None = None

    def __init__(self, format_: Format, file: FilePlace | None = None) -> None:
        self.format = format_
        self.file = file or FilePlace()
        self.title = format_.title
        self.caveats = Caveats()
        self.marks = Marks()
        """The marks of the program that wrote the file, where others write its format too."""
        self.clock = Clock()
        self.identity = Identity()
        self.tokens = TokenLedger(format_.counts, self.caveats)
        self.costs = MessageCosts()
        self.tools = ToolLog(
            has_edit_tools=format_.has_edit_tools, tells_commands=format_.tells_commands
        )
        self.steps = StepLog(usage_follows=format_.usage_follows)
        self.pieces = TextPieces()
        self.tells_exit_codes = format_.tells_exit_codes
        self.folder = format_.folder
        self.scores: list[Score] = []
        self.errors: dict[str, None] = {}
        self.unknown: dict[str, None] = {}
        self.kinds: Counter[str] = Counter()
        self.factors: dict[str, str] = {}
        """The factors that its file or folder states, as `Run.factors`."""
        self.checks: str | None = None
        """The number of checks that its grader made, and what distinguishes them from those of others."""
        self.fields: dict[str, object] = {}
        """The fields that are listed besides, by their paths in the file."""
        self._efforts: dict[str, None] = {}  # of the answers of its main agent

    # Times and turns.

    def time_of(self, record: Record, name: str = "timestamp") -> int | None:
        """Return a time of a record; those without a zone count for durations, and say not when the run began."""
        return self.clock.parse(record.get(name))

    def see_time(self, ms: int | None) -> int | None:
        """Return the time after noting that something happened then."""
        return self.clock.see(ms)

    def start_turn(self, ms: int | None) -> None:
        """Begin a turn: the time since the last record counts as idle."""
        self.clock.start_turn(ms)

    def count_turn(self) -> None:
        """Count one turn more."""
        self.turns = sum_known((self.turns, 1))

    # Steps.

    def add_text(
        self, kind: StepKind, text: str, ms: int | None = None, message_id: str | None = None
    ) -> None:
        """Add a step that is not a call."""
        self._begin(self._new_step(kind, text, ms, message_id))
        if kind is StepKind.TEXT and self.lane == self.main_lane:
            self.summary = text
        elif kind is StepKind.API_ERROR and len(self.errors) < MAX_ERRORS and text.strip():
            self.errors[text] = None
        elif kind is StepKind.THINKING and self.format.thinks_aloud:
            self.last_thought = text

    def add_blocks(self, blocks: Iterable[Record], ms: int | None, message_id: str | None) -> None:
        """Add the steps of the blocks of a message."""
        for block in blocks:
            kind = block.get("type")
            text = text_of(block, "text")
            if kind == "text" and text:
                self.add_text(StepKind.TEXT, text, ms, message_id)
            elif kind == "thinking":
                self.add_text(StepKind.THINKING, text_or_empty(block, "thinking"), ms, message_id)
            elif kind in ("tool_use", "toolCall"):
                arguments = object_of(block, "input") or object_of(block, "arguments")
                id_, name = text_or_empty(block, "id"), text_or_empty(block, "name")
                self.add_call(id_, name, arguments, ms, message_id)
            elif kind != "text":
                self.note_unknown(f"message.content {kind}")

    def add_piece(
        self, kind: StepKind, piece: str, ms: int | None, *, may_be_whole: bool = False
    ) -> None:
        """Add the next piece of a text, unless it `may_be_whole` and is the same text as all pieces until now."""
        self.pieces.add(kind, piece, ms, may_be_whole=may_be_whole)

    def end_pieces(self, *kinds: StepKind) -> None:
        """Add the texts of which all pieces have come."""
        for kind in kinds:
            text, ms = self.pieces.take(kind)
            if text.strip():
                self.add_text(kind, text, ms)

    def add_error(self, text: str, ms: int | None = None) -> None:
        """Record that the agent or its API failed; the run may go on."""
        if text.strip():
            self.add_text(StepKind.API_ERROR, text, ms)

    def add_call(
        self,
        id_: str,
        name: str,
        arguments: Record,
        ms: int | None = None,
        message_id: str | None = None,
    ) -> PendingCall:
        """Return a call after adding its step; one without an id, or with that of an open one, gets no result."""
        step = self._new_step(StepKind.TOOL_CALL, "", ms, message_id)
        step.call = call = self.tools.add_call(id_, name, arguments)
        step.size = call.input_bytes
        waits = bool(id_) and id_ not in self.steps.open
        if waits and call.tool is ToolKind.TASK and self.format.has_lanes:
            self.steps.add_late(step)
            start = replace(step, kind=StepKind.SUBAGENT, is_late=False, starts=id_, size=0)
            start.call = replace(call)
            self._begin(start)
            # The step of the subagent has what its message says.
            step.model = step.message_id = None
        else:
            self._begin(step)
        if waits:
            self.steps.open_call(id_, step)
        return call

    def add_result(self, result: ToolResult) -> PendingStep | None:
        """Add the result of a call; return the step of the call. One whose call has not come waits for it."""
        if result.id not in self.steps.open:
            take = partial(self.add_result, result)
            self.tools.hold_result(result.id, len(result.text), take)
            return None
        step = self.steps.close_call(result.id)
        if step.call is not None:
            self.tools.add_result(step, step.call, result)
            self.steps.grow(step, step.call.result_bytes)
        return step

    def has_open_call(self, id_: str) -> bool:
        """Return whether a call with this id waits for its result."""
        return id_ in self.steps.open

    @property
    def ends_in_call(self) -> bool:
        """Whether the last step is a call of the main agent without its result."""
        last = self.steps.last
        return last is not None and last.awaits_result and last.lane == self.main_lane

    def end_message(self) -> None:
        """End the last message: no more usage is reported for it."""
        self.steps.end_message()

    # Tokens and costs.

    def add_usage(
        self, counts: Counts, *, is_request: bool = True, model: str | None = None
    ) -> None:
        """Add the counts that a record states for a request, or for a part of the run, of the model or of another one;
        its file decides how they are to be read."""
        is_empty = not (counts.sent or counts.output or counts.read)
        if is_empty and is_request and self.steps.has_message:
            self.tokens.note_missing()
        tokens = self.tokens.add_counts(model or self.model, counts, is_request=is_request)
        self._give_to_step(tokens, is_request=is_request)

    def add_tokens(
        self, tokens: Tokens, *, is_request: bool = True, model: str | None = None
    ) -> None:
        """Add tokens whose kinds are known. A reader states all of it here, or all of it by `add_usage`."""
        self.tokens.add_tokens(model or self.model, tokens, is_request=is_request)
        self._give_to_step(tokens, is_request=is_request)

    def add_answer(self, id_: Hashable, answer: AnswerUsage, *, is_own: bool = True) -> None:
        """Add what a record says of the answer of a model with this id; what is said of it again counts as far as it
        differs. `is_own` says that it is of the agent, and not of one that it asked."""
        added = self.tokens.add_answer(id_, answer, self.model)
        if added:
            tokens, is_new_input = added
            known = self.tokens.answers[id_].tokens
            sent = known.sent if is_own and is_new_input else None
            self.steps.add_usage(tokens, sent, is_main=not self.lane)
        self.steps.end_message()

    def note_no_usage(self) -> None:
        """Say so where no record counts any tokens."""
        if not self.tokens.has_any():
            self.add_tokens(Tokens(), is_request=False)
            self.caveats.add("W_MISSING", "The run reports no tokens.")

    def amount_of(self, record: Record, name: str) -> float | None:
        """Return an amount of money, in USD; one that cannot be right is said."""
        amount = usd_of(record, name)
        if amount is None and record.get(name) is not None:
            Fields(record, self.caveats).usd(name)
        return amount

    # Facts.

    def add_key(self, *parts: object, cost_usd: float | None = None) -> None:
        """Add what identifies an answer or a prompt in every copy of the session."""
        self.identity.add_key(*parts, cost_usd=cost_usd)

    def use_key(self, key: str | None) -> None:
        """Let an id that its record states identify the run, with its figures."""
        if key:
            self.identity.keys = [ResultKey(key, self.cost_usd, self.wall_ms, self.turns)]

    def see_effort(self, record: Record, places: str) -> None:
        """Note the effort of what comes next, where the record states it in one of these places."""
        self.effort = effort_in(record, places) or self.effort

    def list_fields(self, record: Record, names: str, where: str = "") -> None:
        """List these fields of a record besides."""
        self.fields |= {f"{where}{name}": record[name] for name in names.split() if name in record}

    def check_fields(self, record: Record, block: str, where: str = "") -> None:
        """Note the fields of a record that are not in that block of the known ones."""
        fields = known(block)
        for name in record:
            if name not in fields:
                self.note_unknown(f"{where}{name}")

    def note_unknown(self, name: str) -> None:
        """Note a field, or a kind of record, that nobody here knows."""
        if len(self.unknown) < MAX_UNKNOWN:
            self.unknown[name[:MAX_NAME]] = None

    def note_missing(self, reason: str, code: str = "W_MISSING") -> None:
        """Record that a part of the run is not read, as a sentence begins that says so."""
        self.tokens.is_lower_bound = self.cost_is_lower_bound = True
        self.caveats.add(code, f"{reason}: its tokens, cost and turns are lower bounds.")

    def note_damage(self, caveats: Caveats) -> None:
        """Take into account that records of its file are broken, or stand between other text, where that was said."""
        codes = {caveat.code for caveat in caveats.all()}
        self.is_wrapped = "W_NOISE" in codes
        has_totals = self.format.ends_with_totals and self.status is Status.OK
        if "W_BAD_LINE" in codes and not has_totals and not self.format.is_whole:
            self.note_missing("Lines of its file are broken")

    # How it ended.

    def end(self, status: Status, detail: str | None = None) -> None:
        """Record how the run ended, and why in two or three words, unless it goes on."""
        self.status = status
        self.detail = detail

    def go_on(self) -> None:
        """Record that the run goes on: unless more follows, its recording breaks off here."""
        self.end(Status.INTERRUPTED)

    def fail(self, error: str, ms: int | None = None) -> None:
        """Record an error with which the run ends, unless it goes on."""
        self.add_error(error, ms)
        self.end(*ended_by(error))

    def note_exception(self, message: str) -> None:
        """Record an exception of the program that ran the agent. Its words may quote anything: an outline shows its
        name alone."""
        if name := name_of_error(message):
            self.errors[name] = None

    def succeed(self) -> None:
        """Record that the agent's result states success: it cannot have ended while a call waits."""
        self.end(*(OPEN_CALL if self.ends_in_call else (Status.OK, None)))

    # The result.

    def close(self) -> None:
        """Add up what the records say, now that there are no more."""
        total_usd = self.costs.total_usd()
        if total_usd is not None:
            self.cost_usd = total_usd if self.cost_usd is None else self.cost_usd
            self.cost_is_lower_bound = self.cost_is_lower_bound or self.costs.lacks_some
        if not self.tokens.by_model and self.model:
            self.add_tokens(Tokens(), is_request=False)
        self.tokens.close()

    def counts(self) -> StepCounts:
        """Return what is kept of the steps."""
        steps, counts, signals = self.steps, self.tools.counts, self.steps.signals
        counts.lacks_calls = counts.lacks_calls or self.tools.has_early_results
        has_compactions = steps.compactions > 0 or self.title in RECORDS_COMPACTIONS
        found = counts.counts(
            steps=steps.count,
            compactions=steps.compactions if has_compactions else None,
            peak=steps.context_peak,
            tells_exit_codes=self.tells_exit_codes,
            folder=self.cwd,
        )
        if signals.has_calls:
            return replace(found, signals=tuple(signals.found()), tests=signals.state_of_tests)
        has_no_tests = self.format.tells_commands and steps.count > 0
        return replace(found, tests="none" if has_no_tests else None)

    def efforts(self) -> str | None:
        """Return the efforts of its answers, in their order; without an answer, that which was stated last."""
        return ", ".join(self._efforts) or self.effort

    def beginnings(self) -> tuple[ResultKey, ...]:
        """Return the keys of its beginning; none where it is known by others, or is said of a folder."""
        is_known = self.format.is_whole and bool(self.identity.keys)
        if is_known or self.folder is not None:
            return ()
        return self.identity.beginnings(is_wrapped=self.is_wrapped)

    def build(self, locator: str | None = None) -> Run:
        """Return the run that the records tell of; `locator` is that of one among others of its file."""
        started_ms, ended_ms = self._bounds_ms()
        facts = dict(zip(_OF_A_RUN, _FACTS(self), strict=True))
        texts, ledger = self._texts(), self._ledger()
        run = Run(
            **facts,
            status_detail=self.detail,
            session_id=self.identity.session_id,
            is_converted=self.format.is_converted,
            ledger=ledger,
            ledger_is_lower_bound=self.tokens.is_lower_bound,
            output_is_lower_bound=self.tokens.has_placeholder(),
            wall_ms=self._wall_ms(),
            results=(*self.identity.keys, *self.beginnings()),
            started_at=times.utc_text(started_ms),
            ended_at=times.utc_text(ended_ms),
            agent_version=self.version,
            effort=self.efforts(),
            given=given(mode=self.mode, prompt=self._prompt_digest, checks=self.checks),
            factors=tuple(self.factors.items()),
            scores=tuple(self.scores),
            unknown=tuple(sorted(self.unknown)),
            answers=self.tokens.digests(),
            steps=self.counts() if self.steps.count else None,
            locator=locator or (ONLY if self.steps.count else None),
            texts=texts,
            reader=self.reader_of(ledger, self.caveats),
        )
        return checked(run, self.caveats)

    def reader_of(self, ledger: Iterable[ModelUsage], caveats: Caveats) -> str:
        """Return the kind of record under the name of the program that wrote the file; what is odd about that program
        is said."""
        owner, _, form = self.title.rpartition(" ")
        writer = writer_of(owner or form, self.marks, self.file.path)
        if self.format.models is not None:
            names = [line.model for line in ledger if line.model]
            writer.say_foreign_models(names, self.format.models, caveats)
        writer.say_contradiction(caveats)
        return f"{writer.program} {form}" if owner else writer.program

    def _new_step(
        self, kind: StepKind, text: str, ms: int | None, message_id: str | None
    ) -> PendingStep:
        place, model, lane, part = self.place, self.model, self.lane, self.part
        return PendingStep(kind, place, text, ms, model, message_id, lane, part, len(text))

    def _begin(self, step: PendingStep) -> None:
        self.steps.add(step)
        if step.kind is StepKind.PROMPT and not step.lane and self._prompt_digest is None:
            self._prompt_digest = prompt_digest(step.text)
        is_answer = self.lane == self.main_lane and self.steps.is_of_message
        if self.effort and is_answer and len(self._efforts) < MAX_EFFORTS:
            self._efforts[self.effort] = None

    def _give_to_step(self, tokens: Tokens, *, is_request: bool) -> None:
        sent = tokens.sent if is_request else None
        self.steps.add_usage(tokens, sent, is_main=not self.lane)

    def _ledger(self) -> tuple[ModelUsage, ...]:
        lines = self.tokens.lines()
        if self.summary or self.tokens.answers or self.turns or self.tools.counts.kinds:
            lines = without_zeros(lines, self.caveats)
        lines.sort(key=_most_output_first)
        return tuple(sorted(lines, key=self._is_led))

    def _is_led(self, line: ModelUsage) -> bool:
        return self.leading_model is not None and line.model != self.leading_model

    def _wall_ms(self) -> int | None:
        if self.wall_ms is not None:
            return self.wall_ms
        if self.clock.was_set_back:
            text = "Its clock was set back: its wall time is the sum of the times before and after."
            self.caveats.add("W_CONTRADICTION", text)
        return self.clock.wall_ms()

    def _bounds_ms(self) -> tuple[int | None, int | None]:
        """Return when the run began and ended; unknown where a time states no zone."""
        if self.clock.lacks_zone:
            return None, self.ended_ms
        started_ms = self.clock.first_ms if self.started_ms is None else self.started_ms
        return started_ms, self.clock.last_ms

    def _texts(self) -> Texts:
        fields = Rows(self.caveats, self.format.field_kinds)
        for kind, number in self.kinds.items():
            fields.add(f"records.{kind}", number)
        for name, value in self.fields.items():
            fields.add(name, value)
        origin = "its last thought" if self.last_thought else None
        return Texts(
            self.summary or self.last_thought,
            "the last message" if self.summary else origin,
            tuple(self.errors),
            fields=fields.all(),
            field_kinds=tuple(fields.kinds),
            summary_kind=TextKind.ANSWER if self.summary else TextKind.PROMPT,
        )


def _most_output_first(line: ModelUsage) -> tuple[int, str]:
    return -(line.tokens.output or 0), line.model or ""
