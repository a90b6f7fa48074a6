"""The tables of the package: files with a row a line and tabs between cells, beside the modules that read them."""

from collections.abc import Iterator
from pathlib import Path


def rows(beside: str, table: str) -> Iterator[list[str]]:
    """Yield the rows of a table beside a module, by their cells; lines that begin with `#` are comments."""
    for line in Path(beside).with_name(table).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            yield line.split("\t")
