"""The page of several campaigns, and their feed: figures of campaigns in `cases/CASE.yaml`, and beside it all that the
page, the first page, the terminal and the feed say of them.

A campaign has a `day`, perhaps a `name`, and `tasks`: by task what one model came to, by default `m`. An entry of several
models is a list. `alike` repeats a campaign so many days in a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from sitegen.numbers.campaigns import Attempts, CampaignFigures
from sitegen.outcomes.over_time import OverTime
from sitegen.pages.trends import Followed, newest, trend_words, trends_page
from sitegen.pages.trends.feed import feed
from tests.conftest import ROOT
from tests.support import cases

CASES = cases.inputs(ROOT / "tests" / "pages" / "trends" / "cases")
SPREAD = (-0.1, -0.05, 0.0, 0.05, 0.1)
"""The deviations of the costs and scores of a task's runs from their mean, as shares of it; they repeat."""


def campaigns_of(stated: list[dict[str, Any]]) -> Iterator[CampaignFigures]:
    """Yield the campaigns of a case."""
    for facts in stated:
        first = date.fromisoformat(str(facts["day"]))
        for days in range(facts.get("alike", 1)):
            day = (first + timedelta(days)).isoformat()
            attempts = tuple(attempts_of(facts["tasks"]))
            runs = sum(each.runs for each in attempts)
            yield CampaignFigures(
                facts.get("name", day),
                day,
                facts.get("runs", runs),
                attempts,
                tuple(facts.get("agents", ())),
                tuple(facts.get("higher_is_better", {}).items()),
                rules=tuple(facts.get("rules", {}).items()),
            )


def attempts_of(tasks: Mapping[str, Any]) -> Iterator[Attempts]:
    """Yield what models came to in the tasks of a campaign."""
    for task, stated in tasks.items():
        for facts in stated if isinstance(stated, list) else [stated]:
            unknown = facts.keys() - FACTS
            assert not unknown, f"{', '.join(unknown)} is no fact"
            judged = facts.get("judged", 5)
            costs = spread(facts["cost"], judged) if "cost" in facts else ()
            scores = tuple(
                (name, spread(mean, judged)) for name, mean in facts.get("scores", {}).items()
            )
            yield Attempts(
                task,
                facts.get("model", "m"),
                facts.get("runs", judged),
                judged,
                facts.get("passed", judged),
                costs,
                scores,
                facts.get("prompt"),
                computed=facts.get("listed", 0),
            )


FACTS = {"model", "judged", "runs", "passed", "cost", "scores", "prompt", "listed"}


def spread(mean: float, count: int) -> tuple[float, ...]:
    """Return so many figures around a mean, from the least."""
    return tuple(sorted(mean * (1 + SPREAD[number % len(SPREAD)]) for number in range(count)))


def followed_of(case: Path) -> Followed:
    """Return the campaigns of a case as a site has them."""
    stated = yaml.safe_load(case.read_text(encoding="utf-8"))
    campaigns = tuple(campaigns_of(stated["campaigns"]))
    site = stated.get("site", {})
    count = len(campaigns)
    past = OverTime(
        campaigns,
        frozenset(site.get("with_runs", ())),
        site.get("current"),
        b"" if site.get("has_history") else None,
        site.get("keep"),
        site.get("dropped", 0),
        site.get("at", count - 1),
        tuple(site.get("place", (site.get("at", count - 1) + 1, count))),
        None,
    )
    return Followed.of(past, frozenset(site.get("tasks_here", ())), ())


@pytest.mark.parametrize("case", CASES, ids=cases.name_of)
def test_campaigns_come_to_a_page_and_a_feed(case: Path, refresh: bool) -> None:
    followed = followed_of(case)
    page = trends_page(followed)
    shown = {
        "page": page,
        "first page": newest(followed),
        "alerts": list(trend_words.alert_lines(followed.here)),
        "feed": feed("Nights & days", "https://example.org/x/", followed, "2 findings")
        .decode()
        .splitlines(),
    }
    cases.compare(case, shown, refresh=refresh)
