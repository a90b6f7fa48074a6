"""Lists the findings about a site from all that is known of it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sitegen import figures
from sitegen.collect import Facts
from sitegen.config import Config
from sitegen.figures import status_view
from sitegen.inputs.alike import unknown_in_words
from sitegen.masking.redact import Redactor
from sitegen.model import INCOMPLETE, Entry, Masked, Problem, Status, Verdict
from sitegen.numbers.gates import GateResult, reconciles
from sitegen.numbers.pricing import Checks, PriceTable
from sitegen.numbers.success import lost_runs
from sitegen.outcomes.over_time import find_campaigns
from sitegen.outcomes.same_patch import describe_same_patch, same_patches
from sitegen.outcomes.study import Study
from sitegen.pages.findings import Finding, Severity, parts_of
from sitegen.pages.overall import Report, analyse
from sitegen.pages.run.money import cost_remarks
from sitegen.pages.study_page import describe_judges

# The groups of codes that are no doubt about a figure: what a file does not report, and what is read correctly.
_GROUP_OF_CODE = {"W_MISSING": "missing", "W_MULTI_RESULT": "notes", "W_COPY": "notes"}


def list_findings(report: Report, prices: PriceTable) -> tuple[Finding, ...]:
    """Return all findings about a site, group by group."""
    facts = report.facts
    entries = facts.entries
    remarks = (*facts.remarks, *report.compared.remarks, *report.remarks)
    return (
        *(find_gate(gate) for gate in report.gates if not gate.passed),
        *find_alerts(report),
        *(Finding("settings", remark) for remark in remarks),
        *(Finding("formats", sentence) for sentence in unknown_in_words(entries)),
        *map(find_problem, report.problems),
        *find_ends(entries),
        *find_missing_runs(facts.missing),
        *find_same_patches(entries),
        *find_judgements(report.study),
        *find_unreconciled(entries, report.checks, prices),
        *map(find_masked, facts.masked),
    )


def report_on(config: Config, facts: Facts, redactor: Redactor) -> Report:
    """Return the report on the runs of a build that writes nothing. Raises: ConfigError."""
    prices = config.price_table
    past, baseline = find_campaigns(config, facts, redactor) if facts.entries else (None, None)
    checks = prices.check_all(facts.entries)
    report = analyse(config, facts, checks, {}, over_time=past, before=baseline)
    return replace(report, findings=list_findings(report, prices))


def find_gate(gate: GateResult) -> Finding:
    """Return the finding about a gate that has not passed."""
    return Finding(
        "gates",
        f"{gate.limit}. {gate.why}",
        gate.label,
        done="The build fails." if gate.fails_build else "Tolerated.",
        own_code=f"GATE_{gate.verdict.name}",
        own_severity=Severity.ERROR if gate.fails_build else Severity.WARNING,
        evidence=parts_of(gate, "name", "limit", "figure", "verdict"),
    )


def find_alerts(report: Report) -> Iterator[Finding]:
    """Yield what changed against earlier campaigns, and how much of the baseline was compared."""
    for alert in report.alerts:
        parts = parts_of(alert, "measure", "task", "model", "verdict", "since", "clear_since")
        yield Finding("alerts", alert.text, evidence=parts)
    if coverage := report.coverage:
        yield Finding("baseline", coverage.text, evidence=parts_of(coverage, "compared", "tasks"))


def group_of(problem: Problem) -> str:
    """Return the id of the group that a problem is in."""
    if problem.is_about_outcomes:
        return "outcomes"
    if problem.verdict is Verdict.ACCEPT:
        return _GROUP_OF_CODE.get(problem.code, "doubtful")
    return "merged" if problem.verdict is Verdict.MERGE else "skipped"


def find_problem(problem: Problem) -> Finding:
    """Return the finding about a file, or a part of one."""
    return Finding(
        group_of(problem),
        problem.reason,
        problem.path,
        problem.page_id,
        problem.place,
        own_code=problem.code,
        evidence=parts_of(problem, "verdict"),
    )


def find_ends(entries: Sequence[Entry]) -> Iterator[Finding]:
    """Yield the runs without a verdict because of an error, and others that did not complete."""
    lost = lost_runs(entries)
    lost_ids = {entry.id for entry in lost}
    for entry in lost:
        yield about_run("lost", entry, cause_of_loss(entry))
    for entry in entries:
        run = entry.run
        if run.status in INCOMPLETE and entry.id not in lost_ids:
            words = (figures.capitalized(status_view(run.status).word), run.status_detail)
            cost = "not known" if run.spent_usd is None else figures.cost(run)
            incomplete = about_run("incomplete", entry, f"{', '.join(filter(None, words))}.")
            code = f"RUN_{run.status.name}"
            yield replace(incomplete, done=f"Shown; cost {cost}.", own_code=code)


def find_same_patches(entries: Sequence[Entry]) -> Iterator[Finding]:
    """Yield the runs of one task that left the same patch."""
    for runs in same_patches(entries):
        text = f"The same patch at {runs[0].task}: {describe_same_patch(runs)}."
        for entry in runs:
            yield about_run("same-patch", entry, text)


def cause_of_loss(entry: Entry) -> str:
    """Return why a run has no verdict, as a sentence."""
    cause = entry.run.status_detail or status_view(entry.run.status).word
    if entry.run.status is Status.OK:
        cause = "the test did not work"
    return f"{figures.capitalized(cause.rstrip('0123456789 '))}."


def about_run(group: str, entry: Entry, text: str) -> Finding:
    """Return a finding about a run."""
    status = parts_of(entry.run, "status", "status_detail")
    return Finding(group, text, entry.source.path, entry.id, evidence=status)


def find_missing_runs(missing: Sequence[tuple[str, str, int]]) -> Iterator[Finding]:
    """Yield the planned runs that are not there."""
    for task, configuration, attempt in missing:
        name = f"{task}, {configuration}, attempt {attempt}"
        yield Finding("planned", "No file has this run.", name)


def find_judgements(study: Study | None) -> Iterator[Finding]:
    """Yield the runs that judges disagree on, and those that a column of the settings excludes."""
    if study is None:
        return
    if judges := study.config.judges:
        disagreed, sentences = describe_judges(study, *judges)
        if disagreed:
            yield Finding("judges", sentences, count=disagreed)
    for entry in study.entries:
        if reason := study.excluded(entry):
            sentence = f"{figures.capitalized(reason).rstrip('.')}."
            yield about_run("excluded", entry, sentence)


def find_unreconciled(
    entries: Sequence[Entry], checks: Checks, prices: PriceTable
) -> Iterator[Finding]:
    """Yield the runs whose reported cost, sum over models and list price are not the same figure."""
    for entry in entries:
        if reconciles(entry.run, checks[entry.id]) is False:
            costs = (
                ("cost_usd", entry.run.cost_usd),
                ("ledger_cost_usd", entry.run.ledger_cost_usd),
                ("list_price_usd", checks[entry.id].list_usd),
            )
            reported, by_model, listed = (figures.money(cost) for _, cost in costs)
            done = f"Reported {reported}, by model {by_model}, at list price {listed}."
            text = " ".join(cost_remarks(entry, prices.check(entry.run)))
            text = text or "The reported cost is not the list price of the tokens."
            found = about_run("unreconciled", entry, text)
            yield replace(found, done=done, evidence=costs)


def find_masked(masked: Masked) -> Finding:
    """Return the finding about masked values of one kind in one place."""
    place = f"in: {masked.place}"
    path, page_id = masked.path, masked.page_id
    return Finding("masked", masked.kind, path, page_id, place, count=masked.count)
