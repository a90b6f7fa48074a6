"""Finds what names a person: e-mail addresses, and users in prompts and targets such as `ann@laptop`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

E_MAIL, USER_AT_HOST = "e-mail address", "user and host"
HOME, KINDS = "home folder", (E_MAIL, USER_AT_HOST)

RESERVED = (
    "example", "example.com", "example.org", "example.net", "test", "invalid", "localhost", "local", "localdomain",
    "domain.com", "email.com", "yourdomain.com", "yourcompany.com", "company.com", "mydomain.com",
)  # fmt: skip
"""Domains in which nobody has an address (RFC 2606, RFC 6761), and those of placeholders."""
_NOBODY = frozenset(
    "git noreply no-reply donotreply do-not-reply notifications support info hello contact security admin postmaster "
    "webmaster abuse help sales team user username you your-email youremail email name someone somebody".split()
)
_FILES = frozenset(
    "png jpg jpeg gif svg webp ico css js mjs ts tsx jsx json yaml yml toml py rb go rs java kt c h cpp hpp md txt html "
    "xml csv log sh zip gz tgz whl lock exe dll so map".split()
)
_MACHINES = frozenset(
    "root git user admin ubuntu ec2-user debian centos fedora vagrant node www-data postgres mysql redis runner app "
    "deploy docker jenkins pi core opc azureuser hdfs spark nobody".split()
)
"""Users that many machines have."""

_LOCAL = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+-"
_DOMAIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})(?:\.[A-Za-z0-9][A-Za-z0-9-]{0,62}){0,8}")
_SHELL = re.compile(r"(?:\b(?:ssh|scp|sftp|rsync|mosh|ssh-copy-id|ssh-keygen)\b[^\n]{0,120}|ssh-(?:rsa|ed25519|dss) \S{20,800} )$")


@dataclass(frozen=True, slots=True)
class Person:
    """Where somebody is named: `kind` is E_MAIL or USER_AT_HOST."""

    start: int
    end: int
    kind: str


def find_people(text: str, allowed_domains: Iterable[str] = ()) -> Iterator[Person]:
    """The e-mail addresses and users of hosts in a text; addresses of `allowed_domains` and of nobody are left out."""
    spared = (*RESERVED, *(domain.lower().lstrip("@.") for domain in allowed_domains))
    at = text.find("@")
    while at != -1:
        person = _person(text, at, spared)
        if person:
            yield person
        at = text.find("@", at + 1)


def _person(text: str, at: int, spared: tuple[str, ...]) -> Person | None:
    before = text[max(at - 64, 0) : at]
    local = before[len(before.rstrip(_LOCAL)) :].lstrip("._%+-")
    domain = _DOMAIN.match(text, at + 1)
    if not local or domain is None:
        return None
    start, end = at - len(local), domain.end()
    host = domain[0].rstrip("-").lower()
    if text[max(start - 3, 0) : start] == "://" or text[max(start - 1, 0) : start] == "]":  # a login, a mask
        return None
    if "." in host:
        return _mail(local, host, start, end, spared)
    behind = text[end : end + 2]
    is_prompt = behind[:1] == ":" and behind[1:] in ("~", "/") or behind in ("$ ", "# ", "% ") or behind == " ~"
    is_target = behind[:1] != "/" and bool(_SHELL.search(text[max(start - 200, 0) : start]))
    if (is_prompt or is_target) and local.lower() not in _MACHINES and host not in spared:
        return Person(start, end, USER_AT_HOST)
    return None


def _mail(local: str, host: str, start: int, end: int, spared: tuple[str, ...]) -> Person | None:
    """The address, unless its domain is nobody's or it is no address but a file or a version."""
    top = host.rpartition(".")[2]
    if not top.isalpha() or len(top) < 2 or top in _FILES or local.lower() in _NOBODY:
        return None
    if any(host == domain or host.endswith(f".{domain}") for domain in spared):
        return None
    return Person(start, end, E_MAIL)
