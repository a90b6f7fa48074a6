"""The places of secrets in files, by file and line."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from sitegen.errors import ConfigError
from sitegen.inputs.scan import scan_files
from sitegen.masking.redact import Redactor

TOKEN = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"


def write(folder: Path, **files: str | bytes) -> Path:
    for name, content in files.items():
        path = folder / name.replace("__", ".")
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def found(*paths: Path) -> list[tuple[str, str, int]]:
    scan = scan_files([str(path) for path in paths], Redactor())
    return [(place.rpartition("/")[2], kind, count) for place, kind, count in scan.findings]


def test_a_secret_is_found_with_its_line_and_equal_ones_are_counted(tmp_path: Path) -> None:
    write(tmp_path, a__txt=f"one\n{TOKEN} {TOKEN}\n\n{TOKEN}\n", b__txt="nothing")
    assert found(tmp_path) == [("a.txt:2", "github token", 2), ("a.txt:4", "github token", 1)]


def test_hidden_files_and_names_of_files_are_searched(tmp_path: Path) -> None:
    write(tmp_path, __env=TOKEN)
    (tmp_path / f"{TOKEN}.txt").write_text("two\nlines")
    assert sorted(found(tmp_path)) == [
        (".env:1", "github token", 1),
        (f"{TOKEN}.txt:1", "github token", 1),
    ]


@pytest.mark.parametrize(
    ("files", "remark"),
    [
        ({"a__bin": b"\0"}, "1 file is not text, and was searched as bytes only: {}/a.bin."),
        (
            {"a__bin": b"\0", "b__pdf": b"%PDF-1"},
            "2 files are not text, and were searched as bytes only: {0}/a.bin, {0}/b.pdf.",
        ),
        ({"a__zip": b"PK"}, "1 archive was not opened. Unpack it to scan what it holds."),
        (
            {"a__zip": b"PK", "b__tar": b""},
            "2 archives were not opened. Unpack them to scan what they hold.",
        ),
        ({"a__txt": b"text"}, ""),
    ],
)
def test_what_was_not_read_as_text_is_said(
    tmp_path: Path, files: dict[str, bytes], remark: str
) -> None:
    scan = scan_files([write(tmp_path, **files)], Redactor())
    assert scan.remarks == ((remark.format(tmp_path),) if remark else ())
    assert scan.files == len(files)


def test_an_archive_is_searched_as_it_lies(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        entry = zipfile.ZipInfo("a.txt")  # of a fixed time: any other may hold a line feed
        archive.writestr(entry, f"\n{TOKEN}\n")
    assert found(tmp_path) == [("a.zip:2", "github token", 1)]


def test_all_paths_that_do_not_exist_are_named(tmp_path: Path) -> None:
    missing = [tmp_path / "one", tmp_path / "two"]
    with pytest.raises(ConfigError) as raised:
        scan_files(missing, Redactor())
    lines = str(raised.value).split("\n\n")
    assert [str(path) in line for path, line in zip(missing, lines, strict=True)] == [True, True]


def test_links_that_were_not_read_and_files_that_are_no_text_are_both_said(tmp_path: Path) -> None:
    write(tmp_path, a__bin=b"\0")
    (tmp_path / "link").symlink_to("a.bin")
    scan = scan_files([tmp_path], Redactor())
    assert scan.remarks == (
        f"1 file is not text, and was searched as bytes only: {tmp_path}/a.bin.",
        "1 link in the inputs was not read. To read a link's target, name that target.",
    )
    assert scan.files == 1


def test_a_file_that_cannot_be_read_is_named_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").symlink_to("nowhere")
    with pytest.raises(ConfigError) as refused:
        scan_files([tmp_path / "gone"], Redactor())
    assert str(refused.value) == (
        "gone: It cannot be read: it no longer exists, or is a broken link."
    )

    def refuse(_: object) -> None:
        raise PermissionError(13, "Permission denied")

    write(tmp_path, a__txt="text")
    monkeypatch.setattr("sitegen.inputs.scan.discover.opened", refuse)
    with pytest.raises(ConfigError) as denied:
        scan_files([tmp_path / "a.txt"], Redactor())
    assert str(denied.value) == f"{tmp_path}/a.txt cannot be read: Permission denied."
