"""Reads the trajectories of SWE-agent and of mini-SWE-agent."""

import posixpath
import re
from collections.abc import Iterator
from typing import Any

from sitegen.model import Status, Tokens
from sitegen.readers.common.chat import ChatTrace
from sitegen.readers.common.fields import field_kinds
from sitegen.readers.common.json_text import JsonText
from sitegen.readers.common.records import (
    count_of,
    ms_of,
    object_at,
    object_of,
    objects_of,
    parsed_object,
    text_at,
    text_of,
    text_or_empty,
    texts_in,
    usd_of,
)
from sitegen.readers.common.stated import counts_of
from sitegen.readers.common.trace import Record, Trace, ends_of
from sitegen.readers.common.values import Caveats
from sitegen.readers.kinds import EmptyResultsError
from sitegen.readers.run_file import RunFile
from sitegen.steps import StepKind

# Reads the trajectories of SWE-agent, `<task>.traj`, from 0.5 to 1.x.
#
# Tokens that were sent are one count, cached or not, so cache reads and writes are unknown. `total_cost` is that of a
# whole batch; `instance_cost` is the run's, and 0 where a trajectory was replayed or written by hand: then it is
# unknown. `turns` are calls of the model, or turns where none was called. There are no times but those of commands. A
# patch is listed among the further fields.

# Commands of its own by what they do; every other is one of the shell.
_TOOLS = {
    "read": "open goto scroll_up scroll_down view",
    "search": "find_file search_dir search_file",
    "edit": "edit create insert str_replace undo_edit",
}
_OF_OPEN_FILE = ("edit", "insert")  # change it, whatever words the new text has
_TOOL_OF = {command: tool for tool, commands in _TOOLS.items() for command in commands.split()}
_WHY = ends_of("swe-agent")  # the meaning of an exit status that is more than "submitted"


class SweAgent(Trace):
    """A trajectory, turn by turn."""

    title = "SWE-agent trajectory"
    is_whole = True
    thinks_aloud = True
    kinds_of_fields = field_kinds(
        prompt="info.review",
        content="info.submission info.edited_files30 info.edited_files50 info.edited_files70",
    )

    def take(self, record: Record) -> None:
        info = object_of(record, "info")
        turns = objects_of(record, "trajectory")
        if self.is_known or not isinstance(record.get("trajectory"), list) or "info" not in record:
            return
        if turns and not any("action" in turn or "observation" in turn for turn in turns):
            return
        self.is_known = True
        config = parsed_object(record.get("replay_config"))
        problem = object_of(config, "problem_statement")
        self.model = text_at(object_of(config, "agent"), "model.name")
        self.see_effort(config, "agent.model.completion_kwargs.reasoning_effort")
        self.task = text_of(problem, "id") or self.name
        for prompt in _prompts(record):
            self.say(StepKind.PROMPT, prompt)
        for number, turn in enumerate(turns):
            self._take_turn(turn, str(number))
        self.submitted(text_of(info, "submission"))
        stats = object_of(info, "model_stats")
        self.turns = count_of(stats, "api_calls") or len(turns)
        self.cost_usd = self.usd(stats, "instance_cost") or None
        sent = count_of(stats, "tokens_sent")
        output = count_of(stats, "tokens_received")
        if sent or output:
            self.used(Tokens(sent or None, None, None, output or None), context=False)
        self.uncounted()
        self.status, self.detail = _ended(text_of(info, "exit_status"))
        self.fields = {f"info.{name}": value for name, value in info.items()}
        self.hold_against(info, "swe-agent info", "info.")

    def _take_turn(self, turn: Record, id_: str) -> None:
        action = text_or_empty(turn, "action").strip()
        thought = text_of(turn, "thought") or text_of(turn, "response")
        was_stopped = action.startswith("exit_")
        if thought and thought.strip():
            self.say(StepKind.NOTICE if was_stopped else StepKind.THINKING, thought)
        self.hold_against(turn, "swe-agent", "trajectory.")
        if was_stopped or not action:
            return
        command, *rest = action.split(None, 2)
        name = _TOOL_OF.get(
            rest[0] if command == "str_replace_editor" and rest else command, "bash"
        )
        given = {"command": action}
        state = parsed_object(turn.get("state"))
        path = (
            _open_file(state)
            if command in _OF_OPEN_FILE
            else _path(name, rest) or _open_file(state)
        )
        edited: set[str] = set()
        if name in ("read", "edit") and path:
            given["path"] = path
        if name == "edit" and path:
            edited.add(posixpath.join(text_or_empty(state, "working_dir"), path))
        self.ask(id_, name, given)
        self.answer(id_, text_or_empty(turn, "observation"), paths=edited)


def _prompts(record: Record) -> list[str]:
    """Return what the agent was told before it began, without demonstrations."""
    found: list[str] = []
    for message in objects_of(record, "history"):
        if message.get("role") == "assistant" and not message.get("is_demo"):
            break
        if message.get("role") == "user" and not message.get("is_demo"):
            found.append(texts_in(message, "content"))
    return [text for text in found if text.strip()]


def _path(tool: str, rest: list[str]) -> str | None:
    """Return the file that a command names, which reads or changes it."""
    words_of = " ".join(rest).split() if tool == "read" else rest[-1].split()[:1] if rest else []
    named = next((part for part in words_of if "/" in part or "." in part), None)
    return named and named.strip("'\"")


def _open_file(state: Record) -> str | None:
    path = text_of(state, "open_file")
    return None if path == "n/a" else path


def _ended(status: str | None) -> tuple[Status, str | None]:
    """Return how a run ended. One that was stopped may have submitted what there was: "submitted (exit_cost)"."""
    if status is None:
        return Status.INTERRUPTED, None
    if status == "submitted":
        return Status.OK, None
    return next(
        (end for word, end in _WHY.items() if word in status), (Status.FAILED, "early exit")
    )


# Reads the trajectories of mini-SWE-agent, `<task>.traj.json`: an object, or a bare list of messages, as in its tests.
#
# Of a list nothing is known but what was said and done. The form of 2.x, in which calls are apart from texts, was never
# seen on a real file; it follows mini-swe-agent 2.4.6. `turns` are calls of the model. Tokens stand beside each answer
# of the model, where its library keeps them.

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


class MiniSwe(ChatTrace):
    """A trajectory, message by message."""

    title = "mini-SWE-agent trajectory"
    parts = staticmethod(parts)
    is_whole = True
    usage_follows = True
    has_edit_tools = False

    _asked = "#0"
    _is_done = False

    def take(self, record: Record) -> None:
        info = object_of(record, "info")
        messages = objects_of(record, "messages")
        if not (_is_dialogue(messages) or ("mini_version" in info and messages)):
            return
        self.is_known = True
        config = object_of(info, "config")
        self.model = text_at(config, "model.model_name")
        self.see_effort(
            config, "model.model_kwargs.reasoning_effort model.model_kwargs.reasoning.effort"
        )
        self.version = text_of(info, "mini_version")
        self.task = text_of(record, "instance_id") or self.name
        for number, message in enumerate(messages):
            self._take_message(message, number, is_prompt=number < 2)
        self.submitted(text_of(info, "submission"))
        stats = object_of(info, "model_stats")
        self.cost_usd = self.usd(stats, "instance_cost") or None
        said = sum(message.get("role") == "assistant" for message in messages)
        self.turns = count_of(stats, "api_calls") or said
        self._end(text_of(info, "exit_status"), config)
        self.list_fields(info, "exit_status submission config", "info.")
        self.hold_against(record, "mini-swe")
        self.hold_against(info, "mini-swe info", "info.")

    def _take_message(self, message: Record, number: int, *, is_prompt: bool) -> None:
        extra, text, id_ = (
            object_of(message, "extra"),
            texts_in(message, "content"),
            str(number),
        )
        at = self.at(ms_of(extra, "timestamp"))
        role = message.get("role")
        if role == "assistant":
            calls = [] if objects_of(message, "tool_calls") else _COMMAND.findall(text)
            shown = _COMMAND.sub("", text).strip() if calls else text
            self.tell({**message, "content": shown}, at, id_)
            for place, command in enumerate(calls[:1]):
                self._asked = self.next_id()
                self._is_done = _DONE in command
                self.ask(
                    self._asked,
                    "bash",
                    {"command": command},
                    at,
                    f"{id_}.{place}" if not shown else id_,
                )
            if usage := object_at(extra, "response.usage"):
                self._use(usage)
            return
        code = extra.get("returncode")
        answered = text_of(message, "tool_call_id") or self._asked
        exit_code = code if type(code) is int else _CODE.search(text[:200])
        if answered in self._open and not is_prompt and role in ("tool", "user"):
            said = text_of(extra, "raw_output") or text
            self.answer(
                answered, said, at, failed=bool(extra.get("exception_info")), exit_code=exit_code
            )
        elif role == "exit":
            self.say(StepKind.NOTICE, text, at)
        else:
            self.tell(message, at)

    def _use(self, usage: Record) -> None:
        read = _READ if usage.get(_READ) is not None else "prompt_tokens_details.cached_tokens"
        counts = counts_of(usage, f"prompt_tokens {read} {_WRITTEN_AND_MORE}")
        if counts.written is None and counts.total == (counts.sent or 0) + (counts.output or 0):
            counts = counts._replace(written=0)  # nothing is left of the total for it
        self.counted(counts)

    def _end(self, status: str | None, config: Record) -> None:
        if status:
            self.status, self.detail = _ENDS[status] if status in _ENDS else self.failure(status)
            agent = object_of(config, "agent")
            most_turns = count_of(agent, "step_limit")
            most_usd = usd_of(agent, "cost_limit")
            if status == "LimitsExceeded" and most_turns and (self.turns or 0) >= most_turns:
                self.detail = "turn limit"
            elif status == "LimitsExceeded" and most_usd and (self.cost_usd or 0) >= most_usd:
                self.detail = "cost limit"
        else:
            self.status, self.detail = (
                (Status.OK, None) if self._is_done else (Status.INTERRUPTED, None)
            )
        if not self.ledger:
            self.uncounted()


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
