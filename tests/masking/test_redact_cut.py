"""What is cut, by a reader or by the agent, shows no part of a secret: nobody knows half a token for one."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from sitegen.masking.redact import Redactor, number_masks
from sitegen.readers.claude import texts as claude_texts
from sitegen.readers.common import fields, sizes
from sitegen.readers.common.values import beginning
from tests.readers.test_readers import read
from tests.support.campaigns import result
from tests.support.secret_grammar import private_key
from tests.support.secret_samples import ALNUM, BASE64URL, Maker

REDACTOR = Redactor()
MAKER = Maker(45)


def shown_of(**record: Any) -> str:
    """All that a page gets to show of a run."""
    texts = REDACTOR.run(sizes.bounded(read(result(**record)))).texts
    parts = [
        *texts.errors,
        *(f"{d.wanted}\n{d.input_json}" for d in texts.denials),
        texts.structured_output or "",
    ]
    return number_masks("\n".join([*parts, *(f"{path} {value}" for path, value in texts.fields)]))


def left_of(secret: str, text: str) -> int:
    """The length of the longest part of a secret from its beginning that can be read."""
    return max(length for length in range(len(secret) + 1) if secret[:length] in text)


CUTS = {
    "command": (
        300,
        lambda text: {
            "permission_denials": [{"tool_name": "Bash", "tool_input": {"command": text}}]
        },
    ),
    "input": (
        claude_texts.MAX_INPUT,
        lambda text: {
            "permission_denials": [{"tool_name": "Write", "tool_input": {"content": text}}]
        },
    ),
    "field": (fields.MAX_VALUE, lambda text: {"extra": text}),
    "list": (fields.MAX_VALUE, lambda text: {"extra": [text, "b"]}),
    "error": (sizes.MAX_ERROR, lambda text: {"errors": [text]}),
    "structured": (claude_texts.MAX_STRUCTURED, lambda text: {"structured_output": {"a": text}}),
}


@pytest.mark.parametrize("place", CUTS)
def test_no_reader_cuts_a_secret_in_two(place: str) -> None:
    limit, record = CUTS[place]
    for missing in (1, 8, 30):
        token = "gh" + "p_" + MAKER.of(ALNUM, 36)
        for before, filler in ((" ", "word "), (',"t":"', 'ab,"c":')):
            head = (filler * (limit // 4))[: limit - 1 - len(token) + missing - len(before)]
            text = f"{head}{before}{token} and more" + " words" * 20
            shown = shown_of(**record(text))
            assert left_of(token, shown) <= 4, shown[-300:]
            assert head[:100] in shown.replace('\\"', '"')


@pytest.mark.parametrize("place", CUTS)
def test_no_reader_shows_a_part_of_a_private_key(place: str) -> None:
    limit, record = CUTS[place]
    for seed in range(6):
        key = private_key(Maker(seed))
        for hidden in (20, 100, 240):
            shown = shown_of(**record("a " * ((limit - hidden) // 2) + key + key))
            assert not any(
                line[:40] in shown for line in key.split("\n") if "-" not in line and len(line) > 40
            )


def test_the_field_of_a_long_key_shows_nothing_of_it() -> None:
    key = "-----BEGIN PRIVATE " + "KEY-----\n" + "\n".join(MAKER.of(ALNUM, 64) for _ in range(50))
    shown = shown_of(private_key=key, deep={"private_key": key})
    assert not any(line[:20] in shown for line in key.split("\n")[1:])


@pytest.mark.parametrize(
    ("text", "limit", "kept"),
    [
        ("one two", 7, "one two"),
        ("one two", 6, "one "),
        ("one two", 3, "one"),
        ("one two", 4, "one "),
        ("onetwo", 4, "onet"),
        ('{"a":"bcd"}', 8, '{"a":"'),
        ("x" * 500 + " y", 450, "x" * 450),
        ("a " + "x" * 500, 480, "a " + "x" * 478),
    ],
)
def test_a_text_is_cut_between_words(text: str, limit: int, kept: str) -> None:
    assert beginning(text, limit) == kept


CUT_TOKENS = {
    "github": ("gh" + "p_", ALNUM, 36),
    "google": ("AI" + "za", BASE64URL, 35),
    "npm": ("np" + "m_", ALNUM, 36),
    "hugging face": ("h" + "f_", ALNUM, 34),
    "digitalocean": ("do" + "p_v1_", "0123456789abcdef", 64),
    "docker": ("dck" + "r_pat_", BASE64URL, 27),
    "gitlab": ("glp" + "tt-", "0123456789abcdef", 40),
    "shopify": ("shp" + "at_", "0123456789abcdef", 32),
    "bcrypt": ("$2" + "b$12$", ALNUM, 53),
    "crypt": ("$" + "6$Qx7vTn2kLw$", ALNUM, 86),
    "anthropic": ("sk-" + "ant-api03-", BASE64URL, 93),
    "aws": ("AK" + "IA", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16),
}


@pytest.mark.parametrize("end", ["\u2026", "...", "", "\u2026 (64 characters)", '..."'], ids=repr)
@pytest.mark.parametrize("kind", CUT_TOKENS)
def test_what_is_there_of_a_token_that_is_cut_is_masked(kind: str, end: str) -> None:
    start, alphabet, length = CUT_TOKENS[kind]
    maker = Maker(45)
    for _ in range(5):
        body = ""
        while not re.search(r"\d.*\d", body[: length - length // 3]):
            body = maker.of(alphabet, length)
        for missing in (1, length // 10, length // 3):
            token = start + body[: length - missing]
            for text in (
                f"It used {token}{end}",
                json.dumps({"a": f"It used {token}{end}"}) if end else token,
            ):
                assert left_of(token, number_masks(REDACTOR(text))) <= len(start) + 2, text


@pytest.mark.parametrize(
    "text",
    [
        "ghp_...",
        "sk-ant-api03-...",
        "AKIA\u2026",
        "hf_transformersTokenizerFast...",
        "sk-learn-contrib-py...",
        "npm_config_cache...",
        "see key-value-store-of-things\u2026",
        "It is ghp_xxxxxxxxxxxxxxxxxxxxxxxx...",
    ],
)
def test_the_beginning_of_a_token_alone_stays(text: str) -> None:
    assert REDACTOR(text) == text


def test_a_value_that_was_cut_before_it_was_written_is_no_placeholder() -> None:
    value = Maker(31).of(ALNUM, 30)
    for end in ("…", "..."):
        assert value not in REDACTOR(f"API_KEY={value}{end}")
    assert REDACTOR("API_KEY=sk-ant-...") == "API_KEY=sk-ant-..."


def test_a_block_of_code_below_a_heading_is_no_value() -> None:
    text = "### Password\n\n```py\nimport\nos\n```\n"
    assert REDACTOR(text) == text
