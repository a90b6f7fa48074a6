"""Outputs that are refused before anything is touched."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from sitegen.errors import RefusedOutput
from sitegen.places import MANIFEST
from sitegen.publish.manifest import is_file
from sitegen.publish.sentences import failure, printable
from sitegen.publish.staging import containers


def refuse_dangerous(output: Path, inputs: Sequence[Path]) -> None:
    """Return when `output` is missing, empty, or an earlier site of ours; touch nothing.

    An output inside an input is allowed, an input inside the output is not.

    Raises: RefusedOutput, PublishError where it cannot be looked at.
    """
    shown = printable(str(output))
    try:
        if output.is_symlink():
            raise RefusedOutput(f"the output {shown} is a symbolic link, name the folder it points to or another")
        real = output.resolve()
        if real == real.parent:
            raise RefusedOutput(f"the output {shown} is the root of the file system, name a folder of its own")
        if not os.path.lexists(real):
            return
        if not real.is_dir():
            raise RefusedOutput(f"the output {shown} is not a folder, name another")
        guarded = [(Path.cwd(), "the folder you are in"), *((path, "an input") for path in inputs)]
        with suppress(RuntimeError):  # there is no home to guard
            guarded.append((Path.home(), "your home folder"))
        for path, what in guarded:
            if _holds_folder(real, path.resolve()):
                raise RefusedOutput(f"the output {shown} is or holds {what}, name a folder of its own")
        if os.path.lexists(real / ".git"):
            raise RefusedOutput(f"the output {shown} is the root of a git repository, name a folder inside it")
        if any(real.iterdir()) and not is_file(real / MANIFEST) and not containers(real, real.name):
            raise RefusedOutput(
                f"the output {shown} is not empty and holds no {MANIFEST} that would say what in it is ours, "
                "name a new folder or empty this one"
            )
    except (OSError, ValueError, RuntimeError) as error:
        raise failure(error, f"look at the output {shown}") from error


def _holds_folder(folder: Path, path: Path) -> bool:
    """Whether `path` is the existing `folder` or lies in it, however they are spelt (case, bind mounts)."""
    for candidate in (path, *path.parents):
        with suppress(OSError):  # what cannot be reached is not the output, which was
            if candidate.samefile(folder):
                return True
    return False
