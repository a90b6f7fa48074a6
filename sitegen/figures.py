"""The format of figures: the one place where a number becomes text.

Rounding is where reports begin to lie: $0.004 becomes $0.00, 99.97 % becomes 100 %, a missing cost becomes 0.
So every figure of a page comes through here, and each function keeps two promises: what is unknown (None, or
not finite) is a dash, and what is not zero, or not all, is never written as if it were.

There is one rule of rounding, half up on the decimal that is meant: 0.125 is 0.13, and so is 0.145 0.15, though the
float is a little below, and 0.16499999999999998, which adding 0.1 and 0.065 in some order gives, is 0.17. The script of
the table has it too (`decimal` in numbers.js).
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Context, Decimal

from sitegen.model import Outcome, Run, Status, Total

Write = Callable[[float | None], str]

UNKNOWN = "–"

_MINUS = "\u2212"
UNIT_SPACE = _NARROW = "\u202f"  # narrow no-break space, between a number and its unit
_CENT = 0.01
_EXACT = Context(prec=400)  # more digits than any float has before its point


def _decimal(number: float) -> Decimal:
    """Return the decimal that a float stands for: 15 digits, without what was lost when it was computed."""
    return Decimal(number) if isinstance(number, int) else Decimal(f"{number:.15g}")


def _rounded(number: float, decimals: int) -> Decimal:
    """Return half up on the decimal that a number stands for."""
    return _decimal(number).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP, _EXACT)


def _significant(size: float, digits: int) -> Decimal:
    """Return a size above zero, rounded to `digits` significant digits."""
    decimals = digits - 1 - _decimal(size).adjusted()
    return _rounded(size, decimals)


def money(usd: float | None) -> str:
    """Return USD with cents: `$0.88`, `$1,234.50`. Under a cent two significant digits: `$0.004`, `$0.0042`."""
    if usd is None or not math.isfinite(usd):
        return UNKNOWN
    size = abs(usd)
    if size == 0 or size >= _CENT:
        return f"{_sign(usd)}${_rounded(size, 2):,}"
    if size < 1e-6:
        return _below(usd, "$0.000001")
    return f"{_sign(usd)}${_significant(size, 2):f}".rstrip("0")


def cost(run: Run, about: str = "≈ ") -> str:
    """Return what a run cost: `$0.88`, `$0.88+` as a lower bound, `≈ $0.88` at list prices or as an estimate."""
    text = marked(money(run.spent_usd), run.cost_bound == "lower")
    return about + text if run.cost_is_computed or run.cost_bound == "estimate" else text


def money_exact(usd: float | None) -> str:
    """Return USD with all its digits, down to 1e-10: `$1.21176`. For tooltips and comparisons."""
    if usd is None or not math.isfinite(usd):
        return UNKNOWN
    whole, _, part = f"{_rounded(abs(usd), 10):,f}".partition(".")
    part = part.rstrip("0")
    if usd and whole == "0" and not part:
        return _below(usd, "$0.0000000001")
    return f"{_sign(usd)}${whole}.{part.ljust(2, '0')}"


def count(number: float | None) -> str:
    """Return a count in full: `1,565,905`. A median that lies between two counts keeps one decimal."""
    if number is None or not math.isfinite(number):
        return UNKNOWN
    return fixed(number, 0 if number == int(number) else 1)


def count_short(number: float | None) -> str:
    """Return a count for prose and big figures, with three significant digits: `1.40 M`, `12.4 k`, `999`.

    The units are k, M and bn: a thousand, a million, a thousand million.
    """
    if number is None or not math.isfinite(number):
        return UNKNOWN
    size = abs(number)
    if size < 999.5:
        return count(number)
    rounded = _significant(
        size, 3
    )  # before the unit is chosen, so that 999,950 is 1.00 M and not 1,000 k
    unit, power = next(
        (unit, power)
        for unit, power in (("bn", 9), ("M", 6), ("k", 3))
        if rounded.adjusted() >= power
    )
    decimals = max(2 - rounded.adjusted() + power, 0)
    return f"{_sign(number)}{rounded.scaleb(-power, _EXACT):,.{decimals}f}{_NARROW}{unit}"


def duration(ms: float | None) -> str:
    """Return a time for prose: `850 ms`, `4.2 s`, `42 s`, `3 min 18 s`, `1 h 29 min`; from 100 hours on without
    minutes."""
    if ms is None or not math.isfinite(ms):
        return UNKNOWN
    sign = _sign(ms)
    size = abs(ms)
    if 0 < size < 0.5:
        return _below(ms, f"1{_NARROW}ms")
    if size < 999.5:
        return f"{sign}{_rounded(size, 0)}{_NARROW}{'ms' if size else 's'}"
    if size < 9_950:
        return f"{sign}{_rounded(size / 1000, 1)}{_NARROW}s"
    seconds = int(_rounded(size / 1000, 0))
    if seconds < 60:
        return f"{sign}{seconds}{_NARROW}s"
    if seconds < 3600:
        return f"{sign}{seconds // 60}{_NARROW}min {seconds % 60}{_NARROW}s"
    minutes = int(_rounded(size / 60_000, 0))
    if minutes >= 6_000:
        return f"{sign}{_rounded(size / 3_600_000, 0):,}{_NARROW}h"
    return f"{sign}{minutes // 60}{_NARROW}h {minutes % 60}{_NARROW}min"


def clock(ms: float | None) -> str:
    """Return a time for a column headed `Time, min:s`: `3:18`, `89:12`. What rounds to nothing is `<0:01`."""
    if ms is None or not math.isfinite(ms):
        return UNKNOWN
    seconds = int(_rounded(abs(ms) / 1000, 0))
    if ms and not seconds:
        return _below(ms, "0:01")
    return f"{_sign(ms)}{seconds // 60}:{seconds % 60:02}"


def clock_total(ms: float | None) -> str:
    """Format the total of such a column; hours and minutes from one hour up: `2 h 52`."""
    if ms is None or not math.isfinite(ms) or ms < 3_600_000:
        return clock(ms)
    minutes = int(_rounded(ms / 60_000, 0))
    return f"{minutes // 60:,}{_NARROW}h {minutes % 60:02}"


def iso_duration(ms: float) -> str:
    """Return a time for the `datetime` attribute of a `time` element, exact to the millisecond: `PT198.152S`."""
    return f"PT{f'{ms / 1000:.3f}'.rstrip('0').rstrip('.')}S"


def percent(part: float | None, whole: float | None, decimals: int = 0) -> str:
    """Return the share of `part` in `whole`: `91%`. What is not quite all is `>99%`, what is hardly anything `<1%`.

    Unknown when either is unknown or `whole` is not positive.
    """
    share = shares(part, whole, decimals)
    return share if share == UNKNOWN else f"{share}%"


def shares(part: float | None, whole: float | None, decimals: int = 1) -> str:
    """Return the same without the sign, for a column headed `%`: `91.2`, `>99.9`, `<0.1`."""
    if (
        part is None
        or whole is None
        or whole <= 0
        or not math.isfinite(part)
        or not math.isfinite(whole)
    ):
        return UNKNOWN
    ratio = _EXACT.divide(100 * _decimal(part), _decimal(whole))
    shown = ratio.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP, _EXACT)
    if part < whole and shown >= 100:
        return f">{100 - Decimal(1).scaleb(-decimals)}"
    if part > whole and shown <= 100:
        return f">{shown}"
    return _fixed(shown, part, decimals)


def share(part: float | None) -> str:
    """Return a share from 0 to 1 in per cent."""
    return percent(part, 1)


def points(difference: float | None) -> str:
    """Return a difference of two shares in points, with its sign: `+12`; below one point with a decimal."""
    text = fixed(
        None if difference is None else 100 * difference,
        1 if difference and abs(difference) < 0.01 else 0,
    )
    return f"+{text}" if difference and difference > 0 and text[0] != "<" else text


def fixed(number: float | None, decimals: int) -> str:
    """Return a number with fixed decimals: `1,234.50`. What rounds to zero without being it is `<0.01`."""
    if number is None or not math.isfinite(number):
        return UNKNOWN
    return _fixed(_rounded(number, decimals), number, decimals)


def _fixed(rounded: Decimal, number: float, decimals: int) -> str:
    """Return a rounded number as text, and that it is not zero where it is not."""
    text = f"{rounded.copy_abs():,}"
    if number and not rounded:
        return _below(number, f"{Decimal(1).scaleb(-decimals)}")
    return f"{_sign(number)}{text}"


def _below(number: float, least: str) -> str:
    """Return what is nearer to zero than this: `<0.01`, `>−0.01`."""
    return f"<{least}" if number > 0 else f">{_MINUS}{least}"


def times(ratio: float | None, decimals: int | None = None) -> str:
    """Return a ratio: two decimals below ten, fewer above, or so many: `1.37`, `12.4`, `122 k`."""
    if ratio is None or ratio >= 1000:
        return count_short(ratio)
    return fixed(
        ratio, (2 if ratio < 9.995 else 1 if ratio < 99.95 else 0) if decimals is None else decimals
    )


_ROUNDING = 1e-9
_MAX_DECIMALS = 12


def decimals_of(interval: Iterable[float], same: float | None = None) -> int:
    """Return how many decimals the ends of an interval and the figure between them deserve: a tenth of its width
    shows, and at most three digits. If they are claimed to differ from `same`, one more where one would be written
    like it."""
    known = [each for each in interval if math.isfinite(each)]
    largest = max(map(abs, known), default=0.0)
    width = max(known, default=0.0) - min(known, default=0.0)
    decimals = min(max(2 - math.floor(math.log10(largest)), 0), _MAX_DECIMALS) if largest else 0
    if width:
        decimals = min(max(math.ceil(1 - math.log10(width) - _ROUNDING), 0), decimals)
    if same is None:
        return decimals
    return decimals + any(round(each, decimals) == round(same, decimals) != each for each in known)


BESIDE = ("x", "×", "%")  # units that are written at their figure without a space


def score(value: float | None, unit: str | None = None) -> str:
    """Return a score with three digits, or as many as stand before its point: `2.13x`, `14.0 s`, `1,204`."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    if value == int(value) and abs(value) < 1e15:
        text = count(value)
    elif abs(value) < 1e-4:
        text = f"{_sign(value)}{abs(value):.2e}"
    else:
        text = (
            f"{_sign(value)}{_rounded(abs(value), max(2 - _decimal(abs(value)).adjusted(), 0)):,}"
        )
    return with_unit(text, unit)


def with_unit(text: str, unit: str | None) -> str:
    """Return a figure with its unit behind it."""
    unit = (unit or "").strip()
    return f"{text}{'' if unit in BESIDE else _NARROW}{unit}" if unit else text


@dataclass(frozen=True, slots=True)
class FigureFormat:
    """The format of all figures of one column: one unit, named once in the head, and the same decimals."""

    unit: str  # `$`, `k`, `M`, or empty: the head reads `Cost, $` or `Output, k`
    divisor: int
    decimals: int

    def head(self, label: str) -> str:
        """Return `Output, k`; the label alone where there is no unit."""
        return f"{label}, {self.unit}" if self.unit else label

    def write(self, number: float | None) -> str:
        """Return one figure of the column, without the unit."""
        return fixed(None if number is None else number / self.divisor, self.decimals)

    def in_full(self, number: float | None, unit: str | None = None) -> str:
        """Return the same with the unit of the column, or with another: `12.0x`."""
        return UNKNOWN if number is None else with_unit(self.write(number), unit or self.unit)


def money_column(values: Iterable[float | None]) -> FigureFormat:
    """Return a column of USD: cents, or as many decimals (up to four) as its smallest figure needs to keep a digit."""
    smallest = min((abs(value) for value in values if value), default=1.0)
    decimals = 2 if smallest >= _CENT else 3 if smallest >= _CENT / 10 else 4
    return FigureFormat("$", 1, decimals)


def count_column(values: Iterable[float | None]) -> FigureFormat:
    """Return a column of counts: in full below ten thousand, then in k, from a hundred million on in M."""
    largest = max((abs(value) for value in values if value), default=0)
    unit, divisor = (
        ("M", 1_000_000) if largest >= 1e8 else ("k", 1_000) if largest >= 1e4 else ("", 1)
    )
    return FigureFormat(unit, divisor, 1 if unit and largest < 1000 * divisor else 0)


def score_column(unit: str, values: Iterable[float | None]) -> FigureFormat:
    """Return a column of scores: whole numbers as such, else with three digits of the largest and at least one
    decimal."""
    known = [abs(value) for value in values if value]
    if all(value == int(value) for value in known):
        return FigureFormat(unit, 1, 0)
    return FigureFormat(unit, 1, min(max(2 - math.floor(math.log10(max(known))), 1), 4))


def plural(number: int, one: str, many: str | None = None) -> str:
    """Return `1 run`, `3 runs`, `1,234 runs`; `many` where the plural is not formed by an s."""
    return f"{count(number)} {one if number == 1 else many or one + 's'}"


def utc(iso: str | None) -> str:
    """Return a moment to the minute: `2026-01-22 01:05 UTC`. Unknown when it is not an ISO 8601 moment with a zone."""
    try:
        moment = datetime.fromisoformat(iso or "")
        return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if moment.tzinfo else UNKNOWN
    except (ValueError, OverflowError):
        return UNKNOWN


_EPOCH = re.compile(r"(?<=limit reached)\|(\d{10})(?!\d)")


def with_moments(text: str) -> str:
    """Return a message that says when a limit ends, with the moment where it has the seconds since 1970."""
    return _EPOCH.sub(
        lambda found: f" until {utc(datetime.fromtimestamp(int(found[1]), UTC).isoformat())}", text
    )


MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


def days(first: str, last: str) -> str:
    """Return the time from one ISO 8601 moment to another as days in UTC: `9 to 11 June 2026 UTC`. Empty when one is no
    moment."""
    try:
        start, end = (datetime.fromisoformat(moment).astimezone(UTC) for moment in (first, last))
    except (ValueError, OverflowError):
        return ""
    until = f"{end.day} {MONTHS[end.month - 1]} {end.year} UTC"
    if start.date() == end.date():
        return until
    since = str(start.day)
    since += (
        "" if (start.year, start.month) == (end.year, end.month) else f" {MONTHS[start.month - 1]}"
    )
    since += "" if start.year == end.year else f" {start.year}"
    return f"{since} to {until}"


def _sign(number: float) -> str:
    return _MINUS if number < 0 else ""


KIND_LABELS = {
    "cache_read": "cache read",
    "cache_write": "cache write",
    "input": "input",
    "output": "output",
}


KIND_CLASSES = {
    "cache_read": "k-read",
    "cache_write": "k-write",
    "input": "k-input",
    "output": "k-output",
}
"""CSS classes that give each kind its colour."""


@dataclass(frozen=True, slots=True)
class StatusView:
    """A status as a word and a sign, never a colour alone."""

    word: str
    sign: str  # name of the SVG symbol: `#i-<sign>`
    role: str  # CSS class
    detail: str | None


_STATUS = {
    Status.OK: ("completed", "done", "done"),
    Status.FAILED: ("failed", "fail", "fail"),
    Status.STOPPED: ("stopped", "stop", "stop"),
    Status.INTERRUPTED: ("interrupted", "cut", "stop"),
    Status.UNKNOWN: ("unknown", "ask", "muted"),
}


def status_view(status: Status, detail: str | None = None) -> StatusView:
    """Return the word, sign and CSS class of a status."""
    return StatusView(*_STATUS[status], detail)


def outcome_view(outcome: Outcome) -> StatusView:
    """Return the word, sign and CSS class of an outcome."""
    sign = {Outcome.PARTIAL: "part", Outcome.ERROR: "stop"}.get(outcome, outcome.value)
    return StatusView(outcome.value, sign, sign, None)


def capitalized(text: str) -> str:
    """Return the text with its first letter in upper case, and the others as they are: TTFT stays so."""
    return text[:1].upper() + text[1:]


_ACRONYMS = frozenset({"api", "cpu", "f1", "gpu", "id", "itl", "llm", "qps", "tpot", "tps", "ttft"})


def in_words(name: str) -> str:
    """Return the name of a field, a score or a verdict as in a sentence: "ttft_mean" is "TTFT mean"."""
    words = [
        word.upper() if word.lower() in _ACRONYMS else word
        for word in name.replace("_", " ").split()
    ]
    return " ".join(words) or name


def as_title(name: str) -> str:
    """Return the name of a field, a score or a verdict as a heading: "primary_metric" is "Primary metric"."""
    return capitalized(in_words(name))


def sentence_list(parts: Sequence[str], link: str = "and") -> str:
    """Return `a`, `a and b`, `a, b and c`; empty of nothing."""
    return f" {link} ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def from_to(
    low: float, high: float, write: Callable[[float], str], neither: str = "anything"
) -> str:
    """Return both ends of an interval: `$0.30 to $0.90`, `$0.30 or more` where it is open above."""
    if math.isinf(low):
        return f"{write(high)} or less" if math.isfinite(high) else neither
    return f"{write(low)} to {write(high)}" if math.isfinite(high) else f"{write(low)} or more"


def bounded(total: Total, write: Write) -> str:
    """Return a sum as text, with a plus when it is a lower bound."""
    return marked(write(total.value), total.is_lower_bound)


def marked(text: str, is_lower_bound: bool) -> str:
    """Return a figure as text, with a plus when it is a lower bound."""
    return f"{text}+" if is_lower_bound else text
