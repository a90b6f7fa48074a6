"""Writes one file whole, or leaves what is there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sitegen.errors import PublishError, RefusedOutput
from sitegen.system_limits import why_not_written


def refuse(output: Path, inputs: Sequence[Path], *, may_replace: bool) -> None:
    """Raise RefusedOutput where writing the file could lose something."""
    if output.is_symlink() or (os.path.lexists(output) and not output.is_file()):
        raise RefusedOutput(f"{output} is a link or no file, name another")
    if not output.exists():
        return
    if any(path.exists() and path.samefile(output) for path in inputs):
        raise RefusedOutput(f"{output} is an input, name another file")
    if not may_replace:
        raise RefusedOutput(f"{output} is there already, name another file or add --replace")


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
