"""Count lines of code: `python -m benchmarks.size [FOLDER ...]` (default: `sitegen`).

A line counts if a token of code begins or ends on it: blank lines, comments and docstrings do not
(texts below attributes do).
"""

import ast
import io
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

_NOT_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def code_lines(source: str) -> int:
    """Return the number of code lines of a module's text."""
    texts = set(_docstring_lines(ast.parse(source)))
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NOT_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - texts)


def _docstring_lines(tree: ast.AST) -> Iterator[int]:
    """Yield the lines of the docstrings of modules, classes and functions."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if ast.get_docstring(node, clean=False) is not None:
            yield from range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)


if __name__ == "__main__":
    for folder in sys.argv[1:] or ["sitegen"]:
        files = sorted(Path(folder).rglob("*.py"))
        print(
            folder,
            sum(code_lines(path.read_text(encoding="utf-8")) for path in files),
            "code lines in",
            len(files),
        )
