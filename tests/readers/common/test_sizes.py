"""Nothing that a run says can flood the site: each text at its limit, and on both sides of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sitegen.model import Run, Score, Status
from sitegen.readers.common import sizes
from sitegen.readers.run_file import RunFile
from tests.support.campaigns import SONNET, result, usage
from tests.support.reading import read_source


def run(**changes: Any) -> Run:
    """The run that is read of a result with these changes."""
    data = json.dumps(result(**changes)).encode()
    (found,) = read_source(RunFile.of("a.json", data), named=True) or ()
    return found


def is_cut(found: Run) -> bool:
    begins = ("A name or an id has", "The messages of errors", "The summary has")
    return any(caveat.text.startswith(begins) for caveat in found.caveats)


@pytest.mark.parametrize("field", ["session_id", "uuid", "model"])
def test_names_are_shortened_and_stay_two(field: str) -> None:
    def named(name: str) -> tuple[str | None, bool]:
        found = (
            run(modelUsage={name: usage(SONNET, 1)}) if field == "model" else run(**{field: name})
        )
        return {"session_id": found.session_id, "uuid": found.uuid, "model": found.model}[
            field
        ], is_cut(found)

    for size in (sizes.MAX_NAME - 1, sizes.MAX_NAME):
        assert named("n" * size) == ("n" * size, False)
    one, other = named("n" * 201), named("n" * 200 + "m")
    assert one[1] and other[1]
    assert one[0] != other[0]
    assert one[0] is not None and len(one[0]) < 210


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_of_a_long_summary_the_beginning_is_read(more: int) -> None:
    summary = "ann " * (sizes.MAX_SUMMARY // 4)
    found = run(result=summary[: sizes.MAX_SUMMARY - 1] + "x" * (more + 1))
    assert is_cut(found) == (more > 0)
    length = len(found.texts.summary or "")
    assert length == sizes.MAX_SUMMARY + more if more <= 0 else length <= sizes.MAX_SUMMARY


def test_an_error_is_cut_at_its_limit() -> None:
    for size in (sizes.MAX_ERROR - 1, sizes.MAX_ERROR):
        found = run(is_error=True, result="e" * size)
        assert (found.texts.errors, is_cut(found)) == (("e" * size,), False)
    cut = run(is_error=True, result="e" * (sizes.MAX_ERROR + 1))
    assert cut.texts.errors == ("e" * sizes.MAX_ERROR + "…\n(20,001 characters)",)
    assert is_cut(cut)


def test_many_errors_share_a_limit() -> None:
    for count in (10, 11):
        found = run(
            subtype="error_during_execution",
            errors=[f"{n:05}" + "e" * 19_995 for n in range(count)],
        )
        assert is_cut(found) == (count == 11)
        assert sum(map(len, found.texts.errors)) < sizes.MAX_ERRORS_CHARACTERS + 100


def test_the_first_fifty_errors_are_shown() -> None:
    for count in (sizes.MAX_ERRORS, sizes.MAX_ERRORS + 1):
        found = run(subtype="error_during_execution", errors=[f"{n}" for n in range(count)])
        assert is_cut(found) == (count > sizes.MAX_ERRORS)
        assert len(found.texts.errors) == sizes.MAX_ERRORS


def test_inputs_of_denied_tools_share_a_limit() -> None:
    def denied(count: int) -> Run:
        calls = [
            {"tool_name": "Bash", "tool_use_id": str(n), "tool_input": {"a": "x" * 9_000}}
            for n in range(count)
        ]
        return run(permission_denials=calls)

    size = len(denied(1).texts.denials[0].input_json)
    most = sizes.MAX_INPUTS // size
    for count in (most - 1, most, most + 1):
        found = denied(count)
        left_out = sum(not denial.input_json for denial in found.texts.denials)
        assert (left_out, found.denials) == (max(0, count - most), count)
        assert any("left out" in caveat.text for caveat in found.caveats) == (count > most)


def test_of_many_scores_the_first_are_read() -> None:
    scores = tuple(Score(f"score {number}", 1.0) for number in range(sizes.MAX_SCORES + 1))
    few = Run("Tally", Status.OK, scores=scores[1:])
    assert sizes.bounded(few) is few
    found = sizes.bounded(Run("Tally", Status.OK, scores=scores))
    assert found.scores == scores[:-1]
    assert [caveat.text for caveat in found.caveats] == ["It has 51 scores; the first 50 are read."]
