"""Scenarios: files and settings, and the runs, verdicts and problems that have to come of them.

A scenario is one YAML file with `settings` and, by path, `files`; what has to come out lies beside it, see `cases`.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import yaml

from sitegen import config
from sitegen.collect import collect
from sitegen.errors import ConfigError
from sitegen.masking.redact import Redactor
from tests.support import cases

VOLATILE = {"digest", "patch_digest", "id", "page_id", "modified_ns", "size"}
"""Fields that say of a file what its content says already."""


def facts_of(scenario: Path, folder: Path) -> Any:
    """Return what is collected of a scenario whose files are written to a folder, or the error of its settings."""
    content = yaml.safe_load(scenario.read_text(encoding="utf-8"))
    for name, text in content["files"].items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(
            base64.b64decode(text["base64"]) if isinstance(text, dict) else text.encode()
        )
    (folder / "config.yaml").write_text(yaml.safe_dump(content["settings"]), encoding="utf-8")
    try:
        facts = collect(config.load(folder / "config.yaml"), Redactor(), lambda _, items: items)
    except ConfigError as error:
        return {"error": str(error).replace(str(folder), "FOLDER")}
    return without_places(cases.plain(facts), folder)


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
