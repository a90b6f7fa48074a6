"""Finds what names a person or a machine of theirs: e-mail addresses, users of hosts as in `ssh ann@build-7`, names
that systems give to machines and shares. Names of users and numbers have modules of their own."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator

from sitegen.masking import personal_numbers, user_names
from sitegen.masking.automaton import automaton, fitting_lines
from sitegen.masking.people import E_MAIL, HOST, MAILBOXES, NAME, SHARE, USER_AT_HOST, Person, is_nobody

RESERVED = (
    "example", "example.com", "example.org", "example.net", "test", "invalid", "localhost", "local", "localdomain",
    "openssh.com", "libssh.org",
    "domain.com", "email.com", "yourdomain.com", "yourcompany.com", "company.com", "mydomain.com",
)  # fmt: skip
"""Domains in which nobody has an address (RFC 2606, RFC 6761), and those of placeholders."""
_ENDINGS = """
png jpg jpeg gif svg webp ico css js mjs ts tsx jsx json yaml yml toml rb go java kt c h cpp hpp txt html xml
csv log zip gz tgz whl lock exe dll map service socket timer target mount slice scope
"""
_FILES = frozenset(_ENDINGS.split())
"""Endings of files and units that are written behind an at sign, `icon@2x.png`."""
_GENERIC = (".com", ".org", ".net", ".edu", ".gov", ".io", ".ai", ".dev")
_FILES_AND_COUNTRIES = frozenset(["rs", "md", "sh", "py", "so"])

_LOCAL = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+-"
_DOMAIN = re.compile(r"[^\W_](?:[^\W_]|-){0,62}(?:\.[^\W_](?:[^\W_]|-){0,62}){0,8}")
_ADDRESS = re.compile(r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}$")
_SHELL = re.compile(
    r"(?:\b(?:ssh|scp|sftp|rsync|mosh|ssh-copy-id|ssh-keygen)\b[^\n]{0,120}|ssh-(?:rsa|ed25519|dss) \S{20,800} )$"
)


# Names that a system made of an address, a person or a serial number; what people call machines is not known by itself.
_HOSTS = re.compile(
    r"(?<![\w.-])(?:ip-[0-9]{1,3}(?:-[0-9]{1,3}){3}(?:\.[a-z0-9-]{1,40}){0,4}\.(?:internal|amazonaws\.com)"
    r"|ip-[0-9]{1,3}(?:-[0-9]{1,3}){3}"
    r"|[a-z0-9-]{1,60}(?:\.[a-z0-9-]{1,60}){0,3}\.(?:ec2|compute|c\.[a-z0-9-]{4,40})\.internal"
    r"|(?:DESKTOP|LAPTOP|WIN)-(?=[A-Z]*[0-9]|[^AEIOU\s]{0,11}[AEIOU]?[^AEIOU\s]{0,11}(?![\w-]))[A-Z0-9]{7,12}"
    r"|(?:[A-Za-z]\w{0,30}-){1,3}(?:MacBook|MBP|MBA|iMac|Mac-mini)(?:-\w{1,10}){0,3}(?:\.(?:local|lan|home))?"
    r"|(?:MacBook|iMac|Mac-mini)(?:-\w{1,10}){0,3}\.(?:local|lan|home)"
    r"|(?:[a-z]\w{0,30}-){1,3}(?:macbook|mbp|mba|imac|mac-mini)(?:-\w{1,10}){0,3}(?=\.(?:local|lan|home)\b)"
    r"|(?<=COMPUTERNAME=)(?:DESKTOP|LAPTOP|WIN)-[A-Z0-9]{7,12})(?![\w-])"
)
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
    r"(?:(?!(?:ADMIN|IPC|PRINT|[A-Za-z])\$)[\w.-]{1,60}\$|(?:[Uu]sers|[Hh]omes?)\\{1,2}[\w.-]{1,60})"
)


def find_shares(text: str) -> Iterator[Person]:
    """Folders of users on servers, `\\\\server\\ann$`. The text is as it is written: a reading drops backslashes."""
    if "\\" in text and "\\\\" in text:
        yield from (Person(*match.span(), SHARE) for match in _SHARES.finditer(text))


FIRST_LOOK = "|".join((_HOST_SIGNS, _SPELLED_SIGNS, user_names.FIRST_LOOK, personal_numbers.FIRST_LOOK))


def find_people(text: str, allowed_domains: Iterable[str] = (), also: Container[str] = ()) -> Iterator[Person]:
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
            yield from (Person(*match.span(), HOST) for match in _HOSTS.finditer(text, *line))
        yield from _spelled(text, _spared(allowed_domains))
        yield from user_names.find_users(text)
        yield from personal_numbers.find_numbers(text)
    if also and automaton(personal_numbers.FIRST_LOOK_AT_ADDRESSES)(text):
        yield from personal_numbers.find_addresses(text, also)


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


def _owner(text: str, end: int) -> Iterator[Person]:
    """Who is named in front of an address that begins at `end`."""
    name = _NAMED.search(text, max(end - 100, 0), end) or _CALLED.search(text, max(end - 140, 0), end)
    if name and name.lastgroup and not all(map(is_nobody, name[name.lastgroup].split())):
        yield Person(*name.span(name.lastgroup), NAME)


def _spelled(text: str, spared: tuple[str, ...]) -> Iterator[Person]:
    """Addresses that are written for people alone: `ann [at] host [dot] tld`."""
    for line in fitting_lines(_SPELLED_SIGNS, text):
        for match in _SPELLED.finditer(text, *line):
            host, start = _DOT.sub(".", match["host"]).lower(), _start_of_spelled(text, match.start())
            if (
                start < match.start()
                and not is_nobody(text[start : match.start()])
                and _mail(text[start : match.start()], host, start, match.end(), spared)
            ):
                yield Person(start, match.end(), E_MAIL)


def _start_of_spelled(text: str, end: int) -> int:
    """Where what stands directly in front of `[at]` begins; it may have dots in words."""
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


def _person(text: str, at: int, spared: tuple[str, ...]) -> Person | None:
    local = _local_part(text[max(at - 64, 0) : at])
    domain = _DOMAIN.match(text, at + 1)
    if not local or domain is None:
        return None
    start, end = at - len(local), domain.end()
    host = domain[0].rstrip("-").lower()
    if text[max(start - 1, 0) : start] == "]" or _VERSION.match(host):  # a mask, or a model
        return None
    if text[max(start - 3, 0) : start] == "://":
        is_own = not is_nobody(local) and host not in spared and len(local) < 20  # no token
        return Person(start, end, USER_AT_HOST) if is_own and _LOGIN.search(text[max(start - 12, 0) : start]) else None
    if text[max(start - 1, 0) : start] == ":" and "://" in text[max(start - 100, 0) : start]:  # a password
        return None
    is_target = text[end : end + 1] != "/" and bool(_SHELL.search(text[max(start - 200, 0) : start]))
    if _ADDRESS.match(host):
        if is_nobody(local) and _DOCUMENTS.match(host):
            return None
        behind = text[end : end + 1]
        return Person(start, end, USER_AT_HOST) if is_target or behind == ":" or _PRIVATE.match(host) else None
    is_prompt = _is_prompt(text, start, end)
    if text[end : end + 1] == "(":  # a call
        return None
    if "." in host and not (is_prompt and host.endswith(_HOUSES)):
        # Git makes one of user and machine when it knows none: `Author: Ann Lee <ann@anns-laptop.local>`.
        is_made = host.endswith(_HOUSES) and not is_nobody(local) and _NAMED.search(text, max(start - 100, 0), start)
        return _mail(local, host, start, end, spared) or (Person(start, end, E_MAIL) if is_made else None)
    is_own = not is_nobody(local) and (host not in spared or (is_prompt and host == "localhost"))
    return Person(start, end, USER_AT_HOST) if is_own and (is_prompt or is_target) else None


_VERSION = re.compile(r"(?:20[0-9]{6}|default|latest)(?![^\W_])")
_DOCUMENTS = re.compile(r"(?:192\.0\.2|198\.51\.100|203\.0\.113)\.")
_HOUSES = (".local", ".lan", ".home", ".localdomain", ".internal", ".fritz.box")
"""Endings of names that machines have at home."""
_PROMPT = re.compile(
    r":[~/]|[$#%](?=[ \n]|\Z)| ~|\]\u2500|:[\w.-]{1,60}(?: \([\w./-]{1,60}\))? ?[$#%](?=\s|\Z)"
    r"| (?:MINGW(?:32|64)|MSYS|UCRT64|CLANG64) | in (?:[^\w\s]{1,2} ?)?[~/]| [A-Z]:\\"
)
"""What follows a user and a host in prompts of shells, wherever they stand."""
_PROMPT_OF_LINE = re.compile(
    r" [\w./+-]{1,60}(?: \([\w./ -]{1,60}\)| git:\([\w./ -]{1,60}\))? ?[$%#>\u276f\u279c](?=\s|\Z)|[>\u276f](?=\s|\Z)"
    r"| /|(?: [^\]\n]{1,60})?\][$#%]"
)
"""The same, where nothing stands before them in the line."""
_BEFORE_PROMPT = re.compile(
    r"(?:^|[\n>`\"'|])[ \t]{0,12}(?:\([\w.-]{1,30}\) ?|\u279c {1,2}|[\u250c\u256d]\u2500{1,2} ?)?[\[(]?$"
)


def _is_prompt(text: str, start: int, end: int) -> bool:
    """Whether a user and a host stand as a shell writes them before each command."""
    return bool(
        _PROMPT.match(text, end)
        or (_PROMPT_OF_LINE.match(text, end) and _BEFORE_PROMPT.search(text[max(start - 60, 0) : start]))
    )


_LOGIN = re.compile(r"(?:ssh|sftp|scp|ftp|rsync|https?)://$")
_PRIVATE = re.compile(r"10\.|192\.168\.|172\.(?:1[6-9]|2[0-9]|3[01])\.|100\.(?:6[4-9]|[7-9][0-9]|1[01][0-9]|12[0-7])\.")


def _local_part(before: str) -> str:
    """What stands directly in front of an at sign."""
    local = before[len(before.rstrip(_LOCAL)) :]
    if len(local) < len(before) and not before[-len(local) - 1].isascii() and before[-len(local) - 1].isalpha():
        found = _LETTERS.search(before)
        local = found[0] if found else local
    return local.lstrip("._%+-")


_LETTERS = re.compile(r"[\w.%+-]{1,64}$")


def _mail(local: str, host: str, start: int, end: int, spared: tuple[str, ...]) -> Person | None:
    """The address, unless its domain is nobody's or it is no address but a file or a version."""
    domain, _, top = host.rpartition(".")
    if top in _FILES and domain.endswith(_GENERIC):  # a file that is called by an address
        return _mail(local, domain, start, end - len(top) - 1, spared)
    if not top.isalpha() or len(top) < 2 or top in _FILES or local.lower() in MAILBOXES:
        return None
    if top in _FILES_AND_COUNTRIES and (host[0].isdigit() or is_nobody(local)):
        return None
    if not f"{local}{host}".isascii():
        return Person(start, end, E_MAIL)
    if any(host == each or host.endswith(f".{each}") for each in spared):
        return None
    return Person(start, end, E_MAIL)
