"""The steps of an agent: made by readers one after the other, never all in memory.

A step is raw: its texts are as hostile as the file, until `masking` has seen them. Only counts are kept of steps,
`model.StepCounts`. Times are milliseconds since 1970, UTC, and None where the file states none.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from sitegen.model import Tokens, Value


class StepKind(StrEnum):
    """The kind of a step."""

    PROMPT = "prompt"  # what the agent was told, by a person, a loop or another agent
    TEXT = "text"  # what the agent said
    THINKING = "thinking"
    TOOL_CALL = "tool call"  # with its answer
    SUBAGENT = "subagent"  # a subagent begins: the call that starts it stands where it is answered
    COMPACTION = "compaction"  # the context was replaced by a summary
    HOOK = "hook"
    DENIAL = "denial"
    API_ERROR = "API error"
    RETRY = "retry"  # of a call of the API
    NOTICE = "notice"  # of the program: a background task ended, the user interrupted
    RESULT = "result"  # a part of the session ends here


class ToolKind(StrEnum):
    """The kind of a tool, in the order in which pages list them."""

    READ = "read"
    SEARCH = "search"
    EDIT = "edit"
    RUN = "run"
    FETCH = "fetch"
    TASK = "task"  # it starts a subagent
    WAIT = "wait"  # it waits for a command that runs in the background, or for time to pass
    OTHER = "other"


class Trait:
    """Bits of `ToolCall.traits`: what a reader sees of a call in full, which an outline does not publish."""

    REPEAT: Final = 1  # tool, input and answer are those of the call before it, of the same agent, but for polling
    TEST: Final = 2  # a command that runs tests
    PASSING: Final = 4  # such a command, neither flagged as an error nor answered with failed tests
    TEST_FILE: Final = 8  # an edit of a test
    CODE: Final = 16  # an edit of anything but prose and temporary files
    UNSEEN: Final = (
        32  # a command that the record does not state, or that may be a check of the project
    )
    CANCELLED: Final = 64  # it failed only because another call of its message did
    FAILED_BEFORE: Final = (
        128  # a command that failed, as one with the same text did before in the run
    )


@dataclass(frozen=True, slots=True)
class ToolCall(Value):
    """A call of a tool and its answer."""

    id: str
    name: str
    kind: ToolKind
    target: str
    """The command, path, pattern or address, in one line once it is published; "" where the input has none."""
    purpose: str = ""
    program: str = ""
    input: str = ""  # its input as indented JSON, shortened; "" where contents are not asked for
    result: str | None = None
    """The text of its answer, shortened; None where the file has no answer, or contents are not asked for."""
    result_bytes: int = 0
    failed: bool | None = None
    """Whether the answer is flagged as an error; None where the file has no answer."""
    denied: bool = False
    exit_code: int | None = None
    answered_ms: int | None = None
    changes: str = ""
    """The changes of an edit: lines after `-` or `+`, shortened; "" where contents are not asked for."""
    lines_added: int | None = None
    lines_removed: int | None = None
    traits: int = 0
    input_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Step(Value):
    """One thing that happened."""

    number: int  # the number from 0, in the order of the steps of its run
    kind: StepKind
    place: int
    """Position of its record among those of its file, from 0; of a call, that of its question."""
    text: str = ""
    """The text that was said, or one sentence on what happened; "" for calls and for thinking that is not stated."""
    text_bytes: int = 0
    call: ToolCall | None = None
    """The call of a TOOL_CALL; for a SUBAGENT, the call that starts it, without its answer."""
    lane: str = ""
    """The lane of a subagent's step: it distinguishes this subagent from others. "" is the main agent."""
    starts: str = ""
    """The lane of a SUBAGENT; for the call behind it, the id of the subagent, where the answer states it."""
    part: int = 0
    at_ms: int | None = None  # the time at which a call was made, or a text was complete
    message_id: str | None = None
    """The id of the agent's message that it belongs to; several steps may share one."""
    model: str | None = None
    tokens: Tokens | None = None
    """The tokens of its message, on its first step, and those of messages without a step before it; no others."""
    context_tokens: int | None = None
    """The tokens sent with its message: input, cache writes and cache reads. On its first step only."""
