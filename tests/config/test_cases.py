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
        parsed = config.parse(text, "config.yaml")
    except ConfigError as error:
        return str(error).splitlines()
    gates = parsed.gates
    derived = {
        "limits of gates": list(gates.limits),
        "limits of changes": gates.changes,
        "unknown changes": gates.unknown_changes,
        "paths of runs": parsed.paths_of_runs,
        "paths of outcomes": parsed.paths_of_outcomes,
        "paths of looks": parsed.paths_of_looks,
        "scores": {name: score.model_dump() for name, score in parsed.all_scores.items()},
        "each campaign": [campaign.path for campaign in parsed.each_campaign],
        "compares with the campaign before": parsed.compares_with_previous,
        "follows campaigns": parsed.follows,
        "with other inputs": parsed.with_inputs(["other"]).model_dump(
            mode="json", exclude_defaults=True, include={"inputs", "campaigns", "campaign"}
        ),
    }
    known = {name: value for name, value in derived.items() if value}
    return parsed.model_dump(mode="json", exclude_defaults=True) | known


@pytest.mark.parametrize("case", CASES, ids=cases.name_of)
def test_settings_mean_what_they_say(case: Path, refresh: bool) -> None:
    settings = DIVIDER.split(case.read_text(encoding="utf-8"))
    meanings = [{"settings": text.splitlines(), "meaning": meaning_of(text)} for text in settings]
    cases.compare(case, meanings, refresh=refresh)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("folder", "this is a folder. Name the file with the settings."),
        (
            "missing.yaml",
            "there is no such file. Check the spelling; `sitegen init` writes config.yaml.",
        ),
        ("link.yaml", "this is a broken link."),
        ("bytes.yaml", "cannot be read as UTF-8 text: "),
    ],
)
def test_a_file_of_settings_that_cannot_be_read_is_named(
    tmp_path: Path, name: str, sentence: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.yaml").symlink_to("nowhere")
    (tmp_path / "bytes.yaml").write_bytes(b"title: \xff")
    with pytest.raises(ConfigError) as raised:
        config.load(tmp_path / name)
    assert str(raised.value).startswith(f"{tmp_path / name}: {sentence}")


def test_an_error_names_the_file_and_paths_are_relative_to_its_folder(tmp_path: Path) -> None:
    settings = tmp_path / "s.yaml"
    settings.write_text("inputs: [runs]\n")
    assert config.load(settings).paths_of_runs == [str(tmp_path / "runs")]
    settings.write_text("inptus: [runs]\n")
    with pytest.raises(ConfigError, match=r"s\.yaml:1"):
        config.load(settings)


def test_the_defaults_are_what_the_documents_say(refresh: bool) -> None:
    defaults = config.Config().model_dump(mode="json")
    expected = ROOT / "tests" / "config" / "cases" / "defaults.expected.json"
    cases.compare(expected, defaults, refresh=refresh, expected=expected)
