"""Stated totals decide how the counts of a file are to be read, in whatever order its records stand."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations, product
from pathlib import Path
from typing import Any

import pytest

from sitegen.model import TOKEN_KINDS, ModelUsage, Run, Tokens
from sitegen.numbers.pricing import PriceTable
from sitegen.readers.common.ledger import without_zeros
from sitegen.readers.common.stated import CountRule, Counts, Stated
from sitegen.readers.common.values import Caveats
from tests.support.agent_runs import files, kinds, read, run_of, runs_of
from tests.support.raw_steps import raw_steps
from tests.support.reading import read_source
from tests.support.transcripts import lines
from tests.test_testing import CORPUS

ID = "b7000000-0000-4000-8000-000000000002"
PARTS = ((700, 300, 50, 20), (10, 900, 5, 0), (40, 0, 9, 4))
"""Of three messages: input, cache reads, output without reasoning, reasoning."""


def stated(
    parts: Sequence[int], read_inside: bool, reasoning_inside: bool
) -> tuple[int, int, int, int, int]:
    """Sent, read, output, reasoning and total, as one kind of file states them."""
    uncached, cached, output, reasoning = parts
    sent = uncached + (cached if read_inside else 0)
    return sent, cached, output + (reasoning if reasoning_inside else 0), reasoning, sum(parts)


def opencode(counts: Sequence[tuple[int, ...]]) -> bytes:
    return lines(
        *(
            {
                "type": "step_finish",
                "sessionID": "ses_1",
                "part": {
                    "type": "step-finish",
                    "messageID": f"m{number}",
                    "reason": "stop",
                    "tokens": {
                        "total": total,
                        "input": sent,
                        "output": output,
                        "reasoning": reasoning,
                        "cache": {"read": cached, "write": 0},
                    },
                },
            }
            for number, (sent, cached, output, reasoning, total) in enumerate(counts)
        )
    )


def gemini_chat(counts: Sequence[tuple[int, ...]]) -> bytes:
    names = ("input", "cached", "output", "thoughts", "total")
    answers = [
        {
            "id": f"m{number}",
            "type": "gemini",
            "content": "So.",
            "tokens": dict(zip(names, each, strict=True)),
        }
        for number, each in enumerate(counts)
    ]
    return json.dumps({"sessionId": ID, "projectHash": "c0", "messages": answers}).encode()


def gemini_json(counts: Sequence[tuple[int, ...]]) -> bytes:
    names = ("prompt", "cached", "candidates", "thoughts", "total")
    models = {
        f"gemini-{n}": {"tokens": dict(zip(names, each, strict=True))}
        for n, each in enumerate(counts)
    }
    return json.dumps(
        {"session_id": ID, "response": "So.", "stats": {"models": models, "tools": {}}}
    ).encode()


def rollout(counts: Sequence[tuple[int, ...]]) -> bytes:
    names = (
        "input_tokens",
        "cached_input_tokens",
        "output_tokens",
        "reasoning_output_tokens",
        "total_tokens",
    )
    meta = {"type": "session_meta", "payload": {"id": ID, "timestamp": "2026-05-01T10:00:00Z"}}
    sums = [
        [sum(column) for column in zip(*counts[: end + 1], strict=True)]
        for end in range(len(counts))
    ]
    infos = [{"total_token_usage": dict(zip(names, each, strict=True))} for each in sums]
    return lines(
        meta,
        *(
            {"type": "event_msg", "payload": {"type": "token_count", "info": info}}
            for info in infos
        ),
    )


FORMS: dict[str, Callable[[Sequence[tuple[int, ...]]], bytes]] = {
    "opencode": opencode,
    "gemini-chat": gemini_chat,
    "gemini-json": gemini_json,
    "codex-rollout": rollout,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("read_inside", "reasoning_inside"), list(product((True, False), repeat=2))
)
def test_counts_are_read_as_the_totals_say(
    form: str, read_inside: bool, reasoning_inside: bool
) -> None:
    for parts in permutations(PARTS):
        run = run_of(FORMS[form]([stated(each, read_inside, reasoning_inside) for each in parts]))
        assert kinds(run) == (750, 0, 1200, 88), parts
        assert not run.token_gaps
        assert not [caveat for caveat in run.caveats if caveat.code == "W_CONTRADICTION"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("besides", [970, -30])
def test_a_total_that_no_reading_gives_makes_a_lower_bound(form: str, besides: int) -> None:
    counts = [stated(each, read_inside=True, reasoning_inside=True) for each in PARTS]
    wrong = (*counts[1][:-1], counts[1][-1] + besides)
    run = run_of(FORMS[form]([counts[0], wrong, counts[2]]))
    assert {"input", "output"} <= run.token_gaps
    (said,) = [caveat.text for caveat in run.caveats if caveat.code == "W_CONTRADICTION"]
    assert "are shown as a lower bound" in said


def test_more_cached_than_sent_says_that_the_prompt_excludes_the_cache_in_all_of_the_file() -> None:
    def chat(*counts: tuple[int, int]) -> Run:
        answers = [
            {
                "id": str(n),
                "type": "gemini",
                "content": "So.",
                "tokens": {"input": sent, "cached": cached, "output": 1},
            }
            for n, (sent, cached) in enumerate(counts)
        ]
        return run_of(
            json.dumps({"sessionId": ID, "projectHash": "c0", "messages": answers}).encode()
        )

    assert (
        kinds(chat((500, 400), (10, 400)))[:3]
        == kinds(chat((10, 400), (500, 400)))[:3]
        == (510, 0, 800)
    )
    assert kinds(chat((500, 400)))[:3] == (100, 0, 400)


def test_what_is_long_by_a_reading_that_did_not_hold_has_a_lower_bound_of_its_price() -> None:
    def priced(*counts: dict[str, int]) -> tuple[float | None, bool]:
        answers = [
            {
                "id": str(n),
                "type": "gemini",
                "model": "gemini-2.5-pro",
                "content": "So.",
                "tokens": each,
            }
            for n, each in enumerate(counts)
        ]
        chat = {"sessionId": ID, "projectHash": "c0", "messages": answers}
        run = PriceTable.load().computed(run_of(json.dumps(chat).encode()))
        return run.computed_cost_usd and round(run.computed_cost_usd, 6), run.cost_is_lower_bound

    long = {"input": 300_000, "cached": 0, "output": 20_000, "thoughts": 15_000}
    short = {"input": 1_000, "cached": 0, "output": 100, "thoughts": 50, "total": 1_100}
    assert priced(long, short) == (0.57725, True)
    assert priced(short, long) == (1.05225, False)
    assert priced(long | {"input": 150_000}, short) == (0.38975, False)


def test_what_is_not_stated_of_the_cache_is_unknown() -> None:
    init = {"type": "init", "session_id": ID, "model": "gemini-3-pro"}
    run = read(
        init,
        {"type": "result", "status": "success", "stats": {"input_tokens": 9, "output_tokens": 2}},
    )
    assert kinds(run) == (9, 0, None, 2)
    assert run.token_gaps == {"cache_read"}


def test_real_steps_of_opencode_state_reasoning_within_output_or_beside_it(shared: Path) -> None:
    """What `steps` count comes to the totals that they state, whichever way their version states reasoning."""
    inside = 0
    for path in files(shared / "more-runs" / "opencode-stream-prefixed"):
        text = path.read_text(encoding="utf-8", errors="replace").replace("[stdout] ", "")
        records = [json.loads(line) for line in text.splitlines() if line.startswith('{"type"')]
        tokens = [record["part"]["tokens"] for record in records if record["type"] == "step_finish"]
        (run,) = runs_of(text.encode(), path.name)
        assert run.tokens.total == sum(each["total"] for each in tokens), path
        assert run.tokens.output == sum(each["output"] for each in tokens)
        inside += sum(each["reasoning"] for each in tokens) > 0
    assert inside


def test_sessions_in_one_file_are_runs_of_their_own_that_are_found_again() -> None:
    def records(thread: str, sent: int) -> list[dict[str, Any]]:
        usage = {"input_tokens": sent, "cached_input_tokens": 0, "output_tokens": 1}
        said = {"id": "i", "type": "agent_message", "text": f"Done in {thread}."}
        return [
            {"type": "thread.started", "thread_id": thread},
            {"type": "item.completed", "item": said},
            {"type": "turn.completed", "usage": usage},
        ]

    from sitegen.readers.run_file import RunFile

    file = RunFile.of("a.jsonl", lines(*records("t-1", 5), *records("t-2", 7), *records("t-3", 11)))
    runs = read_source(file, named=False) or ()
    assert [(run.session_id, run.tokens.input) for run in runs] == [
        ("t-1", 5),
        ("t-2", 7),
        ("t-3", 11),
    ]
    for run in runs:
        assert run.steps and run.steps.steps == 1
        (again,) = read_source(file, named=False, locator=run.locator) or ()
        assert again == run
        assert [step.text for step in raw_steps(file, run.locator)] == [
            f"Done in {run.session_id}."
        ]


def test_what_was_sent_is_unknown_where_it_is_0_beside_an_answer() -> None:
    line = ModelUsage("m", Tokens(0, 0, 0, 5))
    assert without_zeros([line, ModelUsage("n", Tokens(7, 0, 0, 0))], Caveats())[
        0
    ].tokens == Tokens(output=5)
    assert without_zeros([ModelUsage("m", Tokens(0, 0, 0, 0))], Caveats())[0].tokens == Tokens()


def test_a_total_may_leave_out_a_cache_that_the_prompt_leaves_out() -> None:
    stated = Stated(CountRule())
    assert stated.take("m", Counts(100, 300, 0, 10, total=110)) == Tokens(100, 0, 300, 10)
    assert not stated.contradict(Caveats())


REFUSED = ("seven", -7, float("nan"), True, 2**60)
COUNTS = re.compile(r"(?!thresh|max)\w*(?:tokens?|sent|received)\w*", re.I)
"""Names of counts of tokens in records."""


def places_of(value: Any, inside: str = "") -> Iterator[tuple[dict[str, Any], str]]:
    """Each object with a count of tokens in a value, and the name of the count."""
    for key, inner in (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    ):
        if type(inner) is int and inner > 0 and COUNTS.fullmatch(f"{inside} {key}".split()[-1]):
            yield value, str(key)
        yield from places_of(inner, str(key))


def json_of(path: Path) -> list[Any]:
    """The values in a file: the one that it is, or one in each line; empty where it is of another kind."""
    content = path.read_bytes()
    for pieces in ([content], [line for line in content.splitlines() if line.strip()]):
        try:
            return [json.loads(piece.decode("utf-8")) for piece in pieces]
        except ValueError:
            continue
    return []


@pytest.mark.parametrize(
    "path", [path for path in CORPUS if json_of(path)], ids=lambda path: path.name
)
def test_a_count_that_is_refused_never_leaves_an_exact_sum(path: Path) -> None:
    """In each place of each format: what is left is the same, unknown, less than a lower bound, or told as doubtful."""
    values = json_of(path)
    whole = runs_of(lines(*values), path.name)
    for at, (record, name) in enumerate(
        [place for value in values for place in places_of(value)][:60]
    ):
        known, record[name] = record[name], REFUSED[at % len(REFUSED)]
        for before, after in zip(whole, runs_of(lines(*values), path.name), strict=True):
            is_told = (
                after.caveats != before.caveats
                or after.ledger_is_lower_bound
                or not after.tokens.complete
            )
            pairs = [(before.tokens.kind(kind), after.tokens.kind(kind)) for kind in TOKEN_KINDS]
            assert is_told or all(one == other for one, other in pairs), (name, pairs)
        record[name] = known
