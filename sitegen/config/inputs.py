"""Settings that name files: of runs, outcomes and earlier campaigns."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationInfo

from sitegen.config.study import ScoreMeaning
from sitegen.config.values import (
    Day,
    FilledPath,
    Pattern,
    ShareOfAll,
    Text,
    Title,
    or_path,
    place_path,
    undated,
)
from sitegen.model import Level
from sitegen.system.bounds import Section


class Input(Section):
    """A file, a folder or a glob pattern that holds runs."""

    path: FilledPath
    """File, folder or glob pattern; relative to this file."""
    pattern: Pattern | None = None
    """The meaning of the parts of a run's path, such as {task}/{model}/{attempt}.*"""
    steps: Annotated[Level, Field(strict=False)] | None = None
    """The part of the agents' steps that is published for these runs; overrides `steps`."""
    only: Literal["judged"] | None = None
    """`judged` leaves out the runs without a verdict; pages say how many."""


OutcomeColumn = Literal[
    "id",
    "path",
    "uuid",
    "session",
    "campaign",
    "task",
    "commit",
    "agent",
    "model",
    "attempt",
    "outcome",
    "note",
    "labels",
    "started_at",
]


class Outcomes(Section):
    """Files that state how runs turned out."""

    path: FilledPath
    """File, folder or glob pattern; relative to this file."""
    pattern: Pattern | None = None
    """The last parts of a file's path, such as {agent}/{commit}_result.json; other files are not read."""
    reference: Text | None = None
    """The name of a reference, such as `human`: runs of the task are compared with the scores, which are of no run."""
    agent: str | None = None
    """The agent of all rows that do not name one."""
    factors: dict[Text, Text] = {}
    """Other factors of all rows that do not state them."""
    campaign: str | None = None
    """The campaign of all rows that do not name one."""
    model: str | None = None
    """The model of all rows that do not name one."""
    attempt: Annotated[int, Field(ge=0)] | None = None
    """The attempt of all rows that do not name one."""
    beside: bool = False
    """Each file is about the run beside it, which it does not name."""
    columns: dict[OutcomeColumn, str] = {}
    """Our name of a column: its name in the file."""
    scores: dict[str, ScoreMeaning] = {}
    """Scores by name, and what they mean."""


class Campaign(Section):
    """The name of a campaign where several are shown."""

    name: Annotated[Title, Field(max_length=80), undated] | None = None
    """Its name; else that of its pack, else its day."""
    date: Day | None = None
    """Its day; else that of its pack, else the day on which its last run began."""


class History(Section):
    """Earlier campaigns in one file, to which the build adds this one: `data/history.jsonl` of the site."""

    path: FilledPath
    """data/history.jsonl of the last site; it may not exist yet."""
    keep: Annotated[int, Field(ge=1, le=1000)] = 50
    """Number of campaigns to keep, the newest."""


class OneOfCampaigns(Campaign, Input):
    """One of several campaigns in one site; `pattern` is that of a folder."""

    path: FilledPath
    """Pack, folder of runs or published site; each that a pattern matches."""
    keep: Annotated[int, Field(ge=1)] | None = None
    """Number of those matching a pattern that are shown, the last by name."""
    outcomes: Annotated[
        tuple[Annotated[Outcomes, or_path(Outcomes)], ...], Field(strict=False)
    ] = ()
    """Files with the outcomes of its runs, in place of the `outcomes` of all; for a folder."""


PREVIOUS = "previous"  # the baseline that is the campaign before


def _place_baseline(path: str, info: ValidationInfo) -> str:
    return path if path == PREVIOUS else place_path(path, info)


class Baseline(Section):
    """The earlier campaign that gates compare with."""

    path: Annotated[str, Field(min_length=1), AfterValidator(_place_baseline)]
    """A pack, a published site, its data/runs.json, or `previous`."""
    tasks: ShareOfAll = 0.8
    """The share of its tasks that must be compared, as `20 %` or 0.2; below it the gates are incomplete."""
