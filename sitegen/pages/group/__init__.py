"""The page of a task, model, campaign or label: the figures and the runs of a part of the campaign.

Everything here follows from the runs of the group alone, so that a new run rewrites the pages of its own groups only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from sitegen import figures
from sitegen.figures import StatusView, bounded, outcome_view, status_view
from sitegen.html.render import Page, Renderer
from sitegen.model import Entry, Outcome, Total
from sitegen.names import campaigns_differ
from sitegen.numbers.clusters import Question
from sitegen.numbers.estimates import group_figures
from sitegen.numbers.scores import ScoreMeasure
from sitegen.numbers.statistics import Dimension, group_by, reported_cost, summarize
from sitegen.numbers.success import passes, success
from sitegen.pages.first.leaderboard import leading
from sitegen.pages.group.causes import CauseView, causes
from sitegen.pages.group.spreads import SpreadView, spreads
from sitegen.pages.steps.side_by_side import ReadSteps, SideBySideView, side_by_side
from sitegen.pages.summary import summary_figures
from sitegen.pages.table.rows import ROWS_PER_BLOCK, rows_paths
from sitegen.pages.table.run_table import FurtherPageView, RunTable, TableView, page_count, table_path
from sitegen.pages.views import FigureView, LinkView, group_path, model_class, run_link
from sitegen.publish.files import File, Made


@dataclass(frozen=True, slots=True)
class PassesView:
    """What k attempts achieve."""

    k: int
    tasks: int
    any: str
    every: str


@dataclass(frozen=True, slots=True)
class AttemptView:
    """One attempt of a model at a task."""

    link: LinkView
    status: StatusView
    outcome: StatusView | None
    score: str
    """Of the first score of its task; empty where there is none."""
    cost: str
    time: str
    patch: str
    """Lines added and removed; empty where none of the attempts has a patch."""
    note: str
    """What whoever judged it says."""


@dataclass(frozen=True, slots=True)
class AttemptsView:
    """The attempts of one model at a task, folded behind what they come to."""

    model: str
    key: str
    said: str
    has_outcomes: bool
    score: str
    """The name of the score of its attempts; empty where there is none."""
    has_patches: bool
    attempts: tuple[AttemptView, ...]


@dataclass(frozen=True, slots=True)
class GroupView:
    """The page of one group."""

    kind: str
    name: str
    lead: str
    key: str | None
    """CSS class suffix of a model's colour."""
    figures: tuple[FigureView, ...]
    spreads: tuple[SpreadView, ...]
    signs: tuple[StatusView, ...]
    """What marks of the spreads stand for."""
    causes: tuple[CauseView, ...]
    passes: tuple[PassesView, ...]
    attempts: tuple[AttemptsView, ...]
    side_by_side: SideBySideView | None
    """Of a task, its attempts call by call."""
    others: tuple[LinkView, ...]
    table: TableView


MOST_RUNS_ELSEWHERE = 2_000
"""Pages of a group with more runs are made in the process that has the facts: each other would copy all of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """The runs of one task, model, campaign or label."""

    dimension: Dimension
    name: str
    runs: Sequence[Entry]
    is_part: bool
    """Whether the site has more runs."""
    question: Question = Question.TASKS_LIKE_THESE
    """What its intervals are about."""

    @property
    def base(self) -> str:
        """The path of its first page without its ending, which its other files begin with."""
        return group_path(self.dimension.value, self.name).removesuffix(".html")

    def files(self, renderer: Renderer, key: bytes | None, read: ReadSteps) -> Iterator[File]:
        """Its pages, the first with the scripts of its table's rows; `key` is that of all that is known of its runs."""
        for position in range(page_count(len(self.runs))):
            scripts = () if position else tuple(rows_paths(f"{self.base}.rows", len(self.runs)))
            make = partial(_made, self, renderer, read, position)
            yield File(
                table_path(self.base, position), key, make, scripts, is_made_here=len(self.runs) > MOST_RUNS_ELSEWHERE
            )


def _made(group: Group, renderer: Renderer, read: ReadSteps, position: int) -> Made:
    """One page of a group."""
    of_runs, name, base = _table(group), group.name, group.base
    is_first, is_divided = position == 0, len(group.runs) > ROWS_PER_BLOCK
    scripts = tuple(of_runs.scripts()) if is_first and not is_divided else ()
    addresses = {each.path: each.address for each in (of_runs.scripts() if is_first and is_divided else scripts)}
    table = of_runs.page(position, addresses)
    description = f"The {group.dimension.value} {name}: {table.range}, what they cost and how they ended."
    if not is_first:
        shown = f"{name}, page {position + 1}"
        title, template = f"{shown} of {of_runs.page_count}", "runs.html.jinja"
        view: object = FurtherPageView(shown, LinkView(f"{base}.html", name), table)
    else:
        summary = summarize(group.runs)
        title = f"{name}: {figures.plural(summary.runs, 'run')}, {bounded(summary.cost, figures.money)}"
        template, view = "group.html.jinja", _group_view(group, table, read)
    page = Page(table.path, template, title, description, "runs", view)
    made_again = of_runs.scripts() if is_first and is_divided else scripts  # so that only one is held at a time
    return Made(renderer.render(page), ((each.path, each.content) for each in made_again))


@lru_cache(maxsize=1)
def _table(group: Group) -> RunTable:
    """The table of a group, of which each page is made alone."""
    return RunTable(group.runs, summarize(group.runs), group.base, f"{group.base}.rows", is_part=group.is_part)


def groups(entries: Sequence[Entry], question: Question) -> Iterator[Group]:
    """All groups of the runs."""
    for dimension in Dimension:
        for name, runs in group_by(entries, dimension).by_name.items():
            yield Group(dimension, name, runs, len(runs) < len(entries), question)


def _group_view(group: Group, table: TableView, read: ReadSteps) -> GroupView:
    dimension, name, runs = group.dimension, group.name, group.runs
    achieved, told = passes(runs), group_figures(runs, group.question)
    # Attempts of different models are not attempts of one agent, and one attempt says what the success rate says.
    several = len(achieved) > 1 and len({run.model for run in runs}) == 1
    return GroupView(
        kind=dimension.value,
        name=name,
        lead=_lead(dimension, name, runs),
        key=model_class(name) if dimension is Dimension.MODEL else None,
        figures=summary_figures(told.summary, told.success, next(iter(told.scores.items()), None)),
        spreads=tuple(spreads(dimension, runs, told, group.question)),
        signs=tuple(outcome_view(each) for each in Outcome if any(run.outcome is each for run in runs)),
        causes=causes(runs),
        passes=tuple(
            PassesView(each.k, each.tasks, figures.percent(each.pass_at_k, 1), figures.percent(each.pass_hat_k, 1))
            for each in (achieved if several else ())
        ),
        attempts=tuple(_attempts(runs)) if dimension is Dimension.TASK else (),
        side_by_side=side_by_side(runs, read) if dimension is Dimension.TASK else None,
        others=tuple(_others(dimension, runs)),
        table=table,
    )


def _lead(dimension: Dimension, name: str, runs: Sequence[Entry]) -> str:
    said = figures.plural(len(runs), "run")
    if dimension is not Dimension.TASK and (tasks := {run.task for run in runs if run.task}):
        said += f" of {figures.plural(len(tasks), 'task')}"
    if dimension is not Dimension.MODEL:
        models = {run.model for run in runs if run.model}
        return f"{said} by {figures.plural(len(models), 'model')}." if models else f"{said}."  # its kind stands above
    lines = [line for run in runs for line in zip(run.ledger_names, run.run.ledger, strict=True)]
    own, costs = (
        Total.of(line.cost_usd for model, line in lines if model == name),
        Total.of(line.cost_usd for _, line in lines),
    )
    said = f"It led {said}."
    if own.known == costs.known or own.value is None:
        return said
    billed = f"{bounded(own, figures.money)} of their {bounded(costs, figures.money)}"
    return f"{said} {billed} is billed to it, the rest to models that helped."


def _attempts(runs: Sequence[Entry]) -> Iterator[AttemptsView]:
    """The attempts by model, where a model has several."""
    by_model = group_by(runs, Dimension.MODEL).by_name
    if max(map(len, by_model.values()), default=0) < 2:
        return
    measure = next(iter(leading(runs)), None)
    has_patches = any(entry.patch_lines for entry in runs)
    for model, own in by_model.items():
        judged, costs = success(own), reported_cost(own)
        in_all = " in all" if len(own) > 1 else ""
        said = [figures.plural(len(own), "attempt"), f"{bounded(costs, figures.money)}{in_all}"]
        said += [f"{judged.passed} of {judged.judged} passed"] if judged.judged else []
        if judged.infrastructure:
            said.append(figures.plural(judged.infrastructure, "infrastructure error"))
        with_campaign = campaigns_differ(own)
        attempts = (
            AttemptView(
                run_link(entry, with_campaign=with_campaign),
                status_view(entry.run.status, entry.run.status_detail),
                outcome_view(entry.outcome) if entry.outcome else None,
                _score_of(entry, measure) if measure else "",
                figures.cost(entry.run),
                figures.clock(entry.run.wall_ms),
                _patch_of(entry) if has_patches else "",
                entry.note or "",
            )
            for entry in own
        )
        has_outcomes = any(entry.outcome for entry in own)
        score = measure.name if measure else ""
        yield AttemptsView(
            model, model_class(model), ", ".join(said), has_outcomes, score, has_patches, tuple(attempts)
        )


def _score_of(entry: Entry, measure: ScoreMeasure) -> str:
    score = next((score for score in entry.scores if score.name == measure.name), None)
    return figures.score(score.value, score.unit) if score else figures.UNKNOWN


def _patch_of(entry: Entry) -> str:
    if entry.patch_lines is None:
        return figures.UNKNOWN
    added, removed = entry.patch_lines
    return f"+{figures.count(added)} −{figures.count(removed)}"


def _others(dimension: Dimension, runs: Sequence[Entry]) -> Iterator[LinkView]:
    """The groups of other kinds that these runs are in."""
    for other in Dimension:
        if other is not dimension:
            for name in group_by(runs, other).by_name:
                yield LinkView(group_path(other.value, name), name)
