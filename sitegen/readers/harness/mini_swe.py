"""Reads the trajectories of mini-SWE-agent, `<task>.traj.json`: an object, or a bare list of messages, as in its tests.

Of a list nothing is known but what was said and done. The form of 2.x, in which calls are apart from texts, was never
seen on a real file; it follows mini-swe-agent 2.4.6. `turns` are calls of the model. Tokens stand beside each answer
of the model, where its library keeps them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sitegen.model import Status
from sitegen.readers.common.chat import ChatTrace
from sitegen.readers.common.json_text import JsonText
from sitegen.readers.common.records import Record, count_of, object_of, objects_of, text_of, texts_of, usd_of
from sitegen.readers.common.stated import counts_of
from sitegen.readers.common.trace import ends_of
from sitegen.readers.common.values import Caveats
from sitegen.readers.kinds import EmptyResultsError
from sitegen.readers.run_file import RunFile
from sitegen.steps import StepKind
from sitegen.times import milliseconds_of

_COMMAND = re.compile(r"```(?:mswea_)?bash(?:_command)?[ \t]*\n(.*?)\n?```", re.DOTALL)
_CODE = re.compile(r"<returncode>\s*(-?[0-9]{1,9})\s*</returncode>")
_DONE = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
_ENDS = ends_of("mini-swe")
_COUNTS = (
    *("prompt_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "completion_tokens"),
    *("completion_tokens_details.reasoning_tokens", "", "total_tokens"),
)


def parts(file: RunFile, caveats: Caveats) -> Iterator[list[Any]]:
    """Yield each run; a bare list of messages as the object that it would be. Raises: ReadError."""
    for value in JsonText(file, caveats):
        if isinstance(value, dict) and value.get("messages") == [] and "mini_version" in object_of(value, "info"):
            raise EmptyResultsError("it is a trajectory of mini-SWE-agent without a message")
        yield [{"messages": value} if isinstance(value, list) else value]


class MiniSwe(ChatTrace):
    """A trajectory, message by message."""

    title = "mini-SWE-agent trajectory"
    parts = staticmethod(parts)
    is_whole = True
    usage_follows = True

    _asked = 0
    _is_done = False

    def take(self, record: Record) -> None:
        info, messages = object_of(record, "info"), objects_of(record, "messages")
        if not (_is_dialogue(messages) or ("mini_version" in info and messages)):
            return
        self.is_known = True
        config = object_of(info, "config")
        self.model = text_of(object_of(config, "model"), "model_name")
        self.version = text_of(info, "mini_version")
        self.task = text_of(record, "instance_id") or self.name
        for number, message in enumerate(messages):
            self._take_message(message, number, is_prompt=number < 2)
        self.submitted(text_of(info, "submission"))
        stats = object_of(info, "model_stats")
        self.cost_usd = usd_of(stats, "instance_cost") or None
        said = sum(message.get("role") == "assistant" for message in messages)
        self.turns = count_of(stats, "api_calls") or said
        self._end(text_of(info, "exit_status"), config)
        self.list_fields(info, "exit_status submission config", "info.")
        self.hold_against(record, "mini-swe")
        self.hold_against(info, "mini-swe info", "info.")

    def _take_message(self, message: Record, number: int, *, is_prompt: bool) -> None:
        extra, text, id_ = object_of(message, "extra"), texts_of(message.get("content")), str(number)
        at = self.at(milliseconds_of(extra.get("timestamp")))
        role = message.get("role")
        if role == "assistant":
            calls = [] if objects_of(message, "tool_calls") else _COMMAND.findall(text)
            shown = _COMMAND.sub("", text).strip() if calls else text
            self.tell({**message, "content": shown}, at, id_)
            for place, command in enumerate(calls[:1]):
                self._asked += 1
                self._is_done = _DONE in command
                self.ask(f"#{self._asked}", "bash", {"command": command}, at, f"{id_}.{place}" if not shown else id_)
            if usage := object_of(object_of(extra, "response"), "usage"):
                self._use(usage)
            return
        code = extra.get("returncode")
        found = _CODE.search(text[:200])
        exit_code = code if type(code) is int else int(found[1]) if found else None
        answered = text_of(message, "tool_call_id") or f"#{self._asked}"
        if self.is_open(answered) and not is_prompt and role in ("tool", "user"):
            said = text_of(extra, "raw_output") or text
            self.answer(answered, said, at, failed=bool(extra.get("exception_info")), exit_code=exit_code)
        elif role == "exit":
            self.say(StepKind.NOTICE, text, at)
        else:
            self.tell(message, at)

    def _use(self, usage: Record) -> None:
        read = _COUNTS[1] if usage.get(_COUNTS[1]) is not None else "prompt_tokens_details.cached_tokens"
        counts = counts_of(usage, _COUNTS[0], read, *_COUNTS[2:])
        if counts.written is None and counts.total == (counts.sent or 0) + (counts.output or 0):
            counts = counts._replace(written=0)  # nothing is left of the total for it
        self.counted(counts)

    def _end(self, status: str | None, config: Record) -> None:
        if status:
            self.status, self.detail = _ENDS[status] if status in _ENDS else self.failure(status)
            agent = object_of(config, "agent")
            most_turns, most_usd = count_of(agent, "step_limit"), usd_of(agent, "cost_limit")
            if status == "LimitsExceeded" and most_turns and (self.turns or 0) >= most_turns:
                self.detail = "turn limit"
            elif status == "LimitsExceeded" and most_usd and (self.cost_usd or 0) >= most_usd:
                self.detail = "cost limit"
        else:
            self.status, self.detail = (Status.OK, None) if self._is_done else (Status.INTERRUPTED, None)
        if not self.ledger:
            self.uncounted()


def _is_dialogue(messages: list[dict[str, Any]]) -> bool:
    """Return whether a bare list is one of this agent: commands in fences, and what they returned."""
    roles = [message.get("role") for message in messages]
    texts = [texts_of(message.get("content")) for message in messages]
    if roles[:3] != ["system", "user", "assistant"]:
        return False
    asks = any(role == "assistant" and _COMMAND.search(text) for role, text in zip(roles, texts, strict=True))
    return asks and any(role == "user" and _CODE.search(text[:200]) for role, text in zip(roles, texts, strict=True))
