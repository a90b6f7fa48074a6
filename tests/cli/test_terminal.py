"""What the command does on a terminal: colours, the progress bar, and nothing that a name could steer."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sitegen.cli.terminal import printable
from tests.conftest import ROOT
from tests.support import campaigns
from tests.support.campaigns import result
from tests.support.command import interruptible, sitegen

pytestmark = [pytest.mark.slow, pytest.mark.blank_charts]

ENVIRONMENT = interruptible()


def on_a_terminal(*arguments: str, cwd: Path, **environment: str) -> tuple[int, str]:
    """Exit code of the command on a terminal, and all that it printed there."""
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "sitegen", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", **environment},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    printed = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # Linux says so when the last writer has gone
            break
        if not part:
            break
        printed += part
    os.close(ours)
    return running.wait(), printed.decode()


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder with a few runs and a broken one."""
    return campaigns.write(
        tmp_path, {**{f"runs/{n}.json": result(n) for n in (1, 2, 3)}, "runs/x.json": ""}
    )


def test_problems_are_coloured_and_progress_is_shown(runs: Path) -> None:
    code, printed = on_a_terminal("build", "runs", cwd=runs)
    assert code == 0
    assert "\x1b[33m" in printed
    assert "Rendering" in printed
    assert "3/3" in printed


def test_no_color_asks_for_none(runs: Path) -> None:
    _, printed = on_a_terminal("build", "runs", cwd=runs, NO_COLOR="1")
    assert "\x1b[33m" not in printed
    assert "E_EMPTY" in printed


def test_quiet_shows_no_progress(runs: Path) -> None:
    assert on_a_terminal("build", "-q", "runs", cwd=runs) == (0, "")


@pytest.mark.parametrize(
    "arguments",
    [
        ("build", "nowhere\x1b]0;pwned\x07\u202e"),
        ("build", "-c", "evil.yaml"),
        ("check", "runs"),
        ("build", "runs", "-o", "s\x1b[2Jite"),
    ],
)
def test_nothing_that_is_named_steers_the_terminal(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    campaigns.write(
        tmp_path,
        {
            "runs/a.json": result(1),
            "runs/e\x1b[2J\u202e.json": "",
            "evil.yaml": "titel: x  # \u202e\n",
        },
    )
    _, printed = on_a_terminal(*arguments, cwd=tmp_path, NO_COLOR="1")
    for sign in ("\x1b]", "\x1b[2J", "\x07", "\u202e"):
        assert sign not in printed


def test_a_file_that_is_called_as_an_option_is_none(runs: Path) -> None:
    for name in ("-ctheme.yaml", "--no-config", "-\x1b]0;x\x07"):
        (runs / name).write_text("title: x")
        code, said = on_a_terminal("build", "runs", name, cwd=runs)
        assert (code, said.count("looks like an option"), "\x1b]" in said) == (2, 1, False)
    (runs / "-ln").symlink_to("nowhere")
    assert on_a_terminal("check", "runs", "-ln", cwd=runs)[0] == 2
    assert not (runs / "site").exists()
    assert (
        "looks like an option"
        not in on_a_terminal("check", "--", "runs", "--no-config", cwd=runs)[1]
    )
    assert on_a_terminal("check", "-q", "runs", cwd=runs)[0] == 0


def test_nothing_that_is_said_is_a_command_to_a_service_of_ci() -> None:
    said = "x ##vso[task.y z=1]a\n::error::b\n  ::c::\n##[add-mask]d ###VSO[e] ##teamcity[f]"
    shown = printable(said, "utf-8")
    for command in ("##vso[", "##VSO[", "##[", "##teamcity[", "\n::", "  ::"):
        assert command in said and command not in shown
    assert shown.replace(" ", "") == said.replace(" ", "")
    for harmless in ("## Title", "a::b", "src/#x[1]", "C::D\nE::F"):
        assert printable(harmless, "utf-8") == harmless


def test_the_name_of_a_broken_file_is_no_command_to_a_service_of_ci(tmp_path: Path) -> None:
    names = ("##vso[task.x y=z]a.json", "##[add-mask]b.json", "::error::c")
    campaigns.write(tmp_path, {"runs/1.json": result(1), **{f"runs/{name}": "{" for name in names}})
    (tmp_path / "runs/::error::c").write_text("mail: ann.tailor@corp-mail.de")
    for arguments in (("build", "runs", "-o", "site"), ("scan", *names, "1.json")):
        _, said = on_a_terminal(
            *arguments, cwd=tmp_path / ("runs" if arguments[0] == "scan" else ""), NO_COLOR="1"
        )
        assert "##vso[" not in said and "##[" not in said and "\n::" not in said
    assert ": :error::c" in said


def test_home_is_not_printed(runs: Path) -> None:
    _, printed = on_a_terminal("build", "nowhere", "-o", "/home/zoelle/site", cwd=runs)
    assert "nowhere" in printed
    _, printed = on_a_terminal("build", "/home/zoelle/nowhere", cwd=runs)
    assert "zoelle" not in printed


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_with_130_and_leaves_nothing(
    tmp_path: Path, sent: signal.Signals
) -> None:
    campaigns.write(tmp_path / "runs", {f"{n}.json": result(n) for n in range(1, 2_000)})
    running = subprocess.Popen(
        [sys.executable, "-m", "sitegen", "build", "runs"],
        cwd=tmp_path,
        env=interruptible(),
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    while not list(tmp_path.glob(".site.sitegen-*/site/runs/*")):  # until pages are being written
        assert running.poll() is None
    running.send_signal(sent)
    began = time.monotonic()
    _, said = running.communicate()
    assert time.monotonic() - began < 2
    assert (running.returncode, said.strip()) == (130, "Interrupted.")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["runs"]


def test_a_locked_output_is_exit_4(tmp_path: Path) -> None:
    from sitegen.publish import Publication

    campaigns.write(tmp_path / "runs", {"a.json": result(1)})
    with Publication(tmp_path / "site"):
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                "import sys, sitegen.publish.staging as p; p.WAIT_SECONDS = 0.1\n"
                "sys.argv = ['sitegen', 'build', 'runs']\nfrom sitegen.__main__ import main; main()",
            ],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            encoding="utf-8",
        )
    assert done.returncode == 4
    assert "another build" in done.stderr


@pytest.mark.nightly
def test_an_interrupt_at_any_moment_says_so_and_leaves_nothing(tmp_path: Path) -> None:
    """Also while modules are imported and charts are drawn, which is most of a small build."""
    campaigns.write(tmp_path / "runs", {f"{n}.json": result(n) for n in range(1, 9)})
    began = time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "sitegen", "build", "-q", "--no-cache", "runs"],
        cwd=tmp_path,
        env=ENVIRONMENT,
        check=True,
    )
    took = time.monotonic() - began
    before = {path: path.read_bytes() for path in (tmp_path / "site").rglob("*") if path.is_file()}
    interrupted = 0
    for moment in range(8):
        running = subprocess.Popen(
            [sys.executable, "-m", "sitegen", "build", "-q", "--no-cache", "runs"],
            cwd=tmp_path,
            env=ENVIRONMENT,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        time.sleep(took * (moment + 1) / 10)
        running.send_signal(signal.SIGINT)
        sent = time.monotonic()
        _, said = running.communicate()
        assert time.monotonic() - sent < 2
        # Now and then Python ends by the signal itself once all is said, which is 130 for a shell too.
        interrupts = ((130, "Interrupted."), (-signal.SIGINT, "Interrupted."))
        assert (running.returncode, said.strip()) in (*interrupts, (0, ""))
        interrupted += running.returncode != 0
        assert sorted(path.name for path in tmp_path.iterdir()) == ["runs", "site"]
        assert {
            path: path.read_bytes() for path in (tmp_path / "site").rglob("*") if path.is_file()
        } == before
    assert interrupted


@pytest.mark.parametrize("name", ["x.pdf", "x.PDF", "x.csv", "a/x.tar"])
def test_an_output_named_like_another_file_is_refused_with_a_hint(runs: Path, name: str) -> None:
    done = sitegen("build", "-q", "runs", "-o", name, cwd=runs)
    assert (
        done.returncode == 2
        and "a site is a folder, one .html file or one .zip file" in done.stderr
    )
    assert not (runs / name).exists()
