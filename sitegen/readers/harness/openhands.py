"""Reads `output.jsonl` of OpenHands' evaluations: one instance a line, each a run.

What was sent has what was read from the cache in it. A cost of 0 is that of a model without a price, so it is
unknown. Events state their times without a zone, so it is known how long a run took and not when it was. `turns` are
answers of the model. Counts that are all 0 were never taken. An evaluation that was run afterwards may have written
its verdict into the line: `resolved`, or points. Events of the newer agent SDK have `kind` instead of `action`.

Reads conversations of OpenHands' agent SDK: `base_state.json` and `events/event-00000-<id>.json` and so on, an event
each, or the events as lines.

The events are one record, which is read with the first of them; the state is what the program says of it. Counts of
tokens and costs are those until then, for each use of a model, and stand in the state and again in events: the last
count, added over the uses. The prompt has in it what was read from the cache. A cost of 0 is that of a proxy without a
price. Times have no zone. `turns` are answers of the model. No whole conversation was seen: this follows a state, a few
events of a real conversation, and what is public of the SDK.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from sitegen.model import ModelUsage, Outcome, ResultKey, Score, Status, sum_complete
from sitegen.readers import run_file
from sitegen.readers.common.fields import field_kinds
from sitegen.readers.common.json_text import JsonText
from sitegen.readers.common.records import (
    is_true,
    known,
    lasted,
    object_at,
    object_of,
    objects_in,
    objects_of,
    text_at,
    text_of,
    text_or_empty,
    texts_in,
    value_at,
)
from sitegen.readers.common.roles import is_judge
from sitegen.readers.common.stated import Counts, counts_of
from sitegen.readers.common.trace import Record, Trace, changed_in, ends_of
from sitegen.readers.common.values import Caveats
from sitegen.readers.folders import FIRST_EVENT
from sitegen.readers.run_file import RunFile
from sitegen.steps import StepKind

_NAMES = {
    "run": "bash",
    "run_ipython": "exec",
    "browse": "fetch",
    "browse_interactive": "fetch",
    "delegate": "task",
}
_SILENT = known("openhands silent")
_CALLED = re.compile(r"\b(?:function|tool) '([A-Za-z_]{1,60})'")
_FINISH = "FinishAction"
_ATTEMPT = re.compile(r"critic_attempt_([0-9]{1,6})")


def parts(file: RunFile, caveats: Caveats) -> Iterator[Iterable[Any]]:
    """Yield a line for each run."""
    return ([record] for record in objects_in(JsonText(file, caveats)))


class OpenHands(Trace):
    """An instance, event by event."""

    title = "OpenHands run"
    parts = staticmethod(parts)
    is_whole = True
    thinks_aloud = True
    kinds_of_fields = field_kinds(fact="metadata.eval_note", content="test_result.git_patch")

    def take(self, record: Record) -> None:
        task = text_of(record, "instance_id")
        metadata = object_of(record, "metadata")
        if task is None or "history" not in record or not ("metrics" in record or metadata):
            return
        self.is_known = True
        self.task = task
        if found := _ATTEMPT.search(self.name):
            self.attempt = int(found[1])
        llm = object_of(metadata, "llm_config") or object_of(metadata, "llm")
        self.model = text_of(llm, "model") or text_at(object_of(metadata, "agent"), "llm.model")
        self.see_effort(
            metadata, "llm_config.reasoning_effort llm.reasoning_effort agent.llm.reasoning_effort"
        )
        history = record.get("history")
        events = list(objects_in(history)) if isinstance(history, list) else []
        for number, event in enumerate(events):
            self._take_event(event, number)
        metrics = object_of(record, "metrics")
        self._use(metrics)
        listed = (objects_of(metrics, name) for name in ("token_usages", "response_latencies"))
        answers = {id_ for event in events if (id_ := text_of(event, "llm_response_id"))}
        self.turns = next((len(each) for each in (*listed, answers) if each), None)
        result = object_of(record, "test_result")
        self._end(
            None if record.get("error") == (result.get("error") or "") else record.get("error"),
            events,
        )
        self._judge(result, object_of(result, "report") or object_of(record, "report"))
        self.submitted(text_of(result, "git_patch"))
        times = [time for event in events if (time := text_of(event, "timestamp"))]
        self.wall_ms = (
            lasted({"began": times[0], "ended": times[-1]}, "began", "ended") if times else None
        )
        if began := next(iter(times), None):
            self.results = [ResultKey(f"{task} {began}", self.cost_usd, None, self.turns)]
        self.list_fields(record, "test_result metadata")
        self.hold_against(record, "openhands")

    def _judge(self, result: Record, report: Record) -> None:
        """Set the verdict: that of a report, or the share of points reached; a check that failed says nothing of the
        agent."""
        points = (
            [object_of(result, "final_score")]
            if result.get("final_score")
            else objects_of(result, "checkpoints")
        )
        got, most = (
            sum(_number(each.get(name)) for each in points) for name in ("result", "total")
        )
        if isinstance(report.get("resolved"), bool):
            self.outcome = Outcome.PASS if report["resolved"] else Outcome.FAIL
        elif most > 0 and got >= 0:
            self.outcome = Outcome.PASS if got >= most else Outcome.PARTIAL if got else Outcome.FAIL
            self.scores = [Score("points", got / most, None, higher_is_better=True)]
        elif text_of(result, "error"):
            self.outcome = Outcome.ERROR

    def _take_event(self, event: Record, number: int) -> None:
        if kind := text_of(event, "kind"):
            self._take_kind(kind, event)
        elif action := text_of(event, "action"):
            self._take_action(action, event, number)
        elif what := text_of(event, "observation"):
            self._take_observation(what, event)

    def _take_action(self, action: str, event: Record, number: int) -> None:
        if action == "system":
            self.version = text_at(event, "args.openhands_version")
        if action in _SILENT:
            return
        args = object_of(event, "args")
        id_ = str(event.get("id", f"#{number}"))
        text = text_of(args, "thought") or text_or_empty(args, "content")
        if action == "message":
            self.say(StepKind.TEXT if event.get("source") == "agent" else StepKind.PROMPT, text)
            return
        if text.strip():
            self.say(StepKind.THINKING, text)
        if action in ("finish", "reject"):
            if (last := text_of(args, "final_thought")) and last != text:
                self.say(StepKind.TEXT, last)
        elif action != "think":
            given = {
                name: value
                for name, value in args.items()
                if name != "thought" and value not in (None, "")
            }
            self.ask(id_, _NAMES.get(action, action), given)

    def _take_observation(self, what: str, event: Record) -> None:
        id_, content, extras = (
            str(event.get("cause")),
            text_or_empty(event, "content"),
            object_of(event, "extras"),
        )
        if id_ not in self._open:
            if what != "error" or not (called := _CALLED.search(content[:1_000])):
                if what == "error":
                    self.say(StepKind.NOTICE, content)
                return
            id_ = f"refused {event.get('id')}"  # a call that OpenHands could not read is told by its error alone
            self.ask(id_, called[1], {})
        failed = what == "error" or content.startswith("ERROR:")
        code = _exit_code(object_of(extras, "metadata"))
        self.answer(
            id_, content, failed=failed, exit_code=code, changes=changed_in(text_of(extras, "diff"))
        )

    def _take_kind(self, kind: str, event: Record, at: int | None = None) -> None:
        """Take an event of the newer SDK."""
        id_ = text_or_empty(event, "tool_call_id")
        message = text_of(event, "llm_response_id")
        if kind == "MessageEvent":
            text = texts_in(object_of(event, "llm_message"), "content")
            self.say(
                StepKind.TEXT if event.get("source") == "agent" else StepKind.PROMPT,
                text,
                at,
                message,
            )
        elif kind == "ActionEvent":
            if thought := text_of(event, "reasoning_content"):
                self.say(StepKind.THINKING, thought, at, message)
            if (text := texts_in(event, "thought")).strip():
                self.say(StepKind.THINKING, text, at, message)
            given = {
                name: value
                for name, value in object_of(event, "action").items()
                if name != "kind" and value
            }
            self.ask(id_, text_or_empty(event, "tool_name"), given, at, message)
            if value_at(event, "action.kind") == _FINISH and (last := text_of(given, "message")):
                self.say(StepKind.TEXT, last, at, message)
        elif kind == "ObservationEvent":
            found = object_of(event, "observation")
            said = (
                texts_in(found, "content")
                or text_of(found, "output")
                or text_of(found, "error")
                or ""
            )
            failed = is_true(found, "is_error") or bool(found.get("error"))
            self.answer(id_, said, at, failed=failed, exit_code=_exit_code(found))
        elif kind == "AgentErrorEvent":
            self.answer(id_, text_or_empty(event, "error"), at, failed=True)
        elif kind == "Condensation":
            self.say(StepKind.COMPACTION, text_or_empty(event, "summary"), at)

    def _use(self, metrics: Record) -> None:
        self.cost_usd = self.usd(metrics, "accumulated_cost") or None
        counts = tokens_of(object_of(metrics, "accumulated_token_usage"))
        if counts is None:
            self.uncounted()
        else:
            self.counted(counts, context=False)

    def _end(self, error: object, events: Sequence[Record]) -> None:
        said = error if isinstance(error, str) else json.dumps(error)[:10_000] if error else ""
        last = [(event.get("action"), value_at(event, "action.kind")) for event in events[-3:]]
        finished = any(action == "finish" or kind == _FINISH for action, kind in last)
        if said:
            self.fail(said)
        else:
            self.status, self.detail = (
                (Status.OK, None) if finished else (Status.UNKNOWN, "not stated")
            )


def tokens_of(usage: Record) -> Counts | None:
    """Return the counts of an accumulated usage; None where all are 0, which were never taken."""
    counts = counts_of(
        usage, "prompt_tokens cache_read_tokens cache_write_tokens completion_tokens"
    )
    if (
        not counts.sent
    ):  # 0 beside reads of the cache, which it includes, says nothing, nor do zeros beside it
        counts = counts._replace(
            sent=None, read=counts.read or None, written=counts.written or None
        )
    return counts if any(counts) else None


def _exit_code(record: Record) -> int | None:
    """Return the exit code of a command; one that still runs has -1."""
    code = record.get("exit_code")
    return code if type(code) is int and code >= 0 else None


def _number(value: object) -> float:
    """Return a number of points; NaN where it is unknown, and so is every sum with it."""
    return float(value) if isinstance(value, int | float) and 0 <= value < 1e9 else math.nan


# All other states are those of an agent that was still at work, or had not begun.
_ENDS = ends_of("openhands")
_KINDS = known("openhands events")
_UNSEEN = "Its other events are not beside it, as in an archive (unpack it)"
_TOO_LONG = f"Its events have more than {run_file.MAX_LOG_BYTES // 1024**2} MB, of which the later ones are not read"


def event_parts(file: RunFile, caveats: Caveats) -> Iterator[Iterable[Any]]:
    """Yield the events, of all files of a folder."""
    *_, conversation, _, name = ["", "", *file.name.split("/")]
    before = (
        [{"conversation": conversation}] if FIRST_EVENT.fullmatch(name) and conversation else []
    )
    if before and (not file.neighbours or len(file.log) >= run_file.MAX_LOG_BYTES):
        before[0]["lacks"] = _TOO_LONG if file.neighbours else _UNSEEN
    others = JsonText(RunFile.of(f"{name}l", file.log), caveats) if file.log else ()
    yield chain(before, JsonText(file, caveats), others)


class OpenHandsEvents(OpenHands):
    """The events of a conversation, or its state."""

    title = "OpenHands events"
    parts = staticmethod(event_parts)
    is_whole = False

    def begin(self) -> None:
        self._uses: Record = {}
        self._answered: set[str] = set()
        self._lacks: str | None = None
        self._ended: tuple[Status, str | None] = (Status.INTERRUPTED, None)

    def take(self, record: Record) -> None:
        kind = text_of(record, "kind")
        if kind is not None and "timestamp" in record and "source" in record:
            self.is_known = True
            self._take_event_of(kind, record)
        elif "execution_status" in record and isinstance(record.get("agent"), dict):
            self.is_known = True
            self.folder = "openhands"
            self._take_state(record)
            self.key("state")
        elif conversation := text_of(record, "conversation"):
            self.session_id, self._lacks = conversation, text_of(record, "lacks")

    def _take_event_of(self, kind: str, event: Record) -> None:
        if self.is_replay(text_of(event, "id")):
            return
        self.known_as = self.known_as or text_of(event, "id")
        at = self.time(event)
        (self.resumed if kind == "MessageEvent" and event.get("source") == "user" else self.at)(at)
        self._take_kind(kind, event, at)
        if kind not in _KINDS:
            self.strange(kind)
        if answer := text_of(event, "llm_response_id"):
            self._answered.add(answer)
            self.key(answer)
        if kind == "ConversationStateUpdateEvent":
            key = event.get("key")
            value = event.get("value")
            self._take_state(
                object_of(event, "value") if key == "full_state" else {str(key): value}
            )
        elif kind == "UserRejectObservation":
            said = text_or_empty(event, "rejection_reason")
            self.answer(text_or_empty(event, "tool_call_id"), said, at, failed=True, denied=True)
        elif kind == "ConversationErrorEvent":
            self.error(
                ": ".join(filter(None, (text_of(event, "code"), text_of(event, "detail")))), at
            )
        elif kind in ("PauseEvent", "InterruptEvent"):
            self.say(StepKind.NOTICE, "paused", at)

    def _take_state(self, state: Record) -> None:
        """Take what the state says, or a part of it that has changed."""
        self.session_id = text_of(state, "id") or self.session_id
        self.model = text_at(object_of(state, "agent"), "llm.model") or self.model
        self.see_effort(state, "agent.llm.reasoning_effort")
        self.mode = text_at(state, "confirmation_policy.kind") or self.mode
        self._uses = object_at(state, "stats.usage_to_metrics") or self._uses
        if status := text_of(state, "execution_status"):
            self._ended = _ENDS.get(status, (Status.INTERRUPTED, None))
            self.fields["execution_status"] = status
        if "max_iterations" in state:
            self.fields["max_iterations"] = state["max_iterations"]

    def end(self) -> None:
        self.turns = len(self._answered) or None
        self.status, self.detail = self._ended
        if self.detail == "error" and self.errors:
            self.status, self.detail = self.failure(next(reversed(self.errors)))
        costs: list[float | None] = []
        for name in self._uses:
            use = object_of(self._uses, name)
            counts = tokens_of(object_of(use, "accumulated_token_usage"))
            cost = self.usd(use, "accumulated_cost") or None
            model = text_of(use, "model_name")
            if counts is not None and is_judge(name):
                self.judge = (*self.judge, ModelUsage(model, self.reads.tokens(counts), cost))
            elif counts is not None:
                self.counted(counts, context=False, model=model)
                costs.append(cost)
        self.cost_usd = sum_complete(costs)
        self.uncounted()
        if self._lacks:
            self.lack_part(self._lacks)
