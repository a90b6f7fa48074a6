"""Settings, and what they come to: each document of `cases/TOPIC.yaml` is a file of settings; beside it is what differs from
the defaults, or the error."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from sitegen import config
from sitegen.errors import ConfigError
from tests.conftest import ROOT
from tests.support import cases

CASES = cases.inputs(ROOT / "tests" / "config" / "cases")
DIVIDER = re.compile(r"^---\n", re.MULTILINE)


def meaning_of(text: str) -> Any:
    """Return what settings say beside the defaults, as JSON has it, or their error."""
    try:
        return config.parse(text, "config.yaml").model_dump(mode="json", exclude_defaults=True)
    except ConfigError as error:
        return str(error).splitlines()


@pytest.mark.parametrize("case", CASES, ids=cases.name_of)
def test_settings_mean_what_they_say(case: Path, refresh: bool) -> None:
    settings = DIVIDER.split(case.read_text(encoding="utf-8"))
    meanings = [{"settings": text.splitlines(), "meaning": meaning_of(text)} for text in settings]
    cases.compare(case, meanings, refresh=refresh)


def test_the_defaults_are_what_the_documents_say(refresh: bool) -> None:
    defaults = config.Config().model_dump(mode="json")
    expected = ROOT / "tests" / "config" / "cases" / "defaults.expected.json"
    cases.compare(expected, defaults, refresh=refresh, expected=expected)
