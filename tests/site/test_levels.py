"""What each level publishes of every text of a run, wherever a site, a pack or an export may show it."""

from __future__ import annotations

import json
import re
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from sitegen.collect import collect
from sitegen.config import Config, Input
from sitegen.inputs.discover import discover
from sitegen.masking.redact import Redactor
from sitegen.model import Denial, Level, Run, Status, TextKind, Texts
from sitegen.readers.common.builder import RunBuilder
from sitegen.readers.common.fields import field_kinds, kind_of
from sitegen.readers.run_file import RunFile
from tests.conftest import ROOT
from tests.support import campaigns
from tests.support.command import sitegen
from tests.support.marks import CORPUS, MARK, marked
from tests.support.reading import read_source

pytestmark = pytest.mark.blank_charts

TABLE = ROOT / "tests" / "fixtures" / "levels.txt"
"""A file of the corpus, a level, and what of the file is published from that level on; all else is content. `any` are
facts that a page shows only in some places, such as the model of a step."""


def stated() -> dict[str, set[tuple[str, str]]]:
    """Name of a file and label by level."""
    found: dict[str, set[tuple[str, str]]] = {}
    for line in TABLE.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            name, level, *labels = line.split()
            found.setdefault(level, set()).update((name, label) for label in labels)
    return found


def found_in(folder: Path) -> set[str]:
    """The marks in all files below a folder, and in what is packed there."""
    found = set[bytes]()
    for path in folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            found |= set(MARK.findall(data))
            if zipfile.is_zipfile(BytesIO(data)):
                with zipfile.ZipFile(path) as archive:
                    found |= {
                        mark
                        for name in archive.namelist()
                        for mark in MARK.findall(archive.read(name))
                    }
    return {mark.decode() for mark in found}


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("level", Level)
def test_every_string_of_the_corpus_is_published_from_its_level_on(
    tmp_path: Path, level: Level
) -> None:
    files, marks = marked(sorted(CORPUS.iterdir()))
    campaigns.write(tmp_path / "runs", files)
    campaigns.write(
        tmp_path, {"config.yaml": f"inputs: [runs]\nsteps: {level.value}\nsearch: all\n"}
    )
    for call in (
        ("build", "-o", "out/site"),
        ("build", "-o", "out/one.html"),
        ("pack", "-o", "out/pack.zip"),
        ("export", "-o", "out/runs.csv"),
        ("export", "-o", "out/runs.json"),
        ("build", "out/pack.zip", "--no-config", "-o", "out/of-pack"),
    ):
        done = sitegen(*call, "-q", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    table = stated()
    promised = {
        place
        for least in Level
        if level.lowest(least, level) is least
        for place in table.get(least, ())
    }
    promised &= set(marks.values())
    leaks = {marks[mark] for mark in found_in(tmp_path / "out")} - promised - table["any"]
    assert not leaks or level is Level.FULL, (
        f"{level} shows these, or {TABLE.name} lacks them: {sorted(leaks)}"
    )
    for site in ("site", "of-pack"):
        on_pages = {marks[mark] for mark in found_in(tmp_path / "out" / site / "runs")}
        assert promised <= on_pages, (
            f"{level}, {site}: not on the page of the run: {sorted(promised - on_pages)}"
        )


RUN = Run(
    "Tally log",
    Status.OK,
    session_title="title",
    task="task",
    texts=Texts(
        summary="summary",
        summary_origin="an earlier result",
        errors=("error",),
        denials=(
            Denial("Bash", "make", "input", is_target=True),
            Denial("Edit", "old_string: x", "input"),
        ),
        structured_output="data",
        fields=(
            ("a", "fact"),
            ("b", "said"),
            ("c", "told"),
            ("d", "seen"),
            ("e", "host"),
            ("f", "short"),
            ("g", "of a person"),
        ),
        field_kinds=(*TextKind, None, None),
    ),
)


def test_a_run_has_less_at_each_lower_level() -> None:
    none, outline, texts, full = map(RUN.at_level, Level)
    assert full == RUN and none.task == "task"
    assert none.texts == Texts(
        fields=RUN.texts.fields[:1] + RUN.texts.fields[5:6], field_kinds=(TextKind.FACT, None)
    )
    assert (none.session_title, outline.session_title) == (None, "title")
    assert (outline.texts.summary, outline.texts.errors) == ("summary", ("error",))
    assert [(each.wanted, each.input_json) for each in outline.texts.denials] == [
        ("make", ""),
        ("", ""),
    ]
    assert [name for name, _ in outline.texts.fields] == ["a", "b", "f", "g"]
    assert [name for name, _ in texts.texts.fields] == ["a", "b", "c", "f", "g"]


@pytest.mark.parametrize(
    "text",
    [
        "x" * 81,
        "two\nlines",
        "/srv/x",
        "~/x",
        "https://host/x",
        "C:\\x",
        "postgres://host",
        "a " * 50,
    ],
)
def test_a_text_that_nobody_classified_is_content_where_it_may_be(text: str) -> None:
    run = Run("Tally log", Status.OK, texts=Texts(fields=(("a", text), ("b", "on"))))
    assert run.at_level(Level.TEXTS).texts.fields == (("b", "on"),)
    assert run.at_level(Level.FULL).texts.fields == run.texts.fields


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("metadata.llm_config.base_url", TextKind.MACHINE),
        ("metadata.evalOutputDir", TextKind.MACHINE),
        ("config.agent.system_template", TextKind.PROMPT),
        ("config.prompts[2].role", TextKind.PROMPT),
        ("permission_denials[0].tool_input.old_string", TextKind.CONTENT),
        ("results.test_x - AssertionError: no such file", TextKind.CONTENT),
        ("metadata.agent_class", None),
        ("data.path.of", TextKind.FACT),
        ("data.path", TextKind.MACHINE),
    ],
)
def test_a_field_is_what_its_reader_says_else_what_its_name_usually_means(
    path: str, kind: TextKind | None
) -> None:
    assert kind_of(path, field_kinds(fact="data.path.of")) is kind


def test_a_thought_is_no_account_below_its_level() -> None:
    thought = Run(
        "Tally log", Status.OK, texts=Texts("Hm.", "its last thought", summary_kind=TextKind.PROMPT)
    )
    assert [thought.at_level(level).texts.summary for level in Level] == [None, None, "Hm.", "Hm."]


RESULT = json.loads((CORPUS / "result.json").read_bytes())


def said(word: str) -> dict[str, object]:
    return {
        **RESULT,
        "result": f"qword{word}",
        "uuid": f"5d3e9f10-0000-4000-8000-{abs(hash(word)) % 10**12:012}",
    }


def words(folder: Path) -> set[str]:
    kinds = (".html", ".js", ".json", ".csv")
    text = "".join(path.read_text("utf-8") for path in folder.rglob("*") if path.suffix in kinds)
    return set(re.findall("qword([a-z]+)", text))


@pytest.mark.parametrize(
    ("settings", "options", "shown"),
    [
        ("inputs: [open, {path: private, steps: none}]", (), {"open"}),
        ("inputs: [open, private, {path: private/deep, steps: none}]", (), {"open", "private"}),
        ("inputs: [{path: private, steps: none}, open]\nsteps: full", (), {"open"}),
        ("inputs: [open, {path: private, steps: full}]\nsteps: none", (), {"private", "deep"}),
        ("inputs: [open, {path: private, steps: full}]", ("--steps", "none"), set()),
        ("inputs: [open, {path: private, steps: none}]", ("--steps", "full"), {"open"}),
        ("inputs: [open, {path: private, steps: none}]", ("private/deep",), set()),
        ("inputs: [open, {path: private, steps: none}]", ("open",), {"open"}),
        ("inputs: [open, {path: private, steps: none}]", (".",), set()),
        (
            "campaigns: [{path: open, date: 2026-01-01}, {path: private, date: 2026-01-02, steps: none}]",
            (),
            {"open"},
        ),
    ],
)
def test_an_input_has_a_level_of_its_own(
    tmp_path: Path, settings: str, options: tuple[str, ...], shown: set[str]
) -> None:
    places = {"open/a.json": "open", "private/b.json": "private", "private/deep/c.json": "deep"}
    campaigns.write(tmp_path, {name: json.dumps(said(word)) for name, word in places.items()})
    campaigns.write(tmp_path, {"config.yaml": settings})
    done = sitegen("build", *options, "-c", "config.yaml", "-o", "site", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert words(tmp_path / "site") == shown
    if "steps: none}" in settings and not options:
        sitegen("build", "-o", "site", "--cache-dir", "cache", cwd=tmp_path)
        campaigns.write(tmp_path, {"config.yaml": settings.replace("steps: none", "steps: full")})
        assert sitegen("build", "-o", "site", "--cache-dir", "cache", cwd=tmp_path).returncode == 0
        assert words(tmp_path / "site") == {"open", "private", "deep"}, "the cache knows no level"


def test_a_pack_keeps_the_level_of_each_input(tmp_path: Path) -> None:
    places = {"open/a.json": "open", "private/b.json": "private"}
    campaigns.write(tmp_path, {name: json.dumps(said(word)) for name, word in places.items()})
    campaigns.write(
        tmp_path, {"config.yaml": "inputs: [open, {path: private, steps: none}]\nsteps: full\n"}
    )
    assert sitegen("pack", "-o", "pack.zip", cwd=tmp_path).returncode == 0
    with zipfile.ZipFile(tmp_path / "pack.zip") as archive:
        held = b"".join(archive.read(name) for name in archive.namelist())
    assert b"qwordopen" in held and b"qwordprivate" not in held
    done = sitegen("build", "pack.zip", "--no-config", "-o", "site", cwd=tmp_path)
    assert done.returncode == 0 and words(tmp_path / "site") == {"open"}
    assert (
        "none of 1 run, full of 1 run" in done.stdout
        or "full of 1 run, none of 1 run" in done.stdout
    )
    assert (
        sitegen(
            "build", "pack.zip", "--no-config", "--steps", "none", "-o", "less", cwd=tmp_path
        ).returncode
        == 0
    )
    assert words(tmp_path / "less") == set()


def test_a_file_in_several_inputs_has_the_lowest_of_their_levels(tmp_path: Path) -> None:
    campaigns.write(tmp_path, {"runs/a.json": "{}", "runs/in/b.json": "{}"})
    folder, inner = tmp_path / "runs", tmp_path / "runs" / "in"
    for inputs, levels in (
        ((folder, inner), (Level.FULL, Level.NONE)),
        ((inner, folder), (Level.NONE, Level.FULL)),
    ):
        sources = discover(inputs, levels=levels).sources
        assert {Path(source.location).name: source.level for source in sources} == {
            "a.json": Level.FULL,
            "b.json": Level.NONE,
        }


def test_a_title_of_a_session_names_a_run_unless_nothing_is_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RunBuilder, "session_title", "Repair the tide")
    campaigns.write(tmp_path, {"a.json": (CORPUS / "aider.json").read_bytes()})
    for level in Level:
        inputs = (Input(path=str(tmp_path / "a.json"), pattern=None, steps=level),)
        (entry,) = collect(Config(inputs=inputs), Redactor(), lambda _, items: items).entries
        assert entry.title == ("a" if level is Level.NONE else "Repair the tide")


@pytest.mark.parametrize(
    "record",
    [
        {
            "testdir": "/x/tide",
            "testcase": "tide",
            "model": "m",
            "edit_format": "diff",
            "tests_outcomes": None,
        }
        | {"exception": "openai.BadRequestError: SECRETPROMPT in 'messages'"},
        {
            "meta": {"item_id": "tide-1"},
            "commits": {"human": "0" * 40},
            "agent": {"status": "error"},
            "_sources": {},
        }
        | {"error": "openai.BadRequestError: SECRETPROMPT in 'messages'", "status": "error"},
    ],
)
def test_an_exception_that_may_quote_texts_is_content(record: dict[str, Any]) -> None:
    (run,) = (
        read_source(RunFile.of("run_summary.json", json.dumps(record).encode()), named=True) or ()
    )
    assert run.at_level(Level.OUTLINE).texts.errors == ("openai.BadRequestError",)
    assert "SECRETPROMPT" not in repr(run.at_level(Level.TEXTS)) and "SECRETPROMPT" in repr(run)
