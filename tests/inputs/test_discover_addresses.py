"""What is found at an address: by its listing, a single file, or a pattern; the store is a table of names."""

from __future__ import annotations

from typing import Any

import pytest

from sitegen.errors import ConfigError
from sitegen.inputs import discover as module
from sitegen.inputs.discover import Neighbours, discover
from sitegen.remote.stored_files import RemoteEntry
from sitegen.system.address import Address

FILES = (
    "1.json",
    "x/2.json",
    "x/notes.txt",
    ".hidden.json",
    "node_modules/3.json",
    "site/.sitegen.json",
    "site/4.json",
)
ROOT = "s3://bucket/runs"


def stored(url: str, kind: str = "file") -> RemoteEntry:
    address = Address(url, 7, "v1") if kind == "file" else Address(url)
    return RemoteEntry(url.rpartition("/")[2], address, kind)


class Listing:
    """The folders below an address."""

    def __init__(self, url: str) -> None:
        self.folders: dict[str, dict[str, RemoteEntry]] = {}
        for path in (f"{ROOT}/{name}" for name in FILES):
            if path.startswith(f"{url}/"):
                *above, _ = path.removeprefix(f"{url}/").split("/")
                folder = url
                for part in above:
                    below = f"{folder}/{part}"
                    self.folders.setdefault(folder, {})[part] = stored(below, "directory")
                    folder = below
                self.folders.setdefault(folder, {})[path] = stored(path)

    def entries(self, folder: str) -> list[RemoteEntry]:
        return sorted(self.folders.get(folder, {}).values(), key=lambda entry: entry.name)

    def holds(self, folder: str, name: str) -> bool:
        return any(entry.name == name for entry in self.entries(folder))


@pytest.fixture(autouse=True)
def store(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = {f"{ROOT}/{name}": "file" for name in FILES} | {ROOT: "directory"}
    kinds["s3://bucket/odd"] = "other"

    def look_at(url: str) -> RemoteEntry | None:
        if url == "s3://bucket/refused":
            raise PermissionError(13, "Permission denied")
        return stored(url, kinds[url]) if url in kinds else None

    monkeypatch.setattr(module.stored_files, "Folder", Listing)
    monkeypatch.setattr(module.stored_files, "look_at", look_at)
    monkeypatch.setattr(module.clients, "checked", lambda url: url.rstrip("/"))
    monkeypatch.setattr(
        module.stored_files, "names_beside", lambda _: frozenset(("1.json", "1.diff"))
    )
    monkeypatch.setattr(
        module.stored_files,
        "beside",
        lambda address, name: Address(f"{address.url.rpartition('/')[0]}/{name}", 3),
    )


def paths(url: str, **options: Any) -> list[str]:
    return [source.path for source in discover([url], **options).sources]


def test_all_below_an_address_is_found_as_in_a_folder() -> None:
    found = discover([f"{ROOT}/"])
    assert [source.path for source in found.sources] == ["1.json", "x/2.json", "x/notes.txt"]
    assert found.ignored == (".hidden.json", "node_modules/", "site/")
    assert found.sites == 1
    first = found.sources[0]
    assert first.address == Address(f"{ROOT}/1.json", 7, "v1")
    assert (first.size, first.named, first.within) == (7, False, "1.json")
    assert first.location == str(first.address.as_path)


def test_what_is_excluded_or_ignored_is_not_mentioned() -> None:
    assert paths(ROOT, exclude=[f"{ROOT}/x"]) == ["1.json"]
    assert paths(ROOT, ignore=["*.txt"]) == ["1.json", "x/2.json"]


def test_a_file_at_an_address_is_its_name() -> None:
    (source,) = discover([f"{ROOT}/x/2.json"]).sources
    assert (source.path, source.named, source.size) == ("2.json", True, 7)
    (problem,) = discover(["s3://bucket/odd"]).problems
    assert (problem.path, problem.reason) == (
        "odd",
        "It cannot be read: it is not a regular file.",
    )


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.json", ["1.json"]),
        ("**/*.json", ["1.json", "x/2.json"]),
        ("x/*", ["2.json", "notes.txt"]),
        ("?", ["x/2.json", "x/notes.txt"]),
    ],
)
def test_patterns_are_those_of_folders(pattern: str, expected: list[str]) -> None:
    assert paths(f"{ROOT}/{pattern}") == expected


def test_an_address_that_leads_to_nothing_is_refused() -> None:
    with pytest.raises(ConfigError) as refused:
        discover(["s3://bucket/none", f"{ROOT}/*.csv"])
    assert str(refused.value).split("\n\n") == [
        "s3://bucket/none: there is no such file or folder. Check the spelling.",
        f"{ROOT}/*.csv: no file matches this pattern. Check it, and quote it so that the shell does not expand it.",
    ]
    with pytest.raises(ConfigError) as denied:
        discover(["s3://bucket/refused"])
    assert str(denied.value) == "s3://bucket/refused: permission denied."


def test_files_beside_a_run_at_an_address_are_there_too() -> None:
    run = discover([ROOT]).sources[0]
    (beside,) = Neighbours().find(run, ["1.diff", "none"])
    assert beside.address == Address(f"{ROOT}/1.diff", 3)
    assert (beside.path, beside.named) == ("1.diff", False)
    assert beside.location == str(beside.address.as_path)
