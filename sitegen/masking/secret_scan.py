"""Finds secrets in a text: where they stand and what they are. Changes nothing.

A text of a run hides them, so it is first read as a person would (`reading`), and what is found there is brought back
to where it stands. Four stages look for them: letters that a service begins its tokens with and other known shapes
(here, from `secret_rules`), names before values, places in which keys stand, and base64 that hides
any of these (`secret_places`). Clean text is the usual case and pays for two searches only.
"""

import functools
import math
import re
import string
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, groupby
from operator import itemgetter

from sitegen.masking import secret_places as places
from sitegen.masking.automaton import automaton, fitting_lines
from sitegen.masking.reading import (
    LINE_BEGINNING,
    LINE_PREFIX,
    PAGE_SIGNS,
    TEXT_SIGNS,
    Reading,
    page_texts,
)
from sitegen.masking.secret_looks import (
    LOOKS,
    Found,
    is_made_up,
    is_mixed,
    is_varied,
    looks_random,
    whole,
)
from sitegen.masking.secret_rules import LONE, PRINTED, SHAPES, TOKENS, ShapeRule, TokenRule
from sitegen.masking.word_lists import compiled


def find(
    text: str,
    own: Callable[[str], Iterable[Found]],
    *,
    page: bool = False,
    off: frozenset[str] = frozenset(),
) -> list[Found]:
    """Return what has to be masked in a text, in order and apart from each other; kinds in `off` are left out.

    `own` finds more in the text as it is read. `page` reads HTML: elements within a word do not part it.
    """
    if page and not any(True for part in page_texts(text) for _ in chain(_found(part), own(part))):
        return []
    reading = Reading(text, PAGE_SIGNS if page else TEXT_SIGNS)
    found = [*own(reading.text), *_found(reading.text)]
    return found and without_overlaps(
        Found(*reading.span(f.start, f.end), f.kind, f.value) for f in found if f.kind not in off
    )


def without_overlaps(found: Iterable[Found]) -> list[Found]:
    """Return what was found, in order; of two that overlap the first counts, of two that begin together the longer."""
    kept: list[Found] = []
    for each in sorted(found, key=lambda f: (f.start, -f.end)):
        if kept and each.start < kept[-1].end:
            if each.end > kept[-1].end:  # what both cover goes
                last = kept[-1]
                kept[-1] = Found(last.start, each.end, last.kind, last.value)
            continue
        kept.append(each)
    return kept


def _found(text: str, *, is_outermost: bool = True) -> Iterator[Found]:
    """Yield the secrets in a text as it is read: only those rules are asked that can find anything in it.

    Base64 is looked into, pieces are joined, and beginnings of lines are left out, unless the text was itself made so.
    """
    if automaton(_loosely_coded())(text):
        if is_outermost and automaton(places.LOOSELY_ENCODED)(text):
            yield from places.encoded(
                text, lambda inner: _found(Reading(inner, TEXT_SIGNS).text, is_outermost=False)
            )
        if is_outermost and automaton(_LOOSELY_JOINED)(text):
            yield from _found_without(
                _JOINT, text, lambda joined: _found(joined, is_outermost=False)
            )
        yield from _tokens(text)
    if automaton(_LOOSELY_WORDED)(text):
        yield from _worded(text, is_outermost=is_outermost)
    else:
        yield from _by_name(text, is_worded=False)


def _worded(text: str, *, is_outermost: bool = False) -> Iterator[Found]:
    """Yield the secrets that a word gives away, in a text with such words."""
    if automaton(_LOOSE_SIGNS)(text):
        yield from _by_sign(text)
    if automaton(_LOOSELY_SPANNING)(text):
        yield from _printed(text)
        if is_outermost:
            yield from _prefixed(text)
    yield from _by_name(text, is_worded=True)


def _prefixed(text: str) -> Iterator[Found]:
    """Yield the secrets whose name and value are on lines that begin as those of patches, listings and logs do."""
    if automaton(_LOOSELY_KEY)(text):
        yield from _found_without(LINE_PREFIX, text, _worded)
        return
    done = 0
    for start, end in fitting_lines(rf"{_NAME_AT_END}(?:\n|$)", text):
        if start < done:
            continue
        newlines = text[end : end + 3]
        value_line = end + len(newlines) - len(newlines.lstrip("\n"))
        if LINE_PREFIX.match(text, start) or LINE_PREFIX.match(text, value_line):
            lines = text[start : end + _MAX_BELOW]
            done = start + len(lines)
            for found in _found_without(LINE_PREFIX, lines, _worded):
                yield Found(start + found.start, start + found.end, found.kind, found.value)


_LOOSELY_KEY = f"(?i:{places.SIGN})"
_MAX_BELOW = 400  # characters behind a name in which its value may stand


def _found_without(
    left_out: re.Pattern[str], text: str, find_in: Callable[[str], Iterator[Found]]
) -> Iterator[Found]:
    """Yield the secrets in a text without what only parts it: joints of code, beginnings of lines."""
    rest = Reading(text, left_out, lambda _: "")
    for found in find_in(rest.text):
        yield Found(*rest.span(found.start, found.end), found.kind, found.value)


# Fits the end of a line that is the name of a secret, whose value may stand on the next.
_NAME_AT_END = (
    rf"(?i:login [^\n ]+|reset\.|(?:{'|'.join(places.WORDS)})[a-z0-9_.-]*[\"'`]*"
    rf"(?: *[:=] *(?:(?:{places.TYPES})\?? *= *)?(?:[|>]?[+-]?|[(\[])|,| ?[({{])?)"
)
_LOOSELY_JOINED = r"[^\s\"'][\"'](?:\s?\+[\s>]*| \. )[\"'][^\s\"']"
# Between the pieces of one text in code.
_JOINT = re.compile(r"(?<=[^\s\"'])[\"'](?:\s?\+[\s>]{0,40}| \. )[\"'](?=[^\s\"'])")


# An expression for each family of rules fits every text in which one of them can find something. It says less than the
# rules do, so it fits more texts, never fewer. Which stand together was measured: each costs a pass over the text, but
# two that have too many states together take ten times as long as apart.


# Signs of shapes; in every diff stands an `@`.
_SIGNS = {r"://\S*@" if sign == "@" else re.escape(sign) for rule in SHAPES for sign in rule.signs}
# Fits every line with the sign of a shape in it.
_LOOSE_SIGNS = f"(?i:{'|'.join(sorted({places.SIGN} | _SIGNS))})"
_PRINTED = [rule.signs[0] for rule in PRINTED]
LOOSELY_PRINTED = f"(?i:{'|'.join(_PRINTED)})"
"""Fits every line with a command that prints a secret."""
# Fits every text in which a name and its value may be on two lines.
_LOOSELY_SPANNING = f"{LOOSELY_PRINTED}|{_LOOSELY_KEY}|{_NAME_AT_END}\n"
_WITHOUT_WORD = "|".join(sign for sign in _PRINTED if "(?:pass" not in sign)
# Fits every text with such a sign, or with what `_by_name` finds: most have no word of theirs.
_LOOSELY_WORDED = (
    f"{_LOOSE_SIGNS}|(?i:{places.LOOSELY_WORDED}|{places.LOOSELY_OPENED}|{_WITHOUT_WORD})"
)


@functools.cache
def _loosely_coded() -> str:
    """Fits every text with a token that begins with letters of its own, base64, or pieces that code puts together."""
    return f"{_loosely_begun()}|{places.LOOSELY_ENCODED}|{_LOOSELY_JOINED}"


@functools.cache
def _loosely_begun() -> str:
    """Fits every line in which a token begins."""
    common = [anchor for anchor in _ANCHORS if anchor in _COMMON_ANCHORS or len(anchor) < 3]
    sign = _RUN_SIGN
    begun = (
        f"(?:{'|'.join(re.escape(anchor) for anchor in _ANCHORS if anchor not in common)}){sign}{{4}}",
        f"(?:{'|'.join(map(re.escape, common))})"
        f"(?:{sign}*[0-9]{sign}*[0-9]|{sign}*[a-z][A-Z]{sign}*[a-z][A-Z]|{sign}{{3}}{sign}*[ \\t\\\\]*(?:\\n|$))",
    )
    lone = "|".join(_LOOKAROUND.sub("", rule.pattern) for rule in LONE)
    return f"(?:^|[^A-Za-z0-9])(?:{'|'.join(begun)}|{lone})"


_LOOKAROUND = re.compile(r"\(\?<?[=!][^()]*\)")


def _lowered(text: str) -> str:
    lowered = text.lower()
    return (
        lowered if len(lowered) == len(text) else text.translate(_LOWER)
    )  # a few letters become two


_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def _by_sign(text: str) -> Iterator[Found]:
    """Private keys, and what has another shape of its own: only lines with signs of rules are searched for these."""
    fitting = "\n".join(
        [_lowered(text[start:end]) for start, end in fitting_lines(_LOOSE_SIGNS, text)]
    )
    if places.SIGN in fitting:
        yield from places.private_keys(text)
    for rule in SHAPES:
        if any(sign in fitting for sign in rule.signs):
            yield from _shaped(text, rule, 0, len(text))


def _printed(text: str) -> Iterator[Found]:
    """Yield what commands print that show a secret."""
    for start, end in fitting_lines(LOOSELY_PRINTED, text):
        for rule in PRINTED:
            yield from _shaped(text, rule, start, end + _MAX_ANSWER)


_MAX_ANSWER = 400  # characters behind the line of a command that are looked at


def _by_name(text: str, *, is_worded: bool) -> Iterator[Found]:
    """Yield what stands behind a name, below it, in a sentence or in a call."""
    is_below = "`" in text and automaton(_LOOSELY_BELOW)(text)
    if not (is_worded or is_below or places.holds_given(text)):
        return
    lowered = _lowered(text)
    if is_worded:
        yield from places.named(text, lowered)
        yield from places.spoken(text, lowered)
    yield from places.placed(text, lowered)
    if is_below:
        yield from _below(text)


# A value alone in a fence or in backticks, below a line that ends in a name: a heading, an item, a sentence.
_LOOSELY_BELOW = (
    r"\n[\s>]*(?:```[a-z]*\n[ \t>]*[^\s`]+[ \t]*\n[ \t>]*```|(?:[-+] )?`[^\s`]+`[ \t.]*(?:\n|$))"
)
_ALONE = re.compile(
    r"[ \t]*\n(?:[ \t>]*\n){0,2}[ \t>]*"
    r"(?:```[a-z]{0,10}\n[ \t>]*(?P<fenced>[^\s`]{4,200})[ \t]*\n[ \t>]*```"
    r"|(?:[-+] )?`(?P<coded>[^\s`]{4,200})`[ \t.]*(?=\n|\Z))"
)
_NAME_BEFORE = re.compile(
    r"(?P<name>(?:\b[A-Za-z]{2,12} )?[\w.-]+)[\"'`)\]_]*(?: (?:is|was|are))?[ \t]*[:\uff1a]?_*$"
)


def _below(text: str) -> Iterator[Found]:
    """Yield values below their names, judged as those in quotes behind them."""
    for match in _ALONE.finditer(text):
        line = text[max(text.rfind("\n", 0, match.start()) + 1, match.start() - 80) : match.start()]
        if name := _NAME_BEFORE.search(line):
            group = "fenced" if match["fenced"] else "coded"
            together = f'{name["name"]} -> "{match[group]}"'
            lowered = _lowered(together)
            for found in places.named(together, lowered):
                yield Found(*match.span(group), found.kind, found.value)


def _shaped(text: str, rule: ShapeRule, start: int, end: int) -> Iterator[Found]:
    pattern = compiled(rule.pattern)
    group = "value" if "value" in pattern.groupindex else 0
    is_behind = "noise" in pattern.groupindex
    for match in pattern.finditer(text, start, end):
        at = match.start(group)
        end_of_noise = places.end_of_noise(text, at) if is_behind else at
        if end_of_noise > at:
            yield Found(at, end_of_noise, rule.kind, text[at:end_of_noise])
            continue
        if is_behind and match["noise"]:
            continue
        value = match[group]
        is_meant = (
            places.holds_key(value) if rule.kind == places.SIGN else not is_made_up(value[:_JUDGED])
        )
        if is_meant and LOOKS[rule.looks](value):
            yield whole(text, at, value, rule.kind)


# Characters that say whether a value is a placeholder: in a long one their letters stand by chance.
_JUDGED = 40
_MAX_JUDGED = 200

# Tokens with letters of their own.

_SHORTEST_RUN = 12
_SHORTEST_LONE = 26
_RUN_SIGN = "[A-Za-z0-9_+/=.~$%:@?&-]"
_RUN = re.compile(f"{_RUN_SIGN}{{{_SHORTEST_RUN},}}")
_BEFORE = r"(?<![A-Za-z0-9])"
_WRAP = re.compile(
    rf"(?<=[A-Za-z0-9_+/=.-])[ \t]{{0,8}}\n{LINE_BEGINNING}{{0,3}}[ \t>|+]{{0,12}}(?=[A-Za-z0-9_+/=.-])"
)
_LONGEST_WRAPPED = 1200


_ANCHORS = sorted({anchor for rule in TOKENS for anchor in rule.anchors})
# Fits every run with an anchor in it: much faster than looking for the anchors themselves.
_ANY_ANCHOR = f"(?:^|[^A-Za-z0-9])(?:{'|'.join(map(re.escape, _ANCHORS))})"


@functools.cache
def _anchors() -> re.Pattern[str]:
    """Return all anchors, those with one first letter together: an expression tries one branch after the other."""
    anchors = sorted(_ANCHORS, key=lambda anchor: (anchor[0], -len(anchor)))
    groups = (
        f"{re.escape(first)}(?:{'|'.join(re.escape(anchor[1:]) for anchor in group)})"
        for first, group in groupby(anchors, key=itemgetter(0))
    )
    return re.compile(f"{_BEFORE}(?:{'|'.join(groups)})")


@functools.cache
def _rules_at(anchor: str) -> tuple[tuple[TokenRule, re.Pattern[str]], ...]:
    """Return the rules of tokens that may begin where this anchor stands, the longest anchor first."""
    rules = [
        (max(map(len, known)), rule)
        for rule in TOKENS
        if (known := [a for a in rule.anchors if anchor.startswith(a)])
    ]
    return tuple(
        (rule, re.compile(rule.pattern)) for _, rule in sorted(rules, key=lambda pair: -pair[0])
    )


def _tokens(text: str) -> Iterator[Found]:
    """Yield the tokens in long runs of their signs."""
    has_anchor = automaton(_ANY_ANCHOR)
    for run in (
        run for line in fitting_lines(_loosely_begun(), text) for run in _RUN.finditer(text, *line)
    ):
        start, end = run.span()
        if text.endswith(";base64,", max(start - 8, 0), start):
            continue  # an image in the text: a key in it would be a chance
        for anchor in _anchors().finditer(text, start, end) if has_anchor(text[start:end]) else ():
            known = (_token(text, anchor, rule, pattern) for rule, pattern in _rules_at(anchor[0]))
            if token := max(filter(None, known), key=lambda found: found.end, default=None):
                yield token
        if end - start >= _SHORTEST_LONE:
            for shape in LONE:
                for match in compiled(shape.pattern).finditer(text, start, end):
                    if LOOKS[shape.looks](match[0]):
                        yield Found(match.start(), match.end(), shape.kind, match[0])


def _token(
    text: str, anchor: re.Match[str], rule: TokenRule, pattern: re.Pattern[str]
) -> Found | None:
    """Return the token of a rule at an anchor, on one line or wrapped over several."""
    start = anchor.start()
    match = pattern.match(text, start)
    value, end = (match[0], match.end()) if match else ("", start)
    newline = text.find("\n", start, start + _LONGEST_WRAPPED)
    if (not match or text[end : end + 1] == "\n") and newline > start + len(anchor[0]) + 3:
        window = Reading(text[start : start + _LONGEST_WRAPPED], _WRAP, lambda _: "")
        wrapped = pattern.match(window.text)
        rest = wrapped[0][len(value) :] if wrapped else ""
        if wrapped and (
            not match or (len(rest) >= 8 and looks_random(rest))
        ):  # more of a token, and no word
            value = wrapped[0]
            end = start + window.span(0, wrapped.end())[1]
    return (
        _judged(value, len(anchor[0]), start, end, rule)
        if value
        else _beginning(text, anchor, rule)
    )


_CUT = re.compile(r"\u2026|\.{3}")
_COUNT = re.compile(r"\{(\d{2,})((?:,\d*)?)\}(?!.*\{\d{2,}(?:,\d*)?\})")
_ENOUGH = 0.6


@functools.cache
def _cut_pattern(pattern: str) -> re.Pattern[str]:
    """Return the same with fewer signs in the last part that has at least ten."""
    return re.compile(
        _COUNT.sub(lambda m: f"{{{math.ceil(int(m[1]) * _ENOUGH)},{m[2][1:] or m[1]}}}", pattern)
    )


def _beginning(text: str, anchor: re.Match[str], rule: TokenRule) -> Found | None:
    """Return what is there of a token that is cut: by an ellipsis, or with the text, where its letters are its own."""
    match = _cut_pattern(rule.pattern).match(text, anchor.start())
    if match is None:
        return None
    is_own = len(anchor[0]) >= 3 and anchor[0] not in _COMMON_ANCHORS
    value = match[0].rstrip(".") if _CUT.search(match[0]) else match[0]
    end = match.start() + len(value)
    if not (_CUT.match(text, end) or (is_own and end == len(text))):
        return None
    body = value[len(anchor[0]) :]
    if not looks_random(body) and not (is_own and (body.isupper() or is_mixed(body))):
        return None
    return _judged(value, len(anchor[0]), match.start(), end, rule)


def _judged(value: str, skipped: int, start: int, end: int, rule: TokenRule) -> Found | None:
    body = value[skipped : skipped + _MAX_JUDGED]
    if not is_varied(body) or is_made_up(body[:_JUDGED]):
        return None
    is_common = skipped < 3 or value[:skipped] in _COMMON_ANCHORS
    is_token = looks_random(body) if is_common else not (body.islower() and body.isalpha())
    return Found(start, end, rule.kind, value) if is_token else None


_COMMON = (
    "EAA pat cio sk- db- re_ sl. st. fc- pa- key- api- API- mob- sdk- oy2 eyJ ico- p8- secret_"
)
_COMMON_ANCHORS = frozenset(_COMMON.split())  # letters that words and names begin with as well

KINDS = tuple(
    dict.fromkeys(rule.kind for rules in (TOKENS, SHAPES, LONE) for rule in rules)
    | dict.fromkeys(
        ["password", "secret", "private key", "token", "key", "session", "secret in base64"]
    )
)
