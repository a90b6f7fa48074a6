"""Pages that set two groups of runs against each other on the tasks that both attempted.

A page says no more than its claims (`numbers.wording`); below five shared tasks it shows the runs alone. Every word
about success needs an outcome that somebody stated. The text always reads from A to B: a ratio is B over A, a
difference is B - A.
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
from sitegen.pages.views import PLURALS, LinkView, Look, RowView, group_path, looks, model_class
from sitegen.text.names import as_spelled

MAX_PAIRS = 15  # pages that are made where the settings name no pairs

MAX_GROUPS = 50
"""Groups of one dimension, those of most runs, from which such pairs are made: a thousand models have 499,500 pairs."""

FIRST_LEADERS = (
    3  # the number of first rows of which each pair has a page: comparisons may change their order
)

MAX_NAMES = 3  # the most frequent names of an observation, whose shares are compared

MAX_HELD = 60  # pairs that differ in the agent or in the model alone, on the page of these

MAX_RUNS = 100  # runs in the list that stands where nothing is claimed

OVERVIEW_PATH = "compare.html"
EFFECTS_PATH = (
    "agent-and-model.html"  # the page of pairs of configurations that differ in one of the two
)

_COMPARED = (Dimension.CONFIGURATION, Dimension.MODEL, Dimension.CAMPAIGN, Dimension.LABEL)


Groups = Mapping[Dimension, Mapping[str, tuple[Entry, ...]]]

Pair = tuple[Dimension, str, str]
MAX_SAME = 5  # tasks with the same patch that a sentence names


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
    control: Mapping[str, str] = field(
        default_factory=dict
    )  # the factor and the value of the control arm

    split_by: str = ""  # the property of tasks by which success is also compared
    groups: Mapping[str, str] = field(default_factory=dict)
    """The group of each task by it."""

    def against_control(self) -> Iterator[tuple[str, str]]:
        """Yield a control and each that differs from it in its factor alone."""
        for factor, value in self.control.items():
            arms = {
                name: own.get(factor, "").casefold() == value.casefold()
                for name, own in self.factors.items()
            }
            for control, arm in permutations(arms, 2):
                if arms[control] and self.apart(control, arm) == (factor,):
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
        one = self.factors.get(a)
        two = self.factors.get(b)
        return tuple(name for name in one if one[name] != two[name]) if one and two else ("model",)

    def has_gaps(self, *names: str) -> bool:
        """Return whether the agent or the model of one of them is unknown: it may be that of the other."""
        return any(
            self.factors[name][factor] == UNKNOWN for name in names for factor in ("agent", "model")
        )

    def varied(
        self, entries: Sequence[Entry], by: str, hold: Sequence[str] | None
    ) -> tuple[list[Pair], str]:
        """Return the pairs that differ in a factor and agree in those to hold, all others by default; or why there is
        none."""
        names = dict.fromkeys(name for own in self.factors.values() for name in own)
        for name in (by, *(hold or ())):
            if name not in names:
                return (
                    [],
                    f"compare: no factor of configurations is called “{name}”; there are {', '.join(names)}.",
                )
        held = set(names if hold is None else hold) - {by}
        agents = dimension_of(entries)
        pairs = pairs_of({agents: group_by(entries, agents)}, self)
        found = [
            pair
            for pair in pairs
            if by in (apart := self.apart(*pair[1:])) and held.isdisjoint(apart)
        ]
        alike = f" and agree in {sentence_list(sorted(held))}" if held else ""
        return (
            found,
            ""
            if found
            else f"compare: no two configurations with shared tasks differ in {by}{alike}.",
        )

    def order(self, a: str, b: str) -> tuple[int, ...]:
        """Return the place of a pair among all: first those with judged runs, then those of which the first sentence may
        speak, then those that differ in one factor; within each, leaders first."""
        is_left_out = not all(name in self.leaders for name in (a, b))
        places = sorted(
            self.leaders.index(name) if name in self.leaders else MAX_GROUPS for name in (a, b)
        )[::-1]
        group = 0 if places[0] < FIRST_LEADERS else 1 if len(self.apart(a, b)) == 1 else 2
        return (is_left_out, group, *places)


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
    controlled = [(agents, a, b) for a, b in islice(chosen.against_control(), MAX_GROUPS)]
    groups: Groups = {dimension: group_by(entries, dimension) for dimension in _COMPARED}
    further = [(Dimension(by), a, b) for by, a, b in also]
    if wanted:
        stated = [_spelled(groups, (Dimension(by), a, b)) for by, a, b in dict.fromkeys(wanted)]
        remarks = tuple(
            f"compare: no run has the {by.value} “{name}”, so its comparison has no page."
            for by, name in dict.fromkeys((by, name) for by, *names in stated for name in names)
            if name not in groups[by]
        )
        remarks += tuple(
            f"compare: a and b are both the {by.value} “{a}”." for by, a, b in stated if a == b
        )
        pairs = [
            (by, a, b) for by, a, b in stated if a in groups[by] and b in groups[by] and a != b
        ]
        rest = ""
    else:
        remarks = ()
        automatic = {by: groups[by] for by in (agents, Dimension.CAMPAIGN)}
        pairs = list(islice(pairs_of(automatic, chosen), MAX_PAIRS))
        possible = sum(math.comb(len(names), 2) for names in automatic.values())
        rest = _without_page(len(pairs), possible)
        turned = {(by, b, a): (by, a, b) for by, a, b in (*controlled, *further)}
        pairs = [turned.get(pair, pair) for pair in pairs]  # two groups are compared once
    if chosen.control and not controlled:
        remarks += (
            "control: no configuration differs from one of this factor and value in it alone.",
        )
    planned = controlled or (pairs if wanted else [])
    if planned:
        planned = [*planned, *further]
    pairs = list(dict.fromkeys([*controlled, *pairs, *further]))
    apart = () if agents is Dimension.MODEL else pairs_of({agents: groups[agents]}, chosen)
    single = (
        (by, a, b)
        for by, a, b in apart
        if chosen.apart(a, b) in (("agent",), ("model",)) and not chosen.has_gaps(a, b)
    )
    ways = [
        pair if (pair := (by, b, a)) in pairs else (by, a, b)
        for by, a, b in islice(single, MAX_HELD)
    ]
    measures = (*statistics.score_measures(entries), *field_measures(entries))
    made = {pair: _compared(groups, pair, measures) for pair in dict.fromkeys([*pairs, *ways])}
    for pair in controlled:
        made[pair] = replace(made[pair], treatment=chosen.treatment(groups, pair))
    for by, a, b in chosen.ranked:
        if made.keys().isdisjoint(((by, a, b), (by, b, a))):
            made[by, a, b] = _compared(groups, (by, a, b), measures, chosen.by)
    known, breakdowns = corrected(made, chosen.breakdowns, planned)
    compared = [(pair, known[pair]) for pair in pairs]
    marked = {name: look for name, look in looks(entries).items() if look.is_own}
    views = tuple(
        _view(pair, comparison, marked, chosen=chosen).but(
            same_patches=_same_patches(groups[pair[0]], pair)
        )
        for pair, comparison in compared
    )
    held = tuple((pair, known[pair]) for pair in ways)
    overview = _overview(compared, views, (rest, *remarks), agents).but(
        effects=_effects_link(ways, chosen)
    )
    of_control = {pair: known[pair] for pair in controlled}
    return Comparisons(
        views, overview, remarks, tuple(compared), chosen, held, known, breakdowns, of_control
    )


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


def _same_patches(groups: Mapping[str, Sequence[Entry]], pair: Pair) -> str:
    """Return the tasks at which a run of each side left the same patch, as a sentence; empty without any."""
    _, a, b = pair
    ids = {run.id for run in groups[a]}, {run.id for run in groups[b]}
    tasks = []
    for runs in same_patches([*groups[a], *groups[b]]):
        alike = {run.id for run in runs}
        if alike & ids[0] and alike & ids[1]:
            tasks.append(runs[0].task or "")
    if not tasks:
        return ""
    shown = ", ".join(tasks[:MAX_SAME]) + (", …" if len(tasks) > MAX_SAME else "")
    return f"Both left the same patch at {figures.plural(len(tasks), 'task')}: {shown}."


def _effects_link(pairs: Sequence[Pair], chosen: Chosen) -> LinkView | None:
    """Return the link to the page of the effects of these pairs, with what it is about."""
    varied = {chosen.apart(a, b)[0] for _, a, b in pairs}
    said = ", ".join(f"what the {factor} adds" for factor in ("agent", "model") if factor in varied)
    return LinkView(EFFECTS_PATH, figures.capitalized(said)) if said else None


def _spelled(groups: Groups, pair: Pair) -> Pair:
    by, a, b = pair
    return by, as_spelled(a, groups[by]) or a, as_spelled(b, groups[by]) or b


def _compared(
    groups: Groups, pair: Pair, measures: Sequence[ScoreMeasure], only: AnyMeasure | None = None
) -> Comparison:
    by, a, b = pair
    return compare(groups[by][a], groups[by][b], by, only, measures)


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
        place = {name: position for position, name in enumerate(by_name)}
        by_task = {name: attempts(by_name[name], set()) for name in largest}
        runs = {
            name: {task: {run.id for run in own} for task, own in by_task[name].items()}
            for name in largest
        }
        pairs = combinations(largest, 2)
        for pair in (
            sorted(pairs, key=lambda pair: chosen.order(*pair)) if dimension in AGENTS else pairs
        ):
            one, two = (runs[name] for name in pair)
            if any(
                one[task] - two[task] and two[task] - one[task] for task in one.keys() & two.keys()
            ):
                a, b = sorted(pair, key=place.__getitem__)
                yield dimension, a, b


def _without_page(shown: int, possible: int) -> str:
    """Return what the overview says about pairs without a page; without any page it says what it takes."""
    if shown in (0, possible):
        return ""
    pairs = figures.plural(possible, "pair")
    made = f"{figures.count(shown)} of {pairs} have a page: at most {MAX_PAIRS} that share a task"
    return f"{made} in runs of their own, leaders first. Others can be named under compare in the settings."


def _view(
    pair: Pair,
    comparison: Comparison,
    marked: Mapping[str, Look],
    *,
    chosen: Chosen,
) -> View:
    """Return the page of one pair."""
    dimension, a_name, b_name = pair
    a, b = _sides(dimension, a_name, b_name, comparison, marked)
    scores = list(comparison.scores.values())
    contrasts = [
        each
        for at, each in enumerate(scores)
        if at < side_tables.MAX_SCORES or each.effect in CLEAR
    ]
    contrasts += (
        each for each in comparison.contrasts.values() if each.measure is not Measure.SUCCESS
    )
    passed = comparison.contrasts[Measure.SUCCESS]
    if passed.tasks:
        contrasts.append(passed)
    shown = [*contrasts, *comparison.fields.values()]
    apart = (
        chosen.apart(a_name, b_name)
        if dimension is Dimension.CONFIGURATION and chosen.factors
        else ()
    )
    differ = (
        f" They differ in {sentence_list(list(apart))}{'' if len(apart) > 1 else ' alone'}."
        if apart
        else ""
    )
    treatment = comparison.treatment
    treated = f" {figures.capitalized(treatment.text)}." if treatment else ""
    claims = comparison.claims
    opposite = describe_opposite(comparison, chosen.split_by, chosen.groups)
    listed = [] if claims else list(side_tables.run_rows(comparison, a, b))
    given, same = side_tables.given(comparison)
    left = len(listed) - MAX_RUNS
    return View(
        path=pair_path(dimension, a_name, b_name),
        dimension=dimension,
        a=a,
        b=b,
        heading=side_words.heading_of(a, b, comparison),
        lead=f"{side_words.lead_of(a, b, comparison)} {opposite}".rstrip(),
        meta=side_words.meta_of(a, b, comparison) + differ + treated,
        claims=claims,
        has_success=bool(passed.tasks),
        tasks=len(comparison.tasks),
        plots=tuple(side_tables.plots(a, b, shown)) if claims else (),
        numbers=tuple(map(side_tables.numbers, shown)) if claims else (),
        # The gaps: what is not in the chart or rests on less, and why; and what to run next.
        gaps=(
            *side_words.doubts(comparison),
            *side_words.gaps(contrasts, claims, comparison.alike),
            *(side_words.what_next(comparison) if claims else ()),
        ),
        tasks_plot=side_tables.tasks_plot(a, b, comparison),
        table=side_tables.tasks_table(a, b, comparison) if comparison.tasks else None,
        # The heads of the scores in the list of runs.
        run_heads=tuple(
            cut(side_words.label_of(each), 30) for each in side_tables.score_heads(comparison)
        ),
        runs=tuple(listed[:MAX_RUNS]),
        runs_more=f"{figures.plural(left, 'more run')} on the pages of the tasks."
        if left > 0
        else None,
        # The differences in what the sides were given: what, on A, on B.
        given=given,
        # The part of it that is the same, in words; empty where nothing is known to be.
        same=sentence_list(list(same) or [""]),
        # Rows of the table of who takes part: what, runs of A, runs of B.
        taking_part=tuple(side_words.taking_part(comparison)),
    )


_NOTHING = "Nothing to compare here: it takes two agents, models or campaigns with a task in common. All of these can "
_NOTHING += (
    "be read from the paths of runs, by a pattern in the settings; these can also name labels."
)


def pair_path(dimension: Dimension, a: str, b: str) -> str:
    """Return where the page of a pair lies: it follows from the names alone."""
    return f"compare/{page_id(f'{a} and {b}', chr(0).join((dimension, a, b)))}.html"


def _sides(
    dimension: Dimension,
    a_name: str,
    b_name: str,
    comparison: Comparison,
    marked: Mapping[str, Look],
) -> tuple[side_words.SideView, side_words.SideView]:
    both_claude = (
        dimension is Dimension.MODEL
        and a_name.startswith("Claude ")
        and b_name.startswith("Claude ")
    )
    # Further models share a grey, so a pair with one of them takes the two colours of sides, as do two of one model.
    colours = {
        marked[name].colour for name in (a_name, b_name) if dimension in AGENTS and name in marked
    }

    def side(name: str, key: str, runs: int) -> side_words.SideView:
        short = cut(name.removeprefix("Claude ") if both_claude else name, 40)
        css = f"m-{model_class(name)}" if len(colours) == 2 else key
        return side_words.SideView(
            name, short, css, group_path(dimension.value, name), figures.plural(runs, "run")
        )

    return side(a_name, "side-a", comparison.a.compared), side(
        b_name, "side-b", comparison.b.compared
    )


def _overview(
    compared: Sequence[tuple[Pair, Comparison]],
    views: Sequence[View],
    remarks: Iterable[str],
    agents: Dimension,
) -> View:
    has_success = any(view.has_success for view in views)
    shown = {Measure.COST, *([Measure.SUCCESS] if has_success else [])}
    shown |= {
        by
        for _, comparison in compared
        for by, each in comparison.contrasts.items()
        if each.effect in CLEAR
    }
    measures = [
        each
        for each in (Measure.COST, Measure.SUCCESS, Measure.TOKENS, Measure.WALL)
        if each in shown
    ]
    names = dict.fromkeys(name for _, comparison in compared for name in comparison.scores)
    clear = {
        name
        for _, comparison in compared
        for name, each in comparison.scores.items()
        if each.effect in CLEAR
    }
    scores = sorted(names, key=lambda name: name not in clear)[: side_tables.MAX_SCORES]

    def contrasts(comparison: Comparison) -> list[Contrast | None]:
        own = [comparison.scores.get(name) for name in scores]
        return [*own, *(comparison.contrasts[measure] for measure in measures)]

    rows: dict[str, list[RowView]] = {}
    for ((dimension, _, _), comparison), view in zip(compared, views, strict=True):
        short = view.a.short, view.b.short
        shared = len(comparison.tasks)
        told = (
            cell(Claim.of(each, *short), shared) if each else figures.UNKNOWN
            for each in contrasts(comparison)
        )
        cells = (figures.count(shared), *told)
        row = RowView(
            side_words.name_of(view.a.name, view.b.name, comparison), cells, href=view.path
        )
        rows.setdefault(PLURALS[dimension], []).append(row)
    is_mixed = rows.keys() - {PLURALS[agents]}
    how = f": {agents}s campaign by campaign, other groups {agents} by {agents}" if is_mixed else ""
    lead = f"Each row compares two groups on the tasks that both tried{how}. {CLEAR_MEANS} "
    lead += f"Fewer than {in_letters(MIN_CLUSTERS)} shared tasks: too few to compare."
    return View(
        lead=lead if views else _NOTHING,
        # The groups by dimension: its name in the plural, and its pairs.
        groups=tuple((name, tuple(found)) for name, found in rows.items()),
        # The heads of the cells.
        heads=(
            *(cut(figures.capitalized(name), 30) for name in scores),
            *map(side_words.label_of, measures),
        ),
        remarks=tuple(remark for remark in remarks if remark),
        effects=None,
    )
