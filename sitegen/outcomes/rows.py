"""The values that the steps of outcomes hand on: cells as a file has them, rows, and all rows."""

from collections.abc import Mapping, Set
from dataclasses import field, replace

from sitegen.config import Outcomes
from sitegen.masking.redact import Redactor
from sitegen.model import Entry, Outcome, Problem, Score, Source, Verdict, frozen
from sitegen.outcomes.reasons import Reason

NAMES = ("id", "path", "uuid", "session")
"""Columns that name one run."""
COMMITS = (
    "commit human_commit_full human_commit commit_full full_commit commit_hash commit_sha "
    "commit_short"
).split()
"""The names of the commit of a task in files; the first counts."""
KEYS = (*NAMES, "task", "commit")
"""Columns that say which run a row is about."""
COLUMNS = (
    *KEYS,
    "campaign",
    "model",
    "attempt",
    "outcome",
    "claimed",
    "note",
    "labels",
    "started_at",
)
"""Columns that are not scores."""


@frozen
class RowSource:
    """The origin of rows."""

    file: str
    source: Source
    clean: Redactor
    meanings: Mapping[str, Score] = field(default_factory=dict)
    """Unit and direction of scores, by name."""
    settings: Outcomes = Outcomes.model_validate({"path": "."})
    runs: tuple[str, ...] = ()
    """The page ids of the runs that a sidecar lies beside."""
    is_found: bool = False
    """Whether nobody named it: it lies among the inputs, and is known by its content."""
    columns: Set[str] = frozenset()
    """Names of columns that the settings use besides."""
    defaults: Mapping[str, str | int] = field(default_factory=dict)
    """The values from its path and the settings for rows that do not have them."""

    def problem(self, reason: Reason, line: int | None = None, effect: str = "") -> Problem:
        """Return a problem with one line of the file; `effect` is what becomes of the line."""
        place = None if line is None else f"line {line}"
        text = self.clean(reason.sentence + effect)
        return Problem(self.file, reason.code, Verdict.SKIP, text, place)


@frozen
class Cells:
    """A row as its file has it."""

    line: int | None
    values: Mapping[str, object]
    fault: Reason | None = None
    """The reason why it cannot be read as a row; it then has no values."""
    is_measurement: bool = False
    """Whether its file holds nothing else."""


@frozen
class Row:
    """The statements of one place in a file about a run, and which run it is."""

    file: str
    line: int | None
    id: str | None = None
    path: str | None = None
    location: str | None = None
    """The meaning of `path`, seen from the folder of the file; appears nowhere."""
    uuid: str | None = None
    session: str | None = None
    campaign: str | None = None
    task: str | None = None
    commit: str | None = None
    """The commit of a measurement: 7 to 40 digits of the commit that its task is about."""
    reference: str | None = None
    """The reference that it measures in place of a run, which runs of the task are compared with."""
    model: str | None = None
    attempt: int | None = None
    outcome: Outcome | None = None
    claimed: bool | None = None
    note: str | None = None
    scores: tuple[Score, ...] = ()
    labels: tuple[str, ...] = ()
    columns: tuple[tuple[str, str], ...] = ()
    """Further columns and their cells: factors, verdicts and observations."""
    untested: tuple[str, ...] = ()  # columns that its file has and that are empty for it
    started_at: str | None = None
    runs: tuple[str, ...] = ()
    model_hints: tuple[str, ...] = ()
    """Names, one of which may be that of its model: those in the path of a report, or in a measurement."""
    served: str = ""
    """The model that the file of a measurement names: mostly the one that was served."""
    is_report: bool = False
    """Whether it stands in a report about a whole benchmark, of which only some tasks need have been run."""
    is_measurement: bool = False
    """Whether its file holds nothing else."""
    is_found: bool = False
    below: tuple[str, ...] = ()
    """The folders whose runs a report that nobody named is about; the first with such a run counts."""
    input: int = 0
    """The number of the item of the settings that names a report or a measurement, from 0."""

    @property
    def names_run(self) -> bool:
        """Whether it says which run it is about: then campaign, task, model and attempt are statements and no keys."""
        return bool(self.runs or self.id or self.path or self.uuid or self.session)

    @property
    def subject(self) -> str | None:
        """The task or the commit that it is about."""
        return self.commit or self.task

    @property
    def place(self) -> str:
        """The place of the row, as the subject of a sentence."""
        return self.file if self.line is None else f"{self.file}, line {self.line},"

    def problem(self, reason: Reason, entry: Entry | None = None) -> Problem:
        """Return a problem with it: what it says of a run that is shown, or, without one, why it counts for nothing."""
        verdict = Verdict.ACCEPT if entry else Verdict.SKIP
        place = None if self.line is None else f"line {self.line}"
        page_id = entry.id if entry else None
        return Problem(self.file, reason.code, verdict, reason.sentence, place, page_id)

    def for_all_runs(self) -> "Row":
        """Return the same as it is about all runs of its task."""
        return replace(self, model=None, model_hints=(), attempt=None, columns=())

    @property
    def is_summed_up(self) -> bool:
        """Whether one line tells of all like it that match no run: of a report, a measurement or a reference there may
        be hundreds, for tasks that nobody ran. Rows of a table are reported one by one."""
        is_measured = self.is_measurement and self.commit is not None and not self.names_run
        return self.is_report or is_measured or self.reference is not None

    @property
    def is_labels_only(self) -> bool:
        """Whether it may be said of several runs at once."""
        if self.outcome or self.scores or self.started_at:
            return False
        identifies = bool(self.campaign or self.task or self.model or self.attempt is not None)
        return bool(self.labels) and not (self.names_run and identifies)


@frozen
class OutcomeTable:
    """Everything that was stated about runs."""

    rows: tuple[Row, ...]
    """The rows by rank: those of sidecars first, then the files in the order of the settings, each in its own order."""
    problems: tuple[Problem, ...]

    @property
    def columns(self) -> set[str | None]:
        """The references, and the columns that are no scores and that any row fills in, whether it matches a run or
        not."""
        references = {row.reference for row in self.rows}
        return references.union(name for row in self.rows for name, _ in row.columns)
