"""The big figures of a set of runs: of all on the index, of some on the page of a group. Their notes have room for two
lines; what is left out there stands in the tooltip of the figure or in a table below."""

from collections.abc import Iterator
from functools import partial

from sitegen import figures
from sitegen.fields import score_key
from sitegen.figures import UNKNOWN, Write, bounded, status_view
from sitegen.model import Total
from sitegen.numbers.statistics import CampaignSummary, ScoreMeasure, Spread
from sitegen.numbers.success import Success
from sitegen.numbers.wording import counts
from sitegen.pages.views import FigureView, score_ends, score_writer, spread_ends

Scored = tuple[ScoreMeasure, Spread]


def summary_figures(
    summary: CampaignSummary, success: Success, scored: Scored | None = None
) -> tuple[FigureView, ...]:
    """Cost; success, what one cost, and a score, where there are outcomes; runs, time, tokens and cache hits."""
    median_time = (
        f"median {figures.duration(summary.median_wall_ms)} per run, "
        if summary.wall.known > 1
        else ""
    )
    turns = (
        f"{bounded(summary.turns, figures.count)} {'turn' if summary.turns.value == 1 else 'turns'}"
    )
    turns = "turns not reported" if summary.turns.value is None else turns
    ended = [
        f"{figures.count(n)} {status_view(status).word}" for status, n in summary.by_status.items()
    ]
    median_time += turns
    return (
        _cost(summary),
        *success_figures(success, summary.unreadable),
        *(_score_figure(*scored) if scored else ()),
        FigureView("Runs", figures.count(summary.runs), ", ".join(ended), key="runs"),
        _total(
            "time",
            "Time",
            summary.whole(summary.wall),
            figures.duration,
            lambda ms: f"{figures.count(ms)} ms",
            median_time,
        ),
        _total(
            "tokens",
            "Tokens",
            summary.whole(summary.total_tokens),
            figures.count_short,
            figures.count,
            _output(summary),
        ),
        _hits(summary),
    )


def _hits(summary: CampaignSummary) -> FigureView:
    """Return the share of all tokens sent that came from the cache: a lower bound where a run that sent some does not
    report what it read from there."""
    read, sent = summary.cache_hits
    if sent.known and sent.value and read.value is not None:
        note = f"of {bounded(sent, figures.count_short)} tokens sent came from the cache"
        share = figures.percent(read.value, sent.value)
        return FigureView("Cache hits", share, note, lower_bound=read.is_lower_bound, key="hits")
    note = (
        "no tokens reported"
        if summary.total_tokens.value is None
        else "tokens sent are not fully reported"
    )
    return FigureView(
        "Cache hits", UNKNOWN, note if sent.unknown else "no tokens were sent", key="hits"
    )


def _cost(summary: CampaignSummary) -> FigureView:
    """Return what runs report; where none reports anything, what they come to at list price."""
    if summary.cost.value is not None or summary.computed.value is None:
        return _total(
            "cost",
            "Cost",
            summary.whole(summary.cost),
            figures.money,
            figures.money_exact,
            "; ".join(_cost_notes(summary)),
        )
    note = "at list price, not as reported"

    def about(usd: float | None) -> str:
        return f"≈ {figures.money(usd)}"

    return _total(
        "computed", "Cost", summary.whole(summary.computed), about, figures.money_exact, note
    )


def _cost_notes(summary: CampaignSummary) -> Iterator[str]:
    median, without, computed = summary.median_cost, summary.without_cost, summary.computed
    if median.runs > 1:
        yield f"median {bounded(median, figures.money)} per run"
    if median.unknown:
        yield figures.plural(median.unknown, "lower bound")
    if without:
        none = f"{figures.count(without)} {'reports' if without == 1 else 'report'} none"
        yield (
            none
            if computed.value is None
            else f"{none} (≈ {bounded(computed, figures.money)} list)"
        )


def success_figures(success: Success, unreadable: int = 0) -> Iterator[FigureView]:
    """Yield the success rate with its base and interval, and what a success cost; nothing without a judged run.
    `unreadable` counts further runs."""
    if not success.judged:
        return
    note = f"{figures.count(success.passed)} of {figures.plural(success.judged, 'judged run')}"
    note = counts(success) if success.lost else note
    exact = []
    if interval := success.interval:
        ends = f"{figures.shares(interval.low, 1, 0)} to {figures.percent(interval.high, 1)}"
        if success.lost:  # both countings take the room
            exact.append(f"95% interval of the judged ones: {ends}")
        else:
            note += f", 95% interval {ends}"
    if success.cut_short:
        note += f"; {figures.count(success.cut_short)} of them cut short"
    # Rounded up it would be no lower bound; as 100 times the rate, 29 of 100 would be 28%.
    least = 100 * success.passed // (success.runs + unreadable)
    if unknown := success.without_verdict:
        note += f"; {figures.count(unknown)} not judged, so at least {least}%"
    elif unreadable and not success.lost:
        note += f"; {figures.count(unreadable)} not readable, so at least {least}%"
    elif unreadable:
        exact.append(f"{figures.count(unreadable)} not readable, so at least {least}% of all")
    if not interval and success.judged > 1:
        exact.append("too few tasks for an interval")
    rate = figures.percent(success.passed, success.judged)
    yield FigureView(
        "Success", rate, note, "; ".join(exact) or None, repr(success.rate), key="success"
    )
    if per := success.cost_per_success:
        note = "includes failed runs"
        if (told := success.long_run_cost) and told.interval:
            ends = figures.from_to(told.interval.low, told.interval.high, figures.money)
            note += f"; estimated mean {figures.money(told.estimate)} (95% interval {ends})"
        yield _total("per_success", PER_SUCCESS, per, figures.money, figures.money_exact, note)


PER_SUCCESS = "Cost per success"  # the name of the figure: the leaderboard has it too


def _score_figure(measure: ScoreMeasure, figure: Spread) -> Iterator[FigureView]:
    if figure.mean is None:
        return
    note = figures.plural(figure.known, "run")
    write = score_writer(measure, figure.mean, figure.interval)
    text = write(figure.mean)
    if figure.interval:
        write_ends = partial(score_ends, measure, size=abs(figure.mean))
        ends = spread_ends(measure, figure, write, write_ends, names_run=False)
        note += f", 95% interval {ends}"
    said = (
        f"Mean {measure.name}",
        text,
        note,
        "geometric mean" if measure.is_ratio else "mean",
        repr(figure.mean),
    )
    yield FigureView(*said, is_named_by_runs=True, key=score_key(measure.name))


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
    return FigureView(
        label, write(total.value), note, full, repr(total.value), total.is_lower_bound, key=key
    )
