"""Quick first looks at a text: whether an expression fits anywhere in it, in one pass however many branches it has."""

import functools
from collections.abc import Callable, Iterator

from pydantic_core import SchemaValidator, core_schema


@functools.cache
def automaton(pattern: str) -> Callable[[str], bool]:
    """Return a function that says whether the expression fits somewhere in a text.

    pydantic-core, which settings need anyway, checks patterns with the `regex` of Rust: an automaton reads each sign
    once, where `re` tries branch after branch, and knows no lookaround and no references. It takes texts as they lie
    in memory; engines with bindings of their own, such as google-re2, would have each encoded first. A lone surrogate
    fits nothing, so texts must be clean.
    """
    return SchemaValidator(core_schema.str_schema(pattern=pattern)).isinstance_python


def fitting_lines(pattern: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield where the lines begin and end in which the expression fits: a slow expression need not search the
    others."""
    fits = automaton(pattern)
    if not fits(text):
        return
    for start, part in _parts(text):
        for line in part.split("\n") if fits(part) else ():
            end = start + len(line)
            if fits(line):
                yield start, end
            start = end + 1


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """Yield parts of a text, of whole lines, and where they begin: looking at each line alone takes longer."""
    start = 0
    while start <= len(text):
        newline = text.find("\n", start + _LENGTH_OF_PART)
        end = len(text) if newline == -1 else newline
        yield start, text[start:end]
        start = end + 1


_LENGTH_OF_PART = 1_000
