"""Judges values and names: what looks as if a generator had made it, what can be a password, what is a placeholder or
code, and which names say that a secret follows."""

import functools
import re
import string
from collections.abc import Callable
from itertools import pairwise

from sitegen.masking.reading import LINE_BEGINNING
from sitegen.masking.word_lists import rows, words
from sitegen.model import frozen


@frozen
class Found:
    """A secret in a text, or the name of a person or of a machine."""

    start: int
    end: int
    kind: str
    value: str = ""
    """The value as a person would read it: the same for all ways to write it."""


_NOTHING, _VERDICTS, _NO_SECRETS, _PLACEHOLDER, _OWN_NAME, _REFERENCE = (
    "|".join(words("secret_words.tsv", name))
    for name in ("no password", "verdict", "no secret", "made up", "names itself", "no value")
)
_MADE_UP = re.compile(f"(?i){_PLACEHOLDER}")
_NAMES_ITSELF = re.compile(f"(?i){_OWN_NAME}")
_NO_VALUE = re.compile(_REFERENCE)


def is_made_up(value: str) -> bool:
    """Return whether a value says itself that it is none: a placeholder, an ellipsis, letters in their order.

    An ellipsis behind what looks random only says that somebody cut it.
    """
    begun = value.rstrip(".\u2026")
    if begun != value and len(begun) >= _MIN_OF_CUT and looks_random(begun):
        value = begun
    return bool(_MADE_UP.search(value))


_MIN_OF_CUT = 16  # fewer characters before an ellipsis may be those of an example


def is_varied(value: str) -> bool:
    """Return whether a value uses more letters than a placeholder would, and not in their order."""
    if len(set(value)) < min(8, len(value) / 3 + 1):
        return False
    steps = sum(1 for one, other in pairwise(value) if 0 <= ord(other) - ord(one) <= 1)
    return steps < len(value) * 0.4


_HEX = re.compile(r"(?=[^a-f]*[a-f])(?:[0-9a-f]{24,}|[0-9A-F]{24,})$")
_CLASSES = str.maketrans(
    string.ascii_lowercase + string.ascii_uppercase + string.digits, "l" * 26 + "u" * 26 + "d" * 10
)
_TURNS = re.compile(r"(?<=l)(?=[ud])|(?<=u)(?=d)|(?<=d)(?=[lu])")


def classes_of(value: str) -> set[str]:
    """Return `l`, `u` and `d` for small letters, large ones and digits; any other sign stands for itself."""
    return set(value.translate(_CLASSES))


def is_mixed(value: str) -> bool:
    """Return whether there are small letters, large ones and digits."""
    return classes_of(value) >= {"l", "u", "d"}


def looks_random(value: str) -> bool:
    """Return whether letters and digits are mixed as a generator mixes them and a person who names things does not."""
    if not is_varied(value):
        return False
    if len(value) >= 24 and _HEX.match(value):
        return True
    classes = value.translate(_CLASSES)
    turns = len(_TURNS.findall(classes))
    letters = classes.count("l") + classes.count("u")
    digits = classes.count("d")
    if not letters or turns < 3:
        return False
    return turns >= 0.18 * (letters + digits) and (
        digits >= 2 or (turns >= 0.2 * letters and letters >= 16)
    )


_NEXT_LINE = re.compile(
    rf"[ \t]{{0,8}}\\?\n{LINE_BEGINNING}{{0,3}}"
    r"[ \t>|+]{0,12}(?P<rest>[A-Za-z0-9+/_.-]{6,200}={0,2})(?=[\"'`,;]?[ \t]{0,8}(?:\n|$))"
)


def whole(text: str, start: int, value: str, kind: str) -> Found:
    """Return what was found at `start`, and, where a terminal has wrapped it, its rest on the next line."""
    end = start + len(value)
    if text[end : end + 9].lstrip(" \t\\")[:1] == "\n":
        rest = _NEXT_LINE.match(text, end)
        if rest and looks_random(rest["rest"]):
            return Found(start, rest.end(), kind, value + rest["rest"])
    return Found(start, end, kind, value)


_SAYS_NOTHING = re.compile(
    rf"(?i)(?:{_NOTHING}|(?:(?:un|not[ _-]?|partial(?:ly)?[ _-]?)?(?:{_VERDICTS})[!?]?))"
)
_EXPRESSION = re.compile(r"[A-Za-z_$][A-Za-z_$]*\d?(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+[;,]?$")
_IDENTIFIER = re.compile(
    r"[a-z]+(?:[_-][a-z0-9]+)+$|[A-Z]+(?:_[A-Z0-9]+)*$|[a-z]+\d{0,2}$|[A-Z]?[a-z]+(?:[A-Z][a-z]+)*\d{0,2}$"
)
_IN_CODE = re.compile(
    r"_*[a-z]+(?:_+[a-z0-9]+)+$|_*[A-Z]+(?:_+[A-Z0-9]+)+$|[a-z]+(?:[A-Z][a-z]+)+\d{0,2}$"
    r"|[a-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+$"
)
_PART = re.compile("[_-]")
_UUID_BEGINS = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")
_SIGNS = re.compile("[!#$%^&*~+=@?]")

ANY_KEY = "key of anything"
"""The kind for names that only end so, as of caches and dictionaries: the value alone must say that it is a secret."""
_JUDGED = 100  # characters that decide


_CODE_IN_QUOTES = re.compile(
    r"(?i)[$#]\{\w|\$\(\w+[ )]|\{[{%] ?\w+[ }|.]|%\(\w+\)|\(\?[:=!<]|^\^.*\$$|https?:"
    r"|\.\.\.|\*{3}|x{5}|your|example|placeholder|redacted|change_?me"
)
_HARD_SIGNS = frozenset("!@#$%^&*()=+[]{};,?~<>:|'")
_WORD = re.compile("[a-z]{6}|[A-Z]{6}")
_VARIABLE = re.compile(
    r"\$(?:[{(]|[A-Z][A-Z0-9_]*$|[a-z][a-z0-9_]*$|[a-z]+(?:[A-Z][a-z]+)*\d?$|[\w.:-]*[_.:])"
)


def is_noise(value: str) -> bool:
    """Return whether only a generator writes this: signs, digits and letters by turns, and no words between them."""
    signs = len(_HARD_SIGNS.intersection(value)) or value.rfind("/") == 0  # a path has more of them
    if not signs or len(value) < 10 or not value.isascii() or " " in value:
        return False
    has_many = signs >= 4
    if not is_varied(value) or (_WORD.search(value) and not has_many):
        return False
    if _CODE_IN_QUOTES.search(value):  # last, since it takes longest
        return False
    if _is_mixed_with_signs(value):
        return True
    digits = sum(map(str.isdigit, value))
    letters = sum(map(str.isalpha, value))
    if signs < (3 if value[0] in "/." else 2) or letters < 3 or not (digits or has_many):
        return False
    return (
        sum(one != other for one, other in pairwise(value.translate(_KINDS_OF_SIGNS)))
        >= len(value) * 0.4
    )


def _is_mixed_with_signs(value: str) -> bool:
    """Return whether letters and digits are mixed between the signs, and it is no name of a variable."""
    letters = _NO_LETTERS.sub("", value)
    is_long = len(letters) >= _MIN_MIXED and is_mixed(letters)
    return is_long and looks_random(letters) and not (value[0] == "$" and _VARIABLE.match(value))


_NO_LETTERS = re.compile("[^A-Za-z0-9]+")
_MIN_MIXED = 8


_KINDS_OF_SIGNS = {**dict.fromkeys(range(128), ord("s")), **_CLASSES}


def is_no_value(value: str) -> bool:
    """Return whether a value is a placeholder, a path, a reference, or a word that only speaks of a value."""
    return len(value) < 4 or bool(
        _SAYS_NOTHING.fullmatch(value) or _NO_VALUE.search(value) or is_made_up(value)
    )


@functools.lru_cache(
    maxsize=1_000
)  # a text that repeats one name a hundred thousand times repeats its value
def is_secret(value: str, kind: str, *, quoted: bool) -> bool:
    """Return whether this can be the value behind a name of that kind, wherever the name stands."""
    value = value.strip()[:_JUDGED]
    if quoted and kind != "session" and is_noise(value.removeprefix("django-insecure-")):
        return True
    if len(value) < 6 or is_no_value(value):
        # What could be a variable of a shell, `$M5bEcTfTcnbN`, with more digits and turns than their names have.
        is_random = (
            value[:1] == "$"
            and value[1:].isalnum()
            and not _VARIABLE.match(value)
            and looks_random(value[1:])
        )
        return quoted and kind in ("password", "secret") and is_random
    if " " in value or (not quoted and _is_expression(value)):
        return False
    if kind == "session":
        return len(value) >= 20 and not _UUID_BEGINS.match(value) and looks_random(value)
    if kind == ANY_KEY:
        return len(value) >= 24 and looks_random(value) and is_mixed(value)
    if kind in ("key", "token", "private key"):
        return len(value) >= 12 and (
            looks_random(value) or bool(_UUID.match(value) or _is_made_key(value))
        )
    if _IDENTIFIER.match(value) and not any(
        len(part) >= 16 and looks_random(part) for part in _PART.split(value)
    ):
        return False
    classes = classes_of(value)
    if (
        not classes & {"l", "u"} or len(set(value)) < 5 or not value.isascii()
    ):  # words of translations
        return False
    has_signs = bool(classes - {"l", "u", "d"})
    has_much = "d" in classes and ("u" in classes or len(classes) >= 3 or len(value) >= 12)
    return has_much or (has_signs and "d" in classes) or looks_random(value)


def _is_made_key(value: str) -> bool:
    """Return whether a generator made this, where a key certainly stands: digits need not be many there."""
    if not value.isalnum() or not value.isascii() or not is_varied(value):
        return False
    if value.islower() or value.isupper():
        classes = (value := value.lower()).translate(_CLASSES)
        return len(value) >= 24 and (
            len(_TURNS.findall(classes)) >= 3
            if classes.count("d") >= 2
            # Fewer vowels than words have.
            else bool(_CONSONANTS.search(value))
            and sum(sign in "aeiouy" for sign in value) <= 0.34 * len(value)
        )
    classes = value.translate(_CLASSES)
    turns = sum(one != other for one, other in pairwise(classes))
    return len(value) >= 14 and turns >= len(value) * 0.42 and not _WORD.search(value)


_CONSONANTS = re.compile("[bcdfghjklmnpqrstvwxz]{5}")


@functools.lru_cache(maxsize=1_000)
def is_given(value: str, *, is_code: bool = False) -> bool:
    """Return whether this is a password where one is certainly given, as in a setting or behind an option.

    There it may be a word. `is_code` says that names of variables may stand there as well.
    """
    value = value.strip()[:_JUDGED]
    if (
        len(value) < 5
        or " " in value
        or not value.isascii()
        or is_no_value(value)
        or _NAMES_ITSELF.search(value)
    ):
        return False
    is_name = (
        is_code
        and bool(_IN_CODE.match(value))
        and not looks_random(value)
        and not _YEAR.search(value)
    )
    return bool(classes_of(value) & {"l", "u"}) and not is_name


_YEAR = re.compile(r"_(?:19|20)\d\d$")


def is_number(value: str) -> bool:
    """Return whether this is a password of digits, where one is certainly given."""
    is_long = 6 <= len(value) <= 20 and len(set(value)) > 3
    return is_long and value.isdecimal() and value.isascii() and not is_made_up(value)


@functools.lru_cache(maxsize=1_000)
def is_said(value: str) -> bool:
    """Return whether this is a password in a sentence: no word has digits or such signs."""
    return (
        is_given(value, is_code=True)
        and not _INDEX.match(value)
        and len(value) >= 6
        and _has_password_signs(value)
    )


def is_two_words(value: str) -> bool:
    """Return whether it is made as `Velvet-Otter` and `velvet!otter` are."""
    return bool(_TWO_WORDS.match(value)) and is_given(value)


_TWO_WORDS = re.compile(
    r"[A-Z][a-z]{3,12}[-_.!@#+*][A-Z][a-z]{3,12}$|[a-z]{4,12}[!@#+*][a-z]{4,12}$"
)


def _has_password_signs(value: str) -> bool:
    classes = classes_of(value)
    if not classes & {"l", "u"} or re.match(
        r"[A-Za-z]{1,4}-?\d+$|[A-Z]+-\d+$|\d+-?[a-z]+$|v?\d+(?:\.\d+)+", value
    ):
        return False
    return "d" in classes or bool(_SIGNS.search(value[:-1]))


_INDEX = re.compile(r"[A-Za-z_$][\w$.]*\[(?:[\w$.:-]{0,30}\]?)?$")


def _is_expression(value: str) -> bool:
    """Return whether this is code that says where a value is: `config.password`, `parts[1]`. Names of attributes have
    fewer digits than `s.4fT...`."""
    is_random = looks_random(value) and sum(map(str.isdigit, value)) >= 2
    return bool(_INDEX.match(value) or (_EXPRESSION.match(value) and not is_random))


def _is_in_address(value: str) -> bool:
    """Return whether the password of an address is one, and no word of an example such as `user:password@`."""
    if value[0] == "$":
        return not _VARIABLE.match(value)
    return not _SAYS_NOTHING.fullmatch(value) and not re.match(
        r"(?i)%\w+%|pass$|pass[^a-z0-9]|password|pwd?$|pw$|secret$|token$|\[redacted", value
    )


LOOKS: dict[str, Callable[[str], bool]] = {
    "random": looks_random,
    "mixed": lambda value: looks_random(value) and is_mixed(value),
    "key": lambda value: is_secret(value, "key", quoted=True),
    "password": lambda value: is_secret(value, "password", quoted=True),
    **dict.fromkeys(
        ("command", "printed", "given"),
        lambda value: is_secret(value, "password", quoted=True) or is_given(value),
    ),
    "address": _is_in_address,
    "any": lambda _: True,
}
"""The required look of a value, by the word for it in the rules."""


NO_SECRET = re.compile(_NO_SECRETS)
"""Names that hold words of secrets and name none."""
# The kind of value that a name announces; the first that fits counts.
_KINDS = [
    (re.compile(text), kind[5:])
    for kind, text in rows("secret_words.tsv")
    if kind.startswith("kind ")
]


@functools.lru_cache(maxsize=4096)
def kind_of(name: str) -> str | None:
    """Return what a name in small letters says its value is; None when it is not a secret."""
    return (
        None
        if NO_SECRET.search(name)
        else next((kind for names, kind in _KINDS if names.search(name)), None)
    )
