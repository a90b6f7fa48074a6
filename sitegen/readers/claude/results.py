"""Reads what `claude -p` prints: the result object of every version, the `--verbose` array, stream-json lines.

The three are one thing: records, of which the results carry the figures. So the file is first boiled down to the few
records that matter (a stream may have ten thousand), and then told as one run. What adds up and what is a running
total is decided in one place, `_Process`: within a process of the agent cost, tokens by model and API time run on from
result to result, while times, turns and `usage` are those of one turn.

The figures come from `modelUsage`, which covers subagents and auxiliary calls; `usage` is the main loop only and stands
in, marked as a lower bound, where `modelUsage` is missing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import count, islice
from typing import Any

from sitegen import figures
from sitegen.errors import ReadError
from sitegen.model import ModelUsage, Part, Run, Status, Texts, Tokens, sum_complete
from sitegen.readers.claude import status as claude_status
from sitegen.readers.claude import texts as claude_texts
from sitegen.readers.claude.known import unknown
from sitegen.readers.claude.ledger import combined, grown_usd, keys, processes, say_unequal_sums, with_answers
from sitegen.readers.claude.steps import ClaudeTrace
from sitegen.readers.common.fields import Rows
from sitegen.readers.common.given import given
from sitegen.readers.common.json_text import TERMINAL_CODE, JsonText
from sitegen.readers.common.sizes import checked
from sitegen.readers.common.trace import Known, without_zeros
from sitegen.readers.common.values import Caveats, Fields, beginning, brief
from sitegen.readers.run_file import RunFile
from sitegen.steps import Step
from sitegen.times import utc_text

_BEGIN = re.compile(
    rb'(?:\A|\n)(?:%b|[ \t\r\xa0\xc2\xef\xbb\xbf\xff\xfe])*+"?(?:\[\s*)?\{\s*\\?"' % TERMINAL_CODE.pattern.encode()
)
_MARK = re.compile(
    rb'\\?"type\\?"\s*:\s*\\?"(?:result|system|assistant|user|error|rate_limit_event)|'
    rb'\\?"(?:num_turns|duration_api_ms|total_cost_usd|cost_usd|modelUsage)\\?"\s*:',
    re.IGNORECASE,
)
_ONLY = "run"
"""The locator of a run whose steps are counted."""
_SESSION = "session "
"""How the locator begins of a run whose file has several sessions, before its number."""
_TYPES = ("assistant", "user", "system", "result")
_FIGURES = ("num_turns", "duration_api_ms", "total_cost_usd", "cost_usd", "modelUsage")


class ClaudeReader:
    """The reader of the `claude -p` family."""

    name = "claude"

    def matches(self, file: RunFile) -> bool:
        """Whether an object with a field of this family begins at the start of a line."""
        head = file.plain_head
        begin = _BEGIN.search(head)
        return begin is not None and _MARK.search(head, begin.start()) is not None

    def read(self, file: RunFile, locator: str | None = None) -> Iterator[Run]:
        """One run, or nothing when the records are those of another program. Its steps are counted unless it is read
        again, by its locator.

        Raises: ReadError when the file is one of this family and holds no run.
        """
        return self.read_new(file, set(), locator)

    def read_new(self, file: RunFile, known: Known, locator: str | None = None) -> Iterator[Run]:
        """The same, without records and answers that are `known`; those that are new become known."""
        caveats = Caveats()
        text = _json_text(file, caveats, is_known=locator is not None)
        sessions: dict[str, tuple[_Kept, ClaudeTrace]] = {}
        for session, record, is_array in _records(text):
            if session not in sessions:
                sessions[session] = _Kept(is_array=is_array), ClaudeTrace(known)
            kept, trace = sessions[session]
            kept.take(record)
            for _ in trace.feed(record):
                pass
        for number, run in enumerate(_told(sessions, text, caveats)):
            place = f"{_SESSION}{number}" if len(sessions) > 1 else _ONLY if run.steps or locator else None
            if locator in (None, place, _ONLY):
                yield run if run.locator == place else replace(run, locator=place)

    def steps(
        self, file: RunFile, locator: str | None = None, known: Set[str | int] = frozenset(), *, contents: bool
    ) -> Generator[Step, None, Run | None]:
        """The steps of the run, one after the other; then the run."""
        caveats = Caveats()
        text = _json_text(file, caveats, is_known=True)
        wanted = int(locator.removeprefix(_SESSION)) if locator and locator.startswith(_SESSION) else 0
        if wanted < 0:  # other readers give this number to what stands before the first session
            return None
        sessions: dict[str, tuple[_Kept, ClaudeTrace]] = {}
        numbers = count()
        for session, record, is_array in _records(text):
            if session not in sessions:
                sessions[session] = _Kept(is_array=is_array), ClaudeTrace(set(known), contents=contents)
            kept, trace = sessions[session]
            kept.take(record)
            for begun in trace.feed(record):
                if [*sessions][wanted : wanted + 1] == [session]:
                    yield begun.step(next(numbers), contents=contents)
        for begun in [*sessions.values()][wanted][1].rest() if len(sessions) > wanted else ():
            yield begun.step(next(numbers), contents=contents)
        run = next(islice(_told(sessions, text, caveats), wanted, None), None)
        return run and replace(run, locator=locator)


def _json_text(file: RunFile, caveats: Caveats, *, is_known: bool) -> JsonText:
    return JsonText(file, caveats, skip='{"type":"stream_event"', is_known=is_known)


def _records(text: JsonText) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """The records, each with its session, or that of the one before, and whether it is in a list."""
    session, names, ended = "", dict[str, str](), set[str]()
    for value in text:
        for record in value if isinstance(value, list) else (value,):
            if isinstance(record, dict):
                known = record if record.get("type") in _TYPES else _of_sdk(record)
                named, is_result = known.get("session_id"), known.get("type") == "result"
                if isinstance(named, str) and named:
                    if is_result or known.get("subtype") == "init":  # hooks may name an earlier session
                        names.setdefault(named, named if session in ended else session)
                    session = names.get(named, session)
                if is_result:
                    ended.add(session)
                yield session, known, isinstance(value, list)


def _of_sdk(record: dict[str, Any]) -> dict[str, Any]:
    """A result that the SDK for Python made, as the program writes it."""
    if record.get("type") in (None, "ResultMessage") and "duration_api_ms" in record and "num_turns" in record:
        usage = record.get("model_usage", record.get("modelUsage"))
        rest = {name: value for name, value in record.items() if name != "model_usage" and value is not None}
        return rest | {"type": "result"} | ({"modelUsage": usage} if usage else {})
    return record


def _told(sessions: Mapping[str, tuple[_Kept, ClaudeTrace]], text: JsonText, caveats: Caveats) -> Iterator[Run]:
    """The runs of the records, when all have gone by; none when they are those of another program.

    Raises: ReadError.
    """
    if any(kept.is_foreign for kept, _ in sessions.values()):
        return
    told = [(kept, trace) for kept, trace in sessions.values() if kept.results or kept.init]
    if text.skipped and told:
        told[0][0].kinds["stream_event"] += text.skipped
    for kept, trace in told:
        yield _with_steps(_run(kept, trace, caveats if len(told) == 1 else Caveats()), trace)
    if not told and text.fault:
        raise text.fault
    for kept, _ in sessions.values() if not told else ():
        kept.refuse()


@dataclass(slots=True)
class _Kept:
    """What is kept of a file's records while the rest goes by."""

    results: list[dict[str, Any]] = field(default_factory=list)
    init: dict[str, Any] = field(default_factory=dict)
    last_text: str | None = None
    """Of the main agent, written by a model."""
    first_time: object = None
    """A time that stands before anything was done."""
    kinds: Counter[str] = field(default_factory=Counter)
    is_array: bool = False
    is_foreign: bool = False
    is_stream: bool = False
    lacks_beginning: bool = False
    """Whether answers stand before what a process prints first."""
    has_marks: bool = False
    """Whether there are records as only this program writes them."""
    near_miss: str | None = None

    def take(self, record: dict[str, Any]) -> None:
        kind, subtype = record.get("type"), record.get("subtype")
        self.kinds[f"{kind}/{subtype}" if kind == "system" and isinstance(subtype, str) else str(kind)] += 1
        session = record.get("session_id")
        if isinstance(session, str) and session.startswith("T-"):  # amp
            self.is_foreign = True
        elif kind == "result":
            self._take_result(record)
        elif kind == "assistant":
            self.lacks_beginning |= not self.init and not self.is_array
            self._take_message(record)
        elif kind == "system" and subtype == "init":
            self.is_foreign |= record.get("apiKeySource") == "login" and "tools" not in record  # cursor-agent
            self.init = self.init or record
            self.first_time = self.first_time or record.get("timestamp")
        elif kind is None and record.get("role") == "system" and "cost_usd" in record:  # versions 0.2.x
            self.results.append(record)
        elif kind == "error":
            self.near_miss = self.near_miss or _api_error(record.get("error"))
        elif kind in ("tool_call", "thinking") and subtype is not None:  # cursor-agent
            self.is_foreign = True
        elif sum(name in record for name in _FIGURES) > 2:
            self.near_miss = f"this looks like a result of Claude Code, but its type is {brief(kind)}"
        self.is_stream |= kind in ("system", "assistant", "user")
        self.has_marks |= "parent_tool_use_id" in record

    def _take_result(self, record: dict[str, Any]) -> None:
        if "stats" in record or ("request_id" in record and "num_turns" not in record):  # gemini; cursor-agent
            self.is_foreign = True
        elif isinstance(record.get("result"), str) or any(name in record for name in _FIGURES):
            self.results.append(record)

    def _take_message(self, record: dict[str, Any]) -> None:
        message = record.get("message")
        if record.get("parent_tool_use_id") is not None or not isinstance(message, dict):
            return
        content = message.get("content")
        if message.get("model") == "<synthetic>" or not isinstance(content, list):
            return
        texts = [block.get("text") for block in content if isinstance(block, dict) and block.get("type") == "text"]
        if text := "\n\n".join(text for text in texts if isinstance(text, str) and text.strip()):
            self.last_text = text

    def refuse(self) -> None:
        """Raise ReadError when the records are of this family all the same."""
        if self.near_miss:
            raise ReadError("E_NOT_A_RUN", self.near_miss)
        if self.has_marks:
            what = "these are records of Claude Code, but neither their beginning nor a result is among them"
            raise ReadError("E_NOT_A_RUN", what)


def _api_error(error: object) -> str | None:
    """What to say of an error object of the API; None when it is of another kind."""
    if not isinstance(error, dict) or not isinstance(error.get("type"), str):
        return None
    message = error.get("message")
    if not isinstance(message, str):
        return None
    return f"an API error was printed instead of a result: {beginning(message, 2000)}"


def _run(kept: _Kept, trace: ClaudeTrace, caveats: Caveats) -> Run:
    """The run that the records tell of."""
    init = Fields(kept.init, caveats, "init.")
    model = init.text("model")
    kind = "array" if kept.is_array else "stream" if kept.is_stream else "result"
    run = Run(
        reader=f"Claude Code {kind}",
        status=Status.INTERRUPTED,
        session_id=init.text("session_id"),
        agent_version=init.text("claude_code_version"),
        given=given(mode=init.text("permissionMode"), tools=kept.init.get("tools")),
        started_at=utc_text(kept.first_time),
        unknown=unknown(kept.kinds, kept.results[-1] if kept.results else {}),
    )
    rows = Rows(caveats, claude_texts.KINDS_OF_FIELDS)
    if kept.results:
        results = [Fields(record, caveats) for record in _distinct(kept.results)]
        if len(kept.results) > 1:
            caveats.add("W_MULTI_RESULT", _several(len(kept.results), len(results)))
        run, unread = _with_results(run, results, kept, model, caveats)
        if trace.unsettled and not kept.is_array:
            late = figures.plural(len(trace.unsettled), "answer")
            caveats.add("W_NO_RESULT", f"It breaks off {late} after its last result; cost and tokens are lower bounds.")
            ledger = with_answers(run.ledger, trace.unsettled)
            run = replace(run, ledger=ledger, ledger_is_lower_bound=True, cost_is_lower_bound=True)
        run = replace(run, answers=trace.digests[:1], is_stated=True, is_end=kept.lacks_beginning)
    else:
        results, unread = [], {}
        counted = trace.run()
        has_usage = counted.tokens.total is not None
        said = "what its messages used is a lower bound" if has_usage else "what the run used is unknown"
        caveats.add("W_NO_RESULT", f"The record breaks off before a result; {said}.")
        run = replace(
            run,
            ledger=counted.ledger if has_usage else (ModelUsage(model, Tokens()),) if model else (),
            ledger_is_lower_bound=has_usage,
            answers=trace.digests,
            texts=Texts(kept.last_text, "the last message" if kept.last_text else None),
        )
    shown = (run.texts.summary, *run.texts.errors)
    claude_texts.list_fields(rows, shown, results, init, kept.kinds, unread)
    return checked(replace(run, texts=replace(run.texts, fields=rows.all(), field_kinds=rows.kinds)), caveats)


def _with_results(
    begun: Run, results: list[Fields], kept: _Kept, model: str | None, caveats: Caveats
) -> tuple[Run, dict[str, Any]]:
    """The run with all that its results say, and what `modelUsage` says besides."""
    last = results[-1]
    parts = processes(results, one=kept.is_array, model=model, caveats=caveats)
    ledger = list(combined((part.ledger for part in parts), caveats))
    if "usage" in last.record and last.record["usage"] is None:
        caveats.add("W_MISSING", "The result's usage is empty.")
    status, detail = claude_status.decide(last, tuple(claude_texts.errors_of(last)), caveats)
    of_session = tuple(_parts(results, kept)) if len(results) > 1 else ()
    if status is Status.OK:
        status, detail = _of_all(of_session) or (status, detail)
    turns = sum_complete([result.count("num_turns") for result in results])
    if kept.last_text or (status is Status.OK and (turns or 0) > len(results)):
        ledger = without_zeros(ledger, caveats)
    cost = sum_complete([part.cost_usd for part in parts])
    denied = claude_texts.denied(results)
    searches = sum_complete([line.web_searches for line in ledger])
    origin = (result.record.get("time_origin_ms") for result in results)
    run = replace(
        begun,
        status=status,
        status_detail=detail,
        ledger=tuple(ledger),
        ledger_is_lower_bound=any(part.is_lower_bound for part in parts),
        cost_usd=None if cost == 0 and ledger and all(line.tokens.total is None for line in ledger) else cost,
        wall_ms=sum_complete([result.milliseconds("duration_ms") for result in results]),
        api_ms=sum_complete([part.api_ms for part in parts]),
        turns=turns,
        denials=None if denied is None else len(denied),
        web_searches=searches if searches is not None else sum_complete([part.usage.web_searches for part in parts]),
        web_fetches=sum_complete([part.usage.web_fetches for part in parts]),
        service_tier=parts[-1].usage.service_tier,
        hour_writes=sum_complete([part.usage.tokens.cache_write_1h for part in parts]),
        billed_as=tuple(sorted(frozenset.intersection(*(part.usage.billed_as for part in parts)))),
        session_id=_session(last, caveats) or begun.session_id,
        uuid=last.text("uuid"),
        results=keys(results),
        parts=of_session,
        started_at=next((at for ms in origin if (at := utc_text(ms))), begun.started_at),
        texts=claude_texts.texts(results, kept.last_text, caveats),
    )
    say_unequal_sums(run, caveats)
    return run, parts[-1].unread


def _of_all(parts: Sequence[Part]) -> tuple[Status, str] | None:
    """Status of a session of which a part did not come to its own end, though the last one did."""
    for number, part in enumerate(parts):
        if part.status is not Status.OK:
            resumed = len(parts) - 1 - number
            times = "once" if resumed == 1 else f"{resumed} times"
            return part.status, f"{part.status_detail or part.status.value}, then resumed {times}"
    return None


def _with_steps(run: Run, walk: ClaudeTrace) -> Run:
    """The run with what was counted of its steps."""
    if not walk.has_steps:
        return run
    parts = tuple(replace(part, edits=walk.edits[number]) for number, part in enumerate(run.parts))
    return replace(run, steps=walk.counts(), parts=parts, locator=_ONLY)


def _parts(results: list[Fields], kept: _Kept) -> Iterator[Part]:
    """What each result says of its part of the session; what is odd about it was said."""
    for result, grown in zip(results, grown_usd(results, one=kept.is_array), strict=True):
        fields = Fields(result.record, Caveats())
        ended = claude_status.decide(fields, tuple(claude_texts.errors_of(fields)), Caveats())
        yield Part(*ended, fields.count("num_turns"), fields.milliseconds("duration_ms"), grown)


def _distinct(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The results without repetitions of one that was written twice, in the order of the file."""
    found: dict[object, dict[str, Any]] = {}
    for record in records:
        uuid = record.get("uuid")
        same = ("session_id", "total_cost_usd", "duration_ms", "num_turns", "result")
        found[uuid if isinstance(uuid, str) else tuple(str(record.get(name)) for name in same)] = record
    return list(found.values())


def _several(written: int, distinct: int) -> str:
    if distinct == 1:
        return f"The same result stands in the file {written} times; it counts once."
    return (
        f"The file holds {distinct} results: durations and turns are summed; cost, tokens and API time are "
        "running totals, so the last value of each process is used."
    )


def _session(last: Fields, caveats: Caveats) -> str | None:
    if "session_id" not in last.record:
        caveats.add("W_MISSING", "The result has no session id.")
    elif last.record["session_id"] is None:
        caveats.add("W_TYPE", "session_id is null.")
    return last.text("session_id")
