"""Settings of what is masked: kinds, words of masks and expressions."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from sitegen.config.redact import Redact


def refusal(**values: Any) -> str:
    """Return the errors of the section; empty where nothing is."""
    try:
        Redact.model_validate(values)
    except ValidationError as invalid:
        return "; ".join(
            str(error["msg"]).removeprefix("Value error, ") for error in invalid.errors()
        )
    return ""


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"also": ["ip address", "mac address"]}, ""),
        (
            {"also": ["password"]},
            "'password' is masked anyway; `also` takes ip address and mac address",
        ),
        ({"also": ["IP"]}, "unknown kind 'IP', did you mean 'ip address'?"),
        ({"also": ["mac addres"]}, "unknown kind 'mac addres', did you mean 'mac address'?"),
        ({"also": ["zzz"]}, "unknown kind 'zzz'; docs/redaction.md lists them"),
        ({"off": {"password": "why"}}, ""),
        (
            {"off": {"ip address": "why"}},
            "'ip address' is not masked unless `also` names it",
        ),
        ({"off": {"passwort": "why"}}, "unknown kind 'passwort', did you mean 'password'?"),
        ({"patterns": {"ticket": "[A-Z]+-[0-9]+"}}, ""),
        (
            {"patterns": {"ticket": "[A-Z]*"}},
            "the expression matches an empty text, so it would mask everything",
        ),
        (
            {"patterns": {"a\nb": "x"}},
            "'a\nb' becomes part of the mask: write 1 to 40 letters, digits, spaces, dots or dashes",
        ),
        ({"patterns": {"x" * 40: "x"}}, ""),
        (
            {"patterns": {"x" * 41: "x"}},
            f"'{'x' * 41}' becomes part of the mask: write 1 to 40 letters, digits, spaces, dots or dashes",
        ),
    ],
    ids=str,
)
def test_what_is_masked_is_checked(values: dict[str, Any], sentence: str) -> None:
    assert refusal(**values) == sentence


def test_an_expression_that_is_none_is_refused() -> None:
    assert refusal(patterns={"ticket": "["}).startswith("this is not a regular expression: ")
