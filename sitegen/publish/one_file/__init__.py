"""A site that goes into one file, such as an archive: whole, or the old file stays as it was.

The files are staged in a folder beside the output, as those of a folder are, so that any process can put them there and
the next build clears away what a crash has left. Then they are packed into a file of that folder, and one `os.replace`
gives it the name of the output. A file that is there already is replaced only where it is known to be ours.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.errors import RefusedOutput
from sitegen.publish.manifest import Content, is_file
from sitegen.publish.publication import Published
from sitegen.publish.sentences import failure
from sitegen.publish.staging import Staged

PACKED = "one file"
"""How it is published, as `Published.mode` says it."""

_PACKED_NAME = ".sitegen-packed"
"""In the staged site: no page has this name, and no file of the user's that is hidden is published."""


@dataclass(frozen=True, slots=True)
class Form:
    """What the one file is."""

    name: str
    """As a sentence says it, with its article."""
    pack: Callable[[Path, Mapping[str, Content], Path], None]
    """Writes the file at the last path from the staged site at the first; the content of each file is given by its
    path. Raises: OSError, PublishError."""
    is_ours: Callable[[Path], bool]
    """Whether a file is one that a build has written. Raises: OSError."""


class OneFile(Staged):
    """A site being written into one file: a `publish.files.Target`, used as `Publication` is."""

    def __init__(
        self, output: Path, form: Form, *, inputs: Sequence[Path] = (), on_wait: Callable[[str], None] = lambda _: None
    ) -> None:
        super().__init__(output, inputs, on_wait)
        self._form = form

    def commit(self) -> Published:
        """Pack the files and give the output its name. Raises: PublishError, RefusedOutput; the old file then stays."""
        packed = Path(self._root, _PACKED_NAME)
        try:
            self._form.pack(Path(self._root), self._files, packed)
            size = packed.stat().st_size
            packed.chmod(0o644)
            self._refuse()  # a build may have taken minutes
            packed.replace(self._output)
        except OSError as error:
            raise self._failure(error) from error
        return Published(PACKED, len(self._files), size, (), tuple(self._left))

    def _refuse(self) -> None:
        """Raise RefusedOutput where something else than an earlier file of ours would be lost."""
        try:
            if self._given.is_symlink():
                raise RefusedOutput(
                    f"the output {self._shown} is a symbolic link, name the file it points to or another"
                )
            if not os.path.lexists(self._given):
                return
            if not is_file(self._given):
                raise RefusedOutput(f"the output {self._shown} exists and is not a file, name another")
            if any(path.exists() and path.samefile(self._given) for path in self._inputs):
                raise RefusedOutput(f"the output {self._shown} is an input, name another file")
            if self._given.stat().st_size and not self._form.is_ours(self._given):
                raise RefusedOutput(
                    f"the output {self._shown} is there and is not {self._form.name} that sitegen wrote, "
                    "name another or move it away"
                )
        except (OSError, ValueError) as error:
            raise failure(error, f"look at the output {self._shown}") from error
