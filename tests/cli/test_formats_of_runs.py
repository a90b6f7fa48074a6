"""Runs as files of each form, whole, and the file that is written or left as it is."""

from __future__ import annotations

import io
import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sitegen import __version__
from sitegen.cli import formats
from sitegen.cli.formats import _result, _tables, _usual, exported, records, write_runs
from sitegen.cli.running import Call
from sitegen.cli.settings import CommandSettings
from sitegen.collect import Facts
from sitegen.config import Config
from sitegen.errors import ConfigError, PublishError, RefusedOutput
from sitegen.fields import fields_of
from sitegen.masking.redact import Redactor
from sitegen.model import Entry, Outcome, Score, replace
from sitegen.numbers.intervals import Interval
from sitegen.pages import data
from tests.support import campaigns
from tests.support.campaigns import result
from tests.support.chart_runs import OPUS, SONNET, entry

CONFIG = Config(title="A *study*")


def started(run: Entry, moment: str | None, **changes: Any) -> Entry:
    of_run = replace(run.run, started_at=moment)
    return replace(run, run=of_run, started_at=moment, factors=(("agent", "Pi"),), **changes)


RUNS = (
    started(
        entry(1, name="csv", cost=1.0, outcome=Outcome.PASS, speedup=2.0),
        "2026-06-01T06:30:00Z",
        labels=("slow", "big"),
    ),
    started(
        entry(2, name="csv", cost=2.0, outcome=Outcome.FAIL, speedup=1.0, model=OPUS),
        "2026-06-04T06:30:00Z",
    ),
    started(
        entry(3, name="tide", cost=0.5, outcome=Outcome.PASS, speedup=3.0), "2026-06-03T06:30:00Z"
    ),
    started(
        entry(4, name="tide", cost=3.0, outcome=Outcome.PASS, speedup=1.5, model=OPUS),
        "2026-06-02T06:30:00Z",
    ),
)


def text_of(form: str, runs: tuple[Entry, ...] = RUNS, **options: Any) -> str:
    return exported(form, Facts(runs), CONFIG, Redactor(), **options).decode()


def test_markdown_has_a_heading_the_usual_columns_and_comparisons() -> None:
    few = "two tasks, too few to compare"
    assert text_of("markdown").splitlines() == [
        "# A \\*study\\*",
        "",
        "4 runs.",
        "",
        "| Run | File | Task | Agent | Model | Status | Outcome | Scores | Labels | Cost, USD "
        "| Tokens | Turns | Wall time, ms | Account begins with |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | ---: | ---: | ---: | ---: | --- |",
        "| csv · Sonnet 4.5 · 1 | 1.json | csv | Pi | Claude Sonnet 4.5 | ok | pass | speedup 2 "
        "| slow, big | 1.0000 | 782000 | 10 | – | csv |",
        "| csv · Opus 4.5 · 2 | 2.json | csv | Pi | Claude Opus 4.5 | ok | fail | speedup 1 "
        "|  | 2.0000 | 782000 | 10 | – | csv |",
        "| tide · Sonnet 4.5 · 3 | 3.json | tide | Pi | Claude Sonnet 4.5 | ok | pass | speedup 3 "
        "|  | 0.5000 | 782000 | 10 | – | tide |",
        "| tide · Opus 4.5 · 4 | 4.json | tide | Pi | Claude Opus 4.5 | ok | pass | speedup 1.50 "
        "|  | 3.0000 | 782000 | 10 | – | tide |",
        "",
        "## Comparisons",
        "",
        "| A | B | Measure | Shared tasks | B against A |",
        "| --- | --- | --- | ---: | --- |",
        *(
            f"| Claude Opus 4.5 | Claude Sonnet 4.5 | {measure} | 2 | {few} |"
            for measure in ("speedup", "cost", "tokens", "success")
        ),
    ]
    assert text_of("markdown").endswith("|\n")


def test_markdown_of_chosen_columns_or_one_model_has_no_comparisons() -> None:
    assert text_of("markdown", columns="turns,task").splitlines()[4:] == [
        "| Turns | Task |",
        "| ---: | --- |",
        "| 10 | csv |",
        "| 10 | csv |",
        "| 10 | tide |",
        "| 10 | tide |",
    ]
    assert "Comparisons" not in text_of("markdown", RUNS[:1])
    assert text_of("markdown", RUNS[:1]).splitlines()[2] == "1 run."


def test_latex_has_what_fits_on_paper_or_what_is_chosen() -> None:
    lines = text_of("latex", RUNS[:1]).splitlines()
    assert "\\begin{longtable}{llllrrr}" in lines
    assert (
        "\\toprule Task & Agent & Model & Outcome & Cost, USD & Tokens & Wall time, ms \\\\"
        in lines
    )
    assert "csv & Pi & Claude Sonnet 4.5 & pass & 1.0000 & 782000 & – \\\\" in lines
    assert "\\toprule Run & Turns \\\\" in text_of("latex", columns="name,turns").splitlines()


def test_csv_and_json_have_all_fields_or_the_chosen_ones() -> None:
    assert text_of("csv", columns="turns,task").splitlines() == [
        "turns,task",
        "10,csv",
        "10,csv",
        "10,tide",
        "10,tide",
    ]
    assert text_of("csv").splitlines()[0].startswith("id,name,path,")
    rows = json.loads(text_of("json", columns="task,score.speedup"))["runs"]
    assert rows[3] == {"task": "tide", "score.speedup": 1.5}
    assert json.loads(text_of("json"))["runs"][0]["labels"] == ["slow", "big"]


def test_secrets_in_exports_are_masked_in_each_form() -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    runs = (replace(RUNS[0], labels=(token,)), *RUNS[1:])
    for form in ("csv", "json", "markdown"):
        assert token not in text_of(form, runs)
        assert "github token" in text_of(form, runs)
    assert token.encode() not in exported("sqlite", Facts(runs), CONFIG, Redactor())
    named = tuple(replace(run, task=f"x {token}") for run in RUNS)
    assert token not in text_of("every-eval-ever", tuple(replace(run, model=token) for run in RUNS))
    assert token not in text_of("latex-macros", named)


def test_texts_of_the_settings_are_no_secret() -> None:
    spared = Config(title="mail@tidewater.net")
    shown = exported("every-eval-ever", Facts(RUNS), spared, Redactor()).decode()
    assert json.loads(shown.splitlines()[0])["source_metadata"]["source_name"] == spared.title


def test_macros_of_latex_keep_their_names() -> None:
    lines = text_of("latex-macros").splitlines()
    assert "\\expandafter\\def\\csname sitegen@success\\endcsname{75\\%}" in lines
    assert "\\expandafter\\def\\csname sitegen@score.speedup\\endcsname{1.9x}" in lines


def test_a_database_has_scores_factors_and_lists_of_each_run() -> None:
    runs = (replace(RUNS[0], factors=(("agent", "Pi"), ("arm", "with"))), RUNS[1])
    database = sqlite3.connect(":memory:")
    database.deserialize(exported("sqlite", Facts(runs), CONFIG, Redactor()))

    def rows(table: str) -> list[tuple[Any, ...]]:
        return database.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608  names of ours

    first, second = "run-000000000001", "run-000000000002"
    assert rows("scores") == [
        (first, "speedup", 2.0, "x", 1, 0),
        (second, "speedup", 1.0, "x", 1, 0),
    ]
    assert rows("factors") == [
        (first, "agent", "Pi"),
        (first, "arm", "with"),
        (second, "agent", "Pi"),
    ]
    assert rows("labels") == [(first, "slow"), (first, "big")]
    assert [row[0] for row in rows("models")] == [first, second]
    assert rows("token_gaps") == rows("warnings") == rows("signals") == []
    assert database.execute('SELECT id, "score.speedup" FROM runs').fetchall() == [
        (first, 2.0),
        (second, 1.0),
    ]
    database.close()


def test_parquet_has_numbers_lists_and_moments_of_their_types() -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    asked = "task,turns,cost_usd,labels,started_at,scores,score.speedup"
    content = exported("parquet", Facts(RUNS[:2]), CONFIG, Redactor(), columns=asked)
    table = parquet.read_table(io.BytesIO(content))
    assert {field.name: str(field.type) for field in table.schema} == {
        "task": "string",
        "turns": "int64",
        "cost_usd": "double",
        "labels": "list<element: string>",
        "started_at": "timestamp[ms, tz=UTC]",
        "score.speedup": "double",
    }
    assert table.to_pylist()[0] == {
        "task": "csv",
        "turns": 10,
        "cost_usd": 1.0,
        "labels": ["slow", "big"],
        "started_at": datetime(2026, 6, 1, 6, 30, tzinfo=UTC),
        "score.speedup": 2.0,
    }


def test_unknown_lists_have_no_rows() -> None:
    (row,) = data.rows(RUNS[:1], lambda _: None, fields_of(RUNS[:1]))
    tables = _tables(RUNS[:1], [{**row, "signals": None, "token_gaps": ["input"]}])
    assert tables["signals"] == []
    assert tables["token_gaps"] == [{"run_id": "run-000000000001", "kind": "input"}]


@pytest.mark.parametrize(
    ("known", "keys"),
    [
        ({}, []),
        ({"scores": {"a": 1.0}}, ["scores"]),
        ({"labels": ["a"]}, ["labels"]),
        ({"computed_cost_usd": 1.0}, ["computed_cost_usd"]),
    ],
)
def test_some_columns_are_there_where_a_run_has_them(
    known: dict[str, Any], keys: list[str]
) -> None:
    fields = fields_of(RUNS)
    empty = dict.fromkeys(field.key for field in fields)
    usual = [field.key for field in _usual(fields, [empty, empty | known])]
    assert [key for key in usual if key in ("scores", "labels", "computed_cost_usd")] == keys
    assert usual[:2] == ["name", "path"]
    assert usual[-1] == "title"


# Tables of the study.


def test_a_table_of_the_study_is_named() -> None:
    assert text_of("csv", table="configurations").splitlines() == [
        "agent,model,runs",
        "Pi,Claude Opus 4.5,2",
        "Pi,Claude Sonnet 4.5,2",
    ]
    assert text_of("markdown", table="configurations").startswith("| ")
    assert text_of("markdown", table="configurations").endswith("|\n")
    assert "\\begin{" in text_of("latex", table="configurations")


@pytest.mark.parametrize(
    ("form", "table", "message"),
    [
        (
            "json",
            "configurations",
            "--table configurations: write --format csv, markdown or latex.",
        ),
        ("csv", "x", "--table x: these runs have no such table; they have configurations."),
    ],
)
def test_a_table_that_is_not_there_is_an_error(form: str, table: str, message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        text_of(form, table=table)
    assert str(raised.value) == message


# Records of Every Eval Ever.


def test_a_record_has_a_configuration_its_rate_and_its_mean_scores() -> None:
    first, second = map(json.loads, records(RUNS, CONFIG).decode().splitlines())
    assert first == {
        "schema_version": "0.3.0",
        "evaluation_id": "A *study*/Claude Opus 4.5/1780554600",
        "retrieved_timestamp": "1780554600",
        "source_metadata": {
            "source_name": "A *study*",
            "source_organization_name": "unknown",
            "source_type": "evaluation_run",
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "sitegen", "version": __version__},
        "model_info": {
            "name": "Claude Opus 4.5",
            "id": "main",
            "additional_details": {
                "configuration": "Claude Opus 4.5",
                "agent": "Pi",
                "runs": "2",
                "deployment_type": "unknown",
                "model_availability": "unknown",
            },
        },
        "evaluation_results": [
            _result("success", CONFIG, 0.5, None, 2, (0.0, 1.0)),
            _result("speedup", CONFIG, 1.25, None, 2, (1.0, 1.5)),
        ],
    }
    assert second["retrieved_timestamp"] == "1780468200"
    assert [each["score_details"] for each in second["evaluation_results"]] == [
        {"score": 1.0},
        {"score": 2.5},
    ]


def test_scores_say_their_direction_and_shares_have_fixed_limits() -> None:
    lower = Score("seconds", 2.0, "s", higher_is_better=False)
    share = Score("covered", 0.5, "share")
    run = replace(RUNS[0], outcome=None, scores=(lower, share))
    (record,) = map(json.loads, records([run], CONFIG).decode().splitlines())
    told = {
        each["evaluation_name"]: (
            each["metric_config"]["lower_is_better"],
            each["metric_config"]["min_score"],
            each["metric_config"]["max_score"],
        )
        for each in record["evaluation_results"]
    }
    assert told == {"seconds": (True, 2.0, 2.0), "covered": (False, 0.5, 0.5)}


def test_what_is_unknown_of_a_record_says_so() -> None:
    run = replace(
        RUNS[0],
        model=None,
        configuration="Mine",
        ledger_names=(),
        run=replace(RUNS[0].run, ledger=()),
    )
    run = started(run, None)
    (record,) = map(json.loads, records([run], CONFIG).decode().splitlines())
    assert record["retrieved_timestamp"] == "unknown"
    assert (record["model_info"]["name"], record["model_info"]["id"]) == ("unknown", "unknown")
    named = started(replace(RUNS[0], run=replace(RUNS[0].run, ledger=()), ledger_names=()), None)
    (record,) = map(json.loads, records([named], CONFIG).decode().splitlines())
    assert record["model_info"]["id"] == SONNET


def test_a_result_has_its_interval_where_both_ends_are_known() -> None:
    assert _result("success", CONFIG, 0.5, Interval(0.25, 0.75), 8, (0.0, 1.0)) == {
        "evaluation_name": "success",
        "source_data": {"dataset_name": "A *study*", "source_type": "other"},
        "metric_config": {
            "evaluation_description": "success, over 8 runs",
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 1.0,
        },
        "score_details": {
            "score": 0.5,
            "uncertainty": {
                "confidence_interval": {
                    "lower": 0.25,
                    "upper": 0.75,
                    "confidence_level": 0.95,
                    "method": "tasks like these",
                },
                "num_samples": 8,
            },
        },
    }
    for ends in ((float("-inf"), 0.75), (0.25, float("inf"))):
        shown = _result("success", CONFIG, 0.5, Interval(*ends), 8, (0.0, 1.0))
        assert shown["score_details"] == {"score": 0.5}


# The file.


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a run and a broken one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(formats, "cores", lambda: 1)
    return campaigns.write(tmp_path, {"runs/1.json": result(1), "runs/2.json": ""})


def write(content: bytes = b"made", *, runs: str = "runs", **of_call: Any) -> int:
    """Write content in place of runs into `out/a.txt`, or another file."""
    given = {"file": Path("out/a.txt"), "quiet": False, **of_call}
    call = Call(runs=(runs,), config_path=None, no_config=False, **given)
    chosen = CommandSettings(None, Config().with_inputs((runs,)))
    return write_runs(call, chosen, lambda facts, *_: content * len(facts.entries))


def test_a_file_is_written_whole_and_its_folder_made(here: Path, said: list[str]) -> None:
    assert write() == 0
    assert (here / "out/a.txt").read_bytes() == b"made"
    assert (here / "out/a.txt").stat().st_mode & 0o777 == 0o644
    assert said == [
        "out: settings: none",
        "out: 1 run in out/a.txt; 1 problem, which `sitegen check` lists",
    ]
    said.clear()
    assert write(quiet=True) == 0
    assert said == []


def test_a_file_among_the_runs_is_not_read(here: Path, said: list[str]) -> None:
    assert write(file=Path("runs/deep/er/a.json")) == 0
    assert write(file=Path("runs/deep/er/a.json")) == 0
    assert said[-1] == ("out: 1 run in runs/deep/er/a.json; 1 problem, which `sitegen check` lists")
    assert (here / "runs/deep/er/a.json").read_bytes() == b"made"


@pytest.mark.usefixtures("said")
def test_another_content_replaces_a_file_on_request_alone(here: Path) -> None:
    write(quiet=True)
    with pytest.raises(RefusedOutput) as raised:
        write(b"more")
    assert str(raised.value) == "out/a.txt already exists, name another file or add --replace"
    assert (here / "out/a.txt").read_bytes() == b"made"
    assert write(b"more", may_replace=True) == 0
    assert (here / "out/a.txt").read_bytes() == b"more"


@pytest.mark.usefixtures("said")
def test_links_folders_and_inputs_are_not_written(here: Path) -> None:
    (here / "link").symlink_to(here / "nowhere")
    for name in ("link", "runs"):
        with pytest.raises(RefusedOutput) as raised:
            write(file=Path(name))
        assert str(raised.value) == f"{name} is a link or not a file, name another"
    with pytest.raises(RefusedOutput) as raised:
        write(file=Path("runs/1.json"), runs="runs/1.json", may_replace=True)
    assert str(raised.value) == "runs/1.json is an input, name another file"


def test_without_a_run_nothing_is_written(here: Path, said: list[str]) -> None:
    (here / "empty").mkdir()
    assert write(runs="empty", quiet=True) == 4
    assert not (here / "out").exists()
    assert said[0].startswith("err red: sitegen: no runs found")


@pytest.mark.usefixtures("here", "said")
def test_a_folder_that_cannot_be_made_is_a_fault() -> None:
    with pytest.raises(PublishError) as raised:
        write(file=Path("runs/1.json/a.txt"))
    assert str(raised.value).startswith("runs/1.json/a.txt could not be written: ")
