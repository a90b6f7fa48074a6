"""Finds secrets and personal data in a text: where they stand and what they are. Changes nothing.

A text of a run hides them: letters are escaped, percent-encoded or written as entities, markdown marks and invisible
signs stand in between. So the text is first read as a person would (`_plain`), and what is found there is brought
back to where it stands. Clean text is the usual case and pays for two searches only: for long runs of the signs
that tokens are made of, and for a few words such as "password".
"""

from __future__ import annotations

import functools
import html
import re
import string
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from sitegen.secret_rules import SHAPES, TOKENS, ShapeRule, TokenRule


@dataclass(frozen=True, slots=True)
class Found:
    """A secret in a text."""

    start: int
    end: int
    kind: str
    value: str
    """As a person would read it: the same for all ways to write it."""


# What is written and not read: invisible signs, emphasis, escapes of JSON and shell, entities, percent-encoding.
_WRITTEN = (
    "\u200b|\u200c|\u200d|\u2060|\ufeff|\u00ad|\u180e|\u034f|\ufe0f"
    r"|\*\**|~~|\\(?:\r?\n[ \t]*|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[nrt]|(?=[!-/:-@\[-`{-~]))"
    r"|&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,8});|%(?:25)?[0-9A-Fa-f]{2}"
)
_TEXT_SIGNS = re.compile(_WRITTEN)
# Elements without attributes, as the writer of markdown makes them, and the spans of highlighted code.
_PAGE_SIGNS = re.compile(
    _WRITTEN + r"|</?(?:em|strong|code|del|s|b|i|sub|sup|mark|wbr|span|a)>|<span class=\"[a-z-]{1,12}\">"
)
_PERCENT_READ = frozenset(string.ascii_letters + string.digits + "+/=_-.~:@\"' \n{}$")


def _read(match: re.Match[str]) -> str:
    """What a person reads where this is written."""
    sign = match[0]
    match sign[0]:
        case "\\":
            if sign[1:2] in ("u", "x"):
                character = chr(int(sign[2:], 16))
                return character if " " <= character <= "~" else sign
            return "\n" if sign[1:] in ("n", "r", "t") else ""
        case "&":
            return html.unescape(sign)
        case "%":
            character = chr(int(sign[-2:], 16))
            return character if character in _PERCENT_READ else sign
        case _:
            return ""


class _Reading:
    """A text as it is read, and where each of its characters is written."""

    def __init__(self, text: str, signs: re.Pattern[str], read: Callable[[re.Match[str]], str] = _read) -> None:
        self.text, self._written, self._signs, self._read = signs.sub(read, text), text, signs, read
        self._starts: list[int] = []
        self._shifts: list[tuple[int, int]] = []

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where the characters from `start` to `end` are written."""
        if self.text is self._written:
            return start, end
        if not self._starts:
            self._map()
        return self._place(start)[0], self._place(end - 1)[1]

    def _map(self) -> None:
        """Pieces between signs keep their length; each sign is a piece of its own."""
        at = written = 0
        for match in self._signs.finditer(self._written):
            self._starts.append(at)
            self._shifts.append((written, 0))
            at += match.start() - written
            if read := self._read(match):
                self._starts.append(at)
                self._shifts.append((match.start(), match.end() - match.start() if len(read) == 1 else 0))
                at += len(read)
            written = match.end()
        self._starts.append(at)
        self._shifts.append((written, 0))

    def _place(self, position: int) -> tuple[int, int]:
        number = bisect_right(self._starts, position) - 1
        written, length = self._shifts[number]
        if length:
            return written, written + length
        start = written + position - self._starts[number]
        return start, start + 1


def find(
    text: str, own: Callable[[str], Iterable[Found]], *, page: bool = False, off: frozenset[str] = frozenset()
) -> list[Found]:
    """What has to be masked in a text, in order and apart from each other; kinds in `off` are left out.

    `own` finds more in the text as it is read. `page` reads HTML: elements within a word do not part it.
    """
    reading = _Reading(text, _PAGE_SIGNS if page else _TEXT_SIGNS)
    found = [*own(reading.text), *_found(reading.text)]
    return apart(Found(*reading.span(f.start, f.end), f.kind, f.value) for f in found if f.kind not in off)


def apart(found: Iterable[Found]) -> list[Found]:
    """What was found, in order; of two that overlap the first counts, of two that begin together the longer."""
    kept: list[Found] = []
    for each in sorted(found, key=lambda f: (f.start, -f.end)):
        if kept and each.start < kept[-1].end:
            if each.end > kept[-1].end:  # what both cover goes
                last = kept[-1]
                kept[-1] = Found(last.start, each.end, last.kind, last.value)
            continue
        kept.append(each)
    return kept


def _found(text: str) -> Iterator[Found]:
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters become two
        lowered = text.translate(_LOWER)
    yield from _tokens(text)
    for rule, pattern in _shapes():
        if any(sign in lowered for sign in rule.signs):
            for match in pattern.finditer(text):
                value = match["value"] if "value" in pattern.groupindex else match[0]
                if _is_made_up(value) or not _LOOKS[rule.looks](match):
                    continue
                start = match.start("value") if "value" in pattern.groupindex else match.start()
                yield Found(start, start + len(value), rule.kind, value)
    yield from _named(text, lowered)


_LOWER = {ord(letter): ord(letter.lower()) for letter in string.ascii_uppercase}

# Tokens with letters of their own.

_RUN = re.compile(r"[A-Za-z0-9_+/=.~$%:@-]{20,}")
_BEFORE = r"(?<![A-Za-z0-9])"
_WRAP = re.compile(r"(?<=[A-Za-z0-9_+/=.-])[ \t]{0,8}\n[ \t>|+]{0,12}(?=[A-Za-z0-9_+/=.-])")
_LONGEST_WRAPPED = 1200


@functools.cache
def _anchors() -> re.Pattern[str]:
    anchors = sorted((anchor for rule in TOKENS for anchor in rule.anchors), key=len, reverse=True)
    return re.compile(f"{_BEFORE}(?:{'|'.join(map(re.escape, dict.fromkeys(anchors)))})")


@functools.cache
def _rules_at(anchor: str) -> tuple[tuple[TokenRule, re.Pattern[str]], ...]:
    """The rules of tokens that may begin where this anchor stands, the longest anchor first."""
    rules = [(max(map(len, known)), rule) for rule in TOKENS if (known := [a for a in rule.anchors if anchor.startswith(a)])]
    return tuple((rule, re.compile(rule.pattern)) for _, rule in sorted(rules, key=lambda pair: -pair[0]))


@functools.cache
def _shapes() -> tuple[tuple[ShapeRule, re.Pattern[str]], ...]:
    return tuple((rule, re.compile(rule.pattern)) for rule in SHAPES if rule.signs not in (("",), (".",)))


@functools.cache
def _shapes_of_runs() -> tuple[tuple[ShapeRule, re.Pattern[str]], ...]:
    return tuple((rule, re.compile(rule.pattern)) for rule in SHAPES if rule.signs in (("",), (".",)))


def _tokens(text: str) -> Iterator[Found]:
    for run in _RUN.finditer(text):
        start, end = run.span()
        if text.endswith(";base64,", max(start - 8, 0), start):  # an image; a key in it would be a chance
            continue
        for anchor in _anchors().finditer(text, start, end):
            for rule, pattern in _rules_at(anchor[0]):
                token = _token(text, anchor, rule, pattern)
                if token:
                    yield token
                    break
        if end - start >= 50:
            for shape, pattern in _shapes_of_runs():
                for match in pattern.finditer(text, start, end):
                    if looks_random(match[0]):
                        yield Found(match.start(), match.end(), shape.kind, match[0])


def _token(text: str, anchor: re.Match[str], rule: TokenRule, pattern: re.Pattern[str]) -> Found | None:
    """The token of a rule at an anchor, on one line or wrapped over several."""
    start = anchor.start()
    match = pattern.match(text, start)
    if match and text[match.end() : match.end() + 1] != "\n":
        return _judged(match[0], len(anchor[0]), start, match.end(), rule)
    newline = text.find("\n", start, start + _LONGEST_WRAPPED)
    if newline > start + len(anchor[0]) + 3:
        window = _Reading(text[start : start + _LONGEST_WRAPPED], _WRAP, lambda _: "")
        wrapped = pattern.match(window.text)
        if wrapped and (not match or _goes_on(wrapped[0][match.end() - start :])):
            end = start + window.span(0, wrapped.end())[1]
            return _judged(wrapped[0], len(anchor[0]), start, end, rule)
    return _judged(match[0], len(anchor[0]), start, match.end(), rule) if match else None


def _goes_on(rest: str) -> bool:
    """Whether what begins the next line is more of a token and no word."""
    return len(rest) >= 8 and looks_random(rest)


def _judged(value: str, skipped: int, start: int, end: int, rule: TokenRule) -> Found | None:
    body = value[skipped:]
    if _is_made_up(body) or not _is_varied(body):
        return None
    if len(value) - len(body) < 3 or value[:skipped] in _COMMON_ANCHORS:
        return Found(start, end, rule.kind, value) if looks_random(body) else None
    if body.islower() and body.isalpha():
        return None
    return Found(start, end, rule.kind, value)


_COMMON_ANCHORS = frozenset("EAA pat cio sk- db- re_ sl. st. fc- pa- key- api- API- mob- sdk- oy2 eyJ ico- p8- secret_".split())
"""Letters that words and names begin with as well."""

# What a value looks like.

_MADE_UP = re.compile(
    r"(?i)x{5,}|\.\.\.|\u2026|\*{3}|\byour|your[_-]|example|placeholder|change_?-?me|redacted|dummy|insert|_here\b"
    r"|not[_-]?a[_-]?real|12345678|abcdefgh|deadbeef|0{8}|a{6}|1{6}|f{8}|fake|sample|<|\$\{|\{\{|\$\("
)


def _is_made_up(value: str) -> bool:
    """Whether a value says itself that it is none: a placeholder, an ellipsis, letters in their order."""
    return bool(_MADE_UP.search(value))


def _is_varied(value: str) -> bool:
    """Whether a value uses more letters than a placeholder would, and not in their order."""
    if len(set(value)) < min(8, len(value) / 3 + 1):
        return False
    steps = sum(1 for one, other in pairwise(value) if 0 <= ord(other) - ord(one) <= 1)
    return steps < len(value) * 0.4


_HEX = re.compile(r"(?=[^a-f]*[a-f])(?:[0-9a-f]{24,}|[0-9A-F]{24,})$")
_CLASSES = str.maketrans(
    string.ascii_lowercase + string.ascii_uppercase + string.digits, "l" * 26 + "u" * 26 + "d" * 10
)
_TURNS = re.compile(r"(?<=l)(?=[ud])|(?<=u)(?=d)|(?<=d)(?=[lu])")


def looks_random(value: str) -> bool:
    """Whether letters and digits are mixed as a generator mixes them and a person who names things does not."""
    if not _is_varied(value):
        return False
    if len(value) >= 24 and _HEX.match(value):
        return True
    classes = value.translate(_CLASSES)
    turns = len(_TURNS.findall(classes))
    letters = classes.count("l") + classes.count("u")
    digits = classes.count("d")
    if not letters or turns < 3:
        return False
    return turns >= 0.18 * (letters + digits) and (digits >= 2 or turns >= 0.2 * letters and letters >= 16)


# What only its name gives away.

_WORDS = ("pass", "pwd", "secret", "token", "key", "auth", "cred", "session", "sid", "csrf", "_pw", "cookie")
# Behind the word: the rest of the name, what closes it, what says "is", what opens the value.
_AFTER = (
    r"(?P<rest>[\w.-]{0,24})(?:[\"'`\])_]|\s?\(s\)){0,5}"
    r"(?:(?P<sign>[ \t]{0,16}(?:=>|:=|={1,3}|:(?!//)|\||->|,(?=[ ]?[\"']))"
    r"(?:[ \t]{0,4}(?:str|string|&str|bytes|any|auto|text)\??[ \t]{0,4}=(?!=))?"
    r"(?:[ \t]{0,16}|\s{0,40}(?=[\"'])))"
    r"|(?P<attribute>[\"']?[ \t]{1,4}(?:value|content)=)"
    r"|(?P<element>>(?=[^<>\s]))"
    r"|(?P<verb>[ \t]+(?:is|was|to|as|of)(?:[ \t]+(?:now|set[ \t]+to|still))?:?[ \t]+(?=[\"'`]))"
    r"|(?P<space>[ \t]{1,4}))"
)
_VALUE = re.compile(
    r"[_(\[]?(?:[fbru]{1,2}(?=[\"']))?"
    r"(?:(?P<quote>\"{1,3}|'{1,3}|`{1,3})(?P<quoted>(?:(?!(?P=quote))[^\n]){4,600})(?=(?P=quote))"
    r"|[\"'`]?(?P<bare>[^\s\"'`<>|,;(){}\[\]&\\][^\s\"'`<>|,;{}\\&]{4,600}))"
)
_KEY_NAMES = re.compile(
    r"(?:^|[_.-]|(?<=[a-z]))(?:api|app|application|access|secret|private|sign|signing|encrypt|encryption|account|auth|license"
    r"|master|shared|subscription|storage|service|deploy|admin|root|session|hmac|jwt|crypto|client|webhook|fernet"
    r"|consumer|write|read|ingest|function|host|bot|server|project|functions|primary|secondary|integration|user"
    r"|gateway|license|merchant|wallet|eth|ssh|rsa|aes|data|dek|kek|openai|anthropic|gemini|x)[_. -]?key$"
)
_NO_SECRET = re.compile(
    r"(?:public|primary|foreign|sort|cache|partition|idempotency|composite|unique|group|lookup|hot|i18n|map|dict|json)"
    r"[_. -]?key$|(?:max|min|num|total|input|output|next|prev|page|continuation|sync|pad|eos|bos|unk|mask|stop|special|cls"
    r"|sep|prompt|completion|reasoning|cached|cancellation|cancel|start|end)[_. -]?token$|tokens$|tokeni[sz]|token[_-]?(?:type|count|id|limit"
    r"|usage|budget|len|index|uri|url|endpoint|name|expiry|expires)|(?:password|secret|token|key)[_-]?(?:field|length|policy|regex"
    r"|pattern|file|path|min|max|type|name|label|hint|reset|input|store|manager|env|var|arn|ref|reference|url|uri)"
    r"|secret[_-]?(?:name|id)$|author(?!ization)|session[_-]?(?:uuid|name|type|start|length|time|limit)"
)
_WHOLE_NO_VALUE = re.compile(
    r"(?i)(?:true|false|none|null|nil|undefined|required|optional|string|str|int|bool|any|text|password|passwd|secret|token"
    r"|key|hidden|disabled|enabled|missing|invalid|valid|unset|empty|default|test|\W+)"
)
_NO_VALUE = re.compile(
    r"^(?:\.{0,2}/(?![\w+/=]{30})|~/|[A-Za-z]:[\\/]|https?:|\$|%\w+%|@|\[redacted|![A-Za-z]+(?:\s|$)|-{2}|process\.env|os\.|env\.|self\.|this\.|config\.|settings\."
    r"|secrets\.|vault:|arn:|sha(?:256|384|512)[:-]|data:|urn:|await |new |return )"
    r"|^[\w.-]+(?:/[\w.-]+)+\.[a-z]{1,5}(?::\d+)?$|^[\d.,:_+%-]+[A-Za-z]{0,3}$|\)$|^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*\("
)
_EXPRESSION = re.compile(r"[A-Za-z_$][A-Za-z_$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+[;,]?$")
_IDENTIFIER = re.compile(r"[a-z]+(?:[_-][a-z0-9]+)+$|[A-Z]+(?:_[A-Z0-9]+)*$|[a-z]+\d{0,2}$|[A-Z]?[a-z]+(?:[A-Z][a-z]+)*\d{0,2}$")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")


@functools.cache
def _after(word: str) -> re.Pattern[str]:
    return re.compile(re.escape(word) + _AFTER)


def _named(text: str, lowered: str) -> Iterator[Found]:
    """Values behind a name such as `password`, `API_KEY` or `"clientSecret"`."""
    for word in _WORDS:
        if word not in lowered:
            continue
        for match in _after(word).finditer(lowered):
            head_start = max(match.start() - 40, 0)
            head = lowered[head_start : match.start()]
            head = head[len(head.rstrip("abcdefghijklmnopqrstuvwxyz0123456789_.-")) :]
            name = head + word + match["rest"].rstrip("._-")
            kind = _kind_of(name)
            if kind is None or (match["space"] is not None and not head.startswith("--")):
                continue
            value = _VALUE.match(text, match.end())
            if value is None:
                continue
            group = "quoted" if value["quoted"] is not None else "bare"
            shown, start = value[group], value.start(group)
            if group == "bare":
                shown = shown.rstrip(".*_:!?)")
            scheme = re.match(r"(?i)(?:bearer|basic|token)[ ]+", shown)
            if scheme:
                start, shown = start + scheme.end(), shown[scheme.end() :]
            if _is_secret(shown, kind, quoted=group == "quoted"):
                yield Found(start, start + len(shown), kind, shown)


@functools.lru_cache(maxsize=4096)
def _kind_of(name: str) -> str | None:
    """What a name says its value is; None when it is no secret."""
    if _NO_SECRET.search(name):
        return None
    for sign, kind in (
        ("passphrase", "password"), ("password", "password"), ("passwd", "password"), ("passcode", "password"),
        ("pwd", "password"), ("secret", "secret"), ("private", "private key"),
    ):  # fmt: skip
        if sign in name:
            return kind
    if re.search(r"(?:^|[_.-])pass(?:[_.-]|$)|(?:db|user|smtp|redis|admin|root|pg)_?pass$|_pw$", name):
        return "password"
    if "token" in name:
        return "token"
    if _KEY_NAMES.search(name) or re.search(r"key[_-]?(?:prod|dev|live|test|staging|secret|[0-9])", name):
        return "key"
    if re.search(r"credential|(?:^|[_.-])creds?$|(?:^|[_.-])auth(?:$|[_.-](?:key|value|header))|csrf", name):
        return "secret"
    if re.search(r"session[_-]?(?:id|cookie|key)?$|(?:^|[_.-])sid$|cookie$", name):
        return "session"
    return None


def _is_secret(value: str, kind: str, *, quoted: bool) -> bool:
    """Whether this can be the value behind a name of that kind, and is no placeholder, expression or word."""
    value = value.strip()
    if len(value) < 6 or _WHOLE_NO_VALUE.fullmatch(value) or _NO_VALUE.search(value) or _is_made_up(value):
        return False
    if " " in value or (not quoted and _EXPRESSION.match(value)):
        return False
    if kind == "session":
        return len(value) >= 20 and not _UUID.match(value) and looks_random(value)
    if kind in ("key", "token", "private key"):
        return len(value) >= 12 and looks_random(value)
    if _IDENTIFIER.match(value):
        return False
    classes = set(value.translate(_CLASSES))
    has_letter = bool(classes & {"l", "u"})
    if not has_letter or len(set(value)) < 5:
        return False
    is_mixed = "d" in classes and ("u" in classes or len(classes) >= 3 or len(value) >= 12)
    has_signs = bool(classes - {"l", "u", "d"})
    return (is_mixed or (has_signs and "d" in classes)) or looks_random(value)


def _password(match: re.Match[str]) -> bool:
    return _is_secret(match["value"], "password", quoted=True)


def _address(match: re.Match[str]) -> bool:
    """Whether the password of an address is one, and no word of an example such as `user:password@`."""
    value = match["value"]
    return not _WHOLE_NO_VALUE.fullmatch(value) and not re.match(r"(?i)\$|%\w+%|pass|pwd?$|pw$|token$|\[redacted", value)


_LOOKS: dict[str, Callable[[re.Match[str]], bool]] = {
    "random": lambda match: looks_random(match["value"] if "value" in match.re.groupindex else match[0]),
    "password": _password,
    "address": _address,
    "any": lambda _: True,
}
