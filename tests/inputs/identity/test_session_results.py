"""Transcripts belong to the result of their session, if there is one."""

from __future__ import annotations

from sitegen.inputs.identity.session_results import attach_transcripts
from sitegen.model import Entry, ModelUsage, Source, Verdict
from tests.inputs.identity.runs import Reader, entry, ids, run, steps, tokens


def result(path: str, **known: object) -> Entry:
    return entry(path, run(session_id="s", is_stated=True, cost_usd=1.0, **known))


def transcript(path: str, **known: object) -> Entry:
    return entry(path, run(session_id="s", root="line", steps=steps(3), **known))


def test_the_result_has_the_steps_of_its_transcripts() -> None:
    kept, unplaced, problems = attach_transcripts(
        [transcript("a"), result("b"), transcript("c")], Reader()
    )
    assert (ids(kept), unplaced, problems) == (["b"], [], [])
    whole = kept[0]
    assert whole.run.steps is not None and whole.run.steps.steps == 6
    assert (whole.run.cost_usd, ids(whole.lanes)) == (1.0, ["a", "c"])


def test_lanes_and_origins_of_a_transcript_come_along() -> None:
    origin = Source("origin", "origin", named=False, size=1)
    parent = entry(
        "a",
        run(session_id="s", root="line", steps=steps(1)),
        lanes=(transcript("sub"),),
        copied_from=(origin,),
    )
    kept, _, _ = attach_transcripts([parent, result("b")], Reader())
    assert (ids(kept[0].lanes), kept[0].copied_from) == (["a", "sub"], (origin,))


def test_of_several_results_nobody_knows_whose_steps_these_are() -> None:
    files = [result("a"), result("b"), transcript("t")]
    kept, unplaced, problems = attach_transcripts(files, Reader())
    assert (ids(kept), ids(unplaced)) == (["a", "b"], ["t"])
    (problem,) = problems
    assert (problem.code, problem.verdict, problem.page_id) == ("W_STEPS", Verdict.MERGE, "a")
    assert "a session with 2 results" in problem.reason


def test_a_transcript_without_a_result_is_a_run_and_conversions_are_no_results() -> None:
    files = [transcript("t"), entry("x", run(session_id="s", is_converted=True)), entry("y")]
    assert attach_transcripts(files, Reader()) == (files, [], [])


def test_one_transcript_with_a_lower_bound_makes_the_sum_one() -> None:
    ledger = (ModelUsage("m", tokens(10)),)
    bounds = {"ledger_is_lower_bound": True, "output_is_lower_bound": True}
    files = [transcript("a", ledger=ledger), transcript("c", ledger=ledger, **bounds)]
    kept, _, _ = attach_transcripts([*files, entry("b", run(session_id="s"))], Reader())
    (whole,) = kept
    assert whole.run.tokens.total == 20
    assert whole.run.ledger_is_lower_bound and whole.run.output_is_lower_bound
