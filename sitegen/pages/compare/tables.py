"""The tables of a comparison, as their cells are written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from sitegen import figures
from sitegen.figures import UNKNOWN, outcome_view, times
from sitegen.html.render import View
from sitegen.model import Entry
from sitegen.numbers.comparison import Comparison, Contrast, Side, TaskPair
from sitegen.numbers.statistics import Measure, ScoreMeasure
from sitegen.numbers.success import Passes, success
from sitegen.numbers.wording import Claim, cut, signed
from sitegen.pages.compare.words import SideView, ahead_on, label_of, share, writer_of
from sitegen.pages.views import CellView, RowView, group_path, run_link
from sitegen.readers.common.fields import tools_in

MAX_ROWS = 200
"""Tasks in a table; data/runs.csv holds all."""


def numbers(each: Contrast) -> RowView:
    """Means, difference and ratio with their intervals, wins of B and A, ties, and how much it rests on."""
    write, label = writer_of(each.measure), label_of(each.measure)
    if isinstance(each.measure, ScoreMeasure) and not each.measure.is_share:
        write = partial(_score_column(each).in_full, unit=each.measure.unit)
    has_winner = each.measure.higher_is_better is not None
    told = [Claim.of(each, is_ratio=False), Claim.of(each, is_ratio=True)]
    return RowView(
        label=label,
        cells=(
            write(each.a),
            write(each.b),
            *(text or UNKNOWN for claim in told for text in (claim.size, claim.ends)),
            *(figures.count(wins) if has_winner else UNKNOWN for wins in (each.a_wins, each.b_wins)),
            figures.count(each.ties),
            figures.count(len(each.tasks)),
            figures.count(sum(pair.a_cell.runs + pair.b_cell.runs for pair in each.tasks)),
        ),
    )


MAX_SCORES = 2
"""The number of scores in the table of tasks."""


def score_columns(comparison: Comparison) -> Iterator[tuple[Contrast, str, figures.Write]]:
    """Yield the first scores: what is compared, the head of its columns, and how they are written."""
    for measure in score_heads(comparison):
        contrast = comparison.scores[measure.name]
        column = _score_column(contrast)
        yield contrast, column.head(f"Mean {cut(measure.name, 30)}"), column.write


def _score_column(contrast: Contrast) -> figures.FigureFormat:
    """Return how all means of a score on a page are written."""
    means = (mean for pair in contrast.tasks for mean in (pair.a, pair.b))
    return figures.score_column(contrast.measure.unit or "", means)


def tasks_table(a: SideView, b: SideView, comparison: Comparison) -> View:
    """Return every shared task with both means and the difference."""
    by_measure = comparison.contrasts
    cost_column = figures.money_column(figure for pair in by_measure[Measure.COST].tasks for figure in (pair.a, pair.b))
    token_column = figures.count_column(
        figure for pair in by_measure[Measure.TOKENS].tasks for figure in (pair.a, pair.b)
    )
    columns: tuple[tuple[Contrast, str, figures.Write], ...] = (
        *score_columns(comparison),
        (by_measure[Measure.COST], cost_column.head("Mean cost"), cost_column.write),
        (by_measure[Measure.TOKENS], token_column.head("Mean tokens"), token_column.write),
        (by_measure[Measure.WALL], "Mean time, min:s", figures.clock),
    )
    passed = by_measure[Measure.SUCCESS]
    contrasts = (passed, *(contrast for contrast, _, _ in columns))
    pairs = {contrast.measure: {pair.task: pair for pair in contrast.tasks} for contrast in contrasts}
    rows = []
    for task in comparison.tasks[:MAX_ROWS]:
        cells = (
            _passed_cells(a, b, pairs[Measure.SUCCESS].get(task))
            if passed.tasks
            else tuple(CellView(figures.count(len(side.runs[task]))) for side in (comparison.a, comparison.b))
        )
        for contrast, _, write in columns:
            cells += _mean_cells(contrast, pairs[contrast.measure].get(task), write)
        rows.append(
            View(
                name=task,
                href=group_path("task", task),
                cells=cells,
                passed=_who_passed(pairs[Measure.SUCCESS].get(task)),
            )
        )
    names = (CellView("A", key=a.key), CellView("B", key=b.key))
    heads = (
        *names,
        *([CellView("Ahead", numeric=False)] if passed.tasks else []),
        *(head for each, _, _ in columns for head in (*names, CellView("B / A" if each.measure.is_ratio else "B − A"))),
    )
    left = len(comparison.tasks) - len(rows)
    judged = comparison.a.judged, comparison.b.judged
    sums = _sums(passed, [(contrast, write) for contrast, _, write in columns], judged)
    remarks = [f"{figures.plural(left, 'more shared task')} in the means; see data/runs.csv."] if left else []
    if comparison.claims and passed.tasks:
        remarks.append(
            "Cost per success counts failed runs and infrastructure errors on these tasks too; a plus marks a lower "
            "bound, where a run reports no cost."
        )
    weighed = f", each {comparison.alike} of a task weighing the same" if comparison.is_weighed else ""
    won = f"A task is won by the higher share of passes{weighed}, and level when the shares are equal. "
    won = won if passed.tasks and comparison.claims else ""
    geometric = "; of ratios it is geometric" if any(each.measure.is_ratio for each, _, _ in columns) else ""
    told = passed if passed.tasks else by_measure[Measure.COST]
    return View(
        heading=ahead_on(a, b, told) if comparison.claims else "The shared tasks",
        note=f"{won}Each mean is over the runs of its side{weighed}{geometric}.",
        # Heads over several columns: label and how many columns.
        groups=(("Passed", 3) if passed.tasks else ("Runs", 2), *((head, 3) for _, head, _ in columns)),
        heads=heads,
        rows=tuple(rows),
        # The filters of the rows: values of `passed`, and their words.
        choices=_choices(a, b, rows),
        sums=sums if comparison.claims else (),
        remarks=tuple(remarks),
    )


def _who_passed(pair: TaskPair | None) -> str:
    if pair is None:
        return ""
    return "level" if pair.a == pair.b else "a" if pair.a > pair.b else "b"


def _choices(a: SideView, b: SideView, rows: Sequence[View]) -> tuple[tuple[str, str], ...]:
    """Return those that some of the rows are, and not all."""
    counts = Counter(row.passed for row in rows)
    words = {"a": f"{a.short} passed more", "b": f"{b.short} passed more", "level": "level"}
    found = tuple((each, f"{said} ({figures.count(counts[each])})") for each, said in words.items() if counts[each])
    return found if len(counts) > 1 else ()


def _passed_cells(a: SideView, b: SideView, pair: TaskPair | None) -> tuple[CellView, ...]:
    """Passes of judged runs on both sides, and who is ahead."""
    if pair is None:
        return (CellView(UNKNOWN), CellView(UNKNOWN), CellView(UNKNOWN, numeric=False))
    judged = ((pair.a_sum, pair.a_cell.runs), (pair.b_sum, pair.b_cell.runs))
    counts = (CellView(figures.count(round(passed)), note=f"of {figures.count(runs)}") for passed, runs in judged)
    if pair.a == pair.b:
        return *counts, CellView("", note="level", numeric=False)
    ahead = b if pair.b > pair.a else a
    return *counts, CellView("A" if ahead is a else "B", key=ahead.key, title=ahead.short, numeric=False)


def _mean_cells(contrast: Contrast, pair: TaskPair | None, write: figures.Write) -> tuple[CellView, ...]:
    if pair is None:
        return (CellView(UNKNOWN),) * 3
    means = ((pair.a, pair.a_cell.runs), (pair.b, pair.b_cell.runs))
    cells = (CellView(write(mean), title=f"mean of {figures.plural(runs, 'run')}") for mean, runs in means)
    return *cells, CellView(
        f"{times(pair.b / pair.a)}×" if contrast.measure.is_ratio else _difference(contrast, pair.difference, write)
    )


def _difference(contrast: Contrast, difference: float | None, write: figures.Write) -> str:
    """Return a difference with its sign; of costs as exact as in drawings."""
    is_cost = contrast.measure is Measure.COST
    return signed(difference, lambda usd: figures.money(usd).replace("$", "")) if is_cost else signed(difference, write)


def _sums(
    passed: Contrast, columns: Sequence[tuple[Contrast, figures.Write]], judged: Sequence[Sequence[Entry]]
) -> tuple[View, ...]:
    """Return the means over tasks, and, where runs were judged, what a success cost."""
    cells: tuple[CellView, ...] = (CellView(""), CellView(""))
    if passed.tasks:
        wins = CellView(f"{passed.a_wins} to {passed.b_wins}", numeric=False)
        cells = (CellView(share(passed.a)), CellView(share(passed.b)), wins)
    for contrast, write in columns:
        note = f"mean of {figures.plural(len(contrast.tasks), 'task')}"
        difference = _difference(contrast, contrast.mean_difference, write)
        if contrast.measure.is_ratio and contrast.mean_ratio is not None:
            difference = f"{times(contrast.mean_ratio)}×"
        cells += (
            CellView(write(contrast.a), title=note),
            CellView(write(contrast.b), title=note),
            CellView(difference),
        )
    means = View(name="Mean of tasks", href=None, cells=cells, passed="")
    if not passed.tasks:
        return (means,)
    per_success = [success(side).cost_per_success for side in judged]
    texts = (
        UNKNOWN if each is None else figures.fixed(each.value, 2) + ("+" if each.is_lower_bound else "")
        for each in per_success
    )
    blank, before = CellView(""), sum(not isinstance(each.measure, Measure) for each, _ in columns)
    costs = (*((3 + 3 * before) * (blank,)), *map(CellView, texts), *(7 * (blank,)))
    return means, View(name="Cost per success on these tasks, $", href=None, cells=costs, passed="")


def attempts_table(a: Sequence[Passes], b: Sequence[Passes]) -> tuple[RowView, ...]:
    """Return what k attempts achieve on either side; nothing where no task was attempted twice."""
    if max(len(a), len(b)) < 2:
        return ()

    def cells(side: Sequence[Passes], k: int) -> tuple[str, ...]:
        if k > len(side):
            return (UNKNOWN,) * 3
        each = side[k - 1]
        return figures.count(each.tasks), share(each.pass_at_k), share(each.pass_hat_k)

    return tuple(RowView(str(k), (*cells(a, k), *cells(b, k))) for k in range(1, max(len(a), len(b)) + 1))


def score_heads(comparison: Comparison) -> list[ScoreMeasure]:
    """Return the first scores, as columns of the list of runs."""
    measures = [contrast.measure for contrast in comparison.scores.values()]
    return [measure for measure in measures if isinstance(measure, ScoreMeasure)][:MAX_SCORES]


def run_rows(comparison: Comparison, a: SideView, b: SideView) -> Iterator[View]:
    """Yield the compared runs, task by task."""
    scores = score_heads(comparison)
    for task in comparison.tasks:
        for side, runs in ((a, comparison.a.runs), (b, comparison.b.runs)):
            for entry in runs[task]:
                yield View(
                    link=run_link(entry),
                    side=side,
                    outcome=outcome_view(entry.outcome) if entry.outcome else None,
                    cells=(
                        *(figures.score(each.of(entry), each.unit) for each in scores),
                        figures.cost(entry.run),
                        figures.count_short(Measure.TOKENS.of(entry)),
                        figures.duration(entry.run.wall_ms),
                    ),
                )


# In what two sides differ that was given to them, not made by them: the agent's version, its tools, its prompts.


_MOST = 3
"""Values of one side that are listed."""


def given_rows(comparison: Comparison) -> tuple[tuple[str, str, str], ...]:
    """Return what, on side A, on side B: of what the files of both sides state, only what is not the same."""
    stated = [[_stated(run) for runs in side.runs.values() for run in runs] for side in (comparison.a, comparison.b)]
    names = dict.fromkeys(name for side in stated for run in side for name in run)
    rows: list[tuple[str, str, str]] = []
    for name in names:
        a, b = (Counter(run[name] for run in side if name in run) for side in stated)
        if a.keys() == b.keys() or not a or not b:
            continue
        if name == "Tools":
            rows += _tools(a, b)
        elif name != "Prompt":
            rows.append((name, _listed(a), _listed(b)))
    return (*rows, *_prompts(comparison.a, comparison.b))


def same_given(comparison: Comparison) -> tuple[str, ...]:
    """Return what the files of both sides state that is the same."""
    stated = [[_stated(run) for runs in side.runs.values() for run in runs] for side in (comparison.a, comparison.b)]
    names = dict.fromkeys(name for side in stated for run in side for name in run if name not in ("Agent", "Prompt"))
    values = {name: [{run[name] for run in side if name in run} for side in stated] for name in names}
    return tuple(name.lower() for name, (a, b) in values.items() if a and a == b)


def _stated(run: Entry) -> Mapping[str, str]:
    version = {"Agent version": run.run.agent_version} if run.run.agent_version else {}
    agent = run.run.reader.rsplit(" ", 1)[0] or run.run.reader
    return {"Agent": agent, **version, **dict(run.run.given)}


def _listed(values: Counter[str]) -> str:
    """Return `2.1.81`, or `2.1.81 (3 runs), 2.1.80 (1 run)`."""
    if len(values) == 1:
        return next(iter(values))
    ordered = sorted(values.items(), key=lambda each: (-each[1], each[0]))
    shown = [f"{value} ({figures.plural(runs, 'run')})" for value, runs in ordered[:_MOST]]
    more = [f"{figures.count(len(ordered) - _MOST)} more"] if len(ordered) > _MOST else []
    return ", ".join([*shown, *more])


def _tools(a: Counter[str], b: Counter[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the tools that runs of one side alone had; of so many that not all are named, how many a run had."""
    lists = [[tools_in(listed) for listed in side] for side in (a, b)]
    if any(more for side in lists for _, more in side):
        most_a, most_b = (figures.count(max(len(names) + more for names, more in side)) for side in lists)
        yield "Tools, not the same ones", most_a, most_b
        return
    of_a, of_b = ({tool for names, _ in side for tool in names} for side in lists)
    if of_a != of_b:
        only_a, only_b = (", ".join(sorted(each)) or "–" for each in (of_a - of_b, of_b - of_a))
        yield "Tools of one side only", only_a, only_b


def _prompts(a: Side, b: Side) -> Iterator[tuple[str, str, str]]:
    """Yield the number of tasks whose prompts differ, with the first of them."""
    both, other = 0, []
    for task in a.runs.keys() & b.runs.keys():
        one, two = ({_stated(run).get("Prompt", "") for run in side.runs[task]} - {""} for side in (a, b))
        both += bool(one and two)
        if one and two and one != two:
            other.append((task, ", ".join(sorted(one)[:_MOST]), ", ".join(sorted(two)[:_MOST])))
    if other:
        task, one_text, two_text = min(other)
        yield f"Prompts of {len(other)} of {figures.plural(both, 'task')}, such as {task}", one_text, two_text
