"""The sentences of exceptions that several packages raise."""

import errno

import pytest

from sitegen.errors import ReadError, reason_of


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(errno.ENOENT, "No such file"), "it no longer exists, or is a broken link"),
        (OSError(errno.ELOOP, "Too many levels"), "it is a symbolic link"),
        (OSError(errno.EACCES, "Permission denied", "/home/me/a"), "permission denied"),
        (OSError("no number"), "oserror"),
        (TimeoutError(), "timeouterror"),
    ],
)
def test_what_the_system_refuses_is_said_without_its_path(error: OSError, reason: str) -> None:
    assert reason_of(error) == reason
    unreadable = ReadError.unreadable(error)
    assert (unreadable.code, unreadable.reason) == ("E_READ", f"it cannot be read: {reason}")
    assert unreadable.place is None


@pytest.mark.parametrize(
    ("most_bytes", "reason"),
    [
        (1_048_576, "it is larger than 1 MB"),
        (3_145_727, "it is larger than 2 MB"),
        (2 * 1_048_576 + 1, "it is larger than 2 MB"),
        (4_294_967_296, "it is larger than 4,096 MB"),
    ],
)
def test_a_limit_of_size_is_stated_in_whole_megabytes(most_bytes: int, reason: str) -> None:
    error = ReadError.too_large(most_bytes)
    assert (error.code, error.reason, str(error)) == ("E_LIMIT", reason, reason)


def test_a_changed_source_says_what_changed_and_what_to_do() -> None:
    assert ReadError.changed().code == "W_CHANGED"
    assert ReadError.changed().reason == "the file changed while the site was built; build again"
    of_patch = ReadError.changed("patch")
    assert of_patch.reason == "the patch changed while the site was built; build again"


def test_a_second_reading_that_fails_says_why_and_what_is_said_already_stays() -> None:
    refused = ReadError("E_READ", "it cannot be read: denied", "line 3")
    again = ReadError.changed("patch", refused)
    assert again.code == "W_CHANGED"
    assert again.reason == (
        "the patch could not be read a second time (it cannot be read: denied); build again"
    )
    assert ReadError.changed("file", again) is again


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ("it is empty", "It is empty."),
        ("it is empty.", "It is empty."),
        ("is it empty?", "Is it empty?"),
        ("empty!", "Empty!"),
        ("a JSON file", "A JSON file."),
    ],
)
def test_a_reason_becomes_a_sentence_with_one_mark_at_its_end(reason: str, sentence: str) -> None:
    error = ReadError("E_JSON", reason, "line 3")
    assert error.sentence == sentence
    assert error.place == "line 3"
