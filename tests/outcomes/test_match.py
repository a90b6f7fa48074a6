"""A row is about the run that it names, or about none and is reported: by folder, by agent and by model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import yaml

from sitegen import config
from sitegen.collect import Facts, collect
from sitegen.masking.redact import Redactor
from tests.support.campaigns import OPUS, SONNET, result, usage

COMMIT = "7c4d2e1f" * 5
TASK = f"engine-{COMMIT[:8]}"


def write(folder: Path, path: str, number: int, model: str = SONNET) -> None:
    file = folder / "runs" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(result(number, modelUsage={model: usage(model, number)})))


def facts_of(folder: Path, *, pattern: str = "{agent}/{task}/{attempt}/*", **keys: Any) -> Facts:
    keys.setdefault("inputs", [{"path": "runs", "pattern": pattern}])
    (folder / "config.yaml").write_text(yaml.safe_dump({"outcomes": ["v.csv"], **keys}))
    return collect(config.load(folder / "config.yaml"), Redactor(), lambda _, files: files)


def outcomes(facts: Facts) -> dict[str, str]:
    return {entry.source.path: str(entry.outcome) for entry in facts.entries if entry.outcome}


def unmatched(facts: Facts) -> list[tuple[str | None, str]]:
    return [(each.place, each.code) for each in facts.problems if each.code.startswith("W_OUTCOME")]


def table(folder: Path, *lines: str) -> None:
    (folder / "v.csv").write_text("\n".join(lines))


@pytest.fixture
def two_runs(tmp_path: Path) -> Path:
    for attempt in (1, 2):
        write(tmp_path, f"ogre/{TASK}/{attempt}/result.json", attempt)
    folder = tmp_path / f"runs/ogre/{TASK}"
    (folder / "1/notes.txt").write_text("of the run\n")
    (folder / "1/broken.json").write_text('{"type": "result", "resu')
    return tmp_path


@pytest.mark.parametrize(
    "path",
    [
        f"runs/ogre/{TASK}/1",
        f"runs/ogre/{TASK}/1/",
        f"./runs/ogre/{TASK}/2/../1/",
        f"ogre/{TASK}/1",
        f"runs\\ogre\\{TASK}\\1",
        f"runs\\ogre\\{TASK}\\1\\result.json",
        f"runs/ogre/{TASK}/1/notes.txt",
        f"ogre/{TASK}/1/notes.txt",
        f"runs/ogre/{TASK}/1/result.json",
        f"/ROOT/runs/ogre/{TASK}/1/",
    ],
)
def test_the_path_of_a_folder_or_of_a_file_in_it_names_its_run(path: str, two_runs: Path) -> None:
    table(two_runs, "path,outcome", f"{path.replace('/ROOT', str(two_runs))},pass")
    facts = facts_of(two_runs)
    assert outcomes(facts) == {f"ogre/{TASK}/1/result.json": "pass"}
    assert unmatched(facts) == []


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (f"runs/ogre/{TASK}", "W_OUTCOME_AMBIGUOUS"),
        ("runs", "W_OUTCOME_AMBIGUOUS"),
        (f"runs/ogre/{TASK}/3", "W_OUTCOME_UNMATCHED"),
        (f"runs/ogre/{TASK}/1/other.json", "W_OUTCOME_UNMATCHED"),
        (f"runs/ogre/{TASK}/1/broken.json", "W_OUTCOME_UNMATCHED"),
        (f"runs/ogre/{TASK}/1/notes.txt/more", "W_OUTCOME_UNMATCHED"),
        (f"/elsewhere/ogre/{TASK}/1/result.json", "W_OUTCOME_UNMATCHED"),
    ],
)
def test_a_path_that_names_no_run_or_several_is_reported_with_its_line(
    path: str, code: str, two_runs: Path
) -> None:
    """A file that could not be read may have been the run that the row is about."""
    table(two_runs, "path,outcome", f"ogre/{TASK}/2/result.json,fail", f"{path},pass")
    facts = facts_of(two_runs)
    assert outcomes(facts) == {f"ogre/{TASK}/2/result.json": "fail"}
    assert unmatched(facts) == [("line 3", code)]


DROID = '{"type": "session_start", "id": "x", "cwd": "/w", "sessionTitle": "t", "owner": "me"}\n{"type": "message"}\n'
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"


@pytest.mark.parametrize(
    ("name", "text", "is_run"),
    [
        ("droid.jsonl", DROID, True),
        ("pointer.json", POINTER, True),
        ("dump.txt", "SystemMessage(subtype='init', data={'type': 'system'})\n", True),
        ("report.json", '{"passed": 3}', False),
        ("run.log", "started\n", False),
        ("photo.png", "\x89PNG\r\n", False),
    ],
)
def test_a_file_of_a_format_that_is_not_read_is_beside_no_run(
    name: str, text: str, is_run: bool, tmp_path: Path
) -> None:
    write(tmp_path, "t1/claude.json", 1)
    (tmp_path / "runs/t1" / name).write_text(text, encoding="latin-1")
    table(tmp_path, "path,outcome", f"runs/t1/{name},fail")
    facts = facts_of(tmp_path, inputs=["runs"])
    assert outcomes(facts) == ({} if is_run else {"t1/claude.json": "fail"})
    assert unmatched(facts) == ([("line 2", "W_OUTCOME_UNMATCHED")] if is_run else [])


def session(folder: Path, name: str, effort: str | None) -> None:
    at = "2026-08-14T10:00:00Z"
    records = (
        {
            "timestamp": at,
            "type": "session_meta",
            "payload": {"id": f"0198e3d4-{name}", "cwd": "/w"},
        },
        {
            "timestamp": at,
            "type": "turn_context",
            "payload": {"model": "gpt-5.5", "effort": effort},
        },
        {
            "timestamp": at,
            "type": "event_msg",
            "payload": {"type": "agent_message", "message": f"Done {name}"},
        },
    )
    (folder / "runs/t1").mkdir(parents=True, exist_ok=True)
    (folder / f"runs/t1/{name}.jsonl").write_text(
        "".join(f"{json.dumps(record)}\n" for record in records)
    )


@pytest.mark.parametrize(
    ("efforts", "found", "missed"),
    [
        (("high", "low"), {"t1/high.jsonl": "pass", "t1/low.jsonl": "fail"}, 0),
        (("low", "high"), {"t1/high.jsonl": "pass", "t1/low.jsonl": "fail"}, 0),
        (("high",), {"t1/high.jsonl": "pass"}, 1),
        (("low",), {"t1/low.jsonl": "fail"}, 1),
    ],
)
def test_a_row_is_about_the_run_whose_file_states_its_effort(
    efforts: tuple[str, ...], found: dict[str, str], missed: int, tmp_path: Path
) -> None:
    for effort in efforts:
        session(tmp_path, effort, effort)
    table(tmp_path, "task,effort,outcome", "t1,low,fail", "t1,High,pass")
    facts = facts_of(tmp_path, pattern="{task}/*")
    assert outcomes(facts) == found
    assert [code for _, code in unmatched(facts)] == ["W_OUTCOME_UNMATCHED"] * missed
    assert {str(entry.factor("effort")).lower() for entry in facts.entries} == {*efforts}


def test_an_effort_of_a_row_is_that_of_a_run_whose_file_states_none(tmp_path: Path) -> None:
    session(tmp_path, "1", None)
    table(tmp_path, "task,effort,outcome", "t1,low,fail")
    facts = facts_of(tmp_path, pattern="{task}/*")
    assert [(entry.factor("effort"), str(entry.outcome)) for entry in facts.entries] == [
        ("low", "fail")
    ]


def test_a_folder_in_an_archive_names_its_run(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "runs.zip", "w") as packed:
        for attempt in (1, 2):
            packed.writestr(f"all/{attempt}/result.json", json.dumps(result(attempt)))
    table(tmp_path, "path,outcome", "runs.zip/all/1,pass")
    facts = facts_of(tmp_path, inputs=["runs.zip"])
    assert list(outcomes(facts).values()) == ["pass"] and unmatched(facts) == []


def test_a_label_of_a_folder_is_of_all_its_runs(two_runs: Path) -> None:
    table(two_runs, "path,labels", f"runs/ogre/{TASK}/,night")
    assert {entry.labels for entry in facts_of(two_runs).entries} == {("night",)}


@pytest.fixture
def two_models(tmp_path: Path) -> Path:
    """Only the first left a patch."""
    for attempt, model in enumerate((OPUS, SONNET), 1):
        write(tmp_path, f"ogre/{TASK}/{attempt}/result.json", attempt, model)
    (tmp_path / f"runs/ogre/{TASK}/1/model_patch.diff").write_text(
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
    )
    return tmp_path


HARD: dict[str, Any] = {"verdicts": {"hard": {"column": "hard", "pass": ["beats"], "main": True}}}


@pytest.mark.parametrize(
    ("model", "attempt"),
    [
        ("claude-haiku-4-5", None),
        ("gpt-5", None),
        ("claude-sonnet-4-5", 2),
        ("Claude Sonnet 4.5", 2),
        ("Sonnet 4.5", 2),
        ("sonnet-4.5", None),
        ("claude_sonnet_4_5", None),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", 2),
        ("Opus 4.5", 1),
        ("", 1),
    ],
)
def test_the_model_of_a_row_of_a_table_selects(
    model: str, attempt: int | None, two_models: Path
) -> None:
    expected = {} if attempt is None else {f"ogre/{TASK}/{attempt}/result.json": "pass"}
    row = {"commit": COMMIT[:8], "agent": "ogre", "model": model, "hard": "beats"}
    tables = {
        "v.csv": f"{','.join(row)}\n{','.join(row.values())}\n",
        "v.json": json.dumps([row]),
        "v.jsonl": json.dumps(row),
        "v.yaml": yaml.safe_dump({"outcomes": [row]}),
        "one.json": json.dumps(row),
    }
    for name, text in tables.items():
        (two_models / name).write_text(text)
        facts = facts_of(two_models, outcomes=[name], **HARD)
        assert outcomes(facts) == expected, name
        assert (
            [code for _, code in unmatched(facts)] == [] if expected else ["W_OUTCOME_UNMATCHED"]
        ), name
        assert not any("no outcomes file has" in remark for remark in facts.remarks), name


def test_a_name_that_a_model_may_have_is_reported_with_the_line_that_makes_it_one(
    two_models: Path,
) -> None:
    table(two_models, "commit,agent,model,hard", f"{COMMIT[:8]},ogre,sonnet-4.5,beats")
    (problem,) = (each for each in facts_of(two_models, **HARD).problems if "OUTCOME" in each.code)
    line = "names: {model: {sonnet-4.5: Claude Sonnet 4.5}}"
    assert f"If it is Claude Sonnet 4.5, add `{line}` to the settings." in problem.reason
    facts = facts_of(two_models, **HARD, **yaml.safe_load(line))
    assert outcomes(facts) == {f"ogre/{TASK}/2/result.json": "pass"}
    assert unmatched(facts) == [] and not any("sonnet-4.5" in each for each in facts.remarks)


def test_rows_of_a_table_are_reported_one_by_one(two_models: Path) -> None:
    lines = [f"{COMMIT[:8]},ogre,gpt-{number},beats" for number in range(3)]
    table(two_models, "commit,agent,model,hard", *lines)
    facts = facts_of(two_models, **HARD)
    assert unmatched(facts) == [(f"line {number}", "W_OUTCOME_UNMATCHED") for number in (2, 3, 4)]
    reasons = [each.reason for each in facts.problems if each.code == "W_OUTCOME_UNMATCHED"]
    assert "'gpt-0'; they have 'Claude Opus 4.5', 'Claude Sonnet 4.5'" in reasons[0]


@pytest.mark.parametrize("served", ["meta-llama/Llama-3.1-8B", SONNET])
def test_the_model_in_a_measurement_that_a_pattern_names_is_the_one_that_was_served(
    served: str, two_models: Path
) -> None:
    """The settings can say otherwise."""
    (two_models / "set_ogre").mkdir()
    measured = {"human_commit": COMMIT, "model": served, "metrics": {"rate": 3.0}}
    (two_models / f"set_ogre/{COMMIT[:8]}.json").write_text(json.dumps(measured))
    item: dict[str, Any] = {"path": "set_ogre", "pattern": "set_{agent}/{commit}.json"}
    scores = {"rate": {"direction": "higher", "columns": ["metrics.rate"]}}

    def scored(**more: Any) -> list[str]:
        facts = facts_of(two_models, outcomes=[{**item, **more}], scores=scores)
        return [entry.source.path[-13:-12] for entry in facts.entries if entry.scores]

    assert scored() == ["1"], "that which left a patch"
    assert scored(columns={"model": "model"}) == (["2"] if served == SONNET else [])


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    ("agents", "row", "agent"),
    [
        (("codex", "codex_cli"), "codex", "codex"),
        (("codex", "codex_cli"), "codex_cli", "codex_cli"),
        (("codex", "codex_cli"), "Codex_CLI", "codex_cli"),
        (("codex", "codex_cli"), "Codex CLI", None),
        (("trae", "trae_agent"), "trae", "trae"),
        (("trae_agent",), "trae", "trae_agent"),
        (("codex_cli",), "Codex", "codex_cli"),
        (("ogre",), "troll", None),
    ],
)
def test_an_exact_agent_wins_over_one_that_is_only_called_like_it(
    agents: tuple[str, ...], row: str, agent: str | None, order: int, tmp_path: Path
) -> None:
    for number, name in enumerate(agents[::order], 1):
        write(tmp_path, f"{name}/{TASK}/1/result.json", number)
    table(tmp_path, "task,agent,outcome", f"{TASK},{row},pass")
    facts = facts_of(tmp_path)
    assert [path.partition("/")[0] for path in outcomes(facts)] == ([agent] if agent else [])
    assert len(unmatched(facts)) == (agent is None)


def test_a_row_of_an_agent_that_did_not_try_the_task_is_not_of_one_that_is_called_like_it(
    tmp_path: Path,
) -> None:
    write(tmp_path, f"codex_cli/{TASK}/1/result.json", 1)
    write(tmp_path, "codex/other-task/1/result.json", 2)
    table(tmp_path, "task,agent,outcome", f"{TASK},codex,pass")
    facts = facts_of(tmp_path)
    assert not outcomes(facts) and unmatched(facts) == [("line 2", "W_OUTCOME_UNMATCHED")]


@pytest.mark.parametrize(
    ("models", "row", "model"),
    [
        (("gpt-5", "gpt-5-codex"), "gpt-5", "gpt-5"),
        (("gpt-5", "gpt-5-codex"), "gpt-5-codex", "gpt-5-codex"),
        (("gpt-5-codex",), "gpt-5", None),
        (("opus", "opus-high"), "opus", "opus"),
        (("opus-high",), "opus", None),
        (("claude-opus-4-5", "claude-opus-4-5-20251101"), "claude-opus-4-5", "claude-opus-4-5"),
        (
            ("claude-opus-4-5", "claude-opus-4-5-20251101"),
            "anthropic/claude-opus-4-5",
            "claude-opus-4-5",
        ),
        (
            ("claude-opus-4-5", "claude-opus-4-5-20251101"),
            "claude-opus-4-5-20251101",
            "claude-opus-4-5-20251101",
        ),
        (("claude-opus-4-5", "claude-opus-4-5-20251101"), "Claude Opus 4.5", None),
    ],
)
def test_an_exact_model_wins_over_a_similar_one(
    models: tuple[str, ...], row: str, model: str | None, tmp_path: Path
) -> None:
    for number, name in enumerate(models, 1):
        write(tmp_path, f"{name}/{TASK}/1/result.json", number)
    table(tmp_path, "task,model,outcome", f"{TASK},{row},pass")
    facts = facts_of(tmp_path, pattern="{model}/{task}/{attempt}/*")
    assert [path.partition("/")[0] for path in outcomes(facts)] == ([model] if model else [])
    assert len(unmatched(facts)) == (model is None)


def test_a_column_that_no_row_has_is_still_reported(two_models: Path) -> None:
    table(two_models, "commit,model,hart", f"{COMMIT[:8]},gpt-5,beats")
    facts = facts_of(two_models, **HARD)
    assert (
        "verdicts: hard: no outcomes file has the column 'hard'; did you mean 'hart'?"
        in facts.remarks
    )


def test_a_model_that_does_not_count_leads_no_other_row_to_the_run(tmp_path: Path) -> None:
    """Line 3 names a run and a model that it has not: line 2, of that model, is about no run all the same."""
    write(tmp_path, "tide/sonnet-1/result.json", 1)
    write(tmp_path, "tide/opus-1/result.json", 2, OPUS)
    path = "runs/tide/sonnet-1/result.json"
    table(tmp_path, "path,task,model,outcome", ",tide,gpt-5.5,pass", f"{path},,gpt-5.5,fail")
    facts = facts_of(tmp_path, pattern="{task}/{model}-{attempt}/result.json")
    assert outcomes(facts) == {"tide/sonnet-1/result.json": "fail"}
    assert unmatched(facts) == [("line 2", "W_OUTCOME_UNMATCHED"), ("line 3", "W_OUTCOME_CONFLICT")]
