"""What a build does, seen from outside: which files it opens, and which templates become pages."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import jinja2

_watches: list[Watch] = []
_is_hooked = False


class Watch:
    """What was done since `watching` began, or since `clear`."""

    def __init__(self) -> None:
        self._opened: Counter[Path] = Counter()
        self.pages: Counter[str] = Counter()
        """How many pages were made of each template, by its name without endings."""

    def opened(self, folder: Path) -> Counter[str]:
        """How often each file below the folder was opened for reading, by its path there."""
        folder = folder.resolve()
        return Counter(
            {
                path.relative_to(folder).as_posix(): count
                for path, count in self._opened.items()
                if path.is_relative_to(folder)
            }
        )

    def clear(self) -> None:
        """Forget all so far."""
        self._opened.clear()
        self.pages.clear()

    def _note(self, path: str | bytes, flags: int) -> None:
        if not flags & (os.O_WRONLY | os.O_RDWR):
            self._opened[Path(os.fsdecode(path)).absolute()] += 1


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _watches and isinstance(arguments[0], str | bytes):
        for watch in _watches:
            watch._note(arguments[0], arguments[2])


@contextmanager
def watching() -> Iterator[Watch]:
    """Watch what this process does: by what Python says of files, and by the templates that Jinja renders."""
    global _is_hooked
    if not _is_hooked:
        sys.addaudithook(_hear)  # it cannot be taken away
        _is_hooked = True
    watch, render = Watch(), jinja2.Template.render

    def counted(template: jinja2.Template, *arguments: Any, **more: Any) -> str:
        watch.pages[(template.name or "").removesuffix(".html.jinja")] += 1
        return render(template, *arguments, **more)

    _watches.append(watch)
    jinja2.Template.render = counted  # type: ignore[method-assign]
    try:
        yield watch
    finally:
        jinja2.Template.render = render  # type: ignore[method-assign]
        _watches.remove(watch)


@contextmanager
def calls_of(function: Any) -> Iterator[list[str]]:
    """The names of those who call a function of ours, which stays as it is."""
    code, callers = function.__code__, list[str]()

    def heard(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is code:
            callers.append(frame.f_back.f_code.co_name if frame.f_back else "")

    before = sys.getprofile()
    sys.setprofile(heard)
    try:
        yield callers
    finally:
        sys.setprofile(before)
