"""Finds numbers of people: telephones in international form, bank accounts, payment cards; and addresses of machines.

Numbers are everywhere, so each must have a form in which people write it and pass the check that it carries. Those that
are nobody's by agreement are left out: telephones for fiction, cards for tests, addresses for documents.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Container, Iterator

from sitegen.masking.automaton import automaton
from sitegen.masking.people import CARD, IBAN, IP_ADDRESS, MAC_ADDRESS, PHONE, Person

_PHONE_SIGN = r"\+\(?[1-9](?:[^0-9A-Za-z\n]{0,3}[0-9]){8}"
_IBAN_SIGN = r"[A-Z]{2}[0-9]{2}(?:[ -]?[A-Z0-9]{4}){2}[ -]?[A-Z0-9]{3}"
_CARD_SIGN = r"[2-6][0-9]{3}[ -](?:[0-9]{4}|[0-9]{6})[ -][0-9]{4}|[2-6][0-9]{12}"
FIRST_LOOK = f"{_PHONE_SIGN}|{_IBAN_SIGN}|{_CARD_SIGN}"
"""Fits every text in which a number is found."""
FIRST_LOOK_AT_ADDRESSES = (
    r"[0-9]\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]|(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}|[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}"
    r"|[0-9a-fA-F]:[0-9a-fA-F:]*:[0-9a-fA-F]|[0-9a-fA-F]::|::[0-9a-fA-F]"
)
"""The same for addresses of machines."""


def find_numbers(text: str) -> Iterator[Person]:
    """Telephones in international form, bank accounts and payment cards."""
    if automaton(_PHONE_SIGN)(text):
        for match in _PHONES.finditer(text):
            if _is_phone(match[0]) and not _is_in_patch(text, match.start()):
                yield Person(*match.span(), PHONE)
    if automaton(_IBAN_SIGN)(text):
        for match in _IBANS.finditer(text):
            length = _length_of_iban(match[0])
            if length and not text[match.start() + length : match.start() + length + 1].isalnum():
                yield Person(match.start(), match.start() + length, IBAN)
    if automaton(_CARD_SIGN)(text):
        yield from (Person(*match.span(), CARD) for match in _CARDS.finditer(text) if _is_card(match[0]))
        for match in _DIGITS.finditer(text):
            start = match.start()
            if _is_card(match[0]) and _NUMBER_OF_CARD.search(text, max(start - 80, 0), start):
                yield Person(*match.span(), CARD)


_PHONES = re.compile(
    r"\+(?<![\w.+*/)%^~-]\+)(?:1[ .-]?\(?[2-9][0-9]{2}\)?[ .-]?[2-9][0-9]{2}[ .-]?[0-9]{4}"
    r"|\(?[2-9][0-9]{0,2}\)?(?:(?:[ \u00a0\u202f./-]|[ ]?\(|\)[ ./-]?){0,2}[0-9]){7,12})(?![\w%]|[.,]\d)"
)
_CODES = re.compile(
    r"1|7|2(?:[07]|1[123568]|[23]\d|4\d|5[0-8]|6\d|9[01789])|3(?:[0-469]|5\d|7\d|8[0-35-79])|4(?:[013-9]|2[013])"
    r"|5(?:[1-8]|0\d|9\d)|6(?:[0-6]|7[02-9]|8[0-35-9]|9[0-2])|8(?:[1246]|5[02356]|8[06])|9(?:[0-58]|6[0-8]|7[0-7]|9[2-68])"
)
"""Codes of countries."""
_FICTION = re.compile(
    r"1[2-9]..55501..$|12345678|44(?:7700900|2079460|1632960|1(?:1[3-8]|[2-6]1)4960)...$|1555|(?:\d{1,3}?)(\d)\1{6}"
)
"""Numbers that regulators of North America and of the United Kingdom keep for stories, and those of placeholders."""


def _is_phone(shown: str) -> bool:
    """Whether a plus sign and what follows it can be called."""
    shown = shown[1:].replace("(0)", "")
    groups = re.findall("[0-9]+", shown)
    digits = "".join(groups)
    code = _CODES.match(digits)
    if code is None or not 9 <= len(digits) <= 15 or _FICTION.match(digits):
        return False
    if len(groups) == 1:
        return len(digits) >= 10
    if len(groups[0]) <= 3 and groups[0] != code[0]:
        return False
    if "." in shown and (len(groups) < 3 or " " in shown):  # a decimal
        return False
    return sum(len(group) == 1 for group in groups) <= 2 and shown.count("(") == shown.count(")")


def _is_in_patch(text: str, at: int) -> bool:
    """Whether the plus sign says that a line was added."""
    if at and text[at - 1] != "\n":
        return text[at - 1] == ">" and not text.endswith(
            ("<td>", "<p>", "<li>"), 0, at
        )  # on a page, where a patch has elements
    before = text[text.rfind("\n", 0, max(at - 1, 0)) + 1 : at][:1]
    after = text[at : at + 1_000].partition("\n")[2][:1]
    return before in _MARKS or after in _MARKS


_MARKS = tuple("+-@ \\")
"""How lines of a patch begin."""
_IBANS = re.compile(r"[A-Z]{2}(?<![A-Za-z0-9_/+.-]..)[0-9]{2}(?:[ \u00a0-]?[A-Z0-9]){11,30}")
_COUNTRIES = (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 "
    "ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 "
    "LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 "
    "QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
)
_LENGTHS = {code[:2]: int(code[2:]) for code in _COUNTRIES.split()}
"""Characters of an account's number by country."""


def _length_of_iban(shown: str) -> int:
    """How many characters at the beginning are the number of an account that passes its check; 0 for none."""
    places = [place for place, sign in enumerate(shown) if sign.isalnum()]
    length = _LENGTHS.get(shown[:2], 0)
    if not 0 < length <= len(places):
        return 0
    number = "".join(shown[place] for place in places[:length])
    turned = number[4:] + number[:4]
    return places[length - 1] + 1 if int("".join(str(int(sign, 36)) for sign in turned)) % 97 == 1 else 0


_CARDS = re.compile(
    r"[2-6][0-9]{3}(?<![\w.,+/-]....)(?<![0-9][ ]....)(?<![0-9a-f]{4}[ ]....)"
    r"(?:(?P<gap>[ -])[0-9]{4}(?P=gap)[0-9]{4}(?P=gap)[0-9]{4}"
    r"(?:(?P=gap)[0-9]{3}(?=[^\w ]|$))?|(?P<other>[ -])[0-9]{6}(?P=other)[0-9]{4,5})"
    r"(?![\w-]|[.,/]\d| [0-9]{4,}| [0-9a-fA-F]{4}(?!\w))"
)
_DIGITS = re.compile(r"[2-6][0-9]{12}(?<![\w.,+/-].{13})[0-9]{0,6}(?![\w]|[.,]\d)")
_NUMBER_OF_CARD = re.compile(
    r"(?i)(?<![a-z])(?:(?:credit|debit|bank|payment)[ _-]?)?(?:card|visa|mastercard|maestro|amex|discover|pan|cc)"
    r"(?:[ _-]?(?:number|num|nr|no|#))?\.?[\"'`]?[ ]{0,4}(?:[:=|]|is)?\s{0,4}"
    r"(?:\{\s{0,20}[\"']?number[\"']? ?[:=] ?)?[\"'`]?\Z"
)
"""Says before digits without gaps that they are those of a card."""
_ISSUERS = re.compile(
    r"4(?:.{12}|.{15}|.{18})$|(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720|220[0-4]).*(?<=^.{16})$"
    r"|3[47].{13}$|3(?:0[0-5]|[689]).{11,14}$|35(?:2[89]|[3-8]).{13,16}$|(?:6011|64[4-9]|65|62|5[06-8]|6[37]).{11,17}$"
)
_TESTS = re.compile(
    r"4000(?:00|05)|.*(\d)\1{5}|(\d\d)\2{5}|.*(\d)\3{3}(?!\3)(\d)\4{3}"
    r"|378282246310005|371449635398431|378734493671000|30569309025904|2223003122003222|5200828282828210|6011000990139424"
    r"|5105105105105100|3530111333300000|3566002020360505|38520000023237|5610591081018250|4917484589897107|4001919257537193"
)
"""Numbers that makers of software for payments give out for tests."""


def _is_card(shown: str) -> bool:
    """Whether the number is one of an issuer, passes its check, and is none for tests."""
    digits = re.sub("[ -]", "", shown)
    if not _ISSUERS.match(digits) or _TESTS.match(digits):
        return False
    doubled = (int(digit) * 2 for digit in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(each - 9 if each > 9 else each for each in doubled)) % 10 == 0


# Addresses of machines.


def find_addresses(text: str, kinds: Container[str]) -> Iterator[Person]:
    """Numeric addresses of these kinds."""
    if IP_ADDRESS in kinds:
        for match in _IPV4.finditer(text):
            if _is_address(match[0]) and not _VERSION.search(text[max(match.start() - 40, 0) : match.start()]):
                yield Person(*match.span(), IP_ADDRESS)
        for match in _IPV6.finditer(text):
            if any(map(str.isdigit, match[0])) and not _PAIRS.match(match[0]) and _is_address(match[0]):
                yield Person(*match.span(), IP_ADDRESS)
    if MAC_ADDRESS in kinds:
        yield from (Person(*m.span(), MAC_ADDRESS) for m in _MAC.finditer(text) if not _NO_MACHINE.match(m[0]))


_IPV4 = re.compile(r"(?<![\w.~^=<>-])(?<![A-Za-z]@)(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![\w-]|\.\w)")
_VERSION = re.compile(
    r"(?i)(?:\bv|\bver\.?|versions?|release[ds]?|build|revision|rev|section|chapter|[=<>~^])[ \t:=\"'`(]{0,4}$"
    r"|[A-Za-z][\w.+-]*[/@]$|[=<>~^!]=[ ]{0,2}[\"']?$|\boid[ :=\"']{1,4}$"
)
_IPV6 = re.compile(
    r"(?<![\w:.])(?=[0-9a-fA-F:]*:[0-9a-fA-F]*:)(?:[0-9a-fA-F]{1,4}|:)(?::[0-9a-fA-F]{0,4}){2,7}"
    r"(?:(?<=:)(?:[0-9]{1,3}\.){3}[0-9]{1,3})?(?![\w:]|\.\w)"
)
_PAIRS = re.compile(r"(?:..:){7}..$")
"""Part of a fingerprint, and no address that anybody has."""
_MAC = re.compile(
    r"(?<![\w:-])(?:[0-9a-fA-F]{2}(?P<sign>[:-])(?:[0-9a-fA-F]{2}(?P=sign)){4}[0-9a-fA-F]{2}(?![\w:-])"
    r"|[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}(?![\w.]))"
)
_NO_MACHINE = re.compile(
    r"(?i)(?:00[:-]){5}|(?:ff[:-]){5}|00[:-]00[:-]5e[:-]00[:-]53|01[:-]00[:-]5e|33[:-]33|(?:0000|ffff)\."
)
_NOBODYS = tuple(
    map(
        ipaddress.ip_network,
        (
            "0.0.0.0/8", "127.0.0.0/8", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3",
            "169.254.169.254/32", "1.0.0.1/32", "1.1.1.1/32", "8.8.4.4/32", "8.8.8.8/32", "9.9.9.9/32",
            "::/127", "::ffff:127.0.0.0/104", "2001:db8::/32", "3fff::/20", "ff00::/8",
        ),
    )
)  # fmt: skip
"""Loopback, unspecified, for documents, for many, netmasks, and servers that everybody asks."""


def _is_address(shown: str) -> bool:
    try:
        address = ipaddress.ip_address(shown)
    except ValueError:
        return False
    return not any(address in network for network in _NOBODYS if network.version == address.version)
