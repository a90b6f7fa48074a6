"""What a published folder holds: what its manifest lists, what is foreign, and which files are alike."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from sitegen import __version__
from sitegen.errors import PublishError
from sitegen.publish import manifest
from sitegen.publish.manifest import Content, FolderContents
from sitegen.system.places import MANIFEST

A = Content.of(b"a")
DIGEST_OF_A = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"


def write(folder: Path, files: dict[str, bytes], listed: dict[str, bytes] | None = None) -> None:
    """Write files, and a manifest of those that are listed."""
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    if listed is not None:
        contents = {path: Content.of(data) for path, data in listed.items()}
        (folder / MANIFEST).write_bytes(b"".join(manifest.manifest_parts(contents)))


def test_a_file_is_known_by_its_size_and_digest() -> None:
    assert Content(1, DIGEST_OF_A) == A
    assert Content.of(b"").size == 0


def test_a_manifest_lists_files_by_path() -> None:
    parts = list(manifest.manifest_parts({"b": A, "a/é.html": A, "A": A}))
    text = b"".join(parts).decode()
    assert text == (
        f'{{"files":{{"A":{{"sha256":"{DIGEST_OF_A}","size":1}},'
        f'"a/é.html":{{"sha256":"{DIGEST_OF_A}","size":1}},'
        f'"b":{{"sha256":"{DIGEST_OF_A}","size":1}}}},'
        f'"generator":"sitegen {__version__}","schema":1}}\n'
    )
    assert manifest.listed_in(text.encode()) == {"A": A, "a/é.html": A, "b": A}
    assert manifest.listed_in(b"".join(manifest.manifest_parts({}))) == {}


def test_a_large_manifest_has_several_parts() -> None:
    files = {f"{number:05}": A for number in range(10_001)}
    parts = list(manifest.manifest_parts(files))
    assert len(parts) == 4
    assert manifest.listed_in(b"".join(parts)) == files


@pytest.mark.parametrize(
    "change",
    [
        {"schema": 2},
        {"schema": "1"},
        {"files": []},
        {"files": {"a": {"size": "1", "sha256": "x"}}},
        {"files": {"a": {"size": 1}}},
        {"files": {"a": {"size": 1, "sha256": "x"}, "../b": {"size": 1, "sha256": "x"}}},
        {"files": {"/b": {"size": 1, "sha256": "x"}, "a": {"size": 1, "sha256": "x"}}},
    ],
    ids=str,
)
def test_a_manifest_that_no_build_writes_lists_nothing(change: dict[str, Any]) -> None:
    whole: dict[str, Any] = {"schema": 1, "files": {"a": {"size": 1, "sha256": "x"}}}
    assert manifest.listed_in(json.dumps(whole).encode()) == {"a": Content(1, "x")}
    assert manifest.listed_in(json.dumps({**whole, **change}).encode()) is None
    assert manifest.listed_in(b"{") is None


def test_a_manifest_is_a_file_itself(tmp_path: Path) -> None:
    assert manifest.read_manifest(tmp_path) is None
    (tmp_path / "site").mkdir()
    write(tmp_path / "site", {}, {"a": b"a"})
    assert manifest.read_manifest(tmp_path / "site") == {"a": A}
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / MANIFEST).symlink_to(tmp_path / "site" / MANIFEST)
    assert manifest.read_manifest(tmp_path / "linked") is None
    (tmp_path / "folder" / MANIFEST).mkdir(parents=True)
    assert manifest.read_manifest(tmp_path / "folder") is None


def sorted_out(folder: Path, known: dict[str, manifest.Signature] | None = None) -> list[list[str]]:
    found = manifest.contents(folder, known or {})
    return [sorted(found.ours), sorted(found.foreign), sorted(found.listed)]


def test_what_is_listed_and_as_it_was_is_ours(tmp_path: Path) -> None:
    listed = {"a": b"a", "runs/b": b"b", "c": b"c", "gone/d": b"d"}
    write(tmp_path, {"a": b"a", "runs/b": b"b", "c": b"C", "x": b"a", "own/y": b"y"}, listed)
    (tmp_path / "empty").mkdir()
    assert sorted_out(tmp_path) == [
        ["a", "runs/b"],
        ["c", "empty", "own", "own/y", "x"],
        ["a", "c", "gone/d", "runs/b"],
    ]
    assert manifest.contents(tmp_path / "none", {}) == FolderContents({}, {}, {})


def test_a_link_in_the_place_of_a_listed_file_or_folder_is_foreign(tmp_path: Path) -> None:
    write(tmp_path / "site", {"z": b"z"}, {"a": b"a", "runs/b": b"b"})
    write(tmp_path / "other", {"a": b"a", "b": b"b"})
    (tmp_path / "site/a").symlink_to(tmp_path / "other/a")
    (tmp_path / "site/runs").symlink_to(tmp_path / "other")
    assert sorted_out(tmp_path / "site")[:2] == [[], ["a", "runs", "z"]]


def test_a_folder_without_a_manifest_is_foreign_as_a_whole(tmp_path: Path) -> None:
    write(tmp_path, {"a": b"a", "runs/b": b"b"})
    assert sorted_out(tmp_path) == [[], ["a", "runs", "runs/b"], []]


def test_a_file_that_is_known_is_not_read_again(tmp_path: Path) -> None:
    """Its digest is not that of the manifest, so reading it would show that it is another one."""
    write(tmp_path, {"a": b"b"}, {"a": b"a"})
    signature = manifest.signature((tmp_path / "a").lstat())
    assert sorted_out(tmp_path)[0] == []
    assert sorted_out(tmp_path, {"a": signature})[0] == ["a"]
    assert sorted_out(tmp_path, {"b": signature})[0] == []
    older = (*signature[:2], signature[2] - 1, signature[3])
    assert sorted_out(tmp_path, {"a": older})[0] == []
    write(tmp_path, {"a": b"longer"})
    longer = manifest.signature((tmp_path / "a").lstat())
    assert sorted_out(tmp_path, {"a": longer})[0] == [], "its size is another one"


def test_folders_come_before_what_they_hold(tmp_path: Path) -> None:
    write(tmp_path, {"a/b/c": b"c", "d": b"d"})
    paths = [path for path, _ in manifest.walk(tmp_path)]
    assert sorted(paths) == ["a", "a/b", "a/b/c", "d"]
    assert paths.index("a") < paths.index("a/b") < paths.index("a/b/c")


@pytest.mark.parametrize(
    ("name", "is_plain"),
    [
        ("index.html", True),
        ("runs/é ü.html", True),
        ("a/..b/c", True),
        ("", False),
        ("/a", False),
        ("a/", False),
        ("a//b", False),
        ("./a", False),
        ("a/../b", False),
        ("a\\b", False),
        ("a\nb", False),
        ("a\x85b", False),
        ("a\ud800", False),
        ("x" * 255, True),
        ("a/" + "x" * 256, False),
        ("x" * 256 + "/a", False),
        ("é" * 128, False),
    ],
)
def test_names_of_files_are_plain_relative_paths(name: str, *, is_plain: bool) -> None:
    if is_plain:
        manifest.check_name(name)
        return
    with pytest.raises(PublishError) as refused:
        manifest.check_name(name)
    is_long = max(map(len, name.encode("utf-8", "replace").split(b"/"))) > 255
    end = "a name that is longer than 255 bytes" if is_long else "be the path of a file of the site"
    assert str(refused.value).endswith(end)


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("a/B.html", "a/b.html"),
        ("e\u0301.html", "\u00e9.html"),
        ("\u00c9.html", "\u00e9.html"),
        ("Stra\u00dfe", "strasse"),
    ],
)
def test_paths_that_some_file_system_takes_for_one_have_one_key(path: str, key: str) -> None:
    assert manifest.name_key(path) == manifest.name_key(key) == key
    assert manifest.name_key(key) is key, "one text in memory"


def test_a_name_is_taken_once() -> None:
    taken: dict[str, str] = {}
    manifest.take_name(taken, "Index.html")
    manifest.take_name(taken, "index2.html")
    with pytest.raises(PublishError) as refused:
        manifest.take_name(taken, "index.HTML")
    assert str(refused.value) == (
        "the site cannot hold index.HTML, since Index.html has that name already"
    )
    assert taken == {"index.html": "Index.html", "index2.html": "index2.html"}


def test_files_and_folders_are_no_links(tmp_path: Path) -> None:
    write(tmp_path, {"a/b": b"b"})
    (tmp_path / "file").symlink_to(tmp_path / "a/b")
    (tmp_path / "folder").symlink_to(tmp_path / "a")
    names = ("a", "a/b", "file", "folder", "none", "a/b/c")
    assert [name for name in names if manifest.is_folder(tmp_path / name)] == ["a"]
    assert [name for name in names if manifest.is_file(tmp_path / name)] == ["a/b"]


def test_a_file_holds_its_bytes(tmp_path: Path) -> None:
    write(tmp_path, {"a": b"a", "b": b"b", "long": b"aa"})
    (tmp_path / "link").symlink_to(tmp_path / "a")
    (tmp_path / "folder").mkdir()
    names = ("a", "b", "long", "link", "folder", "none", "a/b")
    assert [name for name in names if manifest.holds(tmp_path / name, A)] == ["a"]
    assert not manifest.holds(tmp_path / "a", Content(2, A.sha256))
    assert not manifest.holds(tmp_path / "a", Content(1, hashlib.sha256(b"b").hexdigest()))


@pytest.mark.parametrize(
    ("first", "second", "are_equal"),
    [
        ("a", "a", True),
        ("a", "same", True),
        ("a", "second name", True),
        ("a", "other", False),
        ("a", "longer", False),
        ("a", "link", False),
        ("link", "a", False),
        ("link", "link 2", True),
        ("link", "link 3", False),
        ("folder", "folder", True),
        ("folder", "folder 2", False),
        ("a", "folder", False),
        ("a", "none", False),
        ("none", "a", False),
    ],
)
def test_paths_are_equal_where_nothing_is_lost_with_one(
    first: str, second: str, *, are_equal: bool, tmp_path: Path
) -> None:
    write(tmp_path, {"a": b"a", "same": b"a", "other": b"b", "longer": b"aa"})
    os.link(tmp_path / "a", tmp_path / "second name")
    for name, target in (("link", "a"), ("link 2", "a"), ("link 3", "same")):
        (tmp_path / name).symlink_to(tmp_path / target)
    for name in ("folder", "folder 2"):
        (tmp_path / name).mkdir()
    assert manifest.are_equal(tmp_path / first, tmp_path / second) is are_equal
