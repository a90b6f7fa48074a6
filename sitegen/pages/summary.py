"""The big figures of a set of runs: of all on the index, of some on the page of a group."""

from __future__ import annotations

from sitegen import figures
from sitegen.figures import UNKNOWN, Write, bounded, status_view
from sitegen.model import Total
from sitegen.numbers.statistics import CampaignSummary
from sitegen.numbers.success import Success
from sitegen.pages.views import FigureView


def summary_figures(summary: CampaignSummary, success: Success) -> tuple[FigureView, ...]:
    """Cost, success where there are outcomes, runs, time, tokens and cache hits."""
    cost, hits = summary.cost, summary.cache_hits
    median = f"median {figures.money(summary.median_cost_usd)} a run" if cost.known > 1 else ""
    missing = ""
    if cost.unknown:
        missing = f"{figures.plural(cost.unknown, 'run')} {'reports' if cost.unknown == 1 else 'report'} none"
    if summary.computed.value is not None:
        of_known = f" for {figures.count(summary.computed.known)} of them" if summary.computed.unknown else ""
        missing += f", at list price ≈ {figures.money(summary.computed.value)}{of_known}"
    median_time = f"median {figures.duration(summary.median_wall_ms)} a run, " if summary.wall.known > 1 else ""
    turns = "turns not reported"
    if summary.turns.value is not None:
        turns = f"{bounded(summary.turns, figures.count)} {'turn' if summary.turns.value == 1 else 'turns'} in all"
    ended = [f"{figures.count(n)} {status_view(status).word}" for status, n in summary.by_status.items()]
    sent = "no tokens reported" if summary.total_tokens.value is None else "tokens sent are not fully reported"
    if hits.runs == summary.runs:
        sent = "no tokens were sent"
    if hits.whole:
        sent = f"of {figures.count_short(hits.whole)} tokens sent were read from the cache"
    return (
        _total("Cost", cost, figures.money, figures.money_exact, "; ".join(filter(None, (median, missing)))),
        *success_figure(success),
        FigureView("Runs", figures.count(summary.runs), ", ".join(ended)),
        _total("Time", summary.wall, figures.duration, _milliseconds, median_time + turns),
        _total("Tokens", summary.total_tokens, figures.count_short, figures.count, _kinds(summary)),
        FigureView("Cache hits", figures.percent(hits.part, hits.whole), sent),
    )


def success_figure(success: Success) -> tuple[FigureView, ...]:
    """The success rate with its base and interval, and what a success cost; nothing without a judged run."""
    if not success.judged:
        return ()
    notes = [f"{figures.count(success.passed)} of {figures.plural(success.judged, 'judged run')}"]
    interval = success.interval
    if interval:
        notes.append(f"95% interval {100 * interval.low:.0f} to {100 * interval.high:.0f}%")
    elif success.judged > 1:
        notes.append("too few tasks for an interval")
    if success.infrastructure:
        notes.append(f"not counting {figures.plural(success.infrastructure, 'infrastructure failure')}")
    if success.unjudged:
        # Rounded up it would be no lower bound; as 100 times `lowest_rate`, 29 of 100 would be 28%.
        least = 100 * success.passed // (success.judged + success.unjudged)
        notes.append(f"{success.unjudged} without a verdict, so at least {least}%")
    if success.cost_per_success:
        notes.append(f"{bounded(success.cost_per_success, figures.money)} for each success, failures included")
        if (told := success.long_run_cost) and told.interval:
            ends = figures.from_to(told.interval.low, told.interval.high, figures.money)
            notes.append(f"in the long run about {figures.money(told.estimate)}, 95% interval {ends}")
    elif success.passed and success.cost.value is not None:
        notes.append("too few successes to say what one costs")
    return (FigureView("Success", figures.percent(success.passed, success.judged), "; ".join(notes)),)


def _kinds(summary: CampaignSummary) -> str:
    """The three kinds that the cache hits do not speak of."""
    if summary.total_tokens.value is None:
        return "none reported"
    kinds = (("output", "output"), ("input", "input"), ("cache_write", "cache writes"))
    return ", ".join(f"{bounded(summary.by_kind[kind], figures.count_short)} {label}" for kind, label in kinds)


def _milliseconds(value: float | None) -> str:
    return f"{figures.count(value)} ms"


def _total(label: str, total: Total, write: Write, exact: Write, note: str) -> FigureView:
    """A sum, with its exact value for the tooltip and a plus when it is a lower bound."""
    if total.value is None:
        return FigureView(label, UNKNOWN, note)
    full = exact(total.value)
    if total.is_lower_bound:
        full += f"; at least, because {total.unknown} of {total.known + total.unknown} runs do not report all of it"
    return FigureView(label, write(total.value), note, full, repr(total.value), total.is_lower_bound)
