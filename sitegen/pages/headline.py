"""The first sentence of a site: what is sure, each part with a link to what it rests on.

By score or outcome where there is one, else by money. It says nothing of differences but by claims (`numbers.wording`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sitegen import figures
from sitegen.charts.findings import label
from sitegen.figures import bounded, sentence_list
from sitegen.model import Entry, by_key
from sitegen.numbers.comparison import Comparison, Contrast, Effect
from sitegen.numbers.statistics import CampaignSummary, Dimension, Measure, ScoreMeasure, group_by
from sitegen.numbers.success import Success, success
from sitegen.numbers.wording import (
    CLEAR,
    Claim,
    Sizes,
    clauses,
    counts,
    cut,
    in_letters,
    measure_name,
)
from sitegen.outcomes.over_time import OverTime
from sitegen.pages.compare import OVERVIEW_PATH, Comparisons, Pair, pair_path
from sitegen.pages.compare.side_words import main_contrasts
from sitegen.pages.leaderboard import FEWEST, Board, Contender, are_alike
from sitegen.pages.study_page import LEVEL, PATH, depends
from sitegen.pages.views import LinkView, score_writer

LEADERBOARD = "index.html#leaderboard"
FAILED = "index.html#outcome=fail"
LOST = "problems.html#lost"
MAX_NAMED = 3  # names in a list of those that may lead


def headline(
    summary: CampaignSummary,
    judged: Success,
    board: Board | None,
    compared: Comparisons,
    over_time: OverTime | None,
    entries: Sequence[Entry],
) -> tuple[LinkView, ...]:
    """Return the parts, which semicolons go between; one without evidence of its own has no address."""
    parts = against_the_one_before(over_time, compared) if over_time else []
    parts = parts or list(_of_control(compared))
    if board and not parts:
        parts = list(_of_board(board, compared))
    if not parts:
        parts = [] if board else list(_failing(entries))
        parts.append(LinkView("", _of_money(summary, judged)))
    if judged.judged and not judged.passed and parts[-1].href:
        none = f"None of {figures.plural(judged.judged, 'judged run')} passed"
        parts.insert(0, LinkView(FAILED, none))
    if board:
        parts = [*_depends(compared), *parts, *_lost(board, compared, text_of(parts))]
    beginning, *others = parts
    return (beginning, *map(_within, others))


def _within(part: LinkView) -> LinkView:
    """Return a part as it is behind another one."""
    is_no = part.text.startswith("No ")
    return replace(part, text=f"no {part.text[3:]}") if is_no else part


def _lost(board: Board, compared: Comparisons, sentence: str) -> Iterator[LinkView]:
    """Yield both countings of those that lost most runs, unless they are given already."""
    lost = [row for row in board.contenders if row.judged.lost and board.is_judged]
    lost.sort(key=lambda row: -row.judged.lost)
    for row in lost[:MAX_NAMED]:
        name = _name(compared, row.name)
        text = f"no run of {name} is judged: {figures.plural(row.judged.lost, 'error')}"
        if row.judged.judged:
            text = f"{name} passed {counts(row.judged)}"
        if text not in sentence:
            yield LinkView(LOST, text)


def _failing(entries: Sequence[Entry]) -> Iterator[LinkView]:
    """Yield which tasks failed, where there are several: the most often failed first."""
    rates = {}
    named = {}
    for task, runs in group_by(entries, Dimension.TASK).items():
        judged = success(runs)
        if judged.rate is not None:
            rates[task] = judged.rate
            named[task] = f"{cut(task, 40)} ({judged.passed} of {judged.judged} passed)"
    failed = sorted((rate, task) for task, rate in rates.items() if rate < 1)
    if len(rates) > 1 and failed:
        names = _list_some([named[task] for _, task in failed])
        text = f"{figures.count(len(failed))} of {len(rates)} tasks had failures: {names}"
        yield LinkView(FAILED, text)


def _list_some(names: Sequence[str], link: str = "and") -> str:
    """Return a list of the first names, and how many more there are."""
    more = len(names) - MAX_NAMED
    others = [f"{in_letters(more)} more"] if more > 0 else []
    return sentence_list([*names[:MAX_NAMED], *others], link)


def text_of(parts: Sequence[LinkView]) -> str:
    """Return the sentence."""
    return f"{'; '.join(part.text for part in parts)}."


def _depends(compared: Comparisons) -> Iterator[LinkView]:
    """Yield the properties of tasks by which the order differs: no order of all tasks is that of each group then."""
    chosen = compared.chosen
    for name, p in compared.breakdowns.items():
        if p <= LEVEL:
            yield LinkView(PATH, depends(name, p, chosen.highest[name], chosen.not_covered))


def _of_money(summary: CampaignSummary, judged: Success) -> str:
    """Return what the runs cost, and how many of them passed."""
    text = _spent(summary)
    median = summary.median_cost
    if median.runs > 1:
        the = "" if summary.without_cost else "the "
        text += f", {the}median {bounded(median, figures.money)}"
    if summary.runs == judged.judged == 1:
        text += "; it passed" if judged.passed else "; it did not pass"
    elif judged.judged:
        passed = figures.percent(judged.passed, judged.judged) if judged.passed else "none"
        text += f"; {passed} of {figures.plural(judged.judged, 'judged run')} passed"
        text += f" ({counts(judged)})" if judged.lost else ""
    return text


def _spent(summary: CampaignSummary) -> str:
    runs = "One run" if summary.runs == 1 else figures.plural(summary.runs, "run")
    cost = summary.cost
    if cost.value is not None and summary.without_cost:
        median = summary.median_cost
        verb = "reports" if median.runs == 1 else "report"
        spent = figures.marked(figures.money(cost.value), median.unknown > 0)
        return f"{figures.count(median.runs)} of {runs} {verb} a cost: {spent}"
    if cost.value is not None:
        return f"{runs} cost {bounded(cost, figures.money)}"
    if summary.computed.value is not None:
        return f"{runs} cost about {bounded(summary.computed, figures.money)} at list price"
    return f"{runs} {'reports' if summary.runs == 1 else 'report'} no cost"


def _of_control(compared: Comparisons) -> Iterator[LinkView]:
    """Yield what is clear of each arm against its control, those of clearly different success first; then those of
    which nothing is, together where they are several."""
    clear: list[Pair] = []
    unclear: list[Pair] = []
    for pair, comparison in compared.of_control.items():
        effects = {contrast.effect for contrast in main_contrasts(comparison)}
        if effects & CLEAR:
            clear.append(pair)
        elif effects != {Effect.TOO_FEW}:
            unclear.append(pair)
    clear.sort(key=lambda pair: _success_of(compared, pair).effect not in CLEAR)
    alone = unclear if len(unclear) == 1 else []
    for pair in [*clear[:MAX_NAMED], *alone]:
        contrasts = main_contrasts(compared.of_control[pair])
        contrasts.sort(key=lambda contrast: contrast.measure is not Measure.SUCCESS)
        names = [_name(compared, name) for name in pair[1:]]
        yield from linked([Claim.of(contrast, *names) for contrast in contrasts], pair_path(*pair))
    if more := clear[MAX_NAMED:]:
        arms = "arm differs" if len(more) == 1 else "arms differ"
        yield LinkView(LEADERBOARD, f"{in_letters(len(more))} more {arms} clearly")
    if not alone:
        by_control = by_key(unclear, lambda pair: pair[1])
        for control, pairs in by_control.items():
            arms = _list_some([_name(compared, arm) for _, _, arm in pairs], "or")
            text = f"No clear difference between {_name(compared, control)} and {arms}"
            yield LinkView(LEADERBOARD, text)


def _success_of(compared: Comparisons, pair: Pair) -> Contrast:
    return compared.of_control[pair].contrasts[Measure.SUCCESS]


def _name(compared: Comparisons, configuration: str) -> str:
    """Return what the sentence calls a configuration."""
    return label(compared.chosen.arm_name(configuration))


def _of_board(board: Board, compared: Comparisons) -> Iterator[LinkView]:
    """Yield who leads, and what is clear between the first two; nothing where not two rows of enough runs know it, and
    where they differ in cost without being clear, or in the tasks that they did."""
    rows = [row for row in board.contenders if row.figure(board.by)[1] >= FEWEST]
    has_several = len(board.contenders) > 2
    if len(rows) < 2 or not are_alike(*rows[:2]) or (has_several and not board.may_lead):
        return
    if board.by is Measure.COST and not board.leads:
        return
    first, second = rows[:2]
    if not {first.name, second.name} <= board.may_lead.keys():
        why = "their tasks are unknown, so they are not compared"
        if any(entry.task for row in rows for entry in row.runs):
            why = "too few shared tasks to compare"
        text = f"{_reached(board, first)}, {_reached(board, second)}; {why}"
        yield LinkView(LEADERBOARD, text)
    elif has_several and not board.leads:
        yield from _no_leader(board, [row.name for row in rows], compared)
    else:
        name_of_second = label(second.name)
        if has_several:
            by = f"{measure_name(board.by)} among {_among(board)}"
            yield LinkView(LEADERBOARD, f"{label(first.name)} leads by {by}")
            name_of_second += " (second)"
        names = (name_of_second, label(first.name))
        yield from _between(board, compared, (board.dimension, second.name, first.name), names)


def _among(board: Board) -> str:
    among = f"{in_letters(board.comparable)} {board.dimension.value}s"
    is_part = board.comparable < len(board.contenders)
    return f"the {among} that can be compared" if is_part else among


def _no_leader(board: Board, names: Sequence[str], compared: Comparisons) -> Iterator[LinkView]:
    """Yield who may lead, and the clearest difference among these."""
    may_lead = [name for name in names if board.may_lead.get(name)]
    text = f"No clear leader among {_among(board)} by {measure_name(board.by)}"
    if may_lead and len(may_lead) == board.comparable:
        text += f": {'any of them' if len(may_lead) > 2 else 'either'} may lead"
    elif may_lead:
        text += f": {_list_some(list(map(label, may_lead)))} may lead"
    yield LinkView(LEADERBOARD, text)
    among = set(may_lead) if len(may_lead) > 1 else board.may_lead.keys()
    yield from _clearest(board, [pair for pair in compared.pairs if among >= set(pair[0][1:])])


def _clearest(board: Board, pairs: Sequence[tuple[Pair, Comparison]]) -> Iterator[LinkView]:
    """Yield what is clear between the two of which one difference is the clearest, that in cost first."""
    clear = []
    for pair, comparison in pairs:
        for contrast in main_contrasts(comparison):
            is_other = pair[0] is board.dimension and contrast.measure.key != board.by.key
            if is_other and contrast.effect in CLEAR:
                place = (contrast.measure is not Measure.COST, contrast.p_value or 0.0, pair)
                clear.append((place, comparison))
    if clear:
        (_, _, pair), comparison = min(clear, key=lambda found: found[0])
        contrasts = main_contrasts(comparison)
        contrasts.sort(key=lambda contrast: contrast.measure is not Measure.COST)
        a, b = map(label, pair[1:])
        claims = [Claim.of(contrast, a, b) for contrast in contrasts if contrast.effect in CLEAR]
        if claims[0].is_better is False:
            claims = [claim.turned() for claim in claims]
        yield from linked(claims, pair_path(*pair))


def _between(
    board: Board, compared: Comparisons, pair: Pair, names: tuple[str, str]
) -> Iterator[LinkView]:
    """Yield what is clear between the first two, in what they are ranked by first."""
    by, second, first = pair
    is_turned = pair not in compared.known
    comparison = compared.known.get((by, first, second) if is_turned else pair)
    if comparison is not None:
        contrasts = main_contrasts(comparison)
        contrasts.sort(key=lambda contrast: contrast.measure.key != board.by.key)
        if is_turned:
            claims = [Claim.of(contrast, *reversed(names)).turned() for contrast in contrasts]
        else:
            claims = [Claim.of(contrast, *names) for contrast in contrasts]
        yield from linked(claims, _page(compared, pair))


def linked(claims: Sequence[Claim], href: str) -> list[LinkView]:
    """Return the clauses of claims, each with a link."""
    return [LinkView(href, clause) for clause in clauses(claims, Sizes.CLEAR)]


def _page(compared: Comparisons, pair: Pair) -> str:
    """Return where a pair is compared, in whichever order."""
    by, a, b = pair
    for known, _ in compared.pairs:
        if known in (pair, (by, b, a)):
            return pair_path(*known)
    return OVERVIEW_PATH


def _reached(board: Board, contender: Contender) -> str:
    mean, runs = contender.figure(board.by)
    name = label(contender.name)
    if isinstance(board.by, ScoreMeasure):
        written = score_writer(board.by, mean or 0.0)(mean)
        counted = figures.plural(runs, "run")
        return f"{name} reached a mean {measure_name(board.by)} of {written} in {counted}"
    rest = "" if contender.judged.lost else " runs"
    return f"{name} passed {counts(contender.judged)}{rest}"


def against_the_one_before(over_time: OverTime, compared: Comparisons) -> list[LinkView]:
    """Return the campaign of this site against the one before, on the tasks that both share; empty where one of
    the two has no runs here, or too few are shared."""
    if over_time.previous is None:
        return []
    old = over_time.previous.name
    new = over_time.campaigns[over_time.at].name
    pair = (Dimension.CAMPAIGN, old, new)
    comparison: Comparison | None = dict(compared.pairs).get(pair)
    contrasts = main_contrasts(comparison) if comparison else []
    return linked([Claim.of(contrast, old, new) for contrast in contrasts], pair_path(*pair))
