"""Conversations of OpenHands' agent SDK: events as lines, and in files of their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sitegen import load_runs
from sitegen.model import Entry, Status
from tests.support import campaigns
from tests.support.agent_runs import kinds, objects, run_of
from tests.support.harness_runs import BASE_STATE, EVENTS, FILES, event_folder

LINES = FILES["openhands-events.jsonl"]


def entries(folder: Path, files: dict[str, bytes]) -> list[Entry]:
    campaigns.write(folder, files)
    return list(load_runs(str(folder)))


def test_real_events_have_the_last_counts_of_their_uses(shared: Path) -> None:
    (path,) = (shared / "more-runs" / "openhands-v1").rglob("events.jsonl")
    events = objects(path)
    stats = [event["value"]["usage_to_metrics"] for event in events if event.get("key") == "stats"]
    last = [use["accumulated_token_usage"] for use in stats[-1].values()]
    sent, read, output = (
        sum(use[f"{what}_tokens"] for use in last)
        for what in ("prompt", "cache_read", "completion")
    )
    run = run_of(path.read_bytes(), path.name)
    assert kinds(run) == (sent - read, 0, read, output) and run.cost_usd is None
    assert run.steps and run.steps.tool_calls == sum(
        event["kind"] == "ActionEvent" for event in events
    )
    assert (
        run.steps.tool_failures == 2
    )  # of three observations one is about a call that was cut off
    assert run.turns == len(
        {event["llm_response_id"] for event in events if "llm_response_id" in event}
    )
    (state,) = (shared / "more-runs" / "openhands-v1").rglob("base_state.json")
    empty = run_of(state.read_bytes(), state.name)
    assert (empty.model, empty.tokens.total, empty.status) == (
        "gpt-4o-mini",
        None,
        Status.INTERRUPTED,
    )


def test_events_say_what_was_done_used_and_paid() -> None:
    run = run_of(LINES)
    assert (run.status, run.model, run.turns, run.wall_ms) == (Status.OK, "moon-3", 2, 8000)
    assert (kinds(run), run.cost_usd) == ((100, 0, 190, 23), 0.625)
    assert run.steps and (
        run.steps.tool_calls,
        run.steps.tool_failures,
        run.steps.files_edited,
    ) == (3, 1, 1)
    assert (run.texts.summary, run.started_at, run.unknown) == ("All is green.", None, ())


def test_a_folder_of_events_is_one_run_with_its_state(tmp_path: Path) -> None:
    (entry,) = entries(tmp_path, event_folder())
    as_lines = run_of(LINES)
    for name in ("ledger", "cost_usd", "turns", "status", "wall_ms", "steps"):
        assert getattr(entry.run, name) == getattr(as_lines, name), name
    assert entry.run.session_id == "c0ffee"


@pytest.mark.parametrize(
    ("left_out", "calls", "status"),
    [
        ("base_state.json", 3, Status.OK),
        ("event-0000[4-9]", 2, Status.OK),
        ("event-00000", None, Status.OK),
        ("event-", None, Status.OK),
    ],
)
def test_a_part_of_a_folder_is_still_one_run(
    tmp_path: Path, left_out: str, calls: int | None, status: Status
) -> None:
    import re

    files = {
        path: content for path, content in event_folder().items() if not re.search(left_out, path)
    }
    (entry,) = entries(tmp_path, files)
    assert (entry.run.steps and entry.run.steps.tool_calls, entry.run.status) == (calls, status)
    assert (entry.run.cost_usd, kinds(entry.run)[3]) == (0.625, 23)


def test_copies_of_a_folder_and_repeated_events_count_once(tmp_path: Path) -> None:
    found = entries(tmp_path, event_folder("a/c0ffee") | event_folder("b/c0ffee"))
    assert [entry.run.cost_usd for entry in found] == [0.625]
    assert run_of(LINES + LINES).steps == run_of(LINES).steps


def test_a_prefix_uses_no_more_than_the_whole() -> None:
    whole = run_of(LINES)
    for end in range(1, len(EVENTS)):
        run = run_of("".join(json.dumps(event) + "\n" for event in EVENTS[:end]).encode())
        assert (run.cost_usd or 0) <= (whole.cost_usd or 0)
        assert run.status is Status.INTERRUPTED


def test_an_event_that_is_added_later_is_seen_by_the_next_build(tmp_path: Path) -> None:
    from sitegen.inputs.discover import discover
    from sitegen.inputs.source_files import changes_beside

    files = event_folder()
    last = files.popitem()
    campaigns.write(tmp_path, files)
    (first,) = (each for each in discover([tmp_path]).sources if "event-00000" in each.path)
    before = changes_beside(first)
    campaigns.write(tmp_path, dict([last]))
    assert len(changes_beside(first)) > len(before)


@pytest.mark.parametrize(
    ("status", "ended"),
    [
        ("finished", (Status.OK, None)),
        ("stuck", (Status.FAILED, "stuck in a loop")),
        ("error", (Status.STOPPED, "usage limit")),
        ("paused", (Status.INTERRUPTED, "paused")),
        ("running", (Status.INTERRUPTED, None)),
        ("tidal", (Status.INTERRUPTED, None)),
    ],
)
def test_the_last_status_counts(status: str, ended: tuple[Status, str | None]) -> None:
    failed = {
        "kind": "ConversationErrorEvent",
        "code": "LLMRateLimitError",
        "detail": "429 rate limit",
    }
    more: list[dict[str, Any]] = [
        {**EVENTS[9], **failed, "id": "x"} if status == "error" else {},
        {
            **EVENTS[9],
            "id": "y",
            "key": "full_state",
            "value": BASE_STATE | {"execution_status": status},
        },
    ]
    run = run_of(
        "".join(json.dumps(event) + "\n" for event in (*EVENTS[:-1], *filter(None, more))).encode()
    )
    assert (run.status, run.status_detail) == ended


def test_a_kind_of_event_that_is_not_known_is_named() -> None:
    strange = json.dumps({**EVENTS[0], "id": "z", "kind": "TideEvent"}).encode()
    assert run_of(LINES + strange).unknown == ("TideEvent",)
