"""The facts that files and their paths come to, and the sentences about names and patterns that fit nothing."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from sitegen.cache import memory as memory_module
from sitegen.cache.memory import Memory
from sitegen.cache.seal import KEY_VARIABLE
from sitegen.errors import ReadError
from sitegen.inputs import survey as module
from sitegen.inputs.discover import discover
from sitegen.inputs.survey import (
    Facts,
    Naming,
    forget_ignored,
    problems_of,
    reread_run,
    survey,
    unmatched_patterns,
    unused_names,
)
from sitegen.masking.redact import Redactor
from sitegen.model import (
    Caveat,
    Entry,
    Masked,
    ModelUsage,
    Problem,
    Run,
    Source,
    Status,
    Tokens,
    Verdict,
)
from sitegen.system.bounds import Bounds
from sitegen.text.names import PathPattern
from tests.collect import facts
from tests.support.campaigns import OPUS, SONNET, result, write

TOKEN = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"


def read(
    folder: Path,
    pattern: str | None = None,
    names: dict[str, dict[str, str]] | None = None,
    memory: Memory = memory_module.NO_MEMORY,
    **options: Any,
) -> Facts:
    """The facts of the files in a folder."""
    naming = Naming([PathPattern(pattern) if pattern else None], names or {})
    found = discover([folder], **options)
    return survey(found, naming, Redactor(), lambda _, items: items, memory=memory)


def test_a_file_of_a_run_comes_to_its_place_and_its_names(tmp_path: Path) -> None:
    files = {"May/fix_login/opus-1_x.json": result(1, OPUS)}
    write(tmp_path, files)
    facts_of_file = read(
        tmp_path,
        "{campaign}/{task}/{model}-{attempt}_{skill}.json",
        {"task": {"fix_login": "Fix it"}, "model": {OPUS: "Big"}},
    )
    (run,) = facts_of_file.entries
    assert (run.campaign, run.task, run.attempt) == ("May", "Fix it", 1)
    assert (run.model, run.stated_model, run.ledger_names) == ("Big", "opus", ("Big",))
    assert (run.factors, run.labels, run.number) == ((("skill", "x"),), (), 0)
    assert run.title == "opus-1_x"
    assert run.about == "Cut the copy in loop 1"
    assert run.digest == sha256((tmp_path / next(iter(files))).read_bytes()).hexdigest()
    assert run.run.texts.summary is None and run.is_untouched
    assert (facts_of_file.files, facts_of_file.problems, facts_of_file.masked) == (1, (), ())


def test_a_label_and_an_agent_in_the_path_are_of_the_run(tmp_path: Path) -> None:
    write(tmp_path, {"codex/night.json": result(1)})
    (run,) = read(tmp_path, "{agent}/{label}.json").entries
    assert (run.labels, run.factors, run.agent) == (("night",), (("agent", "codex"),), "codex")
    assert (run.task, run.attempt, run.stated_model) == (None, None, None)


def test_files_that_are_no_runs_are_ignored_or_problems(tmp_path: Path) -> None:
    files: dict[str, Any] = {"1.json": result(1), "2.json": '{"type": "resu', "a.png": b"\x89PNG"}
    write(tmp_path, {**files, ".hidden": "", "b.json": "{}"})
    found = read(tmp_path)
    assert [run.source.path for run in found.entries] == ["1.json"]
    assert [(each.path, each.code) for each in found.problems] == [("2.json", "E_TRUNCATED")]
    assert found.ignored_files == (
        (".hidden", "left out"),
        ("a.png", "image"),
        ("b.json", "json"),
    )
    assert found.files == 2
    assert found.unreadable == {"2.json"}


def test_an_archive_that_was_named_and_holds_no_run_is_a_problem(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("a.png", b"\x89PNG")
    naming = Naming([None])

    def reasons(location: Path) -> list[str]:
        found = survey(discover([location]), naming, Redactor(), lambda _, items: items)
        return [each.reason for each in found.problems]

    assert reasons(tmp_path) == []
    assert reasons(tmp_path / "x.zip") == [
        "No reader knows any of the files in this archive as a run."
    ]


def test_what_is_masked_is_counted_at_the_page_of_the_run(tmp_path: Path) -> None:
    record = result(1, result=f"The key is {TOKEN}. And {TOKEN}")
    record["permission_denials"] = [
        {"tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": f"echo {TOKEN}"}}
    ]
    write(tmp_path, {f"{TOKEN}/1.json": record})
    found = read(tmp_path)
    (run,) = found.entries
    assert not run.is_untouched
    assert TOKEN not in run.source.path + str(run.about)
    assert [(each.place, each.kind, each.count) for each in found.masked] == [
        ("file name", "github token", 1),
        ("summary", "github token", 2),
        ("refused tools", "github token", 2),
    ]
    assert {each.page_id for each in found.masked} == {run.id}


@pytest.mark.parametrize(
    ("texts", "place"),
    [
        ({"summary": TOKEN}, "summary"),
        ({"errors": (TOKEN,)}, "errors"),
        ({"structured_output": TOKEN}, "structured output"),
        ({"fields": (("a", TOKEN),)}, "further fields"),
    ],
)
def test_each_text_of_a_run_is_a_place_of_masks(texts: dict[str, Any], place: str) -> None:
    redactor = Redactor()
    masked = {name: redactor.each(value) for name, value in texts.items()}
    run = Run("a", Status.OK)
    with_texts = replace(run, texts=replace(run.texts, **masked))
    (mask,) = module._masked(facts.entry(run=run), with_texts)
    assert mask == Masked("1.json", place, "github token", 1, "1.json")
    untouched = replace(facts.entry(run=run), is_untouched=True)
    assert list(module._masked(untouched, with_texts)) == []


def test_what_is_masked_in_a_skipped_file_is_counted() -> None:
    problems = [
        Problem(verdict.value, "E_X", verdict, Redactor()(TOKEN))
        for verdict in (Verdict.SKIP, Verdict.ACCEPT)
    ]
    assert list(module._masked_in_problems(problems)) == [
        Masked(Verdict.SKIP.value, "reason", "github token", 1)
    ]
    assert module._count_files([facts.entry()], problems) == 2


def test_a_run_is_read_again_with_its_texts(tmp_path: Path) -> None:
    write(tmp_path, {"1.json": result(1), "2.json": result(2, result=f"Key {TOKEN}")})
    first, second = read(tmp_path).entries
    assert reread_run(first, Redactor()).texts.summary == (
        "## Cut the copy in loop 1\n\nThe buffer is **reused** now."
    )
    summary = reread_run(second, Redactor()).texts.summary
    assert summary is not None and summary.startswith("Key [redacted") and TOKEN not in summary
    write(tmp_path, {"1.json": result(3)})
    with pytest.raises(ReadError) as refused:
        reread_run(first, Redactor())
    assert refused.value.code == "W_CHANGED"


def test_a_summary_beyond_its_limit_is_a_caveat(tmp_path: Path) -> None:
    write(tmp_path, {"1.json": result(1, result="x" * 11)})
    (run,) = read(tmp_path, bounds=Bounds(summary_characters=10)).entries
    caveat = run.run.caveats[-1]
    assert (caveat.code, caveat.text) == (
        "W_MD_LIMIT",
        "This text is shown as it is, because it has 11 characters, and 10 is the limit.",
    )
    assert not read(tmp_path, bounds=Bounds(summary_characters=11)).entries[0].run.caveats


def test_caveats_are_problems_of_the_file_of_the_run() -> None:
    assert problems_of(facts.entry(), [Caveat("W_X", "Odd.")]) == [
        Problem("1.json", "W_X", Verdict.ACCEPT, "Odd.", page_id="1.json")
    ]


def test_files_that_turn_out_to_be_of_use_are_not_ignored() -> None:
    found = Facts(ignored_files=(("a", "json"), ("b", "text")))
    assert forget_ignored(found, {"a"}).ignored_files == (("b", "text"),)
    assert found.ignored == ("a", "b")


def test_names_are_those_of_the_settings_else_the_usual_ones() -> None:
    naming = Naming(
        [],
        {
            "model": {"m": "Our_model"},
            "agent": {"cc": "Our agent"},
            "task": {"t": "Our task"},
            "skill": {"x": "Xylo"},
        },
    )
    assert [naming.model(name) for name in ("m", SONNET, None)] == [
        "Our_model",
        "Claude Sonnet 4.5",
        "model not stated",
    ]
    assert [naming.agent(name) for name in ("cc", "mine")] == ["Our agent", "mine"]
    assert [naming.task(name) for name in ("t", "fix  it")] == ["Our task", "fix it"]
    pairs = [("skill", "x"), ("skill", "y"), ("agent", "cc"), ("other", "x")]
    assert [naming.value(*pair) for pair in pairs] == ["Xylo", "y", "Our agent", "x"]


def of_model(model: str, **known: Any) -> Entry:
    run = Run("a session", Status.OK, ledger=(ModelUsage(model, Tokens()),))
    return facts.entry(run=run, model="Shown", ledger_names=("Line",), **known)


def test_names_that_nothing_has_are_reported_with_the_nearest() -> None:
    names = {
        "model": {
            "raw-1": "A",
            "Shown": "B",
            "Line": "C",
            "path": "D",
            "table": "Line",
            "raw-2": "E",
        },
        "task": {"one": "Task 1", "two": "Task 2", "taks 1": "Task 3"},
        "agent": {"a": "A", "row": "B", "rwo": "C", "c": "D"},
    }
    run = of_model("raw-1", stated_model="path", task="Task 1")
    assert list(unused_names(Naming([], names), [run], {"row"})) == [
        "names: no run has a model raw-2; did you mean 'raw-1'?",
        "names: no run has a task two.",
        "names: no run has a task taks 1; did you mean 'Task 1'?",
        "names: no run has an agent rwo; did you mean 'row'?",
        "names: no run has an agent c.",
    ]
    assert list(unused_names(Naming([]), [run], set())) == []


def within(path: str, number: int = 0, task: str | None = None) -> Entry:
    run = facts.entry(path, task=task)
    return replace(run, source=replace(run.source, within=path, input=number))


@pytest.mark.parametrize(
    ("pattern", "paths", "sentences"),
    [
        ("{task}/{attempt}.json", ["a/1.json"], []),
        (
            "{task}/{attempt}.json",
            ["a/x.json"],
            [
                "The pattern {task}/{attempt}.json matches none of 1 run, a/x.json. "
                "{attempt} matches whole numbers only."
            ],
        ),
        (
            "{task}.json",
            ["a/x.json", "b/x.json"],
            ["The pattern {task}.json matches none of 2 runs, such as a/x.json."],
        ),
        (
            "{task}.json",
            ["a.json", "b/x.json"],
            [
                "The pattern {task}.json does not match 1 of 2 runs, b/x.json, so it has no task and no label from it."
            ],
        ),
        (
            "{skill}.json",
            ["a.json", "b/x.json", "c/x.json"],
            [
                "The pattern {skill}.json does not match 2 of 3 runs, such as b/x.json, so they have nothing from it."
            ],
        ),
    ],
)
def test_patterns_that_fit_no_run_are_reported(
    pattern: str, paths: list[str], sentences: list[str]
) -> None:
    naming = Naming([None, PathPattern(pattern)])
    runs = [within(path, 1) for path in paths] + [within("other/x/y.json", 0)]
    assert list(unmatched_patterns(naming, runs)) == sentences


def test_a_pattern_may_miss_runs_that_have_a_task_from_elsewhere() -> None:
    runs = [within("a.json"), within("b/x.json", task="t")]
    assert list(unmatched_patterns(Naming([PathPattern("{task}.json")]), runs)) == []
    factors = Naming([PathPattern("{task}_{skill}.json")])
    assert len(list(unmatched_patterns(factors, [within("a_b.json"), runs[1]]))) == 1
    assert len(list(unmatched_patterns(Naming([PathPattern("{task}.json")]), runs[1:]))) == 1


def test_of_a_transcript_for_several_runs_masks_have_no_page() -> None:
    lane = facts.entry("lane")
    run = replace(facts.entry("run"), lanes=(lane,))
    masked = [Masked(name, "summary", "k", 1, name) for name in ("run", "lane", "shared", "gone")]
    moved = module._move_to_pages(masked, [run], [facts.entry("shared")])
    assert [(each.path, each.page_id) for each in moved] == [
        ("run", "run"),
        ("lane", "run"),
        ("shared", None),
    ]


@pytest.fixture
def remembering(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written now is old enough to be trusted."""
    monkeypatch.setenv(KEY_VARIABLE, "a key that is known to this test")
    monkeypatch.setattr(memory_module, "YOUNG_NS", -(10**15))


def kept_names(folder: Path, runs: Path) -> tuple[int, Facts]:
    """How many files a build knows from the one before, and its facts."""
    memory = Memory(folder / "cache", folder / "site")
    known = len(memory.stamps(module._FILE))
    found = read(runs, memory=memory)
    memory.keep_all()
    memory.close()
    return known, found


@pytest.mark.usefixtures("remembering")
def test_a_file_that_is_as_it_was_is_not_read_again(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    write(runs, {"1.json": result(1), "2.json": '{"type": "resu', "3.png": b"\x89PNG"})
    write(runs, {f"{TOKEN}.json": result(2)})
    _, first = kept_names(tmp_path, runs)
    known, second = kept_names(tmp_path, runs)
    assert known == 2, "neither a problem nor a name that is masked"
    assert [replace(run, is_untouched=True) for run in second.entries] == [
        replace(run, is_untouched=True) for run in first.entries
    ]
    assert (second.problems, second.ignored_files) == (first.problems, first.ignored_files)


@pytest.mark.usefixtures("remembering")
def test_a_file_with_other_times_is_known_by_its_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = tmp_path / "runs"
    write(runs, {"1.json": result(1)})
    kept_names(tmp_path, runs)
    text = (runs / "1.json").read_bytes()
    (runs / "1.json").unlink()
    (runs / "1.json").write_bytes(text)
    parsed: list[str] = []
    parse = module._parsed
    monkeypatch.setattr(
        module,
        "_parsed",
        lambda source, content, locator=None: (
            parsed.append(source.path) or parse(source, content, locator)
        ),
    )
    kept_names(tmp_path, runs)
    assert parsed == []
    (runs / "1.json").write_bytes(text.replace(b"loop 1", b"loop 2"))
    _, changed = kept_names(tmp_path, runs)
    assert parsed == ["1.json"] and changed.entries[0].about == "Cut the copy in loop 2"


def test_what_may_pass_is_not_kept() -> None:
    file = Source("1.json", "1.json", named=False, size=1, within="1.json")
    placed = replace(facts.entry(), source=file, is_untouched=True)

    def kept(*codes: str, entries: tuple[Entry, ...] = (placed,)) -> bool:
        problems = tuple(Problem("1.json", code, Verdict.SKIP, "r") for code in codes)
        return module._ReadFile(entries, problems).kept(file, Redactor()) is not None

    assert kept() and kept("W_X") and kept(entries=())
    assert not kept("W_X", entries=())
    assert not any(kept(code) for code in ("E_LOST", "E_OUTCOMES_READ", "E_READ"))
    read_file = module._ReadFile((placed,)).kept(file, Redactor())
    assert read_file is not None
    (run,) = read_file.entries
    assert (run.source.location, run.source.address, run.is_untouched) == ("", None, False)
    (again,) = read_file.at("/in/1.json", None).entries
    assert again.source.location == "/in/1.json"


def test_a_file_that_ends_its_reader_is_a_problem() -> None:
    reading = module._Reading(Naming([None]), Redactor(), Bounds(), ())
    lost = reading.lost(Source("1.json", "1.json", named=False, size=1))
    assert lost.problems == (
        Problem(
            "1.json",
            "E_LOST",
            Verdict.SKIP,
            "The process that read it was killed, for example because memory ran out.",
        ),
    )


def test_a_run_with_another_ledger_has_other_names() -> None:
    reading = module._Reading(Naming([None], {"model": {"m": "Mine"}}), Redactor(), Bounds(), ())
    run = Run("a", Status.OK, ledger=(ModelUsage("m", Tokens()), ModelUsage(None, Tokens())))
    made = reading.refresh(replace(facts.entry(), model="Old"), run)
    assert (made.model, made.ledger_names, made.run) == ("Mine", ("Mine", "model not stated"), run)
    assert reading.refresh(made, Run("a", Status.OK)).model == "Mine"


@pytest.mark.parametrize(
    ("path", "database"), [("x/a.db-wal", "x/a.db"), ("a.db", None), ("a-wal", None)]
)
def test_a_log_is_that_of_a_database(path: str, database: str | None) -> None:
    assert module._database_of(path) == database


def test_runs_of_one_file_have_numbers_and_pages_of_their_own(tmp_path: Path) -> None:
    lines = "\n".join(json.dumps(result(number)) for number in (1, 2))
    write(tmp_path, {"1.jsonl": lines})
    runs = read(tmp_path).entries
    assert [run.number for run in runs] == [0, 1]
    assert len({run.id for run in runs}) == 2
    assert [reread_run(run, Redactor()).texts.summary for run in runs] == [
        f"## Cut the copy in loop {number}\n\nThe buffer is **reused** now." for number in (1, 2)
    ]
