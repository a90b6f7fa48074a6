"""The settings as a whole: their schema, and the same settings for other days, campaigns, inputs and levels."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sitegen.config import Config
from sitegen.config.settings import schema
from sitegen.errors import ConfigError
from sitegen.model import Level
from tests.conftest import ROOT
from tests.support import cases


def settings(**values: Any) -> Config:
    return Config.model_validate(values)


def test_the_schema_says_what_editors_need(refresh: bool) -> None:
    expected = ROOT / "tests" / "config" / "schema.expected.json"
    cases.compare(expected, schema(), refresh=refresh, expected=expected)


def day(days_ago: int) -> str:
    return (datetime.now(UTC).date() - timedelta(days_ago)).isoformat()


@pytest.mark.parametrize(
    ("since", "until", "days"),
    [
        (None, None, ("", "9999")),
        ("2026-11-18", None, ("2026-11-18", "9999")),
        (None, "2026-11-18", ("", "2026-11-18")),
        ("2026-11-18", "2026-11-18", ("2026-11-18", "2026-11-18")),
        ("2026-11-17", "2026-11-18", ("2026-11-17", "2026-11-18")),
    ],
)
def test_days_of_the_command_line(
    since: str | None, until: str | None, days: tuple[str, str]
) -> None:
    plain = settings()
    assert plain.with_days(since, until).days == days
    assert plain.days == ("", "9999"), "the settings themselves stay as they are"


@pytest.mark.parametrize("days_ago", [0, 7, 9999])
def test_days_ago_are_counted_from_today(days_ago: int) -> None:
    before = day(days_ago)
    since = settings().with_days(f"{days_ago}d", None).days[0]
    assert since in (before, day(days_ago)), "the day may have ended meanwhile"


@pytest.mark.parametrize(
    ("since", "until", "reason"),
    [
        (
            "2026-11-19",
            "2026-11-18",
            "--since 2026-11-19 is after --until 2026-11-18, so no run is left.",
        ),
        ("soon", None, "--since soon: write a day as in 2026-11-18, or 7d for seven days ago."),
        (
            None,
            "2026-02-30",
            "--until 2026-02-30: write a day as in 2026-11-18, or 7d for seven days ago.",
        ),
        (None, "10000d", "--until 10000d: write a day as in 2026-11-18, or 7d for seven days ago."),
        (
            None,
            "2026-1-1",
            "--until 2026-1-1: write a day as in 2026-11-18, or 7d for seven days ago.",
        ),
    ],
)
def test_a_day_that_is_none(since: str | None, until: str | None, reason: str) -> None:
    with pytest.raises(ConfigError) as refused:
        settings().with_days(since, until)
    assert str(refused.value) == reason


def test_a_campaign_of_the_command_line_is_that_of_the_inputs() -> None:
    plain = settings(campaign={"name": "autumn", "date": "2026-11-01"})
    assert plain.with_campaign(None, None) is plain
    named = plain.with_campaign("winter", None).campaign
    assert (named.name, named.date) == ("winter", "2026-11-01")
    dated = plain.with_campaign(None, "2026-12-01").campaign
    assert (dated.name, dated.date) == ("autumn", "2026-12-01")
    with pytest.raises(ConfigError) as refused:
        plain.with_campaign(None, "tomorrow")
    assert str(refused.value) == "--date tomorrow: write the day as in 2026-11-18."
    several = settings(campaigns=[{"path": "a.zip"}])
    with pytest.raises(ConfigError) as refused:
        several.with_campaign("winter", None)
    assert str(refused.value) == (
        "--campaign and --date are about one campaign, and these settings have several."
    )


def test_no_input_exceeds_the_level_of_the_command_line() -> None:
    plain = settings(
        steps="full",
        inputs=[{"path": "a"}, {"path": "b", "steps": "full"}, {"path": "c", "steps": "none"}],
    )
    limited = plain.with_level(Level.TEXTS)
    assert limited.steps is Level.TEXTS
    assert [named.steps for named in limited.inputs] == [None, Level.TEXTS, Level.NONE]
    campaigns = settings(campaigns=[{"path": "a", "steps": "full"}]).with_level(Level.NONE)
    assert [named.steps for named in campaigns.campaigns] == [Level.NONE]


INPUTS = [
    {"path": "/runs", "pattern": "{task}.json", "only": "judged", "steps": "texts"},
    {"path": "/more"},
]


def test_a_path_that_the_settings_name_keeps_what_they_say_of_it() -> None:
    again = settings(inputs=INPUTS).with_inputs(["/runs"])
    (named,) = again.inputs
    assert (named.pattern, named.only, named.steps) == ("{task}.json", "judged", Level.TEXTS)
    assert not again.is_part
    assert again.only_judged == {0}


@pytest.mark.parametrize(
    ("path", "steps", "level"),
    [
        ("/runs/a", "full", Level.TEXTS),
        ("/", "full", Level.TEXTS),
        ("/runs2", "full", None),
        ("/more/a", "none", None),
        ("/runs/a", "none", Level.TEXTS),
    ],
)
def test_a_path_in_an_input_has_the_lower_level(path: str, steps: str, level: Level | None) -> None:
    part = settings(inputs=INPUTS, steps=steps).with_inputs([path])
    (named,) = part.inputs
    assert (named.pattern, named.only, named.steps) == (None, None, level)
    assert part.is_part
    assert not settings().with_inputs([path]).is_part, (
        "nothing was named that it could be a part of"
    )


def test_one_campaign_keeps_its_name_day_and_outcomes() -> None:
    one = {
        "path": "/spring",
        "name": "spring",
        "date": "2026-03-01",
        "outcomes": [{"path": "s.csv"}],
    }
    plain = settings(campaigns=[one, {"path": "/autumn"}], outcomes=[{"path": "o.csv"}])
    spring = plain.with_inputs(["/spring"])
    assert (spring.campaign.name, spring.campaign.date) == ("spring", "2026-03-01")
    assert spring.paths_of_outcomes == ["s.csv"]
    assert spring.campaigns == ()
    assert plain.with_inputs(["/autumn"]).paths_of_outcomes == ["o.csv"]
    both = plain.with_inputs(["/spring", "/autumn"])
    assert (both.campaign.name, both.paths_of_outcomes) == (None, ["o.csv"])
    assert plain.paths_of_outcomes == ["o.csv", "s.csv"]
    assert plain.paths_of_runs == ["/spring", "/autumn"]


def test_a_pattern_is_as_many_campaigns_as_it_matches(tmp_path: Path) -> None:
    for name in ("2026-a.zip", "2026-b.zip", "2026-c.zip"):
        (tmp_path / name).touch()
    pattern = str(tmp_path / "2026-*.zip")

    def names(**values: Any) -> list[str]:
        found = settings(campaigns=[{"path": pattern, **values}]).each_campaign
        return [Path(campaign.path).name for campaign in found]

    assert names() == ["2026-a.zip", "2026-b.zip", "2026-c.zip"]
    assert names(keep=2) == ["2026-b.zip", "2026-c.zip"]
    assert names(keep=9) == ["2026-a.zip", "2026-b.zip", "2026-c.zip"]
    alone = settings(campaigns=[{"path": str(tmp_path / "none-*.zip")}]).each_campaign
    assert [campaign.path for campaign in alone] == [str(tmp_path / "none-*.zip")]
    stored = settings(campaigns=[{"path": "s3://bucket/2026-*.zip"}]).each_campaign
    assert [campaign.path for campaign in stored] == ["s3://bucket/2026-*.zip"]


@pytest.mark.parametrize(
    ("values", "follows", "compares"),
    [
        ({}, False, False),
        ({"campaigns": [{"path": "a"}]}, True, False),
        ({"history": {"path": "h.jsonl"}}, True, False),
        ({"baseline": {"path": "last.zip"}}, False, False),
        ({"baseline": {"path": "last.zip"}, "campaign": {"date": "2026-11-18"}}, True, False),
        ({"baseline": {"path": "previous"}}, False, True),
    ],
)
def test_what_follows_campaigns_and_compares_with_the_last(
    values: dict[str, Any], follows: bool, compares: bool
) -> None:
    assert settings(**values).follows is follows
    assert settings(**values).compares_with_previous is compares


def test_a_pack_has_what_says_what_runs_are_and_nothing_else() -> None:
    plain = settings(
        title="Tides",
        steps="full",
        output="/site",
        outcomes=[{"path": "o.csv", "scores": {"gain": {"direction": "higher"}}}],
    )
    held = plain.for_pack()
    assert held.keys() == {"title", "scores"}
    again = Config.of_pack("a.zip", {**held, "output": "/elsewhere", "pages": ["x.md"]})
    assert (again.title, again.output, again.pages) == ("Tides", settings().output, ())
    assert again.is_of_pack and not plain.is_of_pack
    assert list(again.own_texts()) == []
    with pytest.raises(ConfigError, match=r"^a\.zip: the settings in this pack are damaged"):
        Config.of_pack("a.zip", {"title": 7})


def test_the_texts_of_the_settings_themselves() -> None:
    plain = settings(
        title="Tides",
        description="By hand",
        site_url="https://example.org/r/",
        names={"model": {"m": "M"}},
        setup={"sandbox": "docker", "configurations": {"A": {"retries": "3"}}},
    )
    assert list(plain.own_texts()) == [
        "Tides",
        "By hand",
        "https://example.org/r/",
        "m",
        "M",
        "docker",
        "3",
    ]


@pytest.mark.parametrize(
    ("values", "groups"),
    [
        ({}, ()),
        ({"group_by": ["person"]}, ("person",)),
        ({"view": "sessions"}, ("project", "person")),
    ],
)
def test_groups_of_pages(values: dict[str, Any], groups: tuple[str, ...]) -> None:
    assert settings(**values).groups == groups


def test_a_score_means_what_the_settings_say_else_the_first_file() -> None:
    def meaning(direction: str) -> dict[str, Any]:
        return {"direction": direction}

    outcomes = [
        {"path": "a.csv", "scores": {"gain": meaning("lower"), "size": meaning("higher")}},
        {"path": "b.csv", "scores": {"size": meaning("lower"), "time": meaning("lower")}},
    ]
    scores = settings(scores={"gain": meaning("higher")}, outcomes=outcomes).all_scores
    assert {name: score.direction for name, score in scores.items()} == {
        "gain": "higher",
        "size": "higher",
        "time": "lower",
    }
