"""What makes the environment of the two commands, where Windows has other calls: these are stood in for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from tests.conftest import ROOT


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> tuple[ModuleType, list[object]]:
    """The module as Windows loads it, without fcntl, and what it asks for."""
    asked: list[object] = []

    def locking(_: int, mode: int, size: int) -> None:
        asked.append((mode, size))
        if len(asked) == 1:
            raise OSError(13, "held")

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(LK_NBLCK=2, locking=locking))
    source = (ROOT / ".ci/bootstrap.py").read_text(encoding="utf-8")
    name = 'IS_WINDOWS = os.name == "nt"'
    assert name in source
    module = ModuleType("bootstrap_of_windows")
    module.__file__ = str(ROOT / ".ci/bootstrap.py")
    code = compile(source.replace(name, "IS_WINDOWS = True"), module.__file__, "exec")
    exec(code, module.__dict__)  # noqa: S102
    monkeypatch.setattr(module.__dict__["time"], "sleep", lambda _: None)
    return module, asked


def test_a_clone_on_windows_is_locked_and_finds_its_python(
    windows: tuple[ModuleType, list[object]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    module, asked = windows
    provided: list[str | None] = []
    monkeypatch.setattr(module, "_provide", provided.append)
    monkeypatch.setattr(module, "VENV", tmp_path)
    assert module.environment("test") == str(tmp_path / "Scripts" / "python.exe")
    assert asked == [(2, 1), (2, 1)]  # held by another at first
    assert provided == ["test"]


def test_a_command_on_windows_is_a_child_with_its_exit_code(
    windows: tuple[ModuleType, list[object]],
) -> None:
    module, _ = windows
    with pytest.raises(SystemExit) as ended:
        module.become(sys.executable, "-c", "raise SystemExit(3)")
    assert ended.value.code == 3


def test_a_command_elsewhere_takes_the_process_over() -> None:
    code = "import sys; sys.path.insert(0, '.ci'); import bootstrap; bootstrap.become(sys.executable, '-c', 'exit(4)')"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 4


FAILS_ONCE = """
import time
from pathlib import Path
def fails_once(name):
    done = Path(__file__).with_name(name)
    if not done.exists():
        done.touch()
        raise AssertionError("the first time")
def test_of_time():
    time.process_time()
    fails_once("a")
def test_of_anything_else():
    fails_once("b")
"""


def test_only_tests_of_browsers_and_time_run_once_more_and_are_listed(tmp_path: Path) -> None:
    (tmp_path / "test_once.py").write_text(FAILS_ONCE, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-c",
        "pyproject.toml",
        "-p",
        "tests.conftest",
        "-n",
        "2",
        tmp_path,
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    assert "1 failed, 1 passed, 1 rerun" in done.stdout, done.stdout + done.stderr
    assert [
        line.split("::")[1] for line in done.stdout.splitlines() if line.startswith("RERUN")
    ] == ["test_of_time"]
    assert "FAILED" in done.stdout and "test_of_anything_else" in done.stdout
