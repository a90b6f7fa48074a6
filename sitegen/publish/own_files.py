"""The user's own files, which go to the top of the site."""

from __future__ import annotations

from pathlib import Path

from sitegen.config import Config
from sitegen.errors import ConfigError, PublishError


def own_files(config: Config) -> dict[str, bytes]:
    """The user's own files (CNAME, favicon.ico, ...), which go to the top of the site.

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
