"""A site at an address: each build writes all pages below a folder of its own, and last one page that leads to it.

That page, `index.html`, says which version is the site and which was before. It is written where it still is as it was
when the build began, so of two builds at once one says that the other was first. The version before stays, for whoever
reads it; older ones are removed, file by file as their manifests list them.
"""

import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from sitegen.errors import ConfigError, PublishError, RefusedOutput
from sitegen.places import MANIFEST
from sitegen.publish.manifest import Content, check_name, listed_in, manifest_parts, take_name
from sitegen.publish.one_file import form_of
from sitegen.publish.publication import Published
from sitegen.publish.sentences import printable
from sitegen.remote import clients, stored_files

_VERSION = "v-[0-9a-f]{12}"
_HEAD = '<!doctype html><html lang="en"><meta charset="utf-8">'
_POINTER = re.compile(rf'{_HEAD}<meta name="sitegen" content="({_VERSION})(?: ({_VERSION}))?">')
_MAX_POINTER_BYTES = 10_000
MAX_HELD = 32_000_000  # bytes that a process holds before it writes them


@contextmanager
def _telling(what: str, *, is_last: bool = True) -> Iterator[None]:
    """Raises PublishError for what the store refuses meanwhile; then lets go of connections, where it `is_last`."""
    try:
        yield
    except OSError as error:
        raise PublishError(f"cannot {what}: {error.strerror or type(error).__name__}") from None
    finally:
        if is_last:
            clients.rest()


@dataclass(frozen=True, slots=True)
class StoreStage:
    """The folder of one version: a value, so that other processes can put files there too."""

    root: str
    shown: str

    def put(self, name: str, data: bytes) -> None:
        """Write a file; its name is a checked one. Raises: PublishError."""
        self._write({name: data})

    def put_parts(self, name: str, parts: Iterable[bytes]) -> Content:
        """Write a file that comes in parts; it is held as a whole. Raises: PublishError, and what the parts raise."""
        data = b"".join(parts)
        self.put(name, data)
        return Content.of(data)

    @contextmanager
    def together(self) -> Iterator[Callable[[str, bytes], None]]:
        """Gives what takes files and writes many at once, all of them before the context ends. Raises: PublishError."""
        held: dict[str, bytes] = {}

        def put(name: str, data: bytes) -> None:
            held[name] = data
            if sum(map(len, held.values())) > MAX_HELD:
                self._write(held)
                held.clear()

        yield put
        self._write(held)

    def _write(self, given: dict[str, bytes]) -> None:
        if not given:
            return
        with _telling(f"write {printable(next(iter(given)))} to {self.shown}", is_last=False):
            stored_files.write({f"{self.root}/{name}": data for name, data in given.items()})


class StoreSite:
    """A site being written to an address: a `publish.files.Target`, used as `Publication` is."""

    def __init__(self, output: str) -> None:
        """Raises: ConfigError where the address cannot be used."""
        self._output = clients.checked(output)
        self._shown = printable(self._output)
        if form_of(Path(self._output)):
            raise ConfigError(f"{self._shown}: one file is written to this machine only. Name a folder.")
        if self._output.count("/") < 3:
            raise ConfigError(f"{self._shown}: name a folder in it, such as {self._shown}/site.")
        self._version = f"v-{secrets.token_hex(6)}"
        self._files: dict[str, Content] = {}
        self._taken: dict[str, str] = {}
        self._held: dict[str, bytes] = {}
        self._before: tuple[bytes, str] | None = None
        self._has_begun = False

    def __enter__(self) -> Self:
        """Look at what is there. Raises: RefusedOutput, PublishError."""
        with _telling(f"write to {self._shown}"):
            self._before = stored_files.read(self._pointer)
        if self._before and not _versions(self._before[0]):
            raise RefusedOutput(f"{self._shown}/index.html exists and sitegen did not write it, name another output")
        return self

    def __exit__(self, *_: object) -> None:
        """Remove what was not published: all below the folder of this version is ours."""
        if self._has_begun:
            with suppress(Exception):
                stored_files.remove(stored_files.all_below(self._root), self._root)
        clients.rest()

    @property
    def stage(self) -> StoreStage:
        """The place where any process can put files."""
        self._has_begun = True
        return StoreStage(self._root, self._shown)

    @property
    def _root(self) -> str:
        return f"{self._output}/{self._version}"

    @property
    def _pointer(self) -> str:
        return f"{self._output}/index.html"

    def has(self, path: str) -> bool:  # noqa: ARG002  the protocol of targets
        """False: nothing is taken over from the version before."""
        return False

    def reuse(self, path: str, content: Content) -> bool:  # noqa: ARG002  likewise
        """Return False."""
        return False

    def make_folder(self, path: str) -> None:
        """Do nothing, since a store makes folders with their contents."""
        if path:
            check_name(path)

    def record(self, path: str, content: Content) -> None:
        """Count a file as written that was put on the stage. Raises: PublishError."""
        check_name(path)
        take_name(self._taken, path)
        self._files[path] = content

    def write(self, path: str, data: bytes) -> None:
        """Stage one file. Raises: PublishError."""
        self.record(path, Content.of(data))
        self._held[path] = data
        if sum(map(len, self._held.values())) > MAX_HELD:
            self._flush()

    def commit(self) -> Published:
        """Publish all of it, or nothing. Raises: PublishError."""
        self._flush()
        self.stage.put_parts(MANIFEST, manifest_parts(self._files))
        data, version = self._before or (b"", None)
        last, _ = _versions(data) or ("", "")
        self._has_begun = False  # from here on it may be the site, also where no answer comes
        with _telling(f"write to {self._shown}"):
            if not stored_files.exchange(self._pointer, _pointer(self._version, last), version):
                self._has_begun = True
                raise PublishError(f"another build has published to {self._shown} meanwhile: build again")
            left = self._remove_others({self._version, last})
        return Published(len(self._files), sum(each.size for each in self._files.values()), (), left)

    def _flush(self) -> None:
        held, self._held = self._held, {}
        with _telling(f"write to {self._shown}"), self.stage.together() as put:
            for path, data in held.items():
                put(path, data)

    def _remove_others(self, kept: set[str]) -> tuple[str, ...]:
        """Remove older versions, as their manifests list them. Returns what is left of those."""
        left: list[str] = []
        try:
            folders = {each.name for each in stored_files.in_folder(self._output) if each.kind == "directory"}
            for name in sorted(filter(re.compile(_VERSION).fullmatch, folders - kept)):
                root = f"{self._output}/{name}"
                read, sizes = stored_files.read(f"{root}/{MANIFEST}"), stored_files.all_below(root)
                found = listed_in(read[0]) if read else None
                listed = {f"{root}/{path}": each.size for path, each in (found or {}).items()}
                ours = [url for url, size in sizes.items() if listed.get(url) == size]
                if listed:
                    ours.append(f"{root}/{MANIFEST}")
                stored_files.remove(ours, root)
                if others := len(sizes.keys() - set(ours)):
                    left.append(f"{name}/ ({others} files of a build that died, or of others)")
        except (OSError, PublishError):
            left.append("older versions, which could not be looked at")
        return tuple(map(printable, left))


def _versions(pointer: bytes) -> tuple[str, str] | None:
    """Return the version that is the site and the one before, as the page says it; None where it is not ours."""
    if len(pointer) > _MAX_POINTER_BYTES:
        return None
    found = _POINTER.match(pointer.decode("utf-8", "replace"))
    return (found[1], found[2] or "") if found else None


def _pointer(version: str, before: str) -> bytes:
    versions = f"{version} {before}" if before else version
    return (
        f'{_HEAD}<meta name="sitegen" content="{versions}">'
        f'<meta http-equiv="refresh" content="0; url={version}/index.html"><title>Report</title>'
        f'<p><a href="{version}/index.html">The report</a></p></html>\n'
    ).encode()
