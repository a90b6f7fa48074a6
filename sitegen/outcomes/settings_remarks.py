"""Sentences about settings and columns of outcomes that came to nothing, with what to write."""

from collections import Counter
from collections.abc import Iterator, Sequence, Set

from sitegen.config import GROUPS
from sitegen.fields import short_name
from sitegen.figures import plural
from sitegen.outcomes.cells import finite, outcome_of
from sitegen.outcomes.study import Study, has_study
from sitegen.text.names import did_you_mean

MAX_NAMED = 8  # columns or words that a remark names; the rest are counted


def describe_unused_settings(study: Study, columns: Set[str | None]) -> Iterator[str]:
    """Yield sentences about settings and columns that came to nothing. `columns` are those of all rows: what matches
    no run is reported elsewhere."""
    columns = columns | study.columns.keys() | {None}
    yield from describe_missing_columns(study, columns)
    for name in study.config.verdicts:
        yield from describe_words(study, name)
    yield from describe_leaderboard(study)
    yield from describe_missing_factors(study, columns)
    for name in study.config.properties:
        yield from describe_no_numbers(study, name)
    yield from describe_unused_columns(study)


def describe_missing_columns(study: Study, columns: Set[str | None]) -> Iterator[str]:
    """Yield the columns that settings name and no outcomes file has."""
    config = study.config
    named = [(f"verdicts: {name}", rule.column) for name, rule in config.verdicts.items()]
    named += [("observations", name) for name in config.observations]
    factors = {name for entry in study.entries for name, _ in entry.factors}
    if config.excluded not in factors:
        named.append(("excluded", config.excluded))
    for setting, column in named:
        if column not in columns:
            hint = did_you_mean(column or "", columns)
            yield f"{setting}: no outcomes file has the column '{column}'{hint}"


def describe_words(study: Study, verdict: str) -> Iterator[str]:
    """Yield the words in the column of a verdict that are not known, and those of the settings that it has not."""
    rule = study.config.verdicts[verdict]
    words = study.columns.get(rule.column or "", Counter[str]())
    if not rule.passing:
        unknown = [word for word in words if outcome_of(word) is None]
        if unknown:
            are = "are not known outcomes" if len(unknown) > 1 else "is not a known outcome"
            runs = plural(sum(words[word] for word in unknown), "run")
            quoted = quote_all(unknown)
            yield f"verdicts: {verdict}: {quoted} {are} ({runs}); list the words that pass under `pass`."
    known = set(map(str.casefold, words))
    unused = [word for word in rule.passing if word.casefold() not in known]
    if words and unused:
        has = f"no run has {quote_all(unused)} in the column '{rule.column}', which has {quote_all(list(words))}"
        yield f"verdicts: {verdict}: {has}; list the words that pass under `pass` as they are there."


def describe_leaderboard(study: Study) -> Iterator[str]:
    """Yield why the score that ranks the leaderboard cannot, and why the property that splits it cannot."""
    split_by = study.config.leaderboard.split_by
    if split_by and not any(study.group(entry, split_by) for entry in study.entries):
        properties = {name for entry in study.entries for name, _ in entry.factors}
        hint = did_you_mean(split_by, properties)
        yield f"leaderboard: split_by: no run has the property '{split_by}'{hint}"
    chosen = study.config.leaderboard.score
    scores = {score.name: score for entry in study.entries for score in entry.scores}
    if not chosen:
        return
    if chosen not in scores:
        hint = did_you_mean(chosen, scores)
        yield f"leaderboard: the score '{chosen}' is not in any run{hint}"
    elif scores[chosen].higher_is_better is None:
        yield f"leaderboard: the score '{chosen}' has no direction: add it under `scores`."


def describe_missing_factors(study: Study, columns: Set[str | None]) -> Iterator[str]:
    """Yield the factors and references that settings name and neither paths nor tables have."""
    config = study.config
    factors = {name for entry in study.entries for name, _ in entry.factors}
    if any(entry.run.effort for entry in study.entries):
        factors.add("effort")
    named = [(f"scores: {name}", meaning.reference) for name, meaning in study.scores.items()]
    named += [(f"verdicts: {name}", rule.of) for name, rule in config.verdicts.items()]
    named += [("properties", name) for name in config.properties]
    named += [("factors", name) for name in config.factors]
    groups = {*GROUPS, *config.groups, *config.verdicts, "quadrant"}
    for key, gate in config.gates.limits.items():
        names = dict.fromkeys((gate.by, *gate.where))
        named += [(f"gates: {key}", name) for name in names if short_name(name or "") not in groups]
    for setting, name in named:
        is_measured = any(factor.startswith(f"{name} ") for factor in factors)
        if name not in columns and name not in factors and not is_measured:
            hint = did_you_mean(name or "", columns | factors)
            yield f"{setting}: neither paths nor tables have '{name}'{hint}"


def describe_no_numbers(study: Study, name: str) -> Iterator[str]:
    """Yield the values of a numeric property that hold no number."""
    values = [value for entry in study.entries if (value := entry.factor(name))]
    texts = [value for value in values if finite(value) is None]
    if texts:
        quoted = quote_all(list(dict.fromkeys(texts)))
        runs = plural(len(texts), "run has", "runs have")
        yield f"properties: {name}: no number is in {quoted}, so {runs} no group."


def describe_unused_columns(study: Study) -> Iterator[str]:
    """Yield the columns that no page shows."""
    unused = study.unused_columns
    if has_study(study.config):
        unused = [name for name in unused if study.is_free_text(name)]
    if unused:
        columns = f"{plural(len(unused), 'column')} ({quote_all(unused)})"
        are = "are" if len(unused) > 1 else "is"
        remedy = "to show them, list numbers under `scores`, words under `observations`."
        yield f"outcomes: {columns} {are} not used; {remedy}"


def quote_all(words: Sequence[str]) -> str:
    """Return the first of these words in quotes, and how many more there are."""
    more = f" and {len(words) - MAX_NAMED} more" if len(words) > MAX_NAMED else ""
    return ", ".join(f"'{word}'" for word in words[:MAX_NAMED]) + more
