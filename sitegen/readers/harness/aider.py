"""Reads what aider leaves: its chats, and the results of its benchmark, `.aider.results.json`, an exercise each.

In `.aider.chat.history.md` each `# aider chat started at` begins a run. Lines of the user begin with `#### `, those of
aider with `> `, and both end in two blanks; a line of aider's that does not goes on in the next ones. All else is of
the model, or was put there by a program: then no empty line stands before it. In files whose blanks at line ends are
gone, the beginnings of lines decide.

What was sent includes what was written to the cache and read from it; where a line says nothing of the cache, it is
unknown. Counts and costs are rounded; a message states its own cost and the sum of the session, of which the one that
is rounded less counts. That sum may begin again, and then it is that of the message; or go on from an older sum, as
behind a command in another mode, and then messages count. Calls of the weak model, as for messages of commits, are not
stated. In the architect's mode an answer is also the editor's prompt, and is one step. `turns` are answers. A chat
states when it began, without a zone, and not how it ended: an error or an interruption at its end is all that is known.

An exercise passed when the tests of the last try did; `pass at first` says whether those of the first did. `turns` are
tries. No format states when it was. Tokens stand in newer files only, which were never seen, and have cached ones in
them.

| Line of a chat | Meaning |
|--|--|
| `# aider chat started at <time>` | the beginning of a run |
| `#### <text>` | a prompt; a command where it begins with a slash |
| `> Aider v<version>`, `> Main model: <model> with <format> edit format` | version and model |
| `> Editor model: <model>`, `> Weak model: <model>` | the models of edits, and of small requests |
| `> Tokens: <n> sent, <n> cache write, <n> cache hit, <n> received` | what the answer before it used |
| `Cost: $<n> message, $<n> session` | cost of the answer, and of the session until then |
| `> Applied edit to <path>`, `> Running <command>` | calls |
| `> The LLM did not conform …` | an edit that failed |
| `> Only <n> reflections allowed`, `> ^C` | how the run ended |
| any other line | what the model says, or a notice of aider's |

| Field of a result | Meaning |
|--|--|
| `testcase` | the task |
| `model`, `reasoning_effort` | model and effort |
| `tests_outcomes` | whether the tests passed, for each try |
| `cost`, `duration` | cost in USD, seconds |
| `prompt_tokens`, `completion_tokens` | tokens of all requests |
| `exception`, `num_exhausted_context_windows` | why it ended early |
"""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from math import fsum
from typing import Any

from sitegen.errors import ReadError
from sitegen.model import Outcome, Score, Status, Tokens
from sitegen.readers.common.blocks import Changed, changed_by_blocks
from sitegen.readers.common.builder import Format, RunBuilder
from sitegen.readers.common.endings import ended_by
from sitegen.readers.common.fields import field_kinds
from sitegen.readers.common.json_text import MAX_AT_ONCE_BYTES, decode
from sitegen.readers.common.record_reader import RecordReader, WholeFormat
from sitegen.readers.common.records import Record, count_of, seconds_of, text_of, without
from sitegen.readers.common.stated import Counts
from sitegen.readers.common.tool_log import ToolResult
from sitegen.readers.common.values import Caveats
from sitegen.readers.run_file import RunFile
from sitegen.steps import StepKind

_START = re.compile(
    r"^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[ \t]*\r?$", re.MULTILINE
)
_CLOSED = re.compile(r"^(?:>|####) .*  \r?$", re.MULTILINE)
_COUNT = r"([\d,.]{1,20}[kKmM]?)"
_TOKENS = re.compile(
    rf"Tokens: {_COUNT} sent(?:, {_COUNT} cache write)?(?:, {_COUNT} cache hit)?, {_COUNT} received\b"
)
_COST = re.compile(r"Cost: \$(\d[\d,.]{0,20}) \w{1,20}, \$(\d[\d,.]{0,20}) session")
_MODEL = re.compile(
    r"(?:Main m|M)odels?: ([^\s,]{1,200})(?: (?:with|using) ([\w-]{1,50}) edit format)?"
)
_OTHER_MODEL = re.compile(r"(Editor|Weak) model: (\S{1,200})")
_ERROR = re.compile(
    r"(?:litellm\.)?[A-Z]\w{0,80}(?:Error|Exception|Timeout)\b|Model \S{1,200} has hit a token limit"
)
_THOUGHT = re.compile(
    r"<(thinking-content-\w{1,64})>(.*?)</\1>|-+\s*► \*\*THINKING\*\*(.*?)(?<!-)-+\s*► \*\*ANSWER\*\*",
    re.DOTALL,
)
# The commands from the user to aider, which no model answers.
_COMMAND = re.compile(r"!|/(?!(?:ask|code|architect|context)\s+\S)[a-z-]+(?:\s|$)")
_UNITS = {"k": 1_000, "m": 1_000_000}


def parts(file: RunFile, caveats: Caveats) -> Iterator[Iterator[dict[str, Any]]]:
    """Yield each chat, as what was said in it. Raises: ReadError."""
    data = file.open().read(MAX_AT_ONCE_BYTES + 1)
    if len(data) > MAX_AT_ONCE_BYTES:
        raise ReadError("E_LIMIT", f"it is larger than {MAX_AT_ONCE_BYTES // 1024**2} MB")
    text = decode(data, caveats)
    for start, following in pairwise((*_START.finditer(text), None)):
        if start:
            yield _said(start[1], text[start.end() : following.start() if following else len(text)])


def _said(started: str, chat: str) -> Iterator[dict[str, Any]]:
    """Yield what was said in a chat, by whom."""
    yield {"type": "start", "text": started}
    has_ends = _CLOSED.search(chat) is not None
    who = ""
    is_open = False
    lines: list[str] = []
    for line in chat.replace("\r\n", "\n").split("\n"):
        is_closed = line.endswith("  ") or not has_ends
        if re.match("####(?: |$)", line) and is_closed:
            found = "user"
            line = line[5:]
        elif re.match("> ?", line) and (
            who != "model" or _TOKENS.match(line, 2) or (has_ends and is_closed)
        ):
            found = "aider"
            line = line[2:]
        elif is_open:
            found = "more"
        elif who in ("model", "program") or not line.strip():
            found = who if who in ("model", "program") else ""
        else:
            found = "program" if who else "model"
        if found not in (who, "more") or found == "aider":
            yield from _told(who, lines)
            who = found
            lines = []
        is_open = found in ("aider", "more") and not is_closed
        lines.append(line.rstrip() if found in ("user", "aider", "more") else line)
    yield from _told(who, lines)


def _told(who: str, lines: list[str]) -> Iterator[dict[str, Any]]:
    text = "\n".join(lines).strip("\n")
    if who and (text.strip() or who == "aider"):
        yield {"type": who, "text": text}


class AiderChat(RecordReader):
    """One chat."""

    format = Format("Aider chat", usage_follows=True, tells_exit_codes=False, tells_commands=False)
    split = staticmethod(parts)

    def begin(self) -> None:
        self._notes: list[str] = []
        self._answer: list[str] = []  # the one whose tokens are not told yet
        self._last_answer: list[str] = []  # the words of the one before, and what it changes
        self._changes: dict[str, Changed] = {}
        # The cost of the session until then, and by how much that may be rounded: one for each count from 0.
        self._sessions: list[tuple[float, float]] = []
        self._has_older_sums = False
        self._rounded_usd = 0.0
        self._awaits_cost = False
        self._main: str | None = None
        self._editor: str | None = None
        self._unkeyed: tuple[str, str] | None = None

    def read(self, record: Record) -> None:
        run = self.run
        kind = record["type"]
        text = record["text"]
        if kind != "aider":
            self._tell_notes()
        if self._unkeyed:  # what follows shows that it is whole
            run.add_key(*self._unkeyed)
            self._unkeyed = None
        if kind in ("user", "model"):
            self._unkeyed = kind, text
        if kind == "start":
            self.is_known = True
            run.identity.substitute = text
            run.fields["started at"] = text
            run.end(Status.UNKNOWN, "not stated")
        elif kind == "user":
            self._read_prompt(text.strip("\n"))
        elif kind == "model":
            self._answer.append(text)
        elif kind == "aider":
            self._read_line(text)
        elif not self._read_cost(text):
            run.add_text(StepKind.NOTICE, text)

    def _read_prompt(self, text: str) -> None:
        self._end_answer()
        if _COMMAND.match(text):
            self.run.add_text(StepKind.NOTICE, text)
            return
        is_fed = bool(text) and text.split() == self._last_answer
        self.run.model = (self._editor if is_fed else None) or self._main
        self.run.go_on()
        if not is_fed:
            self.run.add_text(StepKind.PROMPT, text)

    def _end_answer(self) -> None:
        """End an answer that was broken off, or whose tokens are not counted."""
        if self._answer:
            self._say_answer()
            self.run.end_message()
            self.run.tokens.note_missing()
            self.run.costs.add(None)

    def _say_answer(self) -> None:
        self.run.count_turn()
        said = "\n".join(self._answer).strip()
        if thought := _THOUGHT.match(said):
            self.run.add_text(StepKind.THINKING, (thought[2] or thought[3] or "").strip())
            said = said[thought.end() :].strip()
        if said:
            self.run.add_text(StepKind.TEXT, said)
        self._answer, self._last_answer, self._changes = [], said.split(), changed_by_blocks(said)

    def _read_line(self, text: str) -> None:
        run = self.run
        first = text.partition("\n")[0]
        if counted := _TOKENS.match(text):
            self._tell_notes()
            self._read_tokens(counted, text)
        elif found := _MODEL.match(first):
            self._main = run.model = found[1]
            self._note(text, {"edit format": found[2]})
        elif found := _OTHER_MODEL.match(first):
            self._editor = found[2] if found[1] == "Editor" else self._editor
            self._note(text, {f"{found[1].lower()} model": found[2]})
        elif found := re.match(r"Aider v(\S{1,40})", first):
            run.version = found[1]
            self._note(text)
        elif found := re.match(r"Applied edit to (.{1,1000})", first):
            changes, lines = self._changes.get(found[1], ("", None))
            self._call("edit", {"path": found[1]}, changes=changes, lines=lines)
        elif first.startswith("The LLM did not conform"):
            self._call("edit", {}, result=text, failed=True)
        elif found := re.match(r"Running (.{1,2000})", first):
            self._call("shell", {"command": found[1]})
        elif _ERROR.match(first):
            self._tell_notes()
            run.add_error(text)
            is_limit = "token limit" in first
            run.end(*((Status.FAILED, "context limit") if is_limit else ended_by(text)))
        else:
            if re.match(r"\^C", first):
                run.end(Status.INTERRUPTED, "aborted")
            elif re.match(r"Only \d+ reflections allowed", first):
                run.end(Status.FAILED, "reflection limit")
            elif re.match(r"Commit [0-9a-f]{7}", first):
                run.fields["commits"] = int(str(run.fields.get("commits", 0))) + 1
            self._note(text)

    def _note(self, text: str, fields: Mapping[str, object] | None = None) -> None:
        self._notes.append(text)
        self.run.fields |= {name: value for name, value in (fields or {}).items() if value}

    def _tell_notes(self) -> None:
        if text := "\n".join(self._notes).strip("\n"):
            self.run.add_text(StepKind.NOTICE, text)
        self._notes.clear()

    def _call(self, name: str, arguments: Record, result: str = "", **answer: Any) -> None:
        """Add a call of which aider reports only the end."""
        run = self.run
        self._tell_notes()
        id_ = run.tools.next_id()
        if name == "edit":
            run.add_call(id_, name, arguments)
            run.add_result(ToolResult(id_, result, **answer))
        else:
            run.add_call("", name, arguments)
        run.end_message()  # the message before it has its tokens

    def _read_tokens(self, counted: re.Match[str], text: str) -> None:
        if self._answer:
            self._say_answer()
        else:
            self.run.count_turn()
        sent, written, read, output = (_number(each) for each in counted.groups())
        cached = (written or 0) + (read or 0)
        if sent is not None and sent < cached <= 1.05 * sent:
            sent = cached  # rounded down
        self.run.add_usage(Counts(sent, read, written, output))
        self.run.caveats.add(
            "W_ROUNDED", "Its counts of tokens and its costs are rounded to two to four digits."
        )
        self.run.end(Status.UNKNOWN, "not stated")
        self._end_cost()
        self._awaits_cost = True
        self._read_cost(text)

    def _read_cost(self, text: str) -> bool:
        """Return what a message cost; older versions have it in a line of its own."""
        found = _COST.search(text) if self._awaits_cost else None
        if found is None:
            return False
        self._awaits_cost = False
        (cost, by), (session, session_by) = _amount(found[1]), _amount(found[2])
        self.run.costs.add(cost)
        self._rounded_usd += by
        before, before_by = self._sessions[-1] if self._sessions else (0.0, 0.0)
        rounding = by + session_by + before_by + 1e-9
        if session >= before + cost - rounding:
            self._sessions = self._sessions[:-1]
        elif abs(session - cost) > rounding:
            self._has_older_sums = True
        self._sessions.append((session, session_by))
        return True

    def _end_cost(self) -> None:
        if self._awaits_cost:
            self.run.costs.add(None)

    def finish(self) -> None:
        self._tell_notes()
        self._end_cost()
        self._end_answer()
        if not self.run.identity.keys and self._unkeyed:
            self.run.add_key(*self._unkeyed)
        if not self._has_older_sums and sum(by for _, by in self._sessions) < self._rounded_usd:
            self.run.cost_usd = fsum(cost for cost, _ in self._sessions)


def _number(text: str | None) -> int | None:
    """Return a count such as `4.2k`."""
    digits = (text or "").replace(",", "").lower()
    unit = 1
    if digits[-1:] in _UNITS:
        digits, unit = digits[:-1], _UNITS[digits[-1]]
    return round(float(digits) * unit) if re.fullmatch(r"\d{1,12}(?:\.\d*)?", digits) else None


def _amount(text: str) -> tuple[float, float]:
    """Return an amount, and by how much it may be rounded."""
    digits = text.replace(",", "").rstrip(".")
    if not re.fullmatch(r"\d{1,9}(?:\.\d+)?", digits):
        return 0.0, 0.0
    return float(digits), 0.5 * 10.0 ** -len(digits.partition(".")[2])


def read_result(record: Record, run: RunBuilder) -> bool:
    tries = record.get("tests_outcomes")
    if not text_of(record, "testcase") or not ("edit_format" in record or "exception" in record):
        return False
    run.task, run.model = text_of(record, "testcase"), text_of(record, "model")
    run.see_effort(record, "reasoning_effort")
    run.cost_usd = run.amount_of(record, "cost")
    run.wall_ms = seconds_of(record, "duration")
    run.identity.substitute = text_of(record, "testdir") or run.task
    run.add_key(run.task, run.wall_ms, run.cost_usd)
    sent = count_of(record, "prompt_tokens")
    output = count_of(record, "completion_tokens")
    if sent or output:
        run.add_tokens(Tokens(sent, None, None, output), is_request=False)
    run.note_no_usage()
    run.status = Status.OK
    if isinstance(tries, list) and tries and all(isinstance(each, bool) for each in tries):
        run.turns = len(tries)
        run.outcome = Outcome.PASS if tries[-1] else Outcome.FAIL
        run.scores = [Score("pass at first", float(tries[0]), None, higher_is_better=True)]
    elif said := text_of(record, "exception"):
        run.note_exception(said)
        run.end(*ended_by(said))
        run.outcome = Outcome.ERROR
    if count_of(record, "num_exhausted_context_windows"):
        run.end(Status.FAILED, "context limit")
    left_out = ("testdir", "testcase", "model", "cost", "duration", "chat_hashes")
    run.fields = without(record, *left_out)
    run.check_fields(record, "aider")
    return True


AIDER_RESULT = WholeFormat(
    Format(
        "Aider result", folder="aider", is_whole=True, field_kinds=field_kinds(content="exception")
    ),
    read_result,
)
