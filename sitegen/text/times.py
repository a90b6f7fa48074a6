"""The parser of times in foreign files: ISO 8601, and numbers since 1970 of any unit."""

from datetime import UTC, datetime

_UNITS = (1, 1_000, 1_000_000, 1_000_000_000)
"""Per second. The numbers of this century differ so much by unit that each has only one reading."""
# This century, in seconds since 1970
_FIRST = 946_684_800
_END = 4_102_444_800


def moment_of(time: object, *, naive: bool = False) -> datetime | None:
    """Return a moment of this century with its zone; None for anything else. `naive` accepts one without a zone as UTC:
    for formats that say so, and for differences."""
    try:
        if isinstance(time, str):
            moment = datetime.fromisoformat(time)
            if moment.tzinfo is None and naive:
                moment = moment.replace(tzinfo=UTC)
            return moment if moment.tzinfo and 2000 <= moment.year < 2100 else None
        if isinstance(time, int | float) and not isinstance(time, bool):
            unit = next((unit for unit in _UNITS if _FIRST <= time / unit < _END), None)
            return None if unit is None else datetime.fromtimestamp(time / unit, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None


def milliseconds_of(time: object, *, naive: bool = False) -> int | None:
    """Return the same in milliseconds since 1970."""
    moment = moment_of(time, naive=naive)
    return None if moment is None else round(moment.timestamp() * 1000)


def utc_text(time: object) -> str | None:
    """Return the same as ISO 8601 in UTC, to the second."""
    moment = moment_of(time)
    return None if moment is None else f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
