"""The lines that a build and a check print, and the values that they hand to programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sitegen.build import Built
from sitegen.cli.command_output import (
    gates_missed,
    list_facts,
    of_build,
    of_report,
    of_scan,
    report_build,
    report_runs,
    say_findings,
    summed,
)
from sitegen.collect import Facts
from sitegen.config import Config
from sitegen.inputs.scan import Scan
from sitegen.model import (
    Entry,
    Level,
    Masked,
    ModelUsage,
    Outcome,
    Problem,
    Run,
    Source,
    Status,
    StepCounts,
    Tokens,
    Verdict,
    replace,
)
from sitegen.numbers.baseline import Coverage
from sitegen.numbers.gates import GateResult, GateVerdict
from sitegen.numbers.pricing import PriceTable
from sitegen.pages.findings import Finding, Severity
from sitegen.pages.overall import Report, analyse
from sitegen.pages.trends.trend_words import AlertLine
from sitegen.publish import Published

STEPS = StepCounts(1, 1, 0, (), 0, 0, 0, 0, None, None)


def entry(name: str, path: str = "", level: Level = Level.FULL, **of_run: Any) -> Entry:
    source = Source(path or f"{name}.json", "none", named=False, size=1, level=level)
    run = Run("aider chat", **{"status": Status.OK, **of_run})
    return Entry(f"{name}-1", source, 0, "", run, name)


def report_of(*entries: Entry, findings: tuple[Finding, ...] = (), **facts: Any) -> Report:
    prices = PriceTable.load()
    checks = {each.id: prices.check(each.run) for each in entries}
    report = analyse(Config(), Facts(entries, **facts), checks, {})
    return replace(report, findings=findings)


def built_of(
    report: Report,
    *,
    files: int = 3,
    size: int = 1_260_000,
    carried: tuple[str, ...] = (),
    left: tuple[str, ...] = (),
) -> Built:
    return Built(report, Published(files, size, carried, left), report.findings)


# What is found: each finding has a line, on the stream and in the colour of its weight.


@pytest.mark.parametrize(
    ("finding", "line"),
    [
        (
            Finding("skipped", "It is cut.", "a.json", own_code="E_CUT"),
            "err yellow: skip     a.json: It is cut. [E_CUT]",
        ),
        (
            Finding("merged", "The same run.", "b.json", own_code="W_SAME"),
            "err yellow: merge    b.json: The same run. [W_SAME]",
        ),
        (Finding("judges", "They disagree."), "out: judges: They disagree."),
        (
            Finding("notes", "Odd.", "c.json", own_code="W_ODD"),
            "err yellow: warn     c.json: Odd. [W_ODD]",
        ),
        (Finding("settings", "names: x is not used."), "err yellow: names: x is not used."),
        (Finding("alerts", "csv fails\nnow"), "err yellow: alert: csv fails now"),
    ],
)
def test_a_finding_is_said_by_its_weight(finding: Finding, line: str, said: list[str]) -> None:
    say_findings([finding], verbose=False)
    assert said == [line]


@pytest.mark.parametrize("group", ["gates", "incomplete", "masked"])
def test_gates_and_what_is_only_counted_have_no_line(group: str, said: list[str]) -> None:
    say_findings([Finding(group, "x")], verbose=True)
    assert said == []


def test_findings_of_one_cause_share_a_line_unless_all_are_asked_for(said: list[str]) -> None:
    five = [Finding("skipped", "Cut.", f"{n}.json", own_code="E_CUT") for n in range(5)]
    say_findings(five, verbose=False)
    assert said == ["err yellow: skip     5 files, such as 0.json: Cut. [E_CUT]"]
    said.clear()
    say_findings(five, verbose=True)
    assert said[0] == "err yellow: skip     0.json: Cut. [E_CUT]"
    assert len(said) == 5


@pytest.mark.parametrize(
    ("group", "last"),
    [
        ("settings", "err: ... and 1 more warnings; -v lists them all"),
        ("judges", "out: ... and 1 more runs that judges disagree on; -v lists them all"),
    ],
)
def test_twenty_lines_of_a_kind_are_shown_and_the_rest_counted(
    group: str, last: str, said: list[str]
) -> None:
    sentences = [Finding(group, f"Sentence {chr(97 + n) * 2}.") for n in range(21)]
    say_findings(sentences[:20], verbose=False)
    assert len(said) == 20
    said.clear()
    say_findings(sentences, verbose=False)
    assert len(said) == 21
    assert said[-1] == last
    said.clear()
    say_findings(sentences, verbose=True)
    assert said[-1].endswith("Sentence uu.")


# What a build says.


def test_a_build_says_what_was_read_written_and_kept(said: list[str], tmp_path: Path) -> None:
    report = report_of(
        entry("a", cost_usd=1.5),
        ignored_files=(("x.txt", "text"),),
        findings=(Finding("settings", "names: x is not used."),),
    )
    built = built_of(report, carried=("CNAME", "notes/"), left=(".site-old",))
    output = tmp_path / "site"
    report_build(built, Config(output=str(output)), verbose=False)
    assert said == [
        "err yellow: names: x is not used.",
        "out: 1 run, $1.50; 1 warning, 1 ignored",
        "out: kept: CNAME",
        "out: kept: notes/",
        "err yellow: left beside the output: .site-old",
        f"out: 3 files, 1.3 MB, in {output}",
        f"out: {(output / 'index.html').as_uri()}",
    ]


@pytest.mark.parametrize(
    ("name", "size_line", "address"),
    [
        ("site", "1 file, 0.3 MB, in ", "site/index.html"),
        ("a.HTML", "0.3 MB, in ", "a.HTML"),
        ("a.zip", "1 file, 0.3 MB, in ", "a.zip"),
    ],
)
def test_one_html_file_is_not_counted_and_is_its_own_address(
    name: str, size_line: str, address: str, said: list[str], tmp_path: Path
) -> None:
    output = tmp_path / name
    built = built_of(report_of(entry("a")), files=1, size=260_000)
    report_build(built, Config(output=str(output)), verbose=False)
    assert said[-2:] == [f"out: {size_line}{output}", f"out: {(tmp_path / address).as_uri()}"]


def test_twenty_kept_files_are_listed_and_all_on_request(said: list[str]) -> None:
    kept = tuple(f"notes/{number:02}.md" for number in range(22))
    built = built_of(report_of(entry("a")), carried=kept)
    report_build(built, Config(), verbose=False)
    assert said[1:22] == [
        *(f"out: kept: {path}" for path in kept[:20]),
        "out: ... and 2 more files kept; -v lists them all",
    ]
    said.clear()
    report_build(built, Config(), verbose=True)
    assert said[1:23] == [f"out: kept: {path}" for path in kept]


def test_a_build_again_says_only_what_is_new(said: list[str]) -> None:
    old = Finding("settings", "names: x is not used.")
    new = Finding("settings", "names: y is not used.")
    secret = Masked("a.json", "summary", "github token", 1)
    run = entry("a", steps=STEPS, level=Level.OUTLINE)
    first = built_of(report_of(run, findings=(old,), masked=(secret,)))
    second = built_of(report_of(run, findings=(old, new), masked=(secret,)))
    report_runs(first, verbose=False)
    assert said == [
        "err yellow: names: x is not used.",
        "err yellow: 1 secret masked; revoke it if it is real:",
        "err yellow:   a.json, summary: github token",
        "out: steps: outline (tools, targets, failures and the agent's texts are published);"
        " `--steps` or the settings choose another",
    ]
    said.clear()
    report_runs(second, verbose=False, before=first)
    assert said == ["err yellow: names: y is not used."]
    said.clear()
    changed = built_of(report_of(run, masked=(secret, replace(secret, path="b.json"))))
    report_runs(changed, verbose=False, before=first)
    assert said == [
        "err yellow: 2 secrets masked; revoke those that are real:",
        "err yellow:   a.json, summary: github token",
        "err yellow:   b.json, summary: github token",
    ]


@pytest.mark.parametrize(
    ("level", "sentence"),
    [
        (Level.NONE, "none (no steps of the agents are published)"),
        (Level.OUTLINE, "outline (tools, targets, failures and the agent's texts are published)"),
        (
            Level.TEXTS,
            "texts (prompts, thinking and the agent's texts are published, with tools and targets)",
        ),
        (Level.FULL, "full (prompts, steps, inputs and results are published, shortened)"),
    ],
)
def test_the_level_of_steps_is_said_where_a_run_has_steps(
    level: Level, sentence: str, said: list[str]
) -> None:
    report_runs(built_of(report_of(entry("a", level=level))), verbose=False)
    assert said == []
    stepped = entry("a", level=level, steps=STEPS)
    report_runs(built_of(report_of(stepped, entry("b", level=level))), verbose=False)
    assert said == [f"out: steps: {sentence}; `--steps` or the settings choose another"]


def test_several_levels_of_steps_are_counted(said: list[str]) -> None:
    runs = entry("a"), entry("b", level=Level.OUTLINE), entry("c")
    report_runs(built_of(report_of(*runs)), verbose=False)
    assert said == ["out: steps: full of 2 runs, outline of 1 run"]


@pytest.mark.parametrize(
    ("runs", "line"),
    [
        ([{}], "1 run; 0 problems, 0 ignored"),
        ([{"cost_usd": 1.5}, {"cost_usd": 2.0}], "2 runs, $3.50; 0 problems, 0 ignored"),
        ([{"cost_usd": 1.5}, {}], "2 runs, $1.50+; 0 problems, 0 ignored"),
        (
            [{"computed_cost_usd": 0.25}],
            "1 run, about $0.25 at list prices; 0 problems, 0 ignored",
        ),
        (
            [{"cost_usd": 1.5}, {"computed_cost_usd": 0.25}, {}],
            "3 runs, $1.50+ and about $0.25+ at list prices; 0 problems, 0 ignored",
        ),
    ],
)
def test_runs_and_costs_are_summed_on_one_line(runs: list[dict[str, Any]], line: str) -> None:
    entries = [entry(f"r{number}", **run) for number, run in enumerate(runs)]
    assert summed(built_of(report_of(*entries))) == line


def test_the_sum_counts_findings_and_ignored_files() -> None:
    found = Finding("settings", "x"), Finding("lost", "y", "a.json")
    ignored = tuple((f"{number}.txt", "text") for number in range(1_200))
    report = report_of(entry("a"), findings=found, ignored_files=ignored)
    assert summed(built_of(report)) == "1 run; 1 warning, 1 lost run, 1,200 ignored"


# What a check lists.


def test_a_check_lists_files_findings_and_what_is_ignored(said: list[str]) -> None:
    report = report_of(
        entry("a", cost_usd=1.5),
        entry("b", status=Status.FAILED, computed_cost_usd=0.25),
        entry("c", "many.jsonl", cost_usd=1.0),
        entry("d", "many.jsonl", status=Status.STOPPED),
        entry("e", "many.jsonl"),
        findings=(Finding("settings", "names: x is not used."),),
        ignored_files=(("x.pdf", "pdf"), ("y.bin", "odd")),
        masked=(Masked("a.json", "summary", "e-mail address", 2),),
    )
    list_facts(report, verbose=False)
    assert said == [
        "out: run      a.json  ok, $1.50, aider chat",
        "out: run      b.json  failed, about $0.25 at list prices, aider chat",
        "out: 3 runs   many.jsonl  2 ok, 1 stopped, aider chat",
        "err yellow: names: x is not used.",
        "out: ignored  1 PDF, x.pdf. Runs are JSON: add the files that the agent wrote.",
        "out: ignored  1 file of another kind, y.bin.",
        "out: masked: 2 × e-mail address; the problems page says where",
        "out: 5 runs; 1 warning, 2 ignored",
    ]
    said.clear()
    list_facts(report, verbose=True)
    assert said[2:5] == [
        "out: run      many.jsonl (c)  ok, $1.00, aider chat",
        "out: run      many.jsonl (d)  stopped, –, aider chat",
        "out: run      many.jsonl (e)  ok, –, aider chat",
    ]
    assert said[6:8] == [
        "out: ignored  x.pdf: PDF",
        "out: ignored  y.bin: file of another kind",
    ]


def test_twenty_files_are_listed(said: list[str]) -> None:
    list_facts(report_of(*(entry(f"r{number:02}") for number in range(21))), verbose=False)
    assert said[19:] == [
        "out: run      r19.json  ok, –, aider chat",
        "out: ... and 1 more files with runs; -v lists them all",
        "out: 21 runs; 0 problems, 0 ignored",
    ]


def test_names_of_strangers_stay_on_their_line(said: list[str]) -> None:
    steering = entry("a\nb", "x\ny.json"), entry("c", "x\ny.json")
    list_facts(report_of(*steering), verbose=True)
    assert said[0] == "out: run      x y.json (a b)  ok, –, aider chat"
    said.clear()
    list_facts(report_of(*steering, ignored_files=(("p\nq", ""),)), verbose=False)
    assert said[0].startswith("out: 2 runs   x y.json  2 ok")
    assert len(said) == 3


# Gates.


def gate(verdict: str, severity: Severity) -> Finding:
    evidence = (("verdict", verdict),)
    return Finding("gates", "it rose", "Total cost", own_severity=severity, evidence=evidence)


def test_a_gate_that_fails_the_build_gives_its_code_and_another_is_said(said: list[str]) -> None:
    failed = gate("failed", Severity.ERROR)
    undecided = gate("undecided", Severity.WARNING)
    assert gates_missed([Finding("settings", "x"), failed, undecided], 3) == 3
    assert said == [
        "err red: gate failed: Total cost, it rose",
        "err yellow: gate undecided: Total cost, it rose",
    ]
    assert gates_missed([undecided], 3) == 0
    assert gates_missed([], 3) == 0


# Masked values.


def secrets(count: int) -> tuple[Masked, ...]:
    return tuple(Masked(f"{n:02}.json", "summary", "github token", 1) for n in range(count))


def test_ten_secrets_are_listed_and_all_on_request(said: list[str]) -> None:
    list_facts(report_of(entry("a"), masked=secrets(10)), verbose=False)
    assert len(said) == 1 + 11 + 1
    assert said[-2] == "err yellow:   09.json, summary: github token"
    said.clear()
    list_facts(report_of(entry("a"), masked=secrets(12)), verbose=False)
    assert said[1] == "err yellow: 12 secrets masked; revoke those that are real:"
    assert said[-2] == "err yellow:   ... and 2 more places; -v lists them all"
    assert len(said) == 1 + 12 + 1
    said.clear()
    list_facts(report_of(entry("a"), masked=secrets(12)), verbose=True)
    assert said[-2] == "err yellow:   11.json, summary: github token"


# What programs get.


def test_a_scan_is_told_by_file_and_line() -> None:
    scan = Scan((("a:b.txt:12", "github token", 2),), 7, ("x is a link.",))
    assert of_scan(scan) == {
        "findings": [{"file": "a:b.txt", "line": 12, "kind": "github token", "count": 2}],
        "files": 7,
        "warnings": ["x is a link."],
    }


def test_a_report_is_told_with_all_that_was_read() -> None:
    run = entry(
        "a",
        cost_usd=1.5,
        wall_ms=2_000,
        turns=4,
        unknown=("odd",),
        ledger=(ModelUsage("m", Tokens(1, 2, 3, 4)),),
    )
    run = replace(
        run,
        campaign="june",
        task="csv",
        model="M",
        ledger_names=("M",),
        attempt=2,
        outcome=Outcome.PASS,
    )
    problem = Problem("b.json", "E_CUT", Verdict.SKIP, "It is cut.", "line 3")
    other = entry("c", computed_cost_usd=0.5, status=Status.FAILED)
    report = report_of(
        run,
        other,
        findings=(Finding("settings", "x"),),
        problems=(problem,),
        masked=(Masked("a.json", "patch", "github token", 2),),
        ignored_files=(("x.pdf", "pdf"), ("y.bin", "odd")),
        missing=(("csv", "M", 3),),
    )
    result = GateResult("runs", "Runs", "at least 3", "2", GateVerdict.FAILED, "Too few.")
    alert = AlertLine("cost", None, "M", "rose", "june", "july", "It rose.")
    report = replace(report, gates=(result,), alerts=(alert,), coverage=Coverage(1, 2))
    told = of_report(report, report.findings)
    total = {"known": 1, "unknown": 1}
    assert told == {
        "runs": [
            {
                "id": "a-1",
                "file": "a.json",
                "page": "runs/a-1.html",
                "campaign": "june",
                "task": "csv",
                "model": "M",
                "reader": "aider chat",
                "attempt": 2,
                "status": "ok",
                "outcome": "pass",
                "cost_usd": 1.5,
                "computed_cost_usd": None,
            },
            {
                "id": "c-1",
                "file": "c.json",
                "page": "runs/c-1.html",
                "campaign": None,
                "task": None,
                "model": None,
                "reader": "aider chat",
                "attempt": None,
                "status": "failed",
                "outcome": None,
                "cost_usd": None,
                "computed_cost_usd": 0.5,
            },
        ],
        "totals": {
            "runs": 2,
            "by_status": {"ok": 1, "failed": 1},
            "cost_usd": {"value": 1.5, **total},
            "computed_cost_usd": {"value": 0.5, "known": 1, "unknown": 0},
            "median_cost_usd": 1.5,
            "tokens": {"value": 10, **total},
            "wall_ms": {"value": 2_000, **total},
            "turns": {"value": 4, **total},
            "judged": 1,
            "passed": 1,
        },
        "findings": [
            {
                "code": "SETTINGS",
                "severity": "warning",
                "text": "x",
                "place": None,
                "count": 1,
                "group": "settings",
                "about": None,
                "page": None,
                "evidence": {},
            }
        ],
        "problems": [
            {
                "file": "b.json",
                "code": "E_CUT",
                "verdict": "skip",
                "reason": "It is cut.",
                "place": "line 3",
            }
        ],
        "masked": [{"file": "a.json", "place": "patch", "kind": "github token", "count": 2}],
        "ignored": ["x.pdf", "y.bin"],
        "ignored_kinds": [
            {"file": "x.pdf", "kind": "PDF"},
            {"file": "y.bin", "kind": "file of another kind"},
        ],
        "unknown": [
            "aider chat: 1 field or kind of record not known to this version of sitegen: "
            "odd (1 run)."
        ],
        "missing": [{"task": "csv", "configuration": "M", "attempt": 3}],
        "warnings": ["x"],
        "gates": [
            {
                "name": "runs",
                "limit": "at least 3",
                "figure": "2",
                "verdict": GateVerdict.FAILED,
                "why": "Too few.",
                "fails_build": True,
            }
        ],
        "alerts": [
            {
                "measure": "cost",
                "task": None,
                "model": "M",
                "verdict": "rose",
                "since": "june",
                "clear_since": "july",
                "text": "It rose.",
            }
        ],
        "baseline": {"compared": 1, "tasks": 2},
    }


def test_a_build_tells_what_it_published_besides() -> None:
    found = Finding("build", "y")
    built = built_of(report_of(entry("a")), carried=("CNAME",), left=(".old",))
    told = of_build(replace(built, findings=(found,)))
    assert told["baseline"] is None
    assert told["warnings"] == ["y"]
    assert {name: told[name] for name in ("files", "bytes", "kept", "left")} == {
        "files": 3,
        "bytes": 1_260_000,
        "kept": ["CNAME"],
        "left": [".old"],
    }
