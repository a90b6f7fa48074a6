"""Writes runs into one file, whole, or leaves what is there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from sitegen import figures
from sitegen.cli.options import EXIT_NOT_PUBLISHED
from sitegen.cli.settings import Chosen
from sitegen.cli.terminal import Progress, terminal
from sitegen.collect import Facts, collect, why_empty
from sitegen.config import Config
from sitegen.errors import PublishError, RefusedOutput
from sitegen.masking.redact import Redactor
from sitegen.system_limits import why_not_written
from sitegen.workers import Processes, cores


def write_runs(
    output: Path, settings: Chosen, made: Callable[[Facts, Config, Redactor], bytes], *, may_replace: bool, quiet: bool
) -> int:
    """Read the runs of these settings and write what is made of them; the exit code. Raises: SitegenError."""
    config = settings.config
    _refuse(output, list(map(Path, [*config.paths_of_runs, *config.paths_of_outcomes])))
    redactor = terminal.mask_with(Redactor.for_this_machine(config.redact))
    if not quiet:
        terminal.say_settings(settings.path, settings.only)
    facts = collect(config, redactor, Progress(quiet=quiet), Processes(cores()))
    if not facts.entries:
        return terminal.fail(f"sitegen: {why_empty(facts)}", EXIT_NOT_PUBLISHED)
    data = made(facts, config, redactor)
    if not may_replace and output.exists() and output.read_bytes() != data:
        raise RefusedOutput(f"{output} already exists, name another file or add --replace")
    write_whole(output, data)
    if not quiet:
        problems = figures.plural(len(facts.problems), "problem")
        terminal.say(
            f"{figures.plural(len(facts.entries), 'run')} in {output}; {problems}, which `sitegen check` lists"
        )
    return 0


def _refuse(output: Path, inputs: Sequence[Path]) -> None:
    """Raise RefusedOutput for what is not a file of its own."""
    if output.is_symlink() or (os.path.lexists(output) and not output.is_file()):
        raise RefusedOutput(f"{output} is a link or not a file, name another")
    if output.exists() and any(path.exists() and path.samefile(output) for path in inputs):
        raise RefusedOutput(f"{output} is an input, name another file")


def write_whole(output: Path, data: bytes) -> None:
    """Write a file beside its place, then give it its name. Raises: PublishError; an old file is then as it was."""
    written = None
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        descriptor, written = tempfile.mkstemp(prefix=f".{output.name}.", dir=output.parent)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        Path(written).chmod(0o644)
        Path(written).replace(output)
    except BaseException as error:
        if written is not None:
            Path(written).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise PublishError(f"{output} could not be written: {why_not_written(error)}") from error
        raise
