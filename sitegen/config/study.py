"""Settings that say what verdicts, scores and properties of tasks mean, and what is compared."""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from sitegen.config.values import SCORE, Real, Text, Texts, or_list, or_percent
from sitegen.system.bounds import Section

_Band = Annotated[float, Field(ge=0, lt=1, allow_inf_nan=False)]
Role = Literal["configuration", "property", "observation", "tag"]


class VerdictRule(Section):
    """The source of a verdict: a column of outcomes files, other verdicts, or a score."""

    column: Text | None = None
    """A column of outcomes files."""
    passing: Annotated[Texts, Field(alias="pass")] = ()
    """The words of that column that are a pass; any other is a fail. Without it, those of docs/outcomes.md count."""
    all: Texts = ()
    """Verdicts that must all pass."""
    score: Text | None = None
    """A score that must reach `min`, or stay within `max`."""
    min: Real | None = None
    """The least the score may be."""
    max: Real | None = None
    """The most it may be."""
    of: Text | None = None
    """A column of the task table by which `min` and `max` are multiplied."""
    unknown: Literal["not judged", "fail"] = "not judged"
    """`fail`: lost and untested runs count as failed."""
    main: bool = False
    """Whether this is the outcome of a run everywhere else."""

    @model_validator(mode="after")
    def _check_source(self) -> Self:
        if sum(map(bool, (self.column, self.all, self.score))) != 1:
            raise ValueError("a verdict needs one of `column`, `all` and `score`")
        if self.score and self.min is None and self.max is None:
            raise ValueError("a verdict from a score needs `min`, `max` or both")
        return self


class Quadrants(Section):
    """Names for what two verdicts say together."""

    of: Annotated[tuple[Text, Text], Field(strict=False)]
    """The two verdicts."""
    both: Text = "Both"
    """The name where both pass."""
    first: Text = "Only the first"
    """The name where only the first passes."""
    second: Text = "Only the second"
    """The name where only the second passes."""
    none: Text = "None"
    """The name where neither passes."""

    @property
    def names(self) -> tuple[str, str, str, str]:
        """All four, in the order of the settings."""
        return self.both, self.first, self.second, self.none

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        if len(set(self.names)) < 4 or self.of[0] == self.of[1]:
            raise ValueError("quadrants need four different names, of two different verdicts")
        return self


def _read_verdicts_as_keys(settings: Any) -> Any:
    """Read `hard: Lucky Win, soft: Good Intent` as the names where only that verdict passes."""
    if not isinstance(settings, dict) or "of" in settings:
        return settings
    verdicts = [key for key in settings if key not in ("both", "none")]
    if len(verdicts) != 2:
        raise ValueError("name two verdicts, as in {both: A, hard: B, soft: C, none: D}")
    first, second = verdicts
    rest = {key: name for key, name in settings.items() if key not in verdicts}
    return {**rest, "of": verdicts, "first": settings[first], "second": settings[second]}


verdicts_as_keys = BeforeValidator(
    _read_verdicts_as_keys, json_schema_input_type=Quadrants | dict[str, str]
)


class Property(Section):
    """A numeric property of tasks."""

    cut: Annotated[tuple[Real, ...], Field(strict=False, min_length=1)]
    """The lowest values of its groups but the first: a value equal to a cut belongs to the upper group."""


class ScoreMeaning(Section):
    """The meaning of a score of this name."""

    unit: Annotated[str, Field(max_length=40)] | None = None
    """Its unit, as pages write it."""
    direction: Literal["higher", "lower"] | None = None
    """The better direction."""
    scale: Literal["linear", "ratio"] = "linear"
    """Whether differences count, or factors."""
    reference: Text | None = None
    """The reference of the comparison: a column of the task table, or the `reference` of outcomes files."""
    band: Annotated[_Band, or_percent(_Band)] = 0.0
    """The distance from the reference up to which it counts as equal, as `5 %` or 0.05."""
    columns: Annotated[Texts, or_list] = ()
    """Its names in files, of which the first that a row has counts; else its own name."""
    of: Texts = ()
    """Scores of which the first that a run and its reference have makes this one: how many times better the run is."""

    @model_validator(mode="after")
    def _check_reference(self) -> Self:
        if self.of and not self.reference:
            raise ValueError("a score that is computed `of` others needs a `reference`")
        return self


class Pair(Section):
    """Two groups of runs to set against each other, or all configurations that differ in a factor."""

    by: Text = "model"
    """The kind of `a` and `b`: configuration, model, campaign or label; without these, the factor that differs."""
    a: str | None = None
    """Name of a group, as the site shows it."""
    b: str | None = None
    """Name of the other group; differences read `b` minus `a`."""
    hold: Texts | None = None
    """Without `a` and `b`, the factors in which both agree; else they agree in all others."""

    @model_validator(mode="after")
    def _check_groups(self) -> Self:
        kinds = ("configuration", "model", "campaign", "label")
        if self.a is None and self.b is None:
            if "by" in self.model_fields_set:
                return self
            raise ValueError(
                "name two groups under a and b, or a factor, as in {by: agent, hold: [model]}"
            )
        if self.a is None or self.b is None:
            raise ValueError("one of a and b is missing: name two groups")
        if self.a == self.b:
            raise ValueError(f"a and b are both '{self.a}': name two groups")
        if self.by not in kinds or self.hold is not None:
            raise ValueError(f"a and b are groups, without hold; by is one of {', '.join(kinds)}")
        return self


def _check_ranking(measure: str) -> str:
    if measure != "success" and measure.removeprefix(SCORE) in (measure, ""):
        raise ValueError("write success, or a score as in score.speedup")
    return measure


class Leaderboard(Section):
    """The table of who leads."""

    split_by: Text | None = None
    """Property of tasks whose groups have columns of their own, and by which all tables of a study are shown too."""
    rank_by: Annotated[str, AfterValidator(_check_ranking)] = "success"
    """`success`, or a score as in `score.speedup`. Without outcomes a score of a known direction counts, else cost."""

    @property
    def score(self) -> str:
        """The score that is chosen; empty where none is."""
        return self.rank_by.partition(SCORE)[2]
