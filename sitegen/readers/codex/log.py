"""Reads what `codex exec` prints for people, without `--json`: a header, sections under a word of their own, and the
sum of tokens: input and output together, without what was read from the cache, so a lower bound of all.
What a command printed may have lines like those that begin a section; then its answer ends there. The diff that
follows an edit is of all edits so far, and no step. A log without the sum breaks off, unless an error ended it.
"""

import codecs
import io
import re
from collections.abc import Iterator
from typing import Any, TextIO

from sitegen.model import Status, Tokens
from sitegen.readers.common.builder import Format
from sitegen.readers.common.endings import ended_by
from sitegen.readers.common.record_reader import RecordReader
from sitegen.readers.common.records import Record, text_or_empty
from sitegen.readers.common.step_log import MAX_TEXT
from sitegen.readers.common.tool_log import ToolResult
from sitegen.readers.common.values import Caveats
from sitegen.readers.run_file import RunFile
from sitegen.steps import StepKind
from sitegen.system.bounds import MAX_COUNT

_TIME = re.compile(r"\[\d{4}-\d\d-\d\dT[\d:.]{8,15}Z?\] ")
_BEGIN = re.compile(r"OpenAI Codex v?([\w.+-]{1,40})")
_RULE = "--------"
_HEADS = {
    "user": "user",
    "User instructions:": "user",
    "codex": "codex",
    "thinking": "thinking",
    "exec": "exec",
    "file update": "edit",
    "file update:": "diff",
    "turn diff": "diff",
    "Plan update": "plan",
}
# The beginnings of lines that may begin a section; all others are not looked at.
_BEGINNINGS = frozenset(
    head[:3] for head in (*_HEADS, _RULE, "OpenAI", "tokens", "apply_patch", "ERROR", "[20")
)
_TOKENS = re.compile(r"tokens used:? ?([0-9][0-9,. \u202f]{0,20})?")
_ENDED = re.compile(r" (?:succeeded|exited (-?\d{1,9})) in [\d.]+ ?m?s:?$", re.MULTILINE)
_PATCHED = re.compile(r"apply_patch\(.*?\) (?:succeeded|exited (-?\d{1,9})) in [\d.]+ ?m?s:?")
_CHANGED = re.compile(r"[AMD] (.{1,1000})")


def log_parts(file: RunFile, caveats: Caveats) -> Iterator[Iterator[dict[str, Any]]]:  # noqa: ARG001
    """Yield the one run."""
    is_wide = file.head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    yield _sections(io.TextIOWrapper(file.open(), "utf-16" if is_wide else "utf-8-sig", "replace"))


def _sections(log: TextIO) -> Iterator[dict[str, Any]]:
    """Yield the header and the sections of a log, each with its head and its lines."""
    head = ""
    text: list[str] = []
    size = 0
    is_rest = False
    while line := log.readline(MAX_TEXT):
        found, was_rest, is_rest = None, is_rest, not line.endswith("\n")
        if line[:3] in _BEGINNINGS and not was_rest:
            line = (
                _TIME.sub("", line.rstrip("\n"), count=1) + "\n"
            )  # older versions put the time before it
            found = _head(line[:-1], head, text)
        if found:
            yield {"type": head, "text": "".join(text)}
            head = found
            text = [line] if found in ("begin", "patched", "tokens", "error") else []
            size = 0
        elif size < MAX_TEXT:
            text.append(line)
            size += len(line)
    yield {"type": head, "text": "".join(text)}


def _head(line: str, head: str, text: list[str]) -> str | None:
    """Return what section a line begins."""
    if not head:
        return "begin" if _BEGIN.match(line) else None
    if head == "begin" and not (line == _RULE and text.count(f"{_RULE}\n")):
        return None
    if line == _RULE:
        return "rule" if head == "begin" else None
    odd = {
        "patched": _PATCHED.fullmatch(line),
        "error": line.startswith("ERROR: "),
        "tokens": _TOKENS.fullmatch(line),
    }
    return next((kind for kind, is_one in odd.items() if is_one), _HEADS.get(line))


_SPOKEN = {"user": StepKind.PROMPT, "codex": StepKind.TEXT, "thinking": StepKind.THINKING}
_WORK = ("codex", "thinking", "exec", "edit")


class CodexLog(RecordReader):
    """The log of one process."""

    format = Format("Codex log")
    split = staticmethod(log_parts)

    def begin(self) -> None:
        self._edit: ToolResult | None = None  # the result of the last edit, until it is told
        self._total: int | None = None

    def read(self, record: Record) -> None:
        kind = record["type"]
        text = text_or_empty(record, "text").strip("\n")
        if kind in _WORK:
            self._total = None  # what was taken for it is a line that a command printed
        if kind == "begin":
            self._begin_run(text)
        elif not self.is_known or not kind:
            return
        elif kind in _SPOKEN:
            self.run.add_text(_SPOKEN[kind], text)
        elif kind == "exec":
            self._run_command(text)
        elif kind == "edit":
            self._begin_edit(text)
        elif kind == "patched" and self._edit is not None:
            code = _PATCHED.match(text)
            self._end_edit(text.partition("\n")[2], int(code[1]) if code and code[1] else 0)
        elif kind == "error":
            self.run.add_error(text.removeprefix("ERROR: "))
        elif kind == "tokens":
            digits = re.sub(
                r"[^0-9]",
                "",
                text[:60].removeprefix("tokens used").strip(": \n").partition("\n")[0],
            )
            self._total = int(digits) if digits and int(digits) <= MAX_COUNT else self._total

    def _begin_run(self, text: str) -> None:
        run = self.run
        self.is_known = True
        version = _BEGIN.match(text)
        run.version = version[1] if version else None
        stated = dict(line.split(": ", 1) for line in text.split("\n") if ": " in line)
        run.model, run.identity.session_id = stated.get("model"), stated.get("session id")
        run.mode = stated.get("sandbox")
        effort = stated.get("reasoning effort")
        run.see_effort(
            {"effort": None if effort == "none" else effort}, "effort"
        )  # none: also where none was chosen
        names = ("provider", "approval", "sandbox", "reasoning effort", "reasoning summaries")
        run.fields = {name: stated[name] for name in names if name in stated}

    def _run_command(self, text: str) -> None:
        ended = _ENDED.search(text)
        asked = text[: ended.start()] if ended else text.partition("\n")[0]
        command, found, _ = asked.rpartition(" in /")
        id_ = self.run.tools.next_id()
        self.run.add_call(id_, "shell", {"command": command if ended and found else asked})
        if ended:
            self.run.add_result(
                ToolResult(id_, text[ended.end() :].strip("\n"), exit_code=int(ended[1] or 0))
            )

    def _begin_edit(self, text: str) -> None:
        lines = text.split("\n")
        paths = [found[1] for line in lines if (found := _CHANGED.fullmatch(line))]
        id_ = self.run.tools.next_id()
        changes = "\n".join(line for line in lines if line[:1] in ("+", "-"))
        self.run.add_call(
            id_, "apply_patch", {"path": paths[0] if len(paths) == 1 else paths, "input": text}
        )
        self._edit = ToolResult(id_, "", changes=changes, paths=set(paths))

    def _end_edit(self, text: str, code: int) -> None:
        if self._edit is not None:
            self.run.add_result(self._edit._replace(text=text, exit_code=code))
        self._edit = None

    def finish(self) -> None:
        run = self.run
        if self._edit is not None and self._total is not None:
            self._end_edit("", 0)
        run.add_tokens(Tokens(unsplit=self._total), is_request=False)
        run.process_usage = Tokens()
        if run.errors:
            run.end(*ended_by(next(reversed(run.errors))))
        else:
            run.status = Status.INTERRUPTED if self._total is None else Status.OK
