"""The data files, and the one place where text becomes a script."""

import csv
import io
import json
import re
from dataclasses import replace

import pytest

from sitegen import fields
from sitegen.fields import BUILT_IN, FIELDS, MAX_SCORES, fields_of
from sitegen.html.data_scripts import script
from sitegen.model import (
    TOKEN_KINDS,
    Caveat,
    Entry,
    ModelUsage,
    Outcome,
    Problem,
    Run,
    Score,
    Source,
    Status,
    StepCounts,
    Tokens,
    Verdict,
)
from sitegen.numbers.intervals import Question
from sitegen.numbers.pricing import PriceTable
from sitegen.numbers.signal_rules import SHOWN
from sitegen.numbers.statistics import Measure, spread, summarize
from sitegen.numbers.success import success
from sitegen.pages import data
from sitegen.pages.compare import comparisons
from sitegen.pages.table.run_table import RunTable
from sitegen.pages.table.series import Number, all_series
from sitegen.pages.views import group_path
from tests.conftest import ROOT


def _entry(title: str = "A title", run: Run | None = None) -> Entry:
    source = Source("a/b.json", "b.json", named=False, size=1)
    run = run or Run("reader", Status.OK)
    return Entry(
        "b-0",
        source,
        0,
        "00",
        run,
        title,
        ledger_names=tuple(str(line.model) for line in run.ledger),
    )


def _row(run: Run | None = None, title: str = "A title") -> data.Row:
    entry = _entry(title, run)
    return data.row(entry, PriceTable.load().check(entry.run))


def test_rows_have_the_documented_columns_in_their_order() -> None:
    assert list(_row()) == [field.key for field in BUILT_IN]


def test_the_table_of_fields_is_consistent() -> None:
    places = [field.place for field in FIELDS if field.place is not None]
    assert len(places) == len(set(places))
    assert len({field.key for field in FIELDS}) == len(FIELDS)
    (scores,) = (field for field in FIELDS if field.kind == "numbers")
    assert f"The {MAX_SCORES} most frequent" in scores.about


KEYS = [field.key for field in BUILT_IN if field.place is not None and field.title]
KEYS.remove("model")
"""Of the columns with a head. That of models is shown only where names of runs do not carry it."""


@pytest.mark.parametrize("key", KEYS)
def test_the_table_can_show_any_of_its_columns(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    """Head, cells and foot have a column more, and the script says so."""
    ledger = (ModelUsage("m", Tokens(1, 20, 300, 4000), 1.0),)
    run = Run(
        "reader", Status.OK, None, ledger, cost_usd=1.0, wall_ms=1, api_ms=1, turns=1, denials=0
    )
    run = replace(
        run,
        effort="high",
        steps=StepCounts(
            1, 1, 0, (1,), 1, 0, 0, 0, None, None, signals=(next(iter(SHOWN)),), tests="none"
        ),
    )
    entry = replace(
        _entry(run=run),
        task="t",
        campaign="c",
        attempt=1,
        model="m",
        configuration="a · m",
        outcome=Outcome.PASS,
        labels=("l",),
        started_at="2026-06-09T08:00:00Z",
        note="n",
        stated_claim=True,
        factors=(("project", "harbour"), ("person", "p1")),
    )
    usual = RunTable([entry], summarize([entry]), "index", "rows").page(0)
    shown = [replace(field, shown=field.shown or field.key == key) for field in FIELDS]
    monkeypatch.setattr(fields, "FIELDS", shown)
    table = RunTable([entry], summarize([entry]), "index", "rows")
    page = table.page(0)
    others = {column.key for column in usual.columns}
    heads = [column.key for column in page.columns]
    assert set(heads) == others | {key}
    assert page.foot is not None
    assert len(heads) == 1 + len(page.rows[0].cells) == 1 + len(page.foot.cells)
    assert f'\\"key\\":\\"{key}\\"'.encode() in next(table.scripts()).content


def test_head_and_filter_of_models_say_which_model_is_meant() -> None:
    runs = [replace(_entry(), model=name) for name in ("a", "b")]
    table = RunTable(runs, summarize(runs), "index", "rows").page(0)
    said = (
        "Main model: the evaluated one, where the file names it, else the one with the largest cost"
    )
    assert [(each.label, each.title) for each in table.columns if each.title] == [("Model", said)]
    assert [(each.label, each.title) for each in table.facets if each.title] == [("Model", said)]


def test_the_foot_has_the_sum_of_a_column_and_a_plus_where_something_is_missing() -> None:
    whole = Run("reader", Status.OK, None, (ModelUsage("a", Tokens(1, 2, 3, 4)),))
    half = Run(
        "reader",
        Status.OK,
        None,
        (ModelUsage("a", Tokens(1, None, 3, 4)), ModelUsage("b", Tokens(1, 5, 3, 4))),
    )
    numbers = {
        each.key: each
        for each in all_series([_entry(run=whole), _entry(run=half)])
        if isinstance(each, Number)
    }
    sums = {
        key: numbers[key].sum().text
        for key in ("input_tokens", "cache_write_tokens", "total_tokens", "turns")
    }
    assert sums == {
        "input_tokens": "3",
        "cache_write_tokens": "7+",
        "total_tokens": "31+",
        "turns": "–",
    }


def test_no_signal_and_no_record_of_steps_are_two_things_in_data_and_table() -> None:
    steps = StepCounts(1, 1, 0, (1,), 1, 0, 0, 0, None, None, signals=())
    found = replace(steps, signals=(next(iter(SHOWN)),))
    runs = [
        replace(_entry(run=Run("reader", Status.OK, steps=each)), id=name)
        for name, each in (("none", steps), ("found", found), ("unknown", None))
    ]
    made = [data.row(entry, PriceTable.load().check(entry.run)) for entry in runs]
    short = next(iter(SHOWN.values())).short
    assert [each["signals"] for each in made] == [[], [short], None]
    cells = list(csv.DictReader(io.StringIO(b"".join(data.rows_csv(made)).decode())))
    assert [each["signals"] for each in cells] == ["none", short, ""]
    table = RunTable(runs, summarize(runs), "index", "rows").page(0)
    facet = next(each for each in table.facets if each.key == "signals")
    assert {each.text: each.runs for each in facet.values} == {
        short: "1",
        "none": "1",
        "unknown": "1",
    }


def test_unknown_is_null_in_json_and_empty_in_csv() -> None:
    row = json.loads(b"".join(data.rows_json([_row()])))["runs"][0]
    assert [row[name] for name in ("cost_usd", "total_tokens", "wall_ms", "turns", "task")] == [
        None
    ] * 5
    cells = next(csv.DictReader(io.StringIO(b"".join(data.rows_csv([_row()])).decode())))
    assert [cells[name] for name in ("cost_usd", "input_tokens", "wall_ms", "task")] == [""] * 4


def test_zero_is_zero() -> None:
    run = Run(
        "reader",
        Status.OK,
        ledger=(ModelUsage("m", Tokens(0, 0, 0, 0, 0), 0.0),),
        cost_usd=0.0,
        wall_ms=0,
    )
    row = _row(run)
    assert (row["cost_usd"], row["input_tokens"], row["total_tokens"], row["wall_ms"]) == (
        0.0,
        0,
        0,
        0,
    )


def test_warnings_are_a_list_of_codes_without_repetition() -> None:
    run = Run(
        "reader",
        Status.OK,
        caveats=(Caveat("W_TYPE", "a"), Caveat("W_NOISE", "b"), Caveat("W_TYPE", "c")),
    )
    assert _row(run)["warnings"] == ["W_NOISE", "W_TYPE"]
    assert b",W_NOISE;W_TYPE\n" in b"".join(data.rows_csv([_row(run)]))


def test_counts_that_are_not_whole_are_named() -> None:
    whole = ModelUsage("a", Tokens(1, 2, 3, 4))
    assert _row(Run("reader", Status.OK, ledger=(whole,)))["token_gaps"] == []
    half = replace(whole, tokens=Tokens(1, None, 3, 4))
    row = _row(Run("reader", Status.OK, ledger=(whole, half)))
    assert (row["cache_write_tokens"], row["total_tokens"], row["token_gaps"]) == (
        2,
        18,
        ["cache_write"],
    )
    row = _row(Run("reader", Status.OK, ledger=(whole,), ledger_is_lower_bound=True))
    assert row["token_gaps"] == list(TOKEN_KINDS)


@pytest.mark.parametrize(
    "start", ["=", "+", "-", "@", "\t", "\r", "\ufeff=", " =", "＝", "＋", "－", "＠", "\x01="]
)
def test_text_that_a_spreadsheet_would_compute_gets_an_apostrophe(start: str) -> None:
    made = b"".join(data.rows_csv([_row(title=f"{start}1+1")])).decode()
    (row,) = csv.DictReader(io.StringIO(made, newline=""))
    assert row["name"] == row["title"] == f"'{start}1+1"


@pytest.mark.parametrize("sign", [";", "\t", "\n"])
def test_so_does_text_that_begins_another_cell_in_other_spreadsheets(sign: str) -> None:
    """Where a list has commas, a spreadsheet may separate cells by semicolons, and heed no quote within one."""
    row = _row(title=f"a{sign} =1+1{sign}b") | {"labels": ["x", "=2+2", "-"]}
    cells = next(
        csv.reader(
            io.StringIO(b"".join(data.rows_csv([row])).decode().partition("\n")[2], newline="")
        )
    )
    assert f"a{sign}' =1+1{sign}b" in cells
    assert "x;'=2+2;'-" in cells


def test_numbers_stay_bare_in_csv() -> None:
    run = Run("reader", Status.OK, cost_usd=1.5e-7)
    assert ",1.5e-07," in b"".join(data.rows_csv([_row(run)])).decode()


def test_problems_say_file_code_verdict_and_reason() -> None:
    problem = Problem("a.json", "E_EMPTY", Verdict.SKIP, "The file is empty.")
    rows = json.loads(data.problems_json([problem]))["problems"]
    assert rows == [
        {
            "file": "a.json",
            "code": "E_EMPTY",
            "verdict": "skip",
            "reason": "The file is empty.",
            "place": None,
        }
    ]


def test_a_script_holds_no_sign_that_html_or_javascript_could_take_for_its_end() -> None:
    value = {"</script><!--": "\u2028\u2029&<>\\\"'"}
    written = script("name", value).decode()
    assert not re.search("[<>&\u2028\u2029]", written)
    literal = written.removeprefix("window.name=JSON.parse(").removesuffix(");\n")
    assert json.loads(json.loads(literal)) == value


def test_a_script_refuses_what_is_not_json() -> None:
    with pytest.raises(ValueError, match="JSON"):
        script("name", float("nan"))


def test_each_score_has_a_column_behind_all_others() -> None:
    scored = replace(_entry(), scores=(Score("speedup", 2.5), Score("a;=cmd()", 1.0)))
    rows = list(data.rows([scored, _entry()], lambda entry: PriceTable.load().check(entry.run)))
    assert [list(row.items())[len(BUILT_IN) :] for row in rows] == [
        [("score.a;=cmd()", 1.0), ("score.speedup", 2.5)],
        [("score.a;=cmd()", None), ("score.speedup", None)],
    ]
    head, *cells = csv.reader(io.StringIO(b"".join(data.rows_csv(rows)).decode()))
    assert head[-2:] == ["score.a;'=cmd()", "score.speedup"], "no name becomes a formula"
    assert [each[-2:] for each in cells] == [["1.0", "2.5"], ["", ""]]


def test_each_factor_of_any_run_has_a_column_behind_all_others() -> None:
    factors = (("agent", "Codex CLI"), ("prompt", "=1+1")), (("codebase", "x"),)
    entries = [replace(_entry(), factors=own) for own in factors]
    made = list(data.rows(entries, lambda entry: PriceTable.load().check(entry.run)))
    shown = [(row["agent"], *list(row.values())[-2:]) for row in made]
    assert list(made[0])[-2:] == ["factor.prompt", "factor.codebase"]
    assert shown == [("Codex CLI", "=1+1", None), (entries[1].agent, None, "x")]
    assert {field.key: field.type for field in fields_of(entries)}["factor.prompt"] == "text"


def _campaign() -> list[Entry]:
    runs = []
    for model in ("alpha", "beta"):
        for task in range(6):
            cost, passed = (1.0 + task) * (1 if model == "alpha" else 2), (task + len(model)) % 3
            ledger = (
                ModelUsage(model, Tokens(1, 2, 3, 4), cost),
                ModelUsage("helper", Tokens(5, 6, 7, 8), 0.1),
            )
            run = Run(
                "reader",
                Status.OK,
                ledger=ledger,
                cost_usd=cost if task or model == "beta" else None,
                turns=3,
            )
            entry = replace(_entry(run=run), id=f"{model}-{task}", task=f"t{task}", model=model)
            score = Score("speedup", 1.5 + task / 10 + (model == "beta"), "x", True, True)
            runs.append(
                replace(entry, outcome=Outcome.PASS if passed else Outcome.FAIL, scores=(score,))
            )
    return runs


FIGURE = {"estimate", "low", "high", "n", "unknown", "bound", "unit"}


def test_figures_are_data_by_group_and_comparison_and_what_pages_show() -> None:
    runs = _campaign()
    compared = comparisons(runs, [])
    told = json.loads(data.figures_json(runs, compared, Question.TASKS_LIKE_THESE))
    assert (told["schema"], told["confidence"], told["intervals"]) == (1, 0.95, "tasks like these")
    groups = {(group["by"], group["name"]): group for group in told["groups"]}
    assert [key for key in groups if key[0] != "task"] == [
        ("all", None),
        ("model", "alpha"),
        ("model", "beta"),
    ]
    assert all(
        set(figure) == FIGURE for group in groups.values() for figure in group["figures"].values()
    )
    alpha = groups["model", "alpha"]
    own, figures = [run for run in runs if run.model == "alpha"], alpha["figures"]
    assert alpha["page"] == group_path("model", "alpha")
    judged, mean = success(own), spread(own, Measure.COST)
    assert judged.interval
    assert mean.interval
    assert figures["success"] == {
        "estimate": judged.rate,
        "low": judged.interval.low,
        "high": judged.interval.high,
        "n": 6,
        "unknown": 0,
        "bound": "exact",
        "unit": "share",
    }
    assert (figures["cost_usd"]["estimate"], figures["cost_usd"]["low"]) == (
        mean.mean,
        mean.interval.low,
    )
    assert figures["total_cost_usd"] == {
        "estimate": 20.0,
        "low": None,
        "high": None,
        "n": 5,
        "unknown": 1,
        "bound": "lower",
        "unit": "USD",
    }
    assert figures["median_wall_ms"]["bound"] == "none"
    assert figures["score.speedup"]["unit"] == "x"
    (pair,) = told["comparisons"]
    assert (pair["a"], pair["b"], pair["page"], pair["tasks"]) == (
        "alpha",
        "beta",
        compared.views[0].path,
        6,
    )
    speedup, cost = pair["figures"]["score.speedup"], pair["figures"]["cost_usd"]
    assert set(speedup) == {"a", "b", "ratio", "effect", "p_value", "corrected_p"}
    assert (speedup["effect"], cost["effect"], cost["ratio"]["estimate"]) == (
        "higher",
        "higher",
        2.0,
    )
    assert cost["ratio"] == {
        **cost["ratio"],
        "low": pytest.approx(2),
        "high": pytest.approx(2),
        "n": 5,
        "unknown": 1,
    }
    assert set(pair["figures"]["success"]) == {
        "a",
        "b",
        "difference",
        "effect",
        "p_value",
        "corrected_p",
    }


def test_an_interval_that_is_open_above_has_no_number_there() -> None:
    runs = _campaign()[:5]
    far = [replace(run, run=replace(run.run, cost_usd=10.0**n)) for n, run in enumerate(runs)]
    told = json.loads(data.figures_json(far, comparisons(far, []), Question.TASKS_LIKE_THESE))
    cost = told["groups"][0]["figures"]["cost_usd"]
    assert cost["low"] > 0
    assert cost["high"] is None
    assert told["comparisons"] == []


def test_every_figure_of_the_data_is_in_its_documentation() -> None:
    runs, text = (
        _campaign(),
        (ROOT / "docs" / "figures.md").read_text(encoding="utf-8"),
    )
    told = json.loads(data.figures_json(runs, comparisons(runs, []), Question.TASKS_LIKE_THESE))
    keys = {
        key.replace("speedup", "<name>") for group in told["groups"] for key in group["figures"]
    }
    keys |= set(told["groups"][0]) | set(told["comparisons"][0]) | FIGURE | set(told)
    assert [key for key in sorted(keys) if f"`{key}`" not in text and f'"{key}"' not in text] == []


def test_each_run_has_a_row_for_each_of_its_models() -> None:
    runs = _campaign()[:2]
    told = json.loads(b"".join(data.rows_json(data.model_rows(runs), "models")))["models"]
    assert [(row["run_id"], row["position"], row["model"], row["cost_usd"]) for row in told] == [
        ("alpha-0", 0, "alpha", 1.0),
        ("alpha-0", 1, "helper", 0.1),
        ("alpha-1", 0, "alpha", 2.0),
        ("alpha-1", 1, "helper", 0.1),
    ]
    cells = list(
        csv.DictReader(
            io.StringIO(b"".join(data.rows_csv(data.model_rows(runs), data.MODEL_COLUMNS)).decode())
        )
    )
    assert list(cells[0]) == list(told[0]) == list(data.MODEL_COLUMNS)
    assert (cells[1]["cache_read_tokens"], cells[1]["model_id"]) == ("7", "helper")
    assert (
        b"".join(data.rows_csv([], data.MODEL_COLUMNS)).decode()
        == ",".join(data.MODEL_COLUMNS) + "\n"
    )
