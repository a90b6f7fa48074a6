"""The text that a log puts around the lines of a program: a time stamp, the name of a container, or a record of JSON
for each; and the breaks that a terminal puts into long lines.

Nothing of it is known by name. A prefix is what stands before the JSON on most lines that have some, with digits, times
and blanks that may differ from line to line; a record has its line in one of `_FIELDS`. The first bytes decide, so
files without it cost a look at them.
"""

import codecs
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, BinaryIO, NamedTuple

from sitegen.readers.common.records import parsed_object

MAX_LAYERS = 3  # a line of `docker compose logs` in a log of CI has two
# Lines for each with the prefix; a log that quotes a result now and then is not a run.
MAX_SHARE_OF_OTHERS = 10
MIN_COLUMNS = 40
MAX_LINES_LOOKED_AT = 200  # the limit on lines looked at for a string that goes on in the next line
_PIECE_BYTES = 4 * 1024**2
_JSON = re.compile(rb'([^"{}\n]{0,200}?)(?:\{\s*(?:"|$)|\[\s*(?:\{|$))')
_PREFIX = re.compile(rb"(?:[^=]{0,200}(?:[\s:|\])>\x1e]|\x1b\[[\d;]*m)|\x1b_bk;t=\d+\x07)\Z")
_BOM = b"\xef\xbb\xbf"
_BEGINS = re.compile(rb"[\w\[(|>\x1b\x1e\x80-\xff]|<\d| +\d")
_IS_JSON = re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:["{]|\[\s*["{\[\]])')
_IS_JSON_LINE = re.compile(
    rb'^(?:\xef\xbb\xbf)?[ \t]*(?:\{\s*(?:"|$)|\[\s*(?:[\[{"]|$))', re.MULTILINE
)
_ESCAPE = re.compile(rb"\\.")
_TOKENS = re.compile(
    rb"(?P<time>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)"
    rb"|(?P<clock>\d\d?:\d\d:\d\d(?:[.,]\d+)?)"
    rb"|(?P<cri>std(?:out|err) [FP] )|(?P<gitlab>(?<= )\d\d[OE][ +])"
    rb"|(?P<name>\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b)"
    rb"|(?P<digits>\d+)|(?P<blanks>[ \t]+)|(?P<other>.)"
)
_SHAPES = {
    "time": rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|[+-]\d\d:?\d\d))?",
    "clock": rb"\d\d?:\d\d:\d\d(?:[.,]\d+)?",
    "cri": rb"std(?:out|err) (?:F|(?P<goes_on>P)) ",  # of a runtime of containers: a line in parts
    "gitlab": rb"\d\d[OE](?: |(?P<continues>\+))",  # `+`: the line before goes on
    "name": rb"[A-Z][a-z]{2}",
    "digits": rb"\d+",
    "blanks": rb"[ \t]*",
}
_FIELDS = "log event line message MESSAGE msg text data stdout output raw textPayload body".split()
# The keys under which the record of a log has the object itself.
_OF_OBJECTS = ("jsonPayload", "record", "result", "entry", *_FIELDS)
_MAY_BE_RECORD = re.compile(rf'"(?:{"|".join(_OF_OBJECTS)})"\s*:\s*["{{]'.encode())
# The values of `type` in a record of a log; others are records of an agent.
_STREAMS = ("stdout", "stderr", "out", "err", "log", "data", "output", None)
_OF_AGENT = re.compile(rf'\{{\s*"type"\s*:\s*"(?!(?:{"|".join(filter(None, _STREAMS))})")'.encode())


class Wrapping(NamedTuple):
    """The text around each line of a file."""

    what: str
    unwrap: Callable[[BinaryIO], Iterator[bytes]]
    """The content without it, from a stream at its beginning."""


def wrapping_of(head: bytes) -> Wrapping | None:
    """Return what stands around the lines of a file that begins like this."""
    if b"\0" in head:  # neither text nor UTF-8
        return _of_utf_16(head)
    if not _IS_JSON.match(head):
        return _prefix_of(head) or _terminal_of(head)
    first = head.lstrip().partition(b"\n")[0]
    may_be_record = not _OF_AGENT.match(first) and _MAY_BE_RECORD.search(first)
    if may_be_record and (record := _parsed(first)) and record.get("type") in _STREAMS:
        return _record_of(head) or _terminal_of(head)
    return _terminal_of(head)


def _of_utf_16(head: bytes) -> Wrapping | None:
    """Return what stands around the lines of a text in UTF-16; None where nothing does, so that it is read as it is."""
    if head[:2] not in (b"\xff\xfe", b"\xfe\xff") or head[2:4] == b"\0\0":
        return None
    plain = head[: len(head) // 2 * 2].decode("utf-16", "replace").encode()
    inner = None if b"\0" in plain else wrapping_of(plain)

    def unwrap(stream: BinaryIO) -> Iterator[bytes]:
        plain = codecs.EncodedFile(stream, "utf-8", "utf-16", "replace")
        yield from inner.unwrap(plain) if inner else ()

    return inner and Wrapping(inner.what, unwrap)


def _prefix_of(head: bytes) -> Wrapping | None:
    lines = [line for line in head.removeprefix(_BOM).splitlines() if line.strip()]
    prefixes = [
        found[1]
        for line in lines
        if (b"{" in line or b"[" in line) and (found := _JSON.match(line))
    ]
    counted = Counter(map(_shape, prefixes))
    if not counted or any(not prefix.strip() for prefix in prefixes):
        return None
    shape = max(counted, key=lambda each: counted[each])
    prefix = next(each for each in prefixes if _shape(each) == shape)
    if not (_PREFIX.match(prefix) and _BEGINS.match(prefix)):
        return None
    pattern = re.compile(rb"(?:\xef\xbb\xbf)?" + shape)
    most = (
        1 if prefix.lstrip()[:1] == b">" else MAX_SHARE_OF_OTHERS
    )  # a document quotes a part, a mail all
    if sum(pattern.match(line) is not None for line in lines) * most < len(lines):
        return None
    begins = {each.lastgroup for each in _TOKENS.finditer(prefix)} & {"time", "clock"}
    kind = (
        "a time stamp" if begins else "the same prefix"
    )  # never its text, which may be of a prompt
    wrapping = Wrapping(
        f"Each line begins with {kind}; that is left out.", partial(_without_prefix, pattern)
    )
    return wrapping if _is_json(b"".join(wrapping.unwrap(io.BytesIO(head)))) else None


def _without_prefix(pattern: re.Pattern[bytes], stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines that have it, from the first one with JSON on; of others, those that are JSON."""
    is_at_start, has_begun, is_kept, line_end = True, False, False, b""
    while line := stream.readline(_PIECE_BYTES):
        is_last = line.endswith(b"\n")
        found = pattern.match(line) if is_at_start else None
        body = line[found.end() if found else 0 :].removesuffix(b"\n")
        if is_at_start:
            is_kept = (found is not None or line[:2] == b'{"') and (
                has_begun or _IS_JSON.match(body) is not None
            )
        if is_kept:
            parts = found.groupdict() if found else {}
            yield b"" if parts.get("continues") else line_end
            yield body
            line_end = b"\n" if is_last and not parts.get("goes_on") else b""
        is_at_start = is_last
        has_begun = has_begun or is_kept
    yield line_end


def _terminal_of(head: bytes) -> Wrapping | None:
    """Return a text that was copied from a terminal: a string of the first broken value goes on in the next line."""
    begin = -1
    at = 0
    for line in head.split(b"\n", MAX_LINES_LOOKED_AT)[:-1]:
        if _IS_JSON_LINE.match(line):
            begin = at
        if begin >= 0 and _ESCAPE.sub(b"", line).count(b'"') % 2:
            break
        at += len(line) + 1
    else:
        return None
    columns = len(line.decode(errors="replace").rstrip("\r\n"))
    if columns < MIN_COLUMNS or _is_json(head[begin:]):
        return None
    unwrapped = b"".join(_without_line_ends(columns, io.BytesIO(head[begin:])))
    what = f"Lines that a terminal of {columns} columns had wrapped were joined."
    return Wrapping(what, partial(_without_line_ends, columns)) if _is_json(unwrapped) else None


def _without_line_ends(columns: int, stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines from the first one with JSON on, without line ends that are not its own. Where a line in a string
    is shorter than the terminal, its end may be: it is kept."""
    escape, is_open, has_begun = b"", False, False
    while line := stream.readline(_PIECE_BYTES):
        has_begun = has_begun or _IS_JSON_LINE.match(line) is not None
        if not has_begun:
            continue
        body = line.rstrip(b"\r\n")
        bare = _ESCAPE.sub(b"", escape + body)
        escape = b"\\" if bare.endswith(b"\\") else b""
        is_open ^= bare.count(b'"') % 2 == 1
        is_full = len(body.decode(errors="replace")) == columns
        yield body if is_full else body + (b"\\n" if is_open else b"\n")


def _is_json(data: bytes) -> bool:
    """Return whether it begins with a value, or with a part of one if it is cut."""
    try:
        json.JSONDecoder().raw_decode(data.decode(errors="replace").lstrip())
    except json.JSONDecodeError as error:
        return b'"' in data and (
            not error.doc[error.pos :].strip() or error.msg.startswith("Unterminated string")
        )
    except (ValueError, RecursionError):
        return True  # a number of many digits, or deep
    return True


def _shape(prefix: bytes) -> bytes:
    """Return a pattern of this prefix and of those that differ from it in numbers, times and blanks."""
    shapes: list[bytes] = []
    for each in _TOKENS.finditer(prefix):
        shape = _SHAPES.get(each.lastgroup or "", re.escape(each[0]))
        again = shape.replace(b"?P<goes_on>", b"?:").replace(b"?P<continues>", b"?:")
        shapes.append(again if shape in shapes else shape)
    return b"".join(shapes)


def _record_of(head: bytes) -> Wrapping | None:
    records = list(filter(None, map(_parsed, head.splitlines())))
    if any(record.get("type") not in _STREAMS for record in records):
        return None
    for field in _OF_OBJECTS:
        said = [text for record in records if (text := _line_of(record, field))]
        if 2 * len(said) > len(records) and any(text.lstrip()[:1] in ("{", "[") for text in said):
            break
    else:
        return None
    line_end = (
        "" if any(text.endswith("\n") for text in said) else "\n"
    )  # Docker puts a long line into several

    def unwrap(stream: BinaryIO) -> Iterator[bytes]:
        while line := stream.readline(_PIECE_BYTES):
            text = _line_of(_parsed(line), field)
            yield line if text is None else f"{text}{line_end}".encode(errors="replace")

    return Wrapping(
        f'Each line is the "{field}" of a record of a log; the rest of it is left out.', unwrap
    )


def _line_of(record: dict[str, Any], field: str) -> str | None:
    """Return what a program wrote, in the record of a log: a text, or the object alone, or as one service has it."""
    said = record.get(field)
    if isinstance(said, dict) and (len(record) == 1 or field == "jsonPayload"):
        return json.dumps(said)
    return said if isinstance(said, str) and field in _FIELDS else None


def _parsed(line: bytes) -> dict[str, Any]:
    """Return the object that a line is; an empty one where it is none."""
    return parsed_object(line) if line[:1] == b"{" else {}


class Unwrapped(io.RawIOBase):
    """The content of a stream without what is around each of its lines."""

    def __init__(self, stream: BinaryIO, wrapping: Wrapping) -> None:
        self._stream = stream
        self._wrapping = wrapping
        self.seek(0)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Return only from the beginning: what is before it is read again."""
        if whence != io.SEEK_SET:
            raise io.UnsupportedOperation
        self._stream.seek(0)
        self._pieces, self._left, self._at = self._wrapping.unwrap(self._stream), b"", 0
        while self._at < offset and self.readinto(bytearray(min(offset - self._at, _PIECE_BYTES))):
            pass
        return self._at

    def readinto(self, buffer: Any) -> int:
        while not self._left:
            if (piece := next(self._pieces, None)) is None:
                return 0
            self._left = piece
        data = self._left[: len(buffer)]
        self._left = self._left[len(buffer) :]
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)
