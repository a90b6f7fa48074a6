"""One way to a browser: whichever Chromium the machine has, driven by playwright and never downloaded."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAC_APPS = ("Google Chrome", "Chromium")

PATIENCE_MS = 120_000
"""Milliseconds after which a page does not do what a test waits for, however busy the machine is."""

VISIBLE_SHIFT = 0.01
"""The smallest layout shift that somebody could see, a tenth of what browsers call good."""


class NoBrowser(Exception):  # noqa: N818  a fact about the machine
    """Why no browser can be had here."""


def executable() -> str | None:
    """Path of a Chromium: $CHROMIUM, else the first one that is installed."""
    apps = [f"/Applications/{name}.app/Contents/MacOS/{name}" for name in MAC_APPS]
    places = [os.environ.get("CHROMIUM"), *map(shutil.which, NAMES), *filter(os.path.exists, apps)]
    return next(filter(None, places), None)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A running Chromium without a window, closed at the end.

    Raises: NoBrowser.
    """
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise NoBrowser("playwright is not installed") from None
    path = executable()
    if path is None:
        raise NoBrowser("no Chromium is installed: install one or set CHROMIUM")
    with ExitStack() as stack:
        try:
            playwright = stack.enter_context(sync_playwright())
        except (
            Exception
        ) as error:  # playwright raises no narrower one when its own driver cannot start
            raise NoBrowser(f"playwright does not start: {error}") from None
        try:
            running = playwright.chromium.launch(
                executable_path=path, args=_arguments(), timeout=PATIENCE_MS
            )
        except Error as error:
            raise NoBrowser(f"{path} does not start: {error.message.splitlines()[0]}") from None
        stack.enter_context(running)
        for name in ("new_context", "new_page"):
            setattr(running, name, _patient(getattr(running, name)))
        yield running


def _patient(make: Callable[..., Any]) -> Callable[..., Any]:
    """The same, whose results wait for as long as a busy machine takes."""

    def made(**settings: Any) -> Any:
        new = make(**settings)
        new.set_default_timeout(PATIENCE_MS)
        return new

    return made


def _arguments() -> list[str]:
    """Root, as in containers, cannot use the sandbox; no host name resolves, nothing leaves the machine."""
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    return [
        *sandbox,
        "--disable-gpu",
        "--disable-software-rasterizer",
        "--disable-dev-shm-usage",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ]


def as_file(page: Path) -> str:
    """The address of a page on this disk."""
    return page.resolve().as_uri()


def comes_to(page: Page, end: str) -> None:
    """Wait until the address of the page ends so: it is told of a change a moment later. Fails after a while."""
    page.wait_for_url(lambda address: address.endswith(end), wait_until="commit")
