"""A file of the site before it is made, what making it gives, and what is kept of it for the next build."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Protocol

from sitegen.address import Address
from sitegen.cache.memory import Kind
from sitegen.html.render import Page, Renderer
from sitegen.masking.final_scan import FinalScan, whole
from sitegen.masking.redact import Numbers
from sitegen.model import Caveat
from sitegen.publish.manifest import Content
from sitegen.publish.publication import Published
from sitegen.publish.staging import Stage
from sitegen.publish.store.site import StoreStage

MOST_UNPACKED_BYTES = 32_000_000
"""A larger file is not kept."""


@dataclass(frozen=True, slots=True)
class Document:
    """A run as the index of the search takes it."""

    words: str
    """Its different words, divided by spaces."""
    levels: bytes
    """The level of each, as `pages.search` counts them."""
    length: int
    """Words in all."""
    shown: tuple[str | None, ...]
    """What a result shows of it."""


@dataclass(frozen=True, slots=True)
class Made:
    """What making a file gives."""

    data: bytes = b""
    companions: Iterable[tuple[str, bytes]] = ()
    """What comes with it, each with its path: scripts that it alone loads, or further pages of the same. It may be an
    iterator: each is staged before the next is made."""
    words: Document | None = None
    """The run that the page shows, as the search takes it. It comes with the page because it holds what readers see:
    the text of the rendered summary."""
    late: tuple[Caveat, ...] = ()
    """What showed only now, so that no figure depends on it, and no other page but that of problems says it."""
    pieces: Iterable[bytes] | None = None
    """A data file piece by piece, in place of `data`: all lines at once would take more memory than all facts."""
    is_lasting: bool = True
    """Whether the next build would make the same of the same inputs."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of the site, not yet made. Any process can make it."""

    path: str
    key: bytes | None
    """Digest of all that it shows, settings included; None where it is made in each build."""
    make: Callable[[], Made]
    """Raises: PublishError, ConfigError."""
    companions: tuple[str, ...] = ()
    """Paths of what it may bring along."""
    run_id: str | None = None
    """Page id of the run whose page it is."""
    make_after_loss: Callable[[], Made] | None = None
    """Used when `make` ended the process that called it; None where `make` is then called in this process."""
    is_scanned: bool = True
    """Whether the last scan looks at it: at all that holds something of a run."""
    reads: tuple[Address, ...] = ()
    """What `make` reads of a store."""
    is_made_here: bool = False
    """Whether this process makes it: it goes through so many facts that another would copy them all."""
    numbers: Numbers | None = None
    """The numbers of masks in files that it loads and that are finished already: they go on in it."""


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A published file, as a memory keeps it."""

    content: Content
    packed: bytes
    """The file itself, compressed; empty where it is to be found in the published site only."""

    @classmethod
    def of(cls, data: bytes, *, is_packing: bool) -> KeptFile:
        """That of these bytes."""
        return cls(Content.of(data), zlib.compress(data, 1) if is_packing and len(data) <= MOST_UNPACKED_BYTES else b"")

    def unpacked(self) -> bytes | None:
        """The file itself; None where it was not kept."""
        return zlib.decompress(self.packed) if self.packed else None


@dataclass(frozen=True, slots=True)
class Finished:
    """A file that was made, scanned and staged: what is known of it."""

    file: KeptFile
    companions: tuple[tuple[str, KeptFile], ...]
    """Each with its path."""
    words: Document | None
    late: tuple[Caveat, ...]
    withheld: tuple[str, ...]
    """Kinds of what the last scan found, and masked or took off the page."""
    is_lasting: bool


FILE = Kind[Finished]("page", Finished, most_bytes=2 * MOST_UNPACKED_BYTES)
"""What a memory keeps of files, by their paths."""


Put = Callable[[str, bytes], None]
"""Takes a path and the bytes of a file."""


@dataclass(frozen=True, slots=True)
class Finish:
    """Makes a file, scans it and stages it, in any process."""

    scan: FinalScan
    stage: Stage | StoreStage
    is_packing: bool
    """Whether the file itself is kept for the next build."""

    def __call__(self, file: File, make: Callable[[], Made] | None = None, put: Put | None = None) -> Finished:
        """Do it, with `make` in place of its own, `put` in place of the stage. Raises: PublishError, ConfigError."""
        make = make or file.make
        made = make()
        numbers: Numbers = {} if file.numbers is None else file.numbers  # its companions go on with them
        if made.pieces is not None and put is None and file.is_scanned and not file.companions:
            found: list[str] = []
            content = self.stage.put_parts(file.path, self.scan.parts(file.path, made.pieces, found, numbers))
            kinds = tuple(dict.fromkeys(found))
            return Finished(KeptFile(content, b""), (), made.words, made.late, kinds, made.is_lasting)
        kept, withheld = list[tuple[str, KeptFile]](), dict[str, None]()
        first = made.data if made.pieces is None else made.pieces
        for path, data in chain[tuple[str, bytes | Iterable[bytes]]](((file.path, first),), made.companions):
            scanned, kinds = self.scan.finish(path, data, numbers) if file.is_scanned else (whole(data), ())
            (put or self.stage.put)(path, scanned)
            kept.append((path, KeptFile.of(scanned, is_packing=self.is_packing)))
            withheld |= dict.fromkeys(kinds)
        (_, own), *companions = kept
        return Finished(own, tuple(companions), made.words, made.late, tuple(withheld), made.is_lasting)


def page_file(page: Page, renderer: Renderer, key: bytes | None, texts: Mapping[str, object] | None = None) -> File:
    """A page that follows from its view, `texts` and the settings."""
    return File(page.path, key, partial(_rendered, renderer, page, texts))


def _rendered(renderer: Renderer, page: Page, texts: Mapping[str, object] | None) -> Made:
    return Made(renderer.render(page, texts))


class Target(Protocol):
    """Where a site goes. `Publication` is the one for a folder, `StoreSite` for an address."""

    @property
    def stage(self) -> Stage | StoreStage:
        """Where any process can put files."""

    def make_folder(self, path: str) -> None:
        """Make a folder, and those above it, where they are not there yet. Raises: PublishError."""

    def has(self, path: str) -> bool:
        """Whether the site before holds this file as it was written."""

    def reuse(self, path: str, content: Content) -> bool:
        """Take a file over from the site before; False where it is not there with this content."""

    def record(self, path: str, content: Content) -> None:
        """Count a file as written that was put on the stage. Raises: PublishError."""

    def write(self, path: str, data: bytes) -> None:
        """Stage one file, or take it over where it is the same. Raises: PublishError."""

    def commit(self) -> Published:
        """Publish all of it, or nothing. Raises: PublishError, RefusedOutput."""
