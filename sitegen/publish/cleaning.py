"""Removes a site when a person asks for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from sitegen.errors import PublishError, RefusedOutput
from sitegen.places import MANIFEST
from sitegen.publish.manifest import read_manifest
from sitegen.publish.publication import Publication
from sitegen.publish.sentences import cause_of, printable


def clean(output: Path, *, inputs: Sequence[Path] = (), on_wait: Callable[[str], None]) -> tuple[int, tuple[str, ...]]:
    """Take away what we wrote to `output` and what crashed builds left beside it.

    It is the publication of a site without files, so it has the same promise: what is not ours is carried over. A
    folder that then holds nothing goes too; one that holds something keeps an empty manifest, so that a build may
    write to it again.

    Returns: how many files were ours, and what stays, as Published has it.
    Raises: RefusedOutput, PublishError.
    """
    with Publication(output, inputs=inputs, on_wait=on_wait) as publication:  # it settles what a crash has left
        if not output.exists():
            return 0, publication.left
        listed = read_manifest(output)
        if listed is None and any(output.iterdir()):
            raise RefusedOutput(
                f"{MANIFEST} in {printable(str(output))} is damaged, so sitegen does not know which files are its own; "
                "look through it and remove it yourself"
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
                    f"cannot remove the empty folder {folder}: {cause_of(error)}; all files of sitegen in it are gone"
                ) from error
        kept = sum(path in (listed or ()) for path in published.carried)
        return ours - kept, (*published.carried, *published.left)
