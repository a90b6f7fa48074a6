"""Chats of aider, sessions of Pi and OpenClaw, tasks of Cline: what their files say, counted in another way."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

from sitegen.api import load_runs
from sitegen.model import Outcome, Run, Status
from sitegen.readers.run_file import RunFile
from sitegen.steps import Step, StepKind, ToolKind
from tests.conftest import ROOT
from tests.support.agent_runs import calls, files, kinds, objects, read, run_of, runs_of
from tests.support.clock import seconds_since
from tests.support.raw_steps import raw_steps
from tests.support.reading import read_source
from tests.support.session_runs import (
    AIDER_CHAT,
    CLINE,
    FILES,
    PI,
    START_MS,
    lines,
    pi_answer,
    requests,
    says,
)

UNITS = {"": 1, "k": 1_000}


def steps_of(content: bytes, run: Run, name: str = "run.jsonl") -> list[Step]:
    return list(raw_steps(RunFile.of(name, content), run.locator))


def test_the_corpus_for_fuzzing_has_these_files() -> None:
    corpus = ROOT / "tests" / "corpus" / "reader"
    assert {name: (corpus / name).read_bytes() for name in FILES} == FILES


@pytest.mark.parametrize("name", FILES)
def test_each_run_of_a_file_is_found_again_alone_with_its_own_steps(name: str) -> None:
    runs = runs_of(FILES[name], name)
    for run in runs:
        assert run.unknown == ()
        (again,) = (
            read_source(RunFile.of(name, FILES[name]), named=False, locator=run.locator) or ()
        )
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
            found = [
                match.groups(default="0")
                for line in chat.split("\n")
                if (match := lines.match(line))
            ]
            sums = [
                sum(round(float(row[at]) * UNITS[row[at + 1].strip("0")]) for row in found)
                for at in (0, 2, 4, 6)
            ]
            assert (run.tokens.sent or 0, run.tokens.output or 0) == (sums[0], sums[3]), path
            assert (run.tokens.cache_write or 0, run.tokens.cache_read or 0) == (sums[1], sums[2])
            edits = re.findall(r"^> Applied edit to (.+?) *$", chat, re.MULTILINE)
            failed = chat.count("\n> The LLM did not conform")
            assert (
                run.steps
                and run.steps.tool_calls == len(edits) + failed
                and run.steps.tool_failures == failed
            )
            assert len(run.steps.edited or ()) == len({path.replace("\\", "/") for path in edits})
            assert (
                run.agent_version
                == (re.findall(r"^> Aider v(\S+)", chat, re.MULTILINE) or [None])[-1]
            )


def test_a_real_chat_of_aider_has_exactly_the_figures_of_the_acceptance(shared: Path) -> None:
    (path,) = (path for path in chats_of(shared) if "AbdulAlkawasmeh" in str(path))
    (run,) = runs_of(path.read_bytes(), path.name)
    assert (run.cost_usd, run.cost_is_lower_bound, run.turns) == (
        pytest.approx(0.0135, abs=5e-5),
        False,
        12,
    )
    assert (run.model, run.agent_version) == ("openrouter/openai/gpt-4o-mini", "0.86.1")
    assert run.steps and run.steps.tool_calls == 18
    assert {
        "edit format": "diff",
        "commits": "14",
        "started at": "2025-12-03 14:43:45",
    }.items() <= dict(run.texts.fields).items()


def test_the_folder_of_an_exercise_of_aider_is_one_run_with_the_exact_cost(shared: Path) -> None:
    runs = load_runs(shared / "more-runs" / "aider-chat")
    assert len(runs) == 17 + 1 + 1 + 6
    (ledger,) = (entry.run for entry in runs if entry.task == "ledger")
    assert (ledger.cost_usd, ledger.outcome, ledger.wall_ms) == (
        0.10994369999999999,
        Outcome.PASS,
        64122,
    )
    assert (ledger.model, kinds(ledger)) == (
        "anthropic/claude-3-5-sonnet-20240620",
        (5_300, 8_000, 6_300, 4_159),
    )
    assert not any(caveat.code == "W_CONTRADICTION" for caveat in ledger.caveats)


def test_whose_a_line_of_a_chat_is_and_what_it_used() -> None:
    run, broken = runs_of(AIDER_CHAT.encode(), "a.md")
    assert kinds(run) == (14_060, 240, 1_900, 240)
    assert [(line.model, line.tokens.output) for line in run.ledger] == [
        ("anthropic/claude-sonnet-4-5", 120),
        ("openai/gpt-4o-mini", 80),
        ("openai/gpt-4o", 40),
    ]
    assert (run.cost_usd, run.turns, run.status, run.status_detail) == (
        0.02,
        3,
        Status.STOPPED,
        "usage limit",
    )
    found = steps_of(AIDER_CHAT.encode(), run, "a.md")
    prompts = [step.text for step in found if step.kind is StepKind.PROMPT]
    assert prompts == ["Name the tide.\n\nIt rises twice a day.", "And the ebb?"]
    assert [step.text for step in found if step.kind is StepKind.THINKING] == [
        "The ebb is the other way."
    ]
    edit, command, failed = calls(found)
    assert (edit.target, edit.changes, edit.failed) == (
        "tide.py",
        '-name = "tide"\n+name = "spring"',
        False,
    )
    assert (command.target, command.result, failed.failed) == ("make test", None, True)
    assert (broken.status, broken.turns, broken.ledger_is_lower_bound) == (
        Status.INTERRUPTED,
        1,
        True,
    )


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
def test_the_cost_of_a_chat_is_the_figure_that_is_rounded_less(
    said: tuple[str, ...], cost: float
) -> None:
    head = "# aider chat started at 2026-03-01 09:00:00\n\n#### Go  \n"
    for separator in (" ", "\n"):
        for end in ("  \n", "\n"):
            answers = [
                f"\nDone.\n\n> Tokens: 1,000 sent, 10 received.{separator}Cost: {each} session.{end}"
                for each in said
            ]
            content = head + "".join(answers)
            run = run_of(content.replace("  \n", end).encode(), "a.md")
            assert (run.cost_usd, run.turns, kinds(run)) == (
                pytest.approx(cost),
                2,
                (2_000, None, None, 20),
            ), content


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
    assert {run.steps and run.steps.tests for run in found} == {None}
    assert sorted(run.tokens.output or 0 for run in found) == sorted(
        run.tokens.output or 0 for run in whole
    )


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


@pytest.mark.parametrize(
    "piece",
    [
        "<thinking-content-0a>\n",
        "\nf.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
        "\nOn it\n> note  \n\n",
        "> Applied edit to f.py  \n",
        "\n#### Go  \n\n",
        "-- SEARCH\n>>>>>>> SEARCH\n",
    ],
)
def test_a_chat_of_very_many_pieces_takes_linear_time(piece: str) -> None:
    def seconds(number: int) -> float:
        content = f"# aider chat started at 2026-03-01 09:00:00\n\n#### Go  \n\nf.py\n{piece * number}".encode()
        begin = time.process_time()
        runs_of(content, "a.md")
        return seconds_since(begin)

    seconds(100)
    assert seconds(16_000) < 24 * max(seconds(2_000), 0.02)  # the square would be 64 times as much


_A, _B = "a\n", "b\n"
_REPEATED = f"f.py\n<<<<<<< SEARCH\n{_A * 180}=======\n{(_A + _B) * 90}>>>>>>> REPLACE\n"


@pytest.mark.parametrize("answer", [f"--- ► **THINKING**\n{'-' * 200_000}", _REPEATED * 500])
def test_an_answer_that_aider_never_writes_takes_no_minutes(answer: str) -> None:
    content = f"# aider chat started at 2026-03-01 09:00:00\n\n#### Go  \n\n{answer}\n\n> Applied edit to f.py  \n"
    assert run_of(content.encode(), "a.md").turns == 1


# Pi and OpenClaw


def test_real_sessions_of_pi_have_the_sums_of_their_answers(shared: Path) -> None:
    paths = [
        path
        for family in ("pi-session", "harbor-trial")
        for path in files(shared / "more-runs" / family)
        if path.suffix == ".jsonl" and path.read_bytes()[:40].find(b'"session"') > 0
    ]
    assert len(paths) >= 8
    for path in paths:
        records = objects(path)
        messages = [record["message"] for record in records if record["type"] == "message"]
        usages = [
            message.get("usage", {}) for message in messages if message["role"] == "assistant"
        ]
        (run,) = runs_of(path.read_bytes(), path.name)
        sums = (
            sum(usage.get(name, 0) for usage in usages)
            for name in ("input", "cacheWrite", "cacheRead", "output")
        )
        assert kinds(run) == tuple(sums), path
        cost = sum(usage["cost"]["total"] for usage in usages if usage)
        assert run.cost_usd == (pytest.approx(cost, abs=1e-9) if cost else None)
        results = [message for message in messages if message["role"] == "toolResult"]
        failed = sum(
            bool(each["isError"] or (each.get("details") or {}).get("exitCode"))
            or (each.get("details") or {}).get("status") in ("error", "failed")
            for each in results
        )
        asked = [
            block["name"] for m in messages for block in m["content"] if block["type"] == "toolCall"
        ]
        assert run.steps and (run.steps.tool_calls, run.steps.tool_failures) == (len(asked), failed)
        assert (run.turns, run.unknown) == (len(usages), ())
        assert run.steps.compactions == sum(record["type"] == "compaction" for record in records)
        assert (run.started_at or "")[:19] == records[0]["timestamp"][:19]
        reader = (
            "OpenClaw session"
            if any(record["type"] == "custom" for record in records)
            else "Pi session"
        )
        assert run.reader == reader


def test_a_real_session_of_pi_has_exactly_the_figures_of_the_acceptance(shared: Path) -> None:
    (path,) = files(shared / "more-runs" / "pi-session" / "badlogic+pi-mono")
    (run,) = runs_of(path.read_bytes(), path.name)
    assert kinds(run) == (1_049, 4_296_232, 43_229_469, 83_156)
    assert (run.turns, run.status) == (453, Status.OK) and run.cost_usd == pytest.approx(
        30.330198, abs=5e-7
    )


def test_copies_of_a_session_before_its_compactions_are_that_session(shared: Path) -> None:
    runs = load_runs(shared / "more-runs" / "pi-session")
    assert len(runs) == 6
    assert [problem.code for problem in runs.problems].count("W_DUPLICATE") == 2


def test_calls_of_openclaw_have_exit_codes_and_edits_their_lines() -> None:
    run = read(*PI)
    found = calls(steps_of(lines(PI), run))
    assert [(c.kind, c.failed, c.exit_code, c.changes) for c in found] == [
        (ToolKind.RUN, True, 2, ""),
        (ToolKind.EDIT, False, None, "-a\n+b\n+c"),
    ]
    assert run.steps and (
        run.steps.lines_added,
        run.steps.lines_removed,
        run.steps.compactions,
    ) == (2, 1, 1)
    assert [(line.model, line.tokens.output) for line in run.ledger] == [
        ("claude-opus-4-5", 20),
        ("claude-sonnet-4-5", 20),
    ]
    assert (run.cost_usd, run.status, run.texts.summary) == (0.02, Status.OK, "Called it spring.")


@pytest.mark.parametrize(
    ("fields", "ended"),
    [
        ({"stopReason": "toolUse"}, (Status.INTERRUPTED, None)),
        ({"stopReason": "aborted"}, (Status.INTERRUPTED, "aborted")),
        ({"stopReason": "length"}, (Status.FAILED, "output limit")),
        (
            {"stopReason": "error", "errorMessage": "429 rate limit"},
            (Status.STOPPED, "usage limit"),
        ),
        ({"stopReason": "error", "errorMessage": "terminated"}, (Status.FAILED, "error")),
        ({"stopReason": "paused"}, (Status.UNKNOWN, None)),
    ],
)
def test_how_a_session_of_pi_ended(
    fields: dict[str, str], ended: tuple[Status, str | None]
) -> None:
    run = read(*PI[:-1], PI[-1] | {"message": PI[-1]["message"] | fields})
    assert (run.status, run.status_detail) == ended
    assert run.unknown == (("message.stopReason paused",) if ended[0] is Status.UNKNOWN else ())


def test_unknown_lines_and_fields_of_a_session_are_named_once() -> None:
    strange = {"type": "dream", "id": "d1", "timestamp": "2026-03-01T09:01:00Z"}
    usage = PI[-1]["message"]["usage"] | {"dreamt": 3}
    run = read(
        *PI, strange, strange | {"id": "d2"}, pi_answer("d3", 30, "stop", usage=usage, mood="good")
    )
    assert run.unknown == ("dream", "message.mood", "usage.dreamt")


def test_costs_that_are_not_known_are_not_0() -> None:
    def priced(*costs: float) -> Run:
        usage = {"input": 100, "output": 20, "cacheRead": 0, "cacheWrite": 0}
        answers = (
            pi_answer(
                f"p{at}",
                10 + at,
                "stop",
                {"type": "text", "text": "."},
                usage=usage | {"cost": {"total": cost}},
            )
            for at, cost in enumerate(costs)
        )
        return read(*PI[:5], *answers)

    assert (priced(0, 0).cost_usd, priced(0.5, 0.25).cost_usd) == (None, 0.75)
    assert (priced(0.5, 0).cost_usd, priced(0.5, 0).cost_is_lower_bound) == (0.5, True)
    bare = read(
        *PI[:5], pi_answer("p9", 9, "stop", {"type": "text", "text": "."}, usage={}), PI[-1]
    )
    assert (bare.ledger_is_lower_bound, bare.turns, bare.cost_is_lower_bound) == (True, 2, True)


def test_a_forked_session_counts_without_what_it_copied(tmp_path: Path) -> None:
    header = PI[0] | {
        "id": "5e-2",
        "timestamp": "2026-03-01T09:00:20.000Z",
        "parentSession": "5e-1.jsonl",
    }
    forked = [header, *PI[1:], pi_answer("f1", 30, "stop", {"type": "text", "text": "Or neap."})]
    run = read(*forked)
    assert (run.turns, kinds(run)) == (1, (100, 50, 900, 20))
    assert "W_COPY" in {caveat.code for caveat in run.caveats}
    for name, records in {"a": PI, "b": forked, "c": PI[:6], "d": PI}.items():
        (tmp_path / f"{name}.jsonl").write_bytes(lines(records))
    assert sorted(entry.run.turns or 0 for entry in load_runs(tmp_path)) == [1, 2]


def test_sessions_one_behind_the_other_are_two_runs() -> None:
    other = [PI[0] | {"id": "5e-9"}, *PI[1:]]
    assert [run.turns for run in runs_of(lines([*PI, *other]))] == [2, 2]


# Cline


def task(*records: dict[str, Any]) -> Run:
    return run_of(json.dumps(records).encode(), "ui_messages.json")


def test_real_tasks_of_cline_have_the_sums_of_their_requests(shared: Path) -> None:
    for path in files(shared / "more-runs" / "cline-task"):
        messages = json.loads(path.read_bytes())
        asked = [
            json.loads(each["text"]) for each in messages if each.get("say") == "api_req_started"
        ]
        spent = [
            *asked,
            *(
                json.loads(each["text"])
                for each in messages
                if each.get("say") == "deleted_api_reqs"
            ),
        ]
        (run,) = runs_of(path.read_bytes(), path.name)
        names = ("tokensIn", "cacheWrites", "cacheReads", "tokensOut")
        assert kinds(run) == tuple(sum(each.get(name, 0) for each in spent) for name in names)
        assert run.cost_usd == pytest.approx(sum(each["cost"] for each in spent), abs=1e-12)
        assert run.cost_is_lower_bound == any(
            each["tokensIn"] and not each["cost"] for each in spent
        )
        tools = [each["text"] for each in messages if "tool" in (each.get("say"), each.get("ask"))]
        assert run.steps and (run.turns, run.steps.tool_calls) == (len(asked), len(tools))
        assert {line.model for line in run.ledger} == {
            message["modelInfo"]["modelId"]
            for message in messages
            if message.get("say") == "api_req_started" and json.loads(message["text"])["tokensIn"]
        }
        assert (run.started_at or "")[:10] == "2026-01-05" and run.unknown == ()


def test_a_real_task_of_cline_has_exactly_the_figures_of_the_acceptance(shared: Path) -> None:
    (path,) = files(shared / "more-runs" / "cline-task" / "haram-333+fineye")
    (run,) = runs_of(path.read_bytes(), path.name)
    assert kinds(run) == (144_404, 0, 632_838, 4_086)
    assert (run.cost_usd, run.turns, run.status) == (0.47771265, 31, Status.FAILED)
    assert run.steps and [(each.kind, each.calls) for each in run.steps.by_kind] == [
        ("read", 13),
        ("search", 2),
    ]
    assert ("retries", "37") in run.texts.fields


def test_a_task_of_cline_has_its_calls_edits_and_commands_once() -> None:
    run = task(*CLINE)
    assert (kinds(run), run.cost_usd, run.turns) == ((45, 800, 4_000, 126), 0.09, 4)
    found = calls(steps_of(json.dumps(CLINE).encode(), run, "ui_messages.json"))
    assert [(c.kind, c.target, c.result, c.changes) for c in found] == [
        (ToolKind.READ, "tide.py", None, ""),
        (ToolKind.EDIT, "tide.py", "", "-name = 1\n+name = 3"),
        (ToolKind.RUN, "make test", "red\ngreen", ""),
    ]
    assert run.steps and (len(run.steps.edited or ()), run.steps.lines_added) == (1, 1)
    assert (run.status, run.texts.summary, run.model) == (
        Status.OK,
        "Called it spring.",
        "anthropic/claude-sonnet-4.5",
    )


@pytest.mark.parametrize(
    ("last", "ended"),
    [
        ([], (Status.OK, None)),
        ([says("resume_completed_task", "", 20, "ask")], (Status.OK, None)),
        ([says("resume_task", "", 20, "ask")], (Status.INTERRUPTED, None)),
        ([says("user_feedback", "Again.", 20)], (Status.INTERRUPTED, None)),
        ([says("followup", {"question": "Which?"}, 20, "ask")], (Status.OK, None)),
        (
            [says("api_req_failed", {"message": "Too many requests"}, 20, "ask")],
            (Status.STOPPED, "usage limit"),
        ),
        ([says("api_req_failed", "Bad Request", 20, "ask")], (Status.FAILED, "error")),
    ],
)
def test_how_a_task_of_cline_ended(
    last: list[dict[str, Any]], ended: tuple[Status, str | None]
) -> None:
    run = task(*CLINE, *last)
    assert (run.status, run.status_detail) == ended


def test_a_task_of_cline_that_was_cut_is_a_lower_bound_and_says_what_it_does_not_know() -> None:
    running = says("api_req_started", {"request": "<task>"}, 30)
    run = task(*CLINE, running, says("dreamt", "", 31), says("text", "On", 32, mood="good"))
    assert (run.turns, run.ledger_is_lower_bound, run.cost_is_lower_bound) == (5, True, True)
    assert run.unknown == ("mood", "say dreamt")
    failed = says(
        "api_req_started",
        {"tokensIn": 0, "tokensOut": 0, "cost": 0, "cancelReason": "streaming_failed"},
        30,
    )
    assert not task(*CLINE, failed).ledger_is_lower_bound


def test_input_includes_the_cache_where_a_request_says_that_its_protocol_is_that_of_openai() -> (
    None
):
    assert kinds(task(CLINE[0], requests(1, tokensIn=1_210, apiProtocol="openai"))) == (
        10,
        200,
        1_000,
        30,
    )


@pytest.mark.parametrize(
    "content",
    [
        [{"say": "hello", "to": "world"}],
        [{"ts": 5, "type": "say", "say": "text", "text": "Too early to be a time."}],
        [{"ts": START_MS, "type": "say", "text": "No name."}],
        {"say": "text", "ts": START_MS, "type": "say"},
        [{"role": "user", "content": [{"type": "text", "text": 'It says "say": "text".'}]}],
    ],
)
def test_what_only_looks_like_a_task_of_cline_is_no_run(content: object) -> None:
    assert runs_of(json.dumps(content).encode(), "ui_messages.json") == ()


def test_what_lies_beside_a_task_of_cline_is_no_problem(tmp_path: Path) -> None:
    for name in ("1767644900000", "1767644900001"):
        folder = tmp_path / "tasks" / name
        folder.mkdir(parents=True)
        (folder / "ui_messages.json").write_bytes(
            json.dumps([says("text", name, 0), *CLINE[1:]]).encode()
        )
        asked = [{"role": "user", "content": [{"type": "text", "text": "Name the tide."}]}]
        (folder / "api_conversation_history.json").write_text(json.dumps(asked))
        (folder / "task_metadata.json").write_text('{"files_in_context": [], "model_usage": []}')
    runs = load_runs(tmp_path)
    assert [entry.run.session_id for entry in runs] == ["1767644900000", "1767644900001"]
    assert runs.problems == ()
