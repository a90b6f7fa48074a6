"""Runs are grouped, and left out as the settings say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.cache.seal import KEY_VARIABLE
from sitegen.collect.filters import (
    drop_projects,
    drop_runs,
    group_runs,
    keep_days,
    keep_judged,
    pseudonym,
    verdict_sources,
)
from sitegen.config import Config
from sitegen.inputs.campaigns.packs import PackMember
from sitegen.inputs.survey import Facts
from sitegen.model import Masked, Outcome, Problem, Run, Status, Verdict
from tests.collect.facts import entry, paths


def of_project(folder: str | None) -> Run:
    return Run("a session", Status.OK, cwd=folder)


@pytest.mark.parametrize(
    ("started", "ended", "is_kept"),
    [
        ("2026-01-09T23:00:00Z", "2026-01-09T23:59:59Z", False),
        ("2026-01-09T23:00:00Z", "2026-01-10T00:00:00Z", True),
        ("2026-01-10T00:00:00Z", None, True),
        ("2026-01-12T23:59:59Z", "2026-01-14T00:00:00Z", True),
        ("2026-01-13T00:00:00Z", None, False),
        (None, None, False),
    ],
)
def test_days_include_both_ends(started: str | None, ended: str | None, is_kept: bool) -> None:
    run = Run("a session", Status.OK, started_at=started, ended_at=ended)
    facts = Facts((entry(run=run, started_at=started, task="t"),), files=1)
    kept = keep_days(facts, "2026-01-10", "2026-01-12")
    counts = len(kept.entries), kept.files, len(kept.remarks), len(kept.left_out_tasks)
    assert counts == ((1, 1, 0, 0) if is_kept else (0, 0, 1, 1))


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [
        ("2026-01-11", "9999", "1 run is left out: outside --since 2026-01-11."),
        ("", "2026-01-09", "1 run is left out: outside --until 2026-01-09."),
        ("2026-02-01", "2026-03-01", "outside --since 2026-02-01 --until 2026-03-01."),
    ],
)
def test_a_remark_names_the_options_that_left_runs_out(first: str, last: str, said: str) -> None:
    day = "2026-01-10T10:00:00Z"
    facts = Facts((entry(run=Run("a session", Status.OK, started_at=day), started_at=day),))
    (remark,) = keep_days(facts, first, last).remarks
    assert remark.endswith(said)


def test_all_days_keep_runs_of_unknown_time() -> None:
    facts = Facts((entry(),))
    assert keep_days(facts, "", "9999") is facts


def test_projects_are_dropped_in_any_case_and_unknown_ones_too() -> None:
    folders = {"1": "/src/Oak", "2": "/src/lantern", "3": None}
    runs = tuple(entry(name, of_project(folder)) for name, folder in folders.items())
    assert paths(drop_projects(Facts(runs), ("oak",))) == ["2"]
    assert drop_projects(Facts(runs), ()).entries == runs


def test_a_stated_group_counts_before_that_of_the_file() -> None:
    run = of_project("/src/oak")
    stated = entry("1", run, factors=(("project", "Elm"), ("k", "v")))
    facts = group_runs(Facts((stated, entry("2", run))), ("project", "person"), "person a1")
    first, second = (dict(each.factors) for each in facts.entries)
    assert first == {"project": "Elm", "person": "person a1", "k": "v"}
    assert second == {"project": "oak", "person": "person a1"}
    assert group_runs(facts, (), None) is facts


def test_what_is_reported_of_dropped_files_goes_with_them() -> None:
    runs = (entry("a/1.json"), entry("a/b/2.json"), entry("c/1.json"))
    merged = Problem("x/1.json", "W_DUPLICATE", Verdict.MERGE, "The same.", page_id="a/1.json")
    files = ("a/1.json", "a/notes.md", "a/b/n.md", "a/d/n.md", "c/n.md", "n.md")
    noise = tuple(Problem(path, "W_NOISE", Verdict.ACCEPT, "Noise.") for path in files)
    masked = tuple(Masked(path, "token", "summary", 1) for path in files)
    kinds = tuple((path, "") for path in files[1:])
    facts = Facts(runs, (merged, *noise), kinds, files=4, masked=masked)
    dropped = drop_runs(facts, lambda run: run.id == "a/1.json", with_folders=True)
    assert paths(dropped) == ["a/b/2.json", "c/1.json"]
    left = ["a/b/n.md", "c/n.md", "n.md"]
    assert [problem.path for problem in dropped.problems] == left
    assert [mask.path for mask in dropped.masked] == left
    assert list(dropped.ignored) == left
    assert dropped.files == 2, "its own file, and the one that was merged into it"
    alone = drop_runs(facts, lambda run: run.id == "a/1.json")
    assert [problem.path for problem in alone.problems] == list(files[1:])


def test_a_file_that_holds_a_kept_run_too_stays() -> None:
    kept, gone = entry("1.jsonl"), entry("1.jsonl")
    facts = Facts((kept, entry("2.json")), files=2)
    assert gone.source == kept.source
    without = drop_runs(facts, lambda run: run.id == "2.json")
    assert (paths(without), without.files) == (["1.jsonl"], 1)


def test_only_judged_keeps_runs_with_a_verdict_and_counts_the_others() -> None:
    lost = Run("r", Status.FAILED, "error")
    runs = (
        entry("1.json", outcome=Outcome.PASS, task="a"),
        entry("2.json", task="b"),
        entry("3.json", lost, outcome=Outcome.FAIL, is_failed_by_rule=True),
        entry("4.json", outcome=Outcome.FAIL, is_failed_by_rule=True, untested=("hard",)),
    )
    settings = {
        "inputs": [{"path": ".", "only": "judged"}],
        "verdicts": {"hard": {"column": "hard"}},
    }
    kept = keep_judged(Facts(runs, files=4), Config.model_validate(settings))
    assert paths(kept) == ["1.json", "4.json"]  # of the latter, the test did not work
    assert len(kept.without_verdict) == 2
    assert kept.left_out_tasks == frozenset()
    assert kept.remarks == (
        "Left out: 2 runs without a verdict, 1 of them ended by errors (error: 1) (`only: judged`).",
    )
    whole = Facts(runs, files=4)
    assert keep_judged(whole, Config.model_validate({"inputs": ["."]})) is whole


def test_a_run_is_known_by_its_project_from_outside_or_from_its_file_but_not_in_a_pack() -> None:
    run = of_project("/src/oak")
    packed = entry("1", run)
    member = PackMember(1, 2, "d", "m")
    packed = replace(packed, source=replace(packed.source, member=member))
    grouped = group_runs(Facts((packed, entry("2", run))), ("project",), None)
    assert [dict(each.factors) for each in grouped.entries] == [{}, {"project": "oak"}]
    stated = entry("3", run, factors=(("project", "elm"),))
    dropped = drop_projects(Facts((stated, packed)), ("oak",))
    assert dropped.entries == (stated,)
    assert dropped.remarks == (
        "1 run is left out: of projects that `leave_out` names, or of unknown project.",
    )


def test_several_runs_of_unknown_time_are_told_apart_from_those_outside() -> None:
    day = "2026-01-10T10:00:00Z"
    dated = entry("3", Run("a session", Status.OK, started_at=day), started_at=day)
    kept = keep_days(Facts((entry("1"), entry("2"), dated)), "2026-01-11", "2026-01-12")
    options = "--since 2026-01-11 --until 2026-01-12"
    assert kept.remarks == (
        f"2 runs are left out: of unknown time, with {options}.",
        f"1 run is left out: outside {options}.",
    )
    assert [run.id for run in kept.left_out] == ["1", "2", "3"]


def test_verdicts_are_from_columns_or_scores_whose_measurement_may_have_failed() -> None:
    def sources(**verdicts: object) -> set[str]:
        return verdict_sources(Config.model_validate({"verdicts": verdicts}))

    assert sources(hard={"column": "passed"}) == {"passed"}
    fast = {"score": "speed", "min": 1}
    assert sources(hard={"column": "passed"}, fast=fast) == {"passed", "speed", "status"}
    assert sources(hard={"column": "a"}, both={"all": ["hard"]}) == {"a"}
    assert sources() == set()


def test_a_name_for_this_user_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "a key that is known to this test")
    name = pseudonym()
    assert name is not None and len(name) == len("person 0a1b2c") and name == pseudonym()
    monkeypatch.setenv(KEY_VARIABLE, "another key that is known here")
    assert pseudonym() != name
    monkeypatch.setenv(KEY_VARIABLE, "")
    assert pseudonym() is None


def test_what_a_run_that_is_left_out_shares_with_another_stays() -> None:
    shared = entry("s.jsonl")
    facts = Facts((entry("1"), entry("2")), shared_transcripts=(shared,), files=3)
    without = drop_runs(facts, lambda run: run.id in ("1", "s.jsonl"))
    assert (paths(without), without.shared_transcripts, without.files) == (["2"], (), 1)
    assert [run.id for run in without.left_out] == ["1"]


def test_runs_of_another_input_need_no_verdict() -> None:
    settings = {"inputs": [{"path": "a", "only": "judged"}, "b"]}
    runs = [entry("1"), entry("2")]
    runs[1] = replace(runs[1], source=replace(runs[1].source, input=1))
    kept = keep_judged(Facts(tuple(runs), files=2), Config.model_validate(settings))
    assert paths(kept) == ["2"]
    assert [run.id for run in kept.without_verdict] == ["1"]


def test_what_is_reported_of_the_page_of_a_dropped_run_goes_with_it() -> None:
    problems = tuple(
        Problem("o.csv", "W_X", Verdict.ACCEPT, "r", page_id=page) for page in ("1", "2", None)
    )
    masked = tuple(Masked("o.csv", "outcomes", "k", 1, page) for page in ("1", "2", None))
    facts = Facts((entry("1"), entry("2")), problems, masked=masked)
    dropped = drop_runs(facts, lambda run: run.id == "1")
    assert [each.page_id for each in dropped.problems] == ["2", None]
    assert [each.page_id for each in dropped.masked] == ["2", None]


def test_the_nearest_folder_with_runs_decides_what_is_reported_of_a_file() -> None:
    runs = (entry("a/1.json"), entry("a/b/2.json"), entry("3.json"))
    files = ("a/x", "a/b/x", "a/b/c/x", "a/d/x", "x")
    facts = Facts(runs, ignored_files=tuple((path, "") for path in files))

    def kept(*dropped: str) -> str:
        left = drop_runs(facts, lambda run: run.source.path in dropped, with_folders=True)
        return " ".join(left.ignored)

    assert kept("a/1.json") == "a/b/x a/b/c/x x"
    assert kept("a/b/2.json") == "a/x a/d/x x"
    assert kept("3.json") == " ".join(files)
    assert kept("a/1.json", "a/b/2.json") == "x"


def test_a_file_that_was_merged_into_a_run_that_is_kept_stays() -> None:
    merged = [
        Problem(f"{page}-copy.json", "W_DUPLICATE", Verdict.MERGE, "The same.", page_id=page)
        for page in ("1", "2")
    ]
    other = Problem("1-note", "W_X", Verdict.ACCEPT, "r", page_id="2")
    facts = Facts((entry("1"), entry("2")), (*merged, other), files=4)
    dropped = drop_runs(facts, lambda run: run.id == "1")
    assert [each.path for each in dropped.problems] == ["2-copy.json", "1-note"]
    assert dropped.files == 2
