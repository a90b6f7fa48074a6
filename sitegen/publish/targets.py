"""Which target a site goes to: a folder, one file, or an address."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from sitegen.config import Config
from sitegen.errors import ConfigError
from sitegen.places import is_address
from sitegen.publish.manifest import Signature
from sitegen.publish.one_file import Form, OneFile
from sitegen.publish.one_file.archive import ZIP
from sitegen.publish.one_file.single_page import HTML, HTML_WITH_LIVE_CHARTS
from sitegen.publish.publication import Publication
from sitegen.publish.store.site import StoreSite

_FORMS: dict[str, Form] = {".zip": ZIP, ".html": HTML}


def form_of(output: Path, *, live_charts: bool = False) -> Form | None:
    """What the one file is that an output of this name is by its ending; None for a folder."""
    form = _FORMS.get(output.suffix.lower())
    return HTML_WITH_LIVE_CHARTS if form is HTML and live_charts else form


def target_of(
    config: Config,
    into: Path | None,
    on_wait: Callable[[str], None],
    known: Callable[[], Mapping[str, Signature]] | None,
) -> Publication | OneFile | StoreSite:
    """Where the site of these settings goes, or into a folder of the caller's. Raises: ConfigError."""
    if into is None and is_address(config.output):
        if config.site_url:
            raise ConfigError(
                f"site_url cannot be used with an output at an address ({config.output}): pages lie in another folder "
                "after each build."
            )
        return StoreSite(config.output)
    output, inputs = into or Path(config.output), [Path(path) for path in config.paths_of_runs if not is_address(path)]
    if form := form_of(output, live_charts=config.live_charts):
        return OneFile(output, form, inputs=inputs, on_wait=on_wait)
    return Publication(output, inputs=inputs, on_wait=on_wait, known=known)
