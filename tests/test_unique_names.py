"""Each run has a name of its own, which grows only where another would be called the same."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from sitegen.inputs.merging import told_apart
from sitegen.model import Entry, Run, Source, Status

PARTS = st.sampled_from(["", "a", "b", "a · b", "b/a"])
RUN = st.builds(
    lambda path, number, **of: Entry(
        "", Source("/".join(path) + ".json", "", named=False, size=1), number, "", Run("a", Status.OK), **of
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
    return {entry.id: entry.name for entry in told_apart(runs)}


@given(RUNS)
def test_no_two_runs_are_called_the_same(runs: list[Entry]) -> None:
    assert len(set(named(runs).values())) == len(runs)


@given(RUNS, st.randoms())
def test_names_do_not_depend_on_the_order_and_are_found_again_from_what_was_named(
    runs: list[Entry], chance: random.Random
) -> None:
    shuffled = chance.sample(runs, len(runs))
    assert named(shuffled) == named(runs)
    assert named(list(told_apart(runs))) == named(runs)


@given(RUNS)
def test_a_name_grows_only_where_others_have_it(runs: list[Entry]) -> None:
    plain, found = Counter(run.name for run in runs), named(runs)
    grown = {run.name for run in runs if found[run.id] != run.name}
    assert all(found[run.id].startswith(run.name) for run in runs)
    assert all(plain[name] > 1 for name in grown)


def test_what_is_added_is_no_more_than_what_differs() -> None:
    run = Entry("run-1", Source("a/x/r.json", "", named=False, size=1), 0, "", Run("a", Status.OK), "r", task="t")
    other = replace(run, id="run-2")
    at = lambda path: Source(path, "", named=False, size=1)  # noqa: E731
    assert list(named([replace(run, campaign="may"), replace(other, campaign="june")]).values()) == [
        "t · may",
        "t · june",
    ]
    assert list(
        named([replace(run, campaign="may"), replace(other, campaign="may", source=at("b/x/r.json"))]).values()
    ) == [
        "t · a",
        "t · b",
    ]
    assert list(named([run, replace(other, labels=("retry",))]).values()) == ["t", "t · retry"]
    assert list(named([run, replace(other, number=1)]).values()) == ["t · no. 1 in its file", "t · no. 2 in its file"]
    assert list(named([run, replace(other, attempt=2)]).values()) == ["t", "t · 2"]
