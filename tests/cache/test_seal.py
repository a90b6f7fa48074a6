"""The signature of what is cached: what it holds for, which files are read, and which keys count."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sitegen.cache import seal as module
from sitegen.cache.seal import (
    KEY_VARIABLE,
    SEAL_BYTES,
    doubt_about_key,
    is_plain_file,
    is_sealed,
    read_kept,
    read_sealed,
    seal,
    signing_key,
    write_sealed,
    write_whole,
)

KEY = "sixteen letters."
SIGNING_KEY = "04a3038cabc1e63e9216af26cee9c10c9a8e81c7273712a5d3b02abe5c147d6c"
SIGNATURE = "8e0ee5f56ca0e131f810097cc6dfcb815a422e270d2e666254729215cf39408a"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)


@pytest.fixture
def key_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place of the key of a user who has none yet."""
    monkeypatch.delenv(KEY_VARIABLE)
    monkeypatch.setattr(module, "config_folder", lambda: str(tmp_path / "config"))
    monkeypatch.setattr(module, "cache_folder", lambda: str(tmp_path / "cache"))
    monkeypatch.setattr(module, "_keys", {})
    return tmp_path / "config" / "cache.key"


def test_a_signature_is_the_same_in_all_versions() -> None:
    """Or each new version would forget what is cached."""
    assert signing_key() == bytes.fromhex(SIGNING_KEY)
    assert seal(b"list 1", b"values") == bytes.fromhex(SIGNATURE)


@pytest.mark.parametrize(
    ("parts", "is_right"),
    [
        ((b"a", b"bc"), True),
        ((b"ab", b"c"), False),
        ((b"bc", b"a"), False),
        ((b"a",), False),
        ((b"a", b"bc", b""), False),
    ],
)
def test_a_signature_holds_for_its_parts_in_their_order(
    parts: tuple[bytes, ...], is_right: bool
) -> None:
    assert is_sealed(seal(b"a", b"bc"), *parts) is is_right


def test_another_key_signs_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    signed = seal(b"a")
    monkeypatch.setenv(KEY_VARIABLE, KEY.upper())
    assert seal(b"a") != signed
    assert not is_sealed(signed, b"a")


@pytest.mark.parametrize(
    ("value", "doubt"),
    [
        (KEY, None),
        (
            KEY[:-1],
            "Nothing is cached: SITEGEN_CACHE_KEY has fewer than 16 characters, so it can be guessed. "
            "Set it to 32 random characters.",
        ),
        (
            "",
            "Nothing is cached: SITEGEN_CACHE_KEY is empty. Unset it, or set it to 32 random characters.",
        ),
    ],
)
def test_a_key_of_fewer_than_16_characters_is_none(
    value: str, doubt: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, value)
    assert doubt_about_key() == doubt
    assert (signing_key() is None) is (doubt is not None)
    if doubt:
        assert not is_sealed(b"", b"a")
        with pytest.raises(ValueError, match="no key"):
            seal(b"a")


def test_the_key_of_a_user_is_made_once(key_file: Path) -> None:
    made = signing_key()
    assert made is not None and len(made) == 64
    assert key_file.read_bytes() == made
    assert key_file.stat().st_mode & 0o777 == 0o600
    module._keys.clear()
    assert signing_key() == made
    assert doubt_about_key() is None


def test_the_key_of_a_user_is_read_once_in_a_process(key_file: Path) -> None:
    made = signing_key()
    key_file.write_bytes(bytes(64))
    assert signing_key() == made


@pytest.mark.parametrize("size", [63, 65])
def test_a_key_of_another_length_is_none_and_stays(key_file: Path, size: int) -> None:
    write_whole_in(key_file, bytes(size))
    assert signing_key() is None
    assert key_file.stat().st_size == size
    assert doubt_about_key() == (f"Nothing is cached: the key {key_file} cannot be read or made.")


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o610, 0o604])
def test_a_key_that_others_may_use_is_none(key_file: Path, mode: int) -> None:
    write_whole_in(key_file, b"k" * 64)
    key_file.chmod(mode)
    assert (signing_key() == b"k" * 64) is (mode in (0o600, 0o400))


@pytest.mark.parametrize(
    ("cache", "is_key"), [("config", False), (".", False), ("conf", True), ("config-2", True)]
)
def test_a_key_in_the_cache_is_none(
    key_file: Path, cache: str, is_key: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_whole_in(key_file, b"k" * 64)
    monkeypatch.setattr(module, "cache_folder", lambda: str(tmp_path / cache))
    assert (signing_key() is not None) is is_key


def test_no_key_is_made_in_a_folder_of_others(key_file: Path) -> None:
    key_file.parent.mkdir()
    key_file.parent.chmod(0o777)
    assert signing_key() is None
    assert not key_file.exists()


def test_no_key_is_made_where_a_link_leads_nowhere(key_file: Path) -> None:
    key_file.parent.mkdir(mode=0o700)
    key_file.symlink_to("elsewhere")
    assert signing_key() is None
    assert key_file.is_symlink()


def write_whole_in(path: Path, data: bytes) -> None:
    """Write a file in a folder that is only the user's."""
    path.parent.mkdir(mode=0o700)
    write_whole(str(path), data)


@pytest.mark.parametrize(("most_bytes", "content"), [(3, b"abc"), (4, b"abc"), (2, None)])
def test_a_file_is_read_up_to_its_limit(
    most_bytes: int, content: bytes | None, tmp_path: Path
) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"abc")
    assert read_kept(str(file), most_bytes) == content
    assert is_plain_file(str(file), most_bytes) is (content is not None)


def test_links_folders_and_second_names_are_no_plain_files(tmp_path: Path) -> None:
    file, second, link = (tmp_path / name for name in ("a", "b", "c"))
    file.write_bytes(b"abc")
    link.symlink_to(file)
    assert [is_plain_file(str(path), 9) for path in (file, link, tmp_path, second)] == [
        *(True, False, False, False)
    ]
    os.link(file, second)
    assert not is_plain_file(str(file), 9)
    assert read_kept(str(file), 9) is None


def test_a_sealed_content_is_read_with_the_parts_that_it_was_written_with(tmp_path: Path) -> None:
    file = tmp_path / "a"
    write_sealed(str(file), b"content", b"name", b"1")
    path, size = str(file), SEAL_BYTES + 7
    assert file.stat().st_size == size
    assert read_sealed(path, size, b"name", b"1") == b"content"
    assert read_sealed(path, size, b"name", b"2") is None
    assert read_sealed(path, size - 1, b"name", b"1") is None
    assert read_sealed(str(tmp_path / "none"), size, b"name", b"1") is None
    file.write_bytes(file.read_bytes()[:-1] + b"T")
    assert read_sealed(path, size, b"name", b"1") is None


def test_an_empty_content_is_sealed_too(tmp_path: Path) -> None:
    write_sealed(str(tmp_path / "a"), b"")
    assert read_sealed(str(tmp_path / "a"), 99) == b""


def test_a_whole_file_replaces_another_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"a longer content")
    write_whole(str(file), b"new")
    assert file.read_bytes() == b"new"
    assert file.stat().st_mode & 0o777 == 0o600
    write_whole(str(file), b"newer", 0o400)
    assert file.stat().st_mode & 0o777 == 0o400
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_that_cannot_be_replaced_leaves_nothing_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    folder.mkdir()
    with pytest.raises(OSError):
        write_whole(str(folder), b"new")
    assert list(tmp_path.iterdir()) == [folder]
