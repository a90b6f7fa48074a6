"""What a person asks for: remove our files, or move what no build may delete."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.errors import PublishError, RefusedOutput
from sitegen.places import MANIFEST
from sitegen.publish.manifest import read_manifest, walk
from sitegen.publish.publication import Publication
from sitegen.publish.sentences import cause_of, printable
from sitegen.publish.staging import JOURNAL, containers, lookalikes


@dataclass(frozen=True, slots=True)
class Recovered:
    """What stands in the way of a clean output, and whether it was moved away."""

    left: tuple[str, ...]
    """In staging folders beside the output: what no build can prove to be its own."""
    unproven: int
    """Files of the output that are nobody's, because its manifest is damaged."""
    moved_to: Path | None
    """Where all of it lies now; None when it was left in place."""


def clean(output: Path, *, inputs: Sequence[Path] = (), on_wait: Callable[[str], None]) -> tuple[int, tuple[str, ...]]:
    """Take away what we wrote to `output` and what crashed builds left beside it.

    It is the publication of a site without files, so it has the same promise: what is not ours is carried over. A
    folder that then holds nothing goes too; one that holds something keeps an empty manifest, so that a build may
    write to it again.

    Returns: how many files were ours, and what stays, as Published has it.
    Raises: RefusedOutput, PublishError.
    """
    if not os.path.lexists(output):
        with Publication(output, inputs=inputs, on_wait=on_wait) as publication:  # it settles what a crash has left
            if not output.exists():
                return 0, publication.left
    with Publication(output, inputs=inputs, on_wait=on_wait) as publication:
        listed = read_manifest(output)
        if listed is None and any(output.iterdir()):
            raise RefusedOutput(
                f"{MANIFEST} in {printable(str(output))} is damaged, so nothing in it is known to be ours; "
                "`sitegen recover --to FOLDER` moves all of it away"
            )
        ours = sum((output / path).exists() for path in listed or ())
        published = publication.commit()
        if not published.carried:
            try:
                (output / MANIFEST).unlink()
                output.rmdir()
            except OSError as error:
                folder = printable(str(output))
                raise PublishError(
                    f"cannot remove the empty folder {folder}: {cause_of(error)}; all of ours in it is gone"
                ) from error
        kept = sum(path in (listed or ()) for path in published.carried)
        return ours - kept, (*published.carried, *published.left)


def recover(output: Path, to: Path | None, *, inputs: Sequence[Path] = (), on_wait: Callable[[str], None]) -> Recovered:
    """Finish what a crashed build began, and tell what only a person can decide about; move it to `to` if given.

    Nothing is ever deleted: what cannot be proven to be ours is moved as it is, into a folder that must be new.

    Raises: RefusedOutput, PublishError.
    """
    with Publication(output, inputs=inputs, on_wait=on_wait) as publication:
        left = publication.left
        damaged = output.exists() and any(output.iterdir()) and read_manifest(output) is None
        unproven = sum(path != MANIFEST for path, _ in walk(output)) if damaged else 0
        if to is None or not (left or damaged):
            return Recovered(left, unproven, None)
        parent, name = output.resolve().parent, output.resolve().name
        remains = [path for path in containers(parent, name) if os.path.lexists(path / JOURNAL)]
        remains += lookalikes(parent, name)
        if damaged:
            remains.append(output)
        if to.exists() or to.resolve().is_relative_to(output.resolve()):
            raise RefusedOutput(f"{printable(str(to))} exists already or lies in the output, name a new folder")
        try:
            to.mkdir(parents=True)
            for path in remains:
                shutil.move(path, to / path.name.lstrip("."))
        except OSError as error:
            shown = printable(str(to))
            raise PublishError(
                f"cannot move what is left to {shown}: {cause_of(error)}; what is not there yet lies where it lay"
            ) from error
        return Recovered(left, unproven, to)
