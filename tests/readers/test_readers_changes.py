"""What must not change figures does not: files in another order, twice, cut, joined, moved, in other encodings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sitegen.model import Run, Status
from sitegen.readers.run_file import RunFile
from tests.support.changes import CHANGES, Change, check_changes, faults
from tests.test_testing import CORPUS, Tally

Files = dict[str, bytes]
Unit = tuple[str, Files]
FOLDERS = ("runs", "more-runs")
TOGETHER = (
    *(
        "claude-transcript",
        "claude-transcript-more",
        "codex-rollout",
        "codex-rollout-threads",
        "harbor-trial",
    ),
    *(
        "crush-sqlite",
        "opencode-go-sqlite",
        "openhands-v1",
        "seeds",
        "swebench-submission",
        "tb1-run",
        "trae-run",
    ),
)
"""Folders whose files belong together, those of each repository."""
KNOWN_BY_NAME = "timing.json"
UNTRUE = {
    ("transcript.jsonl", "cut in two"): "its record of costs states less than its messages",
    **{
        (f"iso-{name}.json", change): "what it says is of its folder"
        for name in ("journal", "summary")
        for change in ("copies", "written otherwise")
    },
    ("iso-summary.json", "one behind the other"): "the same",
    ("agent-skills.json", "copies"): "two runs can be graded alike",
    ("agent-skills.json", "written otherwise"): "the same",
    (KNOWN_BY_NAME, "another order"): "another order is another name",
    (KNOWN_BY_NAME, "written otherwise"): "two runs can take as long",
    (
        "openhands-events.jsonl",
        "cut in two",
    ): "a part states all that its conversation had used by then",
}
"""Files of the corpus whose totals a change may change."""
STILL = {
    ("crush-sqlite", "another order"): "a database and its log are called alike no longer",
    ("opencode-go-sqlite", "another order"): "the same",
    ("openhands-v1", "cut in two"): "a part states all that its conversation had used by then",
    ("mini-swe-traj", "time stamps"): "objects over many lines, with a time before each of them",
    **{
        (
            name,
            "cut in two",
        ): "a document over many lines: of its second half, only whole records are read, with a warning"
        for name in ("promptfoo", "tb-run", "tb1-run")
    },
    ("claude-array", "cut in two"): "a list over many lines is broken in several places",
    (
        "claude-transcript",
        "still being written",
    ): "a copy that was cut before its first prompt is a run of its own",
    ("cline-task", "time stamps"): "the same, with a time before each of its lines",
    ("cline-task", "cut in two"): "the same",
    ("harbor-trial", "written otherwise"): "a trial without the rest of its folder is another one",
    (
        "harbor-trial",
        "cut in two",
    ): "a stream that its transcript replaces comes back, with what is to be said of it",
}
"""Changes that some real files do not withstand, by folder."""
ALL = {change.name for change in CHANGES}


def units(folder: Path) -> Iterator[Files]:
    """The files of a folder, two and two, or those of each repository."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    if folder.name in TOGETHER:
        groups = [
            [path for path in found if inner in (path, *path.parents)]
            for inner in sorted(folder.iterdir())
        ]
    else:
        groups = [found[at : at + 2] for at in range(0, len(found), 2)]
    for group in groups:
        yield {path.relative_to(folder).as_posix(): path.read_bytes() for path in group}


@pytest.mark.slow
@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_changes_leave_the_figures_of_the_corpus_alone(path: Path) -> None:
    check_changes(
        {path.name: path.read_bytes()},
        only={name for name in ALL if (path.name, name) not in UNTRUE},
    )


@pytest.mark.slow
def test_changes_leave_the_figures_of_the_whole_corpus_alone() -> None:
    files = {path.name: path.read_bytes() for path in CORPUS if path.name != KNOWN_BY_NAME}
    untrue = {change for name, change in UNTRUE if name != KNOWN_BY_NAME}
    check_changes(files, only=ALL - untrue)


@pytest.mark.slow
def test_changes_leave_real_figures_alone(
    shared: Path, sample: Callable[[list[Unit], int], list[Unit]]
) -> None:
    folders = [
        inner
        for folder in FOLDERS
        for inner in sorted((shared / folder).iterdir())
        if inner.is_dir()
    ]
    found = [(inner.name, unit) for inner in folders for unit in units(inner)]
    wrong = {
        f"{name}: {fault}"
        for name, unit in sample(found, 40)
        for fault in faults(unit, only=ALL - {change for folder, change in STILL if folder == name})
    }
    assert not wrong, "\n".join(sorted(wrong))


def test_a_reader_of_ones_own_is_held_to_it() -> None:
    check_changes({"a.tally": b"TALLY 3\n", "b/c.tally": b"TALLY 4\n"}, Tally())


class Counting(Tally):
    """A reader that counts a line again when it stands there twice: what it says depends on the ends of lines."""

    def matches(self, file: RunFile) -> bool:
        return b'"tally"' in file.plain_head

    def turns(self, content: bytes) -> int:
        return content.count(b"\n") + content.count(b"\r")


def test_a_reader_that_does_not_withstand_a_change_is_told_which() -> None:
    with pytest.raises(AssertionError, match=r"(?m)^CRLF: turns 2.0 -> 4.0$"):
        check_changes({"a.json": b'{"tally":\n1}\n'}, Counting())


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name)
def test_each_change_changes_something(change: Change) -> None:
    line = b'{"uuid": "a", "type": "user"}\n'
    files = {f"{name}.jsonl": line * 3 + f'"{name}"'.encode() for name in ("a", "b")}
    assert dict(change.make(files, dict.fromkeys(files, Run("Tally log", Status.OK)))) != files
