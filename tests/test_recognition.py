"""How files are recognised: by their beginning, else by their outline; what only quotes records of an agent is not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitegen import readers
from sitegen.errors import ReadError
from sitegen.model import Run
from sitegen.readers.run_file import LONG_HEAD_BYTES, RunFile

CORPUS = Path(__file__).parent / "corpus" / "reader"
DOCUMENTS = (
    "aider.json", "amp.jsonl", "array.json", "atif.json", "cline.json", "codex-exec.jsonl", "codex-rollout.jsonl",
    "copilot.jsonl", "cursor.jsonl", "gemini-chat.json", "gemini-stream.jsonl", "harbor.json", "inspect.json",
    "mini-swe.traj.json", "opencode.json", "opencode-stream.jsonl", "openhands.jsonl", "pi.jsonl", "promptfoo.json",
    "result.json", "stream.jsonl", "swe-agent.traj", "tb-run.json", "tb-trial.json", "trae.json", "transcript.jsonl",
)  # fmt: skip
LONG_TEXT = "diff --git a/x.py b/x.py\n+print(\"{[\\\"}\")\n" * 2_000
LONG_LIST = [{"text": "y" * 300, "inner": {"deep": [1, 2]}}] * 300
FILLERS: dict[str, Any] = {"text": LONG_TEXT, "list": LONG_LIST, "object": {"a": {"b": {"c": LONG_LIST}}}}
ENCODINGS: dict[str, Callable[[str], bytes]] = {
    "plain": str.encode,
    "mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "utf-16": lambda text: text.encode("utf-16"),
    "warning before": lambda text: b"warning: 3 settings were ignored\n" + text.encode(),
}


def runs_of(name: str, data: bytes) -> list[Run]:
    return list(readers.read_source(RunFile.of(name, data), named=False) or ())


def figures_of(name: str, data: bytes) -> list[tuple[object, ...]]:
    runs = runs_of(name, data)
    return [(run.reader, run.status, run.session_id, run.turns, run.cost_usd, run.ledger) for run in runs]


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


RESULT = json.dumps({"type": "result", "subtype": "success", "is_error": False, "num_turns": 3, "duration_ms": 5,
                     "duration_api_ms": 4, "result": "Done.", "session_id": "s", "total_cost_usd": 0.25})  # fmt: skip
STREAM = '{"type": "thread.started", "thread_id": "x"}\n{"type": "turn.completed", "usage": {"input_tokens": 5}}\n'
CELL = {"cell_type": "code", "source": [RESULT], "outputs": [{"data": {"application/json": json.loads(RESULT)}}]}
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
}  # fmt: skip


@pytest.mark.parametrize("name", QUOTING)
def test_sources_and_documents_that_quote_records_are_neither_runs_nor_problems(name: str) -> None:
    file = RunFile.of(name, QUOTING[name].encode())
    assert readers.read_source(file, named=False) is None


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
        ("agent.stdout", "warning\n"),
        ("claude.txt", "Ignoring 39 entries\n"),
        ("run.out", "\x1b[2K\x1b[1G"),
    ],
)
def test_printed_runs_may_have_text_before_them(name: str, before: str, text: str) -> None:
    assert len(runs_of(name, (before + text).encode())) == 1


@pytest.mark.parametrize("name", ["run.json", "run.jsonl", "run.log", "run.txt", "stdout", "agent.md"])
def test_result_that_breaks_off_is_a_problem(name: str) -> None:
    with pytest.raises(ReadError):
        readers.read_source(RunFile.of(name, RESULT[:120].encode()), named=False)
