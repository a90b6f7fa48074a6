"""Whoever can write to the cache folder can make a build slower, and nothing else that these tests could think of."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import os
import shutil
import sqlite3
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sitegen import build as builder
from sitegen.cache import memory, unchanged
from sitegen.cache import seal as cache_seal
from sitegen.cache.memory import Kind, Memory
from sitegen.cache.seal import SEAL_BYTES, seal
from sitegen.charts import engine
from tests.support import campaigns
from tests.support.campaigns import BARE
from tests.support.endless_files import deep_tree, shared_rows, shared_schema
from tests.support.forging import RUNS, WRONG, Campaign, Value, is_of_run
from tests.support.watching import Watch, watching
from tests.test_incremental import tree

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def young() -> Iterator[None]:
    """Files that these tests write count as old enough to be trusted."""
    with pytest.MonkeyPatch.context() as patched:
        for module in (memory, unchanged):
            patched.setattr(module, "YOUNG_NS", -(10**15))
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


KINDS = {"file": RUNS, "patch": 1, "page": RUNS, "site": 1}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", WRONG)
def test_a_value_that_is_not_of_its_type_is_unknown(
    bare: Campaign, kind: str, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bare.as_left()
    assert bare.forge(kind, WRONG[how]) >= KINDS[kind]
    assert bare.is_as_cold()
    assert list(tmp_path.iterdir()) == []


def test_what_was_kept_is_used_as_long_as_nobody_changed_it(bare: Campaign, work: Watch) -> None:
    bare.as_left()
    assert bare.is_as_cold()
    assert work.pages["run"] == 0


def entry(change: dict[str, Any]) -> Callable[[Value], Value]:
    """The facts of a file, with other values of its run."""

    def changed(value: Value) -> Value:
        value["read"]["entries"] = [each | change for each in value["read"]["entries"]]
        return value

    return changed


PASSWORD_FILE = {
    "path": "x.diff", "location": "", "named": False, "size": 1, "input": 0, "within": "x.diff", "member": None,
}  # fmt: skip
FACTS: dict[str, Callable[[Value], Value]] = {
    "a patch from elsewhere": entry({"patch": PASSWORD_FILE | {"location": "/etc/passwd"}}),
    "a patch": entry({"patch": PASSWORD_FILE}),
    "the page of another run": entry({"id": "1-0123456789ab"}),
    "a page elsewhere": entry({"id": "../../index"}),
    "an outcome": entry({"outcome": "pass"}),
    "another outcome": entry({"outcome": "brilliant"}),
    "fewer names than models": entry({"ledger_names": ["a", "b", "c"]}),
    "a number that is none": entry({"number": "0"}),
    "control characters": entry({"title": "\x1b]0;x\x07"}),
    "turned text": entry({"title": "\u202egpj.exe"}),
    "another file": entry({"source": PASSWORD_FILE | {"path": "../x"}}),
    "masks of another run": lambda value: value | {"read": value["read"] | {"masked": [["1-0123456789ab", []]]}},
}


@pytest.mark.parametrize("how", FACTS)
def test_facts_lead_to_no_other_file_and_no_other_page(bare: Campaign, how: str) -> None:
    bare.as_left()
    assert bare.forge("file", FACTS[how]) > RUNS
    assert bare.is_as_cold()


def test_that_nothing_was_masked_is_not_believed(bare: Campaign) -> None:
    """Or a run with a secret, whose page is made anew, would be shown as it is."""
    bare.as_left()
    assert all(not each["is_untouched"] for *_, value in bare.rows("file") for each in value["read"]["entries"])
    bare.forge("file", entry({"is_untouched": True}))
    assert bare.is_as_cold()


def test_a_secret_in_kept_facts_is_found_in_every_file(bare: Campaign) -> None:
    """Also in data files, which are looked through each time, whatever the cache says of them."""
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    bare.as_left()
    assert bare.forge("file", entry({"model": secret})) > RUNS
    bare.build(bare.cache)
    pages = tree(bare.site)
    assert not [path for path, data in pages.items() if secret.encode() in data]
    assert pages["data/runs.json"] != bare.cold["data/runs.json"]


def test_a_build_that_fails_by_what_was_kept_is_begun_again_without_it(bare: Campaign) -> None:
    bare.as_left()
    begun = list[str]()

    def failing(what: str, items: Sequence[Any]) -> Sequence[Any]:
        begun.append(what)
        if what == "Rendering" and begun.count(what) == 1:
            raise ValueError
        return items

    assert builder.NO_CACHE in bare.build(bare.cache, failing).warnings
    assert tree(bare.site) == bare.cold
    assert begun.count("Rendering") == 2
    for error in (ZeroDivisionError, MemoryError, OSError):
        for cache in (bare.cache, None):
            bare.as_left()
            begun.clear()
            with pytest.raises(error):
                bare.build(cache, partial(fail, begun, error))
            assert len(begun) == (2 if error is ZeroDivisionError and cache else 1)


def fail(begun: list[str], error: type[Exception], what: str, items: Sequence[Any]) -> Sequence[Any]:
    """Fail where pages are made."""
    if what != "Rendering":
        return items
    begun.append(what)
    raise error


def test_files_that_are_said_to_be_no_runs_do_not_stop_the_build(bare: Campaign) -> None:
    bare.as_left()
    assert bare.forge("file", lambda value: value | {"read": value["read"] | {"entries": [], "masked": []}}) > RUNS
    assert bare.is_as_cold()


PACKED: dict[str, Callable[[Value], Value]] = {
    "another digest": lambda file: file | {"content": file["content"] | {"sha256": "0" * 64}},
    "another size": lambda file: file | {"content": file["content"] | {"size": 5}},
    "a size below nothing": lambda file: file | {"content": file["content"] | {"size": -1}},
    "a bomb": lambda file: file | {"packed": base64.b64encode(zlib.compress(bytes(20_000_000))).decode()},
    "a bomb of its size": lambda _: {
        "content": {"size": 10**10, "sha256": "0" * 64}, "packed": base64.b64encode(zlib.compress(b"x")).decode(),
    },
    "not packed": lambda file: file | {"packed": base64.b64encode(b"<p>forged</p>").decode()},
}  # fmt: skip


@pytest.mark.parametrize("how", PACKED)
def test_what_is_packed_is_bounded_and_has_its_digest(bare: Campaign, how: str) -> None:
    bare.as_left()
    assert bare.forge("page", lambda value: value | {"file": PACKED[how](value["file"])}) > RUNS
    assert bare.is_as_cold()


DOCUMENTS: dict[str, Callable[[Value], Value]] = {
    "fewer levels than words": lambda document: document | {"levels": ""},
    "a level that is none": lambda document: document | {"words": "a", "levels": base64.b64encode(b"\xff").decode()},
    "a length below nothing": lambda document: document | {"length": -1},
    "a length beyond all": lambda document: document | {"length": 10**18},
    "another run": lambda document: document | {"shown": ["../assets/site", *document["shown"][1:]]},
    "nothing to show": lambda document: document | {"shown": []},
}


@pytest.mark.parametrize("how", DOCUMENTS)
def test_what_the_search_takes_of_a_run_is_what_it_could_give(bare: Campaign, how: str) -> None:
    bare.as_left()
    assert bare.forge("page", lambda value: value | {"words": DOCUMENTS[how](value["words"])}, is_of_run) == RUNS
    assert bare.is_as_cold()
    bare.as_left()
    assert bare.forge("page", lambda value: value | {"words": None}, is_of_run) == RUNS
    assert bare.is_as_cold()


@pytest.mark.parametrize("path", ["assets/site.js", "../x.html", "/x.html", "index.html", "runs/x.html", ".htaccess"])
def test_a_file_goes_nowhere_but_to_its_own_path(bare: Campaign, path: str) -> None:
    bare.as_left()
    assert bare.forge(
        "page", lambda value: value | {"companions": [each | {"path": path} for each in value["companions"]]}
    )
    assert bare.is_as_cold()
    bare.as_left()
    assert bare.forge(
        "page", lambda value: value | {"companions": [*value["companions"], {"path": path, "file": value["file"]}]}
    )
    assert bare.is_as_cold()


def test_pipes_links_and_huge_files_are_not_read(drawn: Campaign, tmp_path: Path) -> None:
    drawn.as_left()
    (script,) = drawn.cache.glob("vega-*.js")
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
        large.truncate(memory.MOST_FILE_BYTES + 1)
    assert drawn.is_as_cold()


SCHEMAS = {
    "a trigger": "CREATE TRIGGER t AFTER DELETE ON kept BEGIN DELETE FROM kept; END",
    "a view": "CREATE VIEW v AS SELECT * FROM kept",
    "a further table": "CREATE TABLE other (a)",
    "an index": "CREATE INDEX i ON kept (upper(stamp))",
}


@pytest.mark.parametrize("how", SCHEMAS)
def test_a_file_with_more_than_our_table_is_begun_anew(bare: Campaign, how: str, work: Watch) -> None:
    bare.as_left()
    with contextlib.closing(sqlite3.connect(bare.file)) as db, db:
        db.execute(SCHEMAS[how])
    assert bare.is_as_cold()
    assert work.pages["run"] == RUNS
    with contextlib.closing(sqlite3.connect(bare.file)) as db:
        assert [name for (name,) in db.execute("SELECT name FROM sqlite_master")] == ["kept"]


@pytest.mark.parametrize("write", [shared_rows, shared_schema, deep_tree])
@pytest.mark.parametrize("key", ["", "k" * 32])
def test_a_file_whose_pages_lead_to_each_other_without_end_is_removed(
    write: Callable[[Path], None], key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(cache_seal.KEY_VARIABLE, key)
    text = Kind[str]("text", str)
    with contextlib.closing(Memory(tmp_path, tmp_path / "site")) as first:
        first.keep(text, "a", b"s", "said")
        first.keep_all()
    (file,) = (tmp_path / "sites").iterdir()
    write(file)
    began = time.process_time()
    with contextlib.closing(Memory(tmp_path, tmp_path / "site")) as forged:
        assert forged.stamps(text) == forged.recall_all(text) == {}
        forged.keep_all()
    assert time.process_time() - began < 2
    assert not file.exists()
    with contextlib.closing(Memory(tmp_path, tmp_path / "site")) as anew:
        anew.keep(text, "b", b"s", "said")
        assert anew.recall(text, "b", b"s") == "said"


def test_a_view_in_place_of_our_table_is_not_asked(bare: Campaign) -> None:
    bare.as_left()
    with contextlib.closing(sqlite3.connect(bare.file)) as db, db:
        db.execute("ALTER TABLE kept RENAME TO other")
        db.execute("CREATE VIEW kept AS SELECT * FROM other")
    assert bare.is_as_cold()


def test_values_beyond_the_bound_and_of_other_types_are_unknown(bare: Campaign) -> None:
    bare.as_left()
    with contextlib.closing(sqlite3.connect(bare.file)) as db, db:
        db.execute("UPDATE kept SET value = zeroblob(?) WHERE kind = 'page'", (memory.MOST_VALUE_BYTES + 1,))
    assert bare.is_as_cold()
    for value in (None, 5, "text", 1.5):
        bare.as_left()
        with contextlib.closing(sqlite3.connect(bare.file)) as db, db:
            db.execute("UPDATE kept SET value = ?", (value,))
        assert bare.is_as_cold()
        bare.as_left()
        with contextlib.closing(sqlite3.connect(bare.file)) as db, db:
            db.execute("UPDATE kept SET stamp = ?", (value,))
        assert bare.is_as_cold()
    for key in (b"\xff", b"runs", 5):
        bare.as_left()
        with contextlib.closing(sqlite3.connect(bare.file)) as db, db:
            db.execute("UPDATE OR REPLACE kept SET key = ?", (key,))
        assert bare.is_as_cold()


def test_a_journal_that_others_left_is_not_obeyed(bare: Campaign, tmp_path: Path) -> None:
    """SQLite removes the file that a journal names as that of several databases, once they are as they were."""
    bare.as_left()
    precious = tmp_path / "precious"
    precious.write_text("mine")
    name = os.fsencode(precious)
    page = bare.file.read_bytes()[:4096]
    magic = bytes.fromhex("d9d505f920a163d7")
    header = magic + b"".join(number.to_bytes(4) for number in (0, 0, 1, 512, 4096)).ljust(504, b"\0")
    check = sum(name).to_bytes(4)
    lock_page = (2**30 // 4096 + 1).to_bytes(4)
    journal = header + lock_page + name + len(name).to_bytes(4) + check + magic
    bare.file.with_name(f"{bare.file.name}-journal").write_bytes(journal)
    bare.file.with_name(f"{bare.file.name}-wal").write_bytes(page)
    assert bare.is_as_cold()
    assert precious.read_text() == "mine"
    assert sorted(path.suffix for path in (bare.cache / "sites").iterdir()) == [".sqlite"]


KEY = "a-key-of-ci-" + hashlib.sha256(b"key").hexdigest()[:20]


def test_with_a_key_nothing_is_used_that_was_sealed_without_it(
    drawn: Campaign, work: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def bundle() -> int:
        (file,) = drawn.cache.glob("vega-*.js")
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
    for kind in ("page", "file", "layout", "drawing"):
        with monkeypatch.context() as patched:
            patched.delenv(cache_seal.KEY_VARIABLE)
            assert drawn.forge(kind, lambda value: value)
    assert done() == (RUNS, 0)
    for folder in (drawn.cache, drawn.site):
        assert not [path for path in folder.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


def test_a_seal_holds_for_one_value_in_one_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, other = Kind[str]("text", str), Kind[str]("other", str)
    monkeypatch.setenv(cache_seal.KEY_VARIABLE, KEY)
    with contextlib.closing(Memory(tmp_path, tmp_path / "site")) as written:
        stamp = written.stamp(1)
        written.keep(text, "a", stamp, "said")
        written.keep_all()
    (file,) = (tmp_path / "sites").iterdir()
    moves = ["kind = 'other'", "key = 'b'", "stamp = x'00'"]
    for move in moves:
        with contextlib.closing(sqlite3.connect(file)) as db, db:
            (row,) = db.execute("SELECT * FROM kept").fetchall()
            db.execute(f"UPDATE kept SET {move}")  # noqa: S608
        with contextlib.closing(Memory(tmp_path, tmp_path / "site")) as read:
            assert [read.recall_last(kind, key) for kind in (text, other) for key in "ab"] == [None] * 4
        with contextlib.closing(sqlite3.connect(file)) as db, db:
            db.execute("DELETE FROM kept")
            db.execute("INSERT INTO kept VALUES (?, ?, ?, ?)", row)
    with contextlib.closing(Memory(tmp_path, tmp_path / "site")) as read:
        assert read.recall(text, "a", stamp) == "said"


ARGUMENTS = ["build", "--cache-dir=cache"]


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The record of a build that said one line."""
    monkeypatch.chdir(tmp_path)
    campaigns.write(tmp_path, {"runs/1.json": "{}", "site/index.html": "x"})
    unchanged.Watch(ARGUMENTS, [("runs", "runs")], "site", "cache").remember([(True, "said")], 1, quiet=False)
    (file,) = (tmp_path / "cache" / "unchanged").iterdir()
    return file


def forge_record(record: Path, old: bytes, new: bytes) -> None:
    fields = record.read_bytes()[SEAL_BYTES:]
    assert fields.count(old) == 1
    fields = fields.replace(old, new)
    record.write_bytes(seal(b"unchanged", os.fsencode(record.name), fields) + fields)


def test_a_record_with_the_right_seal_is_said(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    forge_record(record, b"\0said", b"\0Said")
    assert unchanged.answer(ARGUMENTS) == 1
    assert capsys.readouterr().err == "Said\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"\0said", b"\0\x1b]0;forged\x07"),
        (b"\0said", b"\0forged\rsaid"),
        (b"\0said", "\0\x9b31mforged".encode()),
        (b"\0said", "\0\u202eforged".encode()),
        (b"\0said", "\0\u206eforged".encode()),
        (b"\0said", "\0\U000e0041forged".encode()),
        (b"\0said", "\0\u2028forged".encode()),
        (b"\0said", b"\0\xff"),
        (b"\0error\0", b"\0loud\0"),
        (b"\0001\0\0", b"\00042\0\0"),
        (b"\0001\0\0", b"\0-1\0\0"),
        (b"\0001\0\0", b"\0002\0\0"),
        (b"\0001\0\0", b"\0001\0loud\0"),
        (b"\0runs\0runs", b"\0runs\0some"),
        (b"\0said", b""),
        (b"\0said", b"\0said\0"),
    ],
)
def test_a_record_that_no_build_leaves_is_none(
    record: Path, old: bytes, new: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    forge_record(record, old, new)
    assert unchanged.answer(ARGUMENTS) is None
    assert capsys.readouterr() == ("", "")


def test_a_record_with_a_long_path_takes_no_long_time(record: Path) -> None:
    forge_record(record, b"\0runs\0runs", b"\0[" + b"/x" * 490_000 + b"\0runs")
    began = time.process_time()
    assert unchanged.answer(ARGUMENTS) is None
    assert time.process_time() - began < 2


@pytest.mark.usefixtures("record")
def test_on_windows_no_path_that_a_record_names_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    assert unchanged.answer(ARGUMENTS) == 1
    monkeypatch.setattr(sys, "platform", "win32")
    assert unchanged.answer(ARGUMENTS) is None


def test_a_command_of_ci_in_a_record_is_not_said(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    forge_record(record, b"\0said", b"\0said\n::add-mask::x ##vso[y]")
    assert unchanged.answer(ARGUMENTS) == 1
    assert capsys.readouterr().err == "said\n: :add-mask::x # #vso[y]\n"


def test_a_change_of_the_working_folder_is_no_other_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    before = unchanged.environment()
    for variable in ("PWD", "OLDPWD"):
        monkeypatch.setenv(variable, "/somewhere/else")
    assert unchanged.environment() == before
    monkeypatch.setenv("DB_PWD", "another-secret-value")
    assert unchanged.environment() != before


@pytest.mark.parametrize(
    ("key", "said"), [("", "is empty"), ("short", "fewer than 16"), ("k" * 16, None), (None, None)]
)
def test_a_key_that_proves_nothing_is_warned_of(
    bare: Campaign, key: str | None, said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(cache_seal.KEY_VARIABLE, raising=False)
    if key is not None:
        monkeypatch.setenv(cache_seal.KEY_VARIABLE, key)
    bare.as_left()
    warnings = [each for each in bare.build(bare.cache).warnings if cache_seal.KEY_VARIABLE in each]
    assert len(warnings) == (said is not None)
    assert all(said in each for each in warnings if said)
    assert not [each for each in bare.build(None).warnings if cache_seal.KEY_VARIABLE in each]


def test_a_bundle_that_cannot_be_kept_leaves_nothing(tmp_path: Path) -> None:
    engine.vega_bundle(tmp_path)
    (file,) = tmp_path.iterdir()
    file.unlink()
    file.mkdir()
    (file / "theirs").touch()
    engine.vega_bundle(tmp_path)
    assert list(tmp_path.iterdir()) == [file]


def test_a_record_is_sealed_by_the_key(record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache_seal.KEY_VARIABLE, KEY)
    assert unchanged.answer(ARGUMENTS) is None
    unchanged.Watch(ARGUMENTS, [("runs", "runs")], "site", "cache").remember([(False, "said")], 0, quiet=True)
    assert unchanged.answer(ARGUMENTS) == 0
    assert KEY.encode() not in record.read_bytes()
    forge = record.read_bytes().replace(b"\0said", b"\0Said")
    record.write_bytes(forge)
    assert unchanged.answer(ARGUMENTS) is None


def test_what_a_terminal_would_obey_is_not_remembered(record: Path) -> None:
    record.unlink()
    unchanged.Watch(ARGUMENTS, [("runs", "runs")], "site", "cache").remember([(True, "\x1b[31m")], 1, quiet=False)
    assert not record.exists()


def test_nothing_that_outlives_a_process_is_a_pickle() -> None:
    # between processes of one build, through pipes without a name, and the workers of Dask
    users = {"charts/converter.py", "pages/files.py", "workers/__init__.py", "workers/dask_engine.py"}
    package = Path(builder.__file__).parent
    paths = (path for path in package.rglob("*.py") if "pickle" in path.read_text(encoding="utf-8").split())
    found = {path.relative_to(package).as_posix() for path in paths}
    assert found == users
