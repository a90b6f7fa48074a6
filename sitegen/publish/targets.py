"""Which target a site goes to: a folder, one file, or an address."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sitegen.config import Config
from sitegen.errors import ConfigError, RefusedOutput
from sitegen.places import is_address
from sitegen.publish.one_file import OneFile
from sitegen.publish.one_file.forms import form_of
from sitegen.publish.publication import Publication
from sitegen.publish.store.site import StoreSite


def target_of(config: Config, into: Path | None, on_wait: Callable[[str], None]) -> Publication | OneFile | StoreSite:
    """Where the site of these settings goes, or into a folder of the caller's. Raises: ConfigError, RefusedOutput."""
    if into is None and is_address(config.output):
        if config.site_url:
            raise ConfigError(
                f"site_url cannot be used with an output at an address ({config.output}): pages are in another folder "
                "after each build."
            )
        own = f"{config.output.rstrip('/')}/"
        if any(f"{path.rstrip('/')}/".startswith(own) for path in config.paths_of_runs):
            raise RefusedOutput(f"the output {config.output} is or holds an input, name an address of its own")
        return StoreSite(config.output)
    output, inputs = into or Path(config.output), [Path(path) for path in config.paths_of_runs if not is_address(path)]
    if form := form_of(output, live_charts=config.live_charts):
        return OneFile(output, form, inputs=inputs, on_wait=on_wait)
    return Publication(output, inputs=inputs, on_wait=on_wait)
