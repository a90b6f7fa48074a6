"""Quick first looks at a text."""

from __future__ import annotations

from sitegen.masking.automaton import automaton, fitting_lines


def test_an_expression_fits_anywhere_in_a_text() -> None:
    fits = automaton("b[0-9]")
    assert [fits(text) for text in ("ab1c", "b1", "ab", "")] == [True, True, False, False]


def test_lines_that_fit_are_told_by_where_they_begin_and_end() -> None:
    assert list(fitting_lines("x", "ax\nb\nx\n")) == [(0, 2), (5, 6)]
    assert list(fitting_lines("x", "ab\nc")) == []
    assert list(fitting_lines("x", "")) == []
    assert list(fitting_lines("^$", "")) == [(0, 0)]


def test_places_are_those_of_the_whole_text_however_long_it_is() -> None:
    text = "a" * 1000 + "\n" + "b" * 999 + "\nx1\n" + "c" * 2000 + "\nx22"
    assert list(fitting_lines("x", text)) == [(2001, 2003), (4005, 4008)]
    assert list(fitting_lines("[abc]", text)) == [(0, 1000), (1001, 2000), (2004, 4004)]
