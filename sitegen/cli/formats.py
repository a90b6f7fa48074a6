"""The data of runs as bytes of a file. The same last scan as that of a site looks at each."""

import difflib
import io
import json
import math
import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from sitegen import __version__, figures
from sitegen.cache.seal import write_whole
from sitegen.charts.findings import clipped
from sitegen.cli.options import EXIT_NOT_PUBLISHED
from sitegen.cli.running import Call
from sitegen.cli.settings import CommandSettings, announce
from sitegen.cli.terminal import Progress, terminal
from sitegen.collect import Facts, collect, why_empty
from sitegen.config import Config
from sitegen.errors import ConfigError, PublishError, RefusedOutput
from sitegen.fields import BUILT_IN, Field, fields_of, find_field
from sitegen.masking.final_scan import FinalScan
from sitegen.masking.redact import Redactor
from sitegen.model import Entry, T
from sitegen.numbers.estimates import group_figures
from sitegen.numbers.intervals import CONFIDENCE, Interval
from sitegen.numbers.statistics import dimension_of, group_by, score_measures
from sitegen.numbers.wording import Claim, cell, measure_name
from sitegen.outcomes.study import Study
from sitegen.pages import data, effects, own_pages
from sitegen.pages.overall import compared
from sitegen.pages.study_page import study_latex
from sitegen.pages.study_page import tables as tables_of
from sitegen.pages.text_tables import TextTable, markdown_text
from sitegen.system.places import how_to_install
from sitegen.system.system_limits import why_not_written
from sitegen.system.workers import Processes, cores
from sitegen.text import times

# Writes runs into one file, whole, or leaves what is there.


def write_runs(
    call: Call, chosen: CommandSettings, made: Callable[[Facts, Config, Redactor], bytes]
) -> int:
    """Read the runs of these settings and write what is made of them, whole or not at all; the exit code. Raises:
    SitegenError."""
    output = call.file
    config = chosen.config.model_copy(
        update={"output": str(output)}
    )  # not read, should it lie among the runs
    if output.is_symlink() or (os.path.lexists(output) and not output.is_file()):
        raise RefusedOutput(f"{output} is a link or not a file, name another")
    inputs = map(Path, [*config.paths_of_runs, *config.paths_of_outcomes])
    if output.exists() and any(path.exists() and path.samefile(output) for path in inputs):
        raise RefusedOutput(f"{output} is an input, name another file")
    redactor = announce(chosen, call)
    facts = collect(config, redactor, Progress(quiet=call.quiet), Processes(cores()))
    if not facts.entries:
        return terminal.fail(f"sitegen: {why_empty(facts)}", EXIT_NOT_PUBLISHED)
    data = made(facts, config, redactor)
    if not call.may_replace and output.exists() and output.read_bytes() != data:
        raise RefusedOutput(f"{output} already exists, name another file or add --replace")
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        write_whole(str(output), data, 0o644)
    except OSError as error:
        raise PublishError(f"{output} could not be written: {why_not_written(error)}") from error
    if not call.quiet:
        runs = figures.plural(len(facts.entries), "run")
        problems = figures.plural(len(facts.problems), "problem")
        terminal.say(f"{runs} in {output}; {problems}, which `sitegen check` lists")
    return 0


_COLUMNS = 80  # at most, for one text of a run
_SCORES = ("name", "value", "unit", "higher_is_better", "is_ratio")
_LISTS = {"labels": "label", "warnings": "code", "token_gaps": "kind", "signals": "signal"}
"""Tables of two columns, and what the second is."""
_SHAPES = {
    "models": tuple(data.MODEL_COLUMNS),
    "scores": ("run_id", *_SCORES),
    "factors": ("run_id", "name", "stated"),
    **{name: ("run_id", column) for name, column in _LISTS.items()},
}
"""The columns of the tables beside that of runs in SQLite, where lists are tables of their own."""


# The name of a macro, which is no e-mail address: only values come from runs.
_MACRO_NAME = re.compile(r"sitegen@[\w.-]+")


def exported(
    form: str,
    facts: Facts,
    config: Config,
    redactor: Redactor,
    *,
    table: str | None = None,
    columns: str | None = None,
) -> bytes:
    """Return the file of this form, of the runs or of one of their tables; `columns` are keys of fields, with commas.

    Raises: ConfigError for a table or a column that these runs do not have, PublishError for a find of the last scan
    that cannot be masked.
    """

    def scanned(
        name: str, content: bytes | Iterable[bytes], own_texts: Iterable[str] = ()
    ) -> bytes:
        spared = chain(config.own_texts(), own_texts)
        return FinalScan.of(redactor, spared, is_strict=False).finish(name, content)[0]

    if table is not None:
        return scanned(*_written_table(table, form, config, facts.entries))
    if form == "latex-macros":
        macros = _latex_macros(facts, config)
        return scanned("macros.txt", macros.encode(), _MACRO_NAME.findall(macros))
    if form == "every-eval-ever":
        return scanned("records.jsonl", records(facts.entries, config))
    prices = config.price_table
    fields = fields_of(facts.entries)
    asked = _chosen(fields, columns)
    chosen = asked or fields
    rows = list(data.rows(facts.entries, lambda entry: prices.check(entry.run), fields))
    if form == "csv":
        return scanned("runs.csv", data.rows_csv(_pick(rows, chosen)))
    if form == "sqlite":
        tables = _tables(facts.entries, rows)
        dumped = json.dumps(tables, ensure_ascii=False, allow_nan=False, indent=0)
        return _sqlite(json.loads(scanned("tables.json", dumped.encode())), chosen)
    if form == "json":
        return scanned("runs.json", data.rows_json(_pick(rows, chosen)))
    rows = json.loads(scanned("runs.json", data.rows_json(rows)))["runs"]
    if form == "parquet":
        return _parquet(rows, chosen)
    usual = _usual(fields, rows)
    if form == "latex":
        return _table(rows, asked or _narrow(usual)).to_latex().encode()
    listed = _table(rows, asked or usual)
    pairs = b"" if columns else scanned("pairs.md", _pairs(config, facts.entries).encode())
    return f"{_heading(config, len(rows))}{listed.to_markdown()}\n{pairs.decode()}".encode()


def _narrow(fields: Sequence[Field]) -> list[Field]:
    """Return the fields that fit beside each other on paper."""
    return [field for field in fields if field.key not in _TOO_WIDE]


def _heading(config: Config, runs: int) -> str:
    """Return what stands above the table of runs in Markdown."""
    return f"# {markdown_text(config.title)}\n\n{figures.plural(runs, 'run')}.\n\n"


def _chosen(fields: Sequence[Field], columns: str | None) -> list[Field]:
    """Return the fields of these columns, in their order. Raises: ConfigError."""
    chosen = []
    for name in filter(None, map(str.strip, (columns or "").split(","))):
        field = find_field(fields, name)
        if field is None:
            alike = [field.key for field in fields if field.name == name]
            near = alike or difflib.get_close_matches(name, [field.key for field in fields])
            hint = (
                f", did you mean {' or '.join(near)}?" if near else "; data/README.md lists them."
            )
            raise ConfigError(f"--columns: runs have no '{name}'{hint}")
        chosen.append(field)
    return chosen


def _pick(rows: Iterable[data.Row], fields: Sequence[Field]) -> Iterator[data.Row]:
    """Yield these fields of the rows."""
    for row in rows:
        yield {field.key: row[field.key] for field in fields}


def _written_table(
    name: str, form: str, config: Config, entries: Sequence[Entry]
) -> tuple[str, bytes | Iterable[bytes]]:
    """Return the name and the content of a file with a table of the study, in LaTeX as pages show it. Raises:
    ConfigError where there is none of this name, and for another form."""
    if form not in ("csv", "markdown", "latex"):
        raise ConfigError(f"--table {name}: write --format csv, markdown or latex.")
    study = Study(config, entries)
    pairs = compared(config, entries)
    tables: dict[str, Callable[[], TextTable]] = {}
    as_latex: dict[str, Callable[[], str]] = {}
    for table in tables_of(study, config.intervals).values():
        tables[table.name] = partial(table.table, study)
        as_latex[table.name] = partial(study_latex, study, table)
    if pairs.held:
        for effects_name, effects_table in effects.effects_tables(pairs).items():
            tables[effects_name] = effects_table
            as_latex[effects_name] = partial(effects.effects_latex, pairs)
    if name not in tables:
        raise ConfigError(
            f"--table {name}: these runs have no such table; they have {', '.join(tables)}."
        )
    if form == "latex":
        return "table.txt", as_latex[name]().encode()
    if form == "csv":
        return "table.csv", tables[name]().to_csv()
    return "table.md", f"{tables[name]().to_markdown()}\n".encode()


def _latex_macros(facts: Facts, config: Config) -> str:
    """Return macros of LaTeX for the figures of these runs and those that your pages quote."""
    quotable = own_pages.Figures(config, Study(config, facts.entries))
    quoted = chain.from_iterable(
        own_pages.quoted(page, quotable) for page in own_pages.read(config, ())
    )
    return own_pages.latex_macros(quotable, quoted)


def _parquet(rows: Sequence[data.Row], fields: Sequence[Field]) -> bytes:
    """Return a table of the runs, with its types: lists are lists, moments are moments. Raises: ConfigError."""
    try:
        import pyarrow
        from pyarrow import compute, parquet
    except ImportError:
        raise ConfigError(f"--format parquet needs pyarrow: {how_to_install('pyarrow')}.") from None
    types = {
        "number": pyarrow.float64(),
        "whole": pyarrow.int64(),
        "list": pyarrow.list_(pyarrow.string()),
    }
    columns = {}
    for field in fields:
        if field.type == "numbers":  # each has a column
            continue
        values = [_fitting(row[field.key]) for row in rows]
        column = pyarrow.array(values, types.get(field.type, pyarrow.string()))
        if field.type == "time":
            column = compute.strptime(column, "%Y-%m-%dT%H:%M:%SZ", "ms").cast(
                pyarrow.timestamp("ms", "UTC")
            )
        columns[field.key] = column
    file = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), file)
    return file.getvalue()


_HEADS = {
    "name": "Run",
    "path": "File",
    "task": "Task",
    "agent": "Agent",
    "model": "Model",
    "status": "Status",
    "outcome": "Outcome",
    "scores": "Scores",
    "labels": "Labels",
    "cost_usd": "Cost, USD",
    "computed_cost_usd": "At list prices, USD",
    "total_tokens": "Tokens",
    "turns": "Turns",
    "wall_ms": "Wall time, ms",
    "title": "Account begins with",
}
"""The fields that Markdown and LaTeX have unless columns are chosen, with their heads."""
_TOO_WIDE = ("name", "path", "status", "labels", "scores", "turns", "title")
"""Those that LaTeX has only if they are chosen."""
_IF_KNOWN = ("scores", "labels", "computed_cost_usd")  # left out where no run has them
_COSTS = ("cost_usd", "computed_cost_usd")


def _usual(fields: Sequence[Field], rows: Sequence[data.Row]) -> list[Field]:
    """Return the fields of a table of runs without chosen columns: verdicts and observations behind the outcome."""
    by_key = {field.key: field for field in fields}
    usual = []
    for key in _HEADS:
        if key not in _IF_KNOWN or any(row[key] for row in rows):
            usual.append(by_key[key])
        if key == "outcome":
            usual += [field for field in fields if field.page == "verdict"]
    return usual


def _table(rows: Sequence[data.Row], fields: Sequence[Field]) -> TextTable:
    """Return a table of the runs, with units in its head."""
    heads = [_HEADS.get(field.key) or _head(field) for field in fields]
    cells = ([_written(row, field.key) for field in fields] for row in rows)
    sides = "".join("r" if field.is_number else "l" for field in fields)
    return TextTable(heads, cells, sides)


def _head(field: Field) -> str:
    """Return the title of a field with its unit; of one without a title its key."""
    title = field.title or field.key
    return f"{title}, {field.unit.strip()}" if field.unit.strip() else title


def _written(row: data.Row, key: str) -> str | None:
    """Return the cell of a run; a cost or a sum that may be higher carries a plus."""
    value = row[key]
    if value is None:
        return figures.UNKNOWN if key in _COSTS else None
    if isinstance(value, dict):
        value = [f"{name} {figures.score(score)}" for name, score in value.items()]
    if isinstance(value, list):
        value = ", ".join(value)
    if key == "total_tokens":
        return figures.marked(str(value), bool(row["token_gaps"]))
    if key not in _COSTS:
        return clipped(str(value), _COLUMNS)
    about = "≈ " if key == "computed_cost_usd" else ""
    return about + figures.marked(f"{value:.4f}", row["cost_bound"] == "lower")


def _pairs(config: Config, entries: Sequence[Entry]) -> str:
    """Return the comparisons as Markdown, with what is clear of each measure; empty where nothing is compared."""
    rows = []
    for (_, a, b), comparison in compared(config, entries).pairs:
        for contrast in (*comparison.scores.values(), *comparison.contrasts.values()):
            if contrast.tasks:
                claim = cell(Claim.of(contrast, a, b), with_name=False)
                measure = measure_name(contrast.measure)
                rows.append((a, b, measure, len(contrast.tasks), claim))
    table = TextTable(
        ("A", "B", "Measure", "Shared tasks", "B against A"), rows, "lllrl"
    ).to_markdown()
    return f"\n## Comparisons\n\n{table}\n" if "\n" in table.partition("\n")[2] else ""


def _tables(
    entries: Sequence[Entry], rows: Iterable[data.Row]
) -> dict[str, list[dict[str, object]]]:
    """Return the rows of each table by its name."""
    tables: dict[str, list[dict[str, object]]] = {name: [] for name in ("runs", *_SHAPES)}
    tables["models"] = [dict(row) for row in data.model_rows(entries)]
    for entry, row in zip(entries, rows, strict=True):
        tables["runs"].append(dict(row))
        of_run: dict[str, object] = {"run_id": entry.id}
        for score in entry.scores:
            fields = {key: getattr(score, key) for key in _SCORES}
            tables["scores"].append(of_run | fields)
        for name, value in entry.factors:
            tables["factors"].append(of_run | {"name": name, "stated": value})
        for name, column in _LISTS.items():
            values = row[name]
            if isinstance(values, list):
                tables[name] += [of_run | {column: value} for value in values]
    return tables


def _sqlite(
    tables: dict[str, list[dict[str, str | int | float | None]]], fields: Sequence[Field]
) -> bytes:
    """Return a database of these tables: `runs` with these fields, and others whose `run_id` is the `id` of a run."""
    types = {field.key: field.type for field in (*BUILT_IN, *fields)}
    keys_of_runs = (field.key for field in fields if field.type not in ("list", "numbers"))
    shapes = {"runs": tuple(dict.fromkeys(("id", *keys_of_runs))), **_SHAPES}
    with closing(sqlite3.connect(":memory:")) as database:
        for name, keys in shapes.items():
            declared = ", ".join(f"{_quoted(key)} {_declared(key, types)}" for key in keys)
            database.execute(f'CREATE TABLE "{name}" ({declared})')
            marks = ", ".join("?" * len(keys))
            insert = f'INSERT INTO "{name}" VALUES ({marks})'  # noqa: S608  names of our own
            fitting = partial(_fitting_row, keys)
            database.executemany(insert, map(fitting, tables[name]))
            if name != "runs":
                database.execute(f'CREATE INDEX "{name}_run_id" ON "{name}" (run_id)')
        database.commit()
        return database.serialize()


_TYPES = {
    "id": "TEXT PRIMARY KEY NOT NULL",
    "run_id": "TEXT NOT NULL REFERENCES runs (id)",
    "value": "REAL",
    **dict.fromkeys(("position", "higher_is_better", "is_ratio"), "INTEGER"),
    "number": "REAL",
    "whole": "INTEGER",
    "time": "TEXT",
    "text": "TEXT",
}
"""The types of columns in SQLite: of these, and of others by their kind."""


def _quoted(key: str) -> str:
    """Return a name in SQL."""
    return '"' + key.replace('"', '""') + '"'


def _declared(key: str, types: Mapping[str, str]) -> str:
    """Return the type of a column, by the types of fields."""
    return _TYPES.get(key) or _TYPES[types.get(key, "text")]


def _fitting(value: T) -> T | float:
    """Return a value that 64 bits can hold: a larger whole number is a float."""
    return float(value) if isinstance(value, int) and abs(value) >= 2**63 else value


def _fitting_row(keys: Sequence[str], row: Mapping[str, T]) -> list[T | float]:
    return [_fitting(row[key]) for key in keys]


# Records of Every Eval Ever, one a line: of each configuration its success rate and its mean scores, with intervals.
#
# The time of a record is when its last run began, so that the same runs give the same bytes.

SCHEMA = "0.3.0"
_NOT_KNOWN = "unknown"


def records(entries: Sequence[Entry], config: Config) -> bytes:
    """Return the records. Raises: ConfigError where no run has a verdict or a score."""
    measures = score_measures(entries)
    lines = []
    for name, runs in group_by(entries, dimension_of(entries)).items():
        figures = group_figures(runs, config.intervals, measures)
        results = []
        for key, judged in {"success": figures.success, **figures.verdicts}.items():
            if judged.rate is not None:
                counted = judged.rate, judged.interval, judged.judged
                results.append(_result(key, config, *counted, (0.0, 1.0)))
        for measure, spread in figures.scores.items():
            if spread.mean is not None and spread.least is not None and spread.most is not None:
                limits = (0.0, 1.0) if measure.is_share else (spread.least, spread.most)
                result = _result(
                    measure.name, config, spread.mean, spread.interval, spread.known, limits
                )
                result["metric_config"] |= {"lower_is_better": measure.lower_is_better}
                results.append(result)
        if results:
            record = _record(name, runs, config) | {"evaluation_results": results}
            lines.append(json.dumps(record, ensure_ascii=False))
    if not lines:
        raise ConfigError(
            "--format every-eval-ever: no run has a verdict or a score; name files of `outcomes`."
        )
    return "".join(f"{line}\n" for line in lines).encode()


def _record(name: str, runs: Sequence[Entry], config: Config) -> dict[str, object]:
    moments = [
        moment for entry in runs if (moment := times.moment_of(entry.run.started_at)) is not None
    ]
    stamp = str(int(max(moments).timestamp())) if moments else _NOT_KNOWN
    details = {"configuration": name, "agent": runs[0].agent, "runs": str(len(runs))}
    details |= {"deployment_type": _NOT_KNOWN, "model_availability": _NOT_KNOWN}
    kinds = {"source_type": "evaluation_run", "evaluator_relationship": "other"}
    model = {
        "name": runs[0].model or _NOT_KNOWN,
        "id": runs[0].run.model or runs[0].model or _NOT_KNOWN,
    }
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"{config.title}/{name}/{stamp}",
        "retrieved_timestamp": stamp,
        "source_metadata": {
            "source_name": config.title,
            "source_organization_name": _NOT_KNOWN,
            **kinds,
        },
        "eval_library": {"name": "sitegen", "version": __version__},
        "model_info": model
        | {"additional_details": {key: value for key, value in details.items() if value}},
    }


def _result(
    name: str,
    config: Config,
    value: float,
    interval: Interval | None,
    n: int,
    limits: tuple[float, float],
) -> dict[str, Any]:
    score: dict[str, object] = {"score": value}
    if interval is not None and math.isfinite(interval.low) and math.isfinite(interval.high):
        bounds = {"lower": interval.low, "upper": interval.high, "confidence_level": CONFIDENCE}
        score["uncertainty"] = {
            "confidence_interval": bounds | {"method": config.intervals.value},
            "num_samples": n,
        }
    return {
        "evaluation_name": name,
        "source_data": {"dataset_name": config.title, "source_type": "other"},
        "metric_config": {
            "evaluation_description": f"{name}, over {n} runs",
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": limits[0],
            "max_score": limits[1],
        },
        "score_details": score,
    }
