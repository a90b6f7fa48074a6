"""Finds what names a person or a machine of theirs: e-mail addresses, users of hosts as in `ssh ann@build-7`, names
that systems give to machines and shares."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sitegen.automaton import automaton

E_MAIL, USER_AT_HOST, HOST, SHARE = "e-mail address", "user and host", "host name", "shared folder"
HOME = "home folder"
KINDS = (E_MAIL, USER_AT_HOST, HOST, SHARE, HOME)

RESERVED = (
    "example", "example.com", "example.org", "example.net", "test", "invalid", "localhost", "local", "localdomain",
    "domain.com", "email.com", "yourdomain.com", "yourcompany.com", "company.com", "mydomain.com",
)  # fmt: skip
"""Domains in which nobody has an address (RFC 2606, RFC 6761), and those of placeholders."""
_NOBODY = frozenset(
    [
        "git",
        "noreply",
        "no-reply",
        "donotreply",
        "do-not-reply",
        "notifications",
        "support",
        "info",
        "hello",
        "contact",
        "security",
        "admin",
        "postmaster",
        "webmaster",
        "abuse",
        "help",
        "sales",
        "team",
        "user",
        "username",
        "you",
        "your-email",
        "youremail",
        "email",
        "name",
        "someone",
        "somebody",
    ]
)
_FILES = frozenset(
    [
        "png",
        "jpg",
        "jpeg",
        "gif",
        "svg",
        "webp",
        "ico",
        "css",
        "js",
        "mjs",
        "ts",
        "tsx",
        "jsx",
        "json",
        "yaml",
        "yml",
        "toml",
        "py",
        "rb",
        "go",
        "rs",
        "java",
        "kt",
        "c",
        "h",
        "cpp",
        "hpp",
        "md",
        "txt",
        "html",
        "xml",
        "csv",
        "log",
        "sh",
        "zip",
        "gz",
        "tgz",
        "whl",
        "lock",
        "exe",
        "dll",
        "so",
        "map",
    ]
)
_MACHINES = frozenset(
    [
        "root",
        "git",
        "user",
        "admin",
        "ubuntu",
        "ec2-user",
        "debian",
        "centos",
        "fedora",
        "vagrant",
        "node",
        "www-data",
        "postgres",
        "mysql",
        "redis",
        "runner",
        "app",
        "deploy",
        "docker",
        "jenkins",
        "pi",
        "core",
        "opc",
        "azureuser",
        "hdfs",
        "spark",
        "nobody",
    ]
)
"""Users that many machines have."""

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
    r"|(?:[A-Za-z]\w{0,30}-){1,3}(?:MacBook|iMac|Mac-mini)(?:-\w{1,10}){0,3}(?:\.(?:local|lan|home))?"
    r"|(?:MacBook|iMac|Mac-mini)(?:-\w{1,10}){0,3}\.(?:local|lan|home))(?![\w-])"
)
_HOST_SIGNS = r"ip-[0-9]{1,3}-[0-9]|\.internal|(?:TOP|WIN)-[A-Z0-9]{7}|MacBook|iMac|Mac-mini"
_SHARES = re.compile(r"(?<![\w\\:])\\{2}[\w.-]{1,60}\\(?:[\w.-]{1,60}\$|(?:[Uu]sers|[Hh]omes?)\\[\w.-]{1,60})")


def find_shares(text: str) -> Iterator[Person]:
    """Folders of users on servers, `\\\\server\\ann$`. The text is as it is written: a reading drops backslashes."""
    if "\\" in text and "\\\\" in text:
        yield from (Person(*match.span(), SHARE) for match in _SHARES.finditer(text))


@dataclass(frozen=True, slots=True)
class Person:
    """Where somebody is named, or a machine."""

    start: int
    end: int
    kind: str


def find_people(text: str, allowed_domains: Iterable[str] = ()) -> Iterator[Person]:
    """The e-mail addresses and users of hosts in a text; addresses of `allowed_domains` and of nobody are left out."""
    at = text.find("@")
    spared = () if at == -1 else (*RESERVED, *(domain.lower().lstrip("@.") for domain in allowed_domains))
    while at != -1:
        person = _person(text, at, spared)
        if person:
            yield person
        at = text.find("@", at + 1)
    if automaton(_HOST_SIGNS)(text):
        yield from (Person(*match.span(), HOST) for match in _HOSTS.finditer(text))


def _person(text: str, at: int, spared: tuple[str, ...]) -> Person | None:
    local = _local_part(text[max(at - 64, 0) : at])
    domain = _DOMAIN.match(text, at + 1)
    if not local or domain is None:
        return None
    start, end = at - len(local), domain.end()
    host = domain[0].rstrip("-").lower()
    if text[max(start - 1, 0) : start] == "]":  # a mask
        return None
    if text[max(start - 3, 0) : start] == "://":
        is_own = local.lower() not in _MACHINES | _NOBODY and host not in spared and len(local) < 20  # no token
        return Person(start, end, USER_AT_HOST) if is_own and _LOGIN.search(text[max(start - 12, 0) : start]) else None
    if text[max(start - 1, 0) : start] == ":" and "://" in text[max(start - 100, 0) : start]:  # a password
        return None
    is_target = text[end : end + 1] != "/" and bool(_SHELL.search(text[max(start - 200, 0) : start]))
    if _ADDRESS.match(host):
        behind = text[end : end + 1]
        return Person(start, end, USER_AT_HOST) if is_target or behind == ":" or _PRIVATE.match(host) else None
    if "." in host:
        return _mail(local, host, start, end, spared)
    behind = text[end : end + 2]
    is_prompt = (behind[:1] == ":" and behind[1:] in ("~", "/")) or behind in ("$ ", "# ", "% ") or behind == " ~"
    if (is_prompt or is_target) and local.lower() not in _MACHINES and host not in spared:
        return Person(start, end, USER_AT_HOST)
    return None


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
    top = host.rpartition(".")[2]
    if not top.isalpha() or len(top) < 2 or top in _FILES or local.lower() in _NOBODY:
        return None
    if not f"{local}{host}".isascii():
        return Person(start, end, E_MAIL)
    if any(host == domain or host.endswith(f".{domain}") for domain in spared):
        return None
    return Person(start, end, E_MAIL)
