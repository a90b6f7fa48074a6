"""Runs of one task that left the same patch."""

from __future__ import annotations

from sitegen.outcomes.same_patch import configurations_of, describe_same_patch, same_patches
from sitegen.readers.common.patches import change_key
from tests.collect.facts import entry

PATCH = ["--- a/x.py\t2026", "+++ b/x.py", "@@ -1 +1 @@", "-x", "+y  ", " z"]


def test_positions_and_trailing_space_do_not_matter() -> None:
    moved = ["index 1..2", "--- a/x.py", "+++ b/x.py", "@@ -9 +9 @@", "-x", "+y", " other"]
    assert change_key(PATCH) == change_key(moved)
    assert change_key(PATCH) != change_key([*moved, "+more"])
    assert change_key(["--- a/x.py", "+++ b/x.py"]) is None


def test_patches_of_several_configurations_come_first() -> None:
    runs = [
        entry(f"{at}.json", task=task, model=model, patch_key=key)
        for at, (task, model, key) in enumerate(
            [("a", "m", "k"), ("a", "m", "k"), ("b", "m", "k"), ("b", "n", "k"), ("b", "n", "l")]
        )
    ]
    found = same_patches(runs)
    assert [[run.source.path for run in alike] for alike in found] == [
        ["2.json", "3.json"],
        ["0.json", "1.json"],
    ]
    assert describe_same_patch(found[0]) == "2 runs of m and n"
    assert configurations_of([entry("x.json")]) == ["an unknown model"]
    assert not same_patches([entry("1.json", patch_key="k"), entry("2.json", patch_key="k")])
