"""The masked values, in words for those who may have to revoke a key: secrets by kind and place, the rest as counts."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sitegen import figures
from sitegen.masking.personal_data import KINDS, OPTIONAL
from sitegen.masking.redact import ENVIRONMENT, LITERAL
from sitegen.masking.secret_scan import KINDS as SECRETS
from sitegen.model import Masked

_NOT_SECRET = {*KINDS, *OPTIONAL, LITERAL}
"""The kinds that nobody can revoke, or that the settings name as they please."""
_KNOWN = {*SECRETS, ENVIRONMENT}
_MAX_PLACES = 3


@dataclass(frozen=True, slots=True)
class MaskedSecret:
    """Secrets of one kind in one file."""

    kind: str  # the kind, with the number where there are several: `3 × github token`
    path: str
    places: str  # the first few places in the file: `summary, patch`


@dataclass(frozen=True, slots=True)
class MaskedView:
    """The masked values; never a value itself."""

    heading: str
    """The number of secrets, each counted wherever it occurs, and what to do; empty without any."""
    secrets: tuple[MaskedSecret, ...]
    """The secrets by path; those that our rules know before those of the settings' own expressions."""
    others: str
    """Personal data and texts of the settings by kind: `2 × e-mail address`; empty without any."""


NOTHING_MASKED = MaskedView("", (), "")


def masked_view(masked: Iterable[Masked]) -> MaskedView:
    """Return what was masked, in the order in which it comes."""
    found: dict[tuple[str, str], list[Masked]] = {}
    others: Counter[str] = Counter()
    for each in masked:
        if each.kind in _NOT_SECRET:
            others[each.kind] += each.count
        else:
            found.setdefault((each.kind, each.path), []).append(each)
    in_order = sorted(found.items(), key=lambda item: item[0][0] not in _KNOWN)
    total = sum(each.count for several in found.values() for each in several)
    real = "it if it is" if total == 1 else "those that are"
    heading = f"{figures.plural(total, 'secret')} masked; revoke {real} real" if total else ""
    secrets = (
        MaskedSecret(_counted(kind, several), path, _places(several))
        for (kind, path), several in in_order
    )
    rest = ", ".join(
        f"{figures.count(count)} \u00d7 {kind}" for kind, count in sorted(others.items())
    )
    return MaskedView(heading, tuple(secrets), rest)


def _counted(kind: str, masked: Sequence[Masked]) -> str:
    count = sum(each.count for each in masked)
    return kind if count == 1 else f"{figures.count(count)} \u00d7 {kind}"


def _places(masked: Sequence[Masked]) -> str:
    places = list(dict.fromkeys(each.place for each in masked))
    more = len(places) - _MAX_PLACES
    return ", ".join(places[:_MAX_PLACES]) + (f" and {more} more" if more > 0 else "")
