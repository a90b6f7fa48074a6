"""Runs of several packs: each session once, and each campaign in a folder."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.collect.packed_runs import combine, drop_repeated_sessions, move_to_campaign, name_pack
from sitegen.errors import PublishError
from sitegen.html.page_names import is_readable
from sitegen.inputs.survey import Facts
from sitegen.model import (
    Entry,
    Masked,
    ModelUsage,
    Problem,
    Run,
    Status,
    Tokens,
    Verdict,
)
from tests.collect.facts import entry, paths, session


@pytest.mark.parametrize(
    ("cost", "other_cost", "kept"),
    [(1.0, 1.0, ["whole"]), (0.99, 1.0, ["whole"]), (1.01, 1.0, ["part", "whole"])],
)
def test_the_beginning_of_a_session_is_dropped_unless_it_costs_more(
    cost: float, other_cost: float, kept: list[str]
) -> None:
    part = session("part", answers=(1,), cost_usd=cost)
    whole = session("whole", answers=(1, 2), cost_usd=other_cost)
    for order in ((part, whole), (whole, part)):
        assert sorted(paths(drop_repeated_sessions(Facts(order)))) == kept


@pytest.mark.parametrize(
    ("turns", "kept"), [((3, 3), 1), ((3, 4), 2)], ids=["all figures alike", "one differs"]
)
def test_without_answers_all_figures_have_to_be_alike(turns: tuple[int, int], kept: int) -> None:
    copies = tuple(session(f"{at}", turns=number) for at, number in enumerate(turns))
    facts = drop_repeated_sessions(Facts(copies, files=2))
    assert (len(facts.entries), facts.files) == (kept, 2)
    assert [problem.verdict for problem in facts.problems] == [Verdict.MERGE] * (2 - kept)


def test_sessions_that_differ_in_one_answer_both_stay() -> None:
    runs = (session("a", answers=(1, 2)), session("b", answers=(1, 3)))
    assert paths(drop_repeated_sessions(Facts(runs))) == ["a", "b"]


def test_a_result_is_no_part_of_a_transcript_of_its_session() -> None:
    result = session("result", answers=(1,), is_stated=True)
    transcript = session("transcript", answers=(1, 2), is_stated=False)
    facts = drop_repeated_sessions(Facts((result, transcript)))
    assert paths(facts) == ["result", "transcript"]


def test_a_campaign_moves_all_paths_and_pages() -> None:
    run = entry("1.json")
    facts = Facts(
        (run,),
        (Problem("1.json", "W_NOISE", Verdict.ACCEPT, "Noise.", page_id=run.id),),
        (("notes.md", ""),),
        masked=(Masked("1.json", "token", "summary", 1, run.id),),
    )
    moved = move_to_campaign(facts, "Night 1", "2026-01-02")
    assert (paths(moved), moved.ignored) == (["night-1/1.json"], ("night-1/notes.md",))
    assert moved.entries[0].campaign == "Night 1"
    (problem,), (mask,) = moved.problems, moved.masked
    assert problem.path == mask.path == "night-1/1.json"
    assert problem.page_id == mask.page_id == moved.entries[0].id != run.id
    assert moved.days == (("Night 1", "2026-01-02"),)


def test_remarks_of_one_pack_of_several_name_it() -> None:
    facts = Facts(remarks=("week.zip holds figures.", "A sentence."))
    named = name_pack(facts, "week.zip")
    assert named.remarks == ("week.zip holds figures.", "week.zip: A sentence.")


def test_campaigns_are_combined_in_their_order_and_share_no_page() -> None:
    one = Facts((entry("b"),), files=1, remarks=("x",), planned=("t",))
    two = Facts((entry("a"),), files=2, remarks=("x", "y"), planned=("t", "u"))
    both = combine([one, two])
    assert (paths(both), both.files) == (["b", "a"], 3)
    assert (both.remarks, both.planned) == (("x", "y"), ("t", "u"))
    with pytest.raises(PublishError, match="would share one page"):
        combine([one, Facts((replace(one.entries[0], number=1),))])


def test_the_name_of_a_campaign_makes_no_page_name_that_looks_like_a_key() -> None:
    name = "glpat-" + "a8f3k2l9d0s7x6c5v4b3"
    (moved,) = move_to_campaign(Facts((entry("run"),)), name).entries
    assert is_readable(moved.id)


def test_of_copies_the_most_complete_and_then_the_dearest_is_kept() -> None:
    runs = [
        session("cheap", answers=(1,), cost_usd=1.0),
        session("dear", answers=(1,), cost_usd=2.0),
        session("unpriced", answers=(1,)),
    ]
    for order in (runs, runs[::-1]):
        facts = drop_repeated_sessions(Facts(tuple(order)))
        assert paths(facts) == ["dear"]
        assert {problem.page_id for problem in facts.problems} == {"dear"}


def used(path: str, total: int, **known: object) -> Entry:
    ledger = (ModelUsage("m", Tokens(total, 0, 0, 0)),)
    return session(path, ledger=ledger, **known)


@pytest.mark.parametrize(("tokens", "other_tokens", "kept"), [(5, 5, 1), (4, 5, 1), (6, 5, 2)])
def test_without_a_cost_the_copy_has_no_more_tokens(
    tokens: int, other_tokens: int, kept: int
) -> None:
    part = used("part", tokens, answers=(1,), cost_usd=9.0)
    whole = used("whole", other_tokens, answers=(1, 2))
    assert len(drop_repeated_sessions(Facts((part, whole))).entries) == kept


@pytest.mark.parametrize(
    ("known", "other", "kept"),
    [
        ({}, {}, 1),
        ({"cost_usd": 1.0}, {"cost_usd": 2.0}, 2),
        ({"session_id": None}, {"session_id": None}, 2),
        ({"session_id": "a"}, {"session_id": "b"}, 2),
        ({"root": "a"}, {"root": "b"}, 2),
        ({"uuid": "u", "root": "a"}, {"uuid": "u", "root": "b"}, 1),
        ({"uuid": "u"}, {"uuid": "v"}, 2),
    ],
    ids=str,
)
def test_copies_are_of_one_session(
    known: dict[str, object], other: dict[str, object], kept: int
) -> None:
    runs = tuple(
        entry(path, Run("a session", Status.OK, **{"session_id": "s", "root": "r", **facts}))  # type: ignore[arg-type]
        for path, facts in (("1", known), ("2", other))
    )
    assert len(drop_repeated_sessions(Facts(runs)).entries) == kept


def test_sessions_without_a_root_are_told_apart_by_their_time() -> None:
    run = Run("a session", Status.OK, session_id="s")
    runs = tuple(
        entry(name, run, started_at=f"2026-01-0{day}")
        for name, day in (("a", 1), ("b", 2), ("c", 2))
    )
    assert len(drop_repeated_sessions(Facts(runs)).entries) == 2


def test_all_that_is_known_of_campaigns_is_put_together() -> None:
    def known(name: str) -> Facts:
        run = entry(f"{name}/run")
        return Facts(
            (run,),
            problems=(Problem(f"{name}.csv", "W_X", Verdict.ACCEPT, "r"),),
            ignored_files=((f"{name}.txt", "text"),),
            files=2,
            masked=(Masked(name, "summary", "k", 1),),
            shared_transcripts=(entry(f"{name}/shared"),),
            days=((name, "2026-01-01"),),
            without_verdict=(entry(f"{name}/unjudged"),),
            left_out_tasks=frozenset({name}),
            left_out=(entry(f"{name}/out"),),
            rules=((name, (("cost", 1),)),),
            unmatched=((name, 1),),
        )

    both = combine([known("b"), known("a")])
    assert [problem.path for problem in both.problems] == ["a.csv", "b.csv"]
    assert both.ignored == ("a.txt", "b.txt")
    assert [mask.path for mask in both.masked] == ["b", "a"]
    assert [run.id for run in both.shared_transcripts] == ["b/shared", "a/shared"]
    assert [run.id for run in both.without_verdict] == ["b/unjudged", "a/unjudged"]
    assert [run.id for run in both.left_out] == ["b/out", "a/out"]
    assert (both.left_out_tasks, both.files) == ({"a", "b"}, 4)
    assert (both.days, both.unmatched) == (
        (("b", "2026-01-01"), ("a", "2026-01-01")),
        (("b", 1), ("a", 1)),
    )
    assert [name for name, _ in both.rules] == ["b", "a"]


def test_a_campaign_moves_transcripts_of_several_runs_too() -> None:
    facts = Facts((entry("1.json"),), shared_transcripts=(entry("2.json"),))
    moved = move_to_campaign(facts, "Night")
    (shared,) = moved.shared_transcripts
    assert (shared.source.path, shared.campaign) == ("night/2.json", "Night")
    assert (moved.days, moved.rules, moved.pack) == ((), (), None)


def test_the_campaign_of_a_pack_is_named_after_its_file() -> None:
    named = name_pack(Facts((entry("1.json"),)), "weeks/week-7.zip")
    assert [run.campaign for run in named.entries] == ["week-7"]


@pytest.mark.parametrize(
    ("first", "second", "count"),
    [
        ({}, {}, 1),
        ({"uuid": "u"}, {"uuid": "v"}, 2),
        ({"uuid": "u"}, {"uuid": "u", "session_id": "t", "root": "q"}, 1),
        ({"root": "q"}, {"root": "r"}, 2),
        ({"session_id": None}, {"session_id": None}, 2),
    ],
    ids=str,
)
def test_copies_of_a_session_have_its_id_or_its_beginning(
    first: dict[str, object], second: dict[str, object], count: int
) -> None:
    runs = [
        replace(made, run=replace(made.run, answers=(1,), **known))  # type: ignore[arg-type]
        for made, known in ((session("a"), first), (session("b"), second))
    ]
    assert len(drop_repeated_sessions(Facts(tuple(runs))).entries) == count


def test_a_session_without_a_root_is_known_by_when_it_began() -> None:
    def begun(path: str, at: str) -> Entry:
        made = session(path, answers=(1,))
        return replace(made, run=replace(made.run, root=None), started_at=at)

    assert len(drop_repeated_sessions(Facts((begun("a", "1"), begun("b", "2")))).entries) == 2
    assert len(drop_repeated_sessions(Facts((begun("a", "1"), begun("b", "1")))).entries) == 1
