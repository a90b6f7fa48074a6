"""The names of configurations, written out: what is left out, what is said to be unknown, and what is numbered."""

from __future__ import annotations

import pytest

from sitegen.outcomes.configurations import (
    agrees_where_known,
    fits_others,
    is_gap,
    name_configurations,
    number_name,
)

FACTORS = ("agent", "model", "effort")


def named(*values: str, with_model: bool = False, factors: tuple[str, ...] = FACTORS) -> list[str]:
    """The names of configurations, each written as its values with slashes between them."""
    configurations = [tuple(each.split("/")) for each in values]
    return list(name_configurations(configurations, factors, with_model=with_model).values())


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (("codex/m/high",), ["m"]),
        (("codex/m/high", "codex/n/high"), ["m", "n"]),
        (("codex/m/high", "pi/m/high"), ["codex", "pi"]),
        (("codex/m/high", "pi/n/high"), ["codex · m", "pi · n"]),
        (("codex/m/high", "codex/m/low"), ["high", "low"]),
        (("codex/Claude A/high", "codex/Claude B/high"), ["A", "B"]),
        (("codex/Claude A/high", "codex/A/high"), ["Claude A", "A"]),
        (("codex/m/high", "codex/m/unknown"), ["high", "effort unknown"]),
        (("codex/m/high", "pi/m/unknown"), ["codex · high", "pi"]),
        (("codex/m/high", "codex/unknown/high"), ["m", "model unknown"]),
        (
            ("codex/m/high", "codex/unknown/low", "codex/unknown/high"),
            ["m · high", "low", "high, model unknown"],
        ),
    ],
)
def test_a_name_has_what_configurations_differ_in(
    values: tuple[str, ...], names: list[str]
) -> None:
    assert named(*values) == names


def test_efforts_of_files_are_named_with_their_model() -> None:
    assert named("codex/m/high", "codex/m/low", with_model=True) == ["m · high", "m · low"]


def test_an_effort_is_missed_only_where_nothing_else_differs() -> None:
    alike = [("codex", "m", "high"), ("codex", "m", "unknown")]
    other = [("codex", "m", "high"), ("pi", "m", "unknown")]
    assert is_gap(alike[1], 2, FACTORS, alike)
    assert not is_gap(other[1], 2, FACTORS, other)
    assert not is_gap(alike[0], 2, FACTORS, alike)
    assert is_gap(("codex", "unknown", "x"), 1, FACTORS, other)


def test_what_is_known_may_be_true_of_others() -> None:
    configurations = [("a", "m"), ("a", "unknown"), ("b", "n")]
    assert fits_others(("a", "unknown"), [0, 1], configurations)
    assert not fits_others(("a", "m"), [0, 1], configurations)
    assert agrees_where_known(("a", "unknown"), ("a", "m"))
    assert not agrees_where_known(("a", "unknown"), ("b", "m"))
    assert not agrees_where_known(("a", "m"), ("a", "unknown"))


@pytest.mark.parametrize(
    ("whole", "name", "taken", "names", "expected"),
    [
        ("a", "a", "", "a", "a"),
        ("a", "a", "a", "a", "a (2)"),
        ("a", "a", "a|a (2)", "a", "a (3)"),
        ("a", "b", "", "a|b", "a (2)"),
        ("a", "b", "", "a|a (2)|b", "a (3)"),
    ],
)
def test_a_name_that_is_taken_gets_a_number(
    whole: str, name: str, taken: str, names: str, expected: str
) -> None:
    others: dict[str, tuple[str, ...]] = {each: () for each in taken.split("|") if each}
    assert number_name(whole, name, others, set(names.split("|"))) == expected
