"""The short report in Markdown that a CI step shows of itself: figures, gates, masked secrets.

It is read on pages that we do not make, by renderers that we do not know, so every text is escaped by `text_tables`.
"""

from collections.abc import Sequence

from sitegen import figures
from sitegen.charts.findings import clipped
from sitegen.config import Config
from sitegen.masking.redact import number_masks
from sitegen.numbers.baseline import Coverage, Delta
from sitegen.numbers.gates import GateResult
from sitegen.numbers.success import success
from sitegen.pages.findings import Finding, counts_of, describe, split_causes
from sitegen.pages.headline import headline, text_of
from sitegen.pages.masked import NOTHING_MASKED, MaskedView, masked_view
from sitegen.pages.overall import Report
from sitegen.pages.summary import summary_figures
from sitegen.pages.text_tables import Marked, TextTable, in_markdown, markdown_text
from sitegen.pages.views import FigureView

MAX_LINES = 20  # of one group of findings
_LISTED = ("settings", "build", "formats", "lost", "planned", "judges", "unreconciled")
"""The groups that have lines: alerts, gates and masks have them too, and problems are on a page."""
SECRETS = 10
_COLUMNS = 80  # at most, for one text of a run
_SENTENCE = 300  # at most, for a sentence about one


def markdown_summary(  # noqa: PLR0913
    title: str,
    totals: Sequence[FigureView],
    gates: Sequence[GateResult],
    findings: Sequence[Finding],
    site_url: str | None = None,
    masked: MaskedView = NOTHING_MASKED,
    deltas: Sequence[Delta] = (),
    said: str = "",
    coverage: Coverage | None = None,
) -> str:
    """Return the report, as GitHub-flavoured Markdown that ends with a newline.

    `said` is the first sentence of the index and `totals` are its figures; `findings` what there is to know
    besides. A `site_url`, which ends with a slash, makes that a link.
    """
    rows = (
        (each.label, Marked(f"{each.value}{'+' if each.lower_bound else ''}"), each.note)
        for each in totals
    )
    count = f"{figures.sentence_list(counts_of(findings)) or 'No problems'}."
    sections = (
        [f"## {escaped(title)}", *(["", markdown_text(said)] if said else [])],
        [TextTable(("Figure", "", "Note"), rows, "lrl").to_markdown()],
        _of_group("alerts", findings),
        _gates(gates),
        *(_of_group(group, findings) for group in _LISTED),
        _deltas(deltas, coverage),
        _masked(masked),
        [in_markdown(Marked(count, f"{site_url}problems.html") if site_url else count)],
    )
    return "\n\n".join("\n".join(lines) for lines in sections if lines) + "\n"


def summary_of(report: Report, findings: Sequence[Finding], config: Config) -> str:
    """Return the report of a build, with its masks numbered."""
    judged = success(report.facts.entries, config.intervals)
    over_time = report.followed.over_time if report.followed else None
    entries = report.facts.entries
    totals = summary_figures(report.summary, judged)
    said = text_of(
        headline(report.summary, judged, report.board, report.compared, over_time, entries)
    )
    text = markdown_summary(
        config.title,
        totals,
        report.gates,
        findings,
        config.site_url,
        masked_view(report.facts.masked),
        report.deltas,
        said,
        report.coverage,
    )
    return number_masks(text)


def escaped(text: str) -> str:
    """Return one line of a stranger, clipped, that Markdown shows as it is."""
    return markdown_text(clipped(text, _COLUMNS))


def _gates(gates: Sequence[GateResult]) -> list[str]:
    if not gates:
        return []
    kept = sum(gate.passed for gate in gates)
    rows = (
        (gate.label, gate.limit, gate.figure, Marked(gate.verdict.value), gate.why)
        for gate in gates
    )
    heading = f"### {figures.count(kept)} of {figures.plural(len(gates), 'gate')} passed"
    return [
        heading,
        "",
        TextTable(("Gate", "Limit", "Figure", "Result", "Why"), rows, "llrll").to_markdown(),
    ]


def _of_group(group: str, findings: Sequence[Finding]) -> list[str]:
    """Return the lines of one group of findings."""
    listed = [finding for finding in findings if finding.group_id == group]
    if not listed:
        return []
    causes = split_causes(listed, lambda finding: finding)
    lines = [
        f"- {markdown_text(clipped(describe(same_cause), _SENTENCE))}"
        for same_cause in causes[:MAX_LINES]
    ]
    if len(causes) > MAX_LINES:
        more = figures.count(len(causes) - MAX_LINES)
        lines.append(f"- and {more} more, which data/findings.json lists")
    return [f"### {counts_of(listed)[0]}", "", *lines]


def _deltas(deltas: Sequence[Delta], coverage: Coverage | None) -> list[str]:
    """Return by how much this campaign differs from the baseline, on the tasks that both have."""
    if coverage is None:
        return []
    lines = ["### Against the baseline", "", f"{coverage.text}."]
    if deltas:
        rows = ((each.label, *each.levels, each.text) for each in deltas)
        table = TextTable(("Figure", "Baseline", "Now", "Change"), rows, "lrrl")
        lines += ["", table.to_markdown()]
    return lines


def _masked(masked: MaskedView) -> list[str]:
    """Return the first secrets with their places, and how much else is masked."""
    lines = [f"### {masked.heading}", ""] if masked.heading else []
    shown = masked.secrets[:SECRETS]
    lines += [
        f"- {escaped(each.path)}, {escaped(each.places)}: {escaped(each.kind)}" for each in shown
    ]
    if left := len(masked.secrets) - len(shown):
        lines.append(f"- and {figures.plural(left, 'more place')}, which the problems page lists")
    if masked.others:
        lines += (
            ["", f"Also masked: {escaped(masked.others)}."]
            if lines
            else [f"Masked: {escaped(masked.others)}."]
        )
    return lines
