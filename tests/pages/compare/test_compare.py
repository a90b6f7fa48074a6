"""The pages of comparisons: which pairs have one, and what they may say."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from sitegen import config
from sitegen.errors import ConfigError
from sitegen.html import theme
from sitegen.html.render import Renderer, View
from sitegen.model import Entry, ModelUsage, Outcome, Run, Score, Source, Status, Tokens
from sitegen.numbers.comparison import Contrast, Effect
from sitegen.numbers.statistics import Dimension, Measure
from sitegen.pages import compare
from sitegen.pages.compare import MAX_PAIRS, Chosen, Comparisons, compare_pages, comparisons
from sitegen.pages.site import _site_view
from sitegen.readers.common.fields import given, tools_in

PASS, FAIL = Outcome.PASS, Outcome.FAIL


def attempt(
    model: str,
    task: str | None,
    cost_usd: float | None = 1.0,
    outcome: Outcome | None = None,
    *,
    attempt: int = 1,
    status: Status = Status.OK,
) -> Entry:
    name = f"{model}-{task}-{attempt}"
    source = Source(f"{name}.json", f"{name}.json", named=False, size=1)
    ledger = (ModelUsage("m", Tokens(1, 2, 3, 4)),)
    run = Run("t", status, ledger=ledger, cost_usd=cost_usd, wall_ms=1_000, turns=3)
    return Entry(
        name,
        source,
        0,
        "",
        run,
        name,
        task=task,
        model=model,
        ledger_names=(model,) * len(run.ledger),
        attempt=attempt,
        outcome=outcome,
    )


def campaign(
    costs: dict[str, Sequence[float | None]], outcomes: dict[str, Sequence[Outcome]] | None = None
) -> list[Entry]:
    """One attempt of each model at each of the tasks t0, t1, ..."""
    return [
        attempt(model, f"t{index}", cost, outcomes[model][index] if outcomes else None)
        for model, own in costs.items()
        for index, cost in enumerate(own)
    ]


CHEAPER = {"alpha": [2.0, 3.0, 4.0, 5.0, 6.0], "beta": [1.0, 1.4, 2.0, 2.6, 3.0]}


def only(entries: Sequence[Entry]) -> View:
    (view,) = comparisons(entries, []).views
    return view


def rendered(compared: Comparisons) -> list[str]:
    site = _site_view(config.Config(), theme.load(), ())
    renderer = Renderer(theme.load(), site)
    return [renderer.render(page).decode() for page in compare_pages(compared)]


def text(page: str) -> str:
    """What a reader sees of a page, tooltips and descriptions included, styles and references excluded."""
    shown = re.sub(r'(?:class|href|id|aria-labelledby)="[^"]*"', "", page.partition("<body>")[2])
    return re.sub(r"\s+", " ", shown)


def measures(view: View) -> list[str]:
    """What the lines of the interval charts are of."""
    return [row.label for plot in view.plots for row in plot.rows]


def decided(view: View) -> list[bool]:
    """Of each line of the interval charts, whether it is drawn as one that leaves out "same"."""
    return [row.mark.css == "t" for plot in view.plots for row in plot.rows]


def test_the_heading_claims_a_difference_that_its_interval_proves() -> None:
    view = only(campaign(CHEAPER))
    assert view.heading == "beta costs less than alpha"
    assert view.lead.startswith(
        "beta costs 0.500 times as much as alpha on the same five tasks (95% "
    )
    assert decided(view)[0]


def test_a_difference_that_could_be_chance_is_not_claimed() -> None:
    view = only(campaign({"alpha": [1, 2, 3, 4, 5], "beta": [2, 1, 4, 3, 5.5]}))
    assert view.heading == "No clear difference between alpha and beta in five tasks"
    assert not decided(view)[0]


@pytest.mark.parametrize(
    ("beta", "heading"),
    [
        ([PASS] * 5, "beta costs less than alpha and passes more often"),
        (
            [PASS, FAIL, FAIL, FAIL, FAIL],
            "beta costs less than alpha; no clear difference in success",
        ),
    ],
)
def test_the_heading_says_of_success_what_its_interval_proves(
    beta: list[Outcome], heading: str
) -> None:
    assert only(campaign(CHEAPER, {"alpha": [FAIL] * 5, "beta": beta})).heading == heading


def test_less_cost_with_less_success_is_told_with_a_but() -> None:
    view = only(campaign(CHEAPER, {"alpha": [PASS] * 5, "beta": [FAIL] * 5}))
    assert view.heading == "beta costs less than alpha but passes less often"


def with_scores(
    entries: Sequence[Entry], *, name: str = "speedup", **scores: Sequence[float]
) -> list[Entry]:
    """The same runs with a score, by model and task."""
    is_ratio = name == "speedup"
    return [
        replace(
            run,
            scores=(
                Score(
                    name, scores[run.model or ""][int((run.task or "t0")[1:])], "x", True, is_ratio
                ),
            ),
        )
        for run in entries
    ]


def test_the_heading_begins_with_the_score_and_the_lead_says_by_how_much() -> None:
    entries = with_scores(
        campaign(CHEAPER), alpha=[1, 1.1, 1.2, 1.3, 1.4], beta=[2, 2.3, 2.3, 2.7, 2.9]
    )
    view = only(entries)
    assert view.heading == "beta has a higher speedup than alpha and costs less"
    assert view.lead.startswith(
        "beta has a speedup 2.03 times that of alpha on the same five tasks (95% interval 1.69 to 2.12) and costs "
        "0.500 times as much (0.469 to 0.535)."
    )
    assert measures(view)[0] == "Speedup"
    assert view.numbers[0].cells[2:5] == ("–", "–", "2.03×")
    assert view.table is not None
    assert [label for label, _ in view.table.groups][:2] == ["Runs", "Mean speedup, x"]
    assert view.table.rows[0].cells[4].text == "2.00×"
    page = rendered(comparisons(entries, []))
    assert "beta has a higher speedup, 2.03×" in text(page[0])


def test_a_score_that_is_no_ratio_is_told_as_a_difference() -> None:
    entries = with_scores(
        campaign(CHEAPER), name="points", alpha=[1, 5, 3, 4, 2], beta=[2.5, 6, 5, 6.5, 3]
    )
    view = only(entries)
    assert view.lead.startswith(
        "beta scores 1.6x higher in points than alpha on the same five tasks (95% "
    )
    assert view.numbers[0].cells[2] == "+1.6x"
    assert view.numbers[0].cells[4] == "–"
    assert view.plots[-1].description.startswith(
        "points of beta minus that of alpha, with its 95% interval: Points +1.6x"
    )
    assert view.table is not None
    assert view.table.rows[0].cells[4].text == "+1.50"


def test_a_value_and_its_interval_are_one_text_with_room_for_its_length() -> None:
    entries = with_scores(
        campaign(CHEAPER), name="points", alpha=[1, 5, 3, 4, 2], beta=[2.5, 6, 5, 6.5, 3]
    )
    page = "".join(rendered(comparisons(entries, [])))
    assert re.search(r'<text class="val"[^>]*><tspan class="b">\+1.6x</tspan><tspan dx=', page)
    assert only(entries).plots[-1].room == "r12"
    long = [
        replace(run, scores=tuple(replace(score, unit="tokens per second") for score in run.scores))
        for run in entries
    ]
    assert only(long).plots[-1].room == "r18"


def test_the_label_of_a_measure_keeps_its_beginning() -> None:
    name = "share of the calls that a tool refused"
    values = {"alpha": [1, 5, 3, 4, 2], "beta": [2.5, 6, 5, 6.5, 3]}
    view = only(with_scores(campaign(CHEAPER), name=name, **values))
    assert measures(view)[-1] == "Share of the calls that…"


def test_scores_that_do_not_separate_are_open_and_told_so() -> None:
    entries = with_scores(campaign(CHEAPER), alpha=[1, 2, 3, 4, 5], beta=[2, 1, 4, 3, 5.5])
    view = only(entries)
    assert view.heading == "beta costs less than alpha; no clear difference in speedup"
    assert any(gap.startswith("Speedup: ") and "tasks" in gap for gap in view.gaps)


def test_sides_that_are_equal_are_both_named() -> None:
    entries = with_scores(
        campaign({"alpha": [1] * 5, "beta": [1] * 5}, {"alpha": [PASS] * 5, "beta": [PASS] * 5}),
        alpha=[1.5] * 5,
        beta=[1.5] * 5,
    )
    view = only(entries)
    assert (
        view.heading == "alpha and beta have equal speedup, cost and success on each of five tasks"
    )
    assert view.lead == f"{view.heading}."
    assert view.table is not None
    assert view.table.heading == "alpha and beta passed equally often on every task"


def test_below_five_shared_tasks_the_tasks_are_shown_and_nothing_is_claimed() -> None:
    view = only(campaign({name: costs[:4] for name, costs in CHEAPER.items()}))
    assert view.heading == "alpha and beta share four tasks: too few to compare"
    assert not (view.plots or view.numbers)
    assert view.table is not None
    assert not view.table.sums
    assert len(view.table.rows) == 4


def test_two_campaigns_are_compared_once_and_the_earlier_comes_first() -> None:
    runs = [
        replace(attempt("alpha", "t1", 1.0), campaign=name, id=f"{name}-{n}")
        for name in ("May", "June")
        for n in "ab"
    ]
    views = comparisons(runs, [], [("campaign", "May", "June")]).views
    assert [(view.a.name, view.b.name) for view in views] == [("May", "June")]


def test_sides_that_are_no_models_wear_no_colour_of_a_model() -> None:
    styles = (theme.folder() / "static" / "compare.css").read_text(encoding="utf-8")
    assert ".side-a {" in styles
    assert "--model-" not in styles


def test_pairs_without_a_shared_task_have_no_page_unless_they_are_wanted() -> None:
    entries = [attempt("alpha", "t0"), attempt("beta", "t1")]
    assert not comparisons(entries, []).views
    assert [page.path for page in compare_pages(comparisons(entries, []))] == [
        compare.OVERVIEW_PATH
    ]
    (view,) = comparisons(entries, [("model", "alpha", "beta")]).views
    assert view.heading == "alpha and beta share no task"
    assert ("Left out: on tasks of one side only", "1", "1") in view.taking_part


def test_labels_of_the_same_runs_have_no_page_and_are_not_said_to_share_no_task() -> None:
    entries = [replace(attempt("alpha", f"t{number}"), labels=("x", "y")) for number in range(6)]
    entries.append(replace(attempt("alpha", "t0", attempt=2), labels=("x",)))
    assert not comparisons(entries, []).views
    (view,) = comparisons(entries, [("label", "x", "y")]).views
    assert view.heading == "x and y share no task but in the same runs"
    assert ("Left out: in both groups", "6", "6") in view.taking_part
    entries.append(replace(attempt("alpha", "t0", attempt=3), labels=("y",)))
    assert [view.tasks for view in comparisons(entries, [("label", "x", "y")]).views] == [1]


def test_without_outcomes_no_page_mentions_success() -> None:
    for page in rendered(comparisons(campaign(CHEAPER), [])):
        assert not re.search(r"succe|pass|outcome|judged", text(page), re.IGNORECASE)


def test_with_outcomes_success_is_on_every_page() -> None:
    for page in rendered(
        comparisons(campaign(CHEAPER, {"alpha": [FAIL] * 5, "beta": [PASS] * 5}), [])
    ):
        assert "uccess" in text(page)


def test_pairs_beyond_the_limit_have_no_page_and_the_overview_says_so() -> None:
    compared = comparisons([attempt(f"m{number}", "t0") for number in range(7)], [])
    assert len(compared.views) == MAX_PAIRS
    assert compared.overview is not None
    (remark,) = compared.overview.remarks
    assert remark.startswith("15 of 21 pairs have a page: at most 15 that share a task")


def test_a_difference_that_is_claimed_alone_is_open_among_many_others() -> None:
    """The interval of two models leaves out "same"; among further models that all cost the same, it could be chance."""
    costs = {"m0": [1.0, 1.1, 0.9, 1.0, 1.2, 0.8], "m1": [1.3, 1.0, 1.2, 1.1, 1.5, 1.0]}
    others = {
        f"other {number}": [1 + (number * task) % 7 / 10 for task in range(6)]
        for number in range(2, 7)
    }

    def cost(models: Mapping[str, Sequence[float]]) -> Contrast:
        pairs = dict(comparisons(campaign(models), []).pairs)
        return pairs[Dimension.MODEL, "m0", "m1"].contrasts[Measure.COST]

    alone, among = cost(costs), cost(costs | others)
    assert (alone.effect, among.effect) == (Effect.HIGHER, Effect.UNDECIDED)
    assert (alone.ratio, alone.p_value, alone.p_value) == (
        among.ratio,
        among.p_value,
        alone.corrected_p,
    )


def of_campaigns(*models: tuple[str, str, float]) -> list[Entry]:
    """A run of each (campaign, model, cost in USD) at each of five tasks."""
    return [
        replace(attempt(model, f"t{n}", cost_usd), id=f"{name}-{model}-{n}", campaign=name)
        for name, model, cost_usd in models
        for n in range(5)
    ]


def test_campaigns_are_compared_model_by_model_and_the_page_says_what_is_left_out() -> None:
    entries = of_campaigns(
        ("monday", "large", 2.0), ("tuesday", "large", 2.0), ("tuesday", "small", 0.1)
    )
    (view,) = comparisons(entries, [("campaign", "monday", "tuesday")]).views
    assert view.heading == "monday and tuesday have equal cost on each of five tasks"
    assert (
        "Left out: on tasks that the other side did not attempt with the same model",
        "0",
        "5",
    ) in view.taking_part


def test_campaigns_without_a_common_model_say_so() -> None:
    entries = of_campaigns(("monday", "large", 2.0), ("tuesday", "small", 0.1))
    compared = comparisons(
        entries, [("campaign", "monday", "tuesday"), ("model", "large", "small")]
    )
    campaigns, models = compared.views
    assert campaigns.lead.startswith(
        "No task was attempted by both with the same known model, so a difference may be one of models. "
    )
    assert models.lead.startswith(
        "No task was attempted by both in the same campaign, so a difference may be one of campaigns. "
    )
    names = [row.label for _, rows in compared.overview.groups for row in rows]
    assert names == [
        "monday and tuesday, no task with the same known model",
        "large and small, no task in the same campaign",
    ]


def test_unknown_models_are_not_taken_for_the_same() -> None:
    entries = [
        replace(entry, model=None)
        for entry in of_campaigns(("monday", "any", 2.0), ("tuesday", "any", 1.0))
    ]
    (view,) = comparisons(entries, [("campaign", "monday", "tuesday")]).views
    assert view.lead.startswith("No task was attempted by both with the same known model")


def test_few_tasks_with_the_same_model_claim_nothing_and_say_of_how_many() -> None:
    entries = of_campaigns(("monday", "large", 2.0), ("tuesday", "small", 0.1))
    entries.append(replace(attempt("large", "t0", 1.0), id="trial", campaign="tuesday"))
    (view,) = comparisons(entries, [("campaign", "monday", "tuesday")]).views
    assert (
        view.heading
        == "monday and tuesday share five tasks, one with the same model: too few to compare"
    )
    assert view.meta.startswith("1 of 5 shared tasks, 2 runs: ")


def test_runs_that_only_one_side_judged_are_left_out_and_counted() -> None:
    def runs(name: str, verdict: Outcome | None) -> list[Entry]:
        judged = of_campaigns((name, "large", 1.0))
        others = of_campaigns((name, "small", 1.0))
        return [replace(entry, outcome=PASS) for entry in judged] + [
            replace(e, outcome=verdict) for e in others
        ]

    (view,) = comparisons(
        [*runs("monday", None), *runs("tuesday", FAIL)], [("campaign", "monday", "tuesday")]
    ).views
    assert view.gaps == [
        "Success: not known of 5 of these runs.",
        "Success: 5 more runs left out, since it is known of no run of the other side at that task with the same model.",
    ]


def test_pairs_without_a_shared_task_have_no_page_and_the_overview_says_so() -> None:
    entries = [
        attempt(model, task)
        for model, task in (("m1", "t0"), ("m1", "t1"), ("m2", "t0"), ("m3", "t1"))
    ]
    overview = comparisons(entries, []).overview
    assert overview is not None
    assert overview.remarks[-1].startswith(
        "2 of 3 pairs have a page: at most 15 that share a task in runs of their own"
    )


def test_wanted_pairs_replace_all_others_and_keep_their_sides() -> None:
    entries = campaign({"alpha": [1] * 5, "beta": [2] * 5, "gamma": [3] * 5})
    compared = comparisons(entries, [("model", "gamma", "alpha"), ("model", "gamma", "alpha")])
    assert [(view.a.name, view.b.name) for view in compared.views] == [("gamma", "alpha")]


def test_a_wanted_group_that_no_run_has_is_said_and_makes_no_page() -> None:
    compared = comparisons(
        campaign(CHEAPER), [("campaign", "June", "July"), ("model", "alpha", "beta")]
    )
    assert len(compared.views) == 1
    assert len(compared.remarks) == 2
    assert (
        compared.remarks[0]
        == "compare: no run has the campaign “June”, so its comparison has no page."
    )


def test_campaigns_are_compared_too_and_labels_by_name_only() -> None:
    entries = [
        replace(entry, model=None, campaign=entry.model, labels=(f"label {entry.model}",))
        for entry in campaign(CHEAPER)
    ]
    compared = comparisons(entries, [])
    assert [pair[0].value for pair, _ in compared.pairs] == ["campaign"]
    assert len(comparisons(entries, [("label", "label alpha", "label beta")]).views) == 1


def test_pairs_of_the_first_leaders_come_first_and_then_those_that_differ_in_one_factor() -> None:
    names = [(agent, model) for agent in ("A", "B", "C") for model in ("x", "y", "z")]
    entries = [
        replace(attempt("m", "t0"), id=f"{n}-000000000000", configuration=" ".join(name))
        for n, name in enumerate(names)
    ]
    factors = {" ".join(name): dict(zip(("agent", "model"), name, strict=True)) for name in names}
    leaders = ["C z", "A x", "B y", *factors]
    compared = comparisons(entries, [], chosen=Chosen(factors, leaders))
    assert len(compared.views) == MAX_PAIRS
    apart = [len(Chosen(factors).apart(view.a.name, view.b.name)) for view in compared.views]
    assert apart == [2, 2, 2, *[1] * (MAX_PAIRS - 3)]
    assert {name for view in compared.views[:3] for name in (view.a.name, view.b.name)} == set(
        leaders[:3]
    )
    few = [
        entry
        for entry in entries
        if entry.configuration in leaders[:3] or entry.configuration in ("B x", "C y")
    ]
    compared = comparisons(few, [], chosen=Chosen(factors, leaders))
    apart = [len(Chosen(factors).apart(view.a.name, view.b.name)) for view in compared.views]
    ends = [view.meta.rpartition("They differ in ")[2] for view in compared.views]
    assert set(ends) == {"agent alone.", "model alone.", "agent and model."}
    assert [end == "agent and model." for end in ends] == [number == 2 for number in apart]
    assert apart[3:] == sorted(apart[3:])
    assert {compared.views[0].a.name, compared.views[0].b.name} == {"C z", "A x"}


def test_every_run_of_both_groups_is_accounted_for() -> None:
    entries = [
        *campaign(CHEAPER),
        attempt("alpha", "t0", attempt=2, status=Status.STOPPED),
        attempt("alpha", None),
        attempt("beta", "t9"),
    ]
    assert only(entries).taking_part == [
        ("Compared, on shared tasks", "5", "5"),
        ("Left out: infrastructure errors", "1", "0"),
        ("Left out: on tasks of one side only", "0", "1"),
        ("Left out: without a task", "1", "0"),
        ("All", "7", "6"),
    ]


def test_a_measure_that_too_few_tasks_know_is_not_claimed() -> None:
    view = only(campaign({"alpha": [1, 1, 1, 1, None], "beta": [2, 2, 2, 2, 2]}))
    assert "Cost: known on both sides of 4 of 5 tasks, so there is no verdict on it." in view.gaps
    assert "Cost" not in measures(view)
    assert "cost" not in view.heading
    view = only(campaign({"alpha": [None] * 5, "beta": [2] * 5}))
    assert "Cost: known on both sides of 0 of 5 tasks, so there is no verdict on it." in view.gaps


def test_a_run_that_reports_no_cost_is_counted() -> None:
    entries = [*campaign(CHEAPER), attempt("alpha", "t0", None, attempt=2)]
    assert "Cost: not known of 1 of these runs." in only(entries).gaps


def test_the_order_of_the_runs_changes_no_byte() -> None:
    entries = campaign(CHEAPER, {"alpha": [FAIL, PASS] * 2 + [FAIL], "beta": [PASS] * 5})
    entries += [attempt("alpha", "t1", 2.5, PASS, attempt=2)]
    assert rendered(comparisons(entries, [])) == rendered(comparisons(entries[::-1], []))


def test_hostile_names_are_escaped_and_do_not_leave_the_folder() -> None:
    hostile = "../<script>alert(1)</script>"
    compared = comparisons(campaign({hostile: CHEAPER["alpha"], "beta": CHEAPER["beta"]}), [])
    assert all(re.fullmatch(r"compare/[a-z0-9-]+\.html", view.path) for view in compared.views)
    for page in rendered(compared):
        assert "<script>alert" not in page


@pytest.mark.parametrize("top", [1e-7, 0.004, 3.0, 5e6])
def test_everything_drawn_lies_within_its_drawing(top: float) -> None:
    entries = campaign(
        {
            "alpha": [top * n for n in (1, 2, 3, 4, 5)],
            "beta": [top * n for n in (9, 0.01, 7, 100, 1)],
        },
        {"alpha": [PASS, FAIL, FAIL, FAIL, FAIL], "beta": [PASS] * 5},
    )
    view = only(entries)
    assert view.tasks_plot is not None
    page = rendered(comparisons(entries, []))[1]
    places = re.findall(r' (?:x|cx|x1|x2)="([^"%]*)%?"', page)
    assert len(places) > 30
    assert all(0 <= float(place) <= 100 for place in places)
    assert 2 <= len(view.tasks_plot.ticks) <= 6


def test_sides_that_cost_nothing_have_no_ratio_and_no_chart_of_costs() -> None:
    view = only(campaign({"alpha": [0.0] * 5, "beta": [0.0] * 5}))
    assert view.tasks_plot is None
    assert "Cost" not in measures(view)


def test_models_without_a_colour_of_their_own_take_those_of_the_sides() -> None:
    entries = campaign({f"m{number}": [1.0, 2.0] for number in range(5)})
    keys = {(view.a.name, view.b.name): view.b.key for view in comparisons(entries, []).views}
    assert keys["m0", "m1"].startswith("m-m1")
    assert keys["m0", "m4"] == "side-b"


def test_a_large_table_is_cut_and_says_so() -> None:
    entries = [attempt(model, f"t{number}") for model in ("alpha", "beta") for number in range(201)]
    view = only(entries)
    assert view.table is not None
    assert len(view.table.rows) == 200
    assert "1 more shared task in the means; see data/runs.csv." in view.table.remarks
    assert view.tasks_plot is not None
    assert len(view.tasks_plot.rows) == 12


def test_a_pair_in_the_settings_names_two_groups() -> None:
    parsed = config.parse("compare:\n  - {a: one, b: two}\n  - {by: label, a: x, b: y}\n", "c.yaml")
    assert [(pair.by, pair.a, pair.b) for pair in parsed.compare] == [
        ("model", "one", "two"),
        ("label", "x", "y"),
    ]
    with pytest.raises(ConfigError, match="a and b are both 'one'"):
        config.parse("compare:\n  - {a: one, b: one}\n", "c.yaml")


def test_the_overview_leads_to_every_page() -> None:
    compared = comparisons(campaign({"alpha": [1] * 5, "beta": [2] * 5, "gamma": [3] * 5}), [])
    overview = rendered(compared)[0]
    assert len(compared.views) == 3
    assert all(f'href="{view.path}"' in overview for view in compared.views)
    assert compare.OVERVIEW_PATH == "compare.html"


def test_where_one_side_costs_nothing_the_difference_is_told_instead_of_the_ratio() -> None:
    view = only(campaign({"alpha": [0.0] * 5, "beta": [1.0, 2.0, 3.0, 4.0, 5.0]}))
    assert "beta costs $3.00 more than alpha on the same five tasks" in view.lead
    assert any("there is no ratio" in gap for gap in view.gaps)
    assert view.numbers[0].cells[2] == "+$3.00"


def test_where_most_tasks_of_a_side_cost_nothing_no_difference_is_claimed() -> None:
    view = only(campaign({"alpha": [0.0, 0.0, 0.0, 0.0, 1.0], "beta": [1.0, 2.0, 3.0, 4.0, 5.0]}))
    assert "Cost: too few runs, since half of a side is zero." in view.gaps
    assert view.numbers[0].cells[2:4] == ("+$2.80", "–")


def test_sides_that_are_equal_on_every_task_are_called_level_and_not_undecided() -> None:
    verdicts = [PASS, FAIL, PASS, FAIL, PASS]
    view = only(
        campaign({"alpha": [1.0] * 5, "beta": [1.0] * 5}, {"alpha": verdicts, "beta": verdicts})
    )
    assert view.heading == "alpha and beta have equal cost and success on each of five tasks"
    assert view.lead == f"{view.heading}."
    assert decided(view) == [False, False, False, False]


def test_what_is_level_is_not_said_to_be_chance() -> None:
    view = only(campaign(CHEAPER, {"alpha": [PASS] * 5, "beta": [PASS] * 5}))
    assert view.heading == "beta costs less than alpha; equal success on each of five tasks"


def test_means_that_agree_by_chance_stay_undecided() -> None:
    view = only(campaign({"alpha": [1.0, 2.0, 3.0, 4.0, 5.0], "beta": [5.0, 4.0, 3.0, 2.0, 1.0]}))
    assert view.heading == "No clear difference between alpha and beta in five tasks"


def test_the_overview_says_what_a_comparison_takes_where_there_is_none() -> None:
    (overview,) = rendered(comparisons(campaign({"alpha": [1.0] * 5}), []))
    assert "it takes two agents, models or campaigns with a task in common" in overview
    assert "<table" not in overview


def test_a_page_says_what_the_sides_were_given_that_differs() -> None:
    entries = [
        replace(
            each,
            run=replace(
                each.run,
                agent_version="2.1" if each.model == "alpha" else "2.2",
                given=(
                    ("Tools", "Bash, Edit" if each.model == "alpha" else "Bash, WebFetch"),
                    ("Permission mode", "plan"),
                ),
            ),
        )
        for each in campaign(CHEAPER, {"alpha": [PASS] * 5, "beta": [FAIL] + [PASS] * 4})
    ]
    view = only(entries)
    assert view.given == [
        ("Agent version", "2.1", "2.2"),
        ("Tools of one side only", "Edit", "WebFetch"),
    ]
    assert view.same == "permission mode"
    assert view.table is not None
    assert [row.cells[2].text or row.cells[2].note for row in view.table.rows] == [
        "A",
        *["level"] * 4,
    ]


def test_many_tools_are_counted_and_none_is_said_to_be_missing() -> None:
    """With servers of tools a run has dozens; not all of their names are kept."""
    many = [f"mcp__browser__tool_number_{n}" for n in range(60)]
    ((_, listed),) = given(tools=many)
    assert len(listed) < 1100
    names, more = tools_in(listed)
    assert (len(names) + more, more > 0) == (60, True)
    entries = [
        replace(
            each,
            run=replace(each.run, given=given(tools=many if each.model == "alpha" else many[5:])),
        )
        for each in campaign(CHEAPER, {"alpha": [PASS] * 5, "beta": [PASS] * 5})
    ]
    assert only(entries).given == [("Tools, not the same ones", "60", "55")]


def test_all_that_differ_in_a_factor_and_agree_in_others_are_compared() -> None:
    names = [
        (agent, model, effort) for agent in "AB" for model in "xy" for effort in ("high", "low")
    ]
    entries = [
        replace(attempt("m", task, attempt=n), configuration=" ".join(name))
        for task in ("t0", "t1")
        for n, name in enumerate(names)
    ]
    factors = ("agent", "model", "effort")
    chosen = Chosen({" ".join(name): dict(zip(factors, name, strict=True)) for name in names})

    def differ(by: str, hold: Sequence[str] | None) -> int:
        pairs, remark = chosen.varied(entries, by, hold)
        assert bool(pairs) is not bool(remark)
        return len(pairs)

    assert differ("agent", None) == 4
    assert differ("agent", ["model"]) == 8
    assert differ("agent", []) == 16
    assert differ("agent", ["model", "agent"]) == 8
    apart = [entry for entry in entries if entry.task == ("t0" if "A" in entry.name else "t1")]
    assert chosen.varied(apart, "agent", None)[1] == (
        "compare: no two configurations with shared tasks differ in agent and agree in effort and model."
    )
    for by, hold in (("colour", None), ("agent", ["colour"])):
        assert chosen.varied(entries, by, hold) == (
            [],
            "compare: no factor of configurations is called “colour”; there are agent, model, effort.",
        )


@pytest.mark.parametrize(
    "said", ["{}", "{a: x}", "{by: colour, a: x, b: y}", "{a: x, b: y, hold: [model]}"]
)
def test_what_a_comparison_is_of_must_be_said_in_one_way(said: str) -> None:
    with pytest.raises(ConfigError, match=r"name two groups|a and b are groups"):
        config.parse(f"compare: [{said}]", "config.yaml")


def test_verdicts_and_observations_are_compared_like_success() -> None:
    runs = [
        replace(
            attempt(model, f"t{number}", outcome=PASS),
            stated=(("crash", "" if model == "B" else "yes"),),
            derived=(
                ("verdict.hard", "pass" if model == "A" or number == 0 else "fail"),
                *((("observed.failure", "server crash"),) if model == "A" and number else ()),
            ),
        )
        for model in "AB"
        for number in range(12)
    ]
    (pair, comparison), *_ = comparisons(runs, []).pairs
    assert pair[1:] == ("A", "B")
    hard = comparison.fields["hard rate"]
    assert (hard.a, hard.b, hard.effect, hard.measure.key) == (
        1.0,
        1 / 12,
        Effect.LOWER,
        "verdict.hard",
    )
    crash = comparison.fields["failure: server crash"]
    assert crash.measure.key == "observed.failure=server crash"
    assert (crash.a, crash.b, len(crash.tasks)) == (11 / 12, 0.0, 12)
    view = comparisons(runs, []).views[0]
    assert [row.label for row in view.numbers] == [
        "Cost",
        "Tokens",
        "Wall time",
        "Success",
        "Hard rate",
        "Failure: server crash",
    ]
    assert "has a lower hard rate" in view.heading
    assert "crash" not in view.heading + view.lead


def test_a_verdict_that_is_the_outcome_of_all_runs_is_not_compared_twice() -> None:
    runs = [
        replace(
            attempt(model, f"t{number}", outcome=PASS if number else FAIL),
            derived=(("verdict.main", "pass" if number else "fail"),),
        )
        for model in "AB"
        for number in range(6)
    ]
    (_, comparison), *_ = comparisons(runs, []).pairs
    assert not comparison.fields


def test_a_run_that_no_table_has_is_not_known_to_lack_an_observation() -> None:
    seen = (("observed.failure", "server crash"),)
    runs = [
        replace(attempt(model, f"t{number}"), derived=seen if model == "A" else ())
        for model in "AB"
        for number in range(6)
    ]
    (_, comparison), *_ = comparisons(runs, []).pairs
    assert not comparison.fields


def test_tasks_at_which_both_sides_left_the_same_patch_are_named() -> None:
    runs = [
        replace(attempt(model, task, attempt=number), patch_key=patch)
        for model, task, number, patch in (
            ("a", "t1", 1, "k"),
            ("b", "t1", 1, "k"),
            ("a", "t2", 1, "k"),
            ("b", "t2", 1, "other"),
            ("a", "t3", 1, "same"),
            ("a", "t3", 2, "same"),
            ("b", "t3", 1, None),
        )
    ]
    (view,) = comparisons(runs, []).views
    assert view.same_patches == "Both left the same patch at 1 task: t1."
    (other,) = comparisons(runs[2:], []).views
    assert other.same_patches == ""


def test_too_few_tasks_for_a_claim_are_shown_run_by_run() -> None:
    few = [attempt(model, f"t{task}", outcome=PASS) for model in "ab" for task in range(3)]
    (view,) = comparisons(few, []).views
    assert [row.task for row in view.runs] == ["t0", "t1", "t2"]
    first, _ = view.runs[0].sides
    ((link, note),) = first.runs
    assert (link.text, note, first.more) == ("t0 · a · 1", "pass, $1.00", "")
    many = [attempt(model, f"t{task}", outcome=PASS) for model in "ab" for task in range(6)]
    assert not comparisons(many, []).views[0].runs


@pytest.mark.parametrize(("attempts", "more"), [(10, ""), (11, "and 1 more")])
def test_of_many_runs_on_few_tasks_ten_are_listed(attempts: int, more: str) -> None:
    runs = [attempt(model, "t", outcome=PASS) for model in "ab" for _ in range(attempts)]
    (view,) = comparisons(runs, []).views
    assert [(len(side.runs), side.more) for side in view.runs[0].sides] == [(10, more)] * 2
