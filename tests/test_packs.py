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

from sitegen.bounds import DEFAULT
from sitegen.collect import of_pack
from sitegen.config import Config, Leaderboard
from sitegen.errors import ReadError
from sitegen.inputs.campaigns import packs, past
from sitegen.inputs.steps_again import steps_of
from sitegen.masking.redact import Redactor
from sitegen.model import Level, Outcome, Source, Verdict
from tests.support import campaigns
from tests.support.campaigns import OPUS, SONNET, result
from tests.support.command import sitegen

pytestmark = pytest.mark.blank_charts

ROOT = Path(__file__).resolve().parent.parent
TOKEN, OTHER = (
    "gh" + "p_" + each
    for each in ("R7kQ2mZx9LbW4tYc8NvH3sJd6FgA1pEo5uTi", "b4TnQ8wLk2VxZ7mJr5HsYc9DgFp3aEu6oi1S")
)
STREAM = (ROOT / "examples/runs/ais-decode/opus-4.5/2.jsonl").read_text(encoding="utf-8")
SETTINGS = (
    "title: Loops\ninputs: [{path: runs, pattern: '{task}/{attempt}.*'}]\noutcomes: [o.csv]\nsteps: texts\n"
    "prices: {my-model: {input: 1, output: 2}}\ngates: {runs: {min: 2}}\nredact: {literals: [Project Heron]}\n"
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
        ("build", "c.zip", "-o", "again"),
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
        of_entry("apart", value="name " * 1_000),
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
    surveyed = of_pack(forged(packed, tmp_path, change), Redactor(), DEFAULT)
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
    surveyed = of_pack(forged(packed, tmp_path, change), redactor, DEFAULT)
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


CHANGELOG = """# Changelog

## [Unreleased]

### Added

- Reads more.

### Changed

**Figures that changed**

- Turns of Codex
  count replies.

### Fixed

- Something.

## 1.10.0

**Figures that changed**

- Costs of aider are per attempt.

**Output**

- More.

## 1.9.0

**Figures that changed**

- Long ago.
"""


def test_an_older_pack_says_which_figures_are_computed_differently_now(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def change(name: str, lines: list[Any]) -> None:
        if name == packs.MARKER:
            lines[0]["version"] = "1.9.2"

    assert packs.in_changelog(CHANGELOG, "1.10.0") == ["Turns of Codex count replies."]
    pack = forged(packed, tmp_path, change)
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG, encoding="utf-8")
    monkeypatch.setattr("sitegen.__file__", str(tmp_path / "__init__.py"))
    for ours, said in (
        ("1.9.2", ()),
        ("1.11.0", ("Turns of Codex count replies. Costs of aider are per attempt.",)),
    ):
        monkeypatch.setattr("sitegen.__version__", ours)
        remarks = of_pack(pack, Redactor(), DEFAULT).remarks
        assert (
            tuple(each.partition("differently: ")[2] for each in remarks if "1.9.2" in each) == said
        )


def test_a_pack_that_is_cut_is_refused(packed: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.zip"
    cut.write_bytes((packed / "c.zip").read_bytes()[:-300])
    with pytest.raises(ReadError):
        packs.read(Source("cut.zip", str(cut), named=True, size=0), Redactor())


def test_settings_of_a_pack_mask_no_less_and_lead_nowhere() -> None:
    hostile = {
        "title": "T",
        "theme": "/srv",
        "static": "/etc",
        "redact": {"off": {"github token": "no"}},
        "output": "/",
    }
    config = Config().with_pack("c.zip", hostile, is_alone=True)
    assert (config.title, config.theme, config.static, config.output) == ("T", None, None, "site")
    assert not config.redact.off


def test_a_pack_keeps_what_its_leaderboard_ranks_by() -> None:
    stated = Config(leaderboard=Leaderboard(rank_by="score.speedup")).for_pack()
    assert Config().with_pack("c.zip", stated, is_alone=True).leaderboard.score == "speedup"


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
    surveyed = of_pack(
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


@pytest.mark.parametrize(
    "named",
    [
        "-c",
        "inputs: [sub/full.zip]\n",
        "inputs: ['sub/*.zip']\n",
        "inputs: [sub]\n",
        "inputs: [gone, {path: ./sub/../sub/full.zip}]\n",
        "campaigns: [{path: sub/full.zip, name: a, date: 2026-01-01}]\n",
    ],
)
def test_settings_that_name_a_pack_keep_what_makes_it_safe(
    full: Path, tmp_path: Path, named: str
) -> None:
    """Gates, masking, the level of steps, the output and the address are theirs; the look is the pack's."""
    campaigns.write(tmp_path, {"config.yaml": HERE + (named if named != "-c" else "")})
    shutil.copytree(full / "sub", tmp_path / "sub")
    if named == "-c":
        (tmp_path / "config.yaml").rename(tmp_path / "other.yaml")
    command = ("build", *(("-c", "other.yaml") if named == "-c" else ()), "sub/full.zip")
    done = sitegen(*command, "--json", cwd=tmp_path)
    gates = {
        gate["name"]: (gate["verdict"], gate["limit"]) for gate in json.loads(done.stdout)["gates"]
    }
    assert done.returncode == 3 and gates == {"runs": ("failed", "at least 9, at most 7")}
    text = shown(tmp_path / "out")
    assert "<h1>Packed</h1>" in text and "Here" not in text
    assert "once more" not in text and TOKEN not in text and STEPS not in text
    assert "here.example" in text and "packed.example" not in text


@pytest.mark.parametrize(
    ("ours", "packs"),
    [
        ({"min": 9}, {"max": 0, "unknown": "allow"}),
        ({"min": 9, "by": "task"}, {"max": 0}),
        ({"min": 9}, {"max": 0, "by": "model"}),
        ({"min": 9, "where": {"task": "a"}}, {"max": 0, "where": {"task": "b"}}),
    ],
)
@pytest.mark.parametrize("name", ["runs", "total_cost_usd", "score.speed.median"])
def test_a_gate_of_a_pack_that_cannot_be_one_with_ours_is_held_too(
    name: str, ours: dict[str, Any], packs: dict[str, Any]
) -> None:
    def stated(limits: dict[str, Any]) -> dict[str, Any]:
        score, _, statistic = name.rpartition(".")
        return {score: {statistic: limits}} if score else {name: limits}

    here = Config.model_validate({"gates": stated(ours)})
    built = here.with_pack("c.zip", {"gates": stated(packs)}, is_alone=False)
    told = [
        each[name].model_dump(exclude_defaults=True)
        for each in (built.gates.limits, built.gates.apart)
    ]
    assert told == [ours, packs]
    same = here.with_pack("c.zip", {"gates": stated({**ours, "max": 99})}, is_alone=False)
    assert not same.gates.apart and same.gates.limits[name].max == 99


def test_packing_a_pack_says_which_gates_are_left_out(full: Path, tmp_path: Path) -> None:
    campaigns.write(tmp_path, {"here.yaml": "gates: {runs: {min: 1, by: task}}\n"})
    command = ("pack", "-c", "here.yaml", str(full / "sub/full.zip"), "-o", "again.zip", "-q")
    assert "yours differ: gates of the pack on runs" in sitegen(*command, cwd=tmp_path).stderr


def test_inputs_that_are_one_pack_are_built_like_it(full: Path, tmp_path: Path) -> None:
    campaigns.write(
        tmp_path, {"config.yaml": HERE + f"inputs: [{json.dumps(str(full / 'sub/full.zip'))}]\n"}
    )
    done = sitegen("build", cwd=tmp_path)
    assert done.returncode == 3 and "<h1>Packed</h1>" in shown(tmp_path / "out")


def test_other_settings_of_the_folder_only_mask_more_and_show_less(
    full: Path, tmp_path: Path
) -> None:
    campaigns.write(
        tmp_path, {"config.yaml": HERE + "inputs: [runs]\ntheme: gone\noutcomes: [gone.csv]\n"}
    )
    shutil.copytree(full / "sub", tmp_path / "sub")
    done = sitegen("build", "sub/full.zip", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    first, *rest = done.stdout.splitlines()
    assert first.startswith("settings: config.yaml, only `redact` and `steps`") and first.endswith(
        "and no gates"
    )
    assert not any("redact" in line and "steps" in line for line in rest)
    text = shown(tmp_path / "site")
    assert "once more" not in text and STEPS not in text and "<h1>Packed</h1>" in text
    assert "here.example" not in text and "packed.example" in text
    without = sitegen("build", "--no-config", "sub/full.zip", "-o", "without", cwd=tmp_path)
    assert (without.returncode, without.stdout.splitlines()[0]) == (0, "settings: none")
    assert "once more" in shown(tmp_path / "without") and STEPS in shown(tmp_path / "without")


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
        {"gates": {"runs": {"max": math.nan}}},
        {"gates": {"cost": {"increase": {"max": 1}}}},
        {"title": 7},
    ],
)
def test_damaged_settings_of_a_pack_are_refused_in_a_sentence(
    packed: Path, tmp_path: Path, settings: object
) -> None:
    def change(name: str, lines: list[Any]) -> None:
        if name == packs.MARKER:
            lines[0]["settings"] = settings

    pack = forged(packed, tmp_path, change)
    done = sitegen("build", pack.location, "-o", "site", cwd=tmp_path)
    assert done.returncode == 2 and "damaged" in done.stderr and done.stderr.count("\n") == 1


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
    facts = of_pack(pack, Redactor(), DEFAULT)
    assert facts.entries and not [each for each in facts.masked if each.place in packs.TEXTS]
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
    assert {(pack.path, "title"), (pack.path, "description")} <= places
    assert sitegen("build", pack.location, "-o", "site", "--strict", cwd=tmp_path).returncode == 1
