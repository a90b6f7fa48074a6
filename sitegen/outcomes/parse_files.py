"""Parses files of outcomes: CSV, JSON and YAML become rows, each with the line it begins in.

A text that is not CSV, JSON or YAML is refused whole: nobody knows where its rows begin, and half of a table of
outcomes gives a success rate that nobody can check. A row of another shape costs only itself. Keys that stand twice
are refused in all three, since one of the two values would be lost without a word.
"""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from sitegen.errors import ReadError
from sitegen.figures import plural
from sitegen.inputs.discover import unpacked
from sitegen.model import Problem
from sitegen.outcomes.cells import is_commit
from sitegen.outcomes.parse_junit import read_junit
from sitegen.outcomes.parse_reports import parse_report
from sitegen.outcomes.parse_rows import parse_rows
from sitegen.outcomes.reasons import Why, because
from sitegen.outcomes.rows import COLUMNS, COMMITS, KEYS, Cells, Row, RowSource
from sitegen.text.yaml_text import YamlFault, read_yaml

# YAML is read at a quarter of a megabyte a second; JSON and CSV have the limit of every file.
MAX_YAML_CHARACTERS = 1024 * 1024
_SHAPES = "expected a list of objects, {id: object}, {outcomes: [...]} or one object that names its run or its task"
_NO_OBJECT = because(Why.NOT_AN_OBJECT)
_EXTENSIONS = {"csv": "csv", "tsv": "csv", "json": "json", "yaml": "yaml", "yml": "yaml"}
_EXTENSIONS |= {"jsonl": "jsonl", "ndjson": "jsonl", "xml": "junit"}
_OUR_COLUMNS = frozenset({*COLUMNS, *COMMITS, "agent"})


def parse_outcomes_file(data: bytes, origin: RowSource) -> tuple[list[Row], list[Problem]]:
    """Return the rows of a file, and what is wrong with single ones; every exception becomes a ReadError, because one
    file must not stop a build.

    Raises: ReadError `E_OUTCOMES` when the file as a whole cannot be used.
    """
    try:
        return parse_any_form(data, origin)
    except (RecursionError, MemoryError):
        raise refused("it is too large or nested too deeply") from None
    except ReadError:
        raise
    except Exception as error:
        reason = f"reading it failed with {type(error).__name__}; please report it"
        raise refused(reason) from error


def parse_any_form(data: bytes, origin: RowSource) -> tuple[list[Row], list[Problem]]:
    """Return the rows of a file, and what is wrong with single ones.

    The extension tells CSV, JSON and YAML apart, else the first character does; the content tells a report of a
    benchmark.
    """
    extension = unpacked(origin.source.place).rpartition(".")[2].lower()
    form = _EXTENSIONS.get(extension)
    if form == "junit":
        return parse_rows(cells_of_junit(data, origin), origin)
    text = decode(data)
    if not text.strip():
        raise refused("it is empty")
    if form == "yaml":
        table = cells_of_document(*parse_yaml(text), origin)
    elif form == "jsonl":
        table = cells_of_lines(text, origin)
    elif form == "json" or (form is None and text.lstrip()[0] in "[{"):
        document = parse_json(text)
        verdicts = None if origin.runs else parse_report(document, text, origin)
        if verdicts is not None:
            return verdicts, []
        table = cells_of_document(document, find_lines(text), origin)
    else:
        table = cells_of_csv(text, origin)
    if not table:
        raise refused("it has no rows")
    if all(cells.fault == _NO_OBJECT for cells in table):
        raise refused(_SHAPES, f"line {table[0].line}")
    return parse_rows(table, origin)


def parse_csv(data: bytes, origin: RowSource) -> list[Cells]:
    """Return the rows of a CSV file as they stand. Raises: ReadError."""
    return cells_of_csv(decode(data), origin)


def decode(data: bytes) -> str:
    """Return the text of a file. Raises: ReadError."""
    try:
        return data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise refused("it is not UTF-8 text", f"byte {error.start}") from None


def refused(reason: str, place: str | None = None) -> ReadError:
    """Return the error of a file that cannot be used."""
    return ReadError("E_OUTCOMES", f"it cannot be used as a table of outcomes: {reason}", place)


def cells_of_csv(text: str, origin: RowSource) -> list[Cells]:
    """Return the rows of a CSV text. Raises: ReadError."""
    separator = find_separator(text.partition("\n")[0], origin)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=separator)
    table: list[Cells] = []
    try:
        header = read_header(next(reader), origin)
        line = reader.line_num
        for values in reader:
            begins = line + 1
            line = reader.line_num
            if not any(value.strip() for value in values):
                continue
            if separator == ";":  # as spreadsheets write where a comma is in numbers
                values = list(map(with_decimal_point, values))
            if len(without_empty_end(values)) <= len(header) <= len(values):
                table.append(Cells(begins, dict(zip(header, values, strict=False))))
            else:
                width = plural(len(values), "cell")
                fault = because(Why.WRONG_WIDTH, cells=width, columns=len(header))
                table.append(Cells(begins, {}, fault))
    except csv.Error as error:
        raise refused(f"it is not CSV: {error}", f"line {max(reader.line_num, 1)}") from None
    return table


def with_decimal_point(value: str) -> str:
    """Return a number that has a comma with a point."""
    return re.sub(r"\A(-?[0-9]+),([0-9]+)\Z", r"\1.\2", value)


def find_separator(line: str, origin: RowSource) -> str:
    """Return what divides the names of columns: the sign by which most names are known; a quoted name may have any."""
    known = _OUR_COLUMNS.union(name.lower() for name in origin.settings.columns.values())

    def rank(separator: str) -> tuple[int, int]:
        with suppress(csv.Error):
            names = next(csv.reader([line], delimiter=separator), [])
            return sum(name.strip().lower() in known for name in names), len(names)
        return 0, 0

    return max(",;\t", key=rank)


def without_empty_end(values: list[str]) -> list[str]:
    """Return the cells up to the last that is filled in: spreadsheets append empty ones."""
    width = len(values)
    while width and not values[width - 1].strip():
        width -= 1
    return values[:width]


def read_header(cells: list[str], origin: RowSource) -> list[str]:
    """Return the names of the columns; ours in lower case, whatever the file writes. Raises: ReadError."""
    header = []
    for cell in without_empty_end(cells):
        name = cell.strip()
        header.append(name.lower() if name.lower() in _OUR_COLUMNS else name)
    for ours, theirs in origin.settings.columns.items():
        if theirs not in header:
            where = f"{ours} is in the column '{theirs}', which is not there"
            raise refused(f"the settings say that {where}", "line 1")
    for name, count in Counter(header).items():
        if name and count > 1:
            raise refused(f"the column '{name}' appears twice", "line 1")
    if not {*KEYS, *COMMITS} & {*header, *origin.settings.columns, *origin.defaults}:
        raise refused(f"no column says which run a row is about ({', '.join(KEYS)})", "line 1")
    return header


def cells_of_lines(text: str, origin: RowSource) -> list[Cells]:
    """Return the rows of JSON Lines. Raises: ReadError."""
    table = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            table.append(cells_of_value(None, parse_json(line, number), number, origin))
    return table


def parse_json(text: str, line: int = 1) -> object:
    """Return a JSON document that begins in this line. Raises: ReadError."""
    try:
        return json.loads(text, object_pairs_hook=unique_keys)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno + line - 1}, column {error.colno}"
        raise refused(f"it is not JSON: {error.msg[:1].lower()}{error.msg[1:]}", place) from None
    except ValueError as error:
        raise refused(str(error).partition(";")[0]) from None


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object. Raises: ReadError where a key appears twice."""
    values = dict(pairs)
    if len(values) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key, count in counts.items() if count > 1)
        raise refused(f"the key '{twice[:40]}' appears twice in one object")
    return values


_BETWEEN = re.compile(r"[ \t\r\n,:]*+")
_DECODER = json.JSONDecoder()
_Place = tuple[str | int, ...]


def find_lines(text: str) -> dict[_Place, int]:
    """Return the lines of a JSON text in which it, what it holds, and what its `outcomes` hold begin."""
    lines: dict[_Place, int] = {}
    waiting: list[tuple[_Place, int]] = [((), next_value(text, 0))]
    for place, start in waiting:
        line = lines.setdefault(place, text.count("\n", 0, start) + 1)
        counted = start
        for number, (key, position) in enumerate(find_members(text, start)):
            line += text.count("\n", counted, position)
            counted = position
            member = (*place, number if key is None else key)
            lines[member] = line
            if member == ("outcomes",):
                waiting.append((member, position))
    return lines


def find_members(text: str, start: int) -> Iterator[tuple[str | None, int]]:
    """Yield what a list or an object holds, as key and where the value begins; in a list the key is None."""
    position = next_value(text, start + 1)
    key = None
    while text[start] in "[{" and text[position] not in "]}":
        if text[start] == "{":
            key, position = _DECODER.raw_decode(text, position)
            position = next_value(text, position)
        _, end = _DECODER.raw_decode(text, position)
        yield key, position
        position = next_value(text, end)


def next_value(text: str, position: int) -> int:
    """Return where the next value, or the end of a list or an object, stands in a valid JSON text."""
    between = _BETWEEN.match(text, position)
    return between.end() if between else position


def parse_yaml(text: str) -> tuple[object, dict[_Place, int]]:
    """Return a YAML document, and the lines in which its values begin. Raises: ReadError."""
    if len(text) > MAX_YAML_CHARACTERS:
        raise refused("it is larger than 1 MB, and YAML is slow to read: write it as CSV or JSON")
    try:
        document, places = read_yaml(text)
    except YamlFault as yaml_fault:
        line, column, reason = yaml_fault.fault
        raise refused(reason, f"line {line + 1}, column {column + 1}") from None
    return document, {place: line + 1 for place, (line, _) in places.items()}


def cells_of_junit(data: bytes, origin: RowSource) -> list[Cells]:
    """Return the row of a file of JUnit XML, which names no run itself. Raises: ReadError."""
    if not origin.runs and origin.defaults.keys().isdisjoint(KEYS):
        raise refused(
            "JUnit XML names no run: add `beside: true`, or a `pattern` that names the task"
        )
    return [Cells(1, read_junit(data), is_measurement=True)]


def cells_of_document(document: Any, lines: Mapping[_Place, int], origin: RowSource) -> list[Cells]:
    """Return the rows of JSON or YAML, which begin in these lines. Raises: ReadError."""
    if origin.runs or is_one_row(document, origin):
        if not isinstance(document, dict):
            raise refused("a sidecar is one object, such as {outcome: pass}")
        values = {str(key): value for key, value in document.items()}
        return [Cells(lines.get((), 1), values, is_measurement=True)]
    top: _Place = ()
    if has_outcomes(document):
        document = document["outcomes"]
        top = ("outcomes",)
    if isinstance(document, list):
        members: list[tuple[Any, str | None, object]] = [
            (number, None, value) for number, value in enumerate(document)
        ]
    elif isinstance(document, dict):
        members = [(str(key), str(key), value) for key, value in document.items()]
    else:
        raise refused(_SHAPES)
    return [
        cells_of_value(key, value, lines.get((*top, place)), origin)
        for place, key, value in members
    ]


def has_outcomes(document: Any) -> bool:
    """Return whether the rows of a document are in its key `outcomes`."""
    return isinstance(document, dict) and isinstance(document.get("outcomes"), list | dict)


def is_one_row(document: object, origin: RowSource) -> bool:
    """Return whether a file holds one object that says what it is about, or whose path does."""
    if not isinstance(document, dict) or has_outcomes(document):
        return False
    columns: Mapping[Any, str] = origin.settings.columns
    for name in (*KEYS, *COMMITS):
        value: object = document
        for part in columns.get(name, name).split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if isinstance(value, str | int) and not isinstance(value, bool):
            return True
    return not origin.defaults.keys().isdisjoint(KEYS)


def cells_of_value(key: str | None, value: object, line: int | None, origin: RowSource) -> Cells:
    """Return a row; its key in the table, if any, may be a page id, a path or a uuid."""
    if not isinstance(value, dict):
        return Cells(line, {}, _NO_OBJECT)
    values = {str(name): inner for name, inner in value.items()}
    columns: Mapping[Any, str] = origin.settings.columns
    names_run = any(values.get(columns.get(name, name)) for name in (*KEYS, *COMMITS))
    if key is not None and not names_run:
        is_hash = is_commit(key) and len(key) != 32
        values |= dict.fromkeys(("commit",) if is_hash else ("id", "path", "uuid"), key)
    return Cells(line, values)
