"""Chats of aider, and results of its benchmark."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.model import Outcome, Run, Status
from sitegen.readers.common.builder import RunBuilder
from sitegen.readers.common.values import Caveats
from sitegen.readers.harness.aider import AIDER_RESULT, AiderChat, parts, read_result
from sitegen.readers.run_file import RunFile
from sitegen.steps import Step, StepKind
from tests.support.agent_runs import calls, kinds, texts_of, told

BEGIN = "# aider chat started at 2026-03-01 10:00:00\n"


def said(text: str) -> list[tuple[str, str]]:
    """Who said what in the chats of a file."""
    file = RunFile.of(".aider.chat.history.md", text.encode())
    return [(record["type"], record["text"]) for chat in parts(file, Caveats()) for record in chat]


def chat(*paragraphs: str) -> tuple[Run, list[Step]]:
    file = RunFile.of(".aider.chat.history.md", (BEGIN + "\n".join(paragraphs) + "\n").encode())
    ((*records,),) = parts(file, Caveats())
    return told(AiderChat(), *records)


def user(text: str) -> str:
    return f"\n#### {text}  \n"


def aider(*texts: str) -> str:
    return "".join(f"> {text}  \n" for text in texts)


ASKED = user("Mend it.")
ANSWER = "\nI mend it.\n"
COUNTED = "Tokens: 1.2k sent, 30 received. Cost: $0.01 message, $0.01 session."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (BEGIN, [("start", "2026-03-01 10:00:00")]),
        ("words\n", []),
        (
            BEGIN + BEGIN.replace("10:00:00", "11:00:00"),
            [("start", "2026-03-01 10:00:00"), ("start", "2026-03-01 11:00:00")],
        ),
        (
            BEGIN + "\n#### Mend it.  \n#### And more.  \n\nDone.\n\n> Applied edit to a.py  \n",
            [
                ("start", "2026-03-01 10:00:00"),
                ("user", "Mend it.\nAnd more."),
                ("model", "Done."),
                ("aider", "Applied edit to a.py"),
            ],
        ),
        # A line of aider's without blanks at its end goes on in the next one.
        (
            BEGIN + "> one  \n> Error: odd\nand more  \nProgram.\n\nMore.\n",
            [
                ("start", "2026-03-01 10:00:00"),
                ("aider", "one"),
                ("aider", "Error: odd\nand more"),
                ("program", "Program.\n\nMore."),
            ],
        ),
        # Each line of aider's stands alone.
        (
            BEGIN + "> one  \n> two  \n",
            [("start", "2026-03-01 10:00:00"), ("aider", "one"), ("aider", "two")],
        ),
        # Where blanks at line ends are gone, beginnings of lines decide.
        (
            BEGIN + "#### Mend it.\n\nDone.\n> quoted\n> Tokens: 5 sent, 3 received.\n",
            [
                ("start", "2026-03-01 10:00:00"),
                ("user", "Mend it."),
                ("model", "Done.\n> quoted"),
                ("aider", "Tokens: 5 sent, 3 received."),
            ],
        ),
        # A quotation of the model's has no blanks at its end.
        (
            BEGIN + "#### x  \n\nDone.\n> quoted\n> by aider  \n",
            [
                ("start", "2026-03-01 10:00:00"),
                ("user", "x"),
                ("model", "Done.\n> quoted"),
                ("aider", "by aider"),
            ],
        ),
        (
            BEGIN + "##### no prompt\n",
            [("start", "2026-03-01 10:00:00"), ("model", "##### no prompt")],
        ),
    ],
)
def test_lines_of_a_chat_are_of_the_user_of_aider_or_of_the_model(
    text: str, found: list[tuple[str, str]]
) -> None:
    assert said(text) == found
    assert said(text.replace("\n", "\r\n")) == found


def test_a_chat_has_its_steps_and_its_figures() -> None:
    run, found = chat(
        aider("Aider v0.86.1", "Main model: moon-3 with diff edit format", "Weak model: sun-1"),
        ASKED,
        ANSWER,
        aider(COUNTED, "Applied edit to a.py", "Commit 0123abc x", "Commit 1123abc y"),
    )
    assert [kind for kind, _ in texts_of(found)] == [
        StepKind.NOTICE,
        StepKind.PROMPT,
        StepKind.TEXT,
        StepKind.TOOL_CALL,
        StepKind.NOTICE,
    ]
    assert found[0].text.startswith("Aider v0.86.1\nMain model") and found[4].text.count("\n") == 1
    assert (run.agent_version, run.model, run.turns) == ("0.86.1", "moon-3", 1)
    assert (run.tokens.output, run.cost_usd) == (30, 0.01)
    assert (run.status, run.status_detail) == (Status.UNKNOWN, "not stated")
    fields = dict(run.texts.fields)
    assert fields["edit format"] == "diff" and fields["weak model"] == "sun-1"
    assert (fields["commits"], fields["started at"]) == ("2", "2026-03-01 10:00:00")
    (edit,) = calls(found)
    assert (edit.target, edit.failed) == ("a.py", False)
    assert [(caveat.code, caveat.text) for caveat in run.caveats] == [
        ("W_ROUNDED", "Its counts of tokens and its costs are rounded to two to four digits.")
    ]


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("Tokens: 100 sent, 20 received.", (100, None, None, 20)),
        ("Tokens: 1,100 sent, 600 cache hit, 20 received.", (500, None, 600, 20)),
        ("Tokens: 100 sent, 30 cache write, 60 cache hit, 20 received.", (10, 30, 60, 20)),
        (
            "Tokens: 1.5k sent, 0 cache write, 1.2k cache hit, 2M received.",
            (300, 0, 1200, 2_000_000),
        ),
        # Rounded down: no more was read and written than was sent.
        ("Tokens: 1.0k sent, 40 cache write, 1,010 cache hit, 2 received.", (0, 40, 1010, 2)),
    ],
)
def test_counts_are_of_what_was_sent_with_the_cache_in_it(
    line: str, counts: tuple[int | None, ...]
) -> None:
    assert kinds(chat(ASKED, ANSWER, aider(line))[0]) == counts


@pytest.mark.parametrize(
    ("costs", "cost"),
    [
        ([("0.01", "0.01")], 0.01),
        ([("0.01", "0.01"), ("0.02", "0.03")], 0.03),
        # The sum begins again, and then it is that of the message.
        ([("0.0100", "0.0100"), ("0.0200", "0.0200")], 0.03),
        # It goes on from an older sum, so messages count.
        ([("0.01", "0.05")], 0.01),
        # The sum is rounded less than its messages.
        ([("0.01", "0.012"), ("0.01", "0.024")], 0.024),
        ([("0.0123", "0.01"), ("0.0123", "0.02")], 0.0246),
    ],
)
def test_the_cost_is_that_which_is_rounded_less(costs: list[tuple[str, str]], cost: float) -> None:
    lines = [
        ASKED
        + ANSWER
        + aider(f"Tokens: 5 sent, 3 received. Cost: ${one} message, ${all_} session.")
        for one, all_ in costs
    ]
    run, _ = chat(*lines)
    assert run.cost_usd == pytest.approx(cost) and not run.cost_is_lower_bound


def test_amounts_may_have_commas() -> None:
    line = "Tokens: 50M sent, 9M received. Cost: $1,000.50 message, $1,000.50 session."
    assert chat(ASKED, ANSWER, aider(line))[0].cost_usd == 1000.5


def test_an_answer_without_a_cost_makes_a_lower_bound() -> None:
    run, _ = chat(
        ASKED, ANSWER, aider(COUNTED), ASKED, "\nMore.\n", aider("Tokens: 5 sent, 3 received.")
    )
    assert (run.cost_usd, run.cost_is_lower_bound, run.turns) == (0.01, True, 2)
    run, _ = chat(ASKED, ANSWER, aider(COUNTED), user("Again."), "\nMore.\n")
    assert (run.cost_is_lower_bound, run.ledger_is_lower_bound, run.turns) == (True, True, 2)


def test_older_versions_have_the_cost_in_a_line_of_its_own() -> None:
    line = "Cost: $0.25 send, $0.50 session.\n"
    run, found = chat(ASKED, ANSWER, aider("Tokens: 5 sent, 3 received.") + line)
    assert run.cost_usd == 0.25
    assert [kind for kind, _ in texts_of(found)] == [StepKind.PROMPT, StepKind.TEXT]


@pytest.mark.parametrize(
    ("line", "ended"),
    [
        ("^C again to exit", (Status.INTERRUPTED, "aborted")),
        ("Only 3 reflections allowed, stopping.", (Status.FAILED, "reflection limit")),
        ("Model moon-3 has hit a token limit!", (Status.FAILED, "context limit")),
        ("litellm.RateLimitError: 429", (Status.STOPPED, "usage limit")),
        ("litellm.OddError: x", (Status.FAILED, "OddError")),
        ("Something else", (Status.UNKNOWN, "not stated")),
    ],
)
def test_the_last_line_says_how_it_ended(line: str, ended: tuple[Status, str | None]) -> None:
    run, _ = chat(ASKED, ANSWER, aider(COUNTED, line))
    assert (run.status, run.status_detail) == ended
    assert chat(ASKED, ANSWER, aider(COUNTED, line), ASKED)[0].status is Status.INTERRUPTED


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("/add a.py", StepKind.NOTICE),
        ("/help", StepKind.NOTICE),
        ("!ls", StepKind.NOTICE),
        ("/ask why?", StepKind.PROMPT),
        ("/ask", StepKind.NOTICE),
        ("/code mend", StepKind.PROMPT),
        ("/architect plan", StepKind.PROMPT),
        ("/context x", StepKind.PROMPT),
        ("/etc/hosts is wrong", StepKind.PROMPT),
    ],
)
def test_commands_to_aider_are_no_prompts(text: str, kind: StepKind) -> None:
    assert texts_of(chat(user(text))[1]) == [(kind, text)]


def test_an_answer_of_the_architect_is_the_editors_prompt_and_one_step() -> None:
    models = aider("Model: moon-3 with architect edit format", "Editor model: sun-1 with diff")
    plan = "\nChange a.\n"
    tokens = "Tokens: 5 sent, 3 received."
    run, found = chat(
        models, ASKED, plan, aider(tokens), user("Change a."), "\nChanged.\n", aider(tokens)
    )
    assert [text for kind, text in texts_of(found) if kind is not StepKind.NOTICE] == [
        "Mend it.",
        "Change a.",
        "Changed.",
    ]
    assert {line.model: line.tokens.output for line in run.ledger} == {"moon-3": 3, "sun-1": 3}


@pytest.mark.parametrize(
    "answer",
    [
        "<thinking-content-0a1b>\nHm.\n</thinking-content-0a1b>\nDone.",
        "--------------\n► **THINKING**\nHm.\n------------\n► **ANSWER**\nDone.",
    ],
)
def test_thoughts_are_told_apart(answer: str) -> None:
    _, found = chat(ASKED, f"\n{answer}\n", aider(COUNTED))
    assert texts_of(found)[1:] == [(StepKind.THINKING, "Hm."), (StepKind.TEXT, "Done.")]


def test_edits_that_failed_and_commands_are_calls() -> None:
    _, found = chat(
        ASKED,
        ANSWER,
        aider(COUNTED, "The LLM did not conform to the edit format.", "Running make test"),
    )
    edit, shell = calls(found)
    assert (edit.name, edit.failed) == ("edit", True)
    assert edit.result == "The LLM did not conform to the edit format."
    assert (shell.name, shell.target, shell.failed) == ("shell", "make test", None)


# Results


def result(**fields: Any) -> dict[str, Any]:
    return {"testcase": "tide", "edit_format": "diff", "model": "moon-3", "duration": 2.5, **fields}


def read(**fields: Any) -> Run:
    run = RunBuilder(AIDER_RESULT.format)
    assert read_result(result(**fields), run)
    return run.build()


def test_what_is_no_exercise_is_no_result() -> None:
    for record in ({"testcase": "x"}, {"edit_format": "diff"}, {"testcase": "", "exception": "x"}):
        assert not read_result(record, RunBuilder(AIDER_RESULT.format))
    assert read_result({"testcase": "x", "exception": "y"}, RunBuilder(AIDER_RESULT.format))


@pytest.mark.parametrize(
    ("tries", "outcome", "first"),
    [
        ([True], Outcome.PASS, [1.0]),
        ([False, True], Outcome.PASS, [0.0]),
        ([True, False], Outcome.FAIL, [1.0]),
        ([], None, []),
        ([1], None, []),
        (None, None, []),
    ],
)
def test_the_last_try_decides(tries: object, outcome: Outcome | None, first: list[float]) -> None:
    run = read(tests_outcomes=tries)
    assert (run.outcome, [score.value for score in run.scores]) == (outcome, first)
    assert run.turns == (len(tries) if isinstance(tries, list) and first else None)
    assert run.status is Status.OK
    assert all(score.name == "pass at first" and score.higher_is_better for score in run.scores)


def test_figures_and_fields_of_a_result() -> None:
    run = read(cost=0.25, prompt_tokens=90, completion_tokens=7, reasoning_effort="High", aura=1)
    assert (run.task, run.wall_ms, run.cost_usd, run.effort) == ("tide", 2_500, 0.25, "high")
    assert kinds(run) == (90, None, None, 7) and run.unknown == ("aura",)
    fields = dict(run.texts.fields)
    assert "edit_format" in fields and not {"testcase", "model", "cost", "duration"} & fields.keys()
    assert kinds(read(prompt_tokens=0, completion_tokens=0)) == (None, None, None, None)
    assert kinds(read(prompt_tokens=0, completion_tokens=7)) == (0, None, None, 7)


def test_an_exception_and_an_exhausted_window_end_a_run() -> None:
    run = read(exception="litellm.RateLimitError: 429")
    assert (run.status, run.status_detail, run.outcome) == (
        Status.STOPPED,
        "usage limit",
        Outcome.ERROR,
    )
    assert read(exception="x", tests_outcomes=[True]).outcome is Outcome.PASS
    run = read(num_exhausted_context_windows=1, tests_outcomes=[False])
    assert (run.status, run.status_detail) == (Status.FAILED, "context limit")
    assert read(num_exhausted_context_windows=0).status is Status.OK
