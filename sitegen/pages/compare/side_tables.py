"""The tables and the drawings of a comparison."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from sitegen import figures
from sitegen.charts.axes import Axis
from sitegen.charts.findings import clipped
from sitegen.figures import UNKNOWN, times
from sitegen.html.render import View
from sitegen.model import Entry
from sitegen.numbers.comparison import Comparison, Contrast, Side, TaskPair
from sitegen.numbers.intervals import Interval
from sitegen.numbers.statistics import Measure, ScoreMeasure
from sitegen.numbers.success import success
from sitegen.numbers.wording import Claim, cut, measure_name, signed
from sitegen.pages.compare.side_words import SideView, ahead_on, label_of, writer_of
from sitegen.pages.views import CellView, LinkView, Mark, RowView, group_path, run_link
from sitegen.readers.common.fields import tools_in

MAX_ROWS = 200  # tasks in a table; data/runs.csv holds all


def numbers(contrast: Contrast) -> RowView:
    """Means, difference and ratio with their intervals, wins of B and A, ties, and how much it rests on."""
    measure = contrast.measure
    write = writer_of(measure)
    if isinstance(measure, ScoreMeasure) and not measure.is_share:
        write = partial(_score_column(contrast).in_full, unit=measure.unit)
    difference = Claim.of(contrast, is_ratio=False)
    ratio = Claim.of(contrast, is_ratio=True)
    claims = (difference.size, difference.ends or UNKNOWN, ratio.size, ratio.ends or UNKNOWN)
    wins = (UNKNOWN, UNKNOWN)
    if measure.higher_is_better is not None:
        wins = (figures.count(contrast.a_wins), figures.count(contrast.b_wins))
    runs = sum(pair.a_cell.runs + pair.b_cell.runs for pair in contrast.tasks)
    counts = map(figures.count, (contrast.ties, len(contrast.tasks), runs))
    cells = (write(contrast.a), write(contrast.b), *claims, *wins, *counts)
    return RowView(label_of(measure), cells)


MAX_SCORES = 2  # the number of scores in the table of tasks


def _score_column(contrast: Contrast) -> figures.FigureFormat:
    """Return how all means of a score on a page are written."""
    return figures.score_column(contrast.measure.unit or "", _means(contrast))


def _means(contrast: Contrast) -> list[float]:
    return [mean for pair in contrast.tasks for mean in (pair.a, pair.b)]


@dataclass(frozen=True, slots=True)
class _Columns:
    """The three columns of a measure in the table of tasks: both means, and the difference or the ratio."""

    contrast: Contrast
    head: str
    write: figures.Write

    def cells(self, pair: TaskPair | None) -> tuple[CellView, ...]:
        """Return the cells of a task."""
        if pair is None:
            return (CellView(UNKNOWN),) * 3
        change = pair.b / pair.a if self.contrast.measure.is_ratio else pair.difference
        return (
            self._mean(pair.a, f"mean of {figures.plural(pair.a_cell.runs, 'run')}"),
            self._mean(pair.b, f"mean of {figures.plural(pair.b_cell.runs, 'run')}"),
            self._change(change),
        )

    def sums(self) -> tuple[CellView, ...]:
        """Return the cells of all tasks."""
        contrast = self.contrast
        note = f"mean of {figures.plural(len(contrast.tasks), 'task')}"
        is_ratio = contrast.measure.is_ratio and contrast.mean_ratio is not None
        change = contrast.mean_ratio if is_ratio else contrast.mean_difference
        return self._mean(contrast.a, note), self._mean(contrast.b, note), self._change(change)

    def _mean(self, mean: float | None, title: str) -> CellView:
        return CellView(self.write(mean), title=title)

    def _change(self, change: float | None) -> CellView:
        """Return a ratio, or a difference with its sign; of costs as exact as in drawings."""
        if self.contrast.measure.is_ratio and change is not None:
            return CellView(f"{times(change)}×")
        if self.contrast.measure is Measure.COST:
            return CellView(signed(change, figures.money).replace("$", ""))
        return CellView(signed(change, self.write))


def _columns(comparison: Comparison) -> list[_Columns]:
    columns = []
    for contrast in list(comparison.scores.values())[:MAX_SCORES]:
        score = _score_column(contrast)
        head = score.head(f"Mean {cut(contrast.measure.name, 30)}")
        columns.append(_Columns(contrast, head, score.write))
    cost = comparison.contrasts[Measure.COST]
    money = figures.money_column(_means(cost))
    tokens = comparison.contrasts[Measure.TOKENS]
    count = figures.count_column(_means(tokens))
    wall = comparison.contrasts[Measure.WALL]
    columns.append(_Columns(cost, money.head("Mean cost"), money.write))
    columns.append(_Columns(tokens, count.head("Mean tokens"), count.write))
    columns.append(_Columns(wall, "Mean time, min:s", figures.clock))
    return columns


def tasks_table(a: SideView, b: SideView, comparison: Comparison) -> View:
    """Return every shared task with both means and the difference."""
    columns = _columns(comparison)
    passed = comparison.contrasts[Measure.SUCCESS]
    rows = _task_rows(a, b, comparison, columns)
    names = [CellView("A", key=a.key), CellView("B", key=b.key)]
    groups = [("Runs", 2)]
    heads = list(names)
    if passed.tasks:
        groups = [("Passed", 3)]
        heads.append(CellView("Ahead", numeric=False))
    for column in columns:
        groups.append((column.head, 3))
        change = "B / A" if column.contrast.measure.is_ratio else "B − A"
        heads += [*names, CellView(change)]
    remarks = []
    left = len(comparison.tasks) - len(rows)
    if left:
        more = figures.plural(left, "more shared task")
        remarks.append(f"{more} in the means; see data/runs.csv.")
    heading = "The shared tasks"
    sums: list[CellView] = []
    if comparison.claims:
        heading = ahead_on(a, b, passed if passed.tasks else comparison.contrasts[Measure.COST])
        sums = _sums(passed, columns)
        if passed.tasks:
            remarks.append(_cost_per_success(a, b, comparison))
    return View(
        heading=heading,
        note=_table_note(comparison, columns),
        # Heads over several columns: label and how many columns.
        groups=groups,
        heads=heads,
        rows=rows,
        sums=sums,
        remarks=remarks,
    )


def _task_rows(
    a: SideView, b: SideView, comparison: Comparison, columns: Sequence[_Columns]
) -> list[View]:
    passed = comparison.contrasts[Measure.SUCCESS]
    judged = {pair.task: pair for pair in passed.tasks}
    pairs = [{pair.task: pair for pair in column.contrast.tasks} for column in columns]
    rows = []
    for task in comparison.tasks[:MAX_ROWS]:
        if passed.tasks:
            cells = _passed_cells(a, b, judged.get(task))
        else:
            sides = (comparison.a, comparison.b)
            cells = tuple(CellView(figures.count(len(side.runs[task]))) for side in sides)
        for column, by_task in zip(columns, pairs, strict=True):
            cells += column.cells(by_task.get(task))
        rows.append(View(name=task, href=group_path("task", task), cells=cells))
    return rows


def _table_note(comparison: Comparison, columns: Sequence[_Columns]) -> str:
    weighed = ""
    if comparison.is_weighed:
        weighed = f", each {comparison.alike} of a task weighing the same"
    geometric = ""
    if any(column.contrast.measure.is_ratio for column in columns):
        geometric = "; of ratios it is geometric"
    mean = f"Each mean is over the runs of its side{weighed}{geometric}."
    if not comparison.contrasts[Measure.SUCCESS].tasks or not comparison.claims:
        return mean
    return f"A task is won by the higher share of passes{weighed}, and level when the shares are equal. {mean}"


def _passed_cells(a: SideView, b: SideView, pair: TaskPair | None) -> tuple[CellView, ...]:
    """Passes of judged runs on both sides, and who is ahead."""
    if pair is None:
        return CellView(UNKNOWN), CellView(UNKNOWN), CellView(UNKNOWN, numeric=False)
    ahead = CellView("", note="level", numeric=False)
    if pair.a > pair.b:
        ahead = CellView("A", key=a.key, title=a.short, numeric=False)
    elif pair.a < pair.b:
        ahead = CellView("B", key=b.key, title=b.short, numeric=False)
    passed_a = _count_passed(pair.a_sum, pair.a_cell.runs)
    passed_b = _count_passed(pair.b_sum, pair.b_cell.runs)
    return passed_a, passed_b, ahead


def _count_passed(passed: float, runs: int) -> CellView:
    return CellView(figures.count(round(passed)), note=f"of {figures.count(runs)}")


def _sums(passed: Contrast, columns: Sequence[_Columns]) -> list[CellView]:
    """Return the cells of the means over tasks."""
    cells = [CellView(""), CellView("")]
    if passed.tasks:
        wins = CellView(f"{passed.a_wins} to {passed.b_wins}", numeric=False)
        cells = [CellView(figures.share(passed.a)), CellView(figures.share(passed.b)), wins]
    for column in columns:
        cells += column.sums()
    return cells


def _cost_per_success(a: SideView, b: SideView, comparison: Comparison) -> str:
    costs = []
    for view, side in ((a, comparison.a), (b, comparison.b)):
        cost = success(side.judged).cost_per_success
        text = figures.bounded(cost, figures.money) if cost else UNKNOWN
        costs.append(f"{text} with {view.short}")
    counted = "It counts failed runs and infrastructure errors on these tasks too"
    bound = "a plus marks a lower bound, where a run reports no cost"
    return f"Cost per success on these tasks: {', '.join(costs)}. {counted}; {bound}."


# In what two sides differ that was given to them, not made by them: the agent's version, its tools, its prompts.


_MOST = 3  # values of one side that are listed
_Row = tuple[str, str, str]
"""A difference: its name, and the values of side A and of side B."""


def given(comparison: Comparison) -> tuple[list[_Row], list[str]]:
    """Return what the files of both sides state: rows of what differs, and the names of what is the same."""
    values_a = _stated_values(comparison.a)
    values_b = _stated_values(comparison.b)
    rows: list[_Row] = []
    same: list[str] = []
    for name, a in values_a.items():
        b = values_b.get(name)
        if not b or name == "Prompt":
            continue
        if a.keys() != b.keys():
            rows += _tools(a, b) if name == "Tools" else [(name, _listed(a), _listed(b))]
        elif name != "Agent":
            same.append(name.lower())
    return [*rows, *_prompts(comparison.a, comparison.b)], same


def _stated_values(side: Side) -> dict[str, Counter[str]]:
    """Return by name how many runs of a side state each value."""
    values: dict[str, Counter[str]] = {}
    for runs in side.runs.values():
        for run in runs:
            for name, value in _stated(run).items():
                values.setdefault(name, Counter())[value] += 1
    return values


def _stated(run: Entry) -> Mapping[str, str]:
    stated = {"Agent": run.run.agent}
    if run.run.agent_version:
        stated["Agent version"] = run.run.agent_version
    effort = run.factor("effort")
    if effort:
        stated["Effort"] = effort
    return stated | dict(run.run.given)


def _listed(values: Counter[str]) -> str:
    """Return `2.1.81`, or `2.1.81 (3 runs), 2.1.80 (1 run)`."""
    if len(values) == 1:
        return next(iter(values))
    ordered = sorted(values.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = [f"{value} ({figures.plural(runs, 'run')})" for value, runs in ordered[:_MOST]]
    if len(ordered) > _MOST:
        shown.append(f"{figures.count(len(ordered) - _MOST)} more")
    return ", ".join(shown)


def _tools(a: Iterable[str], b: Iterable[str]) -> Iterator[_Row]:
    """Yield the tools that runs of one side alone had; of so many that not all are named, how many a run had."""
    lists_a = list(map(tools_in, a))
    lists_b = list(map(tools_in, b))
    if any(more for _, more in lists_a + lists_b):
        most_a = max(len(names) + more for names, more in lists_a)
        most_b = max(len(names) + more for names, more in lists_b)
        yield "Tools, not the same ones", figures.count(most_a), figures.count(most_b)
        return
    tools_a = {tool for names, _ in lists_a for tool in names}
    tools_b = {tool for names, _ in lists_b for tool in names}
    if tools_a != tools_b:
        only_a = ", ".join(sorted(tools_a - tools_b)) or "–"
        only_b = ", ".join(sorted(tools_b - tools_a)) or "–"
        yield "Tools of one side only", only_a, only_b


def _prompts(a: Side, b: Side) -> Iterator[_Row]:
    """Yield the number of tasks whose prompts differ, with the first of them."""
    stated = 0
    unlike = []
    for task in a.runs.keys() & b.runs.keys():
        prompts_a = _prompts_of(a, task)
        prompts_b = _prompts_of(b, task)
        if prompts_a and prompts_b:
            stated += 1
            if prompts_a != prompts_b:
                unlike.append((task, ", ".join(prompts_a[:_MOST]), ", ".join(prompts_b[:_MOST])))
    if unlike:
        task, text_a, text_b = min(unlike)
        all_tasks = figures.plural(stated, "task")
        yield f"Prompts of {len(unlike)} of {all_tasks}, such as {task}", text_a, text_b


def _prompts_of(side: Side, task: str) -> list[str]:
    prompts = {_stated(run).get("Prompt", "") for run in side.runs[task]}
    return sorted(prompts - {""})


# Intervals of effects, and costs by task.


MAX_DRAWN = 12  # tasks in a chart: those of the largest differences

_LONGEST_LABEL = 25  # characters of a measure beside its line
_FEW_CHARACTERS = 22  # a value and its interval that need no wider space

_RATIO_TICKS: Sequence[tuple[float, ...]] = (
    (0.95, 1.05),
    (0.9, 1.1),
    (0.8, 1.2),
    (0.7, 1.4),
    (0.5, 0.7, 1.4, 2),
    (0.25, 0.5, 2, 4),
    (0.1, 0.3, 3, 10),
    (0.01, 0.1, 10, 100),
    (0.0001, 0.01, 100, 10_000),
)
_LEAST_RATIO = 1e-12
"""A mean of B of zero has no place on a scale of ratios: its line leaves at the left."""


def plots(a: SideView, b: SideView, contrasts: Sequence[Contrast]) -> Iterator[View]:
    """Ratios on one scale, success in points and other differences each on another."""
    ratios = []
    differences = []
    for contrast in contrasts:
        if contrast.measure.is_difference:
            if contrast.difference and contrast.mean_difference is not None:
                differences.append(contrast)
        elif contrast.ratio and contrast.mean_ratio:
            ratios.append(contrast)
    if ratios:
        yield _ratio_plot(a, b, ratios)
    for contrast in differences:
        claim = Claim.of(contrast, is_ratio=False)
        if claim.interval:
            yield _difference_plot(a, b, claim, claim.interval)


def _ratio_plot(a: SideView, b: SideView, contrasts: Sequence[Contrast]) -> View:
    claims = [Claim.of(contrast, is_ratio=True) for contrast in contrasts]
    intervals = [claim.interval for claim in claims if claim.interval]
    least = max(min(interval.low for interval in intervals), _LEAST_RATIO)
    most = max(max(interval.high for interval in intervals), _LEAST_RATIO)
    reach = max(most, 1 / least)
    ticks = _RATIO_TICKS[0]
    for wider in _RATIO_TICKS:
        if wider[-1] <= reach * 1.1:
            ticks = wider
    low = math.log(least)
    high = math.log(most)
    room = max((high - low) * 0.04, math.log(ticks[-1]) * 0.2)
    low = min(low, 0.0) - room
    high = max(high, 0.0) + room

    def place(value: float) -> float:
        return (math.log(max(value, _LEAST_RATIO)) - low) / (high - low)

    same = place(1)
    labels = [(place(tick), f"{tick:,g}×") for tick in ticks]
    labels = [(x, label) for x, label in labels if 0 <= x <= 1 and abs(x - same) > 0.07]
    what = f"Ratios of {b.short} to {a.short} with 95% intervals"
    return _plot(what, claims, place, labels, same)


def _difference_plot(a: SideView, b: SideView, claim: Claim, interval: Interval) -> View:
    measure = claim.measure
    name = "Success" if measure is Measure.SUCCESS else measure_name(measure)
    what = f"{name} of {b.short} minus that of {a.short}"
    reach = max(abs(interval.low), abs(interval.high))
    write: Callable[[float], str] = partial(signed, write=writer_of(measure))
    if measure.is_share:
        what += " in points"
        reach = max(reach, 0.05)
        write = figures.points
    magnitude = 10.0 ** math.floor(math.log10(reach / 3))
    step = next(size * magnitude for size in (1, 2, 5, 10) if reach < 3 * size * magnitude)
    edge = max(reach, 2 * step) * 1.08

    def place(value: float) -> float:
        return (value + edge) / (2 * edge)

    ticks = [(place(number * step), write(number * step)) for number in (-2, -1, 1, 2)]
    return _plot(f"{what}, with its 95% interval", [claim], place, ticks, place(0))


def _plot(
    what: str,
    claims: Sequence[Claim],
    place: Callable[[float], float],
    ticks: Sequence[tuple[float, str]],
    same: float,
) -> View:
    """Effects on one scale with a line where both sides are the same; several also say on which side is more. `place`
    gives shares of its width."""
    rows = []
    for claim in claims:
        if claim.estimate is None or claim.interval is None:
            continue
        label = clipped(label_of(claim.measure), _LONGEST_LABEL)
        value = clipped(claim.size, _LONGEST_LABEL)  # a unit may be of any length
        if claim.measure is Measure.SUCCESS:
            label += ", points"
            value = claim.write(claim.estimate)
        ends = (place(claim.interval.low), place(claim.interval.high))
        mark = Mark(place(claim.estimate), *ends, "t" if claim.is_clear else "ring")
        rows.append(View(label=label, value=value, ends=claim.ends, mark=mark))
    listed = "; ".join(f"{row.label} {row.value}, {row.ends}" for row in rows)
    longest = max((len(f"{row.value} {row.ends}") for row in rows), default=0)
    return View(
        rows=rows,
        ticks=ticks,
        same=same,
        # The class of the space at the right: a value and its interval stand there in one line.
        room="r12" if longest <= _FEW_CHARACTERS else "r18",
        description=f"{what}: {listed}.",
    )


def tasks_plot(a: SideView, b: SideView, comparison: Comparison) -> View | None:
    """Mean costs by task with the single runs; None where no task has costs on both sides, or all are zero."""
    cost = comparison.contrasts[Measure.COST]
    largest = sorted(cost.tasks, key=lambda pair: -abs(pair.difference))[:MAX_DRAWN]
    drawn = [pair for pair in cost.tasks if pair in largest]
    costs_a = [_costs(comparison.a.runs[pair.task]) for pair in drawn]
    costs_b = [_costs(comparison.b.runs[pair.task]) for pair in drawn]
    top = 1.03 * max((usd for costs in costs_a + costs_b for usd in costs), default=0)
    if top <= 0:
        return None
    rows = []
    for pair, *singles in zip(drawn, costs_a, costs_b, strict=True):
        rows.append(
            View(
                label=cut(pair.task, 22),
                # Shares of the width: the means, and the single runs of each side.
                means=(pair.a / top, pair.b / top),
                singles=[[usd / top for usd in costs] for costs in singles],
                difference=signed(pair.difference, figures.money),
            )
        )
    ticks = Axis(0.0, top, False).ticks()
    labels = [(tick / top, figures.money(tick) if tick else "$0") for tick in ticks]
    heading = ahead_on(a, b, cost) if comparison.claims else "Cost by task"
    note = "Mean cost of a run on each task, and the difference B − A. "
    if len(drawn) < len(cost.tasks):
        note += f"The {len(drawn)} of {len(cost.tasks)} tasks with the largest differences. "
    note += "Small dots are single runs."
    return View(rows=rows, ticks=labels, heading=heading, note=note)


def _costs(runs: Iterable[Entry]) -> list[float]:
    """Known costs, from the least, so that the order of the runs changes nothing."""
    return sorted(run.run.cost_usd for run in runs if run.run.cost_usd is not None)


def list_runs(comparison: Comparison) -> list[View]:
    """Return the runs of each task, those of A and those of B, for comparisons of too few tasks for a claim."""
    rows = []
    for task in comparison.tasks:
        sides = []
        for side in (comparison.a, comparison.b):
            shown = list(map(_describe_run, side.runs[task][:MAX_RUNS]))
            left_out = len(side.runs[task]) - len(shown)
            more = f"and {figures.count(left_out)} more" if left_out else ""
            sides.append(View(runs=shown, more=more))
        rows.append(View(task=cut(task, 40), href=group_path("task", task), sides=sides))
    return rows


MAX_RUNS = 10
"""The runs of one side on one task that a page lists."""


def _describe_run(entry: Entry) -> tuple[LinkView, str]:
    """Return a link to a run, and its outcome and cost."""
    outcome = f"{entry.outcome.value}, " if entry.outcome else ""
    return run_link(entry), f"{outcome}{figures.cost(entry.run)}"
