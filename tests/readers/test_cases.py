"""Files of agents, and the runs and steps that have to be read in each: `cases/AGENT/CASE.ENDING` and, beside it,
`CASE.expected.json`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from sitegen import readers
from sitegen.errors import ReadError
from sitegen.readers.kinds import NotARun
from sitegen.readers.run_file import RunFile
from tests.conftest import ROOT
from tests.support import cases

CASES = cases.inputs(ROOT / "tests" / "readers" / "cases")


def reading(name: str, content: bytes) -> dict[str, Any]:
    """Return all that a reader says of a file: its runs with their steps, or why there are none."""
    try:
        found = readers.parse_file(RunFile.of(name, content), named=False)
    except ReadError as error:
        return {"error": error.code, "reason": error.reason}
    if isinstance(found, NotARun):
        return {"kind": found.kind}
    return {
        "runs": found,
        "steps": [steps_of(name, content, run.locator) for run in found],
        "keys": len(readers.keys_of(RunFile.of(name, content))),
    }


def steps_of(name: str, content: bytes, locator: str | None) -> Any:
    """Return the steps of a run, or the code of the error that ends them."""
    try:
        return list(readers.steps_of(RunFile.of(name, content), locator))
    except ReadError as error:
        return error.code


@pytest.mark.parametrize("case", CASES, ids=cases.name_of)
def test_a_file_gives_its_runs_and_steps(case: Path, refresh: bool) -> None:
    cases.compare(case, reading(case.name, case.read_bytes()), refresh=refresh)


@pytest.mark.parametrize("case", CASES, ids=cases.name_of)
def test_a_locator_leads_to_its_run(case: Path) -> None:
    content = case.read_bytes()
    with suppress(ReadError):
        for run in readers.read_source(RunFile.of(case.name, content), named=False) or ():
            if run.locator is not None:
                file = RunFile.of(case.name, content)
                again = readers.read_source(file, named=False, locator=run.locator)
                assert again and again[0].texts == run.texts
