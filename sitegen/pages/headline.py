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
from sitegen.pages.compare.side_words import kind_of, main_contrasts, narrowing
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
    found: Board | None,
    compared: Comparisons,
    over_time: OverTime | None,
    entries: Sequence[Entry],
) -> tuple[LinkView, ...]:
    """Return the parts, which semicolons go between; one without evidence of its own has no address."""
    said = against_the_one_before(over_time, compared) if over_time else ()
    said = said or tuple(_of_control(compared)) or (_of_board(found, compared) if found else ())
    said = said or (*([] if found else _failing(entries)), LinkView("", _of_money(summary, judged)))
    first = list(_depends(compared)) if found else []
    if judged.judged and not judged.passed and said[-1].href:
        first.append(
            LinkView(FAILED, f"None of {figures.plural(judged.judged, 'judged run')} passed")
        )
    said = (*said, *(_lost(found, compared, text_of(said)) if found else ()))
    beginning, *others = *first, *said
    return (beginning, *map(_within, others))


def _within(part: LinkView) -> LinkView:
    """Return a part as it is behind another one."""
    is_no = part.text.startswith("No ")
    return replace(part, text=f"no {part.text[3:]}") if is_no else part


def _lost(found: Board, compared: Comparisons, said: str) -> Iterator[LinkView]:
    """Yield both countings of those that lost most runs, unless they are given already."""
    most = sorted(found.contenders, key=lambda contender: -contender.judged.lost)
    for contender in most[:MAX_NAMED] if found.is_judged else ():
        name = _name(compared, contender.name)
        judged = contender.judged
        text = f"{name} passed {counts(judged)}"
        if not judged.judged:
            text = f"no run of {name} is judged: {figures.plural(judged.lost, 'error')}"
        if judged.lost and text not in said:
            yield LinkView(LOST, text)


def _failing(entries: Sequence[Entry]) -> Iterator[LinkView]:
    """Yield which tasks failed, where there are several: the most often failed first."""
    judged = {task: success(runs) for task, runs in group_by(entries, Dimension.TASK).items()}
    judged = {task: each for task, each in judged.items() if each.judged}
    failed = [
        (each.passed / each.judged, task)
        for task, each in judged.items()
        if each.passed < each.judged
    ]
    if len(judged) > 1 and failed:
        counts = [
            f"{cut(t, 40)} ({judged[t].passed} of {judged[t].judged} passed)"
            for _, t in sorted(failed)
        ]
        more = [f"{in_letters(len(counts) - MAX_NAMED)} more"] if len(counts) > MAX_NAMED else []
        names = sentence_list([*counts[:MAX_NAMED], *more])
        yield LinkView(
            FAILED, f"{figures.count(len(failed))} of {len(judged)} tasks had failures: {names}"
        )


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
    runs = figures.plural(summary.runs, "run")
    cost = summary.cost
    listed = (
        ""
        if summary.computed.value is None
        else f"about {bounded(summary.computed, figures.money)} at list price"
    )
    runs = "One run" if summary.runs == 1 else runs
    spent = listed if cost.value is None else bounded(cost, figures.money)
    median = summary.median_cost
    said = (
        f"{runs} cost {spent}"
        if spent
        else f"{runs} {'reports' if summary.runs == 1 else 'report'} no cost"
    )
    if cost.value is not None and summary.without_cost:
        spent = figures.marked(figures.money(cost.value), median.unknown > 0)
        said = f"{figures.count(median.runs)} of {runs} {'reports' if median.runs == 1 else 'report'} a cost: {spent}"
    if median.runs > 1:
        said += f", {'' if summary.without_cost else 'the '}median {bounded(median, figures.money)}"
    if summary.runs == judged.judged == 1:
        said += "; it passed" if judged.passed else "; it did not pass"
    elif judged.judged:
        passed = figures.percent(judged.passed, judged.judged) if judged.passed else "none"
        said += f"; {passed} of {figures.plural(judged.judged, 'judged run')} passed"
        said += f" ({counts(judged)})" if judged.lost else ""
    return said


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
            named = [_name(compared, arm) for _, _, arm in pairs[:MAX_NAMED]]
            if more := pairs[MAX_NAMED:]:
                named.append(f"{in_letters(len(more))} more")
            arms = figures.sentence_list(named, "or")
            yield LinkView(
                LEADERBOARD, f"No clear difference between {_name(compared, control)} and {arms}"
            )


def _success_of(compared: Comparisons, pair: Pair) -> Contrast:
    return compared.of_control[pair].contrasts[Measure.SUCCESS]


def _name(compared: Comparisons, configuration: str) -> str:
    """Return what the sentence calls a configuration."""
    return label(compared.chosen.arm_name(configuration))


def _of_board(found: Board, compared: Comparisons) -> tuple[LinkView, ...]:
    """Return who leads, and what is clear between the first two; empty where not two rows of enough runs know it, and
    where they differ in cost without being clear, or in the tasks that they did."""
    told = [each for each in found.contenders if each.figure(found.by)[1] >= FEWEST]
    if len(told) < 2 or not are_alike(*told[:2]) or (found.by is Measure.COST and not found.leads):
        return ()
    first, second = told[:2]
    several, name, what = len(found.contenders) > 2, label(first.name), measure_name(found.by)
    among = f"{in_letters(found.comparable)} {found.dimension.value}s"
    if found.comparable < len(found.contenders):
        among = f"the {among} that can be compared"
    if several and not found.may_lead:
        return ()
    if first.name not in found.may_lead or second.name not in found.may_lead:
        known = any(entry.task for each in told for entry in each.runs)
        why = (
            "too few shared tasks to compare"
            if known
            else "their tasks are unknown, so they are not compared"
        )
        return (
            LinkView(LEADERBOARD, f"{_reached(found, first)}, {_reached(found, second)}; {why}"),
        )
    names = [label(second.name), name]
    if several and not found.leads:
        own = [label(each.name) for each in told if found.may_lead.get(each.name)]
        who = (
            sentence_list(own)
            if len(own) <= MAX_NAMED
            else f"{own[0]} and {in_letters(len(own) - 1)} others"
        )
        if len(own) == found.comparable:
            who = "any of them" if len(own) > 2 else "either"
        may = f": {who} may lead" if own else ""
        parts = [LinkView(LEADERBOARD, f"No clear leader among {among} by {what}{may}")]
        open_ = {each for each, may in found.may_lead.items() if may or len(own) < 2}
        parts += _clearest(
            found, [each for each in compared.pairs if open_.issuperset(each[0][1:])]
        )
    elif several:
        parts = [LinkView(LEADERBOARD, f"{name} leads by {what} among {among}")]
        names[0] += " (second)"
    else:
        parts = []
    by = found.dimension
    pair = (found.dimension, second.name, first.name)
    is_turned = pair not in compared.known
    comparison = compared.known.get((by, first.name, second.name) if is_turned else pair)
    if comparison is None:
        return tuple(parts)
    contrasts = sorted(
        main_contrasts(comparison), key=lambda each: each.measure.key != found.by.key
    )
    page = _page(compared, pair)
    if found.leads or not several:
        claims = [Claim.of(each, *(names[::-1] if is_turned else names)) for each in contrasts]
        parts += linked([each.turned() for each in claims] if is_turned else claims, page)
    has_lost = any(contender.judged.lost for contender in found.contenders)
    if page == OVERVIEW_PATH or has_lost:
        # Nothing shows what more runs would change, or cost; or there is more to say of lost runs.
        return tuple(parts)
    between = f" for {name} and {label(second.name)}" if several else ""
    return (*parts, *_what_next(comparison, contrasts, page, between))


def _clearest(found: Board, pairs: Sequence[tuple[Pair, Comparison]]) -> Iterator[LinkView]:
    """Yield the clearest difference among those that may lead, the better one first: in cost, else in a score; with all
    else that is clear between the same two."""
    all_clear = [
        (each.measure is not Measure.COST, each.p_value or 0.0, pair, comparison)
        for pair, comparison in pairs
        for each in main_contrasts(comparison)
        if pair[0] is found.dimension and each.effect in CLEAR and each.measure.key != found.by.key
    ]
    for *_, pair, comparison in sorted(all_clear, key=lambda each: each[:3])[:1]:
        clear = sorted(
            main_contrasts(comparison), key=lambda each: each.measure is not Measure.COST
        )
        claims = [Claim.of(each, *map(label, pair[1:])) for each in clear if each.effect in CLEAR]
        claims = [each.turned() for each in claims] if claims[0].is_better is False else claims
        yield from linked(claims, pair_path(*pair))


def _what_next(
    comparison: Comparison, contrasts: Sequence[Contrast], page: str, of: str
) -> Iterator[LinkView]:
    """Yield what would narrow the first difference that is not clear and can be narrowed, that in cost last; `of` are
    the groups that it is for and priced for, where there are others."""
    unclear = [each for each in contrasts if each.effect is Effect.UNDECIDED]
    ways = [(each, way) for each in unclear for way in narrowing(comparison, each, of)[:1]]
    for each, (way, to) in sorted(ways, key=lambda each: each[0].measure is Measure.COST)[:1]:
        which = f"{'their' if of else 'the'} {kind_of(each)} in {measure_name(each.measure)}"
        yield LinkView(page, f"{way} would narrow {which} to about {to}")


def linked(claims: Sequence[Claim], href: str) -> list[LinkView]:
    """Their clauses."""
    return [LinkView(href, each) for each in clauses(claims, Sizes.CLEAR)]


def _page(compared: Comparisons, pair: Pair) -> str:
    by, a, b = pair
    own = [each for each, _ in compared.pairs if each in (pair, (by, b, a))]
    return pair_path(*own[0]) if own else OVERVIEW_PATH


def _reached(found: Board, each: Contender) -> str:
    mean, runs = each.figure(found.by)
    if isinstance(found.by, ScoreMeasure):
        written = score_writer(found.by, mean or 0.0)(mean)
        return f"{label(each.name)} reached a mean {measure_name(found.by)} of {written} in {figures.plural(runs, 'run')}"
    rest = "" if each.judged.lost else " runs"
    return f"{label(each.name)} passed {counts(each.judged)}{rest}"


def against_the_one_before(over_time: OverTime, compared: Comparisons) -> tuple[LinkView, ...]:
    """Return the campaign of this site against the one before, on the tasks that both share; empty where one of
    the two has no runs here, or too few are shared."""
    if over_time.previous is None:
        return ()
    old = over_time.previous.name
    new = over_time.campaigns[over_time.at].name
    pair = (Dimension.CAMPAIGN, old, new)
    comparison: Comparison | None = dict(compared.pairs).get(pair)
    claims = [Claim.of(each, old, new) for each in main_contrasts(comparison)] if comparison else []
    return tuple(linked(claims, pair_path(*pair)))
