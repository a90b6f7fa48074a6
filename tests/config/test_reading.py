"""Settings from files, and their faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.config.reading import foreign_keys, load
from sitegen.errors import ConfigError


@pytest.fixture
def write(tmp_path: Path) -> Path:
    (tmp_path / "runs").mkdir()
    (tmp_path / "file").touch()
    return tmp_path / "own.yaml"


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("title: x\nweather: x\n", ["weather"]),
        ("title: x\n", []),
        ("weather: x\nplugins: []\n'nav': []\nweather: y\n", ["weather", "plugins", "nav"]),
        ("weather: x\nredact: {}\n", []),
        ("weather: x\nredct: {}\n", []),
        ("weather: x\nREDACT: {}\n", []),
        ("weather: x\nthemes: {}\n", ["weather"]),
        ("  weather: x\n", []),
        ("weather:x\n", []),
        ('"weather" : x\nsome-key.a:\n', ["weather", "some-key.a"]),
    ],
)
def test_keys_of_another_program_are_those_of_a_file_without_one_of_ours(
    text: str, keys: list[str], write: Path
) -> None:
    write.write_text(text, encoding="utf-8")
    assert foreign_keys(write) == keys


def test_a_file_that_cannot_be_read_has_no_foreign_keys(tmp_path: Path) -> None:
    assert foreign_keys(tmp_path) == []


@pytest.mark.parametrize(
    ("text", "needed", "faults"),
    [
        (
            "title: x\n",
            ["inputs"],
            [
                "1:1: no inputs are named; add `inputs:` with the folder of your runs",
                "    title: x",
            ],
        ),
        ("title: x\n", ["outcomes", "static", "theme"], []),
        ("campaigns: [gone]\n", ["inputs"], []),
        ("inputs: [runs]\n", ["inputs"], []),
        ("inputs: [gone]\noutcomes: [gone]\nstatic: gone\ntheme: gone\n", [], []),
        (
            "title: x\ninputs: [runs, gone]\n",
            ["inputs"],
            [
                "2:16: 'inputs.1', FOLDER/gone: there is no such file or folder",
                "    inputs: [runs, gone]",
            ],
        ),
        (
            "outcomes:\n  - path: gone\n",
            ["outcomes"],
            [
                "2:5: 'outcomes.0', FOLDER/gone: there is no such file or folder",
                "      - path: gone",
            ],
        ),
        (
            "theme: runs\nstatic: file\n",
            ["static", "theme"],
            ["2:1: 'static', FOLDER/file: there is no such folder", "    static: file"],
        ),
        (
            "theme: gone\nstatic: runs\n",
            ["static", "theme"],
            ["1:1: 'theme', FOLDER/gone: there is no such folder", "    theme: gone"],
        ),
    ],
)
def test_paths_that_a_command_needs_lead_somewhere(
    text: str, needed: list[str], faults: list[str], write: Path
) -> None:
    write.write_text(text, encoding="utf-8")
    found: list[str] = []
    try:
        load(write, needed=needed)
    except ConfigError as error:
        found = (
            str(error).replace(f"{write}:", "").replace(str(write.parent), "FOLDER").splitlines()
        )
    assert found == faults


def test_faults_stand_in_the_order_of_the_file_each_with_its_line(write: Path) -> None:
    write.write_text("\ufeffweather: x   \ntitle: 3\ninputs: [{}]\n", encoding="utf-8")
    with pytest.raises(ConfigError) as raised:
        load(write)
    assert str(raised.value).replace(str(write), "F") == (
        "F:1:1: unknown key 'weather'. Known keys: see docs/settings.md.\n    weather: x\n\n"
        "F:2:1: 'title' is a text: put it in quotes, as in \"3\"\n    title: 3\n\n"
        "F:3:10: 'inputs.0.path' is missing: add `path: ...`\n    inputs: [{}]"
    )
