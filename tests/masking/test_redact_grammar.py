"""Of secrets that a grammar makes anew hardly one is left, and hardly a look-alike is masked: see secret_grammar.py."""

from __future__ import annotations

import base64
import os

from sitegen.masking.redact import Redactor, number_masks
from tests.support.secret_grammar import cases, tally
from tests.support.secret_samples import ALNUM, Maker

REDACTOR = Redactor()
MAKER = Maker(21)
GITHUB = "gh" + "p_" + MAKER.of(ALNUM, 36)

FLOORS = {"shape": 0.99, "name": 0.98, "place": 0.98, "sentence": 0.98, "encoded": 0.98}


SEED = int(os.environ.get("SITEGEN_SEED", "11"))
COUNT = int(os.environ.get("SITEGEN_SAMPLES", "800"))
"""By night another seed and thousands."""


def test_hardly_a_secret_of_a_grammar_is_left_and_hardly_a_look_alike_masked() -> None:
    made, wrong, left = tally(cases(SEED, COUNT))
    secrets = sum(made["stage", stage] for stage in FLOORS)
    shown = [f"{case.stage}, {case.kind}, {case.context}" for case in left]
    assert sum(wrong["stage", stage] for stage in FLOORS) <= 0.01 * secrets, shown
    assert wrong["stage", "lookalike"] <= 0.01 * made["stage", "lookalike"], shown
    for stage, floor in FLOORS.items() if COUNT >= 5_000 else ():  # of few, one would be too many
        assert wrong["stage", stage] <= (1 - floor) * made["stage", stage], (stage, shown)


def test_base64_is_masked_only_if_it_holds_a_secret() -> None:
    def encoded(text: str) -> str:
        return base64.b64encode(text.encode()).decode()

    hidden = encoded(f"HOST=db\nTOKEN={GITHUB}\n")
    assert number_masks(REDACTOR(f"data: {hidden}")) == "data: [redacted: secret in base64 #1]"
    assert (
        number_masks(REDACTOR(f"data: {encoded(hidden)}")) == f"data: {encoded(hidden)}"
    )  # no deeper than one level
    for clean in (
        encoded("A text about harbours and lamps, of no use to anybody."),
        MAKER.base64(600),
    ):
        assert REDACTOR(f"data: {clean}") == f"data: {clean}"
