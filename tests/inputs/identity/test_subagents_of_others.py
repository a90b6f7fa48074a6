"""Sessions of Codex, opencode and Gemini CLI in several files: forks count their own work, subagents belong to the run
of their session, and copies count once."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from sitegen import load_runs
from sitegen.inputs.steps_again import steps_of
from sitegen.masking.redact import Redactor
from sitegen.model import Entry, Tokens
from tests.support import campaigns
from tests.support.agent_runs import files, objects
from tests.support.transcripts import lines

PARENT, CHILD = "019e8226-2b00-7001-8000-00000000000a", "019e822f-52c0-7002-8000-00000000000b"


def loaded(folder: Path, contents: dict[str, Any]) -> list[Entry]:
    campaigns.write(folder, contents)
    return list(load_runs(str(folder)))


def total(entries: list[Entry]) -> Tokens:
    return sum((entry.run.tokens for entry in entries), Tokens())


def stamp(ms: int) -> str:
    return f"2026-06-01T10:{ms // 60_000:02}:{ms // 1000 % 60:02}.{ms % 1000:03}Z"


def line(ms: int, kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": stamp(ms), "type": kind, "payload": payload}


def counted(ms: int, sent: int, output: int, last: tuple[int, int]) -> dict[str, Any]:
    def usage(sent: int, output: int) -> dict[str, int]:
        counts = {"input_tokens": sent, "cached_input_tokens": sent // 2, "output_tokens": output}
        return counts | {"total_tokens": sent + output}

    info = {"total_token_usage": usage(sent, output), "last_token_usage": usage(*last)}
    return line(ms, "event_msg", type="token_count", info=info)


def turn(ms: int, prompt: str, *, starts_first: bool) -> list[dict[str, Any]]:
    begun = [
        line(ms, "turn_context", model="gpt-5.2-codex"),
        line(ms, "event_msg", type="task_started"),
    ]
    return [
        *(reversed(begun) if starts_first else begun),
        line(ms, "event_msg", type="user_message", message=prompt),
    ]


def said(ms: int, text: str) -> dict[str, Any]:
    return line(
        ms,
        "response_item",
        type="message",
        role="assistant",
        content=[{"type": "output_text", "text": text}],
    )


@pytest.mark.parametrize("order", ["ab", "ba"])
@pytest.mark.parametrize(("printed", "tokens"), [(100, (50, 10)), (90, (50, 10)), (300, (150, 30))])
def test_a_session_that_is_kept_and_printed_counts_once(
    tmp_path: Path, order: str, printed: int, tokens: tuple[int, int]
) -> None:
    kept = [
        line(0, "session_meta", id=PARENT),
        *turn(1_000, "Go", starts_first=False),
        said(2_000, "Done."),
    ]
    usage = {
        "input_tokens": printed,
        "cached_input_tokens": printed // 2,
        "output_tokens": printed // 10,
    }
    stream: list[dict[str, Any]] = [
        {"type": "thread.started", "thread_id": PARENT},
        {"type": "turn.started"},
    ]
    stream += [{"type": "turn.completed", "usage": usage}]
    contents = [lines(*kept, counted(3_000, 100, 10, (100, 10))), lines(*stream)]
    (entry,) = loaded(
        tmp_path, {f"{name}.jsonl": text for name, text in zip(order, contents, strict=True)}
    )
    assert (entry.run.tokens.input, entry.run.tokens.output, entry.model) == (
        *tokens,
        "gpt-5.2-codex",
    )
    assert entry.run.steps and entry.run.steps.steps == 2


@pytest.mark.parametrize("kept_in", ["sessions", "a", "z/2026/06/01"])
def test_a_session_that_is_kept_elsewhere_belongs_to_the_path_of_what_was_printed(
    tmp_path: Path, kept_in: str
) -> None:
    files, rows = dict[str, Any](), ["path,outcome"]
    for number, (task, outcome) in enumerate((("t1", "pass"), ("t2", "fail"))):
        id_ = f"{PARENT[:-1]}{number}"
        kept = [line(0, "session_meta", id=id_), *turn(1_000, f"Go {task}", starts_first=False)]
        kept.append(counted(3_000, 100 + number, 10, (100 + number, 10)))
        files[f"kept/{kept_in}/rollout-{id_}.jsonl"] = lines(*kept)
        usage = {"input_tokens": 100 + number, "cached_input_tokens": 50, "output_tokens": 10}
        stream: list[dict[str, Any]] = [
            {"type": "thread.started", "thread_id": id_},
            {"type": "turn.started"},
        ]
        files[f"runs/{task}/1.jsonl"] = lines(*stream, {"type": "turn.completed", "usage": usage})
        rows.append(f"runs/{task}/1.jsonl,{outcome}")
    (tmp_path / "outcomes.csv").write_text("\n".join(rows))
    inputs = '[{path: runs, pattern: "{task}/{attempt}.jsonl"}, {path: kept}]'
    (tmp_path / "sitegen.yaml").write_text(f"inputs: {inputs}\noutcomes: [outcomes.csv]\n")
    campaigns.write(tmp_path, files)
    found = load_runs(config=str(tmp_path / "sitegen.yaml"))
    assert [
        (run.task, run.attempt, run.outcome and run.outcome.value, run.run.reader) for run in found
    ] == [
        ("t1", 1, "pass", "Codex session"),
        ("t2", 1, "fail", "Codex session"),
    ]
    assert {problem.code for problem in found.problems} == {"W_DUPLICATE"}


@pytest.mark.parametrize(
    ("has_meta", "starts_first", "gap"), list(product((True, False), (True, False), (0, 2, None)))
)
@pytest.mark.parametrize(
    ("is_spawned", "is_done", "wait"), [(True, True, 900), (True, False, 3), (False, True, 40)]
)
def test_a_fork_counts_its_own_work_without_ids_of_turns(
    tmp_path: Path,
    has_meta: bool,
    starts_first: bool,
    gap: int | None,
    is_spawned: bool,
    is_done: bool,
    wait: int,
) -> None:
    """Copied lines `gap` milliseconds apart, or with their own times, and the own prompt `wait` later."""
    meta = line(0, "session_meta", id=PARENT, timestamp=stamp(0))
    history = [
        *turn(10, "Map the kiln", starts_first=starts_first),
        said(4_000, "Looking."),
        counted(4_001, 100, 10, (100, 10)),
    ]
    if is_done:
        history.append(line(4_010, "event_msg", type="task_complete"))
    began = 600_000
    source = {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}}
    above = {"source": source} if is_spawned else {"forked_from_id": PARENT}
    copied = [*([meta] if has_meta else []), *history]
    if gap is not None:
        copied = [
            each | {"timestamp": stamp(began + gap * number)} for number, each in enumerate(copied)
        ]
    own = began + (gap or 0) * len(copied) + wait
    child = [
        line(began, "session_meta", id=CHILD, timestamp=stamp(began), **above),
        *copied,
        *turn(own, "Measure the flue", starts_first=starts_first),
        said(own + 3_000, "12 cm."),
        counted(own + 3_001, 130, 14, (30, 4)),
        line(own + 3_010, "event_msg", type="task_complete"),
    ]
    for folder, names in (("a", ("1.jsonl", "2.jsonl")), ("b", ("2.jsonl", "1.jsonl"))):
        found = loaded(
            tmp_path / folder, dict(zip(names, (lines(meta, *history), lines(*child)), strict=True))
        )
        tokens = total(found)
        assert (tokens.input, tokens.cache_read, tokens.output) == (65, 65, 14)
        assert len(found) == (1 if is_spawned else 2)
        told = [step for entry in found for step in steps_of(entry, Redactor())]
        prompts = [step.text_bytes for step in told if step.kind == "prompt"]
        assert sorted(prompts) == [len("Map the kiln"), len("Measure the flue")]
        assert sum(entry.run.steps.steps for entry in found if entry.run.steps) == 4
    (alone,) = loaded(tmp_path / "alone", {"2.jsonl": lines(*child)})
    assert (alone.run.tokens.output, alone.run.turns) == (4, 1)


def test_threads_that_threads_spawned_belong_to_the_session(tmp_path: Path) -> None:
    def thread(id_: str, above: str | None, sent: int) -> bytes:
        source = (
            {"source": {"subagent": {"thread_spawn": {"parent_thread_id": above}}}} if above else {}
        )
        meta = line(0, "session_meta", id=id_, timestamp=stamp(0), **source)
        return lines(
            meta, line(1, "turn_context", model="gpt-5.5"), counted(5_000, sent, 1, (sent, 1))
        )

    ids = [f"019e8226-2b00-7001-8000-00000000000{number}" for number in range(4)]
    tree = {
        f"{n}.jsonl": thread(id_, None if n == 3 else ids[n + 1], 10 ** (n + 1))
        for n, id_ in enumerate(ids)
    }
    (run,) = loaded(tmp_path, tree)
    assert run.run.session_id == ids[3] and len(run.lanes) == 3
    assert run.run.tokens.sent == 11_110


def test_real_threads_are_one_run_of_their_session(shared: Path, tmp_path: Path) -> None:
    folder = shared / "more-runs" / "codex-rollout-threads"
    paths = [path for path in files(folder) if path.name.startswith("rollout-")]
    (run,) = loaded(tmp_path, {path.name: path.read_bytes() for path in paths})
    models = {
        r["payload"]["model"]
        for path in paths
        for r in objects(path)
        if r["type"] == "turn_context"
    }
    assert {line.model for line in run.run.ledger} == models
    calls = sum(
        r["payload"].get("type") in ("function_call", "custom_tool_call")
        for p in paths
        for r in objects(p)
    )
    assert run.run.steps and run.run.steps.tool_calls == calls
    assert (
        run.run.steps.files_edited is None
    )  # two patches were applied, and no event names their files


def export(
    id_: str, began: int, *messages: tuple[int, float], title: str = "", parent: str | None = None
) -> bytes:
    def assistant(at: int, cost: float) -> dict[str, Any]:
        tokens = {"input": 10, "output": 5, "reasoning": 0, "cache": {"read": 0, "write": 0}}
        time = {"created": at, "completed": at + 9}
        info = {
            "id": f"msg_{id_}_{at}",
            "role": "assistant",
            "modelID": "gpt-5.5",
            "cost": cost,
            "tokens": tokens,
        }
        return {
            "info": info | {"time": time, "finish": "stop"},
            "parts": [{"type": "text", "text": f"At {at}."}],
        }

    info = {"id": id_, "version": "1.18.3", "title": title, "time": {"created": began}}
    if parent:
        info["parentID"] = parent
    return json.dumps({"info": info, "messages": [assistant(*each) for each in messages]}).encode()


T = 1_780_300_000_000


def test_children_of_opencode_sessions_belong_to_their_parent(tmp_path: Path) -> None:
    tree = {
        "c.json": export("ses_a", T, (T + 1, 0.1), title="Kiln"),
        "b.json": export(
            "ses_b", T + 2, (T + 3, 0.2), title="Measure (@explore subagent)", parent="ses_a"
        ),
        "a.json": export(
            "ses_c", T + 4, (T + 5, 0.4), title="Look (@explore subagent)", parent="ses_b"
        ),
    }
    (run,) = loaded(tmp_path, tree)
    assert run.run.cost_usd == pytest.approx(0.7) and run.run.tokens.output == 15
    assert [step.text for step in steps_of(run, Redactor())] == [f"At {T + n}." for n in (1, 3, 5)]
    (alone,) = loaded(tmp_path / "alone", {"b.json": tree["b.json"]})
    assert alone.run.cost_usd == 0.2


def test_forks_of_opencode_sessions_count_what_came_after(tmp_path: Path) -> None:
    fork = export("ses_f", T + 60, (T + 1, 0.1), (T + 61, 0.05), title="Kiln (fork #1)")
    found = loaded(tmp_path / "both", {"a.json": export("ses_a", T, (T + 1, 0.1)), "f.json": fork})
    assert sum(entry.run.cost_usd or 0 for entry in found) == pytest.approx(0.15)
    (idle,) = loaded(
        tmp_path / "idle", {"f.json": export("ses_f", T + 60, (T + 1, 0.1), title="Kiln (fork #2)")}
    )
    assert idle.run.cost_usd is None
    (imported,) = loaded(
        tmp_path / "in", {"f.json": export("ses_f", T + 60, (T + 1, 0.1), title="Kiln")}
    )
    assert imported.run.cost_usd == 0.1


def stream(*steps: int) -> list[dict[str, Any]]:
    def of(number: int, kind: str, **part: Any) -> dict[str, Any]:
        common = {"id": f"prt_{number}_{kind}", "messageID": f"msg_{number}", "type": kind}
        return {
            "type": kind.replace("-", "_"),
            "timestamp": T,
            "sessionID": "ses_a",
            "part": common | part,
        }

    tokens = {"input": 10, "output": 5, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    return [
        each
        for number in steps
        for each in (
            of(number, "text", text=f"Step {number}."),
            of(number, "step-finish", reason="stop", cost=0.25, tokens=tokens),
        )
    ]


def test_copies_of_an_opencode_stream_count_once_however_they_were_kept(tmp_path: Path) -> None:
    whole = lines(*stream(1, 2, 3))
    found = loaded(
        tmp_path,
        {
            "a.jsonl": whole,
            "b.log": whole.replace(b"\n", b"\r\n"),
            "cut.jsonl": lines(*stream(1, 2)),
            "twice.jsonl": whole + whole,
            "other.jsonl": lines(*stream(7)),
        },
    )
    assert sum(entry.run.cost_usd or 0 for entry in found) == 1.0
    assert len(found) == 2


def test_a_session_of_opencode_is_called_by_its_title(tmp_path: Path) -> None:
    named = {
        "a.json": export("ses_a", T, (T + 1, 0.1), title="Kiln"),
        "b.json": export("ses_b", T, (T + 1, 0.1), title="New session - 2026-06-01T10:00:00.000Z"),
    }
    assert {entry.title for entry in loaded(tmp_path, named)} == {"Kiln", "b"}


def test_two_processes_in_a_real_stream_of_gemini_are_two_runs(
    shared: Path, tmp_path: Path
) -> None:
    (path,) = files(shared / "more-runs" / "gemini-stream-processes")
    records = objects(path)
    (result,) = [record["stats"] for record in records if record["type"] == "result"]
    done, cut = loaded(tmp_path, {path.name: path.read_bytes()})
    assert done.run.tokens.total == result["total_tokens"]
    assert (done.run.tokens.cache_read, done.run.wall_ms) == (
        result["cached"],
        result["duration_ms"],
    )
    assert (done.run.status, cut.run.status) == ("ok", "interrupted")
    asked = sum(record["type"] == "tool_use" for record in records)
    assert sum(entry.run.steps.tool_calls for entry in (done, cut) if entry.run.steps) == asked


def chat(session: str, output: int, at: str = "2026-06-01T10:00:0{}Z", **more: Any) -> bytes:
    tokens = {
        "input": 100,
        "cached": 40,
        "output": output,
        "thoughts": 0,
        "tool": 0,
        "total": 100 + output,
    }
    told = {"id": f"{output}-1", "type": "user", "content": "Go", "timestamp": at.format(1)}
    answer: dict[str, Any] = {"id": f"{output}-2", "type": "gemini", "content": f"Made {output}."}
    answer |= {"timestamp": at.format(6), "model": "gemini-3-pro", "tokens": tokens}
    return json.dumps(
        {"sessionId": session, "projectHash": "c0", "messages": [told, answer], **more}
    ).encode()


@pytest.mark.parametrize("shares", [True, False])
def test_subagents_of_gemini_belong_to_the_chat_of_their_parent(
    tmp_path: Path, shares: bool
) -> None:
    own = PARENT if shares else CHILD
    name = "chats/session-2026-b.json" if shares else f"chats/{PARENT}/{CHILD}.json"
    tree = {"chats/session-2026-a.json": chat(PARENT, 3), name: chat(own, 5, kind="subagent")}
    (run,) = loaded(tmp_path, tree)
    assert (run.run.tokens.input, run.run.tokens.cache_read, run.run.tokens.output) == (120, 80, 8)
    assert run.run.session_id == PARENT and len(run.lanes) == 1


def test_a_chat_is_called_by_its_summary(tmp_path: Path) -> None:
    (run,) = loaded(tmp_path, {"a.json": chat(PARENT, 3, summary="Fire the kiln")})
    assert run.title == "Fire the kiln"


def test_times_without_a_zone_give_durations_and_no_beginning(tmp_path: Path) -> None:
    tree = {"a.json": chat(PARENT, 3, at="2026-06-01T10:00:0{}"), "b.json": chat(CHILD, 3)}
    naive, zoned = loaded(tmp_path, tree)
    assert naive.run.wall_ms == zoned.run.wall_ms == 5_000
    assert (naive.run.started_at, zoned.run.started_at) == (None, "2026-06-01T10:00:01Z")


def test_counts_of_nothing_beside_an_answer_are_unknown(tmp_path: Path) -> None:
    nothing = {"input": 0, "cached": 0, "output": 0, "thoughts": 0, "tool": 0, "total": 0}
    whole = json.loads(chat(PARENT, 3))
    answer = whole["messages"][1]
    partly = whole | {
        "sessionId": CHILD,
        "messages": [*whole["messages"], answer | {"id": "m3", "tokens": nothing}],
    }
    none = whole | {"messages": [whole["messages"][0], answer | {"tokens": nothing}]}
    unknown, lower = loaded(tmp_path, {"a.json": json.dumps(none), "b.json": json.dumps(partly)})
    assert unknown.run.tokens == Tokens() and unknown.run.model == "gemini-3-pro"
    assert lower.run.tokens.output == 3 and "output" in lower.run.token_gaps


REPLAYED = ("codex-rollout", "opencode-stream", "copilot-events", "gemini-chat", "gemini-stream")


@pytest.mark.parametrize("family", REPLAYED)
def test_real_sessions_that_stand_twice_in_one_file_count_once(
    shared: Path, tmp_path: Path, family: str
) -> None:
    contents = [path.read_bytes().rstrip() + b"\n" for path in files(shared / "runs" / family)]
    once = loaded(
        tmp_path / "once", {f"{number}.jsonl": each for number, each in enumerate(contents)}
    )
    twice = loaded(tmp_path / "twice", {"all.jsonl": b"".join(contents) + b"".join(contents)})
    assert total(twice) == total(once)
