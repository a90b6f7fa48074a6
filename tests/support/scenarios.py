"""Scenarios: files and settings, and the runs, verdicts and problems that have to come of them.

A scenario is one YAML file with `settings` and, by path, `files`; what has to come out lies beside it, see `cases`. It may
also have `packs`, settings by the path of the pack that is made by them first, and `days`, the first and the last.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import yaml

from sitegen import config
from sitegen.collect import Facts, collect
from sitegen.errors import ConfigError
from sitegen.masking.redact import Redactor
from sitegen.publish.pack import pack
from tests.support import building, cases

VOLATILE = {"digest", "patch_digest", "id", "page_id", "marks", "offset", "modified_ns", "size"}
"""Fields that say of a file what its content says already."""


def config_of(scenario: Path, folder: Path) -> config.Config:
    """Return the settings of a scenario whose files are written to a folder. Raises: ConfigError."""
    content = yaml.safe_load(scenario.read_text(encoding="utf-8"))
    write_files(content["files"], folder)
    for name, settings in content.get("packs", {}).items():
        chosen = settings_of(settings, folder)
        packed = pack(chosen, collected(chosen), Redactor(), "")
        (folder / name).write_bytes(packed)
    chosen = settings_of(content["settings"], folder)
    return chosen.with_days(*content.get("days", (None, None)))


def write_files(files: dict[str, Any], folder: Path) -> None:
    """Write the files of a scenario to a folder: texts, and sections with bytes as `base64`."""
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        is_binary = isinstance(text, dict)
        file.write_bytes(base64.b64decode(text["base64"]) if is_binary else text.encode())


def collected_of(scenario: Path, folder: Path) -> Facts:
    """Return what is collected of a scenario. Raises: ConfigError."""
    return collected(config_of(scenario, folder))


def site_of(scenario: Path, folder: Path) -> Path:
    """Return the site that is built of a scenario."""
    chosen = config_of(scenario, folder)
    building.build(chosen, Redactor(), lambda _, items: items, lambda _: None)
    return Path(chosen.output)


def facts_of(scenario: Path, folder: Path) -> Any:
    """Return what is collected of a scenario as JSON has it, or the error of its settings."""
    try:
        facts = collected_of(scenario, folder)
    except ConfigError as error:
        return {"error": str(error).replace(str(folder), "FOLDER")}
    return without_places(cases.plain(facts), folder)


def settings_of(settings: dict[str, Any], folder: Path) -> config.Config:
    """Return settings as if they were in a file in a folder. Raises: ConfigError."""
    file = folder / "config.yaml"
    file.write_text(yaml.safe_dump(settings), encoding="utf-8")
    return config.load(file)


def collected(chosen: config.Config) -> Facts:
    """Return what is collected by settings."""
    return collect(chosen, Redactor(), lambda _, items: items)


def without_places(value: Any, folder: Path) -> Any:
    """Return a value without the fields that differ from machine to machine."""
    if isinstance(value, dict):
        return {
            key: without_places(part, folder) for key, part in value.items() if key not in VOLATILE
        }
    if isinstance(value, list):
        return [without_places(part, folder) for part in value]
    return value.replace(str(folder), "FOLDER") if isinstance(value, str) else value


def check(scenario: Path, folder: Path, *, refresh: bool) -> None:
    """Compare what is collected of a scenario with what has to be."""
    cases.compare(scenario, facts_of(scenario, folder), refresh=refresh)
