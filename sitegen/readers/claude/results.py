"""Reads what `claude -p` prints: the result object of every version, the `--verbose` array, stream-json lines.

The three are one thing: records, of which the results carry the figures. So the file is first boiled down to the few
records that matter (a stream may have ten thousand), and then told as one run. What adds up and what is a running
total is decided in `totals`, what a run says in `texts`.

Records are those of `messages`; besides:

| Record | Meaning |
|--|--|
| `system/init` | the beginning of a process: session, version, tools, permission mode |
| `result` | the end of a turn: `total_cost_usd`, `modelUsage`, `duration_ms`, `num_turns`, `result` (the account) |
| `stream_event` | a piece of a message, which comes as a whole later: only counted |
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sitegen import figures
from sitegen.errors import ReadError
from sitegen.model import (
    ModelUsage,
    Part,
    ResultKey,
    Run,
    Status,
    Texts,
    Tokens,
    replace,
    sum_complete,
)
from sitegen.readers.claude.endings import decide
from sitegen.readers.claude.fields import KINDS_OF_FIELDS, add_rows, unknown_names
from sitegen.readers.claude.messages import MODELS, OWNER, ClaudeMessages
from sitegen.readers.claude.sessions import ClaudeSession, SessionReader, Sessions
from sitegen.readers.claude.texts import (
    background_first,
    claim_of,
    denials_of,
    errors_of,
    texts_of_run,
)
from sitegen.readers.claude.totals import (
    Process,
    Turn,
    by_running_total,
    combined,
    cost_of,
    process_of,
    say_unequal_sums,
    sum_usages,
    usage_of,
    with_answers,
)
from sitegen.readers.common.builder import ONLY, FilePlace, Format
from sitegen.readers.common.endings import OPEN_CALL, Ending
from sitegen.readers.common.fields import Rows, given
from sitegen.readers.common.identity import Known
from sitegen.readers.common.ledger import without_zeros
from sitegen.readers.common.outline import FIRST_OBJECT
from sitegen.readers.common.record_reader import SESSION
from sitegen.readers.common.records import (
    Record,
    digest_of_record,
    object_of,
    objects_in,
    objects_of,
    text_of,
    texts_of,
    words,
)
from sitegen.readers.common.sizes import checked
from sitegen.readers.common.step_log import PendingStep
from sitegen.readers.common.values import Caveats, Fields, beginning, brief
from sitegen.readers.run_file import RunFile
from sitegen.text.times import utc_text

# It begins with a quotation mark, so that the search goes from one to the next.
_MARK = re.compile(
    rb'"(?:type\\?"\s*:\s*\\?"(?:result|system|assistant|user|error|rate_limit_event)|'
    rb'(?:num_turns|duration_api_ms|total_cost_usd|cost_usd|modelUsage)\\?"\s*:)',
    re.IGNORECASE,
)
_TYPES = ("assistant", "user", "system", "result")
_FIGURES = words("num_turns duration_api_ms total_cost_usd cost_usd modelUsage")
# Fields of a result that is the answer of a call, or leaves one to others.
_ANSWERS_BY_CALL = ("structured_output", "deferred_tool_use")
_MAX_LEVELS = 3  # lists and objects of others around the records
_MIN_FIGURES = 3  # the figures of a result that a record has which is nearly one
_MULTI_RESULT = (
    "The file holds {} results: durations and turns are summed; cost, tokens and API time are running totals, so the "
    "last value of each process is used."
)
_UNDECIDED = "Totals of a later process may go on from those of an earlier one: cost and tokens are lower bounds."
_NO_BEGINNING = "The beginning of its recording is missing: its calls are those of the rest."


class ClaudePrinted(ClaudeSession):
    """A session, of which the records that carry figures are held while the rest goes by."""

    format = Format(f"{OWNER} result", has_lanes=True, usage_follows=True, models=MODELS)

    def __init__(self, file: FilePlace, known: Known, *, is_array: bool, contents: bool) -> None:
        super().__init__(file)
        self.is_known = True
        self.messages = ClaudeMessages(self.run, known, contents=contents)
        self.is_array = is_array
        self.is_stream = False
        self.is_foreign = False
        """Whether another program wrote the records."""
        self.lacks_beginning = False
        """Whether answers stand before what a process prints first."""
        self.printed: list[Record] = []
        """The results."""
        self.init: Record = {}
        self.first_time: object = None
        """The time that stands before anything was done."""
        self.last_text: str | None = None
        self._has_marks = False  # whether there are records as only this program writes them
        self._near_miss: str | None = None

    @property
    def form(self) -> str:
        """A word for what was printed."""
        if self.is_array:
            return "array"
        return "stream" if self.is_stream else "result"

    def identifies(self, record: Record) -> bool:
        """Return whether it stands before the first result; most events of a stream are not read at all."""
        return not self.printed and record.get("type") != "stream_event"

    def read(self, record: Record) -> None:
        kind = record.get("type")
        identity = self.run.identity
        identity.session_id = identity.session_id or text_of(record, "session_id")
        is_foreign = _is_foreign(record)
        self.is_foreign |= is_foreign
        if kind == "result":
            self._keep_result(record, is_foreign=is_foreign)
        elif kind == "assistant":
            self._keep_text(record)
        elif kind == "system" and record.get("subtype") == "init":
            self.init = self.init or record
            self.run.marks.take_tools(record.get("tools"))
            self.first_time = self.first_time or record.get("timestamp")
        elif kind is None and record.get("role") == "system" and "cost_usd" in record:
            # Versions 0.2.x.
            self.printed.append(record)
        elif kind not in _TYPES and not is_foreign:
            self._note_near_miss(record)
        self.is_stream |= kind in ("system", "assistant", "user")
        self._has_marks |= "parent_tool_use_id" in record
        self.messages.read(record, None)

    def read_copy(self, record: Record) -> None:
        """Note that a result is there twice."""
        if self.printed and record == self.printed[-1]:
            self.printed.append(record)

    def refuse(self) -> None:
        """Raise ReadError when the records are of this family all the same."""
        if self._near_miss:
            raise ReadError("E_NOT_A_RUN", self._near_miss)
        if self._has_marks:
            what = "these are records of Claude Code, but neither their beginning nor a result is among them"
            raise ReadError("E_NOT_A_RUN", what)

    def _keep_result(self, record: Record, *, is_foreign: bool) -> None:
        has_figures = isinstance(record.get("result"), str) or bool(_FIGURES & record.keys())
        if has_figures and not is_foreign:
            self.printed.append(record)

    def _keep_text(self, record: Record) -> None:
        self.lacks_beginning |= not self.init and not self.is_array
        message = object_of(record, "message")
        blocks = objects_of(message, "content")
        text = texts_of([block for block in blocks if block.get("type") == "text"])
        is_main = record.get("parent_tool_use_id") is None
        if text and is_main and message.get("model") != "<synthetic>":
            self.last_text = text

    def _note_near_miss(self, record: Record) -> None:
        """Note a record that is nearly a result."""
        kind = record.get("type")
        error = object_of(record, "error")
        message = text_of(error, "message")
        if kind == "error":
            if message and text_of(error, "type"):
                what = f"an API error was printed instead of a result: {beginning(message, 2000)}"
                self._near_miss = self._near_miss or what
        elif len(_FIGURES & record.keys()) >= _MIN_FIGURES:
            self._near_miss = (
                f"this looks like a result of Claude Code, but its type is {brief(kind)}"
            )


def _is_foreign(record: Record) -> bool:
    """Return whether a record is of a program whose records look alike."""
    kind = record.get("type")
    subtype = record.get("subtype")
    session = text_of(record, "session_id")
    if session and session.startswith("T-"):
        return True  # amp
    if kind == "result":
        is_cursor = "request_id" in record and "num_turns" not in record
        return "stats" in record or is_cursor  # gemini, cursor-agent
    if kind == "system" and subtype == "init":
        return record.get("apiKeySource") == "login" and "tools" not in record  # cursor-agent
    return kind in ("tool_call", "thinking") and subtype is not None  # cursor-agent


class PrintedSessions(Sessions):
    """The records that processes printed, by session."""

    skip = '{"type":"stream_event"'

    def read(self) -> Iterator[tuple[str, Iterator[PendingStep]]]:
        self._sessions: dict[str, ClaudePrinted] = {}
        self._place = ""
        self._places: dict[str, str] = {}
        self._named: set[str] = set()
        self._running: dict[str, None] = {}
        for value in self.text:
            for unpacked in _unpacked(value):
                record = unpacked if unpacked.get("type") in _TYPES else _of_sdk(unpacked)
                place = self._place = self._place_of(record)
                session = self._session_at(place, is_array=isinstance(value, list))
                if record.get("type") == "result":
                    self._running.pop(place, None)
                session.add_record(record, session.run.place + 1)
                yield place, session.run.steps.ready()

    def session_at(self, place: str) -> ClaudeSession | None:
        return self._sessions.get(place)

    def runs(self, wanted: str | None) -> Iterator[tuple[str, Run]]:  # noqa: ARG002
        sessions = self._sessions
        if any(session.is_foreign for session in sessions.values()):
            return
        places = [place for place, session in sessions.items() if session.printed or session.init]
        if places and self.text.skipped:
            sessions[places[0]].run.kinds["stream_event"] += self.text.skipped
        for place in places:
            caveats = self.caveats if len(places) == 1 else Caveats()
            run = _printed_run(sessions[place], caveats)
            if len(sessions) > 1:
                run = replace(run, locator=place or f"{SESSION}0")
            yield place, run
        if places:
            return
        if self.text.fault:
            raise self.text.fault
        for session in sessions.values():
            session.refuse()

    def _place_of(self, record: Record) -> str:
        """Return the place of the session of a record: a new one begins when the one before has ended, or with another
        beginning."""
        place = self._place
        has_ended = place in self._sessions and place not in self._running
        session = record.get("session_id")
        if not isinstance(session, str) or not session:
            # Of several processes, one that goes on.
            return next(iter(self._running), place) if has_ended else place
        is_result = record.get("type") == "result"
        # Hooks may name an earlier one.
        if session not in self._places and (is_result or record.get("subtype") == "init"):
            is_another = has_ended or (not is_result and place in self._named)
            self._places[session] = f"{SESSION}{len(self._sessions)}" if is_another else place
            self._named.add(self._places[session])
        return self._places.get(session, place)

    def _session_at(self, place: str, *, is_array: bool) -> ClaudePrinted:
        if place not in self._sessions:
            self._running[place] = None
            self._sessions[place] = ClaudePrinted(
                self.place, self.known, is_array=is_array, contents=self.contents
            )
        return self._sessions[place]


class ClaudeReader(SessionReader):
    """The reader of the `claude -p` family."""

    name = "claude"
    sessions = PrintedSessions

    def matches(self, file: RunFile) -> bool:
        """Return whether an object with a field of this family begins at the start of a line."""
        head = file.plain_head
        first = FIRST_OBJECT.search(head)
        return first is not None and _MARK.search(head, first.start()) is not None


def _unpacked(value: object, levels: int = _MAX_LEVELS) -> Iterator[dict[str, Any]]:
    """Yield the records in a value: itself, or those in lists, as of `jq -s`, and under keys of others, as of tasks."""
    if isinstance(value, list):
        for inner in value if levels else ():
            if isinstance(inner, dict) and "type" in inner:
                yield inner
            else:
                yield from _unpacked(inner, levels - 1)
    elif isinstance(value, dict):
        holders = [] if _is_record(value) else list(filter(_has_result, value.values()))
        for holder in holders:
            yield from _unpacked(holder, levels - 1)
        if not holders:
            yield value


def _is_record(value: dict[str, Any]) -> bool:
    return "type" in value or _is_of_sdk(value)


def _has_result(value: object) -> bool:
    return any(record.get("type") == "result" for record in objects_in([value]))


def _is_of_sdk(record: Record) -> bool:
    has_figures = "duration_api_ms" in record and "num_turns" in record
    return record.get("type") in (None, "ResultMessage") and has_figures


def _of_sdk(record: dict[str, Any]) -> dict[str, Any]:
    """Return a result that the SDK for Python made, as the program writes it."""
    if not _is_of_sdk(record):
        return record
    usage = record.get("model_usage", record.get("modelUsage"))
    rest: dict[str, Any] = {}
    for name, value in record.items():
        if name != "model_usage" and value is not None:
            rest[name] = value
    return rest | {"type": "result"} | ({"modelUsage": usage} if usage else {})


def _printed_run(session: ClaudePrinted, caveats: Caveats) -> Run:
    """Return the run that the records of a session tell of."""
    init = Fields(session.init, caveats, "init.")
    model = init.text("model")
    builder = session.run
    builder.title = f"{OWNER} {session.form}"
    run = Run(
        reader=builder.title,
        status=Status.INTERRUPTED,
        session_id=init.text("session_id"),
        agent_version=init.text("claude_code_version"),
        effort=builder.efforts(),
        given=given(mode=init.text("permissionMode"), tools=session.init.get("tools")),
        started_at=utc_text(session.first_time),
        unknown=unknown_names(builder.kinds, session.printed[-1] if session.printed else {}),
    )
    results = [Fields(record, caveats) for record in _distinct(session.printed)]
    unread: Record = {}
    lacks_turns = False
    if results:
        _say_how_many(len(results), len(session.printed), caveats)
        run, unread = _with_results(run, results, session, model, caveats)
        lacks_turns = _lacks_turns(session, run, len(results))
        if lacks_turns:
            caveats.add("W_MISSING", _NO_BEGINNING)
        if session.messages.unsettled and not session.is_array:
            run = _with_unsettled(run, session.messages, caveats)
    else:
        run = _without_result(run, session, model, caveats)
    facts: dict[str, object] = {}
    if session.is_stream:
        facts["results"] = (*run.results, *builder.beginnings())
    if session.has_steps:
        facts |= _facts_of_steps(run, session, lacks_turns=lacks_turns)
    facts["reader"] = builder.reader_of(run.ledger, caveats)
    rows = Rows(caveats, KINDS_OF_FIELDS)
    add_rows(rows, builder.kinds, results, init, run.texts, unread)
    texts = replace(run.texts, fields=rows.all(), field_kinds=tuple(rows.kinds))
    return checked(replace(run, texts=texts, **facts), caveats)


def _say_how_many(results: int, printed: int, caveats: Caveats) -> None:
    if results > 1:
        caveats.add("W_MULTI_RESULT", _MULTI_RESULT.format(results))
    elif printed > 1:
        text = f"The same result is in the file {printed} times; it counts once."
        caveats.add("W_MULTI_RESULT", text)


def _lacks_turns(session: ClaudePrinted, run: Run, results: int) -> bool:
    """Return whether its results count turns that are not in it."""
    turns = session.messages.answer_ids.turns[""]
    return session.lacks_beginning and (run.turns or 0) - results > turns


def _without_result(run: Run, session: ClaudePrinted, model: str | None, caveats: Caveats) -> Run:
    """Return the run of a recording that ends before a result, as its answers count it."""
    counted = session.run.build()
    has_usage = counted.tokens.total is not None
    usage = "usage is a lower bound" if has_usage else "usage is unknown"
    caveats.add("W_NO_RESULT", f"The recording ends before a result, so {usage}.")
    unknown_usage = (ModelUsage(model, Tokens()),) if model else ()
    text = session.last_text
    return replace(
        run,
        ledger=counted.ledger if has_usage else unknown_usage,
        ledger_is_lower_bound=has_usage,
        answers=session.run.tokens.digests(),
        texts=Texts(text, "the last message" if text else None),
    )


def _facts_of_steps(run: Run, session: ClaudePrinted, *, lacks_turns: bool) -> dict[str, object]:
    """Return the fields of a run that its steps tell."""
    builder = session.run
    edits = builder.tools.edits
    parts = tuple(replace(part, edits=edits[number]) for number, part in enumerate(run.parts))
    steps = builder.counts()
    if lacks_turns:
        steps = replace(
            steps, tool_failures=None, edited=None, lines_added=None, lines_removed=None
        )
    return {"steps": steps, "parts": parts, "locator": ONLY, "cwd": builder.cwd}


def _with_results(
    run: Run, results: list[Fields], session: ClaudePrinted, model: str | None, caveats: Caveats
) -> tuple[Run, Record]:
    """Return the run with all that its results say, and what `modelUsage` says besides."""
    last = results[-1]
    cache_in_input = session.messages.cache_in_input
    turns = [Turn(result, usage_of(result, cache_in_input=cache_in_input)) for result in results]
    groups, is_undecided = by_running_total(turns, one=session.is_array)
    if is_undecided:
        caveats.add("W_TOTALS", _UNDECIDED)
    processes = [
        process_of(group, model, caveats, cache_in_input=cache_in_input) for group in groups
    ]
    ledger = list(combined((process.ledger for process in processes), caveats))
    if "usage" in last.record and last.record["usage"] is None:
        caveats.add("W_MISSING", "The result's usage is empty.")
    ending = decide(last, tuple(errors_of(last)), caveats)
    keys, parts = zip(*_parts(groups, last, ending), strict=True)
    status, detail = _ending_of_all(ending, parts, last, ends_in_call=session.messages.ends_in_call)
    number = sum_complete([result.count("num_turns") for result in results])
    if session.last_text or (status is Status.OK and (number or 0) > len(results)):
        ledger = without_zeros(ledger, caveats)
    run = replace(
        run,
        status=status,
        status_detail=detail,
        turns=number,
        ledger=tuple(ledger),
        ledger_is_lower_bound=is_undecided or any(part.is_lower_bound for part in processes),
        results=keys,
        parts=parts if len(results) > 1 else (),
        answers=session.run.tokens.digests()[:1],
        is_stated=True,
        is_end=session.lacks_beginning,
        **_facts_of_cost(ledger, processes, is_undecided=is_undecided),
        **_facts_of_session(run, results, caveats),
        **_facts_of_usage(ledger, turns, is_one=len(processes) == 1),
        texts=texts_of_run(results, session.last_text, caveats),
    )
    say_unequal_sums(run, caveats)
    return run, processes[-1].unread


def _ending_of_all(
    ending: Ending, parts: Sequence[Part], last: Fields, *, ends_in_call: bool
) -> Ending:
    """Return how a session ended whose last result states success: a part may not have come to its own end."""
    if ending[0] is not Status.OK:
        return ending
    ending = _ending_of_earlier(parts) or ending
    leaves_call = ends_in_call and last.record.keys().isdisjoint(_ANSWERS_BY_CALL)
    return OPEN_CALL if leaves_call and ending[0] is Status.OK else ending


def _ending_of_earlier(parts: Sequence[Part]) -> Ending | None:
    """Return how the first part ended that did not come to its own end."""
    for number, part in enumerate(parts):
        if part.status is not Status.OK:
            resumed = len(parts) - 1 - number
            times = "once" if resumed == 1 else f"{resumed} times"
            return part.status, f"{part.status_detail or part.status.value}, then resumed {times}"
    return None


def _facts_of_cost(
    ledger: Iterable[ModelUsage], processes: Sequence[Process], *, is_undecided: bool
) -> dict[str, object]:
    """Return the cost and the time in the API of the processes."""
    cost = sum_complete([process.cost_usd for process in processes])
    totals = {line.tokens.total for line in ledger}
    is_unknown = cost == 0 and totals == {None}
    return {
        "cost_usd": None if is_unknown else cost,
        "cost_is_lower_bound": is_undecided and cost is not None,
        "api_ms": sum_complete([process.api_ms for process in processes]),
    }


def _facts_of_session(run: Run, results: Sequence[Fields], caveats: Caveats) -> dict[str, object]:
    """Return what results say of the session, and of each turn."""
    last = results[-1]
    denied = denials_of(results)
    if "session_id" not in last.record:
        caveats.add("W_MISSING", "The result has no session id.")
    elif last.record["session_id"] is None:
        caveats.add("W_TYPE", "session_id is null.")
    started = (utc_text(result.record.get("time_origin_ms")) for result in results)
    structured = background_first(results)[-1].record.get("structured_output")
    return {
        "wall_ms": sum_complete([result.milliseconds("duration_ms") for result in results]),
        "denials": None if denied is None else len(denied),
        "session_id": last.text("session_id") or run.session_id,
        "uuid": last.text("uuid"),
        "started_at": next(filter(None, started), run.started_at),
        "claimed": claim_of(structured),
    }


def _facts_of_usage(
    ledger: Iterable[ModelUsage], turns: Sequence[Turn], *, is_one: bool
) -> dict[str, object]:
    """Return what turns say of the main loop; `is_one` says that one process wrote them."""
    usages = [turn.usage for turn in turns]
    searches = sum_complete([line.web_searches for line in ledger])
    if searches is None:
        searches = sum_complete([usage.web_searches for usage in usages])
    rates = frozenset.intersection(*(usage.billed_as for usage in usages))
    return {
        "process_usage": sum_usages(usages) if is_one else None,
        "web_searches": searches,
        "web_fetches": sum_complete([usage.web_fetches for usage in usages]),
        "service_tier": usages[-1].service_tier,
        "hour_writes": sum_complete([usage.tokens.cache_write_1h for usage in usages]),
        "billed_as": tuple(sorted(rates)),
    }


def _with_unsettled(run: Run, messages: ClaudeMessages, caveats: Caveats) -> Run:
    """Return the run with what it did after its last result. If its main agent went on, then it broke off."""
    answers = messages.unsettled
    late = f"It continues for {figures.plural(len(answers), 'answer')} after its last result"
    caveats.add("W_NO_RESULT", f"{late}; cost and tokens are lower bounds.")
    ledger = with_answers(run.ledger, answers)
    run = replace(run, ledger=ledger, ledger_is_lower_bound=True, cost_is_lower_bound=True)
    if messages.unsettled_main_answers == 0:
        return run
    wall_ms = sum_complete((run.wall_ms, messages.unsettled_ms))
    turns = sum_complete((run.turns, messages.unsettled_main_answers))
    return replace(run, status=Status.INTERRUPTED, status_detail=None, wall_ms=wall_ms, turns=turns)


def _parts(
    groups: Iterable[Sequence[Turn]], last: Fields, ending: Ending
) -> Iterator[tuple[ResultKey, Part]]:
    """Yield what identifies each result, its uuid or all of it, and what it says of its part of the session; what is
    odd about it was said. The cost of a part is what its running total has grown by. `ending` is that of the last."""
    for turns in groups:
        before: float | None = 0.0
        for turn in turns:
            fields = Fields(turn.record)
            cost = cost_of(fields)
            if turn.result is not last:
                ending_of_part = decide(fields, tuple(errors_of(fields)), Caveats())
            else:
                ending_of_part = ending
            number = fields.count("num_turns")
            took_ms = fields.milliseconds("duration_ms")
            grown = None if before is None or cost is None else cost - before
            key = fields.text("uuid") or digest_of_record(fields.record)
            part = Part(*ending_of_part, number, took_ms, grown)
            yield ResultKey(key, cost, took_ms, number), part
            before = cost


def _distinct(records: Iterable[Record]) -> list[Record]:
    """Return the results without repetitions of one that was written twice, in the order of the file."""
    distinct: dict[object, Record] = {}
    for record in records:
        uuid = record.get("uuid")
        names = ("session_id", "total_cost_usd", "duration_ms", "num_turns", "result")
        figures_of = tuple(str(record.get(name)) for name in names)
        distinct[uuid if isinstance(uuid, str) else figures_of] = record
    return list(distinct.values())
