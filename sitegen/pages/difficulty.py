"""Tasks by difficulty: the hardest first, each with how often it was passed and what that says of further attempts."""

from collections.abc import Mapping, Sequence, Set
from functools import partial

from sitegen import figures
from sitegen.html.render import View
from sitegen.model import Entry
from sitegen.numbers.statistics import Dimension, dimension_of, group_by
from sitegen.numbers.success import consistency, is_judged, success
from sitegen.numbers.verdicts import Difficulty, difficulties
from sitegen.numbers.wording import counts, in_letters
from sitegen.pages.matrix import solved_alike
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
    judged = {task: success(runs) for task, runs in by_task.items()}
    found = difficulties({task: (each.passed, each.judged) for task, each in judged.items()})
    if len(found) < 2:
        return None
    sides = {
        task: {run.compared_as for run in runs if is_judged(run)} for task, runs in by_task.items()
    }
    tried = [task for task in found if len(sides[task]) > 1]
    names = list(found)
    is_many = len(names) > MAX_TASKS
    shown, rest = (names[:MAX_HARDEST], names[MAX_HARDEST:-MAX_EASIEST]) if is_many else (names, [])
    left = len(rest) - MAX_FOLDED
    row = partial(_task, tried=frozenset(tried))
    is_drawn = next(iter(found.values())).further is not None
    return View(
        title=_title(found, tried, f"{dimension_of(of_tasks).value}s"),
        note=(_NOTE if is_drawn else "Counts only: from five tasks on an interval is drawn.")
        + _consistency(of_tasks),
        tasks=tuple(row(name, found[name]) for name in shown),
        # The easiest of many tasks; the hardest are `tasks` then.
        easiest=tuple(row(name, found[name]) for name in names[-MAX_EASIEST:]) if is_many else (),
        # The tasks between them, the hardest first.
        folded=tuple(row(name, found[name], is_drawn=False) for name in rest[:MAX_FOLDED]),
        more=f"And {figures.plural(left, 'more task')}, which their runs lead to."
        if left > 0
        else None,
    )


def _consistency(entries: Sequence[Entry]) -> str:
    """Return how alike attempts of one task are, as a sentence; empty where no task was attempted twice."""
    if (consistent := consistency(entries)) is None:
        return ""
    configurations = {entry.compared_as for entry in entries}
    per = " per configuration" if len(configurations) > 1 else ""
    text = f" {figures.percent(consistent.same_share, 1)} of pairs of attempts of one task have the same verdict; "
    of_tasks = figures.plural(consistent.tasks, "repeated task")
    have = "has" if consistent.both == 1 else "have"
    return f"{text}{figures.count(consistent.both)} of {of_tasks}{per} {have} both."


_NOTE = "Expected: pass rate of further attempts; few attempts pull it towards the mean."


def _title(found: Mapping[str, Difficulty], tried: Sequence[str], kinds: str) -> str:
    """Return the hardest of what was seen, and how many of the tasks that several tried say nothing about who is
    better."""
    ordered = list(found.items())
    rates = [each.rate for each in found.values()]
    (hardest, one), (easiest, other) = ordered[0], ordered[-1]
    is_lowest = one.rate == min(rates)  # few attempts are drawn further towards the mean
    ties = [
        each
        for each in found.values()
        if (each.rate == one.rate if is_lowest else each.expected == one.expected)
    ]
    if len(ties) == len(found):
        return solved_alike(ties)
    is_same = len({counts(each) for each in ties}) == 1
    told = counts(one) if is_same else f"{figures.percent(one.passed, one.judged)} passed"
    first = f"{in_letters(len(ties))} tasks".capitalize() if ties[1:] else hardest
    how = "the hardest here" if is_lowest else "expected to be the hardest"
    title = f"{first} {'are' if ties[1:] else 'is'} {how} ({told})"
    title += f", {easiest} the easiest ({counts(other)})" if other.rate > max(rates[:-1]) else ""
    if alike := sum(found[task].is_alike for task in tried):
        verb = "does" if alike == 1 else "do"
        base = f"{figures.count(len(tried))} tasks"
        base = base if len(tried) == len(found) else f"the {base} that two or more tried"
        title += f"; {figures.count(alike)} of {base} {verb} not separate {kinds}"
    return title


def _task(name: str, each: Difficulty, tried: Set[str], *, is_drawn: bool = True) -> View:
    path = group_path("task", name)
    remark = ""
    if each.is_alike and name in tried:
        remark = "all passed" if each.passed else "none passed"
    link = LinkView(path, name)
    runs = LinkView(f"{path}#runs", counts(each))
    view = View(link=link, counts=runs, remark=remark, expected="", interval="", mark=None)
    ends = each.interval if is_drawn else None
    if ends is None:
        return view
    interval = figures.from_to(ends.low, ends.high, figures.share)
    mark = mark_of(each.expected, ends, 1.0, "soft")
    return view.but(expected=figures.share(each.expected), interval=interval, mark=mark)
