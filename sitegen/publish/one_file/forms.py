"""The forms that the one file of a site can have."""

from __future__ import annotations

from pathlib import Path

from sitegen.publish.one_file import ZIP, Form
from sitegen.publish.one_file.single_page import HTML, HTML_WITH_LIVE_CHARTS

_FORMS: dict[str, Form] = {".zip": ZIP, ".html": HTML}


def form_of(output: Path, *, live_charts: bool = False) -> Form | None:
    """Return what the one file is that an output of this name is by its ending; None for a folder."""
    form = _FORMS.get(output.suffix.lower())
    return HTML_WITH_LIVE_CHARTS if form is HTML and live_charts else form
