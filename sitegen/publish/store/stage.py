"""Where the files of a site at an address are put, by any process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sitegen.errors import PublishError
from sitegen.publish.manifest import Content
from sitegen.publish.sentences import printable
from sitegen.remote import writing

MOST_HELD = 32_000_000
"""Bytes that a process holds before it writes them."""


@dataclass(frozen=True, slots=True)
class StoreStage:
    """The folder of one version: a value, so that other processes can put files there too."""

    root: str
    """Its address."""
    shown: str
    """The output, as messages name it."""

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
            if sum(map(len, held.values())) > MOST_HELD:
                self._write(held)
                held.clear()

        yield put
        self._write(held)

    def _write(self, files: dict[str, bytes]) -> None:
        if not files:
            return
        try:
            writing.write({f"{self.root}/{name}": data for name, data in files.items()})
        except OSError as error:
            raise PublishError(
                f"cannot write {printable(next(iter(files)))} to {self.shown}: {error.strerror or type(error).__name__}"
            ) from None
