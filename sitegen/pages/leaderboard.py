"""The leaderboard: configurations or models, else campaigns, by their score, by success or by cost.

A mark shows who may lead by paired comparisons (`families.may_lead`); a row leads only where no other may. Without that
the table still has an order, and says that there is no clear leader.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations

from sitegen import figures
from sitegen.charts.findings import label
from sitegen.fields import score_key
from sitegen.figures import marked
from sitegen.html.render import View
from sitegen.model import Entry, Outcome
from sitegen.numbers import statistics
from sitegen.numbers.comparison import Comparison, Contrast, by_list_price
from sitegen.numbers.families import may_lead, mcnemar
from sitegen.numbers.intervals import Question, median
from sitegen.numbers.statistics import (
    AGENTS,
    AnyMeasure,
    Dimension,
    Measure,
    ScoreMeasure,
    Spread,
    group_by,
)
from sitegen.numbers.success import Success, success
from sitegen.numbers.treatment import tasks_with_other_checks
from sitegen.numbers.wording import Claim, counts, measure_name, p_value
from sitegen.pages.compare import Pair
from sitegen.pages.views import (
    CellView,
    HeadView,
    LinkView,
    Mark,
    colour_class,
    group_path,
    mark_of,
    mean_writer,
    model_class,
    score_columns,
    spread_ends,
)
from sitegen.text.names import run_path

MAX_ROWS = 12  # groups in the table; the others have pages

MAX_RANKED = 50
"""Groups with which each row of the table is compared; of the others none is clearly better or worse."""

MAX_SCORES = 2  # scores that have a column

FEWEST = 3  # runs of a row that may stand above rows of more

_WIDEST = 2  # an interval is drawn up to so many times the largest mean

_UNKNOWN = CellView(figures.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Contender:
    """A row in numbers."""

    name: str
    runs: tuple[Entry, ...]
    judged: Success
    cost: Spread
    is_computed: bool  # whether its costs, which no run reports, are at list price
    wall_ms: float | None  # median
    scores: tuple[Spread, ...]  # the spread of each of the board's measures

    def figure(self, by: AnyMeasure) -> tuple[float | None, int]:
        """Return what it is ranked by, and how many runs that rests on."""
        if by is Measure.SUCCESS:
            return self.judged.rate, self.judged.judged
        spread = self.cost if by is Measure.COST else self.scores[0]
        return spread.mean, spread.known


@dataclass(frozen=True, slots=True)
class Board:
    """All rows in numbers, in their order."""

    dimension: Dimension
    measures: tuple[ScoreMeasure, ...]
    """The scores with a column; the one that the order is by comes first."""
    by: AnyMeasure
    contenders: tuple[Contender, ...]
    are_alike: bool  # whether all did much the same tasks
    halves: Mapping[str, Callable[[Entry], bool]] = field(default_factory=dict)
    """Groups of tasks with a column of their own, and whether a run is in them."""
    may_lead: Mapping[str, bool] = field(default_factory=dict)
    """Whether a group may lead, by name, for those that are compared on enough tasks."""
    of_control: Mapping[Pair, Comparison] = field(default_factory=dict)
    """Comparisons of a control and a group."""

    @property
    def shows_cost_per_success(self) -> bool:
        """Whether it has a column of it: where too few runs passed in every row, none says anything."""
        return any(contender.judged.cost_per_success for contender in self.contenders)

    @property
    def names(self) -> list[str]:
        """The names of the rows, in their order."""
        return [contender.name for contender in self.contenders]

    @property
    def leads(self) -> bool:
        """Whether the first alone may lead, of all that can be compared."""
        candidates = [name for name in self.names if self.may_lead.get(name)]
        return candidates == self.names[:1] and len(self.contenders) <= MAX_RANKED

    @property
    def comparable(self) -> int:
        """The number of groups that are compared with another on enough tasks, or could be if there were fewer."""
        return len(self.may_lead) + max(len(self.contenders) - MAX_RANKED, 0)

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs that tell who may lead: each row of the table with every other group."""
        shown = self.names[:MAX_ROWS]
        pairs = combinations(self.names[:MAX_RANKED], 2)
        return tuple((self.dimension, a, b) for a, b in pairs if a in shown)

    def compared(
        self, known: Mapping[Pair, Comparison], of_control: Mapping[Pair, Comparison] | None = None
    ) -> "Board":
        """Return the same with those that may lead, from all comparisons of the build, who come first: shared tasks may
        say otherwise than means of all runs. Those that are not compared come last."""
        contrasts = []
        for by, a, b in self.pairs:
            for first, second in ((a, b), (b, a)):
                contrast = _contrast(known.get((by, first, second)), self.by)
                if contrast:
                    contrasts.append((first, second, contrast))
        leading = may_lead(self.names, contrasts)
        board = replace(self, may_lead=leading, of_control=of_control or {})
        places = {True: 0, False: 1, None: 2}
        ordered = sorted(self.contenders, key=lambda row: places[leading.get(row.name)])
        if not board.is_ranking:
            ordered.sort(key=lambda row: (-len(row.runs), row.name))
        return replace(board, contenders=tuple(ordered))

    @property
    def knows_tasks(self) -> bool:
        """Whether the task of any run is known."""
        return any(entry.task for contender in self.contenders for entry in contender.runs)

    @property
    def is_ranking(self) -> bool:
        """Whether the order says anything: not where tasks are unknown or others."""
        return bool(self.may_lead) or (self.are_alike and self.knows_tasks)

    @property
    def mixes_costs(self) -> bool:
        """Whether some of its costs are reported and others at list price: no two of them are compared then."""
        priced = [row for row in self.contenders if row.cost.mean is not None]
        return len({row.is_computed for row in priced}) > 1

    @property
    def is_judged(self) -> bool:
        """Whether outcomes are known of any run."""
        return any(contender.judged.judged for contender in self.contenders)


def _contrast(comparison: Comparison | None, measure: AnyMeasure) -> Contrast | None:
    contrasts = comparison.all_contrasts if comparison else []
    return next((found for found in contrasts if found.measure.key == measure.key), None)


def board(entries: Sequence[Entry], question: Question, score: str = "") -> Board | None:
    """Return who leads; None where there are no two groups of one kind. Outcomes count before
    scores, which failures may lack, except before the `score` that the settings choose."""
    for dimension in (*AGENTS, Dimension.CAMPAIGN):
        groups = group_by(entries, dimension)
        if len(groups) > 1:
            break
    else:
        return None
    measures = tuple(leading(entries, score))
    contenders = [_contender(name, runs, measures, question) for name, runs in groups.items()]
    by: AnyMeasure = Measure.COST
    is_judged = any(contender.judged.judged for contender in contenders)
    has_score = measures and measures[0].higher_is_better is not None
    if has_score and (measures[0].name == score or not is_judged):
        by = measures[0]
    elif is_judged:
        by = Measure.SUCCESS
    contenders.sort(key=partial(_rank, by))
    alike = all(are_alike(contenders[0], other) for other in contenders[1:])
    return Board(dimension, measures, by, tuple(contenders), alike)


def are_alike(a: Contender, b: Contender) -> bool:
    """Return whether two did much the same tasks, or nobody says which: else their figures are not about the same."""
    tasks = {entry.task for entry in a.runs if entry.task}
    others = {entry.task for entry in b.runs if entry.task}
    if not tasks or not others:
        return True
    return 2 * len(tasks & others) >= max(len(tasks), len(others))


def leading(entries: Sequence[Entry], first: str = "") -> list[ScoreMeasure]:
    """Return the scores that lead, at most MAX_SCORES: the one that is to come first, then those of a known direction.
    One that most runs lack is not what the campaign is about."""
    counts = Counter(score.name for entry in entries for score in entry.scores)
    counts[first] += len(entries)
    measures = statistics.score_measures(entries)
    common = [measure for measure in measures if 2 * counts[measure.name] >= len(entries)]
    common.sort(key=lambda measure: (measure.name != first, measure.higher_is_better is None))
    return common[:MAX_SCORES]


def _contender(
    name: str, runs: tuple[Entry, ...], measures: Sequence[ScoreMeasure], question: Question
) -> Contender:
    """Return a row, with costs at list price where no run reports one."""
    is_reported = any(entry.run.cost_usd is not None for entry in runs)
    is_computed = not is_reported and any(entry.run.spent_usd is not None for entry in runs)
    if is_computed:
        runs = tuple(map(by_list_price, runs))
    times = map(Measure.WALL.of, runs)
    return Contender(
        name,
        runs,
        success(runs, question),
        statistics.spread(runs, Measure.COST, question),
        is_computed,
        median(ms for ms in times if ms is not None),
        tuple(statistics.spread(runs, measure, question) for measure in measures),
    )


def _rank(by: AnyMeasure, contender: Contender) -> tuple[bool, bool, float, int, str]:
    """Better ones come first, lost runs counting as failures, then those of more runs; those of fewer than FEWEST runs
    come behind, and last those without the figure."""
    figure, runs = contender.figure(by)
    if by is Measure.SUCCESS:
        figure = contender.judged.cautious_rate
    sign = 1 if by.lower_is_better else -1
    place = sign * (figure or 0.0)
    return figure is None, runs < FEWEST, place, -len(contender.runs), contender.name


def leaderboard_view(board: Board, left_out: str = "") -> View:
    """Return the table of who leads; `left_out` counts the configurations without a verdict, which it does not have."""
    dimension = board.dimension
    columns = tuple(_columns(board))
    rows = []
    for place, contender in enumerate(board.contenders[:MAX_ROWS]):
        name = contender.name
        row = View(
            name=name,
            link=LinkView(group_path(dimension.value, name), label(name)),
            slug=model_class(name) if dimension in AGENTS else None,
            leads=board.leads and not place,
            mark=_mark_of(board, name),
            cells=[write(contender) for _, write in columns],
        )
        rows.append(row)
    left = len(board.contenders) - len(rows)
    kind = dimension.value.capitalize()
    return View(
        heading="Leaderboard" if board.is_ranking else f"{kind}s",
        # The column of the table of runs whose names are its rows.
        by=dimension.value,
        kind=kind,
        note="; ".join(_notes(board)),
        columns=[head for head, _ in columns],
        rows=rows,
        more=figures.plural(left, f"more {dimension.value}") if left else None,
        left_out=left_out,
    )


def _notes(board: Board) -> Iterator[str]:
    """Yield what the order is by and who leads, and what keeps some rows from being compared."""
    if board.is_ranking:
        yield from _notes_of_ranking(board)
    else:
        why = "they did different tasks" if board.knows_tasks else "tasks unknown"
        yield f"sorted by number of runs; {why}, so not a ranking"
    if board.mixes_costs:
        yield "≈ is at list price, and is not compared with reported costs"
    elif any(contender.is_computed for contender in board.contenders):
        yield "≈ is at list price"


def _notes_of_ranking(board: Board) -> Iterator[str]:
    contenders = board.contenders
    by = f"by {_NAMES.get(board.by) or f'mean {measure_name(board.by)}'}"
    if board.by is Measure.SUCCESS and any(contender.judged.lost for contender in contenders):
        by += ", counting errors as failures"
    if list(contenders) != sorted(contenders, key=partial(_rank, board.by)):
        by += ", those that may lead first"
    yield by
    if board.leads:
        yield f"{label(contenders[0].name)} leads"
    elif not board.are_alike:
        yield "they did different tasks"
    else:
        yield "no clear leader" if board.may_lead else "too few shared tasks to compare"
    if isinstance(board.by, ScoreMeasure):
        runs = [run for contender in contenders for run in contender.runs]
        failed = [run for run in runs if run.outcome in (Outcome.FAIL, Outcome.PARTIAL)]
        if none := sum(board.by.of(run) is None for run in failed):
            yield f"no score for {figures.plural(none, 'run')} that did not pass"
    ranks = [_rank(board.by, contender) for contender in contenders]
    if len({is_few for is_unknown, is_few, *_ in ranks if not is_unknown}) > 1:
        yield f"fewer than {FEWEST} {_COUNTED.get(board.by, 'scored')} runs last"


_NAMES: Mapping[AnyMeasure, str] = {Measure.SUCCESS: "share passed", Measure.COST: "cost per run"}
_COUNTED: Mapping[AnyMeasure, str] = {Measure.SUCCESS: "judged", Measure.COST: "priced"}


def _mark_of(board: Board, name: str) -> str:
    """Return the mark of a row: whether it leads or may lead."""
    if name not in board.may_lead:
        return "too few tasks to compare" if board.may_lead else ""
    if not board.may_lead[name]:
        return ""
    return "leads" if board.leads else "may lead"


_Column = tuple[HeadView, Callable[[Contender], CellView]]


def _columns(board: Board) -> Iterator[_Column]:
    """Yield the columns: the head of each, and how it writes a row."""
    if board.is_judged:
        tooltip = "Share of the judged runs that passed, with its 95% interval"
        yield _head("passed", "Passed", tooltip, is_drawn=True), partial(_passed, board)
        for number, (group, is_in) in enumerate(board.halves.items()):
            tooltip = "Share of the judged runs of this group of tasks that passed"
            yield _head(f"half {number}", group, tooltip), partial(_half, is_in)
    for place in range(len(board.measures)):
        yield from _columns_of_score(board, place)
    if board.of_control:
        tooltip = "Success and score against the control, with 95% intervals, and tasks gained and lost (McNemar’s test)"
        yield _head("control", "Against control", tooltip), partial(_against_control, board)
        tooltip = "Cost and tokens of a run against the control"
        yield _head("adds", "Adds", tooltip), partial(_added, board)
    tooltip = "Mean of the runs that report a cost, else at list price, with its 95% interval"
    yield _head("cost", "Cost per run", tooltip), partial(_cost, board)
    if board.shows_cost_per_success:
        tooltip = "Cost of all runs, failed ones included, for each that passed"
        yield _head("per_success", "Cost per success", tooltip), _per_success
    yield _head("time", "Median time", "Median of a run"), _time
    tooltip = "All runs; errors have no verdict"
    yield _head("runs", "Runs", tooltip), partial(_runs, is_judged=board.is_judged)


def _columns_of_score(board: Board, place: int) -> Iterator[_Column]:
    measure = board.measures[place]
    key = score_key(measure.name)
    mean = "Geometric mean" if measure.is_ratio else "Mean"
    tooltip = f"{mean} of the runs that have one, with its 95% interval"
    head = _head(f"score {key}", figures.as_title(measure.name), tooltip, is_drawn=True)
    spreads = [contender.scores[place] for contender in board.contenders[:MAX_ROWS]]
    yield head, partial(_score, board, place, _top(spreads))
    # There is no room for the best run beside groups of tasks, and none of runs that reach a score or do not.
    if measure.higher_is_better is not None and not measure.is_share and not board.halves:
        runs = [run for contender in board.contenders for run in contender.runs]
        column = score_columns(runs).get(measure.name)
        tooltip = f"{'Best passed run' if board.is_judged else 'Best run'} by {measure.name}"
        yield _head(f"best {key}", "Best run", tooltip), partial(_best, board, measure, column)


def _head(key: str, text: str, tooltip: str, *, is_drawn: bool = False) -> HeadView:
    return HeadView(text, is_drawn=is_drawn, key=key, about=tooltip)


def _with_control(board: Board, name: str) -> Comparison | None:
    arms = {arm: comparison for (_, _, arm), comparison in board.of_control.items()}
    return arms.get(name)


def _against_control(board: Board, contender: Contender) -> CellView:
    """Return the difference from the control in success and in the main score, and the tasks gained and lost."""
    comparison = _with_control(board, contender.name)
    if not comparison:
        is_control = any(name == contender.name for _, name, _ in board.of_control)
        return CellView("control") if is_control else _UNKNOWN
    success = comparison.contrasts[Measure.SUCCESS]
    contrasts = [success] if success.tasks else []
    score = _contrast(comparison, board.measures[0]) if board.measures else None
    if score:
        contrasts.append(score)
    if not contrasts:
        return _UNKNOWN
    first, *others = map(Claim.of, contrasts)
    notes = [first.ends or "too few tasks for an interval"]
    for claim in others:
        ends = f" ({claim.ends})" if claim.ends else ""
        notes.append(f"{measure_name(claim.measure)} {claim.size}{ends}")
    if success.tasks:
        gained = figures.plural(success.b_wins, "task")
        p = p_value(mcnemar(success.b_wins, success.a_wins))
        notes.append(f"gained {gained}, lost {success.a_wins}, {p}")
    if comparison.treatment:
        notes.append(comparison.treatment.text)
    if tasks_with_other_checks(comparison.a.runs, comparison.b.runs):
        notes.append("the arms have different checks")
    return CellView(first.size, "; ".join(notes))


def _added(board: Board, contender: Contender) -> CellView:
    """Return what the treatment adds to the cost and the tokens of a run."""
    comparison = _with_control(board, contender.name)
    if not comparison:
        return _UNKNOWN
    cost = Claim.of(comparison.contrasts[Measure.COST], is_ratio=False)
    tokens = Claim.of(comparison.contrasts[Measure.TOKENS], is_ratio=False)
    return CellView(cost.size, f"{tokens.size} tokens" if tokens.estimate is not None else "")


def _half(is_in: Callable[[Entry], bool], contender: Contender) -> CellView:
    judged = success(filter(is_in, contender.runs))  # its interval is on the page of the study
    note = counts(judged) if judged.judged else ""
    return CellView(figures.percent(judged.passed, judged.judged), note)


def _cost(board: Board, contender: Contender) -> CellView:
    cost = contender.cost
    if cost.mean is None:
        return CellView(marked(figures.UNKNOWN, cost.is_lower_bound))
    notes = [spread_ends(Measure.COST, cost)]
    if cost.unknown:
        notes.append(f"{cost.known} of {figures.plural(len(contender.runs), 'run')}")
    if board.mixes_costs:
        notes.append("list prices" if contender.is_computed else "as reported")
    mean = marked(figures.money(cost.mean), cost.is_lower_bound)
    return CellView("≈ " * contender.is_computed + mean, ", ".join(filter(None, notes)))


def _per_success(contender: Contender) -> CellView:
    if cost := contender.judged.cost_per_success:
        return CellView("≈ " * contender.is_computed + figures.bounded(cost, figures.money))
    return CellView(figures.UNKNOWN, "too few" if contender.cost.known else "")


def _time(contender: Contender) -> CellView:
    return CellView(figures.duration(contender.wall_ms))


def _runs(contender: Contender, *, is_judged: bool) -> CellView:
    judged = contender.judged
    # Where nobody judges, no verdict is lost.
    cut_short = judged.cut_short if is_judged else judged.infrastructure
    notes = [f"{figures.count(cut_short)} cut short"] if cut_short else []
    if is_judged and judged.lost:
        notes.append(figures.plural(judged.lost, "error"))
    return CellView(figures.count(len(contender.runs)), ", ".join(notes))


def _passed(board: Board, contender: Contender) -> CellView:
    judged = contender.judged
    if judged.rate is None:
        return _UNKNOWN
    note = counts(judged)
    if ends := judged.interval:
        note += f", {figures.shares(ends.low, 1.0, 0)} to {figures.share(ends.high)}"
    mark = mark_of(judged.rate, judged.interval, 1.0, _css(board, contender))
    return CellView(figures.percent(judged.passed, judged.judged), note, mark=mark)


def _css(board: Board, contender: Contender) -> str:
    return colour_class(contender.name if board.dimension in AGENTS else None)


def _score(board: Board, place: int, top: float, contender: Contender) -> CellView:
    measure = board.measures[place]
    spread = contender.scores[place]
    mean = spread.mean
    if mean is None:
        return _UNKNOWN
    mark: Mark | None = None
    if top > 0:
        mark = mark_of(mean, spread.interval, top, _css(board, contender))
    write = mean_writer(measure, mean, spread.interval)
    return CellView(write(mean), spread_ends(measure, spread), mark=mark)


def _top(spreads: Sequence[Spread]) -> float:
    """Return where the scale of a score ends; it begins at zero, and is not drawn where a score is below."""
    means: list[float] = []
    ends: list[float] = []
    for spread in spreads:
        if spread.mean is not None:
            means.append(spread.mean)
            interval = spread.interval
            ends += (interval.low, interval.high) if interval else (spread.mean,)
    if min(ends, default=-1.0) < 0:
        return 0.0
    return min(max(ends), _WIDEST * max(means))


def _best(
    board: Board, measure: ScoreMeasure, column: figures.FigureFormat | None, contender: Contender
) -> CellView:
    """Return the best run; of judged runs only one that passed can be it."""
    runs = contender.runs
    if board.is_judged:
        runs = tuple(run for run in runs if run.outcome is Outcome.PASS)
    values = {run.id: value for run in runs if (value := measure.of(run)) is not None}
    if not values or column is None:
        return _UNKNOWN
    sign = -1 if measure.higher_is_better else 1
    # The first of equals, as the script of filters has it.
    best = min(
        (run for run in runs if run.id in values), key=lambda run: (sign * values[run.id], run.id)
    )
    # Its row says the configuration already.
    name = best.name.replace(f" · {best.configuration}", "", 1) if best.configuration else best.name
    return CellView(column.in_full(values[best.id], measure.unit), name, run_path(best.id))
