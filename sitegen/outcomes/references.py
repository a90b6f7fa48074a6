"""The references that runs are compared with, as measured."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sitegen.model import Entry, frozen
from sitegen.outcomes.reasons import Reason
from sitegen.outcomes.rows import Row
from sitegen.outcomes.run_names import RunNames
from sitegen.outcomes.run_tasks import RunTasks


@frozen
class Doubt:
    """A measurement that says other than one that ranks before it: what both say, and the run that it is of, if any."""

    row: Row
    text: str
    entry: Entry | None = None


class References:
    """The references of runs, by position of the run."""

    def __init__(self) -> None:
        self.doubts: list[Doubt] = []
        self.of_other_models: list[Doubt] = []
        """Runs that are compared with measurements of another model that was served."""
        self._measured: dict[int, dict[str, tuple[float, Row]]] = {}

    def add_rows(
        self, rows: Sequence[Row], names: RunNames, tasks: RunTasks
    ) -> Iterator[tuple[Row, Reason]]:
        """Keep what rows measure of references; yield those whose task no run has, and why."""
        for row in rows:
            if row.reference:
                index = names if row.names_run else tasks
                of_task = row if row.names_run else row.for_all_runs()
                positions = index.find(of_task)
                self._add_scores(row, positions)
                if not positions:
                    yield row, index.explain(row)

    def _add_scores(self, row: Row, positions: Sequence[int]) -> None:
        """Keep the scores of a row for the runs of its task, unless an earlier row has them."""
        for score in row.scores:
            name = f"{row.reference} {score.name}"
            value = score.value
            for position in positions:
                measured = self._measured.setdefault(position, {})
                value, _ = measured.setdefault(name, (score.value, row))
            if value != score.value:
                self.doubts.append(Doubt(row, f"{name} {value} and {score.value}"))

    def add_to_run(self, position: int, entry: Entry, rows: Sequence[Row]) -> Entry:
        """Return the run with what it is compared with, as factors; `rows` are about it."""
        measured = self._measured.get(position)
        if not measured:
            return entry
        self._check_models(entry, rows, measured)
        factors = [(name, repr(value)) for name, (value, _) in measured.items()]
        return replace(entry, factors=(*entry.factors, *factors))

    def _check_models(
        self, entry: Entry, rows: Sequence[Row], measured: dict[str, tuple[float, Row]]
    ) -> None:
        """Keep the run if it and its reference were measured with different models."""
        scored: dict[str, Row] = {}
        for row in rows:
            for score in row.scores:
                scored.setdefault(f" {score.name}", row)
        for name, (_, reference) in measured.items():
            run_row = scored.get(name.removeprefix(reference.reference or ""))
            if run_row and run_row.served and reference.served not in ("", run_row.served):
                text = f"{run_row.served}, and {reference.reference} of {reference.served}"
                self.of_other_models.append(Doubt(run_row, text, entry))
                return
