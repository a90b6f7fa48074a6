"""Addresses of earlier versions at which nothing is shown any more: each leads to where its subject is shown now.

They follow from the runs alone, so that every build of them has the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice

from sitegen.html.render import Page
from sitegen.inputs.survey import run_page_id
from sitegen.masking.redact import Redactor
from sitegen.model import Entry
from sitegen.names import display_name, earlier_name, run_path, spelled_out
from sitegen.numbers.statistics import Dimension, group_by
from sitegen.pages.compare import MOST_PAIRS, OVERVIEW_PATH, Chosen, pair_path, pairs_of
from sitegen.pages.report import Report
from sitegen.pages.site import Site
from sitegen.pages.views import LinkView, group_path


def moved_pages(site: Site, report: Report, written: Sequence[str]) -> Iterator[Page]:
    """A page for each of these addresses; `written` are the paths of all pages of runs."""
    entries = report.facts.entries
    now = {name: entry.model for entry in entries if entry.model and (name := _earlier_model(entry))}
    places = dict(_of_runs(report, site.redactor, written))
    places |= {group_path("model", name): group_path("model", model) for name, model in now.items()}
    if not site.config.compare:
        places |= _of_pairs(report, now)
    taken = {*written, *(group_path("model", name) for name in now.values())}
    taken |= {pair_path(*pair) for pair, _ in report.compared.pairs}
    for path, to in places.items():
        if path not in taken:
            yield Page(
                path=path,
                template="moved.html.jinja",
                title="Moved",
                description="What was shown at this address is shown elsewhere now.",
                section="",
                view=LinkView(to, "Go there"),
            )


def _earlier_model(entry: Entry) -> str | None:
    """What a model was called before names lost their routes."""
    raw = entry.run.ledger[0].model if entry.run.model is not None else entry.stated_model
    return _earlier_name(raw, entry.model) if raw and entry.model else entry.model


@lru_cache(maxsize=1024)
def _earlier_name(raw: str, model: str) -> str:
    is_named = model != spelled_out(display_name(raw))  # by the settings, which named it then
    return model if is_named else earlier_name(raw)


def _of_runs(report: Report, redactor: Redactor, written: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Of files that hold nothing but another run, which is shown: its page and its transcript."""
    copies = [
        (run_page_id(each.path, each.path, redactor), each.page_id)
        for each in report.problems
        if each.code == "W_DUPLICATE"
    ]
    of_runs: dict[str, list[str]] = {run: [] for _, run in copies if run}
    for path in written:
        folder, _, rest = path.partition("/")
        if folder == "runs" and (own := of_runs.get(rest.partition("/")[0].removesuffix(".html"))) is not None:
            own.append(path)
    for copy, run in copies:
        for path in of_runs.get(run or "", ()):
            if path.endswith(".html"):
                yield path.replace(run_path(run or "")[:-5], run_path(copy)[:-5], 1), path


def _of_pairs(report: Report, now: Mapping[str, str]) -> dict[str, str]:
    """Of pairs that are not compared any more, labels above all, or whose models were called otherwise."""
    entries = report.facts.entries
    before = [replace(entry, model=_earlier_model(entry)) for entry in entries]
    groups = {by: group_by(before, by) for by in (Dimension.MODEL, Dimension.CAMPAIGN, Dimension.LABEL)}
    pages = {(by, *order): pair_path(by, a, b) for (by, a, b), _ in report.compared.pairs for order in ((a, b), (b, a))}
    places, effects = {}, report.compared.overview.effects
    for by, a, b in islice(pairs_of(groups, Chosen()), MOST_PAIRS):
        own = (now.get(a, a), now.get(b, b)) if by is Dimension.MODEL else (a, b)
        places[pair_path(by, a, b)] = pages.get(
            (by, *own), effects.href if effects and by is Dimension.MODEL else OVERVIEW_PATH
        )
    return places
