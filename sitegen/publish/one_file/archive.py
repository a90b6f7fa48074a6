"""A site as a zip archive: the same files give the same bytes, wherever and whenever they are packed."""

from __future__ import annotations

import shutil
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path

from sitegen.places import MANIFEST
from sitegen.publish.manifest import Content, manifest_parts
from sitegen.publish.one_file import Form
from sitegen.publish.publication import NO_JEKYLL

_TIME = (1980, 1, 1, 0, 0, 0)
"""The first that the format knows."""
_UNIX = 3
"""The system that the format says modes are of."""


def _pack(site: Path, files: Mapping[str, Content], packed: Path) -> None:
    """Write the archive: what a folder of the site would hold, its manifest included, by name. Raises: OSError."""
    own = {NO_JEKYLL: b""} if NO_JEKYLL not in files else {}
    listed = {**files, **{path: Content.of(data) for path, data in own.items()}}
    own[MANIFEST] = b"".join(manifest_parts(listed))
    with zipfile.ZipFile(packed, "x", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted({*listed, MANIFEST}):
            if path in own:
                archive.writestr(member_of(path, len(own[path])), own[path])
                continue
            with (site / path).open("rb") as file, archive.open(member_of(path, files[path].size), "w") as member:
                shutil.copyfileobj(file, member, 1_000_000)


def member_of(path: str, size: int) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(path, _TIME)
    member.create_system = _UNIX
    member.external_attr = (stat.S_IFREG | 0o644) << 16
    member.compress_type = zipfile.ZIP_DEFLATED
    member.file_size = size
    return member


def _is_ours(path: Path) -> bool:
    """Whether a file is an archive that holds the manifest of a site at its top. Raises: OSError."""
    try:
        with zipfile.ZipFile(path) as archive:
            return MANIFEST in archive.NameToInfo
    except (zipfile.BadZipFile, NotImplementedError, ValueError):
        return False


ZIP = Form("an archive", _pack, _is_ours)
