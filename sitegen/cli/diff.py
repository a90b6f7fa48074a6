"""`sitegen diff`: the figures in which two sites, or packs, differ."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sitegen.cli import options, running

if TYPE_CHECKING:
    from sitegen.masking.redact import Redactor


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
    from sitegen.cli.terminal import line, terminal
    from sitegen.masking.redact import Redactor

    redactor = terminal.mask_with(Redactor.for_this_machine())
    before, after = (_figures(path, redactor) for path in (old, new))
    both = dict.fromkeys((*before, *after))
    changed = [key for key in both if not _are_equal(before.get(key), after.get(key))]
    for key in changed:
        told = " -> ".join(_written(side.get(key)) for side in (before, after))
        terminal.say(f"{line(': '.join(key))} {told}")
    terminal.say(f"{len(changed)} of {figures.plural(len(both), 'figure')} changed")
    return options.EXIT_PROBLEMS if changed else 0


def _figures(path: Path, redactor: Redactor) -> dict[tuple[str, str], tuple[object, ...]]:
    """Return the figures of a site, or those that one of this pack would have. Raises: ConfigError."""
    from sitegen.cli.settings import choose
    from sitegen.cli.terminal import Progress
    from sitegen.collect import collect
    from sitegen.errors import ConfigError
    from sitegen.inputs.campaigns import packs, past
    from sitegen.pages.data import figures_json
    from sitegen.pages.report import compared

    if not packs.is_pack(path):
        file = path / past.FIGURES if path.is_dir() else path
        return past.figures_in(past.content(file), file, redactor)
    config = choose(None, (str(path),), None, without=False).config
    facts = collect(config, redactor, Progress(quiet=True))
    if facts.problems and not facts.entries:
        raise ConfigError(f"{path}: {facts.problems[0].reason}")
    written = figures_json(facts.entries, compared(config, facts.entries), config.intervals)
    return past.figures_in(written, path, redactor)


def _are_equal(one: tuple[object, ...] | None, two: tuple[object, ...] | None) -> bool:
    """Return whether two figures are the same, to twelve digits: the sum of floats depends on their order."""
    return one is not None and two is not None and [*map(_rounded, one)] == [*map(_rounded, two)]


def _rounded(value: object) -> object:
    return f"{value:.12g}" if isinstance(value, float | int) else value


def _written(figure: tuple[object, ...] | None) -> str:
    """Return a figure with its interval, as numbers alone."""
    if figure is None:
        return "none"
    estimate, low, high, bound, unit = figure
    value = "unknown" if estimate is None else f"{estimate:.6g}" + "+" * (bound == "lower")
    ends = (
        ""
        if low is None and high is None
        else f" ({', '.join('open' if e is None else f'{e:.6g}' for e in (low, high))})"
    )
    return f"{value}{ends} {unit or ''}".rstrip()
