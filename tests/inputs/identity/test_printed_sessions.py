"""What an agent printed of a session that it kept is that session."""

from __future__ import annotations

import pytest

from sitegen.inputs.identity.printed_sessions import merge, session_of
from sitegen.model import Entry, ModelUsage
from sitegen.readers.common.identity import MIN_ID
from tests.inputs.identity.runs import Reader, entry, ids, run, steps, tokens

SESSION = "s" * MIN_ID


def record(path: str, form: str, total: int, **known: object) -> Entry:
    # The form of a run is what follows the name of its agent.
    known = {"session_id": SESSION, "ledger": (ModelUsage("m", tokens(total)),), **known}
    return entry(path, run(reader=f"Codex {form}", **known))


@pytest.mark.parametrize(("printed", "shown"), [(10, 10), (9, 10), (20, 20)])
def test_the_kept_record_has_the_tokens_of_whichever_has_more(printed: int, shown: int) -> None:
    kept = record("kept", "rollout", 10, steps=steps(5))
    runs, problems = merge([record("printed", "stream", printed), kept], Reader())
    assert (ids(runs), len(problems)) == (["kept"], 1)
    assert runs[0].run.tokens.total == shown
    assert runs[0].run.steps == steps(5)
    assert [source.path for source in runs[0].stated_in] == ["printed"]


def test_one_of_several_prints_that_has_more_stays() -> None:
    files = [
        record("more", "stream", 20),
        record("same", "result", 10),
        record("kept", "rollout", 10),
    ]
    assert ids(merge(files, Reader())[0]) == ["more", "kept"]


@pytest.mark.parametrize("forms", [("rollout", "rollout", "stream"), ("stream", "stream")])
def test_nothing_is_merged_where_not_one_record_is_kept(forms: tuple[str, ...]) -> None:
    files = [record(f"{number}", form, 10) for number, form in enumerate(forms)]
    assert merge(files, Reader()) == (files, [])


@pytest.mark.parametrize(
    "known",
    [
        {"session_id": "s" * (MIN_ID - 1)},
        {"session_id": None},
        {"root": "line"},
        {"agent_id": "x"},
        {"is_converted": True},
    ],
)
def test_such_records_belong_to_no_session_of_prints(known: dict[str, object]) -> None:
    assert session_of(record("a", "stream", 1)) is not None
    assert session_of(record("a", "stream", 1, **known)) is None
