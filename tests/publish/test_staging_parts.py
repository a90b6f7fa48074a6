"""A large data file is staged part by part: what is written, and what is said where a part cannot be made."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sitegen.errors import PublishError
from sitegen.masking.final_scan import FinalScan
from sitegen.masking.redact import Redactor, mask
from sitegen.publish import Publication
from sitegen.publish.files import File, Finish, Made
from sitegen.publish.manifest import Content, manifest_parts, walk
from sitegen.publish.staging import Stage
from sitegen.system.places import MANIFEST

HIDDEN = "quiet-harbour-lamp"
LINES = b'["a",\n', f'"{HIDDEN}"]\n'.encode()
MASKED = b'["a",\n"[redacted: own literal #1]"]\n'


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(str(tmp_path), shown="site")


def finish(stage: Stage) -> Finish:
    return Finish(FinalScan(Redactor(literals=((HIDDEN, "own literal"),))), stage, is_packing=False)


def staged(stage: Stage, name: str) -> bytes:
    return Path(stage.root, name).read_bytes()


def test_parts_are_written_one_behind_the_other(stage: Stage) -> None:
    stage.put("a.json", b"of a build that died")
    assert stage.put_parts("a.json", iter(LINES)) == Content.of(b"".join(LINES))
    assert staged(stage, "a.json") == b"".join(LINES)


def test_an_error_in_making_a_part_is_no_error_of_writing(stage: Stage) -> None:
    def parts() -> Iterator[bytes]:
        yield LINES[0]
        raise OSError("of the maker")

    with pytest.raises(OSError, match="of the maker"):
        stage.put_parts("a.json", parts())


def test_a_part_that_cannot_be_written_is_one_sentence(stage: Stage) -> None:
    def parts() -> Iterator[bytes]:
        Path(stage.root, "a.json").unlink()
        Path(stage.root, "a.json").mkdir()
        yield LINES[0]

    with pytest.raises(PublishError, match=r"cannot write a\.json to site"):
        stage.put_parts("a.json", parts())


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (lambda make: File("a.json", None, make), MASKED),
        (lambda make: File("a.json", None, make, is_scanned=False), b"".join(LINES)),
    ],
)
def test_pieces_are_scanned_where_the_file_is(
    stage: Stage, file: Callable[[Callable[[], Made]], File], expected: bytes
) -> None:
    finished = finish(stage)(file(lambda: Made(iter(LINES))))
    assert staged(stage, "a.json") == expected
    assert finished.file.content == Content.of(expected)


def test_a_file_in_pieces_brings_its_companions(stage: Stage) -> None:
    companions = (("b.json", b"".join(LINES)),)
    file = File("a.json", None, lambda: Made(iter(LINES), companions=companions), ("b.json",))
    finished = finish(stage)(file)
    assert [path for path, _ in finished.companions] == ["b.json"]
    assert (staged(stage, "a.json"), staged(stage, "b.json")) == (MASKED, MASKED)


def test_masks_of_a_file_its_companions_and_what_it_loads_have_one_number(stage: Stage) -> None:
    one, two, three = (mask("token", each) for each in ("one", "two", "three"))

    def made() -> Made:
        return Made(f"{two} {three}".encode(), (("b.html", f"{three} {one}".encode()),))

    loaded = File("c.html", None, lambda: Made(one.encode()), numbers={})
    finish(stage)(loaded)
    finish(stage)(File("a.html", None, made, ("b.html",), numbers=loaded.numbers))
    numbers = [re.findall(rb"#(\d)", staged(stage, f"{name}.html")) for name in "abc"]
    assert numbers == [[b"2", b"3"], [b"3", b"1"], [b"1"]]


def test_what_lies_in_a_staging_folder_goes_where_it_is_listed_or_published_too(
    tmp_path: Path,
) -> None:
    tree, site = tmp_path / "tree", tmp_path / "site"
    files = {"listed": b"a", "changed": b"B", "same": b"s", "other": b"o", "runs/r": b"r"}
    for path, data in {**files, "own/x": b"x", "both/x": b"x"}.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_bytes(data)
    listed = {"listed": b"a", "changed": b"b", "runs/r": b"r"}
    contents = {path: Content.of(data) for path, data in listed.items()}
    (tree / MANIFEST).write_bytes(b"".join(manifest_parts(contents)))
    (site / "both").mkdir(parents=True)
    (site / "same").write_bytes(b"s")
    (site / "other").write_bytes(b"O")
    proven = Publication(site)._proof(tree)
    found = {path: status for path, status in walk(tree) if proven(path, status)}
    assert sorted(found) == [MANIFEST, "both", "listed", "runs", "runs/r", "same"]
