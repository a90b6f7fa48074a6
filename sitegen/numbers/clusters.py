"""Which question an interval answers, and so what counts as drawn: whole tasks, or single runs."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from sitegen.model import Entry


class Question(StrEnum):
    """What an interval of a rate or a mean is about. A comparison always asks the first."""

    TASKS_LIKE_THESE = "tasks like these"  # what other tasks of this kind would give
    THESE_TASKS = "these tasks"  # what further attempts at the same tasks would give


def clusters(entries: Iterable[Entry], question: Question = Question.TASKS_LIKE_THESE) -> list[list[Entry]]:
    """The runs by what counts as drawn: their task, or each run alone.

    Alone stands also each run whose task is unknown, and each where all are attempts of one task. In any order.
    """
    by_task: dict[str, list[Entry]] = {}
    alone: list[list[Entry]] = []
    for entry in entries:
        if entry.task is None or question is Question.THESE_TASKS:
            alone.append([entry])
        else:
            by_task.setdefault(entry.task, []).append(entry)
    if len(by_task) == 1 and not alone:
        return [[entry] for runs in by_task.values() for entry in runs]
    return [*by_task.values(), *alone]
