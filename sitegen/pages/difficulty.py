"""Tasks by difficulty: the hardest first, each with how often it was passed and what that says of further attempts."""

from collections.abc import Mapping, Sequence, Set

from sitegen import figures
from sitegen.html.render import View
from sitegen.model import Entry, by_key
from sitegen.numbers.statistics import Dimension, dimension_of, group_by
from sitegen.numbers.success import consistency, is_judged, success
from sitegen.numbers.verdicts import Difficulty, difficulties
from sitegen.numbers.wording import counts, in_letters
from sitegen.pages.views import LinkView, group_path, mark_of

MAX_TASKS = 60
"""The limit on tasks in the list: of more, the hardest and the easiest are shown and the rest is folded."""
MAX_HARDEST = 20
MAX_EASIEST = 5
MAX_FOLDED = 300


def difficulty_view(entries: Sequence[Entry]) -> View | None:
    """Return the view; None unless several tasks were judged."""
    of_tasks = [entry for entry in entries if entry.task]
    by_task = group_by(of_tasks, Dimension.TASK)
    counted = {}
    for task, runs in by_task.items():
        judged = success(runs)
        counted[task] = (judged.passed, judged.judged)
    tasks = difficulties(counted)
    if len(tasks) < 2:
        return None
    tried = frozenset(task for task in tasks if _is_tried_by_several(by_task[task]))
    rows = [_row(task, difficulty, tried) for task, difficulty in tasks.items()]
    is_many = len(rows) > MAX_TASKS
    between = rows[MAX_HARDEST:-MAX_EASIEST] if is_many else []
    left = len(between) - MAX_FOLDED
    folded = [row.but(expected="", interval="", mark=None) for row in between[:MAX_FOLDED]]
    note = _NOTE if rows[0].expected else _NOTE_OF_COUNTS
    return View(
        title=_title(tasks, tried, f"{dimension_of(of_tasks).value}s"),
        note=f"{note}{_consistency(of_tasks)}",
        tasks=rows[:MAX_HARDEST] if is_many else rows,
        # The easiest of many tasks; the hardest are `tasks` then.
        easiest=rows[-MAX_EASIEST:] if is_many else [],
        # The tasks between them, the hardest first.
        folded=folded,
        more=f"And {figures.plural(left, 'more task')}, which their runs lead to."
        if left > 0
        else None,
    )


def _is_tried_by_several(runs: Sequence[Entry]) -> bool:
    return len({run.compared_as for run in runs if is_judged(run)}) > 1


def _consistency(entries: Sequence[Entry]) -> str:
    """Return how alike attempts of one task are, as a sentence; empty where no task was attempted twice."""
    consistent = consistency(entries)
    if consistent is None:
        return ""
    configurations = {entry.compared_as for entry in entries}
    per = " per configuration" if len(configurations) > 1 else ""
    share = figures.share(consistent.same_share)
    tasks = figures.plural(consistent.tasks, "repeated task")
    return (
        f" Two attempts of a task have the same verdict in {share} of pairs; "
        f"{figures.count(consistent.both)} of {tasks}{per} passed and failed."
    )


_NOTE = "Expected: pass rate of further attempts; few attempts pull it towards the mean."
_NOTE_OF_COUNTS = "Counts only: from five tasks on an interval is drawn."


def _title(tasks: Mapping[str, Difficulty], tried: Set[str], kinds: str) -> str:
    """Return the tasks with the lowest and the highest rate, and how many of those that several tried say nothing about
    who is better."""
    by_rate = by_key(tasks, lambda task: tasks[task].rate)
    lowest = by_rate[min(by_rate)]
    highest = by_rate[max(by_rate)]
    if lowest == highest:
        return f"Each task was passed in {figures.share(min(by_rate))} of its judged attempts"
    title = f"Lowest pass rate: {_name(lowest, tasks)}; highest: {_name(highest, tasks)}"
    if alike := sum(tasks[task].is_alike for task in tried):
        tasks_tried = f"{figures.plural(len(tried), 'task')} that several tried"
        title += f"; all {kinds} or none passed {figures.count(alike)} of {tasks_tried}"
    return title


def _name(names: Sequence[str], tasks: Mapping[str, Difficulty]) -> str:
    """Return tasks of one rate: the only one, or how many there are."""
    first = tasks[names[0]]
    if len(names) == 1:
        return f"{names[0]} ({counts(first)})"
    return f"{in_letters(len(names))} tasks ({figures.share(first.rate)})"


def _row(task: str, difficulty: Difficulty, tried: Set[str]) -> View:
    path = group_path("task", task)
    remark = ""
    if difficulty.is_alike and task in tried:
        remark = "all passed" if difficulty.passed else "none passed"
    row = View(
        link=LinkView(path, task),
        counts=LinkView(f"{path}#runs", counts(difficulty)),
        remark=remark,
        expected="",
        interval="",
        mark=None,
    )
    ends = difficulty.interval
    if ends is None:
        return row
    return row.but(
        expected=figures.share(difficulty.expected),
        interval=figures.from_to(ends.low, ends.high, figures.share),
        mark=mark_of(difficulty.expected, ends, 1.0, "soft"),
    )
