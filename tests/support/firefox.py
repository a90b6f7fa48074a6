"""A Firefox without a window, driven by Marionette, the protocol of its own tests: playwright drives no Firefox of a
distribution. See docs/contributing/browsers.md."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from tests.support.browsers import NoBrowser

NAMES = ("firefox-esr", "firefox")
PREFERENCES = {
    "marionette.port": 0,  # any that is free; the profile says which
    "dom.disable_open_during_load": False,  # a window that opens is a finding, not blocked silently
    "security.fileuri.strict_origin_policy": True,
    "network.dns.forceResolve": "127.0.0.1",  # nothing leaves the machine
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
}
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "ArrowDown": "\ue015"}
SECONDS = 60
"""What one command may take."""
WAIT_SECONDS = 15
"""How long what is to come true may take."""

# What the console says of pages, and what pages asked for that is no file: the browser's own requests have no page.
WATCH = """
const { requests } = Cu.getGlobalForObject(Services).sitegen = { requests: [] };
Services.obs.addObserver((subject) => {
  const channel = subject.QueryInterface(Ci.nsIChannel), from = channel.loadInfo?.triggeringPrincipal?.spec || "";
  if (from.startsWith("file:")) requests.push(channel.URI.spec);
}, "http-on-modify-request");
"""
COLLECT = """
const said = Services.console.getMessageArray().filter((message) => message instanceof Ci.nsIScriptError
  && (message.sourceName.startsWith("file:") || message.errorMessage.includes("Content-Security"))
).map((message) => message.errorMessage);
Services.console.reset();
return [...said, ...Cu.getGlobalForObject(Services).sitegen.requests.splice(0)];
"""

_MISSED = re.compile(r"Loading failed for the <script> with source “file://(.+?)(?:[?].*)?”")


class FirefoxError(Exception):
    """What Firefox answered instead of a result."""


class Firefox:
    """One window. `open` a page, then `run` script in it, or in the browser itself with `privileged`."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection, self._stream, self._count = connection, connection.makefile("rb"), 0
        self._message()  # the greeting
        self.version: str = self.call("WebDriver:NewSession")["capabilities"]["browserVersion"]
        self.run(WATCH, privileged=True)

    def open(self, address: str) -> None:
        """Open a page and wait until it has loaded."""
        self.call("WebDriver:Navigate", url=address)

    def run(self, script: str, *arguments: object, privileged: bool = False) -> Any:
        """The value that the body of a function returns."""
        if privileged:
            self.call("Marionette:SetContext", value="chrome")
        try:
            return self.call(
                "WebDriver:ExecuteScript", script=script, args=arguments, sandbox=None
            )["value"]
        finally:
            if privileged:
                self.call("Marionette:SetContext", value="content")

    def click(self, selector: str, word: str = "") -> None:
        """Click into the middle of the first element that has the word, as the mouse would."""
        where = self.until(
            "const all = [...document.querySelectorAll(arguments[0])];"
            "const found = all.find((each) => each.innerText.includes(arguments[1]));"
            "found?.scrollIntoView({ block: 'center', behavior: 'instant' });"
            "const box = found?.getBoundingClientRect();"
            "return box && box.width > 0 && [box.x + box.width / 2, box.y + box.height / 2].map(Math.round)",
            selector,
            word,
        )
        self.drag(where, where)

    def drag(self, start: Sequence[int], end: Sequence[int]) -> None:
        """Press the mouse at one place of the window and let it go at another."""
        moves = [{"type": "pointerMove", "x": x, "y": y, "duration": 100} for x, y in (start, end)]
        down, up = ({"type": f"pointer{name}", "button": 0} for name in ("Down", "Up"))
        self._act("pointer", [moves[0], down, moves[1], up])

    def press(self, *keys: str) -> None:
        """Press keys one after the other: signs, or names of `KEYS`."""
        signs = (KEYS.get(key, key) for key in keys)
        self._act(
            "key",
            [{"type": f"key{way}", "value": sign} for sign in signs for way in ("Down", "Up")],
        )

    def _act(self, device: str, actions: Sequence[Mapping[str, Any]]) -> None:
        self.call(
            "WebDriver:PerformActions", actions=[{"type": device, "id": device, "actions": actions}]
        )

    def until(self, script: str, *arguments: object) -> Any:
        """What the body of a function returns as soon as that is true.

        Raises: FirefoxError when it does not become so.
        """
        end = time.monotonic() + WAIT_SECONDS
        while not (value := self.run(script, *arguments)):
            if time.monotonic() > end:
                raise FirefoxError(
                    f"in {WAIT_SECONDS} s this did not come true: {script} {arguments}"
                )
            time.sleep(0.05)
        return value

    def findings(self) -> list[str]:
        """What the console has said of pages since it was asked last, and addresses that they asked for.

        Excludes that a script failed to load which is there: its page was left meanwhile, and nobody sees it any more.
        """
        found: list[str] = self.run(COLLECT, privileged=True)
        return [
            each
            for each in found
            if not ((missed := _MISSED.match(each)) and Path(unquote(missed[1])).is_file())
        ]

    def call(self, name: str, **arguments: Any) -> Any:
        """Raises: FirefoxError."""
        self._count += 1
        message = json.dumps([0, self._count, name, arguments]).encode()
        self._connection.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self._message()
        if error:
            raise FirefoxError(f"{name}: {error['message']}")
        return result

    def _message(self) -> Any:
        size = b""
        while (digit := self._stream.read(1)) not in (b":", b""):
            size += digit
        return json.loads(self._stream.read(int(size)))


@contextmanager
def firefox() -> Iterator[Firefox]:
    """A running Firefox with a profile of its own, ended at the end.

    Raises: NoBrowser.
    """
    path = next(filter(None, (os.environ.get("FIREFOX"), *map(shutil.which, NAMES))), None)
    if path is None:
        raise NoBrowser("no Firefox is installed: install one or set FIREFOX")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        lines = (
            f"user_pref({json.dumps(key)}, {json.dumps(value)});\n"
            for key, value in PREFERENCES.items()
        )
        Path(profile, "user.js").write_text("".join(lines), encoding="utf-8")
        command = [path, "--headless", "--marionette", "-remote-allow-system-access", "--no-remote"]
        process = subprocess.Popen(
            [*command, "--profile", profile], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            port = _port(Path(profile, "MarionetteActivePort"), process)
            with closing(
                socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
            ) as connection:
                yield Firefox(connection)
        finally:
            process.terminate()
            process.wait()


def _port(file: Path, process: subprocess.Popen[bytes]) -> int:
    """Where it listens, once it does."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and process.poll() is None:
        if file.exists() and (text := file.read_text().strip()):
            return int(text)
        time.sleep(0.1)
    raise NoBrowser("Firefox does not start")
