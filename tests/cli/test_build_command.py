"""The command build around the build itself: its workers, its answers, its summary and its exit codes."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sitegen.build import Built
from sitegen.cli import build_command, running
from sitegen.cli.build_command import _keep_loaded, _workers, _write_summary, build
from sitegen.config import Config
from sitegen.errors import ConfigError
from sitegen.pages.findings import Finding, Severity
from sitegen.system.workers import Processes
from tests.cli.test_command_output import built_of, entry, report_of
from tests.support import campaigns
from tests.support.campaigns import result


def test_the_collector_of_garbage_looks_less_often() -> None:
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    try:
        _keep_loaded()
        assert gc.get_threshold() == (50_000, 50, 100)
        assert gc.get_freeze_count() > frozen
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)


def test_work_is_done_in_processes_one_per_core_or_as_many_as_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sitegen.system.workers.cores", lambda: 7)
    for jobs, count in ((3, 3), (None, 7)):
        with _workers("processes", None, jobs) as workers:
            assert isinstance(workers, Processes)
            assert workers.count == count


def test_an_address_of_a_scheduler_needs_dask() -> None:
    with pytest.raises(ConfigError, match=r"^--scheduler needs --engine dask\.$"):
        _workers("processes", "tcp://host:8786", None)


def test_dask_gets_its_address_and_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitegen.system.workers.cores", lambda: 7)
    monkeypatch.setattr("sitegen.system.workers.dask_engine.Dask", lambda *given: given)
    assert _workers("dask", "tcp://host:8786", 3) == ("tcp://host:8786", 3)
    assert _workers("dask", None, None) == (None, 7)


def test_a_summary_is_appended_after_an_empty_line(tmp_path: Path, said: list[str]) -> None:
    path = tmp_path / "summary.md"
    built = built_of(report_of(entry("a", cost_usd=1.5)))
    assert _write_summary(path, built, Config(title="Über")) == 0
    first = path.read_bytes()
    assert first.startswith("## Über\n".encode())
    assert b"\r" not in first
    assert _write_summary(path, built, Config(title="Two")) == 0
    assert path.read_bytes().startswith(first + b"\n\n## Two\n")
    assert said == []


def test_a_summary_that_cannot_be_written_changes_the_exit_code(
    tmp_path: Path, said: list[str]
) -> None:
    assert _write_summary(tmp_path, built_of(report_of(entry("a"))), Config()) == 1
    assert len(said) == 1
    assert said[0].startswith(
        "err red: sitegen: the site is written, but the summary could not be written to "
        f"{tmp_path}: "
    )


# The command, without a build.


class Building:
    """The arguments that a call gives to the build, and how it ends."""

    def __init__(self, built: Built) -> None:
        self.built = built
        self.output = ""
        self.cache: Path | None = None
        self.workers: Any = None
        self.on_wait: Callable[[str], None] | None = None
        self.was_published = True

    def __call__(
        self, site: Any, progress: Any, on_wait: Any, *, workers: Any, cache: Path | None
    ) -> Built:
        assert list(progress("Rendering", [1, 2])) == [1, 2]
        self.output, self.cache, self.workers = site.config.output, cache, workers
        self.on_wait, self.was_published = on_wait, running.is_published
        return self.built


@pytest.fixture
def building(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Building]:
    """A build that makes nothing, of one run and one warning, in a working folder of its own."""
    monkeypatch.chdir(tmp_path)
    campaigns.write(tmp_path, {"runs/1.json": result(1)})
    monkeypatch.setattr(build_command, "_keep_loaded", lambda: None)
    warning = Finding("settings", "names: x is not used.")
    made = Building(built_of(report_of(entry("a"), findings=(warning,))))
    monkeypatch.setattr("sitegen.build.build_site", made)
    yield made


def call(*arguments: str) -> object:
    with pytest.raises(SystemExit) as ended:
        build.main(args=list(arguments), prog_name="sitegen build")
    return ended.value.code


def test_a_build_says_its_settings_and_what_came_of_it(
    building: Building, said: list[str], tmp_path: Path
) -> None:
    assert call("runs", "-o", "out", "-j", "3", "--cache-dir", "kept") == 0
    assert said == [
        "out: settings: none",
        "err yellow: names: x is not used.",
        "out: 1 run; 1 warning, 0 ignored",
        "out: 3 files, 1.3 MB, in out",
        f"out: {(tmp_path / 'out/index.html').as_uri()}",
    ]
    assert (building.output, building.cache, building.workers.count) == ("out", Path("kept"), 3)
    assert not building.was_published
    assert running.is_published
    said.clear()
    assert building.on_wait is not None
    building.on_wait("Another build.")
    assert said == ["err: Another build."]


def test_a_quiet_build_says_nothing(building: Building, said: list[str]) -> None:
    assert call("runs", "-q", "--no-cache") == 0
    assert said == []
    assert building.cache is None


def test_a_verbose_build_lists_all(building: Building, said: list[str]) -> None:
    many = tuple(Finding("settings", f"Sentence {n}.") for n in range(22))
    building.built = SimpleNamespace(  # type: ignore[assignment]
        report=building.built.report, published=building.built.published, findings=many
    )
    call("runs", "-v")
    assert "err yellow: Sentence 21." in said


def test_strict_gates_and_summary_decide_the_exit_code(
    building: Building, said: list[str], tmp_path: Path
) -> None:
    assert call("runs", "-q", "--strict") == 1
    assert said == ["err red: 1 warning, and --strict was given"]
    said.clear()
    assert call("runs", "-q", "--strict", "--summary", "summary.md") == 1
    assert (tmp_path / "summary.md").read_text("utf-8").startswith("## ")
    assert call("runs", "-q", "--summary", "nowhere/summary.md") == 1
    gate = Finding(
        "gates", "x", "Cost", own_severity=Severity.ERROR, evidence=(("verdict", "failed"),)
    )
    building.built = built_of(building.built.report)
    building.built = Built(building.built.report, building.built.published, (gate,))
    assert call("runs", "-q", "--strict") == 3


def test_a_summary_inside_the_site_is_refused(building: Building, said: list[str]) -> None:
    assert call("runs", "-q", "-o", "out", "--summary", "out/summary.md") == 2
    assert said == [
        "err red: --summary out/summary.md: this is inside the site (out)."
        " Name a file outside of it."
    ]
    assert building.output == ""


def test_programs_get_the_place_of_the_site(
    building: Building, said: list[str], tmp_path: Path
) -> None:
    assert call("runs", "-o", "out", "--json") == 0
    answer = json.loads(said[-1].removeprefix("out: "))
    assert answer["output"] == str(tmp_path / "out")
    assert answer["files"] == 3
    assert building.output == "out"


@pytest.mark.parametrize("option", ["--single-file", "--zip"])
def test_a_removed_option_says_its_replacement(
    option: str, building: Building, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("runs", option, "a.zip") == 2
    assert "--single-file and --zip were removed: write `-o a.zip`." in capsys.readouterr().err
    assert building.output == ""
