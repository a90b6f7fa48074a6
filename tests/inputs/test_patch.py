"""Patches: files, lines added and removed, and which patch belongs to which run."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sitegen.errors import ReadError
from sitegen.inputs import discover, patch
from sitegen.model import Entry, Run, Source, Status
from sitegen.readers.common import patches
from tests.support.campaigns import write
from tests.support.clock import seconds_since

GIT = """\
diff --git a/src/reader.py b/src/reader.py
index 165c9ce..8dcacb2 100644
--- a/src/reader.py
+++ b/src/reader.py
@@ -1,3 +1,4 @@ def read():
 one
-two
+TWO
+and a half
 three
"""


def counted(text: str) -> dict[str, tuple[int, int]]:
    return {file.path: (file.added, file.removed) for file in patches.parse(text).files}


def hunk(head: str, *lines: str) -> str:
    return "\n".join(["--- a/f", "+++ b/f", head, *lines, ""])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(GIT, {"src/reader.py": (2, 1)}, id="git"),
        pytest.param(GIT.replace("\n", "\r\n"), {"src/reader.py": (2, 1)}, id="carriage returns"),
        pytest.param(
            GIT + GIT.replace("reader", "writer"),
            {"src/reader.py": (2, 1), "src/writer.py": (2, 1)},
            id="two",
        ),
        pytest.param(GIT + GIT, {"src/reader.py": (4, 2)}, id="a series of patches of one file"),
        pytest.param(
            "--- old.c\t2026-01-01 10:00:00\n+++ new.c\t2026-01-02 10:00:00\n@@ -1 +1 @@\n-x\n+y\n",
            {"new.c": (1, 1)},
            id="plain, with times",
        ),
        pytest.param(
            "--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+x\n+y\n", {"new": (2, 0)}, id="new file"
        ),
        pytest.param(
            "--- a/gone\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-y\n",
            {"gone": (0, 2)},
            id="deleted file",
        ),
        pytest.param(
            "diff --git a/old name b/new name\nsimilarity index 100%\nrename from old name\nrename to new name\n",
            {"new name": (0, 0)},
            id="renamed",
        ),
        pytest.param(
            "diff --git a/p q.png b/p q.png\nindex 1..2 100644\nBinary files a/p q.png and b/p q.png differ\n",
            {"p q.png": (0, 0)},
            id="binary",
        ),
        pytest.param(
            "diff --git x.png x.png\nGIT binary patch\n-aa\n+bb\n",
            {"x.png": (0, 0)},
            id="without prefixes",
        ),
        pytest.param(
            'diff --git "a/\\303\\244\\t.txt" "b/\\303\\244\\t.txt"\n',
            {"\u00e4\t.txt": (0, 0)},
            id="quoted, no hunk",
        ),
        pytest.param(
            '--- "a/\\"x\\".txt"\n+++ "b/\\"x\\".txt"\n@@ -1 +1 @@\n-x\n+y\n',
            {'"x".txt': (1, 1)},
            id="quoted",
        ),
        pytest.param(
            hunk("@@ -1,2 +1,2 @@", "--- a comment", "+++ b/not a file", " x"),
            {"f": (1, 1)},
            id="lines like a head",
        ),
        pytest.param(
            hunk(
                "@@ -1 +1 @@",
                "-x",
                r"\ No newline at end of file",
                "+y",
                r"\ No newline at end of file",
            ),
            {"f": (1, 1)},
            id="no newline",
        ),
        pytest.param(
            hunk("@@ -1,3 +1,3 @@", "-x", "", "+y", " z"),
            {"f": (1, 1)},
            id="an empty line lost its blank",
        ),
        pytest.param(
            hunk("@@ -1,999999999 +1,999999999 @@", "-x", "+y") + GIT,
            {"f": (1, 1), "src/reader.py": (2, 1)},
            id="a hunk that promises too much",
        ),
        pytest.param(
            hunk("@@ -1 +1 @@", "-x", "+y", "+z", "-z"),
            {"f": (1, 1)},
            id="a hunk that promises too little",
        ),
        pytest.param("@@ -1 +1 @@\n-x\n+y\n", {}, id="a hunk of no file"),
        pytest.param("Here is what I did:\n\n- nothing\n+ nothing\n", {}, id="no patch"),
        pytest.param("", {}, id="empty"),
    ],
)
def test_files_and_lines_are_counted(text: str, expected: dict[str, tuple[int, int]]) -> None:
    assert counted(text) == expected


def test_sums_are_those_of_the_files() -> None:
    parsed = patches.parse(GIT + GIT.replace("reader", "writer"))
    assert (parsed.added, parsed.removed) == (4, 2)


def test_a_patch_that_masks_made_longer_is_shown_up_to_twice_the_limit() -> None:
    text = "+word\n" * 30
    masked, plain = (
        patches.Patch((), text=text, characters=characters) for characters in (90, len(text))
    )
    assert masked.shown(90) == text
    assert len(masked.shown(60)) == 120 and len(plain.shown(60)) == 60


def test_all_lines_of_a_long_patch_are_counted() -> None:
    lines = 300_000
    text = f"--- a/f\n+++ b/f\n@@ -0,0 +1,{lines} @@\n" + "+abcde\n" * lines
    assert patches.parse(text).added == lines


@pytest.mark.parametrize(
    "text",
    [
        "+" * 4_000_000,
        "@@ -" + "1" * 4_000_000,
        'diff --git "' + "\\" * 4_000_000,
        "--- a\n+++ b\n" * 300_000,
        "\n" * 4_000_000,
    ],
    ids=["a long line", "a long number", "a long path", "many heads", "empty lines"],
)
def test_texts_that_are_made_to_be_slow_are_read(text: str) -> None:
    start = time.process_time()
    assert patches.parse(text).characters == len(text)
    assert seconds_since(start) < 8


@settings(suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(
    st.lists(
        st.one_of(
            st.text(max_size=12),
            st.sampled_from(
                [
                    *GIT.splitlines(),
                    "--- ",
                    "+++ ",
                    "--- /dev/null",
                    "+++ /dev/null",
                    "diff --git ",
                    "rename to x",
                    "\\",
                    '"',
                    "@@ -1 +1 @@",
                    "@@ -0,0 +0,0 @@",
                ]
            ),
        ),
        max_size=30,
    )
)
def test_any_text_can_be_read(lines: list[str]) -> None:
    parsed = patches.parse("\n".join(lines))
    added, removed = (
        sum(line.startswith(sign) for line in "\n".join(lines).split("\n")) for sign in "+-"
    )
    assert 0 <= parsed.added <= added
    assert 0 <= parsed.removed <= removed


# --- whose patch it is


def entries(folder: Path, *paths: str) -> list[Entry]:
    return [
        Entry(
            id=hashlib.sha256(path.encode()).hexdigest(),
            source=Source(path, str(folder / path), named=False, size=1, within=path),
            number=0,
            digest="",
            run=Run("a reader", Status.OK),
            title=path,
        )
        for path in paths
    ]


def found(folder: Path, *paths: str, name: str = "model_patch.diff") -> dict[str, str]:
    """Path of a run: path of its patch."""
    runs = entries(folder, *paths)
    beside = patch.find(runs, name)
    return {run.source.path: beside[run.id].path for run in runs if run.id in beside}


def test_a_patch_of_the_same_name_belongs_to_the_run(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"a/1.json": "{}", "a/1.diff": GIT, "a/2.jsonl": "{}", "a/2.patch": GIT, "a/3.json": "{}"},
    )
    assert found(tmp_path, "a/1.json", "a/2.jsonl", "a/3.json") == {
        "a/1.json": "a/1.diff",
        "a/2.jsonl": "a/2.patch",
    }


def test_the_patch_of_a_folder_belongs_to_its_only_run(tmp_path: Path) -> None:
    files = {
        "a/run.txt": "{}",
        "a/model_patch.diff": GIT,
        "b/1.txt": "{}",
        "b/2.txt": "{}",
        "b/model_patch.diff": GIT,
    }
    write(tmp_path, dict(files))
    assert found(tmp_path, "a/run.txt", "b/1.txt", "b/2.txt") == {"a/run.txt": "a/model_patch.diff"}
    assert found(tmp_path, "a/run.txt", name="other.diff") == {}


def test_a_patch_that_could_belong_to_two_runs_belongs_to_none(tmp_path: Path) -> None:
    write(tmp_path, {"1.json": "{}", "1.log": "{}", "1.diff": GIT})
    assert found(tmp_path, "1.json", "1.log") == {}


def test_a_link_is_no_patch(tmp_path: Path) -> None:
    write(tmp_path, {"secret": "x", "runs/1.json": "{}"})
    (tmp_path / "runs/1.diff").symlink_to(tmp_path / "secret")
    (tmp_path / "runs/model_patch.diff").mkdir()
    assert found(tmp_path / "runs", "1.json") == {}


def test_a_patch_that_became_a_link_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, {"secret": "x", "runs/1.json": "{}", "runs/1.diff": GIT})
    (source,) = patch.find(entries(tmp_path / "runs", "1.json")).values()
    Path(source.location).unlink()
    Path(source.location).symlink_to(tmp_path / "secret")
    with pytest.raises(ReadError, match="symbolic link"):
        discover.read_bytes(source)
