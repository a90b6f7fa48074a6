"""Reports what rows could not do: those that are for no run, and those that contradict others, as problems."""

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from sitegen.figures import count, plural, sentence_list
from sitegen.model import Problem, Verdict, by_key
from sitegen.outcomes.apply import Conflict
from sitegen.outcomes.match import Matches
from sitegen.outcomes.reasons import Reason, Why, because
from sitegen.outcomes.references import Doubt, References
from sitegen.outcomes.rows import OutcomeTable, Row

MAX_TASKS = 3  # tasks that a line names; the rest are counted
MAX_LISTED = 100  # problems of one kind in one file; the rest are counted

LostRow = tuple[Row, Reason]


def report(
    table: OutcomeTable, matches: Matches, references: References, conflicts: Sequence[Conflict]
) -> Iterator[Problem]:
    """Yield the problems of all rows, no more of a kind than a page shows."""
    problems = list(table.problems)
    summed_up: list[LostRow] = []
    for row, reason in matches.lost:
        if row.is_summed_up:
            summed_up.append((row, reason))
        else:
            problems.append(row.problem(reason))
    problems += sum_up(summed_up, table.rows)
    for conflict in conflicts:
        problems.append(conflict.row.problem(conflict.reason, conflict.entry))
    problems += report_doubts(references.doubts)
    problems += report_other_models(references.of_other_models)
    yield from limit_problems(problems)


def sum_up(lost: Sequence[LostRow], rows: Sequence[Row]) -> Iterator[Problem]:
    """Yield one line for the verdicts of a report, or of all reports in a folder, that count for nothing, with the
    reason of the first: a report is about a whole benchmark, so hundreds may miss."""
    counts = Counter((row.file, row.input) for row in rows)
    for group in by_key(lost, report_key).values():
        row, reason = group[0]
        problem = row.problem(reason)
        files = list(dict.fromkeys(row.file for row, _ in group))
        if len(group) == 1:
            yield problem
            continue
        where = ""
        if len(files) > 1:
            where = f"In {count(len(files))} files, "
            folder = posixpath.commonpath([posixpath.dirname(file) for file in files])
            problem = replace(problem, path=f"{folder or '.'}/", place=None)
        total = sum(counts[file, row.input] for file in files)
        summary = because(
            Why.MANY_OF_REPORT,
            where=where,
            count=count(len(group)),
            all=plural(total, "measurement" if row.commit else "verdict"),
            tasks=name_tasks(group),
            first=reason.sentence,
        )
        yield replace(problem, reason=summary.sentence)


def report_key(lost: LostRow) -> tuple[int, str, str]:
    """Return what rows that one line tells of have in common: the item of the settings, the folder and the code."""
    row, reason = lost
    folder = posixpath.dirname(row.file).partition("/")[0]
    return row.input, folder, reason.code


def name_tasks(group: Sequence[LostRow]) -> str:
    """Return the first tasks of some rows, and how many more there are."""
    tasks = list(dict.fromkeys(str(row.task or row.commit) for row, _ in group))
    named = tasks[:MAX_TASKS]
    if len(tasks) > MAX_TASKS:
        named.append(f"{count(len(tasks) - MAX_TASKS)} more")
    return sentence_list(named)


def report_doubts(doubts: Sequence[Doubt]) -> Iterator[Problem]:
    """Yield one line for the measurements of each item of the settings that say other than those of an earlier one."""
    for group in by_key(doubts, lambda doubt: (doubt.row.input, doubt.row.reference)).values():
        first = group[0]
        tasks = {doubt.row.subject for doubt in group}
        is_one = len(group) == 1
        reason = because(
            Why.MEASURED_OTHERWISE,
            where="" if is_one else "With the files beside it, ",
            figures=plural(len(group), "figure"),
            tasks=plural(len(tasks), "task"),
            differ="differs" if is_one else "differ",
            first=f"{first.text} of {first.row.subject}",
        )
        yield replace(first.row.problem(reason, first.entry), verdict=Verdict.ACCEPT)


def report_other_models(doubts: Sequence[Doubt]) -> Iterator[Problem]:
    """Yield one line for the runs that are compared with measurements of another model that was served."""
    if doubts:
        first = doubts[0]
        runs = plural(len(doubts), "run is", "runs are")
        reason = because(Why.OTHER_MODEL_MEASURED, runs=runs, served=first.text)
        yield first.row.problem(reason, first.entry)


def limit_problems(problems: Iterable[Problem]) -> Iterator[Problem]:
    """Yield the problems, but of each kind no more than the first MAX_LISTED lines of a file; the rest are counted."""
    for group in by_key(problems, lambda problem: (problem.path, problem.code)).values():
        group.sort(key=lambda problem: problem.line)
        yield from group[:MAX_LISTED]
        if rest := group[MAX_LISTED:]:
            reason = f"And {plural(len(rest), 'more problem')} of this kind."
            yield replace(rest[0], reason=reason, page_id=None)
