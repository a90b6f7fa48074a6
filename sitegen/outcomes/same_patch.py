"""Runs of one task that left the same patch."""

from collections.abc import Iterable

from sitegen.figures import plural, sentence_list
from sitegen.model import Entry, by_key


def same_patches(entries: Iterable[Entry]) -> list[list[Entry]]:
    """Return the runs of one task with the same patch; those of several configurations first."""
    groups = by_key(
        entries, lambda run: (run.task, run.patch_key) if run.task and run.patch_key else None
    )
    several = [runs for runs in groups.values() if len(runs) > 1]
    return sorted(several, key=lambda runs: (len(configurations_of(runs)) == 1, runs[0].task or ""))


def configurations_of(runs: Iterable[Entry]) -> list[str]:
    """Return the configurations of runs, each once."""
    return list(dict.fromkeys(run.compared_as or "an unknown model" for run in runs))


def describe_same_patch(runs: list[Entry]) -> str:
    """Count the runs with one patch, and name their configurations."""
    return f"{plural(len(runs), 'run')} of {sentence_list(configurations_of(runs))}"
