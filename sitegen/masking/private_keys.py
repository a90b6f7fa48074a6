"""Finds private keys: blocks between `BEGIN` and `END`, whole, quoted, or cut at either end.

A key is bytes in base64, so nothing in its letters says that it is made up: the zeros of every OpenSSH key are a row of
`A`. What counts is that base64 stands where a key stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from sitegen.masking.secret_looks import Found

SIGN = "private key"
"""Stands in every text in which `private_keys` finds something, whatever the case of its letters."""
_MARK = re.compile(
    r"-{4,5} ?(?P<which>BEGIN|END) (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?(?: ?-{1,5})?", re.ASCII
)
_END = "-{4,5} ?END"
_WORD = "[A-Za-z0-9+/=]{16,}+"
# Between the lines: white space, quotes of code, and what quotations, patches, comments and listings put first.
_BETWEEN = r"(?:[\s>|#*\"'`,;:\\()$&\u2192+]|//|-(?!---))"
_LINE_END = r"[ \t\"'`,;\\+|)]{0,20}\n"
_HEADER = (
    r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID|Subject|Content-Domain|X-[\w-]{1,30}): [^\n<]{0,200}"
)
_LEFT_OUT = (r"\.{3,}|\u2026", r"\[[^\[\]\n<>]{1,40}\]", r"<[^<>\n]{1,40}>")
_FORWARD = re.compile(
    rf"(?:{_BETWEEN}*+(?:{_WORD}|{_HEADER}"
    rf"|(?:{'|'.join(_LEFT_OUT)})(?={_BETWEEN}{{0,60}}(?:[A-Za-z0-9+/=]{{16}}|{_END}))"
    r"|[0-9]{1,6}(?=[ \t]{0,4}[\u2192:|]|[ \t]{1,4}[A-Za-z0-9+/]{16})"
    rf"|[A-Za-z0-9+/]{{1,15}}={{0,2}}(?={_LINE_END}{_BETWEEN}{{0,40}}(?:[A-Za-z0-9+/=]{{16}}|{_END}))))*+"
    rf"(?:\s{_BETWEEN}{{0,40}}+[A-Za-z0-9+/]{{1,15}}={{0,2}}(?={_LINE_END}|\Z))?"
)
# The same from the end on, in a text that is turned round.
_BACKWARD = re.compile(
    rf"(?:{_BETWEEN}*+[A-Za-z0-9+/=]{{1,15}}+(?=\s|{_BETWEEN}))?"
    rf"(?:{_BETWEEN}*+(?:{_WORD}|[0-9]{{1,6}}(?=\s)"
    rf"|(?:{_LEFT_OUT[0]}|\][^\[\]\n<>]{{1,40}}\[)(?={_BETWEEN}{{0,60}}[A-Za-z0-9+/=]{{16}})))*+"
)
_WORDS = re.compile(_WORD)
_LONGEST, _SHORTEST = 20_000, 40


def private_keys(text: str) -> Iterator[Found]:
    """The private keys in a text as it is read, each with as much as is there of its lines."""
    done = 0
    for mark, following in pairwise([*_MARK.finditer(text), None]):
        if mark is None or mark.start() < done:
            continue
        start, end = mark.span()
        if mark["which"] == "END":
            before = text[max(done, start - _LONGEST) : start]
            start -= _length(_BACKWARD, before[::-1])
        elif following and following["which"] == "END" and _is_mostly_key(text[end : following.start()]):
            end = following.end()
        else:
            end += _length(_FORWARD, text[end : min(end + _LONGEST, following.start() if following else len(text))])
        done = mark.end()
        if holds_key(text[start:end]):
            done = end
            yield Found(start, end, SIGN, text[start:end])


def holds_key(text: str) -> bool:
    """Whether there is enough base64 for a key, and no row of one sign in its place."""
    words = "".join(_WORDS.findall(text))
    return len(words) >= _SHORTEST and len(set(words)) >= 8


def _is_mostly_key(text: str) -> bool:
    return len(text) <= _LONGEST and sum(map(len, _WORDS.findall(text))) * 3 >= len(text)


def _length(body: re.Pattern[str], text: str) -> int:
    found = body.match(text)
    return found.end() if found else 0
