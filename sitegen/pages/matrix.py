"""Tasks by models: in each cell the attempts as signs, placed at what they cost.

It answers at once whether it worked and at what price. All cells share one scale of dollars, so that they can be
compared; where there is no room for that, above MAX_PLACED columns, the signs stand in a row. Above MAX_ATTEMPTS a
cell says its figures in words, and what is above MAX_TASKS or MAX_MODELS is left to the pages of the groups.
"""

import math
from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from sitegen import figures
from sitegen.charts.findings import label
from sitegen.figures import StatusView, outcome_view, status_view
from sitegen.html.render import View
from sitegen.model import Entry, Outcome, Status
from sitegen.numbers.statistics import Dimension, dimension_of, group_by
from sitegen.numbers.success import Success, is_cut_short, is_infrastructure_failure, success
from sitegen.numbers.verdicts import Difficulty
from sitegen.numbers.wording import counts, in_letters
from sitegen.pages.views import group_path, model_class, score_columns, score_text
from sitegen.text.names import run_path

MAX_ATTEMPTS, MAX_TASKS, MAX_PLACED, MAX_MODELS, MAX_SCORES = 6, 40, 3, 12, 2

PITCH = 24  # pixels from one attempt to the next: each is pressed as a row

_BESIDE = 15  # pixels from one attempt to the next where they stand in a row

_TICK_SIGNS = 16
"""The limit on the signs of all labels of the scale: more would run together under three models."""


def matrix_view(entries: Sequence[Entry], leaders: Sequence[str] = ()) -> View | None:
    """Return the matrix, its columns in the order of the leaderboard, then those of the most runs; None unless there
    are several tasks and several models."""
    of_tasks = [entry for entry in entries if entry.task]
    dimension = dimension_of(of_tasks)
    tasks, models, kind = (
        group_by(of_tasks, Dimension.TASK),
        group_by(of_tasks, dimension),
        dimension.value,
    )
    places = {name: place for place, name in enumerate(leaders)}
    ranked = sorted(
        models, key=lambda name: (places.get(name, len(places)), -len(models[name]), name)
    )
    names = ranked[:MAX_MODELS]
    is_dense = len(names) > MAX_PLACED
    if len(tasks) < 2 or len(models) < 2:
        return None
    attempted = {
        task: runs
        for task, runs in tasks.items()
        if not {entry.compared_as for entry in runs}.isdisjoint(names)
    }
    if len(attempted) > MAX_TASKS:
        attempted = dict(
            sorted(attempted.items(), key=lambda item: _says_little(item[1], dimension))
        )
    shown = dict(list(attempted.items())[:MAX_TASKS])
    judged = any(entry.outcome for entry in entries)
    cells_of = {
        task: [[run for run in runs if run.compared_as == name] for name in names]
        for task, runs in shown.items()
    }
    sizes = [len(own) for of_names in cells_of.values() for own in of_names]
    drawn = [
        run
        for of_names in cells_of.values()
        for own in of_names
        if len(own) <= MAX_ATTEMPTS
        for run in own
    ]
    costs = [entry.run.spent_usd for entry in drawn if entry.run.spent_usd]
    listed = " or list price" if any(entry.run.cost_is_computed for entry in drawn) else ""
    scale = max(costs, default=0.0) * 1.06
    ticks = [] if is_dense else _ticks(scale)
    columns = score_columns(entries)
    rows = []
    for task, of_names in cells_of.items():
        most = max(len(own) if len(own) <= MAX_ATTEMPTS else 0 for own in of_names)
        # Like attempts lie side by side, and the lines of the scale run through the row.
        height = PITCH * (min(most, 1) if is_dense else most)
        mark = partial(_mark, scale=None if is_dense else scale, judged=judged, columns=columns)
        cells = tuple(
            _cell(own, mark, height, is_dense=is_dense) if own else None for own in of_names
        )
        rows.append(View(task=task, href=group_path("task", task), cells=cells))
    left = (("more task", len(tasks) - len(shown)), (f"more {kind}", len(models) - len(names)))
    more = [figures.plural(count, what) for what, count in left if count]
    has_several = len({entry.campaign for entry in entries}) > 1
    shows_cost = bool(costs) and not is_dense
    place = (
        f"position shows cost{listed}"
        if shows_cost
        else "each mark is an attempt and links to its run"
    )
    without = f"cells of more than {in_letters(MAX_ATTEMPTS)} attempts have no marks"
    told = [*(["how many passed"] if judged else []), *(["what each cost"] if shows_cost else [])]
    notes = [*(["campaign by campaign"] if has_several else []), *([place] if drawn else [])]
    notes += [without] if max(sizes) > MAX_ATTEMPTS else []
    return View(
        heading="Did it work?" if judged else f"Tasks by {kind}s",
        caption=f"Attempts by task and {kind}{': ' * bool(told)}{', and '.join(told)}",
        title=_finding(tasks)
        or f"{_of(len(shown), len(tasks), 'task')} by {_of(len(names), len(models), kind)}",
        note=f"{'; '.join(notes)}.".capitalize(),
        legend=tuple(sorted({_sign(entry, judged) for entry in drawn}, key=_SIGNS.index)),
        # Display name, CSS class suffix, page, and the name as the data have it.
        models=tuple(
            (label(name), model_class(name), group_path(kind, name), name) for name in names
        ),
        rows=tuple(rows),
        # The totals of each model over all tasks, the first word strong.
        totals=tuple(_said(models[name], is_dense) for name in names),
        # Labels of the scale, the same under each model.
        ticks=ticks,
        more=f"And {' and '.join(more)}." if more else None,
        # Whether signs stand in a row, not at what their runs cost.
        is_dense=is_dense,
    )


def _says_little(runs: Sequence[Entry], dimension: Dimension) -> tuple[bool, bool, int]:
    """Return what tasks are ordered by where not all have room: those on which configurations differ come first, then
    judged ones, then those of most configurations."""
    rates = {name: success(own).rate for name, own in group_by(runs, dimension).items()}
    known = {rate for rate in rates.values() if rate is not None}
    return len(known) < 2, not known, -len(rates)


def _of(shown: int, known: int, what: str) -> str:
    return (
        figures.plural(known, what)
        if shown == known
        else f"{shown} of {figures.plural(known, what)}"
    )


def _cell(
    runs: Sequence[Entry],
    mark: Callable[[Entry, int], View],
    height: int,
    *,
    is_dense: bool,
) -> View:
    """Return the attempts of one model at one task, as marks where there are not too many."""
    runs = sorted(
        runs, key=lambda entry: (entry.campaign or "", entry.attempt is None, entry.attempt or 0)
    )
    strong, rest = _said(runs, is_dense)
    marks = tuple(map(mark, runs, range(len(runs)))) if len(runs) <= MAX_ATTEMPTS else ()
    costs = [entry.run.spent_usd for entry in runs if entry.run.spent_usd is not None]
    about = "≈ " if any(entry.run.cost_is_computed for entry in runs) else ""
    mean = f", {about}{figures.money(math.fsum(costs) / len(costs))} per run" if costs else ""
    label = f"{figures.plural(len(runs), 'attempt')}{mean}"
    return View(strong=strong, rest=rest, marks=marks, height=height, label=label)


def _said(runs: Sequence[Entry], is_dense: bool) -> tuple[str, str]:
    """Return how many passed, or how many runs there are."""
    judged = success(runs)
    if judged.judged:
        return figures.count(
            judged.passed
        ), f"of {figures.count(judged.judged)}{'' if is_dense else ' pass'}"
    return figures.count(len(runs)), "run" if len(runs) == 1 else "runs"


def _mark(
    entry: Entry,
    at: int,
    *,
    scale: float | None,
    judged: bool,
    columns: Mapping[str, figures.FigureFormat],
) -> View:
    """Return an attempt with its place, per cent of the width or pixels from the left, and pixels from the top; without
    a scale they stand in a row."""
    cost = entry.run.spent_usd
    sign = _sign(entry, judged)
    turns = entry.run.turns
    scores = (score_text(score, columns[score.name]) for score in entry.scores[:MAX_SCORES])
    paid = figures.cost(entry.run) + " at list price" * entry.run.cost_is_computed
    mark = (
        ["cut short"] if is_cut_short(entry) and entry.outcome not in (None, Outcome.ERROR) else []
    )
    told = [sign.word, *mark, *scores, "cost not reported" if cost is None else paid]
    told += [] if turns is None else [figures.plural(turns, "turn")]
    title = f"{entry.name}: {', '.join(told)}" + (f"\n{entry.note}" if entry.note else "")
    x: float | None = 8 + _BESIDE * at
    y = PITCH // 2
    if scale is not None:
        # Where the cost is unknown, the mark stands at the right end, apart.
        x = cost / scale if cost is not None and scale else None
        y += PITCH * at
    return View(href=run_path(entry.id), title=title, x=x, y=y, sign=sign)


_NO_VERDICT = StatusView("not judged", "ask", "muted", None)


def _sign(entry: Entry, judged: bool) -> StatusView:
    """Return the outcome; without one, how the run ended, where that cannot be taken for a verdict of a judged
    campaign."""
    if entry.outcome:
        return outcome_view(entry.outcome)
    return (
        _NO_VERDICT
        if judged and not is_infrastructure_failure(entry)
        else status_view(entry.run.status)
    )


_SIGNS = [*map(outcome_view, Outcome), *map(status_view, Status), _NO_VERDICT]
"""The signs in the order in which the facets of the table list outcomes and statuses."""


def _finding(tasks: dict[str, tuple[Entry, ...]]) -> str:
    """Return how often the tasks that were solved most often, and those that were solved least, were solved, by all
    configurations; empty unless several were judged."""
    judged = {task: outcome for task, runs in tasks.items() if (outcome := success(runs)).judged}
    if len(judged) < 2:
        return ""
    rates = [outcome.rate or 0.0 for outcome in judged.values()]
    best = {task: outcome for task, outcome in judged.items() if outcome.rate == max(rates)}
    worst = {task: outcome for task, outcome in judged.items() if outcome.rate == min(rates)}
    if best == worst:
        return solved_alike([*judged.values()])
    most = f"{in_letters(len(best))} were" if len(best) > 1 else f"{next(iter(best))} was"
    least = in_letters(len(worst)) if len(worst) > 1 else next(iter(worst))
    most = f"{most} solved {_how_often([*best.values()])}"
    least = f"{least} {_how_often([*worst.values()])}"
    return f"Of {in_letters(len(judged))} judged tasks, {most}, {least}"


def solved_alike(judged: Sequence[Success | Difficulty]) -> str:
    """Return the sentence of several tasks of one rate."""
    each = (
        f" ({counts(judged[0])} each)" if len({outcome.judged for outcome in judged}) == 1 else ""
    )
    if not judged[0].passed:
        return f"No task was solved{each}"
    return f"Each task was solved {_how_often(judged)}"


def _how_often(alike: Sequence[Success | Difficulty]) -> str:
    """Return `in every attempt` or `in 3 of 4 attempts`, of tasks of one rate."""
    one = alike[0]
    if one.passed in (0, one.judged):
        return "in every attempt" if one.passed else "in none"
    if 2 * one.passed == one.judged:
        return "in half of the attempts"
    is_same = len({outcome.judged for outcome in alike}) == 1
    return (
        f"in {counts(one) if is_same else figures.percent(one.passed, one.judged) + ' of'} attempts"
    )


def _ticks(scale: float) -> tuple[tuple[float, str], ...]:
    """Return two to four round amounts on a scale from zero, as many as have room; without cents from a dollar on."""
    if not scale:
        return ()
    steps = [size * 10.0**power for power in range(-4, 10) for size in (1, 2, 5)]
    for step in steps[bisect(steps, scale / 4) :]:
        amounts = [n * step for n in range(int(scale / step) + 1)]
        labels = [
            "$0",
            *(figures.money(usd) if step < 1 else f"${usd:,.0f}" for usd in amounts[1:]),
        ]
        if len("".join(labels)) <= _TICK_SIGNS:
            break
    return tuple((usd / scale, label) for usd, label in zip(amounts, labels, strict=True))
