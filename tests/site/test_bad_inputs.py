"""Malformed, odd and hostile files, each with the verdict that its manifest expects, or with why it differs."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from sitegen.errors import ReadError
from sitegen.html import markdown
from sitegen.inputs import discover, source_files
from sitegen.readers.run_file import RunFile
from tests.site.test_build import problems, rows
from tests.support import site_checks
from tests.support.clock import seconds_since
from tests.support.command import sitegen
from tests.support.reading import read_source

pytestmark = pytest.mark.blank_charts

IGNORED = "ignored: nobody named it and no reader knows it; named, it is skipped with the code of the manifest"
SUM = "the cost that is reported and the costs by model differ by more than half a cent, which is always said"
LONG = "a name that is shown shortened is always said to be"
LOWER_BOUND = "tokens are those of the main loop only, a lower bound, which is always said"

ARGUED: dict[str, tuple[str, str, str]] = {
    "a005_text.txt": ("ignored", "", IGNORED),
    "a032_ctrl_in_string.json": (
        "accept+warn",
        "W_NOISE",
        "a line end in a string is what a terminal leaves in a copy",
    ),
    "a020_extra_brace.json": (
        "accept+warn",
        "W_NOISE",
        "a whole result is there, and a brace behind it is noise",
    ),
    "c000_null.json": ("ignored", "", IGNORED),
    "c001_true.json": ("ignored", "", IGNORED),
    "c002_number.json": ("ignored", "", IGNORED),
    "c003_string.json": ("ignored", "", IGNORED),
    "c004_empty_array.json": ("ignored", "", IGNORED),
    "c005_empty_object.json": ("ignored", "", IGNORED),
    "c006_array_of_numbers.json": ("ignored", "", IGNORED),
    "c017_package_json.json": ("ignored", "", IGNORED),
    "d010_session_id.json": ("accept+warn", "W_LIMIT", LONG),
    "d031_total_cost_usd.json": (
        "accept+warn",
        "W_RANGE",
        "a cost above zero that is next to nothing is no cost",
    ),
    "d036_modelUsage.json": ("accept+warn", "W_USAGE_ONLY", LOWER_BOUND),
    "d037_modelUsage.json": ("accept+warn", "W_USAGE_ONLY", LOWER_BOUND),
    "d040_modelUsage.json": ("accept+warn", "W_SUM", SUM),
    "d041_modelUsage.json": ("accept+warn", "W_SUM", SUM),
    "e002_dup_keys_nested.json": (
        "accept",
        "",
        "the generator looks for a key without a blank and so doubles nothing",
    ),
    "e019_many_digits_float.json": ("accept+warn", "W_SUM", SUM),
}
"""File -> verdict, code and reason, where they are not those of the manifest."""


@dataclass(frozen=True)
class Expected:
    """A row of the manifest."""

    file: str
    verdict: str
    code: str


@pytest.fixture(scope="session")
def bad_inputs(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the generated files."""
    folder = tmp_path_factory.mktemp("bad") / "inputs"
    generator = shared / "hostile" / "make_bad_inputs.py"
    subprocess.run(
        [sys.executable, "-X", "utf8", generator, folder], check=True, stdout=subprocess.DEVNULL
    )
    return folder


def manifest(folder: Path, rows: str) -> list[Expected]:
    with (folder / "MANIFEST.csv").open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    chosen = [row for row in found if row["file"][0] in rows]
    assert chosen
    return [Expected(row["file"], row["tool_should"], row["code"]) for row in chosen]


def verdict(name: str, data: bytes, *, named: bool) -> tuple[str, list[str]]:
    """What is done with a file, and its codes."""
    try:
        runs = read_source(RunFile.of(name, data), named=named)
    except ReadError as error:
        return "skip", [error.code]
    if runs is None:
        return "ignored", []
    codes = [caveat.code for run in runs for caveat in run.caveats]
    return "accept+warn" if codes else "accept", codes


def test_verdicts_are_those_of_the_manifest_or_argued(bad_inputs: Path) -> None:
    differences = []
    for row in manifest(bad_inputs, "abcde"):
        expected, code = ARGUED[row.file][:2] if row.file in ARGUED else (row.verdict, row.code)
        found, codes = verdict(row.file, (bad_inputs / row.file).read_bytes(), named=False)
        if found != expected or (code and code not in codes):
            differences.append((row.file, expected, code, found, codes))
    assert differences == []


def test_every_argued_verdict_differs_from_the_manifest(bad_inputs: Path) -> None:
    rows = {row.file: row for row in manifest(bad_inputs, "abcde")}
    assert [
        file for file in ARGUED if ARGUED[file][:2] == (rows[file].verdict, rows[file].code)
    ] == []


def test_ignored_files_have_the_manifests_code_when_they_were_named(bad_inputs: Path) -> None:
    rows = {row.file: row for row in manifest(bad_inputs, "ac")}
    for file in (file for file, argued in ARGUED.items() if argued[0] == "ignored"):
        assert verdict(file, (bad_inputs / file).read_bytes(), named=True) == (
            "skip",
            [rows[file].code],
        )


PLAIN = "the manifest accepts it; it is above a bound of markdown, so it is shown as plain text, and that is said"
ARGUED_LOAD: dict[str, tuple[str, str, str]] = {
    "f001_result_1mb.json": ("accept+warn", "W_MD_LIMIT", PLAIN),
    "f002_one_line_1mb.json": ("accept+warn", "W_MD_LIMIT", PLAIN),
    "f007_quotes.json": ("accept+warn", "W_MD_LIMIT", PLAIN),
    "f008_fence_scala.json": ("accept", "", "our lexers are linear, so nothing has to be said"),
    "f009_fence_js.json": (
        "accept+warn",
        "W_MD_LIMIT",
        "colours are a part of the summary and have no code of their own",
    ),
    "f010_fence_java.json": ("accept", "", "our lexers are linear, so nothing has to be said"),
    "g016_crc.zip": (
        "skip member",
        "E_ARCHIVE_DAMAGED",
        "its bytes are no text at all, so no JSON was looked for",
    ),
}
"""The same for heavy summaries and archives."""


def test_heavy_summaries_have_the_verdicts_of_the_manifest_or_argued(bad_inputs: Path) -> None:
    for row in manifest(bad_inputs, "f"):
        (run,) = (
            read_source(RunFile.of(row.file, (bad_inputs / row.file).read_bytes()), named=False)
            or ()
        )
        start = time.process_time()
        rendered = markdown.render(run.texts.summary or "")
        assert seconds_since(start) < 1, row.file
        assert len(rendered.html) <= 20 * len(run.texts.summary or ""), row.file
        found = ("accept+warn", "W_MD_LIMIT") if rendered.notes else ("accept", "")
        assert (run.caveats, found) == (
            (),
            ARGUED_LOAD.get(row.file, (row.verdict, row.code))[:2],
        ), row.file


def test_archives_have_the_verdicts_of_the_manifest_or_argued(bad_inputs: Path) -> None:
    for row in manifest(bad_inputs, "g"):
        (source,) = discover.discover([bad_inputs / row.file]).sources
        refused, read = [], 0
        for _, content in source_files.contents(source):
            if isinstance(content, ReadError):
                assert len(content.reason) < 100
                refused.append(content.code)
            else:
                read += 1
                assert content is not None
        expected, code = ARGUED_LOAD.get(row.file, (row.verdict, row.code))[:2]
        assert refused == ([code] if expected.startswith("skip") else []), row.file
        assert (read > 0) == (
            expected == "accept" or row.file in ("g001_slip.zip", "g007_symlink.tar.gz")
        ), row.file


def test_files_with_hostile_names_are_found_under_safe_and_unique_paths(bad_inputs: Path) -> None:
    listed = [
        json.loads(f'"{row.file}"').encode("utf-8", "surrogateescape")
        for row in manifest(bad_inputs, "h")
    ]
    names = {name.removeprefix(b"h/") for name in listed}
    expected = names - {b".hidden.json", rb"bad\xff\xfename.json"} | {
        b"bad\xff\xfename.json"
    }  # which is no UTF-8
    found = discover.discover([bad_inputs / "h"])
    assert found.ignored == (".hidden.json",)
    assert not found.problems
    assert {os.fsencode(Path(source.location).name) for source in found.sources} == expected
    assert len(found.sources) == len({source.path for source in found.sources}) == len(expected)
    for source in found.sources:
        assert source.path.isprintable()
        data = discover.read_bytes(source)
        assert verdict(source.path, data, named=False) == ("accept", [])
    paths = {source.path for source in found.sources}
    assert {
        "new%0Aline.json",
        "%E2%80%AEgpj.json",
        "bad%FF%FEname.json",
        "a%2f..%2fb.json",
    } <= paths


# As a site

UUID = "22222222-2222-4222-8222-222222222222"
"""Of nearly all generated files."""
LARGE = {"f001_result_1mb.json", "f002_one_line_1mb.json"}
"""Summaries of a megabyte: the manifest accepts them, and they are shown as plain text with a warning."""


@pytest.fixture(scope="module")
def own_uuids(bad_inputs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with rows a to e, h and two large summaries, in which no file repeats another's uuid.

    With one uuid the builder would show them as one run, or as runs in dispute. Bytes are replaced and not values,
    because most files are not JSON: so each keeps its damage, its length and its encoding.
    """
    folder = tmp_path_factory.mktemp("site") / "inputs"
    (folder / "h").mkdir(parents=True)
    for number, path in enumerate(sorted(path for path in bad_inputs.rglob("*") if path.is_file())):
        name = path.relative_to(bad_inputs)
        if name.parts[0][0] in "abcdeh" or name.name in LARGE:
            data = path.read_bytes()
            for encoding in ("ascii", "utf-16-le", "utf-32-le"):
                data = data.replace(
                    UUID.encode(encoding), f"{number:08}{UUID[8:]}".encode(encoding)
                )
            (folder / name).write_bytes(data)
    return folder


@pytest.fixture(scope="module")
def built(own_uuids: Path) -> Path:
    """The site of that folder, built by the command."""
    done = sitegen("build", own_uuids, "-o", "site", cwd=own_uuids.parent)
    assert "Traceback" not in done.stderr
    assert done.returncode == 0, done.stderr
    return own_uuids.parent / "site"


def test_a_site_of_bad_inputs_says_of_each_file_what_its_reader_says(
    own_uuids: Path, built: Path
) -> None:
    sources = discover.discover([own_uuids]).sources
    verdicts = {s.path: verdict(s.path, discover.read_bytes(s), named=False) for s in sources}
    shown = {row["path"]: row["warnings"] for row in rows(built)}
    listed: dict[tuple[str, str], set[str]] = {}
    for problem in problems(built):
        listed.setdefault((problem["file"], problem["verdict"]), set()).add(problem["code"])
    expected = {
        path: sorted({*codes, *(("W_MD_LIMIT",) if path in LARGE else ())})
        for path, (found, codes) in verdicts.items()
        if found.startswith("accept")
    }
    assert len(expected) > 100
    assert len(rows(built)) == len(shown)
    assert shown == expected
    assert listed == {
        **{(path, "accept+warn"): set(codes) for path, codes in expected.items() if codes},
        **{
            (path, "skip"): set(codes)
            for path, (found, codes) in verdicts.items()
            if found == "skip"
        },
    }


def test_a_site_of_bad_inputs_is_sound(built: Path) -> None:
    assert site_checks.findings(built) == []
