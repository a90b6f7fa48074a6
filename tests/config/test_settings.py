"""What follows from several settings, and the same settings with others in their place."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sitegen.config import Config, schema
from sitegen.errors import ConfigError
from sitegen.model import Level
from tests.conftest import ROOT
from tests.support import cases


def settings(**values: Any) -> Config:
    return Config.model_validate(values)


def test_own_texts_are_those_that_a_site_publishes() -> None:
    config = settings(
        title="Title",
        description="Words",
        site_url="https://example.org/",
        redact={"off": {"phone number": "invented"}},
        names={"model": {"m": "Moon"}},
        setup={"sandbox": "Docker", "configurations": {"Sun": {"network": "none"}}},
    )
    assert list(config.own_texts()) == [
        *("Title", "Words", "https://example.org/", "invented", "m", "Moon", "Docker", "none")
    ]
    assert list(settings().own_texts()) == ["Agent runs", "", ""]
    assert list(Config.of_pack("p.zip", {"title": "Title"}).own_texts()) == []


@pytest.mark.parametrize(
    ("values", "groups"),
    [
        ({}, ()),
        ({"group_by": ["person"]}, ("person",)),
        ({"view": "sessions"}, ("project", "person")),
        ({"view": "sessions", "group_by": ["person"]}, ("project", "person")),
    ],
)
def test_sessions_are_grouped_by_project_and_person(
    values: dict[str, Any], groups: tuple[str, ...]
) -> None:
    assert settings(**values).groups == groups


def test_inputs_of_judged_runs_are_known_by_position() -> None:
    config = settings(inputs=["a", {"path": "b", "only": "judged"}, "c"])
    assert config.only_judged == {1}


def test_a_score_means_what_the_settings_say_else_the_first_file() -> None:
    def outcomes(unit: str) -> list[dict[str, Any]]:
        return [{"path": f"{unit}.csv", "scores": {"a": {"unit": unit}, unit: {"unit": unit}}}]

    config = settings(
        outcomes=outcomes("x"),
        campaigns=[{"path": "c", "outcomes": outcomes("y")}],
        scores={"own": {"unit": "z"}},
    )
    units = {name: meaning.unit for name, meaning in config.all_scores.items()}
    assert units == {"a": "x", "x": "x", "y": "y", "own": "z"}
    assert config.paths_of_outcomes == ["x.csv", "y.csv"]
    assert settings(outcomes=outcomes("x"), scores={"a": {"unit": "z"}}).all_scores["a"].unit == "z"


def test_each_path_that_a_pattern_matches_is_a_campaign_and_the_last_are_kept(
    tmp_path: Path,
) -> None:
    for name in ("1.zip", "2.zip", "3.zip", "[x].zip"):
        (tmp_path / name).touch()

    def names(**values: Any) -> list[str]:
        path = f"{tmp_path}/{values.pop('path')}"
        config = settings(campaigns=[{"path": path, **values}])
        return [Path(campaign.path).name for campaign in config.each_campaign]

    assert names(path="[0-9].zip") == ["1.zip", "2.zip", "3.zip"]
    assert names(path="[0-9].zip", keep=2) == ["2.zip", "3.zip"]
    assert names(path="[0-9].zip", keep=4) == ["1.zip", "2.zip", "3.zip"]
    assert names(path="[x].zip") == ["[x].zip"]
    assert names(path="gone*.zip") == ["gone*.zip"]
    assert [c.path for c in settings(campaigns=["s3://b/*"]).each_campaign] == ["s3://b/*"]


@pytest.mark.parametrize(
    ("values", "follows", "with_previous"),
    [
        ({}, False, False),
        ({"campaigns": ["a"]}, True, False),
        ({"history": "h.jsonl"}, True, False),
        ({"baseline": "last.zip"}, False, False),
        ({"campaign": {"date": "2026-11-18"}}, False, False),
        ({"baseline": "last.zip", "campaign": {"date": "2026-11-18"}}, True, False),
        ({"baseline": "previous"}, False, True),
    ],
)
def test_several_campaigns_have_a_page(
    values: dict[str, Any], follows: bool, with_previous: bool
) -> None:
    assert settings(**values).follows is follows
    assert settings(**values).compares_with_previous is with_previous


def test_paths_are_those_of_runs_and_of_looks() -> None:
    config = settings(inputs=["a", "b"], campaigns=["c"], static="s", theme="t", pages=["p.md"])
    assert config.paths_of_runs == ["a", "b", "c"]
    assert config.paths_of_looks == ["s", "t", "p.md"]
    assert settings(theme="t", charts=["c.json"]).paths_of_looks == ["t", "c.json"]


def inputs_of(config: Config) -> list[tuple[Any, ...]]:
    return [(given.path, given.pattern, given.only, given.steps) for given in config.inputs]


def test_other_inputs_keep_what_the_settings_say_of_the_same_path() -> None:
    config = settings(
        inputs=[{"path": "a", "pattern": "{task}", "only": "judged"}, "b"],
        campaigns=[{"path": "c", "name": "Spring", "pattern": "{model}"}],
    )
    chosen = config.with_inputs(["a/", "c", "new"])
    assert inputs_of(chosen) == [
        ("a/", "{task}", "judged", None),
        ("c", "{model}", None, None),
        ("new", None, None, None),
    ]
    assert chosen.campaigns == ()
    assert chosen.campaign.name is None
    assert chosen.is_part
    assert not config.with_inputs(["a", "b"]).is_part
    assert not config.is_part
    assert not settings().with_inputs(["a"]).is_part


def test_of_a_path_that_is_named_twice_the_first_counts() -> None:
    config = settings(inputs=[{"path": "a", "pattern": "{task}"}, {"path": "a"}])
    assert inputs_of(config.with_inputs(["a"]))[0][1] == "{task}"


def test_one_campaign_alone_keeps_its_name_its_day_and_its_outcomes() -> None:
    config = settings(
        outcomes=["all.csv"],
        campaigns=[
            {"path": "a", "name": "Spring", "date": "2026-03-01", "outcomes": ["a.csv"]},
            {"path": "b"},
        ],
    )
    alone = config.with_inputs(["a"])
    assert (alone.campaign.name, alone.campaign.date) == ("Spring", "2026-03-01")
    assert alone.paths_of_outcomes == ["a.csv"]
    assert config.with_inputs(["b"]).paths_of_outcomes == ["all.csv"]
    both = config.with_inputs(["a", "b"])
    assert (both.campaign.name, both.paths_of_outcomes) == (None, ["all.csv"])
    assert config.with_inputs([]).inputs == ()


@pytest.mark.parametrize(
    ("path", "level"),
    [
        ("a", Level.NONE),
        ("a/below", Level.FULL),
        ("a/low", Level.NONE),
        (".", Level.NONE),
        ("/", Level.NONE),
        ("ab", None),
        ("plain", None),
        ("b", Level.TEXTS),
    ],
)
def test_a_path_has_the_lowest_level_of_inputs_in_it_or_above_it(
    path: str, level: Level | None
) -> None:
    config = settings(
        steps="texts",
        inputs=[
            {"path": "a", "steps": "full"},
            {"path": "a/low", "steps": "none"},
            "plain",
            "b",
            {"path": "b/full", "steps": "full"},
        ],
    )
    assert config.with_inputs([path]).inputs[0].steps == level


def test_days_bound_the_runs_that_count() -> None:
    assert settings().days == ("", "9999")
    assert settings().with_days(None, None).days == ("", "9999")
    config = settings().with_days("2026-11-18", "2026-11-18")
    assert config.days == ("2026-11-18", "2026-11-18")
    assert settings().with_days(None, "2026-11-18").days == ("", "2026-11-18")


@pytest.mark.parametrize("days", [0, 7, 9999])
def test_a_day_may_be_so_many_days_ago(days: int) -> None:
    earliest = datetime.now(UTC).date()
    first = settings().with_days(f"{days}d", None).days[0]
    possible = {(day - timedelta(days)).isoformat() for day in (earliest, datetime.now(UTC).date())}
    assert first in possible


@pytest.mark.parametrize(
    ("since", "until", "message"),
    [
        (
            "2026-11-19",
            "2026-11-18",
            "--since 2026-11-19 is after --until 2026-11-18, so no run is left.",
        ),
        (
            "May",
            None,
            "--since May: write a day as in 2026-11-18, or 7d for seven days ago.",
        ),
        (
            None,
            "10000d",
            "--until 10000d: write a day as in 2026-11-18, or 7d for seven days ago.",
        ),
        (
            "2026-02-30",
            None,
            "--since 2026-02-30: write a day as in 2026-11-18, or 7d for seven days ago.",
        ),
    ],
)
def test_days_that_mean_nothing_are_an_error(
    since: str | None, until: str | None, message: str
) -> None:
    with pytest.raises(ConfigError) as raised:
        settings().with_days(since, until)
    assert str(raised.value) == message


def test_a_campaign_is_named_by_options_before_the_settings() -> None:
    config = settings(campaign={"name": "Spring", "date": "2026-03-01"})

    def named(name: str | None, day: str | None) -> tuple[str | None, str | None]:
        campaign = config.with_campaign(name, day).campaign
        return campaign.name, campaign.date

    assert named(None, None) == ("Spring", "2026-03-01")
    assert named("Summer", None) == ("Summer", "2026-03-01")
    assert named(None, "2026-06-01") == ("Spring", "2026-06-01")
    assert named("Summer", "2026-06-01") == ("Summer", "2026-06-01")


@pytest.mark.parametrize(
    ("name", "day", "message"),
    [
        (None, "June", "--date June: write the day as in 2026-11-18."),
        ("\u200b", None, "--campaign \u200b: write a title that can be read."),
    ],
)
def test_a_campaign_without_a_name_or_a_day_that_can_be_read_is_an_error(
    name: str | None, day: str | None, message: str
) -> None:
    with pytest.raises(ConfigError) as raised:
        settings().with_campaign(name, day)
    assert str(raised.value) == message


def test_options_of_one_campaign_do_not_name_several() -> None:
    config = settings(campaigns=["a"])
    assert config.with_campaign(None, None) is config
    for name, day in (("a", None), (None, "2026-06-01")):
        with pytest.raises(ConfigError) as raised:
            config.with_campaign(name, day)
        assert str(raised.value) == (
            "--campaign and --date are about one campaign, and these settings have several."
        )


def test_no_input_exceeds_a_level() -> None:
    config = settings(
        steps="full",
        inputs=[{"path": "a", "steps": "full"}, {"path": "b", "steps": "none"}, "c"],
        campaigns=[{"path": "d", "steps": "texts"}],
    ).with_level(Level.OUTLINE)
    assert config.steps is Level.OUTLINE
    assert [given.steps for given in config.inputs] == [Level.OUTLINE, Level.NONE, None]
    assert [given.steps for given in config.campaigns] == [Level.OUTLINE]


def test_a_pack_holds_what_runs_are_and_nothing_of_what_to_do() -> None:
    config = settings(
        title="Title",
        inputs=["a"],
        outcomes=[{"path": "o.csv", "scores": {"s": {"unit": "x"}}}],
        verdicts={"hard": {"column": "hard", "pass": ["yes"]}},
        output="elsewhere",
    )
    packed = config.for_pack()
    assert packed == {
        "title": "Title",
        "scores": {"s": {"unit": "x"}},
        "verdicts": {"hard": {"column": "hard", "pass": ["yes"]}},
    }
    read = Config.of_pack("p.zip", {**packed, "output": "elsewhere", "inputs": ["a"]})
    assert (read.title, read.output, read.inputs) == ("Title", "site", ())
    assert read.is_of_pack
    assert not config.is_of_pack


@pytest.mark.parametrize("values", [{"title": 3}, {"title": {1, 2}}, {"attempts": 0}])
def test_damaged_settings_of_a_pack_are_an_error(values: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as raised:
        Config.of_pack("p.zip", values)
    assert str(raised.value) == (
        "p.zip: the settings in this pack are damaged, or of another version; "
        "pack its runs again, or name settings of your own with `-c`."
    )


def test_prices_of_the_settings_are_in_the_table() -> None:
    config = settings(prices={"own-model": {"input": 1, "output": 2}})
    assert config.price_table != settings().price_table


def test_the_schema_says_what_editors_need(refresh: bool) -> None:
    expected = ROOT / "tests" / "config" / "schema.expected.json"
    cases.compare(expected, schema(), refresh=refresh, expected=expected)
