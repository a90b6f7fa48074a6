"""Names: of models, pages and runs, and the fields of paths."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.masking.redact import Redactor, number_masks
from sitegen.numbers.statistics import Dimension
from sitegen.pages.compare import pair_path
from sitegen.pages.views import group_path, model_class
from sitegen.text.names import (
    MAX_COMPARED,
    PathPattern,
    begins_with,
    did_you_mean,
    display_name,
    heading_of,
    natural_order,
    page_id,
    price_key,
    slug,
    spelled_out,
    stem,
)
from tests.support.clock import seconds_since

any_text = st.text(st.characters(codec=None, exclude_categories=()))


@pytest.mark.parametrize(
    ("model_id", "name"),
    [
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "Claude Sonnet 4.5"),
        ("global.anthropic.claude-opus-4-5-20251101-v1:0", "Claude Opus 4.5"),
        ("us-gov.anthropic.claude-3-haiku-20240307-v1:0", "Claude Haiku 3"),
        ("apac.anthropic.claude-sonnet-4-20250514-v1:0", "Claude Sonnet 4"),
        ("anthropic.claude-3-5-sonnet-20241022-v2:0", "Claude Sonnet 3.5"),
        (
            "arn:aws:bedrock:eu-west-1:000000000000:inference-profile/eu.anthropic.claude-opus-4-6-v1",
            "Claude Opus 4.6",
        ),
        ("claude-haiku-4-5-20251001", "Claude Haiku 4.5"),
        ("claude-sonnet-4-20250514", "Claude Sonnet 4"),
        ("claude-sonnet-4-5@20250929", "Claude Sonnet 4.5"),
        ("claude-3-5-sonnet-v2@20241022", "Claude Sonnet 3.5"),
        ("claude-3-5-sonnet-20241022", "Claude Sonnet 3.5"),
        ("claude-3-7-sonnet-latest", "Claude Sonnet 3.7"),
        ("claude-3-opus", "Claude Opus 3"),
        ("claude-opus-4-0", "Claude Opus 4"),
        ("claude-opus-5", "Claude Opus 5"),
        ("anthropic/claude-sonnet-4.5", "Claude Sonnet 4.5"),
        ("claude-opus-4-6[1m]", "Claude Opus 4.6 (1M)"),
        ("xiaomi/mimo-v2.5-pro[1m]", "xiaomi/mimo-v2.5-pro (1M)"),
        ("glm-5.1", "glm-5.1"),
        ("gpt-5.2-codex", "gpt-5.2-codex"),
        ("us.amazon.nova-pro-v1:0", "us.amazon.nova-pro-v1:0"),
        ("claude-opus-4-6-fast", "claude-opus-4-6-fast"),
        ("claude-2.1", "claude-2.1"),
        ("sonnet", "sonnet"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("claude-sonnet-4-5\n", "claude-sonnet-4-5\n"),
        ("claude-sonnet-٤-٥", "claude-sonnet-٤-٥"),
        (None, "model not stated"),
        ("", "model without a name"),
        (" \t", "model without a name"),
    ],
)
def test_a_model_is_shown_by_its_name_and_an_unknown_id_as_it_is(
    model_id: str | None, name: str
) -> None:
    assert display_name(model_id) == name


@pytest.mark.parametrize(
    "model_id",
    [
        "claude-sonnet-4-5",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "claude-sonnet-4-5[1m]",
        "claude-sonnet-4.5",
    ],
)
def test_one_model_has_one_price_whatever_its_cloud_date_and_context(model_id: str) -> None:
    assert price_key(model_id) == "claude-sonnet-4.5"


def test_a_variant_of_a_model_does_not_share_its_price() -> None:
    assert price_key("claude-sonnet-4-5-fast") != price_key("claude-sonnet-4-5")
    assert price_key("gpt-5.2-codex-mini") != price_key("gpt-5.2-codex")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Crème Brûlée, no. 2", "creme-brulee-no-2"),
        ("Straße", "strasse"),
        ("", "run"),
        ("日本語", "run"),
        ("--", "run"),
        (
            "campaign/a-very-long-name-of-a-task/claude-sonnet/attempt-03",
            "name-of-a-task-claude-sonnet-attempt-03",
        ),
        ("x" * 60 + "-3", "x" * 38 + "-3"),
    ],
)
def test_a_slug_is_plain_never_empty_and_keeps_the_end(text: str, expected: str) -> None:
    assert slug(text) == expected


@given(any_text)
def test_a_slug_is_fit_for_every_file_system(text: str) -> None:
    assert re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?", slug(text))


@given(any_text)
def test_a_page_id_is_a_slug_and_twelve_hex_digits(path: str) -> None:
    assert re.fullmatch(r"[a-z0-9-]{1,40}-[0-9a-f]{12}", page_id(path, path))


def test_page_ids_of_paths_that_look_alike_differ() -> None:
    paths = ["a/b.json", "a-b.json", "A/b.json", "a/b.txt", "a/b"]
    assert len({page_id(path, path) for path in paths}) == len(paths)
    assert {page_id(path, path).rpartition("-")[0] for path in paths} == {"a-b"}


def test_a_page_id_shows_nothing_of_a_path_that_is_not_shown() -> None:
    assert page_id("~/a.json", "/home/alice/a.json").startswith("a-")


def test_a_page_id_never_changes_for_a_path() -> None:
    assert page_id("demo/task-1/run.json", "demo/task-1/run.json") == "demo-task-1-run-cf2e35709515"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("logs/run-1.json", "run-1"),
        ("run.stream.jsonl", "run.stream"),
        ("run.json.log", "run"),
        ("glm-5.1", "glm-5.1"),
        ("glm-5.1.JSON", "glm-5.1"),
        (".json", ".json"),
        ("a/.log", ".log"),
        ("a.txt/b", "b"),
    ],
)
def test_a_stem_is_the_file_name_without_the_extensions_of_runs(path: str, expected: str) -> None:
    assert stem(path) == expected


@pytest.mark.parametrize(
    ("summary", "begins"),
    [
        ("Perfect! I've moved the loop.\n\n## Changes\n", "I've moved the loop."),
        ("## Summary\n\nThe **parser** is `lazy` now.", "The parser is lazy now."),
        ("# The lock is gone\n\nText", "The lock is gone"),
        ("- one\n- two\n", None),
        ("Done!", "Done!"),
        ("", None),
    ],
)
def test_an_account_begins_with_a_heading_or_its_first_words(
    summary: str, begins: str | None
) -> None:
    assert begins_with(summary) == begins


@pytest.mark.parametrize(
    "heading",
    [
        "Summary",
        "Done",
        "✅ Complete",
        "**DONE** ✓",
        "Task Complete!",
        "Changes made (6 total)",
        "Files modified: 12",
        "What was accomplished",
        "Here's what I changed",
        "Performance impact",
        "[Summary](https://example.org/parser)",
        "Résumé",
        "1. A faster parser",
        "Step 2: wire the cache",
        "Shall I also port the tests of the parser?",
        "🚀",
        "2026",
        "",
    ],
)
def test_a_heading_of_any_report_says_nothing(heading: str) -> None:
    assert (
        heading_of(f"# {heading}\n\ntext\n\n## The parser is lazy now\n")
        == "The parser is lazy now"
    )


@pytest.mark.parametrize(
    ("summary", "heading"),
    [
        ("# A faster parser", "A faster parser"),
        ("text\n\n### Wire up `Cache.get()` ##\n", "Wire up Cache.get()"),
        (
            "## **Bold** and *plain*, ~~old~~ and [a link](https://example.org/a_b)",
            "Bold and plain, old and a link",
        ),
        ("## snake_case stays, 2 * 3 too", "snake_case stays, 2 * 3 too"),
        (r"## 5 \* 3 \# files of parser", "5 * 3 # files of parser"),
        ("## Story 15.1: the parser", "Story 15.1: the parser"),
        ("## Parser:   two\tgaps :", "Parser: two gaps"),
        ("Lazy parser\n===========\n", "Lazy parser"),
        ("text\n\nLazy parser\n---\n", "Lazy parser"),
        ("# Summary\r\n\r\n## Lazy parser\r\n", "Lazy parser"),
        ("```\n# a comment\n```\n# Parser", "Parser"),
        ("~~~~\n# a comment\n~~~\n# still code\n~~~~\n# Parser", "Parser"),
        ("a paragraph\nof two lines about parsers\n---\n", None),
        ("- a list about parsers\n---\n", None),
        ("    # code about parsers", None),
        ("#parser", None),
        ("####### parser", None),
        ("> # a quoted parser", None),
        ("```\n# never closed", None),
        ("**A bold parser**", None),
        ("", None),
    ],
)
def test_the_heading_is_the_first_that_says_something_as_plain_text(
    summary: str, heading: str | None
) -> None:
    assert heading_of(summary) == heading


def test_a_long_heading_is_cut_between_words() -> None:
    found = heading_of("# " + "parser " * 100)
    assert found is not None
    assert len(found) <= 120
    assert found.endswith("parser…")


@given(st.text(st.sampled_from("#`~=-*_[]()!\\ \n\t\rab1é:")))
def test_any_text_has_a_short_heading_of_one_line_or_none(text: str) -> None:
    found = heading_of(text)
    assert found is None or (0 < len(found) <= 120 and found == " ".join(found.split()))


@given(any_text)
def test_no_text_is_too_odd_to_have_its_heading_read(text: str) -> None:
    heading_of(text)
    heading_of("# " + text)


@pytest.mark.parametrize(
    "unit",
    [
        "# a\n",
        "#",
        "# ",
        "```\n",
        "~",
        "-",
        "- ",
        "a\n=\n\n",
        "=\n",
        "\n",
        "\r",
        "[a](",
        "![](",
        "*a",
        "`a``",
        "_a ",
        "\\*",
    ],
)
@pytest.mark.parametrize("start", ["", "# x ", "# summary "])
@pytest.mark.timing
def test_the_heading_of_a_text_made_to_be_slow_is_found_fast(start: str, unit: str) -> None:
    text = start + unit * (100_000 // len(unit))
    best = min(_seconds(text) for _ in range(3))
    assert best < 0.05


def _seconds(text: str) -> float:
    before = time.process_time()
    heading_of(text)
    return seconds_since(before)


def test_the_seeds_have_no_heading_that_tells_them_apart(shared: Path) -> None:
    summaries = [
        json.loads(path.read_bytes())["result"]
        for path in sorted((shared / "runs/seeds").iterdir())
    ]
    assert [heading_of(summary) for summary in summaries] == [None, None, None]


@pytest.mark.parametrize(
    ("pattern", "path", "fields"),
    [
        (
            "{campaign}/{task}/{model}/{attempt}.json",
            "may/sort/opus/02.json",
            {"campaign": "may", "task": "sort", "model": "opus", "attempt": "02"},
        ),
        ("{task}-{attempt}.json", "fix-bug-2.json", {"task": "fix-bug", "attempt": "2"}),
        (
            "{task}/{model}__{attempt}.json",
            "a/b__c__1.json",
            {"task": "a", "model": "b__c", "attempt": "1"},
        ),
        ("./{task}.*", "sort.tar.gz", {"task": "sort.tar"}),
        ("**/{task}/run.json", "x/y/sort/run.json", {"task": "sort"}),
        ("**/{task}/run.json", "sort/run.json", {"task": "sort"}),
        ("{_}/{task}/{_}.json", "a/b/c.json", {"task": "b"}),
        ("*/{task}.json", "a/b.json", {"task": "b"}),
        ("{task}.json", "folder/sort.json", None),
        ("{task}.json", "sort_json", None),
        ("{task}/{attempt}.json", "sort/first.json", None),
        ("{task}/{attempt}.json", "sort/٣.json", None),
        ("{task}.json", "sort.json\n", None),
        ("{task}(1).json", "sort(1).json", {"task": "sort"}),
    ],
)
def test_a_pattern_names_the_parts_of_a_whole_path(
    pattern: str, path: str, fields: dict[str, str] | None
) -> None:
    assert PathPattern(pattern).match(path) == fields


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("{modle}.json", "did you mean {model}?"),
        ("{Xyz}.json", "write a small letter"),
        ("{task}/{task}.json", "is used twice"),
        ("{task.json", "has no partner"),
        ("task}.json", "has no partner"),
        ("{task}{model}.json", "where one ends is unknown"),
        ("{task}*", "where one ends is unknown"),
        ("**x/{task}.json", "where one ends is unknown"),
        ("{task}/**", "neither begins nor ends"),
        ("/{task}.json", "neither begins nor ends"),
        ("{task}/", "neither begins nor ends"),
        ("", "neither begins nor ends"),
        ("*.json", "names no field"),
        ("runs\\{task}.json", "write / between folders"),
    ],
)
def test_a_bad_pattern_is_an_error_that_says_what_to_do(pattern: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        PathPattern(pattern)


def test_paths_are_ordered_by_the_value_of_their_numbers() -> None:
    paths = ["a/10.json", "a/2.json", "b/1.json", "a/x.json", "a/2b.json", "a/02.json", "a"]
    assert sorted(paths, key=natural_order)[:3] == ["a", "a/02.json", "a/2.json"]
    assert sorted(["b", "A10", "a2", "B", "a"], key=natural_order) == ["a", "a2", "A10", "B", "b"]
    assert sorted(paths, key=natural_order)[3:] == [
        "a/2b.json",
        "a/10.json",
        "a/x.json",
        "b/1.json",
    ]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("claude-x", "claude-x"),
        (" two  words\u00a0", "two words"),
        ("claude\u200b-x", "claude[U+200B]-x"),
        ("claude-x\ufe0f", "claude-x[U+FE0F]"),
        ("cl\u0430ude", "cl[U+0430]ude"),
        ("\uff43laude", "[U+FF43]laude"),
        ("\U0001d41c", "[U+1D41C]"),
        ("Z\u0310\u0310\u0310\u0310", "Z\u0310\u0310\u0310[U+0310]"),
        ("e\u0301", "\u00e9"),
        ("модель 5", "модель 5"),
        ("日本語 claude", "日本語 claude"),
        ("Größe µs Δx", "Größe µs Δx"),
        ("m\u03bfdel", "m[U+03BF]del"),
        ("\u0441\u043e\u0440", "[U+0441][U+043E][U+0440]"),  # no letter shows that it is Russian
        ("рост \u043e с", "рост \u043e с"),
        ("cl\u0436ude \u0441\u043e\u0440", "cl[U+0436]ude [U+0441][U+043E][U+0440]"),
        (
            "\u0441\u04cf\u0430\u03c5\u0501\u0435",
            "[U+0441][U+04CF][U+0430][U+03C5][U+0501][U+0435]",
        ),
        ("\u0261pt", "[U+0261]pt"),
        ("\u1d04\u029f", "[U+1D04][U+029F]"),
        ("\u216d", "[U+216D]"),
        ("\u2c9fpus", "[U+2C9F]pus"),
        ("claude\u2011x", "claude[U+2011]x"),
        ("claude\u2024ai", "claude[U+2024]ai"),
        ("gpt4\u043e \u0436", "gpt4[U+043E] \u0436"),
        ("gpt_\u043e-\u0436\u0443\u043a", "gpt_[U+043E]-\u0436\u0443\u043a"),
        ("a \u2013 b", "a \u2013 b"),
        ("👩\u200d💻 ❤\ufe0f", "👩\u200d💻 ❤\ufe0f"),
        ("می\u200cخواهم", "می\u200cخواهم"),
    ],
)
def test_names_that_look_alike_are_told_apart(name: str, shown: str) -> None:
    assert spelled_out(name) == shown
    assert spelled_out(shown) == shown


@pytest.mark.parametrize("kind", ["nvapi", "glrt", "sk proj", "xoxb 123456789012 123456789012"])
@pytest.mark.parametrize("sign", [" ", "/", ".", "_"])
def test_the_name_of_a_page_never_looks_like_a_key(kind: str, sign: str) -> None:
    redactor = Redactor()
    body = "ijo0hlcj0xv6bkwm9i80y7pm"
    name = number_masks(redactor(f"{kind.replace(' ', sign)}{sign}{body}"))
    for path in (
        group_path("model", name),
        pair_path(Dimension.MODEL, name, "b"),
        model_class(name),
    ):
        assert redactor.find(path) == []
    assert redactor.find(page_id("nvapi.p03w2x1e3tlevhnthicm3ije", "x")), "which the rules know"
    assert group_path("model", "gpt-5.1").startswith("models/gpt-5-1-")


def test_the_nearest_name_is_named_whatever_its_case_and_none_of_very_many() -> None:
    assert did_you_mean("aproach", ["Approach", "agent", None]) == "; did you mean 'Approach'?"
    assert did_you_mean("speed", ["Approach"]) == "."
    assert did_you_mean("task 1", map("task {}".format, range(MAX_COMPARED + 1))) == "."
