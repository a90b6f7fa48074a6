"""What adds up in Claude Code's figures and what is a running total.

A process of the agent prints one result for each turn it was given. From result to result it carries on its cost, its
tokens by model and its time in the API, so the last result has them all; times, turns and `usage` are those of the one
turn. A file that several processes wrote to has a running total for each, and those add. Taking one for the other is
off by a factor: one real stream would come to four times its cost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from sitegen import figures
from sitegen.model import ModelUsage, ResultKey, Run, Tokens, sum_complete, sum_known
from sitegen.readers.claude.steps import rates_of
from sitegen.readers.common.trace import Answer
from sitegen.readers.common.values import Caveats, Fields

MAX_MODELS = 50
_COSTS = ("total_cost_usd", "cost_usd", "total_cost")
"""The names of the cost, the newest first; some versions wrote the last two side by side."""

_VARIANT = re.compile(r"(?:[-@]\d{8})?(?:\[[^\]]*\])?")
"""What may follow the name of a model that is the same one."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The main loop's counts, without subagents and auxiliary calls."""

    tokens: Tokens
    web_searches: int | None = None
    web_fetches: int | None = None
    service_tier: str | None = None
    billed_as: frozenset[str] = frozenset()
    """As in `Run`."""


@dataclass(frozen=True, slots=True)
class Process:
    """What one process of the agent used."""

    ledger: tuple[ModelUsage, ...]
    """The most expensive model first."""
    is_lower_bound: bool
    cost_usd: float | None
    """As its last result reports it: an earlier running total is not the whole."""
    api_ms: int | None
    """Likewise."""
    usage: Usage
    """Of all its turns together."""
    unread: dict[str, Any]
    """What `modelUsage` of the last result says besides, by model."""


def processes(results: Sequence[Fields], *, one: bool, model: str | None, caveats: Caveats) -> tuple[Process, ...]:
    """The figures of each process that wrote to the file.

    `one` says that a single process wrote it; `model` is the one that the beginning of a stream names.
    """
    turns: list[list[Fields]] = [[results[0]]]
    for before, after in pairwise(results):
        if _starts_anew(before.record, after.record, one=one):
            turns.append([])
        turns[-1].append(after)
    return tuple(_process(each, model, caveats) for each in turns)


def combined(ledgers: Iterable[Iterable[ModelUsage]], caveats: Caveats) -> tuple[ModelUsage, ...]:
    """One ledger of several. Beyond 50 models the cheapest share a line, so that sums stay right."""
    by_model: dict[str | None, ModelUsage] = {}
    for ledger in ledgers:
        for line in ledger:
            known = by_model.get(line.model)
            by_model[line.model] = _joined(line.model, (known, line)) if known else line
    lines = sorted(by_model.values(), key=_rank)
    if len(lines) > MAX_MODELS:
        rest = lines[MAX_MODELS - 1 :]
        caveats.add("W_LIMIT", f"The run names {len(lines):,} models; the {len(rest):,} cheapest share a line.")
        lines[MAX_MODELS - 1 :] = [_joined(f"{len(rest):,} other models", rest)]
    return tuple(lines)


def with_answers(ledger: Iterable[ModelUsage], answers: Iterable[Answer]) -> tuple[ModelUsage, ...]:
    """The ledger with answers that no result has counted, whose cost nobody states."""
    lines = {line.model: line for line in ledger}
    for answer in answers:
        name = answer.model
        if name not in lines:
            name = next((each for each in lines if each and _is_variant(each, name or each)), name)
        line = lines.get(name, ModelUsage(name, Tokens()))
        lines[name] = replace(line, tokens=line.tokens + answer.tokens)
    return tuple(lines.values())


def _is_variant(name: str, model: str) -> bool:
    """Whether a name is that of the model with its date, or with what it was asked for: `[1m]`."""
    return name.startswith(model) and _VARIANT.fullmatch(name.removeprefix(model)) is not None


def _starts_anew(before: Mapping[str, Any], after: Mapping[str, Any], *, one: bool) -> bool:
    """Whether another process wrote the later of two results.

    A running total cannot fall, and grows by at least what the later result says its own turn used.
    """
    sessions = before.get("session_id"), after.get("session_id")
    if all(isinstance(session, str) for session in sessions) and sessions[0] != sessions[1]:
        return True
    index = after.get("result_index")
    if isinstance(index, int):
        return index == 0
    old, new = (Fields(record, Caveats()) for record in (before, after))
    running = [(_cost(fields), fields.milliseconds("duration_api_ms")) for fields in (old, new)]
    for earlier, later in zip(*running, strict=True):
        if earlier is not None and later is not None and later < earlier - 1e-9:
            return True
    if one:
        return False
    grown_from, grown_to = (_ledger(fields, Caveats())[0] for fields in (old, new))
    spent = _usage(new).tokens.output
    if not grown_from or not grown_to or spent is None:
        return False
    return (_output(grown_to) - _output(grown_from)) < spent


def _output(ledger: Iterable[ModelUsage]) -> int:
    return sum(line.tokens.output or 0 for line in ledger)


def _process(turns: Sequence[Fields], model: str | None, caveats: Caveats) -> Process:
    last = turns[-1]
    usages = [_usage(turn) for turn in turns]
    usage = Usage(
        sum((each.tokens for each in usages), Tokens()),
        sum_complete([each.web_searches for each in usages]),
        sum_complete([each.web_fetches for each in usages]),
        usages[-1].service_tier,
        frozenset.intersection(*(each.billed_as for each in usages)),
    )
    cost = _cost(last)
    if not any(last.record.get(name) is not None for name in _COSTS):
        caveats.add("W_MISSING", "The result reports no cost.")
    lines, unread = _ledger(last, caveats)
    is_lower_bound = False
    earlier = (found for turn in reversed(turns[:-1]) if (found := _ledger(turn, caveats)[0]))
    if not lines and (outdated := next(earlier, ())):
        lines, is_lower_bound = outdated, True
        text = "A later result has no tokens per model: these are those up to an earlier one, a lower bound."
        caveats.add("W_MISSING", text)
    elif all(line.tokens.total is None and line.cost_usd is None for line in lines):
        names = [line.model for line in lines] or [model]
        if usage.tokens.total is not None:
            is_lower_bound = usage.tokens.total > 0
            known_cost = cost if cost == 0 and not is_lower_bound else None  # nothing was called
            only = names[0] if len(names) == 1 else model
            lines = (ModelUsage(only, usage.tokens, known_cost, usage.web_searches),)
        elif "usage" not in last.record and not lines:
            caveats.add("W_MISSING", "The result reports no tokens.")
        if is_lower_bound:
            text = "The file has no tokens per model: these are those of the main loop, without subagents."
            caveats.add("W_USAGE_ONLY", text)
    lines = tuple(sorted(lines, key=_rank))
    if not is_lower_bound:
        lines = _with_split(lines, usage.tokens)
    return Process(lines, is_lower_bound, cost, last.milliseconds("duration_api_ms"), usage, unread)


def grown_usd(results: Sequence[Fields], *, one: bool) -> Iterator[float | None]:
    """By how much each result's cost is above that of the one before it in its process."""
    yield _cost(Fields(results[0].record, Caveats()))
    for before, after in pairwise(Fields(result.record, Caveats()) for result in results):
        old = 0.0 if _starts_anew(before.record, after.record, one=one) else _cost(before)
        new = _cost(after)
        yield None if old is None or new is None else new - old


def keys(results: Iterable[Fields]) -> tuple[ResultKey, ...]:
    """What identifies each result that has a uuid."""
    found = []
    for result in results:
        fields = Fields(result.record, Caveats())  # what is refused here is said where it is shown
        if uuid := fields.text("uuid"):
            key = ResultKey(uuid, _cost(fields), fields.milliseconds("duration_ms"), fields.count("num_turns"))
            found.append(key)
    return tuple(found)


def by_model(record: Fields, caveats: Caveats) -> tuple[ModelUsage, ...]:
    """What `modelUsage` of a record says, the most expensive model first; empty where it says nothing."""
    lines, _ = _ledger(record, caveats)
    known = any(line.tokens.total is not None for line in lines)
    return tuple(sorted(lines, key=_rank)) if known else ()


def say_unequal_sums(run: Run, caveats: Caveats) -> None:
    """Say so where the reported cost is not the sum of the models'."""
    if run.sums_agree is False:
        reported, added = figures.money_exact(run.cost_usd), figures.money_exact(run.ledger_cost_usd)
        caveats.add("W_SUM", f"The file reports {reported}; its models add up to {added}.")


def _cost(result: Fields) -> float | None:
    return next((cost for name in _COSTS if (cost := result.usd(name)) is not None), None)


def _usage(result: Fields) -> Usage:
    fields = result.section("usage")
    if fields is None:
        return Usage(Tokens())
    server = fields.section("server_tool_use")
    write = fields.count("cache_creation_input_tokens")
    tokens = Tokens(
        input=fields.count("input_tokens"),
        cache_write=write,
        cache_read=fields.count("cache_read_input_tokens"),
        output=fields.count("output_tokens"),
        cache_write_1h=_split(fields.section("cache_creation"), write),
    )
    return Usage(
        tokens,
        server.count("web_search_requests") if server else None,
        server.count("web_fetch_requests") if server else None,
        fields.text("service_tier"),
        frozenset(rates_of(fields.record)),
    )


def _split(creation: Fields | None, write: int | None) -> int | None:
    """The part of cache writes that was written for an hour. A split that does not add up to the writes, such as
    0/0 beside a million, says nothing."""
    if creation is None or write is None:
        return 0 if write == 0 else None
    hour, minutes = creation.count("ephemeral_1h_input_tokens"), creation.count("ephemeral_5m_input_tokens")
    return hour if hour is not None and hour + (minutes or 0) == write else None


def _ledger(result: Fields, caveats: Caveats) -> tuple[tuple[ModelUsage, ...], dict[str, Any]]:
    """The lines of `modelUsage` in the order of the file, and what it says besides."""
    models = result.section("modelUsage")
    lines: list[ModelUsage] = []
    unread: dict[str, Any] = {}
    for name in models.record if models else ():
        entry = models.section(name) if models else None
        if not name.strip():
            caveats.add("W_RANGE", "A model in modelUsage has no name.")
        if entry is None:
            caveats.add("W_TYPE", "An entry of modelUsage is not an object; what the model used is unknown.")
            lines.append(ModelUsage(name, Tokens()))
            continue
        write = entry.count("cacheCreationInputTokens")
        hour = entry.count("cacheCreationEphemeral1hInputTokens")
        tokens = Tokens(
            input=entry.count("inputTokens"),
            cache_write=write,
            cache_read=entry.count("cacheReadInputTokens"),
            output=entry.count("outputTokens"),
            cache_write_1h=0 if write == 0 else hour if hour is not None and hour <= (write or 0) else None,
        )
        lines.append(ModelUsage(name, tokens, entry.usd("costUSD"), entry.count("webSearchRequests")))
        if rest := entry.rest():
            unread[name] = rest
    return tuple(lines), unread


def _with_split(lines: tuple[ModelUsage, ...], usage: Tokens) -> tuple[ModelUsage, ...]:
    """The ledger with the main loop's one-hour part given to the main model, if the writes are all its own."""
    if not lines or lines[0].tokens.cache_write_1h is not None or lines[0].tokens.cache_write != usage.cache_write:
        return lines
    main = replace(lines[0], tokens=replace(lines[0].tokens, cache_write_1h=usage.cache_write_1h))
    return (main, *lines[1:])


def _joined(model: str | None, lines: Sequence[ModelUsage]) -> ModelUsage:
    requests = [line.longest_request for line in lines]
    return ModelUsage(
        model,
        sum((line.tokens for line in lines), Tokens()),
        sum_complete([line.cost_usd for line in lines]),
        sum_known(line.web_searches for line in lines),
        tuple(portion for line in lines for portion in line.portions),
        None if None in requests else max(each or 0 for each in requests),
    )


def _rank(line: ModelUsage) -> tuple[float, int, str]:
    """The most expensive first, then most output, then by id."""
    return -(-1.0 if line.cost_usd is None else line.cost_usd), -(line.tokens.output or -1), line.model or ""
