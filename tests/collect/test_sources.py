"""The files of the inputs, and the packs among them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.collect.sources import find, without
from sitegen.config import Config
from sitegen.errors import ConfigError
from sitegen.model import Level

PACK = b"PK\3\4" + b"\0" * 26 + b"sitegen-pack.json"


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def test_files_are_found_as_the_settings_say_and_packs_apart(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a/1.json": b"{}",
            "a/old/2.json": b"{}",
            "a/out/index.json": b"{}",
            "a/p.zip": PACK,
            "a/q.zip": b"PK",
            "b/3.json": b"{}",
        },
    )
    settings = {
        "inputs": [{"path": f"{tmp_path}/a", "steps": "none"}, {"path": f"{tmp_path}/b"}],
        "ignore": ["old"],
        "output": f"{tmp_path}/a/out",
        "steps": "texts",
        "limits": {"file_mb": 7},
    }
    found, packed = find(Config.model_validate(settings))
    assert [(each.path, each.input, each.level) for each in found.sources] == [
        ("1.json", 0, Level.NONE),
        ("3.json", 1, Level.TEXTS),
        ("q.zip", 0, Level.NONE),
    ]
    assert [each.path for each in packed] == ["p.zip"]
    assert found.bounds.file_mb == 7
    rest = without(found, [found.sources[1]])
    assert [each.path for each in rest.sources] == ["1.json", "q.zip"]


def test_an_input_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no such file or folder"):
        find(Config.model_validate({"inputs": [f"{tmp_path}/none"]}))
