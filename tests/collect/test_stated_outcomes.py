"""What tables state of runs, and which of their problems are shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.collect.remarks import settle
from sitegen.collect.stated_outcomes import add_problems, add_problems_of_part, find_reports
from sitegen.config import Config
from sitegen.inputs import discover
from sitegen.inputs.survey import Facts
from sitegen.masking.redact import Redactor
from sitegen.model import Problem, Verdict


def problem(path: str, code: str = "W_NOISE", place: str | None = None) -> Problem:
    return Problem(path, code, Verdict.ACCEPT, "A reason.", place)


def test_problems_are_in_the_order_of_their_files_and_lines() -> None:
    facts = Facts(problems=(problem("10.csv"),))
    facts = add_problems(
        facts, [problem("2.csv", place="line 10"), problem("2.csv", place="line 9")]
    )
    assert [(each.path, each.line) for each in facts.problems] == [
        ("2.csv", 9),
        ("2.csv", 10),
        ("10.csv", 0),
    ]


@pytest.mark.parametrize(("rows", "said"), [(1, "1 line of"), (3, "3 lines of"), (0, "")])
def test_rows_about_other_inputs_are_one_remark(rows: int, said: str) -> None:
    unmatched = [problem("o.csv", "W_OUTCOME_UNMATCHED", f"line {line}") for line in range(rows)]
    facts = add_problems_of_part(Facts(), [problem("o.csv", "W_OUTCOME_TWICE"), *unmatched])
    assert [each.code for each in facts.problems] == ["W_OUTCOME_TWICE"]
    assert "".join(facts.part_remarks).startswith(said) and len(facts.part_remarks) == bool(rows)


def test_of_a_part_of_the_inputs_remarks_about_settings_are_not_shown() -> None:
    facts = Facts(remarks=("a",), settings_remarks=("unused",), part_remarks=("part",))
    assert settle(facts, is_part=False).remarks == ("a", "unused")
    assert settle(facts, is_part=True).remarks == ("a", "part")


@pytest.mark.parametrize(("settings", "expected"), [({}, ["r.json"]), ({"outcomes": []}, [])])
def test_reports_count_unless_the_settings_want_none(
    tmp_path: Path, settings: dict[str, list[str]], expected: list[str]
) -> None:
    for name in ("r.json", "other.json"):
        (tmp_path / name).write_text("{}", encoding="utf-8")
    files = discover.discover([str(tmp_path)])
    facts = Facts(ignored_files=(("other.json", ""), ("r.json", "swebench")))
    reports = find_reports(facts, files, Config(**settings), Redactor())
    assert [source.path for source, _ in reports] == expected
