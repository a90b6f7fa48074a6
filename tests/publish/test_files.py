"""Files on their way to a site: made once, taken over while their keys are as they were, scanned, and the user's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from sitegen.cache.memory import NO_MEMORY, Memory
from sitegen.config import Config
from sitegen.errors import ConfigError, PublishError
from sitegen.masking.final_scan import FinalScan
from sitegen.masking.redact import Redactor
from sitegen.publish import OneFile, Publication
from sitegen.publish.files import Document, File, FileStream, Made, own_files, target_of
from sitegen.publish.one_file import ZIP
from sitegen.system.workers import Processes

TOKEN = "gh" + "p_" + "R7kQ2mZx9LbW4tYc8NvH3sJd6FgA1pEo5uTi"
WORDS = Document("one two", b"\x01\x02", 2, ("shown", None))


Memories = Callable[[], Memory]


class Maker:
    """What makes a file, and how often it did."""

    def __init__(self, made: Made) -> None:
        self.made, self.calls = made, 0

    def __call__(self) -> Made:
        self.calls += 1
        return self.made


def files(**changes: Made) -> dict[str, File]:
    """Return the files of a small site, each with a key of its own; `changes` are made in place of the usual."""
    usual = {
        "index.html": Made(b"<p>index</p>"),
        "runs/a.html": Made(
            b"<p>a</p>", companions=[("runs/a/2.html", b"<p>a, 2</p>")], words=WORDS
        ),
        "data/runs.csv": Made(iter([b"a,b\n", b"1,2\n"])),
    }
    made = usual | changes
    return {
        path: File(
            path,
            f"key of {path}".encode(),
            Maker(value),
            companions=(("runs/a/2.html",) if "/a." in path else ()),
        )
        for path, value in made.items()
    }


@contextmanager
def stream(
    folder: Path, memory: Memory = NO_MEMORY, *, is_packing: bool = False
) -> Iterator[FileStream]:
    """Yield a stream into `site` or `site.zip` of a folder, which is published at the end with what was kept."""
    target = OneFile(folder / "site.zip", ZIP) if is_packing else Publication(folder / "site")
    scan = FinalScan.of(Redactor(), (), is_strict=False)
    with target:
        yield FileStream(target, memory, scan, Processes(1), is_packing=is_packing)
        target.commit()
        memory.keep_all()


@pytest.fixture
def memories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memories]:
    """A function that returns the memory of the next build."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "keys"))
    opened: list[Memory] = []

    def memory() -> Memory:
        opened.append(Memory(tmp_path / "cache", tmp_path / "site"))
        return opened[-1]

    yield memory
    for each in opened:
        with closing(each):
            pass


def calls(made: dict[str, File]) -> dict[str, int]:
    return {path: file.make.calls for path, file in made.items()}  # type: ignore[attr-defined]


WRITTEN = ["index.html", "runs/a.html", "runs/a/2.html", "data/runs.csv"]


def content(folder: Path) -> dict[str, bytes]:
    return {path: (folder / "site" / path).read_bytes() for path in WRITTEN}


def test_files_come_in_their_order_with_their_results(tmp_path: Path) -> None:
    made = files()
    with stream(tmp_path) as written:
        results = list(written.write(made.values()))
        assert [file.path for file, _ in results] == list(made)
        assert [finished.words for _, finished in results] == [None, WORDS, None]
        assert [[path for path, _ in finished.companions] for _, finished in results] == [
            [],
            ["runs/a/2.html"],
            [],
        ]
        assert written.written == WRITTEN
        assert list(written.remarks()) == []
    assert content(tmp_path) == {
        "index.html": b"<p>index</p>",
        "runs/a.html": b"<p>a</p>",
        "runs/a/2.html": b"<p>a, 2</p>",
        "data/runs.csv": b"a,b\n1,2\n",
    }


@pytest.mark.parametrize("at_once", [1, 2, 3])
def test_no_more_files_are_held_than_asked_for(tmp_path: Path, at_once: int) -> None:
    asked: list[str] = []

    def listed() -> Iterator[File]:
        for path, file in files().items():
            asked.append(path)
            yield file

    with stream(tmp_path) as written:
        results = written.write(listed(), at_once)
        next(results)
        assert len(asked) == at_once
        assert len(list(results)) == 2


@pytest.mark.parametrize("is_packing", [False, True])
def test_what_has_the_same_key_is_not_made_again(
    tmp_path: Path, memories: Memories, is_packing: bool
) -> None:
    first, again = files(), files()
    for made in (first, again):
        with stream(tmp_path, memories(), is_packing=is_packing) as written:
            results = {file.path: finished for file, finished in written.write(made.values())}
            assert written.written == WRITTEN
            assert results["runs/a.html"].words == WORDS
    assert calls(first) == dict.fromkeys(first, 1)
    assert calls(again) == dict.fromkeys(again, 0)
    if not is_packing:
        assert content(tmp_path)["runs/a/2.html"] == b"<p>a, 2</p>"


def test_another_key_a_lost_companion_and_what_does_not_last_are_made_again(
    tmp_path: Path, memories: Memories
) -> None:
    changes = {"index.html": Made(b"<p>now</p>", is_lasting=False)}
    first, again = files(**changes), files(**changes)
    with stream(tmp_path, memories()) as written:
        written.write_all(first.values())
    (tmp_path / "site" / "runs" / "a" / "2.html").unlink()
    again["data/runs.csv"] = replace(again["data/runs.csv"], key=b"another")
    with stream(tmp_path, memories()) as written:
        written.write_all(again.values())
        assert sorted(written.written) == sorted(WRITTEN)
    assert calls(again) == dict.fromkeys(again, 1)
    assert content(tmp_path)["runs/a/2.html"] == b"<p>a, 2</p>"


def test_a_file_without_a_key_is_made_in_each_build(tmp_path: Path, memories: Memories) -> None:
    for _ in range(2):
        made = {path: replace(file, key=None) for path, file in files().items()}
        with stream(tmp_path, memories()) as written:
            written.write_all(made.values())
            written.put_unkept(replace(made["index.html"], path="further/one.html"))
            assert written.written == [*WRITTEN, "further/one.html"]
        assert calls(made) == {"index.html": 2, "runs/a.html": 1, "data/runs.csv": 1}


def test_a_key_tells_values_and_forms_of_output_apart(tmp_path: Path, memories: Memories) -> None:
    with stream(tmp_path) as without_memory:
        assert without_memory.key("a") is None
    with stream(tmp_path, memories()) as written:
        key = written.key("a", 1)
        assert key == written.key("a", 1)
        assert key not in (written.key("a", "1"), written.key("a"))
    with stream(tmp_path, memories(), is_packing=True) as packing:
        assert packing.key("a", 1) not in (None, key)


def test_a_file_that_is_made_here_or_after_a_loss_is_published_as_any(tmp_path: Path) -> None:
    made = {path: replace(file, is_made_here=True) for path, file in files().items()}
    with stream(tmp_path) as written:
        written.write_all(made.values())
        assert written.written == WRITTEN
    assert content(tmp_path)["data/runs.csv"] == b"a,b\n1,2\n"


SECRET = f"<p>{TOKEN}</p>".encode()


@pytest.mark.parametrize("is_known", [False, True])
def test_files_in_which_something_was_masked_late_are_named(
    tmp_path: Path, memories: Memories, is_known: bool
) -> None:
    def made() -> list[File]:
        paths = ["a.html", "b.html", "c.html", "d.html"]
        pages = [File(path, path.encode(), Maker(Made(SECRET))) for path in paths]
        run = replace(pages[0], path="runs/e.html", run_id="e")
        plain = replace(pages[0], path="theme.html", is_scanned=False)
        return [*pages, run, plain]

    for number in range(1 + is_known):
        with stream(tmp_path, memories()) as written:
            written.write_all(made()[:3] if number == is_known else made())
            (remark,) = written.remarks()
            names = (
                "a.html, b.html, c.html" if number == is_known else "a.html, b.html, c.html, ..."
            )
            assert remark == (
                f"What looks like a secret, put together, was masked in finished files: {names}. Look at them."
            )
    assert TOKEN.encode() not in (tmp_path / "site" / "a.html").read_bytes()


def test_what_is_not_scanned_is_published_as_it_is(tmp_path: Path) -> None:
    file = File("theme.html", None, Maker(Made(SECRET)), is_scanned=False)
    run = File("runs/e.html", None, Maker(Made(SECRET)), run_id="e")
    with stream(tmp_path) as written:
        written.write_all([file, run])
        assert list(written.remarks()) == []
    assert (tmp_path / "site" / "theme.html").read_bytes() == SECRET
    assert TOKEN.encode() not in (tmp_path / "site" / "runs" / "e.html").read_bytes()


def test_data_in_pieces_is_scanned_piece_by_piece(tmp_path: Path) -> None:
    lines = [b"run,note\n", f"a,{TOKEN}\n".encode(), b"b,none\n"]
    file = File("data/runs.csv", None, Maker(Made(iter(lines))))
    with stream(tmp_path) as written:
        written.put_unkept(file)
        assert [remark.count("data/runs.csv") for remark in written.remarks()] == [1]
    first, masked, last = (tmp_path / "site" / "data" / "runs.csv").read_bytes().splitlines()
    assert (first, last) == (b"run,note", b"b,none")
    assert masked.startswith(b"a,[") and TOKEN.encode() not in masked


# The user's own files


def settings(folder: Path) -> Config:
    return Config.model_validate({"output": str(folder / "site"), "static": str(folder / "own")})


def test_own_files_are_those_that_are_neither_hidden_nor_links(tmp_path: Path) -> None:
    assert own_files(Config.model_validate({})) == {}
    names = [
        "CNAME",
        "img/logo.png",
        ".well-known/security.txt",
        ".git/config",
        "img/.hidden",
        "z.txt",
    ]
    for name in names:
        (tmp_path / "own" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "own" / name).write_text(name, encoding="utf-8")
    (tmp_path / "own" / "link.txt").symlink_to(tmp_path / "own" / "CNAME")
    found = own_files(settings(tmp_path))
    assert found == {
        name: name.encode()
        for name in (".well-known/security.txt", "CNAME", "img/logo.png", "z.txt")
    }


@pytest.mark.parametrize(
    ("static", "output", "reason"),
    [
        ("none", "site", "static: there is no folder {folder}/none."),
        (
            "own",
            "own/site",
            "static: {folder}/own and the output {folder}/own/site must not contain each other.",
        ),
        (
            "site/own",
            "site",
            "static: {folder}/site/own and the output {folder}/site must not contain each other.",
        ),
    ],
)
def test_a_folder_of_own_files_that_cannot_be(
    static: str, output: str, reason: str, tmp_path: Path
) -> None:
    for name in ("own", "site/own"):
        (tmp_path / name).mkdir(parents=True)
    config = Config.model_validate(
        {"output": str(tmp_path / output), "static": str(tmp_path / static)}
    )
    with pytest.raises(ConfigError) as refused:
        own_files(config)
    assert str(refused.value) == reason.format(folder=tmp_path)


def test_an_own_file_that_cannot_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "CNAME").write_text("example.org", encoding="utf-8")

    def refuse(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(PublishError, match=r"^static: CNAME cannot be read: Permission denied$"):
        own_files(settings(tmp_path))


def test_a_site_goes_to_the_output_of_the_settings_or_a_folder_of_the_callers(
    tmp_path: Path,
) -> None:
    def wait(_: str) -> None:
        pass

    config = Config.model_validate({"output": str(tmp_path / "site")})
    assert isinstance(target_of(config, None, wait), Publication)
    zipped = Config.model_validate({"output": str(tmp_path / "site.zip")})
    assert isinstance(target_of(zipped, None, wait), OneFile)
    assert isinstance(target_of(zipped, tmp_path / "folder", wait), Publication)
    stored = Config.model_validate({"output": "s3://bucket/site"})
    with pytest.raises(ConfigError) as refused:
        target_of(stored, None, wait)
    assert str(refused.value) == (
        "output: a site is written into a folder. Name one, such as site, "
        "and copy it after the build: `aws s3 sync site s3://bucket/site`."
    )
    assert isinstance(target_of(stored, tmp_path / "folder", wait), Publication)
