"""Parses JUnit XML, as programs that run tests write it: one verdict on one run.

A document type is refused: only it can declare entities, so none is expanded and nothing outside the file is read.
"""

from xml.parsers import expat

from sitegen.errors import ReadError
from sitegen.figures import plural


def read_junit(data: bytes) -> dict[str, str]:
    """Return the columns `outcome` and `note`: it is a failure if a test failed or could not run.

    Raises: ReadError `E_OUTCOMES` for other XML, and if no test ran.
    """
    suites: list[str] = []
    tests = 0
    failed: set[int] = set()
    skipped: set[int] = set()

    def begin(name: str, _attributes: dict[str, str]) -> None:
        nonlocal tests
        if not suites and name not in ("testsuites", "testsuite"):
            raise refused_junit("its outermost element is not `testsuites` or `testsuite`")
        suites.append(name)
        if name == "testcase":
            tests += 1
        elif name in ("failure", "error"):
            failed.add(tests)
        elif name == "skipped":
            skipped.add(tests)

    parser = expat.ParserCreate()
    parser.StartElementHandler = begin
    parser.StartDoctypeDeclHandler = refuse_document_type
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise refused_junit(str(error)) from None
    ran = tests - len(skipped - failed)
    if not ran:
        raise refused_junit("none of its tests ran")
    passed = f"{plural(ran, 'test')} passed"
    note = f"{len(failed)} of {plural(ran, 'test')} failed" if failed else passed
    return {"outcome": "fail" if failed else "pass", "note": note}


def refuse_document_type(*_declaration: object) -> None:
    """Raises: ReadError."""
    raise refused_junit("it has a document type, which JUnit XML has not")


def refused_junit(reason: str) -> ReadError:
    """Return the error of a file that cannot be used."""
    return ReadError("E_OUTCOMES", f"it cannot be used as JUnit XML: {reason}")
