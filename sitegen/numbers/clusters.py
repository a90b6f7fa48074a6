"""Which question an interval answers, and so what counts as drawn: whole tasks, or single runs."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TypeVar

from sitegen.model import Entry

T = TypeVar("T")


class Question(StrEnum):
    """What an interval of a rate or a mean is about. A comparison always asks the first."""

    TASKS_LIKE_THESE = "tasks like these"  # what other tasks of this kind would give
    THESE_TASKS = "these tasks"  # what further attempts at the same tasks would give


def clusters(entries: Iterable[Entry], question: Question = Question.TASKS_LIKE_THESE) -> list[list[Entry]]:
    """The runs by what counts as drawn: their task, or each run alone.

    Alone stands also each run whose task is unknown, and each where all are attempts of one task. In any order.
    """
    return clustered(((entry, entry) for entry in entries), question)


def clustered(figures: Iterable[tuple[Entry, T]], question: Question = Question.TASKS_LIKE_THESE) -> list[list[T]]:
    """The same of something that each run has."""
    by_task: dict[str, list[T]] = {}
    alone: list[list[T]] = []
    for entry, figure in figures:
        if entry.task is None or question is Question.THESE_TASKS:
            alone.append([figure])
        else:
            by_task.setdefault(entry.task, []).append(figure)
    if len(by_task) == 1 and not alone:
        return [[figure] for own in by_task.values() for figure in own]
    return [*by_task.values(), *alone]
