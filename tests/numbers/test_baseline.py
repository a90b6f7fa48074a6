"""A campaign against its baseline, by data: attempts, limits and terms in, changes and results with their sentences out:
`baseline_cases/CASE.yaml` and, beside it, `CASE.expected.json`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from sitegen.numbers.baseline import Coverage, Terms, _Worse, deltas, evaluate, incomparable
from sitegen.numbers.campaigns import Attempts, CampaignFigures
from tests.conftest import ROOT
from tests.support import cases

CASES = cases.inputs(ROOT / "tests" / "numbers" / "baseline_cases")


def attempts_of(stated: dict[str, Any]) -> list[Attempts]:
    """Return attempts as a case states them: `tasks` for `task` makes one for each."""
    tasks = stated.pop("tasks", None) or [stated.pop("task")]
    scores = tuple((name, tuple(values)) for name, values in stated.pop("scores", {}).items())
    costs = tuple(stated.pop("costs", ()))
    values = {"model": "a", "runs": 1, "judged": 0, "passed": 0, **stated}
    return [Attempts(task, **values, costs=costs, scores=scores) for task in tasks]


def campaign_of(name: str, stated: dict[str, Any]) -> CampaignFigures:
    """Return a campaign as a case states it."""
    attempts, strays = (
        tuple(one for some in stated.pop(key, []) for one in attempts_of(some))
        for key in ("attempts", "strays")
    )
    rules = tuple(stated.pop("rules", {"cost": 2, "score": 1, "success": 2}).items())
    runs = stated.pop("runs", sum(one.runs for one in attempts))
    return CampaignFigures(name, "2026-01-01", runs, attempts, strays=strays, rules=rules, **stated)


@pytest.mark.parametrize("case", CASES, ids=cases.name_of)
def test_a_campaign_is_held_against_its_baseline(case: Path, refresh: bool) -> None:
    content = yaml.safe_load(case.read_text(encoding="utf-8"))
    before, now = (campaign_of(name, content[name]) for name in ("baseline", "now"))
    terms = Terms(**content.get("terms", {}))
    coverage = Coverage.of(before, now, terms.left_out)
    told = {
        "coverage": [coverage.text, coverage.share],
        "incomparable": incomparable(before, now),
        "changes": [
            [delta, delta.label, delta.text, delta.levels, delta.change, delta.is_decided]
            for delta in deltas(before, now)
        ],
        "gates": [
            [result, result.fails_build]
            for name, limit in content.get("gates", [])
            for result in evaluate({name: limit}, before, now, terms)
        ],
    }
    cases.compare(case, told, refresh=refresh)


def test_without_terms_all_that_is_shared_is_enough() -> None:
    before = CampaignFigures("b", "2026-01-01", 1, (Attempts("t", "a", 1, 1, 1),))
    (result,) = evaluate({"success.decrease": 0}, before, before)
    assert (result.verdict, result.why) == ("passed", "")


@pytest.mark.parametrize(
    ("counts", "proven", "maybe"),
    [
        ([(5, 5, 0, 5)], 1, 0),  # the chance is 1/126
        ([(0, 5, 5, 5)], 0, 0),  # they pass now
        ([(5, 10, 0, 10)], 0, 0),  # half of them passed before
        ([(10, 10, 5, 10)], 0, 0),  # half of them pass now
        ([(2, 2, 0, 2)], 0, 1),  # the chance is 1/3, and all passed before
        ([(2, 3, 0, 3)], 0, 0),  # the chance is 2/5
        ([(6, 7, 1, 7)], 1, 0),  # the chance is 0.029
        ([(6, 7, 1, 7)] * 3, 0, 3),  # of three tasks, each
        ([(0, 0, 0, 5), (5, 5, 0, 0)], 0, 0),  # one side is not judged
    ],
    ids=str,
)
def test_tasks_that_mostly_passed_and_now_mostly_fail_are_worse(
    counts: list[tuple[int, int, int, int]], proven: int, maybe: int
) -> None:
    """Tasks are compared by Fisher's exact test, at a level of 0.05 for all tasks together, by Holm."""
    pairs = [
        (Attempts(f"t{n}", "a", 10, judged, passed), Attempts(f"t{n}", "a", 10, later, still))
        for n, (passed, judged, still, later) in enumerate(counts)
    ]
    worse = _Worse.of(pairs, {})
    assert (len(worse.proven), len(worse.maybe)) == (proven, maybe)
    assert worse.judged == sum(before > 0 < after for _, before, _, after in counts)


def test_a_task_of_which_an_alert_says_so_is_worse_once() -> None:
    pair = Attempts("t", "a", 2, 2, 2), Attempts("t", "a", 2, 2, 0)
    worse = _Worse.of([pair], {pair[1].key: "t (a)"})
    assert (list(worse.proven.values()), worse.maybe) == (["t (a)"], [])


def test_only_a_change_of_costs_is_about_list_prices() -> None:
    scores = (("speed", (2.0, 3.0)),)
    known = {"costs": (1.0, 2.0), "scores": scores}
    computed = Attempts("t", "a", 2, 2, 1, computed=2, **known)
    reported = Attempts("t", "a", 2, 2, 1, computed=0, **known)

    def signs(*attempts: Attempts) -> dict[str, str]:
        campaign = CampaignFigures("b", "2026-01-01", 2, attempts)
        return {delta.measure: delta.about for delta in deltas(campaign, campaign)}

    assert signs(computed) == {"cost": "≈ ", "success": "", "score.speed": ""}
    assert signs(reported) == {"cost": "", "success": "", "score.speed": ""}
