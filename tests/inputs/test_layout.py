"""The layout of a folder of runs, as `sitegen init` writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.config.values import check_pattern
from sitegen.inputs.layout import Layout, layout_of
from tests.conftest import ROOT
from tests.support import campaigns
from tests.support.campaigns import OPUS, SONNET, result


def write(folder: Path, *paths: str, model: str = SONNET) -> None:
    campaigns.write(folder, {path: result(number, model) for number, path in enumerate(paths, 1)})


@pytest.mark.parametrize(
    ("paths", "pattern"),
    [
        ("a/1 a/2 b/1", "{task}/{attempt}.*"),
        ("x/a/1 x/b/1", "{_}/{task}/{attempt}.*"),
        ("w/x/a/1 v/y/b/1", "{_}/{_}/{task}/{attempt}.*"),
        ("2026-11-01/a/1 2026-11-02/a/1", "{campaign}/{task}/{attempt}.*"),
        ("a/sonnet b/sonnet", "{task}/{model}.*"),
        ("sonnet/a/1 sonnet/b/1", "{model}/{task}/{attempt}.*"),
        ("fix/claude/1 fix/codex/1 csv/pi/1", "{task}/{agent}/{attempt}.*"),
        ("claude/fix/1 codex/fix/1 my-agent/csv/1", "{agent}/{task}/{attempt}.*"),
        ("v/fix/codex/sonnet/1 s/csv/pi/sonnet/1", "{_}/{task}/{agent}/{model}/{attempt}.*"),
        ("runs/fix/sonnet/1 runs/fix/sonnet/2", "{_}/{task}/{model}/{attempt}.*"),
        ("fix_sonnet_run1 parse_csv_sonnet_run2", "{task}_{model}_run{attempt}.*"),
        ("sonnet_fix_1 sonnet_csv_1", "{model}_{task}_{attempt}.*"),
        ("a__b-11099_sonnet_1 c__d-863_sonnet_1", "{task}_{model}_{attempt}.*"),
        ("fix-1 csv-2", "{task}-{attempt}.*"),
        ("requests-863 django-1234", None),
        ("fix/Attempt_1 csv/Attempt_2", "{task}/Attempt_{attempt}.*"),
        ("run1/fix/sonnet run2/csv/sonnet", "run{attempt}/{task}/{model}.*"),
        ("a/codex/8f14e45f-ceea b/codex/45c48cce-2e2d", "{task}/{agent}/{_}.*"),
        ("fix/high/1 fix/low/1", "{task}/{effort}/{attempt}.*"),
        ("1/sonnet/1 2/sonnet/1 3/sonnet/2", "{task}/{model}/{attempt}.*"),
        ("a/1 b/c/1", None),
        ("a b", None),
        ("1 2", None),
        ("a/1", None),
    ],
)
def test_paths_show_fields(tmp_path: Path, paths: str, pattern: str | None) -> None:
    write(tmp_path, *(f"{path}.json" for path in paths.split()))
    layout = layout_of(tmp_path)
    assert (layout.pattern, layout.are_sessions) == (pattern, False)
    assert pattern is None or check_pattern(pattern)


def test_one_task_with_several_models_is_a_task(tmp_path: Path) -> None:
    write(tmp_path, "fix/opus/1.json", "fix/opus/2.json", model=OPUS)
    write(tmp_path, "fix/sonnet/1.json")
    assert layout_of(tmp_path).pattern == "{task}/{model}/{attempt}.*"


def test_parts_of_unknown_meaning_are_named_in_comments_of_one_line(tmp_path: Path) -> None:
    write(tmp_path, "x\n- y/a/1.json", "z/b/1.json")
    comments = layout_of(tmp_path).comments
    assert "{_} is x%0A- y, z here." in comments[0]
    assert "Is this the task: a, b?" in comments[1]
    assert not any(comment.splitlines()[1:] for comment in comments)


def test_a_word_of_the_name_has_to_be_one_of_the_model_in_every_run(tmp_path: Path) -> None:
    write(tmp_path, "a/opus.json", "b/opus.json", model=OPUS)
    assert layout_of(tmp_path).pattern == "{task}/{model}.*"
    write(tmp_path, "c/opus.json")
    assert layout_of(tmp_path).pattern is None


def test_transcripts_are_sessions(tmp_path: Path) -> None:
    transcript = (ROOT / "tests" / "corpus" / "reader" / "transcript.jsonl").read_bytes()
    campaigns.write(tmp_path, {"p/1.jsonl": transcript, "q/2.jsonl": transcript})
    assert layout_of(tmp_path) == Layout(are_sessions=True)
    write(tmp_path, "r/3.json")
    assert not layout_of(tmp_path).are_sessions


def test_what_is_no_run_or_not_there_gives_nothing(tmp_path: Path) -> None:
    assert layout_of(tmp_path / "missing") == Layout()
    campaigns.write(tmp_path, {"notes.txt": "no run"})
    assert layout_of(tmp_path) == Layout()
