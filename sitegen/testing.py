"""The rules for readers, as one call for the tests of a reader: `check_reader(Tally(), {"a.tally": b"TALLY 3\\n"})`.

The built-in readers are held to the same. Nothing here knows a test framework: a rule that is broken is an
AssertionError that says which, for which file, and what it was made of.
"""

import json
import math
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from sitegen import readers
from sitegen.cache.memory import ValueKind, decoded, encoded
from sitegen.collect import collect
from sitegen.config import Config
from sitegen.errors import ReadError
from sitegen.masking.redact import Redactor, clean_text
from sitegen.model import TOKEN_KINDS, Run
from sitegen.readers import Reader, ReaderOfSteps
from sitegen.readers.common.sizes import bounded
from sitegen.readers.run_file import RunFile

MUTATIONS = 30
"""The number of mutations of each file."""
_STAMP = b"2026-05-01T08:00:00.1234567Z "
_TEXTS = (
    "<script>alert(1)</script>",
    "\x1b[31m\x00\u202e\ud800",
    "../../etc/passwd",
    "x" * 100_000,
    "",
)
_HOSTILE: tuple[object, ...] = (
    *_TEXTS,
    -1,
    2**70,
    float("nan"),
    True,
    None,
    [],
    {},
    [[[[{"a": [None]}]]]],
)
_BYTES = (b"\x00", b"\xff\xfe", b"{", b'"', b"\n", b"[" * 2_000, b"\xed\xa0\x80", b"9" * 5_000)
_KEPT = ValueKind[Run]("run", Run)


def check_reader(reader: Reader, files: Mapping[str, bytes]) -> None:
    """Hold a reader to what `docs/contributing/readers.md` promises of it, by files that it reads.

    Of each it gives at least one run, twice the same; the order of keys in JSON changes nothing; a locator finds its
    run again, and steps are as many as counted; what is read survives cleaning, and writing and reading again. Whatever
    is done to a file, it raises nothing but ReadError. A build counts the same where the files are in another order or
    folder, lie there twice, or have other ends of lines or times before them, and no more of their beginnings. Raises:
    AssertionError.
    """
    for name, content in files.items():
        runs = _read(reader, name, content)
        assert runs, f"{reader.name}: {name}: no run is read"
        assert runs == _read(reader, name, content), (
            f"{reader.name}: {name}: reading it twice gives two answers"
        )
        for order in _reordered(content):
            again = _read(reader, name, order)
            same = [run.without_texts() for run in again] == [run.without_texts() for run in runs]
            assert same, f"{reader.name}: {name}: the order of keys changes what is read"
        for run in runs:
            _check_run(reader, name, content, run)
        for what, mutated in _mutations(content):
            _survives(reader, name, what, mutated)
    whole = _totals(reader, files)
    for what, changed in _changes(files):
        for figure, total in _totals(reader, changed).items():
            is_right = math.isclose(total, whole[figure], rel_tol=1e-9)
            if what == "cut":
                is_right |= total < whole[figure] or figure == "turns"
            assert is_right, f"{reader.name}: {what}: {figure} {whole[figure]} -> {total}"


def _totals(reader: Reader, files: Mapping[str, bytes]) -> dict[str, float]:
    """Return what a build counts of these files, with this reader beside all others; what no run knows adds nothing."""
    others = readers.installed()
    with TemporaryDirectory() as folder:
        for name, content in files.items():
            place = Path(folder, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        config = Config.model_validate({"inputs": [folder]})
        with patch.object(readers, "installed", lambda: (*others, reader)):
            runs = [
                entry.run for entry in collect(config, Redactor(), lambda _, items: items).entries
            ]
    found = {kind: [run.tokens.kind(kind) for run in runs] for kind in TOKEN_KINDS}
    found |= {"turns": [run.turns for run in runs]}
    costs = [run.cost_usd or 0 for run in runs]
    return {name: sum(value or 0 for value in values) for name, values in found.items()} | {
        "cost": math.fsum(costs)
    }


def _changes(files: Mapping[str, bytes]) -> Iterator[tuple[str, dict[str, bytes]]]:
    """Yield the files after each change, and what was done. Lines are those of JSON; a reader of other texts may want
    its own."""
    lines = {
        name: content.splitlines()
        for name, content in files.items()
        if b"\0" not in content and _json(content)
    }
    yield (
        "another order",
        {f"{len(files) - at}/{name}": files[name] for at, name in enumerate(files)},
    )
    yield "another folder", {f"outer/{name}": content for name, content in files.items()}
    yield "copies", {f"{copy}/{name}": content for copy in "ab" for name, content in files.items()}
    yield "CRLF", {**files, **{name: b"\r\n".join(own) + b"\r\n" for name, own in lines.items()}}
    yield (
        "time stamps",
        {
            **files,
            **{name: b"\n".join(_STAMP + line for line in own) for name, own in lines.items()},
        },
    )
    for part in range(1, 4):
        yield (
            "cut",
            {
                **files,
                **{name: b"\n".join(own[: len(own) * part // 4]) for name, own in lines.items()},
            },
        )


def _read(reader: Reader, name: str, content: bytes, locator: str | None = None) -> list[Run]:
    file = RunFile.of(name, content)
    if not reader.matches(file):
        return []
    return [bounded(run) for run in reader.read(file, locator)]


def _check_run(reader: Reader, name: str, content: bytes, run: Run) -> None:
    where = f"{reader.name}: {name}"
    assert isinstance(run, Run), f"{where}: {type(run).__name__} is not a Run"
    for figure in (run.cost_usd, run.wall_ms, run.turns, run.tokens.total, run.api_ms):
        assert figure is None or figure >= 0, f"{where}: a figure is negative"
    clean = Redactor().run(run)
    for text in (
        clean.texts.summary,
        *clean.texts.errors,
        *(part for row in clean.texts.fields for part in row),
    ):
        assert text is None or clean_text(text) == text, (
            f"{where}: a text is not clean after cleaning"
        )
    facts = clean.without_texts()
    assert decoded(_KEPT, encoded(facts)) == facts, (
        f"{where}: its facts are not the same after writing and reading"
    )
    if run.locator is not None:
        again = _read(reader, name, content, run.locator)
        assert again and again[0].texts == run.texts, (
            f"{where}: its locator {run.locator} leads to another run"
        )
    if isinstance(reader, ReaderOfSteps):
        steps = reader.steps(RunFile.of(name, content), run.locator, frozenset(), contents=True)
        numbers = [step.number for step in steps]
        assert numbers == list(range(len(numbers))), f"{where}: its steps are not numbered from 0"
        counted = run.steps.steps if run.steps else 0
        assert run.steps is None or len(numbers) == counted, (
            f"{where}: {len(numbers)} steps, {counted} are counted"
        )


def _survives(reader: Reader, name: str, what: str, content: bytes) -> None:
    try:
        runs = _read(reader, name, content)
        if isinstance(reader, ReaderOfSteps):
            for run in runs[:3]:
                for _ in reader.steps(
                    RunFile.of(name, content), run.locator, frozenset(), contents=True
                ):
                    pass
    except ReadError as error:
        assert error.reason, f"{reader.name}: {name}: a ReadError without a reason"
    except Exception as error:
        kind = type(error).__name__
        raise AssertionError(
            f"{reader.name}: {name}, {what}: {kind} instead of ReadError: {error}"
        ) from error


def _reordered(content: bytes) -> Iterator[bytes]:
    """Yield the file with the keys of all objects turned around, where it is JSON or lines of JSON."""
    values = _json(content)
    if values is not None:
        yield "\n".join(json.dumps(_turned(value)) for value in values).encode()


def _turned(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _turned(inner) for key, inner in reversed(value.items())}
    return [_turned(inner) for inner in value] if isinstance(value, list) else value


def _json(content: bytes) -> list[Any] | None:
    try:
        return [json.loads(content)]
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in content.decode().splitlines() if line.strip()]
    except ValueError:
        return None


def _mutations(content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the file cut, twisted, and with hostile values in every place; the same ones for the same file."""
    chance = random.Random(len(content))  # noqa: S311  for repetition
    yield "empty", b""
    for _ in range(MUTATIONS // 3):
        at = chance.randrange(len(content) + 1)
        yield f"cut at byte {at}", content[:at]
        piece = chance.choice(_BYTES)
        yield f"{piece[:4]!r} at byte {at}", content[:at] + piece + content[at + len(piece) :]
    values = _json(content) or []
    for _ in range(MUTATIONS // 3 if values else 0):
        hostile = chance.choice(_HOSTILE)
        number = chance.randrange(400)
        changed = [_replaced(value, hostile, [number]) for value in values]
        text = "\n".join(json.dumps(value) for value in changed)
        yield f"{str(hostile)[:20]!r} as value {number}", text.encode("utf-8", "replace")


def _replaced(value: Any, hostile: object, left: list[int]) -> Any:
    """Return the value with another in the place of the n-th in it."""
    left[0] -= 1
    if left[0] == 0:
        return hostile
    if isinstance(value, dict):
        return {key: _replaced(inner, hostile, left) for key, inner in value.items()}
    return (
        [_replaced(inner, hostile, left) for inner in value] if isinstance(value, list) else value
    )
