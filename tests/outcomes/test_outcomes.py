"""Outcomes: what files and sidecars state of runs, and which run a row is about."""

from __future__ import annotations

import gzip
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sitegen import config, load_runs, outcomes
from sitegen.errors import ConfigError, ReadError
from sitegen.inputs import discover
from sitegen.inputs.survey import Naming, survey
from sitegen.masking.redact import Redactor
from sitegen.model import (
    Entry,
    ModelUsage,
    Outcome,
    Problem,
    Run,
    Score,
    Source,
    Status,
    Tokens,
    Verdict,
)
from sitegen.outcomes.parse_files import parse_outcomes_file
from sitegen.outcomes.parse_rows import parse_rows
from sitegen.outcomes.rows import Cells, OutcomeTable, Row, RowSource
from sitegen.text import names
from tests.conftest import ROOT
from tests.support.campaigns import OPUS, SONNET, bare, write
from tests.support.clock import seconds_since

PASS, FAIL, PARTIAL, ERROR = Outcome.PASS, Outcome.FAIL, Outcome.PARTIAL, Outcome.ERROR


def run_at(
    path: str,
    folder: Path = Path("/runs"),
    *,
    model: str | None = SONNET,
    uuid: str | None = None,
    **facts: Any,
) -> Entry:
    """A run at a path of its input. `facts` are those of the run (session_id) or of its entry (task, attempt)."""
    of_run = {name: facts.pop(name) for name in ("session_id", "started_at") if name in facts}
    ledger = (ModelUsage(model, Tokens()),) if model else ()
    return Entry(
        id=f"id of {path}",
        source=Source(path, str(folder / path), named=False, size=1, within=path),
        number=0,
        digest="",
        run=Run("a reader", Status.OK, ledger=ledger, uuid=uuid, **of_run),
        title=path,
        model=names.display_name(model) if model else None,
        ledger_names=tuple(names.display_name(line.model) for line in ledger),
        **facts,
    )


def attempt(
    task: str, number: int, model: str = SONNET, folder: Path = Path("/runs"), **facts: Any
) -> Entry:
    return run_at(
        f"{task}/{model}/{number}.json", folder, model=model, task=task, attempt=number, **facts
    )


def no_task(task: str) -> str:
    """What is said of a task that no run has, with the line to add to the settings."""
    line = f"`names: {{task: {{{task}: name in the path}}}}`"
    remedy = f"if runs call it otherwise, add {line}; if runs have no task, add a pattern."
    return f"No run has the task '{task}': {remedy}"


class Campaign:
    """Runs, and files of outcomes about them."""

    def __init__(self, folder: Path, *entries: Entry) -> None:
        self.folder = folder
        self.entries = list(entries)
        self.models: dict[str, str] = {}
        self.tasks: dict[str, str] = {}
        self.sources: tuple[Source, ...] = ()

    def join(self, *given: str | dict[str, Any]) -> tuple[list[Entry], list[Problem]]:
        """Join what `given` names, in the form of the settings; see config.Outcomes."""
        items = [
            config.Outcomes.model_validate({"path": each} if isinstance(each, str) else each)
            for each in given
        ]
        items = [item.model_copy(update={"path": str(self.folder / item.path)}) for item in items]
        naming = Naming([], {"task": self.tasks, "model": self.models})
        table = outcomes.load(
            config.Config(outcomes=tuple(items)), self.entries, Redactor(), self.sources
        )
        joined = outcomes.join(self.entries, table, naming)
        return joined.entries, joined.problems

    def outcomes(self, *given: str | dict[str, Any]) -> list[Outcome | None]:
        """The outcome of each run; fails when there is a problem."""
        entries, problems = self.join(*given)
        assert problems == []
        return [entry.outcome for entry in entries]

    def problems(self, *given: str | dict[str, Any]) -> list[tuple[str, str | None, str]]:
        """Code, place and reason of each problem."""
        return [(problem.code, problem.place, problem.reason) for problem in self.join(*given)[1]]


def csv(folder: Path, *lines: str, name: str = "o.csv") -> str:
    write(folder, {name: "\n".join(lines) + "\n"})
    return name


# --- the demo


def test_every_row_of_the_demo_joins_a_run() -> None:
    settings = config.load(ROOT / "config.yaml")
    patterns = [given.pattern and names.PathPattern(given.pattern) for given in settings.inputs]
    naming = Naming([pattern or None for pattern in patterns], settings.names)
    found = discover.discover([given.path for given in settings.inputs])
    surveyed = survey(found, naming, Redactor(), lambda _, items: items)
    table = outcomes.load(stating(ROOT / "examples/outcomes.csv"), surveyed.entries, Redactor())
    joined = outcomes.join(surveyed.entries, table, naming)
    entries = joined.entries
    assert joined.problems == []
    assert len(table.rows) == 30
    assert sum(entry.outcome is not None for entry in entries) == 30
    first = next(entry for entry in entries if entry.source.path == "ais-decode/opus-4.5/1.json")
    assert (first.outcome, first.scores) == (PASS, (Score("speedup", 5.8),))


@pytest.mark.parametrize("name", ["passed", "Resolved", "success", "verdict"])
@pytest.mark.parametrize(
    ("yes", "no"), [("1", "0"), ("true", "False"), ("pass", "fail"), ("1.0", "0.0")]
)
def test_the_only_column_of_verdicts_is_that_of_the_outcomes(
    tmp_path: Path, name: str, yes: str, no: str
) -> None:
    made = Campaign(tmp_path, attempt("one", 1), attempt("two", 1), attempt("three", 1))
    table = csv(tmp_path, f"task,speedup,{name}", f"one,2,{yes}", f"two,0,{no}", "three,1,")
    entries, problems = made.join(table)
    assert ([entry.outcome for entry in entries], problems) == ([PASS, FAIL, None], [])
    assert [[score.name for score in entry.scores] for entry in entries] == [["speedup"]] * 3


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("task,passed,outcome", ["one,1,", "two,0,"]),
        ("task,outcome,passed", ["one,,1", "two,,0"]),
    ],
)
def test_an_empty_column_of_outcomes_hides_no_other(
    tmp_path: Path, header: str, rows: list[str]
) -> None:
    made = Campaign(tmp_path, attempt("one", 1), attempt("two", 1))
    entries, problems = made.join(csv(tmp_path, header, *rows))
    assert ([entry.outcome for entry in entries], problems) == ([PASS, FAIL], [])


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("task,passed", ["one,0.5", "two,1"]),  # a share
        ("task,passed", ["one,12", "two,0"]),  # tests
        ("task,passed,resolved", ["one,1,0", "two,0,1"]),  # which of them?
        ("commit,success", ["0a1b2c3d,true", "1a1b2c3d,true"]),  # of a measurement
        ("task,passed,outcome", ["one,1,error", "two,0,error"]),
    ],
)
def test_no_column_is_taken_for_outcomes_that_may_be_something_else(
    tmp_path: Path, header: str, rows: list[str]
) -> None:
    made = Campaign(
        tmp_path,
        attempt("one", 1),
        attempt("two", 1),
        attempt("x-0a1b2c3d", 1),
        attempt("x-1a1b2c3d", 1),
    )
    outcomes = {entry.outcome for entry in made.join(csv(tmp_path, header, *rows))[0]}
    assert outcomes <= {None, Outcome.ERROR}


@pytest.mark.parametrize("model", ["Sonnet 4.5", "sonnet 4.5", "Claude Sonnet 4.5", SONNET])
def test_a_model_may_be_called_as_pages_shorten_it(tmp_path: Path, model: str) -> None:
    made = Campaign(tmp_path, attempt("one", 1), attempt("one", 1, OPUS))
    assert made.outcomes(csv(tmp_path, "task,model,outcome", f"one,{model},pass")) == [PASS, None]


# --- campaigns


def nights(folder: Path) -> Campaign:
    """One attempt at two tasks in each of two campaigns, and one outside of them."""
    return Campaign(
        folder,
        *(
            attempt(task, 1, campaign=name)
            for task in ("one", "two")
            for name in ("Night", "day", None)
        ),
    )


def test_a_campaign_tells_attempts_of_one_number_apart(tmp_path: Path) -> None:
    rows = ("one,night,1,pass", "one,day,1,fail", "two,day,,partial")
    told = nights(tmp_path).outcomes(csv(tmp_path, "task,campaign,attempt,outcome", *rows))
    assert told == [PASS, FAIL, None, None, PARTIAL, None]


def test_a_campaign_beside_the_path_of_a_file_is_that_of_all_its_rows_but_those_that_state_one(
    tmp_path: Path,
) -> None:
    given = csv(tmp_path, "task,campaign,outcome", "one,,pass", "two,day,fail")
    told = nights(tmp_path).outcomes({"path": given, "campaign": "night"})
    assert told == [PASS, None, None, None, FAIL, None]


def test_a_report_about_one_campaign_speaks_of_its_runs_only(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "r.json": {
                "resolved_ids": ["one"],
                "unresolved_ids": ["two"],
                "submitted_ids": ["one", "two"],
            }
        },
    )
    assert nights(tmp_path).outcomes({"path": "r.json", "campaign": "day"}) == [
        None,
        PASS,
        None,
        None,
        FAIL,
        None,
    ]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("one,weekend,,,pass", "No run of the task 'one' is in the campaign 'weekend'."),
        (
            "one,day,gpt-5,,pass",
            "No run of the task 'one' in day has the model 'gpt-5'; they have 'Claude Sonnet 4.5'.",
        ),
        ("one,day,,2,pass", "No run of the task 'one' in day is attempt 2."),
    ],
)
def test_a_row_of_a_campaign_that_fits_no_run_says_why(
    tmp_path: Path, row: str, reason: str
) -> None:
    given = csv(tmp_path, "task,campaign,model,attempt,outcome", row)
    assert nights(tmp_path).problems(given) == [("W_OUTCOME_UNMATCHED", "line 2", reason)]


def test_a_row_that_names_its_run_states_its_campaign(tmp_path: Path) -> None:
    write(tmp_path, {"one/1.json": "{}", "one/1.meta.yaml": "campaign: night\n"})
    campaign = Campaign(tmp_path, run_at("one/1.json", tmp_path, task="one", campaign="day"))
    entries, problems = campaign.join(csv(tmp_path, "task,campaign,outcome", "one,Night,pass"))
    assert [(entry.campaign, entry.outcome) for entry in entries] == [("night", PASS)]
    assert problems == []


# --- cells


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        *(
            pytest.param(word, PASS)
            for word in ("pass", "PASSED", " resolved ", "true", "1", "yes", "1.0")
        ),
        *(
            pytest.param(word, FAIL)
            for word in ("fail", "Failed", "unresolved", "false", "0", "no")
        ),
        pytest.param("partial", PARTIAL),
        *(
            pytest.param(word, ERROR)
            for word in ("error", "infra", "Infra-Error", "infrastructure failure")
        ),
        *(pytest.param(word, None) for word in ("", "-", "n/a", "null")),
    ],
)
def test_outcome_words_are_understood(tmp_path: Path, word: str, expected: Outcome | None) -> None:
    campaign = Campaign(tmp_path, run_at("1.json"))
    assert campaign.outcomes(csv(tmp_path, "path,outcome", f"1.json,{word}")) == [expected]


@pytest.mark.parametrize("word", ["passed?", "0.5", "2", "timeout", "ok!", "\u0661"])
def test_any_other_outcome_is_a_problem_with_its_line(tmp_path: Path, word: str) -> None:
    campaign = Campaign(tmp_path, run_at("1.json"), run_at("2.json"))
    entries, problems = campaign.join(
        csv(tmp_path, "path,outcome", "2.json,pass", f"1.json,{word}")
    )
    assert [entry.outcome for entry in entries] == [None, PASS]
    assert [(p.path, p.code, p.place, p.verdict) for p in problems] == [
        ("o.csv", "W_OUTCOME_ROW", "line 3", Verdict.SKIP)
    ]
    assert f"'{word}' is unknown" in problems[0].reason


def test_a_column_of_numbers_is_a_score_and_a_column_of_texts_is_not(tmp_path: Path) -> None:
    runs = [run_at(f"{number}.json") for number in range(1, 5)]
    table = csv(
        tmp_path,
        "path,speedup,note,tests",
        "1.json,2.5,42,",
        "2.json,fast,slow,7",
        "3.json,,see above,",
        "4.json,-1e3,,",
    )
    entries, problems = Campaign(tmp_path, *runs).join(table)
    assert [entry.scores for entry in entries] == [
        (Score("speedup", 2.5),),
        (Score("tests", 7.0),),
        (),
        (Score("speedup", -1000.0),),
    ]
    assert [(problem.code, problem.place) for problem in problems] == [("W_OUTCOME_ROW", "line 3")]
    assert "'speedup' must be a number, not 'fast'" in problems[0].reason


def test_a_score_that_the_settings_name_is_a_score_whatever_it_holds(tmp_path: Path) -> None:
    campaign = Campaign(tmp_path, run_at("1.json"))
    given = {
        "path": csv(tmp_path, "path,speedup", "1.json,fast"),
        "scores": {"speedup": {"unit": "x"}},
    }
    assert [(code, place) for code, place, _ in campaign.problems(given)] == [
        ("W_OUTCOME_ROW", "line 2")
    ]


@pytest.mark.parametrize(
    ("direction", "expected"), [("higher", True), ("lower", False), (None, None)]
)
def test_a_score_has_the_unit_and_direction_of_the_settings(
    tmp_path: Path, direction: str | None, expected: bool | None
) -> None:
    campaign = Campaign(tmp_path, run_at("1.json"))
    given = {
        "path": csv(tmp_path, "path,time", "1.json,3"),
        "scores": {"time": {"unit": "s", "direction": direction}},
    }
    assert campaign.join(given)[0][0].scores == (Score("time", 3.0, "s", expected),)


def test_a_score_on_a_scale_of_ratios_is_above_zero(tmp_path: Path) -> None:
    campaign = Campaign(tmp_path, run_at("1.json"), run_at("2.json"))
    rows = csv(tmp_path, "path,speedup", "1.json,2", "2.json,0")
    entries, problems = campaign.join(
        {"path": rows, "scores": {"speedup": {"unit": "x", "scale": "ratio"}}}
    )
    assert [entry.scores for entry in entries] == [(Score("speedup", 2.0, "x", is_ratio=True),), ()]
    assert [(problem.place, "above zero" in problem.reason) for problem in problems] == [
        ("line 3", True)
    ]


@pytest.mark.parametrize("value", ["1e999", "nan", "inf", "1_000", "5x"])
def test_what_is_no_finite_number_is_no_score(tmp_path: Path, value: str) -> None:
    campaign = Campaign(tmp_path, run_at("1.json"))
    given = {"path": csv(tmp_path, "path,time", f"1.json,{value}"), "scores": {"time": {}}}
    assert campaign.join(given)[0][0].scores == ()


def test_labels_are_split_at_semicolons_and_stand_once(tmp_path: Path) -> None:
    campaign = Campaign(tmp_path, run_at("1.json"))
    entries, problems = campaign.join(csv(tmp_path, "path,labels", "1.json,big; slow ;;big"))
    assert (entries[0].labels, problems) == (("big", "slow"), [])


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z"),
        ("2026-01-31 12:00:00+02:00", "2026-01-31T10:00:00Z"),
        ("", "2025-01-01T00:00:00Z"),
    ],
)
def test_a_start_time_is_in_utc_and_else_that_of_the_run(
    tmp_path: Path, stated: str, expected: str
) -> None:
    campaign = Campaign(tmp_path, run_at("1.json", started_at="2025-01-01T00:00:00Z"))
    entries, problems = campaign.join(csv(tmp_path, "path,started_at", f"1.json,{stated}"))
    assert (entries[0].started_at, problems) == (expected, [])


@pytest.mark.parametrize(
    "stated",
    ["2026-01-31", "2026-01-31T12:00:00", "yesterday", "1769860800", "0001-01-01T00:00+23:00"],
)
def test_a_start_time_without_a_zone_is_a_problem(tmp_path: Path, stated: str) -> None:
    campaign = Campaign(tmp_path, run_at("1.json"))
    entries, problems = campaign.join(csv(tmp_path, "path,started_at", f"1.json,{stated}"))
    assert entries[0].started_at is None
    assert [(problem.code, problem.place) for problem in problems] == [("W_OUTCOME_ROW", "line 2")]


def test_texts_are_cleaned(tmp_path: Path) -> None:
    campaign = Campaign(tmp_path, run_at("1.json"))
    table = csv(tmp_path, "path,labels,task", "1.json,a\u202eb,\x1b[31mred\x1b[0m /home/someone/x")
    (entry,), _ = campaign.join(table)
    assert (entry.labels, entry.task) == (("a[U+202E]b",), "red /home/[user]/x")


# --- joining


@pytest.mark.parametrize(
    ("header", "key"),
    [
        ("id", "id of a/1.json"),
        ("path", "a/1.json"),
        ("path", "./a/1.json"),
        ("path", "runs/a/1.json"),
        ("path", "{folder}/runs/a/1.json"),
        ("uuid", "u-1"),
        ("session", "s-1"),
        ("Task", "one"),
    ],
)
def test_a_row_joins_by_any_key(tmp_path: Path, header: str, key: str) -> None:
    folder = tmp_path / "runs"
    first = run_at("a/1.json", folder, uuid="u-1", session_id="s-1", task="one")
    second = run_at("a/2.json", folder, uuid="u-2", session_id="s-2", task="two")
    campaign = Campaign(tmp_path, second, first)
    table = csv(tmp_path, f"{header},outcome", f"{key.format(folder=tmp_path)},pass")
    assert campaign.outcomes(table) == [None, PASS]


@pytest.mark.parametrize(
    "model",
    [
        OPUS,
        OPUS.upper(),
        "Claude Opus 4.5",
        "anthropic/claude-opus-4.5",
        "us.anthropic.claude-opus-4-5-20251101-v1:0",
    ],
)
def test_a_model_is_known_by_its_id_and_its_name(tmp_path: Path, model: str) -> None:
    campaign = Campaign(tmp_path, attempt("one", 1), attempt("one", 1, OPUS))
    assert campaign.outcomes(csv(tmp_path, "task,model,outcome", f"one,{model},pass")) == [
        None,
        PASS,
    ]


def test_a_model_is_known_as_its_path_calls_it_before_anything_else(tmp_path: Path) -> None:
    low = attempt("one", 1, stated_model="claude-opus-4-5")  # its file says Sonnet
    high = attempt("one", 2, OPUS, stated_model="opus-high")
    campaign = Campaign(tmp_path, low, high)
    assert campaign.outcomes(csv(tmp_path, "task,model,outcome", "one,opus-high,pass")) == [
        None,
        PASS,
    ]
    assert campaign.outcomes(csv(tmp_path, "task,model,outcome", "one,claude-opus-4-5,pass")) == [
        PASS,
        None,
    ]


def test_names_of_the_settings_are_known(tmp_path: Path) -> None:
    campaign = Campaign(tmp_path, attempt("Task one", 1), attempt("Task one", 1, OPUS))
    campaign.tasks, campaign.models = {"one": "Task one"}, {"o": "Claude Opus 4.5"}
    assert campaign.outcomes(csv(tmp_path, "task,model,outcome", "one,o,pass")) == [None, PASS]
    assert campaign.outcomes(csv(tmp_path, "task,model,outcome", "one.1-of-3,o,pass")) == [
        None,
        PASS,
    ]


def test_task_model_and_attempt_may_be_left_out_where_they_tell_nothing_apart(
    tmp_path: Path,
) -> None:
    campaign = Campaign(tmp_path, attempt("one", 3), attempt("two", 1), attempt("two", 2))
    table = csv(tmp_path, "task,attempt,outcome", "one,,pass", "two,2,fail")
    assert campaign.outcomes(table) == [PASS, None, FAIL]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("three,,", no_task("three")),
        (
            "one,gpt-x,",
            "No run of the task 'one' has the model 'gpt-x'; they have 'Claude Sonnet 4.5'.",
        ),
        ("one,,7", "No run of the task 'one' is attempt 7."),
        ("one.7-of-9,,", "No run of the task 'one.7-of-9' is attempt 7."),
    ],
)
def test_a_row_that_joins_nothing_is_a_problem_with_its_line(
    tmp_path: Path, row: str, reason: str
) -> None:
    campaign = Campaign(tmp_path, attempt("one", 1))
    table = csv(tmp_path, "task,model,attempt,outcome", "", f"{row},pass")
    assert campaign.problems(table) == [("W_OUTCOME_UNMATCHED", "line 3", reason)]


def test_a_row_that_names_another_run_does_not_join_by_its_task(tmp_path: Path) -> None:
    campaign = Campaign(tmp_path, attempt("one", 1))
    table = csv(tmp_path, "path,task,outcome", "gone.json,one,pass")
    assert campaign.problems(table) == [
        ("W_OUTCOME_UNMATCHED", "line 2", "No run has the path 'gone.json'.")
    ]


@pytest.mark.parametrize("key", ["task,one", "session,s"])
def test_a_row_that_fits_several_runs_counts_for_none(tmp_path: Path, key: str) -> None:
    campaign = Campaign(tmp_path, *(attempt("one", number, session_id="s") for number in range(5)))
    name, value = key.split(",")
    entries, problems = campaign.join(csv(tmp_path, f"{name},outcome,labels", f"{value},pass,odd"))
    assert {(entry.outcome, entry.labels) for entry in entries} == {(None, ())}
    assert [(problem.code, problem.place) for problem in problems] == [
        ("W_OUTCOME_AMBIGUOUS", "line 2")
    ]
    assert "fits 5 runs" in problems[0].reason
    assert "and 2 more" in problems[0].reason


def test_labels_alone_may_be_said_of_several_runs(tmp_path: Path) -> None:
    campaign = Campaign(tmp_path, attempt("one", 1), attempt("one", 2))
    entries, problems = campaign.join(csv(tmp_path, "task,outcome,labels", "one,,hard"))
    assert ([entry.labels for entry in entries], problems) == ([("hard",), ("hard",)], [])


def test_many_rows_about_many_runs_are_joined_as_fast_as_few(tmp_path: Path) -> None:
    campaign = Campaign(tmp_path, *(attempt("one", number) for number in range(1, 301)))
    rows = [f"one,label {number}" for number in range(20_000)]
    table = csv(tmp_path, "task,labels", *rows)
    start = time.process_time()
    entries, problems = campaign.join(table)
    assert seconds_since(start) < 4
    assert {entry.labels for entry in entries} == {tuple(f"label {number}" for number in range(50))}
    assert problems[0].line == 52
    assert "50 labels" in problems[0].reason


def test_a_run_has_no_more_labels_than_one_row_may_give(tmp_path: Path) -> None:
    campaign = Campaign(tmp_path, attempt("one", 1), attempt("two", 1))
    entries, problems = campaign.join(
        csv(tmp_path, "task,labels", *(f"one,label {n}" for n in range(60)))
    )
    assert [len(entry.labels) for entry in entries] == [50, 0]
    assert [(problem.code, problem.line, problem.page_id) for problem in problems] == [
        ("W_OUTCOME_ROW", 52, entries[0].id)
    ]


def test_two_rows_add_to_each_other_and_what_contradicts_is_a_problem(tmp_path: Path) -> None:
    campaign = Campaign(tmp_path, attempt("one", 1))
    first = csv(tmp_path, "task,outcome,speed,labels", "one,pass,2,a")
    second = csv(tmp_path, "task,outcome,speed,size,labels", "one,pass,3,4,b", name="p.csv")
    (entry,), problems = campaign.join(first, second)
    assert entry.outcome is PASS
    assert entry.scores == (Score("speed", 2.0), Score("size", 4.0))
    assert entry.labels == ("a", "b")
    assert [(p.path, p.code, p.place, p.verdict, p.page_id) for p in problems] == [
        ("p.csv", "W_OUTCOME_CONFLICT", "line 2", Verdict.ACCEPT, entry.id)
    ]
    assert problems[0].reason.startswith("It says score speed 3.0 of one/")
    assert problems[0].reason.endswith("o.csv, line 2, says 2.0, which counts.")


def test_a_run_that_two_rows_of_a_file_judge_alike_is_a_problem(tmp_path: Path) -> None:
    campaign = Campaign(tmp_path, attempt("one", 1), attempt("two", 1))
    csv(tmp_path, "task,outcome", "two,pass", name="confirms.csv")
    table = csv(tmp_path, "task,outcome,speed", "one,pass,", "two,pass,1", "one,passed,2")
    entries, problems = campaign.join(table, "confirms.csv")
    assert [(entry.outcome, len(entry.scores)) for entry in entries] == [(PASS, 1), (PASS, 1)]
    assert [
        (problem.path, problem.code, problem.place, problem.verdict) for problem in problems
    ] == [("o.csv", "W_OUTCOME_TWICE", "line 4", Verdict.ACCEPT)]
    assert problems[0].reason.endswith("; line 2 says so already.")


def test_files_rank_as_in_the_settings(tmp_path: Path) -> None:
    campaign = Campaign(tmp_path, attempt("one", 1))
    csv(tmp_path, "task,outcome", "one,pass", name="z.csv")
    csv(tmp_path, "task,outcome", "one,fail", name="a.csv")
    assert campaign.join("z.csv", "a.csv")[0][0].outcome is PASS
    assert campaign.join("a.csv", "z.csv")[0][0].outcome is FAIL


def test_a_row_that_names_its_run_states_task_and_attempt_for_the_others(tmp_path: Path) -> None:
    campaign = Campaign(
        tmp_path, run_at("x.txt", task="from the path"), run_at("y.txt", model=None)
    )
    csv(tmp_path, "task,attempt,outcome", "one,1,pass", "one,2,fail", name="verdicts.csv")
    csv(
        tmp_path, "path,task,attempt,model", "x.txt,one,1,", "y.txt,one,2,my-model", name="runs.csv"
    )
    entries, problems = campaign.join("verdicts.csv", "runs.csv")
    assert problems == []
    assert [(e.task, e.attempt, e.model, e.outcome) for e in entries] == [
        ("one", 1, "Claude Sonnet 4.5", PASS),
        ("one", 2, "my-model", FAIL),
    ]


@pytest.mark.parametrize(
    ("task", "stated"),
    [
        ("astropy-1", "ASTROPY-1"),
        ("astropy-1__run1", "astropy-1"),
        ("astropy-1", "astropy-1.1-of-5"),
        ("a.1-of-2", "a"),
    ],
)
def test_tasks_join_without_regard_to_case_and_numbers_of_attempts(
    tmp_path: Path, task: str, stated: str
) -> None:
    other = attempt("other", 1)
    campaign = Campaign(
        tmp_path, other, run_at("1.json", task=task, attempt=None if "1-of" in task else 1)
    )
    assert campaign.outcomes(csv(tmp_path, "task,outcome", f"{stated},pass")) == [None, PASS]


def test_attempts_in_names_of_tasks_are_attempts(tmp_path: Path) -> None:
    campaign = Campaign(tmp_path, *(run_at(f"{n}.json", task=f"one__run{n}") for n in (1, 2)))
    assert campaign.outcomes(csv(tmp_path, "task,attempt,outcome", "one,2,pass")) == [None, PASS]
    assert campaign.outcomes(csv(tmp_path, "task,outcome", "one.2-of-2,pass")) == [None, PASS]
    assert (
        campaign.problems(csv(tmp_path, "task,outcome", "one,pass"))[0][0] == "W_OUTCOME_AMBIGUOUS"
    )


def test_columns_may_have_other_names(tmp_path: Path) -> None:
    campaign = Campaign(tmp_path, attempt("one", 1), attempt("one", 2))
    table = csv(tmp_path, "instance,try,resolved,task", "one,2,true,other words")
    columns = {"task": "instance", "attempt": "try", "outcome": "resolved"}
    assert campaign.outcomes({"path": table, "columns": columns}) == [None, PASS]
    columns["outcome"] = "solved"
    assert campaign.problems({"path": table, "columns": columns})[0][:2] == ("E_OUTCOMES", "line 1")


def test_the_key_of_an_object_is_none_of_its_run_where_a_column_of_the_settings_is(
    tmp_path: Path,
) -> None:
    write(tmp_path, {"o.json": '{"first": {"instance": "one", "outcome": "pass"}}'})
    campaign = Campaign(tmp_path, attempt("one", 1))
    assert campaign.outcomes({"path": "o.json", "columns": {"task": "instance"}}) == [PASS]


def test_model_and_attempt_of_a_whole_file_stand_in_the_settings(tmp_path: Path) -> None:
    campaign = Campaign(tmp_path, attempt("one", 1), attempt("one", 2), attempt("one", 2, OPUS))
    table = csv(tmp_path, "task,outcome", "one,pass")
    assert campaign.outcomes({"path": table, "model": OPUS}) == [None, None, PASS]
    assert campaign.outcomes({"path": table, "model": SONNET, "attempt": 2}) == [None, PASS, None]


# --- forms of files

ROWS: list[dict[str, Any]] = [
    {
        "task": "one",
        "attempt": 1,
        "outcome": "pass",
        "speed": 2.5,
        "labels": ["a", "b"],
        "note": "fine",
    },
    {
        "task": "one",
        "attempt": 2,
        "outcome": False,
        "scores": {"size": {"value": 3, "unit": "kB", "direction": "lower"}},
    },
]
BY_PATH = {f"one/{SONNET}/{row['attempt']}.json": row for row in ROWS}
YAML = """\
# verdicts
- {task: one, attempt: 1, outcome: pass, speed: 2.5, labels: [a, b], note: fine}
- task: one
  attempt: 2
  outcome: false
  scores:
    size: {value: 3, unit: kB, direction: lower}
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("o.json", json.dumps(ROWS)),
        ("o.json", json.dumps({"outcomes": ROWS}, indent=2)),
        ("o.json", json.dumps(BY_PATH)),
        ("o.txt", "\ufeff" + json.dumps({"made by": "us", "outcomes": BY_PATH})),
        ("o.yaml", YAML),
        ("o.yml", json.dumps({"outcomes": BY_PATH})),
        ("o.yaml", "outcomes:\n" + YAML),
    ],
)
def test_json_and_yaml_may_have_three_shapes(tmp_path: Path, name: str, text: str) -> None:
    write(tmp_path, {name: text})
    (first, second), problems = Campaign(tmp_path, attempt("one", 1), attempt("one", 2)).join(name)
    assert problems == []
    assert (first.outcome, first.scores, first.labels) == (PASS, (Score("speed", 2.5),), ("a", "b"))
    assert (second.outcome, second.scores) == (FAIL, (Score("size", 3.0, "kB", False),))


@pytest.mark.parametrize("name", ["o.csv", "o.tsv", "o.csv.gz"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_a_table_may_be_as_a_spreadsheet_saves_it(
    tmp_path: Path, name: str, encoding: str, sign: str
) -> None:
    number, other = "2,5" if sign == ";" else "2.5", "".join({",", ";", "\t"} - {sign}) * 4
    note = f'"note (a{other}b{sign}c)"'
    header = ["task", "attempt", "outcome", "speed", note, *([f"x{other}y"] if sign == "," else [])]
    rows = (["one", "1", "pass", number], ["one", "2", "fail", ""])
    lines = [header, *([*row, *[""] * (len(header) - len(row))] for row in rows)]
    content = "\r\n".join(map(sign.join, lines)).encode(encoding)
    (tmp_path / name).write_bytes(
        gzip.compress(content, mtime=0) if name.endswith(".gz") else content
    )
    (first, second), problems = Campaign(tmp_path, attempt("one", 1), attempt("one", 2)).join(name)
    assert (first.outcome, first.scores, second.outcome, problems) == (
        PASS,
        (Score("speed", 2.5),),
        FAIL,
        [],
    )


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("o.json", '[\n {"task": "one", "outcome": "pass"},\n\n {"task": "gone"}\n]', 4),
        ("o.json", '{"a": 1,\n "outcomes": [\n{"task": "gone", "outcome": "pass"}]}', 3),
        ("o.json", '{\n\n"gone":\n{"outcome": "pass"}}', 4),
        ("o.yaml", "- task: one\n  outcome: pass\n\n- task: gone\n", 4),
        ("o.yaml", "outcomes:\n  one: {task: one}\n  gone: {outcome: pass}\n", 3),
        ("o.csv", 'task,labels\none,"two\nlines"\n\ngone,"x"\n', 5),
    ],
)
def test_every_row_has_the_line_it_begins_in(
    tmp_path: Path, name: str, text: str, line: int
) -> None:
    write(tmp_path, {name: text})
    campaign = Campaign(tmp_path, attempt("one", 1))
    assert [(code, place) for code, place, _ in campaign.problems(name)] == [
        ("W_OUTCOME_UNMATCHED", f"line {line}")
    ]


@pytest.mark.parametrize(
    ("name", "content", "place", "reason"),
    [
        ("o.csv", "", None, "it is empty"),
        ("o.csv", b"task\n\xff\n", "byte 5", "not UTF-8"),
        ("o.csv", "name,outcome\none,pass\n", "line 1", "no column says which run"),
        ("o.csv", "task,outcome,outcome\none,pass,fail\n", "line 1", "'outcome' appears twice"),
        ("o.csv", "task,outcome\n", None, "it has no rows"),
        ("o.csv", "task,result\none,pass\n", None, "It says nothing about any run"),
        ("o.json", "[]", None, "it has no rows"),
        ("o.yaml", "one: {note: fine}\n", None, "It says nothing about any run"),
        ("o.csv", 'task,outcome\n"one"two,pass\n', "line 2", "not CSV"),
        ("o.csv", 'task,outcome\n"one,pass\n', "line 2", "not CSV"),
        ("o.json", '[{"task": "one"}', "line 1, column 17", "not JSON"),
        ("o.json", '[{"task": "one", "task": "two"}]', None, "'task' appears twice"),
        ("o.json", "[\n1, 2]", "line 2", "expected a list of objects"),
        ("o.json", '"pass"', None, "expected a list of objects"),
        ("o.json", "[" * 100_000, None, "too large or nested too deeply"),
        ("o.json", "[" + "9" * 5_000 + "]", None, "limit"),
        ("o.yaml", "- task: one\n  task: two\n", "line 2, column 3", "a second time"),
        ("o.yaml", "- &a {task: one}\n- *a\n", "line 2, column 3", "aliases"),
        ("o.yaml", "- task: one\n  outcome: [\n", "line 3, column 1", "not YAML"),
        ("o.yaml", "- attempt: 0x" + "f" * 5_000, "line 1, column 12", "more than 1,000 digits"),
        (
            "o.yaml",
            "<<: {outcomes: [{path: a.json, outcome: pass}]}\n",
            "line 1, column 1",
            "merge keys",
        ),
        ("o.yaml", "- <<: {task: one}\n  outcome: pass\n", "line 1, column 3", "merge keys"),
        ("o.yaml", "- task: !!bool maybe\n", "line 1, column 9", "cannot be read"),
        ("o.yaml", "# " + "x" * 1024 * 1024, None, "larger than 1 MB"),
    ],
)
def test_a_file_that_is_broken_counts_for_nothing(
    tmp_path: Path, name: str, content: str | bytes, place: str | None, reason: str
) -> None:
    write(tmp_path, {name: content})
    entries, problems = Campaign(tmp_path, attempt("one", 1)).join(name)
    assert entries[0].outcome is None
    assert [(p.path, p.code, p.place, p.verdict) for p in problems] == [
        (name, "E_OUTCOMES", place, Verdict.SKIP)
    ]
    assert reason in problems[0].reason


@pytest.mark.parametrize("cell", ["outcome", "attempt", "labels", "scores", "started_at", "task"])
def test_a_cell_that_no_text_can_show_is_left_out(tmp_path: Path, cell: str) -> None:
    value: object = {}
    for _ in range(5_000):
        value = {"x": value}
    origin = RowSource(
        "1.meta.json",
        Source("1.meta.json", str(tmp_path), named=False, size=1),
        Redactor(),
        runs=("a",),
    )
    _, problems = parse_rows([Cells(1, {cell: value})], origin)
    assert [problem.code for problem in problems] == ["W_OUTCOME_ROW"]
    assert len(problems[0].reason) < 200


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('{"outcome": "pass"}', "It names no run"),
        ('{"task": true, "outcome": "pass"}', "task is not text"),
        ('{"task": ["one"], "outcome": "pass"}', "task is not text"),
        (
            '{"task": "one", "attempt": 1.5, "outcome": "pass"}',
            "attempt must be a whole number, not '1.5'",
        ),
        (
            '{"task": "one", "attempt": "first", "outcome": "pass"}',
            "attempt must be a whole number",
        ),
        (json.dumps({"task": "x" * 501, "outcome": "pass"}), "longer than 500"),
    ],
)
def test_a_row_with_a_wrong_key_is_left_out(tmp_path: Path, row: str, reason: str) -> None:
    write(tmp_path, {"o.json": f"[{row}]"})
    campaign = Campaign(tmp_path, attempt("one", 1))
    entries, problems = campaign.join("o.json")
    assert entries[0].outcome is None
    assert [problem.code for problem in problems] == ["W_OUTCOME_ROW"]
    assert reason in problems[0].reason


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ('"outcome": ["pass"]', "is unknown"),
        ('"outcome": "maybe"', "is unknown"),
        ('"labels": {"a": 1}', "labels must be"),
        ('"labels": [[1]]', "labels must be"),
        ('"scores": [1]', "scores must be"),
        ('"scores": {"x": true}', "must be a number"),
        (f'"scores": {{"x": 1{"0" * 400}}}', "must be a number"),
        ('"scores": {"x": {"value": 1, "direction": "up"}}', "higher or lower"),
        ('"scores": {"x": {"value": 1, "scale": "log"}}', "linear or ratio"),
        (
            '"scores": {"x": {"value": 0, "scale": "ratio"}}',
            "'x' is a ratio and must be above zero, not '0'",
        ),
        ('"started_at": 5', "must be a moment"),
    ],
)
def test_a_cell_that_is_wrong_is_left_out_alone(tmp_path: Path, cell: str, reason: str) -> None:
    write(tmp_path, {"o.json": f'[{{"task": "one", "good": 1, {cell}}}]'})
    (entry,), problems = Campaign(tmp_path, attempt("one", 1)).join("o.json")
    assert (entry.outcome, entry.labels, entry.scores) == (None, (), (Score("good", 1.0),))
    assert [problem.code for problem in problems] == ["W_OUTCOME_ROW"]
    assert reason in problems[0].reason


def test_problems_of_one_kind_are_listed_a_hundred_times(tmp_path: Path) -> None:
    campaign = Campaign(tmp_path, attempt("one", 1))
    problems = campaign.problems(
        csv(tmp_path, "task,outcome", *(f"t{number},pass" for number in range(250)))
    )
    assert len(problems) == 101
    assert problems[-1] == (
        "W_OUTCOME_UNMATCHED",
        "line 102",
        "And 150 more problems of this kind.",
    )


def test_bad_rows_beyond_a_hundred_are_counted_once(tmp_path: Path) -> None:
    table = csv(tmp_path, "task,outcome", *["one"] * 101)
    problems = Campaign(tmp_path, attempt("one", 1)).problems(table)
    assert len(problems) == 101
    assert problems[-1] == ("W_OUTCOME_ROW", "line 102", "And 1 more problem of this kind.")


def test_a_ragged_row_costs_itself_alone(tmp_path: Path) -> None:
    table = csv(
        tmp_path,
        "task,outcome,note,",
        "one,pass,1,",
        "two,pass",
        "three,fail,a, b,",
        "four,pass,fine",
        "",
        'five,fail,"two',
        'lines",,,',
        "six",
    )
    tasks = ("one", "two", "three", "four", "five", "six")
    entries, problems = Campaign(tmp_path, *(attempt(task, 1) for task in tasks)).join(table)
    assert [entry.outcome for entry in entries] == [PASS, None, None, PASS, FAIL, None]
    assert [(problem.code, problem.place, problem.reason) for problem in problems] == [
        ("W_OUTCOME_ROW", "line 3", "It has 2 cells and the header has 3. The row is skipped."),
        ("W_OUTCOME_ROW", "line 4", "It has 5 cells and the header has 3. The row is skipped."),
        ("W_OUTCOME_ROW", "line 9", "It has 1 cell and the header has 3. The row is skipped."),
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("o.json", '{"made by": "us",\n"one": {"task": "one", "outcome": "pass"}}'),
        ("o.yaml", "- 3\n- {task: one, outcome: pass}\n"),
    ],
)
def test_a_row_that_is_no_object_costs_itself_alone(tmp_path: Path, name: str, text: str) -> None:
    write(tmp_path, {name: text})
    entries, problems = Campaign(tmp_path, attempt("one", 1)).join(name)
    assert entries[0].outcome is PASS
    assert [(problem.code, problem.place) for problem in problems] == [("W_OUTCOME_ROW", "line 1")]


def test_a_missing_file_is_an_error_of_the_settings(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no such file.*\n\n.*no file matches"):
        Campaign(tmp_path).join("o.csv", "*.csv")


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "o.csv").symlink_to(tmp_path / "o.csv")
    assert [code for code, _, _ in Campaign(tmp_path).problems("o.csv")] == ["E_READ"]


# --- sidecars


@pytest.mark.parametrize(
    "name", ["1.meta.yaml", "1.json.meta.yaml", "1.meta.json", "1.json.meta.json"]
)
def test_a_sidecar_says_everything_of_its_run(tmp_path: Path, name: str) -> None:
    stated = {
        "outcome": "partial",
        "scores": {"speed": 2},
        "labels": ["a"],
        "started_at": "2026-01-31T12:00:00Z",
        "task": "one",
        "model": "my-model",
        "attempt": 4,
        "seed": 7,
    }
    write(tmp_path, {f"a/{name}": json.dumps(stated)})
    own = run_at("a/1.json", tmp_path, model=None, task="from the path", attempt=1)
    (entry, other), problems = Campaign(tmp_path, own, run_at("a/2.json", tmp_path)).join()
    assert problems == []
    assert (entry.outcome, entry.scores, entry.labels) == (PARTIAL, (Score("speed", 2.0),), ("a",))
    assert (entry.started_at, entry.task, entry.attempt) == ("2026-01-31T12:00:00Z", "one", 4)
    assert (entry.model, entry.stated_model) == ("my-model", "my-model")
    assert other.outcome is None


def test_a_sidecar_does_not_replace_the_model_that_the_run_reports(tmp_path: Path) -> None:
    write(tmp_path, {"1.meta.yaml": "model: opus-high\n"})
    (entry,), _ = Campaign(tmp_path, run_at("1.json", tmp_path)).join()
    assert (entry.model, entry.stated_model) == ("Claude Sonnet 4.5", "opus-high")


def test_a_sidecar_ranks_before_files_and_states_keys_for_them(tmp_path: Path) -> None:
    write(tmp_path, {"1.meta.yaml": "outcome: error\ntask: one\n"})
    campaign = Campaign(tmp_path, run_at("1.json", tmp_path))
    (entry,), problems = campaign.join(csv(tmp_path, "task,outcome", "one,pass"))
    assert entry.outcome is ERROR
    assert [(problem.code, problem.path, problem.place) for problem in problems] == [
        ("W_OUTCOME_CONFLICT", "o.csv", "line 2")
    ]
    assert "1.meta.yaml, line 1, says error, which counts" in problems[0].reason


def test_a_score_may_be_called_like_anything_else_that_is_stated(tmp_path: Path) -> None:
    stated = "task: one\nattempt: 1\noutcome: pass\nscores: {outcome: 0.5, task: 3, attempt: 7}\n"
    write(tmp_path, {"1.meta.yaml": stated})
    (entry,), problems = Campaign(tmp_path, run_at("1.json", tmp_path)).join()
    assert (entry.outcome, problems) == (PASS, [])
    assert [(score.name, score.value) for score in entry.scores] == [
        ("outcome", 0.5),
        ("task", 3),
        ("attempt", 7),
    ]


def test_a_sidecar_of_two_runs_counts_for_none(tmp_path: Path) -> None:
    write(tmp_path, {"1.meta.yaml": "outcome: pass\n"})
    entries, problems = Campaign(
        tmp_path, run_at("1.json", tmp_path), run_at("1.log", tmp_path)
    ).join()
    assert [entry.outcome for entry in entries] == [None, None]
    assert [problem.code for problem in problems] == ["W_OUTCOME_AMBIGUOUS"]


def test_a_broken_sidecar_is_a_problem_of_its_own(tmp_path: Path) -> None:
    write(
        tmp_path, {"a/1.meta.yaml": "outcome: pass\noutcome: fail\n", "a/2.meta.yaml": "- pass\n"}
    )
    campaign = Campaign(tmp_path, run_at("a/1.json", tmp_path), run_at("a/2.json", tmp_path))
    entries, problems = campaign.join()
    assert [entry.outcome for entry in entries] == [None, None]
    assert [(problem.path, problem.code) for problem in problems] == [
        ("a/1.meta.yaml", "E_OUTCOMES"),
        ("a/2.meta.yaml", "E_OUTCOMES"),
    ]


def test_a_sidecar_may_end_in_yml(tmp_path: Path) -> None:
    write(tmp_path, {"1.meta.yml": "outcome: pass\n"})
    assert Campaign(tmp_path, run_at("1.json", tmp_path)).outcomes() == [PASS]


def test_a_link_and_a_run_are_no_sidecars(tmp_path: Path) -> None:
    write(tmp_path, {"secret.yaml": "outcome: pass\n", "runs/2.meta.json": "{}"})
    (tmp_path / "runs/1.meta.yaml").symlink_to(tmp_path / "secret.yaml")
    runs = [run_at(name, tmp_path / "runs") for name in ("1.json", "2.json", "2.meta.json")]
    assert Campaign(tmp_path, *runs).outcomes() == [None, None, None]


def beside(folder: Path, *names: str) -> tuple[Source, ...]:
    return tuple(
        Source(name, str(folder / name), named=False, size=1, within=name) for name in names
    )


def test_a_sidecar_beside_no_run_is_a_problem(tmp_path: Path) -> None:
    stated = {
        "a/1.meta.yaml": "outcome: pass\n",
        "a/2.meta.yml": "- [\n",
        "b.json.meta.json": '{"outcome": "fail"}',
    }
    write(
        tmp_path,
        {
            **stated,
            "other.meta.json": '{"model": "of another program"}',
            "c.meta.yaml": "outcome: pass",
        },
    )
    campaign = Campaign(tmp_path, run_at("c.json", tmp_path))
    campaign.sources = beside(
        tmp_path, *stated, "other.meta.json", "b.json", "c.json", "c.meta.yaml"
    )
    entries, problems = campaign.join()
    assert entries[0].outcome is PASS
    assert {
        (problem.path, problem.code, problem.verdict, problem.reason) for problem in problems
    } == {
        (
            "a/1.meta.yaml",
            "W_OUTCOME_UNMATCHED",
            Verdict.SKIP,
            "There is no run called 1 beside it.",
        ),
        (
            "a/2.meta.yml",
            "W_OUTCOME_UNMATCHED",
            Verdict.SKIP,
            "There is no run called 2 beside it.",
        ),
        (
            "b.json.meta.json",
            "W_OUTCOME_UNMATCHED",
            Verdict.SKIP,
            "There is no run called b.json beside it.",
        ),
    }


@pytest.mark.parametrize(
    ("stated", "is_doubtful"),
    [
        *(
            (name, False)
            for name in (
                SONNET,
                SONNET.upper(),
                "Claude Sonnet 4.5",
                "claude-sonnet-4.5",
                "anthropic/claude-sonnet-4-5",
                "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
                "sonnet",
                "sonnet-4.5",
                "sonnet[1m]",
                "claude",
                "sonnet-4-5-high",
                "sonnet-thinking",
                "mine",
                "path's own word",
                "Claude Haiku 4.5",
            )
        ),
        *(
            (name, True)
            for name in (
                OPUS,
                "opus",
                "sonnet-4",
                "claude-3-5-sonnet-20241022",
                "gpt-5",
                "my-model",
            )
        ),
    ],
)
def test_a_stated_model_that_the_run_contradicts_is_a_doubt(
    tmp_path: Path, stated: str, is_doubtful: bool
) -> None:
    write(tmp_path, {"1.meta.yaml": json.dumps({"model": stated})})
    own = run_at("1.json", tmp_path, stated_model="path's own word")
    haiku = ModelUsage("claude-haiku-4-5-20251001", Tokens())
    run = replace(own.run, ledger=(*own.run.ledger, haiku))
    campaign = Campaign(
        tmp_path, replace(own, run=run, ledger_names=(*own.ledger_names, "Claude Haiku 4.5"))
    )
    campaign.models = {"mine": "Claude Sonnet 4.5"}
    (entry,), problems = campaign.join()
    assert entry.model == "Claude Sonnet 4.5"
    reason = f"It says model {stated} of 1.json; the run itself names Claude Sonnet 4.5, Claude Haiku 4.5, which counts."
    assert [(p.path, p.code, p.place, p.verdict, p.page_id, p.reason) for p in problems] == (
        [("1.meta.yaml", "W_OUTCOME_CONFLICT", "line 1", Verdict.ACCEPT, entry.id, reason)]
        if is_doubtful
        else []
    )


def test_rows_that_state_two_models_of_one_run_contradict(tmp_path: Path) -> None:
    table = csv(tmp_path, "path,model", "1.json,opus", "1.json,Claude Opus 4.5", "1.json,sonnet")
    (entry,), problems = Campaign(tmp_path, run_at("1.json", model=None)).join(table)
    assert entry.model == "opus"
    assert [(p.code, p.place, p.reason) for p in problems] == [
        (
            "W_OUTCOME_CONFLICT",
            "line 4",
            "It says model sonnet of 1.json; o.csv, line 2, says opus, which counts.",
        )
    ]


# --- reports of benchmarks


def swebench(**lists: list[str]) -> str:
    ids = ("resolved", "unresolved", "error", "empty_patch", "completed", "submitted", "incomplete")
    return json.dumps(
        {f"{name}_ids": lists.get(name, []) for name in ids} | {"schema_version": 2}, indent=1
    )


def test_a_report_of_swebench_is_read(tmp_path: Path) -> None:
    tasks = [f"t-{number}" for number in range(6)]
    report = swebench(
        resolved=["T-0"], unresolved=["t-1"], empty_patch=["t-2"], error=["t-3"], incomplete=["t-4"]
    )
    write(tmp_path, {"model.run.json": report})
    campaign = Campaign(tmp_path, *(attempt(task, 1) for task in tasks))
    assert campaign.outcomes("model.run.json") == [PASS, FAIL, FAIL, ERROR, None, None]


def test_a_report_that_joins_nothing_is_one_problem(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"r.json": swebench(resolved=["one", "two", "three"], unresolved=["four", "five"])},
    )
    problems = Campaign(tmp_path, attempt("one", 1)).problems("r.json")
    reason = "4 of 5 verdicts count for nothing, on two, three, four and 1 more. The first: "
    reason += no_task("two")
    assert problems == [("W_OUTCOME_UNMATCHED", "line 4", reason)]


SEVERAL = ", ".join(f"several/{SONNET}/{number}.json" for number in (1, 2, 3))


@pytest.mark.parametrize(
    ("resolved", "reason"),
    [
        (["two"], no_task("two")),
        (["one", "two"], no_task("two")),
        (
            ["one", "two", "three"],
            f"2 of 3 verdicts count for nothing, on two and three. The first: {no_task('two')}",
        ),
        (
            ["several"],
            f"It fits 3 runs ({SEVERAL}), so it counts for none: add what distinguishes them.",
        ),
        (
            ["one", "several", "models"],
            "2 of 3 verdicts count for nothing, on several and models. "
            f"The first: It fits 3 runs ({SEVERAL}), so it counts for none: add what distinguishes them.",
        ),
    ],
)
def test_a_report_says_in_one_line_what_it_misses(
    tmp_path: Path, resolved: list[str], reason: str
) -> None:
    write(tmp_path, {"r.json": swebench(resolved=resolved)})
    runs = [attempt("one", 1), *(attempt("several", number) for number in (1, 2, 3))]
    runs += [attempt("models", 1), attempt("models", 2), attempt("models", 1, OPUS)]
    entries, problems = Campaign(tmp_path, *runs).join("r.json")
    assert [problem.reason for problem in problems] == [reason]
    assert [entry.outcome for entry in entries[1:]] == [None] * 6


def test_many_reports_that_miss_for_one_reason_are_one_line(tmp_path: Path) -> None:
    tasks = [*(f"gone-{number}" for number in range(6)), "one"]
    for task in tasks:
        report = {
            task: {"patch_exists": True, "patch_successfully_applied": True, "resolved": True}
        }
        write(tmp_path, {f"logs/model/{task}/report.json": report})
    campaign = Campaign(tmp_path, attempt("one", 1))
    entries, problems = campaign.join("logs/**/report.json")
    assert entries[0].outcome is PASS
    assert [
        (problem.path, problem.code, problem.place, problem.reason) for problem in problems
    ] == [
        (
            "model/",
            "W_OUTCOME_UNMATCHED",
            None,
            "In 6 files, 6 of 6 verdicts count for nothing, on gone-0, gone-1, gone-2 and 3 more. "
            f"The first: {no_task('gone-0')}",
        )
    ]


@pytest.mark.parametrize(
    "name",
    [
        "claude-opus-4.5.json",
        "anthropic__claude-opus-4-5.my_run.json",
        f"{OPUS}/one/report.json",
        "Claude Opus 4.5.dev.json",
    ],
)
def test_a_report_speaks_of_the_model_in_its_path(tmp_path: Path, name: str) -> None:
    write(tmp_path, {name: swebench(resolved=["one", "two"])})
    campaign = Campaign(tmp_path, attempt("one", 1), attempt("one", 1, OPUS), attempt("two", 1))
    entries, problems = campaign.join(name)
    assert [entry.outcome for entry in entries] == [None, PASS, None]
    (problem,) = problems
    assert problem.reason.startswith("No run of the task 'two' has the model ")


def test_a_report_of_an_unknown_model_does_not_choose_between_models(tmp_path: Path) -> None:
    write(tmp_path, {"claude-opus-4.6-high.json": swebench(resolved=["one"])})
    campaign = Campaign(tmp_path, attempt("one", 1), attempt("one", 1, "claude-opus-4"))
    assert [code for code, _, _ in campaign.problems("claude-opus-4.6-high.json")] == [
        "W_OUTCOME_AMBIGUOUS"
    ]
    given = {"path": "claude-opus-4.6-high.json", "model": SONNET}
    assert campaign.outcomes(given) == [PASS, None]


def test_a_report_of_instances_is_read(tmp_path: Path) -> None:
    for task, resolved in (("one", True), ("two", False)):
        report = {
            task: {
                "patch_exists": True,
                "patch_successfully_applied": resolved,
                "resolved": resolved,
            }
        }
        write(tmp_path, {f"logs/{task}/report.json": report})
    campaign = Campaign(tmp_path, attempt("one", 1), attempt("two", 1))
    assert campaign.outcomes("logs/**/report.json") == [PASS, FAIL]


def test_a_report_of_gso_is_read(tmp_path: Path) -> None:
    sets = {
        "passed_ids": ["fast", "faster", "hack", "same"],
        "opt_base_ids": ["fast", "faster", "hack"],
        "opt_commit_ids": ["fast", "hack"],
        "hacked_ids": ["hack"],
        "test_failed_ids": ["broken"],
        "base_failed_ids": ["odd"],
    }
    stats = {
        "fast": {"gm_speedup_patch_base": 3.0, "gm_speedup_patch_commit": 1.5},
        "hack": {"gm_speedup_patch_base": None, "gm_speedup_patch_commit": 10**400},
    }
    write(tmp_path, {"r.json": {"instance_sets": sets, "opt_stats": stats}})
    runs = [attempt(task, 1) for task in ("fast", "faster", "hack", "same", "broken", "odd")]
    entries, problems = Campaign(tmp_path, *runs).join("r.json")
    assert problems == []
    assert [entry.outcome for entry in entries] == [PASS, PARTIAL, FAIL, FAIL, FAIL, ERROR]
    assert entries[0].scores == (
        Score("speedup", 3.0, "x", True, True),
        Score("speedup over expert", 1.5, "x", True, True),
    )
    assert entries[2].scores == ()
    assert [entry.labels for entry in entries[1:3]] == [(), ("hacked",)]


def trial(
    task: str, name: str, resolved: bool | None, mode: str = "unset", **more: Any
) -> dict[str, Any]:
    return {
        "task_id": task,
        "trial_name": name,
        "is_resolved": resolved,
        "failure_mode": mode,
        **more,
    }


def test_results_of_terminal_bench_are_read(tmp_path: Path) -> None:
    trials = [
        trial(
            "one",
            "one.1-of-2.x",
            True,
            "agent_timeout",
            trial_started_at="2026-01-31T12:00:00.5+00:00",
        ),
        trial("one", "one.2-of-2.x", None, "parse_error"),
        trial("two", "two.1-of-1.x", False),
        trial("three", "three.1-of-1.x", False, "agent_installation_failed"),
    ]
    write(tmp_path, {"results.json": {"results": trials, "n_resolved": 1, "resolved_ids": ["one"]}})
    write(tmp_path, {"trial.json": trials[2]})
    runs = [attempt("one", 1), attempt("one", 2), attempt("two", 7), attempt("three", 1)]
    entries, problems = Campaign(tmp_path, *runs).join("results.json", "trial.json")
    assert problems == []
    assert [entry.outcome for entry in entries] == [PASS, ERROR, FAIL, ERROR]
    assert entries[0].started_at == "2026-01-31T12:00:00Z"


def stating(path: Path) -> config.Config:
    """Settings that name one file of outcomes."""
    return config.Config(outcomes=(config.Outcomes(path=str(path)),))


def rows_of(path: Path) -> tuple[Row, ...]:
    """The rows of a real report, which has no problem."""
    table = outcomes.load(stating(path), [], Redactor())
    assert table.problems == ()
    return table.rows


def real(shared: Path, kind: str, name: str = "*.json") -> list[Path]:
    found = sorted((shared / "runs" / kind).rglob(name))
    assert found
    return found


def counts(rows: tuple[Row, ...]) -> tuple[int, int, int, int]:
    return tuple(
        sum(row.outcome is outcome for row in rows) for outcome in (PASS, FAIL, PARTIAL, ERROR)
    )  # type: ignore[return-value]


def test_real_reports_of_swebench_count_as_they_say(shared: Path) -> None:
    for path in real(shared, "swebench-report"):
        report = json.loads(path.read_text())
        unsolved = report["unresolved_instances"] + report.get("empty_patch_instances", 0)
        errors = report["error_instances"] + report.get("failed_instances", 0)
        rows = rows_of(path)
        assert counts(rows) == (report["resolved_instances"], unsolved, 0, errors), path
        lines = path.read_text().split("\n")
        assert all(f'"{row.task}"' in lines[(row.line or 0) - 1] for row in rows)


def test_real_reports_of_instances_count_as_they_say(shared: Path) -> None:
    for path in real(shared, "swebench-instance-report"):
        (row,) = rows_of(path)
        assert row.task == path.parent.name
        assert row.outcome is (PASS if json.loads(path.read_text())[row.task]["resolved"] else FAIL)
        assert path.parent.parent.name in row.model_hints


def test_real_reports_of_gso_count_as_they_say(shared: Path) -> None:
    for path in real(shared, "gso-report", "reports/*.json"):
        summary = json.loads(path.read_text())["summary"]
        rows = rows_of(path)
        hacked = sum("hacked" in row.labels for row in rows)
        assert len(rows) == summary["completed_instances"]
        passed, _, partial, errors = counts(rows)
        assert (passed + hacked, passed + hacked + partial) == (
            summary["opt_commit"],
            summary["opt_base"],
        )
        assert errors == summary["base_failed_instances"]
        assert all(row.scores for row in rows if row.outcome is PASS)


def test_real_results_of_terminal_bench_count_as_they_say(shared: Path) -> None:
    for path in real(shared, "tb-run"):
        report = json.loads(path.read_text())
        rows = rows_of(path)
        assert len(rows) == len(report["results"])
        assert counts(rows)[0] == report["n_resolved"]
        several = "1-of-1" not in report["results"][0]["trial_name"]
        assert {row.attempt for row in rows} == ({1, 2, 3, 4, 5} if several else {None})
    for path in real(shared, "tb-result"):
        (row,) = rows_of(path)
        assert path.parent.name == f"{row.task}.{row.attempt}-of-5"


def test_the_runs_of_a_real_report_join(shared: Path, tmp_path: Path) -> None:
    path = real(shared, "tb-run")[0]
    runs = [
        run_at(
            f"{row.task}.{row.attempt}-of-5/run.json",
            model=None,
            task=f"{row.task}.{row.attempt}-of-5",
        )
        for row in rows_of(path)
    ]
    assert None not in Campaign(tmp_path, *runs).outcomes(str(path))


# --- whatever a file holds


def origin(name: str, runs: tuple[str, ...] = ()) -> RowSource:
    source = Source(name, f"/o/{name}", named=True, size=0)
    return RowSource(name, source, Redactor(), settings=config.Outcomes(path=name), runs=runs)


def joined_or_refused(data: bytes, name: str) -> None:
    entries = [attempt("one", 1), attempt("one", 2, OPUS)]
    for each in (origin(name), origin(name, (entries[0].id,))):
        try:
            rows, problems = parse_outcomes_file(data, each)
        except ReadError as error:
            assert error.code == "E_OUTCOMES"
            continue
        joined = outcomes.join(entries, OutcomeTable(tuple(rows), tuple(problems)), Naming([]))
        assert [entry.id for entry in joined.entries] == [entry.id for entry in entries]
        assert all(problem.reason.endswith((".", "left out.")) for problem in joined.problems)


unhurried = settings(suppress_health_check=[HealthCheck.too_slow], derandomize=True)
NAMES = st.sampled_from(
    [
        "task",
        "model",
        "attempt",
        "outcome",
        "labels",
        "scores",
        "started_at",
        "path",
        "speed",
        "outcomes",
        "results",
        "resolved_ids",
        "instance_sets",
        "opt_commit_ids",
        "opt_stats",
        "trial_name",
        "task_id",
        "is_resolved",
        "resolved",
        "patch_successfully_applied",
        "value",
        "direction",
    ]
)
VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=8),
        st.sampled_from(["one", "pass", "1", "\ud800"]),
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(NAMES | st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@unhurried
@given(VALUES)
def test_any_json_joins_or_is_refused(value: Any) -> None:
    joined_or_refused(json.dumps(value).encode(), "o.json")


@unhurried
@given(
    st.lists(
        st.one_of(
            NAMES,
            st.text(max_size=6),
            st.sampled_from(
                [
                    "\n",
                    ": ",
                    "- ",
                    "  ",
                    "[",
                    "]",
                    "{",
                    "}",
                    ",",
                    '"',
                    "!!int ",
                    "&a ",
                    "*a",
                    "<<",
                    "1",
                    "2026-01-01",
                    "|",
                ]
            ),
        ),
        max_size=25,
    )
)
def test_any_yaml_joins_or_is_refused(pieces: list[str]) -> None:
    joined_or_refused("".join(pieces).encode("utf-8", "surrogatepass"), "o.yaml")


@unhurried
@given(
    st.lists(
        st.lists(
            NAMES | st.text(max_size=5) | st.sampled_from(["one", "1", "pass", '"']), max_size=5
        ),
        max_size=6,
    )
)
def test_any_csv_joins_or_is_refused(rows: list[list[str]]) -> None:
    text = "\n".join(",".join(row) for row in rows)
    joined_or_refused(f"task,outcome,attempt\n{text}".encode("utf-8", "surrogatepass"), "o.csv")
    joined_or_refused(text.encode("utf-8", "surrogatepass"), "o.txt")


@unhurried
@given(st.binary(max_size=200), st.sampled_from(["o.csv", "o.json", "o.yaml", "o"]))
def test_any_bytes_join_or_are_refused(data: bytes, name: str) -> None:
    joined_or_refused(data, name)


@unhurried
@given(st.permutations(range(8)), st.permutations(range(8)))
def test_the_order_of_rows_and_runs_changes_no_outcome(rows: list[int], runs: list[int]) -> None:
    entries = [attempt(f"t{number % 4}", number // 4) for number in runs]
    stated = [
        Row(
            "o",
            line,
            task=f"t{number % 4}",
            attempt=number // 4,
            outcome=PASS if number % 3 else FAIL,
        )
        for line, number in enumerate(rows)
    ]
    joined = outcomes.join(entries, OutcomeTable(tuple(stated), ()), Naming([]))
    assert joined.problems == []
    assert [entry.outcome for entry in joined.entries] == [
        PASS if number % 3 else FAIL for number in runs
    ]


# --- settings


def test_paths_of_outcomes_are_relative_to_the_settings(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "config.yaml": "outcomes:\n  - a.csv\n  - {path: b/*.json, attempt: 2}\npatch: fix.diff\n"
        },
    )
    loaded = config.load(tmp_path / "config.yaml")
    assert [each.path for each in loaded.outcomes] == [
        str(tmp_path / "a.csv"),
        str(tmp_path / "b/*.json"),
    ]
    assert (loaded.outcomes[1].attempt, loaded.patch) == (2, "fix.diff")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("outcomes: [{path: a, modell: x}]", "unknown key 'modell', did you mean 'model'?"),
        (
            "outcomes: [{path: a, scores: {s: {units: x}}}]",
            "unknown key 'units', did you mean 'unit'?",
        ),
        (
            "outcomes: [{path: a, scores: {s: {direction: up}}}]",
            "is a choice: write 'higher' or 'lower'",
        ),
        ("outcomes: [{path: a, columns: {instance: task}}]", "columns.instance"),
        ("patch: a/b.diff", "write the name of a file, without folders"),
    ],
)
def test_wrong_settings_are_named(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        config.parse(text, "config.yaml")
    assert message in str(caught.value)


def test_the_note_of_an_outcome_is_kept_and_cut_where_it_is_long(tmp_path: Path) -> None:
    campaign = Campaign(tmp_path, run_at("1.json"), run_at("2.json"))
    table = csv(
        tmp_path,
        "path,outcome,note",
        "1.json,fail,17 of 214  tests are red",
        f"2.json,pass,{'n' * 600}",
    )
    entries, problems = campaign.join(table)
    assert not problems
    assert [entry.note for entry in entries] == ["17 of 214 tests are red", "n" * 499 + "…"]


COPY_SETTINGS = (
    'inputs: [{path: runs, pattern: "{task}/{model}/{attempt}.json"}]\noutcomes: [{path: o.csv}]\n'
)


@pytest.mark.parametrize(
    "copy", ["aside/one/opus/1.json", "one/opus/1.json.bak", "zz.log", "one/opus/1.json.gz"]
)
@pytest.mark.parametrize("row", ["one,,pass", ",runs/one/opus/1.json,pass", None])
def test_which_of_two_copies_is_shown_decides_nothing(
    tmp_path: Path, copy: str, row: str | None
) -> None:
    record = json.dumps(bare(1))
    packed = gzip.compress(record.encode(), mtime=0) if copy.endswith(".gz") else record.encode()
    for noise in ("", "Starting the agent\n"):
        write(tmp_path, {"runs/one/opus/1.json": noise + record, "config.yaml": COPY_SETTINGS})
        write(tmp_path, {"o.csv": f"task,path,outcome\n{row or ''}\n"})
        write(tmp_path, {} if row else {"config.yaml": COPY_SETTINGS.partition("\n")[0]})
        write(tmp_path, {} if row else {"runs/one/opus/1.meta.yaml": "outcome: pass"})
        (tmp_path / "runs" / copy).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "runs" / copy).write_bytes(packed)
        (entry,) = load_runs(config=tmp_path / "config.yaml")
        assert (entry.task, entry.attempt, entry.stated_model, entry.outcome) == (
            "one",
            1,
            "opus",
            PASS,
        )


def test_a_patch_beside_a_copy_is_that_of_the_run_unless_another_lies_there(tmp_path: Path) -> None:
    write(tmp_path, {"a/1.json": json.dumps(bare(1)), "b/1.json": json.dumps(bare(1))})
    write(tmp_path, {"b/model_patch.diff": "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n"})
    assert [entry.patch_lines for entry in load_runs(tmp_path)] == [(1, 1)]
    write(tmp_path, {"b/2.json": json.dumps(bare(2))})
    assert [entry.patch_lines for entry in load_runs(tmp_path)] == [None, None]
