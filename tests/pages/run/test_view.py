"""The patch beside a run, on its page; facts of runs are in `cases/`."""

from __future__ import annotations

import pytest

from sitegen.pages.run.view import LISTED_FILES, SHORT_PATCH_LINES, patch_view
from sitegen.readers.common.patches import Patch, parse

SMALL = """--- a/src/a.py
+++ b/src/a.py
@@ -1,2 +1,3 @@
 x = 1
-y = 2
+y = 3
+z = 4
--- a/src/b.py
+++ b/src/b.py
@@ -1 +1 @@
-old
+new
"""


def test_a_patch_has_a_summary_and_its_files() -> None:
    view = patch_view("runs/1/model.patch", parse(SMALL), cut_at=None)
    assert view.name == "model.patch"
    assert view.summary == "2 files, 3 lines added, 2 removed"
    assert [(row.label, row.cells) for row in view.files] == [
        ("src/a.py", ("2", "1")),
        ("src/b.py", ("1", "1")),
    ]
    assert view.short is True
    assert "y = 3" in view.html


def test_it_is_said_how_much_of_a_long_patch_is_shown() -> None:
    view = patch_view("model.patch", parse(SMALL), cut_at=12_000)
    assert view.name == "model.patch"
    assert view.summary == (
        "2 files, 3 lines added, 2 removed; its first 12,000 characters are shown"
    )


@pytest.mark.parametrize(
    ("lines", "is_short"), [(SHORT_PATCH_LINES, True), (SHORT_PATCH_LINES + 1, False)]
)
def test_a_short_patch_is_open_at_first(lines: int, is_short: bool) -> None:
    patch: Patch = parse(f"--- a/a\n+++ b/a\n@@ -0,0 +1,{lines - 3} @@\n" + "+x\n" * (lines - 3))
    assert patch.text.count("\n") == lines
    assert patch_view("p", patch, cut_at=None).short is is_short


def test_no_more_than_a_hundred_files_are_listed() -> None:
    text = "".join(f"--- a/f{n}\n+++ b/f{n}\n@@ -0,0 +1 @@\n+x\n" for n in range(LISTED_FILES + 1))
    view = patch_view("p", parse(text), cut_at=None)
    assert len(view.files) == 100
    assert view.summary == "101 files, 101 lines added, 0 removed"
