"""The messages for when the file system refuses something, or the host of a site may."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from sitegen import figures
from sitegen.errors import PublishError
from sitegen.text.tsv import rows

_ADVICE = {getattr(errno, name): advice for name, advice in rows(__file__, "advice.tsv")}


def printable(path: str) -> str:
    """Return a path as text: bytes that are not UTF-8 and characters that do not print are escaped."""
    text = path.encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )


def cause_of(error: BaseException) -> str:
    advice = _ADVICE.get(error.errno or 0) if isinstance(error, OSError) else None
    return advice or (error.strerror if isinstance(error, OSError) else None) or str(error)


MAX_MEGABYTES, MAX_FILES = 800, 50_000
"""GitHub Pages ends at a gigabyte, and at ten minutes for bringing it there."""


def too_large(files: int, size: int) -> Iterator[str]:
    """Yield what a host of pages may refuse."""
    if size > MAX_MEGABYTES * 1_000_000 or files > MAX_FILES:
        takes = "GitHub Pages takes 1,000 MB and ten minutes; publish it elsewhere, or make several of it."
        yield f"The site is large: {figures.count(files)} files, {size / 1e6:,.0f} MB. {takes}"


@contextmanager
def telling(what: str, *names: str, of: tuple[type[Exception], ...] = (OSError,)) -> Iterator[None]:
    """Raises PublishError for what the system refuses meanwhile: what could not be done to files of these names."""
    try:
        yield
    except of as error:
        cause = f"cannot {what.format(*map(printable, names))}: {cause_of(error)}"
        raise PublishError(
            f"{cause}; nothing was published and an old site is as it was"
        ) from error
