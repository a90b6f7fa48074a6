"""The marks that distinguish a run from others, and by which copies of it are found."""

import hashlib

from sitegen.model import BEGINNING, ResultKey
from sitegen.readers.common.records import Record, digest_of_record

MAX_KEYS = 500
"""Answers and prompts by which a copy is known."""
MIN_ID = 8
"""The length of an id of a session, below which it was made up, as in examples: logs of two programs that show it are
two runs."""

Known = set[str | int]
"""The marks of what files contain: keys of records, digests of answers and prompts."""


class Identity:
    """Keys of the answers and prompts of a run, and of the records that it begins with."""

    def __init__(self) -> None:
        self.session_id: str | None = None
        self.substitute: str | None = None
        """The text that distinguishes its session from others where it has no id."""
        self.keys: list[ResultKey] = []
        self.known: Known = set()
        """The marks of what this file, and those before it, contain."""
        self.is_apart = False
        """Whether it is no copy of what other files have: it is a part of its file that one of them may have, too."""
        self._chained = 0
        self._newest: Record | None = None
        self._digest_before = ""  # that of the records of its beginning before the last one
        self._kept: list[str] = []

    @property
    def session(self) -> str | None:
        """The name of its session: its id, or what stands in for it."""
        return self.session_id or self.substitute

    def add_key(self, *parts: object, cost_usd: float | None = None) -> None:
        """Add what identifies an answer or a prompt in every copy of the session; nothing where a part is unknown."""
        session = self.session
        if session and None not in parts and len(self.keys) < MAX_KEYS:
            text = "/".join(map(str, (session, *parts)))
            digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
            self.keys.append(ResultKey(digest, cost_usd, None, None))

    def is_copy(self, key: str | int) -> bool:
        """Return whether a record, an answer or a prompt that this key identifies was seen before; it is now."""
        if self.is_apart:
            key = -key if isinstance(key, int) else f"progress {key}"
        if key in self.known:
            return True
        self.known.add(key)
        return False

    def is_repeated(self, *parts: object) -> bool:
        """Return whether a record that these parts identify was read before; False where one of them is unknown."""
        return None not in parts and self.is_copy(hash(parts))

    def add_record(self, record: Record, *, has_usage: bool) -> None:
        """Chain up a record of the beginning, until the run counts something, or all of it where it has no id.

        So the same records are one run however they are written, and a copy that was cut before it counted is one of
        this run. The newest record waits, as it may be cut.
        """
        if self.keys or (has_usage and self.session):
            return
        if self._chained:
            self._digest_before = self._digest()
            if self._is_kept():
                self._kept.append(self._digest_before)
        self._chained += 1
        self._newest = record

    def beginnings(self, *, is_wrapped: bool) -> tuple[ResultKey, ...]:
        """Return the keys of its beginning; `is_wrapped` says that a log put text around the records."""
        session = self.session
        is_invented = bool(session) and len(session or "") < MIN_ID
        if not self._chained or (is_wrapped and is_invented):
            return ()
        digests = self._kept if session and self._kept else [self._digest()]
        return tuple(ResultKey(BEGINNING + digest, None, None, None) for digest in digests)

    def _digest(self) -> str:
        """Return what tells these records from others; most files are one, of which nobody asks."""
        return digest_of_record({"record": self._newest, "before": self._digest_before})

    def _is_kept(self) -> bool:
        """Return whether to keep the digest: of each of the first 16 records, then of every second, fourth and so
        on."""
        stride = 1 << max(self._chained.bit_length() - 4, 0)
        return self._chained % stride == 0
