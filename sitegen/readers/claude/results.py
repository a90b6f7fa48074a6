"""Reads what `claude -p` prints: the result object of every version, the `--verbose` array, stream-json lines.

The three are one thing: records, of which the results carry the figures. So the file is first boiled down to the few
records that matter (a stream may have ten thousand), and then told as one run. What adds up and what is a running
total is decided in one place, `_Process`: within a process of the agent cost, tokens by model and API time run on from
result to result, while times, turns and `usage` are those of one turn.

The figures come from `modelUsage`, which covers subagents and auxiliary calls; `usage` is the main loop only and stands
in, marked as a lower bound, where `modelUsage` is missing.
"""

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from sitegen import figures
from sitegen.errors import ReadError
from sitegen.model import (
    Denial,
    ModelUsage,
    Part,
    ResultKey,
    Run,
    Status,
    Texts,
    Tokens,
    replace,
    sum_complete,
    sum_known,
)
from sitegen.readers.claude.claude_steps import (
    FIELDS,
    OWNER,
    ClaudeTrace,
    SessionReader,
    Sessions,
    decide,
    end_said,
    rates_of,
)
from sitegen.readers.common.fields import Rows, compact, field_kinds, given, indented
from sitegen.readers.common.outline import FIRST_OBJECT
from sitegen.readers.common.records import (
    count_of,
    digest_of_record,
    is_true,
    known,
    object_of,
    objects_in,
    objects_of,
    text_of,
    texts_of,
    value_at,
    words,
)
from sitegen.readers.common.running_totals import (
    Relation,
    RunningTotal,
    grown_ledger,
    rank,
    relation_of,
    sum_segments,
)
from sitegen.readers.common.sizes import checked
from sitegen.readers.common.trace import (
    ONLY,
    OPEN_CALL,
    SESSION,
    Answer,
    Begun,
    Known,
    Record,
    without_zeros,
)
from sitegen.readers.common.values import Caveats, Fields, beginning, brief, shortened
from sitegen.readers.common.writers import held_to_total
from sitegen.readers.run_file import RunFile
from sitegen.text.times import utc_text

# The kinds of records and the fields of a result that versions of Claude Code up to 2.1.329 are known to write.
# Read or not: what is not here has come since, or is another program's, and is named on the problems page.

MAX_UNKNOWN = 20
_KINDS = known("claude")
_OF_SYSTEM = known("claude system")
_FIELDS = known("claude result")
_FAMILIES = ("first_stream_post_", "first_text_post_", "model_refusal_")


def unknown(kinds: Iterable[str], result: Record) -> tuple[str, ...]:
    """Return which of the kinds of records, `system/init` or `user`, and which fields of a result nobody here knows."""
    found = [
        f"result.{name}"
        for name in result
        if name not in _FIELDS and not name.startswith(_FAMILIES)
    ]
    for kind in kinds:
        main, _, sub = kind.partition("/")
        is_known = main != "system" or not sub or sub in _OF_SYSTEM or sub.startswith(_FAMILIES)
        found += [kind] if kind != "None" and not (main in _KINDS and is_known) else []
    return tuple(sorted(dict.fromkeys(name[:100] for name in found))[:MAX_UNKNOWN])


# What adds up in Claude Code's figures and what is a running total.
# A process of the agent prints one result for each turn it was given. From result to result it carries on its cost,
# its tokens by model and its time in the API, so the last result has them all; times, turns and `usage` are those of
# the one turn. A file that several processes wrote to has a running total for each, and those add. Taking one for the
# other is off by a factor: one real stream would come to four times its cost.

MAX_MODELS = 50
# The names of the cost, the newest first; some versions wrote the last two side by side.
_COSTS = ("total_cost_usd", "cost_usd", "total_cost")

# The suffixes of the name of a model that is still the same one.
_VARIANT = r"(?:[-@]\d{8})?(?:\[[^\]]*\])?"


class Usage(NamedTuple):
    """The main loop's counts, without subagents and auxiliary calls."""

    tokens: Tokens
    web_searches: int | None = None
    web_fetches: int | None = None
    service_tier: str | None = None
    billed_as: frozenset[str] = frozenset()


class Process(NamedTuple):
    """The usage of one process of the agent."""

    ledger: tuple[ModelUsage, ...]
    is_lower_bound: bool
    cost_usd: float | None
    """The cost that its last result reports: an earlier running total is not the whole."""
    api_ms: int | None
    unread: dict[str, Any]
    """The other values in `modelUsage` of the last result, by model."""


def by_running_total(results: Sequence[Fields], *, one: bool) -> tuple[list[list[Fields]], bool]:
    """Return the results that each running total of the file is in, and whether one of them may go on with the one
    before as well as not; `one` says that a single process wrote it."""
    groups = [[results[0]]]
    is_undecided = False
    totals = map(_total_of, results)
    for (before, after), (earlier, later) in zip(pairwise(results), pairwise(totals), strict=True):
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


def with_answers(ledger: Iterable[ModelUsage], answers: Iterable[Answer]) -> tuple[ModelUsage, ...]:
    """Return the ledger with answers that no result has counted, whose cost nobody states."""
    lines = {line.model: line for line in ledger}
    for answer in answers:
        name = answer.model
        if name not in lines:
            named = re.compile(re.escape(name) + _VARIANT if name else "(?s:.+)")
            name = next((each for each in lines if each and named.fullmatch(each)), name)
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
    if all(isinstance(session, str) for session in sessions) and sessions[0] != sessions[1]:
        return True
    if relation is Relation.CONTAINS:
        return False
    index = after.get("result_index")
    if isinstance(index, int):
        return index == 0 and relation is Relation.SEPARATE
    costs = earlier.cost_usd, later.cost_usd
    times = [Fields(record).milliseconds("duration_api_ms") for record in (before, after)]
    for old, new in (costs, times):
        if old is not None and new is not None and new < old - 1e-9:
            return True
    spent = later.used.output
    if one or spent is None or not (earlier.ledger and later.ledger):
        return False
    grown = grown_ledger(earlier, later)
    return grown is None or sum(line.tokens.output or 0 for line in grown) < spent


def _total_of(result: Fields) -> RunningTotal:
    fields = Fields(result.record)
    return RunningTotal(_ledger(fields, Caveats())[0], _cost(fields), _usage(fields).tokens)


def _process(
    turns: Sequence[Fields], model: str | None, caveats: Caveats, *, cache_in_input: bool
) -> Process:
    last = turns[-1]
    usages = [_usage(turn, cache_in_input=cache_in_input) for turn in turns]
    used = sum((each.tokens for each in usages), Tokens())
    cost = _cost(last)
    if not any(last.record.get(name) is not None for name in _COSTS):
        caveats.add("W_MISSING", "The result reports no cost.")
    lines, unread = _ledger(last, caveats, cache_in_input=cache_in_input)
    is_lower_bound = False
    ledgers = (
        _ledger(turn, caveats, cache_in_input=cache_in_input)[0] for turn in reversed(turns[:-1])
    )
    earlier = filter(None, ledgers)
    if not lines and (outdated := next(earlier, ())):
        lines = outdated
        is_lower_bound = True
        text = "A later result has no tokens per model: these are those up to an earlier one, a lower bound."
        caveats.add("W_MISSING", text)
    elif all(line.tokens.total is None and line.cost_usd is None for line in lines):
        names = [line.model for line in lines] or [model]
        if used.total is not None:
            is_lower_bound = used.total > 0
            known_cost = cost if cost == 0 and not is_lower_bound else None  # nothing was called
            only = names[0] if len(names) == 1 else model
            lines = (
                ModelUsage(
                    only, used, known_cost, sum_complete([each.web_searches for each in usages])
                ),
            )
        elif "usage" not in last.record and not lines:
            caveats.add("W_MISSING", "The result reports no tokens.")
        if is_lower_bound:
            text = "The file has no tokens per model: these are those of the main loop, without subagents."
            caveats.add("W_USAGE_ONLY", text)
    lines = tuple(sorted(lines, key=rank))
    if not is_lower_bound:
        lines = _with_split(lines, used)
    return Process(lines, is_lower_bound, cost, _api_ms(turns), unread)


def _api_ms(turns: Sequence[Fields]) -> int | None:
    """Return the time in the API of a process: a running total, which begins at zero again where it falls."""
    times = [turn.milliseconds("duration_api_ms") for turn in turns]
    return None if times[-1] is None else sum_segments(filter(None, times))


def ledger_of(record: Fields, caveats: Caveats) -> tuple[ModelUsage, ...]:
    """Return what `modelUsage` of a record says, the most expensive model first; empty where it says nothing."""
    lines, _ = _ledger(record, caveats)
    known = any(line.tokens.total is not None for line in lines)
    return tuple(sorted(lines, key=rank)) if known else ()


def say_unequal_sums(run: Run, caveats: Caveats) -> None:
    """Say so where the reported cost is not the sum of the models'."""
    if run.sums_agree is False:
        reported = figures.money_exact(run.cost_usd)
        added = figures.money_exact(run.ledger_cost_usd)
        caveats.add("W_SUM", f"The file reports {reported}; its models add up to {added}.")


def _cost(result: Fields) -> float | None:
    return next((cost for name in _COSTS if (cost := result.usd(name)) is not None), None)


def _usage(result: Fields, *, cache_in_input: bool = False) -> Usage:
    fields = result.section("usage")
    if fields is None:
        return Usage(Tokens())
    server = fields.section("server_tool_use")
    write = fields.count("cache_creation_input_tokens")
    sent, read, output = map(
        fields.count, ("input_tokens", "cache_read_input_tokens", "output_tokens")
    )
    tokens = Tokens(sent, write, read, output, _split(fields.section("cache_creation"), write))
    tokens = held_to_total(
        tokens, count_of(fields.record, "total_tokens"), cache_in_input=cache_in_input
    )
    searches, fetches = (
        server.count(f"web_{kind}_requests") if server else None for kind in ("search", "fetch")
    )
    return Usage(
        tokens, searches, fetches, fields.text("service_tier"), frozenset(rates_of(fields.record))
    )


def _split(creation: Fields | None, write: int | None) -> int | None:
    """Return the part of cache writes that was written for an hour. A split that does not add up to the writes, such as
    0/0 beside a million, says nothing."""
    if creation is None or write is None:
        return 0 if write == 0 else None
    hour = creation.count("ephemeral_1h_input_tokens")
    minutes = creation.count("ephemeral_5m_input_tokens")
    return hour if hour is not None and hour + (minutes or 0) == write else None


def _ledger(
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
        write = entry.count("cacheCreationInputTokens")
        hour = entry.count("cacheCreationEphemeral1hInputTokens")
        sent, read, output = map(
            entry.count, ("inputTokens", "cacheReadInputTokens", "outputTokens")
        )
        split = 0 if write == 0 else hour if hour is not None and hour <= (write or 0) else None
        tokens = Tokens(sent, write, read, output, split)
        tokens = held_to_total(
            tokens, count_of(entry.record, "totalTokens"), cache_in_input=cache_in_input
        )
        if (
            entry.record.get("costBasis") == "unknown"
        ):  # no price matched it: the rates are those of the default model
            caveats.add(
                "W_ESTIMATE",
                f"The agent knows no price of {shortened(name, 60)}: what it cost is a guess.",
            )
        lines.append(
            ModelUsage(name, tokens, entry.usd("costUSD"), entry.count("webSearchRequests"))
        )
        if rest := entry.rest():
            unread[name] = rest
    return tuple(lines), unread


def _with_split(lines: tuple[ModelUsage, ...], usage: Tokens) -> tuple[ModelUsage, ...]:
    """Return the ledger with the main loop's one-hour part given to the main model, if the writes are all its own."""
    if (
        not lines
        or lines[0].tokens.cache_write_1h is not None
        or lines[0].tokens.cache_write != usage.cache_write
    ):
        return lines
    main = replace(lines[0], tokens=replace(lines[0].tokens, cache_write_1h=usage.cache_write_1h))
    return (main, *lines[1:])


def _joined(model: str | None, lines: Sequence[ModelUsage]) -> ModelUsage:
    requests = [line.longest_request for line in lines]
    portions = [each for line in lines for each in line.portions]
    longest = None if None in requests else max(each or 0 for each in requests)
    tokens = sum((line.tokens for line in lines), Tokens())
    cost = sum_complete([line.cost_usd for line in lines])
    return ModelUsage(
        model,
        tokens,
        cost,
        sum_known(line.web_searches for line in lines),
        tuple(portions),
        longest,
    )


# What a run of Claude Code says: the summary, its errors, what it was denied, and every field left over.
# A result's text is the agent's account, unless the program wrote it: then it is an error, and the account is an
# earlier result, or the last message of a stream. That is why the status and the texts are decided together.

MAX_DENIALS = 1000
MAX_INPUT = 20_000  # characters of one denied tool's input
MAX_STRUCTURED = 200_000

_WANTED = "command file_path notebook_path path url pattern query prompt description".split()
KINDS_OF_FIELDS = field_kinds(
    fact="init.tools init.slash_commands init.agents init.skills init.mcp_servers init.plugins.name",
    answer="results.result",
    content="results",
)


# Fields of a structured answer that state whether the task is done; the first counts.
_CLAIMS = (
    "done taskdone success succeeded completed taskcompleted solved fixed resolved "
    "testspassed alltestspassed"
).split()
# Fields of a result that is the answer of a call, or leaves one to others.
_ANSWERS_BY_CALL = ("structured_output", "deferred_tool_use")
_SEPARATORS = re.compile(r"[\s_-]+")


def claim_of(structured: object) -> bool | None:
    """Return whether a structured answer states that the task is done; None where no field of it says so."""
    if not isinstance(structured, dict):
        return None
    stated = {_SEPARATORS.sub("", str(name).lower()): value for name, value in structured.items()}
    return next((stated[name] for name in _CLAIMS if isinstance(stated.get(name), bool)), None)


def _texts(results: Sequence[Fields], last_message: str | None, caveats: Caveats) -> Texts:
    """Return the summary with its origin, the errors, the denials and the structured output; `fields` come later."""
    *earlier, last = _background_first(results)
    structured = last.record.get("structured_output")
    if structured is not None:
        last.use("structured_output")
    summary = _account(last)
    origin = None if last is results[-1] else "an earlier result"
    if summary is None and structured is None:
        summary = next((text for result in reversed(earlier) if (text := _account(result))), None)
        origin = "an earlier result" if summary else "the last message" if last_message else None
        summary = summary or last_message
    errors = tuple(dict.fromkeys(text for result in results for text in errors_of(result)))
    denials = tuple(_denials(denials_of(results) or [], caveats))
    shown = None if structured is None else indented(structured, MAX_STRUCTURED)
    return Texts(summary, origin, errors, denials, shown)


def denials_of(results: Sequence[Fields]) -> list[Any] | None:
    """Return what was denied in all turns, each once; None when no result says."""
    lists = [
        found for result in results if (found := result.items("permission_denials")) is not None
    ]
    if not lists:
        return None
    everything = list(lists[0])
    seen = {_id(denial) for denial in everything}
    for later in lists[1:]:
        fresh = [denial for denial in later if _id(denial) is None or _id(denial) not in seen]
        everything += fresh
        seen.update(_id(denial) for denial in fresh)
    return everything


def _background_first(results: Sequence[Fields]) -> list[Fields]:
    """Return the results in their order, but those of background tasks first: what the agent says when it is notified
    of the end of one is no answer to its prompt."""
    return sorted(
        results,
        key=lambda result: value_at(result.record, "origin.kind") != "task-notification",
    )


def _account(result: Fields) -> str | None:
    """Return a result's text, where the agent wrote it and it is not empty."""
    text = result.text("result")
    return text if text and text.strip() and not _is_error_text(result, text) else None


def _is_error_text(result: Fields, text: str) -> bool:
    """Return whether the program wrote a result's text: it says so, or no model wrote a word and it reads like one."""
    if is_true(result.record, "is_error"):
        return True
    usage = result.record.get("usage")
    silent = isinstance(usage, dict) and usage.get("output_tokens") == 0
    return silent and end_said(text) is not None


def errors_of(result: Fields) -> Iterator[str]:
    """Yield the texts of errors in one result, in its order."""
    for error in result.items("errors") or ():
        yield error if isinstance(error, str) else compact(error)
    if isinstance(error := result.record.get("error"), str) and error.strip():
        result.use("error")
        yield error
    text = result.text("result")
    if text and text.strip() and _is_error_text(result, text):
        yield text


def _id(denial: object) -> str | None:
    found = denial.get("tool_use_id") if isinstance(denial, dict) else None
    return found if isinstance(found, str) else None


def _denials(found: Sequence[Any], caveats: Caveats) -> Iterator[Denial]:
    if len(found) > MAX_DENIALS:
        text = f"The run was denied {len(found):,} tool calls; the first {MAX_DENIALS:,} are shown."
        caveats.add("W_LIMIT", text)
    for denial in found[:MAX_DENIALS]:
        entry = denial if isinstance(denial, dict) else {"tool_input": denial}
        tool = entry.get("tool_name")
        wish = entry.get("tool_input")
        name = shortened(tool, 200) if isinstance(tool, str) and tool.strip() else "unknown tool"
        wanted, is_target = _wanted(wish)
        yield Denial(
            name, wanted, indented(wish, MAX_INPUT) if wish not in (None, {}) else "", is_target
        )


def _wanted(wish: object) -> tuple[str, bool]:
    """Return the command, path or address of a tool's input, else its first text with its name; and which it is."""
    texts = (
        {key: value for key, value in wish.items() if isinstance(value, str)}
        if isinstance(wish, dict)
        else {}
    )
    known = next((key for key in _WANTED if key in texts), None)
    said = texts[known] if known else next((f"{key}: {value}" for key, value in texts.items()), "")
    return beginning(said, 2000), known not in (None, "prompt")


_MARK = re.compile(
    rb'\\?"type\\?"\s*:\s*\\?"(?:result|system|assistant|user|error|rate_limit_event)|'
    rb'\\?"(?:num_turns|duration_api_ms|total_cost_usd|cost_usd|modelUsage)\\?"\s*:',
    re.IGNORECASE,
)
_TYPES = ("assistant", "user", "system", "result")
_FIGURES = words("num_turns duration_api_ms total_cost_usd cost_usd modelUsage")


class _Sessions(Sessions):
    """The records that processes printed, by session."""

    skip = '{"type":"stream_event"'

    def take(self) -> Iterator[tuple[str, Iterable[Begun]]]:
        place = ""
        places: dict[str, str] = {}
        named_places: set[str] = set()
        running = OrderedDict[str, None]()
        for value in self.text:
            for each in _unpacked(value):
                record = each if each.get("type") in _TYPES else _of_sdk(each)
                named = record.get("session_id")
                is_result = record.get("type") == "result"
                has_ended = place in self.found and place not in running
                if isinstance(named, str) and named:
                    if named not in places and (
                        is_result or record.get("subtype") == "init"
                    ):  # hooks may name an earlier one
                        is_another = has_ended or (not is_result and place in named_places)
                        places[named] = f"{SESSION}{len(self.found)}" if is_another else place
                        named_places.add(places[named])
                    place = places.get(named, place)
                elif has_ended:  # of several processes, one that goes on
                    place = next(iter(running), place)
                if place not in self.found:
                    running[place] = None
                    is_array = isinstance(value, list)
                    self.found[place] = _Printed(
                        self.known, is_array=is_array, contents=self.contents
                    )
                    self.found[place].lie_at(self.path)
                if is_result:
                    running.pop(place, None)
                yield place, self.found[place].feed(record)

    def runs(self, wanted: str | None) -> Iterator[tuple[str, Run]]:  # noqa: ARG002
        if any(each.is_foreign for each in self.found.values()):
            return
        told = {place: each for place, each in self.found.items() if each.printed or each.init}
        for place, each in told.items():
            if self.text.skipped and place == next(iter(told)):
                each.kinds["stream_event"] += self.text.skipped
            run = _run(each, self.caveats if len(told) == 1 else Caveats())
            yield (
                place,
                replace(run, locator=place or f"{SESSION}0") if len(self.found) > 1 else run,
            )
        if not told and self.text.fault:
            raise self.text.fault
        for each in self.found.values() if not told else ():
            each.refuse()


class ClaudeReader(SessionReader):
    """The reader of the `claude -p` family."""

    name, sessions = "claude", _Sessions

    def matches(self, file: RunFile) -> bool:
        """Return whether an object with a field of this family begins at the start of a line."""
        head = file.plain_head
        begin = FIRST_OBJECT.search(head)
        return begin is not None and _MARK.search(head, begin.start()) is not None


def _unpacked(value: object, levels: int = 3) -> Iterator[dict[str, Any]]:
    """Yield the records in a value: itself, or those in lists, as of `jq -s`, and under keys of others, as of tasks."""
    if isinstance(value, list):
        for each in value if levels else ():
            yield from (
                (each,)
                if isinstance(each, dict) and "type" in each
                else _unpacked(each, levels - 1)
            )
    elif isinstance(value, dict):
        inner = () if "type" in value or _of_sdk(value) is not value else tuple(value.values())
        inner = tuple(
            each for each in inner if any(r.get("type") == "result" for r in objects_in([each]))
        )
        yield from (
            (record for each in inner for record in _unpacked(each, levels - 1))
            if inner
            else (value,)
        )


def _of_sdk(record: dict[str, Any]) -> dict[str, Any]:
    """Return a result that the SDK for Python made, as the program writes it."""
    if (
        record.get("type") in (None, "ResultMessage")
        and "duration_api_ms" in record
        and "num_turns" in record
    ):
        usage = record.get("model_usage", record.get("modelUsage"))
        rest = {
            name: value
            for name, value in record.items()
            if name != "model_usage" and value is not None
        }
        return rest | {"type": "result"} | ({"modelUsage": usage} if usage else {})
    return record


class _Printed(ClaudeTrace):
    """A session, of which the records that carry figures are held while the rest goes by."""

    last_text: str | None = None
    first_time: object = None  # a time that stands before anything was done
    is_foreign = is_stream = False
    lacks_turns = False  # whether its results count turns that are not in it
    lacks_beginning = False  # whether answers stand before what a process prints first
    has_marks = False  # whether there are records as only this program writes them
    near_miss: str | None = None

    def __init__(self, known: Known, *, is_array: bool, contents: bool) -> None:
        super().__init__(known, contents=contents)
        self.is_array = is_array
        self.printed: list[Record] = []
        self.init: Record = {}

    def _chain_up(self, record: Record) -> None:
        if (
            not self.printed and record.get("type") != "stream_event"
        ):  # most of these are not read at all
            super()._chain_up(record)

    def take(self, record: Record) -> None:
        kind = record.get("type")
        subtype = record.get("subtype")
        session = text_of(record, "session_id")
        self.session_id = self.session_id or session
        if session and session.startswith("T-"):  # amp
            self.is_foreign = True
        elif kind == "result" and (
            "stats" in record or ("request_id" in record and "num_turns" not in record)
        ):
            self.is_foreign = True  # gemini; cursor-agent
        elif kind == "result":
            self.printed += (
                [record]
                if isinstance(record.get("result"), str) or _FIGURES & record.keys()
                else []
            )
        elif kind == "assistant":
            self.lacks_beginning |= not self.init and not self.is_array
            message = object_of(record, "message")
            text = texts_of(
                [block for block in objects_of(message, "content") if block.get("type") == "text"]
            )
            if (
                text
                and record.get("parent_tool_use_id") is None
                and message.get("model") != "<synthetic>"
            ):
                self.last_text = text
        elif kind == "system" and subtype == "init":
            self.is_foreign |= (
                record.get("apiKeySource") == "login" and "tools" not in record
            )  # cursor-agent
            self.init = self.init or record
            self.marks.take_tools(record.get("tools"))
            self.first_time = self.first_time or record.get("timestamp")
        elif (
            kind is None and record.get("role") == "system" and "cost_usd" in record
        ):  # versions 0.2.x
            self.printed.append(record)
        elif kind == "error":
            error = object_of(record, "error")
            if text_of(error, "type") and (said := text_of(error, "message")):
                what = f"an API error was printed instead of a result: {beginning(said, 2000)}"
                self.near_miss = self.near_miss or what
        elif kind in ("tool_call", "thinking") and subtype is not None:  # cursor-agent
            self.is_foreign = True
        elif len(_FIGURES & record.keys()) > 2:
            self.near_miss = (
                f"this looks like a result of Claude Code, but its type is {brief(kind)}"
            )
        self.is_stream |= kind in ("system", "assistant", "user")
        self.has_marks |= "parent_tool_use_id" in record
        super().take(record)

    def take_copy(self, record: Record) -> None:
        if self.printed and record == self.printed[-1]:
            self.printed.append(record)

    def refuse(self) -> None:
        """Raise ReadError when the records are of this family all the same."""
        if self.near_miss:
            raise ReadError("E_NOT_A_RUN", self.near_miss)
        if self.has_marks:
            what = "these are records of Claude Code, but neither their beginning nor a result is among them"
            raise ReadError("E_NOT_A_RUN", what)


def _run(kept: _Printed, caveats: Caveats) -> Run:
    """Return the run that the records tell of."""
    init = Fields(kept.init, caveats, "init.")
    model = init.text("model")
    kept.title = f"{OWNER} {'array' if kept.is_array else 'stream' if kept.is_stream else 'result'}"
    run = Run(
        reader=kept.title,
        status=Status.INTERRUPTED,
        session_id=init.text("session_id"),
        agent_version=init.text("claude_code_version"),
        effort=kept.efforts,
        given=given(mode=init.text("permissionMode"), tools=kept.init.get("tools")),
        started_at=utc_text(kept.first_time),
        unknown=unknown(kept.kinds, kept.printed[-1] if kept.printed else {}),
    )
    if kept.printed:
        results = [Fields(record, caveats) for record in _distinct(kept.printed)]
        if len(results) > 1:
            caveats.add(
                "W_MULTI_RESULT",
                f"The file holds {len(results)} results: durations and turns are summed; cost, tokens and API time are "
                "running totals, so the last value of each process is used.",
            )
        elif len(kept.printed) > 1:
            text = f"The same result is in the file {len(kept.printed)} times; it counts once."
            caveats.add("W_MULTI_RESULT", text)
        run, unread = _with_results(run, results, kept, model, caveats)
        kept.lacks_turns = (
            kept.lacks_beginning and (run.turns or 0) - len(results) > kept.prompts_and_answers
        )
        if kept.lacks_turns:
            caveats.add(
                "W_MISSING",
                "The beginning of its recording is missing: its calls are those of the rest.",
            )
        if kept.unsettled and not kept.is_array:
            run = _with_unsettled(run, kept, caveats)
        run = replace(run, answers=kept.digests[:1], is_stated=True, is_end=kept.lacks_beginning)
    else:
        results = []
        unread = {}
        counted = kept.run()
        has_usage = counted.tokens.total is not None
        said = "usage is a lower bound" if has_usage else "usage is unknown"
        caveats.add("W_NO_RESULT", f"The recording ends before a result, so {said}.")
        run = replace(
            run,
            ledger=counted.ledger if has_usage else (ModelUsage(model, Tokens()),) if model else (),
            ledger_is_lower_bound=has_usage,
            answers=kept.digests,
            texts=Texts(kept.last_text, "the last message" if kept.last_text else None),
        )
    if kept.is_stream:
        run = replace(run, results=(*run.results, *kept.beginnings))
    if kept.has_steps:
        parts = tuple(
            replace(part, edits=kept.edits[number]) for number, part in enumerate(run.parts)
        )
        steps = kept.counts()
        if kept.lacks_turns:
            steps = replace(
                steps, tool_failures=None, edited=None, lines_added=None, lines_removed=None
            )
        run = replace(run, steps=steps, parts=parts, locator=ONLY, cwd=kept.cwd)
    run = kept.with_writer(run, caveats)
    rows = Rows(caveats, KINDS_OF_FIELDS)
    _list(rows, kept, results, init, run.texts, unread)
    return checked(
        replace(run, texts=replace(run.texts, fields=rows.all(), field_kinds=tuple(rows.kinds))),
        caveats,
    )


def _with_results(
    begun: Run, results: list[Fields], kept: _Printed, model: str | None, caveats: Caveats
) -> tuple[Run, dict[str, Any]]:
    """Return the run with all that its results say, and what `modelUsage` says besides."""
    last = results[-1]
    turns_of, is_undecided = by_running_total(results, one=kept.is_array)
    if is_undecided:
        text = "Totals of a later process may go on from those of an earlier one: cost and tokens are lower bounds."
        caveats.add("W_TOTALS", text)
    parts = [
        _process(each, model, caveats, cache_in_input=kept.cache_in_input) for each in turns_of
    ]
    ledger = list(combined((part.ledger for part in parts), caveats))
    if "usage" in last.record and last.record["usage"] is None:
        caveats.add("W_MISSING", "The result's usage is empty.")
    status, detail = decide(last, tuple(errors_of(last)), caveats)
    keys, of_session = zip(*_parts(turns_of), strict=True)
    if status is Status.OK:
        status, detail = _of_all(of_session) or (status, detail)
    if (
        status is Status.OK
        and kept.ends_in_call
        and last.record.keys().isdisjoint(_ANSWERS_BY_CALL)
    ):
        status, detail = OPEN_CALL
    turns = sum_complete([result.count("num_turns") for result in results])
    if kept.last_text or (status is Status.OK and (turns or 0) > len(results)):
        ledger = without_zeros(ledger, caveats)
    cost = sum_complete([part.cost_usd for part in parts])
    denied = denials_of(results)
    searches = sum_complete([line.web_searches for line in ledger])
    if "session_id" not in last.record:
        caveats.add("W_MISSING", "The result has no session id.")
    elif last.record["session_id"] is None:
        caveats.add("W_TYPE", "session_id is null.")
    usages = [_usage(Fields(result.record)) for result in results]
    used = sum((usage.tokens for usage in usages), Tokens())
    origin = (result.record.get("time_origin_ms") for result in results)
    run = replace(
        begun,
        status=status,
        status_detail=detail,
        ledger=tuple(ledger),
        ledger_is_lower_bound=is_undecided or any(part.is_lower_bound for part in parts),
        cost_is_lower_bound=is_undecided and cost is not None,
        process_usage=used if len(parts) == 1 else None,
        cost_usd=None
        if cost == 0 and ledger and all(line.tokens.total is None for line in ledger)
        else cost,
        wall_ms=sum_complete([result.milliseconds("duration_ms") for result in results]),
        api_ms=sum_complete([part.api_ms for part in parts]),
        turns=turns,
        denials=None if denied is None else len(denied),
        web_searches=searches
        if searches is not None
        else sum_complete([each.web_searches for each in usages]),
        web_fetches=sum_complete([each.web_fetches for each in usages]),
        service_tier=usages[-1].service_tier,
        hour_writes=sum_complete([each.tokens.cache_write_1h for each in usages]),
        billed_as=tuple(sorted(frozenset.intersection(*(each.billed_as for each in usages)))),
        session_id=last.text("session_id") or begun.session_id,
        uuid=last.text("uuid"),
        results=keys,
        parts=of_session if len(results) > 1 else (),
        started_at=next((at for ms in origin if (at := utc_text(ms))), begun.started_at),
        claimed=claim_of(_background_first(results)[-1].record.get("structured_output")),
        texts=_texts(results, kept.last_text, caveats),
    )
    say_unequal_sums(run, caveats)
    return run, parts[-1].unread


def _with_unsettled(run: Run, kept: _Printed, caveats: Caveats) -> Run:
    """Return the run with what it did after its last result. If its main agent went on, then it broke off."""
    late = f"It continues for {figures.plural(len(kept.unsettled), 'answer')} after its last result"
    caveats.add("W_NO_RESULT", f"{late}; cost and tokens are lower bounds.")
    ledger = with_answers(run.ledger, kept.unsettled)
    run = replace(run, ledger=ledger, ledger_is_lower_bound=True, cost_is_lower_bound=True)
    if kept.unsettled_turns == 0:
        return run
    wall_ms = sum_complete((run.wall_ms, kept.unsettled_ms))
    turns = sum_complete((run.turns, kept.unsettled_turns))
    return replace(run, status=Status.INTERRUPTED, status_detail=None, wall_ms=wall_ms, turns=turns)


def _list(
    rows: Rows,
    kept: _Printed,
    results: Sequence[Fields],
    init: Fields,
    texts: Texts,
    unread: Record,
) -> None:
    """List every field that no section shows: of the last result, of a stream's beginning, and how many records it has.
    `unread` is what is left of `modelUsage`."""
    for number, result in enumerate(results):
        said = result.record.get("result")
        if result is not results[-1]:
            rest = {name: v for name, v in result.record.items() if name not in ("type", "result")}
            rows.add(f"results[{number}]", compact(rest))
        if isinstance(said, str) and said not in ("", texts.summary, *texts.errors):
            rows.add(f"results[{number}].result", said)
    if results:
        last = results[-1]
        last.use("type")
        for name, value in last.rest(*FIELDS).items():
            if name == "modelUsage" and isinstance(value, dict):
                value = unread
            elif name == "usage" and isinstance(value, dict):
                value = {key: inner for key, inner in value.items() if key != "service_tier"}
            if value or not isinstance(value, dict) or not last.record[name]:
                rows.add(name, value)
    init.use("type", "subtype")
    for name, value in init.rest().items():
        rows.add(f"init.{name}", value)
    for kind, count in kept.kinds.items() if len(kept.kinds) > 1 else ():
        rows.add(f"records.{kind}", count)
    for number, denial in enumerate((denials_of(results) or [])[:MAX_DENIALS]):
        if isinstance(denial, dict):
            rest = {
                name: value
                for name, value in denial.items()
                if name not in ("tool_name", "tool_input")
            }
            if rest:
                rows.add(f"permission_denials[{number}]", rest)


def _of_all(parts: Sequence[Part]) -> tuple[Status, str] | None:
    """Status of a session of which a part did not come to its own end, though the last one did."""
    for number, part in enumerate(parts):
        if part.status is not Status.OK:
            resumed = len(parts) - 1 - number
            times = "once" if resumed == 1 else f"{resumed} times"
            return part.status, f"{part.status_detail or part.status.value}, then resumed {times}"
    return None


def _parts(totals: Iterable[Sequence[Fields]]) -> Iterator[tuple[ResultKey, Part]]:
    """Yield what identifies each result, its uuid or all of it, and what it says of its part of the session; what is
    odd about it was said. The cost of a part is what its running total has grown by."""
    for results in totals:
        before: float | None = 0.0
        for fields in (Fields(result.record) for result in results):
            cost = _cost(fields)
            ended = decide(fields, tuple(errors_of(fields)), Caveats())
            turns = fields.count("num_turns")
            took = fields.milliseconds("duration_ms")
            grown = None if before is None or cost is None else cost - before
            key = fields.text("uuid") or digest_of_record(fields.record)
            yield ResultKey(key, cost, took, turns), Part(*ended, turns, took, grown)
            before = cost


def _distinct(records: list[Record]) -> list[Record]:
    """Return the results without repetitions of one that was written twice, in the order of the file."""
    found: dict[object, Record] = {}
    for record in records:
        uuid = record.get("uuid")
        same = ("session_id", "total_cost_usd", "duration_ms", "num_turns", "result")
        found[uuid if isinstance(uuid, str) else tuple(str(record.get(name)) for name in same)] = (
            record
        )
    return list(found.values())
