"""Reads the sessions that Codex keeps: `~/.codex/sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`.

Tokens are a running total of the session, so what a message used is what the total grew by. A session that was forked,
and that of a subagent, may begin with a copy of its parent's lines and go on with its total, or begin at zero. A copied
turn is known by its id, which states its time as the session's own does (UUID version 7); its lines are not part of the
run. Where the total of the first own message is more than what that message used, the rest was the parent's; where a
total falls, a new count began at zero.

`turns` are those of the user. Time between a turn and the next one does not count. Texts stand twice in a file, as
items and as events: items are taken, and events of prompts. Since 0.147 events have items that are completed
(`item_completed`), beside the others or in their place: what both have counts once, by its id or its text. What a
program of the tool `exec` ran is a call of its own there. Never seen on real files: these, copied turns, and the form
of May 2025, whose first line and items stand without a type around them. Sessions that are packed, `.jsonl.zst`, are
unpacked where the extra `zstd` is installed.
"""

import codecs
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Any, TextIO

from sitegen.model import ResultKey, Status, Tokens
from sitegen.readers.common.fields import compact
from sitegen.readers.common.json_text import JsonText
from sitegen.readers.common.packed import unzstd
from sitegen.readers.common.records import (
    count_of,
    known,
    object_at,
    object_of,
    objects_of,
    parsed,
    text_at,
    text_of,
    text_or_empty,
    texts_in,
    texts_of,
    value_at,
    words,
)
from sitegen.readers.common.stated import Counts, counts_of
from sitegen.readers.common.tool_names import paths_of
from sitegen.readers.common.trace import MAX_TEXT, Record, Trace, lines_of
from sitegen.readers.common.values import Caveats
from sitegen.readers.run_file import RunFile
from sitegen.steps import StepKind
from sitegen.system.bounds import MAX_COUNT
from sitegen.text.times import milliseconds_of

# Calls of tools in Codex's sessions: their inputs and answers, which are JSON in a text, or a text.

_COUNTS = "input_tokens cached_input_tokens cache_write_input_tokens output_tokens reasoning_output_tokens - total_tokens"


def usage_of(usage: Record) -> Counts:
    """Return what a turn or a session used. Its models have no price for cache writes, so these are zero where none are
    stated."""
    counts = counts_of(usage, _COUNTS)
    return counts._replace(written=counts.written or 0)


def less(total: Counts, before: Counts) -> Counts:
    """Return how much a total grew, count by count, where it states one; nothing where it fell."""
    pairs = zip(total, before, strict=True)
    return Counts(
        *(None if count is None else max(count - (known or 0), 0) for count, known in pairs)
    )


def given_of(item: Record) -> Record:
    """Return the input of a call, where it is JSON; else its text."""
    for name in ("arguments", "input", "action", "parameters"):
        value = parsed(item.get(name))
        if isinstance(value, dict):
            return value
        if isinstance(value, str) and value == item[name]:
            paths = sorted(paths_of({"input": value}, is_edit=True))
            return {"path": paths[0], "input": value} if paths else {"input": value}
    return {}


def result_of(output: object) -> str:
    """Return the text of an answer, with its exit code where it is kept beside."""
    if isinstance(output, str) and output.startswith("{"):
        output = parsed(output)
    if isinstance(output, dict):
        code = value_at(output, "metadata.exit_code")
        text = text_of(output, "output") or text_or_empty(output, "content")
        return f"Exit code: {code}\n{text}" if type(code) is int else text
    return texts_of(output)


def patch_of(changes: Record) -> tuple[str, frozenset[str]]:
    """Return the lines that a patch changed, after `+` and `-`, and the files."""
    lines: list[str] = []
    for change in changes.values():
        diff = text_of(change, "unified_diff") if isinstance(change, dict) else None
        lines += [line for line in (diff or "").split("\n") if line[:1] in ("+", "-")]
        added = (
            text_of(change, "content")
            if isinstance(change, dict) and change.get("type") == "add"
            else None
        )
        lines += [f"+{line}" for line in (added or "").splitlines()]
    return "\n".join(lines), frozenset(changes)


def done_of(kind: str, item: Record) -> tuple[str, Record, dict[str, Any]] | None:
    """Return the name and input of the call in an item, by its kind in small letters without `_`, and its answer, as
    `Trace.answer` takes it; None where it is none."""
    denied = item.get("status") == "declined"
    error = text_at(item, "error.message")
    answer: dict[str, Any] = {
        "result": "",
        "failed": denied or item.get("status") == "failed",
        "denied": denied,
    }
    if kind == "commandexecution":
        printed = "\n".join(filter(None, (text_of(item, "stdout"), text_of(item, "stderr"))))
        answer |= {
            "result": text_of(item, "aggregated_output") or printed,
            "exit_code": item.get("exit_code"),
        }
        return "command_execution", {"command": item.get("command")}, answer
    if kind == "filechange":
        listed = {
            path: change
            for change in objects_of(item, "changes")
            if (path := text_of(change, "path"))
        }
        changes, paths = patch_of(object_of(item, "changes") or listed)
        answer |= {"result": error or "", "changes": changes, "paths": paths}
        return (
            "file_change",
            {"path": next(iter(paths)) if len(paths) == 1 else sorted(paths)},
            answer,
        )
    if kind in ("mcptoolcall", "collabtoolcall"):
        given: Record = {"server": item.get("server"), **object_of(item, "arguments")}
        given = {"prompt": item.get("prompt")} if kind == "collabtoolcall" else given
        result = item.get("result")
        said = error or texts_in(object_of(item, "result"), "content")
        answer |= {"result": said or ("" if result is None else compact(result))}
        answer["failed"] |= error is not None
        return text_of(item, "tool") or kind, given, answer
    if kind in ("websearch", "extension"):
        return (
            text_of(item, "kind") or "web_search",
            {"query": item.get("query")},
            answer | {"denied": False},
        )
    return None


# Tells what a forked session, or one that another spawned, copied from its parent, where no ids of turns tell it.
# Copied lines keep their times, which are before the session began, or get that of the moment at which they are
# written: all of them within an instant, as no model answers. The last turn that begins in that instant and gets no
# answer there is the session's own.

Line = tuple[Record, int]
_INSTANT_MS = 1_000
_GAP_MS = 300
_ANSWERS = words("token_count task_complete agent_message agent_reasoning turn_aborted")
_NO_ANSWERS = words("user developer system")


def parent_of(meta: Record) -> tuple[str | None, bool]:
    """Return the session that a session was forked from or spawned by, and whether it was spawned: then it is a part of
    it."""
    source = object_at(meta, "source.subagent")
    spawned = object_of(source, "thread_spawn")
    parent = text_of(spawned, "parent_thread_id") or text_of(meta, "parent_thread_id")
    if parent:
        return parent, True
    return text_of(meta, "forked_from_id"), False


class Copies:
    """The lines that may be copies at the beginning of a session."""

    def __init__(self, began: int | None = None) -> None:
        """`began` is the time of the first line of a session that has a parent."""
        self.is_open = began is not None
        self._began = self._last = began or 0
        # The lines of the last turn that began, while nothing answered.
        self._held: list[Line] | None = None
        self._begun: list[object] = []  # the lines among them that begin a turn, by their kinds

    def sorted(self, record: Record, place: int) -> Iterator[tuple[Line, bool]]:
        """Yield the lines about which it is decided with this one whether they are copies."""
        at = milliseconds_of(record.get("timestamp"), naive=True)
        now = self._last if at is None else at
        if now > self._began + _INSTANT_MS and now - self._last > _GAP_MS:
            yield from self.rest()
            yield (record, place), False
            return
        self._last = now
        kind = record.get("type")
        payload = object_of(record, "payload")
        begins = kind if kind == "turn_context" else payload.get("type")
        if begins in ("turn_context", "task_started"):
            if self._held is None or begins in self._begun:
                yield from self._let_go(is_copy=True)
                self._held = []
                self._begun = []
            self._begun.append(begins)
        if self._held is not None and not _answers(kind, payload):
            self._held.append((record, place))
            return
        yield from self._let_go(is_copy=True)
        yield (record, place), True

    def rest(self) -> Iterator[tuple[Line, bool]]:
        """Yield what is left is the session's own."""
        self.is_open = False
        yield from self._let_go(is_copy=False)

    def _let_go(self, *, is_copy: bool) -> Iterator[tuple[Line, bool]]:
        yield from ((line, is_copy) for line in self._held or ())
        self._held = None


def _answers(kind: object, payload: Record) -> bool:
    """Return whether only a model, or what it called, can have caused a line."""
    if kind == "event_msg":
        return text_of(payload, "type") in _ANSWERS
    if kind in ("response_item", "request_item"):
        return payload.get("type") != "message" or text_of(payload, "role") not in _NO_ANSWERS
    return kind in ("compacted", "session_meta")


_TIMED_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
_NOT_A_PROMPT = ("<", "# AGENTS.md instructions")
_EXIT_CODE = re.compile(r"(?:\A|\n)(?:Process exited with code|Exit code:) (-?[0-9]{1,9})\b")
_COPY = "It begins with a copy of another session, which does not count here."
_EVENTS = known("codex events")
_ITEMS = known("codex items")
# Completed items that are not steps, or stand in another record as well.
_SILENT = words("reasoning plan contextcompaction imageview enteredreviewmode exitedreviewmode")
_CALLS = "function_call custom_tool_call local_shell_call web_search_call tool_search_call".split()


class Rollout(Trace):
    """A session, or what of it was kept."""

    title = "Codex session"
    ends_with_totals = True
    knows = (
        words("session_meta response_item request_item event_msg turn_context compacted") | _ITEMS
    )
    usage_follows = True

    def begin(self) -> None:
        self._own = ""
        self._parent: str | None = None
        self._began: int | None = None
        self._current = ""  # the session of the file: the one that its lines are of
        self._current_parent: str | None = None
        self._has_answers = self._has_turn_ids = False
        self._copies = Copies()
        self._is_copy = False
        self._total: Counts | None = None  # the running total so far; None before the first one
        self._is_first = True  # whether no message of its own has counted yet
        self._prompt = ""
        self._turns = self._prompts = 0
        self._called: set[str] = set()
        # The texts that the agent said in one form and not yet in the other: whether in an event, and the hash of the
        # text.
        self._said: Counter[tuple[bool, int]] = Counter()
        self._patches: dict[str, tuple[str, frozenset[str]]] = {}

    def session(self, record: Record) -> str | None:
        if record.get("type") == "session_meta":
            meta = object_of(record, "payload")
            id_ = text_or_empty(meta, "id")
            known = self._current
            is_copy = (
                id_ < known
                if _TIMED_ID.fullmatch(id_) and _TIMED_ID.fullmatch(known)
                else not self._has_answers
            )
            if not known or (
                id_ not in (known, self._current_parent) and not (is_copy and not self._has_answers)
            ):
                self._current, self._current_parent, self._has_answers = (
                    id_,
                    parent_of(meta)[0],
                    False,
                )
                return id_
        self._has_answers |= record.get("type") == "response_item"
        return None

    def take(self, record: Record) -> None:
        if self._copies.is_open and not self._has_turn_ids:
            self._take_sorted(self._copies.sorted(record, self._place))
        else:
            self._take(record)

    def _take_sorted(self, lines: Iterable[tuple[Line, bool]]) -> None:
        for (record, place), is_copy in lines:
            self._place = place
            self._is_copy = is_copy
            if is_copy:
                self.caveats.add("W_COPY", _COPY)
            self._take(record)

    def _take(self, record: Record) -> None:
        kind = record.get("type")
        payload = object_of(record, "payload")
        at = self.time(record)
        if kind == "session_meta":
            self._take_meta(payload, at)
        elif (
            not self.is_known
            and kind is None
            and "instructions" in record
            and text_of(record, "timestamp")
        ):
            self._take_meta(record, at)
        elif not self.is_known:
            return
        elif kind == "turn_context":
            self._take_turn(payload)
            self.marks.take(payload)
            self.model = text_of(payload, "model") or self.model
            self.mode = self.mode or text_of(payload, "approval_policy")
            if not self._is_copy:
                self.see_effort(payload, "effort collaboration_mode.settings.reasoning_effort")
        elif kind == "event_msg":
            self._take_event(payload, at)
        elif self._is_copy:
            return
        elif kind == "compacted":
            self.say(StepKind.COMPACTION, text_or_empty(payload, "message"), at)
        else:
            self.at(at)
            self._take_item(payload if kind in ("response_item", "request_item") else record, at)

    def _take_meta(self, meta: Record, at: int | None) -> None:
        id_ = text_of(meta, "id")
        if not self.is_known:
            self.is_known = id_ is not None or "cli_version" in meta
            self.marks.take(meta)
            self.session_id = id_
            self.version = text_of(meta, "cli_version") or text_of(meta, "version")
            self.started_ms = self.time(meta) or at
            self._parent, is_spawned = parent_of(meta)
            if is_spawned:
                root = text_of(meta, "session_id")
                self.agent_id = id_
                self.session_id = root if root not in (None, id_) else self._parent
            self._own = id_ or ""
            self.key(id_, at)
            self._began = at
        elif id_ != self._own:
            self._parent = self._parent or id_
            self._is_copy = True
            self.caveats.add("W_COPY", _COPY)
        if self._parent and self._is_first and not self._copies.is_open:
            self._copies = Copies(self._began)

    def _take_turn(self, payload: Record) -> None:
        """Take a turn: its id tells whether it is the session's or a copy."""
        turn = text_of(payload, "turn_id")
        own = self._own
        if turn and _TIMED_ID.fullmatch(turn) and _TIMED_ID.fullmatch(own):
            self._has_turn_ids = True
            self._is_copy = turn < own
            if self._is_copy:
                self.caveats.add("W_COPY", _COPY)

    def _take_event(self, event: Record, at: int | None) -> None:
        kind = event.get("type")
        if isinstance(kind, str) and kind not in _EVENTS:
            self.strange(f"event_msg {kind}")
        if kind in ("task_started", "item_completed"):
            self._take_turn(event)
        if kind == "token_count":
            self._take_count(object_of(event, "info"), at)
        is_begin = kind in ("task_started", "user_message")
        said = (str(event.get("message")), str(event.get("turn_id")))
        if self._is_copy or (is_begin and self.is_replay(at, kind, *said)):
            return
        if kind == "task_started" or (
            kind == "user_message" and self.status is not Status.INTERRUPTED
        ):
            self._turns += kind == "task_started"
            self.resumed(at)
            self.go_on()
        self.at(at)
        if kind == "user_message" and (text := text_of(event, "message")):
            self._prompts += 1
            self._say_prompt(text, at)
        elif kind == "item_completed":
            self._take_completed(object_of(event, "item"), at)
        elif kind == "task_complete":
            self._take_end(event, at)
        elif kind == "turn_aborted":
            self.set_status(Status.INTERRUPTED, "aborted")
        elif kind == "error" and (text := text_of(event, "message")):
            self.fail(text, at)
        elif kind == "stream_error":
            self.say(StepKind.RETRY, text_or_empty(event, "message"), at)
        elif kind == "patch_apply_end" and event.get("success") is not False:
            self._take_patch(
                *patch_of(object_of(event, "changes")), text_or_empty(event, "call_id")
            )

    def _take_end(self, event: Record, at: int | None) -> None:
        self.set_status(Status.OK)
        if text := text_at(event, "error.message"):
            self.fail(text, at)
        turn = text_of(event, "turn_id")
        took = count_of(event, "duration_ms")
        if (
            turn and took is not None and _TIMED_ID.fullmatch(turn)
        ):  # else two sessions may share it by chance
            self.results.append(ResultKey(turn, None, took, None))

    def _take_patch(self, lines: str, paths: frozenset[str], call: str) -> None:
        if call in self._open and len(self._patches) < 50:
            self._patches[call] = lines, paths
        else:  # of what a call ran
            self.patched(paths, lines_of(lines))

    def _take_completed(self, item: Record, at: int | None) -> None:
        """Take an item of the newer form."""
        kind = text_or_empty(item, "type").lower()
        id_ = text_or_empty(item, "id")
        if kind == "usermessage" and (text := texts_in(item, "content")):
            self._prompts += 1
            self._say_prompt(text, at)
        elif kind == "agentmessage":
            self._say_once(
                texts_in(item, "content") or text_or_empty(item, "text"), at, in_event=True
            )
        elif done := done_of(kind, item):
            name, given, answer = done
            if id_ in self._called:
                if answer.get("paths") and len(self._patches) < 50:
                    self._patches[id_] = answer["changes"], answer["paths"]
                return
            self._called.add(id_)
            if self._open:  # what `exec` ran is in its own answer
                answer["result"] = ""
            self.ask(id_, name, given, at)
            self.answer(id_, ms=at, **answer)
        elif kind and kind not in _SILENT:
            self.strange(f"item {kind}")

    def _say_once(self, text: str, at: int | None, *, in_event: bool) -> None:
        if not text.strip():
            return
        if self._said[not in_event, hash(text)] > 0:
            self._said[not in_event, hash(text)] -= 1
            return
        self._said[in_event, hash(text)] += 1
        self.say(StepKind.TEXT, text, at)

    def _say_prompt(self, text: str, at: int | None) -> None:
        if text.strip() != self._prompt:
            self.say(StepKind.PROMPT, text, at)
            self.key(self._own, at, text)
        self._prompt = text.strip()

    def _take_count(self, info: Record, at: int | None) -> None:
        total = usage_of(object_of(info, "total_token_usage"))
        last = usage_of(object_of(info, "last_token_usage"))
        if not any(total) or self.is_replay(at, total):
            return
        if self._is_copy:
            self._total = total
            return
        before = self._total or Counts()
        if self._is_first and last.sent and last.output is not None:
            before = less(total, last)
            if self._total is None and (
                other := before.total or (before.sent or 0) + (before.output or 0)
            ):
                said = f"Its count of tokens begins at {other:,} of another session, left out here."
                self.caveats.add("W_COPY", said)
        elif (total.sent or 0) < (before.sent or 0) or (total.output or 0) < (before.output or 0):
            before = Counts()
        self._total = total
        self._is_first = False
        grown = less(total, before)
        if any(grown):
            self.counted(grown)

    def _take_item(self, item: Record, at: int | None) -> None:
        kind = text_or_empty(item, "type")
        id_ = text_or_empty(item, "call_id")
        text = texts_in(item, "content")
        if kind and kind not in _ITEMS:
            self.strange(f"response_item {kind}")
        if kind == "message" and text.strip():
            if item.get("role") == "assistant":
                self._say_once(text, at, in_event=False)
            elif item.get("role") == "user" and not text.startswith(_NOT_A_PROMPT):
                self._say_prompt(text, at)
        elif kind == "reasoning":
            self.say(StepKind.THINKING, texts_of(objects_of(item, "summary")), at)
        elif kind in _CALLS and not (id_ and id_ in self._called):
            self._called.add(id_)
            self.ask(id_, text_of(item, "name") or kind.removesuffix("_call"), given_of(item), at)
        elif kind.endswith("_output") and id_:
            result = result_of(item.get("output", item.get("tools")))
            changes, paths = self._patches.pop(id_, ("", frozenset()))
            self.answer(
                id_,
                result,
                at,
                exit_code=_EXIT_CODE.search(result[:2_000]),
                changes=changes,
                paths=paths,
            )

    def end(self) -> None:
        self._take_sorted(self._copies.rest())
        self.turns = self._turns or self._prompts or None
        if self.status is Status.UNKNOWN and self.last_step in (
            StepKind.TOOL_CALL,
            StepKind.PROMPT,
        ):
            self.status = Status.INTERRUPTED
        elif self.status is Status.UNKNOWN:
            self.detail = "not stated"
        if not self.ledger:
            self.caveats.add("W_MISSING", "The session reports no tokens.")


# Reads what `codex exec --json` prints: a thread, its turns, and items that begin and are completed.
# The format names no model and no time. A turn's usage counts all that was sent, the part from the cache included, and
# output with reasoning inside. Whether the usage of a later turn is its own or that of the thread so far differs by
# version: where no figure ever falls it is taken as the thread's, else they are summed; the run says which. `turns`
# are those of the user, of which a run of `codex exec` has one.
# Read but no step: lists of what is to do, which change while the turn goes on. Plain logs without `--json` are not
# runs.

_SAID = words("agent_message assistant_message reasoning error todo_list")


class CodexExec(Trace):
    """A thread: the stream of one process, or of several that went on with it."""

    title = "Codex stream"
    ends_with_totals = True
    knows = known("codex exec")

    def begin(self) -> None:
        self._usages: list[Counts] = []

    def session(self, record: Record) -> str | None:
        return text_of(record, "thread_id") if record.get("type") == "thread.started" else None

    def take(self, record: Record) -> None:
        kind = record.get("type")
        if kind == "thread.started" and (thread := text_of(record, "thread_id")):
            self.is_known = True
            self.marks.take(record)
            self.session_id = thread
            self.model, self.version = text_of(record, "model"), text_of(record, "cli_version")
            self.see_effort(record, "effort reasoning_effort")
        elif self.session_id is None or kind == "thread.started":
            return
        if kind in ("turn.completed", "turn.failed"):
            self.count_turn()
        if kind == "turn.completed":
            self._usages.append(usage_of(object_of(record, "usage")))
            self.key(self.turns, *map(str, self._usages[-1]))
        elif kind in ("turn.failed", "error"):
            self.error(_failure(record))
        elif isinstance(kind, str) and kind.startswith("item."):
            self._take_item(object_of(record, "item"), is_completed=kind == "item.completed")
        self.take_copy(record)

    def take_copy(self, record: Record) -> None:
        """Take how a process stands, also one that is told again."""
        kind = record.get("type")
        if kind in ("thread.started", "turn.started"):
            self.go_on()
        elif kind == "turn.completed":
            self.set_status(Status.OK)
        elif kind == "turn.failed" or (kind == "error" and self.status is Status.INTERRUPTED):
            self.status, self.detail = self.failure(_failure(record))

    def _take_item(self, item: Record, *, is_completed: bool) -> None:
        kind = text_of(item, "type") or text_or_empty(item, "item_type")
        id_ = text_or_empty(item, "id")
        if done := done_of(kind.replace("_", ""), item):
            name, given, answer = done
            if id_ not in self._open:
                self.ask(id_, name, given)
            if is_completed:
                self.answer(id_, **answer)
        elif not is_completed:
            return
        elif kind in ("agent_message", "assistant_message") and (text := text_of(item, "text")):
            self.say(StepKind.TEXT, text)
        elif kind == "reasoning":
            self.say(StepKind.THINKING, text_or_empty(item, "text"))
        elif kind == "error" and (text := text_of(item, "message")):
            self.say(StepKind.NOTICE, text)
        elif kind not in _SAID:
            self.strange(f"item {kind}")

    def end(self) -> None:
        known = [
            usage for usage in self._usages if usage.sent is not None or usage.output is not None
        ]
        self.is_lower_bound |= len(known) < max(len(self._usages), 1)
        is_running = all(not _falls(*turns) for turns in pairwise(known))
        for usage in known[-1:] if is_running else known:
            self.counted(usage, context=False)
        if is_running:
            self.process_usage = Tokens()  # that of a thread that was resumed is the thread's
        if len(known) > 1:
            taken = "the last is the sum of all" if is_running else "they are summed"
            said = f"The thread has {len(known)} turns that count tokens; as they {'grow' if is_running else 'fall'}"
            self.caveats.add("W_MULTI_RESULT", f"{said}, {taken}.")
        if not self.ledger:
            self.caveats.add("W_NO_RESULT", "No turn was completed, so usage is unknown.")


def _falls(before: Counts, after: Counts) -> bool:
    """Return whether a count of a later turn is smaller."""
    pairs = zip(before, after, strict=True)
    return any(later is not None and later < (count or 0) for count, later in pairs)


def _failure(record: Record) -> str:
    return text_at(record, "error.message") or text_or_empty(record, "message")


# Reads what `codex exec` prints for people, without `--json`: a header, sections under a word of their own, and the
# sum of tokens: input and output together, without what was read from the cache, so a lower bound of all.
# What a command printed may have lines like those that begin a section; then its answer ends there. The diff that
# follows an edit is of all edits so far, and no step. A log without the sum breaks off, unless an error ended it.

_TIME = re.compile(r"\[\d{4}-\d\d-\d\dT[\d:.]{8,15}Z?\] ")
_BEGIN = re.compile(r"OpenAI Codex v?([\w.+-]{1,40})")
_RULE = "--------"
_HEADS = {
    "user": "user",
    "User instructions:": "user",
    "codex": "codex",
    "thinking": "thinking",
    "exec": "exec",
    "file update": "edit",
    "file update:": "diff",
    "turn diff": "diff",
    "Plan update": "plan",
}
# The beginnings of lines that may begin a section; all others are not looked at.
_BEGINNINGS = frozenset(
    head[:3] for head in (*_HEADS, _RULE, "OpenAI", "tokens", "apply_patch", "ERROR", "[20")
)
_TOKENS = re.compile(r"tokens used:? ?([0-9][0-9,. \u202f]{0,20})?")
_ENDED = re.compile(r" (?:succeeded|exited (-?\d{1,9})) in [\d.]+ ?m?s:?$", re.MULTILINE)
_PATCHED = re.compile(r"apply_patch\(.*?\) (?:succeeded|exited (-?\d{1,9})) in [\d.]+ ?m?s:?")
_CHANGED = re.compile(r"[AMD] (.{1,1000})")


def log_parts(file: RunFile, caveats: Caveats) -> Iterator[Iterator[dict[str, Any]]]:  # noqa: ARG001
    """Yield the one run."""
    is_wide = file.head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    yield _sections(io.TextIOWrapper(file.open(), "utf-16" if is_wide else "utf-8-sig", "replace"))


def _sections(log: TextIO) -> Iterator[dict[str, Any]]:
    """Yield the header and the sections of a log, each with its head and its lines."""
    head = ""
    text: list[str] = []
    size = 0
    is_rest = False
    while line := log.readline(MAX_TEXT):
        found, was_rest, is_rest = None, is_rest, not line.endswith("\n")
        if line[:3] in _BEGINNINGS and not was_rest:
            line = (
                _TIME.sub("", line.rstrip("\n"), count=1) + "\n"
            )  # older versions put the time before it
            found = _head(line[:-1], head, text)
        if found:
            yield {"type": head, "text": "".join(text)}
            head = found
            text = [line] if found in ("begin", "patched", "tokens", "error") else []
            size = 0
        elif size < MAX_TEXT:
            text.append(line)
            size += len(line)
    yield {"type": head, "text": "".join(text)}


def _head(line: str, head: str, text: list[str]) -> str | None:
    """Return what section a line begins."""
    if not head:
        return "begin" if _BEGIN.match(line) else None
    if head == "begin" and not (line == _RULE and text.count(f"{_RULE}\n")):
        return None
    if line == _RULE:
        return "rule" if head == "begin" else None
    odd = {
        "patched": _PATCHED.fullmatch(line),
        "error": line.startswith("ERROR: "),
        "tokens": _TOKENS.fullmatch(line),
    }
    return next((kind for kind, is_one in odd.items() if is_one), _HEADS.get(line))


_SPOKEN = {"user": StepKind.PROMPT, "codex": StepKind.TEXT, "thinking": StepKind.THINKING}
_WORK = ("codex", "thinking", "exec", "edit")


class CodexLog(Trace):
    """The log of one process."""

    title = "Codex log"
    parts = staticmethod(log_parts)

    _patch: Mapping[str, Any] = MappingProxyType(
        {}
    )  # what the answer of the last edit says besides; empty behind it
    _total: int | None = None

    def take(self, record: Record) -> None:
        kind = record["type"]
        text = text_or_empty(record, "text").strip("\n")
        if kind in _WORK:
            self._total = None  # what was taken for it is a line that a command printed
        if kind == "begin":
            self._begin_run(text)
        elif not self.is_known or not kind:
            return
        elif kind in _SPOKEN:
            self.say(_SPOKEN[kind], text)
        elif kind == "exec":
            self._run_command(text)
        elif kind == "edit":
            self._edit(text)
        elif kind == "patched" and self._patch:
            code = _PATCHED.match(text)
            self._answer(text.partition("\n")[2], int(code[1]) if code and code[1] else 0)
        elif kind == "error":
            self.error(text.removeprefix("ERROR: "))
        elif kind == "tokens":
            digits = re.sub(
                r"[^0-9]",
                "",
                text[:60].removeprefix("tokens used").strip(": \n").partition("\n")[0],
            )
            self._total = int(digits) if digits and int(digits) <= MAX_COUNT else self._total

    def _begin_run(self, text: str) -> None:
        self.is_known = True
        version = _BEGIN.match(text)
        self.version = version[1] if version else None
        stated = dict(line.split(": ", 1) for line in text.split("\n") if ": " in line)
        self.model, self.session_id = stated.get("model"), stated.get("session id")
        self.mode = stated.get("sandbox")
        effort = stated.get("reasoning effort")
        self.see_effort(
            {"effort": None if effort == "none" else effort}, "effort"
        )  # none: also where none was chosen
        names = ("provider", "approval", "sandbox", "reasoning effort", "reasoning summaries")
        self.fields = {name: stated[name] for name in names if name in stated}

    def _run_command(self, text: str) -> None:
        ended = _ENDED.search(text)
        asked = text[: ended.start()] if ended else text.partition("\n")[0]
        command, found, _ = asked.rpartition(" in /")
        id_ = self.next_id()
        self.ask(id_, "shell", {"command": command if ended and found else asked})
        if ended:
            self.answer(id_, text[ended.end() :].strip("\n"), exit_code=int(ended[1] or 0))

    def _edit(self, text: str) -> None:
        lines = text.split("\n")
        paths = [found[1] for line in lines if (found := _CHANGED.fullmatch(line))]
        id_ = self.next_id()
        changes = "\n".join(line for line in lines if line[:1] in ("+", "-"))
        self.ask(
            id_, "apply_patch", {"path": paths[0] if len(paths) == 1 else paths, "input": text}
        )
        self._patch = {"id_": id_, "changes": changes, "paths": set(paths)}

    def _answer(self, said: str, code: int) -> None:
        self.answer(result=said, exit_code=code, **self._patch)
        self._patch = {}

    def end(self) -> None:
        if self._patch and self._total is not None:
            self._answer("", 0)
        self.used(Tokens(unsplit=self._total), context=False)
        self.process_usage = Tokens()
        if self.errors:
            self.status, self.detail = self.failure(next(reversed(self.errors)))
        else:
            self.status = Status.INTERRUPTED if self._total is None else Status.OK


def packed_parts(file: RunFile, caveats: Caveats) -> Iterator[JsonText]:
    """Yield the records of the one session. Raises: ReadError, which says what to install where it cannot be
    unpacked."""
    if file.name.endswith(".jsonl.zst"):
        yield JsonText(RunFile.of(file.name, unzstd(file)), caveats)


class PackedRollout(Rollout):
    """A session that Codex has packed, as it does after a week: `rollout-*.jsonl.zst`; never seen on a real file."""

    parts = staticmethod(packed_parts)
