"""Finds what names a person or a machine of theirs: e-mail addresses, users of hosts as in `ssh ann@build-7`, names
that systems give to machines and shares, names of users where systems print them, and numbers of people.

A name alone says nothing, so each rule for names of users knows a form in which a system prints one: environments,
listings of files and processes, prompts of shells. Names of accounts that many machines have are left out. Numbers are
everywhere, so each must have a form in which people write it and pass the check that it carries. Those that are
nobody's by agreement are left out: telephones for fiction, cards for tests, addresses for documents.
"""

import ipaddress
import re
from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

from sitegen.masking.automaton import automaton, fitting_lines
from sitegen.masking.reading import LINE_BEGINNING
from sitegen.masking.secret_looks import Found
from sitegen.masking.word_lists import compiled, rows, words

E_MAIL, USER_AT_HOST, HOST, SHARE = "e-mail address", "user and host", "host name", "shared folder"
HOME, USER, NAME = "home folder", "user name", "name of a person"
PHONE, IBAN, CARD = "phone number", "bank account", "payment card"
IP_ADDRESS = "ip address"
MAC_ADDRESS = "mac address"
KINDS = (E_MAIL, USER_AT_HOST, HOST, SHARE, HOME, USER, NAME, PHONE, IBAN, CARD)
"""The kinds that are looked for unless the settings switch them off."""
OPTIONAL = (IP_ADDRESS, MAC_ADDRESS)
"""The kinds that are looked for only where the settings switch them on."""


def is_nobody(name: str) -> bool:
    """Return whether a user of this name is a system's, a program's or a placeholder, and no person."""
    name = name.lower()
    return name in _NOBODY or bool(_NOBODY_ELSE.match(name))


def is_account(name: str) -> bool:
    """Return whether a system, one of its packages or an image has an account of this name."""
    return name.lower() in _OF_SYSTEMS


def _words(list_name: str) -> list[str]:
    return " ".join(words("names.tsv", list_name)).split()


MAILBOXES = frozenset(_words("mailbox"))
_OF_SYSTEMS = frozenset(_words("account"))
_NOBODY = _OF_SYSTEMS.union(_words("placeholder"), MAILBOXES)
_NOBODY_ELSE = re.compile(
    r"_|systemd-|nixbld\d|.*[-_.](?:users?|usr|admin|daemon|service|svc|agent|bot|runner|builder)\d{0,3}$"
    r"|(?:app|test|db|my|web|api|some|super|power|local|remote|ci|ssh|ftp)[-_.]?(?:user|usr|admin)\d{0,3}$"
    r"|(?:user|test|guest|runner|root|admin|node|worker|app|www)[-_.]?\d{1,4}$|\d+$"
)


_PHONE_SIGN = r"\+\(?[1-9](?:[^0-9A-Za-z\n]{0,3}[0-9]){8}"
_IBAN_SIGN = r"[A-Z]{2}[0-9]{2}(?:[ -]?[A-Z0-9]{4}){2}[ -]?[A-Z0-9]{3}"
_CARD_SIGN = r"[2-6][0-9]{3}[ -](?:[0-9]{4}|[0-9]{6})[ -][0-9]{4}|[2-6][0-9]{12}"
# Fits every text in which a number is found.
_NUMBERS_LOOK = f"{_PHONE_SIGN}|{_IBAN_SIGN}|{_CARD_SIGN}"
FIRST_LOOK_AT_ADDRESSES = (
    r"[0-9]\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]|(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}|[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}"
    r"|[0-9a-fA-F]:[0-9a-fA-F:]*:[0-9a-fA-F]|[0-9a-fA-F]::|::[0-9a-fA-F]"
)


def find_numbers(text: str) -> Iterator[Found]:
    """Telephones in international form, bank accounts and payment cards."""
    for kind, sign, numbers, length_of in _NUMBERS:
        for match in numbers.finditer(text) if automaton(sign)(text) else ():
            if length := length_of(match):
                yield Found(match.start(), match.start() + length, kind)


_PHONES = re.compile(
    r"\+(?<![\w.+*/)%^~-]\+)(?:1[ .-]?\(?[2-9][0-9]{2}\)?[ .-]?[2-9][0-9]{2}[ .-]?[0-9]{4}"
    r"|\(?[2-9][0-9]?\)?(?:(?:[ \u00a0\u202f./-]|[ ]?\(|\)[ ./-]?){0,2}[0-9]){7,13})(?![\w%]|[.,]\d)"
)
_CODES = re.compile(
    r"1|7|2(?:[07]|1[123568]|[23]\d|4\d|5[0-8]|6\d|9[01789])|3(?:[0-469]|5\d|7\d|8[0-35-79])|4(?:[013-9]|2[013])"
    r"|5(?:[1-8]|0\d|9\d)|6(?:[0-6]|7[02-9]|8[0-35-9]|9[0-2])|8(?:[1246]|5[02356]|8[06])|9(?:[0-58]|6[0-8]|7[0-7]|9[2-68])"
)
# Numbers that regulators of North America and of the United Kingdom keep for stories, and those of placeholders.
_FICTION = re.compile(
    r"1[2-9]..55501..$|12345678|44(?:7700900|2079460|1632960|1(?:1[3-8]|[2-6]1)4960)...$|1555|(?:\d{1,3}?)(\d)\1{6}"
)


def _length_of_phone(match: re.Match[str]) -> int:
    """Return how many characters of a plus sign and what follows it can be called, or 0."""
    shown = match[0]
    if "." in shown and " " in shown:  # words with and without dots are not one number
        first = shown.partition(" ")[0]
        shown = first if "." in first else shown.partition(".")[0].rpartition(" ")[0]
    opened = shown.count("(") - shown.count(")")
    if opened:  # the end of brackets around it, or the beginning of others behind it
        shown = shown[: shown.rindex("(" if opened > 0 else ")")].rstrip()
    return len(shown) if _is_phone(shown) and not _is_in_patch(match.string, match.start()) else 0


def _is_phone(shown: str) -> bool:
    """Return whether a plus sign and what follows it can be called."""
    shown = shown[1:].replace("(0)", "")
    groups = re.findall("[0-9]+", shown)
    digits = "".join(groups)
    code = _CODES.match(digits)
    if code is None or not 9 <= len(digits) <= 15 or _FICTION.match(digits):
        return False
    if len(groups) == 1:
        return len(digits) >= 10
    is_decimal = "." in shown and len(groups) < 3
    if is_decimal or (len(groups[0]) <= 3 and groups[0] != code[0]):
        return False
    return sum(len(group) == 1 for group in groups) <= 2 and shown.count("(") == shown.count(")")


def _is_in_patch(text: str, at: int) -> bool:
    """Return whether the plus sign says that a line was added."""
    if at and text[at - 1] != "\n":
        return text[at - 1] == ">" and not text.endswith(
            ("<td>", "<p>", "<li>"), 0, at
        )  # on a page, where a patch has elements
    before = text[text.rfind("\n", 0, max(at - 1, 0)) + 1 : at][:1]
    after = text[at : at + 1_000].partition("\n")[2][:1]
    return before in _MARKS or after in _MARKS


_MARKS = tuple("+-@ \\")  # the beginnings of lines of a patch
_IBANS = re.compile(r"[A-Z]{2}(?<![A-Za-z0-9_/+.-]..)[0-9]{2}(?:[ \u00a0-]?[A-Z0-9]){11,30}")
_LENGTHS = {code[:2]: int(code[2:]) for code in _words("iban")}


def _length_of_iban(match: re.Match[str]) -> int:
    """Return how many characters at the beginning are the number of an account that passes its check; 0 for none."""
    shown = match[0]
    places = [place for place, sign in enumerate(shown) if sign.isalnum()]
    length = _LENGTHS.get(shown[:2], 0)
    if not 0 < length <= len(places):
        return 0
    number = "".join(shown[place] for place in places[:length])
    turned = number[4:] + number[:4]
    end = places[length - 1] + 1
    goes_on = match.string[match.start() + end : match.start() + end + 1].isalnum()
    return (
        end if int("".join(str(int(sign, 36)) for sign in turned)) % 97 == 1 and not goes_on else 0
    )


_CARDS = re.compile(
    r"[2-6][0-9]{3}(?<![\w.,+/-]....)(?<![0-9][ ]....)(?<![0-9a-f]{4}[ ]....)"
    r"(?:(?P<gap>[ -])[0-9]{4}(?P=gap)[0-9]{4}(?P=gap)[0-9]{4}"
    r"(?:(?P=gap)[0-9]{3}(?=[^\w ]|$))?|(?P<other>[ -])[0-9]{6}(?P=other)[0-9]{4,5})"
    r"(?![\w-]|[.,/]\d| [0-9]{4,}| [0-9a-fA-F]{4}(?!\w))"
)
_DIGITS = re.compile(r"[2-6][0-9]{12}(?<![\w.,+/-].{13})[0-9]{0,6}(?![\w]|[.,]\d)")
# Says before digits without gaps that they are those of a card.
_NUMBER_OF_CARD = re.compile(
    r"(?i)(?<![a-z])(?:(?:credit|debit|bank|payment)[ _-]?)?(?:card|visa|mastercard|maestro|amex|discover|pan|cc)"
    r"(?:[ _-]?(?:number|num|nr|no|#))?\.?[\"'`]?[ ]{0,4}(?:[:=|]|is)?\s{0,4}"
    r"(?:\{\s{0,20}[\"']?number[\"']? ?[:=] ?)?[\"'`]?\Z"
)
_ISSUERS = re.compile(
    r"4(?:.{12}|.{15}|.{18})$|(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720|220[0-4]).*(?<=^.{16})$"
    r"|3[47].{13}$|3(?:0[0-5]|[689]).{11,14}$|35(?:2[89]|[3-8]).{13,16}$|(?:6011|64[4-9]|65|62|5[06-8]|6[37]).{11,17}$"
)
# Numbers that makers of software for payments give out for tests.
_TESTS = re.compile(
    r"4000(?:00|05)|.*(\d)\1{5}|(\d\d)\2{5}|.*(\d)\3{3}(?!\3)(\d)\4{3}"
    r"|378282246310005|371449635398431|378734493671000|30569309025904|2223003122003222|5200828282828210|6011000990139424"
    r"|5105105105105100|3530111333300000|3566002020360505|38520000023237|5610591081018250|4917484589897107|4001919257537193"
)


def _length_of_card(match: re.Match[str]) -> int:
    """Return the length of a number that is one of an issuer, passes its check, and is none for tests; else 0. Without
    gaps it has to be called so."""
    digits = re.sub("[ -]", "", match[0])
    if not _ISSUERS.match(digits) or _TESTS.match(digits):
        return 0
    if digits == match[0] and not _NUMBER_OF_CARD.search(
        match.string, max(match.start() - 80, 0), match.start()
    ):
        return 0
    doubled = (int(digit) * 2 for digit in digits[-2::-2])
    total = sum(map(int, digits[-1::-2])) + sum(each - 9 if each > 9 else each for each in doubled)
    return len(match[0]) if total % 10 == 0 else 0


_NUMBERS = (
    (PHONE, _PHONE_SIGN, _PHONES, _length_of_phone),
    (IBAN, _IBAN_SIGN, _IBANS, _length_of_iban),
    (CARD, _CARD_SIGN, _CARDS, _length_of_card),
    (CARD, _CARD_SIGN, _DIGITS, _length_of_card),
)


# Addresses of machines.


def find_addresses(text: str, kinds: Container[str]) -> Iterator[Found]:
    """Numeric addresses of these kinds."""
    if IP_ADDRESS in kinds:
        for match in _IPV4.finditer(text):
            if _is_address(match[0]) and not _VERSION_BEFORE.search(
                text[max(match.start() - 40, 0) : match.start()]
            ):
                yield Found(*match.span(), IP_ADDRESS)
        for match in _IPV6.finditer(text):
            if (
                any(map(str.isdigit, match[0]))
                and not _PAIRS.match(match[0])
                and _is_address(match[0])
            ):
                yield Found(*match.span(), IP_ADDRESS)
    if MAC_ADDRESS in kinds:
        yield from (
            Found(*m.span(), MAC_ADDRESS)
            for m in _MAC.finditer(text)
            if not _NO_MACHINE.match(m[0])
        )


_IPV4 = re.compile(r"(?<![\w.~^=<>-])(?<![A-Za-z]@)(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![\w-]|\.\w)")
_VERSION_BEFORE = re.compile(
    r"(?i)(?:\bv|\bver\.?|versions?|release[ds]?|build|revision|rev|section|chapter|[=<>~^])[ \t:=\"'`(]{0,4}$"
    r"|[A-Za-z][\w.+-]*[/@]$|[=<>~^!]=[ ]{0,2}[\"']?$|\boid[ :=\"']{1,4}$"
)
_IPV6 = re.compile(
    r"(?<![\w:.])(?=[0-9a-fA-F:]*:[0-9a-fA-F]*:)(?:[0-9a-fA-F]{1,4}|:)(?::[0-9a-fA-F]{0,4}){2,7}"
    r"(?:(?<=:)(?:[0-9]{1,3}\.){3}[0-9]{1,3})?(?![\w:]|\.\w)"
)
_PAIRS = re.compile(r"(?:..:){7}..$")  # part of a fingerprint, and no address that anybody has
_MAC = re.compile(
    r"(?<![\w:-])(?:[0-9a-fA-F]{2}(?P<sign>[:-])(?:[0-9a-fA-F]{2}(?P=sign)){4}[0-9a-fA-F]{2}(?![\w:-])"
    r"|[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}(?![\w.]))"
)
_NO_MACHINE = re.compile(
    r"(?i)(?:00[:-]){5}|(?:ff[:-]){5}|00[:-]00[:-]5e[:-]00[:-]53|01[:-]00[:-]5e|33[:-]33|(?:0000|ffff)\."
)
_NOBODYS = tuple(map(ipaddress.ip_network, _words("network")))


def _is_address(shown: str) -> bool:
    try:
        address = ipaddress.ip_address(shown)
    except ValueError:
        return False
    return not any(address in network for network in _NOBODYS if network.version == address.version)


class _Family(NamedTuple):
    """Rules, and an expression without lookaround that fits every line in which one of them finds something."""

    sign: str
    rules: list[str]
    answer: int  # the number of characters behind the line that belong to it


def _families() -> list[_Family]:
    parts = {"BEGINNING": LINE_BEGINNING, "CODES": _CODES.pattern}
    found: list[_Family] = []
    for kind, *cells in rows("user_rules.tsv"):
        text = cells[-1]
        for name, part in parts.items():
            text = text.replace(f"{{{name}}}", part)
        if kind == "part":
            parts[cells[0]] = text
        elif kind == "sign":
            found.append(_Family(text, [], int(cells[0])))
        else:
            found[-1].rules.append(text)
    return found


_FAMILIES = _families()
# Fits every text in which a rule finds something.
_USERS_LOOK = "|".join(family.sign for family in _FAMILIES)


_KINDS_OF_GROUPS = {"host": HOST, "phone": PHONE}


def find_users(text: str) -> Iterator[Found]:
    """Yield the users whom a system names in a text, groups that are called as one of them, machines, and telephones
    that their place gives away."""
    if not automaton(_USERS_LOOK)(text):
        return
    users: set[str] = set()
    groups: list[tuple[int, int]] = []
    for family in _FAMILIES:
        for match in _matches(family, text):
            parts = match.groupdict()
            if parts.get("group"):
                groups.append(match.span("group"))
            if parts.get("named") and not any(map(is_nobody, match["named"].split())):
                yield Found(*match.span("named"), NAME)
            for group in _KINDS_OF_GROUPS.keys() & parts:
                yield Found(*match.span(group), _KINDS_OF_GROUPS[group])
            user = parts.get("user")
            if user is None or is_nobody(user.rpartition("\\")[2]):
                continue
            users.add(user)
            if "prompt" in parts:
                yield Found(*match.span("prompt"), USER_AT_HOST)
                continue
            yield Found(*match.span("user"), USER)
            if parts.get("name"):
                yield Found(*match.span("name"), NAME)
    yield from (Found(start, end, USER) for start, end in groups if text[start:end] in users)


def _matches(family: _Family, text: str) -> Iterator[re.Match[str]]:
    for start, end in fitting_lines(family.sign, text):
        for rule in family.rules:
            yield from compiled(rule).finditer(text, start, end + family.answer)


RESERVED = _words("domain")
_FILES = frozenset(_words("file"))
_GENERIC = (".com", ".org", ".net", ".edu", ".gov", ".io", ".ai", ".dev")
_FILES_AND_COUNTRIES = frozenset(["rs", "md", "sh", "py", "so"])

_LOCAL = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+-"
_DOMAIN = re.compile(r"[^\W_](?:[^\W_]|-){0,62}(?:\.[^\W_](?:[^\W_]|-){0,62}){0,8}")
_ADDRESS = re.compile(r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}$")
_SHELL = re.compile(
    r"(?:\b(?:ssh|scp|sftp|rsync|mosh|ssh-copy-id|ssh-keygen)\b[^\n]{0,120}|ssh-(?:rsa|ed25519|dss) \S{20,800} )$"
)


# Names that a system made of an address, a person or a serial number; what people call machines is not known by itself.
_HOSTS = re.compile(rf"(?<![\w.-])(?:{'|'.join(words('names.tsv', 'host'))})(?![\w-])")
_HOST_SIGNS = (
    r"ip-[0-9]{1,3}-[0-9]|\.internal|(?:TOP|WIN)-[A-Z0-9]{7}|MacBook|s-MB[PA]|iMac|Mac-mini"
    r"|-(?:macbook|mbp|mba|imac|mac-mini)"
)
# Addresses with words for their signs.
_SPELLED_SIGNS = (
    r"[\[({<] ?(?i:at) ?[\])}>] ?[\w-]+(?:\.| ?[\[({<] ?(?i:dot)| (?:dot|DOT) )"
    r"| (?:at|AT) [a-zA-Z0-9-]+ (?:dot|DOT) [a-zA-Z]"
)
_A_DOT = r"[ ]?[\[({<][ ]?(?i:dot)[ ]?[\])}>][ ]?| (?:dot|DOT) "
_DOT = re.compile(_A_DOT)
_DOT_BEFORE = re.compile(rf"(?:{_A_DOT})$")
_SPELLED = re.compile(
    r"(?:(?P<gap>[ ]?)[\[({<][ ]?(?i:at)[ ]?[\])}>](?P=gap)(?!self\.|this\.)| (?:at|AT) (?=[\w-]{1,63} (?:dot|DOT) ))"
    rf"(?P<host>[\w-]{{1,63}}(?:(?:\.|{_A_DOT})[\w-]{{1,63}}){{1,4}})"
)
_SHARES = re.compile(
    r"(?<![\w\\:])(?:\\{2}){1,2}[\w.-]{1,60}\\{1,2}"
    r"(?:(?:[Uu]sers|[Hh]omes?|[Pp]rofiles?)\$?\\{1,2}[\w.-]{1,60}"
    r"|(?!(?:ADMIN|IPC|PRINT|[A-Za-z])\$)[\w.-]{1,60}\$)"
)
# Accounts of a domain, `CORP\\ann`: behind a word for a person, of a domain that is called so, or in front of a verb.
_ACCOUNTS = re.compile(
    r"(?:(?i:(?<![a-z])(?:user(?:name)?|owner|account|log(?:in|on)|principal|runas|by|as|for)"
    r"[\"']?[ ]?[:=]?[ ]?(?:/user:)?[\"']?)"
    r"|(?<![\w\\/.$-])(?=(?:[A-Z]*CORP|DOMAIN|ACME|CONTOSO)\\)"
    r"|(?P<is_subject>(?<![\w\\/.$-])))"
    r"(?P<account>(?!BUILTIN|AUTHORITY|HK)[A-Z][A-Z0-9-]{1,14}\\{1,2}(?P<user>[a-z][a-z0-9.-]{1,30}[a-z0-9]))"
    r"(?(is_subject)(?= (?:logged|signed|has|is|was) )|(?![\w\\/(=$-]|\.\w))"
)
_ACCOUNT_SIGN = r"(?:^|[^A-Za-z0-9_.\\$/-])[A-Z][A-Z0-9-]+\\{1,2}[a-z][a-z0-9.-]"


def find_shares(text: str) -> Iterator[Found]:
    """Yield folders of users on servers, `\\\\server\\ann$`, and accounts of domains, `CORP\\ann`. The text is as it is
    written: a reading drops backslashes."""
    if "\\" in text and "\\\\" in text:
        yield from (Found(*match.span(), SHARE) for match in _SHARES.finditer(text))
    for line in fitting_lines(_ACCOUNT_SIGN, text) if "\\" in text else ():
        accounts = (
            match for match in _ACCOUNTS.finditer(text, *line) if not is_nobody(match["user"])
        )
        yield from (Found(*match.span("account"), USER) for match in accounts)


FIRST_LOOK = "|".join((_HOST_SIGNS, _SPELLED_SIGNS, _USERS_LOOK, _NUMBERS_LOOK))


def find_people(
    text: str, allowed_domains: Iterable[str] = (), also: Container[str] = ()
) -> Iterator[Found]:
    """Everybody who is named in a text, and machines.

    Addresses of `allowed_domains` and of nobody are left out; `also` names kinds of `people.OPTIONAL`.
    """
    if "@" in text:
        spared = _spared(allowed_domains)
        for at in _AT.finditer(text):
            if person := _person(text, at.start(), spared):
                yield person
                if person.kind == E_MAIL:
                    yield from _owner(text, person.start)
    if automaton(FIRST_LOOK)(text):
        for line in fitting_lines(_HOST_SIGNS, text):
            yield from (Found(*match.span(), HOST) for match in _HOSTS.finditer(text, *line))
        yield from _spelled(text, _spared(allowed_domains))
        yield from find_users(text)
        yield from find_numbers(text)
    if also and automaton(FIRST_LOOK_AT_ADDRESSES)(text):
        yield from find_addresses(text, also)


def _spared(allowed_domains: Iterable[str]) -> tuple[str, ...]:
    return *RESERVED, *(domain.lower().lstrip("@.") for domain in allowed_domains)


_AT = re.compile(r"@(?=[^\W_])(?<=[\w.%+-]@)")
# Who is named in front of an address: authors of commits, senders of letters.
_NAMED = re.compile(
    r"(?i)(?<![\w-])(?:(?:author|committer|tagger) |(?:author|commit(?:ter)?|from|to|cc|bcc|reply-to|maintainer"
    r"|[a-z-]{3,24}-by)(?::|\"[ ]?:[ ]?\"))"
    r"[ \t]{0,8}\"?(?P<name>[^\W\d_][^\n<>:@\[\]\"#]{0,60}[\w.)])\"? ?<\Z"
)


# Names alone in front of an address, in small and large letters, and in the field before its own.
_CALLED = re.compile(
    r"(?<![\w.-])(?P<name>[^\W\d_a-z]\w{1,30}(?: [^\W\d_a-z][\w.'-]{0,30}){1,3}) ?<\Z"
    r"|\"name\"[ ]?:[ ]?\"(?P<field>[^\"\n]{2,60})\",\s{0,20}\"email\"[ ]?:[ ]?\"\Z"
    r"|\buser\.name[= ][\"']?(?P<setting>[^\"'\n]{2,60}?)[\"']?\n[^\n=]{0,30}user\.email[= ][\"']?\Z"
)


def _owner(text: str, end: int) -> Iterator[Found]:
    """Yield who is named in front of an address that begins at `end`."""
    name = _NAMED.search(text, max(end - 100, 0), end) or _CALLED.search(
        text, max(end - 140, 0), end
    )
    if name and name.lastgroup and not all(map(is_nobody, name[name.lastgroup].split())):
        yield Found(*name.span(name.lastgroup), NAME)


def _spelled(text: str, spared: tuple[str, ...]) -> Iterator[Found]:
    """Addresses that are written for people alone: `ann [at] host [dot] tld`."""
    for line in fitting_lines(_SPELLED_SIGNS, text):
        for match in _SPELLED.finditer(text, *line):
            host = _DOT.sub(".", match["host"]).lower()
            start = _start_of_spelled(text, match.start())
            if (
                start < match.start()
                and not is_nobody(text[start : match.start()])
                and _mail(text[start : match.start()], host, start, match.end(), spared)
            ):
                yield Found(start, match.end(), E_MAIL)


def _start_of_spelled(text: str, end: int) -> int:
    """Return where what stands directly in front of `[at]` begins; it may have dots in words."""
    start = end
    for _ in range(4):
        before = text[max(start - 64, 0) : start]
        word = before[len(before.rstrip(_LOCAL)) :]
        start -= len(word)
        dot = _DOT_BEFORE.search(text, max(start - 8, 0), start)
        if not word or dot is None:
            break
        start = dot.start()
    return start


def _person(text: str, at: int, spared: tuple[str, ...]) -> Found | None:
    local = _local_part(text[max(at - 64, 0) : at])
    domain = _DOMAIN.match(text, at + 1)
    if not local or domain is None:
        return None
    start = at - len(local)
    end = domain.end()
    host = domain[0].rstrip("-").lower()
    before = text[max(start - 200, 0) : start]
    behind = text[end : end + 1]
    is_password = before.endswith(":") and "://" in before[-100:]
    if before.endswith("]") or _VERSION.match(host) or is_password:  # a mask, or a model
        return None
    if before.endswith("://"):
        is_own = not is_nobody(local) and host not in spared and len(local) < 20  # no token
        return Found(start, end, USER_AT_HOST) if is_own and _LOGIN.search(before[-12:]) else None
    is_target = behind != "/" and bool(_SHELL.search(before))
    if _ADDRESS.match(host):
        is_own = is_target or behind == ":" or bool(_PRIVATE.match(host))
        is_own = is_own and not (is_nobody(local) and _DOCUMENTS.match(host))
        return Found(start, end, USER_AT_HOST) if is_own else None
    is_prompt = _is_prompt(text, start, end)
    if behind == "(":  # a call
        return None
    if "." in host and not (is_prompt and host.endswith(_HOUSES)):
        # Git makes one of user and machine when it knows none: `Author: Ann Lee <ann@anns-laptop.local>`.
        is_made = (
            host.endswith(_HOUSES)
            and not is_nobody(local)
            and _NAMED.search(text, max(start - 100, 0), start)
        )
        return _mail(local, host, start, end, spared) or (
            Found(start, end, E_MAIL) if is_made else None
        )
    is_own = not is_nobody(local) and (host not in spared or (is_prompt and host == "localhost"))
    return Found(start, end, USER_AT_HOST) if is_own and (is_prompt or is_target) else None


_VERSION = re.compile(r"(?:20[0-9]{6}|default|latest)(?![^\W_])")
_DOCUMENTS = re.compile(r"(?:192\.0\.2|198\.51\.100|203\.0\.113)\.")
# Endings of names that machines have at home.
_HOUSES = tuple(".local .lan .home .localdomain .internal .fritz.box".split())
# The text that follows a user and a host in prompts of shells, wherever they are.
_PROMPT = re.compile(
    r":[~/]|[$#%](?=[ \n]|\Z)| ~|\]\u2500|:[\w.-]{1,60}(?: \([\w./-]{1,60}\))? ?[$#%](?=\s|\Z)"
    r"| (?:MINGW(?:32|64)|MSYS|UCRT64|CLANG64) | in (?:[^\w\s]{1,2} ?)?[~/]| [A-Z]:\\"
)
# The same, where nothing stands before them in the line.
_PROMPT_OF_LINE = re.compile(
    r" [\w./+-]{1,60}(?: \([\w./ -]{1,60}\)| git:\([\w./ -]{1,60}\))? ?[$%#>\u276f\u279c](?=\s|\Z)|[>\u276f](?=\s|\Z)"
    r"| /|(?: [^\]\n]{1,60})?\][$#%]"
)
_BEFORE_PROMPT = re.compile(
    r"(?:^|[\n>`\"'|])[ \t]{0,12}(?:\([\w.-]{1,30}\) ?|\u279c {1,2}|[\u250c\u256d]\u2500{1,2} ?)?[\[(]?$|(?<!\w)\[$"
)


def _is_prompt(text: str, start: int, end: int) -> bool:
    """Return whether a user and a host stand as a shell writes them before each command."""
    return bool(
        _PROMPT.match(text, end)
        or (
            _PROMPT_OF_LINE.match(text, end)
            and _BEFORE_PROMPT.search(text[max(start - 60, 0) : start])
        )
    )


_LOGIN = re.compile(r"(?:ssh|sftp|scp|ftp|rsync|https?)://$")
_PRIVATE = re.compile(
    r"10\.|192\.168\.|172\.(?:1[6-9]|2[0-9]|3[01])\.|100\.(?:6[4-9]|[7-9][0-9]|1[01][0-9]|12[0-7])\."
)


def _local_part(before: str) -> str:
    """Return what stands directly in front of an at sign."""
    local = before[len(before.rstrip(_LOCAL)) :]
    if (
        len(local) < len(before)
        and not before[-len(local) - 1].isascii()
        and before[-len(local) - 1].isalpha()
    ):
        found = _LETTERS.search(before)
        local = found[0] if found else local
    return local.lstrip("._%+-")


_LETTERS = re.compile(r"[\w.%+-]{1,64}$")


def _mail(local: str, host: str, start: int, end: int, spared: tuple[str, ...]) -> Found | None:
    """Return the address, unless its domain is nobody's or it is not an address but a file or a version."""
    domain, _, top = host.rpartition(".")
    if top in _FILES and domain.endswith(_GENERIC):  # a file that is called by an address
        return _mail(local, domain, start, end - len(top) - 1, spared)
    if not top.isalpha() or len(top) < 2 or top in _FILES or local.lower() in MAILBOXES:
        return None
    if top in _FILES_AND_COUNTRIES and (host[0].isdigit() or is_nobody(local)):
        return None
    if not f"{local}{host}".isascii():
        return Found(start, end, E_MAIL)
    if any(host == each or host.endswith(f".{each}") for each in spared):
        return None
    return Found(start, end, E_MAIL)
