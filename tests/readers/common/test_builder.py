"""A run from what a reader says of its records."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.model import (
    BEGINNING,
    ModelUsage,
    Outcome,
    Run,
    Score,
    Status,
    TextKind,
    Texts,
    Tokens,
)
from sitegen.readers.common import builder as builders
from sitegen.readers.common.builder import ONLY, FilePlace, Format, RunBuilder
from sitegen.readers.common.fields import NO_KINDS, field_kinds
from sitegen.readers.common.ledger import AnswerUsage
from sitegen.readers.common.stated import CountRule, Counts
from sitegen.readers.common.tool_log import ToolResult
from sitegen.readers.common.values import Caveats
from sitegen.steps import Step, StepKind, ToolKind

NOW = 1_700_000_000_000
TEXT, PROMPT, THINKING = StepKind.TEXT, StepKind.PROMPT, StepKind.THINKING


def new(**format_: Any) -> RunBuilder:
    return RunBuilder(Format("Tally log", **format_))


def steps_of(run: RunBuilder) -> list[Step]:
    return [step.built(number, contents=True) for number, step in enumerate(run.steps.rest())]


def kinds(run: RunBuilder) -> list[str]:
    return [step.kind.value for step in steps_of(run)]


def codes(run: RunBuilder) -> list[str]:
    return [caveat.code for caveat in run.caveats.all()]


def test_an_empty_run_says_nothing() -> None:
    run = new().build()
    texts = Texts(summary_kind=TextKind.PROMPT)
    assert run == Run("Tally log", Status.UNKNOWN, texts=texts)


def test_what_a_run_is_comes_from_its_builder_and_its_format() -> None:
    run = new(folder="tally", is_converted=True, field_kinds=field_kinds(prompt="task"))
    run.identity.session_id, run.agent_id, run.session_title = "session-1", "a1", "Title"
    run.cwd, run.version, run.mode, run.task, run.evaluation = "/w", "1.2", "auto", "t", "e"
    run.attempt, run.outcome, run.cost_usd, run.turns = 2, Outcome.PASS, 0.5, 3
    run.scores, run.judge = [Score("s", 1.0)], (ModelUsage("j", Tokens(1)),)
    run.fields, run.effort, run.started_ms = {"task": "words", "seed": 4}, "high", NOW
    run.note_unknown("z")
    run.note_unknown("a")
    built = run.build()
    assert (built.folder, built.is_converted, built.session_id) == ("tally", True, "session-1")
    assert (built.agent_id, built.session_title, built.cwd) == ("a1", "Title", "/w")
    assert (built.agent_version, built.task, built.evaluation) == ("1.2", "t", "e")
    assert (built.attempt, built.outcome, built.cost_usd, built.turns) == (2, Outcome.PASS, 0.5, 3)
    assert (built.scores, built.judge) == ((Score("s", 1.0),), run.judge)
    assert built.given == (("Permission mode", "auto"),) and built.effort == "high"
    assert built.unknown == ("a", "z") and built.started_at == "2023-11-14T22:13:20Z"
    assert built.texts.fields == (("task", "words"), ("seed", "4"))
    assert built.texts.field_kinds[0] is TextKind.PROMPT


def test_times_without_a_zone_say_how_long_and_not_when() -> None:
    run = new()
    run.see_time(run.time_of({"timestamp": "2023-11-14T22:13:20"}))
    run.see_time(run.time_of({"at": "2023-11-14T22:13:25"}, "at"))
    built = run.build()
    assert (built.started_at, built.ended_at, built.wall_ms) == (None, None, 5_000)
    run.ended_ms = NOW
    assert run.build().ended_at == "2023-11-14T22:13:20Z"


def test_a_run_took_what_its_file_states() -> None:
    run = new()
    for ms in (NOW, NOW + 9_000):
        run.see_time(ms)
    run.start_turn(NOW + 20_000)
    assert run.build().wall_ms == 9_000
    run.wall_ms = 4_000
    assert run.build().wall_ms == 4_000 and codes(run) == []


def test_a_clock_that_was_set_back_is_said() -> None:
    run = new()
    for ms in (NOW, NOW + 9_000, NOW - 900_000, NOW - 899_000):
        run.see_time(ms)
    assert run.build().wall_ms == 10_000 and codes(run) == ["W_CONTRADICTION"]


def test_the_last_words_of_the_main_agent_are_the_summary() -> None:
    run = new()
    run.add_text(PROMPT, "Do it.")
    run.add_text(TEXT, "First.")
    run.add_text(TEXT, "Done.")
    run.lane = "subagent"
    run.add_text(TEXT, "Found.")
    run.lane = ""
    run.add_text(THINKING, "Hm.")
    texts = run.build().texts
    assert (texts.summary, texts.summary_origin) == ("Done.", "the last message")
    assert texts.summary_kind is TextKind.ANSWER


def test_a_thought_is_the_account_of_an_agent_that_says_nothing_else() -> None:
    for thinks_aloud, summary, origin in ((True, "Hm.", "its last thought"), (False, None, None)):
        run = new(thinks_aloud=thinks_aloud)
        run.add_text(THINKING, "Hm.")
        texts = run.build().texts
        assert (texts.summary, texts.summary_origin) == (summary, origin)
        assert texts.summary_kind is TextKind.PROMPT


def test_the_first_prompt_of_the_main_agent_is_an_input() -> None:
    run, same = new(), new()
    run.lane = "subagent"
    run.add_text(PROMPT, "Other.")
    run.lane = ""
    for text in ("Do it.", "More."):
        run.add_text(PROMPT, text)
    same.add_text(PROMPT, "Do it.")
    assert run.build().given == same.build().given != ()


def test_errors_are_kept_once_and_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builders, "MAX_ERRORS", 2)
    run = new()
    for text in ("a", " ", "a", "b", "c"):
        run.add_error(text)
    assert run.build().texts.errors == ("a", "b") and run.steps.count == 4
    run.note_exception("ValueError: secret words")
    assert list(run.errors) == ["a", "b", "ValueError"]
    run.note_exception("no name here")
    assert len(run.errors) == 3


def test_how_a_run_ended_is_what_was_said_last() -> None:
    run = new()
    run.end(Status.OK, "x")
    run.go_on()
    assert (run.status, run.detail) == (Status.INTERRUPTED, None)
    run.fail("Reached max turns (30)", NOW)
    assert (run.status, run.detail) == (Status.FAILED, "turn limit")
    assert kinds(run) == ["API error"]
    run.succeed()
    assert (run.status, run.detail) == (Status.OK, None)


def test_a_run_that_waits_for_a_result_did_not_succeed() -> None:
    run = new()
    assert not run.ends_in_call
    run.add_call("c1", "Bash", {})
    assert run.ends_in_call
    run.succeed()
    assert (run.status, run.detail) == (Status.INTERRUPTED, "a call without its result")
    run.main_lane = "other"
    assert not run.ends_in_call
    run.main_lane = ""
    run.add_result(ToolResult("c1", "ok"))
    assert not run.ends_in_call


def test_a_call_has_its_result() -> None:
    run = new()
    call = run.add_call("c1", "Bash", {"command": "ls"}, NOW, "m1")
    assert (call.tool, run.has_open_call("c1"), run.has_open_call("c2")) == (
        ToolKind.RUN,
        True,
        False,
    )
    step = run.add_result(ToolResult("c1", "ok", NOW + 5))
    assert step is not None and step.call is call and not run.has_open_call("c1")
    (built,) = steps_of(run)
    assert (built.at_ms, built.message_id) == (NOW, "m1")
    assert built.call is not None and built.call.result == "ok"
    assert run.add_result(ToolResult("c1", "again")) is None


def test_a_call_without_an_id_or_with_that_of_an_open_one_gets_no_result() -> None:
    run = new()
    run.add_call("", "Bash", {})
    run.add_call("c1", "Bash", {})
    run.add_call("c1", "Read", {})
    run.add_result(ToolResult("c1", "ok"))
    run.add_result(ToolResult("", "lost"))
    results = [step.call.result for step in steps_of(run) if step.call]
    assert results == [None, "ok", None]


def test_a_result_waits_for_its_call() -> None:
    run = new()
    run.add_result(ToolResult("c1", "ok"))
    run.add_call("c1", "Bash", {})
    run.tools.take_early_results()
    (step,) = steps_of(run)
    assert step.call is not None and step.call.result == "ok"
    run.add_result(ToolResult("c9", "never"))
    assert run.counts().tool_failures is None


def test_a_subagent_begins_before_its_call_is_answered() -> None:
    run = new(has_lanes=True)
    run.model = "m"
    run.add_call("c1", "Task", {"prompt": "look"}, NOW, "m1")
    run.add_text(TEXT, "meanwhile")
    run.add_result(ToolResult("c1", "found"))
    first, second, third = steps_of(run)
    assert (first.kind, first.starts, first.message_id, first.model) == (
        StepKind.SUBAGENT,
        "c1",
        "m1",
        "m",
    )
    assert first.call is not None and first.call.result is None
    assert (second.text, third.kind, third.message_id, third.model) == (
        "meanwhile",
        StepKind.TOOL_CALL,
        None,
        None,
    )
    assert third.call is not None and third.call.result == "found" and run.steps.count == 3
    plain = new()
    plain.add_call("c1", "Task", {"prompt": "look"})
    assert kinds(plain) == ["tool call"]


def test_blocks_of_a_message_become_steps() -> None:
    run = new()
    blocks = (
        {"type": "text", "text": "a"},
        {"type": "text", "text": ""},
        {"type": "thinking", "thinking": "b"},
        {"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "ls"}},
        {"type": "toolCall", "id": "c2", "name": "Read", "arguments": {"path": "/a"}},
        {"type": "hologram"},
    )
    run.add_blocks(blocks, NOW, "m1")
    assert kinds(run) == ["text", "thinking", "tool call", "tool call"]
    assert list(run.unknown) == ["message.content hologram"]


def test_texts_in_pieces_are_added_when_they_end() -> None:
    run = new()
    run.add_piece(TEXT, "a", 1)
    run.add_piece(THINKING, " ", 2)
    run.add_piece(TEXT, "b", 3)
    run.add_piece(TEXT, "ab", 4, may_be_whole=True)
    run.end_pieces(THINKING, TEXT)
    run.end_pieces(TEXT)
    assert [(step.text, step.at_ms) for step in steps_of(run)] == [("ab", 3)]


def test_tokens_are_those_of_the_model_of_their_message() -> None:
    run = new(usage_follows=True)
    run.model = "a"
    run.add_text(TEXT, "x")
    run.add_usage(Counts(10, 0, 0, 2))
    run.add_tokens(Tokens(5, 0, 0, 1), model="b", is_request=False)
    built = run.build()
    assert [(line.model, line.tokens.sent) for line in built.ledger] == [("a", 10), ("b", 5)]
    (step,) = steps_of(run)
    assert step.tokens is not None and (step.tokens.sent, step.context_tokens) == (10, 10)
    assert built.steps is not None and built.steps.context_peak_tokens == 10


def test_a_message_that_counts_nothing_makes_a_lower_bound() -> None:
    for is_request, is_lower_bound in ((True, True), (False, False)):
        run = new(usage_follows=True)
        run.add_text(TEXT, "x")
        run.add_usage(Counts(), is_request=is_request)
        assert run.tokens.is_lower_bound is is_lower_bound
    run = new(usage_follows=True)
    run.add_usage(Counts())
    assert not run.tokens.is_lower_bound


def test_an_answer_counts_once_and_is_of_its_agent() -> None:
    run = new(usage_follows=True)
    run.model = "a"
    run.add_text(TEXT, "x")
    run.add_answer("m1", AnswerUsage(None, Tokens(10, 0, 0, 1), digest=5))
    run.add_answer("m1", AnswerUsage(None, Tokens(10, 0, 0, 4), digest=5))
    run.add_answer("m2", AnswerUsage(None, Tokens(99, 0, 0, 1)), is_own=False)
    built = run.build()
    assert (built.tokens.sent, built.tokens.output, built.answers) == (109, 5, (5,))
    assert built.steps is not None and built.steps.context_peak_tokens == 10
    run.lane = "sub"
    run.add_answer("m3", AnswerUsage(None, Tokens(500)))
    assert run.steps.context_peak == 10


def test_a_file_that_counts_nothing_says_so() -> None:
    run = new()
    run.model = "a"
    run.note_no_usage()
    assert codes(run) == ["W_MISSING"] and [line.model for line in run.build().ledger] == ["a"]
    run = new()
    run.add_tokens(Tokens(1))
    run.note_no_usage()
    assert codes(run) == []


def test_costs_of_messages_are_that_of_a_run_that_states_none() -> None:
    run = new()
    for cost in (0.1, None, 0.2):
        run.costs.add(cost)
    run.close()
    assert (run.cost_usd, run.cost_is_lower_bound) == (0.3, True)
    run = new()
    run.cost_usd = 0.5
    run.costs.add(0.1)
    run.close()
    assert (run.cost_usd, run.cost_is_lower_bound) == (0.5, False)
    run = new()
    run.costs.add(None)
    run.cost_is_lower_bound = True
    run.close()
    assert (run.cost_usd, run.cost_is_lower_bound) == (None, True)


def test_a_model_that_is_named_has_a_line_in_any_case() -> None:
    run = new()
    run.model = "a"
    run.close()
    assert run.build().ledger == (ModelUsage("a", Tokens(), longest_request=None),)
    run = new()
    run.close()
    assert run.build().ledger == ()


def test_the_ledger_is_led_by_output_or_by_a_model() -> None:
    run = new()
    for model, output in (("c", 1), ("b", 5), ("a", 1)):
        run.add_tokens(Tokens(1, 0, 0, output), model=model)
    assert [line.model for line in run.build().ledger] == ["b", "a", "c"]
    run.leading_model = "c"
    assert [line.model for line in run.build().ledger] == ["c", "b", "a"]


def test_zeros_beside_an_answer_are_unknown() -> None:
    run = new()
    run.add_tokens(Tokens(0, 0, 0, 0), model="a")
    assert run.build().tokens.total == 0
    run.count_turn()
    run.count_turn()
    assert run.turns == 2 and run.build().tokens.total is None


def test_an_amount_that_cannot_be_right_is_said() -> None:
    run = new()
    assert run.amount_of({"cost": 0.5}, "cost") == 0.5 and run.amount_of({}, "cost") is None
    assert codes(run) == []
    assert run.amount_of({"cost": -1}, "cost") is None and codes(run) == ["W_RANGE"]


def test_fields_that_nobody_knows_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    run = new()
    run.check_fields({"trial_name": 1, "novelty": 2}, "terminal-bench", "trial.")
    assert list(run.unknown) == ["trial.novelty"]
    monkeypatch.setattr(builders, "MAX_UNKNOWN", 2)
    for name in ("x" * 200, "c"):
        run.note_unknown(name)
    assert list(run.unknown) == ["trial.novelty", "x" * 100]
    run.list_fields({"a": 1, "b": None}, "a b c", "p.")
    assert run.fields == {"p.a": 1, "p.b": None}


def test_what_is_missing_makes_lower_bounds() -> None:
    run = new()
    run.note_missing("A part of it is gone")
    run.note_missing("Another part too", "W_LIMIT")
    built = run.build()
    assert built.ledger_is_lower_bound and built.cost_is_lower_bound
    assert codes(run) == ["W_MISSING", "W_LIMIT"]
    assert run.caveats.all()[0].text.startswith("A part of it is gone: ")


@pytest.mark.parametrize(
    ("format_", "status", "is_lower_bound"),
    [
        ({}, Status.OK, True),
        ({"ends_with_totals": True}, Status.OK, False),
        ({"ends_with_totals": True}, Status.INTERRUPTED, True),
        ({"is_whole": True}, Status.UNKNOWN, False),
    ],
)
def test_broken_lines_make_lower_bounds_unless_totals_follow(
    format_: dict[str, Any], status: Status, is_lower_bound: bool
) -> None:
    run = new(**format_)
    run.end(status)
    caveats = Caveats()
    run.note_damage(caveats)
    assert not run.tokens.is_lower_bound and not run.is_wrapped
    caveats.add("W_BAD_LINE", "x")
    caveats.add("W_NOISE", "y")
    run.note_damage(caveats)
    assert run.tokens.is_lower_bound is is_lower_bound and run.is_wrapped


def test_the_effort_of_answers_is_that_which_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    run = new()
    run.see_effort({"effort": "High"}, "effort")
    run.see_effort({}, "effort")
    assert (run.effort, run.efforts()) == ("high", "high")
    run.add_text(PROMPT, "x")
    run.see_effort({"a": {"effort": "low"}}, "a.effort")
    run.add_text(TEXT, "x")
    run.lane = "sub"
    run.effort = "max"
    run.add_text(TEXT, "x")
    assert run.efforts() == "low"
    run.lane = ""
    run.add_text(TEXT, "x")
    assert run.efforts() == "low, max"
    monkeypatch.setattr(builders, "MAX_EFFORTS", 2)
    run.effort = "more"
    run.add_text(TEXT, "x")
    assert run.efforts() == "low, max"


def test_a_run_is_known_by_its_keys_and_its_beginning() -> None:
    run = new()
    run.identity.session_id = "session-1"
    run.identity.add_record({"a": 1}, has_usage=False)
    run.add_key("prompt", 1, cost_usd=0.5)
    keys = run.build().results
    assert [key.uuid.startswith(BEGINNING) for key in keys] == [False, True]
    assert keys[0].cost_usd == 0.5
    whole = new(is_whole=True)
    whole.identity.add_record({"a": 1}, has_usage=False)
    assert len(whole.beginnings()) == 1
    whole.turns, whole.wall_ms, whole.cost_usd = 3, 5, 0.5
    whole.use_key(None)
    assert len(whole.beginnings()) == 1
    whole.use_key("key")
    (key,) = whole.build().results
    assert (key.uuid, key.turns, key.wall_ms, key.cost_usd) == ("key", 3, 5, 0.5)
    folder = new(folder="tally")
    folder.identity.add_record({"a": 1}, has_usage=False)
    assert folder.beginnings() == ()


def test_a_run_without_steps_has_no_page_of_them() -> None:
    run = new()
    assert (run.build().steps, run.build().locator) == (None, None)
    run.add_text(TEXT, "x")
    built = run.build()
    assert built.locator == ONLY and built.steps is not None and built.steps.steps == 1


def test_whether_tests_ran_is_known_where_commands_are() -> None:
    for tells_commands, tests in ((True, "none"), (False, None)):
        run = new(tells_commands=tells_commands)
        assert run.counts().tests is None
        run.add_text(TEXT, "x")
        assert run.counts().tests == tests
    run = new()
    run.add_call("c1", "Bash", {"command": "pytest"})
    run.add_result(ToolResult("c1", "1 passed"))
    steps_of(run)
    counts = run.counts()
    assert counts.tests == "passed" and counts.signals is not None


def test_failures_of_commands_are_known_where_codes_are() -> None:
    for tells_exit_codes, failures in ((True, 0), (False, None)):
        run = new(tells_exit_codes=tells_exit_codes)
        run.add_call("c1", "Bash", {"command": "ls"})
        run.add_result(ToolResult("c1", "x"))
        assert run.counts().tool_failures == failures


def test_compactions_are_unknown_unless_the_format_records_them() -> None:
    run = new()
    assert run.counts().compactions is None
    run.title = next(iter(builders.RECORDS_COMPACTIONS))
    assert run.counts().compactions == 0
    run.title = "Tally log"
    run.add_text(StepKind.COMPACTION, "")
    assert run.counts().compactions == 1


def test_kinds_of_records_are_listed_before_the_fields() -> None:
    run = new()
    run.kinds["a"] += 2
    run.fields["b"] = 1
    assert run.build().texts.fields == (("records.a", "2"), ("b", "1"))


def test_a_file_in_the_folder_of_another_program_has_its_name() -> None:
    place = FilePlace("x", "chats", "/home/u/.qwen/tmp/chats/x.jsonl")
    assert (place.name, place.folder) == ("x", "chats")
    run = RunBuilder(Format("Claude Code stream"), place)
    assert run.build().reader.endswith(" stream")
    run.marks.tools.add("Bash")
    assert run.file is place


def test_models_of_others_may_show_another_program() -> None:
    import re

    for models, code in ((("gpt-9",), ["W_AGENT"]), (("claude-9",), []), ((), [])):
        run = RunBuilder(Format("Claude Code stream", models=re.compile("claude")))
        for model in models:
            run.add_tokens(Tokens(1, 0, 0, 1), model=model)
        run.build()
        assert codes(run) == code


def test_a_format_of_which_nothing_is_said_is_the_usual_one() -> None:
    usual = Format("x")
    assert (usual.known_kinds, usual.counts, usual.field_kinds) == (
        frozenset(),
        CountRule(),
        NO_KINDS,
    )
    assert (usual.models, usual.folder) == (None, None)
    flags = (usual.has_lanes, usual.usage_follows, usual.ends_with_totals, usual.is_whole)
    assert flags == (False,) * 4
    assert (usual.is_converted, usual.thinks_aloud) == (False, False)
    assert (usual.tells_exit_codes, usual.has_edit_tools, usual.tells_commands) == (True,) * 3
    assert FilePlace() == ("", "", "")


def test_a_new_run_knows_nothing() -> None:
    run = new()
    assert (run.place, run.part, run.lane, run.main_lane, run.title) == (-1, 0, "", "", "Tally log")
    unknown = (run.model, run.effort, run.agent_id, run.session_title, run.cwd, run.version)
    unknown += (run.mode, run.task, run.evaluation, run.attempt, run.outcome, run.detail, run.turns)
    unknown += (run.cost_usd, run.started_ms, run.wall_ms, run.ended_ms, run.api_ms)
    unknown += (run.process_usage, run.leading_model, run.summary, run.last_thought, run.folder)
    assert unknown == (None,) * len(unknown)
    flags = (run.is_wrapped, run.is_shared, run.cost_is_lower_bound)
    assert flags == (False,) * len(flags) and run.tells_exit_codes
    limits = (builders.MAX_ERRORS, builders.MAX_UNKNOWN, builders.MAX_EFFORTS, builders.MAX_NAME)
    assert limits == (50, 20, 20, 100) and ONLY == "run"


def test_fields_are_listed_by_their_own_names_where_no_place_is_given() -> None:
    run = new()
    run.list_fields({"a": 1}, "a")
    run.check_fields({"novelty": 2}, "terminal-bench")
    assert (run.fields, list(run.unknown)) == ({"a": 1}, ["novelty"])


def test_a_log_around_the_records_makes_short_sessions_none() -> None:
    run = new()
    run.identity.session_id = "s1"
    run.identity.add_record({"a": 1}, has_usage=False)
    assert len(run.beginnings()) == 1
    run.is_wrapped = True
    assert run.beginnings() == ()


def test_sentences_on_what_is_odd_are_whole() -> None:
    run = new()
    run.note_no_usage()
    for ms in (NOW, NOW + 9_000, NOW - 900_000):
        run.see_time(ms)
    run.build()
    assert [caveat.text for caveat in run.caveats.all()] == [
        "The run reports no tokens.",
        "Its clock was set back: its wall time is the sum of the times before and after.",
    ]


def test_a_title_of_one_word_is_the_program_and_has_no_form() -> None:
    run = RunBuilder(Format("Tally")).build()
    assert (run.reader, run.agent, run.form) == ("Tally", "Tally", "")
