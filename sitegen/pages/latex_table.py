"""Tables of pages as LaTeX: the same rows and columns, as wide as a column of the article.

It needs no package but booktabs. Columns have shares of `\\linewidth`, so that a table fits an article in one column
and in two; a figure and what it rests on stand below each other, aligned to the right.
"""

from collections.abc import Callable

from sitegen.masking.redact import Numbers, number_masks
from sitegen.pages.text_tables import latex_text
from sitegen.pages.views import BlockView, CellView, DrawnRowView, HeadView

MAX_SHARED = 8  # columns that have shares of the width; more have the width that they need
_NAME_SHARE = 0.3  # of the first column, at least

Write = Callable[[str], str]


def block_to_latex(block: BlockView) -> str:
    """Return a `tabular` with the rows and columns of a table of a page."""
    numbers: Numbers = {}

    def write(text: str) -> str:
        # Masks are numbered before escaping, which would take them apart.
        return latex_text(number_masks(text, numbers))

    name, *others = block.heads
    heads = [write(name.text), *(_align(head, rf"{write(head.text)}") for head in others)]
    lines = [
        r"% Needs \usepackage{booktabs}.",
        r"{\footnotesize\setlength{\tabcolsep}{3pt}%",
        rf"\begin{{tabular}}{{@{{}}{_columns(block)}@{{}}}}",
        r"\toprule",
        _row(heads),
    ]
    part = None
    for row in block.rows:
        if row.part != part or part is None:
            lines.append(r"\midrule")
            if row.part:
                title = (
                    rf"\multicolumn{{{len(block.heads)}}}{{@{{}}l}}{{\textit{{{write(row.part)}}}}}"
                )
                lines.append(_row([title]))
            part = row.part
        lines.append(_row(_cells(row, others, write)))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}}", ""])


def _columns(block: BlockView) -> str:
    """Return the types of the columns: paragraphs that together are as wide as the line."""
    count = len(block.heads)
    if count > MAX_SHARED:
        return "l" + "".join("l" if head.is_text else "r" for head in block.heads[1:])
    name_share = max(_NAME_SHARE, 1 / count)
    others = [(1 - name_share) / (count - 1)] * (count - 1) if count > 1 else []
    shares = [name_share, *others]
    return "".join(rf"p{{\dimexpr{share:.3f}\linewidth-2\tabcolsep\relax}}" for share in shares)


def _cells(row: DrawnRowView, heads: list[HeadView], write: Write) -> list[str]:
    """Return the cells of a row, its name first."""
    cells = [rf"\raggedright {write(row.name)}"]
    for head, cell in zip(heads, row.cells, strict=False):
        cells.append(_align(head, _figure(cell, write)))
    return cells


def _figure(cell: CellView, write: Write) -> str:
    """Return a figure, with what it rests on below it."""
    note = rf"\linebreak{{\scriptsize {write(cell.note)}}}" if cell.note else ""
    return f"{write(cell.text)}{note}"


def _align(head: HeadView, text: str) -> str:
    side = r"\raggedright" if head.is_text else r"\raggedleft"
    return f"{side} {text}"


def _row(cells: list[str]) -> str:
    # `\\` would break a line in a cell that is aligned to the right.
    return f"{' & '.join(cells)} \\tabularnewline"
