"""The kinds of files that are not runs, as far as they are known: to name them, and what to do, in place of "ignored".

By the first bytes, or by the JSON where a file is JSON. Reports of benchmarks are told apart here, and read as outcomes
elsewhere. A kind is kept by its key.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any

from sitegen.errors import ReadError
from sitegen.model import frozen
from sitegen.readers.common.records import Record, objects_in, rows
from sitegen.readers.run_file import JSON_EXTENSIONS, RunFile


@frozen
class Kind:
    """The name of files of a kind, and what to do about them."""

    one: str
    many: str
    advice: str = ""
    holds_run: str = ""
    """Not empty where such a file holds a run, or stands in the place of one, and is not read."""


@frozen
class NotARun:
    """A file that is ignored: no reader knows it, and nobody named it."""

    kind: str = ""
    """A key of KINDS; "" where it is not known what it is."""


class EmptyResultsError(ReadError):
    """A file of results is whole and has no entry: a problem only where it was named."""

    def __init__(self, reason: str) -> None:
        super().__init__("E_NOT_A_RUN", reason)


KINDS = {key: Kind(*said) for key, *said in rows("kinds.tsv")}
MAX_DOCUMENTS = 50
"""The first values of a file that are looked at for its kind."""
MAX_VALUE = 1_000  # characters of a value that an expression is compared with
REPORTS = frozenset(("swebench", "swebench instance", "gso"))
"""The kinds that are read as outcomes when they are among the inputs."""
COMPANION = "companion"
"""The kind of file that a program that runs agents leaves beside each run."""
SUMMARY = "summary"
"""The kind of file that only says something of runs that are not here."""
JUDGED = "judged"
"""The kind of file in which the pages save the verdicts of a reader."""
API_ERROR = "api error"
"""The kind of file in which an error stands in the place of a run."""
LFS_POINTER = b"version https://git-lfs.github.com/spec/"
_BEGINNINGS = [
    (re.compile(begins.encode(), re.DOTALL), kind) for begins, kind in rows("begins.tsv")
]
UNREADABLE = frozenset(kind for _, kind in _BEGINNINGS) - {JUDGED, "aider analytics"} | {"binary"}
"""Kinds of which trying to parse them as JSON would say less."""


def kind_of_file(file: RunFile) -> str:
    """Return the key of what a file is by its first bytes."""
    head = file.head
    if kind := next((kind for begins, kind in _BEGINNINGS if begins.match(head)), None):
        return kind
    if file.extension in JSON_EXTENSIONS:
        return "json"
    return "text" if _is_text(head[:1024]) else "binary"


def _is_text(head: bytes) -> bool:
    try:
        head.decode()
    except UnicodeDecodeError as error:
        return error.start > len(head) - 4 and len(head) == 1024  # within a character
    return b"\0" not in head


def refusal(kind: str) -> str:
    """Return what a file is that no reader knows, and what to do, as a reason."""
    known = KINDS[kind]
    article = "an" if known.one[0] in "aeiou" else "a"
    what = "JSON" if kind == "json" else f"{article} {known.one}"
    advice = (
        f"; {known.advice[0].lower()}{known.advice[1:].removesuffix('.')}" if known.advice else ""
    )
    return f"this is {what}, but no reader knows it as a run{advice}"


def kind_of_documents(documents: Iterable[object], path: str) -> str:
    """Return the key of what a JSON file is by its first values: a report by the first, others by any of them."""
    records = list(islice(objects_in(documents), MAX_DOCUMENTS))
    for kind, is_one in _REPORTS if records else ():
        if is_one(records[0]):
            return kind
    for record in records:
        known = {**record, "@path": path}
        for kind, conditions in _DOCUMENTS:
            if all(_holds(condition, known) for condition in conditions.split(" ")):
                return kind
    return "json"


def _holds(condition: str, record: Record) -> bool:
    """Return whether a condition of `documents.tsv` holds for a record."""
    paths, _, pattern = condition.partition("=")
    texts = (_text_at(path, record) for path in paths.split("|"))
    return any(
        text is not None and re.fullmatch(pattern or ".*", text, re.DOTALL) for text in texts
    )


def _text_at(path: str, value: Any) -> str | None:
    for name in path.split("."):
        if isinstance(value, list) and name == "0":
            value = next(iter(value), None)
        elif isinstance(value, dict):
            value = next(iter(value.values()), None) if name == "*" else value.get(name)
        else:
            return None
    if isinstance(value, list | dict):
        return "[]" if isinstance(value, list) else "{}"
    return None if value is None else str(value)[:MAX_VALUE]


def is_swebench(document: Record) -> bool:
    """Return whether this is the report of a run of SWE-bench."""
    if "results" in document:
        return False
    return any(_is_list_of_ids(document.get(name)) for name in ("resolved_ids", "resolved"))


def _is_list_of_ids(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(id_, str) for id_ in value)


def is_swebench_flat(document: Record) -> bool:
    """Return whether this is a `report.json` of the instance that its folder names."""
    return isinstance(document.get("resolved"), bool) and "patch_successfully_applied" in document


def is_swebench_instances(document: Record) -> bool:
    """Return whether this is a `report.json` of single instances."""
    return bool(document) and all(
        isinstance(each, dict) and is_swebench_flat(each) for each in document.values()
    )


_NAME_OF_INSTANCE = re.compile(r"[^\s.-]+[.-]\S*[0-9]")


def verdicts_by_id(document: Record) -> Record:
    """Return the part of a report of SWE-bench Pro that has a verdict or null for each instance."""
    nested = document.get("results")
    return nested if isinstance(nested, dict) else document


def is_swebench_pro(document: Record) -> bool:
    """Return whether this is a report of SWE-bench Pro, `{instance: true}`; other files of flags name no instances."""
    verdicts = verdicts_by_id(document)
    is_each_verdict = all(isinstance(value, bool | None) for value in verdicts.values())
    return bool(verdicts) and is_each_verdict and all(map(_is_instance, verdicts))


def _is_instance(id_: str) -> bool:
    """Return whether an id is like `owner__name-number`."""
    owner, _, name = id_.partition("__")
    return bool(owner) and _NAME_OF_INSTANCE.match(name) is not None


def is_gso(document: Record) -> bool:
    """Return whether this is a report of GSO."""
    sets = document.get("instance_sets")
    return isinstance(sets, dict) and isinstance(sets.get("opt_commit_ids"), list)


_DOCUMENTS = list(rows("documents.tsv"))
# The kinds of reports; the first that fits counts.
_REPORTS: tuple[tuple[str, Callable[[Record], bool]], ...] = (
    ("swebench instance", is_swebench_flat),
    ("swebench", is_swebench),
    ("swebench instance", is_swebench_instances),
    ("swebench", is_swebench_pro),
    ("gso", is_gso),
)


def in_words(
    found: Sequence[tuple[str, str]], shown: Callable[[str], str] | None = None
) -> list[str]:
    """Return files by their paths and keys: a kind a line, the most frequent first, how many there are and what to do;
    with one of them where `shown` says how a path is shown."""
    paths = {key: path for path, key in reversed(found)}
    said: list[str] = []
    for key, count in Counter(key for _, key in found).most_common():
        kind = KINDS.get(key, KINDS[""])
        files = f"{count:,} {kind.one if count == 1 else kind.many}"
        if shown is not None:
            files += f", such as {shown(paths[key])}" if count > 1 else f", {shown(paths[key])}"
        said.append(f"{files}. {kind.advice}" if kind.advice else f"{files}.")
    return said
