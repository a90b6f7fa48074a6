"""The parts of masking that are about places and not about secrets: lines, masks, names of fields, settings."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from sitegen.config import Redact
from sitegen.masking import redact
from sitegen.masking.redact import (
    NumberingRedactor,
    Redactor,
    clean_text,
    count_masks,
    in_one_line,
    mask,
    masked_in,
    number_masks,
    replaced,
    terminal,
)
from sitegen.model import Denial, Masked, Run, Status, Texts

SECRET = "ghp_" + "Zq3xW9vLk2Rt7BnM5cYp8Ds1234x5Ab9CdEf"
GITHUB = "github token"
"""The kind of such a secret."""


def shown(text: str, redactor: Redactor | None = None) -> str:
    """Return a text masked, with numbers."""
    return number_masks((redactor or Redactor())(text))


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        ("a b c", 5, "a b c"),
        ("a\n b\tc", 5, "a b c"),
        ("a b c", 4, "a b…"),
        ("abcdefgh", 4, "ab…"),
        ("ab cdefgh", 4, "ab…"),
        ("a bcdefgh", 6, "a b…"),  # a word that goes on beyond the half is cut
        ("", 4, ""),
    ],
)
def test_a_line_ends_at_a_word_if_that_leaves_half_of_it(
    text: str, most: int, expected: str
) -> None:
    assert in_one_line(text, most) == expected


def test_no_mask_is_cut() -> None:
    assert in_one_line("key [redacted: github token #1] is bad", 20) == "key…"
    assert in_one_line("key [redacted: github token #1] is bad", 36) == (
        "key [redacted: github token #1] is…"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain é 日本\ttab\n", "plain é 日本\ttab\n"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]0;title", "]0;title"),
        ("nul\x00", "nul\ufffd"),
        ("lone \ud800", "lone \ufffd"),
        ("bell\x07", "bell"),
        ("left\u202eright", "left[U+202E]right"),
        ("tag\U000e0041", "tag[U+E0041]"),
        ("family 👩\u200d👧", "family 👩\u200d👧"),
    ],
)
def test_what_a_terminal_or_a_page_obeys_is_removed_or_written_out(
    text: str, expected: str
) -> None:
    assert clean_text(text) == expected
    assert clean_text(expected) == expected


def test_a_text_for_a_terminal_is_one_line() -> None:
    assert terminal("  a\n\n b\t c ") == "a b c"


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([], "abcdef"),
        ([(0, 2, "X")], "Xcdef"),
        ([(4, 6, "X")], "abcdX"),
        ([(1, 3, "X"), (3, 4, "Y")], "aXYef"),
        ([(1, 4, "X"), (2, 6, "Y")], "aXef"),
    ],
)
def test_of_pieces_that_overlap_the_first_counts(
    pieces: list[tuple[int, int, str]], expected: str
) -> None:
    assert replaced("abcdef", pieces) == expected


def test_masks_are_numbered_by_kind_and_value() -> None:
    text = f"{mask(GITHUB, 'a')} {mask(GITHUB, 'b')} {mask('api key', 'a')} {mask(GITHUB, 'a')}"
    assert number_masks(text) == (
        "[redacted: github token #1] [redacted: github token #2] [redacted: api key #1] "
        "[redacted: github token #1]"
    )
    assert count_masks(text) == Counter({GITHUB: 3, "api key": 1})
    assert count_masks(None) == count_masks("") == count_masks("redacted: x") == Counter()


def test_numbers_of_several_texts_go_on() -> None:
    numbers: redact.Numbers = {}
    assert number_masks(mask(GITHUB, "a"), numbers) == "[redacted: github token #1]"
    assert number_masks(mask(GITHUB, "b"), numbers) == "[redacted: github token #2]"
    assert number_masks(mask(GITHUB, "a"), numbers) == "[redacted: github token #1]"
    numbering = NumberingRedactor()
    assert numbering(f"x {SECRET}") == "x [redacted: github token #1]"
    assert numbering(f"{SECRET} y") == "[redacted: github token #1] y"


def run(**texts: Any) -> Run:
    """Return the masked run with these texts."""
    return Redactor().run(Run("r", Status.OK, texts=Texts(**texts)))


@pytest.mark.parametrize(
    ("rows", "values"),
    [
        ([("env[0].name", "DEPLOY_PASSWORD"), ("env[0].value", "hunter2hunter2")], ["DEPLOY_PASSWORD", "*"]),
        ([("env[0].key", "DEPLOY_PASSWORD"), ("env[0].default", "hunter2hunter2")], ["DEPLOY_PASSWORD", "*"]),
        ([("env[0].name", "DEPLOY_COLOUR"), ("env[0].value", "hunter2hunter2")], ["DEPLOY_COLOUR", "hunter2hunter2"]),
        ([("env[0].name", "DEPLOY_PASSWORD"), ("env[1].value", "hunter2hunter2")], ["DEPLOY_PASSWORD", "hunter2hunter2"]),
        ([("auth.password", "hunter2hunter2")], ["*"]),
        ([("auth.passwords", "hunter2hunter2, correcthorse9")], ["*, *"]),
        ([("usage.count", "123456")], ["123456"]),
    ],
)  # fmt: skip
def test_a_value_is_masked_if_its_field_or_the_name_beside_it_says_so(
    rows: list[tuple[str, str]], values: list[str]
) -> None:
    found = [value for _, value in run(fields=tuple(rows)).texts.fields]
    assert [
        ", ".join("*" if "[redacted: " in part else part for part in value.split(", "))
        for value in found
    ] == values


def test_a_detail_and_what_was_denied_are_one_line() -> None:
    long = " ".join(["word"] * 200)
    made = Redactor().run(
        Run(
            "r",
            Status.FAILED,
            f"{SECRET}\n{long}",
            texts=Texts(denials=(Denial("Bash", long, "{}"),)),
        )
    )
    detail = made.status_detail or ""
    assert detail.startswith("[redacted: github token") and "\n" not in detail
    assert len(detail) == len(in_one_line(detail, redact._MAX_OF_LINE))
    assert made.texts.denials[0].wanted.endswith("…")


def test_a_place_that_is_masked_leads_nowhere() -> None:
    assert Redactor().run(Run("r", Status.OK, locator="run 0")).locator == "run 0"
    assert Redactor().run(Run("r", Status.OK, locator=f"run {SECRET}")).locator is None


@pytest.mark.parametrize(
    ("command", "answer", "is_masked"),
    [
        ("whoami", "annabel", True),
        ("ls", "annabel", False),
        ("echo 1", "annabel", False),
    ],
)
def test_a_command_may_say_that_its_answer_is_a_name(
    command: str, answer: str, is_masked: bool
) -> None:
    assert (Redactor().answer(command, answer) != answer) is is_masked


def settings(**given: Any) -> Redactor:
    """Return the redactor of these settings."""
    return Redactor.for_this_machine(Redact(**given))


def test_settings_add_texts_and_expressions_and_take_kinds_away() -> None:
    assert shown("the Bluebird plan", settings(literals=["Bluebird"])) == (
        "the [redacted: own literal #1] plan"
    )
    ticket = settings(patterns={"ticket": r"TICK-\d+"})
    assert shown("see TICK-12 and TICK-13, TICK-12", ticket) == (
        "see [redacted: ticket #1] and [redacted: ticket #2], [redacted: ticket #1]"
    )
    off = settings(off={GITHUB: "the demo shows one"})
    assert shown(SECRET, off) == SECRET
    assert shown(SECRET) == "[redacted: github token #1]"


def test_addresses_of_allowed_domains_are_shown() -> None:
    text = "ann@corp.bluebird.io bo@other.bluebird.io"
    found = shown(text, settings(allowed_domains=["corp.bluebird.io"]))
    assert "ann@corp.bluebird.io" in found and "bo@other" not in found
    assert "ann@corp" not in shown(text)


def test_it_is_counted_what_is_masked_where() -> None:
    found = masked_in(
        "a.json",
        {
            "texts": Texts(
                summary=mask(GITHUB, "a"), errors=(mask("api key", "b"), mask(GITHUB, "a"))
            ),
            "title": "plain",
            "steps": Counter({GITHUB: 5}),
        },
        "run-1",
    )
    assert list(found) == [
        Masked("a.json", "texts", "api key", 1, "run-1"),
        Masked("a.json", "texts", GITHUB, 2, "run-1"),
        Masked("a.json", "steps", GITHUB, 5, "run-1"),
    ]


def test_a_redactor_gives_back_a_value_that_has_nothing_to_mask() -> None:
    plain = Run("r", Status.OK, texts=Texts(summary="Done"))
    assert Redactor().each(plain) is plain
    assert Redactor().each(replace(plain, task=SECRET)).task != SECRET
