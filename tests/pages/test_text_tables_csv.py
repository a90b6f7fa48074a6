"""A cell of CSV that a spreadsheet would compute gets an apostrophe, in the data files and in a browser's exports."""

from __future__ import annotations

import csv
import io
import sys

import pytest

from sitegen.pages.text_tables import csv_cell
from tests.support.scripts import called

_SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20\ufe62\ufe63\ufe66\ufe6b"
_UNSEEN = "\x01 \x7f\xa0\xad\u034f\u061c\u1160\u180e\u2003\u200b\u200f\u2028\u202e\u2060\u2069\u3000\u3164\ufe0f\ufeff\uffa0"

GUARDED = {
    **{f"{sign}1+1": f"'{sign}1+1" for sign in _SIGNS},
    **{f"{sign}=1": f"'{sign}=1" for sign in _UNSEEN},
    "\tx": "'\tx",
    "\rx": "'\rx",
    "\t=1": "'\t'=1",
    "\n=1": "'\n'=1",
    "\t\u200b=1": "'\t'\u200b=1",
    "\u200b\t\ufeff @x": "'\u200b\t'\ufeff @x",
    "a;=1": "a;'=1",
    "a;\u200b=1\t-": "a;'\u200b=1\t'-",
    "a\n\u2060+1": "a\n'\u2060+1",
    'a;"=1"': 'a;\'"=1"',
    '";""=1"': '";\'""=1"',
    '"=1"': '\'"=1"',
    "a|=1": "a|'=1",
    "a\uff5c@x": "a\uff5c'@x",
    "a\uff1b\uff1d1": "a\uff1b'\uff1d1",
}
"""Text -> cell."""
BARE = ["", "a=1", "1-2", "a -b", " a", "\u200b", "\ufeffa", "a;b", "x@y", "\u20ac-", "'=1"]
"""Texts that stay as they are."""
CELLS = {**GUARDED, **{text: text for text in BARE}}


def read(line: str) -> str:
    """The first cell of a line of CSV."""
    return next(csv.reader(io.StringIO(line, newline="")))[0]


@pytest.mark.parametrize(("text", "cell"), CELLS.items(), ids=map(ascii, CELLS))
def test_the_data_files_guard_a_cell(text: str, cell: str) -> None:
    assert csv_cell(text) == cell


def test_the_script_guards_the_same_cells() -> None:
    expression = "[...cases.map((text) => `${csvCell(text)},1`), csvCell('-1', true)]"
    made = called('import { csvCell } from "./csv.js";', expression, list(CELLS))
    assert [read(line) for line in made[:-1]] == list(CELLS.values())
    assert made[-1] == "-1"


def test_every_sign_that_python_takes_for_white_space_or_no_sign_is_seen_through() -> None:
    for code in range(sys.maxunicode + 1):
        sign = chr(code)
        if sign.isspace() or code in (0x200B, 0x2060, 0xFEFF):
            assert str(csv_cell(f"{sign}=1")).startswith("'"), hex(code)
