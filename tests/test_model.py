"""The values in the middle: sums of what is known, what a level publishes, names and places of runs."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import pytest

from sitegen import model
from sitegen.model import (
    Denial,
    Entry,
    Level,
    Member,
    ModelUsage,
    Outcome,
    Part,
    Problem,
    Run,
    Score,
    Source,
    Status,
    StepCounts,
    TextKind,
    Texts,
    Tokens,
    Total,
    Verdict,
    by_key,
    replace,
    sum_complete,
    sum_known,
)
from tests.collect import facts


def run(**known: Any) -> Run:
    return Run("Claude Code stream", Status.OK, **known)


def used(*counts: int | None, cost: float | None = None, name: str | None = "m") -> ModelUsage:
    return ModelUsage(name, Tokens(*counts), cost)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (Status, ["ok", "failed", "stopped", "interrupted", "unknown"]),
        (Verdict, ["skip", "accept+warn", "merge"]),
        (Outcome, ["pass", "fail", "partial", "error"]),
        (TextKind, ["fact", "answer", "prompt", "content", "machine"]),
        (Level, ["none", "outline", "texts", "full"]),
    ],
)
def test_words_in_data_files_stay_as_they_are(kind: Any, values: list[str]) -> None:
    assert [member.value for member in kind] == values


@pytest.mark.parametrize(
    ("figures", "known", "complete"),
    [
        ([], None, None),
        ([None], None, None),
        ([0], 0, 0),
        ([1, 2], 3, 3),
        ([1, None], 1, None),
        ([0.1] * 10, 1.0, 1.0),
        ([0.1, None, 0.2], 0.30000000000000004, None),
    ],
)
def test_sums_say_what_is_known_or_complete(
    figures: list[float | None], known: float | None, complete: float | None
) -> None:
    assert sum_known(figures) == known
    assert sum_complete(figures) == complete
    assert type(sum_known([1, 2])) is int


@pytest.mark.parametrize(
    ("figures", "total", "is_lower_bound"),
    [
        ([], (None, 0, 0), False),
        ([None], (None, 0, 1), False),
        ([1, 2], (3, 2, 0), False),
        ([1, None, None], (1, 1, 2), True),
        ([0, None], (0, 1, 1), True),
    ],
)
def test_a_total_with_unknown_figures_is_a_lower_bound(
    figures: list[int | None], total: tuple[int | None, int, int], is_lower_bound: bool
) -> None:
    summed = Total.of(figures)
    assert (summed.value, summed.known, summed.unknown) == total
    assert summed.is_lower_bound is is_lower_bound
    assert summed.runs == len(figures)


def test_what_is_known_of_incomplete_figures_is_in_their_total() -> None:
    assert Total.of_bounds([(2, True), (3, False), (None, True)]) == Total(5, 1, 2)


@pytest.mark.parametrize(
    ("one", "other", "added"),
    [
        ((1, 2, 3, 4), (10, 20, 30, 40), (11, 22, 33, 44, None, None)),
        ((1, None, None, 4), (None, 2, None, 5), (1, 2, None, 9, None, None)),
        ((), (), (None,) * 6),
        ((0, 5, 0, 0, 2), (0, 7, 0, 0, 7), (0, 12, 0, 0, 9, None)),
        ((0, 5, 0, 0, 2), (0, 7, 0, 0, None), (0, 12, 0, 0, None, None)),
        ((0, 5, 0, 0, 2), (0, 0, 0, 0, None), (0, 5, 0, 0, 2, None)),
        ((0, 0, 0, 0, 9), (0, 5, 0, 0, 2), (0, 5, 0, 0, 2, None)),
        ((None, None, None, None, None, 7), (1, 1, 1, 1, 1, 8), (1, 1, 1, 1, 1, 15)),
    ],
)
def test_tokens_are_added_kind_by_kind(one: Any, other: Any, added: Any) -> None:
    assert (Tokens(*one) + Tokens(*other)).counts == added
    assert (Tokens(*other) + Tokens(*one)).counts == added


@pytest.mark.parametrize(
    ("one", "other", "rest"),
    [
        ((5, 5, 5, 5, 5, 5), (1, 2, 3, 4, 5, 6), (4, 3, 2, 1, 0, -1)),
        ((5, None), (None, 5), (5, -5, None, None, None, None)),
    ],
)
def test_of_a_difference_what_one_side_does_not_know_is_nothing(
    one: Any, other: Any, rest: Any
) -> None:
    assert (Tokens(*one) - Tokens(*other)).counts == rest


def test_unknown_counts_are_taken_from_others() -> None:
    assert Tokens(None, 2, None, 0).or_else(Tokens(1, 9, None, 9)).counts[:4] == (1, 2, None, 0)


@pytest.mark.parametrize(
    ("counts", "total", "sent", "is_complete", "is_total_known"),
    [
        ((1, 2, 4, 8, 2), 15, 7, True, True),
        ((1, None, 4, 8), 13, 5, False, False),
        ((None, None, None, None, None, 7), 7, None, False, True),
        ((), None, None, False, False),
    ],
)
def test_totals_of_tokens_leave_out_the_split(
    counts: Any, total: int | None, sent: int | None, is_complete: bool, is_total_known: bool
) -> None:
    tokens = Tokens(*counts)
    assert (tokens.total, tokens.sent) == (total, sent)
    assert (tokens.complete, tokens.is_total_known) == (is_complete, is_total_known)


def test_a_kind_of_tokens_is_found_by_its_name() -> None:
    tokens = Tokens(1, 2, 3, 4)
    assert [tokens.kind(name) for name in model.TOKEN_KINDS] == [3, 2, 1, 4]


def test_items_are_gathered_by_their_key_in_order() -> None:
    assert by_key([3, 1, 2, 4], lambda n: n % 2 or None) == {1: [3, 1]}
    assert by_key(["b", "a", "bb"], len) == {1: ["b", "a"], 2: ["bb"]}


def test_values_that_are_replaced_or_sent_to_another_process_are_equal() -> None:
    original = run(turns=3, ledger=(used(1, 2, 3, 4),))
    changed = replace(original, turns=4)
    assert changed == dataclasses.replace(original, turns=4) and original.turns == 3
    assert copy.deepcopy(changed) == changed
    assert copy.deepcopy(original).texts is model.NO_TEXTS


LONG = "x" * 81


@pytest.mark.parametrize(
    ("kind", "texts", "first"),
    [
        (TextKind.FACT, ["anything at all"], Level.NONE),
        (TextKind.ANSWER, ["x"], Level.OUTLINE),
        (TextKind.PROMPT, ["x"], Level.TEXTS),
        (TextKind.CONTENT, ["x"], Level.FULL),
        (TextKind.MACHINE, ["x"], Level.FULL),
        (None, ["high"], Level.NONE),
        (None, ["x" * 80], Level.NONE),
        (None, [LONG], Level.FULL),
        (None, ["/srv/x"], Level.FULL),
        (None, ["~x"], Level.FULL),
        (None, ["https://x"], Level.FULL),
        (None, ["C:\\x"], Level.FULL),
        (None, ["two\nlines"], Level.FULL),
        (None, ["two words"], Level.OUTLINE),
        (None, ["\u6f22\u5b57\u6f22\u5b57"], Level.OUTLINE),
        (None, ["\u6f22\u5b57\u6f22"], Level.NONE),
        (None, ["high", "two words"], Level.OUTLINE),
        (None, ["two words", LONG], Level.FULL),
    ],
)
def test_a_level_publishes_kinds_of_texts(
    kind: TextKind | None, texts: list[str], first: Level
) -> None:
    levels = list(Level)
    shown = [level for level in levels if level.shows(kind, *texts)]
    assert shown == levels[levels.index(first) :]


def test_the_lowest_level_publishes_least() -> None:
    assert Level.lowest(Level.FULL, Level.TEXTS, Level.OUTLINE) is Level.OUTLINE
    assert Level.lowest(Level.FULL, Level.NONE) is Level.NONE


DENIALS = (Denial("Bash", "rm x", "{}"), Denial("Edit", "a.py", "{}", is_target=True))
TEXTS = Texts(
    "I did it.",
    "the last message",
    errors=("it broke",),
    denials=DENIALS,
    structured_output="{}",
    fields=(("effort", "high"), ("account", "two words"), ("prompt", "do"), ("unsaid", "x")),
    field_kinds=(TextKind.FACT, TextKind.ANSWER, TextKind.PROMPT),
)


@pytest.mark.parametrize(
    ("level", "has_account", "fields", "denied"),
    [
        (Level.NONE, False, ["effort", "unsaid"], []),
        (Level.OUTLINE, True, ["effort", "account", "unsaid"], [("", ""), ("a.py", "")]),
        (Level.TEXTS, True, ["effort", "account", "prompt", "unsaid"], [("", ""), ("a.py", "")]),
        (
            Level.FULL,
            True,
            ["effort", "account", "prompt", "unsaid"],
            [("rm x", "{}"), ("a.py", "{}")],
        ),
    ],
)
def test_a_run_has_the_texts_of_its_level(
    level: Level, has_account: bool, fields: list[str], denied: list[tuple[str, str]]
) -> None:
    whole = run(session_title="a title", claimed=True, turns=2, texts=TEXTS)
    shown = whole.at_level(level)
    assert shown.turns == 2
    assert (shown.session_title, shown.claimed) == (
        ("a title", True) if has_account else (None, None)
    )
    assert (shown.texts.summary, shown.texts.errors) == (
        ("I did it.", ("it broke",)) if has_account else (None, ())
    )
    assert [path for path, _ in shown.texts.fields] == fields
    assert [(denial.wanted, denial.input_json) for denial in shown.texts.denials] == denied
    kinds = dict(zip(fields, shown.texts.field_kinds, strict=False))
    assert kinds["effort"] is TextKind.FACT and kinds.get("unsaid") is None
    assert shown.at_level(level) == shown


def test_an_account_that_was_only_thought_is_a_prompt() -> None:
    thought = run(texts=Texts("I think.", "a thought", summary_kind=TextKind.PROMPT))
    outline = thought.at_level(Level.OUTLINE).texts
    assert (outline.summary, outline.summary_origin) == (None, None)
    assert thought.at_level(Level.TEXTS).texts.summary == "I think."


def test_facts_alone_have_no_texts() -> None:
    assert run(texts=TEXTS, turns=1).without_texts() == run(turns=1)


def test_a_run_is_named_after_its_reader() -> None:
    assert (run().agent, run().form) == ("Claude Code", "stream")
    assert (Run("Aider", Status.OK).agent, Run("Aider", Status.OK).form) == ("Aider", "")


@pytest.mark.parametrize(
    ("cwd", "project"),
    [
        (None, None),
        ("", None),
        ("/srv/shop", "shop"),
        ("/srv/shop/", "shop"),
        ("C:\\code\\shop\\", "shop"),
        ("/home/[user]", "~"),
        ("/srv/shop/.claude/worktrees/fix-1", "shop"),
        ("/srv/shop/.worktrees/fix-1", "shop"),
    ],
)
def test_a_project_is_the_folder_of_its_repository(cwd: str | None, project: str | None) -> None:
    assert run(cwd=cwd).project == project


@pytest.mark.parametrize(
    ("known", "spent", "is_computed", "bound", "exact"),
    [
        ({}, None, False, "", None),
        ({"cost_usd": 0.0}, 0.0, False, "exact", 0.0),
        ({"computed_cost_usd": 2.0}, 2.0, True, "exact", 2.0),
        ({"cost_usd": 1.0, "cost_is_lower_bound": True}, 1.0, False, "lower", None),
        ({"cost_usd": 1.0, "cost_is_estimated": True}, 1.0, False, "estimate", None),
        ({"computed_cost_usd": 1.0, "cost_is_estimated": True}, 1.0, True, "exact", 1.0),
        (
            {"cost_usd": 1.0, "cost_is_estimated": True, "cost_is_lower_bound": True},
            1.0,
            False,
            "lower",
            None,
        ),
    ],
)
def test_a_cost_says_what_it_is(
    known: dict[str, Any], spent: float | None, is_computed: bool, bound: str, exact: float | None
) -> None:
    costs = run(**known)
    assert (costs.spent_usd, costs.cost_is_computed) == (spent, is_computed)
    assert (costs.cost_bound, costs.exact_usd) == (bound, exact)


FOUR = (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("ledger", "known", "gaps", "is_exact"),
    [
        ((), {}, {"cache_read", "cache_write", "input", "output"}, False),
        ((used(*FOUR),), {}, set(), True),
        ((used(*FOUR), used(1, None, 3, 4)), {}, {"cache_write"}, False),
        ((used(*FOUR),), {"output_is_lower_bound": True}, {"output"}, False),
        (
            (used(*FOUR),),
            {"ledger_is_lower_bound": True},
            {"cache_read", "cache_write", "input", "output"},
            False,
        ),
    ],
)
def test_gaps_of_tokens_are_named(
    ledger: tuple[ModelUsage, ...], known: dict[str, bool], gaps: set[str], is_exact: bool
) -> None:
    record = run(ledger=ledger, **known)
    assert record.token_gaps == gaps
    assert record.is_total_exact is is_exact


@pytest.mark.parametrize(
    ("reported", "costs", "is_lower_bound", "agree"),
    [
        (1.0, [0.4, 0.6], False, True),
        (1.005, [1.0], False, True),
        (1.006, [1.0], False, False),
        (1.006, [1.0], True, None),
        (0.9, [1.0], True, False),
        (None, [1.0], False, None),
        (1.0, [1.0, None], False, None),
    ],
)
def test_cost_and_ledger_agree_to_half_a_cent(
    reported: float | None, costs: list[float | None], is_lower_bound: bool, agree: bool | None
) -> None:
    ledger = tuple(used(*FOUR, cost=cost) for cost in costs)
    record = run(cost_usd=reported, ledger=ledger, ledger_is_lower_bound=is_lower_bound)
    assert record.sums_agree is agree


def test_the_tokens_of_a_run_are_those_of_its_models() -> None:
    record = run(ledger=(used(*FOUR, name="a"), used(*FOUR, name="b")))
    assert record.tokens.counts[:4] == (2, 4, 6, 8)
    assert (record.model, run().model) == ("a", None)


def test_judges_cost_what_they_report_or_what_prices_say() -> None:
    assert run(judge=(used(cost=0.25), used(cost=0.5)), judge_list_usd=9.0).judge_usd == 0.75
    assert run(judge=(used(),), judge_list_usd=9.0).judge_usd == 9.0


def test_files_that_tools_edited_are_counted_where_edits_are_seen() -> None:
    counts = StepCounts(1, 1, 0, (4, 7), None, None, 0, None, None, None)
    assert counts.files_edited == 2
    assert replace(counts, edited=None).files_edited is None
    assert replace(counts, edited=()).files_edited == 0


def source(**known: Any) -> Source:
    return Source(
        **{"path": "a/r.json", "location": "/in/a/r.json", "named": False, "size": 1, **known}
    )


@pytest.mark.parametrize(
    ("known", "place"),
    [
        ({}, "/in/a/r.json"),
        (
            {"location": "/in/runs.zip", "path": "runs.zip/a/r.json", "within": "a/r.json"},
            "/in/runs.zip/a/r.json",
        ),
        (
            {"location": "C:\\in\\runs.zip", "path": "r.json", "within": "a/r.json"},
            "C:\\in\\runs.zip/a/r.json",
        ),
    ],
)
def test_a_member_of_an_archive_has_its_place_below_it(known: dict[str, str], place: str) -> None:
    member = Member("a/r.json", 0) if known else None
    assert source(member=member, **known).place == place


@pytest.mark.parametrize(
    ("code", "verdict", "place", "is_skipped", "line"),
    [
        ("E_JSON", Verdict.SKIP, "line 12, column 3", True, 12),
        ("E_JSON", Verdict.ACCEPT, "at line 12", False, 0),
        ("E_OUTCOME", Verdict.SKIP, "line 7", False, 7),
        ("E_JSON", Verdict.MERGE, None, False, 0),
    ],
)
def test_a_problem_is_about_a_file_or_about_a_row(
    code: str, verdict: Verdict, place: str | None, is_skipped: bool, line: int
) -> None:
    problem = Problem("a.json", code, verdict, "why", place)
    assert (problem.is_skipped_file, problem.line) == (is_skipped, line)


@pytest.mark.parametrize(
    ("known", "name"),
    [
        ({}, "1"),
        ({"model": "Claude Opus 4.5"}, "1"),
        ({"task": "fix", "model": "Claude Opus 4.5", "attempt": 0}, "fix · Opus 4.5 · 0"),
        ({"task": "fix", "model": "GPT-5", "configuration": "Codex, GPT-5"}, "fix · Codex, GPT-5"),
        ({"task": "fix", "name_suffix": "May"}, "fix · May"),
        ({"name_suffix": "a/1.json"}, "1 · a/1.json"),
    ],
)
def test_a_run_is_called_by_what_is_known_of_it(known: dict[str, Any], name: str) -> None:
    assert facts.entry(**known).name == name


def test_facts_stated_from_outside_count_before_those_of_the_file() -> None:
    own = run(effort="low", claimed=True)
    plain: Entry = facts.entry(run=own, model="m")
    assert (plain.agent, plain.factor("effort"), plain.claimed) == ("Claude Code", "low", True)
    stated = replace(
        plain,
        factors=(("agent", "TRAE"), ("effort", "high")),
        stated_claim=False,
        configuration="c",
    )
    assert (stated.agent, stated.factor("effort"), stated.claimed) == ("TRAE", "high", False)
    assert (plain.factor("arm"), plain.compared_as, stated.compared_as) == (None, "m", "c")


@pytest.mark.parametrize(
    ("started", "day", "week"),
    [
        (None, None, None),
        ("2026-11-30T23:59:59Z", "2026-11-30", "2026-W49"),
        ("2027-01-01T00:00:00Z", "2027-01-01", "2026-W53"),
        ("2026-01-05T00:00:00Z", "2026-01-05", "2026-W02"),
    ],
)
def test_a_week_is_that_of_the_calendar_of_weeks(
    started: str | None, day: str | None, week: str | None
) -> None:
    entry = facts.entry(started_at=started)
    assert (entry.day, entry.week) == (day, week)


def test_steps_are_published_as_the_most_careful_of_their_files_says() -> None:
    counts = StepCounts(1, 1, 0, (), None, None, 0, None, None, None)
    lane = replace(facts.entry("2.json"), source=source(level=Level.NONE))
    entry = facts.entry(run=run(steps=counts))
    assert (entry.level, entry.has_published_steps) == (Level.FULL, True)
    hidden = replace(entry, lanes=(lane,))
    assert (hidden.level, hidden.has_published_steps) == (Level.NONE, False)
    assert facts.entry().has_published_steps is False


def test_models_are_named_once_and_only_where_the_file_names_them() -> None:
    ledger = (used(name="a"), used(name=None), used(name="b"), used(name="c"))
    entry = facts.entry(run=run(ledger=ledger), ledger_names=("A", "unknown", "B", "A"))
    assert entry.models == ("A", "B")


def test_a_run_may_be_named_by_all_files_that_say_something_of_it() -> None:
    other = source(path="b.json")
    entry = replace(facts.entry(), stated_in=(other,))
    assert [place.path for place in entry.places] == ["1.json", "b.json"]


def test_runs_known_not_to_have_ended_are_incomplete() -> None:
    assert {Status.FAILED, Status.STOPPED, Status.INTERRUPTED} == model.INCOMPLETE


def test_defaults_say_that_nothing_is_known() -> None:
    assert Score("s", 1.0) == Score("s", 1.0, None, None, is_ratio=False, is_computed=False)
    assert Part(Status.OK, None, None, None, None).edits is None
