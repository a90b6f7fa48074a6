"""Matches rows to runs: which run each row is for, or the reason why it is for none."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from sitegen.figures import count
from sitegen.inputs.survey import Naming
from sitegen.model import Entry
from sitegen.outcomes.reasons import MAX_LABELS, Reason, Why, because
from sitegen.outcomes.rows import Row
from sitegen.outcomes.run_names import RunNames
from sitegen.outcomes.run_tasks import RunTasks

MAX_PATHS = 3  # runs that a reason names; the rest are counted


class RunIndex(Protocol):
    """Finds runs by what rows say of them."""

    entries: Sequence[Entry]

    def find(self, row: Row) -> Sequence[int]:
        """Return the positions of the runs that a row fits."""

    def explain(self, row: Row) -> Reason:
        """Return why no run fits a row."""


class Matches:
    """The rows of each run, and the rows that are for none."""

    def __init__(self) -> None:
        self.lost: list[tuple[Row, Reason]] = []
        """The rows that count for nothing, each with the reason."""
        self.used_reports: set[str] = set()
        """Reports that nobody named, and that know the task of a run."""
        self._ranked: dict[int, list[tuple[int, Row]]] = {}
        # Labels of rows that fit several runs, by the list of these runs, of which there is one: such rows may be many.
        self._labels: dict[int, set[str]] = {}

    def rows_of(self, position: int) -> list[Row]:
        """Return the rows of a run, the one that counts most first."""
        ranked = self._ranked.get(position, [])
        return [row for _, row in sorted(ranked, key=lambda pair: pair[0])]

    def lost_tasks(self, naming: Naming) -> Iterator[tuple[str, int | None]]:
        """Yield the task and the attempt, as far as stated, of each row of a table that matches no run."""
        for row, reason in self.lost:
            if row.task and not row.is_summed_up and reason.code == "W_OUTCOME_UNMATCHED":
                yield naming.task(row.task).casefold(), row.attempt

    def add(self, rank: int, row: Row, index: RunIndex) -> None:
        """Give a row to the run that it fits, or to all that its labels are of."""
        positions = index.find(row)
        is_of_several = row.is_labels_only and not row.is_summed_up
        if not positions:
            self.lost.append((row, index.explain(row)))
        elif len(positions) > 1 and not is_of_several:
            self.lost.append((row, several_runs(positions, index.entries)))
        elif len(positions) == 1 or row.runs or self._has_new_labels(row, positions):
            for position in positions:
                self._ranked.setdefault(position, []).append((rank, row))

    def _has_new_labels(self, row: Row, positions: Sequence[int]) -> bool:
        """Return whether a row has labels that these runs do not have yet, and may have."""
        labels = self._labels.setdefault(id(positions), set())
        if labels.issuperset(row.labels):
            return False
        if len(labels) >= MAX_LABELS:
            self.lost.append((row, because(Why.TOO_MANY_LABELS)))
            return False
        labels.update(row.labels)
        return True


def several_runs(positions: Sequence[int], entries: Sequence[Entry]) -> Reason:
    """Return the reason of a row that fits several runs."""
    first = ", ".join(entries[position].source.path for position in positions[:MAX_PATHS])
    others = len(positions) - MAX_PATHS
    more = f" and {count(others)} more" if others > 0 else ""
    return because(Why.SEVERAL_RUNS, count=count(len(positions)), first=first, more=more)


def match_by_name(matches: Matches, rows: Sequence[Row], names: RunNames) -> None:
    """Match the rows that name their run."""
    for rank, row in enumerate(rows):
        if row.names_run and not row.reference:
            matches.add(rank, row, names)


def match_by_task(matches: Matches, rows: Sequence[Row], tasks: RunTasks) -> None:
    """Match the rows that name a task; reports that nobody named only where a run has it."""
    for rank, row in enumerate(rows):
        if row.names_run or row.reference:
            continue
        if row.is_found:
            if not tasks.has_task(row):
                continue
            matches.used_reports.add(row.file)
        matches.add(rank, row, tasks)
