"""Settings of the limits that a build must keep."""

import re
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from sitegen.config.values import (
    SCORE,
    VERDICT,
    Amount,
    Percent,
    Rate,
    Real,
    Share,
    ShareOfAll,
    Text,
    read_share,
    refuse_empty,
)
from sitegen.system.bounds import Section


def _read_unknown(value: object) -> object:
    """Say what `unknown` takes: a parser of unions names each of its types."""
    if value == "not proven":
        raise ValueError("`not proven` is now called `incomplete`, with the same effect")
    share = read_share(value)
    is_share = isinstance(share, int | float) and not isinstance(share, bool) and 0 <= share <= 1
    if value in ("incomplete", "allow") or is_share:
        return share
    raise ValueError(
        "write `incomplete`, `allow`, or the share of runs that may be unknown, as in 5 %"
    )


_Word = Literal["incomplete", "allow"]
_Unknown = Annotated[
    _Word | float,
    BeforeValidator(_read_unknown, json_schema_input_type=_Word | Rate | Percent),
]


class Change(Section):
    """The amount by which a figure may differ from the baseline."""

    max: Share
    """As `20 %` or 0.2; of success in points."""


class Changes(Section):
    """The permitted changes of a figure against the baseline."""

    increase: Change | None = None
    """Limit on an increase."""
    decrease: Change | None = None
    """Limit on a decrease."""
    unknown: _Unknown = "incomplete"
    """The effect of runs of shared tasks without the figure, as in other gates."""

    _refuse_empty_limits = field_validator("*", mode="before")(refuse_empty)

    @model_validator(mode="after")
    def _check_limits(self) -> Self:
        limits = [name for name in type(self).model_fields if name != "unknown"]
        if all(getattr(self, name) is None for name in limits):
            raise ValueError(f"a gate needs {' or '.join(f'`{name}`' for name in limits)}")
        return self


class TasksChanged(Section):
    """The number of tasks that may have changed."""

    max: Annotated[int, Field(ge=0)]
    """The most tasks that may have changed."""


class SuccessChanges(Changes):
    """The permitted changes of success against the baseline."""

    newly_failing: TasksChanged | None = None
    """Tasks that passed in the baseline and fail now, by an exact test."""


class ScoreLimits(Section):
    """The limits on a mean or a median of a score, ends included."""

    by: Text | None = None
    """One gate for each configuration, model, agent, campaign or task, or each group of a property of tasks."""
    where: dict[Text, Text] = {}
    """Only runs of these: a configuration, model, agent, campaign, task, or property of tasks, and its name."""
    unknown: _Unknown = "incomplete"
    """The effect of runs without the figure: `incomplete`; `allow`, or a share up to which they are left out."""
    min: Real | None = None
    """The least it may be."""
    max: Real | None = None
    """The most it may be."""

    _refuse_empty_limits = field_validator("min", "max", mode="before")(refuse_empty)

    @model_validator(mode="after")
    def _check_limits(self) -> Self:
        if self.min is None and self.max is None:
            raise ValueError("a gate needs `min`, `max` or both")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError("`min` is above `max`, so nothing can pass")
        return self


class Gate(ScoreLimits):
    """The limits on a figure of the campaign, ends included."""

    min: Amount | None = None
    """The least it may be."""
    max: Amount | None = None
    """The most it may be."""


class RateGate(Gate):
    """The limits on a share."""

    min: ShareOfAll | None = None
    """Minimum, as `40 %` or 0.4."""
    max: ShareOfAll | None = None
    """Maximum, as `40 %` or 0.4."""
    test: Literal["figure", "lower_bound"] = "figure"
    """The value that must be within the limits: the figure, or for `min` the lower end of its 95 % interval."""

    @model_validator(mode="after")
    def _check_test(self) -> Self:
        if self.test == "lower_bound" and (self.min is None or self.max is not None):
            raise ValueError(
                "`test: lower_bound` compares the lower end of the interval with `min`: give `min` alone"
            )
        return self


class WholeGate(Gate):
    """The limits on a figure of the whole site: it has no groups and is always known, or is not planned."""

    @model_validator(mode="after")
    def _check_groups(self) -> Self:
        if self.by is not None or self.where or self.unknown != "incomplete":
            raise ValueError(
                "this figure is one of the whole site: `by`, `where` and `unknown` do not apply"
            )
        return self


class ScoreGate(Changes):
    """The limits on a score."""

    mean: ScoreLimits | None = None
    """Limits on the mean over all runs; geometric for a ratio."""
    median: ScoreLimits | None = None
    """Limits on the median over all runs."""


PASS = re.compile(r"pass\^([0-9]+)")


class Gates(Section):
    """Limits that a campaign must keep. The keys are those of `gates.MEASURES`, `pass^<k>`, `verdict.<name>` and
    `score.<name>`."""

    scores: dict[str, ScoreGate] = {}
    """Limits of scores by name, as `score.<name>` too."""
    passes: dict[Annotated[int, Field(ge=1, le=10)], RateGate] = {}
    """The probability that so many attempts at a task all pass, also as `pass^3`."""
    verdicts: dict[str, RateGate] = {}
    """The share of the judged runs that pass a verdict of the settings, by its name, as `verdict.<name>` too."""
    total_cost_usd: Gate | None = None
    """Sum of the costs, reported or else at list price, US dollars."""
    median_cost_usd: Gate | None = None
    """Median of the same costs, US dollars."""
    success_rate: RateGate | None = None
    """Passed runs in judged runs."""
    valid_share: RateGate | None = None
    """Judged runs in judged and lost runs."""
    runs: Gate | None = None
    """Runs that were read."""
    failed: Gate | None = None
    """Runs that ended without finishing."""
    stopped: Gate | None = None
    """Runs that were stopped from outside (usage limit, API error)."""
    interrupted: Gate | None = None
    """Runs whose recording ends before a result."""
    unreconciled: Gate | None = None
    """Runs whose cost differs from its sum or its list price."""
    missing: WholeGate | None = None
    """Planned runs that are not there."""
    cost: Changes | None = None
    """The mean cost of a run against the baseline."""
    success: SuccessChanges | None = None
    """Success against the baseline."""
    problems: WholeGate | None = None
    """Lines on the problems page."""

    _refuse_empty_gates = field_validator("*", mode="before")(refuse_empty)

    @model_validator(mode="before")
    @classmethod
    def _group_keys(cls, gates: object) -> object:
        """Return `score.speedup` as `speedup` of `scores`, `pass^3` as 3 of `passes`, `verdict.hard` as `hard` of
        `verdicts`."""
        if not isinstance(gates, dict):
            return gates
        grouped = {**gates}
        for key, limits in gates.items():
            section, name = _split_key(str(key))
            others = grouped.get(section, {})
            if section and isinstance(others, dict):
                if name in others:
                    raise ValueError(
                        f"`{key}` is also in `{section}`: state its limits in one place"
                    )
                del grouped[key]
                grouped[section] = {**others, name: limits}
        return grouped

    @property
    def limits(self) -> dict[str, ScoreLimits]:
        """The limits of each gate, scores as `score.<name>.mean` and `.median`."""
        limits = {name: getattr(self, name) for name in _ALONE}
        for attempts, rate in self.passes.items():
            limits[f"pass^{attempts}"] = rate
        for verdict, rate in self.verdicts.items():
            limits[f"{VERDICT}{verdict}"] = rate
        for score, gate in self.scores.items():
            limits[f"{SCORE}{score}.mean"] = gate.mean
            limits[f"{SCORE}{score}.median"] = gate.median
        return {name: gate for name, gate in limits.items() if gate is not None}

    @property
    def _of_baseline(self) -> dict[str, Changes]:
        changes: dict[str, Changes | None] = {"cost": self.cost, "success": self.success}
        for score, gate in self.scores.items():
            changes[f"{SCORE}{score}"] = gate
        return {measure: change for measure, change in changes.items() if change is not None}

    @property
    def unknown_changes(self) -> dict[str, str | float]:
        """The effect of runs without a figure in its gates against the baseline, by its name."""
        return {measure: changes.unknown for measure, changes in self._of_baseline.items()}

    @property
    def changes(self) -> dict[str, float]:
        """The most that a figure may differ from the baseline: `cost.increase`, `success.newly_failing`, ..."""
        limits: dict[str, float] = {}
        for measure, changes in self._of_baseline.items():
            for kind in ("increase", "decrease", "newly_failing"):
                change = getattr(changes, kind, None)
                if change is not None:
                    limits[f"{measure}.{kind}"] = change.max
        return limits


def _split_key(key: str) -> tuple[str, str | int]:
    """Return the section that a gate such as `score.speedup` or `pass^3` is in, if any, and its name there."""
    if key.startswith(VERDICT):
        return "verdicts", key.removeprefix(VERDICT)
    if key.startswith(SCORE):
        return "scores", key.removeprefix(SCORE)
    attempts = PASS.fullmatch(key)
    return ("passes", int(attempts[1])) if attempts else ("", key)


_ALONE = [
    name
    for name in Gates.model_fields
    if name not in ("scores", "passes", "verdicts", "cost", "success")
]
"""Gates that are held against no baseline."""
