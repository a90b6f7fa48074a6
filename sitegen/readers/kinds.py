"""The kinds of files that are not runs, as far as they are known: to name them, and what to do, in place of "ignored".

By the first bytes, or by the JSON where a file is JSON. Reports of benchmarks are told apart here, and read as outcomes
elsewhere. A kind is kept by its key.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sitegen.errors import ReadError
from sitegen.readers.common.records import Record, rows
from sitegen.readers.run_file import JSON_EXTENSIONS, RunFile


@dataclass(frozen=True, slots=True)
class Kind:
    """The name of files of a kind, and what to do about them."""

    one: str
    many: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class NotARun:
    """A file that is ignored: no reader knows it, and nobody named it."""

    kind: str = ""
    """A key of KINDS; "" where it is not known what it is."""


class EmptyResultsError(ReadError):
    """A file of results is whole and has no entry: a problem only where it was named."""

    def __init__(self, reason: str) -> None:
        super().__init__("E_NOT_A_RUN", reason)


KINDS = {key: Kind(*said) for key, *said in rows("kinds.tsv")}
REPORTS = frozenset(("swebench", "swebench instance", "gso"))
"""The kinds that are read as outcomes when they are among the inputs."""
COMPANION = "companion"
"""The kind of file that a program that runs agents leaves beside each run."""
JUDGED = "judged"
"""The kind of file in which the pages save the verdicts of a reader."""
LFS_POINTER = b"version https://git-lfs.github.com/spec/"
_BEGINNINGS = [(re.compile(begins.encode(), re.DOTALL), kind) for begins, kind in rows("begins.tsv")]
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
    what = "JSON" if kind == "json" else f"{'an' if known.one[0] in 'aeiou' else 'a'} {known.one}"
    advice = f"; {known.advice[0].lower()}{known.advice[1:].removesuffix('.')}" if known.advice else ""
    return f"this is {what}, but no reader knows it as a run{advice}"


def kind_of_document(document: object) -> str:
    """Return the key of what a JSON file is by its first value."""
    if isinstance(document, list):
        document = document[0] if document else None
    if not isinstance(document, dict):
        return "json"
    return next((key for key, is_one in _BY_DOCUMENT if is_one(document)), "json")


def _is_prediction(document: object) -> bool:
    return isinstance(document, dict) and "model_patch" in document and "instance_id" in document


def is_swebench(document: Record) -> bool:
    """Return whether this is the report of a run of SWE-bench."""
    lists = (each for each in (document.get("resolved_ids"), document.get("resolved")) if isinstance(each, list))
    return "results" not in document and any(all(isinstance(id_, str) for id_ in each) for each in lists)


def is_swebench_flat(document: Record) -> bool:
    """Return whether this is a `report.json` of the instance that its folder names."""
    return isinstance(document.get("resolved"), bool) and "patch_successfully_applied" in document


def is_swebench_instances(document: Record) -> bool:
    """Return whether this is a `report.json` of single instances."""
    return bool(document) and all(isinstance(each, dict) and is_swebench_flat(each) for each in document.values())


def is_gso(document: Record) -> bool:
    """Return whether this is a report of GSO."""
    sets = document.get("instance_sets")
    return isinstance(sets, dict) and isinstance(sets.get("opt_commit_ids"), list)


def _is_of_deepeval(document: Record) -> bool:
    holds_cases = document.keys() & {"testCases", "conversationalTestCases"}
    return bool(holds_cases and document.keys() & {"metricsScores", "testPassed", "runDuration", "evaluationCost"})


_LM_EVAL = {"results", "configs", "n-shot"}
_EVERY_EVAL_EVER = (
    {"schema_version", "model_info", "evaluation_results"},
    {"eval_schema_version", "object_path"},
    {"evaluation_id", "sample_id"},
)
# The kinds by document; the first that fits counts.
_BY_DOCUMENT: tuple[tuple[str, Callable[[Record], bool]], ...] = (
    ("swebench instance", is_swebench_flat),
    ("swebench", is_swebench),
    ("swebench instance", is_swebench_instances),
    ("gso", is_gso),
    ("deepeval", _is_of_deepeval),
    ("lm-eval", lambda found: bool(found.keys() & {"lm_eval_version", "filtered_resps"}) or found.keys() >= _LM_EVAL),
    ("every eval ever", lambda found: any(keys <= found.keys() for keys in _EVERY_EVAL_EVER)),
    ("otel", lambda found: isinstance(found.get("resourceSpans"), list)),
    ("amp thread", lambda found: str(found.get("id")).startswith("T-") and isinstance(found.get("messages"), list)),
    ("chatgpt", lambda found: {"mapping", "current_node"} <= found.keys()),
    ("site", lambda found: isinstance(found.get("schema"), int) and isinstance(found.get("runs"), list)),
    ("predictions", lambda found: any(map(_is_prediction, (found, *list(found.values())[:3])))),
    ("aider analytics", lambda found: {"event", "properties", "user_id"} <= found.keys()),
    ("harbor job", lambda found: {"n_total_trials", "stats"} <= found.keys()),
    ("api error", lambda found: found.get("type") == "error" and isinstance(found.get("error"), dict)),
)


def in_words(found: Sequence[tuple[str, str]], shown: Callable[[str], str] | None = None) -> list[str]:
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
