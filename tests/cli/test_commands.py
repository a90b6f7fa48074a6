"""The commands but build and serve: what they say and exit with, run in this process."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sitegen.cli.commands import _figures, _written, cli
from sitegen.cli.running import Call
from sitegen.errors import ConfigError
from sitegen.masking.redact import Redactor
from sitegen.pages.findings import Finding
from tests.support import campaigns
from tests.support.campaigns import OPUS, result

Command = Callable[..., object]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with two runs in `runs`."""
    monkeypatch.chdir(tmp_path)
    return campaigns.write(tmp_path, {f"runs/{n}.json": result(n) for n in (1, 2)})


@pytest.fixture
def run(here: Path, said: list[str]) -> Command:
    """Run a command in the working folder: its exit code; `said` has what it alone has said."""

    def called(*arguments: str) -> object:
        assert Path.cwd() == here
        said.clear()
        with pytest.raises(SystemExit) as ended:
            cli.main(args=list(arguments), prog_name="sitegen")
        return ended.value.code

    return called


RUNS = [
    "out: run      1.json  ok, $0.01, Claude Code result",
    "out: run      2.json  ok, $0.03, Claude Code result",
]
KNOWN = (
    "out: 1 agent: Claude Code; 1 model: Claude Sonnet 4.5; no run has a task (docs/patterns.md)"
)


# check


def test_check_lists_runs_and_what_was_recognised(run: Command, said: list[str]) -> None:
    assert run("check", "runs") == 0
    counted = "out: 2 runs; 0 problems, 0 ignored"
    assert said == ["out: settings: none", *RUNS, counted, KNOWN]
    assert run("check", "runs", "-v") == 0
    names = ["out: agent    Claude Code: 2 runs", "out: model    Claude Sonnet 4.5: 2 runs"]
    assert said == ["out: settings: none", *RUNS, counted, *names, KNOWN]
    assert run("check", "runs", "-q", "-v") == 0
    assert said == []


def test_check_without_a_run_exits_with_4(run: Command, said: list[str], here: Path) -> None:
    (here / "empty").mkdir()
    assert run("check", "empty", "-q") == 4
    assert said == ["err red: sitegen: no runs found: a build would publish nothing"]


def test_check_ends_with_strictness_and_gates(run: Command, said: list[str], here: Path) -> None:
    campaigns.write(here, {"runs/3.json": "", "c.yaml": "inputs: [runs]"})
    assert run("check", "-c", "c.yaml", "-q") == 0
    assert run("check", "-c", "c.yaml", "-q", "--strict") == 1
    assert said == ["err red: 1 problem, and --strict was given"]
    campaigns.write(here, {"c.yaml": "inputs: [runs]\ngates: {runs: {min: 5}}"})
    assert run("check", "-c", "c.yaml", "-q", "--strict") == 3
    assert said[1].startswith("err red: gate failed: Runs, ")


def test_check_says_the_factors_of_a_study(run: Command, said: list[str], here: Path) -> None:
    settings = "inputs: [{path: runs, pattern: 'task-{skill}.json'}]"
    campaigns.write(here, {"runs/task-with.json": result(3), "c.yaml": settings})
    assert run("check", "-c", "c.yaml") == 0
    assert [line for line in said if "factor" in line] == [
        "out: factor   agent: configuration (always)",
        "out: factor   model: configuration (always)",
        "out: factor   skill: configuration"
        " (too few tasks have two runs to tell whether it is a property of tasks)",
    ]


def test_check_for_programs_has_what_it_found(run: Command, said: list[str]) -> None:
    assert run("check", "runs", "--json") == 0
    answer = json.loads(said[-1].removeprefix("out: "))
    assert (answer["command"], answer["exit_code"]) == ("check", 0)
    assert [each["file"] for each in answer["runs"]] == ["1.json", "2.json"]
    assert {line[:4] for line in said[:-1]} == {"err:"}


@pytest.fixture
def pages(here: Path) -> None:
    """Settings with a page that has a number in it."""
    campaigns.write(here, {"c.yaml": "inputs: [runs]\npages: [p.md]", "p.md": "# P\n\n12 turns.\n"})


TYPED = 'p.md:3: 12 is typed by hand; {{ figure("total_turns") }} has this value.'


@pytest.mark.usefixtures("pages")
def test_check_of_pages_builds_a_site_elsewhere_and_says_what_showed(
    run: Command, said: list[str], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders: list[Path] = []

    def build_site(site: Any, progress: Any, on_wait: Any, *, workers: Any, into: Path) -> Any:
        assert list(progress("Rendering", [1, 2])) == [1, 2]
        on_wait("Another build is waited for.")
        assert site.own_pages[0].path and workers.count >= 1
        folders.append(into)
        assert into.parent.is_dir()
        found = Finding("build", "The library is missing."), Finding("settings", "Not again.")
        return SimpleNamespace(findings=found)

    monkeypatch.setattr("sitegen.build.build_site", build_site)
    assert run("check", "-c", "c.yaml", "--pages", "--strict") == 1
    assert said == [
        "out: settings: c.yaml",
        "err: Another build is waited for.",
        *RUNS,
        f"err yellow: {TYPED}",
        "err yellow: The library is missing.",
        "out: 2 runs; 2 warnings, 0 ignored",
        KNOWN,
        "err red: 2 warnings, and --strict was given",
    ]
    assert [(folder.name, folder.parent.exists()) for folder in folders] == [("site", False)]
    assert here not in folders[0].parents


@pytest.mark.usefixtures("pages")
def test_check_of_pages_ends_with_what_leads_nowhere(
    run: Command, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def build_site(*_: Any, **__: Any) -> Any:
        raise ConfigError("p.md:3: the site has no page y.html.")

    monkeypatch.setattr("sitegen.build.build_site", build_site)
    assert run("check", "-c", "c.yaml", "--pages", "-q") == 2
    assert said == ["err red: p.md:3: the site has no page y.html."]
    assert run("check", "-c", "c.yaml", "--pages") == 2
    assert f"err yellow: {TYPED}" in said
    assert run("check", "-c", "c.yaml") == 0
    assert f"err yellow: {TYPED}" not in said


# skill, schema, readers, judge


def test_the_skill_is_printed_as_it_is(run: Command, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("skill") == 0
    printed = capsys.readouterr().out
    assert printed.startswith("---\nname: ")
    assert printed.endswith("\n")
    assert not printed.endswith("\n\n")


def test_the_schema_is_indented_json(run: Command, said: list[str]) -> None:
    assert run("schema") == 0
    assert said[:2] == [
        "out: {",
        'out:   "$schema": "https://json-schema.org/draft/2020-12/schema",',
    ]
    text = "\n".join(line.removeprefix("out: ") for line in said)
    assert json.loads(text)["title"] == "Settings of sitegen"


def test_readers_are_listed_in_their_order(run: Command, said: list[str]) -> None:
    assert run("readers") == 0
    assert said[:2] == [
        "out: claude-transcript  Claude Code",
        "out: codex-exec         Codex stream",
    ]
    assert said[-2:] == [
        "out: claude             Claude Code",
        "out: docs/contributing/readers.md explains how to write one.",
    ]


def test_an_installed_reader_is_listed_with_its_package(
    run: Command, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = [("tide", "tide_log:read\n", "tide-log 1.2")]
    monkeypatch.setattr("sitegen.readers.installed_from", lambda: installed)
    run("readers")
    assert said[-2] == "out: tide               tide_log:read, installed with tide-log 1.2"


def test_judge_explains_both_ways(run: Command, said: list[str]) -> None:
    assert run("judge") == 0
    assert said == [
        "out: Two ways to say which runs passed:",
        "out: ",
        'out: 1. By hand, on the pages: sitegen serve RUNS, then "Judge" above the table of runs.'
        " Save the file",
        "out:    that the page offers, and name it in the settings: outcomes: [verdicts.csv]",
        "out: 2. In a table of your own, one row per attempt, named in the settings:"
        " outcomes: [outcomes.csv]",
        "out: ",
        "out:      task,model,attempt,outcome",
        "out:      fix-login,opus,1,pass",
        "out: ",
        "out: docs/outcomes.md explains the columns.",
    ]


# init


def test_init_writes_settings_and_says_what_they_lead_to(
    run: Command, said: list[str], here: Path
) -> None:
    assert run("init", "runs") == 0
    assert said == [
        "out: runs/config.yaml is written. Check `inputs` in it, then run:"
        " sitegen build -c runs/config.yaml",
        KNOWN,
    ]
    text = (here / "runs/config.yaml").read_text("utf-8")
    assert "\n  - .\n" in text
    assert "\nview: sessions\nrobots: noindex" not in text
    assert run("init", "runs") == 2
    assert said == ["err red: runs/config.yaml exists already; nothing was written."]
    assert (here / "runs/config.yaml").read_text("utf-8") == text


def of_folders(here: Path, *folders: str) -> None:
    """Write two runs into each of these folders of `q`."""
    campaigns.write(
        here,
        {
            f"q/{folder}/{n}.json": result(2 * number + n)
            for number, folder in enumerate(folders, 1)
            for n in (1, 2)
        },
    )


def inputs_in(settings: Path) -> list[str]:
    """The lines of the inputs of settings."""
    text = settings.read_text("utf-8")
    return text.partition("\ninputs:\n")[2].partition("\n# A pattern")[0].splitlines()


def test_init_writes_the_pattern_of_the_folders(run: Command, said: list[str], here: Path) -> None:
    of_folders(here, "csv/pi", "csv/opus", "tide/pi", "tide/opus")
    assert run("init", "q") == 0
    assert inputs_in(here / "q/config.yaml") == [
        "  - path: .",
        '    pattern: "{task}/{agent}/{attempt}.*"',
    ]
    assert said[1:] == [
        "out: 2 tasks: csv, tide; 2 agents: opus, pi; 1 model: Claude Sonnet 4.5; 2 attempts each;"
        " pattern {task}/{agent}/{attempt}.*"
    ]


def test_init_says_what_it_is_not_sure_of(run: Command, said: list[str], here: Path) -> None:
    of_folders(here, "csv/x", "csv/y", "tide/x", "tide/y")
    assert run("init", "q") == 0
    unsure = [
        "{_} is csv, tide here. If this matters, write {campaign}, {label}, or a name of your own"
        " such as {codebase}.",
        "Is this the task: x, y? If not, move {task}.",
    ]
    assert inputs_in(here / "q/config.yaml") == [
        "  - path: .",
        *(f"    # {comment}" for comment in unsure),
        '    pattern: "{_}/{task}/{attempt}.*"',
    ]
    assert said[2:] == [f"out yellow: not sure: {comment}" for comment in unsure]


def test_init_of_sessions_shows_sessions(run: Command, here: Path) -> None:
    stamp = {"timestamp": "2026-03-01T09:00:00.000Z", "sessionId": "s", "uuid": "u1"}
    asked = {"type": "user", "message": {"role": "user", "content": "Name the tide."}, **stamp}
    answer = {
        "role": "assistant",
        "id": "m",
        "model": OPUS,
        "content": [{"type": "text", "text": "Spring."}],
        "usage": {"input_tokens": 1, "output_tokens": 2},
    }
    said_back = {"type": "assistant", "message": answer, **stamp, "uuid": "u2", "parentUuid": "u1"}
    log = "".join(f"{json.dumps(record)}\n" for record in (asked, said_back))
    campaigns.write(here, {"q/s.jsonl": log})
    assert run("init", "q") == 0
    text = (here / "q/config.yaml").read_text("utf-8")
    assert "\nview: sessions\nrobots: noindex\n" in text
    assert "\n# view: sessions" not in text
    assert inputs_in(here / "q/config.yaml") == ["  - ."]


def test_init_in_the_working_folder_needs_no_name(run: Command, said: list[str]) -> None:
    assert run("init") == 0
    assert said[0] == "out: config.yaml is written. Check `inputs` in it, then run: sitegen build"


def test_init_leaves_the_settings_of_another_program(
    run: Command, said: list[str], here: Path
) -> None:
    campaigns.write(here, {"config.yaml": "model_list: [a]\nlitellm_settings: {}\n"})
    assert run("init") == 0
    assert said[0].startswith("out: sitegen.yaml is written.")


def test_init_quotes_a_name_for_the_shell(run: Command, said: list[str], here: Path) -> None:
    (here / "my runs").mkdir()
    assert run("init", "my runs") == 0
    assert said == [
        "out: my runs/config.yaml is written. Check `inputs` in it, then run:"
        " sitegen build -c 'my runs/config.yaml'"
    ]


def test_init_needs_a_folder(run: Command, said: list[str]) -> None:
    assert run("init", "none") == 2
    assert said == ["err red: none: there is no such folder. Check the spelling."]


# scan

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_scan_reports_places_and_exits_with_1(run: Command, said: list[str], here: Path) -> None:
    assert run("scan", "runs") == 0
    assert said == ["out: settings: none", "out: 0 findings in 2 files"]
    campaigns.write(here, {"runs/a.txt": f"x\n{TOKEN} {TOKEN[::-1]} {TOKEN}\n", "b.txt": TOKEN})
    assert run("scan", "runs", "b.txt") == 1
    assert said == [
        "out: settings: none",
        "out yellow: runs/a.txt:2: 2 × github token",
        "out yellow: b.txt:1: 1 × github token",
        "out: 3 findings in 4 files",
    ]
    assert run("scan", "runs", "b.txt", "--json") == 1
    answer = json.loads(said[-1].removeprefix("out: "))
    assert answer["findings"][1] == {"file": "b.txt", "line": 1, "kind": "github token", "count": 1}


def test_scan_masks_by_its_settings(run: Command, said: list[str], here: Path) -> None:
    campaigns.write(
        here, {"runs/a.txt": "Meet Tidewater.", "c.yaml": "redact: {literals: [Tidewater]}"}
    )
    assert run("scan", "runs", "-c", "c.yaml") == 1
    assert said[0] == "out: settings: c.yaml"
    assert said[1] == "out yellow: runs/a.txt:1: 1 × own literal"


# serve


def test_serve_hands_its_call_and_port_on(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[object] = []

    def preview(call: Call, port: int | None) -> int:
        given.extend((call.runs, call.jobs, port))
        return 1

    monkeypatch.setattr("sitegen.cli.serve.preview.preview", preview)
    assert run("serve", "runs", "--port", "0", "-j", "2") == 1
    assert given == [("runs",), 2, 0]


# pack, export


def test_a_pack_is_one_zip(run: Command, said: list[str], here: Path) -> None:
    assert run("pack", "runs", "-o", "x.txt") == 2
    assert said == ["err red: -o x.txt: the name of a pack has to end in .zip."]
    assert run("pack", "runs", "-o", "x.ZIP") == 0
    assert said == [
        "out: settings: none",
        "out: 2 runs in x.ZIP; 0 problems, which `sitegen check` lists",
    ]
    assert zipfile.is_zipfile(here / "x.ZIP")


def test_a_pack_holds_one_campaign(run: Command, said: list[str], here: Path) -> None:
    campaigns.write(here, {"c.yaml": "campaigns: [runs]"})
    assert run("pack", "-c", "c.yaml", "-o", "x.zip") == 2
    assert said == [
        "err red: A pack holds one campaign: name its runs,"
        " as in `sitegen pack runs -o campaign.zip`."
    ]


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("a.csv", b"id,"),
        ("a.CSV", b"id,"),
        ("a.json", b"{"),
        ("a.markdown", b"| "),
        ("a.md", b"| "),
        ("a.latex", b"\\begin"),
        ("a.tex", b"\\begin"),
        ("a.sqlite", b"SQLite"),
        ("a.db", b"SQLite"),
        ("a.sqlite3", b"SQLite"),
    ],
)
def test_the_ending_of_a_name_says_the_format(
    name: str, beginning: bytes, run: Command, here: Path
) -> None:
    assert run("export", "runs", "-o", name) == 0
    assert beginning in (here / name).read_bytes()[:100]


def test_a_format_may_be_named(run: Command, here: Path, said: list[str]) -> None:
    assert run("export", "runs", "-o", "a.x", "--format", "csv", "--columns", "model,turns") == 0
    assert (here / "a.x").read_bytes().splitlines()[0].endswith(b"model,turns")
    assert run("export", "runs", "-o", "a.y") == 2
    assert said == [
        "err red: -o a.y: this name does not say the format. Add --format: csv, json, markdown,"
        " latex, sqlite, parquet, every-eval-ever, latex-macros."
    ]


@pytest.mark.parametrize(
    "options",
    [
        ["--format", "csv", "--table", "board"],
        ["--format", "latex-macros"],
        ["--format", "every-eval-ever"],
    ],
)
def test_only_runs_have_columns(options: list[str], run: Command, said: list[str]) -> None:
    assert run("export", "runs", "-o", "a", "--columns", "model", *options) == 2
    assert said == ["err red: --columns: only tables of runs have columns to choose."]


# diff


def test_a_difference_has_both_values(run: Command, said: list[str], here: Path) -> None:
    campaigns.write(
        here, {"more/1.json": result(1), "more/2.json": result(2, turns=None, num_turns=9)}
    )
    run("pack", "runs", "-o", "a.zip")
    run("pack", "more", "-o", "b.zip")
    assert run("diff", "a.zip", "a.zip") == 0
    assert said == ["out: 0 of 28 figures changed"]
    assert run("diff", "a.zip", "b.zip") == 1
    assert said == [
        "out: all: total_turns 12 turns -> 13 turns",
        "out: model Claude Sonnet 4.5: total_turns 12 turns -> 13 turns",
        "out: 2 of 28 figures changed",
    ]


def figures_of(figures: dict[str, float | None]) -> str:
    """The file of figures of a site."""
    shown = {
        name: {"bound": "exact", "unit": "USD", "estimate": value, "low": None, "high": None}
        for name, value in figures.items()
    }
    return json.dumps({"schema": 1, "groups": [{"by": "", "name": "all", "figures": shown}]})


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ({"a": 1.0}, {"a": 1.0000000000001}, ["0 of 1 figure changed"]),
        (
            {"a": 1.0},
            {"a": 1.00000000001},
            ["all: a 1 USD -> 1.00000000001 USD", "1 of 1 figure changed"],
        ),
        (
            {"a": 1.12345678, "b": 2.0, "c": 3.0},
            {"a": 1.25, "b": None, "c": 3.0},
            [
                "all: a 1.12346 USD -> 1.25 USD",
                "all: b 2 USD -> unknown",
                "2 of 3 figures changed",
            ],
        ),
        (
            {"a": 1.0, "b": 2.0, "c": None},
            {"d": 4.0, "a": 1.0, "e": None},
            ["all: b 2 USD -> none", "all: d none -> 4 USD", "2 of 5 figures changed"],
        ),
    ],
)
def test_figures_differ_in_twelve_digits_and_are_written_with_six(
    old: dict[str, float | None],
    new: dict[str, float | None],
    lines: list[str],
    run: Command,
    said: list[str],
    here: Path,
) -> None:
    campaigns.write(here, {"a/data/figures.json": figures_of(old), "b.json": figures_of(new)})
    assert run("diff", "a", "b.json") == int(len(lines) > 1)
    assert said == [f"out: {line}" for line in lines]


def test_a_damaged_pack_has_no_figures(run: Command, said: list[str], here: Path) -> None:
    run("pack", "runs", "-o", "a.zip")
    with zipfile.ZipFile(here / "a.zip") as whole, zipfile.ZipFile(here / "b.zip", "w") as cut:
        for name in whole.namelist():
            content = whole.read(name)
            cut.writestr(name, content[:-20] if name.startswith("runs/1") else content)
    assert run("diff", "a.zip", "b.zip") == 2
    assert said[0].startswith("err red: b.zip/runs/1-")
    assert said[0].endswith(".jsonl: Sitegen did not pack a part of it, or it is damaged.")
    assert len(said) == 1


def test_a_folder_that_is_no_site_has_no_figures(here: Path) -> None:
    with pytest.raises(ConfigError) as raised:
        _figures(here / "runs", Redactor())
    assert str(raised.value).endswith("runs: this is not a site or a pack of sitegen.")


@pytest.mark.parametrize(
    ("figure", "digits", "text"),
    [
        (None, 6, "none"),
        (("exact", "USD", None, None, None), 6, "unknown"),
        (("exact", "USD", 1.25, None, None), 6, "1.25 USD"),
        (("lower", "USD", 1.25, None, None), 6, "1.25+ USD"),
        (("exact", None, 0.5, 0.25, 0.75), 6, "0.5  (0.25 to 0.75)"),
        (("exact", "x", None, 0.25, None), 6, "unknown x (0.25 to unknown)"),
        (("exact", "USD", 1.23456789, None, None), 6, "1.23457 USD"),
        (("exact", "USD", 1.23456789, None, None), 12, "1.23456789 USD"),
    ],
)
def test_a_figure_is_written_as_numbers(
    figure: tuple[Any, ...] | None, digits: int, text: str
) -> None:
    assert _written(figure, digits) == text


# The command line itself.


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["scan"], "Missing argument 'PATHS...' (`sitegen scan --help` lists what there is)"),
        (["foo"], "No such command 'foo' (`sitegen --help` lists what there is)"),
        (["check", "--foo"], "No such option '--foo' (`sitegen check --help` lists what there is)"),
    ],
)
def test_an_error_of_usage_is_one_line(
    arguments: list[str], fault: str, run: Command, said: list[str]
) -> None:
    assert run(*arguments) == 2
    assert said == [f"err red: sitegen: {fault}"]


def test_a_file_that_looks_like_an_option_stops_the_call(
    run: Command, said: list[str], here: Path
) -> None:
    campaigns.write(here, {"-q": "", "-": ""})
    assert run("check", "runs", "-q") == 2
    assert said == ["err red: sitegen: -q is a file here and looks like an option: write ./-q."]
    assert run("scan", "-") == 0
    assert run("scan", "--", "-q") == 0
    assert run("check", "runs", "-v") == 0
