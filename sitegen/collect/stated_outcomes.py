"""Adds what is stated of runs from outside: outcomes, scores, factors and tasks."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from sitegen import figures, outcomes
from sitegen.collect.patches import left_patch
from sitegen.config import Config
from sitegen.inputs import archives, source_files
from sitegen.inputs.discover import Discovery, discover
from sitegen.inputs.reported import in_order
from sitegen.inputs.survey import Facts, Naming, forget_ignored
from sitegen.masking.redact import Redactor
from sitegen.model import Problem, Source
from sitegen.numbers.success import with_limits
from sitegen.outcomes import study
from sitegen.outcomes.derived import derive_fields
from sitegen.outcomes.rows import OutcomeTable
from sitegen.outcomes.settings_remarks import describe_unused_settings
from sitegen.outcomes.task_table import TaskTable
from sitegen.outcomes.units import find_other_units
from sitegen.readers.kinds import JUDGED, KINDS, REPORTS

BEYOND_PART = (
    "{} of outcomes fit none of the files that are named here; the settings are about others too."
)


def find_tables(config: Config) -> Discovery:
    """Return the tables of outcomes that the settings name. Raises: ConfigError."""
    return outcomes.find_named(config.outcomes)


def label_other_models(facts: Facts, naming: Naming) -> Facts:
    """Label the runs whose path names another model than their file."""
    entries, remarks = outcomes.label_other_models(facts.entries, naming)
    return replace(
        facts, entries=tuple(entries), settings_remarks=(*facts.settings_remarks, *remarks)
    )


Reports = list[tuple[Source, str]]  # files that benchmarks wrote, with a key of `readers.kinds`


def find_reports(facts: Facts, files: Discovery, config: Config, redactor: Redactor) -> Reports:
    """Return the reports of benchmarks among the inputs; none if the settings say `outcomes: []`."""
    if not config.outcomes and "outcomes" in config.model_fields_set:
        return []
    kinds = {path: kind for path, kind in facts.ignored_files if kind in REPORTS or kind == JUDGED}
    reports: Reports = []
    for source in files.sources if kinds else ():
        for file in report_candidates(source, files, redactor(source.path), kinds):
            if kind := kinds.get(redactor(file.path)):
                reports.append((file, kind))
    return reports


def report_candidates(
    source: Source, files: Discovery, path: str, reports: Iterable[str]
) -> list[Source]:
    """Return a file; of an archive with reports, the files in it."""
    is_archive = archives.kind_of(source.location)
    if is_archive and any(report.startswith(f"{path}/") for report in reports):
        return [member for member, _ in source_files.contents(source, files.bounds, files.ignoring)]
    return [source]


def read_tables(
    facts: Facts,
    files: Discovery,
    named: Discovery,
    reports: Reports,
    config: Config,
    redactor: Redactor,
) -> OutcomeTable:
    """Read the sidecars of runs, the tables that the settings name, and the reports."""
    return outcomes.load(config, facts.entries, redactor, files.sources, named, reports=reports)


def apply_rows(
    facts: Facts,
    table: OutcomeTable,
    reports: Reports,
    config: Config,
    naming: Naming,
    redactor: Redactor,
) -> Facts:
    """Add to runs what rows state of them, and report rows that are about no run."""
    has_patch = partial(left_patch, file_name=config.patch)
    joined = outcomes.join(
        facts.entries,
        table,
        naming,
        has_patch,
        unreadable_runs(facts),
        config.only_judged,
    )
    facts = replace(facts, entries=tuple(joined.entries))

    tables = {row.file for row in table.rows} | {problem.path for problem in table.problems}
    of_benchmarks = {redactor(source.path) for source, kind in reports if kind != JUDGED}
    facts = forget_ignored(facts, tables - (of_benchmarks - joined.used))
    if config.is_part:
        return add_problems_of_part(facts, joined.problems)
    facts = replace(facts, unmatched=joined.unmatched)
    return add_problems(facts, joined.problems)


def unreadable_runs(facts: Facts) -> frozenset[str]:
    """Return the files that should have been runs."""
    ignored_runs = {path for path, kind in facts.ignored_files if KINDS[kind].holds_run}
    return facts.unreadable | ignored_runs


def add_problems(facts: Facts, problems: Iterable[Problem]) -> Facts:
    """Add problems in the order in which pages list them."""
    ordered = sorted([*facts.problems, *problems], key=in_order)
    return replace(facts, problems=tuple(ordered))


def add_problems_of_part(facts: Facts, problems: Iterable[Problem]) -> Facts:
    """Add problems; count rows without a run in one remark, because their runs may be in other inputs."""
    problems = list(problems)
    unmatched = [problem for problem in problems if problem.code == "W_OUTCOME_UNMATCHED"]
    facts = add_problems(facts, [problem for problem in problems if problem not in unmatched])
    if not unmatched:
        return facts
    remark = BEYOND_PART.format(figures.plural(len(unmatched), "line"))
    return replace(facts, part_remarks=(*facts.part_remarks, remark))


def add_factors(facts: Facts, config: Config, naming: Naming) -> Facts:
    """Add the factors that tables state of runs."""
    return replace(facts, entries=tuple(study.add_factors(facts.entries, config, naming)))


def add_task_table(facts: Facts, config: Config, naming: Naming, redactor: Redactor) -> Facts:
    """Add what the table of tasks states, if the settings name one. Raises: ConfigError."""
    if not config.task_table:
        return facts
    source = discover([config.task_table]).sources[0]
    table = TaskTable(source, naming, redactor)
    entries = table.add_to_runs(facts.entries)
    facts = replace(facts, entries=tuple(entries), planned=table.tasks)
    return add_problems(facts, table.problems)


def apply_verdicts(facts: Facts, config: Config, table: OutcomeTable, redactor: Redactor) -> Facts:
    """Set the outcome of runs by the main verdict of the settings or by their own limits, and compute their scores."""
    judging = study.Study(config, facts.entries)
    entries = tuple(with_limits(judging.apply_verdicts()))
    remarks = map(redactor, describe_unused_settings(judging, table.columns))
    facts = add_problems(facts, find_other_units(study.Study(config, entries)))
    return replace(facts, entries=entries, settings_remarks=(*facts.settings_remarks, *remarks))


def find_missing_runs(facts: Facts, config: Config) -> Facts:
    """Find the planned runs that are not there."""
    missing = study.Study(config, facts.entries).missing(facts.planned)
    return replace(facts, missing=tuple(missing))


def add_derived_fields(facts: Facts, config: Config) -> Facts:
    """Add the fields that the settings make of what is stated of runs."""
    return replace(facts, entries=derive_fields(study.Study(config, facts.entries)))
