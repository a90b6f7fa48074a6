"""Roles of factors. Three rules say whether a factor is a part of the configuration, a property of tasks or a tag.

The first that has an answer decides: what the settings say, where the factor comes from, and what its values show.
"""

from collections.abc import Sequence, Set

from sitegen.config import Config, Role
from sitegen.model import Entry, by_key, frozen
from sitegen.text.names import PathPattern

# Tasks with two runs each from which a factor that is constant within tasks is a property of theirs.
MIN_TASKS = 2


@frozen
class Factor:
    """A name with values that runs differ in."""

    name: str
    role: Role
    reason: str


def decide_role(name: str, config: Config, path_fields: Set[str], runs: Sequence[Entry]) -> Factor:
    """Return a factor with its role."""
    return (
        role_in_settings(name, config)
        or role_by_source(name, config, path_fields, runs)
        or role_by_values(name, runs)
    )


def role_in_settings(name: str, config: Config) -> Factor | None:
    """Return the role that the settings give a factor under `factors`."""
    role = config.factors.get(name)
    return Factor(name, role, "the settings say so") if role else None


def role_by_source(
    name: str, config: Config, path_fields: Set[str], runs: Sequence[Entry]
) -> Factor | None:
    """Return the role of a factor by what it is for: groupings and references are tags; what tasks are grouped by and
    columns of the task table are properties; what files say of their arm is a part of the configuration."""
    if name == config.excluded:
        return Factor(name, "tag", "the settings exclude runs by it")
    if name in config.groups:
        return Factor(name, "tag", "the settings group runs by it")
    if name in config.properties:
        return Factor(name, "property", "the settings group tasks by it")
    scores = tuple(f" {score}" for score in config.all_scores)
    if name in reference_names(config) or name.endswith(scores):
        return Factor(name, "tag", "scores or verdicts are compared with it")
    if name in ("agent_version", "commit"):
        return Factor(name, "tag", "unless the settings say otherwise")
    if any(name in dict(run.run.factors) for run in runs):
        return Factor(name, "configuration", "the files of runs state it")
    if name not in path_fields and (path_fields or config.task_table):
        return Factor(name, "property", "the task table has it")
    return None


def role_by_values(name: str, runs: Sequence[Entry]) -> Factor:
    """Return the role of a factor by its values: the same in all runs of each task, it is a property of tasks, if enough
    tasks have two runs; any other is a part of the configuration."""
    values = [(run.task, value) for run in runs if (value := run.factor(name)) is not None]
    tasks = by_key(values, lambda pair: pair[0] or None).values()
    if any(len(set(of_one)) > 1 for of_one in tasks):
        return Factor(name, "configuration", "it differs between runs of one task")
    if sum(len(of_one) > 1 for of_one in tasks) >= MIN_TASKS:
        return Factor(name, "property", "all runs of a task have the same")
    reason = "too few tasks have two runs to tell whether it is a property of tasks"
    return Factor(name, "configuration", reason)


def reference_names(config: Config) -> set[str | None]:
    """Return the columns and references that scores and verdicts are compared with."""
    references = {meaning.reference for meaning in config.all_scores.values()}
    return references | {rule.of for rule in config.verdicts.values()}


def fields_of_paths(config: Config) -> set[str]:
    """Return the factors that patterns of paths have; none of a pack, which has no paths."""
    fields: set[str] = set()
    for given in (*config.inputs, *config.campaigns):
        if given.pattern:
            fields.update(PathPattern(given.pattern).factors)
    return fields
