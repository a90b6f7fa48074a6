"""A build takes over what is still right, makes what is not, and writes the bytes that a first build would write."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import jinja2
import pytest

from sitegen import build as builder
from sitegen.cache import memory
from sitegen.cache.memory import Memory, ValueKind
from sitegen.cache.seal import seal
from sitegen.config import Config, Input
from sitegen.errors import PublishError
from sitegen.html import render, theme
from sitegen.inputs import survey
from sitegen.masking.final_scan import _parts
from sitegen.masking.redact import Redactor
from sitegen.pages import site_files
from sitegen.pages.site import Site
from sitegen.pages.table import run_table
from sitegen.publish import Content, Publication, sentences
from sitegen.publish import files as published_files
from sitegen.system.workers import ALONE, Workers
from tests.conftest import ROOT
from tests.support import building, campaigns
from tests.support.campaigns import BARE, bare, result
from tests.support.command import sitegen
from tests.support.watching import Watch, watching

pytestmark = pytest.mark.slow

T = TypeVar("T")
RUNS = 8
TEXT = ValueKind[str]("text", str)
TALK = json.dumps({"type": "user", "message": {"role": "user", "content": "Hello"}}) + "\n"
"""A line of a transcript, which is not a run."""


@pytest.fixture(autouse=True)
def old_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that these tests write count as old enough to be trusted."""
    monkeypatch.setattr(memory, "YOUNG_NS", -(10**15))


def each(_: str, items: Sequence[T]) -> Iterable[T]:
    return items


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return campaigns.write(
        tmp_path / "runs", {f"t{n % 2}/{n}.json": bare(n) for n in range(1, RUNS + 1)}
    )


def build(
    runs: Path,
    output: Path,
    cache: Path | None,
    progress: survey.ProgressReporter = each,
    workers: Workers = ALONE,
    **settings: Any,
) -> None:
    given = (Input(path=str(runs), pattern="{task}/{attempt}.json"),)
    config = Config(inputs=given, output=str(output), **settings)
    building.build(
        config, Redactor.for_this_machine(), progress, lambda _: None, workers=workers, cache=cache
    )


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def work() -> Iterator[Watch]:
    """What is done."""
    with watching() as watch:
        yield watch


def again(
    runs: Path,
    work: Watch,
    change: Callable[[Path], object],
    settings: dict[str, Any] | None = None,
) -> tuple[int, int]:
    """How often the second of two builds opens a file of the inputs, and how many pages of runs it makes."""
    opened, pages = work_of_second(runs, work, change, settings)
    return opened.total(), pages["run"]


def work_of_second(
    runs: Path,
    work: Watch,
    change: Callable[[Path], object],
    settings: dict[str, Any] | None = None,
) -> tuple[Counter[str], Counter[str]]:
    """Build, change something, build again: the files of the inputs that the second build opens, and the
    templates of the pages that it makes.

    Its site must be what a build without memory writes.
    """
    site, cache = runs.parent / "site", runs.parent / "cache"
    build(runs, site, cache)
    change(runs)
    work.clear()
    build(runs, site, cache, **(settings or {}))
    opened, pages = work.opened(runs), Counter(work.pages)
    build(runs, runs.parent / "cold", None, **(settings or {}))
    assert tree(site) == tree(runs.parent / "cold")
    return opened, pages


def nothing(_: Path) -> None:
    """Leave all as it is."""


def add(runs: Path) -> None:
    campaigns.write(runs, {"t0/99.json": bare(99)})


def outcome(runs: Path) -> None:
    campaigns.write(runs, {"t1/3.meta.yaml": "outcome: pass\n"})


def patch(runs: Path) -> None:
    campaigns.write(runs, {"t1/3.diff": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+two\n"})


def edit_in_silence(runs: Path) -> None:
    """Other bytes, as many as before, under the same time."""
    file = runs / "t1" / "3.json"
    before = file.stat()
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("reused", "recued"), encoding="utf-8")
    assert file.stat().st_size == before.st_size
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def check_out_again(runs: Path) -> None:
    """What a job of CI finds: other files with the same bytes, no site, and the cache of the job before."""
    shutil.rmtree(runs.parent / "site")
    for file in runs.rglob("*.json"):
        text = file.read_bytes()
        file.unlink()
        file.write_bytes(text)
        os.utime(file, ns=(10**18, 10**18))


@pytest.mark.parametrize(
    ("change", "opened", "made"),
    [
        (nothing, 0, 0),
        (edit_in_silence, 3, 1),  # for its digest, for its facts, for its page
        (lambda runs: campaigns.write(runs, {"t1/3.json": bare(33)}), 2, 1),
        (add, 4, 3),  # and both neighbours, which link to it
        (lambda runs: (runs / "t1" / "3.json").unlink(), 2, 2),  # both neighbours
        (lambda runs: (runs / "t1" / "7.json").rename(runs / "t1" / "9.json"), 3, 2),
        (outcome, 3, 1),
        (patch, 4, 1),
        (
            lambda runs: (runs.parent / "site" / "runs").joinpath("notes.txt").write_text("mine"),
            0,
            0,
        ),
        (lambda runs: next((runs.parent / "site" / "runs").glob("*.html")).unlink(), 0, 0),
        (lambda runs: next((runs.parent / "site" / "runs").glob("*.html")).chmod(0o600), 0, 0),
        (lambda runs: shutil.rmtree(runs.parent / "site"), 0, 0),
        (check_out_again, RUNS, 0),  # for their digests
        (lambda runs: shutil.rmtree(runs.parent / "cache"), 2 * RUNS, RUNS),
    ],
    ids=[
        "nothing",
        "same size and time",
        "content",
        "new run",
        "run gone",
        "renamed",
        "outcome",
        "patch",
        "foreign file",
        "page gone",
        "page private",
        "site gone",
        "checked out again",
        "cache gone",
    ],
)
def test_a_change_costs_what_it_touches(
    runs: Path, work: Watch, change: Callable[[Path], object], opened: int, made: int
) -> None:
    site = runs.parent / "site"

    def changed(folder: Path) -> None:
        change(folder)
        if (site / "runs" / "notes.txt").exists():  # the cold build has it as well
            campaigns.write(runs.parent / "cold", {"runs/notes.txt": "mine", ".sitegen.json": "{}"})

    assert again(runs, work, changed) == (opened, made)


@pytest.mark.parametrize(
    ("change", "opened"),
    [
        (nothing, set()),
        (add, {"t0/8.json", "t0/99.json", "t1/1.json"}),  # and both neighbours
        (lambda runs: campaigns.write(runs, {"t0/talk.jsonl": TALK * 2}), {"t0/talk.jsonl"}),
        (
            lambda runs: campaigns.write(runs, {"t0/talk.jsonl": bare(99)}),
            {"t0/8.json", "t0/talk.jsonl", "t1/1.json"},
        ),
        (lambda runs: campaigns.write(runs, {"t0/cut.json": "{"}), {"t0/cut.json"}),
    ],
    ids=["nothing", "new run", "content", "now a run", "now a problem"],
)
def test_what_is_no_run_is_not_read_again(
    runs: Path, work: Watch, change: Callable[[Path], object], opened: set[str]
) -> None:
    campaigns.write(runs, {"t0/talk.jsonl": TALK, "t1/notes.md": "# Notes\n"})
    assert work_of_second(runs, work, change)[0].keys() == opened


def test_a_file_that_is_nothing_but_a_problem_is_read_again(runs: Path, work: Watch) -> None:
    campaigns.write(runs, {"t0/cut.json": "{"})
    assert work_of_second(runs, work, nothing)[0].keys() == {"t0/cut.json"}


@pytest.mark.parametrize(
    ("change", "groups", "sessions"),
    [
        (nothing, 0, 0),
        (lambda runs: campaigns.write(runs, {"t1/3.json": bare(33)}), 1, 1),  # with another session
        (outcome, 1, 0),
        (lambda runs: campaigns.write(runs, {"t1/3.meta.yaml": "labels: [night]\n"}), 2, 0),
        (check_out_again, 0, 0),
    ],
    ids=["nothing", "content", "outcome", "label", "checked out again"],
)
def test_a_change_makes_the_pages_of_its_own_groups(
    runs: Path, work: Watch, change: Callable[[Path], object], groups: int, sessions: int
) -> None:
    for number in range(1, RUNS + 1):
        session = {"session_id": f"session-{number}"}
        campaigns.write(runs, {f"t{number % 2}/{number}.json": bare(number, **session)})
    _, pages = work_of_second(runs, work, change)
    assert (pages["group"], pages["sessions"]) == (groups, sessions)


def test_a_changed_chart_of_the_user_is_drawn_anew_though_no_run_has_changed(runs: Path) -> None:
    folder = runs.parent
    chart = folder / "mine.vl.json"
    spec = {
        "data": {"name": "runs"},
        "mark": "bar",
        "encoding": {"y": {"field": "task"}, "x": {"aggregate": "count"}},
    }
    config = Config(inputs=(Input(path=str(runs)),), charts=(str(chart),))
    digests = set()
    for title in ("Tasks", "Tasks, again"):
        chart.write_text(json.dumps({**spec, "title": title}), encoding="utf-8")
        site = Site.of(config, Redactor.for_this_machine(config.redact), is_strict=False)
        digests.add(site.settings_digest())
        for output, cache in ((folder / "site", folder / "cache"), (folder / title, None)):
            build(runs, output, cache, charts=(str(chart),))
        assert tree(folder / "site") == tree(folder / title)
        assert title in (folder / "site/index.html").read_text(encoding="utf-8")
    assert len(digests) == 2


@pytest.mark.parametrize(
    ("changes", "pages"), [({"num_turns": 4}, 1), ({"total_cost_usd": 99.5}, 3)]
)
def test_a_page_of_the_table_is_made_where_one_of_its_runs_or_what_all_share_changed(
    runs: Path, work: Watch, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], pages: int
) -> None:
    """The largest cost decides how long all bars are."""
    monkeypatch.setattr(run_table, "ROWS_PER_PAGE", 2)
    plain = {**BARE, "total_cost_usd": 0.5, "num_turns": 7}
    files = {f"t/{n}.json": result(n, **plain) for n in range(1, RUNS + 1)}
    for file in runs.rglob("*.json"):
        file.unlink()
    campaigns.write(runs, files)
    campaign = {"t/7.json": result(7, **plain | changes)}
    _, done = work_of_second(runs, work, lambda runs: campaigns.write(runs, campaign))
    assert done["runs"] == pages + RUNS // 2 - 1  # of the only task, whose pages are made whole


@pytest.mark.parametrize(("change", "pages"), [(nothing, 0), (patch, 1)])
def test_of_very_many_runs_a_page_of_the_table_is_made_where_the_runs_are(
    runs: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], object], pages: int
) -> None:
    site, cache = runs.parent / "site", runs.parent / "cache"
    monkeypatch.setattr(run_table, "ROWS_PER_PAGE", 2)
    monkeypatch.setattr(site_files, "MAX_RUNS_LOOKED_AT", RUNS - 1)
    made: list[int] = []

    def counted(table: run_table.RunTable, position: int) -> render.Page:
        made.append(position)
        return run_table.table_page(table, position)

    monkeypatch.setattr(site_files, "table_page", counted)
    build(runs, site, cache)
    assert made == list(range(1, RUNS // 2))
    made.clear()
    change(runs)
    build(runs, site, cache)
    assert len(made) == pages
    monkeypatch.setattr(site_files, "MAX_RUNS_LOOKED_AT", RUNS)
    build(runs, runs.parent / "fresh", None)
    assert tree(site) == tree(runs.parent / "fresh")


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The templates that are compiled, in order; none is so far."""
    done: list[str] = []
    compile_template = jinja2.Environment._generate

    def counted(self: Any, source: Any, name: str, *rest: Any, **more: Any) -> str:
        done.append(name)
        return compile_template(self, source, name, *rest, **more)

    monkeypatch.setattr(jinja2.Environment, "_generate", counted)
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "compiled"))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return done


def test_built_in_templates_are_compiled_once(
    runs: Path, tmp_path: Path, compiled: list[str]
) -> None:
    build(runs, runs.parent / "first", None)
    kept = list((tmp_path / "compiled").rglob("*.jinja"))
    assert len(kept) == len(set(compiled)) > 10
    mode = (theme.folder() / "base.html.jinja").stat().st_mode
    assert {path.stat().st_mode for path in kept} == {mode}, (
        "all who may read the package may read them"
    )
    compiled.clear()
    build(runs, runs.parent / "second", None)
    assert compiled == []
    assert tree(runs.parent / "second") == tree(runs.parent / "first")
    for path, damage in zip(
        kept, (b"", b"x" * 100, kept[2].read_bytes()[:-9], kept[3].read_bytes()[:30]), strict=False
    ):
        path.write_bytes(damage)
    build(runs, runs.parent / "third", None)
    assert len(compiled) == 4
    assert tree(runs.parent / "third") == tree(runs.parent / "first")


@pytest.mark.parametrize(
    "case", ["another release", "none is wanted", "no place for it", "templates of a theme"]
)
def test_a_compiled_template_is_used_only_where_it_is_right(
    runs: Path, tmp_path: Path, compiled: list[str], monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    place = tmp_path / "compiled"
    look: dict[str, str] = {}
    if case == "none is wanted":
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
    elif case == "no place for it":
        place.write_text("a file")
    elif case == "templates of a theme":
        campaigns.write(
            tmp_path / "look", {"404.html.jinja": '{% extends "builtin/404.html.jinja" %}'}
        )
        look = {"theme": str(tmp_path / "look")}
    build(runs, runs.parent / "first", None, **look)
    assert place.is_dir() == (case == "another release")
    if case == "another release":
        monkeypatch.setitem(render._ENVIRONMENT.keywords, "newline_sequence", "\r\n")
    compiled.clear()
    build(runs, runs.parent / "second", None, **look)
    assert "index.html.jinja" in compiled


@pytest.mark.parametrize("is_csv", [False, True])
def test_parts_are_whole_lines_and_records(is_csv: bool) -> None:
    chance = random.Random(3)  # noqa: S311
    lines = ['"a\nb",' + "x" * chance.randrange(900) + "\n" for _ in range(400)]
    content = "".join(lines).encode()
    parts = list(_parts(content, is_csv=is_csv))
    assert len(parts) > 3
    assert b"".join(parts) == content
    assert all(part.endswith(b"\n") for part in parts[:-1])
    assert not is_csv or all(part.count(b'"') % 2 == 0 for part in parts)


def test_pages_of_a_large_site_are_taken_over_from_the_site_alone(
    runs: Path, work: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builder, "MAX_RUNS_WITH_KEPT_PAGES", RUNS - 1)
    monkeypatch.setattr(published_files, "FILES_AT_ONCE", 3)
    assert again(runs, work, nothing) == (0, 0)
    assert work_of_second(runs, work, nothing)[1]["group"] == 0
    assert again(
        runs, work, lambda runs: next((runs.parent / "site" / "runs").glob("*.html")).unlink()
    ) == (1, 1)


def test_a_token_of_one_job_makes_nothing_anew(
    runs: Path, work: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    variable = "ACTIONS_ID_TOKEN_REQUEST_TOKEN"
    monkeypatch.setenv(variable, "token-of-the-first-job")
    assert again(runs, work, lambda _: monkeypatch.setenv(variable, "token-of-the-second-job")) == (
        0,
        0,
    )


@pytest.mark.parametrize(
    "settings",
    [
        {"title": "Another"},
        {"tasks": {"t1": "Tides"}},
        {"redact": {"literals": ["buffer"]}},
        {"site_url": "https://a.b/"},
    ],
)
def test_other_settings_make_all_anew(runs: Path, work: Watch, settings: dict[str, Any]) -> None:
    assert again(runs, work, nothing, settings) == (2 * RUNS, RUNS)


def test_a_secret_of_the_environment_makes_all_anew(
    runs: Path, work: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = again(runs, work, lambda _: monkeypatch.setenv("MY_TOKEN", "buffer is reused now"))
    assert counts == (2 * RUNS, RUNS)


def test_another_library_makes_all_anew(
    runs: Path, work: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = tmp_path / "site-packages"
    (packages / "some-1.0.dist-info").mkdir(parents=True)
    monkeypatch.syspath_prepend(packages)
    counts = again(
        runs,
        work,
        lambda _: (packages / "some-1.0.dist-info").rename(packages / "some-1.1.dist-info"),
    )
    assert counts == (2 * RUNS, RUNS)


def test_patches_are_looked_through_where_they_changed(runs: Path, work: Watch) -> None:
    patch(runs)
    campaigns.write(
        runs, {"t0/2.diff": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+bob.miller@mail-of-bob.de\n"}
    )
    site, cache = runs.parent / "site", runs.parent / "cache"
    build(runs, site, cache)
    first = tree(site)
    assert b'"place": "patch"' in first["data/problems.json"]
    work.clear()
    build(runs, site, cache)
    assert not work.opened(runs) and tree(site) == first
    campaigns.write(runs, {"t1/3.diff": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+three\n"})
    build(runs, site, cache)
    assert work.opened(runs).keys() == {"t1/3.diff", "t1/3.json"}


def test_another_version_of_an_installed_reader_makes_all_anew(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, about = runs.parent / "brought.py", "brought-1.dist-info"
    campaigns.write(
        runs.parent,
        {
            "brought.py": "one = 1",
            f"{about}/METADATA": "Metadata-Version: 2.1\nName: brought\nVersion: 1\n",
            f"{about}/entry_points.txt": "[sitegen.readers]\nbrought = brought:Reader\n",
        },
    )
    monkeypatch.syspath_prepend(runs.parent)

    def digest() -> bytes:
        config = Config(inputs=(Input(path=str(runs)),))
        return Site.of(config, Redactor.for_this_machine(), is_strict=False).digest

    before = digest()
    assert digest() == before
    module.write_text("one = 2", encoding="utf-8")
    assert digest() != before


def test_young_files_are_read_again(
    runs: Path, work: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "YOUNG_NS", 10**15)
    assert again(runs, work, nothing) == (RUNS, 0)


def test_what_a_run_leaves_and_takes_is_the_same_after_any_changes(
    tmp_path: Path, runs: Path
) -> None:
    chance = random.Random(4)  # noqa: S311
    site, cache, cold = tmp_path / "site", tmp_path / "cache", tmp_path / "cold"
    build(runs, site, cache)
    for round_ in range(6):
        for _ in range(chance.randint(1, 3)):
            files = sorted(runs.rglob("*.json"))
            file = chance.choice(files)
            match chance.choice(["write", "remove", "add", "rename", "page", "damage"]):
                case "write":
                    file.write_text(json.dumps(bare(chance.randint(1, 300))), encoding="utf-8")
                case "remove" if len(files) > 3:
                    file.unlink()
                case "add":
                    campaigns.write(
                        runs,
                        {
                            f"t{chance.randint(0, 3)}/{chance.randint(1, 99)}.json": bare(
                                round_ + 500
                            )
                        },
                    )
                case "rename":
                    file.rename(file.with_name(f"{chance.randint(100, 200)}.json"))
                case "page":
                    chance.choice(sorted((site / "runs").glob("*.html"))).unlink(missing_ok=True)
                case "damage":
                    file.write_text("{", encoding="utf-8")
        build(runs, site, cache)
        build(runs, cold, None)
        assert tree(site) == tree(cold)


@pytest.mark.skipif(sys.platform == "win32", reason="keeps no time of a change of status")
def test_a_published_file_that_was_changed_in_silence_is_noticed(runs: Path) -> None:
    site, cache = runs.parent / "site", runs.parent / "cache"
    build(runs, site, cache)
    about = site / "about.html"
    before, status = about.read_bytes(), about.stat()
    about.write_bytes(before.replace(b"List", b"Best"))
    os.utime(about, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert about.stat().st_size == status.st_size
    with pytest.raises(
        PublishError, match=r"about\.html, which sitegen did not write or which was changed since"
    ):
        build(runs, site, cache)


@pytest.mark.parametrize("damage", ["empty", "cut", "garbage", "flips", "folder"])
def test_a_damaged_memory_is_no_memory(runs: Path, damage: str) -> None:
    site, cache = runs.parent / "site", runs.parent / "cache"
    build(runs, site, cache)
    before = tree(site)
    (file,) = (cache / "sites").iterdir()
    data, chance = file.read_bytes(), random.Random(7)  # noqa: S311
    for _ in range(5 if damage in ("flips", "cut") else 1):
        match damage:
            case "empty":
                file.write_bytes(b"")
            case "cut":
                file.write_bytes(data[: chance.randrange(len(data))])
            case "garbage":
                file.write_bytes(chance.randbytes(len(data)))
            case "folder":
                file.unlink()
                file.mkdir()
            case _:
                flipped = bytearray(data)
                for _ in range(200):
                    flipped[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
                file.write_bytes(flipped)
        build(runs, site, cache)
        assert tree(site) == before


def test_of_two_memories_at_once_the_last_stays(tmp_path: Path) -> None:
    with contextlib.closing(Memory(tmp_path, tmp_path / "site")) as one:
        one.keep(TEXT, "a", one.stamp(1), "text")
        with contextlib.closing(Memory(tmp_path, tmp_path / "site")) as other:
            other.keep(TEXT, "b", other.stamp(1), "other")
            other.keep_all()
        one.keep_all()
    with contextlib.closing(Memory(tmp_path, tmp_path / "site")) as kept:
        assert [kept.recall(TEXT, key, kept.stamp(1)) for key in "ab"] == ["text", None]


def test_a_full_disk_loses_what_is_kept_and_no_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object) -> int:
        raise OSError(errno.ENOSPC, "no space left")

    with contextlib.closing(Memory(tmp_path, tmp_path / "site")) as one:
        for key in "abc":
            one.keep(TEXT, key, one.stamp(key), key)
        one.keep_all()
    with contextlib.closing(Memory(tmp_path, tmp_path / "site")) as other:
        assert [other.recall(TEXT, key, other.stamp(key)) for key in "ab"] == ["a", "b"]
        monkeypatch.setattr(other._new, "write", full)
        other.keep_all()
        assert not other.is_open
    assert len(list((tmp_path / "sites").iterdir())) == 1


@pytest.mark.parametrize("listed", [b"[1]", b"no JSON"])
def test_a_list_that_is_long_or_of_another_version_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed: bytes
) -> None:
    def recalled() -> str | None:
        with contextlib.closing(Memory(tmp_path, tmp_path / "site")) as kept:
            return kept.recall(TEXT, "a", kept.stamp(1)) if kept.is_open else "closed"

    with contextlib.closing(Memory(tmp_path, tmp_path / "site")) as one:
        one.keep(TEXT, "a", one.stamp(1), "text")
        one.keep_all()
    assert recalled() == "text"
    with monkeypatch.context() as patched:
        patched.setattr(memory, "_MAX_LIST_BYTES", 10)
        assert recalled() is None
    (file,) = (tmp_path / "sites").iterdir()
    file.write_bytes(listed + len(listed).to_bytes(8) + seal(memory._LIST, listed))
    assert recalled() is None


def test_what_is_kept_is_what_was_used_or_made(tmp_path: Path) -> None:
    for kept, recalled in (("ab", ""), ("", "ab"), ("c", "a"), ("", "c")):
        with contextlib.closing(Memory(tmp_path, tmp_path / "site")) as each:
            assert [each.recall(TEXT, key, each.stamp(key)) for key in recalled] == [
                key * 9 for key in recalled
            ]
            for key in kept:
                each.keep(TEXT, key, each.stamp(key), key * 9)
            each.keep_all()
    with contextlib.closing(Memory(tmp_path, tmp_path / "site")) as last:
        assert list(last.stamps(TEXT)) == ["c"] if last.is_open else False
    assert len(list((tmp_path / "sites").iterdir())) == 1


@pytest.mark.parametrize("how", ["others may write", "a link"])
def test_a_cache_that_is_not_ours_alone_is_not_used(runs: Path, how: str) -> None:
    cache = runs.parent / "cache"
    cache.mkdir()
    if how == "a link":
        (runs.parent / "link").symlink_to(cache)
        cache = runs.parent / "link"
    else:
        cache.chmod(0o777)
    build(runs, runs.parent / "site", cache)
    assert list(cache.iterdir()) == []


def test_a_cache_that_cannot_be_written_costs_nothing(runs: Path) -> None:
    (runs.parent / "cache").write_text("a file", encoding="utf-8")
    build(runs, runs.parent / "site", runs.parent / "cache")
    assert (runs.parent / "site" / "index.html").exists()


def test_a_failed_build_leaves_the_memory_as_it_was(runs: Path) -> None:
    site, cache = runs.parent / "site", runs.parent / "cache"
    build(runs, site, cache)
    (file,) = (cache / "sites").iterdir()
    before = file.read_bytes()
    add(runs)

    def interrupted(what: str, items: Sequence[T]) -> Iterable[T]:
        yield from items
        if what == "Rendering":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(runs, site, cache, interrupted)
    assert [each.read_bytes() for each in (cache / "sites").iterdir()] == [before]


def test_memories_of_other_outputs_make_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def keep_in_memory_of(name: str) -> None:
        with contextlib.closing(Memory(tmp_path, tmp_path / name)) as kept:
            kept.keep(TEXT, "a", kept.stamp(1), "text")
            kept.keep_all()

    keep_in_memory_of("one")
    (file,) = (path for path in tmp_path.rglob("*") if path.is_file())
    monkeypatch.setattr(memory, "MAX_BYTES", file.stat().st_size)
    keep_in_memory_of("two")
    with contextlib.closing(Memory(tmp_path, tmp_path / "two")) as kept:
        assert kept.recall(TEXT, "a", kept.stamp(1)) == "text"
    with contextlib.closing(Memory(tmp_path, tmp_path / "one")) as kept:
        assert kept.recall(TEXT, "a", kept.stamp(1)) is None


def test_only_what_is_ours_and_unchanged_is_taken_over(tmp_path: Path) -> None:
    site, page = tmp_path / "site", "a.html"
    with Publication(site) as first:
        first.write(page, b"one")
        first.commit()
    with Publication(site) as second:
        assert not second.reuse("b.html", Content.of(b"one"))
        assert not second.reuse(page, Content.of(b"two"))
        (site / "a.html").write_bytes(b"changed meanwhile")
        assert not second.reuse(page, Content.of(b"one"))
    assert (site / "a.html").read_bytes() == b"changed meanwhile"
    (site / "a.html").write_bytes(b"one")
    with Publication(site) as third:
        times = (site / "a.html").stat()
        (site / "a.html").write_bytes(b"two")
        os.utime(site / "a.html", ns=(times.st_atime_ns, times.st_mtime_ns))
        assert not third.reuse(page, Content.of(b"one")), "rewritten under its old time"
    (site / "a.html").write_bytes(b"one")
    with Publication(site) as third:
        assert third.reuse(page, Content.of(b"one"))
        third.commit()
    assert (site / "a.html").stat().st_nlink == 1


def test_a_page_whose_texts_were_missing_once_is_made_again(runs: Path) -> None:
    site, cache = runs.parent / "site", runs.parent / "cache"

    def gone_while_rendering(what: str, items: Sequence[T]) -> Iterable[T]:
        if what == "Rendering":
            runs.rename(runs.parent / "away")
        return items

    build(runs, site, cache, gone_while_rendering)
    (runs.parent / "away").rename(runs)
    assert "texts are missing" in (next((site / "runs").glob("*.html"))).read_text(encoding="utf-8")
    build(runs, site, cache)
    build(runs, runs.parent / "cold", None)
    assert tree(site) == tree(runs.parent / "cold")


def test_no_name_that_is_masked_lies_in_the_cache(runs: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    campaigns.write(runs, {f"t0/{secret}.json": bare(77)})
    build(runs, runs.parent / "site", runs.parent / "cache")
    (file,) = (runs.parent / "cache" / "sites").iterdir()
    assert secret.encode() not in file.read_bytes()
    assert str(runs).encode() not in file.read_bytes()


def test_settings_have_one_digest_in_every_process(runs: Path) -> None:
    code = (
        "from sitegen.pages.site import Site; from sitegen.config import Config\n"
        "from sitegen.masking.redact import Redactor\n"
        "from sitegen.masking.redact import KINDS\n"
        "c = Config(redact={'off': dict.fromkeys(KINDS[:5], 'why')})\n"
        "settings = Site.of(c, Redactor.for_this_machine(c.redact), is_strict=False).digest\n"
        "print(hash('ab'), settings.hex())"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=runs,
            capture_output=True,
            encoding="utf-8",
            check=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed},
        ).stdout.split()
        for seed in ("1", "2")
    ]
    assert said[0][0] != said[1][0]
    assert said[0][1] == said[1][1]


def test_where_no_link_can_be_made_pages_are_written_again(
    runs: Path, work: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError("no links here")

    assert again(runs, work, lambda _: monkeypatch.setattr(os, "link", refused)) == (0, 0)


# The whole command.


@pytest.fixture
def campaign(runs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = runs.parent
    settings = "inputs: [runs]\noutcomes: [outcomes.csv]\ntheme: theme\nstatic: own\ngates: {runs: {min: 9}}\n"
    files = {
        "config.yaml": settings,
        "outcomes.csv": "path,outcome\nruns/t1/1.json,pass\n",
        "runs/broken.json": "{",
    }
    files |= {"theme/tokens.css": ":root { --accent: #135 }\n", "own/.well-known/x.txt": "x"}
    campaigns.write(folder, files)
    monkeypatch.setenv("SITEGEN_CACHE_DIR", str(folder.parent / f"{folder.name}-cache"))
    return folder


def test_a_build_before_which_nothing_changed_says_the_same_and_misses_the_same_gates(
    campaign: Path,
) -> None:
    first, second = (sitegen("build", cwd=campaign) for _ in range(2))
    assert (first.returncode, first.stdout, first.stderr) == (
        second.returncode,
        second.stdout,
        second.stderr,
    )
    assert first.returncode == 3
    assert "gate incomplete" in second.stderr and "broken.json" in second.stderr
    assert sitegen("build", "-q", cwd=campaign).stdout == ""


def rewrite(name: str, old: str, new: str) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        text = (folder / name).read_text(encoding="utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new), encoding="utf-8")

    return change


CHANGES: dict[str, Callable[[Path], object]] = {
    "a run": rewrite("runs/t1/1.json", "reused", "recued"),
    "a new run": lambda folder: add(folder / "runs"),
    "a run gone": lambda folder: (folder / "runs/t1/1.json").unlink(),
    "a sidecar": lambda folder: outcome(folder / "runs"),
    "the settings": rewrite("config.yaml", "min: 9", "min: 8"),
    "the outcomes": rewrite("outcomes.csv", "pass", "fail"),
    "the theme": rewrite("theme/tokens.css", "#135", "#136"),
    "a hidden file of `static`": rewrite("own/.well-known/x.txt", "x", "y"),
    "a page gone": lambda folder: next((folder / "site/runs").glob("*.html")).unlink(),
    "the site gone": lambda folder: shutil.rmtree(folder / "site"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_every_change_is_noticed(campaign: Path, change: Callable[[Path], object]) -> None:
    """At once, however young the files are."""
    sitegen("build", cwd=campaign)
    change(campaign)
    sitegen("build", cwd=campaign)
    sitegen("build", "--no-cache", "-o", "cold", cwd=campaign)
    assert tree(campaign / "site") == tree(campaign / "cold")


def test_a_page_that_others_changed_stops_the_build(campaign: Path) -> None:
    sitegen("build", cwd=campaign)
    page = next((campaign / "site/runs").glob("*.html"))
    page.write_text("other", encoding="utf-8")
    done = sitegen("build", cwd=campaign)
    assert done.returncode == 4 and page.name in done.stderr
    assert page.read_text(encoding="utf-8") == "other"


def test_no_cache_builds_anew_and_keeps_nothing(campaign: Path) -> None:
    cache = Path(os.environ["SITEGEN_CACHE_DIR"])
    sitegen("build", "--no-cache", cwd=campaign)
    assert not (cache / "sites").exists()
    elsewhere = campaign.parent / f"{campaign.name}-elsewhere"
    sitegen("build", "--cache-dir", elsewhere, cwd=campaign)
    assert (elsewhere / "sites").stat().st_mode & 0o077 == 0


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sentences, "MAX_FILES", 10)
    yield


@pytest.mark.usefixtures("large")
def test_a_site_too_large_for_its_host_is_warned_about(runs: Path) -> None:
    config = Config(inputs=(Input(path=str(runs), pattern=None),), output=str(runs.parent / "site"))
    (warning,) = building.build(config, Redactor.for_this_machine(), each, lambda _: None).warnings
    assert warning.startswith("The site is large: ")
