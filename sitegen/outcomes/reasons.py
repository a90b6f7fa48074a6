"""The reasons why a row or a cell does not count, or counts and is doubtful: codes with fields, and their sentences.

The other modules name a reason and its fields; this one alone writes sentences.
"""

from collections.abc import Mapping
from enum import Enum

from sitegen.model import frozen

MAX_LABELS = 50

_NO_RUN, _ROW = "W_OUTCOME_UNMATCHED", "W_OUTCOME_ROW"
_SEVERAL, _CONFLICT = "W_OUTCOME_AMBIGUOUS", "W_OUTCOME_CONFLICT"


class Why(Enum):
    """The reasons: the code of the problem, and the sentence with its fields."""

    # A file is about no run.
    NOTHING_STATED = (
        "E_OUTCOMES",
        "It says nothing about any run: it has no outcome, no labels, no started_at and no score. "
        "If its columns have other names, list them in the settings, under columns.",
    )
    NOTHING_BESIDE = _NO_RUN, "There is no run called {name} beside it."
    NO_RUN_IN_FOLDER = (
        _NO_RUN,
        "It describes no run: its folder has none of its name, and not exactly one, in it or below.",
    )
    UNUSED_PATTERN = (
        _NO_RUN,
        "The pattern {pattern} matches none of the files in it that no earlier item reads.",
    )

    # A cell or a row cannot be read.
    NOT_AN_OBJECT = _ROW, "It is not an object."
    WRONG_WIDTH = _ROW, "It has {cells} and the header has {columns}."
    NAMES_NO_RUN = _ROW, "It names no run: fill in {keys} or {last}."
    NOT_TEXT = _ROW, "{name} is not text."
    LONG_TEXT = _ROW, "{name} is longer than {most} characters."
    BAD_ATTEMPT = _ROW, "attempt must be a whole number, not {value}."
    BAD_OUTCOME = _ROW, "The outcome {value} is unknown: write pass, fail, partial or error."
    BAD_CLAIM = _ROW, "The claim {value} is unknown: write yes or no."
    BAD_LABELS = _ROW, "labels must be a list of words, or words with ; between them."
    LONG_LABELS = _ROW, "labels may be {labels} of {most} characters at most."
    BAD_MOMENT = _ROW, "started_at must be a moment such as 2026-01-31T12:00:00Z, not {value}."
    NO_TIME_ZONE = (
        _ROW,
        "started_at needs a time and a time zone, such as 2026-01-31T12:00:00Z, not {value}.",
    )
    BAD_SECTION = _ROW, "scores must be a section such as {{speedup: 2.5}}. It is left out."
    BAD_DIRECTION = _ROW, "The direction of {name} must be higher or lower."
    BAD_SCALE = _ROW, "The scale of {name} must be linear or ratio."
    BAD_NUMBER = _ROW, "The score {name} must be a number, not {value}."
    BAD_RATIO = _ROW, "The score {name} is a ratio and must be above zero, not {value}."
    TOO_MANY_LABELS = _ROW, f"A run may have {MAX_LABELS} labels; the others are ignored."

    # A row of the task table does not count.
    NO_TASK_NAMED = _ROW, "It names no task: fill in the column task."
    TASK_TWICE = _ROW, "The task '{task}' is in an earlier row, which counts; remove one of them."
    TASKS_WITHOUT_ROW = _NO_RUN, "It has no row for {tasks} of the runs, such as {first}."

    # A row is about no run, or nobody knows about which.
    FILE_UNREADABLE = (
        _NO_RUN,
        "The file '{path}' could not be read, so this counts for no run.",
    )
    NO_SUCH_NAME = _NO_RUN, "No run has the {column} '{name}'."
    NO_SUCH_TASK = (
        _NO_RUN,
        "No run has the task '{task}': if runs call it otherwise, add `names: {{task: {{{key}: name in the path}}}}`; "
        "if runs have no task, add a pattern.",
    )
    NO_SUCH_COMMIT = _NO_RUN, "No run has the commit '{commit}'."
    NOT_IN_CAMPAIGN = _NO_RUN, "No run of the {task} is in the campaign '{campaign}'."
    NOT_OF_MODEL = _NO_RUN, "No run of the {task}{campaign} has the model '{model}'{known}."
    NOT_OF_FACTORS = (
        _NO_RUN,
        "No run of the {task}{campaign} has the agent, or another factor, that the row names.",
    )
    NOT_THAT_ATTEMPT = _NO_RUN, "No run of the {task}{campaign}{model} is attempt {attempt}."
    SEVERAL_RUNS = (
        _SEVERAL,
        "It fits {count} runs ({first}{more}), so it counts for none: add what distinguishes them.",
    )
    MANY_OF_REPORT = (
        "",
        "{where}{count} of {all} count for nothing, on {tasks}. The first: {first}",
    )

    # Rows contradict each other, or the run.
    CONTRADICTION = (
        _CONFLICT,
        "It says {what} {value} of {run}; {other} says {counts}, which counts.",
    )
    OTHER_MODEL = _CONFLICT, "It says model {model} of {run}; {known}, which counts."
    SAID_TWICE = "W_OUTCOME_TWICE", "It says outcome {value} of {run}; line {line} says so already."
    REPORTS_DISAGREE = (
        _SEVERAL,
        "Reports that no setting names contradict each other about {run}: {first} says {outcome}, {other} does not. "
        "None counts; name the one that is about this run under `outcomes`.",
    )
    MEASURED_OTHERWISE = (
        _CONFLICT,
        "{where}{figures} of {tasks} {differ} from what ranks before it and counts, such as {first}.",
    )
    OTHER_MODEL_MEASURED = (
        _CONFLICT,
        "{runs} compared with what was measured with another model, such as this one of {served}.",
    )


@frozen
class Reason:
    """A reason with its fields."""

    why: Why
    fields: Mapping[str, object]

    @property
    def code(self) -> str:
        """The code of the problem."""
        return self.why.value[0]

    @property
    def sentence(self) -> str:
        """The reason as a sentence."""
        return self.why.value[1].format_map(self.fields)


def because(why: Why, **fields: object) -> Reason:
    """Return a reason with these fields."""
    return Reason(why, fields)


class BadCell(Exception):  # noqa: N818  a fault of a cell: what is wrong with it
    """A cell that cannot be read."""

    def __init__(self, why: Why, **fields: object) -> None:
        self.reason = because(why, **fields)
