"""Pages of runs whose files are read again: what changed meanwhile is said, and nothing else is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sitegen.masking.redact import Redactor
from sitegen.model import Entry, Tokens
from sitegen.numbers.pricing import PriceTable
from sitegen.pages.run.pages import RunPages, _list_price
from sitegen.pages.site import Site
from sitegen.publish.files import Made
from tests.support import scenarios

PATCH = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n"


def stream(*commands: str, summary: str = "All **done**.") -> str:
    """Return the recording of a run that calls these commands."""
    lines: list[dict[str, Any]] = [
        {"type": "system", "subtype": "init", "session_id": "s-1", "cwd": "/srv", "model": "claude-sonnet-4-5-20250929", "tools": ["Bash"]}
    ]  # fmt: skip
    for number, command in enumerate(commands):
        call = {
            "type": "tool_use",
            "id": f"t{number}",
            "name": "Bash",
            "input": {"command": command},
        }
        answer = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "ok"}
        usage = {"input_tokens": 10, "output_tokens": 5}
        lines += [
            {"type": "assistant", "session_id": "s-1", "message": {"id": f"m{number}", "role": "assistant", "model": "claude-sonnet-4-5-20250929", "content": [call], "usage": usage}},
            {"type": "user", "session_id": "s-1", "message": {"role": "user", "content": [answer]}},
        ]  # fmt: skip
    usage = {"input_tokens": 20, "output_tokens": 10}
    lines.append(
        {"type": "result", "subtype": "success", "is_error": False, "result": summary, "session_id": "s-1", "uuid": "u-1", "num_turns": 2, "duration_ms": 1000, "total_cost_usd": 0.01, "usage": usage}
    )  # fmt: skip
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def text_of(made: Made) -> str:
    """Return the text of a page."""
    assert isinstance(made.data, bytes)
    return made.data.decode()


class Built:
    """A run that was read, and the pages that are made of it."""

    def __init__(self, folder: Path, text: str, **settings: object) -> None:
        self.file = folder / "runs" / "csv.jsonl"
        files = {"runs/csv.jsonl": text, "runs/csv.patch": PATCH, "runs/csv.log": "9 passed\n"}
        scenarios.write_files(files, folder)
        stated = {"inputs": [{"path": "runs", "pattern": "{task}.jsonl"}], "evidence": ["csv.log"]}
        config = scenarios.settings_of({**stated, **settings}, folder)
        facts = scenarios.collected(config)
        self.entry: Entry = facts.entries[0]
        self.pages = RunPages.of(Site.of(config, Redactor(), is_strict=False))

    def late(self) -> list[str]:
        """Return the doubts that show when the page is made."""
        return [doubt.text for doubt in self.pages.page(self.entry, (None, None)).late]

    def page(self) -> str:
        """Return the page of the run."""
        return text_of(self.pages.page(self.entry, (None, None)))

    def transcript(self) -> dict[str, str]:
        """Return the files of the transcript."""
        made = self.pages.transcript(self.entry)
        first, *_ = [file.path for file in self.pages.transcripts(self.entry, None)]
        return {first: text_of(made)} | {
            path: content.decode() for path, content in made.companions
        }


def test_a_run_that_did_not_change_is_whole(tmp_path: Path) -> None:
    built = Built(tmp_path, stream("ls", "pytest -q"))
    assert built.late() == []
    page = built.page()
    assert "All <strong>done</strong>." in page
    assert "2 commands in 2 tool calls" in page
    assert "1 file, 1 line added, 1 removed" in page
    assert "9 passed" in page
    (first, text), (data, rows) = built.transcript().items()
    folder = f"runs/{built.entry.id}"
    assert (first, data) == (f"{folder}/steps-1.html", f"{folder}/steps-data.js")
    assert "pytest -q" in text and "It is missing" not in text
    assert "pytest -q" in rows


def test_a_file_that_changed_is_not_shown_and_that_is_said(tmp_path: Path) -> None:
    built = Built(tmp_path, stream("ls", "pytest -q"))
    built.file.write_text(stream("rm -r build", "pytest -q", summary="Other words."))
    late = built.late()
    assert len(late) == 1
    assert late[0].startswith("Its texts are missing from its page: ")
    assert "Other words." not in built.page()
    assert "rm -r build" not in built.page()
    (text,) = built.transcript().values()
    assert "It is missing: " in text and "rm -r build" not in text


def test_a_file_that_is_gone_leaves_the_page(tmp_path: Path) -> None:
    built = Built(tmp_path, stream("ls"))
    built.file.unlink()
    assert len(built.late()) == 1
    assert "$0.01" in built.page()


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("csv.patch", PATCH + "+z\n", "The patch beside it changed while the site was built; build again."),
        ("csv.log", "8 passed\n", "The evidence beside it changed while the site was built; build again."),
    ],
)  # fmt: skip
def test_a_file_beside_it_that_changed_is_a_doubt(
    tmp_path: Path, name: str, text: str, expected: str
) -> None:
    built = Built(tmp_path, stream("ls"))
    (tmp_path / "runs" / name).write_text(text)
    assert built.late() == [expected]


def test_a_page_and_a_transcript_of_a_process_that_was_killed_say_so(tmp_path: Path) -> None:
    built = Built(tmp_path, stream("ls"))
    page = built.pages.page_without_texts(built.entry, (None, None))
    assert [doubt.code for doubt in page.late] == ["W_LOST"]
    assert page.is_lasting is False
    assert "<strong>done</strong>" not in text_of(page)
    lost = built.pages.transcript_after_loss(built.entry)
    assert lost.is_lasting is False
    assert "the process that read it was killed" in text_of(lost)
    assert list(lost.companions) == []


@pytest.mark.parametrize(
    ("steps", "files"), [("none", 0), ("outline", 1), ("texts", 1), ("full", 1)]
)
def test_without_published_steps_there_is_no_transcript(
    tmp_path: Path, steps: str, files: int
) -> None:
    built = Built(tmp_path, stream("ls"), steps=steps)
    assert len(list(built.pages.transcripts(built.entry, None))) == files
    assert built.late() == []
    assert ("pytest" in built.page()) is False


def test_a_long_run_is_read_once_more_for_its_transcript(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sitegen.pages.run import pages

    monkeypatch.setattr(pages, "MAX_KEPT_STEPS", 1)
    built = Built(tmp_path, stream("ls", "pytest -q", "make"))
    assert pages._told(built.pages, built.entry).steps == ()
    assert "make" in next(iter(built.transcript().values()))


def test_runs_of_other_campaigns_are_no_neighbours_where_these_stand_apart(tmp_path: Path) -> None:
    built = Built(tmp_path, stream("ls"))
    files = list(built.pages.files([built.entry], {built.entry.id: b""}, lambda *_: None))
    assert [file.path for file in files] == [
        f"runs/{built.entry.id}.html",
        f"runs/{built.entry.id}/steps-1.html",
    ]
    assert files[0].run_id == built.entry.id and files[1].run_id is None


PRICES = PriceTable.load(
    {"oak": {"input": 2.0, "output": 10.0, "cache_write": 2.5, "cache_read": 0.2}}
)


@pytest.mark.parametrize(
    ("usual", "model", "tokens", "expected"),
    [
        (None, "oak", Tokens(1000, 1000, 1000, 1000), 0.0147),
        ("oak", None, Tokens(1000, None, None, 100), 0.003),
        ("pine", "oak", Tokens(0, 0, 0, 100), 0.001),
        (None, "pine", Tokens(1000, 0, 0, 0), None),
        ("pine", None, Tokens(1000, 0, 0, 0), None),
    ],
)
def test_a_message_weighs_what_its_tokens_cost_at_list_price(
    usual: str | None, model: str | None, tokens: Tokens, expected: float | None
) -> None:
    price = _list_price(PRICES, usual, model, tokens)
    assert price == (None if expected is None else pytest.approx(expected))
