"""The runs that `only: judged` leaves out of a site, in words."""

from collections import Counter
from collections.abc import Sequence

from sitegen import figures
from sitegen.model import Entry
from sitegen.numbers.success import is_lost

MAX_CAUSES = 4  # ways to end that a sentence names


def describe_left_out(entries: Sequence[Entry]) -> str:
    """Count the runs without a verdict, and those of them that errors ended, by how they ended."""
    lost = [entry for entry in entries if is_lost(entry)]
    text = f"left out: {figures.plural(len(entries), 'run')} without a verdict"
    if not lost:
        return text
    details = Counter(entry.run.status_detail or str(entry.run.status) for entry in lost)
    causes = [
        f"{detail}: {figures.count(count)}" for detail, count in details.most_common(MAX_CAUSES)
    ]
    if len(details) > MAX_CAUSES:
        causes.append("others")
    return f"{text}, {figures.count(len(lost))} of them ended by errors ({', '.join(causes)})"
