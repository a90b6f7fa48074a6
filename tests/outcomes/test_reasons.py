"""Every reason has a code that the documents list, and a sentence with its fields."""

from __future__ import annotations

import string

import pytest

from sitegen.outcomes.reasons import BadCell, Why, because
from tests.conftest import ROOT


@pytest.mark.parametrize("why", Why, ids=lambda why: why.name)
def test_a_reason_is_a_sentence_with_its_fields(why: Why) -> None:
    code, template = why.value
    fields = {name for _, name, _, _ in string.Formatter().parse(template) if name}
    sentence = because(why, **{name: f"<{name}>" for name in fields}).sentence
    assert all(f"<{name}>" in sentence for name in fields)
    assert sentence[0].isupper() or sentence[0] == "<" or sentence.startswith(("a", "l", "s"))
    assert sentence.endswith((".", "<first>")), sentence
    assert not code or f"`{code}`" in (ROOT / "docs" / "codes.md").read_text(encoding="utf-8")


def test_a_field_is_never_read_as_a_template() -> None:
    assert because(Why.NOT_TEXT, name="{why.value}").sentence == "{why.value} is not text."
    assert BadCell(Why.NOT_TEXT, name="a").reason == because(Why.NOT_TEXT, name="a")
    assert because(Why.NOT_TEXT, name="a").code == "W_OUTCOME_ROW"
