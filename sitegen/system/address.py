"""The location of a file inside an archive or at an address, as opposed to a file on this machine."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Member:
    """The location of a file in an archive."""

    offset: int  # bytes: of its header in a zip, of its content in what a tar unpacks to
    size: int  # bytes, as they lie there


@dataclass(frozen=True, slots=True)
class Address:
    """A file or a folder in a store of objects."""

    url: str  # such as `s3://bucket/runs/1.json`; it holds no password
    size: int = 0  # bytes of a file, as the store lists it
    version: str = ""
    """The store's version of it, which changes with its bytes: its etag and size; empty of a folder."""

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.url.rpartition("/")[2]

    @property
    def as_path(self) -> Path:
        """The same as a path, by which files are told apart. Nothing on this machine lies there."""
        return Path("/dev/null", *self.url.split("/"))
