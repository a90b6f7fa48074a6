"""What a field of a run is called makes its value a secret, wherever the page shows it."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.masking.redact import Redactor, number_masks
from sitegen.readers.common import sizes
from tests.readers.test_readers import read
from tests.support.campaigns import result
from tests.support.secret_grammar import private_key
from tests.support.secret_samples import ALNUM, Maker

REDACTOR = Redactor()
MAKER = Maker(46)
KEY = MAKER.of(ALNUM, 30) + "7a2"


def shown_of(**record: Any) -> str:
    """All that a page gets to show of a run."""
    texts = REDACTOR.run(sizes.bounded(read(result(**record)))).texts
    parts = [
        *texts.errors,
        *(f"{d.wanted}\n{d.input_json}" for d in texts.denials),
        texts.structured_output or "",
    ]
    return number_masks("\n".join([*parts, *(f"{path} {value}" for path, value in texts.fields)]))


NAMED = [(name, KEY) for name in ("password", "token", "api_key", "secret", "dbPassword")]
NAMED += [
    (name, word)
    for name in ("password", "dbPassword")
    for word in ("Velvet!otter9", "hunterhunter2")
]


@pytest.mark.parametrize(("name", "value"), NAMED)
def test_the_summary_of_a_refused_tool_says_the_name_with_the_value(name: str, value: str) -> None:
    shown = shown_of(
        permission_denials=[{"tool_name": "Login", "tool_input": {name: value, "b": "c"}}]
    )
    assert value not in shown and f"{name}: [redacted" in shown


@pytest.mark.parametrize(
    "record",
    [
        {"secrets": {"prod": KEY}},
        {"credentials": {"ann": KEY}},
        {"tokens": {"ci": KEY}},
        {"password": {"value": KEY}},
        {"db_password": {"default": KEY}},
        {"passwords": [KEY, "b"]},
        {"passwords": ["b", KEY]},
        {"token": [KEY, {"a": 1}]},
        {"token": [{"a": KEY}]},
        {"api_keys": [KEY]},
        {"api_keys": ["a", {"b": 1}, KEY]},
        {"env": [{"name": "DB_PASSWORD", "value": KEY}]},
        {"env": [{"value": KEY, "name": "DB_PASSWORD"}]},
        {"headers": [{"key": "X-Api-Key", "value": KEY}]},
        {"a": {"secrets": {"b": {"c": KEY}}}},
        {"env": [{"name": "A", "value": "b"}, {"name": "SMTP_PASSWORD", "value": "Velvet!otter9"}]},
    ],
    ids=str,
)
def test_names_around_a_field_make_it_a_secret(record: dict[str, Any]) -> None:
    shown = shown_of(**record)
    assert KEY not in shown and "Velvet!otter9" not in shown and "[redacted: " in shown


@pytest.mark.parametrize(
    "record",
    [
        {"usage": {"tokens": 123456789012}},
        {"password": {"policy": "Strict", "min_length": 12}},
        {"tokens": [1, 2, 3]},
        {"token_counts": {"a": "12345678"}},
        {"session": {"file": KEY}},
        {"cache_keys": {"a": "deps-Linux"}},
        {"env": [{"name": "PATH", "value": KEY}]},
        {"secret": {"name": "db-credentials"}},
        {"pass": ["a", "b"]},
        {"errors": ["a", "b"]},
        {"tool_input": {"class": "x"}},
    ],
    ids=str,
)
def test_other_fields_stay(record: dict[str, Any]) -> None:
    assert "[redacted" not in shown_of(**record)


def test_a_private_key_in_several_errors_is_hidden_in_all() -> None:
    key = private_key(Maker(3))
    head, rest = key.split("\n", 1)
    lines = rest.split("\n")
    halves = ["\n".join([head, *lines[:2]]), "\n".join(lines[2:4]), "\n".join(lines[4:6])]
    for errors in ([head, rest], halves, ["One failed.", *key.strip().split("\n"), "Two failed."]):
        shown = shown_of(errors=errors)
        assert not any(
            line[:20] in shown for line in key.split("\n") if line and "-" not in line
        ), shown
        assert shown.count("[redacted: private key #1]") >= 2
    assert "One failed." in shown and "Two failed." in shown
