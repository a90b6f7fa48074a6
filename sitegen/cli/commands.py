"""The command `sitegen`. Only this room exits and prints, but for the check for changes, which
answers before click is loaded.

The heavy modules are imported inside the commands, so that `--help` answers at once.
"""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NoReturn

import click

from sitegen import __version__
from sitegen.cli import options, running
from sitegen.cli.build_command import build
from sitegen.cli.running import Call, CommandResult
from sitegen.cli.terminal import Progress, line, terminal
from sitegen.errors import ConfigError
from sitegen.system.system_limits import why_not_written

if TYPE_CHECKING:
    from sitegen.collect import Facts
    from sitegen.config import Config
    from sitegen.masking.redact import Redactor
    from sitegen.pages.findings import Finding

# `sitegen check`: what a build would read.


@click.command(epilog=options.EXIT_CODES_OF_CHECK)
@options.folder(help="Where the site would go; a build does not read runs there. Default: site.")
@options.campaign
@options.days
@options.settings
@options.strict
@options.as_json
@options.verbose(help="Verbose: print full lists.")
@options.quiet
@click.option(
    "--pages",
    "checks_pages",
    is_flag=True,
    help="Also check your pages: what they name, and numbers that no figure() made.",
)
@running.about_runs
def check(call: Call, checks_pages: bool) -> int:
    """Show what a build would read, skip and warn about. Writes nothing."""

    from sitegen.cli import settings as settings_file
    from sitegen.cli import understood
    from sitegen.cli.command_output import gates_missed, list_facts, of_report
    from sitegen.collect import collect
    from sitegen.pages.list_findings import report_on

    chosen = settings_file.of_call(call)
    config = chosen.config
    redactor = settings_file.announce(chosen, call)
    facts = collect(config, redactor, Progress(quiet=call.quiet))
    report = report_on(config, facts, redactor)
    page_faults = None
    if checks_pages and config.pages and facts.entries:
        about_pages, page_faults = check_pages(config, facts, redactor, is_strict=call.strict)
        report = replace(report, findings=(*report.findings, *about_pages))
    if call.answer is not None:
        call.answer.set(of_report(report, report.findings))
    if not call.quiet:
        list_facts(report, verbose=call.verbose)
        for factor in report.study.factors if report.study else ():
            terminal.say(f"factor   {line(factor.name)}: {factor.role} ({factor.reason})")
    if not facts.entries:
        return terminal.fail(
            "sitegen: no runs found: a build would publish nothing", options.EXIT_NOT_PUBLISHED
        )
    if not call.quiet:
        if call.verbose:
            understood.list_names(facts.entries)
        terminal.say(understood.describe(config, facts.entries))
    code = running.apply_strict(call, report.findings)
    if page_faults:
        raise page_faults
    return gates_missed(report.findings, options.EXIT_GATE) or code


def check_pages(
    config: Config, facts: Facts, redactor: Redactor, *, is_strict: bool
) -> tuple[list[Finding], ConfigError | None]:
    """Return the findings about the author's pages and the build, and an error with a line for each name and link of
    the pages that leads nowhere.

    Which pages and charts a site has shows only when it is made, so it is made in a folder that is then deleted.
    """
    from sitegen.build import build_site
    from sitegen.outcomes.study import Study
    from sitegen.pages import own_pages
    from sitegen.pages.findings import Finding
    from sitegen.pages.site import Site
    from sitegen.system.workers import Processes, cores

    site = Site.of(config, redactor, is_strict=is_strict)
    of_runs = own_pages.Figures(config, Study(config, facts.entries))
    numbers = (own_pages.numbers_by_hand(page, of_runs) for page in site.own_pages)
    typed = [Finding("settings", text) for text in chain.from_iterable(numbers)]
    try:
        with TemporaryDirectory() as folder:
            built = build_site(
                site,
                Progress(quiet=True),
                terminal.say_waiting,
                workers=Processes(cores()),
                into=Path(folder, "site"),
            )
    except ConfigError as faults:
        return typed, faults
    return [*(finding for finding in built.findings if finding.group_id == "build"), *typed], None


# `sitegen skill`: what an agent has to know.


@click.command(short_help="Print a skill that teaches agents to use sitegen.")
@running.exits
def skill() -> int:
    """Print SKILL.md: what an agent has to know to build a site, to read its data, and to write a checked analysis."""
    from sitegen.html.theme import folder as templates

    click.echo((templates() / "SKILL.md").read_text(encoding="utf-8"), nl=False)
    return 0


# `sitegen init`: commented settings to begin with.


@click.command(short_help="Write a commented config.yaml.")
@click.argument("folder", default=".", type=click.Path(path_type=Path))
@running.exits
def init(folder: Path) -> int:
    """Write a commented config.yaml into FOLDER, or here, with all that is usually set, and what its runs suggest."""

    from sitegen.cli import understood
    from sitegen.collect import collect
    from sitegen.config import foreign_keys, load
    from sitegen.html.theme import folder as templates
    from sitegen.inputs.layout import layout_of
    from sitegen.masking.redact import Redactor

    if not folder.is_dir():
        raise ConfigError(f"{folder}: there is no such folder. Check the spelling.")
    target = folder / options.CONFIG_NAME
    if foreign_keys(target):
        target = folder / options.CONFIG_NAMES[0]
    text = (templates() / "init.yaml").read_text(encoding="utf-8")
    layout = layout_of(folder)
    if layout.pattern:
        comments = "".join(f"    # {comment}\n" for comment in layout.comments)
        named = f'\n  - path: .\n{comments}    pattern: "{layout.pattern}"\n'
        text = text.replace("\n  - .\n", named, 1)
    if layout.are_sessions:
        text = text.replace(
            "\n# view: sessions\n# robots: noindex", "\nview: sessions\nrobots: noindex", 1
        )
    try:
        with target.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise ConfigError(f"{target} exists already; nothing was written.") from None
    except OSError as error:
        with suppress(OSError):
            target.unlink()  # or the next call would take it for settings
        raise ConfigError(f"{target} cannot be written: {why_not_written(error)}.") from None
    named = "" if folder.samefile(".") else f" -c {shlex.quote(str(target))}"
    terminal.say(f"{target} is written. Check `inputs` in it, then run: sitegen build{named}")
    config = load(target)
    facts = collect(config, terminal.mask_with(Redactor.for_this_machine()), Progress(quiet=False))
    if facts.entries:
        terminal.say(understood.describe(config, facts.entries))
    for comment in layout.comments:
        terminal.say(f"not sure: {comment}", colour="yellow")
    return 0


# `sitegen scan`: where secrets stand in files.


@click.command(short_help="Find secrets in files: report locations, never values.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(), metavar="PATHS...")
@options.settings_of_scan
@options.no_config
@options.as_json
@options.verbose_faults
@running.exits
def scan(
    paths: tuple[str, ...], config_path: Path | None, no_config: bool, answer: CommandResult | None
) -> int:
    """Look for secrets and personal data in PATHS, and report locations, never values.

    PATHS are files, folders and glob patterns. Every file is read as text, hidden ones too; archives are not opened.
    Builds nothing. Exits with 1 when something is found.
    """

    from sitegen import figures
    from sitegen.cli import settings as settings_file
    from sitegen.cli.command_output import of_scan
    from sitegen.config import Config, load
    from sitegen.inputs.scan import scan_files
    from sitegen.masking.redact import Redactor

    settings_path, note = settings_file.find(config_path, paths, without=no_config)
    settings = load(settings_path) if settings_path else Config()
    redactor = terminal.mask_with(Redactor.for_this_machine(settings.redact))
    terminal.say_settings(settings_path, note)
    scan = scan_files(paths, redactor)
    if answer is not None:
        answer.set(of_scan(scan))
    for place, kind, count in scan.findings:
        terminal.say(f"{line(place)}: {figures.count(count)} \u00d7 {kind}", colour="yellow")
    for remark in scan.remarks:
        terminal.say(remark, err=True, colour="yellow")
    total = sum(count for _, _, count in scan.findings)
    terminal.say(f"{figures.plural(total, 'finding')} in {figures.plural(scan.files, 'file')}")
    return options.EXIT_PROBLEMS if scan.findings else 0


# `sitegen serve`: the site on this machine, built anew whenever something changes.


@click.command(short_help="Serve the site on this machine, and update it on every change.")
@options.port
@options.settings
@options.jobs
@options.cache
@options.steps
@options.verbose(help="Verbose: print full lists.")
@options.quiet
@running.about_runs
def serve(call: Call, port: int | None) -> int:
    """Serve the site of RUNS at an address for your browser, and build it again on every change.

    Runs, settings and the theme are watched. Only this machine can open the site. It is in a temporary folder, which
    is removed when you press Ctrl-C. An open page reloads when it changes, and says why a build failed.
    """

    from sitegen.cli.serve.preview import preview

    return preview(call, port)


# `sitegen pack`: a campaign in one file, of which the same site can be built again.


@click.command(short_help="Put runs, outcomes and settings into one masked file.")
@options.file(metavar="FILE.zip", help="Where the pack goes.")
@options.may_replace
@options.settings
@options.steps
@options.campaign
@options.days
@options.quiet
@options.verbose_faults
@running.about_runs
def pack(call: Call) -> int:
    """Put RUNS, their outcomes and the settings into one file, masked as a site is.

    `sitegen build FILE.zip` makes the same site of it.
    """

    from sitegen.cli import settings as settings_file
    from sitegen.cli.formats import write_runs
    from sitegen.pages.site import Site
    from sitegen.publish.pack import pack

    def packed(facts: Facts, config: Config, redactor: Redactor) -> bytes:
        site = Site.of(config.model_copy(update={"output": "site"}), redactor, is_strict=False)
        return pack(config, facts, redactor, site.settings_digest())

    if call.file.suffix.lower() != ".zip":
        raise ConfigError(f"-o {call.file}: the name of a pack has to end in .zip.")
    chosen = settings_file.of_call(call)
    if chosen.config.campaigns:
        raise ConfigError(
            "A pack holds one campaign: name its runs, as in `sitegen pack runs -o campaign.zip`."
        )
    return write_runs(call, chosen, packed)


# `sitegen export`: the data of the runs in one file, without a site.

FORMATS = (
    "csv",
    "json",
    "markdown",
    "latex",
    "sqlite",
    "parquet",
    "every-eval-ever",
    "latex-macros",
)
_ENDINGS = {f".{form}": form for form in FORMATS[:-2]}
_ENDINGS |= {".md": "markdown", ".tex": "latex", ".db": "sqlite", ".sqlite3": "sqlite"}


@click.command(short_help="Write the data of the runs into one file.")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="Format of the file. Default: from the ending of its name.",
)
@options.file(metavar="FILE", help="Where it goes.")
@click.option(
    "--table",
    metavar="NAME",
    help="A table of the study instead of the runs: csv, markdown or latex.",
)
@click.option(
    "--columns",
    metavar="A,B,C",
    help="Only these columns, in this order: keys of data/runs.csv, or their last part.",
)
@options.may_replace
@options.days
@options.settings
@options.quiet
@options.verbose_faults
@running.about_runs
def export(call: Call, form: str | None, table: str | None, columns: str | None) -> int:
    """Write the data of RUNS into one file: masked as a site is, one row for each run."""

    from sitegen.cli import settings as settings_file
    from sitegen.cli.formats import exported, write_runs

    chosen = form or _ENDINGS.get(call.file.suffix.lower())
    if chosen is None:
        raise ConfigError(
            f"-o {call.file}: this name does not say the format. Add --format: {', '.join(FORMATS)}."
        )
    if columns and (table or chosen in ("latex-macros", "every-eval-ever")):
        raise ConfigError("--columns: only tables of runs have columns to choose.")
    made = partial(exported, chosen, table=table, columns=columns)
    return write_runs(call, settings_file.of_call(call), made)


# `sitegen diff`: the figures in which two sites, or packs, differ.


@click.command(short_help="List the figures that changed between two sites or packs.")
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@options.verbose_faults
@running.exits
def diff(old: Path, new: Path) -> int:
    """List the figures that changed from OLD to NEW, each a site or a pack, with both values.

    Exits with 1 if one changed.
    """
    from sitegen import figures
    from sitegen.masking.redact import Redactor

    redactor = terminal.mask_with(Redactor.for_this_machine())
    before, after = (_figures(path, redactor) for path in (old, new))
    names = dict.fromkeys((*before, *after))
    # To twelve digits: the sum of floats depends on their order.
    pairs = {key: {_written(before.get(key), 12), _written(after.get(key), 12)} for key in names}
    changed = [key for key, pair in pairs.items() if len(pair) > 1 and pair != {"none", "unknown"}]
    for group, name in changed:
        pair = before.get((group, name)), after.get((group, name))
        values = [_written(figure, 6) for figure in pair]
        if values[0] == values[1]:
            values = [_written(figure, 12) for figure in pair]
        terminal.say(f"{line(group)}: {line(name)} {line(' -> '.join(values))}")
    terminal.say(f"{len(changed)} of {figures.plural(len(names), 'figure')} changed")
    return options.EXIT_PROBLEMS if changed else 0


def _figures(path: Path, redactor: Redactor) -> dict[tuple[str, str], tuple[Any, ...]]:
    """Return the figures of a site, or those that one of this pack would have. Raises: ConfigError."""
    from sitegen.cli.settings import choose
    from sitegen.collect import collect
    from sitegen.inputs.campaigns import packs, past
    from sitegen.pages.data import figures_json
    from sitegen.pages.overall import compared

    if not packs.is_pack(path):
        file = path / past.FIGURES if path.is_dir() else path
        if path.is_dir() and not file.is_file():
            raise ConfigError(f"{path}: this is not a site or a pack of sitegen.")
        return past.figures_in(past.content(file), file, redactor)
    config = choose(None, (str(path),), None, without=True).config
    facts = collect(config, redactor, Progress(quiet=True))
    if damaged := [fault for fault in facts.problems if fault.path.startswith(path.name)]:
        raise ConfigError(f"{damaged[0].path}: {damaged[0].reason}")
    content = figures_json(facts.entries, compared(config, facts.entries), config.intervals)
    return past.figures_in(content, path, redactor)


def _written(figure: tuple[Any, ...] | None, digits: int) -> str:
    """Return a figure with its interval, as numbers alone."""
    if figure is None:
        return "none"
    bound, unit, *numbers = figure
    if numbers == [None] * 3:
        return "unknown"
    value, *ends = ["unknown" if number is None else f"{number:.{digits}g}" for number in numbers]
    return f"{value}{'+' * (bound == 'lower')} {unit or ''} ({' to '.join(ends)})".replace(
        " (unknown to unknown)", ""
    )


# What describes sitegen itself: `sitegen readers` and `sitegen schema`.


@click.command(short_help="List the readers of files, built in and installed.")
@running.exits
def readers() -> int:
    """List the readers of files, built in and installed, in the order in which they are tried."""

    from sitegen.readers import BUILT_IN, installed_from

    for reader in BUILT_IN:
        title = getattr(reader, "title", "Claude Code")
        terminal.say(f"{reader.name:<18} {title}")
    for name, place, distribution in installed_from():
        terminal.say(f"{line(name):<18} {line(place)}, installed with {line(distribution)}")
    terminal.say("docs/contributing/readers.md explains how to write one.")
    return 0


@click.command()
@running.exits
def schema() -> int:
    """Print the JSON Schema of the settings, for editors."""

    import json

    from sitegen.config import schema

    terminal.write(json.dumps(schema(), indent=2))
    return 0


# `sitegen judge`: how to say which runs passed.

_HOW_TO_JUDGE = """\
Two ways to say which runs passed:

1. By hand, on the pages: sitegen serve RUNS, then "Judge" above the table of runs. Save the file
   that the page offers, and name it in the settings: outcomes: [verdicts.csv]
2. In a table of your own, one row per attempt, named in the settings: outcomes: [outcomes.csv]

     task,model,attempt,outcome
     fix-login,opus,1,pass

docs/outcomes.md explains the columns."""


@click.command(short_help="Explain how to say which runs passed.")
@running.exits
def judge() -> int:
    """Explain how to say which runs passed: on the pages of a site, or in a table."""

    terminal.say(_HOW_TO_JUDGE)
    return 0


class _Commands(click.Group):
    def main(self, *arguments: Any, **options: Any) -> NoReturn:
        """Run a command line and exit; an error of usage is one line."""
        try:
            sys.exit(super().main(*arguments, **{**options, "standalone_mode": False}))
        except click.ClickException as error:
            context = getattr(error, "ctx", None)
            command = context.command_path if context else "sitegen"
            message = error.format_message().rstrip(".")
            fault = f"sitegen: {message} (`{command} --help` lists what there is)"
            sys.exit(terminal.fail(fault, error.exit_code))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Return the same; the call ends where a shell may have made an option of the name of a file, as for `*`."""
        for argument in args[: 0 if ctx.resilient_parsing else [*args, "--"].index("--")]:
            if argument.startswith("-") and argument != "-" and os.path.lexists(argument):
                fault = f"sitegen: {line(argument)} is a file here and looks like an option: write ./{line(argument)}."
                ctx.exit(terminal.fail(fault, options.EXIT_USAGE))
        return super().parse_args(ctx, args)


@click.group(
    cls=_Commands,
    epilog=options.EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, message="sitegen %(version)s")
def cli() -> None:
    """Turn a folder of coding-agent result files into a static report site.

    Look at one with `sitegen serve RUNS`, write it with `sitegen build RUNS -o site`.
    """


for command in (
    build,
    serve,
    pack,
    export,
    diff,
    check,
    readers,
    scan,
    init,
    skill,
    judge,
    schema,
):
    cli.add_command(command)
