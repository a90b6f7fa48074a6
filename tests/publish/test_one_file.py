"""A site in one file: the same bytes wherever it is built, whole or not at all, and nothing of others is lost."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from sitegen.errors import PublishError, RefusedOutput
from sitegen.publish import Content, OneFile
from sitegen.publish.manifest import listed_in
from sitegen.publish.one_file import ZIP
from tests.conftest import ROOT
from tests.site.test_build import digest
from tests.support import campaigns
from tests.support.campaigns import OPUS, SONNET, result
from tests.support.command import sitegen

pytestmark = pytest.mark.blank_charts


def runs(folder: Path) -> Path:
    """A small campaign."""
    return campaigns.write(folder, {"a.json": result(1), "b.txt": result(2, OPUS, SONNET)})


def write(output: Path, **files: str) -> None:
    """An archive of these files."""
    with OneFile(output, ZIP) as target:
        for name, text in files.items():
            target.write(f"pages/{name}.html", text.encode())
        target.commit()


def names(folder: Path) -> list[str]:
    """What lies in a folder, hidden files too."""
    return sorted(path.name for path in folder.iterdir())


# The archive


@pytest.mark.slow
def test_the_archive_of_a_site_holds_what_its_folder_holds(tmp_path: Path) -> None:
    runs(tmp_path / "runs")
    done = sitegen("build", "runs", "-o", "site.zip", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == (tmp_path / "site.zip").as_uri()
    assert sitegen("build", "runs", "-o", "site", cwd=tmp_path).returncode == 0
    with zipfile.ZipFile(tmp_path / "site.zip") as archive:
        archive.extractall(tmp_path / "unpacked")
    assert [each.name for each in (tmp_path / "unpacked").iterdir()] == ["site"]
    assert digest(tmp_path / "unpacked/site") == digest(tmp_path / "site")


@pytest.mark.slow
def test_two_archives_of_the_same_runs_have_the_same_bytes(tmp_path: Path) -> None:
    for place in ("one", "two/deeper"):
        runs(tmp_path / place / "runs")
        assert sitegen("build", "runs", "-o", "site.zip", cwd=tmp_path / place).returncode == 0
    first = (tmp_path / "one/site.zip").read_bytes()
    assert first == (tmp_path / "two/deeper/site.zip").read_bytes()
    done = sitegen("build", "runs", "-o", "site.zip", cwd=tmp_path / "one")  # now from the cache
    assert done.returncode == 0
    assert first == (tmp_path / "one/site.zip").read_bytes()
    done = sitegen("build", "runs", "-o", "site.zip", "--no-cache", "-j", "1", cwd=tmp_path / "one")
    assert done.returncode == 0
    assert first == (tmp_path / "one/site.zip").read_bytes()


def test_members_are_in_order_and_have_one_time_and_mode(tmp_path: Path) -> None:
    write(tmp_path / "site.zip", b="2", a="1")
    with zipfile.ZipFile(tmp_path / "site.zip") as archive:
        members = archive.infolist()
    paths = [member.filename for member in members]
    assert paths == [
        f"site/{path}" for path in (".nojekyll", ".sitegen.json", "pages/a.html", "pages/b.html")
    ]
    assert {(each.date_time, each.external_attr >> 16, each.create_system) for each in members} == {
        ((1980, 1, 1, 0, 0, 0), 0o100644, 3)
    }


@pytest.mark.slow
def test_the_output_of_the_settings_may_be_an_archive(tmp_path: Path) -> None:
    runs(tmp_path / "runs")
    campaigns.write(tmp_path, {"config.yaml": "inputs: [runs]\noutput: report/site.zip\n"})
    assert sitegen("build", "-c", "config.yaml", cwd=tmp_path).returncode == 0
    assert zipfile.is_zipfile(tmp_path / "report" / "site.zip")


@pytest.mark.slow
def test_an_archive_that_lies_in_the_inputs_is_not_read_by_the_next_build(tmp_path: Path) -> None:
    runs(tmp_path)
    assert sitegen("build", ".", "-o", "site.zip", cwd=tmp_path).returncode == 0
    first = (tmp_path / "site.zip").read_bytes()
    assert sitegen("build", ".", "-o", "site.zip", cwd=tmp_path).returncode == 0
    assert (tmp_path / "site.zip").read_bytes() == first


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["-o", "site.tar"], "a site is a folder, one .html file or one .zip file"),
        (["-o", "runs.zip"], "is not an archive that sitegen wrote"),
        (["-o", "folder.zip"], "is not a file"),
    ],
)
def test_what_cannot_be_the_archive_is_refused_and_stays(
    tmp_path: Path, options: list[str], what: str
) -> None:
    runs(tmp_path / "runs")
    (tmp_path / "folder.zip").mkdir()
    with zipfile.ZipFile(tmp_path / "runs.zip", "w") as archive:
        archive.writestr("a.json", "{}")
    before = digest(tmp_path)
    done = sitegen("build", "runs", *options, cwd=tmp_path)
    assert done.returncode == 2
    assert what in done.stderr
    assert digest(tmp_path) == before


# Whole or not at all


def broken(site: Path, files: Mapping[str, Content], packed: Path) -> None:
    """Writes some of it, then finds the disk full."""
    packed.write_bytes(f"{site}{files}".encode())
    raise OSError(28, "No space left on device")


def test_an_error_while_packing_leaves_the_old_file(tmp_path: Path) -> None:
    write(tmp_path / "site.zip", a="old")
    before = (tmp_path / "site.zip").read_bytes()
    with OneFile(tmp_path / "site.zip", replace(ZIP, pack=broken)) as target:
        target.write("a.html", b"new")
        with pytest.raises(PublishError, match="the disk is full"):
            target.commit()
    assert (tmp_path / "site.zip").read_bytes() == before
    assert names(tmp_path) == ["site.zip"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
@pytest.mark.slow
@pytest.mark.parametrize("most_kilobytes", [4, 100])
def test_a_file_system_that_takes_no_more_leaves_the_old_file(
    tmp_path: Path, most_kilobytes: int
) -> None:
    runs(tmp_path / "runs")
    write(tmp_path / "site.zip", a="old")
    before = (tmp_path / "site.zip").read_bytes()
    command = f'ulimit -f {most_kilobytes}; exec "$0" -m sitegen build runs -o site.zip --no-cache'
    root = str(ROOT)
    done = subprocess.run(
        ["bash", "-c", command, sys.executable],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        env={
            **os.environ,
            "PYTHONPATH": root,
            "PYTHONDONTWRITEBYTECODE": "1",
        },  # or cut modules stay for other tests
    )
    assert done.returncode == 4, done.stderr
    assert "nothing was published" in done.stderr.lower()
    assert (tmp_path / "site.zip").read_bytes() == before
    assert names(tmp_path) == ["runs", "site.zip"]


def test_leaving_without_a_commit_leaves_nothing(tmp_path: Path) -> None:
    with OneFile(tmp_path / "new" / "site.zip", ZIP) as target:
        target.write("a.html", b"new")
    assert names(tmp_path) == []


def test_what_a_killed_build_left_is_cleared_away(tmp_path: Path) -> None:
    killed = OneFile(tmp_path / "site.zip", ZIP)
    killed.__enter__()
    killed.write("a/b.html", b"half")
    assert killed._lock is not None
    killed._lock.release()  # as the kernel does
    write(tmp_path / "site.zip", a="new")
    assert names(tmp_path) == ["site.zip"]


@pytest.mark.skipif(sys.platform == "win32", reason="its modes say nothing")
def test_a_forged_staging_folder_stays_and_is_reported(tmp_path: Path) -> None:
    forged = tmp_path / ".site.zip.sitegen-0123456789ab"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years", encoding="utf-8")
    forged.mkdir(0o700)
    (forged / "sitegen-staging").touch()
    (forged / "site").symlink_to(tmp_path / "mine")
    with OneFile(tmp_path / "site.zip", ZIP) as target:
        target.write("a.html", b"new")
        assert target.commit().left == (forged.name,)
    assert (tmp_path / "mine" / "thesis.txt").read_text(encoding="utf-8") == "years"


def test_two_files_that_some_system_takes_for_one_are_refused(tmp_path: Path) -> None:
    with OneFile(tmp_path / "site.zip", ZIP) as target:
        target.write("a.html", b"")
        with pytest.raises(PublishError, match="has that name already"):
            target.write("A.html", b"")
        with pytest.raises(PublishError, match="cannot be the path"):
            target.write("../b.html", b"")


@pytest.mark.parametrize("content", [b"text", b"PK\x05\x06 no archive"])
def test_a_file_of_others_is_not_replaced(tmp_path: Path, content: bytes) -> None:
    output = tmp_path / "site.zip"
    output.write_bytes(content)
    with (
        pytest.raises(RefusedOutput, match="is not an archive that sitegen wrote"),
        OneFile(output, ZIP),
    ):
        pass
    output.unlink()
    output.symlink_to(tmp_path / "elsewhere.zip")
    with pytest.raises(RefusedOutput, match="symbolic link"), OneFile(output, ZIP):
        pass


def test_an_input_is_not_replaced_by_the_output(tmp_path: Path) -> None:
    output = tmp_path / "site.zip"
    write(output, a="old")
    with pytest.raises(RefusedOutput, match="is an input"), OneFile(output, ZIP, inputs=[output]):
        pass


@pytest.mark.parametrize("own", [None, b"of the user"])
def test_an_archive_has_a_file_against_jekyll_unless_the_site_has_its_own(
    own: bytes | None, tmp_path: Path
) -> None:
    with OneFile(tmp_path / "site.zip", ZIP) as target:
        target.write("index.html", b"i")
        if own is not None:
            target.write(".nojekyll", own)
        target.commit()
    with zipfile.ZipFile(tmp_path / "site.zip") as archive:
        assert archive.read("site/.nojekyll") == (own or b"")
        listed = listed_in(archive.read("site/.sitegen.json"))
    assert listed == {"index.html": Content.of(b"i"), ".nojekyll": Content.of(own or b"")}
