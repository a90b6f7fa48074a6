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
from itertools import groupby, pairwise
from operator import itemgetter
from typing import NamedTuple

from sitegen.automaton import automaton
from sitegen.secret_rules import LONE, SHAPES, TOKENS, ShapeRule, TokenRule


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
_INLINE = "em|strong|code|del|s|b|i|sub|sup|mark|wbr|span|a"
_ELEMENTS = rf"<(?:/?(?:{_INLINE})|span class=\"[a-z-]{{1,12}}\")>"
TAGS = re.compile(_ELEMENTS)
"""Elements that part no word."""
# Tags whose attributes hold nothing of a run.
_OTHER_TAGS = re.compile(
    r"<[a-z/][a-z0-9]{0,9}(?: (?:class|rel|scope|tabindex|role|data-untrusted)(?:=\"[a-z0-9 -]*\")?)*>"
)
_PAGE_SIGNS = re.compile(f"{_WRITTEN}|{_ELEMENTS}")
_PERCENT_READ = frozenset(string.ascii_letters + string.digits + "+/=_-.~:@\"' \n{}$")


_EMPHASIS = re.compile(r"\*\**|~~")
_PERCENT = re.compile("%(?:25)?[0-9A-Fa-f]{2}")
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e\u034f\ufe0f"


def _needs_reading(text: str) -> bool:
    """Whether a text holds more than emphasis and percent-encoding that is not read.

    Asks for single signs, which costs next to nothing.
    """
    return "\\" in text or "&" in text or (not text.isascii() and any(sign in text for sign in _INVISIBLE))


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
        if signs is _TEXT_SIGNS and not _needs_reading(text) and not ("%" in text and _PERCENT.search(text)):
            self.text, signs = _without_emphasis(text), _EMPHASIS
        else:
            self.text = signs.sub(read, text)
        self._written, self._signs, self._read = text, signs, read
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


def _without_emphasis(text: str) -> str:
    text = text.replace("*", "") if "*" in text else text
    return text.replace("~~", "") if "~" in text else text


def as_read(text: str) -> str:
    """The text as a person reads it, without what only writes it: invisible signs, emphasis, escapes, entities."""
    return _TEXT_SIGNS.sub(_read, text)


# A page is looked at in pieces first: the text between tags, and values of attributes.
_PIECES = re.compile(r">([^<]{2,})")
_VALUES = re.compile(r'=(?<!class=)(?<!rel=)"([^"]{6,})"')
_SIGN = r"[A-Za-z0-9_+/=.~$%:@?&*\\;-]"
# Where elements part what is one word for a reader; punctuation behind an element is no more of the word.
_PARTED = rf"{_SIGN}(?:{_ELEMENTS})+(?:[A-Za-z0-9_+/=~$%@&*\\-]|[.:;?]{_SIGN}|[.:;?](?:{_ELEMENTS})+{_SIGN})"


def _page_texts(page: str) -> Iterator[str]:
    """A page as its pieces, and those of its lines whole in which elements part a word: quick to look through."""
    yield _as_shown(" ".join([*_PIECES.findall(page), *_VALUES.findall(page)]))
    is_parted = automaton(_PARTED)
    if is_parted(page):
        lines = "\n".join([line for line in page.split("\n") if is_parted(line)])
        yield _as_shown(_OTHER_TAGS.sub(" ", TAGS.sub("", lines)))


def _as_shown(text: str) -> str:
    """Entities come twice: those of the page, and what a run has written."""
    text = html.unescape(text) if "&" in text else text
    if _needs_reading(text):
        return as_read(text)
    return _without_emphasis(_PERCENT.sub(_read, text) if "%" in text else text)


def find(
    text: str, own: Callable[[str], Iterable[Found]], *, page: bool = False, off: frozenset[str] = frozenset()
) -> list[Found]:
    """What has to be masked in a text, in order and apart from each other; kinds in `off` are left out.

    `own` finds more in the text as it is read. `page` reads HTML: elements within a word do not part it.
    """
    if page and not any(next(iter(found), None) for t in _page_texts(text) for found in (_found(t), own(t))):
        return []
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
    """The secrets in a text as it is read: only those rules are asked that can find anything in it."""
    looks = first_looks()
    has_tokens = automaton(looks.anchored)(text) or automaton(looks.lone)(text)
    has_names = automaton(looks.named)(text)
    return _by_rules(
        text,
        tokens=has_tokens,
        shapes=automaton(looks.shapes)(text),
        names=has_names,
        spoken=has_names and automaton(looks.spoken)(text),
    )


class FirstLooks(NamedTuple):
    """An expression for each family of rules that fits every text in which one of them can find something.

    They say less than the rules do, so they fit more texts, never fewer. Apart they have fewer states than together.
    """

    anchored: str
    lone: str
    shapes: str
    named: str
    spoken: str
    """Fits a part of what `named` fits."""


@functools.cache
def first_looks() -> FirstLooks:
    """What is looked for first in every text."""
    begun = (
        re.escape(anchor) + _RUN_SIGN + ("{10}" if anchor in _COMMON_ANCHORS or len(anchor) < 4 else "{4}")
        for anchor in sorted(_all_anchors())
    )
    names = "|".join([_LOOSE_FIRST, *_WORDS[1:]])
    # In every diff stands an `@`.
    signs = "|".join(sorted({r"://\S*@" if sign == "@" else re.escape(sign) for r in SHAPES for sign in r.signs}))
    return FirstLooks(
        anchored=f"(?:^|[^A-Za-z0-9])(?:{'|'.join(begun)})",
        lone="|".join(_LOOKAROUND.sub("", rule.pattern) for rule in LONE),
        shapes=f"(?i:{signs})",
        named=f"(?i:(?:{names}){_LOOSELY_AFTER}|{_LOOSELY_SPOKEN}|"
        f"--[a-z0-9_-]*(?:{names})[a-z0-9_-]*[ \\t]+{_LOOSE_VALUE})",
        spoken=f"(?i:{_LOOSELY_SPOKEN})",
    )


_LOOKAROUND = re.compile(r"\(\?<?[=!][^()]*\)")


def _by_rules(text: str, *, tokens: bool, shapes: bool, names: bool, spoken: bool) -> Iterator[Found]:
    """What the rules of these families find; those for sentences are a part of those for names."""
    if not (tokens or shapes or names):
        return
    words = _long_words(text) if tokens or shapes else []
    if tokens:
        yield from _tokens(text, _runs(text, words))
    if not (shapes or names):
        return
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters become two
        lowered = text.translate(_LOWER)
    known = [word for word in _WORDS if word in lowered]
    if shapes:
        within = " ".join([lowered[start:end] for start, end in words])
        of_runs, by_word, others = _shapes()
        signs = [*others, *(sign for word in known for sign in by_word[word])]
        present = {number for sign, numbers in signs if sign in lowered for number in numbers}
        present.update(number for sign, numbers in of_runs if sign in within for number in numbers)
        for number in sorted(present):
            yield from _shaped(text, SHAPES[number], _compiled(SHAPES[number].pattern))
    if names:
        for word in known:
            yield from _named(text, lowered, word)
        if known and "--" in lowered:
            yield from _options(text, lowered)
        if known and spoken:
            yield from _spoken(text)


# A long word is found as a row of one sign, which costs next to nothing; quotes and angle brackets part words.
_LONG = b"x"
_WORD_SIGNS = bytes(32 if sign <= 32 or sign in b"\"'`<>" else _LONG[0] for sign in range(256))


def _long_words(text: str) -> list[tuple[int, int]]:
    """Where the words begin and end that may hold a token."""
    signs = text.encode("latin-1", "replace").translate(_WORD_SIGNS)
    row, found, end = _LONG * _SHORTEST_RUN, [], 0
    while (start := signs.find(row, end)) != -1:
        end = signs.find(b" ", start + _SHORTEST_RUN)
        end = len(signs) if end == -1 else end
        found.append((start, end))
    return found


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _shaped(text: str, rule: ShapeRule, pattern: re.Pattern[str]) -> Iterator[Found]:
    group = "value" if "value" in pattern.groupindex else 0
    for match in pattern.finditer(text):
        if not _is_made_up(match[group]) and _LOOKS[rule.looks](match[group]):
            yield _whole(text, match.start(group), match[group], rule.kind)


_LOWER = {ord(letter): ord(letter.lower()) for letter in string.ascii_uppercase}

# Tokens with letters of their own.

_SHORTEST_RUN, _SHORTEST_LONE = 14, 50
_RUN_SIGN = "[A-Za-z0-9_+/=.~$%:@?&-]"
_RUN = re.compile(f"{_RUN_SIGN}{{{_SHORTEST_RUN},}}")
_BEFORE = r"(?<![A-Za-z0-9])"
_WRAP = re.compile(r"(?<=[A-Za-z0-9_+/=.-])[ \t]{0,8}\n[ \t>|+]{0,12}(?=[A-Za-z0-9_+/=.-])")
_LONGEST_WRAPPED = 1200


def _all_anchors() -> set[str]:
    return {anchor for rule in TOKENS for anchor in rule.anchors}


@functools.cache
def _anchors() -> re.Pattern[str]:
    """All anchors, those with one first letter together: an expression tries one branch after the other."""
    anchors = sorted(_all_anchors(), key=lambda anchor: (anchor[0], -len(anchor)))
    groups = (
        f"{re.escape(first)}(?:{'|'.join(re.escape(anchor[1:]) for anchor in group)})"
        for first, group in groupby(anchors, key=itemgetter(0))
    )
    return re.compile(f"{_BEFORE}(?:{'|'.join(groups)})")


@functools.cache
def _anchors_loosely() -> str:
    """Fits every run with an anchor in it: much faster than looking for the anchors themselves."""
    return f"(?:^|[^A-Za-z0-9])(?:{'|'.join(map(re.escape, sorted(_all_anchors())))})"


@functools.cache
def _rules_at(anchor: str) -> tuple[tuple[TokenRule, re.Pattern[str]], ...]:
    """The rules of tokens that may begin where this anchor stands, the longest anchor first."""
    rules = [
        (max(map(len, known)), rule) for rule in TOKENS if (known := [a for a in rule.anchors if anchor.startswith(a)])
    ]
    return tuple((rule, re.compile(rule.pattern)) for _, rule in sorted(rules, key=lambda pair: -pair[0]))


_Signs = list[tuple[str, list[int]]]


@functools.cache
def _shapes() -> tuple[_Signs, dict[str, _Signs], _Signs]:
    """The signs of shapes, each once and with the numbers of its rules: those within runs, those that hold one of
    _WORDS, by that word, and the others."""
    of_runs: dict[str, list[int]] = {}
    by_word: dict[str, dict[str, list[int]]] = {word: {} for word in _WORDS}
    others: dict[str, list[int]] = {}
    for number, rule in enumerate(SHAPES):
        for sign in rule.signs:
            word = next((word for word in _WORDS if word in sign), None)
            place = of_runs if rule.is_within_run else by_word[word] if word else others
            place.setdefault(sign, []).append(number)
    return list(of_runs.items()), {word: list(signs.items()) for word, signs in by_word.items()}, list(others.items())


@functools.cache
def _lone() -> tuple[tuple[ShapeRule, re.Pattern[str]], ...]:
    return tuple((rule, re.compile(rule.pattern)) for rule in LONE)


def _runs(text: str, words: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Where the long runs of signs of tokens begin and end in long words."""
    for start, end in words:
        for run in _RUN.finditer(text, start, end):
            # An image in the text is passed over: a key in it would be a chance.
            if not text.endswith(";base64,", max(run.start() - 8, 0), run.start()):
                yield run.span()


def _tokens(text: str, runs: Iterable[tuple[int, int]]) -> Iterator[Found]:
    has_anchor = automaton(_anchors_loosely())
    for start, end in runs:
        for anchor in _anchors().finditer(text, start, end) if has_anchor(text[start:end]) else ():
            known = (_token(text, anchor, rule, pattern) for rule, pattern in _rules_at(anchor[0]))
            if token := max(filter(None, known), key=lambda found: found.end, default=None):
                yield token
        if end - start >= _SHORTEST_LONE:
            for shape, pattern in _lone():
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
    if not _is_varied(body) or _is_made_up(body):
        return None
    if len(value) - len(body) < 3 or value[:skipped] in _COMMON_ANCHORS:
        return Found(start, end, rule.kind, value) if looks_random(body) else None
    if body.islower() and body.isalpha():
        return None
    return Found(start, end, rule.kind, value)


_COMMON_ANCHORS = frozenset(
    [
        "EAA",
        "pat",
        "cio",
        "sk-",
        "db-",
        "re_",
        "sl.",
        "st.",
        "fc-",
        "pa-",
        "key-",
        "api-",
        "API-",
        "mob-",
        "sdk-",
        "oy2",
        "eyJ",
        "ico-",
        "p8-",
        "secret_",
    ]
)
"""Letters that words and names begin with as well."""

KINDS = tuple(
    dict.fromkeys(rule.kind for rules in (TOKENS, SHAPES, LONE) for rule in rules)
    | dict.fromkeys(["password", "secret", "private key", "token", "key", "session"])
)
"""What a secret can be."""

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
    return turns >= 0.18 * (letters + digits) and (digits >= 2 or (turns >= 0.2 * letters and letters >= 16))


_NEXT_LINE = re.compile(
    r"[ \t]{0,8}\\?\n[ \t>|+]{0,12}(?P<rest>[A-Za-z0-9+/_.-]{6,200}={0,2})(?=[\"'`,;]?[ \t]{0,8}(?:\n|$))"
)


def _whole(text: str, start: int, value: str, kind: str) -> Found:
    """What was found at `start`, and, where a terminal has wrapped it, its rest on the next line."""
    end = start + len(value)
    if text[end : end + 9].lstrip(" \t\\")[:1] == "\n":
        rest = _NEXT_LINE.match(text, end)
        if rest and looks_random(rest["rest"]):
            return Found(start, rest.end(), kind, value + rest["rest"])
    return Found(start, end, kind, value)


# What only its name gives away.

_WORDS = ("pass", "pwd", "secret", "token", "key", "auth", "cred", "session", "cookie")
# Behind the word: the rest of the name, what closes it, what says "is", what opens the value.
_AFTER = (
    r"(?P<rest>[\w.-]{0,24}+)(?:[\"'`\])_]|\s?\(s\)){0,5}+"
    r"(?:(?P<sign>[ \t]{0,16}(?:=>|:=|={1,3}|:(?!//)|\||->|,(?=[ ]?[\"']))"
    r"(?:[ \t]{0,4}(?:str|string|&str|bytes|any|auto|text)\??[ \t]{0,4}=(?!=))?"
    r"(?:[ \t]{0,16}|\s{0,40}(?=[\"'])))"
    r"|(?P<attribute>[\"']?[ \t]{1,4}(?:value|content)=)"
    r"|(?P<element>>(?=[^<>\s]))"
    r"|(?P<verb>[ \t]+(?:is|was|to|as|of)(?:[ \t]+(?:now|set[ \t]+to|still))?:?[ \t]+(?=[\"'`])))"
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
    r"[_. -]?key$|(?:max|min|num|total|input|output|next|prev|page|continuation|sync|pad|eos|bos|unk|mask|stop|special"
    r"|cls|sep|consistency|snapshot|watch|resume|change|cursor|prompt|completion|reasoning|cached|cancellation|cancel"
    r"|start|end)[_. -]?token$|tokens$|tokeni[sz]|token[_-]?(?:type|count|id|limit"
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
_IDENTIFIER = re.compile(
    r"[a-z]+(?:[_-][a-z0-9]+)+$|[A-Z]+(?:_[A-Z0-9]+)*$|[a-z]+\d{0,2}$|[A-Z]?[a-z]+(?:[A-Z][a-z]+)*\d{0,2}$"
)
_PART = re.compile("[_-]")
_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-")


# `pass` is a word as well.
_LOOSE_FIRST = "pass(?:w|phrase|code)|(?:^|[^a-z0-9]|db|user|smtp|redis|admin|root|pg)pass"
# The same for the first look: what follows a name, and a value that has a digit or is long.
_LOOSE_VALUE = r"(?:\s?(?:bearer|basic|token)\s+)?[_(\[fbru]{0,3}[\"'`]*\s*(?:\S*[0-9]\S{3}|\S{3,}[0-9]|\S{16})"
_LOOSELY_AFTER = (
    r"[\w.-]*(?:[\"'`\])_]|\s?\(s\))*\s*"
    r"(?:(?:=>|:?=|={2,3}|[:|]|->|,\s?[\"'])(?:\s*(?:str|string|&str|bytes|any|auto|text)\??\s*=)?\s*"
    r"|[\"']?\s+(?:value|content)=|>|(?:is|was|to|as|of)(?:\s+now|\s+set\s+to|\s+still)?:?\s+[\"'`])"
) + _LOOSE_VALUE


@functools.cache
def _after(word: str) -> re.Pattern[str]:
    return re.compile(re.escape(word) + _AFTER)


def _named(text: str, lowered: str, word: str) -> Iterator[Found]:
    """Values behind a name with this word in it, such as `password`, `DB_PASSWORD` or `"userPassword"`."""
    for match in _after(word).finditer(lowered):
        before = lowered[max(match.start() - 40, 0) : match.start()]
        head = before[len(before.rstrip(_IN_NAMES)) :]
        name = head + word + match["rest"].rstrip("._-")
        kind = _kind_of(name)
        if kind is None:
            continue
        if found := _value_at(text, match.end(), kind, is_test=name == "pass" and "=" not in (match["sign"] or "")):
            yield found


_IS = r"[\"'`)]{0,3}(?:[ \t]*(?::|=|->)[ \t]*|[ \t]+(?:(?:is|was|to|as|of):?[ \t]+(?:now[ \t]+)?)?)[\"'`(]{0,2}"
_SPOKEN_KEY = re.compile(
    rf"(?i)(?<![a-z0-9])(?P<of>[a-z]{{2,12}}[ _-]?)?(?P<name>key|token|authtoken|secret|credential){_IS}"
    r"(?P<value>[a-z0-9_.+/=~-]{20,600})(?!\()"
)
_SPOKEN_PASSWORD = re.compile(rf"(?i)\bpass(?:word|wd|phrase|code){_IS}(?P<value>[^\s\"'`<>,;()]{{8,100}})")
_OF_PEOPLE = re.compile(
    r"(?:api|access|auth|secret|bearer|client|private|refresh|personal|deploy|admin)[ _-]?(?:key|token|secret)"
)
"""Keys and tokens that are no hash, whatever they look like."""
# The same for the first look.
_LOOSELY_SPOKEN = (
    r"(?:key|token|secret|credential)[\"'`)]*(?:\s*(?:[:=]|->)\s*|\s+(?:(?:is|was|to|as|of):?\s+(?:now\s+)?)?)[\"'`(]*"
    r"[a-z0-9_.+/=~-]{20}|pass(?:word|wd|phrase|code)[\"'`)]*(?:\s*(?:[:=]|->)\s*|\s+(?:(?:is|was|to|as|of):?\s+(?:now\s+)?)?)"
    r"[\"'`(]*(?:\S*[0-9]\S*[!#$%^&*~+=@?]|\S*[!#$%^&*~+=@?]\S*[0-9])"
)


def _spoken(text: str) -> Iterator[Found]:
    """Values in a sentence: `the API key is ...`, `with token ...`, `logged in with password ...`."""
    for match in _SPOKEN_KEY.finditer(text):
        name, value = f"{match['of'] or ''}{match['name']}".lower(), match["value"].rstrip(".")
        classes = set(value.translate(_CLASSES))
        is_meant = classes >= set("lud") or ("d" in classes and _OF_PEOPLE.match(name))
        kind = "token" if "token" in name else "key"
        if is_meant and not _NO_SECRET.search(name) and _is_secret(value, kind, quoted=False):
            yield _whole(text, match.start("value"), value, kind)
    for match in _SPOKEN_PASSWORD.finditer(text):
        value = match["value"].rstrip(".:?!*_")
        if _SIGNS.search(value) and _is_secret(value, "password", quoted=False):
            yield _whole(text, match.start("value"), value, "password")


_SIGNS = re.compile("[!#$%^&*~+=@?]")


def _options(text: str, lowered: str) -> Iterator[Found]:
    """Values of options such as `--password VALUE`."""
    for match in _OPTION.finditer(lowered):
        kind = _kind_of(match["name"])
        if kind and (found := _value_at(text, match.end(), kind)):
            yield found


_OPTION = re.compile(r"--(?P<name>[a-z][a-z0-9_-]{1,40}+)[ \t]{1,4}")


def _value_at(text: str, at: int, kind: str, *, is_test: bool = False) -> Found | None:
    """The value that begins here, if it is a secret; `PASS: name` says that a test has passed."""
    value = _VALUE.match(text, at)
    if value is None or (is_test and value["bare"]):
        return None
    group = "quoted" if value["bare"] is None else "bare"
    shown, start = value[group], value.start(group)
    if group == "bare":
        shown = shown.rstrip(".*_:?)")
    if scheme := _SCHEME.match(shown):
        start, shown = start + scheme.end(), shown[scheme.end() :]
    if not _is_secret(shown, kind, quoted=group == "quoted"):
        return None
    return _whole(text, start, shown, "key" if kind == _ANY_KEY else kind)


_IN_NAMES = string.ascii_lowercase + string.digits + "_.-"
_SCHEME = re.compile(r"(?i)(?:bearer|basic|token)[ ]+")


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
    if re.search(r"credential|(?:^|[_.-])creds?$|(?:^|[_.-])o?auth(?:$|[_.-](?:key|value|header))|csrf", name):
        return "secret"
    if re.search(r"session[_-]?(?:id|cookie|key)?$|(?:^|[_.-])sid$|cookie$", name):
        return "session"
    if re.search(r"[a-z0-9][_-]key$", name):
        return _ANY_KEY
    return None


_ANY_KEY = "key of anything"
"""Of a name that only ends so, as those of caches and dictionaries do: the value alone must say that it is a secret."""


_JUDGED = 100
"""Characters that decide."""


def _is_secret(value: str, kind: str, *, quoted: bool) -> bool:
    """Whether this can be the value behind a name of that kind, and is no placeholder, expression or word."""
    value = value.strip()[:_JUDGED]
    if len(value) < 6 or _WHOLE_NO_VALUE.fullmatch(value) or _NO_VALUE.search(value) or _is_made_up(value):
        return False
    if " " in value or (not quoted and _EXPRESSION.match(value) and not _is_random_expression(value)):
        return False
    if kind == "session":
        return len(value) >= 20 and not _UUID.match(value) and looks_random(value)
    if kind == _ANY_KEY:
        return len(value) >= 24 and looks_random(value) and set("lud") <= set(value.translate(_CLASSES))
    if kind in ("key", "token", "private key"):
        return len(value) >= 12 and looks_random(value)
    if _IDENTIFIER.match(value) and not any(len(part) >= 16 and looks_random(part) for part in _PART.split(value)):
        return False
    classes = set(value.translate(_CLASSES))
    has_letter = bool(classes & {"l", "u"})
    if not has_letter or len(set(value)) < 5:
        return False
    is_mixed = "d" in classes and ("u" in classes or len(classes) >= 3 or len(value) >= 12)
    has_signs = bool(classes - {"l", "u", "d"})
    return (is_mixed or (has_signs and "d" in classes)) or looks_random(value)


def _is_random_expression(value: str) -> bool:
    """Whether what could be an attribute in code, `s.4fT...`, has more digits than names of attributes have."""
    return looks_random(value) and sum(map(str.isdigit, value)) >= 2


def _is_no_example(value: str) -> bool:
    """Whether the password of an address is one, and no word of an example such as `user:password@`."""
    return not _WHOLE_NO_VALUE.fullmatch(value) and not re.match(
        r"(?i)\$|%\w+%|pass|pwd?$|pw$|token$|\[redacted", value
    )


_LOOKS: dict[str, Callable[[str], bool]] = {
    "random": looks_random,
    "password": functools.partial(_is_secret, kind="password", quoted=True),
    "address": _is_no_example,
    "any": lambda _: True,
}
