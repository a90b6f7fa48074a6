"""Settings of what is masked besides what the rules find, and of the exceptions."""

import difflib
import re
from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, Field

from sitegen.masking.personal_data import OPTIONAL
from sitegen.masking.redact import KINDS
from sitegen.system.bounds import Section


def _check_expression(text: str) -> str:
    try:
        if re.compile(text).match(""):
            raise ValueError("the expression matches an empty text, so it would mask everything")
    except re.error as error:
        raise ValueError(f"this is not a regular expression: {error}") from None
    return text


def _one_of(known: Sequence[str], others: Sequence[str], why: str) -> AfterValidator:
    """Return what accepts the known kinds, and says why the others are not among them."""

    def check_kind(kind: str) -> str:
        if kind in others:
            raise ValueError(f"'{kind}' is {why}")
        if kind not in known:
            near = [name for name in known if kind.lower() in re.split("[ -]", name)]
            near += difflib.get_close_matches(kind.lower(), known, n=1, cutoff=0.5)
            hint = f", did you mean '{near[0]}'?" if near else "; docs/redaction.md lists them"
            raise ValueError(f"unknown kind '{kind}'{hint}")
        return kind

    return AfterValidator(check_kind)


_MaskedKind = Annotated[str, _one_of(KINDS, OPTIONAL, "not masked unless `also` names it")]
_OptionalKind = Annotated[
    str, _one_of(OPTIONAL, KINDS, f"masked anyway; `also` takes {' and '.join(OPTIONAL)}")
]


def _check_mask_word(kind: str) -> str:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9 .-]{0,39}", kind):
        raise ValueError(
            f"'{kind}' becomes part of the mask: write 1 to 40 letters, digits, spaces, dots or dashes"
        )
    return kind


class Redact(Section):
    """The values to mask besides those the rules find, and the exceptions."""

    literals: Annotated[tuple[Annotated[str, Field(min_length=4)], ...], Field(strict=False)] = ()
    """Texts to mask wherever they stand."""
    patterns: dict[
        Annotated[str, AfterValidator(_check_mask_word)],
        Annotated[str, AfterValidator(_check_expression)],
    ] = {}
    """Word in the mask: regular expression."""
    allowed_domains: Annotated[tuple[str, ...], Field(strict=False)] = ()
    """Domains whose e-mail addresses are shown."""
    also: Annotated[tuple[_OptionalKind, ...], Field(strict=False)] = ()
    """Kinds to mask that are not masked otherwise: `ip address`, `mac address`."""
    off: dict[_MaskedKind, Annotated[str, Field(min_length=1)]] = {}
    """Kinds that are not masked, each with a reason, which the about page shows."""
