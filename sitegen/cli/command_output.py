"""The output of commands about runs: of a build, and of what a build would read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from sitegen import figures
from sitegen.cli.terminal import line, terminal
from sitegen.collect import Facts
from sitegen.config import Config
from sitegen.figures import bounded
from sitegen.inputs.alike import Alike, grouped, unknown_in_words
from sitegen.inputs.scan import Scan
from sitegen.model import Entry, Masked, Problem, T, by_key
from sitegen.numbers.gates import GateResult
from sitegen.numbers.statistics import CampaignSummary
from sitegen.numbers.success import success
from sitegen.pages.masked import masked_view
from sitegen.publish.one_file import form_of
from sitegen.readers.kinds import KINDS, in_words
from sitegen.text.names import run_path

if TYPE_CHECKING:
    from sitegen.build import Built  # it imports all pages, which `check` does not need

SHOWN = 20  # lines of one kind that are printed without -v; the problems page has them all
SHOWN_SECRETS = 10  # the same for secrets: more than one can revoke at a sitting


def report_build(built: Built, config: Config, *, verbose: bool) -> None:
    """Say what a build came to."""
    published = built.published
    report_runs(built, verbose=verbose)
    terminal.say(summed(built))
    for alert in built.report.alerts:
        terminal.say(f"alert: {line(alert.text)}", err=True, colour="yellow")
    if coverage := built.report.coverage:
        terminal.say(f"baseline: {coverage.text}")
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
    warned, known = (before.warnings, set(before.report.problems)) if before else ((), set())
    for warning in built.warnings:
        if warning not in warned:
            terminal.say(warning, err=True, colour="yellow")
    new = [problem for problem in built.report.problems if problem not in known]
    _list_problems(new, verbose)
    if before is None or facts.masked != before.report.facts.masked:
        _say_masked(facts.masked, verbose)
    if before is None:
        _say_levels(facts)


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
    return f"{runs}{total}; {_rest(report.facts, report.problems)}"


_LEVELS = {
    "none": "no steps of the agents are published",
    "outline": "tools, targets, failures and the agent's texts are published",
    "texts": "prompts, thinking and the agent's texts are published, with tools and targets",
    "full": "prompts, steps, inputs and results are published, shortened",
}


def list_facts(facts: Facts, *, verbose: bool) -> None:
    """Show what a build would read, skip and warn about."""

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
    _list_problems(facts.problems, verbose)
    for sentence in _describe_ignored(facts.ignored_files, verbose):
        terminal.say(f"ignored  {sentence}")
    for sentence in unknown_in_words(facts.entries):
        terminal.say(sentence)
    for remark in facts.remarks:
        terminal.say(remark, err=True, colour="yellow")
    _say_masked(facts.masked, verbose)
    terminal.say(f"{figures.plural(len(facts.entries), 'run')}; {_rest(facts, facts.problems)}")


def _describe_ignored(files: Sequence[tuple[str, str]], verbose: bool) -> Iterable[str]:
    """Return a sentence for each kind of files, or for each file if `verbose`."""
    if not verbose:
        return in_words(files, line)
    return [f"{line(path)}: {KINDS.get(key, KINDS['']).one}" for path, key in files]


def _list_problems(problems: Sequence[Problem], verbose: bool) -> None:
    """Print each problem, or one line for each cause unless `verbose`."""
    groups = grouped(problems)
    if verbose:
        groups = [Alike(problem, 1) for problem in problems]
    _list(groups, _say_problem, "problems", verbose, err=True)


def gates_missed(gates: Sequence[GateResult], code: int) -> int:
    """Print the gates that have not passed; return `code` if one of them fails the build, else 0."""
    for gate in gates:
        text = f"gate {gate.verdict.value}: {gate.label}, {gate.limit}. {gate.why}"
        if gate.fails_build:
            terminal.fail(text, code)
        elif not gate.passed:
            terminal.say(text, err=True, colour="yellow")
    return code if any(gate.fails_build for gate in gates) else 0


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


def _rest(facts: Facts, problems: Sequence[Problem]) -> str:

    return f"{figures.plural(len(problems), 'problem')}, {figures.count(len(facts.ignored_files))} ignored"


def _say_problem(group: Alike) -> None:
    problem = group.first
    word = {"skip": "skip", "merge": "merge"}.get(problem.verdict.value, "warn")
    where = f", {problem.place}" if problem.place and group.count == 1 else ""
    text = f"{word:<8} {line(group.name)}{where}: {line(problem.reason)} [{problem.code}]"
    terminal.say(text, err=True, colour="yellow")


# What `--json` prints; see docs/json.md.


def of_build(built: Built) -> dict[str, object]:
    """Return what a build came to."""
    return {
        **of_facts(built.report.facts, built.report.problems, built.report.summary),
        "warnings": list(built.warnings),
        "gates": list(map(_gate, built.report.gates)),
        "alerts": [asdict(alert) for alert in built.report.alerts],
        "baseline": asdict(built.report.coverage) if built.report.coverage else None,
        "files": built.published.files,
        "bytes": built.published.size,
        "kept": list(built.published.carried),
        "left": list(built.published.left),
    }


def _gate(gate: GateResult) -> dict[str, object]:
    keys = ("name", "limit", "figure", "verdict", "why")
    texts = {key: str(getattr(gate, key)) for key in keys}
    return {**texts, "fails_build": gate.fails_build}


def of_facts(
    facts: Facts, problems: Sequence[Problem], summary: CampaignSummary
) -> dict[str, object]:
    """Return what a build would read."""
    from sitegen.pages.data import masked_row, problem_row

    return {
        "runs": [_run(entry) for entry in facts.entries],
        "totals": _totals(facts.entries, summary),
        "problems": list(map(problem_row, problems)),
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
        "warnings": list(facts.remarks),
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
