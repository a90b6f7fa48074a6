"""The last look at a finished page or data file, after which nothing changes it: numbers masks, and finds what is left.

Everything in it has passed the redactor once, so a find here is a hole in it: something that became a secret only when
pieces were put together. Such a find inside a block of run text takes that block off the page of the run; anywhere
else it is masked where it stands, so that no run can keep the others from being published. The same rules look, but at
other text: the page as a browser joins it.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sitegen.errors import PublishError
from sitegen.masking.reading import TAGS
from sitegen.masking.redact import Numbers, Redactor, mask, number_masks
from sitegen.masking.secret_looks import Found

_BLOCK = re.compile(r"<(?P<name>article|pre|tbody|div)\b[^>]* data-untrusted(?=[ >])[^>]*>")
_TEXTS = (".html", ".json", ".jsonl", ".js", ".csv", ".xml", ".svg", ".txt", ".md")
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
        """A scan that passes over what the settings say themselves."""
        return cls(redactor, frozenset(f.value for text in own_texts for f in redactor.find(text)), is_strict)

    def finish(
        self, path: str, content: bytes | Iterable[bytes], numbers: Numbers | None = None
    ) -> tuple[bytes, tuple[str, ...]]:
        """The file, whole or in pieces, with its masks numbered, and the kinds of what had to be withheld or masked.
        `numbers` of several files go on from one to the next.

        Raises: PublishError for a find that cannot be taken out, with the kind and the file, never the value.
        """
        if not path.endswith(_TEXTS):
            return whole(content), ()
        kinds: list[str] = []
        finished = io.BytesIO()  # parts, and all of them joined, would stand in memory twice
        for part in self.parts(path, content, kinds, numbers):
            finished.write(part)
        data = finished.getvalue()
        if kinds and not _is_whole(path, data.decode()):
            raise _refusal(path, kinds[0])
        return data, tuple(dict.fromkeys(kinds))

    def parts(
        self, path: str, content: bytes | Iterable[bytes], kinds: list[str], numbers: Numbers | None = None
    ) -> Iterator[bytes]:
        """The finished file part by part; the kinds of what is found are added to `kinds`. Only `finish` tells whether
        a file in which something was found can still be read. Raises: as `finish`."""
        numbers = {} if numbers is None else numbers
        is_in_parts = path.endswith(IN_PARTS)
        for part in _parts(content, is_csv=path.endswith(".csv")) if is_in_parts else (whole(content),):
            text, kinds_of_part = self._mended(path, part)
            kinds += kinds_of_part
            yield number_masks(text, numbers).encode()

    def is_finished(self, path: str, text: str) -> bool:
        """Whether `finish` would leave a file, that is not looked at in parts, as it is."""
        return number_masks(text, {}) == text and not self._left(path, text)

    def _mended(self, path: str, part: bytes) -> tuple[str, list[str]]:
        """A file, or a part of one, without what is found in it, and the kinds of that."""
        text, kinds = part.decode("utf-8"), list[str]()
        found = self._left(path, text)
        for _ in range(_ROUNDS):
            if not found or self.is_strict:
                break
            kinds += [each.kind for each in found]
            text = _without(text, found, path)
            found = self._left(path, text)
        if found:
            raise _refusal(path, found[0].kind)
        return text, kinds

    def _left(self, path: str, text: str) -> list[Found]:
        """What is found; sessions are known by their name only, and our own columns are called so."""
        found = self._found(text, path)
        return [each for each in found if each.value not in self.spared and each.kind != "session"]

    def _found(self, text: str, path: str) -> Iterable[Found]:
        return self.redactor.find(text, page=path.endswith(".html"))


def _refusal(path: str, kind: str) -> PublishError:
    return PublishError(
        f"the finished {path} holds what looks like a secret or personal data ({kind}), "
        "so nothing was published; if it is none, see `redact` in the settings"
    )


IN_PARTS = (".json", ".csv")
"""Files that are looked at in parts of whole lines: only a private key goes on in the next one. Large ones as a whole
would stand in memory several times, one with masks by four bytes a character."""


def whole(content: bytes | Iterable[bytes]) -> bytes:
    """A file, also of its pieces."""
    return content if isinstance(content, bytes) else b"".join(content)


def _parts(content: bytes | Iterable[bytes], *, is_csv: bool) -> Iterator[bytes]:
    """Pieces of whole lines, or records."""
    held, at = bytearray(), 0
    for piece in (content,) if isinstance(content, bytes) else content:
        held += piece
        while (end := held.find(b"\n", at)) != -1:
            at = end + 1
            if at > _MOST_OF_PART and not (is_csv and held.count(b'"', 0, at) % 2) and not _in_key(held, at):
                yield bytes(held[:at])
                del held[:at]
                at = 0
    yield bytes(held)


def _in_key(content: bytearray, end: int) -> bool:
    """Whether a private key has begun and not ended: its lines may stand in several records."""
    begun = content.rfind(b"-----BEGIN", 0, end)
    return begun != -1 and end - begun < _MOST_OF_KEY and content.find(b"-----END", begun, end) == -1


_MOST_OF_PART = 16_000
_MOST_OF_KEY = 100_000
_ROUNDS = 5
"""How often a file is looked at again: taking something out may put together what stood around it."""
_BORDER = re.compile(r"<[^>]*>|\\*[\"<>]|\n")
_CELL_BORDER = re.compile(r"[\",\n]")
_KEY_BODY = re.compile(r"(?:[A-Za-z0-9+/=\s]|\\+n){40,}")


def _without(text: str, found: Iterable[Found], path: str) -> str:
    """The text without the finds: blocks of run text are withheld on the page of the run, others masked in place."""
    parts, at = [], 0
    for each in found:
        block = _block_around(text, each) if path.startswith("runs/") and path.endswith(".html") else None
        if block and block[0] >= at:
            parts += [text[at : block[0]], _note(text[: block[0]], each.kind)]
            at = block[1]
        for start, end, shown in (
            [] if block else _pieces(text, each, _CELL_BORDER if path.endswith(".csv") else _BORDER)
        ):
            if start >= at:
                parts += [text[at:start], shown]
                at = end
    return "".join([*parts, text[at:]])


def _pieces(text: str, found: Found, border: re.Pattern[str]) -> Iterator[tuple[int, int, str]]:
    """What of a find is replaced: start, end and by what. Elements within a word and the end of a value stay.

    What follows behind another border may belong to another run, so of that only the body of a key is replaced.
    """
    start = len(text[: found.start].rstrip("\\"))  # half an escape would break the file
    shown, is_same_value = mask(found.kind, found.value), True
    borders = [*border.finditer(text, found.start, found.end), None]
    for each in borders:
        end = each.start() if each else found.end
        if end > start and (is_same_value or _KEY_BODY.fullmatch(text, start, end)):
            yield start, end, shown
            shown = ""
        if each:
            is_same_value = is_same_value and bool(TAGS.fullmatch(each[0]))
            start = each.end()


def _is_whole(path: str, text: str) -> bool:
    """Whether a data file can still be read."""
    try:
        if path.endswith(".json"):
            json.loads(text)
        elif script := _SCRIPT.fullmatch(text):
            value = json.loads(script["parsed"] or script["texts"])
            for each in [value] if isinstance(value, str) else value.values():
                json.loads(each)
    except ValueError:
        return False
    return True


_SCRIPT = re.compile(
    r"window\.\w+(?:\[\"[\w-]+\"\])?=(?:JSON\.parse\((?P<parsed>.*)\)|(?P<texts>\{.*\}));\n", re.DOTALL
)


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
