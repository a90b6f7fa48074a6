"""Finds secrets by their place: passwords and keys that calls take by position, and texts within base64."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

from sitegen.masking.automaton import automaton, fitting_lines
from sitegen.masking.secret_looks import (
    Found,
    is_given,
    is_mixed,
    is_said,
    is_secret,
    is_two_words,
    kind_of,
    looks_random,
)

# Finds private keys: blocks between `BEGIN` and `END`, whole, quoted, or cut at either end. A key is bytes in base64,
# so nothing in its letters says that it is made up: the zeros of every OpenSSH key are a row of `A`. What counts is
# that base64 stands where a key stands.

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
_KEY_HEADER = (
    r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID|Subject|Content-Domain|X-[\w-]{1,30}): [^\n<]{0,200}"
)
_LEFT_OUT = (r"\.{3,}|\u2026", r"\[[^\[\]\n<>]{1,40}\]", r"<[^<>\n]{1,40}>")
_FORWARD = re.compile(
    rf"(?:{_BETWEEN}*+(?:{_WORD}|{_KEY_HEADER}"
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


_TEXT = r"(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'|`[^`\n]{0,300}`)"
_PAIR_CALLEE = (
    r"auth|login|logon|sign_?in|credentials?|connect(?:ion)?|pdo|create_?(?:super)?user|_bind|mysqli|set_?password"
    r"|wifi\.begin"
)
_KEY_CALLEE = (
    r"client|api|sdk|authenticate|auth|login|init|initiali[sz]e|configure|connect|setup|use_?key|api_?key|access_?token"
    r"|set_?key|set_?token|use_?token|bot|session|provider|with_?key|with_?token"
)
_OPENS = re.compile(rf"(?P<callee>{_PAIR_CALLEE})\w{{0,12}}[\"']?\s?[:=]?\s?[(\[]")
_TEXTS = re.compile(rf"[^()\"'`\n]{{0,120}}{_TEXT}(?:\s?\)?\s?,\s?(?:Some\()?(?:{_TEXT}|[\w.$]{{1,60}})){{1,5}}")
_ARGUMENT = re.compile(_TEXT)
_KEY_ARGUMENT = re.compile(r"[(,]\s?b?[\"'`](?P<value>[A-Za-z0-9_+/=.-]{20,300})[\"'`]")
_KEY_CALL = re.compile(
    rf"(?:(?P<callee>(?i:{_KEY_CALLEE}))|(?P<class>\b[A-Z]\w{{1,40}})|\brequire\([\"'][\w@/.-]{{1,60}}[\"']\))(?:::\w{{1,20}}|\.new)?"
    r"(?P<others>\([\w.\"':/-]{1,80})?$"
)
_KEYED = re.compile(rf"(?i)(?:{_KEY_CALLEE})$")
_HEX = re.compile("[0-9a-fA-F-]+")
_MADE = re.compile(r"(?i)(?:client|api|sdk|bot|session|conn|connection|service)\s?[:=]?=\s?(?:await |new )*\w+$")
_IDS = re.compile(
    r"(?:[a-z]I[dD]|(?:^|_)id|ID|(?i:join|public_?key|hash|sha\d*|digest|commit|checkout|etag|uuid|ref|revision|color|colour|version|integrity|date|path|url|file"
    r"|image|model|test|error|exception|decode|encode|base64|buffer|bytes))$"
)
_ID_VALUES = re.compile(
    r"(?:toolu|msg|req|call|run|thread|file|evt|cus|batch|ses|prt|sha256|sha512|price|resp|item)[_-]|/|\./"
)
_FILE = re.compile(r"\.[a-z]{1,5}$")
_COLUMN = (
    r"[a-z_]*[ _]?(?:passwor[dt]|passwd|pwd|passphrase|(?:api|auth|access|signing|encryption)[ _-]?key|secret|token"
    r"|[a-z]_pass)(?:[ _](?:key|value))?"
)
_HEADER = (
    r"(?mi)^(?:[^|\n]*\|(?:[^|=\n(){}]*\|)*|(?:[^|,;=\t\n(){}]*[|,;\t])*)"
    rf"[ *\"'>]*{_COLUMN}[ *\"']*(?:[|,;\t][^\n=(){{}}]*)?$"
)
LOOSELY_OPENED = rf"(?:{_PAIR_CALLEE})\w*[\"']?\s?[:=]?\s?[(\[][^()\"'`\n]*[\"'`]"
"""In every text in which `placed` finds something one of these fits, whatever the case of its letters, or the name of a
column, which is a word of `secret_names`, or `holds_given`."""
_LOOSELY_GIVEN = r"[\w)]\((?:[\w.\"':/-]+,)?\s?b?[\"'`][A-Za-z0-9_+/=.-]{20}"
_LOOSE_HEADER = (
    r"(?:passwor[dt]|passwd|pwd|passphrase|key|secret|token|_pass)(?:[ _](?:key|value))?[ *\"']*(?:[|,;\t\n]|  |</th>)"
)

_LOOSELY_ANNOUNCED = r"(?:passw|passphrase|passcode|token|secret|key)[^\n]*(?::[ \t]*\n|\n[a-z >]*value: )"
_LOOSELY_PLACED = "|".join((_LOOSE_HEADER, r"insert\s+into", LOOSELY_OPENED, _LOOSELY_ANNOUNCED))


def holds_given(text: str) -> bool:
    """Whether a call may take a key by position."""
    return "(" in text and automaton(_LOOSELY_GIVEN)(text)


def placed(text: str, lowered: str) -> Iterator[Found]:
    """Passwords and keys in calls, `auth=("ann", "...")`, `Client("...")`, and in columns that are called so."""
    is_given_by_place = holds_given(text)
    if not (is_given_by_place or automaton(_LOOSELY_PLACED)(lowered)):
        return
    if automaton(_LOOSE_HEADER)(lowered):
        yield from _tabled(text)
        yield from _aligned(text, lowered)
        yield from _in_elements(text, lowered)
    yield from _inserted(text, lowered)
    yield from _announced(text, lowered)
    for match in _OPENS.finditer(lowered) if automaton(LOOSELY_OPENED)(lowered) else ():
        texts = _TEXTS.match(text, match.end())
        given = [(m.start() + 1, m[0][1:-1]) for m in _ARGUMENT.finditer(text, *texts.span())] if texts else []
        number = 1 if len(given) == 2 or match["callee"].startswith("credential") else 2
        if len(given) > number:
            start, value = given[number]
            is_loose = match["callee"] == "connect" and number == 1
            if is_said(value) or (not is_loose and is_given(value, is_code=True)):
                yield Found(start, start + len(value), "password", value)
    for match in _KEY_ARGUMENT.finditer(text) if is_given_by_place else ():
        value = match["value"]
        if _ID_VALUES.match(value) or _FILE.search(value) or not looks_random(value):
            continue
        before = text[max(match.start() - 120, 0) : match.start()]
        call = _KEY_CALL.search(before)
        if call is None or (match[0][0] == "(") == bool(call["others"]):
            continue
        callee = call["callee"] or call["class"] or "require"
        if _IDS.search(callee):
            continue
        is_hex = bool(_HEX.fullmatch(value))
        if call["class"] and (call["others"] or sum(map(str.isdigit, value)) < 2) and not _KEYED.search(call["class"]):
            continue
        is_named = not call["class"] or bool(_KEYED.search(call["class"]))
        if is_mixed(value) or (not is_hex and len(value) >= 24) or is_named or _MADE.search(before):
            yield Found(*match.span("value"), "key", value)


_USERS = frozenset(["user", "username", "user name", "user_name", "login", "email", "e-mail", "account", "name"])
_MOST_ROWS = 200
_PLAIN = re.compile(r"[\w .()-]+$")


def _tabled(text: str) -> Iterator[Found]:
    """Values in columns of tables, of markdown, of a database or of values with commas."""
    read = dict[tuple[object, ...], int]()
    for _, end in fitting_lines(_HEADER, text):
        start = text.rfind("\n", 0, end) + 1
        header = text[start:end]
        sign = max("|,;\t", key=header.count)
        names = [cell.strip(" *`\"'>").lower() for cell in header.split(sign)] if sign in header else [header.strip()]
        if sign != "|" and not all(names):  # a list in code, an item on each line
            continue
        columns = {
            number: kind
            for number, name in enumerate(names)
            if _PLAIN.match(name) and (kind := kind_of(name.replace(" ", "_").replace("passwort", "password")))
        }
        has_users = not _USERS.isdisjoint(names)
        at, form = end + 1, (sign, len(names), *columns.items())
        if read.get(form, -1) > end:  # a row of a table that was read
            continue
        for _ in range(_MOST_ROWS):
            row = text[at : text.find("\n", at) if text.find("\n", at) != -1 else len(text)]
            if not row.strip(" -+=:|"):  # the line below a header
                if not row:
                    break
                at += len(row) + 1
                continue
            cells = row.split(sign)
            if len(cells) != len(names) or not row.strip():
                break
            for number, kind in columns.items():
                shown = cells[number].strip(" *`\"'")
                where = at + sum(len(cell) + 1 for cell in cells[:number]) + cells[number].find(shown)
                if shown and _is_cell(shown, kind, is_alone=len(names) == 1, has_users=has_users):
                    yield Found(where, where + len(shown), kind, shown)
            at += len(row) + 1
            read[form] = at
            if len(names) == 1:
                break


def _is_cell(value: str, kind: str, *, is_alone: bool, has_users: bool) -> bool:
    """Whether a value in a column of secrets is one: a word only where users stand beside it."""
    if is_secret(value, kind, quoted=True):
        return not is_alone or looks_random(value) or is_said(value)
    if kind != "password" or is_alone:
        return False
    return is_said(value) or is_two_words(value) or (has_users and is_given(value, is_code=True))


# A value alone on its line, in what a tool says: "Use the following password:", "Password reset.\nNew value: ...".
_ANNOUNCED = re.compile(
    r"(?P<name>password|passphrase|passcode|token|secret|key)\b[^\n:]{0,80}"
    r"(?::[ \t]*\n(?:[ \t>]*\n){0,2}[ \t>]*|\n[ \t>]{0,12}(?:new |the )?value: )"
    r"(?P<value>[^\s`:]{10,200})[ \t]*(?=\n|\Z)"
)


def _announced(text: str, lowered: str) -> Iterator[Found]:
    """Values alone on a line behind one that announces them; keys and tokens must be no hash."""
    for match in _ANNOUNCED.finditer(lowered):
        value = text[match.start("value") : match.end("value")]
        kind = match["name"] if match["name"] in ("token", "secret", "key") else "password"
        if looks_random(value) and (kind == "password" or is_mixed(value)) and is_secret(value, kind, quoted=True):
            yield Found(*match.span("value"), kind, value)


# Headers of tables whose columns are parted by spaces, and of those in HTML.
_ALIGNED = re.compile(
    r"(?m)^[ >]{0,12}(?=[^\s>][^\n=:;{}()]*  )(?:[^\s=:;{}()]+(?: [^\s=:;{}()]+)*  +)*?"
    rf"(?P<name>{_COLUMN})(?=  |[ ]*$)[^\n=:;{{}}()]*$"
)
_TABLE_ROW = re.compile(
    r"<tr\b[^>]{0,200}>(?P<cells>(?:\s*<t[hd]\b[^>]{0,200}>(?:[^<]|<(?!/?t[hdr]\b)){0,600}</t[hd]>){1,40})"
)
_TABLE_CELL = re.compile(r"<t[hd]\b[^>]{0,200}>\s*(?:<[a-z]{1,6}>)?(?P<text>[^<]{0,300})")


def _aligned(text: str, lowered: str) -> Iterator[Found]:
    """Values below the name of their column, where spaces part the columns."""
    read = dict[tuple[object, ...], int]()  # how far each form of table is read: a row may be a header as well
    for header in _ALIGNED.finditer(lowered):
        kind = kind_of(header["name"].replace(" ", "_").replace("passwort", "password"))
        column = header.start("name") - header.start()
        has_users = not _USERS.isdisjoint(header[0].split())
        form = column, kind, has_users
        at = max(header.end() + 1, read.get(form, 0))
        for _ in range(_MOST_ROWS if kind else 0):
            end = text.find("\n", at) if text.find("\n", at) != -1 else len(text)
            start = at + column
            value = text[start:end].split("  ")[0].rstrip()
            if not value or (column and text[start - 1] != " ") or " " in value:
                break
            if _is_cell(value, kind or "", is_alone=False, has_users=has_users):
                yield Found(start, start + len(value), kind or "", value)
            at = read[form] = end + 1


def _in_elements(text: str, lowered: str) -> Iterator[Found]:
    """Values in columns of a table in HTML."""
    kinds, has_users = dict[int, str](), False
    for row in _TABLE_ROW.finditer(lowered) if "</th>" in lowered else ():
        cells = [cell.span("text") for cell in _TABLE_CELL.finditer(lowered, *row.span("cells"))]
        if "</th>" in row["cells"]:
            names = [lowered[start:end].strip() for start, end in cells]
            kinds = {number: kind for number, name in enumerate(names) if (kind := kind_of(name.replace(" ", "_")))}
            has_users = not _USERS.isdisjoint(names)
            continue
        for number, kind in kinds.items():
            start, end = cells[number] if number < len(cells) else (0, 0)
            value = text[start:end].rstrip()
            if value and _is_cell(value, kind, is_alone=False, has_users=has_users):
                yield Found(start, start + len(value), kind, value)


_INSERTS = re.compile(r"insert\s{1,9}into\s{1,9}[^\s(]{1,100}\s{0,9}\((?P<names>[^()]{1,600})\)\s{0,9}values\s{0,20}")
_ROW = re.compile(r"[\s,]{0,40}\((?P<row>(?:[^()']|'[^'\n]{0,600}'|\([^()]{0,100}\)){1,2000})\)")
_SQL_VALUE = re.compile(r"\s*(?:'(?P<text>[^'\n]{0,600})'|(?:[^,'()]|\([^()]{0,100}\))*)\s*(?:,|$)")


def _inserted(text: str, lowered: str) -> Iterator[Found]:
    """Values that a query puts into columns that are called so."""
    for match in _INSERTS.finditer(lowered):
        names = [name.strip(' \t\n`"[]') for name in match["names"].split(",")]
        at = match.end()
        for _ in range(_MOST_ROWS):
            row = _ROW.match(text, at)
            if row is None:
                break
            place = row.start("row")
            for name in names:
                value = _SQL_VALUE.match(text, place, row.end("row"))
                if value is None or place >= row.end("row"):
                    break
                kind, shown = kind_of(name), value["text"]
                if kind and shown and (is_secret(shown, kind, quoted=True) or (kind == "password" and is_given(shown))):
                    yield Found(*value.span("text"), kind, shown)
                place = value.end()
            at = row.end()


# Base64 of ASCII: of four signs each can only be some.
_QUAD = "[CI-Za-f][A-HQ-Xg-nw-z0-3][ABEFIJMNQRUVYZcdghklopstwx014589-][A-Za-z0-9+/_-]"
# The same of UTF-16, as PowerShell takes it.
_WIDE = "[A-Za-z0-9+/][AQgw][A-D][A-Za-z0-9+/]A[A-H][A-Za-z0-9+/]A"
LOOSELY_ENCODED = f"(?:^|[^A-Za-z0-9+/]|/eyJ[A-Za-z0-9+/_-])(?:{_QUAD}){{7}}|(?:{_WIDE}){{4}}"
"""Fits every text in which `encoded` finds something."""
_ENCODED = re.compile(
    rf"(?:(?<![A-Za-z0-9+/])|(?<=/)(?=eyJ))(?P<value>(?:(?:{_QUAD}){{7}}|(?:{_WIDE}){{4}})"
    r"(?:[A-Za-z0-9+/_-]|(?<=[A-Za-z0-9+/_-]{60})\r?\n[ \t]{0,12}(?=[A-Za-z0-9+/_-]{4}))*={0,2})"
)
_WHITE = re.compile(r"\s+")
_MOST_DECODED = 200_000
"""Characters of a text that are decoded: what a long one holds behind them is not looked at."""


def encoded(text: str, find: Callable[[str], Iterable[Found]]) -> Iterator[Found]:
    """Base64 of texts in which `find` finds something, each as a whole."""
    left = _MOST_DECODED
    for match in _ENCODED.finditer(text):
        value = _WHITE.sub("", match["value"]).rstrip("=")
        left -= len(value)
        if left < 0:
            return
        inner = _decoded(value)
        if inner and any(found.kind != "session" for found in find(inner)):
            yield Found(match.start("value"), match.end("value"), "secret in base64", value)


def _decoded(value: str) -> str | None:
    """The text that is written so, or None when it is none."""
    value = value[: len(value) - (len(value) % 4 == 1)]
    try:
        raw = base64.b64decode(value.replace("-", "+").replace("_", "/") + "=" * (-len(value) % 4))
        inner = raw.decode("utf-16-le" if raw[1:2] == b"\0" else "utf-8")
    except (binascii.Error, ValueError):
        return None
    return (
        inner if inner.replace("\n", "").replace("\t", "").replace("\r", "").replace("\x1b", "").isprintable() else None
    )
