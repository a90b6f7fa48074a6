"""Clients of stores: which addresses are taken, and what a store's errors become."""

from __future__ import annotations

import errno
import os
import time

import pytest

from sitegen.errors import ConfigError
from sitegen.remote import clients
from sitegen.remote.clients import StoreError


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("s3://bucket/runs/", "s3://bucket/runs"),
        ("s3://bucket", "s3://bucket"),
        ("gs://bucket/a//", "gs://bucket/a"),
        ("az://box/a b", "az://box/a b"),
    ],
)
def test_an_address_has_no_slash_at_its_end(url: str, address: str) -> None:
    assert clients.checked(url) == address


@pytest.mark.parametrize(
    ("url", "message"),
    [
        (
            "s3://[bucket/runs",
            "An address cannot be read: write it as in s3://bucket/runs.",
        ),
        (
            "sftp://host/runs",
            "sftp:// is not read: copy the runs to a folder of this machine (`rsync`), and name it.",
        ),
        (
            "s3://ada:word@bucket/runs",
            "An address that begins with s3:// holds a user name or a password. Leave it out: "
            "credentials come from the environment or the files of the store's own tools.",
        ),
        (
            "https://ada@host/runs",
            "An address that begins with https:// holds a user name or a password. Leave it out: "
            "credentials come from the environment or the files of the store's own tools.",
        ),
        (
            "ftp://host/runs",
            "An address begins with ftp://, which is not supported. Supported are s3://, gs://, az://.",
        ),
        ("s3:///runs", "s3:///runs: this address names no bucket."),
    ],
)
def test_an_address_that_cannot_be_used_is_an_error(url: str, message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        clients.checked(url)
    assert str(raised.value) == message


def test_an_address_is_a_scheme_and_a_path() -> None:
    assert clients.scheme_of("s3://bucket/a://b") == "s3"
    assert clients.path_of("s3://bucket/a://b") == "bucket/a://b"


def of_kind(name: str) -> Exception:
    """Return an error of a library, which is known by the name of its class."""
    error: Exception = type(name, (Exception,), {})("signature abc")
    return error


@pytest.mark.parametrize(
    ("error", "number", "text"),
    [
        (FileNotFoundError("s3"), errno.ENOENT, os.strerror(errno.ENOENT)),
        (NotADirectoryError("s3"), errno.EIO, "it is a folder"),
        (IsADirectoryError("s3"), errno.EIO, "it is a folder"),
        (
            PermissionError("s3"),
            errno.EACCES,
            "the store does not allow it: check the credentials and their rights",
        ),
        (
            of_kind("HttpError403"),
            errno.EACCES,
            "the store does not allow it: check the credentials and their rights",
        ),
    ],
)
def test_a_no_of_a_store_is_an_error_of_a_file(error: Exception, number: int, text: str) -> None:
    known = clients.understood(error)
    assert isinstance(known, OSError)
    assert (known.errno, known.strerror) == (number, text)


_NO_CREDENTIALS = (
    "no credentials for the store were found: "
    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (of_kind("NoCredentialsError"), _NO_CREDENTIALS),
        (of_kind("PartialCredentialsError"), _NO_CREDENTIALS),
        (of_kind("ProfileNotFound"), _NO_CREDENTIALS),
        (of_kind("CredentialRetrievalError"), _NO_CREDENTIALS),
        (ImportError("x"), "the package for these addresses does not work here: ImportError"),
        (TypeError("x"), "the package for these addresses does not work here: TypeError"),
        (AttributeError("x"), "the package for these addresses does not work here: AttributeError"),
        (
            NotImplementedError("x"),
            "the package for these addresses does not work here: NotImplementedError",
        ),
    ],
)
def test_what_asking_again_does_not_help_is_an_error_of_the_store(
    error: Exception, message: str
) -> None:
    known = clients.understood(error)
    assert isinstance(known, StoreError)
    assert str(known) == message


@pytest.mark.parametrize("error", [TimeoutError(), ConnectionError(), ValueError("x")])
def test_what_may_pass_is_asked_again(error: Exception) -> None:
    assert clients.understood(error) is None


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that would have been waited, with a client that answers itself."""
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    monkeypatch.setattr(clients, "_pid", os.getpid())
    monkeypatch.setattr(clients, "_client", lambda scheme: f"client of {scheme}")
    monkeypatch.setattr(clients, "_answered", set())
    return waited


def silent(_client: str) -> str:
    raise TimeoutError("signature abc")


def test_a_store_that_never_answered_is_asked_four_times(waits: list[float]) -> None:
    with pytest.raises(StoreError) as raised:
        clients.asked("s3://bucket/a", silent)
    assert waits == [0.5, 1.0, 2.0]
    assert str(raised.value) == (
        "the store of s3:// addresses does not answer (TimeoutError): "
        "check the network and the address, then build again"
    )


def test_a_store_that_has_answered_is_asked_for_a_minute(waits: list[float]) -> None:
    assert clients.asked("s3://bucket/a", lambda client: client) == "client of s3"
    with pytest.raises(StoreError):
        clients.asked("s3://bucket/a", silent)
    assert waits == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0]


def test_no_is_an_answer(waits: list[float]) -> None:
    def refuse(_client: str) -> str:
        raise FileNotFoundError("a")

    with pytest.raises(FileNotFoundError):
        clients.asked("s3://bucket/a", refuse)
    assert waits == []
    with pytest.raises(StoreError):
        clients.asked("s3://bucket/a", silent)
    assert len(waits) == 11
    with pytest.raises(StoreError):
        clients.asked("gs://bucket/a", silent)
    assert len(waits) == 14


def test_an_answer_after_a_wait_counts(waits: list[float]) -> None:
    answers = iter([TimeoutError(), TimeoutError(), "yes"])

    def question(_client: str) -> str:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert clients.asked("s3://bucket/a", question) == "yes"
    assert waits == [0.5, 1.0]


def test_only_amazon_has_times_of_its_own_and_no_listing_is_kept() -> None:
    assert clients._options("gs") == {"use_listings_cache": False}
    assert clients._options("s3") == {
        "use_listings_cache": False,
        "config_kwargs": {
            "connect_timeout": 10,
            "read_timeout": 30,
            "retries": {"total_max_attempts": 1},
        },
    }
