"""The command `sitegen`, called as a user would, at a fraction of what it costs to start Python and load everything.

A server process loads the package once and forks a child for each call: a process of its own, with its own working
folder, environment, output and exit code. Where a test names a variable that Python itself reads at its start (locale,
flags), or where the system has no fork, Python is started anew.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from functools import cache
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from pathlib import Path

from tests.support import drawings

ROOT = Path(__file__).resolve().parents[2]

READ_AT_START = ("PYTHON", "LC_", "LANG", "TZ")
"""How names of variables begin that Python reads once."""

LOADED = [
    "altair",
    "sitegen.build",
    "sitegen.cli.commands",
    "sitegen.cli.build_command",
    "sitegen.charts.chart_set",
    __name__,
]


waited_seconds = 0.0
"""How long this process has waited for commands, which use about as much processor time."""


def interruptible(**further: str) -> dict[str, str]:
    """Return the environment of a process that gets signals, with these variables besides: in it no lines are counted,
    since a process that is interrupted while coverage holds its lock waits for ever."""
    inherited = {name: value for name, value in os.environ.items() if "COVERAGE" not in name}
    return {**inherited, "PYTHONPATH": str(ROOT), **further}


def sitegen(
    *arguments: str | Path, cwd: Path = ROOT, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command in `cwd`, with these variables besides those of the tests."""
    given = [str(argument) for argument in arguments]
    server = _server()
    if server is None or any(name.startswith(READ_AT_START) for name in environment):
        return subprocess.run(
            [sys.executable, "-m", "sitegen", *given],
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
            capture_output=True,
            encoding="utf-8",
        )
    with tempfile.TemporaryDirectory(prefix="sitegen-command-") as folder:
        output, errors = Path(folder, "output"), Path(folder, "errors")
        process = server.Process(
            target=_run, args=(given, cwd, {**os.environ, **environment}, output, errors)
        )  # type: ignore[attr-defined]
        _wait_for(process)
        code = process.exitcode
        process.close()
        return subprocess.CompletedProcess(
            given, code, *(each.read_text("utf-8") for each in (output, errors))
        )


def _wait_for(process: BaseProcess) -> None:
    global waited_seconds
    begin = time.monotonic()
    process.start()
    process.join()
    waited_seconds += time.monotonic() - begin


def forked(
    *arguments: str, cwd: Path = ROOT, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command like `sitegen`, but in a child of this process, which has the modules as they are here."""
    context = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory(prefix="sitegen-command-") as folder:
        output, errors = Path(folder, "output"), Path(folder, "errors")
        variables = {**os.environ, **environment}
        process = context.Process(
            target=_run, args=(list(arguments), cwd, variables, output, errors)
        )
        process.start()
        process.join()
        return subprocess.CompletedProcess(
            arguments, process.exitcode or 0, output.read_text("utf-8"), errors.read_text("utf-8")
        )


@cache
def _server() -> BaseContext | None:
    """What starts a process that forks others; it ends with this one."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return None
    server = multiprocessing.get_context("forkserver")
    server.set_forkserver_preload(LOADED)
    return server


def forget_names_of_help() -> None:
    """Let the next call decide what options lead to the help: click keeps what the first one called them, and tests call
    commands without the group that names them."""
    from sitegen.cli.commands import cli

    for command in (cli, *cli.commands.values()):
        command._help_option = None


def _run(
    arguments: list[str], folder: Path, environment: Mapping[str, str], output: Path, errors: Path
) -> None:
    """`python -m sitegen` in this process."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for path, number in ((output, 1), (errors, 2)):
        file = os.open(path, os.O_WRONLY | os.O_CREAT)
        os.dup2(file, number)
        os.close(file)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  pytest may have put its own there
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    drawings.install()
    forget_names_of_help()
    sys.modules.pop("sitegen.__main__", None)  # its own tests load it, and it runs anew here
    sys.argv[1:] = arguments
    runpy.run_module("sitegen", run_name="__main__", alter_sys=True)
