"""Reads what `codex exec` prints for people, without `--json`: a header, sections under a word of their own, and the
sum of tokens, of which the log does not say which kinds they were.

What a command printed may have lines like those that begin a section; then its answer ends there. The diff that follows
an edit is of all edits so far, and no step. A log without the sum breaks off, unless an error ended it.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator, Mapping
from typing import Any, TextIO

from sitegen.bounds import MAX_COUNT
from sitegen.model import Status, Tokens
from sitegen.readers.common.records import text_of
from sitegen.readers.common.trace import MAX_TEXT, Trace
from sitegen.readers.common.values import Caveats
from sitegen.readers.run_file import RunFile
from sitegen.steps import StepKind

_TIME = re.compile(r"\[\d{4}-\d\d-\d\dT[\d:.]{8,15}Z?\] ")
_BEGIN = re.compile(r"OpenAI Codex v?([\w.+-]{1,40})")
_RULE = "--------"
_HEADS = {
    "user": "user", "User instructions:": "user", "codex": "codex", "thinking": "thinking", "exec": "exec",
    "file update": "edit", "file update:": "diff", "turn diff": "diff", "Plan update": "plan",
}  # fmt: skip
_BEGINNINGS = frozenset(head[:3] for head in (*_HEADS, _RULE, "OpenAI", "tokens", "apply_patch", "ERROR", "[20"))
"""Of lines that may begin a section; all others are not looked at."""
_TOKENS = re.compile(r"tokens used:? ?([0-9][0-9,. \u202f]{0,20})?")
_ENDED = re.compile(r" (?:succeeded|exited (-?\d{1,9})) in [\d.]+ ?m?s:?$", re.MULTILINE)
_PATCHED = re.compile(r"apply_patch\(.*?\) (?:succeeded|exited (-?\d{1,9})) in [\d.]+ ?m?s:?")
_CHANGED = re.compile(r"[AMD] (.{1,1000})")


def parts(file: RunFile, caveats: Caveats) -> Iterator[tuple[int, Iterator[dict[str, Any]]]]:  # noqa: ARG001
    """The one run."""
    is_wide = file.head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    yield 0, _sections(io.TextIOWrapper(file.open(), "utf-16" if is_wide else "utf-8-sig", "replace"))


def _sections(log: TextIO) -> Iterator[dict[str, Any]]:
    """The header and the sections of a log, each with its head and its lines."""
    head, text, size, is_rest = "", list[str](), 0, False
    while line := log.readline(MAX_TEXT):
        found, was_rest, is_rest = None, is_rest, not line.endswith("\n")
        if line[:3] in _BEGINNINGS and not was_rest:
            line = _TIME.sub("", line.rstrip("\n"), count=1) + "\n"  # older versions put the time before it
            found = _head(line[:-1], head, text)
        if found:
            yield {"type": head, "text": "".join(text)}
            head, text, size = found, [line] if found in ("begin", "patched", "tokens", "error") else [], 0
        elif size < MAX_TEXT:
            text.append(line)
            size += len(line)
    yield {"type": head, "text": "".join(text)}


def _head(line: str, head: str, text: list[str]) -> str | None:
    """What section a line begins."""
    if not head:
        return "begin" if _BEGIN.match(line) else None
    if head == "begin" and not (line == _RULE and text.count(f"{_RULE}\n")):
        return None
    if line == _RULE:
        return "rule" if head == "begin" else None
    if line[:6] in ("apply_", "ERROR:", "tokens"):
        known = _PATCHED.fullmatch(line), line.startswith("ERROR: "), _TOKENS.fullmatch(line)
        return next((kind for kind, is_one in zip(_ODD_HEADS, known, strict=True) if is_one), None)
    return _HEADS.get(line)


_ODD_HEADS = ("patched", "error", "tokens")
_WORK = ("codex", "thinking", "exec", "edit")


class CodexLog(Trace):
    """The log of one process."""

    title = "Codex log"

    def __init__(self) -> None:
        super().__init__()
        self._asked = 0
        self._patch: str | None = None
        """The edit that is not answered yet, with what it changes."""
        self._changes, self._paths = "", set[str]()
        self._total: int | None = None

    def take(self, record: Mapping[str, Any]) -> None:
        kind, text = record["type"], (text_of(record, "text") or "").strip("\n")
        if kind in _WORK:
            self._total = None  # what was taken for it is a line that a command printed
        if kind == "begin":
            self._begin_run(text)
        elif not self.is_known or not kind:
            return
        elif kind == "user":
            self.say(StepKind.PROMPT, text)
        elif kind == "codex":
            self.say(StepKind.TEXT, text)
        elif kind == "thinking":
            self.say(StepKind.THINKING, text)
        elif kind == "exec":
            self._run_command(text)
        elif kind == "edit":
            self._edit(text)
        elif kind == "patched" and self._patch:
            code = _PATCHED.match(text)
            self._answer(text.partition("\n")[2], int(code[1]) if code and code[1] else 0)
        elif kind == "error":
            self.error(text.removeprefix("ERROR: "))
        elif kind == "tokens":
            digits = re.sub(r"[^0-9]", "", text[:60].removeprefix("tokens used").strip(": \n").partition("\n")[0])
            self._total = int(digits) if digits and int(digits) <= MAX_COUNT else self._total

    def _begin_run(self, text: str) -> None:
        self.is_known = True
        version = _BEGIN.match(text)
        self.version = version[1] if version else None
        stated = dict(line.split(": ", 1) for line in text.split("\n") if ": " in line)
        self.model, self.session_id = stated.get("model"), stated.get("session id")
        self.mode = stated.get("sandbox")
        names = ("provider", "approval", "sandbox", "reasoning effort", "reasoning summaries")
        self.fields = {name: stated[name] for name in names if name in stated}

    def _run_command(self, text: str) -> None:
        ended = _ENDED.search(text)
        asked = text[: ended.start()] if ended else text.partition("\n")[0]
        command, found, _ = asked.rpartition(" in /")
        self._asked += 1
        self.ask(f"#{self._asked}", "shell", {"command": command if ended and found else asked})
        if ended:
            code = int(ended[1] or 0)
            self.answer(f"#{self._asked}", text[ended.end() :].strip("\n"), failed=code != 0, exit_code=code)

    def _edit(self, text: str) -> None:
        lines = text.split("\n")
        paths = [found[1] for line in lines if (found := _CHANGED.fullmatch(line))]
        self._asked += 1
        self._patch = f"#{self._asked}"
        self.ask(self._patch, "apply_patch", {"path": paths[0] if len(paths) == 1 else paths, "input": text})
        self._changes = "\n".join(line for line in lines if line[:1] in ("+", "-"))
        self._paths = set(paths)

    def _answer(self, said: str, code: int) -> None:
        self.answer(self._patch or "", said, failed=code != 0, exit_code=code, changes=self._changes, paths=self._paths)
        self._patch = None

    def end(self) -> None:
        if self._patch and self.is_open(self._patch) and self._total is not None:
            self._answer("", 0)
        self.used(Tokens(unsplit=self._total), context=False)
        if self.errors:
            self.status, self.detail = self.failure(next(reversed(self.errors)))
        elif self._total is None:
            self.status = Status.INTERRUPTED
        else:
            self.status = Status.OK
