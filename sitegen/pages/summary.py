"""The big figures of a set of runs: of all on the index, of some on the page of a group. Their notes have room for two
lines; what is left out there stands in the tooltip of the figure or in a table below."""

from collections.abc import Iterator

from sitegen import figures
from sitegen.fields import score_key
from sitegen.figures import UNKNOWN, Write, bounded, status_view
from sitegen.model import Total
from sitegen.numbers.statistics import CampaignSummary, ScoreMeasure, Spread
from sitegen.numbers.success import Success
from sitegen.numbers.wording import counts
from sitegen.pages.views import FigureView, score_writer, spread_ends

Scored = tuple[ScoreMeasure, Spread]


def summary_figures(
    summary: CampaignSummary, success: Success, scored: Scored | None = None
) -> tuple[FigureView, ...]:
    """Cost; success, what one cost, and a score, where there are outcomes; runs, time, tokens and cache hits."""
    ended = [
        f"{figures.count(runs)} {status_view(status).word}"
        for status, runs in summary.by_status.items()
    ]
    wall = summary.whole(summary.wall)
    tokens = summary.whole(summary.total_tokens)
    return (
        _cost(summary),
        *success_figures(success, summary.unreadable),
        *(_score_figure(*scored) if scored else ()),
        FigureView("Runs", figures.count(summary.runs), ", ".join(ended), key="runs"),
        _total("time", "Time", wall, figures.duration, _exact_ms, _time_note(summary)),
        _total("tokens", "Tokens", tokens, figures.count_short, figures.count, _output(summary)),
        _hits(summary),
    )


def _exact_ms(ms: float | None) -> str:
    return f"{figures.count(ms)} ms"


def _time_note(summary: CampaignSummary) -> str:
    turns = "turns not reported"
    if summary.turns.value is not None:
        word = "turn" if summary.turns.value == 1 else "turns"
        turns = f"{bounded(summary.turns, figures.count)} {word}"
    if summary.wall.known > 1:
        return f"median {figures.duration(summary.median_wall_ms)} per run, {turns}"
    return turns


def _hits(summary: CampaignSummary) -> FigureView:
    """Return the share of all tokens sent that came from the cache: a lower bound where a run that sent some does not
    report what it read from there."""
    read, sent = summary.cache_hits
    if sent.known and sent.value and read.value is not None:
        note = f"of {bounded(sent, figures.count_short)} tokens sent came from the cache"
        share = figures.percent(read.value, sent.value)
        return FigureView("Cache hits", share, note, lower_bound=read.is_lower_bound, key="hits")
    note = "no tokens were sent"
    if sent.unknown:
        note = "tokens sent are not fully reported"
    if sent.unknown and summary.total_tokens.value is None:
        note = "no tokens reported"
    return FigureView("Cache hits", UNKNOWN, note, key="hits")


def _cost(summary: CampaignSummary) -> FigureView:
    """Return what runs report; where none reports anything, what they come to at list price."""
    if summary.cost.value is not None or summary.computed.value is None:
        cost = summary.whole(summary.cost)
        note = "; ".join(_cost_notes(summary))
        return _total("cost", "Cost", cost, figures.money, figures.money_exact, note)
    computed = summary.whole(summary.computed)
    note = "at list price, not as reported"
    return _total("computed", "Cost", computed, _about, figures.money_exact, note)


def _about(usd: float | None) -> str:
    return f"≈ {figures.money(usd)}"


def _cost_notes(summary: CampaignSummary) -> Iterator[str]:
    median = summary.median_cost
    if median.runs > 1:
        yield f"median {bounded(median, figures.money)} per run"
    if median.unknown:
        yield figures.plural(median.unknown, "lower bound")
    if without := summary.without_cost:
        verb = "reports" if without == 1 else "report"
        computed = summary.computed
        listed = "" if computed.value is None else f" ({bounded(computed, _about)} list)"
        yield f"{figures.count(without)} {verb} none{listed}"


def success_figures(success: Success, unreadable: int = 0) -> Iterator[FigureView]:
    """Yield the success rate with its base and interval, and what a success cost; nothing without a judged run.
    `unreadable` counts further runs."""
    if not success.judged:
        return
    notes, exact = _success_notes(success, unreadable)
    rate = figures.percent(success.passed, success.judged)
    data = repr(success.rate)
    yield FigureView("Success", rate, notes, exact or None, data, key="success")
    if per := success.cost_per_success:
        note = "includes failed runs"
        mean = success.long_run_cost
        if mean and mean.interval:
            ends = figures.from_to(mean.interval.low, mean.interval.high, figures.money)
            note += f"; estimated mean {figures.money(mean.estimate)} (95% interval {ends})"
        yield _total("per_success", PER_SUCCESS, per, figures.money, figures.money_exact, note)


def _success_notes(success: Success, unreadable: int) -> tuple[str, str]:
    """Return what the success rate rests on, and what is left to its tooltip, since both countings of lost runs take
    the room."""
    exact = []
    note = f"{figures.count(success.passed)} of {figures.plural(success.judged, 'judged run')}"
    if success.lost:
        note = counts(success)
    if interval := success.interval:
        ends = f"{figures.shares(interval.low, 1, 0)} to {figures.share(interval.high)}"
        if success.lost:
            exact.append(f"95% interval of the judged ones: {ends}")
        else:
            note += f", 95% interval {ends}"
    elif success.judged > 1:
        exact.append("too few tasks for an interval")
    if success.cut_short:
        note += f"; {figures.count(success.cut_short)} of them cut short"
    # Rounded up it would be no lower bound; as 100 times the rate, 29 of 100 would be 28%.
    least = 100 * success.passed // (success.runs + unreadable)
    if unknown := success.without_verdict:
        note += f"; {figures.count(unknown)} not judged, so at least {least}%"
    elif unreadable:
        bound = f"{figures.count(unreadable)} not readable, so at least {least}%"
        if success.lost:
            exact.append(f"{bound} of all")
        else:
            note += f"; {bound}"
    return note, "; ".join(exact)


PER_SUCCESS = "Cost per success"  # the name of the figure: the leaderboard has it too


def _score_figure(measure: ScoreMeasure, spread: Spread) -> Iterator[FigureView]:
    if spread.mean is None:
        return
    note = figures.plural(spread.known, "run")
    if spread.interval:
        note += f", 95% interval {spread_ends(measure, spread)}"
    yield FigureView(
        f"Mean {measure.name}",
        score_writer(measure, spread.mean, spread.interval)(spread.mean),
        note,
        "geometric mean" if measure.is_ratio else "mean",
        repr(spread.mean),
        is_named_by_runs=True,
        key=score_key(measure.name),
    )


def _output(summary: CampaignSummary) -> str:
    if summary.total_tokens.value is None:
        return "none reported"
    return f"{bounded(summary.by_kind['output'], figures.count_short)} of them output"


def _total(key: str, label: str, total: Total, write: Write, exact: Write, note: str) -> FigureView:
    """Return a sum, with its exact value for the tooltip and a plus when it is a lower bound."""
    if total.value is None:
        return FigureView(label, UNKNOWN, note, key=key)
    full = exact(total.value)
    if total.is_lower_bound:
        full += f"; at least, because {total.unknown} of {total.runs} runs do not report all of it"
    text, data = write(total.value), repr(total.value)
    return FigureView(label, text, note, full, data, total.is_lower_bound, key=key)
