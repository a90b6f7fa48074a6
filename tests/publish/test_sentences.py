"""The messages for what the file system refuses, and for sites that a host may refuse."""

import errno

import pytest

from sitegen.errors import PublishError
from sitegen.publish.sentences import cause_of, printable, telling, too_large

TAKES = "GitHub Pages takes 1,000 MB and ten minutes; publish it elsewhere, or make several of it."


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a folder/ä.html", "a folder/ä.html"),
        ("line\nbreak\x1b[31m", "line\\nbreak\\x1b[31m"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\udcff", "\\udcff"),
    ],
)
def test_a_path_is_said_in_signs_that_print(path: str, text: str) -> None:
    assert printable(path) == text


@pytest.mark.parametrize(
    ("files", "size", "sentences"),
    [
        (50_000, 800_000_000, []),
        (50_000, 800_000_001, [f"The site is large: 50,000 files, 800 MB. {TAKES}"]),
        (50_001, 1_500_000, [f"The site is large: 50,001 files, 2 MB. {TAKES}"]),
        (7, 1_234_000_000, [f"The site is large: 7 files, 1,234 MB. {TAKES}"]),
    ],
)
def test_a_site_above_one_of_two_limits_is_large(
    files: int, size: int, sentences: list[str]
) -> None:
    assert list(too_large(files, size)) == sentences


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (OSError(errno.EILSEQ, "Invalid sequence", "/home/me"), "Invalid sequence"),
        (
            OSError(errno.ENOSPC, "No space left on device"),
            "the disk is full, free some space and build again",
        ),
        (OSError("only a text"), "only a text"),
        (ValueError("no error of the system"), "no error of the system"),
    ],
)
def test_a_cause_is_the_advice_or_where_there_is_none_what_the_system_says(
    error: Exception, cause: str
) -> None:
    assert cause_of(error) == cause


def test_what_is_refused_says_what_could_not_be_done_and_that_nothing_is_lost() -> None:
    refusal = OSError(errno.EILSEQ, "Invalid sequence")
    with pytest.raises(PublishError) as raised, telling("rename {} to {}", "a\n", "b"):
        raise refusal
    assert str(raised.value) == (
        "cannot rename a\\n to b: Invalid sequence; nothing was published and an old site is as it was"
    )
    assert raised.value.__cause__ is refusal


def test_only_the_named_kinds_of_errors_are_told() -> None:
    with pytest.raises(ValueError, match="other"), telling("read it"):
        raise ValueError("other")
    with pytest.raises(PublishError, match="cannot read it: other;"):  # noqa: SIM117
        with telling("read it", of=(ValueError,)):
            raise ValueError("other")
