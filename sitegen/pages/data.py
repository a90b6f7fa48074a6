"""The data files: what the pages show, for programs.

Unknown is null in JSON and an empty cell in CSV.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from typing import TYPE_CHECKING

from sitegen.fields import NOTHING, SCHEMA, Cell, Field, RunFacts, fields_of
from sitegen.model import Entry, Masked, Problem
from sitegen.numbers.campaigns import RULES
from sitegen.numbers.comparison import Comparison
from sitegen.numbers.estimates import GroupFigures, compared, estimates, group_figures
from sitegen.numbers.gates import GateResult
from sitegen.numbers.intervals import CONFIDENCE, Question
from sitegen.numbers.pricing import PriceCheck
from sitegen.numbers.statistics import Dimension, group_by, score_measures
from sitegen.pages.findings import Finding, parts_of
from sitegen.pages.text_tables import TextTable
from sitegen.pages.views import group_path
from sitegen.text import tsv

if TYPE_CHECKING:
    from sitegen.pages.compare import Comparisons, Pair
    from sitegen.pages.trends.trend_words import AlertLine

Row = dict[str, Cell]  # a run by the keys of its fields; see `sitegen.fields`


def texts_of(row: Row) -> Iterator[str]:
    """Yield what stands in the cells of a run that hold texts."""
    for value in row.values():
        cells = value if isinstance(value, list | dict) else [value]
        yield from (cell for cell in cells if isinstance(cell, str))


def rows(
    entries: Sequence[Entry],
    check: Callable[[Entry], PriceCheck],
    fields: Sequence[Field] | None = None,
) -> Iterator[Row]:
    """Yield the fields of each run, all of them by default."""
    values = [(field.key, field.value) for field in fields or fields_of(entries)]
    for entry in entries:
        facts = RunFacts.of(entry, check(entry))
        yield {key: value(facts) for key, value in values}


def row(entry: Entry, check: PriceCheck) -> Row:
    """Return the fields of one run."""
    return next(rows([entry], lambda _: check))


def rows_json(rows: Iterable[Row], name: str = "runs") -> Iterator[bytes]:
    """Yield `{"schema": 1, "rules": {...}, "runs": [...]}`, one row a line, piece by piece; `name` is what the rows
    are."""
    yield f'{{"schema": {SCHEMA}, "rules": {_json(RULES)}, "{name}": ['.encode()
    for number, row in enumerate(rows):
        yield f"{',' if number else ''}\n{_json(row)}".encode()
    yield b"\n]}\n"


def told(listed: str) -> dict[str, str]:
    """Return what programs are told of files, pages, columns of models or keys, by name."""
    return {
        name: about
        for kind, name, about in tsv.rows(__file__, "told_programs.tsv")
        if kind == listed
    }


MODEL_COLUMNS = told("models")
"""The columns of data/models.json and data/models.csv, and what they hold."""


def model_rows(entries: Iterable[Entry]) -> Iterator[Row]:
    """Yield a row per run and model that worked in it, subagents and auxiliary calls included, the dearest first."""
    for entry in entries:
        ledger = entry.run.ledger
        for position, (name, line) in enumerate(zip(entry.ledger_names, ledger, strict=True)):
            is_only = len(ledger) == 1 and line.cost_usd is None
            cells = (
                entry.id,
                position,
                name,
                line.model,
                entry.run.cost_usd if is_only else line.cost_usd,
                line.tokens.input,
                line.tokens.cache_write,
                line.tokens.cache_read,
                line.tokens.output,
            )
            yield dict(zip(MODEL_COLUMNS, cells, strict=True))


def figures_json(
    entries: Sequence[Entry],
    comparisons: "Comparisons",
    question: Question,
    alerts: Iterable["AlertLine"] = (),
    gates: Iterable[GateResult] = (),
) -> bytes:
    """Return the figures of all runs, of each group and of each comparison, and the alerts of several campaigns, one
    of these a line: see docs/figures.md."""
    head = {"schema": SCHEMA, "confidence": CONFIDENCE, "intervals": question.value}
    measures = score_measures(entries)
    groups = [_group("all", None, None, group_figures(entries, question, measures))]
    for dimension in Dimension:
        for name, runs in group_by(entries, dimension).items():
            group = group_figures(runs, question, measures)
            groups.append(_group(dimension.value, name, group_path(dimension.value, name), group))
    pairs = zip(comparisons.views, comparisons.pairs, strict=True)
    return _lists(
        head,
        groups=groups,
        comparisons=[_pair(view.path, *pair) for view, pair in pairs],
        alerts=[_json(asdict(alert)) for alert in alerts],
        gates=map(_json, map(gate_row, gates)),
    )


def _lists(head: Mapping[str, object], **parts: Iterable[str]) -> bytes:
    """Return an object with lists, each item of which is a line."""
    written = (f'"{name}": [\n' + ",\n".join(lines) + "\n]" for name, lines in parts.items())
    return f"{_json(head)[:-1]}, {', '.join(written)}}}\n".encode()


def _group(dimension: str, name: str | None, page: str | None, group: GroupFigures) -> str:
    figures = {measure: asdict(estimate) for measure, estimate in estimates(group)}
    head = {"by": dimension, "name": name, "page": page, "runs": group.summary.runs}
    return _json({**head, "figures": figures})


def figure_rows(figures: bytes) -> Iterator[Row]:
    """Yield a row for each figure of each group in `figures_json`."""
    for group in json.loads(figures)["groups"]:
        estimates = group.pop("figures")
        yield from (group | {"figure": name} | estimate for name, estimate in estimates.items())


def _pair(page: str, pair: "Pair", comparison: Comparison) -> str:
    dimension, a, b = pair
    figures: dict[str, object] = {}
    for contrast in comparison.all_contrasts:
        if contrast.tasks:
            figures[contrast.measure.key] = {
                **{name: asdict(estimate) for name, estimate in compared(contrast)},
                "effect": contrast.effect.value,
                "p_value": contrast.claimed_p if contrast.is_claimed else None,
                "corrected_p": contrast.corrected_p,
            }
    sides = {
        "by": dimension.value,
        "a": a,
        "b": b,
        "page": page,
        "tasks": len(comparison.tasks),
        "alike": comparison.alike.value,
        "is_alike": comparison.is_alike,
        "a_runs": comparison.a.compared,
        "b_runs": comparison.b.compared,
        "a_listed": comparison.a.listed,
        "b_listed": comparison.b.listed,
    }
    treatment = {"treatment": asdict(comparison.treatment)} if comparison.treatment else {}
    return _json({**sides, **treatment, "figures": figures})


def gate_row(gate: GateResult) -> dict[str, object]:
    """Return what programs get of a gate."""
    return dict(parts_of(gate, "name", "limit", "figure", "verdict", "why", "fails_build"))


def findings_json(findings: Iterable[Finding]) -> bytes:
    """Return `{"schema": 1, "findings": [...]}`, one finding a line."""
    rows = (finding.to_row() for finding in findings)
    return _lists({"schema": SCHEMA}, findings=map(_json, rows))


def problem_row(problem: Problem) -> dict[str, object]:
    """Return what programs get of a problem."""
    return {
        "file": problem.path,
        "code": problem.code,
        "verdict": problem.verdict.value,
        "reason": problem.reason,
        "place": problem.place,
    }


def masked_row(masked: Masked) -> dict[str, object]:
    """Return what programs get of masked values; never a value."""
    return {"file": masked.path, "place": masked.place, "kind": masked.kind, "count": masked.count}


def problems_json(problems: Iterable[Problem], masked: Iterable[Masked] = ()) -> bytes:
    """Return `{"schema": 1, "problems": [...], "masked": [...]}`: file, code, verdict and reason, one problem a line;
    and how many values of which kind are masked in which place of a file.
    """
    rows = map(problem_row, problems)
    masks = map(masked_row, masked)
    return _lists({"schema": SCHEMA}, problems=map(_json, rows), masked=map(_json, masks))


def rows_csv(rows: Iterable[Row], heads: Iterable[str] = ()) -> Iterator[bytes]:
    """Return the same rows as CSV in UTF-8: a head, then a line for each; each is a piece. `heads` stand where there
    are no rows to take them from."""
    rows = iter(rows)
    first = next(rows, None)
    if first is None:
        return TextTable(list(heads), ()).to_csv()
    return TextTable(list(first), map(_cells, chain((first,), rows))).to_csv()


def _cells(row: Row) -> Iterator[Cell]:
    """Yield what CSV has of a row: an empty list of signals is known, and no empty cell, which is unknown."""
    return (NOTHING if key == "signals" and value == [] else value for key, value in row.items())


def _json(value: Mapping[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
