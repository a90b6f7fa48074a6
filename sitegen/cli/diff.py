"""`sitegen diff`: the figures in which two sites, or packs, differ."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    # To twelve digits: the sum of floats depends on their order.
    pairs = {key: {_written(before.get(key), 12), _written(after.get(key), 12)} for key in both}
    changed = [key for key, pair in pairs.items() if len(pair) > 1 and pair != {"none", "unknown"}]
    for of, name in changed:
        short, full = ([_written(side.get((of, name)), digits) for side in (before, after)] for digits in (6, 12))
        values = full if short[0] == short[1] else short
        terminal.say(f"{line(of)}: {line(name)} {line(' -> '.join(values))}")
    terminal.say(f"{len(changed)} of {figures.plural(len(both), 'figure')} changed")
    return options.EXIT_PROBLEMS if changed else 0


def _figures(path: Path, redactor: Redactor) -> dict[tuple[str, str], tuple[Any, ...]]:
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
    if damaged := [each for each in facts.problems if each.path.startswith(path.name)]:
        raise ConfigError(f"{damaged[0].path}: {damaged[0].reason}")
    return past.figures_in(
        figures_json(facts.entries, compared(config, facts.entries), config.intervals), path, redactor
    )


def _written(figure: tuple[Any, ...] | None, digits: int) -> str:
    """Return a figure with its interval, as numbers alone."""
    if figure is None:
        return "none"
    bound, unit, *numbers = figure
    if numbers == [None] * 3:
        return "unknown"
    value, *ends = ["unknown" if each is None else f"{each:.{digits}g}" for each in numbers]
    return f"{value}{'+' * (bound == 'lower')} {unit or ''} ({' to '.join(ends)})".replace(" (unknown to unknown)", "")
