"""The commands. The only module that prints, knows the terminal and exits; everything below returns values.

The heavy modules are imported inside the commands, so that `--help` answers at once.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from sitegen import __version__, converter, interrupts
from sitegen.errors import ConfigError, PublishError, RefusedOutput
from sitegen.places import CACHE_VARIABLE, cache_folder
from sitegen.unchanged import Watch, printable

if TYPE_CHECKING:
    from sitegen.build import Built
    from sitegen.config import Config
    from sitegen.gates import GateResult
    from sitegen.model import Entry, Masked, Problem
    from sitegen.redact import Redactor
    from sitegen.survey import Survey

T = TypeVar("T")

CONFIG_NAME = "config.yaml"

EXIT_PROBLEMS, EXIT_USAGE, EXIT_GATE, EXIT_NOT_PUBLISHED, EXIT_INTERRUPTED = 1, 2, 3, 4, 130

SHOWN = 20
"""Lines of one kind that are printed without -v; the problems page has them all."""

GC_THRESHOLDS = (50_000, 50, 100)
"""Texts make few cycles and many objects; by the usual thresholds a tenth of a build is spent looking for cycles."""

EXIT_CODES = """\b
Exit codes of build:
  0    the site is written; problems, if any, are listed
  1    the site is written; --strict and a problem or a masked value, or the summary could not be written
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
_config = _settings_file(
    help=f"Settings. Without RUNS the default is ./{CONFIG_NAME}; with RUNS none are read unless named here."
)
_config_of_site = _settings_file(help=f"Settings that name the site. Default: ./{CONFIG_NAME}, unless -o is given.")
_folder = partial(click.option, "-o", "--output", type=click.Path(), metavar="FOLDER")
_output = _folder(help="Where the site goes. Default: site.")
_site = _folder(help="Where the site is. Default: site.")
_not_read = _folder(help="Where the site would go, which is not read. Default: site.")
_summary = click.option(
    "--summary", "summary_path", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Also write the figures as a short Markdown text, for the summary of a CI step.",
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
    summary_path: Path | None,
    jobs: int | None,
    cache_dir: str | None,
    no_cache: bool,
    strict: bool,
    verbose: bool,
    quiet: bool,
) -> None:
    """Build the site from RUNS: files, folders and glob patterns.

    RUNS replace the inputs of the settings.
    """

    def command() -> int:
        global _is_published
        converter.start()  # it takes as long as the modules below
        from sitegen.build import build
        from sitegen.redact import Redactor
        from sitegen.workers import Workers, cores

        _said.clear()
        config = _settings(runs, output, config_path)
        cache = None if no_cache else cache_dir or cache_folder()
        watch = None if cache is None else _watch(config, config_path, runs, cache)
        redactor = _use(Redactor.for_this_machine(config.redact))
        gc.freeze()  # what is loaded stays
        gc.set_threshold(*GC_THRESHOLDS)
        workers = Workers(jobs or cores())
        built = build(
            config, redactor, _progress(quiet), _say_waiting, workers=workers, strict=strict,
            cache=None if cache is None else Path(cache),
        )  # fmt: skip
        _is_published = True
        if not quiet:
            _report(built, config, verbose)
        found = len(built.survey.problems) + len(built.warnings) + len(built.survey.masked)
        code = _strictly(found) if strict else 0
        if summary_path is not None:
            code = _write_summary(summary_path, built, config) or code
        code = _held(built.gates) or code
        if watch and summary_path is None and built.can_be_repeated:
            watch.remember(_said, code, quiet=quiet)
        return code

    _run(command, verbose)


@cli.command(epilog=EXIT_CODES_OF_CHECK)
@_runs
@_not_read
@_config
@_strict
@_verbose_lists
@_quiet
def check(
    runs: tuple[str, ...], output: str | None, config_path: Path | None, strict: bool, verbose: bool, quiet: bool
) -> None:
    """Say what a build would read, ignore, skip and warn about. Writes nothing."""

    def command() -> int:
        from sitegen.build import look
        from sitegen.redact import Redactor

        config = _settings(runs, output, config_path)
        survey = look(config, _use(Redactor.for_this_machine(config.redact)), _progress(quiet))
        if not quiet:
            _list_survey(survey, verbose)
        if not survey.entries:
            return _fail("sitegen: no readable run: a build would publish nothing", EXIT_NOT_PUBLISHED)
        return _strictly(len(survey.problems) + len(survey.remarks) + len(survey.masked)) if strict else 0

    _run(command, verbose)


@cli.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATHS...")
@_settings_file(help="Settings whose `redact` counts.")
@_verbose_faults
def scan(paths: tuple[Path, ...], config_path: Path | None, verbose: bool) -> None:
    """Look for secrets and personal data in PATHS, files and folders, and say where, never what.

    Reads every file as text; builds nothing. Exits with 1 when there is a find.
    """

    def command() -> int:
        from sitegen import figures
        from sitegen.config import Config, load
        from sitegen.redact import Redactor, scan_files

        settings = load(config_path) if config_path else Config()
        found, files = scan_files(paths, _use(Redactor.for_this_machine(settings.redact)))
        for place, kind, count in found:
            _say(f"{_line(place)}: {figures.count(count)} \u00d7 {kind}", colour="yellow")
        total = sum(count for _, _, count in found)
        _say(f"{figures.plural(files, 'file')}, {figures.plural(total, 'find')}")
        return EXIT_PROBLEMS if found else 0

    _run(command, verbose)


@cli.command()
@click.argument("folder", default=".", type=click.Path(path_type=Path))
def init(folder: Path) -> None:
    """Write a commented config.yaml into FOLDER, or here."""

    def command() -> int:
        from sitegen.theme import folder as templates

        target = folder / CONFIG_NAME
        text = (templates() / "init.yaml").read_text(encoding="utf-8")
        try:
            with target.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except FileExistsError:
            raise ConfigError(f"{target} exists already; nothing was written.") from None
        except OSError as error:
            raise ConfigError(f"{target} cannot be written: {error.strerror}.") from None
        _say(f"{target} is written. Name your runs in it, then run: sitegen build")
        return 0

    _run(command, verbose=False)


@cli.command()
@_site
@_config_of_site
def clean(output: str | None, config_path: Path | None) -> None:
    """Take away the site and what crashed builds left, and nothing that sitegen did not write."""

    def command() -> int:
        from sitegen import figures
        from sitegen.publish import clean

        target, inputs = _target(output, config_path)
        removed, kept = clean(target, inputs=inputs, on_wait=_say_waiting)
        _say(f"{figures.plural(removed, 'file')} of ours removed from {target}")
        for path in kept:
            _say(f"kept: {path}")
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
        from sitegen.publish import recover

        target, inputs = _target(output, config_path)
        found = recover(target, to, inputs=inputs, on_wait=_say_waiting)
        for path in found.left:
            _say(f"left beside {target}: {path}")
        if found.unproven:
            files = figures.plural(found.unproven, "file or folder", "files and folders")
            _say(f"the manifest of {target} is damaged: nobody knows which of its {files} are ours")
        if not found.left and not found.unproven:
            _say(f"{target} needs no care")
        elif found.moved_to:
            _say(f"moved to {found.moved_to}; look through it, then build again")
        else:
            return _fail("look at these; `sitegen recover --to FOLDER` moves them out of the way", EXIT_PROBLEMS)
        return 0

    _run(command, verbose=False)


@cli.command()
def schema() -> None:
    """Print the JSON Schema of the settings, for editors."""

    def command() -> int:
        import json

        from sitegen.config import schema

        click.echo(json.dumps(schema(), indent=2))
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
        click.echo(made(cli, {}, "sitegen", "_SITEGEN_COMPLETE").source())
        return 0

    _run(command, verbose=False)


def _target(output: str | None, config_path: Path | None) -> tuple[Path, list[Path]]:
    """The output and the inputs that the settings name; with an output and no settings, no input."""
    from sitegen.config import Config, load

    if config_path is None and (output is not None or not Path(CONFIG_NAME).exists()):
        config = Config()
    else:
        config = load(config_path or Path(CONFIG_NAME))
    return Path(output or config.output), [Path(given.path) for given in config.inputs]


def _say_waiting(message: str) -> None:
    _say(message, err=True)
    _said.pop()  # true of this moment only


def _settings(runs: tuple[str, ...], output: str | None, config_path: Path | None) -> Config:
    """The settings of this call: RUNS alone read no file."""
    from sitegen.config import Config, Input, load

    if config_path is None and runs:
        config = Config()
    else:
        if config_path is None and not Path(CONFIG_NAME).exists():
            raise ConfigError(
                f"Name the runs (sitegen build RUNS... -o site), or write a {CONFIG_NAME} here: sitegen init does."
            )
        needed = {"outcomes", "static", "theme"} | (set() if runs else {"inputs"})
        config = load(config_path or Path(CONFIG_NAME), needed=needed)
    if runs:
        config = config.model_copy(update={"inputs": tuple(Input(path=given, pattern=None) for given in runs)})
    if output is not None:
        config = config.model_copy(update={"output": output})
    return config


def _watch(config: Config, config_path: Path | None, runs: tuple[str, ...], cache: str) -> Watch | None:
    """What will know whether anything has changed since this build; None where that cannot be looked at."""
    from sitegen import readers

    paths = [(given.path, "runs") for given in config.inputs] + [(given.path, "alone") for given in config.outcomes]
    paths += [(folder, "all") for folder in (config.static, config.theme) if folder is not None]
    if config_path is not None or not runs:
        paths.append((str(config_path or CONFIG_NAME), "alone"))
    paths += [(str(place), "runs" if place.is_dir() else "alone") for place in readers.places()]
    try:
        return Watch(sys.argv[1:], paths, config.output, cache)
    except OSError:  # the build says it better
        return None


def _run(command: Callable[[], int], verbose: bool) -> None:
    """Run a command and exit as `--help` says."""
    try:
        code = command()
    except ConfigError as error:  # begins with its place, so that editors can jump to it
        code = _fail(str(error), EXIT_USAGE)
    except RefusedOutput as error:
        code = _fail(f"sitegen: {error}", EXIT_USAGE)
    except PublishError as error:
        code = _fail(f"sitegen: {error}", EXIT_NOT_PUBLISHED)
    except KeyboardInterrupt:
        code = _fail("Interrupted.", EXIT_INTERRUPTED)
    except BrokenPipeError:  # whoever read our output has gone; what there was to do is done
        sys.stdout = None  # or Python complains when it exits
        code = 0
    except Exception as error:
        if interrupts.received:  # a library has made another error of it
            sys.exit(_fail("Interrupted.", EXIT_INTERRUPTED))
        if verbose:
            raise
        code, state = EXIT_NOT_PUBLISHED, "Nothing was published"
        if _is_published:
            code, state = EXIT_PROBLEMS, "The site is written"
        fault = f"sitegen: a fault of sitegen itself: {type(error).__name__}: {error}."
        _fail(f"{fault} {state}; -v shows where, please report it.", code)
    sys.exit(code)


def _strictly(problems: int) -> int:
    """The exit code under --strict."""
    if not problems:
        return 0
    from sitegen import figures

    return _fail(f"{figures.plural(problems, 'problem')}, and --strict was given", EXIT_PROBLEMS)


def _held(gates: Sequence[GateResult]) -> int:
    """The exit code that the gates ask for, each that has not passed being named."""
    missed = [gate for gate in gates if not gate.passed]
    for gate in missed:
        _fail(f"gate {gate.verdict.value}: {gate.label}, {gate.limit}. {gate.why}", EXIT_GATE)
    return EXIT_GATE if missed else 0


def _write_summary(path: Path, built: Built, config: Config) -> int:
    """Write the short report; the exit code is not 0 when that cannot be done."""
    from sitegen.redact import number_masks
    from sitegen.step_summary import markdown_summary
    from sitegen.success import success
    from sitegen.summary_view import summary_figures

    entries = built.survey.entries
    totals = summary_figures(built.summary, success(entries))
    text = markdown_summary(
        config.title, totals, built.gates, entries, len(built.survey.problems), site_url=config.site_url
    )
    text = number_masks(text)
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        return _fail(f"sitegen: the site is written, but {path} cannot be: {error.strerror}", EXIT_PROBLEMS)
    return 0


def _fail(message: str, code: int) -> int:
    _say(message, err=True, colour="red")
    return code


_redactor: Redactor | None = None
"""That of the settings, once they are read: messages are masked as pages are."""


def _use(redactor: Redactor) -> Redactor:
    global _redactor
    _redactor = redactor
    return redactor


_is_published = False
"""Whether this call has written the site: what fails then, fails afterwards."""

_said: list[tuple[bool, str]] = []
"""All that was said, each line with whether it went to standard error."""


def _say(message: str, *, err: bool = False, colour: str | None = None) -> None:
    """Print lines that cannot steer the terminal and show no secret, in colour unless NO_COLOR asks for none."""
    from sitegen.redact import Redactor, number_masks

    text = number_masks((_redactor or Redactor.for_this_machine())(message))
    _said.append((err, text))
    stream = sys.stderr if err else sys.stdout
    text = printable(text, stream.encoding if stream else None)  # there is none when it is closed
    click.secho(text, err=err, fg=colour, color=False if os.environ.get("NO_COLOR") else None)


class _Progress:
    """A bar on a terminal, with the rate and the time left; nothing elsewhere."""

    def __init__(self, shown: bool) -> None:
        self._shown = shown

    def __call__(self, doing: str, items: Sequence[T]) -> Iterable[T]:
        if not self._shown or len(items) < 2:
            yield from items
            return
        began = time.monotonic()

        def rate(_: T | None) -> str:
            return f"{bar.pos / (time.monotonic() - began):,.0f}/s"

        bar = click.progressbar(items, label=f"{doing:<9}", file=sys.stderr, show_pos=True, item_show_func=rate)
        with bar:
            yield from bar


def _progress(quiet: bool) -> _Progress:
    return _Progress(not quiet and bool(sys.stderr) and sys.stderr.isatty())  # there is none when it is closed


def _report(built: Built, config: Config, verbose: bool) -> None:
    from sitegen import figures
    from sitegen.summary_view import bounded

    survey, published, cost = built.survey, built.published, built.summary.cost
    for warning in built.warnings:
        _say(warning, err=True, colour="yellow")
    _list(survey.problems, _say_problem, "problems", verbose, err=True)
    _say_masked(survey.masked)
    total = f", {bounded(cost, figures.money)}" if cost.known else ""
    _say(f"{figures.plural(len(survey.entries), 'run')}{total}; {_rest(survey)}")
    _list(published.carried, lambda path: _say(f"kept: {path}"), "files kept", verbose)
    for path in published.left:
        _say(f"left beside the output: {path}", err=True, colour="yellow")
    how = f" ({published.mode})" if verbose else ""
    _say(f"{figures.plural(published.files, 'file')}, {published.size / 1e6:.1f} MB, in {config.output}{how}")
    # Not through _say: a shortened home folder would break the address, which is percent-encoded ASCII anyway.
    address = (Path(config.output).resolve() / "index.html").as_uri()
    _said.append((False, address))
    click.echo(address)


def _list_survey(survey: Survey, verbose: bool) -> None:
    from sitegen import figures

    def say_run(entry: Entry) -> None:
        status, cost = entry.run.status.value, figures.money(entry.run.cost_usd)
        _say(f"run      {_line(entry.source.path)}  {status}, {cost}")

    _list(survey.entries, say_run, "runs", verbose)
    _list(survey.problems, _say_problem, "problems", verbose, err=True)
    _list(survey.ignored, lambda path: _say(f"ignored  {_line(path)}"), "ignored", verbose)
    for remark in survey.remarks:
        _say(remark, err=True, colour="yellow")
    _say_masked(survey.masked)
    _say(f"{figures.plural(len(survey.entries), 'run')}; {_rest(survey)}")


def _say_masked(masked: Sequence[Masked]) -> None:
    """How many values of each kind are masked."""
    from collections import Counter

    counts: Counter[str] = Counter()
    for each in masked:
        counts[each.kind] += each.count
    if counts:
        kinds = ", ".join(f"{count:,} \u00d7 {kind}" for kind, count in sorted(counts.items()))
        _say(f"masked: {kinds}; the problems page says where")


def _list(items: Sequence[T], say: Callable[[T], None], what: str, verbose: bool, *, err: bool = False) -> None:
    """Say each item, or the first SHOWN unless `verbose`."""
    shown = items if verbose else items[:SHOWN]
    for item in shown:
        say(item)
    if len(items) > len(shown):
        _say(f"... and {len(items) - len(shown):,} more {what}; -v lists them all", err=err)


def _rest(survey: Survey) -> str:
    from sitegen import figures

    return f"{figures.plural(len(survey.problems), 'problem')}, {figures.count(len(survey.ignored))} ignored"


def _say_problem(problem: Problem) -> None:
    word = {"skip": "skip", "merge": "merge"}.get(problem.verdict.value, "warn")
    where = f", {problem.place}" if problem.place else ""
    text = f"{word:<8} {_line(problem.path)}{where}: {_line(problem.reason)} [{problem.code}]"
    _say(text, err=True, colour="yellow")


def _line(text: str) -> str:
    """Text of a stranger on one line."""
    from sitegen.redact import terminal

    return terminal(text)
