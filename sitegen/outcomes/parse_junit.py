"""Parses JUnit XML, as programs that run tests write it: one verdict on one run.

A document type is refused: only it can declare entities, so none is expanded and nothing outside the file is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from xml.parsers import expat

from sitegen.errors import ReadError
from sitegen.figures import plural


def read_junit(data: bytes) -> dict[str, str]:
    """Return the columns `outcome` and `note`: it is a failure if a test failed or could not run, also if only the
    counts of a suite say so.

    Raises: ReadError `E_OUTCOMES` for other XML, if no test ran, if a count is no number, and if suites count tests
    that the file does not list and that are not said to be left out.
    """
    tests = _Tests()
    parser = expat.ParserCreate()
    parser.StartElementHandler = tests.begin
    parser.EndElementHandler = tests.end
    parser.StartDoctypeDeclHandler = refuse_document_type
    try:
        parser.Parse(data, True)
    except ReadError:
        raise
    except (expat.ExpatError, ValueError, LookupError) as error:  # the last two: its encoding
        raise refused_junit(str(error)) from None
    listed = tests.counts
    if not listed.ran:
        raise refused_junit("none of its tests ran")
    counted = tests.counted
    missing = counted.tests - listed.tests
    not_listed = max(0, counted.not_run - listed.not_run)  # a suite need not list what did not run
    if missing > not_listed:
        raise refused_junit(
            f"its suites count {plural(counted.tests, 'test')} and it lists {listed.tests}, so it was cut"
        )
    tests_ran = plural(listed.ran, "test")
    if counted.failed > listed.ran:
        note = f"its suites count {plural(counted.failed, 'failure')} in {tests_ran}"
    elif failed := max(listed.failed, counted.failed):
        note = f"{failed} of {tests_ran} failed"
    else:
        return {"outcome": "pass", "note": f"{tests_ran} passed"}
    return {"outcome": "fail", "note": note}


@dataclass
class _Counts:
    """The tests of a suite, or of several."""

    tests: int = 0
    failed: int = 0
    not_run: int = 0  # skipped or disabled

    @property
    def ran(self) -> int:
        """The tests that ran."""
        return self.tests - self.not_run

    def add(self, other: _Counts) -> None:
        """Add the tests of another suite."""
        self.tests += other.tests
        self.failed += other.failed
        self.not_run += other.not_run


class _Tests:
    """Counts the tests of a file as its elements come."""

    def __init__(self) -> None:
        self._failed: set[int] = set()
        self._skipped: set[int] = set()
        self._listed = 0
        self._open: list[str] = []
        self._stated: list[_Counts] = []  # the attributes of each suite that is open
        self._inside: list[_Counts] = [_Counts()]  # what is in the file, then in each of these
        self.counted = self._inside[0]
        """The counts of suites: of each the more of its own count and the sum of those in it."""

    @property
    def counts(self) -> _Counts:
        """The tests that the file lists."""
        not_run = len(self._skipped - self._failed)
        return _Counts(self._listed, len(self._failed), not_run)

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        """Note the beginning of an element."""
        if not self._open and name not in _SUITES:
            raise refused_junit("its outermost element is not `testsuites` or `testsuite`")
        self._open.append(name)
        if name in _SUITES:
            self._stated.append(_read_counts(attributes))
            self._inside.append(_Counts())
        elif name == "testcase":
            self._listed += 1
            states = {attributes.get("status", "").lower(), attributes.get("result", "").lower()}
            if states & _FAILED:
                self._failed.add(self._listed)
            elif states & _NOT_RUN:
                self._skipped.add(self._listed)
        elif name in ("failure", "error"):
            self._failed.add(self._listed)
        elif name == "skipped":
            self._skipped.add(self._listed)

    def end(self, name: str) -> None:
        """Note the end of an element."""
        self._open.pop()
        if name in _SUITES:
            stated, inside = self._stated.pop(), self._inside.pop()
            self._inside[-1].add(
                _Counts(
                    max(stated.tests, inside.tests),
                    max(stated.failed, inside.failed),
                    max(stated.not_run, inside.not_run),
                )
            )


def _read_counts(attributes: dict[str, str]) -> _Counts:
    """Return what a suite says of its tests. Raises: ReadError."""
    return _Counts(
        _count(attributes, "tests"),
        _count(attributes, "failures") + _count(attributes, "errors"),
        _count(attributes, "skipped") + _count(attributes, "disabled"),
    )


_SUITES = frozenset({"testsuites", "testsuite"})
_FAILED = frozenset({"fail", "failed", "failure", "error"})
_NOT_RUN = frozenset({"notrun", "disabled", "skipped", "suppressed"})


def _count(attributes: dict[str, str], name: str) -> int:
    """Return a count of a suite; 0 where it has none. Raises: ReadError."""
    text = attributes.get(name, "").strip()
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise refused_junit(f"`{name}` of a suite is no count")
    return int(text)


def refuse_document_type(*_declaration: object) -> None:
    """Raises: ReadError."""
    raise refused_junit("it has a document type, which JUnit XML has not")


def refused_junit(reason: str) -> ReadError:
    """Return the error of a file that cannot be used."""
    return ReadError("E_OUTCOMES", f"it cannot be used as JUnit XML: {reason}")
