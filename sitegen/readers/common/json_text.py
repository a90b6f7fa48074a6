"""Bytes to JSON values: the forms that files of runs come in, and a verdict on every other.

A run's file is often a redirected terminal: a warning stands before the JSON, `Killed` after it, the encoding is that
of PowerShell, two programs wrote at once, the disk was full. What can be read without guessing is read, and said to be
doubtful; what would need a guess is refused with the place where reading ended. Three rules keep that honest:

- JSON begins where a line begins (after blanks and terminal codes). Text around it is noise; a comment, conflict marks
  or control characters before it are damage.
- A line that begins like an object and is none is a bad line: said, and left out.
- Depth and digits are limited before they can hurt, and every loop here advances, so time is linear in the size.
"""

import json
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, BinaryIO

from pydantic_core import from_json

from sitegen.errors import ReadError
from sitegen.readers.common.fields import depth_of
from sitegen.readers.common.records import parsed
from sitegen.readers.common.values import Caveats, brief
from sitegen.readers.run_file import RunFile

MAX_DEPTH = 1000
DOUBTFUL_DEPTH = 100
MAX_SPANNING = 8  # failures of values that go on in the next line: each costs a pass over the text
# The limit for a file among noise or of many lines; the streams of programs have some thousand.
MAX_VALUES = 1_000_000
WINDOW_BYTES = 4 * 1024**2
"""The part of a larger file that is in memory at once if it begins with a line of JSON, plus the line that it ends
in."""
MAX_AT_ONCE_BYTES = 64 * 1024**2  # the limit on any other file, and on one line

_LARGE = f"it is larger than {MAX_AT_ONCE_BYTES // 1024**2} MB"

_BYTE_ORDER_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"),  # before UTF-16, which its mark begins with
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_UTF16_WITHOUT_MARK = (
    (re.compile(rb"[^\0]\0[^\0]\0"), "utf-16-le"),
    (re.compile(rb"\0[^\0]\0[^\0]"), "utf-16-be"),
)
_HIGH_RUN = re.compile(rb"[\x80-\xff]{3}")

TERMINAL_CODE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[ -/]*[0-~])"
)
_LINE_START = re.compile(rf"(?:{TERMINAL_CODE.pattern}|[ \t\r\u00a0\ufeff])*+")
_DAMAGE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_CONFLICT = ("<<<<<<< ", ">>>>>>> ")
_COMMENT = ("//", "/*")
_IN_STRING = ("Unterminated string", "Invalid \\")
_CUT_LITERAL = re.compile(r"t|tr|tru|f|fa|fal|fals|n|nu|nul|-|N|Na")


def decode(data: bytes, caveats: Caveats) -> str:
    """Return the text of a file: UTF-8, or what its byte order mark says; never fails.

    Bytes that are not UTF-8 are Windows-1252 where they stand alone or in pairs, as in Western European texts;
    elsewhere they become U+FFFD, because a guess that looks like text is worse than a gap.
    """
    try:
        if data[:1] not in (b"\xff", b"\xfe", b"\xef", b"\0") and data[1:2] != b"\0":
            return data.decode("utf-8")
        return _decode_marked(data, caveats)
    except UnicodeDecodeError:
        if not _HIGH_RUN.search(data):
            caveats.add("W_ENCODING", "The file is not UTF-8; it was read as Windows-1252.")
            return data.decode("cp1252", "replace")
        caveats.add("W_ENCODING", "Some bytes are not UTF-8; they are shown as \ufffd.")
        return data.decode("utf-8", "replace")


def _decode_marked(data: bytes, caveats: Caveats) -> str:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            try:
                return data.decode(encoding)
            except UnicodeDecodeError:
                caveats.add("W_ENCODING", "Some characters are damaged; they are shown as \ufffd.")
                return data.decode(encoding, "replace")
    for pattern, encoding in _UTF16_WITHOUT_MARK:
        if pattern.match(data):
            caveats.add(
                "W_ENCODING",
                f"The file does not say its encoding; it was read as {encoding.upper()}.",
            )
            return data.decode(encoding, "replace")
    return data.decode("utf-8-sig")


class _Line:
    """A line of a text, from `begin` to its `end`."""

    __slots__ = ("begin", "end", "is_shallow", "text")

    def __init__(self, text: str, begin: int) -> None:
        end = text.find("\n", begin)
        self.begin, self.end = begin, len(text) if end < 0 else end
        self.text = text[begin : self.end]
        self.is_shallow = _is_shallow(self.text)


def _is_shallow(text: str) -> bool:
    return text.count("[") + text.count("{") <= DOUBTFUL_DEPTH


class JsonText:
    """The JSON values of a file, one after the other: one document, or lines, or either among noise.

    Whole lines that begin with `skip` are not parsed, only counted in `skipped`: a stream has thousands
    of a kind without content. Iterating raises ReadError (`E_LIMIT`, `E_TRUNCATED`, `E_NOT_JSON`) when there is no
    value, or none that can be trusted. Afterwards `fault` is the first thing that was broken, None when all was whole.
    """

    def __init__(
        self, file: RunFile, caveats: Caveats, *, skip: str | None = None, is_known: bool = False
    ) -> None:
        """Iterating opens the file; nothing else may read it meanwhile. If it `is_known`, because it was read before,
        duplicate keys are not reported again: its lines are parsed in a third of the time."""
        self.fault: ReadError | None = None
        self.skipped = 0
        self._file = file
        self._skip = skip
        self._text = ""
        self._caveats = caveats
        self._lines_before = 0  # lines of the file before `_text`
        self._has_more = False  # whether the file goes on behind `_text`
        self._carried = -1  # the position in `_text` of a value that may end behind it
        self._found = self._noise = 0
        self._first_noise = ""
        self._damage: ReadError | None = None
        self._decoder = json.JSONDecoder(object_pairs_hook=self._object)
        # The parser for a text that is a single value.
        self._whole = from_json if is_known else self._decoder.decode
        self._spanning_left = MAX_SPANNING
        self._bad_lines = 0

    def __iter__(self) -> Iterator[Any]:
        stream = self._file.open()
        for wrapping in self._file.wrappings:
            self._caveats.add("W_NOISE", wrapping.what)
        data = stream.read(WINDOW_BYTES + 1)
        if len(data) <= WINDOW_BYTES:
            yield from self._of_text(data)
        elif data.lstrip(b" \t\r\n")[:1] == b"{" and b"\n" in data:
            yield from self._of_lines(stream, data)
        else:
            data += stream.read(MAX_AT_ONCE_BYTES)
            if len(data) > MAX_AT_ONCE_BYTES:
                raise ReadError("E_LIMIT", f"{_LARGE}, and it does not begin with a line of JSON")
            yield from self._of_text(data)

    def _of_lines(self, stream: BinaryIO, data: bytes) -> Iterator[Any]:
        """Yield the values of a large file, window by window."""
        self._has_more = True
        while self._has_more:
            begun = self._text[self._carried :] if self._carried >= 0 else ""
            room = MAX_AT_ONCE_BYTES - len(begun)
            if room <= 0:
                raise ReadError("E_LIMIT", f"{_LARGE}, and so is a value in it")
            # As much again, or a long value would be looked at as often as it has windows.
            data += stream.read(min(len(begun), room))
            data += stream.readline(MAX_AT_ONCE_BYTES)
            if len(data) > MAX_AT_ONCE_BYTES:
                raise ReadError("E_LIMIT", f"{_LARGE}, and so is a line in it")
            following = stream.read(WINDOW_BYTES)
            self._has_more = bool(following)
            self._carried = -1
            self._text = begun + decode(data, self._caveats)
            yield from self._scan()
            consumed = self._carried if self._carried >= 0 else len(self._text)
            self._lines_before += self._text.count("\n", 0, consumed)
            data = following
        self._end()

    def _of_text(self, data: bytes) -> Iterator[Any]:
        """Yield the values of a file that is in memory."""
        self._text = text = decode(data, self._caveats)
        del data
        if text.lstrip(" \t\r\n").startswith('"'):  # the JSON of a string that holds JSON
            inner = str(parsed(text))
            if inner.lstrip(" \t\r\n")[:1] in ("{", "["):
                self._caveats.add(
                    "W_DOUBLE_ENCODED",
                    "The file is JSON inside a JSON string; the inner one was read.",
                )
                self._text = text = inner
        if _is_shallow(text):
            try:
                value = self._decoder.decode(text)
            except json.JSONDecodeError:
                pass  # lines, noise or damage
            except ValueError:
                raise ReadError("E_LIMIT", "a number has more than 4,300 digits") from None
            else:
                yield value
                return
        yield from self._scan()
        self._end()

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            seen: set[str] = set()
            twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            said = f"The key {brief(twice)} appears twice in one object; the last value counts."
            self._caveats.add("W_DUP_KEY", said)
        return found

    def _is_of_run(self, value: object, end: int) -> bool:
        """Return whether a value that ends there may be of a run: it has an object, or is all of the text."""
        if isinstance(value, dict) or (isinstance(value, list) and _has_object(value)):
            return True
        is_first = not self._found and not self._noise and not self._has_more
        return is_first and value is not None and not self._text[end:].strip(" \t\r\n")

    def _is_skipped(self, skip: str, position: int, line_end: int) -> bool:
        """Return whether a whole line is only counted."""
        text = self._text
        return bool(self._found) and text.startswith(skip, position) and text[line_end - 1] == "}"

    def _scan(self) -> Iterator[Any]:
        """Yield the values that begin at the start of a line or right after another value."""
        text, position, skip = self._text, 0, self._skip
        line = _Line(text, 0)
        while position < len(text):
            if position > line.end:  # one line may hold many values, so it is looked at once
                line = _Line(text, position)
            line_end = line.end
            if skip and self._is_skipped(skip, position, line_end):
                self.skipped += 1
                position = line_end + 1
                continue
            if (
                position == line.begin
                and not self._damage
                and (value := self._object_of(line)) is not None
            ):
                self._count()
                position = line_end + 1
                yield value
                continue
            begin = _LINE_START.match(text, position, line_end).end()  # type: ignore[union-attr]
            if begin == line_end:
                position = line_end + 1
                continue
            if text[begin] in "{[":
                value, end = self._value(begin, line)
                if self._carried >= 0:
                    return
                if self._is_of_run(value, end):
                    if self._damage:
                        raise self._damage
                    if text[position:begin].strip(" \t\r"):
                        self._take_noise(position)
                    self._count()
                    position = end
                    yield value
                    continue
                if value is None and text.startswith(("{", "[{"), begin):
                    self._bad_lines += 1
                    position = end
                    continue
                if (
                    value is not None and end > line_end
                ):  # or each list within it would be read as often as it is deep
                    self._take_noise(begin)
                    position = end
                    continue
            rest = text[begin:line_end]
            if rest.startswith(_CONFLICT):
                raise ReadError(
                    "E_NOT_JSON", "there are conflict marks of git in the file", self._place(begin)
                )
            if not self._found and not self._damage:
                self._damage = self._damage_of(rest, begin)
            self._take_noise(begin)
            position = line_end + 1

    def _object_of(self, line: _Line) -> dict[str, Any] | None:
        """Return the object that fills a line, the usual case; None if the line is not one object."""
        if line.text[:1] == "{" and line.is_shallow:
            with suppress(ValueError):
                value: dict[str, Any] = self._whole(line.text)  # it begins with a brace
                return value
        return None

    def _count(self) -> None:
        """Count a value. Raises: ReadError if there are too many."""
        self._found += 1
        if self._found > MAX_VALUES:
            raise ReadError("E_LIMIT", f"the file holds more than {MAX_VALUES:,} JSON values")

    def _end(self) -> None:
        """Report everything that was not JSON. Raises: ReadError where nothing was."""
        if not self._found:
            raise (
                self.fault
                or self._damage
                or ReadError("E_NOT_JSON", "there is no JSON in the file")
            )
        if self._noise:
            text = f"Skipped {self._noise:,} pieces of text that is not JSON, the first at {self._first_noise}."
            if self._noise == 1:
                text = f"Skipped text that is not JSON at {self._first_noise}."
            self._caveats.add("W_NOISE", text)
        if self._bad_lines and self.fault:
            lines = "1 line is" if self._bad_lines == 1 else f"{self._bad_lines:,} lines are"
            self._caveats.add(
                "W_BAD_LINE", f"{lines} broken and skipped, the first at {self.fault.place}."
            )

    def _take_noise(self, position: int) -> None:
        if not self._noise:
            self._first_noise = self._place(position)
        self._noise += 1

    def _damage_of(self, line: str, begin: int) -> ReadError | None:
        """Return why text before the JSON is more than noise."""
        if line.startswith(_COMMENT):
            return ReadError(
                "E_NOT_JSON",
                "there is a comment before the JSON, which allows none",
                self._place(begin),
            )
        if control := _DAMAGE.search(TERMINAL_CODE.sub("", line)):
            what = f"a control character (U+{ord(control[0]):04X}) is before the JSON"
            return ReadError("E_NOT_JSON", what, self._place(begin))
        return None

    def _value(self, begin: int, line: _Line) -> tuple[Any, int]:
        """Return the value that begins here, and where it ends; None, and where to go on, when there is none."""
        text = self._text
        line_end = line.end
        within = begin - line.begin
        try:
            value, end = self._decode(line.text, within, is_shallow=line.is_shallow)
            return value, line.begin + end
        except json.JSONDecodeError as error:
            here = line.begin + error.pos
            cut = _breaks_off(error)
            ends_in_string = error.msg.startswith(_IN_STRING)
        if not cut or ends_in_string or line_end == len(text) or not self._spanning_left:
            if self.fault is None:  # whether more follows costs a pass over the text
                self._fail(
                    here, cut and not self._has_more and not text[line_end:].strip(" \t\r\n")
                )
            return None, line_end + 1
        try:  # it may go on in the next line
            return self._decode(text, begin, is_shallow=False)
        except json.JSONDecodeError as error:
            if self._has_more and _breaks_off(error):
                self._carried = begin
                return None, len(text)
            self._spanning_left -= 1
            self._fail(error.pos, _breaks_off(error))
            return None, max(text.rfind("\n", 0, error.pos) + 1, line_end + 1)

    def _decode(self, text: str, begin: int, *, is_shallow: bool) -> tuple[Any, int]:
        before = sys.getrecursionlimit()
        try:
            if is_shallow:
                return self._decoder.raw_decode(text, begin)
            sys.setrecursionlimit(before + MAX_DEPTH + 100)  # whatever the depth of the caller
            value, end = self._decoder.raw_decode(text, begin)
            depth = depth_of(value)
        except json.JSONDecodeError:
            raise
        except ValueError:
            raise ReadError("E_LIMIT", "a number has more than 4,300 digits") from None
        except RecursionError:
            depth = MAX_DEPTH + 1
        finally:
            sys.setrecursionlimit(before)
        if depth > MAX_DEPTH:
            raise ReadError("E_LIMIT", f"the JSON is nested more than {MAX_DEPTH:,} levels deep")
        if depth > DOUBTFUL_DEPTH:
            self._caveats.add(
                "W_LIMIT", f"The JSON is nested {depth} levels deep; deeper levels are not shown."
            )
        return value, end

    def _fail(self, position: int, cut: bool) -> None:
        """Remember the first fault."""
        if self.fault is None:
            place = self._place(position)
            if cut:
                what = "the JSON ends early; the file was cut, or is still being written"
                self.fault = ReadError("E_TRUNCATED", what, place)
            else:
                self.fault = ReadError("E_NOT_JSON", "this is not valid JSON", place)

    def _place(self, position: int) -> str:
        line_start = self._text.rfind("\n", 0, position) + 1
        line = self._lines_before + self._text.count("\n", 0, position) + 1
        return f"line {line}, column {position - line_start + 1}"


def _breaks_off(error: json.JSONDecodeError) -> bool:
    """Return whether the text is valid up to its end, which comes too early."""
    rest = error.doc[error.pos : error.pos + 100].rstrip(" \t\r\n")
    return (
        not rest
        or error.msg.startswith("Unterminated string")
        or (error.msg.startswith("Invalid \\uXXXX") and len(rest) < 6)
        or _CUT_LITERAL.fullmatch(rest) is not None
    )


def _has_object(value: list[Any]) -> bool:
    return any(isinstance(item, dict) for item in value)
