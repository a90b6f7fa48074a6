"""A Firefox without a window, driven by Marionette, the protocol of its own tests: playwright drives no Firefox of a
distribution. See docs/browsers.md."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tests.browsers import NoBrowser

NAMES = ("firefox-esr", "firefox")
PREFERENCES = {
    "marionette.port": 0,  # any that is free; the profile says which
    "dom.disable_open_during_load": False,  # a window that opens is a finding, not blocked silently
    "security.fileuri.strict_origin_policy": True,
    "network.dns.forceResolve": "127.0.0.1",  # nothing leaves the machine
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
}
SECONDS = 60
"""What one command may take."""


class FirefoxError(Exception):
    """What Firefox answered instead of a result."""


class Firefox:
    """One window. `open` a page, then `run` script in it, or in the browser itself with `privileged`."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection, self._stream, self._count = connection, connection.makefile("rb"), 0
        self._message()  # the greeting
        self.version: str = self.call("WebDriver:NewSession")["capabilities"]["browserVersion"]

    def open(self, address: str) -> None:
        """Open a page and wait until it has loaded."""
        self.call("WebDriver:Navigate", url=address)

    def run(self, script: str, *, privileged: bool = False) -> Any:
        """The value that the body of a function returns."""
        if privileged:
            self.call("Marionette:SetContext", value="chrome")
        try:
            return self.call("WebDriver:ExecuteScript", script=script, args=[], sandbox=None)["value"]
        finally:
            if privileged:
                self.call("Marionette:SetContext", value="content")

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
        lines = (f"user_pref({json.dumps(key)}, {json.dumps(value)});\n" for key, value in PREFERENCES.items())
        Path(profile, "user.js").write_text("".join(lines), encoding="utf-8")
        command = [path, "--headless", "--marionette", "-remote-allow-system-access", "--no-remote"]
        process = subprocess.Popen(
            [*command, "--profile", profile], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            port = _port(Path(profile, "MarionetteActivePort"), process)
            with closing(socket.create_connection(("127.0.0.1", port), timeout=SECONDS)) as connection:
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
