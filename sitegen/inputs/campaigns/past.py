"""Campaigns of which only figures are left: published sites, and the history that a site carries.

Both come from wherever somebody fetched them, so they are input like any other: texts are masked once more, and what is
not as sitegen writes it is refused with one sentence.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
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
from sitegen.numbers.campaigns import Attempts, CampaignFigures, RunFacts, counted
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
    data = _json(content(file), file, redactor)
    if not isinstance(data, dict) or type(data.get("schema")) is not int:
        raise ConfigError(f"{file}: this is not the data/runs.json of a site.")
    _refuse_newer(file, data["schema"], DATA_SCHEMA, "")
    rows = data.get("runs")
    if not isinstance(rows, list):
        raise ConfigError(f"{file}: this is not the data/runs.json of a site.")
    try:
        facts = [_facts(row) for row in rows]
        began = max((str(row.get("started_at") or "") for row in rows), default="")[:10]
        versions = data.get("rules", {}).items()
        rules = tuple((str(measure), known_count(version) or 1) for measure, version in versions)
    except (ValueError, TypeError, AttributeError, KeyError):
        raise ConfigError(f"{file}: it contains a run that sitegen did not write.") from None
    if not day and _DAY.match(began):
        day = began
    figures = counted(day or name, day, facts)
    return replace(figures, rules=rules, unreadable=_count_unreadable(file, redactor))


def _count_unreadable(file: Path, redactor: Redactor) -> int:
    """Return how many files the site of this `data/runs.json` could not read; 0 where its problems are not beside."""
    problems_file = file.with_name("problems.json")
    if not os.path.isfile(problems_file):  # noqa: PTH113  that of Path raises for long names
        return 0
    data = _json(content(problems_file), problems_file, redactor)
    rows = data.get("problems") if isinstance(data, dict) else None
    unreadable = set()
    for row in rows if isinstance(rows, list) else ():
        is_skipped = isinstance(row, dict) and row.get("verdict") == Verdict.SKIP.value
        if is_skipped and "_OUTCOME" not in str(row.get("code")):
            unreadable.add(str(row.get("file")))
    return len(unreadable)


def figures_in(
    data: bytes, file: Path, redactor: Redactor
) -> dict[tuple[str, str], tuple[Any, ...]]:
    """Return the figures of a site, also of its comparisons, by what they are of and their name: bound, unit, estimate
    and ends of each.

    Raises: ConfigError.
    """
    site = _json(data, file, redactor)
    figures: dict[tuple[str, str], tuple[Any, ...]] = {}
    try:
        _refuse_newer(file, int(site["schema"]), DATA_SCHEMA, "")
        for key, figure in _each_figure(site):
            if key in figures:
                raise ValueError(key)
            figures[key] = tuple(figure[name] for name in _OF_FIGURE)
    except (ValueError, TypeError, AttributeError, KeyError):
        raise ConfigError(
            f"{file}: these are not the figures of a site, or they are damaged."
        ) from None
    if not figures or not all(_is_figure(*figure) for figure in figures.values()):
        raise ConfigError(f"{file}: it has no figures, or some that sitegen did not write.")
    return figures


_OF_FIGURE = ("bound", "unit", "estimate", "low", "high")


def _each_figure(site: Any) -> Iterator[tuple[tuple[str, str], Any]]:
    """Yield each figure, by the group or the comparison that it is of and its name.

    Raises: TypeError, AttributeError, KeyError.
    """
    for group in site["groups"]:
        name_of_group = " ".join(filter(None, (group["by"], group["name"])))
        for name, figure in group["figures"].items():
            yield (name_of_group, name), figure
    for pair in site.get("comparisons", ()):
        name_of_pair = f"{pair['by']} {pair['b']} against {pair['a']}"
        for measure, figures in pair["figures"].items():
            for name, figure in figures.items():
                if isinstance(figure, dict):  # else its effect, or a p-value
                    yield (name_of_pair, f"{measure} {name}"), figure


def _is_figure(bound: object, unit: object, *numbers: object) -> bool:
    known = all(number is None or known_number(number) is not None for number in numbers)
    return known and bound in ("exact", "lower", "none") and isinstance(unit, str | None)


_DAY = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])\Z")


def _facts(row: dict[str, Any]) -> RunFacts:
    """Raises: ValueError, TypeError, AttributeError, KeyError."""
    outcome = Outcome(row["outcome"]) if row.get("outcome") else None
    verdict = judged_over_time(Status(row["status"]), known_count(row.get("turns")), outcome)
    is_computed = row.get("cost_usd") is None
    cost = known_usd(row.get("computed_cost_usd") if is_computed else row["cost_usd"])
    if row.get("cost_bound", "exact") != "exact":
        cost = None
    scores: dict[str, float] = {}
    for name, value in (row.get("scores") or {}).items():
        score = known_number(value)
        if score is not None:
            scores[str(name)] = score
    keys = ("task", "model", "configuration", "agent", "effort")
    names = {key: str(row[key]) for key in keys if row.get(key)}
    task = names.pop("task", None)
    model = names.pop("configuration", None) or names.get("model")
    labels = [str(label) for label in row.get("labels") or ()]
    return RunFacts(task, model, verdict, cost, scores, labels, is_computed, names)


def site_campaign(
    path: Path, name: str | None, day: str | None, redactor: Redactor
) -> CampaignFigures:
    """Return the campaign of a published site. Raises: ConfigError."""
    figures = site_figures(path, redactor, "", day or "")
    if not figures.day:
        raise ConfigError(
            f"{path}: no run of this site says when it began; write `date: 2026-11-18` beside its path."
        )
    return replace(figures, name=name or figures.day)


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
        campaigns = [_campaign(_json(line, path, redactor)) for line in lines]
        dropped = known_count(head.get("dropped", 0))
        if dropped is None or not all(map(_is_sound, campaigns)):
            raise ValueError
    except (msgspec.ValidationError, ValueError, TypeError, AttributeError, KeyError):
        raise ConfigError(f"{path}: it contains a campaign that sitegen did not write.") from None
    if sum(cell.runs for campaign in campaigns for cell in campaign.attempts) > MAX_RUNS:
        raise ConfigError(
            f"{path}: this history counts more than {MAX_RUNS:,} runs; keep fewer campaigns."
        )
    return campaigns, dropped


def _campaign(line: Any) -> CampaignFigures:
    """Raises: msgspec.ValidationError, TypeError, AttributeError, KeyError, ValueError."""
    for attempts in (*line["attempts"], *line.get("strays", ())):
        attempts["costs"] = _known(attempts.get("costs", ()), known_usd)
        attempts["scores"] = [
            (name, _known(values, known_number)) for name, values in attempts.get("scores", ())
        ]
    return msgspec.convert(line, CampaignFigures)


def _known(values: Iterable[object], read: Callable[[object], float | None]) -> list[float]:
    return [number for number in map(read, values) if number is not None]


def _is_sound(campaign: CampaignFigures) -> bool:
    """Return whether its counts can be those of a campaign."""
    counts = (campaign.runs, campaign.left_out, campaign.unreadable)
    if None in map(known_count, counts) or not _DAY.match(campaign.day) or not campaign.name:
        return False
    if max(len(campaign.attempts), len(campaign.strays)) > MAX_ATTEMPTS:
        return False
    return all(map(_are_possible, (*campaign.attempts, *campaign.strays)))


def _are_possible(attempts: Attempts) -> bool:
    """Return whether the counts of attempts at a task agree with each other."""
    numbers = [len(attempts.costs), *(len(values) for _, values in attempts.scores)]
    if not 0 <= attempts.passed <= attempts.judged or attempts.unjudged < 0:
        return False
    if not 0 <= (attempts.computed or 0) <= len(attempts.costs):
        return False
    return max(attempts.judged + attempts.unjudged, *numbers) <= attempts.runs


def history(campaigns: Iterable[CampaignFigures], keep: int, dropped: int) -> tuple[bytes, int]:
    """Return the newest campaigns as a file, a line each, and how many were dropped from it by now."""
    by_key = {campaign.key: campaign for campaign in campaigns}
    ordered = [by_key[key] for key in sorted(by_key)]
    dropped += max(len(ordered) - keep, 0)
    head = {"sitegen_history": HISTORY_SCHEMA, "version": __version__, "dropped": dropped}
    lines: list[object] = [head]
    lines += (campaign.bounded(MAX_ATTEMPTS) for campaign in ordered[-keep:])
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines), dropped


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
