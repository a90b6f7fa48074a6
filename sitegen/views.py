"""What pages show, as frozen values: the small ones that several pages share.

A view holds everything its page may show, already decided; templates only lay it out. Numbers are written here,
by `figures`, so that a template never rounds.
"""

from __future__ import annotations

from dataclasses import dataclass

from sitegen.model import Entry, Status

KIND_LABELS = {"cache_read": "cache read", "cache_write": "cache write", "input": "input", "output": "output"}
"""What the kinds of tokens are called."""

KIND_CLASSES = {"cache_read": "k-read", "cache_write": "k-write", "input": "k-input", "output": "k-output"}
"""CSS classes that give each kind its colour."""


@dataclass(frozen=True, slots=True)
class StatusView:
    """A status as a word and a sign, never a colour alone."""

    word: str
    sign: str
    """Name of the SVG symbol: `#i-<sign>`."""
    role: str
    """CSS class."""
    detail: str | None


@dataclass(frozen=True, slots=True)
class FigureView:
    """One big figure: a label, the value, and what it rests on."""

    label: str
    value: str
    note: str
    exact: str | None = None
    """The figure in full, for the tooltip."""
    data: str | None = None
    """The bare number, for programs."""
    lower_bound: bool = False


@dataclass(frozen=True, slots=True)
class FactView:
    """A name and a value; the note stands behind it, quieter."""

    label: str
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class LinkView:
    """A link within the site; `href` is relative to the site's top."""

    href: str
    text: str


_STATUS = {
    Status.OK: ("completed", "done", "done"),
    Status.FAILED: ("failed", "fail", "fail"),
    Status.STOPPED: ("stopped", "stop", "stop"),
    Status.INTERRUPTED: ("interrupted", "cut", "stop"),
    Status.UNKNOWN: ("unknown", "ask", "muted"),
}


def status_view(status: Status, detail: str | None = None) -> StatusView:
    """The word, sign and CSS class of a status."""
    word, sign, role = _STATUS[status]
    return StatusView(word, sign, role, detail)


def run_path(page_id: str) -> str:
    """Where the page of a run lies in the site."""
    return f"runs/{page_id}.html"


def run_link(entry: Entry) -> LinkView:
    """A link to the page of a run."""
    return LinkView(run_path(entry.id), entry.name)


def sentence_list(parts: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
