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
from collections.abc import Generator, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from sitegen.errors import ReadError
from sitegen.model import ModelUsage, Part, Run, Status, Texts, Tokens, sum_complete
from sitegen.readers.claude import status as claude_status
from sitegen.readers.claude import texts as claude_texts
from sitegen.readers.claude.known import unknown
from sitegen.readers.claude.ledger import combined, grown_usd, keys, processes, say_unequal_sums
from sitegen.readers.claude.steps import ClaudeTrace
from sitegen.readers.common.characters import checked
from sitegen.readers.common.fields import Rows
from sitegen.readers.common.given import given
from sitegen.readers.common.json_text import TERMINAL_CODE, JsonText
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
        caveats = Caveats()
        text = _json_text(file, caveats, is_known=locator is not None)
        kept, walk = _Kept(), ClaudeTrace()
        for record in _records(text, kept):
            if locator is None:
                for _ in walk.feed(record):
                    pass
        if (run := _told(kept, text, caveats)) is not None:
            yield replace(run, locator=_ONLY) if locator else _with_steps(run, walk) if walk.has_steps else run

    def steps(
        self,
        file: RunFile,
        locator: str | None = None,
        known: Set[str] = frozenset(),
        *,
        contents: bool,
    ) -> Generator[Step, None, Run | None]:
        """The steps of the run, one after the other; then the run."""
        caveats = Caveats()
        text = _json_text(file, caveats, is_known=True)
        kept, walk, numbers = _Kept(), ClaudeTrace(set(known), contents=contents), count()
        for record in _records(text, kept):
            for begun in walk.feed(record):
                yield begun.step(next(numbers), contents=contents)
        for begun in walk.rest():
            yield begun.step(next(numbers), contents=contents)
        run = _told(kept, text, caveats)
        return run and replace(run, locator=locator)


def _json_text(file: RunFile, caveats: Caveats, *, is_known: bool) -> JsonText:
    return JsonText(file, caveats, skip='{"type":"stream_event"', is_known=is_known)


def _records(text: JsonText, kept: _Kept) -> Iterator[dict[str, Any]]:
    """The records, which are kept as far as they matter."""
    for value in text:
        kept.is_array |= isinstance(value, list)
        for record in value if isinstance(value, list) else (value,):
            if isinstance(record, dict):
                kept.take(record)
                yield record


def _told(kept: _Kept, text: JsonText, caveats: Caveats) -> Run | None:
    """The run of the records, when all have gone by; None when they are those of another program. Raises: ReadError."""
    if kept.is_foreign:
        return None
    if text.skipped:
        kept.kinds["stream_event"] += text.skipped
    if kept.results or kept.init:
        return _run(kept, caveats)
    if text.fault:
        raise text.fault
    kept.refuse()
    return None


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


def _run(kept: _Kept, caveats: Caveats) -> Run:
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
    else:
        results, unread = [], {}
        caveats.add("W_NO_RESULT", "The record breaks off before a result; what the run used is unknown.")
        run = replace(
            run,
            ledger=(ModelUsage(model, Tokens()),) if model else (),
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
    ledger = combined((part.ledger for part in parts), caveats)
    if "usage" in last.record and last.record["usage"] is None:
        caveats.add("W_MISSING", "The result's usage is empty.")
    status, detail = claude_status.decide(last, tuple(claude_texts.errors_of(last)), caveats)
    of_session = tuple(_parts(results, kept)) if len(results) > 1 else ()
    if status is Status.OK:
        status, detail = _of_all(of_session) or (status, detail)
    denied = claude_texts.denied(results)
    searches = sum_complete([line.web_searches for line in ledger])
    origin = (result.record.get("time_origin_ms") for result in results)
    run = replace(
        begun,
        status=status,
        status_detail=detail,
        ledger=ledger,
        ledger_is_lower_bound=any(part.is_lower_bound for part in parts),
        cost_usd=sum_complete([part.cost_usd for part in parts]),
        wall_ms=sum_complete([result.milliseconds("duration_ms") for result in results]),
        api_ms=sum_complete([part.api_ms for part in parts]),
        turns=sum_complete([result.count("num_turns") for result in results]),
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
