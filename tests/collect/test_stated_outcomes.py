"""What tables state of runs, and which of their problems are shown."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest

from sitegen.collect.remarks import settle
from sitegen.collect.stated_outcomes import (
    add_derived_fields,
    add_problems,
    add_problems_of_part,
    add_task_table,
    find_missing_runs,
    find_reports,
    report_candidates,
    unreadable_runs,
)
from sitegen.config import Config
from sitegen.inputs import discover
from sitegen.inputs.survey import Facts, Naming
from sitegen.masking.redact import Redactor
from sitegen.model import Problem, Verdict
from tests.collect.facts import entry


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


def test_files_that_should_have_been_runs_are_unreadable() -> None:
    problems = (
        Problem("cut.json", "E_TRUNCATED", Verdict.SKIP, "It is cut."),
        problem("odd.json"),
    )
    ignored = (("a.png", "image"), ("droid.jsonl", "droid"), ("p.json", "lfs pointer"))
    assert unreadable_runs(Facts(problems=problems, ignored_files=ignored)) == {
        "cut.json",
        "droid.jsonl",
        "p.json",
    }


def test_rows_about_other_inputs_are_told_in_one_sentence() -> None:
    unmatched = [problem("o.csv", "W_OUTCOME_UNMATCHED", f"line {line}") for line in (1, 2)]
    facts = add_problems_of_part(Facts(part_remarks=("before",)), unmatched)
    assert facts.part_remarks == (
        "before",
        "2 lines of outcomes fit none of the files that are named here; the settings are about others too.",
    )
    assert facts.problems == ()


def test_a_table_of_tasks_is_added_where_the_settings_name_one(tmp_path: Path) -> None:
    facts = Facts((entry("1.json", task="b"), entry("2.json", task="c")))
    assert add_task_table(facts, Config(), Naming([]), Redactor()) is facts
    (tmp_path / "t.csv").write_text("task,size\nb,small\n,x\n")
    config = Config(task_table=str(tmp_path / "t.csv"))
    made = add_task_table(facts, config, Naming([]), Redactor())
    assert [dict(run.factors) for run in made.entries] == [{"size": "small"}, {}]
    assert made.planned == ("b",)
    assert [each.reason for each in made.problems] == [
        "It has no row for 1 task of the runs, such as c.",
        "It names no task: fill in the column task.",
    ]


def test_planned_runs_that_are_not_there_and_fields_of_runs_are_added() -> None:
    runs = (entry("1.json", task="a", attempt=1, model="m", patch_key="0a"),)
    facts = Facts(runs, planned=("b",))
    config = Config(attempts=1)
    assert find_missing_runs(facts, config).missing == (("b", "m", 1),)
    assert add_derived_fields(facts, config).entries[0].derived == (("patch", "0a"),)


def test_judgements_that_the_pages_saved_are_reports_too(tmp_path: Path) -> None:
    (tmp_path / "j.json").write_text("{}", encoding="utf-8")
    files = discover.discover([str(tmp_path)])
    facts = Facts(ignored_files=(("j.json", "judged"),))
    ((source, kind),) = find_reports(facts, files, Config(), Redactor())
    assert (source.path, kind) == ("j.json", "judged")


def test_reports_count_beside_the_outcomes_of_the_settings(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text("{}", encoding="utf-8")
    files = discover.discover([str(tmp_path)])
    facts = Facts(ignored_files=(("r.json", "swebench"),))
    config = Config.model_validate({"outcomes": ["o.csv"]})
    assert len(find_reports(facts, files, config, Redactor())) == 1


def test_only_archives_with_reports_are_looked_into(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr("r.json", "{}")
        packed.writestr("s.json", "{}")
    files = discover.discover([str(tmp_path)])
    (source,) = files.sources

    def candidates(*reports: str) -> list[str]:
        return [each.path for each in report_candidates(source, files, "a.zip", reports)]

    assert candidates("b.zip/r.json", "a.zip/r.json") == ["a.zip/r.json", "a.zip/s.json"]
    assert candidates("a.zipper/r.json", "b.zip/r.json") == ["a.zip"]
