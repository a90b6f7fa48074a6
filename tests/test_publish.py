"""What a build promises, checked on real file systems: a real lock, real processes, real kills.

Where a system is to lack something, the test gives the publication a call that answers as such a system would. Faults
are raised by an audit hook in a child process, at the very call that Python makes to the system.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import platform
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from sitegen.errors import PublishError, RefusedOutput
from sitegen.places import MANIFEST
from sitegen.publish import Publication, Published, clean, exchange, recover
from sitegen.publish.exchange import exchange_by, exchange_names
from sitegen.publish.refusal import refuse_dangerous
from tests.conftest import ROOT
from tests.support.kills import kill_builds

pytestmark = pytest.mark.slow

Files = dict[str, bytes]

OLD: Files = {"index.html": b"old index", "runs/a.html": b"old a", "runs/b.html": b"old b", "gone/c.html": b"old c"}
NEW: Files = {"index.html": b"new index", "runs/a.html": b"new a", "runs/d/e.html": b"new e", "runs/b.html": b"old b"}
FOREIGN: Files = {"CNAME": b"example.org\n", "runs/notes.txt": b"mine", "photos/2024/p.jpg": b"\xff\xd8"}


def unsupported(first: Path, second: Path) -> None:
    raise OSError(errno.EINVAL, "this file system has no exchange", str(first), None, str(second))


def busy(first: Path, second: Path) -> None:
    raise OSError(errno.EBUSY, "mount point", str(first), None, str(second))


def rename_unless_published(first: Path, second: Path) -> None:
    """As for a mount point: its name cannot be changed, other names can."""
    if first.name == "site" and (first / MANIFEST).exists() and not first.parent.name.startswith("."):
        busy(first, second)
    first.rename(second)


WAYS: dict[str, dict[str, Callable[[Path, Path], None]]] = {
    "exchange": {},
    "two renames": {"exchange": unsupported},
    "file by file": {"exchange": unsupported, "rename": rename_unless_published},
}

every_way = pytest.mark.parametrize("way", WAYS)
posix_only = pytest.mark.skipif(os.name != "posix", reason="needs fork and POSIX modes")
linux_only = pytest.mark.skipif(platform.system() != "Linux", reason="needs renameat2")


def build(output: Path, files: Files, way: str = "exchange") -> Published:
    with Publication(output, **WAYS[way]) as publication:  # type: ignore[arg-type]
        for path, data in files.items():
            publication.write(path, data)
        return publication.commit()


def add(output: Path, files: Files) -> None:
    for path, data in files.items():
        (output / path).parent.mkdir(parents=True, exist_ok=True)
        (output / path).write_bytes(data)


def content(folder: Path) -> Files:
    """All files below a folder, without the two that every site has."""
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name not in (MANIFEST, ".nojekyll")]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def everything(folder: Path) -> dict[str, bytes | str | None]:
    """Every path below a folder with its bytes, its link target, or None for a folder."""
    return {
        path.relative_to(folder).as_posix(): str(path.readlink())
        if path.is_symlink()
        else path.read_bytes()
        if path.is_file()
        else None
        for path in folder.rglob("*")
    }


def beside(output: Path) -> list[str]:
    return sorted(path.name for path in output.parent.iterdir() if path != output)


def in_child(work: Callable[[], None]) -> int:
    """Run `work` in a copy of this process and return how it ended: its exit code, or minus the signal."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException as error:
            os.write(2, f"{error!r}\n".encode())
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """A place for a site in a folder of its own."""
    (tmp_path / "place").mkdir()
    return tmp_path / "place" / "site"


# The site


def test_the_first_build_is_one_rename(output: Path) -> None:
    published = build(output, OLD)
    assert (published.mode, published.files, published.carried, published.left) == ("one rename", 5, (), ())
    assert published.size == sum(map(len, OLD.values()))
    assert content(output) == OLD
    assert (output / ".nojekyll").read_bytes() == b""
    assert beside(output) == []


def test_an_empty_folder_is_filled(output: Path) -> None:
    output.mkdir()
    assert build(output, OLD).mode == "one rename"
    assert content(output) == OLD


def test_missing_folders_above_the_output_are_made(tmp_path: Path) -> None:
    build(tmp_path / "a" / "b" / "site", OLD)
    assert content(tmp_path / "a" / "b" / "site") == OLD


def test_folders_made_above_the_output_vanish_with_a_failed_build(tmp_path: Path) -> None:
    with Publication(tmp_path / "a" / "b" / "site"):
        assert (tmp_path / "a" / "b").is_dir()
    assert list(tmp_path.iterdir()) == []


@every_way
def test_a_rebuild_replaces_the_site_and_leaves_nothing_behind(output: Path, way: str) -> None:
    if way == "exchange" and platform.system() not in ("Linux", "Darwin"):
        pytest.skip("this system exchanges no names")
    build(output, OLD)
    published = build(output, NEW, way)
    assert (published.mode, published.carried, published.left) == (way, (), ())
    assert content(output) == NEW
    assert not (output / "gone").exists()
    assert beside(output) == []


@every_way
def test_a_file_may_become_a_folder_and_a_folder_a_file(output: Path, way: str) -> None:
    build(output, {"a": b"file", "b/c/d": b"below"})
    build(output, {"a/x": b"below", "b": b"file"}, way)
    assert content(output) == {"a/x": b"below", "b": b"file"}


def test_the_manifest_lists_every_file_with_size_and_digest(output: Path) -> None:
    build(output, {"b.html": b"abc", "a.html": b""})
    text = (output / MANIFEST).read_text(encoding="utf-8")
    empty = {"sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "size": 0}
    abc = {"sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "size": 3}
    manifest = json.loads(text)
    assert manifest["schema"] == 1
    assert manifest["generator"].startswith("sitegen ")
    assert manifest["files"] == {".nojekyll": empty, "a.html": empty, "b.html": abc}
    assert list(manifest["files"]) == sorted(manifest["files"])
    assert text.endswith("}\n")


@every_way
def test_the_same_files_give_the_same_site_whatever_was_there(output: Path, tmp_path: Path, way: str) -> None:
    build(tmp_path / "fresh", NEW)
    build(output, OLD)
    build(output, dict(reversed(NEW.items())), way)
    assert everything(output) == everything(tmp_path / "fresh")


@posix_only
@every_way
def test_files_are_0644_and_folders_0755_whatever_the_umask(output: Path, way: str) -> None:
    def work() -> None:
        os.umask(0o077)
        build(output, OLD)
        build(output, NEW, way)

    assert in_child(work) == 0
    modes = {stat.S_IMODE(path.stat().st_mode) for path in [output, *output.rglob("*")] if path.is_dir()}
    assert modes == {0o755}
    assert {stat.S_IMODE(path.stat().st_mode) for path in output.rglob("*") if path.is_file()} == {0o644}


# Names


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        "..",
        "/etc/passwd",
        "a/../b",
        "../a",
        "a\\b",
        "a\0b",
        "a\nb",
        "a\x1b[0m",
        "x" * 256,
        "ü" * 128,
        "\udcff",
    ],
)
def test_an_unsafe_path_is_refused(output: Path, path: str) -> None:
    with Publication(output) as publication, pytest.raises(PublishError, match=r"cannot be the path|longer than"):
        publication.write(path, b"")


def test_a_name_may_have_255_bytes(output: Path) -> None:
    files = {"x" * 255: b"1", "ü" * 127: b"2"}
    build(output, files)
    assert content(output) == files


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("a.html", "a.html"),
        ("a.html", "A.html"),
        ("Straße.html", "STRASSE.html"),
        ("\u00e9.html", "e\u0301.html"),
        ("runs/a.html", "Runs/b.html"),
        ("a", "a/b"),
        ("a/b", "a"),
    ],
)
def test_two_paths_that_some_file_system_takes_for_one_are_refused(output: Path, first: str, second: str) -> None:
    with Publication(output) as publication:
        publication.write(first, b"")
        with pytest.raises(PublishError, match="has that name already"):
            publication.write(second, b"")


def test_the_manifest_cannot_be_written_by_a_page(output: Path) -> None:
    with Publication(output) as publication, pytest.raises(PublishError, match="has that name already"):
        publication.write(MANIFEST, b"")


# What is not ours


@every_way
def test_foreign_files_are_carried_over_untouched_and_listed(output: Path, way: str) -> None:
    build(output, OLD)
    add(output, FOREIGN)
    (output / "CNAME").chmod(0o600)
    os.utime(output / "CNAME", ns=(10**18, 10**18 + 1))
    before = (output / "CNAME").stat()
    published = build(output, NEW, way)
    assert published.carried == tuple(sorted(FOREIGN))
    assert published.left == ()
    assert content(output) == NEW | FOREIGN
    after = (output / "CNAME").stat()
    assert (after.st_mode, after.st_mtime_ns, after.st_ino) == (before.st_mode, before.st_mtime_ns, before.st_ino)
    assert after.st_nlink == 1
    assert beside(output) == []


@every_way
def test_foreign_files_stay_foreign_build_after_build(output: Path, way: str) -> None:
    build(output, OLD)
    add(output, FOREIGN)
    for files in (NEW, OLD, NEW):
        assert build(output, files, way).carried == tuple(sorted(FOREIGN))
        assert content(output) == files | FOREIGN


@every_way
def test_foreign_folders_keep_modes_and_times_even_when_empty(output: Path, way: str) -> None:
    build(output, OLD)
    (output / "empty" / "inner").mkdir(parents=True)
    (output / "photos").mkdir()
    (output / "photos" / "p").write_bytes(b"p")
    (output / "photos").chmod(0o700)
    os.utime(output / "photos", ns=(10**18, 10**18))
    assert build(output, NEW, way).carried == ("empty/inner/", "photos/p")
    assert (output / "empty" / "inner").is_dir()
    assert stat.S_IMODE((output / "photos").stat().st_mode) == 0o700
    assert (output / "photos").stat().st_mtime_ns == 10**18


@every_way
def test_foreign_links_are_carried_as_links_and_not_followed(output: Path, tmp_path: Path, way: str) -> None:
    outside = tmp_path / "outside"
    add(outside, {"secret.txt": b"keep"})
    build(output, OLD)
    (output / "folder").symlink_to(outside)
    (output / "nowhere").symlink_to("does/not/exist")
    assert build(output, NEW, way).carried == ("folder", "nowhere")
    assert (output / "folder").readlink() == outside
    assert str((output / "nowhere").readlink()) == "does/not/exist"
    assert content(outside) == {"secret.txt": b"keep"}


@posix_only
@pytest.mark.parametrize("way", ["exchange", "two renames"])
def test_a_foreign_pipe_is_carried_and_not_read(output: Path, way: str) -> None:
    build(output, OLD)
    os.mkfifo(output / "pipe")
    assert build(output, NEW, way).carried == ("pipe",)
    assert stat.S_ISFIFO((output / "pipe").lstat().st_mode)


@posix_only
def test_a_foreign_name_that_is_no_text_is_carried_and_shown_escaped(output: Path) -> None:
    build(output, OLD)
    (output / os.fsdecode(b"caf\xe9\n")).write_bytes(b"mine")
    published = build(output, NEW)
    assert published.carried == ("caf\\udce9\\n",)
    assert os.fsencode(output / os.fsdecode(b"caf\xe9\n")) in [os.fsencode(path) for path in output.iterdir()]


def test_a_file_of_ours_that_somebody_changed_is_carried_when_it_is_no_longer_written(output: Path) -> None:
    build(output, OLD)
    (output / "gone" / "c.html").write_bytes(b"my own words")
    assert build(output, NEW).carried == ("gone/c.html",)
    assert (output / "gone" / "c.html").read_bytes() == b"my own words"


def test_a_file_of_ours_with_new_times_but_the_same_bytes_is_still_ours(output: Path) -> None:
    build(output, OLD)
    os.utime(output / "gone" / "c.html", ns=(0, 0))
    assert build(output, NEW).carried == ()
    assert not (output / "gone").exists()


CLASHES = [
    ("index.html", "index.html"),  # ours, changed
    ("new.html", "new.html"),  # foreign
    ("NEW.html", "NEW.html"),  # differs in case only
    ("new.html/x", "new.html"),  # a folder where a page goes
    ("folder", "folder"),  # a file where a folder goes
]


@every_way
@pytest.mark.parametrize(("theirs", "named"), CLASHES)
def test_a_name_clash_stops_the_build_and_is_named(output: Path, way: str, theirs: str, named: str) -> None:
    build(output, OLD)
    add(output, {theirs: b"theirs"})
    before = everything(output)
    with pytest.raises(PublishError) as stopped:
        build(output, {"index.html": b"new", "new.html": b"new", "folder/page.html": b"new"}, way)
    assert f"holds {named}, which sitegen did not write or which was changed since" in str(stopped.value)
    assert everything(output) == before
    assert beside(output) == []


def test_a_clash_that_appears_while_the_build_runs_stops_it_too(output: Path) -> None:
    build(output, OLD)
    with Publication(output) as publication:
        publication.write("new.html", b"ours")
        add(output, {"new.html": b"theirs"})
        with pytest.raises(PublishError, match=r"holds new\.html, which sitegen did not write"):
            publication.commit()
    assert content(output) == OLD | {"new.html": b"theirs"}
    assert beside(output) == []


def test_a_foreign_link_in_place_of_a_folder_of_ours_is_a_clash(output: Path, tmp_path: Path) -> None:
    build(output, {"index.html": b"1"})
    (tmp_path / "elsewhere").mkdir()
    (output / "runs").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PublishError, match="holds runs, which"):
        build(output, NEW)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_page_may_take_the_place_of_a_foreign_file_with_the_same_bytes(output: Path) -> None:
    build(output, OLD)
    add(output, {"new.html": b"same"})
    assert build(output, {"new.html": b"same"}).carried == ()
    build(output, {})
    assert content(output) == {}


def test_what_is_put_into_the_old_site_while_the_build_runs_is_carried_over(output: Path) -> None:
    build(output, OLD)
    with Publication(output) as publication:
        add(output, {"CNAME": b"example.org", "gone/c.html": b"changed"})
        assert publication.commit().carried == ("CNAME", "gone/c.html")
    assert content(output) == {"CNAME": b"example.org", "gone/c.html": b"changed"}


def test_what_changes_in_the_very_moment_of_the_exchange_is_left_and_reported(output: Path) -> None:
    build(output, OLD)

    def exchange_while_somebody_writes(first: Path, second: Path) -> None:
        add(output, {"late.txt": b"late", "index.html": b"edited"})
        second.rename(first.parent / "between")
        first.rename(second)
        (first.parent / "between").rename(first)

    with Publication(output, exchange=exchange_while_somebody_writes) as publication:
        publication.write("index.html", b"new")
        published = publication.commit()
    (staging,) = beside(output)
    assert published.left == (f"{staging}/site/index.html", f"{staging}/site/late.txt")
    assert (output.parent / staging / "site" / "late.txt").read_bytes() == b"late"
    again = build(output, {"index.html": b"newer"})
    assert again.left == published.left
    shutil.rmtree(output.parent / staging)
    assert build(output, {"index.html": b"newest"}).left == ()


# The manifest, damaged


DAMAGED = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe",
    b"[" * 100_000,
    b'{"schema":1}',
    b'{"schema":1,"files":[]}',
    b'{"schema":2,"files":{}}',
    b'{"schema":1,"files":{"a":1}}',
    b'{"schema":' + b"1" * 5_000 + b"}",
]


@pytest.mark.parametrize("damaged", DAMAGED, ids=lambda data: repr(data[:30]))
def test_with_a_damaged_manifest_nothing_is_deleted_and_an_unchanged_site_is_whole_again(
    output: Path, damaged: bytes
) -> None:
    build(output, OLD)
    good = (output / MANIFEST).read_bytes()
    (output / MANIFEST).write_bytes(damaged)
    add(output, FOREIGN)
    assert build(output, OLD).carried == tuple(sorted(FOREIGN))
    assert content(output) == OLD | FOREIGN
    assert (output / MANIFEST).read_bytes() == good
    (output / MANIFEST).write_bytes(damaged)
    with pytest.raises(PublishError, match=r"holds index\.html, and \.sitegen\.json, which would say"):
        build(output, NEW)
    assert content(output) == OLD | FOREIGN


def test_every_cut_and_every_flipped_bit_of_a_manifest_gives_the_site_of_a_cold_build(output: Path) -> None:
    files = {"index.html": b"i", "a/b.html": b"b"}
    build(output, files)
    cold = everything(output)
    good = (output / MANIFEST).read_bytes()
    cuts = [good[:length] for length in range(len(good))]
    flips = [good[:at] + bytes([good[at] ^ 1 << at % 8]) + good[at + 1 :] for at in range(len(good))]
    for damaged in cuts + flips:
        (output / MANIFEST).write_bytes(damaged)
        build(output, files)
        assert everything(output) == cold, damaged


def test_a_manifest_that_lists_paths_outside_deletes_nothing_there(output: Path, tmp_path: Path) -> None:
    build(output, OLD)
    add(tmp_path, {"victim": b""})
    manifest = json.loads((output / MANIFEST).read_bytes())
    nothing = manifest["files"][".nojekyll"]
    manifest["files"] |= {"../../victim": nothing, str(tmp_path / "victim"): nothing}
    (output / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(PublishError, match="cannot be read"):
        build(output, NEW, "file by file")
    build(output, OLD, "file by file")
    assert (tmp_path / "victim").exists()
    assert content(output) == OLD


# Refusals


def refused(output: Path, *inputs: Path) -> str:
    with pytest.raises(RefusedOutput) as refusal:
        refuse_dangerous(output, inputs)
    with pytest.raises(RefusedOutput), Publication(output, inputs=inputs):
        pass
    text = str(refusal.value)
    assert "\n" not in text
    return text


def test_the_root_is_refused() -> None:
    assert "is the root of the file system" in refused(Path("/"))


def test_home_and_what_holds_it_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "homes" / "me").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "homes" / "me"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "homes" / "me"))
    assert "your home folder" in refused(tmp_path / "homes" / "me")
    assert "your home folder" in refused(tmp_path / "homes")


@pytest.mark.parametrize("path", [".", "..", "../..", "../here", "sub/.."])
def test_the_working_folder_and_what_holds_it_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    (tmp_path / "above" / "here" / "sub").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "above" / "here")
    assert "the folder you are in" in refused(Path(path))


def test_an_input_and_what_holds_it_are_refused(tmp_path: Path) -> None:
    runs = tmp_path / "data" / "runs"
    add(runs, {"a.json": b"{}"})
    for output in (runs, tmp_path / "data"):
        assert "is or holds an input" in refused(output, runs)
    assert "is or holds an input" in refused(runs, runs / "a.json")
    assert "is or holds an input" in refused(runs, runs / "*.json")
    (tmp_path / "link").symlink_to(runs)
    assert "is or holds an input" in refused(runs, tmp_path / "link")


def test_a_site_inside_an_input_is_allowed(tmp_path: Path) -> None:
    add(tmp_path / "runs", {"a.json": b"{}"})
    with Publication(tmp_path / "runs" / "site", inputs=[tmp_path / "runs"]) as publication:
        publication.commit()
    assert (tmp_path / "runs" / "site" / MANIFEST).exists()


@pytest.mark.parametrize("git", ["folder", "file"])
def test_the_root_of_a_git_repository_is_refused_even_with_a_manifest(output: Path, git: str) -> None:
    build(output, OLD)
    (output / ".git").mkdir() if git == "folder" else (output / ".git").write_bytes(b"gitdir: ../x")
    assert "is the root of a git repository" in refused(output)


def test_a_symbolic_link_is_refused(output: Path, tmp_path: Path) -> None:
    build(tmp_path / "real", OLD)
    output.symlink_to(tmp_path / "real")
    assert "is a symbolic link" in refused(output)
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    assert "is a symbolic link" in refused(tmp_path / "dangling")


def test_a_file_is_refused(output: Path) -> None:
    output.write_bytes(b"")
    assert "is not a folder" in refused(output)


def test_a_folder_that_is_not_empty_and_has_no_manifest_is_refused(output: Path) -> None:
    add(output, FOREIGN)
    assert "is not empty and holds no .sitegen.json" in refused(output)
    (output / MANIFEST).symlink_to("CNAME")
    assert "is not empty" in refused(output)
    assert content(output) == FOREIGN


def test_a_folder_that_is_filled_while_the_build_runs_is_refused(output: Path) -> None:
    with Publication(output) as publication:
        add(output, FOREIGN)
        with pytest.raises(RefusedOutput, match="is not empty"):
            publication.commit()
    assert content(output) == FOREIGN
    assert beside(output) == []


@pytest.mark.parametrize("path", ["file/site", "file/below/site", "x" * 250])
def test_an_output_that_cannot_be_written_fails_before_any_work(tmp_path: Path, path: str) -> None:
    add(tmp_path, {"file": b""})
    with pytest.raises(PublishError, match=r"cannot (write to|look at)"), Publication(tmp_path / path):
        pytest.fail("the context was entered")
    assert everything(tmp_path) == {"file": b""}


# Leaving without a commit


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, SystemExit, PublishError])
def test_any_exception_leaves_the_old_site_and_nothing_else(output: Path, error: type[BaseException]) -> None:
    build(output, OLD)
    add(output, FOREIGN)
    before = everything(output)
    with pytest.raises(error), Publication(output) as publication:
        publication.write("index.html", b"new")
        raise error
    assert everything(output) == before
    assert beside(output) == []


@posix_only
def test_a_killed_build_leaves_the_old_site_and_the_next_one_cleans_up(output: Path) -> None:
    build(output, OLD)
    add(output, FOREIGN)

    def killed() -> None:
        with Publication(output) as publication:
            publication.write("index.html", b"new")
            os.kill(os.getpid(), signal.SIGKILL)

    assert in_child(killed) == -signal.SIGKILL
    assert content(output) == OLD | FOREIGN
    assert len(beside(output)) == 2  # staging and lock
    build(output, NEW)
    assert content(output) == NEW | FOREIGN
    assert beside(output) == []


@posix_only
def test_a_crash_between_the_two_renames_is_repaired_by_the_next_build(output: Path) -> None:
    build(output, OLD)
    add(output, FOREIGN)

    def rename_once(first: Path, second: Path) -> None:
        first.rename(second)
        os.kill(os.getpid(), signal.SIGKILL)

    def killed() -> None:
        with Publication(output, exchange=unsupported, rename=rename_once) as publication:
            publication.write("index.html", b"new")
            publication.commit()

    assert in_child(killed) == -signal.SIGKILL
    assert not output.exists()
    with pytest.raises(KeyError), Publication(output):
        raise KeyError  # even a build that fails has repaired it
    assert content(output) == OLD | FOREIGN
    assert beside(output) == []


def test_when_the_second_of_two_renames_fails_the_old_site_is_put_back(output: Path) -> None:
    build(output, OLD)

    def rename(first: Path, second: Path) -> None:
        if second == output:
            raise OSError(errno.EIO, "I/O error")
        first.rename(second)

    broken = Publication(output, exchange=unsupported, rename=rename)
    with pytest.raises(PublishError, match="disk reports an error"), broken:
        broken.commit()
    assert content(output) == OLD
    assert beside(output) == []


def test_a_folder_that_only_looks_like_staging_is_not_touched(output: Path) -> None:
    lookalikes = {".site.sitegen-0123456789ab/mine.txt": b"1", ".other.sitegen-0123456789ab/sitegen-staging": b"2"}
    add(output.parent, lookalikes)
    build(output, OLD)
    build(output, NEW)
    assert content(output.parent) == lookalikes | {f"site/{path}": data for path, data in NEW.items()}


# Faults, one call at a time

WRITING = (
    "os.mkdir",
    "os.rename",
    "os.remove",
    "os.rmdir",
    "os.link",
    "os.symlink",
    "os.chmod",
    "os.utime",
    "open",
    "os.scandir",
)


def build_with_fault(output: Path, way: str, at: int, fault: BaseException | None) -> bool:
    """Whether a rebuild in a child ended without meeting the fault at its k-th call: an exception, or a kill (None)."""

    def exchange(first: Path, second: Path) -> None:
        sys.audit("os.rename", first, second, -1, -1)  # ctypes reports no such event
        exchange_names(first, second)

    def work() -> None:
        ways = WAYS[way] if way != "exchange" else {"exchange": exchange}
        calls = 0

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal calls
            if event in WRITING and not (event == "open" and arguments[1] is None and arguments[2] == os.O_RDONLY):
                calls += 1
                if calls == at:
                    if fault is None:
                        os.kill(os.getpid(), signal.SIGKILL)
                    else:
                        raise fault

        sys.addaudithook(hook)
        try:
            with Publication(output, **ways) as publication:
                for path, data in NEW.items():
                    publication.write(path, data)
                publication.commit()
        except PublishError:
            os._exit(4)
        except KeyboardInterrupt:
            os._exit(130)
        os._exit(0 if calls < at else 3)

    code = in_child(work)
    assert code in (0, 3, 4, 130, -signal.SIGKILL)
    return code == 0


injected: dict[tuple[str, str], int] = {}
"""Faults by way of publishing and kind."""

FAULTS = [OSError(number, os.strerror(number)) for number in (errno.ENOSPC, errno.EACCES, errno.EIO)]


@linux_only
@every_way
@pytest.mark.parametrize("fault", [None, KeyboardInterrupt(), *FAULTS], ids=repr)
def test_a_fault_at_any_call_leaves_a_whole_site_all_foreign_files_and_a_clean_next_build(
    output: Path, way: str, fault: BaseException | None, sample: Callable[[Sequence[int], int], list[int]]
) -> None:
    """On a push at a third of the calls, which the commit chooses."""
    tried, finished = sorted(sample(range(1, 2_000), 3)), False
    for at in tried:
        shutil.rmtree(output.parent)
        output.parent.mkdir()
        build(output, OLD)
        add(output, FOREIGN)
        finished = build_with_fault(output, way, at, fault)
        if isinstance(fault, KeyboardInterrupt):  # an interrupted build cleans up itself
            assert beside(output) in ([], [".site.sitegen.lock"]), f"call {at}"
            assert not list(output.glob(".site.sitegen-*")), f"call {at}"
        if output.exists() and way != "file by file":
            assert content(output) in (OLD | FOREIGN, NEW | FOREIGN), f"call {at}"
        with Publication(output):  # repairs, and writes nothing
            pass
        assert content(output) in (OLD | FOREIGN, NEW | FOREIGN), f"call {at}"
        published = build(output, NEW)
        assert published.carried == tuple(sorted(FOREIGN)), f"call {at}"
        assert content(output) == NEW | FOREIGN, f"call {at}"
        assert (beside(output), published.left) == ([], ()), f"call {at}"
        if finished:
            break
    assert finished
    injected[way, repr(fault)] = tried.index(at)


def test_enough_faults_were_injected() -> None:
    expected = len(WAYS) * (2 + len(FAULTS))
    if len(injected) < expected:
        pytest.skip("needs the test of faults before it, in full")
    assert sum(injected.values()) >= 300, injected
    assert min(injected.values()) > 10


# Errors of the system


def unprivileged(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script with sitegen imported, as a user who is not root."""
    lead = f"""
        import os, sys
        sys.path.insert(0, {str(ROOT)!r})
        from pathlib import Path, PurePosixPath
        from sitegen.errors import PublishError
        from sitegen.publish import Publication
        if os.geteuid() == 0:
            try:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            except OSError:
                sys.exit(77)
        output = Path(sys.argv[1])
    """
    text = textwrap.dedent(lead) + textwrap.dedent(script)
    done = subprocess.run([sys.executable, "-c", text, *arguments], capture_output=True, encoding="utf-8")
    if done.returncode == 77:
        pytest.skip("this root cannot become another user")
    return done


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder in which everybody may write, also below: the one of pytest is closed to other users."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o777)
    yield made
    subprocess.run(["chmod", "-R", "u+rwx", str(made)], check=True)
    shutil.rmtree(made)


PUBLISH = """
    try:
        with Publication(output) as publication:
            for path in ("index.html", "runs/a.html"):
                publication.write(path, b"by somebody")
            print(publication.commit())
    except PublishError as error:
        print(error)
"""


@posix_only
@pytest.mark.parametrize("closed", ["parent", "site"])
def test_without_permission_there_is_one_sentence_and_the_old_site(open_folder: Path, closed: str) -> None:
    site = open_folder / "parent" / "site"
    build(site, OLD)
    site.parent.chmod(0o555 if closed == "parent" else 0o777)
    site.chmod(0o555)
    done = unprivileged(PUBLISH, str(site))
    assert done.stdout.startswith(f"cannot write to {site}: permission is denied"), done.stderr
    assert content(site) == OLD
    assert beside(site) == []


@posix_only
def test_a_foreign_folder_that_is_read_only_is_carried_and_nothing_is_left(open_folder: Path) -> None:
    site = open_folder / "site"
    first = unprivileged(PUBLISH, str(site))
    assert "one rename" in first.stdout, first.stderr
    script = """
        (output / "locked").mkdir()
        (output / "locked" / "f").write_bytes(b"mine")
        (output / "locked").chmod(0o555)
    """
    done = unprivileged(textwrap.dedent(script) + textwrap.dedent(PUBLISH), str(site))
    assert "carried=('locked/f',), left=()" in done.stdout, done.stderr
    assert stat.S_IMODE((site / "locked").stat().st_mode) == 0o555
    assert beside(site) == []


@posix_only
def test_a_file_that_the_system_refuses_to_hold_stops_the_build(output: Path) -> None:
    build(output, OLD)

    def work() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        sentence = r"cannot write big\.html to .*: the file is larger than"
        with Publication(output) as publication, pytest.raises(PublishError, match=sentence):
            publication.write("big.html", b"x" * 2000)

    assert in_child(work) == 0
    assert content(output) == OLD
    assert beside(output) == []


def with_mount(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a shell script where file systems can be mounted for it alone; skips where that is not permitted."""
    if platform.system() != "Linux" or not shutil.which("unshare"):
        missing_mounts()
    probe = f"mkdir -p {folder}/probe && mount -t tmpfs none {folder}/probe"
    if subprocess.run(["unshare", "-m", "sh", "-c", probe], capture_output=True).returncode != 0:
        missing_mounts()
    (folder / "probe").rmdir()
    command = ["unshare", "-m", "sh", "-ec", textwrap.dedent(script), "sh", str(folder), sys.executable]
    return subprocess.run(command, capture_output=True, encoding="utf-8", env=os.environ | {"PYTHONPATH": str(ROOT)})


def missing_mounts() -> None:
    pytest.skip("file systems cannot be mounted here")


def publish_command(words: str) -> str:
    return f"""
    "$2" -c '
import sys
from pathlib import Path, PurePosixPath
from sitegen.errors import PublishError
from sitegen.publish import Publication
try:
    with Publication(Path(sys.argv[1])) as publication:
        for path in ("index.html", "runs/a.html"):
            publication.write(path, {words})
        print(publication.commit())
except PublishError as error:
    print(error)
' "$1/disk/site"
    """


def test_a_mount_point_is_published_file_by_file(tmp_path: Path) -> None:
    script = (
        'mkdir -p "$1/disk/site"\nmount -t tmpfs none "$1/disk/site"\n'
        + publish_command('b"one"')
        + 'echo example.org > "$1/disk/site/CNAME"\n'
        + publish_command('b"two"')
        + 'cat "$1/disk/site/index.html"; echo\n'
        + 'ls -A "$1/disk/site"; ls -A "$1/disk"; stat -c %a "$1/disk/site/runs/a.html"\n'
    )
    done = with_mount(script, tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.partition("mode='")[2].partition("'")[0] for line in lines[:2]] == ["file by file"] * 2
    assert "carried=('CNAME',), left=()" in lines[1]
    assert lines[2] == "two"
    assert sorted(lines[3:8]) == [".nojekyll", ".sitegen.json", "CNAME", "index.html", "runs"]
    assert lines[-2:] == ["site", "644"]


def test_a_full_disk_leaves_the_old_site(tmp_path: Path) -> None:
    script = (
        'mkdir "$1/disk"\nmount -t tmpfs -o size=256k none "$1/disk"\n'
        + publish_command('b"one"')
        + publish_command('b"x" * 200_000')
        + 'cat "$1/disk/site/index.html" "$1/disk/site/runs/a.html"; ls -A "$1/disk"\n'
    )
    done = with_mount(script, tmp_path)
    assert "cannot write runs/a.html to" in done.stdout, done.stderr
    assert ": the disk is full, free some space and build again; nothing was published" in done.stdout
    assert done.stdout.endswith("oneonesite\n")


def test_a_full_disk_under_a_mount_point_is_one_sentence_and_leaves_the_old_site(tmp_path: Path) -> None:
    script = (
        'mkdir -p "$1/disk/site"\nmount -t tmpfs -o size=256k none "$1/disk/site"\n'
        + publish_command('b"one"')
        + publish_command('b"x" * 200_000')
        + 'cat "$1/disk/site/index.html" "$1/disk/site/runs/a.html"; ls -A "$1/disk"\n'
    )
    done = with_mount(script, tmp_path)
    reason = ": the disk is full, free some space and build again; nothing was published and an old site is as it was\n"
    assert done.stdout.splitlines(keepends=True)[1].partition("site")[2] == reason, done.stdout + done.stderr
    assert done.stdout.endswith("oneonesite\n")


def test_a_read_only_file_system_is_said_to_be_one(tmp_path: Path) -> None:
    script = 'mkdir "$1/disk"\nmount -t tmpfs -o ro none "$1/disk"\n' + publish_command('b"one"')
    assert ": the file system is read-only, choose another output" in with_mount(script, tmp_path).stdout


def test_a_file_system_mounted_inside_the_site_is_refused_and_not_emptied(tmp_path: Path) -> None:
    script = (
        'mkdir "$1/disk"\n'
        + publish_command('b"one"')
        + 'mkdir "$1/disk/site/backup"\nmount -t tmpfs none "$1/disk/site/backup"\ntouch "$1/disk/site/backup/kept"\n'
        + publish_command('b"two"')
        + 'ls "$1/disk/site/backup"\n'
    )
    done = with_mount(script, tmp_path)
    assert "another file system is mounted at backup" in done.stdout, done.stderr
    assert done.stdout.endswith("kept\n")


# Builds at once


def test_a_second_build_says_that_it_waits_and_gives_up_with_a_sentence(output: Path) -> None:
    said: list[str] = []
    with Publication(output) as first:
        second = Publication(output, on_wait=said.append, wait_seconds=0.2)
        with pytest.raises(PublishError, match=r"another build of .*site still runs after 0\.2 seconds"), second:
            pytest.fail("two builds at once")
        first.write("index.html", b"1")
        first.commit()
    assert said == [f"waiting for another build of {output} to end"]
    assert content(output) == {"index.html": b"1"}
    assert beside(output) == []


def test_a_second_build_goes_on_when_the_first_has_ended(output: Path) -> None:
    waits = threading.Event()
    with Publication(output) as first:

        def second() -> None:
            with Publication(output, on_wait=lambda _: waits.set()) as publication:
                publication.write("index.html", b"second")
                publication.commit()

        thread = threading.Thread(target=second)
        thread.start()
        assert waits.wait(30)
        first.write("index.html", b"first")
        first.commit()
    thread.join()
    assert content(output) == {"index.html": b"second"}
    assert beside(output) == []


REBUILDS = """
import sys
from pathlib import Path, PurePosixPath
from sitegen.publish import Publication
for round in range(int(sys.argv[3])):
    with Publication(Path(sys.argv[1])) as publication:
        for page in range(20):
            publication.write(f"runs/{page}.html", (sys.argv[2] * 500).encode())
        publication.commit()
"""


def rebuilding(output: Path, word: str, rounds: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", REBUILDS, str(output), word, str(rounds)]
    return subprocess.Popen(command, env=os.environ | {"PYTHONPATH": str(ROOT)})


def test_builds_of_one_output_at_once_give_one_whole_site(output: Path) -> None:
    words = ("one ", "two ", "six ", "ten ", "ant ", "bee ", "cat ", "dog ")
    builds = [rebuilding(output, word, 5) for word in words]
    assert [process.wait() for process in builds] == [0] * 8
    pages = content(output)
    assert len(pages) == 20
    assert len(set(pages.values())) == 1
    assert beside(output) == []


@linux_only
def test_readers_find_every_file_whole_during_fifty_rebuilds(output: Path) -> None:
    build(output, {f"runs/{page}.html": b"old " * 500 for page in range(20)})
    builds = [rebuilding(output, word, 25) for word in ("new ", "two ")]
    reads = 0
    while any(process.poll() is None for process in builds):
        for page in range(20):
            data = (output / f"runs/{page}.html").read_bytes()
            assert data == data[:4] * 500
            reads += 1
    assert [process.returncode for process in builds] == [0, 0]
    assert reads > 100


# The calls themselves


@linux_only
@pytest.mark.parametrize("libc", ["renameat2", "syscall"])
def test_linux_exchanges_names_by_the_function_or_by_its_number(tmp_path: Path, libc: str) -> None:
    if platform.machine() not in exchange._RENAMEAT2_NUMBERS:
        pytest.skip(f"no number for {platform.machine()}")
    add(tmp_path, {"a/x": b"1", "b/y": b"2"})
    library = ctypes.CDLL(None, use_errno=True)
    only = SimpleNamespace(**{libc: getattr(library, libc)})
    exchange_by(only, "Linux", platform.machine(), tmp_path / "a", tmp_path / "b")  # type: ignore[arg-type]
    assert content(tmp_path) == {"a/y": b"2", "b/x": b"1"}
    with pytest.raises(FileNotFoundError):
        exchange_by(only, "Linux", platform.machine(), tmp_path / "a", tmp_path / "c")  # type: ignore[arg-type]


def test_macos_is_asked_to_swap(tmp_path: Path) -> None:
    """A simulation: the call that macOS documents, with its flag."""
    asked: list[tuple[bytes, bytes, int]] = []

    def renamex_np(first: bytes, second: bytes, flags: int) -> int:
        asked.append((first, second, flags))
        return 0

    library = SimpleNamespace(renamex_np=renamex_np)
    exchange_by(library, "Darwin", "arm64", tmp_path / "a", tmp_path / "b")  # type: ignore[arg-type]
    assert asked == [(os.fsencode(tmp_path / "a"), os.fsencode(tmp_path / "b"), 2)]


def test_a_machine_without_a_known_number_exchanges_nothing(tmp_path: Path) -> None:
    with pytest.raises(OSError) as error:
        exchange_by(SimpleNamespace(), "Linux", "vax", tmp_path / "a", tmp_path / "b")  # type: ignore[arg-type]
    assert error.value.errno == errno.ENOSYS


@posix_only
def test_the_locale_c_changes_nothing(output: Path) -> None:
    script = """
import sys
from pathlib import Path, PurePosixPath
from sitegen.publish import Publication
with Publication(Path(sys.argv[1])) as publication:
    publication.write("caf\\u00e9.html", b"x")
    print(ascii(publication.commit().carried))
"""
    for locale in ("C", "C.UTF-8"):
        environment = os.environ | {"PYTHONPATH": str(ROOT), "LC_ALL": locale}
        site = output.with_name(f"site-{locale}")
        build(site, {})
        Path(os.fsdecode(os.fsencode(site) + b"/\xe9\xff")).write_bytes(b"mine")
        command = [sys.executable, "-c", script, str(site)]
        done = subprocess.run(command, env=environment, capture_output=True, encoding="ascii")
        assert done.stdout == "('\\\\udce9\\\\udcff',)\n", done.stderr
        assert "café.html".encode() in map(os.fsencode, (path.name for path in site.iterdir()))
    assert everything(output.with_name("site-C")) == everything(output.with_name("site-C.UTF-8"))


def test_a_build_killed_at_any_moment_leaves_a_whole_site(tmp_path: Path) -> None:
    """`python -m tests.support.kills 10000` is the long form of it."""
    found = kill_builds(25, seed=1, folder=tmp_path)
    assert (found.torn, found.foreign_changed, found.not_clean) == (0, 0, 0)
    assert found.kills == 25


@pytest.mark.nightly
def test_many_builds_killed_leave_a_whole_site(tmp_path: Path) -> None:
    found = kill_builds(500, seed=2, folder=tmp_path)
    assert (found.torn, found.foreign_changed, found.not_clean) == (0, 0, 0)


# What a person asks for


def never(message: str) -> None:
    pytest.fail(message)


def test_clean_takes_away_the_whole_site_when_it_is_all_ours(output: Path) -> None:
    build(output, OLD)
    assert clean(output, on_wait=never) == (len(OLD) + 1, ())  # with .nojekyll
    assert not output.exists()
    assert beside(output) == []
    assert clean(output, on_wait=never) == (0, ())


def test_clean_keeps_what_is_not_ours_and_lets_the_next_build_in(output: Path) -> None:
    build(output, OLD)
    add(output, FOREIGN | {"runs/a.html": b"edited"})
    removed, kept = clean(output, on_wait=never)
    assert removed == len(OLD)  # with .nojekyll, without the edited page
    assert kept == (*sorted(FOREIGN | {"runs/a.html": b""}),)
    assert content(output) == FOREIGN | {"runs/a.html": b"edited"}
    build(output, {"index.html": b"new"})
    assert content(output) == FOREIGN | {"runs/a.html": b"edited", "index.html": b"new"}


@posix_only
def test_clean_takes_away_what_a_crash_has_left(output: Path) -> None:
    def killed() -> None:
        with Publication(output) as publication:
            publication.write("index.html", b"new")
            os.kill(os.getpid(), signal.SIGKILL)

    in_child(killed)
    assert len(beside(output)) == 2
    clean(output, on_wait=never)
    assert (beside(output), output.exists()) == ([], False)


def test_clean_refuses_a_folder_that_nobody_knows(output: Path) -> None:
    add(output, FOREIGN)
    with pytest.raises(RefusedOutput, match=r"holds no \.sitegen\.json"):
        clean(output, on_wait=never)
    add(output, {MANIFEST: b"{"})
    with pytest.raises(RefusedOutput, match="is damaged"):
        clean(output, on_wait=never)
    assert content(output) == FOREIGN


def left_behind(output: Path) -> None:
    """A site beside which the last build had to leave a file that somebody added in the moment of the exchange."""
    build(output, OLD)

    def late(first: Path, second: Path) -> None:
        add(output, {"late.txt": b"late"})
        exchange_names(first, second)

    with Publication(output, exchange=late) as publication:
        publication.write("index.html", b"new")
        publication.commit()


@linux_only
def test_recover_moves_what_was_left_and_loses_nothing(output: Path, tmp_path: Path) -> None:
    left_behind(output)
    (staging,) = beside(output)
    found = recover(output, None, on_wait=never)
    assert (found.left, found.moved_to) == ((f"{staging}/site/late.txt",), None)
    assert beside(output) == [staging]
    moved = tmp_path / "moved"
    assert recover(output, moved, on_wait=never).moved_to == moved
    assert (moved / staging.lstrip(".") / "site" / "late.txt").read_bytes() == b"late"
    assert recover(output, None, on_wait=never).left == ()
    assert build(output, NEW).left == ()


def test_recover_moves_a_site_away_whose_manifest_is_damaged(output: Path, tmp_path: Path) -> None:
    build(output, OLD)
    add(output, FOREIGN | {MANIFEST: b"{"})
    before = everything(output)
    found = recover(output, None, on_wait=never)
    assert found.unproven == len(before) - 1
    with pytest.raises(RefusedOutput, match="name a new folder"):
        recover(output, output / "inside", on_wait=never)
    with pytest.raises(RefusedOutput, match="name a new folder"):
        recover(output, tmp_path, on_wait=never)
    assert everything(output) == before
    recover(output, tmp_path / "moved", on_wait=never)
    assert everything(tmp_path / "moved" / output.name) == before
    assert content(tmp_path / "moved" / output.name) == OLD | FOREIGN
    build(output, NEW)
    assert content(output) == NEW


def test_recover_finds_nothing_to_do_in_a_good_site(output: Path) -> None:
    build(output, OLD)
    found = recover(output, None, on_wait=never)
    assert (found.left, found.unproven, found.moved_to) == ((), 0, None)
    assert content(output) == OLD
