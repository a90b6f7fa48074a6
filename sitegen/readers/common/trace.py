"""A run that is told record by record: facts add up, steps come out, and nothing of the file is kept but those.

A reader of an agent is a Trace with two methods: `take` gets each record and says what it means, in the words below
(`say`, `ask`, `answer`, `used`, ...); `end` decides how the run ended. A record of another program must leave
`is_known` false and say nothing, and then the file is none of this agent's. The same records give the run and its
steps.

Steps come in the order in which they began. What waits for an answer, or for the tokens of its message, holds up those
behind it, until MAX_WAITING steps or MAX_CHARACTERS of text wait: then a call comes when it is answered, as do calls
that start a subagent, whose steps come in between. Of calls that wait, the oldest is given up beyond MAX_OPEN.
"""

import hashlib
import marshal
import math
import re
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Set
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from sitegen.model import (
    BEGINNING,
    LONG_REQUESTS,
    ModelUsage,
    Outcome,
    Portion,
    ResultKey,
    Run,
    Score,
    Status,
    StepCounts,
    TextKind,
    Texts,
    Tokens,
)
from sitegen.readers.common.call_counts import CallCounts, bytes_of
from sitegen.readers.common.called import names_of_call
from sitegen.readers.common.fields import Kinds, Rows, given, indented, prompt_digest
from sitegen.readers.common.patches import parse
from sitegen.readers.common.records import Record as Record
from sitegen.readers.common.records import (
    digest_of_record,
    effort_in,
    known,
    object_of,
    objects_in,
    rows,
    text_of,
    text_or_empty,
    usd_of,
    words,
)
from sitegen.readers.common.signals import Signals, same_as, traits_of, traits_of_answer
from sitegen.readers.common.sizes import checked
from sitegen.readers.common.stated import CountRule, Counts, Stated
from sitegen.readers.common.tool_names import (
    command_of,
    kind_of,
    may_edit,
    paths_of,
    program,
    purpose_of,
    target_of,
)
from sitegen.readers.common.values import Caveats, Fields, beginning
from sitegen.readers.common.writers import Marks, writer_of
from sitegen.steps import Step, StepKind, ToolCall, ToolKind, Trait
from sitegen.text import times

MAX_WAITING = 500
MAX_CHARACTERS = 8_000_000  # the limit on texts that wait, and on inputs of calls that do
MAX_OPEN = 2_000
MAX_TEXT = 100_000  # characters of a text, an input or an answer that a step holds
MAX_ERRORS = 50
# Characters of the folder that a record works in, and records among which it is looked for.
MAX_FOLDER = 1_000
MAX_BEFORE_FOLDER = 200
MAX_MODELS = 50
MAX_KEYS = 500  # answers and prompts by which a copy is known
MAX_KINDS = 1_000
# A shorter id of a session was made up, as in examples: logs of two programs that show it are two runs.
MIN_ID = 8
MAX_TOLD = 100_000  # records among which copies of the whole are looked for
MAX_UNKNOWN = 20
MAX_EFFORTS = 20
COUNTED = (-1, -1)
"""The marks in place of numbers of lines: those of the changes."""


Known = set[str | int]
"""The marks of what files contain: keys of records, digests of answers and prompts."""


class Answer(NamedTuple):
    """An answer of a model, as far as it is known."""

    model: str | None
    tokens: Tokens
    rates: tuple[str, ...] = ()
    """The facts in it that change the price of a token, as in `Run.billed_as`."""
    searches: int | None = None
    is_placeholder: bool = False
    """Whether its output is still to come."""
    is_request: bool = True
    """Whether it is one request and not several, nor none."""
    digest: int | None = None
    """The digest of what identifies it in other files."""


@dataclass(slots=True)
class _Priced:
    """The facts that decide the price of a model's tokens besides their number."""

    portions: dict[tuple[tuple[str, ...], int], Tokens] = field(default_factory=dict)
    longest: int | None = 0  # None once a record does not tell requests apart
    searches: int | None = None

    def take(self, answer: Answer) -> None:
        """Add the figures of an answer."""
        sent = answer.tokens.sent or 0
        if not answer.is_request:
            self.longest = None
        elif self.longest is not None and sent > self.longest:
            self.longest = sent
        if answer.searches:
            self.searches = (self.searches or 0) + answer.searches
        above = 0
        if answer.is_request and sent > LONG_REQUESTS[0]:
            above = max(limit for limit in LONG_REQUESTS if sent > limit)
        if above or answer.rates:
            key = answer.rates, above
            self.portions[key] = self.portions.get(key, Tokens()) + answer.tokens

    def line(self, model: str | None, tokens: Tokens, *, excludes_cache: bool) -> ModelUsage:
        """Return the line of the ledger for a model that used so many tokens."""
        portions = tuple(Portion(*key, part) for key, part in sorted(self.portions.items()))
        return ModelUsage(
            model, tokens, None, self.searches, portions, self.longest, excludes_cache
        )


# The amount by which times fall only where the clock was set back: records of parallel agents are about in order.
_SET_BACK_MS = 60_000
_ZONE = re.compile(r"(?:Z|[+-][0-9:]{2,8})\Z", re.I)
OPEN_CALL = Status.INTERRUPTED, "a call without its result"
_OF_A_MESSAGE = (StepKind.TEXT, StepKind.THINKING, StepKind.TOOL_CALL, StepKind.SUBAGENT)
ONLY = "run"
"""The locator of the only run of a file, where it has steps."""
SESSION = "session "
"""The beginning of the locator of a run whose file has several sessions, before its number."""


def ends_of(listed: str) -> dict[str, tuple[Status, str | None]]:
    """Return how runs ended and why, by the expressions or fields in a list of ends.tsv."""
    return {
        sign: (Status(status), why or None)
        for name, sign, status, why in rows("ends.tsv")
        if name == listed
    }


# The patterns in an error message for limits, and for surroundings, that ended a run.
_LIMITS, _STOPPED = (
    [(re.compile(sign, re.I), end) for sign, end in ends_of(each).items()]
    for each in ("limit", "stopped")
)


RECORDS_COMPACTIONS = frozenset(title for title, _ in rows("compactions.tsv"))
"""Titles of the traces whose records say when the context was compacted."""
# Fields of records that count or begin something.
_COUNTING = words("timestamp usage stats error thread_id session_id item tool_id")
_OF_A_RUN = words(
    "cost_usd cost_is_lower_bound api_ms turns session_id agent_id session_title cwd folder is_shared is_converted "
    "task evaluation attempt outcome status process_usage judge"
)
_NAME_OF_ERROR = re.compile(r"[A-Za-z_][\w.]{0,80}(?=[:(]|\Z)")


# Attributes of `Begun` as they follow each other in `Step` and in `ToolCall`.
_OF_STEP = attrgetter("lane", "starts", "part", "at_ms", "message_id", "model", "tokens", "context")
_OF_ANSWER = attrgetter("result_bytes", "failed", "denied", "exit_code", "answered_ms")


@dataclass(slots=True, eq=False)
class Begun:
    """A step that has begun."""

    kind: StepKind
    place: int
    text: str
    at_ms: int | None
    model: str | None
    message_id: str | None = None
    lane: str = ""
    part: int = 0
    id: str = ""
    name: str = ""
    tool: ToolKind = ToolKind.OTHER
    given: Record | None = None
    about: str = ""
    starts: str = ""
    result: str | None = None
    result_bytes: int = 0
    failed: bool | None = None
    denied: bool = False
    exit_code: int | None = None
    answered_ms: int | None = None
    changes: str = ""
    lines: tuple[int, int] | None = None
    traits: int = 0
    same: int | None = None
    """The number for the tool, input and answer of a call that is answered and does not poll."""
    input_bytes: int = 0
    tokens: Tokens | None = None
    context: int | None = None
    waits: bool = False
    is_late: bool = False
    is_told: bool = True
    """Whether what its message used is known, or nobody will say."""
    size: int = 0
    """Characters that it holds in memory, about."""

    def step(self, number: int, *, contents: bool) -> Step:
        """Return the step, with inputs and answers where `contents` are asked for."""
        call = None if self.given is None else self._call(self.given, contents=contents)
        return Step(
            number,
            self.kind,
            self.place,
            _shortened(self.text),
            bytes_of(self.text),
            call,
            *_OF_STEP(self),
        )

    def _call(self, given: Record, *, contents: bool) -> ToolCall:
        program_of = program(command_of(given)) if self.tool is ToolKind.RUN else ""
        about = self.about or target_of(given, self.tool), purpose_of(given), program_of
        shown = indented(given, MAX_TEXT) if contents else ""
        result = _shortened(self.result) if contents and self.result is not None else None
        changes = _shortened(self.changes) if contents else ""
        lines = self.lines or (None, None)
        answer = result, *_OF_ANSWER(self), changes, *lines, self.traits, self.input_bytes
        return ToolCall(self.id, self.name, self.tool, *about, shown, *answer)


class Trace:
    """The run of a file, as far as it is known."""

    title = ""
    """The kind of record that was read, in words: `Run.reader`."""
    knows: frozenset[str] = frozenset()
    """Kinds of records that are read, or known to say nothing; empty where records have no kind."""
    has_lanes = False
    """Whether steps of subagents are among the records."""
    kinds_of_fields: Kinds = MappingProxyType({})
    """The kinds of the further fields, where their names do not say it as usual; see docs/contributing/readers.md."""
    thinks_aloud = False
    """Whether its last thought is its account where it says nothing else."""
    last_thought: str | None = None
    session_title: str | None = None
    agent_id: str | None = None
    """The id where it is a subagent, whose session is that of its parent."""
    tells_exit_codes = True
    """Whether a command that failed is seen to have."""
    has_edit_tools = True
    """Whether calls can edit otherwise than by a command; else only a patch shows what was edited."""
    tells_commands = True
    """Whether each command that ran is in the record; else nobody knows whether tests did."""
    is_whole = False
    ends_with_totals = False
    """Whether a record at the end of a run counts all that it used."""
    excludes_cache = False
    """Whether input has none in it that were read from a cache whose reads are not counted."""
    usage_follows = False
    """Whether the records state what a message used behind its texts and calls."""
    reads = CountRule()
    folder: str | None = None
    parts: Callable[..., Iterator[Iterable[Any]]] | None = None
    """The values of each run of a file, where it is more than records of one run."""
    is_shared = False
    is_converted = False
    judge: tuple[ModelUsage, ...] = ()

    is_known = False
    session_id: str | None = None
    cwd: str | None = None
    known_as: str | None = None
    """The text that distinguishes its session from others where it has no id."""
    version: str | None = None
    mode: str | None = None
    _prompt_digest: str | None = None
    model: str | None = None
    """The model of what comes next; the next three attributes apply to it too."""
    effort: str | None = None
    """The reasoning effort that is asked for in what comes next."""
    lane = ""
    part = 0
    status = Status.UNKNOWN
    detail: str | None = None
    turns: int | None = None
    cost_usd: float | None = None
    cost_is_lower_bound = False
    started_ms: int | None = None
    first_ms: int | None = None
    last_ms: int | None = None
    # Up to the last time when the clock was set back, and the first and the last time since then.
    _elapsed_ms = _begin_ms = _now_ms = 0
    _before: tuple[int, int, int] | None = None  # the three before that
    is_naive = False
    idle_ms = 0
    """Between the end of a turn and the prompt of the next one."""
    wall_ms: int | None = None
    api_ms: int | None = None
    process_usage: Tokens | None = None
    """As in `Run`."""
    is_lower_bound = False
    summary: str | None = None
    name = ""
    above = ""
    path = ""
    """The place of its file: the folders of programs are known by their names."""
    task: str | None = None
    evaluation: str | None = None
    attempt: int | None = None
    outcome: Outcome | None = None
    last_step: StepKind | None = None
    last: Begun | None = None
    """The last step in their order, but for hooks."""
    _wholes = _chained = 0
    _is_wrapped = False  # whether its records stand behind prefixes, or between other text
    _newest: Record | None = None
    _digest_before = ""  # that of the records of its beginning before the last one
    main_lane = ""
    """The lane of the agent whose words are the summary."""
    _place = -1
    _record: Record | None = None  # the record before
    _lane_of_record: str | None = None
    _waiting = 0
    _opened = 0
    _untold: Tokens | None = None  # the tokens that a message without steps used
    _steps = _numbered = 0
    _compactions = 0
    _peak: int | None = None

    def __init__(self) -> None:
        self.caveats = Caveats()
        self.marks = Marks()
        """The marks of the program that wrote the file, where others write its format too."""
        self.ledger: dict[str | None, Tokens] = {}
        self._stated = Stated(self.reads)
        # Whether counts lack, and whether they have, input (1) and output (2).
        self._stated_kinds = [0, 0]
        self.errors: dict[str, None] = {}
        self.results: list[ResultKey] = []
        self._marks: list[str] = []
        self.fields: dict[str, object] = {}
        """The fields that are listed besides, by their paths in the file."""
        self.kinds: Counter[str] = Counter()
        self._paid: list[float] = []
        self._efforts: dict[str, None] = {}  # of the answers of its main agent
        self._is_unpaid = False
        self.scores: list[Score] = []
        self.unknown: dict[str, None] = {}
        self.edits: Counter[int] = Counter()
        """Calls that edited a file, by the part of the session."""
        self._queue: deque[Begun] = deque()
        self._open: dict[str, Begun] = {}
        # The size of each result whose call has not come yet, with what takes it; and the calls that came with this
        # record.
        self._early: dict[str, tuple[int, Callable[[], object]]] = {}
        self._early_size = 0
        self._due: list[str] = []
        self._message: list[Begun] = []  # the steps of the message whose tokens are not told yet
        # Texts that come in pieces: these, the characters of all, and when the last one came.
        self._pieces: dict[StepKind, tuple[list[str], int, int | None]] = {}
        self.seen: Known = set()
        """The marks of what this file, and those before it, contain."""
        self._answers: dict[Hashable, Answer] = {}
        self._priced: dict[str | None, _Priced] = {}
        self._calls = CallCounts()
        self._signals = Signals()
        self._failed_commands: set[int] = set()
        self._sames: dict[str, int | None] = {}  # `Begun.same` of the last call, by lane
        self.begin()

    def begin(self) -> None:
        """Set what this reader remembers between records."""

    def session(self, record: Record) -> str | None:  # noqa: ARG002
        """Return the id of the session that a record names, or begins; None where it goes on with the one before. The
        sessions of a file are different runs."""
        self._wholes += self.is_whole
        return str(self._wholes) if self.is_whole else None

    def take(self, record: Record) -> None:
        """Say what a record means."""
        raise NotImplementedError

    def end(self) -> None:
        """Say what is left after the last record, and decide how the run ended."""

    # What readers say.

    def is_replay(self, *parts: object) -> bool:
        """Return whether a record that these parts identify was taken before; False where one of them is not known."""
        return None not in parts and self.is_copy(hash(parts))

    def key(self, *parts: object, cost: float | None = None) -> None:
        """Record what identifies an answer or a prompt in every copy of the session."""
        session = self._session
        if session and None not in parts and len(self.results) < MAX_KEYS:
            text = "/".join(map(str, (session, *parts))).encode("utf-8", "replace")
            digest = hashlib.blake2b(text, digest_size=8).hexdigest()
            self.results.append(ResultKey(digest, cost, None, None))

    @property
    def _session(self) -> str | None:
        return self.session_id or self.known_as

    def _chain_up(self, record: Record) -> None:
        """Note with what the run begins until it counts something, or with all of it where it has no id: so the same
        records are one run however they are written, and a copy that was cut before it counted is one of this run."""
        if self.results or (self.ledger and self._session):
            return
        if self._chained:
            self._digest_before = self._mark()
            is_kept = self._chained % (1 << max(self._chained.bit_length() - 4, 0)) == 0
            self._marks += [self._digest_before] if is_kept else []
        self._chained += 1
        self._newest = record

    def _mark(self) -> str:
        """Return what tells these records from others; most files are one, of which nobody asks."""
        return digest_of_record({"record": self._newest, "before": self._digest_before})

    @property
    def beginnings(self) -> tuple[ResultKey, ...]:
        """Keys of its beginning; the last record may have been cut."""
        if not self._chained or (self.results and self.is_whole) or self.folder is not None:
            return ()  # what a file in such a folder says is of its folder
        if self._is_wrapped and self._session and len(self._session) < MIN_ID:
            return ()
        marks = self._marks if self._session and self._marks else [self._mark()]
        return tuple(ResultKey(BEGINNING + mark, None, None, None) for mark in marks)

    def strange(self, *names: str) -> None:
        """Nobody here knows these fields, or kinds of records."""
        for name in names:
            if len(self.unknown) < MAX_UNKNOWN:
                self.unknown[name[:100]] = None

    def hold_against(self, record: Record, block: str, where: str = "") -> None:
        """Record the fields of a record that are not in that block of the known ones."""
        fields = known(block)
        self.strange(*(where + name for name in record if name not in fields))

    def list_fields(self, record: Record, names: str, where: str = "") -> None:
        """List these fields of a record besides."""
        self.fields |= {where + name: record[name] for name in names.split() if name in record}

    def time(self, record: Record, name: str = "timestamp") -> int | None:
        """Return a time of a record; those without a zone count for durations, and say not when the run began."""
        value = record.get(name)
        known = times.milliseconds_of(value, naive=True)
        self.is_naive |= (
            known is not None
            and isinstance(value, str)
            and value[-1] != "Z"
            and not _ZONE.search(value)
        )
        return known

    def at(self, ms: int | None) -> int | None:
        """Something happened at this time."""
        if ms is None:
            return None
        if self.first_ms is None or self.last_ms is None:
            self.first_ms = self.last_ms = self._begin_ms = self._now_ms = ms
        elif ms < self._now_ms - _SET_BACK_MS:
            self._before = self._elapsed_ms, self._begin_ms, self._now_ms
            self._elapsed_ms += self._now_ms - self._begin_ms
            self._begin_ms = self._now_ms = ms
        elif self._before is not None and ms >= self._before[2]:  # it was but a few records
            self._elapsed_ms, self._begin_ms, self._now_ms = *self._before[:2], ms
            self._before = None
        self.first_ms, self.last_ms = min(self.first_ms, ms), max(self.last_ms, ms)
        self._begin_ms, self._now_ms = min(self._begin_ms, ms), max(self._now_ms, ms)
        return ms

    def resumed(self, ms: int | None) -> None:
        """Begin a turn: the time before it counts as idle."""
        if ms is not None and self.last_ms is not None:
            self.idle_ms += max(ms - self.last_ms, 0)
        self.at(ms)

    def say(
        self, kind: StepKind, text: str, ms: int | None = None, message_id: str | None = None
    ) -> None:
        """Add a step that is not a call."""
        self._begin(self._new(kind, text, ms, message_id))
        if kind is StepKind.TEXT and self.lane == self.main_lane:
            self.summary = text
        elif kind is StepKind.API_ERROR and len(self.errors) < MAX_ERRORS and text.strip():
            self.errors[text] = None
        elif kind is StepKind.THINKING and self.thinks_aloud:
            self.last_thought = text
        self._compactions += kind is StepKind.COMPACTION

    def say_blocks(self, blocks: Iterable[Record], ms: int | None, message_id: str | None) -> None:
        """Add the steps of the blocks of a message."""
        for block in blocks:
            kind = block.get("type")
            text = text_of(block, "text")
            if kind == "text" and text:
                self.say(StepKind.TEXT, text, ms, message_id)
            elif kind == "thinking":
                self.say(StepKind.THINKING, text_or_empty(block, "thinking"), ms, message_id)
            elif kind in ("tool_use", "toolCall"):
                given = object_of(block, "input") or object_of(block, "arguments")
                self.ask(
                    text_or_empty(block, "id"), text_or_empty(block, "name"), given, ms, message_id
                )
            elif kind != "text":
                self.strange(f"message.content {kind}")

    def add_piece(
        self, kind: StepKind, text: str, ms: int | None, *, may_be_whole: bool = False
    ) -> None:
        """Add the next piece of a text, unless it `may_be_whole` and is the same text as all pieces; of more than
        MAX_CHARACTERS the later ones are left out."""
        pieces, size, _ = self._pieces.get(kind, ([], 0, None))
        is_whole = may_be_whole and size == len(text) and "".join(pieces) == text
        if size < MAX_CHARACTERS and not is_whole:
            pieces.append(text)
            self._pieces[kind] = pieces, size + len(text), ms

    def say_pieces(self, *kinds: StepKind) -> None:
        """Say the texts of which all pieces have come."""
        for kind in kinds:
            pieces, _, ms = self._pieces.pop(kind, ([], 0, None))
            if (text := "".join(pieces)).strip():
                self.say(kind, text, ms)

    def _new(self, kind: StepKind, text: str, ms: int | None, message_id: str | None) -> Begun:
        return Begun(
            kind,
            self._place,
            text,
            ms,
            self.model,
            message_id,
            self.lane,
            self.part,
            size=len(text),
        )

    def error(self, text: str, ms: int | None = None) -> None:
        """Record that the agent or its API failed; the run may go on."""
        if text.strip():
            self.say(StepKind.API_ERROR, text, ms)

    def ask(
        self,
        id_: str,
        name: str,
        given: Record,
        ms: int | None = None,
        message_id: str | None = None,
    ) -> Begun:
        """Return a call; one without an id, or with that of an open one, is not answered."""
        tool = kind_of(name, given)
        begun = self._new(StepKind.TOOL_CALL, "", ms, message_id)
        begun.id, begun.name, begun.tool, begun.given = id_, name, tool, given
        begun.size = begun.input_bytes = sum(
            len(each) for each in given.values() if isinstance(each, str)
        )
        begun.traits = traits_of(tool, command_of(given)) | (
            0 if self.tells_commands else Trait.UNSEEN
        )
        self._calls.asked(tool, id_, may_edit=may_edit(name) or not self.has_edit_tools)
        self._calls.named(names_of_call(name, given, tool))
        if id_ in self._early:
            self._due.append(id_)
        begun.waits = bool(id_) and id_ not in self._open
        if begun.waits and tool is ToolKind.TASK and self.has_lanes:
            begun.is_late = True
            self._steps += 1
            self._begin(
                replace(
                    begun, kind=StepKind.SUBAGENT, waits=False, is_late=False, starts=id_, size=0
                )
            )
            begun.model = begun.message_id = (
                None  # the step of the subagent has what its message says
            )
        else:
            self._begin(begun)
        if begun.waits:
            self._open[id_] = begun
            self._opened += begun.size
            while len(self._open) > MAX_OPEN or (
                self._opened > MAX_CHARACTERS and len(self._open) > 1
            ):
                self._close(next(iter(self._open)))
        return begun

    def _close(self, id_: str) -> Begun:
        """Return the open call, which waits no longer."""
        begun = self._open.pop(id_)
        self._opened -= begun.size
        begun.waits = False
        if begun.is_late:
            self._enqueue(begun)
        return begun

    def answer(  # noqa: PLR0913
        self,
        id_: str,
        result: str,
        ms: int | None = None,
        *,
        failed: bool = False,
        denied: bool = False,
        exit_code: object = None,
        changes: str = "",
        paths: Set[str] = frozenset(),
        lines: tuple[int, int] | None = COUNTED,
        size: int | None = None,
    ) -> Begun | None:
        """Return the answer of a call, of `size` bytes; `changes` are lines after `+` and `-`, `paths` what an edit
        changed, `lines` how many it added and removed; `exit_code` may be a match with it in its first group."""
        if id_ not in self._open:
            again = partial(
                self.answer,
                id_,
                result,
                ms,
                failed=failed,
                denied=denied,
                exit_code=exit_code,
                changes=changes,
                paths=paths,
                lines=lines,
                size=size,
            )
            self.hold_result(id_, len(result), again)
            return None
        exit_code = int(exit_code[1]) if isinstance(exit_code, re.Match) else exit_code
        code = exit_code if type(exit_code) is int and abs(exit_code) < 2**31 else None
        begun = self._close(id_)
        given = begun.given or {}
        is_edit = begun.tool is ToolKind.EDIT
        failed = failed or bool(code)
        begun.result, begun.failed, begun.denied = result, failed, denied
        begun.exit_code, begun.answered_ms, begun.changes = code, ms, changes
        begun.result_bytes = bytes_of(result) if size is None else size
        begun.size += begun.result_bytes
        self._waiting += begun.result_bytes
        took = None if ms is None or begun.at_ms is None else ms - begun.at_ms
        self._calls.answered(begun.tool, begun.result_bytes, took, failed=failed, lane=begun.lane)
        target = target_of(given, begun.tool)
        paths = paths or (frozenset() if failed else paths_of(given, is_edit=is_edit))
        edited = paths or ([target] if is_edit else ())
        command = command_of(given)
        begun.traits = traits_of_answer(
            begun.traits, begun.tool, command, edited, result, failed=failed
        )
        if failed and begun.tool is ToolKind.RUN:
            asked = hash(command or target)
            begun.traits |= Trait.FAILED_BEFORE if asked in self._failed_commands else 0
            self._failed_commands.add(asked)
        begun.same = same_as(begun.tool, begun.name, given, result)
        if not failed and (paths or changes or is_edit):
            self.edits[begun.part] += 1
            begun.lines = lines_of(changes) if lines is COUNTED else lines
            is_of_command = begun.lines is None and not paths and "command" in given
            # What a command wrote is not counted.
            self.patched(paths, (0, 0) if is_of_command else begun.lines)
        return begun

    def hold_result(self, id_: str, size: int, take: Callable[[], object]) -> None:
        """Keep a result of so many characters until its call comes: parallel agents write lines out of order. `take` is
        then called."""
        is_late = self._calls.is_asked(id_)
        is_lost = not id_ or id_ in self._early or len(self._early) >= MAX_OPEN
        if is_late or is_lost or self._early_size + size > MAX_CHARACTERS:
            self._calls.unasked(id_)
            return
        self._early[id_] = size, take
        self._early_size += size

    def submitted(self, patch: str | None) -> None:
        """Record the patch that the run ended with: it shows what was edited where no call says so."""
        if patch and not self._calls.files:
            changes = parse(patch)
            lines = changes.added, changes.removed
            if changes.files:
                self._calls.lines = 0, 0  # those of edits without a path are in the patch, too
            self._calls.edited([file.path for file in changes.files], lines)

    def patched(self, paths: Set[str], lines: tuple[int, int] | None) -> None:
        """Record files that were edited by a call or by what it ran, and the lines added and removed."""
        self._calls.edited(paths, lines)

    def counted(self, counts: Counts, *, context: bool = True, model: str | None = None) -> None:
        """Add the counts that a record states for what a message, or a part of the run, used; its file decides how that
        is to be read."""
        if self._message and context and not (counts.sent or counts.output or counts.read):
            self.lack()
        self.used(self._stated.take(self._line(model), counts), context=context, model=model)

    def uncounted(self) -> None:
        """Say so where no record counts any tokens."""
        if not any(tokens.total for tokens in self.ledger.values()):
            self.used(Tokens(), context=False)
            self.caveats.add("W_MISSING", "The run reports no tokens.")

    def lack(self) -> None:
        """Record that a message counts nothing."""
        self.is_lower_bound = True
        self.caveats.add("W_MISSING", "A message reports no tokens, so usage is a lower bound.")

    def lack_part(self, said: str, code: str = "W_MISSING") -> None:
        """Record that a part of the run is not read, as a sentence begins that says so."""
        self.is_lower_bound = self.cost_is_lower_bound = True
        self.caveats.add(code, f"{said}: its tokens, cost and turns are lower bounds.")

    def _line(self, model: str | None = None) -> str | None:
        """Return the line of the ledger for the model, or another one."""
        model = model or self.model
        if model in self.ledger or len(self.ledger) < MAX_MODELS:
            return model
        self.caveats.add(
            "W_LIMIT", f"The run names more than {MAX_MODELS} models; the later ones share a line."
        )
        return "other models"

    def see_effort(self, record: Record, places: str) -> None:
        """Note the effort of what comes next, where the record states it in one of these places."""
        self.effort = effort_in(record, places) or self.effort

    @property
    def efforts(self) -> str | None:
        """The efforts of its answers, in their order; without an answer, that which was stated last."""
        return ", ".join(self._efforts) or self.effort

    def used(self, tokens: Tokens, *, context: bool = True, model: str | None = None) -> None:
        """Add the tokens that a message, or a part of the run, used of the model, or of another one; `context` says
        that it is one message. A reader says all of it here, or all of it by `counted`."""
        model = self._line(model)
        self._priced.setdefault(model, _Priced()).take(Answer(model, tokens, is_request=context))
        if tokens.total is not None and tokens.unsplit is None:
            self._stated_kinds[
                tokens.input is not None and not (tokens.sent == 0 and tokens.output)
            ] |= 1
            self._stated_kinds[tokens.output is not None] |= 2
        self._add(model, tokens, tokens.sent if context else None)

    def usd(self, record: Record, name: str) -> float | None:
        """Return an amount, as `usd_of` does; one that cannot be right is said."""
        amount = usd_of(record, name)
        if amount is None and record.get(name) is not None:
            Fields(record, self.caveats).usd(name)
        return amount

    def paid(self, cost: float | None) -> None:
        """Add the cost of a message; 0 stands for a price that is not known, as it does where nobody is billed for
        it."""
        if cost:
            self._paid.append(cost)
        else:
            self._is_unpaid = True

    def is_copy(self, key: str | int) -> bool:
        """Return whether a record, an answer or a prompt that this key identifies was seen before; it is now."""
        if key in self.seen:
            return True
        self.seen.add(key)
        return False

    def answered(self, id_: Hashable, answer: Answer, *, context: bool = True) -> None:
        """Add what a record says of the answer of a model with this id; what is said of it again counts as far as it
        differs. `context` says that it is of the agent, and not of one that it asked."""
        if (known := self._answers.get(id_)) is None:
            model = self._line()
            tokens = answer.tokens
            self._add(model, tokens, tokens.sent if context else None)
        else:
            model = known.model
            before = known.tokens
            tokens = answer.tokens.or_else(before)
            if (tokens.sent or 0) < (before.sent or 0) or (tokens.output or 0) < (
                before.output or 0
            ):
                tokens = max(before, tokens, key=lambda each: each.total or 0)
                self.is_lower_bound = True
                self.caveats.add(
                    "W_MISSING",
                    "A message is repeated with fewer tokens: its sum is a lower bound.",
                )
            if before != tokens:
                self._add(
                    model, tokens - before, tokens.sent if context and not before.sent else None
                )
        self._answers[id_] = answer._replace(model=model, tokens=tokens)
        self.told()

    def _add(self, model: str | None, tokens: Tokens, sent: int | None) -> None:
        known = self.ledger.get(model)
        self.ledger[model] = tokens if known is None else known + tokens
        sent = sent or None  # every message sends something: 0 stands for a count that is not known
        if sent is not None and not self.lane:
            self._peak = max(sent, self._peak or 0)
        if self._message:
            first = self._message[0]
            first.tokens = tokens if first.tokens is None else first.tokens + tokens
            first.context = sent
        elif self.usage_follows:
            self._untold = tokens if self._untold is None else self._untold + tokens
        self.told()

    def told(self) -> None:
        """Close the last message: no more usage is reported for it."""
        for begun in self._message:
            begun.is_told = True
        self._message.clear()

    def set_status(self, status: Status, detail: str | None = None) -> None:
        """Record how the run ended, and why in two or three words."""
        self.status = status
        self.detail = detail

    def go_on(self) -> None:
        """Record that the run goes on: unless more follows, its recording breaks off here."""
        self.set_status(Status.INTERRUPTED)

    def next_id(self) -> str:
        """Return an id for a call that has none."""
        self._numbered += 1
        return f"#{self._numbered}"

    def count_turn(self) -> None:
        """Count one turn more."""
        self.turns = (self.turns or 0) + 1

    def fail(self, text: str, ms: int | None = None) -> None:
        """Record an error with which the run ends, unless it goes on."""
        self.error(text, ms)
        self.status, self.detail = self.failure(text)

    def failed_with(self, text: str) -> tuple[Status, str | None]:
        """Return the same of an exception of the program that ran the agent, whose words may quote anything: an outline
        shows its name alone."""
        if name := _NAME_OF_ERROR.match(text):
            self.errors[name[0]] = None
        return self.failure(text)

    @property
    def is_call_open(self) -> bool:
        """Whether the last step is a call of the main agent without its result."""
        return self.last is not None and self.last.waits and self.last.lane == self.main_lane

    def succeed(self) -> None:
        """Record that the agent's result states success: it cannot have ended while a call waits."""
        self.status, self.detail = OPEN_CALL if self.is_call_open else (Status.OK, None)

    def failure(self, text: str) -> tuple[Status, str | None]:
        """Return how a run ended whose last words are this message of an error."""
        ends = (end for pattern, end in (*_LIMITS, *_STOPPED) if pattern.search(text, 0, 2_000))
        return next(ends, (Status.FAILED, "error"))

    def allow_for(self, caveats: Caveats) -> None:
        """Take into account that records of its file are broken, or stand between other text, where that was said."""
        codes = {said.code for said in caveats.all()}
        self._is_wrapped = "W_NOISE" in codes
        is_counted = self.is_whole or (self.ends_with_totals and self.status is Status.OK)
        if not is_counted and "W_BAD_LINE" in codes:
            self.lack_part("Lines of its file are broken")

    # What comes of it.

    def receive(self, record: Record, place: int) -> None:
        """Take a record, which stands there in its file; what counts or begins something counts once where it is
        written twice in a row."""
        self._place, before, self._record = place, self._record, record
        if not _COUNTING.isdisjoint(record) and record == before:
            self.take_copy(record)
            return
        if self.cwd is None and place < MAX_BEFORE_FOLDER:
            self.cwd = _folder_in(record)
        self._count(record)
        self._chain_up(record)
        self.take(record)
        while self._due:
            size, take = self._early.pop(self._due.pop(), (0, list))
            self._early_size -= size
            take()

    def take_copy(self, record: Record) -> None:
        """Note a record that counts and is the one before once more, or that its file tells again. Here: nothing."""

    def feed(self, record: Record, lane: str | None = None) -> Iterable[Begun]:
        """Take the next record; the steps that are complete with it. `lane` says whose it is where it does not."""
        self._lane_of_record = lane
        self.receive(record, self._place + 1)
        return self._ready() if self._queue else ()

    def finished(self) -> Iterator[Begun]:
        """Yield the steps that are left after the last record."""
        if self.is_known:
            self.end()
            if self._paid:
                self.cost_usd = (
                    round(math.fsum(self._paid), 10) if self.cost_usd is None else self.cost_usd
                )
                self.cost_is_lower_bound |= self._is_unpaid
            if not self.ledger and self.model:
                self.used(Tokens(), context=False)
            for model, tokens in self._stated.revised():
                if self._priced[model].portions or tokens.sent != self.ledger[model].sent:
                    self._priced[model] = _Priced(
                        longest=None
                    )  # another reading said which requests were long
                self.ledger[model] = tokens
            self.is_lower_bound |= self._stated.contradict(self.caveats)
            if self._stated_kinds[0] & self._stated_kinds[1]:
                self.is_lower_bound = True
                self.caveats.add(
                    "W_MISSING",
                    "Some of its counts lack input or output, so usage is a lower bound.",
                )
            yield from self.rest()

    def rest(self) -> Iterator[Begun]:
        """Yield the steps that are left when the records are: calls without an answer."""
        yield from self._ready()
        yield from map(self._seen, self._queue)
        late = sorted(
            (begun for begun in self._open.values() if begun.is_late), key=lambda begun: begun.place
        )
        yield from map(self._seen, late)

    def _seen(self, begun: Begun) -> Begun:
        """Return the step, which is complete, with what signals are made of."""
        if begun.kind is StepKind.TOOL_CALL:
            if begun.same is not None and begun.same == self._sames.get(begun.lane):
                begun.traits |= Trait.REPEAT
            self._sames[begun.lane] = begun.same
            self._signals.take(begun.place, begun.lane, begun.failed, begun.traits)
        return begun

    def _count(self, record: Record) -> None:
        kind = record.get("type")
        if isinstance(kind, str) and (len(self.kinds) < MAX_KINDS or kind in self.kinds):
            self.kinds[kind[:100]] += 1
            if self.knows and kind not in self.knows:
                self.strange(kind)

    def _ready(self) -> Iterator[Begun]:
        """Yield the steps that are complete, with none before them that is not."""
        queue = self._queue
        while queue and (
            (queue[0].is_told and not queue[0].waits)
            or len(queue) > MAX_WAITING
            or self._waiting > MAX_CHARACTERS
        ):
            begun = queue.popleft()
            self._waiting -= begun.size
            if not begun.is_told:
                self._message.remove(begun)
                begun.is_told = True
            if begun.waits:
                begun.is_late = True
            else:
                yield self._seen(begun)

    def _begin(self, begun: Begun) -> None:
        self._steps += 1
        self.last_step = begun.kind
        if begun.kind is StepKind.PROMPT and not begun.lane and self._prompt_digest is None:
            self._prompt_digest = prompt_digest(begun.text)
        begun.tokens = self._untold
        self._untold = None
        is_of_model = begun.kind in _OF_A_MESSAGE
        if (
            is_of_model
            and self.effort
            and self.lane == self.main_lane
            and len(self._efforts) < MAX_EFFORTS
        ):
            self._efforts[self.effort] = None
        if is_of_model and self.usage_follows:
            begun.is_told = False
            self._message.append(begun)
        self._enqueue(begun)

    def _enqueue(self, begun: Begun) -> None:
        self._queue.append(begun)
        self._waiting += begun.size
        if begun.kind is not StepKind.HOOK:
            self.last = begun

    def counts(self) -> StepCounts:
        """Return what is kept of the steps."""
        self._calls.lacks_calls |= bool(self._early)
        compactions = (
            self._compactions if self._compactions or self.title in RECORDS_COMPACTIONS else None
        )
        known = self._calls.counts(
            steps=self._steps,
            compactions=compactions,
            peak=self._peak,
            tells_exit_codes=self.tells_exit_codes,
            folder=self.cwd,
        )
        if not self._signals.has_calls:
            return replace(known, tests="none" if self.tells_commands and self._steps else None)
        return replace(
            known, signals=tuple(self._signals.found()), tests=self._signals.state_of_tests
        )

    @property
    def digests(self) -> tuple[int, ...]:
        """The digests of its answers, as far as they have one."""
        return tuple(
            answer.digest for answer in self._answers.values() if answer.digest is not None
        )

    def run(self) -> Run:
        """Return the run that the records tell of."""
        rows = Rows(self.caveats, self.kinds_of_fields)
        for name, value in (
            {f"records.{kind}": number for kind, number in self.kinds.items()} | self.fields
        ).items():
            rows.add(name, value)
        for answer in self._answers.values():
            self._priced.setdefault(answer.model, _Priced()).take(answer)
        lines = [
            self._priced.get(model, _Priced()).line(
                model, tokens, excludes_cache=self.excludes_cache
            )
            for model, tokens in self.ledger.items()
        ]
        if self.summary or self._answers or self.turns or self._calls.kinds:
            lines = without_zeros(lines, self.caveats)
        wall = self.wall_ms
        if (
            wall is None
            and self.first_ms is not None
            and self.last_ms is not None
            and self.last_ms > self.first_ms
        ):
            span = self.last_ms - self.first_ms
            elapsed = self._elapsed_ms + self._now_ms - self._begin_ms
            if elapsed < span:
                text = "Its clock was set back: its wall time is the sum of the times before and after."
                self.caveats.add("W_CONTRADICTION", text)
            wall = max(min(elapsed, span) - self.idle_ms, 0)
        started = self.first_ms if self.started_ms is None else self.started_ms
        run = Run(
            **{name: getattr(self, name) for name in _OF_A_RUN},
            reader=self.title,
            status_detail=self.detail,
            ledger=tuple(
                sorted(lines, key=lambda line: (-(line.tokens.output or 0), line.model or ""))
            ),
            ledger_is_lower_bound=self.is_lower_bound,
            output_is_lower_bound=any(answer.is_placeholder for answer in self._answers.values()),
            wall_ms=wall,
            results=(*self.results, *self.beginnings),
            started_at=None if self.is_naive else times.utc_text(started),
            ended_at=None if self.is_naive else times.utc_text(self.last_ms),
            agent_version=self.version,
            effort=self.efforts,
            given=given(mode=self.mode, prompt=self._prompt_digest),
            scores=tuple(self.scores),
            unknown=tuple(sorted(self.unknown)),
            answers=self.digests,
            steps=self.counts() if self._steps else None,
            locator=ONLY if self._steps else None,
            texts=Texts(
                self.summary or self.last_thought,
                "the last message"
                if self.summary
                else "its last thought"
                if self.last_thought
                else None,
                tuple(self.errors),
                fields=rows.all(),
                field_kinds=tuple(rows.kinds),
                summary_kind=TextKind.ANSWER if self.summary else TextKind.PROMPT,
            ),
        )
        return checked(self.with_writer(run, self.caveats), self.caveats)

    def with_writer(self, run: Run, caveats: Caveats) -> Run:
        """Return the run under the name of the program that wrote its file; where marks name several, that is said."""
        writer = writer_of(run.agent, self.marks, self.path)
        writer.say_contradiction(caveats)
        return replace(run, reader=f"{writer.program} {run.form}".rstrip())


def walk(
    new: Callable[[], Trace], values: Iterable[Any], traces: dict[int, Trace]
) -> Iterator[tuple[int, Iterator[Begun]]]:
    """Take the records among JSON values, or in lists. Yield the steps that are complete with each, to be taken at
    once, with the number of their session, -1 where none was named yet; its trace is added to `traces`. Sessions may
    alternate, as where two processes write to one file."""
    first = new()
    number = -1
    numbers: dict[str, int] = {}
    start = None
    so_far = 0
    told: set[int] = set()
    for place, record in enumerate(objects_in(values)):
        own = hash(marshal.dumps(record, 2))
        start = own if start is None else start
        so_far = hash((own, so_far if own != start else 0))
        is_copy = so_far in told  # the file has all since its first record before
        if len(told) < MAX_TOLD:
            told.add(so_far)
        if (session := first.session(record)) is not None:
            number = numbers.setdefault(session, len(numbers))
        if number not in traces:
            if is_first := not traces or (set(traces) == {-1} and not first.is_known):
                traces.clear()  # what stands before the first session may be about it
            traces[number] = first if is_first else new()
        trace = traces[number]
        (trace.take_copy(record) if is_copy else trace.receive(record, place))
        if trace._queue:
            yield number, trace._ready()
    for number, trace in traces.items():
        yield number, trace.finished()


def limit_in(text: str) -> str | None:
    """Return the limit of a run that a message says was reached."""
    return next((why for pattern, (_, why) in _LIMITS if pattern.search(text, 0, 2_000)), None)


def _folder_in(record: Record) -> str | None:
    """Return the folder in which a record says that the agent works."""
    for name in ("", "payload", "info", "data", "context"):
        part = object_of(record, name) if name else record
        folder = part.get("cwd") or part.get("directory")
        if isinstance(folder, str):
            return folder[:MAX_FOLDER]
    return None


def without_zeros(lines: list[ModelUsage], caveats: Caveats) -> list[ModelUsage]:
    """Return the ledger of a run in which a model answered: counts are unknown where all of them are 0, and so is what
    was sent where that is 0."""
    totals = {line.tokens.total for line in lines}
    if 0 in totals and not any(totals):
        caveats.add(
            "W_MISSING", "All its counts of tokens are 0 beside an answer, so they are unknown."
        )
        return [replace(line, tokens=Tokens(), cost_usd=line.cost_usd or None) for line in lines]
    unsent = {line.model for line in lines if line.tokens.sent == 0 and line.tokens.output}
    return [
        replace(each, tokens=Tokens(output=each.tokens.output)) if each.model in unsent else each
        for each in lines
    ]


def changed_in(diff: str | None) -> str:
    """Return the lines that a diff changed, after `+` and `-`."""
    lines = (diff or "").split("\n")
    return "\n".join(
        line for line in lines if line[:1] in ("+", "-") and line[:3] not in ("+++", "---")
    )


def lines_of(changes: str) -> tuple[int, int] | None:
    """Return how many lines stand after `+` and after `-`; None where nothing is stated."""
    lines = [line[:1] for line in changes.split("\n")]
    return (lines.count("+"), lines.count("-")) if changes else None


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{beginning(text, MAX_TEXT)}…"
