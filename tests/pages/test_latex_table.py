"""Tables of pages as LaTeX: the rows, columns and notes of the page, within the width of a column."""

from __future__ import annotations

import re

from sitegen.pages.latex_table import MAX_SHARED, block_to_latex
from sitegen.pages.views import BlockView, CellView, DrawnRowView, HeadView

HEADS = (HeadView("Configuration"), HeadView("Model", is_text=True), HeadView("Hard_%"))


def row(name: str, part: str = "") -> DrawnRowView:
    return DrawnRowView(name, (CellView("m"), CellView("46%", "18 of 39")), part=part)


def test_a_table_has_the_rows_and_columns_of_the_page() -> None:
    rows = (row("a & b", "vLLM"), row("c", "vLLM"), row("a & b", "SGLang"))
    lines = block_to_latex(BlockView("id", "Heading", "", HEADS, rows)).splitlines()
    assert lines[0] == r"% Needs \usepackage{booktabs}."
    assert lines[4:8] == [
        r"Configuration & \raggedright Model & \raggedleft Hard\_\% \tabularnewline",
        r"\midrule",
        r"\multicolumn{3}{@{}l}{\textit{vLLM}} \tabularnewline",
        r"\raggedright a \& b & \raggedright m & \raggedleft 46\%\linebreak{\scriptsize 18 of 39}"
        r" \tabularnewline",
    ]
    assert [line for line in lines if "multicolumn" in line][1].count("SGLang") == 1
    assert lines.count(r"\midrule") == 2
    assert lines[-2:] == [r"\bottomrule", r"\end{tabular}}"]


def test_columns_share_the_width_of_the_line() -> None:
    text = block_to_latex(BlockView("id", "", "", HEADS, (row("a"),)))
    shares = [float(share) for share in re.findall(r"dimexpr([0-9.]+)\\linewidth", text)]
    assert len(shares) == 3 and abs(sum(shares) - 1) < 0.01
    wide = tuple(HeadView(f"h{at}") for at in range(MAX_SHARED + 1))
    assert r"\linewidth" not in block_to_latex(BlockView("id", "", "", wide, ()))
