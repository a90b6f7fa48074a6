"""The entry point: what it answers itself, and how it ends whatever the command does."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable
from typing import Any

import pytest

from sitegen import __version__
from sitegen.__main__ import main
from sitegen.cli import commands
from sitegen.system import interrupts


@pytest.fixture
def signals(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The handling of signals that was asked for, in order."""
    asked: list[str] = []
    monkeypatch.setattr(interrupts, "install", lambda: asked.append("install"))
    monkeypatch.setattr(interrupts, "ignore", lambda: asked.append("ignore"))
    return asked


def raising(error: BaseException | None) -> Callable[[], None]:
    def cli() -> None:
        if error:
            raise error

    return cli


def test_the_version_is_answered_at_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], signals: list[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["sitegen", "--version"])
    main()
    assert capsys.readouterr().out == f"sitegen {__version__}\n"
    assert signals == []


def test_a_command_line_runs_with_signals_handled_and_ends_without(
    monkeypatch: pytest.MonkeyPatch, signals: list[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["sitegen", "--version", "build"])
    monkeypatch.setattr(commands, "cli", raising(None))
    main()
    assert signals == ["install", "ignore"]


@pytest.mark.parametrize(
    ("error", "code", "printed"),
    [
        (KeyboardInterrupt(), 130, "Interrupted.\n"),
        (
            OSError(errno.ENOSPC, "x"),
            1,
            "sitegen: could not print all of the output: the disk is full, free some space\n",
        ),
        (OSError(errno.EPIPE, "x"), 1, ""),
    ],
)
def test_what_click_cannot_print_and_interruptions_end_with_a_code(
    error: BaseException,
    code: int,
    printed: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    signals: list[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["sitegen", "build"])
    monkeypatch.setattr(commands, "cli", raising(error))
    monkeypatch.setattr(sys, "stdout", sys.stdout)  # it may be given up
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == code
    assert capsys.readouterr().err == printed
    assert signals == ["install", "ignore"]


def test_a_version_that_cannot_be_printed_ends_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Full:
        encoding = "utf-8"

        def write(self, *_: Any) -> int:
            raise OSError(errno.ENOSPC, "x")

        def flush(self) -> None:
            raise OSError(errno.ENOSPC, "x")

    monkeypatch.setattr(sys, "argv", ["sitegen", "--version"])
    monkeypatch.setattr(sys, "stdout", Full())
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert "could not print all of the output" in capsys.readouterr().err
