"""promptfoo, and what evaluations leave that is not a run."""

from __future__ import annotations

import copy
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from sitegen import load_runs, readers
from sitegen.errors import ReadError
from sitegen.model import Outcome, Run, Status
from sitegen.readers.kinds import KINDS, NotARun
from sitegen.readers.run_file import RunFile
from tests.support import campaigns
from tests.support.agent_runs import kinds, run_of, runs_of
from tests.support.harness_runs import PROMPTFOO, promptfoo_entry
from tests.support.reading import read_source


def evaluation(*entries: dict[str, Any], **results: Any) -> tuple[Run, ...]:
    content = {
        **PROMPTFOO,
        "results": {**PROMPTFOO["results"], "results": list(entries), **results},
    }
    return runs_of(json.dumps(content).encode(), "results.json")


def test_real_results_of_promptfoo_have_the_figures_of_their_entries(shared: Path) -> None:
    passed = 0
    for path in sorted((shared / "more-runs" / "promptfoo").rglob("*.json")):
        raw = json.loads(path.read_bytes())
        entries = raw["results"]["results"]
        if not entries:
            assert runs_of(path.read_bytes(), path.name) == ()
            continue
        runs = runs_of(path.read_bytes(), path.name)
        assert [run.outcome is Outcome.PASS for run in runs] == [
            entry["success"] for entry in entries
        ], path
        assert len({run.task for run in runs}) == len({entry["testIdx"] for entry in entries}), path
        columns = {(run.reader, run.model) for run in runs}
        assert len(columns) == len(raw["results"]["prompts"]), path
        stats = raw["results"]["stats"]["tokenUsage"]
        for kind, field in (("input", "prompt"), ("output", "completion")):
            counts = [run.tokens.kind(kind) for run in runs]
            assert (
                counts == [None] * len(runs)
                if not stats[field]
                else sum(filter(None, counts)) == stats[field]
            )
        cost = math.fsum(prompt["metrics"]["cost"] for prompt in raw["results"]["prompts"])
        assert math.fsum(run.cost_usd or 0 for run in runs) == pytest.approx(cost)
        assert [run.wall_ms for run in runs] == [entry["latencyMs"] for entry in entries]
        passed += raw["results"]["stats"]["successes"]
    assert passed == 9


def test_a_provider_is_a_configuration_and_a_test_is_a_task() -> None:
    runs = evaluation(*PROMPTFOO["results"]["results"])
    assert [(run.agent, run.model, run.task) for run in runs] == [
        ("promptfoo", "moon-1", "test 2"),
        ("promptfoo", "moon-2", "test 2"),
        ("promptfoo", "moon-1", "says when the water is low"),
        ("promptfoo", "moon-2", "says when the water is low"),
    ]
    first = runs[0]
    assert (first.outcome, first.status, kinds(first), first.cost_usd) == (
        Outcome.PASS,
        Status.OK,
        (21, None, None, 8),
        0.02,
    )
    assert [(score.name, score.value) for score in first.scores] == [
        ("score", 1),
        ("tone", 0.5),
        ("contains", 1),
    ]
    assert (first.started_at, first.wall_ms, first.agent_version) == (
        "2026-05-01T08:00:00Z",
        1500,
        "0.122.0",
    )
    assert all(run.unknown == () and run.attempt is None for run in runs)


def test_repetitions_are_attempts_whatever_the_order_and_the_form(tmp_path: Path) -> None:
    entries = [
        promptfoo_entry(test, 0, passed=True, repeat=repeat) for test in (0, 1) for repeat in (0, 1)
    ]
    with_ids = [dict(entry) for entry in entries]
    found = {(run.task, run.attempt): run.results[0].uuid for run in evaluation(*entries)}
    assert len(found) == 4 and {attempt for _, attempt in found} == {1, 2}
    assert {
        (run.task, run.attempt): run.results[0].uuid for run in evaluation(*entries[::-1])
    } == found
    lines = b"\n".join(json.dumps(entry).encode() for entry in entries)
    listed = read_source(RunFile.of("results.jsonl", lines), named=False) or ()
    assert {(run.task, run.attempt): run.results[0].uuid for run in listed} == found
    for entry in entries:
        del entry["id"]  # as promptfoo writes lines
    bare = "\n".join(json.dumps(entry) for entry in entries)
    content = {**PROMPTFOO, "results": {**PROMPTFOO["results"], "results": with_ids}}
    campaigns.write(tmp_path, {"o.json": json.dumps(content), "o.jsonl": bare})
    both = load_runs(str(tmp_path))
    assert [entry.source.path for entry in both] == ["o.json"] * 4
    assert {(entry.task, entry.attempt): entry.run.results[0].uuid for entry in both} == found
    half = evaluation(*with_ids[:3])  # a part of the entries says the same of them
    assert {
        (run.task, run.attempt or 1): run.results[0].uuid for run in half
    }.items() <= found.items()


@pytest.mark.parametrize(
    ("provider", "agent", "model"),
    [
        ({"id": "openai:gpt-4o", "label": ""}, "promptfoo", "gpt-4o"),
        ({"id": "ollama:chat:llama3:8b", "label": ""}, "promptfoo", "llama3:8b"),
        ({"id": "openrouter:meta/moon-3:free"}, "promptfoo", "meta/moon-3:free"),
        ({"id": "openai:chat:gpt-4o", "label": "cold"}, "cold", "gpt-4o"),
        ({"id": "file://../a/provider.py", "label": "own"}, "own", None),
        ({"id": "python:/home/me/provider.py"}, "provider.py", None),
        ({"id": "https://example.org/api"}, "api", None),
        ({"id": "anthropic:claude-agent-sdk"}, "anthropic:claude-agent-sdk", None),
        ({"id": "echo"}, "echo", None),
        ("openai:o3", "promptfoo", "o3"),
        (None, "Unknown agent", None),
    ],
    ids=str,
)
def test_the_id_of_a_provider_says_what_the_model_is(
    provider: object, agent: str, model: str | None
) -> None:
    (run,) = evaluation({**promptfoo_entry(0, 0, passed=True), "provider": provider})
    assert (run.agent, run.model) == (agent, model)


def test_an_error_is_not_a_failed_assertion() -> None:
    entry = promptfoo_entry(0, 0, passed=False)
    broken = {
        **entry,
        "error": "429 rate limit",
        "failureReason": 2,
        "response": {},
        "gradingResult": None,
    }
    old = {key: value for key, value in broken.items() if key != "failureReason"}
    failed, error, older = evaluation(entry, broken, old)
    assert (failed.outcome, failed.status, failed.texts.errors) == (Outcome.FAIL, Status.OK, ())
    for run in (error, older):
        assert (run.outcome, run.status, run.texts.errors) == (
            Outcome.ERROR,
            Status.STOPPED,
            ("429 rate limit",),
        )


def test_prompts_that_are_compared_are_configurations() -> None:
    entries = [promptfoo_entry(0, 0, passed=True) | {"promptId": id_} for id_ in ("p2", "p1")]
    runs = evaluation(*entries, prompts=[{"id": "p1"}, {"id": "p2"}])
    assert [run.agent for run in runs] == ["promptfoo prompt 2", "promptfoo prompt 1"]
    assert runs[0].task == runs[1].task


def test_what_came_from_the_cache_of_promptfoo_was_not_asked_for() -> None:
    entry = copy.deepcopy(promptfoo_entry(0, 0, passed=True))
    entry["response"] |= {"cached": True, "tokenUsage": {"cached": 28, "total": 28}}
    (run,) = evaluation(entry)
    assert run.tokens.total is None and run.wall_ms is None
    assert any("cache" in caveat.text for caveat in run.caveats)


def test_the_totals_say_whether_the_prompt_has_what_was_cached() -> None:
    usage = {"prompt": 100, "completion": 8, "completionDetails": {"cacheReadInputTokens": 90}}
    for total, sent in ((108, 10), (198, 100)):
        entry = promptfoo_entry(0, 0, passed=True)
        (run,) = evaluation(
            {**entry, "response": {"output": "x", "tokenUsage": {**usage, "total": total}}}
        )
        assert kinds(run) == (sent, None, 90, 8)


def test_other_objects_with_results_are_left_alone() -> None:
    for content in (
        {"evalId": "x", "results": {"results": {}}},
        {"results": {"results": [1]}},
        {"gradingResult": {}},
    ):
        file = RunFile.of("a.json", json.dumps(content).encode())
        assert read_source(file, named=False) is None
    assert run_of(
        json.dumps(
            PROMPTFOO
            | {"results": {**PROMPTFOO["results"], "results": [promptfoo_entry(0, 0, passed=True)]}}
        ).encode(),
        "a.txt",
    )


@pytest.mark.parametrize(
    ("folder", "kind"),
    [("lm-eval", "lm-eval"), ("every-eval-ever", "every eval ever"), ("otel-genai", "otel")],
)
def test_real_files_without_runs_are_called_what_they_are(
    shared: Path, folder: str, kind: str
) -> None:
    paths = [path for path in (shared / "more-runs" / folder).rglob("*") if path.is_file()]
    assert paths
    for path in paths:
        file = RunFile.of(path.name, path.read_bytes())
        assert readers.parse_file(file, named=False) == NotARun(kind), path
        with pytest.raises(ReadError, match=re.escape(KINDS[kind].one)):
            readers.parse_file(file, named=True)


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        (
            {"results": {"tide": {"acc,none": 0.5}}, "configs": {}, "versions": {}, "n-shot": {}},
            "lm-eval",
        ),
        ({"doc_id": 1, "doc": {}, "resps": [["4"]], "filtered_resps": ["4"]}, "lm-eval"),
        (
            {"model_info": {}, "schema_version": "0.3.0", "evaluation_results": []},
            "every eval ever",
        ),
        ({"resourceSpans": []}, "otel"),
        ({"results": {}, "configs": {}}, "json"),
        ({"resourceSpans": "x"}, "json"),
    ],
)
def test_files_without_runs_are_known_by_their_fields(document: dict[str, Any], kind: str) -> None:
    for shape in (document, dict(reversed(document.items()))):
        file = RunFile.of("a.json", json.dumps(shape).encode())
        assert readers.parse_file(file, named=False) == NotARun(kind)
