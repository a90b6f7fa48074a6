"""The settings: one model, and errors that name file, line and column.

All faults are reported at once, because a person fixes a file once, not once for each fault.
"""

from __future__ import annotations

import difflib
import glob
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, Self, TypeVar, get_args
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PrivateAttr,
    ValidationError,
    field_validator,
    model_validator,
)

from sitegen.bounds import Bounds, Section, says
from sitegen.errors import ConfigError
from sitegen.inputs import discover
from sitegen.masking.personal_data import OPTIONAL
from sitegen.masking.redact import KINDS, number_masks, terminal
from sitegen.model import Level
from sitegen.names import PathPattern
from sitegen.numbers.intervals import Question
from sitegen.numbers.pricing import PriceTable
from sitegen.places import absolute, is_address
from sitegen.yaml_text import Place, YamlFault, read_yaml

# Parts of the settings that stand for themselves: several campaigns, limits of inputs, and what is masked.


def known_fields(text: str) -> str:
    PathPattern(text)  # raises ValueError with what is wrong
    return text


def title_text(text: str) -> str:
    line = terminal(text)  # a title stands in pages, in the picture of links and in the terminal
    if not line:
        raise ValueError("write a title that can be read")
    return line


def _day(text: str) -> str:
    try:
        if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            return date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    raise ValueError("write the day as in 2026-11-18")


def _limit(option: str, text: str | None) -> str | None:
    """Return the day that an option names, or that was so many days ago. Raises: ConfigError."""
    if text is None:
        return None
    if not re.fullmatch("[0-9]{1,4}d", text):
        try:
            return _day(text)
        except ValueError:
            raise ConfigError(
                f"{option} {text}: write a day as in 2026-11-18, or 7d for seven days ago."
            ) from None
    return (datetime.now(UTC).date() - timedelta(int(text[:-1]))).isoformat()


_Filled = Annotated[str, Field(min_length=1)]
_Real = Annotated[float, Field(allow_inf_nan=False)]
_undated = BeforeValidator(lambda value: value.isoformat() if type(value) is date else value)
"""YAML makes dates of what looks like one."""
_Day = Annotated[str, _undated, AfterValidator(_day)]


class Campaign(Section):
    """The name of a campaign where several are shown."""

    name: (
        Annotated[str, Field(min_length=1, max_length=80), AfterValidator(title_text), _undated]
        | None
    ) = None
    """Its name; else that of its pack, else its day."""
    date: _Day | None = says(
        "Its day; else that of its pack, else the day on which its last run began."
    )


class History(Section):
    """Earlier campaigns in one file, to which the build adds this one: `data/history.jsonl` of the site."""

    path: _Filled = says("data/history.jsonl of the last site; it may not exist yet.", ...)
    keep: int = says("Number of campaigns to keep, the newest.", 50, ge=1, le=1000)


def _expression(text: str) -> str:
    try:
        if re.compile(text).match(""):
            raise ValueError("the expression matches an empty text, so it would mask everything")
    except re.error as error:
        raise ValueError(f"this is not a regular expression: {error}") from None
    return text


def _kind_of(known: Sequence[str], others: Sequence[str], why: str) -> AfterValidator:
    """Return what accepts the known kinds, and says why the others are not among them."""

    def checked(kind: str) -> str:
        if kind in others:
            raise ValueError(f"'{kind}' is {why}")
        if kind not in known:
            near = difflib.get_close_matches(kind.lower(), known, n=1, cutoff=0.5)
            hint = f", did you mean '{near[0]}'?" if near else "; docs/redaction.md lists them"
            raise ValueError(f"unknown kind '{kind}'{hint}")
        return kind

    return AfterValidator(checked)


_MaskedKind = Annotated[str, _kind_of(KINDS, OPTIONAL, "not masked unless `also` names it")]
_OptionalKind = Annotated[
    str, _kind_of(OPTIONAL, KINDS, f"masked anyway; `also` takes {' and '.join(OPTIONAL)}")
]


def _mask_word(kind: str) -> str:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9 .-]{0,39}", kind):
        raise ValueError(
            f"'{kind}' becomes part of the mask: write 1 to 40 letters, digits, spaces, dots or dashes"
        )
    return kind


class Redact(Section):
    """The values to mask besides those the rules find, and the exceptions."""

    literals: Annotated[tuple[Annotated[str, Field(min_length=4)], ...], Field(strict=False)] = ()
    """Texts to mask wherever they stand."""
    patterns: dict[
        Annotated[str, AfterValidator(_mask_word)], Annotated[str, AfterValidator(_expression)]
    ] = {}
    """Word in the mask: regular expression."""
    allowed_domains: tuple[str, ...] = says(
        "Domains whose e-mail addresses are shown.", (), strict=False
    )
    also: Annotated[tuple[_OptionalKind, ...], Field(strict=False)] = ()
    """Kinds to mask that are not masked otherwise: `ip address`, `mac address`."""
    off: dict[_MaskedKind, Annotated[str, Field(min_length=1)]] = {}
    """Kinds that are not masked, each with a reason, which the about page shows."""


def share(value: object) -> object:
    """Return `20 %` as 0.2."""
    if isinstance(value, str) and (found := re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?%", value)):
        return float(found[1]) / 100
    return value


def _allowed(value: object) -> object:
    """Say what `unknown` takes: a parser of unions names each of its types."""
    if value == "not proven":
        raise ValueError("`not proven` is now called `incomplete`, with the same effect")
    known = share(value)
    if value in ("incomplete", "allow") or (type(known) in (int, float) and 0 <= known <= 1):  # type: ignore[operator]
        return known
    raise ValueError(
        "write `incomplete`, `allow`, or the share of runs that may be unknown, as in 5 %"
    )


_Unknown = Annotated[Literal["incomplete", "allow"] | float, BeforeValidator(_allowed)]


def _refuse_empty(value: object) -> object:
    """Refuse a limit that is named and not given: such a gate would always pass."""
    if value is None:
        raise ValueError("there is no limit here; write one, as in `max: 20`, or leave the key out")
    return value


class Change(Section):
    """The amount by which a figure may differ from the baseline."""

    max: Annotated[float, Field(ge=0, allow_inf_nan=False), BeforeValidator(share)]
    """As `20 %` or 0.2; of success in points."""


class Changes(Section):
    """The permitted changes of a figure against the baseline."""

    increase: Change | None = says("Limit on an increase.")
    decrease: Change | None = says("Limit on a decrease.")
    unknown: _Unknown = says(
        "The effect of runs of shared tasks without the figure, as in other gates.", "incomplete"
    )

    _refuse_empty_limits = field_validator("*", mode="before")(_refuse_empty)

    @model_validator(mode="after")
    def _has_limit(self) -> Self:
        limits = [name for name in type(self).model_fields if name != "unknown"]
        if all(getattr(self, name) is None for name in limits):
            raise ValueError(f"a gate needs {' or '.join(f'`{name}`' for name in limits)}")
        return self


class TasksChanged(Section):
    """The number of tasks that may have changed."""

    max: Annotated[int, Field(ge=0)] = says("The most tasks that may have changed.", ...)


class SuccessChanges(Changes):
    """The permitted changes of success against the baseline."""

    newly_failing: TasksChanged | None = says(
        "Tasks that passed in the baseline and fail now, by an exact test."
    )


_UsdPerMillion = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]


class Rates(Section):
    """Prices in USD per million tokens."""

    input: _UsdPerMillion = says("Uncached input.", ...)
    output: _UsdPerMillion = says("Output, thinking included.", ...)
    cache_read: _UsdPerMillion | None = says("Reads of the cache; 0.1 times `input` unless given.")
    cache_write: _UsdPerMillion | None = says(
        "Writes to the cache; 1.25 times `input` unless given."
    )
    cache_write_1h: _UsdPerMillion | None = says(
        "Writes to the cache for an hour; 2 times `input` unless given."
    )


class LongRequests(Rates):
    """Prices of requests that send more tokens."""

    tokens: Literal[100_000, 128_000, 199_999, 200_000, 272_000] = says(
        "Tokens sent above which they hold.", ...
    )


class Price(Rates):
    """List prices of one model in USD per million tokens."""

    above: LongRequests | None = says("Rates of requests that send more tokens.")


# Settings of a study: what its runs differ in, its verdicts, its tasks, and what was observed.

Role = Literal["configuration", "property", "observation", "tag"]
Text = Annotated[str, Field(min_length=1, max_length=80)]
Texts = Annotated[tuple[Text, ...], Field(strict=False)]


class VerdictRule(Section):
    """The source of a verdict: a column of outcomes files, other verdicts, or a score."""

    column: Text | None = says("A column of outcomes files.")
    passing: Annotated[Texts, Field(alias="pass")] = ()
    """The words of that column that are a pass; any other is a fail. Without it, those of docs/outcomes.md count."""
    all: Texts = says("Verdicts that must all pass.", ())
    score: Text | None = says("A score that must reach `min`, or stay within `max`.")
    min: _Real | None = says("The least the score may be.")
    max: _Real | None = says("The most it may be.")
    of: Text | None = says("A column of the task table by which `min` and `max` are multiplied.")
    unknown: Literal["not judged", "fail"] = says(
        "`fail`: lost and untested runs count as failed.", "not judged"
    )
    main: bool = says("Whether this is the outcome of a run everywhere else.", False)

    @model_validator(mode="after")
    def _has_one_source(self) -> VerdictRule:
        if sum(map(bool, (self.column, self.all, self.score))) != 1:
            raise ValueError("a verdict needs one of `column`, `all` and `score`")
        if self.score and self.min is None and self.max is None:
            raise ValueError("a verdict from a score needs `min`, `max` or both")
        return self


class Quadrants(Section):
    """Names for what two verdicts say together."""

    of: Annotated[tuple[Text, Text], Field(strict=False)] = says("The two verdicts.", ...)
    both: Text = says("The name where both pass.", "Both")
    first: Text = says("The name where only the first passes.", "Only the first")
    second: Text = says("The name where only the second passes.", "Only the second")
    none: Text = says("The name where neither passes.", "None")

    @model_validator(mode="after")
    def _has_four_names(self) -> Quadrants:
        if len({self.both, self.first, self.second, self.none}) < 4 or self.of[0] == self.of[1]:
            raise ValueError("quadrants need four different names, of two different verdicts")
        return self


class Property(Section):
    """A numeric property of tasks."""

    cut: Annotated[tuple[_Real, ...], Field(strict=False, min_length=1)]
    """The lowest values of its groups but the first: a value equal to a cut belongs to the upper group."""


def _address(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
        raise ValueError("write the address of the site as https://host/folder/")
    if "@" in parts.netloc:
        raise ValueError("it is shown on every page: write it without a user name and a password")
    return text if text.endswith("/") else text + "/"


class Input(Section):
    """A file, a folder or a glob pattern that holds runs."""

    path: _Filled = says("File, folder or glob pattern; relative to this file.", ...)
    pattern: Annotated[str, AfterValidator(known_fields)] | None = None
    """The meaning of the parts of a run's path, such as {task}/{model}/{attempt}.*"""
    steps: Annotated[Level, Field(strict=False)] | None = None
    """The part of the agents' steps that is published for these runs; overrides `steps`."""


class ScoreMeaning(Section):
    """The meaning of a score of this name."""

    unit: Annotated[str, Field(max_length=40)] | None = says("Its unit, as pages write it.")
    direction: Literal["higher", "lower"] | None = says("The better direction.")
    scale: Literal["linear", "ratio"] = says("Whether differences count, or factors.", "linear")
    reference: Text | None = None
    """The reference of the comparison: a column of the task table, or the `reference` of outcomes files."""
    band: Annotated[float, Field(ge=0, lt=1, allow_inf_nan=False), BeforeValidator(share)] = 0.0
    """The distance from the reference up to which it counts as equal, as `5 %` or 0.05."""
    columns: Texts = says(
        "Its names in files, of which the first that a row has counts; else its own name.", ()
    )
    of: Texts = ()
    """Scores of which the first that a run and its reference have makes this one: how many times better the run is."""

    @model_validator(mode="after")
    def _has_what_it_is_computed_from(self) -> ScoreMeaning:
        if self.of and not self.reference:
            raise ValueError("a score that is computed `of` others needs a `reference`")
        return self


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

    path: _Filled = says("File, folder or glob pattern; relative to this file.", ...)
    pattern: Annotated[str, AfterValidator(known_fields)] | None = None
    """The last parts of a file's path, such as {agent}/{commit}_result.json; other files are not read."""
    reference: Text | None = None
    """The name of a reference, such as `human`: runs of the task are compared with the scores, which are of no run."""
    agent: str | None = says("The agent of all rows that do not name one.")
    factors: dict[Text, Text] = says("Other factors of all rows that do not state them.", {})
    campaign: str | None = says("The campaign of all rows that do not name one.")
    model: str | None = says("The model of all rows that do not name one.")
    attempt: Annotated[int, Field(ge=0)] | None = says(
        "The attempt of all rows that do not name one."
    )
    beside: bool = says("Each file is about the run beside it, which it does not name.", False)
    columns: dict[OutcomeColumn, str] = says("Our name of a column: its name in the file.", {})
    scores: dict[str, ScoreMeaning] = says("Scores by name, and what they mean.", {})


class ScoreLimits(Section):
    """The limits on a mean or a median of a score, ends included."""

    by: Text | None = None
    """One gate for each configuration, model, agent, campaign or task, or each group of a property of tasks."""
    where: dict[Text, Text] = {}
    """Only runs of these: a configuration, model, agent, campaign, task, or property of tasks, and its name."""
    unknown: _Unknown = "incomplete"
    """The effect of runs without the figure: `incomplete`; `allow`, or a share up to which they are left out."""
    min: _Real | None = says("The least it may be.")
    max: _Real | None = says("The most it may be.")

    _refuse_empty_limits = field_validator("min", "max", mode="before")(_refuse_empty)

    @model_validator(mode="after")
    def _can_be_kept(self) -> Self:
        if self.min is None and self.max is None:
            raise ValueError("a gate needs `min`, `max` or both")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError("`min` is above `max`, so nothing can pass")
        return self


class Gate(ScoreLimits):
    """The limits on a figure of the campaign, ends included."""

    min: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = says("The least it may be.")
    max: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = says("The most it may be.")


class RateGate(Gate):
    """The limits on a share."""

    min: Annotated[float, Field(ge=0, le=1)] | None = says("Minimum, from 0 to 1.")
    max: Annotated[float, Field(ge=0, le=1)] | None = says("Maximum, from 0 to 1.")
    test: Literal["figure", "lower_bound"] = "figure"
    """The value that must be within the limits: the figure, or for `min` the lower end of its 95 % interval."""

    @model_validator(mode="after")
    def _has_a_least(self) -> RateGate:
        if self.test == "lower_bound" and (self.min is None or self.max is not None):
            raise ValueError(
                "`test: lower_bound` compares the lower end of the interval with `min`: give `min` alone"
            )
        return self


class WholeGate(Gate):
    """The limits on a figure of the whole site: it has no groups and is always known, or is not planned."""

    @model_validator(mode="after")
    def _is_whole(self) -> WholeGate:
        if self.by is not None or self.where or self.unknown != "incomplete":
            raise ValueError(
                "this figure is one of the whole site: `by`, `where` and `unknown` do not apply"
            )
        return self


class ScoreGate(Changes):
    """The limits on a score."""

    mean: ScoreLimits | None = says("Limits on the mean over all runs; geometric for a ratio.")
    median: ScoreLimits | None = says("Limits on the median over all runs.")


_SCORE = "score."
_PASS = re.compile(r"pass\^([0-9]+)")


class Gates(Section):
    """Limits that a campaign must keep. The keys are those of `gates.MEASURES`, `pass^<k>`, and `score.<name>`."""

    scores: dict[str, ScoreGate] = says("Limits of scores by name, as `score.<name>` too.", {})
    passes: dict[Annotated[int, Field(ge=1, le=10)], RateGate] = {}
    """The probability that so many attempts at a task all pass, also as `pass^3`."""
    total_cost_usd: Gate | None = says(
        "Sum of the costs, reported or else at list price, US dollars."
    )
    median_cost_usd: Gate | None = says("Median of the same costs, US dollars.")
    success_rate: RateGate | None = says("Passed runs in judged runs.")
    valid_share: RateGate | None = says("Judged runs in judged and lost runs.")
    runs: Gate | None = says("Runs that were read.")
    failed: Gate | None = says("Runs that ended without finishing.")
    stopped: Gate | None = says("Runs that were stopped from outside (usage limit, API error).")
    interrupted: Gate | None = says("Runs whose recording ends before a result.")
    unreconciled: Gate | None = says("Runs whose cost differs from its sum or its list price.")
    missing: WholeGate | None = says("Planned runs that are not there.")
    cost: Changes | None = says("The mean cost of a run against the baseline.")
    success: SuccessChanges | None = says("Success against the baseline.")
    problems: WholeGate | None = says("Lines on the problems page.")
    _apart: dict[str, ScoreLimits] = PrivateAttr(default_factory=dict)

    _refuse_empty_gates = field_validator("*", mode="before")(_refuse_empty)

    @model_validator(mode="before")
    @classmethod
    def _by_score(cls, given: object) -> object:
        """Return `score.speedup` as `speedup` of `scores`, `pass^3` as 3 of `passes`."""
        if not isinstance(given, dict) or not all(isinstance(key, str) for key in given):
            return given
        scores = {
            key.removeprefix(_SCORE): value
            for key, value in given.items()
            if key.startswith(_SCORE)
        }
        passes = {
            int(found[1]): value for key, value in given.items() if (found := _PASS.fullmatch(key))
        }
        rest = {
            key: value
            for key, value in given.items()
            if not key.startswith(_SCORE) and not _PASS.fullmatch(key)
        }
        for name, own in (("scores", scores), ("passes", passes)):
            rest |= {name: {**rest.get(name, {}), **own}} if own else {}
        return rest

    def and_also(self, other: Gates) -> Gates:
        """Gates that pass where both do; those on a change are these. Others of other runs or by another test stand
        `apart`."""
        both = {name: _both(getattr(self, name), getattr(other, name)) for name in _ALONE}
        scores = {**other.scores, **self.scores}
        for name in self.scores.keys() & other.scores.keys():
            one, two = self.scores[name], other.scores[name]
            means = {"mean": _both(one.mean, two.mean), "median": _both(one.median, two.median)}
            scores[name] = one.model_copy(update=means)
        passes = {
            k: _both(self.passes.get(k), other.passes.get(k))
            for k in {**other.passes, **self.passes}
        }
        made = self.model_copy(update={**both, "scores": scores, "passes": passes})
        ours = self.limits
        made._apart = {
            name: each
            for name, each in other.limits.items()
            if not _are_alike(ours.get(name, each), each)
        }
        return made

    @property
    def apart(self) -> dict[str, ScoreLimits]:
        """The limits of a pack that cannot share a gate with these, as in `limits`."""
        return self._apart

    @property
    def limits(self) -> dict[str, ScoreLimits]:
        """The limits of each gate, scores as `score.<name>.mean` and `.median`."""
        found = {name: getattr(self, name) for name in _ALONE} | {
            f"pass^{k}": gate for k, gate in self.passes.items()
        }
        for score, gate in self.scores.items():
            found |= {f"{_SCORE}{score}.mean": gate.mean, f"{_SCORE}{score}.median": gate.median}
        return {name: gate for name, gate in found.items() if gate}

    @property
    def _of_baseline(self) -> dict[str, Changes]:
        stated = {"cost": self.cost, "success": self.success}
        scores = {f"{_SCORE}{name}": gate for name, gate in self.scores.items()}
        return {
            measure: changes
            for measure, changes in (stated | scores).items()
            if changes is not None
        }

    @property
    def unknown_changes(self) -> dict[str, str | float]:
        """The effect of runs without a figure in its gates against the baseline, by its name."""
        return {measure: changes.unknown for measure, changes in self._of_baseline.items()}

    @property
    def changes(self) -> dict[str, float]:
        """The most that a figure may differ from the baseline: `cost.increase`, `success.newly_failing`, ..."""
        return {
            f"{measure}.{kind}": limit.max
            for measure, changes in self._of_baseline.items()
            for kind in ("increase", "decrease", "newly_failing")
            if (limit := getattr(changes, kind, None)) is not None
        }


_ALONE = [
    name for name in Gates.model_fields if name not in ("scores", "passes", "cost", "success")
]
"""Gates that are held against no baseline."""


def _are_alike(one: ScoreLimits, two: ScoreLimits) -> bool:
    """Return whether both are about the same runs, by the same test."""
    return one.model_dump(exclude={"min", "max"}) == two.model_dump(exclude={"min", "max"})


def _both(one: ScoreLimits | None, two: ScoreLimits | None) -> ScoreLimits | None:
    """Return limits within both; where nothing keeps both, they stay so and nothing passes."""
    if one is None or two is None:
        return one or two
    if not _are_alike(one, two):
        return one
    least, most = (
        [end for end in ends if end is not None]
        for ends in ((one.min, two.min), (one.max, two.max))
    )
    return one.model_copy(update={"min": max(least, default=None), "max": min(most, default=None)})


class Pair(Section):
    """Two groups of runs to set against each other, or all configurations that differ in a factor."""

    by: Text = "model"
    """The kind of `a` and `b`: configuration, model, campaign or label; without these, the factor that differs."""
    a: str | None = says("Name of a group, as the site shows it.")
    b: str | None = says("Name of the other group; differences read `b` minus `a`.")
    hold: Texts | None = says(
        "Without `a` and `b`, the factors in which both agree; else they agree in all others."
    )

    @model_validator(mode="after")
    def _two_groups(self) -> Pair:
        named, groups = {self.a, self.b} - {None}, ("configuration", "model", "campaign", "label")
        if not named and "by" not in self.model_fields_set:
            raise ValueError(
                "name two groups under a and b, or a factor, as in {by: agent, hold: [model]}"
            )
        if len(named) == 1:
            one = (
                f"a and b are both '{self.a}'" if self.a == self.b else "one of a and b is missing"
            )
            raise ValueError(f"{one}: name two groups")
        if named and (self.by not in groups or self.hold is not None):
            raise ValueError(f"a and b are groups, without hold; by is one of {', '.join(groups)}")
        return self


def _ranking(text: str) -> str:
    if text != "success" and text.removeprefix(_SCORE) in (text, ""):
        raise ValueError("write success, or a score as in score.speedup")
    return text


class Leaderboard(Section):
    """The table of who leads."""

    split_by: Text | None = says("Property of tasks whose groups have columns of their own.")
    rank_by: Annotated[str, AfterValidator(_ranking)] = "success"
    """`success`, or a score as in `score.speedup`. Without outcomes a score of a known direction counts, else cost."""

    @property
    def score(self) -> str:
        """The score that is chosen; empty where none is."""
        return self.rank_by.partition(_SCORE)[2]


def _or_path(section: type[Section]) -> BeforeValidator:
    """Lets a path alone stand for a section that has no other key."""
    return BeforeValidator(
        lambda value: {"path": value} if isinstance(value, str) else value,
        json_schema_input_type=str | section,
    )


_or_list = BeforeValidator(
    lambda value: (value,) if isinstance(value, str) else value,
    json_schema_input_type=str | list[str],
)
PREVIOUS = "previous"  # the baseline that is the campaign before


class Baseline(Section):
    """The earlier campaign that gates compare with."""

    path: _Filled = says("A pack, a published site, its data/runs.json, or `previous`.", ...)
    tasks: Annotated[float, Field(ge=0, le=1), BeforeValidator(share)] = 0.8
    """The share of its tasks that must be compared, as `20 %` or 0.2; below it the gates are incomplete."""


class OneOfCampaigns(Campaign, Input):
    """One of several campaigns in one site; `pattern` is that of a folder."""

    path: _Filled = says(
        "Pack, folder of runs or published site; each that a pattern matches.", ...
    )
    keep: Annotated[int, Field(ge=1)] | None = None
    """Number of those matching a pattern that are shown, the last by name."""
    outcomes: Annotated[
        tuple[Annotated[Outcomes, _or_path(Outcomes)], ...], Field(strict=False)
    ] = ()
    """Files with the outcomes of its runs, in place of the `outcomes` of all; for a folder."""


_Placed = TypeVar("_Placed", Input, OneOfCampaigns)


def _file_name(text: str) -> str:
    if "/" in text or "\\" in text or text in ("", ".", ".."):
        raise ValueError("write the name of a file, without folders")
    return text


class Config(Section):
    """Everything that can be set. Each key is explained in docs/settings.md."""

    _is_part: bool = PrivateAttr(default=False)
    _days: tuple[str, str] = PrivateAttr(default=("", "9999"))

    title: Annotated[str, Field(min_length=1), AfterValidator(title_text)] = says(
        "Title of the site.", "Agent runs"
    )
    description: str = says("Markdown below the title.", "")
    language: Annotated[str, Field(pattern=r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$")] = "en"
    """Language of your texts, as in `en` or `pt-BR`."""
    inputs: Annotated[tuple[Annotated[Input, _or_path(Input)], ...], Field(strict=False)] = ()
    """The runs: files, folders and glob patterns."""
    ignore: tuple[str, ...] = says(
        "Glob patterns of files that are not runs and need no mention.", (), strict=False
    )
    outcomes: Annotated[
        tuple[Annotated[Outcomes, _or_path(Outcomes)], ...], Field(strict=False)
    ] = ()
    """Files that state how runs turned out; see docs/outcomes.md."""
    scores: dict[str, ScoreMeaning] = says(
        "Scores by name, and what they mean in all files of outcomes.", {}
    )
    agents: dict[str, str] = says(
        "Names of agents: what the path says, and what the page says.", {}
    )
    factors: dict[str, Role] = {}
    """Role of a field of the pattern or a column: part of the configuration, property of tasks, observation or tag."""
    task_table: _Filled | None = says(
        "CSV file with one row per task: its properties and references."
    )
    attempts: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Number of runs planned for each configuration and task."""
    properties: dict[str, Property] = says("Groups of the numeric properties of tasks.", {})
    verdicts: dict[str, VerdictRule] = says("Several verdicts on each run.", {})
    judges: Annotated[tuple[Text, Text], Field(strict=False)] | None = None
    """Two of the verdicts that answer one question, whose agreement is shown."""
    quadrants: Quadrants | None = says("Names for what two of the verdicts say together.")
    observations: Texts = says("Columns of outcomes files that say what was observed in a run.", ())
    excluded: Text | None = says("Column of outcomes files that says why a run is excluded.")
    view: Literal["sessions"] | None = None
    """`sessions`: the first page has totals by project, person, model, week and day; see docs/sessions.md."""
    group_by: Annotated[
        tuple[Literal["project", "person"], ...], _or_list, Field(strict=False)
    ] = ()
    """`project`, `person` or both: groups of runs with pages of their own; `view: sessions` has both."""
    person: Text | None = says("The name of the person whose runs these are; else a pseudonym.")
    leave_out: Texts = ()
    """Projects whose runs are left out, as glob patterns; with them runs of unknown project."""
    patch: Annotated[str, AfterValidator(_file_name)] = "model_patch.diff"
    """Name of the patch in a folder with one run."""
    campaign: Campaign = Campaign()
    """Name and day of the campaign of `inputs`, where several are shown; see docs/campaigns.md."""
    campaigns: Annotated[
        tuple[Annotated[OneOfCampaigns, _or_path(OneOfCampaigns)], ...], Field(strict=False)
    ] = ()
    """Several campaigns in one site, in place of `inputs`; see docs/campaigns.md."""
    history: Annotated[History, _or_path(History)] | None = None
    """File of earlier campaigns, to which this one is added; see docs/campaigns.md."""
    baseline: Annotated[Baseline, _or_path(Baseline)] | None = None
    """Pack or published site of an earlier campaign, for gates against it, or `previous`: the one before in `history`
    or `campaigns`; see docs/gates.md."""
    leaderboard: Leaderboard = says("Measure that ranks configurations and models.", Leaderboard())
    control: Annotated[dict[Text, Text], Field(max_length=1)] = {}
    """Factor and value of the control arm, as in `{skill: without}`; others are compared with it."""
    compare: tuple[Pair, ...] = says(
        "Pairs of groups that get a page of comparison.", (), strict=False
    )
    intervals: Annotated[Question, Field(strict=False)] = Question.TASKS_LIKE_THESE
    """The question that intervals answer: what other tasks of this kind, or further attempts at these, would give."""
    tasks: dict[str, str] = says("Names of tasks: what the path says, and what the page says.", {})
    models: dict[str, str] = says(
        "Names of models: the id in the file, and what the page says.", {}
    )
    prices: dict[str, Price] = says("List prices by model id, USD per million tokens.", {})
    cost_basis: Literal["reported", "list"] = "reported"
    """Whether a run costs what its file reports, else its list price; or all runs cost their list price."""
    gates: Gates = says(
        "Limits of the campaign; if one is missed, the build exits with 3; see docs/gates.md.",
        Gates(),
    )
    limits: Bounds = says("Limits on the size of inputs; see docs/reliability.md.", Bounds())
    redact: Redact = says(
        "Values to mask besides those of the rules, and exceptions; see docs/redaction.md.",
        Redact(),
    )
    steps: Annotated[Level, Field(strict=False)] = Level.OUTLINE
    """The part of the agents' steps that is published: none, outline, texts or full; see docs/steps.md."""
    search: Literal["texts", "all"] = "texts"
    """The published steps that the search finds: texts of the agent and prompts, or all, also results of tools."""
    site_url: Annotated[str, AfterValidator(_address)] | None = None
    """Address of the published site: for canonical links, link previews, 404.html, sitemap.xml and a feed."""
    robots: Literal["noindex"] | None = says("`noindex` asks search engines to leave the site out.")
    badge: bool = says(
        "Whether the site has badge.svg: success, cost and date, for a README.", False
    )
    pages: Texts = ()
    """Markdown files below the folder of the settings that get a page in the navigation; see docs/own-pages.md."""
    charts: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=4096)], ...], Field(strict=False)
    ] = ()
    """Charts of your own on the index: Vega-Lite files below the folder of the settings; see docs/charts.md."""
    static: str | None = says("Folder whose files go to the top of the site.")
    theme: str | None = says("Folder of your own look; see docs/themes.md.")
    output: Annotated[str, Field(min_length=1)] = "site"
    """Folder of the site, or one file if the name ends in `.html` or `.zip`; see docs/one-file.md."""
    live_charts: bool = False
    """Whether the charts of one HTML file are interactive; it is then about 1 MB larger."""
    index_only: bool = says("Whether one HTML file has the index alone, as for a mail.", False)

    @property
    def price_table(self) -> PriceTable:
        """The list prices of the package, with those of the settings."""
        return PriceTable.load({name: price.model_dump() for name, price in self.prices.items()})

    @property
    def groups(self) -> tuple[str, ...]:
        """Further properties by which runs are grouped."""
        return ("project", "person") if self.view else self.group_by

    @property
    def days(self) -> tuple[str, str]:
        """The first and the last day of the runs that count, as ISO 8601 has them."""
        return self._days

    def with_days(self, since: str | None, until: str | None) -> Config:
        """Return the same settings for runs of these days, each as `_day` takes it or `7d`. Raises: ConfigError."""
        config = self.model_copy()
        config._days = (_limit("--since", since) or "", _limit("--until", until) or "9999")
        if config._days[0] > config._days[1]:
            raise ConfigError(f"--since {since} is after --until {until}, so no run is left.")
        return config

    @model_validator(mode="after")
    def _fits_together(self) -> Config:
        self._check_verdicts()
        for name, meaning in self.all_scores.items():
            for each in meaning.of:
                if each not in self.all_scores or self.all_scores[each].direction is None:
                    raise ValueError(
                        f"scores: {name}: give '{each}' a `direction`, higher or lower, under `scores`"
                    )
        if self.gates.changes and self.baseline is None:
            raise ValueError(
                "these gates compare with a baseline: name it, as in `baseline: last.zip`"
            )
        return self

    def _check_verdicts(self) -> None:
        """Raise ValueError for a verdict that is not there, that needs itself, or for several main ones."""
        users = [
            (name, rule.all) for name, rule in self.verdicts.items()
        ]  # one may be called as a section is
        sections = [
            ("quadrants", self.quadrants.of if self.quadrants else ()),
            ("judges", self.judges or ()),
        ]
        for name, used in [*users, *sections]:
            for each in used:
                if each not in self.verdicts:
                    raise ValueError(
                        f"{name}: there is no verdict '{each}'; name one of `verdicts`"
                    )
        if self.judges and self.judges[0] == self.judges[1]:
            raise ValueError("judges: name two different verdicts")

        def needs(name: str, above: tuple[str, ...]) -> None:
            if name in above:
                raise ValueError(f"the verdict '{name}' needs itself: {' → '.join((*above, name))}")
            for each in self.verdicts[name].all:
                needs(each, (*above, name))

        for name in self.verdicts:
            needs(name, ())
        if len(main := [name for name, rule in self.verdicts.items() if rule.main]) > 1:
            raise ValueError(f"only one verdict can be `main`, not {' and '.join(main)}")

    @property
    def all_scores(self) -> dict[str, ScoreMeaning]:
        """The meaning of scores by name: of the settings, else of the first files that have one."""
        found: dict[str, ScoreMeaning] = {}
        for each in self.all_outcomes:
            found = {**each.scores, **found}
        return {**found, **self.scores}

    @property
    def all_outcomes(self) -> list[Outcomes]:
        """The outcomes of all runs, then those of each campaign."""
        return [*self.outcomes, *(own for each in self.campaigns for own in each.outcomes)]

    @property
    def each_campaign(self) -> tuple[OneOfCampaigns, ...]:
        """The campaigns, with each path that a pattern matches being one."""
        found = list[OneOfCampaigns]()
        for each in self.campaigns:
            is_pattern = not is_address(each.path) and not os.path.lexists(each.path)
            matched = sorted(glob.glob(each.path)) if is_pattern else []  # noqa: PTH207  that of Path knows no absolute one
            found += (
                each.model_copy(update={"path": path}) for path in matched[-(each.keep or 0) :]
            )
            found += [] if matched else [each]
        return tuple(found)

    @property
    def compares_with_previous(self) -> bool:
        """Whether the baseline is the campaign before."""
        return self.baseline is not None and self.baseline.path == PREVIOUS

    @property
    def follows(self) -> bool:
        """Whether the site has a page of several campaigns."""
        return bool(self.campaigns or self.history or (self.baseline and self.campaign.date))

    @property
    def paths_of_runs(self) -> list[str]:
        """Files, folders and patterns in which runs are looked for."""
        return [*(each.path for each in self.inputs), *(each.path for each in self.campaigns)]

    @property
    def paths_of_looks(self) -> list[str]:
        """Folders and files that are published as they are, or that pages are made with."""
        return [*filter(None, (self.static, self.theme)), *self.pages, *self.charts]

    @property
    def paths_of_outcomes(self) -> list[str]:
        """Files and patterns that state how runs turned out."""
        return [each.path for each in self.all_outcomes]

    def with_inputs(self, paths: Iterable[str]) -> Config:
        """Return the same settings with other inputs, also in place of `campaigns`.

        A path that these settings name as well keeps its pattern; one campaign alone keeps all that they say of it. A
        path in an input that has a level, or above one, has the lower one of this level and its own.
        """
        named: tuple[Input, ...] = (*self.inputs, *self.campaigns)
        stated = {absolute(each.path): each for each in reversed(named)}
        given = [(path, stated.get(absolute(path))) for path in paths]
        patterns = [(path, known.pattern if known else None) for path, known in given]
        inputs = tuple(
            Input(path=path, pattern=own, steps=self._level_at(path, named))
            for path, own in patterns
        )
        alone = given[0][1] if len(given) == 1 else None
        own: dict[str, Any] = {}
        if isinstance(alone, OneOfCampaigns):
            own = {
                "campaign": Campaign(name=alone.name, date=alone.date),
                "outcomes": alone.outcomes or self.outcomes,
            }
        config = self.model_copy(update={"inputs": inputs, "campaigns": (), **own})
        config._is_part = bool(stated) and None in dict(given).values()
        return config

    @property
    def is_part(self) -> bool:
        """Whether inputs stand in place of those that the settings name, and so are about other files too."""
        return self._is_part

    def _level_at(self, path: str, named: Iterable[Input]) -> Level | None:
        """Return the level of a path, if any of the inputs that are in it, or that it is in, has one."""
        own = f"{absolute(path)}/"
        places = ((f"{absolute(each.path)}/", each) for each in named)
        near = [each for place, each in places if own.startswith(place) or place.startswith(own)]
        levels = [each.steps or self.steps for each in near]
        return Level.lowest(*levels) if any(each.steps for each in near) else None

    def with_campaign(self, name: str | None, day: str | None) -> Config:
        """Return the same settings with this name and day of the campaign. Raises: ConfigError."""
        given = {key: value for key, value in (("name", name), ("date", day)) if value is not None}
        if given and self.campaigns:
            raise ConfigError(
                "--campaign and --date are about one campaign, and these settings have several."
            )
        try:
            made = Campaign.model_validate(self.campaign.model_dump() | given)
        except ValidationError as invalid:
            error = invalid.errors()[0]
            option = {"name": f"--campaign {name}", "date": f"--date {day}"}[str(error["loc"][0])]
            raise ConfigError(f"{option}: {error['msg'].removeprefix('Value error, ')}.") from None
        return self.model_copy(update={"campaign": made}) if given else self

    def with_level(self, level: Level) -> Config:
        """Return the same settings with this level, which no input exceeds."""

        def capped(each: _Placed) -> _Placed:
            return each.model_copy(update={"steps": each.steps and Level.lowest(each.steps, level)})

        inputs, campaigns = tuple(map(capped, self.inputs)), tuple(map(capped, self.campaigns))
        return self.model_copy(update={"steps": level, "inputs": inputs, "campaigns": campaigns})

    def for_pack(self) -> dict[str, Any]:
        """Return the settings that a pack holds: how the site looks and counts, not where things lie or what is
        masked."""
        scores: Any = {"__all__": {"increase", "decrease", "unknown"}}
        of_baseline: Any = {"gates": {"cost": True, "success": True, "scores": scores}}
        how: Any = {"mode": "json", "by_alias": True, "exclude_defaults": True}
        stated = self.model_dump(include=set(_OF_PACKS), exclude=of_baseline, **how)
        if of_scores := stated.get("gates", {}).get("scores"):
            stated["gates"]["scores"] = {
                name: limits for name, limits in of_scores.items() if limits
            }
        scores = {
            name: each.model_dump(mode="json", exclude_defaults=True)
            for name, each in self.all_scores.items()
        }
        return {key: value for key, value in {**stated, "scores": scores}.items() if value != {}}

    def own_texts(self) -> Iterator[str]:
        """Yield what the settings themselves publish, on pages and in exports; a pack has its texts masked."""
        yield from (self.title, self.description, self.site_url or "", *self.redact.off.values())
        for names in (self.tasks, self.models, self.agents):
            yield from (*names, *names.values())

    def with_pack(self, path: str, settings: Mapping[str, Any], *, is_alone: bool) -> Config:
        """Return the same settings with those in a pack, which these runs are: how the site looks and counts comes from
        it, the gates from both. Where it `is_alone`, its address does too; else that of these settings counts.

        Raises: ConfigError.
        """
        try:
            stated = {key: settings[key] for key in _OF_PACKS if key in settings}
            packed = Config.model_validate_json(number_masks(json.dumps(stated)))
        except (ValidationError, ValueError, TypeError):
            raise ConfigError(
                f"{path}: the settings in this pack are damaged; pack its runs again."
            ) from None
        own = {
            key: getattr(packed, key)
            for key in packed.model_fields_set
            if is_alone or key != "site_url"
        }
        return self.model_copy(update={**own, "gates": self.gates.and_also(packed.gates)})


_OF_PACKS = (
    "title",
    "description",
    "language",
    "campaign",
    "compare",
    "intervals",
    "prices",
    "gates",
    "site_url",
    "search",
    "factors",
    "properties",
    "verdicts",
    "judges",
    "quadrants",
    "observations",
    "excluded",
    "scores",
    "attempts",
    "cost_basis",
    "view",
    "group_by",
    "leaderboard",
)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the settings: what the docstrings below their keys say, for editors."""
    made = Config.model_json_schema()
    by_name = {
        r"^score\.": {"$ref": "#/$defs/ScoreGate"},
        r"^pass\^[0-9]+$": {"$ref": "#/$defs/RateGate"},
    }
    made["$defs"]["Gates"]["patternProperties"] = by_name
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **made,
        "title": "Settings of sitegen",
    }


def load(path: Path, *, needed: Collection[str] = ()) -> Config:
    """Return the settings in `path`, with `inputs`, `outcomes`, `static`, `theme` and `output` made relative to its
    folder.

    `needed` are those of the first four whose paths have to lead somewhere; without inputs there are none.
    Raises: ConfigError, with a paragraph for each fault.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        is_link, missing = path.is_symlink(), "there is no such file. `sitegen init` writes one."
        raise ConfigError(f"{path}: {'this is a broken link.' if is_link else missing}") from None
    except IsADirectoryError:
        raise ConfigError(f"{path}: this is a folder. Name the file with the settings.") from None
    except (OSError, UnicodeError) as error:
        why = f": {error.strerror}" if isinstance(error, OSError) else f" as UTF-8 text: {error}"
        raise ConfigError(f"{path}: cannot be read{why}.") from None
    config, places = _parsed(text, str(path))
    folder = path.parent

    def beside(value: str) -> str:
        return value if is_address(value) else str(folder / Path(value).expanduser())

    def placed(each: Any) -> Any:
        own = (
            {"outcomes": tuple(map(placed, each.outcomes))}
            if isinstance(each, OneOfCampaigns)
            else {}
        )
        return each.model_copy(update={"path": beside(each.path), **own})

    lists = ("inputs", "campaigns", "outcomes")
    # A list that is not given stays so: `outcomes: []` means none at all, also none of those that are found.
    update: dict[str, Any] = {
        key: tuple(map(placed, getattr(config, key))) for key in lists if getattr(config, key)
    }
    alone = {key: getattr(config, key) for key in ("static", "theme", "output", "task_table")}
    update |= {key: value if value is None else beside(value) for key, value in alone.items()}
    if config.baseline and not config.compares_with_previous:
        update["baseline"] = placed(config.baseline)
    faults = list[tuple[Place, str]]()
    for key, what, ending in (
        ("pages", "a Markdown file", ".md"),
        ("charts", "a Vega-Lite file", ".json"),
    ):
        for number, own in enumerate(getattr(config, key)):
            if not is_file_below(folder, own, ending):
                why = discover.missing(beside(own)) or f"name {what} below {folder}"
                faults.append(((key, number), f"'{key}.{number}', {own}: {why}"))
        update[key] = tuple(map(beside, getattr(config, key)))
    config = config.model_copy(
        update={**update, "history": config.history and placed(config.history)}
    )
    if faults := [*faults, *_missing(config, needed)]:
        shown = [(*_stands(place, places), what) for place, what in faults]
        raise ConfigError(_paragraphs(str(path), text, shown))
    return config


def is_file_below(folder: Path, name: str, ending: str) -> bool:
    """Return whether a name is that of a file with this ending in a folder or below it, also behind links."""
    try:
        path = (folder / name).resolve()
        return path.is_relative_to(folder.resolve()) and path.suffix == ending and path.is_file()
    except (OSError, ValueError, RuntimeError):
        return False


def _missing(config: Config, needed: Collection[str]) -> Iterator[tuple[Place, str]]:
    """Yield what these keys name that is not there: where it stands, and what is wrong with it."""
    if "inputs" in needed and not config.inputs and not config.campaigns:
        yield ("inputs",), "no inputs are named; add `inputs:` with the folder of your runs"
    lists = {
        "inputs": [each.path for each in config.inputs],
        "outcomes": [each.path for each in config.outcomes],
    }
    for key in lists.keys() & needed:
        for number, path in enumerate(lists[key]):
            if reason := discover.missing(path):
                yield (key, number, "path"), f"'{key}.{number}', {path}: {reason}"
    folders = {"static": config.static, "theme": config.theme}
    for key in folders.keys() & needed:
        folder = folders[key]
        if folder is not None and not os.path.isdir(folder):  # noqa: PTH112  that of Path raises for long names
            yield (key,), f"'{key}', {folder}: there is no such folder"


def parse(text: str, name: str) -> Config:
    """Return the settings in a YAML text; `name` is what errors call the file.

    Raises: ConfigError, with a paragraph for each fault.
    """
    return _parsed(text, name)[0]


def _parsed(text: str, name: str) -> tuple[Config, Mapping[Place, tuple[int, int]]]:
    """Return the settings in a YAML text, and where each value stands."""
    try:
        values, places = read_yaml(text)
        if not isinstance(values, dict | None):
            raise YamlFault((*places[()], "expected `key: value` lines"))
    except YamlFault as found:
        raise ConfigError(_paragraphs(name, text, [found.fault])) from None
    try:
        config = Config.model_validate(values or {})
    except ValidationError as invalid:
        faults = [_fault(error, places) for error in invalid.errors()]
        raise ConfigError(_paragraphs(name, text, faults)) from None
    return config, places


GROUPS = ("configuration", "model", "agent", "campaign", "task")
"""The dimensions whose groups gates can be on, besides properties of tasks."""


_OF_MONTH = (
    "this gate was removed. Use `total_cost_usd` with `--since` and the first day of the month, or look at the costs "
    "by week and day that `view: sessions` shows."
)
_REPLACED = {"month_cost_usd": _OF_MONTH, "forecast_cost_usd": _OF_MONTH}
"""The sentence about each key that was removed, with its replacement."""


def _fault(
    error: Mapping[str, Any], places: Mapping[Place, tuple[int, int]]
) -> tuple[int, int, str]:
    path: Place = tuple(error["loc"])
    for kind, begins in (("scores", _SCORE), ("passes", "pass^")):
        if path[:2] == ("gates", kind) and path[2:] and path[:3] not in places:
            path = ("gates", f"{begins}{path[2]}", *path[3:])
    line, column = _stands(path, places)
    key = ".".join(
        str(part) for part in path if part != "[key]"
    )  # so pydantic calls a key that is wrong itself
    match error["type"]:
        case "extra_forbidden":
            name = str(path[-1])
            if name in _REPLACED:
                return line, column, f"'{name}': {_REPLACED[name]}"
            near = difflib.get_close_matches(name, _keys_beside(path), n=1)
            hint = (
                f", did you mean '{near[0]}'?"
                if near
                else f". Known keys: {', '.join(_keys_beside(path))}."
            )
            return line, column, f"unknown key '{name}'{hint}"
        case "tuple_type" | "list_type":
            return (
                line,
                column,
                f"'{key}' is a list: write each item on a line of its own, after `- `",
            )
        case "dict_type" | "model_type" | "model_attributes_type":
            return line, column, f"'{key}' is a section: write `key: value` lines below it"
        case "missing":
            return line, column, f"'{key}' is missing"
        case "value_error":
            return line, column, f"'{key}': {error['ctx']['error']}"
        case _:
            return line, column, f"'{key}': {error['msg'][:1].lower()}{error['msg'][1:]}"


def _keys_beside(path: Place) -> list[str]:
    """Return the keys that the section at the parent of `path` knows."""
    section: type[Section] = Config
    for part in map(str, path[:-1]):
        if section is Gates and part.startswith(_SCORE):
            section = ScoreGate
        elif section is Gates and _PASS.fullmatch(part):
            section = RateGate
        elif known := section.model_fields.get(part):
            section = _section_in(known.annotation) or section
    return list(section.model_fields)


def _section_in(kind: object) -> type[Section] | None:
    """Return the section that a value of this type is, or holds."""
    if isinstance(kind, type) and issubclass(kind, Section):
        return kind
    return next(filter(None, map(_section_in, get_args(kind))), None)


def _stands(place: Place, places: Mapping[Place, tuple[int, int]]) -> tuple[int, int]:
    """Line and column of a value; a missing key has no place of its own: its section's is the nearest."""
    while place and place not in places:
        place = place[:-1]
    return places.get(place, (0, 0))


def _paragraphs(name: str, text: str, faults: Iterable[tuple[int, int, str]]) -> str:
    """Return for each fault, in the order of the file, `config.yaml:7:3: message`, then the line itself."""
    lines = text.splitlines()
    shown = {number: f"\n    {line.rstrip()}" for number, line in enumerate(lines)}
    name = str(PurePosixPath(name))
    told = (
        f"{name}:{at + 1}:{column + 1}: {message}{shown.get(at, '')}"
        for at, column, message in sorted(faults)
    )
    return "\n\n".join(told)
