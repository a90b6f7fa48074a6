"""The commands. The only module that prints, knows the terminal and exits; everything below returns values.

The heavy modules are imported inside the commands, so that `--help` answers at once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from sitegen import __version__
from sitegen.errors import ConfigError, PublishError, RefusedOutput

if TYPE_CHECKING:
    from sitegen.build import Built
    from sitegen.config import Config
    from sitegen.survey import Survey

T = TypeVar("T")

CONFIG_NAME = "config.yaml"

EXIT_PROBLEMS, EXIT_USAGE, EXIT_NOT_PUBLISHED, EXIT_INTERRUPTED = 1, 2, 4, 130

SHOWN_PROBLEMS = 20
"""Lines about problems that a build prints; the problems page has them all."""

EXIT_CODES = """\b
Exit codes:
  0    the site is written; problems, if any, are listed
  1    the site is written, and --strict was given and there was a problem
  2    usage, settings or a refused output; nothing is written
  4    nothing is published and the old site is as it was
  130  interrupted
"""


@click.group(epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="sitegen %(version)s")
def cli() -> None:
    """Turn a folder of coding-agent result files into a static report site."""


_runs = click.argument("runs", nargs=-1, type=click.Path(), metavar="[RUNS]...")
_config = click.option(
    "-c", "--config", "config_path", type=click.Path(path_type=Path), metavar="FILE",
    help=f"Settings. Without RUNS the default is ./{CONFIG_NAME}; with RUNS none are read unless named here.",
)  # fmt: skip
_output = click.option(
    "-o", "--output", type=click.Path(), metavar="FOLDER", help="Where the site goes. Default: site."
)
_strict = click.option("--strict", is_flag=True, help="Exit with 1 when there was a problem.")
_verbose = click.option(
    "-v", "--verbose", is_flag=True, help="Say more: every problem, and how the site was published."
)
_quiet = click.option("-q", "--quiet", is_flag=True, help="Print errors only.")


@cli.command(epilog=EXIT_CODES)
@_runs
@_output
@_config
@_strict
@_verbose
@_quiet
def build(
    runs: tuple[str, ...], output: str | None, config_path: Path | None, strict: bool, verbose: bool, quiet: bool
) -> None:
    """Build the site from RUNS: files, folders and glob patterns.

    RUNS replace the inputs of the settings.
    """

    def command() -> int:
        from sitegen.build import build

        config = _settings(runs, output, config_path)
        built = build(config, _progress(quiet), _say)
        if not quiet:
            _report(built, config, verbose)
        return EXIT_PROBLEMS if strict and (built.survey.problems or built.warnings) else 0

    _run(command)


@cli.command()
@_runs
@_output
@_config
@_strict
@_verbose
def check(runs: tuple[str, ...], output: str | None, config_path: Path | None, strict: bool, verbose: bool) -> None:
    """Say what a build would read, ignore, skip and warn about. Writes nothing."""

    def command() -> int:
        from sitegen.build import look

        survey = look(_settings(runs, output, config_path), _progress(quiet=False))
        _list_survey(survey, verbose)
        return EXIT_PROBLEMS if strict and survey.problems else 0

    _run(command)


@cli.command()
@click.argument("folder", default=".", type=click.Path(path_type=Path))
def init(folder: Path) -> None:
    """Write a commented config.yaml into FOLDER, by default the one you are in."""

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
        click.echo(f"{target} is written. Name your runs in it, then run: sitegen build")
        return 0

    _run(command)


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
        config = load(config_path or Path(CONFIG_NAME))
    if runs:
        config = config.model_copy(update={"inputs": tuple(Input(path=given, pattern=None) for given in runs)})
    if output is not None:
        config = config.model_copy(update={"output": output})
    if not config.inputs:
        raise ConfigError("The settings name no inputs; add `inputs:` with the folder of your runs.")
    return config


def _run(command: Callable[[], int]) -> None:
    """Run a command and exit as `--help` says."""
    try:
        code = command()
    except (ConfigError, RefusedOutput) as error:
        code = _fail(error, EXIT_USAGE)
    except PublishError as error:
        code = _fail(error, EXIT_NOT_PUBLISHED)
    except KeyboardInterrupt:
        click.echo("Interrupted; nothing was published.", err=True)
        code = EXIT_INTERRUPTED
    sys.exit(code)


def _fail(error: Exception, code: int) -> int:
    """Say what is wrong. Faults of settings begin with their place, so that editors can jump to it."""
    where = "" if isinstance(error, ConfigError) else "sitegen: "
    click.secho(f"{where}{error}", err=True, fg="red")
    return code


def _say(message: str) -> None:
    click.echo(message, err=True)


class _Progress:
    """A bar on a terminal; nothing elsewhere."""

    def __init__(self, shown: bool) -> None:
        self._shown = shown

    def __call__(self, doing: str, items: Sequence[T]) -> Iterable[T]:
        if not self._shown or len(items) < 2:
            yield from items
            return
        with click.progressbar(items, label=f"{doing:<9}", file=sys.stderr, show_pos=True) as bar:
            yield from bar


def _progress(quiet: bool) -> _Progress:
    return _Progress(not quiet and sys.stderr.isatty())


def _report(built: Built, config: Config, verbose: bool) -> None:
    from sitegen import figures
    from sitegen.statistics import summarize

    survey, published = built.survey, built.published
    for warning in built.warnings:
        click.secho(warning, err=True, fg="yellow")
    problems = survey.problems if verbose else survey.problems[:SHOWN_PROBLEMS]
    for problem in problems:
        _problem_line(problem.path, problem.verdict.value, problem.code, problem.reason, problem.place)
    if len(survey.problems) > len(problems):
        click.echo(f"... and {len(survey.problems) - len(problems)} more; -v lists them all", err=True)
    cost = summarize(survey.entries).cost
    total = f", {figures.money(cost.value)}{'+' if cost.is_lower_bound else ''}" if cost.known else ""
    click.echo(
        f"{figures.plural(len(survey.entries), 'run')}{total}; {figures.plural(len(survey.problems), 'problem')}, "
        f"{figures.count(len(survey.ignored))} ignored"
    )
    for path in published.carried if verbose else ():
        click.echo(f"kept: {path}")
    for path in published.left:
        click.secho(f"left beside the output: {path}", err=True, fg="yellow")
    how = f" ({published.mode})" if verbose else ""
    size = f"{published.size / 1e6:.1f} MB"
    click.echo(f"{figures.plural(published.files, 'file')}, {size}, in {config.output}{how}")
    click.echo((Path(config.output).resolve() / "index.html").as_uri())


def _list_survey(survey: Survey, verbose: bool) -> None:
    from sitegen import figures

    for entry in survey.entries:
        click.echo(
            f"run      {_line(entry.source.path)}  {entry.run.status.value}, {figures.money(entry.run.cost_usd)}"
        )
    for problem in survey.problems:
        _problem_line(problem.path, problem.verdict.value, problem.code, problem.reason, problem.place)
    for path in survey.ignored if verbose else survey.ignored[:SHOWN_PROBLEMS]:
        click.echo(f"ignored  {_line(path)}")
    if len(survey.ignored) > SHOWN_PROBLEMS and not verbose:
        click.echo(f"... and {len(survey.ignored) - SHOWN_PROBLEMS} more ignored files; -v lists them all")
    click.echo(
        f"{figures.plural(len(survey.entries), 'run')}, {figures.plural(len(survey.problems), 'problem')}, "
        f"{figures.count(len(survey.ignored))} ignored"
    )


def _problem_line(path: str, verdict: str, code: str, reason: str, place: str | None) -> None:
    where = f", {place}" if place else ""
    click.secho(f"{verdict.split('+')[-1]:<8} {_line(path)}{where}: {_line(reason)} [{code}]", err=True, fg="yellow")


def _line(text: str) -> str:
    from sitegen.redact import terminal

    return terminal(text)
