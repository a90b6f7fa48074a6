"""The loop of `sitegen serve`: what it builds, tells the pages, says and ends with; without a server."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sitegen.build import Built
from sitegen.cli.running import Call
from sitegen.cli.serve import preview as module
from sitegen.cli.serve.preview import _Loop, preview
from sitegen.config import Config
from sitegen.errors import PublishError
from sitegen.masking.redact import Redactor
from sitegen.pages.findings import Finding, Severity
from sitegen.system import interrupts
from tests.cli.test_command_output import built_of, entry, report_of
from tests.support import campaigns
from tests.support.campaigns import result


class Connection:
    """The end of the builder: what is sent, and what comes back."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.waited: list[float] = []

    def send(self, message: Any) -> None:
        self.sent.append(message)

    def poll(self, seconds: float) -> bool:
        self.waited.append(seconds)
        return True

    def recv(self) -> None:
        raise EOFError


class Building:
    """Builds that make nothing but the list of files of the site."""

    def __init__(self) -> None:
        self.results: list[Built | Exception] = []
        self.files: list[dict[str, str]] = []
        self.calls: list[dict[str, Any]] = []

    def build_site(self, site: Site, progress: Any, on_wait: Any, **options: Any) -> Built:
        self.calls.append({"title": site.config.title, "wait": on_wait, **options})
        assert list(progress("Rendering", [1, 2])) == [1, 2]
        made = self.results.pop(0)
        if isinstance(made, Exception):
            raise made
        return made

    def read_manifest(self, folder: Path) -> dict[str, Any] | None:
        assert folder.name == "site"
        files = self.files.pop(0)
        return {path: Digest(digest) for path, digest in files.items()} or None


class Site:
    """Settings without a theme, which takes time to load."""

    def __init__(self, config: Config) -> None:
        self.config = config

    @classmethod
    def of(cls, config: Config, _: Redactor, *, is_strict: bool) -> Site:
        assert is_strict is False
        return cls(config)


class Digest:
    """A file of a manifest."""

    def __init__(self, sha256: str) -> None:
        self.sha256 = sha256


@pytest.fixture
def building(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Building:
    """Builds in a working folder with one run."""
    monkeypatch.chdir(tmp_path)
    campaigns.write(tmp_path, {"runs/1.json": result(1)})
    made = Building()
    monkeypatch.setattr(module, "Site", Site)
    monkeypatch.setattr(module, "build_site", made.build_site)
    monkeypatch.setattr(module, "read_manifest", made.read_manifest)
    monkeypatch.setattr(interrupts, "received", False)
    monkeypatch.setattr(module, "cores", lambda: 7)
    return made


def call_of(*runs: str, **options: Any) -> Call:
    given = {"config_path": None, "no_config": False, "quiet": False, "no_cache": True, **options}
    return Call(runs=runs or ("runs",), **given)


def loop_of(connection: Connection, **options: Any) -> _Loop:
    site: Any = Site(Config().with_inputs(["runs"]))
    return _Loop(call_of(**options), site, Path("served"), connection)  # type: ignore[arg-type]


def one_run(*findings: Finding) -> Built:
    return built_of(report_of(entry("a"), findings=findings))


def test_pages_are_told_the_files_that_differ(building: Building, said: list[str]) -> None:
    building.results = [one_run(), one_run(), one_run()]
    building.files = [{"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "9", "d": "4"}, {}]
    connection = Connection()
    loop = loop_of(connection, jobs=3)
    assert [loop._update() for _ in range(3)] == [0, 0, 0]
    assert connection.sent == [
        ({"a", "b", "c"}, None),
        ({"b", "c", "d"}, None),
        ({"a", "b", "d"}, None),
    ]
    assert building.calls[0]["into"] == Path("served/site")
    assert building.calls[0]["cache"] is None
    assert building.calls[0]["workers"].count == 3
    assert len(said) == 3
    form = r"out: \d\d:\d\d:\d\d  1 run; 0 problems, 0 ignored; built in \d+\.\d s"
    assert all(re.fullmatch(form, line) for line in said)
    building.calls[0]["wait"]("Another build.")
    assert said[-1] == "err: Another build."


def test_a_build_takes_a_core_each_unless_told(building: Building, said: list[str]) -> None:
    building.results, building.files = [one_run()], [{}]
    loop_of(Connection(), quiet=True)._update()
    assert building.calls[0]["workers"].count == 7
    assert said == []


def test_only_what_is_new_is_said_again(building: Building, said: list[str]) -> None:
    first = Finding("settings", "names: x is not used.")
    second = Finding("settings", "names: y is not used.")
    building.results = [one_run(first), one_run(first, second)]
    building.files = [{}, {}]
    loop = loop_of(Connection())
    loop._update()
    assert said[0] == "err yellow: names: x is not used."
    said.clear()
    loop._update()
    assert said[0] == "err yellow: names: y is not used."
    assert len(said) == 2


def test_all_findings_are_listed_on_request(building: Building, said: list[str]) -> None:
    many = [Finding("settings", f"Sentence {chr(97 + n) * 2}.") for n in range(22)]
    building.results, building.files = [one_run(*many)], [{}]
    loop_of(Connection(), verbose=True)._update()
    assert "err yellow: Sentence vv." in said


def test_gates_are_said_and_end_nothing(building: Building, said: list[str]) -> None:
    evidence = (("verdict", "failed"),)
    gate = Finding("gates", "it rose", "Cost", own_severity=Severity.ERROR, evidence=evidence)
    building.results, building.files = [one_run(gate)], [{}]
    assert loop_of(Connection(), quiet=True)._update() == 0
    assert said == ["err red: gate failed: Cost, it rose"]


def test_a_fault_at_first_ends_and_later_is_told(building: Building, said: list[str]) -> None:
    building.results = [PublishError("no space"), one_run(), PublishError("no space"), one_run()]
    building.files = [{"a": "1"}, {"a": "1"}]
    connection = Connection()
    assert loop_of(connection)._update() == 4
    assert said == ["err red: sitegen: no space"]
    connection.sent.clear()
    loop = loop_of(connection)
    assert [loop._update() for _ in range(3)] == [0, 0, 0]
    assert connection.sent == [({"a"}, None), ((), "sitegen: no space"), (set(), None)]


def test_a_fault_of_our_own_is_waited_out(building: Building, said: list[str]) -> None:
    building.results = [ValueError("odd")]
    connection = Connection()
    assert loop_of(connection)._update() == 0
    assert connection.sent[0][1].startswith("sitegen: an internal error: ValueError: odd.")
    assert said[0].startswith("err red: sitegen: an internal error: ValueError: odd.")


@pytest.mark.usefixtures("said")
def test_what_an_interruption_was_made_into_is_one(
    building: Building, monkeypatch: pytest.MonkeyPatch
) -> None:
    building.results = [ValueError("odd")]
    monkeypatch.setattr(interrupts, "received", True)
    with pytest.raises(KeyboardInterrupt):
        loop_of(Connection())._update()
    with pytest.raises(KeyboardInterrupt):
        loop_of(Connection()).run()


def test_settings_are_read_again(building: Building, said: list[str], tmp_path: Path) -> None:
    campaigns.write(tmp_path, {"c.yaml": "title: One\ninputs: [runs]"})
    building.results, building.files = [one_run(), one_run()], [{}, {}]
    connection = Connection()
    site: Any = Site(Config().with_inputs(["runs"]))
    call = Call(runs=(), config_path=Path("c.yaml"), no_config=False, quiet=True, no_cache=True)
    loop = _Loop(call, site, Path("served"), connection)  # type: ignore[arg-type]
    loop._update()
    campaigns.write(tmp_path, {"c.yaml": "title: Two\ninputs: [runs]"})
    loop._update()
    assert [each["title"] for each in building.calls] == ["One", "Two"]
    assert said == []


def test_a_loop_builds_waits_and_ends_with_its_server(building: Building, said: list[str]) -> None:
    building.results, building.files = [one_run()], [{}]
    connection = Connection()
    assert loop_of(connection, quiet=True).run() == 1
    assert len(building.calls) == 1
    assert connection.waited == [0.25]
    assert said == ["err red: sitegen: the server has ended by itself."]


def test_a_loop_ends_with_the_fault_of_its_first_build(building: Building, said: list[str]) -> None:
    building.results = [PublishError("no space")]
    assert loop_of(Connection()).run() == 4
    assert said == ["err red: sitegen: no space"]


# The command.


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The answer of a server that is not started, and what it was asked."""
    told: dict[str, Any] = {"answer": ("port", 8123)}

    @contextmanager
    def serving(folder: Path, port: int | None) -> Iterator[tuple[Connection, tuple[str, object]]]:
        told.update(folder=folder, port=port, existed=folder.is_dir())
        yield Connection(), told["answer"]

    monkeypatch.setattr(module, "_serving", serving)
    before = gc.get_threshold()
    yield told
    gc.unfreeze()
    gc.set_threshold(*before)


def test_the_address_is_said_before_the_first_build(
    building: Building, said: list[str], answer: dict[str, Any]
) -> None:
    building.results, building.files = [one_run()], [{}]
    assert preview(call_of(), None) == 1
    assert said[:2] == ["out: settings: none", "out: http://127.0.0.1:8123/  (Ctrl-C ends it)"]
    assert gc.get_threshold() == (50_000, 50, 100)
    assert answer["existed"]
    assert answer["port"] is None
    assert answer["folder"].name.startswith("sitegen-serve-")
    assert not answer["folder"].exists()


@pytest.mark.usefixtures("building")
@pytest.mark.parametrize(("port", "shown"), [(None, 8000), (8080, 8080)])
def test_a_port_that_is_refused_is_a_fault(
    port: int | None, shown: int, said: list[str], answer: dict[str, Any]
) -> None:
    answer["answer"] = ("refused", "Address already in use")
    assert preview(call_of(), port) == 2
    assert answer["port"] == port
    assert said[1:] == [
        f"err red: sitegen: cannot serve on 127.0.0.1, port {shown}: Address already in use."
    ]


@pytest.mark.usefixtures("building", "answer")
def test_an_interruption_ends_well(said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "build_site", interrupted)
    assert preview(call_of(), None) == 0
    assert said[-1] == "out: Ended."
    said.clear()
    assert preview(call_of(quiet=True), None) == 0
    assert said == ["out: http://127.0.0.1:8123/  (Ctrl-C ends it)"]


def interrupted(*_: Any, **__: Any) -> Built:
    raise KeyboardInterrupt


@pytest.mark.usefixtures("building", "answer", "said")
def test_runs_that_are_not_there_are_a_fault() -> None:
    with pytest.raises(Exception, match=r"^nothing: there is no such file or folder\. Check the"):
        preview(call_of("nothing"), None)
