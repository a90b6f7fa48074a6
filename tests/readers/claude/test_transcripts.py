"""Sessions from several files: copies and subagents count once, costs are reported or computed, and steps are read
again, masked."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sitegen import load_runs
from sitegen.api import Runs
from sitegen.collect import collect
from sitegen.config import Config, Input
from sitegen.errors import ReadError
from sitegen.inputs import source_files
from sitegen.inputs import steps_again as steps_read_again
from sitegen.inputs.steps_again import steps_of
from sitegen.masking.redact import Redactor
from sitegen.model import Entry, Source
from sitegen.readers.claude import transcripts
from sitegen.readers.run_file import RunFile
from sitegen.steps import Step, StepKind
from sitegen.system.bounds import Bounds
from tests.support import campaigns, site_checks
from tests.support.agent_runs import files, objects
from tests.support.reading import read_source
from tests.support.transcripts import SESSION, Teller, lines

pytestmark = pytest.mark.blank_charts


def entries(folder: Path, files: dict[str, Sequence[dict[str, Any]]]) -> list[Entry]:
    """The runs in a folder of these files."""
    campaigns.write(folder, {name: lines(*records) for name, records in files.items()})
    return list(load_runs(str(folder)))


def steps(entry: Entry) -> list[Step]:
    return list(steps_of(entry, Redactor()))


def answered(length: int = 2, **common: Any) -> list[dict[str, Any]]:
    """The lines of such a session."""
    return session(length, **common)[1]


def session(length: int = 2, **common: Any) -> tuple[Teller, list[dict[str, Any]]]:
    """A session of so many answered calls."""
    t = Teller(**common)
    records = [t.prompt("Mend the parser.")]
    for number in range(length):
        records += [
            t.calls(f"c{number}", "Bash", f"m{number}", command="make"),
            t.answers(f"c{number}"),
        ]
    return t, records


def test_a_session_that_was_resumed_in_a_copy_is_shown_once(tmp_path: Path) -> None:
    t, first = session()
    longer = [*first, t.says("Mended.", "end")]
    (entry,) = entries(tmp_path, {"a.jsonl": first, "b.jsonl": longer})
    assert (entry.source.path, entry.run.steps and entry.run.steps.tool_calls) == ("b.jsonl", 2)
    (problem,) = load_runs(str(tmp_path)).problems
    assert (problem.path, problem.code, problem.page_id) == ("a.jsonl", "W_DUPLICATE", entry.id)


def test_two_forks_of_a_session_count_what_they_share_once(tmp_path: Path) -> None:
    t, common = session()
    one = [*common, t.calls("x", "Bash", "mx"), t.answers("x"), t.says("One.", "my")]
    other = [*common, *(line | {"sessionId": "other"} for line in (t.says("Other.", "mz", 77),))]
    first, second = entries(tmp_path, {"a.jsonl": one, "b.jsonl": other})
    assert [e.run.steps and e.run.steps.tool_calls for e in (first, second)] == [3, 0]
    assert second.run.tokens.output == 77
    assert [c.code for c in second.run.caveats] == ["W_COPY"] and not first.run.caveats
    assert [(step.kind, step.text) for step in steps(second)] == [(StepKind.TEXT, "Other.")]
    assert len(steps(first)) == 5


def test_files_of_subagents_are_folded_into_their_session(tmp_path: Path) -> None:
    main = Teller()
    start = [
        main.prompt("Do it."),
        main.calls("task", "Task", "m1", 10, description="Look", prompt="Look."),
    ]
    sub = Teller(begin=2, agentId="a1", isSidechain=True)
    looked = [
        sub.prompt("Look."),
        sub.calls("r", "Read", "s1", 40),
        sub.answers("r"),
        sub.says("Seen.", "s2", 50),
    ]
    end = Teller(begin=9)
    rest = [end.answers("task", "Seen.", {"agentId": "a1"}), end.says("Done.", "m2", 5)]
    files = {f"{SESSION}.jsonl": [*start, *rest], f"{SESSION}/subagents/agent-a1.jsonl": looked}
    (entry,) = entries(tmp_path, files)
    assert entry.run.tokens.output == 10 + 40 + 50 + 5
    assert entry.run.steps is not None and (
        entry.run.steps.tool_calls,
        entry.run.steps.subagents,
    ) == (2, 1)
    assert not entry.run.ledger_is_lower_bound
    found = steps(entry)
    assert [(s.kind.value, s.lane) for s in found] == [
        ("prompt", ""),
        ("subagent", ""),
        ("prompt", "a1"),
        ("tool call", "a1"),
        ("text", "a1"),
        ("tool call", ""),
        ("text", ""),
    ]
    assert [step.number for step in found] == list(range(7)) and found[5].starts == "a1"


@pytest.mark.skipif(os.name != "posix", reason="the bound on open files")
def test_a_session_may_have_more_subagents_than_files_may_be_open(tmp_path: Path) -> None:
    import resource

    files: dict[str, list[dict[str, Any]]] = {f"{SESSION}.jsonl": [Teller().prompt("Do it.")]}
    for number in range(150):
        sub = Teller(begin=1 + 3 * number, agentId=f"a{number}", isSidechain=True)
        files[f"{SESSION}/subagents/agent-a{number}.jsonl"] = [
            sub.prompt("Look."),
            sub.says("Seen."),
        ]
    (entry,) = entries(tmp_path, files)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard))
    try:
        found = steps(entry)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert [step.lane for step in found] == ["", *(f"a{number // 2}" for number in range(300))]


def test_without_the_file_of_a_subagent_the_tokens_are_a_lower_bound(tmp_path: Path) -> None:
    t = Teller()
    (entry,) = entries(
        tmp_path,
        {"a.jsonl": [t.prompt("x"), t.calls("task", "Task", prompt="Look."), t.answers("task")]},
    )
    assert entry.run.ledger_is_lower_bound


@pytest.mark.parametrize("has_file", [False, True])
def test_a_subagent_that_stands_in_both_files_counts_once(tmp_path: Path, has_file: bool) -> None:
    main = Teller()
    sub = Teller(begin=2, agentId="a1", isSidechain=True)
    looked = [sub.prompt("Look."), sub.calls("r", "Read", "s1", 40), sub.answers("r")]
    progress = [
        main.line(
            "progress",
            data={"type": "agent_progress", "agentId": "a1", "message": line},
            parentToolUseID="task",
        )
        for line in looked
    ]
    whole = [
        main.prompt("x"),
        main.calls("task", "Task", prompt="Look."),
        *progress,
        main.answers("task"),
    ]
    files = {f"{SESSION}.jsonl": whole}
    (entry,) = entries(
        tmp_path, files | ({f"{SESSION}/subagents/agent-a1.jsonl": looked} if has_file else {})
    )
    assert entry.run.tokens.output == 50
    assert entry.run.steps is not None and entry.run.steps.tool_calls == 2
    assert [step.lane for step in steps(entry) if step.call and step.call.name == "Read"] == [
        "a1" if has_file else "task"
    ]


def test_subagents_beyond_the_bound_are_left_out_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(transcripts, "MAX_AGENTS", 3)
    main = Teller()
    progress = []
    for number in range(5):
        says = Teller(begin=number, agentId=f"a{number}").says("Seen.", f"m{number}")
        data = {"type": "agent_progress", "agentId": f"a{number}", "message": says}
        progress.append(main.line("progress", data=data, parentToolUseID=f"t{number}"))
    file = RunFile.of("a.jsonl", lines(main.prompt("x"), *progress))
    session, *agents = read_source(file, named=False) or ()
    assert [run.agent_id for run in agents] == ["a0", "a1", "a2"]
    assert [caveat.code for caveat in session.caveats] == ["W_LIMIT"]


def test_of_many_subagents_only_some_files_are_open_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = Teller()
    files = {f"{SESSION}.jsonl": [main.prompt("x"), main.says("Look."), main.says("Done.", "m2")]}
    for number in range(6):
        sub = Teller(agentId=f"a{number}", isSidechain=True)
        files[f"{SESSION}/subagents/agent-a{number}.jsonl"] = [
            sub.prompt("Look."),
            sub.says("Seen."),
            sub.says("Left."),
        ]
    (entry,) = entries(tmp_path, files)
    opened, most = Counter[str](), 0

    @contextmanager
    def watched(source: Source, bounds: Bounds) -> Iterator[RunFile]:
        nonlocal most
        opened["now"] += 1
        most = max(most, opened["now"])
        with opened_contents(source, bounds) as file:
            yield file
        opened["now"] -= 1

    opened_contents = source_files.opened
    monkeypatch.setattr(source_files, "opened", watched)
    monkeypatch.setattr(steps_read_again, "MAX_OPEN", 3)
    assert len(steps(entry)) == 7 * 3 and most == 3


def test_a_subagent_without_its_session_is_a_run_of_its_own(tmp_path: Path) -> None:
    sub = Teller(agentId="a1", isSidechain=True)
    (entry,) = entries(tmp_path, {"agent-a1.jsonl": [sub.prompt("Look."), sub.says("Seen.")]})
    assert entry.run.agent_id == "a1" and {step.lane for step in steps(entry)} == {"a1"}


def test_a_cost_that_is_kept_is_reported_and_any_other_is_computed(tmp_path: Path) -> None:
    records = answered()
    state = {"type": "cost-state", "sessionId": SESSION}
    first = state | {"totalCostUSD": 0.1, "modelUsage": {}}
    last = state | {
        "totalCostUSD": 0.75,
        "modelUsage": {campaigns.SONNET: campaigns.usage(campaigns.SONNET, 3)},
    }
    others = answered(session="other")
    kept, computed = entries(tmp_path, {"a.jsonl": [*records, first, last], "b.jsonl": others})
    assert (kept.run.cost_usd, kept.run.computed_cost_usd, kept.run.tokens.output) == (
        0.75,
        None,
        900,
    )
    assert computed.run.cost_usd is None
    usd = 2 * (5 * 3 + 100 * 3 * 1.25 + 895 * 3 * 0.1 + 10 * 15) / 1e6
    assert computed.run.computed_cost_usd == pytest.approx(
        usd
    ) and computed.run.spent_usd == pytest.approx(usd)


def test_a_kept_cost_that_lacks_models_is_a_caveat(tmp_path: Path) -> None:
    state = {
        "type": "cost-state",
        "sessionId": SESSION,
        "totalCostUSD": 0.1,
        "hasUnknownModelCost": True,
    }
    (entry,) = entries(tmp_path, {"a.jsonl": [*answered(), state]})
    assert entry.run.cost_usd == 0.1 and [caveat.code for caveat in entry.run.caveats] == [
        "W_MISSING"
    ]


# The result of the session


def result_of_session(number: int = 1, **changes: Any) -> dict[str, Any]:
    return campaigns.result(number, session_id=SESSION, **changes)


def write_both(folder: Path, records: Sequence[dict[str, Any]], **results: dict[str, Any]) -> Runs:
    files = {f"{name}.json": json.dumps(result).encode() for name, result in results.items()}
    campaigns.write(folder, {"t.jsonl": lines(*records), **files})
    return load_runs(str(folder))


def test_a_result_has_the_figures_and_the_transcript_of_its_session_the_steps(
    tmp_path: Path,
) -> None:
    records = answered()
    (entry,) = write_both(tmp_path, records, result=result_of_session())
    assert (entry.source.path, entry.run.cost_usd) == (
        "result.json",
        result_of_session()["total_cost_usd"],
    )
    assert entry.run.tokens.output == 300 and not entry.run.caveats
    assert entry.run.steps is not None and entry.run.steps.tool_calls == 2
    assert [step.kind.value for step in steps(entry)] == ["prompt", "tool call", "tool call"]


def test_a_transcript_that_counts_more_than_the_result_is_a_caveat(tmp_path: Path) -> None:
    (entry,) = write_both(tmp_path, answered(60), result=result_of_session())
    assert [caveat.code for caveat in entry.run.caveats] == ["W_CONTRADICTION"]
    assert entry.run.caveats[0].text == (
        "The transcript of the session and its result count 60,600 and 21,400 tokens; 21,400 are shown."
    )


def test_a_result_takes_from_its_transcript_what_it_does_not_state(tmp_path: Path) -> None:
    (entry,) = write_both(tmp_path, answered(), result=result_of_session())
    assert (entry.started_at, entry.run.agent_version) == ("2026-03-01T10:00:00Z", "2.1.62")


def test_a_cost_that_a_transcript_keeps_and_the_result_contradicts_is_said(tmp_path: Path) -> None:
    (entry,) = write_both(
        tmp_path,
        [*answered(), {"type": "cost-state", "totalCostUSD": 9.5}],
        result=result_of_session(),
    )
    usd = result_of_session()["total_cost_usd"]
    assert entry.run.cost_usd == usd
    assert [caveat.text for caveat in entry.run.caveats if "$9.50" in caveat.text] == [
        f"The transcript of the session and its result report $9.50 and ${usd:.2f}; ${usd:.2f} is shown."
    ]


def test_results_of_one_session_are_never_merged_and_its_transcript_counts_in_none(
    tmp_path: Path,
) -> None:
    runs = write_both(tmp_path, answered(), one=result_of_session(1), two=result_of_session(2))
    assert [(entry.source.path, entry.run.steps) for entry in runs] == [
        ("one.json", None),
        ("two.json", None),
    ]


def test_a_stream_that_breaks_off_gives_way_to_the_transcript_of_its_session(
    tmp_path: Path,
) -> None:
    begin = {
        "type": "system",
        "subtype": "init",
        "session_id": SESSION,
        "model": campaigns.SONNET,
        "tools": [],
    }
    campaigns.write(tmp_path, {"t.jsonl": lines(*answered()), "s.log": lines(begin)})
    runs = load_runs(str(tmp_path))
    assert [entry.source.path for entry in runs] == ["t.jsonl"]
    assert [(problem.path, problem.code) for problem in runs.problems] == [("s.log", "W_DUPLICATE")]


def test_a_copy_leads_to_the_page_that_has_its_steps(tmp_path: Path) -> None:
    t, first = session()
    campaigns.write(
        tmp_path, {"a.jsonl": lines(*first), "b.jsonl": lines(*first, t.says("Mended.", "end"))}
    )
    campaigns.write(tmp_path, {"r.json": json.dumps(result_of_session())})
    runs = load_runs(str(tmp_path))
    assert [entry.source.path for entry in runs] == ["r.json"]
    assert [(problem.path, problem.page_id) for problem in runs.problems] == [
        ("a.jsonl", runs[0].id)
    ]
    campaigns.write(tmp_path, {"q.json": json.dumps(result_of_session(2))})
    found = [
        (problem.code, problem.page_id is None) for problem in load_runs(str(tmp_path)).problems
    ]
    assert found == [("W_DUPLICATE", True), ("W_STEPS", False)]


def test_a_transcript_that_is_still_written_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    data = lines(*answered())
    campaigns.write(tmp_path, {"t.jsonl": data[:-40]})
    (entry,) = load_runs(str(tmp_path))
    assert {caveat.code for caveat in entry.run.caveats} == {"W_BAD_LINE", "W_MISSING"}
    assert entry.run.ledger_is_lower_bound
    assert (
        entry.run.steps is not None
        and entry.run.steps.tool_calls == 2
        and entry.run.status.value == "interrupted"
    )


def test_a_real_stream_cut_into_transcript_and_result_is_the_same_run(
    shared: Path, tmp_path: Path
) -> None:
    """No real pair of both is among the shared runs, so one is made of the largest stream."""
    streams = (path for path in (shared / "runs" / "claude-stream").rglob("*") if path.is_file())
    (path,) = (p for p in streams if p.stat().st_size in range(1_600_000, 1_700_000))
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    whole = campaigns.write(tmp_path / "stream", {"a.jsonl": path.read_bytes()})
    (expected,) = load_runs(str(whole))
    last = (
        records[-1]
        if records[-1]["type"] == "result"
        else [r for r in records if r["type"] == "result"][-1]
    )
    session_id = last["session_id"]
    told = [
        record | {"sessionId": session_id, "parentUuid": None}
        for record in records
        if record["type"] in ("assistant", "user", "system")
    ]
    cut = campaigns.write(tmp_path / "cut", {"t.jsonl": lines(*told), "r.json": json.dumps(last)})
    (entry,) = load_runs(str(cut))
    assert (
        entry.run.cost_usd == expected.run.cost_usd
        and entry.run.tokens.total == expected.run.tokens.total
    )
    assert entry.run.steps is not None and expected.run.steps is not None
    assert entry.run.steps.tool_calls == 273 and entry.run.steps.tool_failures == 18
    assert entry.run.steps == replace(expected.run.steps, steps=entry.run.steps.steps)
    assert expected.run.steps.steps - entry.run.steps.steps == 23, "the ends of the parts"
    assert "W_CONTRADICTION" not in {caveat.code for caveat in entry.run.caveats}


def test_time_that_nobody_worked_is_not_counted(tmp_path: Path) -> None:
    records = answered(1)
    later = Teller(begin=1000)
    command = Teller(begin=3000).prompt("<command-name>/exit</command-name>")
    more = [later.prompt("And now?"), later.says("Now.", "m9"), command]
    (entry,) = entries(tmp_path, {"a.jsonl": [*records, *more]})
    assert entry.run.wall_ms == 3000 and entry.run.started_at == "2026-03-01T10:00:00Z"


def queued(second: int, operation: str = "enqueue", **content: str) -> dict[str, Any]:
    """A line of the queue of prompts, as newer versions write it."""
    at = f"2026-03-01T10:{second // 60:02}:{second % 60:02}.000Z"
    return {
        "type": "queue-operation",
        "operation": operation,
        "timestamp": at,
        "sessionId": SESSION,
    } | content


@pytest.mark.parametrize(
    ("between", "wall_ms"),
    [
        pytest.param([], 4000, id="no queue"),
        pytest.param(
            [queued(1000, content="And now?"), queued(1000, "dequeue")], 4000, id="prompt"
        ),
        pytest.param(
            [queued(900, content="And now?"), queued(1000, "dequeue")],
            4000,
            id="prompt that waited",
        ),
        pytest.param(
            [queued(990, content="And"), queued(1000, "popAll", content="And")],
            4000,
            id="taken back",
        ),
        pytest.param(
            [queued(1000, content="/model opus"), queued(1000, "dequeue")], 4000, id="command"
        ),
        pytest.param(
            [queued(990, content="<task-notification>built"), queued(990, "dequeue")],
            992_000,
            id="own background task",
        ),
    ],
)
def test_a_prompt_ends_a_pause_also_from_the_queue(
    tmp_path: Path, between: Sequence[dict[str, Any]], wall_ms: int
) -> None:
    later = Teller(begin=1000)
    more = [later.prompt("And now?"), later.says("Now.", "m8"), later.says("Done.", "m9")]
    (entry,) = entries(tmp_path, {"a.jsonl": [*answered(1), *between, *more]})
    assert entry.run.wall_ms == wall_ms


def test_a_pause_ends_with_the_queue_where_the_prompt_has_no_other_line(tmp_path: Path) -> None:
    taken = [queued(990, content="And now?"), queued(1000, "dequeue")]
    (entry,) = entries(
        tmp_path, {"a.jsonl": [*answered(1), *taken, Teller(begin=1001).says("Now.", "m9")]}
    )
    assert (entry.run.wall_ms, entry.run.steps and entry.run.steps.steps) == (3000, 4)


def test_a_prompt_that_is_queued_while_a_tool_runs_ends_no_pause(tmp_path: Path) -> None:
    t, records = session(1)
    call = t.calls("c9", "Bash", "m8", command="make")
    waits = [queued(300, content="Faster."), queued(310, "dequeue")]
    answer = {**t.answers("c9"), "timestamp": "2026-03-01T10:10:00.000Z"}
    (entry,) = entries(tmp_path, {"a.jsonl": [*records, call, *waits, answer]})
    assert entry.run.wall_ms == 600_000


def test_texts_of_steps_are_masked_wherever_they_stand(tmp_path: Path) -> None:
    secret = "sk-ant-" + "api03-" + "Qx7Lm2Vd9" * 8
    t = Teller()
    edit = {"file_path": f"/srv/{secret}", "old_string": secret, "new_string": f"a = '{secret}'"}
    records = [
        t.prompt(f"Use {secret}."),
        t.says(f"I use {secret}."),
        t.calls("c", "Bash", command=f"curl -H 'x-api-key: {secret}'", description=secret),
        t.answers("c", f"key {secret}"),
        t.calls("e", "Edit", **edit),
        t.answers("e"),
    ]
    (entry,) = entries(tmp_path, {"a.jsonl": records})
    found = steps(entry)
    assert len(found) == 4 and secret not in repr(found) and secret[:30] not in repr(found)


def test_steps_of_a_file_that_changed_are_refused(tmp_path: Path) -> None:
    t, records = session()
    (entry,) = entries(tmp_path, {"a.jsonl": records})
    assert len(steps(entry)) == 3
    campaigns.write(tmp_path, {"a.jsonl": lines(*records, t.says("More.", "m9"))})
    with pytest.raises(ReadError) as refused:
        steps(entry)
    assert refused.value.code == "W_CHANGED"
    (tmp_path / "a.jsonl").unlink()
    with pytest.raises(ReadError) as refused:
        steps(entry)
    assert refused.value.code == "W_CHANGED"


@pytest.mark.parametrize(
    ("last", "status"),
    [
        ("end_turn", "ok"),
        ("over", "ok"),
        ("text", "unknown"),
        ("call", "interrupted"),
        ("interrupted", "interrupted"),
        ("limit", "stopped"),
    ],
)
def test_how_a_session_ended_is_what_its_last_lines_tell(last: str, status: str) -> None:
    t, records = session(1)
    said = t.says("Done.", "end")
    if last == "end_turn":
        said["message"]["stop_reason"] = "end_turn"
    over = t.line("system", subtype="turn_duration", durationMs=5)
    stopped = t.prompt("[Request interrupted by user]")
    limit = {
        "id": "e",
        "model": "<synthetic>",
        "content": [{"type": "text", "text": "You've hit your limit"}],
    }
    more = {
        "over": [said, over],
        "call": [t.calls("z", "Bash")],
        "interrupted": [stopped],
        "limit": [t.line("assistant", message=limit, isApiErrorMessage=True)],
    }
    (run,) = (
        read_source(RunFile.of("a.jsonl", lines(*records, *more.get(last, [said]))), named=False)
        or ()
    )
    assert run.status.value == status


def test_a_second_build_knows_the_facts_of_steps(tmp_path: Path) -> None:
    from sitegen.cache.memory import ValueKind, decoded, encoded

    records = answered()
    (entry,) = entries(tmp_path, {"a.jsonl": records})
    bare = replace(entry, source=replace(entry.source, location=""))
    assert decoded(ValueKind[Entry]("entry", Entry), encoded(bare)) == bare
    assert len(encoded(bare)) < 2_700


@pytest.mark.parametrize("home", ["-home-", "-Users-", "C--Users-"])
def test_the_folder_of_a_project_is_masked_as_the_path_that_it_stands_for(
    tmp_path: Path, home: str
) -> None:
    records = answered()
    folder = home + "marlow-work-parser"
    campaigns.write(tmp_path, {f"projects/{folder}/{SESSION}.jsonl": lines(*records)})
    (entry,) = load_runs(str(tmp_path / "projects"))
    assert "marlow" not in json.dumps([entry.source.path, entry.title, entry.id])


def test_a_transcript_of_several_results_stands_on_the_page_of_their_session(
    tmp_path: Path,
) -> None:
    from tests.support.command import sitegen

    told = Teller()
    files = {
        "a.json": campaigns.result(1, session_id=SESSION),
        "b.json": campaigns.result(2, session_id=SESSION),
        f"{SESSION}.jsonl": lines(
            told.prompt("Go."), told.calls("x", "Bash", command="ls"), told.answers("x")
        ),
    }
    campaigns.write(tmp_path / "runs", files)
    survey = collect(
        Config(inputs=(Input(path=str(tmp_path / "runs")),)), Redactor(), lambda _, items: items
    )
    assert [problem.code for problem in survey.problems] == ["W_STEPS"]
    assert len(survey.entries) == 2 and [entry.id for entry in survey.shared_transcripts]
    done = sitegen("build", "runs", "--no-config", "-o", "site", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    site, of_session = tmp_path / "site", f"runs/{survey.shared_transcripts[0].id}"
    pages = [path.read_text("utf-8") for path in (site / "sessions").glob("*.html")]
    assert sum(f"../{of_session}.html" in page for page in pages) == 1
    told_page = (site / f"{of_session}.html").read_text("utf-8")
    assert "A session with 2 results" in told_page and f"../{of_session}/steps-1.html" in told_page
    assert '<li id="s2"' in (site / of_session / "steps-1.html").read_text("utf-8")
    assert site_checks.findings(site) == []
    assert (
        sitegen(
            "build", "runs", "--no-config", "-o", "bare", "--steps", "none", cwd=tmp_path
        ).returncode
        == 0
    )
    assert (
        not (tmp_path / f"bare/{of_session}.html").exists()
        and site_checks.findings(tmp_path / "bare") == []
    )


def test_real_transcripts_have_the_figures_of_their_messages(shared: Path) -> None:
    """Of each message the largest counts, since each of its lines repeats them; subagents are runs of their own."""
    kinds = {
        "input": "input",
        "cache_write": "cache_creation_input",
        "cache_read": "cache_read_input",
        "output": "output",
    }
    found = files(shared / "runs" / "claude-transcript")
    for path in found:
        counts: dict[str, dict[str, int]] = {kind: {} for kind in kinds}
        for number, record in enumerate(objects(path)):
            message = record.get("message")
            if record.get("type") == "assistant" and message.get("model") != "<synthetic>":
                for kind, name in kinds.items():
                    if (count := message.get("usage", {}).get(f"{name}_tokens")) is not None:
                        of_kind, key = counts[kind], message.get("id") or str(number)
                        of_kind[key] = max(count, of_kind.get(key, 0))
        main = (read_source(RunFile.of(path.name, path.read_bytes()), named=False) or ())[0]
        told = {
            kind: sum(of_kind.values()) if of_kind else None for kind, of_kind in counts.items()
        }
        if not any(told.values()):
            told = dict.fromkeys(kinds)  # none is known where all are 0
        assert {kind: main.tokens.kind(kind) for kind in kinds} == told, path
    assert len(found) > 50


def test_an_answer_of_a_subagent_without_counts_makes_the_session_a_lower_bound(
    tmp_path: Path,
) -> None:
    main, sub = Teller(), Teller(begin=3, agentId="a1", isSidechain=True)
    start = [main.prompt("Go."), main.calls("task", "Task", prompt="Look."), main.answers("task")]
    bare = sub.says("Seen.", "s2")
    bare["message"]["usage"] = None
    looked = [sub.prompt("Look."), sub.says("Looking.", "s1", 40), bare]
    (entry,) = entries(
        tmp_path, {f"{SESSION}.jsonl": start, f"{SESSION}/subagents/agent-a1.jsonl": looked}
    )
    assert (entry.run.tokens.output, entry.run.ledger_is_lower_bound) == (50, True)
