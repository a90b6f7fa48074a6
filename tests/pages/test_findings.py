"""Findings as values: their groups, their lines, and how they are counted."""

from __future__ import annotations

import json

import pytest

from sitegen.pages import data
from sitegen.pages.findings import (
    GROUPS,
    Finding,
    Severity,
    counts_of,
    describe,
    in_groups,
    name_of,
    split_causes,
    warnings_of,
    word_of,
)


def cut(path: str, text: str, group: str = "skipped") -> Finding:
    return Finding(group, text, path, own_code="E_TRUNCATED")


def lines_of(findings: list[Finding]) -> list[list[Finding]]:
    return split_causes(findings, lambda finding: finding)


def test_few_of_one_cause_are_together_where_they_have_one_key() -> None:
    alike = [cut("a", "It is cut."), cut("b", "It is cut.")]
    differing = [cut("c", "It ends at 3."), cut("d", "It ends at 4.")]
    by_text = split_causes(alike + differing, lambda finding: finding.text)
    assert [len(same) for same in by_text] == [2, 1, 1]


def test_five_of_one_cause_are_one_line_and_four_are_four() -> None:
    five = [cut(f"{number}.json", f"It ends at byte {number}.") for number in range(5)]
    assert list(map(name_of, lines_of(five))) == ["5 files, such as 0.json"]
    names = ["0.json", "1.json", "2.json", "3.json"]
    assert list(map(name_of, lines_of(five[:4]))) == names


def test_several_runs_of_one_file_name_it() -> None:
    (line,) = lines_of([cut("a.json", f"Run {number} is cut.") for number in range(6)])
    assert name_of(line) == "6 runs of a.json"
    both = [cut(name, f"Run {number} is cut.") for number in range(3) for name in "ab"]
    assert name_of(lines_of(both)[0]) == "6 runs of 2 files, such as a"


def test_another_group_or_code_is_another_cause() -> None:
    skipped = [cut(f"{number}", "It is cut.") for number in range(5)]
    doubtful = [cut(f"{number}", "It is cut.", "doubtful") for number in range(5)]
    assert [len(same) for same in lines_of(skipped + doubtful)] == [5, 5]


@pytest.mark.parametrize(
    ("finding", "line"),
    [
        (cut("a.json", "It is cut."), "skip     a.json: It is cut. [E_TRUNCATED]"),
        (
            Finding(
                "outcomes", "No run.", "o.csv", place="line 4", evidence=(("verdict", "skip"),)
            ),
            "skip     o.csv, line 4: No run. []",
        ),
        (Finding("outcomes", "No run.", "o.csv", own_code="W_X"), "warn     o.csv: No run. [W_X]"),
        (Finding("lost", "Usage limit.", "a.json"), "lost     a.json: Usage limit. [RUN_LOST]"),
        (Finding("alerts", "csv newly fails"), "alert: csv newly fails"),
        (Finding("settings", "names: x is not used."), "names: x is not used."),
    ],
)
def test_a_line_has_a_word_a_file_and_a_code_where_there_are_any(
    finding: Finding, line: str
) -> None:
    assert word_of(finding) + describe([finding]) == line


def test_findings_are_counted_by_name_and_strict_counts_what_fails_a_build() -> None:
    findings = [
        cut("a", "x"),
        Finding("merged", "The same run.", "b"),
        Finding("lost", "Usage limit.", "c"),
        Finding("masked", "token", "d", count=3),
        Finding("settings", "x"),
        Finding("build", "y"),
        Finding("baseline", "z"),
    ]
    assert counts_of(findings) == ["2 problems", "1 lost run", "3 masked values", "2 warnings"]
    assert counts_of(findings, strict=True) == ["2 problems", "3 masked values", "2 warnings"]
    assert warnings_of(findings) == ("x", "y")
    assert [group.id for group, _ in in_groups(findings)][:3] == ["baseline", "settings", "build"]


def test_a_finding_has_the_weight_and_code_of_its_group_or_its_own() -> None:
    plain = Finding("lost", "Usage limit.", "a.json", "a-1")
    assert (plain.severity, plain.code) == (Severity.WARNING, "RUN_LOST")
    own = Finding("gates", "x", own_severity=Severity.WARNING, own_code="GATE_FAILED")
    assert (own.severity, own.code) == (Severity.WARNING, "GATE_FAILED")


def test_the_data_file_has_a_finding_a_line() -> None:
    finding = Finding("lost", "Usage limit.", "a.json", "a-1", evidence=(("status", "stopped"),))
    content = data.findings_json([finding, finding])
    assert content.count(b"\n") == 4
    assert json.loads(content)["findings"][0] == {
        "code": "RUN_LOST",
        "severity": "warning",
        "group": "lost",
        "text": "Usage limit.",
        "about": "a.json",
        "page": "runs/a-1.html",
        "place": None,
        "count": 1,
        "evidence": {"status": "stopped"},
    }


def test_each_group_is_complete() -> None:
    for group in GROUPS.values():
        assert group.severity in set(Severity), group.id
        assert group.strict in ("yes", "no") and group.read in ("yes", "no"), group.id
        assert bool(group.code) != group.is_problem, group.id
        assert not group.heading or group.note, group.id
