"""The layout of a folder of runs, as `sitegen init` writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.inputs.layout import layout_of
from tests.conftest import ROOT
from tests.support import campaigns
from tests.support.campaigns import OPUS, SONNET, result


def write(folder: Path, *paths: str, model: str = SONNET) -> None:
    campaigns.write(folder, {path: result(number, model) for number, path in enumerate(paths, 1)})


@pytest.mark.parametrize(
    ("paths", "pattern"),
    [
        (["a/1.json", "a/2.json", "b/1.json"], "{task}/{attempt}.*"),
        (["x/a/1.json", "y/b/1.json"], "{campaign}/{task}/{attempt}.*"),
        (["x/a/1.json", "x/b/1.json"], "{_}/{task}/{attempt}.*"),
        (["w/x/a/1.json", "v/y/b/1.json"], "{_}/{campaign}/{task}/{attempt}.*"),
        (["a/sonnet.json", "b/sonnet.json"], "{task}/{model}.*"),
        (["sonnet/a/1.json", "sonnet/b/1.json"], "{model}/{task}/{attempt}.*"),
        (["a/1.json", "b/c/1.json"], None),
        (["a.json", "b.json"], None),
        (["1.json", "2.json"], None),
        (["a/1.json"], None),
    ],
)
def test_paths_show_task_and_model_or_attempt(
    tmp_path: Path, paths: list[str], pattern: str | None
) -> None:
    write(tmp_path, *paths)
    assert layout_of(tmp_path) == (pattern, False)


def test_a_word_of_the_name_has_to_be_one_of_the_model_in_every_run(tmp_path: Path) -> None:
    write(tmp_path, "a/opus.json", "b/opus.json", model=OPUS)
    assert layout_of(tmp_path)[0] == "{task}/{model}.*"
    write(tmp_path, "c/opus.json")
    assert layout_of(tmp_path)[0] is None


def test_transcripts_are_sessions(tmp_path: Path) -> None:
    transcript = (ROOT / "tests" / "corpus" / "reader" / "transcript.jsonl").read_bytes()
    campaigns.write(tmp_path, {"p/1.jsonl": transcript, "q/2.jsonl": transcript})
    assert layout_of(tmp_path) == (None, True)
    write(tmp_path, "r/3.json")
    assert layout_of(tmp_path)[1] is False


def test_what_is_no_run_or_not_there_gives_nothing(tmp_path: Path) -> None:
    assert layout_of(tmp_path / "missing") == (None, False)
    campaigns.write(tmp_path, {"notes.txt": "no run"})
    assert layout_of(tmp_path) == (None, False)
