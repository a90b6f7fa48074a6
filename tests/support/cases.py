"""Cases that are data: what goes in is a file, and what has to come out is another beside it.

`python3 tests --refresh FILES OF TESTS` writes what comes out anew, and prints what changed.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from types import SimpleNamespace
from typing import Any

EXPECTED = ".expected.json"


def plain(value: Any) -> Any:
    """Return a value as JSON has it: of objects the fields that differ from their defaults."""
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: plain(part)
            for field in dataclasses.fields(value)
            if (part := getattr(value, field.name)) != default_of(field)
        }
    if isinstance(value, SimpleNamespace):
        return plain(vars(value))
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((plain(part) for part in value), key=str)
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return value if isinstance(value, str | int | float | None) else str(value)


def default_of(field: dataclasses.Field[Any]) -> object:
    """Return the default of a field; one that has none differs from all values."""
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def text_of(value: Any) -> str:
    """Return a value as the text of an expected file."""
    return json.dumps(plain(value), indent=1, ensure_ascii=True, sort_keys=True) + "\n"


def inputs(folder: Path) -> list[Path]:
    """Return the cases in a folder and below: the files that no other is expected of."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    found = [path for path in files if not path.name.endswith(EXPECTED)]
    assert len(set(map(expected_of, found))) == len(found), "two cases differ by their ending alone"
    return found


def name_of(case: Path) -> str:
    """Return what a test of a case is called."""
    return f"{case.parent.name}/{case.name}"


def expected_of(case: Path) -> Path:
    """Return the file that says what has to come out of a case."""
    return case.with_name(case.name.partition(".")[0] + EXPECTED)


def compare(case: Path, value: Any, *, refresh: bool, expected: Path | None = None) -> None:
    """Compare what comes out of a case with what has to; or write that anew, and print what changed."""
    file = expected or expected_of(case)
    new = text_of(value)
    old = file.read_text(encoding="utf-8") if file.exists() else ""
    if refresh and new != old:
        changed = difflib.unified_diff(old.splitlines(), new.splitlines(), file.name, "now", n=1)
        print("\n".join(changed))
        file.write_text(new, encoding="utf-8")
    elif not refresh:
        assert json.loads(new) == json.loads(old), f"{file} differs; --refresh writes it anew"
