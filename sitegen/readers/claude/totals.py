"""Claude Code's figures: those that add up, and those that are running totals.

A process of the agent prints one result for each turn it was given. From result to result it carries on its cost,
its tokens by model and its time in the API, so the last result has them all; times, turns and `usage` are those of
the one turn. A file that several processes wrote to has a running total for each, and those add. Taking one for the
other is off by a factor: one real stream would come to four times its cost.

The figures come from `modelUsage`, which covers subagents and auxiliary calls; `usage` is the main loop only and stands
in, marked as a lower bound, where `modelUsage` is missing.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from sitegen import figures
from sitegen.model import ModelUsage, Portion, Run, Tokens, replace, sum_complete, sum_known
from sitegen.readers.claude.contents import rates_of
from sitegen.readers.common.ledger import AnswerUsage
from sitegen.readers.common.records import Record, count_of
from sitegen.readers.common.running_totals import (
    Relation,
    RunningTotal,
    grown_ledger,
    rank,
    relation_of,
    sum_segments,
)
from sitegen.readers.common.values import Caveats, Fields, shortened
from sitegen.readers.common.writers import held_to_total

MAX_MODELS = 50
# The names of the cost, the newest first; some versions wrote the last two side by side.
_COSTS = ("total_cost_usd", "cost_usd", "total_cost")

_ROUNDING = 1e-9  # sums of costs and times differ by less
# The suffixes of the name of a model that is still the same one.
_VARIANT = r"(?:[-@]\d{8})?(?:\[[^\]]*\])?"


class Usage(NamedTuple):
    """The main loop's counts, without subagents and auxiliary calls."""

    tokens: Tokens
    web_searches: int | None = None
    web_fetches: int | None = None
    service_tier: str | None = None
    billed_as: frozenset[str] = frozenset()


class Turn(NamedTuple):
    """The result of a turn."""

    result: Fields
    usage: Usage

    @property
    def record(self) -> Record:
        """The record of the result."""
        return self.result.record


class Process(NamedTuple):
    """The usage of one process of the agent."""

    ledger: tuple[ModelUsage, ...]
    is_lower_bound: bool
    cost_usd: float | None
    """The cost that its last result reports: an earlier running total is not the whole."""
    api_ms: int | None
    unread: dict[str, Any]
    """The other values in `modelUsage` of the last result, by model."""


def by_running_total(turns: Sequence[Turn], *, one: bool) -> tuple[list[list[Turn]], bool]:
    """Return the turns that each running total of the file is in, and whether one of them may go on with the one
    before as well as not; `one` says that a single process wrote it."""
    groups = [[turns[0]]]
    is_undecided = False
    # Most files have a single result, which is compared with nothing.
    totals = [_total_of(turn) for turn in turns] if len(turns) > 1 else []
    for (before, after), (earlier, later) in zip(pairwise(turns), pairwise(totals), strict=True):
        relation = relation_of(earlier, later)
        if _starts_anew(before.record, after.record, relation, earlier, later, one=one):
            groups.append([])
        elif after.record.get("result_index") == 0:
            is_undecided |= relation is Relation.UNDECIDED
        groups[-1].append(after)
    return groups, is_undecided


def combined(ledgers: Iterable[Iterable[ModelUsage]], caveats: Caveats) -> tuple[ModelUsage, ...]:
    """Return one ledger of several. Beyond 50 models the cheapest share a line, so that sums stay right."""
    by_model: dict[str | None, ModelUsage] = {}
    for ledger in ledgers:
        for line in ledger:
            known = by_model.get(line.model)
            by_model[line.model] = _joined(line.model, (known, line)) if known else line
    lines = sorted(by_model.values(), key=rank)
    if len(lines) > MAX_MODELS:
        rest = lines[MAX_MODELS - 1 :]
        caveats.add(
            "W_LIMIT",
            f"The run names {len(lines):,} models; the {len(rest):,} cheapest share a line.",
        )
        lines[MAX_MODELS - 1 :] = [_joined(f"{len(rest):,} other models", rest)]
    return tuple(lines)


def with_answers(
    ledger: Iterable[ModelUsage], answers: Iterable[AnswerUsage]
) -> tuple[ModelUsage, ...]:
    """Return the ledger with answers that no result has counted, whose cost nobody states."""
    lines = {line.model: line for line in ledger}
    for answer in answers:
        name = answer.model
        if name not in lines:
            pattern = re.compile(re.escape(name) + _VARIANT if name else "(?s:.+)")
            name = next((model for model in lines if model and pattern.fullmatch(model)), name)
        line = lines.get(name, ModelUsage(name, Tokens()))
        lines[name] = replace(line, tokens=line.tokens + answer.tokens)
    return tuple(lines.values())


def _starts_anew(
    before: Record,
    after: Record,
    relation: Relation,
    earlier: RunningTotal,
    later: RunningTotal,
    *,
    one: bool,
) -> bool:
    """Return whether another running total begins with the later of two results.

    A process that resumes a session may go on with its totals. A running total cannot fall, and grows by at least what
    the later result says its own turn used.
    """
    sessions = before.get("session_id"), after.get("session_id")
    are_named = isinstance(sessions[0], str) and isinstance(sessions[1], str)
    if are_named and sessions[0] != sessions[1]:
        return True
    if relation is Relation.CONTAINS:
        return False
    index = after.get("result_index")
    if isinstance(index, int):
        return index == 0 and relation is Relation.SEPARATE
    api_ms = [Fields(record).milliseconds("duration_api_ms") for record in (before, after)]
    if _falls(earlier.cost_usd, later.cost_usd) or _falls(*api_ms):
        return True
    spent = later.used.output
    if one or spent is None or not (earlier.ledger and later.ledger):
        return False
    grown = grown_ledger(earlier, later)
    return grown is None or sum(line.tokens.output or 0 for line in grown) < spent


def _falls(earlier: float | None, later: float | None) -> bool:
    return earlier is not None and later is not None and later < earlier - _ROUNDING


def _total_of(turn: Turn) -> RunningTotal:
    fields = Fields(turn.record)
    lines, _ = _lines_of(fields, Caveats())
    return RunningTotal(lines, cost_of(fields), turn.usage.tokens)


def process_of(
    turns: Sequence[Turn], model: str | None, caveats: Caveats, *, cache_in_input: bool
) -> Process:
    """Return what a process used, from the results of its turns; `model` is that of its main loop."""
    last = turns[-1].result
    used = sum_usages(turn.usage for turn in turns)
    cost = cost_of(last)
    if not any(last.record.get(name) is not None for name in _COSTS):
        caveats.add("W_MISSING", "The result reports no cost.")
    lines, unread = _lines_of(last, caveats, cache_in_input=cache_in_input)
    is_lower_bound = False
    if not lines:
        lines = _earlier_lines(turns, caveats, cache_in_input=cache_in_input)
        is_lower_bound = bool(lines)
    if not is_lower_bound and _are_empty(lines):
        lines = _lines_by_usage(lines, turns, used, model, caveats)
        is_lower_bound = bool(used.total)
    lines = tuple(sorted(lines, key=rank))
    if not is_lower_bound:
        lines = _with_split(lines, used)
    return Process(lines, is_lower_bound, cost, _api_ms(turns), unread)


def _are_empty(lines: Sequence[ModelUsage]) -> bool:
    return all(line.tokens.total is None and line.cost_usd is None for line in lines)


def _earlier_lines(
    turns: Sequence[Turn], caveats: Caveats, *, cache_in_input: bool
) -> tuple[ModelUsage, ...]:
    """Return the lines of the last result before the last one that has some."""
    for turn in reversed(turns[:-1]):
        lines, _ = _lines_of(turn.result, caveats, cache_in_input=cache_in_input)
        if lines:
            text = "A later result has no tokens per model: these are those up to an earlier one, a lower bound."
            caveats.add("W_MISSING", text)
            return lines
    return ()


def _lines_by_usage(
    lines: Sequence[ModelUsage],
    turns: Sequence[Turn],
    used: Tokens,
    model: str | None,
    caveats: Caveats,
) -> tuple[ModelUsage, ...]:
    """Return what the main loop used, where no result has tokens per model."""
    last = turns[-1].result
    if used.total is None:
        if "usage" not in last.record and not lines:
            caveats.add("W_MISSING", "The result reports no tokens.")
        return tuple(lines)
    if used.total > 0:
        text = (
            "The file has no tokens per model: these are those of the main loop, without subagents."
        )
        caveats.add("W_USAGE_ONLY", text)
    cost = cost_of(last)
    is_free = cost == 0 and used.total == 0  # nothing was called
    name = lines[0].model if len(lines) == 1 else model
    searches = sum_complete([turn.usage.web_searches for turn in turns])
    return (ModelUsage(name, used, cost if is_free else None, searches),)


def _api_ms(turns: Sequence[Turn]) -> int | None:
    """Return the time in the API of a process: a running total, which begins at zero again where it falls."""
    times = [turn.result.milliseconds("duration_api_ms") for turn in turns]
    return None if times[-1] is None else sum_segments(filter(None, times))


def ledger_of(record: Fields, caveats: Caveats) -> tuple[ModelUsage, ...]:
    """Return what `modelUsage` of a record says, the most expensive model first; empty where it says nothing."""
    lines, _ = _lines_of(record, caveats)
    is_known = any(line.tokens.total is not None for line in lines)
    return tuple(sorted(lines, key=rank)) if is_known else ()


def say_unequal_sums(run: Run, caveats: Caveats) -> None:
    """Say so where the reported cost is not the sum of the models'."""
    if run.sums_agree is False:
        reported = figures.money_exact(run.cost_usd)
        added = figures.money_exact(run.ledger_cost_usd)
        caveats.add("W_SUM", f"The file reports {reported}; its models add up to {added}.")


def cost_of(result: Fields) -> float | None:
    """Return the cost that a result reports, in USD."""
    for name in _COSTS:
        cost = result.usd(name)
        if cost is not None:
            return cost
    return None


def sum_usages(usages: Iterable[Usage]) -> Tokens:
    """Return the tokens of several turns."""
    return sum((usage.tokens for usage in usages), Tokens())


def usage_of(result: Fields, *, cache_in_input: bool = False) -> Usage:
    """Return what a result says of the main loop."""
    fields = result.section("usage")
    if fields is None:
        return Usage(Tokens())
    server = fields.section("server_tool_use")
    write = fields.count("cache_creation_input_tokens")
    sent = fields.count("input_tokens")
    read = fields.count("cache_read_input_tokens")
    output = fields.count("output_tokens")
    hour = _hour_writes(fields.section("cache_creation"), write)
    total = count_of(fields.record, "total_tokens")
    tokens = Tokens(sent, write, read, output, hour)
    return Usage(
        held_to_total(tokens, total, cache_in_input=cache_in_input),
        server.count("web_search_requests") if server else None,
        server.count("web_fetch_requests") if server else None,
        fields.text("service_tier"),
        frozenset(rates_of(fields.record)),
    )


def _hour_writes(creation: Fields | None, write: int | None) -> int | None:
    """Return the part of cache writes that was written for an hour. A split that does not add up to the writes, such as
    0/0 beside a million, says nothing."""
    if creation is None or write is None:
        return 0 if write == 0 else None
    hour = creation.count("ephemeral_1h_input_tokens")
    minutes = creation.count("ephemeral_5m_input_tokens")
    return hour if hour is not None and hour + (minutes or 0) == write else None


def _lines_of(
    result: Fields, caveats: Caveats, *, cache_in_input: bool = False
) -> tuple[tuple[ModelUsage, ...], dict[str, Any]]:
    """Return the lines of `modelUsage` in the order of the file, and what it says besides."""
    models = result.section("modelUsage")
    lines: list[ModelUsage] = []
    unread: dict[str, Any] = {}
    for name in models.record if models else ():
        entry = models.section(name) if models else None
        if not name.strip():
            caveats.add("W_RANGE", "A model in modelUsage has no name.")
        if entry is None:
            caveats.add(
                "W_TYPE", "An entry of modelUsage is not an object; what the model used is unknown."
            )
            lines.append(ModelUsage(name, Tokens()))
            continue
        lines.append(_line_of(name, entry, caveats, cache_in_input=cache_in_input))
        if rest := entry.rest():
            unread[name] = rest
    return tuple(lines), unread


def _line_of(name: str, entry: Fields, caveats: Caveats, *, cache_in_input: bool) -> ModelUsage:
    """Return the line of a model: input and output, cache writes and reads, cost, searches."""
    write = entry.count("cacheCreationInputTokens")
    hour = entry.count("cacheCreationEphemeral1hInputTokens")
    sent = entry.count("inputTokens")
    read = entry.count("cacheReadInputTokens")
    output = entry.count("outputTokens")
    if write == 0:
        hour = 0
    elif hour is not None and hour > (write or 0):
        hour = None
    tokens = Tokens(sent, write, read, output, hour)
    total = count_of(entry.record, "totalTokens")
    # No price matched it: the rates are those of the default model.
    if entry.record.get("costBasis") == "unknown":
        text = f"The agent knows no price of {shortened(name, 60)}: what it cost is a guess."
        caveats.add("W_ESTIMATE", text)
    tokens = held_to_total(tokens, total, cache_in_input=cache_in_input)
    return ModelUsage(name, tokens, entry.usd("costUSD"), entry.count("webSearchRequests"))


def _with_split(lines: tuple[ModelUsage, ...], usage: Tokens) -> tuple[ModelUsage, ...]:
    """Return the ledger with the main loop's one-hour part given to the main model, if the writes are all its own."""
    if not lines:
        return lines
    tokens = lines[0].tokens
    if tokens.cache_write_1h is not None or tokens.cache_write != usage.cache_write:
        return lines
    main = replace(lines[0], tokens=replace(tokens, cache_write_1h=usage.cache_write_1h))
    return (main, *lines[1:])


def _joined(model: str | None, lines: Sequence[ModelUsage]) -> ModelUsage:
    portions: list[Portion] = []
    tokens = Tokens()
    longest: int | None = 0
    for line in lines:
        portions += line.portions
        tokens += line.tokens
        request = line.longest_request
        longest = None if longest is None or request is None else max(longest, request)
    cost = sum_complete([line.cost_usd for line in lines])
    searches = sum_known(line.web_searches for line in lines)
    return ModelUsage(model, tokens, cost, searches, tuple(portions), longest)
