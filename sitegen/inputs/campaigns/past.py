"""Campaigns of which only figures are left: published sites, and the history that a site carries.

Both come from wherever somebody fetched them, so they are input like any other: texts are masked once more, and what is
not as sitegen writes it is refused with one sentence.
"""

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from sitegen import __version__
from sitegen.errors import ConfigError, ReadError
from sitegen.inputs import discover
from sitegen.inputs.campaigns.packs import checked, loaded
from sitegen.masking.redact import Redactor
from sitegen.model import Outcome, Source, Status, Verdict
from sitegen.numbers.campaigns import CampaignFigures, RunFacts, counted
from sitegen.numbers.success import judged_over_time
from sitegen.system.bounds import Bounds, known_count, known_number, known_usd

DATA = "data/runs.json"
FIGURES = "data/figures.json"
DATA_SCHEMA = 1
HISTORY = "data/history.jsonl"
HISTORY_SCHEMA = 1

_BOUNDS = Bounds(file_mb=256)
MAX_ATTEMPTS = 5_000  # tasks times models of a campaign that a history keeps
# The limit on the runs of all campaigns of a history: trends take time and memory for each.
MAX_RUNS = 5_000_000


def is_site(path: Path) -> bool:
    """Return whether a path is a published site, or the data of one."""
    return path.suffix == ".json" or os.path.isfile(path / DATA)  # noqa: PTH113  that of Path raises for long names


def site_figures(path: Path, redactor: Redactor, name: str, day: str = "") -> CampaignFigures:
    """Return the campaign of a published site, under its day, on which the last run began if none is given, else under
    the `name`; without a day where no run says when it began.

    Raises: ConfigError.
    """
    file = path if path.suffix == ".json" else path / DATA
    stated = _json(content(file), file, redactor)
    schema, rows = (
        (stated.get("schema"), stated.get("runs")) if isinstance(stated, dict) else (None, None)
    )
    if type(schema) is not int or not isinstance(rows, list):
        raise ConfigError(f"{file}: this is not the data/runs.json of a site.")
    _refuse_newer(file, schema, DATA_SCHEMA, "")
    try:
        facts = [_facts(row) for row in rows]
        began = max((str(row.get("started_at") or "") for row in rows), default="")
        rules = tuple(
            (str(measure), known_count(version) or 1)
            for measure, version in stated.get("rules", {}).items()
        )
    except (ValueError, TypeError, AttributeError, KeyError):
        raise ConfigError(f"{file}: it contains a run that sitegen did not write.") from None
    day = day or (began[:10] if _DAY.match(began[:10]) else "")
    return replace(
        counted(day or name, day, facts), rules=rules, unreadable=_unreadable(file, redactor)
    )


def _unreadable(file: Path, redactor: Redactor) -> int:
    """Return how many files the site of this `data/runs.json` could not read; 0 where its problems are not beside."""
    beside = file.with_name("problems.json")
    if not os.path.isfile(beside):  # noqa: PTH113  that of Path raises for long names
        return 0
    problems = _json(content(beside), beside, redactor)
    rows = problems.get("problems", ()) if isinstance(problems, dict) else ()
    skipped = (
        row for row in rows if isinstance(row, dict) and row.get("verdict") == Verdict.SKIP.value
    )
    return len({str(row.get("file")) for row in skipped if "_OUTCOME" not in str(row.get("code"))})


def figures_in(
    data: bytes, file: Path, redactor: Redactor
) -> dict[tuple[str, str], tuple[Any, ...]]:
    """Return the figures of a site, also of its comparisons, by what they are of and their name: bound, unit, estimate
    and ends of each.

    Raises: ConfigError.
    """
    stated, keys = _json(data, file, redactor), ("bound", "unit", "estimate", "low", "high")
    try:
        _refuse_newer(file, int(stated["schema"]), DATA_SCHEMA, "")
        rows = [
            (
                (" ".join(filter(None, (group["by"], group["name"]))), name),
                tuple(figure[key] for key in keys),
            )
            for group in stated["groups"]
            for name, figure in group["figures"].items()
        ]
        rows += [
            (
                (f"{pair['by']} {pair['b']} against {pair['a']}", f"{measure} {name}"),
                tuple(figure[key] for key in keys),
            )
            for pair in stated.get("comparisons", ())
            for measure, own in pair["figures"].items()
            for name, figure in own.items()
            if isinstance(figure, dict)  # else its effect, or a p-value
        ]
    except (ValueError, TypeError, AttributeError, KeyError):
        raise ConfigError(
            f"{file}: these are not the figures of a site, or they are damaged."
        ) from None
    found = dict(rows)
    if not rows or len(found) < len(rows) or not all(_is_figure(*each) for each in found.values()):
        raise ConfigError(f"{file}: it has no figures, or some that sitegen did not write.")
    return found


def _is_figure(bound: object, unit: object, *numbers: object) -> bool:
    known = all(each is None or known_number(each) is not None for each in numbers)
    return known and bound in ("exact", "lower", "none") and isinstance(unit, str | None)


_DAY = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])\Z")


def _facts(row: dict[str, Any]) -> RunFacts:
    """Raises: ValueError, TypeError, AttributeError, KeyError."""
    outcome = row.get("outcome")
    verdict = judged_over_time(
        Status(row["status"]), known_count(row.get("turns")), Outcome(outcome) if outcome else None
    )
    stated = row.get("computed_cost_usd") if row.get("cost_usd") is None else row["cost_usd"]
    scores = {str(name): known_number(value) for name, value in (row.get("scores") or {}).items()}
    names = {
        key: str(row[key])
        for key in ("task", "model", "configuration", "agent", "effort")
        if row.get(key)
    }
    task, model = names.pop("task", None), names.pop("configuration", None) or names.get("model")
    labels = [str(label) for label in row.get("labels") or ()]
    known = {name: value for name, value in scores.items() if value is not None}
    cost = known_usd(stated) if row.get("cost_bound", "exact") == "exact" else None
    return RunFacts(task, model, verdict, cost, known, labels, row.get("cost_usd") is None, names)


def site_campaign(
    path: Path, name: str | None, day: str | None, redactor: Redactor
) -> CampaignFigures:
    """Return the campaign of a published site. Raises: ConfigError."""
    found = site_figures(path, redactor, "", day or "")
    if not found.day:
        raise ConfigError(
            f"{path}: no run of this site says when it began; write `date: 2026-11-18` beside its path."
        )
    return replace(found, name=name or found.day)


def read_history(path: Path, redactor: Redactor) -> tuple[list[CampaignFigures], int]:
    """Return the campaigns of a history, and how many were dropped from it; none where there is no such file.

    Raises: ConfigError.
    """
    if not os.path.lexists(path):
        return [], 0
    first, *lines = content(path).removesuffix(b"\n").split(b"\n")
    head = _json(first, path, redactor)
    schema = head.get("sitegen_history") if isinstance(head, dict) else None
    if type(schema) is not int:
        raise ConfigError(f"{path}: this is not a history that sitegen wrote.")
    _refuse_newer(path, schema, HISTORY_SCHEMA, redactor(str(head.get("version", "")))[:20])
    try:
        found = [_campaign(_json(line, path, redactor)) for line in lines]
        dropped = known_count(head.get("dropped", 0))
        if dropped is None or not all(map(_is_sound, found)):
            raise ValueError
    except (msgspec.ValidationError, ValueError, TypeError, AttributeError, KeyError):
        raise ConfigError(f"{path}: it contains a campaign that sitegen did not write.") from None
    if sum(own.runs for each in found for own in each.attempts) > MAX_RUNS:
        raise ConfigError(
            f"{path}: this history counts more than {MAX_RUNS:,} runs; keep fewer campaigns."
        )
    return found, dropped


def _campaign(stated: Any) -> CampaignFigures:
    """Raises: msgspec.ValidationError, TypeError, AttributeError, KeyError, ValueError."""
    for own in (*stated["attempts"], *stated.get("strays", ())):
        own["costs"] = _known(own.get("costs", ()), known_usd)
        own["scores"] = [
            (name, _known(values, known_number)) for name, values in own.get("scores", ())
        ]
    return msgspec.convert(stated, CampaignFigures)


def _known(values: Iterable[object], number: Callable[[object], float | None]) -> list[float]:
    return [known for value in values if (known := number(value)) is not None]


def _is_sound(each: CampaignFigures) -> bool:
    """Return whether its counts can be those of a campaign."""
    parts = all(
        0 <= own.passed <= own.judged <= own.judged + own.unjudged <= own.runs
        and 0 <= (own.computed or 0) <= len(own.costs)
        and max(len(own.costs), *(len(values) for _, values in own.scores), 0) <= own.runs
        for own in (*each.attempts, *each.strays)
    )
    counts = all(
        known_count(count) is not None for count in (each.runs, each.left_out, each.unreadable)
    )
    return bool(
        parts
        and counts
        and _DAY.match(each.day)
        and each.name
        and max(len(each.attempts), len(each.strays)) <= MAX_ATTEMPTS
    )


def history(campaigns: Iterable[CampaignFigures], keep: int, dropped: int) -> tuple[bytes, int]:
    """Return the newest campaigns as a file, a line each, and how many were dropped from it by now."""
    ordered = sorted({each.key: each for each in campaigns}.values(), key=lambda each: each.key)
    dropped += max(len(ordered) - keep, 0)
    head = {"sitegen_history": HISTORY_SCHEMA, "version": __version__, "dropped": dropped}
    values: Sequence[object] = [head, *(each.bounded(MAX_ATTEMPTS) for each in ordered[-keep:])]
    return b"".join(msgspec.json.encode(value) + b"\n" for value in values), dropped


def content(file: Path) -> bytes:
    """Raises: ConfigError."""
    if why := discover.missing(str(file)):
        raise ConfigError(f"{file}: {why}.")
    try:
        return discover.read_bytes(Source(file.name, str(file), named=True, size=0), _BOUNDS)
    except ReadError as error:
        raise ConfigError(f"{file}: {error.sentence}") from None


def _json(data: bytes, file: Path, redactor: Redactor) -> Any:
    """Raises: ConfigError."""
    try:
        return checked(loaded(data), redactor, any_number=True)
    except (ValueError, RecursionError, UnicodeError):
        raise ConfigError(
            f"{file}: sitegen did not write it, or it is damaged. Fetch it again; unpack a site that is an archive."
        ) from None


def _refuse_newer(file: Path, schema: int, known: int, version: str) -> None:
    if schema > known:
        wrote = f"sitegen {version} wrote" if version else "A newer sitegen wrote"
        raise ConfigError(
            f"{file}: {wrote} it in form {schema}, and this one reads forms up to {known}; update sitegen."
        )
