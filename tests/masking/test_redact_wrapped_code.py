"""A secret whose value stands below its name, as formatters wrap code and as tools print its lines."""

from __future__ import annotations

import pytest

from sitegen.masking.redact import Redactor

VALUE = "eA46UuVGPN1S8EEOId7tEcl592"
WRAPPED = {
    "parentheses": f'API_TOKEN = (\n    "{VALUE}"\n)',
    "parentheses behind a type": f'token: str = (\n    "{VALUE}"\n)',
    "parentheses of an argument": f"Client(\n    token=(\n        '{VALUE}'\n    ),\n)",
    "a call": f'set_token(\n    "{VALUE}"\n)',
    "a list": f'"token": [\n  "{VALUE}"\n]',
    "a backslash": f'token = \\\n    "{VALUE}"',
    "a space before the sign": f'token = \n    "{VALUE}"',
    "an arrow": f'"token" =>\n    "{VALUE}"',
    "a default of make": f"API_TOKEN ?= {VALUE}",
}
PREFIXES = {"none": "", "a patch": "+", "numbers": "12\t", "matches": "app.py-12-", "a quote": "> "}


@pytest.mark.parametrize("prefix", PREFIXES.values(), ids=PREFIXES)
@pytest.mark.parametrize("code", WRAPPED.values(), ids=WRAPPED)
def test_a_value_below_its_name_is_masked(code: str, prefix: str) -> None:
    text = "\n".join(prefix + line for line in code.split("\n"))
    assert VALUE not in Redactor()(text)


@pytest.mark.parametrize("prefix", list(PREFIXES.values())[1:], ids=list(PREFIXES)[1:])
def test_only_the_line_of_the_value_may_have_a_prefix(prefix: str) -> None:
    for below in ("\n", "\n\n"):
        assert VALUE not in Redactor()(f"client_secret:{below}{prefix}{VALUE}\n")


@pytest.mark.parametrize(
    "text",
    [
        'password = (\n    "Enter your password twice, please."\n)',
        'token_count = (\n    "input_tokens"\n)',
        "KEYS ?= keys/default.txt",
        'get_password(\n    "Your password:"\n)',
    ],
)
def test_words_below_a_name_are_not_masked(text: str) -> None:
    assert Redactor()(text) == text
