"""The view of the patch beside a run: what it changes, file by file, and its text in colours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sitegen import figures
from sitegen.html.highlight import highlight
from sitegen.inputs.patch import Patch
from sitegen.pages.views import RowView

SHORT_PATCH_LINES, LISTED_FILES = 40, 100
"""Up to so many lines a patch stands open; so many of its files are listed."""


@dataclass(frozen=True, slots=True)
class PatchView:
    """A patch: what it changes, file by file, and its text in colours."""

    name: str
    summary: str
    files: tuple[RowView, ...]
    html: str
    """Escaped, with spans."""
    short: bool


def patch_view(path: str, changes: Patch, shown: str, *, cut_at: int | None, clean: Callable[[str], str]) -> PatchView:
    """What a run page shows of the patch beside the run; `shown` is its text as far as it is shown, cleaned, and
    `cut_at` how many characters that are, where it is longer. Its figures cover all of it."""
    plus = "+" if changes.is_cut else ""
    lines = f"{figures.plural(changes.added, 'line')}{plus} added, {figures.count(changes.removed)}{plus} removed"
    summary = f"{figures.plural(len(changes.files), 'file')}, {lines}"
    if cut_at is not None:
        summary += f"; its first {figures.count(cut_at)} characters are shown"
    files = (
        RowView(clean(file.path), (figures.count(file.added), figures.count(file.removed)))
        for file in changes.files[:LISTED_FILES]
    )
    short = shown.count("\n") <= SHORT_PATCH_LINES
    return PatchView(path.rpartition("/")[2], summary, tuple(files), highlight(shown, "diff"), short)
