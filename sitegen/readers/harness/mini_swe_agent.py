"""Reads the trajectories of mini-SWE-agent, `<task>.traj.json`: an object, or a bare list of messages, as in its tests.

Of a list nothing is known but what was said and done. The form of 2.x, in which calls are apart from texts, was never
seen on a real file; it follows mini-swe-agent 2.4.6. `turns` are calls of the model. Tokens stand beside each answer
of the model, where its library keeps them.
"""

import re
from collections.abc import Iterator
from typing import Any

from sitegen.model import Status
from sitegen.readers.common.builder import Format, RunBuilder
from sitegen.readers.common.chat import add_message
from sitegen.readers.common.endings import ended_by, ends_of
from sitegen.readers.common.json_text import JsonText
from sitegen.readers.common.record_reader import WholeFormat
from sitegen.readers.common.records import (
    Record,
    count_of,
    ms_of,
    object_at,
    object_of,
    objects_of,
    text_at,
    text_of,
    texts_in,
    usd_of,
)
from sitegen.readers.common.stated import counts_of
from sitegen.readers.common.tool_log import ToolResult
from sitegen.readers.common.values import Caveats
from sitegen.readers.kinds import EmptyResultsError
from sitegen.readers.run_file import RunFile
from sitegen.steps import StepKind

_COMMAND = re.compile(r"```(?:mswea_)?bash(?:_command)?[ \t]*\n(.*?)\n?```", re.DOTALL)
_CODE = re.compile(r"<returncode>\s*(-?[0-9]{1,9})\s*</returncode>")
_DONE = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
_ENDS = ends_of("mini-swe")
_READ = "cache_read_input_tokens"
_WRITTEN_AND_MORE = "cache_creation_input_tokens completion_tokens completion_tokens_details.reasoning_tokens - total_tokens"


def parts(file: RunFile, caveats: Caveats) -> Iterator[list[Any]]:
    """Yield each run; a bare list of messages as the object that it would be. Raises: ReadError."""
    for value in JsonText(file, caveats):
        if (
            isinstance(value, dict)
            and value.get("messages") == []
            and "mini_version" in object_of(value, "info")
        ):
            raise EmptyResultsError("it is a trajectory of mini-SWE-agent without a message")
        yield [{"messages": value} if isinstance(value, list) else value]


class _Dialogue:
    """The messages of a trajectory."""

    def __init__(self, run: RunBuilder) -> None:
        self._run = run
        self._asked = "#0"
        self._is_done = False

    def read_message(self, message: Record, number: int, *, is_prompt: bool) -> None:
        run = self._run
        extra, text, id_ = (
            object_of(message, "extra"),
            texts_in(message, "content"),
            str(number),
        )
        ms = run.see_time(ms_of(extra, "timestamp"))
        role = message.get("role")
        if role == "assistant":
            calls = [] if objects_of(message, "tool_calls") else _COMMAND.findall(text)
            shown = _COMMAND.sub("", text).strip() if calls else text
            add_message(self._run, {**message, "content": shown}, ms, id_)
            for place, command in enumerate(calls[:1]):
                self._asked = run.tools.next_id()
                self._is_done = _DONE in command
                run.add_call(
                    self._asked,
                    "bash",
                    {"command": command},
                    ms,
                    f"{id_}.{place}" if not shown else id_,
                )
            if usage := object_at(extra, "response.usage"):
                self._use(usage)
            return
        code = extra.get("returncode")
        answered = text_of(message, "tool_call_id") or self._asked
        exit_code = code if type(code) is int else _CODE.search(text[:200])
        if run.has_open_call(answered) and not is_prompt and role in ("tool", "user"):
            said = text_of(extra, "raw_output") or text
            run.add_result(
                ToolResult(
                    answered,
                    said,
                    ms,
                    failed=bool(extra.get("exception_info")),
                    exit_code=exit_code,
                )
            )
        elif role == "exit":
            run.add_text(StepKind.NOTICE, text, ms)
        else:
            add_message(self._run, message, ms)

    def _use(self, usage: Record) -> None:
        read = _READ if usage.get(_READ) is not None else "prompt_tokens_details.cached_tokens"
        counts = counts_of(usage, f"prompt_tokens {read} {_WRITTEN_AND_MORE}")
        if counts.written is None and counts.total == (counts.sent or 0) + (counts.output or 0):
            counts = counts._replace(written=0)  # nothing is left of the total for it
        self._run.add_usage(counts)

    def end(self, status: str | None, config: Record) -> None:
        run = self._run
        if status:
            run.end(*(_ENDS[status] if status in _ENDS else ended_by(status)))
            agent = object_of(config, "agent")
            most_turns = count_of(agent, "step_limit")
            most_usd = usd_of(agent, "cost_limit")
            if status == "LimitsExceeded" and most_turns and (run.turns or 0) >= most_turns:
                run.detail = "turn limit"
            elif status == "LimitsExceeded" and most_usd and (run.cost_usd or 0) >= most_usd:
                run.detail = "cost limit"
        else:
            run.end(*((Status.OK, None) if self._is_done else (Status.INTERRUPTED, None)))
        if not run.tokens.by_model:
            run.note_no_usage()


def read_dialogue(record: Record, run: RunBuilder) -> bool:
    """Say what a trajectory means, message by message; return whether it is one."""
    info = object_of(record, "info")
    messages = objects_of(record, "messages")
    if not (_is_dialogue(messages) or ("mini_version" in info and messages)):
        return False
    config = object_of(info, "config")
    run.model = text_at(config, "model.model_name")
    run.see_effort(
        config, "model.model_kwargs.reasoning_effort model.model_kwargs.reasoning.effort"
    )
    run.version = text_of(info, "mini_version")
    run.task = text_of(record, "instance_id") or run.file.name
    dialogue = _Dialogue(run)
    for number, message in enumerate(messages):
        dialogue.read_message(message, number, is_prompt=number < 2)
    run.tools.add_patch(text_of(info, "submission"))
    stats = object_of(info, "model_stats")
    run.cost_usd = run.amount_of(stats, "instance_cost") or None
    said = sum(message.get("role") == "assistant" for message in messages)
    run.turns = count_of(stats, "api_calls") or said
    dialogue.end(text_of(info, "exit_status"), config)
    run.list_fields(info, "exit_status submission config", "info.")
    run.check_fields(record, "mini-swe")
    run.check_fields(info, "mini-swe info", "info.")
    return True


MINI_SWE = WholeFormat(
    Format("mini-SWE-agent trajectory", is_whole=True, usage_follows=True, has_edit_tools=False),
    read_dialogue,
    split=parts,
)


def _is_dialogue(messages: list[dict[str, Any]]) -> bool:
    """Return whether a bare list is one of this agent: commands in fences, and what they returned."""
    roles = [message.get("role") for message in messages]
    texts = [texts_in(message, "content") for message in messages]
    if roles[:3] != ["system", "user", "assistant"]:
        return False
    asks = any(
        role == "assistant" and _COMMAND.search(text)
        for role, text in zip(roles, texts, strict=True)
    )
    return asks and any(
        role == "user" and _CODE.search(text[:200]) for role, text in zip(roles, texts, strict=True)
    )
