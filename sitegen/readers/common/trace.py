"""A run that is told record by record: facts add up, steps come out, and nothing of the file is kept but those.

A reader of an agent is a Trace with two methods: `take` gets each record and says what it means, in the words below
(`say`, `ask`, `answer`, `used`, ...); `end` decides how the run ended. A record of another program must leave
`is_known` false and say nothing, and then the file is none of this agent's. The same records give the run and its
steps.

Steps come in the order in which they began. What waits for an answer, or for the tokens of its message, holds up those
behind it, until MAX_WAITING steps or MAX_CHARACTERS of text wait: then it goes on without.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from sitegen.model import ModelUsage, Outcome, ResultKey, Run, Score, Status, TextKind, Texts, Tokens
from sitegen.readers.common.call_counts import CallCounts
from sitegen.readers.common.characters import checked
from sitegen.readers.common.fields import Kinds, Rows, indented
from sitegen.readers.common.given import given, prompt_digest
from sitegen.readers.common.stated import Counts, Reading, Stated
from sitegen.readers.common.tool_names import kind_of, path_of, program_of, target_of
from sitegen.readers.common.values import Caveats, beginning
from sitegen.steps import Step, StepKind, ToolCall, ToolKind

MAX_WAITING = 500
MAX_CHARACTERS = 8_000_000
MAX_TEXT = 100_000
"""Characters of a text, an input or an answer that a step holds."""
MAX_ERRORS = 50
MAX_MODELS = 50
MAX_KINDS = 1_000
"""Of records that are counted."""
MAX_UNKNOWN = 20
"""Fields and kinds of records that a run names as unknown."""
_OF_A_FILE = (ToolKind.READ, ToolKind.EDIT)
_COUNTED = "run"
"""The locator of a run whose steps are counted."""
_STOPPED = (
    (re.compile(r"usage limit|rate.?limit|quota|too many requests|\b429\b|out of credits", re.I), "usage limit"),
    (
        re.compile(r"not logged in|authenticat|unauthori[sz]ed|api key|token has expired|\b401\b|/login", re.I),
        "not logged in",
    ),
    (re.compile(r"\b5[0-9]{2}\b|overloaded|stream disconnected|timed? ?out|connection", re.I), "API error"),
)
"""What the message of an error says of surroundings that ended a run."""


@dataclass(slots=True, eq=False)
class _Begun:
    """A step that has begun."""

    kind: StepKind
    place: int
    text: str
    at_ms: int | None
    model: str | None
    message_id: str | None = None
    id: str = ""
    name: str = ""
    tool: ToolKind = ToolKind.OTHER
    given: Mapping[str, Any] | None = None
    result: str | None = None
    failed: bool | None = None
    denied: bool = False
    exit_code: int | None = None
    answered_ms: int | None = None
    changes: str = ""
    tokens: Tokens | None = None
    context: int | None = None
    waits: bool = False
    """For its answer."""
    is_told: bool = True
    """Whether what its message used is known, or nobody will say."""

    @property
    def size(self) -> int:
        """Characters that it holds in memory, about."""
        given = self.given.values() if self.given else ()
        return len(self.text) + len(self.result or "") + sum(len(each) for each in given if isinstance(each, str))

    def step(self, number: int, *, contents: bool) -> Step:
        """The step, with inputs and answers where `contents` are asked for."""
        return Step(
            number,
            self.kind,
            self.place,
            _shortened(self.text),
            _bytes(self.text),
            None if self.given is None else self._call(self.given, contents=contents),
            at_ms=self.at_ms,
            message_id=self.message_id,
            model=self.model,
            tokens=self.tokens,
            context_tokens=self.context,
        )

    def _call(self, given: Mapping[str, Any], *, contents: bool) -> ToolCall:
        is_edit = self.tool is ToolKind.EDIT and self.failed is False and bool(self.changes)
        return ToolCall(
            self.id,
            self.name,
            self.tool,
            (path_of(given) if self.tool in _OF_A_FILE else None) or target_of(given),
            purpose if "command" in given and isinstance(purpose := given.get("description"), str) else "",
            program_of(given) if self.tool is ToolKind.RUN else "",
            indented(given, MAX_TEXT) if contents else "",
            _shortened(self.result) if contents and self.result is not None else None,
            _bytes(self.result or ""),
            self.failed,
            self.denied,
            self.exit_code,
            self.answered_ms,
            _shortened(self.changes) if contents else "",
            _lines(self.changes, "+") if is_edit else None,
            _lines(self.changes, "-") if is_edit else None,
        )


class Pieces:
    """A text that comes in pieces; of more than MAX_CHARACTERS the later ones are left out."""

    __slots__ = ("_parts", "_size")

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._size = 0

    def add(self, text: str) -> None:
        """The next piece."""
        if self._size < MAX_CHARACTERS:
            self._parts.append(text)
            self._size += len(text)

    def are(self, text: str) -> bool:
        """Whether this is the whole text."""
        return self._size == len(text) and "".join(self._parts) == text

    def take(self) -> str:
        """The whole text, of which nothing is kept."""
        text = "".join(self._parts)
        self._parts, self._size = [], 0
        return text


class Trace:
    """What is known so far of the run of a file."""

    title = ""
    """What was read, in words: `Run.reader`."""
    knows: frozenset[str] = frozenset()
    """Kinds of records that are read, or known to say nothing; empty where records have no kind."""
    kinds_of_fields: Kinds = MappingProxyType({})
    """What the further fields are, where their names do not say it as usual; see docs/readers.md."""
    thinks_aloud = False
    """Whether its last thought is its account where it says nothing else."""
    last_thought: str | None = None
    session_title: str | None = None
    usage_follows = False
    """Whether the records state what a message used behind its texts and calls."""
    reads = Reading()
    """How its counts of tokens are usually to be read."""

    def __init__(self) -> None:
        self.caveats = Caveats()
        self.is_known = False
        self.session_id: str | None = None
        self.version: str | None = None
        self.mode: str | None = None
        self._prompt_digest: str | None = None
        self.model: str | None = None
        """Of what comes next."""
        self.status = Status.UNKNOWN
        self.detail: str | None = None
        self.turns: int | None = None
        self.cost_usd: float | None = None
        self.started_ms: int | None = None
        self.first_ms: int | None = None
        self.last_ms: int | None = None
        self.idle_ms = 0
        """Between the end of a turn and the prompt of the next one."""
        self.wall_ms: int | None = None
        """Where the file states it."""
        self.api_ms: int | None = None
        self.ledger: dict[str | None, Tokens] = {}
        self.is_lower_bound = False
        self._stated = Stated(self.reads)
        self.summary: str | None = None
        self.errors: dict[str, None] = {}
        self.results: list[ResultKey] = []
        self.fields: dict[str, object] = {}
        """What is listed besides, by its path in the file."""
        self.kinds: Counter[str] = Counter()
        self.name = ""
        """What its file is called, without folders and extension."""
        self.task: str | None = None
        self.attempt: int | None = None
        self.outcome: Outcome | None = None
        self.scores: list[Score] = []
        self.unknown: dict[str, None] = {}
        self.last_step: StepKind | None = None
        """What the step is that began last."""
        self._place = -1
        self._queue: deque[_Begun] = deque()
        self._waiting = 0
        self._open: dict[str, _Begun] = {}
        self._message: list[_Begun] = []
        """The steps of the message whose tokens are not told yet."""
        self._untold: Tokens | None = None
        """What a message without steps used."""
        self._steps = self._compactions = 0
        self._peak: int | None = None
        self._calls = CallCounts()

    def session(self, record: Mapping[str, Any]) -> str | None:  # noqa: ARG002
        """The id of the session that a record names, or begins; None where it goes on with the one before. The sessions
        of a file are different runs."""
        return None

    def take(self, record: Mapping[str, Any]) -> None:
        """Say what a record means."""
        raise NotImplementedError

    def end(self) -> None:
        """Say what is left after the last record, and decide how the run ended."""

    # What readers say.

    def strange(self, *names: str) -> None:
        """Nobody here knows these fields, or kinds of records."""
        for name in names:
            if len(self.unknown) < MAX_UNKNOWN:
                self.unknown[name[:100]] = None

    def hold_against(self, record: Mapping[str, Any], known: Set[str], where: str = "") -> None:
        """Which fields of a record are not `known`."""
        self.strange(*(where + name for name in record if name not in known))

    def at(self, ms: int | None) -> int | None:
        """Something happened at this time."""
        if ms is not None:
            self.first_ms = ms if self.first_ms is None else min(self.first_ms, ms)
            self.last_ms = ms if self.last_ms is None else max(self.last_ms, ms)
        return ms

    def resumed(self, ms: int | None) -> None:
        """A turn begins: the time before it was nobody's."""
        if ms is not None and self.last_ms is not None:
            self.idle_ms += max(ms - self.last_ms, 0)
        self.at(ms)

    def say(self, kind: StepKind, text: str, ms: int | None = None, message_id: str | None = None) -> None:
        """A step that is no call."""
        self._begin(_Begun(kind, self._place, text, ms, self.model, message_id))
        if kind is StepKind.TEXT:
            self.summary = text
        elif kind is StepKind.THINKING and self.thinks_aloud:
            self.last_thought = text
        self._compactions += kind is StepKind.COMPACTION

    def error(self, text: str, ms: int | None = None) -> None:
        """The agent or its API failed; the run may go on."""
        if text.strip():
            if len(self.errors) < MAX_ERRORS:
                self.errors[text] = None
            self.say(StepKind.API_ERROR, text, ms)

    def ask(
        self, id_: str, name: str, given: Mapping[str, Any], ms: int | None = None, message_id: str | None = None
    ) -> None:
        """A call; one without an id, or with that of an open one, is not answered."""
        tool = kind_of(name)
        begun = _Begun(StepKind.TOOL_CALL, self._place, "", ms, self.model, message_id, id_, name, tool, given)
        self._calls.asked(tool)
        if id_ and id_ not in self._open:
            begun.waits = True
            self._open[id_] = begun
        self._begin(begun)

    def is_open(self, id_: str) -> bool:
        """Whether a call waits for its answer."""
        return id_ in self._open

    @property
    def is_waiting(self) -> bool:
        """Whether any call does."""
        return bool(self._open)

    def answer(
        self,
        id_: str,
        result: str,
        ms: int | None = None,
        *,
        failed: bool = False,
        denied: bool = False,
        exit_code: int | None = None,
        changes: str = "",
        paths: Set[str] = frozenset(),
    ) -> None:
        """The answer of a call; `changes` are lines after `+` and `-`, `paths` what an edit changed."""
        begun = self._open.pop(id_, None)
        if begun is None:
            return
        begun.waits, begun.result, begun.failed, begun.denied = False, result, failed, denied
        begun.exit_code, begun.answered_ms, begun.changes = exit_code, ms, changes
        self._waiting += len(result)
        took = None if ms is None or begun.at_ms is None else ms - begun.at_ms
        self._calls.answered(begun.tool, _bytes(result), took, failed=failed)
        if begun.tool is ToolKind.EDIT and not failed:
            path = path_of(begun.given or {})
            self._calls.edited(paths or ({path} if path else set()))
            self._calls.changed((_lines(changes, "+"), _lines(changes, "-")) if changes else None)

    def counted(self, counts: Counts, *, context: bool = True) -> None:
        """What a record states that a message, or a part of the run, used; its file decides how that is to be read."""
        self.used(self._stated.take(self._line(), counts), context=context)

    def _line(self) -> str | None:
        """The line of the ledger for the model."""
        if self.model in self.ledger or len(self.ledger) < MAX_MODELS:
            return self.model
        self.caveats.add("W_LIMIT", f"The run names more than {MAX_MODELS} models; the later ones share a line.")
        return "other models"

    def used(self, tokens: Tokens, *, context: bool = True) -> None:
        """What a message, or a part of the run, used of the model; `context` says that it is one message. A reader
        says all of it here, or all of it by `counted`."""
        model = self._line()
        self.ledger[model] = self.ledger.get(model, Tokens()) + tokens
        sent = tokens.sent if context else None
        if sent is not None:
            self._peak = max(sent, self._peak or 0)
        if self._message:
            first = self._message[0]
            first.tokens, first.context = tokens if first.tokens is None else first.tokens + tokens, sent
        elif self.usage_follows:
            self._untold = tokens if self._untold is None else self._untold + tokens
        for begun in self._message:
            begun.is_told = True
        self._message.clear()

    def failure(self, text: str) -> tuple[Status, str]:
        """How a run ended whose last words are this message of an error."""
        start = text[:2_000]
        found = next((detail for pattern, detail in _STOPPED if pattern.search(start)), None)
        return (Status.STOPPED, found) if found else (Status.FAILED, "error")

    # What comes of it.

    def sessions(self, new: Callable[[], Trace], values: Iterable[Any]) -> Iterator[tuple[int, Trace]]:
        """The traces of the sessions among JSON values, each with its number: this one, and `new` ones for more."""
        traces = dict[int, Trace]()
        for place, record, number in _records(values, self.session):
            if number not in traces:
                if is_first := not traces or (set(traces) == {-1} and not self.is_known):
                    traces.clear()  # what stands before the first session may be about it
                traces[number] = self if is_first else new()
            traces[number].receive(record, place)
            for _ in traces[number]._ready():
                pass
        for number, trace in traces.items():
            for _ in trace.finished():
                pass
            if trace.is_known:
                yield number, trace

    def steps(
        self, values: Iterable[Any], *, contents: bool, session: int | None = None
    ) -> Generator[Step, None, Run | None]:
        """The steps of a run that was read before, one after the other; then the run."""
        for number, begun in enumerate(self.walk(values, session)):
            yield begun.step(number, contents=contents)
        return self.run() if self.is_known else None

    def walk(self, values: Iterable[Any], session: int | None = None) -> Iterator[_Begun]:
        """Take the records among JSON values, or in lists; their steps as they are complete. Of a file with several
        sessions only those of the one with that number."""
        for place, record, number in _records(values, self.session):
            if session is None or number == session:
                self.receive(record, place)
                yield from self._ready()
        yield from self.finished()

    def receive(self, record: Mapping[str, Any], place: int) -> None:
        """Take a record, which stands there in its file."""
        self._place = place
        self._count(record.get("type"))
        self.take(record)

    def finished(self) -> Iterator[_Begun]:
        """The steps that are left after the last record."""
        if self.is_known:
            self.end()
            self.ledger.update(self._stated.revised())
            self.is_lower_bound |= self._stated.contradict(self.caveats)
            yield from self._ready()
            yield from self._queue

    def _count(self, kind: object) -> None:
        if isinstance(kind, str) and (len(self.kinds) < MAX_KINDS or kind in self.kinds):
            self.kinds[kind[:100]] += 1
            if self.knows and kind not in self.knows:
                self.strange(kind)

    def _ready(self) -> Iterator[_Begun]:
        """The steps that are complete, with none before them that is not."""
        queue = self._queue
        while queue and (
            (queue[0].is_told and not queue[0].waits) or len(queue) > MAX_WAITING or self._waiting > MAX_CHARACTERS
        ):
            begun = queue.popleft()
            self._waiting -= begun.size
            if begun.waits:
                self._open.pop(begun.id, None)
            if not begun.is_told:
                self._message.remove(begun)
            yield begun

    def _begin(self, begun: _Begun) -> None:
        self._steps += 1
        self.last_step = begun.kind
        if begun.kind is StepKind.PROMPT and self._prompt_digest is None:
            self._prompt_digest = prompt_digest(begun.text)
        if self.usage_follows and begun.kind in (StepKind.TEXT, StepKind.THINKING, StepKind.TOOL_CALL):
            begun.is_told = False
            begun.tokens, self._untold = self._untold, None
            self._message.append(begun)
        self._queue.append(begun)
        self._waiting += begun.size

    def run(self) -> Run:
        """The run that the records tell of."""
        rows = Rows(self.caveats, self.kinds_of_fields)
        for kind, number in self.kinds.items():
            rows.add(f"records.{kind}", number)
        for name, value in self.fields.items():
            rows.add(name, value)
        lines = (ModelUsage(model, tokens) for model, tokens in self.ledger.items())
        wall = self.wall_ms
        if wall is None and self.first_ms is not None and self.last_ms is not None and self.last_ms > self.first_ms:
            wall = max(self.last_ms - self.first_ms - self.idle_ms, 0)
        started = self.first_ms if self.started_ms is None else self.started_ms
        counts = self._calls.counts(steps=self._steps, compactions=self._compactions, peak=self._peak)
        run = Run(
            reader=self.title,
            status=self.status,
            status_detail=self.detail,
            ledger=tuple(sorted(lines, key=lambda line: (-(line.tokens.output or 0), line.model or ""))),
            ledger_is_lower_bound=self.is_lower_bound,
            cost_usd=self.cost_usd,
            wall_ms=wall,
            api_ms=self.api_ms,
            turns=self.turns,
            session_id=self.session_id,
            session_title=self.session_title,
            results=tuple(self.results),
            started_at=None if started is None else f"{datetime.fromtimestamp(started / 1000, UTC):%Y-%m-%dT%H:%M:%SZ}",
            agent_version=self.version,
            given=given(mode=self.mode, prompt=self._prompt_digest),
            task=self.task,
            attempt=self.attempt,
            outcome=self.outcome,
            scores=tuple(self.scores),
            unknown=tuple(sorted(self.unknown)),
            steps=counts if self._steps else None,
            locator=_COUNTED if self._steps else None,
            texts=Texts(
                self.summary or self.last_thought,
                "the last message" if self.summary else "its last thought" if self.last_thought else None,
                tuple(self.errors),
                fields=rows.all(),
                field_kinds=rows.kinds,
                summary_kind=TextKind.ANSWER if self.summary else TextKind.PROMPT,
            ),
        )
        return checked(run, self.caveats)


def _records(
    values: Iterable[Any], session_of: Callable[[Mapping[str, Any]], str | None]
) -> Iterator[tuple[int, dict[str, Any], int]]:
    """The objects among JSON values, or in lists, each with its place and the number of its session: -1 where none was
    named yet. Sessions may alternate, as where two processes write to one file."""
    place, number, numbers = -1, -1, dict[str, int]()
    for value in values:
        for record in value if isinstance(value, list) else (value,):
            if isinstance(record, dict):
                place += 1
                session = session_of(record)
                if session is not None:
                    number = numbers.setdefault(session, len(numbers))
                yield place, record, number


def _lines(changes: str, sign: str) -> int:
    return sum(line.startswith(sign) for line in changes.split("\n"))


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{beginning(text, MAX_TEXT)}…"
