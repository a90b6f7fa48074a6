"""Tables of the package."""

from __future__ import annotations

from pathlib import Path

from sitegen.text.tsv import rows


def test_rows_are_the_cells_of_lines_that_are_no_comments(tmp_path: Path) -> None:
    (tmp_path / "table.tsv").write_text("# a\tb\nx\ty z\nä\t\t#1\n", encoding="utf-8")
    assert list(rows(str(tmp_path / "module.py"), "table.tsv")) == [["x", "y z"], ["ä", "", "#1"]]
