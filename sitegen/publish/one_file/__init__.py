"""A site that goes into one file, such as an archive: whole, or the old file stays as it was.

The files are staged in a folder beside the output, as those of a folder are, so that any process can put them there and
the next build clears away what a crash has left. Then they are packed into a file of that folder, and one `os.replace`
gives it the name of the output. A file that is there already is replaced only where it is known to be ours.
"""

from __future__ import annotations

import os
import shutil
import stat
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.errors import RefusedOutput
from sitegen.places import MANIFEST
from sitegen.publish.manifest import Content, is_file, manifest_parts
from sitegen.publish.publication import NO_JEKYLL, Published
from sitegen.publish.sentences import telling
from sitegen.publish.staging import Staged

PACKED = "one file"

_PACKED_NAME = ".sitegen-packed"
"""The name in the staged site: no page has this name, and no file of the user's that is hidden is published."""


@dataclass(frozen=True, slots=True)
class Form:
    """The form of the one file."""

    name: str
    """The name as a sentence says it, with its article."""
    pack: Callable[[Path, Mapping[str, Content], Path], None]
    """Writes the last path from the staged site at the first and its files. Raises: OSError, PublishError."""
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
        with telling("write to {}", self._shown):
            self._form.pack(Path(self._root), self._files, packed)
            size = packed.stat().st_size
            packed.chmod(0o644)
            self._refuse()  # a build may have taken minutes
            packed.replace(self._output)
        return Published(PACKED, len(self._files), size, (), tuple(self._left))

    def _refuse(self) -> None:
        """Raise RefusedOutput where something else than an earlier file of ours would be lost."""
        with telling("look at the output {}", self._shown, of=(OSError, ValueError)):
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


# A site as a zip archive: the same files give the same bytes, wherever and whenever they are packed.

_TOP = "site/"
"""The one folder at the top of an archive: unpacked, it does not mix with what is there."""
_TIME = (1980, 1, 1, 0, 0, 0)
_UNIX = 3


def _pack(site: Path, files: Mapping[str, Content], packed: Path) -> None:
    """Write the archive: what a folder of the site would hold, its manifest included, by name. Raises: OSError."""
    own = {NO_JEKYLL: b""} if NO_JEKYLL not in files else {}
    listed = {**files, **{path: Content.of(data) for path, data in own.items()}}
    own[MANIFEST] = b"".join(manifest_parts(listed))
    with zipfile.ZipFile(packed, "x", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted({*listed, MANIFEST}):
            if path in own:
                archive.writestr(member_of(_TOP + path, len(own[path])), own[path])
                continue
            with (
                (site / path).open("rb") as file,
                archive.open(member_of(_TOP + path, files[path].size), "w") as member,
            ):
                shutil.copyfileobj(file, member, 1_000_000)


def member_of(path: str, size: int) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(path, _TIME)
    member.create_system = _UNIX
    member.external_attr = (stat.S_IFREG | 0o644) << 16
    member.compress_type = zipfile.ZIP_DEFLATED
    member.file_size = size
    return member


def _is_ours(path: Path) -> bool:
    """Return whether a file is an archive that holds the manifest of a site at its top. Raises: OSError."""
    try:
        with zipfile.ZipFile(path) as archive:
            return not archive.NameToInfo.keys().isdisjoint((_TOP + MANIFEST, MANIFEST))
    except (zipfile.BadZipFile, NotImplementedError, ValueError):
        return False


ZIP = Form("an archive", _pack, _is_ours)
