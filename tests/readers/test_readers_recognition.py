"""How files are recognised: by their beginning, else by their outline; what only quotes records of an agent is not."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from sitegen import readers
from sitegen.errors import ReadError
from sitegen.model import Run
from sitegen.readers import kinds
from sitegen.readers.run_file import LONG_HEAD_BYTES, RunFile
from tests.conftest import ROOT
from tests.support.reading import read_source

CORPUS = ROOT / "tests" / "corpus" / "reader"
DOCUMENTS = (
    "aider.json",
    "amp.jsonl",
    "array.json",
    "atif.json",
    "cline.json",
    "codex-exec.jsonl",
    "codex-rollout.jsonl",
    "copilot.jsonl",
    "cursor.jsonl",
    "gemini-chat.json",
    "gemini-stream.jsonl",
    "harbor.json",
    "inspect.json",
    "mini-swe.traj.json",
    "opencode.json",
    "opencode-stream.jsonl",
    "openhands.jsonl",
    "pi.jsonl",
    "promptfoo.json",
    "result.json",
    "stream.jsonl",
    "swe-agent.traj",
    "tb-run.json",
    "tb-trial.json",
    "trae.json",
    "transcript.jsonl",
)
LONG_TEXT = 'diff --git a/x.py b/x.py\n+print("{[\\"}")\n' * 2_000
LONG_LIST = [{"text": "y" * 300, "inner": {"deep": [1, 2]}}] * 300
FILLERS: dict[str, Any] = {
    "text": LONG_TEXT,
    "list": LONG_LIST,
    "object": {"a": {"b": {"c": LONG_LIST}}},
}
ENCODINGS: dict[str, Callable[[str], bytes]] = {
    "plain": str.encode,
    "mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "utf-16": lambda text: text.encode("utf-16"),
    "warning before": lambda text: b"warning: 3 settings were ignored\n" + text.encode(),
}


def runs_of(name: str, data: bytes) -> list[Run]:
    return list(read_source(RunFile.of(name, data), named=False) or ())


def figures_of(name: str, data: bytes) -> list[tuple[object, ...]]:
    runs = runs_of(name, data)
    return [
        (run.reader, run.status, run.session_id, run.turns, run.cost_usd, run.ledger)
        for run in runs
    ]


def filled(name: str, filler: object, *, indent: int | None = None) -> str:
    """Return a file of the corpus with its keys sorted, after a long first value in its first record."""

    def lengthened(record: Any) -> Any:
        if isinstance(record, list):
            return [lengthened(record[0]), *record[1:]]
        return {"AAA": filler, **record}

    text = (CORPUS / name).read_text()
    if name.endswith("l"):
        first, *others = (json.loads(line) for line in text.splitlines())
        lines = [lengthened(first), *others]
        return "".join(json.dumps(line, sort_keys=True) + "\n" for line in lines)
    return json.dumps(lengthened(json.loads(text)), sort_keys=True, indent=indent)


@pytest.mark.parametrize("kind", FILLERS)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_key_that_decides_may_be_after_the_head(name: str, kind: str) -> None:
    expected = figures_of(name, (CORPUS / name).read_bytes())
    data = filled(name, FILLERS[kind]).encode()
    assert len(data) > LONG_HEAD_BYTES
    assert figures_of(name, data) == expected and expected
    if not name.endswith("l"):
        assert figures_of(name, filled(name, FILLERS[kind], indent=2).encode()) == expected


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("name", ["mini-swe.traj.json", "gemini-chat.json"])
def test_encoding_of_long_files(name: str, encoding: str) -> None:
    expected = figures_of(name, (CORPUS / name).read_bytes())
    assert figures_of(name, ENCODINGS[encoding](filled(name, LONG_TEXT))) == expected


RESULT = json.dumps(
    {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "num_turns": 3,
        "duration_ms": 5,
        "duration_api_ms": 4,
        "result": "Done.",
        "session_id": "s",
        "total_cost_usd": 0.25,
    }
)
STREAM = '{"type": "thread.started", "thread_id": "x"}\n{"type": "turn.completed", "usage": {"input_tokens": 5}}\n'
CELL = {
    "cell_type": "code",
    "source": [RESULT],
    "outputs": [{"data": {"application/json": json.loads(RESULT)}}],
}
QUOTING = {
    "README.md": f"# Use\n\n```json\n{RESULT}\n```\n",
    "docs/stream.md": f"# Stream\n\n{STREAM}\n",
    "notes.md": f"It prints `{RESULT}` at the end.\n",
    "cut.md": "# Cut\n\n```\n" + RESULT[:90] + "\n```\n",
    "guide.rst": f"Output::\n\n    {RESULT}\n",
    "notes.txt": f"The stream:\n\n```\n{STREAM}```\n",
    "mention.txt": f"It prints {RESULT} at the end.\n" + "The rest is text.\n" * 20,
    "mention.md": f"# Output\n\nOutput: {RESULT}\n",
    "app.log": f"12:00 started\n12:01 got {RESULT} from it\n12:02 done\n" + "12:03 waits\n" * 20,
    "CHANGELOG": f"- prints `{RESULT}`\n",
    "gen.rs": 'fn main() {\n    let s = r#"{"type":"session","version":3,"id":"x"}"#;\n}\n',
    "fixture.py": f"STREAM = '''\n{STREAM}'''\n",
    "doc.py": f'"""The result:\n{RESULT}\n"""\n',
    "run.test.ts": f"const result = `\n{RESULT}\n`;\n",
    "main.go": f"var out = `{STREAM}`\n",
    "page.html": f"<pre>\n{STREAM}</pre>\n",
    "cassette.yaml": f"body: '{RESULT}'\nlines: |\n{STREAM}",
    "settings.toml": f"[tool.x]\nline = '''\n{STREAM}'''\n",
    "table.csv": f"id,out\n1,{RESULT}\n",
    "run.sh": f"cat <<EOF\n{STREAM}EOF\n",
    "shown.ipynb": json.dumps({"cells": [CELL], "nbformat": 4}, indent=1),
}


@pytest.mark.parametrize("name", QUOTING)
def test_sources_and_documents_that_quote_records_are_neither_runs_nor_problems(name: str) -> None:
    file = RunFile.of(name, QUOTING[name].encode())
    assert read_source(file, named=False) is None


@pytest.mark.parametrize("text", [RESULT, STREAM], ids=["result", "stream"])
@pytest.mark.parametrize(
    ("name", "before"),
    [
        ("run.json", ""),
        ("answer.md", ""),
        ("run.dat", "\n"),
        ("out.json~1", "warning\n"),
        ("run.log.1", "warning\n"),
        ("run.json.bak", "warning\n"),
        ("stdout", "warning\n"),
        ("stdout.1", "warning\n"),
        ("agent.stdout", "warning\n"),
        ("claude.txt", "Ignoring 39 entries\n"),
        ("run.out", "\x1b[2K\x1b[1G"),
    ],
)
def test_printed_runs_may_have_text_before_them(name: str, before: str, text: str) -> None:
    assert len(runs_of(name, (before + text).encode())) == 1


@pytest.mark.parametrize(
    "name", ["run.json", "run.jsonl", "run.log", "run.txt", "stdout", "agent.md"]
)
def test_result_that_breaks_off_is_a_problem(name: str) -> None:
    with pytest.raises(ReadError):
        read_source(RunFile.of(name, RESULT[:120].encode()), named=False)


def written(*records: object) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


LINE = {
    "uuid": "a",
    "parentUuid": None,
    "sessionId": "s",
    "timestamp": "2026-01-01T00:00:00Z",
    "type": "user",
}
TIMES = {"created": 1, "updated": 2}
FOREIGN: list[tuple[str, str, bytes]] = [
    (
        "Qwen Code",
        "chats/a.jsonl",
        written({**LINE, "message": {"role": "user", "parts": [{"text": "x"}]}}),
    ),
    (
        "Qwen Code",
        "chats/b.jsonl",
        written(
            {**LINE, "type": "system", "subtype": "ui_telemetry", "systemPayload": {}},
            {
                **LINE,
                "type": "assistant",
                "message": {"role": "model", "parts": []},
                "usageMetadata": {},
            },
        ),
    ),
    (
        "Droid",
        "a.jsonl",
        written({"type": "session_start", "id": "a", "title": "x", "owner": "u", "cwd": "/srv"}),
    ),
    (
        "Droid",
        "a.settings.json",
        written({"assistantActiveTimeMs": 1, "model": "m", "tokenUsage": {}}),
    ),
    (
        "Kimi",
        "wire.jsonl",
        written({"type": "metadata", "protocol_version": "1.4"}, {"type": "turn.prompt"}),
    ),
    (
        "Kimi",
        "w.jsonl",
        written({"timestamp": 1, "message": {"type": "TurnBegin", "payload": {"user_input": "x"}}}),
    ),
    (
        "Kimi",
        "context.jsonl",
        written({"role": "user", "content": "x"}, {"role": "_checkpoint", "id": 0}),
    ),
    (
        "Mistral Vibe",
        "session_1.json",
        written({"metadata": {"stats": {"session_prompt_tokens": 1}}, "messages": []}),
    ),
    (
        "Mistral Vibe",
        "session_1/meta.json",
        written({"session_id": "a", "stats": {"session_prompt_tokens": 1}}),
    ),
    (
        "Mistral Vibe",
        "session_1/messages.jsonl",
        written({"role": "user", "content": "x", "message_id": "m"}),
    ),
    (
        "gptme",
        "logs/a/conversation.jsonl",
        written({"role": "system", "content": "x", "timestamp": "2026-01-01"}),
    ),
    (
        "gptme",
        "b.jsonl",
        written({"role": "user", "content": "x", "timestamp": "2026-01-01", "pinned": True}),
    ),
    (
        "Kiro",
        "a.jsonl",
        written({"version": "v1", "kind": "Prompt", "data": {"message_id": "m", "content": []}}),
    ),
    (
        "Kiro",
        "a.json",
        written({"session_id": "a", "session_state": {"conversation_metadata": {}}}),
    ),
    ("Kiro", "saved.json", written({"conversation_id": "a", "history": [], "transcript": []})),
    ("Goose", "a.jsonl", written({"working_dir": "/srv", "description": "x", "message_count": 2})),
    ("Goose", "a.json", written({"id": "a", "working_dir": "/srv", "conversation": []})),
    (
        "Goose",
        "stream.jsonl",
        written({"type": "message", "message": {"role": "user", "created": 1, "content": []}}),
    ),
    (
        "Grok",
        "a.jsonl",
        written({"type": "thought", "data": "x"}, {"type": "end", "stopReason": "end_turn"}),
    ),
    (
        "Grok",
        "end.jsonl",
        written(
            {"type": "text", "data": "x"},
            {"type": "end", "stopReason": "x", "num_turns": 3, "modelUsage": {}},
        ),
    ),
    (
        "Grok",
        "a.json",
        written({"text": "x", "stopReason": "EndTurn", "sessionId": "s", "requestId": "r"}),
    ),
    (
        "Copilot",
        "a.jsonl",
        written({"type": "user.message", "data": {}, "id": "a", "timestamp": "t"}),
    ),
    (
        "Copilot",
        "b.jsonl",
        written({"type": "result", "exitCode": 0, "usage": {"premiumRequests": 1}}),
    ),
    (
        "web session of Claude Code",
        "a.json",
        written({"loglines": [{"type": "user", "message": {"content": "x"}}]}),
    ),
    (
        "resolver of OpenHands",
        "output.jsonl",
        written(
            {
                "issue": {"number": 1},
                "issue_type": "issue",
                "instruction": "x",
                "git_patch": "",
                "history": [],
            }
        ),
    ),
    (
        "opencode",
        "session/ses_a.json",
        written({"id": "ses_a", "projectID": "p", "directory": "/srv", "time": TIMES}),
    ),
    (
        "opencode",
        "message/ses_a/msg_a.json",
        written({"id": "msg_a", "sessionID": "ses_a", "role": "user"}),
    ),
    (
        "opencode",
        "part/msg_a/prt_a.json",
        written(
            {"id": "prt_a", "sessionID": "ses_a", "messageID": "msg_a", "type": "text", "text": "x"}
        ),
    ),
    ("waza", "results.json", written({"eval_id": "x", "skill": "y", "tasks": []})),
    ("Agent Skills", "evals.json", written({"skill_name": "x", "evals": []})),
    ("Agent Skills", "benchmark.json", written({"metadata": {"skill_name": "x"}, "runs": []})),
]


@pytest.mark.parametrize(
    ("program", "name", "data"), FOREIGN, ids=[f"{each[0]}-{each[1]}" for each in FOREIGN]
)
def test_format_that_is_not_read_is_named(program: str, name: str, data: bytes) -> None:
    reversed_keys = b"".join(
        json.dumps(dict(reversed(json.loads(line).items()))).encode() + b"\n"
        for line in data.splitlines()
    )
    (record, *_) = (json.loads(line) for line in data.splitlines())
    long = written({"AAA": LONG_TEXT, **record}) + data
    for form in (data, reversed_keys, b"\xef\xbb\xbf" + data, long):
        (said,) = kinds.in_words([(name, kind_of(name, form))])
        assert program in said
    if not name.endswith(("conversation.jsonl", "messages.jsonl", "timing.json")):
        (said,) = kinds.in_words([("run.log", kind_of("run.log", data))])
        assert program in said
    with pytest.raises(ReadError, match=program):
        read_source(RunFile.of(name, data), named=True)


def kind_of(name: str, data: bytes) -> str:
    found = readers.parse_file(RunFile.of(name, data), named=False)
    assert isinstance(found, kinds.NotARun)
    return found.kind


@pytest.mark.parametrize(
    "record",
    [
        {"name": "x", "version": "1.0.0"},
        {"compilerOptions": {"strict": True}},
        {"role": "user", "content": "x"},
        {"messages": [{"role": "user", "content": "x"}]},
        {"type": "message", "text": "x"},
        {"id": "a", "title": "x", "evals": 3},
        {"type": "text", "text": "x"},
        {"kind": "Prompt"},
        {"working_dir": "/srv"},
        {"total_tokens": 5, "duration_ms": 6},
        {"issue": 5, "history": []},
    ],
)
def test_other_json_is_no_known_format(record: dict[str, object]) -> None:
    assert kind_of("a.json", written(record)) == "json"
    assert kind_of("a.txt", written(record)) == "text"
