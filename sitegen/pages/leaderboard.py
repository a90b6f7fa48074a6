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
from sitegen.numbers.comparison import Comparison, by_list_price
from sitegen.numbers.families import may_lead, mcnemar
from sitegen.numbers.intervals import Interval, Question, median
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
from sitegen.pages import views
from sitegen.pages.compare import Pair
from sitegen.text.names import run_path

MAX_ROWS = 12  # groups in the table; the others have pages

MAX_RANKED = 50
"""Groups with which each row of the table is compared; of the others none is clearly better or worse."""

MAX_SCORES = 2  # scores that have a column

_WIDEST = 2  # an interval is drawn up to so many times the largest mean


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
        told = self.cost if by is Measure.COST else self.scores[0]
        return told.mean, told.known


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
    def candidates(self) -> list[str]:
        """Those that may lead, in the order of the rows."""
        return [each.name for each in self.contenders if self.may_lead.get(each.name)]

    @property
    def leads(self) -> bool:
        """Whether the first alone may lead, of all that can be compared."""
        return self.candidates == [self.contenders[0].name] and not self._left_out

    @property
    def _left_out(self) -> int:
        return max(len(self.contenders) - MAX_RANKED, 0)

    @property
    def comparable(self) -> int:
        """The number of groups that are compared with another on enough tasks, or could be if there were fewer."""
        return len(self.may_lead) + self._left_out

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs that tell who may lead: each row of the table with every other group."""
        names = [each.name for each in self.contenders[:MAX_RANKED]]
        pairs = combinations(enumerate(names), 2)
        return tuple((self.dimension, a, b) for (at, a), (_, b) in pairs if at < MAX_ROWS)

    def compared(
        self, known: Mapping[Pair, Comparison], of_control: Mapping[Pair, Comparison] | None = None
    ) -> "Board":
        """Return the same with those that may lead, from all comparisons of the build, who come first: shared tasks may
        say otherwise than means of all runs. Those that are not compared come last."""
        found = []
        for by, a, b in self.pairs:
            compared = known.get((by, a, b)) or known.get((by, b, a))
            contrast = compared and (
                compared.contrasts[self.by]
                if isinstance(self.by, Measure)
                else compared.scores.get(self.by.name)
            )
            if contrast:
                found.append((a, b, contrast) if (by, a, b) in known else (b, a, contrast))
        leading = may_lead([each.name for each in self.contenders], found)
        ordered = sorted(
            self.contenders, key=lambda each: (True, False, None).index(leading.get(each.name))
        )
        board = replace(
            self, contenders=tuple(ordered), may_lead=leading, of_control=of_control or {}
        )
        if board.is_ranking:
            return board
        return replace(
            board, contenders=tuple(sorted(ordered, key=lambda each: (-len(each.runs), each.name)))
        )

    @property
    def knows_tasks(self) -> bool:
        """Whether the task of any run is known."""
        return any(entry.task for each in self.contenders for entry in each.runs)

    @property
    def is_ranking(self) -> bool:
        """Whether the order says anything: not where tasks are unknown or others."""
        return bool(self.may_lead) or (self.are_alike and self.knows_tasks)

    @property
    def mixes_costs(self) -> bool:
        """Whether some of its costs are reported and others at list price: no two of them are compared then."""
        return len({each.is_computed for each in self.contenders if each.cost.mean is not None}) > 1

    @property
    def is_judged(self) -> bool:
        """Whether outcomes are known of any run."""
        return any(each.judged.judged for each in self.contenders)

    @property
    def counted(self) -> str:
        """The runs that its order rests on; empty where it is by cost."""
        return (
            "scored"
            if isinstance(self.by, ScoreMeasure)
            else "judged"
            if self.by is Measure.SUCCESS
            else ""
        )


def board(entries: Sequence[Entry], question: Question, score: str = "") -> Board | None:
    """Return who leads; None where there are no two groups of one kind. Outcomes count before
    scores, which failures may lack, except before the `score` that the settings choose."""
    kinds = ((kind, group_by(entries, kind)) for kind in (*AGENTS, Dimension.CAMPAIGN))
    dimension, groups = next(((kind, found) for kind, found in kinds if len(found) > 1), (None, {}))
    if dimension is None:
        return None
    measures = leading(entries, score)
    contenders = [_contender(name, runs, measures, question) for name, runs in groups.items()]
    by: AnyMeasure = Measure.COST
    is_judged = any(each.judged.judged for each in contenders)
    if (
        measures
        and measures[0].higher_is_better is not None
        and (measures[0].name == score or not is_judged)
    ):
        by = measures[0]
    elif is_judged:
        by = Measure.SUCCESS
    contenders.sort(key=partial(_rank, by))
    first, *others = contenders
    return Board(
        dimension,
        tuple(measures),
        by,
        tuple(contenders),
        all(are_alike(first, other) for other in others),
    )


def are_alike(a: Contender, b: Contender) -> bool:
    """Return whether two did much the same tasks, or nobody says which: else their figures are not about the same."""
    tasks = [{entry.task for entry in each.runs if entry.task} for each in (a, b)]
    return not all(tasks) or 2 * len(tasks[0] & tasks[1]) >= max(map(len, tasks))


def leading(entries: Sequence[Entry], first: str = "") -> Sequence[ScoreMeasure]:
    """Return the scores that lead, at most MAX_SCORES: the one that is to come first, then those of a known direction.
    One that most runs lack is not what the campaign is about."""
    counts = Counter(score.name for entry in entries for score in entry.scores)
    half = len(entries) / 2
    common = (
        each
        for each in statistics.score_measures(entries)
        if each.name == first or counts[each.name] >= half
    )
    return sorted(common, key=lambda each: (each.name != first, each.higher_is_better is None))[
        :MAX_SCORES
    ]


def _contender(
    name: str, runs: tuple[Entry, ...], measures: Sequence[ScoreMeasure], question: Question
) -> Contender:
    runs, is_computed = _priced(runs)
    judged = success(runs, question)
    cost = statistics.spread(runs, Measure.COST, question)
    wall_ms = median(wall for entry in runs if (wall := Measure.WALL.of(entry)) is not None)
    scores = tuple(statistics.spread(runs, measure, question) for measure in measures)
    return Contender(name, runs, judged, cost, is_computed, wall_ms, scores)


def _priced(runs: tuple[Entry, ...]) -> tuple[tuple[Entry, ...], bool]:
    """Return the runs, with their costs at list price where none reports a cost; and whether that is so."""
    if any(entry.run.cost_usd is not None for entry in runs) or all(
        entry.run.spent_usd is None for entry in runs
    ):
        return runs, False
    return tuple(map(by_list_price, runs)), True


FEWEST = 3  # runs of a row that may stand above rows of more


def _rank(by: AnyMeasure, each: Contender) -> tuple[bool, bool, float, int, str]:
    """Better ones come first, lost runs counting as failures, then those of more runs; those of fewer than FEWEST runs
    come behind, and last those without the figure."""
    (figure, runs), sign = each.figure(by), 1 if by.lower_is_better else -1
    figure = each.judged.cautious_rate if by is Measure.SUCCESS else figure
    return figure is None, runs < FEWEST, sign * (figure or 0.0), -len(each.runs), each.name


def leaderboard_view(found: Board, left_out: str = "") -> View:
    """Return the table of who leads; `left_out` counts the configurations without a verdict, which it does not have."""
    shown = found.contenders[:MAX_ROWS]
    columns = tuple(_columns(found))
    rows = []
    for position, each in enumerate(shown):
        link = views.LinkView(views.group_path(found.dimension.value, each.name), label(each.name))
        slug = views.model_class(each.name) if found.dimension in AGENTS else None
        leads = found.leads and not position
        cells = tuple(write(each) for _, write in columns)
        mark = _mark_of(found, each)
        rows.append(View(name=each.name, link=link, slug=slug, leads=leads, mark=mark, cells=cells))
    left = len(found.contenders) - len(shown)
    return View(
        heading="Leaderboard" if found.is_ranking else f"{found.dimension.value.capitalize()}s",
        # The column of the table of runs whose names are its rows.
        by=found.dimension.value,
        kind=found.dimension.value.capitalize(),
        note=_note(found),
        columns=tuple(head for head, _ in columns),
        rows=tuple(rows),
        more=figures.plural(left, f"more {found.dimension.value}") if left else None,
        left_out=left_out,
    )


def _note(found: Board) -> str:
    listed = "; ≈ is at list price" if any(each.is_computed for each in found.contenders) else ""
    if not found.is_ranking:
        why = "they did different tasks" if found.knows_tasks else "tasks unknown"
        return f"sorted by number of runs; {why}, so not a ranking{listed}"
    by = f"mean {found.by.name}" if isinstance(found.by, ScoreMeasure) else _BY[found.by]
    if any(each.judged.lost for each in found.contenders) and found.by is Measure.SUCCESS:
        by += ", counting errors as failures"
    if list(found.contenders) != sorted(found.contenders, key=partial(_rank, found.by)):
        by += ", those that may lead first"
    listed += ", and is not compared with reported costs" if found.mixes_costs else ""
    places = [_rank(found.by, each) for each in found.contenders]
    if len({is_few for is_unknown, is_few, *_ in places if not is_unknown}) > 1:
        listed = f"; fewer than {FEWEST} {found.counted or 'priced'} runs last{listed}"
    if isinstance(found.by, ScoreMeasure):
        runs = (run for each in found.contenders for run in each.runs)
        failed = (run for run in runs if run.outcome in (Outcome.FAIL, Outcome.PARTIAL))
        if none := sum(found.by.of(run) is None for run in failed):
            listed = f"; no score for {figures.plural(none, 'run')} that did not pass{listed}"
    if found.leads:
        return f"by {by}; {label(found.contenders[0].name)} leads{listed}"
    why = "no clear leader" if found.may_lead else "too few shared tasks to compare"
    return f"by {by}; {why if found.are_alike else 'they did different tasks'}{listed}"


def _mark_of(table: Board, contender: Contender) -> str:
    """Return the mark of a row: whether it leads or may lead."""
    if contender.name not in table.may_lead:
        return "too few tasks to compare" if table.may_lead else ""
    if not table.may_lead[contender.name]:
        return ""
    return "leads" if table.leads else "may lead"


_BY = {Measure.SUCCESS: "share passed", Measure.COST: "cost per run"}


def _columns(
    found: Board,
) -> Iterator[tuple[views.HeadView, Callable[[Contender], views.CellView]]]:
    """Yield the columns: the head of each, and how it writes a row."""
    if found.is_judged:
        about = "Share of the judged runs that passed, with its 95% interval"
        yield _head("passed", "Passed", about, is_drawn=True), partial(_passed, found)
        for number, (group, is_in) in enumerate(found.halves.items()):
            about = "Share of the judged runs of this group of tasks that passed"
            yield _head(f"half {number}", group, about), partial(_half, is_in)
    written = views.score_columns(entry for each in found.contenders for entry in each.runs)
    for at, measure in enumerate(found.measures):
        key = score_key(measure.name)
        mean = "Geometric mean" if measure.is_ratio else "Mean"
        about = f"{mean} of the runs that have one, with its 95% interval"
        head = _head(f"score {key}", figures.as_title(measure.name), about, is_drawn=True)
        yield head, partial(_score, found, at, _top(found, at))
        # There is no room for the best run beside groups of tasks, and none of runs that reach a score or do not.
        if measure.higher_is_better is not None and not measure.is_share and not found.halves:
            about = f"{'Best passed run' if found.is_judged else 'Best run'} by {measure.name}"
            best = partial(_best, measure, written, is_judged=found.is_judged)
            yield _head(f"best {key}", "Best run", about), best
    if found.of_control:
        about = "Success and score against the control, with 95% intervals, and tasks gained and lost (McNemar’s test)"
        yield _head("control", "Against control", about), partial(_against_control, found)
        yield (
            _head("adds", "Adds", "Cost and tokens of a run against the control"),
            partial(_added, found),
        )
    about = "Mean of the runs that report a cost, else at list price, with its 95% interval"
    yield _head("cost", "Cost per run", about), partial(_cost, found)
    if found.is_judged:
        about = "Cost of all runs, failed ones included, for each that passed"
        yield _head("per_success", "Cost per success", about), _per_success
    yield (
        _head("time", "Median time", "Median of a run"),
        lambda each: views.CellView(figures.duration(each.wall_ms)),
    )
    about = "All runs; errors have no verdict"
    yield _head("runs", "Runs", about), partial(_runs, found)


def _head(key: str, text: str, about: str, *, is_drawn: bool = False) -> views.HeadView:
    return views.HeadView(text, is_drawn=is_drawn, key=key, about=about)


def _of_control(table: Board, contender: Contender) -> Comparison | None:
    return next(
        (
            comparison
            for (*_, name), comparison in table.of_control.items()
            if name == contender.name
        ),
        None,
    )


def _against_control(table: Board, contender: Contender) -> views.CellView:
    """Return the difference from the control in success and in the main score, and the tasks gained and lost."""
    if not (comparison := _of_control(table, contender)):
        is_control = any(name == contender.name for _, name, _ in table.of_control)
        return views.CellView("control" if is_control else figures.UNKNOWN)
    success = comparison.contrasts[Measure.SUCCESS]
    scores = (
        comparison.scores[score.name]
        for score in table.measures[:1]
        if score.name in comparison.scores
    )
    claims = list(map(Claim.of, (success, *scores) if success.tasks else scores))
    if not claims:
        return views.CellView(figures.UNKNOWN)
    first, *rest = claims
    notes = [first.ends or "too few tasks for an interval"]
    notes += (
        f"{measure_name(claim.measure)} {claim.size}{f' ({claim.ends})' * bool(claim.ends)}"
        for claim in rest
    )
    if success.tasks:
        p = mcnemar(success.b_wins, success.a_wins)
        notes.append(
            f"gained {figures.plural(success.b_wins, 'task')}, lost {success.a_wins}, {p_value(p)}"
        )
    if comparison.treatment:
        notes.append(comparison.treatment.text)
    if tasks_with_other_checks(comparison.a.runs, comparison.b.runs):
        notes.append("the arms have different checks")
    return views.CellView(first.size, "; ".join(notes))


def _added(table: Board, contender: Contender) -> views.CellView:
    """Return what the treatment adds to the cost and the tokens of a run."""
    if not (comparison := _of_control(table, contender)):
        return views.CellView(figures.UNKNOWN)
    cost, tokens = (
        Claim.of(comparison.contrasts[measure], is_ratio=False)
        for measure in (Measure.COST, Measure.TOKENS)
    )
    return views.CellView(cost.size, f"{tokens.size} tokens" if tokens.estimate is not None else "")


def _css(found: Board, each: Contender) -> str:
    return f"m-{views.model_class(each.name)}" if found.dimension in AGENTS else "soft"


def _half(is_in: Callable[[Entry], bool], contender: Contender) -> views.CellView:
    own = success(filter(is_in, contender.runs))  # its interval is on the page of the study
    return views.CellView(
        figures.percent(own.passed, own.judged), counts(own) if own.judged else ""
    )


def _cost(table: Board, contender: Contender) -> views.CellView:
    cost = contender.cost
    runs = figures.plural(len(contender.runs), "run")
    if cost.mean is None:
        return views.CellView(marked(figures.UNKNOWN, cost.is_lower_bound))
    basis = (
        "" if not table.mixes_costs else "list prices" if contender.is_computed else "as reported"
    )
    ends = views.spread_ends(Measure.COST, cost, figures.money, _money_ends, names_run=False)
    notes = (ends, f"{cost.known} of {runs}" if cost.unknown else "", basis)
    mean = "≈ " * contender.is_computed + figures.money(cost.mean)
    return views.CellView(marked(mean, cost.is_lower_bound), ", ".join(filter(None, notes)))


def _per_success(contender: Contender) -> views.CellView:
    if per := contender.judged.cost_per_success:
        return views.CellView("≈ " * contender.is_computed + figures.bounded(per, figures.money))
    return views.CellView(figures.UNKNOWN, "too few" if contender.cost.known else "")


def _runs(table: Board, contender: Contender) -> views.CellView:
    judged = contender.judged
    if table.is_judged:
        counts = [
            (judged.cut_short, "cut short"),
            (judged.lost, "error" if judged.lost == 1 else "errors"),
        ]
    else:  # where nobody judges, no verdict is lost
        counts = [(judged.infrastructure, "cut short")]
    listed = ", ".join(f"{figures.count(count)} {word}" for count, word in counts if count)
    return views.CellView(figures.count(len(contender.runs)), listed)


def _passed(table: Board, contender: Contender) -> views.CellView:
    judged = contender.judged
    if judged.rate is None:
        return views.CellView(figures.UNKNOWN)
    mark = views.mark_of(judged.rate, judged.interval, 1.0, _css(table, contender))
    of = counts(judged)
    interval = judged.interval
    if interval:
        of += f", {figures.shares(interval.low, 1.0, 0)} to {figures.percent(interval.high, 1.0)}"
    return views.CellView(figures.percent(judged.passed, judged.judged), of, mark=mark)


def _score(found: Board, at: int, top: float, each: Contender) -> views.CellView:
    measure = found.measures[at]
    figure = each.scores[at]
    if figure.mean is None:
        return views.CellView(figures.UNKNOWN)
    write = views.score_writer(measure, figure.mean, figure.interval)
    mark = None
    if top > 0:
        mark = views.mark_of(figure.mean, figure.interval, top, _css(found, each))
    write_ends = partial(views.score_ends, measure, size=abs(figure.mean))
    ends = views.spread_ends(measure, figure, write, write_ends, names_run=False)
    return views.CellView(write(figure.mean), ends, mark=mark)


def _best(
    measure: ScoreMeasure,
    written: Mapping[str, figures.FigureFormat],
    each: Contender,
    *,
    is_judged: bool,
) -> views.CellView:
    """Return the best run; of judged runs only one that passed can be it."""
    can = [entry for entry in each.runs if entry.outcome is Outcome.PASS or not is_judged]
    values = [(value, entry) for entry in can if (value := measure.of(entry)) is not None]
    if not values:
        return views.CellView(figures.UNKNOWN)
    sign = -1 if measure.higher_is_better else 1
    value, entry = min(
        values, key=lambda pair: (sign * pair[0], pair[1].id)
    )  # of equals as the script of filters does
    name = entry.name
    if entry.configuration:  # its row says it already
        name = name.replace(f" · {entry.configuration}", "", 1)
    return views.CellView(
        written[measure.name].in_full(value, measure.unit), name, run_path(entry.id)
    )


def _money_ends(interval: Interval) -> str:
    return figures.from_to(interval.low, interval.high, figures.money)


def _top(found: Board, at: int) -> float:
    """Return where the scale of a score ends; it begins at zero, and is not drawn where a score is below."""
    told = [
        figure
        for each in found.contenders[:MAX_ROWS]
        if (figure := each.scores[at]).mean is not None
    ]
    lows = [figure.interval.low if figure.interval else figure.mean or 0.0 for figure in told]
    if min(lows, default=-1.0) < 0:
        return 0.0
    largest = max(figure.mean or 0.0 for figure in told)
    highs = [figure.interval.high if figure.interval else figure.mean or 0.0 for figure in told]
    return min(max(highs), _WIDEST * largest)
