"""Signals: facts about the record of a run that fixed rules find, each with the steps it rests on. None is a verdict.

A reader sees a call in full and notes its traits (`traits_of`, `traits_of_answer`). From traits, kinds and failures
alone `Signals` finds the facts, when a file is first read and again when its pages are made, at every level.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import itemgetter

from sitegen.masking.automaton import automaton
from sitegen.model import by_key
from sitegen.readers.common.records import Record, rows
from sitegen.readers.common.tool_names import commands_in
from sitegen.steps import ToolKind, Trait

MIN_REPEATS = MIN_FAILURES = 3
MAX_SPANS = 20
MAX_LANES = 1_000
REPEATS, FAILURES, TESTS_EDITED, UNCHECKED, NO_TESTS = RULES = (
    "repeats",
    "failures",
    "tests-edited",
    "unchecked",
    "no-tests",
)
"""Keys of the rules, in the order in which pages list what they find."""

# Cheap: what a command that runs tests contains.
_MAY_TEST = re.compile(
    r"(?i)test|spec|\btox\b|\bnox\b|mocha|\bbats\b|check|verif|valid|cucumber|behave|\bprove|proof|cypress|junit"
    r"|\blake\b|\blean\b|coq|rocq|isabelle|agda|dafny|\bfstar|\bidris|\bwhy3"
)
_OF_TESTS = by_key(rows("tests.tsv"), itemgetter(0))
_RUNS, _CHECKED, _DOES_NOT, _FAILED, _PASSED, _SHOWN, _POLLED, _TESTS, _TEXTS = (
    "|".join(map(itemgetter(1), own)) for own in _OF_TESTS.values()
)
_RUNS_TESTS = re.compile(rf"(?:^|\s)(?:\S*/)?(?:{_RUNS})")
# What checks a project in its own way, such as a proof: nobody here knows whether it is what tests are elsewhere.
_MAY_BE_TESTS = re.compile(rf"(?:^|\s)(?:\S*/)?(?:{_CHECKED})", re.IGNORECASE)
_NOT_A_TEST = re.compile(_DOES_NOT)
_SHOWS = re.compile(_SHOWN)
_POLLS = re.compile(_POLLED)
_FAILED_TESTS = re.compile(f"(?im){_FAILED}")
_PASSED_TESTS = re.compile(f"(?im){_PASSED}")
_CANCELLED = re.compile(r"Sibling tool call errored|Cancelled: parallel tool call")
_POLLING_TOOL = re.compile(
    r"(?i)status|poll|wait|monitor|output|sleep|screenshot|snapshot|list_?agents|todo|plan"
)
# A test of a project, by its name and its folder. A `test_….py` elsewhere is mostly a script to try something.
_TEST_PATH = re.compile(f"(?i){_TESTS}")
# Characters at the end of a path in which it is looked for: that takes the square of them.
_MAX_PATH = 400
_PROSE = re.compile(f"(?i){_TEXTS}")
# The text that programs put before an answer and that differs each time.
_VARYING = re.compile(r"(?:Wall time|Chunk ID|duration_seconds)\"?: ?[\w.]+|(?<=sh: line )[0-9]+")


def traits_of(tool: ToolKind, command: str) -> int:
    """Return the traits of a call that its input shows."""
    if tool is not ToolKind.RUN:
        return 0
    if not command:
        return Trait.UNSEEN
    end = command[max(len(command) - 1_000, 4_000) :]
    if not _fits(_MAY_TEST, command[:4_000]) and not _fits(_MAY_TEST, end):
        return 0
    lines = [
        line
        for words in commands_in(command)
        if not _NOT_A_TEST.match(line := " ".join(words)[:1_000])
    ]
    if any(map(_RUNS_TESTS.search, lines)):
        return Trait.TEST
    return Trait.UNSEEN if any(map(_MAY_BE_TESTS.search, lines)) else 0


def traits_of_answer(
    traits: int, tool: ToolKind, command: str, paths: Iterable[str], result: str, *, failed: bool
) -> int:
    """Return the traits of a call with its answer; `paths` are what an edit changed."""
    if failed:
        return traits | (Trait.CANCELLED if _CANCELLED.search(result, 0, 200) else 0)
    end = result[-8_000:] if tool is ToolKind.RUN else ""
    if (
        not traits & Trait.TEST
        and "pass" in end
        and not _SHOWS.match(command)
        and _fits(_PASSED_TESTS, end)
    ):
        traits |= Trait.TEST
    if traits & Trait.TEST and not _fits(_FAILED_TESTS, end):
        traits |= Trait.PASSING
    paths = list(paths)
    is_prose = bool(paths) and all(map(_PROSE.search, paths))
    if any(_TEST_PATH.search(path[-_MAX_PATH:]) for path in paths) and not is_prose:
        traits |= Trait.TEST_FILE
    if (tool is ToolKind.EDIT or paths) and not is_prose:
        traits |= Trait.CODE
    return traits


def _fits(pattern: re.Pattern[str], text: str) -> bool:
    """Return whether an expression without lookaround fits somewhere in a text: of ASCII, which both read alike, an
    automaton says it in a tenth of the time."""
    if text.isascii():
        return automaton(pattern.pattern)(text)
    return pattern.search(text) is not None


def same_as(tool: ToolKind, name: str, given: Record, command: str, result: str) -> int | None:
    """Return a number that is the same for calls with the same tool, input and answer; None where a call cannot be a
    repeat: it polls, or is an edit of which only the path is known. The reason given for a command does not count."""
    is_poll = tool is ToolKind.WAIT or (
        _POLLS.search(command) if command else _POLLING_TOOL.search(name[:100])
    )
    if is_poll or (tool is ToolKind.EDIT and given.keys() <= {"path", "description"}):
        return None
    parts = (
        (key, value if type(value) is str else repr(value))
        for key, value in given.items()
        if key != "description" or "command" not in given
    )
    return hash((name, *parts, _VARYING.sub("", result[:200]), result[200:]))


@dataclass(slots=True)
class Span:
    """Steps that a fact rests on: how many calls, from where to where."""

    first: int
    last: int
    calls: int = 1


@dataclass(slots=True)
class Signals:
    """The facts found so far. `take` gets the calls of a run in their order."""

    spans: dict[str, list[Span]] = field(default_factory=lambda: {rule: [] for rule in RULES})
    has_calls: bool = False
    tests: int = 0
    last_edit: int | None = None
    _passed_since: bool = False
    _is_unseen: bool = False  # whether a command is not stated: nobody knows whether it ran tests
    # Stretches of repeats and of failures that may go on, by rule and lane.
    _open: dict[tuple[str, str], Span] = field(default_factory=dict)

    def take(self, number: int, lane: str, failed: bool | None, traits: int) -> None:
        """Take the next call."""
        self.has_calls = True
        if len(self._open) < 2 * MAX_LANES or (REPEATS, lane) in self._open:
            self._stretch(REPEATS, lane, number, MIN_REPEATS, goes_on=bool(traits & Trait.REPEAT))
            if not traits & Trait.CANCELLED:
                self._stretch(
                    FAILURES,
                    lane,
                    number,
                    MIN_FAILURES,
                    goes_on=failed is True,
                    begins=failed is True,
                )
        if traits & Trait.TEST:
            self.tests += 1
            self._passed_since |= bool(traits & Trait.PASSING)
        if traits & Trait.CODE:
            self.last_edit = number
            self._passed_since = False
        self._is_unseen |= bool(traits & Trait.UNSEEN)
        if traits & Trait.TEST_FILE and len(self.spans[TESTS_EDITED]) < MAX_SPANS:
            self.spans[TESTS_EDITED].append(Span(number, number))

    def _stretch(
        self, rule: str, lane: str, number: int, least: int, *, goes_on: bool, begins: bool = True
    ) -> None:
        span = self._open.get((rule, lane))
        if goes_on and span is not None:
            span.last = number
            span.calls = span.calls + 1
            if span.calls == least and len(self.spans[rule]) < MAX_SPANS:
                self.spans[rule].append(span)
        elif begins:
            self._open[rule, lane] = Span(number, number)
        else:
            self._open.pop((rule, lane), None)

    @property
    def state_of_tests(self) -> str | None:
        """The state of the tests, as in `StepCounts.tests`."""
        if not self.has_calls or (self._is_unseen and not self._passed_since):
            return None
        if not self.tests:
            return "none"
        return "passed" if self._passed_since else "unchecked"

    def found(self) -> dict[str, list[Span]]:
        """Return what each rule found, in the order of the rules."""
        spans = dict(self.spans)
        state = self.state_of_tests
        if self.last_edit is not None and state in ("none", "unchecked"):
            spans[UNCHECKED if state == "unchecked" else NO_TESTS] = [
                Span(self.last_edit, self.last_edit)
            ]
        return {rule: spans[rule] for rule in RULES if spans[rule]}
