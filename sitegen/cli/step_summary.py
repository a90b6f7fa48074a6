"""The short report in Markdown that a CI step shows of itself: figures, gates, masked secrets, the most expensive runs.

It is read on pages that we do not make, by renderers that we do not know, so every text that is not ours is escaped
sign by sign until nothing in it can be markup, a link or the end of a cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sitegen import figures
from sitegen.charts.findings import clipped
from sitegen.figures import outcome_view, status_view
from sitegen.model import Entry
from sitegen.names import campaigns_differ, run_path
from sitegen.numbers.baseline import Delta
from sitegen.numbers.gates import GateResult
from sitegen.pages.masked import NOTHING_MASKED, MaskedView
from sitegen.pages.views import FigureView, run_name

MOST_EXPENSIVE = 5
"""Runs that are listed."""
SECRETS = 10
"""Places of masked secrets that are listed."""
_COLUMNS = 80
"""At most, for one text of a run."""

_MARKUP = re.compile(r"[\\`*_{}\[\]()#!|~$:@<>&]|(?<=www)\.", re.IGNORECASE)


def markdown_summary(
    title: str,
    totals: Sequence[FigureView],
    gates: Sequence[GateResult],
    entries: Sequence[Entry],
    problems: int,
    site_url: str | None = None,
    masked: MaskedView = NOTHING_MASKED,
    deltas: Sequence[Delta] = (),
) -> str:
    """The report, as GitHub-flavoured Markdown that ends with a newline.

    `totals` are the figures of the index; `problems` is how many the problems page lists. With a `site_url`, which
    ends with a slash, names are links.
    """
    sections = (
        [f"## {escaped(title)}"],
        markdown_table(("Figure", "", "Note"), "lrl", map(_figure_row, totals)),
        _gates(gates),
        _deltas(deltas),
        _masked(masked),
        _most_expensive(entries, site_url),
        [_linked(f"{figures.plural(problems, 'problem')}." if problems else "No problems.", site_url, "problems.html")],
    )
    return "\n\n".join("\n".join(lines) for lines in sections if lines) + "\n"


def escaped(text: str) -> str:
    """One line of a stranger, clipped, that Markdown shows as it is, in a cell of a table too."""
    return _MARKUP.sub(lambda match: _ENTITIES.get(match[0]) or f"\\{match[0]}", clipped(text, _COLUMNS))


_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}


def _figure_row(figure: FigureView) -> tuple[str, ...]:
    return figure.label, f"**{figure.value}{'+' if figure.lower_bound else ''}**", figure.note


def _gates(gates: Sequence[GateResult]) -> list[str]:
    if not gates:
        return []
    kept = sum(gate.passed for gate in gates)
    rows = ((gate.label, gate.limit, gate.figure, f"**{gate.verdict.value}**", gate.why) for gate in gates)
    heading = f"### {figures.count(kept)} of {figures.plural(len(gates), 'gate')} passed"
    return [heading, "", *markdown_table(("Gate", "Limit", "Figure", "Result", "Why"), "llrll", rows)]


def _deltas(deltas: Sequence[Delta]) -> list[str]:
    """By how much this campaign differs from the baseline, on the tasks that both have."""
    if not deltas:
        return []
    rows = (
        (escaped(each.label), _level(each, each.before), _level(each, each.now), escaped(each.text)) for each in deltas
    )
    return ["### Against the baseline", "", *markdown_table(("Figure", "Baseline", "Now", "Change"), "lrrl", rows)]


def _level(delta: Delta, value: float) -> str:
    if delta.measure == "success":
        return figures.percent(value, 1)
    return figures.money(value) if delta.measure == "cost" else f"{value:,.3g}"


def _most_expensive(entries: Sequence[Entry], site_url: str | None) -> list[str]:
    """The runs of the highest reported cost; those of equal cost in the order they came. Nothing without costs."""
    priced = [(entry.run.cost_usd, entry) for entry in entries if entry.run.cost_usd is not None]
    if not priced:
        return []
    shown = sorted(priced, key=lambda pair: -pair[0])[:MOST_EXPENSIVE]
    judged = any(entry.outcome for _, entry in shown)
    with_campaign = campaigns_differ(entry for _, entry in shown)
    rows = (
        (
            _linked(escaped(run_name(entry, with_campaign=with_campaign)), site_url, run_path(entry.id)),
            escaped(entry.model or figures.UNKNOWN),
            figures.money(usd),
            status_view(entry.run.status).word,
            *([outcome_view(entry.outcome).word if entry.outcome else figures.UNKNOWN] if judged else []),
        )
        for usd, entry in shown
    )
    heads = ("Run", "Model", "Cost", "Status", *(["Outcome"] if judged else []))
    return ["### Most expensive runs", "", *markdown_table(heads, "llrll"[: len(heads)], rows)]


def _masked(masked: MaskedView) -> list[str]:
    """The first secrets with their places, and how much else is masked."""
    lines = [f"### {masked.heading}", ""] if masked.heading else []
    shown = masked.secrets[:SECRETS]
    lines += [f"- {escaped(each.path)}, {escaped(each.places)}: {escaped(each.kind)}" for each in shown]
    if left := len(masked.secrets) - len(shown):
        lines.append(f"- and {figures.plural(left, 'more place')}, which the problems page lists")
    if masked.others:
        lines += [
            *([""] if lines else []),
            f"Also masked: {escaped(masked.others)}." if lines else f"Masked: {escaped(masked.others)}.",
        ]
    return lines


def _linked(text: str, site_url: str | None, path: str) -> str:
    return f"[{text}]({site_url}{path})" if site_url else text


def markdown_table(heads: Sequence[str], aligned: str, rows: Iterator[tuple[str, ...]]) -> list[str]:
    """Lines of a table; `aligned` has an l or r for each column."""
    rules = ("---:" if side == "r" else "---" for side in aligned)
    return [f"| {' | '.join(cells)} |" for cells in (heads, rules, *rows)]
