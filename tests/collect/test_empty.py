"""Why there is no run, in one sentence."""

from __future__ import annotations

import pytest

from sitegen.collect import why_empty
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
