"""Single values of packs: numbers that cannot be, texts that are too long, and heads that are refused."""

from __future__ import annotations

import hashlib
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sitegen.errors import ReadError
from sitegen.inputs.campaigns import packs as module
from sitegen.inputs.campaigns.packs import checked, encoded, holds_pack, is_pack, loaded
from sitegen.masking.redact import Redactor
from sitegen.model import (
    Level,
    ModelUsage,
    Run,
    Score,
    Source,
    Status,
    StepCounts,
    Texts,
    Tokens,
    ToolKindCounts,
)
from sitegen.system.bounds import MB, Bounds
from tests.collect.facts import entry

TOKEN = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"


@pytest.mark.parametrize(
    ("key", "value", "known"),
    [
        ("turns", 3, 3),
        ("turns", 0, 0),
        ("turns", -1, None),
        ("turns", "3", None),
        ("turns", True, None),
        ("turns", 10**15, 10**15),
        ("turns", 10**15 + 1, None),
        ("cost_usd", 1e9, 1e9),
        ("cost_usd", 1.1e9, None),
        ("computed_cost_usd", 1.1e9, None),
        ("value", -2.5, -2.5),
        ("value", "x", None),
        ("value", 1e60, None),
        ("other", -1, None),
        ("other", "text", "TEXT"),
        ("other", None, None),
        ("turns", None, None),
        ("answers", 10**30, 10**30),
    ],
)
def test_numbers_that_no_reader_gives_are_unknown(key: str, value: object, known: object) -> None:
    assert checked({key: value}, str.upper) == {key.upper(): known}


def test_scores_without_a_number_are_left_out_and_texts_are_masked_at_any_depth() -> None:
    stated = {"a": [{"value": 1, "name": "x"}, {"value": "odd"}, ["y"], 7], "b": {"c": "z"}}
    assert checked(stated, str) == {"a": [{"value": 1, "name": "x"}, ["y"], 7], "b": {"c": "z"}}
    assert checked({"a": [["x"], {"b": "y"}]}, str.upper) == {"A": [["X"], {"B": "Y"}]}
    assert checked([{"value": "odd"}, {"value": 2}], str) == [{"value": 2}]
    assert checked({"turns": -1, "v": ["a"]}, str.upper, any_number=True) == {
        "TURNS": -1,
        "V": ["A"],
    }


def test_json_is_loaded_also_with_numbers_that_no_float_holds() -> None:
    assert loaded(b'{"a": [1, null]}') == {"a": [1, None]}
    assert loaded(b"1e999") == float("inf")
    for data in (b"", b"{", b"\xff"):
        with pytest.raises(ValueError):
            loaded(data)


def test_masks_of_a_pack_are_told_from_those_of_others() -> None:
    redactor = Redactor()
    text = "see [redacted: github token #1] and [redacted: github token #2]"
    one, other = (module._masked(marks, redactor, text) for marks in ("a", "b"))
    assert one != other and one == module._masked("a", redactor, text)
    assert one.startswith("see [redacted: github token #") and "#1]" not in one
    assert TOKEN not in module._masked("a", redactor, TOKEN)
    assert module._masked("a", redactor, "[redacted: x]") == "[redacted: x]"


def refusal(value: Any) -> str:
    """What is said of a value that is refused."""
    with pytest.raises(ReadError) as refused:
        module._refuse_long_names(value)
    assert refused.value.code == "E_PACK"
    return refused.value.reason


def test_names_may_have_4096_characters() -> None:
    name = "x" * 4096
    module._refuse_long_names({name: [name, (name,), {"a": name}, 7, None]})
    said = "a name in it has more than 4,096 characters, so sitegen did not pack it"
    long = "x" * 4097
    for value in (long, [long], (long,), {long: 1}, {"a": {"b": [long]}}):
        assert refusal(value) == said


HEAD = {
    "sitegen_pack": 1,
    "version": "0.1",
    "level": "outline",
    "settings_digest": "d",
    "settings": {"title": "T", "attempts": -1},
}


def head(**changes: Any) -> module.Head:
    return module._head(json.dumps({**HEAD, **changes}).encode(), Redactor())[0]


def test_a_head_has_its_settings_masked_and_their_numbers_as_they_are() -> None:
    made = head(settings={"title": TOKEN, "x": "y" * 2001, "attempts": -1}, remarks=[TOKEN])
    assert TOKEN not in str(made)
    assert made.settings["x"] == "y" * 2000 and made.settings["attempts"] == -1
    assert (made.version, made.level, made.settings_digest) == ("0.1", Level.OUTLINE, "d")
    assert (made.files, made.rules, made.kinds, made.planned) == (0, (), (), ())
    assert module.Head(1, "0.1", Level.FULL, {}, "d") == module.replace(
        made, sitegen_pack=1, level=Level.FULL, settings={}, remarks=()
    )
    data = json.dumps(HEAD).encode()
    marks = module._head(data, Redactor())[1]
    assert len(marks) == 16 and marks != module._head(data + b" ", Redactor())[1]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"sitegen_pack": "1"}, "its header is damaged"),
        ({"sitegen_pack": -1}, "its header is damaged"),
        ({"settings": []}, "its header is damaged"),
        (
            {"sitegen_pack": 2, "version": "9.1"},
            "this pack is in form 2, and this sitegen reads forms up to 1; build it with sitegen 9.1, which wrote it",
        ),
        (
            {"settings": {"a": "x" * 4000, "b": ["y" * 4000] * 25}},
            "its settings have more than 100,000 characters",
        ),
        (
            {"settings": {"a": "x" * 4097}},
            "a name in it has more than 4,096 characters, so sitegen did not pack it",
        ),
        ({"level": "much"}, "sitegen did not pack a part of it, or it is damaged"),
        ({"problems": [1]}, "sitegen did not pack a part of it, or it is damaged"),
    ],
)
def test_a_head_that_cannot_be_is_refused(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ReadError) as refused:
        head(**changes)
    assert (refused.value.code, refused.value.reason) == ("E_PACK", sentence)


def test_a_head_without_its_keys_is_damaged() -> None:
    for data in (b"", b"[]", b"{}", b'{"sitegen_pack": 1}', b"[" * 100_000):
        with pytest.raises(ReadError) as refused:
            module._head(data, Redactor())
        assert refused.value.reason == "its header is damaged"


def test_a_pack_is_known_by_its_name_and_its_first_bytes(tmp_path: Path) -> None:
    head = b"PK\3\4" + b"\0" * 26 + b"sitegen-pack.json"
    files = {
        "a.zip": head,
        "b.ZIP": head + b"more",
        "c.tar": head,
        "d.zip": head[:-1],
        "e.zip": b"xx" + head[2:],
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    assert [name for name in files if is_pack(tmp_path / name)] == ["a.zip", "b.ZIP"]
    assert not holds_pack(Source("f.zip", str(tmp_path / "f.zip"), named=True, size=0))


@pytest.mark.parametrize(
    ("text", "is_date"),
    [
        ("2026-03-02T10:00:00Z", True),
        ("2026-03-02T10:00:00.123Z", True),
        ("2026-13-02T10:00:00Z", False),
        ("2026-03-02 10:00:00Z", False),
        ("2026-03-02T10:00:00+00:00", False),
        ("20260302T100000Z", False),
        ("2026-03-02", False),
        ("", False),
    ],
)
def test_a_date_of_a_pack_is_of_utc(text: str, is_date: bool) -> None:
    assert module._is_date(text) is is_date


def test_a_line_of_a_pack_has_no_place_of_a_machine() -> None:
    assert encoded({"a": Path("/srv"), "b": 1}) == b'{"a":"","b":1}'


def test_a_run_of_a_pack_has_the_lower_of_two_levels() -> None:
    member = module.PackMember(1, 2, "d", "m")
    pack = Source("c.zip", "/in/c.zip", named=True, size=9, level=Level.TEXTS)
    run = entry("a/1.json", Run("r", Status.OK, session_title="My_title"), about="About")
    run = module.replace(run, patch=Source("a/1.diff", "", named=False, size=4))
    placed = module._placed(run, pack, member)
    assert placed.patch is not None
    assert (placed.patch.path, placed.patch.size) == ("a/1.diff", 4)
    assert (placed.patch.location, placed.patch.member) == ("/in/c.zip", member)
    assert (placed.source.path, placed.source.location) == ("a/1.json", "/in/c.zip")
    assert (placed.source.member, placed.source.size) == (member, 1)
    assert (placed.source.level, placed.source.within) == (Level.TEXTS, "a/1.json")
    assert placed.about == "About"


@pytest.mark.parametrize(
    ("session_title", "title", "shown"),
    [("My title", "My title", "1"), ("My title", "Other", "Other"), (None, "Other", "Other")],
)
def test_a_run_that_publishes_nothing_is_not_named_after_its_prompts(
    session_title: str | None, title: str, shown: str
) -> None:
    pack = Source("c.zip", "/in/c.zip", named=True, size=9, level=Level.NONE)
    run = entry("a/1.json", Run("r", Status.OK, session_title=session_title), about="About")
    run = module.replace(run, title=title)
    placed = module._placed(run, pack, module.PackMember(1, 2, "d", "m"))
    assert (placed.title, placed.about, placed.level) == (shown, None, Level.NONE)


def pack_in(folder: Path, *names: str, data: bytes = b"first\nsecond\n") -> Source:
    """A zip with members of these names."""
    with zipfile.ZipFile(folder / "c.zip", "w") as archive:
        for name in names:
            archive.writestr(name, data)
    return Source("c.zip", str(folder / "c.zip"), named=True, size=0)


def test_a_member_is_read_again_as_it_was(tmp_path: Path) -> None:
    source = pack_in(tmp_path, "runs/a")
    with zipfile.ZipFile(source.location) as archive:
        (info,) = archive.infolist()
    digest = hashlib.sha256(b"first\nsecond\n").hexdigest()
    member = module.PackMember(info.header_offset, info.compress_size, digest, "m")
    assert module._again(source, member, Bounds()) == [b"first", b"second"]
    with pytest.raises(ReadError) as changed:
        module._again(source, module.replace(member, digest="other"), Bounds())
    assert changed.value.reason == "the pack changed while the site was built; build again"
    (tmp_path / "c.zip").unlink()
    with pytest.raises(ReadError) as gone:
        module._again(source, member, Bounds())
    assert (gone.value.code, gone.value.reason) == (
        "W_CHANGED",
        "the pack could not be read a second time (it cannot be read: it no longer exists, or is a broken link); "
        "build again",
    )


MARKER_FAULT = "the first member of a pack is sitegen-pack.json, and no other is called so"


@pytest.mark.parametrize(
    ("names", "fault"),
    [
        (["sitegen-pack.json", "runs/a"], None),
        (["runs/a", "sitegen-pack.json"], MARKER_FAULT),
        (["runs/a"], MARKER_FAULT),
    ],
)
def test_the_head_is_the_first_member(names: list[str], fault: str | None, tmp_path: Path) -> None:
    members = module._members(pack_in(tmp_path, *names), Bounds())
    if fault is None:
        assert [info.filename for info, _ in members] == names
        return
    with pytest.raises(ReadError) as refused:
        list(members)
    assert (refused.value.code, refused.value.reason) == ("E_PACK", fault)


def test_a_pack_unpacks_to_its_limit(tmp_path: Path) -> None:
    data = b" " * (MB // 2)
    names = ["sitegen-pack.json", "runs/a"]
    bounds = Bounds(archive_mb=1)
    assert len(list(module._members(pack_in(tmp_path, *names, data=data), bounds))) == 2
    with pytest.raises(ReadError) as refused:
        list(module._members(pack_in(tmp_path, *names, data=data + b" "), bounds))
    assert refused.value.reason == (
        "the archive unpacks to more than 1 MB; what comes later in it is not read"
    )
    few = Bounds(archive_members=1)
    assert len(list(module._members(pack_in(tmp_path, *names), few))) == 2
    with pytest.raises(ReadError):
        list(module._members(pack_in(tmp_path, *names, "runs/b"), few))


def test_runs_of_a_pack_that_cannot_be_are_faults(tmp_path: Path) -> None:
    run = entry("a/1.json", Run("r", Status.OK))
    run = module.replace(run, id="a-0123456789ab")
    long = module.replace(run.run.texts, summary="x" * 5000)
    run = module.replace(run, run=module.replace(run.run, texts=long))
    line = encoded(module.PackedRun(run, run.run.texts, None))
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        archive.writestr("sitegen-pack.json", json.dumps(HEAD))
        archive.writestr("runs/a", line)
        archive.writestr("runs/b", line)
        archive.writestr("runs/c", b"{}")
        other = line.replace(b"0123456789ab", b"ba9876543210")
        archive.writestr("unplaced/d", other)
        archive.writestr("unplaced/e", other)
    pack = module.read(Source("c.zip", str(tmp_path / "c.zip"), named=True, size=0), Redactor())
    assert [each.id for each in pack.entries] == ["a-0123456789ab"]
    assert [each.id for each in pack.unplaced] == ["a-ba9876543210"]
    twice = "The pack holds two runs of this name; the first is shown."
    assert [(each.path, each.reason) for each in pack.faults] == [
        ("c.zip/runs/b", twice),
        ("c.zip/runs/c", "Sitegen did not pack a part of it, or it is damaged."),
        ("c.zip/unplaced/e", twice),
    ]


def packed(steps: int = 0, **changes: Any) -> bytes:
    """A run as a pack holds it, with so many steps; fields of its run are in `run__x`."""
    of_run = {name[5:]: changes.pop(name) for name in list(changes) if name.startswith("run__")}
    made = entry("1.json", Run("Pi", Status.OK, **of_run))
    made = replace(made, **{"id": "1-0123456789ab", **changes})
    lines = [encoded(module.PackedRun(made, Texts(), None)), *[b"{}"] * steps]
    return b"".join(line + b"\n" for line in lines)


def counted(steps: int, *kinds: str) -> StepCounts:
    by_kind = tuple(ToolKindCounts(kind, 1, 0, None, None, 0) for kind in kinds)
    known = StepCounts(steps, 0, None, None, None, None, 0, None, None, None)
    return replace(known, by_kind=by_kind)


NO_STEPS = replace(entry("1.json").source, level=Level.NONE)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"id": "-0123456789ab"},
        {"started_at": "2026-01-02T03:04:05Z"},
        {"run__started_at": "2026-01-02T03:04:05.5Z", "run__ended_at": "2026-01-02T03:04:05Z"},
        {"run__ledger": (ModelUsage("m", Tokens()),), "ledger_names": ("M",)},
        {"steps": 2, "run__steps": counted(2, "run", "read")},
        {"run__steps": counted(2), "source": NO_STEPS},
        {"patch": NO_STEPS, "patch_digest": "d"},
        {"patch_key": "0123456789abcdef"},
        {"scores": (Score("s", 0.0), Score("t", 0.1, is_ratio=True))},
    ],
    ids=str,
)
def test_a_run_as_sitegen_packs_it_is_read(changes: dict[str, Any]) -> None:
    assert module._facts(packed(**changes), "m", Redactor()).run.reader == "Pi"


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "1-0123456789a"},
        {"id": "../1-0123456789ab"},
        {"started_at": "2026-01-02"},
        {"started_at": "2026-13-02T03:04:05Z"},
        {"run__started_at": "yesterday"},
        {"run__ended_at": "2026-01-02T03:04:05"},
        {"run__ledger": (ModelUsage("m", Tokens()),)},
        {"ledger_names": ("M",)},
        {"run__steps": counted(2)},
        {"steps": 3, "run__steps": counted(2)},
        {"steps": 2, "run__steps": counted(2, "unheard")},
        {"patch": NO_STEPS},
        {"patch_digest": "d"},
        {"patch_key": "0123"},
        {"scores": (Score("t", 0.0, is_ratio=True),)},
        {"scores": (Score("s", 1.0), Score("t", -1.0, is_ratio=True))},
    ],
    ids=str,
)
def test_a_run_that_sitegen_did_not_pack_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ReadError) as refused:
        module._facts(packed(**changes), "m", Redactor())
    assert refused.value.reason == "sitegen did not pack the run, or it is damaged"


@pytest.mark.parametrize(
    ("title", "session_title", "level", "shown"),
    [
        ("Fix it", "Fix it", Level.NONE, "1"),
        ("Fix  it", "Fix  it", Level.NONE, "Fix  it"),
        ("t", "Fix it", Level.NONE, "t"),
        ("t", None, Level.NONE, "t"),
        ("Fix it", "Fix it", Level.OUTLINE, "Fix it"),
    ],
)
def test_a_run_that_shows_no_steps_is_not_called_after_its_session(
    title: str, session_title: str | None, level: Level, shown: str
) -> None:
    made = entry("a/1.json", Run("Pi", Status.OK, session_title=session_title))
    made = replace(made, title=title, source=replace(made.source, level=Level.FULL))
    pack = Source("p.zip", "/in/p.zip", named=True, size=9, level=level)
    placed = module._placed(made, pack, module.PackMember(1, 2, "d", "m"))
    assert (placed.title, placed.source.level) == (shown, level)
    assert (placed.source.path, placed.source.location) == ("a/1.json", "/in/p.zip")
