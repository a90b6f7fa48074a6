"""The runs that `only: judged` leaves out of a site, in words."""

from collections import Counter
from collections.abc import Sequence

from sitegen import figures
from sitegen.model import Entry
from sitegen.numbers.success import is_lost

MAX_CAUSES = 4  # ways to end that a sentence names


def describe_left_out(entries: Sequence[Entry], *, with_causes: bool = True) -> str:
    """Count the runs without a verdict, and those of them that errors ended, by how they ended."""
    lost = [entry for entry in entries if is_lost(entry)]
    text = f"left out: {figures.plural(len(entries), 'run')} without a verdict"
    if not lost:
        return text
    text = f"{text}, {figures.count(len(lost))} of them ended by errors"
    details = Counter(entry.run.status_detail or str(entry.run.status) for entry in lost)
    causes = [
        f"{detail}: {figures.count(runs)}" for detail, runs in details.most_common(MAX_CAUSES)
    ]
    if rest := len(lost) - sum(runs for _, runs in details.most_common(MAX_CAUSES)):
        causes.append(f"others: {figures.count(rest)}")
    return f"{text} ({', '.join(causes)})" if with_causes else text
