"""Why there is no run, in one sentence."""

from __future__ import annotations

import pytest

from sitegen.collect import why_empty
from sitegen.collect.empty import describe_ignored, describe_unreadable
from sitegen.inputs.survey import Facts
from sitegen.model import Problem, Verdict


def skipped(path: str, reason: str) -> Problem:
    return Problem(path, "E_TRUNCATED", Verdict.SKIP, reason)


ONE, TWO = skipped("a.json", "it was cut."), skipped("b.json", "it was cut.")
OTHER = skipped("c.json", "it is no JSON.")


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        (Facts(), "no runs found: there are no files in the inputs"),
        (Facts(remarks=("Nothing fits.",)), "no runs found: Nothing fits"),
        (Facts(problems=(ONE,)), "no runs found: a.json: it was cut."),
        (
            Facts(problems=(ONE, TWO)),
            "no runs found: 2 files could not be read (it was cut); `sitegen check -v` lists them",
        ),
        (
            Facts(problems=(ONE, TWO, OTHER)),
            "no runs found: 3 files could not be read (2 of them: it was cut); "
            "`sitegen check -v` lists them",
        ),
        (
            Facts(
                ignored_files=(("a.json", "json"),),
                remarks=("2 runs are left out: of others.", "Else."),
            ),
            "no runs found: 1 file was ignored: {}; 2 runs are left out: of others; "
            "`sitegen check -v` lists it",
        ),
        (
            Facts(problems=(ONE, TWO), ignored_files=(("a.json", "json"), ("b.json", "json"))),
            "no runs found: 2 files could not be read (it was cut) and 2 files were ignored: {}; "
            "`sitegen check -v` lists them",
        ),
    ],
)
def test_why_there_is_no_run(facts: Facts, sentence: str) -> None:
    said = why_empty(facts)
    beginning, _, end = sentence.partition("{}")
    assert said.startswith(beginning) and said.endswith(end)
    assert len(said) == len(sentence) if not end else "  " not in said


@pytest.mark.parametrize(
    ("kinds", "beginning"),
    [
        ([("a", "image")], "1 file was ignored: "),
        ([("a", "image"), ("b", "text")], "2 files were ignored: "),
    ],
)
def test_ignored_files_are_counted_with_their_kinds(
    kinds: list[tuple[str, str]], beginning: str
) -> None:
    said = describe_ignored(kinds)
    assert said.startswith(beginning) and not said.endswith(".")
    assert said.count("; ") == len(kinds) - 1


def test_only_remarks_about_runs_that_are_left_out_follow() -> None:
    remarks = ("2 runs are LEFT OUT: x.", "Else.", "1 run is left out: y.")
    said = why_empty(Facts(ignored_files=(("a", "image"),), remarks=remarks))
    assert said.endswith(
        "; 2 runs are LEFT OUT: x; 1 run is left out: y; `sitegen check -v` lists it"
    )
    alone = why_empty(Facts(remarks=("One.", "Two.")))
    assert alone == "no runs found: One. Two"


def test_the_stop_of_a_reason_goes_and_its_last_letter_stays() -> None:
    assert describe_unreadable([skipped("a", "it is no X."), skipped("b", "it is no X.")]) == (
        "2 files could not be read (it is no X)"
    )
    assert why_empty(Facts(remarks=("No X.",))) == "no runs found: No X"
    left_out = Facts(ignored_files=(("a", "image"),), remarks=("1 run is left out: X.",))
    assert why_empty(left_out).endswith("; 1 run is left out: X; `sitegen check -v` lists it")
