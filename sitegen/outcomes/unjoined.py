"""The verdicts of benchmark reports that fit no run, or several, told in as few lines as say it.

A report speaks of a whole benchmark, so hundreds of its verdicts may miss for one reason: they are one line. And the
reports of single tasks may be hundreds of files: where many in one folder miss for one reason, they are one line as
well, of the folder that holds them.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from sitegen.figures import count
from sitegen.model import Entry, Problem, Verdict
from sitegen.outcomes.rows import Row

MAX_NAMED = 3
"""Tasks that a line names; the rest are counted."""
MAX_FILES = 5
"""Reports that have a line of their own, of one item of the settings, one folder of it and one reason."""


class Why(Enum):
    """Why a verdict counts for nothing."""

    NO_TASK = "no run has its task"
    NO_ATTEMPT = "the runs of its task have another campaign, agent, model or attempt"
    SEVERAL = "several runs have its task"


@dataclass(frozen=True, slots=True)
class Unjoined:
    """A verdict of a report that counts for nothing."""

    row: Row
    why: Why
    fits: str = ""
    """Of SEVERAL: what it fits, as "3 attempts"."""


def problems(unjoined: Sequence[Unjoined], verdicts: Mapping[tuple[str, int], int]) -> Iterator[Problem]:
    """The problems of reports; `verdicts` counts all verdicts of each file and item of the settings."""
    groups: dict[tuple[int, str, Why], dict[str, list[Unjoined]]] = {}
    for each in unjoined:
        file = each.row.file
        top, _, below = file.partition("/")
        groups.setdefault((each.row.given, top if below else "", each.why), {}).setdefault(file, []).append(each)
    for (given, _, why), files in groups.items():
        if len(files) > MAX_FILES:
            folder = posixpath.commonpath([posixpath.dirname(file) for file in files])
            found = [each for rows in files.values() for each in rows]
            kind = "files" if found[0].row.commit else "reports"
            of = sum(verdicts[file, given] for file in files)
            reason = _reason(why, found, of, f"In {count(len(files))} {kind}, ")
            yield _problem(f"{folder or '.'}/", why, None, reason)
        else:
            for file, rows in files.items():
                yield _problem(file, why, rows[0].row.line, _reason(why, rows, verdicts[file, given]))


def _problem(path: str, why: Why, line: int | None, reason: str) -> Problem:
    code = "W_OUTCOME_AMBIGUOUS" if why is Why.SEVERAL else "W_OUTCOME_UNMATCHED"
    return Problem(path, code, Verdict.SKIP, reason, None if line is None else f"line {line}")


def _reason(why: Why, found: Sequence[Unjoined], of: int, where: str = "") -> str:
    """The sentence for `found` verdicts, of one report or of those that `where` counts, which hold `of`."""
    number, whose = len(found), "the" if where else "its"
    one = number == 1
    noun = "measurement" if found[0].row.commit else "verdict"
    some = f"its only {noun}" if of == 1 else f"{count(number)} of {whose} {count(of)} {noun}s"
    if why is Why.SEVERAL:
        reason = f"{some} {'fits several runs and counts' if one else 'fit several runs each and count'} for none"
    elif number == of > 1:
        reason = f"none of {whose} {count(of)} {noun}s fits a run"
    else:
        reason = f"{some} {'fits' if one else 'fit'} no run"
    told = _tasks(found)
    if why is Why.NO_TASK:
        told = f"no run has {told}"
    elif why is Why.NO_ATTEMPT:
        agent = "agent, " if found[0].row.commit else ""
        told = f"the runs of {told} have another campaign, {agent}model or attempt"
    reason = f"{reason}: {told}."
    return where + reason if where else reason[:1].upper() + reason[1:]


def _tasks(found: Sequence[Unjoined]) -> str:
    """The tasks of verdicts, the first by name, each with what it fits."""
    tasks = {str(each.row.task or each.row.commit): f" ({each.fits})" if each.fits else "" for each in found}
    word = "task" if found[0].row.task else "commit"
    named = [f"{task}{fits}" for task, fits in tasks.items()][:MAX_NAMED]
    if more := len(tasks) - len(named):
        named.append(f"{count(more)} more")
    listed = f"{', '.join(named[:-1])} and {named[-1]}" if named[1:] else named[0]
    return f"the {word} {listed}" if len(tasks) == 1 else f"the {word}s {listed}"


def advice(unjoined: Sequence[Unjoined], entries: Sequence[Entry]) -> list[str]:
    """What a person can do about all of them: a sentence or two for each reason."""
    first = {each.why: each.row.task or each.row.commit for each in reversed(unjoined) if not each.row.reference}
    found: list[str] = []
    if Why.NO_TASK in first:
        task = next((entry.task for entry in entries if entry.task), None)
        found.append(
            f"Reports name tasks that no run has, such as {first[Why.NO_TASK]}; runs have tasks such as {task}. "
            "Where two names mean one task, give both one name under tasks in the settings."
            if task
            else "Reports are joined to runs by their task, and no run has one. A pattern in the settings says which "
            "part of a path is the task; so does a sidecar."
        )
    beside = (
        "In the settings, campaign, agent, model and attempt beside the path of a report say which runs it is about."
    )
    if Why.NO_ATTEMPT in first:
        found.append(
            f"Reports name a campaign, agent, model or attempt that no run of {first[Why.NO_ATTEMPT]} has. {beside}"
        )
    if Why.SEVERAL in first:
        found.append(f"Reports do not say which of several runs of {first[Why.SEVERAL]} they are about. {beside}")
    return found
