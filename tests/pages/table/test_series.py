"""The columns of the table of runs: their cells and sums, what a script knows of them, and which are shown."""

from __future__ import annotations

import dataclasses
from array import array
from collections.abc import Sequence

import pytest

from sitegen.fields import BUILT_IN, RunFacts
from sitegen.figures import FigureFormat
from sitegen.model import Entry, ModelUsage, Outcome, Run, Score, Source, Status, Tokens
from sitegen.numbers.statistics import ScoreMeasure, score_measures, summarize
from sitegen.pages.table.run_table import RunTable
from sitegen.pages.table.series import (
    Bars,
    Category,
    CellView,
    Number,
    TextSeries,
    all_series,
    longest_bar,
    short,
    state_of,
)

FIELDS = {field.key: field for field in BUILT_IN}
DOLLARS = FigureFormat("$", 1, 2)


def entry(number: int = 1, *, tokens: Tokens | None = None, **facts: object) -> Entry:
    """Return a run; facts that an entry has are those of its place."""
    names = {field.name for field in dataclasses.fields(Entry)}
    place = {key: value for key, value in facts.items() if key in names}
    stated = {key: value for key, value in facts.items() if key not in names}
    status = Status(str(stated.pop("status", "ok")))
    usage = ModelUsage("m", tokens or Tokens(1, 2, 3, 4))
    run = Run("t", status, ledger=(usage,), **stated)  # type: ignore[arg-type]
    source = Source(f"{number}.json", "", named=False, size=1)
    return Entry(f"r-{number}", source, 0, "", run, "r", **place)  # type: ignore[arg-type]


def number(
    values: Sequence[float | None],
    unit: FigureFormat | None = DOLLARS,
    bounds: Sequence[int] = (),
    key: str = "cost_usd",
    measure: ScoreMeasure | None = None,
) -> Number:
    return Number(FIELDS[key], "Cost, $", values, unit, array("I", bounds), True, measure)


def test_a_lower_bound_carries_a_plus_and_what_is_unknown_none() -> None:
    column = number([1.0, 2.5, None], bounds=(1, 2))
    assert [column.cell(position) for position in range(3)] == [
        CellView("1.00", "n"),
        CellView("2.50+", "n"),
        CellView("–", "n"),
    ]
    assert (column.text(1.0), column.text(1.0, True), column.text(None, True)) == (
        "1.00",
        "1.00+",
        "–",
    )
    assert (column.key, column.css) == ("cost_usd", "n")


@pytest.mark.parametrize(
    ("column", "text"),
    [
        (number([1.0, 2.0]), "3.00"),
        (number([1.0, None]), "1.00+"),
        (number([1.0, 2.0], bounds=(0,)), "3.00+"),
        (number([None, None]), "–"),
        (number([1.0, 2.0], key="attempt"), ""),
        (number([90_000, 30_000], None, key="wall_ms"), "2:00"),
        (number([90_000, None], None, key="wall_ms"), "1:30+"),
        (number([90_000], None, (0,), "wall_ms"), "1:30+"),
        (number([None], None, key="wall_ms"), "–"),
        (number([3_600_000, 60_000], None, key="wall_ms"), "1\u202fh 01"),
    ],
)
def test_a_sum_is_a_lower_bound_where_a_run_is(column: Number, text: str) -> None:
    assert column.sum() == CellView(text, "n")


def test_a_time_is_a_clock() -> None:
    assert number([61_000], None, key="wall_ms").cell(0).text == "1:01"


def measure(**facts: object) -> ScoreMeasure:
    (found,) = score_measures([entry(scores=(Score("s", 2.0, **facts),))])  # type: ignore[arg-type]
    return found


UNIT = FigureFormat("x", 1, 1)


@pytest.mark.parametrize(
    ("column", "described"),
    [
        (number([1.0]), {"divisor": 1, "decimals": 2, "summed": True}),
        (number([1.0], None, key="wall_ms"), {"clock": True, "summed": True}),
        (number([1.0], UNIT, key="attempt"), {"divisor": 1, "decimals": 1, "summed": False}),
        (
            number([1.0], UNIT, measure=measure(unit="x", is_ratio=True, higher_is_better=True)),
            {"divisor": 1, "decimals": 1, "score": "s", "unit": "x", "ratio": True, "summed": True},
        ),
        (
            number([1.0], UNIT, measure=measure(unit="B", higher_is_better=False)),
            {"divisor": 1, "decimals": 1, "score": "s", "unit": "x", "lower": True, "summed": True},
        ),
        (
            number([1.0], FigureFormat("k", 1000, 0), key="total_tokens"),
            {
                "divisor": 1000,
                "decimals": 0,
                "parts": [
                    "cache_read_tokens",
                    "cache_write_tokens",
                    "input_tokens",
                    "output_tokens",
                ],
                "summed": True,
            },
        ),
    ],
)
def test_a_script_knows_how_figures_are_written(
    column: Number, described: dict[str, object]
) -> None:
    assert column.described() == described


def test_a_share_is_described_as_one() -> None:
    runs = [entry(1, scores=(Score("s", 1.0),)), entry(2, scores=(Score("s", 0.0),))]
    (share,) = score_measures(runs)
    assert number([1.0], UNIT, measure=share).described()["share"] is True


@pytest.mark.parametrize(
    ("rows", "packed"),
    [
        (range(4), [[0.3, 1, None, 2.0], [1, 3]]),
        (range(1, 3), [[1, None], [1]]),
        (range(2, 4), [[None, 2.0], [3]]),
        (range(2, 3), [[None], []]),
    ],
)
def test_rows_are_packed_with_the_places_of_lower_bounds(rows: range, packed: object) -> None:
    assert number([0.1 + 0.2, 1, None, 2.0], bounds=(1, 3)).packed(rows) == packed
    assert number([1, 2, 3, 4], key="total_tokens").packed(rows) is None


def test_what_runs_state_is_packed_as_it_is() -> None:
    stated = dataclasses.replace(FIELDS["cost_usd"], source="stated")
    column = Number(stated, "", [0.1 + 0.2], DOLLARS)
    assert column.packed(range(1)) == [[0.30000000000000004], []]


@pytest.mark.parametrize(
    ("values", "longest"),
    [
        ([], 0.0),
        ([None, 0.0], 0.0),
        ([1.0, 2.0, None], 2.0),
        ([1.0] * 19 + [2.0], 2.0),
        ([1.0] * 19 + [2.1], 1.0),  # more than twice that of 95 in 100
        ([1.0] * 18 + [2.0, 90.0], 2.0),
        ([1.0] * 18 + [90.0], 90.0),  # of nineteen the last is within 95 in 100
    ],
)
def test_a_bar_far_longer_than_others_does_not_count(
    values: list[float | None], longest: float
) -> None:
    assert longest_bar(values) == longest


def test_a_bar_is_a_share_of_the_longest_and_cut_beyond_it() -> None:
    bars = Bars([1.0, 4.0, 4.01, None, 0.5], 4.0)
    assert [(cell.bar, cell.is_cut) for cell in map(bars.cell, range(5))] == [
        ("25", False),
        ("100", False),
        ("100", True),
        ("0", False),
        ("12.5", False),
    ]
    assert (bars.key, bars.label, bars.css) == ("bar", "", "")


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.1 + 0.2, 0.3), (1.00000000004, 1.0), (1.0000000001, 1.0000000001), (7, 7), (None, None)],
)
def test_a_value_is_short_without_digits_that_say_nothing(
    value: float | None, expected: float | None
) -> None:
    assert short(value) == expected


@pytest.mark.parametrize(
    ("key", "name", "word"),
    [
        ("status", "failed", "failed"),
        ("outcome", "fail", "fail"),
        ("verdict.hard", "error", "error"),
        ("model", "pass", None),
    ],
)
def test_states_are_words_with_a_sign(key: str, name: str, word: str | None) -> None:
    field = dataclasses.replace(FIELDS["status"], key=key)
    state = state_of(field, name, "why")
    assert (state and state.word) == word
    assert (state and state.detail) == ("why" if key == "status" else None)


def category(
    key: str,
    names: tuple[str, ...],
    sets: tuple[tuple[int, ...], ...],
    codes: Sequence[int],
    *,
    is_shown: bool = True,
    details: Sequence[str | None] = (),
    **changed: object,
) -> Category:
    field = dataclasses.replace(FIELDS[key], **changed)  # type: ignore[arg-type]
    return Category(field, names, sets, array("I", codes), is_shown, details)


def test_names_stand_with_the_colour_of_their_model() -> None:
    models = category("model", ("Opus", "Sonnet"), ((), (0,), (0, 1)), [1, 0, 2])
    cells = [models.cell(position) for position in range(3)]
    assert [(cell.text, cell.css, cell.is_of_run) for cell in cells] == [
        ("Opus", "names", True),
        ("–", "names", True),
        ("Opus, Sonnet", "names", True),
    ]
    assert all(cell.model_slug for cell in cells)
    tasks = category("task", ("a",), ((0,),), [0])
    assert tasks.cell(0) == CellView("a", "names", is_of_run=True)
    assert tasks.text(0) == "a"


def test_words_with_a_sign_have_their_detail() -> None:
    states = category(
        "status", ("ok", "failed"), ((), (0,), (1,)), [1, 2, 0], details=[None, "limit", "x"]
    )
    ok, failed, unknown = map(states.cell, range(3))
    assert ok.state is not None
    assert (ok.state.detail, ok.text, ok.css) == (None, "", "")
    assert failed.state is not None
    assert (failed.state.word, failed.state.detail) == ("failed", "limit")
    assert unknown == CellView("–")
    assert states.css == ""
    outcomes = category("outcome", ("pass",), ((0,),), [0])
    assert outcomes.cell(0).state == state_of(FIELDS["outcome"], "pass")


def test_a_script_knows_the_names_of_a_column_and_their_looks() -> None:
    tasks = category("task", ("a", "b"), ((), (0,)), [1])
    assert tasks.described() == {"none": "no task", "names": ("a", "b")}
    labels = category("labels", ("a", "b"), ((), (0, 1)), [1], tooltip="tip")
    assert labels.described() == {
        "none": FIELDS["labels"].missing,
        "names": ("a", "b"),
        "sets": ((), (0, 1)),
        "title": "tip",
    }
    models = category("model", ("Opus",), ((0,),), [0], tooltip="")
    (look,) = models.described()["looks"]  # type: ignore[misc]
    assert len(look) == 1
    outcomes = category("outcome", ("pass", "error"), ((0,), (1,)), [0], tooltip="")
    assert outcomes.described()["looks"] == [("pass", "pass", "pass"), ("error", "stop", "stop")]
    signals = category("signals", ("x",), ((0,),), [0])
    assert signals.described()["empty"] == FIELDS["signals"].empty
    assert FIELDS["signals"].empty


@pytest.mark.parametrize(
    ("source", "is_shown", "is_late"),
    [("stated", False, True), ("stated", True, False), ("entry.task", False, False)],
)
def test_names_that_runs_state_come_late_where_they_are_not_shown(
    source: str, is_shown: bool, is_late: bool
) -> None:
    column = category(
        "task", ("a", "b"), ((), (0,), (1,)), [2, 0, 1], is_shown=is_shown, source=source
    )
    assert column.is_late is is_late
    codes = [1, 2, 0]  # behind the last name where a run has none
    names = {"names": ("a", "b")}
    assert column.packed(range(3)) == ({**names, "codes": codes} if is_late else codes)
    assert column.described() == {"none": "no task", **({"late": True} if is_late else names)}


def test_lists_are_packed_by_their_sets() -> None:
    labels = category("labels", ("a", "b"), ((), (0, 1)), [1, 0, 1])
    assert labels.packed(range(1, 3)) == [0, 1]


def test_texts_are_asked_of_the_runs_and_moments_stand_to_the_minute() -> None:
    facts = [RunFacts.of(entry(started_at="2026-01-02T03:04:05Z")), RunFacts.of(entry())]
    times = TextSeries(FIELDS["started_at"], facts)
    assert times.cell(0) == CellView("2026-01-02 03:04", is_of_run=True)
    assert times.cell(1) == CellView("–", is_of_run=True)
    assert times.packed(range(2)) == ["2026-01-02T03:04:05Z", None]
    assert times.packed(range(1, 2)) == [None]
    assert (times.described(), times.css, times.label) == ({}, "", FIELDS["started_at"].title)
    assert times.is_shown is bool(FIELDS["started_at"].shown)


def shown(*entries: Entry) -> dict[str, bool]:
    return {series.key: series.is_shown for series in all_series(entries)}


@pytest.mark.parametrize(
    ("size", "is_shown"),
    [(1, True), (10, True), (11, False)],
)
def test_figures_that_a_tenth_of_the_runs_know_are_shown(size: int, is_shown: bool) -> None:
    others = [entry(number) for number in range(1, size)]
    columns = shown(entry(computed_cost_usd=0.5), *others)
    assert columns["computed_cost_usd"] is is_shown
    unknown = shown(entry(), *others)
    assert "computed_cost_usd" not in unknown
    assert unknown["cost_usd"], "it is shown though no run knows it"


def test_two_scores_are_shown_that_a_quarter_of_the_runs_have() -> None:
    def scored(number: int) -> tuple[Score, ...]:
        names = {"s10": 1, "s9": 4, "s2": 4, "s1": 1}
        return tuple(Score(name, 1.5 + number) for name, runs in names.items() if number < runs)

    columns = shown(*(entry(number, scores=scored(number)) for number in range(4)))
    scores = {key: value for key, value in columns.items() if key.startswith("score.")}
    assert list(scores) == ["score.s1", "score.s2", "score.s9", "score.s10"], "in natural order"
    assert scores == {"score.s1": False, "score.s2": True, "score.s9": True, "score.s10": False}
    for size, is_shown in ((4, True), (5, False)):
        runs = [entry(number) for number in range(1, size)]
        assert shown(entry(scores=(Score("s", 1.5),)), *runs)["score.s"] is is_shown


def test_a_model_is_no_column_of_its_own_where_tasks_name_runs() -> None:
    assert shown(entry(1, model="A"), entry(2, model="B"))["model"] is True
    assert shown(entry(1, model="A", task="t"), entry(2, model="B", task="t"))["model"] is False
    assert shown(entry(1, model="A", task="t"), entry(2, model="B"))["model"] is True


def test_names_are_in_their_order_else_in_natural_order() -> None:
    entries = [
        entry(1, status="stopped", task="t10", status_detail="limit", labels=("b", "a")),
        entry(2, status="ok", task="t9", labels=("a",)),
        entry(3, status="failed", task="t10"),
    ]
    columns = {series.key: series for series in all_series(entries)}
    tasks, states, labels = columns["task"], columns["status"], columns["labels"]
    assert isinstance(tasks, Category)
    assert (tasks.names, tasks.sets, list(tasks.codes)) == (("t9", "t10"), ((0,), (1,)), [1, 0, 1])
    assert isinstance(states, Category)
    assert states.names == ("ok", "failed", "stopped")
    assert list(states.details) == ["limit", None, None]
    assert isinstance(labels, Category)
    assert labels.names == ("a", "b")
    assert set(labels.sets) == {(), (0,), (0, 1)} or set(labels.sets) == {(), (0,), (1, 0)}
    assert list(tasks.details) == []


def test_a_total_is_a_bound_where_a_kind_of_token_is_not_known() -> None:
    entries = [entry(1, cost_usd=1.0), entry(2, tokens=Tokens(1, 2, 3), cost_usd=2.0)]
    columns = {series.key: series for series in all_series(entries)}
    total = columns["total_tokens"]
    assert isinstance(total, Number)
    assert list(total.values) == [10, 6]
    assert list(total.bounds) == [1]
    output = columns["output_tokens"]
    assert isinstance(output, Number)
    assert list(output.values) == [4, None]
    cost = columns["cost_usd"]
    assert isinstance(cost, Number)
    assert (cost.label, list(cost.bounds), cost.unit) == ("Cost, $", [], DOLLARS)


def table(*entries: Entry) -> RunTable:
    return RunTable(entries, summarize(entries), "index", "data/rows", is_part=False)


def test_without_tasks_what_went_wrong_comes_first_then_what_cost_most() -> None:
    entries = [
        entry(1, cost_usd=1.0),
        entry(2, cost_usd=3.0, outcome=Outcome.PASS),
        entry(3, cost_usd=0.5, outcome=Outcome.FAIL),
        entry(4, cost_usd=2.0, status="failed"),
        entry(5),
    ]
    assert [run.id for run in table(*entries).runs(0)] == ["r-4", "r-3", "r-2", "r-1", "r-5"]
    named = [dataclasses.replace(one, task="t") for one in entries]
    assert [run.id for run in table(*named).runs(0)] == ["r-1", "r-2", "r-3", "r-4", "r-5"]
    assert list(table(*entries).runs(1)) == []


def test_a_frame_changes_with_the_unit_and_the_longest_bar() -> None:
    cheap = table(entry(1, cost_usd=1.0), entry(2, cost_usd=2.0)).frame
    assert cheap == table(entry(1, cost_usd=2.0), entry(2, cost_usd=1.0)).frame
    assert cheap != table(entry(1, cost_usd=1.0), entry(2, cost_usd=1.5)).frame
    assert cheap != table(entry(1, cost_usd=1.0)).frame
    fine = table(entry(1, cost_usd=0.0001), entry(2, cost_usd=2.0)).frame
    assert cheap != fine, "its costs have more decimals"
