"""What the charts say of runs, their costs and their tokens."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

import pytest

from sitegen.charts import chart_set
from sitegen.charts.findings import (
    GREY,
    MAX_DOTS,
    Finding,
    Key,
    ModelColors,
    shortened_apart,
)
from sitegen.charts.findings.money_by_kind import money_by_kind
from sitegen.charts.findings.token_kinds import tokens_by_kind
from sitegen.charts.findings.turns import cost_by_turns
from sitegen.model import Entry, Status, Tokens
from sitegen.pages.index import _waste
from tests.support.chart_runs import IDS, OPUS, SONNET, campaign, color, entry, found, many, split


@pytest.fixture(scope="module")
def drawn() -> chart_set.Charts:
    runs = campaign(judged=True)
    return chart_set.charts(runs, split(runs), color=color)


def test_every_question_has_its_chart(drawn: chart_set.Charts) -> None:
    assert [chart.id for chart in drawn.drawn] == IDS, (
        "a new chart: add it to IDS in tests/support/chart_runs.py"
    )
    assert drawn.left_out == ()
    assert drawn.problem is None


def test_without_outcomes_and_starts_no_word_is_said_of_success_or_of_time() -> None:
    runs = campaign()
    made = chart_set.charts(runs, split(runs), color=color)
    assert {"cost-by-success", "cost-by-score", "spend"}.isdisjoint(
        chart.id for chart in made.drawn
    )
    assert "money-by-kind" in {chart.id for chart in made.drawn}
    assert made.left_out == ()
    assert not re.search(r"success|pass|judged|outcome|UTC|so far", repr(made).lower())


def test_titles_state_what_the_data_show() -> None:
    runs = [entry(1, cost=6.0), entry(2, cost=2.0), entry(3, cost=2.0, model=OPUS)]
    money = money_by_kind(runs, {run.id: {"cache_read": 0.5, "output": 1.5} for run in runs})
    assert not isinstance(money, str)
    assert money.title == "Cache reads are 90% of the tokens and 25% of the bill"
    assert [key.css_class for key in money.legend] == [
        "k-read",
        "k-write",
        "k-input",
        "k-output",
    ], "as in the styles"
    tokens = tokens_by_kind(runs)
    assert not isinstance(tokens, str)
    assert (
        tokens.title
        == "A typical run reads 700\u202fk tokens from the cache and writes 12.0\u202fk"
    )


@pytest.mark.parametrize(
    ("turns", "title"),
    [
        (10, "A turn cost 20¢ with Opus 4.5 and 10¢ with Sonnet 4.5"),
        (20, "A turn cost 10¢ on average"),
        (40, "A turn cost 10¢ with Sonnet 4.5 and 5.0¢ with Opus 4.5"),
    ],
)
def test_the_title_says_what_a_turn_cost_with_each_end_where_they_differ(
    turns: int, title: str
) -> None:
    sonnet = [entry(i, cost=1.0, model=SONNET) for i in range(5)]
    opus = [entry(i + 5, cost=2.0, model=OPUS, turns=turns) for i in range(5)]
    found = cost_by_turns([*sonnet, *opus], color)
    assert not isinstance(found, str)
    assert found.title == title


def test_a_turn_that_cost_next_to_nothing_ends_no_build() -> None:
    for turns, cost in ((10**300, 1e-30), (10**6, 1e-9)):
        found = cost_by_turns([entry(i, cost=cost, turns=turns) for i in range(3)], color)
        assert not isinstance(found, str)
        assert re.fullmatch(r"A turn cost (<\$0\.000001|\$0\.00) on average", found.title)


def test_what_a_turn_cost_is_the_cost_of_all_turns_over_their_number() -> None:
    short = [entry(i, cost=1.0, turns=1) for i in range(6)]
    found = cost_by_turns([*short, entry(7, cost=4.0, turns=94)], color)
    assert not isinstance(found, str)
    assert found.title == "A turn cost 10¢ on average", (
        "the median over runs, a dollar, is what starting costs"
    )
    assert found.table.rows[0][-1].text == "0.1000"
    assert all(row["cost_usd"] == pytest.approx(0.1 * row["turns"]) for row in found.data["rates"])


@pytest.mark.parametrize(
    ("runs", "ids", "left_out"),
    [
        ([], [], 3),
        ([entry(1)], ["money-by-kind"], 2),
        (
            [entry(1), entry(2)],
            ["money-by-kind", "tokens-by-kind"],
            1,
        ),
        ([entry(i, cost=None) for i in range(5)], ["tokens-by-kind"], 2),
        ([entry(i, cost=0.0) for i in range(5)], ["tokens-by-kind"], 2),
        (
            [entry(i, turns=None) for i in range(5)],
            ["money-by-kind", "tokens-by-kind"],
            1,
        ),
        (
            [entry(i, tokens=Tokens(0, 0, 0, 0)) for i in range(5)],
            ["cost-by-turns"],
            2,
        ),
        (
            [entry(i, tokens=Tokens()) for i in range(5)],
            ["cost-by-turns"],
            2,
        ),
    ],
)
def test_a_chart_that_would_say_nothing_is_left_out_with_a_reason(
    runs: list[Entry], ids: list[str], left_out: int
) -> None:
    by_kind = {run.id: {"output": run.run.cost_usd} for run in runs if run.run.cost_usd is not None}
    made = chart_set.charts(runs, by_kind, color=color)
    assert [chart.id for chart in made.drawn] == ids
    assert len(made.left_out) == left_out
    assert all(reason.endswith(".") for reason in made.left_out)


def test_the_split_says_of_how_many_runs_it_is() -> None:
    runs = campaign(10)
    by_kind = split(runs[:7])
    found = money_by_kind(runs, by_kind)
    assert not isinstance(found, str)
    assert "7 of 10 runs with a cost" in found.method


def test_models_that_share_a_pair_of_bars_are_named_by_their_dearest_and_listed_in_the_numbers() -> (
    None
):
    runs = [entry(number, cost=9.0 - number, model=f"m{number}") for number in range(5)]
    found = money_by_kind(
        runs, {run.id: {"output": 9.0 - number} for number, run in enumerate(runs)}
    )
    assert not isinstance(found, str)
    names = dict.fromkeys(row["configurations"].partition(",")[0] for row in found.data["shares"])
    assert list(names) == ["m0", "m1", "m2 and 2 more"]
    assert {row[0].text for row in found.table.rows} == {"m0", "m1", "m2", "m3", "m4", "all models"}


def test_bars_of_several_models_say_so_however_long_a_name_is() -> None:
    runs = [
        entry(number, cost=9.0 - number, model=f"a-quite-long-name-of-a-model-{number}")
        for number in range(5)
    ]
    found = money_by_kind(
        runs, {run.id: {"output": 9.0 - number} for number, run in enumerate(runs)}
    )
    assert not isinstance(found, str)
    assert "… and 2 more, 3 runs" in found.data["shares"][-1]["configurations"]


def test_counts_of_zero_are_not_drawn_on_a_log_scale_and_said() -> None:
    runs = [*campaign(4), entry(9, tokens=Tokens(100, 0, 0, 100))]
    found = tokens_by_kind(runs)
    assert not isinstance(found, str)
    assert "not drawn: 1 with no cache read, 1 with no cache write" in found.method
    assert found.note.endswith("not drawn: 1 with no cache read, 1 with no cache write.")
    drawn = [row["tokens"] for row in found.data["runs"] if row["kind"] == "cache read"]
    (tick,) = (row["median_tokens"] for row in found.data["medians"] if row["kind"] == "cache read")
    assert min(drawn) <= tick <= max(drawn) and tick == 475_000, (
        "of the same runs as the dots, and as the title"
    )
    assert "reads 475\u202fk tokens" in found.title
    assert all(row["tokens"] > 0 for row in found.data["runs"])
    assert [cell.text for cell in found.table.rows[0]] == [
        "cache read",
        "4",
        "430,000",
        "475,000",
        "520,000",
    ]


def test_runs_that_did_not_complete_are_hollow() -> None:
    found = cost_by_turns([entry(1), entry(2), entry(3, status=Status.STOPPED)], color)
    assert not isinstance(found, str)
    assert [row["status"] for row in found.data["runs"]] == ["ok", "ok", "stopped"]
    assert "hollow: not completed" in found.note


@pytest.mark.parametrize(("most", "logarithmic"), [(29.0, False), (31.0, True)])
def test_scales_are_logarithmic_where_the_spread_asks_for_it(
    most: float, logarithmic: bool
) -> None:
    found = cost_by_turns([entry(1), entry(2, cost=most), entry(3), entry(4, cost=0.0)], color)
    assert not isinstance(found, str)
    assert found.plot.y.logarithmic is logarithmic
    assert ("log scales" in found.method) is logarithmic
    without = (
        "left out: 1 run of zero turns or cost"
        if logarithmic
        else "the figures are without 1 run of zero turns or cost"
    )
    assert f"; {without}" in found.method
    assert sum(int(row[1].text) for row in found.table.rows) == 3


def test_notes_account_for_every_run() -> None:
    runs = [entry(n, cost=float(n)) for n in (1, 2, 40)]
    runs += [
        entry(4, cost=None),
        entry(5, turns=None),
        entry(6, cost=0.0),
        entry(7, tokens=Tokens()),
    ]
    turns, tokens = cost_by_turns(runs, color), tokens_by_kind(runs)
    assert isinstance(turns, Finding) and isinstance(tokens, Finding)
    assert (
        "4 runs, one dot per run; left out: 2 runs of unknown turns or cost and 1 run of zero turns or cost."
        in turns.method
    )
    assert "6 runs, log scale; 1 run of unknown counts left out." in tokens.method
    assert {row[1].text for row in tokens.table.rows} == {"6"}, (
        "the runs of the note are those of the table"
    )


def test_models_that_cost_nothing_have_no_part_in_where_the_money_went() -> None:
    runs = [entry(1), entry(2), entry(3, model=OPUS, cost=0.0)]
    found = money_by_kind(
        runs,
        {runs[0].id: {"output": 1.0}, runs[1].id: {"output": 2.0}, runs[2].id: {"output": 0.0}},
    )
    assert isinstance(found, Finding)
    assert found.method.endswith("; 2 of 3 runs with a cost; 1 run of models that cost nothing.")
    assert {row[0].text for row in found.table.rows} == {"Sonnet 4.5"}
    [tokens] = {row[2].text for row in found.table.rows if row[1].text == "output"}
    assert tokens == f"{sum(run.run.tokens.output or 0 for run in runs[:2]):,}"


@pytest.mark.parametrize(
    ("size", "says"),
    [
        (MAX_DOTS, "200 runs, one dot per run."),
        (MAX_DOTS + 1, "201 runs; runs close together are one dot, larger for more."),
        (5_001, "5,001 runs; runs close together are one dot, larger for more."),
    ],
)
def test_dots_that_are_too_many_are_put_together_and_the_note_says_so(size: int, says: str) -> None:
    chart = found(cost_by_turns(many(size), color))
    rows, is_dense = chart.data["runs"], size > MAX_DOTS
    assert len(rows) <= MAX_DOTS and sum(row.get("runs", 1) for row in rows) == size
    assert (
        chart.plot.is_dense
        is is_dense
        is ("larger: more runs" in chart.note)
        is (chart.whole == "Of all runs")
    )
    assert all(("page" in row) is not is_dense for row in rows)
    assert says in chart.method


@pytest.mark.parametrize(
    ("size", "says"),
    [(50, "One dot per run and kind, 50 runs"), (51, "Bars, thicker for more runs, 51 runs")],
)
def test_dots_of_tokens_count_all_kinds(size: int, says: str) -> None:
    chart = found(tokens_by_kind(many(size)))
    assert says in chart.method
    dots, bars = chart.data.get("runs", []), chart.data.get("density", [])
    assert all(dot["page"] for dot in dots)
    assert chart.plot.is_dense is bool(bars)
    assert sum(bar["runs"] for bar in bars) == 4 * size - len(dots), "each run in one bar"
    x = chart.plot.x
    assert all(x.low <= bar["tokens_from"] < bar["tokens_to"] <= x.high * 1.0001 for bar in bars)


def effort(sonnet: float, opus: float) -> list[Entry]:
    """Runs of two models whose cost grows with their turns, at these rates."""
    rates = {SONNET: sonnet, OPUS: opus}
    return [
        entry(
            i,
            cost=(10 + 2 * i) * rates[model] * (0.9 + 0.05 * (i % 5)),
            turns=10 + 2 * i,
            model=model,
        )
        for i, model in enumerate((SONNET, OPUS) * 12)
    ]


@pytest.mark.parametrize(
    ("models", "shared", "meant"),
    [
        ("ABCDEFG", "3 others", ("E", "F", "G")),
        (["A", "B", "E", "", "F"], "2 others, or not known", ("E", "", "F")),
        (["A", "", "E"], "E, or not known", ("", "E")),
        ("ABE", "E", ("E",)),
    ],
)
def test_models_without_a_colour_of_their_own_share_one_entry_of_the_legend(
    models: Iterable[str], shared: str, meant: tuple[str, ...]
) -> None:
    own = {model: f"var(--m-{model})" for model in "ABCD"}
    legend = ModelColors.of(
        {model: -at for at, model in enumerate(models)}, lambda model: own.get(model, GREY)
    ).legend
    assert [key for key in legend if key.color == GREY] == [Key("muted", shared, GREY, meant)]
    assert len({key.color for key in legend}) == len(legend)


def test_lines_are_named_in_the_legend() -> None:
    found = cost_by_turns(effort(0.02, 0.05), color)
    assert not isinstance(found, str)
    heads = [row for row in found.data["rates"] if "cost_per_turn_usd" in row]
    assert [round(row["cost_per_turn_usd"], 3) for row in heads] == [0.05, 0.02]
    assert [(key.label, key.models) for key in found.legend] == [
        ("Opus 4.5, 5.0¢ per turn", (OPUS,)),
        ("Sonnet 4.5, 2.0¢ per turn", (SONNET,)),
    ]


def test_long_names_that_begin_alike_are_cut_within() -> None:
    assert shortened_apart(["a long name, first", "a long name, second"], 10) == [
        "a…first",
        "a…second",
    ]
    assert shortened_apart(["Careful Agent · Opus 4.5"], 17) == ["Care…· Opus 4.5"]
    assert shortened_apart(["first of long names", "second of long names"], 10) == [
        "fi…names",
        "se…names",
    ]
    assert shortened_apart(
        ["a plain name, once", "a long name, first", "a long name, second"], 10
    ) == [
        "a…, once",
        "a…first",
        "a…second",
    ]
    alike = [f"the same beginning {number} and the same end" for number in (1, 2)]
    assert shortened_apart([f"one{alike[0]}one", f"two{alike[0]}one", f"one{alike[0]}two"], 10) == [
        "on…endone",
        "tw…endone",
        "on…endtwo",
    ]
    assert shortened_apart(["a-long-task · Opus · 1", "another-long-task · Opus · 1"], 18) == [
        "a-long-task",
        "another-long-task",
    ]
    for beginning in ("", "short-", "a beginning of a path that all of them have/"):
        for end in ("", " · Claude Code · Sonnet 4.5", " and an end of thirty-two letters"):
            names = [f"{beginning}{number}{end}" for number in ("a73c4df4", "a37e1247", "b1")]
            for given in (names, [*names, f"{beginning}b1 · Codex"]):
                cut = shortened_apart(given, 27)
                assert len(set(cut)) == len(given) and max(map(len, cut)) <= 27


def test_what_was_spent_on_runs_cut_short_is_of_one_kind_of_cost() -> None:
    def run(
        number: int, reported: float | None, listed: float | None, status: Status = Status.OK
    ) -> Entry:
        made = entry(number, status=status)
        return replace(made, run=replace(made.run, cost_usd=reported, computed_cost_usd=listed))

    stopped = run(1, None, 0.09, Status.STOPPED)
    assert _waste([stopped, run(2, 1.0, None)], {}) is None
    found = _waste([stopped, run(2, None, 1.0)], {})
    assert (
        found
        and found.text.startswith("$0.09 of $1.09 was spent on 1 run cut short")
        and "computed_" in found.href
    )


def test_names_that_differ_in_the_middle_and_at_the_end_stay_apart() -> None:
    names = [
        f"a-long-name-of-an-agent · effort {effort} · {variant} one two three"
        for effort in ("high", "low")
        for variant in ("alpha", "beta")
    ]
    for columns in (14, 20, 28, 40):
        short = shortened_apart(names, columns)
        assert len(set(short)) == 4, short
        assert all(len(name) <= columns for name in short)
