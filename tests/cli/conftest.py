"""A terminal that keeps what commands say."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sitegen.cli import running
from sitegen.cli.terminal import Terminal, terminal


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """All that is said while a test runs: lines of standard error after `err: `, coloured ones after their colour."""
    lines: list[str] = []

    def write(text: str, *, err: bool = False, colour: str | None = None) -> None:
        before = f"{'err' if err else 'out'}{f' {colour}' if colour else ''}: "
        lines.extend(f"{before}{line}" for line in text.splitlines())

    for name, value in vars(Terminal()).items():
        monkeypatch.setattr(terminal, name, value)
    monkeypatch.setattr(terminal, "write", write)
    monkeypatch.setattr(running, "is_published", False)
    yield lines
