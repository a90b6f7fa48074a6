"""Brings finished files to the publication, and spares the work on those that are as a build before has left them."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from sitegen.final_scan import IN_PARTS, FinalScan, Looked
from sitegen.memory import Memory
from sitegen.publish import Content, Publication
from sitegen.render import Page, Renderer

_FILES, _LOOK = "files", "look"
"""What a memory keeps: files that are made together, and what the last look made of others."""


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A published file, as a memory keeps it."""

    content: Content
    packed: bytes
    """The file itself, compressed; empty where it is to be found in the published site only."""

    @classmethod
    def of(cls, data: bytes, *, is_packing: bool) -> KeptFile:
        """That of these bytes."""
        return cls(Content.of(data), zlib.compress(data, 1) if is_packing else b"")


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
        self._looked = Looked(memory.recall(_LOOK, "", memory.stamp()) or frozenset())

    def write(self, path: str, content: bytes, *, holds_runs: bool = True) -> None:
        """Publish a file, after the last look where it holds what comes from runs. Raises: PublishError."""
        self._write(path, self._looked_at(path, content) if holds_runs else content)

    def write_page(self, page: Page) -> None:
        """Publish a page that follows from the settings and its view: one that says what it said is taken over.

        Raises: as `write_all`.
        """
        self.write_all(page.path, page, lambda: (page,))

    def write_all(self, key: str, made_from: object, make: Callable[[], Iterable[Page | tuple[str, bytes]]]) -> None:
        """Publish what `make` makes, which follows from the settings and from what the `repr` of `made_from` tells
        apart: where that is as it was, it is taken over.

        Raises: PublishError, and ConfigError from a template of the user's theme.
        """
        stamp = self.memory.stamp(made_from, self._is_packing) if self.memory.is_open else b""
        known: tuple[tuple[str, KeptFile], ...] = self.memory.recall(_FILES, key, stamp) or ()
        taken = {path for path, file in known if self.take_over(path, file)}
        if known and len(taken) == len(known):
            return
        mended_before = len(self._final.mended)
        kept = [each for each in known if each[0] in taken]
        for each in make():
            path = each.path if isinstance(each, Page) else each[0]
            if path not in taken:
                content = self._renderer.render(each) if isinstance(each, Page) else each[1]
                finished, _ = self._final.finish(path, content)
                self._write(path, finished)
                if self.memory.is_open:
                    kept.append((path, KeptFile.of(finished, is_packing=self._is_packing)))
        if len(self._final.mended) == mended_before:  # else there is something to say about it, each time
            self.memory.keep(_FILES, key, stamp, tuple(kept))

    def take_over(self, path: str, file: KeptFile) -> bool:
        """Publish a file as the site before has it, or else as it was kept; False where it is in neither.

        Raises: PublishError.
        """
        place = PurePosixPath(path)
        if not self.publication.reuse(place, file.content):
            if not file.packed:
                return False
            self.publication.write(place, zlib.decompress(file.packed))
        self.written.append(path)
        return True

    def keep(self) -> None:
        """Leave to the next build what was looked at in parts. All else is left as it is written."""
        self.memory.keep(_LOOK, "", self.memory.stamp(), frozenset(self._looked.now))

    def record(self, path: str, file: KeptFile) -> None:
        """Count a file as published that another process has staged. Raises: PublishError."""
        self.publication.record(PurePosixPath(path), file.content)
        self.written.append(path)

    def _write(self, path: str, finished: bytes) -> None:
        self.publication.write(PurePosixPath(path), finished)
        self.written.append(path)

    def _looked_at(self, path: str, content: bytes) -> bytes:
        """A file after the last look, which one look at the same bytes has made for good."""
        if path.endswith(IN_PARTS):
            return self._final.finish(path, content, self._looked)[0]
        stamp = self.memory.stamp(hashlib.blake2b(content).digest())
        known: bytes | None = self.memory.recall(_LOOK, path, stamp)
        if known is not None:
            return known or content
        mended_before = len(self._final.mended)
        finished, _ = self._final.finish(path, content)
        if len(self._final.mended) == mended_before:  # else there is something to say about it, each time
            self.memory.keep(_LOOK, path, stamp, b"" if finished == content else finished)
        return finished
