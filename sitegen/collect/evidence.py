"""Adds the files that lie beside runs as evidence."""

from collections.abc import Sequence
from dataclasses import replace

from sitegen.inputs.discover import Neighbours
from sitegen.inputs.evidence import describe_missing, find_evidence, read_end
from sitegen.inputs.survey import Facts, forget_ignored
from sitegen.masking.redact import Redactor, masked_in
from sitegen.model import Entry, Masked


def add_evidence(
    facts: Facts, all_runs: Sequence[Entry], names: Sequence[str], redactor: Redactor
) -> Facts:
    """Add the evidence beside each run, count what is masked in it, and report names that no file has. `all_runs` has
    those that are left out too: a file may be theirs."""
    neighbours = Neighbours()
    beside = find_evidence(all_runs, names, neighbours)
    missing = map(redactor, describe_missing(facts.entries, names, neighbours))
    facts = replace(facts, settings_remarks=(*facts.settings_remarks, *missing))
    entries: list[Entry] = []
    masked: list[Masked] = list(facts.masked)
    paths: set[str] = set()
    for entry in facts.entries:
        ends = [read_end(source, redactor) for source in beside.get(entry.id, ())]
        texts = tuple(end.text for end in ends)
        masked += masked_in(entry.source.path, {"evidence": texts}, entry.id)
        sources = tuple(end.source for end in ends)
        paths.update(source.path for source in sources)
        digests = tuple(end.digest for end in ends)
        entries.append(replace(entry, evidence=sources, evidence_digests=digests))
    facts = forget_ignored(facts, paths)
    return replace(facts, entries=tuple(entries), masked=tuple(sorted(masked)))
