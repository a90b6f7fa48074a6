"""Published sites as campaigns: what their data come to, and what is refused with which sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sitegen.errors import ConfigError
from sitegen.inputs.campaigns import past as module
from sitegen.inputs.campaigns.past import (
    content,
    figures_in,
    is_site,
    read_history,
    site_campaign,
    site_figures,
)
from sitegen.masking.redact import Redactor
from sitegen.numbers.campaigns import Attempts
from sitegen.system.bounds import MB, Bounds
from tests.inputs.campaigns.test_past import FIRST, write

TOKEN = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
RUN = {
    "task": "fix",
    "model": "Sonnet",
    "configuration": "Sonnet, high",
    "agent": "Codex",
    "effort": "high",
    "status": "ok",
    "turns": 3,
    "outcome": "pass",
    "cost_usd": 0.5,
    "computed_cost_usd": 9.0,
    "scores": {"speed": 1.5, "odd": "fast"},
    "labels": ["prompt: a", 7],
    "started_at": "2026-03-02T10:00:00Z",
}


def site(folder: Path, *runs: dict[str, Any], **changes: Any) -> Path:
    """The data of a site of these runs."""
    data = {"schema": 1, "runs": list(runs), "rules": {"cost": 2, "score": "x"}, **changes}
    (folder / "data").mkdir(exist_ok=True)
    (folder / "data" / "runs.json").write_text(json.dumps(data))
    return folder


def test_a_site_is_the_campaign_of_its_runs(tmp_path: Path) -> None:
    later = {**RUN, "outcome": "fail", "started_at": "2026-03-05T10:00:00Z", "cost_usd": None}
    found = site_figures(site(tmp_path, RUN, later), Redactor(), "last")
    assert (found.name, found.day, found.runs, found.unreadable) == (
        "2026-03-05",
        "2026-03-05",
        2,
        0,
    )
    assert found.attempts == (
        Attempts(
            "fix",
            "Sonnet, high",
            runs=2,
            judged=2,
            passed=1,
            costs=(0.5, 9.0),
            scores=(("speed", (1.5, 1.5)),),
            prompt="prompt: a",
            computed=1,
        ),
    )
    assert found.rules == (("cost", 2), ("score", 1))
    assert found.configurations == (
        ("Sonnet, high", (("agent", "Codex"), ("effort", "high"), ("model", "Sonnet"))),
    )
    again = site_figures(tmp_path / "data" / "runs.json", Redactor(), "last", "2026-01-01")
    assert (again.name, again.day) == ("2026-01-01", "2026-01-01")
    assert again.attempts == found.attempts


@pytest.mark.parametrize(
    ("changes", "counts"),
    [
        ({}, (1, 1, 0, (0.5,))),
        ({"outcome": None}, (0, 0, 1, (0.5,))),
        ({"outcome": "partial"}, (1, 0, 0, (0.5,))),
        ({"outcome": "error"}, (0, 0, 0, (0.5,))),
        ({"turns": 0}, (0, 0, 0, (0.5,))),
        ({"status": "stopped"}, (0, 0, 0, (0.5,))),
        ({"status": "failed", "outcome": "fail"}, (1, 0, 0, (0.5,))),
        ({"cost_bound": "lower"}, (1, 1, 0, ())),
        ({"cost_bound": "exact"}, (1, 1, 0, (0.5,))),
        ({"cost_usd": -1}, (1, 1, 0, ())),
        ({"cost_usd": None, "computed_cost_usd": None}, (1, 1, 0, ())),
        ({"scores": None, "labels": None}, (1, 1, 0, (0.5,))),
    ],
    ids=str,
)
def test_a_run_of_a_site_counts_as_it_ended(
    tmp_path: Path, changes: dict[str, Any], counts: tuple[object, ...]
) -> None:
    found = site_figures(site(tmp_path, {**RUN, **changes}), Redactor(), "last")
    (attempts,) = found.attempts
    assert (attempts.judged, attempts.passed, attempts.unjudged, attempts.costs) == counts


def test_without_a_configuration_a_run_counts_for_its_model(tmp_path: Path) -> None:
    runs = [{**RUN, "configuration": None}, {"status": "ok", "cost_usd": 1.0}]
    found = site_figures(site(tmp_path, *runs), Redactor(), "last")
    assert [attempts.model for attempts in found.attempts] == ["Sonnet"]
    assert found.runs == 2


def test_a_site_whose_runs_have_no_time_has_no_day(tmp_path: Path) -> None:
    path = site(tmp_path, {**RUN, "started_at": None})
    found = site_figures(path, Redactor(), "last")
    assert (found.name, found.day) == ("last", "")
    with pytest.raises(ConfigError) as refused:
        site_campaign(path, "spring", None, Redactor())
    assert str(refused.value) == (
        f"{path}: no run of this site says when it began; write `date: 2026-11-18` beside its path."
    )
    campaign = site_campaign(path, "spring", "2026-02-01", Redactor())
    assert (campaign.name, campaign.day) == ("spring", "2026-02-01")
    assert site_campaign(path, None, "2026-02-01", Redactor()).name == "2026-02-01"
    odd = site_figures(site(tmp_path, {**RUN, "started_at": "2026-13-01"}), Redactor(), "last")
    assert odd.day == ""


def test_files_that_a_site_could_not_read_are_counted_once(tmp_path: Path) -> None:
    path = site(tmp_path, RUN)
    rows = [
        {"file": "1.json", "verdict": "skip", "code": "E_TRUNCATED"},
        {"file": "1.json", "verdict": "skip", "code": "E_READ"},
        {"file": "2.json", "verdict": "accept", "code": "W_X"},
        {"file": "o.csv", "verdict": "skip", "code": "W_OUTCOME_ROW"},
        {"file": "3.json", "verdict": "skip"},
        "odd",
    ]
    for problems, count in (({"problems": rows}, 2), ({"problems": {}}, 0), ([], 0)):
        (tmp_path / "data" / "problems.json").write_text(json.dumps(problems))
        assert site_figures(path, Redactor(), "last").unreadable == count


def test_what_a_site_says_is_masked(tmp_path: Path) -> None:
    found = site_figures(site(tmp_path, {**RUN, "task": TOKEN}), Redactor(), "last")
    assert TOKEN not in found.attempts[0].task


NO_DATA = "this is not the data/runs.json of a site."
NO_RUN = "it contains a run that sitegen did not write."


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[]", NO_DATA),
        ("{}", NO_DATA),
        ('{"schema": "1"}', NO_DATA),
        ('{"schema": true, "runs": []}', NO_DATA),
        ('{"schema": 1, "runs": {}}', NO_DATA),
        (
            '{"schema": 2, "runs": []}',
            "A newer sitegen wrote it in form 2, and this one reads forms up to 1; update sitegen.",
        ),
        ('{"schema": 1, "runs": [1]}', NO_RUN),
        ('{"schema": 1, "runs": [{}]}', NO_RUN),
        ('{"schema": 1, "runs": [{"status": "splendid"}]}', NO_RUN),
        ('{"schema": 1, "runs": [{"status": "ok", "outcome": "good"}]}', NO_RUN),
        ('{"schema": 1, "runs": [], "rules": []}', NO_RUN),
        (
            "no JSON",
            "sitegen did not write it, or it is damaged. Fetch it again; unpack a site that is an archive.",
        ),
    ],
)
def test_what_is_no_data_of_a_site_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "runs.json"
    file.write_text(text)
    with pytest.raises(ConfigError) as refused:
        site_figures(file, Redactor(), "last")
    assert str(refused.value) == f"{file}: {sentence}"


def test_a_site_is_a_folder_with_data_or_a_file_of_json(tmp_path: Path) -> None:
    assert is_site(site(tmp_path, RUN))
    assert is_site(tmp_path / "any.json")
    assert not is_site(tmp_path / "data")
    assert not is_site(tmp_path / ("x" * 5000))


def test_a_file_that_is_not_there_or_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as gone:
        content(tmp_path / "runs.json")
    assert str(gone.value) == f"{tmp_path}/runs.json: there is no such file or folder."
    with pytest.raises(ConfigError) as folder:
        content(tmp_path)
    assert str(folder.value) == f"{tmp_path}: It cannot be read: it is not a regular file."


def test_data_may_have_256_megabytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert module._BOUNDS.file_mb == 256
    monkeypatch.setattr(module, "_BOUNDS", Bounds(file_mb=33))
    file = tmp_path / "runs.json"
    with file.open("wb") as written:
        written.truncate(33 * MB)
    assert len(content(file)) == 33 * MB
    with file.open("wb") as written:
        written.truncate(33 * MB + 1)
    with pytest.raises(ConfigError, match="It is larger than 33 MB"):
        content(file)


FIGURE = {"bound": "exact", "unit": "USD", "estimate": 1.5, "low": 1.0, "high": None}
FIGURES: dict[str, Any] = {
    "schema": 1,
    "groups": [
        {"by": "all", "name": "", "figures": {"cost": FIGURE}},
        {"by": "model", "name": "Opus", "figures": {"cost": FIGURE | {"unit": None}}},
    ],
    "comparisons": [
        {
            "by": "model",
            "a": "Opus",
            "b": "Sonnet",
            "figures": {"cost": {"ratio": FIGURE | {"bound": "none"}, "p": 0.5}},
        }
    ],
}


def test_figures_of_a_site_are_by_what_they_are_of_and_their_name() -> None:
    data = json.dumps(FIGURES).encode()
    assert figures_in(data, Path("f.json"), Redactor()) == {
        ("all", "cost"): ("exact", "USD", 1.5, 1.0, None),
        ("model Opus", "cost"): ("exact", None, 1.5, 1.0, None),
        ("model Sonnet against Opus", "cost ratio"): ("none", "USD", 1.5, 1.0, None),
    }
    alone = {key: value for key, value in FIGURES.items() if key != "comparisons"}
    assert len(figures_in(json.dumps(alone).encode(), Path("f.json"), Redactor())) == 2


NO_FIGURES = "f.json: these are not the figures of a site, or they are damaged."
ODD_FIGURES = "f.json: it has no figures, or some that sitegen did not write."


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda data: data.update(groups=[]) or data.update(comparisons=[]), ODD_FIGURES),
        (lambda data: data["groups"][0]["figures"]["cost"].update(bound="about"), ODD_FIGURES),
        (lambda data: data["groups"][0]["figures"]["cost"].update(unit=7), ODD_FIGURES),
        (lambda data: data["groups"][0]["figures"]["cost"].update(low="x"), ODD_FIGURES),
        (lambda data: data["groups"][0]["figures"]["cost"].pop("high"), NO_FIGURES),
        (lambda data: data["groups"].append(data["groups"][0]), NO_FIGURES),
        (lambda data: data.pop("groups"), NO_FIGURES),
        (lambda data: data["comparisons"][0].pop("a"), NO_FIGURES),
        (lambda data: data.update(schema="x"), NO_FIGURES),
        (
            lambda data: data.update(schema=2),
            "f.json: A newer sitegen wrote it in form 2, and this one reads forms up to 1; update sitegen.",
        ),
    ],
)
def test_figures_that_sitegen_did_not_write_are_refused(
    change: Callable[[Any], object], sentence: str
) -> None:
    data = json.loads(json.dumps(FIGURES))
    change(data)
    with pytest.raises(ConfigError) as refused:
        figures_in(json.dumps(data).encode(), Path("f.json"), Redactor())
    assert str(refused.value) == sentence


def refusal(file: Path) -> str:
    """What is said of a history that is refused."""
    with pytest.raises(ConfigError) as refused:
        read_history(file, Redactor())
    return str(refused.value).removeprefix(f"{file}: ")


def test_histories_are_refused_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "history.jsonl"
    file.write_text("{}\n")
    assert refusal(file) == "this is not a history that sitegen wrote."
    file.write_text('{"sitegen_history": 2, "version": "9.0"}\n')
    assert refusal(file) == (
        "sitegen 9.0 wrote it in form 2, and this one reads forms up to 1; update sitegen."
    )
    write(tmp_path, FIRST, replace(FIRST, day="2026-03-03"))
    monkeypatch.setattr(module, "MAX_RUNS", 6)
    assert len(read_history(file, Redactor())[0]) == 2
    monkeypatch.setattr(module, "MAX_RUNS", 5)
    assert refusal(file) == "this history counts more than 5 runs; keep fewer campaigns."


def test_attempts_of_a_campaign_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = replace(FIRST, attempts=(*FIRST.attempts, replace(FIRST.attempts[0], task="other")))
    write(tmp_path, two)
    monkeypatch.setattr(module, "MAX_ATTEMPTS", 2)
    assert len(read_history(tmp_path / "history.jsonl", Redactor())[0][0].attempts) == 2
    monkeypatch.setattr(module, "MAX_ATTEMPTS", 1)
    assert refusal(tmp_path / "history.jsonl") == (
        "it contains a campaign that sitegen did not write."
    )
    assert module.MAX_RUNS == 5_000_000


def test_a_history_begins_with_what_it_dropped() -> None:
    data, dropped = module.history([FIRST, replace(FIRST, day="2026-04-01")], 1, 2)
    head = json.loads(data.splitlines()[0])
    assert (head["sitegen_history"], head["dropped"], dropped) == (1, 3, 3)
    assert len(data.splitlines()) == 2
    assert module.history([], 3, 0)[1] == 0
