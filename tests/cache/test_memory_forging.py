"""Whoever can write to the cache folder can make a build slower, and nothing else that these tests could think of."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sitegen import build as builder
from sitegen.cache import memory
from sitegen.cache import seal as cache_seal
from sitegen.cache.memory import Memory
from sitegen.cache.seal import SEAL_BYTES
from sitegen.charts import chart_files
from sitegen.pages.site import environment
from tests.support.campaigns import BARE
from tests.support.forging import END, RUNS, Campaign
from tests.support.watching import Watch, watching

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def young() -> Iterator[None]:
    """Files that these tests write count as old enough to be trusted."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(memory, "YOUNG_NS", -(10**15))
        yield


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    """Without figures there are no charts to draw."""
    return Campaign(tmp_path_factory.mktemp("bare"), BARE)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return Campaign(tmp_path_factory.mktemp("drawn"), {})


@pytest.fixture
def work() -> Iterator[Watch]:
    """What is done."""
    with watching() as watch:
        yield watch


def test_what_was_kept_is_used_as_long_as_nobody_changed_it(bare: Campaign, work: Watch) -> None:
    bare.as_left()
    assert bare.is_as_cold()
    assert work.pages["run"] == 0


def test_pipes_links_and_huge_files_are_not_read(drawn: Campaign, tmp_path: Path) -> None:
    drawn.as_left()
    (script,) = drawn.cache.glob("vega.js")
    for file in (script, drawn.file):
        file.unlink()
        os.mkfifo(file)
    assert drawn.is_as_cold()
    (tmp_path / "precious").write_text("mine")
    for file in (script, drawn.file):
        file.unlink()
        file.symlink_to(tmp_path / "precious")
    assert drawn.is_as_cold()
    assert (tmp_path / "precious").read_text() == "mine"
    with drawn.file.open("r+b") as large:
        large.truncate(memory.MAX_BYTES + 1)
    assert drawn.is_as_cold()


@pytest.mark.parametrize("what", ["a check sum", "a value", "the size of the list", "the list"])
def test_what_others_wrote_is_unknown(bare: Campaign, what: str, work: Watch) -> None:
    """A check sum is what an attacker without the key could write."""
    bare.as_left()
    data = bytearray(bare.file.read_bytes())
    size = int.from_bytes(data[-END:-SEAL_BYTES])
    match what:
        case "a check sum":
            listed = bytes(data[-END - size : -END])
            message = b"".join(
                part for each in (b"list 1", listed) for part in (len(each).to_bytes(8), each)
            )
            data[-SEAL_BYTES:] = hashlib.blake2b(message, digest_size=SEAL_BYTES).digest()
        case "a value":
            data[: len(data) - END - size] = bytes(
                byte ^ 1 for byte in data[: len(data) - END - size]
            )
        case "the size of the list":
            data[-END:-SEAL_BYTES] = b"\xff" * 8
        case _:
            data = data.replace(b'"page"', b'"file"')
    bare.file.write_bytes(data)
    assert bare.is_as_cold()
    assert work.pages["run"] == RUNS


def test_a_forged_script_of_vega_is_not_published(drawn: Campaign) -> None:
    drawn.as_left()
    (file,) = drawn.cache.glob("vega.js")
    script = b"forged();"
    for content in (
        script,
        file.read_bytes()[:SEAL_BYTES] + script,
        hashlib.sha256(script).digest() + script,
    ):
        file.write_bytes(content)
        assert drawn.is_as_cold()
        assert file.read_bytes()[SEAL_BYTES:] in drawn.cold.values()


@pytest.fixture
def key_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the key of a user is who has none yet."""
    monkeypatch.delenv(cache_seal.KEY_VARIABLE, raising=False)
    monkeypatch.setattr(cache_seal, "config_folder", lambda: str(tmp_path / "config"))
    monkeypatch.setattr(cache_seal, "_keys", {})
    return tmp_path / "config" / "cache.key"


def test_a_key_is_made_once_and_only_for_its_user(key_file: Path) -> None:
    key = cache_seal.signing_key()
    assert key == key_file.read_bytes()
    assert len(set(key)) > 32
    assert key_file.stat().st_mode & 0o777 == 0o600
    cache_seal._keys.clear()
    assert cache_seal.signing_key() == key
    assert [path.name for path in key_file.parent.iterdir()] == ["cache.key"]


BAD_KEYS: dict[str, Callable[[Path], object]] = {
    "others can read it": lambda file: file.chmod(0o640),
    "it is too short": lambda file: file.write_bytes(b"short"),
    "it is empty": lambda file: file.write_bytes(b""),
    "it is a link": lambda file: (
        file.rename(file.with_name("other")) and file.symlink_to(file.with_name("other"))
    ),
    "it has two names": lambda file: os.link(file, file.with_name("other")),
    "it is a folder": lambda file: (file.unlink(), file.mkdir()),
}


@pytest.mark.parametrize("how", BAD_KEYS)
def test_a_key_that_others_may_know_is_none(key_file: Path, how: str, tmp_path: Path) -> None:
    assert cache_seal.signing_key()
    BAD_KEYS[how](key_file)
    cache_seal._keys.clear()
    assert cache_seal.signing_key() is None
    assert str(key_file) in (cache_seal.doubt_about_key() or "")
    assert not cache_seal.is_sealed(b"", b"")
    with contextlib.closing(Memory(tmp_path / "cache", tmp_path / "site")) as nothing:
        assert not nothing.is_open


def test_the_key_does_not_lie_in_the_cache(key_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_seal.signing_key()
    for cache in (key_file.parent, key_file.parent.parent):
        monkeypatch.setattr(cache_seal, "cache_folder", lambda folder=cache: str(folder))
        cache_seal._keys.clear()
        assert cache_seal.signing_key() is None


KEY = "a-key-of-ci-" + hashlib.sha256(b"key").hexdigest()[:20]


def test_nothing_is_used_that_another_key_has_signed(
    drawn: Campaign, work: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def bundle() -> int:
        (file,) = drawn.cache.glob("vega.js")
        return file.stat().st_mtime_ns

    def done() -> tuple[int, int]:
        """How many pages of runs were made, and scripts of charts."""
        before = bundle()
        work.clear()
        shutil.rmtree(drawn.site, ignore_errors=True)
        assert drawn.is_as_cold()
        return work.pages["run"], int(bundle() != before)

    drawn.as_left()
    assert done() == (0, 0)
    monkeypatch.setenv(cache_seal.KEY_VARIABLE, KEY)
    assert done() == (RUNS, 1)
    assert done() == (0, 0)
    monkeypatch.setenv(cache_seal.KEY_VARIABLE, KEY[::-1])
    assert done() == (RUNS, 1)
    monkeypatch.setenv(cache_seal.KEY_VARIABLE, KEY)
    assert done() == (RUNS, 1)
    with monkeypatch.context() as patched:
        patched.delenv(cache_seal.KEY_VARIABLE)
        drawn.sign_anew()
    assert done() == (RUNS, 0)
    for folder in (drawn.cache, drawn.site):
        assert not [
            path
            for path in folder.rglob("*")
            if path.is_file() and KEY.encode() in path.read_bytes()
        ]


def test_a_change_of_the_working_folder_is_no_other_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    before = environment()
    for variable in ("PWD", "OLDPWD"):
        monkeypatch.setenv(variable, "/somewhere/else")
    assert environment() == before
    monkeypatch.setenv("DB_PWD", "another-secret-value")
    assert environment() != before


@pytest.mark.parametrize(
    ("key", "said"), [("", "is empty"), ("short", "fewer than 16"), ("k" * 16, None), (None, None)]
)
def test_a_key_that_can_be_guessed_keeps_nothing_and_says_so(
    bare: Campaign, work: Watch, key: str | None, said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(cache_seal.KEY_VARIABLE, raising=False)
    if key is not None:
        monkeypatch.setenv(cache_seal.KEY_VARIABLE, key)
    bare.as_left()
    warnings = [each for each in bare.build(bare.cache).warnings if cache_seal.KEY_VARIABLE in each]
    assert len(warnings) == (said is not None)
    assert all(said in each for each in warnings if said)
    assert not [each for each in bare.build(None).warnings if cache_seal.KEY_VARIABLE in each]
    work.clear()
    shutil.rmtree(bare.site)
    bare.build(bare.cache)
    assert work.pages["run"] == (RUNS if said else 0)


def test_a_bundle_that_cannot_be_kept_leaves_nothing(tmp_path: Path) -> None:
    chart_files.vega_bundle(tmp_path)
    (file,) = tmp_path.iterdir()
    file.unlink()
    file.mkdir()
    (file / "theirs").touch()
    chart_files.vega_bundle(tmp_path)
    assert list(tmp_path.iterdir()) == [file]


def test_nothing_that_outlives_a_process_is_a_pickle() -> None:
    # between processes of one build, through pipes without a name, and the workers of Dask
    users = {"charts/converter.py", "system/workers/dask_engine.py"}
    package = Path(builder.__file__).parent
    paths = (
        path
        for path in package.rglob("*.py")
        if "pickle" in path.read_text(encoding="utf-8").split()
    )
    found = {path.relative_to(package).as_posix() for path in paths}
    assert found == users
