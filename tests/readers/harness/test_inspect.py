"""Samples of logs of Inspect."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest

from sitegen.errors import ReadError
from sitegen.model import Outcome, Run, Status
from sitegen.readers.common.builder import RunBuilder
from sitegen.readers.common.values import Caveats
from sitegen.readers.harness.inspect import INSPECT_SAMPLE, parts, read_sample
from sitegen.readers.run_file import RunFile
from sitegen.steps import Step

EVAL = {"task": "tide", "model": "openai/gpt-5"}
PASS, FAIL, PARTIAL = Outcome.PASS, Outcome.FAIL, Outcome.PARTIAL


def read(
    sample: dict[str, Any] | None = None, spec: dict[str, Any] | None = None, **log: Any
) -> tuple[Run, list[Step]]:
    record = {"log": {"eval": EVAL | (spec or {}), **log}, "sample": {"id": 1} | (sample or {})}
    run = RunBuilder(INSPECT_SAMPLE.format)
    assert read_sample(record, run)
    steps = [step.built(number, contents=True) for number, step in enumerate(run.steps.rest())]
    return run.build(), steps


@pytest.mark.parametrize(
    "record", [{}, {"log": {}, "sample": {"id": 1}}, {"log": {"eval": EVAL}, "sample": {}}]
)
def test_a_sample_without_an_id_or_a_log_is_none(record: dict[str, Any]) -> None:
    assert not read_sample(record, RunBuilder(INSPECT_SAMPLE.format))


@pytest.mark.parametrize(
    ("id_", "task"), [("ebb", "ebb"), (7, "tide 7"), ("7-8", "tide 7-8"), ("a7", "a7")]
)
def test_the_task_is_the_id_of_the_sample_if_it_has_letters(id_: object, task: str) -> None:
    run, _ = read({"id": id_})
    assert (run.task, run.evaluation) == (task, "tide")
    run, _ = read({"id": 7}, {"task": ""})
    assert (run.task, run.evaluation) == ("7", None)


@pytest.mark.parametrize(
    ("epoch", "epochs", "attempt"),
    [(1, 1, None), (1, 2, 1), (2, None, 2), (1, None, None), (None, None, None), (2, 1, None)],
)
def test_epochs_are_attempts_where_there_are_several(
    epoch: int | None, epochs: int | None, attempt: int | None
) -> None:
    assert read({"epoch": epoch}, {"config": {"epochs": epochs}})[0].attempt == attempt


def test_facts_of_a_sample() -> None:
    spec = {
        "model_generate_config": {"reasoning_effort": "low"},
        "packages": {"inspect_ai": "0.3"},
        "run_id": "r",
    }
    times = {"started_at": "2026-03-01T10:00:00Z", "total_time": 1.5, "limit": None, "aura": 1}
    run, _ = read(times, spec)
    assert (run.effort, run.agent_version, run.wall_ms) == ("low", "0.3", 1500)
    assert run.started_at == "2026-03-01T10:00:00Z" and run.unknown == ("sample.aura",)
    assert dict(run.texts.fields)["eval.run_id"] == "r"


@pytest.mark.parametrize("where", ["events", "transcript"])
def test_a_sample_without_a_beginning_began_with_its_first_event(where: str) -> None:
    events = [{"timestamp": "?"}] * 4 + [{"timestamp": "2026-03-01T10:00:05Z"}]
    held: dict[str, Any] = {"events": events} if where == "events" else {where: {"events": events}}
    assert read(held)[0].started_at == "2026-03-01T10:00:05Z"
    late = [{"timestamp": "?"}, *events]
    held = {"events": late} if where == "events" else {where: {"events": late}}
    assert read(held)[0].started_at is None


@pytest.mark.parametrize(
    ("sample", "status", "ended"),
    [
        ({}, "success", (Status.OK, None)),
        ({"error": {"message": "429 too many"}}, "error", (Status.STOPPED, "usage limit")),
        ({"limit": {"type": "token"}}, "success", (Status.FAILED, "token limit")),
        ({"limit": {"type": "operator"}}, "success", (Status.STOPPED, "operator")),
        ({}, "cancelled", (Status.INTERRUPTED, None)),
        ({}, "started", (Status.INTERRUPTED, None)),
        ({"scores": {"s": {"value": "C"}}}, "started", (Status.OK, None)),
        ({}, "error", (Status.OK, None)),
    ],
)
def test_how_a_sample_ended(
    sample: dict[str, Any], status: str, ended: tuple[Status, str | None]
) -> None:
    run, _ = read(sample, status=status)
    assert (run.status, run.status_detail) == ended


@pytest.mark.parametrize(
    ("value", "is_rated", "outcome", "score"),
    [
        ("C", False, PASS, None),
        ("I", False, FAIL, None),
        ("N", False, FAIL, None),
        ("P", False, PARTIAL, None),
        ("X", False, None, None),
        (True, False, PASS, None),
        (False, False, FAIL, None),
        (1, True, PASS, 1.0),
        (0.0, True, FAIL, 0.0),
        (0.5, True, None, 0.5),
        (1, False, None, 1.0),
    ],
)
def test_a_single_score_is_the_verdict(
    value: object, is_rated: bool, outcome: Outcome | None, score: float | None
) -> None:
    metrics = {"accuracy": {}} if is_rated else {"mean": {}}
    for named in ({"scorer": "s"}, {"name": "s"}):
        results = {"scores": [{**named, "metrics": metrics}]}
        run, _ = read({"scores": {"s": {"value": value}}}, results=results)
        assert run.outcome is outcome
        assert [each.value for each in run.scores] == ([] if score is None else [score])
    metric = {"name": "inspect_ai/accuracy" if is_rated else "mean"}
    run, _ = read(
        {"scores": {"s": {"value": value}}}, {"scorers": [{"name": "s", "metrics": [metric]}]}
    )
    assert run.outcome is outcome


def test_several_scores_are_none() -> None:
    scores = {"b": {"value": "C"}, "a": {"value": {"y": "P", "x": 0.25}}, "c": {"value": "odd"}}
    run, _ = read({"scores": scores})
    assert [(each.name, each.value) for each in run.scores] == [
        ("a x", 0.25),
        ("a y", 0.5),
        ("b", 1.0),
    ]
    assert run.outcome is None
    two = {"scorers": [{"name": "s"}, {"name": "t"}]}
    run, _ = read({"scores": {"s": {"value": "I"}}}, two)
    assert run.outcome is None and run.scores[0].value == 0.0
    many = {"s": {"value": {str(number): number for number in range(60)}}}
    assert len(read({"scores": many})[0].scores) == 50


def test_an_error_without_scores_is_an_error() -> None:
    error = {"error": {"message": "ValueError: odd"}}
    assert read(error)[0].outcome is Outcome.ERROR
    assert read(error | {"scores": {"s": {"value": "C"}}})[0].outcome is PASS


def test_what_the_agent_and_its_judge_used() -> None:
    usage = {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12}
    judge = usage | {"total_cost": 0.25}
    sample = {
        "model_usage": {"openai/gpt-5": usage | {"total_cost": 0.5}, "j": judge},
        "role_usage": {"judge": judge},
    }
    run, _ = read(sample, {"model_roles": {"judge": "j"}})
    (line,) = run.ledger
    assert (line.model, line.tokens.input, line.tokens.cache_read) == ("openai/gpt-5", 10, 0)
    assert run.cost_usd == 0.5
    assert [(line.model, line.cost_usd, line.tokens.output) for line in run.judge] == [
        ("j", 0.25, 2)
    ]
    # Without a total nobody knows whether anything came from the cache.
    bare = {"input_tokens": 10, "output_tokens": 2}
    run, _ = read({"model_usage": {"openai/gpt-5": bare}})
    assert (run.tokens.input, run.tokens.cache_read, run.cost_usd) == (10, None, None)
    assert [caveat.text for caveat in read()[0].caveats] == ["The run reports no tokens."]


def test_texts_that_are_kept_apart_stand_in_their_places() -> None:
    sample = {
        "attachments": {"x1": "Mend it.", "x2": "Done."},
        "messages": [
            {"role": "user", "content": "attachment://x1"},
            {"role": "user", "content": "attachment://none"},
            {"role": "user", "content": [{"type": "text", "text": "attachment://x1"}, "odd"]},
            {"role": "assistant", "content": "Now."},
        ],
        "output": {"choices": [{"message": {"content": "attachment://x2"}}, {}]},
    }
    run, steps = read(sample)
    assert [step.text for step in steps] == [
        "Mend it.",
        "attachment://none",
        "Mend it.\n\nodd",
        "Now.",
    ]
    assert run.turns == 1 and run.texts.summary == "Done."
    assert read()[0].turns is None


# Files


def packed(members: dict[str, Any]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, value in members.items():
            archive.writestr(name, value if isinstance(value, bytes) else json.dumps(value))
    return stream.getvalue()


def samples_of(data: bytes, name: str = "a.eval") -> tuple[list[Any], list[tuple[str, str]]]:
    caveats = Caveats()
    found = [value for values in parts(RunFile.of(name, data), caveats) for value in values]
    said = [(caveat.code, caveat.text) for caveat in caveats.all()]
    return [value.get("sample") for value in found], said


LOG = {"eval": EVAL}


def test_samples_of_a_log_in_their_order() -> None:
    data = json.dumps({**LOG, "samples": [{"id": 2}, 5, {"id": 1}]}).encode()
    assert samples_of(data, "a.json") == ([{"id": 2}, {"id": 1}], [])
    members = {f"samples/{id_}_epoch_1.json": {"id": id_} for id_ in (10, 9, 2)}
    assert samples_of(packed({"header.json": LOG, **members}))[0] == [
        {"id": 2},
        {"id": 9},
        {"id": 10},
    ]
    assert samples_of(packed({"_journal/start.json": LOG, **members}))[0][0] == {"id": 2}
    assert samples_of(packed({"header.json": LOG, "samples/1.json": {"id": 1}, "other.json": {}}))[
        0
    ] == [{"id": 1}]


@pytest.mark.parametrize("log", [{"eval": {}}, {"eval": 5}, {}])
def test_what_is_no_log_has_no_samples(log: dict[str, Any]) -> None:
    assert samples_of(json.dumps(log).encode(), "a.json") == ([None], [])
    assert samples_of(packed({"header.json": log, "samples/1.json": {"id": 1}})) == ([None], [])


def test_a_log_without_samples_says_so() -> None:
    for data, name in (
        (json.dumps({**LOG, "samples": []}).encode(), "a.json"),
        (packed({"header.json": LOG}), "a.eval"),
    ):
        with pytest.raises(ReadError) as caught:
            samples_of(data, name)
        assert (caught.value.code, caught.value.reason) == (
            "E_NOT_A_RUN",
            "it is an Inspect log without samples, so it contains no runs; "
            "its setting log_samples decides that",
        )


def test_samples_that_cannot_be_read_are_counted() -> None:
    broken = {f"samples/{number}.json": b"{" for number in range(2)}
    whole = {"samples/7.json": {"id": 7}}
    reason = "the JSON ends early; the file was cut, or is still being written"
    found = samples_of(packed({"header.json": LOG, "samples/1.json": b"{", **whole}))
    assert found == (
        [{"id": 7}],
        [("W_BAD_LINE", f"1 sample cannot be read and is left out: {reason}.")],
    )
    assert samples_of(packed({"header.json": LOG, **broken, **whole}))[1] == [
        ("W_BAD_LINE", f"2 samples cannot be read and are left out: {reason}.")
    ]
    with pytest.raises(ReadError) as caught:
        samples_of(packed({"header.json": LOG, **broken}))
    assert caught.value.code == "E_TRUNCATED"


@pytest.mark.parametrize(
    ("refs", "kept"),
    [
        (None, ["a", "b", "c", "d"]),
        ([0, 2], ["a", "c"]),
        ([[1, 3]], ["b", "c"]),
        ([3, [0, 1]], ["d", "a"]),
        ([-1, [-2, 4], [1], "x", True, 9], []),
    ],
)
def test_a_sample_in_chunks_is_put_together(refs: object, kept: list[str]) -> None:
    folder = "samples/s1/"
    members = {
        f"{folder}sample.json": {"id": 1, "message_refs": refs},
        f"{folder}messages/10.json": ["d"],
        f"{folder}messages/9.json": ["b", "c"],
        f"{folder}messages/1.json": ["a"],
        f"{folder}messages/x.json": ["z"],
        f"{folder}attachments/0.json": ["text"],
    }
    (sample,), _ = samples_of(packed({"header.json": LOG, **members}))
    assert sample["messages"] == kept and sample["attachments"] == {"0": "text"}
