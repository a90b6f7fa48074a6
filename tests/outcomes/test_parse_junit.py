"""JUnit XML: what its tests come to, and what is refused."""

from __future__ import annotations

import pytest

from sitegen.errors import ReadError
from sitegen.outcomes.parse_files import parse_outcomes_file
from sitegen.outcomes.parse_junit import read_junit
from tests.outcomes.sources import origin

PASSED = '<testcase name="a"/>'
FAILED = '<testcase name="b"><failure message="no">boom</failure></testcase>'
BOTH = '<testcase name="b"><failure/><error/></testcase>'
BROKEN = '<testcase name="c"><error>setup</error></testcase>'
SKIPPED = '<testcase name="d"><skipped/></testcase>'
BOMB = '<!DOCTYPE x [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE x SYSTEM "file:///etc/passwd">'


def suite(*cases: str) -> bytes:
    return f"<?xml version='1.0'?><testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>".encode()


@pytest.mark.parametrize(
    ("cases", "outcome", "note"),
    [
        ([PASSED], "pass", "1 test passed"),
        ([PASSED, PASSED, SKIPPED], "pass", "2 tests passed"),
        ([PASSED, FAILED, SKIPPED], "fail", "1 of 2 tests failed"),
        ([BROKEN, FAILED, PASSED], "fail", "2 of 3 tests failed"),
        ([BOTH], "fail", "1 of 1 test failed"),
        (["<testcase><failure/><skipped/></testcase>"], "fail", "1 of 1 test failed"),
        (["<error/>", PASSED], "fail", "1 of 1 test failed"),
        (['<testcase result="failed"/>', PASSED], "fail", "1 of 2 tests failed"),
        (['<testcase status="notrun"/>', PASSED], "pass", "1 test passed"),
        (['<testcase status="run" result="completed"/>'], "pass", "1 test passed"),
        (
            ["<testcase><system-out>&lt;failure/&gt;</system-out></testcase>"],
            "pass",
            "1 test passed",
        ),
    ],
)
def test_a_failure_or_an_error_fails_the_run(cases: list[str], outcome: str, note: str) -> None:
    assert read_junit(suite(*cases)) == {"outcome": outcome, "note": note}


@pytest.mark.parametrize(
    ("data", "note"),
    [
        (
            '<testsuite tests="3" failures="2"><testcase/><testcase/><testcase/></testsuite>',
            "2 of 3 tests failed",
        ),
        (
            '<testsuites tests="2"><testsuite tests="2" errors="1"><testsuite tests="2" failures="1"><testcase/><testcase/></testsuite></testsuite></testsuites>',
            "1 of 2 tests failed",
        ),
        (
            '<testsuites tests="1" failures="1"><testsuite><testcase/></testsuite></testsuites>',
            "1 of 1 test failed",
        ),
        (
            '<testsuite><testsuite tests="2" failures="1"><testcase/><testcase/></testsuite></testsuite>',
            "1 of 2 tests failed",
        ),
        (
            '<testsuites><testsuite failures="1"><testcase/></testsuite><testsuite errors="1"><testcase/></testsuite></testsuites>',
            "2 of 2 tests failed",
        ),
        (
            '<testsuite tests="1" failures="1" errors="1"><testcase/></testsuite>',
            "its suites count 2 failures in 1 test",
        ),
        ('<testsuite tests="1"><testcase status="fail"/></testsuite>', "1 of 1 test failed"),
        ('<testsuite tests="" failures=" "><testcase/></testsuite>', "1 test passed"),
        ('<testsuite tests="2" disabled="1"><testcase/></testsuite>', "1 test passed"),
        ('<testsuite tests="3" skipped="1"><testcase/><testcase/></testsuite>', "2 tests passed"),
        (
            '<testsuite tests="3" skipped="1"><testcase/><testcase/><testcase><skipped/></testcase></testsuite>',
            "2 tests passed",
        ),
        (
            '<testsuites tests="3" failures="0"><testsuite tests="3" skipped="1"><testcase/><testcase/><testcase><skipped/></testcase></testsuite></testsuites>',
            "2 tests passed",
        ),
        (
            '<testsuites tests="3"><testsuite tests="3" skipped="1"><testcase/><testcase/></testsuite></testsuites>',
            "2 tests passed",
        ),
        (
            '<testsuite tests="2"><testcase/><testcase><skipped/></testcase></testsuite>',
            "1 test passed",
        ),
    ],
)
def test_counts_of_suites_that_say_more_than_their_elements_count(data: str, note: str) -> None:
    outcome = "pass" if note.endswith("passed") else "fail"
    assert read_junit(data.encode()) == {"outcome": outcome, "note": note}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (suite(), "none of its tests ran"),
        (suite(SKIPPED), "none of its tests ran"),
        (suite('<testcase status="notrun"/>'), "none of its tests ran"),
        (
            b'<testsuites><testsuite tests="1,000"><testcase/></testsuite></testsuites>',
            "`tests` of a suite is no count",
        ),
        (
            b'<testsuites><testsuite tests="9" failures="3"><testsuite><testcase/></testsuite></testsuite></testsuites>',
            "its suites count 9 tests and it lists 1",
        ),
        (
            b'<testsuite tests="10"><testcase/></testsuite>',
            "its suites count 10 tests and it lists 1, so it was cut",
        ),
        (
            b'<?xml version="1.0" encoding="Shift_JIS"?><testsuite><testcase/></testsuite>',
            "encoding",
        ),
        (b'<?xml version="1.0" encoding="nosuch"?><testsuite><testcase/></testsuite>', "encoding"),
        (
            b'<testsuite tests="4" skipped="1"><testcase/><testcase/></testsuite>',
            "count 4 tests and it lists 2",
        ),
        (
            b'<testsuite tests="3" skipped="1"><testcase/><testcase><skipped/></testcase></testsuite>',
            "count 3 tests and it lists 2",
        ),
        (b"<html><testcase/></html>", "outermost element"),
        (b"", "no element found"),
        (b"<testsuite><testcase>", "no element found"),
        (b"<testsuite><testcase name='&nbsp;'/></testsuite>", "undefined entity"),
        (BOMB.encode() + suite(PASSED)[21:], "document type"),
        (OUTSIDE.encode() + suite(PASSED)[21:], "document type"),
        (b"\x00\x01", "not well-formed"),
    ],
)
def test_other_xml_is_refused_and_no_entity_is_expanded(data: bytes, reason: str) -> None:
    with pytest.raises(ReadError, match=reason) as refused:
        read_junit(data)
    assert refused.value.code == "E_OUTCOMES"


def test_deep_nesting_is_read() -> None:
    deep = "<properties>" * 50_000 + "</properties>" * 50_000
    assert read_junit(suite(PASSED, deep))["outcome"] == "pass"


def test_it_is_about_the_run_beside_it_or_the_task_of_its_path() -> None:
    (row,), problems = parse_outcomes_file(suite(FAILED), origin("j.xml", runs=("run-1",)))
    assert (str(row.outcome), row.note, problems) == ("fail", "1 of 1 test failed", [])
    (row,), _ = parse_outcomes_file(suite(PASSED), origin("j.xml", defaults={"task": "pier"}))
    assert (row.task, str(row.outcome)) == ("pier", "pass")
    with pytest.raises(ReadError, match="add `beside: true`"):
        parse_outcomes_file(suite(PASSED), origin("j.xml"))


@pytest.mark.parametrize(
    ("counts", "note"),
    [
        ('tests="2" failures="1"', "1 of 2 tests failed"),
        ('tests=" 2 " errors=" 1 "', "1 of 2 tests failed"),
        ('tests="2" failures="1" errors="1"', "2 of 2 tests failed"),
        ('tests="2" failures=""', "2 tests passed"),
        ('tests="3" skipped="1"', "2 tests passed"),
    ],
)
def test_counts_of_a_suite_are_whole_numbers(counts: str, note: str) -> None:
    cases = "<testcase/><testcase/>" + "<testcase><skipped/></testcase>" * ("3" in counts)
    assert read_junit(f"<testsuite {counts}>{cases}</testsuite>".encode())["note"] == note


def test_the_place_of_a_fault_is_told() -> None:
    with pytest.raises(ReadError) as refused:
        read_junit(b"<testsuite>\n <testcase name='&nbsp;'/></testsuite>")
    assert refused.value.reason == (
        "it cannot be used as JUnit XML: undefined entity: line 2, column 1"
    )
