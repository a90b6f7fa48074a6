"""Streams that break off are in the file that has the figures of their session."""

from __future__ import annotations

import pytest

from sitegen.inputs.identity.cut_streams import drop
from sitegen.model import Entry, ModelUsage
from tests.inputs.identity.runs import entry, ids, run, steps, tokens

LEDGER = (ModelUsage("m", tokens(10)),)


def stream(path: str, **known: object) -> Entry:
    return entry(path, run(session_id="s", **known))


def transcript(**known: object) -> Entry:
    return entry("transcript", run(session_id="s", root="line", **known))


@pytest.mark.parametrize(
    ("known", "is_dropped"),
    [
        ({}, True),
        ({"ledger": LEDGER, "answers": (1,)}, True),
        ({"ledger": LEDGER}, False),
        ({"ledger": LEDGER, "answers": (1,), "is_stated": True}, False),
        ({"cost_usd": 0.0}, False),
    ],
)
def test_beside_a_transcript_a_stream_goes_that_has_no_figures_of_its_own(
    known: dict[str, object], is_dropped: bool
) -> None:
    kept, problems = drop([stream("cut", **known), transcript()], {})
    assert ("cut" not in ids(kept)) == is_dropped == bool(problems)


def test_answers_beside_a_result_stay_and_transcripts_of_subagents_are_none() -> None:
    cut = stream("cut", answers=(1,))
    assert ids(drop([cut, transcript()], {"s": 100})[0]) == ["cut", "transcript"]
    assert ids(drop([cut, transcript(agent_id="x")], {})[0]) == ["cut", "transcript"]


@pytest.mark.parametrize(
    ("known", "is_dropped"),
    [
        ({"steps": steps(1), "cost_usd": 1.0}, True),
        ({"steps": steps(1), "cost_usd": 2.0}, True),
        ({"steps": steps(1), "cost_usd": 2.1}, False),
        ({"cost_usd": 1.0}, False),
        ({"steps": steps(1), "is_stated": True, "cost_usd": 1.0}, False),
        ({"steps": steps(1), "is_stated": True, "ledger_is_lower_bound": True}, True),
    ],
)
def test_a_stream_that_goes_on_in_another_file_is_in_its_end(
    known: dict[str, object], is_dropped: bool
) -> None:
    end = stream("end", is_end=True, is_stated=True, cost_usd=2.0, steps=steps(1))
    kept, problems = drop([stream("begin", **known), end], {"s": 10})
    assert ("begin" not in ids(kept)) == is_dropped
    if is_dropped:
        assert [source.path for source in kept[0].stated_in] == ["begin"]
        assert [problem.page_id for problem in problems] == ["end"]


def test_streams_of_unknown_sessions_stay() -> None:
    files = [entry("cut", run()), entry("t", run(root="line"))]
    assert drop(files, {}) == (files, [])
