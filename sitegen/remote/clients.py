"""The clients of stores: one for each in a process, asked again where they do not answer, and errors in our words.

Credentials are found by fsspec and its libraries alone; an address that holds any is refused. What a store refuses is
said in one sentence of ours, since an error of a library may quote a signature. Where a store does not answer, it is
asked again for a minute, and then the build ends, so that no site is published from which runs are missing.

fsspec is imported by the first call that needs it. Clients work in a thread of ours, which `rest` ends: a process with
threads cannot be copied.
"""

from __future__ import annotations

import errno
import gc
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from sitegen.errors import ConfigError, PublishError
from sitegen.system.places import how_to_install

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")

SCHEMES = {"s3": "s3fs", "gs": "gcsfs", "az": "adlfs"}
"""The kinds of addresses, and the package that fsspec needs for each."""

FIRST_WAITS = (0.5, 1.0, 2.0)
"""Seconds between attempts at a store that has not answered yet: its name may be wrong."""
WAITS = (0.5, 1.0, 2.0, 4.0, *[8.0] * 7)  # the same of one that has


class StoreError(PublishError):
    """A store does not answer, or refuses all."""


def checked(url: str) -> str:
    """Return the address without a slash at its end. Raises: ConfigError where it cannot be used; it is then not
    repeated."""
    try:
        parts = urlsplit(url)
        has_secret = parts.username is not None
    except ValueError:
        raise ConfigError("An address cannot be read: write it as in s3://bucket/runs.") from None
    if parts.scheme == "sftp":
        raise ConfigError(
            "sftp:// is not read: copy the runs to a folder of this machine (`rsync`), and name it."
        )
    if has_secret:
        advice = "credentials come from the environment or the files of the store's own tools."
        begins = f"An address that begins with {parts.scheme}://"
        raise ConfigError(f"{begins} holds a user name or a password. Leave it out: {advice}")
    if parts.scheme not in SCHEMES:
        known = ", ".join(f"{scheme}://" for scheme in SCHEMES)
        raise ConfigError(
            f"An address begins with {parts.scheme}://, which is not supported. Supported are {known}."
        )
    if not parts.netloc:
        raise ConfigError(f"{url}: this address names no bucket.")
    return url.rstrip("/")


_clients: dict[str, Any] = {}
_answered: set[str] = set()
_loop: asyncio.AbstractEventLoop | None = None
_thread: threading.Thread | None = None
_pid = os.getpid()


def scheme_of(url: str) -> str:
    return url.partition("://")[0]


def path_of(url: str) -> str:
    """Return an address as its client calls it."""
    return url.partition("://")[2]


def asked(url: str, question: Callable[[Any], T]) -> T:
    """Return what the client of a store answers. Raises: OSError where the answer is no; ConfigError, StoreError."""
    scheme = scheme_of(url)
    attempt = 0
    while True:
        try:
            answer = question(_client(scheme))
            _answered.add(scheme)
            return answer
        except (PublishError, ConfigError):
            raise
        except Exception as error:
            known = understood(error)
            if isinstance(known, OSError):  # no is an answer
                _answered.add(scheme)
            if known is not None:
                raise known from None
            waits = WAITS if scheme in _answered else FIRST_WAITS
            if attempt >= len(waits):
                advice = "check the network and the address, then build again"
                silent = f"the store of {scheme}:// addresses does not answer"
                raise StoreError(f"{silent} ({type(error).__name__}): {advice}") from None
            _clients.pop(scheme, None)
        time.sleep(waits[attempt])
        attempt += 1


def understood(error: Exception) -> OSError | ConfigError | StoreError | None:
    """Return an error of a library in our words; None where asking again may help."""
    kind = type(error).__name__
    if isinstance(error, FileNotFoundError):
        return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    if isinstance(error, (NotADirectoryError, IsADirectoryError)):
        return OSError(errno.EIO, "it is a folder")
    if isinstance(error, PermissionError) or kind == "HttpError403":
        return PermissionError(
            errno.EACCES, "the store does not allow it: check the credentials and their rights"
        )
    if kind in (
        "NoCredentialsError",
        "PartialCredentialsError",
        "ProfileNotFound",
        "CredentialRetrievalError",
    ):
        names = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
        return StoreError(f"no credentials for the store were found: set {names}")
    if isinstance(error, (ImportError, TypeError, AttributeError, NotImplementedError)):
        return StoreError(f"the package for these addresses does not work here: {kind}")
    return None


def _client(scheme: str) -> Any:
    """Return the client of a kind of store. Raises: ConfigError where its package is missing."""
    global _pid
    if _pid != os.getpid():  # what was copied belongs to the other process
        _copied.append((_clients.copy(), _loop))
        _clients.clear()
        _end_thread()
        _pid = os.getpid()
    if scheme not in _clients:
        try:
            import fsspec.asyn

            known = fsspec.config.conf.get(scheme, {})
            fsspec.asyn.loop[0] = _running()
            fs = fsspec.filesystem(
                scheme, **{**_options(scheme), **known}, skip_instance_cache=True
            )
        except ImportError:
            raise ConfigError(
                f"{scheme}:// needs {SCHEMES[scheme]}: {how_to_install('fsspec', SCHEMES[scheme])}."
            ) from None
        _clients[scheme] = fs
    return _clients[scheme]


_copied: list[Any] = []  # kept, so that nothing of another process is closed in this one


def _options(scheme: str) -> dict[str, Any]:
    """Return how long to wait."""
    options: dict[str, Any] = {"use_listings_cache": False}
    if scheme == "s3":
        once = {
            "total_max_attempts": 1
        }  # or botocore would ask again within each try of s3fs and of ours
        options["config_kwargs"] = {"connect_timeout": 10, "read_timeout": 30, "retries": once}
    return options


def _running() -> asyncio.AbstractEventLoop:
    """Return the loop in which clients work."""
    global _loop, _thread
    if _loop is None:
        import asyncio  # slow to import

        _loop = asyncio.new_event_loop()
        _loop.set_exception_handler(
            lambda *_: None
        )  # libraries write to the terminal what is said by exceptions
        _thread = threading.Thread(target=_run, args=(_loop,), daemon=True)
        _thread.start()
    return _loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_forever()
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()


def _end_thread() -> None:
    global _loop, _thread
    _loop = _thread = None


def close_connections() -> None:
    """Let go of all connections and end the thread, so that this process can be copied. The next call begins anew."""
    if _loop is None or _thread is None or _pid != os.getpid():
        return
    _clients.clear()
    gc.collect()  # they close what they have opened
    _loop.call_soon_threadsafe(_loop.stop)
    _thread.join()
    sys.modules["fsspec.asyn"].loop[0] = None
    _end_thread()
