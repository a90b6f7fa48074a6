"""Runs for notebooks and scripts: the same reading as the command, and the same columns as the data files.

It adds nothing of its own, so that a figure computed in a notebook is the figure on the page.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from sitegen import figures
from sitegen.charts import chart_set
from sitegen.charts.chart_files import altair_chart, light_colors
from sitegen.charts.findings import Finding
from sitegen.collect import collect
from sitegen.config import Config, load
from sitegen.errors import ConfigError
from sitegen.fields import fields_of
from sitegen.html import theme
from sitegen.masking.redact import NumberingRedactor
from sitegen.model import Entry, Problem
from sitegen.numbers.intervals import Question
from sitegen.numbers.pricing import PriceTable
from sitegen.numbers.statistics import summarize
from sitegen.numbers.success import success
from sitegen.numbers.wording import cost_text, counts
from sitegen.pages import data
from sitegen.pages.chart_parts import said
from sitegen.pages.site import model_styles

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True, repr=False)
class Runs(Sequence[Entry]):
    """The runs of a campaign, each once, by path. A slice of it is a `Runs` too."""

    entries: tuple[Entry, ...]
    prices: PriceTable
    """The prices for list prices and the split of costs in `to_dicts`."""
    problems: tuple[Problem, ...] = ()
    """The problems: what could not be read, is doubtful, or was merged: as on the problems page. A slice has all of
    them."""
    question: Question = Question.TASKS_LIKE_THESE
    """The question that the intervals of charts answer."""

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> Runs: ...
    def __getitem__(self, index: int | slice) -> Entry | Runs:
        if isinstance(index, slice):
            return Runs(self.entries[index], self.prices, self.problems, self.question)
        return self.entries[index]

    def __len__(self) -> int:
        return len(self.entries)

    def __repr__(self) -> str:
        return "\n".join(self._counts())

    def _repr_html_(self) -> str:
        """Return the same for notebooks."""
        return "<br>".join(self._counts())

    def _counts(self) -> list[str]:
        """Return lines that say what these are, without a name of any run."""
        tasks = {entry.task for entry in self.entries if entry.task}
        runs = figures.plural(len(self.entries), "run")
        judged = success(self.entries)
        return [
            f"{runs} of {figures.plural(len(tasks), 'task')}" if tasks else runs,
            f"{counts(judged)} passed" if judged.judged else "no run is judged",
            f"cost {cost_text(summarize(self.entries))}",
            figures.plural(len(self.problems), "problem"),
        ]

    def to_dicts(self) -> list[data.Row]:
        """Return one dict for each run, as in `data/runs.json` of a site: keys in the order of
        `sitegen.fields`.

        Units stand in the keys: `_usd` US dollars, `_ms` milliseconds, `_tokens` counts. Unknown is None and never 0.
        `models`, `model_ids`, `labels` and `warnings` are lists of texts, `scores` is a dict of numbers, which
        stand in columns `score.<name>` too.
        """
        return list(data.rows(self.entries, lambda entry: self.prices.check(entry.run)))

    def to_pandas(self) -> pandas.DataFrame:
        """Return `to_dicts` as a pandas table, one row for each run; install pandas for it.

        `started_at` is a moment in UTC, numbers are `Float64` and `Int64`, texts `string`: unknown is `<NA>` in each.
        Units stand in the names, and in `attrs["units"]` by name.
        Raises: ImportError without pandas.
        """
        import pandas

        types = {"number": "Float64", "whole": "Int64", "text": "string"}
        fields = {field.key: field.type for field in fields_of(self.entries)}
        keys = list(fields)
        table = pandas.DataFrame(self.to_dicts(), columns=keys, dtype=object)
        for key, kind in fields.items():
            if kind == "time":
                table[key] = pandas.to_datetime(table[key], utc=True)
            elif kind in types:
                table[key] = table[key].astype(types[kind])
        named = (
            ("_usd", "US dollars"),
            ("_ms", "milliseconds"),
            ("_seconds", "seconds"),
            ("_tokens", "tokens"),
        )
        table.attrs["units"] = {
            key: unit for key in keys for end, unit in named if key.endswith(end)
        }
        return table

    def chart(self, name: str) -> Any:
        """Return a chart of the index of a site, as an `altair.LayerChart` with its data: one of CHARTS.

        Raises: ValueError for another name, or where the chart would say nothing of these runs, with the reason.
        """
        if name not in CHARTS:
            raise ValueError(f"There is no chart {name!r}: write one of {', '.join(CHARTS)}.")
        checks = {entry.id: self.prices.check(entry.run) for entry in self.entries}
        style = theme.load(None)
        colors = style.assets[style.asset_paths["site.css"]] + model_styles(self.entries)
        made = chart_set.said_of(**said(self.entries, checks, self.prices, self.question))
        finding = made[name.replace("_", "-")]
        if not isinstance(finding, Finding):
            raise ValueError(finding or self._why_no_chart(name))
        return altair_chart(finding, light_colors(colors.decode()))

    def _why_no_chart(self, name: str) -> str:
        """Return what a chart needs that these runs do not have."""
        if name == "spend":
            return "No run says when it began."
        if len({entry.compared_as for entry in self.entries}) < MIN_COMPARED:
            return "All runs are of one model and agent, so there is nothing to compare."
        if name == "cost_by_score":
            return "No run has a score of a known direction: add `scores` to the settings."
        return "No run is judged: name `outcomes` in the settings."


MIN_COMPARED = 2
CHARTS = (
    "cost_by_score",
    "cost_by_success",
    "money_by_kind",
    "cost_by_turns",
    "tokens_by_kind",
    "spend",
)
"""The names that `Runs.chart` accepts."""


def load_runs(*paths: str | PathLike[str], config: str | PathLike[str] | None = None) -> Runs:
    """Read runs from files, folders and glob patterns, as `sitegen build PATHS -c CONFIG` does.

    Without `paths` the inputs of the settings are read, and a path that is one of these keeps its pattern; without
    `config` no settings are. Outcomes are joined where the settings or sidecars state them. Secrets are masked and
    home folders shortened as on the pages; masks have the same number where the value is the same. Texts of runs are
    not kept: an entry has the facts, `entry.run` those of the file alone. Files that cannot be read are in
    `Runs.problems`.

    Raises: ConfigError when a path does not exist, the settings are wrong, or nothing is named.
    """
    needed = {"outcomes"} | (set() if paths else {"inputs"})
    settings = Config() if config is None else load(Path(config), needed=needed)
    if paths:
        settings = settings.with_inputs(os.fspath(path) for path in paths)
    if not settings.paths_of_runs:
        raise ConfigError(
            "load_runs: name files, folders or patterns to read, or settings that do."
        )
    facts = collect(
        settings, NumberingRedactor.for_this_machine(settings.redact), lambda _, items: items
    )
    prices = settings.price_table
    return Runs(facts.entries, prices, facts.problems, settings.intervals)
