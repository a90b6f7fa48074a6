"""Tasks by models: in each cell the attempts as signs, placed at what they cost.

It answers at once whether it worked and at what price. All cells share one scale of dollars, so that they can be
compared; where there is no room for that, above MAX_PLACED columns, the signs stand in a row. Above MAX_ATTEMPTS a
cell says its figures in words, and what is above MAX_TASKS or MAX_MODELS is left to the pages of the groups.
"""

from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from statistics import fmean

from sitegen import figures
from sitegen.charts.findings import label
from sitegen.figures import StatusView, outcome_view, status_view
from sitegen.html.render import View
from sitegen.model import Entry, Outcome, Status, by_key
from sitegen.numbers.statistics import Dimension, dimension_of, group_by
from sitegen.numbers.success import is_cut_short, is_infrastructure_failure, success
from sitegen.numbers.wording import in_letters
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
    kind = dimension.value
    tasks = group_by(of_tasks, Dimension.TASK)
    models = group_by(of_tasks, dimension)
    if len(tasks) < 2 or len(models) < 2:
        return None
    names = _order_columns(models, leaders)[:MAX_MODELS]
    cells = {}
    drawn: list[Entry] = []
    for task in _choose_tasks(tasks, names, dimension):
        cells[task] = _split_by_name(tasks[task], names)
        for runs in cells[task]:
            drawn += _drawn(runs)
    drawing = _Drawing(
        is_dense=len(names) > MAX_PLACED,
        is_judged=any(entry.outcome for entry in entries),
        most_usd=max((run.run.spent_usd or 0.0 for run in drawn), default=0.0),
        columns=score_columns(entries),
    )
    return View(
        heading="Did it work?" if drawing.is_judged else f"Tasks by {kind}s",
        caption=f"Attempts by task and {kind}",
        title=f"{figures.plural(len(tasks), 'task')} by {figures.plural(len(models), kind)}",
        note=drawing.note(drawn, has_more=len(drawn) < _count_runs(cells)),
        legend=tuple(sorted(set(map(drawing.sign, drawn)), key=_SIGNS.index)),
        # Display name, CSS class suffix, page, and the name as the data have it.
        models=tuple(
            (label(name), model_class(name), group_path(kind, name), name) for name in names
        ),
        rows=tuple(map(drawing.row, cells, cells.values())),
        # The totals of each model over all tasks, the first word strong.
        totals=tuple(drawing.total(models[name]) for name in names),
        # Labels of the scale, the same under each model.
        ticks=_ticks(drawing.scale),
        more=_left_out(len(tasks) - len(cells), len(models) - len(names), kind),
        # Whether signs stand in a row, not at what their runs cost.
        is_dense=drawing.is_dense,
    )


def _order_columns(models: Mapping[str, Sequence[Entry]], leaders: Sequence[str]) -> list[str]:
    by_runs = sorted(models, key=lambda name: (-len(models[name]), name))
    leading = [name for name in leaders if name in models]
    return list(dict.fromkeys([*leading, *by_runs]))


def _choose_tasks(
    tasks: Mapping[str, Sequence[Entry]], names: Sequence[str], dimension: Dimension
) -> list[str]:
    """Return the tasks that one of these attempted, as many as have room: those that say most."""
    attempted = [task for task, runs in tasks.items() if any(_split_by_name(runs, names))]
    if len(attempted) > MAX_TASKS:
        attempted.sort(key=lambda task: _says_little(tasks[task], dimension))
    return attempted[:MAX_TASKS]


def _split_by_name(runs: Sequence[Entry], names: Sequence[str]) -> list[list[Entry]]:
    by_name = by_key(runs, lambda run: run.compared_as)
    return [by_name.get(name, []) for name in names]


def _says_little(runs: Sequence[Entry], dimension: Dimension) -> tuple[bool, bool, int]:
    """Return what tasks are ordered by where not all have room: those on which configurations differ come first, then
    judged ones, then those of most configurations."""
    rates = [success(attempts).rate for attempts in group_by(runs, dimension).values()]
    known = set(rates) - {None}
    return len(known) < 2, not known, -len(rates)


def _left_out(tasks: int, names: int, kind: str) -> str:
    """Return how many tasks and columns have no room; empty if all have."""
    more = [figures.plural(tasks, "more task")] if tasks else []
    if names:
        more.append(figures.plural(names, f"more {kind}"))
    return f"And {' and '.join(more)}." if more else ""


def _count_runs(cells: Mapping[str, Sequence[Sequence[Entry]]]) -> int:
    return sum(len(runs) for attempts in cells.values() for runs in attempts)


def _drawn(runs: Sequence[Entry]) -> Sequence[Entry]:
    """Return the attempts of a cell that have marks: all, or none of too many."""
    return runs if len(runs) <= MAX_ATTEMPTS else ()


@dataclass(frozen=True, slots=True)
class _Drawing:
    """The way in which attempts are drawn and worded."""

    is_dense: bool  # whether signs stand in a row, not at what their runs cost
    is_judged: bool
    most_usd: float  # the highest cost of an attempt with a mark
    columns: Mapping[str, figures.FigureFormat]

    @property
    def scale(self) -> float:
        """USD at the right end; 0 where no place shows a cost."""
        return 0.0 if self.is_dense else self.most_usd * 1.06

    def note(self, drawn: Sequence[Entry], *, has_more: bool) -> str:
        """Return the sentence on how to read the marks; empty without any. With `has_more`, some attempts have none."""
        if not drawn:
            return ""
        note = (
            "Position shows cost" if self.scale else "Each mark is an attempt and links to its run"
        )
        if self.scale and any(run.run.cost_is_computed for run in drawn):
            note += " or list price"
        if len({run.campaign for run in drawn}) > 1:
            note = f"Campaign by campaign; {note.lower()}"
        if has_more:
            note += f"; cells of more than {in_letters(MAX_ATTEMPTS)} attempts have no marks"
        return f"{note}."

    def row(self, task: str, attempts: Sequence[Sequence[Entry]]) -> View:
        """Return a row. Like attempts lie side by side, and the lines of the scale run through it."""
        most = max(len(_drawn(runs)) for runs in attempts)
        height = PITCH * (min(most, 1) if self.is_dense else most)
        cells = [self.cell(runs, height) for runs in attempts]
        return View(task=task, href=group_path("task", task), cells=cells)

    def cell(self, runs: Sequence[Entry], height: int) -> View | None:
        """Return the attempts of one model at one task, as marks where there are not too many; None without any."""
        if not runs:
            return None
        runs = sorted(runs, key=_by_attempt)
        strong, rest = self.total(runs)
        marks = tuple(map(self.mark, _drawn(runs), count()))
        costs = [run.run.spent_usd for run in runs if run.run.spent_usd is not None]
        label = figures.plural(len(runs), "attempt")
        if costs:
            is_computed = any(run.run.cost_is_computed for run in runs)
            label += f", {'≈ ' * is_computed}{figures.money(fmean(costs))} per run"
        return View(strong=strong, rest=rest, marks=marks, height=height, label=label)

    def total(self, runs: Sequence[Entry]) -> tuple[str, str]:
        """Return how many passed, or how many runs there are."""
        judged = success(runs)
        if not judged.judged:
            return figures.count(len(runs)), "run" if len(runs) == 1 else "runs"
        verb = "" if self.is_dense else " pass"
        return figures.count(judged.passed), f"of {figures.count(judged.judged)}{verb}"

    def mark(self, run: Entry, place: int) -> View:
        """Return an attempt with its place, per cent of the width or pixels from the left, and pixels from the top."""
        x: float | None = 8 + _BESIDE * place
        y = PITCH // 2
        if not self.is_dense:
            # Where the cost is unknown, the mark stands at the right end, apart.
            usd = run.run.spent_usd
            x = usd / self.scale if usd is not None and self.scale else None
            y += PITCH * place
        sign = self.sign(run)
        title = f"{run.name}: {', '.join(self.facts(run))}"
        if run.note:
            title += f"\n{run.note}"
        return View(href=run_path(run.id), title=title, x=x, y=y, sign=sign)

    def facts(self, run: Entry) -> Iterator[str]:
        """Yield how an attempt ended, its scores, its cost and its turns."""
        yield self.sign(run).word
        if is_cut_short(run) and run.outcome not in (None, Outcome.ERROR):
            yield "cut short"
        for score in run.scores[:MAX_SCORES]:
            yield score_text(score, self.columns[score.name])
        if run.run.spent_usd is None:
            yield "cost not reported"
        else:
            yield figures.cost(run.run) + " at list price" * run.run.cost_is_computed
        if run.run.turns is not None:
            yield figures.plural(run.run.turns, "turn")

    def sign(self, run: Entry) -> StatusView:
        """Return the outcome; without one, how the run ended, where that cannot be taken for a verdict of a judged
        campaign."""
        if run.outcome:
            return outcome_view(run.outcome)
        if self.is_judged and not is_infrastructure_failure(run):
            return _NO_VERDICT
        return status_view(run.run.status)


def _by_attempt(run: Entry) -> tuple[str, bool, int]:
    return run.campaign or "", run.attempt is None, run.attempt or 0


_NO_VERDICT = StatusView("not judged", "ask", "muted", None)


_SIGNS = [*map(outcome_view, Outcome), *map(status_view, Status), _NO_VERDICT]
"""The signs in the order in which the facets of the table list outcomes and statuses."""


def _ticks(scale: float) -> list[tuple[float, str]]:
    """Return two to four round amounts on a scale from zero, as many as have room; without cents from a dollar on."""
    if not scale:
        return []
    steps = [size * 10.0**power for power in range(-4, 10) for size in (1, 2, 5)]
    for step in steps[bisect(steps, scale / 4) :]:
        ticks = [(0.0, "$0")]
        for multiple in range(1, int(scale / step) + 1):
            usd = multiple * step
            ticks.append((usd / scale, figures.money(usd) if step < 1 else f"${usd:,.0f}"))
        if sum(len(label) for _, label in ticks) <= _TICK_SIGNS:
            break
    return ticks
