"""Problems as values: how they are ordered, and those of files that are the same run as another one."""

from sitegen.model import Entry, Problem, Verdict
from sitegen.text import names


def in_order(problem: Problem) -> tuple[object, int, str, str]:
    """Return the sort key of a problem: by path as runs are, so that 2.csv comes before 10.csv; then as one reads the
    file."""
    return names.natural_order(problem.path), problem.line, problem.code, problem.reason


def report_same(entry: Entry, shown: Entry) -> Problem:
    """Return what is reported of a run that is the same as the one that is shown."""
    reason = f"The same run as {shown.source.path}, which is shown; its cost is counted once."
    return report_merged(entry.source.path, reason, shown.id)


def report_merged(path: str, reason: str, page_id: str) -> Problem:
    """Return what is reported of a file whose run is a part, or a copy, of that of a page."""
    return Problem(path, "W_DUPLICATE", Verdict.MERGE, reason, page_id=page_id)
