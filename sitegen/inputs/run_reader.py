"""The reading of files, as rules for runs in several files need it."""

from collections.abc import Callable, Sequence
from typing import Protocol

from sitegen.model import Entry, Run

Refresh = Callable[[Entry, Run], Entry]
"""An entry with another run, and with what follows from it."""


class RunReader(Protocol):
    """Reads runs again, and places them."""

    def read_new(self, entry: Entry, known: set[str | int]) -> Sequence[Entry]:
        """Return the runs in the file of an entry again, without records that are known; the others become known."""

    def refresh(self, entry: Entry, run: Run) -> Entry:
        """Return an entry with another run, and with what follows from it."""
