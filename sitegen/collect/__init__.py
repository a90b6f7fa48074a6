"""Collects all that is known of the inputs: the `Facts` of a site, which nothing changes afterwards.

Read `collect` and `collect_files` first: they list the stages. A stage is a function that takes `Facts` and the
settings it needs, and returns other `Facts`. Each module of this package holds the stages of one subject.
"""

from pathlib import Path
from typing import Any

from sitegen.cache.memory import NO_MEMORY, Memory
from sitegen.collect import filters, naming, packed_runs, remarks, sources, stated_outcomes
from sitegen.collect.empty import why_empty
from sitegen.collect.evidence import add_evidence
from sitegen.collect.packed_runs import read_pack
from sitegen.collect.patches import add_patches
from sitegen.collect.prices import price
from sitegen.collect.tools import Tools
from sitegen.config import Config, Input, OneOfCampaigns
from sitegen.inputs.campaigns.past import is_site
from sitegen.inputs.discover import Discovery
from sitegen.inputs.survey import Facts, ProgressReporter, survey
from sitegen.masking.redact import Redactor
from sitegen.outcomes.over_time import campaign_of
from sitegen.remote import clients
from sitegen.system.workers import ALONE, Workers

__all__ = ["Facts", "collect", "read_pack", "why_empty"]


def collect(
    config: Config,
    redactor: Redactor,
    progress: ProgressReporter,
    workers: Workers = ALONE,
    *,
    memory: Memory = NO_MEMORY,
) -> Facts:
    """Read the inputs without writing anything: what `sitegen check` reports. Raises: ConfigError."""
    tools = Tools(redactor, progress, workers, memory)
    facts = collect_campaigns(config, tools) if config.campaigns else collect_inputs(config, tools)
    facts = naming.unify_case(facts)
    facts = stated_outcomes.find_missing_runs(facts, config)
    facts = filters.keep_days(facts, *config.days)
    facts = naming.name_configurations(facts, config)
    facts = remarks.add_unused_setups(facts, config)
    facts = stated_outcomes.add_derived_fields(facts, config)
    return naming.disambiguate(facts)


def collect_campaigns(config: Config, tools: Tools) -> Facts:
    """Collect each campaign by itself, and put them together."""
    campaigns = [campaign for campaign in config.each_campaign if not is_site(Path(campaign.path))]
    return packed_runs.combine(collect_campaign(campaign, config, tools) for campaign in campaigns)


def collect_campaign(campaign: OneOfCampaigns, config: Config, tools: Tools) -> Facts:
    """Collect one campaign of several, under its name."""
    folder = Input(**campaign.model_dump(include=set(Input.model_fields)))
    changed: dict[str, Any] = {"campaigns": (), "inputs": (folder,)}
    if campaign.outcomes:
        changed["outcomes"] = campaign.outcomes
    facts = collect_inputs(config.model_copy(update=changed), tools)
    name, day = campaign_of(campaign, facts)
    return packed_runs.move_to_campaign(facts, name, day)


def collect_inputs(config: Config, tools: Tools) -> Facts:
    """Collect the files and the packs of the inputs."""
    files, packed = sources.find(config)
    if not packed:
        return collect_files(files, config, tools)
    collected = [
        packed_runs.collect_pack(source, config, files.bounds, tools.redactor) for source in packed
    ]
    if len(packed) == 1 and not files.sources and not files.problems:
        return collected[0]
    named = [
        packed_runs.name_pack(facts, source.path)
        for facts, source in zip(collected, packed, strict=True)
    ]
    combined = packed_runs.combine([*named, collect_files(files, config, tools)])
    return packed_runs.drop_repeated_sessions(combined)


def collect_files(files: Discovery, config: Config, tools: Tools) -> Facts:
    """Collect the files of the inputs that are not packs."""
    redactor = tools.redactor
    names = naming.rules(config)
    prices = config.price_table
    named_tables = stated_outcomes.find_tables(config)
    files = sources.without(files, named_tables.sources)
    clients.close_connections()  # workers are forked in `survey`: no connection may be open
    read = survey(
        files, names, redactor, tools.progress, workers=tools.workers, memory=tools.memory
    )
    facts = naming.name_tasks_by_evaluation(read)
    facts = stated_outcomes.label_other_models(facts, names)
    reports = stated_outcomes.find_reports(facts, files, config, redactor)
    table = stated_outcomes.read_tables(facts, files, named_tables, reports, config, redactor)
    facts = stated_outcomes.apply_rows(facts, table, reports, config, names, redactor)
    facts = stated_outcomes.add_factors(facts, config, names)
    facts = stated_outcomes.add_task_table(facts, config, names, redactor)
    facts = stated_outcomes.apply_verdicts(facts, config, table, redactor)
    all_runs = facts.entries
    facts = filters.keep_judged(facts, config)
    facts = add_patches(facts, config.patch, redactor, tools.memory)
    facts = add_evidence(facts, all_runs, config.evidence, redactor)
    facts = price(facts, prices, config.cost_basis)
    facts = naming.name_by_path(facts)
    clients.close_connections()
    facts = filters.group_runs(facts, config.groups, config.person or filters.pseudonym())
    facts = filters.drop_projects(facts, config.leave_out)
    facts = remarks.add_unused_settings(facts, read, table, names, redactor)
    facts = remarks.add_old_settings(facts, config)
    facts = remarks.settle(facts, is_part=config.is_part)
    return remarks.add_unpriced_models(facts, prices)
