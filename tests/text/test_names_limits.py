"""Names at the limits of their lengths, and hints."""

from __future__ import annotations

import pytest

from sitegen.text.names import (
    as_spelled,
    begins_with,
    called_key,
    did_you_mean,
    folder_of_campaign,
    heading_of,
    run_path,
    short_model,
    slug,
    without_extension,
)


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("Opus", ["opus", "Opus"], "Opus"),
        ("OPUS", ["opus", "Sonnet"], "opus"),
        ("OPUS", ["opus", "Opus"], None),
        ("Haiku", ["opus"], None),
    ],
)
def test_a_name_means_the_same_or_the_only_one_that_differs_in_case(
    name: str, known: list[str], meant: str | None
) -> None:
    assert as_spelled(name, known) == meant


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("sonet", ["Sonnet", "Opus", None, ""], "; did you mean 'Sonnet'?"),
        ("weather", ["Sonnet"], "."),
        ("SONNET", ["sonnet", "Sonnet"], "; did you mean 'Sonnet'?"),
        ("x", [], "."),
    ],
)
def test_a_hint_has_the_nearest_name(name: str, known: list[str | None], hint: str) -> None:
    assert did_you_mean(name, known) == hint


@pytest.mark.parametrize(
    ("text", "limit", "part"),
    [
        ("a" * 40, 40, "a" * 40),
        ("a" * 41, 40, "a" * 40),
        ("one two three", 9, "two-three"),
        ("one twelve", 9, "twelve"),
        ("abcdefgh xyz", 9, "defgh-xyz"),
        ("Éa/B_c", 40, "ea-b-c"),
        ("--", 40, "run"),
        ("a.b", 3, "a-b"),
    ],
)
def test_a_part_of_a_file_name_keeps_its_end(text: str, limit: int, part: str) -> None:
    assert slug(text, limit) == part


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/b.final.json", "a/b.final"),
        ("b.jsonl.gz", "b"),
        ("b.JSON", "b"),
        ("a/.json", "a/.json"),
        (".json", ".json"),
        ("b.yaml", "b.yaml"),
        ("b", "b"),
    ],
)
def test_extensions_of_run_files_are_left_out(path: str, name: str) -> None:
    assert without_extension(path) == name


def test_small_names() -> None:
    assert folder_of_campaign("Spring 2026") == "spring-2026"
    assert run_path("a-1") == "runs/a-1.html"
    assert short_model("Claude Opus 4.5") == "Opus 4.5"
    assert short_model("Claude Code, Opus") == "Claude Code, Opus"
    assert called_key("My_Tool") == called_key("mytool")
    assert called_key("mytool") != called_key("mytools")


WORDS = " ".join(["parser"] * 40)


@pytest.mark.parametrize(
    ("summary", "heading"),
    [
        ("# Parser rewritten", "Parser rewritten"),
        ("# Why the parser? *", None),
        ("# Why the parser?__", None),
        ("# 1. Parser", None),
        ("# Step 2: parser", None),
        ("# 1000. Parser", "1000. Parser"),
        ("# Summary\n## Parser rewritten:", "Parser rewritten"),
        ("```\n# Parser\n```\n# Lexer", "Lexer"),
        ("~~~\n# Parser\n```\n# Other\n~~~\n# Lexer", "Lexer"),
        ("Parser rewritten\n====", "Parser rewritten"),
        ("one\nParser rewritten\n====", None),
        ("- Parser\n---", None),
        ("# Parser #", "Parser"),
        ("#Parser", None),
        ("####### Parser", None),
        (f"# {'a' * 120}", "a" * 120),
        (f"# {'a' * 121}", "a" * 119 + "…"),
        (f"# {WORDS}", " ".join(["parser"] * 17) + "…"),
    ],
)
def test_a_heading_says_something(summary: str, heading: str | None) -> None:
    assert heading_of(summary) == heading


@pytest.mark.parametrize(
    ("summary", "text"),
    [
        ("# Parser\nOther", "Parser"),
        ("Perfect! The parser works.", "The parser works."),
        ("- a list\nThe parser works.", "The parser works."),
        ("```\n", None),
        ("1234\nThe parser", "The parser"),
        ("", None),
    ],
)
def test_an_account_begins_with_its_heading_or_its_first_line(
    summary: str, text: str | None
) -> None:
    assert begins_with(summary) == text
