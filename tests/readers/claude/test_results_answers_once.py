"""Each answer of a model counts once, at its own price, wherever a file repeats it or several files do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sitegen import load_runs, readers
from sitegen.model import ModelUsage, Run, Status, Tokens
from sitegen.readers.claude.totals import with_answers
from sitegen.readers.common.ledger import AnswerUsage
from sitegen.readers.run_file import RunFile
from tests.readers.claude.test_transcripts import entries, steps
from tests.support import campaigns
from tests.support.raw_steps import raw_steps
from tests.support.reading import read_source
from tests.support.transcripts import SESSION, Teller, lines

LONG_ID = "msg_01Ab23Cd45Ef67Gh89Jk01Mn"


def run_of(*records: dict[str, Any]) -> Run:
    (run,) = read_source(RunFile.of("a.jsonl", lines(*records)), named=False) or ()
    return run


def totals(*runs: Run) -> tuple[int, int]:
    return sum(run.tokens.sent or 0 for run in runs), sum(run.tokens.output or 0 for run in runs)


def answer(t: Teller, id_: str, sent: int = 1000, **usage: Any) -> dict[str, Any]:
    """An answer that is complete, with a usage of its own."""
    record = t.says(f"About {sent}.", id_)
    counts = {
        "input_tokens": sent,
        "output_tokens": 10,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
    }
    record["message"] |= {"id": id_, "stop_reason": "end_turn", "usage": counts | usage}
    return record


def renamed(record: dict[str, Any], session: str) -> dict[str, Any]:
    """A copy with another uuid in another session, as a resumed session may have it."""
    return record | {"uuid": f"new-{record['uuid']}", "sessionId": session}


@pytest.mark.parametrize("id_", ["m1", LONG_ID])
@pytest.mark.parametrize("place", ["same file", "other file", "subagent's file"])
def test_an_answer_under_another_uuid_is_the_same(tmp_path: Path, id_: str, place: str) -> None:
    t = Teller()
    records = [t.prompt("Go."), answer(t, id_)]
    copies = [renamed(record, SESSION if place != "other file" else "other") for record in records]
    more = [t.prompt("More.", sessionId="other"), answer(t, "m2", 300) | {"sessionId": "other"}]
    if place == "same file":
        files = {"a.jsonl": [*records, *copies]}
    elif place == "other file":
        files = {"a.jsonl": records, "b.jsonl": [*copies, *more]}
    else:
        aside = {"isSidechain": True, "agentId": "x"}
        files = {
            "a.jsonl": [
                t.prompt("Start."),
                *(record | aside for record in records),
                answer(t, "m3", 7),
            ],
            f"{SESSION}/subagents/agent-x.jsonl": [record | aside for record in copies],
        }
    found = entries(tmp_path, files)
    want = {"same file": 1000, "other file": 1300, "subagent's file": 1007}[place]
    assert totals(*(entry.run for entry in found))[0] == want
    assert len(found) == 1


@pytest.mark.parametrize("id_", ["", "  ", "chatcmpl-0", LONG_ID])
def test_an_id_that_a_gateway_repeats_is_no_identity(id_: str) -> None:
    t = Teller()
    records = [t.prompt("Go.")]
    for number in range(3):
        call = t.calls(f"c{number}", "Bash", command="ls")
        call["message"] = answer(t, id_, 1000 + number)["message"] | {
            "content": call["message"]["content"]
        }
        records += [call, t.answers(f"c{number}")]
    run = run_of(*records)
    assert (totals(run), run.turns) == ((3003, 30), 3)


def test_lines_of_one_answer_with_an_answer_of_a_tool_between_them_are_one() -> None:
    t = Teller()
    first, second = (t.calls(name, "Bash", LONG_ID, command="ls") for name in ("a", "b"))
    run = run_of(t.prompt("Go."), first, t.answers("a"), second, t.answers("b"))
    assert (totals(run), run.turns) == ((1000, 10), 1)


def test_sessions_that_count_their_records_from_one_are_two(tmp_path: Path) -> None:
    files = {}
    for name in ("one", "two"):
        t = Teller(name)
        records = [t.prompt(f"Task {name}."), answer(t, f"m-{name}")]
        files[f"{name}.jsonl"] = [record | {"uuid": f"u{n}"} for n, record in enumerate(records)]
    assert len(entries(tmp_path, files)) == 2


def priced(**usage: Any) -> Run:
    t = Teller()
    record = answer(t, "m1", 100_000, **usage)
    record["message"]["model"] = "claude-opus-4-8"
    from sitegen.numbers.pricing import PriceTable

    return PriceTable.load().computed(run_of(t.prompt("Go."), record))


PLAIN_USD = 100_000 * 5e-6 + 10 * 25e-6


@pytest.mark.parametrize(
    ("usage", "usd"),
    [
        ({}, PLAIN_USD),
        ({"speed": "standard", "inference_geo": "global"}, PLAIN_USD),
        ({"speed": "fast"}, 2 * PLAIN_USD),
        ({"inference_geo": "us"}, 1.1 * PLAIN_USD),
        ({"inference_geo": "us", "speed": "fast"}, 2.2 * PLAIN_USD),
        ({"service_tier": "batch"}, 0.5 * PLAIN_USD),
        ({"server_tool_use": {"web_search_requests": 3}}, PLAIN_USD + 0.03),
        ({"iterations": [{"type": "message", "input_tokens": 9, "output_tokens": 9}]}, PLAIN_USD),
        (
            {
                "cache_creation_input_tokens": 1000,
                "cache_creation": {
                    "ephemeral_1h_input_tokens": 1000,
                    "ephemeral_5m_input_tokens": 0,
                },
            },
            PLAIN_USD + 0.01,
        ),
    ],
)
def test_what_a_message_says_of_its_price_is_part_of_the_cost(
    usage: dict[str, Any], usd: float
) -> None:
    run = priced(**usage)
    assert run.computed_cost_usd == pytest.approx(usd)
    assert run.cost_bound == "exact"


def test_models_that_an_answer_asked_are_in_the_ledger() -> None:
    asked = [
        {"type": kind, "model": "claude-sonnet-4-6", "input_tokens": 1000, "output_tokens": 100}
        | {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        for kind in ("advisor_message", "compaction")
    ]
    run = priced(iterations=asked)
    assert {line.model: line.tokens.input for line in run.ledger} == {
        "claude-opus-4-8": 100_000,
        "claude-sonnet-4-6": 2_000,
    }
    assert run.computed_cost_usd == pytest.approx(PLAIN_USD + 2 * (0.003 + 0.0015))
    assert run.steps is not None and run.steps.context_peak_tokens == 100_000


@pytest.mark.parametrize(("sent", "rate"), [(200_000, 3), (200_001, 6)])
def test_a_long_request_has_its_own_price(sent: int, rate: float) -> None:
    from sitegen.numbers.pricing import PriceTable

    t = Teller()
    run = PriceTable.load().computed(
        run_of(t.prompt("Go."), answer(t, "m1", sent), answer(t, "m2", 1000))
    )
    usd = (sent * rate + 1000 * 3 + 10 * 15 * (1.5 if rate == 6 else 1) + 10 * 15) / 1e6
    assert run.computed_cost_usd == pytest.approx(usd)


def test_where_requests_are_not_told_apart_a_cost_above_the_limit_is_a_lower_bound() -> None:
    from sitegen.model import ModelUsage, Status, Tokens
    from sitegen.numbers.pricing import PriceTable

    for sent, bound in ((150_000, "exact"), (250_000, "lower")):
        line = ModelUsage("claude-sonnet-4-5", Tokens(sent, 0, 0, 10))
        assert PriceTable.load().computed(Run("x", Status.OK, ledger=(line,))).cost_bound == bound


def test_a_placeholder_of_output_is_a_lower_bound() -> None:
    t = Teller()
    run = run_of(t.prompt("Go."), t.says("Text. " * 500, "m1", 3))
    assert run.token_gaps == {"output"}
    done = t.says("Done.", "m1", 900)
    done["message"]["stop_reason"] = "end_turn"
    run = run_of(t.prompt("Go."), t.says("Text.", "m1", 3), done)
    assert (run.token_gaps, run.tokens.output) == (frozenset(), 900)


def test_what_a_killed_stream_used_is_a_lower_bound() -> None:
    t = Teller()
    begin = {
        "type": "system",
        "subtype": "init",
        "session_id": "s",
        "model": "claude-sonnet-4-5",
        "tools": [],
    }
    records = [t.calls("a", "Bash", "m1"), t.answers("a"), t.calls("b", "Bash", "m2")]
    kept = [{name: record[name] for name in ("type", "message", "uuid")} for record in records]
    run = run_of(
        begin, *(record | {"session_id": "s", "parent_tool_use_id": None} for record in kept)
    )
    assert (run.status.value, totals(run), run.token_gaps) == (
        "interrupted",
        (2000, 20),
        {"input", "output", "cache_read", "cache_write"},
    )


def as_sdk(result: dict[str, Any]) -> dict[str, Any]:
    rest = {name: value for name, value in result.items() if name not in ("type", "modelUsage")}
    return rest | {"model_usage": result["modelUsage"], "structured_output": None}


@pytest.mark.parametrize(
    "form", ["list", "lists", "tasks", "key", "lines", "objects", "sdk", "sdk with its class"]
)
def test_results_of_several_sessions_in_one_file_are_several_runs(form: str) -> None:
    results = [
        campaigns.result(number) | {"session_id": f"s{number}", "uuid": f"u{number}"}
        for number in (1, 2, 3)
    ]
    if form.startswith("sdk"):
        results = [
            as_sdk(each) | ({"type": "ResultMessage"} if form != "sdk" else {}) for each in results
        ]
    data = {
        "list": json.dumps(results),
        "lists": json.dumps([[each] for each in results]),
        "tasks": json.dumps({f"task {number}": each for number, each in enumerate(results)}),
        "key": json.dumps({"made by": "us", "results": results}),
        "lines": "\n".join(map(json.dumps, results)),
        "objects": "".join(json.dumps(each, indent=1) for each in results),
    }.get(form, json.dumps(results))
    file = RunFile.of("all.json", data.encode())
    runs = read_source(file, named=False) or ()
    assert [run.session_id for run in runs] == ["s1", "s2", "s3"]
    assert [run.cost_usd for run in runs] == [
        campaigns.result(n)["total_cost_usd"] for n in (1, 2, 3)
    ]
    assert len({run.locator for run in runs}) == 3
    for run in runs:
        (again,) = read_source(file, named=False, locator=run.locator) or ()
        assert again.session_id == run.session_id


def test_a_prompt_that_was_queued_is_a_step_once() -> None:
    t = Teller()

    def queued(text: str) -> dict[str, Any]:
        return t.line("queue-operation", operation="enqueue", content=text)

    attached = t.line(
        "attachment",
        attachment={"type": "queued_command", "prompt": [{"type": "text", "text": "Three."}]},
    )
    records = [
        t.prompt("One."),
        queued("Two."),
        answer(t, "m1"),
        t.prompt("Two."),
        attached,
        answer(t, "m2"),
    ]
    file = RunFile.of("a.jsonl", lines(*records))
    steps = list(raw_steps(file))
    assert [step.text for step in steps if step.kind == "prompt"] == ["One.", "Two.", "Three."]


@pytest.mark.parametrize(
    ("times", "seconds"),
    [
        (("10:00:00", "10:00:30", "10:01:00"), 60),
        (("10:00:00", "09:00:05"), 0),
        (("10:00:00", "10:00:30", "09:00:31", "09:00:41"), 40),
        (("10:00:00", "10:00:30", "09:00:00", "10:00:40"), 40),
        (("10:00:00", "10:00:05", "10:00:04", "10:00:09"), 9),
    ],
)
def test_a_clock_that_is_set_back_gives_no_wall_time(times: tuple[str, ...], seconds: int) -> None:
    t = Teller()
    records = [t.prompt("Go."), *(answer(t, f"m{n}") for n in range(len(times) - 1))]
    stamped = [
        record | {"timestamp": f"2026-03-01T{at}.000Z"}
        for record, at in zip(records, times, strict=True)
    ]
    assert (run_of(*stamped).wall_ms or 0) == seconds * 1000


@pytest.mark.parametrize(
    "route",
    [
        "azure/",
        "azure_ai/",
        "openrouter/anthropic/",
        "litellm_proxy/",
        "bedrock/us.anthropic.",
        "bedrock/converse/eu.anthropic.",
        "vertex_ai/",
        "anthropic/",
        "vercel_ai_gateway/anthropic/",
        "us.anthropic.",
        "anthropic:",
        "openai/neulab/",
        "databricks-",
    ],
)
@pytest.mark.parametrize("end", ["", "-20250929", "@20250929", "-20250929-v1:0", ":thinking"])
def test_routes_to_a_model_are_no_part_of_its_name(route: str, end: str) -> None:
    from sitegen.text.names import display_name, price_key

    assert display_name(f"{route}claude-sonnet-4-5{end}") == "Claude Sonnet 4.5"
    assert price_key(f"{route}claude-sonnet-4-5{end}") == "claude-sonnet-4.5"


def test_the_title_of_a_session_is_its_newest() -> None:
    t = Teller()
    titles = [{"type": "ai-title", "aiTitle": "A kiln", "sessionId": SESSION}]
    titles += [{"type": "custom-title", "customTitle": "The big kiln", "sessionId": SESSION}]
    assert run_of(t.prompt("Go."), answer(t, "m1"), *titles).session_title == "The big kiln"


UNCOUNTED: list[Any] = [None, {}, dict.fromkeys(("input_tokens", "output_tokens"), 0)]


def again(usage: Any) -> Run:
    """An answer whose second line states another usage."""
    t = Teller()
    first = answer(t, "m1", 10, cache_creation_input_tokens=50, cache_read_input_tokens=1000)
    second = t.calls("c", "Bash", "m1", command="ls")
    second["message"] |= {"usage": usage, "stop_reason": "end_turn"}
    return run_of(t.prompt("Go."), first, second, t.answers("c"))


def test_counts_that_a_later_line_does_not_state_stay_known() -> None:
    run = again({"output_tokens": 120})
    assert run.tokens.counts[:4] == (10, 50, 1000, 120) and not run.ledger_is_lower_bound


@pytest.mark.parametrize("usage", [*UNCOUNTED, {"output_tokens": 3}])
def test_counts_do_not_fall(usage: Any) -> None:
    run = again(usage)
    assert (run.tokens.counts[:4], run.turns) == ((10, 50, 1000, 10), 1)
    assert (
        run.ledger_is_lower_bound
        == bool(usage)
        == any(said.code == "W_MISSING" for said in run.caveats)
    )


@pytest.mark.parametrize("usage", UNCOUNTED)
@pytest.mark.parametrize("counted", [True, False])
def test_an_answer_without_counts_is_a_turn_of_unknown_tokens(usage: Any, counted: bool) -> None:
    t = Teller()
    bare = answer(t, "m1")
    bare["message"]["usage"] = usage
    run = run_of(t.prompt("Go."), bare, *([answer(t, "m2", 500)] if counted else []))
    assert (run.turns, run.tokens.total) == ((2, 510) if counted else (1, None))
    assert run.ledger_is_lower_bound == counted
    assert counted <= any(said.code == "W_MISSING" for said in run.caveats)


def test_counts_of_a_result_are_unknown_where_all_are_0_beside_turns() -> None:
    result = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "duration_ms": 9000,
        "duration_api_ms": 8000,
    }
    told = {
        "num_turns": 3,
        "result": "Done.",
        "session_id": "s",
        "total_cost_usd": 0,
        "usage": UNCOUNTED[-1],
    }
    run, idle = run_of(result | told), run_of(result | told | {"num_turns": 1})
    assert (run.tokens.total, run.cost_usd) == (None, None)
    assert (idle.tokens.total, idle.cost_usd) == (0, 0)
    models = {
        "total_cost_usd": 0.5,
        "modelUsage": {"m": {"inputTokens": 0, "outputTokens": 0, "costUSD": 0.5}},
    }
    paid = run_of(result | told | models)
    assert (paid.tokens.total, paid.cost_usd, paid.ledger_cost_usd) == (None, 0.5, 0.5)


def test_an_answer_of_a_call_before_the_beginning_makes_failures_and_edits_unknown() -> None:
    t = Teller()
    steps = run_of(t.answers("gone", is_error=True), answer(t, "m1")).steps
    assert steps is not None and (steps.tool_failures, steps.edited) == (None, None)


class Plain:
    """A reader of a number of tokens and the numbers of answers, which does not tell copies apart."""

    name = "plain"

    def matches(self, file: RunFile) -> bool:
        return file.head.startswith(b"PLAIN ")

    def read(self, file: RunFile, locator: str | None = None) -> Iterator[Run]:  # noqa: ARG002
        _, sent, *answers = file.read().split()
        yield Run("Plain log", Status.OK, turns=int(sent), answers=tuple(map(int, answers)))


class Telling(Plain):
    """The same, which does, and whose runs have no steps."""

    def read_new(self, file: RunFile, known: set[str | int]) -> Iterator[Run]:
        for run in self.read(file):
            new = tuple(answer for answer in run.answers if answer not in known)
            known.update(new)
            if new:
                yield replace(run, turns=len(new), answers=new)


@pytest.mark.parametrize(("reader", "turns"), [(Plain(), [5, 5, 6]), (Telling(), [1, 5])])
def test_runs_stay_where_their_reader_does_not_tell_copies_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: Plain, turns: list[int]
) -> None:
    monkeypatch.setattr(readers, "installed", lambda: (reader,))
    campaigns.write(
        tmp_path, {"a.txt": "PLAIN 5 1 2", "b.txt": "PLAIN 5 2 1", "c.txt": "PLAIN 6 2 3"}
    )
    assert sorted(entry.run.turns or 0 for entry in load_runs(str(tmp_path))) == turns


@pytest.mark.parametrize(("late", "bound"), [(0, "exact"), (2, "lower")])
def test_answers_after_the_last_result_make_its_figures_lower_bounds(late: int, bound: str) -> None:
    t = Teller()
    begin = {
        "type": "system",
        "subtype": "init",
        "session_id": SESSION,
        "model": "claude-sonnet-4-5",
        "tools": [],
    }
    ended = campaigns.result(1, session_id=SESSION)
    more = [t.prompt("More."), *(answer(t, f"late-{number}") for number in range(late))]
    records = [begin, answer(t, "m1"), ended, *more]
    for record in records:
        for name in ("sessionId", "parentUuid"):
            record.pop(name, None)
    run = run_of(*records)
    assert (run.cost_bound, run.ledger_is_lower_bound, run.cost_usd) == (
        bound,
        late > 0,
        ended["total_cost_usd"],
    )
    (alone,) = read_source(RunFile.of("r.json", lines(ended)), named=False) or ()
    assert run.tokens.sent == (alone.tokens.sent or 0) + late * 1000
    assert [said.text for said in run.caveats if said.code == "W_NO_RESULT"] == (
        ["It continues for 2 answers after its last result; cost and tokens are lower bounds."]
        if late
        else []
    )


def streamed(*records: dict[str, Any]) -> list[dict[str, Any]]:
    """Lines of a transcript as a stream has them."""
    drop = ("sessionId", "parentUuid", "isSidechain", "timestamp", "version", "cwd")
    begin = {
        "type": "system",
        "subtype": "init",
        "session_id": SESSION,
        "model": "claude-sonnet-4-5",
        "tools": [],
    }
    kept = [
        {name: value for name, value in record.items() if name not in drop} for record in records
    ]
    return [begin, *(record | {"session_id": SESSION} for record in kept)]


@pytest.mark.parametrize("id_", ["m", "m1", LONG_ID])
@pytest.mark.parametrize(
    "form",
    [
        "a cut copy",
        "head and end",
        "head and end of two turns",
        "a whole process",
        "a later process",
    ],
)
def test_a_stream_that_is_cut_counts_with_the_result_of_its_process(
    tmp_path: Path, form: str, id_: str
) -> None:
    t = Teller()
    whole = streamed(
        t.prompt("Go."),
        answer(t, f"{id_}a"),
        answer(t, f"{id_}b", 2000),
        answer(t, f"{id_}c", 3000),
    )
    first, last = (
        campaigns.result(number, session_id=SESSION, uuid=f"r{number}") for number in (1, 2)
    )
    files = {"cut.jsonl": whole[:3], "whole.jsonl": [*whole, last]}
    if form == "head and end":
        files = {"cut.jsonl": whole[:3], "whole.jsonl": [*whole[3:], last]}
    elif form == "head and end of two turns":
        first |= {"total_cost_usd": last["total_cost_usd"] / 2}
        files = {
            "cut.jsonl": [*whole[:3], first, whole[0], whole[3]],
            "whole.jsonl": [whole[4], last],
        }
    elif form == "a whole process":
        files = {"cut.jsonl": [*whole[:3], first], "whole.jsonl": [*whole[3:], last]}
    elif form == "a later process":
        files = {"cut.jsonl": whole[:3], "whole.jsonl": [whole[0], *whole[3:], last]}
    found = entries(tmp_path, files)
    (alone,) = read_source(RunFile.of("r.json", lines(last)), named=False) or ()
    is_apart = form in ("a later process", "a whole process")
    assert [entry.source.path for entry in found] == ["cut.jsonl", "whole.jsonl"][not is_apart :]
    more = {"a later process": 1000, "a whole process": (alone.tokens.sent or 0) // 2}.get(form, 0)
    assert totals(*(entry.run for entry in found))[0] == (alone.tokens.sent or 0) + more


def of_model(session: str, sent: int, output: int, **changes: Any) -> dict[str, Any]:
    """A result with these tokens."""
    counts = {
        "inputTokens": sent,
        "outputTokens": output,
        "cacheReadInputTokens": 0,
        "cacheCreationInputTokens": 0,
    }
    used = {"claude-sonnet-4-5": counts | {"costUSD": 0.1}}
    return campaigns.result(1, session_id=session, modelUsage=used, total_cost_usd=0.1, **changes)


def test_a_killed_process_counts_beside_the_result_of_the_one_that_resumed_it(
    tmp_path: Path,
) -> None:
    t = Teller()
    told = [t.prompt("Go."), answer(t, f"{LONG_ID}a", 1000, output_tokens=100)]
    told += [
        answer(t, f"{LONG_ID}b", 2000, output_tokens=100),
        answer(t, f"{LONG_ID}c", 4000, output_tokens=50),
    ]
    whole = streamed(*told)
    files = {
        "cut.jsonl": whole[:4],
        "fin.jsonl": [whole[0], whole[4], of_model(SESSION, 4000, 50)],
        "t.jsonl": told,
    }
    found = entries(tmp_path, files)
    assert [entry.source.path for entry in found] == ["cut.jsonl", "fin.jsonl"]
    assert totals(*(entry.run for entry in found)) == (7000, 250)


def test_an_answer_counts_in_the_result_that_its_transcript_nearly_agrees_with(
    tmp_path: Path,
) -> None:
    t = Teller()
    own = [t.prompt("Go."), answer(t, LONG_ID, 1010)]
    fork = [*(renamed(record, "other") for record in own), t.prompt("More.", sessionId="other")]
    fork += [answer(t, f"{LONG_ID}2", 300) | {"sessionId": "other"}]
    files = {"x.json": [of_model(SESSION, 1000, 10)], "x.jsonl": own, "a.jsonl": fork}
    assert totals(*(entry.run for entry in entries(tmp_path, files))) == (1300, 20)


def test_two_transcripts_of_a_session_are_summed_by_model_with_their_marks(tmp_path: Path) -> None:
    t = Teller()
    bare = campaigns.result(1, session_id=SESSION, modelUsage=None, usage=None)
    task = t.calls("task", "Task", prompt="Look.")
    files = {
        "r.json": [bare],
        "a.jsonl": [t.prompt("Go."), answer(t, f"{LONG_ID}1")],
        "b.jsonl": [t.prompt("More."), answer(t, f"{LONG_ID}2", 300), task, t.answers("task")],
    }
    (entry,) = entries(tmp_path, files)
    assert entry.run.ledger_is_lower_bound
    models = [line.model for line in entry.run.ledger]
    assert len(models) == len(set(models)) and entry.run.tokens.sent == 2300


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("claude-opus-4", "claude-opus-4"),
        ("claude-opus-4-1", "claude-opus-4-1-20250805"),
        ("claude-opus-4-1-20250805", "claude-opus-4-1-20250805"),
        ("claude-opus-4-5", "claude-opus-4-5[1m]"),
        ("claude-opus", "claude-opus"),
    ],
)
def test_answers_after_the_last_result_are_of_their_own_model(said: str, line: str) -> None:
    names = ("claude-opus-4-1-20250805", "claude-opus-4-5[1m]", "claude-opus-4")
    ledger = with_answers(
        [ModelUsage(name, Tokens(0)) for name in names], [AnswerUsage(said, Tokens(7))]
    )
    assert [each.model for each in ledger if each.tokens.input] == [line]


@pytest.mark.parametrize("results", [("first",), ("second",), ("first", "second"), ()])
def test_a_resumed_session_beside_results_counts_each_answer_once(
    tmp_path: Path, results: tuple[str, ...]
) -> None:
    """A result counts its own process: what the other one used is in the result, or the transcript, of that."""
    t = Teller()
    old = [t.prompt("Go."), answer(t, LONG_ID, 1000)]
    new = [
        t.prompt("More.", sessionId="other"),
        answer(t, f"{LONG_ID}2", 300) | {"sessionId": "other"},
    ]
    files: dict[str, Any] = {
        "a.jsonl": old,
        "b.jsonl": [*(renamed(record, "other") for record in old), *new],
    }
    for name, session, sent in (("first", SESSION, 1000), ("second", "other", 300)):
        if name in results:
            counts = {"inputTokens": sent, "outputTokens": 10, "cacheReadInputTokens": 0}
            ended = campaigns.result(1, session_id=session, uuid=name)
            ended["modelUsage"] = {
                "claude-sonnet-4-5": counts | {"cacheCreationInputTokens": 0, "costUSD": 0.1}
            }
            files[f"{name}.json"] = [ended]
    assert totals(*(entry.run for entry in entries(tmp_path, files))) == (1300, 20)


@pytest.mark.parametrize("id_", ["1", "ab", "msg"])
@pytest.mark.parametrize("place", ["before", "behind", "beside"])
def test_a_session_repeated_under_short_ids_counts_once(
    tmp_path: Path, id_: str, place: str
) -> None:
    t = Teller()
    records = [t.prompt("Go.")]
    for number in range(3):
        records += [answer(t, f"{id_}{number}"[:3], 1000 + number), t.prompt(f"More {number}.")]
    copies = [record | {"uuid": f"new-{record['uuid']}"} for record in records]
    both = {"before": [*copies[:4], *records], "behind": [*records, *copies]}.get(place)
    files = {"a.jsonl": both} if both else {"a.jsonl": records, "b.jsonl": copies}
    (entry,) = entries(tmp_path, files)
    assert (totals(entry.run), entry.run.turns) == ((3003, 30), 3)
    assert entry.run.wall_ms == 3000


def test_transcripts_of_several_sessions_in_one_file_are_several_runs(tmp_path: Path) -> None:
    one, two = Teller(), Teller("other")
    queued = {
        "type": "queue-operation",
        "operation": "enqueue",
        "content": "Soon.",
        "sessionId": "other",
    }
    apart = [
        *([one.prompt("Go."), answer(one, "m1")]),
        queued,
        two.prompt("And?"),
        answer(two, "m2", 300),
    ]
    found = entries(tmp_path, {"all.jsonl": apart})
    assert [(entry.run.session_id, totals(entry.run)[0]) for entry in found] == [
        (SESSION, 1000),
        ("other", 300),
    ]
    assert [[step.kind.value for step in steps(entry)] for entry in found] == [
        ["prompt", "text"],
        ["prompt"] * 2 + ["text"],
    ]
