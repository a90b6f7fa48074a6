"""Limits what any reader returns to the size that a site can show.

A model's name of a megabyte would be in every list, chart and data file of the site. Names keep their beginning and
get a digest, so that different names remain different. The site says what was cut.
"""

import hashlib
import re
from collections.abc import Iterator
from typing import Any

from sitegen.model import Caveat, Denial, Run, Texts, replace
from sitegen.readers.common.json_text import TERMINAL_CODE
from sitegen.readers.common.values import Caveats, beginning

# Odd characters in a run: control characters, and halves of characters.

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")


MAX_USD_PER_TOKEN = 0.01
"""More than ten times the highest price of any model. Besides, a dollar may be for something else, such as searches."""
MAX_BESIDES_USD = 1_000
"""The same where some tokens are not counted."""


def checked(run: Run, caveats: Caveats) -> Run:
    """Return the run without a cost that its tokens contradict, with caveats about that and about odd characters."""
    tokens = run.tokens.total
    most = (1 if run.is_total_exact else MAX_BESIDES_USD) + MAX_USD_PER_TOKEN * (tokens or 0)
    if tokens is not None and run.cost_usd is not None and run.cost_usd > most:
        said = f"It reports ${run.cost_usd:,.2f} for {tokens:,} tokens, which no price comes to"
        caveats.add("W_CONTRADICTION", f"{said}: its cost is unknown.")
        ledger = tuple(replace(line, cost_usd=None) for line in run.ledger)
        run = replace(run, cost_usd=None, ledger=ledger)
    return _with_caveats(run, caveats)


def _with_caveats(run: Run, caveats: Caveats) -> Run:
    said = run.texts
    prose = [said.summary or "", *said.errors, *(f"{d.tool} {d.wanted}" for d in said.denials)]
    if any(
        _CONTROL.search(text) and _CONTROL.search(TERMINAL_CODE.sub("", text)) for text in prose
    ):
        caveats.add("W_CONTROL", "The text contains control characters; they are removed.")
    listed = (text for row in said.fields for text in row)
    everything = "".join(
        (*prose, *listed, *(d.input_json for d in said.denials), said.structured_output or "")
    )
    try:
        everything.encode("utf-8")
    except UnicodeEncodeError:
        caveats.add(
            "W_SURROGATE", "The text contains halves of characters; they are shown as \ufffd."
        )
    is_guess = any(caveat.code == "W_ESTIMATE" for caveat in caveats.all())
    return replace(run, caveats=caveats.all(), cost_is_estimated=is_guess)


MAX_NAME = 200  # the longest name in a list, in characters: a model, a session, an id
MAX_SUMMARY = 1_000_000  # characters: masking a longer one could take minutes
MAX_SCORES = 50
MAX_ERROR = 20_000
MAX_ERRORS = 50
MAX_ERRORS_CHARACTERS = 200_000
MAX_INPUTS = 400_000  # characters of the inputs of all denied tools of a run


_NAMES = (
    "reader status_detail service_tier session_id uuid agent_version effort task evaluation"
).split()


def bounded(run: Run) -> Run:
    """Return the run with no name and no text that is too long to be shown."""
    name = _Names()
    errors = tuple(_errors(run.texts))
    denials = tuple(_denials(run.texts))
    names: dict[str, Any] = {field: name.maybe(getattr(run, field)) for field in _NAMES}
    found = replace(
        run,
        **names,
        ledger=tuple(replace(line, model=name.maybe(line.model)) for line in run.ledger),
        judge=tuple(replace(line, model=name.maybe(line.model)) for line in run.judge),
        results=tuple(replace(result, uuid=name(result.uuid)) for result in run.results),
        given=tuple((what, value if what == "Tools" else name(value)) for what, value in run.given),
        factors=tuple((what, name(value)) for what, value in run.factors),
        scores=tuple(replace(score, name=name(score.name)) for score in run.scores[:MAX_SCORES]),
        locator=run.locator
        if len(run.locator or "") <= MAX_NAME
        else None,  # a longer one costs reading the others
    )
    said = []
    summary = run.texts.summary
    if summary is not None and len(summary) > MAX_SUMMARY:
        said.append(
            f"The summary has {len(summary):,} characters; the first {MAX_SUMMARY:,} are read."
        )
        summary = beginning(summary, MAX_SUMMARY)
    if name.longest:
        said.append(f"A name or an id has {name.longest:,} characters; it is shown shortened.")
    if errors != run.texts.errors:
        said.append("The messages of errors are too long or too many; they are shown shortened.")
    if denials != run.texts.denials:
        said.append("The inputs of denied tools are too long; the later ones are left out.")
    if not said:
        return found if found.locator != run.locator else run
    caveats = (*run.caveats, *(Caveat("W_LIMIT", text) for text in said))
    return replace(
        found,
        caveats=caveats,
        texts=replace(run.texts, summary=summary, errors=errors, denials=denials),
    )


class _Names:
    """Shortens names, and remembers that it had to."""

    def __init__(self) -> None:
        self.longest = 0

    def __call__(self, text: str) -> str:
        if len(text) <= MAX_NAME:
            return text
        self.longest = max(self.longest, len(text))
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        return f"{text[: MAX_NAME - 14]}… {digest}"

    def maybe(self, text: str | None) -> str | None:
        return None if text is None else self(text)


def _errors(texts: Texts) -> Iterator[str]:
    left = MAX_ERRORS_CHARACTERS
    for error in texts.errors[:MAX_ERRORS]:
        most = max(0, min(MAX_ERROR, left))
        yield (
            error
            if len(error) <= most
            else f"{beginning(error, most)}…\n({len(error):,} characters)"
        )
        left -= len(error)


def _denials(texts: Texts) -> Iterator[Denial]:
    left = MAX_INPUTS
    for denial in texts.denials:
        left -= len(denial.input_json)
        yield denial if left >= 0 else replace(denial, input_json="")
