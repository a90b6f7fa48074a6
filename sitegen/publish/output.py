"""Brings finished files to the publication, and spares the work on those that are as a build before has left them.

A file that is as it was is taken over in one of two ways. As the published site holds it: it has passed all that a new
file passes, and nothing that the cache says of it can bring another file to its place. Or from the cache, which may
come from others: then it passes what a new one passes, see `_is_fit`.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from sitegen.cache.kept_pages import is_page
from sitegen.cache.memory import Kind, Memory
from sitegen.html.data_scripts import is_script
from sitegen.html.render import Page, Renderer
from sitegen.masking.final_scan import FinalScan
from sitegen.masking.redact import clean_text
from sitegen.publish import Content, Publication

MOST_UNPACKED_BYTES = 32_000_000
"""A larger file is not kept."""


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
        """The file itself; None where it was not kept, or something else was."""
        if not self.packed or not 0 <= self.content.size <= MOST_UNPACKED_BYTES:
            return None
        unpacking = zlib.decompressobj()
        try:
            data = unpacking.decompress(self.packed, self.content.size + 1)
        except zlib.error:
            return None
        return data if Content.of(data) == self.content else None


@dataclass(frozen=True, slots=True)
class _NamedFile:
    path: str
    file: KeptFile


_FILES = Kind[tuple[_NamedFile, ...]]("files", tuple[_NamedFile, ...], most_bytes=32_000_000)
"""Files that are made together."""


class Output:
    """The files of a site on their way into the publication."""

    def __init__(
        self, publication: Publication, memory: Memory, final: FinalScan, renderer: Renderer, *, is_packing: bool
    ) -> None:
        """With `is_packing`, the memory keeps files themselves, not only what the published ones are known by."""
        self.publication = publication
        self.memory = memory
        self.written: list[str] = []
        """All paths so far."""
        self._final = final
        self._renderer = renderer
        self._is_packing = is_packing

    def write(self, path: str, content: bytes, *, holds_runs: bool = True) -> None:
        """Publish a file, after the last look where it holds what comes from runs. Raises: PublishError."""
        self._write(path, self._final.finish(path, content)[0] if holds_runs else content)

    def write_page(self, page: Page) -> None:
        """Publish a page that follows from the settings and its view: one that says what it said is taken over.

        Raises: as `write_all`.
        """
        self.write_all(page.path, page, [page.path], lambda: (page,))

    def write_all(
        self,
        key: str,
        made_from: object,
        paths: Collection[str],
        make: Callable[[], Iterable[Page | tuple[str, bytes]]],
    ) -> None:
        """Publish what `make` makes, which follows from the settings and from what the `repr` of `made_from` tells
        apart: where that is as it was, it is taken over. It is all pages of `paths`, and some of the scripts.

        Raises: PublishError, and ConfigError from a template of the user's theme.
        """
        stamp = self.memory.stamp(made_from, self._is_packing) if self.memory.is_open else b""
        kept = {each.path: each.file for each in self.memory.recall(_FILES, key, stamp) or ()}
        pages = {path for path in paths if path.endswith(".html")}
        known = kept if pages <= kept.keys() <= set(paths) else {}
        taken = {path for path, file in known.items() if self.take_over(path, file, paths)}
        if known and len(taken) == len(known):
            return
        mended_before = len(self._final.mended)
        files = {path: known[path] for path in known if path in taken}
        for each in make():
            path = each.path if isinstance(each, Page) else each[0]
            if path not in taken:
                content = self._renderer.render(each) if isinstance(each, Page) else each[1]
                finished, _ = self._final.finish(path, content)
                self._write(path, finished)
                if self.memory.is_open:
                    files[path] = KeptFile.of(finished, is_packing=self._is_packing)
        if len(self._final.mended) == mended_before:  # else there is something to say about it, each time
            self.memory.keep(_FILES, key, stamp, tuple(_NamedFile(*each) for each in files.items()))

    def take_over(self, path: str, file: KeptFile, beside: Collection[str] = ()) -> bool:
        """Publish a file as the site before has it, or else as it was kept; False where it is in neither. It may load
        the scripts among the files `beside` it.

        Raises: PublishError.
        """
        place = PurePosixPath(path)
        if not self.publication.reuse(place, file.content):
            data = file.unpacked()
            if data is None or not self._is_fit(path, data, beside):
                return False
            self.publication.write(place, data)
        self.written.append(path)
        return True

    def _is_fit(self, path: str, data: bytes, beside: Collection[str]) -> bool:
        """Whether a file from the cache may be published: it can be one that this program has made, and nothing that
        looks like a secret is found in it."""
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return False
        scripts = [*self._renderer.scripts, *(each for each in beside if each.endswith(".js"))]
        is_ours = is_script(data) if path.endswith(".js") else is_page(path, text, scripts)
        return is_ours and clean_text(text) == text and self._final.is_finished(path, text)

    def record(self, path: str, file: KeptFile) -> None:
        """Count a file as published that another process has staged. Raises: PublishError."""
        self.publication.record(PurePosixPath(path), file.content)
        self.written.append(path)

    def _write(self, path: str, finished: bytes) -> None:
        self.publication.write(PurePosixPath(path), finished)
        self.written.append(path)
