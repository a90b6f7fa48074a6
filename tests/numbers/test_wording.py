"""What is said of differences: a table of cases, and what holds for all of them."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence

import pytest

from sitegen import figures
from sitegen.numbers.comparison import Effect
from sitegen.numbers.intervals import Interval
from sitegen.numbers.statistics import AnyMeasure, Measure, ScoreMeasure
from sitegen.numbers.wording import (
    Claim,
    Sizes,
    cell,
    cut,
    in_letters,
    measure_name,
    p_value,
    say,
    signed,
)
from sitegen.numbers.wording import (
    tasks as tasks_text,
)
from sitegen.numbers.wording import (
    value as value_text,
)
from tests.conftest import commit

SPEEDUP = ScoreMeasure("speedup", "x", higher_is_better=True, is_ratio=True)
LATENCY = ScoreMeasure("latency", "s", higher_is_better=False)
STYLE = ScoreMeasure("style")
INF = math.inf


def claim(
    measure: AnyMeasure,
    corrected: Effect,
    told: tuple[float, float, float] | None = None,
    *,
    tasks: int = 5,
    a: str = "A",
    b: str = "B",
) -> Claim:
    """The estimate with both ends of its interval."""
    estimate, ends = (told[0], Interval(*told[1:])) if told else (None, None)
    is_ratio = not measure.is_difference
    return Claim(measure, a, b, tasks, estimate, ends, corrected, is_ratio=is_ratio)


FASTER = claim(SPEEDUP, Effect.HIGHER, (1.9, 1.2, 2.9))
CHEAPER = claim(Measure.COST, Effect.LOWER, (0.54, 0.34, 0.85))
DEARER = claim(Measure.COST, Effect.HIGHER, (1.4, 1.1, 1.8))
OFTEN = claim(Measure.SUCCESS, Effect.HIGHER, (0.27, 0.03, 0.51))
SELDOM = claim(Measure.SUCCESS, Effect.LOWER, (-0.27, -0.51, -0.03))
QUICK = claim(LATENCY, Effect.LOWER, (-3.2, -5.1, -1.4))
COST = claim(Measure.COST, Effect.UNDECIDED, (1.31, 0.69, 2.93))
SUCCESS = claim(Measure.SUCCESS, Effect.UNDECIDED, (-0.27, -0.66, 0.28))
SAME = claim(Measure.SUCCESS, Effect.LEVEL, (0.0, -0.4, 0.4))
FEW = claim(Measure.COST, Effect.TOO_FEW, tasks=4)

CASES: list[tuple[Sequence[Claim], str, str]] = [
    ([], "", ""),
    ([FEW], "", ""),
    ([FEW, claim(Measure.SUCCESS, Effect.TOO_FEW, tasks=1)], "", ""),
    (
        [COST, SUCCESS],
        "No clear difference between A and B in five tasks",
        "No clear difference in cost or success between A and B in five tasks",
    ),
    (
        [claim(Measure.COST, Effect.UNDECIDED, (1, 0.9, 1.1), tasks=15)],
        "No clear difference between A and B in 15 tasks",
        "No clear difference in cost between A and B in 15 tasks",
    ),
    (
        [FASTER, COST, SUCCESS],
        "B has a higher speedup than A; no clear difference in cost or success",
        "B has a speedup 1.9 times that of A on the same five tasks (1.2 to 2.9); no clear difference in cost or "
        "success",
    ),
    (
        [COST, FASTER],
        "B has a higher speedup than A; no clear difference in cost",
        "B has a speedup 1.9 times that of A on the same five tasks (1.2 to 2.9); no clear difference in cost",
    ),
    (
        [FASTER, CHEAPER, OFTEN],
        "B has a higher speedup than A, costs less and passes more often",
        "B has a speedup 1.9 times that of A on the same five tasks (1.2 to 2.9), costs 0.54 times as much (0.34 to "
        "0.85) and has a pass rate 27 points higher (+3 to +51)",
    ),
    (
        [CHEAPER, SELDOM],
        "B costs less than A but passes less often",
        "B costs 0.54 times as much as A on the same five tasks (0.34 to 0.85) but has a pass rate 27 points lower "
        "(−51 to −3)",
    ),
    (
        [QUICK, DEARER],
        "B has a lower latency than A but costs more",
        "B has a latency 3.2 s lower than A on the same five tasks (−5.1 to −1.4) but costs 1.40 times as much "
        "(1.10 to 1.80)",
    ),
    (
        [claim(STYLE, Effect.HIGHER, (0.1, 0.02, 0.18)), DEARER],
        "B has a higher style than A and costs more",
        "B scores 0.10 higher in style than A on the same five tasks (+0.02 to +0.18) and costs 1.40 times as much "
        "(1.10 to 1.80)",
    ),
    (
        [SAME, claim(Measure.COST, Effect.LEVEL, (1, 1, 1))],
        "A and B have equal success and cost on each of five tasks",
        "A and B have equal success and cost on each of five tasks",
    ),
    (
        [CHEAPER, SAME],
        "B costs less than A; equal success on each of five tasks",
        "B costs 0.54 times as much as A on the same five tasks (0.34 to 0.85); equal success on each of five tasks",
    ),
    (
        [COST, SAME],
        "No clear difference between A and B in five tasks; equal success on each of five tasks",
        "No clear difference in cost between A and B in five tasks; equal success on each of five tasks",
    ),
    (
        [CHEAPER, claim(Measure.SUCCESS, Effect.HIGHER, (0.4, 0.2, 0.6), tasks=12)],
        "B costs less than A and passes more often",
        "B costs 0.54 times as much as A (0.34 to 0.85, five tasks) and has a pass rate 40 points higher "
        "(+20 to +60, twelve tasks)",
    ),
    (
        [
            claim(Measure.WALL, Effect.HIGHER, (3, 1.5, INF)),
            claim(Measure.TOKENS, Effect.LOWER, (0.5, 0.4, 0.6)),
        ],
        "B takes more time than A but takes fewer tokens",
        "B takes 3.0 times as long as A on the same five tasks (1.5 or more) but takes 0.50 times as many tokens "
        "(0.40 to 0.60)",
    ),
    (
        [claim(Measure.COST, Effect.HIGHER, (1.08, 1.002, 1.3))],
        "B costs more than A",
        "B costs 1.080 times as much as A on the same five tasks (1.002 to 1.300)",
    ),
    (
        [claim(Measure.COST, Effect.HIGHER, (1.08, 1.00002, 1.3))],
        "B costs more than A",
        "B costs 1.080 times as much as A on the same five tasks (>1.000 to 1.300)",
    ),
    (
        [claim(Measure.COST, Effect.LOWER, (0.5, 0.4, 0.6), a="<b>x</b>", b="a|b")],
        "a|b costs less than <b>x</b>",
        "a|b costs 0.50 times as much as <b>x</b> on the same five tasks (0.40 to 0.60)",
    ),
]


@pytest.mark.parametrize(("claims", "title", "sentence"), CASES)
def test_titles_and_sentences_follow_from_the_claims(
    claims: Sequence[Claim], title: str, sentence: str
) -> None:
    assert say(claims) == title
    assert say(claims, Sizes.CLEAR) == sentence


def test_with_all_sizes_what_is_not_clear_has_its_interval_too() -> None:
    assert say([FASTER, COST, SUCCESS], Sizes.ALL) == (
        "B has a speedup 1.9 times that of A on the same five tasks (95% interval 1.2 to 2.9); "
        "no clear difference in cost (1.3×, 0.7 to 2.9) or success (−27 points, −66 to +28)"
    )


def test_one_point_is_singular() -> None:
    assert "has a pass rate 1 point higher" in say(
        [claim(Measure.SUCCESS, Effect.HIGHER, (0.01, 0.006, 0.6))], Sizes.CLEAR
    )
    narrow = claim(Measure.SUCCESS, Effect.HIGHER, (0.01, 0.006, 0.014))
    assert "has a pass rate 1.00 points higher" in say([narrow], Sizes.CLEAR)


@pytest.mark.parametrize(
    ("of", "text"),
    [
        (CHEAPER, "B costs less, 0.54×"),
        (SUCCESS, "−27 points, no clear difference"),
        (QUICK, "B has a lower latency, −3.2 s"),
        (SAME, "equal on every task"),
        (
            claim(Measure.COST, Effect.LEVEL, (0.995, 0.995, 0.995)),
            "equal on every task (within 1%)",
        ),
        (FEW, "four tasks, too few to compare"),
        (claim(Measure.COST, Effect.TOO_FEW, tasks=0), figures.UNKNOWN),
    ],
)
def test_a_cell_of_a_table_says_it_in_short(of: Claim, text: str) -> None:
    assert cell(of) == text


def test_every_clear_difference_is_named_in_any_order_and_nothing_else_is_claimed() -> None:
    chance = random.Random(commit())  # noqa: S311
    pool = [FASTER, CHEAPER, OFTEN, QUICK, COST, SUCCESS, SAME, FEW]
    for _ in range(200):
        claims = chance.sample(pool, chance.randint(1, len(pool)))
        for sizes in Sizes:
            text = say(claims, sizes)
            for verb, each in (("speedup", FASTER), ("latency", QUICK)):
                assert (verb in text) == (each in claims)
            assert ("costs" in text) == (CHEAPER in claims)
            assert ("pass" in text) == (OFTEN in claims)
            assert ("no clear difference" in text.lower()) == any(
                each in claims for each in (COST, SUCCESS)
            )


def test_turning_the_sides_turns_the_words_and_twice_is_as_before() -> None:
    assert say([CHEAPER.turned()]) == "A costs more than B"
    assert say([OFTEN.turned()]) == "A passes less often than B"
    assert say([CHEAPER.turned()], Sizes.CLEAR).startswith(
        "A costs 1.9 times as much as B on the same five tasks (1.2 to"
    )
    for each in (CHEAPER, OFTEN, QUICK, SUCCESS, SAME, FEW):
        again = each.turned().turned()
        assert say([again], Sizes.ALL) == say([each], Sizes.ALL)
    zero = claim(Measure.COST, Effect.LOWER, (0.5, 0.0, 0.9))
    assert say([zero.turned()], Sizes.CLEAR).endswith("(1.11 or more)")


def test_digits_follow_the_width_of_the_interval() -> None:
    chance = random.Random(commit())  # noqa: S311
    for _ in range(500):
        low = math.exp(chance.uniform(-4, 4))
        middle, high = (
            low * math.exp(chance.uniform(0.001, 1)),
            low * math.exp(chance.uniform(1, 2)),
        )
        written = claim(Measure.COST, Effect.UNDECIDED, (middle, low, high))
        for value in (low, middle, high):
            text = written.write(value)
            decimals = len(text.partition(".")[2])
            assert decimals == 0 or 10**-decimals <= (high - low) / 10 * 10
            assert abs(float(re.sub("[<>,]", "", text)) - value) <= (
                high - low
            ) / 10 or text.startswith("<")
            assert len(text.replace(".", "").lstrip("0")) <= 3 or decimals == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (p_value(0.0009), "p < 0.001"),
        (p_value(0.001), "p = 0.001"),
        (p_value(0.0123), "p = 0.012"),
        (in_letters(0), "no"),
        (in_letters(12), "twelve"),
        (in_letters(13), "13"),
        (tasks_text(1), "one task"),
        (tasks_text(2), "two tasks"),
        (tasks_text(1500), "1,500 tasks"),
        (cut("abcdef", 6), "abcdef"),
        (cut("abcdefg", 6), "ab…efg"),
        (value_text("success", 0.5), "50%"),
        (value_text("cost", 1.5), "$1.50"),
        (value_text("score.loss", 1234.5), "1.23e+03"),
        (value_text("score.loss", 0.12345), "0.123"),
        (signed(0.0, figures.money), "$0.00"),
        (signed(1.0, figures.money), "+$1.00"),
        (signed(-1.0, figures.money), "\u2212$1.00"),
        (signed(0.00000001, lambda _: "<1"), "<1"),
        (signed(None, lambda _: "?"), "?"),
        (measure_name(Measure.WALL), "wall time"),
        (measure_name(Measure.TOKENS), "tokens"),
        (measure_name(SPEEDUP), "speedup"),
        (measure_name(ScoreMeasure("x" * 41)), f"{'x' * 19}…{'x' * 20}"),
    ],
)
def test_small_figures_are_written_so(text: str, expected: str) -> None:
    assert text == expected


@pytest.mark.parametrize(
    ("of", "does", "by"),
    [
        (
            claim(Measure.COST, Effect.LOWER, (0.5, 0.25, 0.75)),
            "costs less",
            ("costs 0.50 times as much", "as"),
        ),
        (
            claim(Measure.TOKENS, Effect.HIGHER, (2.0, 1.5, 2.5)),
            "takes more tokens",
            ("takes 2.0 times as many tokens", "as"),
        ),
        (
            claim(Measure.WALL, Effect.LOWER, (0.5, 0.25, 0.75)),
            "takes less time",
            ("takes 0.50 times as long", "as"),
        ),
        (
            claim(Measure.SUCCESS, Effect.LOWER, (-0.2, -0.3, -0.1)),
            "passes less often",
            ("has a pass rate 20 points lower", "than"),
        ),
        (claim(Measure.COST, Effect.LOWER), "costs less", ("costs less", "than")),
        (
            claim(STYLE, Effect.HIGHER, (2.0, 1.0, 3.0)),
            "has a higher style",
            ("scores 2.0 higher in style", "than"),
        ),
        (
            claim(LATENCY, Effect.LOWER, (-2.0, -3.0, -1.0)),
            "has a lower latency",
            ("has a latency 2.0 s lower", "than"),
        ),
        (FASTER, "has a higher speedup", ("has a speedup 1.9 times", "that of")),
    ],
)
def test_a_claim_says_what_b_does(of: Claim, does: str, by: tuple[str, str]) -> None:
    assert of.does() == does
    assert of.does_by() == by


@pytest.mark.parametrize(
    ("of", "is_better"),
    [
        (claim(Measure.COST, Effect.LOWER), True),
        (claim(Measure.COST, Effect.HIGHER), False),
        (claim(Measure.SUCCESS, Effect.HIGHER), True),
        (claim(LATENCY, Effect.HIGHER), False),
        (claim(STYLE, Effect.HIGHER), None),
    ],
)
def test_a_claim_says_who_is_better_where_that_is_known(of: Claim, is_better: bool | None) -> None:
    assert of.is_better is is_better
