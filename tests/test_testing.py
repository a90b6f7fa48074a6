"""The kit for readers of one's own, which holds the built-in ones as well; and the package of its document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sitegen import readers
from sitegen.cli.commands import cli
from sitegen.model import Run, Status
from sitegen.readers.run_file import RunFile
from sitegen.testing import check_reader
from tests.conftest import ROOT

CORPUS = sorted((ROOT / "tests" / "corpus" / "reader").iterdir())


def reader_of(name: str, content: bytes) -> Any:
    file = RunFile.of(name, content)
    found = (each for each in readers.BUILT_IN if each.matches(file) and list(each.read(file)))
    return next(found, None)


@pytest.mark.slow
@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_the_built_in_readers_hold_what_the_kit_asks_of_others(path: Path) -> None:
    content = path.read_bytes()
    reader = reader_of(path.name, content)
    if reader is None:
        assert path.name in ("deep.json", "error.json")
    else:
        if path.name == "transcript.jsonl":  # its record of costs states less than its messages
            content = b"".join(
                line for line in content.splitlines(keepends=True) if b"cost-state" not in line
            )
        check_reader(reader, {path.name: content})


class Tally:
    name = "tally"

    def matches(self, file: RunFile) -> bool:
        return file.head.startswith(b"TALLY ")

    def read(self, file: RunFile, locator: str | None = None) -> Iterator[Run]:  # noqa: ARG002
        yield Run("Tally", Status.OK, turns=self.turns(file.read()))

    def turns(self, content: bytes) -> int | None:
        found = re.match(rb"TALLY ([0-9]{1,9})\n", content)
        return int(found[1]) if found else None


class Careless(Tally):
    def turns(self, content: bytes) -> int | None:
        return int(content.split()[1])


class Forgetful(Tally):
    def __init__(self) -> None:
        self.asked = 0

    def turns(self, content: bytes) -> int | None:  # noqa: ARG002
        self.asked += 1
        return self.asked


class Lines(Tally):
    """Counts lines of JSON, after what it takes for the end of one; a cost may fall with their number."""

    def __init__(self, ends: bytes = rb"\n", *, is_backwards: bool = False) -> None:
        self.ends, self.is_backwards = ends, is_backwards

    def matches(self, file: RunFile) -> bool:
        return b'"tally"' in file.head

    def read(self, file: RunFile, locator: str | None = None) -> Iterator[Run]:  # noqa: ARG002
        lines = len(re.findall(self.ends, file.read().rstrip())) + 1
        cost = 10.0 - lines if self.is_backwards else float(lines)
        yield Run("Tally log", Status.OK, turns=lines, cost_usd=max(cost, 0.0))


def test_changes_that_must_change_nothing_are_tried_on_readers_of_others() -> None:
    files = {"a.jsonl": b'{"tally": 1}\n' * 8, "b.jsonl": b'{"tally": 2}\n' * 4}
    check_reader(Lines(), files)
    with pytest.raises(AssertionError, match=r"CRLF: turns 12 -> 22"):
        check_reader(Lines(rb"\r|\n"), files)
    with pytest.raises(AssertionError, match=r"cut: cost"):
        check_reader(Lines(is_backwards=True), files)


def test_a_reader_that_keeps_the_rules_passes() -> None:
    check_reader(Tally(), {"a.tally": b"TALLY 3\n"})


@pytest.mark.parametrize(
    ("reader", "why"),
    [(Careless(), "instead of ReadError"), (Forgetful(), "two answers")],
    ids=["careless", "forgetful"],
)
def test_a_reader_that_breaks_a_rule_is_told_which(reader: Tally, why: str) -> None:
    with pytest.raises(AssertionError, match=why):
        check_reader(reader, {"a.tally": b"TALLY 3\n"})


def test_a_file_that_is_not_read_is_a_fault() -> None:
    with pytest.raises(AssertionError, match="no run"):
        check_reader(Tally(), {"a.tally": b"nothing"})


def test_the_package_of_the_documents_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "docs" / "contributing" / "readers.md").read_text(encoding="utf-8")
    module, test = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (tmp_path / "sitegen_tally.py").write_text(module, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    tests: dict[str, Any] = {}
    exec(compile(test, "docs/contributing/readers.md", "exec"), tests)  # noqa: S102  our own document
    tests["test_the_reader_keeps_the_rules"]()
    lines = [line for line in module.splitlines() if line.strip()]
    assert len(lines) <= 30


def test_the_command_lists_built_in_and_installed_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        readers, "installed_from", lambda: [("tally", "sitegen_tally:TallyReader", "sitegen-tally")]
    )
    said = CliRunner().invoke(cli, ["readers"]).output
    assert "swe-agent          SWE-agent trajectory" in said
    assert "tally              sitegen_tally:TallyReader, installed with sitegen-tally" in said
    assert all(reader.name in said for reader in readers.BUILT_IN)
