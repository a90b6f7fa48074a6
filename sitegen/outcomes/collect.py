"""All that is known of the inputs: runs, what is stated of them from outside, and the patches beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from sitegen import figures, outcomes
from sitegen.cache.memory import NO_MEMORY, Memory
from sitegen.config import Config
from sitegen.inputs import discover, patch
from sitegen.inputs.merging import named_by_paths
from sitegen.inputs.patched import with_patch
from sitegen.inputs.survey import Naming, Progress, Survey, misfits, survey
from sitegen.masking.redact import Redactor, count_masks
from sitegen.model import Entry, Masked
from sitegen.names import PathPattern
from sitegen.numbers.pricing import PriceTable
from sitegen.workers import ALONE, Workers


def collect(
    config: Config, redactor: Redactor, progress: Progress, workers: Workers = ALONE, memory: Memory = NO_MEMORY
) -> Survey:
    """Read the inputs without writing anything: what `sitegen check` reports."""
    found = discover.discover(
        [given.path for given in config.inputs], exclude=[Path(config.output)], ignore=config.ignore
    )
    patterns = [PathPattern(given.pattern) if given.pattern else None for given in config.inputs]
    naming = Naming(patterns, config.tasks, config.models)
    surveyed = survey(found, naming, redactor, progress, config.limits.bounds(), workers, memory)
    prices = PriceTable.load({name: price.model_dump() for name, price in config.prices.items()})
    stated = outcomes.load(config.outcomes, surveyed.entries, redactor, found.sources)
    joined = outcomes.join(surveyed.entries, stated, naming.model, naming.task)
    patches = patch.find(joined.entries, config.patch)
    patched = [with_patch(entry, patches.get(entry.id), redactor, memory) for entry in joined.entries]
    entries = [replace(entry, run=prices.computed(entry.run, entry.stated_model)) for entry, _ in patched]
    beside = {redactor(source.path) for source in patches.values()} | {row.file for row in stated.rows}
    beside |= {problem.path for problem in stated.problems}
    entries = list(named_by_paths(entries))
    masked = _masked_beside(patched)
    advice = [*map(redactor, misfits(naming, entries)), *joined.advice]
    return surveyed.judged(entries, joined.problems, beside, advice, masked)


def why_empty(surveyed: Survey) -> str:
    """Why there is no run, in one sentence."""
    skipped = [problem for problem in surveyed.problems if problem.is_skipped_file]
    if len(skipped) == 1:
        return f"no runs found: {skipped[0].path}: {skipped[0].reason}"
    ignored = len(surveyed.ignored)
    why = [f"{figures.count(len(skipped))} files could not be read"] if skipped else []
    if ignored:
        were, none = ("was", "it is not") if ignored == 1 else ("were", "none is")
        why.append(f"{figures.plural(ignored, 'file')} {were} ignored, as {none} a run of an agent that is read")
    listed = "`sitegen check` lists " + ("it" if len(skipped) + ignored == 1 else "them")
    return f"no runs found: {' and '.join(why)}; {listed}" if why else "no runs found: there are no files in the inputs"


def _masked_beside(patched: Iterable[tuple[Entry, Mapping[str, int]]]) -> Iterator[Masked]:
    """What is masked in patches, which are counted already, and in what is stated of runs from outside."""
    for entry, in_patch in patched:
        stated = [*entry.labels, *(score.name for score in entry.scores), entry.task, entry.stated_model]
        for place, counts in (("patch", in_patch), ("outcomes", sum(map(count_masks, stated), Counter[str]()))):
            for kind, count in sorted(counts.items()):
                yield Masked(entry.source.path, place, kind, count, entry.id)
