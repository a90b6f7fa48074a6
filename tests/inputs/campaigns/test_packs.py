"""Packs: the same site of one file, the same bytes anywhere, masked; and nothing that a forged one could do."""

from __future__ import annotations

import filecmp
import json
import math
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sitegen.cli.settings import choose
from sitegen.collect import read_pack
from sitegen.config import BuildSettings, Config, Leaderboard, RunSettings, parse
from sitegen.errors import ReadError
from sitegen.inputs.campaigns import packs, past
from sitegen.inputs.steps_again import steps_of
from sitegen.masking.redact import Redactor
from sitegen.model import Level, Outcome, Source, Verdict
from sitegen.numbers.campaigns import RULES
from sitegen.system.bounds import DEFAULT
from tests.conftest import ROOT
from tests.support import campaigns
from tests.support.campaigns import OPUS, SONNET, result
from tests.support.command import sitegen

pytestmark = pytest.mark.blank_charts

TOKEN, OTHER = (
    "gh" + "p_" + each
    for each in ("R7kQ2mZx9LbW4tYc8NvH3sJd6FgA1pEo5uTi", "b4TnQ8wLk2VxZ7mJr5HsYc9DgFp3aEu6oi1S")
)
STREAM = (ROOT / "examples/runs/ais-decode/opus-4.5/2.jsonl").read_text(encoding="utf-8")
SETTINGS = (
    "title: Loops\ninputs: [{path: runs, pattern: '{task}/{attempt}.*'}]\noutcomes: [o.csv]\nsteps: texts\n"
    "prices: {my-model: {input: 1, output: 2}}\nredact: {literals: [Project Heron]}\n"
)


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with runs, their site, their pack and the site of that."""
    folder = tmp_path_factory.mktemp("packs")
    files: dict[str, Any] = {
        "a/1.json": result(
            1, OPUS, SONNET, result=f"## With {TOKEN}\n\nand {OTHER} of Project Heron"
        ),
        "a/2.jsonl": STREAM,
        "b/1.json": result(3, total_cost_usd=None, result=f"once more {OTHER}"),
        "b/1.diff": f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+key = '{TOKEN}'\n",
        "b/2.json": '{"type": "result", "resu',
        "notes.txt": "no run",
    }
    campaigns.write(folder / "runs", files)
    campaigns.write(
        folder,
        {
            "config.yaml": SETTINGS,
            "o.csv": "task,attempt,outcome,speed,labels\na,1,pass,1.5,x\nb,1,fail,-2,y\n",
        },
    )
    for command in (
        ("build", "-o", "site"),
        ("pack", "-o", "c.zip"),
        ("build", "c.zip", "--no-config", "-o", "again"),
    ):
        done = sitegen(*command, "-q", cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder


def same(one: Path, other: Path) -> bool:
    """Whether two folders hold the same files."""
    names = [
        {path.relative_to(root) for path in root.rglob("*") if path.is_file()}
        for root in (one, other)
    ]
    return (
        names[0] == names[1]
        and not filecmp.cmpfiles(one, other, map(str, names[0]), shallow=False)[1]
    )


def texts(pack: Path) -> str:
    """All that a pack says."""
    with zipfile.ZipFile(pack) as archive:
        return "\n".join(archive.read(name).decode() for name in archive.namelist())


def test_the_site_of_a_pack_is_that_of_its_runs(packed: Path) -> None:
    assert same(packed / "site", packed / "again")


def test_a_pack_is_the_same_bytes_anywhere(packed: Path, tmp_path: Path) -> None:
    clone = tmp_path / "elsewhere"
    campaigns.write(
        clone,
        {
            path.relative_to(packed).as_posix(): path.read_bytes()
            for path in (packed / "runs").rglob("*.*")
        },
    )
    campaigns.write(
        clone, {name: (packed / name).read_bytes() for name in ("config.yaml", "o.csv")}
    )
    done = sitegen(
        "pack",
        "-o",
        "c.zip",
        "-q",
        cwd=clone,
        PYTHONHASHSEED="77",
        TZ="Pacific/Chatham",
        LC_ALL="C",
    )
    assert done.returncode == 0, done.stderr
    assert (clone / "c.zip").read_bytes() == (packed / "c.zip").read_bytes()


def test_a_pack_holds_no_secret_and_no_place(packed: Path) -> None:
    said = texts(packed / "c.zip")
    assert "[redacted: github token #1]" in said and "[redacted: github token #2]" in said
    assert not any(text in said for text in (TOKEN, OTHER, "Heron", str(packed), "\U00100000"))


def test_it_holds_steps_only_as_far_as_they_are_published(packed: Path) -> None:
    prompt = "Make the decoder"
    outline = sitegen("pack", "--steps", "none", "-o", "none.zip", "-q", cwd=packed)
    assert outline.returncode == 0
    assert '"kind":"tool call"' in texts(packed / "c.zip")
    assert '"kind":"tool call"' not in texts(packed / "none.zip")
    assert prompt not in texts(packed / "none.zip")


def forged(packed: Path, folder: Path, change: Callable[[str, list[Any]], None]) -> Source:
    """A pack whose members were changed, given by name and as lines of JSON."""
    path = folder / "forged.zip"
    with zipfile.ZipFile(packed / "c.zip") as archive, zipfile.ZipFile(path, "w") as written:
        for name in archive.namelist():
            lines = [json.loads(line) for line in archive.read(name).splitlines()]
            change(name, lines)
            written.writestr(name, "".join(json.dumps(line) + "\n" for line in lines))
    return Source(path.name, str(path), named=True, size=0)


def of_entry(*keys: str, value: object) -> Callable[[str, list[Any]], None]:
    """Sets a fact of every run."""

    def change(name: str, lines: list[Any]) -> None:
        if name != packs.MARKER:
            at = lines[0]["entry"]
            for key in keys[:-1]:
                at = at[key]
            at[keys[-1]] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        of_entry("id", value="../../etc-0123456789ab"),
        of_entry("id", value="one-0123456789ab\n"),
        of_entry("run", "status", value="splendid"),
        of_entry("run", "started_at", value="yesterday"),
        of_entry("started_at", value="20261118T101010Z"),
        of_entry("run", "ended_at", value="2026-W47-3T10:10:10Z"),
        of_entry("run", "ledger", value=[]),
        *(
            of_entry(*keys, value="name " * 1_000)
            for keys in (["task"], ["title"], ["run", "session_title"], ["source", "path"])
        ),
        of_entry("name_suffix", value="name " * 1_000),
        of_entry("labels", value=["name " * 1_000]),
        of_entry("scores", value=[{"name": "x", "value": 0.0, "is_ratio": True}]),
        of_entry(
            "run",
            "steps",
            value={"steps": 10**9, "tool_calls": 0, "tool_failures": 0, "edited": []},
        ),
        lambda name, lines: lines.clear() if name != packs.MARKER else None,
        lambda name, lines: lines.__setitem__(0, []) if name != packs.MARKER else None,
    ],
)
def test_a_forged_run_is_a_problem_and_not_shown(
    packed: Path, tmp_path: Path, change: Callable[[str, list[Any]], None]
) -> None:
    surveyed = read_pack(forged(packed, tmp_path, change), Redactor(), DEFAULT)
    own = [each for each in surveyed.problems if each.code == "E_PACK"]
    # An empty ledger is that of a run whose names are as many as its lines: none.
    assert len(own) + len(surveyed.entries) == 3 and own
    assert all(each.verdict is Verdict.SKIP for each in own)


def test_what_is_forged_in_is_masked(packed: Path, tmp_path: Path) -> None:
    def change(name: str, lines: list[Any]) -> None:
        if name == packs.MARKER:
            lines[0]["remarks"] = [f"see {TOKEN}"]
            return
        lines[0]["entry"]["title"] = lines[0]["texts"]["summary"] = f"the token {TOKEN}"
        for step in lines[1:]:
            step["text"] = TOKEN

    redactor = Redactor()
    surveyed = read_pack(forged(packed, tmp_path, change), redactor, DEFAULT)
    with_steps = next(entry for entry in surveyed.entries if entry.run.steps)
    assert isinstance(with_steps.source.member, packs.PackMember)
    said = [*surveyed.remarks, *(entry.title for entry in surveyed.entries)]
    said += [step.text for step in steps_of(with_steps, redactor, DEFAULT, Level.TEXTS)]
    said += [packs.run_of(with_steps, with_steps.source.member, redactor).texts.summary or ""]
    assert len(said) > 6 and TOKEN not in " ".join(said)


def test_a_newer_pack_is_refused_in_one_sentence(packed: Path, tmp_path: Path) -> None:
    def change(name: str, lines: list[Any]) -> None:
        if name == packs.MARKER:
            lines[0] |= {"sitegen_pack": packs.SCHEMA + 1, "version": "9.1"}

    forged(packed, tmp_path, change)
    done = sitegen("build", "forged.zip", "-o", "site", cwd=tmp_path)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "in form 2" in done.stderr and "sitegen 9.1, which wrote it" in done.stderr


@pytest.mark.parametrize(
    ("rules", "named"),
    [
        (dict(RULES), None),
        ({}, "cost and success"),
        ({**RULES, "cost": RULES["cost"] - 1}, "cost"),
        ({**RULES, "score": RULES["score"] + 1}, "scores"),
        ({**RULES, "later": 7}, None),
    ],
)
def test_a_pack_says_which_figures_are_counted_by_other_rules_now(
    packed: Path, tmp_path: Path, rules: dict[str, int], named: str | None
) -> None:
    def change(name: str, lines: list[Any]) -> None:
        if name == packs.MARKER:
            lines[0] |= {"version": "1.9.2", "rules": list(rules.items())}

    pack = forged(packed, tmp_path, change)
    remarks = [each for each in read_pack(pack, Redactor(), DEFAULT).remarks if "1.9.2" in each]
    beginning = f"{pack.path} counts {named} by the rules of sitegen 1.9.2, "
    assert [each.startswith(beginning) for each in remarks] == [True] * (named is not None)


def test_a_pack_that_is_cut_is_refused(packed: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.zip"
    cut.write_bytes((packed / "c.zip").read_bytes()[:-300])
    with pytest.raises(ReadError):
        packs.read(Source("cut.zip", str(cut), named=True, size=0), Redactor())


def test_a_forged_run_leads_to_no_file_here(packed: Path, tmp_path: Path) -> None:
    (tmp_path / "private.log").write_text("mine")
    place = {"path": "t.log", "location": str(tmp_path / "private.log"), "named": True, "size": 4}
    for key, value in {"evidence": [place], "evidence_digests": ["0a1b"]}.items():
        pack = forged(packed, tmp_path, of_entry(key, value=value))
        assert not any(getattr(run, key) for run in read_pack(pack, Redactor(), DEFAULT).entries)


def test_settings_of_a_pack_mask_no_less_and_lead_nowhere() -> None:
    hostile = {
        "title": "T",
        "theme": "/srv",
        "static": "/etc",
        "redact": {"off": {"github token": "no"}},
        "output": "/",
    }
    assert Config.of_pack("c.zip", hostile) == Config.of_pack("c.zip", {"title": "T"})


SETTING_OF_EACH = """
title: Loops
description: Five slow paths
language: de
names: {task: {a: Task A}, model: {m: Model M}, agent: {x: Agent X}}
campaign: {name: spring, date: 2026-03-01}
view: sessions
group_by: [project]
factors: {skill: configuration}
properties: {size: {cut: [10]}}
attempts: 3
scores: {speed: {direction: higher}}
verdicts: {a: {column: a}, b: {column: b}}
judges: [a, b]
quadrants: {of: [a, b]}
observations: [tool]
excluded: why
leaderboard: {rank_by: score.speed, split_by: size}
control: {skill: without}
setup: {sandbox: Docker}
compare: [{by: skill}]
intervals: these tasks
prices: {my-model: {input: 1, output: 2}}
cost_basis: list
inputs: [runs]
ignore: ['*.txt']
outcomes: [o.csv]
task_table: tasks.csv
person: Ada
leave_out: [private]
patch: my.diff
evidence: [test.log]
campaigns: [a.zip]
history: history.jsonl
baseline: last.zip
gates: {runs: {min: 2}}
limits: {file_mb: 1}
redact: {off: {e-mail address: for a test}}
steps: full
search: all
site_url: https://example.org/
robots: noindex
pages: [method.md]
charts: [mine.vl.json]
static: own
theme: look
output: out
live_charts: true
index_only: true
"""


@pytest.mark.parametrize("name", Config.model_fields)
def test_a_pack_holds_the_settings_that_say_what_runs_are_and_no_others(name: str) -> None:
    """Each setting is one of the two, and is written into a pack and read from one accordingly."""
    assert (name in RunSettings.model_fields) is not (name in BuildSettings.model_fields)
    stated = parse(SETTING_OF_EACH, "config.yaml")
    value, default = getattr(stated, name), getattr(Config(), name)
    assert value != default, "give this setting a value above that is not its default"
    in_pack = stated.for_pack()
    assert (name in in_pack) is (name in RunSettings.model_fields)
    everything = stated.model_dump(mode="json", by_alias=True)
    for settings in (in_pack, everything):
        of_pack = Config.of_pack("c.zip", settings)
        assert getattr(of_pack, name) == (value if name in RunSettings.model_fields else default)


def test_a_pack_keeps_what_its_leaderboard_ranks_by() -> None:
    stated = Config(leaderboard=Leaderboard(rank_by="score.speedup")).for_pack()
    assert Config.of_pack("c.zip", stated).leaderboard.score == "speedup"


def test_the_same_pack_twice_counts_once(packed: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.zip").write_bytes((packed / "c.zip").read_bytes())
    done = sitegen("build", "one.zip", "two.zip", "--no-config", "-o", "site", "-q", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "site/runs").glob("*.html"))) == 3
    problems = json.loads((tmp_path / "site/data/problems.json").read_text(encoding="utf-8"))
    assert json.dumps(problems).count("W_DUPLICATE") == 3


FORMS = ROOT / "tests" / "fixtures" / "forms"
"""A pack, a history and the data of a site, as the first form of each was written. They are never written anew."""


def test_what_the_first_form_wrote_stays_readable() -> None:
    surveyed = read_pack(
        Source("pack-1.zip", str(FORMS / "pack-1.zip"), named=True, size=0), Redactor(), DEFAULT
    )
    assert [
        (each.task, each.attempt, each.run.cost_usd, each.outcome) for each in surveyed.entries
    ] == [
        ("moor", 1, 0.5, Outcome.PASS),
        ("moor", 2, 0.53256425, Outcome.FAIL),
    ]
    streamed = surveyed.entries[1]
    assert streamed.run.steps
    assert (
        len(list(steps_of(streamed, Redactor(), DEFAULT, Level.OUTLINE)))
        == streamed.run.steps.steps
    )
    assert (surveyed.ignored, [each.code for each in surveyed.problems]) == (
        ("notes.txt",),
        ["W_SUM"],
    )
    (kept,), dropped = past.read_history(FORMS / "history-1.jsonl", Redactor())
    published = past.site_figures(FORMS / "runs-1.json", Redactor(), "first")
    assert (kept.key, kept.runs, dropped, published.day) == (
        ("2026-01-31", True, "first"),
        2,
        0,
        "2026-06-10",
    )
    assert {each.computed for each in kept.attempts} == {
        None
    }  # histories did not say which costs are at list price
    assert tuple(replace(each, computed=None) for each in published.attempts) == kept.attempts


# Settings here and in the pack

STEPS = "What happened"

HERE = (
    "title: Here\nredact: {literals: [once more], off: {github token: for a test}}\nsteps: none\noutput: out\n"
    "gates: {runs: {min: 9}}\nsite_url: https://here.example/\n"
)


@pytest.fixture(scope="module")
def full(packed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a pack of all steps, whose texts are masked by rules alone."""
    folder = tmp_path_factory.mktemp("full")
    settings = (
        "title: Packed\nsite_url: https://packed.example/\nsteps: full\ngates: {runs: {max: 7}}\n"
    )
    campaigns.write(
        folder, {"packing.yaml": settings + f"inputs: [{json.dumps(str(packed / 'runs'))}]\n"}
    )
    assert sitegen("pack", "-c", "packing.yaml", "-o", "sub/full.zip", cwd=folder).returncode == 0
    return folder


def shown(folder: Path) -> str:
    """All that a site says on its pages."""
    return "\n".join(path.read_text("utf-8") for path in sorted(folder.rglob("*.html")))


NAMED = pytest.mark.parametrize(
    "named",
    [
        "-c",
        "",
        "inputs: [sub/full.zip]\n",
        "inputs: [gone, {path: ./sub/../sub/full.zip}]\n",
        "campaigns: [{path: sub/full.zip, name: a, date: 2026-01-01}]\n",
    ],
)


def gates_of(answer: str) -> dict[str, tuple[str, str]]:
    return {gate["name"]: (gate["verdict"], gate["limit"]) for gate in json.loads(answer)["gates"]}


@NAMED
def test_a_file_of_settings_counts_alone(full: Path, tmp_path: Path, named: str) -> None:
    """Whether it is named or lies in the working folder, and whether it names the pack; gates included."""
    campaigns.write(tmp_path, {"config.yaml": HERE + (named if named != "-c" else "")})
    shutil.copytree(full / "sub", tmp_path / "sub")
    if named == "-c":
        (tmp_path / "config.yaml").rename(tmp_path / "other.yaml")
    command = ("build", *(("-c", "other.yaml") if named == "-c" else ()), "sub/full.zip")
    done = sitegen(*command, "--json", cwd=tmp_path)
    assert (done.returncode, gates_of(done.stdout)) == (3, {"runs": ("failed", "at least 9")})
    text = shown(tmp_path / "out")
    assert "<h1>Here</h1>" in text and "Packed" not in text
    assert "once more" not in text and TOKEN not in text and STEPS not in text
    assert "here.example" in text and "packed.example" not in text


def test_without_a_file_the_settings_of_the_pack_count(full: Path, tmp_path: Path) -> None:
    shutil.copy(full / "sub/full.zip", tmp_path)
    done = sitegen("build", "full.zip", "-o", "site", cwd=tmp_path)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "settings: none")
    assert "do not count" not in done.stderr, "a pack holds nothing else"
    text = shown(tmp_path / "site")
    assert "<h1>Packed</h1>" in text and "once more" in text and STEPS in text
    assert "packed.example" not in text and TOKEN not in text
    campaigns.write(tmp_path / "work", {"config.yaml": HERE})
    without = ("build", "--no-config", "../full.zip", "-o", "site")
    assert sitegen(*without, cwd=tmp_path / "work").returncode == 0
    assert same(tmp_path / "site", tmp_path / "work/site")


@pytest.mark.parametrize("command", ["build", "check", "pack", "export"])
def test_a_file_of_settings_beside_a_pack_counts_alone(
    full: Path, tmp_path: Path, command: str
) -> None:
    """A pack is one file: it brings none of its own, and the working folder is that of whoever builds."""
    campaigns.write(tmp_path, {"config.yaml": HERE})
    shutil.copy(full / "sub/full.zip", tmp_path)
    output = {"build": ("-o", "site"), "pack": ("-o", "a.zip"), "export": ("-o", "a.csv")}
    done = sitegen(command, "full.zip", *output.get(command, ()), cwd=tmp_path)
    assert done.returncode == (3 if command in ("build", "check") else 0), done.stderr
    assert done.stdout.startswith("settings: config.yaml\n") or command == "export"
    if command == "build":
        assert "<h1>Here</h1>" in shown(tmp_path / "site")


def test_inputs_that_are_one_pack_are_built_with_the_settings_that_name_it(
    full: Path, tmp_path: Path
) -> None:
    campaigns.write(
        tmp_path, {"config.yaml": HERE + f"inputs: [{json.dumps(str(full / 'sub/full.zip'))}]\n"}
    )
    done = sitegen("build", cwd=tmp_path)
    assert done.returncode == 3 and "<h1>Here</h1>" in shown(tmp_path / "out")


def test_a_kind_is_shown_only_where_both_let_it_through(tmp_path: Path) -> None:
    off = "redact: {off: {e-mail address: for a test}}\n"
    address = "jo.lind" + "@" + "kvalitet-lab.dk"
    campaigns.write(
        tmp_path,
        {"runs/a.json": result(1, result=f"Ask {address}."), "off.yaml": off, "on.yaml": ""},
    )
    for packing in ("off", "on"):
        assert (
            sitegen(
                "pack", "runs", "-c", f"{packing}.yaml", "-o", f"{packing}.zip", cwd=tmp_path
            ).returncode
            == 0
        )
        for building in ("off", "on"):
            done = sitegen(
                "build", f"{packing}.zip", "-c", f"{building}.yaml", "-o", "site", cwd=tmp_path
            )
            assert done.returncode == 0, done.stderr
            assert (address in shown(tmp_path / "site")) == (packing == building == "off")


@pytest.mark.parametrize(
    "settings",
    [
        [1],
        "x",
        {"title": 7},
        {"leaderboard": {"gone": 1}},
        {"attempts": math.nan},
        {"prices": {"m": {"input": math.inf, "output": 1}}},
        {"verdicts": {"a": {"all": ["a"]}}},
        {"verdicts": {f"v{n}": {"all": [f"v{n + 1}"]} for n in range(2000)}},
    ],
)
def test_damaged_settings_of_a_pack_are_refused_in_a_sentence(
    packed: Path, tmp_path: Path, settings: object
) -> None:
    pack = forged(packed, tmp_path, with_settings(settings))
    done = sitegen("build", pack.location, "-o", "site", cwd=tmp_path)
    assert done.returncode == 2 and "damaged" in done.stderr and done.stderr.count("\n") == 1


def with_settings(settings: object) -> Callable[[str, list[Any]], None]:
    """A change of a pack that gives it these settings."""

    def change(name: str, lines: list[Any]) -> None:
        if name == packs.MARKER:
            lines[0]["settings"] = settings

    return change


TO_DO: dict[str, Any] = {
    "gates": {"month_cost_usd": {"max": 1}, "runs": {"min": 99}},
    "redact": {"off": {"github token": "no"}, "allowed_domains": ["example.org"]},
    "site_url": "https://packed.example/",
    "search": "all",
    "steps": "full",
    "output": "elsewhere",
    "theme": "/srv",
    "static": "/etc",
    "inputs": ["/etc"],
    "outcomes": [{"path": "/etc"}],
    "task_table": "/etc/passwd",
    "limits": {"file_mb": 10**9},
    "history": {"path": "/etc/passwd"},
    "baseline": {"path": "/etc/passwd"},
    "pages": ["/etc/passwd"],
}


@pytest.mark.parametrize(
    "to_do",
    [
        *({name: value} for name, value in TO_DO.items()),
        TO_DO,
        {name: [{"x": math.nan}] for name in TO_DO},
        {"gates": {"runs": {"max": math.nan}}},
        {"gates": {"cost": {"increase": {"max": 1}}}},
    ],
)
def test_settings_of_a_pack_that_say_what_to_do_are_ignored_in_one_sentence(
    packed: Path, tmp_path: Path, to_do: dict[str, Any]
) -> None:
    """Also those that an earlier version wrote and no version knows any more."""
    pack = forged(packed, tmp_path, with_settings({"title": "Loops", **to_do}))
    chosen = choose(None, (pack.location,), None, without=True)
    alone = choose(None, (str(packed / "c.zip"),), None, without=True)
    for name in BuildSettings.model_fields.keys() - {"inputs"}:
        assert getattr(chosen.config, name) == getattr(alone.config, name)
    assert [given.path for given in chosen.config.inputs] == [pack.location]
    assert chosen.config.title == "Loops" and alone.remark is None
    names = ", ".join(f"`{name}`" for name in sorted(to_do))
    assert chosen.remark and chosen.remark.count(". ") == 1 and f": {names}." in chosen.remark


def test_what_is_ignored_in_a_pack_is_said_by_the_command(packed: Path, tmp_path: Path) -> None:
    pack = forged(packed, tmp_path, with_settings({"title": "Loops", "later": 1, **TO_DO}))
    done = sitegen("build", pack.location, "-o", "site", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (said,) = (line for line in done.stderr.splitlines() if "do not count" in line)
    assert "`gates`" in said and "later" not in said
    assert TOKEN not in shown(tmp_path / "site")
    campaigns.write(tmp_path, {"mine.yaml": "title: Mine\n"})
    named = sitegen("build", "-c", "mine.yaml", pack.location, "-o", "site", cwd=tmp_path)
    assert (named.returncode, "do not count" in named.stderr) == (0, False)


def test_damaged_settings_of_a_pack_do_not_matter_where_a_file_counts(
    packed: Path, tmp_path: Path
) -> None:
    pack = forged(packed, tmp_path, with_settings({"title": 7}))
    campaigns.write(tmp_path, {"mine.yaml": "title: Mine\n"})
    done = sitegen("build", "-c", "mine.yaml", pack.location, "-o", "site", cwd=tmp_path)
    assert done.returncode == 0 and "<h1>Mine</h1>" in shown(tmp_path / "site")


@pytest.mark.parametrize(
    "settings",
    [
        {"factors": {f"factor {n}": "varied" for n in range(5_000)}},
        {"quadrants": {"of": ["a", "b"], "both": "name " * 1_000}},
    ],
)
def test_settings_of_a_pack_that_are_too_long_are_refused(
    packed: Path, tmp_path: Path, settings: object
) -> None:
    def change(name: str, lines: list[Any]) -> None:
        if name == packs.MARKER:
            lines[0]["settings"] = settings

    with pytest.raises(ReadError, match="more than"):
        packs.read(forged(packed, tmp_path, change), Redactor())


def test_a_broken_title_of_a_pack_beside_others_ends_no_build(packed: Path, tmp_path: Path) -> None:
    def change(name: str, lines: list[Any]) -> None:
        if name == packs.MARKER:
            lines[0]["settings"] = {
                "title": {"x": "y", "z": 1},
                "description": [f"With {TOKEN}"],
                "name": None,
            }

    pack = forged(packed, tmp_path, change)
    facts = read_pack(pack, Redactor(), DEFAULT)
    assert facts.entries and facts.pack and TOKEN not in str(facts.pack.settings)
    assert [each.count for each in facts.masked if each.place == "description"] == [1]
    shutil.copy(packed / "c.zip", tmp_path / "c.zip")
    done = sitegen("check", pack.location, "c.zip", cwd=tmp_path)
    assert "internal error" not in done.stderr and "TypeError" not in done.stderr, done.stderr


def test_title_and_description_of_a_pack_are_masked_and_counted(
    packed: Path, tmp_path: Path
) -> None:
    def change(name: str, lines: list[Any]) -> None:
        if name == packs.MARKER:
            named = {
                "title": f"Of {TOKEN}",
                "description": f"With {OTHER}",
                "campaign": {"name": f"A {TOKEN}"},
                "names": {"task": {"x": TOKEN}, "model": {OTHER: f"Model {OTHER}"}},
                "observations": [f"saw {TOKEN}"],
                "setup": {"judge": f"a person with {TOKEN}"},
            }
            lines[0]["settings"] |= named

    pack = forged(packed, tmp_path, change)
    done = sitegen("build", pack.location, "-o", "site", "--json", cwd=tmp_path)
    assert done.returncode == 0
    for path in (tmp_path / "site").rglob("*"):
        assert path.is_dir() or (
            TOKEN.encode() not in path.read_bytes() and OTHER.encode() not in path.read_bytes()
        )
    assert "<h1>Of [redacted: github token #1]</h1>" in shown(tmp_path / "site")
    places = {(each["file"], each["place"]) for each in json.loads(done.stdout)["masked"]}
    masked = ("title", "description", "campaign", "names", "observations", "setup")
    assert {(pack.path, name) for name in masked} <= places
    assert sitegen("build", pack.location, "-o", "site", "--strict", cwd=tmp_path).returncode == 1
