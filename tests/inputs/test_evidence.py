"""Evidence beside runs: whose a file is, and what is shown of it."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path

import pytest

from sitegen.inputs.discover import Neighbours
from sitegen.inputs.evidence import (
    MAX_CHARACTERS,
    READ_BYTES,
    FileEnd,
    describe_missing,
    find_evidence,
    read_end,
)
from sitegen.masking.redact import Redactor
from sitegen.model import Entry, Level, Run, Source, Status
from tests.support.campaigns import write
from tests.support.secret_samples import ALNUM, Maker

TOKEN = "gh" + "p_" + "R7kQ2mZx9LbW4tYc8NvH3sJd6FgA1pEo5uTi"


def entry(folder: Path, path: str) -> Entry:
    page_id = hashlib.sha256(path.encode()).hexdigest()
    source = Source(path, str(folder / path), named=False, size=1, within=path)
    return Entry(page_id, source, 0, "", Run("a reader", Status.OK), path)


def found(folder: Path, *paths: str, names: list[str]) -> dict[str, list[str]]:
    """The evidence of each run that has some, by path."""
    runs = [entry(folder, path) for path in paths]
    beside = find_evidence(runs, names, Neighbours())
    return {
        run.source.path: [source.path for source in beside[run.id]]
        for run in runs
        if run.id in beside
    }


def end_of(path: Path, content: bytes) -> FileEnd:
    path.write_bytes(content)
    return read_end(Source(path.name, str(path), named=False, size=0), Redactor())


def test_files_in_a_folder_belong_to_its_only_run(tmp_path: Path) -> None:
    write(tmp_path, {"a/1.json": "", "a/t.log": "", "a/j.xml": "", "b/1.json": "", "b/t.log": ""})
    write(tmp_path, {"b/2.json": "", "a/deep/t.log": ""})
    names = ["t.log", "j.xml", "none.log"]
    assert found(tmp_path, "a/1.json", "b/1.json", "b/2.json", names=names) == {
        "a/1.json": ["a/t.log", "a/j.xml"]
    }
    assert found(tmp_path, "a/1.json", names=[]) == {}


def test_a_star_is_the_name_of_the_file(tmp_path: Path) -> None:
    write(tmp_path, {"1.json": "", "1.log": "", "2.jsonl": "", "2.log": "", "3.json": ""})
    write(tmp_path, {"3.jsonl": "", "3.log": ""})
    paths = ("1.json", "2.jsonl", "3.json", "3.jsonl")
    assert found(tmp_path, *paths, names=["*.log"]) == {"1.json": ["1.log"], "2.jsonl": ["2.log"]}


def test_the_file_of_a_run_is_no_evidence(tmp_path: Path) -> None:
    write(tmp_path, {"1.json": "", "2.log": "", "1.log": ""})
    run, other = entry(tmp_path, "1.json"), entry(tmp_path, "2.log")
    assert find_evidence([run, other], ["2.log", "1.json"], Neighbours()) == {}
    (copy,) = find_evidence([run], ["1.log"], Neighbours())[run.id]
    assert find_evidence([replace(run, copied_from=(copy,))], ["1.log"], Neighbours()) == {}
    lane = replace(other, source=copy)
    assert find_evidence([replace(run, lanes=(lane,))], ["1.log"], Neighbours()) == {}


def test_what_is_stated_in_another_file_has_evidence_there_too(tmp_path: Path) -> None:
    write(tmp_path, {"agent/1.json": "", "result.json": "", "t.log": ""})
    run = replace(
        entry(tmp_path, "agent/1.json"), stated_in=(entry(tmp_path, "result.json").source,)
    )
    assert [source.path for source in find_evidence([run], ["t.log"], Neighbours())[run.id]] == [
        "t.log"
    ]


def test_inputs_of_the_lowest_level_have_none(tmp_path: Path) -> None:
    write(tmp_path, {"1.json": "", "t.log": ""})
    run = entry(tmp_path, "1.json")
    private = replace(run, source=replace(run.source, level=Level.NONE))
    assert find_evidence([run], ["t.log"], Neighbours()) and not find_evidence(
        [private], ["t.log"], Neighbours()
    )


def test_links_folders_and_pipes_are_no_evidence(tmp_path: Path) -> None:
    write(tmp_path, {"secret": TOKEN, "runs/1.json": ""})
    (tmp_path / "runs/t.log").symlink_to(tmp_path / "secret")
    (tmp_path / "runs/d.log").mkdir()
    os.mkfifo(tmp_path / "runs/p.log")
    assert found(tmp_path / "runs", "1.json", names=["t.log", "d.log", "p.log"]) == {}
    later = Source("t.log", str(tmp_path / "runs/t.log"), named=False, size=0)
    assert read_end(later, Redactor()).text == ""
    assert "symbolic link" in read_end(later, Redactor()).note


def test_a_short_file_is_shown_whole_and_masked(tmp_path: Path) -> None:
    end = end_of(tmp_path / "t.log", f"one\x1b[31m\n{TOKEN}\n".encode())
    assert end.text.startswith("one\n[redacted: github token") and end.note == ""
    assert end_of(tmp_path / "t.log", b"") == replace(end, text="", digest=end_of_nothing())


def end_of_nothing() -> str:
    return hashlib.sha256(b"0 ").hexdigest()


def test_of_a_long_file_the_last_lines_are_shown(tmp_path: Path) -> None:
    end = end_of(tmp_path / "t.log", b"".join(b"line %d\n" % n for n in range(150)))
    assert end.text.startswith("line 50\n") and end.text.endswith("line 149")
    assert end.note == "its last 100 lines"
    end = end_of(tmp_path / "t.log", b"".join(b"%04d" % n + b"x" * 996 + b"\n" for n in range(50)))
    assert len(end.text) <= MAX_CHARACTERS + 9 and end.note == "its last 10 lines"


@pytest.mark.parametrize("length", [MAX_CHARACTERS + 1, 2 * READ_BYTES])
def test_a_line_that_is_too_long_is_not_cut(tmp_path: Path, length: int) -> None:
    end = end_of(tmp_path / "t.log", b"x" * length)
    assert (end.text, end.note) == ("", "its last line is too long to show")


def test_what_is_left_of_a_secret_where_reading_begins_is_not_shown(tmp_path: Path) -> None:
    """The rest of the file is keys, whose masks are so short that the first lines would have room."""
    maker = Maker(7)
    name = "PRIVATE " + "KEY-----"
    body = "\n".join(maker.of(ALNUM, 64) for _ in range(25))
    keys = 20 * f"-----BEGIN {name}\n{body}\n-----END {name}\n"
    rest = f"\n{TOKEN[14:]}\n{keys}"
    padding = "\n" * (READ_BYTES - len(rest))
    end = end_of(tmp_path / "t.log", f"{TOKEN[:14]}\\{rest}{padding}".encode())
    assert end.text.count("[redacted: private key") == 20 and end.note == "its last 20 lines"
    assert TOKEN[14:] not in end.text and body[:64] not in end.text


def test_a_giant_file_is_read_from_its_end(tmp_path: Path) -> None:
    path = tmp_path / "t.log"
    with path.open("wb") as file:
        file.truncate(2 * 1024**3)
        file.seek(0, os.SEEK_END)
        file.write(b"\n" * READ_BYTES + b"done\n")
    end = read_end(Source("t.log", str(path), named=False, size=0), Redactor())
    assert end.text.endswith("done") and end.note == "its last 100 lines"


def test_what_is_no_text_is_not_shown(tmp_path: Path) -> None:
    assert end_of(tmp_path / "t.png", b"\x89PNG\0\0").note == "it is not text"
    assert (
        "cannot be read"
        in read_end(Source("no", str(tmp_path / "no"), named=False, size=0), Redactor()).note
    )


def test_the_digest_changes_with_the_end_and_the_size(tmp_path: Path) -> None:
    path = tmp_path / "t.log"
    digests = {
        end_of(path, content).digest for content in (b"a", b"b", b"x" * 2**20, b"x" * 2**20 + b"x")
    }
    assert len(digests) == 4


def test_a_path_with_markup_and_a_secret_is_masked(tmp_path: Path) -> None:
    path = tmp_path / "t.log"
    path.write_text("x")
    source = Source(f"{TOKEN}/t.log", str(path), named=False, size=0)
    assert TOKEN not in read_end(source, Redactor()).source.path


def test_a_name_that_fits_no_file_is_reported_with_the_nearest_one(tmp_path: Path) -> None:
    write(tmp_path, {"1.json": "{}", "test.log": "passed"})
    run = entry(tmp_path, "1.json")
    assert list(describe_missing([run], ["test.log", "tests.log", "*.txt"], Neighbours())) == [
        "evidence: no run has a file tests.log beside it; did you mean 'test.log'?",
        "evidence: no run has a file *.txt beside it. Links and files in archives are not taken.",
    ]


def test_a_file_of_as_many_bytes_as_are_read_is_shown_whole(tmp_path: Path) -> None:
    lines = b"x" * 99 + b"\n"
    whole = end_of(tmp_path / "t.log", lines * 99)
    assert (whole.note, whole.text.count("\n")) == ("", 98)
    exact = end_of(tmp_path / "t.log", b"\n" * (64 * 1024 - 2) + b"a\n")
    assert exact.note == "its last 100 lines"
    assert end_of(tmp_path / "t.log", b"X\n\n\n").text == "X"
    assert end_of(tmp_path / "t.log", b"\nX").text == "\nX"


def test_of_a_file_that_is_cut_the_first_two_lines_are_not_shown(tmp_path: Path) -> None:
    end = end_of(tmp_path / "t.log", b"y" * 64 * 1024 + b"\nsecond\nthird\nlast")
    assert (end.text, end.note) == ("third\nlast", "its last 2 lines")
    short = end_of(tmp_path / "t.log", b"y" * 64 * 1024 + b"\nsecond\nlast")
    assert (short.text, short.note) == ("last", "its last 1 line")


def test_lines_are_left_out_until_ten_thousand_characters_are_left(tmp_path: Path) -> None:
    assert end_of(tmp_path / "t.log", b"a\n" + b"x" * 9_999).note == ""
    assert end_of(tmp_path / "t.log", b"a\n" + b"x" * 10_000).note == "its last 1 line"


def test_the_digest_is_of_the_size_and_the_end(tmp_path: Path) -> None:
    assert end_of(tmp_path / "t.log", b"ab").digest == hashlib.sha256(b"2 ab").hexdigest()
    gone = read_end(Source("no", str(tmp_path / "no"), named=False, size=0), Redactor())
    assert gone.digest == ""
    assert gone.note == "it cannot be read: it no longer exists, or is a broken link"


def test_runs_that_show_nothing_are_not_asked_for_evidence(tmp_path: Path) -> None:
    run = entry(tmp_path, "1.json")
    private = replace(run, source=replace(run.source, level=Level.NONE))
    assert list(describe_missing([private], ["t.log"], Neighbours())) == []
    assert len(list(describe_missing([private, run], ["t.log"], Neighbours()))) == 1
