"""The outline of a file of JSON: the keys near its top, with what is short, to know a file whose beginning is long.

Most files are known by their first 64 KiB. In the others a prompt, a patch or a list of messages comes first, so that
the key that tells whose file it is comes after them. Nothing is parsed: one pass skips what is deeper.
"""

import re

from sitegen.readers.common.json_text import MAX_AT_ONCE_BYTES, TERMINAL_CODE, decode
from sitegen.readers.common.values import Caveats
from sitegen.readers.run_file import JSON_EXTENSIONS, LONG_HEAD_BYTES, RunFile

MAX_LEVELS = 2
"""Objects and lists within a record of which the keys are in an outline."""
MAX_BRACKETS = 2_000_000  # a second of work
_WITHOUT_BRACKETS = r'(?:[^"\[\]{}]++|"(?:[^"\\]++|\\.)*+")*+'
_UP_TO_BRACKET = re.compile(_WITHOUT_BRACKETS, re.DOTALL)
# The same, past objects and lists in which there are no others: half of all brackets are theirs.
_PAST_INNERMOST = re.compile(
    rf"{_WITHOUT_BRACKETS}(?:[\[{{]{_WITHOUT_BRACKETS}[\]}}]{_WITHOUT_BRACKETS})*+", re.DOTALL
)
_LONG_STRING = re.compile(r'"(?:[^"\\]|\\.){200,}+"', re.DOTALL)
_FIRST_JSON = re.compile(r"^[ \t\ufeff]*([{\[])", re.MULTILINE)
FIRST_OBJECT = re.compile(
    rb'(?:\A|\n)(?:%b|[ \t\r\xa0\xc2\xef\xbb\xbf\xff\xfe])*+"?(?:\[\s*){0,3}\{\s*\\?"'
    % TERMINAL_CODE.pattern.encode()
)
"""The beginning of an object of JSON at the start of a line."""
_FENCES = (b"```", b"~~~")


def quotes_json(file: RunFile) -> bool:
    """Return whether the JSON in a file, if any, is a quotation: of a source or a document that does not begin with it,
    within lines of text, or in a block of code. A file that is called JSON quotes none: it is JSON, or broken."""
    if file.extension in JSON_EXTENSIONS:
        return False
    found = FIRST_OBJECT.search(file.plain_head)
    if found is None:
        return True
    before = file.plain_head[: found.start()].rstrip()
    text, _, last_line = before.rpartition(b"\n")
    is_fenced = bool(text) and last_line.lstrip().startswith(
        _FENCES
    )  # a fence around the whole file is no quotation
    return bool(before) and (is_fenced or not file.is_output)


def outline_of(file: RunFile) -> bytes:
    """Return the outline of a file that goes on after its head; empty where the head is all, or is not JSON.

    Raises: ReadError where it cannot be read.
    """
    if len(file.head) < LONG_HEAD_BYTES or quotes_json(file):
        return b""
    text = decode(file.open().read(MAX_AT_ONCE_BYTES), Caveats())
    begin = _FIRST_JSON.search(text)
    return outline_of_text(text, begin.start(1)).encode() if begin else b""


def outline_of_text(text: str, position: int = 0) -> str:
    """Return the outline of the JSON that begins there, and of what follows it; about LONG_HEAD_BYTES at most."""
    parts: list[str] = []
    size = 0
    level = -1 if text.startswith("[", position) else 0  # items of a list are records, as lines are
    for _ in range(MAX_BRACKETS):
        skipped = _UP_TO_BRACKET if level <= MAX_LEVELS else _PAST_INNERMOST
        end = skipped.match(text, position).end()  # type: ignore[union-attr]
        between = text[position:end] if level <= MAX_LEVELS else ""
        if '"' in between:
            parts.append(_LONG_STRING.sub('""', between))
            size += len(parts[-1])
        bracket = text[end : end + 1]
        if size >= LONG_HEAD_BYTES or bracket not in ("{", "[", "}", "]"):
            break
        level += bracket in "{["
        if level <= MAX_LEVELS:
            parts.append(bracket)
            size += 1
        level -= bracket in "}]"
        position = end + 1
    return "".join(parts)
