"""`sitegen serve`: what it shows is what a build makes, nobody else is answered, and nothing is left of it."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sitegen.cli.serve.eye import Eye, look_at
from sitegen.cli.serve.server import News
from tests.conftest import commit
from tests.support import campaigns
from tests.support.campaigns import OPUS, SONNET, result
from tests.support.command import interruptible, sitegen

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="ends processes by signals"),
]

WAIT_SECONDS = 60


@dataclass
class Serving:
    """A server at work."""

    process: subprocess.Popen[str]
    port: int
    base: str
    temporary: Path

    def get(self, path: str = "", **headers: str) -> tuple[int, bytes]:
        """Status and content of a path of the site."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=WAIT_SECONDS)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request("GET", f"{self.base}{path}", headers=named)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def page(self, path: str) -> bytes:
        """A file of the site, without the script that keeps pages current."""
        return re.sub(rb'<script src="[^"]*live\.js"[^>]*></script>\n', b"", self.get(path)[1])

    def news(self, query: str = "0&now") -> dict[str, Any]:
        """What the server has to tell."""
        told: dict[str, Any] = json.loads(
            self.get(f".sitegen-serve/news.js?{query}")[1][len("sitegenServe(") : -2]
        )
        return told

    def paths(self) -> list[str]:
        """The paths of the site."""
        return sorted(json.loads(self.get(".sitegen.json")[1])["files"])

    def wait_for(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds."""
        until = time.monotonic() + WAIT_SECONDS
        while not holds():
            assert time.monotonic() < until, self.news()
            time.sleep(0.05)

    def is_as_built(self, folder: Path) -> bool:
        """Whether the server sends what was built in a folder, and nothing else."""
        paths = [
            path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
        ]
        return all(
            self.page(path) == (folder / path).read_bytes() for path in [".sitegen.json", *paths]
        )


@contextmanager
def serving(
    folder: Path,
    *arguments: str,
    port: Sequence[str] = ("--port", "0"),
    temporary: Path | None = None,
) -> Iterator[Serving]:
    """`sitegen serve` in a folder, on a port that nobody else takes, with temporary files of its own."""
    temporary = temporary or folder / "temporary"
    temporary.mkdir(exist_ok=True)
    with (folder / "stderr").open("w") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-m", "sitegen", "serve", *port, *arguments],
            cwd=folder,
            env=interruptible(TMPDIR=str(temporary)),
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=stderr,
            encoding="utf-8",
        )
    try:
        assert process.stdout
        lines = (process.stdout.readline() for _ in range(2))
        address = next(
            (
                found
                for line in lines
                if (found := re.match(r"http://127\.0\.0\.1:(\d+)(/\S*)", line))
            ),
            None,
        )
        assert address, (folder / "stderr").read_text()
        yield Serving(process, int(address[1]), address[2], temporary)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=WAIT_SECONDS)


def runs(folder: Path) -> Path:
    """A folder with some runs in it."""
    return campaigns.write(
        folder / "runs", {f"t{n}/{n}.json": result(n, OPUS, SONNET) for n in (1, 2, 3)}
    )


def is_free(port: int) -> bool:
    """Whether nobody answers on a port."""
    with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), timeout=5):
        return False
    return True


def has_processes(group: int) -> bool:
    """Whether a process of a group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_pages_are_those_of_a_build_for_this_machine_alone(tmp_path: Path) -> None:
    runs(tmp_path)
    assert sitegen("build", "runs", "-o", "cold", "--no-cache", cwd=tmp_path).returncode == 0
    with serving(tmp_path, "runs", port=()) as served:
        served.wait_for(lambda: served.get()[0] == 200)
        assert served.is_as_built(tmp_path / "cold")
        assert b"live.js" in served.get()[1]
        port = served.port
        assert served.get("index.html", Host=f"localhost:{port}")[0] == 200
        for host in (
            "evil.example",
            f"evil.example:{port}",
            f"127.0.0.1.evil.example:{port}",
            "127.0.0.1:1",
            "",
        ):
            assert served.get("index.html", Host=host)[0] == 403, host
        assert (
            served.get("data/runs.csv", Sec_Fetch_Site="cross-site", Sec_Fetch_Dest="script")[0]
            == 403
        )
        assert (
            served.get("data/runs.csv", Sec_Fetch_Site="same-site", Sec_Fetch_Dest="iframe")[0]
            == 403
        )
        assert (
            served.get("index.html", Sec_Fetch_Site="cross-site", Sec_Fetch_Dest="document")[0]
            == 200
        )
        (served.temporary / "secret").write_text("mine", encoding="utf-8")
        (site,) = served.temporary.glob("sitegen-serve-*/site")
        (site / "leads-out").symlink_to(served.temporary / "secret")
        for path in (
            "../secret",
            "%2e%2e/%2e%2e/secret",
            "..%5csecret",
            "/etc/passwd",
            "leads-out",
            "a%00b",
            "none.html",
            "a" * 300,
            "a/" * 2_500,
            "a" * 5_000,
        ):
            status, content = served.get(path)
            assert status == 404 and b"mine" not in content, path
        assert {each.name for each in (tmp_path / "temporary").iterdir()} == {
            site.parent.name,
            "secret",
        }
        assert served.get(f".sitegen-serve/news.js?{'9' * 5_000}&now")[0] == 200


@pytest.mark.parametrize(
    ("number", "is_built"), [(signal.SIGINT, True), (signal.SIGTERM, False), (signal.SIGKILL, True)]
)
def test_nothing_is_left_however_it_ends(tmp_path: Path, number: int, is_built: bool) -> None:
    runs(tmp_path)
    with serving(tmp_path, "runs") as served:
        if is_built:
            served.wait_for(lambda: served.get()[0] == 200)
        served.process.send_signal(number)
        assert served.process.wait(WAIT_SECONDS) == (-number if number == signal.SIGKILL else 0)
        until = time.monotonic() + WAIT_SECONDS
        while has_processes(served.process.pid) and time.monotonic() < until:
            time.sleep(0.05)
        assert not has_processes(served.process.pid)
        assert is_free(served.port)
    assert list((tmp_path / "temporary").iterdir()) == []
    assert {each.name for each in tmp_path.iterdir()} == {"runs", "temporary", "stderr"}
    assert (tmp_path / "stderr").read_text() == ""


def edit(folder: Path, chance: random.Random) -> None:
    """One thing that can happen to a folder of runs."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    kind = chance.choice(
        ["write", "write", "change", "cut", "remove", "rename", "move a folder", "note"]
    )
    number = chance.randrange(1, 50)
    if kind == "write" or len(files) < 3:
        campaigns.write(
            folder, {f"t{number % 7}/{number}.json": result(number, chance.choice([OPUS, SONNET]))}
        )
    elif kind == "note":
        campaigns.write(folder, {f"t{number % 7}/notes.md": "no run"})
    elif kind == "move a folder":
        one = chance.choice(files).parent
        if one != folder and not (folder / f"moved{number}").exists():
            one.rename(folder / f"moved{number}")
    else:
        file = chance.choice(files)
        if kind == "remove":
            file.unlink()
        elif kind == "rename":
            file.rename(file.with_name(f"r{number}{file.suffix}"))
        elif kind == "cut":
            file.write_bytes(file.read_bytes()[: number * 9])
        else:
            file.write_bytes(file.read_bytes().replace(b"loop", f"loop {number}".encode()))


@pytest.mark.parametrize("edits", [12, pytest.param(1_000, marks=pytest.mark.nightly)])
def test_after_any_edits_the_site_is_that_of_a_cold_build(tmp_path: Path, edits: int) -> None:
    chance = random.Random(commit())  # noqa: S311
    folder = runs(tmp_path)
    with serving(tmp_path, "runs") as served:
        served.wait_for(lambda: served.get()[0] == 200)
        for number in range(1, edits + 1):
            edit(folder, chance)
            time.sleep(chance.choice([0, 0, 0.02, 0.3]))
            if number % 250 and number != edits:
                continue
            campaigns.write(
                folder, {"t0/last.json": result(number)}
            )  # or there may be no run at all
            out = f"cold-{number}"
            done = sitegen("build", "runs", "-o", out, "--no-cache", cwd=tmp_path)
            assert done.returncode == 0, done.stderr
            served.wait_for(lambda out=out: served.is_as_built(tmp_path / out))  # type: ignore[misc]


def test_a_fault_is_told_and_the_settings_are_read_again(tmp_path: Path) -> None:
    runs(tmp_path)
    settings = tmp_path / "config.yaml"
    settings.write_text("title: One\ninputs: [runs]\n", encoding="utf-8")
    with serving(tmp_path) as served:
        served.wait_for(lambda: b"<h1>One</h1>" in served.get()[1])
        settings.write_text("titel: Two\ninputs: [runs]\n", encoding="utf-8")
        served.wait_for(lambda: bool(served.news()["fault"]))
        assert "unknown key 'titel', did you mean 'title'?" in served.news()["fault"]
        assert b"<h1>One</h1>" in served.get()[1]
        campaigns.write(tmp_path, {"runs/t4/4.json": result(4)})  # is no reason to forget the fault
        time.sleep(1)
        assert served.news()["fault"]
        settings.write_text("title: Two\ninputs: [runs]\n", encoding="utf-8")
        served.wait_for(lambda: b"<h1>Two</h1>" in served.get()[1])
        served.wait_for(lambda: served.news()["fault"] is None)
        assert b"t4" in served.get()[1]
    assert "unknown key 'titel'" in (tmp_path / "stderr").read_text()


def test_a_port_that_is_taken_and_settings_that_are_wrong_are_refused(tmp_path: Path) -> None:
    runs(tmp_path)
    with serving(tmp_path, "runs") as served:
        done = sitegen("serve", "runs", "--port", str(served.port), cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "settings: none\n")
        assert (
            done.stderr
            == f"sitegen: cannot serve on 127.0.0.1, port {served.port}: Address already in use.\n"
        )
    assert sitegen("serve", cwd=tmp_path).returncode == 2


def test_news_name_what_changed_since_any_number() -> None:
    news = News()
    first = news.number
    news.tell(["runs/a.html"], None)
    news.tell([], "It broke.")
    assert news.after(first, must_wait=False) == {
        "number": first + 2,
        "changed": ["runs/a.html"],
        "fault": "It broke.",
    }
    assert news.after(first + 1, must_wait=False)["changed"] == []
    assert news.after(first - 1, must_wait=False)["changed"] is None  # of a server before this one
    assert news.after(first + 9, must_wait=False)["changed"] is None
    news.tell([], "It broke.")
    assert news.number == first + 2  # nothing new


def test_a_look_tells_each_change_once(tmp_path: Path) -> None:
    folder, eye = runs(tmp_path), Eye()
    looked = [(str(folder), "runs")], str(tmp_path / "site")
    assert eye.changed(*looked)
    assert not eye.changed(*looked)
    campaigns.write(folder, {"t1/1.json": result(9)})
    assert eye.changed(*looked)
    (folder / "t1" / "1.json").unlink()
    assert eye.changed(*looked)
    assert not eye.changed(*looked)


def test_a_look_waits_until_a_file_no_longer_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter([["a 1"], ["a 2"], ["a 3"], ["a 3"], ["a 3"]])
    monkeypatch.setattr(Eye, "_look", lambda *_: next(looks))
    monkeypatch.setattr("sitegen.cli.serve.eye._SETTLED_SECONDS", 0)
    eye = Eye()
    assert eye.changed([], "site")
    assert not eye.changed([], "site")


def test_a_page_that_changed_loads_anew_and_keeps_its_place(
    tmp_path: Path, browser: Browser
) -> None:
    long = "# Long\n\n" + "\n\n".join(f"Paragraph {n}." for n in range(200))
    campaigns.write(
        tmp_path / "runs",
        {"a.json": result(1, result=long), "b.json": result(2), "c.json": result(3)},
    )
    with (
        serving(tmp_path, "runs") as served,
        browser.new_page(viewport={"width": 900, "height": 600}) as page,
    ):
        broken: list[str] = []
        page.on(
            "console",
            lambda message: broken.append(message.text) if message.type == "error" else None,
        )
        address = f"http://127.0.0.1:{served.port}/"
        page.goto(address)  # before the first build has ended
        page.wait_for_selector("main h2", timeout=WAIT_SECONDS * 1000)
        of_run = next(path for path in served.paths() if path.startswith("runs/a-"))
        page.goto(address + of_run, wait_until="load")
        page.evaluate("scrollTo(0, 2500)")
        page.evaluate("window.isOld = true")
        campaigns.write(
            tmp_path / "runs", {"c.json": result(3, result="# Gulls at night\n\nDone.")}
        )
        served.wait_for(lambda: b"Gulls at night" in served.get()[1])
        time.sleep(0.5)
        assert page.evaluate("window.isOld") is True  # neither its run nor a neighbour
        campaigns.write(tmp_path / "runs", {"a.json": result(1, result=long + "\n\nThe new end.")})
        page.get_by_text("The new end.").wait_for(timeout=WAIT_SECONDS * 1000)
        # What scripts add above is made up for.
        page.wait_for_function("() => Math.abs(scrollY - 2500) < 40")
        for path in (tmp_path / "runs").iterdir():
            path.unlink()
        page.get_by_role("alert").wait_for(timeout=WAIT_SECONDS * 1000)
        assert "no runs found" in page.get_by_role("alert").inner_text()
        campaigns.write(tmp_path / "runs", {"b.json": result(2)})
        page.get_by_text("There is no such page").wait_for(timeout=WAIT_SECONDS * 1000)
        assert page.get_by_role("alert").count() == 0
        assert [each for each in broken if "404" not in each] == []


@pytest.mark.parametrize("pattern", ["runs/*/.kept/*.json", ".kep*/*.json"])
def test_a_pattern_is_watched_as_the_folder_it_begins_with(tmp_path: Path, pattern: str) -> None:
    campaigns.write(tmp_path, {"runs/t1/1.json": "{}"})
    with contextlib.chdir(tmp_path):
        before = look_at([(pattern, "runs")], "site")
        campaigns.write(tmp_path, {"runs/t1/.kept/1.json": "{}", ".kept/1.json": "{}"})
        assert look_at([(pattern, "runs")], "site") != before


def test_a_file_of_runs_is_watched_with_what_lies_beside_it(tmp_path: Path) -> None:
    campaigns.write(tmp_path, {"runs/1.json": "{}"})
    path = str(tmp_path / "runs/1.json")
    with_neighbours, alone = look_at([(path, "runs")], "site"), look_at([(path, "alone")], "site")
    campaigns.write(tmp_path, {"runs/1.meta.yaml": "outcome: pass"})
    assert look_at([(path, "runs")], "site") != with_neighbours
    assert look_at([(path, "alone")], "site") == alone


def test_what_no_build_reads_is_no_change(tmp_path: Path) -> None:
    inputs = [("runs", "runs"), ("missing.csv", "alone")]
    with contextlib.chdir(tmp_path):
        campaigns.write(tmp_path, {"runs/1.json": "{}"})
        before = look_at(inputs, "site")
        passed_over = (
            "node_modules/x.json",
            ".git/HEAD",
            "another-site/.sitegen.json",
            ".site.sitegen.lock",
        )
        campaigns.write(
            tmp_path, {f"runs/{name}": "{}" for name in passed_over} | {"beside.txt": "x"}
        )
        assert look_at(inputs, "site") == before
        campaigns.write(tmp_path, {"missing.csv": "path"})
        assert look_at(inputs, "site") != before


def test_more_files_than_are_watched_are_an_error_of_the_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaigns.write(tmp_path, {f"runs/{number}.json": "{}" for number in range(5)})
    monkeypatch.setattr("sitegen.cli.serve.eye.MAX_FILES", 3)
    with pytest.raises(OSError, match="large"):
        look_at([(str(tmp_path / "runs"), "runs")], "site")
