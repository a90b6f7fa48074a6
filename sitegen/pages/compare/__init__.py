"""Pages that set two groups of runs against each other on the tasks that both attempted.

A page says no more than its claims (`numbers.wording`). Every word about success needs an outcome that somebody stated.
The text always reads from A to B: a ratio is B over A, a difference is B - A.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice, permutations

from sitegen import figures
from sitegen.fields import fields_of
from sitegen.figures import sentence_list
from sitegen.html.page_names import page_id
from sitegen.html.render import Page, View
from sitegen.model import Entry, Outcome
from sitegen.numbers import statistics
from sitegen.numbers.comparison import Comparison, Contrast, attempts, compare
from sitegen.numbers.contrast_parts import describe_opposite
from sitegen.numbers.families import corrected
from sitegen.numbers.intervals import MIN_CLUSTERS
from sitegen.numbers.statistics import (
    AGENTS,
    AnyMeasure,
    Dimension,
    Measure,
    ScoreMeasure,
    dimension_of,
    group_by,
)
from sitegen.numbers.treatment import Treatment, arm_name, received
from sitegen.numbers.wording import CLEAR, CLEAR_MEANS, Claim, cell, cut, in_letters
from sitegen.outcomes.configurations import UNKNOWN
from sitegen.outcomes.same_patch import same_patches
from sitegen.pages.compare import side_tables, side_words
from sitegen.pages.compare.side_words import SideView
from sitegen.pages.views import PLURALS, LinkView, Look, RowView, group_path, looks, model_class
from sitegen.text.names import as_spelled

MAX_PAIRS = 15  # pages that are made where the settings name no pairs

MAX_GROUPS = 50
"""Groups of one dimension, those of most runs, from which such pairs are made: a thousand models have 499,500 pairs."""

FIRST_LEADERS = 3
"""The number of first rows of which each pair has a page: comparisons may change their order."""

MAX_NAMES = 3  # the most frequent names of an observation, whose shares are compared

MAX_SAME = 5  # tasks with the same patch that a sentence names
MAX_HELD = 60  # pairs that differ in the agent or in the model alone, on the page of these

OVERVIEW_PATH = "compare.html"
EFFECTS_PATH = "agent-and-model.html"
"""The page of pairs of configurations that differ in one of the two."""

_COMPARED = (Dimension.CONFIGURATION, Dimension.MODEL, Dimension.CAMPAIGN, Dimension.LABEL)


Groups = Mapping[Dimension, Mapping[str, tuple[Entry, ...]]]

Pair = tuple[Dimension, str, str]


@dataclass(frozen=True, slots=True)
class Comparisons:
    """All pages of pairs and the overview of them."""

    views: tuple[View, ...]
    overview: View
    remarks: tuple[str, ...]  # sentences about pairs of the settings that came to nothing
    pairs: tuple[tuple[Pair, Comparison], ...]  # the pairs that the views show, in their order
    chosen: "Chosen" = field(default_factory=lambda: Chosen())
    held: tuple[tuple[Pair, Comparison], ...] = ()
    """Configurations that differ in their agent or in their model alone."""
    known: Mapping[Pair, Comparison] = field(default_factory=dict)
    """All of them, also those that only tell who may lead, which know one measure."""
    breakdowns: Mapping[str, float] = field(default_factory=dict)
    """The breakdowns of `chosen`, corrected."""
    of_control: Mapping[Pair, Comparison] = field(default_factory=dict)
    """Those of a control and an arm that differs from it in the factor of the control alone."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The comparison of those who did the runs."""

    factors: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The configuration of each, factor by factor, by the name under which it is compared."""
    leaders: Sequence[str] = ()  # these names, the best first
    ranked: Sequence[Pair] = ()  # pairs that tell who may lead
    by: AnyMeasure | None = None
    breakdowns: Mapping[str, float] = field(default_factory=dict)
    """P-values of success by properties of tasks, which belong to the same family."""
    highest: Mapping[str, Mapping[str, tuple[float, Sequence[str]]]] = field(default_factory=dict)
    """Those that passed most often, and their rate, by property and group."""
    not_covered: Sequence[str] = ()  # those of which too few tasks are judged for the breakdowns
    control: Mapping[str, str] = field(default_factory=dict)
    """The factor and the value of the control arm."""
    split_by: str = ""  # the property of tasks by which success is also compared
    groups: Mapping[str, str] = field(default_factory=dict)
    """The group of each task by it."""

    def against_control(self) -> Iterator[tuple[str, str]]:
        """Yield a control and each that differs from it in its factor alone."""
        for factor, value in self.control.items():
            for control, arm in permutations(self.factors, 2):
                own_value = self.factors[control].get(factor, "")
                is_control = own_value.casefold() == value.casefold()
                if is_control and self.apart(control, arm) == (factor,):
                    yield control, arm

    def arm_name(self, name: str) -> str:
        """Return what a sentence calls a control or an arm; any other configuration by its name."""
        values = self.factors.get(name, {})
        for factor in self.control:
            value = values.get(factor, "")
            alike = [other for other in values if values[other] == value and self._differs(other)]
            place = alike.index(factor) if factor in alike else 0
            name = arm_name(name, factor, value, place)
        return name

    def _differs(self, factor: str) -> bool:
        """Return whether configurations differ in a factor, so that their names have its value."""
        return len({values[factor] for values in self.factors.values()}) > 1

    def treatment(self, groups: Groups, pair: Pair) -> Treatment | None:
        """Return how many runs of an arm, and of its control, received the treatment."""
        by, control, arm = pair
        (factor,) = self.control
        values = self.factors[control][factor], self.factors[arm][factor]
        return received(factor, values, groups[by][control], groups[by][arm])

    def apart(self, a: str, b: str) -> tuple[str, ...]:
        """Return the factors in which two differ; of those of which nothing is known, the model."""
        factors_a = self.factors.get(a)
        factors_b = self.factors.get(b)
        if not factors_a or not factors_b:
            return ("model",)
        return tuple(name for name in factors_a if factors_a[name] != factors_b[name])

    def is_one_effect(self, a: str, b: str) -> bool:
        """Return whether two differ in the agent alone or in the model alone, and both of each are known: one that is
        unknown may be that of the other."""
        if self.apart(a, b) not in (("agent",), ("model",)):
            return False
        known = [self.factors[name][factor] for name in (a, b) for factor in ("agent", "model")]
        return UNKNOWN not in known

    def varied(
        self, entries: Sequence[Entry], by: str, hold: Sequence[str] | None
    ) -> tuple[list[Pair], str]:
        """Return the pairs that differ in a factor and agree in those to hold, all others by default; or why there is
        none."""
        names = dict.fromkeys(name for values in self.factors.values() for name in values)
        for name in (by, *(hold or ())):
            if name not in names:
                there_are = ", ".join(names)
                unknown = f"no factor of configurations is called “{name}”; there are {there_are}"
                return [], f"compare: {unknown}."
        held = set(names if hold is None else hold) - {by}
        agents = dimension_of(entries)
        pairs = []
        for pair in pairs_of({agents: group_by(entries, agents)}, self):
            apart = self.apart(*pair[1:])
            if by in apart and held.isdisjoint(apart):
                pairs.append(pair)
        if pairs:
            return pairs, ""
        alike = f" and agree in {sentence_list(sorted(held))}" if held else ""
        return [], f"compare: no two configurations with shared tasks differ in {by}{alike}."

    def order(self, a: str, b: str) -> tuple[int, ...]:
        """Return the place of a pair among all: first those with judged runs, then those of which the first sentence may
        speak, then those that differ in one factor; within each, leaders first."""
        is_left_out = a not in self.leaders or b not in self.leaders
        better, worse = sorted((self._place(a), self._place(b)))
        group = 2
        if worse < FIRST_LEADERS:
            group = 0
        elif len(self.apart(a, b)) == 1:
            group = 1
        return is_left_out, group, worse, better

    def _place(self, name: str) -> int:
        return self.leaders.index(name) if name in self.leaders else MAX_GROUPS


Wanted = tuple[str, str, str]  # what two groups are, and their names


def comparisons(
    entries: Sequence[Entry],
    wanted: Sequence[Wanted],
    also: Sequence[Wanted] = (),
    chosen: Chosen | None = None,
) -> Comparisons:
    """Return the wanted pairs, each (dimension, A, B); where none is wanted, all with a shared task, up to MAX_PAIRS.
    Then those that are there `also`.

    Configurations, or models where these are enough, come first, in the order of `chosen`, then campaigns; within it,
    groups of more runs before those of fewer. Labels may be made from outcomes, so they are compared if wanted only.
    """
    chosen = chosen or Chosen()
    agents = dimension_of(entries)
    groups: Groups = {dimension: group_by(entries, dimension) for dimension in _COMPARED}
    controlled = [(agents, a, b) for a, b in islice(chosen.against_control(), MAX_GROUPS)]
    further = [(Dimension(by), a, b) for by, a, b in also]
    remarks: list[str] = []
    requested = _wanted_pairs(groups, wanted, remarks)
    if chosen.control and not controlled:
        alone = "no two configurations differ in this factor alone, so nothing has a control"
        remarks.append(f"control: {alone}.")
    planned = controlled or requested
    if planned:
        planned = [*planned, *further]
    rest = ""
    if not wanted:
        requested, rest = _automatic_pairs(groups, agents, chosen)
        requested = _turn(requested, [*controlled, *further])
    pairs = list(dict.fromkeys([*controlled, *requested, *further]))
    of_effects = _turn(_pairs_of_one_effect(groups, agents, chosen), pairs)
    made = _compare_all(entries, groups, [*pairs, *of_effects], chosen)
    for pair in controlled:
        made[pair] = replace(made[pair], treatment=chosen.treatment(groups, pair))
    known, breakdowns = corrected(made, chosen.breakdowns, planned)
    compared = tuple((pair, known[pair]) for pair in pairs)
    marks = looks(entries)
    views = tuple(
        _view(pair, comparison, marks, chosen, groups[pair[0]]) for pair, comparison in compared
    )
    overview = _overview(compared, views, agents).but(
        remarks=[rest, *remarks] if rest else remarks,
        effects=_effects_link(of_effects, chosen),
    )
    return Comparisons(
        views,
        overview,
        tuple(remarks),
        compared,
        chosen,
        held=tuple((pair, known[pair]) for pair in of_effects),
        known=known,
        breakdowns=breakdowns,
        of_control={pair: known[pair] for pair in controlled},
    )


def _wanted_pairs(groups: Groups, wanted: Sequence[Wanted], remarks: list[str]) -> list[Pair]:
    """Return the pairs of the settings, each once; adds to the remarks why one comes to nothing."""
    pairs = []
    for name, *sides in dict.fromkeys(wanted):
        by = Dimension(name)
        a, b = (as_spelled(side, groups[by]) or side for side in sides)
        missing = [side for side in dict.fromkeys((a, b)) if side not in groups[by]]
        for side in missing:
            remark = f"no run has the {by.value} “{side}”, so its comparison has no page"
            remarks.append(f"compare: {remark}.")
        if a == b:
            remarks.append(f"compare: a and b are both the {by.value} “{a}”.")
        elif not missing:
            pairs.append((by, a, b))
    return pairs


def _automatic_pairs(groups: Groups, agents: Dimension, chosen: Chosen) -> tuple[list[Pair], str]:
    """Return the pairs where the settings name none, and what the overview says about those without a page; without any
    page it says what it takes."""
    automatic = {by: groups[by] for by in (agents, Dimension.CAMPAIGN)}
    pairs = list(islice(pairs_of(automatic, chosen), MAX_PAIRS))
    possible = sum(math.comb(len(names), 2) for names in automatic.values())
    if len(pairs) in (0, possible):
        return pairs, ""
    made = f"{figures.count(len(pairs))} of {figures.plural(possible, 'pair')} have a page"
    limit = f"at most {MAX_PAIRS} that share a task in runs of their own, leaders first"
    return pairs, f"{made}: {limit}. Others can be named under compare in the settings."


def _turn(pairs: Iterable[Pair], others: Iterable[Pair]) -> list[Pair]:
    """Return pairs, those turned round that are among others the other way: two groups are compared once."""
    turned = {(by, b, a): (by, a, b) for by, a, b in others}
    return [turned.get(pair, pair) for pair in pairs]


def _pairs_of_one_effect(groups: Groups, agents: Dimension, chosen: Chosen) -> list[Pair]:
    """Return the first pairs that differ in the agent alone or in the model alone."""
    if agents is Dimension.MODEL:
        return []
    pairs = pairs_of({agents: groups[agents]}, chosen)
    return list(islice((pair for pair in pairs if chosen.is_one_effect(*pair[1:])), MAX_HELD))


def _compare_all(
    entries: Sequence[Entry], groups: Groups, pairs: Iterable[Pair], chosen: Chosen
) -> dict[Pair, Comparison]:
    """Return the comparisons of pairs, and, in one measure alone, of further ones that tell who may lead."""
    measures = [*statistics.score_measures(entries), *field_measures(entries)]
    made: dict[Pair, Comparison] = {}
    for by, a, b in dict.fromkeys(pairs):
        made[by, a, b] = compare(groups[by][a], groups[by][b], by, None, measures)
    for by, a, b in chosen.ranked:
        if (by, a, b) not in made and (by, b, a) not in made:
            made[by, a, b] = compare(groups[by][a], groups[by][b], by, chosen.by, measures)
    return made


def field_measures(entries: Sequence[Entry]) -> Iterator[ScoreMeasure]:
    """Yield the share of runs that pass each verdict, but for one that is the outcome of all, and the share that has
    each of the most frequent names of an observation."""
    for stated in fields_of(entries):
        names = [dict(entry.derived).get(stated.key) for entry in entries]
        share = ScoreMeasure(f"{stated.name} rate", is_share=True, field=stated.key)
        if stated.key.startswith("verdict.") and names != [entry.outcome for entry in entries]:
            yield replace(share, higher_is_better=True, word=Outcome.PASS)
        elif stated.key.startswith("observed."):
            for word, _ in Counter(filter(None, names)).most_common(MAX_NAMES):
                name = f"{stated.name}: {word}"
                yield replace(share, name=name, word=str(word), counts_missing=stated.has_none)


def _effects_link(pairs: Sequence[Pair], chosen: Chosen) -> LinkView | None:
    """Return the link to the page of the effects of these pairs, with what it is about."""
    varied = {chosen.apart(a, b)[0] for _, a, b in pairs}
    about = [f"what the {factor} adds" for factor in ("agent", "model") if factor in varied]
    return LinkView(EFFECTS_PATH, figures.capitalized(", ".join(about))) if about else None


def compare_pages(compared: Comparisons) -> Iterator[Page]:
    """Yield the overview, which every site has since its navigation leads there, and a page for each pair."""
    about = "Groups of runs, compared in pairs on the tasks that both attempted."
    yield Page(
        OVERVIEW_PATH, "compares.html.jinja", "Comparisons", about, "compare", compared.overview
    )
    for view in compared.views:
        measures = "cost, tokens, time and success" if view.has_success else "cost, tokens and time"
        title = f"{view.b.name} against {view.a.name}"
        about = f"{view.a.name} and {view.b.name} on {figures.plural(view.tasks, 'shared task')}: {measures}."
        yield Page(view.path, "compare.html.jinja", title, about, "compare", view)


def pairs_of(groups: Groups, chosen: Chosen) -> Iterator[Pair]:
    """Yield all pairs with a task that each attempted in a run of its own, those of most runs first."""
    for dimension, by_name in groups.items():
        ranked = sorted(by_name, key=lambda name: (name not in chosen.leaders, -len(by_name[name])))
        largest = ranked[:MAX_GROUPS]
        runs = {name: _ids_by_task(by_name[name]) for name in largest}
        pairs: Iterable[tuple[str, str]] = combinations(largest, 2)
        if dimension in AGENTS:
            pairs = sorted(pairs, key=lambda pair: chosen.order(*pair))
        names = list(by_name)
        for a, b in pairs:
            if _share_task(runs[a], runs[b]):
                first, second = sorted((a, b), key=names.index)
                yield dimension, first, second


_IdsByTask = Mapping[str, set[str]]


def _ids_by_task(entries: Sequence[Entry]) -> _IdsByTask:
    by_task = attempts(entries, set())
    return {task: {run.id for run in runs} for task, runs in by_task.items()}


def _share_task(a: _IdsByTask, b: _IdsByTask) -> bool:
    """Return whether there is a task of which each side has a run that is not one of the other."""
    return any(a[task] - b[task] and b[task] - a[task] for task in a.keys() & b.keys())


def _view(
    pair: Pair,
    comparison: Comparison,
    marks: Mapping[str, Look],
    chosen: Chosen,
    groups: Mapping[str, Sequence[Entry]],
) -> View:
    """Return the page of one pair of these groups."""
    a, b = _sides(pair, comparison, marks)
    claims = comparison.claims
    has_success = bool(comparison.contrasts[Measure.SUCCESS].tasks)
    contrasts = _shown_contrasts(comparison)
    shown = [*contrasts, *comparison.fields.values()]
    gaps = [
        *side_words.doubts(comparison),
        *side_words.gaps(contrasts, claims, comparison.alike),
    ]
    if claims:
        gaps += side_words.what_next(comparison)
    opposite = describe_opposite(comparison, chosen.split_by, chosen.groups)
    given, same = side_tables.given(comparison)
    return View(
        path=pair_path(*pair),
        a=a,
        b=b,
        heading=side_words.heading_of(a, b, comparison),
        lead=f"{side_words.lead_of(a, b, comparison)} {opposite}".rstrip(),
        meta=side_words.meta_of(a, b, comparison) + _differences(pair, comparison, chosen),
        # The tasks at which both left the same patch, as a sentence; empty without any.
        same_patches=_describe_same_patches(groups, pair),
        claims=claims,
        has_success=has_success,
        tasks=len(comparison.tasks),
        plots=list(side_tables.plots(a, b, shown)) if claims else [],
        numbers=list(map(side_tables.numbers, shown)) if claims else [],
        # What is not in the chart or rests on less, and why; and what to run next.
        gaps=gaps,
        tasks_plot=side_tables.tasks_plot(a, b, comparison),
        table=side_tables.tasks_table(a, b, comparison) if comparison.tasks else None,
        # The runs themselves, where they are of too few tasks for a claim.
        runs=[] if claims else side_tables.list_runs(comparison),
        # The differences in what the sides were given: what, on A, on B.
        given=given,
        # The part of it that is the same, in words; empty where nothing is known to be.
        same=sentence_list(same) if same else "",
        # Rows of the table of who takes part: what, runs of A, runs of B.
        taking_part=list(side_words.taking_part(comparison)),
    )


def _describe_same_patches(groups: Mapping[str, Sequence[Entry]], pair: Pair) -> str:
    """Name the tasks at which a run of each side left the same patch; empty without any."""
    _, a, b = pair
    ids_of_a, ids_of_b = ({run.id for run in groups[side]} for side in (a, b))
    tasks = []
    for runs in same_patches([*groups[a], *groups[b]]):
        alike = {run.id for run in runs}
        if alike & ids_of_a and alike & ids_of_b:
            tasks.append(runs[0].task or "")
    if not tasks:
        return ""
    shown = ", ".join(tasks[:MAX_SAME]) + (", …" if len(tasks) > MAX_SAME else "")
    return f"Both left the same patch at {figures.plural(len(tasks), 'task')}: {shown}."


def _shown_contrasts(comparison: Comparison) -> list[Contrast]:
    """Return the first scores and others that are clear, and the measures; success where it is known."""
    scores = list(comparison.scores.values())
    first = scores[: side_tables.MAX_SCORES]
    clear = [score for score in scores[side_tables.MAX_SCORES :] if score.effect in CLEAR]
    measures = [
        contrast
        for measure, contrast in comparison.contrasts.items()
        if measure is not Measure.SUCCESS or contrast.tasks
    ]
    return [*first, *clear, *measures]


def _differences(pair: Pair, comparison: Comparison, chosen: Chosen) -> str:
    """Return in which factors configurations differ, and how many runs received the treatment."""
    dimension, a, b = pair
    text = ""
    if dimension is Dimension.CONFIGURATION and chosen.factors:
        apart = chosen.apart(a, b)
        if apart:
            text = f" They differ in {sentence_list(list(apart))}{'' if apart[1:] else ' alone'}."
    if comparison.treatment:
        text += f" {figures.capitalized(comparison.treatment.text)}."
    return text


def pair_path(dimension: Dimension, a: str, b: str) -> str:
    """Return where the page of a pair lies: it follows from the names alone."""
    return f"compare/{page_id(f'{a} and {b}', chr(0).join((dimension, a, b)))}.html"


def _sides(
    pair: Pair, comparison: Comparison, marks: Mapping[str, Look]
) -> tuple[SideView, SideView]:
    dimension, *names = pair
    short = names
    if dimension is Dimension.MODEL and all(name.startswith("Claude ") for name in names):
        short = [name.removeprefix("Claude ") for name in names]
    keys = ["side-a", "side-b"]
    if dimension in AGENTS:
        # Further models share a grey: a pair with one of them takes the colours of sides, as do two of one model.
        own = [marks[name] for name in names if name in marks and marks[name].is_own]
        colours = {look.colour for look in own}
        if len(colours) == 2:
            keys = [f"m-{model_class(name)}" for name in names]
    views = []
    for name, word, key, side in zip(names, short, keys, (comparison.a, comparison.b), strict=True):
        href = group_path(dimension.value, name)
        runs = figures.plural(side.compared, "run")
        views.append(SideView(name, cut(word, 40), key, href, runs))
    return views[0], views[1]


def _overview(
    compared: Sequence[tuple[Pair, Comparison]], views: Sequence[View], agents: Dimension
) -> View:
    if not views:
        nothing = "Nothing to compare here: it takes two agents, models or campaigns with a task in common."
        paths = "All of these can be read from the paths of runs, by a pattern in the settings; these can also name labels."
        return View(lead=f"{nothing} {paths}", groups=(), heads=())
    scores: dict[str, bool] = {}
    for _, comparison in compared:
        for name, score in comparison.scores.items():
            scores[name] = scores.get(name, False) or score.effect in CLEAR
    shown = sorted(scores, key=lambda name: not scores[name])[: side_tables.MAX_SCORES]
    measures = [Measure.COST, Measure.SUCCESS, Measure.TOKENS, Measure.WALL]
    if not any(view.has_success for view in views):
        measures.remove(Measure.SUCCESS)
    groups: dict[str, list[RowView]] = {}
    for ((dimension, _, _), comparison), view in zip(compared, views, strict=True):
        contrasts = [comparison.scores.get(name) for name in shown]
        contrasts += [comparison.contrasts[measure] for measure in measures]
        cells = [figures.count(view.tasks)]
        for contrast in contrasts:
            text = figures.UNKNOWN
            if contrast:
                text = cell(Claim.of(contrast, view.a.short, view.b.short), view.tasks)
            cells.append(text)
        name = side_words.name_of(view.a.name, view.b.name, comparison)
        row = RowView(name, tuple(cells), href=view.path)
        groups.setdefault(PLURALS[dimension], []).append(row)
    how = ""
    if groups.keys() - {PLURALS[agents]}:
        how = f": {agents}s campaign by campaign, other groups {agents} by {agents}"
    lead = f"Each row compares two groups on the tasks that both tried{how}. {CLEAR_MEANS} "
    lead += f"Fewer than {in_letters(MIN_CLUSTERS)} shared tasks: too few to compare."
    heads = [cut(figures.capitalized(name), 30) for name in shown]
    return View(
        lead=lead,
        # The groups by dimension: its name in the plural, and its pairs.
        groups=tuple(groups.items()),
        # The heads of the cells.
        heads=(*heads, *map(side_words.label_of, measures)),
    )
