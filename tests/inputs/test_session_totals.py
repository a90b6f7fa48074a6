"""Totals of a session that was resumed: what its runs used comes to the same, whether later totals go on or not."""

from __future__ import annotations

import gzip
import io
import json
import math
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from sitegen import load_runs
from sitegen.model import Entry, ModelUsage, Tokens
from sitegen.readers.claude import totals
from sitegen.readers.common.running_totals import Relation, RunningTotal, relation_of
from sitegen.readers.common.values import Fields
from tests.support import campaigns

OPUS, HAIKU = "claude-opus-5", "claude-haiku-4-5-20251001"
SESSION = "7d0c2b9e-41aa-4a0c-9d52-3f4c1c6f0b77"
THREAD = "01960000-0000-7000-8000-000000000001"
KINDS = ("inputTokens", "cacheCreationInputTokens", "cacheReadInputTokens", "outputTokens")
Counts = tuple[int, int, int, int]
Used = Mapping[str, Counts]
RATES = {OPUS: (5.0, 10.0, 0.5, 25.0), HAIKU: (1.0, 2.0, 0.1, 5.0)}


def cost_of(model: str, counts: Counts) -> float:
    return sum(rate * count for rate, count in zip(RATES[model], counts, strict=True)) / 1e6


def added(*parts: Used) -> Used:
    models = dict.fromkeys(model for part in parts for model in part)
    return {
        model: tuple(map(sum, zip(*(part.get(model, (0,) * 4) for part in parts), strict=True)))
        for model in models
    }


def result(uuid: str, total: Used, own: Counts, **changes: Any) -> dict[str, Any]:
    """A result whose process used `own` in its main loop, with totals that may go on."""
    usage = dict(
        zip(
            (
                "input_tokens",
                "cache_creation_input_tokens",
                "cache_read_input_tokens",
                "output_tokens",
            ),
            own,
            strict=True,
        )
    )
    usage["cache_creation"] = {"ephemeral_1h_input_tokens": own[1], "ephemeral_5m_input_tokens": 0}
    models = {
        model: dict(zip(KINDS, counts, strict=True))
        | {"webSearchRequests": 0, "costUSD": cost_of(model, counts)}
        for model, counts in total.items()
    }
    return {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "duration_ms": 9_000,
        "duration_api_ms": 8_000,
        "num_turns": 3,
        "result": f"Part {uuid}.",
        "session_id": SESSION,
        "total_cost_usd": sum(cost_of(*each) for each in total.items()),
        "usage": usage,
        "modelUsage": models,
        "permission_denials": [],
        "uuid": uuid,
    } | changes


A, B, C, D = (
    (1500, 15_000, 80_000, 3000),
    (12, 350, 95_000, 250),
    (14, 420, 96_000, 310),
    (20, 900, 99_000, 700),
)
HELPER = (700, 0, 0, 40)
SUBAGENT = (90, 21_000, 300_000, 9000)
RESTORED = [
    result("a", {OPUS: A}, A),
    result("b", {OPUS: added({OPUS: A}, {OPUS: B})[OPUS]}, B),
    result("c", added({OPUS: A}, {OPUS: B}, {OPUS: C}), C),
]


def read(folder: Path, *records: dict[str, Any] | Sequence[dict[str, Any]]) -> list[Entry]:
    """The runs of these results, each in a file of its own, which may be a stream."""
    written = {}
    for number, record in enumerate(records):
        lines = [record] if isinstance(record, dict) else record
        written[f"{number}.jsonl"] = "".join(json.dumps(line) + "\n" for line in lines).encode()
    campaigns.write(folder, written)
    return list(load_runs(str(folder)))


def sums(entries: Sequence[Entry]) -> tuple[float, Counts]:
    counts = [
        (t.input or 0, t.cache_write or 0, t.cache_read or 0, t.output or 0)
        for e in entries
        if (t := e.run.tokens)
    ]
    return math.fsum(e.run.cost_usd or 0 for e in entries), tuple(
        map(sum, zip(*counts, strict=True))
    )


def is_bound(entries: Sequence[Entry]) -> bool:
    return any(
        entry.run.ledger_is_lower_bound and entry.run.cost_is_lower_bound for entry in entries
    )


def codes(entry: Entry) -> list[str]:
    return [caveat.code for caveat in entry.run.caveats]


def expected(*parts: Used) -> tuple[float, Counts]:
    total = added(*parts)
    counts = tuple(map(sum, zip(*total.values(), strict=True)))
    return pytest.approx(math.fsum(cost_of(*each) for each in total.items()), abs=1e-6), counts


def opus(*counts: Counts) -> Used:
    return added(*({OPUS: each} for each in counts))


@pytest.mark.parametrize(
    ("records", "parts", "bound"),
    [
        pytest.param(RESTORED, [opus(A, B, C)], False, id="three parts that go on"),
        pytest.param(
            [result("a", {OPUS: A}, A), result("b", {OPUS: B}, B), result("c", {OPUS: C}, C)],
            [opus(A, B, C)],
            False,
            id="three parts from zero",
        ),
        pytest.param(
            [result("a", {OPUS: A}, A), result("b", opus(A, B), B), result("c", opus(A, C), C)],
            [opus(A, B, C)],
            False,
            id="two resumes of one part",
        ),
        pytest.param(
            [
                result("a", {OPUS: A, HAIKU: HELPER}, A),
                result("b", added(opus(A, B), {HAIKU: (900, 0, 0, 60)}), B),
            ],
            [opus(A, B), {HAIKU: (900, 0, 0, 60)}],
            False,
            id="a helper goes on",
        ),
        pytest.param(
            [result("a", {OPUS: A}, A), result("b", added(opus(A), {HAIKU: B}), B)],
            [opus(A), {HAIKU: B}],
            False,
            id="another model in the later part",
        ),
        pytest.param(
            [
                result("a", {OPUS: A}, A),
                result("b", added(opus(A, B), {HAIKU: C}), added({OPUS: B}, {OPUS: C})[OPUS]),
            ],
            [opus(A, B), {HAIKU: C}],
            False,
            id="two models in the main loop",
        ),
        pytest.param(
            [result("a", {OPUS: A}, A), result("b", opus(A), (0, 0, 0, 0))],
            [opus(A)],
            False,
            id="a resume that failed",
        ),
        pytest.param(
            [*RESTORED, result("d", opus(A, B, C, D, SUBAGENT), D)],
            [opus(A, B, C, D, SUBAGENT)],
            True,
            id="a subagent in a session of which other parts go on",
        ),
        pytest.param(
            [result("a", {OPUS: A}, A), result("b", opus(A, B, SUBAGENT), B)],
            [opus(A, B, SUBAGENT)],
            True,
            id="a subagent, and nothing decides",
        ),
        pytest.param(
            [
                result("a", {OPUS: A}, A),
                result("b", {OPUS: B}, B),
                result("c", opus(A, C, SUBAGENT), C),
            ],
            [opus(A, B, A, C, SUBAGENT)],
            False,
            id="a subagent in a session that is known to count from zero",
        ),
        pytest.param(
            [RESTORED[2], RESTORED[1]],
            [opus(A, B, C)],
            False,
            id="the file of the first part is missing",
        ),
        pytest.param(
            [RESTORED[0], RESTORED[2] | {"session_id": "another0-41aa-4a0c-9d52-3f4c1c6f0b77"}],
            [opus(A, A, B, C)],
            False,
            id="another session",
        ),
        pytest.param(
            [
                result("a", {HAIKU: (8, 0, 0, 1)}, (0, 0, 0, 0)),
                result("b", {OPUS: A, HAIKU: (8, 0, 0, 1)}, A),
            ],
            [opus(A), {HAIKU: (16, 0, 0, 2)}],
            False,
            id="the same small request before each",
        ),
        pytest.param(
            [
                [result("a", {OPUS: A}, A), result("b", opus(A, B), B)],
                result("c", opus(A, B, C), C),
            ],
            [opus(A, B, C)],
            False,
            id="after a stream of two results",
        ),
        pytest.param(
            [RESTORED[0], [result("b", opus(A, B), B), result("c", opus(A, B, C), C)]],
            [opus(A, B, C)],
            False,
            id="before a stream of two results",
        ),
    ],
)
def test_parts_of_a_session_come_to_what_it_used_in_any_order(
    tmp_path: Path, records: Sequence[Any], parts: Sequence[Used], bound: bool
) -> None:
    for number, order in enumerate(permutations(records)):
        if number % 5 == 0 or len(records) < 4:
            entries = read(tmp_path / str(number), *order)
            assert len(entries) == len(records)
            assert sums(entries) == expected(*parts)
            assert is_bound(entries) == bound
            assert (
                sum(line.tokens.total is None for entry in entries for line in entry.run.ledger)
                == 0
            )


def test_each_run_shows_its_own_part_and_says_so(tmp_path: Path) -> None:
    first, second, third = (entry.run for entry in read(tmp_path, *RESTORED))
    assert [run.cost_usd for run in (first, second, third)] == [
        pytest.approx(cost_of(OPUS, own), abs=1e-6) for own in (A, B, C)
    ]
    assert [run.tokens.cache_write_1h for run in (first, second, third)] == [15_000, 350, 420]
    assert first.caveats == ()
    assert [caveat.text for caveat in third.caveats] == [
        "Its totals go on from those of 1.jsonl, which count there; it shows what it added "
        "($0.38983 as reported, without $0.32981: $0.06002)."
    ]
    assert (third.wall_ms, third.turns, third.api_ms) == (
        9_000,
        3,
        0,
    )  # the time in the API did not grow


def test_the_time_in_the_api_goes_on_unless_it_falls(tmp_path: Path) -> None:
    later = RESTORED[1] | {"duration_api_ms": 15_500}
    assert [entry.run.api_ms for entry in read(tmp_path / "a", RESTORED[0], later)] == [
        8_000,
        7_500,
    ]
    later = RESTORED[1] | {"duration_api_ms": 7_500}
    assert [entry.run.api_ms for entry in read(tmp_path / "b", RESTORED[0], later)] == [
        8_000,
        7_500,
    ]


def test_what_cannot_be_decided_is_said_to_be_a_lower_bound(tmp_path: Path) -> None:
    _, later = read(tmp_path, RESTORED[0], result("b", opus(A, B, SUBAGENT), B))
    assert [caveat.text for caveat in later.run.caveats] == [
        "Its totals may go on from those of 0.jsonl. These are left out, so what is shown is a lower bound."
    ]
    assert later.run.cost_bound == "lower" and later.run.token_gaps


def test_totals_whose_beginning_is_missing_are_shown_with_a_note(tmp_path: Path) -> None:
    first, _ = read(tmp_path, RESTORED[1], RESTORED[2])
    assert (
        first.run.tokens.total == sum(opus(A, B)[OPUS])
        and "whose files are not here" in first.run.caveats[0].text
    )


@pytest.mark.parametrize("number", [0, 2])
def test_a_copy_and_an_archive_change_nothing(tmp_path: Path, number: int) -> None:
    names = {f"{at}.json": json.dumps(record).encode() for at, record in enumerate(RESTORED)}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in names.items():
            archive.writestr(name, data)
    copy = json.dumps(dict(sorted(RESTORED[number].items())), indent=1).encode()
    forms = [
        names | {"again/copy.json": copy},
        {"runs.zip": packed.getvalue()},
        {f"{name}.gz": gzip.compress(data, mtime=0) for name, data in names.items()},
        names
        | {"z.jsonl": b"".join(json.dumps(record).encode() + b"\n" for record in RESTORED[:2])},
    ]
    for at, form in enumerate(forms):
        campaigns.write(tmp_path / str(at), form)
        assert sums(list(load_runs(str(tmp_path / str(at))))) == expected(opus(A, B, C))


def test_a_file_that_names_another_session_hides_nothing_of_it(tmp_path: Path) -> None:
    victim = result("v", opus(A, B, SUBAGENT), B)
    small, large = (
        result("s", {OPUS: (1, 1, 1, 1)}, (1, 1, 1, 1)),
        result("l", opus(A, B, SUBAGENT, D), D),
    )
    cost = cost_of(OPUS, opus(A, B, SUBAGENT)[OPUS])
    for name, record in (("small", small), ("large", large)):
        entries = read(tmp_path / name, victim, record)
        shown = next(entry.run for entry in entries if entry.run.uuid == "v")
        hidden = 0 if record is large else record["total_cost_usd"]
        assert shown.cost_usd == pytest.approx(cost - hidden, abs=1e-6)
        assert sums(entries)[0] >= cost - 1e-6


INIT = {
    "type": "system",
    "subtype": "init",
    "session_id": SESSION,
    "model": OPUS,
    "claude_code_version": "2.1.278",
}


@pytest.mark.parametrize("index", [{"result_index": 0}, {}], ids=["index", "no index"])
@pytest.mark.parametrize(
    ("later", "parts", "bound"),
    [
        pytest.param(result("b", opus(A, B), B), [opus(A, B)], False, id="goes on"),
        pytest.param(result("b", opus(B), B), [opus(A, B)], False, id="from zero"),
        pytest.param(
            result("b", opus(A, B), B, duration_api_ms=7_000),
            [opus(A, B)],
            False,
            id="API time from zero",
        ),
        pytest.param(
            result("b", opus(D, SUBAGENT), D),
            [opus(A, D, SUBAGENT)],
            False,
            id="from zero with subagent",
        ),
    ],
)
def test_a_process_that_goes_on_in_the_same_stream(
    tmp_path: Path,
    index: Mapping[str, int],
    later: dict[str, Any],
    parts: Sequence[Used],
    bound: bool,
) -> None:
    (entry,) = read(tmp_path, [INIT, RESTORED[0] | index, INIT, later | index])
    assert sums([entry]) == expected(*parts)
    assert is_bound([entry]) == bound
    assert (entry.run.wall_ms, entry.run.turns) == (18_000, 6)


def test_a_process_in_the_same_stream_about_which_nothing_decides(tmp_path: Path) -> None:
    records = [
        RESTORED[0] | {"result_index": 0},
        result("b", opus(A, B, SUBAGENT), B, result_index=0),
    ]
    (entry,) = read(tmp_path, [INIT, records[0], INIT, records[1]])
    assert sums([entry]) == expected(opus(A, B, SUBAGENT)) and is_bound([entry])
    assert "W_TOTALS" in codes(entry)


def thread(*usages: tuple[int, int, int], id_: str = THREAD) -> list[dict[str, Any]]:
    """A stream of `codex exec` with these totals: sent, of it from the cache, put out."""
    records = [{"type": "thread.started", "thread_id": id_}]
    for sent, cached, output in usages:
        usage = {"input_tokens": sent, "cached_input_tokens": cached, "output_tokens": output}
        records += [{"type": "turn.started"}, {"type": "turn.completed", "usage": usage}]
    return records


@pytest.mark.parametrize(
    ("usages", "total", "bound"),
    [
        pytest.param(
            [(14_200, 2_000, 31), (61_900, 40_000, 77), (98_450, 71_000, 112)],
            98_562,
            True,
            id="all grow",
        ),
        pytest.param([(14_200, 2_000, 90), (61_900, 40_000, 77)], 76_267, False, id="output falls"),
        pytest.param(
            [(14_200, 2_000, 31), (61_900, 1_000, 77)], 76_208, False, id="cache reads fall"
        ),
        pytest.param(
            [(14_200, 2_000, 31), (14_900, 2_100, 40)], 29_171, False, id="less than a turn sends"
        ),
        pytest.param(
            [(14_200, 2_000, 31), (61_900, 40_000, 20), (98_450, 71_000, 112)],
            174_713,
            False,
            id="two from zero",
        ),
    ],
)
def test_a_thread_of_codex_in_several_files(
    tmp_path: Path, usages: Sequence[tuple[int, int, int]], total: int, bound: bool
) -> None:
    for number, order in enumerate(permutations(usages)):
        entries = read(tmp_path / str(number), *(thread(usage) for usage in order))
        assert sum(entry.run.tokens.total or 0 for entry in entries) == total
        assert any(entry.run.ledger_is_lower_bound for entry in entries) == bound


def test_a_log_of_codex_is_compared_with_logs_alone(tmp_path: Path) -> None:
    head = f"OpenAI Codex v0.144.0\n--------\nmodel: gpt-5\nsession id: {THREAD}\n--------\nuser\nGo on.\ncodex\nDone.\n"
    logs = {f"{total}.log": f"{head}tokens used\n{total:,}\n".encode() for total in (4_000, 9_500)}
    streams = {f"{usage[0]}.jsonl": usage for usage in [(14_200, 2_000, 31), (61_900, 40_000, 77)]}
    written = {
        name: "\n".join(map(json.dumps, thread(usage))).encode() for name, usage in streams.items()
    }
    campaigns.write(tmp_path, written | logs)
    entries = list(load_runs(str(tmp_path)))
    assert sum(entry.run.tokens.total or 0 for entry in entries) == 9_500 + 61_977
    assert sum(entry.run.ledger_is_lower_bound for entry in entries) == 2


def test_a_failure_without_tokens_decides_nothing(tmp_path: Path) -> None:
    failed = result("f", {}, (0, 0, 0, 0), is_error=True, total_cost_usd=0)
    entries = read(tmp_path, failed, RESTORED[0], result("b", opus(A, B, SUBAGENT), B))
    assert sums(entries) == expected(opus(A, B, SUBAGENT)) and is_bound(entries)


def test_a_helper_of_the_first_part_is_no_sign_of_another_one(tmp_path: Path) -> None:
    first = result("a", {OPUS: A, HAIKU: HELPER}, A)
    assert (
        read(tmp_path, first, result("b", added(opus(A, B), {HAIKU: HELPER}), B))[0].run.caveats
        == ()
    )


def test_two_threads_of_codex_add(tmp_path: Path) -> None:
    other = thread((61_900, 40_000, 77), id_=THREAD.replace("1", "2"))
    entries = read(tmp_path, thread((14_200, 2_000, 31)), other)
    assert sum(entry.run.tokens.total or 0 for entry in entries) == 14_231 + 61_977
    assert not any("W_COPY" in codes(entry) for entry in entries)


def test_fewer_searches_are_those_of_a_process_that_counts_from_zero() -> None:
    own, twice = Tokens(1_000, 0, 500, 3_000), Tokens(2_000, 0, 1_000, 6_000)
    earlier = RunningTotal([ModelUsage(OPUS, own, 1.0, 9)], 1.0, own)
    later = RunningTotal([ModelUsage(OPUS, twice, 2.0, 2)], 2.0, own)
    assert relation_of(earlier, later) is Relation.SEPARATE
    assert (
        relation_of(earlier, replace(later, ledger=[ModelUsage(OPUS, twice, 2.0, 9)]))
        is Relation.CONTAINS
    )


def test_totals_of_very_many_runs_of_a_session_are_not_compared(tmp_path: Path) -> None:
    entries = read(
        tmp_path, *(thread((14_200 + 9_000 * number, 2_000, 31 + number)) for number in range(201))
    )
    assert sum(entry.run.tokens.total or 0 for entry in entries) == sum(
        14_231 + 9_001 * at for at in range(201)
    )
    assert all("may count twice" in entry.run.caveats[-1].text for entry in entries)


def test_results_of_a_stream_are_read_once_to_be_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(
        totals, "_total_of", lambda turn: seen.append(turn) or RunningTotal((), None, Tokens())
    )
    turns = [totals.Turn(Fields(record), totals.Usage(Tokens())) for record in RESTORED]
    totals.by_running_total(turns[:1], one=False)
    assert not seen  # nothing to compare it with
    totals.by_running_total(turns, one=False)
    assert [turn.record for turn in seen] == RESTORED


def test_records_without_a_session_are_those_of_the_first_process_that_goes_on(
    tmp_path: Path,
) -> None:
    inits = [INIT | {"session_id": f"{name}-session"} for name in "abc"]
    ends = [RESTORED[0] | {"session_id": f"{name}-session", "uuid": name} for name in "ab"]
    asked, asked_more = (
        {"type": "user", "message": {"role": "user", "content": "Go on."}, "uuid": at}
        for at in "xy"
    )
    entries = read(tmp_path, [*inits, ends[0], asked, ends[1], asked_more])
    assert [entry.run.steps.steps if entry.run.steps else 0 for entry in entries] == [0, 2, 1]
