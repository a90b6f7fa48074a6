"""The table of columns: the fields of a run in the data files, and how the table of runs presents them.

It determines data/runs.json and data/runs.csv, their dictionary on the about page, the plain table with its foot, the
columns of the scripts with all rows, and the exports of a browser.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from sitegen import figures
from sitegen.model import TOKEN_KINDS, Entry, Outcome, Run, Status, Tokens, sum_known
from sitegen.numbers import waste
from sitegen.numbers.pricing import PriceCheck
from sitegen.numbers.signal_rules import signals_of
from sitegen.text.names import natural_order, run_path

SCHEMA = 1
"""The version of the data files; it goes up only when a column changes its meaning, and new columns do not raise it."""

Kind = Literal["text", "whole", "number", "time", "list", "scores"]
"""The content of a column; units are in the names of numbers."""

Cell = str | int | float | None | list[str] | dict[str, float]


MAX_SCORES = 24  # the largest number of scores that are columns: of more, those that most runs have

_UNCHECKED = PriceCheck((), None, None, None, None)


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A run prepared for the columns: its tokens are added up once."""

    entry: Entry
    run: Run
    check: PriceCheck
    tokens: Tokens
    gaps: frozenset[str]

    @classmethod
    def of(cls, entry: Entry, check: PriceCheck | None = None) -> "RunFacts":
        """Return the facts of an entry. Without a check, the columns of list prices are unknown."""
        run = entry.run
        gaps = run.token_gaps | {"cost"} if run.cost_is_lower_bound else run.token_gaps
        return cls(entry, run, check or _UNCHECKED, run.tokens, gaps)

    def counted(self, name: str) -> float | None:
        """Return a count of its steps; None if its file does not have it."""
        count: float | None = getattr(self.run.steps, name, None)
        return count


def _whole(_: Iterable[float | None]) -> figures.FigureFormat:
    """Return the format of small counts: in full."""
    return figures.FigureFormat("", 1, 0)


@dataclass(frozen=True, slots=True)
class Figure:
    """A column of numbers in the table."""

    label: str
    unit: Callable[[Iterable[float | None]], figures.FigureFormat] | None = _whole
    """One for all figures of the column; None for times, which are written as min:s."""
    shown: bool | None = (
        False  # whether it is shown by default; None: if a tenth of the runs have it
    )
    summed: bool = True  # whether the foot has its sum
    kinds: tuple[str, ...] = ()
    """The fields that it adds up; where a run does not report all of them, the table has a lower bound."""


@dataclass(frozen=True, slots=True)
class Names:
    """A column of names that repeat, by which runs can be filtered."""

    label: str  # empty if they are in the cells of another column
    order: tuple[str, ...] = ()  # the order in which they are listed; natural order if empty
    shown: bool | None = False  # whether it is shown by default; None: if runs differ in it
    none: str = "none"  # the label of the runs without a name
    empty: str = ""  # the name of the runs with an empty list, in a column that may be unknown
    title: str = ""  # the tooltip of its head, if the label is ambiguous


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores in the table: a numeric column for each, named after it and without a sum."""


@dataclass(frozen=True, slots=True)
class Text:
    """A column of texts that rarely repeat, such as times (ISO 8601 in UTC)."""

    label: str
    shown: bool = False


@dataclass(frozen=True, slots=True)
class RunColumn:
    """A column of the data files."""

    key: str
    about: str
    kind: Kind
    value: Callable[[RunFacts], Cell]
    table: Figure | Names | Scores | Text | None = (
        None  # None if the table of runs does not have it
    )


NOTHING = (
    "none"  # the text for an empty list in CSV and the table, where an empty cell means unknown
)
_TESTS = {name: name for name in ("none", "passed", "unchecked")}
_CLAIMS = {True: "yes", False: "no"}
_LED = "Main model: the evaluated one, where the file names it, else the one with the largest cost"


def _count(key: str, label: str, about: str) -> RunColumn:
    """Return the column of a count of steps."""
    return RunColumn(key, about, "whole", lambda facts: facts.counted(key), Figure(label))


def _tokens(kind: str, label: str, about: str, *, shown: bool = False) -> RunColumn:
    """Return the column of a kind of token."""
    figure = Figure(label, figures.count_column, shown, kinds=(kind,))
    return RunColumn(
        f"{kind}_tokens", about, "whole", lambda facts: getattr(facts.tokens, kind), figure
    )


def _by_list(kind: str, about: str) -> RunColumn:
    """Return the column of the cost of a kind of token at list price, where that reproduces the cost."""
    return RunColumn(
        f"{kind}_usd", about, "number", lambda facts: (facts.check.by_kind or {}).get(kind)
    )


COLUMNS: tuple[RunColumn, ...] = (
    RunColumn(
        "id",
        "Name of the run’s page, unique and stable while its file keeps its path",
        "text",
        lambda facts: facts.entry.id,
    ),
    RunColumn(
        "name",
        "Name of the run on all pages: task, configuration and attempt, else its file’s name",
        "text",
        lambda facts: facts.entry.name,
    ),
    RunColumn(
        "path",
        "File of the run, relative to its input",
        "text",
        lambda facts: facts.entry.source.path,
    ),
    RunColumn(
        "page", "Page of the run in this site", "text", lambda facts: run_path(facts.entry.id)
    ),
    RunColumn(
        "title",
        "Beginning of its account: a meaningful heading, else its first line; without an "
        "account the file’s name or the end of its path",
        "text",
        lambda facts: facts.entry.about or facts.entry.title,
    ),
    RunColumn(
        "campaign",
        "From a path pattern, a sidecar or an outcomes file; unknown otherwise",
        "text",
        lambda facts: facts.entry.campaign,
        Names("Campaign", shown=None),
    ),
    RunColumn(
        "task",
        "From a path pattern, a sidecar or an outcomes file; unknown otherwise",
        "text",
        lambda facts: facts.entry.task,
        Names("Task", none="no task"),
    ),
    RunColumn(
        "model",
        _LED,
        "text",
        lambda facts: facts.entry.model,
        Names("Model", shown=True, title=_LED),
    ),
    RunColumn(
        "models",
        "All models, the most expensive first; joined by semicolons in CSV",
        "list",
        lambda facts: list(facts.entry.models),
    ),
    RunColumn(
        "model_ids",
        "The same models by the ids that the file gives them; joined by semicolons in CSV",
        "list",
        lambda facts: [line.model for line in facts.run.ledger if line.model is not None],
    ),
    RunColumn(
        "agent",
        "Agent, from its path or a table, else from its reader",
        "text",
        lambda facts: facts.entry.agent,
        Names("Agent", shown=None),
    ),
    RunColumn("format", "Kind of file that was read", "text", lambda facts: facts.run.reader),
    RunColumn(
        "configuration",
        "Name in comparisons, if its model alone does not distinguish it from others: agent, "
        "model and what else was varied. The other factors of runs have a column each at the end: factor.<name>",
        "text",
        lambda facts: facts.entry.configuration,
        Names("Configuration"),
    ),
    RunColumn(
        "effort",
        "How much the model was asked to think, such as low or high: from a path pattern or a table, "
        "else from the run’s file; several in their order, if it changed",
        "text",
        lambda facts: facts.entry.factor("effort"),
        Names("Effort", shown=None, none="unknown"),
    ),
    RunColumn(
        "attempt",
        "Number of the attempt, from a path pattern, a sidecar or an outcomes file",
        "whole",
        lambda facts: facts.entry.attempt,
        Figure("Attempt", summed=False),
    ),
    RunColumn(
        "status",
        "ok, failed, stopped, interrupted or unknown",
        "text",
        lambda facts: facts.run.status.value,
        Names("Status", tuple(Status), shown=True),
    ),
    RunColumn(
        "status_detail",
        "Why, in a few words",
        "text",
        lambda facts: facts.run.status_detail,
        Names(""),
    ),
    RunColumn(
        "cost_usd",
        "Cost as reported, USD",
        "number",
        lambda facts: facts.run.cost_usd,
        Figure("Cost", figures.money_column, shown=True, kinds=("cost",)),
    ),
    _tokens("input", "Input", "Tokens sent and not cached"),
    _tokens("cache_write", "Cache writes", "Tokens sent and written to the cache"),
    RunColumn(
        "cache_write_1h_tokens",
        "The part of the cache writes that was written for an hour",
        "whole",
        lambda facts: facts.tokens.cache_write_1h,
    ),
    _tokens("cache_read", "Cache reads", "Tokens sent and read from the cache", shown=True),
    _tokens("output", "Output", "Tokens received, thinking included", shown=True),
    RunColumn(
        "total_tokens",
        "Sum of input, cache writes, cache reads and output, even if the file does not split it",
        "whole",
        lambda facts: facts.tokens.total if facts.tokens.is_total_known else None,
        Figure("All tokens", figures.count_column, kinds=TOKEN_KINDS),
    ),
    RunColumn(
        "token_gaps",
        "Kinds of token whose count is unknown or a lower bound, and with it the sum; joined by semicolons in CSV",
        "list",
        lambda facts: [kind for kind in TOKEN_KINDS if kind in facts.gaps],
    ),
    RunColumn(
        "wall_ms",
        "Time from start to end, milliseconds",
        "whole",
        lambda facts: facts.run.wall_ms,
        Figure("Time, min:s", None, shown=True),
    ),
    RunColumn(
        "api_ms",
        "Time in the API summed over calls, milliseconds",
        "whole",
        lambda facts: facts.run.api_ms,
        Figure("API time, min:s", None),
    ),
    RunColumn(
        "turns",
        "Turns of the main loop",
        "whole",
        lambda facts: facts.run.turns,
        Figure("Turns", shown=True),
    ),
    RunColumn(
        "denials",
        "Tool calls that were not permitted",
        "whole",
        lambda facts: facts.run.denials,
        Figure("Denials"),
    ),
    RunColumn(
        "outcome",
        "pass, fail, partial or error, from outcomes files or sidecars",
        "text",
        lambda facts: facts.entry.outcome and facts.entry.outcome.value,
        Names("Outcome", tuple(Outcome), shown=True, none="not judged"),
    ),
    RunColumn("note", "Note on the outcome", "text", lambda facts: facts.entry.note, Text("Note")),
    RunColumn(
        "scores",
        "Numbers from outcomes files or sidecars, by name; as name=value, joined by semicolons in CSV. "
        f"The {MAX_SCORES} most frequent also have a column each at the end: score.<name>",
        "scores",
        lambda facts: {score.name: score.value for score in facts.entry.scores},
        Scores(),
    ),
    RunColumn(
        "labels",
        "From outcomes files or sidecars; joined by semicolons in CSV",
        "list",
        lambda facts: list(facts.entry.labels),
        Names("Labels"),
    ),
    RunColumn(
        "started_at",
        "Start in UTC, from an outcomes file, a sidecar or the run’s file",
        "time",
        lambda facts: facts.entry.started_at,
        Text("Start, UTC"),
    ),
    RunColumn(
        "project",
        "Folder that the run worked in, its last part; by `group_by` or `view` of the settings",
        "text",
        lambda facts: facts.entry.factor("project"),
        Names("Project", shown=None),
    ),
    RunColumn(
        "person",
        "Person who started the run: a name or a pseudonym, likewise",
        "text",
        lambda facts: facts.entry.factor("person"),
        Names("Person", shown=None),
    ),
    RunColumn(
        "week",
        "ISO week in which it began, UTC",
        "text",
        lambda facts: facts.entry.week,
        Names("Week"),
    ),
    RunColumn(
        "day", "Day on which it began, UTC", "text", lambda facts: facts.entry.day, Names("Day")
    ),
    RunColumn(
        "list_price_usd",
        "The tokens at list price, USD",
        "number",
        lambda facts: facts.check.list_usd,
    ),
    _by_list(
        "cache_read",
        "Cost of the cache reads at list price, where the list price reproduces the cost",
    ),
    _by_list("cache_write", "Cost of the cache writes, likewise"),
    _by_list("input", "Cost of the input, likewise"),
    _by_list("output", "Cost of the output, likewise"),
    RunColumn(
        "patch_added_lines",
        "Lines added by the patch beside the run",
        "whole",
        lambda facts: facts.entry.patch_lines and facts.entry.patch_lines[0],
    ),
    RunColumn(
        "patch_removed_lines",
        "Lines removed by it",
        "whole",
        lambda facts: facts.entry.patch_lines and facts.entry.patch_lines[1],
    ),
    RunColumn(
        "computed_cost_usd",
        "Cost computed from list prices, USD, if the file reports none",
        "number",
        lambda facts: facts.run.computed_cost_usd,
        Figure("≈ Cost", figures.money_column, shown=None, kinds=("cost",)),
    ),
    RunColumn(
        "cost_bound",
        "Whether the cost, reported or computed, is exact, an estimate or a lower bound",
        "text",
        lambda facts: facts.run.cost_bound or None,
    ),
    RunColumn(
        "judge_cost_usd",
        "Cost of the models that judged the run or played another part than the agent, as reported or else at list "
        "price, USD; in no other figure",
        "number",
        lambda facts: facts.run.judge_usd,
        Figure("Judge", figures.money_column, shown=None),
    ),
    RunColumn(
        "judge_tokens",
        "Tokens that they sent and received, as far as they are known",
        "whole",
        lambda facts: sum_known(line.tokens.total for line in facts.run.judge),
    ),
    RunColumn(
        "cost_without_change_usd",
        "Reported cost of the parts of a session that edited no file, after one that ended well, USD",
        "number",
        lambda facts: waste.cost_without_change_usd(facts.run),
        Figure("Without a change", figures.money_column),
    ),
    RunColumn(
        "cost_rewritten_cache_usd",
        "Cost of the cache writes of a run of one turn that wrote 20,000 tokens or more, at list price, USD",
        "number",
        lambda facts: waste.cost_rewritten_cache_usd(facts.run, facts.check),
        Figure("Cache for one turn", figures.money_column),
    ),
    _count(
        "steps",
        "Steps",
        "Steps of the agent: prompts, texts, tool calls and events, subagents’ included",
    ),
    _count(
        "tool_calls", "Tool calls", "Tool calls, each counted once by its id, subagents’ included"
    ),
    _count("tool_failures", "Failed calls", "Tool calls whose answer is flagged as an error"),
    _count(
        "files_edited",
        "Files edited",
        "Different files that editing tools changed; excludes what commands change",
    ),
    _count(
        "lines_added",
        "Lines added",
        "Lines that editing tools added; unknown if the file does not report it for an edit",
    ),
    _count("lines_removed", "Lines removed", "Lines that they removed, likewise"),
    _count("subagents", "Subagents", "Subagents that worked for the run"),
    _count(
        "compactions",
        "Compactions",
        "Number of times the context was replaced by a summary; unknown if the format does not record it",
    ),
    RunColumn(
        "context_peak_tokens",
        "Largest number of tokens sent by a message of the main agent",
        "whole",
        lambda facts: facts.counted("context_peak_tokens"),
        Figure("Largest context", figures.count_column, summed=False),
    ),
    RunColumn(
        "commands_seconds",
        "Time from call to result of commands, summed, seconds",
        "number",
        lambda facts: facts.counted("commands_seconds"),
        Figure("Commands, s"),
    ),
    RunColumn(
        "signals",
        "Rules that match the record of the run, joined by semicolons in CSV, where “none” means "
        "that none does; unknown without a record of steps. Behaviour has the rules",
        "list",
        lambda facts: (
            None if (found := signals_of(facts.entry)) is None else [rule.short for rule in found]
        ),
        Names(
            "Signals",
            none="unknown",
            empty=NOTHING,
            title="Rules that match the record; Behaviour lists them",
        ),
    ),
    RunColumn(
        "tests",
        "none: no command ran tests; passed: after the last edit; unchecked: they ran, and none passed "
        "after it. Unknown without a record of steps",
        "text",
        lambda facts: _TESTS.get(facts.run.steps.tests or "") if facts.run.steps else None,
        Names(
            "Tests",
            tuple(_TESTS),
            none="unknown",
            title="None: includes runs that edited nothing. Unchecked: none passed after the last edit",
        ),
    ),
    RunColumn(
        "claimed",
        "Whether the agent states that it did the task, yes or no: in a field of its answer or in a "
        "table",
        "text",
        lambda facts: None if facts.entry.claimed is None else _CLAIMS[facts.entry.claimed],
        Names("Claimed", tuple(_CLAIMS.values()), none="not stated"),
    ),
    RunColumn(
        "session_id",
        "Session; runs that were resumed share it",
        "text",
        lambda facts: facts.run.session_id,
    ),
    RunColumn("uuid", "The run’s own id", "text", lambda facts: facts.run.uuid),
    RunColumn(
        "warnings",
        "Codes of warnings; joined by semicolons in CSV",
        "list",
        lambda facts: sorted({caveat.code for caveat in facts.run.caveats}),
    ),
)
"""The columns in the order of the data files."""

TABLE_ORDER = (
    "task",
    "campaign",
    "agent",
    "model",
    "effort",
    "configuration",
    "status",
    "status_detail",
    "outcome",
    "note",
    "scores",
    "labels",
    "attempt",
    "cost_usd",
    "computed_cost_usd",
    "judge_cost_usd",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "input_tokens",
    "total_tokens",
    "turns",
    "wall_ms",
    "api_ms",
    "denials",
    "cost_without_change_usd",
    "cost_rewritten_cache_usd",
    "steps",
    "tool_calls",
    "tool_failures",
    "files_edited",
    "lines_added",
    "lines_removed",
    "subagents",
    "compactions",
    "context_peak_tokens",
    "commands_seconds",
    "signals",
    "tests",
    "claimed",
    "started_at",
    "project",
    "person",
    "week",
    "day",
)
"""The columns of the table, from left to right."""


def score_names(entries: Iterable[Entry]) -> list[str]:
    """Return the scores that have a column, the most frequent first."""
    frequencies = Counter(score.name for entry in entries for score in entry.scores)
    return sorted(frequencies, key=lambda name: (-frequencies[name], natural_order(name)))[
        :MAX_SCORES
    ]


def score_key(name: str) -> str:
    """Return the column of a score in the data files."""
    return f"score.{name}"
