"""Texts that come in pieces."""

from __future__ import annotations

import pytest

from sitegen.readers.common import text_pieces
from sitegen.readers.common.text_pieces import TextPieces
from sitegen.steps import StepKind

TEXT, THINKING = StepKind.TEXT, StepKind.THINKING


def test_pieces_become_one_text_at_the_time_of_the_last_one() -> None:
    pieces = TextPieces()
    pieces.add(TEXT, "a ", 1, may_be_whole=False)
    pieces.add(THINKING, "hm", 2, may_be_whole=False)
    pieces.add(TEXT, "b", 3, may_be_whole=False)
    assert pieces.take(TEXT) == ("a b", 3)
    assert pieces.take(TEXT) == ("", None)
    assert pieces.take(THINKING) == ("hm", 2)


def test_a_text_that_comes_again_as_a_whole_counts_once() -> None:
    for may_be_whole, text in ((True, "ab"), (False, "abab")):
        pieces = TextPieces()
        for piece in ("a", "b", "ab"):
            pieces.add(TEXT, piece, 1, may_be_whole=may_be_whole)
        assert pieces.take(TEXT) == (text, 1)
    pieces = TextPieces()
    pieces.add(TEXT, "ab", 1, may_be_whole=True)
    pieces.add(TEXT, "ba", 2, may_be_whole=True)
    assert pieces.take(TEXT) == ("abba", 2)


def test_pieces_beyond_the_limit_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_pieces, "MAX_CHARACTERS", 4)
    pieces = TextPieces()
    for piece, ms in (("abc", 1), ("de", 2), ("f", 3)):
        pieces.add(TEXT, piece, ms, may_be_whole=False)
    assert pieces.take(TEXT) == ("abcde", 2)
