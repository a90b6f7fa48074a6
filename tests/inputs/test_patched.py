"""The patch beside a run: its lines, its digest, what is masked in it, and what of it is shown."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from sitegen.cache import memory as memory_module
from sitegen.cache.memory import NO_MEMORY, Memory
from sitegen.cache.seal import KEY_VARIABLE
from sitegen.inputs.patched import read_patch, with_patch
from sitegen.masking.redact import Redactor
from sitegen.model import Source
from sitegen.system.bounds import Bounds
from tests.collect.facts import entry

TOKEN = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
TEXT = f"--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,3 @@\n-one\n+key = {TOKEN}\n+two\n+three\n"


def patch_in(folder: Path, text: str = TEXT, path: str = "1.diff") -> Source:
    (folder / "1.diff").write_text(text)
    return Source(path, str(folder / "1.diff"), named=False, size=0)


def test_a_run_has_the_lines_and_the_digest_of_its_patch(tmp_path: Path) -> None:
    source = patch_in(tmp_path, path=f"{TOKEN}/1.diff")
    run, masked = with_patch(entry(), source, Redactor(), NO_MEMORY)
    assert run.patch_lines == (3, 1)
    assert run.patch_digest == sha256(TEXT.encode()).hexdigest()
    assert run.patch_key is not None and len(run.patch_key) == 16
    assert run.patch is not None and TOKEN not in run.patch.path
    assert run.patch.location == source.location
    assert masked == {"github token": 1}


def test_a_run_without_a_patch_stays_as_it_is(tmp_path: Path) -> None:
    run = entry()
    gone = Source("1.diff", str(tmp_path / "none"), named=False, size=0)
    for source in (None, gone):
        made, masked = with_patch(run, source, Redactor(), NO_MEMORY)
        assert made is run and masked == {}
        assert read_patch(source, Redactor()) is None


def test_a_patch_without_a_change_has_no_key(tmp_path: Path) -> None:
    run, masked = with_patch(entry(), patch_in(tmp_path, "no patch"), Redactor(), NO_MEMORY)
    assert (run.patch_key, run.patch_lines, masked) == (None, (0, 0), {})


def test_what_is_shown_of_a_patch_is_masked_and_cut(tmp_path: Path) -> None:
    renamed = TEXT.replace("x.py", f"{TOKEN}.py")
    patch = read_patch(patch_in(tmp_path, renamed), Redactor())
    assert patch is not None and TOKEN not in patch.text + patch.files[0].path
    assert (patch.files[0].added, patch.files[0].removed) == (3, 1)
    assert patch.text.endswith("\n+two\n+three\n")
    short = read_patch(patch_in(tmp_path), Redactor(), Bounds(patch_characters=10))
    assert short is not None and short.text.startswith("---") and "x.py\n+++" not in short.text


def test_bytes_that_are_no_text_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "1.diff").write_bytes(b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-\xff\n+b\n")
    source = Source("1.diff", str(tmp_path / "1.diff"), named=False, size=0)
    patch = read_patch(source, Redactor())
    assert patch is not None and "-\ufffd\n" in patch.text


def test_what_is_known_of_a_patch_is_kept_for_the_next_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "a key that is known to this test")
    monkeypatch.setattr(memory_module, "YOUNG_NS", -(10**15))
    source = patch_in(tmp_path)
    made = []
    for _ in range(2):
        memory = Memory(tmp_path / "cache", tmp_path / "site")
        made.append(with_patch(entry(), source, Redactor(), memory))
        memory.keep_all()
        memory.close()
        # As it says it is the same file: only a memory knows what it held.
        monkeypatch.setattr(Memory, "stamp_of_source", lambda *_: b"as it was")
        if len(made) == 1:
            again = Memory(tmp_path / "cache", tmp_path / "site")
            with_patch(entry(), source, Redactor(), again)
            again.keep_all()
            again.close()
            (tmp_path / "1.diff").write_text("other")
    assert made[0] == made[1]
    run, _ = made[1]
    other = with_patch(replace(entry(), id="another"), source, Redactor(), NO_MEMORY)[0]
    assert other.patch_digest != run.patch_digest
