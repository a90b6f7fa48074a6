"""The content of a pack, member by member, as the files and settings of a case come to it."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from sitegen.collect import collect
from sitegen.config import Config
from sitegen.errors import PublishError
from sitegen.masking.redact import Redactor
from sitegen.publish.pack import pack
from tests.conftest import ROOT
from tests.support import cases, scenarios

CASES = [
    path for path in cases.inputs(ROOT / "tests" / "publish" / "cases") if path.suffix == ".yaml"
]
VOLATILE = {*scenarios.VOLATILE, "version", "settings_digest", "patch_key"}


def without_volatile(value: Any) -> Any:
    """Return a value of JSON without what differs between machines and versions."""
    if isinstance(value, dict):
        return {key: without_volatile(part) for key, part in value.items() if key not in VOLATILE}
    return [without_volatile(part) for part in value] if isinstance(value, list) else value


def packed(case: Path, folder: Path) -> bytes:
    settings = scenarios.config_of(case, folder)
    redactor = Redactor.for_this_machine(settings.redact)
    facts = collect(settings, redactor, lambda _, items: items)
    return pack(settings, facts, redactor, "digest of the settings")


@pytest.mark.parametrize("case", CASES, ids=cases.name_of)
def test_a_pack_holds(case: Path, tmp_path: Path, refresh: bool) -> None:
    with zipfile.ZipFile(BytesIO(packed(case, tmp_path))) as archive:
        members = {
            f"{number}: {name.partition('/')[0]}": without_volatile(
                [json.loads(line) for line in archive.read(name).splitlines()]
            )
            for number, name in enumerate(archive.namelist())
        }
    text = json.dumps(members)
    assert str(tmp_path) not in text and "Heron" not in text
    cases.compare(case, members, refresh=refresh)


@pytest.mark.parametrize("change", ["patch", "run"])
def test_what_changed_since_it_was_read_is_not_packed(tmp_path: Path, change: str) -> None:
    settings = scenarios.config_of(CASES[0], tmp_path)
    facts = scenarios.collected(settings)
    (changed,) = tmp_path.rglob("1.diff" if change == "patch" else "2.jsonl")
    changed.write_text(changed.read_text(encoding="utf-8") + "+more\n", encoding="utf-8")
    with pytest.raises(PublishError, match=r"could not be packed: .*changed"):
        pack(settings, facts, Redactor(), "")


@pytest.mark.parametrize(
    ("target", "is_kept"),
    [("/srv/heron/tide.py", True), ("/srv/other/tide.py", False), ("tide.py", False)],
)
def test_the_folder_of_a_run_is_packed_only_where_its_steps_name_it(
    target: str, *, is_kept: bool, tmp_path: Path
) -> None:
    common = {
        "sessionId": "7d0c2b9e-41aa-4a0c-9d52-3f4c1c6f0b77",
        "version": "2.0.1",
        "cwd": "/srv/heron",
        "isSidechain": False,
    }
    usage = {
        "input_tokens": 1,
        "output_tokens": 2,
        "cache_read_input_tokens": 0,
        "cache_creation_input_tokens": 0,
    }
    call = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": target}}
    message = {
        "id": "m1",
        "role": "assistant",
        "type": "message",
        "model": "claude-sonnet-4-5-20250929",
        "content": [call],
        "usage": usage,
    }
    records = [
        {**common, "type": "user", "uuid": "u", "parentUuid": None}
        | {"timestamp": "2026-11-01T08:00:00.000Z"}
        | {"message": {"role": "user", "content": "Do it"}},
        {**common, "type": "assistant", "uuid": "a", "parentUuid": "u", "requestId": "r"}
        | {"timestamp": "2026-11-01T08:01:00.000Z", "message": message},
    ]
    (tmp_path / "1.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in records))
    settings = Config.model_validate({"inputs": [str(tmp_path / "1.jsonl")]})
    facts = collect(settings, Redactor(), lambda _, items: items)
    assert facts.entries[0].run.cwd == "/srv/heron"
    with zipfile.ZipFile(BytesIO(pack(settings, facts, Redactor(), ""))) as archive:
        (name,) = (name for name in archive.namelist() if name.startswith("runs/"))
        text = archive.read(name).decode()
    assert ('"/srv/heron"' in text) is is_kept
