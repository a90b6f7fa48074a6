"""`sitegen check`: what a build would read."""

from __future__ import annotations

from pathlib import Path

import click

from sitegen.cli import options, running
from sitegen.cli.json_output import Answer, of_facts
from sitegen.cli.options import EXIT_CODES_OF_CHECK, EXIT_NOT_PUBLISHED
from sitegen.cli.report import list_facts
from sitegen.cli.terminal import Progress, line, terminal


@click.command(epilog=EXIT_CODES_OF_CHECK)
@options.runs
@options.not_read
@options.config
@options.no_config
@options.strict
@options.as_json
@options.verbose_lists
@options.quiet
@running.exits
def check(
    runs: tuple[str, ...],
    output: str | None,
    config_path: Path | None,
    no_config: bool,
    strict: bool,
    answer: Answer | None,
    verbose: bool,
    quiet: bool,
) -> int:
    """Show what a build would read, skip and warn about. Writes nothing."""

    from sitegen.cli import settings as settings_file
    from sitegen.collect import collect
    from sitegen.masking.redact import Redactor
    from sitegen.numbers.statistics import summarize
    from sitegen.outcomes.study import Study, has_study

    settings_path, config, only = settings_file.choose(config_path, runs, output, without=no_config)
    redactor = terminal.mask_with(Redactor.for_this_machine(config.redact))
    if not quiet:
        terminal.say_settings(settings_path, only)
    facts = collect(config, redactor, Progress(quiet=quiet))
    if answer is not None:
        answer.values = of_facts(facts, facts.problems, summarize(facts.entries))
    if not quiet:
        list_facts(facts, verbose=verbose)
        for factor in Study(config, facts.entries).factors if has_study(config) else ():
            terminal.say(f"factor   {line(factor.name)}: {factor.role} ({factor.reason})")
    if not facts.entries:
        return terminal.fail("sitegen: no runs found: a build would publish nothing", EXIT_NOT_PUBLISHED)
    if not strict:
        return 0
    masked = sum(each.count for each in facts.masked)
    return running.strictly(problems=len(facts.problems), warnings=len(facts.remarks), masked=masked)
