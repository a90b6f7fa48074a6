"""The data files: what the pages show, for programs.

`COLUMNS` is the one list of columns; the about page prints it as the dictionary of the data. Unknown is null in
JSON and an empty cell in CSV. What a spreadsheet would take for a formula gets a leading apostrophe.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable

from sitegen.model import TOKEN_KINDS, Entry, Masked, Problem
from sitegen.names import run_path
from sitegen.numbers.pricing import PriceCheck

SCHEMA = 1
"""Goes up only when a column changes its meaning; new columns do not raise it."""

Cell = str | int | float | None | list[str] | dict[str, float]
Row = dict[str, Cell]
"""A run by column; see COLUMNS."""

COLUMNS: tuple[tuple[str, str], ...] = (
    ("id", "Name of the run’s page, unique and stable while its file keeps its path"),
    ("name", "What lists call the run: its task with the attempt, else its title"),
    ("path", "File of the run, relative to its input"),
    ("page", "Page of the run in this site"),
    ("title", "First heading of the summary that says something, else the file’s name or the end of its path"),
    ("campaign", "As stated by a path pattern or from outside; unknown otherwise"),
    ("task", "As stated by a path pattern or from outside; unknown otherwise"),
    ("model", "Model with the largest cost"),
    ("models", "All models, the most expensive first; joined by semicolons in CSV"),
    ("model_ids", "The same models by the ids that the file gives them; joined by semicolons in CSV"),
    ("attempt", "Number of the attempt, as stated by a path pattern or from outside"),
    ("status", "ok, failed, stopped, interrupted or unknown"),
    ("status_detail", "Why, in a few words"),
    ("cost_usd", "Cost as reported, USD"),
    ("input_tokens", "Tokens sent and not cached"),
    ("cache_write_tokens", "Tokens sent and written to the cache"),
    ("cache_write_1h_tokens", "The part of the cache writes that was written for an hour"),
    ("cache_read_tokens", "Tokens sent and read from the cache"),
    ("output_tokens", "Tokens received, thinking included"),
    ("total_tokens", "Sum of input, cache writes, cache reads and output"),
    (
        "token_gaps",
        "Kinds of token whose count is unknown or a lower bound, and with it the sum; joined by semicolons in CSV",
    ),
    ("wall_ms", "Time from start to end, milliseconds"),
    ("api_ms", "Time in the API summed over calls, milliseconds"),
    ("turns", "Turns of the main loop"),
    ("denials", "Tool calls that were not permitted"),
    ("outcome", "pass, fail, partial or error, as stated from outside"),
    ("scores", "Numbers given from outside, by name; as name=value, joined by semicolons in CSV"),
    ("labels", "As stated from outside; joined by semicolons in CSV"),
    ("started_at", "Start in UTC, as stated from outside or by the file"),
    ("list_price_usd", "The tokens at list price, USD"),
    ("cache_read_usd", "Cost of the cache reads by list price, where the list price reproduces the cost"),
    ("cache_write_usd", "Cost of the cache writes, likewise"),
    ("input_usd", "Cost of the input, likewise"),
    ("output_usd", "Cost of the output, likewise"),
    ("patch_added_lines", "Lines added by the patch beside the run"),
    ("patch_removed_lines", "Lines removed by it"),
    ("session_id", "Session; runs that were resumed share it"),
    ("uuid", "The run’s own id"),
    ("warnings", "Codes of what is doubtful; joined by semicolons in CSV"),
)


def row(entry: Entry, check: PriceCheck) -> Row:
    """The columns of one run, in the order of COLUMNS."""
    run, tokens, gaps = entry.run, entry.run.tokens, entry.run.token_gaps
    return {
        "id": entry.id,
        "name": entry.name,
        "path": entry.source.path,
        "page": run_path(entry.id),
        "title": entry.title,
        "campaign": entry.campaign,
        "task": entry.task,
        "model": entry.model,
        "models": list(entry.models),
        "model_ids": [line.model for line in run.ledger if line.model is not None],
        "attempt": entry.attempt,
        "status": run.status.value,
        "status_detail": run.status_detail,
        "cost_usd": run.cost_usd,
        "input_tokens": tokens.input,
        "cache_write_tokens": tokens.cache_write,
        "cache_write_1h_tokens": tokens.cache_write_1h,
        "cache_read_tokens": tokens.cache_read,
        "output_tokens": tokens.output,
        "total_tokens": tokens.total if tokens.complete else None,
        "token_gaps": [kind for kind in TOKEN_KINDS if kind in gaps],
        "wall_ms": run.wall_ms,
        "api_ms": run.api_ms,
        "turns": run.turns,
        "denials": run.denials,
        "outcome": entry.outcome and entry.outcome.value,
        "scores": {score.name: score.value for score in entry.scores},
        "labels": list(entry.labels),
        "started_at": entry.started_at,
        "list_price_usd": check.list_usd,
        **{f"{kind}_usd": None if check.by_kind is None else check.by_kind[kind] for kind in TOKEN_KINDS},
        "patch_added_lines": entry.patch_lines and entry.patch_lines[0],
        "patch_removed_lines": entry.patch_lines and entry.patch_lines[1],
        "session_id": run.session_id,
        "uuid": run.uuid,
        "warnings": sorted({caveat.code for caveat in run.caveats}),
    }


def runs_json(rows: Iterable[Row]) -> bytes:
    """`{"schema": 1, "runs": [...]}`, one run a line."""
    written = io.BytesIO()  # many lines joined, and again as bytes, would stand in memory three times
    written.write(f'{{"schema": {SCHEMA}, "runs": ['.encode())
    for number, row in enumerate(rows):
        written.write(f"{',' if number else ''}\n{_json(row)}".encode())
    written.write(b"\n]}\n")
    return written.getvalue()


def problems_json(problems: Iterable[Problem], masked: Iterable[Masked] = ()) -> bytes:
    """`{"schema": 1, "problems": [...], "masked": [...]}`: file, code, verdict and reason, one problem a line; and how
    many values of which kind are masked in which place of a file.
    """
    lines = ",\n".join(
        _json(
            {
                "file": problem.path,
                "code": problem.code,
                "verdict": problem.verdict.value,
                "reason": problem.reason,
                "place": problem.place,
            }
        )
        for problem in problems
    )
    masks = ",\n".join(
        _json({"file": each.path, "place": each.place, "kind": each.kind, "count": each.count}) for each in masked
    )
    return f'{{"schema": {SCHEMA}, "problems": [\n{lines}\n], "masked": [\n{masks}\n]}}\n'.encode()


def runs_csv(rows: Iterable[Row]) -> bytes:
    """The same columns as CSV in UTF-8: a head, then a line for each run."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(name for name, _ in COLUMNS)
    for cells in rows:
        writer.writerow([value if type(value) in _PLAIN else _cell(value) for value in cells.values()])
    return text.getvalue().encode()


# What begins a formula, behind signs that nobody sees, which a spreadsheet may leave out. As in site.js.
_UNSEEN = (
    r"\x00-\x08\x0b\x0c\x0e-\x20\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f"
    r"\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"
)
_SIGN = r"[=+\-@\uff1d\uff0b\uff0d\uff20]"
_FORMULA = re.compile(rf"[{_UNSEEN}\t\r\n]*{_SIGN}|[\t\r]")
# What a spreadsheet of another language, or one that is pasted into, takes for the end of a cell.
_NEXT_FORMULA = re.compile(rf"[;\t\r\n](?=[{_UNSEEN}]*{_SIGN})")


_PLAIN = frozenset({int, float, type(None)})
"""What is written as it is."""


def _cell(value: Cell) -> str | int | float | None:
    if isinstance(value, dict):
        value = [f"{name}={number!r}" for name, number in value.items()]
    if isinstance(value, list):
        value = ";".join(value)
    if not isinstance(value, str):
        return value
    return ("'" if _FORMULA.match(value) else "") + _NEXT_FORMULA.sub(r"\g<0>'", value)


def _json(value: Row) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
