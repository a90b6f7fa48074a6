"""Settings of a study: what its runs differ in, its verdicts, its tasks, and what was observed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from sitegen.config.parts import Section

Role = Literal["configuration", "property", "observation", "tag"]
Text = Annotated[str, Field(min_length=1, max_length=80)]
Texts = Annotated[tuple[Text, ...], Field(strict=False)]


class VerdictRule(Section):
    """What a verdict is made from: a column of outcomes files, other verdicts, or a score."""

    column: Text | None = None
    """A column of outcomes files."""
    passing: Annotated[Texts, Field(alias="pass")] = ()
    """The words of that column that are a pass; any other is a fail. Without it, those of docs/outcomes.md count."""
    all: Texts = ()
    """Verdicts that must all pass."""
    score: Text | None = None
    """A score that must reach `min`, or stay within `max`."""
    min: Annotated[float, Field(allow_inf_nan=False)] | None = None
    """The least the score may be."""
    max: Annotated[float, Field(allow_inf_nan=False)] | None = None
    """The most it may be."""
    of: Text | None = None
    """A column of the task table by which `min` and `max` are multiplied."""
    main: bool = False
    """Whether this is the outcome of a run everywhere else."""

    @model_validator(mode="after")
    def _has_one_source(self) -> VerdictRule:
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

    @model_validator(mode="after")
    def _has_four_names(self) -> Quadrants:
        if len({self.both, self.first, self.second, self.none}) < 4 or self.of[0] == self.of[1]:
            raise ValueError("quadrants need four different names, of two different verdicts")
        return self


def check_verdicts(
    verdicts: Mapping[str, VerdictRule], quadrants: Quadrants | None, judges: tuple[str, str] | None
) -> None:
    """Raise ValueError for a verdict that is not there, that needs itself, or for several main ones."""
    for name, rule in [
        *((name, rule.all) for name, rule in verdicts.items()),
        ("quadrants", quadrants and quadrants.of),
        ("judges", judges),
    ]:
        for each in rule or ():
            if each not in verdicts:
                raise ValueError(f"{name}: there is no verdict '{each}'; name one of `verdicts`")

    if judges and judges[0] == judges[1]:
        raise ValueError("judges: name two different verdicts")

    def needs(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise ValueError(f"the verdict '{name}' needs itself: {' → '.join((*above, name))}")
        for each in verdicts[name].all:
            needs(each, (*above, name))

    for name in verdicts:
        needs(name, ())
    if len(main := [name for name, rule in verdicts.items() if rule.main]) > 1:
        raise ValueError(f"only one verdict can be `main`, not {' and '.join(main)}")


class Property(Section):
    """A numeric property of tasks."""

    cut: Annotated[tuple[Annotated[float, Field(allow_inf_nan=False)], ...], Field(strict=False, min_length=1)]
    """Where its groups begin: a value equal to a cut belongs to the upper group."""
