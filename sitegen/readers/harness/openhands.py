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

| Field of an instance | Meaning |
|--|--|
| `instance_id` | the task; the attempt is `critic_attempt_<n>` in the name of the file |
| `metadata.llm_config`, `.llm`, `.agent.llm` | model and effort |
| `history` | the events |
| `metrics.accumulated_cost` | cost in USD |
| `metrics.accumulated_token_usage` | tokens of all requests |
| `metrics.token_usages`, `.response_latencies` | an item for each answer: turns |
| `error` | the error with which the run ended |
| `report.resolved`, `test_result.report.resolved` | the verdict |
| `test_result.final_score`, `.checkpoints` | points reached (`result`) of those possible (`total`) |
| `test_result.git_patch` | the patch, where no call shows what was edited |

| Event of an instance | Meaning |
|--|--|
| `action: system` | the version of OpenHands |
| `action: message` | a prompt, or what the agent says |
| `action: think`, `finish`, `reject` | a thought; the end with the last words |
| any other `action` | a call with `args`, by its `id` |
| `observation` | the result of the call `cause`: `content`, exit code, diff |

| Event of the SDK, by its `kind` | Meaning |
|--|--|
| `MessageEvent` | a prompt, or what the agent says |
| `ActionEvent` | thoughts and a call (`tool_call_id`) of the answer `llm_response_id`; in `FinishAction` last words |
| `ObservationEvent`, `AgentErrorEvent`, `UserRejectObservation` | the result of a call |
| `Condensation` | the context was replaced by a summary |
| `ConversationStateUpdateEvent` | the state, or a part of it that has changed |
| `ConversationErrorEvent`, `PauseEvent`, `InterruptEvent` | an error; a pause |

| Field of the state | Meaning |
|--|--|
| `id` | the session |
| `agent.llm` | model and effort |
| `confirmation_policy.kind` | the permission mode |
| `execution_status` | how the run ended |
| `stats.usage_to_metrics` | tokens and cost by use of a model; some are of judges |
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from sitegen.model import ModelUsage, Outcome, Score, Status, sum_complete
from sitegen.readers import run_file
from sitegen.readers.common.builder import Format, RunBuilder
from sitegen.readers.common.endings import ended_by, ends_of
from sitegen.readers.common.fields import field_kinds
from sitegen.readers.common.json_text import JsonText
from sitegen.readers.common.record_reader import RecordReader, WholeFormat
from sitegen.readers.common.records import (
    Record,
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
from sitegen.readers.common.tool_log import ToolResult, changed_in
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
_EFFORTS = "llm_config.reasoning_effort llm.reasoning_effort agent.llm.reasoning_effort"
_ATTEMPT = re.compile(r"critic_attempt_([0-9]{1,6})")


def parts(file: RunFile, caveats: Caveats) -> Iterator[Iterable[Any]]:
    """Yield a line for each run."""
    return ([record] for record in objects_in(JsonText(file, caveats)))


def read_run(record: Record, run: RunBuilder) -> bool:
    """Say what an instance means, event by event; return whether it is one."""
    task = text_of(record, "instance_id")
    metadata = object_of(record, "metadata")
    if task is None or "history" not in record or not ("metrics" in record or metadata):
        return False
    run.task = task
    if attempt := _ATTEMPT.search(run.file.name):
        run.attempt = int(attempt[1])
    llm = object_of(metadata, "llm_config") or object_of(metadata, "llm")
    run.model = text_of(llm, "model") or text_at(object_of(metadata, "agent"), "llm.model")
    run.see_effort(metadata, _EFFORTS)
    history = record.get("history")
    events = list(objects_in(history)) if isinstance(history, list) else []
    for number, event in enumerate(events):
        _read_event(run, event, number)
    metrics = object_of(record, "metrics")
    _use(run, metrics)
    run.turns = _turns_in(metrics, events)
    result = object_of(record, "test_result")
    error = record.get("error")
    _end(run, None if error == (result.get("error") or "") else error, events)
    _judge(run, result, object_of(result, "report") or object_of(record, "report"))
    run.tools.add_patch(text_of(result, "git_patch"))
    times = list(filter(None, (text_of(event, "timestamp") for event in events)))
    if times:
        run.use_key(f"{task} {times[0]}")
        run.wall_ms = lasted({"began": times[0], "ended": times[-1]}, "began", "ended")
    run.list_fields(record, "test_result metadata")
    run.check_fields(record, "openhands")
    return True


def _turns_in(metrics: Record, events: Sequence[Record]) -> int | None:
    """Return the answers of the model: those that are counted, else those that events name."""
    counted = objects_of(metrics, "token_usages") or objects_of(metrics, "response_latencies")
    answers = {text_of(event, "llm_response_id") for event in events} - {None}
    return len(counted) or len(answers) or None


def _judge(run: RunBuilder, result: Record, report: Record) -> None:
    """Set the verdict: that of a report, or the share of points reached; a check that failed says nothing of the
    agent."""
    points: list[Record] = [*objects_of(result, "checkpoints")]
    if result.get("final_score"):
        points = [object_of(result, "final_score")]
    reached = sum(_number(point.get("result")) for point in points)
    possible = sum(_number(point.get("total")) for point in points)
    if isinstance(report.get("resolved"), bool):
        run.outcome = Outcome.PASS if report["resolved"] else Outcome.FAIL
    elif possible > 0 and reached >= 0:
        run.outcome = Outcome.PARTIAL if reached else Outcome.FAIL
        if reached >= possible:
            run.outcome = Outcome.PASS
        run.scores = [Score("points", reached / possible, None, higher_is_better=True)]
    elif text_of(result, "error"):
        run.outcome = Outcome.ERROR


def _read_event(run: RunBuilder, event: Record, number: int) -> None:
    if kind := text_of(event, "kind"):
        _read_kind(run, kind, event)
    elif action := text_of(event, "action"):
        _read_action(run, action, event, number)
    elif what := text_of(event, "observation"):
        _read_observation(run, what, event)


def _read_action(run: RunBuilder, action: str, event: Record, number: int) -> None:
    if action == "system":
        run.version = text_at(event, "args.openhands_version")
    if action in _SILENT:
        return
    args = object_of(event, "args")
    id_ = str(event.get("id", f"#{number}"))
    text = text_of(args, "thought") or text_or_empty(args, "content")
    if action == "message":
        run.add_text(StepKind.TEXT if event.get("source") == "agent" else StepKind.PROMPT, text)
        return
    if text.strip():
        run.add_text(StepKind.THINKING, text)
    if action in ("finish", "reject"):
        if (last := text_of(args, "final_thought")) and last != text:
            run.add_text(StepKind.TEXT, last)
    elif action != "think":
        arguments = {
            name: value
            for name, value in args.items()
            if name != "thought" and value not in (None, "")
        }
        run.add_call(id_, _NAMES.get(action, action), arguments)


def _read_observation(run: RunBuilder, what: str, event: Record) -> None:
    id_, content, extras = (
        str(event.get("cause")),
        text_or_empty(event, "content"),
        object_of(event, "extras"),
    )
    if not run.has_open_call(id_):
        if what != "error" or not (called := _CALLED.search(content[:1_000])):
            if what == "error":
                run.add_text(StepKind.NOTICE, content)
            return
        id_ = f"refused {event.get('id')}"  # a call that OpenHands could not read is told by its error alone
        run.add_call(id_, called[1], {})
    failed = what == "error" or content.startswith("ERROR:")
    code = _exit_code(object_of(extras, "metadata"))
    run.add_result(
        ToolResult(
            id_,
            content,
            failed=failed,
            exit_code=code,
            changes=changed_in(text_of(extras, "diff")),
        )
    )


def _read_kind(run: RunBuilder, kind: str, event: Record, ms: int | None = None) -> None:
    """Take an event of the newer SDK."""
    id_ = text_or_empty(event, "tool_call_id")
    message = text_of(event, "llm_response_id")
    if kind == "MessageEvent":
        text = texts_in(object_of(event, "llm_message"), "content")
        run.add_text(
            StepKind.TEXT if event.get("source") == "agent" else StepKind.PROMPT,
            text,
            ms,
            message,
        )
    elif kind == "ActionEvent":
        if thought := text_of(event, "reasoning_content"):
            run.add_text(StepKind.THINKING, thought, ms, message)
        if (text := texts_in(event, "thought")).strip():
            run.add_text(StepKind.THINKING, text, ms, message)
        arguments = {
            name: value
            for name, value in object_of(event, "action").items()
            if name != "kind" and value
        }
        run.add_call(id_, text_or_empty(event, "tool_name"), arguments, ms, message)
        if value_at(event, "action.kind") == _FINISH and (last := text_of(arguments, "message")):
            run.add_text(StepKind.TEXT, last, ms, message)
    elif kind == "ObservationEvent":
        found = object_of(event, "observation")
        said = (
            texts_in(found, "content") or text_of(found, "output") or text_of(found, "error") or ""
        )
        failed = is_true(found, "is_error") or bool(found.get("error"))
        run.add_result(ToolResult(id_, said, ms, failed=failed, exit_code=_exit_code(found)))
    elif kind == "AgentErrorEvent":
        run.add_result(ToolResult(id_, text_or_empty(event, "error"), ms, failed=True))
    elif kind == "Condensation":
        run.add_text(StepKind.COMPACTION, text_or_empty(event, "summary"), ms)


def _use(run: RunBuilder, metrics: Record) -> None:
    run.cost_usd = run.amount_of(metrics, "accumulated_cost") or None
    counts = tokens_of(object_of(metrics, "accumulated_token_usage"))
    if counts is None:
        run.note_no_usage()
    else:
        run.add_usage(counts, is_request=False)


def _end(run: RunBuilder, error: object, events: Sequence[Record]) -> None:
    said = error if isinstance(error, str) else ""
    if error and not isinstance(error, str):
        said = json.dumps(error)[:10_000]
    last = [(event.get("action"), value_at(event, "action.kind")) for event in events[-3:]]
    finished = any(action == "finish" or kind == _FINISH for action, kind in last)
    if said:
        run.fail(said)
    else:
        run.end(*((Status.OK, None) if finished else (Status.UNKNOWN, "not stated")))


OPENHANDS = WholeFormat(
    Format(
        "OpenHands run",
        is_whole=True,
        thinks_aloud=True,
        field_kinds=field_kinds(fact="metadata.eval_note", content="test_result.git_patch"),
    ),
    read_run,
    split=parts,
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


class OpenHandsEvents(RecordReader):
    """The events of a conversation, or its state."""

    format = Format("OpenHands events", thinks_aloud=True)
    split = staticmethod(event_parts)

    def begin(self) -> None:
        self._uses: Record = {}
        self._answered: set[str] = set()
        self._lacks: str | None = None
        self._ended: tuple[Status, str | None] = (Status.INTERRUPTED, None)

    def read(self, record: Record) -> None:
        kind = text_of(record, "kind")
        if kind is not None and "timestamp" in record and "source" in record:
            self.is_known = True
            self._read_event_of(kind, record)
        elif "execution_status" in record and isinstance(record.get("agent"), dict):
            self.is_known = True
            self.run.folder = "openhands"
            self._read_state(record)
            self.run.add_key("state")
        elif conversation := text_of(record, "conversation"):
            self.run.identity.session_id, self._lacks = conversation, text_of(record, "lacks")

    def _read_event_of(self, kind: str, event: Record) -> None:
        run = self.run
        if run.identity.is_repeated(text_of(event, "id")):
            return
        run.identity.substitute = run.identity.substitute or text_of(event, "id")
        ms = run.time_of(event)
        (
            run.start_turn
            if kind == "MessageEvent" and event.get("source") == "user"
            else run.see_time
        )(ms)
        _read_kind(self.run, kind, event, ms)
        if kind not in _KINDS:
            run.note_unknown(kind)
        if answer := text_of(event, "llm_response_id"):
            self._answered.add(answer)
            run.add_key(answer)
        if kind == "ConversationStateUpdateEvent":
            key = event.get("key")
            value = event.get("value")
            self._read_state(
                object_of(event, "value") if key == "full_state" else {str(key): value}
            )
        elif kind == "UserRejectObservation":
            said = text_or_empty(event, "rejection_reason")
            run.add_result(
                ToolResult(text_or_empty(event, "tool_call_id"), said, ms, failed=True, denied=True)
            )
        elif kind == "ConversationErrorEvent":
            run.add_error(
                ": ".join(filter(None, (text_of(event, "code"), text_of(event, "detail")))), ms
            )
        elif kind in ("PauseEvent", "InterruptEvent"):
            run.add_text(StepKind.NOTICE, "paused", ms)

    def _read_state(self, state: Record) -> None:
        """Take what the state says, or a part of it that has changed."""
        run = self.run
        run.identity.session_id = text_of(state, "id") or run.identity.session_id
        run.model = text_at(object_of(state, "agent"), "llm.model") or run.model
        run.see_effort(state, "agent.llm.reasoning_effort")
        run.mode = text_at(state, "confirmation_policy.kind") or run.mode
        self._uses = object_at(state, "stats.usage_to_metrics") or self._uses
        if status := text_of(state, "execution_status"):
            self._ended = _ENDS.get(status, (Status.INTERRUPTED, None))
            run.fields["execution_status"] = status
        if "max_iterations" in state:
            run.fields["max_iterations"] = state["max_iterations"]

    def finish(self) -> None:
        run = self.run
        run.turns = len(self._answered) or None
        run.end(*self._ended)
        if run.detail == "error" and run.errors:
            run.end(*ended_by(next(reversed(run.errors))))
        costs: list[float | None] = []
        for name in self._uses:
            use = object_of(self._uses, name)
            counts = tokens_of(object_of(use, "accumulated_token_usage"))
            cost = run.amount_of(use, "accumulated_cost") or None
            model = text_of(use, "model_name")
            if counts is not None and is_judge(name):
                run.judge = (
                    *run.judge,
                    ModelUsage(model, run.format.counts.tokens(counts), cost),
                )
            elif counts is not None:
                run.add_usage(counts, is_request=False, model=model)
                costs.append(cost)
        run.cost_usd = sum_complete(costs)
        run.note_no_usage()
        if self._lacks:
            run.note_missing(self._lacks)
