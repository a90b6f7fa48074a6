"""What is masked before it is cut, joined or wrapped: a secret that spans line ends, in every text of every reader."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sitegen import readers
from sitegen.errors import ReadError
from sitegen.inputs.steps_again import published
from sitegen.masking.redact import Redactor, in_one_line, mask
from sitegen.model import Level, Unmasked
from sitegen.readers import ReaderOfSteps
from sitegen.readers.common.sizes import bounded
from sitegen.readers.run_file import RunFile
from sitegen.system.bounds import DEFAULT
from sitegen.testing import _json, _replaced
from sitegen.text import names
from tests.support.campaigns import result
from tests.support.secret_samples import ALNUM, Maker
from tests.test_testing import CORPUS

REDACTOR = Redactor()
MAKER = Maker(38)
GITHUB = "gh" + "p_" + MAKER.of(ALNUM, 36)
PASSWORD = "Quay7$" + MAKER.of(ALNUM, 6)
PLANTED = f"deploy {GITHUB[:20]}\\\n{GITHUB[20:]} now\npassword: >-\n  {PASSWORD}\n"
ARGUMENTS = ["deploy", "--token", f"{GITHUB[:20]}\\\n{GITHUB[20:]}", "--password", PASSWORD]
PARTS = (GITHUB[:14], GITHUB[20:32], PASSWORD)


def strings(value: Any) -> Iterator[str]:
    """All texts in a value, by reflection."""
    if dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from strings(getattr(value, field.name))
    elif isinstance(value, tuple):
        for each in value:
            yield from strings(each)
    elif isinstance(value, str):
        yield value


def shown_of(name: str, content: bytes) -> Iterator[str]:
    """All texts of the runs in a file that a page gets to show, with what lists call them."""
    file = RunFile.of(name, content)
    try:
        reader = next(each for each in readers.BUILT_IN if each.matches(file))
        for run in map(bounded, reader.read(file, None)):
            clean = dataclasses.replace(REDACTOR.run(run), locator=None)
            yield from strings(clean)
            yield from filter(
                None,
                (look(clean.texts.summary or "") for look in (names.begins_with, names.heading_of)),
            )
            if isinstance(reader, ReaderOfSteps):
                for step in reader.steps(
                    RunFile.of(name, content), run.locator, frozenset(), contents=True
                ):
                    shown = published(Unmasked(step), 0, REDACTOR, Level.FULL, bounds=DEFAULT)
                    yield from strings(shown)
    except (ReadError, StopIteration) as error:
        yield REDACTOR(str(error))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "path", [path for path in CORPUS if _json(path.read_bytes())], ids=lambda path: path.name
)
def test_no_text_of_a_reader_shows_a_secret_over_line_ends(path: Path) -> None:
    values = _json(path.read_bytes()) or []
    places = min(len(re.findall(r'[:,\[]\s*["{\[0-9tfn]', json.dumps(values))), 500)
    for number in range(1, places):
        for planted in (PLANTED, [PLANTED]):
            changed = [_replaced(value, planted, [number]) for value in values]
            content = "\n".join(
                json.dumps(value, indent=None if len(values) > 1 else 1) for value in changed
            ).encode()
            for text in shown_of(path.name, content):
                left = [part for part in PARTS if part in text]
                assert not left, (number, text[:400])


def test_a_command_in_parts_is_masked_as_one() -> None:
    content = json.dumps(result(x={"argv": ARGUMENTS})).encode()
    shown = [text for text in shown_of("a.json", content) if "deploy" in text]
    assert len(shown) == 1
    assert not [part for part in PARTS if part in shown[0]]


def test_no_mask_is_cut_in_a_line() -> None:
    masked = f"a\n b {mask('token', 'x')} c {mask('token', 'y')}"
    line = " ".join(masked.split())
    for most in range(2, len(line) + 2):
        shown = in_one_line(masked, most)
        assert len(shown) <= most
        assert shown.count("[redacted") == shown.count("]")
    assert shown == line
