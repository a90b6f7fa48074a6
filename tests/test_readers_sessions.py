"""Chats of aider, sessions of Pi and OpenClaw, tasks of Cline: what their files say, counted in another way."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sitegen import readers
from sitegen.api import load_runs
from sitegen.model import Outcome, Run, Status
from sitegen.readers.run_file import RunFile
from sitegen.steps import Step, StepKind
from tests.support.agent_runs import calls, files, kinds, run_of, runs_of
from tests.support.session_runs import AIDER_CHAT, FILES

UNITS = {"": 1, "k": 1_000}


def steps_of(content: bytes, run: Run, name: str = "run.jsonl") -> list[Step]:
    return list(readers.steps_of(RunFile.of(name, content), run.locator))


def test_the_corpus_for_fuzzing_has_these_files() -> None:
    corpus = Path(__file__).parent / "corpus" / "reader"
    assert {name: (corpus / name).read_bytes() for name in FILES} == FILES


@pytest.mark.parametrize("name", FILES)
def test_each_run_of_a_file_is_found_again_alone_with_its_own_steps(name: str) -> None:
    runs = runs_of(FILES[name], name)
    for run in runs:
        assert run.unknown == ()
        (again,) = readers.read_source(RunFile.of(name, FILES[name]), named=False, locator=run.locator) or ()
        assert again.without_texts() == run.without_texts()
        found = steps_of(FILES[name], run, name)
        assert len(found) == (run.steps.steps if run.steps else 0)
        assert run.texts.summary == [step.text for step in found if step.kind is StepKind.TEXT][-1]


# aider


def chats_of(shared: Path) -> list[Path]:
    return [path for path in files(shared / "more-runs" / "aider-chat") if path.suffix == ".md"]


def test_real_chats_of_aider_have_the_sums_of_their_lines(shared: Path) -> None:
    """Counted chat by chat by one expression, which knows nothing of whose a line is."""
    lines = re.compile(
        r"^> Tokens: ([\d.]+)(k?) sent(?:, ([\d.]+)(k?) cache write)?(?:, ([\d.]+)(k?) cache hit)?, ([\d.]+)(k?) rec"
    )
    for path in chats_of(shared):
        text = path.read_bytes().decode().replace("\r\n", "\n")
        chats = re.split(r"^# aider chat started at .*$", text, flags=re.MULTILINE)[1:]
        runs = runs_of(path.read_bytes(), path.name)
        assert len(runs) == len(chats)
        for run, chat in zip(runs, chats, strict=True):
            found = [match.groups(default="0") for line in chat.split("\n") if (match := lines.match(line))]
            sums = [sum(round(float(row[at]) * UNITS[row[at + 1].strip("0")]) for row in found) for at in (0, 2, 4, 6)]
            assert (run.tokens.sent or 0, run.tokens.output or 0) == (sums[0], sums[3]), path
            assert (run.tokens.cache_write or 0, run.tokens.cache_read or 0) == (sums[1], sums[2])
            edits = re.findall(r"^> Applied edit to (.+?) *$", chat, re.MULTILINE)
            failed = chat.count("\n> The LLM did not conform")
            assert run.steps and run.steps.tool_calls == len(edits) + failed and run.steps.tool_failures == failed
            assert len(run.steps.edited or ()) == len(set(edits))
            assert run.agent_version == (re.findall(r"^> Aider v(\S+)", chat, re.MULTILINE) or [None])[-1]


def test_a_real_chat_of_aider_has_exactly_the_figures_of_the_acceptance(shared: Path) -> None:
    (path,) = (path for path in chats_of(shared) if "AbdulAlkawasmeh" in str(path))
    (run,) = runs_of(path.read_bytes(), path.name)
    assert (run.cost_usd, run.cost_is_lower_bound, run.turns) == (pytest.approx(0.0135, abs=5e-5), False, 12)
    assert (run.model, run.agent_version) == ("openrouter/openai/gpt-4o-mini", "0.86.1")
    assert run.steps and run.steps.tool_calls == 18
    assert {"edit format": "diff", "commits": "14", "started at": "2025-12-03 14:43:45"}.items() <= dict(
        run.texts.fields
    ).items()


def test_the_folder_of_an_exercise_of_aider_is_one_run_with_the_exact_cost(shared: Path) -> None:
    runs = load_runs(shared / "more-runs" / "aider-chat")
    assert len(runs) == 17 + 1 + 1 + 6
    (ledger,) = (entry.run for entry in runs if entry.task == "ledger")
    assert (ledger.cost_usd, ledger.outcome, ledger.wall_ms) == (0.10994369999999999, Outcome.PASS, 64122)
    assert (ledger.model, kinds(ledger)) == ("anthropic/claude-3-5-sonnet-20240620", (5_300, 8_000, 6_300, 4_159))
    assert not any(caveat.code == "W_CONTRADICTION" for caveat in ledger.caveats)


def test_whose_a_line_of_a_chat_is_and_what_it_used() -> None:
    run, broken = runs_of(AIDER_CHAT.encode(), "a.md")
    assert kinds(run) == (14_060, 240, 1_900, 240)
    assert [(line.model, line.tokens.output) for line in run.ledger] == [
        ("anthropic/claude-sonnet-4-5", 120),
        ("openai/gpt-4o-mini", 80),
        ("openai/gpt-4o", 40),
    ]
    assert (run.cost_usd, run.turns, run.status, run.status_detail) == (0.02, 3, Status.STOPPED, "usage limit")
    found = steps_of(AIDER_CHAT.encode(), run, "a.md")
    prompts = [step.text for step in found if step.kind is StepKind.PROMPT]
    assert prompts == ["Name the tide.\n\nIt rises twice a day.", "And the ebb?"]
    assert [step.text for step in found if step.kind is StepKind.THINKING] == ["The ebb is the other way."]
    edit, command, failed = calls(found)
    assert (edit.target, edit.changes, edit.failed) == ("tide.py", '-name = "tide"\n+name = "spring"', False)
    assert (command.target, command.result, failed.failed) == ("make test", None, True)
    assert (broken.status, broken.turns, broken.ledger_is_lower_bound) == (Status.INTERRUPTED, 1, True)


@pytest.mark.parametrize(
    ("said", "cost"),
    [
        (("$0.0014 message, $0.0014", "$0.0031 message, $0.0045"), 0.0045),
        (("$0.0014 request, $0.0014", "$0.0031 request, $0.0045"), 0.0045),
        (("$0.00042 message, $0.01", "$0.00053 message, $0.01"), 0.00095),
        (("$1.02 message, $1.02", "$2.33 message, $3.36"), 3.36),
        (("$0.30 message, $0.30", "$0.10 message, $0.10"), 0.4),
    ],
)
def test_the_cost_of_a_chat_is_the_figure_that_is_rounded_less(said: tuple[str, ...], cost: float) -> None:
    head = "# aider chat started at 2026-03-01 09:00:00\n\n#### Go  \n"
    for separator in (" ", "\n"):
        for end in ("  \n", "\n"):
            answers = [
                f"\nDone.\n\n> Tokens: 1,000 sent, 10 received.{separator}Cost: {each} session.{end}" for each in said
            ]
            content = head + "".join(answers)
            run = run_of(content.replace("  \n", end).encode(), "a.md")
            assert (run.cost_usd, run.turns, kinds(run)) == (pytest.approx(cost), 2, (2_000, None, None, 20)), content


@pytest.mark.parametrize("change", ["  \n to \n", "\r\n", "utf-16", "a copy", "split"])
def test_a_chat_is_the_same_in_other_forms(change: str, tmp_path: Path) -> None:
    first, second = (f"\n# aider chat{part}" for part in AIDER_CHAT.split("\n# aider chat")[1:])
    forms = {
        "  \n to \n": [AIDER_CHAT.replace("  \n", "\n").encode()],
        "\r\n": [AIDER_CHAT.replace("\n", "\r\n").encode()],
        "utf-16": [AIDER_CHAT.encode("utf-16")],
        "a copy": [AIDER_CHAT.encode(), f"{first}{second}".encode(), first.encode()],
        "split": [second.encode(), first.encode()],
    }
    for number, content in enumerate(forms[change]):
        (tmp_path / f"{number}.md").write_bytes(content)
    found = [entry.run for entry in load_runs(tmp_path)]
    whole = runs_of(AIDER_CHAT.encode(), "a.md")
    assert len(found) == 2
    assert sorted(run.tokens.output or 0 for run in found) == sorted(run.tokens.output or 0 for run in whole)


@pytest.mark.parametrize(
    "content",
    [
        b"Notes\n\n# aider chat started at 2026-03-01 09:00:00\n",
        b"# aider chat started at noon\n\n#### Go  \n",
        b'{"text": "# aider chat started at 2026-03-01 09:00:00"}',
    ],
)
def test_a_text_that_only_quotes_a_chat_is_no_run(content: bytes) -> None:
    assert runs_of(content, "a.md") == ()
