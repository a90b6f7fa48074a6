"""The last look at a finished page or data file, after which nothing changes it: numbers masks, and finds what is left.

Everything in it has passed the redactor once, so a find here is a hole in it: something that became a secret only when
pieces were put together. Such a find inside a block of run text takes that block off the page of the run; anywhere
else it is masked where it stands, so that no run can keep the others from being published. The same rules look, but at
other text: the page as a browser joins it, and cells of data files one by one, since the next may be of another run.
"""

import html
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from sitegen.errors import PublishError
from sitegen.masking.reading import INLINE, TAGS
from sitegen.masking.redact import Numbers, Redactor, mask, number_masks, replaced
from sitegen.masking.secret_looks import Found
from sitegen.model import frozen

_BLOCK = re.compile(r"<(?P<name>article|pre|tbody|div)\b[^>]* data-untrusted(?=[ >])[^>]*>")
_TEXTS = tuple(".html .json .jsonl .js .csv .xml .svg .txt .md .tex".split())
_NOTE = "Withheld: this text looks like {kind}."


@frozen
class FinalScan:
    """Looks at finished files: `scan.finish(path, content)`."""

    redactor: Redactor
    spared: frozenset[str] = frozenset()
    """Values that the settings themselves publish, such as an address in the description."""
    is_strict: bool = False
    """Whether any find stops the publication."""

    @classmethod
    def of(cls, redactor: Redactor, own_texts: Iterable[str], *, is_strict: bool) -> "FinalScan":
        """Return a scan that passes over what the settings say themselves."""
        return cls(
            redactor,
            frozenset(f.value for text in own_texts for f in redactor.find(text)),
            is_strict,
        )

    def finish(
        self, path: str, content: bytes | Iterable[bytes], numbers: Numbers | None = None
    ) -> tuple[bytes, tuple[str, ...]]:
        """Return the file, whole or in pieces, with its masks numbered, and the kinds of what had to be withheld or
        masked. `numbers` of several files go on from one to the next.

        Raises: PublishError for a find that stops the publication, with the kind and the file, never the value.
        """
        if not path.endswith(_TEXTS):
            return whole(content), ()
        kinds: list[str] = []
        finished = io.BytesIO()  # parts, and all of them joined, would stand in memory twice
        for part in self.parts(path, content, kinds, numbers):
            finished.write(part)
        return finished.getvalue(), tuple(dict.fromkeys(kinds))

    def parts(
        self,
        path: str,
        content: bytes | Iterable[bytes],
        kinds: list[str],
        numbers: Numbers | None = None,
    ) -> Iterator[bytes]:
        """Yield the finished file part by part; the kinds of what is found are added to `kinds`. Raises: as
        `finish`."""
        numbers = {} if numbers is None else numbers
        is_csv = path.endswith(".csv")
        is_in_parts = path.endswith(IN_PARTS)
        for part in _parts(content, is_csv=is_csv) if is_in_parts else (whole(content),):
            yield number_masks(
                self._without_finds(path, part.decode("utf-8"), kinds), numbers
            ).encode()

    def kinds_in(self, cells: Iterable[str]) -> tuple[str, ...]:
        """Return the kinds of what is found in cells of data files."""
        return tuple(dict.fromkeys(found.kind for cell in cells for found in self._in_cell(cell)))

    def _without_finds(self, path: str, text: str, kinds: list[str]) -> str:
        """Return a file, or a part of one, without what is found in it."""
        if path.endswith(".html"):
            return self._page_without_finds(path, text, kinds)
        if not path.endswith(".js"):
            return self._cells_without_finds(path, text, _FORMS[path.rpartition(".")[2]], kinds)
        if _DATA_SCRIPT.match(text):
            return _LITERAL.sub(
                lambda literal: self._literal_without_finds(path, literal, kinds), text
            )
        return text

    def _cells_without_finds(self, path: str, text: str, form: "_Form", kinds: list[str]) -> str:
        masked: dict[str, str] = {}
        for written in dict.fromkeys(form.cell.findall(text)):  # many are equal
            cell = form.read(written)
            if found := self._in_cell(cell):
                masked[written] = form.write(self._masked(path, cell, found, kinds))
        return form.cell.sub(lambda match: masked.get(match[0], match[0]), text) if masked else text

    def _literal_without_finds(self, path: str, literal: re.Match[str], kinds: list[str]) -> str:
        """Return a string of a data script: a name, which is one cell, or JSON."""
        held = _in_quotes(literal[0])
        kept = self._cells_without_finds(
            path, held, _TEXT if literal["is_name"] is not None else _JSON, kinds
        )
        return (
            literal[0]
            if kept == held
            else _FOR_SCRIPT.sub(lambda sign: f"\\u{ord(sign[0]):04x}", _quoted(kept))
        )

    def _in_cell(self, cell: str) -> list[Found]:
        """Return what is found in a cell. Most are as the redactor has left them, and as other files have them."""
        return (
            []
            if Redactor.__call__(self.redactor, cell) == cell
            else self._known(self.redactor.find(cell))
        )

    def _masked(self, path: str, cell: str, found: list[Found], kinds: list[str]) -> str:
        """Return a cell with masks in the place of the finds."""
        if self.is_strict:
            raise _refusal(path, found[0].kind)
        kinds += [each.kind for each in found]
        for _ in range(_ROUNDS):
            cell = replaced(
                cell, ((each.start, each.end, mask(each.kind, each.value)) for each in found)
            )
            if not (found := self._in_cell(cell)):
                return cell
        return mask(found[0].kind, found[0].value)

    def _page_without_finds(self, path: str, page: str, kinds: list[str]) -> str:
        found = self._on_page(path, page)
        for _ in range(_ROUNDS):
            if not found or self.is_strict:
                break
            kinds += [each.kind for each in found]
            page = _without(page, found, path)
            found = self._on_page(path, page)
        if found:
            raise _refusal(path, found[0].kind)
        return page

    def _on_page(self, path: str, page: str) -> list[Found]:
        """Return what is found in texts that a browser shows as one; on the page of a run, in its blocks of run
        text."""
        if not self.redactor.find(page, page=True):  # the usual case
            return []
        return self._known(
            Found(start + each.start, start + each.end, each.kind, each.value)
            for start, end in _shown_apart(path, page)
            for each in self.redactor.find(page[start:end], page=True)
        )

    def _known(self, found: Iterable[Found]) -> list[Found]:
        """Return what counts; sessions are known by their name only, and our own columns are called so."""
        return [each for each in found if each.value not in self.spared and each.kind != "session"]


def _refusal(path: str, kind: str) -> PublishError:
    return PublishError(
        f"the finished {path} holds what looks like a secret or personal data ({kind}), "
        "so nothing was published; if it is not one, see `redact` in the settings"
    )


IN_PARTS = (".json", ".csv")
"""Files that are looked at in parts of whole lines: large ones would stand in memory several times."""


def whole(content: bytes | Iterable[bytes]) -> bytes:
    """Return a file, also of its pieces."""
    return content if isinstance(content, bytes) else b"".join(content)


def _parts(content: bytes | Iterable[bytes], *, is_csv: bool) -> Iterator[bytes]:
    """Yield pieces of whole lines, or records."""
    held = bytearray()
    at = 0
    for piece in (content,) if isinstance(content, bytes) else content:
        held += piece
        while (end := held.find(b"\n", at)) != -1:
            at = end + 1
            if at > _MAX_OF_PART and not (is_csv and held.count(b'"', 0, at) % 2):
                yield bytes(held[:at])
                del held[:at]
                at = 0
    yield bytes(held)


_MAX_OF_PART = 16_000
# The number of times that a file is looked at again: taking something out may put together what stood around it.
_ROUNDS = 5
_BORDER = re.compile(r"<[^>]*>|\\*[\"<>]|\n")
_KEY_BODY = re.compile(r"(?:[A-Za-z0-9+/=\s]|\\+n){40,}")


def _without(text: str, found: Iterable[Found], path: str) -> str:
    """Return a page without the finds: blocks of run text are withheld on the page of the run, others masked in
    place."""
    return replaced(text, (piece for each in found for piece in _pieces(text, each, path)))


def _pieces(text: str, found: Found, path: str) -> Iterator[tuple[int, int, str]]:
    """Yield what of a find is replaced: start, end and by what. Elements within a word and the end of a value stay.

    What follows behind another border may belong to another run, so of that only the body of a key is replaced.
    """
    if (
        path.startswith("runs/")
        and path.endswith(".html")
        and (block := _block_around(text, found))
    ):
        yield (*block, _note(text[: block[0]], found.kind))
        return
    start = len(text[: found.start].rstrip("\\"))  # half an escape would break the file
    shown = mask(found.kind, found.value)
    is_same_value = True
    borders = [*_BORDER.finditer(text, found.start, found.end), None]
    for each in borders:
        end = each.start() if each else found.end
        if end > start and (is_same_value or _KEY_BODY.fullmatch(text, start, end)):
            yield start, end, shown
            shown = ""
        if each:
            is_same_value = is_same_value and bool(TAGS.fullmatch(each[0]))
            start = each.end()


class _Form(NamedTuple):
    """The way a kind of file writes its cells."""

    cell: re.Pattern[str]
    read: Callable[[str], str]
    write: Callable[[str], str]


def _in_quotes(cell: str) -> str:
    return str(json.loads(cell)) if "\\" in cell else cell[1:-1]


_quoted = partial(json.dumps, ensure_ascii=False)
_JSON = _Form(re.compile(r'"(?:[^"\\]|\\.)*+"'), _in_quotes, _quoted)
_XML = _Form(re.compile(r'(?<=>)[^<]+|(?<==")[^"]+'), html.unescape, html.escape)
_TEXT = _Form(re.compile(r"(?s).+"), str, str)
# The cells of each kind of file, by the end of its name. Numbers are not cells: they are ours.
_FORMS = {
    "json": _JSON,
    "jsonl": _JSON,
    "csv": _Form(
        re.compile(r'(?<![^,\n])(?:"(?:[^"]|"")*+"|(?!-?[0-9.]{1,12}(?:[,\n]|\Z))[^",\n]+)'),
        lambda cell: cell[1:-1].replace('""', '"') if cell[0] == '"' else cell,
        lambda text: (
            '"{}"'.format(text.replace('"', '""')) if re.search('[",\r\n]', text) else text
        ),
    ),
    "xml": _XML,
    "svg": _XML,
    "md": _Form(re.compile(r"(?:\\.|[^|\\\n])+"), str, str),
    "txt": _TEXT,
    "tex": _TEXT,
}
_DATA_SCRIPT = re.compile(r"window\.[^=;]{1,100}=(?:JSON\.parse\(|\{)")
# A string of a script as `data_scripts` writes it; other scripts are our own.
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*+"(?P<is_name>(?=:))?')
_FOR_SCRIPT = re.compile("[<>&\u2028\u2029]")


# The places in our own tables and lists behind which a browser shows the text apart from what precedes it.
_APART = re.compile(rf"(?=<(?!/?(?:{INLINE})\b))|(?<=[\s>])(?=<a )")


def _shown_apart(path: str, page: str) -> Iterator[tuple[int, int]]:
    """Yield where each text of a page begins and ends, with the attributes of its element."""
    at = 0
    for block in _BLOCK.finditer(page) if path.startswith("runs/") else ():
        end = _end_of(page, block["name"], block.end())
        if end is not None and block.start() >= at:
            yield from _between(page, at, block.end())
            yield block.end() - 1, end  # what stands in pieces of a page stands behind a `>`
            at = end
    yield from _between(page, at, len(page))


def _between(page: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for border in _APART.finditer(page, start, end):
        yield start, border.start()
        start = border.start()
    yield start, end


def _block_around(page: str, found: Found) -> tuple[int, int] | None:
    """Return where the content of the innermost block of run text around a find begins and ends."""
    inside = None
    for block in _BLOCK.finditer(page, 0, found.start):
        end = _end_of(page, block["name"], block.end())
        if end is not None and block.end() <= found.start and found.end <= end:
            inside = block.end(), end
    return inside


def _end_of(page: str, name: str, start: int) -> int | None:
    """Return where the element that begins before `start` ends: elements of its name may stand inside it."""
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
