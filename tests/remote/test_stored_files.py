"""Lists and files of a store, which is a folder of this machine here."""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path
from typing import Any

import pytest
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.implementations.local import LocalFileSystem

from sitegen.remote import clients, stored_files
from sitegen.remote.stored_files import Folder, RemoteEntry
from sitegen.system.address import Address

URL = "s3://bucket/runs"


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that is the store's `bucket/runs`."""
    folder = tmp_path / "bucket" / "runs"
    (folder / "b" / "c").mkdir(parents=True)
    (folder / "2.json").write_bytes(b"two")
    (folder / "1.json").write_bytes(b"")
    (folder / "b" / "3.json").write_bytes(b"three")
    (folder / "b" / "c" / "4.json").write_bytes(b"four!")
    store = DirFileSystem(str(tmp_path), LocalFileSystem())
    monkeypatch.setattr(clients, "_pid", os.getpid())
    monkeypatch.setattr(clients, "_clients", {"s3": store})
    monkeypatch.setattr(stored_files, "_known", {})
    monkeypatch.setattr(stored_files, "_ahead", {})
    return folder


def shown(entries: list[RemoteEntry]) -> list[tuple[str, str, str, int]]:
    return [(entry.name, entry.kind, entry.path, entry.address.size) for entry in entries]


def test_a_folder_lists_what_lies_in_it_by_name() -> None:
    folder = Folder(f"{URL}/")
    assert folder.url == URL
    assert shown(folder.entries(URL)) == [
        ("1.json", "file", f"{URL}/1.json", 0),
        ("2.json", "file", f"{URL}/2.json", 3),
        ("b", "directory", f"{URL}/b", 0),
    ]
    assert shown(folder.entries(f"{URL}/b")) == [
        ("3.json", "file", f"{URL}/b/3.json", 5),
        ("c", "directory", f"{URL}/b/c", 0),
    ]
    assert folder.entries(f"{URL}/gone") == []
    assert folder.holds(URL, "1.json")
    assert not folder.holds(URL, "3.json")
    assert not folder.holds(f"{URL}/gone", "1.json")


def test_a_folder_that_is_not_there_is_empty() -> None:
    assert Folder("s3://bucket/gone").entries("s3://bucket/gone") == []
    assert list(stored_files.in_folder("s3://bucket/gone")) == []


def test_what_lies_in_one_folder_is_listed_without_what_is_below() -> None:
    assert sorted(shown(list(stored_files.in_folder(URL)))) == [
        ("1.json", "file", f"{URL}/1.json", 0),
        ("2.json", "file", f"{URL}/2.json", 3),
        ("b", "directory", f"{URL}/b", 0),
    ]


def test_an_address_is_looked_at() -> None:
    assert stored_files.look_at(f"{URL}/gone") is None
    found = stored_files.look_at(f"{URL}/2.json")
    assert found is not None
    assert shown([found]) == [("2.json", "file", f"{URL}/2.json", 3)]
    below = stored_files.look_at(f"{URL}/b/")
    assert below is not None
    assert shown([below]) == [("b", "directory", f"{URL}/b", 0)]


@pytest.mark.parametrize(
    ("info", "size", "version"),
    [
        ({"size": 3, "ETag": "e"}, 3, "e 3"),
        ({"size": 3, "etag": "f"}, 3, "f 3"),
        ({"size": 3, "generation": 7}, 3, "7 3"),
        ({"size": 3, "md5Hash": "h"}, 3, "h 3"),
        ({"size": 3, "ETag": "e", "md5Hash": "h"}, 3, "e 3"),
        ({"size": 3}, 3, ""),
        ({"size": None, "ETag": "e"}, 0, "e 0"),
        ({"type": "directory", "size": 3, "ETag": "e"}, 0, ""),
    ],
)
def test_a_file_has_the_tag_of_its_store_as_version(
    info: dict[str, Any], size: int, version: str
) -> None:
    assert stored_files._address(URL, info) == Address(URL, size, version)


def test_files_beside_another_are_known_by_name() -> None:
    address = Address(f"{URL}/2.json")
    assert stored_files.names_beside(address) == {"1.json", "2.json"}
    assert stored_files.beside(address, "2.json").size == 3
    assert stored_files.beside(address, "gone") == Address(f"{URL}/gone")


def test_a_file_is_read_and_one_that_is_not_there_is_an_error() -> None:
    # an address without a version is looked up; this store has none, so its size is what counts
    assert stored_files.opened(Address(f"{URL}/2.json")).read() == b"two"
    assert stored_files.opened(Address(f"{URL}/1.json")).read() == b""
    with pytest.raises(FileNotFoundError) as raised:
        stored_files.opened(Address(f"{URL}/gone"))
    assert raised.value.errno == errno.ENOENT


@pytest.mark.parametrize("size", [2, 4])
def test_a_file_of_another_size_than_listed_has_changed(size: int) -> None:
    with pytest.raises(OSError, match="it changed while it was read") as raised:
        stored_files.opened(Address(f"{URL}/2.json", size, "v"))
    assert raised.value.errno == errno.EIO


def test_a_large_file_is_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    address = Address(f"{URL}/b/3.json", 5, "v")
    monkeypatch.setattr(stored_files, "LARGEST_WHOLE", 5)
    assert isinstance(stored_files.opened(address), io.BytesIO)
    monkeypatch.setattr(stored_files, "LARGEST_WHOLE", 4)
    with stored_files.opened(address) as file:
        assert not isinstance(file, io.BytesIO)
        assert file.seek(-2, io.SEEK_END) == 3
        assert file.read() == b"ee"
        assert file.read() == b""
        assert file.seek(1) == 1
        assert (file.read(2), file.tell()) == (b"hr", 3)
        assert file.seek(-2, io.SEEK_CUR) == 1
        assert file.read(1) == b"h"


def test_files_are_read_in_advance_and_let_go_of() -> None:
    addresses = [Address(f"{URL}/2.json", 3, "v"), Address(f"{URL}/b/3.json", 5, "v")]
    others = [None, Address(f"{URL}/1.json"), Address(f"{URL}/b/c/4.json", 8_000_001, "v")]
    held = []
    items = stored_files.prefetch([*addresses, *others], lambda item: [item])
    for _ in items:
        held.append(sorted(stored_files._ahead))
    assert held[0] == [address.url for address in addresses]
    assert stored_files._ahead == {}


def test_no_more_is_read_in_advance_than_may_be_held(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"2.json": 3, "b/3.json": 5, "b/c/4.json": 5}
    addresses = [Address(f"{URL}/{name}", size, "v") for name, size in sizes.items()]

    def held(limit: int) -> list[int]:
        monkeypatch.setattr(stored_files, "MAX_AHEAD", limit)
        items = stored_files.prefetch(addresses, lambda item: [item])
        return [len(stored_files._ahead) for _ in items]

    assert held(13) == [3, 3, 3]
    assert held(12) == [2, 2, 0]  # one alone is read when it is asked for
    assert held(8) == [2, 2, 0]
    assert held(7) == [0, 0, 0]
