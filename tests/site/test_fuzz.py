"""Whatever the bytes are, nothing raises, everything is bounded and safe: readers, markdown, CSV, scripts, archives.

The suite runs a bounded part. `python -m tests.site.test_fuzz --minutes 60 --seed 1` is the long run before a release: it
mutates the texts of tests/corpus and reports how many inputs it tried, or the first that broke a rule.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import html5lib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.errors import ReadError
from sitegen.html import markdown
from sitegen.html.data_scripts import script
from sitegen.html.markdown import output_limit
from sitegen.inputs import source_files
from sitegen.inputs.steps_again import published
from sitegen.masking.redact import Redactor, clean_text
from sitegen.model import Level, Run, Source, Unmasked
from sitegen.pages.text_tables import csv_cell
from sitegen.readers.run_file import RunFile
from sitegen.system.bounds import DEFAULT, Bounds
from sitegen.text.names import display_name, spelled_out
from tests.conftest import ROOT
from tests.html.test_markdown import assert_safe
from tests.support.campaigns import result
from tests.support.clock import seconds_since
from tests.support.raw_steps import raw_steps
from tests.support.reading import read_source

pytestmark = pytest.mark.slow

CORPUS = ROOT / "tests" / "corpus"
BOUNDS = Bounds(file_mb=1, stream_mb=1, archive_mb=2, archive_members=50)
SECONDS = 4.0
"""The suite's share for each target; a fixed seed makes it repeatable up to the speed of the machine."""


def check_reader(content: bytes) -> None:
    """A file is runs, nothing, or one sentence; and what is read can be cleaned and written."""
    for name in ("a.json", "a.log", "a.bin"):
        try:
            file = RunFile.of(name, content)
            runs = read_source(file, named=name == "a.bin") or ()
            for run in runs:
                steps = [
                    published(Unmasked(step), step.number, Redactor(), Level.FULL, bounds=DEFAULT)
                    for step in raw_steps(file, run.locator)
                ]
                assert len(steps) == (run.steps.steps if run.steps else len(steps))
        except ReadError as error:
            assert error.code != "E_READER", error
            assert error.reason and len(error.reason) < 500
            continue
        for run in map(Redactor(("/home/me",)).run, runs):
            check_run(run)


def check_run(run: Run) -> None:
    texts = run.texts
    names = [run.session_id, run.uuid, run.status_detail, *(line.model for line in run.ledger)]
    assert all(len(name) < 2000 for name in names if name)
    assert (
        sum(len(text) for text in (*texts.errors, *(d.input_json for d in texts.denials)))
        < 1_000_000
    )
    for figure in (run.cost_usd, run.wall_ms, run.turns, run.tokens.total):
        assert figure is None or figure >= 0
    for text in (
        texts.summary,
        texts.structured_output,
        *texts.errors,
        *(v for row in texts.fields for v in row),
    ):
        assert text is None or clean_text(text) == text
        (text or "").encode()


def check_markdown(content: bytes) -> None:
    text = (
        content.decode("utf-8", "surrogatepass" if b"\xed" in content else "replace")
        if _is_text(content)
        else ""
    )
    start = time.process_time()
    rendered = markdown.render(text)
    assert seconds_since(start) < 1
    assert len(rendered.html) <= output_limit(text) * 5 + 100
    assert_safe(rendered.html)
    assert spelled_out(spelled_out(display_name(text))) == spelled_out(display_name(text))


def _is_text(content: bytes) -> bool:
    try:
        content.decode("utf-8", "surrogatepass" if b"\xed" in content else "replace")
    except UnicodeDecodeError:
        return False
    return True


def check_sinks(content: bytes) -> None:
    """What is written for programs says the same after they have read it."""
    text = clean_text(content.decode("utf-8", "replace"))
    written = script("rows", {"a": [text, None, 1.5], text: text}).decode()
    assert not set(written) & set("<>&\u2028\u2029")
    literal = written.removeprefix("window.rows=JSON.parse(").removesuffix(");\n")
    assert json.loads(json.loads(literal)) == {"a": [text, None, 1.5], text: text}
    (line,) = csv.reader(io.StringIO(_csv_line(text), newline=""))
    # Wherever a spreadsheet may begin a cell, a sign that it would compute gets an apostrophe.
    assert line[0].replace("'", "") == text.replace("'", "") and line[1] == "1"
    assert not line[0].lstrip().startswith(("=", "+", "-", "@"))


def _csv_line(text: str) -> str:
    cells = io.StringIO(newline="")
    csv.writer(cells, lineterminator="\n").writerow([csv_cell(text), csv_cell(1)])
    return cells.getvalue()


def check_archive(content: bytes, folder: Path) -> None:
    for name in ("a.zip", "a.tar", "a.tar.gz", "a.json.gz"):
        (folder / name).unlink(
            missing_ok=True
        )  # what is overwritten, some file systems write at once
        (folder / name).write_bytes(content)
        source = Source(name, str(folder / name), False, len(content), within=name)
        for member, found in source_files.contents(source, BOUNDS):
            assert member.path.isprintable() and len(member.path) < 1200
            assert not isinstance(found, ReadError) or found.code != "E_READ", found
            if isinstance(found, RunFile):
                data = found.read()
                assert len(data) <= 1024 * 1024
                with source_files.opened(member, BOUNDS) as again:
                    assert again.read() == data
    assert len(list(folder.iterdir())) <= 4, "nothing is unpacked to the disk"


TARGETS: dict[str, tuple[str, Callable[[bytes, Path], None]]] = {
    "reader": ("reader", lambda content, _: check_reader(content)),
    "markdown": ("markdown", lambda content, _: check_markdown(content)),
    "sinks": ("markdown", lambda content, _: check_sinks(content)),
    "archive": ("archive", check_archive),
}
"""Name -> folder of the corpus, and the rules."""

PIECES = [
    b"{",
    b"}",
    b"[",
    b"]",
    b'"',
    b",",
    b":",
    b"null",
    b"1e999",
    b"-1",
    b"\\ud800",
    b"\x00",
    b"\xff",
    b"\n",
    b"\\",
]
PIECES += [
    b"`",
    b"*",
    b"_",
    b"> ",
    b"- ",
    b"|",
    b"[^1]",
    b"![",
    b"](",
    b"<!--",
    b"https://",
    b"=",
    b"\xe2\x80\xae",
]
PIECES += [
    b'"result":',
    b'"modelUsage":',
    b"PK\x03\x04",
    b"PK\x01\x02",
    b"ustar",
    b"\x1f\x8b",
    b"../",
    b"\xff" * 4,
]


def mutated(seeds: Sequence[bytes], rng: random.Random) -> Iterator[bytes]:
    """The seeds themselves, then their mutations, without end."""
    yield from seeds
    while True:
        content = bytearray(rng.choice(seeds))
        for _ in range(rng.choice((1, 1, 2, 4, 16))):
            at = rng.randrange(len(content) + 1)
            match rng.randrange(6):
                case 0:
                    content[at:at] = rng.choice(PIECES) * rng.choice((1, 1, 3, 50))
                case 1:
                    del content[at : at + rng.choice((1, 4, 64))]
                case 2 if at < len(content):
                    content[at] = rng.randrange(256)
                case 3:
                    content[at : at + rng.choice((1, 4, 8))] = rng.choice(PIECES)
                case 4:
                    other = rng.choice(seeds)
                    begin = rng.randrange(len(other) + 1)
                    content[at:at] = other[begin : begin + rng.choice((4, 40, 400))]
                case _:
                    begin = rng.randrange(len(content) + 1)
                    content[at:at] = content[begin : begin + rng.choice((2, 20, 200))]
        yield bytes(content)


def fuzz(name: str, seconds: float, seed: int, folder: Path) -> int:
    """How many inputs kept the rules. Raises: AssertionError, or whatever got through, with the input noted."""
    corpus, check = TARGETS[name]
    seeds = [path.read_bytes() for path in sorted((CORPUS / corpus).iterdir())]
    end = time.monotonic() + seconds
    tried = 0
    for content in mutated(seeds, random.Random(seed)):  # noqa: S311
        if time.monotonic() > end:
            break
        try:
            check(content, folder)
        except BaseException as error:
            error.add_note(f"{name}: input {tried} of seed {seed}: {content[:2000]!r}")
            raise
        tried += 1
    return tried


@pytest.mark.parametrize("name", TARGETS)
def test_mutations_of_the_corpus_keep_the_rules(name: str, tmp_path: Path) -> None:
    assert fuzz(name, SECONDS, seed=1, folder=tmp_path) > 50


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=8,
)
FIELDS = sorted(result())


@given(
    st.dictionaries(
        st.sampled_from([*FIELDS, "errors", "structured_output", "stop_reason"]), JSON, max_size=6
    )
)
def test_any_value_in_any_field_is_read_or_refused(changes: dict[str, object]) -> None:
    check_reader(json.dumps({**result(), **changes}).encode())


@given(st.text())
def test_any_text_is_the_same_after_a_program_has_read_it(text: str) -> None:
    check_sinks(text.encode("utf-8", "replace"))


@given(st.text(max_size=200))
def test_a_name_that_is_told_apart_holds_nothing_unseen(text: str) -> None:
    name = spelled_out(clean_text(text))
    assert spelled_out(name) == name
    assert "  " not in name and not set(name) & set("\u200b\u00ad\u2060\ufeff\u202e")
    parsed = html5lib.parseFragment(f"<p>{name.replace('&', '').replace('<', '')}</p>")
    assert parsed is not None


def main() -> None:
    """The long run."""
    parser = argparse.ArgumentParser(description="Fuzz readers, markdown, sinks and archives.")
    parser.add_argument("--minutes", type=float, default=60, help="in all, shared by the targets")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("targets", nargs="*", choices=[*TARGETS, []], help="all, if none is named")
    given_ = parser.parse_args()
    targets = given_.targets or list(TARGETS)
    with tempfile.TemporaryDirectory() as folder:
        for name in targets:
            tried = fuzz(name, given_.minutes * 60 / len(targets), given_.seed, Path(folder))
            sys.stdout.write(f"{name}: {tried:,} inputs of seed {given_.seed}, none broke a rule\n")


if __name__ == "__main__":
    main()
