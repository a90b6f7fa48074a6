"""The picture that a link to the site is shown with: title, cost, runs, success, and where the money went.

It is drawn in the one font that vl-convert brings along, so that a machine without fonts draws it too.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from sitegen import figures
from sitegen.charts import converter
from sitegen.charts.findings import clipped, columns_of
from sitegen.figures import KIND_LABELS, bounded
from sitegen.masking.redact import clean_text, number_masks
from sitegen.model import TOKEN_KINDS
from sitegen.numbers.statistics import CampaignSummary
from sitegen.numbers.success import Success
from sitegen.numbers.wording import cost_text

WIDTH, HEIGHT = 1200, 630  # pixels, as those who show links ask for

_MARGIN = 80
_INNER = WIDTH - 2 * _MARGIN
_COLUMN = _INNER / 3
_TITLE_SIZE, _TITLE_LINES = 68, 2
_INK, _MUTED = "#1a1d23", "#5a626d"
_COLOURS = {"cache_read": "#8294a7", "cache_write": "#6b3fa0", "input": "#3b8ad9", "output": "#c0541a"}
"""The colours of the light scheme, as in tokens.css: the picture has no stylesheet."""


def card(
    title: str,
    summary: CampaignSummary,
    success: Success,
    split: Iterable[Mapping[str, float]],
    finish: Callable[[str], str] = number_masks,
) -> bytes | None:
    """Return the card as PNG; None when vl-convert is missing or cannot draw it. `split` is the cost of runs in USD by
    kind of token, of the runs where it is known; `finish` is the last look at what is to be drawn."""
    svg = finish(card_svg(title, _figures(summary, success), _shares(split)))
    made: bytes | None = converter.call("svg_to_png", svg)
    return made


def _figures(summary: CampaignSummary, success: Success) -> Sequence[tuple[str, str, str]]:
    """Return what the card says in numbers: label, value, note."""
    median = f"median {bounded(summary.median_cost, figures.money)} per run" if summary.median_cost.runs > 1 else ""
    found = [
        ("Cost", cost_text(summary), median),
        ("Runs", figures.count(summary.runs), figures.plural(len(summary.models), "model") if summary.models else ""),
    ]
    if success.judged:
        passed = f"{figures.count(success.passed)} of {figures.plural(success.judged, 'judged run')}"
        found.append(("Success", figures.percent(success.passed, success.judged), passed))
    return found


def _shares(split: Iterable[Mapping[str, float]]) -> Mapping[str, float]:
    """Return the part of each kind of token in the cost, from 0 to 1; empty when nothing is known."""
    runs = list(split)
    sums = {kind: math.fsum(by_kind[kind] for by_kind in runs) for kind in TOKEN_KINDS}
    whole = math.fsum(sums.values())
    return {kind: usd / whole for kind, usd in sums.items()} if whole > 0 else {}


def card_svg(title: str, numbers: Sequence[tuple[str, str, str]], shares: Mapping[str, float]) -> str:
    """Return the card as SVG: text and rectangles, nothing that loads."""
    drawn = [f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>']
    for number, line in enumerate(_lines(number_masks(clean_text(title)))):
        drawn.append(_text(_MARGIN, 130 + number * 80, line, _TITLE_SIZE, bold=True))
    value_size = min(_fitting(value, 72) for _, value, _ in numbers)
    note_size = min(_fitting(note, 26) for _, _, note in numbers)
    for column, (label, value, note) in enumerate(numbers):
        x = _MARGIN + column * _COLUMN
        drawn.append(_text(x, 300, label, 28, bold=True))
        drawn.append(_text(x, 370, value, value_size))
        drawn.append(_text(x, 410, note, note_size, _MUTED))
    if shares:
        drawn.append(_text(_MARGIN, 478, "Where the money went", 28, bold=True))
    left = float(_MARGIN)
    for kind, share in shares.items():
        width = share * _INNER
        drawn.append(f'<rect x="{left:.1f}" y="496" width="{width:.1f}" height="40" fill="{_COLOURS[kind]}"/>')
        label = f"{KIND_LABELS[kind]} {figures.percent(share, 1)}"
        if width > _width(label, 24):
            drawn.append(_text(left, 570, label, 24, _MUTED))
        left += width
    size = f'width="{WIDTH}" height="{HEIGHT}" font-family="Liberation Sans, sans-serif"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(drawn)}</svg>'


def _text(x: float, y: int, text: str, size: int, colour: str = _INK, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:.1f}" y="{y}" font-size="{size}"{weight} fill="{colour}">{html.escape(text)}</text>'


def _fitting(text: str, size: int) -> int:
    """Return the size at which a text keeps to its column, at most `size`."""
    return min(size, math.floor(size * (_COLUMN - 20) / max(_width(text, size), 1)))


def _lines(title: str) -> list[str]:
    """Return the title in as many lines as there is room for; the last ends in an ellipsis where it is cut."""
    room = math.floor(_INNER / _width("0", _TITLE_SIZE))
    lines = [""]
    for word in title.split():
        longer = f"{lines[-1]} {word}".strip()
        if columns_of(longer) <= room or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    last = " ".join(lines[_TITLE_LINES - 1 :])
    return [clipped(line, room) for line in (*lines[: _TITLE_LINES - 1], *filter(None, [last]))]


def _width(text: str, size: int) -> float:
    """Pixels that a text takes at most, roughly: a letter of bold Liberation Sans is seldom wider than this."""
    return 0.6 * size * columns_of(text)
