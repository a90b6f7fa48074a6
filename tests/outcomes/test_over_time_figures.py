"""Which campaigns are followed, in which order, and what is refused: with figures alone, without a site."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sitegen.config import Campaign as StatedCampaign
from sitegen.config import Config
from sitegen.errors import ConfigError
from sitegen.inputs.campaigns import past
from sitegen.inputs.campaigns.packs import Head
from sitegen.inputs.survey import Facts
from sitegen.masking.redact import Redactor
from sitegen.model import Level, Problem, Verdict
from sitegen.numbers.campaigns import BASELINE, RULES
from sitegen.outcomes import over_time as module
from sitegen.outcomes.over_time import (
    OverTime,
    baseline_of,
    campaign_of,
    count_campaign,
    find_campaigns,
    kept_sentence,
    name_baseline,
    over_time,
    refuse_same_names,
    this_campaign,
)
from tests.collect.facts import entry
from tests.conftest import ROOT
from tests.inputs.campaigns.test_past import FIRST, SECOND
from tests.inputs.campaigns.test_past_sites import RUN, site


def facts_of(*days: str | None, settings: dict[str, Any] | None = None) -> Facts:
    """Runs that began on these days; of a pack where it has settings."""
    runs = tuple(
        entry(f"{number}", started_at=day and f"{day}T10:00:00Z") for number, day in enumerate(days)
    )
    head = Head(1, "0.1", Level.FULL, settings, "d", rules=(("cost", 1),)) if settings else None
    return Facts(runs, pack=head)


@pytest.mark.parametrize(
    ("stated", "settings", "expected"),
    [
        ({"name": "a", "date": "2026-01-01"}, {}, ("a", "2026-01-01")),
        ({"name": "a"}, {}, ("a", "2026-03-05")),
        ({}, {}, ("2026-03-05", "2026-03-05")),
        ({}, {"campaign": {"name": "p", "date": "2026-02-02"}}, ("p", "2026-02-02")),
        ({"name": "a"}, {"campaign": {"name": "p"}}, ("a", "2026-03-05")),
        ({}, {"campaign": "odd"}, ("2026-03-05", "2026-03-05")),
    ],
)
def test_a_campaign_is_named_and_dated_by_settings_its_pack_or_its_last_run(
    stated: dict[str, str], settings: dict[str, Any], expected: tuple[str, str]
) -> None:
    facts = facts_of("2026-03-02", "2026-03-05", None, settings=settings)
    assert campaign_of(StatedCampaign(**stated), facts) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["spring", None])
def test_a_campaign_without_a_day_is_refused(name: str | None) -> None:
    with pytest.raises(ConfigError) as refused:
        campaign_of(StatedCampaign(name=name), facts_of(None))
    assert str(refused.value) == (
        f"{name or 'campaign'}: no run says when it began, so the day of this campaign is not known. "
        "Add `--date 2026-11-18`, or write `date: 2026-11-18` beside its name."
    )


def test_the_campaign_of_the_inputs_has_what_was_lost_and_its_rules() -> None:
    lost = Problem("9.json", "E_TRUNCATED", Verdict.SKIP, "It is cut.")
    facts = replace(facts_of("2026-03-02"), problems=(lost,))
    made = this_campaign("a", "2026-03-02", facts)
    assert (made.name, made.day, made.runs, made.unreadable) == ("a", "2026-03-02", 1, 1)
    assert made.rules == tuple(RULES.items())
    packed = this_campaign("a", "d", facts_of("2026-03-02", settings={"x": 1}))
    assert packed.rules == (("cost", 1),)


def test_one_of_several_campaigns_has_its_day_its_rules_and_what_was_lost_in_its_folder() -> None:
    lost = [
        Problem(path, "E_TRUNCATED", Verdict.SKIP, "It is cut.") for path in ("june/1", "may/1")
    ]
    facts = Facts(
        problems=tuple(lost), days=(("June", "2026-06-01"),), rules=(("June", (("cost", 1),)),)
    )
    made = count_campaign(facts, "June", [entry("1")])
    assert (made.day, made.runs, made.unreadable, made.rules) == (
        "2026-06-01",
        1,
        1,
        (("cost", 1),),
    )
    assert count_campaign(replace(facts, rules=()), "June", []).rules == tuple(RULES.items())


@pytest.mark.parametrize(
    ("name", "day", "expected"),
    [
        ("old", "2026-01-01", ("old", "2026-01-01")),
        ("new", "2026-01-01", (BASELINE, "2026-01-01")),
        ("a", "2026-03-01", ("a", "2026-03-01")),
        ("old", "2026-03-01", (BASELINE, "2026-03-01")),
        ("old", "", (BASELINE, "2026-03-01")),
        ("a", "", ("a", "2026-03-01")),
    ],
)
def test_a_baseline_keeps_its_name_where_that_tells_it_from_this_campaign(
    name: str, day: str, expected: tuple[str, str]
) -> None:
    named = name_baseline(replace(FIRST, name=name, day=day), "new", "2026-03-01")
    assert (named.name, named.day) == expected


def test_two_campaigns_of_one_name_are_refused() -> None:
    refuse_same_names([FIRST, SECOND])
    with pytest.raises(ConfigError) as refused:
        refuse_same_names([FIRST, SECOND, replace(SECOND, name="spring")])
    assert str(refused.value) == "campaigns: two are called spring; give each a `name` of its own."


def followed(settings: dict[str, Any], facts: Facts, before: Any = None) -> OverTime:
    found = over_time(Config.model_validate(settings), facts, before, Redactor())
    assert found is not None
    return found


def test_a_baseline_is_the_first_of_two_campaigns() -> None:
    settings = {"baseline": "x.zip", "campaign": {"name": "now", "date": "2026-04-01"}}
    found = followed(settings, facts_of("2026-04-01"), FIRST)
    assert [each.name for each in found.campaigns] == ["spring", "now"]
    assert (found.current, found.at, found.place) == ("now", 1, (2, 2))
    assert found.previous is not None and found.previous.name == "spring"
    assert (found.history, found.keep, found.dropped, found.with_runs) == (
        None,
        None,
        0,
        frozenset(),
    )
    assert kept_sentence(found) is None
    alone = followed(settings, facts_of("2026-04-01"))
    assert (alone.place, alone.previous) == ((1, 1), None)


def test_campaigns_whose_runs_are_read_are_in_the_order_of_their_days() -> None:
    runs = (entry("1", campaign="June"), entry("2", campaign="May"))
    facts = Facts(runs, days=(("June", "2026-06-01"), ("May", "2026-05-01")))
    found = followed({"campaigns": ["none"]}, facts)
    assert [each.name for each in found.campaigns] == ["May", "June"]
    assert found.with_runs == {"May", "June"}
    assert (found.current, found.at, found.place) == (None, 1, (2, 2))


def test_published_sites_are_campaigns_too(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    path = str(site(tmp_path / "s", RUN))
    stated = {"campaigns": [{"path": path, "name": "first", "date": "2026-01-01"}, "none"]}
    found = followed(stated, Facts((entry("1", campaign="May"),), days=(("May", "2026-05-01"),)))
    assert [(each.name, each.day) for each in found.campaigns] == [
        ("first", "2026-01-01"),
        ("May", "2026-05-01"),
    ]


@pytest.mark.parametrize(
    ("keep", "day", "shown", "place", "dropped", "sentence"),
    [
        (
            3,
            "2026-07-01",
            "spring summer now",
            (3, 3),
            0,
            "The newest 3 campaigns are kept; none has been dropped.",
        ),
        (
            2,
            "2026-07-01",
            "summer now",
            (3, 3),
            1,
            "The newest 2 campaigns are kept; 1 older one dropped.",
        ),
        (
            1,
            "2026-07-01",
            "now",
            (3, 3),
            2,
            "The newest campaign is kept; 2 older ones dropped.",
        ),
        (
            2,
            "2026-01-01",
            "now spring summer",
            (1, 3),
            1,
            "The newest 2 campaigns are kept; 1 older one dropped.",
        ),
    ],
)
def test_a_history_is_followed_and_this_campaign_always_shown(
    keep: int,
    day: str,
    shown: str,
    place: tuple[int, int],
    dropped: int,
    sentence: str,
    tmp_path: Path,
) -> None:
    (tmp_path / "h.jsonl").write_bytes(past.history([FIRST, SECOND], 9, 0)[0])
    history = {"path": str(tmp_path / "h.jsonl"), "keep": keep}
    settings = {"history": history, "campaign": {"name": "now", "date": day}}
    found = followed(settings, facts_of(day), FIRST)
    assert " ".join(each.name for each in found.campaigns) == shown
    assert (found.place, found.dropped, found.keep) == (place, dropped, keep)
    assert found.campaigns[found.at].name == "now"
    assert kept_sentence(found) == sentence
    assert found.history is not None and len(found.history.splitlines()) == 1 + keep


def test_a_build_knows_its_own_campaign_better_than_the_history(tmp_path: Path) -> None:
    (tmp_path / "h.jsonl").write_bytes(past.history([FIRST, SECOND], 9, 0)[0])
    history = {"path": str(tmp_path / "h.jsonl")}
    settings = {"history": history, "campaign": {"name": "summer", "date": "2026-06-01"}}
    found = followed(settings, facts_of("2026-06-01"))
    assert [(each.name, each.runs) for each in found.campaigns] == [("spring", 3), ("summer", 1)]


def test_the_baseline_may_be_the_campaign_before(tmp_path: Path) -> None:
    (tmp_path / "h.jsonl").write_bytes(past.history([FIRST], 9, 0)[0])
    settings = {
        "history": {"path": str(tmp_path / "h.jsonl")},
        "baseline": "previous",
        "campaign": {"name": "now", "date": "2026-04-01"},
    }
    config = Config.model_validate(settings)
    found, baseline = find_campaigns(config, facts_of("2026-04-01"), Redactor())
    assert found is not None and baseline is found.previous
    assert baseline is not None and baseline.name == "spring"
    nothing = find_campaigns(Config(), facts_of("2026-04-01"), Redactor())
    assert nothing == (None, None)


def refusal(baseline: object) -> str:
    with pytest.raises(ConfigError) as refused:
        baseline_of(Config.model_validate({"baseline": str(baseline)}), Redactor())
    return str(refused.value)


def test_what_is_no_baseline_is_refused(tmp_path: Path) -> None:
    assert refusal("previous") == (
        "baseline: previous: name the `history` or the `campaigns` that have it."
    )
    assert refusal(tmp_path / "gone.zip") == (
        f"{tmp_path}/gone.zip: there is no such file. `baseline` is a pack or a published site."
    )
    assert refusal(tmp_path) == (
        f"{tmp_path}: a baseline is a pack, the folder of a published site (unpacked), or its data/runs.json. "
        "This is none."
    )


def test_a_published_site_is_a_baseline(tmp_path: Path) -> None:
    path = site(tmp_path, RUN)
    found = baseline_of(Config.model_validate({"baseline": str(path)}), Redactor())
    assert found is not None and (found.name, found.runs) == ("2026-03-02", 1)
    data = json.loads((path / "data" / "runs.json").read_text())
    data["runs"][0]["started_at"] = None
    (path / "data" / "runs.json").write_text(json.dumps(data))
    undated = baseline_of(Config.model_validate({"baseline": str(path)}), Redactor())
    assert undated is not None and (undated.name, undated.day) == (BASELINE, "")


def packed(
    monkeypatch: pytest.MonkeyPatch, folder: Path, *days: str | None, faults: int = 0
) -> str:
    """The path of a pack whose runs began on these days."""
    problems = (
        Problem("1.json", "E_TRUNCATED", Verdict.SKIP, "It is cut."),
        Problem("1.json", "E_READ", Verdict.SKIP, "It is gone."),
        Problem("2.json", "W_X", Verdict.ACCEPT, "It is odd."),
    )
    head = Head(1, "0.1", Level.FULL, {}, "d", problems=problems, rules=(("cost", 1),))
    broken = tuple(Problem(f"c.zip/{n}", "E_PACK", Verdict.SKIP, "Forged.") for n in range(faults))
    pack = module.packs.Pack(head, facts_of(*days).entries, (), broken)
    monkeypatch.setattr(module.packs, "is_pack", lambda _: True)
    monkeypatch.setattr(module.packs, "read", lambda *_: pack)
    return str(folder / "c.zip")


def test_a_pack_is_a_baseline_with_what_it_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = packed(monkeypatch, tmp_path, "2026-03-02", faults=2)
    found = baseline_of(Config.model_validate({"baseline": path}), Redactor())
    assert found is not None
    assert (found.name, found.day, found.runs) == ("2026-03-02", "2026-03-02", 1)
    assert (found.unreadable, found.rules) == (3, (("cost", 1),))
    path = packed(monkeypatch, tmp_path, None)
    undated = baseline_of(Config.model_validate({"baseline": path}), Redactor())
    assert undated is not None
    assert (undated.name, undated.day, undated.unreadable) == (BASELINE, "", 1)


@pytest.mark.parametrize(("faults", "reason"), [(0, "this pack contains no runs."), (1, "Forged.")])
def test_a_pack_without_runs_is_no_baseline(
    faults: int, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = packed(monkeypatch, tmp_path, faults=faults)
    assert refusal(path) == f"{path}: {reason}"


def test_a_link_to_a_pack_is_followed(tmp_path: Path) -> None:
    (tmp_path / "last.zip").symlink_to(ROOT / "tests" / "fixtures" / "forms" / "pack-1.zip")
    settings = {"baseline": str(tmp_path / "last.zip")}
    found = baseline_of(Config.model_validate(settings), Redactor())
    assert found is not None and found.runs == 2


def test_the_campaign_before_may_be_one_of_several() -> None:
    settings = {"baseline": "previous", "campaigns": ["a", "b"]}
    assert baseline_of(Config.model_validate(settings), Redactor()) is None
    assert baseline_of(Config(), Redactor()) is None
