"""The kinds of files that are not runs, as far as they are known: to name them, and what to do, in place of "ignored".

By the first bytes, or by the JSON where a file is JSON. Reports of benchmarks are told apart here, and read as outcomes
elsewhere. A kind is kept by its key.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sitegen.errors import ReadError
from sitegen.readers.common.records import Record
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


_NO_TASK = (
    "They are not used, since no run beside them or below has one of their ids: add the runs, or name the files under "
    "`outcomes`."
)
KINDS = {
    "swebench": Kind("report of SWE-bench", "reports of SWE-bench", _NO_TASK),
    "swebench instance": Kind(
        "report of SWE-bench on one task", "reports of SWE-bench on one task", _NO_TASK
    ),
    "gso": Kind("report of GSO", "reports of GSO", _NO_TASK),
    "judged": Kind("table of outcomes judged by hand", "tables of outcomes judged by hand"),
    "predictions": Kind(
        "file of predictions for SWE-bench", "files of predictions for SWE-bench",
        "It has patches and no runs; the trajectories of the agent are runs.",
    ),
    "aider analytics": Kind(
        "log of aider's analytics", "logs of aider's analytics",
        "They count events and have no texts; `.aider.chat.history.md` and `.aider.results.json` hold runs.",
    ),
    "harbor job": Kind("summary of a job of Harbor", "summaries of jobs of Harbor", "Its trials are the runs."),
    "api error": Kind("error message of an API", "error messages of an API", "The agent printed no run."),
    "companion": Kind("file beside a run of its folder", "files beside runs of their folders"),
    "empty": Kind("file of results without an entry", "files of results without entries", "There is no run in it."),
    "lfs pointer": Kind("pointer of git-lfs", "pointers of git-lfs", "`git lfs pull` fetches the files themselves."),
    "sqlite": Kind("SQLite database", "SQLite databases", "Of these, those of opencode and of Crush are read."),
    "pdf": Kind("PDF", "PDFs", "Runs are JSON: add the files that the agent wrote."),
    "image": Kind("image", "images"),
    "archive": Kind(
        "archive of a kind that is not opened", "archives of kinds that are not opened",
        "Unpack it, or pack it as `.zip` or `.tar.gz`.",
    ),
    "office": Kind("office document", "office documents"),
    "table": Kind("table of Parquet, Arrow or NumPy", "tables of Parquet, Arrow or NumPy", "Export it as JSON lines."),
    "pickle": Kind("pickle of Python", "pickles of Python", "It can run code when it is opened: write JSON instead."),
    "program": Kind("program", "programs"),
    "site": Kind(
        "part of a site made by sitegen", "parts of sites made by sitegen",
        "Add the runs that it was made from, or name the folder of the site under `campaigns`.",
    ),
    "python dump": Kind(
        "dump of Python objects", "dumps of Python objects",
        "Write it with `json.dumps(dataclasses.asdict(message))` in place of `print` or `repr`.",
    ),
    "node dump": Kind(
        "dump of JavaScript objects", "dumps of JavaScript objects",
        "Write it with `JSON.stringify(message)` in place of `console.log`.",
    ),
    "deepeval": Kind(
        "test run of DeepEval", "test runs of DeepEval",
        "It has verdicts and no runs: name the agent's files as inputs and write the verdicts into an outcomes file.",
    ),
    "amp thread": Kind(
        "thread of Amp", "threads of Amp", "`amp --execute ... --stream-json` prints one that can be read."
    ),
    "lm-eval": Kind(
        "result of lm-evaluation-harness", "results of lm-evaluation-harness",
        "It scores a model on tasks, and there is no run of an agent in it.",
    ),
    "every eval ever": Kind(
        "record of Every Eval Ever", "records of Every Eval Ever", "It has scores of models on benchmarks and no runs."
    ),
    "otel": Kind(
        "trace of OpenTelemetry", "traces of OpenTelemetry",
        "Traces are not read, and most count no tokens: add the files that the agent itself wrote.",
    ),
    "chatgpt": Kind("export of ChatGPT", "exports of ChatGPT", "Its conversations count no tokens and are not runs."),
    "binary": Kind("file that is not text", "files that are not text"),
    "json": Kind("JSON file that no reader knows", "JSON files that no reader knows"),
    "text": Kind("text file that is not a run", "text files that are not runs"),
    "left out": Kind(
        "hidden file, link or folder of another program", "hidden files, links or folders of other programs"
    ),
    "": Kind("file of another kind", "files of other kinds"),
}  # fmt: skip
REPORTS = frozenset(("swebench", "swebench instance", "gso"))
"""The kinds that are read as outcomes when they are among the inputs."""
COMPANION = "companion"
"""The kind of file that a program that runs agents leaves beside each run."""
JUDGED = "judged"
"""The kind of file in which the pages save the verdicts of a reader."""
LFS_POINTER = b"version https://git-lfs.github.com/spec/"
_OUR_POLICY = b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:"
_BEGINNINGS = (
    (re.compile(LFS_POINTER), "lfs pointer"),
    (re.compile(rb"SQLite format 3\0"), "sqlite"),
    (re.compile(rb"\A(?:\xef\xbb\xbf)?id,outcome,note\r?\n"), JUDGED),
    (re.compile(rb'\A\s*\{"event"\s*:[^\n]{0,2000}"user_id"\s*:'), "aider analytics"),
    (re.compile(rb"%PDF-"), "pdf"),
    (
        re.compile(rb"\x89PNG|\xff\xd8\xff|GIF8|RIFF....WEBP|BM.{4}\0\0\0\0|II\*\0|MM\0\*|\x00\x00\x01\x00", re.DOTALL),
        "image",
    ),
    (re.compile(rb"....ftyp(?:avif|heic|mif1)", re.DOTALL), "image"),
    (re.compile(rb"PK\x03\x04(?=.{26,2000}?(?:\[Content_Types\]\.xml|mimetypeapplication/vnd))", re.DOTALL), "office"),
    (re.compile(rb"PK[\x03\x05]|\x1f\x8b|BZh[1-9]1AY|\xfd7zXZ|7z\xbc\xaf|Rar!|\x28\xb5\x2f\xfd"), "archive"),
    (re.compile(rb"PAR1|ARROW1|\x93NUMPY|\x89HDF"), "table"),
    (re.compile(rb"\x80[\x02-\x05](?:[\x95}\]c(]|K)"), "pickle"),
    (re.compile(rb"\x7fELF|MZ\x90\x00|\xca\xfe\xba\xbe|\xcf\xfa\xed\xfe|\x00asm"), "program"),
    (
        re.compile(
            rb"(?i)\s*<!doctype html(?=.{0,3000}?(?:\"generator\" content=\"sitegen|" + _OUR_POLICY + rb"))", re.DOTALL
        ),
        "site",
    ),
    (re.compile(rb"\s*(?:\[\s*)?(?:[A-Z]\w*Message\(\w+=|\{'\w+': (?:'|\d|None|True|False|\[|\{))"), "python dump"),
    (
        re.compile(rb"\s*(?:\[\s*)?\{\s*(?:'[\w-]+'|[A-Za-z_]\w*): (?:'|\d|null|undefined|true|false|\[|\{|`)"),
        "node dump",
    ),
)
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
    lists = (document.get("resolved_ids"), document.get("resolved"))
    return "results" not in document and any(
        isinstance(each, list) and all(isinstance(id_, str) for id_ in each) for each in lists
    )


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
"""The kinds by document; the first that fits counts."""


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
