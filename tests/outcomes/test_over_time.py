"""Several campaigns in one site, the history that a site carries, and the gate against an earlier campaign."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from sitegen import config, load_runs
from sitegen.cli.serve.eye import watched
from sitegen.errors import ConfigError
from sitegen.inputs.campaigns import past
from sitegen.inputs.survey import Facts
from sitegen.masking.redact import Redactor
from sitegen.numbers.campaigns import campaign as figures_of
from sitegen.numbers.gates import GateVerdict
from sitegen.outcomes.over_time import baseline_of, over_time
from sitegen.pages.trends.feed import FEED
from tests.support import campaigns
from tests.support.building import build
from tests.support.campaigns import result

TOKEN = "gh" + "p_" + "R7kQ2mZx9LbW4tYc8NvH3sJd6FgA1pEo5uTi"


def built(folder: Path, output: str, **settings: Any) -> build.Built:
    """The site of these settings, in a folder of this one."""
    stated = {"output": str(folder / output), **settings}
    return build(config.Config.model_validate(stated), Redactor(()), lambda _, items: items, print)


def runs(folder: Path, name: str, factor: float = 1.0) -> dict[str, Any]:
    """Runs of six tasks in a folder, as one of `campaigns`."""
    files: dict[str, Any] = {}
    for task in range(6):
        for attempt in (1, 2):
            number = 10 * task + attempt + 1
            cost = number * 0.01 * factor
            files[f"t{task}/{attempt}.json"] = result(number, total_cost_usd=cost)
    campaigns.write(folder / name, files)
    return {"path": str(folder / name), "pattern": "{task}/{attempt}.json"}


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of two campaigns, one of three, and one with a history."""
    folder = tmp_path_factory.mktemp("campaigns")
    given = [
        {**runs(folder, name, factor), "name": name, "date": day}
        for name, day, factor in (
            ("may", "2026-05-01", 1.0),
            ("june", "2026-06-01", 1.0),
            ("july", "2026-07-01", 2.0),
        )
    ]
    built(folder, "two", campaigns=given[:2])
    built(folder, "three", campaigns=given)
    inputs = [{key: given[2][key] for key in ("path", "pattern")}]
    for number, day in ((1, "2026-08-01"), (2, "2026-08-08"), (3, "2026-08-15")):
        built(
            folder,
            f"week{number}",
            inputs=inputs,
            campaign={"date": day},
            history={"path": str(folder / f"week{number - 1}" / past.HISTORY), "keep": 2},
        )
    return folder


def test_each_campaign_has_a_page_and_neighbours_are_compared(sites: Path) -> None:
    assert len(list((sites / "three/campaigns").glob("*.html"))) == 3
    page = (sites / "three/trends.html").read_text(encoding="utf-8")
    assert page.count('<a href="compare/') == 2
    assert "without an alert" in page
    index = (sites / "three/index.html").read_text(encoding="utf-8")
    assert 'href="trends.html"' in index
    said = "july costs 2.0"
    assert said in index


def test_a_further_campaign_changes_no_page_of_an_earlier_run(sites: Path) -> None:
    pages = list((sites / "two/runs").glob("*.html"))
    assert len(pages) == 24
    assert all(
        (sites / "three/runs" / page.name).read_bytes() == page.read_bytes() for page in pages
    )


def history(site: Path) -> list[dict[str, Any]]:
    """Its lines."""
    return [
        json.loads(line) for line in (site / past.HISTORY).read_text(encoding="utf-8").splitlines()
    ]


def test_a_history_has_a_line_a_campaign_and_says_what_it_dropped(sites: Path) -> None:
    head, *lines = history(sites / "week3")
    assert (head["sitegen_history"], head["dropped"]) == (past.HISTORY_SCHEMA, 1)
    assert [line["day"] for line in lines] == ["2026-08-08", "2026-08-15"]
    assert (
        "The newest 2 campaigns are kept; 1 older one dropped."
        in (sites / "week3/trends.html").read_text()
    )


def test_building_a_week_again_replaces_its_line(sites: Path) -> None:
    found, dropped = past.read_history(sites / "week3" / past.HISTORY, Redactor())
    data, again = past.history(found, 2, dropped)
    assert data == (sites / "week3" / past.HISTORY).read_bytes() and again == 1


@pytest.mark.parametrize(
    ("day", "shown"), [("01", ["01", "08", "15"]), ("08", ["08", "15"]), ("15", ["08", "15"])]
)
def test_a_week_built_again_is_shown_once_beside_those_that_are_kept(
    sites: Path, day: str, shown: list[str]
) -> None:
    history = {"path": str(sites / "week3" / past.HISTORY), "keep": 2}
    stated = config.Config.model_validate(
        {"campaign": {"date": f"2026-08-{day}"}, "history": history}
    )
    found = over_time(stated, Facts(()), None, Redactor())
    assert found is not None
    assert [each.day[-2:] for each in found.campaigns] == shown and found.campaigns[found.at].day[
        -2:
    ] == day


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"sitegen_history": 2, "version": "9.1"}', "in form 2"),
        ('{"sitegen_history": "x"}', "not a history"),
        ("[" * 100_000, "sitegen did not write it"),
        (
            '{"sitegen_history": 1}\n{"name": "a", "day": "2026-13-45", "runs": 1, "attempts": []}',
            "it contains a campaign",
        ),
        (
            '{"sitegen_history": 1}\n{"name": "a", "day": "2026-01-01", "runs": -1, "attempts": 3}',
            "it contains a campaign",
        ),
    ],
)
def test_a_history_that_is_newer_or_damaged_is_refused_in_a_sentence(
    tmp_path: Path, line: str, said: str
) -> None:
    file = tmp_path / "history.jsonl"
    file.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=said) as refused:
        past.read_history(file, Redactor())
    assert "\n" not in str(refused.value)


def test_a_history_is_masked(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    each = {"name": f"with {TOKEN}", "day": "2026-01-01", "runs": 0, "attempts": []}
    file.write_text('{"sitegen_history": 1}\n' + json.dumps(each) + "\n", encoding="utf-8")
    (found,), _ = past.read_history(file, Redactor())
    assert TOKEN not in found.name and "redacted" in found.name


def test_the_data_of_a_published_site_is_read(sites: Path) -> None:
    told = past.site_figures(sites / "week1", Redactor(), "x")
    entries = built(
        sites, "same", inputs=[{"path": str(sites / "july"), "pattern": "{task}/{attempt}.json"}]
    ).report.facts.entries
    known = figures_of("x", "", entries)
    assert told.attempts == known.attempts and told.runs == known.runs == 12


def test_a_lower_bound_is_not_a_cost_to_compare(sites: Path) -> None:
    usage = {
        "input_tokens": 1_000,
        "output_tokens": 1,
        "cache_read_input_tokens": 0,
        "cache_creation_input_tokens": 0,
    }
    said = {
        "id": "m",
        "model": campaigns.SONNET,
        "role": "assistant",
        "content": [],
        "usage": usage,
        "stop_reason": None,
    }
    lines = [
        {"type": "system", "subtype": "init", "session_id": "s"},
        {"type": "assistant", "message": said},
    ]
    campaigns.write(sites / "cut", {"t/1.jsonl": "\n".join(map(json.dumps, lines))})
    inputs = [{"path": str(sites / "cut"), "pattern": "{task}/{attempt}.jsonl"}]
    entries = built(sites, "cut-site", inputs=inputs).report.facts.entries
    assert entries[0].run.cost_bound == "lower"
    told = past.site_figures(sites / "cut-site", Redactor(), "x")
    assert [each.costs for each in figures_of("x", "", entries).attempts] == [()]
    assert [each.costs for each in told.attempts] == [()]


def test_newer_data_of_a_site_is_refused(tmp_path: Path) -> None:
    campaigns.write(tmp_path, {"data/runs.json": '{"schema": 2, "runs": []}'})
    with pytest.raises(ConfigError, match="form 2, and this one reads forms up to 1"):
        past.site_figures(tmp_path, Redactor(), "x")


def test_a_published_site_is_one_of_several_campaigns(sites: Path) -> None:
    given = [{"path": str(sites / "week1"), "name": "old", "date": "2026-01-01"}]
    given.append({**runs(sites, "july", 2.0), "name": "july", "date": "2026-07-01"})
    built(sites, "mixed", campaigns=given)
    page = (sites / "mixed/trends.html").read_text(encoding="utf-8")
    assert "Two campaigns since 1 Jan 2026" in page and ">old<" in page


def test_a_dearer_campaign_misses_its_gate(sites: Path) -> None:
    settings: dict[str, Any] = {
        "inputs": [{"path": str(sites / "july"), "pattern": "{task}/{attempt}.json"}],
        "gates": {"cost": {"increase": {"max": "20 %"}}},
    }
    built(
        sites, "may-site", inputs=[{"path": str(sites / "may"), "pattern": "{task}/{attempt}.json"}]
    )
    found = built(sites, "gate", baseline=str(sites / "may-site"), **settings)
    (gate,) = found.report.gates
    assert gate.verdict is GateVerdict.FAILED and gate.figure.startswith("+100 %")
    assert gate.why == f"It is {gate.figure}."
    (delta,) = found.report.deltas
    assert delta.tasks == 6


def test_a_site_of_known_address_has_a_feed(sites: Path, tmp_path: Path) -> None:
    counts = [(4, 4)] * 6 + [(4, 0)] * 3
    lines: list[dict[str, Any]] = [{"sitegen_history": 1, "version": "0", "dropped": 0}]
    for month, (judged, passed) in enumerate(counts, 1):
        task = {
            "task": "dock & <moor>",
            "model": "m",
            "runs": judged,
            "judged": judged,
            "passed": passed,
        }
        lines.append(
            {
                "name": f"c{month}\x1b",
                "day": f"2025-0{month}-01",
                "runs": judged,
                "attempts": [task],
            }
        )
    (tmp_path / "history.jsonl").write_text(
        "\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8"
    )
    settings: dict[str, Any] = {
        "inputs": [{"path": str(sites / "july"), "pattern": "{task}/{attempt}.json"}],
        "campaign": {"date": "2025-10-01"},
        "history": {"path": str(tmp_path / "history.jsonl")},
        "site_url": "https://example.org/r&d/",
    }
    built(tmp_path, "site", **settings)
    feed = ElementTree.parse(tmp_path / "site" / FEED).getroot()  # noqa: S314  our own file
    atom = "{http://www.w3.org/2005/Atom}"
    entries = [
        [each.findtext(atom + name) for name in ("title", "summary")]
        for each in feed.iter(f"{atom}entry")
    ]
    assert [
        "dock & <moor> newly fails",
        "m passed 0 of 4 runs since c7, and 24 of 24 runs before.",
    ] in entries
    assert len(entries) == 12  # ten campaigns, the task, and the success rate
    ids = [each.text for each in feed.iter(f"{atom}id")]
    assert len(set(ids)) == len(ids)
    assert not (sites / "week1" / FEED).exists()


def test_what_is_no_baseline_is_said(tmp_path: Path) -> None:
    stated = config.Config.model_validate({"baseline": str(tmp_path)})
    with pytest.raises(ConfigError, match="a baseline is a pack, the folder"):
        baseline_of(stated, Redactor())
    with pytest.raises(ConfigError, match="there is no such file"):
        baseline_of(
            config.Config.model_validate({"baseline": str(tmp_path / "gone.zip")}), Redactor()
        )


def test_runs_that_are_named_take_the_place_of_the_campaigns(sites: Path) -> None:
    may, june = (
        {"path": str(sites / name), "pattern": "{task}/*", "date": "2026-05-01"}
        for name in ("may", "june")
    )
    stated = config.Config.model_validate(
        {"campaigns": [{**may, "name": "May", "outcomes": ["may.csv"]}, june]}
    )
    one = stated.with_inputs([str(sites / "may")])
    assert (one.campaigns, one.campaign.name, one.outcomes[0].path) == ((), "May", "may.csv")
    assert [each.pattern for each in one.inputs] == ["{task}/*"]
    other = stated.with_inputs([str(sites / "july"), str(sites / "june")])
    assert (other.campaigns, other.campaign.name, other.outcomes) == ((), None, ())
    assert [each.pattern for each in other.inputs] == [None, "{task}/*"]


def test_all_that_campaigns_are_made_from_is_watched_and_read_in_notebooks(
    sites: Path, tmp_path: Path
) -> None:
    campaigns.write(tmp_path, {"may.csv": "task,outcome\nt0,pass\n"})
    may = {
        "path": str(sites / "may"),
        "pattern": "{task}/{attempt}.json",
        "outcomes": [str(tmp_path / "may.csv")],
    }
    stated = {"campaigns": [{**may, "date": "2026-05-01"}], "baseline": str(sites / "two")}
    found = watched(config.Config.model_validate(stated), ())
    assert found == [
        (str(sites / "may"), "runs"),
        (str(tmp_path / "may.csv"), "alone"),
        (str(sites / "two"), "runs"),
    ]
    settings = tmp_path / "config.yaml"
    settings.write_text(json.dumps(stated), encoding="utf-8")
    assert len(load_runs(config=settings)) == 12


def test_gates_against_nothing_are_an_error() -> None:
    with pytest.raises(ConfigError, match="name it, as in `baseline"):
        config.parse("gates: {cost: {increase: {max: 20 %}}}\n", "config.yaml")


def test_a_campaign_without_a_day_is_asked_for_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="write `date"):
        built(tmp_path, "site", campaigns=[runs(tmp_path, "x")])
