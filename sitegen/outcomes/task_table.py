"""The table of tasks: what it says of the tasks of runs, as factors."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sitegen.errors import ConfigError, ReadError
from sitegen.figures import plural
from sitegen.inputs import discover
from sitegen.inputs.survey import Naming
from sitegen.masking.redact import Redactor
from sitegen.model import Entry, Problem, Source
from sitegen.outcomes.cells import MAX_TEXT
from sitegen.outcomes.parse_files import parse_csv
from sitegen.outcomes.reasons import Why, because
from sitegen.outcomes.rows import Cells, RowSource


class TaskTable:
    """A table with one row per task. Raises: ConfigError."""

    def __init__(self, source: Source, naming: Naming, clean: Redactor) -> None:
        self.problems: list[Problem] = []
        self._origin = RowSource(clean(source.path), source, clean)
        self._naming = naming
        self._tasks: dict[str, None] = {}
        self._values: dict[str, dict[str, str]] = {}
        table = self._parse()
        if not any("task" in cells.values for cells in table):
            raise ConfigError(
                f"task_table: {self._origin.file}: it has no row with a column `task`; write a line per task."
            )
        for cells in table:
            self._add(cells)

    @property
    def tasks(self) -> tuple[str, ...]:
        """The names of its tasks."""
        return tuple(self._tasks)

    def _parse(self) -> list[Cells]:
        data = discover.read_bytes(self._origin.source)
        try:
            return parse_csv(data, self._origin) if data.strip() else []
        except ReadError as error:
            reason = self._origin.clean(error.sentence)
            raise ConfigError(f"task_table: {self._origin.file}: {reason}") from None

    def _add(self, cells: Cells) -> None:
        """Add a row, unless it is of no task or of the task of an earlier one."""
        values = dict(self._read(cells))
        task = self._naming.task(values.pop("task", ""))
        reason = cells.fault
        if not reason and not task:
            reason = because(Why.NO_TASK_NAMED)
        elif not reason and task.casefold() in self._values:
            reason = because(Why.TASK_TWICE, task=task)
        if reason:
            self.problems.append(self._origin.problem(reason, cells.line))
            return
        self._tasks[task] = None
        named = {name: self._naming.value(name, text) for name, text in values.items() if text}
        self._values[task.casefold()] = named

    def _read(self, cells: Cells) -> Iterator[tuple[str, str]]:
        """Yield columns and their cells, masked."""
        clean = self._origin.clean
        for name, value in cells.values.items():
            text = " ".join(clean.named(name, str(value)).split())
            yield clean(name), text[:MAX_TEXT]

    def add_to_runs(self, entries: Sequence[Entry]) -> list[Entry]:
        """Return the runs with what the table says of their tasks, unless their paths say otherwise."""
        missing: set[str] = set()
        described = []
        for entry in entries:
            values = self._values.get((entry.task or "").casefold())
            if values:
                factors = values | dict(entry.factors)
                entry = replace(entry, factors=tuple(factors.items()))
            elif entry.task and values is None:
                missing.add(entry.task)
            described.append(entry)
        if missing:
            tasks = plural(len(missing), "task")
            reason = because(Why.TASKS_WITHOUT_ROW, tasks=tasks, first=min(missing))
            self.problems.append(self._origin.problem(reason))
        return described
