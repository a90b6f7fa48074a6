"""The settings that say what runs are: a pack holds these."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from sitegen.config.inputs import Campaign
from sitegen.config.setup import SetupSettings
from sitegen.config.study import (
    Leaderboard,
    Pair,
    Property,
    Quadrants,
    Role,
    ScoreMeaning,
    VerdictRule,
    verdicts_as_keys,
)
from sitegen.config.values import LANGUAGE, Text, Texts, Title, check_language, or_list
from sitegen.numbers.intervals import Question
from sitegen.system.bounds import Section

_UsdPerMillion = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]


class Rates(Section):
    """Prices in USD per million tokens."""

    input: _UsdPerMillion
    """Uncached input."""
    output: _UsdPerMillion
    """Output, thinking included."""
    cache_read: _UsdPerMillion | None = None
    """Reads of the cache; 0.1 times `input` unless given."""
    cache_write: _UsdPerMillion | None = None
    """Writes to the cache; 1.25 times `input` unless given."""
    cache_write_1h: _UsdPerMillion | None = None
    """Writes to the cache for an hour; 2 times `input` unless given."""


class LongRequests(Rates):
    """Prices of requests that send more tokens."""

    tokens: Literal[100_000, 128_000, 199_999, 200_000, 272_000]
    """Tokens sent above which they hold."""


class Price(Rates):
    """List prices of one model in USD per million tokens."""

    above: LongRequests | None = None
    """Rates of requests that send more tokens."""


class RunSettings(Section):
    """Settings that say what the runs are. A pack holds these, and no others."""

    title: Title = "Agent runs"
    """Title of the site."""
    description: str = ""
    """Markdown below the title."""
    language: Annotated[
        str,
        AfterValidator(check_language),
        WithJsonSchema({"type": "string", "pattern": f"^{LANGUAGE}$"}),
    ] = "en"
    """Language of your texts, as in `en` or `pt-BR`."""
    names: dict[Text, dict[str, str]] = {}
    """Names of models, agents, tasks and values of other fields: what files, paths and tables say, and the page."""
    campaign: Campaign = Campaign()
    """Name and day of the campaign of `inputs`, where several are shown; see docs/campaigns.md."""
    view: Literal["sessions"] | None = None
    """`sessions`: the first page has totals by project, person, model, week and day; see docs/sessions.md."""
    group_by: Annotated[tuple[Literal["project", "person"], ...], or_list, Field(strict=False)] = ()
    """`project`, `person` or both: groups of runs with pages of their own; `view: sessions` has both."""
    factors: dict[str, Role] = {}
    """Role of a field of the pattern or a column: part of the configuration, property of tasks, observation or tag."""
    properties: dict[str, Property] = {}
    """Groups of the numeric properties of tasks."""
    attempts: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Number of runs planned for each configuration and task."""
    scores: dict[str, ScoreMeaning] = {}
    """Scores by name, and what they mean in all files of outcomes."""
    verdicts: Annotated[dict[str, VerdictRule], Field(max_length=100)] = {}
    """Several verdicts on each run."""
    judges: Annotated[tuple[Text, Text], Field(strict=False)] | None = None
    """Two of the verdicts that answer one question, whose agreement is shown."""
    quadrants: Annotated[Quadrants, verdicts_as_keys] | None = None
    """Names for what two of the verdicts say together."""
    observations: Texts = ()
    """Columns of outcomes files that say what was observed in a run."""
    excluded: Text | None = None
    """Column of outcomes files or of the task table that says why a run is excluded."""
    leaderboard: Leaderboard = Leaderboard()
    """Measure that ranks configurations and models."""
    control: Annotated[dict[Text, Text], Field(max_length=1)] = {}
    """Factor and value of the control arm, as in `{skill: without}`; others are compared with it."""
    setup: SetupSettings = SetupSettings()
    """Facts about the making of runs that their files do not state, such as sandbox and limits; see docs/study.md."""
    compare: Annotated[tuple[Pair, ...], Field(strict=False)] = ()
    """Pairs of groups that get a page of comparison."""
    intervals: Annotated[Question, Field(strict=False)] = Question.TASKS_LIKE_THESE
    """The question that intervals answer: what other tasks of this kind, or further attempts at these, would give."""
    prices: dict[str, Price] = {}
    """List prices by model id, USD per million tokens."""
    cost_basis: Literal["reported", "list"] = "reported"
    """Whether a run costs what its file reports, else its list price; or all runs cost their list price."""
