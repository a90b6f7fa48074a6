"""Charts of the user: Vega-Lite files that the settings name, checked, filled with data of the site, and drawn.

A spec may draw what the site publishes and no more: it loads nothing, leads nowhere, asks nothing of the page and
evaluates only the expressions that this module knows. Whatever else stands in it is refused, with its place.
"""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sitegen.cache.memory import Memory, ValueKind
from sitegen.charts import converter
from sitegen.charts.axes import SLIM, WIDE, Row
from sitegen.charts.drawing import compact
from sitegen.charts.findings import clean
from sitegen.errors import ConfigError

DATA = ("runs", "models", "figures")  # the data sets that a spec can name

MAX_BYTES = 100_000
MAX_DRAWING_BYTES = 400_000
_MAX_DEPTH = 40
_MAX_PIXELS = 2000
_MAX_SECONDS = 20
_MAX_TICKS = 100
_MAX_IMPUTED = 10_000

_REFUSED = """url href usermeta customFormatTypes datasets sequence graticule sphere bind select selection signal
    signals on events update"""
"""Keys that a spec must not have anywhere: they load, lead, run code, react to readers, or are other data."""
_EXPRESSIONS = {"calculate", "expr", "filter", "labelExpr", "test", "and", "or", "not"}
"""Keys whose texts are evaluated."""
_CONSTANTS = (
    "datum value label index true false null undefined width height PI E LN2 LN10 SQRT2 NaN"
)
_FUNCTIONS = """abs ceil clamp exp floor log max min pow round sign sqrt isArray isBoolean isDate isFinite isNaN
    isNumber isString isValid toBoolean toDate toNumber toString parseFloat parseInt length lower upper trim substring
    slice indexof inrange if format timeFormat utcFormat year month date day hours minutes seconds utcyear utcmonth
    utcdate utcday utchours utcminutes datetime utc domain"""
_PLAIN = r"(?!(?:constructor|prototype|__proto__)\b)"
"""The beginning of a name that does not lead out of the data."""
_NAME = rf"{_PLAIN}[A-Za-z_$][\w$]*+"
_TEXT = rf"""(?:'{_PLAIN}[^'\\\n]*+'|"{_PLAIN}[^"\\\n]*+")"""
_NUMBER = r"(?:\d++\.?\d*+(?:[eE][+-]?\d++)?|\.\d++)"
_INNER = rf"(?:\s*\.\s*{_NAME}|\s*\[\s*(?:{_TEXT}|\d++)\s*\])*+"
"""Whatever is read from a value: computed names could lead anywhere."""
_TOKEN = re.compile(
    rf"""\s*+(?:(?:(?P<function>{_NAME})?\s*\(|,)(?:\s*\[)*+|(?:(?P<name>{_NAME})|{_TEXT}|{_NUMBER}|[])]){_INNER}(?!\s*[(.[])"""
    r"""|===|!==|==|!=|<=|>=|&&|\|\||[?:](?:\s*\[)*+|[-+*/%<>!])\s*+"""
)
"""A part of an expression: one value at most with what is read from it, which is never called."""
_NAMING = frozenset(
    ("field", "groupby", "fields", "fold", "flatten", "lookup", "density", "loess", "regression")
)
"""Keys whose texts name columns."""
_DATUM = re.compile(rf"\bdatum({_INNER})")


@dataclass(frozen=True, slots=True)
class OwnChart:
    """A chart of the user."""

    id: str
    title: str
    note: str
    description: str
    spec: Mapping[str, Any]
    wide_svg: str
    slim_svg: str
    remark: str | None  # a sentence about a doubt; None where there is none


_DRAWN = ValueKind[tuple[str, str]]("own drawing", tuple[str, str])


def own_chart(path: Path, data: Callable[[str], Iterable[Row]], memory: Memory) -> OwnChart:
    """Return the chart of a file; `data` gives the rows of a name, of which it gets the columns that the spec names.

    Raises: ConfigError for what is not a chart, or not one that can be shown.
    """
    from sitegen.charts.specs import config_of  # altair takes long to import

    spec = _read(path)
    nodes = list(_nodes(spec))
    named = [node.source for node in nodes]
    tables = {source: _columns(data(source)) for source in DATA if source in named}
    used, remark = _used_columns(path, nodes, tables)
    texts = {node.value for node in nodes if isinstance(node.value, str)}
    rows = {}
    for source in tables:  # once more, since all columns of many runs take much memory
        columns = used[source] | texts
        rows[source] = [_nested(row, columns) for row in data(source)]
    name = path.name.removesuffix(".json").removesuffix(".vl")
    text, note = _titles(spec.pop("title", None))
    title = text or name
    config = config_of(spec.pop("config", {}))
    filled = {
        **spec,
        "title": {"text": title, "subtitle": note},
        "config": config,
        "datasets": rows,
    }
    stamp = memory.stamp(filled)
    drawings = memory.recall(_DRAWN, path.name, stamp)
    if not drawings:
        wide_svg = _drawing(filled, WIDE, "chart-wide", path)
        drawings = wide_svg, _drawing(filled, SLIM, "chart-slim", path)
    memory.keep(_DRAWN, path.name, stamp, drawings)
    identifier = "own-" + re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    description = clean(str(spec.get("description", ""))) or title
    return OwnChart(identifier, title, note, description, filled, *drawings, remark)


def _columns(rows: Iterable[Row]) -> dict[str, bool]:
    """Return the columns of rows, each with whether it has any value."""
    columns: dict[str, bool] = {}
    for row in rows:
        for key, value in row.items():
            columns[key] = columns.get(key, False) or value is not None
    return columns


def _nested(row: Row, columns: Set[str]) -> Row:
    """Return these columns of a row. What a name parts by dots is nested, as Vega reads fields: `score.speedup`."""
    nested: Row = {}
    for key, value in row.items():
        if key not in columns or "__proto__" in key:
            continue
        *outer, last = key.split(".")
        inner = nested
        for part in outer:
            inner = inner.setdefault(part, {}) if isinstance(inner.get(part, {}), dict) else {}
        inner[last] = value
    return nested


def _used_columns(
    path: Path, nodes: Sequence[_Node], tables: Mapping[str, Mapping[str, bool]]
) -> tuple[Mapping[str, Set[str]], str | None]:
    """Return the columns that fields and expressions name, by data set, and what to say of those without any value.

    Raises: ConfigError for a field of which there is no column: its chart would be empty.
    """
    used = {source: set[str]() for source in tables}
    void: dict[str, str] = {}
    derived = _derived_columns(nodes, tables)
    is_open = any("pivot" in node.place for node in nodes)  # values become columns
    for node in nodes:
        source = node.source or ""
        table = tables.get(source)
        if not table:
            continue
        place = _written(node.place)
        for name, is_field in node.columns():
            columns = [column for column in table if _is_within(name, column)]
            used[source].update(columns)
            for column in columns:
                if not table[column]:
                    void[column] = f"{place}: {source} have no value of {column!r}"
            is_group = not is_field and any(_is_within(column, name) for column in table)
            is_derived = any(_is_within(name, column) for column in derived)
            if not (columns or is_open or is_group or is_derived):
                near = difflib.get_close_matches(name, table, n=1, cutoff=0.0)[0]
                problem = f"{source} have no column {clean(name)[:60]!r}: did you mean {near!r}?"
                raise ConfigError(f"{path}: {place}: {problem}")
    if not void:
        return used, None
    return used, f"{path}: {'; '.join(void.values())}; name a column that has values."


def _is_within(name: str, column: str) -> bool:
    """Return whether a name is that of a column, or of a part of its value."""
    return f"{name}.".startswith(f"{column}.")


def _derived_columns(nodes: Sequence[_Node], tables: Mapping[str, Mapping[str, bool]]) -> Set[str]:
    """Return the columns that a spec makes."""
    derived = {"key", "value", "density", "prob"}  # come unasked
    for node in nodes:
        if isinstance(node.value, str):
            name = _dotted(node.value)
            is_copied = node.key == "fields" and any(name in table for table in tables.values())
            if is_copied or node.key == "as":
                derived |= {name, f"{name}_end"}
    return derived


def _dotted(name: str) -> str:
    """Return the parts of a field as Vega reads them, joined by dots: `score.speedup`, `score['speed up']`."""
    plain = re.sub(r"""\s*\[\s*(?:'([^']*)'|"([^"]*)"|([^\]]*?))\s*\]""", r".\1\2\3", name)
    return re.sub(r"\s*\.\s*", ".", plain).strip(" .")


class _Node(NamedTuple):
    """A part of a spec."""

    place: tuple[str | int, ...]
    value: Any
    source: str | None  # the data set that is named here or above

    @property
    def key(self) -> str:
        """The last name in its place."""
        return next((part for part in reversed(self.place) if isinstance(part, str)), "")

    def columns(self) -> Iterator[tuple[str, bool]]:
        """Yield each name of a column in its text, and whether it is a field; else it is a part of an expression."""
        if not isinstance(self.value, str) or "config" in self.place:
            return
        is_named = self.key in _NAMING
        if "transform" in self.place and self.key in ("key", "quantile", "impute"):
            is_named = True
        if "repeat" in self.place and isinstance(self.place[-1], int):
            is_named = True
        if is_named and self.value != "*":
            yield _dotted(self.value), True
        elif self.key in _EXPRESSIONS:
            for match in _DATUM.finditer(self.value):
                if match[1]:
                    yield _dotted(match[1]), False


def _nodes(
    value: Any, place: tuple[str | int, ...] = (), source: str | None = None
) -> Iterator[_Node]:
    """Yield all parts of a spec, but for those of its data."""
    if isinstance(value, dict) and isinstance(value.get("data"), dict):
        source = value["data"].get("name")
    yield _Node(place, value, source)
    if len(place) > _MAX_DEPTH or place[-1:] == ("data",):
        return
    pairs: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, dict):
        pairs = value.items()
    elif isinstance(value, list):
        pairs = enumerate(value)
    for key, inner in pairs:
        yield from _nodes(inner, (*place, key), source)


def _drawing(spec: Mapping[str, Any], width: int, css_class: str, path: Path) -> str:
    """Raises: ConfigError."""
    padding = {"left": 0, "right": 4, "top": 8, "bottom": 4}
    config = {**spec["config"], "background": "transparent", "padding": padding}
    shown = {**spec, "title": None, "config": config}
    if "layer" in shown or "mark" in shown:
        asked = spec.get("width")
        shown["width"] = min(asked, width) if isinstance(asked, int | float) else width
        shown["autosize"] = {"type": "fit-x", "contains": "padding"}
    svg = converter.call("vegalite_to_svg", shown, seconds=_MAX_SECONDS, allowed_base_urls=[])
    drawing = compact(svg, css_class, ("font-size", "font-style", "opacity", "stroke-opacity"))
    if drawing is None:
        raise ConfigError(
            f"{path}: it cannot be drawn in {_MAX_SECONDS} seconds: see it in an editor of Vega-Lite."
        )
    if len(drawing) > MAX_DRAWING_BYTES:
        size = len(drawing) // 1000
        most = MAX_DRAWING_BYTES // 1000
        raise ConfigError(f"{path}: its drawing has {size:,} kB, more than {most}: aggregate rows.")
    return drawing


def _read(path: Path) -> dict[str, Any]:
    """Raises: ConfigError."""
    import altair as alt

    spec = _parsed(path)
    if not isinstance(spec, dict):
        raise ConfigError(f"{path}: this is not a chart: a spec of Vega-Lite is an object.")
    spec.pop("$schema", None)
    nodes = list(_nodes(spec))
    names = set(_CONSTANTS.split())
    for node in nodes:
        if node.place[::2] == ("params", "name") and isinstance(node.value, str):
            names.add(node.value)
    for node in nodes:
        if fault := _fault(node, names):
            raise ConfigError(f"{path}: {_written(node.place)}: {fault}.")
    try:
        alt.Chart.from_dict(spec)
    except Exception as error:  # of a schema, or of altair for what it does not know
        raise ConfigError(f"{path}: this is not Vega-Lite: {clean(str(error))[:200]}.") from None
    return spec


def _parsed(path: Path) -> Any:
    """Raises: ConfigError."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise ConfigError(
                f"{path}: more than {MAX_BYTES // 1000} kB: name data in place of writing it out."
            )
        value = json.loads(content.decode("utf-8-sig"))
        # Neither NaN nor halves of characters are JSON.
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}.") from None
    except json.JSONDecodeError as error:
        raise ConfigError(
            f"{path}:{error.lineno}:{error.colno}: this is not JSON: {error.msg}."
        ) from None
    except (UnicodeError, RecursionError, ValueError):
        raise ConfigError(
            f"{path}: this is not JSON in UTF-8: save it from an editor of Vega-Lite."
        ) from None
    return value


def _fault(node: _Node, names: Set[str]) -> str | None:
    """Return what is wrong with a part of a spec, without a full stop; expressions may use these names."""
    place, value, key = node.place, node.value, node.key
    if len(place) > _MAX_DEPTH:
        return "it lies too deep: write the chart more simply"
    if key == "data" and isinstance(value, dict):
        names_of_data = f"{', '.join(DATA[:-1])} or {DATA[-1]}"
        return None if _is_data(value) else f'name {names_of_data}, as in {{"name": "runs"}}'
    is_number = isinstance(value, int | float)
    if is_number and key in ("width", "height") and not 0 < value <= _MAX_PIXELS:
        return f"write a size from 1 to {_MAX_PIXELS} pixels"
    if is_number and key == "tickCount" and value > _MAX_TICKS:
        return f"write at most {_MAX_TICKS} ticks"
    if key == "keyvals" and isinstance(value, dict) and not _count_of_steps(value) <= _MAX_IMPUTED:
        return f"impute at most {_MAX_IMPUTED:,} rows"
    is_refused = bool(place) and place[-1] in _REFUSED.split()
    if isinstance(value, str):
        unknown = _unknown_in(value, names) if key in _EXPRESSIONS else None
        if unknown:
            return f"{unknown!r} is not allowed in an expression: see docs/charts.md"
        is_refused |= _is_refused_text(place, key, value)
    return "this is not allowed in a chart: see docs/charts.md" if is_refused else None


def _is_refused_text(place: tuple[str | int, ...], key: str, text: str) -> bool:
    is_mark = key == "mark" or place[-2:] == ("mark", "type")
    if key == "formatType" and text not in ("number", "time", "utc"):
        return True
    has_address = re.search(r"url\s*\(", text, re.IGNORECASE) is not None
    return has_address or (is_mark and text == "image")


def _count_of_steps(sequence: Mapping[str, Any]) -> float:
    """Return how many numbers a sequence has; infinity where it has no end."""
    start, stop, step = sequence.get("start", 0), sequence.get("stop"), sequence.get("step", 1)
    for number in (start, stop, step):
        if not isinstance(number, int | float):
            return math.inf
    return math.inf if step == 0 else float(abs(stop - start) / abs(step))


def _is_data(value: Mapping[str, Any]) -> bool:
    """Return whether it names data of the site, or has a few flat rows of its own."""
    if set(value) == {"name"}:
        return value["name"] in DATA
    rows = value.get("values")
    if set(value) != {"values"} or not isinstance(rows, list):
        return False
    cells: list[Any] = []
    for row in rows:
        cells += row.values() if isinstance(row, dict) else [row]
    return not any(isinstance(cell, dict | list) for cell in cells)


def _unknown_in(expression: str, names: Set[str]) -> str | None:
    """Return the rest of an expression from the first part that it must not have."""
    position = 0
    text = f"({expression}"
    while position < len(text):
        token = _TOKEN.match(text, position)
        if (
            not token
            or token["name"] not in (None, *names)
            or token["function"] not in (None, *_FUNCTIONS.split())
        ):
            return text[position : position + 20].strip()
        position = token.end()
    return None


def _titles(title: Any) -> tuple[str, str]:
    """Return the title of a spec and its subtitle, as lines."""
    if isinstance(title, dict):
        return _as_line(title.get("text")), _as_line(title.get("subtitle"))
    return _as_line(title), ""


def _as_line(text: Any) -> str:
    lines = text if isinstance(text, list) else [text]
    return clean(" ".join(line for line in lines if isinstance(line, str)))


def _written(place: tuple[str | int, ...]) -> str:
    """Return a place in a spec: `layer[0].encoding.x`."""
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return f"`{clean(text.removeprefix('.'))[:120]}`"
