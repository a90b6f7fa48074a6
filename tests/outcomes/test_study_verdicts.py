"""Verdicts that need others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sitegen.config import Config
from sitegen.model import Outcome, Status
from sitegen.outcomes.study import Study
from tests.support.chart_runs import entry


def test_verdicts_that_all_need_each_other_are_each_judged_once() -> None:
    """A pack may have a hundred of them: without that, this would take longer than the world is old."""
    verdicts: dict[str, dict[str, object]] = {"v0": {"column": "tests", "unknown": "fail"}}
    for number in range(1, 100):
        needed = [f"v{other}" for other in range(number)]
        verdicts[f"v{number}"] = {"all": needed, "unknown": "fail"}
    study = Study(Config.model_validate({"verdicts": verdicts}), [])
    assert study.passed(entry(1), "v99") is None
    assert study.passed(replace(entry(1), stated=(("tests", "pass"),)), "v99") is True
    assert study.passed(replace(entry(1), stated=(("tests", "error"),)), "v99") is False


@pytest.mark.parametrize("rule_of_part", ["fail", "not judged"])
@pytest.mark.parametrize("rule", ["fail", "not judged"])
def test_a_lost_run_that_fails_by_the_rule_of_a_part_is_still_lost(
    rule: str, rule_of_part: str
) -> None:
    verdicts = {
        "tests": {"column": "tests", "unknown": rule_of_part},
        "solved": {"all": ["tests"], "unknown": rule, "main": True},
    }
    run = entry(1)
    lost = replace(run, outcome=None, run=replace(run.run, status=Status.STOPPED))
    failed = replace(lost, stated=(("tests", "fail"),))
    judged = Study(Config.model_validate({"verdicts": verdicts}), [lost, failed]).apply_verdicts()
    is_by_rule = "fail" in (rule, rule_of_part)
    assert [(each.outcome, each.is_failed_by_rule) for each in judged] == [
        (Outcome.FAIL if is_by_rule else None, is_by_rule),
        (Outcome.FAIL, False),
    ]
