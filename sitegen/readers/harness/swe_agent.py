"""Reads the trajectories of SWE-agent, `<task>.traj`, from 0.5 to 1.x.

Tokens that were sent are one count, cached or not, so cache reads and writes are unknown. `total_cost` is that of a
whole batch; `instance_cost` is the run's, and 0 where a trajectory was replayed or written by hand: then it is unknown.
`turns` are calls of the model, or turns where none was called. There are no times but those of commands. A patch is
listed among the further fields.
"""

from __future__ import annotations

from sitegen.model import Status, Tokens
from sitegen.readers.common.fields import field_kinds
from sitegen.readers.common.records import count_of, object_of, objects_of, parsed, text_of, texts_of, usd_of
from sitegen.readers.common.trace import Record, Trace, ends_of
from sitegen.steps import StepKind

_TOOLS = {
    "read": "open goto scroll_up scroll_down view",
    "search": "find_file search_dir search_file",
    "edit": "edit create insert str_replace undo_edit",
}
"""Commands of its own by what they do; every other is one of the shell."""
_TOOL_OF = {command: tool for tool, commands in _TOOLS.items() for command in commands.split()}
_WHY = ends_of("swe-agent")
"""The meaning of an exit status that is more than "submitted"."""


class SweAgent(Trace):
    """A trajectory, turn by turn."""

    title = "SWE-agent trajectory"
    is_whole = True
    thinks_aloud = True
    kinds_of_fields = field_kinds(
        prompt="info.review", content="info.submission info.edited_files30 info.edited_files50 info.edited_files70"
    )

    def take(self, record: Record) -> None:
        info, turns = object_of(record, "info"), objects_of(record, "trajectory")
        if self.is_known or not isinstance(record.get("trajectory"), list) or "info" not in record:
            return
        if turns and not any("action" in turn or "observation" in turn for turn in turns):
            return
        self.is_known = True
        config = _config(record.get("replay_config"))
        problem = object_of(config, "problem_statement")
        self.model = text_of(object_of(object_of(config, "agent"), "model"), "name")
        self.task = text_of(problem, "id") or self.name
        for prompt in _prompts(record):
            self.say(StepKind.PROMPT, prompt)
        for number, turn in enumerate(turns):
            self._take_turn(turn, str(number))
        self.submitted(text_of(info, "submission"))
        stats = object_of(info, "model_stats")
        self.turns = count_of(stats, "api_calls") or len(turns)
        self.cost_usd = usd_of(stats, "instance_cost") or None
        sent, output = count_of(stats, "tokens_sent"), count_of(stats, "tokens_received")
        if sent or output:
            self.used(Tokens(sent or None, None, None, output or None), context=False)
        self.uncounted()
        self.status, self.detail = _ended(text_of(info, "exit_status"))
        self.fields = {f"info.{name}": value for name, value in info.items()}
        self.hold_against(info, "swe-agent info", "info.")

    def _take_turn(self, turn: Record, id_: str) -> None:
        action, thought = (text_of(turn, "action") or "").strip(), text_of(turn, "thought") or text_of(turn, "response")
        was_stopped = action.startswith("exit_")
        if thought and thought.strip():
            self.say(StepKind.NOTICE if was_stopped else StepKind.THINKING, thought)
        self.hold_against(turn, "swe-agent", "trajectory.")
        if was_stopped or not action:
            return
        command, *rest = action.split(None, 2)
        name = _TOOL_OF.get(rest[0] if command == "str_replace_editor" and rest else command, "bash")
        given = {"command": action}
        if path := _path(name, rest, turn.get("state")):
            given["path"] = path
        self.ask(id_, name, given)
        self.answer(id_, text_of(turn, "observation") or "")


def _config(value: object) -> Record:
    """Return the settings of the run, which may be JSON in a text."""
    config = parsed(value)
    return config if isinstance(config, dict) else {}


def _prompts(record: Record) -> list[str]:
    """Return what the agent was told before it began, without demonstrations."""
    found: list[str] = []
    for message in objects_of(record, "history"):
        if message.get("role") == "assistant" and not message.get("is_demo"):
            break
        if message.get("role") == "user" and not message.get("is_demo"):
            found.append(texts_of(message.get("content")))
    return [text for text in found if text.strip()]


def _path(tool: str, rest: list[str], state: object) -> str | None:
    """Return the file that is read or changed: the one that the command names, or that is open."""
    if tool not in ("read", "edit"):
        return None
    words_of = " ".join(rest).split() if tool == "read" else rest[-1].split()[:1] if rest else []
    named = next((part for part in words_of if "/" in part or "." in part), None)
    return named or text_of(_config(state), "open_file")


def _ended(status: str | None) -> tuple[Status, str | None]:
    """Return how a run ended. One that was stopped may have submitted what there was: "submitted (exit_cost)"."""
    if status is None:
        return Status.INTERRUPTED, None
    if status == "submitted":
        return Status.OK, None
    return next((end for word, end in _WHY.items() if word in status), (Status.FAILED, "early exit"))
