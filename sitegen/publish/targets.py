"""The choice of the target of a site: a folder, one file, or an address."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sitegen.config import Config
from sitegen.errors import ConfigError, PublishError, RefusedOutput
from sitegen.places import is_address
from sitegen.publish.files import Target
from sitegen.publish.one_file import OneFile
from sitegen.publish.one_file.single_page import form_of
from sitegen.publish.publication import Publication
from sitegen.publish.store.site import StoreSite

# The user's own files, which go to the top of the site.


def own_files(config: Config) -> dict[str, bytes]:
    """Return the user's own files (CNAME, favicon.ico, ...), which go to the top of the site.

    Excludes links and hidden files, of which only `.well-known` is published.

    Raises: ConfigError when there is no such folder or it and the output lie in one another, PublishError when a
    file cannot be read.
    """
    if config.static is None:
        return {}
    folder, output = Path(config.static).resolve(), Path(config.output).resolve()
    if not folder.is_dir():
        raise ConfigError(f"static: there is no folder {config.static}.")
    if folder.is_relative_to(output) or output.is_relative_to(folder):
        raise ConfigError(f"static: {config.static} and the output {config.output} must not contain each other.")
    files = {}
    for path in sorted(folder.rglob("*")):
        within = path.relative_to(folder)
        hidden = any(part.startswith(".") and part != ".well-known" for part in within.parts)
        if hidden or path.is_symlink() or not path.is_file():
            continue
        try:
            files[within.as_posix()] = path.read_bytes()
        except OSError as error:
            raise PublishError(f"static: {within.as_posix()} cannot be read: {error.strerror}") from None
    return files


def target_of(config: Config, into: Path | None, on_wait: Callable[[str], None]) -> Target:
    """Return where the site of these settings goes, or into a folder of the caller's. Raises: ConfigError,
    RefusedOutput."""
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
    if form := form_of(output, live_charts=config.live_charts, index_only=config.index_only):
        return OneFile(output, form, inputs=inputs, on_wait=on_wait)
    return Publication(output, inputs=inputs, on_wait=on_wait)
