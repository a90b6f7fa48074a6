"""The fields that settings make of what is stated of runs: verdicts, quadrants, observations, references and groups."""

from collections.abc import Iterator
from dataclasses import replace

from sitegen.model import Entry
from sitegen.numbers.success import VERDICT
from sitegen.outcomes.study import Study

_VERDICTS = {True: "pass", False: "fail"}


def derive_fields(study: Study) -> tuple[Entry, ...]:
    """Return the runs with these fields."""
    return tuple(_with_derived(study, entry) for entry in study.entries)


def _with_derived(study: Study, entry: Entry) -> Entry:
    fields = tuple(_derived(study, entry))
    return replace(entry, derived=fields) if fields else entry


def _derived(study: Study, entry: Entry) -> Iterator[tuple[str, str | float]]:
    """Yield the key and the value of each field of a run."""
    for name in study.config.verdicts:
        passed = study.passed(entry, name)
        if passed is not None:
            yield f"{VERDICT}{name}", _VERDICTS[passed]
    quadrant = study.quadrant(entry)
    if quadrant is not None:
        yield "quadrant", quadrant
    stated = dict(entry.stated)
    for name in study.observations:
        if name in stated:
            yield f"observed.{name}", stated[name]
    reason = study.excluded(entry)
    if reason is not None:
        yield "excluded", reason
    if entry.patch_key:
        yield "patch", entry.patch_key
    yield from _references(study, entry)
    for name in study.config.properties:
        group = study.group(entry, name)
        if group is not None:
            yield f"group.{name}", group


def _references(study: Study, entry: Entry) -> Iterator[tuple[str, str | float]]:
    """Yield what the scores of a run are compared with, and how they compare."""
    factors = dict(entry.factors)
    for score, meaning in study.scores.items():
        if not meaning.reference:
            continue
        for measured in meaning.of or (score,):
            value = study.reference(entry, meaning.reference, measured)
            if value is not None:
                is_measured = f"{meaning.reference} {measured}" in factors
                name = f"{meaning.reference}.{measured}" if is_measured else meaning.reference
                yield f"reference.{name}", value
        band = study.band(entry, score)
        if band != "no score":
            yield f"band.{score}", band
