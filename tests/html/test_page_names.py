"""Names of pages: readable, stable, and like no key."""

from __future__ import annotations

import pytest

from sitegen.html.page_names import is_readable, page_id
from sitegen.masking.redact import Redactor

KEYS = (
    "sk-ant-" + "api03-AbCdEf0123456789AbCdEf0123456789AbCdEf0123",
    "AKIA" + "IOSFODNN7EXAMPLE",
    "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345",
    "xoxb-" + "123456789012-abcdefABCDEF012345",
)


@pytest.mark.parametrize("key", KEYS)
def test_no_name_of_a_page_looks_like_a_key(key: str) -> None:
    name = page_id(key, key)
    assert not Redactor().find(name) and is_readable(name)


def test_what_looks_like_a_key_as_a_name_is_left_out_of_it() -> None:
    secret = "the-key-is-" + "hunter2222"
    redactor = Redactor(literals=((secret, "own literal"),))
    assert not is_readable(f"{secret}-0123", redactor)
    assert secret in page_id(secret, "a") and secret not in page_id(secret, "a", redactor)


def test_a_name_is_readable_and_differs_where_what_it_stands_for_does() -> None:
    first, second = page_id("Opus 4.5", "a"), page_id("Opus 4.5", "b")
    assert first != second and first == page_id("Opus 4.5", "a")
    assert first.startswith("opus-4") and is_readable(first)
