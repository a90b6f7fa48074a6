"""The forms that the one file of a site can have."""

from __future__ import annotations

from pathlib import Path

from sitegen.errors import RefusedOutput
from sitegen.publish.one_file import ZIP, Form
from sitegen.publish.one_file.single_page import html_form

_OTHER_FILES = frozenset({".pdf", ".htm", ".md", ".csv", ".json", ".tex", ".gz", ".tgz", ".tar", ".xz", ".7z", ".docx"})
"""Endings of files that a site cannot be: who names such an output does not expect a folder."""


def form_of(output: Path, *, live_charts: bool = False, index_only: bool = False) -> Form | None:
    """Return what the one file is that an output of this name is by its ending; None for a folder.

    Raises: RefusedOutput for the name of another file, unless it is a folder.
    """
    if output.suffix.lower() in _OTHER_FILES and not output.is_dir():
        hint = "for a PDF print a page of it" if output.suffix.lower() == ".pdf" else "`sitegen export` writes data"
        raise RefusedOutput(f"{output}: a site is a folder, one .html file or one .zip file; {hint}")
    if output.suffix.lower() == ".html":
        return html_form(live_charts=live_charts, index_only=index_only)
    return ZIP if output.suffix.lower() == ".zip" else None
