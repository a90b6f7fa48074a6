"""The last look at a finished page or data file, after which nothing changes it: numbers masks, and finds what is left.

Everything in it has passed the redactor once, so a find here is a hole in it: something that became a secret only when
pieces were put together. Such a find inside a block of run text takes that block off the page; anywhere else it stops
the publication, because nothing says how far it reaches. The same rules look, but at other text: the page as a
browser joins it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from sitegen.errors import PublishError
from sitegen.redact import Redactor, number_masks
from sitegen.secret_scan import Found

_BLOCK = re.compile(r"<(?P<name>article|pre|tbody|div)\b[^>]* data-untrusted(?=[ >])[^>]*>")
_TEXTS = (".html", ".json", ".js", ".csv", ".xml", ".svg", ".txt", ".md")
_NOTE = "Withheld: what stood here looks like {kind}."


@dataclass(frozen=True, slots=True)
class FinalScan:
    """Looks at finished files: `scan.finish(path, content)`."""

    redactor: Redactor
    spared: frozenset[str] = frozenset()
    """Values that the settings themselves publish, such as an address in the description."""
    is_strict: bool = False
    """Whether any find stops the publication."""

    @classmethod
    def of(cls, redactor: Redactor, own_texts: Iterable[str], *, is_strict: bool) -> FinalScan:
        """A scan that spares what the settings say themselves."""
        return cls(redactor, frozenset(f.value for text in own_texts for f in redactor.find(text)), is_strict)

    def finish(self, path: str, content: bytes) -> tuple[bytes, tuple[str, ...]]:
        """The file with its masks numbered, and the kinds of what had to be withheld.

        Raises: PublishError for a find that cannot be withheld, with the kind and the file, never the value.
        """
        if not path.endswith(_TEXTS):
            return content, ()
        text = content.decode("utf-8")
        is_page = path.endswith(".html")
        found = self._left(text, page=is_page)
        withheld: list[str] = []
        while found:
            block = _block_around(text, found[0]) if is_page and path.startswith("runs/") else None
            if block is None or self.is_strict:
                raise PublishError(
                    f"the finished {path} holds what looks like a secret or personal data ({found[0].kind}), "
                    "so nothing was published; if it is none, see `redact` in the settings"
                )
            kind = found[0].kind
            text = text[: block[0]] + _note(text[: block[0]], kind) + text[block[1] :]
            withheld.append(kind)
            found = self._left(text, page=True)
        return number_masks(text).encode(), tuple(withheld)

    def _left(self, text: str, *, page: bool) -> list[Found]:
        """What is found; sessions are known by their name only, and our own columns are called so."""
        found = self.redactor.find(text, page=page)
        return [each for each in found if each.value not in self.spared and each.kind != "session"]


def _block_around(page: str, found: Found) -> tuple[int, int] | None:
    """Where the content of the innermost block of run text around a find begins and ends."""
    inside = None
    for block in _BLOCK.finditer(page, 0, found.start):
        end = _end_of(page, block["name"], block.end())
        if end is not None and block.end() <= found.start and found.end <= end:
            inside = block.end(), end
    return inside


def _end_of(page: str, name: str, start: int) -> int | None:
    """Where the element that begins before `start` ends: elements of its name may stand inside it."""
    depth = 1
    for tag in re.finditer(rf"<(?P<end>/?){name}\b", page[start:]):
        depth += -1 if tag["end"] else 1
        if depth == 0:
            return start + tag.start()
    return None


def _note(before: str, kind: str) -> str:
    note = _NOTE.format(kind=f"{'an' if kind[0] in 'aeio' else 'a'} {kind}")
    before = before[before.rfind("<") :]
    if before.startswith("<tbody"):
        return f'<tr><td colspan="9">{note}</td></tr>'
    return note if before.startswith("<pre") else f"<p>{note}</p>"
