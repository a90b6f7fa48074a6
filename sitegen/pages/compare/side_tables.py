"""The tables and the drawings of a comparison."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from sitegen import figures
from sitegen.charts.axes import Axis
from sitegen.figures import UNKNOWN, outcome_view, times
from sitegen.html.render import View
from sitegen.model import Entry
from sitegen.numbers.comparison import Comparison, Contrast, Side, TaskPair
from sitegen.numbers.intervals import Interval
from sitegen.numbers.statistics import Measure, ScoreMeasure
from sitegen.numbers.success import success
from sitegen.numbers.wording import Claim, cut, measure_name, signed
from sitegen.pages.compare.side_words import SideView, ahead_on, label_of, writer_of
from sitegen.pages.views import CellView, Mark, RowView, group_path, run_link
from sitegen.readers.common.fields import tools_in

MAX_ROWS = 200  # tasks in a table; data/runs.csv holds all


def numbers(each: Contrast) -> RowView:
    """Means, difference and ratio with their intervals, wins of B and A, ties, and how much it rests on."""
    write = writer_of(each.measure)
    label = label_of(each.measure)
    if isinstance(each.measure, ScoreMeasure) and not each.measure.is_share:
        write = partial(_score_column(each).in_full, unit=each.measure.unit)
    has_winner = each.measure.higher_is_better is not None
    told = [Claim.of(each, is_ratio=False), Claim.of(each, is_ratio=True)]
    claims = (text or UNKNOWN for claim in told for text in (claim.size, claim.ends))
    wins = (figures.count(count) if has_winner else UNKNOWN for count in (each.a_wins, each.b_wins))
    runs = sum(pair.a_cell.runs + pair.b_cell.runs for pair in each.tasks)
    counts = map(figures.count, (each.ties, len(each.tasks), runs))
    return RowView(label, (write(each.a), write(each.b), *claims, *wins, *counts))


MAX_SCORES = 2  # the number of scores in the table of tasks


def score_columns(comparison: Comparison) -> Iterator[tuple[Contrast, str, figures.Write]]:
    """Yield the first scores: what is compared, the head of its columns, and how they are written."""
    for measure in score_heads(comparison):
        contrast = comparison.scores[measure.name]
        column = _score_column(contrast)
        yield contrast, column.head(f"Mean {cut(measure.name, 30)}"), column.write


def _score_column(contrast: Contrast) -> figures.FigureFormat:
    """Return how all means of a score on a page are written."""
    return figures.score_column(contrast.measure.unit or "", _means(contrast))


def _means(contrast: Contrast) -> Iterator[float]:
    return (mean for pair in contrast.tasks for mean in (pair.a, pair.b))


def tasks_table(a: SideView, b: SideView, comparison: Comparison) -> View:
    """Return every shared task with both means and the difference."""
    by_measure = comparison.contrasts
    cost_column = figures.money_column(_means(by_measure[Measure.COST]))
    token_column = figures.count_column(_means(by_measure[Measure.TOKENS]))
    columns: tuple[tuple[Contrast, str, figures.Write], ...] = (
        *score_columns(comparison),
        (by_measure[Measure.COST], cost_column.head("Mean cost"), cost_column.write),
        (by_measure[Measure.TOKENS], token_column.head("Mean tokens"), token_column.write),
        (by_measure[Measure.WALL], "Mean time, min:s", figures.clock),
    )
    passed = by_measure[Measure.SUCCESS]
    contrasts = (passed, *(contrast for contrast, _, _ in columns))
    pairs = {
        contrast.measure: {pair.task: pair for pair in contrast.tasks} for contrast in contrasts
    }
    rows = []
    for task in comparison.tasks[:MAX_ROWS]:
        judged = pairs[Measure.SUCCESS].get(task)
        cells = tuple(
            CellView(figures.count(len(side.runs[task]))) for side in (comparison.a, comparison.b)
        )
        cells = _passed_cells(a, b, judged) if passed.tasks else cells
        for contrast, _, write in columns:
            cells += _mean_cells(contrast, pairs[contrast.measure].get(task), write)
        rows.append(
            View(name=task, href=group_path("task", task), cells=cells, passed=_who_passed(judged))
        )
    names = (CellView("A", key=a.key), CellView("B", key=b.key))
    apart = (CellView("B / A" if each.measure.is_ratio else "B − A") for each, _, _ in columns)
    ahead = [CellView("Ahead", numeric=False)] if passed.tasks else []
    heads = (*names, *ahead, *(head for each in apart for head in (*names, each)))
    left = len(comparison.tasks) - len(rows)
    sums = _sums(passed, [(contrast, write) for contrast, _, write in columns], comparison)
    remarks = (
        [f"{figures.plural(left, 'more shared task')} in the means; see data/runs.csv."]
        if left
        else []
    )
    if comparison.claims and passed.tasks:
        bound = "a plus marks a lower bound, where a run reports no cost."
        remarks.append(
            f"Cost per success counts failed runs and infrastructure errors on these tasks too; {bound}"
        )
    weighed = (
        f", each {comparison.alike} of a task weighing the same" if comparison.is_weighed else ""
    )
    won = f"A task is won by the higher share of passes{weighed}, and level when the shares are equal. "
    won = won if passed.tasks and comparison.claims else ""
    geometric = (
        "; of ratios it is geometric"
        if any(each.measure.is_ratio for each, _, _ in columns)
        else ""
    )
    told = passed if passed.tasks else by_measure[Measure.COST]
    return View(
        heading=ahead_on(a, b, told) if comparison.claims else "The shared tasks",
        note=f"{won}Each mean is over the runs of its side{weighed}{geometric}.",
        # Heads over several columns: label and how many columns.
        groups=(
            ("Passed", 3) if passed.tasks else ("Runs", 2),
            *((head, 3) for _, head, _ in columns),
        ),
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
    found = tuple(
        (each, f"{said} ({figures.count(counts[each])})")
        for each, said in words.items()
        if counts[each]
    )
    return found if len(counts) > 1 else ()


def _passed_cells(a: SideView, b: SideView, pair: TaskPair | None) -> tuple[CellView, ...]:
    """Passes of judged runs on both sides, and who is ahead."""
    if pair is None:
        return (CellView(UNKNOWN), CellView(UNKNOWN), CellView(UNKNOWN, numeric=False))
    judged = ((pair.a_sum, pair.a_cell.runs), (pair.b_sum, pair.b_cell.runs))
    counts = (
        CellView(figures.count(round(passed)), note=f"of {figures.count(runs)}")
        for passed, runs in judged
    )
    if pair.a == pair.b:
        return *counts, CellView("", note="level", numeric=False)
    ahead = b if pair.b > pair.a else a
    return *counts, CellView(
        "A" if ahead is a else "B", key=ahead.key, title=ahead.short, numeric=False
    )


def _mean_cells(
    contrast: Contrast, pair: TaskPair | None, write: figures.Write
) -> tuple[CellView, ...]:
    if pair is None:
        return (CellView(UNKNOWN),) * 3
    means = ((pair.a, pair.a_cell.runs), (pair.b, pair.b_cell.runs))
    cells = (
        CellView(write(mean), title=f"mean of {figures.plural(runs, 'run')}")
        for mean, runs in means
    )
    is_ratio = contrast.measure.is_ratio
    apart = _difference(contrast, pair.difference, write)
    return *cells, CellView(f"{times(pair.b / pair.a)}×" if is_ratio else apart)


def _difference(contrast: Contrast, difference: float | None, write: figures.Write) -> str:
    """Return a difference with its sign; of costs as exact as in drawings."""
    is_cost = contrast.measure is Measure.COST
    return (
        signed(difference, lambda usd: figures.money(usd).replace("$", ""))
        if is_cost
        else signed(difference, write)
    )


def _sums(
    passed: Contrast, columns: Sequence[tuple[Contrast, figures.Write]], comparison: Comparison
) -> tuple[View, ...]:
    """Return the means over tasks, and, where runs were judged, what a success cost."""
    cells: tuple[CellView, ...] = (CellView(""), CellView(""))
    if passed.tasks:
        wins = CellView(f"{passed.a_wins} to {passed.b_wins}", numeric=False)
        cells = (CellView(figures.share(passed.a)), CellView(figures.share(passed.b)), wins)
    for contrast, write in columns:
        note = f"mean of {figures.plural(len(contrast.tasks), 'task')}"
        difference = _difference(contrast, contrast.mean_difference, write)
        if contrast.measure.is_ratio and contrast.mean_ratio is not None:
            difference = f"{times(contrast.mean_ratio)}×"
        means = (CellView(write(mean), title=note) for mean in (contrast.a, contrast.b))
        cells += (*means, CellView(difference))
    row = View(name="Mean of tasks", href=None, cells=cells, passed="")
    if not passed.tasks:
        return (row,)
    per_success = (success(side.judged).cost_per_success for side in (comparison.a, comparison.b))
    texts = (
        figures.bounded(each, partial(figures.fixed, decimals=2)) if each else UNKNOWN
        for each in per_success
    )
    blank = CellView("")
    before = sum(not isinstance(each.measure, Measure) for each, _ in columns)
    costs = (*((3 + 3 * before) * (blank,)), *map(CellView, texts), *(7 * (blank,)))
    return row, row.but(name="Cost per success on these tasks, $", cells=costs)


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
                outcome = outcome_view(entry.outcome) if entry.outcome else None
                tokens = Measure.TOKENS.of(entry)
                cells = [figures.score(each.of(entry), each.unit) for each in scores]
                cells += (
                    figures.cost(entry.run),
                    figures.count_short(tokens),
                    figures.duration(entry.run.wall_ms),
                )
                yield View(link=run_link(entry), side=side, outcome=outcome, cells=tuple(cells))


# In what two sides differ that was given to them, not made by them: the agent's version, its tools, its prompts.


_MOST = 3  # values of one side that are listed


def given(comparison: Comparison) -> tuple[tuple[tuple[str, str, str], ...], tuple[str, ...]]:
    """Return what the files of both sides state: rows of what differs (what, on side A, on side B), and the names of
    what is the same."""
    stated = [
        [_stated(run) for runs in side.runs.values() for run in runs]
        for side in (comparison.a, comparison.b)
    ]
    names = dict.fromkeys(name for side in stated for run in side for name in run)
    rows: list[tuple[str, str, str]] = []
    same: list[str] = []
    for name in names:
        a, b = (Counter(run[name] for run in side if name in run) for side in stated)
        if not a or not b or name == "Prompt":
            continue
        if a.keys() == b.keys():
            same += [] if name == "Agent" else [name.lower()]
        elif name == "Tools":
            rows += _tools(a, b)
        else:
            rows.append((name, _listed(a), _listed(b)))
    return (*rows, *_prompts(comparison.a, comparison.b)), tuple(same)


def _stated(run: Entry) -> Mapping[str, str]:
    version = {"Agent version": run.run.agent_version} if run.run.agent_version else {}
    version |= {"Effort": effort} if (effort := run.factor("effort")) else {}
    return {"Agent": run.run.agent, **version, **dict(run.run.given)}


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
        most_a, most_b = (
            figures.count(max(len(names) + more for names, more in side)) for side in lists
        )
        yield "Tools, not the same ones", most_a, most_b
        return
    of_a, of_b = ({tool for names, _ in side for tool in names} for side in lists)
    if of_a != of_b:
        only_a, only_b = (", ".join(sorted(each)) or "–" for each in (of_a - of_b, of_b - of_a))
        yield "Tools of one side only", only_a, only_b


def _prompts(a: Side, b: Side) -> Iterator[tuple[str, str, str]]:
    """Yield the number of tasks whose prompts differ, with the first of them."""
    both = 0
    other = []
    for task in a.runs.keys() & b.runs.keys():
        one, two = (
            {_stated(run).get("Prompt", "") for run in side.runs[task]} - {""} for side in (a, b)
        )
        both += bool(one and two)
        if one and two and one != two:
            other.append((task, ", ".join(sorted(one)[:_MOST]), ", ".join(sorted(two)[:_MOST])))
    if other:
        task, one_text, two_text = min(other)
        yield (
            f"Prompts of {len(other)} of {figures.plural(both, 'task')}, such as {task}",
            one_text,
            two_text,
        )


# Intervals of effects, and costs by task.


MAX_DRAWN = 12  # tasks in a chart: those of the largest differences

_RATIO_TICKS = (
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


def plots(a: SideView, b: SideView, contrasts: Sequence[Contrast]) -> Iterator[View]:
    """Ratios on one scale, success in points and other differences each on another."""
    ratios = [
        each
        for each in contrasts
        if not each.measure.is_difference and each.ratio and each.mean_ratio
    ]
    if ratios:
        yield _ratio_plot(a, b, ratios)
    for each in contrasts:
        if each.measure.is_difference and each.difference and each.mean_difference is not None:
            yield _difference_plot(a, b, Claim.of(each, is_ratio=False), each.difference)


def _ratio_plot(a: SideView, b: SideView, contrasts: Sequence[Contrast]) -> View:
    floor = (
        1e-12  # a mean of B of zero has no place on a scale of ratios: its line leaves at the left
    )
    ends = [
        max(end, floor)
        for each in contrasts
        if each.ratio
        for end in (each.ratio.low, each.ratio.high)
    ]
    reach = max(*ends, *(1 / end for end in ends))
    ticks = next(
        (ticks for ticks in reversed(_RATIO_TICKS) if ticks[-1] <= reach * 1.1), _RATIO_TICKS[0]
    )
    low = math.log(min(ends))
    high = math.log(max(ends))
    room = max((high - low) * 0.04, math.log(ticks[-1]) * 0.2)
    low = min(low, 0.0) - room
    high = max(high, 0.0) + room

    def place(value: float) -> float:
        return (math.log(max(value, floor)) - low) / (high - low)

    shown = [(place(tick), f"{tick:,g}×") for tick in ticks]
    apart = [(x, label) for x, label in shown if 0 <= x <= 1 and abs(x - place(1)) > 0.07]
    what = f"Ratios of {b.short} to {a.short} with 95% intervals"
    return _plot(
        what, [Claim.of(each, is_ratio=True) for each in contrasts], place, apart, place(1)
    )


def _difference_plot(a: SideView, b: SideView, claim: Claim, interval: Interval) -> View:
    measure = claim.measure
    is_share = measure.is_share
    write = figures.points if is_share else partial(signed, write=writer_of(measure))
    reach = max(abs(interval.low), abs(interval.high), 0.05 if is_share else 0.0)
    exponent = math.floor(math.log10(reach / 3))
    step = next(
        size * 10.0**exponent for size in (1, 2, 5, 10) if reach < 3 * size * 10.0**exponent
    )
    edge = max(reach, 2 * step) * 1.08

    def place(value: float) -> float:
        return (value + edge) / (2 * edge)

    of = "Success" if measure is Measure.SUCCESS else measure_name(measure)
    what = (
        f"{of} of {b.short} minus that of {a.short}{' in points' * is_share}, with its 95% interval"
    )
    ticks = [(place(n * step), write(n * step)) for n in (-2, -1, 1, 2)]
    return _plot(what, [claim], place, ticks, place(0))


def _plot(
    what: str,
    claims: Sequence[Claim],
    place: Callable[[float], float],
    ticks: Iterable[tuple[float, str]],
    same: float,
) -> View:
    """Effects on one scale with a line where both sides are the same; several also say on which side is more. `place`
    gives shares of its width."""
    rows = []
    for claim in claims:
        label = cut(label_of(claim.measure), 22)
        value = claim.size
        if claim.estimate is None or claim.interval is None:
            continue
        if claim.measure is Measure.SUCCESS:
            label += ", points"
            value = claim.write(claim.estimate)
        mark = Mark(
            place(claim.estimate),
            place(claim.interval.low),
            place(claim.interval.high),
            "t" if claim.is_clear else "ring",
        )
        rows.append(View(label=label, value=value, ends=claim.ends, mark=mark))
    listed = "; ".join(f"{row.label} {row.value}, {row.ends}" for row in rows)
    return View(rows=rows, ticks=tuple(ticks), same=same, description=f"{what}: {listed}.")


def tasks_plot(a: SideView, b: SideView, comparison: Comparison) -> View | None:
    """Mean costs by task with the single runs; None where no task has costs on both sides, or all are zero."""
    cost = comparison.contrasts[Measure.COST]
    largest = sorted(cost.tasks, key=lambda pair: -abs(pair.difference))[:MAX_DRAWN]
    drawn = [pair for pair in cost.tasks if pair in largest]
    singles = [
        [_costs(side[pair.task]) for side in (comparison.a.runs, comparison.b.runs)]
        for pair in drawn
    ]
    top = max((figure for sides in singles for side in sides for figure in side), default=0) * 1.03
    if top <= 0:
        return None

    ticks = [
        (tick / top, figures.money(tick) if tick else "$0")
        for tick in Axis(0.0, top, False).ticks()
    ]
    rows = [
        View(
            label=cut(pair.task, 22),
            # Shares of the width: the means, and the single runs of each side.
            means=(pair.a / top, pair.b / top),
            singles=[[usd / top for usd in costs] for costs in sides],
            difference=signed(pair.difference, figures.money),
        )
        for pair, sides in zip(drawn, singles, strict=True)
    ]
    part = len(drawn) < len(cost.tasks)
    of = (
        f"The {len(drawn)} of {len(cost.tasks)} tasks with the largest differences. "
        if part
        else ""
    )
    heading = ahead_on(a, b, cost) if comparison.claims else "Cost by task"
    note = f"Mean cost of a run on each task, and the difference B − A. {of}Small dots are single runs."
    return View(rows=rows, ticks=ticks, heading=heading, note=note)


def _costs(runs: Iterable[Entry]) -> list[float]:
    """Known costs, from the least, so that the order of the runs changes nothing."""
    return sorted(cost for run in runs if (cost := run.run.cost_usd) is not None)
