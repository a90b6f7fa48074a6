"""Finds secrets by their place: passwords and keys that calls take by position, and texts within base64."""

import base64
import functools
import re
import string
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import pairwise

from sitegen.masking.automaton import automaton, fitting_lines
from sitegen.masking.reading import LINE_BEGINNING
from sitegen.masking.secret_looks import (
    ANY_KEY,
    NO_SECRET,
    Found,
    classes_of,
    is_given,
    is_mixed,
    is_noise,
    is_number,
    is_said,
    is_secret,
    is_two_words,
    kind_of,
    looks_random,
    whole,
)
from sitegen.masking.word_lists import words

# Finds secrets that only their name gives away: one grammar of names, of what says "is", and of values.
# It serves environments, YAML, TOML, JSON, HCL, ini files, shells, headers, addresses, tables and code alike
# (`named`), and sentences in several languages (`spoken`). How much a value must look like a secret depends on how
# certain it is that one stands there: a setting may hold a word, a sentence says many words behind "password".

WORDS = "pass pwd pw psk secret token key auth cred session cookie".split()
"""One of them is in the name of every secret, in small letters."""

# Behind the word: the rest of the name, what closes it, what says "is", what opens the value.
_CLOSERS = r"(?:[\"'`\])_]|\s?\(s\)){0,5}+(?:[ ]\[[\w*]{0,24}\](?=:)|[?!](?=:))?"
TYPES = r"str|string|&str|&'static str|bytes|any|auto|text|std::string"
"""The types of texts, as code names them between a name and its value."""
# What a setting says of itself before its value, and what names a field of a page.
_DESCRIBED = (
    r"[\"']?(?:type|description|sensitive|nullable|ref)[\"']?\s{0,12}[=:]\s{0,4}"
    r"(?:\"[^\"\n]{0,200}\"|[a-z]{1,10})[,\s>]{1,20}"
)
_FIELD = r"(?:[ ](?:field|input|box|textbox))?"
_FILLED = (
    r"[\s\"'/i}})\]]{0,8}(?:\.(?:first|clear|click)\(\))?"
    r"\.(?:fill|type|send_?keys|press_?sequentially|set_?value|input)\((?=[\"'`])|/?i?\),\s?(?=[\"'`])"
)
_AFTER = (
    rf"(?P<rest>[\w.-]{{0,24}}+){_CLOSERS}"
    r"(?:(?P<block>[ ]?(?:is|are)?:[ \t]{0,4}(?:[|>][+-]?)?[ \t]{0,4}\n[ \t>+]{0,20}(?:\n[ \t>]{1,20})?"
    r"(?:-[ \t]{1,4})?(?=[^\s\"'`])|(?<=[\"'])\n\n(?=[^\s<>-]))"
    rf"|(?P<attribute>{_FIELD}[\"']?[,\s{{>|:=]{{1,40}}(?:{_DESCRIBED}){{0,3}}[\"']?(?:value|content|default|text)[\"']?\s{{0,12}}[=:]\s?)"
    r"|(?P<sign>[ \t]{0,16}(?:=>|[:?]=|={1,3}(?!=)|:(?!//)|\uff1a|\|(?!\|)|->|,(?=[\s>]{0,40}[\"']))"
    rf"(?:[ \t]{{0,4}}(?:{TYPES})\??[ \t]{{0,4}}=(?!=))?"
    r"(?:[ ]?[(\[]\s{1,20}(?=[\"'])|[\s>]{0,40}(?=[\"'])|[ \t]{0,16})(?:!!?[a-z]{1,12}[ ])?)"
    r"|(?P<call>[({]\s{0,20}(?=[\"'`]))"
    r"|(?P<other>[ \t]{0,4}(?:\|\||\?\?|or)[ \t]{0,4}(?=[\"'`]))"
    r"|(?P<element>(?:[ ][\w:]{1,20}=[\"'][^\"'<>\n]{0,200}[\"']){0,3}>(?=[^<>\s])"
    r"|</t[dh]>\s{0,20}<td>(?:<(?:code|b|em|strong|kbd)>)?(?=[^<>\s]))"
    rf"|(?P<filled>{_FILLED})"
    r"|(?P<property></key>[\s>|]{0,20}<string>)"
    r"|(?P<fence>:?(?:[ \t>]{0,12}\n){1,2}[ \t>]{0,12}```[a-z]{0,10}\n[ \t>]{0,12}"
    r"(?=[^\n]{1,600}\n[ \t>]{0,12}```))"
    r"|(?P<verb>[ \t]+(?:is|was|to|as|of)(?:[ \t]+(?:now|set[ \t]+to|still))?:?[ \t]+(?=[\"'`]))"
    r"|(?P<option>[ \t]{1,4}(?=[^\s=:|])))"
)
_OPTION = re.compile(
    r"(?:^|[\s\"'`>:])(?:env|arg|setx|set|set -[a-z]+|config set|configure set|[a-z_]+_header|[a-z_]+_param)[ \t]+$"
)
_VALUE = re.compile(
    r"(?:\[\[|[_(\[])?(?:[fbruN@$#]{1,2}(?=[\"']))?"
    r"(?:(?P<quote>\"{1,3}|'{1,3}|`{1,3})(?P<quoted>(?:(?!(?P=quote))[^\n]){4,600})(?=(?P=quote))"
    r"|[\"'`]?(?P<bare>[^\s\"'`<>|,;(){}\[\]&\\][^\s\"'`<>|,;{}\\&]{4,600}))"
)

# Names of calls whose text is not a password.
_ASKS = re.compile(
    r"(?:^|[._-])(?:get|read|ask|prompt|find|input|load|fetch|has|is|show|hide|forgot|no|t|label|text)"
)


@functools.cache
def _after(word: str) -> re.Pattern[str]:
    return re.compile(re.escape(word) + _AFTER)


_IN_NAMES = string.ascii_lowercase + string.digits + "_.-"
_NO_PASS = re.compile("(?:by|com|tres|over|under|sur|im)pass$")
_CAMEL = re.compile("(?<=[a-z0-9])(?=[A-Z])")
_WORD_BEFORE = re.compile(r"([a-z]{2,12}) $")


def named(text: str, lowered: str) -> Iterator[Found]:
    """Yield values behind names with one of WORDS in them, such as `password`, `DB_PASSWORD` or `"userPassword"`."""
    for word in WORDS:
        for match in _after(word).finditer(lowered) if word in lowered else ():
            before = lowered[max(match.start() - 40, 0) : match.start()]
            head = before[len(before.rstrip(_IN_NAMES)) :]
            name = head + word + match["rest"].rstrip("._-")
            kind = kind_of(name)
            if kind is None and word == "pass" and not match["rest"]:
                start = match.start() - len(head)
                written = text[start : start + len(name)]
                kind = kind_of(_CAMEL.sub("_", written).lower())
                if written.isupper() and not _NO_PASS.search(name):
                    kind = "password"
            if kind is None and not head and (owner := _WORD_BEFORE.search(before)):
                kind = kind_of(f"{owner[1]}_{name}")
                kind = None if kind == ANY_KEY else kind
            if kind is None:
                continue
            if match["option"]:
                option = head.startswith("--") or _OPTION.search(before.removesuffix(head))
                found = (
                    _option_at(text, match.end(), kind, is_sure=head.startswith("--"))
                    if option
                    else None
                )
            else:
                found = _value_at(text, match, match.start() - len(head), name, kind)
            if found:
                yield found


_SCHEME = re.compile(r"(?i)(?:bearer|basic|token)[ ]+")


def _value(text: str, at: int) -> tuple[int, str, bool] | None:
    """Return where the value begins that stands here, itself, and whether it is in quotes."""
    value = _VALUE.match(text, at)
    if value is None:
        return None
    is_quoted = value["bare"] is None
    start, shown = (
        (value.start("quoted"), value["quoted"])
        if is_quoted
        else (value.start("bare"), value["bare"])
    )
    shown = shown if is_quoted else shown.rstrip(".*_:?)]")
    is_quoted = is_quoted or (
        text[start - 2 : start] == "[[" and text.startswith("]]", start + len(shown))
    )  # of Lua
    if scheme := _SCHEME.match(shown):
        start = start + scheme.end()
        shown = shown[scheme.end() :]
    return start, shown, is_quoted


def _option_at(text: str, at: int, kind: str, *, is_sure: bool) -> Found | None:
    """Return the value of an option or of a variable that a command sets; a word only if no sentence goes on behind
    it."""
    value = _value(text, at)
    if value is None:
        return None
    start, shown, is_quoted = value
    if is_secret(shown, kind, quoted=is_quoted):
        return whole(text, start, shown, _shown_kind(kind))
    if kind != "password":
        return None
    behind = text[start + len(shown) : start + len(shown) + 3].lstrip(" \t")[:1]
    ends = is_quoted or behind in ("", "\n", "-", "|", "&", ">", '"', "'", "`")
    if (is_said(shown) and is_sure) or (
        ends and is_given(shown, is_code=not is_sure) and not _SPEAKS.match(shown)
    ):
        return Found(start, start + len(shown), kind, shown)
    return None


_SPEAKS = re.compile(
    r"(?i)(?:option|flag|argument|parameter|switch|prompt|stdin|arg|cli|command)s?$"
)


def _shown_kind(kind: str) -> str:
    return "key" if kind == ANY_KEY else kind


# A passphrase as makers of them give it out.
_WORDS_OF_A_PHRASE = re.compile(r"[a-z]{3,12}(?:[ -][a-z]{3,12}){3,11}(?=\n|$)")
# The value of a setting or behind a prompt, which no quotes close, and another field behind it.
_UNQUOTED = re.compile("(?![fbruN]{0,2}')[^\\s\"`\\\\]{10,200}")
_NEXT_FIELD = re.compile(r"[&;,][A-Za-z][\w.-]*=|['`]?[,)]$|[)\]}'.:;?!*]+$")
_CALL = re.compile(r"(?P<name>[A-Za-z_$][\w$.:]*)[(\[<].*[)\]>][)\];,.?!]*$")


def end_of_noise(text: str, at: int) -> int:
    """Return where the word ends that begins here, if only a generator writes such a word: signs do not end it.

    Elsewhere the same place.
    """
    word = _UNQUOTED.match(text, at)
    if word is None:
        return at
    call = _CALL.match(word[0])
    if call and not looks_random(call["name"]):
        return at
    field = _NEXT_FIELD.search(word[0])
    value = word[0][: field.start()] if field else word[0]
    return at + len(value) if is_noise(value) else at


def _value_at(
    text: str, match: re.Match[str], start_of_name: int, name: str, kind: str
) -> Found | None:
    """Return the value that stands behind a name, if it is a secret."""
    if (
        match["element"]
        and match["element"][0] == " "
        and text[start_of_name - 1 : start_of_name] not in ("<", ":")
    ):
        return None
    if kind != "session" and (match["sign"] or match["block"]):
        at = match.end() - (
            match["sign"] in ("==", "=>")
        )  # a setting without spaces: the value begins with the sign
        if (end := end_of_noise(text, at)) > at:
            return Found(at, end, _shown_kind(kind), text[at:end])
    value = _value(text, match.end())
    if value is None:
        return None
    start, shown, is_quoted = value
    sign = (match["sign"] or "").strip()
    if (sign in ("->", "|") and match["sign"] == sign) or (sign in ("==", "===") and not is_quoted):
        return None  # a member, an alternative, a comparison with what is elsewhere
    is_test = name == "pass" and not is_quoted and "=" not in sign  # `PASS: name` of a test
    if not is_test and is_secret(shown, kind, quoted=is_quoted):
        return whole(text, start, shown, _shown_kind(kind))
    if kind == "password" and not is_quoted and sign in ("=", ":") and "phrase" in name:
        line = _WORDS_OF_A_PHRASE.match(text, start)
        if line:
            return Found(*line.span(), kind, line[0])
    if kind == "password" and _is_password(
        text, match, start_of_name, name, start, shown, is_quoted=is_quoted
    ):
        return Found(start, start + len(shown), kind, shown)
    return None


_USER = re.compile(
    r"(?i)(?:user(?:[ _-]?(?:name|id))?|login|uid|account|benutzer(?:name)?|utilisateur|usuario|utente|gebruiker)"
    r"[\"'`*]{0,3}(?:\s?[:=]\s?[\"'`]?\w|\s[\"'`]?[\w.@-]{2,40}[\"'`]?[,;)] )"
)
_IN_CALL = re.compile(r"\(\s?[\"'`](?:[#.]|[\w.]{0,20}\[[\w-]{1,20}[~|^$*]?=\\?[\"']?)?$")
_OPENS_LINE = re.compile(
    rf"{LINE_BEGINNING}{{0,4}}"
    r"[ \t>]*(?:[*>|-][ \t]+|export |local |[\w.-]{0,40}\.|[A-Z][\w.-]{0,20} )?[\"'`]?$"
)


_MAX_BEFORE = 200
_OPTION_BEFORE = re.compile(r"[ ](?:-[dF]|--(?:form|data(?:-\w{1,10})?))[ =]?[\"']?$")
_ENDS_AS_PASSWORD = re.compile(r"(?:passw(?:or)?d|pwd|passphrase|passcode|pass)$")


def _is_password(  # noqa: C901, PLR0911, PLR0912 -- a rule for each form around a password
    text: str,
    match: re.Match[str],
    start_of_name: int,
    name: str,
    start: int,
    shown: str,
    *,
    is_quoted: bool,
) -> bool:
    """Return whether what stands behind the name of a password is one although it may be a word: by the form around
    it."""
    said, end, at = match["sign"] or "", start + len(shown), start_of_name
    sign, behind, before = said.strip(), text[end : end + 1], text[max(at - _MAX_BEFORE, 0) : at]
    is_pass = name == "pass"
    is_upper = text[at : at + len(name)].isupper()
    if (match["call"] and (_ASKS.match(name) or not kind_of(name.rpartition(".")[2]))) or (
        is_pass and match["verb"]
    ):
        return False
    if is_pass and is_quoted and sign == ":" and _WORD_BEFORE.search(before[-14:]):
        return is_said(shown)  # `all checks pass: ...`
    if sign == "," and (len(match["rest"]) > 6 or not _IN_CALL.search(before[-40:])):
        return False
    if (sign == "|" and not said.endswith((" ", "\t"))) or (
        not is_quoted and ("(" in shown or "[" in shown)
    ):
        return False
    if is_number(shown) and _ENDS_AS_PASSWORD.search(name) and sign != "," and not match["verb"]:
        return is_quoted or (sign == "=" and is_upper) or bool(match["element"])
    if match["filled"]:
        return is_given(shown)
    if match["attribute"] and "text" in match["attribute"]:
        return is_said(shown) or is_two_words(shown)
    if is_quoted:
        is_value = sign in (":", "=", "=>") or match["attribute"]
        return is_given(shown, is_code=bool(match["verb"]) or not is_value)
    if (
        sign in ("==", "===")
        or behind in ("(", "[", ".", "{")
        or (is_pass and text[at : at + 4] == "PASS")
    ):
        return False
    rest = text[end : end + 40].partition("\n")[0].strip(" \t\r.*\"'`")
    is_in_braces = text[max(at - 1, 0)] == "{"  # of a log
    if (is_said(shown) or is_two_words(shown)) and (
        behind not in (",", ")", ";") or sign != "=" or is_in_braces
    ):
        return True
    if match["block"]:
        is_marked = "|" in match["block"] or ">" in match["block"] or match["block"] == "\n\n"
        return (
            not rest
            and behind in ("", "\n")
            and (is_said(shown) or (is_marked and is_given(shown, is_code=True)))
        )
    if match["element"] or match["property"] or match["attribute"] or match["fence"]:
        return is_given(shown)
    if sign == "|":
        return rest[:1] == "|" and is_given(shown, is_code=True)
    if sign == "=" and (name.startswith("--") or _OPTION_BEFORE.search(before[-16:])):
        return is_given(shown, is_code=True) and not _SPEAKS.match(shown)
    has_user = bool(_USER.search(text, max(at - 80, 0), at))
    if sign == "=" and " " not in said and behind in ("", "\n", " ", "&", '"', "'", "`", "<", ";"):
        is_setting = (
            is_upper
            or has_user
            or behind in ("&", "\n", "")
            or rest[:1] in ("", "-")
            or "=" in rest
        )
        return is_setting and behind != ";" and is_given(shown, is_code=not is_upper)
    if (
        sign == ":"
        and said.endswith(" ")
        and behind
        and behind in "\"'`"
        and behind == text[max(at - 1, 0)]
    ):
        return is_given(shown)
    is_near = "\n" in before or len(before) < _MAX_BEFORE  # the beginning of its line
    opens_line = is_near and bool(_OPENS_LINE.match(before.rpartition("\n")[2]))
    is_alone = opens_line and (not rest or rest.startswith("#"))
    return (is_alone or (has_user and behind in ("", "\n", " ", ")", "."))) and is_given(
        shown, is_code=True
    )


# Sentences in several languages.

_IS = (
    r"(?:[\"'`)*\]]{0,3}(?:\s?=(?![=>])\s{0,3}|(?:[ \t][^\s:=\"`@\]]{1,20}(?<![.!?;])){0,8}?"
    r"(?:\s?[:\uff1a](?![=>])[ \t\u3000]{0,3}|\s?(?:->|\u2014|\u2013)\s?"
    r"|\s?(?:\u306f|\u3092|\u662f|\u4e3a|\u70ba|\uc740|\ub294)\s?[:\uff1a]?\s?"
    r"|[ \t]+(?:is|was|as|of|lautet|ist|war|est|es|era|\u00e8|\u00e9|je|jest|er|este|\u00e4r"
    r"|\u0442\u0435\u043f\u0435\u0440\u044c|to|auf|in|a)[ \t]+(?:now[ \t]+)?(?:[:=][ \t]*)?))"
    r"|(?P<space>[ \t]+\(?))"
)
_QUOTES = "\"'`\u00ab\u00bb\u201c\u201d\u201e\u2018\u2019\u300c\u300d\u300e\u300f"
_SPOKEN_NAMES, _SPOKEN_KEYS, _PAIR_CALLEE, _KEY_CALLEE = (
    "|".join(words("secret_words.tsv", each))
    for each in ("spoken name", "spoken key", "takes a password", "takes a key")
)
_SPOKEN_PASSWORD = re.compile(
    rf"(?P<name>{_SPOKEN_NAMES}|(?<![a-z0-9])pwd?(?= )){_IS}"
    rf"(?P<quote>[{_QUOTES}]{{0,2}})[ ]?(?P<value>[^\s{_QUOTES}<>,;()\u3002\u3001\uff0c]{{5,100}}|[^\s\"`\\]{{10,200}})"
)
_SPOKEN_KEY = re.compile(
    rf"(?P<name>{_SPOKEN_KEYS})(?: (?:d')?(?:de |da )?api)?{_IS}[{_QUOTES}(]{{0,2}}[ ]?"
    r"(?P<value>[a-z0-9_+/=~-]{20,600})(?![.(])"
)
_OWNER = re.compile(r"[a-z]{2,12}[ _-]?$")
_AS = re.compile(r" as (?:the|its|a|my|our) (?:\w+ )?(?P<name>password|key|token|secret)\b")
_DIGIT_OR_SIGN = re.compile(r"[0-9!#$%^&*~+=@?]")
_BEFORE_AS = re.compile(
    rf"(?P<quote>[{_QUOTES}]?)(?P<value>[^\s{_QUOTES}<>,;()]{{6,200}})[{_QUOTES}]?$"
)
_LEADS = re.compile(
    r"(?i)(?:with|using|use|mit|con|com|avec|met|z|con la|com a|avec le|met het|mit dem"
    r"|\u0438\u0441\u043f\u043e\u043b\u044c\u0437\w{1,6}|\u0441)(?: the| dem| la| le| a| het)? $"
)
_OPENS_PAIR = r"(?:credentials?|creds|logins?|log(?:ged)? in|sign(?:ed)? in|zugangsdaten|identifiants|credenciales)"
_PAIR = re.compile(
    rf"{_OPENS_PAIR}(?: (?:with|as|are|is|for [\w.-]{{1,30}}))?"
    r"(?:(?P<colon>:)[ ]?|[ ]|(?=[\"'`]))[\"'`]?(?P<user>@?\w[\w.@-]{1,59})[\"'`]?"
    r"(?: ?/ ?|:| and )[\"'`]?"
    r"(?P<value>[^\s\"'`<>,;()/]{5,60})(?P<end>[\"'`.)]*(?:\n|$|[ ](?:and|to|on|at|works)))?"
)
_PAIR_BEFORE = re.compile(
    r" / (?P<value>[^\s\"'`<>,;()/]{5,60}) "
    r"(?:\((?:[\w-]{1,20} ){0,2}(?:login|credentials|account|password)|to (?:log|sign) ?in\b)"
)
# The same for the first look, where repetitions are not counted: that would take many states.
_LOOSE_NEXT_LINE = r"(?:key|token|secret|pass(?:word|wd)|credential)[\"'`)*\]]*\s*[:=]\s*\n\s*\S{5}"
_LOOSE_KEY = rf"(?:{_SPOKEN_KEYS})[^\n]*(?:[0-9][a-z_+/=~-][a-z0-9_+/=~-]{{3}}|[a-z_+/=~-]{{4}}[0-9])|{_LOOSE_NEXT_LINE}"
_LOOSE_PASSWORD = (
    rf"(?:{_SPOKEN_NAMES}|pwd? )[^\n]*(?:[0-9!#$%^&*~+=@?{_QUOTES}]|[a-z]{{4}}[-_.][a-z]{{4}})|{_LOOSE_NEXT_LINE}"
    r"|, pass(?:word|phrase) \S{5}"
)
LOOSELY_WORDED = (
    rf"{'|'.join(WORDS[1:])}|pass(?:[^aei]|$)|{_SPOKEN_NAMES}|{_SPOKEN_KEYS}"
    r"|login|logged in|sign(?:ed)? ?in|log in|zugangsdaten|identifiants|account"
)
"""Fits every text, in any case, in which `named` or `spoken` finds something; `passed` and `passing` name nothing."""


# Keys and tokens that are not a hash, whatever they look like.
_OF_PEOPLE = re.compile(
    r"(?:api|access|auth|secret|bearer|client|private|refresh|personal|deploy|admin|my|your|our)"
    r"[ _-]?(?:key|token|secret)"
)


_COMMON_KEYS = ("key", "token", "secret", "credential")
_OTHER_KEYS = "|".join(key for key in _SPOKEN_KEYS.split("|") if not key.startswith(_COMMON_KEYS))


def _spoken_keys(lowered: str) -> Iterator[re.Match[str]]:
    """Yield the matches of `_SPOKEN_KEY`, which takes long to try each of its names at each letter."""
    if automaton(_OTHER_KEYS)(lowered):
        yield from _SPOKEN_KEY.finditer(lowered)
        return
    end = 0
    for start in sorted(
        found.start() for key in _COMMON_KEYS for found in re.finditer(key, lowered)
    ):
        if start >= end and (match := _SPOKEN_KEY.match(lowered, start)):
            end = match.end()
            yield match


def spoken(text: str, lowered: str) -> Iterator[Found]:
    """Yield values in a sentence: `the API key is ...`, `Das Passwort lautet ...`, `Credentials: ann / ...`."""
    for match in _spoken_keys(lowered) if automaton(_LOOSE_KEY)(lowered) else ():
        start = match.start("value")
        before = lowered[max(match.start() - 14, 0) : match.start()]
        owner = _OWNER.search(before)
        name = f"{owner[0] if owner else ''}{match['name']}"
        value = text[start : match.end("value")].rstrip(".")
        classes = classes_of(value)
        is_sure = bool(
            _OF_PEOPLE.search(name) or not _ENGLISH.search(name) or _LEADS.search(before)
        )
        is_sure = is_sure or ("key" not in name and not match["space"])
        is_meant = classes >= set("lud") or ("d" in classes and is_sure)
        is_meant = is_meant and not (
            _HASHED.search(value)
            or _IN_ELEMENT.search(text[max(match.start() - 60, 0) : match.start()])
        )
        kind = "token" if "token" in name else "key"
        if is_meant and not NO_SECRET.search(name) and is_secret(value, kind, quoted=False):
            yield whole(text, start, value, kind)
    yield from _spoken_passwords(text, lowered)
    for match in _AS.finditer(lowered) if " as " in lowered else ():
        first = max(match.start() - 204, 0)
        if said := _BEFORE_AS.search(text[first : match.start()]):
            kind = match["name"]
            value = said["value"]
            if not said["quote"] and not _DIGIT_OR_SIGN.search(value):
                continue
            is_word = bool(said["quote"]) and is_given(value, is_code=True)
            if is_secret(value, kind, quoted=False) or (
                kind == "password" and (is_said(value) or is_word)
            ):
                yield Found(first + said.start("value"), first + said.end("value"), kind, value)
    for match in _PAIR.finditer(lowered) if automaton(_OPENS_PAIR)(lowered) else ():
        value = text[match.start("value") : match.end("value")].rstrip(".")
        if not match["colon"] and _FILE.search(value):  # fix login opus/1.jsonl
            continue
        is_word = bool(match["colon"] and match["end"] is not None) and is_given(
            value, is_code=True
        )
        if is_said(value) or is_two_words(value) or is_word:
            yield Found(match.start("value"), match.start("value") + len(value), "password", value)
    for match in _PAIR_BEFORE.finditer(lowered) if " / " in lowered else ():
        value = text[match.start("value") : match.end("value")]
        if is_said(value) or is_given(value, is_code=True):
            yield Found(*match.span("value"), "password", value)


def _spoken_passwords(text: str, lowered: str) -> Iterator[Found]:
    """Yield passwords in a sentence: `Das Passwort lautet ...`."""
    for match in _SPOKEN_PASSWORD.finditer(lowered) if automaton(_LOOSE_PASSWORD)(lowered) else ():
        start = match.start("value")
        end = max(match.end("value"), end_of_noise(text, start))
        value = text[start:end].rstrip(".:?!*_" if not match["quote"] else "*")
        if not match["space"] and is_noise(value):
            yield Found(start, start + len(value), "password", value)
            continue
        is_quoted = bool(match["quote"]) and text[start + len(value) :][:1] in _QUOTES
        is_lead = match["space"] and (
            "(" in match["space"]
            or match["name"].endswith(("has\u0142em", " \u00e4r", " er", " je", " on", " este"))
            or _LEADS.search(lowered[max(match.start() - 16, 0) : match.start()])
        )
        if match["space"] and not is_lead:
            has_user = _USER.search(lowered, max(match.start() - 60, 0), match.start())
            is_meant = is_said(value) and (is_quoted or looks_random(value) or not value.isalnum())
            is_meant = is_meant or (bool(has_user) and is_given(value, is_code=True))
        else:
            is_meant = (
                is_said(value)
                or is_two_words(value)
                or (is_quoted and is_given(value, is_code=True))
            )
            is_meant = is_meant or bool(
                _PASSPHRASE.match(value) and text[start + len(value) :][:1] in ("", "\n")
            )
        if is_meant:
            yield whole(text, start, value, "password")


_PASSPHRASE = re.compile(r"[a-z]{3,12}(?:-[a-z]{3,12}){2,5}$")
_ENGLISH = re.compile("key|token|secret|credential")
# A key of a cache: words, and a hash over what is kept.
_HASHED = re.compile("[A-Za-z]-[0-9a-f]{32,}$")
_IN_ELEMENT = re.compile(r"<[A-Za-z][^<>]*\s$")


# Finds private keys: blocks between `BEGIN` and `END`, whole, quoted, or cut at either end. A key is bytes in base64,
# so nothing in its letters says that it is made up: the zeros of every OpenSSH key are a row of `A`. What counts is
# that base64 stands where a key stands.

SIGN = "private key"
"""Stands in every text in which `private_keys` finds something, whatever the case of its letters."""
_MARK = re.compile(
    r"-{4,5} ?(?P<which>BEGIN|END) (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?(?: ?-{1,5})?",
    re.ASCII,
)
_END = "-{4,5} ?END"
_WORD = "[A-Za-z0-9+/=]{16,}+"
# Between the lines: white space, quotes of code, and what quotations, patches, comments and listings put first.
_BETWEEN = r"(?:[\s>|#*\"'`,;:\\()$&\u2192+]|//|-(?!---))"
_LINE_END = r"[ \t\"'`,;\\+|)]{0,20}\n"
_KEY_HEADER = r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID|Subject|Content-Domain|X-[\w-]{1,30}): [^\n<]{0,200}"
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
_LONGEST = 20_000
_SHORTEST = 40


def private_keys(text: str) -> Iterator[Found]:
    """Yield the private keys in a text as it is read, each with as much as is there of its lines."""
    done = 0
    for mark, following in pairwise([*_MARK.finditer(text), None]):
        if mark is None or mark.start() < done:
            continue
        start, end = mark.span()
        if mark["which"] == "END":
            before = text[max(done, start - _LONGEST) : start]
            start -= _length(_BACKWARD, before[::-1])
        elif (
            following
            and following["which"] == "END"
            and _is_mostly_key(text[end : following.start()])
        ):
            end = following.end()
        else:
            end += _length(
                _FORWARD,
                text[end : min(end + _LONGEST, following.start() if following else len(text))],
            )
        done = mark.end()
        if holds_key(text[start:end]):
            done = end
            yield Found(start, end, SIGN, text[start:end])


def holds_key(text: str) -> bool:
    """Return whether there is enough base64 for a key, and no row of one sign in its place."""
    words = "".join(_WORDS.findall(text))
    return len(words) >= _SHORTEST and len(set(words)) >= 8


def _is_mostly_key(text: str) -> bool:
    return len(text) <= _LONGEST and sum(map(len, _WORDS.findall(text))) * 3 >= len(text)


def _length(body: re.Pattern[str], text: str) -> int:
    found = body.match(text)
    return found.end() if found else 0


_TEXT = r"(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'|`[^`\n]{0,300}`)"
_OPENS = re.compile(rf"(?P<callee>{_PAIR_CALLEE})\w{{0,12}}[\"']?\s?[:=]?\s?[(\[]")
_TEXTS = re.compile(
    rf"[^()\"'`\n]{{0,120}}{_TEXT}(?:\s?\)?\s?,\s?(?:Some\()?(?:{_TEXT}|[\w.$]{{1,60}})){{1,5}}"
)
_ARGUMENT = re.compile(_TEXT)
_KEY_ARGUMENT = re.compile(r"[(,]\s?b?[\"'`](?P<value>[A-Za-z0-9_+/=.-]{20,300})[\"'`]")
_KEY_CALL = re.compile(
    rf"(?:(?P<callee>(?i:{_KEY_CALLEE}))|(?P<class>\b[A-Z]\w{{1,40}})|\brequire\([\"'][\w@/.-]{{1,60}}[\"']\))(?:::\w{{1,20}}|\.new)?"
    r"(?P<others>\([\w.\"':/-]{1,80})?$"
)
_KEYED = re.compile(rf"(?i)(?:{_KEY_CALLEE})$")
_HEX = re.compile("[0-9a-fA-F-]+")
_MADE = re.compile(
    r"(?i)(?:client|api|sdk|bot|session|conn|connection|service)\s?[:=]?=\s?(?:await |new )*\w+$"
)
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
"""Fits every text, in any case, in which `placed` finds something, unless one of WORDS or `holds_given` does."""
_LOOSELY_GIVEN = r"[\w)]\((?:[\w.\"':/-]+,)?\s?b?[\"'`][A-Za-z0-9_+/=.-]{20}"
_LOOSE_HEADER = r"(?:passwor[dt]|passwd|pwd|passphrase|key|secret|token|_pass)(?:[ _](?:key|value))?[ *\"']*(?:[|,;\t\n]|  |</th>)"

_LOOSELY_ANNOUNCED = (
    r"(?:password|passphrase|passcode|token|secret|key)(?:[^a-z0-9_\n][^\n:]*)?"
    r"(?::[ \t]*\n[ \t>\n]*|\n[a-z \t>]*value: )[^\s`:]{10}[^\s`:]*[ \t]*(?:\n|$)"
)
_LOOSELY_PLACED = "|".join((_LOOSE_HEADER, r"insert\s+into", LOOSELY_OPENED, _LOOSELY_ANNOUNCED))


def holds_given(text: str) -> bool:
    """Return whether a call may take a key by position."""
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
        given = (
            [(m.start() + 1, m[0][1:-1]) for m in _ARGUMENT.finditer(text, *texts.span())]
            if texts
            else []
        )
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
        is_named = not call["class"] or bool(_KEYED.search(call["class"]))
        is_other = not is_named and (call["others"] or sum(map(str.isdigit, value)) < 2)
        if is_other or _IDS.search(call["callee"] or call["class"] or "require"):
            continue
        is_long = len(value) >= 24 and not _HEX.fullmatch(value)
        if is_named or is_mixed(value) or is_long or _MADE.search(before):
            yield Found(*match.span("value"), "key", value)


_USERS = frozenset(
    ["user", "username", "user name", "user_name", "login", "email", "e-mail", "account", "name"]
)
_MAX_ROWS = 200
_PLAIN = re.compile(r"[\w .()-]+$")


def _tabled(text: str) -> Iterator[Found]:
    """Yield values in columns of tables, of markdown, of a database or of values with commas."""
    read: dict[tuple[object, ...], int] = {}
    for _, end in fitting_lines(_HEADER, text):
        start = text.rfind("\n", 0, end) + 1
        header = text[start:end]
        sign = max("|,;\t", key=header.count)
        names = (
            [cell.strip(" *`\"'>").lower() for cell in header.split(sign)]
            if sign in header
            else [header.strip()]
        )
        if sign != "|" and not all(names):  # a list in code, an item on each line
            continue
        columns = {
            number: kind
            for number, name in enumerate(names)
            if _PLAIN.match(name)
            and (kind := kind_of(name.replace(" ", "_").replace("passwort", "password")))
        }
        has_users = not _USERS.isdisjoint(names)
        form = sign, len(names), *columns.items()
        if read.get(form, -1) > end:  # a row of a table that was read
            continue
        for at, row in _lines_from(text, end + 1):
            if not row.strip(" -+=:|"):  # the line below a header
                continue
            cells = row.split(sign)
            if len(cells) != len(names) or not row.strip():
                break
            for number, kind in columns.items():
                shown = cells[number].strip(" *`\"'")
                where = (
                    at + sum(len(cell) + 1 for cell in cells[:number]) + cells[number].find(shown)
                )
                if shown and _is_cell(shown, kind, is_alone=len(names) == 1, has_users=has_users):
                    yield Found(where, where + len(shown), kind, shown)
            read[form] = at + len(row) + 1
            if len(names) == 1:
                break


def _lines_from(text: str, at: int) -> Iterator[tuple[int, str]]:
    """Yield where lines begin, and these, up to an empty one."""
    for _ in range(_MAX_ROWS):
        end = text.find("\n", at)
        if not (row := text[at : end if end != -1 else len(text)]):
            return
        yield at, row
        at += len(row) + 1


def _is_cell(value: str, kind: str, *, is_alone: bool, has_users: bool) -> bool:
    """Return whether a value in a column of secrets is one: a word only where users stand beside it."""
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
    """Yield values alone on a line behind one that announces them; keys and tokens must be no hash."""
    for match in _ANNOUNCED.finditer(lowered) if automaton(_LOOSELY_ANNOUNCED)(lowered) else ():
        value = text[match.start("value") : match.end("value")]
        kind = match["name"] if match["name"] in ("token", "secret", "key") else "password"
        if (
            looks_random(value)
            and (kind == "password" or is_mixed(value))
            and is_secret(value, kind, quoted=True)
        ):
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
    """Yield values below the name of their column, where spaces part the columns."""
    read: dict[tuple[object, ...], int] = {}
    for start, _ in fitting_lines(_COLUMN, lowered):
        header = _ALIGNED.match(lowered, start)
        if header is None:
            continue
        kind = kind_of(header["name"].replace(" ", "_").replace("passwort", "password"))
        column = header.start("name") - header.start()
        has_users = not _USERS.isdisjoint(header[0].split())
        form = column, kind, has_users
        for at, row in _lines_from(text, max(header.end() + 1, read.get(form, 0))) if kind else ():
            value = row[column:].split("  ")[0].rstrip()
            if not value or (column and row[column - 1] != " ") or " " in value:
                break
            if _is_cell(value, kind or "", is_alone=False, has_users=has_users):
                yield Found(at + column, at + column + len(value), kind or "", value)
            read[form] = at + len(row) + 1


def _in_elements(text: str, lowered: str) -> Iterator[Found]:
    """Yield values in columns of a table in HTML."""
    kinds: dict[int, str] = {}
    has_users = False
    for row in _TABLE_ROW.finditer(lowered) if "</th>" in lowered else ():
        cells = [cell.span("text") for cell in _TABLE_CELL.finditer(lowered, *row.span("cells"))]
        if "</th>" in row["cells"]:
            names = [lowered[start:end].strip() for start, end in cells]
            kinds = {
                number: kind
                for number, name in enumerate(names)
                if (kind := kind_of(name.replace(" ", "_")))
            }
            has_users = not _USERS.isdisjoint(names)
            continue
        for number, kind in kinds.items():
            start, end = cells[number] if number < len(cells) else (0, 0)
            value = text[start:end].rstrip()
            if value and _is_cell(value, kind, is_alone=False, has_users=has_users):
                yield Found(start, start + len(value), kind, value)


_INSERTS = re.compile(
    r"insert\s{1,9}into\s{1,9}[^\s(]{1,100}\s{0,9}\((?P<names>[^()]{1,600})\)\s{0,9}values\s{0,20}"
)
_ROW = re.compile(r"[\s,]{0,40}\((?P<row>(?:[^()']|'[^'\n]{0,600}'|\([^()]{0,100}\)){1,2000})\)")
_SQL_VALUE = re.compile(r"\s*(?:'(?P<text>[^'\n]{0,600})'|(?:[^,'()]|\([^()]{0,100}\))*)\s*(?:,|$)")


def _inserted(text: str, lowered: str) -> Iterator[Found]:
    """Yield values that a query puts into columns that are called so."""
    for match in _INSERTS.finditer(lowered):
        names = [name.strip(' \t\n`"[]') for name in match["names"].split(",")]
        at = match.end()
        for _ in range(_MAX_ROWS):
            row = _ROW.match(text, at)
            if row is None:
                break
            place = row.start("row")
            for name in names:
                value = _SQL_VALUE.match(text, place, row.end("row"))
                if value is None or place >= row.end("row"):
                    break
                kind = kind_of(name)
                shown = value["text"]
                if (
                    kind
                    and shown
                    and (
                        is_secret(shown, kind, quoted=True)
                        or (kind == "password" and is_given(shown))
                    )
                ):
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
_UNPRINTED = str.maketrans("", "", "\n\t\r\x1b")
# Characters of a text that are decoded: what a long one holds behind them is not looked at.
_MAX_DECODED = 200_000


def encoded(text: str, find: Callable[[str], Iterable[Found]]) -> Iterator[Found]:
    """Yield the Base64 of texts in which `find` finds something, each as a whole."""
    left = _MAX_DECODED
    for match in _ENCODED.finditer(text):
        value = _WHITE.sub("", match["value"]).rstrip("=")
        left -= len(value)
        if left < 0:
            return
        inner = _decoded(value)
        if inner and any(found.kind != "session" for found in find(inner)):
            yield Found(match.start("value"), match.end("value"), "secret in base64", value)


def _decoded(value: str) -> str | None:
    """Return the text that is written so, or None when it is none."""
    value = value[: len(value) - (len(value) % 4 == 1)]
    with suppress(ValueError):
        raw = base64.b64decode(value.replace("-", "+").replace("_", "/") + "=" * (-len(value) % 4))
        inner = raw.decode("utf-16-le" if raw[1:2] == b"\0" else "utf-8")
        return inner if inner.translate(_UNPRINTED).isprintable() else None
    return None
