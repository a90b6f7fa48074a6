"""The steps of a run as a reader gives them, for tests of readers."""

from collections.abc import Iterator, Set

from sitegen import readers
from sitegen.readers.run_file import RunFile
from sitegen.steps import Step


def raw_steps(
    file: RunFile, locator: str | None = None, known: Set[str | int] = frozenset()
) -> Iterator[Step]:
    """Yield the steps that `readers.steps_of` gives, opened."""
    return (step.as_written for step in readers.steps_of(file, locator, known))
