"""Every exception that sitegen raises on purpose.

    SitegenError
    ├── ReadError       one input cannot be read: becomes a Problem, never stops a build
    ├── ConfigError     the settings are wrong: all faults at once (exit 2)
    ├── RefusedOutput   the output folder must not be written to (exit 2)
    └── PublishError    nothing was published and the old site is as it was (exit 4)

What is wrong with one input is data (`model.Problem`); what is wrong with the build is an exception.
"""

import errno


class SitegenError(Exception):
    """A sentence for the user: what is wrong, where, and what to do."""


class ReadError(SitegenError):
    """A source claims to be a run and cannot be read.

    `code` is one of the `E_...` codes of docs/codes.md, `place` says where in the file
    ("line 3, column 14", "byte 512"), or is None when the whole file is meant.
    """

    def __init__(self, code: str, reason: str, place: str | None = None) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.place = place

    @classmethod
    def unreadable(cls, error: OSError) -> "ReadError":
        """Return what is said of a file that the system does not give."""
        return cls("E_READ", f"it cannot be read: {reason_of(error)}")

    @classmethod
    def too_large(cls, most_bytes: int) -> "ReadError":
        """Return what is said of a file that has more bytes than that."""
        return cls("E_LIMIT", f"it is larger than {most_bytes // 1024**2:,} MB")

    @classmethod
    def changed(cls, what: str = "file", error: "ReadError | None" = None) -> "ReadError":
        """Return what is said of a source that is not as it was when it was read first."""
        if error is not None and error.code == "W_CHANGED":
            return error
        why = (
            f"could not be read a second time ({error.reason})"
            if error
            else "changed while the site was built"
        )
        return cls("W_CHANGED", f"the {what} {why}; build again")

    @property
    def sentence(self) -> str:
        """The reason as a sentence of its own."""
        return f"{self.reason[:1].upper()}{self.reason[1:]}" + (
            "" if self.reason.endswith((".", "!", "?")) else "."
        )


def reason_of(error: OSError) -> str:
    """Return the reason without the path, which is one of this machine."""
    if error.errno == errno.ENOENT:
        return "it no longer exists, or is a broken link"
    if error.errno == errno.ELOOP:
        return "it is a symbolic link"
    return (error.strerror or type(error).__name__).lower()


class ConfigError(SitegenError):
    """The settings cannot be used. The message holds one paragraph for each fault."""


class RefusedOutput(SitegenError):  # noqa: N818  reads as what happened
    """Writing to this output could destroy what is not ours."""


class PublishError(SitegenError):
    """The site could not be published; the old one is untouched."""
