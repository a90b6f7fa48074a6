"""Each run has a name of its own, which grows only where another would be called the same."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen import config
from sitegen.collect import Facts, collect
from sitegen.collect.naming import disambiguate, unify_case
from sitegen.inputs.identity.same_result import merge
from sitegen.masking.redact import Redactor
from sitegen.model import BEGINNING, Entry, ResultKey, Run, Source, Status
from tests.support import campaigns

PARTS = st.sampled_from(["", "a", "b", "a · b", "b/a"])
RUN = st.builds(
    lambda path, number, **of: Entry(
        "",
        Source("/".join(path) + ".json", "", named=False, size=1),
        number,
        "",
        Run("a", Status.OK),
        **of,
    ),
    path=st.lists(st.sampled_from("abc"), min_size=1, max_size=4),
    number=st.integers(0, 2),
    title=st.sampled_from("xy"),
    campaign=PARTS,
    task=PARTS,
    model=PARTS,
    attempt=st.sampled_from([None, 1, 2]),
    labels=PARTS.map(lambda part: (part,) if part else ()),
)
RUNS = st.lists(RUN, min_size=1, max_size=12).map(
    lambda runs: [replace(run, id=f"run-{number:012x}") for number, run in enumerate(runs)]
)


def named(runs: list[Entry]) -> dict[str, str]:
    """The names by page id."""
    return {entry.id: entry.name for entry in disambiguate(Facts(tuple(runs))).entries}


@given(RUNS)
def test_no_two_runs_are_called_the_same(runs: list[Entry]) -> None:
    assert len(set(named(runs).values())) == len(runs)


@given(RUNS, st.randoms())
def test_names_do_not_depend_on_the_order_and_are_found_again_from_what_was_named(
    runs: list[Entry], chance: random.Random
) -> None:
    shuffled = chance.sample(runs, len(runs))
    assert named(shuffled) == named(runs)
    assert named(list(disambiguate(Facts(tuple(runs))).entries)) == named(runs)


@given(RUNS)
def test_a_name_grows_only_where_others_have_it(runs: list[Entry]) -> None:
    plain, found = Counter(run.name for run in runs), named(runs)
    grown = {run.name for run in runs if found[run.id] != run.name}
    assert all(found[run.id].startswith(run.name) for run in runs)
    assert all(plain[name] > 1 for name in grown)


def test_what_is_added_is_no_more_than_what_differs() -> None:
    run = Entry(
        "run-1",
        Source("a/x/r.json", "", named=False, size=1),
        0,
        "",
        Run("a", Status.OK),
        "r",
        task="t",
    )
    other = replace(run, id="run-2")
    at = lambda path: Source(path, "", named=False, size=1)  # noqa: E731
    assert list(
        named([replace(run, campaign="may"), replace(other, campaign="june")]).values()
    ) == [
        "t · may",
        "t · june",
    ]
    assert list(
        named(
            [replace(run, campaign="may"), replace(other, campaign="may", source=at("b/x/r.json"))]
        ).values()
    ) == [
        "t · a",
        "t · b",
    ]
    assert list(named([run, replace(other, labels=("retry",))]).values()) == ["t", "t · retry"]
    assert list(named([run, replace(other, number=1)]).values()) == [
        "t · no. 1 in its file",
        "t · no. 2 in its file",
    ]
    assert list(named([run, replace(other, attempt=2)]).values()) == ["t", "t · 2"]


CASES = st.sampled_from(["fix", "Fix", "FIX", "mend", "Mend", ""])
AGENTS = CASES.map(lambda name: (("agent", name),) if name else ())
BY_FILE = st.sampled_from(["fix log", "Fix log", "mend"]).map(lambda reader: Run(reader, Status.OK))
CASED = st.lists(
    st.builds(replace, RUN, task=CASES, campaign=CASES, model=CASES, factors=AGENTS, run=BY_FILE),
    max_size=9,
).map(lambda runs: [replace(run, id=f"run-{number:012x}") for number, run in enumerate(runs)])


@given(CASED, st.randoms())
def test_what_differs_in_case_alone_is_one_in_any_order(
    runs: list[Entry], chance: random.Random
) -> None:
    unified = unify_case(Facts(tuple(runs)))
    again = unify_case(Facts(tuple(chance.sample(runs, len(runs)))))
    found, said = unified.entries, unified.remarks
    assert sorted(said) == sorted(again.remarks)
    assert {run.id: run for run in found} == {run.id: run for run in again.entries}
    for field in ("task", "campaign", "model", "agent"):
        was, now = ([getattr(run, field) or "" for run in of] for of in (runs, found))
        assert [name.casefold() for name in now] == [name.casefold() for name in was]
        assert len(set(now)) == len({name.casefold() for name in now})
        assert all(
            was.count(name) == max(map(was.count, (o for o in was if o.lower() == name.lower())))
            for name in now
        )
        assert (len(set(was)) > len(set(now))) == any(
            each.startswith(f"{field}: ") for each in said
        )


def test_paths_outcomes_and_tables_of_tasks_spell_a_task_in_any_case(tmp_path: Path) -> None:
    """The spelling of most runs is shown, also for planned runs that are missing."""
    paths = ["Fix-Login/CODEX/1", "fix-login/codex/2", "fix-login/pi/1", "other/pi/1"]
    campaigns.write(
        tmp_path,
        {
            **{
                f"runs/{path}.json": campaigns.bare(number + 1) for number, path in enumerate(paths)
            },
            "o.csv": "task,agent,attempt,outcome\nFIX-LOGIN,codex,1,pass\nfix-login,Codex,2,fail\nOther,pi,1,pass\n",
            "t.csv": "task,area\nFIX-login,Web\nOTHER,web\n",
        },
    )
    stated = {
        "inputs": [{"path": str(tmp_path / "runs"), "pattern": "{task}/{agent}/{attempt}.json"}],
        "outcomes": [str(tmp_path / "o.csv")],
        "task_table": str(tmp_path / "t.csv"),
        "attempts": 2,
    }
    facts = collect(config.Config.model_validate(stated), Redactor(()), lambda _, items: items)
    assert [(run.task, run.outcome and run.outcome.value) for run in facts.entries] == [
        ("fix-login", "pass"),
        ("fix-login", "fail"),
        ("fix-login", None),
        ("other", "pass"),
    ]
    assert {task for task, *_ in facts.missing} == {"fix-login", "other"}
    assert {run.factor("area") for run in facts.entries} == {"Web"}
    assert (
        "task: names that differ in case alone are one: Fix-Login counts as fix-login."
        in facts.remarks
    )


def with_results(path: str, *uuids: str, costs: Sequence[float] = ()) -> Entry:
    """A run with these uuids of results."""
    pairs = zip(uuids, costs or (0.1,) * len(uuids), strict=True)
    results = tuple(ResultKey(uuid, cost, None, None) for uuid, cost in pairs)
    run = Run("a", Status.OK, results=results)
    return Entry(path, Source(path, "", named=False, size=1), 0, path, run, title=path)


@pytest.mark.parametrize("turned", [1, -1])
def test_of_two_copies_the_one_with_more_results_is_shown(turned: int) -> None:
    begun = with_results("begun", "a", *(f"{BEGINNING}{at}" for at in range(9)))
    kept, problems = merge([begun, with_results("whole", "a", "b")][::turned])
    assert [entry.id for entry in kept] == ["whole"] and [problem.path for problem in problems] == [
        "begun"
    ]
    assert not kept[0].run.caveats


def test_a_run_that_states_an_id_twice_is_not_at_odds_with_itself() -> None:
    twice = with_results("twice", "a", "a", costs=(0.1, 0.2))
    assert not merge([twice])[0][0].run.caveats
    both, _ = merge([twice, with_results("other", "a", costs=(0.3,))])
    assert [[said.code for said in entry.run.caveats] for entry in both] == [["W_UUID"], ["W_UUID"]]
