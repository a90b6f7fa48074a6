"""The findings: what a reader of a site has to know besides its figures, each of them one value.

`list_findings` makes the list. Pages, terminal, summaries, data files and exit codes are written from it, so that
none of them knows more than another.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from enum import StrEnum

from sitegen import figures
from sitegen.model import by_key, frozen
from sitegen.text.names import run_path
from sitegen.text.tsv import rows

MAX_ALONE = 4  # findings of one cause that have a line each
# The parts that differ between sentences of one cause: paths and numbers.
_VARYING = re.compile(r"\S*/\S+|[0-9][0-9,.]*")


class Severity(StrEnum):
    """The weight of a finding."""

    ERROR = "error"  # something is not in the site, or fails the build
    WARNING = "warning"  # a figure is in doubt, or something came to nothing
    NOTE = "note"


@frozen
class Group:
    """A group of findings; its parts are the columns of findings.tsv."""

    id: str
    severity: str
    code: str
    strict: str
    word: str
    singular: str
    plural: str
    index_singular: str
    index_plural: str
    what: str
    read: str
    page: str
    heading: str
    done: str
    note: str

    @property
    def is_problem(self) -> bool:
        """Whether its findings are problems with files, which have codes of their own."""
        return self.singular == "problem"

    @property
    def address(self) -> str:
        """The place of its findings in the site."""
        return self.page or f"problems.html#{self.id}"


GROUPS = {group.id: group for group in (Group(*row) for row in rows(__file__, "findings.tsv"))}
"""The groups by id, in their order."""


Evidence = tuple[tuple[str, str | float | None], ...]
"""Names and figures by their keys in data files."""


def parts_of(value: object, *names: str) -> Evidence:
    """Return these attributes of a value, with their names."""
    return tuple((name, getattr(value, name)) for name in names)


@frozen
class Finding:
    """One thing that a reader has to know of a site."""

    group_id: str
    text: str
    path: str = ""
    """The file or other thing that it is about; empty for the whole site."""
    page_id: str | None = None
    """The id of the run that it is about, if that has a page."""
    place: str | None = None
    done: str = ""
    """A sentence on what was done about it, where this differs within its group."""
    count: int = 1
    """The number of runs or values that it stands for."""
    own_code: str = ""
    """Its code; empty for that of its group."""
    own_severity: Severity | None = None
    """Its severity; None for that of its group."""
    evidence: Evidence = ()
    """The figures and names that it rests on, by their keys in data files."""

    @property
    def group(self) -> Group:
        """The group that it is in."""
        return GROUPS[self.group_id]

    @property
    def code(self) -> str:
        """The code by which programs know what it is about; see docs/codes.md."""
        return self.own_code or self.group.code

    @property
    def severity(self) -> Severity:
        """The weight of a finding."""
        return self.own_severity or Severity(self.group.severity)

    def to_row(self) -> dict[str, object]:
        """Return what programs get of it."""
        return {
            **dict(parts_of(self, "code", "severity", "text", "place", "count")),
            "group": self.group_id,
            "about": self.path or None,
            "page": self.page_id and run_path(self.page_id),
            "evidence": dict(self.evidence),
        }


def in_groups(findings: Iterable[Finding]) -> Iterator[tuple[Group, list[Finding]]]:
    """Yield the groups that have findings, in their order, with these."""
    by_group = by_key(findings, lambda finding: finding.group_id)
    for group in GROUPS.values():
        if group.id in by_group:
            yield group, by_group[group.id]


def split_causes(
    findings: Iterable[Finding], key: Callable[[Finding], Hashable]
) -> list[list[Finding]]:
    """Return the findings by what is wrong: more than MAX_ALONE of one cause together, fewer where they have one key.

    Sentences that differ in paths and numbers alone have one cause.
    """
    rows: list[list[Finding]] = []
    for same_cause in by_key(findings, _cause_of).values():
        few = len(same_cause) <= MAX_ALONE
        rows += by_key(same_cause, key).values() if few else [same_cause]
    return rows


def _cause_of(finding: Finding) -> tuple[str, str, str]:
    return finding.group_id, finding.code, _VARYING.sub("#", finding.text)


def name_of(same_cause: Sequence[Finding]) -> str:
    """Return the file of a finding; of several, how many runs and files there are, and one of them."""
    first = same_cause[0].path
    count = len(same_cause)
    files = len({finding.path for finding in same_cause})
    if count == 1:
        return first
    if files == 1:
        return f"{figures.count(count)} runs of {first}"
    runs = f"{figures.count(count)} runs of " if count > files else ""
    return f"{runs}{figures.count(files)} files, such as {first}"


def describe(same_cause: Sequence[Finding]) -> str:
    """Return what findings of one cause say, after the file that they are about."""
    first = same_cause[0]
    if not first.path:
        return first.text
    where = f", {first.place}" if first.place and len(same_cause) == 1 else ""
    return f"{name_of(same_cause)}{where}: {first.text} [{first.code}]"


def word_of(finding: Finding) -> str:
    """Return the word before its line on a terminal, wide enough for a column if it is about a file."""
    verdict = dict(finding.evidence).get("verdict")
    word = verdict if verdict in ("skip", "merge") else finding.group.word
    if finding.path:
        return f"{word:<8} "
    return "" if word == "=" else f"{word}: "


def counts_of(findings: Iterable[Finding], *, strict: bool = False) -> list[str]:
    """Return how many findings there are by what they are called, as in `2 lost runs`; under `strict` those that fail
    a build with --strict."""
    counts: Counter[tuple[str, str]] = Counter()
    for finding in findings:
        group = finding.group
        if group.singular and (not strict or group.strict == "yes"):
            counts[group.singular, group.plural] += finding.count
    return [figures.plural(count, *names) for names, count in counts.items()]


def warnings_of(findings: Iterable[Finding]) -> tuple[str, ...]:
    """Return the sentences about settings, inputs and the build itself."""
    return tuple(finding.text for finding in findings if finding.group.singular == "warning")
