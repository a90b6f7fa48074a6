"""The build as its user meets it: what it writes, what it says, how it ends, and that it repeats itself."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import shlex
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from sitegen.pages.views import model_class
from tests.support import campaigns, site_checks
from tests.support.campaigns import OPUS, SONNET, result
from tests.support.command import sitegen

pytestmark = [pytest.mark.slow, pytest.mark.blank_charts]


names_of_any_letters = pytest.mark.skipif(
    sys.getfilesystemencoding() == "ascii",
    reason="makes file names of other letters, which Python cannot in this locale",
)


def rows(site: Path) -> list[dict[str, Any]]:
    """The runs of a site by their data file."""
    found: list[dict[str, Any]] = json.loads(
        (site / "data" / "runs.json").read_text(encoding="utf-8")
    )["runs"]
    return found


def problems(site: Path) -> list[dict[str, Any]]:
    """The problems of a site by their data file."""
    found: list[dict[str, Any]] = json.loads(
        (site / "data" / "problems.json").read_text(encoding="utf-8")
    )["problems"]
    return found


def digest(site: Path) -> dict[str, str]:
    """Path -> digest of every file."""
    return {
        path.relative_to(site).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(site.rglob("*"))
        if path.is_file()
    }


# How it ends


def test_a_folder_becomes_a_site_and_the_address_is_printed(tmp_path: Path) -> None:
    campaigns.write(tmp_path / "runs", {"a.json": result(1), "b.txt": result(2)})
    done = sitegen("build", "runs", "-o", "site", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == (tmp_path / "site" / "index.html").as_uri()
    assert [row["path"] for row in rows(tmp_path / "site")] == ["a.json", "b.txt"]
    assert site_checks.findings(tmp_path / "site") == []


def test_a_problem_is_listed_and_the_site_is_written(tmp_path: Path) -> None:
    campaigns.write(tmp_path / "runs", {"a.json": result(1), "b.json": '{"type": "result", "resu'})
    done = sitegen("build", "runs", "-o", "site", cwd=tmp_path)
    assert done.returncode == 0
    assert "b.json" in done.stderr
    assert [(p["file"], p["code"], p["verdict"]) for p in problems(tmp_path / "site")] == [
        ("b.json", "E_TRUNCATED", "skip")
    ]


def test_strict_makes_a_problem_exit_1_and_the_site_is_written(tmp_path: Path) -> None:
    campaigns.write(tmp_path / "runs", {"a.json": result(1), "b.json": ""})
    assert sitegen("build", "--strict", "runs", "-o", "site", cwd=tmp_path).returncode == 1
    assert (tmp_path / "site" / "index.html").is_file()


def test_strict_without_a_problem_is_0(tmp_path: Path) -> None:
    campaigns.write(tmp_path / "runs", {"a.json": result(1)})
    assert sitegen("build", "--strict", "runs", "-o", "site", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["build", "nowhere", "-o", "site"], "nowhere"),
        (["build"], "sitegen init"),
        (["build", "-c", "bad.yaml"], "bad.yaml:2:1: unknown key 'titel', did you mean 'title'?"),
        (["build", "-c", "none.yaml"], "no such file"),
        (["build", "runs", "-o", "."], "output"),
        (["build", "runs", "-o", "runs"], "output"),
        (["build", "--colour"], "--colour"),
        (["bild"], "bild"),
        (["build", "runs", "--index-only"], "needs one HTML file"),
        (["build", "runs", "--live-charts"], "needs one HTML file"),
    ],
)
def test_usage_settings_and_refused_outputs_are_exit_2_and_write_nothing(
    tmp_path: Path, arguments: list[str], said: str
) -> None:
    campaigns.write(tmp_path, {"runs/a.json": result(1), "bad.yaml": "inputs: [runs]\ntitel: x\n"})
    before = digest(tmp_path)
    done = sitegen(*arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert digest(tmp_path) == before


WRONG_PATHS = """\
title: x
inputs:
  - nowhere
  - {path: "runs/*.jsn"}
  - "runs/[z-a].json"
  - runs
outcomes: [o.csv]
static: own
theme: runs/a.json
"""


@pytest.mark.parametrize("command", ["build", "check"])
def test_all_paths_of_the_settings_that_lead_nowhere_are_named_at_once_with_their_lines(
    tmp_path: Path, command: str
) -> None:
    campaigns.write(tmp_path, {"runs/a.json": result(1), "c.yaml": WRONG_PATHS})
    before = digest(tmp_path)
    done = sitegen(command, "-c", "c.yaml", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.split("\n\n") == [
        "c.yaml:3:5: 'inputs.0', nowhere: there is no such file or folder\n      - nowhere",
        "c.yaml:4:6: 'inputs.1', runs/*.jsn: no file matches this pattern\n      - {path: \"runs/*.jsn\"}",
        "c.yaml:5:5: 'inputs.2', runs/[z-a].json: this pattern cannot be used: a range in [...] runs backwards\n"
        '      - "runs/[z-a].json"',
        "c.yaml:7:12: 'outcomes.0', o.csv: there is no such file or folder\n    outcomes: [o.csv]",
        "c.yaml:8:1: 'static', own: there is no such folder\n    static: own",
        "c.yaml:9:1: 'theme', runs/a.json: there is no such folder\n    theme: runs/a.json\n",
    ]
    assert digest(tmp_path) == before


def test_only_paths_that_are_wanted_have_to_lead_somewhere(tmp_path: Path) -> None:
    settings = "inputs: [nowhere]\noutput: site\n"
    campaigns.write(
        tmp_path,
        {"runs/a.json": result(1), "c.yaml": settings, "d.yaml": f"{settings}theme: look\n"},
    )
    for arguments in (
        ("build", "-q", "-c", "c.yaml", "runs"),
        ("scan", "-c", "d.yaml", "."),
    ):
        done = sitegen(*arguments, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
    done = sitegen("build", "-c", "d.yaml", "runs", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "d.yaml:3:1: 'theme', look: there is no such folder\n    theme: look\n"


@pytest.mark.parametrize("text", ["", "title: x\n", "inputs: []\n"])
def test_settings_without_inputs_are_named(tmp_path: Path, text: str) -> None:
    campaigns.write(tmp_path, {"e.yaml": text})
    done = sitegen("build", "-c", "e.yaml", cwd=tmp_path)
    said = "e.yaml:1:1: no inputs are named; add `inputs:` with the folder of your runs\n"
    assert (done.returncode, done.stderr) == (2, said + (f"    {text}" if text else ""))


def test_no_readable_run_is_exit_4_and_keeps_the_old_site(tmp_path: Path) -> None:
    campaigns.write(tmp_path / "runs", {"a.json": result(1)})
    assert sitegen("build", "runs", "-o", "site", cwd=tmp_path).returncode == 0
    before = digest(tmp_path / "site")
    campaigns.write(tmp_path / "runs", {"a.json": ""})
    done = sitegen("build", "runs", "-o", "site", cwd=tmp_path)
    assert done.returncode == 4
    assert "no runs found" in done.stderr.lower()
    assert digest(tmp_path / "site") == before


@pytest.mark.parametrize(
    ("files", "why"),
    [
        (
            {"a.md": "none", "b.md": "x"},
            "2 files were ignored: 2 text files that are not runs; `sitegen check -v` lists them",
        ),
        (
            {"a.md": "none"},
            "1 file was ignored: 1 text file that is not a run; `sitegen check -v` lists it",
        ),
        (
            {"a.json": "", "b.json": ""},
            "2 files could not be read (The file is empty; the run may have been killed before it printed anything); "
            "`sitegen check -v` lists them",
        ),
        ({}, "there are no files in the inputs"),
    ],
)
def test_a_build_without_runs_says_what_there_was(
    tmp_path: Path, files: dict[str, str], why: str
) -> None:
    (tmp_path / "runs").mkdir()
    campaigns.write(tmp_path / "runs", files)
    done = sitegen("build", "runs", cwd=tmp_path)
    assert (done.returncode, done.stderr.splitlines()[-1].split(". ")[0]) == (
        4,
        f"sitegen: no runs found: {why}",
    )


def test_quiet_says_nothing_when_all_is_well(tmp_path: Path) -> None:
    campaigns.write(tmp_path / "runs", {"a.json": result(1)})
    done = sitegen("build", "-q", "runs", "-o", "site", cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("", "")


def test_nothing_is_coloured_away_from_a_terminal(tmp_path: Path) -> None:
    campaigns.write(tmp_path / "runs", {"a.json": result(1), "b.json": ""})
    done = sitegen("build", "runs", "-o", "site", cwd=tmp_path)
    assert "\x1b" not in done.stdout + done.stderr


@names_of_any_letters
def test_a_message_cannot_steer_the_terminal(tmp_path: Path) -> None:
    campaigns.write(tmp_path / "runs", {"a.json": result(1), "evil\x1b[2J\n\u202e.json": ""})
    done = sitegen("build", "runs", "-o", "site", cwd=tmp_path)
    assert "\x1b" not in done.stderr
    assert "\u202e" not in done.stderr


# Settings and arguments


def test_runs_replace_the_inputs_of_the_settings(tmp_path: Path) -> None:
    campaigns.write(
        tmp_path,
        {
            "one/a.json": result(1),
            "two/b.json": result(2),
            "c.yaml": "title: Mine\ninputs: [one]\noutput: out\n",
        },
    )
    assert sitegen("build", "-c", "c.yaml", "two", cwd=tmp_path).returncode == 0
    assert [row["path"] for row in rows(tmp_path / "out")] == ["b.json"]
    assert "<h1>Mine</h1>" in (tmp_path / "out" / "index.html").read_text(encoding="utf-8")


def test_init_writes_settings_that_build_and_never_overwrites(tmp_path: Path) -> None:
    campaigns.write(tmp_path, {"a.json": result(1)})
    assert sitegen("init", cwd=tmp_path).returncode == 0
    written = (tmp_path / "config.yaml").read_bytes()
    assert sitegen("build", cwd=tmp_path).returncode == 0
    assert [row["path"] for row in rows(tmp_path / "site")] == ["a.json"]
    assert sitegen("init", cwd=tmp_path).returncode == 2
    assert (tmp_path / "config.yaml").read_bytes() == written


def test_init_of_a_folder_names_a_command_that_works_from_here(tmp_path: Path) -> None:
    campaigns.write(tmp_path, {"my runs/a.json": result(1)})
    done = sitegen("init", "my runs", cwd=tmp_path)
    program, *command = shlex.split(done.stdout.splitlines()[0].partition("then run: ")[2])
    assert (program, command) == ("sitegen", ["build", "-c", str(Path("my runs", "config.yaml"))])
    assert sitegen(*command, cwd=tmp_path).returncode == 0
    assert [row["path"] for row in rows(tmp_path / "my runs/site")] == ["a.json"]


def test_check_says_what_a_build_would_do_and_writes_nothing(tmp_path: Path) -> None:
    campaigns.write(
        tmp_path / "runs",
        {"a.json": result(1), "b.json": "", "c.diff": "--- a\n", ".git/x.json": "{}"},
    )
    before = digest(tmp_path)
    done = sitegen("check", "runs", cwd=tmp_path)
    said = done.stdout + done.stderr
    assert done.returncode == 0
    for part in ("a.json", "b.json", "c.diff", "E_EMPTY", ".git/", "1 run; 1 problem, 2 ignored"):
        assert part in said
    assert digest(tmp_path) == before


@pytest.mark.parametrize("files", [{"a.json": ""}, {"notes.md": "none"}, {".git/a.json": "{}"}])
@pytest.mark.parametrize("more", [[], ["--strict"], ["-q"]])
def test_check_exits_as_a_build_would_where_there_is_no_readable_run(
    tmp_path: Path, files: dict[str, dict[str, Any] | str | bytes], more: list[str]
) -> None:
    campaigns.write(tmp_path / "runs", files)
    done = sitegen("check", *more, "runs", cwd=tmp_path)
    assert (done.returncode, sitegen("build", *more, "runs", cwd=tmp_path).returncode) == (4, 4)
    assert done.stderr.splitlines()[-1] == "sitegen: no runs found: a build would publish nothing"


def test_the_help_of_a_command_is_about_that_command(tmp_path: Path) -> None:
    helps = {
        command: " ".join(sitegen(command, "--help", cwd=tmp_path).stdout.split())
        for command in ("build", "check", "scan")
    }
    assert "Exit codes of build: 0 the site is written" in helps["build"]
    assert "Exit codes of check: 0 there are runs for a build" in helps["check"]
    assert "4 no runs found: a build would publish nothing" in helps["check"]
    for command, said in helps.items():
        for words in (
            "the site is written",
            "a configured gate",
            "Where the site goes",
            "inside RUNS",
        ):
            is_told = command == "build" or (
                command == "check" and words in ("inside RUNS", "a configured gate")
            )
            assert (words in said) == is_told, (command, words)


def test_patterns_and_names_place_a_run(tmp_path: Path) -> None:
    settings = (
        'inputs:\n  - path: runs\n    pattern: "{campaign}/{task}/{model}/{attempt}.json"\n'
        "names: {task: {split: Split files}, model: {claude-opus-4-5-20251101: The large one}}\n"
    )
    campaigns.write(
        tmp_path, {"runs/may/split/opus/2.json": result(1, OPUS), "config.yaml": settings}
    )
    assert sitegen("build", cwd=tmp_path).returncode == 0
    (row,) = rows(tmp_path / "site")
    assert (row["campaign"], row["task"], row["model"], row["attempt"]) == (
        "may",
        "Split files",
        "The large one",
        2,
    )


@pytest.mark.parametrize(
    ("pattern", "others", "sentence"),
    [
        ("{task}/{attempt}.json", ["x/2.json", "y/1.json"], ""),
        (
            "{task}/{attempt}.json",
            ["x/last.json"],
            "The pattern {task}/{attempt}.json does not match 1 of 2 runs, x/last.json, "
            "so it has no task and no label from it.\n",
        ),
        (
            "{task}/{attempt}.json",
            ["a/b/2.json", "top.json"],
            "The pattern {task}/{attempt}.json does not match 2 of 3 "
            "runs, such as a/b/2.json, so they have no task and no label from it.\n",
        ),
        (
            "{model}/1.json",
            ["x/2.json", "x/3.json"],
            "The pattern {model}/1.json does not match 2 of 3 runs, such as x/2.json, so they have nothing from it.\n"
            "Paths say another model than the files of 1 run, such as 'x' of x/1.json, which names Claude Sonnet 4.5: "
            "the file counts, and the name in the path is its label.\n",
        ),
        (
            "{task}.json",
            ["x/2.json"],
            "The pattern {task}.json matches none of 2 runs, such as x/1.json.\n",
        ),
    ],
)
def test_runs_that_a_pattern_does_not_fit_are_counted_in_a_sentence(
    tmp_path: Path, pattern: str, others: list[str], sentence: str
) -> None:
    settings = f'inputs:\n  - path: runs\n    pattern: "{pattern}"\n'
    runs = {f"runs/{path}": result(number) for number, path in enumerate(["x/1.json", *others], 1)}
    campaigns.write(tmp_path, {**runs, "config.yaml": settings})
    built, checked = sitegen("build", cwd=tmp_path), sitegen("check", cwd=tmp_path)
    assert (built.returncode, built.stderr) == (0, sentence)
    assert (checked.returncode, checked.stderr) == (0, sentence)
    assert problems(tmp_path / "site") == []
    page = (tmp_path / "site" / "problems.html").read_text(encoding="utf-8")
    assert ("What did not work" in page) == bool(sentence)
    assert all(line.partition("'")[0] in page for line in sentence.splitlines()), (
        "up to where it is escaped"
    )


def test_a_run_whose_task_a_sidecar_states_needs_no_pattern(tmp_path: Path) -> None:
    settings = 'inputs:\n  - path: runs\n    pattern: "{task}.json"\n'
    runs = {
        "runs/x.json": result(1),
        "runs/sub/y.json": result(2),
        "runs/sub/y.meta.json": {"task": "known"},
    }
    campaigns.write(tmp_path, {**runs, "config.yaml": settings})
    assert (
        sitegen("check", "--strict", cwd=tmp_path).returncode,
        sitegen("check", cwd=tmp_path).stderr,
    ) == (0, "")


def test_static_files_go_to_the_top_of_the_site(tmp_path: Path) -> None:
    campaigns.write(
        tmp_path,
        {
            "runs/a.json": result(1),
            "own/CNAME": "runs.example\n",
            "c.yaml": "inputs: [runs]\nstatic: own\n",
        },
    )
    assert sitegen("build", "-c", "c.yaml", cwd=tmp_path).returncode == 0
    assert (tmp_path / "site" / "CNAME").read_text(encoding="utf-8") == "runs.example\n"


@pytest.mark.parametrize("settings", ["static: .\n", "static: site/own\n", "static: nowhere\n"])
def test_static_files_and_the_output_stay_apart(tmp_path: Path, settings: str) -> None:
    campaigns.write(
        tmp_path, {"runs/a.json": result(1), "config.yaml": f"inputs: [runs]\n{settings}"}
    )
    done = sitegen("build", cwd=tmp_path)
    assert (done.returncode, "static" in done.stderr, "Traceback" in done.stderr) == (
        2,
        True,
        False,
    )


def test_the_digest_of_the_settings_covers_patterns_and_static_files(tmp_path: Path) -> None:
    def made(pattern: str, own: str) -> str:
        settings = f'inputs:\n  - path: runs\n    pattern: "{pattern}"\nstatic: own\n'
        campaigns.write(
            tmp_path, {"runs/x/a.json": result(1), "own/CNAME": own, "config.yaml": settings}
        )
        assert sitegen("build", cwd=tmp_path).returncode == 0
        about = (tmp_path / "site" / "about.html").read_text(encoding="utf-8")
        return about.split("Digest of the settings</dt><dd>")[1][:16]

    assert (
        len(
            {made("{task}/*.json", "a"), made("{campaign}/*.json", "a"), made("{task}/*.json", "b")}
        )
        == 3
    )


def test_the_output_inside_an_input_is_not_read_as_runs(tmp_path: Path) -> None:
    campaigns.write(tmp_path, {"a.json": result(1)})
    for _ in range(2):
        assert sitegen("build", ".", "-o", "site", cwd=tmp_path).returncode == 0
        assert [row["path"] for row in rows(tmp_path / "site")] == ["a.json"]


# One run in several files


def stream(*results: dict[str, Any]) -> str:
    """Lines of stream-json that end in these results."""
    init = {
        "type": "system",
        "subtype": "init",
        "session_id": results[0]["session_id"],
        "model": SONNET,
    }
    return "".join(f"{json.dumps(record)}\n" for record in (init, *results))


def test_one_uuid_in_two_files_is_one_run_read_from_the_richer(tmp_path: Path) -> None:
    campaigns.write(tmp_path / "runs", {"a.json": result(1), "b.jsonl": stream(result(1))})
    assert sitegen("build", "runs", "-o", "site", cwd=tmp_path).returncode == 0
    assert [row["path"] for row in rows(tmp_path / "site")] == ["b.jsonl"]
    assert [(p["file"], p["code"], p["verdict"]) for p in problems(tmp_path / "site")] == [
        ("a.json", "W_DUPLICATE", "merge")
    ]


def test_one_uuid_with_other_figures_is_two_runs_and_says_so(tmp_path: Path) -> None:
    first = result(1)
    campaigns.write(
        tmp_path / "runs", {"a.json": first, "b.json": {**result(2), "uuid": first["uuid"]}}
    )
    assert sitegen("build", "runs", "-o", "site", cwd=tmp_path).returncode == 0
    assert len(rows(tmp_path / "site")) == 2
    assert [(p["file"], p["code"]) for p in problems(tmp_path / "site")] == [
        ("a.json", "W_UUID"),
        ("b.json", "W_UUID"),
    ]


def test_a_file_cannot_hide_other_runs_by_naming_their_uuids(tmp_path: Path) -> None:
    evil = stream(*(result(n, total_cost_usd=0.0) for n in (1, 2)), result(3, uuid="e"))
    campaigns.write(
        tmp_path / "runs", {"a.json": result(1), "b.json": result(2), "evil.jsonl": evil}
    )
    assert sitegen("build", "runs", "-o", "site", cwd=tmp_path).returncode == 0
    assert {row["path"] for row in rows(tmp_path / "site")} == {"a.json", "b.json", "evil.jsonl"}


def test_streams_that_share_one_result_and_go_on_apart_are_both_shown(tmp_path: Path) -> None:
    one, two = stream(result(1), result(2)), stream(result(2), result(3))
    campaigns.write(tmp_path / "runs", {"a.jsonl": one, "b.jsonl": two})
    assert sitegen("build", "runs", "-o", "site", cwd=tmp_path).returncode == 0
    assert {row["path"] for row in rows(tmp_path / "site")} == {"a.jsonl", "b.jsonl"}


def test_copies_of_a_file_without_a_uuid_count_once(tmp_path: Path) -> None:
    old = result(1, uuid=None, modelUsage=None)
    campaigns.write(tmp_path / "runs", {"a.json": old, "b.json": old})
    assert sitegen("build", "runs", "-o", "site", cwd=tmp_path).returncode == 0
    assert [row["path"] for row in rows(tmp_path / "site")] == ["a.json"]


# Runs that are unlike the usual one


def test_two_ids_of_one_model_are_two_lines_and_one_name(tmp_path: Path) -> None:
    bedrock = f"us.anthropic.{SONNET}-v1:0"
    ledger = {SONNET: campaigns.usage(SONNET, 1), bedrock: campaigns.usage(SONNET, 2)}
    cost = sum(line["costUSD"] for line in ledger.values())
    campaigns.write(
        tmp_path / "runs",
        {f"{n}.json": result(n, modelUsage=ledger, total_cost_usd=cost) for n in (1, 2)},
    )
    assert sitegen("build", "runs", "-o", "site", cwd=tmp_path).returncode == 0
    assert [row["models"] for row in rows(tmp_path / "site")] == [["Claude Sonnet 4.5"]] * 2


def test_names_of_models_hold_on_every_page(tmp_path: Path) -> None:
    campaigns.write(
        tmp_path,
        {
            "runs/a.json": result(1),
            "c.yaml": f"inputs: [runs]\nnames: {{model: {{{SONNET}: The small one}}}}\n",
        },
    )
    assert sitegen("build", "-c", "c.yaml", cwd=tmp_path).returncode == 0
    for page in (tmp_path / "site").rglob("*.html"):
        if page.name != "about.html":  # where the price table stands
            assert "Claude Sonnet 4.5" not in page.read_text(encoding="utf-8"), page.name


def test_runs_that_only_their_folders_tell_apart_are_called_by_them(tmp_path: Path) -> None:
    bare = {"result": "Done."}
    files = {
        path: result(n, **bare)
        for n, path in enumerate(("x/one/2.json", "x/two/2.log", "y/one/2.json", "3.json"))
    }
    campaigns.write(
        tmp_path / "runs", {**files, "z/2.json": result(9), "z/4.json": result(10, **bare)}
    )
    assert sitegen("build", "runs", "-o", "site", cwd=tmp_path).returncode == 0
    assert {row["path"]: row["name"] for row in rows(tmp_path / "site")} == {
        "3.json": "3",
        "x/one/2.json": "x/one/2",
        "x/two/2.log": "x/two/2",
        "y/one/2.json": "y/one/2",
        "z/2.json": "z/2",
        "z/4.json": "4",
    }
    settings = 'inputs:\n  - path: runs\n    pattern: "{task}/*/*.*"\n'
    campaigns.write(tmp_path, {"config.yaml": settings})
    assert sitegen("build", cwd=tmp_path).returncode == 0
    assert {row["title"] for row in rows(tmp_path / "site") if row["task"]} == {"2"}, (
        "their task says which they are"
    )


def test_no_name_takes_the_colour_of_another_model() -> None:
    imitation = "claude opus 4.5!)?+!?"  # found by trying names until 16 bits of its digest were those of the other
    ours, theirs = model_class("Claude Opus 4.5"), model_class(imitation)
    assert ours[:20] == theirs[:20] == "claude-opus-4-5-bc5c" and ours != theirs


def test_a_task_without_attempts_is_the_name_of_its_run(tmp_path: Path) -> None:
    settings = 'inputs:\n  - path: runs\n    pattern: "{task}/{model}.json"\n'
    campaigns.write(tmp_path, {"runs/split/opus.json": result(1), "config.yaml": settings})
    assert sitegen("build", cwd=tmp_path).returncode == 0
    assert ">split · Sonnet 4.5</a>" in (tmp_path / "site" / "index.html").read_text(
        encoding="utf-8"
    )


def test_a_kind_of_tokens_that_is_not_reported_makes_lower_bounds_everywhere(
    tmp_path: Path,
) -> None:
    line = {key: value for key, value in campaigns.usage(SONNET, 1).items() if key != "inputTokens"}
    campaigns.write(tmp_path / "runs", {"a.json": result(1, modelUsage={SONNET: line})})
    assert sitegen("build", "runs", "-o", "site", cwd=tmp_path).returncode == 0
    (row,) = rows(tmp_path / "site")
    assert (row["input_tokens"], row["total_tokens"]) == (None, None)
    page = (tmp_path / "site" / row["page"]).read_text(encoding="utf-8")
    assert "21.3\u202fk</data><small>+</small>" in page
    assert "Some of the tokens are not reported" in page
    assert 'class="big">–</dd><dd></dd>' in page.replace("\n", "")  # cache hits


def test_lower_bounds_have_their_plus_in_the_heads_of_pages_too(tmp_path: Path) -> None:
    main_loop = result(1, modelUsage={})
    settings = 'inputs:\n  - path: runs\n    pattern: "{task}/*.json"\n'
    files = {
        "runs/a/1.json": main_loop,
        "runs/a/2.json": result(2, total_cost_usd=None),
        "config.yaml": settings,
    }
    campaigns.write(tmp_path, files)
    assert sitegen("build", cwd=tmp_path).returncode == 0
    (group,) = (tmp_path / "site" / "tasks").glob("a-????????????.html")
    assert re.search(r"<title>a: 2 runs, \$[0-9.]+\+", group.read_text(encoding="utf-8"))
    (row,) = (row for row in rows(tmp_path / "site") if row["token_gaps"])
    assert (
        "21.4\u202fk+ tokens"
        in (tmp_path / "site" / row["page"]).read_text(encoding="utf-8").split("</head>")[0]
    )


def test_costs_of_any_size_are_drawn(tmp_path: Path) -> None:
    sizes = (1e9, 2.5e8, 1e-12, 1e-11, 0.0, 1.0)
    models = (SONNET, OPUS)
    usage = {"input_tokens": 10**12, "output_tokens": 1}  # which may cost as much as that
    files = {
        f"runs/{task}/{model}.json": result(
            n, model, total_cost_usd=sizes[n % len(sizes)], modelUsage=None, usage=usage
        )
        for n, (task, model) in enumerate(product("abc", models), 1)
    }
    settings = 'inputs:\n  - path: runs\n    pattern: "{task}/*.json"\n'
    campaigns.write(
        tmp_path,
        {**files, "runs/tiny.json": result(99, total_cost_usd=5e-324), "config.yaml": settings},
    )
    done = sitegen("build", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("W_RANGE")) == (0, 1), done.stderr
    assert {row["cost_usd"] for row in rows(tmp_path / "site")} == {*sizes, None}


def test_starts_that_are_stated_from_outside_give_the_dates_of_the_campaign(tmp_path: Path) -> None:
    files = {f"runs/{n}.meta.yaml": f"started_at: 2026-03-0{4 - n}T10:00:00.{n}Z\n" for n in (1, 2)}
    campaigns.write(tmp_path, {**files, "runs/1.json": result(1), "runs/2.json": result(2)})
    assert sitegen("build", "runs", "-o", "site", cwd=tmp_path).returncode == 0
    assert "2 to 3 March 2026 UTC · 2 runs" in (tmp_path / "site" / "index.html").read_text(
        encoding="utf-8"
    )


def test_a_stream_that_cannot_write_a_name_gets_question_marks(tmp_path: Path) -> None:
    campaigns.write(tmp_path / "runs", {"a.json": result(1), "b.json": result(2, type="日本")})
    for _ in range(2):  # the second time it is said again from the record
        done = sitegen("build", "runs", "-o", "site", cwd=tmp_path, PYTHONIOENCODING="cp1252")
        assert (done.returncode, 'its type is "??"' in done.stderr) == (0, True), done.stderr


def test_a_fault_behind_publishing_does_not_deny_it(tmp_path: Path) -> None:
    campaigns.write(tmp_path / "runs", {"a.json": result(1)})
    broken = (
        "import sitegen.cli.commands as cli, sitegen.cli.command_output as late; late.report_build = None; "
        "cli.cli(['build', 'runs', '-o', 'site'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", broken], cwd=tmp_path, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 1
    assert (
        "an internal error: TypeError" in done.stderr
        and "The site is written; -v shows the trace" in done.stderr
    )
    assert rows(tmp_path / "site")


def test_the_digest_of_the_inputs_covers_what_is_stated_and_patches(tmp_path: Path) -> None:
    def made(**files: str) -> str:
        campaigns.write(
            tmp_path,
            {"runs/a.json": result(1), **{f"runs/a.{end}": text for end, text in files.items()}},
        )
        assert sitegen("build", "runs", "-o", "site", cwd=tmp_path).returncode == 0
        return re.findall(
            "Digest of the inputs</dt><dd>(.{16})",
            (tmp_path / "site" / "about.html").read_text("utf-8"),
        )[0]

    changes = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+two\n"
    stated = [
        {},
        {"meta.yaml": "outcome: pass\n"},
        {"meta.yaml": "outcome: fail\n"},
        {"diff": changes},
    ]
    digests = [made(**files) for files in stated]
    assert len(set(digests)) == 4 and made() == digests[-1]


def test_what_lies_beside_a_packed_run_belongs_to_it(tmp_path: Path) -> None:
    changes = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+two\n"
    packed = {
        f"{n}.json.gz": gzip.compress(json.dumps(result(n)).encode(), mtime=0) for n in (1, 2)
    }
    files = {
        "1.meta.yaml": "outcome: pass\n",
        "2.json.meta.yaml": "outcome: fail\n",
        "1.diff": changes,
    }
    campaigns.write(tmp_path / "runs", {**packed, **files})
    done = sitegen("build", "runs", "-o", "site", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    stated = sorted(
        (row["path"], row["outcome"], row["patch_added_lines"]) for row in rows(tmp_path / "site")
    )
    assert stated == [("1.json.gz", "pass", 1), ("2.json.gz", "fail", None)]


def test_a_sidecar_beside_nothing_but_a_patch_describes_no_run(tmp_path: Path) -> None:
    campaigns.write(
        tmp_path / "runs", {"a.json": result(1), "1.meta.yaml": "outcome: pass\n", "1.diff": "x"}
    )
    assert "There is no run called 1 beside it." in sitegen("check", "runs", cwd=tmp_path).stderr


def test_an_outcomes_file_that_is_too_large_is_no_run_that_could_not_be_read(
    tmp_path: Path,
) -> None:
    large = "task,outcome\n" + "x" * (33 * 1024 * 1024)
    campaigns.write(
        tmp_path,
        {"runs/a.json": result(1), "o.csv": large, "c.yaml": "inputs: [runs]\noutcomes: [o.csv]\n"},
    )
    done = sitegen("build", "-c", "c.yaml", cwd=tmp_path)
    assert [(each["code"], each["reason"]) for each in problems(tmp_path / "site")] == [
        ("E_OUTCOMES", "It is larger than 32 MB.")
    ]
    assert done.returncode == 0
    assert "could not be read" not in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")


def test_what_shows_in_rendering_only_is_a_problem_like_any_other(tmp_path: Path) -> None:
    campaigns.write(tmp_path / "runs", {"a.json": result(1, result=">" * 60 + " deep")})
    done = sitegen("build", "--strict", "runs", "-o", "site", cwd=tmp_path)
    assert (done.returncode, "1 problem" in done.stdout) == (1, True)
    assert [p["code"] for p in problems(tmp_path / "site")] == ["W_MD_LIMIT"]
    assert rows(tmp_path / "site")[0]["warnings"] == [], "figures were final before"


def test_home_folders_are_hidden_however_the_text_spells_them(tmp_path: Path) -> None:
    text = "# Fix /home/zoelle/x\n\nsee &#47;home&#47;zoelle/y"
    campaigns.write(
        tmp_path / "runs",
        {"a.json": result(1, result=text), "b.json": result(2, result="# /ho*me*/zoelle")},
    )
    assert sitegen("build", "runs", "-o", "site", cwd=tmp_path).returncode == 0
    assert {row["title"] for row in rows(tmp_path / "site")} == {
        "Fix /home/[user]/x",
        "/home/[user]",
    }
    shown = "".join(
        path.read_text(encoding="utf-8") for path in (tmp_path / "site" / "runs").glob("a-*.html")
    )
    assert "zoelle" not in shown


# The same bytes


@names_of_any_letters
def test_other_surroundings_give_the_same_bytes(tmp_path: Path) -> None:
    files = {
        "b/2.json": result(2, OPUS),
        "a/1.json": result(1, SONNET, OPUS),
        "é.json": result(3),
        "broken.json": "{",
    }
    one = campaigns.write(tmp_path / "one", {f"runs/{name}": text for name, text in files.items()})
    two = campaigns.write(
        tmp_path / "two", {f"runs/{name}": text for name, text in reversed(files.items())}
    )
    (one / "runs" / "ignored").mkdir()
    first = sitegen(
        "build", "runs", "-o", "site", cwd=one, PYTHONHASHSEED="1", TZ="UTC", LC_ALL="C.UTF-8"
    )
    second = sitegen(
        "build",
        "runs",
        "-o",
        "site",
        cwd=two,
        PYTHONHASHSEED="2",
        TZ="Asia/Kathmandu",
        LC_ALL="C",
        PYTHONUTF8="0",
    )
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert digest(one / "site") == digest(two / "site")


def test_a_new_run_rewrites_its_neighbours_and_the_common_pages_only(tmp_path: Path) -> None:
    names = [f"{letter}.json" for letter in "abdefg"]
    runs = campaigns.write(
        tmp_path / "runs", {name: result(number) for number, name in enumerate(names, 1)}
    )
    assert sitegen("build", runs, "-o", "site", cwd=tmp_path).returncode == 0
    before = digest(tmp_path / "site")
    campaigns.write(runs, {"c.json": result(20, OPUS)})
    assert sitegen("build", runs, "-o", "site", cwd=tmp_path).returncode == 0
    after = digest(tmp_path / "site")
    changed = {
        path.split("-")[0]
        for path in after
        if before.get(path) != after[path] and path.startswith("runs/")
    }
    assert changed == {"runs/b", "runs/c", "runs/d"}


def test_a_run_that_is_gone_loses_its_page_and_foreign_files_stay(tmp_path: Path) -> None:
    runs = campaigns.write(tmp_path / "runs", {"a.json": result(1), "b.json": result(2)})
    assert sitegen("build", runs, "-o", "site", cwd=tmp_path).returncode == 0
    (tmp_path / "site" / "CNAME").write_text("runs.example\n", encoding="utf-8")
    (runs / "b.json").unlink()
    done = sitegen("build", "-v", runs, "-o", "site", cwd=tmp_path)
    assert done.returncode == 0
    assert "kept: CNAME" in done.stdout
    assert [page.name.split("-")[0] for page in (tmp_path / "site" / "runs").iterdir()] == ["a"]
    assert (tmp_path / "site" / "CNAME").read_text(encoding="utf-8") == "runs.example\n"


# Many runs


def test_a_long_table_goes_on_over_plain_pages_and_names_its_rows(tmp_path: Path) -> None:
    campaigns.write(
        tmp_path / "runs", {f"{number:03}.json": result(number) for number in range(1, 202)}
    )
    assert sitegen("build", "-q", "runs", "-o", "site", cwd=tmp_path).returncode == 0
    site = tmp_path / "site"
    assert sorted(path.name for path in site.glob("index*.html")) == [
        "index-2.html",
        "index-3.html",
        "index.html",
    ]
    link = '<th scope="row" data-untrusted><a href="runs/'
    names = ("index.html", "index-2.html", "index-3.html")
    linked = {name: (site / name).read_text(encoding="utf-8").count(link) for name in names}
    assert linked == {"index.html": 100, "index-2.html": 100, "index-3.html": 1}
    assert (site / "data" / "rows.js").is_file()
    assert site_checks.findings(site) == []


def test_a_file_that_changes_while_the_site_is_built_is_named(tmp_path: Path) -> None:
    from sitegen.errors import ReadError
    from sitegen.inputs import discover
    from sitegen.inputs.survey import Naming, reread_run, survey
    from sitegen.masking.redact import Redactor

    campaigns.write(tmp_path / "runs", {"a.json": result(1)})
    found = discover.discover([str(tmp_path / "runs")])
    redactor = Redactor.for_this_machine()
    (entry,) = survey(found, Naming([None]), redactor, lambda _doing, items: items).entries
    assert reread_run(entry, redactor).texts.summary
    campaigns.write(tmp_path / "runs", {"a.json": result(2)})
    with pytest.raises(ReadError, match="changed while the site was built"):
        reread_run(entry, redactor)


def test_a_run_is_redacted_again_exactly_when_redaction_changed_it(tmp_path: Path) -> None:
    from sitegen.inputs import discover
    from sitegen.inputs.survey import Naming, reread_run, survey
    from sitegen.masking.redact import Redactor

    mail = "ann.bell" + "@harbour-post.org"
    files = {
        "a.json": result(1),
        "b.json": result(2, result=f"Ask {mail}."),
        "c.json": result(3, session_id=mail),
    }
    campaigns.write(tmp_path / "runs", files)
    redactor = Redactor.for_this_machine()
    found = discover.discover([str(tmp_path / "runs")])
    entries = survey(found, Naming([None]), redactor, lambda _doing, items: items).entries
    assert [entry.is_untouched for entry in entries] == [True, False, False]
    for entry in entries:
        again = reread_run(entry, redactor)
        assert redactor.run(again) == again
        assert mail not in repr(again)


# Gates and the summary


def with_gates(folder: Path, gates: str) -> Path:
    """A campaign of two runs, and settings with gates."""
    campaigns.write(folder / "runs", {"a.json": result(1), "b.json": result(2)})
    (folder / "config.yaml").write_text(f"inputs: [runs]\ngates: {gates}\n", encoding="utf-8")
    return folder


def test_a_gate_that_has_not_passed_ends_with_3_and_the_site_is_written(tmp_path: Path) -> None:
    done = sitegen("build", cwd=with_gates(tmp_path, "{runs: {min: 3}, problems: {max: 0}}"))
    assert (done.returncode, done.stderr) == (
        3,
        "gate failed: Runs, at least 3. 2 is below the limit.\n",
    )
    index = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "1 of 2 passed" in index


def test_gates_that_pass_end_with_0_and_stand_on_the_index(tmp_path: Path) -> None:
    done = sitegen("build", cwd=with_gates(tmp_path, "{unreconciled: {max: 0}}"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "The gate passed: unreconciled runs at most 0" in (
        tmp_path / "site" / "index.html"
    ).read_text(encoding="utf-8")


def test_without_gates_no_page_mentions_them(tmp_path: Path) -> None:
    campaigns.write(tmp_path / "runs", {"a.json": result(1)})
    assert sitegen("build", "runs", cwd=tmp_path).returncode == 0
    assert 'id="gates"' not in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")


def test_what_the_gates_ask_for_ranks_above_strict(tmp_path: Path) -> None:
    folder = with_gates(tmp_path, "{runs: {min: 3}}")
    campaigns.write(folder / "runs", {"broken.json": '{"type": "result", '})
    assert sitegen("build", "--strict", cwd=folder).returncode == 3


def test_the_summary_is_written_beside_the_site(tmp_path: Path) -> None:
    folder = with_gates(tmp_path, "{runs: {min: 3}}")
    assert sitegen("build", "--summary", "summary.md", cwd=folder).returncode == 3
    text = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert text.startswith("## Agent runs\n")
    assert "| Runs | at least 3 | 2 | **failed** | 2 is below the limit. |" in text


def test_a_summary_that_cannot_be_written_leaves_the_site_and_ends_with_1(tmp_path: Path) -> None:
    campaigns.write(tmp_path / "runs", {"a.json": result(1)})
    done = sitegen("build", "runs", "--summary", "nowhere/summary.md", cwd=tmp_path)
    assert done.returncode == 1
    assert "the summary could not be written to nowhere/summary.md: No such file" in done.stderr
    assert (tmp_path / "site" / "index.html").exists()
