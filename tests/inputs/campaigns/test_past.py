"""Earlier campaigns: histories, as they are written and read again, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sitegen.errors import ConfigError
from sitegen.inputs.campaigns.past import history, read_history
from sitegen.masking.redact import Redactor
from sitegen.numbers.campaigns import Attempts, CampaignFigures

FIRST = CampaignFigures(
    "spring",
    "2026-03-02",
    runs=3,
    attempts=(
        Attempts(
            "fix-login",
            "Sonnet",
            runs=3,
            judged=2,
            passed=1,
            costs=(0.5, 1.25),
            scores=(("speedup", (1.1, 1.5)),),
            unjudged=1,
            computed=1,
        ),
    ),
    agents=("2.0",),
    higher_is_better=(("speedup", True),),
    rules=(("cost", 2),),
    configurations=(("Sonnet", (("effort", "High"),)),),
)
SECOND = replace(FIRST, name="summer", day="2026-06-01", unreadable=2)


def write(folder: Path, *campaigns: CampaignFigures, keep: int = 10, dropped: int = 0) -> Path:
    file = folder / "history.jsonl"
    file.write_bytes(history(campaigns, keep, dropped)[0])
    return file


def changed(folder: Path, **changes: Any) -> Path:
    """A history of one campaign with some fields changed; `attempts__x` is a field of its first attempts."""
    head, line = history([FIRST], 10, 0)[0].decode().splitlines()
    campaign = json.loads(line)
    for name, value in changes.items():
        if name.startswith("attempts__"):
            campaign["attempts"][0][name.removeprefix("attempts__")] = value
        else:
            campaign[name] = value
    file = folder / "history.jsonl"
    file.write_text(f"{head}\n{json.dumps(campaign)}\n")
    return file


def test_a_history_is_read_as_it_was_written_in_the_order_of_days(tmp_path: Path) -> None:
    file = write(tmp_path, SECOND, FIRST)
    assert read_history(file, Redactor()) == ([FIRST, SECOND], 0)


def test_a_campaign_of_the_same_name_and_day_replaces_an_earlier_one(tmp_path: Path) -> None:
    file = write(tmp_path, FIRST, replace(FIRST, unreadable=7))
    assert read_history(file, Redactor())[0] == [replace(FIRST, unreadable=7)]


def test_the_newest_are_kept_and_the_others_counted(tmp_path: Path) -> None:
    assert history([FIRST, SECOND], 1, 4)[1] == 5
    assert history([FIRST, SECOND], 2, 4)[1] == 4
    file = write(tmp_path, FIRST, SECOND, keep=1, dropped=4)
    assert read_history(file, Redactor()) == ([SECOND], 5)


def test_there_need_be_no_history(tmp_path: Path) -> None:
    assert read_history(tmp_path / "none.jsonl", Redactor()) == ([], 0)


@pytest.mark.parametrize(
    "changes",
    [
        {"runs": -1},
        {"runs": "3"},
        {"left_out": -1},
        {"unreadable": -2},
        {"day": "2026-13-02"},
        {"day": "2026-3-2"},
        {"day": "2026-03-02T10"},
        {"name": ""},
        {"attempts__passed": 3},
        {"attempts__passed": -1},
        {"attempts__unjudged": -1},
        {"attempts__unjudged": 2},
        {"attempts__computed": 3},
        {"attempts__computed": -1},
        {"attempts__costs": [1, 2, 3, 4]},
        {"attempts__scores": [["speedup", [1, 2, 3, 4]]]},
        {"attempts__runs": 2},
        {"attempts": None},
    ],
    ids=str,
)
def test_a_campaign_that_cannot_be_is_refused(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="it contains a campaign that sitegen did not write"):
        read_history(changed(tmp_path, **changes), Redactor())


@pytest.mark.parametrize(
    "changes",
    [
        {"attempts__computed": 2},
        {"attempts__computed": 0},
        {"attempts__passed": 2},
        {"attempts__passed": 0},
        {"attempts__unjudged": 0},
        {"left_out": 1},
    ],
    ids=str,
)
def test_a_campaign_at_the_limit_is_read(tmp_path: Path, changes: dict[str, Any]) -> None:
    (campaign,), _ = read_history(changed(tmp_path, **changes), Redactor())
    assert campaign.name == "spring"


def test_impossible_costs_and_scores_are_left_out(tmp_path: Path) -> None:
    costs, scores = [0.5, -1, 1e300], [["speedup", [1.1, "fast"]]]
    file = changed(tmp_path, attempts__costs=costs, attempts__scores=scores)
    (campaign,), _ = read_history(file, Redactor())
    assert campaign.attempts[0].costs == (0.5,)
    assert campaign.attempts[0].scores == (("speedup", (1.1,)),)


@pytest.mark.parametrize("head", ["{}", "[]", "1", '{"sitegen_history": "1"}', "no JSON"])
def test_another_file_is_no_history(tmp_path: Path, head: str) -> None:
    file = tmp_path / "history.jsonl"
    file.write_text(f"{head}\n")
    with pytest.raises(ConfigError, match=r"history\.jsonl"):
        read_history(file, Redactor())


def test_a_history_of_a_newer_version_says_so(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    file.write_text('{"sitegen_history": 99, "version": "9.0"}\n')
    with pytest.raises(ConfigError, match=r"9\.0"):
        read_history(file, Redactor())


@pytest.mark.parametrize("dropped", [-1, "2", 1.5, None])
def test_a_count_of_dropped_campaigns_that_cannot_be_is_refused(
    tmp_path: Path, dropped: object
) -> None:
    head = {"sitegen_history": 1, "version": "0.1.0", "dropped": dropped}
    file = tmp_path / "history.jsonl"
    file.write_text(json.dumps(head) + "\n" + history([FIRST], 1, 0)[0].decode().splitlines()[1])
    with pytest.raises(ConfigError, match="did not write"):
        read_history(file, Redactor())
