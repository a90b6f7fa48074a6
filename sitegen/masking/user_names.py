"""Finds names of users where systems print them: environments, listings of files and processes, prompts of shells.

A name alone says nothing, so each rule knows a form in which a system prints one. Names of accounts that many machines
have are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sitegen.masking.automaton import automaton, fitting_lines
from sitegen.masking.people import NAME, USER, USER_AT_HOST, Person, is_nobody

_NAME = r"[^\W\d_](?:[\w.-]{0,30}[\w+])?"
_FULL_NAME = rf"(?:[\w.-]{{1,40}}\\{{1,2}})?{_NAME}"
"""With a domain, as Windows has it: `CORP\\ann`."""
_MORE_NAMES = r"(?: [A-Z][\w-]{1,30}){0,2}"
_LINE = r"(?<![^\n>])[ \t]{0,12}"
"""The beginning of a line, or of an element of a page."""
_KEYS = r"(?:(?:SUDO|LOGON|REMOTE|LOGIN)_)?USER(?:_?NAME)?|LOGNAME"
_ROLES = "(?:Author|Tester|Reviewer|Reporter|Assignee|Maintainer|Committer|Written by|Tested by|Reported by)"
_MODE = r"(?<![\w.-])[-dlbcpsD.](?:[r-][w-][xsS-]){2}[r-][w-][xtT-][.+@]?"


class _Family(NamedTuple):
    """Rules, and an expression without lookaround that fits every line in which one of them finds something."""

    sign: str
    rules: tuple[re.Pattern[str], ...]
    answer: int = 0
    """How many characters behind the line belong to it."""


def _family(sign: str, *rules: str, answer: int = 0) -> _Family:
    return _Family(sign, tuple(map(re.compile, rules)), answer)


_FAMILIES = (
    # Variables of the environment. With spaces around the sign it may be code, where a quote begins the value.
    _family(
        r"(?:USER(?:_?NAME)?|LOGNAME)[\"'\]]*(?: ?=>?|[ \t]*[:,]|   )[ \t\"']*[^\s\"'$<{(\[%]"
        r"|(?:setenv|setx|-[gU]x) [A-Z]*_?(?:USER|LOGN)",
        rf"(?<![A-Za-z0-9_.-])(?:(?:{_KEYS})=[\"']?|(?:LOGNAME|USERNAME) ?[:=] {{0,2}}[\"'])"
        rf"(?P<user>{_FULL_NAME}(?:{_MORE_NAMES}(?=[\"']?[ \t]*(?:\n|$)))?)(?![\w(\[{{$%*]|[.:/]\w)",
        rf"(?P<quote>[\"'])(?:{_KEYS})(?P=quote)\]?[ \t]{{0,4}}(?::|=>?|,)[ \t]{{0,4}}(?P<other>[\"'])"
        rf"(?P<user>{_FULL_NAME}{_MORE_NAMES})(?P=other)",
        rf"(?:{_LINE}(?:LOGNAME|USERNAME): {{1,4}}|\[(?:{_KEYS})\] => |{_LINE}(?:{_KEYS}) {{3,40}}"
        rf"|\benv\.(?:{_KEYS}) ?=[ ]?[\"']"
        rf"|(?:set -gx|set -Ux|setenv|setx) (?:{_KEYS}) [\"']?)(?P<user>{_FULL_NAME})(?=[\"']?[ \t]*(?:\n|$))",
    ),
    # Files: `ls -l`, `tar -tv`, `eza -l`, `tree -u`.
    _family(
        r"[-dlbcpsD.]r[w-][xsS-](?:[r-][w-][xsStT-]){2}[.+@]?[ \t]",
        rf"{_MODE}[ \t]+(?P<number>[0-9]{{1,9}}[ \t]+)?(?P<size>[0-9][0-9.,]{{0,15}} ?[kKMGTP]?i?B?[ \t]+|-[ \t]+)?"
        rf"(?P<user>{_FULL_NAME})(?:(?:/|[ \t]+)(?P<group>{_FULL_NAME}(?: [A-Za-z]\w{{1,20}})?)"
        r"|(?(number)|(?(size)|(?!))))[ \t]*(?:\]|[ \t](?=[0-9]|- ))",
    ),
    # `stat`, `id`, `getent passwd`.
    _family(
        r"Uid: ?\(|uid=[0-9]|:[x*]?:[0-9]+:[0-9]+:",
        rf"\bUid: ?\( *[0-9]{{1,10}}/ *(?P<user>{_FULL_NAME})\)"
        rf"(?:[ \t]+Gid: ?\( *[0-9]{{1,10}}/ *(?P<group>{_FULL_NAME})\))?",
        rf"\be?uid=[0-9]{{1,10}}\((?P<user>{_FULL_NAME})\)",
        rf"[=,][0-9]{{1,10}}\((?P<group>{_FULL_NAME})\)",
        rf"(?<![\w.-])(?P<user>{_NAME}):[x*]?:(?:50[1-9]|[1-9][0-9]{{3,9}}):[0-9]{{1,10}}:"
        r"(?P<name>[^\W\d_][^:\n,<>\[\]]{0,60})?[^:\n]{0,60}:[^:\n]{0,100}:",
    ),
    # `who`, `ps -ef`.
    _family(
        r"[ \t](?:pts/[0-9]+|tty[a-zA-Z0-9]+|:[0-9]|\?\??)[ \t]+(?:[0-9]+[:.-]|[A-Z][a-z]{2} |:[0-9]|\()"
        r"|console +(?:[A-Z][a-z]{2} |[0-9]+:)",
        rf"{_LINE}(?P<user>{_NAME})[ \t]+(?:(?:pts/[0-9]{{1,4}}|tty[sS]?[0-9]{{1,4}}|:[0-9])[ \t]+[A-Z0-9:(-]"
        r"|console {1,12}[A-Z][a-z]{2} {1,2}[0-9])",
        rf"{_LINE}(?P<user>{_NAME})[ \t]+[0-9]{{1,10}}[ \t]+[0-9]{{1,10}}[ \t]+[0-9]{{1,3}}[ \t]+"
        r"(?:[0-9]{1,2}:[0-9]{2}[APM]{0,2}|[A-Z][a-z]{2} ?[0-9]{1,2}|[0-9]{4})[ \t]+"
        r"(?:\?\??|pts/\w+|tty\w+|console)[ \t]",
    ),
    # `ps aux`.
    _family(
        r"[ \t][0-9]+\.[0-9][ \t]+[0-9]+\.[0-9][ \t]+[0-9]+[ \t]+[0-9]+[ \t]+[a-z?]",
        rf"{_LINE}(?P<user>{_NAME})[ \t]+[0-9]{{1,10}}[ \t]+[0-9]{{1,4}}\.[0-9][ \t]+[0-9]{{1,3}}\.[0-9][ \t]+"
        r"[0-9]{1,12}[ \t]+[0-9]{1,12}[ \t]+"
        r"(?:\?\??|pts/[0-9]+|tty\w+|[sp][0-9]{2,3}|con\w*)[ \t]+[A-Z][\w<+]{0,6}[ \t]",
    ),
    # `top`, `lsof`.
    _family(
        r"[ \t][RSDZTI][ \t]+[0-9.]+[ \t]+[0-9.]+[ \t]+[0-9]+:[0-9]"
        r"|[ \t](?:cwd|rtd|txt|mem|[0-9]+[urw])[ \t]+(?:REG|DIR|CHR|IPv|unix|FIFO|sock|a_inode)",
        rf"{_LINE}[0-9]{{1,10}}[ \t]+(?P<user>{_NAME})[ \t]+(?:[0-9-]{{1,3}}|rt)[ \t]+-?[0-9]{{1,2}}[ \t]+"
        r"(?:[0-9.]{1,12}[kmgt]?[ \t]+){3}[RSDZTI][ \t]",
        rf"{_LINE}[\w./+-]{{1,40}}[ \t]+[0-9]{{1,10}}[ \t]+(?P<user>{_NAME})[ \t]+"
        r"(?:cwd|rtd|txt|mem|[0-9]{1,5}[urw])[ \t]",
    ),
    # What a command says who asks.
    _family(
        r"[$%>#\u276f\u279c+][ \t]?(?:whoami|logname|id -un|echo \$)",
        rf"[$%>#\u276f\u279c+][ \t]?(?:whoami|logname|id -un|echo \$\{{?(?:USER|LOGNAME)\}}?)[ \t]*\n{{1,2}}[ \t]*"
        rf"(?P<user>{_FULL_NAME})[ \t]*(?=\n|\Z)",
        answer=100,
    ),
    # `dir /q`, `quser`.
    _family(
        r"(?:<DIR>|[0-9]) +[A-Z0-9][\w-]*\\[a-z]|[0-9] +(?:Active|Disc) +",
        rf"[0-9]{{1,2}}:[0-9]{{2}}(?: [AP]M)? +(?:<DIR>|[0-9][0-9.,]{{0,20}}) +[\w-]{{1,40}}\\(?P<user>{_NAME}) ",
        rf"{_LINE}>?(?P<user>{_NAME}) {{2,40}}(?:(?:console|rdp-[\w#-]{{1,20}}) +)?[0-9]{{1,5}} +(?:Active|Disc) ",
    ),
    # Who becomes whom, and who comes in: `sudo`, `su`, `sshd`.
    _family(
        r" ALL=\(|sudo -[iu]|su - [a-z]|(?:session opened for|Invalid|for) user |(?:password|publickey) for [a-z]",
        rf"{_LINE}(?P<user>{_NAME})[ \t]{{1,8}}ALL=\(",
        rf"\bsudo (?:-[a-zH] )?-i?u (?P<user>{_NAME})(?![\w.@-])",
        rf"(?:^|[$#>\n;&|`])[ \t]{{0,4}}su - (?P<user>{_NAME})(?=[ \t]*(?:\n|$)| -c)",
        rf"(?:session (?:opened|closed) for|Invalid) user (?P<user>{_NAME})(?![\w.@-])",
        rf"(?:Accepted|Failed) (?:password|publickey|keyboard-interactive/pam) for (?:invalid user )?(?P<user>{_NAME})"
        r" from ",
    ),
    # Who writes, in variables of git and in its log.
    _family(
        rf"GIT_(?:AUTHOR|COMMITTER)_NAME|{_ROLES}: +[A-Z]|\{{ ?name ?= ?\"[A-Z]",
        r"GIT_(?:AUTHOR|COMMITTER)_NAME[\"']?(?:=|: )[\"']?(?P<named>[A-Z][\w.'-]{0,30}(?: [A-Z][\w.'-]{0,30}){0,3})",
        rf"{_LINE}{_ROLES}: {{1,4}}(?P<named>[A-Z]\w{{1,30}}(?: [A-Z][\w.'-]{{0,30}}){{1,3}})(?=[ \t]*(?:\n|$))",
        r"(?:(?<=\[)|(?<![^\n])[ \t]{0,12})\{ ?name ?= ?\"(?P<named>[A-Z]\w{0,30}(?: [A-Z][\w.'-]{0,30}){1,3})\" ?[,}]",
    ),
    # Prompts that have no at sign before the host, or no host.
    _family(
        r"\u279c|\u327f| in (?:[^ \n]+ )?[^ \n]+ in (?:[^ \n]+ )?[~/]|\U0001f310"
        r"|[a-z0-9]\$ |:~[/$#%]| ~[^\s]*\][$#%]",
        rf"{_LINE}(?P<user>{_NAME}):~[\w./-]{{0,80}}[$#%][ ]",
        rf"\[(?P<user>{_NAME}) ~[\w./-]{{0,80}}\][$#%]",
        rf"{_LINE}[\w.-]{{1,60}}:[\w.~/-]{{1,80}} (?P<user>{_NAME})\$[ ]",
        rf"{_LINE}(?P<prompt>(?P<user>{_NAME}) in \U0001f310 ?[\w.-]{{1,60}}) in ",
        rf"(?P<prompt>(?P<user>{_NAME})\u327f[\w.-]{{1,60}})",
        rf"(?<![\w.-])(?P<user>{_NAME}) \u279c {{1,2}}[~/]",
        rf"{_LINE}(?P<prompt>(?P<user>{_NAME}) in (?:[^\w\s]{{1,2}} ?)?[\w.-]{{1,60}}) in (?:[^\w\s]{{1,2}} ?)?[~/]",
    ),
)
FIRST_LOOK = "|".join(family.sign for family in _FAMILIES)
"""Fits every text in which a rule finds something."""


def find_users(text: str) -> Iterator[Person]:
    """The users whom a system names in a text, and groups that are called as one of them."""
    if not automaton(FIRST_LOOK)(text):
        return
    users = set[str]()
    groups: list[tuple[int, int]] = []
    for family in _FAMILIES:
        for match in _matches(family, text):
            parts = match.groupdict()
            if parts.get("group"):
                groups.append(match.span("group"))
            if parts.get("named") and not any(map(is_nobody, match["named"].split())):
                yield Person(*match.span("named"), NAME)
            user = parts.get("user")
            if user is None or is_nobody(user.rpartition("\\")[2]):
                continue
            users.add(user)
            if "prompt" in parts:
                yield Person(*match.span("prompt"), USER_AT_HOST)
                continue
            yield Person(*match.span("user"), USER)
            if parts.get("name"):
                yield Person(*match.span("name"), NAME)
    yield from (Person(start, end, USER) for start, end in groups if text[start:end] in users)


def _matches(family: _Family, text: str) -> Iterator[re.Match[str]]:
    for start, end in fitting_lines(family.sign, text):
        for rule in family.rules:
            yield from rule.finditer(text, start, end + family.answer)
