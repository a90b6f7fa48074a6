"""No run stops a build or changes what is masked of another: cells of data files are looked at one by one."""

from __future__ import annotations

import contextlib
import csv
import html
import io
import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.charts.axes import Frame
from sitegen.charts.chart_files import live_script
from sitegen.cli.commands import cli
from sitegen.errors import PublishError
from sitegen.html.data_scripts import script, texts_script
from sitegen.masking.final_scan import FinalScan
from sitegen.masking.redact import Redactor
from tests.support.campaigns import SONNET, bare, usage, write
from tests.support.secret_samples import ALNUM, Maker

MAKER = Maker(37)
GITHUB = "gh" + "p_" + MAKER.of(ALNUM, 36)
NAMES = [
    "password =",
    "PASSWORD=",
    "password ==",
    "password =>",
    "password:=",
    "password ->",
    "pwd =",
    "export DB_PASSWORD=\\",
    "# Password:",
    "**Password**:",
    "api_key:",
    '"secret": "',
    "token: |",
    "Authorization: Bearer",
    "mysql -p",
    "https://ann:",
    "The password is",
    "| password |",
    "-----BEGIN PRIVATE " + "KEY-----",
    "curl -u ann:",
]
PIECES = [
    *NAMES,
    GITHUB,
    GITHUB[:20],
    GITHUB[20:],
    MAKER.of(ALNUM, 40),
    "should be is None",
    "hunter2",
    "Tr0ub4dor&3x",
    "/home/amberx/x",
    "/home/",
    "amberx",
    "ann@harbour-post.org",
    "\n",
    " ",
    '"',
    "\\",
    "`",
    "|",
    "<b>",
    "&amp;",
    ",",
    "'",
    "</td>",
    "]]",
    "\\u0041",
    "\u200b",
    "=1+1",
    "@x",
    "#",
    "%41",
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=5).map("".join) | st.text(max_size=12)
RUN = st.fixed_dictionaries(
    {
        "result": TEXTS,
        "errors": st.lists(TEXTS, max_size=2),
        "service_tier": TEXTS,
        "claude_code_version": TEXTS,
        "structured_output": TEXTS,
        "permission_denials": st.lists(
            st.fixed_dictionaries(
                {"tool_name": TEXTS, "tool_input": st.fixed_dictionaries({"command": TEXTS})}
            ),
            max_size=1,
        ),
        "x": TEXTS,
        "session_id": TEXTS,
    }
)
META = st.fixed_dictionaries(
    {"note": TEXTS, "task": TEXTS, "labels": st.lists(TEXTS.filter(str.strip), max_size=2)}
)


def site_of(
    folder: Path, runs: dict[str, tuple[dict[str, Any], dict[str, Any]]], *options: str
) -> tuple[int, str]:
    for name, (changes, meta) in runs.items():
        record = json.dumps(bare(1, **changes, uuid=name))
        write(folder, {f"runs/{name}.json": record, f"runs/{name}.meta.json": json.dumps(meta)})
    with contextlib.chdir(folder):
        ran = CliRunner().invoke(
            cli, ["build", "runs", "-o", "site", "--no-cache", "-q", "-j", "1", *options]
        )
    return ran.exit_code, ran.output


def masks_of(site: Path, name: str) -> tuple[Any, ...]:
    """What is masked of a run: in its row, in what the search shows and on its page, but for numbers and neighbours."""

    def plain(text: str) -> str:
        return re.sub(r"(\[redacted: [^#\[\]]+) #\d+", r"\1", text)

    rows = json.loads((site / "data/runs.json").read_text("utf-8"))["runs"]
    row = next(each for each in rows if each["path"] == f"{name}.json")
    cells = csv.DictReader(io.StringIO((site / "data/runs.csv").read_text("utf-8")))
    line = next(each for each in cells if each["path"] == f"{name}.json")
    texts = (
        (site / "search/texts-0.js")
        .read_text("utf-8")
        .partition("JSON.parse(")[2]
        .removesuffix(");\n")
    )
    shown = next(each for each in json.loads(json.loads(texts)) if each[0] == row["id"])
    page = (site / row["page"]).read_text("utf-8")
    page = re.sub(r"(?s)<nav class=\"step\".*?</nav>", "", page)
    in_table = re.search(
        rf"(?s)<tr[^>]*>(?:(?!<tr).)*?{row['id']}\.html.*?</tr>",
        (site / "index.html").read_text("utf-8"),
    )
    found = [
        re.findall(r"\[redacted: [^\]]+|Withheld", plain(text))
        for text in (page, in_table[0] if in_table else "")
    ]
    return plain(json.dumps([row, line, shown])), found


@pytest.mark.sampled(3)
@settings(max_examples=8, deadline=None)
@given(st.tuples(*[st.tuples(RUN, META)] * 5))
def test_no_run_changes_what_is_masked_of_another(
    runs: tuple[tuple[dict[str, Any], dict[str, Any]], ...],
) -> None:
    middle, others = runs[0], runs[1:]
    seen = []
    for first, last in (others[:2], others[2:]):
        with TemporaryDirectory() as folder:
            code, said = site_of(Path(folder), {"a": first, "b": middle, "c": last})
            assert code in (0, 3), said
            seen.append(masks_of(Path(folder, "site"), "b"))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("name", NAMES)
def test_a_harmless_run_stops_no_build(tmp_path: Path, name: str) -> None:
    said = {"result": f"The bug was {name}\nshould be is None"}, {}
    above = {"result": name}, {}
    below = {"result": "Harbourlamp42 lamps are quiet at night."}, {}
    runs = {"a": above, "b": below, "c": said}
    code, output = site_of(tmp_path, runs)
    assert code == 0, output
    rows = {
        each["path"]: each
        for each in json.loads((tmp_path / "site/data/runs.json").read_text("utf-8"))["runs"]
    }
    assert rows["b.json"]["title"] == "Harbourlamp42 lamps are quiet at night."
    for path in (tmp_path / "site").rglob("*"):
        if path.suffix in (".html", ".js", ".csv") and path.parent.name != "runs":
            assert "redacted: password" not in path.read_text("utf-8"), path
    for form in ("csv", "json", "markdown"):
        with contextlib.chdir(tmp_path):
            ran = CliRunner().invoke(cli, ["export", "runs", "--format", form, "-o", f"x.{form}"])
        assert ran.exit_code == 0 and "Harbourlamp42" in (tmp_path / f"x.{form}").read_text(
            "utf-8"
        ), ran.output


CELLS = [
    "password ==",
    "should be",
    f'is {GITHUB} "x" \\ <&>\' \u2028',
    "=1",
    "a,b\nc",
    "\\",
    '"',
    "",
]


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("data/runs.json", json.dumps(CELLS, ensure_ascii=False).encode()),
        ("data/runs.json", json.dumps(dict.fromkeys(CELLS, 1), ensure_ascii=False).encode()),
        ("search/texts-0.js", script("sitegenSearch", CELLS)),
        (
            "data/rows.js",
            texts_script("sitegenRows", {"a": json.dumps(CELLS, ensure_ascii=False), GITHUB: "[]"}),
        ),
        (
            "data/rows.js",
            texts_script("sitegenRows", {f'<a b="c\\:{GITHUB}"> \\': "[]", '"\\"x': "[1]"}),
        ),
        (
            "data/rows.js",
            script(
                'sitegenSearch["texts-0"]', {f'"{cell}" \\:"': [f'\\"{cell}'] for cell in CELLS}
            ),
        ),
        (
            "feed.xml",
            "".join(f'<a b="{GITHUB}">{html.escape(each)}</a>' for each in CELLS).encode(),
        ),
        ("runs.md", "\n".join(f"| {each!r} | a |" for each in CELLS).encode()),
    ],
)
def test_only_the_cell_with_a_find_changes(path: str, content: bytes) -> None:
    scan = FinalScan(Redactor())
    shown, kinds = scan.finish(path, content)
    assert kinds == ("github token",)
    clean = scan.finish(path, content.replace(GITHUB.encode(), b"[redacted: github token #1]"))
    assert clean == (shown, ())
    assert scan.finish(path, shown) == (shown, ())
    with pytest.raises(PublishError, match="github token"):
        FinalScan(Redactor(), is_strict=True).finish(path, content)
    if path.endswith(".js"):
        assert shown.count(b"window.") == content.count(b"window.")


def test_cells_of_charts_are_looked_at_one_by_one() -> None:
    class Chart:
        def __init__(self, cells: list[str]) -> None:
            self.id, self.spec = "a", {"datasets": {"a": cells}, "config": {}}
            self.plot = SimpleNamespace(frame=Frame(1, 1, 1, 1))

    made = live_script([Chart(CELLS)])  # type: ignore[list-item]
    masked = live_script(
        [Chart([each.replace(GITHUB, "[redacted: github token #1]") for each in CELLS])]
    )  # type: ignore[list-item]
    assert FinalScan(Redactor()).finish("assets/charts-data.js", made) == (
        masked,
        ("github token",),
    )


def test_a_find_in_a_cell_is_a_problem_that_names_its_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hole in what is masked before: the redactor of runs is made blind for one text."""
    untouched = Redactor.run
    monkeypatch.setattr(
        Redactor, "run", lambda _, run: untouched(Redactor(off=frozenset({"github token"})), run)
    )
    runs = {
        "a": ({"service_tier": "x"}, {}),
        "b": ({"modelUsage": {GITHUB: usage(SONNET, 1)}}, {}),
        "c": ({}, {}),
    }
    code, said = site_of(tmp_path, runs)
    assert code == 0, said
    site = tmp_path / "site"
    for path in site.rglob("*"):
        assert path.is_dir() or GITHUB.encode() not in path.read_bytes(), path
    problems = json.loads((site / "data/problems.json").read_text("utf-8"))["problems"]
    assert {each["file"] for each in problems if each["code"] == "W_WITHHELD"} == {"b.json"}
    assert site_of(tmp_path, {}, "--strict")[0] == 4
