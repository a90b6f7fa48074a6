"""Secrets below their names, between invisible signs and in other forms of letters."""

from __future__ import annotations

import json
import sys
import unicodedata
from types import SimpleNamespace

import pytest

from sitegen.config import Redact
from sitegen.masking.reading import as_read
from sitegen.masking.redact import Redactor, clean_text, number_masks
from tests.support.secret_samples import ALNUM, Maker

REDACTOR = Redactor()
MAKER = Maker(47)
KEY = MAKER.of(ALNUM, 30) + "7a2"
PLACES = [
    "{}:\n\n```\n{}\n```",
    "{}:\n```\n{}\n```",
    "The {} is:\n\n```\n{}\n```\n\nDone.",
    "### {}\n\n`{}`",
    "### {}\n\n```text\n{}\n```",
    "- **{}**\n  - `{}`",
    "**{}**\n\n`{}`",
    "**{}:**\n\n`{}`",
    "> {}:\n>\n> ```\n> {}\n> ```\n",
    "1. `{}`:\n\n   ```\n   {}\n   ```",
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Password", "Velvet!otter9"),
        ("Password", "hunterhunter"),
        ("DB_PASSWORD", KEY),
        ("API key", KEY),
        ("token", KEY),
    ],
)
def test_a_secret_below_its_name_is_masked(place: str, name: str, value: str) -> None:
    shown = number_masks(REDACTOR(place.format(name, value)))
    kind = name.split()[-1].lower().removeprefix("db_")
    assert shown == place.format(name, f"[redacted: {kind} #1]")


@pytest.mark.parametrize(
    "text",
    [
        "### Password\n\n`validate_input`",
        "## Token\n\n`tokenizer.py`",
        "## Password\n\n```sh\nnpm run check\n```",
        "## Secret\n\n```\nrequired\n```",
        "## Keys\n\n`primary`",
        "The tests pass:\n\n```\nFAILED: none of many\n```",
        "Password:\n\n```py\nimport\nos\n```",
        "The commit is:\n\n`" + MAKER.hex(40) + "`",
        "### API key\n\n`OPENAI_API_KEY`",
    ],
)
def test_what_else_stands_below_a_name_stays(text: str) -> None:
    assert REDACTOR(text) == text


INVISIBLE = [
    chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) == "Cf"
]
INVISIBLE += [
    *"\u034f\u115f\u1160\u17b4\u17b5\u180b\u180f\u3164\uffa0\ufe00\ufe0e\ufe0f\U000e0100\U000e01ef"
]


def test_no_invisible_sign_hides_a_token() -> None:
    token = "gh" + "p_" + MAKER.of(ALNUM, 36)
    for sign in INVISIBLE:
        split = f"It used {token[:20]}{sign}{token[20:]} there."
        assert number_masks(REDACTOR(split)) == "It used [redacted: github token #1] there.", hex(
            ord(sign)
        )
        page = f"<p>{clean_text(split)}</p>"
        assert [found.kind for found in REDACTOR.find(page, page=True)] == ["github token"], hex(
            ord(sign)
        )
        assert as_read(clean_text(f"a{sign}b")) == "ab"


def test_a_literal_is_masked_in_both_forms_of_its_letters() -> None:
    settings = SimpleNamespace(
        literals=["Caf\u00e9 Blau"], patterns={}, allowed_domains=[], also=[], off={}
    )
    redactor = Redactor.for_this_machine(settings)
    for text in ("In Caf\u00e9 Blau.", "In Cafe\u0301 Blau."):
        assert number_masks(redactor(text)) == "In [redacted: own literal #1]."
    settings.literals = ["Cafe\u0301 Blau"]
    assert "Blau" not in Redactor.for_this_machine(settings)("In Caf\u00e9 Blau.")


@pytest.mark.parametrize(
    "literal",
    ["Tr0ub4dor&3*xyz!", "correct*horse-battery", "Blue *Heron* Corp", r"back\/slash-word-x"],
)
def test_a_literal_with_signs_that_a_reading_drops_is_masked(literal: str) -> None:
    redactor = Redactor.for_this_machine(Redact(literals=(literal,)))
    for text in (f"it is {literal} here", f"`{literal}`", json.dumps({"a": literal})):
        assert literal not in redactor(text) and literal[-8:] not in redactor(text)


def test_a_secret_of_the_environment_may_begin_like_a_path(monkeypatch: pytest.MonkeyPatch) -> None:
    key = "/" + Maker(77).of(ALNUM, 39)
    monkeypatch.setenv("DEPLOY_SECRET", key)
    monkeypatch.setenv("KUBE_CREDENTIALS", "/etc/kube/credentials.json")
    redactor = Redactor.for_this_machine()
    assert key not in redactor(f"it printed {key} then")
    assert redactor("see /etc/kube/credentials.json") == "see /etc/kube/credentials.json"
