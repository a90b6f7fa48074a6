"""Limits what any reader returns to the size that a site can show.

A model's name of a megabyte would be in every list, chart and data file of the site. Names keep their beginning and
get a digest, so that different names remain different. The site says what was cut.
"""

import hashlib
import re
from collections.abc import Iterator
from operator import attrgetter
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
    texts = run.texts
    prose = [texts.summary or "", *texts.errors]
    for denial in texts.denials:
        prose += (denial.tool, denial.wanted)
    if any(map(_has_control, prose)):
        caveats.add("W_CONTROL", "The text contains control characters; they are removed.")
    everything = [*prose, texts.structured_output or ""]
    everything += (denial.input_json for denial in texts.denials)
    for row in texts.fields:
        everything += row
    try:
        "".join(everything).encode("utf-8")
    except UnicodeEncodeError:
        caveats.add(
            "W_SURROGATE", "The text contains halves of characters; they are shown as \ufffd."
        )
    said = caveats.all()
    if not said:
        return run
    is_guess = any(caveat.code == "W_ESTIMATE" for caveat in said)
    return replace(run, caveats=said, cost_is_estimated=is_guess)


def _has_control(text: str) -> bool:
    """Return whether a text has control characters besides the codes of a terminal."""
    return bool(_CONTROL.search(text)) and bool(_CONTROL.search(TERMINAL_CODE.sub("", text)))


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
_names_of = attrgetter(*_NAMES)


def bounded(run: Run) -> Run:
    """Return the run with no name and no text that is too long to be shown."""
    texts = run.texts
    summary = texts.summary
    said: list[str] = []
    if summary is not None and len(summary) > MAX_SUMMARY:
        said.append(
            f"The summary has {len(summary):,} characters; the first {MAX_SUMMARY:,} are read."
        )
        summary = beginning(summary, MAX_SUMMARY)
    longest = max(map(len, _names_in(run)))
    if longest > MAX_NAME:
        said.append(f"A name or an id has {longest:,} characters; it is shown shortened.")
    errors = tuple(_errors(texts))
    if errors != texts.errors:
        said.append("The messages of errors are too long or too many; they are shown shortened.")
    denials = tuple(_denials(texts))
    if denials != texts.denials:
        said.append("The inputs of denied tools are too long; the later ones are left out.")
    if len(run.scores) > MAX_SCORES:
        said.append(f"It has {len(run.scores):,} scores; the first {MAX_SCORES} are read.")
        run = replace(run, scores=run.scores[:MAX_SCORES])
    if run.locator is not None and len(run.locator) > MAX_NAME:
        run = replace(run, locator=None)  # a longer one costs reading the others
    if not said:
        return run
    return replace(
        _with_short_names(run),
        caveats=(*run.caveats, *(Caveat("W_LIMIT", text) for text in said)),
        texts=replace(texts, summary=summary, errors=errors, denials=denials),
    )


def _names_in(run: Run) -> Iterator[str]:
    yield from filter(None, _names_of(run))
    for line in (*run.ledger, *run.judge):
        yield line.model or ""
    for result in run.results:
        yield result.uuid
    for what, value in run.given:
        yield "" if what == "Tools" else value
    for _, value in run.factors:
        yield value
    for score in run.scores:
        yield score.name


def _with_short_names(run: Run) -> Run:
    names: dict[str, Any] = {field: _short(getattr(run, field)) for field in _NAMES}
    given = ((what, value if what == "Tools" else _short(value)) for what, value in run.given)
    return replace(
        run,
        **names,
        ledger=tuple(replace(line, model=_short(line.model)) for line in run.ledger),
        judge=tuple(replace(line, model=_short(line.model)) for line in run.judge),
        results=tuple(replace(result, uuid=_short(result.uuid)) for result in run.results),
        given=tuple(given),
        factors=tuple((what, _short(value)) for what, value in run.factors),
        scores=tuple(replace(score, name=_short(score.name)) for score in run.scores),
    )


def _short(name: str | None) -> str | None:
    if name is None or len(name) <= MAX_NAME:
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{name[: MAX_NAME - 14]}… {digest}"


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
