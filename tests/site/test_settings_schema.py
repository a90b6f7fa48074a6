"""The schema for editors accepts all that the program accepts: of the documents, of the examples and of the tests."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from sitegen import config
from sitegen.errors import ConfigError
from sitegen.text.yaml_text import read_yaml
from tests.conftest import ROOT

KEYS = {*config.Config.model_fields, "models", "agents", "tasks"}
DIVIDER = re.compile(r"^---\n", re.MULTILINE)
BLOCK = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([a-z_]+: [^`\n]+)`")
MAX_CHARACTERS = 5_000


@pytest.fixture(scope="module")
def schema() -> Draft202012Validator:
    Draft202012Validator.check_schema(config.schema())
    return Draft202012Validator(config.schema())


def of_documents() -> Iterator[str]:
    """Yield blocks of settings in documents, and settings in their sentences."""
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *ROOT.glob("examples/*.md")):
        text = path.read_text(encoding="utf-8")
        yield from BLOCK.findall(text)
        yield from INLINE.findall(text)


def of_files() -> Iterator[str]:
    """Yield settings in files of the examples and of the tests."""
    for folder in ("examples", "tests", "templates"):
        for path in (ROOT / folder).rglob("*.yaml"):
            text = path.read_text(encoding="utf-8")
            if len(text) < MAX_CHARACTERS or folder != "tests":
                yield from DIVIDER.split(text)


def of_tests() -> Iterator[str]:
    """Yield texts in the code of the tests."""
    for path in (ROOT / "tests").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            text = node.value if isinstance(node, ast.Constant) else None
            if isinstance(text, str) and ":" in text and len(text) < MAX_CHARACTERS:
                yield text


def accepted(text: str) -> Any:
    """Return settings as plain values; None where the program does not accept them, or the text is none."""
    if not KEYS.intersection(re.findall(r"^(?:\{?)(\w+):", text, re.MULTILINE)):
        return None
    try:
        config.parse(text, "config.yaml")
    except ConfigError:
        return None
    return json.loads(json.dumps(read_yaml(text)[0], default=str))


def faults(schema: Draft202012Validator, value: Any) -> list[str]:
    return [
        f"{'.'.join(map(str, error.absolute_path))}: {error.message[:200]}"
        for error in schema.iter_errors(value)
    ]


@pytest.mark.parametrize(("texts", "fewest"), [(of_documents, 60), (of_files, 20), (of_tests, 150)])
def test_what_the_program_accepts_the_schema_accepts(
    schema: Draft202012Validator, texts: Any, fewest: int
) -> None:
    values = [(text, value) for text in texts() if (value := accepted(text)) is not None]
    assert len(values) > fewest
    refused = {text: found for text, value in values if (found := faults(schema, value))}
    assert refused == {}, len(refused)


def test_the_schema_accepts_every_block_of_settings_in_the_documents(
    schema: Draft202012Validator,
) -> None:
    blocks: dict[str, Any] = {}
    for path in (ROOT / "docs").rglob("*.md"):
        for block in BLOCK.findall(path.read_text(encoding="utf-8")):
            if "\n  script:" in block:  # a job of GitLab
                continue
            value = json.loads(json.dumps(read_yaml(block)[0], default=str))
            if isinstance(value, dict) and value.keys() <= KEYS:
                blocks[block] = value
    assert len(blocks) > 20
    refused = {block: found for block, value in blocks.items() if (found := faults(schema, value))}
    assert refused == {}


@pytest.mark.parametrize(
    "text",
    [
        "gates: {success_rate: {min: 40}}",
        "scores: {speedup: {band: 5 percent}}",
        "gates: {runs: {min: 1, unknown: maybe}}",
        "titel: x",
    ],
)
def test_the_schema_refuses_what_the_program_refuses(
    schema: Draft202012Validator, text: str
) -> None:
    with pytest.raises(ConfigError):
        config.parse(text, "config.yaml")
    assert faults(schema, yaml.safe_load(text))
