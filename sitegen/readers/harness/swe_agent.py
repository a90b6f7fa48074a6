"""Reads the trajectories of SWE-agent, `<task>.traj`, from 0.5 to 1.x.

Tokens that were sent are one count, cached or not, so cache reads and writes are unknown. `total_cost` is that of a
whole batch; `instance_cost` is the run's, and 0 where a trajectory was replayed or written by hand: then it is
unknown. `turns` are calls of the model, or turns where none was called. There are no times but those of commands. A
patch is listed among the further fields.

| Field | Meaning |
|--|--|
| `replay_config.problem_statement.id` | the task; else the name of the file |
| `replay_config.agent.model` | model and effort |
| `history` | prompts, until the first answer; those of demonstrations do not count |
| `trajectory.thought`, `.response` | what the model thought |
| `trajectory.action`, `.observation` | a command and its result |
| `trajectory.state` | the open file and the folder, as JSON |
| `info.model_stats.api_calls` | turns |
| `info.model_stats.tokens_sent`, `.tokens_received` | tokens of all requests |
| `info.model_stats.instance_cost` | cost in USD |
| `info.exit_status` | how the run ended |
| `info.submission` | the patch |
"""

import posixpath

from sitegen.model import Status, Tokens
from sitegen.readers.common.builder import Format, RunBuilder
from sitegen.readers.common.endings import ends_of
from sitegen.readers.common.fields import field_kinds
from sitegen.readers.common.record_reader import WholeFormat
from sitegen.readers.common.records import (
    Record,
    count_of,
    object_of,
    objects_of,
    parsed_object,
    text_at,
    text_of,
    text_or_empty,
    texts_in,
)
from sitegen.readers.common.tool_log import ToolResult
from sitegen.steps import StepKind

# Commands of its own by what they do; every other is one of the shell.
_TOOLS = {
    "read": "open goto scroll_up scroll_down view",
    "search": "find_file search_dir search_file",
    "edit": "edit create insert str_replace undo_edit",
}
_OF_OPEN_FILE = ("edit", "insert")  # change it, whatever words the new text has
_TOOL_OF = {command: tool for tool, commands in _TOOLS.items() for command in commands.split()}
_WHY = ends_of("swe-agent")  # the meaning of an exit status that is more than "submitted"


def read_trajectory(record: Record, run: RunBuilder) -> bool:
    info = object_of(record, "info")
    turns = objects_of(record, "trajectory")
    if not isinstance(record.get("trajectory"), list) or "info" not in record:
        return False
    if turns and not any("action" in turn or "observation" in turn for turn in turns):
        return False
    config = parsed_object(record.get("replay_config"))
    problem = object_of(config, "problem_statement")
    run.model = text_at(object_of(config, "agent"), "model.name")
    run.see_effort(config, "agent.model.completion_kwargs.reasoning_effort")
    run.task = text_of(problem, "id") or run.file.name
    for prompt in _prompts(record):
        run.add_text(StepKind.PROMPT, prompt)
    for number, turn in enumerate(turns):
        _read_turn(run, turn, str(number))
    run.tools.add_patch(text_of(info, "submission"))
    stats = object_of(info, "model_stats")
    run.turns = count_of(stats, "api_calls") or len(turns)
    run.cost_usd = run.amount_of(stats, "instance_cost") or None
    sent = count_of(stats, "tokens_sent")
    output = count_of(stats, "tokens_received")
    if sent or output:
        run.add_tokens(Tokens(sent or None, None, None, output or None), is_request=False)
    run.note_no_usage()
    run.end(*_ended(text_of(info, "exit_status")))
    run.fields = {f"info.{name}": value for name, value in info.items()}
    run.check_fields(info, "swe-agent info", "info.")
    return True


def _read_turn(run: RunBuilder, turn: Record, id_: str) -> None:
    action = text_or_empty(turn, "action").strip()
    thought = text_of(turn, "thought") or text_of(turn, "response")
    was_stopped = action.startswith("exit_")
    if thought and thought.strip():
        run.add_text(StepKind.NOTICE if was_stopped else StepKind.THINKING, thought)
    run.check_fields(turn, "swe-agent", "trajectory.")
    if was_stopped or not action:
        return
    command, *rest = action.split(None, 2)
    name = _TOOL_OF.get(rest[0] if command == "str_replace_editor" and rest else command, "bash")
    arguments = {"command": action}
    state = parsed_object(turn.get("state"))
    path = _open_file(state) if command in _OF_OPEN_FILE else _path(name, rest) or _open_file(state)
    edited: set[str] = set()
    if name in ("read", "edit") and path:
        arguments["path"] = path
    if name == "edit" and path:
        edited.add(posixpath.join(text_or_empty(state, "working_dir"), path))
    run.add_call(id_, name, arguments)
    run.add_result(ToolResult(id_, text_or_empty(turn, "observation"), paths=edited))


SWE_AGENT = WholeFormat(
    Format(
        "SWE-agent trajectory",
        is_whole=True,
        thinks_aloud=True,
        field_kinds=field_kinds(
            prompt="info.review",
            content="info.submission info.edited_files30 info.edited_files50 info.edited_files70",
        ),
    ),
    read_trajectory,
)


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
