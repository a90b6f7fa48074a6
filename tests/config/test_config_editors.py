"""What helps while writing settings and commands: the schema of the settings, and completion in shells."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from sitegen import config
from sitegen.cli.commands import cli
from sitegen.errors import ConfigError
from sitegen.text import yaml_text
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def schema() -> Any:
    printed = CliRunner().invoke(cli, ["schema"])
    assert printed.exit_code == 0
    return json.loads(printed.stdout)


def keys(schema: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Every key that the schema knows, with its place."""
    for name, field in schema.get("properties", {}).items():
        yield f"{place}{name}", field
    for name, section in schema.get("$defs", {}).items():
        yield from keys(section, f"{name}.")


def test_the_schema_is_one_and_says_what_it_is_of(schema: Any) -> None:
    jsonschema.validators.validator_for(schema).check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"] == "Settings of sitegen"


def test_every_key_is_in_the_schema_and_has_a_description(schema: Any) -> None:
    known = dict(keys(schema))
    assert set(config.Config.model_fields) <= known.keys()
    assert {
        "Price.cache_write_1h",
        "RateGate.min",
        "Pair.b",
        "Outcomes.columns",
        "Input.pattern",
    } <= known.keys()
    assert {
        key for key, field in known.items() if not field.get("description", "").strip()
    } == set()


@pytest.mark.parametrize("name", ["config.yaml", "templates/init.yaml"])
def test_settings_that_are_right_are_valid(schema: Any, name: str) -> None:
    values, _ = yaml_text.read_yaml((ROOT / name).read_text(encoding="utf-8"))
    jsonschema.validate(values, schema)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (
            "inputs: [runs, {path: more, pattern: '{task}.json'}]\noutcomes: [a.csv]\ntheme: look\n",
            True,
        ),
        ("inputs: [runs]\nsite_url: https://example.org/report\nnames: {task: {a: b}}\n", True),
        ("prices: {m: {input: 1, output: 2.5}}\ngates: {success_rate: {min: 0.4}}\n", True),
        ("compare: [{a: x, b: y}]\noutcomes: [{path: a.csv, columns: {task: id}}]\n", True),
        ("titel: x\n", False),
        ("inputs: runs\n", False),
        ("inputs: [{pattern: '{task}.json'}]\n", False),
        ("language: 7\n", False),
        ("gates: {success_rate: {min: 40}}\n", False),
        ("gates: {score.speedup: {median: {min: 1.1}}}\n", True),
        ("gates: {score.speedup: {min: 1.1}}\n", False),
        ("prices: {m: {input: -1, output: 1}}\n", False),
        ("outcomes: [{path: a.csv, columns: {taks: id}}]\n", False),
    ],
)
def test_the_schema_and_the_command_agree(schema: Any, text: str, right: bool) -> None:
    values, _ = yaml_text.read_yaml(text)
    assert jsonschema.validators.validator_for(schema)(schema).is_valid(values) is right
    if right:
        config.parse(text, "config.yaml")
    else:
        with pytest.raises(ConfigError):
            config.parse(text, "config.yaml")


@pytest.fixture
def command(tmp_path: Path) -> dict[str, str]:
    """An environment in which `sitegen` is the command of this clone."""
    script = tmp_path / "bin" / "sitegen"
    script.parent.mkdir()
    code = "import sys; sys.argv[0] = 'sitegen'; from sitegen.__main__ import main; main()"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{code}" "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return {**os.environ, "PATH": f"{script.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}


def completed(shell: str, script: str, environment: dict[str, str]) -> list[str]:
    """What a shell prints for a script."""
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run(
        [shell, "-c", script], env=environment, capture_output=True, encoding="utf-8", cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sitegen che", ["check"]),
        ("sitegen build --st", ["--steps", "--strict"]),
        ("sitegen build --engine d", ["dask"]),
    ],
)
def test_bash_completes(command: dict[str, str], line: str, expected: list[str]) -> None:
    words = line.split()
    script = (
        f'eval "$(_SITEGEN_COMPLETE=bash_source sitegen)"; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; '
        'complete -p sitegen > /dev/null && _sitegen_completion sitegen && printf "%s\\n" "${COMPREPLY[@]}"'
    )
    assert completed("bash", script, command) == expected


def test_zsh_takes_the_script(command: dict[str, str]) -> None:
    begun = 'autoload -Uz compinit && compinit -D; eval "$(_SITEGEN_COMPLETE=zsh_source sitegen)"'
    script = f"{begun}; print -r -- $_comps[sitegen]"
    assert completed("zsh", script, command) == ["_sitegen_completion"]


def test_fish_completes(command: dict[str, str]) -> None:
    script = (
        '_SITEGEN_COMPLETE=fish_source sitegen | source; complete -C "sitegen build --engine d"'
    )
    assert completed("fish", script, command) == ["dask"]


def test_the_documents_show_what_editors_need() -> None:
    settings = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
    assert "\n# yaml-language-server: $schema=sitegen.schema.json\n" in settings
    assert "`sitegen schema > sitegen.schema.json`" in settings
