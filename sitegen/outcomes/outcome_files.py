"""Tables of outcomes: CSV, JSON and YAML, each row with the line it begins in.

A text that is not CSV, JSON or YAML is refused whole: nobody knows where its rows begin, and half of a table of
outcomes gives a success rate that nobody can check. A row of another shape costs only itself. Keys that stand twice
are refused in all three, since one of the two values would be lost without a word.
"""

import csv
import io
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from sitegen.errors import ReadError
from sitegen.figures import plural
from sitegen.inputs.discover import unpacked
from sitegen.model import Outcome, Problem, Score
from sitegen.outcomes.outcome_rows import (
    COLUMNS,
    COMMITS,
    KEYS,
    MAX_TEXT,
    Cells,
    Row,
    RowSource,
    finite,
    is_commit,
    rows,
)
from sitegen.readers.harness.terminal_bench import attempt_of, is_trial, outcome_of
from sitegen.readers.kinds import (
    is_gso,
    is_swebench,
    is_swebench_flat,
    is_swebench_instances,
    is_swebench_pro,
    verdicts_by_id,
)
from sitegen.text import times
from sitegen.text.yaml_text import YamlFault, read_yaml

# Reports of benchmarks, read as outcomes: which tasks were solved, as the benchmark's own program says.
# Each is known by its content, because they are all called `report.json` or `results.json`. A report speaks of tasks;
# which model and attempt it is about stands, if anywhere, in its path. Sources: the report files of SWE-bench (schema
# version 2), GSO and terminal-bench 1, compared with published ones.

Document = Mapping[str, Any]


# The verdict of a report on one attempt at a task.
_verdict = partial(Row, "", None, is_report=True)


def report_rows(document: object, text: str, origin: RowSource) -> list[Row] | None:
    """Return the rows of a report; None when the document is none that we know. `text` is what it was read from."""
    if not isinstance(document, dict):
        return None
    if is_swebench_flat(document):
        document = {Path(origin.source.place).parent.name: document}
    verdicts = next(
        (list(read_as(document)) for is_one, read_as in _KINDS if is_one(document)), None
    )
    if verdicts is None:
        return None
    lines = _first_lines(text, {verdict.task for verdict in verdicts if verdict.task})
    stated = {"campaign": origin.settings.campaign, "model": origin.settings.model}
    about: dict[str, Any] = {name: origin.clean(text) for name, text in stated.items() if text}
    about |= {"file": origin.file, "given": origin.source.input, "is_found": origin.is_found}
    about["model_hints"] = tuple(map(origin.clean, _names_in(Path(origin.source.place))))
    return [
        replace(
            verdict,
            line=lines.get(task),
            task=origin.clean(task),
            attempt=origin.settings.attempt if verdict.attempt is None else verdict.attempt,
            below=_below(origin.source.place, task) if origin.is_found else (),
            **about,
        )
        for verdict in verdicts
        if (task := verdict.task or "").strip() and len(task) <= MAX_TEXT
    ]


# Folders whose reports are about runs beside them.
_ASIDE = re.compile(r"results|reports|logs|evaluation.*", re.IGNORECASE)
# The folder of a model in which SWE-bench's own program writes its reports, within that of the runs.
_OF_HARNESS = re.compile(r"(.+?)(?:/logs)?/run_evaluation/[^/]+/[^/]+")


def _below(location: str, task: str) -> tuple[str, ...]:
    """Return the folders below which a report that lies there is about the runs of a task, each with a slash at its
    end."""
    folder = Path(os.path.abspath(location)).parent  # noqa: PTH100  keeps links
    folder = folder.parent if folder.name == task else folder
    folders = (folder, folder.parent) if _ASIDE.fullmatch(folder.name) else (folder,)
    if of_harness := _OF_HARNESS.fullmatch(folder.as_posix()):
        folders = (folder, Path(of_harness[1]))
    return tuple(os.path.join(each, "") for each in folders)  # noqa: PTH118  a path has no slash at its end


_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*+)"')


def _first_lines(text: str, wanted: set[str]) -> dict[str, int]:
    """Return the line in which each of the wanted strings first stands in a JSON text."""
    lines: dict[str, int] = {}
    line = 1
    counted = 0
    for string in _STRING.finditer(text):
        if string[1] in wanted and string[1] not in lines:
            line = line + text.count("\n", counted, string.start())
            counted = string.start()
            lines[string[1]] = line
    return lines


# A dot, but not that of a version, as in `opus-4.5`.
_BETWEEN_WORDS = re.compile(r"\.(?![0-9])|(?<![0-9])\.")


def _names_in(location: Path) -> Iterator[str]:
    """Yield what may be the name of a model in the path of a report: `<model>.<run>.json`,
    `<model>/<task>/report.json`."""
    yield location.stem
    if dot := _BETWEEN_WORDS.search(location.stem):
        yield location.stem[: dot.start()]
    yield from (folder.name for folder in list(location.parents)[:2])


def _ids(values: Document, name: str) -> list[str]:
    """Return a list of task names; whatever else it holds is left out."""
    found = values.get(name)
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _by_lists(values: Document, *lists: tuple[Outcome, str]) -> dict[str, Outcome]:
    """Return the outcome of each task by the first list that holds it; the names of lists are divided by spaces."""
    outcomes: dict[str, Outcome] = {}
    for outcome, names in lists:
        for task in (task for name in names.split() for task in _ids(values, name)):
            outcomes.setdefault(task, outcome)
    return outcomes


def _swebench(document: Document) -> Iterator[Row]:
    """Yield a run report, of today or of 2024.

    An empty patch is a failure, a failed evaluation nobody's; what is not evaluated has no outcome.
    """
    outcomes = _by_lists(
        document,
        (Outcome.PASS, "resolved_ids resolved"),
        (Outcome.FAIL, "unresolved_ids empty_patch_ids"),
        (Outcome.ERROR, "error_ids failed_ids install_fail reset_failed test_errored"),
        (Outcome.FAIL, "no_generation no_apply test_timeout applied"),
    )
    yield from (_verdict(task=task, outcome=outcome) for task, outcome in outcomes.items())


def _swebench_instances(document: Document) -> Iterator[Row]:
    """Yield the `report.json` of single instances."""
    for task, each in document.items():
        yield _verdict(task=task, outcome=Outcome.PASS if each["resolved"] else Outcome.FAIL)


def _swebench_pro(document: Document) -> Iterator[Row]:
    """Yield the verdicts of a report of SWE-bench Pro; an instance that has null was not evaluated."""
    for task, verdict in verdicts_by_id(document).items():
        if verdict is not None:
            yield _verdict(task=task, outcome=Outcome.PASS if verdict else Outcome.FAIL)


def _gso(document: Document) -> Iterator[Row]:
    """Passed is what GSO counts, as fast as the expert (Opt@1); correct and faster than before is a part of it.

    What GSO found to be a hack passes its tests and is a failure here, with a label.
    """
    sets: Document = document["instance_sets"]
    stats = document.get("opt_stats")
    hacked = set(_ids(sets, "hacked_ids"))
    outcomes = _by_lists(
        sets,
        (Outcome.FAIL, "hacked_ids"),
        (Outcome.PASS, "opt_commit_ids"),
        (Outcome.PARTIAL, "opt_base_ids"),
        (Outcome.ERROR, "error_ids base_failed_ids"),
        (Outcome.FAIL, "patch_failed_ids test_failed_ids empty_patch_ids passed_ids completed_ids"),
    )
    for task, outcome in outcomes.items():
        figures = stats.get(task) if isinstance(stats, dict) else None
        scores = tuple(_speedups(figures)) if isinstance(figures, dict) else ()
        yield _verdict(
            task=task, outcome=outcome, scores=scores, labels=("hacked",) if task in hacked else ()
        )


def _speedups(figures: Document) -> Iterator[Score]:
    """Geometric means over the tests of a task."""
    for name, key in (
        ("speedup", "gm_speedup_patch_base"),
        ("speedup over expert", "gm_speedup_patch_commit"),
    ):
        if (number := finite(figures.get(key))) is not None and number > 0:
            yield Score(name, number, "x", higher_is_better=True, is_ratio=True)


def _is_terminal_bench(document: Document) -> bool:
    return isinstance(document.get("results"), list) and (
        "n_resolved" in document or "resolved_ids" in document
    )


def _terminal_bench(document: Document) -> Iterator[Row]:
    """Yield the trials of a run, or the one that this is. One that was solved is solved, even if the agent's time was
    up; one that was not judged is an error."""
    for trial in document.get("results", [document]):
        if isinstance(trial, dict) and is_trial(trial):
            began = times.utc_text(trial.get("trial_started_at"))
            outcome = outcome_of(trial)
            attempt = attempt_of(trial)
            yield _verdict(
                task=trial["task_id"], outcome=outcome, attempt=attempt, started_at=began
            )


_KINDS: tuple[tuple[Callable[[Document], bool], Callable[[Document], Iterator[Row]]], ...] = (
    (is_swebench, _swebench),
    (_is_terminal_bench, _terminal_bench),
    (is_gso, _gso),
    (is_trial, _terminal_bench),
    (is_swebench_instances, _swebench_instances),
    (is_swebench_pro, _swebench_pro),
)


# YAML is read at a quarter of a megabyte a second; JSON and CSV have the limit of every file.
MAX_YAML_CHARACTERS = 1024 * 1024
_SHAPES = "expected a list of objects, {id: object}, {outcomes: [...]} or one object that names its run or its task"
_NO_OBJECT = "It is not an object."


def read(data: bytes, origin: RowSource) -> tuple[list[Row], list[Problem]]:
    """Return the rows of a file, and what is wrong with single ones; every exception becomes a ReadError, because one
    file must not stop a build.

    Raises: ReadError `E_OUTCOMES` when the file as a whole cannot be used.
    """
    try:
        return _read(data, origin)
    except (RecursionError, MemoryError):
        raise _refused("it is too large or nested too deeply") from None
    except Exception as error:
        if isinstance(error, ReadError):
            raise
        raise _refused(
            f"reading it failed with {type(error).__name__}; please report it"
        ) from error


def _read(data: bytes, origin: RowSource) -> tuple[list[Row], list[Problem]]:
    """Return the rows of a file, and what is wrong with single ones.

    The extension tells CSV, JSON and YAML apart, else the first character does; the content tells a report of a
    benchmark.
    """
    text = _text(data)
    if not text.strip():
        raise _refused("it is empty")
    kind = _kind(unpacked(origin.source.place), text)
    if kind == "csv":
        return _rows(_csv(text, origin), origin)
    if kind == "yaml":
        return _rows(_in_document(*_yaml(text), origin), origin)
    if kind == "jsonl":
        lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
        return _rows(
            [_cells(None, _json(line, number), number, origin) for number, line in lines], origin
        )
    document = _json(text)
    if not origin.runs and (found := report_rows(document, text, origin)) is not None:
        return found, []
    return _rows(_in_document(document, _places(text), origin), origin)


def table(data: bytes, origin: RowSource) -> list[Cells]:
    """Return the rows of a CSV file as they stand. Raises: ReadError."""
    return _csv(_text(data), origin)


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise _refused("it is not UTF-8 text", f"byte {error.start}") from None


def _rows(table: list[Cells], origin: RowSource) -> tuple[list[Row], list[Problem]]:
    if not table:
        raise _refused("it has no rows")
    if all(cells.fault == _NO_OBJECT for cells in table):
        raise _refused(_SHAPES, f"line {table[0].line}")
    return rows(table, origin)


def _refused(reason: str, place: str | None = None) -> ReadError:
    return ReadError("E_OUTCOMES", f"it cannot be used as a table of outcomes: {reason}", place)


def _kind(name: str, text: str) -> str:
    extension = name.rpartition(".")[2].lower()
    return _EXTENSIONS.get(extension) or ("json" if text.lstrip()[0] in "[{" else "csv")


_EXTENSIONS = {"csv": "csv", "tsv": "csv", "json": "json", "yaml": "yaml", "yml": "yaml"}
_EXTENSIONS |= dict.fromkeys(("jsonl", "ndjson"), "jsonl")


def _csv(text: str, origin: RowSource) -> list[Cells]:
    sign = _separator(text.partition("\n")[0], origin)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=sign)
    found: list[Cells] = []
    try:
        header = _header(next(reader), origin)
        line = reader.line_num
        for cells in reader:
            begins = line + 1
            line = reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            if sign == ";":  # as spreadsheets write where a comma is in numbers
                cells = [re.sub(r"\A(-?[0-9]+),([0-9]+)\Z", r"\1.\2", cell) for cell in cells]
            if len(_filled(cells)) <= len(header) <= len(cells):
                found.append(Cells(begins, dict(zip(header, cells, strict=False))))
            else:
                fault = f"It has {plural(len(cells), 'cell')} and the header has {len(header)}."
                found.append(Cells(begins, {}, fault))
    except csv.Error as error:
        raise _refused(f"it is not CSV: {error}", f"line {max(reader.line_num, 1)}") from None
    return found


def _separator(line: str, origin: RowSource) -> str:
    """Return what divides the names of columns: the sign by which most names are known; a quoted name may have any."""
    known = {
        *COLUMNS,
        *COMMITS,
        "agent",
        *(name.lower() for name in origin.settings.columns.values()),
    }

    def rank(sign: str) -> tuple[int, int]:
        with suppress(csv.Error):
            names = next(csv.reader([line], delimiter=sign), [])
            return sum(name.strip().lower() in known for name in names), len(names)
        return 0, 0

    return max(",;\t", key=rank)


def _filled(cells: list[str]) -> list[str]:
    """Return the cells up to the last that is filled in: spreadsheets append empty ones."""
    return cells[: max((number for number, cell in enumerate(cells, 1) if cell.strip()), default=0)]


def _header(names: list[str], origin: RowSource) -> list[str]:
    """Return the names of the columns; ours in lower case, whatever the file writes."""
    header = [name.strip() for name in _filled(names)]
    header = [
        name.lower() if name.lower() in (*COLUMNS, *COMMITS, "agent") else name for name in header
    ]
    for our, their in origin.settings.columns.items():
        if their not in header:
            raise _refused(
                f"the settings say that {our} is in the column '{their}', which is not there",
                "line 1",
            )
    twice = next(
        (name for number, name in enumerate(header) if name and name in header[:number]), None
    )
    if twice is not None:
        raise _refused(f"the column '{twice}' appears twice", "line 1")
    if not {*KEYS, *COMMITS} & {*header, *origin.settings.columns, *origin.said}:
        raise _refused(f"no column says which run a row is about ({', '.join(KEYS)})", "line 1")
    return header


def _json(text: str, line: int = 1) -> object:
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno + line - 1}, column {error.colno}"
        raise _refused(f"it is not JSON: {error.msg[:1].lower()}{error.msg[1:]}", place) from None
    except ValueError as error:
        raise _refused(str(error).partition(";")[0]) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = next(
            key[:40] for key, count in Counter(key for key, _ in pairs).items() if count > 1
        )
        raise _refused(f"the key '{twice}' appears twice in one object")
    return values


_BETWEEN = re.compile(r"[ \t\r\n,:]*+")
_DECODER = json.JSONDecoder()
_Place = tuple[str | int, ...]


def _places(text: str) -> dict[_Place, int]:
    """Return the lines of a JSON text in which it, what it holds, and what its `outcomes` hold begin."""
    lines: dict[_Place, int] = {}
    waiting: list[tuple[_Place, int]] = [((), _behind(text, 0))]
    for place, start in waiting:
        line = lines.setdefault(place, text.count("\n", 0, start) + 1)
        counted = start
        for number, (key, at, _) in enumerate(_members(text, start)):
            line, counted, own = (
                line + text.count("\n", counted, at),
                at,
                (*place, number if key is None else key),
            )
            lines[own] = line
            waiting += [(own, at)] if own == ("outcomes",) else []
    return lines


def _members(text: str, start: int) -> Iterator[tuple[str | None, int, object]]:
    """Yield what a list or an object holds, as (key, where the value begins, value); in a list the key is None."""
    at = _behind(text, start + 1)
    key = None
    while text[start] in "[{" and text[at] not in "]}":
        if text[start] == "{":
            key, at = _DECODER.raw_decode(text, at)
            at = _behind(text, at)
        value, end = _DECODER.raw_decode(text, at)
        yield key, at, value
        at = _behind(text, end)


def _behind(text: str, at: int) -> int:
    """Return where the next value, or the end of a list or an object, stands in a valid JSON text."""
    found = _BETWEEN.match(text, at)
    return found.end() if found else at


def _yaml(text: str) -> tuple[object, dict[_Place, int]]:
    if len(text) > MAX_YAML_CHARACTERS:
        raise _refused("it is larger than 1 MB, and YAML is slow to read: write it as CSV or JSON")
    try:
        document, places = read_yaml(text)
    except YamlFault as found:
        line, column, reason = found.fault
        raise _refused(reason, f"line {line + 1}, column {column + 1}") from None
    return document, {place: line + 1 for place, (line, _) in places.items()}


def _in_document(document: object, lines: Mapping[_Place, int], origin: RowSource) -> list[Cells]:
    """Return the rows of JSON or YAML, which begin in these lines."""
    if origin.runs or _is_row(document, origin):
        if not isinstance(document, dict):
            raise _refused("a sidecar is one object, such as {outcome: pass}")
        return [
            Cells(
                lines.get((), 1),
                {str(key): value for key, value in document.items()},
                is_measurement=True,
            )
        ]
    top: _Place = ()
    if isinstance(document, dict) and isinstance(document.get("outcomes"), list | dict):
        document = document["outcomes"]
        top = ("outcomes",)
    if isinstance(document, list):
        return [
            _cells(None, value, lines.get((*top, at)), origin) for at, value in enumerate(document)
        ]
    if isinstance(document, dict):
        return [
            _cells(str(key), value, lines.get((*top, str(key))), origin)
            for key, value in document.items()
        ]
    raise _refused(_SHAPES)


def _is_row(document: object, origin: RowSource) -> bool:
    """Return whether a file holds one object that says what it is about, or whose path does."""
    if not isinstance(document, dict) or isinstance(document.get("outcomes"), list | dict):
        return False
    columns: Mapping[Any, str] = origin.settings.columns
    for name in (*KEYS, *COMMITS):
        found: object = document
        for part in columns.get(name, name).split("."):
            found = found.get(part) if isinstance(found, dict) else None
        if isinstance(found, str | int) and not isinstance(found, bool):
            return True
    return bool({*KEYS} & {*origin.said})


def _cells(key: str | None, value: object, line: int | None, origin: RowSource) -> Cells:
    """Return a row; its key in the table, if any, may be a page id, a path or a uuid."""
    if not isinstance(value, dict):
        return Cells(line, {}, _NO_OBJECT)
    values = {str(name): inner for name, inner in value.items()}
    columns: Mapping[Any, str] = origin.settings.columns
    if key is not None and not any(
        values.get(columns.get(name, name)) for name in (*KEYS, *COMMITS)
    ):
        is_no_commit = not is_commit(key) or len(key) == 32
        values |= dict.fromkeys(("id", "path", "uuid") if is_no_commit else ("commit",), key)
    return Cells(line, values)
