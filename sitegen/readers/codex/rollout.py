"""Reads the sessions that Codex keeps: `~/.codex/sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`.

Tokens are a running total of the session, so what a message used is what the total grew by. A session that was forked,
and that of a subagent, may begin with a copy of its parent's lines and go on with its total, or begin at zero: see
`copies`. Where the total of the first own message is more than what that message used, the rest was the parent's; where
a total falls, a new count began at zero.

`turns` are those of the user. Time between a turn and the next one does not count. Texts stand twice in a file, as
items and as events: items are taken, and events of prompts. Since 0.147 events have items that are completed
(`item_completed`), beside the others or in their place: what both have counts once, by its id or its text. What a
program of the tool `exec` ran is a call of its own there. Never seen on real files: these, copied turns, and the form
of May 2025, whose first line and items stand without a type around them. Sessions that are packed, `.jsonl.zst`, are
unpacked where the extra `zstd` is installed.

| Line | Meaning |
|--|--|
| `session_meta` | the session: `id`, `cli_version`, its parent |
| `turn_context` | the model, the effort and the approval policy of what comes next |
| `response_item` | a message, a thought, a call or its output |
| `event_msg` | `task_started`, `user_message`, `token_count` (running total), `task_complete`, errors |
| `compacted` | the context was replaced by a summary |
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from sitegen.model import ResultKey, Status
from sitegen.readers.codex.copies import TIMED_ID, Line, Meta, SessionCopies, SessionNames, meta_of
from sitegen.readers.codex.items import (
    Patch,
    call_of,
    growth,
    input_of,
    output_text,
    patch_of,
    result_of,
    usage_of,
)
from sitegen.readers.common.builder import FilePlace, Format
from sitegen.readers.common.json_text import JsonText
from sitegen.readers.common.packed import unzstd
from sitegen.readers.common.record_reader import RecordReader
from sitegen.readers.common.records import (
    Record,
    count_of,
    known,
    object_of,
    objects_of,
    text_at,
    text_of,
    text_or_empty,
    texts_in,
    texts_of,
    words,
)
from sitegen.readers.common.stated import Counts
from sitegen.readers.common.tool_log import ToolResult, lines_of
from sitegen.readers.common.values import Caveats
from sitegen.readers.run_file import RunFile
from sitegen.steps import StepKind

MAX_PATCHES = 50
_NOT_A_PROMPT = ("<", "# AGENTS.md instructions")
_EXIT_CODE = re.compile(r"(?:\A|\n)(?:Process exited with code|Exit code:) (-?[0-9]{1,9})\b")
_MAX_BEFORE_CODE = 2_000  # characters of a result among which its exit code stands
_COPY = "It begins with a copy of another session, which does not count here."
_EVENTS = known("codex events")
_ITEMS = known("codex items")
_CALLS = words("function_call custom_tool_call local_shell_call web_search_call tool_search_call")
# Completed items that are not steps, or stand in another record as well.
_SILENT = words("reasoning plan contextcompaction imageview enteredreviewmode exitedreviewmode")
_LINES = words("session_meta response_item request_item event_msg turn_context compacted")
_EFFORTS = "effort collaboration_mode.settings.reasoning_effort"


class Rollout(RecordReader):
    """A session, or what of it was kept."""

    format = Format(
        "Codex session", known_kinds=_LINES | _ITEMS, ends_with_totals=True, usage_follows=True
    )

    def begin(self) -> None:
        self._names = SessionNames()
        self._copies = SessionCopies()
        self._total: Counts | None = None  # the running total so far; None before the first one
        self._last_prompt = ""
        self._turns = self._prompts = 0
        self._called: set[str] = set()
        # The texts that the agent said in one form and not yet in the other: whether in an event, and the hash of the
        # text.
        self._texts: Counter[tuple[bool, int]] = Counter()
        self._patches: dict[str, Patch] = {}

    def session_of(self, record: Record) -> str | None:
        return self._names.session_of(record)

    def read(self, record: Record) -> None:
        if self._copies.is_undecided:
            self._read_decided(self._copies.decide(record, self.run.place))
        else:
            self._read_line(record)

    def finish(self) -> None:
        run = self.run
        self._read_decided(self._copies.rest())
        run.turns = self._turns or self._prompts or None
        is_open = run.steps.last_kind in (StepKind.TOOL_CALL, StepKind.PROMPT)
        if run.status is Status.UNKNOWN and is_open:
            run.status = Status.INTERRUPTED
        elif run.status is Status.UNKNOWN:
            run.detail = "not stated"
        if not run.tokens.by_model:
            run.caveats.add("W_MISSING", "The session reports no tokens.")

    def _read_decided(self, lines: Iterable[Line]) -> None:
        for line in lines:
            self.run.place = line.place
            self._copies.is_copy = line.is_copy
            self._note_copy()
            self._read_line(line.record)

    def _note_copy(self) -> None:
        if self._copies.is_copy:
            self.run.caveats.add("W_COPY", _COPY)

    def _read_line(self, record: Record) -> None:
        kind = record.get("type")
        payload = object_of(record, "payload")
        ms = self.run.time_of(record)
        if kind == "session_meta":
            self._read_meta(payload, ms)
        elif not self.is_known:
            # That of May 2025.
            if kind is None and "instructions" in record and text_of(record, "timestamp"):
                self._read_meta(record, ms)
        elif kind == "turn_context":
            self._read_context(payload)
        elif kind == "event_msg":
            self._read_event(payload, ms)
        elif self._copies.is_copy:
            return
        elif kind == "compacted":
            self.run.add_text(StepKind.COMPACTION, text_or_empty(payload, "message"), ms)
        else:
            self.run.see_time(ms)
            self._read_item(payload if kind in ("response_item", "request_item") else record, ms)

    def _read_meta(self, payload: Record, ms: int | None) -> None:
        run = self.run
        meta = meta_of(payload)
        if self.is_known:
            self._copies.read_meta(meta)
            if (meta.id or "") != self._copies.own_id:
                self._note_copy()
            return
        self.is_known = meta.id is not None or "cli_version" in payload
        run.marks.take(payload)
        self._name_session(meta, text_of(payload, "session_id"))
        run.version = text_of(payload, "cli_version") or text_of(payload, "version")
        run.started_ms = run.time_of(payload) or ms
        run.add_key(meta.id, ms)
        self._copies.begin(meta, ms)
        self._copies.expect_copies()

    def _name_session(self, meta: Meta, root: str | None) -> None:
        """Set the session; that of a subagent is its parent's, or the one that `root` names."""
        session = meta.id
        if meta.is_spawned:
            self.run.agent_id = meta.id
            session = root if root not in (None, meta.id) else meta.parent
        self.run.identity.session_id = session

    def _read_context(self, payload: Record) -> None:
        run = self.run
        self._read_turn(payload)
        run.marks.take(payload)
        run.model = text_of(payload, "model") or run.model
        run.mode = run.mode or text_of(payload, "approval_policy")
        if not self._copies.is_copy:
            run.see_effort(payload, _EFFORTS)

    def _read_turn(self, payload: Record) -> None:
        """Read which turn it is: its id tells whether it is the session's or a copy."""
        turn = text_of(payload, "turn_id")
        self._copies.read_turn(turn)
        if turn and TIMED_ID.fullmatch(turn) and TIMED_ID.fullmatch(self._copies.own_id):
            self._note_copy()

    # Events.

    def _read_event(self, event: Record, ms: int | None) -> None:
        run = self.run
        kind = event.get("type")
        if isinstance(kind, str) and kind not in _EVENTS:
            run.note_unknown(f"event_msg {kind}")
        if kind in ("task_started", "item_completed"):
            self._read_turn(event)
        if kind == "token_count":
            self._read_total(object_of(event, "info"), ms)
        if self._copies.is_copy or self._is_repeated_beginning(event, ms):
            return
        is_prompt = kind == "user_message" and run.status is not Status.INTERRUPTED
        if kind == "task_started" or is_prompt:
            self._turns += kind == "task_started"
            run.start_turn(ms)
            run.go_on()
        run.see_time(ms)
        message = text_or_empty(event, "message")
        if kind == "user_message" and message:
            self._prompts += 1
            self._add_prompt(message, ms)
        elif kind == "item_completed":
            self._read_completed(object_of(event, "item"), ms)
        elif kind == "task_complete":
            self._complete_task(event, ms)
        elif kind == "turn_aborted":
            run.end(Status.INTERRUPTED, "aborted")
        elif kind == "error" and message:
            run.fail(message, ms)
        elif kind == "stream_error":
            run.add_text(StepKind.RETRY, message, ms)
        elif kind == "patch_apply_end" and event.get("success") is not False:
            patch = patch_of(object_of(event, "changes"))
            self._add_patch(text_or_empty(event, "call_id"), patch)

    def _is_repeated_beginning(self, event: Record, ms: int | None) -> bool:
        kind = event.get("type")
        if kind not in ("task_started", "user_message"):
            return False
        names = (str(event.get("message")), str(event.get("turn_id")))
        return self.run.identity.is_repeated(ms, kind, *names)

    def _complete_task(self, event: Record, ms: int | None) -> None:
        self.run.end(Status.OK)
        if error := text_at(event, "error.message"):
            self.run.fail(error, ms)
        turn = text_of(event, "turn_id")
        took_ms = count_of(event, "duration_ms")
        # Another id two sessions may share by chance.
        if turn and took_ms is not None and TIMED_ID.fullmatch(turn):
            self.run.identity.keys.append(ResultKey(turn, None, took_ms, None))

    def _add_patch(self, call_id: str, patch: Patch) -> None:
        """Keep a patch for the result of its call; another one is of what a call ran."""
        if self.run.has_open_call(call_id) and len(self._patches) < MAX_PATCHES:
            self._patches[call_id] = patch
        else:
            self.run.tools.add_edit(patch.paths, lines_of(patch.changes))

    def _read_completed(self, item: Record, ms: int | None) -> None:
        """Read an item of the newer form."""
        kind = text_or_empty(item, "type").lower()
        text = texts_in(item, "content")
        call = call_of(kind, item)
        if kind == "usermessage" and text:
            self._prompts += 1
            self._add_prompt(text, ms)
        elif kind == "agentmessage":
            self._add_answer(text or text_or_empty(item, "text"), ms, is_event=True)
        elif call is not None:
            self._add_completed_call(call, result_of(kind, item, text_or_empty(item, "id"), ms))
        elif kind and kind not in _SILENT:
            self.run.note_unknown(f"item {kind}")

    def _add_completed_call(self, call: tuple[str, Record], result: ToolResult) -> None:
        if result.id in self._called:
            if result.paths and len(self._patches) < MAX_PATCHES:
                self._patches[result.id] = Patch(result.changes, frozenset(result.paths))
            return
        self._called.add(result.id)
        if self.run.steps.open:
            # What `exec` ran is in its own result.
            result = result._replace(text="")
        self.run.add_call(result.id, *call, result.ms)
        self.run.add_result(result)

    # Items.

    def _read_item(self, item: Record, ms: int | None) -> None:
        kind = text_or_empty(item, "type")
        id_ = text_or_empty(item, "call_id")
        if kind and kind not in _ITEMS:
            self.run.note_unknown(f"response_item {kind}")
        if kind == "message":
            self._read_message(item, ms)
        elif kind == "reasoning":
            self.run.add_text(StepKind.THINKING, texts_of(objects_of(item, "summary")), ms)
        elif kind in _CALLS and not (id_ and id_ in self._called):
            self._called.add(id_)
            name = text_of(item, "name") or kind.removesuffix("_call")
            self.run.add_call(id_, name, input_of(item), ms)
        elif kind.endswith("_output") and id_:
            text = output_text(item.get("output", item.get("tools")))
            code = _EXIT_CODE.search(text[:_MAX_BEFORE_CODE])
            changes, paths = self._patches.pop(id_, Patch())
            result = ToolResult(id_, text, ms, exit_code=code, changes=changes, paths=paths)
            self.run.add_result(result)

    def _read_message(self, item: Record, ms: int | None) -> None:
        text = texts_in(item, "content")
        role = item.get("role")
        if role == "assistant":
            self._add_answer(text, ms, is_event=False)
        elif role == "user" and text.strip() and not text.startswith(_NOT_A_PROMPT):
            self._add_prompt(text, ms)

    def _add_answer(self, text: str, ms: int | None, *, is_event: bool) -> None:
        """Add a text of the agent, unless it came in the other form before."""
        if not text.strip():
            return
        digest = hash(text)
        if self._texts[not is_event, digest] > 0:
            self._texts[not is_event, digest] -= 1
        else:
            self._texts[is_event, digest] += 1
            self.run.add_text(StepKind.TEXT, text, ms)

    def _add_prompt(self, text: str, ms: int | None) -> None:
        if text.strip() != self._last_prompt:
            self.run.add_text(StepKind.PROMPT, text, ms)
            self.run.add_key(self._copies.own_id, ms, text)
        self._last_prompt = text.strip()

    # Tokens.

    def _read_total(self, info: Record, ms: int | None) -> None:
        total = usage_of(object_of(info, "total_token_usage"))
        last = usage_of(object_of(info, "last_token_usage"))
        if not any(total) or self.run.identity.is_repeated(ms, total):
            return
        if self._copies.is_copy:
            self._total = total
            return
        used = growth(total, self._total_before(total, last))
        self._total = total
        self._copies.has_own_usage = True
        if any(used):
            self.run.add_usage(used)

    def _total_before(self, total: Counts, last: Counts) -> Counts:
        """Return the total before a message, from which its own is counted."""
        before = self._total or Counts()
        if not self._copies.has_own_usage and last.sent and last.output is not None:
            before = growth(total, last)
            parents = before.total or (before.sent or 0) + (before.output or 0)
            if self._total is None and parents:
                text = (
                    f"Its count of tokens begins at {parents:,} of another session, left out here."
                )
                self.run.caveats.add("W_COPY", text)
        elif _fell(total, before):
            before = Counts()
        return before


def _fell(total: Counts, before: Counts) -> bool:
    """Return whether a running total began at zero again."""
    return (total.sent or 0) < (before.sent or 0) or (total.output or 0) < (before.output or 0)


def _unpacked(file: RunFile, caveats: Caveats) -> Iterator[JsonText]:
    """Yield the records of the one session. Raises: ReadError, which says what to install where it cannot be
    unpacked."""
    if file.name.endswith(".jsonl.zst"):
        yield JsonText(RunFile.of(file.name, unzstd(file)), caveats)


class _PackedRollout:
    """Makes readers of sessions that Codex has packed, as it does after a week: `rollout-*.jsonl.zst`; never seen on a
    real file."""

    format = Rollout.format
    split = staticmethod(_unpacked)

    def __call__(self, file: FilePlace | None = None) -> Rollout:
        """Return a reader of the unpacked records."""
        return Rollout(file)


PACKED_ROLLOUT = _PackedRollout()
