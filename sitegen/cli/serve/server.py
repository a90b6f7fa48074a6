"""The server of `sitegen serve`: a process of its own, because a build makes copies of its process, which must have no
threads then.

It answers on 127.0.0.1 and nowhere else. A page of another site that is open in the same browser could ask it too, so
it answers only to its own names (or a foreign name that leads to 127.0.0.1 would read the site) and sends pages of
others nothing. The pages are as they will be published, but for one script at their end that keeps them current.
When the process that builds has gone, however it ended, this one removes the site and ends.
"""

import json
import mimetypes
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Collection
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

HOST = "127.0.0.1"
OWN = ".sitegen-serve/"
"""The path of the script that keeps pages current; no site has a path of this name."""
SITE = "site"

_WAIT_SECONDS = 10
"""So long a question waits for news. A browser asks few at once, so tabs that are closed must not hold many."""

_TYPES = mimetypes.MimeTypes()  # not the system's own table, which differs between systems


def _type_of(path: str) -> str:
    kind = _TYPES.guess_type(path)[0] or "application/octet-stream"
    return (
        f"{kind}; charset=utf-8"
        if kind.startswith("text/") or kind.endswith(("json", "xml", "script"))
        else kind
    )


class News:
    """The news for pages that are open. Safe to use from several threads."""

    def __init__(self) -> None:
        self.number = self._first = time.time_ns() // 1_000_000
        """Grows with each piece of news, also over a new start of the server."""
        self._fault: str | None = None
        self._changed_at: dict[str, int] = {}
        """The changes by path: the number of the last news that it changed."""
        self._told = threading.Condition()

    def tell(self, changed: Collection[str], fault: str | None) -> None:
        """Record that files of the site have changed, or that a build has failed and the site is unchanged."""
        with self._told:
            if changed or fault != self._fault:
                self.number = self.number + 1
                self._fault = fault
                self._changed_at.update(dict.fromkeys(changed, self.number))
                self._told.notify_all()

    def after(self, number: int, *, must_wait: bool) -> dict[str, Any]:
        """Return what happened after a piece of news, waited for if it must: `changed` names the files, or is null
        where that is not known."""
        with self._told:
            self._told.wait_for(lambda: self.number != number, _WAIT_SECONDS if must_wait else 0)
            is_known = self._first <= number <= self.number
            changed = (
                sorted(path for path, at in self._changed_at.items() if at > number)
                if is_known
                else None
            )
            return {"number": self.number, "changed": changed, "fault": self._fault}


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server_version, sys_version = "sitegen", ""
    timeout = 60

    def __init__(self, *arguments: Any, folder: Path, news: News) -> None:
        self._folder = folder
        self._news = news
        super().__init__(*arguments)

    def log_message(self, *_: Any) -> None:
        """Log nothing, since the terminal reports builds."""

    def do_HEAD(self) -> None:
        """Answer like GET, without the content."""
        self.do_GET()

    def do_GET(self) -> None:
        """Send a file of the site, the script that keeps pages current, or news."""
        if (why := self._why_refused()) is not None:
            return self._send(
                HTTPStatus.FORBIDDEN, "text/plain; charset=utf-8", f"{why}\n".encode()
            )
        url = urlsplit(self.path)
        within = unquote(url.path, errors="replace").removeprefix("/")
        if within == f"{OWN}live.js":
            return self._send(
                HTTPStatus.OK, _type_of("x.js"), (Path(__file__).parent / "live.js").read_bytes()
            )
        if within == f"{OWN}news.js":
            since, _, now = url.query.partition("&")
            news = self._news.after(
                int(since[:20]) if since.isascii() and since.isdigit() else 0, must_wait=not now
            )
            answer = f"sitegenServe({json.dumps(news)});"
            return self._send(HTTPStatus.OK, _type_of("x.js"), answer.encode())
        return self._file(within)

    def _why_refused(self) -> str | None:
        """Return why a request is not one of a person at this machine who looks at this site."""
        port = self.connection.getsockname()[1]
        names = {
            f"{HOST}:{port}",
            f"localhost:{port}",
            *((HOST, "localhost") if port == 80 else ()),
        }
        if [host.lower() for host in self.headers.get_all("Host", [])] not in [
            [name] for name in names
        ]:
            return (
                f"sitegen serve answers only as http://{HOST}:{port} and http://localhost:{port}."
            )
        comes_from = self.headers.get("Sec-Fetch-Site", "none")
        is_opened = self.headers.get("Sec-Fetch-Dest", "document") == "document"
        if comes_from not in ("none", "same-origin") and not is_opened:
            return "sitegen serve sends nothing to pages of other sites."
        return None

    def _file(self, within: str) -> None:
        number = (
            self._news.number
        )  # before the file is read: what is told meanwhile is told to its page as well
        path = within + "index.html" if within == "" or within.endswith("/") else within
        place = self._place(path)
        if place is None:
            return self._missing()
        if place.is_dir():
            return self._send(
                HTTPStatus.FOUND, _type_of("x.html"), b"", Location=f"/{quote(within)}/"
            )
        try:
            kind = _type_of(path)
            content = place.read_bytes()
        except OSError:  # the site has just been exchanged
            return self._missing()
        content = self._kept_current(content, number) if kind.startswith("text/html") else content
        return self._send(HTTPStatus.OK, kind, content)

    def _place(self, path: str) -> Path | None:
        """Return where a file of the site lies; None for what is not there, is not a path, or leads out of the site."""
        parts = path.split("/")
        if any(part in ("", ".", "..") or set(part) & {"\\", ":", "\0"} for part in parts):
            return None
        try:
            place = (self._folder / SITE).joinpath(*parts).resolve(strict=True)
            return place if place.is_relative_to((self._folder / SITE).resolve()) else None
        except (OSError, ValueError, RuntimeError):
            return None

    def _missing(self) -> None:
        number = self._news.number
        place = self._place("404.html")
        content = (
            place.read_bytes()
            if place
            else _BUILDING
            if self._place("index.html") is None
            else _MISSING
        )
        self._send(HTTPStatus.NOT_FOUND, _type_of("x.html"), self._kept_current(content, number))

    def _kept_current(self, page: bytes, number: int) -> bytes:
        script = f'<script src="/{OWN}live.js" data-own="/{OWN}" data-number="{number}"></script>\n'.encode()
        head, end, tail = page.rpartition(b"</body>")
        return head + script + end + tail if end else page + script

    def _send(self, status: HTTPStatus, kind: str, content: bytes, **more: str) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(content)),
            **_HEADERS,
            **more,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = sys.platform != "win32"  # there it would share a port that is taken

    def handle_error(self, *_: Any) -> None:
        """Ignore the error: a browser that goes away in the middle of an answer is not a fault."""


_PAGE = (Path(__file__).parent / "page.html").read_text(encoding="utf-8")
_SHOWN = "It is shown here as soon as"
_MISSING = _PAGE.format(
    "Not in the site", f"There is no such page, or not any more. {_SHOWN} there is one."
).encode()
_BUILDING = _PAGE.format(
    "Building the site", f"The site is built for the first time. {_SHOWN} it is ready."
).encode()


def run(builder: Connection, folder: Path, port: int | None) -> None:
    """Serve until the builder has gone; then remove the folder. Without a port, one is taken that is free: 8000 where
    it is. Tells the builder the port, or why there is none."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the builder ends this process
    news, server, fault = News(), None, ""
    for each in (8000, 0) if port is None else (port,):
        try:
            server = server or _Server((HOST, each), partial(Handler, folder=folder, news=news))
        except OSError as error:
            fault = error.strerror or str(error)
    if server is None:
        builder.send(("refused", fault))
        return
    builder.send(("port", server.server_address[1]))
    threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True).start()
    try:
        while True:
            news.tell(*builder.recv())
    except (EOFError, OSError):  # the builder has gone
        server.server_close()
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)  # without waiting for pages that wait for news
