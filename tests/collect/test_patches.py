"""The patches beside runs, as facts of these: what is masked in them, and whether a run left one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sitegen.cache.memory import NO_MEMORY
from sitegen.collect.patches import add_patches, left_patch
from sitegen.inputs.survey import Facts
from sitegen.masking.redact import Redactor
from sitegen.model import Entry, Masked, Score, Source
from tests.collect.facts import entry

TOKEN = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
PATCH = f"--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-one\n+{TOKEN}\n+{TOKEN}\n"


def run_in(folder: Path, name: str, **known: object) -> Entry:
    run = entry(name, **known)
    source = Source(name, str(folder / name), named=False, size=1)
    return replace(run, source=source)


def test_a_patch_is_of_its_run_counted_and_no_longer_ignored(tmp_path: Path) -> None:
    (tmp_path / "1.diff").write_text(PATCH)
    runs = (run_in(tmp_path, "1.json"), run_in(tmp_path, "2.json"))
    before = Masked("0.json", "summary", "k", 1)
    facts = Facts(runs, ignored_files=(("1.diff", "patch"), ("b", "")), masked=(before,))
    made = add_patches(facts, "model_patch.diff", Redactor(), NO_MEMORY)
    first, second = made.entries
    assert (first.patch_lines, second.patch_lines) == ((2, 1), None)
    assert made.masked == (before, Masked("1.json", "patch", "github token", 2, "1.json"))
    assert made.ignored_files == (("b", ""),)


def test_masks_in_what_is_stated_of_a_run_are_counted(tmp_path: Path) -> None:
    masked = Redactor()(TOKEN)
    run = run_in(
        tmp_path,
        "1.json",
        labels=(masked,),
        scores=(Score(masked, 1.0),),
        task=masked,
        stated_model=masked,
        note=masked,
    )
    facts = add_patches(Facts((run,)), "x.diff", Redactor(), NO_MEMORY)
    assert facts.masked == (Masked("1.json", "outcomes", "github token", 5, "1.json"),)


@pytest.mark.parametrize(
    ("patch", "is_left"), [("+a\n", True), (" \n", False), ("", False), (None, False)]
)
def test_a_patch_that_is_not_empty_was_left(
    patch: str | None, is_left: bool, tmp_path: Path
) -> None:
    if patch is not None:
        (tmp_path / "mine.diff").write_text(patch)
    run = run_in(tmp_path, "1.json")
    assert left_patch(run, "mine.diff") is is_left
    assert left_patch(run, "other.diff") is False
    assert (
        left_patch(replace(run, source=replace(run.source, location="/none/1.json")), "x") is False
    )


def test_a_patch_that_cannot_be_read_was_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "1.diff").write_text("+a\n")
    found = left_patch(run_in(tmp_path, "1.json"), "x")
    assert found
    monkeypatch.setattr("sitegen.inputs.discover.IN_MEMORY", 0)
    with (tmp_path / "1.diff").open("wb") as large:
        large.truncate(33 * 1024**2)
    assert left_patch(run_in(tmp_path, "1.json"), "x")
