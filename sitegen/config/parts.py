"""Parts of the settings that stand for themselves: several campaigns, limits of inputs, and what is masked."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from sitegen.bounds import DEFAULT, Bounds
from sitegen.masking.people import OPTIONAL
from sitegen.masking.redact import KINDS, terminal
from sitegen.names import PathPattern


def known_fields(text: str) -> str:
    PathPattern(text)  # raises ValueError with what is wrong
    return text


def title_text(text: str) -> str:
    line = terminal(text)  # a title stands in pages, in the picture of links and in the terminal
    if not line:
        raise ValueError("write a title that can be read")
    return line


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True)


def _day(text: str) -> str:
    try:
        if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            return date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    raise ValueError("write the day as in 2026-11-18")


_undated = BeforeValidator(lambda value: value.isoformat() if type(value) is date else value)
"""YAML makes dates of what looks like one."""
_Day = Annotated[str, _undated, AfterValidator(_day)]


class Campaign(Section):
    """What a campaign is called where several are shown."""

    name: Annotated[str, Field(min_length=1, max_length=80), AfterValidator(title_text), _undated] | None = None
    """Its name; else that of its pack, else its day."""
    date: _Day | None = None
    """Its day; else that of its pack, else the day on which its last run began."""


class History(Section):
    """Earlier campaigns in one file, to which the build adds this one: `data/history.jsonl` of the site."""

    path: Annotated[str, Field(min_length=1, description="data/history.jsonl of the last site; it may not exist yet.")]
    keep: Annotated[int, Field(ge=1, le=1000)] = 50
    """How many campaigns are kept, the newest."""


def _expression(text: str) -> str:
    try:
        if re.compile(text).match(""):
            raise ValueError("the expression fits an empty text, so it would mask everything")
    except re.error as error:
        raise ValueError(f"this is no regular expression: {error}") from None
    return text


def _masked_kind(kind: str) -> str:
    if kind in OPTIONAL:
        raise ValueError(f"'{kind}' is not masked unless `also` names it")
    return _known_kind(kind, KINDS)


def _optional_kind(kind: str) -> str:
    if kind in KINDS:
        raise ValueError(f"'{kind}' is masked anyway; `also` takes {' and '.join(OPTIONAL)}")
    return _known_kind(kind, OPTIONAL)


def _known_kind(kind: str, known: Sequence[str]) -> str:
    if kind not in known:
        near = difflib.get_close_matches(kind.lower(), known, n=1, cutoff=0.5)
        hint = f", did you mean '{near[0]}'?" if near else "; docs/redaction.md lists them"
        raise ValueError(f"unknown kind '{kind}'{hint}")
    return kind


def _mask_word(kind: str) -> str:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9 .-]{0,39}", kind):
        raise ValueError(f"'{kind}' is to stand in the mask: 1 to 40 letters, digits, spaces, dots or dashes")
    return kind


class Redact(Section):
    """What to mask besides the rules, and what not."""

    literals: Annotated[tuple[Annotated[str, Field(min_length=4)], ...], Field(strict=False)] = ()
    """Texts to mask wherever they stand."""
    patterns: dict[Annotated[str, AfterValidator(_mask_word)], Annotated[str, AfterValidator(_expression)]] = {}
    """Word in the mask: regular expression."""
    allowed_domains: Annotated[tuple[str, ...], Field(strict=False)] = ()
    """Domains whose e-mail addresses are shown."""
    also: Annotated[tuple[Annotated[str, AfterValidator(_optional_kind)], ...], Field(strict=False)] = ()
    """Kinds to mask that are not masked otherwise: `ip address`, `mac address`."""
    off: dict[Annotated[str, AfterValidator(_masked_kind)], Annotated[str, Field(min_length=1)]] = {}
    """Kinds that are not masked, each with a reason, which the about page shows."""


def share(value: object) -> object:
    """`20 %` as 0.2."""
    if isinstance(value, str) and (found := re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?%", value)):
        return float(found[1]) / 100
    return value


class Change(Section):
    """By how much a figure may differ from the baseline."""

    max: Annotated[float, Field(ge=0, allow_inf_nan=False), BeforeValidator(share)] = Field(
        description="As `20 %` or 0.2; of success in points."
    )


class Changes(Section):
    """How a figure may differ from the baseline."""

    increase: Change | None = None
    """How much more it may be."""
    decrease: Change | None = None
    """How much less it may be."""


class TasksChanged(Section):
    """How many tasks may have changed."""

    max: Annotated[int, Field(ge=0)]
    """The most tasks that may have changed."""


class SuccessChanges(Changes):
    """How success may differ from the baseline."""

    newly_failing: TasksChanged | None = None
    """Tasks that passed in the baseline and fail now, by an exact test."""


_UsdPerMillion = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]


class Rates(Section):
    """Prices in USD per million tokens."""

    input: _UsdPerMillion
    """Uncached input."""
    output: _UsdPerMillion
    """Output, thinking included."""
    cache_read: _UsdPerMillion | None = None
    """Reads of the cache; 0.1 times `input` unless given."""
    cache_write: _UsdPerMillion | None = None
    """Writes to the cache; 1.25 times `input` unless given."""
    cache_write_1h: _UsdPerMillion | None = None
    """Writes to the cache for an hour; 2 times `input` unless given."""


class LongRequests(Rates):
    """Prices of requests that send more tokens."""

    tokens: Literal[100_000, 128_000, 199_999, 200_000, 272_000]
    """Tokens sent above which they hold."""


class Price(Rates):
    """List prices of one model in USD per million tokens."""

    above: LongRequests | None = None
    """Of requests that send more tokens."""


class Limits(Section):
    """How large an input may be. The keys are those of `bounds.Bounds`."""

    file_mb: Annotated[int, Field(ge=1)] = DEFAULT.file_mb
    """Size of a result file, in MB."""
    stream_mb: Annotated[int, Field(ge=1)] = DEFAULT.stream_mb
    """Size of a file that may be a stream (`.jsonl`, `.log`, ...), unpacked, in MB."""
    archive_mb: Annotated[int, Field(ge=1)] = DEFAULT.archive_mb
    """What an archive may unpack to, in MB."""
    archive_members: Annotated[int, Field(ge=1)] = DEFAULT.archive_members
    """How many members an archive may have."""
    archive_ratio: Annotated[int, Field(ge=1)] = DEFAULT.archive_ratio
    """How many bytes one packed byte may become."""
    summary_characters: Annotated[int, Field(ge=1)] = DEFAULT.summary_characters
    """A longer summary is shown as plain text."""
    patch_characters: Annotated[int, Field(ge=1)] = DEFAULT.patch_characters
    """How many characters of a patch are shown."""
    result_lines: Annotated[int, Field(ge=1, le=1000)] = DEFAULT.result_lines
    """How many lines of an input or a result of a tool are shown, with `steps: full`."""
    result_kb: Annotated[int, Field(ge=1, le=100)] = DEFAULT.result_kb
    """How many thousands of its characters are shown, with `steps: full`."""

    def bounds(self) -> Bounds:
        """The same, for modules that know nothing of settings."""
        return Bounds(**self.model_dump())
