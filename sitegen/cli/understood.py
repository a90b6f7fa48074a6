"""The tasks, agents, models and attempts that sitegen has recognised, as `init` and `check` say them."""

from collections import Counter
from collections.abc import Sequence

from sitegen import figures
from sitegen.cli.terminal import line, terminal
from sitegen.config import Config
from sitegen.model import Entry

MAX_NAMES = 3  # of each kind, on the line


def describe(config: Config, entries: Sequence[Entry]) -> str:
    """Return on one line how many tasks, agents, models and attempts there are, and by which patterns."""
    parts: list[str] = []
    for kind, runs in _runs_by_kind(entries).items():
        shown = ", ".join(line(name) for name in list(runs)[:MAX_NAMES])
        if runs:
            more = ", ..." if len(runs) > MAX_NAMES else ""
            parts.append(f"{figures.plural(len(runs), kind)}: {shown}{more}")
    with_task = [entry for entry in entries if entry.task]
    if not with_task:
        parts.append("no run has a task (docs/patterns.md)")
    elif len(with_task) < len(entries):
        parts.append(f"{figures.plural(len(entries) - len(with_task), 'run')} without a task")
    attempts = Counter(
        (entry.task, entry.agent, entry.model, entry.campaign, entry.factors) for entry in with_task
    ).values()
    if attempts:
        fewest, most = min(attempts), max(attempts)
        count = figures.plural(most, "attempt")
        parts.append(f"{count} each" if fewest == most else f"{fewest} to {count} each")
    patterns = [named.pattern for named in (*config.inputs, *config.campaigns) if named.pattern]
    parts += [f"pattern {pattern}" for pattern in dict.fromkeys(patterns)]
    return "; ".join(parts)


def list_names(entries: Sequence[Entry]) -> None:
    """Print each task, agent, model and campaign with the number of its runs."""
    for kind, runs in _runs_by_kind(entries).items():
        for name, count in runs.items():
            terminal.say(f"{kind:<8} {line(name)}: {figures.plural(count, 'run')}")


def _runs_by_kind(entries: Sequence[Entry]) -> dict[str, dict[str, int]]:
    """Return the number of runs by task, agent, model and campaign, each by name."""
    values: dict[str, list[str | None]] = {
        "task": [entry.task for entry in entries],
        "agent": [entry.agent for entry in entries],
        "model": [entry.model for entry in entries],
        "campaign": [entry.campaign for entry in entries],
    }
    return {
        kind: dict(sorted(Counter(filter(None, names)).items())) for kind, names in values.items()
    }
