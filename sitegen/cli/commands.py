"""The commands. The only module that exits; `terminal` prints, everything below returns values.

The heavy modules are imported inside the commands, so that `--help` answers at once.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sitegen import __version__, interrupts
from sitegen.cache.unchanged import Watch
from sitegen.charts import converter
from sitegen.cli.terminal import (
    Progress,
    fail,
    gates_missed,
    line,
    list_survey,
    lost,
    mask_with,
    report,
    said,
    say,
    say_settings,
    say_waiting,
    write,
)
from sitegen.errors import ConfigError, PublishError, RefusedOutput
from sitegen.places import CACHE_VARIABLE, cache_folder
from sitegen.system_limits import shortage

if TYPE_CHECKING:
    from sitegen.build import Built
    from sitegen.config import Config

CONFIG_NAME = "config.yaml"

EXIT_PROBLEMS, EXIT_USAGE, EXIT_GATE, EXIT_NOT_PUBLISHED, EXIT_INTERRUPTED = 1, 2, 3, 4, 130

GC_THRESHOLDS = (50_000, 50, 100)
"""Texts make few cycles and many objects; by the usual thresholds a tenth of a build is spent looking for cycles."""

EXIT_CODES = """\b
Exit codes of build:
  0    the site is written; problems, if any, are listed
  1    the site is written; --strict and a problem or a masked value, or the summary or the output failed
  2    usage, settings or a refused output; nothing is written
  3    the site is written, and a gate of the settings has not passed
  4    nothing is published and the old site is as it was
  130  interrupted, by Ctrl-C or SIGTERM
"""

EXIT_CODES_OF_CHECK = """\b
Exit codes of check:
  0    there are runs for a build; problems, if any, are listed
  1    --strict and a problem or a masked value
  2    usage or settings
  4    no readable run: a build would publish nothing
  130  interrupted, by Ctrl-C or SIGTERM
"""


@click.group(epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="sitegen %(version)s")
def cli() -> None:
    """Turn a folder of coding-agent result files into a static report site."""


_runs = click.argument("runs", nargs=-1, type=click.Path(), metavar="[RUNS]...")
_settings_file = partial(
    click.option, "-c", "--config", "config_path", type=click.Path(path_type=Path), metavar="FILE"
)  # fmt: skip
_config = _settings_file(help=f"Settings. Default: ./{CONFIG_NAME}; name it where it lies in RUNS.")
_no_config = click.option("--no-config", is_flag=True, help=f"Read no settings, not ./{CONFIG_NAME} either.")
_config_of_site = _settings_file(help=f"Settings that name the site. Default: ./{CONFIG_NAME}, unless -o is given.")
_folder = partial(click.option, "-o", "--output", type=click.Path(), metavar="FOLDER")
_output = _folder(help="Where the site goes. Default: site.")
_site = _folder(help="Where the site is. Default: site.")
_not_read = _folder(help="Where the site would go, which is not read. Default: site.")
_summary = click.option(
    "--summary", "summary_path", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Also append the figures to this file as a short Markdown text, for the summary of a CI step.",
)  # fmt: skip
_jobs = click.option(
    "-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="Processes that work. Default: one for each core."
)
_cache_dir = click.option(
    "--cache-dir", type=click.Path(file_okay=False), envvar=CACHE_VARIABLE, metavar="FOLDER",
    help="Where is kept what spares the next build work. Default: a folder of your system's cache.",
)  # fmt: skip
_no_cache = click.option("--no-cache", is_flag=True, help="Make all anew, and keep nothing but the scripts of Vega.")
_strict = click.option("--strict", is_flag=True, help="Exit with 1 when there was a problem, or a value was masked.")
_more = partial(click.option, "-v", "--verbose", is_flag=True)
_verbose = _more(help="Say more: whole lists, and how the site was published.")
_verbose_lists = _more(help="Say more: whole lists.")
_verbose_faults = _more(help="Say more: where a fault of sitegen itself is.")
_quiet = click.option("-q", "--quiet", is_flag=True, help="Print errors only.")


@cli.command(epilog=EXIT_CODES)
@_runs
@_output
@_config
@_no_config
@_summary
@_jobs
@_cache_dir
@_no_cache
@_strict
@_verbose
@_quiet
def build(
    runs: tuple[str, ...],
    output: str | None,
    config_path: Path | None,
    no_config: bool,
    summary_path: Path | None,
    jobs: int | None,
    cache_dir: str | None,
    no_cache: bool,
    strict: bool,
    verbose: bool,
    quiet: bool,
) -> None:
    """Build the site from RUNS: files, folders and glob patterns.

    RUNS replace the inputs of the settings, and nothing else of them.
    """

    def command() -> int:
        global _is_published
        converter.start()  # it takes as long as the modules below
        from sitegen.build import build
        from sitegen.cli import settings as settings_file
        from sitegen.masking.redact import Redactor
        from sitegen.workers import Workers, cores

        said.clear()
        settings_path = settings_file.find(config_path, runs, without=no_config)
        config = settings_file.settings(settings_path, runs, output)
        cache = None if no_cache else cache_dir or cache_folder()
        watch = (
            None if cache is None else _watch(config, None if no_config else config_path or Path(CONFIG_NAME), cache)
        )
        redactor = mask_with(Redactor.for_this_machine(config.redact))
        if not quiet:
            say_settings(settings_path)
        gc.freeze()  # what is loaded stays
        gc.set_threshold(*GC_THRESHOLDS)
        workers = Workers(jobs or cores())
        built = build(
            config, redactor, Progress(quiet=quiet), say_waiting, workers=workers, strict=strict,
            cache=None if cache is None else Path(cache),
        )  # fmt: skip
        _is_published = True
        if not quiet:
            report(built, config, verbose=verbose)
        found = len(built.survey.problems) + len(built.warnings) + len(built.survey.masked)
        code = _strictly(found) if strict else 0
        if summary_path is not None:
            code = _write_summary(summary_path, built, config) or code
        code = gates_missed(built.gates, EXIT_GATE) or code
        if watch and summary_path is None and built.can_be_repeated:
            watch.remember(said, code, quiet=quiet)
        return code

    _run(command, verbose)


@cli.command(epilog=EXIT_CODES_OF_CHECK)
@_runs
@_not_read
@_config
@_no_config
@_strict
@_verbose_lists
@_quiet
def check(
    runs: tuple[str, ...],
    output: str | None,
    config_path: Path | None,
    no_config: bool,
    strict: bool,
    verbose: bool,
    quiet: bool,
) -> None:
    """Say what a build would read, ignore, skip and warn about. Writes nothing."""

    def command() -> int:
        from sitegen.build import look
        from sitegen.cli import settings as settings_file
        from sitegen.masking.redact import Redactor

        settings_path = settings_file.find(config_path, runs, without=no_config)
        config = settings_file.settings(settings_path, runs, output)
        redactor = mask_with(Redactor.for_this_machine(config.redact))
        if not quiet:
            say_settings(settings_path)
        survey = look(config, redactor, Progress(quiet=quiet))
        if not quiet:
            list_survey(survey, verbose=verbose)
        if not survey.entries:
            return fail("sitegen: no readable run: a build would publish nothing", EXIT_NOT_PUBLISHED)
        return _strictly(len(survey.problems) + len(survey.remarks) + len(survey.masked)) if strict else 0

    _run(command, verbose)


@cli.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATHS...")
@_settings_file(
    help=f"Settings whose `redact` counts. Default: ./{CONFIG_NAME}, unless it lies in PATHS: then name it."
)
@_no_config
@_verbose_faults
def scan(paths: tuple[Path, ...], config_path: Path | None, no_config: bool, verbose: bool) -> None:
    """Look for secrets and personal data in PATHS, files and folders, and say where, never what.

    Reads every file as text; builds nothing. Exits with 1 when there is a find.
    """

    def command() -> int:
        from sitegen import figures
        from sitegen.cli import settings as settings_file
        from sitegen.config import Config, load
        from sitegen.masking.redact import Redactor, scan_files

        settings_path = settings_file.find(config_path, [*map(str, paths)], without=no_config)
        settings = load(settings_path) if settings_path else Config()
        redactor = mask_with(Redactor.for_this_machine(settings.redact))
        say_settings(settings_path)
        found, files = scan_files(paths, redactor)
        for place, kind, count in found:
            say(f"{line(place)}: {figures.count(count)} \u00d7 {kind}", colour="yellow")
        total = sum(count for _, _, count in found)
        say(f"{figures.plural(files, 'file')}, {figures.plural(total, 'find')}")
        return EXIT_PROBLEMS if found else 0

    _run(command, verbose)


@cli.command()
@click.argument("folder", default=".", type=click.Path(path_type=Path))
def init(folder: Path) -> None:
    """Write a commented config.yaml into FOLDER, or here."""

    def command() -> int:
        from sitegen.html.theme import folder as templates

        target = folder / CONFIG_NAME
        text = (templates() / "init.yaml").read_text(encoding="utf-8")
        try:
            with target.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except FileExistsError:
            raise ConfigError(f"{target} exists already; nothing was written.") from None
        except OSError as error:
            raise ConfigError(f"{target} cannot be written: {error.strerror}.") from None
        say(f"{target} is written. Name your runs in it, then run: sitegen build")
        return 0

    _run(command, verbose=False)


@cli.command()
@_site
@_config_of_site
def clean(output: str | None, config_path: Path | None) -> None:
    """Take away the site and what crashed builds left, and nothing that sitegen did not write."""

    def command() -> int:
        from sitegen import figures
        from sitegen.cli.settings import target
        from sitegen.publish import clean

        folder, inputs = target(output, config_path)
        removed, kept = clean(folder, inputs=inputs, on_wait=say_waiting)
        say(f"{figures.plural(removed, 'file')} of ours removed from {folder}")
        for path in kept:
            say(f"kept: {path}")
        return 0

    _run(command, verbose=False)


@cli.command()
@_site
@_config_of_site
@click.option(
    "--to", "to", type=click.Path(path_type=Path), metavar="FOLDER",
    help="Move what nobody can prove to be ours into this new folder.",
)  # fmt: skip
def recover(output: str | None, config_path: Path | None, to: Path | None) -> None:
    """Finish what a crashed build began, and show what only you can decide about.

    Nothing is deleted. Exits with 1 while something waits for your decision.
    """

    def command() -> int:
        from sitegen import figures
        from sitegen.cli.settings import target
        from sitegen.publish import recover

        folder, inputs = target(output, config_path)
        found = recover(folder, to, inputs=inputs, on_wait=say_waiting)
        for path in found.left:
            say(f"left beside {folder}: {path}")
        if found.unproven:
            files = figures.plural(found.unproven, "file or folder", "files and folders")
            say(f"the manifest of {folder} is damaged: nobody knows which of its {files} are ours")
        if not found.left and not found.unproven:
            say(f"{folder} needs no care")
        elif found.moved_to:
            say(f"moved to {found.moved_to}; look through it, then build again")
        else:
            return fail("look at these; `sitegen recover --to FOLDER` moves them out of the way", EXIT_PROBLEMS)
        return 0

    _run(command, verbose=False)


@cli.command()
def schema() -> None:
    """Print the JSON Schema of the settings, for editors."""

    def command() -> int:
        import json

        from sitegen.config import schema

        write(json.dumps(schema(), indent=2))
        return 0

    _run(command, verbose=False)


@cli.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script that completes commands, options and files in SHELL."""

    def command() -> int:
        from click.shell_completion import get_completion_class

        made = get_completion_class(shell)
        assert made is not None  # noqa: S101  click has all three
        write(made(cli, {}, "sitegen", "_SITEGEN_COMPLETE").source())
        return 0

    _run(command, verbose=False)


def _watch(config: Config, settings_path: Path | None, cache: str) -> Watch | None:
    """What will know whether anything has changed since this build; None where that cannot be looked at.

    `settings_path` may lead to nothing: settings that appear there later are a change.
    """
    from sitegen import readers

    paths = [(given.path, "runs") for given in config.inputs] + [(given.path, "alone") for given in config.outcomes]
    paths += [(folder, "all") for folder in (config.static, config.theme) if folder is not None]
    if settings_path is not None:
        paths.append((str(settings_path), "alone"))
    paths += [(str(place), "runs" if place.is_dir() else "alone") for place in readers.places()]
    try:
        return Watch(sys.argv[1:], paths, config.output, cache)
    except OSError:  # the build says it better
        return None


NOTHING = "Nothing was published, and an old site is as it was"

_is_published = False
"""Whether this call has written the site: what fails then, fails afterwards."""


def _run(command: Callable[[], int], verbose: bool) -> None:
    """Run a command and exit as `--help` says."""
    try:
        code = command()
    except ConfigError as error:  # begins with its place, so that editors can jump to it
        code = fail(str(error), EXIT_USAGE)
    except RefusedOutput as error:
        code = fail(f"sitegen: {error}", EXIT_USAGE)
    except PublishError as error:
        code = fail(f"sitegen: {error}", EXIT_NOT_PUBLISHED)
    except KeyboardInterrupt:
        code = fail("Interrupted.", EXIT_INTERRUPTED)
    except Exception as error:
        if interrupts.received:  # a library has made another error of it
            sys.exit(fail("Interrupted.", EXIT_INTERRUPTED))
        if verbose:
            raise
        code, state = (EXIT_PROBLEMS, "The site is written") if _is_published else (EXIT_NOT_PUBLISHED, NOTHING)
        if short := shortage(error):
            fail(f"sitegen: {short}. {state}.", code)
        else:
            fault = f"sitegen: a fault of sitegen itself: {type(error).__name__}: {error}."
            fail(f"{fault} {state}; -v shows where, please report it.", code)
    if reason := lost():
        state = "the site is written, but not what is said of it" if _is_published else "not all could be said"
        code = fail(f"sitegen: {state}: {reason}", code or EXIT_PROBLEMS)
    sys.exit(code)


def _strictly(problems: int) -> int:
    """The exit code under --strict."""
    if not problems:
        return 0
    from sitegen import figures

    return fail(f"{figures.plural(problems, 'problem')}, and --strict was given", EXIT_PROBLEMS)


def _write_summary(path: Path, built: Built, config: Config) -> int:
    """Append the short report; the exit code is not 0 when that cannot be done. A file that CI shows as the summary
    of a step is one for all steps, and may hold what others have written."""
    from sitegen.masking.redact import number_masks
    from sitegen.numbers.success import success
    from sitegen.pages.masked import masked_view
    from sitegen.pages.step_summary import markdown_summary
    from sitegen.pages.summary import summary_figures

    entries = built.survey.entries
    totals = summary_figures(built.summary, success(entries))
    text = markdown_summary(
        config.title,
        totals,
        built.gates,
        entries,
        len(built.survey.problems),
        site_url=config.site_url,
        masked=masked_view(built.survey.masked),
    )
    text = number_masks(text)
    try:
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(("\n\n" if os.fstat(file.fileno()).st_size else "") + text)
    except OSError as error:
        return fail(f"sitegen: the site is written, but {path} cannot be: {error.strerror}", EXIT_PROBLEMS)
    return 0
