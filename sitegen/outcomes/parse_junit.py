"""Parses JUnit XML, as programs that run tests write it: one verdict on one run.

A document type is refused: only it can declare entities, so none is expanded and nothing outside the file is read.
"""

from xml.parsers import expat

from sitegen.errors import ReadError
from sitegen.figures import plural


def read_junit(data: bytes) -> dict[str, str]:
    """Return the columns `outcome` and `note`: it is a failure if a test failed or could not run, also if only the
    counts of a suite say so.

    Raises: ReadError `E_OUTCOMES` for other XML, if no test ran, and if suites count more tests than the file lists.
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
    ran = tests.listed - len(tests.skipped - tests.failed)
    if not ran:
        raise refused_junit("none of its tests ran")
    if tests.counted > tests.listed:
        missing = tests.counted - tests.listed
        raise refused_junit(
            f"{plural(missing, 'test')} of its suites are not listed, so it was cut"
        )
    failed = max(len(tests.failed), tests.counted_failures)
    note = (
        f"{failed} of {plural(ran, 'test')} failed" if failed else f"{plural(ran, 'test')} passed"
    )
    return {"outcome": "fail" if failed else "pass", "note": note}


class _Tests:
    """Counts the tests of a file as its elements come."""

    def __init__(self) -> None:
        self.listed = 0
        self.failed: set[int] = set()
        self.skipped: set[int] = set()
        self.counted = 0  # by the attributes of its outermost suites, as are the failures
        self.counted_failures = 0
        self._open: list[str] = []

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        """Note the beginning of an element."""
        if not self._open and name not in ("testsuites", "testsuite"):
            raise refused_junit("its outermost element is not `testsuites` or `testsuite`")
        self._open.append(name)
        if name == "testsuite":
            self._add_counts(attributes)
        elif name == "testcase":
            self.listed += 1
            states = {attributes.get("status", "").lower(), attributes.get("result", "").lower()}
            if states & _FAILED:
                self.failed.add(self.listed)
            elif states & _NOT_RUN:
                self.skipped.add(self.listed)
        elif name in ("failure", "error"):
            self.failed.add(self.listed)
        elif name == "skipped":
            self.skipped.add(self.listed)

    def end(self, _name: str) -> None:
        """Note the end of an element."""
        self._open.pop()

    def _add_counts(self, attributes: dict[str, str]) -> None:
        """Add the counts of a suite; one inside another is counted by the outer one."""
        if "testsuite" in self._open[:-1]:
            return
        self.counted += _count(attributes, "tests")
        self.counted_failures += _count(attributes, "failures") + _count(attributes, "errors")


_FAILED = frozenset({"failed", "failure", "error"})
_NOT_RUN = frozenset({"notrun", "disabled", "skipped", "suppressed"})


def _count(attributes: dict[str, str], name: str) -> int:
    """Return a count of a suite; 0 where it is no number."""
    text = attributes.get(name, "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def refuse_document_type(*_declaration: object) -> None:
    """Raises: ReadError."""
    raise refused_junit("it has a document type, which JUnit XML has not")


def refused_junit(reason: str) -> ReadError:
    """Return the error of a file that cannot be used."""
    return ReadError("E_OUTCOMES", f"it cannot be used as JUnit XML: {reason}")
