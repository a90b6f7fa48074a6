"""Runs of several packs: each session once, and each campaign in a folder."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.collect.packed_runs import combine, drop_repeated_sessions, move_to_campaign, name_pack
from sitegen.errors import PublishError
from sitegen.html.page_names import is_readable
from sitegen.inputs.survey import Facts
from sitegen.model import Masked, Problem, Verdict
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
