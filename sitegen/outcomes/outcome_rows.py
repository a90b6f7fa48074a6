"""The meaning of a cell of an outcomes file.

The tables are closed: a word that is not in them is a problem, because `resolved?` or `0.5` taken for a pass would be
a false figure on every page. A row whose key cannot be read is dropped whole, since with one key less it might fit
another run; any other cell is dropped alone.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from sitegen.config import Outcomes
from sitegen.figures import plural
from sitegen.masking.redact import Redactor
from sitegen.model import Entry, Outcome, Problem, Score, Source, T, Verdict, by_key, frozen
from sitegen.system.bounds import known_number
from sitegen.text import names

NAMES = ("id", "path", "uuid", "session")
"""Columns that name one run."""
COMMITS = (
    "commit human_commit_full human_commit commit_full full_commit commit_hash commit_sha "
    "commit_short"
).split()
"""The names of the commit of a task in files; the first counts."""
KEYS = (*NAMES, "task", "commit")
"""Columns that say which run a row is about."""
COLUMNS = (
    *KEYS,
    "campaign",
    "model",
    "attempt",
    "outcome",
    "claimed",
    "note",
    "labels",
    "started_at",
)
"""Columns that are not scores."""
MAX_TEXT = 500
MAX_LOG = 10_000
MAX_LABELS = 50
MAX_LISTED = 100  # problems of one kind in one file; the rest are counted

_WORDS = {
    Outcome.PASS: "pass passed success succeeded successful resolved solved correct ok true yes 1 1.0",
    Outcome.FAIL: "fail failed failure unresolved unsolved incorrect wrong false no 0 0.0",
    Outcome.PARTIAL: "partial partially partly",
    Outcome.ERROR: "error errored infra infra_error infra_failure infrastructure infrastructure_error "
    "infrastructure_failure",
}
_OUTCOMES = {word: outcome for outcome, words in _WORDS.items() for word in words.split()}
_CLAIMED = frozenset({"true", "yes", "done", "1"})
_NOT_CLAIMED = frozenset({"false", "no", "not done", "0"})
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_NOT_KNOWN = frozenset({"", "-", "n/a", "na", "nan", "none", "null"})


@frozen
class RowSource:
    """The origin of rows."""

    file: str
    source: Source
    clean: Redactor
    meanings: Mapping[str, Score] = field(default_factory=dict)
    """Unit and direction of scores, by name."""
    settings: Outcomes = Outcomes.model_validate({"path": "."})
    runs: tuple[str, ...] = ()
    """The page ids of the runs that a sidecar lies beside."""
    is_found: bool = False
    """Whether nobody named it: it lies among the inputs, and is known by its content."""
    columns: Set[str] = frozenset()
    """Names of columns that the settings use besides."""
    said: Mapping[str, str | int] = field(default_factory=dict)
    """The values from its path and the settings for rows that do not have them."""

    def problem(self, code: str, line: int | None, reason: str) -> Problem:
        """Return a problem with one line of the file."""
        return Problem(
            self.file,
            code,
            Verdict.SKIP,
            self.clean(reason),
            None if line is None else f"line {line}",
        )


@frozen
class Row:
    """The statements of one place in a file about a run, and which run it is."""

    file: str
    line: int | None
    id: str | None = None
    path: str | None = None
    location: str | None = None
    """The meaning of `path`, seen from the folder of the file; appears nowhere."""
    uuid: str | None = None
    session: str | None = None
    campaign: str | None = None
    task: str | None = None
    commit: str | None = None
    """The commit of a measurement: 7 to 40 digits of the commit that its task is about."""
    reference: str | None = None
    """The reference that it measures in place of a run, which runs of the task are compared with."""
    model: str | None = None
    attempt: int | None = None
    outcome: Outcome | None = None
    claimed: bool | None = None
    note: str | None = None
    scores: tuple[Score, ...] = ()
    labels: tuple[str, ...] = ()
    stated: tuple[tuple[str, str], ...] = ()
    untested: tuple[str, ...] = ()  # columns that its file has and that are empty for it
    started_at: str | None = None
    runs: tuple[str, ...] = ()
    model_hints: tuple[str, ...] = ()
    """Names, one of which may be that of its model: those in the path of a report, or in a measurement."""
    served: str = ""
    """The model that the file of a measurement names: mostly the one that was served."""
    is_report: bool = False
    """Whether it stands in a report about a whole benchmark, of which only some tasks need have been run."""
    is_measurement: bool = False
    """Whether its file holds nothing else."""
    is_found: bool = False
    below: tuple[str, ...] = ()
    """The folders whose runs a report that nobody named is about; the first with such a run counts."""
    given: int = 0
    """The number of the item of the settings that names a report or a measurement, from 0."""

    @property
    def names_run(self) -> bool:
        """Whether it says which run it is about: then campaign, task, model and attempt are statements and no keys."""
        return bool(self.runs or self.id or self.path or self.uuid or self.session)

    def problem(self, code: str, reason: str, entry: Entry | None = None) -> Problem:
        """Return a problem with it: what it says of a run that is shown, or, without one, why it counts for nothing."""
        verdict = Verdict.ACCEPT if entry else Verdict.SKIP
        place = None if self.line is None else f"line {self.line}"
        return Problem(self.file, code, verdict, reason, place, entry.id if entry else None)

    def of_task(self) -> "Row":
        """Return the same as it is about all runs of its task."""
        return replace(self, model=None, model_hints=(), attempt=None, stated=())

    @property
    def is_summed_up(self) -> bool:
        """Whether one line tells of all like it that match no run: of a report or a measurement there may be hundreds,
        for tasks that nobody ran. Rows of a table are reported one by one."""
        return self.is_report or (self.is_measurement and self.commit is not None)

    @property
    def is_labels_only(self) -> bool:
        """Whether it may be said of several runs at once."""
        stated = self.names_run and (
            self.campaign or self.task or self.model or self.attempt is not None
        )
        return bool(self.labels) and not (self.outcome or self.scores or self.started_at or stated)


@frozen
class Cells:
    """A row as its file has it."""

    line: int | None
    values: Mapping[str, object]
    fault: str | None = None
    """The reason why it cannot be read as a row, as a sentence; it then has no values."""
    is_measurement: bool = False
    """Whether its file holds nothing else."""


@frozen
class OutcomeTable:
    """Everything that was stated about runs."""

    rows: tuple[Row, ...]
    """The rows by rank: those of sidecars first, then the files in the order of the settings, each in its own order."""
    problems: tuple[Problem, ...]

    @property
    def columns(self) -> set[str | None]:
        """The references, and the columns that are no scores and that any row fills in, whether it matches a run or
        not."""
        references = {row.reference for row in self.rows}
        return references.union(name for row in self.rows for name, _ in row.stated)


class _Bad(Exception):  # noqa: N818  a fault of a cell: what is wrong with it
    pass


def rows(table: Sequence[Cells], origin: RowSource) -> tuple[list[Row], list[Problem]]:
    """Return the rows of a table, and what is wrong with it.

    A column that we do not know is a score when at least half of its cells that say something are numbers; else it
    is text for people and ignored.
    """
    found: list[Row] = []
    problems: list[Problem] = []
    table = [replace(cells, values=_renamed(cells, origin)) for cells in table]
    if verdicts := _verdict_column(table, origin):
        ours = {verdicts: "outcome"}
        table = [
            replace(row, values={ours.get(key, key): cell for key, cell in row.values.items()})
            for row in table
        ]
    scores = _score_columns(table, origin)
    is_object = bool(origin.settings.scores) and len(table) == 1  # it may have no figures
    if (
        table
        and not origin.runs
        and not is_object
        and not _says_something(table, scores | origin.columns)
    ):
        return [], [origin.problem("E_OUTCOMES", None, _SAYS_NOTHING)]
    for cells in table:
        faults = [f"{cells.fault} The row is skipped."] if cells.fault else []
        row = None if cells.fault else _row(cells, scores, origin, faults)
        if row is not None:
            found.append(row)
        problems += (origin.problem("W_OUTCOME_ROW", cells.line, fault) for fault in faults)
    return found, problems


_SAYS_NOTHING = (
    "It says nothing about any run: it has no outcome, no labels, no started_at and no score. "
    "If its columns have other names, list them in the settings, under columns."
)


def _says_something(table: Sequence[Cells], scores: frozenset[str]) -> bool:
    """Return whether a table has a column that states something of a run; the cells of it may still be empty."""
    names = {name for cells in table for name in cells.values}
    stated = {"campaign", "task", "model", "attempt"} if names & {*NAMES} else {"commit"}
    return not names or bool(
        names & {*scores, "outcome", "claimed", "labels", "started_at", "scores", *stated}
    )


def listed(problems: Iterable[Problem]) -> Iterator[Problem]:
    """Yield the problems, but of each kind no more than the first MAX_LISTED lines of a file; the rest are counted."""
    for found in by_key(problems, lambda problem: (problem.path, problem.code)).values():
        found.sort(key=lambda problem: problem.line)
        yield from found[:MAX_LISTED]
        if left := found[MAX_LISTED:]:
            reason = f"And {plural(len(left), 'more problem')} more of this kind."
            yield replace(left[0], reason=reason, page_id=None)


def _flat(values: Mapping[str, object], deep: int = 6) -> dict[str, object]:
    """Return the values with those within objects under dotted names, such as `metrics.ttft_mean_ms`."""
    found: dict[str, object] = {}
    for name, value in values.items():
        found[name] = value
        if isinstance(value, Mapping) and name != "scores" and deep:
            found |= {f"{name}.{inner}": each for inner, each in _flat(value, deep - 1).items()}
    return {**found, **values}


def _renamed(cells: Cells, origin: RowSource) -> Mapping[str, object]:
    """Return the values under our names of columns, with what is said of a row that does not say it."""
    values = _flat(cells.values)
    columns = origin.settings.columns
    theirs: dict[str, str] = {their: our for our, their in columns.items()}
    found = {
        theirs.get(name, name): value
        for name, value in values.items()
        if name in theirs or name not in columns
    }
    for name, meaning in origin.settings.scores.items():
        if named := next((each for each in meaning.columns if _is_filled(values.get(each))), None):
            found[name] = values[named]
    if "commit" not in columns and (
        named := next((each for each in COMMITS if is_commit(found.get(each))), None)
    ):
        found["commit"] = found[named]
    if origin.runs or any(_is_filled(found.get(name)) for name in NAMES):
        return found
    if cells.is_measurement and "model" not in columns and _names_served(found, origin):
        found[_SERVED] = found.pop("model", None)
    return {
        **found,
        **{name: value for name, value in origin.said.items() if not _is_filled(found.get(name))},
    }


# The column of the model that was measured.
_SERVED = "model (served)"
_NAMED_BY_PATTERN = frozenset({*KEYS, "agent", "model"})


def _names_served(values: Mapping[str, object], origin: RowSource) -> bool:
    """Return whether the `model` of a measurement is the one that was served: its run is named by its path, or by a
    commit beside figures. In a table the column is the model of the run."""
    if origin.settings.pattern and not _NAMED_BY_PATTERN.isdisjoint(origin.said):
        return True
    return (
        bool(origin.settings.scores)
        and is_commit(values.get("commit"))
        and not _is_filled(values.get("task"))
    )


def is_commit(value: object) -> bool:
    """Return whether a cell is a commit, in full or its first digits."""
    return isinstance(value, str) and re.fullmatch("[0-9a-fA-F]{7,40}", value) is not None


def _score_columns(table: Sequence[Cells], origin: RowSource) -> frozenset[str]:
    declared = origin.settings.scores
    if origin.runs or (declared and any(is_commit(cells.values.get("commit")) for cells in table)):
        return frozenset(
            declared
        )  # a sidecar or a measurement may hold anything, so its scores are named
    cells = [cell for each in table for cell in each.values.items()]
    nested = tuple({f"{name}." for name, value in cells if isinstance(value, Mapping)})
    own = ((name, value) for name, value in cells if name not in (*COLUMNS, "scores"))
    filled = [(name, value) for name, value in own if _is_filled(value) and not _is_nested(value)]
    counts = Counter(name for name, _ in filled)
    numbers = Counter(name for name, value in filled if _is_number(value))
    mostly = {
        name
        for name, count in counts.items()
        if numbers[name] * 2 >= count and not name.startswith(nested)
    }
    return frozenset(mostly | (counts.keys() & declared.keys()))


_VERDICTS = "passed resolved solved success correct verdict".split()


def _verdict_column(table: Sequence[Cells], origin: RowSource) -> str | None:
    """Return the only column that can hold the outcomes of a table without such a column: all its cells are words of
    outcomes. A measurement that succeeded is not a verdict, nor is what a sidecar states of its program."""
    named = [
        (name, value)
        for cells in table
        for name, value in cells.values.items()
        if _is_filled(value)
    ]
    if origin.runs or any(
        name == "outcome" or (name == "commit" and is_commit(value)) for name, value in named
    ):
        return None
    used = {*origin.settings.columns, *origin.settings.scores, *origin.columns}
    known = {
        name for name, _ in named if name.casefold() in _VERDICTS and not {name, "outcome"} & used
    }
    found = [
        each for each in known if all(outcome_of(value) for name, value in named if name == each)
    ]
    return found[0] if len(found) == 1 else None


def _is_filled(value: object) -> bool:
    return value is not None and not (
        isinstance(value, str) and value.strip().casefold() in _NOT_KNOWN
    )


def _is_number(value: object) -> bool:
    if isinstance(value, str):
        return bool(_NUMBER.fullmatch(value.strip()))
    return isinstance(value, int | float) and not isinstance(value, bool)


def _row(
    cells: Cells, score_columns: frozenset[str], origin: RowSource, faults: list[str]
) -> Row | None:
    """Return a row; None when its keys cannot be used. Adds to `faults` what is wrong with it."""
    values = cells.values
    clean = origin.clean
    try:
        keys: dict[str, Any] = {
            name: _text(name, values.get(name), clean) for name in (*KEYS, "campaign", "model")
        }
        attempt = _attempt(values.get("attempt"))
        served = _text("model", values.get(_SERVED), clean) or ""
    except _Bad as bad:
        faults.append(f"{bad} The row is skipped.")
        return None
    if not origin.runs and not any(keys[name] for name in KEYS):
        if any(map(_is_filled, values.values())):
            faults.append(f"It names no run: fill in {', '.join(KEYS[:-1])} or {KEYS[-1]}.")
        return None
    path = values.get("path")
    folder = os.path.dirname(os.path.abspath(origin.source.location))  # noqa: PTH100, PTH120  never fail
    return Row(
        origin.file,
        cells.line,
        **{name: keys[name] for name in (*NAMES, "campaign", "task", "model")},
        commit=commit.lower() if (commit := keys["commit"]) and is_commit(commit) else None,
        reference=origin.settings.reference,
        # A pattern names the run, so that nothing else selects it.
        model_hints=() if origin.settings.pattern or not served else (served,),
        served=served,
        given=origin.source.input,
        location=os.path.normpath(Path(folder, str(path))) if keys["path"] else None,
        attempt=attempt,
        outcome=_tried(_outcome, values.get("outcome"), faults),
        claimed=_tried(_claim, values.get("claimed"), faults),
        note=_note(values.get("note"), clean),
        scores=tuple(_scores(values, score_columns, origin, faults)),
        labels=_tried(lambda value: _labels(value, clean), values.get("labels"), faults) or (),
        stated=tuple(_stated(values, origin)),
        untested=_untested(values, origin),
        started_at=_tried(_moment, values.get("started_at"), faults),
        runs=origin.runs,
        is_measurement=cells.is_measurement,
    )


def _untested(values: Mapping[str, object], origin: RowSource) -> tuple[str, ...]:
    """Return the columns of verdicts and scores that are empty: their test did not work."""
    used = sorted({*origin.columns, *origin.meanings} & values.keys())
    return tuple(name for name in used if not _is_filled(values[name]))


def _text(name: str, value: object, clean: Callable[[str], str]) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise _Bad(f"{name} is not text.")
    text = " ".join(clean(str(value)).split())
    if len(text) > MAX_TEXT:
        raise _Bad(f"{name} is longer than {MAX_TEXT} characters.")
    return text or None


def _note(value: object, clean: Callable[[str], str]) -> str | None:
    """Return a note for people: it is cut where it is too long, and left out where it is not text."""
    text = " ".join(clean(_GUARD.sub("", value)).split()) if isinstance(value, str) else ""
    return (f"{text[: MAX_TEXT - 1]}…" if len(text) > MAX_TEXT else text) or None


def _stated(values: Mapping[str, object], origin: RowSource) -> Iterator[tuple[str, str]]:
    """Yield what columns say that `COLUMNS` does not list, or the settings use besides; the settings tell what they
    mean."""
    others = {*COLUMNS, *COMMITS, _SERVED, "scores"} - origin.columns
    for name, value in values.items():
        if name not in others and not _is_nested(value) and _is_filled(value):
            whole = str(value)
            is_log = len(whole) > MAX_LOG  # nobody reads it here, and masking takes its time
            text = (
                f"{len(whole):,} characters"
                if is_log
                else _note(whole, partial(origin.clean.named, name))
            )
            if text and (called := " ".join(origin.clean(name).split())):
                yield called, text


# The quote that CSV of the pages has before what a spreadsheet would take for a formula.
_GUARD = re.compile(
    r"(?:\A|(?<=[;|\uff1b\uff5c\t\r\n]))'(?=[\s\x22]*[=+\-@\ufe62\ufe63\ufe66\ufe6b\uff1d\uff0b\uff0d\uff20])"
)


def _attempt(value: object) -> int | None:
    if not _is_filled(value):
        return None
    text = "" if _is_nested(value) else str(value).strip().removesuffix(".0")
    if isinstance(value, bool) or not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise _Bad(f"attempt must be a whole number, not {_shown(value)}.")
    return int(text)


def _tried(read: Callable[[object], T], value: object, faults: list[str]) -> T | None:
    """Return what a cell says; None when it is empty or cannot be read, and then why is added to `faults`."""
    if not _is_filled(value):
        return None
    try:
        return read(value)
    except _Bad as bad:
        faults.append(f"{bad} The cell is ignored.")
        return None


def outcome_of(value: object) -> Outcome | None:
    """Return the outcome that a word says; None for one that is not known."""
    with suppress(_Bad):
        return _outcome(value)
    return None


def _outcome(value: object) -> Outcome:
    word = (
        re.sub(r"[\s-]+", "_", str(value).strip().casefold())
        if isinstance(value, str | int | float)
        else ""
    )
    if word not in _OUTCOMES:
        raise _Bad(f"The outcome {_shown(value)} is unknown: write pass, fail, partial or error.")
    return _OUTCOMES[word]


def _claim(value: object) -> bool:
    word = str(value).strip().casefold()
    if word not in _CLAIMED | _NOT_CLAIMED:
        raise _Bad(f"The claim {_shown(value)} is unknown: write yes or no.")
    return word in _CLAIMED


def _labels(value: object, clean: Callable[[str], str]) -> tuple[str, ...]:
    parts = list(filter(_is_filled, value)) if isinstance(value, list) else [value]
    if any(
        _is_nested(part) or (isinstance(value, list) and isinstance(part, bool)) for part in parts
    ):
        raise _Bad("labels must be a list of words, or words with ; between them.")
    words = parts if isinstance(value, list) else str(value).split(";")
    labels = tuple(
        dict.fromkeys(label for part in words if (label := names.spelled_out(clean(str(part)))))
    )
    if len(labels) > MAX_LABELS or any(len(label) > MAX_TEXT for label in labels):
        raise _Bad(f"labels may be {MAX_LABELS} of {MAX_TEXT} characters at most.")
    return labels


def _moment(value: object) -> str:
    try:
        if _is_nested(value):
            raise ValueError
        moment = (
            value if isinstance(value, datetime) else datetime.fromisoformat(str(value).strip())
        )
        if moment.tzinfo is None:
            raise _Bad(
                f"started_at needs a time and a time zone, such as 2026-01-31T12:00:00Z, not {_shown(value)}."
            )
        return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError):
        raise _Bad(
            f"started_at must be a moment such as 2026-01-31T12:00:00Z, not {_shown(value)}."
        ) from None


def _scores(
    values: Mapping[str, object], columns: frozenset[str], origin: RowSource, faults: list[str]
) -> Iterator[Score]:
    """Yield the scores of a row: its columns that are scores, and its section `scores` where its file can have one."""
    cells = {name: value for name, value in values.items() if name in columns}
    section = values.get("scores")
    if isinstance(section, Mapping):
        cells |= section
    elif _is_filled(section):
        faults.append("scores must be a section such as {speedup: 2.5}. It is left out.")
    for name, value in cells.items():
        score = _tried(partial(_score, str(name), origin), value, faults)
        if score is not None:
            yield score


def _score(name: str, origin: RowSource, value: object) -> Score:
    meaning = origin.meanings.get(name) or Score(name, 0.0)
    unit, higher, is_ratio = meaning.unit, meaning.higher_is_better, meaning.is_ratio
    if isinstance(value, Mapping):
        stated = value.get("direction")
        if stated is not None and stated not in ("higher", "lower"):
            raise _Bad(f"The direction of {_shown(name)} must be higher or lower.")
        higher = higher if stated is None else stated == "higher"
        if (scale := value.get("scale")) not in (None, "linear", "ratio"):
            raise _Bad(f"The scale of {_shown(name)} must be linear or ratio.")
        is_ratio = is_ratio if scale is None else scale == "ratio"
        unit = unit or _text("unit", value.get("unit"), origin.clean)
        value = value.get("value")
    number = finite(value)
    if number is None:
        raise _Bad(f"The score {_shown(name)} must be a number, not {_shown(value)}.")
    if is_ratio and number <= 0:
        raise _Bad(
            f"The score {_shown(name)} is a ratio and must be above zero, not {_shown(value)}."
        )
    return Score(
        _text("The name of a score", name, origin.clean) or "score", number, unit, higher, is_ratio
    )


def finite(value: object) -> float | None:
    """Return the value as a number, or the number that a cell holds; None when it cannot be computed with."""
    return known_number(float(value) if isinstance(value, str) and _is_number(value) else value)


def _is_nested(value: object) -> bool:
    """Return whether a value holds others: as text it could be of any size, and nested more deeply than can be
    written."""
    return isinstance(value, Mapping | list | tuple | set)


def _shown(value: object) -> str:
    """Return a value in a message."""
    if _is_nested(value):
        return "a list or an object"
    text = str(value).strip()
    if "\n" in text:
        return "a text of several lines"
    return f"'{text[:40]}\u2026'" if len(text) > 40 else f"'{text}'"
