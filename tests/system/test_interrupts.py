"""Signals that ask the process to end."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator

import pytest

from sitegen.system import interrupts

NUMBERS = (signal.SIGINT, signal.SIGTERM)


@pytest.fixture(autouse=True)
def handlers_as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(interrupts, "received", False)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    before = [signal.getsignal(number) for number in NUMBERS]
    yield
    for number, handler in zip(NUMBERS, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_signal_is_raised_and_remembered(
    number: signal.Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupts.install()
    assert not interrupts.received
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(number)
    assert interrupts.received is True
    sys.unraisablehook(None)  # type: ignore[arg-type]
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("number", NUMBERS)
def test_a_signal_at_the_end_is_ignored(number: signal.Signals) -> None:
    interrupts.install()
    interrupts.ignore()
    signal.raise_signal(number)
    assert interrupts.received is False
