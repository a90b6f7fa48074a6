"""The output of commands about runs: of a build, and of what a build would read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sitegen import figures
from sitegen.cli.terminal import line, terminal
from sitegen.collect import Facts
from sitegen.config import Config
from sitegen.figures import bounded
from sitegen.inputs.alike import unknown_in_words
from sitegen.inputs.scan import Scan
from sitegen.model import Entry, Masked, T, by_key
from sitegen.numbers.statistics import CampaignSummary
from sitegen.numbers.success import success
from sitegen.pages.data import gate_row, masked_row, problem_row
from sitegen.pages.findings import (
    Finding,
    Severity,
    counts_of,
    describe,
    in_groups,
    split_causes,
    warnings_of,
    word_of,
)
from sitegen.pages.masked import masked_view
from sitegen.pages.overall import Report
from sitegen.publish.one_file import form_of
from sitegen.readers.kinds import KINDS, in_words
from sitegen.text.names import run_path

if TYPE_CHECKING:
    from sitegen.build import Built  # it imports all pages, some of which `check` does not need

SHOWN = 20  # lines of one kind that are printed without -v; the problems page has them all
SHOWN_SECRETS = 10  # the same for secrets: more than one can revoke at a sitting


def report_build(built: Built, config: Config, *, verbose: bool) -> None:
    """Say what a build came to."""
    published = built.published
    report_runs(built, verbose=verbose)
    terminal.say(summed(built))
    _list(published.carried, lambda path: terminal.say(f"kept: {path}"), "files kept", verbose)
    for path in published.left:
        terminal.say(f"left beside the output: {path}", err=True, colour="yellow")
    output = Path(config.output)
    files = (
        "" if output.suffix.lower() == ".html" else f"{figures.plural(published.files, 'file')}, "
    )
    terminal.say(f"{files}{published.size / 1e6:.1f} MB, in {config.output}")
    terminal.say_address(output if form_of(output) else output / "index.html")


def report_runs(built: Built, *, verbose: bool, before: Built | None = None) -> None:
    """Say what was found in the inputs, and only what is new since the build `before`."""
    facts = built.report.facts
    known = set(before.findings) if before else set()
    new = [finding for finding in built.findings if finding not in known]
    say_findings(new, verbose=verbose)
    if before is None or facts.masked != before.report.facts.masked:
        _say_masked(facts.masked, verbose)
    if before is None:
        _say_levels(facts)


def say_findings(findings: Sequence[Finding], *, verbose: bool) -> None:
    """Print the findings, but for gates, which a command ends with, and masked values."""
    for group, listed in in_groups(findings):
        if group.id != "gates" and group.word:
            causes = split_causes(listed, lambda finding: finding)
            if verbose:
                causes = [[finding] for finding in listed]
            lines = [word_of(same[0]) + line(describe(same)) for same in causes]
            is_note = group.severity == Severity.NOTE and not group.is_problem
            colour = None if is_note else "yellow"
            say_line = partial(terminal.say, err=not is_note, colour=colour)
            _list(lines, say_line, group.plural, verbose, err=not is_note)


def _say_levels(facts: Facts) -> None:
    """Print how much of what agents did is published."""
    levels = Counter(entry.level.value for entry in facts.entries)
    if len(levels) > 1:
        counts = [
            f"{level} of {figures.plural(count, 'run')}" for level, count in sorted(levels.items())
        ]
        terminal.say(f"steps: {', '.join(counts)}")
    elif any(entry.run.steps for entry in facts.entries):
        (level,) = levels
        terminal.say(f"steps: {level} ({_LEVELS[level]}); `--steps` or the settings choose another")


def summed(built: Built) -> str:
    """Return how many runs there are, what they cost, and how many problems there are, on one line."""
    report = built.report
    cost = report.summary.cost
    computed = report.summary.computed
    costs = []
    if cost.value is not None:
        costs.append(bounded(cost, figures.money))
    if computed.value is not None:
        costs.append(f"about {bounded(computed, figures.money)} at list prices")
    total = f", {' and '.join(costs)}" if costs else ""
    runs = figures.plural(len(report.facts.entries), "run")
    return f"{runs}{total}; {_rest(report)}"


_LEVELS = {
    "none": "no steps of the agents are published",
    "outline": "tools, targets, failures and the agent's texts are published",
    "texts": "prompts, thinking and the agent's texts are published, with tools and targets",
    "full": "prompts, steps, inputs and results are published, shortened",
}


def list_facts(report: Report, *, verbose: bool) -> None:
    """Show what a build would read, skip and warn about."""
    facts = report.facts

    def say_file(runs: list[Entry]) -> None:
        is_one = len(runs) == 1
        for entry in runs if is_one or verbose else ():
            run = entry.run
            status = run.status.value
            cost = figures.cost(run, "about ")
            cost += "" if run.computed_cost_usd is None else " at list prices"
            part = "" if is_one else f" ({line(entry.name)})"
            terminal.say(
                f"run      {line(entry.source.path)}{part}  {status}, {cost}, {line(run.reader)}"
            )
        if not is_one and not verbose:
            statuses = Counter(entry.run.status.value for entry in runs).most_common()
            ended = ", ".join(f"{figures.count(count)} {status}" for status, count in statuses)
            path = line(runs[0].source.path)
            reader = line(runs[0].run.reader)
            terminal.say(f"{f'{len(runs):,} runs':<8} {path}  {ended}, {reader}")

    by_file = by_key(facts.entries, lambda entry: entry.source.path)
    _list(list(by_file.values()), say_file, "files with runs", verbose)
    say_findings(report.findings, verbose=verbose)
    for sentence in _describe_ignored(facts.ignored_files, verbose):
        terminal.say(f"ignored  {sentence}")
    _say_masked(facts.masked, verbose)
    terminal.say(f"{figures.plural(len(facts.entries), 'run')}; {_rest(report)}")


def _describe_ignored(files: Sequence[tuple[str, str]], verbose: bool) -> Iterable[str]:
    """Return a sentence for each kind of files, or for each file if `verbose`."""
    if not verbose:
        return in_words(files, line)
    return [f"{line(path)}: {KINDS.get(key, KINDS['']).one}" for path, key in files]


def gates_missed(findings: Iterable[Finding], code: int) -> int:
    """Print the gates that have not passed; return `code` if one of them fails the build, else 0."""
    exit_code = 0
    for finding in findings:
        if finding.group_id == "gates":
            verdict = dict(finding.evidence)["verdict"]
            text = f"gate {verdict}: {finding.path}, {finding.text}"
            if finding.severity is Severity.ERROR:
                exit_code = terminal.fail(text, code)
            else:
                terminal.say(text, err=True, colour="yellow")
    return exit_code


def _say_masked(masked: Sequence[Masked], verbose: bool) -> None:
    """Print what is masked: secrets with their places, for those who can revoke them; the rest by kind."""
    view = masked_view(masked)
    if view.secrets:
        terminal.say(f"{view.heading}:", err=True, colour="yellow")
        most = len(view.secrets) if verbose else SHOWN_SECRETS
        for secret in view.secrets[:most]:
            # The kind comes last: "password in x: summary" is what a secret in a sentence looks like.
            text = f"  {line(secret.path)}, {secret.places}: {secret.kind}"
            terminal.say(text, err=True, colour="yellow")
        if len(view.secrets) > most:
            more = f"  ... and {len(view.secrets) - most:,} more places; -v lists them all"
            terminal.say(more, err=True, colour="yellow")
    if view.others:
        terminal.say(f"masked: {view.others}; the problems page says where")


def _list(
    lines: Sequence[T],
    say_line: Callable[[T], None],
    plural_name: str,
    verbose: bool,
    *,
    err: bool = False,
) -> None:
    """Say each line, or the first SHOWN unless `verbose`."""
    shown = lines if verbose else lines[:SHOWN]
    for shown_line in shown:
        say_line(shown_line)
    more = len(lines) - len(shown)
    if more:
        terminal.say(f"... and {more:,} more {plural_name}; -v lists them all", err=err)


def _rest(report: Report) -> str:
    """Return how many findings of each kind there are, and how many files are ignored."""
    counts = counts_of(report.findings) or ["0 problems"]
    return ", ".join((*counts, f"{figures.count(len(report.facts.ignored_files))} ignored"))


# What `--json` prints; see docs/json.md.


def of_build(built: Built) -> dict[str, object]:
    """Return what a build came to."""
    return {
        **of_report(built.report, built.findings),
        "files": built.published.files,
        "bytes": built.published.size,
        "kept": list(built.published.carried),
        "left": list(built.published.left),
    }


def of_report(report: Report, findings: Sequence[Finding]) -> dict[str, object]:
    """Return what a build would read, and what there is to know of it."""
    facts = report.facts
    return {
        "runs": [_run(entry) for entry in facts.entries],
        "totals": _totals(facts.entries, report.summary),
        "findings": [finding.to_row() for finding in findings],
        "problems": list(map(problem_row, report.problems)),
        "masked": list(map(masked_row, facts.masked)),
        "ignored": list(facts.ignored),
        "ignored_kinds": [
            {"file": path, "kind": KINDS.get(key, KINDS[""]).one}
            for path, key in facts.ignored_files
        ],
        "unknown": unknown_in_words(facts.entries),
        "missing": [
            {"task": task, "configuration": name, "attempt": attempt}
            for task, name, attempt in facts.missing
        ],
        "warnings": list(warnings_of(findings)),
        "gates": list(map(gate_row, report.gates)),
        "alerts": [asdict(alert) for alert in report.alerts],
        "baseline": asdict(report.coverage) if report.coverage else None,
    }


def of_scan(scan: Scan) -> dict[str, object]:
    """Return where secrets stand in files."""
    findings = []
    for place, kind, count in scan.findings:
        file, _, number = place.rpartition(":")
        findings.append({"file": file, "line": int(number), "kind": kind, "count": count})
    return {"findings": findings, "files": scan.files, "warnings": list(scan.remarks)}


def _run(entry: Entry) -> dict[str, object]:
    run = entry.run
    return {
        "id": entry.id,
        "file": entry.source.path,
        "page": run_path(entry.id),
        "campaign": entry.campaign,
        "task": entry.task,
        "model": entry.model,
        "reader": run.reader,
        "attempt": entry.attempt,
        "status": run.status.value,
        "outcome": None if entry.outcome is None else entry.outcome.value,
        "cost_usd": run.cost_usd,
        "computed_cost_usd": run.computed_cost_usd,
    }


def _totals(entries: Sequence[Entry], summary: CampaignSummary) -> dict[str, object]:
    judged = success(entries)
    return {
        "runs": summary.runs,
        "by_status": {status.value: count for status, count in summary.by_status.items()},
        "cost_usd": asdict(summary.cost),
        "computed_cost_usd": asdict(summary.computed),
        "median_cost_usd": summary.median_cost_usd,
        "tokens": asdict(summary.total_tokens),
        "wall_ms": asdict(summary.wall),
        "turns": asdict(summary.turns),
        "judged": judged.judged,
        "passed": judged.passed,
    }
