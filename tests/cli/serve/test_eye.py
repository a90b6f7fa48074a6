"""Changes between two builds, as they are seen by names, sizes and times."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitegen.cli.serve import eye as module
from sitegen.cli.serve.eye import Eye, look_at, watched
from sitegen.config import Config
from tests.support import campaigns


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def paths(*inputs: tuple[str, str], output: str = "site") -> list[str]:
    return [seen[0] for seen in look_at(inputs, output)]


def test_a_file_is_seen_with_its_number_size_and_times(here: Path) -> None:
    campaigns.write(here, {"a.csv": "task\n"})
    status = (here / "a.csv").stat()
    assert look_at([("a.csv", "alone")], "site") == [
        ("a.csv", status.st_ino, 5, status.st_mtime_ns, status.st_ctime_ns)
    ]
    assert look_at([("none.csv", "runs")], "site") == [("none.csv", 0, 0, 0, 0)]


def test_a_folder_is_seen_by_name_with_all_below(here: Path) -> None:
    campaigns.write(here, {"r/b/2.json": "", "r/a.json": "", "r/b/1.json": "", "r/.hidden": ""})
    assert paths(("r", "runs")) == ["r/.hidden", "r/a.json", "r/b", "r/b/1.json", "r/b/2.json"]
    assert ("r/b", 0, 0, 0, 0) in look_at([("r", "runs")], "site")


def test_links_are_seen_and_not_followed(here: Path) -> None:
    campaigns.write(here, {"r/1.json": "", "elsewhere/2.json": ""})
    (here / "r/folder").symlink_to(here / "elsewhere")
    (here / "r/lost").symlink_to(here / "nowhere")
    assert paths(("r", "runs")) == ["r/1.json", "r/folder", "r/lost"]
    assert look_at([("r", "runs")], "site")[1][1] == (here / "r/folder").lstat().st_ino
    (here / "only.csv").symlink_to(here / "r/1.json")
    assert look_at([("only.csv", "alone")], "site")[0][1] == (here / "r/1.json").stat().st_ino


def test_beside_a_file_of_runs_files_alone_are_seen(here: Path) -> None:
    campaigns.write(here, {"r/b.json": "", "r/a.yaml": "", "r/deep/c.json": ""})
    (here / "r/link.json").symlink_to(here / "r/a.yaml")
    assert paths(("r/b.json", "runs")) == ["r/b.json", "r/a.yaml", "r/b.json", "r/link.json"]
    seen = look_at([("r/b.json", "runs")], "site")
    assert seen[3][1] == (here / "r/link.json").lstat().st_ino
    assert paths(("r/b.json", "alone")) == ["r/b.json"]
    campaigns.write(here, {"one.json": ""})
    assert paths(("one.json", "runs")) == ["one.json", "./one.json"]


@pytest.mark.parametrize(
    ("pattern", "first"),
    [
        ("r/x*/1.json", "r/other"),
        ("r/?.json", "r/other"),
        ("r/[ab].json", "r/other"),
        ("r/x?[1]*.json", "r/other"),
        ("*/1.json", "./r"),
    ],
)
def test_a_pattern_is_seen_from_the_folder_it_begins_with(
    pattern: str, first: str, here: Path
) -> None:
    campaigns.write(here, {"r/other/1.json": "", "r/.kept/1.json": ""})
    assert first in paths((pattern, "runs"))
    assert any(path.endswith(".kept/1.json") for path in paths((pattern, "runs")))


def test_what_no_build_enters_is_passed_over_unless_all_of_a_folder_counts(here: Path) -> None:
    campaigns.write(
        here,
        {
            "r/1.json": "",
            "r/.kept/1.json": "",
            "r/.site.sitegen.lock": "",
            "r/old/.sitegen.json": "",
            "r/site/1.json": "",
        },
    )
    everything = [
        "r/.kept",
        "r/.site.sitegen.lock",
        "r/1.json",
        "r/old",
        "r/site",
        "r/site/1.json",
        "r/old/.sitegen.json",
        "r/.kept/1.json",
    ]
    assert paths(("r", "runs"), output="r/site") == ["r/1.json"]
    assert paths(("r", "all"), output="r/site") == everything
    assert paths(("r", "runs"), output="x/site") == ["r/1.json", "r/site", "r/site/1.json"]
    assert "r/.site.sitegen.lock" in paths(("r", "runs"), output="r/other")
    campaigns.write(here, {"r/site.json": ""})
    assert "r/site.json" in paths(("r", "runs"), output="r/site.json")


def test_as_many_files_as_allowed_are_seen_and_no_more(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaigns.write(here, {f"r/{number}.json": "" for number in range(4)})
    monkeypatch.setattr(module, "MAX_FILES", 4)
    assert len(paths(("r", "runs"))) == 4
    monkeypatch.setattr(module, "MAX_FILES", 3)
    with pytest.raises(OSError, match=os.strerror(errno.EFBIG)) as raised:
        paths(("r", "runs"))
    assert raised.value.errno == errno.EFBIG


# What is watched.


def test_everything_that_a_site_is_made_of_is_watched(here: Path) -> None:
    (here / "kept").mkdir()
    config = Config.model_validate(
        {
            "inputs": ["runs", "https://example.org/a.zip"],
            "outcomes": ["outcomes.csv"],
            "baseline": "kept",
            "history": "history.jsonl",
            "static": "files",
            "theme": "look",
        }
    )
    assert watched(config, [Path("sitegen.yaml"), Path("config.yaml")]) == [
        ("runs", "runs"),
        ("outcomes.csv", "alone"),
        ("kept", "runs"),
        ("history.jsonl", "alone"),
        *((path, "all") for path in config.paths_of_looks),
        ("sitegen.yaml", "alone"),
        ("config.yaml", "alone"),
    ]
    assert {"files", "look"} <= set(config.paths_of_looks)


def test_the_campaign_before_is_no_file(here: Path) -> None:
    (here / "previous").mkdir()
    config = Config.model_validate({"inputs": ["runs"], "baseline": "previous", "history": "h"})
    assert watched(config, []) == [("runs", "runs"), ("h", "alone")]
    assert watched(Config.model_validate({"inputs": ["runs"], "baseline": "b.zip"}), []) == [
        ("runs", "runs"),
        ("b.zip", "alone"),
    ]


# When a change is told.


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that have passed: sleeping is all that takes time."""
    passed = [100.0]

    def sleep(seconds: float) -> None:
        passed[0] += seconds

    monkeypatch.setattr("sitegen.cli.serve.eye.time.monotonic", lambda: passed[0])
    monkeypatch.setattr("sitegen.cli.serve.eye.time.sleep", sleep)
    return passed


def looks(monkeypatch: pytest.MonkeyPatch, found: Iterator[object]) -> None:
    def look(*_: object) -> object:
        seen = next(found)
        if isinstance(seen, OSError):
            raise seen
        return seen

    monkeypatch.setattr(module, "look_at", look)


def test_a_file_that_grows_is_waited_for_half_a_second(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    number = iter(range(1_000))
    looks(monkeypatch, ([f"a {next(number)}"] for _ in iter(int, 1)))
    assert Eye().changed([], "site")
    assert 100.5 <= clock[0] < 100.55


def test_what_is_settled_is_told_after_one_more_look(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    looks(monkeypatch, iter([["a"], ["a"], ["a"]]))
    eye = Eye()
    assert eye.changed([], "site")
    assert clock[0] == pytest.approx(100.04)
    assert not eye.changed([], "site")
    assert clock[0] == pytest.approx(100.04)


@pytest.mark.usefixtures("clock")
def test_nothing_at_all_and_what_cannot_be_seen_are_told_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks(monkeypatch, iter([[], [], [], OSError("x"), OSError("x"), OSError("x"), [], []]))
    eye = Eye()
    assert [eye.changed([], "site") for _ in range(5)] == [True, False, True, False, True]


def test_looks_are_put_off_for_ten_times_what_one_takes(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    eye = Eye()
    assert eye.pause_seconds == 0.25

    def look(seconds: float) -> list[object]:
        clock[0] += seconds
        return []

    monkeypatch.setattr(module, "look_at", lambda *_: look(0.02))
    eye.changed([], "site")
    assert eye.pause_seconds == 0.25
    monkeypatch.setattr(module, "look_at", lambda *_: look(0.125))
    eye.changed([], "site")
    assert eye.pause_seconds == pytest.approx(1.25)
