"""Parses rows: from the cells of a table to what they state of runs.

A row whose key cannot be read is dropped whole, since with one key less it might fit another run; any other cell is
dropped alone. Words that are not understood are never guessed.
"""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from sitegen.model import Problem, Score
from sitegen.outcomes import cells as cell
from sitegen.outcomes.reasons import BadCell, Why, because
from sitegen.outcomes.rows import COLUMNS, COMMITS, KEYS, NAMES, Cells, Row, RowSource

MAX_LOG = 10_000
MAX_DEPTH = 6  # objects within objects whose values are columns

# The column of the model that was measured.
_SERVED = "model (served)"
_NAMED_BY_PATTERN = frozenset({*KEYS, "agent", "model"})
_VERDICTS = "passed resolved solved success correct verdict".split()


def parse_rows(table: Sequence[Cells], origin: RowSource) -> tuple[list[Row], list[Problem]]:
    """Return the rows of a table, and what is wrong with it.

    A column that we do not know is a score when at least half of its cells that say something are numbers; else it
    is text for people and ignored.
    """
    table = [replace(cells, values=rename_columns(cells, origin)) for cells in table]
    table = rename_verdicts(table, origin)
    score_columns = find_score_columns(table, origin)
    if states_nothing(table, score_columns, origin):
        return [], [origin.problem(because(Why.NOTHING_STATED))]
    rows: list[Row] = []
    problems: list[Problem] = []
    for cells in table:
        faults: list[cell.Fault] = []
        row = parse_row(cells, score_columns, origin, faults)
        if row is not None:
            rows.append(row)
        for reason, effect in faults:
            problems.append(origin.problem(reason, cells.line, effect))
    return rows, problems


def flatten(values: Mapping[str, object], depth: int = MAX_DEPTH) -> dict[str, object]:
    """Return the values with those within objects under dotted names, such as `metrics.ttft_mean_ms`."""
    flat: dict[str, object] = {}
    for name, value in values.items():
        flat[name] = value
        if isinstance(value, Mapping) and name != "scores" and depth:
            for inner_name, inner in flatten(value, depth - 1).items():
                flat[f"{name}.{inner_name}"] = inner
    return {**flat, **values}


def rename_columns(cells: Cells, origin: RowSource) -> Mapping[str, object]:
    """Return the values under our names of columns, with what is said of a row that does not say it."""
    values = flatten(cells.values)
    columns: Mapping[Any, str] = origin.settings.columns
    ours = {theirs: name for name, theirs in columns.items()}
    renamed: dict[str, object] = {}
    for name, value in values.items():
        if name in ours or name not in columns:
            renamed[ours.get(name, name)] = value
    for name, meaning in origin.settings.scores.items():
        if column := first_filled(values, meaning.columns):
            renamed[name] = values[column]
    if "commit" not in columns:
        for name in COMMITS:
            if cell.is_commit(renamed.get(name)):
                renamed["commit"] = renamed[name]
                break
    if origin.runs or first_filled(renamed, NAMES):
        return renamed
    if cells.is_measurement and "model" not in columns and names_served_model(renamed, origin):
        renamed[_SERVED] = renamed.pop("model", None)
    for name, default in origin.defaults.items():
        if not cell.is_filled(renamed.get(name)):
            renamed[name] = default
    return renamed


def first_filled(values: Mapping[str, object], columns: Sequence[str]) -> str | None:
    """Return the first of some columns that says something."""
    return next((name for name in columns if cell.is_filled(values.get(name))), None)


def names_served_model(values: Mapping[str, object], origin: RowSource) -> bool:
    """Return whether the `model` of a measurement is the one that was served: its run is named by its path, or by a
    commit beside figures. In a table the column is the model of the run."""
    if origin.settings.pattern and not _NAMED_BY_PATTERN.isdisjoint(origin.defaults):
        return True
    has_commit = cell.is_commit(values.get("commit")) and not cell.is_filled(values.get("task"))
    return bool(origin.settings.scores) and has_commit


def rename_verdicts(table: list[Cells], origin: RowSource) -> list[Cells]:
    """Call the only column that can hold the outcomes `outcome`, in a table without such a column: all its cells are
    words of outcomes. A measurement that succeeded is not a verdict, nor is what a sidecar states of its program."""
    verdicts: dict[str, list[object]] = {}
    for cells in table:
        for name, value in cells.values.items():
            is_measured = name == "commit" and cell.is_commit(value)
            if cell.is_filled(value) and (origin.runs or name == "outcome" or is_measured):
                return table
            if name.casefold() in _VERDICTS and cell.is_filled(value):
                verdicts.setdefault(name, []).append(value)
    settings = origin.settings
    used = {*settings.columns, *settings.scores, *origin.columns}
    if "outcome" in used:
        return table
    columns = [name for name, words in verdicts.items() if all(map(cell.outcome_of, words))]
    columns = [name for name in columns if name not in used]
    if len(columns) != 1:
        return table
    renamed = []
    for cells in table:
        values = dict(cells.values)
        values["outcome"] = values.pop(columns[0], None)
        renamed.append(replace(cells, values=values))
    return renamed


def find_score_columns(table: Sequence[Cells], origin: RowSource) -> frozenset[str]:
    """Return the columns that are scores. A sidecar or a measurement may hold anything, so its scores are named."""
    declared = origin.settings.scores
    is_measured = any(cell.is_commit(cells.values.get("commit")) for cells in table)
    if origin.runs or (declared and is_measured):
        return frozenset(declared)
    nested: set[str] = set()
    filled: Counter[str] = Counter()
    numbers: Counter[str] = Counter()
    for cells in table:
        for name, value in cells.values.items():
            if isinstance(value, Mapping):
                nested.add(f"{name}.")
            if name in (*COLUMNS, "scores") or cell.is_nested(value) or not cell.is_filled(value):
                continue
            filled[name] += 1
            numbers[name] += cell.is_number(value)
    inner = tuple(nested)
    scores = {name for name, count in filled.items() if numbers[name] * 2 >= count}
    scores = {name for name in scores if not name.startswith(inner)}
    return frozenset(scores | (filled.keys() & declared.keys()))


def states_nothing(table: Sequence[Cells], scores: frozenset[str], origin: RowSource) -> bool:
    """Return whether a table has no column that states something of a run; the cells of it may still be empty."""
    names = {name for cells in table for name in cells.values}
    is_object = bool(origin.settings.scores) and len(table) == 1  # it may have no figures
    if not names or origin.runs or is_object:
        return False
    stating = {*scores, *origin.columns, "outcome", "claimed", "labels", "started_at", "scores"}
    stating |= {"campaign", "task", "model", "attempt"} if names & {*NAMES} else {"commit"}
    return not names & stating


def parse_row(
    cells: Cells, score_columns: frozenset[str], origin: RowSource, faults: list[cell.Fault]
) -> Row | None:
    """Return a row; None when its keys cannot be used. Adds to `faults` what is wrong with it."""
    values = cells.values
    clean = origin.clean
    if cells.fault:
        faults.append((cells.fault, _SKIPPED))
        return None
    try:
        keys: dict[str, Any] = {
            name: cell.read_text(name, values.get(name), clean) for name in _TEXT_KEYS
        }
        attempt = cell.read_attempt(values.get("attempt"))
        served = cell.read_text("model", values.get(_SERVED), clean) or ""
    except BadCell as bad:
        faults.append((bad.reason, _SKIPPED))
        return None
    if not origin.runs and not any(keys[name] for name in KEYS):
        if any(map(cell.is_filled, values.values())):
            reason = because(Why.NAMES_NO_RUN, keys=", ".join(KEYS[:-1]), last=KEYS[-1])
            faults.append((reason, ""))
        return None
    commit = keys.pop("commit")
    read = partial(read_cell, values, faults)
    return Row(
        origin.file,
        cells.line,
        **keys,
        commit=commit.lower() if commit and cell.is_commit(commit) else None,
        reference=origin.settings.reference,
        # A pattern names the run, so that nothing else selects it.
        model_hints=() if origin.settings.pattern or not served else (served,),
        served=served,
        input=origin.source.input,
        location=locate(values.get("path"), origin) if keys["path"] else None,
        attempt=attempt,
        outcome=read("outcome", cell.read_outcome),
        claimed=read("claimed", cell.read_claim),
        note=cell.read_note(values.get("note"), clean),
        scores=tuple(read_scores(values, score_columns, origin, faults)),
        labels=read("labels", partial(cell.read_labels, clean=clean)) or (),
        columns=tuple(read_columns(values, origin)),
        untested=find_untested(values, origin),
        started_at=read("started_at", cell.read_moment),
        runs=origin.runs,
        is_measurement=cells.is_measurement,
    )


_TEXT_KEYS = (*KEYS, "campaign", "model")
_SKIPPED = " The row is skipped."


def read_cell(values: Mapping[str, object], faults: list[cell.Fault], name: str, read: Any) -> Any:
    """Return what the cell of a column says; None when it is empty or cannot be read."""
    return cell.read_if_filled(read, values.get(name), faults)


def locate(path: object, origin: RowSource) -> str:
    """Return the meaning of a path seen from the folder of its file."""
    folder = os.path.dirname(os.path.abspath(origin.source.location))  # noqa: PTH100, PTH120  never fail
    return os.path.normpath(Path(folder, str(path)))


def find_untested(values: Mapping[str, object], origin: RowSource) -> tuple[str, ...]:
    """Return the columns of verdicts and scores that are empty: their test did not work."""
    used = sorted({*origin.columns, *origin.meanings} & values.keys())
    return tuple(name for name in used if not cell.is_filled(values[name]))


def read_columns(values: Mapping[str, object], origin: RowSource) -> Iterator[tuple[str, str]]:
    """Yield what columns say that `COLUMNS` does not list, or the settings use besides; the settings tell what they
    mean."""
    ours = {*COLUMNS, *COMMITS, _SERVED, "scores"} - origin.columns
    for name, value in values.items():
        if name in ours or cell.is_nested(value) or not cell.is_filled(value):
            continue
        text: str | None = str(value)
        if len(str(value)) > MAX_LOG:  # nobody reads it here, and masking takes its time
            text = f"{len(str(value)):,} characters"
        else:
            text = cell.read_note(text, partial(origin.clean.named, name))
        column = " ".join(origin.clean(name).split())
        if text and column:
            yield column, text


def read_scores(
    values: Mapping[str, object],
    columns: frozenset[str],
    origin: RowSource,
    faults: list[cell.Fault],
) -> Iterator[Score]:
    """Yield the scores of a row: its columns that are scores, and its section `scores` where its file can have one."""
    scores = {name: value for name, value in values.items() if name in columns}
    section = values.get("scores")
    if isinstance(section, Mapping):
        scores |= section
    elif cell.is_filled(section):
        faults.append((because(Why.BAD_SECTION), ""))
    for name, value in scores.items():
        score = cell.read_if_filled(partial(read_score, str(name), origin), value, faults)
        if score is not None:
            yield score


def read_score(name: str, origin: RowSource, value: object) -> Score:
    """Return a score: a number, or a section with its value, unit, direction and scale. Raises: BadCell."""
    score = origin.meanings.get(name) or Score(name, 0.0)
    if isinstance(value, Mapping):
        score = read_meaning(name, origin, value, score)
        value = value.get("value")
    number = cell.finite(value)
    if number is None:
        raise BadCell(Why.BAD_NUMBER, name=cell.quote(name), value=cell.quote(value))
    if score.is_ratio and number <= 0:
        raise BadCell(Why.BAD_RATIO, name=cell.quote(name), value=cell.quote(value))
    masked_name = cell.read_text("The name of a score", name, origin.clean)
    return replace(score, name=masked_name or "score", value=number)


def read_meaning(
    name: str, origin: RowSource, section: Mapping[Any, object], score: Score
) -> Score:
    """Return what a section says of a score, beside its value. Raises: BadCell."""
    direction = section.get("direction")
    if direction not in (None, "higher", "lower"):
        raise BadCell(Why.BAD_DIRECTION, name=cell.quote(name))
    if direction is not None:
        score = replace(score, higher_is_better=direction == "higher")
    scale = section.get("scale")
    if scale not in (None, "linear", "ratio"):
        raise BadCell(Why.BAD_SCALE, name=cell.quote(name))
    if scale is not None:
        score = replace(score, is_ratio=scale == "ratio")
    unit = score.unit or cell.read_text("unit", section.get("unit"), origin.clean)
    return replace(score, unit=unit)
