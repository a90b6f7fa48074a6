"""Caveats of a run: each once, and of very many no more than a page can show, but one of each code."""

from __future__ import annotations

from sitegen.readers.common.values import MAX_CAVEATS, Caveats


def codes(caveats: Caveats) -> list[str]:
    return [caveat.code for caveat in caveats.all()]


def test_a_caveat_is_told_once() -> None:
    caveats = Caveats()
    for text in ("a", "b", "a"):
        caveats.add("W_ONE", text)
    assert [caveat.text for caveat in caveats.all()] == ["a", "b"]


def test_beyond_the_limit_only_codes_that_are_new_are_told() -> None:
    caveats = Caveats()
    for number in range(MAX_CAVEATS):
        caveats.add("W_ONE", str(number))
    assert codes(caveats).count("W_ONE") == MAX_CAVEATS
    full = len(caveats.all())
    caveats.add("W_TWO", "another kind")
    assert "W_TWO" in codes(caveats)
    caveats.add("W_ONE", "one more")
    assert codes(caveats).count("W_ONE") == MAX_CAVEATS
    assert "one more" not in [caveat.text for caveat in caveats.all()]
    assert len(caveats.all()) > full
