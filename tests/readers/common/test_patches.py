"""The changes of a patch."""

from __future__ import annotations

import pytest

from sitegen.readers.common.patches import Patch, change_key, parse

PLAIN = "--- a/x\n+++ b/x\n"


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("", []),
        ("+a\n-b", []),
        (PLAIN, [("x", 0, 0)]),
        (PLAIN + "@@ -1 +1 @@\n-a\n+b\n", [("x", 1, 1)]),
        (PLAIN + "@@ -1 +1 @@\n-a\n-b\n+c\n+d\n", [("x", 0, 1)]),
        (PLAIN + "@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n+e\n", [("x", 2, 1)]),
        (PLAIN + "@@ -0,0 +1,2 @@\n+a\n+b\n+c\n", [("x", 2, 0)]),
        (PLAIN + "@@ -1,2 +0,0 @@\n-a\n-b\n", [("x", 0, 2)]),
        (PLAIN + "@@ -1,3 +1,2 @@\n a\n\n-b\n-c\n", [("x", 0, 1)]),
        (PLAIN + "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", [("x", 1, 1)]),
        (PLAIN + "@@ -1,2 +1 @@\n--- q\n+++ r\n-s\n", [("x", 1, 2)]),
        (PLAIN + "@@ -1 +1 @@\r\n-a\r\n+b\r\n", [("x", 1, 1)]),
        ("--- a/x\nother\n+++ b/x\n", []),
        ("+++ b/x\n", []),
        ("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", [("x", 0, 1)]),
        ("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n", [("x", 1, 0)]),
        ("--- x\t2026-01-01\n+++ y\t2026-01-02\n", [("y", 0, 0)]),
        (2 * (PLAIN + "@@ -1 +1 @@\n-a\n+b\n"), [("x", 2, 2)]),
        ("diff --git a/x b/x\nBinary files differ\n", [("x", 0, 0)]),
        ("diff --git a/x b/x\ndiff --git a/y b/y\n", [("x", 0, 0), ("y", 0, 0)]),
        ("diff --git x x\n", [("x", 0, 0)]),
        ("diff --git a/x b/y\nrename from x\nrename to z\n", [("z", 0, 0)]),
        ("rename to z\n", []),
        ("diff --git a/x b/long name\n", [("long name", 0, 0)]),
        ('diff --git "a/\\303\\244" "b/\\303\\244"\n', [("\u00e4", 0, 0)]),
        ('--- "a/t\\tq\\"\\\\"\n+++ "b/t\\tq\\"\\\\"\n', [('t\tq"\\', 0, 0)]),
        ('--- a/x\n+++ "\n', [('"', 0, 0)]),
    ],
)
def test_a_patch_changes(text: str, files: list[tuple[str, int, int]]) -> None:
    patch = parse(text)
    assert [(file.path, file.added, file.removed) for file in patch.files] == files
    assert (patch.text, patch.characters) == (text, len(text))
    assert patch.added == sum(added for _, added, _ in files)
    assert patch.removed == sum(removed for _, _, removed in files)


def test_the_digest_is_of_the_text_whatever_is_in_it() -> None:
    assert parse("abc").digest[:16] == "ba7816bf8f01cfea"  # as FIPS 180 has it
    assert len(parse("\ud800").digest) == 64


def test_keys_are_equal_where_the_changed_lines_and_files_are() -> None:
    key = change_key(["--- a/x\t1", "+++ b/x\t2", "@@ -1 +1 @@", " c", "-a", "+b\tc"])
    assert key is not None and len(key) == 16
    assert key == change_key(["--- a/x", "+++ b/x\t3", "@@ -9 +9 @@", "-a  ", "+b\tc"])
    for lines in (
        ["--- a/x", "+++ b/y", "-a", "+b\tc"],
        ["--- a/x", "+++ b/x", "+b\tc", "-a"],
        ["--- a/x", "+++ b/x", "-a", "+b"],
    ):
        assert change_key(lines) not in (key, None)


def test_without_a_changed_line_there_is_no_key() -> None:
    assert change_key([]) is None
    assert change_key(["--- a/x", "+++ b/x", " a"]) is None
    assert change_key(["-"]) is not None
    assert change_key(["+"]) is not None


def test_twice_as_much_is_shown_of_a_text_that_masks_made_longer() -> None:
    text = "abcdefgh"
    assert len(Patch((), text, characters=8).shown(3)) <= 3
    assert Patch((), text, characters=8).shown(8) == text
    assert Patch((), text, characters=7).shown(4) == text
