"""What a build promises, checked on real file systems: what is published, what is kept, what is refused.

Where a system is to lack something, the test gives the publication a call that answers as such a system would.
"""

from __future__ import annotations

import errno
import json
import os
import platform
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from sitegen.errors import PublishError, RefusedOutput
from sitegen.publish import Publication, manifest
from sitegen.publish.publication import exchange_names, refuse_dangerous
from sitegen.system.places import MANIFEST
from tests.conftest import ROOT
from tests.support.kills import kill_builds
from tests.support.publishing import (
    FOREIGN,
    NEW,
    OLD,
    add,
    beside,
    build,
    content,
    every_way,
    everything,
    exchanging,
    in_child,
    linux_only,
    posix_only,
)


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """A place for a site in a folder of its own."""
    (tmp_path / "place").mkdir()
    return tmp_path / "place" / "site"


# The site


def test_the_first_build_is_one_rename(output: Path) -> None:
    published = build(output, OLD)
    assert (published.files, published.carried, published.left) == (5, (), ())
    assert published.size == sum(map(len, OLD.values()))
    assert content(output) == OLD
    assert (output / ".nojekyll").read_bytes() == b""
    assert beside(output) == []


def test_an_empty_folder_is_filled(output: Path) -> None:
    output.mkdir()
    build(output, OLD)
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
    assert (published.carried, published.left) == ((), ())
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
    empty = {
        "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "size": 0,
    }
    abc = {"sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "size": 3}
    manifest = json.loads(text)
    assert manifest["schema"] == 1
    assert manifest["generator"].startswith("sitegen ")
    assert manifest["files"] == {".nojekyll": empty, "a.html": empty, "b.html": abc}
    assert list(manifest["files"]) == sorted(manifest["files"])
    assert text.endswith("}\n")


@every_way
def test_the_same_files_give_the_same_site_whatever_was_there(
    output: Path, tmp_path: Path, way: str
) -> None:
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
    modes = {
        stat.S_IMODE(path.stat().st_mode) for path in [output, *output.rglob("*")] if path.is_dir()
    }
    assert modes == {0o755}
    assert {stat.S_IMODE(path.stat().st_mode) for path in output.rglob("*") if path.is_file()} == {
        0o644
    }


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
    with (
        Publication(output) as publication,
        pytest.raises(PublishError, match=r"cannot be the path|longer than"),
    ):
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
def test_two_paths_that_some_file_system_takes_for_one_are_refused(
    output: Path, first: str, second: str
) -> None:
    with Publication(output) as publication:
        publication.write(first, b"")
        with pytest.raises(PublishError, match="has that name already"):
            publication.write(second, b"")


def test_the_manifest_cannot_be_written_by_a_page(output: Path) -> None:
    with (
        Publication(output) as publication,
        pytest.raises(PublishError, match="has that name already"),
    ):
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
    assert (after.st_mode, after.st_mtime_ns, after.st_ino) == (
        before.st_mode,
        before.st_mtime_ns,
        before.st_ino,
    )
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
def test_foreign_links_are_carried_as_links_and_not_followed(
    output: Path, tmp_path: Path, way: str
) -> None:
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
    assert os.fsencode(output / os.fsdecode(b"caf\xe9\n")) in [
        os.fsencode(path) for path in output.iterdir()
    ]


def test_a_file_of_ours_that_somebody_changed_is_carried_when_it_is_no_longer_written(
    output: Path,
) -> None:
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
def test_a_name_clash_stops_the_build_and_is_named(
    output: Path, way: str, theirs: str, named: str
) -> None:
    build(output, OLD)
    add(output, {theirs: b"theirs"})
    before = everything(output)
    with pytest.raises(PublishError) as stopped:
        build(output, {"index.html": b"new", "new.html": b"new", "folder/page.html": b"new"}, way)
    assert f"holds {named}, which sitegen did not write or which was changed since" in str(
        stopped.value
    )
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


def test_a_foreign_link_in_place_of_a_folder_of_ours_is_a_clash(
    output: Path, tmp_path: Path
) -> None:
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

    with exchanging(exchange_while_somebody_writes), Publication(output) as publication:
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
    with pytest.raises(
        PublishError, match=r"holds index\.html, and \.sitegen\.json, which would say"
    ):
        build(output, NEW)
    assert content(output) == OLD | FOREIGN


@pytest.mark.slow
def test_every_cut_and_every_flipped_bit_of_a_manifest_gives_the_site_of_a_cold_build(
    output: Path,
) -> None:
    files = {"index.html": b"i", "a/b.html": b"b"}
    build(output, files)
    cold = everything(output)
    good = (output / MANIFEST).read_bytes()
    cuts = [good[:length] for length in range(len(good))]
    flips = [
        good[:at] + bytes([good[at] ^ 1 << at % 8]) + good[at + 1 :] for at in range(len(good))
    ]
    for damaged in cuts + flips:
        (output / MANIFEST).write_bytes(damaged)
        build(output, files)
        assert everything(output) == cold, damaged


def test_a_manifest_that_lists_paths_outside_deletes_nothing_there(
    output: Path, tmp_path: Path
) -> None:
    build(output, OLD)
    add(tmp_path, {"victim": b""})
    manifest = json.loads((output / MANIFEST).read_bytes())
    nothing = manifest["files"][".nojekyll"]
    manifest["files"] |= {"../../victim": nothing, str(tmp_path / "victim"): nothing}
    (output / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(PublishError, match="cannot be read"):
        build(output, NEW, "two renames")
    build(output, OLD, "two renames")
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


def test_home_and_what_holds_it_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
def test_the_root_of_a_git_repository_is_refused_even_with_a_manifest(
    output: Path, git: str
) -> None:
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
    assert "is not empty and has no .sitegen.json" in refused(output)
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
    with (
        pytest.raises(PublishError, match=r"cannot (write to|look at)"),
        Publication(tmp_path / path),
    ):
        pytest.fail("the context was entered")
    assert everything(tmp_path) == {"file": b""}


# The calls themselves


@linux_only
def test_linux_exchanges_names(tmp_path: Path) -> None:
    add(tmp_path, {"a/x": b"1", "b/y": b"2"})
    exchange_names(tmp_path / "a", tmp_path / "b")
    assert content(tmp_path) == {"a/y": b"2", "b/x": b"1"}
    with pytest.raises(FileNotFoundError):
        exchange_names(tmp_path / "a", tmp_path / "c")


def test_macos_is_asked_to_swap(tmp_path: Path) -> None:
    """A simulation: the call that macOS documents, with its flag."""
    asked: list[tuple[bytes, bytes, int]] = []

    def renamex_np(first: bytes, second: bytes, flags: int) -> int:
        asked.append((first, second, flags))
        return 0

    library = SimpleNamespace(renamex_np=renamex_np)
    exchange_names(tmp_path / "a", tmp_path / "b", library=library)  # type: ignore[arg-type]
    assert asked == [(os.fsencode(tmp_path / "a"), os.fsencode(tmp_path / "b"), 2)]


def test_a_library_without_the_call_exchanges_nothing(tmp_path: Path) -> None:
    with pytest.raises(OSError) as error:
        exchange_names(tmp_path / "a", tmp_path / "b", library=SimpleNamespace())  # type: ignore[arg-type]
    assert error.value.errno == errno.ENOSYS


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_build_killed_at_any_moment_leaves_a_whole_site(tmp_path: Path) -> None:
    """`python -m tests.support.kills 10000` is the long form of it."""
    found = kill_builds(25, seed=1, folder=tmp_path)
    assert (found.torn, found.foreign_changed, found.not_clean) == (0, 0, 0)
    assert found.kills == 25


@pytest.mark.nightly
def test_many_builds_killed_leave_a_whole_site(tmp_path: Path) -> None:
    found = kill_builds(500, seed=2, folder=tmp_path)
    assert (found.torn, found.foreign_changed, found.not_clean) == (0, 0, 0)


def test_a_manifest_of_many_parts_is_read_as_it_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifest, "_FILES_PER_PART", 2)
    files = {f"runs/{number}.html": manifest.Content.of(b"%d" % number) for number in range(5)}
    (tmp_path / MANIFEST).write_bytes(b"".join(manifest.manifest_parts(files)))
    assert manifest.read_manifest(tmp_path) == files
